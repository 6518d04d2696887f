"""SkyCity Adelaide in the house: malfunctions, by the instant at which they are raised."""

import pytest

from croupier.house.floor.malfunctions import ClearCase, ConfirmBets, RaiseMalfunction, VoidBets
from croupier.house.floor.service import ReportTerminalLost, ReportTerminalReturned
from croupier.house.floor.signatures import Approve
from croupier.house.ids import SECOND, Instant, Number, RoundNumber, TerminalId
from croupier.house.play.betting import BetsReturned
from croupier.house.rounds.irregularities import RoundVoided
from croupier.house.rounds.recovery import RaiseSystemMalfunction
from croupier.house.settings import TableSettings
from croupier.house.state.records import CaseState, MalfunctionCase, MalfunctionKind
from croupier.house.timers import Tick
from croupier.house.views import TerminalView, terminal_view
from croupier.rules.procedure import Reason
from croupier.rules.refusal import Refusal
from tests.support.house_driver import TABLE, Play, refused
from tests.support.rules_driver import RulesDriver

VENUE = "skycity-adelaide-2003"
T1 = TerminalId("T1")
ONE = Number(1)
row = RulesDriver(VENUE).row
#: Betting closes at thirty seconds, and a terminal may be dark for five.
TIMED = TableSettings(betting_s=30, offline_grace_s=5)
DRIFT = RaiseMalfunction(T1, MalfunctionKind.OPINION, "touch drift")


def timed(**slips: str) -> Play:
    """Find a table where betting closes at thirty seconds, with these slips on terminals of 100 each."""
    play = Play(VENUE, TIMED)
    play.seats(**dict.fromkeys(slips, 100))
    play.open()
    for seat, slip in slips.items():
        play.bet(seat, slip)
    return play


def case_of(play: Play) -> MalfunctionCase:
    return play.house.cases.all[ONE]


def digest_of(play: Play) -> str:
    assert play.table.round is not None
    return play.table.round.digest


def seen(play: Play, seat: str = "T1") -> TerminalView:
    """What a terminal shows now."""
    return terminal_view(play.house, TerminalId(seat), TABLE, play.now)


def finish(play: Play, pocket: str) -> None:
    play.spin()
    assert not isinstance(play.rest(pocket), Refusal)


def went_back(play: Play) -> list[str]:
    """The clauses by which chips went back to a meter."""
    return [event.clause for event in play.events if isinstance(event, BetsReturned)]


@pytest.mark.clause("skycity-adelaide-2003", "11(b)")
@pytest.mark.clause("skycity-adelaide-2003", "11(b)i")
@pytest.mark.parametrize("second", [0, 10, 24.9, 27, 29.9])
def test_case_raised_before_the_close_voids_the_bets(second: float) -> None:
    """Up to 29.9 seconds T1's 25 go back under 11(b)i, nothing is left to confirm, and T2's 10 are played."""
    play = timed(T1="25 on 17", T2="10 on 17")
    play.at(second)
    play.by("dealer", DRIFT)
    assert (play.credit("T1"), play.layout("T1"), went_back(play)) == (100, {}, ["11(b)i"])
    play.at(31)
    assert refused(play.by("dealer", ConfirmBets(ONE, digest_of(play)))) == ("nothing_there", "11(a)iv")
    assert refused(play.by("dealer", VoidBets(ONE, "no record"))) == ("nothing_there", "11(a)iv")
    finish(play, "17")
    assert (play.credit("T1"), play.layout("T1"), play.credit("T2")) == (100, {}, 440)
    play.check()


@pytest.mark.clause("skycity-adelaide-2003", "11(b)")
@pytest.mark.clause("skycity-adelaide-2003", "11(b)ii")
@pytest.mark.parametrize("second", [30, 30.1, 32])
def test_case_raised_at_the_close_or_later_questions_the_bets(second: float) -> None:
    """From 30.0 seconds on the bets stay sealed and are settled once the records bear them out."""
    play = timed(T1="10 on 17", T2="10 on 17")
    play.at(second)
    play.must(Tick())
    play.by("dealer", DRIFT)
    assert (case_of(play).questioned, went_back(play)) == (((TABLE, RoundNumber(1)),), [])
    finish(play, "17")
    assert (play.credit("T1"), play.credit("T2")) == (90, 440)
    assert not isinstance(play.by("dealer", ConfirmBets(ONE, digest_of(play))), Refusal)
    assert (play.credit("T1") + sum(play.layout("T1").values()), case_of(play).returned) == (450, 360_00)
    play.check()


@pytest.mark.clause("skycity-adelaide-2003", "11(a)iii")
@pytest.mark.clause("skycity-adelaide-2003", "11(b)")
@pytest.mark.parametrize(
    ("lost", "raised", "clauses"), [(24.9, 29.9, ["11(b)i"]), (25, 30, []), (25.1, 30.1, []), (27, 32, [])]
)
def test_heart_beat_is_judged_by_when_its_loss_was_raised(lost: float, raised: float, clauses: list[str]) -> None:
    """A heart-beat lost at 24.9 is raised at 29.9 and voids the bets; lost at 25 or 27 it is raised after the close."""
    play = timed(T1="10 on 17")
    play.at(lost)
    play.must(ReportTerminalLost(T1))
    play.at(40)
    assert (case_of(play).clause, case_of(play).raised_at) == ("11(a)iii", round(raised * SECOND))
    assert went_back(play) == clauses
    assert (play.credit("T1"), bool(case_of(play).questioned)) == ((100, False) if clauses else (90, True))
    play.check()


@pytest.mark.clause("skycity-adelaide-2003", "11(b)")
def test_late_tick_closes_betting_before_it_raises_what_came_later() -> None:
    """With the close due at 30 and the loss at 32, a clock that stood still until 33 does them in that order."""
    play = timed(T1="10 on 17")
    play.at(27)
    play.must(ReportTerminalLost(T1))
    play.now = Instant(33 * SECOND)
    while play.must(Tick()):
        pass
    assert (case_of(play).questioned, play.credit("T1")) == (((TABLE, RoundNumber(1)),), 90)
    play.check()


@pytest.mark.clause("skycity-adelaide-2003", "11(a)iii")
def test_terminal_that_is_back_in_time_plays_on() -> None:
    """A heart-beat that is back after 4.9 seconds raises nothing, and the bets are played as they lay."""
    play = timed(T1="10 on 17")
    play.at(10)
    play.must(ReportTerminalLost(T1))
    assert refused(play.bet("T1", "5 on 18")) == ("terminal_dark", "11(a)iii")
    play.at(14.9)
    play.must(ReportTerminalReturned(T1))
    play.at(31)
    finish(play, "17")
    assert (play.house.cases.all, play.credit("T1")) == ({}, 440)
    play.check()


@pytest.mark.clause("skycity-adelaide-2003", "11(b)ii")
def test_bets_of_a_dark_terminal_are_confirmed_from_the_records() -> None:
    """Dark at the close and raised two seconds later, 10 on 17 bring 350 and the stake by the record."""
    play = timed(T1="10 on 17")
    play.at(27)
    play.must(ReportTerminalLost(T1))
    play.at(33)
    finish(play, "17")
    assert (play.credit("T1"), case_of(play).suspense) == (90, 10_00)
    play.must(ReportTerminalReturned(T1))
    assert refused(play.by("inspector", ClearCase(ONE))) == ("out_of_turn", "11(b)ii")
    play.by("dealer", ConfirmBets(ONE, digest_of(play)))
    assert (case_of(play).state, case_of(play).returned) == (CaseState.CONFIRMED, 360_00)
    assert play.credit("T1") == 450
    play.check()


@pytest.mark.clause("skycity-adelaide-2003", "7(c)vi")
def test_win_that_was_confirmed_from_the_records_is_shown() -> None:
    """Once its bets are confirmed a terminal shows the 350 that it won for the spin."""
    play = timed(T1="10 on 17")
    play.at(31)
    play.by("dealer", DRIFT)
    finish(play, "17")
    play.by("dealer", ConfirmBets(ONE, digest_of(play)))
    assert (seen(play).credit, seen(play).won) == (450_00, 350_00)


@pytest.mark.clause("skycity-adelaide-2003", "11(b)iii")
@pytest.mark.parametrize("pocket", ["17", "18"])
def test_bets_that_cannot_be_confirmed_are_void(pocket: str) -> None:
    """Where the record does not match 10 go back and no win is paid, whatever the number."""
    play = timed(T1="10 on 17")
    play.at(31)
    play.by("dealer", DRIFT)
    finish(play, pocket)
    assert refused(play.by("dealer", ConfirmBets(ONE, "0" * 64))) == ("record_differs", "11(b)iii")
    assert refused(play.by("cashier", VoidBets(ONE, "the record is torn")))[0] == "not_authorised"
    play.enrol("Dealer", "dealer 2")
    play.by("dealer", VoidBets(ONE, "the record is torn"))
    assert play.credit("T1") == 90
    assert not isinstance(play.by("dealer 2", Approve(ONE)), Refusal)
    assert (play.credit("T1"), play.layout("T1")) == (100, {})
    play.check()


@pytest.mark.clause("skycity-adelaide-2003", "11(b)i")
def test_terminal_is_blocked_until_it_is_cleared() -> None:
    """While its case stands a terminal takes no bet in any round, and once it is cleared it does."""
    play = timed(T1="25 on 17")
    play.by("dealer", DRIFT)
    assert (seen(play).in_service, refused(play.bet("T1", "5 on 17"))[0]) == (False, "terminal_blocked")
    play.at(31)
    finish(play, "17")
    play.open()
    assert refused(play.bet("T1", "5 on 17"))[0] == "terminal_blocked"
    assert refused(play.by("dealer", ClearCase(ONE)))[0] == "not_authorised"
    play.by("inspector", ClearCase(ONE))
    assert not isinstance(play.bet("T1", "5 on 17"), Refusal)
    play.check()


@pytest.mark.clause("skycity-adelaide-2003", "11(b)i")
def test_winning_stake_of_a_blocked_terminal_is_not_played_again() -> None:
    """Confirmed bets of a terminal that is still blocked leave nothing up for a spin its player cannot bet in."""
    play = timed(T1="10 on 17")
    play.at(31)
    play.by("dealer", DRIFT)
    play.by("dealer", ConfirmBets(ONE, digest_of(play)))
    finish(play, "17")
    assert play.credit("T1") + sum(play.layout("T1").values()) == 450
    play.open()
    play.close()
    finish(play, "18")
    assert play.credit("T1") + sum(play.layout("T1").values()) == 450
    play.check()


@pytest.mark.clause("skycity-adelaide-2003", "11(b)i")
def test_malfunction_of_the_game_system_voids_the_bets_of_all() -> None:
    """Raised before the close, a malfunction of the game system gives every terminal its bets back."""
    play = timed(T1="25 on 17", T2="10 on red")
    play.at(27)
    play.by("dealer", RaiseSystemMalfunction(TABLE, "screens frozen"))
    assert (play.credit("T1"), play.credit("T2")) == (100, 100)
    (void,) = (event for event in play.events if isinstance(event, RoundVoided))
    assert (void.reason, void.clause, void.words) == (Reason.MALFUNCTION, "11(b)i", "screens frozen")
    play.check()
