"""The day report: a gaming day's tables with their hold, money in and out, drawers, and slips that nobody claimed."""

from collections.abc import Iterator
from dataclasses import dataclass

from croupier.house.name import Day, DrawerId, Instant, Number, PersonId, TableId, TerminalId
from croupier.paper.amount import figures, number
from croupier.paper.block import Block, Grid, Heading, Layout, Look, Pair, Signature, Text
from croupier.paper.letterhead import Letterhead, day_text
from croupier.paper.shiftreport import difference
from croupier.paper.takings import Takings, percent, together


@dataclass(frozen=True, slots=True)
class Tally:
    """How many of a thing, and what they come to."""

    count: int = 0
    amount: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Cashflow:
    """What came in and went out otherwise than by play, and what is still out."""

    notes_in: Tally = Tally()
    tickets_in: Tally = Tally()
    buy_ins: Tally = Tally()
    tickets_issued: Tally = Tally()
    dispensed: Tally = Tally()
    tickets_paid: Tally = Tally()
    hand_pays: Tally = Tally()
    #: At the end of the day.
    tickets_out: Tally = Tally()
    held: Tally = Tally()


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawerDay:
    """A drawer that was handed in on this day."""

    drawer: DrawerId
    cashier: PersonId
    paid_out: int
    expected: int
    counted: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Unclaimed:
    """A slip or ticket that lapsed; the end of its number is all that is known of it."""

    sequence: Number
    last_four: str
    terminal: TerminalId
    day: Day
    amount: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DayReport:
    """A gaming day, or as much of it as there has been, in one currency."""

    head: Letterhead
    currency: str
    day: Day
    made_at: Instant
    #: None while it is not over.
    closed_at: Instant | None
    tables: tuple[tuple[TableId, Takings], ...]
    flow: Cashflow
    drawers: tuple[DrawerDay, ...] = ()
    unclaimed: tuple[Unclaimed, ...] = ()

    def layout(self) -> Layout:
        title = f"Day report {day_text(self.day)}"
        parts = (self._day(), self._tables(), self._flow(), self._drawers(), self._unclaimed())
        blocks = (block for part in parts for block in part)
        return Layout(
            self.head.titled(title), (*self.head.top("DAY REPORT"), *blocks, Signature("Shift manager")), roll=False
        )

    def _day(self) -> Iterator[Block]:
        takings = together(takings for _, takings in self.tables)
        yield Pair("Gaming day", day_text(self.day), Look.BOLD)
        if self.closed_at is None:
            yield Pair("Not closed yet; report made", self.head.moment(self.made_at))
        else:
            yield Pair("Closed", self.head.moment(self.closed_at))
        yield Pair("Won by the house", figures(takings.won, self.currency), Look.BOLD)
        yield Pair("Hold", percent(takings.hold), Look.BOLD)

    def _tables(self) -> Iterator[Block]:
        yield Heading("Tables")
        total = together(takings for _, takings in self.tables)
        rows = tuple((table, *_takings(takings)) for table, takings in self.tables)
        heads = ("Table", "Rounds", "Void", "No spins", "Staked", "Refunded", "Returned", "Won", "Hold")
        yield Grid(heads, rows, ("Total", *_takings(total)))

    def _flow(self) -> Iterator[Block]:
        flow = self.flow
        yield from self._tallies(
            "In", (("Notes", flow.notes_in), ("Tickets", flow.tickets_in), ("Buy-ins", flow.buy_ins))
        )
        yield from self._tallies(
            "Out",
            (
                ("Slips and tickets issued", flow.tickets_issued),
                ("Slips and tickets paid at the desk", flow.tickets_paid),
                ("Wins paid by hand", flow.hand_pays),
                ("Dispensed by terminals", flow.dispensed),
            ),
        )
        yield from self._tallies(
            "Owed at the end of the day",
            (("Slips and tickets not redeemed yet", flow.tickets_out), ("Wins that await a tax form", flow.held)),
        )

    def _tallies(self, heading: str, tallies: tuple[tuple[str, Tally], ...]) -> Iterator[Block]:
        yield Heading(heading)
        for label, tally in tallies:
            yield Pair(f"{label} ({tally.count})", figures(tally.amount, self.currency))

    def _drawers(self) -> Iterator[Block]:
        yield Heading("Drawers")
        if not self.drawers:
            yield Text("No drawer was handed in.")
            return
        total = DrawerDay(
            drawer=DrawerId("Total"),
            cashier=PersonId(""),
            paid_out=sum(one.paid_out for one in self.drawers),
            expected=sum(one.expected for one in self.drawers),
            counted=sum(one.counted for one in self.drawers),
        )
        heads = ("Drawer", "Cashier", "Paid out", "Expected", "Counted", "Difference")
        yield Grid(heads, tuple(map(self._drawer, self.drawers)), self._drawer(total))

    def _drawer(self, one: DrawerDay) -> tuple[str, ...]:
        money = map(number, (one.paid_out, one.expected, one.counted))
        return (one.drawer, one.cashier, *money, difference(one.counted - one.expected, self.currency))

    def _unclaimed(self) -> Iterator[Block]:
        yield Heading("Unclaimed slips and tickets")
        if not self.unclaimed:
            yield Text("None has lapsed.")
            return
        rows = tuple(
            (str(one.sequence), one.last_four, one.terminal, day_text(one.day), number(one.amount))
            for one in self.unclaimed
        )
        total = (f"Total ({len(rows)})", "", "", "", number(sum(one.amount for one in self.unclaimed)))
        yield Grid(("Sequence", "Ends in", "Terminal", "Gaming day", self.currency), rows, total)


def _takings(takings: Takings) -> tuple[str, ...]:
    counts = (takings.rounds, takings.voids, takings.no_spins)
    money = (takings.turnover, takings.refunded, takings.returned, takings.won)
    return (*map(str, counts), *map(number, money), percent(takings.hold))
