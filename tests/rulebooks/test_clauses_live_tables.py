"""Clauses on live tables that are about the layout, the notice and who may bet: their numbers, one by one."""

import pytest

from croupier.rules.geometry import SpotKey, SpotKind
from tests.conftest import venue
from tests.support.house_driver import ADELAIDE, US


@pytest.mark.clause(ADELAIDE, "3 (Diagram 3)")
@pytest.mark.clause(ADELAIDE, "6(b)")
def test_layout_of_the_console_has_157_places() -> None:
    """The felt has 145 inside and 12 outside places, and says of each which bet it is: 17/20 is a split, 17 to 1."""
    rulebook = venue(ADELAIDE)
    outside = [spot for spot in rulebook.spots.values() if len(spot.numbers) > 6]
    assert (len(rulebook.spots) - len(outside), len(outside)) == (145, 12)
    assert rulebook.spots[SpotKey("17/20")].kind == SpotKind("split")
    assert rulebook.paytable.prices[SpotKind("split")].pays == 17


@pytest.mark.clause(ADELAIDE, "5.2(a)")
def test_block_has_a_place_for_each_button() -> None:
    """There are 37 places on the block, one under each marker button, with five numbers each."""
    blocks = venue(ADELAIDE).blocks
    assert len(blocks) == 37
    assert blocks[SpotKey("neighbours 0")].numbers == ("3", "26", "0", "32", "15")
    assert {len(block.numbers) for block in blocks.values()} == {5}
    assert venue(US).blocks == {}
