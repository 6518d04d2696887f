"""Marina Bay Sands in the house: who decides what the rules do not cover, and who acts for whom."""

import pytest

from croupier.house.declare import Command
from croupier.house.floor.service import CloseTerminal, ReopenTerminal
from croupier.house.floor.signatures import Approve, ProposalMade
from croupier.house.floor.staff import AppointActing
from croupier.house.ids import SECOND, DeviceId, Instant, PersonId, RoundNumber, TerminalId
from croupier.house.rounds.closing import CloseBets
from croupier.house.rounds.corrections import CorrectResult
from croupier.house.rounds.irregularities import CallNoSpin, WheelTrouble
from croupier.house.rounds.opening import OpenBets
from croupier.house.rounds.referrals import DecideReferral, ReferralDecided, ReferralDecision, ReferRound
from croupier.house.rounds.results import BallAtRest, ConfirmResult, EnterResult
from croupier.house.rounds.spinning import BallLaunched, BallLeftTrack, SpinBall
from croupier.house.settings import TableSettings
from croupier.house.state.tables import Phase, ResultSource, Round, RoundStatus
from croupier.rules.geometry import Pocket
from croupier.rules.procedure import Reason
from croupier.rules.refusal import Refusal
from tests.support.house_driver import TABLE, Play, refused

VENUE = "marina-bay-sands-2020"
WHEEL = DeviceId(TABLE)
CONFIRMS = TableSettings(confirms=True)
HOUR = 3600 * SECOND
MANAGER = "gaming shift manager"


def round_of(play: Play) -> Round:
    assert play.table.round is not None
    return play.table.round


def referred(*settings: TableSettings, slip: str = "10 on 17") -> Play:
    """Find a round referred to the Gaming Shift Manager while the ball runs, with a slip at T1."""
    play = Play(VENUE, *settings)
    play.seats(T1=100)
    play.open()
    play.bet("T1", slip)
    play.close()
    play.spin()
    play.by("dealer", ReferRound(TABLE, "a drink was spilt over the display"))
    return play


@pytest.mark.clause("marina-bay-sands-2020", "6.1")
def test_shift_manager_settles_what_was_referred() -> None:
    """The dealer cannot settle a referred round; the Gaming Shift Manager settles it on 17, and 10 pay 350."""
    play = referred()
    assert refused(play.by("dealer", ConfirmResult(TABLE, Pocket("17"))))[0] == "round_suspended"
    settling = DecideReferral(TABLE, ReferralDecision.SETTLE, "the spin was good", Pocket("17"))
    for person in ("dealer", "pit supervisor", "pit manager"):
        assert refused(play.by(person, settling)) == ("not_authorised", "6.1")
    assert (round_of(play).status, play.credit("T1")) == (RoundStatus.SUSPENDED, 90)
    play.by(MANAGER, settling)
    result = round_of(play).result
    assert result is not None
    assert (result.source, play.credit("T1")) == (ResultSource.DECIDED, 450)
    entry = next(each for each in play.journal.entries() if isinstance(each.event, ReferralDecided))
    assert isinstance(entry.event, ReferralDecided)
    assert (entry.context.person, entry.event.verdict, entry.event.clause) == (MANAGER, ReferralDecision.SETTLE, "6.1")
    assert entry.event.words == "the spin was good"
    play.check()


@pytest.mark.clause("marina-bay-sands-2020", "6.1")
def test_shift_manager_voids_what_was_referred() -> None:
    """Decided as void, a referred round gives 10 on 17 back."""
    play = referred()
    play.by(MANAGER, DecideReferral(TABLE, ReferralDecision.VOID, "nobody could see it"))
    assert (round_of(play).status, round_of(play).clause, play.credit("T1")) == (RoundStatus.VOID, "6.1", 100)
    assert not isinstance(play.by("dealer", OpenBets(TABLE)), Refusal)
    play.check()


@pytest.mark.clause("marina-bay-sands-2020", "6.1")
@pytest.mark.parametrize("rested", [False, True])
def test_referred_round_goes_on(rested: bool) -> None:  # noqa: FBT001 - a case of the table
    """A referred round that goes on is settled by the wheel's number, which came during the referral or after."""
    play = referred(CONFIRMS)
    if rested:
        play.rest("17")
    play.by(MANAGER, DecideReferral(TABLE, ReferralDecision.GO_ON, "nothing was amiss"))
    if not rested:
        play.rest("17")
    assert play.table.phase is Phase.AT_REST
    play.by("dealer", ConfirmResult(TABLE, Pocket("17")))
    assert play.credit("T1") == 450
    play.check()


@pytest.mark.clause("marina-bay-sands-2020", "6.1")
@pytest.mark.parametrize(
    "command",
    [
        OpenBets(TABLE),
        CloseBets(TABLE),
        SpinBall(TABLE),
        ConfirmResult(TABLE, Pocket("17")),
        EnterResult(TABLE, Pocket("17"), Pocket("17")),
        CallNoSpin(TABLE, Reason.SUSPICION, "as seen"),
        ReferRound(TABLE, "again"),
    ],
    ids=lambda command: type(command).__name__,
)
def test_nothing_else_moves_a_referred_round(command: Command) -> None:
    """While a round is referred nothing of it is settled or void, and no other opens, whoever asks."""
    play = referred()
    for person in ("dealer", MANAGER):
        assert refused(play.by(person, command))[0] == "round_suspended"
    assert (round_of(play).status, play.credit("T1")) == (RoundStatus.SUSPENDED, 90)
    play.at(3600)
    assert (round_of(play).status, play.credit("T1")) == (RoundStatus.SUSPENDED, 90)


@pytest.mark.clause("marina-bay-sands-2020", "6.1")
def test_number_during_a_referral_settles_nothing() -> None:
    """A ball that comes to rest during a referral waits for the decision, which may rest on that number."""
    play = referred()
    play.rest("17")
    assert (round_of(play).status, play.credit("T1"), play.table.numbers) == (RoundStatus.SUSPENDED, 90, ())
    play.by(MANAGER, DecideReferral(TABLE, ReferralDecision.SETTLE, "as the wheel says"))
    assert (round_of(play).pocket, play.credit("T1")) == ("17", 450)
    play.check()


@pytest.mark.clause("marina-bay-sands-2020", "6.1")
@pytest.mark.parametrize("sight", ["trouble", "track", "rest"])
def test_wheel_does_not_void_a_referred_round(sight: str) -> None:
    """What the wheel sees go wrong during a referral is for the Gaming Shift Manager too: nothing is void before."""
    play = referred()
    if sight == "rest":
        play.rest("17", 3)
    else:
        trouble = WheelTrouble(TABLE, Reason.WHEEL_STOPPED)
        play.must(trouble if sight == "trouble" else BallLeftTrack(TABLE, 3), WHEEL)
    assert (round_of(play).status, play.credit("T1")) == (RoundStatus.SUSPENDED, 90)


def referred_before_the_spin(*, closed: bool) -> Play:
    """Find a round referred before the ball was set going, with 10 on 17 at T1."""
    play = Play(VENUE)
    play.seats(T1=100)
    play.open()
    play.bet("T1", "10 on 17")
    if closed:
        play.close()
    play.by("dealer", ReferRound(TABLE, "a player protests"))
    return play


@pytest.mark.clause("marina-bay-sands-2020", "6.1")
@pytest.mark.parametrize(
    ("closed", "report"),
    [
        (True, BallLaunched(TABLE, opposite=False, turning=True)),
        (True, BallLaunched(TABLE, opposite=True, turning=False)),
        (False, BallLaunched(TABLE, opposite=True, turning=True)),
        (False, BallAtRest(TABLE, Pocket("17"), 9, opposite=True)),
    ],
)
def test_ball_does_not_void_what_was_referred_before_the_spin(
    closed: bool,  # noqa: FBT001 - a case of the table
    report: BallLaunched | BallAtRest,
) -> None:
    """Whatever the wheel reports of a round that was referred before the spin, an hour later it is still undecided."""
    play = referred_before_the_spin(closed=closed)
    play.must(report, WHEEL)
    play.at(3600)
    assert (round_of(play).status, play.credit("T1")) == (RoundStatus.SUSPENDED, 90)


@pytest.mark.clause("marina-bay-sands-2020", "6.1")
def test_round_whose_ball_never_ran_cannot_be_settled() -> None:
    """Without a spin there is no number to settle on: the Gaming Shift Manager's decision for one is refused."""
    play = referred_before_the_spin(closed=True)
    play.by(MANAGER, DecideReferral(TABLE, ReferralDecision.SETTLE, "why not", Pocket("17")))
    assert (round_of(play).status, play.credit("T1")) == (RoundStatus.SUSPENDED, 90)


@pytest.mark.clause("marina-bay-sands-2020", "6.1")
def test_decision_to_go_on_does_not_make_an_invalid_spin_good() -> None:
    """Three revolutions seen during a referral still count against the spin when the round goes on."""
    play = referred()
    play.rest("17", 3)
    play.by(MANAGER, DecideReferral(TABLE, ReferralDecision.GO_ON, "nothing was amiss"))
    play.by("dealer", ConfirmResult(TABLE, Pocket("17")))
    assert (round_of(play).status is RoundStatus.SETTLED, play.table.numbers) == (False, ())


@pytest.mark.clause("marina-bay-sands-2020", "6.1")
@pytest.mark.parametrize(
    ("decision", "code"),
    [
        (DecideReferral(TABLE, ReferralDecision.VOID, " "), "reason_not_listed"),
        (DecideReferral(TABLE, ReferralDecision.SETTLE, "", Pocket("17")), "reason_not_listed"),
        (DecideReferral(TABLE, ReferralDecision.SETTLE, "by heart", Pocket("37")), "pocket_not_on_wheel"),
        (DecideReferral(TABLE, ReferralDecision.SETTLE, "on nothing"), "pocket_not_on_wheel"),
    ],
)
def test_decision_that_lacks_something(decision: DecideReferral, code: str) -> None:
    """A decision has words to it, and one to settle has a number of the wheel; otherwise nothing moves."""
    play = referred()
    assert refused(play.by(MANAGER, decision))[0] == code
    assert (round_of(play).status, play.credit("T1")) == (RoundStatus.SUSPENDED, 90)


@pytest.mark.clause("marina-bay-sands-2020", "6.1")
def test_round_without_a_seal_cannot_be_settled() -> None:
    """A round referred while bets were open was never sealed: it is voided or goes on, and is not settled."""
    play = Play(VENUE)
    play.seats(T1=100)
    play.open()
    play.bet("T1", "10 on 17")
    assert refused(play.by("dealer", ReferRound(TABLE, " "))) == ("reason_not_listed", "6.1")
    play.by("dealer", ReferRound(TABLE, "a player protests"))
    settling = DecideReferral(TABLE, ReferralDecision.SETTLE, "why not", Pocket("17"))
    assert refused(play.by(MANAGER, settling)) == ("out_of_turn", "6.1")
    play.by(MANAGER, DecideReferral(TABLE, ReferralDecision.GO_ON, "it was nothing"))
    assert (play.table.phase, play.layout("T1")) == (Phase.OPEN, {"17": 10})
    play.check()


@pytest.mark.clause("marina-bay-sands-2020", "6.2")
@pytest.mark.parametrize("person", ["dealer", "pit supervisor", "pit manager", MANAGER])
def test_higher_position_does_what_a_lower_may(person: str) -> None:
    """Everybody from the dealer up may press the dealer's buttons, to the end of the round."""
    play = Play(VENUE, CONFIRMS)
    play.seats(T1=100)
    for command in (OpenBets(TABLE), CloseBets(TABLE), SpinBall(TABLE)):
        assert not isinstance(play.by(person, command), Refusal)
    play.rest("17")
    assert not isinstance(play.by(person, ConfirmResult(TABLE, Pocket("17"))), Refusal)
    assert round_of(play).status is RoundStatus.SETTLED


@pytest.mark.clause("marina-bay-sands-2020", "6.2")
@pytest.mark.parametrize("person", ["cashier", "technician", "auditor"])
def test_others_do_not_deal(person: str) -> None:
    """Those outside the order of the pit press none of its buttons."""
    play = Play(VENUE)
    assert refused(play.by(person, OpenBets(TABLE)))[0] == "not_authorised"
    play.open()
    assert refused(play.by(person, CloseBets(TABLE)))[0] == "not_authorised"


def may(play: Play, person: str) -> bool:
    """Tell whether somebody may do now what is for the pit to do: take a terminal out of service and back in."""
    closing = play.by(person, CloseTerminal(TerminalId("T1"), "for a test"))
    if isinstance(closing, Refusal):
        assert closing.code == "not_authorised"
        return False
    return not isinstance(play.by(person, ReopenTerminal(TerminalId("T1"))), Refusal)


def appoint(play: Play, acting: AppointActing) -> None:
    """Have two managers sign an appointment."""
    made = play.by(MANAGER, acting)
    assert isinstance(made, tuple)
    assert isinstance(made[0], ProposalMade)
    play.enrol("Gaming Shift Manager", "second manager")
    assert isinstance(play.by("second manager", Approve(made[0].proposal)), tuple)


@pytest.mark.clause("marina-bay-sands-2020", "6.2")
@pytest.mark.parametrize(
    ("minutes", "allowed"),
    [(-1, False), (0, True), (60, True), (119, True), (120, False), (121, False)],
)
def test_dealer_acts_as_pit_manager_from_ten_to_twelve(minutes: int, allowed: bool) -> None:  # noqa: FBT001 - a case
    """A dealer who acts as Pit Manager from 10:00 to 12:00 may at 10:00 and 11:00, and not at 9:59, 12:00 or 12:01."""
    play = Play(VENUE)
    play.seats(T1=0)
    acting = AppointActing(PersonId("dealer"), "Pit Manager", Instant(10 * HOUR), Instant(12 * HOUR))
    assert refused(play.by("pit manager", acting))[0] == "not_authorised"
    appoint(play, acting)
    play.at(10 * 3600 + minutes * 60)
    assert may(play, "dealer") is allowed
    assert may(play, "pit manager")


@pytest.mark.clause("marina-bay-sands-2020", "6.2")
def test_acting_does_not_reach_above_the_position() -> None:
    """A dealer acting as Pit Manager corrects numbers, and decides no referral."""
    play = referred()
    appoint(play, AppointActing(PersonId("dealer"), "Pit Manager", Instant(0), Instant(HOUR)))
    decision = DecideReferral(TABLE, ReferralDecision.VOID, "as I see it")
    assert refused(play.by("dealer", decision)) == ("not_authorised", "6.1")
    play.by(MANAGER, decision)
    play.round("17", T1="10 on 17")
    proposed = play.by("dealer", CorrectResult(TABLE, RoundNumber(2), Pocket("20"), "it lies in 20"))
    assert isinstance(proposed, tuple)
    assert isinstance(proposed[0], ProposalMade)
