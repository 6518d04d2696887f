"""Ids, device kinds and the context of a command."""

from __future__ import annotations

from enum import StrEnum
from typing import NewType

import msgspec


class DeviceKind(StrEnum):
    """What a device is there for."""

    TERMINAL = "terminal"
    DEALER = "dealer"
    PIT = "pit"
    CASHIER = "cashier"
    BOARD = "board"
    AUDITOR = "auditor"
    #: The console of one live table.
    LIVE_TABLE = "live_table"
    #: The display of the notice at a table.
    NOTICE = "notice"


TableId = NewType("TableId", str)
TerminalId = NewType("TerminalId", str)
PersonId = NewType("PersonId", str)
#: The device of a terminal or a wheel has the name of the terminal or the table.
DeviceId = NewType("DeviceId", str)
DrawerId = NewType("DrawerId", str)
#: Betting positions are numbered across the house, from 1; no number is used again.
PositionId = NewType("PositionId", int)
#: Rounds are numbered per table, from 1.
RoundNumber = NewType("RoundNumber", int)
#: Tickets, holds, cases, incidents, proposals and disputes are numbered across the house, from 1.
Number = NewType("Number", int)
#: Microseconds since the epoch; monotonic.
Instant = NewType("Instant", int)
#: A gaming day as a number: 20261115.
Day = NewType("Day", int)
SECOND = 1_000_000


#: The house's own device: timers, the connection monitor, and the configuration at start.
SYSTEM = DeviceId("system")


class Context(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """Who, where and when: recorded in every entry beside the event."""

    now: Instant
    device: DeviceId
    #: The person who signed; empty for players and machines.
    person: PersonId = PersonId("")
