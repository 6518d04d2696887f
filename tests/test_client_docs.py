"""The examples of docs/client.md run against a real server."""

import re
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.demo_bots import DEMO
from tests.serving import Starts, processes

pytestmark = pytest.mark.untraced

PAGE = Path(__file__).parent.parent / "docs" / "client.md"
EXAMPLES = re.findall(r"^```python\n(.*?)^```", PAGE.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
LINES_MAX = 30
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
    programs = [each.replace("8290", str(server.port)) for each in EXAMPLES]
    with ThreadPoolExecutor(len(programs)) as pool:
        done = list(pool.map(_run, programs))
    server.stopped()

    for each in done:
        found = re.fullmatch(r"The number is (\d+): staked 5\.00, returned (0\.00|10\.00)\.\n", each.stdout)
        assert found, each
