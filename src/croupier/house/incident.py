"""Incidents: what staff are told of, until somebody has seen to it."""

from croupier.house.answer import Deciders, Decision, Evolvers, refuse
from croupier.house.command.record import ClearIncident, IncidentKind, NoteIncident, RaiseAlarm, ReportBoard
from croupier.house.docket import Incident
from croupier.house.event.record import IncidentCleared, IncidentRaised
from croupier.house.name import Number
from croupier.house.retention import retire_incidents
from croupier.house.stamp import Stamp
from croupier.house.state import House
from croupier.rules.clause import ClauseId
from croupier.rules.pocket import Pocket
from croupier.rules.refusal import Code


def raised(  # noqa: PLR0913 - all that an incident says
    house: House, kind: IncidentKind, subject: str, clause: ClauseId | None, words: str, *, after: int = 0
) -> IncidentRaised:
    """Tell staff of something, after so many other incidents in one batch."""
    return IncidentRaised(Number(house.incidents_raised + 1 + after), kind, subject, clause, words)


def note_incident(house: House, command: NoteIncident, _stamp: Stamp) -> Decision:
    return (raised(house, IncidentKind.NOTED, command.subject, None, command.words),)


def raise_alarm(house: House, command: RaiseAlarm, _stamp: Stamp) -> Decision:
    """Tell staff what the system met with: a thing of machines, on which no venue has a rule."""
    return (raised(house, command.kind, command.subject, None, command.words),)


def clear_incident(house: House, command: ClearIncident, _stamp: Stamp) -> Decision:
    number = command.incident
    incident = house.incidents.get(number)
    if incident is None:
        return refuse(Code.UNKNOWN_RECORD, None, f"There is no incident {number}.", incident=number)
    if incident.cleared_by is not None:
        says = f"{incident.cleared_by} has seen to incident {number} already."
        return refuse(Code.ALREADY_THERE, incident.clause, says, incident=number)
    return (IncidentCleared(number),)


def report_board(house: House, command: ReportBoard, _stamp: Stamp) -> Decision:
    """Hold a secondary display against the declared result, which it can never change (4 at Clearwater)."""
    table = house.tables[command.table]
    if not table.history:
        return ()
    _, declared = table.history[0]
    if Pocket(command.number) == declared:
        return ()
    words = f"The display shows {command.number}, and {declared} was declared."
    clause = table.rulebook.procedure.authority.clause
    return (raised(house, IncidentKind.DISPLAY_DIFFERS, table.id, clause, words),)


def incident_raised(house: House, event: IncidentRaised, stamp: Stamp) -> None:
    incident = Incident(event.incident, event.kind, event.subject, event.clause, event.words, stamp.now)
    house.incidents[event.incident] = incident
    house.incidents_raised += 1
    retire_incidents(house)


def incident_cleared(house: House, event: IncidentCleared, stamp: Stamp) -> None:
    house.incidents[event.incident].cleared_by = stamp.person
    house.closed_incidents.append(event.incident)


DECIDERS: Deciders = {
    NoteIncident: note_incident,
    RaiseAlarm: raise_alarm,
    ClearIncident: clear_incident,
    ReportBoard: report_board,
}
EVOLVERS: Evolvers = {IncidentRaised: incident_raised, IncidentCleared: incident_cleared}
