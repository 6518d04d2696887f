"""A stay: one system with one crowd, in a closed loop, and then at rates that do not wait for it."""

from dataclasses import dataclass

from croupier.bench.closed import closed_loop
from croupier.bench.crowd import Crowd
from croupier.bench.fault import BenchFault
from croupier.bench.figures import Load, load_of
from croupier.bench.offered import offered_load
from croupier.bench.process import Server
from croupier.bench.scene import System, Workplace, crowded


@dataclass(frozen=True, slots=True)
class Course:
    """How long each load lasts, and which rates are offered."""

    warm_s: float
    closed_s: float
    offered_s: float
    offered: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Stay:
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


def stay(system: System, clients: int, course: Course, workplace: Workplace) -> Stay:
    """Start a system, bring a crowd in, measure, and look at what is on the disk in the end."""
    with workplace.room() as room:
        with system.open(clients, room, workplace.cores) as scene:
            before = scene.server.resident()
            with crowded(scene.server, scene.manners, clients) as crowd:
                crowd.quieten()
                memory = (scene.server.resident() - before) // clients
                scene.begin(crowd)
                closed, offered, acknowledged = _loaded(crowd, scene.server, course)
        kept = system.kept(room)
    if kept is not None and kept < acknowledged:
        raise BenchFault(f"{system.name} acknowledged {acknowledged} bets and kept {kept}")
    return Stay(system.name, clients, closed, offered, memory, acknowledged, kept)


def _loaded(crowd: Crowd, server: Server, course: Course) -> tuple[Load, tuple[Load, ...], int]:
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


def _refused(crowd: Crowd) -> int:
    return sum(len(line.refused) for line in crowd.lines)
