"""Base classes of commands and events."""

import re
from enum import StrEnum
from typing import Annotated, Final

import msgspec

from croupier.house.ids import RoundNumber, TableId, TerminalId
from croupier.rules.money import Cents
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
    """The three fields of a round as one word, for the table of who may do what when."""

    BETWEEN = "between"
    OPEN = "open"
    OPEN_RUNNING = "open_running"
    LAST_CALL = "last_call"
    CLOSED = "closed"
    RUNNING = "running"
    AT_REST = "at_rest"
    NO_SPIN = "no_spin"
    SUSPENDED = "suspended"


WRITABLE: Final = msgspec.Meta(ge=-(2**53) + 1, le=2**53 - 1)
#: Whole numbers that a terminal may name: what every journal and browser can write down exactly.
Count = Annotated[int, WRITABLE]
Amount = Annotated[Cents, WRITABLE]


class Command(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False, tag=True):
    """Somebody asks the house to do something."""


class TableCommand(Command, frozen=True):
    """A command about one table's round."""

    table: TableId


class SpinCommand(TableCommand, frozen=True, kw_only=True):
    """A step of one round; where it names the round and spin it was meant for, it is good for no other."""

    round: RoundNumber | None = None
    spin: int | None = None


class TerminalCommand(Command, frozen=True):
    """A command about one terminal."""

    terminal: TerminalId


class GameCommand(TerminalCommand, frozen=True):
    """A player's command about the chips of one game; it names the round and spin it was meant for."""

    table: TableId
    round: Annotated[RoundNumber, WRITABLE]
    spin: Count


def _versioned(name: str) -> str:
    """Tag an event by its name and first version; a later version of one names its own tag."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower() + ".1"


class Event(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False, tag=_versioned):
    """Something that has happened."""


class TableEvent(Event, frozen=True):
    """An event of one table."""

    table: TableId


class RoundEvent(TableEvent, frozen=True):
    """An event of one round."""

    round: RoundNumber


class TerminalEvent(Event, frozen=True):
    """An event of one terminal."""

    terminal: TerminalId


Events = tuple[Event, ...]
Decision = Events | Refusal
