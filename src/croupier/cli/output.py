"""JSON and text output, shared options."""

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import wraps
from pathlib import Path
from typing import Any, Final, NoReturn, TypeVar

import click
from rich.console import Console, Group, RenderableType
from rich.text import Text

from croupier.config.reader import read_config
from croupier.config.schema import Config
from croupier.journal.keystore import KeyStore
from croupier.rules.refusal import Code, Refusal


def damage(position: int | None, words: str) -> RenderableType:
    where = "" if position is None else f" at entry {position}"
    return Text.assemble(("Damaged", "bold red"), f"{where}: {words}.")


#: Malformed and refused input alike.
REFUSED = 2

Value = TypeVar("Value")


def console(*, stderr: bool = False) -> Console:
    """A screen that shows text as it is: brackets and colons in a venue's words are words."""
    return Console(stderr=stderr, highlight=False, markup=False, emoji=False)


def wants_json() -> bool:
    return bool(click.get_current_context().meta.get("croupier.json"))


def json_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the flag --json."""

    def remember(ctx: click.Context, _: click.Parameter, value: bool) -> None:  # noqa: FBT001 - click's callback
        if value:
            ctx.meta["croupier.json"] = True

    option = click.option(
        "--json", is_flag=True, expose_value=False, callback=remember, help="Answer in JSON, amounts in whole cents."
    )
    return option(command)


def give(data: Mapping[str, Any], people: Callable[[], RenderableType], *, as_written: bool = False) -> None:
    """Print the answer: the data where a program asks, the picture where a person does.

    Lines of a file that are shown as they are written are not cut off at the edge of the screen.
    """
    if wants_json():
        print(json.dumps(data))
    else:
        # In a group: a text by itself would be joined with what follows, and forget that it is not to be wrapped.
        console().print(Group(people()), crop=not as_written)


def written(*parts: str | tuple[str, str]) -> Text:
    """Text that is shown as it stands in a file, however long its lines are."""
    return Text.assemble(*parts, no_wrap=True, overflow="ignore")


def accepted(value: Value | Refusal) -> Value:
    """Pass a value on, or stop with the refusal it is."""
    if isinstance(value, Refusal):
        refuse(value)
    return value


def refuse(refusal: Refusal) -> NoReturn:
    if wants_json():
        print_refusal_json(refusal)
    else:
        console(stderr=True).print(refusal_text(refusal))
    raise click.exceptions.Exit(REFUSED)


def print_refusal_json(refusal: Refusal) -> None:
    print(json.dumps({"refusal": asdict(refusal)}))


def usage_refusal(error: click.UsageError) -> Refusal:
    """A command line that click could not read, as a refusal like any other."""
    says = f"{error.format_message().rstrip('.')}."
    return Refusal(Code.MALFORMED, None, says)


def refusal_text(refusal: Refusal) -> Text:
    """Say no to a person: what, why, and where in the text if it could not be read."""
    text = Text()
    written, at = refusal.facts.get("text"), refusal.facts.get("at")
    if isinstance(written, str) and isinstance(at, int):
        line, finger = _window(written, at)
        text.append(f"  {line}\n  {' ' * finger}")
        text.append("^\n", style="bold red")
    text.append("Refused. ", style="bold red")
    text.append(refusal.says)
    if refusal.clause is not None:
        text.append(f"  [{refusal.clause}]", style="dim")
    complaints = refusal.facts.get("complaints", ())
    for complaint in complaints if isinstance(complaints, tuple) else ():
        text.append(f"\n  {complaint}")
    return text


#: As much of a slip as fits on a narrow screen, with the wrong character near the middle of it.
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


PATH: Final = click.Path(path_type=Path)
Command = Callable[..., Any]
_CONFIG: Final = "croupier.config"

_safe_option = click.option(
    "--key-store",
    type=PATH,
    metavar="DIR",
    help="The key store, with the venue's keys and the anchor; beside the data unless given.",
)
_config_option = click.option(
    "--config",
    type=PATH,
    metavar="FILE",
    help="The venue's configuration, which names its data directory and its key store.",
)


def at_data_argument(command: Command) -> Command:
    """Let a command be told the data directory as its argument PATH, or by --config."""
    return _placed(click.argument("data", metavar="[PATH]", type=PATH, required=False), command, "'PATH'")


def at_data_option(command: Command) -> Command:
    """Let a command be told the data directory by --data or by --config."""
    option = click.option("--data", type=PATH, metavar="DIR", help="The data directory of the house.")
    return _placed(option, command, "'--data'")


def at_running_option(command: Command) -> Command:
    """Let a command be told by --data or --config which running system to ask, if any."""
    option = click.option("--data", type=PATH, metavar="DIR", help="Ask the system that runs on DIR.")
    return _placed(option, command, None)


def _placed(data_parameter: Callable[[Command], Command], command: Command, hint: str | None) -> Command:
    @wraps(command)
    def located(*, data: Path | None, key_store: Path | None, config: Path | None, **others: Any) -> Any:  # noqa: ANN401 - click's parameters, whatever they are
        if config is not None:
            found = accepted(read_config(config))
            click.get_current_context().meta[_CONFIG] = found
            data, key_store = data or found.data, key_store or found.key_store
        if data is None and hint is not None:
            raise click.UsageError(f"Name the data directory, {hint}, or the configuration, '--config'.")
        return command(data=data, key_store=key_store, **others)

    return data_parameter(_safe_option(_config_option(located)))


def named_config() -> Config | None:
    """Give the configuration that the command was told, if any."""
    return click.get_current_context().meta.get(_CONFIG)


def key_store_of(data: Path, key_store: Path | None) -> KeyStore:
    """Find the safe of a house: the one that is named, or the one beside its data."""
    return KeyStore(key_store) if key_store else KeyStore.default_for(data)


#: A journal that is not what was written.
DAMAGED = 1


def damaged(words: str, position: int | None = None) -> NoReturn:
    """Say what is not as it was written, and from which entry on where that is known; leave with exit code 1."""
    give({"whole": False, "position": position, "says": words}, lambda: damage(position, words))
    raise click.exceptions.Exit(DAMAGED)
