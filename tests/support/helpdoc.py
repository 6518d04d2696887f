"""The help of every command as the command line prints it without loading the command.

`python -m tests.support.helpdoc --write` writes it; a test checks that it is current.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from croupier.cli.group import HELP_FILE, HELP_WIDTH
from croupier.cli.main import app

FILE = Path(__file__).parents[2] / "src" / "croupier" / "cli" / HELP_FILE


def current() -> str:
    context = click.Context(app, info_name="croupier", terminal_width=HELP_WIDTH, **app.context_settings)
    found = {name: text for command in app.lazy for name, text in _helps(app.load(command), context, command)}
    return json.dumps(found, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def _helps(command: click.Command, parent: click.Context, path: str) -> Iterator[tuple[str, dict[str, str]]]:
    context = click.Context(command, parent, info_name=command.name, **command.context_settings)
    full = {"help": command.get_help(context)} if command.add_help_option else {}
    yield path, {"short": command.get_short_help_str(limit=200), **full}
    for name, each in command.commands.items() if isinstance(command, click.Group) else ():
        yield from _helps(each, context, f"{path} {name}")


def main() -> int:
    text = current()
    same = FILE.exists() and FILE.read_text("utf-8") == text
    if "--write" in sys.argv:
        FILE.write_text(text, "utf-8")
        return 0
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
