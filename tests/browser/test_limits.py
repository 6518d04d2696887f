"""Limits: what the overlay, the sheet and the information box show is what the rules and the table's settings say."""

import pytest

from croupier import rulebook
from tests.support.browser.houses import BOOKS, CLEARWATER, MARINA, house_of
from tests.support.browser.seat import Seat, cents
from tests.support.browser.shared_house import Opens

#: What the tables are set to, in cents: the least and the most on a spot, and of the even chances.
SET = {"C": ((200, 10_000), (500, 50_000)), "M": ((500, 50_000), (2_500, 500_000))}
EVEN = frozenset({"red", "black", "odd", "even", "low", "high"})


def expected(table: str) -> dict[str, tuple[int, int, int]]:
    """Least, most and greatest win of every kind of bet, from the settings and the paytable."""
    prices = rulebook(BOOKS[table]).paytable.prices
    on_spot, on_even = SET[table]
    bounds = {kind: on_even if kind in EVEN else on_spot for kind in prices}
    return {str(kind): (*bounds[kind], bounds[kind][1] * int(prices[kind].gross)) for kind in prices}


def shown(seat: Seat) -> list[tuple[int, ...]]:
    """What the overlay shows at the field of every kind of bet."""
    found: list[list[str]] = seat.felt.locator(".cloth .tag").evaluate_all(
        "(all) => all.map((tag) => ['least', 'most', 'win'].map((name) => tag.querySelector('.' + name).textContent))"
    )
    return sorted(tuple(map(cents, figures)) for figures in found)


@pytest.mark.clause("clearwater-etg", "14")
@pytest.mark.parametrize(("table", "venue"), [("C", CLEARWATER), ("M", MARINA)])
def test_overlay_shows_the_limits_of_the_rules(opens: Opens, table: str, venue: str) -> None:
    """Show Bet Limits writes least, most and greatest win of each kind of bet on the felt, and off again."""
    seat = opens(house_of(venue)).seat(table)
    seat.act("limits")

    assert shown(seat) == sorted(expected(table).values())
    seat.act("limits")
    assert shown(seat) == []


@pytest.mark.parametrize(("table", "venue"), [("C", CLEARWATER), ("M", MARINA)])
def test_sheet_lists_the_limits_of_the_rules(opens: Opens, table: str, venue: str) -> None:
    """The sheet of limits has a row for each kind of bet with the same three figures."""
    seat = opens(house_of(venue)).seat(table)
    rows = seat.open("limits").locator("tbody tr:not(.total)")

    figures = [row.locator("td.min, td.max, td.win").all_inner_texts() for row in rows.all()]

    assert sorted(tuple(map(cents, row)) for row in figures) == sorted(expected(table).values())


@pytest.mark.clause("marina-bay-sands-2020", "3.4")
@pytest.mark.clause("marina-bay-sands-2020", "App. A")
def test_sheet_has_the_letters_of_the_appendix(opens: Opens) -> None:
    """The kinds of bets have the letters of Appendix A, from A Straight Up to M Black."""
    rows = opens(house_of(MARINA)).seat("M").open("limits").locator("tbody tr:not(.total) th").all_inner_texts()

    assert sorted(row[:2] for row in rows) == [f"{letter} " for letter in "ABCDEFGHIJKLM"]
    assert {"A Straight Up", "L Red", "M Black"} <= set(rows)


@pytest.mark.clause("clearwater-etg", "14.b")
@pytest.mark.clause("clearwater-etg", "14.c")
def test_information_box_shows_the_totals(opens: Opens) -> None:
    """The least and the most in all are always to be seen."""
    seat = opens(house_of(CLEARWATER)).seat("C")

    least, most = seat.head.locator(".limits-box dd").all_inner_texts()

    assert (cents(least), cents(most)) == (500, 200_000)


@pytest.mark.parametrize(("outside", "words"), [("", "from $5"), ("column dozen", "$5 inside, $25 outside")])
def test_minimum_inside_and_outside(opens: Opens, outside: str, words: str) -> None:
    """The box of limits has the least bet inside and the least outside, or the least of all where there are more."""
    kinds = "".join(f"kinds.{kind} = {{ minimum = 25 }}\n" for kind in ("column", "dozen") if kind in outside)
    seat = opens(house_of(MARINA.replace("kinds.even", f"{kinds}kinds.even"))).seat("M")
    assert seat.head.locator(".limits-box dd").first.inner_text() == words
