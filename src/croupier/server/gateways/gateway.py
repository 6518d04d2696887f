"""A gateway: holds the WebSockets of clients, and passes their messages to the house and its frames to them."""

import asyncio
import secrets
from collections import Counter, deque
from collections.abc import Callable, Coroutine, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from http import HTTPStatus
from itertools import count
from math import inf
from typing import Final

import msgspec
import structlog
from nats.errors import Error as BrokerError
from picows import WSCloseCode

from croupier.engine.ports import LoopClock, Request, Timer
from croupier.engine.sequencer import request_digest
from croupier.engine.slices import Slicer, sliced
from croupier.house.declare import COMMANDS
from croupier.house.ids import SECOND, DeviceKind, Instant
from croupier.journal.entry import IdempotencyKey
from croupier.protocol import inbound, outbound
from croupier.protocol.inbound import Hello as ClientHello
from croupier.protocol.inbound import Incoming, PartialMessage, SendCommand
from croupier.rules.refusal import Code, Refusal, refuse
from croupier.server.connection import (
    SWEEP_INTERVAL_US,
    Connection,
    ConnectionSweep,
    RateLimit,
    WebSocketConnection,
)
from croupier.server.gateways.broker import Broker, Unsubscribe
from croupier.server.gateways.messages import (
    BEAT_EVERY,
    COMMANDS_MAX,
    DECODE_BEACON,
    DECODE_CAST,
    DECODE_DOWN,
    ENCODE,
    MESSAGES_MAX,
    MISSED_BEATS_MAX,
    PAGES,
    VERSION,
    Beacon,
    Beat,
    BeatReturned,
    Cast,
    Close,
    Down,
    DownBatch,
    Ended,
    Goodbye,
    Hello,
    Join,
    Leave,
    Listening,
    Opened,
    PagePublished,
    Paused,
    Played,
    Received,
    ReceivedInvalid,
    ReceivedTooFast,
    RelayedCommand,
    Resumed,
    Send,
    SendBets,
    SendLast,
    SendSnapshot,
    SessionEnded,
    Up,
    UpBatch,
    Welcome,
)
from croupier.server.gateways.metrics import GatewayCollector, GatewayGauges, GatewayMetrics
from croupier.server.http import APART, NO_HEADERS, HttpResponse, PageHandler, health_response, metrics_response
from croupier.server.pages import PageContext

#: How long connections are held while the house is away. Then they are closed, and screens show that they are.
HOLD_MAX: Final = 15 * SECOND
#: How many of its sessions a gateway knows for its own: the house may answer to one that is over.
SESSIONS_KNOWN: Final = 100
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
    hello: ClientHello | None = None
    #: Whether the house knows of it in the session of now, and in which epoch it last did.
    announced: bool = False
    epoch: int = 0
    #: The order of its last snapshot, which has what the house had published for topics before; 0 without one.
    seen: int = 0
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


class GatewayRefusedError(Exception):
    """The house does not admit this gateway."""


class Uplink:
    """What a gateway sends the house in one session."""

    def __init__(self, broker: Broker, number: int, count_batch: Callable[[], None]) -> None:
        self.number = number
        #: The epoch of the house, once it has admitted the gateway, and how many batches it has sent in this session.
        self.epoch = 0
        self.received = 0
        #: Whether the house has shown that it is there since the session was begun, and has not answered.
        self.is_overdue = False
        self._broker, self._count_batch, self._sent = broker, count_batch, 0
        self._queue: list[Up] = []
        #: The commands since any other message.
        self._commands = list[RelayedCommand]()

    def play(self, command: RelayedCommand) -> None:
        """Send a command of a player; successive commands are one message."""
        if not 0 < len(self._commands) < COMMANDS_MAX:
            commands = list[RelayedCommand]()
            self.post(Played(commands))
            self._commands = commands
        self._commands.append(command)

    def post(self, message: Up) -> None:
        """Send a message, in one batch with the others of this iteration of the event loop."""
        self._commands = []
        if not self._queue:
            asyncio.get_running_loop().call_soon(self.flush)
        self._queue.append(message)

    def flush(self) -> None:
        """Publish what was posted."""
        self._count_batch()
        self._commands = []
        queue, self._queue = self._queue, []
        if queue:
            self._publish(queue)

    def _publish(self, messages: list[Up]) -> None:
        self._sent += 1
        payload = ENCODE(UpBatch(self.number, self._sent, messages))
        if len(messages) > MESSAGES_MAX or (len(payload) > self._broker.payload_max and len(messages) > 1):
            self._sent -= 1
            half = len(messages) // 2
            self._publish(messages[:half])
            self._publish(messages[half:])
            return
        identity = self._broker.identity
        self._broker.publish(identity.up, payload, identity.down)


@dataclass(slots=True)
class Topic:
    """What the house publishes for many connections, and those here that receive it."""

    #: With the order of the last frame that each was sent.
    members: dict[Client, int] = field(default_factory=dict)
    #: What ends the subscription, once the broker has noted it.
    unsubscribe: Unsubscribe | None = None


@dataclass(slots=True)
class Gateway:
    """Handles the connections of its clients by passing on what they send. It decides nothing."""

    time: LoopClock
    build: str
    broker: Broker
    pages: GatewayPages
    #: Called with the welcome of the house, and with None once the house is away.
    on_house: Callable[[Welcome | None], None] = lambda _: None
    #: As the house has configured it.
    pace: RateLimit = _NO_PACE
    connections: dict[Connection, None] = field(default_factory=dict)
    metrics: GatewayMetrics = field(default_factory=GatewayMetrics)
    #: How many commands the next batch has.
    _in_batch: int = 0
    #: The house's time less this gateway's.
    _offset: int = 0
    #: The latest epoch of the house.
    _epoch: int = 0
    #: The session that was begun; None while there is no house.
    _uplink: Uplink | None = None
    #: The sessions that this gateway has begun last.
    _begun: deque[int] = field(default_factory=partial(deque, maxlen=SESSIONS_KNOWN))
    #: Beats of this session that the house has not returned.
    _missed_beats: int = 0
    _clients: dict[int, Client] = field(default_factory=dict)
    _by_connection: dict[Connection, Client] = field(default_factory=dict)
    #: Clients that were connected before this session, and are not announced in it yet.
    _held: dict[int, Client] = field(default_factory=dict)
    _numbers: Iterator[int] = field(default_factory=lambda: count(1))
    #: Called once a sign of life has come back, by its number.
    _returned: dict[int, Callable[[], None]] = field(default_factory=dict)
    _topics: dict[int, Topic] = field(default_factory=dict)
    #: What was received in this iteration of the event loop: the house's order counts over all subjects.
    _inbox: list[DownBatch | Cast | Beacon] = field(default_factory=list)
    _refusal: str = ""
    _away_since: Instant = Instant(0)
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)
    _sweeping: Timer = field(init=False)
    _beating: Timer = field(init=False)
    _sweep_all: ConnectionSweep = field(init=False)

    def __post_init__(self) -> None:
        self._sweep_all = ConnectionSweep(self.connections, self.time, Slicer(self.time.now))
        self._schedule_sweep()
        self._schedule_beat()

    @property
    def is_linked(self) -> bool:
        """Whether the house is there and has admitted this gateway."""
        return self._uplink is not None and self._uplink.epoch > 0

    def health(self) -> GatewayHealth:
        return GatewayHealth(ok=self.is_linked, connections=len(self.connections))

    def gauges(self) -> GatewayGauges:
        kinds = Counter(str(each.device_kind or "none") for each in self.connections)
        return GatewayGauges(self.is_linked, kinds)

    def count_batch(self) -> None:
        """Count the commands that one batch has."""
        if self._in_batch:
            self.metrics.batch_commands.observe(self._in_batch)
            self._in_batch = 0

    # The broker.

    async def run(self) -> None:
        """Serve until it is closed; GatewayRefusedError when the house refuses the gateway."""
        await self.broker.run(self)
        if self._refusal:
            raise GatewayRefusedError(self._refusal)

    async def close(self) -> None:
        """Say goodbye, and leave the broker."""
        self._sweeping.cancel()
        self._beating.cancel()
        if self._uplink is not None:
            self._uplink.post(Goodbye())
            self._uplink.flush()
        await self.broker.close()

    def give_up(self, words: str) -> None:
        """Leave the broker for good, with the reason."""
        self._refusal = words
        self._begin(self.close())

    def _begin(self, work: Coroutine[object, object, None]) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def on_connected(self, broker: Broker) -> None:
        """Receive from the house, and begin a session with it."""
        identity = broker.identity
        for subject in (identity.down, identity.beacon, identity.cast(PAGES)):
            await broker.subscribe(subject)
        self._greet()

    def _greet(self) -> None:
        """Begin a session: the house answers if it is there, and otherwise says so when it is."""
        if self._refusal:
            # It leaves the broker: another session would end that of a gateway with the same key.
            return
        self._missed_beats = 0
        self._uplink = uplink = Uplink(self.broker, secrets.randbits(53), self.count_batch)
        self._begun.append(uplink.number)
        uplink.post(Hello(VERSION, self.build))

    def on_lost(self) -> None:
        """Close every connection: its client may reach the house through another gateway."""
        self._lose_house()
        for connection in tuple(self.connections):
            connection.close(_AWAY, WSCloseCode.SERVICE_RESTART)

    def on_no_responders(self, _subject: str) -> None:
        """Hold the connections: the broker knows of no house."""
        # After what the house has published before.
        asyncio.get_running_loop().call_soon(self._lose_house)

    def on_overrun(self, subject: str) -> None:
        """Begin anew: messages of the house were dropped."""
        self.broker.drop(f"too much at once: {subject}")

    def on_message(self, subject: str, payload: bytes) -> tuple[()]:
        """Take what the house has published, in its order, in the next iteration of the event loop."""
        identity = self.broker.identity
        try:
            message: DownBatch | Cast | Beacon
            if subject == identity.down:
                message = DECODE_DOWN(payload)
            else:
                message = DECODE_BEACON(payload) if subject == identity.beacon else DECODE_CAST(payload)
        except (ValueError, RecursionError) as error:
            # The house is of another build, or no house.
            _LOG.warning("house_message_invalid", words=str(error))
            return ()
        if not self._inbox:
            asyncio.get_running_loop().call_soon(self._take_all)
        self._inbox.append(message)
        return ()

    def _on_beacon(self, beacon: Beacon) -> None:
        """Begin a session with a house that has come, or has come back; hold the connections when it stops."""
        uplink = self._uplink
        if not beacon.is_open:
            self._lose_house()
        elif uplink is not None and not uplink.epoch and not uplink.is_overdue:
            # The house may be about to answer.
            uplink.is_overdue = True
        elif uplink is None or uplink.epoch != beacon.epoch:
            self._lose_house()
            self._greet()

    def _take_all(self) -> None:
        inbox, self._inbox = self._inbox, []
        inbox.sort(key=_order)
        for received in inbox:
            if received.epoch < self._epoch:
                # It is of a house that another one has replaced.
                continue
            self._epoch = received.epoch
            match received:
                case DownBatch():
                    self._take_batch(received)
                case Cast():
                    self._take_cast(received)
                case _:
                    self._on_beacon(received)

    def _take_batch(self, batch: DownBatch) -> None:
        uplink = self._uplink
        if uplink is None or batch.session != uplink.number:
            if batch.session not in self._begun and any(isinstance(each, Welcome) for each in batch.messages):
                self.give_up("Another gateway uses this key.")
            return
        if batch.number and batch.number != uplink.received + 1:
            self._restart("a batch was lost")
            return
        uplink.received = batch.number
        for message in batch.messages:
            self._take(uplink, batch.order, message)

    def _take(self, uplink: Uplink, order: int, message: Down) -> None:
        """Handle a message of the house."""
        match message:
            case SendBets() | Send():
                self._send(message)
            case SendSnapshot() | SendLast():
                self._send_state(order, message)
            case Close():
                self._close(message)
            case Join() | Leave():
                self._follow(message)
            case BeatReturned():
                self._on_beat_returned(message)
            case Welcome():
                self._on_welcome(uplink, message)
            case PagePublished():
                self._publish(message)
            case SessionEnded():
                self._restart("the house has ended the session")
            case _:
                self.give_up(message.words)

    def _restart(self, why: str) -> None:
        """Begin a new session with the house that is there."""
        _LOG.warning("house_session_lost", words=why)
        self._lose_house()
        self._greet()

    def _publish(self, page: PagePublished) -> None:
        self.pages.published[page.path] = HttpResponse(page.status, page.headers, page.body, page.compressed)

    # Topics.

    def _take_cast(self, cast: Cast) -> None:
        if isinstance(cast.frame, PagePublished):
            self._publish(cast.frame)
        elif (
            self._uplink is not None
            and self._uplink.epoch == cast.epoch
            and (topic := self._topics.get(cast.topic)) is not None
        ):
            self._send_to_members(topic, cast.order, cast.frame)

    def _send_to_members(self, topic: Topic, order: int, frame: bytes) -> None:
        """Send what was published for a topic to those who have not got it with their snapshot, or will."""
        for client, last in topic.members.items():
            if 0 < client.seen < order and last < order:
                topic.members[client] = order
                client.sent_at = Instant(0)
                client.connection.send_frame(frame)

    def _follow(self, message: Join | Leave) -> None:
        """Send a client what is published for a topic, or nothing more that is published for topics."""
        client = self._clients.get(message.connection)
        if client is None:
            return
        if isinstance(message, Leave):
            self._leave(client)
            return
        topic = self._topics.get(message.topic)
        if topic is None:
            self._topics[message.topic] = topic = Topic()
            self._begin(self._subscribe(message.topic, topic))
        topic.members[client] = 0

    async def _subscribe(self, number: int, topic: Topic) -> None:
        """Receive what is published for a topic, and let the house know from when on."""
        uplink = self._uplink
        try:
            topic.unsubscribe = await self.broker.subscribe(self.broker.identity.cast(str(number)))
        except BrokerError as error:
            if uplink is not None and self._uplink is uplink:
                # The connection is there, and would never have this table.
                self.broker.drop(f"no subscription: {error}")
            return
        if uplink is not None and self._uplink is uplink:
            uplink.post(Listening(number))
        else:
            await topic.unsubscribe()

    def _leave(self, client: Client) -> None:
        for topic in self._topics.values():
            topic.members.pop(client, None)

    def _leave_topics(self) -> None:
        """Receive nothing more for the topics of a session that is over."""
        topics, self._topics = self._topics, {}
        for topic in topics.values():
            if topic.unsubscribe is not None:
                self._begin(topic.unsubscribe())

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

    def _send_state(self, order: int, message: SendSnapshot | SendLast) -> None:
        if isinstance(message, SendLast):
            if (topic := self._topics.get(message.topic)) is not None:
                self._send_to_members(topic, message.order, message.frame)
        elif (client := self._clients.get(message.connection)) is not None:
            client.seen, client.sent_at = order, Instant(0)
            client.connection.send_frame(message.frame)

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
        self._leave(client)
        if message.code:
            client.connection.end(WSCloseCode(message.code))
        else:
            client.connection.abort()

    def _on_welcome(self, uplink: Uplink, welcome: Welcome) -> None:
        _LOG.info("house_connected", held=len(self._clients))
        self.metrics.sessions += 1
        uplink.epoch, self._offset = self._epoch, welcome.now_us - self.time.now()
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
        """Announce a client; authenticate its device anew, if it was authenticated in an earlier session."""
        hello = client.hello
        enrolled_itself = hello is not None and not hello.key
        if client.epoch == self._epoch or enrolled_itself:
            # Only the session was lost, and with it perhaps messages in the middle of this connection: a response to a
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

    def _lose_house(self) -> None:
        """End the session, and hold the connections for a while if there was one."""
        uplink, self._uplink = self._uplink, None
        self._returned.clear()
        self._held.clear()
        self._leave_topics()
        if uplink is None or not uplink.epoch:
            return
        _LOG.warning("house_away", connections=len(self._clients))
        self.metrics.sessions_lost += 1
        self.on_house(None)
        for client in self._clients.values():
            client.announced, client.seen = False, 0
        away_since = self._away_since = self.time.now()
        self.time.at(Instant(away_since + HOLD_MAX), partial(self._give_up, away_since))

    def _give_up(self, away_since: Instant) -> None:
        """Close the held connections if the house is away since then."""
        if not self.is_linked and self._away_since == away_since:
            for connection in tuple(self.connections):
                connection.close(_AWAY, WSCloseCode.SERVICE_RESTART)

    def _post(self, message: Up) -> None:
        if self._uplink is not None and self._uplink.epoch:
            self._uplink.post(message)

    # Signs of life.

    def _on_beat_returned(self, beat: BeatReturned) -> None:
        self._missed_beats = 0
        self._offset = beat.now_us - self.time.now()
        then = self._returned.pop(beat.number, None)
        if then is not None:
            then()

    def _schedule_beat(self) -> None:
        self._beating = self.time.at(Instant(self.time.now() + BEAT_EVERY), self._beat)

    def _beat(self) -> None:
        """Give a sign of life; hold the connections when the house has returned too few."""
        self._schedule_beat()
        if not self.is_linked:
            return
        self._missed_beats += 1
        if self._missed_beats > MISSED_BEATS_MAX:
            self._lose_house()
        else:
            self._post(Beat(0))

    # Clients.

    def opened(self, connection: Connection) -> None:
        assert isinstance(connection, WebSocketConnection)
        client = Client(next(self._numbers), connection)
        self.connections[connection] = None
        self._clients[client.number] = self._by_connection[connection] = client
        if self.is_linked:
            self._announce(client)

    def received(self, connection: Connection, message: Incoming) -> None:
        client = self._by_connection[connection]
        if type(message) is ClientHello and client.hello is None:
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
        assert self._uplink is not None
        self._uplink.play(RelayedCommand(client.number, key, digest, message.command))

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
        self._leave(client)
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


def _order(received: DownBatch | Cast | Beacon) -> tuple[int, float]:
    # A house that stops has published everything else before it says so: what it has answered is not lost with it.
    return received.epoch, inf if isinstance(received, Beacon) else received.order
