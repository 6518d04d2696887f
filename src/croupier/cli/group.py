"""The command group that loads a command when it is used, and the flag --json."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, NamedTuple

import click


class LazyCommand(NamedTuple):
    """Where a command is defined, and its line in the help of the group."""

    #: A module of this package and the name in it: "rules:check".
    target: str
    short_help: str


class LazyGroup(click.Group):
    """A group that imports the module of a command only when the command is used."""

    def __init__(self, *args: Any, lazy: Mapping[str, LazyCommand], **options: Any) -> None:  # noqa: ANN401 - click's
        super().__init__(*args, **options)
        self.lazy = lazy

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return sorted(self.lazy)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return self.load(cmd_name) if cmd_name in self.lazy else super().get_command(ctx, cmd_name)

    def load(self, name: str) -> click.Command:
        module, _, attribute = self.lazy[name].target.partition(":")
        command: click.Command = getattr(import_module(f"{__package__}.{module}"), attribute)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, self.lazy[name].short_help) for name in self.list_commands(ctx)])


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
