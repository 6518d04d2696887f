"""Magnitudes: a number that a browser cannot tell from its neighbour is refused before it reaches the house."""

import pytest

from croupier.house.floor.incidents import ClearIncident
from croupier.house.ids import Number
from croupier.rules.refusal import Code
from croupier.server.router import MOST, unsafe_integer


@pytest.mark.parametrize(("number", "code"), [(MOST, None), (MOST + 1, Code.MALFORMED), (-MOST - 1, Code.MALFORMED)])
def test_number_beyond_what_browsers_hold_is_refused(number: int, code: Code | None) -> None:
    """The greatest number that a browser holds exactly is taken, and the next on either side is refused."""
    refusal = unsafe_integer(ClearIncident(Number(number)))

    assert (None if refusal is None else refusal.code) is code
