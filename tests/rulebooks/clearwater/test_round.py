"""Clearwater's round in the house: the timer, the ball out, no more bets, the winning number and the history bar."""

import pytest

from croupier.house.floor.incidents import IncidentKind, IncidentRaised
from croupier.house.floor.setup import AddTable
from croupier.house.ids import SECOND, DeviceId, Instant, TableId, TerminalId
from croupier.house.play.betting import ClearBets, PlaceBets, RemoveBets, UndoBet
from croupier.house.rounds.closing import BetsClosing, BetsSealed, CloseBets, CloseReason
from croupier.house.rounds.opening import BetsOpened, OpenBets
from croupier.house.rounds.results import BallAtRest, ConfirmResult, EnterResult
from croupier.house.rounds.settlement import ResultDeclared, RoundSettled
from croupier.house.rounds.spinning import BallLaunched, BallSpun, LaunchCalled
from croupier.house.settings import TableSettings
from croupier.house.state.tables import Phase, ResultSource
from croupier.house.views import TerminalView, terminal_view
from croupier.rules.geometry import Pocket, SpotKey
from tests.support.house_driver import TABLE, Play, refused

VENUE = "clearwater-etg"
WHEEL = DeviceId(TABLE)
RED = (SpotKey("red"),)


def launched(settings: TableSettings | None = None) -> Play:
    """Find T1 with 100, betting open, and the ball launched at 0 seconds."""
    play = Play(VENUE, settings or TableSettings())
    play.seats(T1=100)
    play.open()
    play.must(BallLaunched(TABLE), WHEEL)
    return play


def screen(play: Play, seat: str = "T1") -> TerminalView:
    return terminal_view(play.house, TerminalId(seat), TABLE, play.now)


@pytest.mark.clause("clearwater-etg", "Header")
def test_round_record_names_the_rulebook() -> None:
    """A round's record names the digest of Clearwater's rulebook, which the house keeps whole."""
    play = Play(VENUE)
    (opened,) = play.open()

    assert isinstance(opened, BetsOpened)
    assert opened.rulebook == play.rulebook.digest
    rulebook = play.house.rulebooks[opened.rulebook]
    assert (rulebook.id, rulebook.version) == (VENUE, "1")
    assert play.table.round is not None
    assert play.table.round.rulebook == play.rulebook.digest


@pytest.mark.clause("clearwater-etg", "3")
def test_ball_is_launched_and_falls_into_00() -> None:
    """After a launch and no more bets the pocket 00 is the outcome, on the sensor's word."""
    play = launched()
    play.must(CloseBets(TABLE))
    declared, settled = play.must(BallAtRest(TABLE, Pocket("00")), WHEEL)

    assert declared == ResultDeclared(TABLE, play.table.rounds, Pocket("00"), ResultSource.SENSOR)
    assert isinstance(settled, RoundSettled)
    assert play.table.numbers == ("00",)
    play.check()


@pytest.mark.clause("clearwater-etg", "3")
@pytest.mark.parametrize("pocket", ["37", "000", "-1", "red", ""])
def test_pocket_that_is_not_on_the_wheel_is_no_outcome(pocket: str) -> None:
    """A report of a pocket that the wheel does not have is an incident, and the true number still counts."""
    play = launched()
    play.bet("T1", "10 on 17")
    play.must(CloseBets(TABLE))
    (raised,) = play.must(BallAtRest(TABLE, Pocket(pocket)), WHEEL)

    assert isinstance(raised, IncidentRaised)
    assert (raised.kind, raised.clause) == (IncidentKind.IMPOSSIBLE_POCKET, "25")
    assert (play.table.phase, play.credit("T1")) == (Phase.RUNNING, 90)
    play.rest("17")
    assert play.credit("T1") == 450
    play.check()


@pytest.mark.clause("clearwater-etg", "5")
def test_number_and_colour_are_predicted_for_the_same_spin() -> None:
    """10 on red and 10 on 17 stand together for one spin, 20 in all."""
    play = Play(VENUE)
    play.seats(T1=100)
    play.open()
    play.bet("T1", "10 on red")
    play.bet("T1", "10 on 17")

    assert (play.layout("T1"), play.credit("T1")) == ({"red": 10, "17": 10}, 80)
    assert screen(play).staked == 20_00
    play.check()


@pytest.mark.clause("clearwater-etg", "7")
def test_bets_are_the_same_in_table_view_and_wheel_view() -> None:
    """5 on 22 is one bet by its number, whichever view shows it, and 5 and 34 lie beside 22 in wheel view."""
    play = Play(VENUE)
    play.seats(T1=100)
    play.open()
    play.bet("T1", "5 on 22")

    assert screen(play).bets == (("22", 5_00),)
    assert play.rulebook.wheel.neighbours(Pocket("22"), each_side=1) == ("5", "22", "34")


@pytest.mark.clause("clearwater-etg", "8")
@pytest.mark.parametrize(("seconds", "left", "accepted"), [(0, 15, True), (14.9, 1, True), (15.1, None, False)])
def test_bet_is_placed_before_the_timer_runs_out(seconds: float, left: int | None, accepted: bool) -> None:  # noqa: FBT001
    """With a timer of 15 seconds a bet at 14.9 seconds is taken and one at 15.1 is not."""
    play = Play(VENUE, TableSettings(betting_s=15))
    play.seats(T1=100)
    play.open()
    play.at(seconds)

    assert screen(play).seconds_left == left
    answer = play.bet("T1", "5 on 17")
    if accepted:
        assert (play.layout("T1"), play.credit("T1")) == ({"17": 5}, 95)
    else:
        assert refused(answer) == ("bets_closed", "16.a")
        assert (play.layout("T1"), play.credit("T1"), screen(play).message) == ({}, 100, "No more bets")


@pytest.mark.clause("clearwater-etg", "8")
def test_bet_after_the_time_is_refused_though_the_tick_is_late() -> None:
    """A bet stamped 15.1 seconds is refused by a timer of 15 even where no tick has come to close the betting."""
    play = Play(VENUE, TableSettings(betting_s=15))
    play.seats(T1=100)
    play.open()
    play.now = Instant(15 * SECOND + SECOND // 10)

    assert refused(play.bet("T1", "5 on 17")) == ("bets_closed", "16.a")
    assert play.credit("T1") == 100


@pytest.mark.clause("clearwater-etg", "8")
def test_launch_comes_five_seconds_before_the_timer_ends() -> None:
    """With a timer of 15 seconds the launcher is called at 10, and no more bets comes at 15 (C8)."""
    play = Play(VENUE, TableSettings(betting_s=15))
    play.seats(T1=0)
    play.open()
    play.at(10.1)
    assert isinstance(play.events[-1], LaunchCalled)
    play.must(BallLaunched(TABLE), WHEEL)
    play.at(14.9)
    assert (play.table.phase, screen(play).seconds_left) == (Phase.OPEN_RUNNING, 1)
    play.at(15.1)
    assert play.table.phase is Phase.RUNNING
    assert (second_of(play, LaunchCalled), second_of(play, BetsSealed)) == (10, 15)


@pytest.mark.clause("clearwater-etg", "8")
@pytest.mark.parametrize(("launch", "close"), [(2, 7), (9, 14), (11, 15), (14, 15)])
def test_no_more_bets_comes_by_the_timer_or_by_an_early_launch(launch: int, close: int) -> None:
    """A ball out at 2 seconds closes a timer of 15 at 7 already, and one at 11 or 14 does not hold it up."""
    play = Play(VENUE, TableSettings(betting_s=15))
    play.open()
    play.at(launch)
    play.must(BallLaunched(TABLE), WHEEL)
    play.at(20)

    assert second_of(play, BetsClosing) == close


def second_of(play: Play, kind: type[LaunchCalled | BetsSealed | BetsClosing]) -> float:
    """When the journal has the first event of a kind, in seconds."""
    return next(entry.context.now / SECOND for entry in play.journal.entries() if isinstance(entry.event, kind))


@pytest.mark.clause("clearwater-etg", "9")
def test_tapping_and_dragging_each_place_one_chip() -> None:
    """A chip of 5 tapped onto 17 and another dragged to 20 lie there, and 10 are gone from the credits."""
    play = Play(VENUE)
    play.seats(T1=100)
    play.open()
    play.touch("T1", PlaceBets, (("17", 5_00),))
    play.touch("T1", PlaceBets, (("20", 5_00),))

    assert (play.layout("T1"), play.credit("T1")) == ({"17": 5, "20": 5}, 90)
    play.check()


@pytest.mark.clause("clearwater-etg", "9")
@pytest.mark.parametrize("spot", ["0/3", "00/1", "0/2/3", "00/1/2", "0/1/2/3", "0/00/2/3", "1/36", "37"])
def test_chip_beside_the_layout_is_refused(spot: str) -> None:
    """Where the layout has no such field no chip is laid and no credit is taken."""
    play = Play(VENUE)
    play.seats(T1=100)
    play.open()
    refused(play.touch("T1", PlaceBets, ((spot, 5_00),)))

    assert (play.layout("T1"), play.credit("T1")) == ({}, 100)


@pytest.mark.clause("clearwater-etg", "15")
def test_ball_out_comes_directly_before_no_more_bets() -> None:
    """A round goes from open to ball out to no more bets to its end, through no other state."""
    play = Play(VENUE, TableSettings(betting_s=15))
    phases = [play.table.phase]
    play.open()
    phases.append(play.table.phase)
    play.at(11)
    play.must(BallLaunched(TABLE), WHEEL)
    phases.append(play.table.phase)
    play.at(16)
    phases.append(play.table.phase)
    play.rest("17")
    phases.append(play.table.phase)

    assert phases == [Phase.BETWEEN, Phase.OPEN, Phase.OPEN_RUNNING, Phase.RUNNING, Phase.BETWEEN]


@pytest.mark.clause("clearwater-etg", "15.a")
def test_betting_stays_open_while_the_ball_is_out() -> None:
    """With the ball launched at 0 seconds and the close at 5, a bet at 2 seconds is taken and plays."""
    play = launched()
    play.at(2)
    play.bet("T1", "10 on 17")
    assert (play.layout("T1"), play.table.phase) == ({"17": 10}, Phase.OPEN_RUNNING)
    play.at(6)
    play.rest("17")
    assert play.credit("T1") == 450
    play.check()


@pytest.mark.clause("clearwater-etg", "16")
def test_log_of_a_round_is_in_order_with_its_times() -> None:
    """The log shows the ball out at 0 seconds, no more bets at 5 and the winning number at 30, in that order."""
    play = launched()
    play.at(30)
    play.rest("17")

    kinds = (BallSpun, BetsClosing, ResultDeclared)
    log = [
        (type(entry.event), entry.context.now // SECOND)
        for entry in play.journal.entries()
        if isinstance(entry.event, kinds)
    ]
    assert log == [(BallSpun, 0), (BetsClosing, 5), (ResultDeclared, 30)]


@pytest.mark.clause("clearwater-etg", "16.a")
def test_nothing_is_placed_or_changed_after_no_more_bets() -> None:
    """With the launch at 0 and the close at 5 seconds a bet at 4.9 is taken, one at 5.1 and a removal at 6 are not."""
    play = launched()
    play.at(4.9)
    play.bet("T1", "10 on red")
    play.at(5.1)
    assert refused(play.bet("T1", "10 on 17")) == ("bets_closed", "16.a")
    play.at(6)
    for command in (RemoveBets, ClearBets, UndoBet):
        more = (RED,) if command is RemoveBets else ()
        assert refused(play.touch("T1", command, *more)) == ("bets_closed", "16.a")
    assert (play.layout("T1"), play.credit("T1"), screen(play).message) == ({"red": 10}, 90, "No more bets")
    closing = next(event for event in play.events if isinstance(event, BetsClosing))
    assert (closing.why, closing.clause) == (CloseReason.TIMER, "16.a")


@pytest.mark.clause("clearwater-etg", "16.a")
def test_nothing_is_changed_between_the_result_and_the_next_game() -> None:
    """When the ball has dropped nothing is placed until the next game opens (C9)."""
    play = launched()
    play.at(6)
    play.rest("17")
    assert refused(play.bet("T1", "10 on 17")) == ("bets_not_open", "17.a")
    play.open()
    play.bet("T1", "10 on 17")
    assert play.layout("T1") == {"17": 10}


@pytest.mark.clause("clearwater-etg", "16.a")
@pytest.mark.parametrize("command", [PlaceBets, RemoveBets])
def test_touch_meant_for_the_last_game_does_nothing_in_the_next(command: type[PlaceBets | RemoveBets]) -> None:
    """What was touched in round 1 and arrives in round 2 is refused."""
    play = launched()
    meant_for = play.game("T1")
    play.at(6)
    play.rest("17")
    play.open()
    play.bet("T1", "10 on red")
    late = PlaceBets(*meant_for, (("17", 5_00),)) if command is PlaceBets else RemoveBets(*meant_for, RED)

    assert refused(play.ask(late, DeviceId("T1"))) == ("wrong_round", "16.a")
    assert play.layout("T1") == {"red": 10}


@pytest.mark.clause("clearwater-etg", "16.a")
@pytest.mark.parametrize(("seconds", "accepted"), [(2.9, True), (3.1, False)])
def test_seconds_from_launch_to_close_are_a_setting(seconds: float, accepted: bool) -> None:  # noqa: FBT001
    """With 3 seconds from the launch to the close a bet at 2.9 is taken and one at 3.1 is not."""
    play = launched(TableSettings(launch_to_close_s=3))
    play.at(seconds)

    assert isinstance(play.bet("T1", "10 on red"), tuple) is accepted


@pytest.mark.clause("clearwater-etg", "16.a")
@pytest.mark.parametrize("seconds", [0, -5])
def test_close_cannot_come_with_the_launch_or_before_it(seconds: int) -> None:
    """A table whose betting closes less than a second after the launch cannot be set up."""
    play = Play(VENUE)
    settings = TableSettings(launch_to_close_s=seconds)

    assert refused(play.ask(AddTable(TableId("table 2"), play.rulebook.digest, settings))) == (
        "setting_impossible",
        "14",
    )


@pytest.mark.clause("clearwater-etg", "16.a")
def test_no_more_bets_is_not_called_before_the_launch() -> None:
    """Without a ball out nobody closes the betting."""
    play = Play(VENUE)
    play.open()

    assert refused(play.ask(CloseBets(TABLE))) == ("close_before_spin", "16.a")
    assert refused(play.by("attendant", CloseBets(TABLE))) == ("close_before_spin", "16.a")


@pytest.mark.clause("clearwater-etg", "17")
def test_next_round_opens_only_after_the_settlement() -> None:
    """Round 2 cannot open while round 1 is open, running or without its number, and opens once it is settled."""
    play = Play(VENUE)
    play.open()
    assert refused(play.ask(OpenBets(TABLE))) == ("out_of_turn", "17.a")
    play.must(BallLaunched(TABLE), WHEEL)
    assert refused(play.ask(OpenBets(TABLE))) == ("out_of_turn", "17.a")
    play.must(CloseBets(TABLE))
    assert refused(play.ask(OpenBets(TABLE))) == ("out_of_turn", "17.a")
    play.rest("17")
    play.open()

    kinds = (ResultDeclared, RoundSettled, BetsOpened)
    log = [(type(event), event.round) for event in play.events if isinstance(event, kinds)]
    assert log == [(BetsOpened, 1), (ResultDeclared, 1), (RoundSettled, 1), (BetsOpened, 2)]


@pytest.mark.clause("clearwater-etg", "17.a")
def test_wins_are_paid_and_the_layout_is_cleared() -> None:
    """10 on 17 and 10 on red add 360 to the credits when 17 wins; the layout is empty and a new game opens."""
    play = Play(VENUE, TableSettings(pause_s=0))
    play.seats(T1=100)
    play.round("17", T1="10 on 17; 10 on red")

    assert (play.credit("T1"), play.layout("T1")) == (80 + 360, {})
    assert screen(play).highlighted == "17"
    play.at(1)
    assert (play.table.phase, play.table.rounds) == (Phase.OPEN, 2)
    assert play.layout("T1") == {}
    play.check()


@pytest.mark.clause("clearwater-etg", "17.a")
@pytest.mark.parametrize(
    "command", [EnterResult(TABLE, Pocket("17"), Pocket("17")), ConfirmResult(TABLE, Pocket("17"))]
)
def test_winning_number_is_detected_and_not_typed(command: EnterResult | ConfirmResult) -> None:
    """Nobody enters the winning number of an automatic wheel by hand, nor confirms one that was not detected."""
    play = launched()
    play.bet("T1", "10 on 17")
    play.at(6)
    for person in ("attendant", "supervisor", "shift manager"):
        assert refused(play.by(person, command)) == ("out_of_turn", "17.a")

    assert (play.table.phase, play.credit("T1")) == (Phase.RUNNING, 90)


@pytest.mark.clause("clearwater-etg", "17.b")
def test_history_bar_shows_the_newest_number_first() -> None:
    """After 17, 00 and 5 the bar shows 5, 00, 17."""
    play = Play(VENUE)
    play.seats(T1=0)
    for pocket in ("17", "00", "5"):
        play.round(pocket)

    assert screen(play).numbers == ("5", "00", "17")


@pytest.mark.clause("clearwater-etg", "17.b")
def test_history_bar_is_as_long_as_the_operator_sets() -> None:
    """With two numbers to be shown the third last is gone from the bar."""
    play = Play(VENUE, TableSettings(history_shown=2))
    play.seats(T1=0)
    for pocket in ("17", "00", "5"):
        play.round(pocket)

    assert screen(play).numbers == ("5", "00")
