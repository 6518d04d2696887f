"""The credential store: one state for all readers, durable before it is visible, and never guessed."""

import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from croupier.house.ids import SECOND, DeviceId, DeviceKind, Instant, PersonId
from croupier.journal.keystore import KeyStore
from croupier.rules.refusal import Code, Refusal
from croupier.rules.texts import NAME_MAX
from croupier.server.auth.credentials import (
    DEVICE_FAILURES_MAX,
    DEVICE_FORGIVES,
    FAILURES_MAX,
    THROTTLE_FIRST,
    THROTTLE_MAX,
    Attempt,
    Counted,
    CredentialError,
    Credentials,
    CredentialStore,
    DeviceCredential,
    PasswordOrigin,
    StaffCredential,
    Tries,
    decode_credentials,
    digest_of,
    encode_credentials,
    name_objection,
)

ANNA, BORIS = PersonId("anna"), PersonId("boris")
T1, PIT = DeviceId("T1"), DeviceId("pit")
NOW = Instant(1_000 * SECOND)
AT_PIT = Attempt(ANNA, PIT, NOW)
ACCOUNT = StaffCredential("$hash", PasswordOrigin.CHOSEN)
#: Each example is written to the disk.
FEWER = settings().max_examples // 4


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "register.json"


@pytest.fixture
def credential_store(path: Path) -> CredentialStore:
    """A register in which Anna has an account."""
    credential_store = CredentialStore(path)
    credential_store.enter({ANNA: ACCOUNT})
    return credential_store


def key_of(credential_store: CredentialStore, device: DeviceId = T1, kind: DeviceKind = DeviceKind.TERMINAL) -> str:
    keys = credential_store.enrol({device: kind})
    assert isinstance(keys, dict)
    return keys[device]


# Devices


def test_device_is_authenticated_by_its_key_alone(credential_store: CredentialStore) -> None:
    """A device is known with the key that it was given, and with no other device's and no other text."""
    keys = credential_store.enrol({T1: DeviceKind.TERMINAL, PIT: DeviceKind.PIT})
    assert isinstance(keys, dict)

    assert [credential_store.verify_device_key(device, keys[device]) for device in (T1, PIT)] == [True, True]
    for device, key in ((T1, keys[PIT]), (PIT, keys[T1]), (T1, ""), (T1, f"{keys[T1]} "), (T1, "\ud800é")):
        assert not credential_store.verify_device_key(device, key)
    assert not credential_store.verify_device_key(DeviceId("T2"), keys[T1])
    assert credential_store.load().devices[PIT].kind is DeviceKind.PIT


def test_key_is_long_and_kept_nowhere(credential_store: CredentialStore, path: Path) -> None:
    """A key is 32 random bytes, and the file has its digest alone."""
    key = key_of(credential_store)

    assert len(key) == 43
    assert key not in path.read_text("utf-8")
    assert credential_store.load().devices[T1] == DeviceCredential(digest_of(key.encode()), DeviceKind.TERMINAL)


def test_new_key_makes_the_old_one_worthless(credential_store: CredentialStore) -> None:
    """A device that is enrolled again has the new key and not the old one."""
    old, new = key_of(credential_store), key_of(credential_store)

    assert (credential_store.verify_device_key(T1, old), credential_store.verify_device_key(T1, new)) == (False, True)


def test_released_device_is_a_stranger(credential_store: CredentialStore) -> None:
    """A device that was released is not authenticated by its key, and cannot be released again."""
    key = key_of(credential_store)

    assert credential_store.release_device(T1) is None
    assert not credential_store.verify_device_key(T1, key)
    refusal = credential_store.release_device(T1)
    assert isinstance(refusal, Refusal)
    assert (refusal.code, refusal.message) == (Code.UNKNOWN_DEVICE, "T1 is not enrolled here.")


def test_nobody_knows_the_digest_of_nothing(credential_store: CredentialStore) -> None:
    """A text whose digest stands for no digest does not exist, and what was never enrolled is known by no key."""
    assert not credential_store.verify_device_key(T1, "0" * 64)


# People


def test_third_failure_in_a_row_throttles_the_person_on_that_device(credential_store: CredentialStore) -> None:
    """Two wrong passwords are forgiven, the third throttles, and what comes meanwhile changes nothing of that."""
    counted = [credential_store.count_failure(AT_PIT) for _ in range(4)]
    account = credential_store.account(ANNA)

    assert [(each.throttles, each.throttled) for each in counted] == [
        (False, False),
        (False, False),
        (True, False),
        (False, True),
    ]
    assert account is not None
    assert (account.failures, account.tries) == (4, {PIT: Tries(3, NOW + THROTTLE_FIRST)})


def test_throttle_doubles_up_to_the_longest(credential_store: CredentialStore) -> None:
    """Each wrong password after a throttle has ended throttles for twice as long, up to an hour."""
    now, lengths = NOW, list[int]()
    for _ in range(FAILURES_MAX - 1):
        credential_store.count_failure(Attempt(ANNA, PIT, now))
    for _ in range(9):
        assert credential_store.count_failure(Attempt(ANNA, PIT, now)).throttles
        account = credential_store.account(ANNA)
        assert account is not None
        lengths.append((account.tries[PIT].until - now) // SECOND)
        now = Instant(account.tries[PIT].until)

    assert lengths == [60, 120, 240, 480, 960, 1_920, 3_600, 3_600, 3_600]


def test_throttle_of_a_clock_that_was_set_back_is_none() -> None:
    """A throttle that ends later than any may begin now is of another clock, and keeps nobody out."""
    tries = Tries(3, NOW + THROTTLE_MAX)

    assert tries.throttled(NOW)
    assert not tries.throttled(Instant(NOW - 1))
    assert not tries.throttled(Instant(NOW + THROTTLE_MAX))


def test_device_is_throttled_by_wrong_passwords_under_any_names(credential_store: CredentialStore) -> None:
    """The tenth wrong password on a device throttles it for everybody, known name or not; a minute forgives one."""
    names = (ANNA, BORIS) * (DEVICE_FAILURES_MAX // 2)
    counted = [credential_store.count_failure(Attempt(name, PIT, NOW)) for name in names]

    assert [each.throttles_device for each in counted] == [False] * (DEVICE_FAILURES_MAX - 1) + [True]
    assert (credential_store.wait(PIT, NOW), credential_store.wait(T1, NOW)) == (60, 0)
    assert credential_store.wait(PIT, Instant(NOW + DEVICE_FORGIVES - 1)) == 1
    assert credential_store.wait(PIT, Instant(NOW + DEVICE_FORGIVES)) == 0
    again = credential_store.count_failure(Attempt(BORIS, PIT, Instant(NOW + DEVICE_FORGIVES)))
    assert again == Counted(known=False, throttles_device=True)
    assert not credential_store.count_failure(Attempt(BORIS, PIT, Instant(NOW + DEVICE_FORGIVES))).throttles_device


def test_right_password_of_somebody_does_not_forgive_a_device(credential_store: CredentialStore) -> None:
    """Whoever knows one password cannot use it to try out others without end."""
    for _ in range(DEVICE_FAILURES_MAX):
        credential_store.count_failure(Attempt(BORIS, PIT, NOW))

    assert credential_store.admit(AT_PIT, seen=ACCOUNT.hash, becomes=ACCOUNT)
    assert credential_store.wait(PIT, NOW) > 0


def test_released_device_leaves_no_tries(credential_store: CredentialStore) -> None:
    """What was tried on a device is forgotten with the device."""
    credential_store.enrol({PIT: DeviceKind.PIT})
    credential_store.enter({BORIS: ACCOUNT})
    credential_store.count_failure(AT_PIT)
    credential_store.count_failure(Attempt(ANNA, T1, NOW))
    credential_store.release_device(PIT)
    account = credential_store.account(ANNA)

    assert account is not None
    assert list(account.tries) == list(credential_store.load().tries) == [T1]


def test_right_secret_clears_failures(credential_store: CredentialStore) -> None:
    """Whoever is let in begins again with no failures."""
    credential_store.count_failure(AT_PIT)
    credential_store.count_failure(AT_PIT)

    assert credential_store.admit(AT_PIT, seen=ACCOUNT.hash, becomes=ACCOUNT)
    assert credential_store.account(ANNA) == ACCOUNT


def test_right_password_on_one_device_leaves_the_tries_on_others(credential_store: CredentialStore) -> None:
    """What was tried on another device still counts there after a right password on this one."""
    for _ in range(FAILURES_MAX):
        credential_store.count_failure(Attempt(ANNA, T1, NOW))

    assert credential_store.admit(AT_PIT, seen=ACCOUNT.hash, becomes=ACCOUNT)
    assert not credential_store.admit(Attempt(ANNA, T1, NOW), seen=ACCOUNT.hash, becomes=ACCOUNT)
    assert credential_store.change(ANNA, seen=ACCOUNT.hash, becomes=StaffCredential("$new", PasswordOrigin.CHOSEN))
    assert not credential_store.change(ANNA, seen=ACCOUNT.hash, becomes=ACCOUNT)
    account = credential_store.account(ANNA)
    assert account is not None
    assert (account.hash, list(account.tries)) == ("$new", [T1])


def test_nobody_is_admitted_by_what_is_past(credential_store: CredentialStore) -> None:
    """A comparison with a hash that is not the account's any more, or with a locked one, lets nobody in."""
    assert not credential_store.admit(AT_PIT, seen="$other", becomes=ACCOUNT)
    assert not credential_store.admit(Attempt(BORIS, PIT, NOW), seen=ACCOUNT.hash, becomes=ACCOUNT)
    for _ in range(3):
        credential_store.count_failure(AT_PIT)
    assert not credential_store.admit(AT_PIT, seen=ACCOUNT.hash, becomes=ACCOUNT)
    throttle = {PIT: Tries(3, NOW + THROTTLE_FIRST)}
    assert credential_store.load().accounts == {ANNA: StaffCredential("$hash", PasswordOrigin.CHOSEN, 3, throttle)}
    assert credential_store.admit(Attempt(ANNA, PIT, Instant(NOW + THROTTLE_FIRST)), seen=ACCOUNT.hash, becomes=ACCOUNT)


def test_lock_outlasts_a_restart(credential_store: CredentialStore, path: Path) -> None:
    """A locked account is locked for whoever opens the file next, until somebody unlocks it."""
    for _ in range(3):
        credential_store.count_failure(AT_PIT)
    again = CredentialStore(path)
    account = again.account(ANNA)

    assert account is not None
    assert account.locked
    assert again.unlock(ANNA) is None
    assert credential_store.account(ANNA) == ACCOUNT
    assert credential_store.load().tries == {}


def test_unlocking_what_is_not_locked_is_refused(credential_store: CredentialStore) -> None:
    """An account that is not locked, and a person without one, are told apart from what can be unlocked."""
    open_already, unknown = credential_store.unlock(ANNA), credential_store.unlock(BORIS)

    assert open_already is not None
    assert unknown is not None
    assert (open_already.code, open_already.message) == (Code.ALREADY_THERE, "The account of anna is not locked.")
    assert (unknown.code, unknown.message) == (Code.UNKNOWN_PERSON, "boris has no account here.")


def test_released_person_has_no_account(credential_store: CredentialStore) -> None:
    """A person who was released has no account, and is not there to be released again."""
    assert credential_store.release_person(ANNA) is None
    assert credential_store.account(ANNA) is None
    refusal = credential_store.release_person(ANNA)
    assert refusal is not None
    assert refusal.code is Code.UNKNOWN_PERSON


def test_name_that_nobody_has_is_written_down_too(credential_store: CredentialStore, path: Path) -> None:
    """A failure under an unknown name is a change on the disk like any other, and enters nobody."""
    before = path.read_bytes()

    assert credential_store.count_failure(Attempt(BORIS, PIT, NOW)) == Counted(known=False)
    assert path.read_bytes() != before
    assert (credential_store.load().turned_away, list(credential_store.load().accounts)) == (1, [ANNA])


def test_configured_people_are_named(credential_store: CredentialStore) -> None:
    """The people whose secret stands in a configuration can be told from the others."""
    credential_store.enter({BORIS: StaffCredential("$hash", PasswordOrigin.CONFIGURED)})

    assert credential_store.configured() == (BORIS,)


# Names


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("a", None),
        ("Jürgen O'Neill-Ng 2", None),
        ("x" * NAME_MAX, None),
        ("x" * (NAME_MAX + 1), Code.MALFORMED),
        ("", Code.MALFORMED),
        (" ", Code.MALFORMED),
        (" a", Code.MALFORMED),
        ("a ", Code.MALFORMED),
        ("a\nb", Code.MALFORMED),
        ("a\x1b[31m", Code.MALFORMED),
        ("a\u202eb", Code.MALFORMED),
        ("\ud800", Code.MALFORMED),
        ("e\u0301", Code.MALFORMED),
        ("system", Code.ALREADY_THERE),
    ],
)
def test_names(credential_store: CredentialStore, name: str, code: Code | None) -> None:
    """A name can be printed and typed again, and is not the house's own; nothing else is entered or enrolled."""
    objection = name_objection(name)
    enrolled = credential_store.enrol({DeviceId(name): DeviceKind.TERMINAL})

    assert (objection.code if objection else None) is code
    assert credential_store.enter({PersonId(name): ACCOUNT}) == objection
    assert isinstance(enrolled, Refusal) == (code is not None)
    assert (name in credential_store.load().accounts) == (code is None)


def test_what_cannot_be_a_name_is_not_said_again(credential_store: CredentialStore) -> None:
    """Where a name cannot be printed the refusal says what a name is, and does not repeat it."""
    refusal = credential_store.unlock(PersonId("\x1b[2J"))

    assert refusal is not None
    assert refusal.code is Code.MALFORMED
    assert "\x1b" not in refusal.message


@pytest.mark.property
@given(st.text())
@settings(max_examples=FEWER)
def test_any_text_may_be_queried(tmp_path_factory: pytest.TempPathFactory, name: str) -> None:
    """For any text as a person, a device or a key the store finds nothing, and nothing fails."""
    credential_store = CredentialStore(tmp_path_factory.getbasetemp() / "asked.json")

    assert credential_store.account(PersonId(name)) is None
    assert not credential_store.verify_device_key(DeviceId(name), name)
    assert not credential_store.count_failure(Attempt(PersonId(name), PIT, NOW)).known


# The file


def test_register_is_its_owner_s_alone(credential_store: CredentialStore, path: Path) -> None:
    """The register and its lock are for nobody else to read."""
    key_of(credential_store)

    assert {each.name: each.stat().st_mode & 0o777 for each in path.parent.iterdir()} == {
        "register.json": 0o600,
        "register.lock": 0o600,
    }


def test_register_is_in_the_safe(tmp_path: Path) -> None:
    """The register of a house is in its safe."""
    safe = KeyStore(tmp_path / "safe")
    safe.provision()
    CredentialStore.within(safe).enter({ANNA: ACCOUNT})

    assert (safe.path / "register.json").exists()


def test_asking_makes_no_file(path: Path) -> None:
    """A register that is not there is empty, and is not made by asking or by what changes nothing."""
    credential_store = CredentialStore(path)

    assert credential_store.load() == Credentials()
    assert credential_store.unlock(ANNA) is not None
    assert not path.exists()


def test_every_damaged_byte_is_found(credential_store: CredentialStore, path: Path) -> None:
    """A register with any one byte changed, or cut off anywhere, is a fault and stays as it is."""
    key_of(credential_store)
    content = path.read_bytes()
    flipped = [content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :] for at in range(len(content))]

    for damaged in (*flipped, *(content[:at] for at in range(len(content)))):
        with pytest.raises(CredentialError, match="the credential store is damaged"):
            decode_credentials(damaged)


@pytest.mark.parametrize("content", [b"", b"{}", b"garbage", b"\xff", b'{"digest":"","held":{}}', b"[]"])
def test_damaged_register_is_never_replaced(credential_store: CredentialStore, path: Path, content: bytes) -> None:
    """Every use of a damaged credential store is a fault with a plain message, and the file is left as it is."""
    path.write_bytes(content)

    for ask in (
        lambda: credential_store.verify_device_key(T1, "key"),
        lambda: credential_store.count_failure(AT_PIT),
        lambda: credential_store.enter({ANNA: ACCOUNT}),
        lambda: credential_store.enrol({T1: DeviceKind.TERMINAL}),
        lambda: credential_store.unlock(ANNA),
    ):
        with pytest.raises(CredentialError, match="the credential store is damaged"):
            ask()
    assert path.read_bytes() == content


@pytest.mark.parametrize(
    "held",
    [
        {"accounts": {"anna": {"hash": "$hash", "origin": "chosen", "failures": -1}}, "devices": {}},
        {"accounts": {"anna": {"hash": "$hash", "origin": "given"}}, "devices": {}},
        {"accounts": {}, "devices": {"T1": {"digest": "", "kind": "toaster"}}},
        {"accounts": {}, "devices": {}, "rights": {}},
    ],
)
def test_register_of_another_shape_is_a_fault(held: object) -> None:
    """A register that is whole, and holds what this software does not know, is not guessed at."""
    content = msgspec.json.encode(held)
    sheet = msgspec.json.encode({"digest": digest_of(content), "held": held})

    with pytest.raises(CredentialError, match="cannot be read"):
        decode_credentials(sheet)


@pytest.mark.parametrize("ask", ["held", "enter"])
def test_register_that_cannot_be_opened_is_a_fault(path: Path, ask: str) -> None:
    """Where the file cannot be read or its lock not be made, that is a fault with the reason and the place."""
    path.mkdir()
    credential_store = CredentialStore(path)

    with pytest.raises(CredentialError, match=r"cannot be read or written: Is a directory: .*register\.json"):
        credential_store.load() if ask == "held" else credential_store.enter({ANNA: ACCOUNT})
    with pytest.raises(CredentialError, match="No such file or directory"):
        CredentialStore(path.parent / "none" / "register.json").enter({ANNA: ACCOUNT})


accounts = st.builds(
    StaffCredential, st.text(st.characters(codec="utf-8")), st.sampled_from(PasswordOrigin), st.integers(0, 2**63 - 1)
)
devices = st.builds(DeviceCredential, st.text(st.characters(codec="utf-8")), st.sampled_from(DeviceKind))
names = st.text(st.characters(codec="utf-8"))


@pytest.mark.property
@given(st.dictionaries(names, accounts), st.dictionaries(names, devices), st.integers(0, 2**63 - 1))
def test_what_is_written_down_is_read_back(
    people: dict[PersonId, StaffCredential], machines: dict[DeviceId, DeviceCredential], turned_away: int
) -> None:
    """Whatever a register holds is read as it was written."""
    held = Credentials(people, machines, turned_away)

    assert decode_credentials(encode_credentials(held)) == held


COUNTING = """
import sys
from pathlib import Path
from croupier.server.auth.credentials import Attempt, CredentialStore

register = CredentialStore(Path(sys.argv[1]))
print("ready", flush=True)
sys.stdin.readline()
for _ in range(50):
    register.count_failure(Attempt(sys.argv[2], "pit-1", 1))
"""


def test_processes_lose_none_of_each_other_s_failures(credential_store: CredentialStore, path: Path) -> None:
    """Two processes that count one person's failures at once lose none."""
    started = [
        subprocess.Popen(
            [sys.executable, "-c", COUNTING, str(path), ANNA],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    for process in started:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    # All of them are there before any of them begins.
    for process in started:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in started:
        process.communicate(timeout=60)

    assert [process.returncode for process in started] == [0, 0]
    account = credential_store.account(ANNA)
    assert account is not None
    assert account.failures == 100
