"""Pauses of the event loop with 2,000 terminals and 100 staff consoles, one event after the other."""

import json
import multiprocessing
import os
import sys
import tempfile
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from multiprocessing.synchronize import Event
from pathlib import Path
from threading import Thread
from time import monotonic, sleep
from typing import Final

import msgspec

from benchmarks.frames import client_frame
from benchmarks.load_client import LoadClient, LoadConnection, read
from benchmarks.loads import CpuMeter, closed_loop
from benchmarks.machine import CHECKOUT, Address, BenchmarkError, Cores, allow_files
from benchmarks.systems import PASSWORD, TABLE, Croupier, RunningVenue, StaffClient, Workspace, connected
from benchmarks.watched import PAUSES
from croupier.client import Client, DeviceKey, RefusalBody, ServerAddress
from croupier.client.session import hello
from croupier.engine.ports import SNAPSHOT_EVERY
from croupier.engine.storage import SNAPSHOT
from croupier.house.ids import DeviceKind
from croupier.house.rounds.closing import CloseBets, FinishBetting
from croupier.house.rounds.results import ConfirmResult
from croupier.house.rounds.spinning import SpinBall
from croupier.protocol.inbound import WEBSOCKET_PATH, Ping, QueryDocument, SignIn
from croupier.protocol.queries import DayReportRequest, DocumentFormat
from croupier.rules.geometry import Pocket

TERMINALS: Final = int(sys.argv[1]) if len(sys.argv) > 1 else 2_000
#: How many terminals reconnect at once while the others stay.
RETURNING: Final = TERMINALS // 2
#: How many consoles of each kind, and the title of the person at each.
CONSOLES: Final = {
    DeviceKind.PIT: (50, "Shift Manager"),
    DeviceKind.DEALER: (30, "Dealer"),
    DeviceKind.AUDITOR: (10, "Shift Manager"),
    DeviceKind.CASHIER: (10, "Cashier"),
}
AUDITOR: Final = f"{DeviceKind.AUDITOR}-1"
#: The goals: the longest pause of the event loop, and the time until all are back, in milliseconds.
PAUSE_MAX, STORM_MAX = 20, 1_000
#: How long the server may take for what is due, in seconds.
TIMEOUT_S: Final = 120
#: How many sign-ins are in progress at one time.
SIGN_INS: Final = 8
#: How long the server is watched after an event, in seconds: staff are sent its changes later.
AFTER_S: Final = 0.6
_CONSOLE: Final = """
[[consoles]]
id = "{name}"
role = "{kind}"
"""
#: One person signs in at every console of a kind.
_PERSON: Final = """
[[staff]]
person = "{kind}"
titles = ["{title}"]
password = "{password}"
"""


def main() -> None:
    allow_files(2 * TERMINALS + 1_000)
    cores = Cores.here()
    cores.use_client()
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        os.environ[PAUSES] = str(Path(folder, "pauses"))
        os.environ["PYTHONPATH"] = os.pathsep.join([str(CHECKOUT), *filter(None, sys.path)])
        consoles = tuple((name, kind) for kind, name in _consoles())
        extra = "".join(_CONSOLE.format(name=name, kind=kind) for kind, name in _consoles())
        people = {kind: title for kind, (_, title) in CONSOLES.items()}
        extra += "".join(
            _PERSON.format(kind=kind, title=title, password=PASSWORD)
            for kind, title in people.items()
            if kind is not DeviceKind.DEALER
        )
        system = Croupier(
            'wheel = "keypad"\nwarning_s = 600', extra=extra, module="benchmarks.watched", consoles=consoles
        )
        with (
            Workspace(Path(folder), cores).directory() as directory,
            system.open(TERMINALS, directory, cores) as venue,
            _staffed(venue),
            connected(venue.server, venue.client_protocol, TERMINALS) as clients,
        ):
            venue.buy_in(clients)
            clients.drain()
            print(f"{TERMINALS} terminals at one table, {len(consoles)} consoles; longest pauses in ms", flush=True)
            print(f"  {'event':34}{'wall':>8}{'CPU':>8}{'> 20 ms':>9}{'server':>8}{'others':>8}{'seconds':>9}")
            Walk(venue, clients, Path(folder)).run()


def _consoles() -> Iterator[tuple[DeviceKind, str]]:
    for kind, (count, _) in CONSOLES.items():
        yield from ((kind, f"{kind}-{number + 1}") for number in range(count))


@dataclass(slots=True)
class Walk:
    """The events, one after the other, and the longest pauses in them."""

    venue: RunningVenue
    clients: LoadClient
    folder: Path
    #: The longest pause of each event and the longest processor time of one, in milliseconds.
    longest: dict[str, tuple[float, float]] = field(default_factory=dict)

    def run(self) -> None:
        clients = self.clients
        with self._event("a round opens"):
            self._deal(lambda dealer: setattr(self.venue, "round", dealer.open_bets()))
        self.venue.build_bets(clients)
        with self._event("every terminal bets at once"):
            self._bet(0)
        with self._event("betting closes"):
            self._deal(_close)
        with self._event("the round is settled"):
            self._deal(_settle)
        self._snapshot()
        with self._event(f"{RETURNING} terminals reconnect"):
            clients.drop(clients.connections[:RETURNING])
            clients.connect(clients.connections[:RETURNING], at_once=RETURNING)
        with self._event("a day is reported, as PDF"):
            self._report()
        storm = self._go_offline()
        wall, used = (max(each[place] for each in self.longest.values()) for place in (0, 1))
        for name, longest in (("longest pause", wall), ("longest CPU time of a pause", used)):
            print(f"  {name}: {longest:.1f} ms, goal {PAUSE_MAX}: {'met' if longest < PAUSE_MAX else 'MISSED'}")
        print(f"  all are back in {storm:.0f} ms, goal {STORM_MAX}: {'met' if storm < STORM_MAX else 'MISSED'}")

    def _snapshot(self) -> None:
        """Bet until a snapshot is due, and close: it is written then."""
        self._deal(lambda dealer: setattr(self.venue, "round", dealer.open_bets()))
        self.venue.build_bets(self.clients)
        with self._event("2,000 terminals bet, closed loop"):
            while self._position() < SNAPSHOT_EVERY:
                self._bet(1)
        path = next(self.folder.glob(f"*/data/{SNAPSHOT}"), None)
        before = 0 if path is None else path.stat().st_mtime_ns
        with self._event("betting closes, with a snapshot"):
            self._deal(_close)
            self._until(lambda: any(each.stat().st_mtime_ns > before for each in self._snapshots()))
        with self._event("that round is settled"):
            self._deal(_settle)

    def _snapshots(self) -> Iterator[Path]:
        return self.folder.glob(f"*/data/{SNAPSHOT}")

    def _go_offline(self) -> float:
        """Drop all, wait until all malfunction, and reconnect; return how long that took, in milliseconds."""
        clients, count = self.clients, len(self.clients.connections)
        with self._event("a round opens, and all bet"):
            self._deal(lambda dealer: setattr(self.venue, "round", dealer.open_bets()))
            self.venue.build_bets(clients)
            self._bet(0)
        position = self._position()
        with self._event(f"{count} terminals go offline"):
            clients.drop(clients.connections)
            self._until(lambda: self._position() >= position + count)
        with self._event("their malfunctions are raised"):
            # Each is lost, malfunctions, and gets its bet back.
            self._until(lambda: self._position() >= position + 3 * count)
        with self._event(f"{count} terminals reconnect"):
            begin = monotonic()
            clients.connect(clients.connections, at_once=count)
            return (monotonic() - begin) * 1_000

    def _bet(self, seconds: float) -> None:
        placed = closed_loop(self.clients, self.venue.server, seconds)
        if placed.unanswered or any(connection.refused for connection in self.clients.connections):
            raise BenchmarkError("not every bet was accepted")

    def _deal(self, act: Callable[[StaffClient], object]) -> None:
        """Have the dealer act on a thread of its own, while the terminals read."""
        failed: list[Exception] = []

        def deal() -> None:
            try:
                with self.venue.dealer() as dealer:
                    act(dealer)
            except Exception as error:  # noqa: BLE001 - raised again
                failed.append(error)

        self._meanwhile(deal)
        if failed:
            raise failed[0]

    def _report(self) -> None:
        def ask() -> None:
            device = DeviceKey(DeviceKind.AUDITOR, AUDITOR, self.venue.client_protocol.keys[AUDITOR])
            server = ServerAddress(*self.venue.server.address)
            with closing(Client(server, device, timeout_s=TIMEOUT_S)) as auditor:
                auditor.connect()
                auditor.sign_in(DeviceKind.AUDITOR, PASSWORD)
                result: object = RefusalBody
                while not hasattr(result, "content"):
                    # Refused while the past is still being read.
                    result = auditor.query(QueryDocument(form=DocumentFormat.PDF, document=DayReportRequest()))

        self._meanwhile(ask)

    def _meanwhile(self, do: Callable[[], None]) -> None:
        """Do something on a thread, while the terminals read what they are sent and send their heartbeats."""
        thread = Thread(target=do)
        thread.start()
        while thread.is_alive():
            self.clients.drain()
        thread.join()

    def _until(self, condition: Callable[[], bool]) -> None:
        give_up = monotonic() + TIMEOUT_S
        while not condition():
            if monotonic() > give_up:
                raise BenchmarkError(f"that took more than {TIMEOUT_S} s")
            self._meanwhile(lambda: sleep(0.1))

    def _position(self) -> int:
        return _position(self.venue.server.address)

    @contextmanager
    def _event(self, name: str) -> Iterator[None]:
        """Report the pauses during an event, and some time after it."""
        meter, begin = CpuMeter(self.venue.server), monotonic()
        yield
        self._meanwhile(lambda: sleep(AFTER_S))
        end, shares = monotonic(), meter.stop()
        found = [(pause, used) for at, pause, used in self._pauses() if begin <= at <= end]
        wall, used = (max((each[place] for each in found), default=0.0) for place in (0, 1))
        over = sum(pause > PAUSE_MAX for pause, _ in found)
        self.longest[name] = wall, used
        print(
            f"  {name:34}{wall:8.1f}{used:8.1f}{over:9}{shares.server:8.2f}{shares.others:8.2f}{end - begin:9.1f}",
            flush=True,
        )

    def _pauses(self) -> Iterator[tuple[float, float, float]]:
        for line in self.folder.joinpath("pauses").read_text("utf-8").splitlines():
            at, pause, used = map(float, line.split())
            yield at, pause * 1_000, used * 1_000


def _close(dealer: StaffClient) -> None:
    dealer.send(FinishBetting(TABLE))
    dealer.send(CloseBets(TABLE))


def _settle(dealer: StaffClient) -> None:
    dealer.send(SpinBall(TABLE))
    dealer.send(ConfirmResult(TABLE, pocket=Pocket("17")))


def _position(address: Address) -> int:
    with urllib.request.urlopen(f"http://{address.host}:{address.port}/health", timeout=TIMEOUT_S) as response:
        return int(json.load(response)["position"])


@contextmanager
def _staffed(venue: RunningVenue) -> Iterator[None]:
    """Sign staff in at their consoles, in a process of their own that reads everything they are sent."""
    context = multiprocessing.get_context("spawn")
    begun, keys = context.Event(), venue.client_protocol.keys
    staff = context.Process(target=watch, args=(venue.server.address, dict(keys), begun), daemon=True)
    staff.start()
    if not begun.wait(TIMEOUT_S):
        raise BenchmarkError("staff could not sign in")
    try:
        yield
    finally:
        staff.terminate()
        staff.join()


@dataclass(slots=True)
class ConsoleProtocol:
    """How a console is admitted: it proves its key, a person signs in, and it receives a snapshot."""

    keys: dict[str, str]
    consoles: list[tuple[DeviceKind, str]] = field(default_factory=lambda: list(_consoles()))
    path: str = WEBSOCKET_PATH
    field: str = "last_cmd"
    heartbeat: bytes = client_frame(msgspec.json.encode(Ping(0)))

    def name(self, index: int, /) -> str:
        return self.consoles[index][1]

    def greet(self, connection: LoadConnection, /) -> bool:
        kind, name = self.consoles[connection.index]
        connection.send(client_frame(msgspec.json.encode(hello(DeviceKey(kind, name, self.keys[name])))))
        return False

    def received(self, connection: LoadConnection, payload: bytes, /) -> bool:
        kind = read(payload)["t"]
        if kind == "welcome":
            person, _, _ = connection.name.rpartition("-")
            connection.send(client_frame(msgspec.json.encode(SignIn(person, PASSWORD))))
        return bool(kind == "snap")


def watch(address: Address, keys: dict[str, str], begun: Event) -> None:
    """Sign in at every console but that of the auditor who asks for a report, and read."""
    protocol = ConsoleProtocol(keys)
    protocol.consoles = [each for each in protocol.consoles if each[1] != AUDITOR]
    with closing(LoadClient(address, protocol)) as clients:
        clients.grow(len(protocol.consoles), at_once=SIGN_INS)
        begun.set()
        while True:
            clients.skim(0.5)


if __name__ == "__main__":
    main()
