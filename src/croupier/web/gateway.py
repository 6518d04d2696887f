"""The gateway: hears every door, asks the house in its name, and looks after the doors themselves."""

from dataclasses import dataclass, field
from typing import Final, get_args

import structlog
from picows import WSCloseCode

from croupier.access.fault import AccessFault
from croupier.access.signin import SIGNED_OUT
from croupier.engine.asked import Asked
from croupier.house.answer import refuse
from croupier.house.command.any import AnyCommand, Dual
from croupier.house.command.venue import Approve
from croupier.house.device import DeviceKind
from croupier.house.name import Instant, PersonId, TerminalId
from croupier.journal.entry import Key
from croupier.rules.refusal import Code, Refusal
from croupier.web import incoming, outgoing
from croupier.web.chores import Chores
from croupier.web.conductor import Conductor
from croupier.web.counter import Counter
from croupier.web.door import Door, Pace
from croupier.web.enquiry import Enquiries
from croupier.web.hub import Hub
from croupier.web.incoming import Ask, Incoming, Keyed, Sketch
from croupier.web.limits import BEHIND_MOST, HELLO_MOST, ROUND_EVERY, SILENT_MOST
from croupier.web.links import Links
from croupier.web.lobby import Lobby, incompatible
from croupier.web.magnitude import too_large
from croupier.web.registrar import Registrar, unnameable
from croupier.web.signing import Signing
from croupier.web.timekeeper import Timekeeper

#: What asks for the secret again: both signatures under what takes two.
_STEPPED_UP: Final = frozenset({*get_args(Dual), Approve})
#: What a player's terminal asks for; every number in it is bounded by its type.
_OF_PLAYERS: Final = frozenset(get_args(incoming.TerminalCommand))
# Looked up once, as every command comes past here: to find a member of an enumeration takes 0.1 µs each time.
_TERMINAL: Final = DeviceKind.TERMINAL
_NOBODY: Final = PersonId("")
_NO_HELLO: Final = refuse(Code.OUT_OF_TURN, None, "Say hello first.")
_NOT_HERE: Final = refuse(Code.NOT_AUTHORISED, None, "That is not done at this door.")
_SILENT: Final = refuse(Code.SILENT, None, "Nothing was heard for too long.")
_UNREAD: Final = refuse(Code.TOO_FAST, None, "It does not read what it is sent.")
_LOG = structlog.get_logger()


@dataclass(slots=True)
class Gateway:
    """Where everything comes in. It decides nothing: it says who asks."""

    time: Timekeeper
    pace: Pace
    hub: Hub
    conductor: Conductor
    lobby: Lobby
    signing: Signing
    counter: Counter
    links: Links
    chores: Chores
    enquiries: Enquiries
    registrar: Registrar
    doors: dict[Door, None] = field(default_factory=dict)

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

    def opened(self, door: Door) -> None:
        self.doors[door] = None

    def closed(self, door: Door) -> None:
        self.doors.pop(door, None)

    def gone(self, door: Door, refusal: Refusal | None) -> None:
        """Tell a door nothing more, and the house at once where a terminal is not there any more."""
        if refusal is not None:
            self.hub.figures.shut[refusal.code] += 1
        self.lobby.leave(door)
        self.hub.leave(door)
        self.counter.left(door.device)
        self._linked(door)

    def _linked(self, door: Door) -> None:
        if door.kind is DeviceKind.TERMINAL:
            self.links.look(TerminalId(door.device))

    def caught_up(self, door: Door) -> None:
        if self._sees(door):
            self.hub.snap(door)
            self.counter.print_at(door.device)

    def _sees(self, door: Door) -> bool:
        """Tell whether a door is one that is told what happens."""
        return self.hub.seats.get(TerminalId(door.device)) is door or self.hub.consoles.get(door.device) is door

    def _next_round(self) -> None:
        self.time.at(Instant(self.time.now() + ROUND_EVERY), self._go_round)

    def _go_round(self) -> None:
        """Shut doors that are of no use to anybody, end what has lapsed, and look for terminals that have gone dark."""
        self._next_round()
        for door in tuple(self.doors):
            self._look_after(door)
        try:
            held = self.lobby.register.held()
        except AccessFault as fault:
            # Whoever is in stays; nobody else is let in until it can be read again.
            _LOG.error("register_unreadable", words=str(fault))
        else:
            for device in self.lobby.turn_out(held):
                self.signing.revoke_device(device)
            self.signing.sweep(held)
        self.links.look_around()

    def _look_after(self, door: Door) -> None:
        now = self.time.now()
        door.silent += 1
        if not door.is_open:
            if door.silent > 1:
                door.cut_off()
        elif door.kind is None and now - door.opened_at > HELLO_MOST:
            door.shut(_NO_HELLO)
        elif door.silent >= SILENT_MOST:
            door.shut(_SILENT, WSCloseCode.GOING_AWAY)
        elif door.behind_since is not None and now - door.behind_since > BEHIND_MOST:
            door.shut(_UNREAD)

    # What is heard.

    def heard(self, door: Door, message: Incoming) -> None:
        if type(message) is Ask and door.kind is _TERMINAL and type(message.command) in _OF_PLAYERS:
            # The way of nearly everything that comes.
            key = Key(message.epoch, message.id)
            self._submit(door, message, Asked(message.command, door.device, _NOBODY, key))
        elif isinstance(message, incoming.Ping):
            door.send(outgoing.Pong(c=message.c, now_us=self.time.now()))
        elif isinstance(message, incoming.Hello):
            self.lobby.hello(door, message)
        elif door.kind is None:
            door.shut(_NO_HELLO)
        else:
            self._admitted(door, message)

    def misread(self, door: Door, sketch: Sketch, refusal: Refusal) -> None:
        """Refuse what cannot be read: a command under its number, so that nobody takes it for answered with a yes."""
        if sketch.t == "hello" and sketch.protocol != incoming.PROTOCOL:
            # A hello of another version need not have the fields of this one.
            door.shut(incompatible(sketch.protocol))
        elif sketch.id is not None and door.kind is not None:
            self.hub.refuse(door, sketch.id, refusal)
        else:
            door.send(outgoing.Refused(refusal=outgoing.no(refusal), q=sketch.q))

    def too_fast(self, door: Door, message: Incoming | None, refusal: Refusal) -> None:
        if isinstance(message, Keyed) and door.kind is not None:
            self.hub.refuse(door, message.id, refusal)
        else:
            _tell(door, refusal)

    def _admitted(self, door: Door, message: Incoming) -> None:
        """Hear a device that is known."""
        if isinstance(message, Keyed):
            asked = self._asked(door, message)
            if isinstance(asked, Refusal):
                self.hub.refuse(door, message.id, asked)
            else:
                self._submit(door, message, asked)
        elif isinstance(message, incoming.Query):
            self.enquiries.hear(door, message)
        elif isinstance(message, incoming.Resync) and self._sees(door):
            self.hub.snap(door)
        elif isinstance(message, incoming.Games) and door.kind is DeviceKind.TERMINAL:
            self.hub.recall(door)
        elif door.kind in (DeviceKind.TERMINAL, DeviceKind.BOARD):
            self._practise(door, message)
        else:
            self._sign(door, message)

    def _practise(self, door: Door, message: Incoming) -> None:
        """Hand out play money; nobody signs in at a terminal or a board."""
        wanted = isinstance(message, incoming.Practice)
        command = self.counter.practice(door.device) if wanted else _NOT_HERE
        refusal = command if isinstance(command, Refusal) else self.conductor.submit(Asked(command))
        if refusal is not None:
            _tell(door, refusal)

    def _sign(self, door: Door, message: Incoming) -> None:
        match message:
            case incoming.SignIn():
                self.chores.begin(door, self.signing.sign_in(door, message))
            case incoming.NewSecret():
                self.chores.begin(door, self.signing.new_secret(door, message))
            case incoming.StepUp():
                self.chores.begin(door, self.signing.step_up(door, message))
            case incoming.Resume():
                self.signing.resume(door, message)
            case incoming.SignOut():
                self.signing.sign_out(door)
            case incoming.Resync():
                _tell(door, SIGNED_OUT)
            case _:
                _tell(door, _NOT_HERE)

    def _asked(self, door: Door, message: Keyed) -> Asked | Refusal:
        """Put a wish in the house's words: who asks comes first, so that nobody else learns anything from it."""
        person = self._person(door, message)
        if isinstance(person, Refusal):
            return person
        command = self._command(door, message)
        if isinstance(command, Refusal):
            return command
        return Asked(command, door.device, person, Key(message.epoch, message.id))

    def _command(self, door: Door, message: Keyed) -> AnyCommand | Refusal:
        if isinstance(message, Ask):
            return too_large(message.command) or unnameable(message.command) or message.command
        assert isinstance(
            message, incoming.Note | incoming.TicketIn | incoming.CashOut | incoming.CollectFor | incoming.Redeem
        )
        if isinstance(message, incoming.Redeem | incoming.TicketIn):
            # Whoever guesses at numbers at a desk or a slot is locked out as those are who look them up.
            found = self.enquiries.find(door, message.number)
            if isinstance(found, Refusal):
                return found
        return self.counter.command(door.device, message)

    def _person(self, door: Door, message: Keyed) -> PersonId | Refusal:
        """Tell in whose name something is wished for: nobody's at a terminal; a board wishes for nothing."""
        here = _place_of(message)
        if here is not None and door.kind is not here:
            return _NOT_HERE
        if door.kind is DeviceKind.TERMINAL:
            return PersonId("")
        return self.signing.who(door, stepped_up=_takes_secret(message))

    def _submit(self, door: Door, message: Keyed, asked: Asked) -> None:
        refusal = self.conductor.submit(asked)
        if refusal is not None:
            self.hub.refuse(door, message.id, refusal)


def _place_of(message: Keyed) -> DeviceKind | None:
    """Name the door for which a wish is: what is done at a slot comes from a terminal, and what at a desk from one."""
    match message:
        case Ask():
            return None
        case incoming.Redeem():
            return DeviceKind.CASHIER
        case incoming.CollectFor():
            return DeviceKind.PIT
        case _:
            return DeviceKind.TERMINAL


def _takes_secret(message: Keyed) -> bool:
    """Tell whether the secret must have been given again: for both signatures under what takes two, and for money."""
    return isinstance(message, incoming.CollectFor) or (
        isinstance(message, Ask) and type(message.command) in _STEPPED_UP
    )


def _tell(door: Door, refusal: Refusal) -> None:
    door.send(outgoing.Refused(refusal=outgoing.no(refusal)))
