"""Tickets that move between the venues of one operator: a ticket is transferred to the venue that pays it.

The issuer's entry moves the amount from its outstanding tickets to what it owes the other venue. The entry of the other
venue makes the ticket payable there, once. The transfers to a venue are numbered, so that each is received once, and
signed by their issuer, whose key is pinned before.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from croupier.house.credit.tickets import (
    Ticket,
    TicketState,
    close,
    desk_clause,
    find_ticket,
    named,
    payment_objection,
    require_no_slip,
    retire_tickets,
    ticket_clause,
    undispensed,
    unknown_ticket,
)
from croupier.house.declare import (
    Command,
    Decision,
    Event,
    Events,
    EventTopic,
    MachineRole,
    command,
    decides,
    event,
    evolves,
)
from croupier.house.ids import SECOND, Context, Day, Instant, Number, TerminalId
from croupier.house.settings import Mode
from croupier.house.state.ledger import LedgerAccount
from croupier.rules.money import Cents
from croupier.rules.procedure import CreditOut
from croupier.rules.refusal import Code, Refused, raise_if

if TYPE_CHECKING:
    from croupier.house import House


@dataclass(frozen=True, slots=True)
class SentTransfer:
    """The number of a transfer to a venue, the number of the one before, and the ticket's sequence."""

    number: int
    previous: int
    sequence: Number


@dataclass(slots=True)
class VenueAccount:
    """The tickets transferred to another venue and received from it: their totals and their last numbers.

    The totals also have what rounds add to a pot that the other of the two keeps, less what they win.
    """

    sent: int = 0
    received: int = 0
    sent_count: int = 0
    last_sent: int = 0
    last_received: int = 0
    #: Its public key in hexadecimal digits, once it was pinned.
    key: str = ""
    #: The last transfers to it, the oldest first.
    recent: list[SentTransfer] = field(default_factory=list)

    @property
    def owed(self) -> int:
        """What this venue owes to it; negative when it owes."""
        return self.sent - self.received


@command(MachineRole.SYSTEM)
class TransferTicket(Command, frozen=True):
    """Another venue of the operator asks for a ticket that was presented there."""

    digest: str
    venue: str
    #: The number, encrypted with the key that the venues share.
    token: str
    #: The mode of the other venue, the currencies in which it can pay, and whether a terminal took the ticket.
    mode: Mode
    currencies: tuple[str, ...]
    at_terminal: bool


@event("Paper {sequence} was transferred to {venue} as transfer {transfer}.", EventTopic.MONEY)
class TicketTransferred(Event, frozen=True):
    """A ticket is another venue's to pay: what was owed to its bearer is owed to that venue."""

    sequence: Number
    venue: str
    transfer: int
    token: str


@decides(TransferTicket)
def transfer_ticket(house: House, command: TransferTicket, _context: Context) -> Decision:
    """Give a payable ticket to the venue where it was presented; the rules that issued it apply."""
    ticket = find_ticket(house, command.digest)
    if ticket is None:
        return unknown_ticket(desk_clause(house))
    raise_if(payment_objection(house, ticket) or undispensed(house, ticket))
    if command.at_terminal:
        require_no_slip(house, ticket)
    clause, currency = ticket_clause(house, ticket), house.rulebook_of(ticket).currency
    if command.mode is not house.setup.mode:
        message = f"{named(ticket)} was issued in a demonstration, or {command.venue} is one: it is not paid there."
        raise Refused(Code.NOT_TAKEN_HERE, clause, message, mode=house.setup.mode)
    if currency not in command.currencies:
        message = f"{named(ticket)} is in {currency}, and {command.venue} pays in {' or '.join(command.currencies)}."
        raise Refused(Code.NOT_TAKEN_HERE, clause, message, why="other_currency", currency=currency)
    # A lost part of the journal may have used as many numbers as were skipped.
    number = account_with(house, command.venue).sent_count + house.tickets.skipped + 1
    return (TicketTransferred(ticket.sequence, command.venue, number, command.token),)


def account_with(house: House, venue: str) -> VenueAccount:
    """Find the account with another venue; an empty one if no ticket was transferred yet."""
    return house.venue_accounts.get(venue) or VenueAccount()


#: How many of the last transfers to a venue stay listed: those that may not be in the database yet.
SENT_KEPT: Final = 256


@evolves(TicketTransferred)
def ticket_transferred(house: House, event: TicketTransferred, context: Context) -> None:
    ticket, account = (
        house.tickets.all[event.sequence],
        house.venue_accounts.setdefault(event.venue, VenueAccount()),
    )
    close(house, ticket, TicketState.TRANSFERRED)
    ticket.paid_at, ticket.paid_place, ticket.token = context.now, event.venue, event.token
    account.recent.append(SentTransfer(event.transfer, account.last_sent, event.sequence))
    del account.recent[:-SENT_KEPT]
    account.sent += ticket.amount
    account.sent_count += 1
    account.last_sent = event.transfer
    house.ledger.post(ticket.amount, source=LedgerAccount.TICKETS, target=LedgerAccount.INTER_VENUE)


@command(MachineRole.SYSTEM)
class ReceiveTicket(Command, frozen=True):
    """Another venue of the operator has transferred a ticket to this one."""

    venue: str
    #: The number of the transfer, and of the one before it from the same venue.
    transfer: int
    previous: int
    digest: str
    last_four: str
    form: CreditOut
    amount: Cents
    currency: str
    issued_at: Instant
    #: When the other venue transferred it.
    at: Instant
    #: The transfer as the other venue has written it, and its signature in hexadecimal digits.
    body: str
    signature: str
    #: The number, encrypted with the key that the venues share: another venue may ask for the ticket.
    token: str = ""


@event("Paper {sequence} of {amount} was received from {venue} as transfer {transfer}.", EventTopic.MONEY)
class TicketReceived(Event, frozen=True):
    """A ticket of another venue can be paid here: that venue owes its amount, and this one owes it to the bearer."""

    sequence: Number
    venue: str
    transfer: int
    digest: str
    last_four: str
    form: CreditOut
    amount: Cents
    currency: str
    issued_at: Instant
    #: Whether it may have been received and paid in a lost part of the journal.
    frozen: bool
    #: The transfer as the other venue has written it, and its signature, by which an audit verifies it.
    body: str = ""
    signature: str = ""
    #: The number, encrypted with the key that the venues share.
    token: str = ""


#: How far the clocks of two venues may differ.
CLOCKS_DIFFER: Final = 3_600 * SECOND


@decides(ReceiveTicket)
def receive_ticket(house: House, command: ReceiveTicket, _context: Context) -> Events:
    """Take over a ticket, once: its transfer must follow the last one that was received from the venue."""
    last, clause = account_with(house, command.venue).last_received, desk_clause(house)
    if command.transfer <= last:
        message = f"Transfer {command.transfer} from {command.venue} was received already."
        raise Refused(Code.ALREADY_THERE, clause, message, transfer=command.transfer, last=last)
    if command.previous > last:
        message = f"Transfer {command.previous} from {command.venue} comes before transfer {command.transfer}."
        raise Refused(Code.OUT_OF_TURN, clause, message, previous=command.previous, last=last)
    known = find_ticket(house, command.digest)
    if known is not None and known.state is not TicketState.TRANSFERRED:
        message = f"{named(known)} has the number of transfer {command.transfer} from {command.venue}."
        raise Refused(Code.ALREADY_THERE, ticket_clause(house, known), message, sequence=known.sequence)
    if all(book.currency != command.currency for book in house.rulebooks.values()):
        message = f"Transfer {command.transfer} from {command.venue} is in {command.currency}, which is not paid here."
        raise Refused(Code.NOT_TAKEN_HERE, clause, message, why="other_currency", currency=command.currency)
    lost_at = house.history_accepted_at
    received = TicketReceived(
        house.tickets.next_number,
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
        token=command.token,
    )
    return (received,)


@evolves(TicketReceived)
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
        token=event.token,
    )
    house.tickets.all[event.sequence] = ticket
    house.tickets.by_digest[event.digest] = event.sequence
    house.tickets.received += 1
    retire_tickets(house)
    account.received += event.amount
    account.last_received = event.transfer
    house.ledger.post(event.amount, source=LedgerAccount.INTER_VENUE, target=LedgerAccount.TICKETS)


@command(MachineRole.SYSTEM)
class PinVenue(Command, frozen=True):
    """Accept tickets of another venue of the operator that are signed with this key, from now on."""

    venue: str
    #: Its public key, in 64 hexadecimal digits.
    key: str


@event("Tickets of {venue} are received with its key {key}.", EventTopic.MONEY, EventTopic.SIGNIFICANT)
class VenuePinned(Event, frozen=True):
    """The key of another venue was pinned: transfers from it must be signed with it."""

    venue: str
    key: str


@decides(PinVenue)
def pin_venue(house: House, command: PinVenue, _context: Context) -> Events:
    """Pin the key of another venue; the one before is not accepted any more."""
    if account_with(house, command.venue).key == command.key:
        message = f"The key of {command.venue} is pinned already."
        raise Refused(Code.ALREADY_THERE, desk_clause(house), message, venue=command.venue)
    return (VenuePinned(command.venue, command.key),)


@evolves(VenuePinned)
def venue_pinned(house: House, event: VenuePinned, _context: Context) -> None:
    house.venue_accounts.setdefault(event.venue, VenueAccount()).key = event.key
