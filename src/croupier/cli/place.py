"""Places: how a command is told where a house lies: its data directory, and the safe that goes with it."""

from pathlib import Path
from typing import Final

import click

from croupier.journal.safe import Safe

PATH: Final = click.Path(path_type=Path)

data_argument = click.argument("data", metavar="PATH", type=PATH)
data_option = click.option("--data", type=PATH, metavar="DIR", required=True, help="The data directory of the house.")
safe_option = click.option(
    "--safe",
    type=PATH,
    metavar="DIR",
    help="The safe, with the venue's keys and the anchor; beside the data unless given.",
)


def safe_of(data: Path, safe: Path | None) -> Safe:
    """Find the safe of a house: the one that is named, or the one beside its data."""
    return Safe(safe) if safe else Safe.beside(data)
