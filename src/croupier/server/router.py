"""Routes messages to the house."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

import msgspec
import structlog
from picows import WSCloseCode

from croupier.engine.commit_loop import CommitLoop
from croupier.engine.ports import LoopClock, Request
from croupier.house.base import Event
from croupier.house.commands import COMMANDS, DUAL_CONTROL, AnyCommand
from croupier.house.commands.record import ReportTerminalLost, ReportTerminalReturned
from croupier.house.commands.setup import Approve
from croupier.house.events.record import TerminalLost, TerminalReturned
from croupier.house.ids import DeviceId, DeviceKind, Instant, PersonId, TerminalId
from croupier.house.state import House
from croupier.journal.entry import IdempotencyKey
from croupier.protocol import inbound, outbound
from croupier.protocol.inbound import Incoming, KeyedMessage, PartialMessage, SendCommand
from croupier.rules.refusal import Code, Refusal, refuse
from croupier.server.auth.credentials import CredentialError
from croupier.server.auth.devices import DeviceAuthenticator, DeviceEnrolment, device_name_objection, incompatible
from croupier.server.auth.sessions import SIGNED_OUT
from croupier.server.auth.staff import StaffSignIn
from croupier.server.connection import (
    HELLO_WAIT_MAX_US,
    MISSED_HEARTBEATS_MAX,
    RETURN_MAX,
    SLOW_READER_MAX_US,
    SWEEP_INTERVAL_US,
    BackgroundTasks,
    Connection,
    RateLimit,
)
from croupier.server.publisher import Publisher
from croupier.server.queries import QueryHandler
from croupier.server.ticket_desk import TicketDesk


@dataclass(slots=True)
class Presence:
    """Holds who is at a door against what the house believes. What was too busy to be told is told at the next look."""

    publisher: Publisher
    commit_loop: CommitLoop
    #: Those that were at a door in this run, or had money on them when it began.
    _known: set[TerminalId] = field(default_factory=set)
    _since: Instant | None = None

    @property
    def house(self) -> House:
        return self.publisher.run.house

    def begin(self) -> None:
        """Give terminals time to come back after a start before they count as lost."""
        self._since = self.publisher.time.now()

    def on_connection(self, connection: Connection) -> None:
        """Compare a terminal whose connection was admitted or has ended with the record."""
        if connection.device_kind is DeviceKind.TERMINAL:
            self.look(TerminalId(connection.device))

    def look(self, terminal: TerminalId) -> None:
        """Hold one terminal against the record."""
        there, dark = terminal in self.publisher.seats, terminal in self.house.offline
        if there:
            self._known.add(terminal)
        if there and dark:
            self.commit_loop.submit(Request(ReportTerminalReturned(terminal)))
        elif not there and not dark and terminal in self._known and DeviceId(terminal) in self.house.devices:
            self.commit_loop.submit(Request(ReportTerminalLost(terminal)))

    def on_event(self, event: Event) -> None:
        """Look once more when the house has heard: a page that was only loaded anew is back before that."""
        if isinstance(event, TerminalLost | TerminalReturned):
            self.look(event.terminal)

    def look_around(self) -> None:
        """Hold all terminals against the record; some time after a start also those that have not come back to it."""
        if self._since is not None and self.publisher.time.now() >= self._since + RETURN_MAX:
            self._since = None
            self._known.update(each.id for each in self.house.terminals.values() if each.credit or each.in_play)
        for terminal in {*self._known, *map(TerminalId, self.publisher.seats)}:
            self.look(terminal)


#: Beyond this a browser does not tell two numbers apart.
MOST: Final = 2**53 - 1


def unsafe_integer(command: AnyCommand) -> Refusal | None:
    """Refuse a command with a number that no screen could show as it is: nobody would have meant it."""
    if all(-MOST <= number <= MOST for number in _numbers(msgspec.to_builtins(command))):
        return None
    return refuse(Code.MALFORMED, None, f"No number may be beyond {MOST}.", most=MOST)


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


#: What asks for the secret again: both signatures under what takes two.
_STEPPED_UP: Final = DUAL_CONTROL | {Approve}
#: What a player's terminal asks for; every number in it is bounded by its type.
_OF_PLAYERS: Final = frozenset(kind for kind, declared in COMMANDS.items() if declared.from_terminal)
# Looked up once, as every command comes past here: to find a member of an enumeration takes 0.1 µs each time.
_TERMINAL: Final = DeviceKind.TERMINAL
_NOBODY: Final = PersonId("")
_NO_HELLO: Final = refuse(Code.OUT_OF_TURN, None, "Say hello first.")
_NOT_HERE: Final = refuse(Code.NOT_AUTHORISED, None, "That is not done at this door.")
_SILENT: Final = refuse(Code.SILENT, None, "Nothing was heard for too long.")
_UNREAD: Final = refuse(Code.TOO_FAST, None, "It does not read what it is sent.")
_LOG = structlog.get_logger()


@dataclass(slots=True)
class Router:
    """Where everything comes in. It decides nothing: it says who asks."""

    time: LoopClock
    pace: RateLimit
    publisher: Publisher
    commit_loop: CommitLoop
    device_auth: DeviceAuthenticator
    staff_auth: StaffSignIn
    counter: TicketDesk
    presence: Presence
    background_tasks: BackgroundTasks
    queries: QueryHandler
    device_enrolment: DeviceEnrolment
    connections: dict[Connection, None] = field(default_factory=dict)

    def begin(self) -> None:
        """Begin to look after the doors."""
        self.presence.begin()
        self.device_enrolment.begin()
        self._schedule_sweep()

    # Doors that open and shut.

    def opened(self, connection: Connection) -> None:
        self.connections[connection] = None

    def closed(self, connection: Connection) -> None:
        self.connections.pop(connection, None)

    def disconnected(self, connection: Connection, refusal: Refusal | None) -> None:
        """Tell a door nothing more, and the house at once where a terminal is not there any more."""
        if refusal is not None:
            self.publisher.figures.closed[refusal.code] += 1
        self.device_auth.leave(connection)
        self.publisher.unsubscribe(connection)
        self.counter.left(connection.device)
        self.presence.on_connection(connection)

    def writable_again(self, connection: Connection) -> None:
        if self._sees(connection):
            self.publisher.send_snapshot(connection)
            self.counter.print_at(connection.device)

    def _sees(self, connection: Connection) -> bool:
        """Tell whether a door is one that is told what happens."""
        return (
            self.publisher.seats.get(TerminalId(connection.device)) is connection
            or self.publisher.consoles.get(connection.device) is connection
        )

    def _schedule_sweep(self) -> None:
        self.time.at(Instant(self.time.now() + SWEEP_INTERVAL_US), self._sweep_connections)

    def _sweep_connections(self) -> None:
        """Shut doors that are of no use to anybody, end what has lapsed, and look for terminals that have gone dark."""
        self._schedule_sweep()
        for connection in tuple(self.connections):
            self._sweep_connection(connection)
        try:
            held = self.device_auth.register.load()
        except CredentialError as fault:
            # Whoever is in stays; nobody else is let in until it can be read again.
            _LOG.error("register_unreadable", words=str(fault))
        else:
            for device in self.device_auth.disconnect_released(held):
                self.staff_auth.revoke_device(device)
            self.staff_auth.sweep(held)
        self.presence.look_around()

    def _sweep_connection(self, connection: Connection) -> None:
        now = self.time.now()
        connection.silent += 1
        if not connection.is_open:
            if connection.silent > 1:
                connection.abort()
        elif connection.device_kind is None and now - connection.opened_at > HELLO_WAIT_MAX_US:
            connection.close(_NO_HELLO)
        elif connection.silent >= MISSED_HEARTBEATS_MAX:
            connection.close(_SILENT, WSCloseCode.GOING_AWAY)
        elif connection.behind_since is not None and now - connection.behind_since > SLOW_READER_MAX_US:
            connection.close(_UNREAD)

    # What is heard.

    def received(self, connection: Connection, message: Incoming) -> None:
        if (
            type(message) is SendCommand
            and connection.device_kind is _TERMINAL
            and type(message.command) in _OF_PLAYERS
        ):
            # The way of nearly everything that comes.
            key = IdempotencyKey(message.epoch, message.id)
            self._submit(connection, message, Request(message.command, connection.device, _NOBODY, key))
        elif isinstance(message, inbound.Ping):
            connection.send(outbound.Pong(c=message.c, now_us=self.time.now()))
        elif isinstance(message, inbound.Hello):
            self.device_auth.hello(connection, message)
        elif connection.device_kind is None:
            connection.close(_NO_HELLO)
        else:
            self._admitted(connection, message)

    def received_invalid(self, connection: Connection, sketch: PartialMessage, refusal: Refusal) -> None:
        """Refuse what cannot be read: a command under its number, so that nobody takes it for answered with a yes."""
        if sketch.t == "hello" and sketch.protocol != inbound.PROTOCOL:
            # A hello of another version need not have the fields of this one.
            connection.close(incompatible(sketch.protocol))
        elif sketch.id is not None and connection.device_kind is not None:
            self.publisher.refuse(connection, sketch.id, refusal)
        else:
            connection.send(outbound.Refused(refusal=outbound.refusal_body(refusal), q=sketch.q))

    def too_fast(self, connection: Connection, message: Incoming | None, refusal: Refusal) -> None:
        if isinstance(message, KeyedMessage) and connection.device_kind is not None:
            self.publisher.refuse(connection, message.id, refusal)
        else:
            _tell(connection, refusal)

    def _admitted(self, connection: Connection, message: Incoming) -> None:
        """Hear a device that is known."""
        if isinstance(message, KeyedMessage):
            asked = self._asked(connection, message)
            if isinstance(asked, Refusal):
                self.publisher.refuse(connection, message.id, asked)
            else:
                self._submit(connection, message, asked)
        elif isinstance(message, inbound.Query):
            self.queries.hear(connection, message)
        elif isinstance(message, inbound.Resync) and self._sees(connection):
            self.publisher.send_snapshot(connection)
        elif isinstance(message, inbound.QueryGames) and connection.device_kind is DeviceKind.TERMINAL:
            self.publisher.recall(connection)
        elif connection.device_kind in (DeviceKind.TERMINAL, DeviceKind.BOARD):
            self._practise(connection, message)
        else:
            self._sign(connection, message)

    def _practise(self, connection: Connection, message: Incoming) -> None:
        """Hand out play money; nobody signs in at a terminal or a board."""
        wanted = isinstance(message, inbound.Practice)
        command = self.counter.practice(connection.device) if wanted else _NOT_HERE
        refusal = command if isinstance(command, Refusal) else self.commit_loop.submit(Request(command))
        if refusal is not None:
            _tell(connection, refusal)

    def _sign(self, connection: Connection, message: Incoming) -> None:
        match message:
            case inbound.SignIn():
                self.background_tasks.begin(connection, self.staff_auth.sign_in(connection, message))
            case inbound.SetPassword():
                self.background_tasks.begin(connection, self.staff_auth.new_secret(connection, message))
            case inbound.StepUp():
                self.background_tasks.begin(connection, self.staff_auth.step_up(connection, message))
            case inbound.Resume():
                self.staff_auth.resume(connection, message)
            case inbound.SignOut():
                self.staff_auth.sign_out(connection)
            case inbound.Resync():
                _tell(connection, SIGNED_OUT)
            case _:
                _tell(connection, _NOT_HERE)

    def _asked(self, connection: Connection, message: KeyedMessage) -> Request | Refusal:
        """Put a wish in the house's words: who asks comes first, so that nobody else learns anything from it."""
        person = self._person(connection, message)
        if isinstance(person, Refusal):
            return person
        command = self._command(connection, message)
        if isinstance(command, Refusal):
            return command
        return Request(command, connection.device, person, IdempotencyKey(message.epoch, message.id))

    def _command(self, connection: Connection, message: KeyedMessage) -> AnyCommand | Refusal:
        if isinstance(message, SendCommand):
            return unsafe_integer(message.command) or device_name_objection(message.command) or message.command
        assert isinstance(
            message, inbound.Note | inbound.TicketIn | inbound.CashOut | inbound.CollectFor | inbound.Redeem
        )
        if isinstance(message, inbound.Redeem | inbound.TicketIn):
            # Whoever guesses at numbers at a desk or a slot is locked out as those are who look them up.
            found = self.queries.find(connection, message.number)
            if isinstance(found, Refusal):
                return found
        return self.counter.command(connection.device, message)

    def _person(self, connection: Connection, message: KeyedMessage) -> PersonId | Refusal:
        """Tell in whose name something is wished for: nobody's at a terminal; a board wishes for nothing."""
        here = _place_of(message)
        if here is not None and connection.device_kind is not here:
            return _NOT_HERE
        if connection.device_kind is DeviceKind.TERMINAL:
            return PersonId("")
        return self.staff_auth.who(connection, stepped_up=_takes_secret(message))

    def _submit(self, connection: Connection, message: KeyedMessage, asked: Request) -> None:
        refusal = self.commit_loop.submit(asked)
        if refusal is not None:
            self.publisher.refuse(connection, message.id, refusal)


def _place_of(message: KeyedMessage) -> DeviceKind | None:
    """Name the door for which a wish is: what is done at a slot comes from a terminal, and what at a desk from one."""
    match message:
        case SendCommand():
            return None
        case inbound.Redeem():
            return DeviceKind.CASHIER
        case inbound.CollectFor():
            return DeviceKind.PIT
        case _:
            return DeviceKind.TERMINAL


def _takes_secret(message: KeyedMessage) -> bool:
    """Tell whether the secret must have been given again: for both signatures under what takes two, and for money."""
    return isinstance(message, inbound.CollectFor) or (
        isinstance(message, SendCommand) and type(message.command) in _STEPPED_UP
    )


def _tell(connection: Connection, refusal: Refusal) -> None:
    connection.send(outbound.Refused(refusal=outbound.refusal_body(refusal)))
