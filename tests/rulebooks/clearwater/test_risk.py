"""Clearwater's opposite bets in the house: what is not allowed, what is warned of, and the steps of the close."""

import pytest

from croupier.house.declare import Decision
from croupier.house.ids import TableId, TerminalId
from croupier.house.play.betting import BetsReturned, ClearBets, PressNeighbours, RepeatBets, ReturnReason
from croupier.house.play.copying import CopyBets
from croupier.house.play.patterns import ConfirmRecall, RecallPattern, SavePattern
from croupier.house.rounds.opening import OpenBets
from croupier.house.settings import LimitSettings, TableSettings, TerminalSettings
from croupier.house.views import terminal_view
from croupier.rules.refusal import Refusal
from tests.support.house_driver import TABLE, Play, cents

VENUE = "clearwater-etg"
RIGHT = TableId("table 2")
#: One credit is a dollar, so that a margin counted in credits is one counted in dollars.
DOLLARS = TerminalSettings(denominations=(cents(1),))
WARNING = "Bets not valid \N{EN DASH} too little risk!"


def at(limit_settings: LimitSettings | None = None) -> Play:
    """Find T1 with 1000 credits of a dollar, betting open at its one table."""
    play = Play(VENUE, TableSettings(limits=limit_settings or LimitSettings()))
    play.seat("T1", cents(1_000), DOLLARS)
    play.open()
    return play


def lay(play: Play, slip: str) -> None:
    """Place a slip, all of which must be taken."""
    placed = play.bet("T1", slip)
    assert isinstance(placed, tuple), placed


def straights(count: int) -> str:
    return "; ".join(f"1 on {number}" for number in range(1, count + 1))


def warning(play: Play) -> str:
    return terminal_view(play.house, TerminalId("T1"), TABLE, play.now).warning


def returns(play: Play) -> list[tuple[ReturnReason, str, set[str]]]:
    """What went back unplayed, why, and by which clause, in order."""
    events = [each for each in play.events if isinstance(each, BetsReturned)]
    return [(each.why, each.clause, {str(spot) for spot in each.spots}) for each in events]


def not_allowed(answer: Decision) -> tuple[int, int]:
    """The margin and the least margin, in dollars, of an answer that must be Bet not allowed."""
    assert isinstance(answer, Refusal), answer
    assert (answer.code, answer.clause, answer.facts["message"]) == ("too_little_risk", "13.a", "Bet not allowed")
    assert answer.message.startswith("Bet not allowed")
    margin, threshold = answer.facts["margin"], answer.facts["threshold"]
    assert isinstance(margin, int)
    assert isinstance(threshold, int)
    return margin // 100, threshold // 100


@pytest.mark.clause("clearwater-etg", "13")
@pytest.mark.parametrize(
    ("lies", "more", "refusal"),
    [
        ("", "10 on red", None),
        ("10 on red", "10 on black", (0, 2)),
        ("10 on red", "30 on black", None),
        ("10 on red", "10 on 17", None),
        ("100 on red", "95 on black", (5, 20)),
        ("100 on red", "81 on black", None),
        ("100 on red", "82 on black", (18, 19)),
        ("10 on dozen 1; 10 on dozen 2", "10 on dozen 3", (0, 3)),
        ("10 on dozen 1", "10 on dozen 2", None),
        ("", straights(32), None),
        (straights(32), "1 on 33", (3, 4)),
        ("1 on 0; 10 on red", "10 on black", None),
    ],
)
def test_bets_that_cancel_each_other_are_refused(lies: str, more: str, refusal: tuple[int, int] | None) -> None:
    """A bet stands when the best outcome is above the total bet by a tenth of it and by a credit at least."""
    play = at()
    if lies:
        lay(play, lies)
    layout, credit = play.layout("T1"), play.credit("T1")
    answer = play.bet("T1", more)

    if refusal is None:
        assert isinstance(answer, tuple)
    else:
        assert not_allowed(answer) == refusal
        assert (play.layout("T1"), play.credit("T1")) == (layout, credit)
    play.check()


@pytest.mark.clause("clearwater-etg", "13")
@pytest.mark.parametrize(
    ("denomination", "slip", "accepted"),
    [
        # A tenth of 18.20 is 1.82: at a cent a credit a margin of 1.80 is short of it, and of 1.90 above 1.81.
        ("0.01", "10 on red; 8.20 on black", False),
        ("0.01", "10 on red; 8.10 on black", True),
        # At 0.50 a credit a tenth of 18 is 1.80, rounded up to 2.00: four credits.
        ("0.50", "10 on red; 8 on black", True),
        ("0.50", "10 on red; 8.50 on black", False),
        # At 5 a credit the least margin is one credit of 5.
        ("5", "10 on red; 5 on black", True),
        ("5", "20 on red; 20 on black", False),
    ],
)
def test_margin_is_counted_in_credits(denomination: str, slip: str, accepted: bool) -> None:  # noqa: FBT001
    """The least margin is rounded up to whole credits of the denomination chosen (C7)."""
    play = Play(VENUE)
    play.seat("T1", cents(100), TerminalSettings(denominations=(cents(denomination),)))
    play.open()

    assert isinstance(play.bet("T1", slip), tuple) is accepted


@pytest.mark.clause("clearwater-etg", "13.a")
@pytest.mark.parametrize(
    ("lies", "more"), [("10 on red", "10 on black"), ("10 on dozen 1; 10 on dozen 2", "10 on dozen 3")]
)
def test_bet_that_is_not_allowed_costs_nothing(lies: str, more: str) -> None:
    """Black 10 on red 10, and the third dozen on two of 10, are told "Bet not allowed", and the credits stay."""
    play = at()
    lay(play, lies)
    credit = play.credit("T1")

    margin, _ = not_allowed(play.bet("T1", more))
    assert margin == 0
    assert play.credit("T1") == credit
    play.check()


def test_bets_of_one_slip_are_judged_together() -> None:
    """Red 10 and black 10 in one slip are refused, and neither is placed."""
    play = at()
    not_allowed(play.bet("T1", "10 on red; 10 on black"))

    assert play.layout("T1") == {}


#: What leaves only the twelve numbers of the red snake without a straight up, and only the neighbours of 22.
NO_SNAKE = "; ".join(f"1 on {n}" for n in range(1, 37) if n not in (1, 5, 9, 12, 14, 16, 19, 23, 27, 30, 32, 34))
NO_NEIGHBOURS = "; ".join(f"1 on {n}" for n in range(1, 33) if n not in (5, 15, 17, 22))


@pytest.mark.clause("clearwater-etg", "13.a")
def test_special_bet_that_is_not_allowed_is_refused_whole() -> None:
    """A red snake that makes a straight up on each of 36 numbers is refused, and none of its chips is placed."""
    play = at()
    lay(play, NO_SNAKE)

    assert not_allowed(play.bet("T1", "1 on red-snake")) == (0, 4)
    assert len(play.layout("T1")) == 24


@pytest.mark.clause("clearwater-etg", "13.a")
def test_neighbors_that_are_not_allowed_are_refused_whole() -> None:
    """A press that makes 33 straight ups of 1 is refused, and none of its four chips is placed."""
    play = at()
    lay(play, NO_NEIGHBOURS)
    lay(play, "1 on 22")
    before = play.layout("T1")

    assert not_allowed(play.touch("T1", PressNeighbours)) == (3, 4)
    assert (play.layout("T1"), len(before)) == (before, 29)


@pytest.mark.clause("clearwater-etg", "13.a")
def test_recalled_pattern_that_is_not_allowed_is_not_placed() -> None:
    """Black 10 recalled onto red 10 is refused when it is confirmed, and red 10 stays."""
    play = at()
    lay(play, "10 on black")
    play.touch("T1", SavePattern, 1)
    play.touch("T1", ClearBets)
    lay(play, "10 on red")
    play.touch("T1", RecallPattern, 1)

    not_allowed(play.touch("T1", ConfirmRecall))
    assert (play.layout("T1"), play.credit("T1")) == ({"red": 10}, 990)


@pytest.mark.clause("clearwater-etg", "13.a")
def test_repeated_bets_that_are_not_allowed_are_refused() -> None:
    """The black 10 of the last round cannot be repeated onto red 10."""
    play = at()
    lay(play, "10 on black")
    play.close()
    play.rest("0")
    play.open()
    lay(play, "10 on red")

    not_allowed(play.touch("T1", RepeatBets))
    assert play.layout("T1") == {"red": 10}


@pytest.mark.clause("clearwater-etg", "13.a")
def test_copied_bets_that_are_not_allowed_are_refused() -> None:
    """Black 10 of the left game is not copied onto red 10 of the right one."""
    play = Play(VENUE, TableSettings(), TableSettings())
    play.seat("T1", cents(100), DOLLARS, (TABLE, RIGHT))
    play.open()
    play.must(OpenBets(RIGHT))
    play.bet("T1", "10 on black")
    play.bet("T1", "10 on red", RIGHT)

    not_allowed(play.touch("T1", CopyBets, TABLE, table=RIGHT))
    assert (play.layout("T1", RIGHT), play.credit("T1")) == ({"red": 10}, 80)


@pytest.mark.clause("clearwater-etg", "13.b")
@pytest.mark.parametrize("more", ["30 on black", "10 on 17"])
def test_next_bet_may_have_a_higher_value_or_payout(more: str) -> None:
    """After black 10 was refused on red 10, black 30 is taken for its value and 10 on 17 for its payout."""
    play = at()
    lay(play, "10 on red")
    not_allowed(play.bet("T1", "10 on black"))
    not_allowed(play.bet("T1", "10 on black"))
    lay(play, more)

    assert len(play.layout("T1")) == 2
    play.check()
