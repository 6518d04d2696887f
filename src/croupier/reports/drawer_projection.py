"""Projection of drawer shifts."""

from dataclasses import dataclass, field
from datetime import date, timedelta

from croupier.devices.validation import ValidationNumbers
from croupier.engine.replay import Projection
from croupier.house import House
from croupier.house.credit.drawers import (
    BoughtIn,
    DrawerClosed,
    DrawerCounted,
    DrawerDropped,
    DrawerFilled,
    DrawerOpened,
    PayablePaid,
)
from croupier.house.credit.held_wins import HeldWinPaid
from croupier.house.credit.tickets import (
    DISPENSED,
    Ticket,
    TicketRedeemed,
    TicketState,
    desk_clause,
    payment_objection,
    ticket_clause,
    unknown_ticket,
)
from croupier.house.ids import Day, DrawerId, Instant, Number, PersonId, TerminalId
from croupier.house.live.floats import ChipsCashed, ChipsSold
from croupier.house.state.tables import Cause
from croupier.journal.entry import Entry
from croupier.reports.header import copies, currencies, currency_at, currency_of_ticket, document_header, no_record
from croupier.reports.round_projection import HeldWinProjection
from croupier.reports.slips import BuyInPaid, Payable, Receipt, Slip, TicketPaid
from croupier.reports.summaries import TAKEN_IN, VAULT, Kind, Movement, ShiftReport
from croupier.rules.money import Cents
from croupier.rules.procedure import CreditOut
from croupier.rules.refusal import Code, Refused, raise_if


def slip(house: House, sequence: Number, number: str, numbers: ValidationNumbers) -> Slip:
    """Build a slip or ticket for the holder of its number, which the server never sends."""
    digest = numbers.read(number)
    ticket = house.tickets.all.get(sequence)
    if ticket is None or ticket.digest != digest:
        raise Refused.by(unknown_ticket(desk_clause(house)))
    raise_if(payment_objection(house, ticket))
    if ticket.state is not TicketState.ISSUED and not ticket.duplicates:
        raise already_out(house, ticket)
    return Slip(
        head=document_header(house),
        form=ticket.form,
        number=numbers.number(sequence),
        sequence=ticket.sequence,
        amount=Cents(ticket.amount),
        currency=currency_of_ticket(house, ticket),
        issued_at=ticket.issued_at,
        terminal=ticket.terminal,
        last_day=_last_day(house, ticket),
        notice=_notice(house, ticket),
        duplicate=ticket.duplicates,
    )


def already_out(house: House, ticket: Ticket) -> Refused:
    """Refuse a second print: a duplicate takes two signatures and is marked as one."""
    message = (
        f"Number {ticket.sequence} is on paper already: a duplicate is printed where two people have signed for it."
    )
    return Refused(Code.OUT_OF_TURN, ticket_clause(house, ticket), message, sequence=ticket.sequence)


def _last_day(house: House, ticket: Ticket) -> Day | None:
    """Return the last gaming day on which a ticket is paid: the day of issue is its first day."""
    if house.setup.ticket_days is None or not ticket.day:
        return None
    issued = date(ticket.day // 10_000, ticket.day // 100 % 100, ticket.day % 100)
    return Day(int(f"{issued + timedelta(days=house.setup.ticket_days - 1):%Y%m%d}"))


def _notice(house: House, ticket: Ticket) -> str:
    """27 at Clearwater: the ticket states that the casino is not responsible for its loss."""
    if ticket.form is not CreditOut.TICKET:
        return ""
    return f"The casino is not responsible for lost or stolen tickets [{ticket_clause(house, ticket)}]."


def ticket_receipt(house: House, sequence: Number, now: Instant, closed: Ticket | None = None) -> Receipt:
    """Build the receipt of a slip or ticket paid at the desk; one that has left the state is given in `closed`."""
    ticket = house.tickets.all.get(sequence) or closed
    if ticket is None:
        raise no_record(f"There is no slip or ticket {sequence} here.", sequence=sequence)
    # No person is signed in at a terminal: a ticket paid by a person was paid from a drawer, or dispensed.
    if ticket.paid_at is None or not ticket.paid_by or ticket.form in DISPENSED:
        message = f"Slip or ticket {sequence} was not paid at the desk."
        raise Refused(Code.OUT_OF_TURN, ticket_clause(house, ticket), message, sequence=sequence)
    return Receipt(
        head=document_header(house),
        subject=TicketPaid(ticket.sequence, ticket.last_four, ticket.terminal, ticket.issued_at, ticket.venue),
        amount=Cents(ticket.amount),
        currency=currency_of_ticket(house, ticket),
        at=ticket.paid_at,
        drawer=DrawerId(ticket.paid_place),
        cashier=ticket.paid_by,
        duplicate=copies(ticket.paid_at, now),
    )


@dataclass(frozen=True, slots=True)
class BuyInRecord:
    """A buy-in at the desk: its entry, terminal and amount."""

    position: int
    at: Instant
    terminal: TerminalId
    amount: int


@dataclass(frozen=True, slots=True)
class PaidPayable:
    """A payable of an ended session, as it was paid: its event, signers and cause."""

    event: PayablePaid
    at: Instant
    cashier: PersonId
    second: PersonId
    cause: Cause


@dataclass(slots=True, kw_only=True)
class Shift:
    """One cashier's shift with a drawer."""

    #: The entry that opened it.
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
    #: The last blind count, the expected amount then, and when; None when cash has moved since.
    count: tuple[int, int, Instant] | None = None
    #: Its cashier and all people who have counted it: they may count again until it is closed.
    handled_by: set[PersonId] = field(default_factory=set)
    #: The gaming day on which it was closed.
    closed_on: Day | None = None

    @property
    def closed(self) -> bool:
        return self.closed_on is not None

    def out_after(self, day: Day) -> bool:
        """Return whether it was open at the end of a gaming day, or is open now."""
        return self.day <= day and (self.closed_on is None or self.closed_on > day)

    def move(self, moved: Movement, currency: str) -> None:
        """Record a movement of cash: the last count is out of date."""
        self.movements.append(moved)
        self.currency, self.count = currency, None

    @property
    def paid_out(self) -> int:
        return self.total(*(kind for kind in Kind if kind not in (*TAKEN_IN, *VAULT)))

    @property
    def taken_in(self) -> int:
        return self.total(*TAKEN_IN)

    def total(self, *kinds: Kind) -> int:
        """Add up the movements of these kinds."""
        return sum(moved.amount for moved in self.movements if moved.kind in kinds)


class DrawerProjection(Projection):
    """Every shift of every drawer."""

    def __init__(self, wins: HeldWinProjection) -> None:
        self._wins = wins
        self.shifts: dict[DrawerId, list[Shift]] = {}
        #: The last payment to each session of a terminal.
        self.payables: dict[tuple[TerminalId, int], PaidPayable] = {}

    def before_entry(self, house: House, entry: Entry) -> None:
        """Record the cause of a payable, which leaves the state with it."""
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
                ticket = house.tickets.all[event.sequence]
                issuer = f", of {ticket.venue}" if ticket.venue else ""
                what = f"Slip or ticket {ticket.sequence}, ending in {ticket.last_four}{issuer}"
                moved = Movement(now, Kind.TICKET, what, ticket.amount)
                self.last(DrawerId(event.place)).move(moved, currency_of_ticket(house, ticket))
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
            case ChipsCashed() | ChipsSold():
                kind = Kind.CHIPS_CASHED if isinstance(event, ChipsCashed) else Kind.CHIPS_SOLD
                moved = Movement(now, kind, "Value chips", event.amount)
                self.last(event.drawer).move(moved, house.drawers[event.drawer].currency)
            case DrawerFilled() | DrawerDropped():
                kind = Kind.FILL if isinstance(event, DrawerFilled) else Kind.DROP
                signed = f"{house.drawers[event.drawer].cashier} and {entry.context.person}"
                moved = Movement(now, kind, f"Signed by {signed}", event.amount)
                self.last(event.drawer).move(moved, house.drawers[event.drawer].currency)
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
        """Return a drawer's current or last shift."""
        return self.shifts[drawer][-1]

    def out_after(self, day: Day) -> tuple[Shift, ...]:
        """List the shifts that were open at the end of a gaming day, or are open now."""
        return tuple(shift for shifts in self.shifts.values() for shift in shifts if shift.out_after(day))

    def find(self, drawer: DrawerId, position: int | None) -> Shift:
        """Find a shift by the entry that opened it; the last one when none is given."""
        known = self.shifts.get(drawer, [])
        found = [shift for shift in known if position in (None, shift.position)]
        if not found:
            raise no_record(f"There is no such shift of drawer {drawer}.", drawer=drawer)
        return found[-1]

    def find_payable(self, terminal: TerminalId, session: int) -> PaidPayable:
        """Find the last payment to a session."""
        found = self.payables.get((terminal, session))
        if found is None:
            says = f"Nothing was paid to session {session} of terminal {terminal}."
            raise no_record(says, terminal=terminal, session=session)
        return found

    def find_buy_in(self, drawer: DrawerId, position: int | None) -> tuple[Shift, BuyInRecord]:
        """Find a buy-in by its entry; the drawer's last one when none is given."""
        found = [
            (shift, bought)
            for shift in self.shifts.get(drawer, [])
            for bought in shift.bought
            if position in (None, bought.position)
        ]
        if not found:
            raise no_record(f"Drawer {drawer} has taken no such buy-in.", drawer=drawer)
        return found[-1]


def report(house: House, shift: Shift, reader: PersonId) -> ShiftReport:
    """Build the report of a shift once its drawer is counted; for its cashier and its counters, once it is closed.

    The count is blind: a person who may count again must not see the expected amount.
    """
    own = reader in shift.handled_by
    if shift.count is None or (own and not shift.closed):
        message = f"Drawer {shift.drawer} is to be {'handed in' if own else 'counted'} first: it is counted blind."
        raise Refused(Code.OUT_OF_TURN, None, message, drawer=shift.drawer)
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
    """Return the currency of a drawer; the house's first one when no cash has moved."""
    return shift.currency or currencies(house)[0]


def buy_in_receipt(house: House, shift: Shift, bought: BuyInRecord, now: Instant) -> Receipt:
    """Build the receipt of a buy-in."""
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
    """Build the slip of a payable, for the signers and the player to sign."""
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
