"""The rivals: the raw echo, which no server can beat, and the stack that an ordinary team would build."""

import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Final

from croupier.bench.crowd import Crowd
from croupier.bench.frames import blank
from croupier.bench.line import Line
from croupier.bench.machine import Cores
from croupier.bench.process import Server, running

#: What the ordinary stack is made of, and the command that brings it.
PACKAGES: Final = ("fastapi", "pydantic", "uvicorn", "uvloop", "websockets")
INSTALL: Final = "pip install --editable '.[bench]'"
#: It is no part of Croupier, and is only there in a checkout.
CHECKOUT: Final = Path(__file__).parents[3]
#: As long as a bet at Croupier's wire, so that as many bytes go to and fro.
ECHOED: Final = (
    b'{"t":"ask","id":%d,"epoch":1,"command":'
    b'{"type":"PlaceBets","terminal":"A-1000","table":"A","round":1,"spin":1,"bets":[["17/20",1]]}}'
)
BET: Final = b'{"t":"bet","id":%d,"terminal":"%s","round":1,"spot":"17/20","amount":1}'


@dataclass(frozen=True, slots=True)
class PlainManners:
    """No word before the first bet."""

    path: str = "/wire"
    field: str = "id"
    alive: bytes = b""

    def name(self, place: int, /) -> str:
        return f"A-{place + 1}"

    def arrive(self, _line: Line, /) -> bool:
        return True

    def told(self, _line: Line, _payload: bytes, /) -> bool:
        return True


@dataclass(frozen=True, slots=True)
class PlainScene:
    """A rival that runs, and the bet that is placed at it, with the terminal's name left open where it wants one."""

    server: Server
    bet: bytes
    manners: PlainManners = PlainManners()

    def begin(self, crowd: Crowd, /) -> None:
        for line in crowd.lines:
            line.ask = blank(self.bet.replace(b"%s", line.name.encode()))


@dataclass(frozen=True, slots=True)
class RawEcho:
    """What the sockets alone allow."""

    name: ClassVar = "echo"

    @contextmanager
    def open(self, _seats: int, room: Path, cores: Cores, /) -> Iterator[PlainScene]:
        with running("croupier.bench.echo", output=room / "echo.log", cores=cores) as server:
            yield PlainScene(server, ECHOED)

    def kept(self, _room: Path, /) -> None:
        """Nothing is."""


@dataclass(frozen=True, slots=True)
class Ordinary:
    """FastAPI, pydantic, and SQLite with a commit for each bet."""

    #: The interpreter that has its packages.
    python: str = sys.executable
    name: ClassVar = "ordinary"

    def missing(self) -> str:
        """Say what is missing to run it; nothing where nothing is."""
        if not (CHECKOUT / "benchmarks" / "ordinary.py").is_file():
            return "it is only there in a checkout of the project"
        trial = [self.python, "-c", f"import {', '.join(PACKAGES)}"]
        try:
            done = subprocess.run(trial, capture_output=True, check=False)  # noqa: S603 - what was asked for
        except OSError as error:
            return f"{self.python} cannot be run: {error.strerror}"
        return f"it needs {', '.join(PACKAGES)}; to install them: {INSTALL}" if done.returncode else ""

    @contextmanager
    def open(self, seats: int, room: Path, cores: Cores, /) -> Iterator[PlainScene]:
        arguments, log = (str(room / "ordinary.db"), str(seats)), room / "ordinary.log"
        with running(
            "benchmarks.ordinary", *arguments, output=log, cores=cores, python=self.python, folder=CHECKOUT
        ) as server:
            yield PlainScene(server, BET)

    def kept(self, room: Path, /) -> int:
        with closing(sqlite3.connect(room / "ordinary.db")) as database:
            count: int = database.execute("SELECT count(*) FROM bet").fetchone()[0]
        return count
