"""Reports: a table's day and the house's day, from what the ledger has written down."""

from collections import Counter

from croupier.house.answer import refuse
from croupier.house.desk import Ticket
from croupier.house.meters import TableMeters
from croupier.house.name import Day, Instant, TableId
from croupier.house.state import House
from croupier.house.theory import reckoned
from croupier.office.days import OUTSTANDING, Flow, GamingDay, MeterReading, owed, read_meters
from croupier.office.ledger import Ledger
from croupier.office.stationery import currencies, currency_at, letterhead
from croupier.office.tills import Shift, currency_of
from croupier.paper.dayreport import Cashflow, DayReport, DrawerDay, Unclaimed
from croupier.paper.tablereport import Expected, TableReport
from croupier.paper.takings import Takings
from croupier.rules.refusal import Code, Refusal

_NOTHING = TableMeters()


def table_report(ledger: Ledger, name: TableId, day: Day, now: Instant) -> TableReport | Refusal:
    """Put a table's day on paper, or as much of it as there has been."""
    house, found = ledger.house, ledger.days.find(day)
    if name not in house.tables:
        return refuse(Code.UNKNOWN_TABLE, None, f"There is no table {name}.", table=name)
    if isinstance(found, Refusal):
        return found
    counted = _between(found.opening, _closing(house, found), name)
    by_odds, rulebook = reckoned(counted), house.tables[name].rulebook
    return TableReport(
        head=letterhead(house),
        table=name,
        rulebook=rulebook.id,
        currency=rulebook.currency,
        day=day,
        made_at=now,
        takings=_takings(counted),
        expected=Expected(won=by_odds.expected, low=by_odds.low, high=by_odds.high),
        rounds=ledger.rounds.on(name, day),
        listed=ledger.rounds.are_kept(name, day),
    )


def day_report(ledger: Ledger, day: Day, currency: str | None, now: Instant) -> DayReport | Refusal:
    """Put a gaming day on paper, in the one currency that there is or the one that is named."""
    house, found = ledger.house, ledger.days.find(day)
    if isinstance(found, Refusal):
        return found
    known = currencies(house)
    wanted = known[0] if currency is None and len(known) == 1 else currency
    if wanted not in known:
        says = f"Say in which currency: {' or '.join(known)}."
        return refuse(Code.MALFORMED, None, says, currencies=known)
    closing, left = _closing(house, found), owed(house) if found.owed is None else found.owed
    tallies = {flow: (left if flow in OUTSTANDING else found.flow).of(wanted, flow) for flow in Flow}
    return DayReport(
        head=letterhead(house),
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
            tickets_before=found.owed_before.of(wanted, Flow.TICKETS_OUT),
            **{flow.value: tally for flow, tally in tallies.items()},
        ),
        drawers=tuple(_drawer(shift) for shift in found.drawers if currency_of(house, shift) == wanted),
        still_out=tuple(
            (shift.drawer, shift.cashier)
            for shift in ledger.tills.out_after(day)
            if currency_of(house, shift) == wanted
        ),
        unclaimed=tuple(_unclaimed(ticket) for ticket in found.lapsed if currency_at(house, ticket.terminal) == wanted),
    )


def _closing(house: House, day: GamingDay) -> MeterReading:
    return read_meters(house) if day.closing is None else day.closing


def _between(opening: MeterReading, closing: MeterReading, name: TableId) -> TableMeters:
    """Tell what a table's meters have counted from one reading to the other."""
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


def _takings(counted: TableMeters) -> Takings:
    return Takings(
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
