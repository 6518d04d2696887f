"""Amounts on paper: figures and words say the same, and as an English reader expects."""

import re
from fractions import Fraction
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from croupier.reports.header import figures, number, spelled, words
from croupier.reports.summaries import TableTotals, percent, sum_totals
from tests.conftest import DOCUMENTS, venue

TEENS: Final = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
)
TENS: Final = "twenty thirty forty fifty sixty seventy eighty ninety"
#: Every number below a hundred, by its place.
LOW: Final = re.split(" ", TEENS) + [
    ten + one for ten in re.split(" ", TENS) for one in ("", *(f"-{each}" for each in re.split(" ", TEENS)[1:10]))
]
SIZES: Final = {"million": 10**6, "thousand": 10**3, "hundred": 10**2}


def reported(count: int) -> str:
    """Spell a number by taking its largest part off, again and again."""
    for name, size in SIZES.items():
        if count >= size:
            rest = count % size
            return f"{reported(count // size)} {name}" + (
                f"{' and ' if rest < 100 else ' '}{reported(rest)}" if rest else ""
            )
    return LOW[count]


def received(text: str) -> int:
    """Understand a number as a listener does: by adding up and multiplying, not by spelling."""
    whole = part = 0
    for word in text.replace(" and ", " ").split():
        if word == "hundred":
            part *= 100
        elif word in SIZES:
            whole, part = whole + part * SIZES[word], 0
        else:
            part += LOW.index(word)
    return whole + part


@pytest.mark.parametrize(
    ("cents", "expected"),
    [
        (1, "Zero US dollars and one cent"),
        (10, "Zero US dollars and ten cents"),
        (100, "One US dollar"),
        (101, "One US dollar and one cent"),
        (200, "Two US dollars"),
        (2_199, "Twenty-one US dollars and ninety-nine cents"),
        (10_000, "One hundred US dollars"),
        (13_750, "One hundred and thirty-seven US dollars and fifty cents"),
        (100_500, "One thousand and five US dollars"),
        (110_000, "One thousand one hundred US dollars"),
        (1_111_100, "Eleven thousand one hundred and eleven US dollars"),
        (
            99_999_999,
            "Nine hundred and ninety-nine thousand nine hundred and ninety-nine US dollars and ninety-nine cents",
        ),
        (100_000_000, "One million US dollars"),
        (100_000_100, "One million and one US dollars"),
        (100_000_000_000, "One billion US dollars"),
    ],
)
def test_amount_in_words(cents: int, expected: str) -> None:
    """Amounts are worded as an English reader expects them."""
    assert words(cents, "USD") == expected


@pytest.mark.parametrize(
    ("currency", "expected"),
    [
        ("SGD", "One Singapore dollar and fifty cents"),
        ("AUD", "One Australian dollar and fifty cents"),
        ("USD", "One US dollar and fifty cents"),
        ("EUR", "One EUR and fifty hundredths"),
    ],
)
def test_currency_in_words(currency: str, expected: str) -> None:
    """The rulebooks' currencies have their names, and any other goes by its code."""
    assert words(150, currency) == expected


def test_every_rulebook_has_a_currency_with_a_name() -> None:
    """No venue of ours has its currency printed as a code where words are asked for."""
    assert all(venue(each).currency not in words(100, venue(each).currency).split() for each in DOCUMENTS)


def test_small_numbers_are_spelled_as_by_another() -> None:
    """Up to twenty thousand, every number is spelled as another way of spelling has it."""
    assert [spelled(count) for count in range(20_000)] == [reported(count) for count in range(20_000)]


@pytest.mark.property
@given(cents=st.integers(1, 99_999_999), currency=st.sampled_from(["SGD", "AUD", "USD"]))
def test_words_are_those_of_another_spelling(cents: int, currency: str) -> None:
    """Any amount up to 999,999.99 is spelled as by another way of spelling, and is understood as what it is."""
    found = re.fullmatch(r"(.+?) (\w+) dollars?(?: and (.+) cents?)?", words(cents, currency))
    assert found is not None
    units, rest = divmod(cents, 100)

    assert found[1] == reported(units)[0].upper() + reported(units)[1:]
    assert found[3] == (reported(rest) if rest else None)
    assert received(found[1].lower()) == units
    assert rest == (received(found[3]) if found[3] else 0)


@pytest.mark.parametrize(
    ("cents", "expected"),
    [(0, "0.00"), (5, "0.05"), (100, "1.00"), (123_456, "1,234.56"), (100_000_000, "1,000,000.00"), (-250, "-2.50")],
)
def test_amount_in_figures(cents: int, expected: str) -> None:
    """Figures always have both decimals, with their thousands apart."""
    assert number(cents) == expected
    assert figures(cents, "AUD") == f"AUD {expected}"


@pytest.mark.parametrize(
    ("share", "expected"),
    [
        (None, "-"),
        (Fraction(0), "0.00 %"),
        (Fraction(1, 37), "2.70 %"),
        (Fraction(1, 19), "5.26 %"),
        (Fraction(1), "100.00 %"),
        (Fraction(-1, 8), "-12.50 %"),
        (Fraction(-1, 1_000_000), "0.00 %"),
    ],
)
def test_share_in_percent(share: Fraction | None, expected: str) -> None:
    """A share is written in hundredths of a percent, with a sign only where something is left to sign."""
    assert percent(share) == expected


def test_hold_leaves_out_what_went_back() -> None:
    """The hold is the win over what was at risk: stakes that were refunded were not."""
    takings = TableTotals(rounds=2, turnover=1_100, returned=900, refunded=100)

    assert takings.won == 100
    assert takings.hold == Fraction(100, 1_000)
    assert TableTotals(turnover=100, refunded=100).hold is None


def test_takings_are_added_up() -> None:
    """Takings of several tables together are the sum of each figure."""
    one = TableTotals(rounds=1, voids=2, no_spins=3, turnover=40, returned=5, refunded=6)

    assert sum_totals([one, one]) == TableTotals(rounds=2, voids=4, no_spins=6, turnover=80, returned=10, refunded=12)
    assert sum_totals([]) == TableTotals()
