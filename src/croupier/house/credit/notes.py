"""Notes and play money at a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from croupier.house.credit.sessions import begin, forms_clause, renewed
from croupier.house.declare import (
    Events,
    EventTopic,
    MachineRole,
    TerminalCommand,
    TerminalEvent,
    command,
    decides,
    event,
    evolves,
)
from croupier.house.floor.incidents import IncidentFacts, IncidentKind, Peripheral, incident_raised, lock_objection
from croupier.house.floor.permissions import money_in_objection, offline_objection
from croupier.house.ids import Context
from croupier.house.settings import Mode
from croupier.house.state.ledger import LedgerAccount
from croupier.house.state.tables import Terminal
from croupier.rules.money import Cents, amount_text
from croupier.rules.procedure import CreditIn
from croupier.rules.refusal import CitedTopic, Code, Refused, raise_if
from croupier.rules.rulebook import Rulebook

if TYPE_CHECKING:
    from croupier.house import House


@command(MachineRole.TERMINAL, messages=("note",))
class InsertNote(TerminalCommand, frozen=True):
    """A note was inserted into a terminal of a demonstration, which has no acceptor."""

    currency: str
    value: Cents


@event("A note of {value} was taken in.", EventTopic.MONEY)
class NoteStacked(TerminalEvent, frozen=True):
    """A note became credit."""

    value: Cents


@decides(InsertNote)
def insert_note(house: House, command: InsertNote, _context: Context) -> Events:
    """Decide whether a note becomes credit; a held win does not prevent it."""
    terminal = house.terminals[command.terminal]
    rulebook = house.rulebook_at(terminal)
    raise_if(money_in_objection(house, terminal, rulebook))
    if terminal.escrow is not None:
        clause = rulebook.cited_clauses[CitedTopic.CREDIT_IN]
        raise Refused(Code.OUT_OF_TURN, clause, "The acceptor holds another note.")
    _require_accepted(rulebook, terminal, command)
    return (*renewed(terminal), NoteStacked(command.terminal, command.value))


def _require_accepted(rulebook: Rulebook, terminal: Terminal, note: InsertNote | EscrowNote) -> None:
    """Refuse a note that does not buy credits at a terminal."""
    clause = next((ruling.clause for ruling in terminal.channel.credit_in if ruling.choice is CreditIn.NOTES), None)
    accepted = terminal.settings.notes
    if clause is None:
        raise Refused(Code.NOT_TAKEN_HERE, forms_clause(rulebook), "Notes are not taken here.", why="notes")
    if note.currency != rulebook.currency:
        message = f"Only notes of {rulebook.currency} are taken here."
        facts = {"currency": note.currency, "accepted": rulebook.currency}
        raise Refused(Code.NOT_TAKEN_HERE, clause, message, why="currency", **facts)
    if note.value not in accepted:
        message = f"This terminal takes notes of {', '.join(map(amount_text, accepted))} {rulebook.currency}."
        raise Refused(Code.NOT_TAKEN_HERE, clause, message, why="value", value=note.value, accepted=accepted)


@evolves(NoteStacked)
def note_stacked(house: House, event: NoteStacked, context: Context) -> None:
    terminal = house.terminals[event.terminal]
    begin(house, terminal, context)
    house.ledger.post(event.value, source=LedgerAccount.NOTES, target=LedgerAccount.CREDIT)
    terminal.escrow = None
    terminal.credit += event.value
    notes = terminal.meters.notes
    notes[event.value] = notes.get(event.value, 0) + 1


@command(MachineRole.TERMINAL, by_driver=True)
class EscrowNote(TerminalCommand, frozen=True):
    """The acceptor holds a note in escrow and asks whether to stack it."""

    currency: str
    value: Cents


@event("A note of {value} is in escrow.", EventTopic.MONEY)
class NoteEscrowed(TerminalEvent, frozen=True):
    """The acceptor may stack the note that it holds; it is no credit yet."""

    value: Cents


@event("A note of {value} was returned.", EventTopic.MONEY)
class NoteReturned(TerminalEvent, frozen=True):
    """The note in escrow was returned, and became no credit."""

    value: Cents


@decides(EscrowNote)
def escrow_note(house: House, command: EscrowNote, _context: Context) -> Events:
    """Decide whether the acceptor may stack the note that it holds.

    The entry is durable before the note is stacked: after a crash it says that one note may still become credit.
    """
    terminal = house.terminals[command.terminal]
    rulebook = house.rulebook_at(terminal)
    raise_if(
        money_in_objection(house, terminal, rulebook)
        # A page that sends a note or a ticket is there; the presence of an acceptor shows nothing of its terminal.
        or offline_objection(terminal, rulebook)
        or lock_objection(house, terminal, Peripheral.ACCEPTOR)
    )
    _require_accepted(rulebook, terminal, command)
    if terminal.escrow == command.value:
        # The same note after a restart.
        return ()
    return (*_unseen(house, terminal), NoteEscrowed(terminal.id, command.value))


def _unseen(house: House, terminal: Terminal) -> Events:
    """Give up a note in escrow whose return no device reported: staff look for it."""
    if terminal.escrow is None:
        return ()
    rulebook = house.rulebook_at(terminal)
    clause, note = rulebook.cited_clauses[CitedTopic.CREDIT_IN], f"{amount_text(terminal.escrow)} {rulebook.currency}"
    incident = incident_raised(house, IncidentKind.NOTE_UNRESOLVED, terminal.id, clause, IncidentFacts(note))
    return NoteReturned(terminal.id, Cents(terminal.escrow)), incident


@evolves(NoteEscrowed)
def note_escrowed(house: House, event: NoteEscrowed, _context: Context) -> None:
    house.terminals[event.terminal].escrow = event.value


@evolves(NoteReturned)
def note_returned(house: House, event: NoteReturned, _context: Context) -> None:
    house.terminals[event.terminal].escrow = None


@command(MachineRole.TERMINAL, by_driver=True)
class StackNote(TerminalCommand, frozen=True):
    """The note in escrow was stacked and cannot be pulled out: it becomes credit, once."""


@decides(StackNote)
def stack_note(house: House, command: StackNote, _context: Context) -> Events:
    """Credit the note in escrow, whatever the state of the terminal: the house has the note."""
    terminal = house.terminals[command.terminal]
    if terminal.escrow is None:
        clause = house.rulebook_at(terminal).cited_clauses[CitedTopic.CREDIT_IN]
        raise Refused(Code.NOTHING_THERE, clause, "No note is in escrow: it became credit before.")
    return (*renewed(terminal), NoteStacked(terminal.id, Cents(terminal.escrow)))


@command(MachineRole.TERMINAL, by_driver=True)
class ReturnNote(TerminalCommand, frozen=True):
    """The note in escrow was returned to the player."""

    #: Whether the acceptor reported the return; False when it only has no note any more.
    seen: bool


@decides(ReturnNote)
def return_note(house: House, command: ReturnNote, _context: Context) -> Events:
    terminal = house.terminals[command.terminal]
    if command.seen and terminal.escrow is not None:
        return (NoteReturned(terminal.id, Cents(terminal.escrow)),)
    return _unseen(house, terminal)


@command(MachineRole.SYSTEM, messages=("practice",))
class GrantPlayMoney(TerminalCommand, frozen=True):
    """Give a terminal credits that are worth nothing, in a demonstration."""

    amount: Cents


@event("Play money was granted: {amount}.", EventTopic.MONEY)
class PlayMoneyGranted(TerminalEvent, frozen=True):
    """Play money was credited, in a demonstration."""

    amount: Cents


@decides(GrantPlayMoney)
def grant_play_money(house: House, command: GrantPlayMoney, _context: Context) -> Events:
    if house.setup.mode is not Mode.DEMO:
        raise Refused(Code.DEMO_ONLY, None, "Play money is for demonstrations: here credits are worth money.")
    if command.amount <= 0:
        message = "Play money is granted in amounts above nothing."
        raise Refused(Code.STAKE_NOT_POSITIVE, None, message, amount=command.amount)
    return (*renewed(house.terminals[command.terminal]), PlayMoneyGranted(command.terminal, command.amount))


@evolves(PlayMoneyGranted)
def play_money_granted(house: House, event: PlayMoneyGranted, context: Context) -> None:
    terminal = house.terminals[event.terminal]
    begin(house, terminal, context)
    house.ledger.post(event.amount, source=LedgerAccount.PLAY_MONEY, target=LedgerAccount.CREDIT)
    terminal.credit += event.amount
    terminal.meters.granted += event.amount
