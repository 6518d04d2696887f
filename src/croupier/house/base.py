"""Base classes of commands and events, and the decorators that declare them."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Final, TypeVar, Union

import msgspec

from croupier.house.ids import Number, RoundNumber, TableId, TerminalId
from croupier.rules.money import Cents
from croupier.rules.procedure import Duty
from croupier.rules.refusal import Refusal


class BettingState(StrEnum):
    """Whether bets may be placed."""

    OPEN = "open"
    LAST_CALL = "last_call"
    CLOSED = "closed"


class BallState(StrEnum):
    """What the ball does."""

    IDLE = "idle"
    SPINNING = "spinning"
    AT_REST = "at_rest"


class RoundStatus(StrEnum):
    """What becomes of the round."""

    ACTIVE = "active"
    SUSPENDED = "suspended"
    SETTLED = "settled"
    VOID = "void"


class Phase(StrEnum):
    """The three fields of a round as one value, by which permissions are declared."""

    BETWEEN = "between"
    OPEN = "open"
    OPEN_RUNNING = "open_running"
    LAST_CALL = "last_call"
    CLOSED = "closed"
    RUNNING = "running"
    AT_REST = "at_rest"
    NO_SPIN = "no_spin"
    SUSPENDED = "suspended"


ANY_PHASE: Final = frozenset(Phase)
BETTING_PHASES: Final = frozenset({Phase.OPEN, Phase.OPEN_RUNNING, Phase.LAST_CALL})
SEALED_PHASES: Final = frozenset({Phase.CLOSED, Phase.RUNNING, Phase.AT_REST})
ROUND_PHASES: Final = ANY_PHASE - {Phase.BETWEEN}


class MachineRole(StrEnum):
    """A sender that acts without a person's signature."""

    #: A terminal, on its own behalf.
    TERMINAL = "terminal"
    #: A table's wheel.
    WHEEL = "wheel"
    #: The house's own clock, connection watch and configuration.
    SYSTEM = "system"


WRITABLE: Final = msgspec.Meta(ge=-(2**53) + 1, le=2**53 - 1)
#: Whole numbers that a terminal may name: what every journal and browser can write down exactly.
Count = Annotated[int, WRITABLE]
Amount = Annotated[Cents, WRITABLE]


class Command(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False, tag=True):
    """A request to the house. Its tag, the class name unless it names another, is its `type` on the wire."""


class TableCommand(Command, frozen=True):
    """A command about one table's round."""

    table: TableId


class SpinCommand(TableCommand, frozen=True, kw_only=True):
    """A step of one round; where it names a round and spin, it is refused in every other."""

    round: RoundNumber | None = None
    spin: int | None = None


class TerminalCommand(Command, frozen=True):
    """A command about one terminal."""

    terminal: TerminalId


class TicketCommand(Command, frozen=True):
    """A command about one slip or ticket; the rules of its terminal apply."""

    sequence: Number


class CaseCommand(Command, frozen=True):
    """A command about one malfunction case; the rules of its terminal apply."""

    case: Number


class DisputeCommand(Command, frozen=True):
    """A command about one dispute; the rules of its table apply."""

    dispute: Number


class GameCommand(TerminalCommand, frozen=True):
    """A player's command about the chips of one game; it names the round and spin it was meant for."""

    table: TableId
    round: Annotated[RoundNumber, WRITABLE]
    spin: Count


@dataclass(frozen=True, slots=True)
class Permission:
    """Who may send a command, and when: machines, or staff with one of the duties."""

    machines: frozenset[MachineRole]
    #: In the order in which a refusal names them, the usual one first.
    duties: tuple[Duty, ...]
    phases: frozenset[Phase]


@dataclass(frozen=True, slots=True)
class CommandDeclaration:
    """What is fixed about a command: unions, permission table, wire and docs derive from it."""

    permission: Permission
    #: How many people on different devices must sign: 1 or 2.
    signatures: int
    #: Tags of the wire messages that carry it, where it may not be sent as it is.
    messages: tuple[str, ...]

    @property
    def from_terminal(self) -> bool:
        """Tell whether a player's terminal sends it as it is."""
        return MachineRole.TERMINAL in self.permission.machines and not self.messages

    @property
    def from_staff(self) -> bool:
        """Tell whether a console sends it as it is."""
        return bool(self.permission.duties) and not self.messages


#: Every declared command. The package `commands` imports all of its modules, and so fills it.
COMMANDS: Final[dict[type[Command], CommandDeclaration]] = {}
_CommandKind = TypeVar("_CommandKind", bound=type[Command])


def command(
    *senders: MachineRole | Duty,
    when: Iterable[Phase] = ANY_PHASE,
    signatures: int = 1,
    messages: tuple[str, ...] = (),
) -> Callable[[_CommandKind], _CommandKind]:
    """Declare a command: who may send it, in which phases of the round, and how many must sign it."""
    machines = frozenset(each for each in senders if isinstance(each, MachineRole))
    duties = tuple(each for each in senders if isinstance(each, Duty))
    declaration = CommandDeclaration(Permission(machines, duties, frozenset(when)), signatures, messages)

    def declare(kind: _CommandKind) -> _CommandKind:
        COMMANDS[kind] = declaration
        return kind

    return declare


def _versioned(name: str) -> str:
    """Tag an event by its name and first version; a later version of one names its own tag."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower() + ".1"


class Event(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False, tag=_versioned):
    """Something that has happened."""


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
    """What is fixed about an event: unions, the journal's sentences and its filters derive from it."""

    #: The sentence that readers of the journal see, with the event's fields in braces. It names no patron, no digest
    #: and no number printed on paper.
    sentence: str
    topics: frozenset[EventTopic]


#: Every declared event. The package `events` imports all of its modules, and so fills it.
EVENTS: Final[dict[type[Event], EventDeclaration]] = {}
_EventKind = TypeVar("_EventKind", bound=type[Event])


def event(sentence: str, *topics: EventTopic) -> Callable[[_EventKind], _EventKind]:
    """Declare an event: its sentence in the journal, and the topics under which it is found."""
    declaration = EventDeclaration(sentence, frozenset(topics))

    def declare(kind: _EventKind) -> _EventKind:
        EVENTS[kind] = declaration
        return kind

    return declare


class TableEvent(Event, frozen=True):
    """An event of one table."""

    table: TableId


class RoundEvent(TableEvent, frozen=True):
    """An event of one round."""

    round: RoundNumber


class TerminalEvent(Event, frozen=True):
    """An event of one terminal."""

    terminal: TerminalId


def union(kinds: Iterable[type]) -> object:
    """Give the union of some kinds: a decoder needs its members, where a type checker has the base class."""
    return Union[tuple(kinds)]  # noqa: UP007 - there is no other way to write a union that is not known in advance


Events = tuple[Event, ...]
Decision = Events | Refusal
