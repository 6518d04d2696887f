"""Ids, device kinds and the context of a command."""

from enum import StrEnum
from typing import Annotated, Final, NewType, TypeVar

import msgspec


class DeviceKind(StrEnum):
    """What a device is there for."""

    TERMINAL = "terminal"
    DEALER = "dealer"
    PIT = "pit"
    CASHIER = "cashier"
    BOARD = "board"
    AUDITOR = "auditor"


TableId = NewType("TableId", str)
TerminalId = NewType("TerminalId", str)
PersonId = NewType("PersonId", str)
#: A terminal's or a wheel's own device has the terminal's or the table's name.
DeviceId = NewType("DeviceId", str)
DrawerId = NewType("DrawerId", str)
#: Rounds are counted per table, from 1.
RoundNumber = NewType("RoundNumber", int)
#: Tickets, holds, cases, incidents, proposals and disputes are counted through the house, from 1.
Number = NewType("Number", int)
#: Microseconds since the epoch, never backwards.
Instant = NewType("Instant", int)
#: A gaming day written as a number: 20261115.
Day = NewType("Day", int)

SECOND = 1_000_000

#: Notes that a part of the state follows from the rest: `restore` works it out, and no snapshot stores it.
DERIVED: Final = "derived"
_Part = TypeVar("_Part")
Derived = Annotated[_Part, DERIVED]
#: Notes that a container is only ever replaced as a whole, never changed: a copy of the state may share it.
FIXED: Final = "fixed"
Fixed = Annotated[_Part, FIXED]


#: The house's own device: timers, the gateway that watches links, and the configuration at start.
SYSTEM = DeviceId("system")


class Context(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """What is written on every entry beside the event itself."""

    now: Instant
    device: DeviceId
    #: Who signed; empty for players and machines.
    person: PersonId = PersonId("")
