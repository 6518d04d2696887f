"""Chips of several players on a live table's felt, as the console places them."""

from math import hypot
from typing import Final

import pytest

from tests.support.quick import Quick

#: Half a cell of a felt at 1024 pixels: the distance of a straight up from a split beside it.
HALF: Final = 34.0
CHIP: Final = 37.0
#: The least diameter, at which chips may touch.
LEAST: Final = 13.0


@pytest.fixture(scope="module")
def entry() -> Quick:
    return Quick("live_table/entry.js")


@pytest.mark.parametrize("straight", range(1, 5))
@pytest.mark.parametrize("split", range(1, 5))
@pytest.mark.parametrize("corner", range(4))
def test_no_chip_hides_another(entry: Quick, straight: int, split: int, corner: int) -> None:
    """Chips on a number, on the split beside it and on the corner below lie apart, however many players share each."""
    spots = [
        {"x": 0.0, "y": 0.0, "count": straight},
        {"x": HALF, "y": 0.0, "count": split},
        *([{"x": HALF, "y": HALF, "count": corner}] if corner else []),
    ]
    placed = entry.ask("(spots, size) => arranged(spots, size)", spots, CHIP)
    chips = [(at, each["d"], index) for index, each in enumerate(placed) for at in each["places"]]

    assert len(chips) == straight + split + corner
    assert all(LEAST <= d <= CHIP for _, d, _ in chips)
    for place, ((x, y), d, owner) in enumerate(chips):
        for (u, v), other, owned in chips[place + 1 :]:
            if owner != owned and max(d, other) > LEAST:
                assert hypot(x - u, y - v) >= (d + other) / 2 - 1e-6


def test_chips_with_room_keep_their_size(entry: Quick) -> None:
    """A single chip has the usual diameter, wherever nothing lies beside it."""
    spots = [{"x": 0.0, "y": 0.0, "count": 1}, {"x": 3 * CHIP, "y": 0.0, "count": 1}]

    placed = entry.ask("(spots, size) => arranged(spots, size)", spots, CHIP)

    assert [(each["d"], each["places"]) for each in placed] == [(CHIP, [[0, 0]]), (CHIP, [[3 * CHIP, 0]])]
