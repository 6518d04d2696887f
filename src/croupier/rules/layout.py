"""Layouts: the cells printed on the felt, and every spot that follows from how they touch."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations, pairwise, product

from croupier.rules.pocket import NUMBERS, POCKETS, Pocket
from croupier.rules.spot import OUTSIDE, Anchor, Spot, SpotKey, inside_spot, outside_spot, spot_order

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


def layout_complaints(layout: Layout) -> Iterator[tuple[str, str]]:
    """Say everything that keeps this from being a felt, with the part of it that is wrong."""
    flaws = [*_strangers(layout), *_overlaps(layout)]
    if all(cell.area.is_real for cell in layout.zeros):
        flaws.extend(_gaps(layout))
    # Only on a felt that holds together can spots be found, to see whether two would lie on each other.
    return iter(flaws or _shared_anchors(layout))


def _strangers(layout: Layout) -> Iterator[tuple[str, str]]:
    rows = tuple(tuple(NUMBERS[start : start + ROW]) for start in range(0, len(NUMBERS), ROW))
    if layout.rows != rows:
        yield "rows", "the rows must be 1 2 3, 4 5 6 … 34 35 36"
    strangers = [cell.pocket for cell in layout.zeros if cell.pocket not in POCKETS or cell.pocket in NUMBERS]
    if strangers:
        yield "zeros", f"not a zero: {', '.join(strangers)}"
    if len({cell.pocket for cell in layout.zeros}) != len(layout.zeros):
        yield "zeros", "a zero stands twice"
    if sorted(box.bet for box in layout.boxes) != sorted(OUTSIDE):
        yield "boxes", f"the boxes must be these twelve, each once: {', '.join(OUTSIDE)}"


def _overlaps(layout: Layout) -> Iterator[tuple[str, str]]:
    areas: list[tuple[str, str, Area]] = [("zeros", cell.pocket, cell.area) for cell in layout.zeros]
    areas += [("boxes", box.bet, box.area) for box in layout.boxes]
    for part, name, area in areas:
        if not area.is_real:
            yield part, f"{name} has no area"
        if not area.within(FELT):
            yield part, f"{name} lies off the felt"
    areas.append(("rows", "the numbers", Area((0, len(NUMBERS) // ROW * CELL), (0, ROW * CELL))))
    for (part, name, area), (_, other, other_area) in combinations(areas, 2):
        overlap = area.shared(other_area)
        if overlap is not None and overlap.is_real:
            yield part, f"{name} and {other} overlap"


def _gaps(layout: Layout) -> Iterator[tuple[str, str]]:
    """The zero cells stand in whole rows, as wide as the numbers, one after the other up to the zero line."""
    bands: defaultdict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)
    for cell in layout.zeros:
        bands[cell.area.along].append(cell.area.across)
    edges = [edge for along in sorted(bands) for edge in along]
    if not bands or edges[1:] != [*(edge for edge in edges[2::2] for _ in range(2)), 0]:
        yield "zeros", "the zero cells must stand in rows that reach the zero line without a gap"
    for band in bands.values():
        sides = [side for across in sorted(band) for side in across]
        if sides[0] != 0 or sides[-1] != ROW * CELL or sides[1:-1:2] != sides[2:-1:2]:
            yield "zeros", "a row of zero cells must be as wide as the numbers, without a gap"


def _shared_anchors(layout: Layout) -> Iterator[tuple[str, str]]:
    taken: dict[Anchor, SpotKey] = {}
    for spot in derive_spots(layout):
        if spot.anchor in taken:
            yield "zeros", f"{taken[spot.anchor]} and {spot.key} would stand on the same place"
        taken[spot.anchor] = spot.key
