"""Starting a house: whose secrets it refuses to start with, and what does not end the process."""

import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path
from urllib.request import urlopen

import pytest

from croupier.app import NotOpenedError, open_venue
from croupier.rules.refusal import Code
from tests.support.connections import CHEAP, LONG_S, VENUE, configured, open_house, played
from tests.support.rawline import said, upgrade

SERVE = ("-m", "croupier", "serve")
#: A house in which nobody works, which opens quickly.
UNSTAFFED = VENUE.partition("[[staff]]")[0]


def test_secret_of_a_demonstration_opens_no_house_for_real_money(tmp_path: Path) -> None:
    """Where somebody's secret stands in a configuration for anybody to read, no house for real money is opened."""
    secret = VENUE.replace('person = "manager"\n', 'person = "manager"\npassword = "a secret for all"\n')

    async def demonstration() -> None:
        async with open_house(tmp_path, f'key_store = "safe"\n{secret}'):
            pass

    async def real() -> tuple[Code, ...]:
        text = f'mode = "real"\nkey_store = "safe"\n{VENUE}'.replace('data = "data"', 'data = "other"')
        with pytest.raises(NotOpenedError) as error:
            await open_venue(configured(tmp_path, text), hasher=CHEAP)
        return tuple(refusal.code for refusal in error.value.refusals)

    played(demonstration)
    assert played(real) == (Code.DEFAULT_CREDENTIALS,)


def test_line_that_is_cut_while_it_is_written_to_ends_nothing(tmp_path: Path) -> None:
    """A process goes on when its connections are aborted, and stops cleanly on a signal."""
    tmp_path.joinpath("croupier.toml").write_text(UNSTAFFED, "utf-8")
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen(
        [sys.executable, *SERVE],
        cwd=tmp_path,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with process:
        assert process.stdout is not None
        found = re.search(r"http://127\.0\.0\.1:(\d+)/", process.stdout.readline())
        assert found is not None
        port = int(found[1])
        for _ in range(10):
            slam(port)
        with urlopen(f"http://127.0.0.1:{port}/health", timeout=LONG_S) as answer:
            assert answer.status == 200
        process.send_signal(signal.SIGTERM)
        assert process.wait(3 * LONG_S) == 0


def slam(port: int) -> None:
    """Ask for much, and be gone before the answers come: they are written to a line that nobody holds any more."""
    with socket.create_connection(("127.0.0.1", port), LONG_S) as line:
        line.sendall("\r\n".join([*upgrade(f"http://127.0.0.1:{port}"), "", ""]).encode())
        line.sendall(said("hello", screen="board", join=""))
        received = b""
        while b'"snap"' not in received:
            received += line.recv(65_536)
        line.sendall(30 * said("resync"))
