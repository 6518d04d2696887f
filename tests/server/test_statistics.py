"""The tally: what has come is counted, and beside it stands exactly what chance alone would give."""

import json
from fractions import Fraction
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from croupier.house.ids import RoundNumber, TableId
from croupier.rules.geometry import Pocket
from croupier.rules.rulebook import Rulebook
from croupier.server.views.table import NumberStatistics, band, tally
from tests.conftest import venue
from tests.support.site import Fetched

ADELAIDE, MARINA = "skycity-adelaide-2003", "marina-bay-sands-2020"
FEW = Fraction(1, 40)


def counted(*pockets: str, rulebook: str = ADELAIDE) -> NumberStatistics:
    """Count these numbers, the newest first."""
    spins = tuple((RoundNumber(place), Pocket(pocket)) for place, pocket in enumerate(pockets, start=1))
    return tally(TableId("A"), venue(rulebook), spins)


def test_numbers_and_groups_are_counted() -> None:
    """Each number is counted for itself and for every group that it belongs to."""
    reported = counted("17", "0", "17", "2")
    groups = {each.group: each.count for each in reported.groups}

    assert reported.spins == 4
    assert {pocket: each.count for pocket, each in reported.pockets.items() if each.count} == {"17": 2, "0": 1, "2": 1}
    assert groups == {
        **dict.fromkeys(("red", "high", "dozen 3", "column 1", "column 3"), 0),
        **dict.fromkeys(("even", "dozen 1", "green"), 1),
        **dict.fromkeys(("odd", "dozen 2"), 2),
        **dict.fromkeys(("black", "low", "column 2"), 3),
    }


def test_every_number_of_the_wheel_is_there(rulebook: Rulebook) -> None:
    """A number that has not come stands there with a count of nothing, and the groups add up to the whole wheel."""
    reported = tally(TableId("A"), rulebook, ())

    assert list(reported.pockets) == list(rulebook.pockets)
    assert {(each.count, each.low, each.high) for each in (*reported.pockets.values(), *reported.groups)} == {(0, 0, 0)}
    assert (reported.spins, reported.hot, reported.cold) == (0, (), ())


def test_numbers_of_another_wheel_are_left_out() -> None:
    """Where a table has had another wheel, a number that this one has not is not counted."""
    reported = counted("00", "17")

    assert (reported.spins, reported.pockets[Pocket("17")].count, "00" in reported.pockets) == (1, 1, False)


EVERY = [str(number) for number in range(37)]
#: Two spins for each pocket of the wheel.
ENOUGH = EVERY * 2


@pytest.mark.parametrize(
    ("pockets", "hot"),
    [
        (("5", "7", "5", "9", "11", "13", *ENOUGH), ("5", "7", "9", "11")),
        (("7", "5"), ()),
        (ENOUGH, ("0", "1", "2", "3")),
        (ENOUGH[1:], ()),
    ],
    ids=["as often as others: the one that came last", "few spins", "just enough spins", "one too few"],
)
def test_hot_numbers_are_those_that_came_most(pockets: tuple[str, ...], hot: tuple[str, ...]) -> None:
    """After two spins for each pocket the four that have come most are named, those that came last first."""
    assert counted(*pockets).hot == hot


def test_cold_numbers_are_those_that_came_least() -> None:
    """The four that have come least are named, those longest away first; what never came is away the longest."""
    assert counted(*ENOUGH).cold == ("36", "35", "34", "33")
    assert counted(*EVERY[2:] * 3).cold == ("0", "1", "36", "35")
    assert counted(*EVERY).cold == ()


@given(spins=st.integers(0, 120), numbers=st.sampled_from([1, 2, 12, 18]), wheel=st.sampled_from([37, 38]))
def test_band_leaves_out_one_in_forty_on_either_side(spins: int, numbers: int, wheel: int) -> None:
    """Chance gives less than the band at most once in forty times, and more as seldom; no narrower band does."""
    low, high = band(spins, numbers, wheel)
    share = Fraction(numbers, wheel)
    chances = [comb(spins, count) * share**count * (1 - share) ** (spins - count) for count in range(spins + 1)]

    assert sum(chances) == 1
    assert sum(chances[:low]) <= FEW < sum(chances[: low + 1])
    assert sum(chances[high + 1 :]) <= FEW < sum(chances[high:])


@pytest.mark.parametrize(
    ("spins", "numbers", "wheel", "expected"),
    [(100, 1, 37, (0, 6)), (100, 18, 37, (39, 58)), (100, 12, 38, (23, 41)), (37, 1, 37, (0, 3)), (1, 18, 37, (0, 1))],
)
def test_band_is_as_worked_out_elsewhere(spins: int, numbers: int, wheel: int, expected: tuple[int, int]) -> None:
    """The band is that of the tables of the binomial distribution."""
    assert band(spins, numbers, wheel) == expected


def test_statistics_are_fetched_as_they_were_sent() -> None:
    """The numbers that a table has told are fetched counted; those that were not told yet are in nothing."""
    house = Fetched()
    house.spin("17")
    house.spin("00")
    reported = json.loads(house.get("/statistics/A.json").body)

    assert (reported["table"], reported["spins"]) == ("A", 2)
    assert reported["pockets"]["00"] == {"count": 1, "low": 0, "high": 1}
    assert reported["groups"][-1] == {"count": 1, "low": 0, "high": 1, "group": "green"}
    assert (reported["hot"], reported["cold"]) == ([], [])
    house.spins[house.table] = ()
    assert json.loads(house.get("/statistics/A.json").body)["spins"] == 0


@pytest.mark.parametrize("address", ["/statistics/A", "/statistics/B.json", "/statistics/", "/statistics/A.json/x"])
def test_statistics_of_nothing_are_not_there(address: str) -> None:
    """There are statistics of tables that stand in the house, under one address each."""
    assert Fetched().get(address).status == 404
