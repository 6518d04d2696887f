"""Names: what tables, terminals, people and devices go by, and how many of a thing there have been."""

from typing import NewType

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
