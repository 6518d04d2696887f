"""Wheels: the order of the pockets, and who is whose neighbour."""

from dataclasses import dataclass

from croupier.rules.pocket import Pocket


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
