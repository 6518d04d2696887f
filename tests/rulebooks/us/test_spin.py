"""The US double-zero table in the house, at practice terminals: its spins, no spin and late bets."""

from functools import partial

import pytest

from croupier.house.floor.incidents import IncidentKind
from croupier.house.ids import DeviceId, Number, TerminalId
from croupier.house.play.betting import ChangeBet, PlaceBets
from croupier.house.rounds.closing import CloseBets
from croupier.house.rounds.irregularities import CallNoSpin, SpinVoided
from croupier.house.rounds.recovery import Recover
from croupier.house.rounds.referrals import DecideReferral, ReferralDecision, ReferRound
from croupier.house.rounds.results import BallAtRest, ConfirmResult
from croupier.house.rounds.spinning import BallLaunched, BallLeftTrack, SpinBall
from croupier.house.settings import TableSettings
from croupier.house.state.tables import Phase, Round, RoundStatus
from croupier.house.views import terminal_view
from croupier.rules.geometry import Pocket, SpotKey
from croupier.rules.procedure import Reason
from croupier.rules.refusal import Refusal
from tests.support.house_driver import TABLE, Play, refused, with_bets

VENUE = "us-double-zero"
WHEEL = DeviceId(TABLE)
CONFIRMS = TableSettings(confirms=True)


betting = partial(with_bets, VENUE)


def spinning(*settings: TableSettings, **slips: str) -> Play:
    """Find a table where the ball has been running since 0 s and bets were closed at 12 s."""
    play = betting(*settings, **slips)
    play.must(BallLaunched(TABLE, opposite=True, turning=True), WHEEL)
    play.at(12)
    assert not isinstance(play.by("dealer", CloseBets(TABLE)), Refusal)
    return play


def round_of(play: Play) -> Round:
    assert play.table.round is not None
    return play.table.round


def phase(play: Play) -> Phase:
    return play.table.phase


def assert_no_spin(play: Play, reason: Reason, clause: str) -> SpinVoided:
    """Assert that the first spin does not count: $4 on 17 are still the player's, and may be changed."""
    assert (round_of(play).number, round_of(play).spin.number, phase(play)) == (1, 2, Phase.OPEN)
    assert (play.credit("T1"), play.layout("T1"), play.table.numbers) == (96, {"17": 4}, ())
    voided = next(event for event in play.events if isinstance(event, SpinVoided))
    assert (voided.reason, voided.clause) == (reason, clause)
    assert not isinstance(play.touch("T1", ChangeBet, SpotKey("17"), 3_00), Refusal)
    assert (play.credit("T1"), play.layout("T1")) == (97, {"17": 3})
    play.check()
    return voided


@pytest.mark.clause("us-double-zero", "Rotation (1)")
@pytest.mark.parametrize("revolutions", [4, 5, 20])
def test_four_revolutions_make_a_spin(revolutions: int) -> None:
    """After four revolutions against the wheel the number is accepted: $4 on 17 bring 140."""
    play = spinning(T1="4 on 17")
    play.must(BallLeftTrack(TABLE, revolutions), WHEEL)
    assert play.house.incidents.all == {}
    play.must(BallAtRest(TABLE, Pocket("17"), revolutions), WHEEL)
    assert (round_of(play).status, play.table.numbers, play.credit("T1")) == (RoundStatus.SETTLED, ("17",), 236)
    play.check()


@pytest.mark.clause("us-double-zero", "Rotation (1)")
@pytest.mark.clause("us-double-zero", "Irregularities (2)")
@pytest.mark.parametrize("revolutions", [1, 3])
def test_too_few_revolutions_prompt_the_dealer(revolutions: int) -> None:
    """A ball that leaves the track after three revolutions prompts the dealer, who announces no spin."""
    play = spinning(T1="4 on 17")
    play.must(BallLeftTrack(TABLE, revolutions), WHEEL)
    incident = play.house.incidents.all[Number(1)]
    assert (incident.kind, incident.clause) == (IncidentKind.WHEEL_TROUBLE, "Irregularities (2)")
    assert phase(play) is Phase.RUNNING
    play.by("dealer", CallNoSpin(TABLE, Reason.TOO_FEW_REVOLUTIONS, "as seen"))
    assert_no_spin(play, Reason.TOO_FEW_REVOLUTIONS, "Irregularities (2)")


@pytest.mark.clause("us-double-zero", "Rotation (1)")
@pytest.mark.clause("us-double-zero", "Irregularities (2)")
@pytest.mark.parametrize("revolutions", [1, 3])
def test_number_after_too_few_revolutions_is_not_accepted(revolutions: int) -> None:
    """A ball that rests in 17 after three revolutions is no spin, though nobody announced it."""
    play = spinning(T1="4 on 17")
    play.must(BallAtRest(TABLE, Pocket("17"), revolutions), WHEEL)
    assert_no_spin(play, Reason.TOO_FEW_REVOLUTIONS, "Irregularities (2)")


@pytest.mark.clause("us-double-zero", "Rotation (2)")
def test_no_more_bets_is_called_while_the_ball_runs() -> None:
    """Before the spin the close is refused; at 12 s it is taken: a bet at 11.9 s is good and one at 12.1 s is not."""
    play = betting(T1="", T2="")
    assert refused(play.by("dealer", CloseBets(TABLE))) == ("close_before_spin", "Rotation (2)")
    assert not isinstance(play.by("dealer", SpinBall(TABLE)), Refusal)
    play.at(11.9)
    assert not isinstance(play.bet("T1", "4 on 17"), Refusal)
    play.at(12)
    assert not isinstance(play.by("dealer", CloseBets(TABLE)), Refusal)
    assert terminal_view(play.house, TerminalId("T1"), TABLE, play.now).message == "No More Bets"
    play.at(12.1)
    assert refused(play.bet("T2", "4 on 17")) == ("bets_closed", "Irregularities (4)")
    assert (play.layout("T1"), play.layout("T2")) == ({"17": 4}, {})
    assert refused(play.by("dealer", CloseBets(TABLE)))[0] == "out_of_turn"
    play.check()


@pytest.mark.clause("us-double-zero", "Rotation (2)")
def test_bets_close_when_the_ball_leaves_the_track() -> None:
    """A ball that leaves the track before anybody called closes betting by itself, and staff are notified."""
    play = betting(T1="4 on 17")
    play.by("dealer", SpinBall(TABLE))
    play.must(BallLeftTrack(TABLE, 7), WHEEL)
    assert phase(play) is Phase.RUNNING
    assert play.house.incidents.all[Number(1)].kind is IncidentKind.FORCED_CLOSE
    assert refused(play.bet("T1", "4 on 20"))[0] == "bets_closed"
    play.rest("17", 7)
    assert play.credit("T1") == 236
    play.check()


@pytest.mark.clause("us-double-zero", "Rotation (2)")
def test_betting_time_is_over_and_the_ball_is_idle() -> None:
    """No timer closes betting before the spin: the round stops, and goes on by a supervisor's word with a spin."""
    play = betting(TableSettings(betting_s=30), T1="4 on 17")
    play.at(30.1)
    assert phase(play) is Phase.SUSPENDED
    assert play.house.incidents.all[Number(1)].kind is IncidentKind.CANNOT_CLOSE
    play.by("supervisor", DecideReferral(TABLE, ReferralDecision.GO_ON, "the dealer was distracted"))
    play.at(35)
    assert phase(play) is Phase.OPEN
    play.close()
    play.rest("17")
    assert play.credit("T1") == 236
    play.check()


@pytest.mark.clause("us-double-zero", "Rotation (2)")
def test_number_while_bets_are_open_is_no_result() -> None:
    """A number that comes before anybody has called no more bets is no spin: $4 on 17 are neither paid nor lost."""
    play = betting(T1="4 on 17")
    play.by("dealer", SpinBall(TABLE))
    play.rest("17")
    assert play.house.incidents.all[Number(1)].kind is IncidentKind.RESULT_BEFORE_SEAL
    assert_no_spin(play, Reason.RESULT_BEFORE_CLOSE, "Rotation (2)")


@pytest.mark.clause("us-double-zero", "Irregularities (1)")
@pytest.mark.parametrize("removed", [False, True])
def test_ball_spun_the_way_the_wheel_turns(removed: bool) -> None:  # noqa: FBT001 - a case of the table
    """The dealer announces no spin: nothing is paid, $4 are not collected, and whether the ball was removed is kept."""
    play = spinning(T1="4 on 17")
    play.by("dealer", CallNoSpin(TABLE, Reason.SAME_DIRECTION, "as seen", ball_removed=removed))
    voided = assert_no_spin(play, Reason.SAME_DIRECTION, "Irregularities (1)")
    assert voided.ball_removed is removed


@pytest.mark.clause("us-double-zero", "Irregularities (1)")
def test_ball_of_a_no_spin_comes_to_rest() -> None:
    """The ball that nobody could remove rests in 17: nothing is paid and $4 are not collected."""
    play = spinning(T1="4 on 17")
    play.by("dealer", CallNoSpin(TABLE, Reason.SAME_DIRECTION, "as seen"))
    play.rest("17")
    assert (play.credit("T1"), play.layout("T1"), play.table.numbers) == (96, {"17": 4}, ())
    play.check()


@pytest.mark.clause("us-double-zero", "Irregularities (1)")
def test_ball_of_a_no_spin_is_no_second_no_spin() -> None:
    """The number of a ball whose spin does not count is ignored: no second no spin, no alarm, bets for spin 2 good."""
    play = spinning(T1="4 on 17")
    play.by("dealer", CallNoSpin(TABLE, Reason.SAME_DIRECTION, "as seen"))
    meant = play.game("T1")
    play.rest("17")
    assert (round_of(play).spin.number, play.table.meters.no_spins, len(play.house.incidents.all)) == (2, 1, 0)
    bet = PlaceBets(*meant, (("20", 1_00),))
    assert not isinstance(play.ask(bet, DeviceId("T1")), Refusal)


@pytest.mark.clause("us-double-zero", "Irregularities (1)")
def test_sensor_sees_the_wrong_direction() -> None:
    """Equal directions prompt the dealer; if nobody announces it the number is not accepted all the same."""
    play = betting(T1="4 on 17")
    play.must(BallLaunched(TABLE, opposite=False, turning=True), WHEEL)
    assert play.house.incidents.all[Number(1)].clause == "Irregularities (1)"
    play.by("dealer", CloseBets(TABLE))
    assert phase(play) is Phase.RUNNING
    play.must(BallAtRest(TABLE, Pocket("17"), 9), WHEEL)
    assert_no_spin(play, Reason.SAME_DIRECTION, "Irregularities (1)")


@pytest.mark.clause("us-double-zero", "Irregularities (1)")
def test_ball_is_spun_again_in_the_same_round() -> None:
    """After no spin the same $4 play in the next spin of the round, which must be spun and closed anew."""
    play = spinning(T1="4 on 17", T2="4 on red")
    play.by("dealer", CallNoSpin(TABLE, Reason.SAME_DIRECTION, "as seen", ball_removed=True))
    play.remove("T2", "red")
    assert refused(play.by("dealer", CloseBets(TABLE)))[0] == "close_before_spin"
    play.close()
    play.rest("17")
    assert (round_of(play).number, round_of(play).status) == (1, RoundStatus.SETTLED)
    assert (play.credit("T1"), play.layout("T1"), play.credit("T2")) == (236, {"17": 4}, 100)
    play.check()


@pytest.mark.clause("us-double-zero", "Irregularities (1)")
@pytest.mark.parametrize(
    ("person", "reason", "code"),
    [
        ("cashier", Reason.SAME_DIRECTION, "not_authorised"),
        ("dealer", Reason.NOT_COVERED, "not_authorised"),
        ("dealer", Reason.BALL_BROKEN, "reason_not_listed"),
        ("supervisor", Reason.BALL_OUT_OF_WHEEL, "reason_not_listed"),
    ],
)
def test_no_spin_that_is_not_announced(person: str, reason: Reason, code: str) -> None:
    """No spin is for the dealer and for three reasons; what the rules do not name a supervisor calls as not covered."""
    play = spinning(T1="4 on 17")
    assert refused(play.by(person, CallNoSpin(TABLE, reason, "as seen")))[0] == code
    assert phase(play) is Phase.RUNNING
    play.by("supervisor", CallNoSpin(TABLE, Reason.NOT_COVERED, "the ball left the wheel"))
    assert_no_spin(play, Reason.NOT_COVERED, "Rotation (3)")


@pytest.mark.clause("us-double-zero", "Irregularities (3)")
def test_foreign_object_before_the_ball_rests() -> None:
    """The button at 19 s makes it no spin: the ball that rests in 17 at 20 s pays nothing."""
    play = spinning(T1="4 on 17")
    play.at(19)
    play.by("dealer", CallNoSpin(TABLE, Reason.FOREIGN_OBJECT, "as seen"))
    assert_no_spin(play, Reason.FOREIGN_OBJECT, "Irregularities (3)")
    play.at(20)
    play.rest("17")
    assert (play.credit("T1"), play.layout("T1"), play.table.numbers) == (97, {"17": 3}, ())
    play.check()


def resting() -> Play:
    """Find a table where the ball came to rest in 17 at 20 s and nothing is paid yet, with $4 on 17, at 21 s."""
    play = spinning(CONFIRMS, T1="4 on 17")
    play.at(20)
    play.rest("17")
    play.at(21)
    assert phase(play) is Phase.AT_REST
    return play


@pytest.mark.clause("us-double-zero", "Irregularities (3)")
def test_foreign_object_reported_after_rest() -> None:
    """The button at 21 s that says the object came before rest makes it no spin, as nothing has been paid."""
    play = resting()
    play.by("dealer", CallNoSpin(TABLE, Reason.FOREIGN_OBJECT, "as seen", before_rest=True))
    assert_no_spin(play, Reason.FOREIGN_OBJECT, "Irregularities (3)")


@pytest.mark.clause("us-double-zero", "Irregularities (3)")
@pytest.mark.parametrize("referring", [False, True])
def test_foreign_object_after_rest(referring: bool) -> None:  # noqa: FBT001 - a case of the table
    """The button at 21 s that says the object came after rest is refused: 17 stands, or a supervisor says so."""
    play = resting()
    after = CallNoSpin(TABLE, Reason.FOREIGN_OBJECT, "as seen", before_rest=False)
    assert refused(play.by("dealer", after)) == ("cause_after_rest", "Irregularities (3)")
    assert (phase(play), play.credit("T1")) == (Phase.AT_REST, 96)
    if referring:
        play.by("dealer", ReferRound(TABLE, "a coin fell into the wheel"))
        decision = DecideReferral(TABLE, ReferralDecision.SETTLE, "the ball was at rest")
        assert refused(play.by("dealer", decision))[0] == "not_authorised"
        play.by("supervisor", decision)
    else:
        play.by("dealer", ConfirmResult(TABLE, Pocket("17")))
    assert (play.table.numbers, play.credit("T1"), play.layout("T1")) == (("17",), 236, {"17": 4})
    play.check()


@pytest.mark.clause("us-double-zero", "Irregularities (3)")
def test_foreign_object_after_payment() -> None:
    """Once $4 on 17 are paid the button is refused, whatever it says."""
    play = spinning(T1="4 on 17")
    play.rest("17")
    assert isinstance(play.by("dealer", CallNoSpin(TABLE, Reason.FOREIGN_OBJECT, "as seen")), Refusal)
    assert (round_of(play).status, play.credit("T1")) == (RoundStatus.SETTLED, 236)


@pytest.mark.clause("us-double-zero", "Irregularities (4)")
@pytest.mark.parametrize("late", ["2 on 17", "2 on red; 2 on 20"])
def test_late_wager_is_returned_and_the_spin_stands(late: str) -> None:
    """P2's $2 after the close are not taken and win no 70 on 17; P1's $4 placed in time are paid 140."""
    play = spinning(P1="4 on 17", P2="")
    assert refused(play.bet("P2", late)) == ("bets_closed", "Irregularities (4)")
    assert (play.credit("P2"), play.layout("P2"), phase(play)) == (100, {}, Phase.RUNNING)
    play.rest("17")
    assert (play.credit("P1"), play.credit("P2")) == (236, 100)
    play.check()


@pytest.mark.clause("us-double-zero", "Irregularities (4)")
def test_late_wager_on_top_of_one_in_time() -> None:
    """$2 more on 17 after the close are not taken, and the $2 that lay there in time are paid 70."""
    play = spinning(P1="2 on 17")
    assert refused(play.bet("P1", "2 on 17")) == ("bets_closed", "Irregularities (4)")
    play.rest("17")
    assert (play.credit("P1"), play.layout("P1")) == (168, {"17": 2})
    play.check()


@pytest.mark.clause("us-double-zero", "Irregularities (4)")
def test_wager_in_time_is_not_taken_back_late() -> None:
    """$4 on 17 cannot be taken back after the close, and are lost on 20."""
    play = spinning(P1="4 on 17")
    assert refused(play.remove("P1", "17"))[0] == "bets_closed"
    play.rest("20")
    assert (play.credit("P1"), play.layout("P1")) == (96, {})
    play.check()


def test_system_stops_while_the_ball_runs() -> None:
    """A spin that the system lost is no spin, and chips stay where they lie; a second start changes nothing more."""
    play = spinning(T1="4 on 17")
    play.must(Recover())
    assert_no_spin(play, Reason.NOT_COVERED, "Rotation (3)")
    play.recover_again()
    assert (round_of(play).spin.number, play.layout("T1")) == (2, {"17": 3})


def test_system_stops_after_the_ball_is_at_rest() -> None:
    """A ball that the wheel had seen at rest in 17 settles $4 on 17 with 140 once the dealer confirms it."""
    play = resting()
    play.must(Recover())
    play.by("dealer", ConfirmResult(TABLE, Pocket("17")))
    assert (play.table.numbers, play.credit("T1")) == (("17",), 236)
    play.check()
