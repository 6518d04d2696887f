"""Incidents: something for staff to see to, until it is cleared."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Final

import msgspec

from croupier.house.declare import (
    Command,
    Event,
    Events,
    EventTopic,
    MachineRole,
    Part,
    command,
    decides,
    event,
    evolves,
)
from croupier.house.ids import Context, Instant, Number, PersonId, RoundNumber
from croupier.house.state.records import take_oldest
from croupier.house.state.tables import Table, Terminal
from croupier.rules.geometry import Pocket
from croupier.rules.procedure import Duty, Reason
from croupier.rules.refusal import CitedTopic, ClauseId, Code, Refusal, Refused, refuse

if TYPE_CHECKING:
    from croupier.house import House


@dataclass(slots=True)
class Incident:
    """Something for staff to see to."""

    number: Number
    kind: IncidentKind
    subject: str
    clause: ClauseId | None
    facts: IncidentFacts
    at: Instant
    cleared_by: PersonId | None = None


@dataclass(slots=True)
class Incidents:
    """The incidents in the state, the number that were raised, and those that are cleared, the oldest first."""

    all: dict[Number, Incident] = field(default_factory=dict)
    raised: int = 0
    closed: list[Number] = field(default_factory=list)


class IncidentKind(StrEnum):
    """What an incident is about."""

    RESULT_BEFORE_SEAL = "result_before_seal"
    LAUNCH_BEFORE_CLOSE = "launch_before_close"
    NO_WARNING = "no_warning"
    FORCED_CLOSE = "forced_close"
    CANNOT_CLOSE = "cannot_close"
    WHEEL_TROUBLE = "wheel_trouble"
    WHEEL_SILENT = "wheel_silent"
    IMPOSSIBLE_POCKET = "impossible_pocket"
    NUMBER_DIFFERS = "number_differs"
    NUMBER_IGNORED = "number_ignored"
    SIGHTINGS_DIFFER = "sightings_differ"
    BALL_NOT_SEATED = "ball_not_seated"
    DISPLAY_DIFFERS = "display_differs"
    REFERRED = "referred"
    HOLD_EXPIRED = "hold_expired"
    INTERRUPTED = "interrupted"
    MALFUNCTION = "malfunction"
    NOTED = "noted"
    #: Faults of the system itself: a reused idempotency key, a clock that jumped, a rejected snapshot, lost history,
    #: low disk space, and a command whose decision raised an exception.
    KEY_REUSED = "key_reused"
    CLOCK_JUMPED = "clock_jumped"
    SNAPSHOT_IGNORED = "snapshot_ignored"
    SNAPSHOT_FAILED = "snapshot_failed"
    #: The journal gives other books than those of the running house.
    BOOKS_DIFFER = "books_differ"
    DISK_LOW = "disk_low"
    COMMAND_FAILED = "command_failed"
    HISTORY_LOST = "history_lost"
    #: Wrong passwords have locked a person on a device; the running build differs from the installed one.
    ACCOUNT_LOCKED = "account_locked"
    BUILD_DIFFERS = "software_differs"
    #: Ticket numbers were guessed at a desk, and passwords at a device.
    TICKETS_GUESSED = "tickets_guessed"
    SIGN_INS_GUESSED = "sign_ins_guessed"
    #: A device of a terminal is locked until the incident is cleared; a note in escrow disappeared unseen.
    ACCEPTOR_LOCKED = "acceptor_locked"
    PRINTER_LOCKED = "printer_locked"
    NOTE_UNRESOLVED = "note_unresolved"
    #: A drawer was handed in with more or less cash than the ledger says.
    DRAWER_DIFFERS = "drawer_differs"
    #: Messages between venues about tickets are not what their sender has signed, or cannot be exchanged.
    TICKET_MESSAGES = "ticket_messages"


class Peripheral(StrEnum):
    """A device of a terminal that moves money."""

    ACCEPTOR = "acceptor"
    PRINTER = "printer"


class IncidentFacts(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, gc=False):
    """What is known of an incident; `words` makes the sentence that is shown. Each kind has its own facts."""

    #: What staff wrote, or the message of the fault behind it.
    text: str = ""
    #: A number that was reported or shown, and the one that it differs from; none that may not be known yet.
    pocket: Pocket | None = None
    expected: Pocket | None = None
    #: Irregularities, or what sensors contradict each other about; and what was observed behind them.
    reasons: tuple[Reason, ...] = ()
    cause: TroubleCause | None = None
    #: The round to which a report belongs, if another one is running or none.
    round: RoundNumber | None = None
    seconds: int | None = None
    #: Seconds before a jump of the clock.
    before: int | None = None
    device: str = ""
    people: tuple[str, ...] = ()
    #: Entries that are lost.
    lost: int = 0
    #: The kind of command that failed, and of its error.
    command: str = ""
    error: str = ""
    files: tuple[str, ...] = ()


class TroubleCause(StrEnum):
    """What a wheel or its driver observed behind an irregularity; pages put it in words."""

    NO_TELEGRAM = "no_telegram"
    NO_BALL = "no_ball"
    BALL_NOT_IN_TRACK = "ball_not_in_track"
    MACHINE = "machine"
    LAUNCH_FAILED = "launch_failed"
    ROTOR_STOPPED = "rotor_stopped"
    CLOSED = "closed"
    OUT_OF_ORDER = "out_of_order"
    STATE_LEFT_OUT = "state_left_out"
    NUMBERS_DIFFER = "numbers_differ"
    NUMBER_CHANGED = "number_changed"
    COUNT_CHANGED = "count_changed"
    #: Found by the house.
    COUNT_REPEATED = "count_repeated"
    LAUNCHED_AGAIN = "launched_again"
    NOT_OF_THIS_SPIN = "not_of_this_spin"
    SHORT_SPIN = "short_spin"


@command(Duty.DEAL, Duty.INSPECT, Duty.CASH, Duty.MAINTAIN)
class NoteIncident(Command, frozen=True):
    """Record an incident that staff observed."""

    subject: str
    words: str


@decides(NoteIncident)
def note_incident(house: House, command: NoteIncident, _context: Context) -> Events:
    return (incident_raised(house, IncidentKind.NOTED, command.subject, None, IncidentFacts(command.words)),)


def incident_raised(  # noqa: PLR0913 - all that an incident says
    house: House,
    kind: IncidentKind,
    subject: str,
    clause: ClauseId | None,
    facts: IncidentFacts = IncidentFacts(),  # noqa: B008 - it is frozen
    *,
    after: int = 0,
) -> IncidentRaised:
    """Raise an incident for staff; `after` counts the earlier incidents of the same batch."""
    return IncidentRaised(Number(house.incidents.raised + 1 + after), kind, subject, clause, facts)


@command(MachineRole.SYSTEM)
class RaiseAlarm(Command, frozen=True):
    """The system raises an alarm about itself."""

    kind: IncidentKind
    subject: str
    facts: IncidentFacts = IncidentFacts()


@decides(RaiseAlarm)
def raise_alarm(house: House, command: RaiseAlarm, _context: Context) -> Events:
    """Notify staff of a system fault, for which no venue has a rule."""
    return (incident_raised(house, command.kind, command.subject, None, command.facts),)


@command(Duty.DEAL, Duty.INSPECT)
class ClearIncident(Command, frozen=True):
    """Clear an incident that has been dealt with."""

    incident: Number


@event("Incident {incident} was cleared.", EventTopic.INCIDENT, touches=(Part.EVERY_TABLE,))
class IncidentCleared(Event, frozen=True):
    """An incident was cleared."""

    incident: Number


@decides(ClearIncident)
def clear_incident(house: House, command: ClearIncident, _context: Context) -> Events:
    number = command.incident
    incident = house.incidents.all.get(number)
    if incident is None:
        raise Refused(Code.UNKNOWN_RECORD, None, f"There is no incident {number}.", incident=number)
    if incident.cleared_by is not None:
        message = f"{incident.cleared_by} has seen to incident {number} already."
        raise Refused(Code.ALREADY_THERE, incident.clause, message, incident=number)
    return (IncidentCleared(number),)


@evolves(IncidentCleared)
def incident_cleared(house: House, event: IncidentCleared, context: Context) -> None:
    house.incidents.all[event.incident].cleared_by = context.person
    house.incidents.closed.append(event.incident)


@event(
    "Incident {incident} about {subject}: {kind}. {text}",
    EventTopic.INCIDENT,
    EventTopic.SIGNIFICANT,
    touches=(Part.EVERY_TABLE,),
)
class IncidentRaised(Event, frozen=True):
    """An incident was raised for staff."""

    incident: Number
    kind: IncidentKind
    #: The table, terminal or person that the incident concerns.
    subject: str
    clause: ClauseId | None
    facts: IncidentFacts = IncidentFacts()


@evolves(IncidentRaised)
def keep_incident(house: House, event: IncidentRaised, context: Context) -> None:
    incident = Incident(event.incident, event.kind, event.subject, event.clause, event.facts, context.now)
    house.incidents.all[event.incident] = incident
    house.incidents.raised += 1
    retire_incidents(house)


def retire_incidents(house: House) -> None:
    """Drop the oldest cleared incidents beyond the retention limit."""
    for number in take_oldest(house.incidents.closed, house.setup.records_kept):
        del house.incidents.all[number]


def once(house: House, table: Table, incident: IncidentRaised) -> Events:
    """Raise an incident unless one of its kind, about the same, was raised in this round."""
    return () if was_raised(house, table, incident) else (incident,)


def was_raised(house: House, table: Table, incident: IncidentRaised) -> bool:
    since = table.playing.opened_at
    return any(_about(each) == _about(incident) for each in house.incidents.all.values() if each.at >= since)


def _about(incident: Incident | IncidentRaised) -> tuple[object, ...]:
    return incident.kind, incident.subject, incident.facts.cause, incident.facts.expected


#: The incidents that keep a device locked, the topic that a refusal cites, and its words.
LOCKS: Final = {
    Peripheral.ACCEPTOR: (
        IncidentKind.ACCEPTOR_LOCKED,
        CitedTopic.CREDIT_IN,
        "The note acceptor of this terminal is locked until staff have looked at it.",
    ),
    Peripheral.PRINTER: (
        IncidentKind.PRINTER_LOCKED,
        CitedTopic.CREDIT_OUT,
        "The printer of this terminal cannot print: staff are called, and collect for you.",
    ),
}


def lock_objection(house: House, terminal: Terminal, peripheral: Peripheral) -> Refusal | None:
    """Refuse to use a device that is locked until staff clear its incident, also after a restart."""
    kind, topic, message = LOCKS[peripheral]
    for each in house.incidents.all.values():
        if each.kind is kind and each.cleared_by is None and each.subject == terminal.id:
            clause = house.rulebook_at(terminal).cited_clauses[topic]
            return refuse(Code.TERMINAL_BLOCKED, clause, message, incident=each.number, why=peripheral.value)
    return None
