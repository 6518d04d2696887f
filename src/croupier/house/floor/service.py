"""Tables and terminals in and out of service, their links and devices, and messages to players."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import TYPE_CHECKING

from croupier.house.declare import (
    Command,
    Event,
    Events,
    EventTopic,
    MachineRole,
    Part,
    TableCommand,
    TableEvent,
    TerminalCommand,
    TerminalEvent,
    command,
    decides,
    event,
    evolves,
)
from croupier.house.floor.incidents import LOCKS, IncidentFacts, Peripheral, incident_raised, lock_objection
from croupier.house.floor.permissions import no_terminal
from croupier.house.ids import Context, DeviceId, TableId, TerminalId
from croupier.house.live.seats_and_colours import require_no_chips_out
from croupier.house.play.betting import BetsReturned, ReturnReason
from croupier.house.rounds.closing import seats
from croupier.house.rounds.settlement import released
from croupier.house.state.tables import Phase, SeatMessage, SeatMessageKind, Table
from croupier.house.state.timer_heap import TimerKind
from croupier.rules.procedure import Duty
from croupier.rules.refusal import CitedTopic, Code, Refused
from croupier.rules.rulebook import Rulebook

if TYPE_CHECKING:
    from croupier.house import House


class SlotSwitch(StrEnum):
    """What a slot system switches off and on at a terminal."""

    PLAY = "play"
    NOTES = "notes"


@command(MachineRole.SYSTEM)
class ReportTerminalLost(TerminalCommand, frozen=True):
    """A terminal is offline: its connection was lost."""


@event(
    "The link to the terminal is gone.",
    EventTopic.INCIDENT,
    EventTopic.SIGNIFICANT,
    touches=(Part.LINK,),
    reschedules=(TimerKind.OFFLINE,),
)
class TerminalLost(TerminalEvent, frozen=True):
    """A terminal went offline."""


@decides(ReportTerminalLost)
def lose_terminal(house: House, command: ReportTerminalLost, _context: Context) -> Events:
    if command.terminal in house.offline:
        raise _already_offline(house, command.terminal, f"Terminal {command.terminal} is offline already.")
    return (TerminalLost(command.terminal),)


def _already_offline(house: House, terminal: TerminalId, message: str) -> Refused:
    clause = house.rulebook_at(house.terminals[terminal]).procedure.terminal_loss.clause
    return Refused(Code.ALREADY_THERE, clause, message)


@evolves(TerminalLost)
def terminal_lost(house: House, event: TerminalLost, context: Context) -> None:
    house.terminals[event.terminal].lost_at = context.now
    house.offline.add(event.terminal)


@command(MachineRole.SYSTEM)
class ReportTerminalReturned(TerminalCommand, frozen=True):
    """A terminal is online again."""


@event("The link to the terminal is back.", EventTopic.INCIDENT, touches=(Part.LINK,), reschedules=(TimerKind.OFFLINE,))
class TerminalReturned(TerminalEvent, frozen=True):
    """A terminal is online again."""


@decides(ReportTerminalReturned)
def return_terminal(house: House, command: ReportTerminalReturned, _context: Context) -> Events:
    if command.terminal not in house.offline:
        raise _already_offline(house, command.terminal, f"Terminal {command.terminal} is not offline.")
    return (TerminalReturned(command.terminal),)


@evolves(TerminalReturned)
def terminal_returned(house: House, event: TerminalReturned, _context: Context) -> None:
    house.terminals[event.terminal].lost_at = None
    house.offline.remove(event.terminal)


@command(MachineRole.TERMINAL, by_driver=True)
class ReportLockUp(TerminalCommand, frozen=True):
    """A device of a terminal needs staff: it stays locked until they clear the incident."""

    peripheral: Peripheral
    words: str


@decides(ReportLockUp)
def report_lock_up(house: House, command: ReportLockUp, _context: Context) -> Events:
    """Lock a device: one incident, however often the device reports its fault."""
    terminal = house.terminals[command.terminal]
    if lock_objection(house, terminal, command.peripheral) is not None:
        return ()
    kind, topic, _ = LOCKS[command.peripheral]
    clause = house.rulebook_at(terminal).cited_clauses[topic]
    return (incident_raised(house, kind, terminal.id, clause, IncidentFacts(command.words)),)


@command(MachineRole.TERMINAL, by_driver=True)
class SwitchTerminal(TerminalCommand, frozen=True):
    """The slot system switches play or notes off or on at a terminal."""

    switch: SlotSwitch
    on: bool


@event("The slot system switched {switch}; on: {on}.", EventTopic.STAFF, EventTopic.SIGNIFICANT)
class TerminalSwitched(TerminalEvent, frozen=True):
    """The slot system switched play or notes off or on at a terminal."""

    switch: SlotSwitch
    on: bool


@decides(SwitchTerminal)
def switch_terminal(house: House, command: SwitchTerminal, _context: Context) -> Events:
    terminal = house.terminals[command.terminal]
    off = terminal.play_off if command.switch is SlotSwitch.PLAY else terminal.notes_off
    return () if command.on is not off else (TerminalSwitched(terminal.id, command.switch, command.on),)


@evolves(TerminalSwitched)
def terminal_switched(house: House, event: TerminalSwitched, _context: Context) -> None:
    terminal = house.terminals[event.terminal]
    if event.switch is SlotSwitch.PLAY:
        terminal.play_off = not event.on
    else:
        terminal.notes_off = not event.on


@command(Duty.MANAGE, Duty.OFFICIATE)
class NotifyOfficer(Command, frozen=True):
    """Record that an Authorised Officer was notified of a coming closing, or of an arrangement with players."""

    subject: str
    words: str


@event("An officer was notified about {subject}. {words}", EventTopic.STAFF, EventTopic.SIGNIFICANT)
class OfficerNotified(Event, frozen=True):
    """An Authorised Officer was notified of a coming closing, or of an arrangement with players."""

    subject: str
    words: str


@decides(NotifyOfficer)
def notify_officer(house: House, command: NotifyOfficer, _context: Context) -> Events:
    subject = command.subject
    if TableId(subject) not in house.tables and TerminalId(subject) not in house.terminals:
        raise Refused(Code.UNKNOWN_RECORD, None, f"There is no table or terminal {subject}.", subject=subject)
    return (OfficerNotified(subject, command.words),)


@evolves(OfficerNotified)
def officer_notified(house: House, event: OfficerNotified, context: Context) -> None:
    house.notified[event.subject] = context.now


@command(Duty.MANAGE)
class CloseTable(TableCommand, frozen=True):
    """Close a table after the round that is running."""

    words: str


@event("The table was closed. {words}", EventTopic.STAFF, EventTopic.SIGNIFICANT)
class TableClosed(TableEvent, frozen=True):
    """A table was closed: no new round begins."""

    words: str


@decides(CloseTable)
def close_table(house: House, command: CloseTable, context: Context) -> Events:
    table = house.tables[command.table]
    if table.closed:
        raise _already_closed(table.rulebook, f"Table {table.id} is closed already.")
    _require_closable(house, table.rulebook, command, table.id, context)
    require_no_chips_out(table)
    over = released(house, table) if table.phase in (Phase.BETWEEN, Phase.PAYING) else ()
    return (TableClosed(table.id, command.words), *_chips_back(house, [table], table.terminals), *over)


def _already_closed(rulebook: Rulebook, message: str) -> Refused:
    return Refused(Code.ALREADY_THERE, rulebook.cited_clauses[CitedTopic.CLOSING_DOWN], message)


def _require_closable(
    house: House, rulebook: Rulebook, command: CloseTable | CloseTerminal, subject: str, context: Context
) -> None:
    if not command.words.strip():
        clause = rulebook.cited_clauses[CitedTopic.CLOSING_DOWN]
        raise Refused(Code.REASON_NOT_LISTED, clause, "Say why it is closed.")
    notified_at = house.notified.get(subject)
    if rulebook.closing_notice is not None and (notified_at is None or notified_at >= context.now):
        message = f"An Authorised Officer must be notified before {subject} is closed."
        raise Refused(Code.NOT_NOTIFIED, rulebook.closing_notice, message, subject=subject)


def _chips_back(house: House, tables: Iterable[Table], terminals: Iterable[TerminalId]) -> Events:
    """Return chips that stayed up after the last round; chips in a running round are played."""
    return tuple(event for table in tables for event in _stayed_up(house, table, frozenset(terminals)))


def _stayed_up(house: House, table: Table, terminals: frozenset[TerminalId]) -> Iterator[BetsReturned]:
    if table.phase is not Phase.BETWEEN:
        return
    clause = table.rulebook.cited_clauses[CitedTopic.CLOSING_DOWN]
    for seat in seats(house, table):
        if seat.terminal.id in terminals:
            bets = tuple(seat.game.bets)
            yield BetsReturned(seat.game.id, table.rounds, ReturnReason.OUT_OF_SERVICE, clause, bets)


@evolves(TableClosed)
def table_closed(house: House, event: TableClosed, _context: Context) -> None:
    house.tables[event.table].closed = True


@command(Duty.MANAGE)
class ReopenTable(TableCommand, frozen=True):
    """Open a closed table again."""


@event("The table was opened again.", EventTopic.STAFF, EventTopic.SIGNIFICANT)
class TableReopened(TableEvent, frozen=True):
    """A closed table was opened again."""


@decides(ReopenTable)
def reopen_table(house: House, command: ReopenTable, _context: Context) -> Events:
    table = house.tables[command.table]
    if not table.closed:
        raise _already_closed(table.rulebook, f"Table {table.id} is not closed.")
    return (TableReopened(command.table),)


@evolves(TableReopened)
def table_reopened(house: House, event: TableReopened, context: Context) -> None:
    table = house.tables[event.table]
    table.closed, table.over_at = False, context.now
    # One notice covers one closing.
    house.notified.pop(event.table, None)


@command(Duty.INSPECT, Duty.MAINTAIN)
class CloseTerminal(TerminalCommand, frozen=True):
    """Take a terminal out of service after the round that is running."""

    words: str


@event("The terminal was taken out of service. {words}", EventTopic.STAFF, EventTopic.SIGNIFICANT)
class TerminalClosed(TerminalEvent, frozen=True):
    """A terminal was taken out of service: it accepts no bets and no money; its credits can be collected."""

    words: str


@decides(CloseTerminal)
def close_terminal(house: House, command: CloseTerminal, context: Context) -> Events:
    terminal = house.terminals[command.terminal]
    if terminal.closed:
        raise _already_closed(house.rulebook_at(terminal), f"Terminal {terminal.id} is out of service already.")
    _require_closable(house, house.rulebook_at(terminal), command, terminal.id, context)
    tables = [house.tables[table] for table in terminal.games]
    return (TerminalClosed(terminal.id, command.words), *_chips_back(house, tables, [terminal.id]))


@evolves(TerminalClosed)
def terminal_closed(house: House, event: TerminalClosed, _context: Context) -> None:
    house.terminals[event.terminal].closed = True


@command(Duty.INSPECT, Duty.MAINTAIN)
class ReopenTerminal(TerminalCommand, frozen=True):
    """Put a terminal back into service."""


@event("The terminal was put back into service.", EventTopic.STAFF, EventTopic.SIGNIFICANT)
class TerminalReopened(TerminalEvent, frozen=True):
    """A terminal was put back into service."""


@decides(ReopenTerminal)
def reopen_terminal(house: House, command: ReopenTerminal, _context: Context) -> Events:
    terminal = house.terminals[command.terminal]
    rulebook = house.rulebook_at(terminal)
    if not terminal.closed:
        raise _already_closed(rulebook, f"Terminal {terminal.id} is in service.")
    if DeviceId(terminal.id) not in house.staff.devices:
        message = f"Terminal {terminal.id} was released: it is enrolled again first."
        raise Refused(Code.OUT_OF_TURN, rulebook.cited_clauses[CitedTopic.CLOSING_DOWN], message)
    return (TerminalReopened(command.terminal),)


@evolves(TerminalReopened)
def terminal_reopened(house: House, event: TerminalReopened, _context: Context) -> None:
    house.terminals[event.terminal].closed = False
    house.notified.pop(event.terminal, None)


@command(Duty.DEAL, Duty.INSPECT)
class SendMessage(Command, frozen=True):
    """Show a message on terminals; on all where none is named."""

    terminals: tuple[str, ...]
    words: str


@event("A message was sent to {terminals}: {words}", EventTopic.STAFF, touches=(Part.TERMINAL,))
class MessageSent(Event, frozen=True):
    """A message was sent to terminals."""

    terminals: tuple[str, ...]
    words: str

    def terminals_in(self, house: House) -> Iterable[TerminalId]:
        return map(TerminalId, self.terminals or house.terminals)


@decides(SendMessage)
def send_message(house: House, command: SendMessage, _context: Context) -> Events:
    unknown = next((name for name in command.terminals if TerminalId(name) not in house.terminals), None)
    if unknown is not None:
        raise no_terminal(house, unknown)
    return (MessageSent(command.terminals, command.words),)


@evolves(MessageSent)
def message_sent(house: House, event: MessageSent, _context: Context) -> None:
    for name in map(TerminalId, event.terminals or house.terminals):
        house.terminals[name].show(SeatMessage(SeatMessageKind.TEXT, text=event.words))
