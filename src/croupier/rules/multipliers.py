"""Multipliers: numbers that are drawn after the seal, and what a straight up on each of them pays.

Of the numbers of the wheel some are drawn, all different, and each gets a multiple. How many there are, and each of the
multiples, comes from a table of weights.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Final, Protocol, TypeVar

from croupier.rules.geometry import Pocket
from croupier.rules.refusal import ClauseId

#: What a straight up on each drawn number pays, to one.
Multiples = Mapping[Pocket, int]
NO_MULTIPLES: Final[Multiples] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class NumberCount:
    """How many numbers may be drawn, and the weight of that."""

    numbers: int
    weight: int


@dataclass(frozen=True, slots=True)
class Multiple:
    """What a straight up on a drawn number may pay, to one, and the weight of that."""

    pays: int
    weight: int


class Weighted(Protocol):
    """An entry of a table of weights."""

    @property
    def weight(self) -> int: ...


Entry = TypeVar("Entry", bound=Weighted)


@dataclass(frozen=True, slots=True)
class Multipliers:
    """The clause on multiples, how many numbers are drawn, and what they may pay."""

    clause: ClauseId
    counts: tuple[NumberCount, ...]
    multiples: tuple[Multiple, ...]

    @property
    def most(self) -> int:
        """The highest multiple."""
        return max(each.pays for each in self.multiples)

    @property
    def mean_numbers(self) -> Fraction:
        """How many numbers are drawn on average."""
        return Fraction(sum(each.numbers * each.weight for each in self.counts), total_weight(self.counts))

    @property
    def mean_pays(self) -> Fraction:
        """What a drawn number pays on average."""
        return Fraction(sum(each.pays * each.weight for each in self.multiples), total_weight(self.multiples))

    def allows(self, drawn: Multiples, order: Sequence[Pocket]) -> bool:
        """Check whether these multiples can be drawn on a wheel."""
        counts = {each.numbers for each in self.counts if each.weight}
        paid = {each.pays for each in self.multiples if each.weight}
        return len(drawn) in counts and drawn.keys() <= set(order) and paid >= set(drawn.values())

    def drawn(self, order: Sequence[Pocket], words: Iterator[int]) -> dict[Pocket, int]:
        """Draw the numbers and their multiples from random bytes: how many, then each number and its multiple."""
        left, found = list(order), dict[Pocket, int]()
        for _ in range(pick(self.counts, words).numbers):
            pocket = left.pop(below(len(left), words))
            found[pocket] = pick(self.multiples, words).pays
        return found


def total_weight(entries: Sequence[Weighted]) -> int:
    return sum(each.weight for each in entries)


def pick(entries: Sequence[Entry], words: Iterator[int]) -> Entry:
    """Choose an entry of a table of weights by random bytes."""
    left = below(total_weight(entries), words)
    for entry in entries:
        left -= entry.weight
        if left < 0:
            return entry
    raise AssertionError(entries)


def multiples_text(multiples: Multiples) -> str:
    """Write drawn numbers and their multiples, in the order of the draw."""
    return ", ".join(f"{pocket} x{pays}" for pocket, pays in multiples.items()) or "none"


_WORD: Final = 256


def below(count: int, words: Iterator[int]) -> int:
    """Choose a number below a count by random bytes, each with the same probability.

    As few bytes as have so many values make a word, the most significant first. Words that would favour some numbers
    are rejected.
    """
    assert count > 0
    values = _WORD
    while values < count:
        values *= _WORD
    fair = values - values % count
    while True:
        word, drawn = 0, 1
        while drawn < values:
            word, drawn = word * _WORD + next(words), drawn * _WORD
        if word < fair:
            return word % count
