"""The plan of a benchmark run, and its execution."""

import gc
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field, replace
from functools import partial
from multiprocessing import get_context
from typing import Any, Final

from benchmarks.loads import LoadPlan, SystemRun, measure_system
from benchmarks.machine import BenchmarkError, Cores
from benchmarks.scenarios import Broadcast, LastSecond, SettlementTime, Storm, broadcast, last_second, settlement, storm
from benchmarks.systems import Ordinary, System, Workspace


@dataclass(frozen=True, slots=True)
class Plan:
    """What is measured in a run."""

    #: How many rounds; an odd number has a median.
    rounds: int
    loads: LoadPlan
    #: How often a storm, a broadcast and a settlement are repeated in each round.
    repeats: int
    clients: tuple[int, ...] = (200, 2_000)
    #: The rates that are offered with the most clients.
    offered: tuple[int, ...] = (5_000, 20_000)
    sockets: tuple[int, ...] = (2_000, 10_000)
    dropped: int = 1_000

    @property
    def files(self) -> int:
        """How many sockets are open at one time at most."""
        return max(*self.clients, *self.sockets)

    def beyond(self, files: int) -> list[int]:
        """List the numbers of clients that need more open files than allowed."""
        return sorted({size for size in (*self.clients, *self.sockets) if size > files})

    def within(self, files: int) -> "Plan":
        """Drop them from the plan."""
        clients = tuple(size for size in self.clients if size <= files)
        return replace(self, clients=clients, sockets=tuple(size for size in self.sockets if size <= files))


FULL: Final = Plan(rounds=5, loads=LoadPlan(warm_s=1, closed_s=3, offered_s=5), repeats=5)
QUICK: Final = Plan(rounds=1, loads=LoadPlan(warm_s=0.5, closed_s=1, offered_s=2), repeats=3)


@dataclass(frozen=True, slots=True)
class PlanStep:
    """One measurement."""

    round: int
    words: str
    do: Callable[[], Any]


def steps(plan: Plan, systems: Sequence[System], workspace: Workspace) -> Iterator[PlanStep]:
    """List all measurements in order: each round has every one of them once."""
    most = max(plan.clients)
    for round_ in range(1, plan.rounds + 1):
        for clients in plan.clients:
            for system in systems:
                loads = _loads(plan, system, clients)
                do = partial(measure_system, system, clients, loads, workspace)
                yield PlanStep(round_, f"{system.name}, {clients} clients", do)
        for sockets in plan.sockets:
            yield PlanStep(round_, f"broadcast to {sockets}", partial(broadcast, sockets, plan.repeats, workspace))
        dropped = min(plan.dropped, most)
        yield PlanStep(round_, f"storm of {dropped}", partial(storm, most, dropped, plan.repeats, workspace))
        yield PlanStep(round_, f"settlement of {most}", partial(settlement, most, plan.repeats, workspace))
        yield PlanStep(round_, f"last second of {most}", partial(last_second, most, workspace))


def _loads(plan: Plan, system: System, clients: int) -> LoadPlan:
    """Offer rates with the most clients only, and only to systems that can meet them."""
    offers = clients == max(plan.clients) and not isinstance(system, Ordinary)
    return replace(plan.loads, offered=plan.offered if offers else ())


@dataclass(slots=True)
class BenchmarkRound:
    """The results of one round."""

    system_runs: list[SystemRun] = field(default_factory=list)
    broadcasts: list[Broadcast] = field(default_factory=list)
    storms: list[Storm] = field(default_factory=list)
    settlements: list[SettlementTime] = field(default_factory=list)
    last_seconds: list[LastSecond] = field(default_factory=list)

    def add(self, found: object) -> None:
        """Add a result."""
        match found:
            case SystemRun():
                self.system_runs.append(found)
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
    """A step that failed, and why."""

    round: int
    step: str
    words: str


@dataclass(slots=True)
class Results:
    """All results."""

    rounds: list[BenchmarkRound] = field(default_factory=list)
    failures: list[StepFailure] = field(default_factory=list)


def run(steps: Iterable[PlanStep], cores: Cores, progress: Callable[[PlanStep], None]) -> Results:
    """Run every step in a process of its own, so that none affects the next."""
    results = Results()
    for step in steps:
        progress(step)
        while len(results.rounds) < step.round:
            results.rounds.append(BenchmarkRound())
        try:
            results.rounds[step.round - 1].add(_run_step(step, cores))
        except (BenchmarkError, OSError, BrokenProcessPool) as error:
            results.failures.append(StepFailure(step.round, step.words, str(error)))
    return results


def _run_step(step: PlanStep, cores: Cores) -> object:
    with ProcessPoolExecutor(1, get_context("spawn"), _prepare_process, (cores,)) as pool:
        return pool.submit(step.do).result()


def _prepare_process(cores: Cores) -> None:
    """Run on the client's core, without garbage collection."""
    cores.use_client()
    gc.disable()
