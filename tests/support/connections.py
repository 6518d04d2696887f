"""The real server in a test, with a clock moved by hand, and clients over real sockets that send any message."""

import asyncio
import heapq
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator
from concurrent.futures import Executor
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from contextvars import ContextVar
from itertools import count
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec
import uvloop
from picows import WSMsgType, WSTransport

from croupier.app import Venue, open_venue
from croupier.client.connection import ServerAddress, WebSocket
from croupier.config.reader import parse_config
from croupier.config.schema import Config
from croupier.house.declare import Event
from croupier.house.ids import SECOND, Instant
from croupier.protocol.inbound import PROTOCOL
from croupier.server.auth.sessions import Argon2Hasher, HashCost
from croupier.server.gateways.keys import write_key
from croupier.server.gateways.process import GatewayOptions, RunningGateway
from croupier.server.gateways.sessions import Gateways
from tests.support.broker import broker

#: What is long enough for anything on this machine, and is never waited for where all is well.
LONG_S: Final = 20
#: 15 November 2026, 18:00 UTC.
CLOCK_START: Final = 1_794_765_600 * SECOND
#: How often pages give a sign of life.
PING_EVERY: Final = 5 * SECOND
CHEAP: Final = Argon2Hasher(HashCost(1, 8, 1))

#: One table of every kind that a test may want, small and quick, with a wheel that turns by itself.
VENUE: Final = """
venue = "Test house"
data = "data"
listen.port = 0
limits = { commands_per_s = 1_000, commands_burst = 1_000 }

[[tables]]
id = "A"
rulebook = "skycity-adelaide-2003"
seats = 3
wheel = "random"
betting_s = 30
warning_s = 5
spin_s = 8
pause_s = 5
minimum = 1
maximum = 1_000

[[staff]]
person = "dealer"
titles = ["Dealer"]
[[staff]]
person = "inspector"
titles = ["Inspector"]
[[staff]]
person = "manager"
titles = ["Shift Manager"]
[[staff]]
person = "manager 2"
titles = ["Shift Manager"]
[[staff]]
person = "cashier"
titles = ["Cashier"]
"""

#: Whether the clients of a house connect through a gateway.
THROUGH_GATEWAY: Final = ContextVar("THROUGH_GATEWAY", default=False)

Said = dict[str, Any]
T = TypeVar("T")


class HandTime:
    """A timekeeper whose time passes when it is told to, and whose alarms ring then."""

    def __init__(self, since: Instant = Instant(0)) -> None:
        self.at_us, self.off = max(CLOCK_START, since), 0
        self.alarms: list[tuple[int, int, HandAlarm]] = []
        self._numbers = count()

    def now(self) -> Instant:
        return Instant(self.at_us)

    def wall(self) -> Instant:
        return Instant(self.at_us + self.off)

    def at(self, instant: Instant, ring: Callable[[], None]) -> "HandAlarm":
        alarm = HandAlarm(ring)
        heapq.heappush(self.alarms, (instant, next(self._numbers), alarm))
        return alarm

    def ring_next(self, until: int) -> bool:
        """Go on to the next alarm that is due by an instant; tell whether there was one."""
        if not self.alarms or self.alarms[0][0] > until:
            return False
        at, _, alarm = heapq.heappop(self.alarms)
        self.at_us = max(self.at_us, at)
        alarm.ring()
        return True


class HandAlarm:
    """An alarm of a clock that is moved by hand."""

    def __init__(self, ring: Callable[[], None]) -> None:
        self._ring: Callable[[], None] | None = ring

    def cancel(self) -> None:
        self._ring = None

    def ring(self) -> None:
        if self._ring is not None:
            self._ring()


class Client:
    """A WebSocket of the client package, with messages as dictionaries, so that a test can send wrong ones too."""

    websocket: WebSocket

    def __init__(self) -> None:
        self.incoming: asyncio.Queue[Said] = asyncio.Queue()
        self.closed: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self.device, self.key, self.epoch, self.numbers = "", "", 0, count(1)
        self.snap: Said = {}
        self._pongs: asyncio.Queue[Said] = asyncio.Queue()
        #: Whether it gives no sign of life by itself.
        self.mute = False

    @classmethod
    async def connected(cls, server: ServerAddress, origin: str | None = None) -> "Client":
        client = cls()
        client.websocket = await server.connect(client.received, client.closed.set_result, origin)
        return client

    @property
    def transport(self) -> WSTransport:
        return self.websocket.transport

    def received(self, text: bytes) -> None:
        message = msgspec.json.decode(text)
        (self._pongs if message["t"] == "pong" else self.incoming).put_nowait(message)

    def say(self, kind: str, **more: object) -> None:
        """Say something, whatever it is; a hello states the protocol, unless it is given another."""
        if kind == "hello":
            more = {"protocol": PROTOCOL, **more}
        self.send(msgspec.json.encode({"t": kind, **more}))

    def send(self, frame: bytes, kind: WSMsgType = WSMsgType.TEXT) -> None:
        self.transport.send(kind, frame)

    async def ping(self) -> Said:
        """Give a sign of life, and wait for the answer: all that was said before has been heard by then."""
        self.say("ping", c=1)
        return await asyncio.wait_for(self._pongs.get(), LONG_S)

    async def hear(self, kind: str, until: Callable[[Said], bool] = lambda _: True) -> Said:
        """Wait for a message of a kind, leaving out what comes before it."""
        while True:
            said = await asyncio.wait_for(self.incoming.get(), LONG_S)
            if said["t"] == kind and until(said):
                return said

    async def hear_any(self, *kinds: str) -> Said:
        """Wait for a message of one of several kinds."""
        while True:
            said = await asyncio.wait_for(self.incoming.get(), LONG_S)
            if said["t"] in kinds:
                return said

    async def reply(self, kind: str, **more: object) -> str:
        """Say something; tell the code with which it is refused, or else what it is answered with."""
        self.drain()
        self.say(kind, **more)
        said = await asyncio.wait_for(self.incoming.get(), LONG_S)
        return str(said["refusal"]["code"] if said["t"] == "refused" else said["t"])

    def drain(self) -> list[Said]:
        """Take all that was heard so far."""
        return [self.incoming.get_nowait() for _ in range(self.incoming.qsize())]

    async def end(self) -> int:
        """Wait until the server has closed the connection; return the close code."""
        return await asyncio.wait_for(asyncio.shield(self.closed), LONG_S)

    async def sit(self, table: str = "A", **more: object) -> Said:
        """Sit down at a table of a demonstration."""
        self.say("hello", screen="terminal", join="", table=table, **more)
        enrolled = await self.hear("enrolled")
        self.device, self.key = enrolled["device"], enrolled["key"]
        return await self.admitted()

    async def return_(self, device: str, key: str, connection: str = "terminal") -> Said:
        """Come back with a key."""
        self.device, self.key = device, key
        self.say("hello", screen=connection, device=device, key=key)
        return await self.admitted()

    async def admitted(self) -> Said:
        self.snap = await self.hear("snap")
        self.epoch = self.snap["epoch"]
        self.numbers = count(self.snap["last_cmd"] + 1)
        return self.snap

    def ask(self, command: str, **more: object) -> int:
        """Ask for something in the house's words, under the next key; tell its number."""
        number = next(self.numbers)
        self.say("ask", id=number, epoch=self.epoch, command={"type": command, **more})
        return number

    def bet(self, spot: str, stake: int, round_: int, table: str = "A", spin: int = 1) -> int:
        at = {"terminal": self.device, "table": table, "round": round_, "spin": spin}
        return self.ask("PlaceBets", **at, bets=[[spot, stake]])

    async def acked(self, command: str, **more: object) -> str:
        """Ask for something at a console; tell the code of the refusal, or that it was done."""
        number = self.ask(command, **more)
        ack = await self.hear("ack", lambda said: said["id"] == number)
        return str(ack["refusal"]["code"]) if "refusal" in ack else "done"

    async def refused(self, kind: str, **more: object) -> str:
        """Say something that is no command; tell the code with which it is refused."""
        self.say(kind, **more)
        return str((await self.hear("refused"))["refusal"]["code"])

    async def answered(self, number: int) -> Said:
        """Wait for the frame that answers a command; it is refused where the frame lists it."""
        return await self.hear("seat", lambda said: said["last_cmd"] >= number or number in refused_in(said))


def refused_in(said: Said) -> dict[int, Said]:
    return {each["id"]: each for each in said.get("refused", ())}


class TestHouse:
    """A house that is open in a test."""

    __test__ = False

    def __init__(self, venue: Venue, time: HandTime, gateway: RunningGateway | None = None) -> None:
        self.venue, self.time, self.gateway = venue, time, gateway
        self.is_open = True
        self.clients: list[Client] = []
        #: What has happened besides bets, since it was opened.
        self.events: list[Event] = []
        venue.publisher.events.subscribe(self.events.append)

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def port(self) -> int:
        """Where clients connect."""
        return self.venue.port if self.gateway is None else self.gateway.port

    async def client(self, origin: str | None = None) -> Client:
        """Open a connection."""
        client = await Client.connected(ServerAddress("127.0.0.1", self.port), origin)
        self.clients.append(client)
        return client

    async def seated(self, table: str = "A", credit: int = 100_000) -> Client:
        """Connect as a terminal at a table, with some play money."""
        client = await self.client()
        await client.sit(table)
        if credit:
            client.say("practice")
            await client.hear("seat", lambda said: said["set"].get("credit") == credit)
        return client

    @property
    def codes(self) -> dict[str, str]:
        """One-time codes of people who had no secret when it was opened."""
        return {str(person): code for person, code in self.venue.codes.items()}

    def happened(self, kind: type[Event]) -> list[Event]:
        """Tell what has happened of a kind."""
        return [event for event in self.events if isinstance(event, kind)]

    async def console(self, connection: str) -> Client:
        """Open a console at which nobody is signed in."""
        client = await self.client()
        client.say("hello", screen=connection, join="")
        enrolled = await client.hear("enrolled")
        client.device, client.key = enrolled["device"], enrolled["key"]
        welcome = await client.hear("welcome")
        client.epoch = welcome["epoch"]
        return client

    async def signed_in(self, person: str, connection: str, code: str | None = None) -> Client:
        """Open a console and sign in with a one-time code, or with the secret that was chosen with it before."""
        client = await self.console(connection)
        if code is not None:
            client.say("new_secret", person=person, code=code, secret=secret_of(person))
        else:
            client.say("sign_in", person=person, secret=secret_of(person))
        await client.hear("signed_in")
        await client.admitted()
        return client

    async def pass_s(self, seconds: float) -> None:
        """Let time pass, with everything done in its time, and signs of life from every page."""
        end = self.time.at_us + round(seconds * SECOND)
        while self.time.at_us < end:
            await self._go_to(min(end, self.time.at_us + PING_EVERY))
            for client in self.clients:
                if not client.mute and not client.closed.done():
                    await client.ping()

    async def _go_to(self, until: int) -> None:
        while True:
            await self.rest()
            if not self.time.ring_next(until):
                break
        self.time.at_us = until
        await self.rest()

    async def leap(self, seconds: float) -> None:
        """Let time jump: what was due meanwhile is done late, and all at once."""
        self.time.at_us += round(seconds * SECOND)
        await self._go_to(self.time.at_us)

    async def stop(self) -> None:
        """Stop the house in good order, unless it is stopped."""
        if self.is_open:
            self.is_open = False
            await self.venue.close()

    async def reopen(self, folder: Path, text: str = VENUE) -> None:
        """Open the house again that was stopped."""
        self.venue, self.is_open = await open_venue(configured(folder, text), lambda _since: self.time, CHEAP), True

    async def rest(self) -> None:
        """Wait until the house has done all that it can do now."""
        commit_loop = self.venue.commit_loop
        for _ in range(3):
            await asyncio.sleep(0)
        if self.gateway is not None:
            await through(self.gateway)
        await asyncio.wait_for(commit_loop.at_rest.wait(), LONG_S)
        # Keys that two people have signed for are written down and told in their own time.
        await asyncio.wait_for(self.venue.router.device_enrolment.stop(), LONG_S)


@contextmanager
def held_up(workers: Executor, threads: int = 1) -> Iterator[None]:
    """Have all threads of an executor do nothing for a while."""
    go_on = threading.Event()
    for _ in range(threads):
        workers.submit(go_on.wait)
    try:
        yield
    finally:
        go_on.set()


async def until(is_so: Callable[[], bool]) -> None:
    """Let the loop take its turns until something is so."""
    async with asyncio.timeout(LONG_S):
        while not is_so():  # noqa: ASYNC110 - what is waited for says nothing of itself
            await asyncio.sleep(0)


def secret_of(person: str) -> str:
    """What a person of the tests has chosen to sign in with."""
    return f"{person} knows this"


def configured(folder: Path, text: str = VENUE) -> Config:
    """Read a configuration; behind a gateway it names the broker of the tests."""
    if THROUGH_GATEWAY.get() and "[gateways]" not in text:
        text += f'\n[gateways]\nbrokers = ["{broker()}"]\n'
    config = parse_config(text, where=folder / "croupier.toml")
    assert isinstance(config, Config), config
    return config


async def through(running: RunningGateway) -> None:
    """Wait until the house has taken all that its gateway has sent."""
    if running.gateway.is_linked:
        done = asyncio.Event()
        running.gateway.call_through(done.set)
        await asyncio.wait_for(done.wait(), LONG_S)


@asynccontextmanager
async def open_gateway(
    venue: Venue, folder: Path, time: HandTime, name: str = "gateway"
) -> AsyncIterator[RunningGateway]:
    """Open a gateway to a house, and stop it in good order."""
    running = await new_gateway(venue, folder, time, name)
    serving = asyncio.ensure_future(running.gateway.run())
    try:
        await until(lambda: running.gateway.is_linked and "" in running.gateway.pages.published)
        yield running
    finally:
        await running.close()
        await serving


async def new_gateway(venue: Venue, folder: Path, time: HandTime, name: str, **options: Any) -> RunningGateway:  # noqa: ANN401 - as GatewayOptions has them
    """Enrol a gateway with a house, and open it."""
    gateways = gateways_of(venue)
    content, key = gateways.keys.enrol(name, local=True), folder / f"{name}.json"
    assert isinstance(content, bytes)
    key.unlink(missing_ok=True)
    write_key(key, content)
    await until(lambda: gateways.broker.is_connected)
    await gateways.read_enrolments()
    running = await RunningGateway.open(GatewayOptions(gateways.broker.servers, key, port=0, **options), time)
    running.gateway.broker.retry_s = 0
    return running


def gateways_of(venue: Venue) -> Gateways:
    assert venue.gateways is not None
    return venue.gateways


@asynccontextmanager
async def open_house(folder: Path, text: str = VENUE) -> AsyncIterator[TestHouse]:
    """Open a house in a folder, and stop it in good order; its clients connect through a gateway where tests say so."""
    times: list[HandTime] = []

    def keeps(since: Instant) -> HandTime:
        times.append(HandTime(since))
        return times[0]

    venue = await open_venue(configured(folder, text), keeps, CHEAP)
    async with AsyncExitStack() as stack:
        gateway = None
        if THROUGH_GATEWAY.get():
            gateway = await stack.enter_async_context(open_gateway(venue, folder, times[0]))
        house = TestHouse(venue, times[0], gateway)
        # Before its gateway, which holds the connections.
        stack.push_async_callback(house.stop)
        await house.rest()
        yield house


def played(scenario: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Play a scenario to its end on a loop of its own."""
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(_in_time(scenario()))


async def _in_time(scenario: Awaitable[T]) -> T:
    return await asyncio.wait_for(scenario, 3 * LONG_S)
