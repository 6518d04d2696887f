"""What chips can pay: the sums of the value chips of a float, and of some pieces of players' colours beside them.

`sums_of` answers, for some denominations, whether chips make an amount exactly, what the next payable amount is above
or below, and which chips make it. The number of value chips of each denomination in a float is not known: buy-ins and
redemptions are recorded as amounts. So a sum may have any number of each.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import count, product
from math import gcd
from typing import Final

#: The most steps between the smallest chip and the common divisor of all chips: a limit of time and memory.
STEPS_MAX: Final = 100_000

#: Pieces that may be handed over beside value chips: the value of one, and how many there are.
OwnPieces = Sequence[tuple[int, int]]


class Sums:
    """The sums of chips of some denominations, in cents; nothing is a sum too."""

    def __init__(self, denominations: tuple[int, ...]) -> None:
        self._largest_first = tuple(sorted(denominations, reverse=True))
        self._unit = gcd(*denominations)
        self._smallest = self._largest_first[-1] // self._unit
        self._least = _least_sums([each // self._unit for each in self._largest_first], self._smallest)

    def has(self, amount: int, own: OwnPieces = ()) -> bool:
        """Return whether value chips make an amount exactly, together with some of the player's own pieces."""
        return any(self._has(amount - worth) for worth in self._worths(own))

    def at_least(self, amount: int, own: OwnPieces = ()) -> int:
        """Return the least amount, not below this one, that can be paid."""
        return min(worth + self._at_least(max(0, amount - worth)) for worth in self._worths(own))

    def at_most(self, amount: int, own: OwnPieces = ()) -> int:
        """Return the largest amount, not above this one, that can be paid."""
        return max(worth + self._at_most(amount - worth) for worth in self._worths(own) if worth <= amount)

    def pieces(self, amount: int, own: OwnPieces) -> tuple[int, ...]:
        """Return how many of the own pieces an amount needs, as few as possible of the first; none if it has no sum."""
        needed = (each for each in self._numbers(own) if self._has(amount - _worth(each, own)))
        return next(needed, (0,) * len(own))

    def chips(self, amount: int) -> tuple[tuple[int, int], ...]:
        """Make a sum of value chips: as many of the largest as leave a sum of the others, then of the next."""
        assert self._has(amount), (amount, self._largest_first)
        chosen = []
        for place, value in enumerate(self._largest_first):
            others = self._largest_first[place + 1 :]
            rests = (amount - number * value for number in count(amount // value, -1))
            rest = next(each for each in rests if (sums_of(others).has(each) if others else each == 0))
            if rest < amount:
                chosen.append((value, (amount - rest) // value))
            amount = rest
        return tuple(chosen)

    def _worths(self, own: OwnPieces) -> set[int]:
        """Return what some of the own pieces are worth: each amount once, however many pieces make it."""
        worths = {0}
        for piece in own:
            (value, _), numbers = piece, [each for (each,) in self._numbers([piece])]
            worths = {worth + number * value for worth in worths for number in numbers}
        return worths

    def _numbers(self, own: OwnPieces) -> Iterator[tuple[int, ...]]:
        """List numbers of the pieces: of each value fewer than smallest value chips could pay instead."""
        smallest = self._largest_first[-1]
        return product(*(range(min(pieces, smallest // gcd(smallest, value) - 1) + 1) for value, pieces in own))

    def _has(self, amount: int) -> bool:
        units, part = divmod(amount, self._unit)
        return part == 0 and self._has_units(units)

    def _at_least(self, amount: int) -> int:
        return next(units for units in count(-(-amount // self._unit)) if self._has_units(units)) * self._unit

    def _at_most(self, amount: int) -> int:
        return next(units for units in count(amount // self._unit, -1) if self._has_units(units)) * self._unit

    def _has_units(self, units: int) -> bool:
        return units >= self._least[units % self._smallest]


def _worth(numbers: tuple[int, ...], own: OwnPieces) -> int:
    return sum(number * value for number, (value, _) in zip(numbers, own, strict=True))


def sums_of(denominations: Iterable[int]) -> Sums:
    """Return the sums of some denominations."""
    return _sums_of(tuple(sorted({*denominations})))


@lru_cache(maxsize=256)
def _sums_of(denominations: tuple[int, ...]) -> Sums:
    return Sums(denominations)


def steps_of(denominations: Iterable[int]) -> int:
    """Return how many steps of the common divisor the smallest chip has: the size of the table of sums."""
    denominations = tuple(denominations)
    return min(denominations) // gcd(*denominations)


def _least_sums(values: Iterable[int], smallest: int) -> list[int]:
    """Compute the least sum for each remainder by the smallest value; whole numbers without a common divisor.

    Adding one value again and again visits the remainders in cycles. Two turns around a cycle start from its least sum.
    """
    never = 1 << 62
    least = [0] + [never] * (smallest - 1)
    for value in values:
        cycles = gcd(value, smallest)
        for start in range(cycles):
            remainder = start
            for _ in range(2 * (smallest // cycles)):
                after = (remainder + value) % smallest
                least[after] = min(least[after], least[remainder] + value)
                remainder = after
    return least
