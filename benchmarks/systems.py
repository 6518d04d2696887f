"""Croupier and its rivals as systems under test."""

import json
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Final, Protocol

from benchmarks.load_client import PATIENCE, ClientProtocol, LoadClient
from benchmarks.machine import BenchFault, Cores, Server, running
from croupier.client.blocking import (
    CONSOLE,
    PERSON,
    SECRET,
    TABLE,
    WIRE,
    BlockingConnection,
    DealerClient,
    blank,
    masked,
    read,
    seated,
)
from croupier.engine.storage import JOURNAL
from croupier.house.ids import DeviceId, DeviceKind
from croupier.journal.keystore import KeyStore
from croupier.journal.stores.sqlite import SqliteStore
from croupier.protocol.inbound import PROTOCOL
from croupier.rules.refusal import Code
from croupier.server.auth.credentials import CredentialStore

#: What the ordinary stack is made of, and the command that brings it.
PACKAGES: Final = ("fastapi", "pydantic", "uvicorn", "uvloop", "websockets")
INSTALL: Final = "pip install --editable '.[bench]'"
#: It is no part of Croupier, and is only there in a checkout.
CHECKOUT: Final = Path(__file__).parents[1]
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

    def arrive(self, _line: BlockingConnection, /) -> bool:
        return True

    def told(self, _line: BlockingConnection, _payload: bytes, /) -> bool:
        return True


@dataclass(frozen=True, slots=True)
class PlainScene:
    """A rival that runs, and the bet that is placed at it, with the terminal's name left open where it wants one."""

    server: Server
    bet: bytes
    client_protocol: PlainManners = PlainManners()

    def begin(self, crowd: LoadClient, /) -> None:
        for line in crowd.lines:
            line.ask = blank(self.bet.replace(b"%s", line.name.encode()))


@dataclass(frozen=True, slots=True)
class RawEcho:
    """What the sockets alone allow."""

    name: ClassVar = "echo"

    @contextmanager
    def open(self, _seats: int, room: Path, cores: Cores, /) -> Iterator[PlainScene]:
        with running("benchmarks.echo", output=room / "echo.log", cores=cores) as server:
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


@dataclass(frozen=True, slots=True)
class Workplace:
    """Where things are measured: a folder on the disk, and the cores."""

    folder: Path
    cores: Cores

    @contextmanager
    def room(self) -> Iterator[Path]:
        """A folder for one measurement, gone after it."""
        path = Path(tempfile.mkdtemp(dir=self.folder))
        try:
            yield path
        finally:
            shutil.rmtree(path)


class SystemUnderTest(Protocol):
    """A server that runs."""

    @property
    def server(self) -> Server: ...

    @property
    def client_protocol(self) -> ClientProtocol: ...

    def begin(self, crowd: LoadClient, /) -> None:
        """Put everybody where they can bet, each with a command in hand."""


class System(Protocol):
    """Something to be measured."""

    @property
    def name(self) -> str: ...

    def open(self, seats: int, room: Path, cores: Cores, /) -> AbstractContextManager[SystemUnderTest]:
        """Start it with so many seats."""

    def kept(self, room: Path, /) -> int | None:
        """Count the bets on the disk, once it has stopped; None where nothing is kept."""


@contextmanager
def crowded(server: Server, client_protocol: ClientProtocol, count: int) -> Iterator[LoadClient]:
    """Bring so many in, and send them away in the end."""
    with closing(LoadClient(server.address, client_protocol)) as crowd:
        crowd.grow(count)
        yield crowd


#: More than anybody stakes in a run, in one note that these terminals take.
NOTE: Final = 10_000_000
STAKE: Final = 1
#: The straight ups, and as many splits.
SPOTS: Final = (*map(str, range(37)), *(f"{low}/{low + 3}" for low in range(1, 34)))
_BET: Final = '"command":{"type":"PlaceBets","terminal":"%s","table":"A","round":%d,"spin":1,"bets":[["%s",%d]]}}'
_PLACED: Final = b'"type":"bets_changed.1"'

_CONFIG: Final = """\
venue = "Benchmark"
data = "data"

[listen]
port = 0

[limits]
commands_per_s = {per_s}
commands_burst = {at_once}
connections_max = {doors}

[log]
path = "croupier.log"
level = "warning"

[[consoles]]
id = "{console}"
role = "dealer"

[[staff]]
person = "{person}"
titles = ["Dealer"]
password = "{secret}"

[[tables]]
id = "{table}"
rulebook = "skycity-adelaide-2003"
{settings}
"""
_TERMINAL: Final = """
[[terminals]]
id = "{name}"
tables = ["{table}"]
notes = [{note}]
"""


@dataclass(slots=True)
class Terminals:
    """How a terminal comes in: it proves its key and is told everything."""

    keys: Mapping[str, str]
    path: str = WIRE
    field: str = "last_cmd"
    alive: bytes = masked(b'{"t":"ping","c":0}')
    epoch: int = 0

    def name(self, place: int, /) -> str:
        return terminal(place)

    def arrive(self, line: BlockingConnection, /) -> bool:
        line.send(masked(_hello(line.name, self.keys[line.name])))
        return False

    def told(self, _line: BlockingConnection, payload: bytes, /) -> bool:
        message = read(payload)
        if message["t"] != "snap":
            return False
        self.epoch = message["epoch"]
        return True


def terminal(place: int) -> str:
    return f"{TABLE}-{place + 1}"


def _hello(device: str, key: str) -> bytes:
    return _json(t="hello", screen="terminal", protocol=PROTOCOL, device=device, key=key)


def _json(**message: object) -> bytes:
    return json.dumps(message, separators=(",", ":")).encode()


@dataclass(slots=True)
class VenueScene:
    """A venue that is open."""

    server: Server
    client_protocol: Terminals
    round: int = 0

    def begin(self, crowd: LoadClient, /) -> None:
        """Have the dealer open a round, and give everybody credit and a bet to place in it."""
        self.buy_in(crowd)
        with self.dealer() as desk:
            self.round = desk.open_bets()
        crowd.quieten()
        self.hand_out(crowd)

    def dealer(self) -> AbstractContextManager[DealerClient]:
        """Seat a dealer at the console."""
        return seated(self.server.address, self.client_protocol.keys[CONSOLE])

    def buy_in(self, crowd: LoadClient) -> None:
        """Put a note into every terminal; once more where the house was held up."""
        waiting = dict.fromkeys(crowd.lines, 1)
        for line in waiting:
            self._insert_note(line, 1)
        for line, payload in crowd.listen(PATIENCE):
            number = waiting.get(line, 0)
            answer = _answer(payload, number)
            if answer == Code.BUSY:
                waiting[line] = number + 1
                self._insert_note(line, number + 1)
            elif answer is not None and waiting.pop(line, 0) and not waiting:
                return
        raise BenchFault(f"{len(waiting)} terminals could not be given credit")

    def _insert_note(self, line: BlockingConnection, number: int) -> None:
        line.send(masked(_json(t="note", id=number, epoch=self.client_protocol.epoch, value=NOTE)))

    def hand_out(self, crowd: LoadClient) -> None:
        for line in crowd.lines:
            line.ask = self.bet(line)

    def bet(self, line: BlockingConnection) -> bytes:
        spot = SPOTS[line.place % len(SPOTS)]
        command = _BET % (line.name, self.round, spot, STAKE)
        return blank(b'{"t":"ask","id":%%d,"epoch":%d,%b' % (self.client_protocol.epoch, command.encode()))


def _answer(payload: bytes, number: int) -> str | None:
    """Tell what a terminal's command was refused for, nothing where it was accepted, None where this is no answer."""
    message = read(payload)
    if message["t"] != "seat":
        return None
    refused: dict[int, str] = {no["id"]: no["code"] for no in message.get("refused", ())}
    if refused.get(number, Code.BUSY) != Code.BUSY:
        raise BenchFault(f"a note was refused: {refused[number]}")
    return refused.get(number, "" if message["last_cmd"] >= number else None)


@dataclass(frozen=True, slots=True)
class Croupier:
    """A venue with one table at which everybody sits."""

    #: What the table's settings are besides the rules.
    settings: str = 'wheel = "random"\nwarning_s = 0'
    #: How many commands a door may send a second, and how many at once: a load client is no finger.
    per_s: int = 999_999
    at_once: int = 999_999
    #: What the configuration says besides.
    more: str = ""
    #: What runs as the server: a benchmark may have it watched.
    module: str = "croupier"
    #: Consoles besides the dealer's.
    consoles: tuple[tuple[str, DeviceKind], ...] = ()
    name: ClassVar = "croupier"

    @contextmanager
    def open(self, seats: int, room: Path, cores: Cores, /) -> Iterator[VenueScene]:
        config, names = room / "croupier.toml", [terminal(place) for place in range(seats)]
        config.write_text(self._written(names), "utf-8")
        keys = _enrolled(room / "data.keys", names, self.consoles)
        arguments = ("serve", "--config", str(config))
        with running(self.module, *arguments, output=room / "serve.log", cores=cores, folder=room) as server:
            yield VenueScene(server, Terminals(keys))

    def _written(self, names: list[str]) -> str:
        head = _CONFIG.format(
            per_s=self.per_s,
            at_once=self.at_once,
            doors=len(names) + 10,
            console=CONSOLE,
            person=PERSON,
            secret=SECRET,
            table=TABLE,
            settings=self.settings,
        )
        return head + self.more + "".join(_TERMINAL.format(name=name, table=TABLE, note=NOTE // 100) for name in names)

    def kept(self, room: Path, /) -> int:
        with closing(SqliteStore(room / "data" / JOURNAL, writing=False)) as store:
            return sum(page.lines.count(_PLACED) for page in store.pages())


@contextmanager
def full_house(venue: Croupier, terminals: int, workplace: Workplace) -> Iterator[tuple[VenueScene, LoadClient]]:
    """Open a venue in which every seat is taken."""
    with (
        workplace.room() as room,
        venue.open(terminals, room, workplace.cores) as scene,
        crowded(scene.server, scene.client_protocol, terminals) as crowd,
    ):
        yield scene, crowd


def _enrolled(safe: Path, names: list[str], consoles: Iterable[tuple[str, DeviceKind]]) -> dict[str, str]:
    """Give every terminal and console its key beforehand, as a venue does that has so many."""
    safe.mkdir(mode=0o700)
    kinds = {DeviceId(name): DeviceKind.TERMINAL for name in names} | {DeviceId(CONSOLE): DeviceKind.DEALER}
    kinds |= {DeviceId(name): kind for name, kind in consoles}
    keys = CredentialStore.within(KeyStore(safe)).enrol(kinds)
    assert isinstance(keys, dict)
    return {str(device): key for device, key in keys.items()}
