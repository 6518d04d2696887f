"""The gateway: hears every door, asks the house in its name, and looks after the doors themselves."""

from dataclasses import dataclass, field
from typing import Final, get_args

from picows import WSCloseCode

from croupier.access.record import DeviceKind
from croupier.engine.asked import Asked
from croupier.house.answer import refuse
from croupier.house.command.any import AnyCommand, Dual
from croupier.house.command.venue import Approve
from croupier.house.name import Instant, PersonId, TerminalId
from croupier.journal.entry import Key
from croupier.rules.refusal import Code, Refusal
from croupier.web import incoming, outgoing
from croupier.web.chores import Chores
from croupier.web.conductor import Conductor
from croupier.web.counter import Counter
from croupier.web.door import Door, Pace
from croupier.web.hub import Hub
from croupier.web.incoming import Ask, Incoming, Keyed
from croupier.web.limits import BEHIND_MOST, HELLO_MOST, ROUND_EVERY, SILENT_MOST
from croupier.web.links import Links
from croupier.web.lobby import Lobby
from croupier.web.signing import Signing
from croupier.web.timekeeper import Timekeeper

#: What asks for the secret again: both signatures under what takes two.
_STEPPED_UP: Final = frozenset({*get_args(Dual), Approve})
_NO_HELLO: Final = refuse(Code.OUT_OF_TURN, None, "Say hello first.")


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
    doors: dict[Door, None] = field(default_factory=dict)

    def begin(self) -> None:
        """Begin to look after the doors."""
        self.hub.listeners += [self.signing.heed, self.counter.heed]
        self.links.begin()
        self._next_round()

    # Doors that open and shut.

    def opened(self, door: Door) -> None:
        self.doors[door] = None

    def gone(self, door: Door) -> None:
        self.doors.pop(door, None)
        self.hub.leave(door)
        self._linked(door)

    def _linked(self, door: Door) -> None:
        """Have the house know at once whether a terminal is there."""
        if door.kind is DeviceKind.TERMINAL and door.device:
            self.links.look(TerminalId(door.device))

    def fell_behind(self, door: Door) -> None:
        """Nothing is sent to it until it can read: then all at once."""

    def caught_up(self, door: Door) -> None:
        if self._is_in(door):
            self.hub.snap(door)

    def _is_in(self, door: Door) -> bool:
        return self.hub.seats.get(TerminalId(door.device)) is door or self.hub.consoles.get(door.device) is door

    def _next_round(self) -> None:
        self.time.at(Instant(self.time.now() + ROUND_EVERY), self._go_round)

    def _go_round(self) -> None:
        """Shut doors that are of no use to anybody, end what has lapsed, and look for terminals that have gone dark."""
        now = self.time.now()
        for door in tuple(self.doors):
            door.silent += 1
            if door.kind is None and now - door.opened_at > HELLO_MOST:
                door.shut(_NO_HELLO)
            elif door.silent > SILENT_MOST:
                door.shut(refuse(Code.UNKNOWN_DEVICE, None, "Nothing was heard for too long."), WSCloseCode.GOING_AWAY)
            elif door.behind_since is not None and now - door.behind_since > BEHIND_MOST:
                door.shut(refuse(Code.TOO_FAST, None, "It does not read what it is sent."))
        self.signing.sweep()
        self.links.look_around()
        self._next_round()

    # What is heard.

    def heard(self, door: Door, message: Incoming) -> None:
        if type(message) is Ask and door.kind is DeviceKind.TERMINAL and door.device:
            # The way of nearly everything that comes.
            self._submit(door, message, message.command, PersonId(""))
            return
        if isinstance(message, incoming.Ping):
            door.send(outgoing.Pong(c=message.c, now_us=self.time.now()))
        elif isinstance(message, incoming.Hello):
            self.lobby.hello(door, message)
            self._linked(door)
        elif not door.device:
            door.shut(_NO_HELLO)
        else:
            self._admitted(door, message)

    def too_fast(self, door: Door, message: Incoming, refusal: Refusal) -> None:
        if isinstance(message, Keyed) and door.device:
            self.hub.refuse(door, message.id, refusal)
        else:
            door.send(outgoing.Refused(refusal=outgoing.no(refusal)))

    def _admitted(self, door: Door, message: Incoming) -> None:
        """Hear a device that is known."""
        if isinstance(message, Keyed):
            self._wish(door, message)
        elif isinstance(message, incoming.Resync):
            self.caught_up(door)
        elif door.kind in (DeviceKind.TERMINAL, DeviceKind.BOARD):
            self._practise(door, message)
        else:
            self._sign(door, message)

    def _practise(self, door: Door, message: Incoming) -> None:
        """Hand out play money; nobody signs in at a terminal or a board."""
        wanted = isinstance(message, incoming.Practice)
        command = self.counter.practice(door.device) if wanted else refuse(Code.NOT_AUTHORISED, None, "Not here.")
        refusal = command if isinstance(command, Refusal) else self.conductor.submit(Asked(command))
        if refusal is not None:
            door.send(outgoing.Refused(refusal=outgoing.no(refusal)))

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
            case _:
                door.send(outgoing.Refused(refusal=outgoing.no(refuse(Code.NOT_AUTHORISED, None, "Not here."))))

    def _wish(self, door: Door, message: Keyed) -> None:
        """Have something done for a device, in the name of whoever is signed in there."""
        command = self._command(door, message)
        who = command if isinstance(command, Refusal) else self._person(door, command)
        if isinstance(command, Refusal) or isinstance(who, Refusal):
            refusal = command if isinstance(command, Refusal) else who
            assert isinstance(refusal, Refusal)
            self.hub.refuse(door, message.id, refusal)
        else:
            self._submit(door, message, command, who)

    def _command(self, door: Door, message: Keyed) -> AnyCommand | Refusal:
        """Put a wish as the house has it; what is done at a slot comes from a terminal, and what at a desk from one."""
        if isinstance(message, Ask):
            return message.command
        here = DeviceKind.CASHIER if isinstance(message, incoming.Redeem) else DeviceKind.TERMINAL
        if door.kind is not here:
            return refuse(Code.NOT_AUTHORISED, None, "That is not done at this door.")
        assert isinstance(message, incoming.Note | incoming.TicketIn | incoming.CashOut | incoming.Redeem)
        return self.counter.command(door.device, message)

    def _person(self, door: Door, command: AnyCommand) -> PersonId | Refusal:
        """Tell in whose name a command is asked: nobody's at a terminal; a board asks for nothing."""
        if door.kind is DeviceKind.TERMINAL:
            return PersonId("")
        return self.signing.who(door, stepped_up=type(command) in _STEPPED_UP)

    def _submit(self, door: Door, message: Keyed, command: AnyCommand, person: PersonId) -> None:
        asked = Asked(command, door.device, person, Key(message.epoch, message.id))
        refusal = self.conductor.submit(asked)
        if refusal is not None:
            self.hub.refuse(door, message.id, refusal)
