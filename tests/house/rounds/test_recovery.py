"""Recovery: every state in which a round is found after a restart, at every venue and with every kind of wheel."""

from collections.abc import Callable, Iterator
from itertools import product
from typing import NamedTuple

import msgspec
import pytest

from croupier.house import AnyEvent, decide, evolve
from croupier.house.declare import Event
from croupier.house.floor.incidents import IncidentRaised
from croupier.house.floor.malfunctions import MalfunctionRaised
from croupier.house.floor.service import ReportTerminalLost, ReportTerminalReturned
from croupier.house.floor.signatures import Approve
from croupier.house.ids import Context, DeviceId, Number, PersonId, RoundNumber, TableId, TerminalId
from croupier.house.play.betting import BetsReturned
from croupier.house.rounds.closing import FinishBetting
from croupier.house.rounds.corrections import InvalidateOutcome
from croupier.house.rounds.irregularities import (
    CallNoSpin,
    ResetTerminals,
    RoundSuspended,
    RoundVoided,
    SpinVoided,
    WheelTrouble,
)
from croupier.house.rounds.opening import OpenBets
from croupier.house.rounds.recovery import (
    HouseRecovered,
    RaiseSystemMalfunction,
    Recover,
    RecoveredRound,
    RecoveryStatus,
    RoundInterrupted,
)
from croupier.house.rounds.referrals import DecideReferral, ReferralDecision, ReferRound
from croupier.house.rounds.results import BallAtRest, ConfirmResult, ReportIgnored
from croupier.house.rounds.settlement import ResultDeclared, RoundSettled
from croupier.house.settings import TableSettings, WheelKind
from croupier.house.state.tables import MESSAGES_SHOWN, Phase, RoundStatus, SeatMessageKind
from croupier.rules.geometry import Pocket
from croupier.rules.procedure import Reason
from croupier.rules.refusal import Refusal
from croupier.transcripts.driver import device_of
from tests.support.house_driver import TABLE, Play, sound
from tests.support.sample_commands import ADELAIDE, CLEARWATER, MARINA, US

P17, T1 = Pocket("17"), TerminalId("T1")
NONE = ""


def opened(play: Play) -> None:
    play.open()
    assert isinstance(play.bet("T1", "4 on 17"), tuple)


def open_running(play: Play) -> None:
    opened(play)
    play.spin()


def last_call(play: Play) -> None:
    opened(play)
    play.by("dealer", FinishBetting(TABLE))


def closed(play: Play) -> None:
    opened(play)
    play.close()


def running(play: Play) -> None:
    closed(play)
    if play.table.phase is Phase.CLOSED:
        play.spin()


def reported(play: Play) -> None:
    running(play)
    play.rest("17")


def declared(play: Play) -> None:
    """Put the number on record, and stop before its settlement is."""
    running(play)
    by_hand = play.table.settings.wheel is WheelKind.KEYPAD
    dealer = Context(play.now, device_of(play.dealer), PersonId(play.dealer))
    requested = ConfirmResult(TABLE, P17) if by_hand else BallAtRest(TABLE, P17, 9, opposite=True)
    context = dealer if by_hand else Context(play.now, DeviceId(TABLE))
    answer = decide(play.house, requested, context)
    assert isinstance(answer, tuple)
    evolve(play.house, answer[0], context)


def settled(play: Play) -> None:
    declared(play)
    play.recover()


def called_off(play: Play) -> None:
    running(play)
    if isinstance(play.by(play.dealer, CallNoSpin(TABLE, Reason.FOREIGN_OBJECT, "as seen")), Refusal):
        play.must(WheelTrouble(TABLE, Reason.FOREIGN_OBJECT), DeviceId(TABLE))


def referred_open(play: Play) -> None:
    opened(play)
    play.by(play.dealer, ReferRound(TABLE, "a doubt"))


def referred(play: Play) -> None:
    running(play)
    play.by(play.dealer, ReferRound(TABLE, "a doubt"))


def referred_at_rest(play: Play) -> None:
    referred(play)
    play.rest("17")


def interrupted(play: Play) -> None:
    running(play)
    play.recover()


def void(play: Play) -> None:
    opened(play)
    play.must(RaiseSystemMalfunction(TABLE, "screens frozen"))


class Outcome(NamedTuple):
    """What T1 has of its 100 after 4 on 17, on the meter and the layout together, and whether the round is over."""

    worth: int
    over: bool


BACK, PAID, STAYS = Outcome(100, over=True), Outcome(240, over=True), Outcome(100, over=False)
ANY, SENSOR, RANDOM = tuple(WheelKind), (WheelKind.SENSOR,), (WheelKind.RANDOM,)
#: Wheels in which a ball runs, and wheels that report their numbers themselves.
REAL = (WheelKind.SENSOR, WheelKind.KEYPAD)
SEEN = (WheelKind.SENSOR, WheelKind.RANDOM)

Bring = Callable[[Play], None]
#: How the system stops, where, with which wheels and seconds to attest; how it is found, by which clause, and its end.
ROWS: list[tuple[Bring, str, tuple[WheelKind, ...], tuple[int, ...], RecoveryStatus, str, Outcome]] = [
    # Bets are not sealed.
    (opened, MARINA, ANY, (0, 300), RecoveryStatus.OPEN, "5.13.1", BACK),
    (opened, ADELAIDE, ANY, (0, 300), RecoveryStatus.OPEN, "11(b)i", BACK),
    (open_running, ADELAIDE, REAL, (0,), RecoveryStatus.OPEN, "11(b)i", BACK),
    (last_call, ADELAIDE, ANY, (0,), RecoveryStatus.OPEN, "11(b)i", BACK),
    (opened, CLEARWATER, ANY, (0, 300), RecoveryStatus.OPEN, "25", BACK),
    (open_running, CLEARWATER, ANY, (0,), RecoveryStatus.OPEN, "25", BACK),
    (opened, US, ANY, (0, 300), RecoveryStatus.OPEN, "Rotation (3)", STAYS),
    (open_running, US, ANY, (0,), RecoveryStatus.OPEN, "Rotation (3)", STAYS),
    # Bets are sealed, and no number is on record.
    *((at, MARINA, REAL, (0,), RecoveryStatus.SEALED, "5.13.1", BACK) for at in (closed, running)),
    *((at, MARINA, REAL, (300,), RecoveryStatus.SEALED, "5.13.2", STAYS) for at in (closed, running)),
    *((at, MARINA, RANDOM, (0, 300), RecoveryStatus.SEALED, "5.13.1", BACK) for at in (closed, running)),
    *((at, ADELAIDE, REAL, (0, 300), RecoveryStatus.SEALED, "11(b)ii", STAYS) for at in (closed, running)),
    *((at, ADELAIDE, RANDOM, (0, 300), RecoveryStatus.SEALED, "11(b)iii", BACK) for at in (closed, running)),
    (running, CLEARWATER, ANY, (0, 300), RecoveryStatus.SEALED, "25", BACK),
    (running, US, REAL, (0, 300), RecoveryStatus.SEALED, "Rotation (3)", STAYS),
    (running, US, RANDOM, (0, 300), RecoveryStatus.SEALED, "Rotation (3)", BACK),
    # The wheel has said where the ball lies, and the dealer's word is missing.
    (reported, MARINA, SENSOR, (0, 300), RecoveryStatus.REPORTED, "5.13.2", STAYS),
    (reported, ADELAIDE, SENSOR, (0, 300), RecoveryStatus.REPORTED, "11(b)ii", STAYS),
    (reported, CLEARWATER, SENSOR, (0, 300), RecoveryStatus.REPORTED, "25", BACK),
    (reported, US, SENSOR, (0, 300), RecoveryStatus.REPORTED, "Rotation (3)", STAYS),
    # A result is on record, and not settled.
    (declared, MARINA, ANY, (0, 300), RecoveryStatus.RESULT, "5.13.2", PAID),
    (declared, ADELAIDE, ANY, (0, 300), RecoveryStatus.RESULT, "11(b)ii", PAID),
    (declared, CLEARWATER, ANY, (0, 300), RecoveryStatus.RESULT, "17.a", PAID),
    (declared, US, ANY, (0, 300), RecoveryStatus.RESULT, "Rotation (3)", PAID),
    # The round is settled, and perhaps not shown.
    (settled, MARINA, ANY, (0,), RecoveryStatus.SETTLED, "1.1.4", PAID),
    (settled, ADELAIDE, ANY, (0,), RecoveryStatus.SETTLED, "11(a)iii", PAID),
    (settled, CLEARWATER, ANY, (0,), RecoveryStatus.SETTLED, "17.a", PAID),
    (settled, US, ANY, (0,), RecoveryStatus.SETTLED, "Rotation (4)", PAID),
    # The spin was called off.
    (called_off, MARINA, ANY, (0, 300), RecoveryStatus.NO_SPIN, "5.15", BACK),
    (called_off, ADELAIDE, ANY, (0, 300), RecoveryStatus.NO_SPIN, "10(f)", STAYS),
    (called_off, CLEARWATER, ANY, (0, 300), RecoveryStatus.VOID, "25", BACK),
    (called_off, US, ANY, (0, 300), RecoveryStatus.OPEN, "Rotation (3)", STAYS),
    # Somebody was to decide it.
    (referred_open, MARINA, ANY, (0, 300), RecoveryStatus.SUSPENDED, "5.13.1", BACK),
    (referred_open, ADELAIDE, ANY, (0, 300), RecoveryStatus.SUSPENDED, "11(b)i", BACK),
    (referred_open, CLEARWATER, ANY, (0, 300), RecoveryStatus.SUSPENDED, "25", BACK),
    (referred_open, US, ANY, (0, 300), RecoveryStatus.SUSPENDED, "Rotation (3)", STAYS),
    (referred, MARINA, REAL, (0,), RecoveryStatus.SUSPENDED, "5.13.1", BACK),
    (referred, MARINA, REAL, (300,), RecoveryStatus.SUSPENDED, "5.13.2", STAYS),
    (referred, ADELAIDE, REAL, (0, 300), RecoveryStatus.SUSPENDED, "11(b)ii", STAYS),
    (referred, CLEARWATER, REAL, (0, 300), RecoveryStatus.SUSPENDED, "25", BACK),
    (referred, US, REAL, (0, 300), RecoveryStatus.SUSPENDED, "Rotation (3)", STAYS),
    (referred, MARINA, RANDOM, (0, 300), RecoveryStatus.SUSPENDED, "5.13.1", BACK),
    (referred, ADELAIDE, RANDOM, (0, 300), RecoveryStatus.SUSPENDED, "11(b)iii", BACK),
    (referred, CLEARWATER, RANDOM, (0, 300), RecoveryStatus.SUSPENDED, "25", BACK),
    (referred, US, RANDOM, (0, 300), RecoveryStatus.SUSPENDED, "Rotation (3)", BACK),
    # A number that is on record, also one that a random wheel drew, stays with whoever decides the referral.
    (referred_at_rest, MARINA, SEEN, (0, 300), RecoveryStatus.SUSPENDED, "6.1", STAYS),
    (referred_at_rest, ADELAIDE, SEEN, (0, 300), RecoveryStatus.SUSPENDED, "12(i)", STAYS),
    (referred_at_rest, CLEARWATER, SEEN, (0, 300), RecoveryStatus.SUSPENDED, "25", BACK),
    (referred_at_rest, US, SEEN, (0, 300), RecoveryStatus.SUSPENDED, "Rotation (3)", STAYS),
    # The system stopped before, and has recovered already.
    (interrupted, MARINA, REAL, (300,), RecoveryStatus.INTERRUPTED, "5.13.2", STAYS),
    (interrupted, ADELAIDE, REAL, (0,), RecoveryStatus.INTERRUPTED, "11(b)ii", STAYS),
    (void, MARINA, ANY, (0,), RecoveryStatus.VOID, "5.13.1", BACK),
    (void, ADELAIDE, ANY, (0,), RecoveryStatus.VOID, "11(b)i", BACK),
    (void, CLEARWATER, ANY, (0,), RecoveryStatus.VOID, "25", BACK),
]


ATTESTED = (RoundInterrupted, IncidentRaised)
#: What recovery does to a round that goes on, where it does anything; all else that runs is void, or settled.
GOES_ON: dict[tuple[Bring, str], tuple[type[Event], ...]] = {
    (open_running, US): (SpinVoided,),
    (running, US): (SpinVoided,),
    **dict.fromkeys(((at, MARINA) for at in (closed, running)), (*ATTESTED, RoundSuspended)),
    **dict.fromkeys(((at, ADELAIDE) for at in (closed, running)), ATTESTED),
    **dict.fromkeys(((referred, venue) for venue in (MARINA, ADELAIDE, US)), ATTESTED),
}


def due(bring: Bring, venue: str, outcome: Outcome, *, over: bool) -> tuple[type[Event], ...]:
    """Name the events by which a round must come to its outcome; none where it was over before."""
    if over:
        return ()
    ends: dict[Outcome, tuple[type[Event], ...]] = {BACK: (RoundVoided,), PAID: (RoundSettled,)}
    return ends.get(outcome) or GOES_ON.get((bring, venue), ())


def cases(*outcomes: Outcome) -> Iterator[object]:
    """Spread the rows out, each with the clause it shows to be kept; those with some outcomes, or all."""
    for bring, venue, wheels, waits, state, clause, outcome in ROWS:
        if outcomes and outcome not in outcomes:
            continue
        for wheel, attest_s, confirms in product(wheels, waits, _confirms(bring)):
            settings = TableSettings(wheel=wheel, attest_s=attest_s, confirms=confirms)
            name = f"{venue}-{bring.__name__}-{wheel.value}-{attest_s}-{confirms}"
            mark = pytest.mark.clause(venue, clause)
            yield pytest.param(bring, venue, settings, (state, clause), outcome, id=name, marks=mark)


def _confirms(bring: Bring) -> tuple[bool, ...]:
    """Tell whether the dealer confirms at tables that can be brought there: where a word is missing, or either way."""
    if bring is reported:
        return (True,)
    return (False,) if bring in (declared, settled) else (False, True)


def found_by(play: Play) -> tuple[RecoveredRound, ...]:
    return recovery(play)[0].found


def recovery(play: Play) -> tuple[HouseRecovered, tuple[Event, ...]]:
    """Recover, and give what was found and what was done about it."""
    recovered, *done = play.must(Recover())
    assert isinstance(recovered, HouseRecovered)
    return recovered, tuple(done)


def stood(play: Play) -> Outcome:
    round_ = play.table.round
    assert round_ is not None
    return Outcome(round(play.credit("T1") + sum(play.layout("T1").values())), round_.over)


@pytest.mark.untraced
@pytest.mark.parametrize(("bring", "venue", "settings", "found", "outcome"), list(cases()))
def test_round_is_found_and_decided_by_the_venues_rules(
    bring: Bring, venue: str, settings: TableSettings, found: tuple[RecoveryStatus, str], outcome: Outcome
) -> None:
    """The first entry after the restart names the state and the clause; state, money and events are as that says."""
    play = Play(venue, settings)
    play.seats(T1=100)
    bring(play)
    phase, over = play.table.phase, play.table.playing.over
    recovered, done = recovery(play)
    (seen,) = recovered.found
    assert tuple(map(type, done)) == due(bring, venue, outcome, over=over)
    assert (seen.table, seen.round, seen.phase) == (TABLE, 1, phase)
    assert (seen.state, seen.clause) == found
    assert stood(play) == outcome
    play.recover_again()
    assert stood(play) == outcome
    sound(play.house)


@pytest.mark.untraced
@pytest.mark.parametrize(("bring", "venue", "settings", "_found", "outcome"), list(cases(BACK)))
def test_no_word_of_staff_takes_a_round_from_the_rules(
    bring: Bring, venue: str, settings: TableSettings, _found: object, outcome: Outcome
) -> None:
    """What a restart voids it voids too where somebody had called the referred round a malfunction before."""
    play = Play(venue, settings)
    play.seats(T1=100)
    bring(play)
    play.by(play.dealer, RaiseSystemMalfunction(TABLE, "so they say"))
    play.must(Recover())

    assert stood(play) == outcome
    play.recover_again()
    sound(play.house)


@pytest.mark.parametrize("wheel", SEEN)
@pytest.mark.parametrize("verdict", [ReferralDecision.SETTLE, ReferralDecision.GO_ON, ReferralDecision.VOID])
@pytest.mark.parametrize("venue", [MARINA, ADELAIDE, US])
def test_referral_with_a_number_on_record_is_decided_after_the_restart(
    venue: str, verdict: ReferralDecision, wheel: WheelKind
) -> None:
    """A restart takes nothing from a referral whose number was reported: it is decided as before, on that number."""
    play = Play(venue, TableSettings(wheel=wheel))
    play.seats(T1=100)
    referred_at_rest(play)
    assert recovery(play)[1] == ()
    answer = play.by(play.rulebook.staff.order[-1].lower(), DecideReferral(TABLE, verdict, "looked into"))
    assert isinstance(answer, tuple)

    waits = verdict is ReferralDecision.GO_ON and wheel is WheelKind.SENSOR
    named = [each.pocket for each in answer if isinstance(each, ResultDeclared)]
    assert named == ([] if waits or verdict is ReferralDecision.VOID else [P17])
    assert stood(play) == (BACK if verdict is ReferralDecision.VOID else STAYS if waits else PAID)
    sound(play.house)


@pytest.mark.clause("marina-bay-sands-2020", "5.13.2")
@pytest.mark.parametrize("wheel", REAL)
def test_sealed_round_waits_for_staff_by_default(wheel: WheelKind) -> None:
    """Without a setting of its own a table waits five minutes for two people to attest, and not a moment longer."""
    play = Play(MARINA, TableSettings(wheel=wheel))
    play.seats(T1=100)
    running(play)
    play.recover()
    since = play.now / 1_000_000
    play.at(since + 299.9)
    assert stood(play) == STAYS
    play.at(since + 300.1)
    assert (stood(play), play.table.playing.clause) == (BACK, "5.13.1")


@pytest.mark.clause("marina-bay-sands-2020", "5.13.1")
def test_random_wheel_is_void_at_once_by_default() -> None:
    """What a random wheel may have drawn nobody can attest: its sealed round is void at once."""
    play = Play(MARINA, TableSettings(wheel=WheelKind.RANDOM))
    play.seats(T1=100)
    running(play)
    assert [type(each) for each in play.recover()] == [RoundVoided]


def test_every_state_is_in_the_table() -> None:
    """No state in which a round can be found is left out, and every venue and kind of wheel comes up."""
    assert {state for *_, state, _, _ in ROWS} == set(RecoveryStatus)
    assert {venue for _, venue, *_ in ROWS} == {MARINA, ADELAIDE, CLEARWATER, US}
    assert {wheel for _, _, wheels, *_ in ROWS for wheel in wheels} == set(WheelKind)


def test_house_without_a_round_says_so() -> None:
    """Where no round has begun a recovery finds nothing, and is on record all the same."""
    play = Play(MARINA, TableSettings(), TableSettings())
    assert play.must(Recover()) == (HouseRecovered(()),)
    opened_at_second = play.by("dealer", OpenBets(TableId("table 2")))
    assert isinstance(opened_at_second, tuple)
    assert [found.table for found in found_by(play)] == ["table 2"]
    play.check()


@pytest.mark.clause("skycity-adelaide-2003", "12(b)i")
def test_outcome_that_was_taken_back_is_void() -> None:
    """A round whose spin was lost to a fire is found void under the clause on it, and not as a no spin."""
    play = Play(ADELAIDE)
    play.seats(T1=100)
    running(play)
    play.by("shift manager", InvalidateOutcome(TABLE, RoundNumber(1), Reason.FIRE, "the hall was cleared"))
    (found,) = found_by(play)
    assert (found.state, found.clause) == (RecoveryStatus.VOID, "12(b)i")


@pytest.mark.clause("marina-bay-sands-2020", "5.15")
@pytest.mark.clause("skycity-adelaide-2003", "10(f)")
@pytest.mark.parametrize("wheel", WheelKind)
@pytest.mark.parametrize("venue", [MARINA, ADELAIDE])
def test_no_spin_wins_over_a_number_that_comes_after_the_restart(venue: str, wheel: WheelKind) -> None:
    """A number of a spin that was called off before the restart is ignored, and the stake comes back in full."""
    play = Play(venue, TableSettings(wheel=wheel))
    play.seats(T1=100)
    called_off(play)
    play.recover()
    answer = play.rest("17")
    assert isinstance(answer, tuple)
    assert [type(event) for event in answer] == [ReportIgnored]
    if venue == ADELAIDE:
        play.by("dealer", ResetTerminals(TABLE))
    assert play.credit("T1") == 100
    play.check()


@pytest.mark.clause("marina-bay-sands-2020", "6.1")
def test_word_of_a_malfunction_takes_no_referral_from_whoever_decides_it() -> None:
    """A dealer who calls a referred round a malfunction does not void it: it is still the Gaming Shift Manager's."""
    play = Play(MARINA)
    play.seats(T1=100)
    referred_open(play)
    play.by("dealer", RaiseSystemMalfunction(TABLE, "screens frozen"))
    assert (play.table.phase, stood(play)) == (Phase.SUSPENDED, STAYS)
    play.check()


def lose_terminal(play: Play) -> None:
    """T1's link is gone for longer than anybody waits for it."""
    play.must(ReportTerminalLost(T1))
    play.at(play.now / 1_000_000 + 6)


#: When T1 goes dark and whether it comes back, by which clause what becomes of its bet, and what it has once 17 is in.
DARK = [
    (MARINA, "before", "5.14.2", 100),
    (MARINA, "back", NONE, 240),
    (MARINA, "after", NONE, 240),
    (ADELAIDE, "before", "11(b)i", 100),
    (ADELAIDE, "back", NONE, 240),
    (ADELAIDE, "after", "11(a)iii", 96),
    (CLEARWATER, "before", "25", 100),
    (CLEARWATER, "back", NONE, 240),
    (CLEARWATER, "after", NONE, 240),
    (US, "before", NONE, 240),
    (US, "back", NONE, 240),
    (US, "after", NONE, 240),
]


@pytest.mark.clause("marina-bay-sands-2020", "5.14")
@pytest.mark.clause("skycity-adelaide-2003", "11(a)iii")
@pytest.mark.clause("clearwater-etg", "25")
@pytest.mark.parametrize(("venue", "when", "clause", "worth"), DARK)
def test_one_terminal_is_down_and_the_table_is_up(venue: str, when: str, clause: str, worth: int) -> None:
    """What was sealed stands and is paid, what was not goes back, and Adelaide's records are asked; T2 plays on."""
    play = Play(venue)
    play.seats(T1=100, T2=100)
    opened(play)
    play.bet("T2", "4 on 17")
    if when == "before":
        lose_terminal(play)
    if when == "back":
        play.must(ReportTerminalLost(T1))
        play.must(ReportTerminalReturned(T1))
    play.close()
    if play.table.phase is Phase.CLOSED:
        play.spin()
    if when == "after":
        lose_terminal(play)
    play.rest("17")
    shown = {each.clause for each in play.events if isinstance(each, BetsReturned | MalfunctionRaised)}
    assert (clause in shown) if clause else not shown
    assert [play.credit(seat) + sum(play.layout(seat).values()) for seat in ("T1", "T2")] == [worth, 240]
    play.check()


@pytest.mark.parametrize(("bring", "worth"), [(opened, 100), (declared, 240)])
@pytest.mark.parametrize("venue", [MARINA, ADELAIDE, CLEARWATER, US])
def test_system_stops_while_a_terminal_is_dark(venue: str, bring: Bring, worth: int) -> None:
    """A dark terminal goes with its round: its stake is not lost with an open one, and a result pays it."""
    play = Play(venue)
    play.seats(T1=100)
    bring(play)
    play.must(ReportTerminalLost(T1))
    play.recover()
    assert stood(play).worth == worth
    play.recover_again()
    sound(play.house)


def test_number_that_was_not_settled_stays_on_record_as_seen() -> None:
    """An outcome that is taken back between its number and its settlement is void, and the number was seen."""
    play = Play(ADELAIDE)
    play.seats(T1=100)
    declared(play)
    play.enrol("Shift Manager", "second")
    play.by("shift manager", InvalidateOutcome(TABLE, RoundNumber(1), Reason.FIRE, "alarm"))
    play.by("second", Approve(Number(1)))
    round_ = play.table.playing
    assert (round_.status, round_.pocket, round_.spin.reported, round_.is_seen) == (RoundStatus.VOID, None, P17, True)
    assert (play.table.numbers, stood(play).worth) == ((), 100)


def test_what_was_found_survives_the_journal() -> None:
    """What a recovery found is written and read again to the letter, with its version in the tag."""
    event = HouseRecovered((RecoveredRound(TABLE, RoundNumber(3), Phase.RUNNING, RecoveryStatus.SEALED, None),))
    written = msgspec.json.encode(event)
    assert b'"house_recovered.1"' in written
    assert msgspec.json.decode(written, type=AnyEvent) == event


def test_screen_keeps_the_last_messages_only() -> None:
    """However many rounds are void one after another, a seat's screen has the messages of the last twenty."""
    play = Play(MARINA)
    play.seats(T1=100)
    for _ in range(MESSAGES_SHOWN + 2):
        play.open()
        play.bet("T1", "5 on 17")
        play.recover()

    messages = play.house.terminals[T1].messages
    assert {message.kind for message in messages} == {SeatMessageKind.RETURNED}
    assert [message.round for message in messages] == list(range(3, MESSAGES_SHOWN + 3))
