"""The command rulebook: begin a rulebook from another, and see its felt while editing it."""

import time
from collections.abc import Iterator
from pathlib import Path

import click
from rich.console import Group, RenderableType
from rich.text import Text

from croupier.cli.felt import felt_text
from croupier.cli.group import json_option
from croupier.cli.output import console, give
from croupier.cli.rules import open_rulebook, rulebook_argument
from croupier.rulebooks.loader import SHIPPED, load_rulebook, rulebook_ids
from croupier.rulebooks.template import FILES, MARK, write_new
from croupier.rules.refusal import Refusal
from croupier.rules.texts import ID_FORM, escaped, is_id

#: How often a folder is looked at for changes.
LOOK_S = 0.5


@click.group("rulebook")
def rulebook_group() -> None:
    """Begin a rulebook from another, and see its felt while you edit it."""


@rulebook_group.command("new")
@click.argument("name", metavar="ID")
@click.option(
    "--from", "template", type=click.Choice(rulebook_ids()), default="generic-european", show_default=True,
    help="The rulebook to begin from.",
)  # fmt: skip
@click.option(
    "--to", "parent", type=click.Path(file_okay=False, path_type=Path), default=Path(), help="Where to put the folder."
)
@json_option
def new(name: str, template: str, parent: Path) -> None:
    """Write a rulebook into a folder of its name: it loads at once, and what is still the template's is marked."""
    if not is_id(name):
        message = f"An id is {ID_FORM}, not {escaped(name)}"
        raise click.BadParameter(message, param_hint="'ID'")
    folder = parent / name
    try:
        written = write_new(folder, name, SHIPPED.joinpath(template), template)
    except OSError as error:
        message = f"{folder} cannot be written: {error.strerror}"
        raise click.BadParameter(message, param_hint="'ID'") from error
    book = open_rulebook(str(folder))
    give(
        {"id": book.id, "folder": str(folder), "files": [path.name for path in written]},
        lambda: f"Written to {folder}. croupier check {folder} lists the lines that are the template's ('{MARK}').",
    )


@rulebook_group.command("draw")
@rulebook_argument
@click.option("--watch", is_flag=True, help="Draw again whenever a file of the rulebook changes, until Ctrl-C.")
def draw(rulebook: str, *, watch: bool) -> None:
    """Draw the felt of a rulebook, or list its problems; with --watch again after each change."""
    screen = console()
    for _ in _changes(Path(rulebook)) if watch else (None,):
        if watch:
            screen.clear()
        screen.print(_drawn(rulebook), soft_wrap=True)


def _drawn(reference: str) -> RenderableType:
    book = load_rulebook(reference)
    if not isinstance(book, Refusal):
        return felt_text(book)
    complaints = book.facts.get("complaints", ())
    lines = [Text(str(each)) for each in complaints] if isinstance(complaints, tuple) else []
    return Group(Text(book.message, style="bold red"), *lines)


def _changes(folder: Path) -> Iterator[None]:
    """Yield at once, and whenever a file of a folder has changed."""
    seen: list[tuple[str, int]] | None = None
    while True:
        found = [(file, (folder / file).stat().st_mtime_ns) for file in FILES if (folder / file).exists()]
        if found != seen:
            seen = found
            yield
        time.sleep(LOOK_S)
