"""The proof of the felt: what can be wrong with a wheel or a layout, and what is said of it."""

from pathlib import Path

import pytest

from croupier.rulebooks.schema import Problem
from croupier.rules.geometry import OUTSIDE
from tests.copies import (
    ADELAIDE,
    LAYOUTS,
    MARINA,
    RULEBOOK,
    SHIPPED,
    US,
    WHEELS,
    complaints,
    copied,
)

NUMBERS = "wheel and layout do not have the same numbers"
WIDTH = "a row of zero cells must be as wide as the numbers, without a gap"
GAP = "the zero cells must stand in rows that reach the zero line without a gap"
BOXES = f"the boxes must be these twelve, each once: {', '.join(OUTSIDE)}"

WHEEL_WRONG = [
    (('"3", "26",', '"3", "26", "3",'), ["a pocket stands twice"]),
    (('"32", "15"', '"15", "32"'), ["32 and 19 lie side by side and are both red"]),
    (('"0", "32"', '"32", "0"'), ["the order is written clockwise from 0"]),
    (('"3", "26",', '"3", "26", "37", "x",'), ["no such pocket: 37, x"]),
    (('"32", "15", ', ""), ["missing: 15, 32"]),
    (('"3", "26",', '"3", "26", "00",'), ["00 and 0 lie side by side and are both green"]),
]

LAYOUT_WRONG = [
    ('["1", "2", "3"]', '["1", "3", "2"]', "rows", "the rows must be 1 2 3, 4 5 6 … 34 35 36"),
    ('pocket = "0"', 'pocket = "000"', "zeros", "not a zero: 000"),
    ('pocket = "0"', 'pocket = "36"', "zeros", "not a zero: 36"),
    ('bet = "column 1"', 'bet = "column 4"', "boxes", BOXES),
    ('bet = "red"', 'bet = "black"', "boxes", BOXES),
    ("across = [0, 12]", "across = [6, 6]", "zeros", "0 has no area"),
    ("along = [16, 24]", "along = [24, 16]", "boxes", "red has no area"),
    ("along = [0, 16]", "along = [0, 17]", "boxes", "dozen 1 and dozen 2 overlap"),
    ("along = [48, 52]", "along = [47, 52]", "boxes", "column 1 and the numbers overlap"),
    ("along = [-4, 0]", "along = [-8, -4]", "zeros", GAP),
    ("along = [-4, 0]", "along = [-400, 0]", "zeros", "0 lies off the felt"),
    ("across = [0, 12]", "across = [0, 8]", "zeros", WIDTH),
    ("across = [0, 12]", "across = [40, 52]", "zeros", WIDTH),
    ('{ pocket = "0", area = { along = [-4, 0], across = [0, 12] } },', "", "zeros", GAP),
]


@pytest.mark.parametrize(("edit", "says"), WHEEL_WRONG)
def test_wrong_wheel_is_complained_of(edit: tuple[str, str], says: list[str], tmp_path: Path) -> None:
    """Each change to the European wheel is complained of by that wheel's name, and beside the layout."""
    expected = [Problem(WHEELS, "european.order", each) for each in says]
    assert complaints(copied(tmp_path, ADELAIDE, (WHEELS, *edit))) == tuple(expected)


def test_zeros_side_by_side_are_one_colour(tmp_path: Path) -> None:
    """A wheel whose colours must alternate cannot have its zeros side by side."""
    folder = copied(tmp_path, MARINA, (WHEELS, "alternating = false", "alternating = true"))
    says = "0 and 00 lie side by side and are both green"
    assert complaints(folder) == (Problem(WHEELS, "european-double-zero.order", says),)


@pytest.mark.parametrize(("old", "new", "part", "says"), LAYOUT_WRONG)
def test_wrong_layout_is_complained_of(old: str, new: str, part: str, says: str, tmp_path: Path) -> None:
    """Each change to the single-zero layout is complained of by that layout's name and part."""
    assert complaints(copied(tmp_path, ADELAIDE, (LAYOUTS, old, new))) == (
        Problem(LAYOUTS, f"single-zero.{part}", says),
    )


@pytest.mark.parametrize("zeros", [["0", "0"], ["0", "00", "0", "00"]], ids=len)
def test_zero_that_stands_twice_is_complained_of(zeros: list[str], tmp_path: Path) -> None:
    """A layout on which a zero has two cells is no layout."""
    width = 12 // len(zeros)
    cells = [
        f'{{ pocket = "{zero}", area = {{ along = [-4, 0], across = [{place * width}, {place * width + width}] }} }}'
        for place, zero in enumerate(zeros)
    ]
    old = '{ pocket = "0", area = { along = [-4, 0], across = [0, 12] } }'
    folder = copied(tmp_path, ADELAIDE, (LAYOUTS, old, ", ".join(cells)))
    assert complaints(folder) == (Problem(LAYOUTS, "single-zero.zeros", "a zero stands twice"),)


def test_wheel_and_layout_must_have_the_same_numbers(tmp_path: Path) -> None:
    """A layout without 00 does not go with a wheel that has it."""
    folder = copied(tmp_path, US, (RULEBOOK, 'layout = "side-by-side-zeros"', 'layout = "single-zero"'))
    assert complaints(folder) == (Problem(RULEBOOK, "layout", NUMBERS),)


def test_two_bets_on_one_place_are_complained_of(tmp_path: Path) -> None:
    """Zeros that meet where two bets would share a place make no felt."""
    layouts = (SHIPPED / LAYOUTS).read_text("utf-8").replace("across = [0, 6]", "across = [0, 5]")
    folder = copied(tmp_path, US)
    (folder / LAYOUTS).write_text(layouts.replace("across = [6, 12]", "across = [5, 12]"), "utf-8")
    assert Problem(LAYOUTS, "side-by-side-zeros.zeros", "0/2 and 0/1/2 would stand on the same place") in complaints(
        folder
    )
