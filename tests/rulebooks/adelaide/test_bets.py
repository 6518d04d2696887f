"""SkyCity Adelaide in the house: chips from the first drop to no more bets, and what stays up after the spin."""

from functools import partial

import pytest

from croupier.house import AnyCommand
from croupier.house.declare import Decision
from croupier.house.floor.incidents import IncidentKind
from croupier.house.ids import SECOND, DeviceId, Instant, RoundNumber, TerminalId
from croupier.house.play.betting import (
    ChangeBet,
    ClearBets,
    DoubleBets,
    MoveBet,
    PlaceBets,
    RemoveBets,
    RepeatBets,
    UndoBet,
)
from croupier.house.rounds.closing import BetsSealed, CloseBets, FinishBetting, FinishCalled
from croupier.house.rounds.irregularities import CallNoSpin, ResetTerminals
from croupier.house.rounds.spinning import BallLeftTrack
from croupier.house.settings import TableSettings
from croupier.house.state.tables import Phase
from croupier.house.timers import Tick
from croupier.house.views import table_message
from croupier.rules.geometry import SpotKey
from croupier.rules.money import Cents
from croupier.rules.procedure import Reason
from croupier.rules.refusal import Refusal
from tests.support.house_driver import P1, TABLE, Play, limits, open_betting, refused

VENUE = "skycity-adelaide-2003"
T1 = TerminalId("T1")
#: What T1's commands begin with in the first round.
GAME = (T1, TABLE, RoundNumber(1), 1)
FIVE_TO_100 = TableSettings(limits=limits(5, 100))


betting = partial(open_betting, VENUE)


def ask(play: Play, command: AnyCommand) -> Decision:
    return play.ask(command, DeviceId("T1"))


def spun(play: Play, pocket: str) -> None:
    """Close betting, spin, and let the ball come to rest."""
    play.close()
    play.spin()
    assert not isinstance(play.rest(pocket), Refusal)


#: Every way to change the chips while 10 lie on red, with what then lies there and what is left of 100.
EDITS = [
    (PlaceBets(*GAME, (("17", 5_00),)), {"red": 10, "17": 5}, 85),
    (ChangeBet(*GAME, SpotKey("red"), Cents(15_00)), {"red": 15}, 85),
    (MoveBet(*GAME, SpotKey("red"), SpotKey("black")), {"black": 10}, 90),
    (DoubleBets(*GAME), {"red": 20}, 80),
    (RemoveBets(*GAME, (SpotKey("red"),)), {}, 100),
    (UndoBet(*GAME), {}, 100),
    (ClearBets(*GAME), {}, 100),
]


@pytest.mark.clause("skycity-adelaide-2003", "7(g)")
@pytest.mark.parametrize(("wanted", "layout", "credit"), EDITS)
@pytest.mark.parametrize("warned", [False, True])
def test_bets_are_placed_changed_and_removed_until_no_more_bets(
    wanted: AnyCommand, layout: dict[str, int], credit: int, *, warned: bool
) -> None:
    """While betting is open and while it is to be finished a player may place, change and remove bets."""
    play = betting(T1=100)
    play.bet("T1", "10 on red")
    if warned:
        play.must(CloseBets(TABLE))
    assert play.table.phase is (Phase.LAST_CALL if warned else Phase.OPEN)
    assert not isinstance(ask(play, wanted), Refusal)
    assert (play.layout("T1"), play.credit("T1")) == (layout, credit)
    play.check()


@pytest.mark.clause("skycity-adelaide-2003", "7(g)")
@pytest.mark.clause("skycity-adelaide-2003", "7(h)iii")
@pytest.mark.parametrize("wanted", [*(edit[0] for edit in EDITS), RepeatBets(*GAME)])
@pytest.mark.parametrize("phase", [Phase.CLOSED, Phase.RUNNING, Phase.AT_REST, Phase.NO_SPIN])
def test_nothing_is_placed_changed_or_removed_after_no_more_bets(wanted: AnyCommand, phase: Phase) -> None:
    """From the close to the settlement, and after a no spin, every change of chips is refused and none moves."""
    play = betting(TableSettings(confirms=True), T1=100)
    play.bet("T1", "10 on red")
    play.close()
    if phase is not Phase.CLOSED:
        play.spin()
    if phase is Phase.AT_REST:
        play.rest("17")
    if phase is Phase.NO_SPIN:
        play.by("dealer", CallNoSpin(TABLE, Reason.FOREIGN_OBJECT, "as seen"))
    assert play.table.phase is phase
    assert refused(ask(play, wanted)) == ("bets_closed", "7(h)iii")
    assert (play.layout("T1"), play.credit("T1")) == ({"red": 10}, 90)
    play.check()


@pytest.mark.clause("skycity-adelaide-2003", "7(h)iii")
@pytest.mark.parametrize(("closed_first", "total"), [(True, 10), (False, 15)])
def test_order_of_arrival_decides_a_tie(*, closed_first: bool, total: int) -> None:
    """Of a tap and the close at the same instant the one that arrives first counts, and the total is sealed so."""
    play = betting(TableSettings(betting_s=30), T1=100)
    play.bet("T1", "10 on red")
    play.at(30)
    if closed_first:
        play.must(Tick())
        assert refused(play.bet("T1", "5 on 17")) == ("bets_closed", "7(h)iii")
    else:
        play.bet("T1", "5 on 17")
        play.must(Tick())
    assert [event.staked for event in play.events if isinstance(event, BetsSealed)] == [total * 100]


@pytest.mark.clause("skycity-adelaide-2003", "7(h)ii")
def test_finish_betting_is_shown_for_five_seconds_and_then_no_more_bets() -> None:
    """The dealer's close shows Finish Betting for five seconds in which bets are taken, and then No More Bets."""
    play = betting(T1=100)
    play.at(60)
    assert play.must(CloseBets(TABLE)) == (FinishCalled(TABLE, RoundNumber(1), Instant(65 * SECOND)),)
    assert table_message(play.table) == "Finish Betting"
    play.at(64.9)
    assert not isinstance(play.bet("T1", "5 on 17"), Refusal)
    play.at(65)
    play.must(Tick())
    assert table_message(play.table) == "No More Bets"
    assert refused(play.bet("T1", "5 on 17")) == ("bets_closed", "7(h)iii")
    assert not play.house.incidents.all


@pytest.mark.clause("skycity-adelaide-2003", "7(h)ii")
def test_warning_lasts_as_long_as_the_table_is_set_to() -> None:
    """With a warning of eight seconds a dealer's warning closes betting eight seconds later."""
    play = betting(TableSettings(warning_s=8), T1=100)
    assert not isinstance(play.by("dealer", FinishBetting(TABLE)), Refusal)
    play.at(7.9)
    shown = [table_message(play.table)]
    play.at(8.1)
    assert [*shown, table_message(play.table)] == ["Finish Betting", "No More Bets"]


@pytest.mark.clause("skycity-adelaide-2003", "7(h)ii")
@pytest.mark.parametrize(
    ("warned", "kind", "clause"),
    [(False, IncidentKind.NO_WARNING, "7(h)ii"), (True, IncidentKind.FORCED_CLOSE, "9(c)")],
)
def test_ball_that_leaves_the_track_closes_betting_at_once(kind: IncidentKind, clause: str, *, warned: bool) -> None:
    """When the ball leaves the track betting closes at once, with an incident that tells a warning was left out."""
    play = betting(T1=100)
    play.bet("T1", "10 on 17")
    play.spin()
    if warned:
        play.by("dealer", FinishBetting(TABLE))
    play.ask(BallLeftTrack(TABLE, 9), DeviceId(TABLE))
    assert (play.table.phase, table_message(play.table)) == (Phase.RUNNING, "No More Bets")
    assert [(each.kind, each.clause) for each in play.house.incidents.all.values()] == [(kind, clause)]
    assert refused(play.bet("T1", "5 on 17")) == ("bets_closed", "7(h)iii")
    play.rest("17")
    assert (play.credit("T1"), play.layout("T1")) == (440, {"17": 10})
    play.check()


@pytest.mark.clause("skycity-adelaide-2003", "7(h)ii")
def test_close_that_left_no_time_for_the_warning_is_reported() -> None:
    """A clock that stood still until after the close closes betting at once, and tells that nobody was warned."""
    play = betting(TableSettings(betting_s=30), T1=100)
    play.now = Instant(33 * SECOND)
    while play.must(Tick()):
        pass
    assert play.table.phase is Phase.CLOSED
    assert [(each.kind, each.clause) for each in play.house.incidents.all.values()] == [
        (IncidentKind.NO_WARNING, "7(h)ii")
    ]


@pytest.mark.clause("skycity-adelaide-2003", "7(h)ii")
def test_table_without_terminals_closes_without_a_warning() -> None:
    """Where no terminal is attached the dealer's close is the close, and nobody misses a warning."""
    play = betting()
    assert not isinstance(play.by("dealer", CloseBets(TABLE)), Refusal)
    assert (play.table.phase, len(play.house.incidents.all)) == (Phase.CLOSED, 0)


@pytest.mark.clause("skycity-adelaide-2003", "7(h)iv")
def test_bets_are_settled_by_the_layout_at_the_close() -> None:
    """10 moved from red to black a second before the close are sealed on black, and lose on 1, which is red."""
    play = betting(TableSettings(betting_s=30), T1=100)
    play.bet("T1", "10 on red")
    play.at(29)
    ask(play, MoveBet(*GAME, SpotKey("red"), SpotKey("black")))
    play.at(31)
    assert play.table.round is not None
    assert play.table.round.layouts == {P1: {"black": 10_00}}
    (seal,) = (event for event in play.events if isinstance(event, BetsSealed))
    assert seal.digest == play.table.round.digest
    play.spin()
    play.rest("1")
    assert (play.credit("T1"), play.layout("T1")) == (90, {})
    play.check()


@pytest.mark.clause("skycity-adelaide-2003", "7(h)iv")
def test_bet_meant_for_an_earlier_spin_is_refused() -> None:
    """A tap for round 1 that arrives in round 2, and one for a spin before a reset, count in neither."""
    play = betting(T1=100)
    late = PlaceBets(*GAME, (("17", 5_00),))
    spun(play, "17")
    assert refused(ask(play, late)) == ("bets_not_open", "7(g)")
    play.open()
    assert refused(ask(play, late)) == ("wrong_round", "7(h)iii")
    second = PlaceBets(*play.game("T1"), (("17", 5_00),))
    play.by("dealer", CallNoSpin(TABLE, Reason.FOREIGN_OBJECT, "as seen"))
    play.by("dealer", ResetTerminals(TABLE))
    assert refused(ask(play, second)) == ("wrong_round", "7(h)iii")
    assert play.credit("T1") == 100


@pytest.mark.clause("skycity-adelaide-2003", "7(h)vi")
@pytest.mark.parametrize("removed", [False, True])
def test_losing_bets_are_cleared_and_winning_ones_stay(*, removed: bool) -> None:
    """10 on 17 and 10 on red bring 350 on 17; red is cleared, 17 stays, and 360 is the player's either way."""
    play = Play(VENUE)
    play.seats(T1=100)
    play.round("17", T1="10 on 17; 10 on red")
    assert (play.credit("T1"), play.layout("T1")) == (430, {"17": 10})
    play.open()
    assert play.layout("T1") == {"17": 10}
    if removed:
        play.remove("T1", "17")
    assert play.credit("T1") + sum(play.layout("T1").values()) == 80 + 360
    play.check()


@pytest.mark.clause("skycity-adelaide-2003", "7(h)vi")
@pytest.mark.parametrize("spinning", [False, True])
def test_winning_bet_may_be_removed_until_the_next_close(*, spinning: bool) -> None:
    """A stake that stayed up is taken back before no more bets, also while the ball already runs, and not after."""
    play = Play(VENUE)
    play.seats(T1=100, T2=100)
    play.round("17", T1="10 on 17", T2="10 on 17")
    play.open()
    if spinning:
        play.spin()
    assert not isinstance(play.remove("T1", "17"), Refusal)
    play.close()
    assert refused(play.remove("T2", "17")) == ("bets_closed", "7(h)iii")
    if not spinning:
        play.spin()
    play.rest("16")
    assert (play.credit("T1"), play.credit("T2"), play.layout("T2")) == (450, 440, {})
    play.check()


@pytest.mark.clause("skycity-adelaide-2003", "7(h)vi")
def test_winning_bet_that_is_left_up_plays_again() -> None:
    """A stake that stayed up wins a second time, counts as turnover again, and is no bet that undo could take back."""
    play = Play(VENUE)
    play.seats(T1=100)
    play.round("17", T1="10 on 17")
    play.round("17")
    assert (play.credit("T1"), play.layout("T1")) == (790, {"17": 10})
    assert play.house.terminals[T1].meters.turnover == 20_00
    play.open()
    assert refused(play.touch("T1", UndoBet)) == ("nothing_there", "7(f)")
    play.check()


@pytest.mark.clause("skycity-adelaide-2003", "7(h)")
def test_all_six_conditions_in_one_round() -> None:
    """The touch is logged, the two messages shown, a late drop refused, 17=5 sealed, limits kept and 175 added."""
    play = betting(FIVE_TO_100, T1=100)
    play.bet("T1", "5 on 17")
    assert len(play.house.terminals[T1].games[TABLE].steps) == 1
    assert [refused(play.bet("T1", slip))[0] for slip in ("4 on 18", "101 on 18")] == [
        "stake_under_minimum",
        "stake_over_maximum",
    ]
    play.must(CloseBets(TABLE))
    shown = [table_message(play.table)]
    play.at(6)
    shown.append(table_message(play.table))
    assert shown == ["Finish Betting", "No More Bets"]
    assert refused(play.bet("T1", "5 on 17")) == ("bets_closed", "7(h)iii")
    assert play.table.round is not None
    assert play.table.round.layouts == {P1: {"17": 5_00}}
    play.spin()
    play.rest("17")
    assert play.credit("T1") == 95 + 175
    play.check()


def test_repeating_brings_back_what_was_cleared() -> None:
    """After 17 won beside red, repeating puts the lost 10 back on red and adds nothing to what stayed on 17."""
    play = Play(VENUE)
    play.seats(T1=100)
    play.round("17", T1="10 on 17; 10 on red")
    play.open()
    play.touch("T1", RepeatBets)
    assert (play.layout("T1"), play.credit("T1")) == ({"17": 10, "red": 10}, 420)
    assert refused(play.touch("T1", RepeatBets)) == ("nothing_there", "7(f)")
    play.check()


@pytest.mark.clause("skycity-adelaide-2003", "7(h)ii")
@pytest.mark.parametrize("timed", [False, True])
def test_warning_of_one_second(timed: bool) -> None:  # noqa: FBT001 - a table of two
    """A warning of one second is a warning: bets are taken for that second, and then betting closes by itself."""
    play = Play("skycity-adelaide-2003", TableSettings(warning_s=1, betting_s=30 if timed else None))
    play.seats(T1=100)
    play.open()
    if timed:
        play.at(28.999)
        assert table_message(play.table) == ""
        play.at(29.001)
    else:
        play.at(29)
        play.by("dealer", CloseBets(TABLE))
    assert table_message(play.table) == "Finish Betting"
    assert play.table.playing.closes_at == 30 * SECOND
    play.at(29.999)
    assert isinstance(play.bet("T1", "5 on 17"), tuple)
    play.at(30.001)
    assert table_message(play.table) == "No More Bets"
    assert refused(play.bet("T1", "5 on 17"))[0] == "bets_closed"
    assert not play.house.incidents.all
