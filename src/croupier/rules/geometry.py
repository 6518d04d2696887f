"""Pockets, wheels, spots and layouts."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import combinations, pairwise, product
from typing import Final, NewType

# A pocket is its printed name, so that "00" is never mistaken for a number and "37" is not a pocket.
Pocket = NewType("Pocket", str)

ZERO = Pocket("0")
DOUBLE_ZERO = Pocket("00")

#: Every pocket of any wheel, in printed order: 0, 00, 1 … 36.
POCKETS = (ZERO, DOUBLE_ZERO, *(Pocket(str(number)) for number in range(1, 37)))

#: The pockets with an odd or even, low or high number: all except the zeros.
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
    """Return a pocket's position in the printed order, as a sort key."""
    return _RANK[pocket]


#: A spot's name in the notation: "17", "0/2/3", "column 1", "red".
SpotKey = NewType("SpotKey", str)


class SpotKind(StrEnum):
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


#: The number of pockets that an inside bet covers determines its kind.
INSIDE_KINDS: Final = {
    1: SpotKind.STRAIGHT,
    2: SpotKind.SPLIT,
    3: SpotKind.STREET,
    4: SpotKind.CORNER,
    5: SpotKind.FIVE,
    6: SpotKind.SIX_LINE,
}

_KIND_RANK = {kind: place for place, kind in enumerate(SpotKind)}


@dataclass(frozen=True, slots=True)
class ChipPosition:
    """The position of a chip, in quarter cells: along the table from the zero line, across it from the dozens' line."""

    along: int
    across: int


@dataclass(frozen=True, slots=True)
class Spot:
    """One place to bet: its name, its kind, the numbers it covers and the position of its chip."""

    key: SpotKey
    # On one felt the name is unique, so only the name is hashed: spots are looked up very often.
    kind: SpotKind = field(hash=False)
    numbers: tuple[Pocket, ...] = field(hash=False)
    anchor: ChipPosition = field(hash=False)
    covers: frozenset[Pocket] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "covers", frozenset(self.numbers))


@dataclass(frozen=True, slots=True)
class BlockSpot:
    """A place on the block, beside the layout, for chips under a marker button: one total on five numbers.

    It is not one of the layout's spots. Its name is its notation: ``neighbours 17``.
    """

    key: SpotKey
    #: The number at the centre of the button.
    number: Pocket
    #: The numbers on the button, in wheel order, the centre in the middle.
    numbers: tuple[Pocket, ...]


def inside_key(numbers: Iterable[Pocket]) -> SpotKey:
    """Name an inside bet by its numbers: 20 and 17 make ``17/20``."""
    return SpotKey("/".join(in_order(numbers)))


def inside_spot(numbers: Iterable[Pocket], anchor: ChipPosition) -> Spot:
    ordered = in_order(numbers)
    return Spot(inside_key(ordered), INSIDE_KINDS[len(ordered)], ordered, anchor)


def outside_spot(key: SpotKey, anchor: ChipPosition) -> Spot:
    kind, numbers = OUTSIDE[key]
    return Spot(key, kind, numbers, anchor)


def spot_order(spot: Spot) -> tuple[int, tuple[int, ...]]:
    """Sort spots as notices do: by kind, then by their numbers."""
    return _KIND_RANK[spot.kind], tuple(rank(pocket) for pocket in spot.numbers)


def _where(test: Iterable[bool]) -> tuple[Pocket, ...]:
    return tuple(number for number, holds in zip(NUMBERS, test, strict=True) if holds)


_VALUES = range(1, 37)
_LOW = range(1, 19)

#: Every outside bet. None of them covers a zero: the zeros are neither red nor black, odd nor even.
OUTSIDE: Final = {
    **{
        SpotKey(f"column {column}"): (SpotKind.COLUMN, _where(value % 3 == column % 3 for value in _VALUES))
        for column in (1, 2, 3)
    },
    **{
        SpotKey(f"dozen {dozen}"): (SpotKind.DOZEN, _where((value + 11) // 12 == dozen for value in _VALUES))
        for dozen in (1, 2, 3)
    },
    SpotKey("red"): (SpotKind.RED, _where(colour(number) is Colour.RED for number in NUMBERS)),
    SpotKey("black"): (SpotKind.BLACK, _where(colour(number) is Colour.BLACK for number in NUMBERS)),
    SpotKey("odd"): (SpotKind.ODD, _where(value % 2 == 1 for value in _VALUES)),
    SpotKey("even"): (SpotKind.EVEN, _where(value % 2 == 0 for value in _VALUES)),
    SpotKey("low"): (SpotKind.LOW, _where(value in _LOW for value in _VALUES)),
    SpotKey("high"): (SpotKind.HIGH, _where(value not in _LOW for value in _VALUES)),
}


#: A number's cell is four quarters by four, so that every anchor is an integer.
CELL = 4
#: The outside line, between the numbers and the dozens: streets, six lines and the first four or five lie on it.
OUTSIDE_LINE = 0
#: A street is a row of three.
ROW = 3


@dataclass(frozen=True, slots=True)
class Area:
    """A rectangle on the felt in quarter cells, (from, to) along the table and across it."""

    along: tuple[int, int]
    across: tuple[int, int]

    @property
    def middle(self) -> ChipPosition:
        return ChipPosition(sum(self.along) // 2, sum(self.across) // 2)

    @property
    def is_real(self) -> bool:
        """Check that it has a positive width and length."""
        return self.along[0] < self.along[1] and self.across[0] < self.across[1]

    def within(self, other: "Area") -> bool:
        return (
            other.along[0] <= min(self.along)
            and max(self.along) <= other.along[1]
            and other.across[0] <= min(self.across)
            and max(self.across) <= other.across[1]
        )

    def shared(self, other: "Area") -> "Area | None":
        """Return the edge, point or overlap of two areas."""
        along = max(self.along[0], other.along[0]), min(self.along[1], other.along[1])
        across = max(self.across[0], other.across[0]), min(self.across[1], other.across[1])
        if along[0] > along[1] or across[0] > across[1]:
            return None
        return Area(along, across)

    def holds(self, point: ChipPosition) -> bool:
        return self.along[0] <= point.along <= self.along[1] and self.across[0] <= point.across <= self.across[1]


#: The bounds of a felt: a few cells around the numbers.
FELT = Area((-40, 100), (-40, 60))


@dataclass(frozen=True, slots=True)
class Cell:
    """The printed cell of one number."""

    pocket: Pocket
    area: Area


@dataclass(frozen=True, slots=True)
class OutsideBox:
    """A printed box outside the numbers: its bet and its label."""

    bet: SpotKey
    label: str
    area: Area


@dataclass(frozen=True, slots=True)
class Layout:
    """A felt: twelve rows of three from the zero line down, the zero cells above it, and the boxes outside."""

    id: str
    rows: tuple[tuple[Pocket, ...], ...]
    zeros: tuple[Cell, ...]
    boxes: tuple[OutsideBox, ...]

    @property
    def cells(self) -> tuple[Cell, ...]:
        return *self.zeros, *(self._cell(place, row, column) for row, column, place in self._places())

    def _places(self) -> Iterator[tuple[int, int, Pocket]]:
        for row, pockets in enumerate(self.rows):
            for column, pocket in enumerate(pockets):
                yield row, column, pocket

    @staticmethod
    def _cell(pocket: Pocket, row: int, column: int) -> Cell:
        along, across = row * CELL, column * CELL
        return Cell(pocket, Area((along, along + CELL), (across, across + CELL)))


def derive_spots(layout: Layout) -> tuple[Spot, ...]:
    """Derive every spot of a felt from its cells and their shared edges, points and rows."""
    cells = layout.cells
    found = (*_straights(cells), *_splits(cells), *_meeting_points(cells), *_line_bets(cells), *_outside(layout.boxes))
    return tuple(sorted(found, key=spot_order))


def _straights(cells: Iterable[Cell]) -> Iterator[Spot]:
    for cell in cells:
        yield inside_spot([cell.pocket], cell.area.middle)


def _splits(cells: Iterable[Cell]) -> Iterator[Spot]:
    """Two cells that share an edge, not only a corner."""
    for one, other in combinations(cells, 2):
        edge = one.area.shared(other.area)
        if edge is not None and (edge.along[0] < edge.along[1] or edge.across[0] < edge.across[1]):
            yield inside_spot([one.pocket, other.pocket], edge.middle)


def _meeting_points(cells: tuple[Cell, ...]) -> Iterator[Spot]:
    """Points where three cells meet (such as 0/1/2) or four (a corner)."""
    points = {ChipPosition(*point) for cell in cells for point in product(cell.area.along, cell.area.across)}
    for point in points:
        around = [cell.pocket for cell in cells if cell.area.holds(point)]
        if len(around) > 2:  # noqa: PLR2004 - two cells make a line, three or more a point
            yield inside_spot(around, point)


def _line_bets(cells: Iterable[Cell]) -> Iterator[Spot]:
    """The bets on the outside line: each street, and each two neighbouring rows together.

    Two rows of three make a six line; 0 with the first row is the first four; 0 and 00 with it the first five.
    """
    rows: defaultdict[tuple[int, int], list[Pocket]] = defaultdict(list)
    for cell in cells:
        rows[cell.area.along].append(cell.pocket)
    for along, row in rows.items():
        if len(row) == ROW:
            yield inside_spot(row, ChipPosition(sum(along) // 2, OUTSIDE_LINE))
    for (above, upper), (below, lower) in pairwise(sorted(rows.items())):
        assert above[1] == below[0]
        if len(lower) == ROW:
            yield inside_spot([*upper, *lower], ChipPosition(below[0], OUTSIDE_LINE))


def _outside(boxes: Iterable[OutsideBox]) -> Iterator[Spot]:
    for box in boxes:
        yield outside_spot(box.bet, box.area.middle)


@dataclass(frozen=True, slots=True)
class Wheel:
    """The pockets of a wheel, clockwise from 0, and whether that order is certain."""

    id: str
    order: tuple[Pocket, ...]
    provenance: str
    #: False if the order is neither stated nor standard: it must be checked against the wheel on installation.
    confirmed: bool
    #: True if the rules forbid two adjacent pockets of one colour.
    alternating: bool

    def neighbours(self, pocket: Pocket, *, each_side: int) -> tuple[Pocket, ...]:
        """List the pocket and its neighbours in wheel order, the pocket itself in the middle."""
        assert 0 <= each_side <= (len(self.order) - 1) // 2
        here = self.order.index(pocket)
        return tuple(self.order[(here + step) % len(self.order)] for step in range(-each_side, each_side + 1))
