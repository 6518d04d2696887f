"""Cores: the part of the felt that is a spot's own; whoever touches the felt means the spot whose core is nearest.

A core is a point where cells meet, a segment on a line, or a rectangle within a cell or box. It keeps off everything
beside it by one measure, so that borders lie halfway between spots, and on the printed lines between boxes.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

from croupier.rules.layout import OUTSIDE_LINE, Area
from croupier.rules.rulebook import Rulebook, SpotAlias
from croupier.rules.spot import OUTSIDE, Kind, Spot

#: From and to along the table, and from and to across it, in quarter cells.
Core = tuple[float, float, float, float]
#: Along the table and across it, in quarter cells.
Place = tuple[float, float]

#: How far a core keeps off what is beside it: two fifths of a cell.
INSET: Final = 1.6
#: Where a chip lies in a box, as a part of its length, so that it lies beside what is printed there.
_BESIDE: Final = {Kind.COLUMN: 0.5, Kind.DOZEN: 0.7875}
_BESIDE_EVEN_CHANCE: Final = 0.845


class _Line(NamedTuple):
    """A straight line on the felt: which axis it runs along, and where it lies on the other."""

    axis: int
    at: int


class Ground:
    """All that is printed on a venue's felt, to find a spot's place on it."""

    def __init__(self, rulebook: Rulebook) -> None:
        self._cells = {cell.pocket: cell.area for cell in rulebook.layout.cells}
        self._boxes = {box.bet: box.area for box in rulebook.layout.boxes}
        self._areas = (*self._cells.values(), *self._boxes.values())
        self._aliases = rulebook.aliases
        self._anchors = {(spot.anchor.along, spot.anchor.across) for spot in rulebook.spots.values()}

    def anchor(self, spot: Spot) -> Place:
        """Tell where a spot's chip lies: in a box beside the print, elsewhere where the rules have it."""
        if spot.key not in OUTSIDE:
            return spot.anchor.along, spot.anchor.across
        area = self._boxes[spot.key]
        (begin, end), share = area.along, _BESIDE.get(spot.kind, _BESIDE_EVEN_CHANCE)
        return round(begin + (end - begin) * share, 2), sum(area.across) / 2

    def core(self, spot: Spot) -> Core:
        """Tell a spot's core."""
        if spot.key in OUTSIDE:
            return self._rectangle(self._boxes[spot.key])
        areas = [self._cells[number] for number in spot.numbers]
        if spot.kind is Kind.STRAIGHT:
            return self._rectangle(areas[0])
        if spot.kind is Kind.SPLIT:
            edge = areas[0].shared(areas[1])
            assert edge is not None
            return self._segment(edge, spot)
        if spot.kind is Kind.STREET and len({area.along for area in areas}) == 1:
            return self._segment(Area(areas[0].along, (OUTSIDE_LINE, OUTSIDE_LINE)), spot)
        return spot.anchor.along, spot.anchor.along, spot.anchor.across, spot.anchor.across

    def alias_anchor(self, alias: SpotAlias) -> Place:
        return sum(alias.area.along) / 2, sum(alias.area.across) / 2

    def alias_core(self, alias: SpotAlias) -> Core:
        """Tell the core of a second place for a spot: what is left of its area between everything around it."""
        return *_within(alias.area.along, INSET, INSET), *_within(alias.area.across, INSET, INSET)

    def _rectangle(self, area: Area) -> Core:
        """Keep off the sides beyond which something is printed, and off second places for spots."""
        spans = []
        for axis, span in enumerate((area.along, area.across)):
            insets = (INSET if self._borders(area, axis, side) else 0 for side in span)
            spans.append(_within(span, *insets))
        along, across = spans
        for alias in self._aliases:
            along = _off(along, alias.area, area)
        return *along, *across

    def _borders(self, area: Area, axis: int, side: int) -> bool:
        """Tell whether another area lies beyond a side."""
        for other in self._areas:
            shared = None if other is area else area.shared(other)
            if shared is not None:
                spans = shared.along, shared.across
                if spans[axis] == (side, side) and spans[1 - axis][0] < spans[1 - axis][1]:
                    return True
        return False

    def _segment(self, edge: Area, spot: Spot) -> Core:
        """Keep off both ends of an edge, without leaving the chip's own place."""
        axis = 0 if edge.along[0] < edge.along[1] else 1
        span, line = (edge.along, edge.across)[axis], _Line(axis, (edge.across, edge.along)[axis][0])
        place = (spot.anchor.along, spot.anchor.across)[axis]
        low = min(place, span[0] + self._room(line, span[0], -1, place))
        high = max(place, span[1] - self._room(line, span[1], 1, place))
        across: Place = line.at, line.at
        return (*_rounded(low, high), *across) if axis == 0 else (*across, *_rounded(low, high))

    def _room(self, line: _Line, end: int, step: int, own: int) -> float:
        """Tell how far to keep off an end: not at all where nothing lies there or beyond it, less where it is tight.

        Where spots lie closer than usual on one side of a point, it has no more room on the other, and lies in the
        middle of what is its own.
        """
        if not (self._lies(line, end) or self._printed(line, end, step)):
            return 0
        return min([INSET, *(abs(place - end) for place in self._on(line) if place not in (end, own))])

    def _on(self, line: _Line) -> Iterator[int]:
        return (anchor[line.axis] for anchor in self._anchors if anchor[1 - line.axis] == line.at)

    def _lies(self, line: _Line, end: int) -> bool:
        return end in self._on(line)

    def _printed(self, line: _Line, end: int, step: int) -> bool:
        """Tell whether a line goes on through or beside something printed."""
        for area in self._areas:
            spans = area.along, area.across
            (low, high), (begin, until) = spans[line.axis], spans[1 - line.axis]
            if low <= min(end, end + step) and max(end, end + step) <= high and begin <= line.at <= until:
                return True
        return False


def _within(span: tuple[int, int], before: float, after: float) -> Place:
    """Take something off both ends of a span; where nothing is left, its middle is."""
    low, high = span[0] + before, span[1] - after
    middle = sum(span) / 2
    return _rounded(low, high) if low <= high else (middle, middle)


def _off(along: Place, alias: Area, area: Area) -> Place:
    """Cut a core back so that a second place for a spot reaches as far as it is printed."""
    overlap = area.shared(alias)
    if overlap is None or not overlap.is_real:
        return along
    middle = sum(alias.along) / 2
    low, high = along
    if middle * 2 >= sum(area.along):
        return low, max(low, min(high, alias.along[0] * 2 - middle))
    return min(high, max(low, alias.along[1] * 2 - middle)), high


def _rounded(low: float, high: float) -> Place:
    return round(low, 2), round(high, 2)
