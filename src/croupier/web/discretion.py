"""Discretion: what a random wheel drew is told to nobody before it counts."""

from collections.abc import Mapping
from typing import Final

from croupier.house.answer import refuse
from croupier.house.command.record import IncidentKind
from croupier.house.event.record import IncidentRaised
from croupier.house.event.round import BallRested, ReportIgnored
from croupier.house.name import Instant, TableId
from croupier.house.settings import WheelKind
from croupier.house.state import House
from croupier.house.table import Round
from croupier.journal.entry import Entry
from croupier.rules.refusal import Code, Refusal

#: What is raised about a number that a wheel reports: its words may name it.
_OF_NUMBERS: Final = (IncidentKind.NUMBER_DIFFERS, IncidentKind.RESULT_BEFORE_SEAL)
#: When each wheel last reported, as far as was read.
Reports = Mapping[TableId, Instant]


def withheld(house: House, table: TableId) -> Round | None:
    """Find the round of a table whose number is drawn and does not count yet."""
    settings, round_ = house.tables[table].settings, house.tables[table].round
    if settings.wheel is not WheelKind.RANDOM or round_ is None or round_.over:
        return None
    return round_ if round_.reported is not None and round_.pocket is None else None


def reported(entry: Entry) -> dict[TableId, Instant]:
    """Tell whose number an entry names, and when; nothing where it names none that was only reported."""
    match entry.event:
        case BallRested(table=table) | ReportIgnored(table=table):
            return {table: entry.stamp.now}
        case IncidentRaised(kind=kind, subject=subject) if kind in _OF_NUMBERS:
            return {TableId(subject): entry.stamp.now}
        case _:
            return {}


def not_yet(house: House, reports: Reports) -> Refusal | None:
    """Say that something cannot be handed out, since a number is in it that was drawn and does not count yet."""
    for table, at in sorted(reports.items()):
        round_ = withheld(house, table)
        if round_ is not None and at >= (round_.rested_at or 0):
            return not_counting(table, round_)
    return None


def not_counting(table: TableId, round_: Round) -> Refusal:
    """Say that a number is drawn that does not count yet."""
    number = round_.number
    says = f"At {table} a number is drawn that does not count yet: try again once round {number} is over."
    return refuse(Code.OUT_OF_TURN, None, says, table=table, round=number)
