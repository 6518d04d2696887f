"""`python -m benchmarks`: Croupier, an echo server and an ordinary web stack measured on this machine in one run."""

import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Final

import click
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from benchmarks import machine, report
from benchmarks.report import lines
from benchmarks.run import FULL, QUICK, Plan, PlanStep, Results, run, steps
from benchmarks.systems import Croupier, Ordinary, RawEcho, System, Workspace
from croupier.cli.group import json_option, wants_json
from croupier.cli.output import console, give

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
    give(result, lambda: report.picture(about, found, results))
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


if __name__ == "__main__":
    benchmarks_command(prog_name="python -m benchmarks")
