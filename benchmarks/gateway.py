"""A house behind a gateway: its processor time per bet, in batches of 100 and 300, and with WebSockets of its own."""

import asyncio
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Final

import msgspec
import uvloop
from tests.support.broker import BrokerProcess

from benchmarks.load_client import LoadClient
from benchmarks.loads import closed_loop
from benchmarks.machine import BenchmarkError, Cores, allow_files
from benchmarks.systems import NOTE, SPOTS, STAKE, TABLE, Croupier, RunningVenue, Workspace, connected, terminal
from croupier.client.session import hello
from croupier.engine.ports import Request
from croupier.engine.sequencer import request_digest
from croupier.engine.storage import build_id
from croupier.house.ids import SECOND, RoundNumber, TerminalId
from croupier.house.play.betting import PlaceBets
from croupier.journal.entry import IdempotencyKey
from croupier.protocol.inbound import Note
from croupier.rules.money import Cents
from croupier.server.connection import BetsRow
from croupier.server.gateways.broker import Broker
from croupier.server.gateways.gateway import Uplink
from croupier.server.gateways.keys import GatewayKeys, Identity, write_key
from croupier.server.gateways.messages import (
    BEAT_EVERY,
    DECODE_DOWN,
    VERSION,
    Beat,
    Hello,
    Opened,
    Received,
    RelayedCommand,
    Send,
    SendBets,
    SendSnapshot,
    SessionEnded,
    SessionRefused,
    Up,
)

#: The goal: microseconds of the house's processor time per bet, in batches of 100.
GOAL_US = 6.5
BATCHES: Final = (100, 300)
DIRECT: Final = 200
TERMINALS: Final = DIRECT + max(BATCHES)
ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 5
SECONDS = 1.0
_DIRECT: Final = f"{DIRECT} WebSockets"


class _Frame(msgspec.Struct):
    """What is read of a frame: its kind, and the last command that it answers."""

    t: str
    last_cmd: int = 0
    refused: tuple[object, ...] = ()


_READ: Final = msgspec.json.Decoder(_Frame).decode


class LoadGateway:
    """A gateway whose clients are a load: each batch is one message, and the next one follows its last response."""

    def __init__(self, broker: Broker, names: list[str]) -> None:
        self.names, self.last = names, [0] * len(names)
        self._broker, self.uplink = broker, Uplink(broker, 1, lambda: None)
        self._waiting: set[int] = set()
        self._done = asyncio.Event()
        self._answers: Callable[[int, _Frame | BetsRow], bool] = lambda _number, _frame: True
        self.connected = asyncio.Event()
        self._beating: asyncio.Task[None] | None = None
        self.running: asyncio.Task[None] | None = None

    async def on_connected(self, broker: Broker) -> None:
        await broker.subscribe(broker.identity.down)
        self.uplink.post(Hello(VERSION, build_id()))
        self.connected.set()
        self._beating = asyncio.ensure_future(self._beat())

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(1)
            self.uplink.post(Beat(0))

    def on_message(self, _subject: str, payload: bytes) -> tuple[()]:
        for message in DECODE_DOWN(payload).messages:
            match message:
                case Send(numbers, frame):
                    read = _READ(frame)
                    self._take((number, read) for number in numbers)
                case SendSnapshot(number, frame):
                    self._take([(number, _READ(frame))])
                case SendBets(numbers, rows):
                    self._take(zip(numbers, rows, strict=True))
                case SessionRefused(words):
                    raise BenchmarkError(words)
                case SessionEnded():
                    raise BenchmarkError("the session has ended")
        if not self._waiting:
            self._done.set()
        return ()

    def on_no_responders(self, _subject: str) -> None:
        raise BenchmarkError("the house is not there")

    def on_overrun(self, _subject: str) -> None: ...

    def on_lost(self) -> None:
        self._done.set()

    def _take(self, received: Iterable[tuple[int, _Frame | BetsRow]]) -> None:
        self._waiting.difference_update(number for number, frame in received if self._answers(number, frame))

    async def answered(self, numbers: range, answers: Callable[[int, _Frame | BetsRow], bool]) -> None:
        self._waiting, self._answers = set(numbers), answers
        self._done.clear()
        self.uplink.flush()
        await asyncio.wait_for(self._done.wait(), 30)

    async def all_send(self, numbers: range, message: Callable[[int], Up]) -> None:
        """Send a command from each connection in one frame, and wait for the responses."""
        for number in numbers:
            self.last[number] += 1
            self.uplink.post(message(number))
        await self.answered(numbers, self._is_answered)

    async def all_play(self, epoch: int, commands: list[PlaceBets], digests: list[bytes]) -> None:
        """Send a bet from each connection in one message, and wait for the responses."""
        numbers = range(len(commands))
        for number in numbers:
            self.last[number] += 1
        rows = zip(numbers, commands, digests, strict=True)
        for each, bet, digest in rows:
            self.uplink.play(RelayedCommand(each, IdempotencyKey(epoch, self.last[each]), digest, bet))
        await self.answered(numbers, self._is_answered)

    def _is_answered(self, number: int, frame: _Frame | BetsRow) -> bool:
        if isinstance(frame, BetsRow):
            return frame.last_cmd >= self.last[number]
        if frame.refused:
            raise BenchmarkError(f"a command was refused: {frame.refused}")
        return frame.t == "seat" and frame.last_cmd >= self.last[number]


@contextmanager
def broker_process() -> Iterator[str]:
    """Start a NATS server on this machine, and return its address."""
    process = BrokerProcess()
    try:
        yield process.address
    finally:
        process.stop()


def main() -> None:
    allow_files(2_000)
    cores = Cores.here()
    cores.use_client()
    print(f"{ROUNDS} rounds in turns of {SECONDS:.0f} s; processor time of the house, its threads included")
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        workspace = Workspace(Path(folder), cores)
        with (
            broker_process() as address,
            workspace.directory() as directory,
            Croupier(extra=f'[gateways]\nbrokers = ["{address}"]\n').open(TERMINALS, directory, cores) as venue,
            connected(venue.server, venue.client_protocol, DIRECT) as clients,
            asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner,
        ):
            venue.prepare(clients)
            gateway = runner.run(_linked(venue, directory, address))
            found = _measure(venue, clients, gateway, runner)
    direct = found[_DIRECT]
    for name, costs in found.items():
        ratio = median(cost / beside for cost, beside in zip(costs, direct, strict=True))
        spread = f"[{min(costs):.2f} to {max(costs):.2f}]"
        print(f"  {name:28}{median(costs):8.2f} us a bet  {spread:20}{ratio:6.2f} x of WebSockets in the same round")
    print(f"  the goal in batches of 100: {GOAL_US} us")


def _measure(
    venue: RunningVenue, clients: LoadClient, gateway: LoadGateway, runner: asyncio.Runner
) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    for _ in range(ROUNDS):
        load = closed_loop(clients, venue.server, SECONDS)
        shares = load.shares
        found.setdefault(_DIRECT, []).append(shares.server * shares.seconds / load.in_time * 1e6)
        for size in BATCHES:
            cost = runner.run(_batches(venue, gateway, size))
            found.setdefault(f"a gateway, batches of {size}", []).append(cost)
            clients.drain()
    return found


async def _linked(venue: RunningVenue, directory: Path, address: str) -> LoadGateway:
    """Link as a gateway, and connect a terminal with credit for every connection of the largest batch."""
    content = GatewayKeys(directory / "data.keys").enrol("load")
    assert isinstance(content, bytes)
    key = directory / "gateway.json"
    write_key(key, content)
    names = [terminal(DIRECT + index) for index in range(max(BATCHES))]
    broker = Broker([address], Identity.read(key))
    gateway = LoadGateway(broker, names)
    # The house takes note of its new gateway at its next beat.
    await asyncio.sleep(BEAT_EVERY / SECOND + 1)
    gateway.running = asyncio.ensure_future(broker.run(gateway))
    await asyncio.wait_for(gateway.connected.wait(), 30)
    everyone = range(len(names))
    for number in everyone:
        gateway.uplink.post(Opened(number, "", native=True, held=False))
        gateway.uplink.post(Received.of(number, hello(venue.client_protocol.device(names[number]))))
    await gateway.answered(everyone, lambda _, frame: isinstance(frame, _Frame) and frame.t == "snap")
    epoch = venue.client_protocol.epoch
    await gateway.all_send(everyone, lambda number: Received.of(number, Note(gateway.last[number], epoch, Cents(NOTE))))
    return gateway


async def _batches(venue: RunningVenue, gateway: LoadGateway, size: int) -> float:
    """Send batches for a while; return the house's processor time per bet, in microseconds."""
    epoch = venue.client_protocol.epoch
    commands = [
        PlaceBets(TerminalId(name), TABLE, RoundNumber(venue.round), 1, ((SPOTS[index % len(SPOTS)], Cents(STAKE)),))
        for index, name in enumerate(gateway.names[:size])
    ]
    digests = [request_digest(Request(command)) for command in commands]
    begin, used, bets = perf_counter(), venue.server.cpu_s(), 0
    while perf_counter() - begin < SECONDS:
        await gateway.all_play(epoch, commands, digests)
        bets += size
    return (venue.server.cpu_s() - used) / bets * 1e6


if __name__ == "__main__":
    main()
