"""The proof of the felt: whether a wheel is a wheel, a layout a layout, and the two go together."""

from collections import defaultdict
from collections.abc import Iterable
from itertools import combinations, pairwise

from croupier.rulebooks.complaint import Found
from croupier.rules.layout import CELL, FELT, ROW, Area, Layout, derive_spots
from croupier.rules.pocket import NUMBERS, POCKETS, ZERO, colour
from croupier.rules.rulebook import Rulebook
from croupier.rules.spot import OUTSIDE, Anchor, SpotKey
from croupier.rules.wheel import Wheel


def felt_complaints(rulebook: Rulebook) -> Found:
    """Say everything that keeps a rulebook's wheel and layout from being a wheel, a felt and a pair."""
    found = [*wheel_complaints(rulebook.wheel), *layout_complaints(rulebook.layout)]
    yield from found
    if not found and {cell.pocket for cell in rulebook.layout.cells} != set(rulebook.wheel.order):
        yield "layout", "wheel and layout do not have the same numbers"


def wheel_complaints(wheel: Wheel) -> Found:
    """Say everything that keeps this from being a wheel."""
    strangers = [pocket for pocket in wheel.order if pocket not in POCKETS]
    if strangers:
        yield "wheel.order", f"no such pocket: {', '.join(strangers)}"
    if len(set(wheel.order)) != len(wheel.order):
        yield "wheel.order", "a pocket stands twice"
    missing = [pocket for pocket in (ZERO, *NUMBERS) if pocket not in wheel.order]
    if missing:
        yield "wheel.order", f"missing: {', '.join(missing)}"
    if wheel.order and wheel.order[0] != ZERO:
        yield "wheel.order", "the order is told clockwise from 0"
    if wheel.alternating and not strangers:
        yield from _colour_complaints(wheel)


def _colour_complaints(wheel: Wheel) -> Found:
    for left, right in pairwise((*wheel.order, *wheel.order[:1])):
        if colour(left) == colour(right):
            yield "wheel.order", f"{left} and {right} lie side by side and are both {colour(left)}"


def layout_complaints(layout: Layout) -> Found:
    """Say everything that keeps this from being a felt, with the part of it that is wrong."""
    flaws = [*_strangers(layout), *_overlaps(layout)]
    if all(cell.area.is_real for cell in layout.zeros):
        flaws.extend(_gaps(layout))
    # Only on a felt that holds together can spots be found, to see whether two would lie on each other.
    return iter(flaws or _shared_anchors(layout))


def _strangers(layout: Layout) -> Found:
    rows = tuple(tuple(NUMBERS[start : start + ROW]) for start in range(0, len(NUMBERS), ROW))
    if layout.rows != rows:
        yield "layout.rows", "the rows must be 1 2 3, 4 5 6 … 34 35 36"
    strangers = [cell.pocket for cell in layout.zeros if cell.pocket not in POCKETS or cell.pocket in NUMBERS]
    if strangers:
        yield "layout.zeros", f"not a zero: {', '.join(strangers)}"
    if len({cell.pocket for cell in layout.zeros}) != len(layout.zeros):
        yield "layout.zeros", "a zero stands twice"
    if sorted(box.bet for box in layout.boxes) != sorted(OUTSIDE):
        yield "layout.boxes", f"the boxes must be these twelve, each once: {', '.join(OUTSIDE)}"


def _overlaps(layout: Layout) -> Found:
    areas: list[tuple[str, str, Area]] = [("layout.zeros", cell.pocket, cell.area) for cell in layout.zeros]
    areas += [("layout.boxes", box.bet, box.area) for box in layout.boxes]
    for part, name, area in areas:
        if not area.is_real:
            yield part, f"{name} has no area"
        if not area.within(FELT):
            yield part, f"{name} lies off the felt"
    areas.append(("layout.rows", "the numbers", Area((0, len(NUMBERS) // ROW * CELL), (0, ROW * CELL))))
    for (part, name, area), (_, other, other_area) in combinations(areas, 2):
        overlap = area.shared(other_area)
        if overlap is not None and overlap.is_real:
            yield part, f"{name} and {other} overlap"


def _gaps(layout: Layout) -> Found:
    """The zero cells stand in whole rows, as wide as the numbers, one after the other up to the zero line."""
    rows: defaultdict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)
    for cell in layout.zeros:
        rows[cell.area.along].append(cell.area.across)
    if not rows or not _unbroken(rows, begin=min(rows)[0], end=0):
        yield "layout.zeros", "the zero cells must stand in rows that reach the zero line without a gap"
    if not all(_unbroken(row, begin=0, end=ROW * CELL) for row in rows.values()):
        yield "layout.zeros", "a row of zero cells must be as wide as the numbers, without a gap"


def _unbroken(spans: Iterable[tuple[int, int]], *, begin: int, end: int) -> bool:
    """Tell whether each span begins where the one before it ends, from the first to the last."""
    ordered = sorted(spans)
    return [begin, *(stop for _, stop in ordered)] == [*(start for start, _ in ordered), end]


def _shared_anchors(layout: Layout) -> Found:
    taken: dict[Anchor, SpotKey] = {}
    for spot in derive_spots(layout):
        if spot.anchor in taken:
            yield "layout.zeros", f"{taken[spot.anchor]} and {spot.key} would stand on the same place"
        taken[spot.anchor] = spot.key
