"""`croupier` with a watchdog on its event loop that logs every long pause to a file."""

import os
import time
from asyncio import AbstractEventLoop

import uvloop

from croupier.cli import main

#: The environment variable with the file; a line has the end of a pause, its length and the processor time in it.
PAUSES = "CROUPIER_PAUSES"
#: How often the watchdog runs, in seconds, and the shortest pause that is logged.
EVERY, LEAST = 0.001, 0.005


class Watchdog:
    """Runs on the loop every millisecond, and logs when it runs late."""

    def __init__(self, loop: AbstractEventLoop, path: str) -> None:
        self._loop, self._file = loop, open(path, "w", buffering=1, encoding="utf-8")  # noqa: PTH123, SIM115 - kept open
        self._at, self._used = time.monotonic(), time.thread_time()
        loop.call_soon(self._check)

    def _check(self) -> None:
        now, used = time.monotonic(), time.thread_time()
        pause = now - self._at - EVERY
        if pause >= LEAST:
            self._file.write(f"{now} {pause} {used - self._used}\n")
        self._at, self._used = now, used
        self._loop.call_later(EVERY, self._check)


def watched() -> AbstractEventLoop:
    loop = _new_event_loop()
    Watchdog(loop, os.environ[PAUSES])
    return loop


_new_event_loop = uvloop.new_event_loop

if __name__ == "__main__":
    uvloop.new_event_loop = watched  # type: ignore[assignment]
    main()
