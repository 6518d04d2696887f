"""Routes messages to the house."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Final

import msgspec
import structlog

from croupier.engine.commit_loop import CommitLoop
from croupier.engine.ports import LoopClock, Request
from croupier.engine.slices import Slicer
from croupier.house import AnyCommand, House
from croupier.house.credit.tickets import Collect
from croupier.house.declare import COMMANDS, Event, TableCommand
from croupier.house.floor.incidents import NoteIncident
from croupier.house.floor.service import ReportTerminalLost, ReportTerminalReturned, TerminalLost, TerminalReturned
from croupier.house.floor.signatures import DUAL_CONTROL, Approve
from croupier.house.ids import SECOND, DeviceId, DeviceKind, Instant, PersonId, RoundNumber, TableId, TerminalId
from croupier.house.rounds.results import ReportBoard
from croupier.house.settings import Mode
from croupier.journal.entry import IdempotencyKey
from croupier.protocol import inbound, outbound
from croupier.protocol.inbound import Incoming, KeyedMessage, PartialMessage, SendCommand
from croupier.rules.money import AMOUNT_MAX, Cents, amount_text
from croupier.rules.refusal import (
    Code,
    Refusal,
    Refused,
    or_raise,
    raise_if,
    refuse,
)
from croupier.server.auth.credentials import CredentialError
from croupier.server.auth.devices import (
    UNATTENDED,
    DeviceAuthenticator,
    DeviceEnrolment,
    incompatible,
)
from croupier.server.auth.sessions import SIGNED_OUT
from croupier.server.auth.staff import StaffSignIn
from croupier.server.connection import (
    NO_HELLO,
    SWEEP_INTERVAL_US,
    BackgroundTasks,
    Connection,
    ConnectionSweep,
    RateLimit,
    refusing,
    send_refusal,
)
from croupier.server.peripherals import Peripherals
from croupier.server.publisher import Publisher
from croupier.server.queries import QueryHandler
from croupier.server.ticket_desk import WRONG_NUMBER, TicketDesk

#: How long terminals may take to come back after a start before they count as lost.
RETURN_MAX: Final = 15 * SECOND

#: How long after its connection was lost a seat of a demonstration is free again.
ABANDONED_AFTER: Final = 90 * SECOND


@dataclass(slots=True)
class Presence:
    """Reports to the house which terminals connect and disconnect; again at the next sweep when the queue was full."""

    publisher: Publisher
    commit_loop: CommitLoop
    #: Terminals that were connected in this run, or had money on them when it began.
    _known: set[TerminalId] = field(default_factory=set)
    _since: Instant | None = None

    @property
    def house(self) -> House:
        return self.publisher.run.house

    def begin(self) -> None:
        """Give terminals time to reconnect after a start before they count as lost."""
        self._since = self.publisher.time.now()

    def on_connection(self, connection: Connection) -> None:
        """Compare a terminal whose connection was admitted or has ended with the state of the house."""
        if connection.device_kind is DeviceKind.TERMINAL:
            self.check(TerminalId(connection.device))

    def check(self, terminal: TerminalId) -> None:
        """Compare one terminal with the state of the house."""
        connected, offline = terminal in self.publisher.seats, terminal in self.house.offline
        if connected:
            self._known.add(terminal)
        if connected and offline:
            self.commit_loop.submit(Request(ReportTerminalReturned(terminal)))
        elif (
            not connected and not offline and terminal in self._known and DeviceId(terminal) in self.house.staff.devices
        ):
            self.commit_loop.submit(Request(ReportTerminalLost(terminal)))

    def on_event(self, event: Event) -> None:
        """Check again after the commit: a page that was only reloaded has reconnected before that."""
        if isinstance(event, TerminalLost | TerminalReturned):
            self.check(event.terminal)

    def check_all(self) -> None:
        """Compare all terminals with the state of the house; some time after a start also those still disconnected."""
        if self._since is not None and self.publisher.time.now() >= self._since + RETURN_MAX:
            self._since = None
            self._known.update(each.id for each in self.house.terminals.values() if each.credit or each.in_play)
        for terminal in {*self._known, *map(TerminalId, self.publisher.seats)}:
            self.check(terminal)
        if self.house.setup.mode is Mode.DEMO:
            self._collect_abandoned()

    def _collect_abandoned(self) -> None:
        """Free the seats of a demonstration that were left: the credit becomes a slip for the browser that left it."""
        since = self.publisher.time.now() - ABANDONED_AFTER
        for each in self.house.terminals.values():
            is_left = each.lost_at is not None and each.lost_at <= since and each.case is None
            if is_left and each.credit and not (each.in_play or each.held_total):
                self.commit_loop.submit(Request(Collect(each.id), DeviceId(each.id)))


#: Beyond this a browser does not distinguish two integers.
MOST: Final = 2**53 - 1


def require_safe_integers(command: AnyCommand) -> None:
    """Refuse a command with an integer that JavaScript cannot represent exactly, or an amount that no casino holds."""
    if any(abs(getattr(command, name) or 0) > AMOUNT_MAX for name in _amounts(type(command))):
        raise Refused(Code.MALFORMED, None, f"No amount may be beyond {amount_text(AMOUNT_MAX)}.", most=AMOUNT_MAX)
    if any(not -MOST <= number <= MOST for number in _numbers(msgspec.to_builtins(command))):
        raise Refused(Code.MALFORMED, None, f"No number may be beyond {MOST}.", most=MOST)


@cache
def _amounts(kind: type[AnyCommand]) -> tuple[str, ...]:
    """List the fields of a command that are an amount of money."""
    return tuple(each.name for each in msgspec.structs.fields(kind) if each.type in (Cents, Cents | None))


def _numbers(value: object) -> Iterator[int]:
    match value:
        case int():
            yield value
        case dict():
            for each in value.values():
                yield from _numbers(each)
        case list() | tuple():
            for each in value:
                yield from _numbers(each)


#: Commands that need a step-up: both signatures of dual control.
_STEPPED_UP: Final = DUAL_CONTROL | {Approve}
#: Commands of a player's terminal; every number in them is bounded by its type.
_OF_PLAYERS: Final = frozenset(kind for kind, declared in COMMANDS.items() if declared.from_terminal)
_TERMINAL: Final = DeviceKind.TERMINAL
_NO_PERSON: Final = PersonId("")
_NOT_HERE: Final = refuse(Code.NOT_AUTHORISED, None, "That is not possible on this device.")
_REQUESTED: Final = refuse(
    Code.TICKET_REQUESTED, None, "This ticket may be from another venue, which is asked now: please wait a moment."
)
_LOG = structlog.get_logger()


@dataclass(slots=True)
class Router:
    """Routes every message to its handler, with the device and the person of its connection. It decides nothing."""

    time: LoopClock
    #: Runs the work of connections, in slices of the event loop.
    slicer: Slicer
    pace: RateLimit
    publisher: Publisher
    commit_loop: CommitLoop
    device_auth: DeviceAuthenticator
    staff_auth: StaffSignIn
    ticket_desk: TicketDesk
    peripherals: Peripherals
    presence: Presence
    background_tasks: BackgroundTasks
    queries: QueryHandler
    device_enrolment: DeviceEnrolment
    connections: dict[Connection, None] = field(default_factory=dict)
    #: Connections whose `hello` waits, with what they have sent since: many come at once after a disconnect.
    _arriving: dict[Connection, tuple[inbound.Hello, list[Incoming]]] = field(default_factory=dict)
    _sweep: ConnectionSweep = field(init=False)

    def __post_init__(self) -> None:
        self._sweep = ConnectionSweep(self.connections, self.time, self.slicer)

    def begin(self) -> None:
        """Begin to sweep connections."""
        self.presence.begin()
        self.device_enrolment.begin()
        self._schedule_sweep()

    # Opening and closing connections.

    def opened(self, connection: Connection) -> None:
        self.connections[connection] = None

    def closed(self, connection: Connection) -> None:
        self.connections.pop(connection, None)

    def disconnected(self, connection: Connection, refusal: Refusal | None) -> None:
        """Unsubscribe a connection, and report a lost terminal to the house."""
        if refusal is not None:
            self.publisher.figures.closed[refusal.code] += 1
        self._arriving.pop(connection, None)
        self.slicer.run(partial(self._lost, connection))

    def _lost(self, connection: Connection) -> None:
        """Its device may be connected again by now."""
        self.device_auth.leave(connection)
        self.publisher.unsubscribe(connection)
        self.presence.on_connection(connection)

    def not_writable(self, connection: Connection) -> None:
        """Nothing is sent to it until it reads again."""

    def writable_again(self, connection: Connection, *, missed: bool) -> None:
        if missed and self._is_subscribed(connection):
            self.publisher.send_snapshot(connection)
            self.ticket_desk.print_at(connection.device)

    def _is_subscribed(self, connection: Connection) -> bool:
        """Return whether a connection is subscribed."""
        return (
            self.publisher.seats.get(TerminalId(connection.device)) is connection
            or self.publisher.consoles.get(connection.device) is connection
        )

    def _schedule_sweep(self) -> None:
        self.time.at(Instant(self.time.now() + SWEEP_INTERVAL_US), self._sweep_connections)

    def _sweep_connections(self) -> None:
        """Close dead connections, end expired sessions, and look for terminals that are offline."""
        self._schedule_sweep()
        self._sweep.run()
        try:
            credentials = self.device_auth.credential_store.load()
        except CredentialError as fault:
            # Admitted connections stay; no other is admitted until the credential store can be read again.
            _LOG.error("credential_store_unreadable", words=str(fault))
        else:
            for device in self.device_auth.disconnect_released(credentials):
                self.staff_auth.revoke_device(device)
            self.staff_auth.sweep(credentials)
        self.presence.check_all()

    # Receiving.

    def received(self, connection: Connection, message: Incoming) -> None:
        if (
            type(message) is SendCommand
            and connection.device_kind is _TERMINAL
            and type(command := message.command) in _OF_PLAYERS
        ):
            # The path of nearly every message.
            key = IdempotencyKey(message.epoch, message.id)
            refusal = self.commit_loop.submit(Request(command, connection.device, _NO_PERSON, key))
            if refusal is not None:
                self.publisher.refuse(connection, message.id, refusal)
        elif connection in self._arriving:
            self._arriving[connection][1].append(message)
        elif isinstance(message, inbound.Ping):
            connection.send(outbound.Pong(c=message.c, now_us=self.time.now()))
        elif isinstance(message, inbound.Hello):
            self._arriving[connection] = message, []
            self.slicer.run(partial(self._arrive, connection))
        elif connection.device_kind is None:
            connection.close(NO_HELLO)
        else:
            self._admitted(connection, message)

    def submit_all(self, requests: list[Request]) -> None:
        """Submit commands of players that arrived together from a gateway."""
        for request, refusal in self.commit_loop.submit_all(requests):
            assert request.key is not None
            self.publisher.refuse(self.publisher.inside[request.device], request.key.number, refusal)

    def _arrive(self, connection: Connection) -> None:
        """Handle the `hello` of a connection, and what it has sent since."""
        if connection not in self._arriving:
            # It has left meanwhile.
            return
        hello, since = self._arriving.pop(connection)
        self.device_auth.hello(connection, hello)
        for message in since:
            if connection.is_open:
                self.received(connection, message)

    def received_invalid(self, connection: Connection, sketch: PartialMessage, refusal: Refusal) -> None:
        """Refuse an invalid message: a command under its number, so that no client takes it as acknowledged."""
        if sketch.t == "hello" and sketch.protocol != inbound.PROTOCOL:
            # A hello of another version need not have the fields of this one.
            connection.close(incompatible(sketch.protocol))
        elif sketch.id is not None and connection.device_kind is not None:
            self.publisher.refuse(connection, sketch.id, refusal)
        else:
            send_refusal(connection, refusal, sketch.q)

    def too_fast(self, connection: Connection, message: Incoming | None, refusal: Refusal) -> None:
        if isinstance(message, KeyedMessage) and connection.device_kind is not None:
            self.publisher.refuse(connection, message.id, refusal)
        else:
            send_refusal(connection, refusal)

    def _admitted(self, connection: Connection, message: Incoming) -> None:
        """Handle a message of an admitted device."""
        if isinstance(message, KeyedMessage):
            try:
                raise_if(self.commit_loop.submit(self._request(connection, message)))
            except Refused as refused:
                self.publisher.refuse(connection, message.id, refused.refusal)
        elif isinstance(message, inbound.Query):
            self.queries.handle(connection, message)
        elif isinstance(message, inbound.Resync) and self._is_subscribed(connection):
            self.publisher.send_snapshot(connection)
        elif isinstance(message, inbound.QueryGames) and connection.device_kind is DeviceKind.TERMINAL:
            self.publisher.recall(connection)
        elif isinstance(message, inbound.QuerySlips) and connection.device_kind is DeviceKind.TERMINAL:
            self.publisher.after_commit(connection, partial(self._slips, message))
        elif isinstance(message, inbound.Displayed) and connection.device_kind is DeviceKind.BOARD:
            shown = ReportBoard(TableId(message.table), message.number, RoundNumber(message.round))
            # A display has no use for a response: staff see a difference.
            self.commit_loop.submit(Request(shown))
        elif connection.device_kind in UNATTENDED:
            self._practise(connection, message)
        else:
            self._sign(connection, message)

    def _slips(self, message: inbound.QuerySlips, connection: Connection) -> None:
        """Send a terminal of a demonstration what became of its slips."""
        with refusing(connection):
            connection.send(self.queries.look_ups.statuses(self.ticket_desk.house, message.numbers))

    def _practise(self, connection: Connection, message: Incoming) -> None:
        """Grant play money; a terminal and a board have no sign-in."""
        with refusing(connection):
            if not isinstance(message, inbound.Practice):
                raise Refused.by(_NOT_HERE)
            raise_if(self.commit_loop.submit(Request(self.ticket_desk.practice(connection.device))))

    def _sign(self, connection: Connection, message: Incoming) -> None:
        match message:
            case inbound.SignIn():
                self.background_tasks.begin(connection, self.staff_auth.sign_in(connection, message))
            case inbound.Visit():
                self.staff_auth.visit(connection, message)
            case inbound.SetPassword():
                self.background_tasks.begin(connection, self.staff_auth.set_password(connection, message))
            case inbound.StepUp():
                self.background_tasks.begin(connection, self.staff_auth.step_up(connection, message))
            case inbound.Resume():
                self.staff_auth.resume(connection, message)
            case inbound.SignOut():
                self.staff_auth.sign_out(connection)
            case inbound.Resync():
                send_refusal(connection, SIGNED_OUT)
            case _:
                send_refusal(connection, _NOT_HERE)

    def _request(self, connection: Connection, message: KeyedMessage) -> Request:
        """Build the request of a message; the person is checked first, so that a refusal discloses nothing."""
        person = self._person(connection, message)
        command = self._command(connection, message)
        if isinstance(command, Collect) and not person:
            self.peripherals.call_staff(command.terminal)
        return Request(command, connection.device, person, IdempotencyKey(message.epoch, message.id))

    def _command(self, connection: Connection, message: KeyedMessage) -> AnyCommand:
        if isinstance(message, SendCommand):
            command = message.command
            require_safe_integers(command)
            self._require_here(connection, command)
            return command
        assert isinstance(
            message, inbound.Note | inbound.TicketIn | inbound.CashOut | inbound.CollectFor | inbound.Redeem
        )
        if isinstance(message, inbound.TicketIn) and self._is_elsewhere(connection, message):
            raise Refused.by(_REQUESTED)
        if isinstance(message, inbound.Redeem | inbound.TicketIn):
            # Guesses of ticket numbers count towards the lock of the lookups.
            self.queries.find(connection, message.number)
        return self.ticket_desk.command(connection.device, message)

    def _is_elsewhere(self, connection: Connection, message: inbound.TicketIn) -> bool:
        """Ask other venues for a ticket that this one has not, and insert it once it is here."""
        look_ups = self.queries.look_ups
        if not look_ups.is_elsewhere(connection.device, message.number, self.time.now()):
            return False
        assert look_ups.ticket_exchange is not None
        then = partial(self._presented, connection, message)
        look_ups.ticket_exchange.present_then(message.number, TerminalId(connection.device), then)
        return True

    def _presented(self, connection: Connection, message: inbound.TicketIn, refusal: Refusal | None) -> None:
        """Insert a ticket that another venue has transferred; a number that no venue knows counts as a wrong one."""
        with refusing(connection):
            if refusal is not None and refusal.code not in WRONG_NUMBER:
                raise Refused.by(refusal)
            self.queries.find(connection, message.number, refusal)
            command = self.ticket_desk.command(connection.device, message)
            self.background_tasks.begin(connection, self._insert(connection, Request(command, connection.device)))

    async def _insert(self, connection: Connection, request: Request) -> None:
        with refusing(connection):
            or_raise(await self.commit_loop.ask(request))

    def _require_here(self, connection: Connection, command: AnyCommand) -> None:
        """Refuse a command about another table at a console that is bound to one; a visitor sends no others."""
        bound, live = self.publisher.devices.bound.get(connection.device), DeviceKind.LIVE_TABLE
        if bound is None and connection.device_kind is not live:
            return
        if isinstance(command, TableCommand):
            here = command.table == bound
        else:
            here = connection.device_kind is live or (isinstance(command, NoteIncident) and command.subject == bound)
        if not here:
            raise Refused.by(_NOT_HERE)

    def _person(self, connection: Connection, message: KeyedMessage) -> PersonId:
        """Return the person of a request: empty at a terminal; a board sends no requests."""
        here = _place_of(message)
        if here is not None and connection.device_kind is not here:
            raise Refused.by(_NOT_HERE)
        if connection.device_kind is DeviceKind.TERMINAL:
            return PersonId("")
        return self.staff_auth.who(connection, stepped_up=_needs_step_up(message))


def _place_of(message: KeyedMessage) -> DeviceKind | None:
    """Return the kind of device that a message must come from: None when any may send it."""
    match message:
        case SendCommand():
            return None
        case inbound.Redeem():
            return DeviceKind.CASHIER
        case inbound.CollectFor():
            return DeviceKind.PIT
        case _:
            return DeviceKind.TERMINAL


def _needs_step_up(message: KeyedMessage) -> bool:
    """Return whether a message needs a step-up: both signatures of dual control, and collecting for a player."""
    return isinstance(message, inbound.CollectFor) or (
        isinstance(message, SendCommand) and type(message.command) in _STEPPED_UP
    )
