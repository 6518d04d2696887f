"""The clock: microseconds that never go back, whatever anybody does to the wall clock."""

import time
from typing import Final, Protocol

from croupier.house.name import Instant

NANOSECONDS: Final = 1_000


class Clock(Protocol):
    """Tells the time to the engine."""

    def now(self) -> Instant:
        """Tell the house's time, which never goes back."""
        ...

    def wall(self) -> Instant:
        """Tell what the clock on the wall says, which may be anything."""
        ...


class SystemClock:
    """The wall clock as it was at the start, and the time that has gone by since; never before a given instant."""

    def __init__(self, since: Instant) -> None:
        self._began = time.monotonic_ns()
        self._base = max(self.wall(), since)

    def now(self) -> Instant:
        return Instant(self._base + (time.monotonic_ns() - self._began) // NANOSECONDS)

    def wall(self) -> Instant:
        return Instant(time.time_ns() // NANOSECONDS)
