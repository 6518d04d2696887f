"""Wheels: the order of the pockets, and who is whose neighbour."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from croupier.rules.pocket import NUMBERS, POCKETS, ZERO, Pocket, colour


@dataclass(frozen=True, slots=True)
class Wheel:
    """The pockets of a wheel, clockwise from 0, and how sure we are of that order."""

    id: str
    order: tuple[Pocket, ...]
    provenance: str
    #: False where the order is neither stated nor a standard one: to be checked against the wheel on installation.
    confirmed: bool
    #: True where the rules ask that no two pockets of one colour lie side by side.
    alternating: bool

    def neighbours(self, pocket: Pocket, *, each_side: int) -> tuple[Pocket, ...]:
        """Name the pocket and those beside it, in wheel order, the pocket itself in the middle."""
        assert 0 <= each_side <= (len(self.order) - 1) // 2
        here = self.order.index(pocket)
        return tuple(self.order[(here + step) % len(self.order)] for step in range(-each_side, each_side + 1))


def wheel_complaints(wheel: Wheel) -> Iterator[str]:
    """Say everything that keeps this from being a wheel."""
    strangers = [pocket for pocket in wheel.order if pocket not in POCKETS]
    if strangers:
        yield f"no such pocket: {', '.join(strangers)}"
    if len(set(wheel.order)) != len(wheel.order):
        yield "a pocket stands twice"
    missing = [pocket for pocket in (ZERO, *NUMBERS) if pocket not in wheel.order]
    if missing:
        yield f"missing: {', '.join(missing)}"
    if wheel.order and wheel.order[0] != ZERO:
        yield "the order is told clockwise from 0"
    if wheel.alternating and not strangers:
        yield from _colour_complaints(wheel)


def _colour_complaints(wheel: Wheel) -> Iterator[str]:
    for left, right in pairwise((*wheel.order, *wheel.order[:1])):
        if colour(left) == colour(right):
            yield f"{left} and {right} lie side by side and are both {colour(left)}"
