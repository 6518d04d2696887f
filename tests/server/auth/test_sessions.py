"""Sign-ins: tokens that are good on one device, for a while, and not a moment longer than the account behind them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from croupier.house.ids import SECOND, DeviceId, DeviceKind, Instant, PersonId
from croupier.rules.refusal import Code, Refusal
from croupier.server.auth.credentials import Credentials, DeviceCredential, PasswordOrigin, StaffCredential
from croupier.server.auth.sessions import (
    IDLE_S,
    NOT_ADMITTED,
    SIGNED_OUT,
    STEP_UP_NEEDED,
    STEP_UP_S,
    Sessions,
    SessionToken,
    SignInAccepted,
)

ANNA, BORIS = PersonId("anna"), PersonId("boris")
PIT, CAGE = DeviceId("pit"), DeviceId("cage")
NOW = Instant(1_000 * SECOND)


def after(seconds: int, moment: Instant = NOW) -> Instant:
    return Instant(moment + seconds * SECOND)


def just_before(moment: Instant) -> Instant:
    return Instant(moment - 1)


def admitted(person: PersonId) -> SignInAccepted:
    return SignInAccepted(person, f"$hash of {person}")


@pytest.fixture
def sign_ins() -> Sessions:
    return Sessions()


def badge_of(sign_ins: Sessions, person: PersonId = ANNA, device: DeviceId = PIT, now: Instant = NOW) -> SessionToken:
    token = sign_ins.open(admitted(person), device, now)
    assert isinstance(token, str)
    return SessionToken(token, device)


def test_token_identifies_the_person(sign_ins: Sessions) -> None:
    """A token is 32 random bytes, another one each time, and tells who was given it."""
    anna, boris = badge_of(sign_ins), badge_of(sign_ins, BORIS, CAGE)

    assert (len(anna.token), len(boris.token)) == (43, 43)
    assert anna.token != boris.token
    assert (sign_ins.who(anna, NOW), sign_ins.who(boris, NOW)) == (ANNA, BORIS)


def test_token_is_useless_on_another_device(sign_ins: Sessions) -> None:
    """A token that is shown on another device is nobody's there, steps nothing up and signs nobody out."""
    token = badge_of(sign_ins)
    stolen = SessionToken(token.token, CAGE)

    assert sign_ins.who(stolen, NOW) is SIGNED_OUT
    assert sign_ins.step_up(stolen, admitted(ANNA), NOW) is SIGNED_OUT
    assert sign_ins.who_stepped_up(stolen, NOW) is SIGNED_OUT
    sign_ins.sign_out(stolen)
    assert sign_ins.who(token, NOW) == ANNA


def test_tokens_are_not_in_memory(sign_ins: Sessions) -> None:
    """Whoever reads what the server remembers finds no token, and whoever reads its log no hash."""
    token = badge_of(sign_ins)

    assert token.token not in repr(vars(sign_ins))
    assert "$hash" not in repr(sign_ins.revoke(ANNA))


def test_new_sign_in_ends_the_one_before_it(sign_ins: Sessions) -> None:
    """A device has one sign-in: the next person's token is good, and the last one's is not."""
    anna = badge_of(sign_ins)
    boris = badge_of(sign_ins, BORIS)

    assert sign_ins.who(anna, NOW) is SIGNED_OUT
    assert sign_ins.who(boris, NOW) == BORIS


def test_person_may_be_at_two_devices(sign_ins: Sessions) -> None:
    """One person may be signed in at two devices: that two signatures are two people's is for the house to see."""
    tokens = badge_of(sign_ins), badge_of(sign_ins, device=CAGE)

    assert [sign_ins.who(token, NOW) for token in tokens] == [ANNA, ANNA]


def test_idle_person_is_signed_out(sign_ins: Sessions) -> None:
    """Thirty minutes after the last thing that was asked, and not before, nobody is signed in."""
    token = badge_of(sign_ins)
    last = just_before(after(IDLE_S))

    assert IDLE_S == 1_800
    assert sign_ins.who(token, last) == ANNA
    assert sign_ins.who(token, just_before(after(IDLE_S, last))) == ANNA
    assert sign_ins.who(token, after(2 * IDLE_S, last)) is SIGNED_OUT


def test_idle_person_does_not_come_back(sign_ins: Sessions) -> None:
    """Asking too late does not make up for not having asked."""
    token = badge_of(sign_ins)

    assert [sign_ins.who(token, after(IDLE_S + late)) for late in (0, 1)] == [SIGNED_OUT, SIGNED_OUT]


def test_secret_given_again_is_good_for_two_minutes(sign_ins: Sessions) -> None:
    """What takes a secret given again is refused before, allowed for two minutes, and refused after."""
    token = badge_of(sign_ins)
    stepped = after(60)

    assert STEP_UP_S == 120
    assert sign_ins.who_stepped_up(token, NOW) is STEP_UP_NEEDED
    assert sign_ins.step_up(token, admitted(ANNA), stepped) is None
    assert sign_ins.who_stepped_up(token, just_before(after(STEP_UP_S, stepped))) == ANNA
    assert sign_ins.who_stepped_up(token, after(STEP_UP_S, stepped)) is STEP_UP_NEEDED
    assert STEP_UP_NEEDED.code is Code.STEP_UP_NEEDED


def test_nobody_steps_up_for_another(sign_ins: Sessions) -> None:
    """Another person's secret does not count at the device where somebody is signed in."""
    token = badge_of(sign_ins)

    assert sign_ins.step_up(token, admitted(BORIS), NOW) is NOT_ADMITTED
    assert sign_ins.who_stepped_up(token, NOW) is STEP_UP_NEEDED


def test_step_up_is_gone_with_its_sign_in(sign_ins: Sessions) -> None:
    """Whoever signs in again must give the secret again for what takes it."""
    sign_ins.step_up(badge_of(sign_ins), admitted(ANNA), NOW)

    assert sign_ins.who_stepped_up(badge_of(sign_ins), NOW) is STEP_UP_NEEDED


def test_signing_out_ends_it(sign_ins: Sessions) -> None:
    """A token is worthless once its owner has signed out, and signing out twice is no harm."""
    token = badge_of(sign_ins)
    sign_ins.sign_out(token)
    sign_ins.sign_out(token)

    assert sign_ins.who(token, NOW) is SIGNED_OUT
    assert SIGNED_OUT.code is Code.SIGNED_OUT


def test_leaver_is_out_at_once(sign_ins: Sessions) -> None:
    """Revoking a person ends every sign-in of theirs, and says at which devices, and leaves everybody else's."""
    tokens = badge_of(sign_ins), badge_of(sign_ins, device=CAGE)
    boris = badge_of(sign_ins, BORIS, DeviceId("desk"))

    assert {ended.device for ended in sign_ins.revoke(ANNA)} == {PIT, CAGE}
    assert [sign_ins.who(token, NOW) for token in tokens] == [SIGNED_OUT, SIGNED_OUT]
    assert sign_ins.who(boris, NOW) == BORIS
    assert sign_ins.revoke(ANNA) == ()


def test_released_device_has_nobody(sign_ins: Sessions) -> None:
    """Revoking a device ends the sign-in there, and no other of that person."""
    pit, cage = badge_of(sign_ins), badge_of(sign_ins, device=CAGE)

    assert [ended.device for ended in sign_ins.revoke_device(PIT)] == [PIT]
    assert (sign_ins.who(pit, NOW), sign_ins.who(cage, NOW)) == (SIGNED_OUT, ANNA)


def open_sessions(
    *, origin: PasswordOrigin = PasswordOrigin.CHOSEN, hash_: str = "$hash of anna", failures: int = 0
) -> Credentials:
    return Credentials({ANNA: StaffCredential(hash_, origin, failures)}, {PIT: DeviceCredential("", DeviceKind.PIT)})


@pytest.mark.parametrize(
    ("register", "now", "ends"),
    [
        (open_sessions(), NOW, False),
        (open_sessions(failures=3), NOW, False),
        (open_sessions(), just_before(after(IDLE_S)), False),
        (open_sessions(), after(IDLE_S), True),
        (open_sessions(hash_="$another"), NOW, True),
        (Credentials({}, open_sessions().devices), NOW, True),
        (Credentials(open_sessions().accounts, {}), NOW, True),
    ],
    ids=["as it was", "locked since", "nearly idle", "idle", "new secret", "person released", "device released"],
)
def test_sweep_ends_what_has_lapsed(sign_ins: Sessions, register: Credentials, now: Instant, *, ends: bool) -> None:
    """A sweep ends what is idle and what the register bears out no more; others' guesses end nobody's sign-in."""
    token = badge_of(sign_ins)
    swept = sign_ins.sweep(now, register)

    assert [each.person for each in swept] == ([ANNA] if ends else [])
    assert sign_ins.who(token, now) == (SIGNED_OUT if ends else ANNA)


def test_sign_ins_have_a_bound() -> None:
    """No more people are signed in than fit, though the next one at the same device always does."""
    sign_ins = Sessions(most=2)
    badge_of(sign_ins)
    cage = badge_of(sign_ins, BORIS, CAGE)
    refusal = sign_ins.open(admitted(ANNA), DeviceId("desk"), NOW)

    assert isinstance(refusal, Refusal)
    assert (refusal.code, refusal.facts) == (Code.BUSY, {"most": 2})
    again = badge_of(sign_ins)
    sign_ins.sign_out(cage)
    assert sign_ins.who(badge_of(sign_ins, device=DeviceId("desk")), NOW) == ANNA
    assert sign_ins.who(again, NOW) == ANNA


@pytest.mark.property
@given(st.text(), st.text())
def test_any_text_may_be_shown_for_a_token(token: str, device: str) -> None:
    """Whatever is shown for a token is nobody's, and nothing fails."""
    sign_ins = Sessions()
    badge_of(sign_ins)
    shown = SessionToken(token, DeviceId(device))
    sign_ins.sign_out(shown)

    assert sign_ins.who(shown, NOW) is SIGNED_OUT
    assert sign_ins.who(SessionToken(token, PIT), NOW) is SIGNED_OUT
