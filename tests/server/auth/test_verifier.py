"""The credential verifier: one response for every denial, three attempts, and passwords that people choose."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from croupier.house.ids import SECOND, DeviceId, Instant, PersonId
from croupier.rules.refusal import Code, Refusal
from croupier.server.auth.credentials import THROTTLE_FIRST, Attempt, CredentialStore, PasswordOrigin, StaffCredential
from croupier.server.auth.sessions import (
    NOT_ADMITTED,
    Argon2Hasher,
    CredentialVerifier,
    DenialCause,
    HashCost,
    IssuedCode,
    PasswordChangeRequired,
    SignInAccepted,
    SignInDenied,
    Verdict,
)

CHEAP = HashCost(passes=1, memory_kib=8, lanes=1)
ANNA, BORIS = PersonId("anna"), PersonId("boris")
PIT, DESK, NOW = DeviceId("pit-1"), DeviceId("desk-1"), Instant(1_000 * SECOND)
AT_PIT = Attempt(ANNA, PIT, NOW)
SECRET, OTHER = "rien ne va plus", "faites vos jeux"
#: A device on which nothing was tried yet.
NEW = map(DeviceId, map(str, count())).__next__
#: Each example is written to the disk.
FEWER = settings().max_examples // 4


class CountingHasher(Argon2Hasher):
    """A hasher that counts how often Argon2 does its work."""

    def __init__(self, cost: HashCost = CHEAP) -> None:
        super().__init__(cost)
        self.evaluations = 0

    def hash_secret(self, secret: str) -> str:
        self.evaluations += 1
        return super().hash_secret(secret)

    def matches(self, kept: str, secret: str) -> bool:
        self.evaluations += 1
        return super().matches(kept, secret)


class Meanwhile(Argon2Hasher):
    """A hasher that is slow enough for something else to be done before it has compared."""

    def __init__(self, done: Callable[[], object]) -> None:
        super().__init__(CHEAP)
        self._done = done

    def matches(self, kept: str, secret: str) -> bool:
        self._done()
        return super().matches(kept, secret)


def tried(verifier: CredentialVerifier, name: str, secret: str, device: DeviceId = PIT, now: Instant = NOW) -> Verdict:
    """Have somebody try to sign in at the pit."""
    return verifier.attempt(name, secret, device, now)


def with_secret(verifier: CredentialVerifier, person: PersonId = ANNA, secret: str = SECRET) -> SignInAccepted:
    """Have a person sign in with a code and choose a secret."""
    issued = verifier.issue_code(person)
    assert isinstance(issued, IssuedCode)
    proven = tried(verifier, person, issued.code)
    assert isinstance(proven, PasswordChangeRequired)
    admitted = verifier.choose(proven, secret)
    assert isinstance(admitted, SignInAccepted)
    return admitted


@pytest.fixture
def verifier(tmp_path: Path) -> CredentialVerifier:
    """A credential verifier with a password for Anna."""
    verifier = CredentialVerifier(CredentialStore(tmp_path / "register.json"), Argon2Hasher(CHEAP))
    with_secret(verifier)
    return verifier


def account_of(verifier: CredentialVerifier, person: PersonId = ANNA) -> StaffCredential:
    account = verifier.credential_store.account(person)
    assert account is not None
    return account


def test_person_is_admitted_by_the_secret(verifier: CredentialVerifier) -> None:
    """Whoever gives the name and the secret is admitted, and by the account as it is."""
    assert tried(verifier, "anna", SECRET) == SignInAccepted(ANNA, account_of(verifier).hash)


def test_name_may_be_typed_as_several_signs(verifier: CredentialVerifier) -> None:
    """A name with an accent is found however the keyboard sends it."""
    with_secret(verifier, PersonId("Andr\u00e9"))

    assert isinstance(tried(verifier, "Andre\u0301", SECRET), SignInAccepted)


def test_verdicts_say_nothing_of_hashes(verifier: CredentialVerifier) -> None:
    """A verdict or a code that ends up in a log gives nothing away."""
    admitted, issued = tried(verifier, "anna", SECRET), verifier.issue_code(BORIS)
    assert isinstance(issued, IssuedCode)

    assert repr(admitted) == "SignInAccepted(person='anna')"
    assert repr(issued) == "IssuedCode(new=True)"
    assert repr(tried(verifier, "boris", issued.code)) == "PasswordChangeRequired(person='boris')"


# Saying no


def failing(verifier: CredentialVerifier, case: str) -> Verdict:
    """Fail in one of the ways in which one can."""
    if case.startswith("locked"):
        for _ in range(3):
            verifier.credential_store.count_failure(AT_PIT)
    name = "nobody" if case == "unknown" else "anna"
    return tried(verifier, name, SECRET if case == "locked, right" else OTHER)


CASES = ["unknown", "wrong", "locked, wrong", "locked, right"]


@pytest.mark.parametrize("case", CASES)
def test_answer_is_the_same_whatever_the_cause(verifier: CredentialVerifier, case: str) -> None:
    """An unknown name, a wrong password and a locked account get the same code and message."""
    verdict = failing(verifier, case)

    assert isinstance(verdict, SignInDenied)
    assert verdict.refusal is NOT_ADMITTED
    assert verdict.refusal.code is Code.SIGN_IN_REFUSED
    assert case.startswith(verdict.cause)


@pytest.mark.parametrize("case", CASES)
def test_work_is_the_same_whatever_the_cause(verifier: CredentialVerifier, tmp_path: Path, case: str) -> None:
    """Whoever is not admitted has cost one evaluation of Argon2 and one change on the disk, whatever the cause."""
    hasher = CountingHasher()
    failing(CredentialVerifier(verifier.credential_store, hasher), case)
    before = (tmp_path / "register.json").stat().st_ino

    assert hasher.evaluations == 1
    verdict = tried(
        CredentialVerifier(verifier.credential_store, hasher), "nobody" if case == "unknown" else "anna", OTHER
    )
    assert isinstance(verdict, SignInDenied)
    assert hasher.evaluations == 2
    assert (tmp_path / "register.json").stat().st_ino != before


def test_third_wrong_secret_locks_and_says_so_to_the_house(verifier: CredentialVerifier) -> None:
    """The third wrong secret in a row locks, which the verdict tells the house and the answer tells nobody."""
    verdicts = [tried(verifier, "anna", OTHER) for _ in range(4)]

    assert verdicts == [
        SignInDenied(ANNA, DenialCause.WRONG),
        SignInDenied(ANNA, DenialCause.WRONG),
        SignInDenied(ANNA, DenialCause.WRONG, locks=True),
        SignInDenied(ANNA, DenialCause.LOCKED),
    ]
    assert tried(verifier, "anna", SECRET) == SignInDenied(ANNA, DenialCause.LOCKED)
    verifier.credential_store.unlock(ANNA)
    assert isinstance(tried(verifier, "anna", SECRET), SignInAccepted)


def test_right_secret_forgives_two_wrong_ones(verifier: CredentialVerifier) -> None:
    """Failures count in a row: two, a right secret and two more lock nothing."""
    tries = (OTHER, OTHER, SECRET, OTHER, OTHER, SECRET)
    verdicts = [tried(verifier, "anna", secret) for secret in tries]

    assert [isinstance(each, SignInAccepted) for each in verdicts] == [False, False, True, False, False, True]


def test_guesses_at_once_are_three_guesses(verifier: CredentialVerifier) -> None:
    """Whoever guesses on many lines at once has no more than three tries before the account is locked."""
    with ThreadPoolExecutor(8) as pool:
        verdicts = list(pool.map(lambda _: tried(verifier, "anna", OTHER), range(24)))

    assert sum(isinstance(each, SignInDenied) and each.cause is DenialCause.WRONG for each in verdicts) == 3
    assert {each.cause for each in verdicts if isinstance(each, SignInDenied)} <= {
        DenialCause.WRONG,
        DenialCause.LOCKED,
        DenialCause.DEVICE,
    }
    assert sum(isinstance(each, SignInDenied) and each.locks for each in verdicts) == 1
    assert sum(isinstance(each, SignInDenied) and each.locks_device for each in verdicts) == 1


def test_person_who_is_throttled_on_one_device_signs_in_on_another(verifier: CredentialVerifier) -> None:
    """Wrong passwords at one console keep a person out there for a while, and nowhere else."""
    for _ in range(3):
        tried(verifier, "anna", OTHER)

    assert tried(verifier, "anna", SECRET) == SignInDenied(ANNA, DenialCause.LOCKED)
    assert isinstance(tried(verifier, "anna", SECRET, DESK), SignInAccepted)
    assert tried(verifier, "anna", SECRET) == SignInDenied(ANNA, DenialCause.LOCKED)
    assert isinstance(tried(verifier, "anna", SECRET, now=Instant(NOW + THROTTLE_FIRST)), SignInAccepted)


def test_device_that_is_throttled_says_so_and_costs_nothing(verifier: CredentialVerifier, tmp_path: Path) -> None:
    """After ten wrong passwords a device receives the time to wait, for any name, without a hash or write."""
    for number in range(10):
        tried(verifier, f"nobody {number}", OTHER)
    hasher, before = CountingHasher(), (tmp_path / "register.json").stat().st_ino
    verdicts = [
        tried(CredentialVerifier(verifier.credential_store, hasher), name, SECRET) for name in ("anna", "nobody")
    ]

    assert [each.refusal for each in verdicts if isinstance(each, SignInDenied)] == [
        Refusal(
            Code.TOO_FAST,
            None,
            "Too many wrong passwords were given on this device: sign-in is refused here for 60 s.",
            {"seconds": 60},
        )
    ] * 2
    assert (hasher.evaluations, (tmp_path / "register.json").stat().st_ino) == (0, before)
    assert isinstance(tried(verifier, "anna", SECRET, DESK), SignInAccepted)


@pytest.mark.parametrize("case", ["locked, wrong", "locked, right"])
def test_throttled_attempt_costs_one_hash_also_where_the_cost_has_changed(
    verifier: CredentialVerifier, case: str
) -> None:
    """While somebody is throttled the time does not tell whether the password was right."""
    hasher = CountingHasher(CHEAP._replace(passes=2))
    failing(CredentialVerifier(verifier.credential_store, hasher), case)

    assert hasher.evaluations == 1


def lock(register: CredentialStore) -> None:
    for _ in range(3):
        register.count_failure(AT_PIT)


def replace_account(register: CredentialStore) -> None:
    register.enter({ANNA: StaffCredential(Argon2Hasher(CHEAP).hash_secret(OTHER), PasswordOrigin.CHOSEN)})


def release(register: CredentialStore) -> None:
    register.release_person(ANNA)


@pytest.mark.parametrize("done", [lock, replace_account, release])
def test_secret_that_was_right_a_moment_ago_admits_nobody(
    verifier: CredentialVerifier, done: Callable[[CredentialStore], None]
) -> None:
    """While a secret is compared the account may be locked, changed or taken away: then nobody is admitted."""
    register = verifier.credential_store
    slow = CredentialVerifier(register, Meanwhile(lambda: done(register)))

    verdict = tried(slow, "anna", SECRET)

    assert isinstance(verdict, SignInDenied)
    assert verdict.refusal is NOT_ADMITTED


@pytest.mark.property
@given(st.text(), st.text())
@settings(max_examples=FEWER)
def test_any_name_and_secret_may_be_tried(tmp_path_factory: pytest.TempPathFactory, name: str, secret: str) -> None:
    """Whatever is typed for a name and a secret is denied like any other, and nothing fails."""
    verifier = CredentialVerifier(CredentialStore(tmp_path_factory.getbasetemp() / "tried.json"), Argon2Hasher(CHEAP))
    if verifier.credential_store.account(ANNA) is None:
        with_secret(verifier)

    for verdict in (tried(verifier, name, secret, NEW()), tried(verifier, "anna", secret, NEW())):
        assert isinstance(verdict, SignInDenied)
        assert verdict.refusal is NOT_ADMITTED


# Codes and choices


def test_code_is_good_for_choosing_a_secret_alone(verifier: CredentialVerifier) -> None:
    """Whoever signs in with a code must choose a secret, and the code is worthless after that."""
    issued = verifier.issue_code(BORIS)
    assert isinstance(issued, IssuedCode)
    proven = tried(verifier, "boris", issued.code.lower().replace("-", " "))
    assert proven == PasswordChangeRequired(BORIS, account_of(verifier, BORIS).hash)
    assert isinstance(proven, PasswordChangeRequired)

    assert verifier.choose(proven, SECRET) == SignInAccepted(BORIS, account_of(verifier, BORIS).hash)
    assert isinstance(tried(verifier, "boris", issued.code), SignInDenied)
    assert isinstance(tried(verifier, "boris", SECRET), SignInAccepted)


def test_code_takes_the_place_of_a_forgotten_secret(verifier: CredentialVerifier) -> None:
    """A new code unlocks the account, and what was known before opens nothing any more."""
    lock(verifier.credential_store)
    issued = verifier.issue_code(ANNA)

    assert isinstance(issued, IssuedCode)
    assert not issued.new
    assert isinstance(tried(verifier, "anna", SECRET), SignInDenied)
    assert isinstance(tried(verifier, "anna", issued.code), PasswordChangeRequired)


def test_code_is_used_once(verifier: CredentialVerifier) -> None:
    """Of two who come in with one code, one chooses a secret and the other is refused."""
    issued = verifier.issue_code(BORIS)
    assert isinstance(issued, IssuedCode)
    first, second = tried(verifier, "boris", issued.code), tried(verifier, "boris", issued.code)
    assert isinstance(first, PasswordChangeRequired)
    assert isinstance(second, PasswordChangeRequired)

    assert isinstance(verifier.choose(first, SECRET), SignInAccepted)
    assert verifier.choose(second, OTHER) is NOT_ADMITTED
    assert isinstance(tried(verifier, "boris", SECRET), SignInAccepted)


def test_code_is_not_guessed_more_than_three_times(verifier: CredentialVerifier) -> None:
    """Wrong codes lock like wrong secrets, for whoever has the right one too."""
    issued = verifier.issue_code(BORIS)
    assert isinstance(issued, IssuedCode)
    for _ in range(3):
        tried(verifier, "boris", "0000-0000-0000")

    assert tried(verifier, "boris", issued.code) == SignInDenied(BORIS, DenialCause.LOCKED)


def test_code_for_what_is_no_name_is_refused(verifier: CredentialVerifier) -> None:
    """No account is made under what cannot be a name."""
    refusal = verifier.issue_code(PersonId("a\nb"))

    assert isinstance(refusal, Refusal)
    assert refusal.code is Code.MALFORMED


@pytest.mark.parametrize(
    ("person", "chosen", "says"),
    [
        (BORIS, "short", "A password has 8 to 128 letters, figures or signs."),
        (PersonId("Boris the dealer"), "BORIS THE DEALER", "The password must be another than the name."),
        (BORIS, "the code", "The password must be another than the one before."),
    ],
)
def test_poor_secret_is_refused(verifier: CredentialVerifier, person: PersonId, chosen: str, says: str) -> None:
    """A secret that is too short, the name, or the code itself is refused, and the code is still good."""
    issued = verifier.issue_code(person)
    assert isinstance(issued, IssuedCode)
    proven = tried(verifier, person, issued.code)
    assert isinstance(proven, PasswordChangeRequired)
    refusal = verifier.choose(proven, issued.code.lower() if chosen == "the code" else chosen)

    assert isinstance(refusal, Refusal)
    assert (refusal.code, refusal.message) == (Code.MALFORMED, says)
    assert isinstance(tried(verifier, person, issued.code), PasswordChangeRequired)


def test_secret_may_be_changed(verifier: CredentialVerifier) -> None:
    """Whoever has proven who they are may choose another secret, though not the same one."""
    proven = tried(verifier, "anna", SECRET)
    assert isinstance(proven, SignInAccepted)

    assert isinstance(verifier.choose(proven, SECRET), Refusal)
    changed = verifier.choose(proven, OTHER)
    assert isinstance(changed, SignInAccepted)
    assert changed.by != proven.by
    assert isinstance(tried(verifier, "anna", OTHER), SignInAccepted)


@pytest.mark.parametrize("by_code", [False, True])
def test_hash_is_renewed_when_the_cost_changes(verifier: CredentialVerifier, *, by_code: bool) -> None:
    """At the first sign-in after the cost was raised the secret or code is hashed anew, and goes on being good."""
    issued = verifier.issue_code(ANNA) if by_code else None
    secret = issued.code if isinstance(issued, IssuedCode) else SECRET
    hasher = CountingHasher(CHEAP._replace(passes=2))
    dearer = CredentialVerifier(verifier.credential_store, hasher)
    before = account_of(verifier)
    first = tried(dearer, "anna", secret)
    after = account_of(verifier)

    assert isinstance(first, SignInAccepted | PasswordChangeRequired)
    assert (first.by, hasher.evaluations) == (after.hash, 2)
    assert (before.hash != after.hash, before.origin) == (True, after.origin)
    second = tried(dearer, "anna", secret)
    assert (second, hasher.evaluations) == (first, 3)


# Configurations


def test_configured_secret_is_good_and_marked(verifier: CredentialVerifier) -> None:
    """The secrets of a configuration admit people, who are marked as having one that others can read."""
    assert verifier.configure({BORIS: OTHER}) is None
    assert isinstance(tried(verifier, "boris", OTHER), SignInAccepted)
    assert verifier.credential_store.configured() == (BORIS,)


def test_restart_neither_unlocks_nor_takes_back(verifier: CredentialVerifier) -> None:
    """The same configuration read again unlocks nobody, and leaves alone what a person has chosen."""
    verifier.configure({ANNA: OTHER, BORIS: OTHER})
    for _ in range(3):
        tried(verifier, "boris", SECRET)
    before = verifier.credential_store.load()
    verifier.configure({ANNA: OTHER, BORIS: OTHER})

    assert verifier.credential_store.load() == before
    assert isinstance(tried(verifier, "anna", SECRET), SignInAccepted)
    assert tried(verifier, "boris", OTHER) == SignInDenied(BORIS, DenialCause.LOCKED)


def test_changed_configuration_is_heeded(verifier: CredentialVerifier) -> None:
    """A configuration with another secret than before takes its place."""
    verifier.configure({BORIS: OTHER})
    verifier.configure({BORIS: SECRET})

    assert isinstance(tried(verifier, "boris", OTHER), SignInDenied)
    assert isinstance(tried(verifier, "boris", SECRET), SignInAccepted)


def test_poor_configured_secret_is_refused(verifier: CredentialVerifier) -> None:
    """A configuration with a secret that nobody should have is refused, and enters nobody."""
    refusal = verifier.configure({BORIS: OTHER, PersonId("carla"): "short"})

    assert isinstance(refusal, Refusal)
    assert list(verifier.credential_store.load().accounts) == [ANNA]
