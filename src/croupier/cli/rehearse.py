"""The rehearsals on the command line: evenings from seeds, what came of them, and how to see a failing one again."""

from typing import Any

import click
from rich.table import Table

from croupier.cli.answer import console, give, json_option, wants_json
from croupier.rehearsal.rehearsal import Failure, rehearse_many
from croupier.rehearsal.tally import COUNTS, Tally

#: An evening that shows something that must not be.
FAILED = 1
#: How many evenings pass between two words of progress.
PROGRESS_EVERY = 50


@click.command("rehearse")
@click.option(
    "--seeds", type=click.IntRange(min=1), default=20, show_default=True, metavar="N", help="How many evenings."
)
@click.option("--seed", type=click.IntRange(min=0), metavar="S", help="Play this one evening.")
@click.option("--crash", is_flag=True, help="Let the machine fail at any moment, and start again.")
@json_option
def rehearse_command(seeds: int, seed: int | None, crash: bool) -> None:  # noqa: FBT001 - click's flag
    """Play whole evenings from seeds, with faults, and hold every step against what must always be true.

    Exits 1 where an evening fails, and then says which step broke what, and the command that shows it again.
    """
    chosen = range(seeds) if seed is None else range(seed, seed + 1)
    try:
        tally = rehearse_many(chosen, crash=crash, progress=_progress)
    except Failure as failure:
        told = _told(failure)
        give({"holds": False, **told}, lambda: "\n".join(f"{name}: {value}" for name, value in told.items()))
        raise click.exceptions.Exit(FAILED) from failure
    give({"holds": True, **tally.told()}, lambda: _table(tally))


def _progress(tally: Tally) -> None:
    if tally.seeds % PROGRESS_EVERY == 0 and not wants_json():
        console(stderr=True).print(f"{tally.seeds} evenings, {tally.steps} steps, {tally.crashes} crashes")


def _told(failure: Failure) -> dict[str, Any]:
    return {
        "seed": failure.seed,
        "step": failure.step,
        "invariant": failure.invariant,
        "words": failure.words,
        "command": failure.command,
    }


def _table(tally: Tally) -> Table:
    table = Table("evenings", str(tally.seeds), title="Every step held", title_justify="left")
    for name in COUNTS[1:]:
        table.add_row(name, str(getattr(tally, name)))
    for code, count in tally.outcomes.most_common():
        table.add_row(f"answered {code.replace('_', ' ')}", str(count))
    return table
