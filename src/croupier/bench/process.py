"""Servers as processes of their own: started, found by the address they print, watched through /proc, and stopped."""

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from croupier.bench.fault import BenchFault
from croupier.bench.machine import Cores

_ADDRESS: Final = re.compile(r"\b(127\.0\.0\.1):(\d{1,5})\b")
_TICK: Final = os.sysconf("SC_CLK_TCK")
#: How long a server may take to start and to stop, in seconds.
START_MOST: Final = 120
STOP_MOST: Final = 30
_LOOK_EVERY: Final = 0.02


class Address(NamedTuple):
    """Where a server listens."""

    host: str
    port: int


@dataclass(frozen=True, slots=True)
class Server:
    """A server that runs."""

    pid: int
    address: Address

    def cpu_s(self) -> float:
        return cpu_s(self.pid)

    def resident(self) -> int:
        return resident(self.pid)


@contextmanager
def running(
    module: str, *arguments: str, output: Path, cores: Cores, python: str = sys.executable, folder: Path | None = None
) -> Iterator[Server]:
    """Run a module as a server on the server's cores, until it is no longer needed."""
    with output.open("wb") as written, cores.of_server():
        process = subprocess.Popen(  # noqa: S603 - our own modules
            [python, "-m", module, *arguments], stdout=written, stderr=written, stdin=subprocess.DEVNULL, cwd=folder
        )
    try:
        yield Server(process.pid, _address(process, output))
    finally:
        _stop(process)


def _address(process: "subprocess.Popen[bytes]", output: Path) -> Address:
    """Wait for the line in which a server says where it listens."""
    give_up = time.monotonic() + START_MOST
    while time.monotonic() < give_up:
        found = _ADDRESS.search(output.read_text("utf-8", "replace"))
        if found is not None:
            return Address(found[1], int(found[2]))
        if process.poll() is not None:
            break
        time.sleep(_LOOK_EVERY)
    said = output.read_text("utf-8", "replace").strip().splitlines()[-8:]
    raise BenchFault("\n".join(["a server did not start:", *(said or ["it said nothing"])]))


def _stop(process: "subprocess.Popen[bytes]") -> None:
    process.terminate()
    try:
        process.wait(STOP_MOST)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def cpu_s(pid: int) -> float:
    """The time that all threads of a process have spent on a core so far, its own and the kernel's for it."""
    # The name of the program stands in brackets and may hold anything, brackets too.
    fields = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()
    user, system = int(fields[11]), int(fields[12])
    return (user + system) / _TICK


def resident(pid: int) -> int:
    """The memory that a process holds, in bytes."""
    found = re.search(r"^VmRSS:\s+(\d+) kB$", Path(f"/proc/{pid}/status").read_text("utf-8"), re.MULTILINE)
    return 0 if found is None else int(found[1]) * 1024
