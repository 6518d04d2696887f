"""Magnitudes: a number that a browser cannot tell from its neighbour is refused before it reaches the house."""

import pytest

from croupier.house.credit.drawers import BuyIn, CloseDrawer, OpenDrawer
from croupier.house.floor.incidents import ClearIncident
from croupier.house.ids import DrawerId, Number, TerminalId
from croupier.rules.money import AMOUNT_MAX, Cents
from croupier.rules.refusal import Code
from croupier.server.router import MOST, require_safe_integers
from tests.support.engine_driver import raised_code


@pytest.mark.parametrize(("number", "code"), [(MOST, None), (MOST + 1, Code.MALFORMED), (-MOST - 1, Code.MALFORMED)])
def test_number_beyond_what_browsers_hold_is_refused(number: int, code: Code | None) -> None:
    """The greatest number that a browser holds exactly is taken, and the next on either side is refused."""
    assert raised_code(require_safe_integers, ClearIncident(Number(number))) is code


@pytest.mark.parametrize(
    ("amount", "code"), [(AMOUNT_MAX, None), (AMOUNT_MAX + 1, Code.MALFORMED), (2**53 - 1, Code.MALFORMED)]
)
def test_amount_that_no_casino_holds_is_refused(amount: int, code: Code | None) -> None:
    """One person cannot enter an amount of money of more than twelve digits before the point, whatever it is for."""
    cents, drawer = Cents(amount), DrawerId("D1")
    for command in (OpenDrawer(drawer, cents), BuyIn(TerminalId("T1"), drawer, cents), CloseDrawer(drawer, cents)):
        assert raised_code(require_safe_integers, command) is code
    assert raised_code(require_safe_integers, CloseDrawer(drawer)) is None
