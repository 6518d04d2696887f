"""Pockets: the compartments of a wheel, named as they are printed, and their colours."""

from collections.abc import Iterable
from enum import StrEnum
from typing import NewType

# A pocket is its printed name, so that "00" can never be mistaken for a number and "37" is simply not one.
Pocket = NewType("Pocket", str)

ZERO = Pocket("0")
DOUBLE_ZERO = Pocket("00")

#: Every pocket any wheel may have, in the order in which numbers are printed: 0, 00, 1 … 36.
POCKETS = (ZERO, DOUBLE_ZERO, *(Pocket(str(number)) for number in range(1, 37)))

#: The pockets with a number to be odd or even, low or high: all but the zeros.
NUMBERS = POCKETS[2:]

_RANK = {pocket: rank for rank, pocket in enumerate(POCKETS)}
_RED = frozenset(map(str, (1, 3, 5, 7, 9, 12, 14, 16, 18, 19, 21, 23, 25, 27, 30, 32, 34, 36)))


class Colour(StrEnum):
    """The colour behind a number."""

    RED = "red"
    BLACK = "black"
    GREEN = "green"


def colour(pocket: Pocket) -> Colour:
    if pocket in (ZERO, DOUBLE_ZERO):
        return Colour.GREEN
    return Colour.RED if pocket in _RED else Colour.BLACK


def in_order(pockets: Iterable[Pocket]) -> tuple[Pocket, ...]:
    """Arrange pockets as they are printed: 0, 00, 1 … 36."""
    return tuple(sorted(pockets, key=_RANK.__getitem__))


def rank(pocket: Pocket) -> int:
    """Tell a pocket's place in the printed order, for sorting what is named after pockets."""
    return _RANK[pocket]
