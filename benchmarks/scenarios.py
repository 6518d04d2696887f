"""Broadcast, last second, settlement, reconnect storm."""

from collections import Counter
from dataclasses import dataclass
from time import perf_counter, perf_counter_ns
from typing import Any, Final

from benchmarks.load_client import LoadClient
from benchmarks.loads import NS, closed_loop, load_of, offered_load
from benchmarks.machine import BenchFault, Spread, running
from benchmarks.systems import STAKE, Croupier, PlainManners, VenueScene, Workplace, crowded, full_house
from croupier.client.blocking import TABLE, DealerClient, masked, read

#: A dealer spins and enters the number, so that every step is asked for and none comes by itself.
DEALT: Final = Croupier('wheel = "keypad"\nwarning_s = 600')


@dataclass(frozen=True, slots=True)
class Broadcast:
    """How long a frame took to reach the last, from when it was asked for, in milliseconds."""

    sockets: int
    #: Of the frame, in bytes.
    size: int
    venue_ms: tuple[float, ...]
    bare_ms: tuple[float, ...]

    @property
    def ratio(self) -> float:
        """The bare write's time as a part of the venue's: 1 is as quick as can be."""
        return Spread.of(self.bare_ms).median / Spread.of(self.venue_ms).median


def broadcast(sockets: int, repeats: int, workplace: Workplace) -> Broadcast:
    """Measure the venue, and then the bare write with a frame of the same size."""
    size, venue_ms = _by_venue(sockets, repeats, workplace)
    return Broadcast(sockets, size, venue_ms, _by_bare_write(sockets, repeats, size, workplace))


def _by_venue(sockets: int, repeats: int, workplace: Workplace) -> tuple[int, tuple[float, ...]]:
    """Let a dealer say `finish betting`: everybody is told that, and nothing else changes."""
    with full_house(DEALT, sockets, workplace) as (scene, crowd), scene.dealer() as desk:
        found = [call(crowd, desk) for _ in range(repeats)]
    return found[0][0], tuple(took for _, took in found)


def call(crowd: LoadClient, desk: DealerClient) -> tuple[int, float]:
    """Play one round; give the size of the warning's frame, and how long it took to reach the last."""
    size = 0

    def is_warning(payload: bytes) -> bool:
        nonlocal size
        warns = b'"phase":"last_call"' in payload
        size = len(payload) if warns else size
        return warns

    desk.open_bets()
    crowd.quieten()
    begin = perf_counter()
    number = desk.post("FinishBetting")
    took = (crowd.until_all(is_warning) - begin) * 1000
    desk.await_answer(number)
    play_out(desk)
    crowd.quieten()
    return size, took


def play_out(desk: DealerClient) -> None:
    """Close, spin and enter a number: the round is over."""
    desk.ask("CloseBets")
    desk.ask("SpinBall")
    desk.ask("ConfirmResult", pocket="17")


def _by_bare_write(sockets: int, repeats: int, size: int, workplace: Workplace) -> tuple[float, ...]:
    with (
        workplace.room() as room,
        running("benchmarks.bare_write", str(size), output=room / "bare.log", cores=workplace.cores) as server,
        crowded(server, PlainManners(), sockets) as crowd,
    ):
        return tuple(write(crowd) for _ in range(repeats))


def write(crowd: LoadClient) -> float:
    """Have a frame written to everybody, and tell how long it took to reach the last."""
    crowd.quieten()
    begin = perf_counter()
    crowd.lines[0].send(masked(b"go"))
    return (crowd.until_all(lambda payload: payload.startswith(b'{"t":"table"')) - begin) * 1000


#: The house closes by its own timer, so many seconds after the opening.
BETTING_S: Final = 6
#: One part in so many of the commands leaves after the close.
LATE: Final = 20
_US: Final = 1_000


@dataclass(frozen=True, slots=True)
class LastSecond:
    """What became of the commands around a close."""

    commands: int
    accepted: int
    #: How many were refused, by code.
    refused: dict[str, int]
    unanswered: int
    #: Terminals whose sealed chips are not what was accepted of them.
    differing: int
    p50_ms: float
    p99_ms: float
    #: How late the client was by its own timetable, at the 99th percentile.
    late_ms: float


def last_second(terminals: int, workplace: Workplace, betting_s: int = BETTING_S) -> LastSecond:
    """Offer a command from every terminal within one second, the last of them after the close."""
    timed = Croupier(f'wheel = "random"\nspin_s = 60\nbetting_s = {betting_s}\nwarning_s = 1')
    with full_house(timed, terminals, workplace) as (scene, crowd):
        return _around_close(scene, crowd)


def _around_close(scene: VenueScene, crowd: LoadClient) -> LastSecond:
    count = len(crowd.lines)
    scene.buy_in(crowd)
    with scene.dealer() as desk:
        scene.round = desk.open_bets()
    scene.hand_out(crowd)
    crowd.quieten()
    begin = _closes_at(crowd) - NS + NS // LATE
    found = offered_load(crowd, scene.server, rate=count, count=count, begin=begin)
    crowd.quieten()
    codes = Counter(no.code for line in crowd.lines for no in line.refused)
    load = load_of(found.answered, refused=codes.total(), offered=count, late=found.late)
    return LastSecond(
        commands=count,
        accepted=load.answered - load.refused,
        refused=dict(codes),
        unanswered=load.unanswered,
        differing=_differing(crowd),
        p50_ms=load.p50_ms,
        p99_ms=load.p99_ms,
        late_ms=load.late_ms,
    )


def _closes_at(crowd: LoadClient) -> int:
    """Find the moment of the close by our own clock: one terminal asks for the house's time, and for everything."""
    line = crowd.lines[0]
    best, ahead = NS, 0
    for _ in range(20):
        asked = perf_counter_ns()
        line.send(masked(b'{"t":"ping","c":1}'))
        house = _next(crowd, "pong")["now_us"] * _US
        took = perf_counter_ns() - asked
        if took < best:
            best, ahead = took, house - asked - took // 2
    line.send(masked(b'{"t":"resync"}'))
    closes_at: int = next(state["closes_at"] for _, state in _next(crowd, "snap")["tables"])
    return closes_at * _US - ahead


def _next(crowd: LoadClient, kind: str) -> dict[str, Any]:
    """Wait for a message of a kind on any line."""
    for _, payload in crowd.listen(10):
        message = read(payload)
        if message["t"] == kind:
            return message
    raise BenchFault(f"no {kind} came")


def _differing(crowd: LoadClient) -> int:
    """Count the terminals at which other chips were sealed than were accepted."""
    for line in crowd.lines:
        line.send(masked(b'{"t":"resync"}'))
    missing = {line: 0 if line.refused else STAKE for line in crowd.lines}
    differing = 0
    for line, payload in crowd.listen(2):
        message = read(payload)
        if message["t"] == "snap":
            game = message["seat"]["games"][TABLE]
            differing += game["staked"] != missing.pop(line) or game["sealed"] is None
            if not missing:
                break
    return differing + len(missing)


@dataclass(frozen=True, slots=True)
class SettlementTime:
    """How long it took from the number to the last terminal's own frame, each time, in milliseconds."""

    terminals: int
    took_ms: tuple[float, ...]


def settlement(terminals: int, repeats: int, workplace: Workplace) -> SettlementTime:
    """Play rounds in which everybody has chips down."""
    with full_house(DEALT, terminals, workplace) as (scene, crowd), scene.dealer() as desk:
        scene.buy_in(crowd)
        return SettlementTime(terminals, tuple(settle(scene, crowd, desk) for _ in range(repeats)))


def settle(scene: VenueScene, crowd: LoadClient, desk: DealerClient) -> float:
    """Play one round with everybody's chips down, and tell how long its settlement took to reach the last."""
    scene.round = desk.open_bets()
    crowd.quieten()
    scene.hand_out(crowd)
    placed = closed_loop(crowd, scene.server, 0)
    if placed.unanswered or any(line.refused for line in crowd.lines):
        raise BenchFault("not every terminal could place its bet")
    desk.ask("FinishBetting")
    desk.ask("CloseBets")
    desk.ask("SpinBall")
    crowd.quieten()
    begin = perf_counter()
    number = desk.post("ConfirmResult", pocket="17")
    took = (crowd.until_all(lambda payload: payload.startswith(b'{"t":"seat"')) - begin) * 1000
    desk.await_answer(number)
    crowd.quieten()
    return took


@dataclass(frozen=True, slots=True)
class Storm:
    """How long it took until all were in sync again, each time, in milliseconds."""

    terminals: int
    dropped: int
    took_ms: tuple[float, ...]


def storm(terminals: int, dropped: int, repeats: int, workplace: Workplace) -> Storm:
    """Cut lines off while a round is open, and let all of them come back in the same moment."""
    with full_house(Croupier(), terminals, workplace) as (scene, crowd):
        scene.begin(crowd)
        return Storm(terminals, dropped, tuple(toss(crowd, dropped) for _ in range(repeats)))


def toss(crowd: LoadClient, dropped: int) -> float:
    """Drop so many, and tell how long it takes until they are all in sync again."""
    crowd.quieten()
    lost = crowd.lines[:dropped]
    begin = perf_counter()
    crowd.drop(lost)
    crowd.bring_in(lost, at_once=dropped)
    return (perf_counter() - begin) * 1000
