"""Places: how a command is told where a house lies: its data directory and safe, or the configuration."""

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, Final

import click

from croupier.cli.answer import accepted
from croupier.config.reader import read_config
from croupier.config.shape import Config
from croupier.journal.safe import Safe

PATH: Final = click.Path(path_type=Path)
Command = Callable[..., Any]
_CONFIG: Final = "croupier.config"

_safe_option = click.option(
    "--safe",
    type=PATH,
    metavar="DIR",
    help="The safe, with the venue's keys and the anchor; beside the data unless given.",
)
_config_option = click.option(
    "--config",
    type=PATH,
    metavar="FILE",
    help="The venue's configuration, which names its data directory and its safe.",
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
    def located(*, data: Path | None, safe: Path | None, config: Path | None, **others: Any) -> Any:  # noqa: ANN401 - click's parameters, whatever they are
        if config is not None:
            found = accepted(read_config(config))
            click.get_current_context().meta[_CONFIG] = found
            data, safe = data or found.data, safe or found.safe
        if data is None and hint is not None:
            raise click.UsageError(f"Name the data directory, {hint}, or the configuration, '--config'.")
        return command(data=data, safe=safe, **others)

    return data_parameter(_safe_option(_config_option(located)))


def named_config() -> Config | None:
    """Give the configuration that the command was told, if any."""
    return click.get_current_context().meta.get(_CONFIG)


def safe_of(data: Path, safe: Path | None) -> Safe:
    """Find the safe of a house: the one that is named, or the one beside its data."""
    return Safe(safe) if safe else Safe.beside(data)
