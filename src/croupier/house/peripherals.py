"""Notes in escrow, and devices of a terminal that are locked until staff clear them."""

from croupier.house.base import Decision, Events
from croupier.house.commands.credit import EscrowNote, ReturnNote, StackNote
from croupier.house.commands.record import (
    IncidentFacts,
    IncidentKind,
    Peripheral,
    ReportLockUp,
    SlotSwitch,
    SwitchTerminal,
)
from croupier.house.events.credit import NoteEscrowed, NoteReturned, NoteStacked
from croupier.house.events.record import TerminalSwitched
from croupier.house.ids import Context
from croupier.house.irregularities import incident_raised
from croupier.house.permissions import LOCKS, lock_objection, money_in_objection, offline_objection
from croupier.house.state import Deciders, Evolvers, House
from croupier.house.state.tables import Terminal
from croupier.house.tickets import note_objection, renewed
from croupier.rules.money import Cents, amount_text
from croupier.rules.refusal import CitedTopic, Code, refuse


def escrow_note(house: House, command: EscrowNote, _context: Context) -> Decision:
    """Decide whether the acceptor may stack the note that it holds.

    The entry is durable before the note is stacked: after a crash it says that one note may still become credit.
    """
    terminal = house.terminals[command.terminal]
    rulebook = house.rulebook_at(terminal)
    refusal = (
        money_in_objection(house, terminal, rulebook)
        # A page that sends a note or a ticket is there; the presence of an acceptor shows nothing of its terminal.
        or offline_objection(terminal, rulebook)
        or lock_objection(house, terminal, Peripheral.ACCEPTOR)
        or note_objection(rulebook, terminal, command)
    )
    if refusal is not None:
        return refusal
    if terminal.escrow == command.value:
        # The same note after a restart.
        return ()
    return (*_unseen(house, terminal), NoteEscrowed(terminal.id, command.value))


def note_escrowed(house: House, event: NoteEscrowed, _context: Context) -> None:
    house.terminals[event.terminal].escrow = event.value


def stack_note(house: House, command: StackNote, _context: Context) -> Decision:
    """Credit the note in escrow, whatever the state of the terminal: the house has the note."""
    terminal = house.terminals[command.terminal]
    if terminal.escrow is None:
        clause = house.rulebook_at(terminal).cited_clauses[CitedTopic.CREDIT_IN]
        return refuse(Code.NOTHING_THERE, clause, "No note is in escrow: it became credit before.")
    return (*renewed(terminal), NoteStacked(terminal.id, Cents(terminal.escrow)))


def return_note(house: House, command: ReturnNote, _context: Context) -> Decision:
    terminal = house.terminals[command.terminal]
    if terminal.escrow is None:
        return ()
    returned = (NoteReturned(terminal.id, Cents(terminal.escrow)),)
    return returned if command.seen else _unseen(house, terminal)


def note_returned(house: House, event: NoteReturned, _context: Context) -> None:
    house.terminals[event.terminal].escrow = None


def _unseen(house: House, terminal: Terminal) -> Events:
    """Give up a note in escrow whose return no device reported: staff look for it."""
    if terminal.escrow is None:
        return ()
    rulebook = house.rulebook_at(terminal)
    clause, note = rulebook.cited_clauses[CitedTopic.CREDIT_IN], f"{amount_text(terminal.escrow)} {rulebook.currency}"
    incident = incident_raised(house, IncidentKind.NOTE_UNRESOLVED, terminal.id, clause, IncidentFacts(note))
    return NoteReturned(terminal.id, Cents(terminal.escrow)), incident


def report_lock_up(house: House, command: ReportLockUp, _context: Context) -> Decision:
    """Lock a device: one incident, however often the device reports its fault."""
    terminal = house.terminals[command.terminal]
    if lock_objection(house, terminal, command.peripheral) is not None:
        return ()
    kind, topic, _ = LOCKS[command.peripheral]
    clause = house.rulebook_at(terminal).cited_clauses[topic]
    return (incident_raised(house, kind, terminal.id, clause, IncidentFacts(command.words)),)


def switch_terminal(house: House, command: SwitchTerminal, _context: Context) -> Decision:
    terminal = house.terminals[command.terminal]
    off = terminal.play_off if command.switch is SlotSwitch.PLAY else terminal.notes_off
    return () if command.on is not off else (TerminalSwitched(terminal.id, command.switch, command.on),)


def terminal_switched(house: House, event: TerminalSwitched, _context: Context) -> None:
    terminal = house.terminals[event.terminal]
    if event.switch is SlotSwitch.PLAY:
        terminal.play_off = not event.on
    else:
        terminal.notes_off = not event.on


DECIDERS: Deciders = {
    EscrowNote: escrow_note,
    StackNote: stack_note,
    ReturnNote: return_note,
    ReportLockUp: report_lock_up,
    SwitchTerminal: switch_terminal,
}


EVOLVERS: Evolvers = {
    NoteEscrowed: note_escrowed,
    NoteReturned: note_returned,
    TerminalSwitched: terminal_switched,
}
