"""A watched server: `croupier` with a watchdog on its event loop that writes every long pause into a file."""

import os
import time
from asyncio import AbstractEventLoop

import uvloop

from croupier.cli import main

#: Names the file; a line has the moment at which a pause ended, how long it was and how much of it was our own work.
PAUSES = "CROUPIER_PAUSES"
#: How often the loop is looked at, in seconds, and the shortest pause that is written.
EVERY, LEAST = 0.001, 0.005


class Watchdog:
    """Rings on the loop all the time, and notes when it could not."""

    def __init__(self, loop: AbstractEventLoop, path: str) -> None:
        self._loop, self._file = loop, open(path, "w", buffering=1, encoding="utf-8")  # noqa: PTH123, SIM115 - kept open
        self._at, self._used = time.monotonic(), time.thread_time()
        loop.call_soon(self._ring)

    def _ring(self) -> None:
        now, used = time.monotonic(), time.thread_time()
        pause = now - self._at - EVERY
        if pause >= LEAST:
            self._file.write(f"{now} {pause} {used - self._used}\n")
        self._at, self._used = now, used
        self._loop.call_later(EVERY, self._ring)


def watched() -> AbstractEventLoop:
    loop = _new_event_loop()
    Watchdog(loop, os.environ[PAUSES])
    return loop


_new_event_loop = uvloop.new_event_loop

if __name__ == "__main__":
    uvloop.new_event_loop = watched  # type: ignore[assignment]
    main()
