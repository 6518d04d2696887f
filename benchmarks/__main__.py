"""The benchmark on the command line: Croupier beside its rivals on this machine, in one run."""

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
from benchmarks.systems import Croupier, Ordinary, RawEcho, System, Workplace
from croupier.cli.group import json_option, wants_json
from croupier.cli.output import console, give

#: Something could not be measured.
FAILED: Final = 1
#: A place that is on a disk on most machines, where the usual one for what is temporary often is not.
USUAL: Final = Path("/var/tmp")  # noqa: S108 - folders with names of their own are made in it


@click.command("bench")
@click.option("--quick", is_flag=True, help="One short round: a glance, and no more than that.")
@click.option("--rounds", type=click.IntRange(min=1), metavar="N", help=f"How many rounds: {FULL.rounds} unless given.")
@click.option(
    "--data",
    type=click.Path(path_type=Path, exists=True, file_okay=False, writable=True),
    metavar="DIR",
    help=f"Keep journals and databases here meanwhile, on a disk; {USUAL} unless given.",
)
@click.option(
    "--python",
    type=click.Path(dir_okay=False),
    default=sys.executable,
    metavar="FILE",
    help="The interpreter that has the packages of the ordinary stack; this one unless given.",
)
@json_option
def bench_command(quick: bool, rounds: int | None, data: Path | None, python: str) -> None:  # noqa: FBT001 - click's flag
    """Measure Croupier beside a raw echo and the stack that an ordinary team would build, on this machine.

    Nothing else should run meanwhile: rounds in which something did are marked. Exits 1 where something could not be
    measured, and says what.
    """
    folder = _on_disk(data or USUAL)
    plan = QUICK if quick else FULL
    plan = replace(plan, rounds=rounds or plan.rounds)
    allowed = machine.allow_files(plan.files + machine.SPARE) - machine.SPARE
    systems, left_out = _systems(python)
    left_out += [f"{size:,} sockets: this user may open {allowed:,} files at once" for size in plan.beyond(allowed)]
    plan = plan.within(allowed)
    with tempfile.TemporaryDirectory(prefix="croupier-bench-", dir=folder) as place:
        about = _about(Path(place), plan, left_out)
        results = _measured(plan, systems, Path(place))
    found = list(lines(results.rounds))
    answer = {**about, "lines": [asdict(line) for line in found], **asdict(results)}
    give(answer, lambda: report.picture(about, found, results))
    if results.failures:
        raise click.exceptions.Exit(FAILED)


def _on_disk(folder: Path) -> Path:
    """Refuse a folder in memory: to commit there costs nothing, and is worth nothing."""
    kind = machine.filesystem(folder)
    if kind in machine.IN_MEMORY:
        message = f"{folder} is in memory ({kind}): name a directory on a disk."
        raise click.BadParameter(message, param_hint="'--data'")
    return folder


def _systems(python: str) -> tuple[list[System], list[str]]:
    """Name what is measured, and what is left out."""
    ordinary = Ordinary(python)
    missing = ordinary.missing()
    if missing:
        return [RawEcho(), Croupier()], [f"the ordinary stack: {missing}"]
    return [RawEcho(), ordinary, Croupier()], []


def _about(place: Path, plan: Plan, left_out: list[str]) -> dict[str, Any]:
    """Say where and how this run was made."""
    p50, p99 = machine.flush_ms(place)
    disk = {"filesystem": machine.filesystem(place), "flush_p50_ms": p50, "flush_p99_ms": p99}
    return {"machine": machine.described(), "disk": disk, "plan": asdict(plan), "left_out": left_out}


def _measured(plan: Plan, systems: list[System], place: Path) -> Results:
    cores = machine.Cores.here()
    todo = list(steps(plan, systems, Workplace(place, cores)))
    with _progress(len(todo)) as tell:
        return run(todo, cores, tell)


@contextmanager
def _progress(total: int) -> Iterator[Any]:
    """Show how far a run has come, to people."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console(stderr=True), disable=wants_json(), refresh_per_second=1) as shown:
        task = shown.add_task("", total=total)
        begun = 0

        def tell(step: PlanStep) -> None:
            nonlocal begun
            shown.update(task, description=f"round {step.round}: {step.words}", completed=begun)
            begun += 1

        yield tell
        shown.update(task, description="measured", completed=total)


if __name__ == "__main__":
    bench_command(prog_name="python -m benchmarks")
