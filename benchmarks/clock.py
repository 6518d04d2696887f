"""A stopwatch for benchmarks: several things measured in turns, so that a noisy machine is noisy for all of them."""

import statistics
from collections.abc import Callable, Mapping
from time import perf_counter_ns


def race(runners: Mapping[str, Callable[[], object]], *, rounds: int) -> dict[str, float]:
    """Run each in turn for so many rounds; give each one's median in microseconds."""
    times: dict[str, list[int]] = {name: [] for name in runners}
    for _ in range(rounds):
        for name, runner in runners.items():
            begin = perf_counter_ns()
            runner()
            times[name].append(perf_counter_ns() - begin)
    return {name: statistics.median(measured) / 1000 for name, measured in times.items()}
