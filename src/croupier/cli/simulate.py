"""The command `simulate`: runs from seeds, and how to repeat one that fails."""

from pathlib import Path
from typing import Any

import click
from rich.console import Group, RenderableType
from rich.text import Text

from croupier.cli.group import json_option, wants_json
from croupier.cli.output import console, give, plain_table
from croupier.engine.storage import Storage
from croupier.journal.disk import JournalFault
from croupier.simulation import run
from croupier.simulation.invariants import INVARIANTS
from croupier.simulation.run import COUNTS, RunTotals, SimulationFailure, simulate_many

#: The exit code when a run violates an invariant.
FAILED = 1
#: How many seeds are run by default.
SEEDS = 20
#: After how many runs progress is reported.
PROGRESS_EVERY = 50
#: The description of a failure that is an exception and no invariant.
FAULT = "The system stopped with an exception."


class RunExport:
    """Exports the journal of a run as a data directory, if one is named."""

    def __init__(self, data: Path | None) -> None:
        self._data = data
        #: Why it could not be exported; empty when it could.
        self.fault = ""

    def write(self, storage: Storage) -> None:
        if self._data is None:
            return
        try:
            run.export_run(storage, self._data)
        except OSError as error:
            self.fault = str(error.strerror)
        except JournalFault as error:
            # The store of a failed run may contain what no store on a disk accepts.
            self.fault = str(error)

    @property
    def path(self) -> str | None:
        return None if self._data is None or self.fault else str(self._data)

    @property
    def words(self) -> str:
        if self.path:
            return f"Exported to {self.path}."
        return f"The run cannot be exported whole to {self._data}: {self.fault}."


@click.command("simulate")
@click.option(
    "--seeds", type=click.IntRange(min=1), metavar="N", help=f"Run this many seeds, from 0: {SEEDS} by default."
)
@click.option("--seed", type=click.IntRange(min=0), metavar="S", help="Run this one seed.")
@click.option("--crash", is_flag=True, help="Simulate crashes and disk faults too, with a restart after each.")
@click.option("--live", is_flag=True, help="Simulate gaming days of a live table, with dealers and players with chips.")
@click.option("--variants", is_flag=True, help="Simulate random wheels, layouts, bets, prices, zero rules and bonuses.")
@click.option(
    "--export",
    "data",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Export the journal of the one run as a data directory, with its key store beside it.",
)
@json_option
def simulate_command(  # noqa: PLR0913, PLR0917 - each is an option
    seeds: int | None,
    seed: int | None,
    crash: bool,  # noqa: FBT001 - click's flag
    live: bool,  # noqa: FBT001 - click's flag
    variants: bool,  # noqa: FBT001 - click's flag
    data: Path | None,
) -> None:
    """Simulate a venue from seeds, with faults, and check every invariant after each step.

    Exits 1 at the first run that violates one, and reports the step, the invariant and the command that repeats it.
    """
    _must_agree(seeds, seed, data)
    if live and variants:
        raise click.UsageError("--live is played by the rules of a venue, and --variants by none: give one of the two.")
    chosen = range(seeds or SEEDS) if seed is None else range(seed, seed + 1)
    export = RunExport(data)
    try:
        options = {"crash": crash, "live_table": live, "variants": variants}
        totals = simulate_many(chosen, **options, progress=_progress, keep_journal=export.write)
    except SimulationFailure as failure:
        report = _report(failure) | {"exported": export.path}
        lines = (f"{name}: {value}" for name, value in report.items() if value is not None)
        give({"holds": False, **report}, lambda: "\n".join(lines))
        if export.fault:
            console(stderr=True).print(export.words)
        raise click.exceptions.Exit(FAILED) from failure
    if export.fault:
        raise click.BadParameter(export.words, param_hint="'--export'")
    give({"holds": True, **totals.report(), "exported": export.path}, lambda: _picture(totals, export))


def _must_agree(seeds: int | None, seed: int | None, data: Path | None) -> None:
    """Refuse options that exclude each other, and a directory that exists."""
    if seeds is not None and seed is not None:
        raise click.UsageError("--seed runs one seed and --seeds several: give one of the two.")
    if data is None:
        return
    if seed is None:
        raise click.UsageError("--export writes one run: name its seed with --seed.")
    taken = run.existing(data)
    if taken is not None:
        raise click.BadParameter(f"{taken} exists already.", param_hint="'--export'")


def _progress(totals: RunTotals) -> None:
    if totals.seeds % PROGRESS_EVERY == 0 and not wants_json():
        console(stderr=True).print(f"{totals.seeds} runs, {totals.steps} steps, {totals.crashes} crashes")


def _report(failure: SimulationFailure) -> dict[str, Any]:
    return {
        "seed": failure.seed,
        "step": failure.step,
        "invariant": failure.invariant,
        "meaning": INVARIANTS.get(failure.invariant, FAULT),
        "words": failure.words,
        "command": failure.command,
    }


def _picture(totals: RunTotals, export: RunExport) -> Group:
    crashed = f"Crashes: {totals.crashes}. After each the system restarted from its journal."
    words = [crashed] if totals.crashes else []
    words += [export.words] if export.path else []
    return Group("Every invariant held", _table(totals), *map(Text, words))


def _table(totals: RunTotals) -> RenderableType:
    table = plain_table("", "")
    table.add_row("runs", str(totals.seeds))
    for name in COUNTS[1:]:
        table.add_row(name, str(getattr(totals, name)))
    for code, count in totals.outcomes.most_common():
        table.add_row(f"answered {code.replace('_', ' ')}", str(count))
    return table
