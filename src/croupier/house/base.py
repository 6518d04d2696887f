"""Base classes of commands and events, and the decorators that declare them."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Final, TypeVar, Union

import msgspec

from croupier.house.ids import Number, PositionId, RoundNumber, TableId, TerminalId
from croupier.rules.money import Cents
from croupier.rules.procedure import Duty
from croupier.rules.refusal import Refusal


class BettingState(StrEnum):
    """Whether bets may be placed."""

    OPEN = "open"
    LAST_CALL = "last_call"
    CLOSED = "closed"


class BallState(StrEnum):
    """The state of the ball."""

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
    #: The number counts, terminals are settled, and the dealer collects and pays chips.
    PAYING = "paying"


class StepName(StrEnum):
    """A step of a round, or a condition that must be met before the next."""

    OPEN = "open"
    WARN = "warn"
    CLOSE = "close"
    SPIN = "spin"
    NUMBER = "number"
    CONFIRM = "confirm"
    SETTLE = "settle"
    #: A condition that blocks the next steps.
    NO_SPIN = "no_spin"
    RESET = "reset"
    ATTEST = "attest"
    DECIDE = "decide"


ANY_PHASE: Final = frozenset(Phase)
BETTING_PHASES: Final = frozenset({Phase.OPEN, Phase.OPEN_RUNNING, Phase.LAST_CALL})
SEALED_PHASES: Final = frozenset({Phase.CLOSED, Phase.RUNNING, Phase.AT_REST})
#: A round runs and its number does not count yet.
ROUND_PHASES: Final = ANY_PHASE - {Phase.BETWEEN, Phase.PAYING}


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


class TableCommand(Command, frozen=True):
    """A command about one table's round."""

    table: TableId


class SpinCommand(TableCommand, frozen=True, kw_only=True):
    """A step of one round; if it names a round and spin, it is refused in any other."""

    round: RoundNumber | None = None
    spin: int | None = None


class PlayerCommand(TableCommand, frozen=True):
    """A command about one player with chips at a live table."""

    position: PositionId


class ChipCommand(PlayerCommand, frozen=True, kw_only=True):
    """A change of a player's chips on the layout; if it names a round and spin, it is refused in any other."""

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
    """A player's command about the chips of one game; it names the round and spin it is for."""

    table: TableId
    round: Annotated[RoundNumber, WRITABLE]
    spin: Count


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


#: Every declared command, registered when the package `commands` imports its modules.
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
    declaration = CommandDeclaration(Permission(machines, duties, frozenset(when)), signatures, messages, by_driver)

    def declare(kind: _CommandKind) -> _CommandKind:
        COMMANDS[kind] = declaration
        return kind

    return declare


def _versioned(name: str) -> str:
    """Tag an event by its name and version 1; a later version declares its own tag."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower() + ".1"


class Event(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False, tag=_versioned):
    """A state change that has happened."""


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
    """The declaration of an event: unions, the journal's sentences and its filters are derived from it."""

    #: The sentence shown to readers of the journal, with the event's fields in braces. It contains no patron, no digest
    #: and no printed number.
    sentence: str
    topics: frozenset[EventTopic]


#: Every declared event, registered when the package `events` imports its modules.
EVENTS: Final[dict[type[Event], EventDeclaration]] = {}
_EventKind = TypeVar("_EventKind", bound=type[Event])


def event(sentence: str, *topics: EventTopic) -> Callable[[_EventKind], _EventKind]:
    """Declare an event: its sentence in the journal, and the topics it is filtered by."""
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


class PlayerEvent(TableEvent, frozen=True):
    """An event of one player with chips at a live table."""

    position: PositionId


class PositionEvent(Event, frozen=True):
    """An event of one betting position."""

    position: PositionId


class TerminalEvent(Event, frozen=True):
    """An event of one terminal."""

    terminal: TerminalId


def union(kinds: Iterable[type]) -> object:
    """Build the union of some classes: a decoder needs its members; a type checker uses the base class."""
    return Union[tuple(kinds)]  # noqa: UP007 - there is no other way to write a union that is not known in advance


Events = tuple[Event, ...]
Decision = Events | Refusal
