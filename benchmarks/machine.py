"""The machine: cores, processes, disk, statistics and measurements in turns."""

import os
import platform
import re
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from time import perf_counter, perf_counter_ns
from typing import Final, NamedTuple, Self


class BenchmarkError(Exception):
    """A measurement failed: a server did not start, closed a connection, or sent what it must not."""


def percentile(ordered: Sequence[float], percent: float) -> float:
    """Compute a percentile of sorted figures, by the nearest rank."""
    assert ordered
    # Always one of the figures.
    rank = -(-len(ordered) * percent // 100)
    return ordered[max(0, int(rank) - 1)]


class Spread(NamedTuple):
    """The figures of several rounds: their median, which is one of them, the least and the most."""

    median: float
    least: float
    most: float

    @classmethod
    def of(cls, figures: Iterable[float]) -> Self:
        found = list(figures)
        return cls(statistics.median_low(found), min(found), max(found))


#: The benchmarks are not in the wheel.
CHECKOUT: Final = Path(__file__).parents[1]
_TICK: Final = os.sysconf("SC_CLK_TCK")
#: Files that a process has open besides its sockets.
SPARE: Final = 200
#: File systems in memory: a commit there is not durable.
IN_MEMORY: Final = ("tmpfs", "ramfs")


@dataclass(frozen=True, slots=True)
class Cores:
    """The cores of the servers and of the load client: separate, if there are two or more."""

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

    def use_client(self) -> None:
        """Run on the client's core from now on."""
        os.sched_setaffinity(0, self.client)


def allow_files(count: int) -> int:
    """Raise the limit of open files for this process and its children; return the limit."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft >= count:
        return soft
    for bound in (max(hard, count), hard):
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (min(count, bound), bound))
        except (ValueError, OSError):
            # Only a privileged process may raise the hard limit.
            continue
        break
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]


@dataclass(frozen=True, slots=True)
class Busy:
    """The processor time of all processes so far, and what the hypervisor took, in seconds."""

    used: float
    stolen: float

    @classmethod
    def now(cls) -> Self:
        fields = [int(field) for field in Path("/proc/stat").read_text("utf-8").split("\n", 1)[0].split()[1:9]]
        user, nice, system, _idle, _waiting, _irq, _softirq, steal = fields
        return cls((user + nice + system) / _TICK, steal / _TICK)


def filesystem(path: Path) -> str:
    """Name the type of the file system of a directory."""
    best, kind = -1, "unknown"
    for line in Path("/proc/mounts").read_text("utf-8").splitlines():
        _, mounted, found, *_ = line.split()
        point = Path(mounted)
        if path.absolute().is_relative_to(point) and len(point.parts) > best:
            best, kind = len(point.parts), found
    return kind


def flush_ms(directory: Path, count: int = 200) -> tuple[float, float]:
    """Write 4 KiB to the disk so many times, each flushed; return the median and the 99th percentile."""
    block, took = os.urandom(4096), []
    path = directory / "flush"
    with path.open("wb", buffering=0) as file:
        for _ in range(count):
            begin = perf_counter()
            file.write(block)
            os.fdatasync(file.fileno())
            took.append((perf_counter() - begin) * 1000)
    path.unlink()
    took.sort()
    return percentile(took, 50), percentile(took, 99)


def describe() -> dict[str, str | int]:
    """Describe this machine."""
    model = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text("utf-8"), re.MULTILINE)
    return {
        "cores": len(os.sched_getaffinity(0)),
        "processor": model[1] if model else platform.machine(),
        "kernel": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "load": f"{os.getloadavg()[0]:.2f}",
        "packages": ", ".join(f"{name} {version(name)}" for name in ("picows", "uvloop", "msgspec", "apsw")),
    }


_ADDRESS: Final = re.compile(r"\b(127\.0\.0\.1):(\d{1,5})\b")
_PROCESS_TICK: Final = os.sysconf("SC_CLK_TCK")
#: How long a server may take to start and to stop, in seconds.
START_MAX: Final = 120
STOP_MAX: Final = 30
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
    """Run a module as a server on the server's cores, and stop it in the end."""
    searched = os.pathsep.join(filter(None, (str(CHECKOUT), os.environ.get("PYTHONPATH"))))
    with output.open("wb") as written, cores.of_server():
        process = subprocess.Popen(  # noqa: S603 - our own modules
            [python, "-P", "-m", module, *arguments],
            stdout=written,
            stderr=written,
            stdin=subprocess.DEVNULL,
            cwd=folder,
            env={**os.environ, "PYTHONPATH": searched},
        )
    try:
        yield Server(process.pid, _address(process, output))
    finally:
        _stop(process)


def _address(process: "subprocess.Popen[bytes]", output: Path) -> Address:
    """Wait until a server prints its address."""
    give_up = time.monotonic() + START_MAX
    while time.monotonic() < give_up:
        found = _ADDRESS.search(output.read_text("utf-8", "replace"))
        if found is not None:
            return Address(found[1], int(found[2]))
        if process.poll() is not None:
            break
        time.sleep(_LOOK_EVERY)
    printed = output.read_text("utf-8", "replace").strip().splitlines()[-8:]
    raise BenchmarkError("\n".join(["a server did not start:", *(printed or ["it printed nothing"])]))


def _stop(process: "subprocess.Popen[bytes]") -> None:
    process.terminate()
    try:
        process.wait(STOP_MAX)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def cpu_s(pid: int) -> float:
    """Read the processor time of a process, user and system, of all its threads."""
    # The name of the program is in brackets, and may contain brackets.
    fields = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()
    user, system = int(fields[11]), int(fields[12])
    return (user + system) / _PROCESS_TICK


def resident(pid: int) -> int:
    """Read the resident memory of a process, in bytes."""
    found = re.search(r"^VmRSS:\s+(\d+) kB$", Path(f"/proc/{pid}/status").read_text("utf-8"), re.MULTILINE)
    return 0 if found is None else int(found[1]) * 1024


def race(runners: Mapping[str, Callable[[], object]], *, rounds: int) -> dict[str, float]:
    """Run each in turn for so many rounds, every other round in reverse; return each median in microseconds."""
    times: dict[str, list[int]] = {name: [] for name in runners}
    for turn in range(rounds):
        names = list(runners)
        for name in names if turn % 2 else reversed(names):
            begin = perf_counter_ns()
            runners[name]()
            times[name].append(perf_counter_ns() - begin)
    return {name: statistics.median(measured) / 1000 for name, measured in times.items()}
