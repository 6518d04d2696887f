"""Projection of drawer shifts."""

from dataclasses import dataclass, field
from datetime import date, timedelta

from croupier.devices.validation import ValidationNumbers
from croupier.engine.projections import Projection
from croupier.house.events.credit import (
    BoughtIn,
    DrawerClosed,
    DrawerCounted,
    DrawerOpened,
    HeldWinPaid,
    PayablePaid,
    TicketRedeemed,
)
from croupier.house.ids import Day, DrawerId, Instant, Number, PersonId, TerminalId
from croupier.house.state import House
from croupier.house.state.money import Ticket, TicketState
from croupier.house.state.tables import Cause
from croupier.house.tickets import DISPENSED, desk_clause, payment_objection, ticket_clause, unknown_ticket
from croupier.journal.entry import Entry
from croupier.reports.header import copies, currencies, currency_at, document_header, no_record
from croupier.reports.round_projection import HeldWinProjection
from croupier.reports.slips import BuyInPaid, Payable, Receipt, Slip, TicketPaid
from croupier.reports.summaries import Kind, Movement, ShiftReport
from croupier.rules.money import Cents
from croupier.rules.procedure import CreditOut
from croupier.rules.refusal import Code, Refusal, refuse


def slip(house: House, sequence: Number, number: str, numbers: ValidationNumbers) -> Slip | Refusal:
    """Put a slip or ticket on paper for whoever holds its number: nobody is told one."""
    digest = numbers.read(number)
    if isinstance(digest, Refusal):
        return digest
    ticket = house.tickets.get(sequence)
    if ticket is None or ticket.digest != digest:
        return unknown_ticket(desk_clause(house))
    return payment_objection(house, ticket) or _printed(house, ticket) or _slip(house, ticket, numbers.number(sequence))


def _printed(house: House, ticket: Ticket) -> Refusal | None:
    return None if ticket.state is TicketState.ISSUED or ticket.duplicates else already_out(house, ticket)


def already_out(house: House, ticket: Ticket) -> Refusal:
    """Say that the paper is out: another is a duplicate, which takes two people and says so."""
    says = f"Number {ticket.sequence} is on paper already: a duplicate is printed where two people have signed for it."
    return refuse(Code.OUT_OF_TURN, ticket_clause(house, ticket), says, sequence=ticket.sequence)


def _slip(house: House, ticket: Ticket, number: str) -> Slip:
    return Slip(
        head=document_header(house),
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
        head=document_header(house),
        subject=TicketPaid(ticket.sequence, ticket.last_four, ticket.terminal, ticket.issued_at),
        amount=Cents(ticket.amount),
        currency=currency_at(house, ticket.terminal),
        at=ticket.paid_at,
        drawer=DrawerId(ticket.paid_place),
        cashier=ticket.paid_by,
        duplicate=copies(ticket.paid_at, now),
    )


@dataclass(frozen=True, slots=True)
class BuyInRecord:
    """Credits that were sold over the counter: the entry that tells so, to whom, and for how much."""

    position: int
    at: Instant
    terminal: TerminalId
    amount: int


@dataclass(frozen=True, slots=True)
class PaidPayable:
    """What a correction brought an ended session, as it was paid: by which entry, signed by whom, and why."""

    event: PayablePaid
    at: Instant
    cashier: PersonId
    second: PersonId
    cause: Cause


@dataclass(slots=True, kw_only=True)
class Shift:
    """A drawer in one cashier's hands."""

    #: The entry that handed it out.
    position: int
    drawer: DrawerId
    cashier: PersonId
    day: Day
    opened_at: Instant
    float_: int
    movements: list[Movement] = field(default_factory=list)
    bought: list[BuyInRecord] = field(default_factory=list)
    #: Empty until cash has moved.
    currency: str = ""
    #: The last blind count, what the books expected then, and when; nothing where cash has moved since.
    count: tuple[int, int, Instant] | None = None
    #: Whose it is, and who has counted it: they may count again for as long as it is out.
    handled_by: set[PersonId] = field(default_factory=set)
    #: The gaming day on which it was handed in.
    closed_on: Day | None = None

    @property
    def closed(self) -> bool:
        return self.closed_on is not None

    def out_after(self, day: Day) -> bool:
        """Tell whether it was still out when a gaming day was over, or is."""
        return self.day <= day and (self.closed_on is None or self.closed_on > day)

    def move(self, moved: Movement, currency: str) -> None:
        """Note cash that has moved: the last count is out of date."""
        self.movements.append(moved)
        self.currency, self.count = currency, None

    @property
    def paid_out(self) -> int:
        return sum(moved.amount for moved in self.movements if moved.kind is not Kind.BUY_IN)

    @property
    def taken_in(self) -> int:
        return sum(moved.amount for moved in self.movements if moved.kind is Kind.BUY_IN)


class DrawerProjection(Projection):
    """Every shift of every drawer."""

    def __init__(self, wins: HeldWinProjection) -> None:
        self._wins = wins
        self.shifts: dict[DrawerId, list[Shift]] = {}
        #: The last payment to each session of a terminal.
        self.payables: dict[tuple[TerminalId, int], PaidPayable] = {}

    def before_entry(self, house: House, entry: Entry) -> None:
        """Note why a payable is paid, which the house forgets with it."""
        event, context = entry.event, entry.context
        if isinstance(event, PayablePaid):
            cause = house.terminals[event.terminal].causes[event.session]
            cashier = house.drawers[event.drawer].cashier
            self.payables[event.terminal, event.session] = PaidPayable(
                event, context.now, cashier, context.person, cause
            )

    def after_entry(self, house: House, entry: Entry) -> None:
        event, now = entry.event, entry.context.now
        match event:
            case DrawerOpened():
                self._open(house, entry, event)
            case TicketRedeemed(at_terminal=False):
                ticket = house.tickets[event.sequence]
                what = f"Slip or ticket {ticket.sequence}, ending in {ticket.last_four}"
                moved = Movement(now, Kind.TICKET, what, ticket.amount)
                self.last(DrawerId(event.place)).move(moved, currency_at(house, ticket.terminal))
            case HeldWinPaid():
                hold = self._wins.known[event.hold].hold
                moved = Movement(now, Kind.HAND_PAY, f"Held win {hold.number}, form {hold.form_number}", hold.amount)
                self.last(event.drawer).move(moved, currency_at(house, event.terminal))
            case PayablePaid():
                moved = Movement(
                    now, Kind.PAYABLE, f"Payment slip {event.slip}, terminal {event.terminal}", event.amount
                )
                self.last(event.drawer).move(moved, currency_at(house, event.terminal))
            case BoughtIn():
                shift = self.last(event.drawer)
                shift.bought.append(BuyInRecord(entry.position, now, event.terminal, event.amount))
                moved = Movement(now, Kind.BUY_IN, f"Credits for terminal {event.terminal}", event.amount)
                shift.move(moved, currency_at(house, event.terminal))
            case DrawerCounted():
                shift = self.last(event.drawer)
                shift.count = (event.counted, event.expected, now)
                shift.handled_by.add(entry.context.person)
            case DrawerClosed():
                self.last(event.drawer).closed_on = house.day

    def _open(self, house: House, entry: Entry, event: DrawerOpened) -> None:
        shift = Shift(
            position=entry.position,
            drawer=event.drawer,
            cashier=entry.context.person,
            day=house.day,
            opened_at=entry.context.now,
            float_=event.float_,
            handled_by={entry.context.person},
        )
        self.shifts.setdefault(event.drawer, []).append(shift)

    def last(self, drawer: DrawerId) -> Shift:
        """Find the shift that a drawer is in, or was in last."""
        return self.shifts[drawer][-1]

    def out_after(self, day: Day) -> tuple[Shift, ...]:
        """List the drawers that were still out when a gaming day was over, or are."""
        return tuple(shift for shifts in self.shifts.values() for shift in shifts if shift.out_after(day))

    def find(self, drawer: DrawerId, position: int | None) -> Shift | Refusal:
        """Find a shift by the entry that handed its drawer out; the last where none is named."""
        known = self.shifts.get(drawer, [])
        found = [shift for shift in known if position in (None, shift.position)]
        if found:
            return found[-1]
        return no_record(f"There is no such shift of drawer {drawer}.", drawer=drawer)

    def find_payable(self, terminal: TerminalId, session: int) -> PaidPayable | Refusal:
        """Find the last payment of what a session was owed."""
        says = f"Nothing was paid to session {session} of terminal {terminal}."
        return self.payables.get((terminal, session)) or no_record(says, terminal=terminal, session=session)

    def find_buy_in(self, drawer: DrawerId, position: int | None) -> tuple[Shift, BuyInRecord] | Refusal:
        """Find a buy-in by its entry; the last that a drawer has taken where none is named."""
        found = [
            (shift, bought)
            for shift in self.shifts.get(drawer, [])
            for bought in shift.bought
            if position in (None, bought.position)
        ]
        return found[-1] if found else no_record(f"Drawer {drawer} has taken no such buy-in.", drawer=drawer)


def report(house: House, shift: Shift, reader: PersonId) -> ShiftReport | Refusal:
    """Put a shift on paper once its drawer was counted; for whoever has it or has counted it, once it was handed in.

    The count is blind: nobody who may count again is told what the books expect, wherever they ask.
    """
    own = reader in shift.handled_by
    if shift.count is None or (own and not shift.closed):
        says = f"Drawer {shift.drawer} is to be {'handed in' if own else 'counted'} first: it is counted blind."
        return refuse(Code.OUT_OF_TURN, None, says, drawer=shift.drawer)
    counted, expected, at = shift.count
    return ShiftReport(
        head=document_header(house),
        drawer=shift.drawer,
        cashier=shift.cashier,
        currency=currency_of(house, shift),
        day=shift.day,
        opened_at=shift.opened_at,
        counted_at=at,
        float_=shift.float_,
        movements=tuple(shift.movements),
        expected=expected,
        counted=counted,
    )


def currency_of(house: House, shift: Shift) -> str:
    """Name what is in a drawer; where nothing has moved, what the house counts in first."""
    return shift.currency or currencies(house)[0]


def buy_in_receipt(house: House, shift: Shift, bought: BuyInRecord, now: Instant) -> Receipt:
    """Put on paper that cash became credits."""
    return Receipt(
        head=document_header(house),
        subject=BuyInPaid(bought.terminal),
        amount=Cents(bought.amount),
        currency=currency_at(house, bought.terminal),
        at=bought.at,
        drawer=shift.drawer,
        cashier=shift.cashier,
        duplicate=copies(bought.at, now),
    )


def payment_slip(house: House, paid: PaidPayable, now: Instant) -> Receipt:
    """Put on paper what an ended session was paid, for those who signed it and the player to sign."""
    event, cause = paid.event, paid.cause
    return Receipt(
        head=document_header(house),
        subject=Payable(event.slip, event.terminal, cause.table, cause.round, event.patron, paid.second),
        amount=event.amount,
        currency=currency_at(house, event.terminal),
        at=paid.at,
        drawer=event.drawer,
        cashier=paid.cashier,
        duplicate=copies(paid.at, now),
    )
