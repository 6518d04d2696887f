"""Tickets that move between the venues of one operator: a ticket is transferred to the venue that pays it.

The issuer's entry moves the amount from its outstanding tickets to what it owes the other venue. The entry of the other
venue makes the ticket payable there, once. The transfers to a venue are numbered, so that each is received once, and
signed by their issuer, whose key is pinned before.
"""

from typing import Final

from croupier.house.base import Decision
from croupier.house.commands.credit import PinVenue, ReceiveTicket, TransferTicket
from croupier.house.events.credit import TicketReceived, TicketTransferred, VenuePinned
from croupier.house.ids import SECOND, Context, Day, TerminalId
from croupier.house.state import Deciders, Evolvers, House, retire_tickets
from croupier.house.state.money import SENT_KEPT, LedgerAccount, SentTransfer, Ticket, TicketState, VenueAccount
from croupier.house.tickets import (
    close,
    desk_clause,
    find_ticket,
    for_the_cashier,
    named,
    payment_objection,
    ticket_clause,
    undispensed,
    unknown_ticket,
)
from croupier.rules.refusal import Code, Refusal, refuse

#: How far the clocks of two venues may differ.
CLOCKS_DIFFER: Final = 3_600 * SECOND


def transfer_ticket(house: House, command: TransferTicket, _context: Context) -> Decision:
    """Give a payable ticket to the venue where it was presented; the rules that issued it apply."""
    ticket = find_ticket(house, command.digest)
    if ticket is None:
        return unknown_ticket(desk_clause(house))
    # A lost part of the journal may have used as many numbers as were skipped.
    number = account_with(house, command.venue).sent_count + house.tickets_skipped + 1
    return (
        payment_objection(house, ticket)
        or undispensed(house, ticket)
        or (for_the_cashier(house, ticket) if command.at_terminal else None)
        or _not_payable_there(house, ticket, command)
        or (TicketTransferred(ticket.sequence, command.venue, number, command.token),)
    )


def _not_payable_there(house: House, ticket: Ticket, command: TransferTicket) -> Refusal | None:
    """Refuse to transfer a ticket between play money and real money, or to a venue that pays in other currencies."""
    clause, currency = ticket_clause(house, ticket), house.rulebook_of(ticket).currency
    if command.mode is not house.mode:
        message = f"{named(ticket)} was issued in a demonstration, or {command.venue} is one: it is not paid there."
        return refuse(Code.NOT_TAKEN_HERE, clause, message, mode=house.mode)
    if currency in command.currencies:
        return None
    message = f"{named(ticket)} is in {currency}, and {command.venue} pays in {' or '.join(command.currencies)}."
    return refuse(Code.NOT_TAKEN_HERE, clause, message, why="other_currency", currency=currency)


def account_with(house: House, venue: str) -> VenueAccount:
    """Find the account with another venue; an empty one if no ticket was transferred yet."""
    return house.venue_accounts.get(venue) or VenueAccount()


def ticket_transferred(house: House, event: TicketTransferred, context: Context) -> None:
    ticket, account = house.tickets[event.sequence], house.venue_accounts.setdefault(event.venue, VenueAccount())
    close(house, ticket, TicketState.TRANSFERRED)
    ticket.paid_at, ticket.paid_place, ticket.token = context.now, event.venue, event.token
    account.recent.append(SentTransfer(event.transfer, account.last_sent, event.sequence))
    if len(account.recent) > SENT_KEPT:
        account.recent.popleft()
    account.sent += ticket.amount
    account.sent_count += 1
    account.last_sent = event.transfer
    house.ledger.post(ticket.amount, source=LedgerAccount.TICKETS, target=LedgerAccount.INTER_VENUE)


def receive_ticket(house: House, command: ReceiveTicket, _context: Context) -> Decision:
    """Take over a ticket, once: its transfer must follow the last one that was received from the venue."""
    last, clause = account_with(house, command.venue).last_received, desk_clause(house)
    if command.transfer <= last:
        message = f"Transfer {command.transfer} from {command.venue} was received already."
        return refuse(Code.ALREADY_THERE, clause, message, transfer=command.transfer, last=last)
    if command.previous > last:
        message = f"Transfer {command.previous} from {command.venue} comes before transfer {command.transfer}."
        return refuse(Code.OUT_OF_TURN, clause, message, previous=command.previous, last=last)
    known = find_ticket(house, command.digest)
    if known is not None and known.state is not TicketState.TRANSFERRED:
        message = f"{named(known)} has the number of transfer {command.transfer} from {command.venue}."
        return refuse(Code.ALREADY_THERE, ticket_clause(house, known), message, sequence=known.sequence)
    if all(book.currency != command.currency for book in house.rulebooks.values()):
        message = f"Transfer {command.transfer} from {command.venue} is in {command.currency}, which is not paid here."
        return refuse(Code.NOT_TAKEN_HERE, clause, message, why="other_currency", currency=command.currency)
    lost_at = house.history_accepted_at
    received = TicketReceived(
        house.next_ticket,
        command.venue,
        command.transfer,
        command.digest,
        command.last_four,
        command.form,
        command.amount,
        command.currency,
        command.issued_at,
        # A lost part of the journal may have received and paid it.
        frozen=lost_at is not None and command.at <= lost_at + CLOCKS_DIFFER,
        body=command.body,
        signature=command.signature,
    )
    return (received,)


def ticket_received(house: House, event: TicketReceived, _context: Context) -> None:
    account = house.venue_accounts.setdefault(event.venue, VenueAccount())
    ticket = Ticket(
        event.sequence,
        TerminalId(""),
        event.form,
        event.amount,
        event.digest,
        event.last_four,
        event.issued_at,
        # It was presented before it expired.
        Day(0),
        # The bearer has presented the paper.
        state=TicketState.PRINTED,
        frozen=event.frozen,
        venue=event.venue,
        currency=event.currency,
    )
    house.tickets[event.sequence] = ticket
    house.ticket_digests[event.digest] = event.sequence
    house.tickets_received += 1
    retire_tickets(house)
    account.received += event.amount
    account.last_received = event.transfer
    house.ledger.post(event.amount, source=LedgerAccount.INTER_VENUE, target=LedgerAccount.TICKETS)


def pin_venue(house: House, command: PinVenue, _context: Context) -> Decision:
    """Pin the key of another venue; the one before is not accepted any more."""
    if account_with(house, command.venue).key == command.key:
        message = f"The key of {command.venue} is pinned already."
        return refuse(Code.ALREADY_THERE, desk_clause(house), message, venue=command.venue)
    return (VenuePinned(command.venue, command.key),)


def venue_pinned(house: House, event: VenuePinned, _context: Context) -> None:
    house.venue_accounts.setdefault(event.venue, VenueAccount()).key = event.key


DECIDERS: Deciders = {TransferTicket: transfer_ticket, ReceiveTicket: receive_ticket, PinVenue: pin_venue}


EVOLVERS: Evolvers = {
    TicketTransferred: ticket_transferred,
    TicketReceived: ticket_received,
    VenuePinned: venue_pinned,
}
