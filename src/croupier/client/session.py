"""The client's side of the wire protocol without I/O: hello, idempotency keys, responses and the view."""

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, TypeVar, get_args

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from croupier.house.credit.tickets import DISPENSED
from croupier.house.floor.malfunctions import ReportDisplay
from croupier.house.ids import DeviceKind, TableId, TerminalId
from croupier.protocol import inbound, outbound
from croupier.protocol.inbound import CashOut, CollectFor, Note, Redeem, SendCommand, TicketIn
from croupier.protocol.live import LiveState, NoticeState, WalkState
from croupier.protocol.outbound import RefusalBody, SeatUpdate, SlipPrinted, TableState, ViewSnapshot
from croupier.protocol.staff import FloorState
from croupier.protocol.terminal import Chips, Fixture, GameView, KindLimits, MessageView, SeatState
from croupier.rules.geometry import SpotKind
from croupier.rules.money import Cents
from croupier.rules.procedure import CreditOut

T = TypeVar("T")


# Who connects.


@dataclass(frozen=True, slots=True)
class DeviceKey:
    """An enrolled device, and the key that it was enrolled with."""

    kind: DeviceKind
    device: str
    key: str
    #: The last id that a command of this device was sent under: a program that starts again continues after it.
    last_id: int = 0


@dataclass(frozen=True, slots=True)
class Enrolment:
    """A device that enrols itself in a demonstration: on the server's own host, or with the join code of the run."""

    kind: DeviceKind
    table: str = ""
    code: str = ""


Identity = DeviceKey | Enrolment


def hello(identity: Identity) -> inbound.Hello:
    """Build the first message of a connection."""
    protocol = inbound.PROTOCOL
    if isinstance(identity, DeviceKey):
        return inbound.Hello(screen=identity.kind, protocol=protocol, device=identity.device, key=identity.key)
    return inbound.Hello(screen=identity.kind, protocol=protocol, join=identity.code, table=identity.table)


# What is requested under an idempotency key.


@dataclass(frozen=True, slots=True)
class InsertNoteRequest:
    """Insert a note into the simulated note acceptor."""

    value: Cents


@dataclass(frozen=True, slots=True)
class InsertTicketRequest:
    """Insert a ticket into the terminal."""

    number: str


@dataclass(frozen=True, slots=True)
class CollectRequest:
    """Collect the credits of this terminal."""


@dataclass(frozen=True, slots=True)
class CollectForRequest:
    """Collect the credits of a terminal at a pit console."""

    terminal: TerminalId


@dataclass(frozen=True, slots=True)
class RedeemRequest:
    """Pay a slip or ticket from a drawer."""

    drawer: str
    number: str
    amount_on_paper: Cents | None = None


ClientRequest = (
    inbound.TerminalCommand
    | inbound.StaffCommand
    | InsertNoteRequest
    | InsertTicketRequest
    | CollectRequest
    | CollectForRequest
    | RedeemRequest
)
KeyedRequest = SendCommand | Note | TicketIn | CashOut | CollectFor | Redeem


def request_message(request: ClientRequest, id_: int, epoch: int) -> KeyedRequest:
    """Build the message of a request under its idempotency key."""
    match request:
        case InsertNoteRequest(value):
            return Note(id_, epoch, value)
        case InsertTicketRequest(number):
            return TicketIn(id_, epoch, number)
        case CollectRequest():
            return CashOut(id_, epoch)
        case CollectForRequest(terminal):
            return CollectFor(id_, epoch, terminal)
        case RedeemRequest(drawer, number, amount):
            return Redeem(id_, epoch, drawer, number, amount)
        case _:
            return SendCommand(id_, epoch, request)


@dataclass(frozen=True, slots=True)
class Accepted:
    """A command that is committed; a console also learns its journal position, and what to pay out."""

    id: int
    position: int | None = None
    paid: outbound.PayoutInstruction | None = None


#: A refusal is a value: its code, the clause behind it, a sentence and the facts.
Response = Accepted | RefusalBody
QueryResult = (
    outbound.PreviewResult
    | outbound.ReplayResult
    | outbound.File
    | outbound.VerificationResult
    | outbound.DisputesResult
    | outbound.JournalResult
    | outbound.TicketResult
    | outbound.MetersResult
    | outbound.DocumentResult
    | outbound.StaffResult
)
#: Messages without a key or number. At most one is pending; its response is the next message of the right type.
ControlMessage = inbound.SignIn | inbound.SetPassword | inbound.StepUp | inbound.SignOut | inbound.QueryGames
ControlResponse = (
    outbound.SignedIn | outbound.ChoosePassword | outbound.SteppedUp | outbound.SignedOut | outbound.GamesResult
)


@dataclass(slots=True, eq=False)
class PendingCommand:
    """A command, and its response once there is one."""

    message: KeyedRequest
    response: Response | None = None


@dataclass(slots=True, eq=False)
class PendingQuery:
    """A query, and its result once there is one."""

    message: inbound.Query
    response: QueryResult | RefusalBody | None = None


@dataclass(slots=True, eq=False)
class PendingControl:
    """A message without a number, and its response once there is one."""

    message: ControlMessage
    response: ControlResponse | RefusalBody | None = None


# The view.


@dataclass(slots=True)
class Game:
    """One game of a terminal: its chips, its limits and its last result."""

    #: Stakes by spot, in cents.
    chips: Chips = field(default_factory=dict)
    #: The chips of a recalled pattern that awaits its confirmation.
    ghosts: Chips = field(default_factory=dict)
    staked: int = 0
    #: What the last settled round returned.
    won: int = 0
    #: The round for which the chips are sealed.
    sealed: int | None = None
    total_least: int | None = None
    total_most: int | None = None
    limits: dict[SpotKind, KindLimits] = field(default_factory=dict)

    def apply(self, delta: GameView) -> None:
        """Apply a delta: a missing field has not changed."""
        stakes = {**_given(delta.bets, self.chips), **_given(delta.stakes, {})}
        self.chips = {spot: stake for spot, stake in stakes.items() if stake}
        self.ghosts = _given(delta.ghosts, self.ghosts)
        self.staked = _given(delta.staked, self.staked)
        self.won = _given(delta.won, self.won)
        self.sealed = _given(delta.sealed, self.sealed)
        self.total_least = _given(delta.total_least, self.total_least)
        self.total_most = _given(delta.total_most, self.total_most)
        if not isinstance(delta.limits, UnsetType):
            self.limits = {each.kind: each for each in delta.limits}


@dataclass(slots=True)
class View:
    """What the server shows to one device: the last snapshot, with every delta since applied."""

    #: None before the first snapshot, and at a console.
    fixture: Fixture | None = None
    epoch: int = 0
    version: int = 0
    tables: dict[TableId, TableState] = field(default_factory=dict)
    # At a terminal.
    credit: int = 0
    denomination: int = 1
    held: int = 0
    in_service: bool = False
    messages: tuple[MessageView, ...] = ()
    patterns: dict[str, Chips] = field(default_factory=dict)
    games: dict[TableId, Game] = field(default_factory=dict)
    #: Printed slips and tickets that await `ConfirmPrint`, and the number of the last ticket: no terminal takes a slip.
    slips: list[SlipPrinted] = field(default_factory=list)
    last_ticket: list[str] = field(default_factory=list)
    #: At a console. A field that a console of this kind does not receive is UNSET.
    floor: FloorState = field(default_factory=FloorState)
    #: At the console of a live table: its players and chips, and the collection and payment of a round.
    live: LiveState | None = None
    walk: WalkState | None = None
    #: At the console of a live table, and at the display of a notice.
    notice: NoticeState | None = None
    _versions: dict[TableId, int] = field(default_factory=dict)
    _live_version: int = 0

    def apply_snapshot(self, snapshot: ViewSnapshot) -> None:
        self.fixture, self.epoch, self.version = snapshot.fixture, snapshot.epoch, snapshot.v
        self._versions, self.tables, self.games = {}, {}, {}
        for version, state in snapshot.tables:
            self.apply_table(version, state)
        if snapshot.seat is not None:
            self._apply_seat(snapshot.seat)
        self.floor = snapshot.floor or FloorState()
        self.walk, self.notice = snapshot.walk, snapshot.notice
        self.live, self._live_version = None, 0
        if snapshot.live is not None:
            self.live, self._live_version = snapshot.live.state, snapshot.live.lv

    def apply_delta(self, update: "SeatUpdate | outbound.FloorUpdate") -> bool:
        """Apply a delta; return whether it follows the last one."""
        follows = update.v == self.version + 1
        if follows:
            self.version = update.v
            if isinstance(update, SeatUpdate):
                self._apply_seat(update.set)
            else:
                self._apply_floor(update.set)
        return follows

    def apply_table(self, version: int, state: TableState) -> None:
        """Apply the state of a table, unless a newer one is known."""
        name = TableId(state.table)
        if version > self._versions.get(name, 0):
            self._versions[name], self.tables[name] = version, state

    def apply_live(self, update: outbound.LiveUpdate) -> bool:
        """Apply a delta of a live table; return whether it follows the last one."""
        if self.live is None or update.lv != self._live_version + 1:
            return False
        self._live_version = update.lv
        players = {**_given(self.live.players, {}), **_given(update.set.players, {})}
        given = _given_fields(update.set) | {"players": {key: row for key, row in players.items() if row is not None}}
        self.live = replace(self.live, **given)
        return True

    def apply_slip(self, slip: SlipPrinted) -> None:
        """Note a printed slip or ticket. Chips and coins are dispensed at once, and print nothing."""
        if CreditOut(slip.form) not in DISPENSED:
            self.slips.append(slip)
        if slip.form == CreditOut.TICKET:
            self.last_ticket = [slip.number]

    def _apply_seat(self, delta: SeatState) -> None:
        self.credit = _given(delta.credit, self.credit)
        self.denomination = _given(delta.denomination, self.denomination)
        self.held = _given(delta.held, self.held)
        self.in_service = _given(delta.in_service, self.in_service)
        self.messages = _given(delta.messages, self.messages)
        self.patterns = _given(delta.patterns, self.patterns)
        for table, game in _given(delta.games, {}).items():
            self.games.setdefault(table, Game()).apply(game)

    def _apply_floor(self, delta: FloorState) -> None:
        tables = dict(_given(self.floor.tables, {}))
        for name, table in _given(delta.tables, {}).items():
            # A delta has only the rows that have changed.
            rows = (*(tables[name].seats if name in tables else ()), *table.seats)
            tables[name] = replace(table, seats=tuple({row.terminal: row for row in rows}.values()))
        self.floor = replace(self.floor, **_given_fields(delta) | {"tables": tables})


def _given(value: T | UnsetType, before: T) -> T:
    return before if isinstance(value, UnsetType) else value


def _given_fields(delta: FloorState | LiveState) -> dict[str, object]:
    return {name: value for name in delta.__struct_fields__ if (value := getattr(delta, name)) is not UNSET}


# The session.

#: Every message that the server sends.
Received = (
    outbound.Welcome
    | outbound.Enrolled
    | outbound.EnrolledDevice
    | outbound.Refused
    | outbound.TableUpdate
    | SeatUpdate
    | outbound.FloorUpdate
    | outbound.LiveUpdate
    | outbound.WalkUpdate
    | outbound.NoticeUpdate
    | ViewSnapshot
    | outbound.Ack
    | outbound.SignedIn
    | outbound.ChoosePassword
    | outbound.SignedOut
    | outbound.SteppedUp
    | outbound.Pong
    | outbound.GamesResult
    | SlipPrinted
    | QueryResult
    | outbound.Bye
)
_DECODER: Final = msgspec.json.Decoder(Received)
_TAGS: Final = frozenset(each.__struct_config__.tag for each in get_args(Received))


class _Tag(msgspec.Struct, gc=False):
    t: str


def decode(frame: bytes | memoryview) -> Received | None:
    """Decode a message; None for a type that this version does not know, which a client ignores."""
    try:
        message: Received = _DECODER.decode(frame)
    except msgspec.ValidationError:
        if msgspec.json.decode(frame, type=_Tag).t in _TAGS:
            raise
        return None
    return message


class Session:
    """One device over all of its connections. The caller moves the bytes: `outgoing` out, and `receive` in.

    A command keeps its key, the epoch and the id, until it has a response. After every snapshot each command without
    one is sent again under the same key: the server executes it once, and repeats the response.
    """

    def __init__(self, identity: Identity) -> None:
        self._identity, self.view = identity, View()
        self._last_id = identity.last_id if isinstance(identity, DeviceKey) else 0
        self.commands: dict[int, PendingCommand] = {}
        self.queries: dict[int, PendingQuery] = {}
        self.control: PendingControl | None = None
        #: Who is signed in at this console.
        self.signed_in: outbound.SignedIn | None = None
        #: Keys of other devices, sent once to the console that requested or approved their enrolment.
        self.enrolled_devices: list[outbound.EnrolledDevice] = []
        #: Why the server closed the connection.
        self.bye: RefusalBody | None = None
        #: Frames to send, in order.
        self.outgoing: list[bytes] = []
        #: Whether this connection has had its snapshot; and whether it has, or awaits a sign-in.
        self.sees = self.is_ready = False
        self._barrier = self._last_query = 0

    @property
    def identity(self) -> Identity:
        """The device, and once it is enrolled its key and the last id that it used."""
        known = self._identity
        return dataclasses.replace(known, last_id=self._last_id) if isinstance(known, DeviceKey) else known

    def connected(self) -> None:
        """Begin a connection."""
        self.bye, self.is_ready, self.sees = None, False, False
        self.outgoing, self.control = [], None
        self.send(hello(self._identity))

    def send(self, message: inbound.InboundMessage) -> None:
        """Send a message that has no response of its own."""
        self.outgoing.append(msgspec.json.encode(message))

    # Requests.

    def submit(self, request: ClientRequest) -> PendingCommand:
        """Send a command under the next key."""
        self._last_id += 1
        pending = PendingCommand(request_message(request, self._last_id, self.view.epoch))
        self.commands[self._last_id] = pending
        self.send(pending.message)
        return pending

    def query(self, query: inbound.Query) -> PendingQuery:
        """Send a query under a number of its own."""
        self._last_query += 1
        pending = self.queries[self._last_query] = PendingQuery(replace(query, q=self._last_query))
        self.send(pending.message)
        return pending

    def send_control(self, message: ControlMessage) -> PendingControl:
        """Send a message that has no number; its response is the next message of the right type."""
        assert self.control is None
        self.control = PendingControl(message)
        self.send(message)
        return self.control

    # Messages.

    def receive(self, frame: bytes | memoryview) -> Received | None:
        """Apply one frame, and return its message."""
        message = decode(frame)
        match message:
            case outbound.Welcome():
                self._welcomed(message)
            case outbound.Enrolled():
                self._identity = DeviceKey(self._identity.kind, message.device, message.key)
            case ViewSnapshot():
                self.view.apply_snapshot(message)
                self.is_ready = self.sees = True
                self._last_id = max(self._last_id, message.last_cmd)
                self._repeat()
            # What precedes the snapshot of a connection is in the snapshot.
            case SeatUpdate() | outbound.FloorUpdate() if self.sees:
                self._delta(message)
            case outbound.TableUpdate() if self.sees:
                self.view.apply_table(message.tv, message.state)
            case outbound.LiveUpdate() | outbound.WalkUpdate() | outbound.NoticeUpdate() if self.sees:
                self._live(message)
            case outbound.Ack():
                self._respond(message.id, message.refusal or Accepted(message.id, message.position, message.paid))
            case outbound.Refused():
                self._refused(message)
            case SlipPrinted():
                self.view.apply_slip(message)
            case _:
                self._note(message)
                self._result(message)
        return message

    def _welcomed(self, welcome: outbound.Welcome) -> None:
        self.view.epoch = welcome.epoch
        if welcome.staff and self.signed_in is not None:
            self.send(inbound.Resume(self.signed_in.token))
        else:
            self.is_ready = welcome.staff

    def _repeat(self) -> None:
        """Send again whatever has no response."""
        for command in self.commands.values():
            self.send(command.message)
        for query in self.queries.values():
            self.send(query.message)
        if self.commands and self.view.fixture is not None:
            # `last_cmd` may have passed a command whose refusal was lost. Responses come in order: with that to one
            # more command, which changes nothing, all before it have been repeated.
            self._barrier = self.submit(ReportDisplay(TerminalId(self.view.fixture.terminal))).message.id

    def _delta(self, update: SeatUpdate | outbound.FloorUpdate) -> None:
        follows = self.view.apply_delta(update)
        if isinstance(update, SeatUpdate):
            for refusal in update.refused:
                assert refusal.id is not None
                self._respond(refusal.id, refusal)
            if follows and (self._barrier not in self.commands or self._barrier <= update.last_cmd):
                for id_ in [each for each in self.commands if each <= update.last_cmd]:
                    self._respond(id_, Accepted(id_))
        if not follows:
            self._resync()

    def _live(self, update: outbound.LiveUpdate | outbound.WalkUpdate | outbound.NoticeUpdate) -> None:
        match update:
            case outbound.WalkUpdate():
                self.view.walk = update.state
            case outbound.NoticeUpdate():
                self.view.notice = update.state
            case _ if not self.view.apply_live(update):
                self._resync()

    def _resync(self) -> None:
        """Request a snapshot. A refusal may be among what was missed: commands are sent again after the snapshot."""
        self.sees = False
        self.send(inbound.Resync())

    def _respond(self, id_: int, response: Response) -> None:
        pending = self.commands.pop(id_, None)
        if pending is not None:
            pending.response = response

    def _refused(self, message: outbound.Refused) -> None:
        """Note a refusal of a query, or of what is in progress without a number; otherwise of a sign-in to resume."""
        query = self.queries.pop(message.q, None)
        if query is not None:
            query.response = message.refusal
        elif self.control is not None:
            self.control.response, self.control = message.refusal, None
        elif not self.is_ready:
            self.signed_in, self.is_ready = None, True

    def _note(self, message: Received | None) -> None:
        match message:
            case outbound.Bye():
                self.bye = message.refusal
            case outbound.EnrolledDevice():
                self.enrolled_devices.append(message)
            case outbound.SignedIn():
                self.signed_in = message
            case outbound.SignedOut():
                self.signed_in = None

    def _result(self, message: Received | None) -> None:
        """Give a pending query or control message its response."""
        if isinstance(message, QueryResult):
            query = self.queries.pop(message.q, None)
            if query is not None:
                query.response = message
        elif isinstance(message, ControlResponse) and self.control is not None:
            self.control.response, self.control = message, None

    def unanswered(self) -> Iterator[PendingCommand | PendingQuery | PendingControl]:
        """List what awaits a response."""
        yield from self.commands.values()
        yield from self.queries.values()
        if self.control is not None:
            yield self.control
