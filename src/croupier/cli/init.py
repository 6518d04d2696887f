"""The beginning on the command line: a configuration to fill in, written where there is none."""

from pathlib import Path

import click

from croupier.cli.answer import give, json_option, refuse
from croupier.config.template import template
from croupier.engine.software import software
from croupier.house.settings import Mode
from croupier.rules.refusal import Code, Refusal


@click.command("init")
@click.argument("path", metavar="[PATH]", type=click.Path(path_type=Path), default="croupier.toml")
@click.option("--real", is_flag=True, help="For a house with real money, and not a demonstration.")
@click.option("--force", is_flag=True, help="Write over a file that is there.")
@json_option
def init_command(path: Path, real: bool, force: bool) -> None:  # noqa: FBT001 - click's flags
    """Write a configuration to begin with: every key, with what it means and its default.

    The file is croupier.toml, here, unless another PATH is given.
    """
    mode = Mode.REAL if real else Mode.DEMO
    try:
        with path.open("w" if force else "x", encoding="utf-8") as file:
            file.write(template(mode, software()))
    except FileExistsError:
        refuse(Refusal(Code.ALREADY_THERE, None, f"{path} is there already: --force writes over it."))
    except OSError as error:
        raise click.BadParameter(f"{path} cannot be written: {error.strerror}", param_hint="'PATH'") from error
    give({"written": str(path), "mode": mode.value}, lambda: f"Written to {path}, for {mode.value} money.")
