"""The server beside an echo server and an ordinary web stack, measured in one run: plan, execution and report."""

import gc
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from multiprocessing import get_context
from operator import attrgetter
from pathlib import Path
from typing import Any, Final

import click
from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from benchmarks import machine
from benchmarks.loads import (
    Broadcast,
    LastSecond,
    Load,
    LoadPlan,
    SettlementTime,
    Storm,
    SystemRun,
    broadcast,
    last_second,
    measure_system,
    settlement,
    storm,
)
from benchmarks.machine import BenchmarkError, Cores, Spread
from benchmarks.systems import Croupier, Ordinary, RawEcho, System, Workspace
from croupier.cli.group import json_option, wants_json
from croupier.cli.output import console, give


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


@dataclass(frozen=True, slots=True)
class ReportRow:
    """One system under one load, over all rounds."""

    system: str
    clients: int
    #: Commands offered a second; 0 in a closed loop.
    offered: int
    rounds: int
    per_s: Spread
    p50_ms: Spread
    p99_ms: Spread
    server_us: Spread
    client_us: Spread
    late_ms: Spread
    #: Its rate as a share of the echo's, and as a multiple of the ordinary stack's, in the same round.
    of_echo: Spread | None
    of_ordinary: Spread | None
    refused: int
    unanswered: int
    #: In how many rounds the client limited the rate, and in how many other processes used the machine.
    limited: int
    disturbed: int


def lines(rounds: Sequence[BenchmarkRound]) -> Iterator[ReportRow]:
    """Yield one row for each system and load, closed loops first."""
    keys = dict.fromkeys(
        (load.offered, run_.clients, run_.system)
        for round_ in rounds
        for run_ in round_.system_runs
        for load in loads(run_)
    )
    for offered, clients, system in sorted(keys, key=lambda key: key[:2]):
        yield _line(rounds, system, clients, offered)


def loads(measure_system: SystemRun) -> tuple[Load, ...]:
    return (measure_system.closed, *measure_system.offered)


def _line(rounds: Sequence[BenchmarkRound], system: str, clients: int, offered: int) -> ReportRow:
    found = [load for round_ in rounds if (load := _load(round_, system, clients, offered)) is not None]

    def spread(figure: Callable[[Load], float]) -> Spread:
        return Spread.of(map(figure, found))

    return ReportRow(
        system=system,
        clients=clients,
        offered=offered,
        rounds=len(found),
        per_s=spread(lambda load: load.per_s),
        p50_ms=spread(lambda load: load.p50_ms),
        p99_ms=spread(lambda load: load.p99_ms),
        server_us=spread(lambda load: load.server_us),
        client_us=spread(lambda load: load.client_us),
        late_ms=spread(lambda load: load.late_ms),
        of_echo=_ratio(rounds, system, "echo", clients, offered),
        of_ordinary=_ratio(rounds, system, "ordinary", clients, offered),
        refused=sum(load.refused for load in found),
        unanswered=sum(load.unanswered for load in found),
        limited=sum(load.limited for load in found),
        disturbed=sum(load.disturbed for load in found),
    )


def _load(round_: BenchmarkRound, system: str, clients: int, offered: int) -> Load | None:
    for run_ in round_.system_runs:
        if run_.system == system and run_.clients == clients:
            return next((load for load in loads(run_) if load.offered == offered), None)
    return None


def _ratio(rounds: Sequence[BenchmarkRound], system: str, other: str, clients: int, offered: int) -> Spread | None:
    """Compare two rates within each round; None where there is nothing to compare."""
    if system == other or offered:
        return None
    pairs = [(_load(each, system, clients, 0), _load(each, other, clients, 0)) for each in rounds]
    ratios = [mine.per_s / theirs.per_s for mine, theirs in pairs if mine is not None and theirs is not None]
    return Spread.of(ratios) if ratios else None


_KIB: Final = 1024
_MARKS: Final = (
    "c: in so many rounds the client was saturated; the true figure is better.\n"
    "d: in so many rounds other processes used the machine."
)
_MS: Final = " ms"


def picture(about: Mapping[str, Any], found: Sequence[ReportRow], results: Results) -> Group:
    """Print a whole run."""
    return Group(*_parts(about, found, results))


def _parts(about: Mapping[str, Any], found: Sequence[ReportRow], results: Results) -> Iterator[RenderableType]:
    yield _heading(about)
    if any(line.system == "croupier" for line in found):
        yield _summary(found, results.rounds)
    for clients in dict.fromkeys(line.clients for line in found):
        yield _closed(clients, [line for line in found if line.clients == clients and not line.offered])
    offered = [line for line in found if line.offered]
    if offered:
        yield _offered(offered)
    yield _other(results.rounds)
    if any(line.limited or line.disturbed for line in found):
        yield Text(_MARKS)
    for words in about["left_out"]:
        yield Text(f"Left out: {words}.", style="bold")
    for failure in results.failures:
        yield Text(f"Not measured: {failure.step}, round {failure.round}: {failure.words}", style="bold red")


def _heading(about: Mapping[str, Any]) -> Text:
    machine, disk, plan = about["machine"], about["disk"], about["plan"]
    return Text(
        f"{machine['cores']} cores ({machine['processor']}), {machine['kernel']}, Python {machine['python']}, "
        f"{machine['packages']}; load {machine['load']} at the start.\n"
        f"Disk: {disk['filesystem']}, a flushed write takes {disk['flush_p50_ms']:.2f} ms, "
        f"one in a hundred {disk['flush_p99_ms']:.2f} ms or more.\n"
        f"Rounds: {plan['rounds']}. Each figure is the median; under it the least and the most."
    )


def _summary(found: Sequence[ReportRow], rounds: Sequence[BenchmarkRound]) -> Table:
    """Print the figures of Croupier with default settings: a column for each number of clients."""
    ours = [line for line in found if line.system == "croupier"]
    table = _table("Croupier with default settings")
    for line in ours:
        if not line.offered:
            table.add_column(f"{line.clients:,} clients", justify="right")
    closed = [line for line in ours if not line.offered]
    table.add_row("server CPU per bet", *(_spread(line.server_us, "{:,.1f}", " µs") for line in closed))
    table.add_row("rate, as a share of the echo's", *(_spread(line.of_echo, "{:.2f}") for line in closed))
    table.add_row("rate, as a multiple of the ordinary", *(_spread(line.of_ordinary, "{:.1f}") for line in closed))
    for name, figure, form, unit in _RUN_FIGURES:
        table.add_row(name, *(_run_spread(rounds, line.clients, figure, form, unit) for line in closed))
    for rate in dict.fromkeys(line.offered for line in ours if line.offered):
        offered = {line.clients: line for line in ours if line.offered == rate}
        lines = [offered.get(line.clients) for line in closed]
        table.add_row(f"p50 / p99 at {rate:,} bets a second", *map(_latency, lines))
        cells = (_spread(None if line is None else line.server_us, "{:,.1f}", " µs") for line in lines)
        table.add_row(f"server CPU per bet at {rate:,} bets a second", *cells)
    return table


#: The figures of one run of Croupier: their name, the field that has them, their form and unit.
_RUN_FIGURES: Final = (
    ("longest pause of the event loop", "pause_ms", "{:,.1f}", _MS),
    ("journal per bet", "journal.bytes_per_bet", "{:,.1f}", " bytes"),
    ("bets replayed per CPU second", "journal.replayed_per_s", "{:,.0f}", ""),
    ("entries audited per CPU second", "journal.audited_per_s", "{:,.0f}", ""),
    ("  one turn of a plain Python loop", "journal.loop_ns", "{:,.0f}", " ns"),
)


def _run_spread(rounds: Sequence[BenchmarkRound], clients: int, figure: str, form: str, unit: str) -> str:
    runs = (each for round_ in rounds for each in round_.system_runs)
    ours = (each for each in runs if (each.system, each.clients) == ("croupier", clients))
    found = [attrgetter(figure)(each) for each in ours if None not in (each.pause_ms, each.journal)]
    return _spread(Spread.of(found), form, unit) if found else ""


def _latency(line: ReportRow | None) -> str:
    return "" if line is None else f"{line.p50_ms.median:,.2f} / {line.p99_ms.median:,.2f} ms"


def _closed(clients: int, found: Iterable[ReportRow]) -> Table:
    table = _table(f"{clients:,} clients, each with one command in flight")
    for name in ("bets/s", "of echo", "of ordinary", "p50 / p99 ms", "server µs/bet", "marks"):
        table.add_column(name, justify="right")
    for line in found:
        table.add_row(
            line.system,
            _spread(line.per_s, "{:,.0f}"),
            _spread(line.of_echo, "{:.2f}"),
            _spread(line.of_ordinary, "{:.1f}"),
            f"{line.p50_ms.median:,.1f} / {line.p99_ms.median:,.1f}",
            _spread(line.server_us, "{:,.1f}"),
            _marks(line),
        )
    return table


def _offered(found: Sequence[ReportRow]) -> Table:
    table = _table(f"{found[0].clients:,} clients with a schedule, timed from when each bet was due")
    for name in ("offered/s", "answered/s", "p50 ms", "p99 ms", "client late, p99", "refused", "marks"):
        table.add_column(name, justify="right")
    for line in found:
        table.add_row(
            line.system,
            f"{line.offered:,}",
            _spread(line.per_s, "{:,.0f}"),
            _spread(line.p50_ms, "{:,.2f}"),
            _spread(line.p99_ms, "{:,.2f}"),
            f"{line.late_ms.median:,.2f}",
            f"{line.refused:,}",
            _marks(line),
        )
    return table


def _table(title: str) -> Table:
    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column("")
    return table


def _spread(figures: Spread | None, form: str, unit: str = "") -> str:
    """Format the median, and under it the least and the most."""
    if figures is None:
        return ""
    middle, least, most = (form.format(figure) for figure in figures)
    return f"{middle}{unit}" if least == most else f"{middle}{unit}\n{least}-{most}"


def _marks(line: ReportRow) -> str:
    marks = ((line.limited, "c"), (line.disturbed, "d"), (line.unanswered, "unanswered: "))
    return " ".join(f"{mark}{count}" for count, mark in marks if count)


def _other(rounds: Sequence[BenchmarkRound]) -> Table:
    table = _table("Other figures of Croupier")
    table.show_header = False
    table.add_column("", justify="right")
    for name, figure in (*_broadcasts(rounds), *_moments(rounds), *_memory(rounds), *_last_seconds(rounds)):
        table.add_row(name, figure)
    return table


def _broadcasts(rounds: Sequence[BenchmarkRound]) -> Iterator[tuple[str, str]]:
    found = [each for round_ in rounds for each in round_.broadcasts]
    for sockets in dict.fromkeys(each.sockets for each in found):
        those = [each for each in found if each.sockets == sockets]
        venue, bare = (
            _spread(Spread.of(Spread.of(times).median for times in column), "{:,.1f}", _MS)
            for column in ([each.venue_ms for each in those], [each.bare_ms for each in those])
        )
        ratio = _spread(Spread.of(each.ratio for each in those), "{:.2f}")
        size = those[-1].size
        yield f"table frame of {size} bytes to {sockets:,} connections", venue
        yield f"  os.write alone to {sockets:,} sockets", bare
        yield "  os.write as a share of Croupier", ratio


def _moments(rounds: Sequence[BenchmarkRound]) -> Iterator[tuple[str, str]]:
    storms = [each for round_ in rounds for each in round_.storms]
    if storms:
        words = f"{storms[0].dropped:,} terminals reconnect at once, until each has a snapshot"
        yield words, _spread(Spread.of(Spread.of(each.took_ms).median for each in storms), "{:,.0f}", _MS)
        yield _PAUSED, _pause(storms)
    settled = [each for round_ in rounds for each in round_.settlements]
    if settled:
        words = f"{settled[0].terminals:,} terminals with bets, settled from the number to the last frame"
        yield words, _spread(Spread.of(Spread.of(each.took_ms).median for each in settled), "{:,.1f}", _MS)
        yield _PAUSED, _pause(settled)


_PAUSED: Final = "  the longest pause of that server's event loop"


def _pause(found: Iterable[Storm | SettlementTime | LastSecond]) -> str:
    return _spread(Spread.of(each.pause_ms for each in found), "{:,.1f}", _MS)


def _memory(rounds: Sequence[BenchmarkRound]) -> Iterator[tuple[str, str]]:
    system_runs = [each for round_ in rounds for each in round_.system_runs]
    most = max((each.clients for each in system_runs), default=0)
    for system in dict.fromkeys(each.system for each in system_runs):
        memory = [each.memory / _KIB for each in system_runs if each.system == system and each.clients == most]
        if memory:
            yield f"memory for an idle terminal, {system}", _spread(Spread.of(memory), "{:,.1f}", " KiB")


def _last_seconds(rounds: Sequence[BenchmarkRound]) -> Iterator[tuple[str, str]]:
    for each in (each for round_ in rounds for each in round_.last_seconds):
        refused = ", ".join(f"{count:,} refused {code}" for code, count in each.refused.items()) or "none refused"
        found = f"{each.accepted:,} accepted, {refused}, {each.unanswered:,} unanswered; "
        found += f"{each.differing:,} sealed differently; p99 {each.p99_ms:,.1f} ms"
        yield f"{each.commands:,} commands in the second around a close", found
        yield _PAUSED, _pause((each,))


#: A measurement failed.
FAILED: Final = 1
#: On a disk on most machines, unlike /tmp.
USUAL: Final = Path("/var/tmp")  # noqa: S108 - directories with random names are created in it


@click.command("benchmarks")
@click.option("--quick", is_flag=True, help="One short round, for a first impression.")
@click.option("--rounds", type=click.IntRange(min=1), metavar="N", help=f"How many rounds; {FULL.rounds} by default.")
@click.option(
    "--data",
    type=click.Path(path_type=Path, exists=True, file_okay=False, writable=True),
    metavar="DIR",
    help=f"Where journals and databases are stored meanwhile, on a disk; {USUAL} by default.",
)
@click.option(
    "--python",
    type=click.Path(dir_okay=False),
    default=sys.executable,
    metavar="FILE",
    help="An interpreter with the packages of the ordinary stack; this one by default.",
)
@json_option
def benchmarks_command(quick: bool, rounds: int | None, data: Path | None, python: str) -> None:  # noqa: FBT001 - click's flag
    """Measure Croupier, a raw echo server and an ordinary web stack on this machine.

    Nothing else should run meanwhile: disturbed rounds are marked. Exits 1 if a measurement failed.
    """
    directory = _on_disk(data or USUAL)
    plan = QUICK if quick else FULL
    plan = replace(plan, rounds=rounds or plan.rounds)
    allowed = machine.allow_files(plan.files + machine.SPARE) - machine.SPARE
    systems, left_out = _systems(python)
    left_out += [f"{size:,} sockets: this user may open {allowed:,} files at once" for size in plan.beyond(allowed)]
    plan = plan.within(allowed)
    with tempfile.TemporaryDirectory(prefix="croupier-benchmarks-", dir=directory) as place:
        about = _about(Path(place), plan, left_out)
        results = _measured(plan, systems, Path(place))
    found = list(lines(results.rounds))
    result = {**about, "lines": [asdict(line) for line in found], **asdict(results)}
    give(result, lambda: picture(about, found, results))
    if results.failures:
        raise click.exceptions.Exit(FAILED)


def _on_disk(directory: Path) -> Path:
    """Refuse a directory in memory: a commit there is not durable."""
    kind = machine.filesystem(directory)
    if kind in machine.IN_MEMORY:
        message = f"{directory} is in memory ({kind}): name a directory on a disk."
        raise click.BadParameter(message, param_hint="'--data'")
    return directory


def _systems(python: str) -> tuple[list[System], list[str]]:
    """List what is measured, and what is left out."""
    ordinary = Ordinary(python)
    missing = ordinary.missing()
    if missing:
        return [RawEcho(), Croupier()], [f"the ordinary stack: {missing}"]
    return [RawEcho(), ordinary, Croupier()], []


def _about(place: Path, plan: Plan, left_out: list[str]) -> dict[str, Any]:
    """Describe the machine, the disk and the plan of this run."""
    p50, p99 = machine.flush_ms(place)
    disk = {"filesystem": machine.filesystem(place), "flush_p50_ms": p50, "flush_p99_ms": p99}
    return {"machine": machine.describe(), "disk": disk, "plan": asdict(plan), "left_out": left_out}


def _measured(plan: Plan, systems: list[System], place: Path) -> Results:
    cores = machine.Cores.here()
    todo = list(steps(plan, systems, Workspace(place, cores)))
    with _progress(len(todo)) as progress:
        return run(todo, cores, progress)


@contextmanager
def _progress(total: int) -> Iterator[Any]:
    """Show the progress of a run on a terminal."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console(stderr=True), disable=wants_json(), refresh_per_second=1) as shown:
        task = shown.add_task("", total=total)
        begun = 0

        def progress(step: PlanStep) -> None:
            nonlocal begun
            shown.update(task, description=f"round {step.round}: {step.words}", completed=begun)
            begun += 1

        yield progress
        shown.update(task, description="measured", completed=total)
