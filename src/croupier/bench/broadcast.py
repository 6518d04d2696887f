"""The broadcast: one table's frame to everybody, until the last has it, beside a bare write to as many sockets."""

from dataclasses import dataclass
from time import perf_counter
from typing import Final

from croupier.bench.crowd import Crowd
from croupier.bench.desk import Desk
from croupier.bench.frames import masked
from croupier.bench.process import running
from croupier.bench.rivals import PlainManners
from croupier.bench.scene import Workplace, crowded
from croupier.bench.spread import Spread
from croupier.bench.venue import Croupier, full_house

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


def call(crowd: Crowd, desk: Desk) -> tuple[int, float]:
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


def play_out(desk: Desk) -> None:
    """Close, spin and enter a number: the round is over."""
    desk.ask("CloseBets")
    desk.ask("SpinBall")
    desk.ask("ConfirmResult", pocket="17")


def _by_bare_write(sockets: int, repeats: int, size: int, workplace: Workplace) -> tuple[float, ...]:
    with (
        workplace.room() as room,
        running("croupier.bench.bare", str(size), output=room / "bare.log", cores=workplace.cores) as server,
        crowded(server, PlainManners(), sockets) as crowd,
    ):
        return tuple(write(crowd) for _ in range(repeats))


def write(crowd: Crowd) -> float:
    """Have a frame written to everybody, and tell how long it took to reach the last."""
    crowd.quieten()
    begin = perf_counter()
    crowd.lines[0].send(masked(b"go"))
    return (crowd.until_all(lambda payload: payload.startswith(b'{"t":"table"')) - begin) * 1000
