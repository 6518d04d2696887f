"""SkyCity Adelaide in the house: what becomes of a round when the system stops in the middle of it."""

import pytest

from croupier.house import AnyCommand, House, evolve
from croupier.house.declare import Decision, Event, Events
from croupier.house.floor.incidents import IncidentRaised
from croupier.house.floor.signatures import Approve
from croupier.house.ids import DeviceId, Number, RoundNumber, TableId
from croupier.house.play.betting import BetsChanged, RepeatBets
from croupier.house.rounds.closing import BetsClosing, BetsSealed, FinishCalled
from croupier.house.rounds.irregularities import CallNoSpin, ResetTerminals, RoundVoided, SpinVoided, TerminalsReset
from croupier.house.rounds.opening import BetsOpened, OpenBets
from croupier.house.rounds.recovery import RaiseSystemMalfunction, Recover, RoundInterrupted
from croupier.house.rounds.referrals import DecideReferral, ReferralDecision, ReferRound
from croupier.house.rounds.results import (
    AttestResult,
    BallAtRest,
    BallRested,
    ConfirmResult,
    EnterResult,
    ReportIgnored,
)
from croupier.house.rounds.settlement import ResultDeclared, RoundSettled
from croupier.house.rounds.spinning import BallLaunched, BallSpun
from croupier.house.settings import TableSettings, WheelKind
from croupier.house.state.tables import Phase, ResultSource, RoundStatus
from croupier.journal.stores.memory import MemoryJournal
from croupier.rulebooks.schema import read_canonical
from croupier.rules.geometry import Pocket
from croupier.rules.procedure import Reason
from croupier.rules.refusal import Refusal
from tests.support.house_driver import TABLE, Play, refused, sound

VENUE = "skycity-adelaide-2003"
P17 = Pocket("17")
SECOND_TABLE = TableId("table 2")
ATTESTED = AttestResult(TABLE, P17, "the ball lay in 17, on camera 4")
PLAIN = TableSettings()


def played(*settings: TableSettings) -> Play:
    """Play a round to its end on 17: T1 has 10 on 17 and T2 has 25 on red."""
    play = Play(VENUE, *settings)
    play.seats(T1=100, T2=100)
    play.enrol("Inspector", "inspector 2")
    play.round("17", T1="10 on 17", T2="25 on red")
    return play


def replayed(play: Play, entries: int) -> None:
    """Stop the system after so many entries of its journal, and start it again from those."""
    house, journal = House.new(read_canonical), MemoryJournal()
    for entry in list(play.journal.entries())[:entries]:
        evolve(house, entry.event, entry.context)
        journal.append((entry.event,), entry.day, entry.context)
    play.house, play.journal = house, journal


def crashed(play: Play, after: type[Event]) -> Events:
    """Stop the system right after the last event of a kind, start it again, and let it recover."""
    places = [entry.position for entry in play.journal.entries() if isinstance(entry.event, after)]
    replayed(play, places[-1])
    return play.recover()


def worth(play: Play) -> list[float]:
    """What each terminal has on its meter and its layout."""
    return [play.credit(str(seat)) + sum(play.layout(str(seat)).values()) for seat in play.table.terminals]


def ignored(answer: Decision) -> bool:
    """Tell whether a wheel's report was put on record as one that does not count, and no more."""
    return isinstance(answer, tuple) and [type(event) for event in answer] == [ReportIgnored]


def status(play: Play) -> RoundStatus:
    assert play.table.round is not None
    return play.table.round.status


@pytest.mark.clause("skycity-adelaide-2003", "11(b)i")
@pytest.mark.parametrize("after", [BetsOpened, BetsChanged, FinishCalled, BetsClosing])
def test_round_that_was_not_sealed_is_void(after: type[Event]) -> None:
    """Stopped before bets were sealed, a round is void under 11(b)i, every stake goes back, and the next may open."""
    play = played()
    (void,) = crashed(play, after)
    assert isinstance(void, RoundVoided)
    assert (void.reason, void.clause) == (Reason.MALFUNCTION, "11(b)i")
    assert (worth(play), play.layout("T1"), status(play)) == ([100, 100], {}, RoundStatus.VOID)
    assert not isinstance(play.by("dealer", OpenBets(TABLE)), Refusal)
    play.check()


@pytest.mark.clause("skycity-adelaide-2003", "11(b)i")
def test_stake_that_stayed_up_goes_back_with_the_round() -> None:
    """A winning stake left up in a round that is stopped while open goes back with what was bet beside it."""
    play = played()
    play.open()
    play.bet("T1", "5 on 18")
    crashed(play, BetsChanged)
    assert (play.credit("T1"), play.layout("T1"), worth(play)) == (450, {}, [450, 75])
    play.open()
    assert not isinstance(play.touch("T1", RepeatBets), Refusal)
    assert play.layout("T1") == {"17": 10, "18": 5}
    play.check()


@pytest.mark.clause("skycity-adelaide-2003", "11(b)ii")
@pytest.mark.parametrize("after", [BetsSealed, BallSpun])
def test_sealed_round_is_settled_by_its_record_on_an_attested_number(after: type[Event]) -> None:
    """Stopped after the seal, the bets stand by their record, and two people attest the number they are settled on."""
    play = played()
    interrupted, reported = crashed(play, after)
    assert isinstance(interrupted, RoundInterrupted)
    assert isinstance(reported, IncidentRaised)
    assert (interrupted.clause, worth(play), status(play)) == ("11(b)ii", [100, 100], RoundStatus.ACTIVE)
    assert not isinstance(play.by("inspector", ATTESTED), Refusal)
    assert worth(play) == [100, 100]
    assert not isinstance(play.by("inspector 2", Approve(Number(1))), Refusal)
    assert (worth(play), play.layout("T1"), play.table.numbers) == ([450, 75], {"17": 10}, ("17",))
    assert play.table.playing.result is not None
    assert play.table.playing.result.source is ResultSource.ATTESTED
    play.check()


ENTERED, CONFIRMED = EnterResult(TABLE, P17, P17), ConfirmResult(TABLE, P17)


@pytest.mark.clause("skycity-adelaide-2003", "11(b)ii")
@pytest.mark.parametrize(
    ("person", "wanted", "code"),
    [
        ("dealer", ENTERED, "out_of_turn"),
        ("dealer", CONFIRMED, "out_of_turn"),
        ("dealer", ATTESTED, "not_authorised"),
        ("cashier", ATTESTED, "not_authorised"),
        ("dealer", OpenBets(TABLE), "out_of_turn"),
    ],
)
def test_nobody_settles_an_interrupted_round_alone(person: str, wanted: AnyCommand, code: str) -> None:
    """After an interruption nobody enters or confirms a number alone, and no other round opens over it."""
    play = played()
    crashed(play, BallSpun)
    assert refused(play.by(person, wanted))[0] == code
    assert worth(play) == [100, 100]


@pytest.mark.clause("skycity-adelaide-2003", "11(b)ii")
def test_dealer_does_not_confirm_what_came_to_rest_after_an_interruption() -> None:
    """The dealer's word is enough for a number that the wheel reported, and not for one after an interruption."""
    play = played()
    crashed(play, BallSpun)
    play.rest("17")
    assert refused(play.by("dealer", CONFIRMED)) == ("out_of_turn", "11(c)")
    assert worth(play) == [100, 100]


@pytest.mark.clause("skycity-adelaide-2003", "11(b)ii")
def test_one_inspector_attests_nothing() -> None:
    """The same inspector's second signature is refused, and nothing is settled."""
    play = played()
    crashed(play, BallSpun)
    play.by("inspector", ATTESTED)
    assert refused(play.by("inspector", Approve(Number(1)))) == ("same_person", "11(e)")
    assert worth(play) == [100, 100]


@pytest.mark.clause("skycity-adelaide-2003", "11(b)ii")
def test_ball_that_rests_after_the_interruption_is_attested_too() -> None:
    """A number that the wheel reports after the interruption is kept, and counts once two people attest it."""
    play = played()
    crashed(play, BallSpun)
    play.rest("17")
    assert (worth(play), play.table.phase) == ([100, 100], Phase.AT_REST)
    play.by("inspector", ATTESTED)
    play.by("inspector 2", Approve(Number(1)))
    assert worth(play) == [450, 75]
    play.check()


@pytest.mark.clause("skycity-adelaide-2003", "11(b)iii")
def test_interrupted_round_that_nobody_can_confirm_is_void() -> None:
    """Where nobody can say what the ball did, the dealer refers the malfunction, and a void gives all stakes back."""
    play = played()
    crashed(play, BallSpun)
    assert not isinstance(play.by("dealer", CallNoSpin(TABLE, Reason.MALFUNCTION, "no camera")), Refusal)
    assert play.table.round is not None
    assert (play.table.phase, play.table.round.clause) == (Phase.SUSPENDED, "11(b)")
    decision = DecideReferral(TABLE, ReferralDecision.VOID, "cannot be confirmed")
    assert refused(play.by("dealer", decision))[0] == "not_authorised"
    assert not isinstance(play.by("shift manager", decision), Refusal)
    assert (worth(play), play.layout("T1"), status(play)) == ([100, 100], {}, RoundStatus.VOID)
    play.check()


@pytest.mark.clause("skycity-adelaide-2003", "11(b)iii")
@pytest.mark.parametrize("after", [BetsSealed, BallSpun])
def test_random_wheel_never_draws_twice(after: type[Event]) -> None:
    """A round of a random wheel that was sealed without a number is void: it may have drawn already."""
    play = played(TableSettings(wheel=WheelKind.RANDOM))
    (void,) = crashed(play, after)
    assert isinstance(void, RoundVoided)
    assert (void.clause, worth(play)) == ("11(b)iii", [100, 100])
    assert ignored(play.rest("17"))
    play.check()


@pytest.mark.clause("skycity-adelaide-2003", "11(b)ii")
def test_number_on_record_is_settled_once() -> None:
    """Stopped between the number and its settlement, every terminal is paid as if nothing had happened."""
    play, whole = played(), played()
    (settled,) = crashed(play, ResultDeclared)
    assert isinstance(settled, RoundSettled)
    assert [settled] == [event for event in whole.events if isinstance(event, RoundSettled)]
    assert (worth(play), play.layout("T1"), play.credit("T1")) == ([450, 75], {"17": 10}, 440)
    play.recover_again()
    assert worth(play) == [450, 75]
    play.check()


@pytest.mark.clause("skycity-adelaide-2003", "11(b)ii")
def test_number_that_awaited_the_dealer_still_does() -> None:
    """Stopped when the wheel had reported and the dealer not confirmed, the round waits for the dealer's word."""
    play = Play(VENUE, TableSettings(confirms=True))
    play.seats(T1=100)
    play.round("17", T1="10 on 17")
    assert crashed(play, BallRested) == ()
    assert worth(play) == [100]
    assert not isinstance(play.by("dealer", CONFIRMED), Refusal)
    assert worth(play) == [450]
    play.check()


def test_settled_round_is_left_alone() -> None:
    """Stopped after the settlement, nothing moves: the winning stake stays up and the next round opens."""
    play = played()
    assert crashed(play, RoundSettled) == ()
    assert (play.credit("T1"), play.layout("T1")) == (440, {"17": 10})
    assert not isinstance(play.by("dealer", OpenBets(TABLE)), Refusal)
    play.check()


def called_off() -> Play:
    """Find a round whose first spin the dealer has called off."""
    play = Play(VENUE)
    play.seats(T1=100, T2=100)
    play.open()
    play.bet("T1", "10 on 17")
    play.close()
    play.spin()
    play.by("dealer", CallNoSpin(TABLE, Reason.FOREIGN_OBJECT, "as seen"))
    return play


@pytest.mark.clause("skycity-adelaide-2003", "10(f)")
@pytest.mark.clause("skycity-adelaide-2003", "11(d)")
def test_no_spin_outlives_the_interruption() -> None:
    """Stopped after No Spin, a number that comes in is ignored, and the reset gives every stake back."""
    play = called_off()
    assert crashed(play, SpinVoided) == ()
    assert ignored(play.rest("17"))
    assert not isinstance(play.by("dealer", ResetTerminals(TABLE)), Refusal)
    assert (play.credit("T1"), play.table.phase) == (100, Phase.OPEN)
    play.check()


def respun(play: Play) -> None:
    """Call the interrupted spin off and open the next."""
    assert not isinstance(play.by("dealer", CallNoSpin(TABLE, Reason.BALL_NOT_SEATED, "as seen")), Refusal)
    assert not isinstance(play.by("dealer", ResetTerminals(TABLE)), Refusal)
    assert not isinstance(play.touch("T1", RepeatBets), Refusal)


@pytest.mark.clause("skycity-adelaide-2003", "11(d)")
def test_spin_after_an_interrupted_one_is_a_spin_like_any_other() -> None:
    """Where the interrupted spin was called off, the re-spin is settled on the number that the wheel reports."""
    play = played()
    crashed(play, BallSpun)
    respun(play)
    play.close()
    play.spin()
    play.rest("17")
    assert (worth(play), status(play)) == ([450, 100], RoundStatus.SETTLED)
    play.check()


@pytest.mark.clause("skycity-adelaide-2003", "11(b)i")
def test_second_interruption_of_a_round_counts_as_the_first_did() -> None:
    """Stopped again while betting is open for the re-spin, the round is void and the stakes go back."""
    play = played()
    crashed(play, BallSpun)
    respun(play)
    crashed(play, BetsChanged)
    assert (play.layout("T1"), worth(play), status(play)) == ({}, [100, 100], RoundStatus.VOID)
    play.check()


def test_interrupted_spin_is_not_attested_after_the_next_has_opened() -> None:
    """Once the interrupted spin was called off and its terminals reset, nobody attests a number of it any more."""
    play = played()
    crashed(play, BallSpun)
    respun(play)
    play.by("dealer", ReferRound(TABLE, "the first ball lay in 17"))
    assert isinstance(play.by("inspector", ATTESTED), Refusal)
    assert worth(play) == [100, 100]


def test_reset_spin_that_is_stopped_while_open_is_void() -> None:
    """Stopped right after a reset the round is void, and nobody has lost anything."""
    play = called_off()
    play.by("dealer", ResetTerminals(TABLE))
    crashed(play, TerminalsReset)
    assert (worth(play), status(play)) == ([100, 100], RoundStatus.VOID)
    play.check()


@pytest.mark.clause("skycity-adelaide-2003", "11(b)ii")
def test_staff_who_see_the_game_system_fail_say_so() -> None:
    """Raised by the dealer after the close, a failure of the game system is attested by two like an interruption."""
    play = Play(VENUE)
    play.seats(T1=100)
    play.enrol("Pit Boss", "pit boss 2")
    play.open()
    play.bet("T1", "10 on 17")
    play.close()
    play.spin()
    play.by("dealer", RaiseSystemMalfunction(TABLE, "screens frozen"))
    play.by("pit boss", ATTESTED)
    play.by("pit boss 2", Approve(Number(1)))
    assert worth(play) == [450]
    play.check()


def test_every_table_is_recovered_by_its_own_state() -> None:
    """Of two tables that stop, the one that was open is void and the one that was sealed awaits its number."""
    play = Play(VENUE, PLAIN, PLAIN)
    play.seats(T1=100)
    play.seat("T2", 100_00, tables=(SECOND_TABLE,))
    play.open()
    play.bet("T1", "10 on 17")
    play.close()
    play.must(OpenBets(SECOND_TABLE))
    play.bet("T2", "10 on 17", SECOND_TABLE)
    events = play.recover()
    assert [type(event) for event in events] == [RoundInterrupted, IncidentRaised, RoundVoided]
    assert (play.credit("T1"), play.credit("T2")) == (90, 100)
    play.recover_again()
    play.check()


def test_wherever_the_system_stops_nobody_gains_or_loses_by_it() -> None:
    """After any entry of a round's journal a recovery leaves sound books, the stakes or the payment, and no more."""
    whole = played()
    entries = list(whole.journal.entries())
    first = next(entry.position for entry in entries if isinstance(entry.event, BetsOpened))
    for stop in range(first, len(entries) + 1):
        play = played()
        replayed(play, stop)
        play.must(Recover())
        sound(play.house)
        known = stop >= len(entries) - 1
        assert worth(play) == ([450, 75] if known else [100, 100])
        play.recover_again()
        play.check()


def test_wheel_that_spoke_during_the_outage_changes_no_void_round() -> None:
    """A launch and a number that come in after an open round was void are on record and settle nothing."""
    play = played()
    crashed(play, BetsChanged)
    play.ask(BallLaunched(TABLE, opposite=True), DeviceId(TABLE))
    answer = play.ask(BallAtRest(TABLE, P17, 9, opposite=True), DeviceId(TABLE))
    assert ignored(answer)
    assert (worth(play), play.table.rounds) == ([100, 100], RoundNumber(1))
    play.check()
