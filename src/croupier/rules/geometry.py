"""Pockets, wheels, kinds of bet, spots and layouts."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import combinations, pairwise, product
from typing import Final, NamedTuple, NewType

# A pocket is its printed name, so that "00" is never mistaken for a number and "41" is not a pocket.
Pocket = NewType("Pocket", str)

#: Every pocket that a wheel may have, in printed order: 0, 00, 000, 1 … 40.
POCKETS = tuple(map(Pocket, ("0", "00", "000", *map(str, range(1, 41)))))

#: The pockets that most wheels have some of: 0, 00 and 1 … 36.
COMMON_POCKETS = tuple(pocket for pocket in POCKETS if pocket != "000" and int(pocket) <= 36)  # noqa: PLR2004 - in roulette

_RANK = {pocket: rank for rank, pocket in enumerate(POCKETS)}

#: The red numbers of a wheel that names no others.
RED = tuple(
    map(Pocket, ["1", "3", "5", "7", "9", "12", "14", "16", "18", "19", "21", "23", "25", "27", "30", "32", "34", "36"])
)


class Colour(StrEnum):
    """The colour behind a number."""

    RED = "red"
    BLACK = "black"
    GREEN = "green"


def is_zero(pocket: Pocket) -> bool:
    """Check whether a pocket is a zero: 0, 00 or 000."""
    return not pocket.strip("0")


def in_order(pockets: Iterable[Pocket]) -> tuple[Pocket, ...]:
    """Arrange pockets as they are printed: 0, 00, 000, 1 … 40."""
    return tuple(sorted(pockets, key=_RANK.__getitem__))


def rank(pocket: Pocket) -> int:
    """Return a pocket's position in the printed order, as a sort key."""
    return _RANK[pocket]


#: A spot's name in the notation: "17", "0/2/3", "column 1", "red".
SpotKey = NewType("SpotKey", str)

#: A kind of bet, by the id that the rulebook gives it. Only this one has a meaning of its own: a bet on one number.
SpotKind = NewType("SpotKind", str)
STRAIGHT: Final = SpotKind("straight")

#: The kinds on half of the numbers, by the ids that most rulebooks give them: they have one name together in settings.
EVEN_MONEY: Final = tuple(map(SpotKind, ("red", "black", "odd", "even", "low", "high")))
#: The kinds that most rulebooks have some of.
COMMON_KINDS: Final = (
    STRAIGHT,
    *map(SpotKind, ("split", "street", "corner", "five", "six_line", "column", "dozen")),
    *EVEN_MONEY,
)


class Geometry(StrEnum):
    """Where the chip of a bet lies among the cells of its numbers."""

    #: Within the cell of its one number.
    CELL = "cell"
    #: On the edge that two cells share.
    EDGE = "edge"
    #: Where three or four cells meet.
    POINT = "point"
    #: On the outside line, at the end of a row of three or more.
    ROW = "row"
    #: On the outside line, where two rows meet.
    ROWS = "rows"
    #: In a printed box, away from the cells.
    BOX = "box"


@dataclass(frozen=True, slots=True)
class Shape:
    """One form of an inside bet: where its chip lies, how many numbers it covers, and whether a zero is among them."""

    at: Geometry
    numbers: int
    #: None if it does not matter.
    zero: bool | None = None

    def fits(self, place: "Place") -> bool:
        return (
            place.at is self.at
            and len(place.numbers) == self.numbers
            and self.zero in (None, any(map(is_zero, place.numbers)))
        )


class SegmentGroup(StrEnum):
    """The groups of winning bets at a table of chips; each outside box is paid by itself."""

    EVEN_CHANCES = "even_chances"
    DOZENS = "dozens"
    COLUMNS = "columns"
    #: The bets around the number, one player at a time.
    INSIDE = "inside"


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of bet: its name, where its chips lie and what they cover."""

    id: SpotKind
    #: Its name in English, and in other languages by their code; a rulebook has its own name for it beside its price.
    name: str
    names: Mapping[str, str] = field(default_factory=dict)
    #: One sentence for players, in English and in other languages.
    help: str | None = None
    helps: Mapping[str, str] = field(default_factory=dict)
    #: The forms of an inside bet.
    shapes: tuple[Shape, ...] = ()
    #: The bets in printed boxes, each with the numbers that it covers.
    boxes: Mapping[SpotKey, tuple[Pocket, ...]] = field(default_factory=dict)
    #: With which bets it is paid at a table of chips.
    segment: SegmentGroup = SegmentGroup.INSIDE


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
    at: Geometry = field(hash=False)
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


#: A number's cell is four quarters by four, so that every anchor is an integer.
CELL = 4
#: The outside line, between the numbers and the dozens: streets, six lines and the first four or five lie on it.
OUTSIDE_LINE = 0
#: Of shorter rows the outside line has no bets: two cells beside each other are a split.
ROW_MIN = 3


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

    def overlaps(self, other: "Area") -> bool:
        """Check whether two areas share more than an edge."""
        shared = self.shared(other)
        return shared is not None and shared.is_real

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
    """A felt: the rows of numbers from the zero line down, the cells of the zeros, and the boxes outside."""

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


class Place(NamedTuple):
    """A place on the felt for the chip of an inside bet, and the numbers around it in printed order."""

    at: Geometry
    numbers: tuple[Pocket, ...]
    anchor: ChipPosition


def derive_spots(layout: Layout, kinds: Sequence[Kind]) -> tuple[Spot, ...]:
    """Derive every spot of a felt from its cells, their shared edges, points and rows, and its boxes.

    A place that fits several kinds belongs to the last of them; one that fits none is no spot.
    """
    found: list[tuple[int, tuple[int, ...], Spot]] = []
    ranks = {kind.id: place for place, kind in enumerate(kinds)}
    for at, numbers, anchor in inside_places(layout):
        fitting = [kind.id for kind in kinds if any(each.fits(Place(at, numbers, anchor)) for each in kind.shapes)]
        if fitting:
            spot = Spot(inside_key(numbers), fitting[-1], numbers, anchor, at)
            found.append((ranks[spot.kind], tuple(map(rank, numbers)), spot))
    outside = {bet: (kind.id, numbers) for kind in kinds for bet, numbers in kind.boxes.items()}
    for box in layout.boxes:
        if box.bet in outside:
            kind_id, numbers = outside[box.bet]
            spot = Spot(box.bet, kind_id, numbers, box.area.middle, Geometry.BOX)
            found.append((ranks[kind_id], tuple(map(rank, numbers)), spot))
    return tuple(spot for *_, spot in sorted(found, key=lambda each: each[:2]))


def inside_places(layout: Layout) -> Iterator[Place]:
    """Find the places around the numbers: in cells, on edges, where cells meet, and on the outside line."""
    cells = layout.cells
    for cell in cells:
        yield Place(Geometry.CELL, (cell.pocket,), cell.area.middle)
    for one, other in combinations(cells, 2):
        edge = one.area.shared(other.area)
        # Two cells that share a corner only are no split.
        if edge is not None and (edge.along[0] < edge.along[1] or edge.across[0] < edge.across[1]):
            yield Place(Geometry.EDGE, in_order([one.pocket, other.pocket]), edge.middle)
    points = {ChipPosition(*point) for cell in cells for point in product(cell.area.along, cell.area.across)}
    for point in points:
        around = [cell.pocket for cell in cells if cell.area.holds(point)]
        if len(around) > 2:  # noqa: PLR2004 - two cells make a line, three or more a point
            yield Place(Geometry.POINT, in_order(around), point)
    yield from _line_places(cells)


def _line_places(cells: Iterable[Cell]) -> Iterator[Place]:
    """The places on the outside line: each row, and each two neighbouring rows together.

    Two rows of three make a six line; 0 with the first row is the first four; 0 and 00 with it the first five.
    """
    rows: defaultdict[tuple[int, int], list[Pocket]] = defaultdict(list)
    for cell in cells:
        rows[cell.area.along].append(cell.pocket)
    for along, row in rows.items():
        if len(row) >= ROW_MIN:
            yield Place(Geometry.ROW, in_order(row), ChipPosition(sum(along) // 2, OUTSIDE_LINE))
    for (above, upper), (below, lower) in pairwise(sorted(rows.items())):
        if above[1] == below[0] and max(len(upper), len(lower)) >= ROW_MIN:
            yield Place(Geometry.ROWS, in_order([*upper, *lower]), ChipPosition(below[0], OUTSIDE_LINE))


@dataclass(frozen=True, slots=True)
class Wheel:
    """The pockets of a wheel, clockwise from 0, their colours, and whether that order is certain."""

    id: str
    order: tuple[Pocket, ...]
    provenance: str
    #: False if the order is neither stated nor standard: it must be checked against the wheel on installation.
    confirmed: bool
    #: True if the rules forbid two adjacent pockets of one colour.
    alternating: bool
    #: The red numbers. Zeros are green, and all others black.
    red: tuple[Pocket, ...] = RED

    @property
    def zeros(self) -> tuple[Pocket, ...]:
        return in_order(filter(is_zero, self.order))

    def colour(self, pocket: Pocket) -> Colour:
        if is_zero(pocket):
            return Colour.GREEN
        return Colour.RED if pocket in self.red else Colour.BLACK

    def neighbours(self, pocket: Pocket, *, each_side: int) -> tuple[Pocket, ...]:
        """List the pocket and its neighbours in wheel order, the pocket itself in the middle."""
        assert 0 <= each_side <= (len(self.order) - 1) // 2
        here = self.order.index(pocket)
        return tuple(self.order[(here + step) % len(self.order)] for step in range(-each_side, each_side + 1))
