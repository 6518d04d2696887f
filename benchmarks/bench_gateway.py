"""A house behind a gateway: its processor time per bet, in batches of 100 and 300, and with WebSockets of its own."""

import asyncio
import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Final

import msgspec
import uvloop

from benchmarks.load_client import LoadClient
from benchmarks.loads import closed_loop
from benchmarks.machine import BenchmarkError, Cores, allow_files
from benchmarks.systems import NOTE, SPOTS, STAKE, TABLE, Croupier, RunningVenue, Workspace, connected, terminal
from croupier.client.session import hello
from croupier.engine.ports import AsyncioClock, Request
from croupier.engine.sequencer import request_digest
from croupier.engine.storage import build_id
from croupier.house.ids import Instant, RoundNumber, TerminalId
from croupier.house.play.betting import PlaceBets
from croupier.journal.entry import IdempotencyKey
from croupier.protocol.inbound import Note
from croupier.rules.money import Cents
from croupier.server.connection import BetsRow
from croupier.server.link.keys import HOUSE_NAME, LinkKeys, gateway_context, write_bundle
from croupier.server.link.messages import (
    DECODE_DOWN,
    DOWN_BYTES_MAX,
    LINK_VERSION,
    UP_BYTES_MAX,
    Beat,
    LinkEnd,
    LinkHello,
    LinkRefused,
    LinkWelcome,
    Opened,
    Played,
    PlayerCommand,
    Received,
    Send,
    SendBets,
    UpMessage,
)

#: The goal: microseconds of the house's processor time per bet, in batches of 100.
GOAL_US = 6.0
BATCHES: Final = (100, 300)
DIRECT: Final = 200
TERMINALS: Final = DIRECT + max(BATCHES)
ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 5
SECONDS = 1.0
_DIRECT: Final = f"{DIRECT} WebSockets"
_BEHIND: Final = '[gateways]\nsocket = "link.sock"\n'


class _Frame(msgspec.Struct):
    """What is read of a frame: its kind, and the last command that it answers."""

    t: str
    last_cmd: int = 0
    refused: tuple[object, ...] = ()


_READ: Final = msgspec.json.Decoder(_Frame).decode


class LoadGateway(LinkEnd):
    """A gateway whose clients are a load: each batch is one frame, and the next one follows its last response."""

    def __init__(self, names: list[str]) -> None:
        super().__init__(AsyncioClock(Instant(0)), UP_BYTES_MAX, DOWN_BYTES_MAX)
        self.names, self.last = names, [0] * len(names)
        self._waiting: set[int] = set()
        self._done = asyncio.Event()
        self._answers: Callable[[int, _Frame | BetsRow], bool] = lambda _number, _frame: True

    def begin(self) -> None:
        self.post(LinkHello(LINK_VERSION, build_id()))

    def receive(self, payload: memoryview) -> None:
        for message in DECODE_DOWN(payload):
            match message:
                case Send(numbers, frame):
                    read = _READ(frame)
                    self._take((number, read) for number in numbers)
                case SendBets(numbers, rows):
                    self._take(zip(numbers, rows, strict=True))
                case LinkWelcome():
                    self._waiting.discard(-1)
                case LinkRefused(words):
                    raise BenchmarkError(words)
        if not self._waiting:
            self._done.set()

    def _take(self, received: Iterable[tuple[int, _Frame | BetsRow]]) -> None:
        self._waiting.difference_update(number for number, frame in received if self._answers(number, frame))

    def beat(self) -> None:
        self.post(Beat(0))

    def ended(self) -> None:
        self._done.set()

    async def answered(self, numbers: range, answers: Callable[[int, _Frame | BetsRow], bool]) -> None:
        self._waiting, self._answers = set(numbers), answers
        self._done.clear()
        self.flush()
        await asyncio.wait_for(self._done.wait(), 30)

    async def all_send(self, numbers: range, message: Callable[[int], UpMessage]) -> None:
        """Send a command from each connection in one frame, and wait for the responses."""
        for number in numbers:
            self.last[number] += 1
            self.post(message(number))
        await self.answered(numbers, self._is_answered)

    async def all_play(self, epoch: int, commands: list[PlaceBets], digests: list[bytes]) -> None:
        """Send a bet from each connection in one message, and wait for the responses."""
        numbers = range(len(commands))
        for number in numbers:
            self.last[number] += 1
        rows = zip(numbers, commands, digests, strict=True)
        self.post(
            Played(
                [PlayerCommand(each, IdempotencyKey(epoch, self.last[each]), digest, bet) for each, bet, digest in rows]
            )
        )
        await self.answered(numbers, self._is_answered)

    def _is_answered(self, number: int, frame: _Frame | BetsRow) -> bool:
        if isinstance(frame, BetsRow):
            return frame.last_cmd >= self.last[number]
        if frame.refused:
            raise BenchmarkError(f"a command was refused: {frame.refused}")
        return frame.t == "seat" and frame.last_cmd >= self.last[number]


def main() -> None:
    allow_files(2_000)
    cores = Cores.here()
    cores.use_client()
    print(f"{ROUNDS} rounds in turns of {SECONDS:.0f} s; processor time of the house, its threads included")
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        workspace = Workspace(Path(folder), cores)
        with (
            workspace.directory() as directory,
            Croupier(extra=_BEHIND).open(TERMINALS, directory, cores) as venue,
            connected(venue.server, venue.client_protocol, DIRECT) as clients,
            asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner,
        ):
            venue.prepare(clients)
            gateway = runner.run(_linked(venue, directory))
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


async def _linked(venue: RunningVenue, directory: Path) -> LoadGateway:
    """Link as a gateway, and connect a terminal with credit for every connection of the largest batch."""
    bundle = LinkKeys(directory / "data.keys").enrol("load")
    assert isinstance(bundle, bytes)
    key = directory / "gateway.pem"
    write_bundle(key, bundle)
    names = [terminal(DIRECT + index) for index in range(max(BATCHES))]
    _, gateway = await asyncio.get_running_loop().create_unix_connection(
        lambda: LoadGateway(names),
        str(directory / "link.sock"),
        ssl=gateway_context(key),
        server_hostname=HOUSE_NAME,
    )
    everyone = range(len(names))
    for number in everyone:
        gateway.post(Opened(number, "", native=True, held=False))
        gateway.post(Received.of(number, hello(venue.client_protocol.device(names[number]))))
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
