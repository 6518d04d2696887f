"""Marina Bay Sands in the house: what voids a round, by the wheel's word or by somebody's, and until when."""

import pytest

from croupier.house.floor.incidents import IncidentKind
from croupier.house.ids import SECOND, DeviceId, Number, TerminalId
from croupier.house.rounds.irregularities import CallNoSpin, RoundVoided, WheelTrouble
from croupier.house.rounds.opening import OpenBets
from croupier.house.rounds.referrals import DecideReferral, ReferralDecision, ReferRound
from croupier.house.rounds.results import BallAtRest, ConfirmResult, ReportIgnored
from croupier.house.rounds.spinning import BallLaunched, BallLeftTrack
from croupier.house.settings import TableSettings
from croupier.house.state.tables import Phase, Round, RoundStatus
from croupier.house.views import terminal_view
from croupier.journal.entry import Entry
from croupier.rules.geometry import Pocket
from croupier.rules.procedure import Reason
from croupier.rules.refusal import Refusal
from tests.support.house_driver import TABLE, Play, refused, with_bets
from tests.support.rules_driver import RulesDriver

VENUE = "marina-bay-sands-2020"
row = RulesDriver(VENUE).row
WHEEL = DeviceId(TABLE)
CONFIRMS = TableSettings(confirms=True)


def closed(*settings: TableSettings, **slips: str) -> Play:
    """Find a table where betting is closed, each seat with 100 less what its slip cost."""
    play = with_bets(VENUE, *settings, **slips)
    play.close()
    return play


def spinning(*settings: TableSettings, **slips: str) -> Play:
    """Find a table where the ball has been running since 0 s."""
    play = closed(*settings, **slips)
    play.must(BallLaunched(TABLE, opposite=True, turning=True), WHEEL)
    return play


def resting(**slips: str) -> Play:
    """Find a table where the ball came to rest in 17 at 15 s, and the dealer has not confirmed it yet."""
    play = spinning(CONFIRMS, **slips)
    play.at(15)
    play.rest("17")
    assert play.table.phase is Phase.AT_REST
    return play


def round_of(play: Play) -> Round:
    assert play.table.round is not None
    return play.table.round


def voiding(play: Play) -> tuple[Entry, RoundVoided]:
    """Find the entry by which the round became void."""
    entry = next(each for each in play.journal.entries() if isinstance(each.event, RoundVoided))
    assert isinstance(entry.event, RoundVoided)
    return entry, entry.event


def assert_void(play: Play, reason: Reason, clause: str, **credits_: int) -> None:
    """Assert that the round is void for a reason: stakes are back, no spin is shown and no number is on record."""
    round_ = round_of(play)
    assert (round_.status, round_.reason, round_.clause) == (RoundStatus.VOID, reason, clause)
    assert {seat: play.credit(seat) for seat in credits_} == credits_
    assert {seat: play.layout(seat) for seat in credits_} == {seat: {} for seat in credits_}
    shown = {terminal_view(play.house, TerminalId(seat), TABLE, play.now).message for seat in credits_}
    assert shown == {"no spin"}
    assert play.table.numbers == ()
    play.check()


@pytest.mark.clause("marina-bay-sands-2020", "5.1")
def test_ball_launched_the_way_the_wheel_turns() -> None:
    """Directions that are equal at the launch void the round; 17 then comes to nothing, and 10 on 17 are back."""
    play = closed(T1="10 on 17")
    play.must(BallLaunched(TABLE, opposite=False, turning=True), WHEEL)
    assert_void(play, Reason.SAME_DIRECTION, "5.1", T1=100)
    assert isinstance(play.must(BallAtRest(TABLE, Pocket("17"), 9), WHEEL)[0], ReportIgnored)
    assert_void(play, Reason.SAME_DIRECTION, "5.1", T1=100)


@pytest.mark.clause("marina-bay-sands-2020", "5.1")
def test_direction_seen_only_with_the_number() -> None:
    """Directions that the wheel reports as equal together with the number void the round as well."""
    play = closed(T1="10 on 17")
    play.spin()
    play.rest("17", opposite=False)
    assert_void(play, Reason.SAME_DIRECTION, "5.1", T1=100)


@pytest.mark.parametrize(
    ("launch", "reason"),
    [
        row("5.1", BallLaunched(TABLE, opposite=False, turning=True), Reason.SAME_DIRECTION),
        row("5.9", BallLaunched(TABLE, opposite=True, turning=False), Reason.WHEEL_NOT_TURNING),
    ],
)
def test_sensor_speaks_after_the_dealer_has_pressed_spin(launch: BallLaunched, reason: Reason) -> None:
    """What the launch sensor saw voids the round also where the dealer's Spin came a moment before it."""
    play = closed(T1="10 on 17")
    play.spin()
    play.must(launch, WHEEL)
    assert (round_of(play).status, round_of(play).reason, play.credit("T1")) == (RoundStatus.VOID, reason, 100)


@pytest.mark.parametrize(
    ("revolutions", "reason", "clause"),
    [
        row("5.2", 0, Reason.BALL_DROPPED, "5.2"),
        row("5.3", 1, Reason.TOO_FEW_REVOLUTIONS, "5.3"),
        row("5.3", 3, Reason.TOO_FEW_REVOLUTIONS, "5.3"),
    ],
)
@pytest.mark.parametrize("track", [True, False])
def test_too_few_revolutions_void_the_round(
    revolutions: int,
    reason: Reason,
    clause: str,
    track: bool,  # noqa: FBT001 - a case of the table
) -> None:
    """Fewer than four revolutions, counted as the ball leaves the track or rests in 5, give 20 back."""
    play = spinning(T1="10 on 5; 10 on red")
    report = BallLeftTrack(TABLE, revolutions) if track else BallAtRest(TABLE, Pocket("5"), revolutions)
    play.must(report, WHEEL)
    assert_void(play, reason, clause, T1=100)


@pytest.mark.clause("marina-bay-sands-2020", "5.3")
def test_four_revolutions_are_enough() -> None:
    """After four revolutions, on the track as at rest, the round is settled on 5."""
    play = spinning(T1="10 on 5")
    play.must(BallLeftTrack(TABLE, 4), WHEEL)
    assert play.house.incidents.all == {}
    play.must(BallAtRest(TABLE, Pocket("5"), 4), WHEEL)
    assert (round_of(play).status, play.table.numbers, play.credit("T1")) == (RoundStatus.SETTLED, ("5",), 450)
    play.check()


@pytest.mark.clause("marina-bay-sands-2020", "5.4")
def test_foreign_object_before_the_ball_rests() -> None:
    """The button at 10 s voids the round; the ball that rests at 15 s wins nothing."""
    play = spinning(T1="10 on 17")
    play.at(10)
    play.by("dealer", CallNoSpin(TABLE, Reason.FOREIGN_OBJECT, "as seen"))
    play.at(15)
    play.rest("17")
    assert_void(play, Reason.FOREIGN_OBJECT, "5.4", T1=100)


@pytest.mark.clause("marina-bay-sands-2020", "5.4")
def test_foreign_object_reported_after_rest() -> None:
    """The button at 16 s that says the object came before rest voids the round: 10 are back and 350 are not paid."""
    play = resting(T1="10 on 17")
    play.at(16)
    play.by("dealer", CallNoSpin(TABLE, Reason.FOREIGN_OBJECT, "as seen", before_rest=True))
    assert_void(play, Reason.FOREIGN_OBJECT, "5.4", T1=100)


@pytest.mark.clause("marina-bay-sands-2020", "5.4")
@pytest.mark.clause("marina-bay-sands-2020", "6.1")
def test_foreign_object_after_rest_is_for_the_shift_manager() -> None:
    """The button at 16 s that says the object came after rest is refused; the Gaming Shift Manager decides on 17."""
    play = resting(T1="10 on 17")
    play.at(16)
    after = CallNoSpin(TABLE, Reason.FOREIGN_OBJECT, "as seen", before_rest=False)
    assert refused(play.by("dealer", after)) == ("cause_after_rest", "5.4")
    assert (play.table.phase, play.credit("T1")) == (Phase.AT_REST, 90)
    play.by("dealer", ReferRound(TABLE, "a coin fell into the wheel after rest"))
    play.by("gaming shift manager", DecideReferral(TABLE, ReferralDecision.SETTLE, "the ball was at rest"))
    assert (round_of(play).pocket, play.credit("T1")) == ("17", 450)
    play.check()


@pytest.mark.parametrize(
    "reason",
    [
        row("5.4", Reason.FOREIGN_OBJECT),
        row("5.6", Reason.BALL_OUT_OF_WHEEL),
        row("5.8", Reason.WHEEL_STOPPED),
    ],
)
def test_wheel_alarm_after_the_ball_is_at_rest(reason: Reason) -> None:
    """A wheel alarm after the ball is at rest notifies staff and voids nothing: 17 can still be settled."""
    play = resting(T1="10 on 17")
    play.at(16)
    play.must(WheelTrouble(TABLE, reason), WHEEL)
    assert play.house.incidents.all[Number(1)].kind is IncidentKind.WHEEL_TROUBLE
    play.by("dealer", ConfirmResult(TABLE, Pocket("17")))
    assert (round_of(play).status, play.credit("T1")) == (RoundStatus.SETTLED, 450)


@pytest.mark.clause("marina-bay-sands-2020", "5.8")
def test_wheel_that_stands_while_bets_are_open() -> None:
    """A wheel that stands before the ball is set going voids nothing: it stopped under no ball that was spinning."""
    play = Play(VENUE)
    play.seats(T1=100)
    play.open()
    play.bet("T1", "10 on 17")
    play.must(WheelTrouble(TABLE, Reason.WHEEL_STOPPED), WHEEL)
    assert (play.table.phase, play.layout("T1")) == (Phase.OPEN, {"17": 10})


@pytest.mark.clause("marina-bay-sands-2020", "5.5")
def test_ball_that_falls_into_no_compartment() -> None:
    """Without a number 120 s after the launch staff are notified and the round is void; a later number is ignored."""
    play = spinning(TableSettings(rest_s=120), T1="10 on 17")
    play.at(119.9)
    assert play.table.phase is Phase.RUNNING
    play.at(120.1)
    assert play.house.incidents.all[Number(1)].kind is IncidentKind.BALL_NOT_SEATED
    assert_void(play, Reason.BALL_NOT_SEATED, "5.5", T1=100)
    play.rest("17")
    assert_void(play, Reason.BALL_NOT_SEATED, "5.5", T1=100)


@pytest.mark.parametrize(
    ("reason", "clause"),
    [
        row("5.4", Reason.FOREIGN_OBJECT, "5.4"),
        row("5.6", Reason.BALL_OUT_OF_WHEEL, "5.6"),
        row("5.8", Reason.WHEEL_STOPPED, "5.8"),
    ],
)
def test_wheel_sees_trouble_while_the_ball_runs(reason: Reason, clause: str) -> None:
    """The wheel's word alone voids the round at once: 5, 10 and 15 of three terminals, 30 in all, are back."""
    play = spinning(T1="5 on 17", T2="10 on 17", T3="15 on red")
    play.must(WheelTrouble(TABLE, reason), WHEEL)
    assert_void(play, reason, clause, T1=100, T2=100, T3=100)
    assert play.house.incidents.all[Number(1)].clause == clause


@pytest.mark.parametrize(
    ("reason", "clause"),
    [row("5.7", Reason.BALL_BROKEN, "5.7"), row("5.10", Reason.INTERFERENCE, "5.10")],
)
def test_what_no_sensor_can_judge(reason: Reason, clause: str) -> None:
    """A broken ball or a hand in the wheel is for people to announce: the wheel's word only tells them."""
    play = spinning(T1="10 on 17")
    play.must(WheelTrouble(TABLE, reason), WHEEL)
    assert (play.table.phase, play.house.incidents.all[Number(1)].clause) == (Phase.RUNNING, clause)


@pytest.mark.clause("marina-bay-sands-2020", "5.7")
def test_ball_breaks() -> None:
    """The dealer's button at 8 s gives 10 and 25 back, and the record holds the reason, the dealer and the time."""
    play = spinning(T1="10 on 17", T2="25 on red")
    play.at(8)
    play.by("dealer", CallNoSpin(TABLE, Reason.BALL_BROKEN, "in two halves"))
    assert_void(play, Reason.BALL_BROKEN, "5.7", T1=100, T2=100)
    entry, event = voiding(play)
    assert (event.reason, event.words) == (Reason.BALL_BROKEN, "in two halves")
    assert (entry.context.person, entry.context.device, entry.context.now) == ("dealer", "dealer's console", 8 * SECOND)


@pytest.mark.clause("marina-bay-sands-2020", "5.9")
def test_wheel_not_turning_at_the_launch() -> None:
    """A launch while the wheel stands voids the round, and not as a wheel that stopped later."""
    play = closed(T1="10 on 17")
    play.must(BallLaunched(TABLE, opposite=True, turning=False), WHEEL)
    assert_void(play, Reason.WHEEL_NOT_TURNING, "5.9", T1=100)


@pytest.mark.clause("marina-bay-sands-2020", "5.10")
def test_interference() -> None:
    """The pit supervisor's button during the spin voids the round: 17 pays no 350, and the record names who it was."""
    play = spinning(T1="10 on 17")
    play.by("pit supervisor", CallNoSpin(TABLE, Reason.INTERFERENCE, "as seen"))
    play.rest("17")
    assert_void(play, Reason.INTERFERENCE, "5.10", T1=100)
    assert voiding(play)[0].context.person == "pit supervisor"


BUTTONS = [
    ("5.1", Reason.SAME_DIRECTION),
    ("5.2", Reason.BALL_DROPPED),
    ("5.3", Reason.TOO_FEW_REVOLUTIONS),
    ("5.4", Reason.FOREIGN_OBJECT),
    ("5.5", Reason.BALL_NOT_SEATED),
    ("5.6", Reason.BALL_OUT_OF_WHEEL),
    ("5.7", Reason.BALL_BROKEN),
    ("5.8", Reason.WHEEL_STOPPED),
    ("5.9", Reason.WHEEL_NOT_TURNING),
    ("5.10", Reason.INTERFERENCE),
    ("5.15", Reason.SUSPICION),
]


@pytest.mark.parametrize(("reason", "clause"), [row(clause, reason, clause) for clause, reason in BUTTONS])
@pytest.mark.parametrize("at_rest", [False, True])
def test_button_voids_until_the_round_is_settled(
    reason: Reason,
    clause: str,
    at_rest: bool,  # noqa: FBT001 - a case of the table
) -> None:
    """The dealer's button gives 10 on 17 back, while the ball runs and when it rests in 17 unsettled."""
    play = resting(T1="10 on 17") if at_rest else spinning(T1="10 on 17")
    play.by("dealer", CallNoSpin(TABLE, reason, "seen"))
    assert_void(play, reason, clause, T1=100)
    assert not isinstance(play.by("dealer", OpenBets(TABLE)), Refusal)


@pytest.mark.parametrize("reason", [row(clause, reason) for clause, reason in BUTTONS])
def test_button_after_settlement_is_refused(reason: Reason) -> None:
    """Once 10 on 17 are settled the round is concluded: the button is refused and 450 stay on the meter."""
    play = spinning(T1="10 on 17")
    play.rest("17")
    assert refused(play.by("dealer", CallNoSpin(TABLE, reason, "as seen"))) == ("out_of_turn", "1.1.4")
    assert (round_of(play).status, play.credit("T1")) == (RoundStatus.SETTLED, 450)
    play.check()


@pytest.mark.clause("marina-bay-sands-2020", "5.15")
def test_no_spin_is_announced_before_the_ball_rests() -> None:
    """No spin at 20 s outdoes 17 at 25 s: 10 on 17 come back, not 360, and 17 is in no history."""
    play = spinning(T1="10 on 17")
    play.at(20)
    play.by("pit supervisor", CallNoSpin(TABLE, Reason.SUSPICION, "something is odd"))
    play.at(25)
    play.rest("17")
    assert_void(play, Reason.SUSPICION, "5.15", T1=100)
    entry, event = voiding(play)
    assert (entry.context.person, event.words) == ("pit supervisor", "something is odd")


@pytest.mark.clause("marina-bay-sands-2020", "5.15")
@pytest.mark.parametrize("person", ["dealer", "pit supervisor", "pit manager", "gaming shift manager"])
@pytest.mark.parametrize("step", ["open", "close", "spin"])
def test_no_spin_by_those_who_may(person: str, step: str) -> None:
    """A dealer and everybody above may announce no spin as soon as the round has begun."""
    play = Play(VENUE)
    play.seats(T1=100)
    play.open()
    play.bet("T1", "10 on 17")
    if step != "open":
        play.close()
    if step == "spin":
        play.spin()
    play.by(person, CallNoSpin(TABLE, Reason.SUSPICION, "as seen"))
    assert_void(play, Reason.SUSPICION, "5.15", T1=100)


@pytest.mark.clause("marina-bay-sands-2020", "5.15")
@pytest.mark.parametrize("person", ["cashier", "technician", "auditor"])
def test_no_spin_by_others(person: str) -> None:
    """No spin by somebody outside the pit is refused, and the ball runs on."""
    play = spinning(T1="10 on 17")
    assert refused(play.by(person, CallNoSpin(TABLE, Reason.SUSPICION, "as seen")))[0] == "not_authorised"
    assert (play.table.phase, play.credit("T1")) == (Phase.RUNNING, 90)


@pytest.mark.parametrize("reason", [row("5.10", Reason.INTERFERENCE), row("5.15", Reason.SUSPICION)])
def test_no_spin_for_what_came_after_rest(reason: Reason) -> None:
    """A hand in the wheel, or a suspicion, voids the round until it is settled, also if it came after rest."""
    play = resting(T1="10 on 17")
    play.by("pit supervisor", CallNoSpin(TABLE, reason, "as seen", before_rest=False))
    assert (round_of(play).status, play.credit("T1")) == (RoundStatus.VOID, 100)


@pytest.mark.clause("marina-bay-sands-2020", "5.15")
@pytest.mark.parametrize("reason", [Reason.COMMOTION, Reason.FRAUD_BY_PLAYER, Reason.MALFUNCTION])
def test_no_spin_for_what_the_rules_do_not_name(reason: Reason) -> None:
    """What these rules have no button for is refused and goes to the Gaming Shift Manager."""
    play = spinning(T1="10 on 17")
    assert refused(play.by("dealer", CallNoSpin(TABLE, reason, "as seen"))) == ("reason_not_listed", "6.1")
    assert play.table.phase is Phase.RUNNING
