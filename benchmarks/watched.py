"""`croupier` with a watchdog on its event loop that logs every long pause to a file."""

import gc
import os
import sys
import threading
import time
from asyncio import AbstractEventLoop
from itertools import islice
from types import FrameType

import uvloop

from croupier.cli import main
from croupier.server.auth.sessions import Argon2Hasher, HashCost

#: The environment variable with the file; a line has the end of a pause, its length and the processor time in it.
PAUSES = "CROUPIER_PAUSES"
#: Set, it names a file for the stacks of long pauses. A thread takes them, which makes the pauses longer.
STACKS = "CROUPIER_PAUSE_STACKS"
#: How often the watchdog runs, in seconds, and the shortest pause that is logged.
EVERY, LEAST = 0.001, 0.002
#: A stack is taken once a pause has lasted so long, in seconds, and so many functions of it.
SAMPLED_AFTER, DEPTH = 0.008, 14


class Watchdog:
    """Runs on the loop every millisecond, and logs when it runs late."""

    def __init__(self, loop: AbstractEventLoop, path: str) -> None:
        self._loop, self._file = loop, open(path, "w", buffering=1, encoding="utf-8")  # noqa: PTH123, SIM115 - kept open
        self.at, self._used = time.monotonic(), time.thread_time()
        loop.call_soon(self._check)

    def _check(self) -> None:
        now, used = time.monotonic(), time.thread_time()
        pause = now - self.at - EVERY
        if pause >= LEAST:
            self._file.write(f"{now} {pause} {used - self._used}\n")
        self.at, self._used = now, used
        self._loop.call_later(EVERY, self._check)


def sample(watchdog: Watchdog, path: str) -> None:
    """Log the stack of the event loop's thread in every long pause, a few times."""
    main_thread = threading.main_thread().ident
    assert main_thread is not None
    with open(path, "w", buffering=1, encoding="utf-8") as file:  # noqa: PTH123 - kept open
        while True:
            time.sleep(0.002)
            late = time.monotonic() - watchdog.at - EVERY
            if late > SAMPLED_AFTER:
                frame = sys._current_frames().get(main_thread)  # noqa: SLF001 - the documented name
                file.write(f"{time.monotonic()} {late * 1_000:.0f} {' < '.join(islice(_functions(frame), DEPTH))}\n")


def _functions(frame: FrameType | None) -> "islice[str] | list[str]":
    names: list[str] = []
    while frame is not None:
        names.append(f"{os.path.basename(frame.f_code.co_filename)}:{frame.f_lineno}:{frame.f_code.co_name}")  # noqa: PTH119
        frame = frame.f_back
    return names


def watched() -> AbstractEventLoop:
    loop = _new_event_loop()
    watchdog = Watchdog(loop, os.environ[PAUSES])
    if stacks := os.environ.get(STACKS):
        threading.Thread(target=sample, args=(watchdog, stacks), daemon=True).start()
        gc.callbacks.append(CollectionLog(f"{stacks}.gc").note)
    return loop


class CollectionLog:
    """Logs the garbage collections that took long."""

    def __init__(self, path: str) -> None:
        self._file, self._began = open(path, "w", buffering=1, encoding="utf-8"), 0.0  # noqa: PTH123, SIM115 - kept open

    def note(self, phase: str, info: dict[str, int]) -> None:
        now = time.monotonic()
        if phase == "stop" and now - self._began > LEAST:
            generation, collected = info["generation"], info["collected"]
            self._file.write(f"{now} {(now - self._began) * 1_000:.1f} {generation} {collected}\n")
        self._began = now


_new_event_loop = uvloop.new_event_loop

if __name__ == "__main__":
    # A hundred sign-ins at the full cost take half a minute.
    Argon2Hasher.__init__.__defaults__ = (HashCost(1, 8, 1),)
    uvloop.new_event_loop = watched  # type: ignore[assignment]
    main()
