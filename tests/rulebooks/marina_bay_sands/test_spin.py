"""Marina Bay Sands in the house: the spin, its revolutions, the number, and a ball launched too early."""

from functools import partial

import pytest

from croupier.house.floor.incidents import IncidentKind
from croupier.house.ids import SECOND, DeviceId, Number, TerminalId
from croupier.house.rounds.closing import BetsClosing, CloseReason
from croupier.house.rounds.irregularities import CallNoSpin
from croupier.house.rounds.referrals import DecideReferral, ReferralDecision
from croupier.house.rounds.results import BallAtRest
from croupier.house.rounds.spinning import BallLaunched, SpinBall
from croupier.house.state.tables import Moment, Phase, RoundStatus
from croupier.house.views import TerminalView, terminal_view
from croupier.rules.geometry import Pocket
from croupier.rules.procedure import Reason
from croupier.rules.refusal import Refusal
from croupier.words import seen_text
from tests.support.house_driver import TABLE, Play, open_betting, refused

VENUE = "marina-bay-sands-2020"
WHEEL = DeviceId(TABLE)


def seen(play: Play, seat: str) -> TerminalView:
    """What a terminal shows now."""
    return terminal_view(play.house, TerminalId(seat), TABLE, play.now)


def phase(play: Play) -> Phase:
    return play.table.phase


def status(play: Play) -> RoundStatus:
    assert play.table.round is not None
    return play.table.round.status


betting = partial(open_betting, VENUE)


@pytest.mark.clause("marina-bay-sands-2020", "1.1.3")
@pytest.mark.clause("marina-bay-sands-2020", "3.6")
@pytest.mark.parametrize(
    ("revolutions", "ended", "credit"),
    [(4, RoundStatus.SETTLED, 450), (9, RoundStatus.SETTLED, 450), (3, RoundStatus.VOID, 100)],
)
def test_four_full_revolutions_make_a_spin(revolutions: int, ended: RoundStatus, credit: int) -> None:
    """Four revolutions settle 10 on 17 with 360; after three that are complete the round is void and 10 come back."""
    play = betting(T1=100)
    play.bet("T1", "10 on 17")
    play.close()
    play.spin()
    play.rest("17", revolutions)
    assert (status(play), play.credit("T1")) == (ended, credit)
    play.check()


@pytest.mark.clause("marina-bay-sands-2020", "1.1.3")
@pytest.mark.parametrize("revolutions", [3, 4])
def test_record_holds_how_often_the_ball_went_round(revolutions: int) -> None:
    """The round's record says how many revolutions were counted, in a void round as in a settled one."""
    play = betting(T1=100)
    play.close()
    play.spin()
    play.rest("17", revolutions)
    assert play.table.round is not None
    assert [each.revolutions for each in play.table.round.spin.sightings] == [revolutions]


@pytest.mark.clause("marina-bay-sands-2020", "1.1.5")
def test_spin_from_launch_to_pocket() -> None:
    """A ball launched at 0 s that falls into 17 at 32 s is on record as a spin of 0 to 32 s, opposite to the wheel."""
    play = betting(T1=100)
    play.close()
    began = play.now
    play.must(BallLaunched(TABLE, opposite=True, turning=True), WHEEL)
    play.at(32)
    play.must(BallAtRest(TABLE, Pocket("17"), 9), WHEEL)
    round_ = play.table.round
    assert round_ is not None
    assert (round_.spin.launched_at, round_.spin.rested_at) == (began, began + 32 * SECOND)
    assert [(each.moment, seen_text(each)) for each in round_.spin.sightings] == [
        (Moment.LAUNCH, "against the rotor, rotor turning"),
        (Moment.REST, "9 revolutions"),
    ]
    assert (round_.pocket, round_.status) == ("17", RoundStatus.SETTLED)


@pytest.mark.clause("marina-bay-sands-2020", "1.1.5")
def test_number_without_a_spin_is_no_result() -> None:
    """A number that a wheel reports again, before the ball of the next round was set going, settles nothing."""
    play = Play(VENUE)
    play.seats(T1=100)
    play.round("17", T1="10 on 20")
    play.open()
    play.bet("T1", "10 on 17")
    play.close()
    play.rest("17")
    assert status(play) is not RoundStatus.SETTLED
    assert play.credit("T1") in (80, 90)


@pytest.mark.clause("marina-bay-sands-2020", "3.7")
def test_dealer_does_not_spin_while_bets_are_open() -> None:
    """The dealer's Spin with bets open is refused; after the close it is taken."""
    play = betting(T1=100)
    assert refused(play.by("dealer", SpinBall(TABLE))) == ("spin_before_close", "3.7")
    assert phase(play) is Phase.OPEN
    play.close()
    play.by("dealer", SpinBall(TABLE))
    assert phase(play) is Phase.RUNNING


def launched_early() -> Play:
    """Find a table where the ball was launched while bets were open, with 10 on 17 at T1."""
    play = betting(T1=100)
    play.bet("T1", "10 on 17")
    play.at(10)
    play.must(BallLaunched(TABLE, opposite=True, turning=True), WHEEL)
    return play


@pytest.mark.clause("marina-bay-sands-2020", "3.7")
def test_launch_while_bets_are_open_freezes_them() -> None:
    """A launch seen with bets open freezes them in the same instant, raises an incident, and voids by default."""
    play = launched_early()
    closing = next(event for event in play.events if isinstance(event, BetsClosing))
    assert (closing.why, closing.clause) == (CloseReason.LAUNCH_SEEN, "3.7")
    incident = play.house.incidents.all[Number(1)]
    assert (incident.kind, incident.clause, incident.at) == (IncidentKind.LAUNCH_BEFORE_CLOSE, "3.7", 10 * SECOND)
    assert isinstance(play.bet("T1", "10 on 20"), Refusal)
    assert status(play) is RoundStatus.SUSPENDED
    play.at(69.9)
    assert status(play) is RoundStatus.SUSPENDED
    play.at(70.1)
    assert play.table.round is not None
    assert (play.table.round.status, play.table.round.clause) == (RoundStatus.VOID, "5.15")
    assert (play.credit("T1"), seen(play, "T1").message) == (100, "no spin")
    play.check()


@pytest.mark.clause("marina-bay-sands-2020", "3.7")
@pytest.mark.parametrize(
    ("verdict", "ended", "credit"),
    [(ReferralDecision.SETTLE, RoundStatus.SETTLED, 450), (ReferralDecision.VOID, RoundStatus.VOID, 100)],
)
def test_shift_manager_decides_on_a_launch_while_bets_were_open(
    verdict: ReferralDecision, ended: RoundStatus, credit: int
) -> None:
    """The Gaming Shift Manager lets a launch seen too early count, or voids the round; the dealer cannot let it."""
    play = launched_early()
    play.at(40)
    play.rest("17")
    decision = DecideReferral(TABLE, verdict, "seen on camera")
    assert refused(play.by("dealer", decision)) == ("not_authorised", "6.1")
    assert (status(play), play.credit("T1")) == (RoundStatus.SUSPENDED, 90)
    play.by("gaming shift manager", decision)
    assert (status(play), play.credit("T1")) == (ended, credit)
    play.check()


@pytest.mark.clause("marina-bay-sands-2020", "3.7")
def test_dealer_calls_no_spin_on_a_launch_while_bets_were_open() -> None:
    """The dealer need not wait: no spin voids a round whose ball was launched too early, and 10 come back."""
    play = launched_early()
    play.by("dealer", CallNoSpin(TABLE, Reason.SUSPICION, "launched too early"))
    assert (status(play), play.credit("T1")) == (RoundStatus.VOID, 100)


@pytest.mark.clause("marina-bay-sands-2020", "3.7")
@pytest.mark.parametrize("pocket", ["17", "20"])
def test_number_while_bets_are_open_voids_the_round(pocket: str) -> None:
    """A ball that is at rest before betting was closed makes no result: the round is void, and staff are notified."""
    play = betting(T1=100)
    play.bet("T1", "10 on 17")
    play.rest(pocket)
    assert play.house.incidents.all[Number(1)].kind is IncidentKind.RESULT_BEFORE_SEAL
    assert (status(play), play.credit("T1"), play.table.numbers) == (RoundStatus.VOID, 100, ())
    play.check()


@pytest.mark.clause("marina-bay-sands-2020", "3.8")
def test_winning_number_is_highlighted_on_every_terminal() -> None:
    """On 00 every terminal highlights 00 and nothing else, and no longer once the next round is open."""
    play = betting(T1=100, T2=100, T3=100)
    play.bet("T1", "10 on 00")
    play.close()
    play.spin()
    assert {seen(play, seat).highlighted for seat in ("T1", "T2", "T3")} == {None}
    play.rest("00")
    assert {seen(play, seat).highlighted for seat in ("T1", "T2", "T3")} == {"00"}
    assert {seen(play, seat).numbers for seat in ("T1", "T2", "T3")} == {("00",)}
    play.open()
    assert {seen(play, seat).highlighted for seat in ("T1", "T2", "T3")} == {None}


@pytest.mark.clause("marina-bay-sands-2020", "3.8")
@pytest.mark.parametrize("pocket", ["37", "000", "-1", "red", ""])
def test_number_that_is_not_on_the_wheel_is_no_result(pocket: str) -> None:
    """What is no compartment of the wheel is told to staff and settles nothing; the true number still does."""
    play = betting(T1=100)
    play.bet("T1", "10 on 00")
    play.close()
    play.spin()
    play.rest(pocket)
    assert play.house.incidents.all[Number(1)].kind is IncidentKind.IMPOSSIBLE_POCKET
    assert (phase(play), play.table.numbers) == (Phase.RUNNING, ())
    play.rest("00")
    assert play.credit("T1") == 450
    play.check()
