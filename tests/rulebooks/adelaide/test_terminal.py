"""SkyCity Adelaide in the house: the electronic terminal, what it shows, and whose word moves its chips."""

import re
from functools import partial

import pytest

from croupier.house import AnyCommand
from croupier.house.floor.settings import ChangeSettings
from croupier.house.floor.signatures import Approve
from croupier.house.ids import SECOND, DeviceId, Number, RoundNumber, TableId, TerminalId
from croupier.house.play.betting import ChangeBet, ClearBets, DoubleBets, MoveBet, PlaceBets, RemoveBets, UndoBet
from croupier.house.rounds.closing import CloseBets
from croupier.house.rounds.irregularities import CallNoSpin, ResetTerminals
from croupier.house.rounds.opening import OpenBets
from croupier.house.rounds.results import ConfirmResult
from croupier.house.rounds.settlement import ResultDeclared, RoundSettled
from croupier.house.settings import LimitBounds, LimitSettings, TableSettings, TerminalSettings
from croupier.house.state.tables import BetChange, BetStep, Phase
from croupier.house.timers import Tick
from croupier.house.views import TerminalView, terminal_view
from croupier.rules.geometry import Pocket, SpotKey, SpotKind
from croupier.rules.money import Cents
from croupier.rules.procedure import Reason
from croupier.rules.refusal import Refusal
from tests.support.house_driver import TABLE, Play, cents, limits, open_betting, refused, spot_limits, with_note

VENUE = "skycity-adelaide-2003"
T1 = TerminalId("T1")
#: What T1's commands begin with in the first round.
GAME = (T1, TABLE, RoundNumber(1), 1)
#: A table with limits on the screen and thirty seconds of betting, the last five of them warned.
TIMED = TableSettings(limits=limits(5, 500), betting_s=30, warning_s=5)


def seen(play: Play, seat: str = "T1") -> TerminalView:
    """What a terminal shows now."""
    return terminal_view(play.house, TerminalId(seat), TABLE, play.now)


betting = partial(open_betting, VENUE)


def new_limits(play: Play, least: int, most: int) -> None:
    """Two shift managers sign for other limits."""
    play.enrol("Shift Manager", "shift manager 2")
    settings = TableSettings(limits=limits(least, most))
    assert not isinstance(play.by("shift manager", ChangeSettings(TABLE, settings, "busy")), Refusal)
    assert not isinstance(play.by("shift manager 2", Approve(Number(1))), Refusal)


@pytest.mark.clause("skycity-adelaide-2003", "Header")
def test_round_bears_the_rulebook_and_the_day_of_its_approval() -> None:
    """The record of a round shows these rules, approved as at 20 May 2003."""
    play = betting()
    assert play.table.round is not None
    played_by = play.house.rulebooks[play.table.round.rulebook]
    assert (played_by.id, str(played_by.effective)) == (VENUE, "2003-05-20")


@pytest.mark.clause("skycity-adelaide-2003", "Header")
@pytest.mark.parametrize(("day", "answer"), [(20030519, ("not_in_force", "Header")), (20030520, None)])
def test_rules_are_in_force_from_their_approval(day: int, answer: tuple[str, str] | None) -> None:
    """On 19 May 2003 no round opens under these rules, and on the day after it does."""
    play = Play(VENUE, day=day)
    opened = play.by("dealer", OpenBets(TABLE))
    assert (refused(opened) if answer else isinstance(opened, Refusal)) == (answer or False)
    assert (play.table.round is None) == bool(answer)


@pytest.mark.clause("skycity-adelaide-2003", "Header")
@pytest.mark.clause("skycity-adelaide-2003", "12(m)")
def test_rules_that_can_be_read_have_twelve_sections() -> None:
    """The rules that a round is stamped with have clauses in all of sections 1 to 12, each with what it says."""
    play = betting()
    assert play.table.round is not None
    assert play.table.round.rulebook == play.rulebook.digest
    numbered = [re.match(r"\d+", clause.clause) for clause in play.rulebook.clauses]
    assert {int(number[0]) for number in numbered if number} == set(range(1, 13))
    assert all(clause.paraphrase for clause in play.rulebook.clauses)


@pytest.mark.clause("skycity-adelaide-2003", "4 (Diagram 4)")
def test_terminal_offers_157_positions() -> None:
    """The terminal's layout has 157 positions, and each of them takes a chip."""
    play = betting(T1=157)
    offered = spot_limits(play.house, T1, TABLE)
    assert len(offered) == 157
    placed = play.touch("T1", PlaceBets, tuple((spot, 100) for spot in offered))
    assert not isinstance(placed, Refusal)
    assert (seen(play).staked, len(seen(play).bets)) == (157_00, 157)
    play.check()


@pytest.mark.clause("skycity-adelaide-2003", "4 (Diagram 4)")
@pytest.mark.parametrize(
    ("command", "more"),
    [
        (PlaceBets, ((("00", 500),),)),
        (PlaceBets, ((("17", 500), ("00", 500)),)),
        (PlaceBets, ((("0/00", 500),),)),
        (ChangeBet, (SpotKey("37"), Cents(500))),
        (PlaceBets, ((("1/5", 500),),)),
        (ChangeBet, (SpotKey("00"), Cents(500))),
        (MoveBet, (SpotKey("18"), SpotKey("00"))),
    ],
)
def test_no_chip_lies_off_the_layout(command: type[AnyCommand], more: tuple[object, ...]) -> None:
    """A chip for 00, or for numbers that do not meet, is refused whichever way it is to get there."""
    play = betting(T1=100)
    play.bet("T1", "5 on 18")
    assert refused(play.touch("T1", command, *more)) == ("spot_not_on_layout", "4 (Diagram 4)")
    assert (play.layout("T1"), play.credit("T1")) == ({"18": 5}, 95)


@pytest.mark.clause("skycity-adelaide-2003", "6(n)")
def test_terminal_bets_fall_under_section_7_and_not_6() -> None:
    """One dollar where five is the minimum is refused on a terminal, which no marker button reaches either."""
    play = betting(TableSettings(limits=limits(5, 100)), T1=100)
    assert refused(play.bet("T1", "1 on 17")) == ("stake_under_minimum", "7(h)v")
    assert refused(play.bet("T1", "25 on neighbours 0")) == ("call_not_offered", "6(n)")
    assert play.credit("T1") == 100


@pytest.mark.clause("skycity-adelaide-2003", "7")
def test_terminal_plays_by_section_7() -> None:
    """What a terminal bets goes by the channel of section 7, whatever its model is called."""
    play = Play(VENUE)
    models = [play.seat("T1"), play.seat("T2", settings=TerminalSettings(profile="terminal"))]
    assert [terminal.channel.clause for terminal in models] == ["7", "7"]


@pytest.mark.clause("skycity-adelaide-2003", "7(a)")
def test_one_wheel_settles_every_terminal_of_its_table_and_no_other() -> None:
    """One result pays both terminals at its table; a terminal at the stand alone table beside it still waits."""
    play = Play(VENUE, TableSettings(), TableSettings())
    other = TableId("table 2")
    for name in ("T1", "T2"):
        play.seat(name, cents(100))
    play.seat("T3", cents(100), tables=(other,))
    play.must(OpenBets(other))
    play.bet("T3", "10 on 17", other)
    play.round("17", T1="10 on 17", T2="5 on black")
    assert [type(event) for event in play.events[-2:]] == [ResultDeclared, RoundSettled]
    assert (play.credit("T1"), play.credit("T2"), play.credit("T3")) == (440, 100, 90)
    play.check()


SIX = ("spot_least", "spot_most", "phase", "credit", "staked", "numbers", "won")


@pytest.mark.clause("skycity-adelaide-2003", "7(c)")
def test_six_items_are_shown_in_every_state_of_the_round() -> None:
    """Limits, when bets may be placed, credits, the bet, past numbers and the win are shown at every step."""
    play = Play(VENUE, TableSettings(limits=limits(5, 500), confirms=True))
    play.seats(T1=100)
    play.round("17", T1="10 on 17")
    phases = []

    def look() -> None:
        shown = {name: getattr(seen(play), name) for name in SIX}
        phases.append(shown.pop("phase"))
        assert shown.pop("numbers")[-1:] == ("17",)
        assert shown.pop("won") == 350_00
        assert shown == {"spot_least": 5_00, "spot_most": 500_00, "credit": 440_00, "staked": 10_00}

    play.by("dealer", ConfirmResult(TABLE, Pocket("17")))
    look()
    play.open()
    look()
    play.spin()
    look()
    play.must(CloseBets(TABLE))
    look()
    play.must(CloseBets(TABLE))
    look()
    play.rest("5")
    look()
    assert phases == [
        Phase.BETWEEN,
        Phase.OPEN,
        Phase.OPEN_RUNNING,
        Phase.LAST_CALL,
        Phase.RUNNING,
        Phase.AT_REST,
    ]


@pytest.mark.clause("skycity-adelaide-2003", "7(c)i")
def test_limits_are_shown_and_change_with_the_next_round() -> None:
    """5 and 500 are shown; once 10 is signed for it stands on the screen from the next round."""
    play = betting(TableSettings(limits=limits(5, 500)), T1=100)
    assert (seen(play).spot_least, seen(play).spot_most) == (5_00, 500_00)
    new_limits(play, 10, 500)
    assert seen(play).spot_least == 5_00
    play.close()
    play.spin()
    play.rest("17")
    play.open()
    assert (seen(play).spot_least, seen(play).spot_most) == (10_00, 500_00)


@pytest.mark.clause("skycity-adelaide-2003", "7(c)i")
def test_limits_are_shown_for_each_kind_and_for_the_terminal() -> None:
    """A kind with bounds of its own shows them beside the others, and a terminal with limits of its own shows its."""
    even = LimitBounds(cents(10), cents(1000))
    table = TableSettings(limits=LimitSettings(LimitBounds(cents(5), cents(500)), kinds=((SpotKind("red"), even),)))
    play = betting(table, T1=100)
    play.seat("T2", settings=TerminalSettings(limits=limits(20, 200)))
    shown = spot_limits(play.house, T1, TABLE)
    assert (shown[SpotKey("17")].least, shown[SpotKey("17")].most) == (5_00, 500_00)
    assert (shown[SpotKey("red")].least, shown[SpotKey("red")].most) == (10_00, 1000_00)
    assert (seen(play, "T2").spot_least, seen(play, "T2").spot_most) == (20_00, 200_00)


@pytest.mark.clause("skycity-adelaide-2003", "7(c)ii")
@pytest.mark.parametrize(
    ("second", "says", "phase", "left"),
    [
        (10, "", Phase.OPEN, 20),
        (24, "", Phase.OPEN, 6),
        (25, "Finish Betting", Phase.LAST_CALL, 5),
        (29, "Finish Betting", Phase.LAST_CALL, 1),
        (30, "No More Bets", Phase.CLOSED, None),
        (35, "No More Bets", Phase.CLOSED, None),
    ],
)
def test_when_bets_may_be_placed_is_shown(second: int, says: str, phase: Phase, left: int | None) -> None:
    """Of thirty seconds twenty are left after ten, the last five are for finishing, and then there are no more bets."""
    play = betting(TIMED, T1=100)
    play.at(second)
    play.must(Tick())
    assert (seen(play).message, seen(play).phase, seen(play).seconds_left) == (says, phase, left)


@pytest.mark.clause("skycity-adelaide-2003", "7(c)iii")
def test_credits_that_are_not_staked_are_shown() -> None:
    """With 50 inserted and 20 staked 30 is shown, and 50 again once the chips are taken back."""
    play = with_note(VENUE, 50)
    play.bet("T1", "20 on red")
    assert seen(play).credit == 30_00
    play.touch("T1", ClearBets)
    assert seen(play).credit == 50_00
    play.check()


@pytest.mark.clause("skycity-adelaide-2003", "7(c)iv")
def test_credits_bet_for_the_spin_are_shown() -> None:
    """20 on red and 5 on 17 show as 25, and as 20 once 17 is taken back."""
    play = betting(T1=100)
    play.bet("T1", "20 on red; 5 on 17")
    assert seen(play).staked == 25_00
    play.remove("T1", "17")
    assert (seen(play).staked, seen(play).credit) == (20_00, 80_00)


@pytest.mark.clause("skycity-adelaide-2003", "7(c)v")
def test_numbers_of_past_spins_are_shown_and_no_spins_are_not() -> None:
    """After 17, a no spin and 0 the strip shows 0 and then 17."""
    play = Play(VENUE)
    play.seats(T1=100)
    play.round("17")
    play.open()
    play.close()
    play.spin()
    play.by("dealer", CallNoSpin(TABLE, Reason.FOREIGN_OBJECT, "as seen"))
    play.rest("5")
    assert seen(play).numbers == ("17",)
    play.by("dealer", ResetTerminals(TABLE))
    play.close()
    play.spin()
    play.rest("0")
    assert seen(play).numbers == ("0", "17")


@pytest.mark.clause("skycity-adelaide-2003", "7(c)v")
@pytest.mark.parametrize(("settings", "shown"), [(TableSettings(), 20), (TableSettings(history_shown=3), 3)])
def test_how_many_past_numbers_are_shown(settings: TableSettings, shown: int) -> None:
    """Of twenty-two numbers the last twenty are shown, or as many as the table is set to."""
    play = Play(VENUE, settings)
    play.seats(T1=0)
    for number in range(22):
        play.round(str(number))
    assert seen(play).numbers == tuple(str(number) for number in range(21, 21 - shown, -1))


@pytest.mark.clause("skycity-adelaide-2003", "7(c)vi")
@pytest.mark.parametrize(("pocket", "won"), [("17", 360), ("2", 10), ("1", 0), ("0", 0)])
def test_credits_won_for_the_spin_are_shown(pocket: str, won: int) -> None:
    """10 on 17 and 10 on black win 350 and 10 on 17, 10 on another black number, and nothing elsewhere."""
    play = Play(VENUE)
    play.seats(T1=100)
    play.round(pocket, T1="10 on 17; 10 on black")
    assert seen(play).won == won * 100
    play.check()


@pytest.mark.clause("skycity-adelaide-2003", "7(f)")
def test_each_chip_that_is_dragged_adds_its_value() -> None:
    """A chip of 5 dragged twice to 17 is a bet of 10 there, and 10 less on the meter."""
    play = betting(T1=100)
    play.bet("T1", "5 on 17")
    play.bet("T1", "5 on 17")
    assert (play.layout("T1"), play.credit("T1")) == ({"17": 10}, 90)


@pytest.mark.clause("skycity-adelaide-2003", "7(f)")
@pytest.mark.parametrize(
    "wanted",
    [
        PlaceBets(*GAME, (("17", 0),)),
        PlaceBets(*GAME, (("17", -500),)),
        PlaceBets(*GAME, (("18", 500), ("17", -500))),
        ChangeBet(*GAME, SpotKey("17"), Cents(-1)),
        ChangeBet(*GAME, SpotKey("17"), Cents(-500)),
    ],
)
def test_no_chip_is_worth_less_than_nothing(wanted: AnyCommand) -> None:
    """A stake of nothing or less is refused, and adds nothing to the meter."""
    play = betting(T1=100)
    assert refused(play.ask(wanted, DeviceId("T1")))[0] == "stake_not_positive"
    assert (play.layout("T1"), play.credit("T1")) == ({}, 100)


@pytest.mark.clause("skycity-adelaide-2003", "7(h)i")
@pytest.mark.parametrize("person", ["dealer", "inspector", "pit boss", "shift manager", "technician", "cashier"])
@pytest.mark.parametrize(
    "wanted",
    [
        MoveBet(*GAME, SpotKey("17"), SpotKey("18")),
        PlaceBets(*GAME, (("18", 500),)),
        ChangeBet(*GAME, SpotKey("17"), Cents(500)),
        RemoveBets(*GAME, (SpotKey("17"),)),
        UndoBet(*GAME),
        ClearBets(*GAME),
        DoubleBets(*GAME),
    ],
    ids=lambda wanted: type(wanted).__name__,
)
def test_staff_move_no_chip_of_a_player(person: str, wanted: AnyCommand) -> None:
    """Nobody on the staff places, moves or takes a chip on a player's terminal, at any console."""
    play = betting(T1=100)
    play.bet("T1", "10 on 17")
    assert refused(play.by(person, wanted))[0] == "not_authorised"
    assert refused(play.ask(wanted, DeviceId("T1"), person))[0] == "not_authorised"
    assert play.layout("T1") == {"17": 10}


@pytest.mark.clause("skycity-adelaide-2003", "7(h)i")
def test_no_terminal_moves_the_chips_of_another() -> None:
    """A command for T1 that comes from T2 is refused."""
    play = betting(T1=100, T2=100)
    play.bet("T1", "10 on 17")
    wanted = MoveBet(*play.game("T1"), SpotKey("17"), SpotKey("18"))
    assert refused(play.ask(wanted, DeviceId("T2")))[0] == "not_authorised"
    assert play.layout("T1") == {"17": 10}


@pytest.mark.clause("skycity-adelaide-2003", "7(h)i")
def test_every_touch_is_logged() -> None:
    """Two drops give two entries with their time, place and amount, and the log stays with the game."""
    play = betting(T1=100)
    play.at(3)
    play.bet("T1", "5 on 17")
    play.at(7)
    play.bet("T1", "10 on red")
    touches = [BetStep(play.now, BetChange.PLACE, (SpotKey("red"),), (0,), (10_00,), {}, None)]
    log = list(play.house.terminals[T1].games[TABLE].steps)
    assert [step.at for step in log] == [3 * SECOND, 7 * SECOND]
    assert log[1:] == touches
    play.close()
    play.spin()
    play.rest("17")
    record = play.house.terminals[T1].recall[-1]
    assert (record.round, len(record.steps), record.steps[1:]) == (RoundNumber(1), 2, tuple(touches))
