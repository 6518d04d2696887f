"""The timekeeper: the house's clock, and alarms that ring when it has come to an instant."""

import asyncio
from collections.abc import Callable
from typing import Final, Protocol

from croupier.engine.clock import Clock, SystemClock
from croupier.house.name import SECOND, Instant

#: By how much the loop's own alarms may ring too early.
EARLY: Final = SECOND // 1_000


class Alarm(Protocol):
    """Something that will ring, unless it is called off."""

    def cancel(self) -> object: ...


class Timekeeper(Clock, Protocol):
    """Tells the time, and rings when it has come."""

    def at(self, instant: Instant, ring: Callable[[], None]) -> Alarm:
        """Ring at an instant; soon, where it is past."""
        ...


class LoopTimekeeper(SystemClock):
    """The time of this machine, with alarms on the running loop."""

    def at(self, instant: Instant, ring: Callable[[], None]) -> Alarm:
        # The loop counts in whole milliseconds, and may ring within one of them too early.
        ahead = max(0, instant - self.now()) + EARLY
        return asyncio.get_running_loop().call_later(ahead / SECOND, ring)
