"""Alternating measurements: several functions timed in turns, so that noise affects all of them."""

import statistics
from collections.abc import Callable, Mapping
from time import perf_counter_ns


def race(runners: Mapping[str, Callable[[], object]], *, rounds: int) -> dict[str, float]:
    """Run each in turn for so many rounds, every other round in reverse; return each median in microseconds."""
    times: dict[str, list[int]] = {name: [] for name in runners}
    for turn in range(rounds):
        names = list(runners)
        for name in names if turn % 2 else reversed(names):
            begin = perf_counter_ns()
            runners[name]()
            times[name].append(perf_counter_ns() - begin)
    return {name: statistics.median(measured) / 1000 for name, measured in times.items()}
