"""Loads: closed-loop and offered, a broadcast, a last second, a settlement and a reconnect storm."""

import os
from array import array
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter, perf_counter_ns
from typing import Any, Final

from benchmarks.frames import client_frame
from benchmarks.load_client import EVENTS, READ_BYTES, TIMEOUT_S, LoadClient, LoadConnection, read
from benchmarks.machine import BenchmarkError, Busy, Server, Spread, cpu_s, percentile, running
from benchmarks.systems import (
    STAKE,
    TABLE,
    Croupier,
    JournalFigures,
    PlainProtocol,
    RunningVenue,
    StaffClient,
    System,
    Workspace,
    connected,
    full_venue,
)
from croupier.house.rounds.closing import CloseBets, FinishBetting
from croupier.house.rounds.results import ConfirmResult
from croupier.house.rounds.spinning import SpinBall
from croupier.rules.geometry import Pocket

#: At this share of a core the client is saturated; it limits the rate if the server uses less than this share.
CLIENT_FULL: Final = 0.95
SERVER_FULL: Final = 0.90
#: Above this share of a core for other processes a measurement is disturbed.
OTHERS_MAX: Final = 0.10


@dataclass(frozen=True, slots=True)
class CpuShares:
    """The processor time of an interval, in shares of one core."""

    seconds: float
    server: float
    client: float
    others: float

    @property
    def limited(self) -> bool:
        """Whether the client was saturated and the server was not."""
        return self.client >= CLIENT_FULL and self.server < SERVER_FULL

    @property
    def disturbed(self) -> bool:
        return self.others > OTHERS_MAX


class CpuMeter:
    """Measures processor time from its construction on."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._begin, self._used = perf_counter(), self._read()

    def _read(self) -> tuple[float, float, float]:
        busy = Busy.now()
        return self._server.cpu_s(), cpu_s(os.getpid()), busy.used + busy.stolen

    def stop(self) -> CpuShares:
        seconds = perf_counter() - self._begin
        server, client, used = (now - then for now, then in zip(self._read(), self._used, strict=True))
        others = max(0.0, used - server - client)
        return CpuShares(seconds, server / seconds, client / seconds, others / seconds)


NS: Final = 1_000_000_000
#: More responses a second than any server here gives: their times are allocated beforehand.
RATE_MAX: Final = 400_000


@dataclass(frozen=True, slots=True)
class LoadResult:
    """The response times of a load in nanoseconds, sorted; the commands without a response; and the processor time."""

    times: list[int]
    #: How many responses came within the measured interval.
    in_time: int
    unanswered: int
    shares: CpuShares


def closed_loop(clients: LoadClient, server: Server, seconds: float) -> LoadResult:
    """Keep one command in flight on every connection for some seconds, then wait for the last responses."""
    times = array("q", bytes(8 * (int(RATE_MAX * seconds) + 2 * len(clients.connections))))
    clock, poll, by_fd = perf_counter_ns, clients.epoll.poll, clients.by_fd
    count, in_time, in_flight, shares = 0, 0, len(clients.connections), None
    meter, now = CpuMeter(server), clock()
    end, give_up = now + int(seconds * NS), now + int((seconds + TIMEOUT_S) * NS)
    for connection in clients.connections:
        connection.sent += 1
        connection.sent_at = clock()
        connection.send(connection.command % connection.sent)
    while in_flight and clock() < give_up:
        for fd, _ in poll(TIMEOUT_S, EVENTS):
            connection = by_fd[fd]
            data = connection.recv(READ_BYTES)
            now = clock()
            if connection.highest_answered(data) < connection.sent and connection.sent not in connection.refused_ids:
                continue
            times[count] = now - connection.sent_at
            count += 1
            if now < end:
                connection.sent += 1
                connection.sent_at = now
                connection.send(connection.command % connection.sent)
                continue
            if shares is None:
                shares, in_time = meter.stop(), count
            in_flight -= 1
    for connection in clients.connections:
        connection.refused_ids.clear()
        connection.answered = connection.sent
    return LoadResult(sorted(times[:count]), in_time or count, in_flight, shares or meter.stop())


US: Final = 1_000_000  # in a second
_NS_TO_MS: Final = 1_000_000
#: A client that is later than this by its own schedule, in milliseconds, limits the load.
LATE_MAX: Final = 1.0


@dataclass(frozen=True, slots=True)
class Load:
    """The figures of one load."""

    #: Commands a second; 0 in a closed loop.
    offered: int
    answered: int
    refused: int
    unanswered: int
    per_s: float
    p50_ms: float
    p99_ms: float
    most_ms: float
    #: Processor time per command, user and system, of the server and of the client.
    server_us: float
    client_us: float
    #: Shares of one core.
    server: float
    client: float
    others: float
    #: How late the client was by its own schedule, at the 99th percentile.
    late_ms: float
    #: Whether the client limited the rate.
    limited: bool
    #: Whether other processes used the machine meanwhile.
    disturbed: bool


def load_of(found: LoadResult, *, refused: int = 0, offered: int = 0, late: Sequence[int] = (0,)) -> Load:
    """Compute the figures of a load."""
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
        # Under an offered load the client never waits: it is saturated when it is late.
        limited=late_ms > LATE_MAX if offered else shares.limited,
        disturbed=shares.disturbed,
    )


#: How many due commands are sent before the client reads responses.
SEND_BATCH: Final = 32
_NEVER: Final = -1


@dataclass(slots=True)
class Schedule:
    """When each command is due: one after the other, on each connection in turn."""

    begin: int
    rate: int
    count: int
    connections: list[LoadConnection]

    def due(self, number: int) -> int:
        return self.begin + number * NS // self.rate


@dataclass(frozen=True, slots=True)
class OfferedResult:
    """The result of an offered load, and how late the client sent each command."""

    result: LoadResult
    late: list[int]


class OfferedLoad:
    """One offered load."""

    def __init__(self, clients: LoadClient, schedule: Schedule) -> None:
        self._clients, self._schedule = clients, schedule
        self._times = array("q", [_NEVER]) * schedule.count
        self._late = array("q", [0]) * schedule.count
        self._sent = self._answered = 0
        #: The id of the last command of each connection before this load.
        self._before = [connection.sent for connection in clients.connections]

    def run(self, server: Server) -> OfferedResult:
        """Send every command when it is due, and wait for the last responses."""
        meter, table = CpuMeter(server), self._schedule
        while self._sent < table.count:
            self._send()
            # Without waiting: the kernel's timer is coarser than the schedule, and this core has nothing else to do.
            self._receive(0)
        give_up = perf_counter_ns() + int(TIMEOUT_S * NS)
        while self._answered < table.count and perf_counter_ns() < give_up:
            self._receive(1)
        shares = meter.stop()
        times = sorted(time for time in self._times if time != _NEVER)
        unanswered = table.count - len(times)
        return OfferedResult(LoadResult(times, len(times), unanswered, shares), sorted(self._late))

    def _send(self) -> None:
        table, clock = self._schedule, perf_counter_ns
        for number in range(self._sent, min(self._sent + SEND_BATCH, table.count)):
            due = table.due(number)
            if clock() < due:
                return
            connection = table.connections[number % len(table.connections)]
            connection.sent += 1
            connection.send(connection.command % connection.sent)
            self._late[number] = clock() - due
            self._sent = number + 1

    def _receive(self, wait: float) -> None:
        for fd, _ in self._clients.epoll.poll(wait, EVENTS):
            connection = self._clients.by_fd[fd]
            data = connection.recv(READ_BYTES)
            now = perf_counter_ns()
            last = min(connection.highest_answered(data), connection.sent)
            if connection.refused_ids:
                for command in connection.refused_ids:
                    self._note(connection, command, now)
                connection.refused_ids.clear()
            while connection.answered < last:
                connection.answered += 1
                self._note(connection, connection.answered, now)

    def _note(self, connection: LoadConnection, command: int, now: int) -> None:
        """Note the time of a response, once: a refused id is passed again by the next that is answered."""
        connections = self._schedule.connections
        number = (command - self._before[connection.index] - 1) * len(connections) + connection.index
        if self._times[number] == _NEVER:
            self._times[number] = now - self._schedule.due(number)
            self._answered += 1


def offered_load(
    clients: LoadClient, server: Server, *, rate: int, count: int, begin: int | None = None
) -> OfferedResult:
    """Offer so many commands at a rate, from now on or from a given moment."""
    start = perf_counter_ns() if begin is None else begin
    return OfferedLoad(clients, Schedule(start, rate, count, clients.connections)).run(server)


@dataclass(frozen=True, slots=True)
class LoadPlan:
    """How long each load lasts, and which rates are offered."""

    warm_s: float
    closed_s: float
    offered_s: float
    offered: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class SystemRun:
    """The figures of one system with so many clients."""

    system: str
    clients: int
    closed: Load
    offered: tuple[Load, ...]
    #: The memory of the server for each connected, idle terminal, in bytes.
    memory: int
    #: Bets that were acknowledged, and bets found on the disk afterwards; None if the system stores none.
    acknowledged: int
    stored: int | None
    #: The longest pause of the event loop, and what the loads left in the journal; None if the system has neither.
    pause_ms: float | None = None
    journal: JournalFigures | None = None


def measure_system(system: System, clients: int, plan: LoadPlan, workspace: Workspace) -> SystemRun:
    """Start a system, connect clients, run every load, and count the bets on the disk in the end."""
    with workspace.directory() as directory:
        with system.open(clients, directory, workspace.cores) as running:
            before = running.server.resident()
            with connected(running.server, running.client_protocol, clients) as load_client:
                load_client.drain()
                memory = (running.server.resident() - before) // clients
                running.prepare(load_client)
                closed, offered, acknowledged = _run_loads(load_client, running.server, plan)
            pause_ms = running.longest_pause_ms()
        stored = system.stored_bets(directory)
        if stored is not None and stored < acknowledged:
            raise BenchmarkError(f"{system.name} acknowledged {acknowledged} bets and stored {stored}")
        journal = system.journal(directory)
    return SystemRun(system.name, clients, closed, offered, memory, acknowledged, stored, pause_ms, journal)


def _run_loads(clients: LoadClient, server: Server, plan: LoadPlan) -> tuple[Load, tuple[Load, ...], int]:
    """Run every load; return their figures, and how many bets were acknowledged."""
    warm = closed_loop(clients, server, plan.warm_s)
    refused = _refused(clients)
    acknowledged = len(warm.times) - refused
    loads = []
    for rate in (0, *plan.offered):
        if rate:
            found = offered_load(clients, server, rate=rate, count=int(rate * plan.offered_s))
            result, late = found.result, found.late
        else:
            result, late = closed_loop(clients, server, plan.closed_s), [0]
        before, refused = refused, _refused(clients)
        loads.append(load_of(result, refused=refused - before, offered=rate, late=late))
        acknowledged += len(result.times) - (refused - before)
    return loads[0], tuple(loads[1:]), acknowledged


def _refused(clients: LoadClient) -> int:
    return sum(len(connection.refused) for connection in clients.connections)


#: The dealer spins and enters the number, so that every step is a command.
DEALT: Final = Croupier('wheel = "keypad"\nwarning_s = 600')
_PING: Final = client_frame(b'{"t":"ping","c":1}')
_RESYNC: Final = client_frame(b'{"t":"resync"}')


@dataclass(frozen=True, slots=True)
class Broadcast:
    """How long a frame took from the command to the last connection, in milliseconds."""

    sockets: int
    #: Of the frame, in bytes.
    size: int
    venue_ms: tuple[float, ...]
    bare_ms: tuple[float, ...]

    @property
    def ratio(self) -> float:
        """The time of the bare write as a share of the venue's: 1 is the best possible."""
        return Spread.of(self.bare_ms).median / Spread.of(self.venue_ms).median


def broadcast(sockets: int, repeats: int, workspace: Workspace) -> Broadcast:
    """Measure the venue, then the bare write with a frame of the same size."""
    size, venue_ms = _by_venue(sockets, repeats, workspace)
    return Broadcast(sockets, size, venue_ms, _by_bare_write(sockets, repeats, size, workspace))


def _by_venue(sockets: int, repeats: int, workspace: Workspace) -> tuple[int, tuple[float, ...]]:
    """Have the dealer announce the end of betting: one frame to every terminal, and no other change."""
    with full_venue(DEALT, sockets, workspace) as (venue, clients), venue.dealer() as dealer:
        found = [broadcast_round(clients, dealer) for _ in range(repeats)]
    return found[0][0], tuple(took for _, took in found)


def broadcast_round(clients: LoadClient, dealer: StaffClient) -> tuple[int, float]:
    """Play one round; return the size of the last call's frame, and how long it took to the last connection."""
    size = 0

    def is_last_call(payload: bytes) -> bool:
        nonlocal size
        matches = b'"phase":"last_call"' in payload
        size = len(payload) if matches else size
        return matches

    dealer.open_bets()
    clients.drain()
    begin = perf_counter()
    pending = dealer.submit(FinishBetting(TABLE))
    took = (clients.wait_for_all(is_last_call) - begin) * 1000
    dealer.wait(pending)
    finish_round(dealer)
    clients.drain()
    return size, took


def finish_round(dealer: StaffClient) -> None:
    """Close, spin and enter a number."""
    dealer.send(CloseBets(TABLE))
    dealer.send(SpinBall(TABLE))
    dealer.send(ConfirmResult(TABLE, pocket=Pocket("17")))


def _by_bare_write(sockets: int, repeats: int, size: int, workspace: Workspace) -> tuple[float, ...]:
    with (
        workspace.directory() as directory,
        running("benchmarks.peers", "write", str(size), output=directory / "bare.log", cores=workspace.cores) as server,
        connected(server, PlainProtocol(), sockets) as clients,
    ):
        return tuple(write(clients) for _ in range(repeats))


def write(clients: LoadClient) -> float:
    """Have one frame written to every connection; return how long it took to the last."""
    clients.drain()
    begin = perf_counter()
    clients.connections[0].send(client_frame(b"go"))
    return (clients.wait_for_all(lambda payload: payload.startswith(b'{"t":"table"')) - begin) * 1000


#: Betting closes by the server's timer, so many seconds after it opens.
BETTING_S: Final = 6
#: One in so many of the commands is sent after the close.
LATE: Final = 20
_US: Final = 1_000


@dataclass(frozen=True, slots=True)
class LastSecond:
    """The outcome of the commands around a close."""

    commands: int
    accepted: int
    #: How many were refused, by code.
    refused: dict[str, int]
    unanswered: int
    #: Terminals whose sealed chips differ from what was accepted.
    differing: int
    p50_ms: float
    p99_ms: float
    #: How late the client was by its own schedule, at the 99th percentile.
    late_ms: float
    #: The longest pause of the server's event loop since its start, which includes the connecting of all terminals.
    pause_ms: float = 0


def last_second(terminals: int, workspace: Workspace, betting_s: int = BETTING_S) -> LastSecond:
    """Offer a command from every terminal within one second, the last of them after the close."""
    timed = Croupier(f'wheel = "random"\nspin_s = 60\nbetting_s = {betting_s}\nwarning_s = 1')
    with full_venue(timed, terminals, workspace) as (venue, clients):
        return _around_close(venue, clients)


def _around_close(venue: RunningVenue, clients: LoadClient) -> LastSecond:
    count = len(clients.connections)
    venue.buy_in(clients)
    with venue.dealer() as dealer:
        venue.round = dealer.open_bets()
    venue.build_bets(clients)
    clients.drain()
    begin = _closes_at(clients) - NS + NS // LATE
    found = offered_load(clients, venue.server, rate=count, count=count, begin=begin)
    clients.drain()
    codes = Counter(each.code for connection in clients.connections for each in connection.refused)
    load = load_of(found.result, refused=codes.total(), offered=count, late=found.late)
    return LastSecond(
        commands=count,
        accepted=load.answered - load.refused,
        refused=dict(codes),
        unanswered=load.unanswered,
        differing=_differing(clients),
        p50_ms=load.p50_ms,
        p99_ms=load.p99_ms,
        late_ms=load.late_ms,
        pause_ms=venue.longest_pause_ms(),
    )


def _closes_at(clients: LoadClient) -> int:
    """Compute when betting closes by the client's clock, from the server's time and a snapshot."""
    connection = clients.connections[0]
    best, ahead = NS, 0
    for _ in range(20):
        sent_at = perf_counter_ns()
        connection.send(_PING)
        server_time = _next(clients, "pong")["now_us"] * _US
        took = perf_counter_ns() - sent_at
        if took < best:
            best, ahead = took, server_time - sent_at - took // 2
    connection.send(_RESYNC)
    closes_at: int = next(state["closes_at"] for _, state in _next(clients, "snap")["tables"])
    return closes_at * _US - ahead


def _next(clients: LoadClient, kind: str) -> dict[str, Any]:
    """Wait for a message of a type on any connection."""
    for _, payload in clients.messages(10):
        message = read(payload)
        if message["t"] == kind:
            return message
    raise BenchmarkError(f"no {kind} was received")


def _differing(clients: LoadClient) -> int:
    """Count the terminals whose sealed chips differ from what was accepted."""
    for connection in clients.connections:
        connection.send(_RESYNC)
    missing = {connection: 0 if connection.refused else STAKE for connection in clients.connections}
    differing = 0
    for connection, payload in clients.messages(2):
        message = read(payload)
        if message["t"] == "snap":
            game = message["seat"]["games"][TABLE]
            differing += game["staked"] != missing.pop(connection) or game["sealed"] is None
            if not missing:
                break
    return differing + len(missing)


@dataclass(frozen=True, slots=True)
class SettlementTime:
    """How long each settlement took, from the number to the frame of the last terminal, in milliseconds."""

    terminals: int
    took_ms: tuple[float, ...]
    #: The longest pause of the server's event loop since its start.
    pause_ms: float = 0


def settlement(terminals: int, repeats: int, workspace: Workspace) -> SettlementTime:
    """Play rounds in which every terminal has bets."""
    with full_venue(DEALT, terminals, workspace) as (venue, clients), venue.dealer() as dealer:
        venue.buy_in(clients)
        took_ms = tuple(settle(venue, clients, dealer) for _ in range(repeats))
        return SettlementTime(terminals, took_ms, venue.longest_pause_ms())


def settle(venue: RunningVenue, clients: LoadClient, dealer: StaffClient) -> float:
    """Play one round in which every terminal bets; return how long the settlement took to the last."""
    venue.round = dealer.open_bets()
    clients.drain()
    venue.build_bets(clients)
    placed = closed_loop(clients, venue.server, 0)
    if placed.unanswered or any(connection.refused for connection in clients.connections):
        raise BenchmarkError("not every terminal could place its bet")
    dealer.send(FinishBetting(TABLE))
    dealer.send(CloseBets(TABLE))
    dealer.send(SpinBall(TABLE))
    clients.drain()
    begin = perf_counter()
    pending = dealer.submit(ConfirmResult(TABLE, pocket=Pocket("17")))
    took = (clients.wait_for_all(lambda payload: payload.startswith(b'{"t":"seat"')) - begin) * 1000
    dealer.wait(pending)
    clients.drain()
    return took


@dataclass(frozen=True, slots=True)
class Storm:
    """How long each took until all terminals had a snapshot again, in milliseconds."""

    terminals: int
    dropped: int
    took_ms: tuple[float, ...]
    #: The longest pause of the server's event loop since its start.
    pause_ms: float = 0


def storm(terminals: int, dropped: int, repeats: int, workspace: Workspace) -> Storm:
    """Drop connections while a round is open, and reconnect all of them at once."""
    with full_venue(Croupier(), terminals, workspace) as (venue, clients):
        venue.prepare(clients)
        took_ms = tuple(reconnect(clients, dropped) for _ in range(repeats))
        return Storm(terminals, dropped, took_ms, venue.longest_pause_ms())


def reconnect(clients: LoadClient, dropped: int) -> float:
    """Drop so many connections; return how long it takes until each has a snapshot again."""
    clients.drain()
    lost = clients.connections[:dropped]
    begin = perf_counter()
    clients.drop(lost)
    clients.connect(lost, at_once=dropped)
    return (perf_counter() - begin) * 1000
