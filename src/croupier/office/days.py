"""Gaming days: the meters at the beginning and the end of each, and the money that came and went between them."""

from collections import Counter
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final

from croupier.house.desk import Ticket
from croupier.house.event.credit import (
    BoughtIn,
    CreditAdjusted,
    DrawerClosed,
    HoldPaid,
    HoldReleased,
    NoteStacked,
    PayablePaid,
    PlayMoneyGranted,
    TicketIssued,
    TicketRedeemed,
    TicketsExpired,
    TicketVoided,
)
from croupier.house.event.round import DayBegan, DayEnded
from croupier.house.meters import TableMeters
from croupier.house.name import Day, Instant, TableId
from croupier.house.state import House
from croupier.house.theory import unsettled
from croupier.house.tickets import DISPENSED
from croupier.journal.entry import Entry
from croupier.office.chapter import Chapter
from croupier.office.stationery import currency_at, no_record
from croupier.office.tills import Shift, Tills
from croupier.office.wins import Wins
from croupier.paper.dayreport import Tally
from croupier.rules.refusal import Refusal

#: A table's meters at one moment: what is sealed and not settled counts on the day that it is settled.
MeterReading = dict[TableId, TableMeters]


class Flow(StrEnum):
    """How money comes and goes otherwise than by play."""

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
    HAND_PAYS = "hand_pays"
    RELEASED = "released"
    PAYABLES_PAID = "payables_paid"
    #: What is still out.
    TICKETS_OUT = "tickets_out"
    HELD = "held"
    #: What corrections left between the house and its players.
    PAYABLES = "payables"
    RECEIVABLES = "receivables"


#: What is read from the state at the end of a day, and not counted through it.
OUTSTANDING: Final = frozenset({Flow.TICKETS_OUT, Flow.HELD, Flow.PAYABLES, Flow.RECEIVABLES})
_CREDITED: Final = {
    BoughtIn: Flow.BUY_INS,
    PlayMoneyGranted: Flow.GRANTED,
    CreditAdjusted: Flow.ADJUSTED,
    PayablePaid: Flow.PAYABLES_PAID,
}


@dataclass(slots=True)
class Tallies:
    """How many of each thing in each currency, and what they come to."""

    counts: Counter[tuple[str, Flow]] = field(default_factory=Counter)
    sums: Counter[tuple[str, Flow]] = field(default_factory=Counter)

    def add(self, currency: str, flow: Flow, amount: int) -> None:
        self.counts[currency, flow] += 1
        self.sums[currency, flow] += amount

    def of(self, currency: str, flow: Flow) -> Tally:
        return Tally(self.counts[currency, flow], self.sums[currency, flow])


@dataclass(slots=True)
class GamingDay:
    """One gaming day."""

    day: Day
    opening: MeterReading
    #: What was owed when it began.
    owed_before: Tallies
    flow: Tallies = field(default_factory=Tallies)
    drawers: list[Shift] = field(default_factory=list)
    lapsed: list[Ticket] = field(default_factory=list)
    #: When it was over; and once the next has begun, what it was left with.
    closed_at: Instant | None = None
    closing: MeterReading | None = None
    owed: Tallies | None = None


class Days(Chapter):
    """Every gaming day that there was."""

    def __init__(self, wins: Wins, tills: Tills) -> None:
        self._wins, self._tills = wins, tills
        self.known: dict[Day, GamingDay] = {}

    def before(self, house: House, entry: Entry) -> None:
        """Close a day before the next begins: what lapses then was still owed."""
        today = self.known.get(house.day)
        if isinstance(entry.event, DayBegan) and today is not None:
            today.closing, today.owed = read_meters(house), owed(house)
            today.closed_at = entry.stamp.now if today.closed_at is None else today.closed_at

    def after(self, house: House, entry: Entry) -> None:
        event = entry.event
        if isinstance(event, DayBegan):
            self.known[event.day] = GamingDay(event.day, read_meters(house), owed(house))
        today = self.known.get(house.day)
        if today is None:
            return
        match event:
            case DayEnded():
                today.closed_at = entry.stamp.now
            case DrawerClosed():
                today.drawers.append(self._tills.last(event.drawer))
            case TicketsExpired():
                tickets = [house.tickets[sequence] for sequence in event.sequences]
                today.lapsed.extend(tickets)
                for ticket in tickets:
                    today.flow.add(currency_at(house, ticket.terminal), Flow.TICKETS_LAPSED, ticket.amount)
            case _:
                self._count(house, today.flow, entry)

    def find(self, day: Day) -> GamingDay | Refusal:
        found = self.known.get(day)
        return no_record(f"Gaming day {day} is not on record here.", day=day) if found is None else found

    def _count(self, house: House, flow: Tallies, entry: Entry) -> None:
        """Count what an entry has moved."""
        match entry.event:
            case NoteStacked() as note:
                flow.add(currency_at(house, note.terminal), Flow.NOTES_IN, note.value)
            case BoughtIn() | PlayMoneyGranted() | CreditAdjusted() | PayablePaid() as credited:
                flow.add(currency_at(house, credited.terminal), _CREDITED[type(credited)], credited.amount)
            case TicketIssued() as issued:
                kind = Flow.DISPENSED if issued.form in DISPENSED else Flow.TICKETS_ISSUED
                flow.add(currency_at(house, issued.terminal), kind, issued.amount)
            case TicketRedeemed() as redeemed:
                ticket = house.tickets[redeemed.sequence]
                kind = Flow.TICKETS_IN if redeemed.at_terminal else Flow.TICKETS_PAID
                flow.add(currency_at(house, ticket.terminal), kind, ticket.amount)
            case TicketVoided() as voided:
                ticket = house.tickets[voided.sequence]
                flow.add(currency_at(house, ticket.terminal), Flow.TICKETS_VOIDED, ticket.amount)
            case HoldPaid() | HoldReleased() as gone:
                # How much that was its entry may not say: journals of earlier versions do not.
                amount = self._wins.known[gone.hold].hold.amount
                kind = Flow.HAND_PAYS if isinstance(gone, HoldPaid) else Flow.RELEASED
                flow.add(currency_at(house, gone.terminal), kind, amount)


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


def owed(house: House) -> Tallies:
    """Count what the house owes on paper, in held wins and after corrections, and what players owe it."""
    tallies = Tallies()
    for ticket in house.tickets.values():
        if ticket.payable:
            tallies.add(currency_at(house, ticket.terminal), Flow.TICKETS_OUT, ticket.amount)
    for terminal in house.terminals.values():
        for hold in terminal.holds.values():
            tallies.add(currency_at(house, terminal.id), Flow.HELD, hold.amount)
        for debt in terminal.debts.values():
            flow = Flow.RECEIVABLES if debt > 0 else Flow.PAYABLES
            tallies.add(currency_at(house, terminal.id), flow, abs(debt))
    return tallies
