"""Spreads: what is said of many figures. Percentiles are found by sorting all of them, and are never averaged."""

import statistics
from collections.abc import Iterable, Sequence
from typing import NamedTuple, Self


def percentile(ordered: Sequence[float], percent: float) -> float:
    """The least figure that so many per cent of the figures, which come in order, do not exceed."""
    assert ordered
    # The nearest rank: always one of the figures themselves.
    rank = -(-len(ordered) * percent // 100)
    return ordered[max(0, int(rank) - 1)]


class Spread(NamedTuple):
    """Several rounds' figures as one: the middle one of those seen, and how far they lie apart."""

    median: float
    least: float
    most: float

    @classmethod
    def of(cls, figures: Iterable[float]) -> Self:
        found = list(figures)
        return cls(statistics.median_low(found), min(found), max(found))
