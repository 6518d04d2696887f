"""The house's side of the link: listens for gateways, and hands their connections to the router as its own."""

import asyncio
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Final, Protocol

import msgspec
import structlog
from picows import WSCloseCode

from croupier.engine.accepting import LINKS_MAX, Capacity, ProtocolServer, listen, listen_at
from croupier.engine.ports import LoopClock, Request
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
from croupier.server.http import HttpHandler
from croupier.server.link.keys import LinkKeyError, LinkKeys, digest_of
from croupier.server.link.messages import (
    DECODE_UP,
    DOWN_BYTES_MAX,
    HANDSHAKE_S,
    LINK_VERSION,
    UP_BYTES_MAX,
    Beat,
    BeatReturned,
    Close,
    Ended,
    LinkAddress,
    LinkEnd,
    LinkHello,
    LinkRefused,
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
    Up,
)
from croupier.server.pages import PageContext

_LOG = structlog.get_logger()
#: How long after an event the pages that it may change are built for gateways.
PAGES_AFTER: Final = SECOND // 2
_FULL: Final = refuse(Code.BUSY, None, "The server is full: try again in a moment.")
#: The code of a connection that is to be aborted.
ABORT: Final = 0
_TERMINAL: Final = DeviceKind.TERMINAL
_NO_PERSON: Final = PersonId("")


class HouseHandler(ConnectionHandler, Protocol):
    """Handles the connections at gateways as any, and the commands of their players together."""

    def submit_all(self, requests: list[Request]) -> None:
        """Submit the commands of players that arrived together."""


class LinkedConnection:
    """The connection of a device whose WebSocket is at a gateway."""

    __slots__ = (
        *("device_kind", "enrolled", "native", "is_open", "greeted", "device", "person", "token", "version"),
        *("last_cmd", "behind_since", "opened_at", "peer", "_link", "_number", "_missed"),
    )
    device_kind: DeviceKind | None
    enrolled: DeviceCredential | None

    def __init__(self, link: "HouseLink", opened: Opened, peer: str) -> None:
        self._link, self._number, self.peer = link, opened.connection, peer
        self.native, self.device_kind, self.enrolled = opened.native, None, None
        self.is_open, self.greeted = True, False
        self.device = DeviceId("")
        self.person = PersonId("")
        self.token = SessionToken("", self.device)
        self.opened_at = link.time.now()
        # A client that is held over a new link must not take a delta of this one for the next of the link before: the
        # snapshot gives it the version to go on from.
        self.version = self.opened_at if opened.held else 0
        self.last_cmd = 0
        self.behind_since: Instant | None = None
        self._missed = False

    @property
    def silent(self) -> int:
        """The gateway closes silent connections, and the heartbeat of the link shows that it does."""
        return 0

    @silent.setter
    def silent(self, sweeps: int) -> None: ...

    def send(self, message: msgspec.Struct) -> None:
        self.send_frame(outbound.encode(message))

    def send_frame(self, frame: bytes) -> None:
        if self.behind_since is not None:
            self._missed = True
        elif self.is_open:
            self._link.send(self._number, frame)

    def send_bets(self, row: BetsRow) -> None:
        if self.behind_since is not None:
            self._missed = True
        elif self.is_open:
            self._link.send_bets(self._number, row)

    def close(self, refusal: Refusal, code: WSCloseCode = WSCloseCode.POLICY_VIOLATION) -> None:
        if self.is_open:
            self.send(outbound.Bye(refusal=outbound.refusal_body(refusal)))
            self._link.post(Close(self._number, code.value))
            self._link.remove(self._number)
            self.end(refusal)

    def abort(self) -> None:
        if self.is_open:
            self._link.post(Close(self._number, ABORT))
            self._link.remove(self._number)
            self.end(None)

    def end(self, refusal: Refusal | None) -> None:
        """Note that its WebSocket has ended or is about to."""
        self.is_open = False
        self._link.handler.disconnected(self, refusal)
        self._link.handler.closed(self)

    def pause_writing(self) -> None:
        self.behind_since, self._missed = self._link.time.now(), False

    def resume_writing(self, *, missed: bool = False) -> None:
        self.behind_since = None
        if self.is_open:
            self._link.handler.writable_again(self, missed=self._missed or missed)


class HouseLink(LinkEnd):
    """The link of one gateway."""

    def __init__(self, listener: "GatewayListener") -> None:
        super().__init__(listener.time, DOWN_BYTES_MAX, UP_BYTES_MAX)
        self._listener, self.handler = listener, listener.handler
        self.name, self.digest, self.address = "", "", ""
        #: When the gateway was admitted; None before that.
        self.since: Instant | None = None
        self._connections: dict[int, LinkedConnection] = {}
        #: The terminals that have sent a command, by the numbers of their connections.
        self._terminals: dict[int, DeviceId] = {}
        #: The last frame, and the connections that it is sent to.
        self._frame, self._recipients = b"", list[int]()
        #: The outcomes of commands since any other message, and their connections.
        self._rows, self._players = list[BetsRow](), list[int]()

    @property
    def connection_count(self) -> int:
        return len(self._connections)

    # Sending.

    def send(self, number: int, frame: bytes) -> None:
        """Send a frame to a connection; a frame that goes to many in turn is sent over the link once."""
        if frame is self._frame:
            self._recipients.append(number)
        else:
            recipients = [number]
            self.post(Send(recipients, frame))
            self._frame, self._recipients = frame, recipients

    def send_bets(self, number: int, row: BetsRow) -> None:
        """Send the outcome of a command; outcomes in turn are one message."""
        if not self._rows:
            rows, players = list[BetsRow](), list[int]()
            self.post(SendBets(players, rows))
            self._rows, self._players = rows, players
        self._rows.append(row)
        self._players.append(number)

    def post(self, message: msgspec.Struct) -> None:
        self._begin_message()
        super().post(message)

    def flush(self) -> None:
        self._begin_message()
        super().flush()

    def _begin_message(self) -> None:
        """Add nothing more to the last message."""
        self._frame = b""
        if self._rows:
            self._rows = []

    def remove(self, number: int) -> LinkedConnection | None:
        """Forget a connection, and return it: what its gateway still sends for it is ignored."""
        self._terminals.pop(number, None)
        return self._connections.pop(number, None)

    # Receiving.

    def begin(self) -> None:
        """Look up the gateway by its certificate, which TLS has verified."""
        transport = self._transport
        assert transport is not None
        peer = transport.get_extra_info("peername")
        self.address = str(peer[0]) if isinstance(peer, tuple) and peer else ""
        certificate = transport.get_extra_info("ssl_object").getpeercert(binary_form=True)
        self.digest = digest_of(certificate)
        self.name = self._listener.name_of(self.digest)
        self._listener.links[self] = None
        if not self.name:
            self._refuse("This gateway is not enrolled.")

    def receive(self, payload: memoryview) -> None:
        for message in DECODE_UP(payload):
            if not self.is_open:
                return
            if self.since is None:
                self._greet(message)
            else:
                self._take(message)

    def _submit(self, commands: list[PlayerCommand]) -> None:
        """Submit commands of players together, if all are of terminals that are known here."""
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
            self.handler.submit_all(requests)

    def _submit_one(self, each: PlayerCommand) -> None:
        connection = self._connections.get(each.connection)
        if connection is None:
            return
        if connection.device_kind is not _TERMINAL:
            # Its device is not admitted, or no terminal.
            self.handler.received(connection, SendCommand(each.key.number, each.key.epoch, each.command))
            return
        self._terminals[each.connection] = connection.device
        self.handler.submit_all([Request(each.command, connection.device, _NO_PERSON, each.key, each.digest)])

    def _take(self, message: Up) -> None:
        match message:
            case Opened():
                self._open(message)
            case Beat(number):
                self.post(BeatReturned(number, self.time.now()))
            case Ended(number, code):
                ended = self.remove(number)
                if ended is not None:
                    ended.end(None if code is None else refuse(code, None, ""))
            case LinkHello():
                self.drop("hello twice")
            case Played(commands):
                self._submit(commands)
            case _:
                named = self._connections.get(message.connection)
                if named is not None:
                    self._take_for(named, message)

    def _open(self, opened: Opened) -> None:
        if opened.connection in self._connections:
            # No later message would tell which of the two it is about, and the first would never end.
            self.drop("connection number used twice")
            return
        connection = LinkedConnection(self, opened, self._peer(opened.peer))
        self._connections[opened.connection] = connection
        self.handler.opened(connection)
        if len(self.handler.connections) > self._listener.connections_max:
            connection.close(_FULL, WSCloseCode.TRY_AGAIN_LATER)

    def _take_for(
        self,
        connection: LinkedConnection,
        message: Received | ReceivedInvalid | ReceivedTooFast | Paused | Resumed,
    ) -> None:
        match message:
            case Received():
                self.handler.received(connection, message.message)
            case ReceivedInvalid():
                refusal = refuse(Code.MALFORMED, None, message.words)
                self.handler.received_invalid(connection, message.sketch, refusal)
            case ReceivedTooFast():
                self.handler.too_fast(connection, message.message, TOO_FAST)
            case Paused():
                connection.pause_writing()
            case _:
                connection.resume_writing(missed=message.missed)

    def _greet(self, message: Up) -> None:
        """Admit a gateway of the same build, and refuse any other."""
        if not isinstance(message, LinkHello):
            self.drop("no hello")
        elif message.version != LINK_VERSION or message.build != self._listener.build:
            self._refuse(f"This house runs {self._listener.build}, link version {LINK_VERSION}: update the gateway.")
        else:
            self.since = self.time.now()
            _LOG.info("gateway_connected", gateway=self.name)
            self.post(self._listener.welcome())
            self._listener.pages.add(self)

    def _refuse(self, words: str) -> None:
        _LOG.warning("gateway_refused", gateway=self.name, words=words)
        self.post(LinkRefused(words))
        self.close()

    def _peer(self, claimed: str) -> str:
        """Return the address of a client: a loopback address only if the gateway is on this machine."""
        return self.address if self.address and is_loopback(claimed) else claimed

    def beat(self) -> None:
        """End the link of a gateway that was released; a gateway gives the signs of life."""
        if self.since is not None and self._listener.name_of(self.digest) != self.name:
            self.drop("released")

    def ended(self) -> None:
        self._listener.links.pop(self, None)
        self._listener.pages.remove(self)
        if self.since is not None:
            _LOG.warning("gateway_disconnected", gateway=self.name, connections=len(self._connections))
        self._end_some()

    def _end_some(self) -> None:
        """End some of its connections now, and the others in the next iterations of the event loop."""
        for _ in sliced(self._ending(), self.time.now):
            asyncio.get_running_loop().call_soon(self._end_some)
            return

    def _ending(self) -> Iterator[None]:
        while self._connections:
            _, connection = self._connections.popitem()
            connection.end(None)
            yield


class PageFeed:
    """Keeps the pages of every gateway as the house would serve them."""

    def __init__(self, site: HttpHandler, time: LoopClock) -> None:
        self._site, self._time = site, time
        #: Each page as it was last sent.
        self._sent: dict[str, PagePublished] = {}
        #: What every page depended on when all were last due.
        self._terms: tuple[object, ...] = ()
        #: The pages to build again.
        self._due: dict[str, None] = {}
        self._links: dict[HouseLink, None] = {}

    @property
    def context(self) -> PageContext:
        """What every page has in common."""
        return self._site.context()

    def add(self, link: HouseLink) -> None:
        """Send a gateway every page: those at hand at once, and the others as they are built."""
        self._links[link] = None
        if len(self._links) == 1:
            # Without a gateway no page is built.
            self._sent.clear()
            self._terms = self._terms_now()
            self._due.update(dict.fromkeys(self._all()))
            asyncio.get_running_loop().call_soon(self._build_next)
        for page in self._sent.values():
            link.post(page)

    def remove(self, link: HouseLink) -> None:
        self._links.pop(link, None)

    def on_event(self, event: Event) -> None:
        """Build again, a little later, the pages that an event may change."""
        if not self._links:
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
            if page != self._sent.get(path):
                self._sent[path] = page
                for link in self._links:
                    link.post(page)
        asyncio.get_running_loop().call_soon(self._build_next)


@dataclass(slots=True)
class GatewayListener:
    """Listens for gateways, and admits those that are enrolled."""

    handler: HouseHandler
    time: LoopClock
    pages: PageFeed
    keys: LinkKeys
    build: str
    epoch: int
    connections_max: int
    origins: tuple[str, ...]
    #: The links of now.
    links: dict[HouseLink, None]
    #: The port of the last address that has one.
    port: int = 0
    _servers: list[ProtocolServer] = field(default_factory=list)

    async def open(self, address: LinkAddress) -> None:
        """Listen at an address."""
        self.keys.provision()
        tls, capacity = self.keys.house_context(), Capacity(asyncio.get_running_loop(), LINKS_MAX)
        if address.path is not None:
            # One of an earlier run is replaced: this house has the key store to itself.
            listeners = [listen_at(capacity, address.path, 0o660)]
        else:
            listeners = await listen(capacity, address.host, address.port)
        servers = [ProtocolServer(each, partial(HouseLink, self), tls, HANDSHAKE_S) for each in listeners]
        if address.path is None:
            self.port = servers[0].port
        self._servers += servers

    def close(self) -> None:
        """Stop listening, and end every link once all that was posted is sent."""
        for server in self._servers:
            server.close()
        for link in tuple(self.links):
            link.close()

    def name_of(self, digest: str) -> str:
        """Return the name of an enrolled gateway by its certificate; empty when it is not enrolled."""
        try:
            return self.keys.gateways().get(digest, "")
        except LinkKeyError as fault:
            _LOG.error("link_keys_unreadable", words=str(fault))
            return ""

    def welcome(self) -> LinkWelcome:
        pace = self.handler.pace
        context = self.pages.context
        return LinkWelcome(
            self.time.now(),
            self.epoch,
            pace.per_s,
            pace.at_once,
            self.connections_max,
            self.origins,
            context.venue,
            context.demo,
        )
