"""The last second: a command from every terminal around a close, each accepted or refused, and sealed as it was."""

from collections import Counter
from dataclasses import dataclass
from time import perf_counter_ns
from typing import Any, Final

from croupier.bench.closed import NS
from croupier.bench.crowd import Crowd
from croupier.bench.desk import TABLE
from croupier.bench.fault import BenchFault
from croupier.bench.figures import load_of
from croupier.bench.frames import masked
from croupier.bench.line import read
from croupier.bench.offered import offered_load
from croupier.bench.scene import Workplace
from croupier.bench.venue import STAKE, Croupier, VenueScene, full_house

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


def _around_close(scene: VenueScene, crowd: Crowd) -> LastSecond:
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


def _closes_at(crowd: Crowd) -> int:
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


def _next(crowd: Crowd, kind: str) -> dict[str, Any]:
    """Wait for a message of a kind on any line."""
    for _, payload in crowd.listen(10):
        message = read(payload)
        if message["t"] == kind:
            return message
    raise BenchFault(f"no {kind} came")


def _differing(crowd: Crowd) -> int:
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
