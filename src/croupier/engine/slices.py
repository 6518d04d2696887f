"""Slices: long work shares the event loop; each part keeps it for one budget of time, and the rest goes on later."""

from asyncio import get_running_loop
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Final

#: How long one part of long work keeps the event loop, in microseconds; it ends with the step that exceeds this.
SLICE_US: Final = 4_000
#: So many bets, deltas or reads are one step: pauses after each of them took a twelfth of a bet's time.
SMALL_STEPS: Final = 16

#: Returns the time in microseconds, by a clock that never goes back.
Now = Callable[[], int]


def sliced(work: Iterable[object], now: Now) -> Iterator[None]:
    """Do work step by step, and pause whenever it has used its budget: its caller goes on when it has time again."""
    ends = now() + SLICE_US
    for _ in work:
        if now() >= ends:
            yield
            ends = now() + SLICE_US


class Slicer:
    """Runs calls on the event loop in their order, for one budget in each of its iterations.

    A call that comes while there is time runs at once; a later one waits for the next iteration. Long work is a call
    that does one step and then passes itself on again.
    """

    def __init__(self, now: Now) -> None:
        self._now = now
        self._waiting: deque[Callable[[], object]] = deque()
        #: When the slice of this iteration ends; None while no call has run in it.
        self._ends: int | None = None
        self._running = False

    def run(self, call: Callable[[], object]) -> None:
        """Run a call after those that wait, now or in a later iteration."""
        self._waiting.append(call)
        if self._ends is None:
            self._begin()
        elif not self._running and self._now() < self._ends:
            self._run_some(self._ends)

    def _begin(self) -> None:
        """Begin the slice of an iteration, unless nothing waits."""
        self._ends = None
        if self._waiting:
            self._ends = self._now() + SLICE_US
            get_running_loop().call_soon(self._begin)
            self._run_some(self._ends)

    def _run_some(self, ends: int) -> None:
        self._running = True
        try:
            self._waiting.popleft()()
            while self._waiting and self._now() < ends:
                self._waiting.popleft()()
        finally:
            self._running = False
