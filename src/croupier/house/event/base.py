"""The form of an event: a frozen value that tells, with a tag that carries its version."""

import re

import msgspec

from croupier.house.name import RoundNumber, TableId, TerminalId


def _versioned(name: str) -> str:
    """Tag an event by its name and first version; a later version of one names its own tag."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower() + ".1"


class Event(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False, tag=_versioned):
    """Something that has happened."""


class AtTable(Event, frozen=True):
    """An event of one table."""

    table: TableId


class AtRound(AtTable, frozen=True):
    """An event of one round."""

    round: RoundNumber


class AtTerminal(Event, frozen=True):
    """An event of one terminal."""

    terminal: TerminalId
