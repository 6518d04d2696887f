"""SkyCity Adelaide in the house: the spin, what makes it no spin, and the number that is announced."""

import pytest

from croupier.house import AnyCommand
from croupier.house.declare import Decision
from croupier.house.floor.incidents import IncidentKind
from croupier.house.ids import SECOND, DeviceId, RoundNumber, TerminalId
from croupier.house.rounds.closing import CloseBets
from croupier.house.rounds.irregularities import CallNoSpin, ResetTerminals, SpinVoided, WheelTrouble
from croupier.house.rounds.referrals import DecideReferral, ReferralDecision, ReferRound
from croupier.house.rounds.results import ConfirmResult, EnterResult, ReportIgnored
from croupier.house.rounds.spinning import BallLaunched, BallLeftTrack, SpinBall
from croupier.house.settings import TableSettings
from croupier.house.state.tables import Phase, RoundStatus
from croupier.house.views import table_message, terminal_view
from croupier.rules.geometry import Pocket
from croupier.rules.procedure import Effect, Reason
from croupier.rules.refusal import ClauseId, Refusal
from tests.support.house_driver import TABLE, Play, refused
from tests.support.rules_driver import RulesDriver

VENUE = "skycity-adelaide-2003"
P17 = Pocket("17")
row = RulesDriver(VENUE).row
ENTRY = EnterResult(TABLE, P17, P17)


def closed(*settings: TableSettings) -> Play:
    """Find a table where betting is closed over T1's 10 on 17 and T2's 25 on red."""
    play = Play(VENUE, *settings)
    play.seats(T1=100, T2=100)
    play.open()
    play.bet("T1", "10 on 17")
    play.bet("T2", "25 on red")
    play.close()
    return play


def running(*settings: TableSettings) -> Play:
    """Find the same table with the ball running."""
    play = closed(*settings)
    play.spin()
    return play


def wheel(play: Play, command: AnyCommand) -> Decision:
    return play.ask(command, DeviceId(TABLE))


def no_spin(play: Play, reason: Reason = Reason.FOREIGN_OBJECT) -> None:
    assert not isinstance(play.by("dealer", CallNoSpin(TABLE, reason, "as seen")), Refusal)


def reset(play: Play) -> None:
    assert not isinstance(play.by("dealer", ResetTerminals(TABLE)), Refusal)


def ignored(answer: Decision) -> bool:
    """Tell whether a wheel's report was put on record as one that does not count, and no more."""
    return isinstance(answer, tuple) and [type(event) for event in answer] == [ReportIgnored]


def nothing_won(play: Play) -> None:
    """Nobody has gained or lost anything, and no number stands."""
    assert [play.credit(seat) + sum(play.layout(seat).values()) for seat in ("T1", "T2")] == [100, 100]
    assert play.table.numbers == ()
    assert play.table.round is not None
    assert play.table.round.status is not RoundStatus.SETTLED
    play.check()


@pytest.mark.clause("skycity-adelaide-2003", "9(b)")
@pytest.mark.parametrize("turns", [3, 4, 20])
def test_three_revolutions_against_the_wheel_are_a_valid_spin(turns: int) -> None:
    """A ball that ran against the wheel for three revolutions or more is settled on where it rests."""
    play = running()
    play.rest("17", turns)
    assert (play.credit("T1"), play.credit("T2"), play.table.numbers) == (440, 75, ("17",))
    play.check()


@pytest.mark.clause("skycity-adelaide-2003", "9(b)")
@pytest.mark.parametrize(
    ("turns", "opposite", "clause"), [(2, True, "9(b)"), (0, True, "9(b)"), (3, False, "10(a)"), (2, False, "10(a)")]
)
def test_fewer_revolutions_or_the_same_direction_are_no_spin(turns: int, clause: str, *, opposite: bool) -> None:
    """A ball that rests after two revolutions, or ran with the wheel, has made no spin and is not settled."""
    play = running()
    answer = play.rest("17", turns, opposite=opposite)
    assert isinstance(answer, tuple)
    assert [(event.clause, event.effect) for event in answer if isinstance(event, SpinVoided)] == [
        (clause, Effect.RESET_AND_RESPIN)
    ]
    assert (play.table.phase, table_message(play.table)) == (Phase.NO_SPIN, "No Spin")
    nothing_won(play)


@pytest.mark.clause("skycity-adelaide-2003", "9(b)")
def test_direction_seen_at_the_launch_counts_at_rest() -> None:
    """A launch with the wheel tells the dealer of 10(a), and the number is not settled if nobody calls it."""
    play = closed()
    wheel(play, BallLaunched(TABLE, opposite=False))
    assert [(each.kind, each.clause) for each in play.house.incidents.all.values()] == [
        (IncidentKind.WHEEL_TROUBLE, "10(a)")
    ]
    play.rest("17", 9, opposite=None)
    nothing_won(play)


@pytest.mark.clause("skycity-adelaide-2003", "9(b)")
def test_revolutions_seen_at_the_track_count_at_rest() -> None:
    """Two revolutions counted as the ball left the track are no spin, though the report at rest counts none."""
    play = running()
    wheel(play, BallLeftTrack(TABLE, 2))
    play.rest("17", None)
    play.by("dealer", ConfirmResult(TABLE, P17))
    nothing_won(play)


@pytest.mark.clause("skycity-adelaide-2003", "9(b)")
def test_number_entered_by_hand_makes_no_spin_valid() -> None:
    """A ball that the wheel saw run in its own direction is not settled on a number that is entered by hand."""
    play = closed()
    wheel(play, BallLaunched(TABLE, opposite=False))
    play.by("dealer", ENTRY)
    nothing_won(play)


@pytest.mark.clause("skycity-adelaide-2003", "9(b)")
def test_dealer_attests_a_spin_that_no_sensor_saw() -> None:
    """Where nobody counted the number waits for the dealer, who confirms it and with it the spin."""
    play = running()
    play.rest("17", None, opposite=None)
    assert play.table.phase is Phase.AT_REST
    nothing_won(play)
    play.by("dealer", ConfirmResult(TABLE, P17))
    assert play.credit("T1") == 440
    play.check()


@pytest.mark.clause("skycity-adelaide-2003", "9(b)")
def test_dealer_who_counted_two_revolutions_calls_no_spin() -> None:
    """Where no sensor counted, a dealer who saw two revolutions calls No Spin under 9(b) until it is settled."""
    play = running()
    play.rest("17", None)
    answer = play.by("dealer", CallNoSpin(TABLE, Reason.TOO_FEW_REVOLUTIONS, "two only"))
    assert not isinstance(answer, Refusal), answer.message
    assert play.table.round is not None
    assert (play.table.phase, play.table.round.clause) == (Phase.NO_SPIN, "9(b)")
    nothing_won(play)


@pytest.mark.clause("skycity-adelaide-2003", "9(c)")
@pytest.mark.parametrize("spinning", [False, True])
def test_no_more_bets_is_called_before_the_spin_or_in_the_track(*, spinning: bool) -> None:
    """The dealer closes betting before the ball is spun, or while it runs in the track."""
    play = Play(VENUE)
    play.open()
    if spinning:
        play.spin()
        play.at(12)
    assert not isinstance(play.by("dealer", CloseBets(TABLE)), Refusal)
    assert play.table.phase is (Phase.RUNNING if spinning else Phase.CLOSED)
    assert not play.house.incidents.all


@pytest.mark.clause("skycity-adelaide-2003", "9(c)")
def test_betting_closes_by_itself_when_the_ball_leaves_the_track() -> None:
    """At 20 seconds the ball leaves the track: betting is closed with an incident, and a later close is refused."""
    play = Play(VENUE)
    play.seats(T1=100)
    play.open()
    play.bet("T1", "10 on 17")
    play.spin()
    play.at(20)
    wheel(play, BallLeftTrack(TABLE))
    assert play.table.round is not None
    assert (play.table.round.closed_at, len(play.house.incidents.all)) == (20 * SECOND, 1)
    assert refused(play.by("dealer", CloseBets(TABLE))) == ("out_of_turn", "9(f)")
    assert refused(play.bet("T1", "5 on 17")) == ("bets_closed", "7(h)iii")


@pytest.mark.clause("skycity-adelaide-2003", "9(c)")
def test_number_before_no_more_bets_is_no_result() -> None:
    """A ball that rests while bets are open closes them and settles nothing, and staff are notified."""
    play = Play(VENUE)
    play.seats(T1=100, T2=100)
    play.open()
    play.bet("T1", "10 on 17")
    play.spin()
    play.rest("17")
    assert (play.table.phase, play.layout("T1")) == (Phase.NO_SPIN, {"17": 10})
    assert [each.kind for each in play.house.incidents.all.values()] == [IncidentKind.RESULT_BEFORE_SEAL]
    nothing_won(play)
    reset(play)
    assert (play.credit("T1"), play.layout("T1")) == (100, {})


NO_SPINS = [
    row("10(a)", Reason.SAME_DIRECTION, "10(a)"),
    row("10(b)", Reason.TOO_FEW_ANTICIPATED, "10(b)"),
    row("10(c)", Reason.FOREIGN_OBJECT, "10(c)"),
    row("10(d)", Reason.BALL_NOT_SEATED, "10(d)"),
    row("10(e)", Reason.BALL_OUT_OF_WHEEL, "10(e)"),
]


@pytest.mark.parametrize(("reason", "clause"), NO_SPINS)
@pytest.mark.parametrize("removed", [True, False])
def test_dealer_announces_no_spin(reason: Reason, clause: str, *, removed: bool) -> None:
    """The dealer's No Spin is shown, says whether the ball was removed, leaves no result and is spun again."""
    play = running()
    play.at(6)
    (voided,) = play.must(
        CallNoSpin(TABLE, reason, "seen", ball_removed=removed), DeviceId("dealer's console"), "dealer"
    )
    assert voided == SpinVoided(
        TABLE, RoundNumber(1), 1, reason, ClauseId(clause), Effect.RESET_AND_RESPIN, "seen", removed
    )
    assert terminal_view(play.house, TerminalId("T1"), TABLE, play.now).message == "No Spin"
    nothing_won(play)
    reset(play)
    assert (play.table.phase, play.credit("T1"), play.credit("T2")) == (Phase.OPEN, 100, 100)
    play.close()
    play.spin()
    play.rest("5")
    assert play.table.numbers == ("5",)
    play.check()


@pytest.mark.clause("skycity-adelaide-2003", "10(f)")
@pytest.mark.parametrize(("reason", "clause"), NO_SPINS)
def test_ball_that_rests_after_no_spin_is_ignored(reason: Reason, clause: str) -> None:
    """No Spin at ten seconds stands, though the ball rests in 17 after three revolutions at twelve."""
    play = running()
    play.at(10)
    no_spin(play, reason)
    play.at(12)
    assert ignored(play.rest("17", 3))
    assert play.table.round is not None
    assert (play.table.round.reason, play.table.round.clause) == (reason, clause)
    nothing_won(play)


@pytest.mark.clause("skycity-adelaide-2003", "10(f)")
@pytest.mark.parametrize(
    "wanted",
    [ConfirmResult(TABLE, P17), ENTRY, CallNoSpin(TABLE, Reason.FOREIGN_OBJECT, "as seen"), SpinBall(TABLE)],
)
def test_no_spin_cannot_be_taken_back(wanted: AnyCommand) -> None:
    """After No Spin nobody confirms, enters or settles a number, calls it again, or spins without a reset."""
    play = running()
    no_spin(play)
    assert refused(play.by("dealer", wanted)) == ("out_of_turn", "9(f)")
    nothing_won(play)


@pytest.mark.clause("skycity-adelaide-2003", "10(f)")
def test_ball_that_rests_after_the_reset_is_ignored_too() -> None:
    """A ball left in the wheel after No Spin that rests when betting is open again is neither settled nor voids it."""
    play = running()
    no_spin(play)
    reset(play)
    play.bet("T1", "10 on 17")
    assert ignored(play.rest("17"))
    assert (play.table.phase, play.layout("T1")) == (Phase.OPEN, {"17": 10})
    nothing_won(play)


@pytest.mark.clause("skycity-adelaide-2003", "9(c)")
def test_number_of_a_ball_that_was_removed_is_no_late_one() -> None:
    """Once the ball is out of the wheel a number while bets are open is another ball's, and closes them."""
    play = running()
    play.by("dealer", CallNoSpin(TABLE, Reason.FOREIGN_OBJECT, "as seen", ball_removed=True))
    reset(play)
    play.bet("T1", "10 on 17")
    play.rest("17")
    assert [each.kind for each in play.house.incidents.all.values()] == [IncidentKind.RESULT_BEFORE_SEAL]
    assert refused(play.bet("T1", "10 on 17")) == ("bets_closed", "7(h)iii")
    nothing_won(play)


@pytest.mark.clause("skycity-adelaide-2003", "10(f)")
def test_no_decision_settles_a_spin_that_was_called_off() -> None:
    """A round referred after No Spin cannot be settled on the number in which the ball came to rest."""
    play = running()
    no_spin(play)
    play.rest("17")
    play.by("dealer", ReferRound(TABLE, "the player says it was 17"))
    play.by("shift manager", DecideReferral(TABLE, ReferralDecision.SETTLE, "so be it", P17))
    nothing_won(play)


@pytest.mark.parametrize(
    ("person", "reason", "code"),
    [
        ("cashier", Reason.FOREIGN_OBJECT, "not_authorised"),
        ("technician", Reason.FOREIGN_OBJECT, "not_authorised"),
        ("dealer", Reason.FIRE, "reason_not_listed"),
        ("dealer", Reason.BALL_BROKEN, "reason_not_listed"),
    ],
)
def test_no_spin_that_is_not_called(person: str, reason: Reason, code: str) -> None:
    """No Spin is for the dealer or a higher position, and for the reasons of section 10."""
    play = running()
    assert refused(play.by(person, CallNoSpin(TABLE, reason, "as seen")))[0] == code
    assert play.table.phase is Phase.RUNNING


@pytest.mark.parametrize(("before_rest", "called"), [(True, True), (False, False)])
def test_cause_of_no_spin_arose_before_rest(*, before_rest: bool, called: bool) -> None:
    """Until the number is settled No Spin is called for what arose before the ball rested, and for nothing later."""
    play = running(TableSettings(confirms=True))
    play.rest("17")
    answer = play.by("dealer", CallNoSpin(TABLE, Reason.FOREIGN_OBJECT, "as seen", before_rest=before_rest))
    assert called or refused(answer) == ("cause_after_rest", "10(c)")
    assert play.table.phase is (Phase.NO_SPIN if called else Phase.AT_REST)
    nothing_won(play)


@pytest.mark.clause("skycity-adelaide-2003", "10(d)")
def test_ball_that_does_not_come_to_rest() -> None:
    """With no number 120 seconds after the launch the dealer is told once, and the button makes it No Spin."""
    play = running()
    launched = play.now
    play.advance(launched + 120 * SECOND)
    assert not play.house.incidents.all
    play.advance(launched + 300 * SECOND)
    assert [(each.kind, each.clause) for each in play.house.incidents.all.values()] == [
        (IncidentKind.BALL_NOT_SEATED, "10(d)")
    ]
    assert play.table.phase is Phase.RUNNING
    no_spin(play, Reason.BALL_NOT_SEATED)
    nothing_won(play)


@pytest.mark.clause("skycity-adelaide-2003", "10(e)")
def test_ball_that_leaves_the_wheel() -> None:
    """The wheel's report that the ball is gone is for the dealer to confirm; then no stake is lost."""
    play = running()
    wheel(play, WheelTrouble(TABLE, Reason.BALL_OUT_OF_WHEEL))
    assert [(each.kind, each.clause) for each in play.house.incidents.all.values()] == [
        (IncidentKind.WHEEL_TROUBLE, "10(e)")
    ]
    assert play.table.phase is Phase.RUNNING
    no_spin(play, Reason.BALL_OUT_OF_WHEEL)
    reset(play)
    assert (play.credit("T1"), play.credit("T2")) == (100, 100)
    nothing_won(play)
