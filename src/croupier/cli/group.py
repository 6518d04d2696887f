"""The command group that loads a command when it is used, and the flag --json."""

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import import_module
from importlib.resources import files
from shutil import get_terminal_size
from typing import Any, Final

import click

#: The help of every command, which `python -m tests.support.helpdoc --write` writes: to show it, no command is loaded.
HELP_FILE: Final = "help.json"
#: The width that it is written for: that of click on a terminal of at least 80 columns.
HELP_WIDTH: Final = 78


@cache
def _helps() -> Mapping[str, Mapping[str, str]]:
    found: Mapping[str, Mapping[str, str]] = json.loads(files(__package__).joinpath(HELP_FILE).read_bytes())
    return found


def written_help(arguments: Sequence[str]) -> str | None:
    """Find the help that a command line asks for; None where it asks for something else, or for a narrow screen."""
    *path, last = arguments or ("",)
    if last not in ("-h", "--help") or get_terminal_size().columns < HELP_WIDTH + 2:
        return None
    return _helps().get(" ".join(path), {}).get("help")


class LazyGroup(click.Group):
    """A group that imports the module of a command only when the command is used."""

    def __init__(self, *args: Any, lazy: Mapping[str, str], **options: Any) -> None:  # noqa: ANN401 - click's
        super().__init__(*args, **options)
        self.lazy = lazy

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return sorted(self.lazy)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return self.load(cmd_name) if cmd_name in self.lazy else super().get_command(ctx, cmd_name)

    def load(self, name: str) -> click.Command:
        module, _, attribute = self.lazy[name].partition(":")
        command: click.Command = getattr(import_module(f"{__package__}.{module}"), attribute)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, _helps()[name]["short"]) for name in self.list_commands(ctx)])


def wants_json() -> bool:
    return bool(click.get_current_context().meta.get("croupier.json"))


def json_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the flag --json."""

    def remember(ctx: click.Context, _: click.Parameter, value: bool) -> None:  # noqa: FBT001 - click's callback
        if value:
            ctx.meta["croupier.json"] = True

    option = click.option(
        "--json", is_flag=True, expose_value=False, callback=remember, help="Answer in JSON, with amounts in cents."
    )
    return option(command)
