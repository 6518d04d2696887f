"""Names: what tables, terminals, people and devices go by, and how many of a thing there have been."""

from typing import Annotated, Final, NewType, TypeVar

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
