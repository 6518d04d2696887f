"""Closed and open loop loads."""

import os
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter, perf_counter_ns
from typing import Final

from benchmarks.load_client import EVENTS, PATIENCE, LoadClient
from benchmarks.machine import BenchFault, Busy, Server, cpu_s, percentile
from benchmarks.systems import System, Workplace, crowded
from croupier.client.blocking import MOST, BlockingConnection

#: A client with so much of a core, while its server has less than that, is what limits the rate.
CLIENT_FULL: Final = 0.95
SERVER_FULL: Final = 0.90
#: More than this share of a core for others, and a round is disturbed.
OTHERS_MAX: Final = 0.10


@dataclass(frozen=True, slots=True)
class Shares:
    """What was used over a time, in shares of one core."""

    seconds: float
    server: float
    client: float
    others: float

    @property
    def limited(self) -> bool:
        """Whether the client had no more to give while the server still had."""
        return self.client >= CLIENT_FULL and self.server < SERVER_FULL

    @property
    def disturbed(self) -> bool:
        return self.others > OTHERS_MAX


class Watch:
    """Begins when it is made."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._begin, self._used = perf_counter(), self._read()

    def _read(self) -> tuple[float, float, float]:
        busy = Busy.now()
        return self._server.cpu_s(), cpu_s(os.getpid()), busy.used + busy.stolen

    def stop(self) -> Shares:
        seconds = perf_counter() - self._begin
        server, client, used = (now - then for now, then in zip(self._read(), self._used, strict=True))
        others = max(0.0, used - server - client)
        return Shares(seconds, server / seconds, client / seconds, others / seconds)


NS: Final = 1_000_000_000
#: More answers in a second than any server here gives: room for their times is made beforehand.
RATE_MAX: Final = 400_000


@dataclass(frozen=True, slots=True)
class Answered:
    """What came of a load: each answer's time in nanoseconds in order, those never given, and who used how much."""

    times: list[int]
    #: How many of them came within the time that was watched.
    in_time: int
    unanswered: int
    shares: Shares


def closed_loop(crowd: LoadClient, server: Server, seconds: float) -> Answered:
    """Keep one command under way on every line for so long, then wait for the last answers."""
    times = array("q", bytes(8 * (int(RATE_MAX * seconds) + 2 * len(crowd.lines))))
    clock, poll, by_fd = perf_counter_ns, crowd.epoll.poll, crowd.by_fd
    count, in_time, under_way, shares = 0, 0, len(crowd.lines), None
    watch, now = Watch(server), clock()
    end, give_up = now + int(seconds * NS), now + int((seconds + PATIENCE) * NS)
    for line in crowd.lines:
        line.asked += 1
        line.asked_at = clock()
        line.send(line.ask % line.asked)
    while under_way and clock() < give_up:
        for fd, _ in poll(PATIENCE, EVENTS):
            line = by_fd[fd]
            data = line.recv(MOST)
            now = clock()
            if line.heard(data) < line.asked and line.asked not in line.turned_down:
                continue
            times[count] = now - line.asked_at
            count += 1
            if now < end:
                line.asked += 1
                line.asked_at = now
                line.send(line.ask % line.asked)
                continue
            if shares is None:
                shares, in_time = watch.stop(), count
            under_way -= 1
    for line in crowd.lines:
        line.turned_down.clear()
        line.answered = line.asked
    return Answered(sorted(times[:count]), in_time or count, under_way, shares or watch.stop())


US: Final = 1_000_000  # in a second
_NS_TO_MS: Final = 1_000_000
#: Later than this by its own timetable, in milliseconds, and it is the client that holds a load down.
LATE_MAX: Final = 1.0


@dataclass(frozen=True, slots=True)
class Load:
    """What one load came to."""

    #: Commands in a second; nothing where everybody asked as fast as they were answered.
    offered: int
    answered: int
    refused: int
    unanswered: int
    per_s: float
    p50_ms: float
    p99_ms: float
    most_ms: float
    #: What the server spent on a command, its own time and the kernel's for it; and the client.
    server_us: float
    client_us: float
    #: Shares of one core.
    server: float
    client: float
    others: float
    #: How late the client was by its own timetable, at the 99th percentile.
    late_ms: float
    #: Whether it was the client that held the rate down.
    limited: bool
    #: Whether somebody else used the machine meanwhile.
    disturbed: bool


def load_of(found: Answered, *, refused: int = 0, offered: int = 0, late: Sequence[int] = (0,)) -> Load:
    """Work out what a load came to."""
    times, shares = found.times, found.shares
    sent = max(1, found.in_time)
    late_ms = percentile(late, 99) / _NS_TO_MS
    return Load(
        offered=offered,
        answered=len(times),
        refused=refused,
        unanswered=found.unanswered,
        per_s=found.in_time / shares.seconds,
        p50_ms=percentile(times, 50) / _NS_TO_MS if times else 0.0,
        p99_ms=percentile(times, 99) / _NS_TO_MS if times else 0.0,
        most_ms=times[-1] / _NS_TO_MS if times else 0.0,
        server_us=shares.server * shares.seconds * US / sent,
        client_us=shares.client * shares.seconds * US / sent,
        server=shares.server,
        client=shares.client,
        others=shares.others,
        late_ms=late_ms,
        # Under an offered load the client never rests: there it shows in how late it is.
        limited=late_ms > LATE_MAX if offered else shares.limited,
        disturbed=shares.disturbed,
    )


#: How many commands that are due leave before the client looks at what has come.
STRETCH: Final = 32
_NEVER: Final = -1


@dataclass(slots=True)
class Timetable:
    """When each command is due: one after the other, on each line in turn."""

    begin: int
    rate: int
    count: int
    lines: list[BlockingConnection]

    def due(self, number: int) -> int:
        return self.begin + number * NS // self.rate


@dataclass(frozen=True, slots=True)
class Offered:
    """What came of an offered load, and how late the client itself was with each command."""

    answered: Answered
    late: list[int]


class Offer:
    """One offered load under way."""

    def __init__(self, crowd: LoadClient, timetable: Timetable) -> None:
        self._crowd, self._timetable = crowd, timetable
        self._times = array("q", [_NEVER]) * timetable.count
        self._late = array("q", [0]) * timetable.count
        self._sent = self._answered = 0
        #: The number of each line's last command before this load.
        self._before = [line.asked for line in crowd.lines]

    def run(self, server: Server) -> Offered:
        """Send everything when it is due, and wait for the last answers."""
        watch, table = Watch(server), self._timetable
        while self._sent < table.count:
            self._send()
            # Not to wait: the kernel's timer is coarser than the timetable, and this core has nothing else to do.
            self._receive(0)
        give_up = perf_counter_ns() + int(PATIENCE * NS)
        while self._answered < table.count and perf_counter_ns() < give_up:
            self._receive(1)
        shares = watch.stop()
        times = sorted(time for time in self._times if time != _NEVER)
        unanswered = table.count - len(times)
        return Offered(Answered(times, len(times), unanswered, shares), sorted(self._late))

    def _send(self) -> None:
        table, clock = self._timetable, perf_counter_ns
        for number in range(self._sent, min(self._sent + STRETCH, table.count)):
            due = table.due(number)
            if clock() < due:
                return
            line = table.lines[number % len(table.lines)]
            line.asked += 1
            line.send(line.ask % line.asked)
            self._late[number] = clock() - due
            self._sent = number + 1

    def _receive(self, wait: float) -> None:
        for fd, _ in self._crowd.epoll.poll(wait, EVENTS):
            line = self._crowd.by_fd[fd]
            data = line.recv(MOST)
            now = perf_counter_ns()
            last = min(line.heard(data), line.asked)
            if line.turned_down:
                for command in line.turned_down:
                    self._note(line, command, now)
                line.turned_down.clear()
            while line.answered < last:
                line.answered += 1
                self._note(line, line.answered, now)

    def _note(self, line: BlockingConnection, command: int, now: int) -> None:
        """Time an answer, once: a command that was turned down is behind the next one that is answered."""
        lines = self._timetable.lines
        number = (command - self._before[line.place] - 1) * len(lines) + line.place
        if self._times[number] == _NEVER:
            self._times[number] = now - self._timetable.due(number)
            self._answered += 1


def offered_load(crowd: LoadClient, server: Server, *, rate: int, count: int, begin: int | None = None) -> Offered:
    """Offer so many commands at so many in a second, from now on or from a given moment."""
    start = perf_counter_ns() if begin is None else begin
    return Offer(crowd, Timetable(start, rate, count, crowd.lines)).run(server)


@dataclass(frozen=True, slots=True)
class LoadPlan:
    """How long each load lasts, and which rates are offered."""

    warm_s: float
    closed_s: float
    offered_s: float
    offered: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class SystemRun:
    """What came of one stay with a system."""

    system: str
    clients: int
    closed: Load
    offered: tuple[Load, ...]
    #: The memory that the server took for each terminal that is connected and idle, in bytes.
    memory: int
    #: Bets that were acknowledged in all, and bets found on the disk afterwards; None where nothing is kept.
    acknowledged: int
    kept: int | None


def stay(system: System, clients: int, course: LoadPlan, workplace: Workplace) -> SystemRun:
    """Start a system, bring a crowd in, measure, and look at what is on the disk in the end."""
    with workplace.room() as room:
        with system.open(clients, room, workplace.cores) as scene:
            before = scene.server.resident()
            with crowded(scene.server, scene.client_protocol, clients) as crowd:
                crowd.quieten()
                memory = (scene.server.resident() - before) // clients
                scene.begin(crowd)
                closed, offered, acknowledged = _loaded(crowd, scene.server, course)
        kept = system.kept(room)
    if kept is not None and kept < acknowledged:
        raise BenchFault(f"{system.name} acknowledged {acknowledged} bets and kept {kept}")
    return SystemRun(system.name, clients, closed, offered, memory, acknowledged, kept)


def _loaded(crowd: LoadClient, server: Server, course: LoadPlan) -> tuple[Load, tuple[Load, ...], int]:
    """Run every load; give what each came to, and how many bets were acknowledged."""
    warm = closed_loop(crowd, server, course.warm_s)
    refused = _refused(crowd)
    acknowledged = len(warm.times) - refused
    loads = []
    for rate in (0, *course.offered):
        if rate:
            found = offered_load(crowd, server, rate=rate, count=int(rate * course.offered_s))
            answered, late = found.answered, found.late
        else:
            answered, late = closed_loop(crowd, server, course.closed_s), [0]
        before, refused = refused, _refused(crowd)
        loads.append(load_of(answered, refused=refused - before, offered=rate, late=late))
        acknowledged += len(answered.times) - (refused - before)
    return loads[0], tuple(loads[1:]), acknowledged


def _refused(crowd: LoadClient) -> int:
    return sum(len(line.refused) for line in crowd.lines)
