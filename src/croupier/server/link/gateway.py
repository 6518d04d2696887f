"""A gateway: holds the WebSockets of clients, and passes their messages to the house and its frames to them."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from http import HTTPStatus
from itertools import count
from ssl import SSLCertVerificationError, SSLContext
from typing import Final

import msgspec
import structlog
from picows import WSCloseCode

from croupier.engine.ports import LoopClock, Request, Timer
from croupier.engine.sequencer import request_digest
from croupier.engine.slices import Slicer, sliced
from croupier.house.declare import COMMANDS
from croupier.house.ids import SECOND, DeviceKind, Instant
from croupier.journal.entry import IdempotencyKey
from croupier.protocol import inbound, outbound
from croupier.protocol.inbound import Hello, Incoming, PartialMessage, SendCommand
from croupier.rules.refusal import Code, Refusal, refuse
from croupier.server.connection import SWEEP_INTERVAL_US, Connection, ConnectionSweep, RateLimit, WebSocketConnection
from croupier.server.http import APART, NO_HEADERS, HttpResponse, PageHandler, health_response, metrics_response
from croupier.server.link.keys import HOUSE_NAME
from croupier.server.link.messages import (
    COMMANDS_MAX,
    DECODE_DOWN,
    DOWN_BYTES_MAX,
    HANDSHAKE_S,
    LINK_VERSION,
    UP_BYTES_MAX,
    Beat,
    BeatReturned,
    Close,
    Down,
    Ended,
    LinkAddress,
    LinkEnd,
    LinkHello,
    LinkWelcome,
    Opened,
    PagePublished,
    Paused,
    Played,
    PlayerCommand,
    Received,
    ReceivedInvalid,
    ReceivedTooFast,
    Resumed,
    Send,
    SendBets,
)
from croupier.server.link.metrics import GatewayCollector, GatewayGauges, GatewayMetrics
from croupier.server.pages import PageContext

#: How long connections are held while the house is away. Then they are closed, and screens show that they are.
HOLD_MAX: Final = 15 * SECOND
#: How long a gateway waits before it tries again to reach the house, in seconds.
RETRY_S: Final = 0.25
_AWAY: Final = refuse(Code.BUSY, None, "The house is away: connect again in a moment.")
_NO_PACE: Final = RateLimit(1, 1)
#: Commands of a player's terminal.
_OF_PLAYERS: Final = frozenset(kind for kind, declared in COMMANDS.items() if declared.from_terminal)
_LOG = structlog.get_logger()


@dataclass(slots=True, eq=False)
class Client:
    """One client: its WebSocket, and the message by which the house authenticates its device."""

    number: int
    connection: WebSocketConnection
    hello: Hello | None = None
    #: Whether the house knows of it on the link of now, and in which epoch it last did.
    announced: bool = False
    epoch: int = 0
    #: When it sent the command whose outcome is awaited; 0 when there is none.
    sent_at: Instant = Instant(0)


class GatewayHealth(msgspec.Struct, frozen=True, kw_only=True):
    """Whether a gateway is linked to the house, and how many connections it has."""

    ok: bool
    connections: int


class GatewayPages(PageHandler):
    """Serves the pages of the house as they were last published, also while the house is away."""

    def __init__(self) -> None:
        super().__init__()
        self.venue, self.demo = "", False
        self.published: dict[str, HttpResponse] = {}
        self.health: Callable[[], GatewayHealth] = partial(GatewayHealth, ok=False, connections=0)
        #: None where the metrics have an address of their own.
        self.report: GatewayCollector | None = None

    def context(self, depth: int = 0) -> PageContext:
        return PageContext(self.venue, self.demo, self.assets.version, "../" * depth)

    def page(self, path: tuple[str, ...], query: Mapping[str, str] = NO_HEADERS) -> HttpResponse | None:
        if path == ("health",):
            health = self.health()
            return health_response(health, ok=health.ok)
        if path == ("metrics",):
            return None if self.report is None else metrics_response(self.report)
        if not self.published:
            return self.plain(HTTPStatus.SERVICE_UNAVAILABLE, "The house is away", "Try again in a moment.")
        place = "/".join(path)
        apart = self.published.get(f"{place}?{APART}") if APART in query else None
        return apart or self.published.get(place)


class LinkRefusedError(Exception):
    """The house does not admit this gateway."""


class GatewayLink(LinkEnd):
    """The gateway's end of a link."""

    def __init__(self, gateway: "Gateway") -> None:
        super().__init__(gateway.time, UP_BYTES_MAX, DOWN_BYTES_MAX)
        self._gateway = gateway
        #: The commands since any other message.
        self._commands = list[PlayerCommand]()
        self.over: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def play(self, command: PlayerCommand) -> None:
        """Send a command of a player; commands in turn are one message."""
        if not 0 < len(self._commands) < COMMANDS_MAX:
            commands = list[PlayerCommand]()
            self.post(Played(commands))
            self._commands = commands
        self._commands.append(command)

    def post(self, message: msgspec.Struct) -> None:
        self._commands = []
        super().post(message)

    def flush(self) -> None:
        self._gateway.count_batch()
        self._commands = []
        super().flush()

    def begin(self) -> None:
        self.post(LinkHello(LINK_VERSION, self._gateway.build))

    def receive(self, payload: memoryview) -> None:
        for message in DECODE_DOWN(payload):
            self._gateway.take(self, message)

    def beat(self) -> None:
        self.post(Beat(0))

    def ended(self) -> None:
        self._gateway.on_link_lost(self)
        self.over.set_result(None)


@dataclass(slots=True)
class Gateway:
    """Handles the connections of its clients by passing on what they send. It decides nothing."""

    time: LoopClock
    build: str
    #: Where the house and its standbys listen: one of them admits gateways.
    addresses: tuple[LinkAddress, ...]
    tls: SSLContext
    pages: GatewayPages
    #: Called with the welcome of the house, and with None once the house is away.
    on_house: Callable[[LinkWelcome | None], None] = lambda _: None
    #: How long it waits before it tries again to reach the house, in seconds.
    retry_s: float = RETRY_S
    #: As the house has configured it.
    pace: RateLimit = _NO_PACE
    connections: dict[Connection, None] = field(default_factory=dict)
    metrics: GatewayMetrics = field(default_factory=GatewayMetrics)
    #: How many commands the next frame of the link has.
    _in_batch: int = 0
    #: The house's time less this gateway's.
    _offset: int = 0
    #: The epoch of the house.
    _epoch: int = 0
    #: The link of now; None while the house is away.
    _link: GatewayLink | None = None
    _clients: dict[int, Client] = field(default_factory=dict)
    _by_connection: dict[Connection, Client] = field(default_factory=dict)
    #: Clients that were connected before this link, and are not announced on it yet.
    _held: dict[int, Client] = field(default_factory=dict)
    _numbers: Iterator[int] = field(default_factory=lambda: count(1))
    #: Called once a sign of life has come back, by its number.
    _returned: dict[int, Callable[[], None]] = field(default_factory=dict)
    _refusal: str = ""
    _away_since: Instant = Instant(0)
    _is_closing: bool = False
    _sweeping: Timer = field(init=False)
    _sweep_all: ConnectionSweep = field(init=False)

    def __post_init__(self) -> None:
        self._sweep_all = ConnectionSweep(self.connections, self.time, Slicer(self.time.now))
        self._schedule_sweep()

    @property
    def is_linked(self) -> bool:
        """Whether the house is there and has admitted this gateway."""
        return self._link is not None

    def health(self) -> GatewayHealth:
        return GatewayHealth(ok=self.is_linked, connections=len(self.connections))

    def gauges(self) -> GatewayGauges:
        kinds = Counter(str(each.device_kind or "none") for each in self.connections)
        return GatewayGauges(self.is_linked, kinds)

    def count_batch(self) -> None:
        """Count the commands that one frame of the link has."""
        if self._in_batch:
            self.metrics.batch_commands.observe(self._in_batch)
            self._in_batch = 0

    # The house.

    async def run(self) -> None:
        """Link to the house, again and again until it is closed; LinkRefusedError when the house refuses the link."""
        at = 0
        while not self._is_closing:
            is_linked = await self._link_to(self.addresses[at % len(self.addresses)])
            if self._refusal:
                raise LinkRefusedError(self._refusal)
            at += 1
            # Once none of the addresses answers, and before the house is tried again that was there.
            await self._pause(0 if not is_linked and at % len(self.addresses) else self.retry_s)

    async def _pause(self, seconds: float) -> None:
        if not self._is_closing:
            await asyncio.sleep(seconds)

    async def _link_to(self, address: LinkAddress) -> bool:
        """Link to a house until the link is over; return whether there was one."""
        try:
            link = await self._connect(address)
        except SSLCertVerificationError as error:
            raise LinkRefusedError(f"The house is not the one that issued the key: {error.verify_message}.") from error
        except OSError as error:
            _LOG.info("house_unreachable", words=str(error))
            return False
        await link.over
        return True

    async def _connect(self, address: LinkAddress) -> GatewayLink:
        loop, link = asyncio.get_running_loop(), partial(GatewayLink, self)
        if address.path is not None:
            connecting = loop.create_unix_connection(
                link,
                str(address.path),
                ssl=self.tls,
                server_hostname=HOUSE_NAME,
                ssl_handshake_timeout=HANDSHAKE_S,
            )
        else:
            connecting = loop.create_connection(
                link,
                address.host,
                address.port,
                ssl=self.tls,
                server_hostname=HOUSE_NAME,
                ssl_handshake_timeout=HANDSHAKE_S,
            )
        return (await connecting)[1]

    def close(self) -> None:
        """End the link once all that was posted is sent, and do not link again."""
        self._is_closing = True
        self._sweeping.cancel()
        if self._link is not None:
            self._link.close()

    def give_up(self, words: str) -> None:
        """End the link for good, with the reason."""
        self._refusal = words
        if self._link is not None:
            self._link.close()

    def take(self, link: GatewayLink, message: Down) -> None:
        """Handle a message of the house."""
        match message:
            case SendBets() | Send():
                self._send(message)
            case Close():
                self._close(message)
            case BeatReturned():
                self._offset = message.now_us - self.time.now()
                then = self._returned.pop(message.number, None)
                if then is not None:
                    then()
            case LinkWelcome():
                self._on_welcome(link, message)
            case PagePublished():
                self.pages.published[message.path] = HttpResponse(
                    message.status, message.headers, message.body, message.compressed
                )
            case _:
                self.give_up(message.words)

    def _send(self, message: SendBets | Send) -> None:
        if isinstance(message, Send):
            for number in message.connections:
                client = self._clients.get(number)
                if client is not None:
                    client.sent_at = Instant(0)
                    client.connection.send_frame(message.frame)
            return
        for number, row in zip(message.connections, message.rows, strict=True):
            client = self._clients.get(number)
            if client is not None:
                self._count_answered(client)
                client.connection.send_bets(row)

    def _count_answered(self, client: Client) -> None:
        """Measure how long a client has waited for this outcome, unless anything else came before it."""
        if client.sent_at:
            self.metrics.round_trip.observe(self.time.now() - client.sent_at)
            client.sent_at = Instant(0)

    def _close(self, message: Close) -> None:
        client = self._clients.pop(message.connection, None)
        if client is None:
            return
        # The house knows that it is closed.
        client.announced = False
        if message.code:
            client.connection.end(WSCloseCode(message.code))
        else:
            client.connection.abort()

    def _on_welcome(self, link: GatewayLink, welcome: LinkWelcome) -> None:
        _LOG.info("house_connected", held=len(self._clients))
        self.metrics.links += 1
        self._link, self._offset, self._epoch = link, welcome.now_us - self.time.now(), welcome.epoch
        self.pages.venue, self.pages.demo = welcome.venue, welcome.demo
        self.pace = RateLimit(welcome.commands_per_s, welcome.commands_burst)
        self._held = dict(self._clients)
        self.on_house(welcome)
        self._announce_some()

    def _announce_some(self) -> None:
        """Announce some of the held clients, and the next ones once the house has taken these."""
        for _ in sliced(self._announcing(), self.time.now):
            self.call_through(self._announce_some)
            return

    def _announcing(self) -> Iterator[None]:
        while self._held:
            number = next(iter(self._held))
            self._announce(self._held.pop(number))
            yield

    def _announce(self, client: Client) -> None:
        """Announce a client; authenticate its device anew, if it was authenticated on an earlier link."""
        hello = client.hello
        enrolled_itself = hello is not None and not hello.key
        if client.epoch == self._epoch or enrolled_itself:
            # Only the link was lost, and with it perhaps messages in the middle of this connection: a response to a
            # later command would acknowledge them too. Or it comes back with the key that it was sent.
            client.connection.close(_AWAY, WSCloseCode.SERVICE_RESTART)
            return
        connection, client.announced, client.epoch = client.connection, True, self._epoch
        self._post(Opened(client.number, connection.peer, connection.native, hello is not None))
        if hello is not None:
            self._post(Received.of(client.number, hello))

    def call_through(self, then: Callable[[], None]) -> None:
        """Call a function once the house has handled all that was sent to it so far."""
        number = next(self._numbers)
        self._returned[number] = then
        self._post(Beat(number))

    def on_link_lost(self, link: GatewayLink) -> None:
        """Hold the connections for a while."""
        if self._link is not link:
            return
        _LOG.warning("house_away", connections=len(self._clients))
        self.metrics.links_lost += 1
        self._link = None
        self._returned.clear()
        self._held.clear()
        self.on_house(None)
        for client in self._clients.values():
            client.announced = False
        away_since = self._away_since = self.time.now()
        self.time.at(Instant(away_since + HOLD_MAX), partial(self._give_up, away_since))

    def _give_up(self, away_since: Instant) -> None:
        """Close the held connections if the house is away since then."""
        if self._link is None and self._away_since == away_since:
            for connection in tuple(self.connections):
                connection.close(_AWAY, WSCloseCode.SERVICE_RESTART)

    def _post(self, message: msgspec.Struct) -> None:
        if self._link is not None:
            self._link.post(message)

    # Clients.

    def opened(self, connection: Connection) -> None:
        assert isinstance(connection, WebSocketConnection)
        client = Client(next(self._numbers), connection)
        self.connections[connection] = None
        self._clients[client.number] = self._by_connection[connection] = client
        if self._link is not None:
            self._announce(client)

    def received(self, connection: Connection, message: Incoming) -> None:
        client = self._by_connection[connection]
        if type(message) is Hello and client.hello is None:
            client.hello, connection.device_kind = message, message.screen
        if client.announced:
            self._pass_on(client, message)
        elif isinstance(message, inbound.Ping):
            connection.send(outbound.Pong(c=message.c, now_us=self.time.now() + self._offset))
        # Anything else gets no response, as if it were lost with a connection: the client sends it again after the
        # snapshot that the house sends it once it is back.

    def _pass_on(self, client: Client, message: Incoming) -> None:
        if (
            type(message) is not SendCommand
            or type(message.command) not in _OF_PLAYERS
            or client.connection.device_kind is not DeviceKind.TERMINAL
        ):
            self._post(Received.of(client.number, message))
            return
        self.metrics.commands += 1
        self._in_batch += 1
        if not client.sent_at:
            client.sent_at = self.time.now()
        # As the house would compute it: a command of a player has no signer.
        digest = request_digest(Request(message.command))
        key = IdempotencyKey(message.epoch, message.id)
        assert self._link is not None
        self._link.play(PlayerCommand(client.number, key, digest, message.command))

    def received_invalid(self, connection: Connection, sketch: PartialMessage, refusal: Refusal) -> None:
        client = self._by_connection[connection]
        self.metrics.invalid += 1
        if client.announced:
            self._post(ReceivedInvalid.of(client.number, sketch, refusal.message))

    def too_fast(self, connection: Connection, message: Incoming | None, _refusal: Refusal) -> None:
        client = self._by_connection[connection]
        self.metrics.rate_limited += 1
        if client.announced:
            self._post(ReceivedTooFast.of(client.number, message))

    def not_writable(self, connection: Connection) -> None:
        self._post(Paused(self._by_connection[connection].number))

    def writable_again(self, connection: Connection, *, missed: bool) -> None:
        self._post(Resumed(self._by_connection[connection].number, missed))

    def disconnected(self, connection: Connection, refusal: Refusal | None) -> None:
        client = self._by_connection[connection]
        self._clients.pop(client.number, None)
        self._held.pop(client.number, None)
        if refusal is not None:
            self.metrics.closed[refusal.code] += 1
        if client.announced:
            self._post(Ended(client.number, None if refusal is None else refusal.code))

    def closed(self, connection: Connection) -> None:
        self.connections.pop(connection, None)
        self._by_connection.pop(connection, None)

    def _schedule_sweep(self) -> None:
        self._sweeping = self.time.at(Instant(self.time.now() + SWEEP_INTERVAL_US), self._sweep)

    def _sweep(self) -> None:
        """Close connections that have sent no hello, are silent or do not read."""
        self._schedule_sweep()
        self._sweep_all.run()
