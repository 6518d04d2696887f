"""Spots: the places on the felt where a bet may stand, what each covers and where its chip lies."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, NewType

from croupier.rules.pocket import NUMBERS, Colour, Pocket, colour, in_order, rank

#: A spot's name in the notation: "17", "0/2/3", "column 1", "red".
SpotKey = NewType("SpotKey", str)


class Kind(StrEnum):
    """The kinds of bet, in the order in which notices list them."""

    STRAIGHT = "straight"
    SPLIT = "split"
    STREET = "street"
    CORNER = "corner"
    FIVE = "five"
    SIX_LINE = "six_line"
    COLUMN = "column"
    DOZEN = "dozen"
    RED = "red"
    BLACK = "black"
    ODD = "odd"
    EVEN = "even"
    LOW = "low"
    HIGH = "high"


#: The kind of an inside bet follows from how many numbers it covers.
INSIDE_KINDS: Final = {
    1: Kind.STRAIGHT,
    2: Kind.SPLIT,
    3: Kind.STREET,
    4: Kind.CORNER,
    5: Kind.FIVE,
    6: Kind.SIX_LINE,
}

_KIND_RANK = {kind: place for place, kind in enumerate(Kind)}


@dataclass(frozen=True, slots=True)
class Anchor:
    """Where a chip lies, in quarter cells: along the table from the zero line, across it from the dozens' line."""

    along: int
    across: int


@dataclass(frozen=True, slots=True)
class Spot:
    """One place to bet: its name, its kind, the numbers it covers and where its chip lies."""

    key: SpotKey
    # On one felt the name says it all, so hashing stops there: spots are looked up very often.
    kind: Kind = field(hash=False)
    numbers: tuple[Pocket, ...] = field(hash=False)
    anchor: Anchor = field(hash=False)
    covers: frozenset[Pocket] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "covers", frozenset(self.numbers))


def inside_key(numbers: Iterable[Pocket]) -> SpotKey:
    """Name an inside bet by its numbers: 20 and 17 make ``17/20``."""
    return SpotKey("/".join(in_order(numbers)))


def inside_spot(numbers: Iterable[Pocket], anchor: Anchor) -> Spot:
    ordered = in_order(numbers)
    return Spot(inside_key(ordered), INSIDE_KINDS[len(ordered)], ordered, anchor)


def outside_spot(key: SpotKey, anchor: Anchor) -> Spot:
    kind, numbers = OUTSIDE[key]
    return Spot(key, kind, numbers, anchor)


def spot_order(spot: Spot) -> tuple[int, tuple[int, ...]]:
    """Sort spots as notices do: by kind, then by their numbers."""
    return _KIND_RANK[spot.kind], tuple(rank(pocket) for pocket in spot.numbers)


def _where(test: Iterable[bool]) -> tuple[Pocket, ...]:
    return tuple(number for number, holds in zip(NUMBERS, test, strict=True) if holds)


_VALUES = range(1, 37)
_LOW = range(1, 19)

#: Every outside bet there is. The zeros belong to none of them: they are neither red nor black, odd nor even.
OUTSIDE: Final = {
    **{
        SpotKey(f"column {column}"): (Kind.COLUMN, _where(value % 3 == column % 3 for value in _VALUES))
        for column in (1, 2, 3)
    },
    **{
        SpotKey(f"dozen {dozen}"): (Kind.DOZEN, _where((value + 11) // 12 == dozen for value in _VALUES))
        for dozen in (1, 2, 3)
    },
    SpotKey("red"): (Kind.RED, _where(colour(number) is Colour.RED for number in NUMBERS)),
    SpotKey("black"): (Kind.BLACK, _where(colour(number) is Colour.BLACK for number in NUMBERS)),
    SpotKey("odd"): (Kind.ODD, _where(value % 2 == 1 for value in _VALUES)),
    SpotKey("even"): (Kind.EVEN, _where(value % 2 == 0 for value in _VALUES)),
    SpotKey("low"): (Kind.LOW, _where(value in _LOW for value in _VALUES)),
    SpotKey("high"): (Kind.HIGH, _where(value not in _LOW for value in _VALUES)),
}
