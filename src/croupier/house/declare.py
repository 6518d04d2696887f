"""Commands and events: their base classes, and the decorators that declare, decide and apply them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, TypeVar, Union

import msgspec

from croupier.house.ids import Context, Number, PositionId, RoundNumber, TableId, TerminalId
from croupier.house.state.tables import ANY_PHASE, Phase, Table
from croupier.house.state.timer_heap import TimerKind
from croupier.rules.money import Cents
from croupier.rules.procedure import Duty
from croupier.rules.refusal import CitedTopic, Refusal, Refused
from croupier.rules.rulebook import Stakes

if TYPE_CHECKING:
    from croupier.house import House


class MachineRole(StrEnum):
    """A sender that acts without a person's signature."""

    #: A terminal, for its player.
    TERMINAL = "terminal"
    #: A table's wheel.
    WHEEL = "wheel"
    #: The house's own clock, connection monitor and configuration.
    SYSTEM = "system"


WRITABLE: Final = msgspec.Meta(ge=-(2**53) + 1, le=2**53 - 1)
#: The integers that a terminal may send: every journal and browser represents them exactly.
Count = Annotated[int, WRITABLE]
Amount = Annotated[Cents, WRITABLE]


class Command(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False, tag=True):
    """A request to the house. Its tag is its `type` on the wire: the class name, unless the class declares another."""

    #: What the sender cannot do out of turn, if the name of the class is no phrase.
    step: ClassVar[str] = ""
    #: It is the first command of all.
    creates_house: ClassVar[bool] = False

    def table_in(self, _house: House) -> Table | None:
        """Find the table whose rules apply; None if the command is about the whole house, or about nothing known."""
        return None

    def cited_topic(self, _table: Table) -> CitedTopic:
        """Name what a refusal at a live table cites if the command comes out of turn."""
        return CitedTopic.ROUND

    def one_signature_suffices(self, _house: House) -> bool:
        """Check whether one person may sign it alone here, though it is declared with two signatures."""
        return False

    def require_signers(self, _house: House, *_signed: Context) -> None:
        """Refuse people who may send it and may not sign it together: the first signer alone, or both."""

    def as_proposed(self, _house: House) -> Command:
        """Return what the second person signs: the command, with what the first signature fixes."""
        return self


class TableCommand(Command, frozen=True):
    """A command about one table's round."""

    #: It adds the table, which is therefore not known yet.
    adds: ClassVar[bool] = False
    table: TableId

    def table_in(self, house: House) -> Table | None:
        return house.tables.get(self.table)

    def is_for(self, _table: Table) -> bool:
        """Check whether it is meant for the current spin; a command that names no spin is."""
        return True


class SpinCommand(TableCommand, frozen=True, kw_only=True):
    """A step of one round; if it names a round and spin, it is refused in any other."""

    round: RoundNumber | None = None
    spin: int | None = None

    def is_for(self, table: Table) -> bool:
        return table.is_current(self.round, self.spin)


class PaymentCommand(TableCommand, frozen=True):
    """A step of collecting and paying chips: none is possible before the number is announced."""

    round: RoundNumber

    def cited_topic(self, table: Table) -> CitedTopic:
        return CitedTopic.DOLLY if table.is_unannounced(self.round) else CitedTopic.ROUND


class PlayerCommand(TableCommand, frozen=True):
    """A command about one player with chips at a live table."""

    position: PositionId


class ChipCommand(PlayerCommand, frozen=True, kw_only=True):
    """A change of a player's chips on the layout; if it names a round and spin, it is refused in any other."""

    #: It only takes chips off the layout.
    withdraws: ClassVar[bool] = False
    round: RoundNumber | None = None
    spin: int | None = None

    def is_for(self, table: Table) -> bool:
        return table.is_current(self.round, self.spin)

    def cited_topic(self, _table: Table) -> CitedTopic:
        return CitedTopic.LATE_BET


class TerminalCommand(Command, frozen=True):
    """A command about one terminal."""

    #: It adds the terminal, which is therefore not known yet.
    adds: ClassVar[bool] = False
    terminal: TerminalId

    def table_in(self, house: House) -> Table | None:
        return first_table(house, self.terminal)


def first_table(house: House, name: TerminalId) -> Table | None:
    """Find a terminal's first table, whose rulebook all its games share."""
    terminal = house.terminals.get(name)
    return None if terminal is None else house.tables[terminal.first_table]


class GameCommand(TerminalCommand, frozen=True):
    """A player's command about the chips of one game; it names the round and spin it is for."""

    #: It only takes chips back, which a held win, a closed terminal and a break allow.
    takes_back: ClassVar[bool] = False
    table: TableId
    round: Annotated[RoundNumber, WRITABLE]
    spin: Count

    def removes(self, _bets: Stakes) -> bool:
        """Check whether it would take chips back, which may have a clause of its own after the close."""
        return self.takes_back


@dataclass(frozen=True, slots=True)
class Permission:
    """Who may send a command, and when: machines, or staff with one of the duties."""

    machines: frozenset[MachineRole]
    #: In the order in which a refusal lists them, the most common first.
    duties: tuple[Duty, ...]
    phases: frozenset[Phase]


@dataclass(frozen=True, slots=True)
class CommandDeclaration:
    """The declaration of a command: unions, permission table, wire and docs are derived from it."""

    permission: Permission
    #: The number of people who must sign on different devices: 1 or 2.
    signatures: int
    #: Tags of the wire messages that carry it, if it is not sent directly.
    messages: tuple[str, ...]
    #: Whether it is a `GameCommand`, as nearly all are. A slot here is read faster than an attribute of the class.
    of_game: bool
    #: Whether the driver of a device in the terminal reports it: no page sends it.
    by_driver: bool = False

    @property
    def from_terminal(self) -> bool:
        """Check whether a player's terminal sends it directly."""
        return MachineRole.TERMINAL in self.permission.machines and not (self.messages or self.by_driver)

    @property
    def from_staff(self) -> bool:
        """Check whether a console sends it directly."""
        return bool(self.permission.duties) and not self.messages


#: Every declared command, registered when the package imports its subjects.
COMMANDS: Final[dict[type[Command], CommandDeclaration]] = {}
_CommandKind = TypeVar("_CommandKind", bound=type[Command])


def command(
    *senders: MachineRole | Duty,
    when: Iterable[Phase] = ANY_PHASE,
    signatures: int = 1,
    messages: tuple[str, ...] = (),
    by_driver: bool = False,
) -> Callable[[_CommandKind], _CommandKind]:
    """Declare a command: its permitted senders, the phases of the round, and the number of signatures."""
    machines = frozenset(each for each in senders if isinstance(each, MachineRole))
    duties = tuple(each for each in senders if isinstance(each, Duty))
    permission = Permission(machines, duties, frozenset(when))

    def declare(kind: _CommandKind) -> _CommandKind:
        of_game = issubclass(kind, GameCommand)
        COMMANDS[kind] = CommandDeclaration(permission, signatures, messages, of_game, by_driver)
        return kind

    return declare


def _versioned(name: str) -> str:
    """Tag an event by its name and version 1; a later version declares its own tag."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower() + ".1"


class Part(StrEnum):
    """A part of the state that an event changes: what shows the part is published again.

    The house's own records (ledger, tickets, cases, staff) are no part: any event may change them, and staff are sent
    those with every event.
    """

    #: The table: its round, service and equipment; and, at a live table, its players and their chips.
    TABLE = "table"
    #: Only the players of the table and their chips, which its consoles alone show.
    CHIPS = "chips"
    #: The rules or limits of the table, now or from its next round.
    TERMS = "terms"
    #: Every terminal at the table: its chips, credit or limits.
    TERMINALS = "terminals"
    #: The terminal, with its chips, credit and messages.
    TERMINAL = "terminal"
    #: Only whether the terminal is in service.
    SERVICE = "service"
    #: Only the terminal's link, which staff see and its player does not.
    LINK = "link"
    #: Whether a round may open, at any table.
    EVERY_TABLE = "every_table"


class Event(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False, tag=_versioned):
    """A state change that has happened."""

    #: What it touches, unless its declaration says otherwise.
    parts: ClassVar[tuple[Part, ...]] = ()

    def tables_in(self, _house: House) -> Iterable[TableId]:
        """Find the tables that it touches."""
        return ()

    def terminals_in(self, _house: House) -> Iterable[TerminalId]:
        """Find the terminals that it touches by themselves, not as all those at its table."""
        return ()


class EventTopic(StrEnum):
    """What entries of the journal are about."""

    MONEY = "money"
    ROUND = "round"
    BETS = "bets"
    STAFF = "staff"
    INCIDENT = "incident"
    #: What a regulator reads first: faults, overrides, corrections, and changes of the system itself.
    SIGNIFICANT = "significant"


@dataclass(frozen=True, slots=True)
class EventDeclaration:
    """The declaration of an event, from which unions, the journal's sentences and filters, timers and views derive."""

    #: The sentence shown to readers of the journal, with the event's fields in braces. It contains no patron, no digest
    #: and no printed number.
    sentence: str
    topics: frozenset[EventTopic]
    touches: frozenset[Part]
    #: The timers that are computed again after it: those of the tables and terminals that it touches.
    reschedules: tuple[TimerKind, ...]


#: Every declared event, registered when the package imports its subjects.
EVENTS: Final[dict[type[Event], EventDeclaration]] = {}
_EventKind = TypeVar("_EventKind", bound=type[Event])


#: An event that touches one of these reschedules the next step of the table.
_STEPPED: Final = frozenset({Part.TABLE, Part.CHIPS, Part.EVERY_TABLE})


def event(
    sentence: str,
    *topics: EventTopic,
    touches: tuple[Part, ...] | None = None,
    reschedules: tuple[TimerKind, ...] = (),
) -> Callable[[_EventKind], _EventKind]:
    """Declare an event: its sentence in the journal, the topics it is filtered by, what it touches, and its timers.

    Without `touches` it touches what its base class says. The next step of a table that it touches is always
    rescheduled; `reschedules` adds other timers.
    """

    def declare(kind: _EventKind) -> _EventKind:
        parts = frozenset(kind.parts if touches is None else touches)
        timers = reschedules if parts.isdisjoint(_STEPPED) else (TimerKind.TABLE, *reschedules)
        EVENTS[kind] = EventDeclaration(sentence, frozenset(topics), parts, timers)
        return kind

    return declare


class TableEvent(Event, frozen=True):
    """An event of one table."""

    parts: ClassVar[tuple[Part, ...]] = (Part.TABLE,)
    table: TableId

    def tables_in(self, _house: House) -> Iterable[TableId]:
        return (self.table,)


class RoundEvent(TableEvent, frozen=True):
    """An event of one round."""

    round: RoundNumber


class PlayerEvent(TableEvent, frozen=True):
    """An event of one player with chips at a live table."""

    parts: ClassVar[tuple[Part, ...]] = (Part.CHIPS,)
    position: PositionId


class PositionEvent(Event, frozen=True):
    """An event of one betting position of a terminal."""

    parts: ClassVar[tuple[Part, ...]] = (Part.TERMINAL,)
    position: PositionId

    def terminals_in(self, house: House) -> Iterable[TerminalId]:
        return (house.positions[self.position].terminal,)


class TerminalEvent(Event, frozen=True):
    """An event of one terminal."""

    parts: ClassVar[tuple[Part, ...]] = (Part.TERMINAL,)
    terminal: TerminalId

    def terminals_in(self, _house: House) -> Iterable[TerminalId]:
        return (self.terminal,)


class CaseEvent(Event, frozen=True):
    """An event of one malfunction case, whose terminal it touches."""

    parts: ClassVar[tuple[Part, ...]] = (Part.TERMINAL,)
    case: Number

    def terminals_in(self, house: House) -> Iterable[TerminalId]:
        return (house.cases.all[self.case].terminal,) if self.case in house.cases.all else ()


def union(kinds: Iterable[type]) -> object:
    """Build the union of some classes: a decoder needs its members; a type checker uses the base class."""
    return Union[tuple(kinds)]  # noqa: UP007 - there is no other way to write a union that is not known in advance


Events = tuple[Event, ...]
Decision = Events | Refusal
#: Decides one type of command, or applies one type of event.
Decider = Callable[["House", Any, Context], Decision]
Evolver = Callable[["House", Any, Context], None]
DECIDERS: Final[dict[type[Command], Decider]] = {}
EVOLVERS: Final[dict[type[Event], Evolver]] = {}
_DeciderFunction = TypeVar("_DeciderFunction", bound=Decider)
_EvolverFunction = TypeVar("_EvolverFunction", bound=Evolver)


def decides(kind: type[Command]) -> Callable[[_DeciderFunction], _DeciderFunction]:
    """Register the function that decides a type of command."""

    def add(function: _DeciderFunction) -> _DeciderFunction:
        DECIDERS[kind] = function
        return function

    return add


def decide_permitted(house: House, command: Command, context: Context) -> Decision:
    """Decide a command whose sender may send it; a refusal that is raised inside becomes the decision."""
    try:
        return DECIDERS[type(command)](house, command, context)
    except Refused as refused:
        return refused.refusal


def evolves(*kinds: type[Event]) -> Callable[[_EvolverFunction], _EvolverFunction]:
    """Register the function that applies some types of events."""

    def add(function: _EvolverFunction) -> _EvolverFunction:
        for kind in kinds:
            EVOLVERS[kind] = function
        return function

    return add
