"""The notes of a payout, from those that a drawer has."""

import pytest

from tests.support.quick import Quick

pytestmark = pytest.mark.untraced

notes = Quick("cashier/notes.js")


@pytest.mark.parametrize(
    ("amount", "values", "made", "coins"),
    [
        (0, [500, 1_000], [], 0),
        (499, [500], [], 499),
        (38_550, [500, 1_000, 2_000, 5_000, 10_000], [[10_000, 3], [5_000, 1], [2_000, 1], [1_000, 1], [500, 1]], 50),
        # The largest first would leave ten in coins.
        (6_000, [2_000, 5_000], [[2_000, 3]], 0),
        (8_000, [2_000, 5_000], [[2_000, 4]], 0),
        (7_100, [2_000, 5_000], [[5_000, 1], [2_000, 1]], 100),
        (1_000_003_000, [2_000, 5_000], [[5_000, 199_999], [2_000, 4]], 0),
        (1_234, [], [], 1_234),
    ],
)
def test_fewest_notes_that_are_there(amount: int, values: list[int], made: list[list[int]], coins: int) -> None:
    """As much as notes can make is made of the fewest, and the rest is left for coins."""
    found = notes.ask("(amount, values) => brokenDown(amount, values)", amount, values)
    assert found == {"notes": made, "coins": coins}
    assert sum(value * pieces for value, pieces in made) + coins == amount
