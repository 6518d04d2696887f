"""The rehearsals on the command line: evenings from seeds, what came of them, and how to see a failing one again."""

from pathlib import Path
from typing import Any

import click
from rich.console import Group
from rich.table import Table
from rich.text import Text

from croupier.cli.group import json_option, wants_json
from croupier.cli.output import console, give
from croupier.engine.storage import Storage
from croupier.journal.disk import JournalFault
from croupier.simulation import run
from croupier.simulation.invariants import INVARIANTS
from croupier.simulation.run import COUNTS, RunTotals, SimulationFailure, simulate_many

#: An evening that shows something that must not be.
FAILED = 1
#: How many evenings are played where nobody says.
SEEDS = 20
#: How many evenings pass between two words of progress.
PROGRESS_EVERY = 50
#: What a failure means that is no invariant's.
FAULT = "The house could not go on at all."


class RunExport:
    """What becomes of an evening's journal: kept as a data directory where one is named."""

    def __init__(self, data: Path | None) -> None:
        self._data = data
        #: Why it could not be kept, where it could not.
        self.fault = ""

    def keep(self, storage: Storage) -> None:
        if self._data is None:
            return
        try:
            run.export_run(storage, self._data)
        except OSError as error:
            self.fault = str(error.strerror)
        except JournalFault as error:
            # The store of an evening that fails may be such as no store on a disk takes.
            self.fault = str(error)

    @property
    def kept(self) -> str | None:
        return None if self._data is None or self.fault else str(self._data)

    @property
    def words(self) -> str:
        if self.kept:
            return f"Kept in {self.kept}."
        return f"The evening cannot be kept whole in {self._data}: {self.fault}."


@click.command("rehearse")
@click.option("--seeds", type=click.IntRange(min=1), metavar="N", help=f"How many evenings: {SEEDS} unless given.")
@click.option("--seed", type=click.IntRange(min=0), metavar="S", help="Play this one evening.")
@click.option("--crash", is_flag=True, help="Let the machine fail at any moment, and start again.")
@click.option(
    "--keep",
    "data",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Keep the journal of the one evening as a data directory, with its safe beside it.",
)
@json_option
def rehearse_command(
    seeds: int | None,
    seed: int | None,
    crash: bool,  # noqa: FBT001 - click's flag
    data: Path | None,
) -> None:
    """Play whole evenings from seeds, with faults, and hold every step against what must always be true.

    Exits 1 where an evening fails, and then says which step broke what, and the command that shows it again.
    """
    _must_agree(seeds, seed, data)
    chosen = range(seeds or SEEDS) if seed is None else range(seed, seed + 1)
    keeping = RunExport(data)
    try:
        tally = simulate_many(chosen, crash=crash, progress=_progress, heir=keeping.keep)
    except SimulationFailure as failure:
        _give_failure(failure, keeping)
        raise click.exceptions.Exit(FAILED) from failure
    if keeping.fault:
        raise click.BadParameter(keeping.words, param_hint="'--keep'")
    give({"holds": True, **tally.told(), "kept": keeping.kept}, lambda: _picture(tally, keeping))


def _must_agree(seeds: int | None, seed: int | None, data: Path | None) -> None:
    """Refuse what cannot be done together, and a place to keep an evening in that is taken."""
    if seeds is not None and seed is not None:
        raise click.UsageError("--seed plays one evening and --seeds so many: name one of the two.")
    if data is None:
        return
    if seed is None:
        raise click.UsageError("--keep keeps one evening: name it with --seed.")
    taken = run.taken(data)
    if taken is not None:
        raise click.BadParameter(f"{taken} is there already.", param_hint="'--keep'")


def _progress(tally: RunTotals) -> None:
    if tally.seeds % PROGRESS_EVERY == 0 and not wants_json():
        console(stderr=True).print(f"{tally.seeds} evenings, {tally.steps} steps, {tally.crashes} crashes")


def _give_failure(failure: SimulationFailure, keeping: RunExport) -> None:
    told = _told(failure) | {"kept": keeping.kept}
    lines = (f"{name}: {value}" for name, value in told.items() if value is not None)
    give({"holds": False, **told}, lambda: "\n".join(lines))
    if keeping.fault:
        console(stderr=True).print(keeping.words)


def _told(failure: SimulationFailure) -> dict[str, Any]:
    return {
        "seed": failure.seed,
        "step": failure.step,
        "invariant": failure.invariant,
        "meaning": INVARIANTS.get(failure.invariant, FAULT),
        "words": failure.words,
        "command": failure.command,
    }


def _picture(tally: RunTotals, keeping: RunExport) -> Group:
    crashed = f"Crashes: {tally.crashes}. After each the house started again from its journal."
    words = [crashed] if tally.crashes else []
    return Group(_table(tally), *map(Text, [*words, *([keeping.words] if keeping.kept else [])]))


def _table(tally: RunTotals) -> Table:
    table = Table("evenings", str(tally.seeds), title="Every step held", title_justify="left")
    for name in COUNTS[1:]:
        table.add_row(name, str(getattr(tally, name)))
    for code, count in tally.outcomes.most_common():
        table.add_row(f"answered {code.replace('_', ' ')}", str(count))
    return table
