"""The felt's print and its chips: what moves out of a chip's way, and how every pile looks."""

from functools import cache
from typing import Any, Final

import pytest

from tests.support.quick import Quick

BARE: Final[dict[str, Any]] = {
    "stakes": {},
    "guessed": {},
    "red": [],
    "ghosts": {},
    "live": [],
    "winning": None,
    "last": None,
}
COVERS: Final = {"17": ["17"], "17/20": ["17", "20"], "5": ["5"]}


@cache
def _felt() -> Quick:
    return Quick("felt/stacks.js", "felt/outline.js")


def _piles(look: dict[str, Any]) -> dict[str, Any]:
    reported = {**BARE, **look}
    found: dict[str, Any] = _felt().ask(
        "(look, covers) => Object.fromEntries(stackStates(look, (spot) => covers[spot] ?? []))", reported, COVERS
    )
    return found


#: What a felt is told of 17, and how the pile there looks.
WAYS: Final = [
    ({"stakes": {"17": 100}}, "lies"),
    ({"stakes": {"17": 100}, "guessed": {"17": True}}, "guessed"),
    ({"stakes": {"17": 100}, "red": ["17"]}, "under"),
    ({"stakes": {"17": 100}, "red": ["17"], "guessed": {"17": True}}, "guessed"),
    ({"stakes": {"17": 100}, "winning": "17"}, "lies"),
    ({"last": {"stakes": {"17": 100}}, "winning": "17"}, "won"),
    ({"last": {"stakes": {"17": 100}}, "winning": "20"}, "lost"),
    ({"last": {"stakes": {"17": 100}}}, "lost"),
    ({"stakes": {"17": 100}, "last": {"stakes": {"17": 100}}, "winning": "17", "live": ["17"]}, "won"),
]


#: Where labels would be, and by how much each is moved.
SHIFTS: Final = [
    ([], []),
    ([(0, 0)], [0]),
    ([(0, 0), (50, 0)], [0, 0]),
    ([(0, 0), (30, 0)], [0, 18]),
    ([(0, 0), (30, 5)], [0, 13]),
    ([(30, 5), (0, 0)], [13, 0]),
    ([(0, 0), (0, 0), (0, 0)], [0, 18, -18]),
    ([(0, 0), (0, 16)], [0, 0]),
]


@pytest.mark.parametrize(("at", "shifts"), SHIFTS)
def test_labels_are_moved_apart(at: list[tuple[int, int]], shifts: list[int]) -> None:
    """A label of 40 by 16 that would overlap one above it is moved to the nearest free place, and no other is moved."""
    boxes = [{"x": x, "y": y, "width": 40, "height": 16} for x, y in at]
    assert _felt().ask("(boxes) => labelShifts(boxes)", boxes) == shifts


@pytest.mark.parametrize(("look", "way"), WAYS)
def test_pile_is_drawn_as_given(look: dict[str, Any], way: str) -> None:
    """A pile is confirmed, waiting, below its minimum, won or lost, as the house has told and in that order."""
    assert _piles(look)["17"]["way"] == way


def test_spot_without_chips_has_no_pile() -> None:
    """A stake of nothing, and a ghost of nothing, is no pile."""
    assert _piles({"stakes": {"17": 0}, "ghosts": {"5": 0}}) == {}


def test_ghost_stands_beside_what_lies() -> None:
    """A ghost has a pile of its own: raised where chips lie on its spot, in its place where none do."""
    piles = _piles({"stakes": {"17": 100}, "ghosts": {"17": 200, "5": 300}})

    assert {key: (pile["cents"], pile["way"], pile["raised"]) for key, pile in piles.items()} == {
        "17": (100, "lies", False),
        "ghost 17": (200, "ghost", True),
        "ghost 5": (300, "ghost", False),
    }


def test_live_pile_is_one_that_lies() -> None:
    """Only chips that lie are live for the next spin; those of the last round that are gone are not."""
    piles = _piles({"stakes": {"17": 100}, "last": {"stakes": {"5": 100}}, "live": ["17", "5"]})

    assert {key: pile["live"] for key, pile in piles.items()} == {"17": True, "5": False}


def test_only_spots_that_changed_are_sent_again() -> None:
    """Between two looks, the spots with other chips or another look are found, a ghost's by its spot."""
    before = {**BARE, "stakes": {"17": 100, "5": 100}}
    after = {**BARE, "stakes": {"17": 200, "5": 100}, "ghosts": {"17/20": 100}}
    found = _felt().ask(
        "(one, other) => changed(stackStates(one, () => []), stackStates(other, () => []))", before, after
    )

    assert sorted(found) == ["17", "17/20"]


CELL: Final = {"x": 0, "y": 0, "width": 70, "height": 84}
LOW: Final = {"x": 0, "y": 0, "width": 80, "height": 36}
ZERO: Final = {"x": 0, "y": 0, "width": 66, "height": 126}


@pytest.mark.parametrize(
    ("room", "end", "expected"),
    [
        (CELL, None, "a corner"),
        (LOW, None, "beside"),
        (ZERO, "top", "the top"),
        (ZERO, "foot", "the foot"),
    ],
)
def test_number_makes_way_for_its_chip(room: dict[str, int], end: str | None, expected: str) -> None:
    """A covered number is written smaller in a corner, beside the chip in a low cell, at its end in a zero."""
    radius, size = 15, 32
    lies = _felt().ask("atCorner", room, {"size": size, "radius": radius, "end": end})
    across, down = lies["x"] - room["width"] / 2, lies["y"] - room["height"] / 2
    found = {
        "a corner": across < -radius and down < -radius,
        "beside": across < -radius and down == 0,
        "the top": across == 0 and down < -radius,
        "the foot": across == 0 and down > radius,
    }

    assert found[expected]
    assert lies["size"] < size


def _beside(room: dict[str, int], chip: tuple[float, float], words: str = "Even") -> tuple[dict[str, Any], float]:
    """Where the print of a box goes, and how long it is there."""
    lies, length = _felt().ask(
        """(room, [x, y], words) => {
          const size = fitted(words, { size: 18, room: Math.max(room.width, room.height) });
          const home = { ...middle(room), size, words, turned: isUpright(room) };
          const length = size * lengthOf(words);
          const lies = besideChip(room, { home, chip: { x, y }, radius: 18, length });
          return [lies, lies.size * lengthOf(lies.words)];
        }""",
        room,
        chip,
        words,
    )
    return lies, length


BOX: Final = {"x": 0, "y": 0, "width": 136, "height": 60}
TALL: Final = {"x": 0, "y": 0, "width": 50, "height": 120}


@pytest.mark.parametrize("words", ["Even", "19 to 36", "1 to 18"])
def test_print_of_a_box_makes_way_along_it(words: str) -> None:
    """The print of a box goes to the side that its chip leaves, whole, and never over the edge."""
    right, long = _beside(BOX, (115, 30), words)
    left, _ = _beside(BOX, (21, 30), words)
    upright, high = _beside(TALL, (25, 100), words)

    assert right["x"] - long / 2 > 0
    assert right["x"] + long / 2 < 115 - 18
    assert left["x"] > BOX["width"] / 2
    assert upright["turned"]
    assert upright["y"] - high / 2 > 0
    assert upright["y"] + high / 2 < 100 - 18


def test_print_stays_where_its_chip_leaves_room() -> None:
    """In a long box with its chip far to the side, the print stays in the middle."""
    lies, _ = _beside({"x": 0, "y": 0, "width": 280, "height": 60}, (220, 30), "1st 12")

    assert (lies["x"], lies["y"]) == (140, 30)


def test_print_under_a_chip_in_the_middle_goes_to_an_end() -> None:
    """A column's odds go above its chip, or to its side and written shorter where the box is low."""
    above, _ = _beside(CELL, (35, 42), "2 to 1")
    aside, _ = _beside(LOW, (40, 18), "2 to 1")

    assert above["y"] < 42 - 18
    assert above["words"] == "2 to 1"
    assert aside["x"] < 40 - 18
    assert aside["words"] == "2:1"
