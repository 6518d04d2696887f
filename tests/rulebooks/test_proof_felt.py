"""The proof of the felt: what can be wrong with a wheel or a layout, and what is said of it."""

from pathlib import Path

import pytest

from croupier.rulebooks.schema import Problem
from tests.support.copies import (
    ADELAIDE,
    KINDS,
    LAYOUTS,
    MARINA,
    RULEBOOK,
    SHIPPED,
    US,
    WHEELS,
    complaints,
    copied,
)

APART = "0 touches no other cell"

WHEEL_WRONG = [
    (('"3", "26",', '"3", "26", "3",'), ["stands twice: 3"]),
    (('"32", "15"', '"15", "32"'), ["32 and 19 lie side by side and are both red"]),
    (('"0", "32"', '"32", "0"'), ["the order is written clockwise from 0"]),
    (('"3", "26",', '"3", "26", "41", "x",'), ["no such pocket: 41, x"]),
    (('"3", "26",', '"3", "26", "00",'), ["00 and 0 lie side by side and are both green"]),
]

LAYOUT_WRONG = [
    ('["1", "2", "3"]', '["1", "2"]', "rows", "there must be rows, and each as long as the others"),
    ('["1", "2", "3"]', '["1", "2", "41"]', "rows", "not a pocket: 41"),
    ('["1", "2", "3"]', '["1", "2", "4"]', "rows", "stands twice: 4"),
    ('pocket = "0"', 'pocket = "37"', "zeros", "not a zero: 37"),
    ('bet = "red"', 'bet = "black"', "boxes", "stands twice: black"),
    ("across = [0, 12]", "across = [6, 6]", "zeros", "0 has no area"),
    ("along = [16, 24]", "along = [24, 16]", "boxes", "red has no area"),
    ("along = [0, 16]", "along = [0, 17]", "boxes", "dozen 1 and dozen 2 overlap"),
    ("along = [48, 52]", "along = [47, 52]", "boxes", "column 1 and the numbers overlap"),
    ("along = [-4, 0]", "along = [-8, -4]", "zeros", APART),
    ("along = [-4, 0]", "along = [-400, 0]", "zeros", "0 lies off the felt"),
    ("across = [0, 12]", "across = [40, 52]", "zeros", APART),
]


@pytest.mark.parametrize(("edit", "says"), WHEEL_WRONG)
def test_wrong_wheel_is_complained_of(edit: tuple[str, str], says: list[str], tmp_path: Path) -> None:
    """Each change to the European wheel is complained of by that wheel's name, and beside the layout."""
    expected = [Problem(WHEELS, "european.order", each) for each in says]
    assert complaints(copied(tmp_path, ADELAIDE, (WHEELS, *edit))) == tuple(expected)


def test_size_and_colours_of_a_wheel_are_checked(tmp_path: Path) -> None:
    """A wheel has 20 to 40 pockets, and its red ones are numbers."""
    order = ", ".join(f'"{number}"' for number in range(41))
    folder = copied(tmp_path, MARINA)
    wheels = f"""[european-double-zero]
order = [{order}]
provenance = "Ours."
confirmed = true
alternating = false
red = ["1", "0", "x"]
"""
    (folder / WHEELS).write_text(wheels, "utf-8")
    assert complaints(folder) == (
        Problem(WHEELS, "european-double-zero.order", "a wheel has 20 to 40 pockets, and this one has 41"),
        Problem(WHEELS, "european-double-zero.red", "cannot be red: 0, x"),
    )


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
    assert complaints(folder) == (
        Problem(LAYOUTS, "single-zero.zeros", f"stands twice: {', '.join(dict.fromkeys(zeros))}"),
    )


def test_wheel_and_layout_must_have_the_same_numbers(tmp_path: Path) -> None:
    """A layout without 00 does not go with a wheel that has it, nor the other way round: the number is named."""
    folder = copied(tmp_path, US, (RULEBOOK, 'layout = "side-by-side-zeros"', 'layout = "single-zero"'))
    assert complaints(folder) == (Problem(WHEELS, "american.order", "00 is on the wheel, not on the layout"),)


@pytest.mark.parametrize(
    ("edits", "found"),
    [
        (
            [(WHEELS, '"20", "14", "31",', '"14", "31",'), (WHEELS, "alternating = true", "alternating = false")],
            [Problem(LAYOUTS, "single-zero.rows", "20 is on the layout, not on the wheel")],
        ),
        (
            [(LAYOUTS, '["1", "2", "3"]', '["1", "2", "37"]')],
            [
                Problem(LAYOUTS, "single-zero.rows", "37 is on the layout, not on the wheel"),
                Problem(WHEELS, "european.order", "3 is on the wheel, not on the layout"),
            ],
        ),
    ],
)
def test_numbers_of_one_alone_are_named(
    edits: list[tuple[str, str, str]], found: list[Problem], tmp_path: Path
) -> None:
    """A number that only the layout or only the wheel has is named in the file that has it."""
    assert complaints(copied(tmp_path, ADELAIDE, *edits)) == tuple(found)


def test_two_bets_on_one_place_are_complained_of(tmp_path: Path) -> None:
    """Zeros that meet where two bets would share a place make no felt."""
    layouts = (SHIPPED / LAYOUTS).read_text("utf-8").replace("across = [0, 6]", "across = [0, 5]")
    folder = copied(tmp_path, US)
    (folder / LAYOUTS).write_text(layouts.replace("across = [6, 12]", "across = [5, 12]"), "utf-8")
    assert Problem(LAYOUTS, "side-by-side-zeros.zeros", "0/2 and 0/1/2 would stand on the same place") in complaints(
        folder
    )


def test_every_box_is_that_of_a_kind_of_bet(tmp_path: Path) -> None:
    """A box for a bet that no kind has is complained of, and so is a bet that has no box."""
    folder = copied(tmp_path, ADELAIDE, (LAYOUTS, 'bet = "column 1"', 'bet = "column 4"'))
    assert complaints(folder) == (
        Problem(LAYOUTS, "single-zero.boxes", "no kind of bet has a box for column 4"),
        Problem(KINDS, "column.boxes.column 1", "the layout has no box for it"),
    )


KIND_WRONG = [
    ('red = ["1", "3"', 'red = ["1", "2"', "red.boxes.red", "the red pockets of this wheel are 1, 3, 5"),
    ('even = ["2", "4"', 'even = ["2", "2"', "even.boxes.even", "must list pockets of this wheel, each once"),
    (
        'even = ["2", "4"',
        'even = ["2", "40"',
        "even.boxes.even",
        "must list pockets of this wheel, each once, ",
    ),
    ('even = ["2", "4"', 'even = ["2", "41"', "even.boxes.even", "must list pockets of this wheel, each once, "),
    ('shapes = [{ at = "edge", numbers = 2 }]', "", "split.shapes", "a kind has either shapes"),
    ('shapes = [{ at = "edge"', 'shapes = [{ at = "side"', "split.shapes[0].at", "'side' is none of cell, edge, point"),
    ('at = "cell", numbers = 1', 'at = "edge", numbers = 2', "straight.shapes", "a straight up lies in the cell"),
]


@pytest.mark.parametrize(("old", "new", "key", "says"), KIND_WRONG)
def test_wrong_kind_is_complained_of(old: str, new: str, key: str, says: str, tmp_path: Path) -> None:
    """Each change to the kinds of bet is complained of by the kind's id and part, or by its price."""
    text = (SHIPPED / KINDS).read_text("utf-8")
    assert old in text
    folder = copied(tmp_path, ADELAIDE)
    (folder / KINDS).write_text(text.replace(old, new, 1), "utf-8")
    found = [each for each in complaints(folder) if each.key == key]
    assert len(found) == 1
    assert found[0].says.startswith(says)
