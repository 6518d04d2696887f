"""Tills: every drawer from its float to its count, and all that went in and out of it."""

from dataclasses import dataclass, field

from croupier.house.answer import refuse
from croupier.house.event.credit import (
    BoughtIn,
    DrawerClosed,
    DrawerCounted,
    DrawerOpened,
    HoldPaid,
    PayablePaid,
    TicketRedeemed,
)
from croupier.house.name import Day, DrawerId, Instant, PersonId, TerminalId
from croupier.house.state import House
from croupier.house.terminal import Cause
from croupier.journal.entry import Entry
from croupier.office.chapter import Chapter
from croupier.office.stationery import copies, currencies, currency_at, letterhead, no_record
from croupier.office.wins import Wins
from croupier.paper.receipt import BuyIn, Payable, Receipt
from croupier.paper.shiftreport import Kind, Movement, ShiftReport
from croupier.rules.money import Cents
from croupier.rules.refusal import Code, Refusal


@dataclass(frozen=True, slots=True)
class Bought:
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
    bought: list[Bought] = field(default_factory=list)
    #: Empty until cash has moved.
    currency: str = ""
    #: The last blind count, what the books expected then, and when; nothing where cash has moved since.
    count: tuple[int, int, Instant] | None = None
    #: Whose it is, and who has counted it: they may count again for as long as it is out.
    hands: set[PersonId] = field(default_factory=set)
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


class Tills(Chapter):
    """Every shift of every drawer."""

    def __init__(self, wins: Wins) -> None:
        self._wins = wins
        self.shifts: dict[DrawerId, list[Shift]] = {}
        #: The last payment to each session of a terminal.
        self.payables: dict[tuple[TerminalId, int], PaidPayable] = {}

    def before(self, house: House, entry: Entry) -> None:
        """Note why a payable is paid, which the house forgets with it."""
        event, stamp = entry.event, entry.stamp
        if isinstance(event, PayablePaid):
            cause = house.terminals[event.terminal].causes[event.session]
            cashier = house.drawers[event.drawer].cashier
            self.payables[event.terminal, event.session] = PaidPayable(event, stamp.now, cashier, stamp.person, cause)

    def after(self, house: House, entry: Entry) -> None:
        event, now = entry.event, entry.stamp.now
        match event:
            case DrawerOpened():
                self._open(house, entry, event)
            case TicketRedeemed(at_terminal=False):
                ticket = house.tickets[event.sequence]
                what = f"Slip or ticket {ticket.sequence}, ending in {ticket.last_four}"
                moved = Movement(now, Kind.TICKET, what, ticket.amount)
                self.last(DrawerId(event.place)).move(moved, currency_at(house, ticket.terminal))
            case HoldPaid():
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
                shift.bought.append(Bought(entry.position, now, event.terminal, event.amount))
                moved = Movement(now, Kind.BUY_IN, f"Credits for terminal {event.terminal}", event.amount)
                shift.move(moved, currency_at(house, event.terminal))
            case DrawerCounted():
                shift = self.last(event.drawer)
                shift.count = (event.counted, event.expected, now)
                shift.hands.add(entry.stamp.person)
            case DrawerClosed():
                self.last(event.drawer).closed_on = house.day

    def _open(self, house: House, entry: Entry, event: DrawerOpened) -> None:
        shift = Shift(
            position=entry.position,
            drawer=event.drawer,
            cashier=entry.stamp.person,
            day=house.day,
            opened_at=entry.stamp.now,
            float_=event.float_,
            hands={entry.stamp.person},
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

    def find_buy_in(self, drawer: DrawerId, position: int | None) -> tuple[Shift, Bought] | Refusal:
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
    own = reader in shift.hands
    if shift.count is None or (own and not shift.closed):
        says = f"Drawer {shift.drawer} is to be {'handed in' if own else 'counted'} first: it is counted blind."
        return refuse(Code.OUT_OF_TURN, None, says, drawer=shift.drawer)
    counted, expected, at = shift.count
    return ShiftReport(
        head=letterhead(house),
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


def buy_in_receipt(house: House, shift: Shift, bought: Bought, now: Instant) -> Receipt:
    """Put on paper that cash became credits."""
    return Receipt(
        head=letterhead(house),
        subject=BuyIn(bought.terminal),
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
        head=letterhead(house),
        subject=Payable(event.slip, event.terminal, cause.table, cause.round, event.patron, paid.second),
        amount=event.amount,
        currency=currency_at(house, event.terminal),
        at=paid.at,
        drawer=event.drawer,
        cashier=paid.cashier,
        duplicate=copies(paid.at, now),
    )
