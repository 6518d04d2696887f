"""Redaction: a number that a random wheel has drawn is not disclosed before it is declared."""

from collections.abc import Mapping
from typing import Final

from croupier.house import House
from croupier.house.floor.incidents import IncidentKind, IncidentRaised
from croupier.house.ids import Instant, TableId
from croupier.house.rounds.results import BallRested, ReportIgnored
from croupier.house.settings import WheelKind
from croupier.house.state.tables import Round
from croupier.journal.entry import Entry
from croupier.rules.refusal import Code, Refused

#: Incidents about a number that a wheel reports: their text may name it.
_OF_NUMBERS: Final = (IncidentKind.NUMBER_DIFFERS, IncidentKind.RESULT_BEFORE_SEAL)
#: When each wheel last reported a number, in what was read.
Reports = Mapping[TableId, Instant]


def note_report(reports: dict[TableId, Instant], entry: Entry) -> None:
    """Note when an entry names a number that the wheel of a table has reported."""
    match entry.event:
        case BallRested(table=table) | ReportIgnored(table=table):
            reports[table] = entry.context.now
        case IncidentRaised(kind=kind, subject=subject) if kind in _OF_NUMBERS:
            reports[TableId(subject)] = entry.context.now
        case _:
            pass


def undeclared_draw(house: House, table: TableId) -> Round | None:
    """Return the round of a table whose number is drawn and not declared yet; None when there is none."""
    settings, round_ = house.tables[table].settings, house.tables[table].round
    if settings.wheel is not WheelKind.RANDOM or round_ is None or round_.over:
        return None
    return round_ if round_.spin.reported is not None and round_.pocket is None else None


def require_declared(house: House, reports: Reports) -> None:
    """Refuse what contains a number that was drawn and is not declared yet."""
    for table, at in sorted(reports.items()):
        round_ = undeclared_draw(house, table)
        if round_ is not None and at >= (round_.spin.rested_at or 0):
            raise not_declared(table, round_)


def not_declared(table: TableId, round_: Round) -> Refused:
    number = round_.number
    message = f"At {table} a number is drawn that does not count yet: try again once round {number} is over."
    return Refused(Code.OUT_OF_TURN, None, message, table=table, round=number)
