"""Clearwater's copied bets in the house: the arrows between the two games of a terminal."""

import pytest

from croupier.house.declare import Decision
from croupier.house.floor.setup import AddTerminal
from croupier.house.ids import DeviceId, TableId, TerminalId
from croupier.house.play.betting import BetsChanged, UndoBet
from croupier.house.play.copying import CopyBets, SetAutoCopy
from croupier.house.rounds.closing import CloseBets
from croupier.house.rounds.opening import OpenBets
from croupier.house.rounds.spinning import SpinBall
from croupier.house.settings import LimitBounds, LimitSettings, TableSettings, TerminalSettings
from croupier.house.state.tables import BetChange
from croupier.rules.geometry import SpotKey
from croupier.rules.notation import parse_slip
from tests.support.house_driver import TABLE, Play, cents, limits, refused

VENUE = "clearwater-etg"
LEFT, RIGHT = TABLE, TableId("table 2")
T1 = TerminalId("T1")
#: The layouts of the worked example: 17 and 15 dollars.
LEFT_BETS, RIGHT_BETS = "10 on red; 5 on 17; 2 on odd", "4 on red; 8 on 17; 3 on black"


def two_games(left: str, right: str, credit: int, right_limits: LimitSettings | None = None) -> Play:
    """Find bets on both games of T1 with betting open, and so many dollars left on the meter."""
    play = Play(VENUE, TableSettings(), TableSettings(limits=right_limits or LimitSettings()))
    staked = sum(wager.amount for slip in (left, right) if slip for wager in parse_slip(slip))
    play.seat("T1", cents(credit) + staked, tables=(LEFT, RIGHT))
    for table, slip in ((LEFT, left), (RIGHT, right)):
        play.must(OpenBets(table))
        placed = play.bet("T1", slip, table) if slip else ()
        assert isinstance(placed, tuple), placed
    assert play.credit("T1") == credit
    return play


def press(play: Play, *, source: TableId, target: TableId) -> Decision:
    """Press the arrow from one game to the other."""
    return play.touch("T1", CopyBets, source, table=target)


def close(play: Play, table: TableId) -> None:
    play.by("attendant", SpinBall(table))
    play.must(CloseBets(table))


@pytest.mark.clause("clearwater-etg", "12")
def test_terminal_with_two_games_has_an_arrow_and_a_switch_each_way() -> None:
    """With two games chips are copied either way, and auto copy is switched each way by itself."""
    play = two_games("5 on 17", "7 on 20", credit=100)
    for source, target in ((LEFT, RIGHT), (RIGHT, LEFT)):
        assert isinstance(press(play, source=source, target=target), tuple)
    assert play.layout("T1", LEFT) == play.layout("T1", RIGHT) == {"17": 5, "20": 7}

    games = play.house.terminals[T1].games
    switches = []
    for source, target, on in ((LEFT, RIGHT, True), (RIGHT, LEFT, True), (LEFT, RIGHT, False)):
        play.must(SetAutoCopy(T1, source, target, on), DeviceId(T1))
        switches.append((games[LEFT].auto_copy_to, games[RIGHT].auto_copy_to))
    assert switches == [(RIGHT, None), (RIGHT, LEFT), (None, LEFT)]
    play.check()


@pytest.mark.clause("clearwater-etg", "12")
@pytest.mark.parametrize("other", [LEFT, RIGHT, TableId("table 9")])
def test_terminal_with_one_game_copies_nothing(other: TableId) -> None:
    """A terminal with a single game has no other to copy from, nor a switch for it."""
    play = Play(VENUE, TableSettings(), TableSettings())
    play.seats(T1=100)
    play.open()
    play.bet("T1", "5 on 17")

    assert refused(press(play, source=other, target=LEFT)) == ("unknown_table", "12")
    switched = play.ask(SetAutoCopy(T1, LEFT, other, on=True), DeviceId(T1))
    assert refused(switched) == ("unknown_table", "12")


@pytest.mark.clause("clearwater-etg", "12")
@pytest.mark.parametrize("tables", [(LEFT, RIGHT, TableId("table 3")), (LEFT, LEFT)])
def test_terminal_has_at_most_two_different_games(tables: tuple[TableId, ...]) -> None:
    """Neither three games nor one game twice are put on a terminal."""
    play = Play(VENUE, *(TableSettings() for _ in range(3)))

    assert refused(play.ask(AddTerminal(T1, tables, TerminalSettings()))) == ("setting_impossible", "12")


@pytest.mark.clause("clearwater-etg", "12.a")
@pytest.mark.parametrize(("source", "target"), [(LEFT, RIGHT), (RIGHT, LEFT)])
def test_arrow_copies_in_its_own_direction(source: TableId, target: TableId) -> None:
    """5 on 17 of one game lie in the other too once its arrow is pressed, and lie where they lay."""
    play = two_games("", "", credit=100)
    play.bet("T1", "5 on 17", source)
    (copied,) = play.must(CopyBets(*play.game("T1", target), source), DeviceId(T1))

    assert isinstance(copied, BetsChanged)
    assert play.house.positions[copied.position] is play.house.terminals[T1].games[target]
    assert (copied.how, copied.stakes) == (BetChange.COPY, {SpotKey("17"): 5_00})
    assert (play.layout("T1", source), play.layout("T1", target), play.credit("T1")) == ({"17": 5}, {"17": 5}, 90)
    play.check()


@pytest.mark.clause("clearwater-etg", "12.b")
def test_right_arrow_copies_what_is_larger() -> None:
    """Red grows from 4 to 10 and odd from nothing to 2; 8 on 17 and 3 on black stay, and 8 are debited."""
    play = two_games(LEFT_BETS, RIGHT_BETS, credit=100)
    press(play, source=LEFT, target=RIGHT)

    assert play.layout("T1", RIGHT) == {"red": 10, "17": 8, "odd": 2, "black": 3}
    assert play.layout("T1", LEFT) == {"red": 10, "17": 5, "odd": 2}
    assert play.credit("T1") == 100 - 8
    play.check()


@pytest.mark.clause("clearwater-etg", "12.b")
def test_left_arrow_copies_what_is_larger() -> None:
    """From the same layouts the left arrow takes 17 from 5 to 8 and black to 3, and 6 are debited."""
    play = two_games(LEFT_BETS, RIGHT_BETS, credit=100)
    press(play, source=RIGHT, target=LEFT)

    assert play.layout("T1", LEFT) == {"red": 10, "17": 8, "odd": 2, "black": 3}
    assert play.layout("T1", RIGHT) == {"red": 4, "17": 8, "black": 3}
    assert play.credit("T1") == 100 - 6
    play.check()


@pytest.mark.clause("clearwater-etg", "12.c")
def test_copied_bets_do_not_stack() -> None:
    """The second press of an arrow changes nothing, and nothing is debited."""
    play = two_games(LEFT_BETS, RIGHT_BETS, credit=100)
    press(play, source=LEFT, target=RIGHT)
    before = play.layout("T1", RIGHT)

    assert press(play, source=LEFT, target=RIGHT) == ()
    assert (play.layout("T1", RIGHT), play.credit("T1")) == (before, 92)


@pytest.mark.clause("clearwater-etg", "12.c")
def test_nothing_is_copied_from_an_empty_game() -> None:
    """An arrow away from an empty game changes nothing."""
    play = two_games("", RIGHT_BETS, credit=100)

    assert press(play, source=LEFT, target=RIGHT) == ()
    assert play.layout("T1", RIGHT) == {"red": 4, "17": 8, "black": 3}


@pytest.mark.clause("clearwater-etg", "12.c")
@pytest.mark.parametrize(("credit", "copied"), [(7, False), (8, True)])
def test_bets_are_copied_only_if_the_credits_suffice_for_all(credit: int, copied: bool) -> None:  # noqa: FBT001
    """A copy that costs 8 is made whole with 8 credits, and with 7 nothing is copied."""
    play = two_games(LEFT_BETS, RIGHT_BETS, credit)
    answer = press(play, source=LEFT, target=RIGHT)

    if copied:
        assert (len(play.layout("T1", RIGHT)), play.credit("T1")) == (4, 0)
    else:
        assert refused(answer) == ("credit_short", "12.c")
        assert (play.layout("T1", RIGHT), play.credit("T1")) == ({"red": 4, "17": 8, "black": 3}, 7)
    play.check()


@pytest.mark.clause("clearwater-etg", "12.c")
@pytest.mark.parametrize(
    ("right_limits", "refusal"),
    [
        (limits(most=9), ("stake_over_maximum", "14.e")),
        (limits(most=10), None),
        (LimitSettings(total=LimitBounds(most=cents(22))), ("total_over_maximum", "14.b")),
        (LimitSettings(total=LimitBounds(most=cents(23))), None),
    ],
)
def test_copy_keeps_the_limits_of_its_target(right_limits: LimitSettings, refusal: tuple[str, str] | None) -> None:
    """A copy that makes red 10 and 23 in all is made within limits of 10 and of 23, and not at all within less."""
    play = two_games(LEFT_BETS, RIGHT_BETS, 100, right_limits)
    answer = press(play, source=LEFT, target=RIGHT)

    if refusal is None:
        assert play.layout("T1", RIGHT) == {"red": 10, "17": 8, "odd": 2, "black": 3}
    else:
        assert refused(answer) == refusal
        assert (play.layout("T1", RIGHT), play.credit("T1")) == ({"red": 4, "17": 8, "black": 3}, 100)


def test_arrow_copies_from_a_closed_game_and_not_into_it() -> None:
    """After no more bets in the left game its chips can still be copied to the right one, and none to it."""
    play = two_games("5 on 17", "7 on 20", credit=100)
    close(play, LEFT)

    assert refused(press(play, source=RIGHT, target=LEFT)) == ("bets_closed", "16.a")
    press(play, source=LEFT, target=RIGHT)
    assert play.layout("T1", RIGHT) == {"20": 7, "17": 5}
    play.check()


def test_copy_can_be_taken_back_whole() -> None:
    """An undo after a copy gives the target game its layout and the player the credits back."""
    play = two_games(LEFT_BETS, RIGHT_BETS, credit=100)
    press(play, source=LEFT, target=RIGHT)
    play.touch("T1", UndoBet, table=RIGHT)

    assert (play.layout("T1", RIGHT), play.credit("T1")) == ({"red": 4, "17": 8, "black": 3}, 100)
    play.check()
