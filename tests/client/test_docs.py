"""The examples of docs/client.md run against a real server."""

import dataclasses
import importlib
import re
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from croupier.client import View
from croupier.config.schema import Listen
from croupier.protocol.staff import FloorState
from tests.support.demo_bots import DEMO
from tests.support.serving import Starts, processes

pytestmark = pytest.mark.untraced

PAGE = (Path(__file__).parents[2] / "docs" / "client.md").read_text("utf-8")
*EXAMPLES, UNSET_EXAMPLE = re.findall(r"^```python\n(.*?)^```", PAGE, flags=re.MULTILINE | re.DOTALL)
LINES_MAX = 30
#: Where `croupier demo` listens without a configuration of its own.
DEMO_PORT = Listen().port
#: The demonstration with short rounds.
QUICK = re.sub(r"spin_s = \d+", "spin_s = 1", re.sub(r"pause_s = \d+", "pause_s = 3", DEMO))
QUICK = re.sub(r"betting_s = \d+", "betting_s = 6", re.sub(r"warning_s = \d+", "warning_s = 2", QUICK))


@pytest.fixture
def starts() -> Iterator[Starts]:
    with processes() as start:
        yield start


def _run(program: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)


def test_examples_are_short() -> None:
    """The page has the example twice, on asyncio and blocking, each in at most 30 lines."""
    assert ["asyncio.run" in each for each in EXAMPLES] == [True, False]
    assert max(each.count("\n") for each in EXAMPLES) <= LINES_MAX


def test_examples_bet_and_print_the_payment(starts: Starts, tmp_path: Path) -> None:
    """Each program joins, bets 5 on red, and prints the number and the payment by the rules."""
    config = tmp_path / "croupier.toml"
    config.write_text(QUICK, "utf-8")
    server = starts(config, "--bots", "0", command="demo")
    assert server.opened(), server.ended()
    programs = [each.replace(str(DEMO_PORT), str(server.port)) for each in EXAMPLES]
    with ThreadPoolExecutor(len(programs)) as pool:
        done = list(pool.map(_run, programs))
    server.stopped()

    for each in done:
        found = re.fullmatch(r"The number is (\d+): staked 5\.00, returned (0\.00|10\.00)\.\n", each.stdout)
        assert found, each


def test_examples_connect_where_the_demonstration_listens() -> None:
    """Every address of a server on the page has the port of a demonstration."""
    assert set(re.findall(r"ServerAddress(?:\.of)?\([^,]+, (\d+)", PAGE)) == {str(DEMO_PORT)}


def _rows(heading: str) -> list[list[str]]:
    """Return the names in backquotes in each cell of the first two columns of a table."""
    table = PAGE.split(f"## {heading}\n")[1].split("|---|---|\n")[1].split("\n\n")[0]
    return [[cell.strip() for cell in row.strip("| ").split(" | ")] for row in table.splitlines()]


def test_names_of_the_page_can_be_imported() -> None:
    """Each module that the page lists has the names beside it, and `croupier.client` has no other."""
    listed = dict[str, list[str]]()
    for modules, names in _rows("Names to import"):
        first, *others = re.findall(r"`([\w.]+)`", modules)
        listed[first] = re.findall(r"`(\w+)`", names)
        for other in others:
            importlib.import_module(first.rpartition(".")[0] + other)

    for module, exported in listed.items():
        found = importlib.import_module(module)
        assert [name for name in exported if not hasattr(found, name)] == []
    assert sorted(listed["croupier.client"]) == sorted(importlib.import_module("croupier.client").__all__)


def test_page_lists_every_field_of_the_view() -> None:
    """The table on the view has each public field of it once."""
    listed = [name for fields, _ in _rows("The view") for name in re.findall(r"`(\w+)`", fields)]

    assert sorted(listed) == sorted(each.name for each in dataclasses.fields(View) if each.name[0] != "_")


def test_missing_field_of_the_floor_is_unset() -> None:
    """The function that the page shows counts no incidents where a console receives none."""
    program: dict[str, Any] = {"View": View}
    exec(UNSET_EXAMPLE, program)  # noqa: S102 - the code of our own page

    assert program["open_incidents"](View()) == 0
    assert program["open_incidents"](View(floor=FloorState(incidents=()))) == 0
