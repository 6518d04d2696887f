"""Projection of gaming days, and the reports from it."""

from collections import Counter
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final

from croupier.engine.replay import Projection, Replay
from croupier.house import House, RulebookReader
from croupier.house.credit.drawers import BoughtIn, DrawerClosed, PayablePaid
from croupier.house.credit.held_wins import HeldWinPaid, HeldWinReleased
from croupier.house.credit.notes import NoteStacked, PlayMoneyGranted
from croupier.house.credit.sessions import CreditAdjusted
from croupier.house.credit.tickets import DISPENSED, Ticket, TicketIssued, TicketRedeemed, TicketsExpired, TicketVoided
from croupier.house.credit.transfers import TicketReceived, TicketTransferred
from croupier.house.ids import Day, Instant, TableId
from croupier.house.rounds.theory import expected_and_variance, unsettled
from croupier.house.state.ledger import TableMeters
from croupier.house.timers import DayBegan, DayEnded
from croupier.journal.entry import Entry
from croupier.reports.drawer_projection import DrawerProjection, Shift, currency_of
from croupier.reports.header import currencies, currency_at, currency_of_ticket, document_header, no_record
from croupier.reports.round_projection import HeldWinProjection, RoundProjection
from croupier.reports.summaries import (
    Cashflow,
    CountedAmount,
    DayReport,
    DrawerDay,
    Expected,
    Kind,
    TableReport,
    TableTotals,
    Unclaimed,
)
from croupier.rules.refusal import Code, Refused

#: The meters of every table at one moment. Sealed stakes count on the day on which they are settled.
MeterReading = dict[TableId, TableMeters]


class CashFlowKind(StrEnum):
    """How money comes in and goes out other than by play."""

    NOTES_IN = "notes_in"
    TICKETS_IN = "tickets_in"
    BUY_INS = "buy_ins"
    GRANTED = "granted"
    ADJUSTED = "adjusted"
    TICKETS_ISSUED = "tickets_issued"
    DISPENSED = "dispensed"
    TICKETS_PAID = "tickets_paid"
    TICKETS_VOIDED = "tickets_voided"
    TICKETS_LAPSED = "tickets_lapsed"
    #: From other venues and to them.
    TICKETS_RECEIVED = "tickets_received"
    TICKETS_TRANSFERRED = "tickets_transferred"
    HAND_PAYS = "hand_pays"
    RELEASED = "released"
    PAYABLES_PAID = "payables_paid"
    #: Outstanding.
    TICKETS_OUT = "tickets_out"
    HELD = "held"
    #: Amounts from corrections between the house and players of ended sessions.
    PAYABLES = "payables"
    RECEIVABLES = "receivables"


#: Read from the state at the end of a day, and not counted during it.
OUTSTANDING: Final = frozenset(
    {CashFlowKind.TICKETS_OUT, CashFlowKind.HELD, CashFlowKind.PAYABLES, CashFlowKind.RECEIVABLES}
)
_CREDITED: Final = {
    BoughtIn: CashFlowKind.BUY_INS,
    PlayMoneyGranted: CashFlowKind.GRANTED,
    CreditAdjusted: CashFlowKind.ADJUSTED,
    PayablePaid: CashFlowKind.PAYABLES_PAID,
}


@dataclass(slots=True)
class CashFlowTotals:
    """Counts and sums of each kind in each currency."""

    counts: Counter[tuple[str, CashFlowKind]] = field(default_factory=Counter)
    sums: Counter[tuple[str, CashFlowKind]] = field(default_factory=Counter)

    def add(self, currency: str, flow: CashFlowKind, amount: int) -> None:
        self.counts[currency, flow] += 1
        self.sums[currency, flow] += amount

    def of(self, currency: str, flow: CashFlowKind) -> CountedAmount:
        return CountedAmount(self.counts[currency, flow], self.sums[currency, flow])


@dataclass(slots=True)
class GamingDay:
    """One gaming day."""

    day: Day
    opening: MeterReading
    #: What was outstanding when it began.
    owed_before: CashFlowTotals
    flow: CashFlowTotals = field(default_factory=CashFlowTotals)
    drawers: list[Shift] = field(default_factory=list)
    lapsed: list[Ticket] = field(default_factory=list)
    #: When it was over; and once the next has begun, the meters and what was outstanding at its end.
    closed_at: Instant | None = None
    closing: MeterReading | None = None
    owed: CashFlowTotals | None = None


class DayProjection(Projection):
    """Every gaming day."""

    def __init__(self, drawer_shifts: DrawerProjection) -> None:
        self._drawer_shifts = drawer_shifts
        self.known: dict[Day, GamingDay] = {}

    def before_entry(self, house: House, entry: Entry) -> None:
        """Close a day before the next begins: tickets that expire then were outstanding at its end."""
        today = self.known.get(house.day)
        if isinstance(entry.event, DayBegan) and today is not None:
            today.closing, today.owed = read_meters(house), owed(house)
            today.closed_at = entry.context.now if today.closed_at is None else today.closed_at

    def after_entry(self, house: House, entry: Entry) -> None:
        event = entry.event
        if isinstance(event, DayBegan):
            self.known[event.day] = GamingDay(event.day, read_meters(house), owed(house))
        today = self.known.get(house.day)
        if today is None:
            return
        match event:
            case DayEnded():
                today.closed_at = entry.context.now
            case DrawerClosed():
                today.drawers.append(self._drawer_shifts.last(event.drawer))
            case TicketsExpired():
                tickets = [house.tickets.all[sequence] for sequence in event.sequences]
                today.lapsed.extend(tickets)
                for ticket in tickets:
                    today.flow.add(currency_of_ticket(house, ticket), CashFlowKind.TICKETS_LAPSED, ticket.amount)
            case _:
                self._count(house, today.flow, entry)

    def find(self, day: Day) -> GamingDay:
        found = self.known.get(day)
        if found is None:
            raise no_record(f"Gaming day {day} is not on record here.", day=day)
        return found

    def _count(self, house: House, flow: CashFlowTotals, entry: Entry) -> None:
        """Count the money that an entry has moved."""
        match entry.event:
            case NoteStacked() as note:
                flow.add(currency_at(house, note.terminal), CashFlowKind.NOTES_IN, note.value)
            case BoughtIn() | PlayMoneyGranted() | CreditAdjusted() | PayablePaid() as credited:
                flow.add(currency_at(house, credited.terminal), _CREDITED[type(credited)], credited.amount)
            case TicketIssued() as issued:
                kind = CashFlowKind.DISPENSED if issued.form in DISPENSED else CashFlowKind.TICKETS_ISSUED
                flow.add(currency_at(house, issued.terminal), kind, issued.amount)
            case TicketRedeemed() as redeemed:
                ticket = house.tickets.all[redeemed.sequence]
                kind = CashFlowKind.TICKETS_IN if redeemed.at_terminal else CashFlowKind.TICKETS_PAID
                flow.add(currency_of_ticket(house, ticket), kind, ticket.amount)
            case TicketReceived() as received:
                flow.add(received.currency, CashFlowKind.TICKETS_RECEIVED, received.amount)
            case TicketTransferred() as transferred:
                ticket = house.tickets.all[transferred.sequence]
                flow.add(currency_of_ticket(house, ticket), CashFlowKind.TICKETS_TRANSFERRED, ticket.amount)
            case TicketVoided() as voided:
                ticket = house.tickets.all[voided.sequence]
                flow.add(currency_of_ticket(house, ticket), CashFlowKind.TICKETS_VOIDED, ticket.amount)
            case HeldWinPaid() | HeldWinReleased() as gone:
                kind = CashFlowKind.HAND_PAYS if isinstance(gone, HeldWinPaid) else CashFlowKind.RELEASED
                flow.add(currency_at(house, gone.terminal), kind, gone.amount)


def read_meters(house: House) -> MeterReading:
    """Read the meters of every table."""
    return {
        name: replace(
            table.meters,
            turnover=table.meters.turnover - unsettled(table.round),
            brings=Counter(table.meters.brings),
            spreads=Counter(table.meters.spreads),
        )
        for name, table in house.tables.items()
    }


def owed(house: House) -> CashFlowTotals:
    """Count outstanding tickets, held wins, payables and receivables."""
    tallies = CashFlowTotals()
    for ticket in house.tickets.all.values():
        if ticket.payable:
            tallies.add(currency_of_ticket(house, ticket), CashFlowKind.TICKETS_OUT, ticket.amount)
    for terminal in house.terminals.values():
        for hold in terminal.holds.values():
            tallies.add(currency_at(house, terminal.id), CashFlowKind.HELD, hold.amount)
        for debt in terminal.debts.values():
            flow = CashFlowKind.RECEIVABLES if debt > 0 else CashFlowKind.PAYABLES
            tallies.add(currency_at(house, terminal.id), flow, abs(debt))
    return tallies


class Projections(Replay):
    """The projections that documents are built from, with the house that they follow."""

    def __init__(self, reader: RulebookReader) -> None:
        self.wins, self.rounds = HeldWinProjection(), RoundProjection()
        self.drawer_shifts = DrawerProjection(self.wins)
        self.days = DayProjection(self.drawer_shifts)
        # A held win is recorded before the drawer that pays it, and a drawer before the day counts it.
        super().__init__(House.new(reader), (self.wins, self.rounds, self.drawer_shifts, self.days))


_NOTHING = TableMeters()


def table_report(ledger: Projections, name: TableId, day: Day, now: Instant) -> TableReport:
    """Build the report of a table's day, or of its part so far."""
    house = ledger.house
    if name not in house.tables:
        raise Refused(Code.UNKNOWN_TABLE, None, f"There is no table {name}.", table=name)
    found = ledger.days.find(day)
    counted = _between(found.opening, _closing(house, found), name)
    by_odds, rulebook = expected_and_variance(counted), house.tables[name].rulebook
    return TableReport(
        head=document_header(house),
        table=name,
        rulebook=rulebook.id,
        currency=rulebook.currency,
        day=day,
        made_at=now,
        totals=_takings(counted),
        expected=Expected(won=by_odds.expected, low=by_odds.low, high=by_odds.high),
        rounds=ledger.rounds.on(name, day),
        listed=ledger.rounds.are_listed(name, day),
    )


def day_report(ledger: Projections, day: Day, currency: str | None, now: Instant) -> DayReport:
    """Build the report of a gaming day, in the only currency or the given one."""
    house, found = ledger.house, ledger.days.find(day)
    known = currencies(house)
    wanted = known[0] if currency is None and len(known) == 1 else currency
    if wanted not in known:
        message = f"Say in which currency: {' or '.join(known)}."
        raise Refused(Code.MALFORMED, None, message, currencies=known)
    closing, left = _closing(house, found), owed(house) if found.owed is None else found.owed
    tallies = {flow: (left if flow in OUTSTANDING else found.flow).of(wanted, flow) for flow in CashFlowKind}
    return DayReport(
        head=document_header(house),
        currency=wanted,
        day=day,
        made_at=now,
        closed_at=found.closed_at,
        tables=tuple(
            (name, _takings(_between(found.opening, closing, name)))
            for name in closing
            if house.tables[name].rulebook.currency == wanted
        ),
        flow=Cashflow(
            tickets_before=found.owed_before.of(wanted, CashFlowKind.TICKETS_OUT),
            **{flow.value: tally for flow, tally in tallies.items()},
        ),
        drawers=tuple(_drawer(shift) for shift in found.drawers if currency_of(house, shift) == wanted),
        still_out=tuple(
            (shift.drawer, shift.cashier)
            for shift in ledger.drawer_shifts.out_after(day)
            if currency_of(house, shift) == wanted
        ),
        unclaimed=tuple(_unclaimed(ticket) for ticket in found.lapsed if currency_of_ticket(house, ticket) == wanted),
    )


def _closing(house: House, day: GamingDay) -> MeterReading:
    return read_meters(house) if day.closing is None else day.closing


def _between(opening: MeterReading, closing: MeterReading, name: TableId) -> TableMeters:
    """Return what a table's meters have counted between two readings."""
    first, last = opening.get(name, _NOTHING), closing.get(name, _NOTHING)
    brings, spreads = Counter(last.brings), Counter(last.spreads)
    brings.subtract(first.brings)
    spreads.subtract(first.spreads)
    return TableMeters(
        turnover=last.turnover - first.turnover,
        returned=last.returned - first.returned,
        refunded=last.refunded - first.refunded,
        rounds=last.rounds - first.rounds,
        voids=last.voids - first.voids,
        no_spins=last.no_spins - first.no_spins,
        played=last.played - first.played,
        brings=brings,
        spreads=spreads,
    )


def _takings(counted: TableMeters) -> TableTotals:
    return TableTotals(
        rounds=counted.rounds,
        voids=counted.voids,
        no_spins=counted.no_spins,
        turnover=counted.turnover,
        returned=counted.returned,
        refunded=counted.refunded,
    )


def _drawer(shift: Shift) -> DrawerDay:
    assert shift.count is not None
    counted, expected, _ = shift.count
    return DrawerDay(
        drawer=shift.drawer,
        cashier=shift.cashier,
        float_=shift.float_,
        filled=shift.total(Kind.FILL),
        dropped=shift.total(Kind.DROP),
        taken_in=shift.taken_in,
        paid_out=shift.paid_out,
        expected=expected,
        counted=counted,
    )


def _unclaimed(ticket: Ticket) -> Unclaimed:
    return Unclaimed(
        sequence=ticket.sequence,
        last_four=ticket.last_four,
        terminal=ticket.terminal,
        day=ticket.day,
        amount=ticket.amount,
    )
