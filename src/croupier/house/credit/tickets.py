"""Slips and tickets: their issue, payment, duplicates, voids and expiry."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, assert_never

import msgspec

from croupier.house.credit.sessions import begin, end, forms_clause, renewed
from croupier.house.declare import (
    WRITABLE,
    Command,
    Decision,
    Event,
    Events,
    EventTopic,
    MachineRole,
    Part,
    TerminalCommand,
    TerminalEvent,
    command,
    decides,
    event,
    evolves,
    first_table,
)
from croupier.house.floor.incidents import Peripheral, lock_objection
from croupier.house.floor.permissions import blocked_objection, held_win_objection, money_in_objection
from croupier.house.ids import Context, Day, Instant, Number, PersonId, TerminalId
from croupier.house.state.ledger import LedgerAccount
from croupier.house.state.records import CaseState, take_oldest
from croupier.house.state.tables import Table, Terminal
from croupier.rules.money import Cents, amount_text
from croupier.rules.procedure import CreditIn, CreditOut, Duty
from croupier.rules.refusal import CitedTopic, ClauseId, Code, Refusal, Refused, raise_if, refuse

if TYPE_CHECKING:
    from croupier.house import House


class TicketState(StrEnum):
    """The state of a slip or ticket."""

    ISSUED = "issued"
    PRINTED = "printed"
    REDEEMED = "redeemed"
    VOID = "void"
    EXPIRED = "expired"
    #: It is another venue's to pay.
    TRANSFERRED = "transferred"


@dataclass(slots=True)
class Ticket:
    """A slip or ticket; only the digest and the last four digits of its number are stored."""

    sequence: Number
    #: Empty when another venue issued it.
    terminal: TerminalId
    form: CreditOut
    amount: int
    digest: str
    last_four: str
    issued_at: Instant
    day: Day
    #: The member of staff who collected for the player, if the terminal could not: no terminal printed the slip.
    collected_by: PersonId = PersonId("")
    state: TicketState = TicketState.ISSUED
    duplicates: int = 0
    reported_lost: bool = False
    #: It may have been paid in a part of the journal that is lost.
    frozen: bool = False
    #: When, where and by whom it was paid.
    paid_at: Instant | None = None
    paid_place: str = ""
    paid_by: PersonId = PersonId("")
    #: The venue that issued it and its currency, when that is another venue; both empty otherwise.
    venue: str = ""
    currency: str = ""
    #: Its number, encrypted with the key that the venues share, once it was transferred from here or to here.
    token: str = ""

    @property
    def payable(self) -> bool:
        return self.state in (TicketState.ISSUED, TicketState.PRINTED)


class DerivedOfTickets:
    """The tickets by their digests, and those that are to be stored elsewhere."""

    if not TYPE_CHECKING:
        __slots__ = ("by_digest", "retired")
    by_digest: dict[str, Number]
    #: Tickets dropped from the state since they were last stored elsewhere.
    retired: dict[Number, Ticket]


@dataclass(slots=True)
class Tickets(DerivedOfTickets):
    """The slips and tickets of the house."""

    all: dict[Number, Ticket] = field(default_factory=dict)
    #: The number that this venue issued, and of those that other venues issued and transferred to this one.
    issued: int = 0
    received: int = 0
    #: The number of skipped sequence numbers: a lost part of the journal may have issued them.
    skipped: int = 0
    #: Paid, void or expired tickets, the oldest first; the number dropped from the state, and their expired amount.
    closed: list[Number] = field(default_factory=list)
    retired_count: int = 0
    unclaimed_retired: int = 0

    def __post_init__(self) -> None:
        self.by_digest = {ticket.digest: sequence for sequence, ticket in self.all.items()}
        self.retired = {}

    @property
    def next_number(self) -> Number:
        return Number(self.issued + self.received + self.skipped + 1)

    def find(self, sequence: Number) -> Ticket:
        """Find a ticket that was in the state when this batch began."""
        return self.all.get(sequence) or self.retired[sequence]


class Validation(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the house may hold of a validation number, which is derived outside it from the sequence number."""

    sequence: Number
    digest: str
    last_four: str


@command(MachineRole.TERMINAL, messages=("ticket_in",))
class InsertTicket(TerminalCommand, frozen=True):
    """A ticket was inserted into a terminal; the house sees only the digest of its number."""

    digest: str


@event("Paper {sequence} was paid at {place}.", EventTopic.MONEY, touches=(Part.TERMINAL,))
class TicketRedeemed(Event, frozen=True):
    """A ticket was paid: from a drawer, or as credit at a terminal."""

    sequence: Number
    place: str
    at_terminal: bool

    def terminals_in(self, _house: House) -> Iterable[TerminalId]:
        return (TerminalId(self.place),) if self.at_terminal else ()


@decides(InsertTicket)
def insert_ticket(house: House, command: InsertTicket, _context: Context) -> Decision:
    terminal = house.terminals[command.terminal]
    rulebook = house.rulebook_at(terminal)
    raise_if(money_in_objection(house, terminal, rulebook))
    if all(ruling.choice is not CreditIn.TICKETS for ruling in terminal.channel.credit_in):
        message = "Slips and tickets are not taken here: please bring yours to the cashier."
        raise Refused(Code.NOT_TAKEN_HERE, forms_clause(rulebook), message, why="tickets")
    clause = rulebook.cited_clauses[CitedTopic.TICKET]
    ticket = find_ticket(house, command.digest)
    if ticket is None:
        return unknown_ticket(clause)
    require_no_slip(house, ticket)
    issued = house.rulebook_of(ticket).currency
    if issued != rulebook.currency:
        # A demonstration of several venues can produce such a ticket.
        message = (
            f"{named(ticket)} is in {issued}, and this terminal counts in {rulebook.currency}: bring it to the cashier."
        )
        raise Refused(Code.NOT_TAKEN_HERE, clause, message, why="other_currency", currency=issued)
    raise_if(payment_objection(house, ticket))
    return (*renewed(terminal), TicketRedeemed(ticket.sequence, place=terminal.id, at_terminal=True))


def find_ticket(house: House, digest: str) -> Ticket | None:
    sequence = house.tickets.by_digest.get(digest)
    return None if sequence is None else house.tickets.all[sequence]


def unknown_ticket(clause: ClauseId) -> Refusal:
    return refuse(Code.TICKET_UNKNOWN, clause, "The house has issued no slip or ticket with this number.")


def payment_objection(house: House, ticket: Ticket) -> Refusal | None:
    """Refuse to pay a ticket that is paid, possibly paid, void or expired."""
    if not (ticket.payable and ticket.frozen):
        return _done_with(house, ticket)
    message = f"{named(ticket)} is frozen until two people release it: part of the record is lost, and it may be paid."
    return refuse(Code.TICKET_FROZEN, ticket_clause(house, ticket), message, sequence=ticket.sequence)


def _done_with(house: House, ticket: Ticket) -> Refusal | None:
    """Refuse a ticket that is paid, void or expired by the record."""
    clause, name = ticket_clause(house, ticket), named(ticket)
    match ticket.state:
        case TicketState.ISSUED | TicketState.PRINTED:
            return None
        case TicketState.REDEEMED:
            by = f" by {ticket.paid_by}" if ticket.paid_by else ""
            paid = {"paid_at": ticket.paid_at, "place": ticket.paid_place, "by": ticket.paid_by}
            return refuse(Code.TICKET_PAID, clause, f"{name} is already paid, at {ticket.paid_place}{by}.", **paid)
        case TicketState.VOID:
            message = f"{name} is void: its value went back to terminal {ticket.terminal}."
            return refuse(Code.TICKET_VOID, clause, message, terminal=ticket.terminal)
        case TicketState.EXPIRED:
            message = f"{name} was not redeemed within {house.setup.ticket_days} gaming days."
            return refuse(Code.TICKET_EXPIRED, clause, message, day=ticket.day, days=house.setup.ticket_days)
        case TicketState.TRANSFERRED:
            message = f"{name} was transferred to {ticket.paid_place}, which pays it."
            venue, at = ticket.paid_place, ticket.paid_at
            return refuse(Code.TICKET_TRANSFERRED, clause, message, venue=venue, at=at)
        case _:
            assert_never(ticket.state)


def ticket_clause(house: House, ticket: Ticket) -> ClauseId:
    """Name the ticket clause of the rules that apply to this ticket."""
    return house.rulebook_of(ticket).cited_clauses[CitedTopic.TICKET]


def named(ticket: Ticket) -> str:
    """Name a ticket in a message."""
    return f"{_words(ticket.form).capitalize()} {ticket.sequence}"


def _words(form: CreditOut) -> str:
    return form.value.replace("_", " ")


def require_no_slip(house: House, ticket: Ticket) -> None:
    """Refuse at a terminal a slip that the rules have only the cashier pay."""
    if ticket.form is CreditOut.PAYMENT_SLIP:
        rulebook = house.rulebook_of(ticket)
        clause, amount = rulebook.cited_clauses[CitedTopic.CREDIT_OUT], amount_text(ticket.amount)
        message = f"{named(ticket)} is for the cashier: {amount} {rulebook.currency} are paid there."
        raise Refused(Code.NOT_TAKEN_HERE, clause, message, why="slip", form=ticket.form)


@command(MachineRole.TERMINAL, Duty.INSPECT, messages=("cash_out", "collect_for"))
class Collect(TerminalCommand, frozen=True):
    """Cash out all credits that are not in play."""

    #: Left out by the sender: the engine fills in the validation of the next sequence number before it is decided.
    validation: Validation | None = None
    form: CreditOut | None = None


@event("{amount} were collected as {form} {sequence}.", EventTopic.MONEY)
class TicketIssued(TerminalEvent, frozen=True):
    """All free credits became a slip, a ticket or currency."""

    sequence: Number
    form: CreditOut
    amount: Cents
    digest: str
    last_four: str
    day: Day
    #: Whether the session ends: no stakes are in play.
    ends_session: bool


@decides(Collect)
def collect(house: House, command: Collect, context: Context) -> Events:
    """Cash out all free credits, in any state of the round; stakes in play are excluded."""
    terminal = house.terminals[command.terminal]
    rulebook, valid = house.rulebook_at(terminal), command.validation
    assert valid is not None
    _require_collector(house, terminal, context)
    raise_if(held_win_objection(terminal, rulebook))
    clause, forms = (
        rulebook.cited_clauses[CitedTopic.CREDIT_OUT],
        tuple(ruling.choice for ruling in terminal.channel.credit_out),
    )
    form = command.form or forms[0]
    if form not in forms:
        message = f"Credits are paid here as {' or '.join(map(_words, forms))}, not as {_words(form)}."
        raise Refused(Code.NOT_PAID_HERE, clause, message, form=form, forms=forms)
    if terminal.credit == 0:
        message = "There is nothing to collect: stakes in play are not credits."
        raise Refused(Code.NOTHING_TO_COLLECT, clause, message, in_play=terminal.in_play)
    if valid.sequence != house.tickets.next_number or valid.digest in house.tickets.by_digest:
        message = "Another slip or ticket was issued in the meantime: please collect again."
        facts = {"sequence": valid.sequence, "next": house.tickets.next_number}
        raise Refused(Code.VALIDATION_STALE, desk_clause(house), message, **facts)
    issued = TicketIssued(
        terminal.id,
        valid.sequence,
        form,
        Cents(terminal.credit),
        valid.digest,
        valid.last_four,
        house.day,
        ends_session=not terminal.in_play,
    )
    return (issued,)


def _require_collector(house: House, terminal: Terminal, context: Context) -> None:
    """Staff may collect for a player only if the terminal cannot, and not while bets of its case are in question."""
    locked = lock_objection(house, terminal, Peripheral.PRINTER)
    case = None if terminal.case is None else house.cases.all[terminal.case]
    if not context.person:
        raise_if(blocked_objection(house, terminal) or locked)
    elif case is not None and case.questioned and case.state is CaseState.OPEN:
        raise_if(blocked_objection(house, terminal))
    elif not terminal.closed and case is None and terminal.lost_at is None and locked is None:
        clause = house.rulebook_at(terminal).cited_clauses[CitedTopic.CREDIT_OUT]
        raise Refused(Code.NOT_AUTHORISED, clause, "A terminal in service is for its player to collect from.")


def desk_clause(house: House) -> ClauseId:
    """Name the ticket clause of the first adopted rulebook, if no ticket is known."""
    return next(iter(house.rulebooks.values())).cited_clauses[CitedTopic.TICKET]


#: Paid by the terminal itself: there is no paper, and the record is of a completed payment.
DISPENSED = frozenset({CreditOut.CURRENCY, CreditOut.CHIPS})


@evolves(TicketIssued)
def ticket_issued(house: House, event: TicketIssued, context: Context) -> None:
    """Move the credits in the same entry as the ticket; an amount that the terminal dispenses is paid at once."""
    terminal, dispensed = house.terminals[event.terminal], event.form in DISPENSED
    valid = (event.digest, event.last_four)
    ticket = Ticket(
        event.sequence, event.terminal, event.form, event.amount, *valid, context.now, event.day, context.person
    )
    house.tickets.all[event.sequence] = ticket
    house.tickets.by_digest[event.digest] = event.sequence
    house.tickets.issued += 1
    retire_tickets(house)
    target = LedgerAccount.DISPENSED if dispensed else LedgerAccount.TICKETS
    house.ledger.post(event.amount, source=LedgerAccount.CREDIT, target=target)
    terminal.credit -= event.amount
    terminal.meters.tickets_out += event.amount
    if event.ends_session:
        end(house, terminal)
    if dispensed:
        pay(house, ticket, event.terminal, context)


def pay(house: House, ticket: Ticket, place: str, context: Context) -> None:
    """Record when, where and by whom a ticket was paid."""
    close(house, ticket, TicketState.REDEEMED)
    ticket.paid_at, ticket.paid_place, ticket.paid_by = context.now, place, context.person


def close(house: House, ticket: Ticket, state: TicketState) -> None:
    """Set the state of a ticket that is not payable any more."""
    ticket.state = state
    house.tickets.closed.append(ticket.sequence)


def retire_tickets(house: House) -> None:
    """Drop the oldest paid, void or expired tickets beyond the retention limit."""
    for sequence in take_oldest(house.tickets.closed, house.setup.records_kept):
        ticket = house.tickets.all[sequence]
        if not ticket.payable:
            del house.tickets.all[sequence]
            # A ticket that was transferred and came back has the same number, and another sequence.
            if house.tickets.by_digest[ticket.digest] == sequence:
                del house.tickets.by_digest[ticket.digest]
            house.tickets.retired[sequence] = ticket
            house.tickets.retired_count += 1
            house.tickets.unclaimed_retired += ticket.amount if ticket.state is TicketState.EXPIRED else 0


@command(MachineRole.TERMINAL)
class ConfirmPrint(TerminalCommand, frozen=True):
    """The printer reports that a slip or ticket has been printed and taken."""

    sequence: Annotated[Number, WRITABLE]


@event("Paper {sequence} was printed.", EventTopic.MONEY)
class TicketPrinted(TerminalEvent, frozen=True):
    """A slip or ticket was printed."""

    sequence: Number


@decides(ConfirmPrint)
def confirm_print(house: House, command: ConfirmPrint, _context: Context) -> Events:
    ticket = house.tickets.all.get(command.sequence)
    if ticket is None or ticket.terminal != command.terminal:
        clause = house.rulebook_at(house.terminals[command.terminal]).cited_clauses[CitedTopic.TICKET]
        raise _no_such(command.sequence, clause)
    if ticket.state is not TicketState.ISSUED:
        message = f"{named(ticket)} is {ticket.state.value} already: there is no print to confirm."
        raise Refused(Code.OUT_OF_TURN, ticket_clause(house, ticket), message, state=ticket.state)
    return (TicketPrinted(command.terminal, command.sequence),)


def _no_such(sequence: Number, clause: ClauseId) -> Refused:
    return Refused(Code.UNKNOWN_RECORD, clause, f"There is no slip or ticket {sequence} here.", sequence=sequence)


@evolves(TicketPrinted)
def ticket_printed(house: House, event: TicketPrinted, _context: Context) -> None:
    house.tickets.all[event.sequence].state = TicketState.PRINTED


class TicketCommand(Command, frozen=True):
    """A command about one slip or ticket; the rules of its terminal apply."""

    sequence: Number

    def table_in(self, house: House) -> Table | None:
        ticket = house.tickets.all.get(self.sequence)
        return None if ticket is None else first_table(house, ticket.terminal)

    def ticket_in(self, house: House) -> Ticket:
        """Find the slip or ticket, which may have left the state."""
        ticket = house.tickets.all.get(self.sequence)
        if ticket is None:
            raise _no_such(self.sequence, desk_clause(house))
        return ticket


@command(Duty.INSPECT, signatures=2)
class ReprintTicket(TicketCommand, frozen=True):
    """Print a slip or ticket again, marked as a duplicate."""

    words: str


@event("Paper {sequence} was printed again as a duplicate. {words}", EventTopic.MONEY, EventTopic.SIGNIFICANT)
class TicketReprinted(Event, frozen=True):
    """A duplicate was printed."""

    sequence: Number
    words: str


@decides(ReprintTicket)
def reprint_ticket(house: House, command: ReprintTicket, _context: Context) -> Events:
    ticket = command.ticket_in(house)
    if ticket.payable and ticket.venue:
        message = f"{named(ticket)} was issued by {ticket.venue}: its number is not known here."
        raise Refused(Code.OUT_OF_TURN, ticket_clause(house, ticket), message, venue=ticket.venue)
    if ticket.payable and ticket.reported_lost:
        message = f"{named(ticket)} was reported lost: no other is printed in its place."
        raise Refused(Code.OUT_OF_TURN, ticket_clause(house, ticket), message)
    raise_if(payment_objection(house, ticket))
    return (TicketReprinted(command.sequence, command.words),)


@evolves(TicketReprinted)
def ticket_reprinted(house: House, event: TicketReprinted, _context: Context) -> None:
    """Count the duplicate; it has the number of the original, so only one of them is ever paid."""
    ticket = house.tickets.all[event.sequence]
    ticket.duplicates += 1
    ticket.state = TicketState.PRINTED


@command(Duty.INSPECT, signatures=2)
class VoidTicket(TicketCommand, frozen=True):
    """Void a slip or ticket that was not handed out: its value goes back to its terminal."""

    words: str


@event(
    "Paper {sequence} is void: its value went back. {words}",
    EventTopic.MONEY,
    EventTopic.SIGNIFICANT,
    touches=(Part.TERMINAL,),
)
class TicketVoided(Event, frozen=True):
    """A ticket was voided: its value went back to its terminal."""

    sequence: Number
    words: str

    def terminals_in(self, house: House) -> Iterable[TerminalId]:
        return (house.tickets.find(self.sequence).terminal,)


@decides(VoidTicket)
def void_ticket(house: House, command: VoidTicket, _context: Context) -> Events:
    """Return a ticket to its meter while no paper of it can be in circulation."""
    ticket = command.ticket_in(house)
    if ticket.state is TicketState.PRINTED:
        # 5.5(a) at Adelaide: the slip or the meter, never both payable.
        message = f"{named(ticket)} is printed and may be in a player's hands: it is paid to the bearer."
        raise Refused(Code.OUT_OF_TURN, ticket_clause(house, ticket), message, duplicates=ticket.duplicates)
    raise_if(payment_objection(house, ticket))
    return (TicketVoided(command.sequence, command.words),)


@evolves(TicketVoided)
def ticket_voided(house: House, event: TicketVoided, context: Context) -> None:
    ticket = house.tickets.all[event.sequence]
    terminal = house.terminals[ticket.terminal]
    begin(house, terminal, context)
    close(house, ticket, TicketState.VOID)
    house.ledger.post(ticket.amount, source=LedgerAccount.TICKETS, target=LedgerAccount.CREDIT)
    terminal.credit += ticket.amount
    terminal.meters.tickets_back += ticket.amount


@command(Duty.INSPECT, signatures=2)
class ReleaseTicket(TicketCommand, frozen=True):
    """Make a frozen slip or ticket payable again, after a check that it was not paid."""

    words: str


@event("Paper {sequence} can be paid again. {words}", EventTopic.MONEY, EventTopic.SIGNIFICANT)
class TicketReleased(Event, frozen=True):
    """A frozen ticket can be paid again."""

    sequence: Number
    words: str


@decides(ReleaseTicket)
def release_ticket(house: House, command: ReleaseTicket, _context: Context) -> Events:
    """Make a frozen ticket payable after two people have investigated it."""
    ticket = command.ticket_in(house)
    if ticket.payable and not ticket.frozen:
        raise Refused(Code.OUT_OF_TURN, ticket_clause(house, ticket), f"{named(ticket)} is not frozen.")
    raise_if(_done_with(house, ticket))
    return (TicketReleased(command.sequence, command.words),)


@evolves(TicketReleased)
def ticket_released(house: House, event: TicketReleased, _context: Context) -> None:
    house.tickets.all[event.sequence].frozen = False


@command(Duty.CASH, Duty.INSPECT)
class ReportLost(TicketCommand, frozen=True):
    """A patron reports a lost ticket: it is recorded, and no other is issued."""

    words: str


@event("Paper {sequence} was reported lost. {words}", EventTopic.MONEY, EventTopic.SIGNIFICANT)
class TicketReportedLost(Event, frozen=True):
    """A ticket was reported lost; no replacement is issued."""

    sequence: Number
    clause: ClauseId
    words: str


@decides(ReportLost)
def report_lost(house: House, command: ReportLost, _context: Context) -> Events:
    """Record a loss; the paper stays payable to its bearer, and no replacement is issued (27 at Clearwater)."""
    ticket = command.ticket_in(house)
    raise_if(_done_with(house, ticket))
    return (TicketReportedLost(command.sequence, ticket_clause(house, ticket), command.words),)


@evolves(TicketReportedLost)
def ticket_reported_lost(house: House, event: TicketReportedLost, _context: Context) -> None:
    house.tickets.all[event.sequence].reported_lost = True


@event("Papers lapsed: {sequences}.", EventTopic.MONEY)
class TicketsExpired(Event, frozen=True):
    """Tickets expired with the gaming day."""

    sequences: tuple[Number, ...]


@evolves(TicketsExpired)
def tickets_expired(house: House, event: TicketsExpired, _context: Context) -> None:
    for ticket in map(house.tickets.all.__getitem__, event.sequences):
        close(house, ticket, TicketState.EXPIRED)
        house.ledger.post(ticket.amount, source=LedgerAccount.TICKETS, target=LedgerAccount.UNCLAIMED)


def undispensed(house: House, ticket: Ticket) -> Refusal | None:
    """7(e) at Adelaide: only a dispensed slip is paid: the terminal printed it, or staff collected it."""
    dispensed = ticket.state is not TicketState.ISSUED or ticket.collected_by
    if ticket.form is not CreditOut.PAYMENT_SLIP or dispensed:
        return None
    message = f"{named(ticket)} was not dispensed: have it printed again, or its value put back on its meter."
    clause = house.rulebook_of(ticket).cited_clauses[CitedTopic.CREDIT_OUT]
    return refuse(Code.TICKET_NOT_DISPENSED, clause, message, sequence=ticket.sequence)


def expired(house: House, day: Day) -> tuple[Number, ...]:
    """List the tickets that expire when a gaming day begins; the day of issue counts as their first day."""
    if house.setup.ticket_days is None:
        return ()
    began = date(day // 10_000, day // 100 % 100, day % 100).toordinal()
    last = date.fromordinal(max(began - house.setup.ticket_days, 1))
    lapsed = last.year * 10_000 + last.month * 100 + last.day
    # A ticket issued before the first gaming day has no day to count from, and does not expire.
    # Nor does one that another venue transferred: it was presented here in time.
    return tuple(
        ticket.sequence for ticket in house.tickets.all.values() if ticket.payable and 0 < ticket.day <= lapsed
    )


def last_day(house: House, ticket: Ticket) -> Day | None:
    """Compute the last gaming day on which a ticket is paid; None if it does not expire."""
    if house.setup.ticket_days is None or not ticket.day:
        return None
    issued = date(ticket.day // 10_000, ticket.day // 100 % 100, ticket.day % 100)
    last = date.fromordinal(issued.toordinal() + house.setup.ticket_days - 1)
    return Day(last.year * 10_000 + last.month * 100 + last.day)
