"""Layouts: the cells printed on the felt, and every spot that follows from how they touch."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations, pairwise, product

from croupier.rules.pocket import Pocket
from croupier.rules.spot import Anchor, Spot, SpotKey, inside_spot, outside_spot, spot_order

#: A number's cell is four quarters by four, so that every anchor is a whole number.
CELL = 4
#: The outside line, between the numbers and the dozens: streets, six lines and the first four or five hang on it.
OUTSIDE_LINE = 0
#: A street is a row of three.
ROW = 3


@dataclass(frozen=True, slots=True)
class Area:
    """A rectangle on the felt in quarter cells, (from, to) along the table and across it."""

    along: tuple[int, int]
    across: tuple[int, int]

    @property
    def middle(self) -> Anchor:
        return Anchor(sum(self.along) // 2, sum(self.across) // 2)

    @property
    def is_real(self) -> bool:
        """Whether it is more than a line or a point, and the right way round."""
        return self.along[0] < self.along[1] and self.across[0] < self.across[1]

    def within(self, other: "Area") -> bool:
        return (
            other.along[0] <= min(self.along)
            and max(self.along) <= other.along[1]
            and other.across[0] <= min(self.across)
            and max(self.across) <= other.across[1]
        )

    def shared(self, other: "Area") -> "Area | None":
        """Give the edge, point or overlap that two areas have in common."""
        along = max(self.along[0], other.along[0]), min(self.along[1], other.along[1])
        across = max(self.across[0], other.across[0]), min(self.across[1], other.across[1])
        if along[0] > along[1] or across[0] > across[1]:
            return None
        return Area(along, across)

    def holds(self, point: Anchor) -> bool:
        return self.along[0] <= point.along <= self.along[1] and self.across[0] <= point.across <= self.across[1]


#: How far a felt may reach: a few cells around the numbers.
FELT = Area((-40, 100), (-40, 60))


@dataclass(frozen=True, slots=True)
class Cell:
    """The printed cell of one number."""

    pocket: Pocket
    area: Area


@dataclass(frozen=True, slots=True)
class Box:
    """A printed box outside the numbers: the bet it takes and what is written in it."""

    bet: SpotKey
    label: str
    area: Area


@dataclass(frozen=True, slots=True)
class Layout:
    """A felt: twelve rows of three from the zero line down, the zero cells above it, and the boxes outside."""

    id: str
    rows: tuple[tuple[Pocket, ...], ...]
    zeros: tuple[Cell, ...]
    boxes: tuple[Box, ...]

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
    """Find every spot on a felt: what the cells and their meeting edges, points and rows allow, and no more."""
    cells = layout.cells
    found = (*_straights(cells), *_splits(cells), *_meeting_points(cells), *_line_bets(cells), *_outside(layout.boxes))
    return tuple(sorted(found, key=spot_order))


def _straights(cells: Iterable[Cell]) -> Iterator[Spot]:
    for cell in cells:
        yield inside_spot([cell.pocket], cell.area.middle)


def _splits(cells: Iterable[Cell]) -> Iterator[Spot]:
    """Two cells with an edge between them, not merely a corner in common."""
    for one, other in combinations(cells, 2):
        edge = one.area.shared(other.area)
        if edge is not None and (edge.along[0] < edge.along[1] or edge.across[0] < edge.across[1]):
            yield inside_spot([one.pocket, other.pocket], edge.middle)


def _meeting_points(cells: tuple[Cell, ...]) -> Iterator[Spot]:
    """Points where three cells meet (0/1/2 and its kin) or four (a corner)."""
    points = {Anchor(*point) for cell in cells for point in product(cell.area.along, cell.area.across)}
    for point in points:
        around = [cell.pocket for cell in cells if cell.area.holds(point)]
        if len(around) > 2:  # noqa: PLR2004 - two cells make a line, three or more a point
            yield inside_spot(around, point)


def _line_bets(cells: Iterable[Cell]) -> Iterator[Spot]:
    """What hangs on the outside line: each street, and each two neighbouring rows together.

    Two rows of three make a six line; 0 with the first row is the first four; 0 and 00 with it the first five.
    """
    rows: defaultdict[tuple[int, int], list[Pocket]] = defaultdict(list)
    for cell in cells:
        rows[cell.area.along].append(cell.pocket)
    for along, row in rows.items():
        if len(row) == ROW:
            yield inside_spot(row, Anchor(sum(along) // 2, OUTSIDE_LINE))
    for (above, upper), (below, lower) in pairwise(sorted(rows.items())):
        assert above[1] == below[0]
        if len(lower) == ROW:
            yield inside_spot([*upper, *lower], Anchor(below[0], OUTSIDE_LINE))


def _outside(boxes: Iterable[Box]) -> Iterator[Spot]:
    for box in boxes:
        yield outside_spot(box.bet, box.area.middle)
