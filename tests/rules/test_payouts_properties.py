"""Properties of payouts: no chip is lost, and nothing depends on the order or the split of the chips."""

from collections import Counter
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from croupier.rules.geometry import Pocket, SpotKey
from croupier.rules.limits import Limits, Range
from croupier.rules.money import Cents
from croupier.rules.payouts import (
    RETURNS,
    ChipId,
    ChipStakes,
    NoteKind,
    PayoutPlan,
    PayoutTerms,
    Pieces,
    denomination,
    plan_payout,
    value_chip,
)
from croupier.rules.procedure import ChannelName
from croupier.rules.rulebook import PayoutTable, Rulebook
from tests.conftest import venue

pytestmark = [pytest.mark.untraced, pytest.mark.property]

FELTS = {book: PayoutTable(venue(book)) for book in ("skycity-adelaide-2003", "us-double-zero")}
Layout = dict[SpotKey, dict[ChipId, int]]

chips = st.sampled_from([ChipId("blue"), ChipId("white"), value_chip(1_00), value_chip(5_00), value_chip(25_00)])
piles = st.dictionaries(chips, st.integers(1, 60), min_size=1, max_size=3)
felts = st.sampled_from(list(FELTS.values()))
terms = st.builds(
    PayoutTerms,
    st.lists(st.sampled_from([1_00, 2_50, 5_00, 10_00, 25_00]).map(Cents), min_size=1, max_size=3, unique=True).map(
        tuple
    ),
    st.fixed_dictionaries(
        {
            ChipId("blue"): st.sampled_from([5_00, 30_00]).map(Cents),
            ChipId("white"): st.sampled_from([1_00, 2_00]).map(Cents),
        }
    ),
    st.booleans(),
    st.none() | st.integers(1, 100),
)


def limits(book: Rulebook, least: int, most: int) -> Limits:
    table = book.channels[ChannelName.TABLE]
    return Limits(table.under_minimum.clause, table.over_maximum.clause, Range(Cents(least), Cents(most)))


@st.composite
def layouts(draw: st.DrawFn, felt: PayoutTable) -> Layout:
    """Draw chips on some spots, and one kind of chip on some places of the block."""
    layout: Layout = draw(st.dictionaries(st.sampled_from(list(felt.gross)), piles, max_size=14))
    for key in draw(st.lists(st.sampled_from(list(felt.blocks)), max_size=2)) if felt.blocks else []:
        layout[key] = {draw(chips): draw(st.integers(1, 60))}
    return layout


class Case:
    """A layout of one player at one table, with the number."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.felt = draw(felts)
        self.terms, self.layout = draw(terms), draw(layouts(self.felt))
        self.pocket = draw(st.sampled_from(self.felt.rulebook.pockets))
        self.bounds = draw(st.sampled_from([(1_00, 10_000_00), (5_00, 100_00), (1_00, 4_00)]))
        self.rack = draw(st.none() | st.dictionaries(st.sampled_from([ChipId("blue")]), st.integers(0, 400)))

    def plan(self, layout: Layout | None = None, terms: PayoutTerms | None = None) -> PayoutPlan:
        pieces = self.layout if layout is None else layout
        stakes = ChipStakes(1, pieces, limits(self.felt.rulebook, *self.bounds))
        return plan_payout(self.felt, self.pocket, [stakes], terms or self.terms, rack=self.rack)


cases = st.composite(Case)()


def total(piles: list[Pieces]) -> Counter[ChipId]:
    found: Counter[ChipId] = Counter()
    for pile in piles:
        found.update(pile)
    return Counter({chip: count for chip, count in found.items() if count})


@given(cases)
def test_no_chip_is_lost(case: Case) -> None:
    """Every piece is collected, returned or left on the layout, and so is its value, but for the change that is due."""
    found = case.plan()
    [result] = found.positions
    ends = [result.collected_pieces, *result.returned.values(), *result.stays.values()]
    change = sum(payment.due for payment in found.payments if payment.segment == RETURNS)
    assert total(ends) == total(list(case.layout.values()))
    assert result.collected + change == case.terms.amount(result.collected_pieces)


@given(cases)
def test_chips_handed_over_are_the_payment(case: Case) -> None:
    """The chips of every payment are worth what is paid, unless a person decides that; what is due, if not rounded."""
    found = case.plan()
    for payment in found.payments:
        chips = [(*payment.colours, *payment.cash)] if payment.undecided is None else payment.undecided.choices
        worths = [case.terms.amount(dict(each)) for each in chips]
        assert all(denomination(chip) in (None, *case.terms.denominations) for each in chips for chip, _ in each)
        if payment.undecided is None:
            assert worths == [payment.paid]
        else:
            assert payment.paid not in worths
            assert worths[-1] > payment.paid
        assert (payment.paid == payment.due) is (payment.rounding is None)


@given(cases)
def test_rounding_is_less_than_a_chip_or_goes_down(case: Case) -> None:
    """Up by less than the smallest chip, or under a notice down to a multiple of the minimum."""
    for note in case.plan().positions[0].notes:
        if note.kind is NoteKind.ROUNDED and case.terms.multiples:
            assert note.after < note.before
            assert note.after % case.bounds[0] == 0
        elif note.kind is NoteKind.ROUNDED:
            assert 0 < note.after - note.before < case.terms.smallest


@given(cases, st.randoms())
def test_order_of_spots_changes_no_amount(case: Case, random: Random) -> None:
    """The same chips entered spot by spot in another order are collected and paid the same."""
    spots = list(case.layout)
    random.shuffle(spots)
    found, other = case.plan(), case.plan({spot: case.layout[spot] for spot in spots})
    assert (found.collected, found.paid, len(found.payments)) == (other.collected, other.paid, len(other.payments))


@given(cases)
def test_within_the_limits_chips_return_what_credits_return(case: Case) -> None:
    """Inside the limits, with a float that pays everything, chips bring what the same stakes bring on a terminal."""
    case.bounds, case.rack = (0, 10**12), None
    terms = replace(case.terms, denominations=(Cents(1),), multiples=False)
    layout = {
        spot: {chip: count * 5 if spot in case.felt.blocks else count for chip, count in pile.items()}
        for spot, pile in case.layout.items()
    }
    found = case.plan(layout, terms)
    stakes = {spot: int(terms.amount(pile)) for spot, pile in layout.items()}
    won = case.felt.winning(stakes, Pocket(case.pocket))
    assert found.paid + sum(won.values()) == case.felt.returned(stakes, Pocket(case.pocket))
    assert found.collected == sum(stakes.values()) - sum(won.values())
