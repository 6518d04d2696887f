"""The command line imports only what a command needs."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.helpdoc import FILE

ROOT = Path(__file__).parents[2]
PROBE = """
import json, sys
from croupier.cli.main import run
code = run(json.loads(sys.argv[1]))
print()
print(json.dumps([code, sorted(sys.modules)]))
"""
#: What only a running venue needs.
SERVER = {"croupier.server", "croupier.app", "croupier.operations", "uvloop", "picows", "apsw", "argon2", "reportlab"}


def loaded(*arguments: str) -> set[str]:
    """List the modules that a command has imported when it is done."""
    done = subprocess.run(
        [sys.executable, "-c", PROBE, json.dumps(arguments)], capture_output=True, text=True, check=True
    )
    code, modules = json.loads(done.stdout.splitlines()[-1])
    assert code == 0
    return set(modules)


@pytest.mark.parametrize(
    "arguments", [["--version"], ["--help"], ["serve", "--help"], ["staff", "code", "--help"]], ids=" ".join
)
def test_version_and_help_import_nothing_of_roulette(arguments: list[str]) -> None:
    """The version, the list of commands and the help of each need neither the rules nor the server."""
    ours = {name for name in loaded(*arguments) if name.startswith("croupier")}

    assert ours == {"croupier", "croupier.cli", "croupier.cli.group", "croupier.cli.main"}


@pytest.mark.untraced
@pytest.mark.parametrize(
    "arguments",
    [
        ["rulebooks"],
        ["odds", "us-double-zero", "--json"],
        ["settle", "us-double-zero", "1 on 17", "--result", "17"],
        ["rules", "us-double-zero", "Placement 1"],
        ["felt", "us-double-zero"],
    ],
    ids=" ".join,
)
def test_rules_commands_do_not_import_the_server(arguments: list[str]) -> None:
    """What is answered from the rules needs no server, and no numpy."""
    assert not loaded(*arguments) & {*SERVER, "numpy"}


@pytest.mark.untraced
def test_no_command_imports_numpy() -> None:
    """Every command can be loaded without numpy: only tests use it."""
    every = "import sys; from croupier.cli.main import app, _COMMANDS; [app.load(name) for name in _COMMANDS]"
    done = subprocess.run([sys.executable, "-c", f"{every}; sys.exit('numpy' in sys.modules)"], check=False)

    assert done.returncode == 0


def test_written_help_is_that_of_each_command() -> None:
    """The help that is shown without a command is what the command itself would print."""
    # In a process of its own: click keeps the option --help of a command that a test before has invoked by itself.
    written = subprocess.run([sys.executable, "-m", "tests.support.helpdoc"], cwd=ROOT, check=False)
    assert written.returncode == 0, "run python -m tests.support.helpdoc --write"


@pytest.mark.parametrize("columns", [80, 60])
def test_help_is_as_wide_as_the_screen(columns: int) -> None:
    """On a narrow screen the help is that of the command, and else the written one; both have the same words."""
    # In a process of its own, as above.
    words, width = ["-P", "-m", "croupier", "staff", "code", "-h"], {**os.environ, "COLUMNS": str(columns)}
    said = subprocess.run([sys.executable, *words], env=width, check=True, capture_output=True, text=True).stdout
    written = json.loads(FILE.read_bytes())["staff code"]["help"]
    assert (said == f"{written}\n") == (columns == 80)
    assert said.split() == written.split()
    assert max(map(len, said.splitlines())) <= columns
