"""Clearwater's auto copy in the house: once, at the close of one game, into the other while that is open."""

import pytest

from croupier.house.ids import DeviceId, TableId, TerminalId
from croupier.house.play.betting import BetsChanged, PlaceBets, RemoveBets, UndoBet
from croupier.house.play.copying import AutoCopyRefused, SetAutoCopy
from croupier.house.rounds.closing import CloseBets
from croupier.house.rounds.opening import OpenBets
from croupier.house.rounds.results import BallAtRest
from croupier.house.rounds.spinning import SpinBall
from croupier.house.settings import LimitBounds, LimitSettings, TableSettings, TerminalSettings
from croupier.house.state.tables import BetChange
from croupier.rules.geometry import Pocket, SpotKey
from croupier.rules.notation import parse_slip
from tests.support.house_driver import TABLE, Play, cents, limits, refused

VENUE = "clearwater-etg"
LEFT, RIGHT = TABLE, TableId("table 2")
T1 = TerminalId("T1")
LEFT_BETS, RIGHT_BETS = "10 on red; 5 on 17; 2 on odd", "4 on red; 8 on 17; 3 on black"
DOLLARS = TerminalSettings(denominations=(cents(1),))


def two_games(
    left: str,
    right: str,
    credit: int,
    *,
    left_limits: LimitSettings | None = None,
    right_limits: LimitSettings | None = None,
) -> Play:
    """Find bets on both games of T1, auto copy on from left to right, and so many dollars left on the meter."""
    settings = [TableSettings(limits=each or LimitSettings()) for each in (left_limits, right_limits)]
    play = Play(VENUE, *settings)
    staked = sum(wager.amount for slip in (left, right) if slip for wager in parse_slip(slip))
    play.seat("T1", cents(credit) + staked, DOLLARS, tables=(LEFT, RIGHT))
    for table, slip in ((LEFT, left), (RIGHT, right)):
        play.must(OpenBets(table))
        placed = play.bet("T1", slip, table) if slip else ()
        assert isinstance(placed, tuple), placed
    switch(play, LEFT, RIGHT)
    return play


def switch(play: Play, source: TableId, target: TableId, *, on: bool = True) -> None:
    play.must(SetAutoCopy(T1, source, target, on), DeviceId(T1))


def close(play: Play, table: TableId) -> None:
    play.by("attendant", SpinBall(table))
    play.must(CloseBets(table))


def rest(play: Play, table: TableId, pocket: str) -> None:
    play.must(BallAtRest(table, Pocket(pocket)), DeviceId(table))


def copies(play: Play) -> list[BetsChanged]:
    return [each for each in play.events if isinstance(each, BetsChanged) and each.how is BetChange.AUTO_COPY]


def refusals(play: Play) -> list[tuple[str, str | None]]:
    """The code and clause of every auto copy that was not made."""
    return [(each.code, each.clause) for each in play.events if isinstance(each, AutoCopyRefused)]


@pytest.mark.clause("clearwater-etg", "12.b")
def test_bets_are_copied_when_no_more_bets_is_announced() -> None:
    """At the close of the left game red 10 and odd 2 come to the right one, not before, and 8 are debited."""
    play = two_games(LEFT_BETS, RIGHT_BETS, credit=100)
    assert (copies(play), play.credit("T1")) == ([], 100)
    close(play, LEFT)

    assert play.layout("T1", RIGHT) == {"red": 10, "17": 8, "odd": 2, "black": 3}
    assert (play.layout("T1", LEFT), play.credit("T1")) == ({"red": 10, "17": 5, "odd": 2}, 92)
    play.check()


@pytest.mark.clause("clearwater-etg", "12.b")
def test_bets_are_copied_once_for_each_close() -> None:
    """What the player takes off the right game after the copy does not come back."""
    play = two_games("5 on 17", "", credit=100)
    close(play, LEFT)
    play.touch("T1", RemoveBets, (SpotKey("17"),), table=RIGHT)
    rest(play, LEFT, "20")
    play.must(OpenBets(LEFT))

    assert (len(copies(play)), play.layout("T1", RIGHT)) == (1, {})
    play.check()


@pytest.mark.clause("clearwater-etg", "12.b")
def test_nothing_is_copied_with_the_switch_off() -> None:
    """A switch that was turned off again before the close copies nothing."""
    play = two_games(LEFT_BETS, RIGHT_BETS, credit=100)
    switch(play, LEFT, RIGHT, on=False)
    close(play, LEFT)

    assert (copies(play), refusals(play), play.credit("T1")) == ([], [], 100)


@pytest.mark.clause("clearwater-etg", "12.b")
@pytest.mark.parametrize("settled", [False, True])
def test_nothing_is_copied_to_a_game_that_is_not_open(settled: bool) -> None:  # noqa: FBT001
    """When the right game has closed, or is settled, before the left one closes, it gets nothing."""
    play = two_games(LEFT_BETS, RIGHT_BETS, credit=100)
    close(play, RIGHT)
    if settled:
        rest(play, RIGHT, "0")
    close(play, LEFT)

    assert (copies(play), play.credit("T1")) == ([], 100)
    assert play.layout("T1", RIGHT) == ({} if settled else {"red": 4, "17": 8, "black": 3})
    play.check()


@pytest.mark.clause("clearwater-etg", "12.b")
def test_bets_that_arrived_by_auto_copy_are_not_copied_on() -> None:
    """With both switches on, 5 on 17 go from left to right, and at the close of the right not back to a new left."""
    play = two_games("5 on 17", "7 on 20", credit=100)
    switch(play, RIGHT, LEFT)
    close(play, LEFT)
    assert play.layout("T1", RIGHT) == {"20": 7, "17": 5}
    rest(play, LEFT, "0")
    play.must(OpenBets(LEFT))
    close(play, RIGHT)

    assert play.layout("T1", LEFT) == {"20": 7}
    play.check()


@pytest.mark.clause("clearwater-etg", "12.b")
def test_part_that_arrived_by_auto_copy_is_not_copied_on() -> None:
    """Of 10 on red, 6 of which came by auto copy, the 4 of the player's own are copied on."""
    play = two_games("10 on red", "4 on red", credit=100)
    switch(play, RIGHT, LEFT)
    close(play, LEFT)
    assert play.layout("T1", RIGHT) == {"red": 10}
    rest(play, LEFT, "0")
    play.must(OpenBets(LEFT))
    close(play, RIGHT)

    assert play.layout("T1", LEFT) == {"red": 4}
    play.check()


@pytest.mark.clause("clearwater-etg", "12.b")
@pytest.mark.parametrize("touch", [(PlaceBets, (("17", 1_00),)), (RemoveBets, (SpotKey("17"),))], ids=["tap", "remove"])
def test_touch_that_is_taken_back_does_not_make_a_copied_bet_ones_own(touch: tuple[type, object]) -> None:
    """A copied bet that was tapped or removed and put back by an undo is as it arrived, and is not copied on."""
    play = two_games("5 on 17", "", credit=100)
    switch(play, RIGHT, LEFT)
    close(play, LEFT)
    command, more = touch
    play.touch("T1", command, more, table=RIGHT)
    play.touch("T1", UndoBet, table=RIGHT)
    assert play.layout("T1", RIGHT) == {"17": 5}
    rest(play, LEFT, "0")
    play.must(OpenBets(LEFT))
    close(play, RIGHT)

    assert play.layout("T1", LEFT) == {}


@pytest.mark.clause("clearwater-etg", "12.c")
@pytest.mark.parametrize(
    ("credit", "right_limits", "refusal"),
    [
        (7, LimitSettings(), ("credit_short", "12.c")),
        (100, limits(most=9), ("stake_over_maximum", "14.e")),
        (100, LimitSettings(total=LimitBounds(most=cents(22))), ("total_over_maximum", "14.b")),
    ],
)
def test_auto_copy_that_cannot_be_made_whole_is_not_made(
    credit: int, right_limits: LimitSettings, refusal: tuple[str, str]
) -> None:
    """With too few credits or beyond the limits of the right game nothing is copied, and the record says why."""
    play = two_games(LEFT_BETS, RIGHT_BETS, credit, right_limits=right_limits)
    close(play, LEFT)

    assert (copies(play), refusals(play)) == ([], [refusal])
    assert (play.layout("T1", RIGHT), play.credit("T1")) == ({"red": 4, "17": 8, "black": 3}, credit)
    play.check()


@pytest.mark.clause("clearwater-etg", "13.a")
def test_auto_copy_that_is_not_allowed_is_not_made() -> None:
    """Black 10 is not copied onto red 10, and the right game stays as it was (C6)."""
    play = two_games("10 on black", "10 on red", credit=100)
    close(play, LEFT)

    assert (copies(play), refusals(play)) == ([], [("too_little_risk", "13.a")])
    assert play.layout("T1", RIGHT) == {"red": 10}


@pytest.mark.clause("clearwater-etg", "12.b")
def test_bets_that_go_back_at_the_close_are_not_copied() -> None:
    """With a minimum of 5, 3 on 17 go back to the player, and only red 10 is copied."""
    play = two_games("3 on 17; 10 on red", "", credit=100, left_limits=limits(least=5))
    close(play, LEFT)

    assert (play.layout("T1", LEFT), play.layout("T1", RIGHT)) == ({"red": 10}, {"red": 10})
    assert play.credit("T1") == 93
    play.check()


@pytest.mark.clause("clearwater-etg", "12.b")
def test_bets_that_are_warned_of_are_not_copied() -> None:
    """Red 10 and black 10 that are removed at the close are not copied."""
    play = two_games("10 on red; 5 on 7; 10 on black", "", credit=100)
    play.touch("T1", RemoveBets, (SpotKey("7"),))
    close(play, LEFT)

    assert (copies(play), play.layout("T1", LEFT), play.credit("T1")) == ([], {}, 125)


@pytest.mark.clause("clearwater-etg", "12.c")
def test_credits_that_go_back_at_the_close_pay_for_the_copy() -> None:
    """Bets go back before others are copied: the 3 that go back and the 7 on the meter suffice to copy red 10."""
    play = two_games("3 on 17; 10 on red", "", credit=7, left_limits=limits(least=5))
    close(play, LEFT)

    assert (refusals(play), play.layout("T1", RIGHT), play.credit("T1")) == ([], {"red": 10}, 0)
    play.check()


@pytest.mark.clause("clearwater-etg", "12.b")
def test_copied_bets_are_played_in_the_other_game() -> None:
    """5 on 17 copied at the close bring 180 in each game in which 17 wins."""
    play = two_games("5 on 17", "", credit=100)
    close(play, LEFT)
    rest(play, LEFT, "17")
    close(play, RIGHT)
    rest(play, RIGHT, "17")

    assert play.credit("T1") == 100 - 5 + 180 + 180
    play.check()


@pytest.mark.clause("clearwater-etg", "12")
def test_game_is_not_copied_to_itself_or_elsewhere() -> None:
    """A switch from a game to itself, or to a game of another terminal, is refused."""
    play = two_games("5 on 17", "", credit=100)

    for table in (LEFT, TableId("table 9")):
        assert refused(play.ask(SetAutoCopy(T1, LEFT, table, on=True), DeviceId(T1))) == ("unknown_table", "12")
    assert refused(play.ask(SetAutoCopy(T1, TableId("table 9"), RIGHT, on=True), DeviceId(T1))) == (
        "unknown_table",
        "12",
    )
