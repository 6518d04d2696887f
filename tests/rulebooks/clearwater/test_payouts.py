"""Clearwater's prices in the house: what each line pays, what loses on a zero, and how special bets are placed."""

import pytest

from croupier.house.play.betting import PlaceBets
from croupier.house.settings import LimitBounds, LimitSettings, TableSettings
from croupier.rules.geometry import SpotKind
from tests.support.house_driver import Play, cents, limits, refused

VENUE = "clearwater-etg"
STRAIGHTS = 38


def after(slip: str, pocket: str, credit: int = 1_000) -> float:
    """What a round with a slip adds to the credits or takes from them, in dollars."""
    play = Play(VENUE)
    play.seats(T1=credit)
    play.round(pocket, T1=slip)
    assert play.layout("T1") == {}
    play.check()
    return play.credit("T1") - credit


@pytest.mark.clause("clearwater-etg", "18")
@pytest.mark.parametrize("spot", ["red", "black", "odd", "even", "low", "high"])
def test_six_even_money_bets_pay_one_for_one(spot: str) -> None:
    """Each of the six wins its stake on a number of its own, and loses it on the others and on both zeros."""
    spots = Play(VENUE).rulebook.spots
    own = next(str(pocket) for key, each in spots.items() if key == spot for pocket in each.numbers)
    other = next(str(number) for number in range(1, 37) if after(f"10 on {spot}", str(number)) < 0)

    assert [after(f"10 on {spot}", pocket) for pocket in (own, other, "0", "00")] == [10, -10, -10, -10]


@pytest.mark.clause("clearwater-etg", "18.a")
@pytest.mark.parametrize("pocket", ["0", "00"])
@pytest.mark.parametrize(
    ("slip", "lost"),
    [("10 on even; 10 on red; 10 on low", 30), ("10 on even", 10), ("10 on red; 30 on black", 40), ("25 on high", 25)],
)
def test_even_money_loses_the_entire_wager_on_a_zero(slip: str, lost: int, pocket: str) -> None:
    """Even, red and low at 10 each lose all 30 on 0 and on 00, as does any other combination that is allowed."""
    assert after(slip, pocket) == -lost


@pytest.mark.clause("clearwater-etg", "18.a")
def test_columns_and_dozens_lose_on_a_zero_too() -> None:
    """Columns and dozens do not hold a zero, and lose on it (C11)."""
    for spot in ("column 1", "column 2", "column 3", "dozen 1", "dozen 2", "dozen 3"):
        assert (after(f"10 on {spot}", "0"), after(f"10 on {spot}", "00")) == (-10, -10)


@pytest.mark.parametrize(
    ("spot", "pocket", "won"),
    [
        pytest.param("00", "00", 350, marks=pytest.mark.clause("clearwater-etg", "21.a")),
        pytest.param("00", "0", -10, marks=pytest.mark.clause("clearwater-etg", "21.a")),
        pytest.param("0/00", "00", 170, marks=pytest.mark.clause("clearwater-etg", "21.b")),
        pytest.param("0/00", "1", -10, marks=pytest.mark.clause("clearwater-etg", "21.b")),
        pytest.param("0/00/2", "0", 110, marks=pytest.mark.clause("clearwater-etg", "21.c")),
        pytest.param("0/1/2", "1", 110, marks=pytest.mark.clause("clearwater-etg", "21.c")),
        pytest.param("00/2/3", "00", 110, marks=pytest.mark.clause("clearwater-etg", "21.c")),
        pytest.param("34/35/36", "35", 110, marks=pytest.mark.clause("clearwater-etg", "21.c")),
        pytest.param("0/00/2", "3", -10, marks=pytest.mark.clause("clearwater-etg", "21.c")),
        pytest.param("1/2/4/5", "4", 80, marks=pytest.mark.clause("clearwater-etg", "21.d")),
        pytest.param("1/2/4/5", "3", -10, marks=pytest.mark.clause("clearwater-etg", "21.d")),
        pytest.param("0/00/1/2/3", "3", 60, marks=pytest.mark.clause("clearwater-etg", "21.e")),
        pytest.param("0/00/1/2/3", "00", 60, marks=pytest.mark.clause("clearwater-etg", "21.e")),
        pytest.param("0/00/1/2/3", "4", -10, marks=pytest.mark.clause("clearwater-etg", "21.e")),
        pytest.param("1/2/3/4/5/6", "6", 50, marks=pytest.mark.clause("clearwater-etg", "21.f")),
        pytest.param("1/2/3/4/5/6", "7", -10, marks=pytest.mark.clause("clearwater-etg", "21.f")),
        pytest.param("column 2", "35", 20, marks=pytest.mark.clause("clearwater-etg", "21.g")),
        pytest.param("column 2", "0", -10, marks=pytest.mark.clause("clearwater-etg", "21.g")),
        pytest.param("column 2", "00", -10, marks=pytest.mark.clause("clearwater-etg", "21.g")),
        pytest.param("dozen 3", "36", 20, marks=pytest.mark.clause("clearwater-etg", "21.h")),
        pytest.param("dozen 3", "0", -10, marks=pytest.mark.clause("clearwater-etg", "21.h")),
        pytest.param("dozen 3", "00", -10, marks=pytest.mark.clause("clearwater-etg", "21.h")),
        pytest.param("black", "17", 10, marks=pytest.mark.clause("clearwater-etg", "21.i")),
        pytest.param("red", "17", -10, marks=pytest.mark.clause("clearwater-etg", "21.i")),
        pytest.param("even", "36", 10, marks=pytest.mark.clause("clearwater-etg", "21.j")),
        pytest.param("even", "0", -10, marks=pytest.mark.clause("clearwater-etg", "21.j")),
        pytest.param("even", "00", -10, marks=pytest.mark.clause("clearwater-etg", "21.j")),
        pytest.param("odd", "35", 10, marks=pytest.mark.clause("clearwater-etg", "21.j")),
        pytest.param("high", "19", 10, marks=pytest.mark.clause("clearwater-etg", "21.k")),
        pytest.param("high", "18", -10, marks=pytest.mark.clause("clearwater-etg", "21.k")),
        pytest.param("low", "18", 10, marks=pytest.mark.clause("clearwater-etg", "21.k")),
    ],
)
def test_line_of_the_paytable(spot: str, pocket: str, won: int) -> None:
    """10 on a field win as its line says with the stake given back, and are lost on another number."""
    assert after(f"10 on {spot}", pocket) == won


@pytest.mark.clause("clearwater-etg", "21")
def test_every_field_loses_a_nineteenth_in_the_long_run_but_the_five_numbers() -> None:
    """Over all 38 pockets 38 chips on a field come to a loss of 2, and on the five numbers to one of 3."""
    play = Play(VENUE)
    felt, pockets = play.table.payouts, play.rulebook.pockets
    for key, spot in play.rulebook.spots.items():
        back = sum(felt.returned({key: 1}, pocket) for pocket in pockets)
        assert STRAIGHTS - back == (3 if spot.kind == SpotKind("five") else 2)
    assert len({each.clause for each in play.rulebook.paytable.prices.values()}) == 11


@pytest.mark.clause("clearwater-etg", "23")
def test_special_bets_are_placed_whole_or_not_at_all() -> None:
    """Each of the five special bets costs its chips, and with a cent too little nothing of it is placed."""
    for call, chips in {"red-splits": 4, "black-splits": 7, "red-snake": 12, "complete 17": 9, "final 5": 4}.items():
        play = Play(VENUE)
        play.seat("T1", cents(chips))
        play.seat("T2", cents(chips - 1) + 99)
        play.open()
        assert refused(play.bet("T2", f"1 on {call}")) == ("credit_short", "10")
        assert isinstance(play.bet("T1", f"1 on {call}"), tuple)
        assert (len(play.layout("T1")), play.credit("T1"), play.layout("T2")) == (chips, 0, {})
        assert set(play.layout("T1").values()) == {1}
        play.check()


@pytest.mark.clause("clearwater-etg", "23")
@pytest.mark.parametrize("call", ["big-series", "orphans", "voisins", "zero-spiel"])
def test_special_bets_of_other_venues_are_not_offered(call: str) -> None:
    """What the five special bets do not name cannot be called here."""
    play = Play(VENUE)
    play.seats(T1=100)
    play.open()

    assert refused(play.bet("T1", f"1 on {call}")) == ("call_not_offered", "23")


@pytest.mark.clause("clearwater-etg", "23")
@pytest.mark.parametrize(
    ("limit_settings", "refusal"),
    [
        (limits(most=11), ("stake_over_maximum", "14.e")),
        (LimitSettings(total=LimitBounds(most=cents(29))), ("total_over_maximum", "14.b")),
    ],
)
def test_special_bet_keeps_the_limits_of_every_piece(limit_settings: LimitSettings, refusal: tuple[str, str]) -> None:
    """With 10 on 16/19 already, red splits of 5 that go beyond the limits are refused whole."""
    play = Play(VENUE, TableSettings(limits=limit_settings))
    play.seats(T1=100)
    play.open()
    play.bet("T1", "10 on 16/19")

    assert refused(play.bet("T1", "5 on red-splits")) == refusal
    assert (play.layout("T1"), play.credit("T1")) == ({"16/19": 10}, 90)


def placed(slip: str) -> tuple[dict[str, float], float]:
    """What a slip lays, and what it costs."""
    play = Play(VENUE)
    play.seats(T1=1_000)
    play.open()
    play.bet("T1", slip)
    return play.layout("T1"), 1_000 - play.credit("T1")


@pytest.mark.clause("clearwater-etg", "23.a")
def test_red_splits() -> None:
    """Red splits of 5 cost 20 on four splits; on 12 they return 90, and on a red outside them nothing."""
    assert placed("5 on red-splits") == (dict.fromkeys(("9/12", "16/19", "18/21", "27/30"), 5), 20)
    assert after("5 on red-splits", "12") == 90 - 20
    assert after("5 on red-splits", "1") == -20


@pytest.mark.clause("clearwater-etg", "23.b")
def test_black_splits() -> None:
    """Black splits of 1 cost 7; 10, 11, 28 and 29 return 36, the six other numbers 18, and a black outside nothing."""
    splits = ("8/11", "10/11", "10/13", "17/20", "26/29", "28/29", "28/31")
    assert placed("1 on black-splits") == (dict.fromkeys(splits, 1), 7)
    twice, once = ("10", "11", "28", "29"), ("8", "13", "17", "20", "26", "31")
    assert {after("1 on black-splits", pocket) + 7 for pocket in twice} == {36}
    assert {after("1 on black-splits", pocket) + 7 for pocket in once} == {18}
    assert after("1 on black-splits", "2") == -7


@pytest.mark.clause("clearwater-etg", "23.c")
def test_red_snake() -> None:
    """A red snake of 1 costs 12 on twelve numbers; 23 returns 36, and 3, which is red and not in it, nothing."""
    numbers = ("1", "5", "9", "12", "14", "16", "19", "23", "27", "30", "32", "34")
    assert placed("1 on red-snake") == (dict.fromkeys(numbers, 1), 12)
    assert after("1 on red-snake", "23") == 36 - 12
    assert after("1 on red-snake", "3") == -12


@pytest.mark.clause("clearwater-etg", "23.d")
@pytest.mark.parametrize(
    ("number", "chips", "returned"),
    [
        ("2", 11, 180),
        ("17", 9, 144),
        ("1", 6, 111),
        ("3", 6, 111),
        ("0", 6, 114),
        ("00", 6, 114),
        ("34", 4, 81),
        ("36", 4, 81),
    ],
)
def test_complete(number: str, chips: int, returned: int) -> None:
    """Complete lays one chip on the number, its splits, corners and zero trios, and returns them all when it wins."""
    layout, cost = placed(f"1 on complete {number}")
    assert (len(layout), cost) == (chips, chips)
    assert all(number in spot.split("/") for spot in layout)
    assert after(f"1 on complete {number}", number) == returned - chips


@pytest.mark.clause("clearwater-etg", "23.d")
def test_complete_leaves_out_the_five_numbers_streets_and_six_lines() -> None:
    """Complete 2 holds its three zero trios, and neither 1/2/3 nor the five numbers nor a six line (C14)."""
    layout, _ = placed("1 on complete 2")

    assert {spot for spot in layout if spot.count("/") == 2} == {"0/1/2", "0/00/2", "00/2/3"}
    assert max(spot.count("/") for spot in layout) == 3


@pytest.mark.clause("clearwater-etg", "23.e")
def test_final() -> None:
    """Final 5 of 2 costs 8 on 5, 15, 25 and 35, and the ten finals have 5, 4, 4, 4, 4, 4, 4, 3, 3 and 3 chips."""
    assert placed("2 on final 5") == ({"5": 2, "15": 2, "25": 2, "35": 2}, 8)
    assert [len(placed(f"1 on final {digit}")[0]) for digit in range(10)] == [5, 4, 4, 4, 4, 4, 4, 3, 3, 3]
    assert set(placed("1 on final 0")[0]) == {"0", "00", "10", "20", "30"}
    assert after("2 on final 5", "35") == 72 - 8
    assert after("1 on final 0", "00") == 36 - 5
    assert after("2 on final 5", "6") == -8


@pytest.mark.clause("clearwater-etg", "23.e")
@pytest.mark.parametrize("call", ["final 10", "final 00", "final", "complete", "complete 37", "red-snake 5"])
def test_call_that_names_the_wrong_thing_is_refused(call: str) -> None:
    """A final without a digit, a complete without a number, and a snake with one place nothing."""
    play = Play(VENUE)
    play.seats(T1=100)
    play.open()
    words = (call, 1_00)
    refused(play.touch("T1", PlaceBets, (words,)))

    assert (play.layout("T1"), play.credit("T1")) == ({}, 100)
