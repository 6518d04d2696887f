"""A frame of a table behind gateways: to 10,000 terminals at four of them, and to hundreds that only count frames.

    python -m benchmarks fanout [ROUNDS]

The dealer announces the end of betting, and the time from the command to the last connection is measured. A gateway
that only counts is a connection to the broker with the subscription of a gateway.
"""

import select
import socket
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from http import HTTPStatus
from pathlib import Path
from statistics import mean, median
from time import monotonic, perf_counter, sleep
from typing import Final, NamedTuple
from urllib.error import HTTPError
from urllib.request import urlopen

from tests.support.broker import BrokerProcess

from benchmarks.load_client import READ_BYTES, LoadClient, LoadConnection
from benchmarks.machine import Address, BenchmarkError, Cores, Server, allow_files, cpu_s, running
from benchmarks.systems import TABLE, Croupier, RunningVenue, StaffClient, Workspace, terminal
from croupier.house.rounds.closing import CloseBets, FinishBetting
from croupier.house.rounds.results import ConfirmResult
from croupier.house.rounds.spinning import SpinBall
from croupier.rules.geometry import Pocket
from croupier.server.gateways.keys import GatewayKeys, write_key

TERMINALS: Final = 10_000
GATEWAYS: Final = 4
#: How many gateways only count, in turn.
COUNTING: Final = (0, 100, 300, 1_000)
#: The goal for the last of the terminals, in milliseconds.
GOAL_MS: Final = 60
ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 9
#: The goal for what a gateway adds to a response, in milliseconds at the median; and in how many turns it is measured.
ADDED_MS: Final = 0.5
TURNS: Final = 500
#: How long a gateway may take until the house has admitted it, and a frame to arrive.
PATIENCE_S: Final = 30
_LAST_CALL: Final = b'"phase":"last_call"'
_DEALT: Final = 'wheel = "keypad"\nwarning_s = 600'


class Measured(NamedTuple):
    """One frame: milliseconds until the last terminal and the last counting gateway had it, and of processor time."""

    terminals_ms: float
    counting_ms: float
    house_ms: float
    broker_ms: float
    gateways_ms: float


class CountingGateways:
    """Connections to the broker that subscribe to what gateways do, and note when they have received a frame."""

    def __init__(self, port: int, realm: str, count: int) -> None:
        self._epoll = select.epoll()
        self._sockets = {}
        for _ in range(count):
            connection = socket.create_connection(("127.0.0.1", port))
            connection.sendall(f'CONNECT {{"verbose":false}}\r\nSUB {realm}.cast.* 1\r\nPING\r\n'.encode())
            self._sockets[connection.fileno()] = connection
        # Afterwards, or the terminals would be silent for too long meanwhile.
        for fd, connection in self._sockets.items():
            received = b""
            while b"PONG\r\n" not in received:
                received += connection.recv(READ_BYTES)
            self._epoll.register(fd, select.EPOLLIN)

    def wait(self) -> float:
        """Wait until all have the frame; return when the last one had it."""
        missing = dict.fromkeys(self._sockets, b"")
        while missing:
            events = self._epoll.poll(PATIENCE_S)
            if not events:
                raise BenchmarkError(f"{len(missing)} gateways did not receive the frame")
            for fd, _ in events:
                rest = missing.get(fd, b"") + self._sockets[fd].recv(READ_BYTES)
                if _LAST_CALL in rest:
                    missing.pop(fd, None)
                elif fd in missing:
                    missing[fd] = rest[-len(_LAST_CALL) :]
        return perf_counter()

    def drain(self) -> None:
        """Read what is in flight, and answer the broker's pings."""
        while events := self._epoll.poll(0.05):
            for fd, _ in events:
                if b"PING" in self._sockets[fd].recv(READ_BYTES):
                    self._sockets[fd].sendall(b"PONG\r\n")

    def close(self) -> None:
        for connection in self._sockets.values():
            connection.close()
        self._epoll.close()


class Setting(NamedTuple):
    """All that takes part."""

    venue: RunningVenue
    house: Server
    gateways: Sequence[Server]
    broker: BrokerProcess
    clients: LoadClient
    dealer: StaffClient

    def measure(self, counting: CountingGateways) -> Measured:
        """Play one round, and measure the frame that announces the end of betting."""
        self.dealer.open_bets()
        self.clients.drain()
        counting.drain()
        before = self._used()
        begin = perf_counter()
        pending = self.dealer.submit(FinishBetting(TABLE))
        terminals = self.clients.wait_for_all(lambda payload: _LAST_CALL in payload)
        counted = counting.wait()
        used = [(after - was) * 1000 for after, was in zip(self._used(), before, strict=True)]
        self.dealer.wait(pending)
        self._finish()
        return Measured((terminals - begin) * 1000, (counted - begin) * 1000, *used)

    def added_ms(self) -> tuple[float, float]:
        """Send one command after the other, in turn to the house and over a gateway; return the median responses.

        A terminal without credit is refused: nothing waits for the disk.
        """
        self.venue.round = self.dealer.open_bets()
        self.clients.drain()
        took: dict[str, list[float]] = {"house": [], "gateway": []}
        with closing(LoadClient(self.house.address, self.venue.client_protocol)) as direct:
            direct.connections.append(LoadConnection(TERMINALS, terminal(TERMINALS), "last_cmd"))
            direct.connect(direct.connections)
            direct.drain()
            self.clients.drain()
            ways = (("house", direct, direct.connections[0]), ("gateway", self.clients, self.clients.connections[0]))
            for _ in range(TURNS):
                for way, client, connection in ways:
                    took[way].append(_response_ms(client, connection, self.venue.bet(connection)))
        return median(took["house"]), median(took["gateway"])

    def _finish(self) -> None:
        for command in (CloseBets(TABLE), SpinBall(TABLE), ConfirmResult(TABLE, pocket=Pocket("17"))):
            self.dealer.send(command)

    def _used(self) -> tuple[float, float, float]:
        gateways = sum(each.cpu_s() for each in self.gateways)
        return self.house.cpu_s(), cpu_s(self.broker.process.pid), gateways


def _response_ms(client: LoadClient, connection: LoadConnection, command: bytes) -> float:
    """Send a command, and return how long its response took."""
    connection.sent += 1
    begin = perf_counter()
    connection.send(command % connection.sent)
    for answered, payload in client.messages(PATIENCE_S):
        if answered is connection and b'"refused"' in payload:
            return (perf_counter() - begin) * 1000
    raise BenchmarkError(f"{connection.name} got no response")


def main() -> None:
    allow_files(TERMINALS + max(COUNTING) + 100)
    cores = Cores.here()
    cores.use_client()
    with (
        tempfile.TemporaryDirectory(dir="/var/tmp") as folder,
        _open(Workspace(Path(folder), cores)) as (setting, realm),
    ):
        print(f"{TERMINALS} terminals at {GATEWAYS} gateways; {ROUNDS} rounds each; milliseconds, median and mean")
        print("  counting    last terminal              last counting   processor time of house, broker, gateways")
        for count in COUNTING:
            with closing(CountingGateways(setting.broker.port, realm, count)) as counting:
                found = [setting.measure(counting) for _ in range(ROUNDS)]
            last = [each.terminals_ms for each in found]
            spread = f"[{min(last):.1f} to {max(last):.1f}]"
            # The kernel counts processor time in hundredths of a second: the mean is finer than any round.
            times, used = list(zip(*found, strict=True))[:2], list(zip(*found, strict=True))[2:]
            middle = Measured(*map(median, times), *map(mean, used))
            print(
                f"  {count:8}    {middle.terminals_ms:7.1f} {spread:18} {middle.counting_ms:9.1f}"
                f"   {middle.house_ms:12.1f} {middle.broker_ms:9.1f} {middle.gateways_ms:9.1f}"
            )
        print(f"  the goal without counting gateways: {GOAL_MS} ms")
        house, gateway = setting.added_ms()
        print(f"a response, one at a time: {house:.2f} ms from the house, {gateway:.2f} over a gateway, {TURNS} turns")
        print(f"  a gateway adds {gateway - house:.2f} ms; the goal: {ADDED_MS} ms")


@contextmanager
def _open(workspace: Workspace) -> Iterator[tuple[Setting, str]]:
    """Open a house with its gateways, and connect every terminal."""
    with ExitStack() as stack:
        broker = BrokerProcess()
        stack.callback(broker.stop)
        directory = stack.enter_context(workspace.directory())
        system = Croupier(_DEALT, extra=f'[gateways]\nbrokers = ["{broker.address}"]\n')
        venue = stack.enter_context(system.open(TERMINALS + 1, directory, workspace.cores))
        keys, gateways = GatewayKeys(directory / "data.keys"), list[Server]()
        for number in range(GATEWAYS):
            content = keys.enrol(f"gateway-{number}", local=True)
            assert isinstance(content, bytes)
            key = directory / f"gateway-{number}.json"
            write_key(key, content)
            arguments = ("gateway", "serve", "--broker", broker.address, "--key", str(key), "--port", "0")
            output = directory / f"gateway-{number}.log"
            gateways.append(stack.enter_context(running("croupier", *arguments, output=output, cores=workspace.cores)))
        for each in gateways:
            _wait_until(lambda each=each: _is_linked(each.address))  # type: ignore[misc]
        first, *others = (each.address for each in gateways)
        clients = stack.enter_context(closing(LoadClient(first, venue.client_protocol, others)))
        clients.grow(TERMINALS)
        dealer = stack.enter_context(venue.dealer())
        yield Setting(venue, venue.server, gateways, broker, clients, dealer), keys.house().realm


def _is_linked(address: Address) -> bool:
    try:
        with urlopen(f"http://{address.host}:{address.port}/health") as response:
            return bool(response.status == HTTPStatus.OK)
    except HTTPError:
        return False


def _wait_until(condition: Callable[[], bool]) -> None:
    end = monotonic() + PATIENCE_S
    while not condition():
        if monotonic() > end:
            raise BenchmarkError("the house has not admitted a gateway")
        sleep(0.1)


if __name__ == "__main__":
    main()
