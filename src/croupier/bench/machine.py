"""The machine: its cores and who gets which, how many files may be open, what else runs on it, and what its disk is."""

import os
import platform
import re
import resource
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from time import perf_counter
from typing import Final, Self

from croupier.bench.spread import percentile

_TICK: Final = os.sysconf("SC_CLK_TCK")
#: Files that a process has open besides its sockets.
SPARE: Final = 200
#: What keeps files in memory: a commit there costs nothing, and is worth nothing.
IN_MEMORY: Final = ("tmpfs", "ramfs")


@dataclass(frozen=True, slots=True)
class Cores:
    """Which cores the servers and the load client run on: apart, where there are two or more."""

    server: frozenset[int]
    client: frozenset[int]

    @classmethod
    def here(cls) -> Self:
        return cls.among(os.sched_getaffinity(0))

    @classmethod
    def among(cls, cores: Iterable[int]) -> Self:
        """Give the client one core, and the servers the others."""
        *others, last = sorted(cores)
        return cls(frozenset(others or [last]), frozenset([last]))

    @contextmanager
    def of_server(self) -> Iterator[None]:
        """Start processes on the server's cores: they inherit them."""
        before = os.sched_getaffinity(0)
        os.sched_setaffinity(0, self.server)
        yield
        os.sched_setaffinity(0, before)

    def take_client(self) -> None:
        """Stay on the client's core from now on."""
        os.sched_setaffinity(0, self.client)


def allow_files(wanted: int) -> int:
    """Let this process and those it starts open so many files; give how many it may."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft >= wanted:
        return soft
    for bound in (max(hard, wanted), hard):
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (min(wanted, bound), bound))
        except (ValueError, OSError):
            # Only who may raise the hard limit too gets beyond it.
            continue
        break
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]


@dataclass(frozen=True, slots=True)
class Busy:
    """What all processes together have used so far, and what the host took away from this machine, in seconds."""

    used: float
    stolen: float

    @classmethod
    def now(cls) -> Self:
        fields = [int(field) for field in Path("/proc/stat").read_text("utf-8").split("\n", 1)[0].split()[1:9]]
        user, nice, system, _idle, _waiting, _irq, _softirq, steal = fields
        return cls((user + nice + system) / _TICK, steal / _TICK)


def filesystem(path: Path) -> str:
    """Name the kind of file system that a directory lies on."""
    best, kind = -1, "unknown"
    for line in Path("/proc/mounts").read_text("utf-8").splitlines():
        _, mounted, found, *_ = line.split()
        point = Path(mounted)
        if path.absolute().is_relative_to(point) and len(point.parts) > best:
            best, kind = len(point.parts), found
    return kind


def flush_ms(folder: Path, count: int = 200) -> tuple[float, float]:
    """Write 4 KiB to the disk so many times, each flushed before the next; give the median and the 99th percentile."""
    block, took = os.urandom(4096), []
    path = folder / "flush"
    with path.open("wb", buffering=0) as file:
        for _ in range(count):
            begin = perf_counter()
            file.write(block)
            os.fdatasync(file.fileno())
            took.append((perf_counter() - begin) * 1000)
    path.unlink()
    took.sort()
    return percentile(took, 50), percentile(took, 99)


def described() -> dict[str, str | int]:
    """Say what this machine is."""
    model = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text("utf-8"), re.MULTILINE)
    return {
        "cores": len(os.sched_getaffinity(0)),
        "processor": model[1] if model else platform.machine(),
        "kernel": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "load": f"{os.getloadavg()[0]:.2f}",
        "packages": ", ".join(f"{name} {version(name)}" for name in ("picows", "uvloop", "msgspec", "apsw")),
    }
