"""The plan of a run: what is measured, how long and how often, in rounds in which everything has its turn."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

from croupier.bench.broadcast import broadcast
from croupier.bench.lastsecond import last_second
from croupier.bench.load import Course, stay
from croupier.bench.rivals import Ordinary
from croupier.bench.scene import System, Workplace
from croupier.bench.settlement import settlement
from croupier.bench.storm import storm


@dataclass(frozen=True, slots=True)
class Plan:
    """What is measured in a run."""

    #: How many rounds; an odd number has a middle one.
    rounds: int
    course: Course
    #: How often a storm, a broadcast and a settlement are repeated in each round.
    repeats: int
    clients: tuple[int, ...] = (200, 2_000)
    #: The rates that are offered to the largest crowd.
    offered: tuple[int, ...] = (5_000, 20_000)
    sockets: tuple[int, ...] = (2_000, 10_000)
    dropped: int = 1_000

    @property
    def files(self) -> int:
        """How many sockets are open at one time at most."""
        return max(*self.clients, *self.sockets)

    def beyond(self, files: int) -> list[int]:
        """Name the crowds that take more open files than there may be."""
        return sorted({size for size in (*self.clients, *self.sockets) if size > files})

    def within(self, files: int) -> "Plan":
        """Leave them out."""
        clients = tuple(size for size in self.clients if size <= files)
        return replace(self, clients=clients, sockets=tuple(size for size in self.sockets if size <= files))


FULL: Final = Plan(rounds=5, course=Course(warm_s=1, closed_s=3, offered_s=5), repeats=5)
QUICK: Final = Plan(rounds=1, course=Course(warm_s=0.5, closed_s=1, offered_s=2), repeats=3)


@dataclass(frozen=True, slots=True)
class Step:
    """One measurement, with everything it needs in hand."""

    round: int
    words: str
    do: Callable[[], Any]


def steps(plan: Plan, systems: Sequence[System], workplace: Workplace) -> Iterator[Step]:
    """Name all measurements in their order: in each round everything has one turn."""
    crowd = max(plan.clients)
    for turn in range(1, plan.rounds + 1):
        for clients in plan.clients:
            for system in systems:
                course = _course(plan, system, clients)
                do = partial(stay, system, clients, course, workplace)
                yield Step(turn, f"{system.name}, {clients} clients", do)
        for sockets in plan.sockets:
            yield Step(turn, f"broadcast to {sockets}", partial(broadcast, sockets, plan.repeats, workplace))
        dropped = min(plan.dropped, crowd)
        yield Step(turn, f"storm of {dropped}", partial(storm, crowd, dropped, plan.repeats, workplace))
        yield Step(turn, f"settlement of {crowd}", partial(settlement, crowd, plan.repeats, workplace))
        yield Step(turn, f"last second of {crowd}", partial(last_second, crowd, workplace))


def _course(plan: Plan, system: System, clients: int) -> Course:
    """Offer rates to the largest crowd alone, and only where they can be met."""
    course = plan.course
    offers = clients == max(plan.clients) and not isinstance(system, Ordinary)
    return replace(course, offered=plan.offered if offers else ())
