"""The form of a command: a frozen value with a tag, that asks."""

from typing import Annotated, Final

import msgspec

from croupier.house.name import RoundNumber, TableId, TerminalId
from croupier.rules.money import Cents

WRITABLE: Final = msgspec.Meta(ge=-(2**53) + 1, le=2**53 - 1)
#: Whole numbers that a terminal may name: what every journal and browser can write down exactly.
Count = Annotated[int, WRITABLE]
Amount = Annotated[Cents, WRITABLE]


class Command(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False, tag=True):
    """Somebody asks the house to do something."""


class AtTable(Command, frozen=True):
    """A command about one table's round."""

    table: TableId


class AtStep(AtTable, frozen=True, kw_only=True):
    """A step of one round; where it names the round and spin it was meant for, it is good for no other."""

    round: RoundNumber | None = None
    spin: int | None = None


class AtTerminal(Command, frozen=True):
    """A command about one terminal."""

    terminal: TerminalId


class AtGame(AtTerminal, frozen=True):
    """A player's command about the chips of one game; it names the round and spin it was meant for."""

    table: TableId
    round: Annotated[RoundNumber, WRITABLE]
    spin: Count
