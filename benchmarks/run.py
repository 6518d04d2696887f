"""Plan and run."""

import gc
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field, replace
from functools import partial
from multiprocessing import get_context
from typing import Any, Final

from benchmarks.loads import LoadPlan, SystemRun, stay
from benchmarks.machine import BenchFault, Cores
from benchmarks.scenarios import Broadcast, LastSecond, SettlementTime, Storm, broadcast, last_second, settlement, storm
from benchmarks.systems import Ordinary, System, Workplace


@dataclass(frozen=True, slots=True)
class Plan:
    """What is measured in a run."""

    #: How many rounds; an odd number has a middle one.
    rounds: int
    course: LoadPlan
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


FULL: Final = Plan(rounds=5, course=LoadPlan(warm_s=1, closed_s=3, offered_s=5), repeats=5)
QUICK: Final = Plan(rounds=1, course=LoadPlan(warm_s=0.5, closed_s=1, offered_s=2), repeats=3)


@dataclass(frozen=True, slots=True)
class PlanStep:
    """One measurement, with everything it needs in hand."""

    round: int
    words: str
    do: Callable[[], Any]


def steps(plan: Plan, systems: Sequence[System], workplace: Workplace) -> Iterator[PlanStep]:
    """Name all measurements in their order: in each round everything has one turn."""
    crowd = max(plan.clients)
    for turn in range(1, plan.rounds + 1):
        for clients in plan.clients:
            for system in systems:
                course = _course(plan, system, clients)
                do = partial(stay, system, clients, course, workplace)
                yield PlanStep(turn, f"{system.name}, {clients} clients", do)
        for sockets in plan.sockets:
            yield PlanStep(turn, f"broadcast to {sockets}", partial(broadcast, sockets, plan.repeats, workplace))
        dropped = min(plan.dropped, crowd)
        yield PlanStep(turn, f"storm of {dropped}", partial(storm, crowd, dropped, plan.repeats, workplace))
        yield PlanStep(turn, f"settlement of {crowd}", partial(settlement, crowd, plan.repeats, workplace))
        yield PlanStep(turn, f"last second of {crowd}", partial(last_second, crowd, workplace))


def _course(plan: Plan, system: System, clients: int) -> LoadPlan:
    """Offer rates to the largest crowd alone, and only where they can be met."""
    course = plan.course
    offers = clients == max(plan.clients) and not isinstance(system, Ordinary)
    return replace(course, offered=plan.offered if offers else ())


@dataclass(slots=True)
class BenchmarkRound:
    """What came of one round."""

    stays: list[SystemRun] = field(default_factory=list)
    broadcasts: list[Broadcast] = field(default_factory=list)
    storms: list[Storm] = field(default_factory=list)
    settlements: list[SettlementTime] = field(default_factory=list)
    last_seconds: list[LastSecond] = field(default_factory=list)

    def take(self, found: object) -> None:
        """Put a result where it belongs."""
        match found:
            case SystemRun():
                self.stays.append(found)
            case Broadcast():
                self.broadcasts.append(found)
            case Storm():
                self.storms.append(found)
            case SettlementTime():
                self.settlements.append(found)
            case LastSecond():
                self.last_seconds.append(found)
            case _:
                raise TypeError(type(found).__name__)


@dataclass(frozen=True, slots=True)
class StepFailure:
    """A step that could not be measured, and why."""

    round: int
    step: str
    words: str


@dataclass(slots=True)
class Results:
    """Everything that was measured."""

    rounds: list[BenchmarkRound] = field(default_factory=list)
    failures: list[StepFailure] = field(default_factory=list)


def run(steps: Iterable[PlanStep], cores: Cores, progress: Callable[[PlanStep], None]) -> Results:
    """Carry out all steps. Nothing of one is left in memory or on a core when the next begins."""
    results = Results()
    for step in steps:
        progress(step)
        while len(results.rounds) < step.round:
            results.rounds.append(BenchmarkRound())
        try:
            results.rounds[step.round - 1].take(_alone(step, cores))
        except (BenchFault, OSError, BrokenProcessPool) as error:
            results.failures.append(StepFailure(step.round, step.words, str(error)))
    return results


def _alone(step: PlanStep, cores: Cores) -> object:
    with ProcessPoolExecutor(1, get_context("spawn"), _settle_in, (cores,)) as pool:
        return pool.submit(step.do).result()


def _settle_in(cores: Cores) -> None:
    """Take the client's core, and let nothing tidy up in the midst of a measurement."""
    cores.take_client()
    gc.disable()
