"""Scenarios: broadcast, last second, settlement and reconnect storm."""

from collections import Counter
from dataclasses import dataclass
from time import perf_counter, perf_counter_ns
from typing import Any, Final

from benchmarks.load_client import LoadClient, read
from benchmarks.loads import NS, closed_loop, load_of, offered_load
from benchmarks.machine import BenchmarkError, Spread, running
from benchmarks.systems import (
    STAKE,
    TABLE,
    Croupier,
    PlainProtocol,
    RunningVenue,
    StaffClient,
    Workspace,
    connected,
    full_venue,
)
from croupier.client.connection import client_frame
from croupier.house.rounds.closing import CloseBets, FinishBetting
from croupier.house.rounds.results import ConfirmResult
from croupier.house.rounds.spinning import SpinBall
from croupier.rules.geometry import Pocket

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
        running("benchmarks.bare_write", str(size), output=directory / "bare.log", cores=workspace.cores) as server,
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
