"""Async client of one terminal."""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from ssl import VERIFY_X509_PARTIAL_CHAIN, SSLContext, create_default_context
from typing import Final, Self, TypeVar

import msgspec
from msgspec import UnsetType
from picows import WSError, WSFrame, WSListener, WSMsgType, WSTransport, ws_connect

from croupier.engine.ports import LoopClock, Timer
from croupier.house.ids import SECOND, DeviceKind, Instant, TableId, TerminalId
from croupier.house.tickets import DISPENSED
from croupier.protocol import inbound, outbound
from croupier.protocol.inbound import WEBSOCKET_PATH, CashOut, Note, SendCommand, TerminalCommand, TicketIn
from croupier.protocol.outbound import SeatUpdate, SlipPrinted, TableState, ViewSnapshot
from croupier.protocol.terminal import Chips, FeltSpec, Fixture, GameView, KindLimits, SeatState
from croupier.rules.geometry import SpotKind
from croupier.rules.money import Cents
from croupier.rules.procedure import CreditOut


@dataclass(frozen=True, slots=True)
class InsertNoteRequest:
    """Put a note into the acceptor."""

    value: Cents


@dataclass(frozen=True, slots=True)
class InsertTicketRequest:
    """Put a ticket into the slot."""

    number: str


@dataclass(frozen=True, slots=True)
class CollectRequest:
    """Collect the credits."""


@dataclass(frozen=True, slots=True)
class Practise:
    """Ask for credits that are worth nothing, under no key."""


@dataclass(frozen=True, slots=True)
class DropConnection:
    """Lose the line, and come back after a moment."""


#: What is asked for under a key, and answered.
Wish = TerminalCommand | InsertNoteRequest | InsertTicketRequest | CollectRequest
#: How that goes over the wire.
Asking = SendCommand | Note | TicketIn | CashOut
Deed = Wish | Practise | DropConnection


def request_message(wish: Wish, number: int, epoch: int) -> Asking:
    """Put a wish as the wire has it, under its key."""
    match wish:
        case InsertNoteRequest(value):
            return Note(number, epoch, value)
        case InsertTicketRequest(ticket):
            return TicketIn(number, epoch, ticket)
        case CollectRequest():
            return CashOut(number, epoch)
        case _:
            return SendCommand(number, epoch, wish)


#: Everything that a terminal may be told.
Told = (
    outbound.Welcome
    | outbound.ViewSnapshot
    | outbound.TableUpdate
    | outbound.SeatUpdate
    | outbound.Pong
    | outbound.SlipPrinted
    | outbound.DocumentResult
    | outbound.File
    | outbound.GamesResult
    | outbound.Refused
    | outbound.Bye
)
_DECODER: Final = msgspec.json.Decoder(Told)


class ConnectionLostError(Exception):
    """The line is down, or could not be had; where the house has said why, with its code."""

    def __init__(self, code: str = "") -> None:
        self.code = code
        super().__init__(f"the line is down: {code or 'nobody said why'}")


class ClientConnection(WSListener):
    """One connection, from its handshake to its end."""

    transport: WSTransport

    def __init__(self, hear: Callable[[Told], None], ended: Callable[[], None]) -> None:
        self._hear, self._ended = hear, ended
        self.is_up = True

    def say(self, message: inbound.Incoming) -> None:
        if self.is_up:
            self.transport.send(WSMsgType.TEXT, msgspec.json.encode(message))

    def hang_up(self) -> None:
        if self.is_up:
            self.transport.disconnect(graceful=False)

    def on_ws_connected(self, transport: WSTransport) -> None:
        self.transport = transport

    def on_ws_frame(self, transport: WSTransport, frame: WSFrame) -> None:
        if frame.msg_type == WSMsgType.TEXT:
            self._hear(_DECODER.decode(frame.get_payload_as_memoryview()))
        else:
            # A house says nothing else but that it closes.
            transport.disconnect()

    def on_ws_disconnected(self, _transport: WSTransport) -> None:
        self.is_up = False
        self._ended()


#: How long a felt may take to be fetched, in seconds.
FETCH_S: Final = 10
#: Who comes and goes is not written down.
_LOG: Final = logging.getLogger("croupier.director")
_LOG.setLevel(logging.WARNING)


@dataclass(slots=True)
class ServerAddress:
    """An address, and the felts that were fetched from it."""

    host: str
    port: int
    tls: SSLContext | None = None
    _felts: dict[str, FeltSpec] = field(default_factory=dict)

    @classmethod
    def of(cls, host: str, port: int, certificate: Path | None = None) -> Self:
        """Address a server by the host it listens on; where it has a certificate, trust that one alone."""
        reached = "127.0.0.1" if host == "0.0.0.0" else host  # noqa: S104 - compared, never bound
        return cls(reached, port, None if certificate is None else _trusting(certificate))

    async def connect(self, made: Callable[[], ClientConnection]) -> ClientConnection:
        """Open a line; LineLostError where there is none to be had."""
        web, wire = ("http", "ws") if self.tls is None else ("https", "wss")
        headers = {"Origin": f"{web}://{self._place}"}
        try:
            _, line = await ws_connect(
                made,
                f"{wire}://{self._place}{WEBSOCKET_PATH}",
                ssl_context=self.tls,
                extra_headers=headers,
                logger_name=_LOG,
            )
        except (OSError, WSError) as error:
            raise ConnectionLostError from error
        assert isinstance(line, ClientConnection)
        return line

    async def felt(self, name: str) -> FeltSpec:
        """Fetch a felt by its hash, once."""
        if name not in self._felts:
            self._felts[name] = msgspec.json.decode(await self._fetched(f"/felt/{name}.json"), type=FeltSpec)
        return self._felts[name]

    async def _fetched(self, path: str) -> bytes:
        """Fetch what is there under a path; LineLostError where it cannot be had."""
        try:
            async with asyncio.timeout(FETCH_S):
                reader, writer = await asyncio.open_connection(self.host, self.port, ssl=self.tls)
                writer.write(f"GET {path} HTTP/1.1\r\nHost: {self._place}\r\nConnection: close\r\n\r\n".encode())
                answer = await reader.read()
                writer.close()
        except OSError as error:
            raise ConnectionLostError from error
        head, _, body = answer.partition(b"\r\n\r\n")
        if b" 200 " not in head.partition(b"\r\n")[0]:
            raise ConnectionLostError
        return body

    @property
    def _place(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def _trusting(certificate: Path) -> SSLContext:
    """Trust the house's own certificate and no other, whatever name it is made out to."""
    context = create_default_context(cafile=str(certificate))
    context.verify_flags |= VERIFY_X509_PARTIAL_CHAIN
    context.check_hostname = False
    return context


T = TypeVar("T")


@dataclass(slots=True)
class GameBets:
    """One game of the seat: its chips and its limits."""

    chips: Chips = field(default_factory=dict)
    ghosts: Chips = field(default_factory=dict)
    staked: int = 0
    total_least: int | None = None
    total_most: int | None = None
    limits: dict[SpotKind, KindLimits] = field(default_factory=dict)

    def take(self, told: GameView) -> None:
        """Lay what was told over what was there: what is missing has not changed."""
        lying = {**_given(told.bets, self.chips), **_given(told.stakes, {})}
        self.chips = {spot: stake for spot, stake in lying.items() if stake}
        self.ghosts = _given(told.ghosts, self.ghosts)
        self.staked = _given(told.staked, self.staked)
        self.total_least = _given(told.total_least, self.total_least)
        self.total_most = _given(told.total_most, self.total_most)
        if not isinstance(told.limits, UnsetType):
            self.limits = {each.kind: each for each in told.limits}


@dataclass(slots=True)
class ClientState:
    """A seat and its tables."""

    #: The snapshot's first; before it nothing that comes means anything.
    fixture: Fixture | None = None
    epoch: int = 0
    version: int = 0
    credit: int = 0
    denomination: int = 1
    held: int = 0
    in_service: bool = False
    patterns: dict[str, Chips] = field(default_factory=dict)
    tables: dict[TableId, TableState] = field(default_factory=dict)
    layouts: dict[TableId, GameBets] = field(default_factory=dict)
    #: Slips and tickets whose print awaits a word, and the last in the player's hand.
    printing: list[SlipPrinted] = field(default_factory=list)
    hand: list[str] = field(default_factory=list)
    _versions: dict[TableId, int] = field(default_factory=dict)

    def snap(self, told: ViewSnapshot) -> None:
        """Begin with all that there is."""
        assert told.fixture is not None
        assert told.seat is not None
        self.fixture, self.epoch, self.version = told.fixture, told.epoch, told.v
        self._versions, self.tables, self.layouts = {}, {}, {}
        for version, state in told.tables:
            self.table(version, state)
        self._take(told.seat)

    def delta(self, told: SeatUpdate) -> bool:
        """Go on with what has changed; tell whether nothing was missed."""
        follows = told.v == self.version + 1
        if follows:
            self.version = told.v
            self._take(told.set)
        return follows

    def table(self, version: int, state: TableState) -> None:
        """See a table as it is now, unless it was seen newer."""
        name = TableId(state.table)
        if version > self._versions.get(name, 0):
            self._versions[name], self.tables[name] = version, state

    def printed(self, slip: SlipPrinted) -> None:
        """Hold a slip or ticket that came out of the printer; chips and coins are there at once, and no paper."""
        if CreditOut(slip.form) not in DISPENSED:
            self.printing.append(slip)
            self.hand = [slip.number]

    def _take(self, told: SeatState) -> None:
        self.credit = _given(told.credit, self.credit)
        self.denomination = _given(told.denomination, self.denomination)
        self.held = _given(told.held, self.held)
        self.in_service = _given(told.in_service, self.in_service)
        self.patterns = _given(told.patterns, self.patterns)
        for table, game in _given(told.games, {}).items():
            self.layouts.setdefault(table, GameBets()).take(game)


def _given(told: T | UnsetType, before: T) -> T:
    return before if isinstance(told, UnsetType) else told


#: How often a sign of life is given, as pages do.
ALIVE_EVERY: Final = 5 * SECOND
#: How long a house may take to say what there is to see.
WELCOME_S: Final = 10


class TerminalClient:
    """One device with its key, over all of its lines. Numbers only rise, and a wish is done once."""

    def __init__(self, name: TerminalId, key: str, server_address: ServerAddress, time: LoopClock) -> None:
        self.name, self.client_state = name, ClientState()
        #: What is under way, and the code of its refusal once it is answered; nothing where it was done.
        self.pending: Asking | None = None
        self._answer = ""
        self._key, self._server_address, self.time = key, server_address, time
        self._line: ClientConnection | None = None
        self._number = 0
        #: Why the door was shut, where that was said; and whether this line has had its snapshot.
        self._bye, self._sees, self._entering = "", False, False
        self._news = asyncio.Event()
        self._alive: Timer | None = None

    @property
    def is_up(self) -> bool:
        return self._line is not None and self._line.is_up

    @property
    def is_waiting(self) -> bool:
        """Whether it is the house's turn to say something."""
        return self._entering or (self.is_up and self.pending is not None)

    async def enter(self) -> FeltSpec:
        """Come in with the key, see what there is, and ask again for what was not answered; give the seat's felt."""
        self._entering = True
        try:
            return await self._enter()
        finally:
            self._entering = False

    async def _enter(self) -> FeltSpec:
        self._bye, self._sees = "", False
        self._line = await self._server_address.connect(lambda: ClientConnection(self._hear, self._ended))
        self.say(inbound.Hello(screen=DeviceKind.TERMINAL, protocol=inbound.PROTOCOL, device=self.name, key=self._key))
        try:
            async with asyncio.timeout(WELCOME_S):
                await self.until(lambda: self._sees)
        except TimeoutError as error:
            self.hang_up()
            raise ConnectionLostError from error
        self._give_sign()
        if self.pending is not None:
            self.say(self.pending)
            await self.until(lambda: self.pending is None)
        assert self.client_state.fixture is not None
        return await self._server_address.felt(self.client_state.fixture.felt)

    async def ask(self, wish: Wish) -> str:
        """Ask for something and wait for the answer: the code of a refusal, or nothing where it was done."""
        assert self.pending is None
        self._number += 1
        self.pending = request_message(wish, self._number, self.client_state.epoch)
        self.say(self.pending)
        await self.until(lambda: self.pending is None)
        return self._answer

    def say(self, message: inbound.Incoming) -> None:
        assert self._line is not None
        self._line.say(message)

    async def until(self, is_so: Callable[[], bool]) -> None:
        """Listen until something is so; LineLostError where the line is down before that."""
        while not is_so():
            if not self.is_up:
                raise ConnectionLostError(self._bye)
            self._news.clear()
            await self._news.wait()

    def hang_up(self) -> None:
        if self._line is not None:
            self._line.hang_up()

    # What is heard.

    def _hear(self, told: Told) -> None:
        match told:
            case outbound.ViewSnapshot():
                self.client_state.snap(told)
                self._sees = True
                self._number = max(self._number, told.last_cmd)
                self._answered(told.last_cmd, {})
            # What comes on a new line before its snapshot is in the snapshot too.
            case outbound.SeatUpdate() if self._sees:
                self._on_event(told)
            case outbound.TableUpdate() if self._sees:
                self.client_state.table(told.tv, told.state)
            case outbound.SlipPrinted():
                self.client_state.printed(told)
            case outbound.Bye():
                self._bye = told.refusal.code
            case _:
                return
        self._news.set()

    def _on_event(self, told: outbound.SeatUpdate) -> None:
        if not self.client_state.delta(told):
            self.say(inbound.Resync())
        self._answered(told.last_cmd, {each.id: each.code for each in told.refused})

    def _answered(self, last: int, refused: "dict[int | None, str]") -> None:
        if self.pending is not None and (self.pending.id <= last or self.pending.id in refused):
            self._answer = refused.get(self.pending.id, "")
            self.pending = None

    # Signs of life.

    def _give_sign(self) -> None:
        self.say(inbound.Ping(0))
        self._alive = self.time.at(Instant(self.time.now() + ALIVE_EVERY), self._give_sign)

    def _ended(self) -> None:
        if self._alive is not None:
            self._alive.cancel()
        self._news.set()
