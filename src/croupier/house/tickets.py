"""Slips and tickets: credits on paper, from collecting them to the day they lapse."""

from datetime import date
from typing import assert_never

from croupier.house import session
from croupier.house.answer import Deciders, Decision, Evolvers, refuse
from croupier.house.books import Account
from croupier.house.command.credit import (
    Collect,
    ConfirmPrint,
    InsertTicket,
    ReleaseTicket,
    ReportLost,
    ReprintTicket,
    Validation,
    VoidTicket,
)
from croupier.house.desk import Ticket, TicketState
from croupier.house.docket import CaseState
from croupier.house.event.credit import (
    TicketIssued,
    TicketPrinted,
    TicketRedeemed,
    TicketReleased,
    TicketReportedLost,
    TicketReprinted,
    TicketsExpired,
    TicketVoided,
)
from croupier.house.name import Day, Number
from croupier.house.notes import not_taken
from croupier.house.retention import retire_tickets
from croupier.house.service import blocked, held, out_of_service
from croupier.house.stamp import Stamp
from croupier.house.state import House
from croupier.house.terminal import Terminal
from croupier.rules.clause import ClauseId
from croupier.rules.matter import Matter
from croupier.rules.money import Cents, amount_text
from croupier.rules.procedure import CreditIn, CreditOut
from croupier.rules.refusal import Code, Refusal
from croupier.rules.rulebook import Rulebook

#: What a terminal pays out by itself: there is no paper, and the record is of something paid.
DISPENSED = frozenset({CreditOut.CURRENCY, CreditOut.CHIPS})


def collect(house: House, command: Collect, stamp: Stamp) -> Decision:
    """Cash out all free credits, in any state of the round; stakes in play are not among them."""
    terminal = house.terminals[command.terminal]
    form, valid = command.form or terminal.channel.credit_out[0].does, command.validation
    assert valid is not None
    refusal = (
        _withheld(house, terminal, stamp)
        or held(terminal, house.rulebook_at(terminal))
        or _not_paid(terminal, form, house.rulebook_at(terminal))
        or _stale(house, valid)
    )
    amount = Cents(terminal.credit)
    issued = TicketIssued(terminal.id, valid.sequence, form, amount, valid.digest, valid.last_four, house.day)
    return refusal or (issued,)


def _withheld(house: House, terminal: Terminal, stamp: Stamp) -> Refusal | None:
    """Staff collect for a player only where the terminal cannot, and not while bets of its case are in question."""
    if not stamp.person:
        return blocked(house, terminal)
    case = None if terminal.case is None else house.cases[terminal.case]
    if case is not None and case.questioned and case.state is CaseState.OPEN:
        return blocked(house, terminal)
    if terminal.closed or case is not None or terminal.lost_at is not None:
        return None
    clause = house.rulebook_at(terminal).cites[Matter.CREDIT_OUT]
    return refuse(Code.NOT_AUTHORISED, clause, "A terminal in service is for its player to collect from.")


def ticket_issued(house: House, event: TicketIssued, stamp: Stamp) -> None:
    """Move the credits in one entry with the ticket; what the terminal dispenses is paid at once."""
    terminal, dispensed = house.terminals[event.terminal], event.form in DISPENSED
    valid = (event.digest, event.last_four)
    ticket = Ticket(
        event.sequence, event.terminal, event.form, event.amount, *valid, stamp.now, event.day, stamp.person
    )
    house.tickets[event.sequence] = ticket
    house.ticket_digests[event.digest] = event.sequence
    house.tickets_issued += 1
    retire_tickets(house)
    target = Account.DISPENSED if dispensed else Account.TICKETS
    house.books.move(event.amount, source=Account.CREDIT, target=target)
    terminal.credit -= event.amount
    terminal.meters.tickets_out += event.amount
    if not terminal.in_play:
        session.end(house, terminal)
    if dispensed:
        pay(house, ticket, event.terminal, stamp)


def pay(house: House, ticket: Ticket, place: str, stamp: Stamp) -> None:
    """Note when, where and by whom a ticket was paid."""
    _close(house, ticket, TicketState.REDEEMED)
    ticket.paid_at, ticket.paid_place, ticket.paid_by = stamp.now, place, stamp.person


def _close(house: House, ticket: Ticket, state: TicketState) -> None:
    ticket.state = state
    house.closed_tickets.append(ticket.sequence)


def _not_paid(terminal: Terminal, form: CreditOut, rulebook: Rulebook) -> Refusal | None:
    clause, forms = rulebook.cites[Matter.CREDIT_OUT], tuple(ruling.does for ruling in terminal.channel.credit_out)
    if form not in forms:
        says = f"Credits are paid here as {' or '.join(map(_words, forms))}, not as {_words(form)}."
        return refuse(Code.NOT_PAID_HERE, clause, says, form=form, forms=forms)
    if terminal.credit == 0:
        says = "There is nothing to collect: stakes in play are not credits."
        return refuse(Code.NOTHING_TO_COLLECT, clause, says, in_play=terminal.in_play)
    return None


def _stale(house: House, valid: Validation) -> Refusal | None:
    if valid.sequence == house.next_ticket and valid.digest not in house.ticket_digests:
        return None
    says = "Another slip or ticket was issued in the meantime: please collect again."
    return refuse(Code.VALIDATION_STALE, desk_clause(house), says, sequence=valid.sequence, next=house.next_ticket)


def confirm_print(house: House, command: ConfirmPrint, _stamp: Stamp) -> Decision:
    ticket = house.tickets.get(command.sequence)
    if ticket is None or ticket.terminal != command.terminal:
        clause = house.rulebook_at(house.terminals[command.terminal]).cites[Matter.TICKET]
        return _no_such(command.sequence, clause)
    if ticket.state is not TicketState.ISSUED:
        says = f"{_named(ticket)} is {ticket.state.value} already: there is no print to confirm."
        return refuse(Code.OUT_OF_TURN, ticket_clause(house, ticket), says, state=ticket.state)
    return (TicketPrinted(command.terminal, command.sequence),)


def ticket_printed(house: House, event: TicketPrinted, _stamp: Stamp) -> None:
    house.tickets[event.sequence].state = TicketState.PRINTED


def reprint_ticket(house: House, command: ReprintTicket, _stamp: Stamp) -> Decision:
    ticket = house.tickets.get(command.sequence)
    if ticket is None:
        return _no_such(command.sequence, desk_clause(house))
    if ticket.payable and ticket.reported_lost:
        says = f"{_named(ticket)} was reported lost: no other is printed in its place."
        return refuse(Code.OUT_OF_TURN, ticket_clause(house, ticket), says)
    return unpayable(house, ticket) or (TicketReprinted(command.sequence, command.words),)


def ticket_reprinted(house: House, event: TicketReprinted, _stamp: Stamp) -> None:
    """Count the duplicate; it has the number of the first, so that only one of them is ever paid."""
    ticket = house.tickets[event.sequence]
    ticket.duplicates += 1
    ticket.state = TicketState.PRINTED


def void_ticket(house: House, command: VoidTicket, _stamp: Stamp) -> Decision:
    """Give a ticket back to its meter while no paper of it can be in anybody's hands."""
    ticket = house.tickets.get(command.sequence)
    if ticket is None:
        return _no_such(command.sequence, desk_clause(house))
    if ticket.state is TicketState.PRINTED:
        # 5.5(a) at Adelaide: the slip or the meter, never both payable.
        says = f"{_named(ticket)} is printed and may be in a player's hands: it is paid to whoever brings it."
        return refuse(Code.OUT_OF_TURN, ticket_clause(house, ticket), says, duplicates=ticket.duplicates)
    return unpayable(house, ticket) or (TicketVoided(command.sequence, command.words),)


def ticket_voided(house: House, event: TicketVoided, stamp: Stamp) -> None:
    ticket = house.tickets[event.sequence]
    terminal = house.terminals[ticket.terminal]
    session.begin(house, terminal, stamp)
    _close(house, ticket, TicketState.VOID)
    house.books.move(ticket.amount, source=Account.TICKETS, target=Account.CREDIT)
    terminal.credit += ticket.amount
    terminal.meters.tickets_back += ticket.amount


def release_ticket(house: House, command: ReleaseTicket, _stamp: Stamp) -> Decision:
    """Make a frozen ticket payable, which two people have looked into."""
    ticket = house.tickets.get(command.sequence)
    if ticket is None:
        return _no_such(command.sequence, desk_clause(house))
    if ticket.payable and not ticket.frozen:
        return refuse(Code.OUT_OF_TURN, ticket_clause(house, ticket), f"{_named(ticket)} is not frozen.")
    return _done_with(house, ticket) or (TicketReleased(command.sequence, command.words),)


def ticket_released(house: House, event: TicketReleased, _stamp: Stamp) -> None:
    house.tickets[event.sequence].frozen = False


def report_lost(house: House, command: ReportLost, _stamp: Stamp) -> Decision:
    """Note a loss; the paper stays payable to whoever brings it, and no other is issued (27 at Clearwater)."""
    ticket = house.tickets.get(command.sequence)
    if ticket is None:
        return _no_such(command.sequence, desk_clause(house))
    lost = TicketReportedLost(command.sequence, ticket_clause(house, ticket), command.words)
    return _done_with(house, ticket) or (lost,)


def ticket_reported_lost(house: House, event: TicketReportedLost, _stamp: Stamp) -> None:
    house.tickets[event.sequence].reported_lost = True


def insert_ticket(house: House, command: InsertTicket, _stamp: Stamp) -> Decision:
    terminal = house.terminals[command.terminal]
    rulebook = house.rulebook_at(terminal)
    refusal = out_of_service(house, terminal, rulebook) or _no_tickets_in(rulebook, terminal)
    if refusal is not None:
        return refusal
    ticket = find_ticket(house, command.digest)
    if ticket is None:
        return unknown_ticket(rulebook.cites[Matter.TICKET])
    return (
        _for_the_cashier(house, ticket)
        or _other_currency(house, ticket, rulebook)
        or unpayable(house, ticket)
        or (TicketRedeemed(ticket.sequence, place=terminal.id, at_terminal=True),)
    )


def find_ticket(house: House, digest: str) -> Ticket | None:
    sequence = house.ticket_digests.get(digest)
    return None if sequence is None else house.tickets[sequence]


def unknown_ticket(clause: ClauseId) -> Refusal:
    return refuse(Code.TICKET_UNKNOWN, clause, "The house has issued no slip or ticket with this number.")


def unpayable(house: House, ticket: Ticket) -> Refusal | None:
    """Say why a ticket cannot be paid: it was, or may have been, or it is void or has lapsed."""
    if not (ticket.payable and ticket.frozen):
        return _done_with(house, ticket)
    says = f"{_named(ticket)} is frozen until two people release it: part of the record is lost, and it may be paid."
    return refuse(Code.TICKET_FROZEN, ticket_clause(house, ticket), says, sequence=ticket.sequence)


def undispensed(house: House, ticket: Ticket) -> Refusal | None:
    """7(e) at Adelaide: only a slip that was dispensed is paid: the terminal printed it, or staff collected it."""
    dispensed = ticket.state is not TicketState.ISSUED or ticket.collected_by
    if ticket.form is not CreditOut.PAYMENT_SLIP or dispensed:
        return None
    says = f"{_named(ticket)} was not dispensed: have it printed again, or its value put back on its meter."
    clause = house.rulebook_at(house.terminals[ticket.terminal]).cites[Matter.CREDIT_OUT]
    return refuse(Code.TICKET_NOT_DISPENSED, clause, says, sequence=ticket.sequence)


def _done_with(house: House, ticket: Ticket) -> Refusal | None:
    """Say that a ticket is paid, void or lapsed by the record."""
    clause, name = ticket_clause(house, ticket), _named(ticket)
    match ticket.state:
        case TicketState.ISSUED | TicketState.PRINTED:
            return None
        case TicketState.REDEEMED:
            by = f" by {ticket.paid_by}" if ticket.paid_by else ""
            paid = {"paid_at": ticket.paid_at, "place": ticket.paid_place, "by": ticket.paid_by}
            return refuse(Code.TICKET_PAID, clause, f"{name} is already paid, at {ticket.paid_place}{by}.", **paid)
        case TicketState.VOID:
            says = f"{name} is void: its value went back to terminal {ticket.terminal}."
            return refuse(Code.TICKET_VOID, clause, says, terminal=ticket.terminal)
        case TicketState.EXPIRED:
            says = f"{name} was not redeemed within {house.ticket_days} gaming days."
            return refuse(Code.TICKET_EXPIRED, clause, says, day=ticket.day, days=house.ticket_days)
        case _:
            assert_never(ticket.state)


def expired(house: House, day: Day) -> tuple[Number, ...]:
    """Name the tickets that lapse when a gaming day begins; the day of issue is the first of their days."""
    if house.ticket_days is None:
        return ()
    began = date(day // 10_000, day // 100 % 100, day % 100).toordinal()
    last = date.fromordinal(max(began - house.ticket_days, 1))
    lapsed = last.year * 10_000 + last.month * 100 + last.day
    # What was issued before the first gaming day has no day to count from, and does not lapse.
    return tuple(ticket.sequence for ticket in house.tickets.values() if ticket.payable and 0 < ticket.day <= lapsed)


def tickets_expired(house: House, event: TicketsExpired, _stamp: Stamp) -> None:
    for ticket in map(house.tickets.__getitem__, event.sequences):
        _close(house, ticket, TicketState.EXPIRED)
        house.books.move(ticket.amount, source=Account.TICKETS, target=Account.UNCLAIMED)


def ticket_clause(house: House, ticket: Ticket) -> ClauseId:
    """Name the clause on tickets of the rules at the terminal that issued this one."""
    return house.rulebook_at(house.terminals[ticket.terminal]).cites[Matter.TICKET]


def desk_clause(house: House) -> ClauseId:
    """Name the clause on tickets where none is at hand: of the first rulebook that the house adopted."""
    return next(iter(house.rulebooks.values())).cites[Matter.TICKET]


def _no_such(sequence: Number, clause: ClauseId) -> Refusal:
    return refuse(Code.UNKNOWN_RECORD, clause, f"There is no slip or ticket {sequence} here.", sequence=sequence)


def _no_tickets_in(rulebook: Rulebook, terminal: Terminal) -> Refusal | None:
    if any(ruling.does is CreditIn.TICKETS for ruling in terminal.channel.credit_in):
        return None
    return not_taken(rulebook, "Slips and tickets are not taken here: please bring yours to the cashier.")


def _for_the_cashier(house: House, ticket: Ticket) -> Refusal | None:
    """Keep slips of a table whose rules have them paid by the cashier alone out of terminals that take tickets."""
    if ticket.form is not CreditOut.PAYMENT_SLIP:
        return None
    rulebook = house.rulebook_at(house.terminals[ticket.terminal])
    says = f"{_named(ticket)} is for the cashier: {amount_text(ticket.amount)} {rulebook.currency} are paid there."
    return refuse(Code.NOT_TAKEN_HERE, rulebook.cites[Matter.CREDIT_OUT], says, form=ticket.form)


def _other_currency(house: House, ticket: Ticket, rulebook: Rulebook) -> Refusal | None:
    """Say that a ticket is not worth what a terminal counts in, as it may be where a demonstration has many venues."""
    issued = house.rulebook_at(house.terminals[ticket.terminal]).currency
    if issued == rulebook.currency:
        return None
    says = f"{_named(ticket)} is in {issued}, and this terminal counts in {rulebook.currency}: bring it to the cashier."
    return refuse(Code.NOT_TAKEN_HERE, rulebook.cites[Matter.TICKET], says, currency=issued)


def _named(ticket: Ticket) -> str:
    return f"{_words(ticket.form).capitalize()} {ticket.sequence}"


def _words(form: CreditOut) -> str:
    return form.value.replace("_", " ")


DECIDERS: Deciders = {
    Collect: collect,
    ConfirmPrint: confirm_print,
    ReprintTicket: reprint_ticket,
    VoidTicket: void_ticket,
    ReleaseTicket: release_ticket,
    ReportLost: report_lost,
    InsertTicket: insert_ticket,
}
EVOLVERS: Evolvers = {
    TicketIssued: ticket_issued,
    TicketPrinted: ticket_printed,
    TicketReprinted: ticket_reprinted,
    TicketVoided: ticket_voided,
    TicketReleased: ticket_released,
    TicketReportedLost: ticket_reported_lost,
    TicketsExpired: tickets_expired,
}
