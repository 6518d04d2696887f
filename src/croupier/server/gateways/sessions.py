"""The house's side of the gateways: their sessions, and the connections at them, which the router treats as its own."""

import asyncio
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Final, Protocol

import msgspec
import structlog
from nats.errors import Error as BrokerError
from picows import WSCloseCode

from croupier.engine.ports import LoopClock, Request, Timer
from croupier.engine.slices import sliced
from croupier.house.declare import EVENTS, Event, Part
from croupier.house.ids import SECOND, DeviceId, DeviceKind, Instant, PersonId
from croupier.protocol import outbound
from croupier.protocol.inbound import SendCommand
from croupier.rules.refusal import Code, Refusal, refuse
from croupier.server.auth.credentials import DeviceCredential
from croupier.server.auth.devices import is_loopback
from croupier.server.auth.sessions import SessionToken
from croupier.server.connection import TOO_FAST, BetsRow, ConnectionHandler
from croupier.server.gateways.broker import Broker
from croupier.server.gateways.keys import Enrolment, GatewayKeyError, GatewayKeys, down_subject, up_subject
from croupier.server.gateways.messages import (
    BEAT_EVERY,
    DECODE_UP,
    ENCODE,
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
    SessionRefused,
    Up,
    UpBatch,
    Welcome,
)
from croupier.server.http import HttpHandler
from croupier.server.pages import PageContext
from croupier.server.publisher import TableFrame

_LOG = structlog.get_logger()
#: How long after an event the pages that it may change are built for gateways.
PAGES_AFTER: Final = SECOND // 2
_FULL: Final = refuse(Code.BUSY, None, "The server is full: try again in a moment.")
_TOO_LONG: Final = refuse(Code.TOO_LONG, None, "That is too long to be sent.")
_RELEASED: Final = SessionRefused("This gateway was released.")
#: The code of a connection that is to be aborted.
ABORT: Final = 0
_TERMINAL: Final = DeviceKind.TERMINAL
_NO_PERSON: Final = PersonId("")
#: The number of the topic of the pages; those of others are counted from the next.
_PAGES_NUMBER: Final = 0


class HouseHandler(ConnectionHandler, Protocol):
    """Handles the connections at gateways as any, and the commands of their players together."""

    def submit_all(self, requests: list[Request]) -> None:
        """Submit the commands of players that arrived together."""


class GatewayConnection:
    """The connection of a device whose WebSocket is at a gateway."""

    __slots__ = (
        *("device_kind", "enrolled", "native", "is_open", "greeted", "device", "person", "token", "version"),
        *("last_cmd", "behind_since", "opened_at", "peer", "_session", "_number", "_missed"),
    )
    device_kind: DeviceKind | None
    enrolled: DeviceCredential | None

    def __init__(self, session: "GatewaySession", opened: Opened) -> None:
        self._session, self._number, self.peer = session, opened.connection, session.peer(opened.peer)
        self.native, self.device_kind, self.enrolled = opened.native, None, None
        self.is_open, self.greeted = True, False
        self.device = DeviceId("")
        self.person = PersonId("")
        self.token = SessionToken("", self.device)
        self.opened_at = session.gateways.time.now()
        # A client that is held over a new session must not take a delta of this one for the next of the session
        # before: the snapshot gives it the version to go on from.
        self.version = self.opened_at if opened.held else 0
        self.last_cmd = 0
        self.behind_since: Instant | None = None
        self._missed = False

    @property
    def silent(self) -> int:
        """The gateway closes silent connections, and the beats of its session show that it does."""
        return 0

    @silent.setter
    def silent(self, sweeps: int) -> None: ...

    def send(self, message: msgspec.Struct) -> None:
        frame = outbound.encode(message)
        if not isinstance(message, outbound.ViewSnapshot):
            self.send_frame(frame)
        elif self.behind_since is not None:
            self._missed = True
        elif self.is_open:
            self._session.post(SendSnapshot(self._number, frame))

    def send_frame(self, frame: bytes) -> None:
        if self.behind_since is not None:
            self._missed = True
        elif self.is_open:
            self._session.send(self._number, frame)

    def send_bets(self, row: BetsRow) -> None:
        if self.behind_since is not None:
            self._missed = True
        elif self.is_open:
            self._session.send_bets(self._number, row)

    def join(self, topic: str) -> bool:
        if self.is_open:
            self._session.join(self._number, topic)
        return True

    def leave(self) -> None:
        if self.is_open:
            self._session.leave(self._number)

    def close(self, refusal: Refusal, code: WSCloseCode = WSCloseCode.POLICY_VIOLATION) -> None:
        if self.is_open:
            self.send(outbound.Bye(refusal=outbound.refusal_body(refusal)))
            self._session.post(Close(self._number, code.value))
            self._session.remove(self._number)
            self.end(refusal)

    def abort(self) -> None:
        if self.is_open:
            self._session.post(Close(self._number, ABORT))
            self._session.remove(self._number)
            self.end(None)

    def end(self, refusal: Refusal | None) -> None:
        """Note that its WebSocket has ended or is about to."""
        self.is_open = False
        handler = self._session.gateways.handler
        handler.disconnected(self, refusal)
        handler.closed(self)

    def pause_writing(self) -> None:
        self.behind_since, self._missed = self._session.gateways.time.now(), False

    def resume_writing(self, *, missed: bool = False) -> None:
        self.behind_since = None
        if self.is_open:
            self._session.gateways.handler.writable_again(self, missed=self._missed or missed)


class GatewaySession:
    """The session of one gateway: from its first batch to the first that is lost, or to its last beat."""

    def __init__(self, gateways: "Gateways", name: str, number: int) -> None:
        self.gateways, self.name = gateways, name
        self.since = gateways.time.now()
        self.number, self._subject = number, down_subject(gateways.identity.realm, name)
        self._received = self._sent = 0
        self._missed_beats = 0
        self._queue: list[Down] = []
        self._connections: dict[int, GatewayConnection] = {}
        #: The terminals that have sent a command, by the numbers of their connections.
        self._terminals: dict[int, DeviceId] = {}
        #: The connections here that receive each topic.
        self._members: dict[int, dict[int, None]] = {}
        #: The last frame, and the connections that it is sent to.
        self._frame, self._recipients = b"", list[int]()
        #: The outcomes of commands since any other message, and their connections.
        self._rows, self._players = list[BetsRow](), list[int]()

    @property
    def connection_count(self) -> int:
        return len(self._connections)

    def is_of(self, batch: UpBatch) -> bool:
        return batch.session == self.number

    def peer(self, claimed: str) -> str:
        """Return the address of a client: a loopback address only from a gateway on the machine of the house."""
        return self.name if is_loopback(claimed) and not self.gateways.is_local(self.name) else claimed

    # Sending.

    def send(self, number: int, frame: bytes) -> None:
        """Send a frame to a connection; a frame sent to several in succession is in the batch once."""
        if frame is self._frame:
            self._recipients.append(number)
        else:
            recipients = [number]
            self.post(Send(recipients, frame))
            self._frame, self._recipients = frame, recipients

    def send_bets(self, number: int, row: BetsRow) -> None:
        """Send the outcome of a command; successive outcomes are one message."""
        if not self._rows:
            rows, players = list[BetsRow](), list[int]()
            self.post(SendBets(players, rows))
            self._rows, self._players = rows, players
        self._rows.append(row)
        self._players.append(number)

    def join(self, number: int, topic: str) -> None:
        """Send a connection all that is published for a topic."""
        at = self.gateways.topic_number(topic)
        members = self._members.get(at)
        if members is None:
            self._members[at] = members = {}
            self.gateways.count_audience(at, 1)
        members[number] = None
        self.post(Join(at, number))

    def leave(self, number: int) -> None:
        """Send a connection nothing more that is published for topics."""
        self._forget_member(number)
        self.post(Leave(number))

    def _forget_member(self, number: int) -> None:
        for topic, members in tuple(self._members.items()):
            members.pop(number, None)
            if not members:
                del self._members[topic]
                self.gateways.count_audience(topic, -1)

    def post(self, message: Down) -> None:
        """Send a message, in one batch with the others of this iteration of the event loop."""
        self._frame = b""
        if self._rows:
            self._rows = []
        if not self._queue:
            asyncio.get_running_loop().call_soon(self.flush)
        self._queue.append(message)

    def flush(self) -> None:
        """Publish what was posted."""
        queue, self._queue = self._queue, []
        self._frame = b""
        if self._rows:
            self._rows = []
        if queue:
            self._publish(queue)

    def _publish(self, messages: list[Down]) -> None:
        gateways = self.gateways
        payload = ENCODE(DownBatch(gateways.epoch, gateways.next_order(), self.number, self._sent + 1, messages))
        if len(payload) > gateways.broker.payload_max and len(messages) > 1:
            half = len(messages) // 2
            self._publish(messages[:half])
            self._publish(messages[half:])
        elif gateways.broker.publish(self._subject, payload):
            self._sent += 1
        else:
            # As soon as nothing else is being sent.
            asyncio.get_running_loop().call_soon(self._close_unsendable, messages[0])

    def _close_unsendable(self, message: Down) -> None:
        """Close the connections that would miss a message which is larger than the broker accepts."""
        match message:
            case Send():
                numbers = message.connections
            case SendSnapshot():
                numbers = [message.connection]
            case _:
                # A page or the state of a table: who has the one before keeps it.
                numbers = []
        for number in numbers:
            if (connection := self._connections.get(number)) is not None:
                connection.close(_TOO_LONG, WSCloseCode.MESSAGE_TOO_BIG)

    def remove(self, number: int) -> GatewayConnection | None:
        """Forget a connection, and return it: what its gateway still sends for it is ignored."""
        self._terminals.pop(number, None)
        self._forget_member(number)
        return self._connections.pop(number, None)

    # Receiving.

    def receiving(self, batch: UpBatch) -> Iterator[None]:
        """Handle a batch of this session, message by message; end the session if a batch before it was lost."""
        if not self.is_of(batch):
            self.gateways.send_end(self.name, batch.session)
            return
        if batch.number <= self._received:
            _LOG.warning("gateway_batch_repeated", gateway=self.name, number=batch.number)
            return
        if batch.number != self._received + 1:
            self.drop("a batch was lost")
            return
        self._received, self._missed_beats = batch.number, 0
        for message in batch.messages:
            if self.gateways.sessions.get(self.name) is self:
                self._take(message)
                yield

    def _take(self, message: Up) -> None:
        match message:
            case Played(commands):
                self._submit(commands)
            case Opened():
                self._open(message)
            case Beat(number):
                self.post(BeatReturned(number, self.gateways.time.now()))
            case Ended(number, code):
                ended = self.remove(number)
                if ended is not None:
                    ended.end(None if code is None else refuse(code, None, ""))
            case Listening(topic):
                self._send_last(topic)
            case Goodbye() | Hello():
                self.gateways.end(self)
            case _:
                named = self._connections.get(message.connection)
                if named is not None:
                    self._take_for(named, message)

    def _send_last(self, topic: int) -> None:
        """Send the last frame of a topic to the connections that may have missed it."""
        if (last := self.gateways.last_frame(topic)) is not None:
            self.post(last)

    def _submit(self, commands: list[RelayedCommand]) -> None:
        """Submit commands of players together, if all are of terminals that have sent a command before."""
        terminals = self._terminals
        try:
            requests = [
                Request(each.command, terminals[each.connection], _NO_PERSON, each.key, each.digest)
                for each in commands
            ]
        except KeyError:
            for each in commands:
                self._submit_one(each)
        else:
            self.gateways.handler.submit_all(requests)

    def _submit_one(self, each: RelayedCommand) -> None:
        """Submit a command of a device that was authenticated through this gateway, if that is a terminal.

        The device is that of its connection, never one that the gateway names. The handler refuses what comes of a
        connection without an authenticated device, or of another kind of device.
        """
        connection = self._connections.get(each.connection)
        if connection is None:
            return
        handler = self.gateways.handler
        if connection.device_kind is not _TERMINAL:
            handler.received(connection, SendCommand(each.key.number, each.key.epoch, each.command))
            return
        self._terminals[each.connection] = connection.device
        handler.submit_all([Request(each.command, connection.device, _NO_PERSON, each.key, each.digest)])

    def _open(self, opened: Opened) -> None:
        if opened.connection in self._connections:
            # No later message would tell which of the two it is about, and the first would never end.
            self.drop("connection number used twice")
            return
        handler = self.gateways.handler
        connection = GatewayConnection(self, opened)
        self._connections[opened.connection] = connection
        handler.opened(connection)
        if len(handler.connections) > self.gateways.connections_max:
            connection.close(_FULL, WSCloseCode.TRY_AGAIN_LATER)

    def _take_for(
        self,
        connection: GatewayConnection,
        message: Received | ReceivedInvalid | ReceivedTooFast | Paused | Resumed,
    ) -> None:
        handler = self.gateways.handler
        match message:
            case Received():
                handler.received(connection, message.message)
            case ReceivedInvalid():
                refusal = refuse(Code.MALFORMED, None, message.words)
                handler.received_invalid(connection, message.sketch, refusal)
            case ReceivedTooFast():
                handler.too_fast(connection, message.message, TOO_FAST)
            case Paused():
                connection.pause_writing()
            case _:
                connection.resume_writing(missed=message.missed)

    # Its end.

    def beat(self) -> None:
        """Count a beat; end the session of a gateway that has missed too many."""
        self._missed_beats += 1
        if self._missed_beats > MISSED_BEATS_MAX:
            self.drop("silent")

    def drop(self, why: str) -> None:
        """End the session, and let the gateway know."""
        _LOG.warning("gateway_session_dropped", gateway=self.name, words=why)
        self.post(SessionEnded())
        self.flush()
        self.gateways.end(self)

    def end_connections(self) -> None:
        """End some of its connections now, and the others in the next iterations of the event loop."""
        for _ in sliced(self._ending(), self.gateways.time.now):
            asyncio.get_running_loop().call_soon(self.end_connections)
            return

    def _ending(self) -> Iterator[None]:
        while self._connections:
            connection = self.remove(next(iter(self._connections)))
            assert connection is not None
            connection.end(None)
            yield


class PageFeed:
    """Keeps the pages of the gateways as the house would serve them, while there is a gateway."""

    def __init__(self, site: HttpHandler, time: LoopClock, publish: Callable[[PagePublished], None]) -> None:
        self._site, self._time, self._publish = site, time, publish
        #: Each page as it was last published.
        self._published: dict[str, PagePublished] = {}
        #: What every page depended on when all were last due.
        self._terms: tuple[object, ...] = ()
        #: The pages to build again.
        self._due: dict[str, None] = {}
        #: Whether there is a gateway; without one no page is built.
        self._is_needed = False

    @property
    def context(self) -> PageContext:
        """What every page has in common."""
        return self._site.context()

    def begin(self) -> tuple[PagePublished, ...]:
        """Return the pages that are built, for a gateway that connected; the others are published as they are built."""
        if not self._is_needed:
            self._is_needed = True
            self._terms = self._terms_now()
            self._due.update(dict.fromkeys(self._all()))
            asyncio.get_running_loop().call_soon(self._build_next)
        return tuple(self._published.values())

    def end(self) -> None:
        """Build no more pages: the last gateway has gone."""
        self._is_needed = False
        self._published.clear()
        self._due.clear()

    def on_event(self, event: Event) -> None:
        """Build again, a little later, the pages that an event may change."""
        if not self._is_needed:
            return
        touches = EVENTS[type(event)].touches
        if Part.TERMS in touches and self._terms != (terms := self._terms_now()):
            self._terms = terms
            self._set_due(self._all())
        elif touches:
            for table in event.tables_in(self._site.house):
                self._set_due(self._site.table_paths(table))
            self._set_due(self._site.house_paths())

    def _terms_now(self) -> tuple[object, ...]:
        """Return what every page depends on: the adopted rulebooks, and the rulebook and settings of each table."""
        house = self._site.house
        tables = ((each.id, each.rulebook.digest, each.settings) for each in house.tables.values())
        return (tuple(house.rulebooks), *tables)

    def _all(self) -> Iterator[str]:
        yield from self._site.paths()
        for table in self._site.house.tables:
            yield from self._site.table_paths(table)
        yield from self._site.house_paths()

    def _set_due(self, paths: Iterable[str]) -> None:
        if not self._due:
            self._time.at(Instant(self._time.now() + PAGES_AFTER), self._build_next)
        self._due.update(dict.fromkeys(paths))

    def _build_next(self) -> None:
        """Build one page, and the next one in the next iteration of the event loop."""
        path = next(iter(self._due), None)
        if path is None:
            return
        del self._due[path]
        place, _, query = path.partition("?")
        response = self._site.page(tuple(place.split("/")), {query: ""})
        if response is not None:
            page = PagePublished(path, response.status, response.headers, response.body, response.compressed)
            if page != self._published.get(path):
                self._published[path] = page
                self._publish(page)
        asyncio.get_running_loop().call_soon(self._build_next)


class Gateways:
    """The gateways of a house: admits those that are enrolled, and publishes for all of them."""

    def __init__(  # noqa: PLR0913, PLR0917 - what it is made of
        self,
        handler: HouseHandler,
        time: LoopClock,
        site: HttpHandler,
        keys: GatewayKeys,
        broker: Broker,
        build: str,
        epoch: int,
        connections_max: int,
        origins: tuple[str, ...],
        sessions: dict[str, GatewaySession],
    ) -> None:
        self.handler, self.time, self.keys, self.broker = handler, time, keys, broker
        self.identity = broker.identity
        self.build, self.epoch, self.connections_max, self.origins = build, epoch, connections_max, origins
        self.pages = PageFeed(site, time, self._publish_page)
        #: The session of each gateway that is linked, by its name.
        self.sessions = sessions
        #: The gateways that are enrolled; those that were since the start, each with whether it is received from. One
        #: that was released is still heard, so that it learns that it was, whatever it has missed.
        self._enrolled: dict[str, Enrolment] = {}
        self._revision = 0
        self._known: dict[str, bool] = {}
        self._subscribing = asyncio.Lock()
        self._topics: dict[str, int] = {PAGES: _PAGES_NUMBER}
        #: In how many sessions somebody receives a topic, and the last frame that was published for it.
        self._audience: dict[int, int] = {}
        self._last: dict[int, SendLast] = {}
        #: The sessions that were lost with a connection to the broker, by gateway, to be sent over the next one.
        self._lost: dict[str, int] = {}
        self._order = 0
        self._timer: Timer | None = None
        self._running: asyncio.Task[None] | None = None
        self._reading: asyncio.Task[None] | None = None

    # Running.

    def begin(self) -> None:
        """Connect to the broker, and admit gateways from then on."""
        self._running = asyncio.ensure_future(self.broker.run(self))
        self._schedule()

    async def close(self) -> None:
        """Publish what was posted, and leave the broker."""
        if self._timer is not None:
            self._timer.cancel()
        for session in tuple(self.sessions.values()):
            session.flush()
        self._publish_beacon(is_open=False)
        await self.broker.close()
        if self._running is not None:
            await self._running

    async def on_connected(self, _broker: Broker) -> None:
        """Receive from every enrolled gateway, say that the house is there, and which sessions have ended."""
        await self._subscribe()
        self._publish_beacon()
        lost, self._lost = self._lost, {}
        for name, session in lost.items():
            # Otherwise it would learn it with its next batch, and a client may be waiting for a lost outcome.
            self.send_end(name, session)

    async def _subscribe(self) -> None:
        """Receive from gateways that were enrolled since, and end the sessions of those that were released."""
        async with self._subscribing:
            await self._follow_enrolments()

    async def _follow_enrolments(self) -> None:
        # Before the files are read: what changes meanwhile is read the next time.
        revision = self.keys.revision()
        if not revision or revision != self._revision:
            try:
                self._enrolled = self.keys.gateways()
            except GatewayKeyError as fault:
                _LOG.error("gateway_keys_unreadable", words=str(fault))
                return
            self._revision = revision
        for name in [each for each in self.sessions if each not in self._enrolled]:
            self._dismiss(self.sessions[name])
        self._known |= {name: False for name in self._enrolled if name not in self._known}
        for name in [each for each, is_received in self._known.items() if not is_received]:
            await self.broker.subscribe(up_subject(self.identity.realm, name))
            self._known[name] = True

    def _dismiss(self, session: GatewaySession) -> None:
        """End the session of a gateway that was released."""
        _LOG.warning("gateway_released", gateway=session.name)
        session.post(_RELEASED)
        session.flush()
        self.end(session)

    def is_local(self, name: str) -> bool:
        """Whether a gateway runs on the machine of the house."""
        enrolled = self._enrolled.get(name)
        return enrolled is not None and enrolled.local

    def _publish_beacon(self, *, is_open: bool = True) -> None:
        self.broker.publish(self.identity.beacon, ENCODE(Beacon(self.epoch, is_open)))

    def _schedule(self) -> None:
        self._timer = self.time.at(Instant(self.time.now() + BEAT_EVERY), self._on_beat)

    def _on_beat(self) -> None:
        self._schedule()
        for session in tuple(self.sessions.values()):
            session.beat()
        self._reading = asyncio.ensure_future(self.read_enrolments())

    async def read_enrolments(self) -> None:
        """Subscribe to gateways enrolled since, drop released ones, and publish the beacon."""
        if self.broker.is_connected:
            with suppress(BrokerError):
                await self._subscribe()
            self._publish_beacon()

    # Receiving.

    def on_message(self, subject: str, payload: bytes) -> Iterator[None]:
        """Handle a batch of a gateway, which the broker names by the subject; a large one in slices of time."""
        name = subject.rpartition(".")[2]
        try:
            yield from sliced(self._receiving(name, DECODE_UP(payload)), self.time.now)
        except Exception as error:  # noqa: BLE001 - nothing that one gateway sends may end the sessions of others
            # It is of another build, or no gateway.
            _LOG.warning("gateway_batch_invalid", gateway=name, words=f"{type(error).__name__}: {error}")
            if (session := self.sessions.get(name)) is not None:
                session.drop("invalid batch")

    def _receiving(self, name: str, batch: UpBatch) -> Iterator[None]:
        session = self.sessions.get(name)
        if name not in self._enrolled:
            self._send_alone(name, batch.session, _RELEASED)
        elif batch.number == 1 and batch.messages and isinstance(batch.messages[0], Hello):
            yield from self._greeting(name, batch, batch.messages[0])
        elif session is None:
            self.send_end(name, batch.session)
        else:
            yield from session.receiving(batch)

    def _greeting(self, name: str, batch: UpBatch, hello: Hello) -> Iterator[None]:
        """Begin the session of a gateway of the same build, and refuse any other."""
        before = self.sessions.get(name)
        if before is not None and before.is_of(batch):
            yield from before.receiving(batch)
            return
        session = GatewaySession(self, name, batch.session)
        if hello.version != VERSION or hello.build != self.build:
            words = f"This house runs {self.build}, version {VERSION} of gateways: update the gateway."
            _LOG.warning("gateway_refused", gateway=name, words=words)
            session.post(SessionRefused(words))
            session.flush()
            return
        if before is not None:
            self.end(before)
        self.sessions[name] = session
        _LOG.info("gateway_connected", gateway=name)
        session.post(self._welcome())
        for page in self.pages.begin():
            session.post(page)
        yield from session.receiving(msgspec.structs.replace(batch, messages=batch.messages[1:]))

    def _welcome(self) -> Welcome:
        pace, context = self.handler.pace, self.pages.context
        return Welcome(
            self.time.now(),
            pace.per_s,
            pace.at_once,
            self.connections_max,
            self.origins,
            context.venue,
            context.demo,
        )

    def send_end(self, name: str, session: int) -> None:
        """Send a gateway word that there is no such session."""
        self._send_alone(name, session, SessionEnded())

    def _send_alone(self, name: str, session: int, message: Down) -> None:
        """Send a gateway a message about a session that it has not."""
        batch = DownBatch(self.epoch, self.next_order(), session, 0, [message])
        self.broker.publish(down_subject(self.identity.realm, name), ENCODE(batch))

    def on_no_responders(self, subject: str) -> None:
        """Ignore it: the house awaits no response."""

    def on_overrun(self, subject: str) -> None:
        """End the session of a gateway that sends more than the house can handle, or than the broker takes for it."""
        name, realm = subject.rpartition(".")[2], self.identity.realm
        if subject not in (up_subject(realm, name), down_subject(realm, name)):
            self.broker.drop(f"too much at once: {subject}")
        elif (session := self.sessions.get(name)) is not None:
            session.drop("too much at once")

    def on_lost(self) -> None:
        """End every session: batches may be lost with the connection to the broker."""
        self._known = dict.fromkeys(self._known, False)
        for session in tuple(self.sessions.values()):
            self._lost[session.name] = session.number
            self.end(session)

    def end(self, session: GatewaySession) -> None:
        """End a session, and its connections."""
        if self.sessions.get(session.name) is not session:
            return
        del self.sessions[session.name]
        _LOG.warning("gateway_disconnected", gateway=session.name, connections=session.connection_count)
        session.end_connections()
        if not self.sessions:
            self.pages.end()

    # Publishing.

    def next_order(self) -> int:
        self._order += 1
        return self._order

    def topic_number(self, topic: str) -> int:
        return self._topics.setdefault(topic, len(self._topics))

    def count_audience(self, topic: int, change: int) -> None:
        self._audience[topic] = count = self._audience.get(topic, 0) + change
        if not count:
            self._last.pop(topic, None)

    def last_frame(self, topic: int) -> SendLast | None:
        return self._last.get(topic)

    def cast(self, table: TableFrame) -> None:
        """Publish the frame of a table once, for every connection at a gateway that sees the table."""
        number = self.topic_number(table.table)
        if self._audience.get(number):
            order = self._cast(table.table, number, table.frame)
            self._last[number] = SendLast(number, order, table.frame)

    def _publish_page(self, page: PagePublished) -> None:
        self._cast(PAGES, _PAGES_NUMBER, page)

    def _cast(self, topic: str, number: int, content: bytes | PagePublished) -> int:
        # What was posted before is published before.
        for session in self.sessions.values():
            session.flush()
        subject = self.identity.cast(PAGES if topic == PAGES else str(number))
        order = self.next_order()
        self.broker.publish(subject, ENCODE(Cast(self.epoch, order, number, content)))
        return order
