"""The counter's paper: slips and tickets with the number that their bearer holds, and receipts for what was paid."""

from datetime import date, timedelta

from croupier.devices.validation import Numbers
from croupier.house.answer import refuse
from croupier.house.desk import Ticket, TicketState
from croupier.house.name import Day, DrawerId, Instant, Number
from croupier.house.state import House
from croupier.house.tickets import DISPENSED, desk_clause, ticket_clause, unknown_ticket, unpayable
from croupier.office.stationery import copies, currency_at, letterhead, no_record
from croupier.paper.receipt import Receipt, TicketPaid
from croupier.paper.slip import Slip
from croupier.rules.money import Cents
from croupier.rules.procedure import CreditOut
from croupier.rules.refusal import Code, Refusal


def slip(house: House, sequence: Number, number: str, numbers: Numbers) -> Slip | Refusal:
    """Put a slip or ticket on paper for whoever holds its number: nobody is told one."""
    digest = numbers.read(number)
    if isinstance(digest, Refusal):
        return digest
    ticket = house.tickets.get(sequence)
    if ticket is None or ticket.digest != digest:
        return unknown_ticket(desk_clause(house))
    return unpayable(house, ticket) or _printed(house, ticket) or _slip(house, ticket, numbers.number(sequence))


def _printed(house: House, ticket: Ticket) -> Refusal | None:
    return None if ticket.state is TicketState.ISSUED or ticket.duplicates else already_out(house, ticket)


def already_out(house: House, ticket: Ticket) -> Refusal:
    """Say that the paper is out: another is a duplicate, which takes two people and says so."""
    says = f"Number {ticket.sequence} is on paper already: a duplicate is printed where two people have signed for it."
    return refuse(Code.OUT_OF_TURN, ticket_clause(house, ticket), says, sequence=ticket.sequence)


def _slip(house: House, ticket: Ticket, number: str) -> Slip:
    return Slip(
        head=letterhead(house),
        form=ticket.form,
        number=number,
        sequence=ticket.sequence,
        amount=Cents(ticket.amount),
        currency=currency_at(house, ticket.terminal),
        issued_at=ticket.issued_at,
        terminal=ticket.terminal,
        last_day=_last_day(house, ticket),
        notice=_notice(house, ticket),
        duplicate=ticket.duplicates,
    )


def _last_day(house: House, ticket: Ticket) -> Day | None:
    """Name the last gaming day on which a ticket is paid: the day of issue is the first of its days."""
    if house.ticket_days is None or not ticket.day:
        return None
    issued = date(ticket.day // 10_000, ticket.day // 100 % 100, ticket.day % 100)
    return Day(int(f"{issued + timedelta(days=house.ticket_days - 1):%Y%m%d}"))


def _notice(house: House, ticket: Ticket) -> str:
    """27 at Clearwater: the ticket itself says who bears its loss."""
    if ticket.form is not CreditOut.TICKET:
        return ""
    return f"The casino is not responsible for lost or stolen tickets [{ticket_clause(house, ticket)}]."


def ticket_receipt(house: House, sequence: Number, now: Instant, closed: Ticket | None = None) -> Receipt | Refusal:
    """Put on paper that a slip or ticket was paid at the desk; one that has left the state is handed in."""
    ticket = house.tickets.get(sequence) or closed
    if ticket is None:
        return no_record(f"There is no slip or ticket {sequence} here.", sequence=sequence)
    # Nobody is signed in at a terminal: what a person has paid was paid from a drawer, or came out of the terminal.
    if ticket.paid_at is None or not ticket.paid_by or ticket.form in DISPENSED:
        says = f"Slip or ticket {sequence} was not paid at the desk."
        return refuse(Code.OUT_OF_TURN, ticket_clause(house, ticket), says, sequence=sequence)
    return Receipt(
        head=letterhead(house),
        subject=TicketPaid(ticket.sequence, ticket.last_four, ticket.terminal, ticket.issued_at),
        amount=Cents(ticket.amount),
        currency=currency_at(house, ticket.terminal),
        at=ticket.paid_at,
        drawer=DrawerId(ticket.paid_place),
        cashier=ticket.paid_by,
        duplicate=copies(ticket.paid_at, now),
    )
