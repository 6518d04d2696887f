"""Output as JSON and as text, and refusals."""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from typing import Any, Literal, NoReturn, TypeVar

import click
from rich.console import Console, ConsoleOptions, Group, RenderableType
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from croupier.cli.group import wants_json
from croupier.rules.refusal import Code, Refusal
from croupier.rules.texts import escaped


def damage(position: int | None, words: str) -> RenderableType:
    where = "" if position is None else f" at entry {position}"
    return Text.assemble(("Damaged", "bold red"), f"{where}: {words}.")


#: Malformed and refused input alike.
REFUSED = 2

Value = TypeVar("Value")


class _EscapingConsole(Console):
    """A console that escapes control characters: no text of a journal or a file is a command to a terminal."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=escaped(segment.text, but="\n"))


def console(*, stderr: bool = False) -> Console:
    """Create a console that prints text as it is: brackets and colons in a venue's words are not markup."""
    return _EscapingConsole(stderr=stderr, highlight=False, markup=False, emoji=False)


def give(data: Mapping[str, Any], people: Callable[[], RenderableType], *, as_written: bool = False) -> None:
    """Print the result: JSON for programs, formatted text for people.

    Lines of a file that are shown verbatim are not cropped at the edge of the screen.
    """
    if wants_json():
        print(json.dumps(data))
    else:
        # In a group: rich would join a text by itself with what follows, and lose its no-wrap setting.
        console().print(Group(people()), crop=not as_written)


def written(*parts: str | tuple[str, str]) -> Text:
    """Return a text that is shown verbatim, however long its lines are."""
    return Text.assemble(*parts, no_wrap=True, overflow="ignore")


def plain_table(*columns: str, right: Iterable[str] = ()) -> Table:
    """Begin a table, as all commands print theirs; without headings if the columns have no names."""
    table = Table(header_style="bold", box=None, pad_edge=False, padding=(0, 1), show_header=any(columns))
    for place, column in enumerate(columns):
        justify: Literal["left", "right"] = "right" if column in right else "left"
        table.add_column(column, justify=justify, overflow="fold", no_wrap=place == 0 or column in right)
    return table


def accepted(value: Value | Refusal) -> Value:
    """Return a value, or exit with the refusal that it is."""
    if isinstance(value, Refusal):
        exit_refused(value)
    return value


def exit_refused(refusal: Refusal) -> NoReturn:
    """Print a refusal, and exit with its code."""
    if wants_json():
        print_refusal_json(refusal)
    else:
        # A complaint is one line, however narrow the screen is.
        console(stderr=True).print(refusal_text(refusal), soft_wrap="complaints" in refusal.facts)
    raise click.exceptions.Exit(REFUSED)


def print_refusal_json(refusal: Refusal) -> None:
    # Scripts read these keys: they must not change.
    fields = {"says" if key == "message" else key: value for key, value in asdict(refusal).items()}
    print(json.dumps({"refusal": fields}))


def usage_refusal(error: click.UsageError) -> Refusal:
    """Convert a usage error of click to a refusal."""
    message = f"{error.format_message().rstrip('.')}."
    return Refusal(Code.MALFORMED, None, message)


def refusal_text(refusal: Refusal) -> Text:
    """Format a refusal for people: what, why, and the position in the text if it could not be parsed."""
    text = Text()
    written, at = refusal.facts.get("text"), refusal.facts.get("at")
    if isinstance(written, str) and isinstance(at, int):
        line, finger = _window(written, at)
        text.append(f"  {line}\n  {' ' * finger}")
        text.append("^\n", style="bold red")
    text.append("Refused. ", style="bold red")
    text.append(refusal.message)
    if refusal.clause is not None:
        text.append(f"  [{refusal.clause}]", style="dim")
    complaints = refusal.facts.get("complaints", ())
    for complaint in complaints if isinstance(complaints, tuple) else ():
        text.append(f"\n  {complaint}")
    return text


#: The width of a slip's excerpt, which fits a narrow screen with the wrong character near its middle.
WINDOW = 70


def _window(written: str, at: int) -> tuple[str, int]:
    line = "".join(letter if letter.isprintable() else " " for letter in written)
    start = max(0, min(at - WINDOW // 2, len(line) - WINDOW))
    shown = line[start : start + WINDOW]
    if start > 0:
        shown = f"…{shown[1:]}"
    if start + WINDOW < len(line):
        shown = f"{shown[:-1]}…"
    return shown, at - start


def prompt(question: str) -> str | None:
    """Ask for a line of input; None when the input ends or is interrupted."""
    try:
        return input(question).strip()
    except (EOFError, KeyboardInterrupt):
        return None


#: A journal that is not what was written.
DAMAGED = 1


def damaged(words: str, position: int | None = None) -> NoReturn:
    """Report a damaged journal, with the first damaged entry if that is known; exit with code 1."""
    give({"whole": False, "position": position, "says": words}, lambda: damage(position, words))
    raise click.exceptions.Exit(DAMAGED)
