"""A run: every step of a plan in a process of its own, one after the other, and what each came to."""

import gc
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from multiprocessing import get_context

from croupier.bench.broadcast import Broadcast
from croupier.bench.fault import BenchFault
from croupier.bench.lastsecond import LastSecond
from croupier.bench.load import Stay
from croupier.bench.machine import Cores
from croupier.bench.plan import Step
from croupier.bench.settlement import Settlement
from croupier.bench.storm import Storm


@dataclass(slots=True)
class Round:
    """What came of one round."""

    stays: list[Stay] = field(default_factory=list)
    broadcasts: list[Broadcast] = field(default_factory=list)
    storms: list[Storm] = field(default_factory=list)
    settlements: list[Settlement] = field(default_factory=list)
    last_seconds: list[LastSecond] = field(default_factory=list)

    def take(self, found: object) -> None:
        """Put a result where it belongs."""
        match found:
            case Stay():
                self.stays.append(found)
            case Broadcast():
                self.broadcasts.append(found)
            case Storm():
                self.storms.append(found)
            case Settlement():
                self.settlements.append(found)
            case LastSecond():
                self.last_seconds.append(found)
            case _:
                raise TypeError(type(found).__name__)


@dataclass(frozen=True, slots=True)
class Failure:
    """A step that could not be measured, and why."""

    round: int
    step: str
    words: str


@dataclass(slots=True)
class Results:
    """Everything that was measured."""

    rounds: list[Round] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)


def run(steps: Iterable[Step], cores: Cores, progress: Callable[[Step], None]) -> Results:
    """Carry out all steps. Nothing of one is left in memory or on a core when the next begins."""
    results = Results()
    for step in steps:
        progress(step)
        while len(results.rounds) < step.round:
            results.rounds.append(Round())
        try:
            results.rounds[step.round - 1].take(_alone(step, cores))
        except (BenchFault, OSError, BrokenProcessPool) as error:
            results.failures.append(Failure(step.round, step.words, str(error)))
    return results


def _alone(step: Step, cores: Cores) -> object:
    with ProcessPoolExecutor(1, get_context("spawn"), _settle_in, (cores,)) as pool:
        return pool.submit(step.do).result()


def _settle_in(cores: Cores) -> None:
    """Take the client's core, and let nothing tidy up in the midst of a measurement."""
    cores.take_client()
    gc.disable()
