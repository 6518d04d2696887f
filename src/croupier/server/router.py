"""Routes messages to the house."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, get_args

import msgspec
import structlog
from picows import WSCloseCode

from croupier.engine.commit_loop import CommitLoop
from croupier.engine.ports import LoopClock, Request
from croupier.house.base import Event
from croupier.house.commands import AnyCommand, Dual
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
    RETURN_MOST,
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

    hub: Publisher
    conductor: CommitLoop
    #: Those that were at a door in this run, or had money on them when it began.
    _known: set[TerminalId] = field(default_factory=set)
    _since: Instant | None = None

    @property
    def house(self) -> House:
        return self.hub.run.house

    def begin(self) -> None:
        """Give terminals time to come back after a start before they count as lost."""
        self._since = self.hub.time.now()

    def look(self, terminal: TerminalId) -> None:
        """Hold one terminal against the record."""
        there, dark = terminal in self.hub.seats, terminal in self.house.dark
        if there:
            self._known.add(terminal)
        if there and dark:
            self.conductor.submit(Request(ReportTerminalReturned(terminal)))
        elif not there and not dark and terminal in self._known and DeviceId(terminal) in self.house.devices:
            self.conductor.submit(Request(ReportTerminalLost(terminal)))

    def heed(self, event: Event) -> None:
        """Look once more when the house has heard: a page that was only loaded anew is back before that."""
        if isinstance(event, TerminalLost | TerminalReturned):
            self.look(event.terminal)

    def look_around(self) -> None:
        """Hold all terminals against the record; some time after a start also those that have not come back to it."""
        if self._since is not None and self.hub.time.now() >= self._since + RETURN_MOST:
            self._since = None
            self._known.update(each.id for each in self.house.terminals.values() if each.credit or each.in_play)
        for terminal in {*self._known, *map(TerminalId, self.hub.seats)}:
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
_STEPPED_UP: Final = frozenset({*get_args(Dual), Approve})
#: What a player's terminal asks for; every number in it is bounded by its type.
_OF_PLAYERS: Final = frozenset(get_args(inbound.TerminalCommand))
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
    hub: Publisher
    conductor: CommitLoop
    lobby: DeviceAuthenticator
    signing: StaffSignIn
    counter: TicketDesk
    links: Presence
    chores: BackgroundTasks
    enquiries: QueryHandler
    registrar: DeviceEnrolment
    doors: dict[Connection, None] = field(default_factory=dict)

    def begin(self) -> None:
        """Begin to look after the doors."""
        self.hub.listeners += [self.signing.heed, self.counter.heed, self.links.heed, self.registrar.heed]
        self.hub.teller = self.counter.hand_out
        self.hub.admitted = lambda door: self.counter.print_at(door.device)
        self.lobby.entered = self._linked
        self.links.begin()
        self.registrar.begin()
        self._next_round()

    # Doors that open and shut.

    def opened(self, door: Connection) -> None:
        self.doors[door] = None

    def closed(self, door: Connection) -> None:
        self.doors.pop(door, None)

    def gone(self, door: Connection, refusal: Refusal | None) -> None:
        """Tell a door nothing more, and the house at once where a terminal is not there any more."""
        if refusal is not None:
            self.hub.figures.shut[refusal.code] += 1
        self.lobby.leave(door)
        self.hub.leave(door)
        self.counter.left(door.device)
        self._linked(door)

    def _linked(self, door: Connection) -> None:
        if door.kind is DeviceKind.TERMINAL:
            self.links.look(TerminalId(door.device))

    def caught_up(self, door: Connection) -> None:
        if self._sees(door):
            self.hub.snap(door)
            self.counter.print_at(door.device)

    def _sees(self, door: Connection) -> bool:
        """Tell whether a door is one that is told what happens."""
        return self.hub.seats.get(TerminalId(door.device)) is door or self.hub.consoles.get(door.device) is door

    def _next_round(self) -> None:
        self.time.at(Instant(self.time.now() + SWEEP_INTERVAL_US), self._go_round)

    def _go_round(self) -> None:
        """Shut doors that are of no use to anybody, end what has lapsed, and look for terminals that have gone dark."""
        self._next_round()
        for door in tuple(self.doors):
            self._look_after(door)
        try:
            held = self.lobby.register.held()
        except CredentialError as fault:
            # Whoever is in stays; nobody else is let in until it can be read again.
            _LOG.error("register_unreadable", words=str(fault))
        else:
            for device in self.lobby.turn_out(held):
                self.signing.revoke_device(device)
            self.signing.sweep(held)
        self.links.look_around()

    def _look_after(self, door: Connection) -> None:
        now = self.time.now()
        door.silent += 1
        if not door.is_open:
            if door.silent > 1:
                door.cut_off()
        elif door.kind is None and now - door.opened_at > HELLO_WAIT_MAX_US:
            door.shut(_NO_HELLO)
        elif door.silent >= MISSED_HEARTBEATS_MAX:
            door.shut(_SILENT, WSCloseCode.GOING_AWAY)
        elif door.behind_since is not None and now - door.behind_since > SLOW_READER_MAX_US:
            door.shut(_UNREAD)

    # What is heard.

    def heard(self, door: Connection, message: Incoming) -> None:
        if type(message) is SendCommand and door.kind is _TERMINAL and type(message.command) in _OF_PLAYERS:
            # The way of nearly everything that comes.
            key = IdempotencyKey(message.epoch, message.id)
            self._submit(door, message, Request(message.command, door.device, _NOBODY, key))
        elif isinstance(message, inbound.Ping):
            door.send(outbound.Pong(c=message.c, now_us=self.time.now()))
        elif isinstance(message, inbound.Hello):
            self.lobby.hello(door, message)
        elif door.kind is None:
            door.shut(_NO_HELLO)
        else:
            self._admitted(door, message)

    def misread(self, door: Connection, sketch: PartialMessage, refusal: Refusal) -> None:
        """Refuse what cannot be read: a command under its number, so that nobody takes it for answered with a yes."""
        if sketch.t == "hello" and sketch.protocol != inbound.PROTOCOL:
            # A hello of another version need not have the fields of this one.
            door.shut(incompatible(sketch.protocol))
        elif sketch.id is not None and door.kind is not None:
            self.hub.refuse(door, sketch.id, refusal)
        else:
            door.send(outbound.Refused(refusal=outbound.refusal_body(refusal), q=sketch.q))

    def too_fast(self, door: Connection, message: Incoming | None, refusal: Refusal) -> None:
        if isinstance(message, KeyedMessage) and door.kind is not None:
            self.hub.refuse(door, message.id, refusal)
        else:
            _tell(door, refusal)

    def _admitted(self, door: Connection, message: Incoming) -> None:
        """Hear a device that is known."""
        if isinstance(message, KeyedMessage):
            asked = self._asked(door, message)
            if isinstance(asked, Refusal):
                self.hub.refuse(door, message.id, asked)
            else:
                self._submit(door, message, asked)
        elif isinstance(message, inbound.Query):
            self.enquiries.hear(door, message)
        elif isinstance(message, inbound.Resync) and self._sees(door):
            self.hub.snap(door)
        elif isinstance(message, inbound.QueryGames) and door.kind is DeviceKind.TERMINAL:
            self.hub.recall(door)
        elif door.kind in (DeviceKind.TERMINAL, DeviceKind.BOARD):
            self._practise(door, message)
        else:
            self._sign(door, message)

    def _practise(self, door: Connection, message: Incoming) -> None:
        """Hand out play money; nobody signs in at a terminal or a board."""
        wanted = isinstance(message, inbound.Practice)
        command = self.counter.practice(door.device) if wanted else _NOT_HERE
        refusal = command if isinstance(command, Refusal) else self.conductor.submit(Request(command))
        if refusal is not None:
            _tell(door, refusal)

    def _sign(self, door: Connection, message: Incoming) -> None:
        match message:
            case inbound.SignIn():
                self.chores.begin(door, self.signing.sign_in(door, message))
            case inbound.SetPassword():
                self.chores.begin(door, self.signing.new_secret(door, message))
            case inbound.StepUp():
                self.chores.begin(door, self.signing.step_up(door, message))
            case inbound.Resume():
                self.signing.resume(door, message)
            case inbound.SignOut():
                self.signing.sign_out(door)
            case inbound.Resync():
                _tell(door, SIGNED_OUT)
            case _:
                _tell(door, _NOT_HERE)

    def _asked(self, door: Connection, message: KeyedMessage) -> Request | Refusal:
        """Put a wish in the house's words: who asks comes first, so that nobody else learns anything from it."""
        person = self._person(door, message)
        if isinstance(person, Refusal):
            return person
        command = self._command(door, message)
        if isinstance(command, Refusal):
            return command
        return Request(command, door.device, person, IdempotencyKey(message.epoch, message.id))

    def _command(self, door: Connection, message: KeyedMessage) -> AnyCommand | Refusal:
        if isinstance(message, SendCommand):
            return unsafe_integer(message.command) or device_name_objection(message.command) or message.command
        assert isinstance(
            message, inbound.Note | inbound.TicketIn | inbound.CashOut | inbound.CollectFor | inbound.Redeem
        )
        if isinstance(message, inbound.Redeem | inbound.TicketIn):
            # Whoever guesses at numbers at a desk or a slot is locked out as those are who look them up.
            found = self.enquiries.find(door, message.number)
            if isinstance(found, Refusal):
                return found
        return self.counter.command(door.device, message)

    def _person(self, door: Connection, message: KeyedMessage) -> PersonId | Refusal:
        """Tell in whose name something is wished for: nobody's at a terminal; a board wishes for nothing."""
        here = _place_of(message)
        if here is not None and door.kind is not here:
            return _NOT_HERE
        if door.kind is DeviceKind.TERMINAL:
            return PersonId("")
        return self.signing.who(door, stepped_up=_takes_secret(message))

    def _submit(self, door: Connection, message: KeyedMessage, asked: Request) -> None:
        refusal = self.conductor.submit(asked)
        if refusal is not None:
            self.hub.refuse(door, message.id, refusal)


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


def _tell(door: Connection, refusal: Refusal) -> None:
    door.send(outbound.Refused(refusal=outbound.refusal_body(refusal)))
