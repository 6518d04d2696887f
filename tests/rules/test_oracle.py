"""The rules beside the oracle: every spot on every pocket, every set of numbers, every call, to the cent."""

from collections import Counter
from collections.abc import Iterator
from contextlib import nullcontext
from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from croupier.rules.geometry import Pocket, SpotKey
from croupier.rules.money import Cents
from croupier.rules.notation import expand_call, read_slip
from croupier.rules.pricing import Bet, exposure_of, pieces_edge, settle_bets, spot_edge
from croupier.rules.refusal import Code, Refusal, Refused
from croupier.rules.rulebook import Expansion, Rulebook, find_spot
from tests.conftest import venue
from tests.support import oracle
from tests.support.oracle import ADELAIDE, CLEARWATER, MARINA_BAY_SANDS, US, VENUES, WHEELS, Numbers, Pieces

pytestmark = pytest.mark.untraced

PRINTED = ("0", "00", *map(str, range(1, 37)))
UNIT = Cents(100)
EDGES = {
    MARINA_BAY_SANDS: Fraction(1, 19),
    ADELAIDE: Fraction(1, 37),
    CLEARWATER: Fraction(1, 19),
    US: Fraction(1, 19),
}
FIVE_EDGE = Fraction(3, 38)  # 38 pockets, five of them paid as if there were 35


def expansion(rulebook: Rulebook, call: str) -> Expansion:
    expanded = expand_call(rulebook, call)
    assert isinstance(expanded, Expansion)
    return expanded


def pieces_of(bets: tuple[Bet, ...]) -> Pieces:
    """Count a call's pieces, one unit each."""
    pieces: Pieces = Counter()
    for bet in bets:
        pieces[frozenset(bet.spot.numbers)] += bet.stake // UNIT
    return pieces


def key_of(numbers: Numbers) -> SpotKey:
    return SpotKey("/".join(sorted(numbers, key=PRINTED.index)))


def test_wheels(rulebook: Rulebook) -> None:
    """Each venue's wheel has the pockets of its document, in the order worked out from it."""
    assert rulebook.wheel.order == WHEELS[rulebook.id]
    assert rulebook.pockets == tuple(pocket for pocket in PRINTED if pocket in WHEELS[rulebook.id])


def test_legal_spots(rulebook: Rulebook) -> None:
    """A venue's spots are the oracle's legal bets, kind by kind, and no other."""
    spots = {frozenset(spot.numbers): spot.kind for spot in rulebook.spots.values()}
    assert spots == {numbers: bet.kind for numbers, bet in oracle.legal_bets(rulebook.id).items()}
    assert len(spots) == len(rulebook.spots)


#: Straights, splits, streets, corners, fives, six lines, outside bets, and all of them.
COUNTS = [
    (MARINA_BAY_SANDS, (38, 61, 14, 23, 0, 11, 12), 159),
    (ADELAIDE, (37, 60, 14, 23, 0, 11, 12), 157),
    (CLEARWATER, (38, 62, 15, 22, 1, 11, 12), 161),
    (US, (38, 62, 15, 22, 1, 11, 12), 161),
]


@pytest.mark.parametrize(("rulebook_id", "by_kind", "total"), COUNTS)
def test_how_many_spots_of_each_kind(rulebook_id: str, by_kind: tuple[int, ...], total: int) -> None:
    """Each felt has as many spots of each kind as were counted by hand."""
    found = Counter(str(spot.kind) for spot in venue(rulebook_id).spots.values())
    outside = found["column"] + found["dozen"] + sum(found[kind] for kind in ("red", "black", "odd", "even"))
    inside = tuple(found[kind] for kind in ("straight", "split", "street", "corner", "five", "six_line"))
    assert (*inside, outside + found["low"] + found["high"]) == by_kind
    assert found.total() == total


def test_anchors_differ(rulebook: Rulebook) -> None:
    """No two bets of a felt are placed at the same point."""
    assert len({spot.anchor for spot in rulebook.spots.values()}) == len(rulebook.spots)


def test_every_spot_on_every_pocket(rulebook: Rulebook) -> None:
    """Every bet on every result returns the oracle's amount and cites the clause of its price, or of the zero."""
    for spot in rulebook.spots.values():
        legal = oracle.legal_bets(rulebook.id)[frozenset(spot.numbers)]
        for pocket in rulebook.pockets:
            # An odd stake, with cents, would show any rounding.
            settlement = settle_bets((Bet(spot, Cents(307)),), rulebook.paytable, pocket)
            (settled,) = settlement.bets
            gross = 307 * legal.gross(pocket)
            assert (settlement.staked, settlement.returned, settlement.net) == (307, gross, gross - 307)
            assert (settled.bet.spot, settled.returned, settled.won) == (spot, gross, gross > 0)
            # The documents name no clause for a loss on any pocket but a zero.
            expected = legal.clause if settled.won else oracle.lost_by(rulebook.id, legal.kind, pocket)
            assert expected in (settled.clause, None)


#: One unit on every spot: the pocket, how many win, and what comes back.
TOTALS = [
    (MARINA_BAY_SANDS, "0", 8, 141),  # 36 + 4x18 + 2x12 + 9
    (MARINA_BAY_SANDS, "00", 2, 54),  # 36 + 18
    (MARINA_BAY_SANDS, "2", 17, 189),
    (MARINA_BAY_SANDS, "17", 17, 180),
    (MARINA_BAY_SANDS, "36", 11, 111),
    (ADELAIDE, "0", 7, 123),  # 36 + 3x18 + 2x12 + 9
    (ADELAIDE, "2", 17, 189),
    (ADELAIDE, "17", 17, 180),
    (ADELAIDE, "36", 11, 111),
    (CLEARWATER, "0", 7, 121),  # 36 + 3x18 + 2x12 + 7
    (CLEARWATER, "00", 7, 121),
    (CLEARWATER, "2", 19, 217),
    (CLEARWATER, "17", 17, 180),
    (CLEARWATER, "36", 11, 111),
    (US, "0", 7, 121),
    (US, "00", 7, 121),
    (US, "2", 19, 217),
    (US, "17", 17, 180),
    (US, "36", 11, 111),
]


@pytest.mark.parametrize(("rulebook_id", "pocket", "winners", "gross"), TOTALS)
def test_one_unit_on_every_spot(rulebook_id: str, pocket: str, winners: int, gross: int) -> None:
    """One unit on every spot brings back what was added up by hand, from as many winners."""
    rulebook = venue(rulebook_id)
    bets = tuple(Bet(spot, UNIT) for spot in rulebook.spots.values())
    settlement = settle_bets(bets, rulebook.paytable, Pocket(pocket))
    assert sum(settled.won for settled in settlement.bets) == winners
    assert settlement.returned == gross * UNIT
    assert settlement.staked == len(rulebook.spots) * UNIT


#: Numbers that lie together at the head of some felt, but not of this one.
REFUSED = [
    (MARINA_BAY_SANDS, "00/1 00/2 00/3 0/00/2 0/00/1/2 0/1/3 0/00/1/2/3 0/00/1 0/00/3 0/00/2/3 0/4"),
    (ADELAIDE, "00 0/00 00/1 00/2 00/3 0/00/2 00/2/3 0/00/1/2/3 0/1/3 0/4"),
    (CLEARWATER, "0/3 00/1 0/2/3 00/1/2 0/1/2/3 0/00/2/3 0/00/1/2 0/00/1 0/00/3 0/4"),
    (US, "0/3 00/1 0/2/3 00/1/2 0/1/2/3 0/00/2/3 0/00/1/2 0/00/1 0/00/3 0/4"),
]


@pytest.mark.parametrize(("rulebook_id", "spot"), [(who, spot) for who, spots in REFUSED for spot in spots.split()])
def test_what_another_felt_allows_is_refused(rulebook_id: str, spot: str) -> None:
    """A bet that this venue's layout does not have, or its notice does not price, is refused with a clause."""
    refusal = read_slip(venue(rulebook_id), f"1 on {spot}")
    assert isinstance(refusal, Refusal)
    assert refusal.code in (Code.SPOT_NOT_ON_LAYOUT, Code.KIND_NOT_PRICED)
    assert refusal.clause in {clause.clause for clause in venue(rulebook_id).clauses}


def assert_legal_as_by_hand(rulebook: Rulebook, numbers: Numbers) -> None:
    read = read_slip(rulebook, f"1 on {key_of(numbers)}")
    if numbers in oracle.legal_bets(rulebook.id):
        assert not isinstance(read, Refusal)
        assert [frozenset(bet.spot.numbers) for bet in read] == [numbers]
    else:
        assert isinstance(read, Refusal)


@pytest.mark.parametrize("size", [1, 2, 3])
def test_every_small_set_of_numbers(rulebook: Rulebook, size: int) -> None:
    """Of all sets of one, two and three printed numbers, a slip is taken for the oracle's and for no other."""
    for numbers in combinations(PRINTED, size):
        assert_legal_as_by_hand(rulebook, frozenset(numbers))


def test_every_four_numbers(rulebook: Rulebook) -> None:
    """Of all sets of four printed numbers, the oracle's corners are on the felt and no other is."""
    legal = oracle.legal_bets(rulebook.id)
    for numbers in combinations(PRINTED, 4):
        with nullcontext() if frozenset(numbers) in legal else pytest.raises(Refused):
            find_spot(rulebook, SpotKey("/".join(numbers)))


def one_number_away(numbers: Numbers) -> Iterator[Numbers]:
    """Take one number off a bet, put one more on, or exchange one."""
    for gone in numbers:
        yield numbers - {gone}
        yield from (numbers - {gone} | {come} for come in PRINTED if come not in numbers)
    yield from (numbers | {come} for come in PRINTED if come not in numbers)


def test_one_number_away_from_a_legal_bet(rulebook: Rulebook) -> None:
    """A four, five or six with one number more, fewer or other is taken only where the oracle has that bet too."""
    larger = (numbers for numbers in oracle.legal_bets(rulebook.id) if 4 <= len(numbers) <= 6)
    for near in {near for numbers in larger for near in one_number_away(numbers)}:
        assert_legal_as_by_hand(rulebook, near)


@pytest.mark.property
@pytest.mark.parametrize("rulebook_id", VENUES)
@given(numbers=st.lists(st.sampled_from(PRINTED), unique=True, min_size=1, max_size=18))
def test_numbers_are_read_in_any_order(rulebook_id: str, numbers: list[str]) -> None:
    """Numbers written in any order name the same bet, or are refused alike."""
    rulebook = venue(rulebook_id)
    assert read_slip(rulebook, f"1 on {'/'.join(numbers)}") == read_slip(rulebook, f"1 on {key_of(frozenset(numbers))}")


def test_every_spot_has_its_edge(rulebook: Rulebook) -> None:
    """Every bet's edge is exactly that of its wheel, but for five numbers, which cost 3/38."""
    for spot in rulebook.spots.values():
        expected = FIVE_EDGE if spot.kind == "five" else EDGES[rulebook.id]
        assert spot_edge(spot, rulebook.paytable, rulebook.wheel) == expected
        assert oracle.edge(rulebook.id, Counter({frozenset(spot.numbers): 1})) == expected


def test_every_call_is_its_pieces(rulebook: Rulebook) -> None:
    """Every call on every number is the oracle's pieces: as many chips, at that cost, with those returns and edge."""
    for call, pieces in oracle.calls(rulebook.id).items():
        expanded = expansion(rulebook, call)
        assert pieces_of(expanded.bets) == pieces
        assert (expanded.chips, expanded.cost) == (pieces.total(), pieces.total() * UNIT)
        exposure = exposure_of(expanded.bets, rulebook.paytable, rulebook.wheel)
        assert exposure.returns == {
            pocket: gross * UNIT for pocket, gross in oracle.returns(rulebook.id, pieces).items()
        }
        on_spots = {rulebook.spots[key_of(numbers)]: count for numbers, count in pieces.items()}
        assert pieces_edge(on_spots, rulebook.paytable, rulebook.wheel) == EDGES[rulebook.id]
        assert oracle.edge(rulebook.id, pieces) == EDGES[rulebook.id]


def test_no_other_call(rulebook: Rulebook) -> None:
    """A venue offers the calls of its document and refuses those of the others."""
    offered = {call.split()[0] for call in oracle.calls(rulebook.id)}
    assert {call.name for call in rulebook.calls} == offered
    for call in {call for rulebook_id in VENUES for call in oracle.calls(rulebook_id)}:
        if call.split()[0] not in offered:
            refusal = expand_call(rulebook, call)
            assert isinstance(refusal, Refusal)
            assert refusal.code is Code.CALL_NOT_OFFERED


#: What one unit on each piece brings back, by hand; every other pocket brings nothing.
RETURNS_BY_HAND = [
    (
        MARINA_BAY_SANDS,
        "voisins",
        {36: "00", 24: "0 2 3", 18: "4 7 12 15 18 19 21 22 25 26 28 29 32 35"},
    ),
    (MARINA_BAY_SANDS, "tiers", {18: "5 8 10 11 13 16 23 24 27 30 33 36"}),
    (MARINA_BAY_SANDS, "orphelins", {36: "1 17", 18: "6 9 14 20 31 34"}),
    (MARINA_BAY_SANDS, "zero-spiel", {36: "00 26", 18: "0 3 12 15 32 35"}),
    (MARINA_BAY_SANDS, "neighbours 22", {36: "31 9 22 18 29"}),
    (MARINA_BAY_SANDS, "finale 0", {36: "0 00 10 20 30"}),
    (ADELAIDE, "neighbours 0", {36: "0 3 15 26 32"}),
    (CLEARWATER, "red-splits", {18: "9 12 16 19 18 21 27 30"}),
    (CLEARWATER, "black-splits", {36: "10 11 28 29", 18: "8 13 17 20 26 31"}),
    (CLEARWATER, "red-snake", {36: "1 5 9 12 14 16 19 23 27 30 32 34"}),
    (CLEARWATER, "neighbours 22 by 4", {36: "20 32 17 5 22 34 15 3 24"}),
    (CLEARWATER, "finale 7", {36: "7 17 27"}),
]


@pytest.mark.parametrize(("rulebook_id", "call", "by_gross"), RETURNS_BY_HAND)
def test_call_returns_by_hand(rulebook_id: str, call: str, by_gross: dict[int, str]) -> None:
    """A call brings back on each pocket what was worked by hand."""
    rulebook = venue(rulebook_id)
    exposure = exposure_of(expansion(rulebook, call).bets, rulebook.paytable, rulebook.wheel)
    found = {gross: set(exposure.where(Cents(gross * UNIT))) for gross in by_gross}
    assert found == {gross: set(pockets.split()) for gross, pockets in by_gross.items()}
    assert exposure.worst == 0
    assert exposure.best == max(by_gross) * UNIT
    assert sum(map(len, found.values())) + len(exposure.where(Cents(0))) == len(rulebook.pockets)


def test_the_three_series_share_out_the_wheel() -> None:
    """Big Series, Small Series and Orphans are 21 pieces that cover each of the 38 pockets in exactly one of them."""
    series = [expansion(venue(MARINA_BAY_SANDS), name) for name in ("voisins", "tiers", "orphelins")]
    covered = [frozenset(pocket for bet in each.bets for pocket in bet.spot.numbers) for each in series]
    assert sum(each.chips for each in series) == 21
    assert list(map(len, covered)) == [18, 12, 8]
    assert frozenset().union(*covered) == frozenset(WHEELS[MARINA_BAY_SANDS])


#: Complete: chips, and what comes back when the number itself hits.
COMPLETES = {"0": (6, 114), "00": (6, 114), "1": (6, 111), "2": (11, 180), "3": (6, 111), "34": (4, 81), "36": (4, 81)}


@pytest.mark.parametrize("pocket", WHEELS[CLEARWATER])
def test_complete_by_hand(pocket: str) -> None:
    """Complete on a number costs 4 to 11 chips by where the number lies, and pays what was added up by hand."""
    rulebook = venue(CLEARWATER)
    # 2, 5 … 35 lie in the middle column; 35 has no row after it.
    in_the_middle = pocket not in ("0", "00", "35") and int(pocket) % 3 == 2
    chips, gross = COMPLETES.get(pocket, (9, 144) if in_the_middle else (6, 108))
    expanded = expansion(rulebook, f"complete {pocket}")
    assert (expanded.chips, expanded.cost) == (chips, chips * UNIT)
    assert settle_bets(expanded.bets, rulebook.paytable, Pocket(pocket)).returned == gross * UNIT


def test_all_completes_together() -> None:
    """The 38 Completes are 259 chips in all, none of them on five numbers, a street of a row or a six line."""
    completes = [expansion(venue(CLEARWATER), f"complete {pocket}") for pocket in WHEELS[CLEARWATER]]
    spots = {bet.spot for each in completes for bet in each.bets}
    assert sum(each.chips for each in completes) == 259
    assert {spot.key for spot in spots if spot.kind == "street"} == {"0/1/2", "0/00/2", "00/2/3"}
    assert {spot.kind for spot in spots} == {"straight", "split", "street", "corner"}


def test_neighbours_on_every_wheel(rulebook: Rulebook) -> None:
    """A pocket's neighbours are those beside it on the wheel, around the end of the order too."""
    for pocket in rulebook.pockets:
        for each_side in (1, 2, 3, 4):
            found = set(rulebook.wheel.neighbours(pocket, each_side=each_side)) | {pocket}
            assert found == set(oracle.neighbours(rulebook.id, pocket, each_side))
            assert len(found) == 2 * each_side + 1
