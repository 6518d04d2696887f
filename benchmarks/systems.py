"""The systems that are measured: Croupier, an echo server, and an ordinary web stack; the journals that they leave."""

import gc
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from time import process_time
from typing import ClassVar, Final, Protocol

import msgspec

from benchmarks.frames import client_frame
from benchmarks.load_client import TIMEOUT_S, ClientProtocol, LoadClient, LoadConnection, frame_template, read
from benchmarks.machine import CHECKOUT, Address, BenchmarkError, Cores, Server, running
from croupier.client import Client, DeviceKey, RefusalBody, ServerAddress
from croupier.client.session import PendingCommand, hello
from croupier.engine.audit import audit
from croupier.engine.places import open_store
from croupier.engine.run import recover_state
from croupier.engine.storage import Storage, open_storage
from croupier.house.ids import DeviceId, DeviceKind, TableId
from croupier.house.rounds.opening import OpenBets
from croupier.journal.checkpoints import MemorySnapshots
from croupier.journal.keystore import KeyStore
from croupier.journal.pages import BetRow, decode_body
from croupier.protocol.inbound import WEBSOCKET_PATH, Note, Ping, StaffCommand
from croupier.rulebooks.schema import read_canonical
from croupier.rules.money import Cents
from croupier.rules.refusal import Code
from croupier.server.auth.credentials import CredentialStore

#: How many iterations of a plain loop are timed beside a replay.
LOOPS: Final = 200_000


@dataclass(frozen=True, slots=True)
class JournalFigures:
    """The journal of one load, without its snapshot."""

    bets: int
    #: Body, digest and MAC of the pages with bets, for each bet.
    bytes_per_bet: float
    #: Bets replayed and entries audited in a second of processor time.
    replayed_per_s: float
    audited_per_s: float
    #: One iteration of a plain Python loop, timed beside them: it tells how fast this machine was.
    loop_ns: float


def journal_figures(data: Path, key_store: KeyStore) -> JournalFigures:
    """Measure the journal of a data directory whose server has stopped."""
    bets, size = stored_bets(data)
    loop_ns = 1e9 * _cpu_s(_loop) / LOOPS
    with closing(open_storage(data, key_store)) as opened:
        storage = opened._replace(snapshots=MemorySnapshots(), tickets=None)
        replay_s = _cpu_s(lambda: recover_state(storage, read_canonical))
        audit_s = _cpu_s(lambda: _audit(storage))
        last = storage.store.last()
    entries = 0 if last is None else last.last
    loop_ns = min(loop_ns, 1e9 * _cpu_s(_loop) / LOOPS)
    return JournalFigures(bets, size / max(1, bets), bets / replay_s, entries / audit_s, loop_ns)


def stored_bets(data: Path) -> tuple[int, int]:
    """Count the bets on the disk, and the bytes of their pages."""
    bets = size = 0
    with closing(open_store(data, writing=False)) as store:
        for page in store.pages():
            found = sum(type(row) is BetRow for row in decode_body(page).rows)
            bets += found
            size += len(page.body) + len(page.head) + len(page.mac) if found else 0
    return bets, size


def _audit(storage: Storage) -> object:
    return audit(storage.store, storage.signer.verifier, read_canonical, storage.anchor.read(), storage.signer)


def _cpu_s(work: Callable[[], object]) -> float:
    """Return the processor time of some work, without garbage of the work before it."""
    gc.collect()
    begin = process_time()
    work()
    return process_time() - begin


def _loop() -> int:
    """Run a loop of plain Python: a dictionary, a few integers."""
    found: dict[int, int] = {}
    total = 0
    for number in range(LOOPS):
        found[number & 255] = total
        total += found[number & 255] & 7
    return total


#: What the ordinary stack consists of, and the command that installs it.
PACKAGES: Final = ("fastapi", "pydantic", "uvicorn", "uvloop", "websockets")
INSTALL: Final = "pip install --editable '.[bench]'"
#: As long as a bet of Croupier's, so that as many bytes are sent and received.
ECHOED: Final = (
    b'{"t":"ask","id":%d,"epoch":1,"command":'
    b'{"type":"PlaceBets","terminal":"A-1000","table":"A","round":1,"spin":1,"bets":[["17/20",1]]}}'
)
BET: Final = b'{"t":"bet","id":%d,"terminal":"%s","round":1,"spot":"17/20","amount":1}'


@dataclass(frozen=True, slots=True)
class PlainProtocol:
    """No message before the first bet."""

    path: str = WEBSOCKET_PATH
    field: str = "id"
    heartbeat: bytes = b""

    def name(self, index: int, /) -> str:
        return f"A-{index + 1}"

    def greet(self, _connection: LoadConnection, /) -> bool:
        return True

    def received(self, _connection: LoadConnection, _payload: bytes, /) -> bool:
        return True


@dataclass(frozen=True, slots=True)
class PlainSystem:
    """A rival that runs, and its bet, with the name of the terminal left open where it has one."""

    server: Server
    bet: bytes
    client_protocol: PlainProtocol = PlainProtocol()

    def prepare(self, clients: LoadClient, /) -> None:
        for connection in clients.connections:
            connection.command = frame_template(self.bet.replace(b"%s", connection.name.encode()))

    def longest_pause_ms(self) -> None:
        """None: it does not measure it."""


@dataclass(frozen=True, slots=True)
class RawEcho:
    """What sockets alone allow."""

    name: ClassVar = "echo"

    @contextmanager
    def open(self, _terminals: int, directory: Path, cores: Cores, /) -> Iterator[PlainSystem]:
        with running("benchmarks.peers", "echo", output=directory / "echo.log", cores=cores) as server:
            yield PlainSystem(server, ECHOED)

    def stored_bets(self, _directory: Path, /) -> None:
        """None: it stores nothing."""

    def journal(self, _directory: Path, /) -> None:
        """None: it has no journal."""


@dataclass(frozen=True, slots=True)
class Ordinary:
    """FastAPI, pydantic, and SQLite with a commit for each bet."""

    #: The interpreter that has its packages.
    python: str = sys.executable
    name: ClassVar = "ordinary"

    def missing(self) -> str:
        """Explain what is missing to run it; empty if nothing is."""
        if not (CHECKOUT / "benchmarks" / "ordinary.py").is_file():
            return "it is only in a checkout of the project"
        attempt = [self.python, "-P", "-c", f"import {', '.join(PACKAGES)}"]
        try:
            done = subprocess.run(attempt, capture_output=True, check=False)  # noqa: S603 - what was requested
        except OSError as error:
            return f"{self.python} cannot be run: {error.strerror}"
        return f"it needs {', '.join(PACKAGES)}; to install them: {INSTALL}" if done.returncode else ""

    @contextmanager
    def open(self, terminals: int, directory: Path, cores: Cores, /) -> Iterator[PlainSystem]:
        arguments, log = (str(directory / "ordinary.db"), str(terminals)), directory / "ordinary.log"
        with running(
            "benchmarks.ordinary", *arguments, output=log, cores=cores, python=self.python, folder=CHECKOUT
        ) as server:
            yield PlainSystem(server, BET)

    def stored_bets(self, directory: Path, /) -> int:
        with closing(sqlite3.connect(directory / "ordinary.db")) as database:
            count: int = database.execute("SELECT count(*) FROM bet").fetchone()[0]
        return count

    def journal(self, _directory: Path, /) -> None:
        """None: it has a table of bets."""


@dataclass(frozen=True, slots=True)
class Workspace:
    """Where measurements run: a directory on the disk, and the cores."""

    path: Path
    cores: Cores

    @contextmanager
    def directory(self) -> Iterator[Path]:
        """Create a directory for one measurement, and delete it afterwards."""
        path = Path(tempfile.mkdtemp(dir=self.path))
        try:
            yield path
        finally:
            shutil.rmtree(path)


class RunningSystem(Protocol):
    """A server that runs."""

    @property
    def server(self) -> Server: ...

    @property
    def client_protocol(self) -> ClientProtocol: ...

    def prepare(self, clients: LoadClient, /) -> None:
        """Give every connection what it needs to bet, and the frame of its bet."""

    def longest_pause_ms(self) -> float | None:
        """Read the longest pause of its event loop since its start; None if it does not measure it."""


class System(Protocol):
    """A system to measure."""

    @property
    def name(self) -> str: ...

    def open(self, terminals: int, directory: Path, cores: Cores, /) -> AbstractContextManager[RunningSystem]:
        """Start it with so many terminals."""

    def stored_bets(self, directory: Path, /) -> int | None:
        """Count the bets on the disk, once it has stopped; None if it stores none."""

    def journal(self, directory: Path, /) -> JournalFigures | None:
        """Measure its journal, once it has stopped; None if it has none."""


@contextmanager
def connected(server: Server, client_protocol: ClientProtocol, count: int) -> Iterator[LoadClient]:
    """Open so many connections, and close them in the end."""
    with closing(LoadClient(server.address, client_protocol)) as clients:
        clients.grow(count)
        yield clients


CONSOLE: Final = "console"
PERSON: Final = "dealer"
PASSWORD: Final = "no more bets"  # noqa: S105 - of a venue that is deleted after the measurement
TABLE: Final = TableId("A")
#: How long a dealer waits for a response, in seconds.
RESPONSE_S: Final = 30
#: More than a terminal stakes in a run, in one note.
NOTE: Final = 10_000_000
STAKE: Final = 1
#: The straight ups, and as many splits.
SPOTS: Final = (*map(str, range(37)), *(f"{low}/{low + 3}" for low in range(1, 34)))
_BET: Final = '"command":{"type":"PlaceBets","terminal":"%s","table":"A","round":%d,"spin":1,"bets":[["%s",%d]]}}'

_CONFIG: Final = """\
venue = "Benchmark"
data = "data"

[listen]
port = 0

[limits]
commands_per_s = {per_s}
commands_burst = {burst}
connections_max = {connections}

[log]
path = "croupier.log"
level = "warning"

[[consoles]]
id = "{console}"
role = "dealer"

[[staff]]
person = "{person}"
titles = ["Dealer"]
password = "{password}"

[[tables]]
id = "{table}"
rulebook = "skycity-adelaide-2003"
{settings}
"""
_PAUSE: Final = re.compile(rb"^croupier_loop_pause_longest_seconds (\S+)$", re.MULTILINE)
_TERMINAL: Final = """
[[terminals]]
id = "{name}"
tables = ["{table}"]
notes = [{note}]
"""


class StaffClient:
    """A member of staff at a console."""

    def __init__(self, address: Address, device: DeviceKey, person: str = PERSON) -> None:
        self._client = Client(ServerAddress(*address), device, timeout_s=RESPONSE_S)
        self._person, self.round = person, 0

    def sign_in(self) -> None:
        self._client.connect()
        result = self._client.sign_in(self._person, PASSWORD)
        if isinstance(result, RefusalBody):
            raise BenchmarkError(f"{self._person} cannot sign in: {result.code}")
        self.round = self._client.view.tables[TABLE].round

    def send(self, command: StaffCommand) -> None:
        """Send a command, and wait until it is committed."""
        self.wait(self.submit(command))

    def submit(self, command: StaffCommand) -> PendingCommand:
        return self._client.submit(command)

    def wait(self, pending: PendingCommand) -> None:
        response = self._client.response(pending)
        if isinstance(response, RefusalBody):
            raise BenchmarkError(f"{self._person} was refused: {response.code}: {response.says}")

    def open_bets(self) -> int:
        """Begin a round, and return its number."""
        self.send(OpenBets(TABLE))
        self.round += 1
        return self.round

    def watch(self) -> None:
        """Read everything that the console is sent, and do nothing else."""
        self._client.wait_for(lambda _: None)

    def close(self) -> None:
        self._client.close()


@dataclass(slots=True)
class TerminalProtocol:
    """How a terminal is admitted: it proves its key, and receives a snapshot."""

    keys: Mapping[str, str]
    path: str = WEBSOCKET_PATH
    field: str = "last_cmd"
    heartbeat: bytes = client_frame(msgspec.json.encode(Ping(0)))
    epoch: int = 0

    def name(self, index: int, /) -> str:
        return terminal(index)

    def device(self, name: str) -> DeviceKey:
        return DeviceKey(DeviceKind.TERMINAL, name, self.keys[name])

    def greet(self, connection: LoadConnection, /) -> bool:
        connection.send(client_frame(msgspec.json.encode(hello(self.device(connection.name)))))
        return False

    def received(self, _connection: LoadConnection, payload: bytes, /) -> bool:
        message = read(payload)
        if message["t"] != "snap":
            return False
        self.epoch = message["epoch"]
        return True


def terminal(index: int) -> str:
    return f"{TABLE}-{index + 1}"


@dataclass(slots=True)
class RunningVenue:
    """A venue that is open."""

    server: Server
    client_protocol: TerminalProtocol
    round: int = 0

    def prepare(self, clients: LoadClient, /) -> None:
        """Give every terminal credit, open a round, and build the bet of every terminal."""
        self.buy_in(clients)
        with self.dealer() as dealer:
            self.round = dealer.open_bets()
        clients.drain()
        self.build_bets(clients)

    def longest_pause_ms(self) -> float:
        """Read the metric of the server."""
        connection = HTTPConnection(*self.server.address, timeout=RESPONSE_S)
        try:
            connection.request("GET", "/metrics")
            found = _PAUSE.search(connection.getresponse().read())
        except (OSError, HTTPException) as error:
            raise BenchmarkError(f"the metrics cannot be read: {error}") from error
        finally:
            connection.close()
        if found is None:
            raise BenchmarkError("the metrics have no longest pause")
        return float(found[1]) * 1000

    @contextmanager
    def dealer(self) -> Iterator[StaffClient]:
        """Sign a dealer in for a while: nobody answers for a console during a load."""
        device = DeviceKey(DeviceKind.DEALER, CONSOLE, self.client_protocol.keys[CONSOLE])
        with closing(StaffClient(self.server.address, device)) as dealer:
            try:
                dealer.sign_in()
                yield dealer
            except TimeoutError as error:
                raise BenchmarkError(f"the dealer got no response within {RESPONSE_S} seconds") from error

    def buy_in(self, clients: LoadClient) -> None:
        """Insert a note into every terminal, again where the server was busy."""
        waiting = dict.fromkeys(clients.connections, 1)
        for connection in waiting:
            self._insert_note(connection, 1)
        for connection, payload in clients.messages(TIMEOUT_S):
            id_ = waiting.get(connection, 0)
            code = _refusal_code(payload, id_)
            if code == Code.BUSY:
                waiting[connection] = id_ + 1
                self._insert_note(connection, id_ + 1)
            elif code is not None and waiting.pop(connection, 0) and not waiting:
                return
        raise BenchmarkError(f"{len(waiting)} terminals could not buy in")

    def _insert_note(self, connection: LoadConnection, id_: int) -> None:
        connection.send(client_frame(msgspec.json.encode(Note(id_, self.client_protocol.epoch, Cents(NOTE)))))

    def build_bets(self, clients: LoadClient) -> None:
        for connection in clients.connections:
            connection.command = self.bet(connection)

    def bet(self, connection: LoadConnection) -> bytes:
        spot = SPOTS[connection.index % len(SPOTS)]
        command = _BET % (connection.name, self.round, spot, STAKE)
        return frame_template(b'{"t":"ask","id":%%d,"epoch":%d,%b' % (self.client_protocol.epoch, command.encode()))


def _refusal_code(payload: bytes, id_: int) -> str | None:
    """Read why a note was refused: empty if it was accepted, None if this message is no response to it."""
    message = read(payload)
    if message["t"] != "seat":
        return None
    refused: dict[int, str] = {each["id"]: each["code"] for each in message.get("refused", ())}
    if refused.get(id_, Code.BUSY) != Code.BUSY:
        raise BenchmarkError(f"a note was refused: {refused[id_]}")
    return refused.get(id_, "" if message["last_cmd"] >= id_ else None)


@dataclass(frozen=True, slots=True)
class Croupier:
    """A venue with one table that all terminals play at."""

    #: The table's settings besides its rulebook.
    settings: str = 'wheel = "random"\nwarning_s = 0'
    #: How many messages a connection may send a second, and at once: a load client is faster than a finger.
    per_s: int = 999_999
    burst: int = 999_999
    #: More of the configuration.
    extra: str = ""
    #: The module that runs as the server: a benchmark may have it watched.
    module: str = "croupier"
    #: Consoles besides the dealer's.
    consoles: tuple[tuple[str, DeviceKind], ...] = ()
    name: ClassVar = "croupier"

    @contextmanager
    def open(self, terminals: int, directory: Path, cores: Cores, /) -> Iterator[RunningVenue]:
        config, names = directory / "croupier.toml", [terminal(index) for index in range(terminals)]
        config.write_text(self._config(names), "utf-8")
        keys = enrol(directory / "data.keys", names, self.consoles)
        arguments = ("serve", "--config", str(config))
        with running(self.module, *arguments, output=directory / "serve.log", cores=cores, folder=directory) as server:
            yield RunningVenue(server, TerminalProtocol(keys))

    def _config(self, names: list[str]) -> str:
        head = _CONFIG.format(
            per_s=self.per_s,
            burst=self.burst,
            connections=len(names) + len(self.consoles) + 10,
            console=CONSOLE,
            person=PERSON,
            password=PASSWORD,
            table=TABLE,
            settings=self.settings,
        )
        notes = NOTE // 100
        return head + self.extra + "".join(_TERMINAL.format(name=name, table=TABLE, note=notes) for name in names)

    def stored_bets(self, directory: Path, /) -> int:
        return stored_bets(directory / "data")[0]

    def journal(self, directory: Path, /) -> JournalFigures:
        return journal_figures(directory / "data", KeyStore(directory / "data.keys"))


@contextmanager
def full_venue(venue: Croupier, terminals: int, workspace: Workspace) -> Iterator[tuple[RunningVenue, LoadClient]]:
    """Open a venue at which every terminal is connected."""
    with (
        workspace.directory() as directory,
        venue.open(terminals, directory, workspace.cores) as running_venue,
        connected(running_venue.server, running_venue.client_protocol, terminals) as clients,
    ):
        yield running_venue, clients


def enrol(directory: Path, names: list[str], consoles: Iterable[tuple[str, DeviceKind]]) -> dict[str, str]:
    """Enrol every terminal and console before the server starts."""
    directory.mkdir(mode=0o700)
    kinds = {DeviceId(name): DeviceKind.TERMINAL for name in names} | {DeviceId(CONSOLE): DeviceKind.DEALER}
    kinds |= {DeviceId(name): kind for name, kind in consoles}
    keys = CredentialStore.within(KeyStore(directory)).enrol(kinds)
    assert isinstance(keys, dict)
    return {str(device): key for device, key in keys.items()}
