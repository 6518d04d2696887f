"""The rules' smaller parts, one by one: buttons, markers, risk, odds, spins, areas, and the kernel's own guard."""

from dataclasses import replace
from fractions import Fraction

import pytest

from croupier.rulebooks.schema import Problem
from croupier.rules.calls import (
    CallBet,
    CallKind,
    CallSelection,
    MarkerLimits,
    MarkerUse,
    Reach,
    call_pieces,
    every_call,
    indivisible,
    marker_objection,
)
from croupier.rules.geometry import (
    POCKETS,
    Area,
    Colour,
    Pocket,
    SpotKey,
    SpotKind,
    in_order,
    rank,
)
from croupier.rules.limits import Limits, Range, limit_objections
from croupier.rules.money import Cents
from croupier.rules.pricing import Bet, Exposure, exposure_of, pieces_edge, settle_bets, spot_edge, stacks, staked
from croupier.rules.procedure import CitedNumber, Effect, Irregularity, Reason, Spin, assess_spin, observed_reasons
from croupier.rules.refusal import ClauseId, Code, Refusal
from croupier.rules.rulebook import Rulebook
from tests.conftest import venue

ADELAIDE, CLEARWATER = "skycity-adelaide-2003", "clearwater-etg"
MARINA, US = "marina-bay-sands-2020", "us-double-zero"
CLAUSE = ClauseId("12(a)")
FIFTHS = ClauseId("6(j)")

GOOD_SPIN = Spin(opposite=True, revolutions=9)


def bet(rulebook: Rulebook, key: str, stake: int) -> Bet:
    return Bet(rulebook.spots[SpotKey(key)], Cents(stake))


def code_of(answer: Refusal | None) -> Code | None:
    return None if answer is None else answer.code


@pytest.mark.clause(CLEARWATER, "24")
@pytest.mark.parametrize(
    ("times", "numbers", "chips"),
    [
        (0, ["0"], 1),
        (1, ["14", "2", "0", "28", "9"], 1),
        (2, ["35", "14", "2", "0", "28", "9", "26"], 1),
        (3, ["23", "35", "14", "2", "0", "28", "9", "26", "30"], 1),
        (4, ["23", "35", "14", "2", "0", "28", "9", "26", "30"], 2),
        (7, ["23", "35", "14", "2", "0", "28", "9", "26", "30"], 5),
    ],
)
def test_neighbours_button_spreads_then_raises(times: int, numbers: list[str], chips: int) -> None:
    """The button takes two neighbours on each side, then three, then four, and from then on adds a chip to each."""
    clearwater = venue(CLEARWATER)
    button = clearwater.neighbours_button
    assert button is not None
    assert button.press(clearwater.wheel, Pocket("0"), times=times) == dict.fromkeys(numbers, chips)


@pytest.mark.parametrize(
    ("place", "call", "ways", "first", "last"),
    [
        (ADELAIDE, 0, 37, "neighbours 0", "neighbours 36"),
        (CLEARWATER, 0, 1, "red-splits", "red-splits"),
        (CLEARWATER, 3, 38, "complete 0", "complete 36"),
        (CLEARWATER, 4, 10, "finale 0", "finale 9"),
        (CLEARWATER, 5, 38 * 3, "neighbours 0 by 2", "neighbours 36 by 4"),
        (MARINA, 4, 38, "neighbours 0", "neighbours 36"),
    ],
)
def test_call_is_said_in_every_way(place: str, call: int, ways: int, first: str, last: str) -> None:
    """Every number that may follow a call does, with its reach where there is a choice of one."""
    rulebook = venue(place)
    said = [str(called) for called in every_call(rulebook.calls[call], rulebook.wheel)]
    assert (len(said), said[0], said[-1]) == (ways, first, last)


@pytest.mark.parametrize(
    ("each_side", "numbers"),
    [(0, ["0"]), (1, ["26", "0", "32"]), (2, ["3", "26", "0", "32", "15"])],
)
def test_neighbours_go_round_the_wheel(each_side: int, numbers: list[str]) -> None:
    """Neighbours of a pocket are taken on both sides of it, past the end of the order."""
    assert list(venue(ADELAIDE).wheel.neighbours(Pocket("0"), each_side=each_side)) == numbers


def test_neighbours_of_half_the_wheel_are_all_of_it() -> None:
    """A pocket with eighteen neighbours on each side is a wheel of 37, each number once, and it in the middle."""
    wheel = venue(ADELAIDE).wheel
    found = wheel.neighbours(Pocket("0"), each_side=18)
    assert (found[18], sorted(found)) == ("0", sorted(wheel.order))


@pytest.mark.parametrize("each_side", [-1, 19])
def test_neighbours_never_meet_behind(each_side: int) -> None:
    """Asking for more neighbours than half the wheel holds, or for fewer than none, is a breach."""
    with pytest.raises(AssertionError):
        venue(ADELAIDE).wheel.neighbours(Pocket("0"), each_side=each_side)


BUTTON = CallBet("neighbours", "Neighbours", CallKind.MARKER, FIFTHS, reach=Reach(2, 2), minimum=CitedNumber(5, CLAUSE))
FREE = MarkerLimits(Cents(500))
UNIT = MarkerLimits(Cents(500), unit=Cents(1_000))
TWICE = MarkerLimits(Cents(500), per_number=2)


@pytest.mark.parametrize(
    ("total", "limits", "use", "code"),
    [
        (2_499, FREE, MarkerUse(), Code.MARKER_TOTAL_INDIVISIBLE),
        (2_495, FREE, MarkerUse(), Code.MARKER_UNDER_MINIMUM),
        (2_500, FREE, MarkerUse(), None),
        (2_500, FREE, MarkerUse(99, 99), None),
        (2_501, FREE, MarkerUse(), Code.MARKER_TOTAL_INDIVISIBLE),
        (995, UNIT, MarkerUse(), Code.MARKER_UNDER_MINIMUM),
        (1_000, UNIT, MarkerUse(), None),
        (2_500, TWICE, MarkerUse(1, 9), None),
        (2_500, TWICE, MarkerUse(2, 2), Code.MARKER_BETS_PER_NUMBER),
        (2_501, TWICE, MarkerUse(2, 2), Code.MARKER_TOTAL_INDIVISIBLE),
        (2_495, TWICE, MarkerUse(2, 2), Code.MARKER_UNDER_MINIMUM),
        (2_500, MarkerLimits(Cents(500), per_number=0), MarkerUse(), Code.MARKER_BETS_PER_NUMBER),
        (2_500, MarkerLimits(Cents(500), per_spin=3), MarkerUse(0, 2), None),
        (2_500, MarkerLimits(Cents(500), per_spin=3), MarkerUse(0, 3), Code.MARKER_BETS_PER_SPIN),
        (2_500, MarkerLimits(Cents(500), designated_only=True), MarkerUse(), Code.MARKER_NOT_DESIGNATED),
        (2_500, MarkerLimits(Cents(500), designated_only=True), MarkerUse(designated=True), None),
        (2_500, FREE, MarkerUse(designated=True), None),
    ],
)
def test_marker_bet_keeps_to_the_limits(total: int, limits: MarkerLimits, use: MarkerUse, code: Code | None) -> None:
    """A marker bet is five minima or the notice's unit, divisible by five, and within the counts of its table."""
    assert code_of(marker_objection(BUTTON, Cents(total), limits, use)) == code


def test_marker_refusals_carry_their_facts() -> None:
    """A marker bet's refusal names the clause, the total and the bound it breaks."""
    assert marker_objection(BUTTON, Cents(505), TWICE, MarkerUse()) == Refusal(
        Code.MARKER_UNDER_MINIMUM,
        CLAUSE,
        "A marker bet of 5.05 is under the minimum of 25.",
        {"total": 505, "minimum": 2_500},
    )
    assert marker_objection(BUTTON, Cents(2_500), TWICE, MarkerUse(2)) == Refusal(
        Code.MARKER_BETS_PER_NUMBER,
        CLAUSE,
        "This number already carries its 2 marker bets for this spin.",
        {"placed": 2, "maximum": 2},
    )
    assert marker_objection(BUTTON, Cents(2_500), MarkerLimits(Cents(500), per_spin=3), MarkerUse(0, 4)) == Refusal(
        Code.MARKER_BETS_PER_SPIN,
        CLAUSE,
        "The block already carries its 3 marker bets for this spin.",
        {"placed": 4, "maximum": 3},
    )
    designated = marker_objection(BUTTON, Cents(2_500), MarkerLimits(Cents(500), designated_only=True), MarkerUse())
    assert designated is not None
    assert (designated.clause, designated.message) == (
        CLAUSE,
        "Only designated players may use marker buttons at this table.",
    )
    fifths = marker_objection(BUTTON, Cents(2_501), TWICE, MarkerUse())
    assert fifths is not None
    assert fifths.clause == FIFTHS
    assert indivisible(Cents(25), CLAUSE) is None


@pytest.mark.clause(CLEARWATER, "13")
@pytest.mark.parametrize(
    ("best", "total", "credit", "code"),
    [
        (0, 0, 100, None),
        (1_100, 1_000, 100, None),
        (1_099, 1_000, 100, Code.TOO_LITTLE_RISK),
        (1_000, 1_000, 100, Code.TOO_LITTLE_RISK),
        (900, 1_000, 100, Code.TOO_LITTLE_RISK),
        (110, 100, 1, None),
        (109, 100, 1, Code.TOO_LITTLE_RISK),
        (102, 101, 1, Code.TOO_LITTLE_RISK),
        (112, 101, 1, None),
        (111, 101, 1, Code.TOO_LITTLE_RISK),
        (600, 500, 100, None),
        (599, 500, 100, Code.TOO_LITTLE_RISK),
        (1_300, 1_100, 100, None),
        (1_299, 1_100, 100, Code.TOO_LITTLE_RISK),
    ],
)
def test_best_outcome_must_bring_a_tenth_above_the_total(best: int, total: int, credit: int, code: Code | None) -> None:
    """Bets whose best outcome brings less than a tenth above the total, in whole credits, risk too little."""
    check = venue(CLEARWATER).risk
    assert check is not None
    exposure = Exposure(Cents(total), {Pocket("0"): Cents(0), Pocket("1"): Cents(best)})
    assert code_of(check.objection(exposure, credit=Cents(credit))) == code


@pytest.mark.clause(CLEARWATER, "13")
def test_opposite_bets_are_too_little_risk() -> None:
    """Red and black together cannot win more than they cost, and the refusal says by how much."""
    clearwater = venue(CLEARWATER)
    check = clearwater.risk
    assert check is not None
    bets = [bet(clearwater, "red", 500), bet(clearwater, "black", 500)]
    refusal = check.objection(exposure_of(bets, clearwater.paytable, clearwater.wheel), credit=Cents(100))
    assert refusal == Refusal(
        Code.TOO_LITTLE_RISK,
        ClauseId("13.a"),
        "Bet not allowed: the best outcome is 0 above the total bet of 10, and 1 is needed.",
        {"margin": 0, "threshold": 100, "staked": 1_000, "message": "Bet not allowed"},
    )


@pytest.mark.parametrize(
    ("place", "key", "edge"),
    [
        (ADELAIDE, "17", Fraction(1, 37)),
        (ADELAIDE, "0/1/2/3", Fraction(1, 37)),
        (ADELAIDE, "red", Fraction(1, 37)),
        (US, "17", Fraction(2, 38)),
        (US, "0/00/1/2/3", Fraction(3, 38)),
        (MARINA, "dozen 2", Fraction(2, 38)),
    ],
)
def test_edge_of_a_spot_is_exact(place: str, key: str, edge: Fraction) -> None:
    """The house edge of a spot is an exact fraction of the pockets."""
    rulebook = venue(place)
    assert spot_edge(rulebook.spots[SpotKey(key)], rulebook.paytable, rulebook.wheel) == edge


def test_edge_of_several_bets_is_weighted_by_their_pieces() -> None:
    """The edge of several bets is that of each, weighted by the pieces on it."""
    us = venue(US)
    pieces = {us.spots[SpotKey("17")]: 1, us.spots[SpotKey("0/00/1/2/3")]: 3}
    assert pieces_edge(pieces, us.paytable, us.wheel) == Fraction(2 + 3 * 3, 38 * 4)


@pytest.mark.parametrize(
    ("spin", "least", "seen"),
    [
        (GOOD_SPIN, 4, []),
        (replace(GOOD_SPIN, revolutions=4), 4, []),
        (replace(GOOD_SPIN, revolutions=3), 4, [Reason.TOO_FEW_REVOLUTIONS]),
        (replace(GOOD_SPIN, revolutions=0), 4, [Reason.BALL_DROPPED, Reason.TOO_FEW_REVOLUTIONS]),
        (replace(GOOD_SPIN, revolutions=0), 0, []),
        (replace(GOOD_SPIN, opposite=False), 4, [Reason.SAME_DIRECTION]),
        (replace(GOOD_SPIN, turning_at_launch=False), 4, [Reason.WHEEL_NOT_TURNING]),
        (replace(GOOD_SPIN, turning_throughout=False), 4, [Reason.WHEEL_STOPPED]),
        (replace(GOOD_SPIN, ball_in_wheel=False), 4, [Reason.BALL_OUT_OF_WHEEL]),
        (replace(GOOD_SPIN, ball_whole=False), 4, [Reason.BALL_BROKEN]),
        (replace(GOOD_SPIN, ball_seated=False), 4, [Reason.BALL_NOT_SEATED]),
        (replace(GOOD_SPIN, clear_of_objects=False), 4, [Reason.FOREIGN_OBJECT]),
        (replace(GOOD_SPIN, untouched=False), 4, [Reason.INTERFERENCE]),
    ],
)
def test_each_sight_is_named(spin: Spin, least: int, seen: list[Reason]) -> None:
    """Each thing seen to go wrong with a spin is named, and a good spin is not."""
    assert list(observed_reasons(spin, revolutions_least=least)) == seen


def test_sights_are_named_in_the_order_of_reasons() -> None:
    """Where everything goes wrong at once, all of it is named with the most telling first."""
    spin = Spin(
        opposite=False,
        revolutions=0,
        turning_at_launch=False,
        turning_throughout=False,
        ball_in_wheel=False,
        ball_whole=False,
        ball_seated=False,
        clear_of_objects=False,
        untouched=False,
    )
    order = tuple(Reason)
    seen = list(observed_reasons(spin, revolutions_least=4))
    assert len(seen) == 10
    assert seen == sorted(seen, key=order.index)


def test_spin_is_judged_by_what_the_venue_names() -> None:
    """Of what was seen, the first that the venue names is held against the spin; the rest is not covered."""
    named = Irregularity(Reason.SAME_DIRECTION, CLAUSE, Effect.VOID_ROUND)
    uncovered = Irregularity(Reason.NOT_COVERED, CLAUSE, Effect.REFER)
    known = (uncovered, named)
    broken = replace(GOOD_SPIN, ball_whole=False)
    assert assess_spin(GOOD_SPIN, known, revolutions_least=4) is None
    assert assess_spin(broken, known, revolutions_least=4) == uncovered
    assert assess_spin(replace(broken, opposite=False), known, revolutions_least=4) == named


def test_limits_of_a_kind_stand_before_those_of_a_spot() -> None:
    """A kind of bet with bounds of its own is held to those alone; every objection is told."""
    us = venue(US)
    limits = Limits(CLAUSE, CLAUSE, Range(Cents(100), Cents(400)), {SpotKind("red"): Range(Cents(1_000), None)})
    bets = [bet(us, "red", 500), bet(us, "black", 500), bet(us, "17", 50), bet(us, "17", 49), bet(us, "odd", 400)]
    reported = [(refusal.code, refusal.facts["spot"]) for refusal in limit_objections(bets, limits)]
    assert reported == [
        (Code.STAKE_UNDER_MINIMUM, "red"),
        (Code.STAKE_UNDER_MINIMUM, "17"),
        (Code.STAKE_OVER_MAXIMUM, "black"),
    ]


def test_no_bounds_no_objection() -> None:
    """Limits without figures refuse no bet."""
    assert list(limit_objections([bet(venue(US), "red", 10**12)], Limits(CLAUSE, CLAUSE))) == []


def test_bets_pile_up_by_spot() -> None:
    """Stakes on one spot are one pile however they got there, and all are counted."""
    us = venue(US)
    bets = [bet(us, "red", 100), bet(us, "17", 200), replace(bet(us, "red", 50), call="red-snake")]
    assert stacks(bets) == {us.spots[SpotKey("red")]: 150, us.spots[SpotKey("17")]: 200}
    assert staked(bets) == 350


@pytest.mark.parametrize(
    ("place", "key", "pocket", "returned", "clause"),
    [
        (ADELAIDE, "17", "17", 3_600, "8(a) A"),
        (ADELAIDE, "17", "18", 0, "8(a) A"),
        (ADELAIDE, "red", "0", 0, "8(c)"),
        (ADELAIDE, "0/1", "0", 1_800, "8(a) B"),
        (CLEARWATER, "red", "00", 0, "18.a"),
        (CLEARWATER, "dozen 1", "00", 0, "21.h"),
        (MARINA, "dozen 1", "0", 0, "4.2"),
        (MARINA, "dozen 1", "00", 0, "4.2.1"),
        (US, "red", "0", 0, "Pay Table Red"),
    ],
)
def test_result_of_a_bet_cites_its_clause(place: str, key: str, pocket: str, returned: int, clause: str) -> None:
    """A bet wins or loses by its price's clause, or loses on a zero by the zero's own."""
    rulebook = venue(place)
    (settled,) = settle_bets([bet(rulebook, key, 100)], rulebook.paytable, Pocket(pocket)).bets
    assert (settled.returned, settled.won, settled.clause) == (returned, returned > 0, clause)


@pytest.mark.parametrize(
    ("other", "shared"),
    [
        (Area((4, 8), (0, 4)), Area((4, 4), (0, 4))),
        (Area((4, 8), (4, 8)), Area((4, 4), (4, 4))),
        (Area((0, 4), (0, 4)), Area((0, 4), (0, 4))),
        (Area((5, 8), (0, 4)), None),
        (Area((0, 4), (5, 8)), None),
    ],
)
def test_areas_share_an_edge_a_point_or_nothing(other: Area, shared: Area | None) -> None:
    """Two areas have in common an edge, a point, the overlap, or nothing at all, whichever is asked first."""
    area = Area((0, 4), (0, 4))
    assert area.shared(other) == other.shared(area) == shared


@pytest.mark.parametrize(
    ("along", "across", "within"),
    [
        ((4, 8), (6, 9), True),
        ((5, 7), (7, 8), True),
        ((3, 8), (6, 9), False),
        ((4, 9), (6, 9), False),
        ((4, 8), (5, 9), False),
        ((4, 8), (6, 10), False),
    ],
)
def test_area_may_end_where_the_other_does(along: tuple[int, int], across: tuple[int, int], *, within: bool) -> None:
    """An area is within another up to its edges, and not a quarter of a cell beyond one of them, written either way."""
    other = Area((4, 8), (6, 9))
    assert Area(along, across).within(other) == Area(along[::-1], across[::-1]).within(other) == within


def test_spots_are_sorted_as_on_notices() -> None:
    """Spots are sorted by kind and then by their numbers, 00 between 0 and 1."""
    wanted = ["0", "00", "2", "10", "17/20", "red"]
    assert [key for key in venue("us-double-zero").spots if key in wanted] == wanted


def test_pockets_have_colours_and_an_order() -> None:
    """There are eighteen red pockets, eighteen black and two green; zeros are printed before 1 to 40."""
    wheel = venue("us-double-zero").wheel
    colours = [wheel.colour(pocket) for pocket in wheel.order]
    assert [colours.count(each) for each in (Colour.RED, Colour.BLACK, Colour.GREEN)] == [18, 18, 2]
    assert in_order(reversed(POCKETS)) == POCKETS
    assert [rank(pocket) for pocket in POCKETS] == list(range(43))


def test_call_puts_two_pieces_where_it_names_a_spot_twice() -> None:
    """A spot listed twice in a call gets two pieces."""
    marina = venue(MARINA)
    pieces = call_pieces(marina.calls[0], "", 0, marina.wheel, marina.spots)
    twice = {spot.key for spot, count in pieces.items() if count == 2}
    assert (sum(pieces.values()), twice) == (10, {"0/2/3", "25/26/28/29"})


@pytest.mark.parametrize(
    ("called", "text"),
    [
        (CallSelection("tiers"), "tiers"),
        (CallSelection("finale", "5"), "finale 5"),
        (CallSelection("neighbours", "22", 2), "neighbours 22 by 2"),
        (CallSelection("neighbours", "", 2), "neighbours by 2"),
    ],
)
def test_call_prints_as_it_is_said(called: CallSelection, text: str) -> None:
    """A call prints its name, its number where it has one, and its reach where one was said."""
    assert str(called) == text


def test_complaint_names_its_key_where_it_has_one() -> None:
    """A complaint reads file, key and words, or file and words."""
    assert str(Problem("rulebook.toml", "id", "missing")) == "rulebook.toml: id: missing"
    assert str(Problem("rulebook.toml", "", "is not TOML")) == "rulebook.toml: is not TOML"
