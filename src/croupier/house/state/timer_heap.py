"""The timer heap: when each table and terminal next needs a tick, the earliest first; derived from the state."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import IntEnum
from heapq import heapify, heappop, heappush
from typing import Final, NamedTuple

from croupier.house.ids import Instant


class TimerKind(IntEnum):
    """The purpose of a timer. Of the timers due at one instant, those of the first kind fire first."""

    #: The next step of a table's round; closing bets precedes any malfunction raised at the same instant.
    TABLE = 0
    #: A terminal has been offline for as long as its table permits.
    OFFLINE = 1
    #: The first session at a table without money left ends by itself.
    SESSION = 2
    #: A player's break or own time is over.
    PAUSE = 3


class Timer(NamedTuple):
    """One pending timer; the order of its fields is the order in which timers fire."""

    at: Instant
    kind: TimerKind
    #: The position of a table among the tables; 0 for every other kind, whose timers fire in the order of their names.
    rank: int
    name: str


#: A heap with fewer stale entries than this is not compacted.
_STALE_MIN: Final = 64


@dataclass(slots=True)
class Timers:
    """At most one timer for each kind and name. Rebuilt from the state, so never part of a snapshot or a digest.

    A timer that is replaced or cancelled stays in the heap as a stale entry until it comes to the front, or until
    stale entries outnumber the others. The front is never stale, so that reading it changes nothing.
    """

    _heap: list[Timer] = field(default_factory=list)
    _pending: dict[tuple[TimerKind, str], Timer] = field(default_factory=dict)
    _ranks: dict[str, int] = field(default_factory=dict)

    @property
    def first(self) -> Timer | None:
        """The timer that fires next; its instant may be in the past."""
        return self._heap[0] if self._heap else None

    def due(self, kind: TimerKind, name: str) -> Instant | None:
        """Return when a timer fires."""
        timer = self._pending.get((kind, name))
        return None if timer is None else timer.at

    def schedule(self, kind: TimerKind, name: str, at: Instant | None) -> None:
        """Set a timer, replacing an earlier one of the same kind and name; None cancels it."""
        # The rank is assigned at the first call, even without a timer: tables rank in the order of their creation.
        rank = self._ranks.setdefault(name, len(self._ranks)) if kind is TimerKind.TABLE else 0
        key, pending = (kind, name), self._pending
        was = pending.get(key)
        if was is not None and was.at == at:
            return
        if at is None:
            if was is None:
                return
            del pending[key]
        else:
            pending[key] = timer = Timer(at, kind, rank, name)
            heappush(self._heap, timer)
        if was is not None:
            self._prune()

    def cancel(self, kind: TimerKind, name: str) -> None:
        self.schedule(kind, name, None)

    def pending(self) -> Iterator[Timer]:
        """List every timer, in no particular order."""
        return iter(self._pending.values())

    def _prune(self) -> None:
        """Drop stale entries from the front, and all of them once they outnumber the others."""
        heap, pending = self._heap, self._pending
        if len(heap) > 2 * len(pending) + _STALE_MIN:
            heap[:] = pending.values()
            heapify(heap)
        while heap and pending.get((heap[0].kind, heap[0].name)) is not heap[0]:
            heappop(heap)
