"""Cores: on every felt, at every size, each spot is found where it is touched, and no finger is too large for it."""

import json
from typing import Any, Final, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from croupier.rules.geometry import Area
from croupier.rules.rulebook import Rulebook
from croupier.server.views.felt import felt_data
from tests.conftest import venue


class Size(NamedTuple):
    """A cell on a screen in pixels, along the table and across it, and how deep boxes and zeros are drawn."""

    along: int
    across: int
    outside: float = 1


#: Landscape, side by side, large and small; and what is upright, with the cells as wide as they get.
SIZES: Final = [
    *(Size(along, across) for along, across in ((38, 66), (70, 84), (110, 130), (110, 68))),
    *(Size(along, across) for along, across in ((66, 38), (130, 110), (41, 80))),
    Size(70, 84, 0.74),
    Size(41, 80, 0.62),
]
#: Every how manieth pixel is touched.
STEP: Final = 2
#: The smallest part of a felt that is a spot's own, in pixels, at a size where that is to be so.
LEAST: Final = {Size(70, 84): 20, Size(38, 66): 15, Size(41, 80): 16}


class Felt:
    """A felt as it lies on a screen."""

    def __init__(self, rulebook: Rulebook, size: Size) -> None:
        self.size = size
        data = json.loads(felt_data(rulebook).body)
        self.places: list[dict[str, Any]] = [*data["spots"], *data["aliases"]]
        areas = [*data["cells"], *data["boxes"]]
        spans = [[each[axis] for each in areas] for axis in ("along", "across")]
        self.corner = np.array([self.px(axis, min(each[0] for each in spans[axis])) for axis in (0, 1)])
        self.far = np.array([self.px(axis, max(each[1] for each in spans[axis])) for axis in (0, 1)])
        self.cores = np.array(
            [[self.px(end // 2, value) for end, value in enumerate(each["core"])] for each in self.places]
        )

    def px(self, axis: int, quarters: float) -> float:
        """Put a place on one axis: what is outside the numbers may be drawn less deep than they are."""
        most = (48, 12)[axis]
        within = min(max(quarters, 0), most)
        return (within + (quarters - within) * self.size.outside) * self.size[axis] / 4

    def hits(self, points: NDArray[np.float64]) -> NDArray[np.intp]:
        """Find what is touched at each point: the place whose core is nearest."""
        nearest = np.full(len(points), np.inf)
        found = np.full(len(points), -1)
        for place, (a0, a1, b0, b1) in enumerate(self.cores):
            along = np.maximum(np.maximum(a0 - points[:, 0], points[:, 0] - a1), 0)
            across = np.maximum(np.maximum(b0 - points[:, 1], points[:, 1] - b1), 0)
            distance = along**2 + across**2
            nearer = distance < nearest
            nearest[nearer], found[nearer] = distance[nearer], place
        return found

    def anchors(self) -> NDArray[np.float64]:
        return np.array([[self.px(axis, each["anchor"][axis]) for axis in (0, 1)] for each in self.places])


@pytest.mark.parametrize("size", SIZES, ids=lambda size: "x".join(map(str, size)))
def test_every_chip_lies_where_its_spot_is_touched(rulebook: Rulebook, size: Size) -> None:
    """Whoever touches the felt where a spot's chip lies means that spot; a second place for a spot likewise."""
    felt = Felt(rulebook, size)

    assert felt.hits(felt.anchors()).tolist() == list(range(len(felt.places)))


@pytest.mark.parametrize("size", LEAST, ids=lambda size: "x".join(map(str, size)))
def test_every_spot_has_room_for_a_finger(rulebook: Rulebook, size: Size) -> None:
    """No spot, and no second place for one, is narrower or shorter than a number of pixels."""
    felt = Felt(rulebook, size)
    ranges = [np.arange(low + STEP / 2, high, STEP) for low, high in zip(felt.corner, felt.far, strict=True)]
    points = np.stack(np.meshgrid(*ranges), axis=-1).reshape(-1, 2)
    hits = felt.hits(points)

    for place, each in enumerate(felt.places):
        own = points[hits == place]
        assert len(own) > 0, each
        assert (np.ptp(own, axis=0) + STEP).min() >= LEAST[size], each


@pytest.mark.parametrize(
    "size", [each for each in SIZES if each.outside == 1], ids=lambda size: "x".join(map(str, size))
)
def test_borders_between_boxes_are_the_printed_ones(rulebook: Rulebook, size: Size) -> None:
    """In the middle of its length and a little within every line of it, a box is its own bet alone."""
    felt = Felt(rulebook, size)
    keys = [each.get("key", each.get("spot")) for each in felt.places]
    for box in rulebook.layout.boxes:
        middle = sum(box.area.along) / 2
        # A street or six line reaches a fifth of a cell into the dozens.
        high = box.area.across[1] - (1 if box.area.across[1] == 0 else 0.1)
        points = [(middle, box.area.across[0] + 0.1), (middle, sum(box.area.across) / 2), (middle, high)]
        touched = felt.hits(np.array([[felt.px(0, along), felt.px(1, across)] for along, across in points]))

        assert {keys[place] for place in touched} == {box.bet}


def test_tight_head_of_two_zeros_is_shared_evenly() -> None:
    """Where eight spots hang on one short line, the points have the room between them, and the ends what is left."""
    places = json.loads(felt_data(venue("us-double-zero")).body)["spots"]
    on_line = {each["key"]: each["core"][2:] for each in places if each["core"][:2] == [0, 0]}

    assert on_line == {
        "0/00/1/2/3": [0, 0],
        "0/1": [1.6, 3],
        "0/1/2": [4, 4],
        "0/2": [5, 5],
        "0/00/2": [6, 6],
        "00/2": [7, 7],
        "00/2/3": [8, 8],
        "00/3": [9, 12],
    }


def test_courtesy_line_is_as_wide_as_it_is_printed() -> None:
    """The two dozens beside the courtesy line are cut back, so that what is printed of it is what is touched."""
    rulebook = venue("us-double-zero")
    felt = Felt(rulebook, Size(70, 84))
    (alias,) = rulebook.aliases
    keys = [each.get("key", each.get("name")) for each in felt.places]

    def touched(along: float) -> str:
        (hit,) = felt.hits(np.array([[felt.px(0, along), felt.px(1, -2)]]))
        return str(keys[hit])

    assert alias.area == Area((31, 33), (-4, 0))
    assert [touched(along) for along in (30.9, 31.1, 32, 32.9, 33.1)] == [
        "dozen 2",
        "courtesy-line",
        "courtesy-line",
        "courtesy-line",
        "dozen 3",
    ]


@pytest.mark.parametrize(
    ("spot", "anchor"),
    [
        ("dozen 1", [12.6, -2]),
        ("dozen 3", [44.6, -2]),
        ("low", [6.76, -6]),
        ("black", [30.76, -6]),
        ("column 2", [50, 6]),
        ("17", [22, 6]),
    ],
)
def test_chip_lies_beside_the_print(rulebook: Rulebook, spot: str, anchor: list[float]) -> None:
    """In a dozen or an even chance the chip lies beside what is printed there, elsewhere in the middle."""
    places = {each["key"]: each["anchor"] for each in json.loads(felt_data(rulebook).body)["spots"]}

    assert places[spot] == anchor
