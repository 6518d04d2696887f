"""The day report: a gaming day's tables with their hold, money in and out, drawers, and slips that nobody claimed."""

from collections.abc import Iterator
from dataclasses import dataclass

from croupier.house.name import Day, DrawerId, Instant, Number, PersonId, TableId, TerminalId
from croupier.house.settings import Mode
from croupier.journal.page import Mark
from croupier.paper.amount import figures, number
from croupier.paper.block import Block, Grid, Heading, Layout, Look, Pair, Signature, Text
from croupier.paper.letterhead import Letterhead, day_text, journal_head
from croupier.paper.shiftreport import difference
from croupier.paper.takings import Takings, percent, together


@dataclass(frozen=True, slots=True)
class Tally:
    """How many of a thing, and what they come to."""

    count: int = 0
    amount: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Cashflow:
    """What came in and went out otherwise than by play, and what is still out.

    Slips and tickets add up: what was out before and what was issued was paid, taken by a terminal, voided, has lapsed
    or is still out.
    """

    notes_in: Tally = Tally()
    tickets_in: Tally = Tally()
    buy_ins: Tally = Tally()
    granted: Tally = Tally()
    adjusted: Tally = Tally()
    #: When the day began.
    tickets_before: Tally = Tally()
    tickets_issued: Tally = Tally()
    dispensed: Tally = Tally()
    tickets_paid: Tally = Tally()
    tickets_voided: Tally = Tally()
    tickets_lapsed: Tally = Tally()
    hand_pays: Tally = Tally()
    released: Tally = Tally()
    payables_paid: Tally = Tally()
    #: At the end of the day.
    tickets_out: Tally = Tally()
    held: Tally = Tally()
    payables: Tally = Tally()
    receivables: Tally = Tally()


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawerDay:
    """A drawer that was handed in on this day."""

    drawer: DrawerId
    cashier: PersonId
    float_: int
    taken_in: int
    paid_out: int
    expected: int
    counted: int

    def __post_init__(self) -> None:
        assert self.expected == self.float_ + self.taken_in - self.paid_out


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
    #: Drawers that were out at the end of the day, and with whom: they are counted blind, so that nothing else is told.
    still_out: tuple[tuple[DrawerId, PersonId], ...] = ()
    unclaimed: tuple[Unclaimed, ...] = ()
    #: How far the journal had come when the report was made.
    journal: Mark | None = None

    def layout(self) -> Layout:
        title = f"Day report {day_text(self.day)}"
        parts = (self._day(), self._tables(), self._flow(), self._drawers(), self._unclaimed())
        blocks = (*(block for part in parts for block in part), *journal_head(self.journal))
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
        granted = (("Play money granted", flow.granted),) if self.head.mode is Mode.DEMO else ()
        came = (("Notes", flow.notes_in), ("Buy-ins", flow.buy_ins), ("Credit meters put right", flow.adjusted))
        yield from self._tallies("In", (*came, *granted))
        yield from self._tallies(
            "Slips and tickets",
            (
                ("Not redeemed when the day began", flow.tickets_before),
                ("Issued", flow.tickets_issued),
                ("Paid at the desk", flow.tickets_paid),
                ("Taken by terminals", flow.tickets_in),
                ("Void, and back at their terminals", flow.tickets_voided),
                ("Lapsed", flow.tickets_lapsed),
                ("Not redeemed yet", flow.tickets_out),
            ),
        )
        yield Text("The first two together come to what the other five come to.")
        yield from self._tallies(
            "Held wins and terminals",
            (
                ("Wins paid by hand", flow.hand_pays),
                ("Wins released to the credit meter", flow.released),
                ("Wins that await a tax form", flow.held),
                ("Dispensed by terminals", flow.dispensed),
            ),
        )

        yield from self._tallies(
            "Corrections of ended sessions",
            (
                ("Paid to players at the desk", flow.payables_paid),
                ("Payable to players", flow.payables),
                ("Owed by players", flow.receivables),
            ),
        )

    def _tallies(self, heading: str, tallies: tuple[tuple[str, Tally], ...]) -> Iterator[Block]:
        yield Heading(heading)
        for label, tally in tallies:
            yield Pair(f"{label} ({tally.count})", figures(tally.amount, self.currency))

    def _drawers(self) -> Iterator[Block]:
        yield Heading("Drawers")
        if self.drawers:
            yield self._handed_in()
        else:
            yield Text("No drawer was handed in.")
        for drawer, cashier in self.still_out:
            yield Text(f"Drawer {drawer} is not handed in on this day: it is out, with {cashier}.")

    def _handed_in(self) -> Grid:
        total = DrawerDay(
            drawer=DrawerId("Total"),
            cashier=PersonId(""),
            float_=sum(one.float_ for one in self.drawers),
            taken_in=sum(one.taken_in for one in self.drawers),
            paid_out=sum(one.paid_out for one in self.drawers),
            expected=sum(one.expected for one in self.drawers),
            counted=sum(one.counted for one in self.drawers),
        )
        heads = ("Drawer", "Cashier", "Float", "Taken in", "Paid out", "Expected", "Counted", "Difference")
        return Grid(heads, tuple(map(self._drawer, self.drawers)), self._drawer(total))

    def _drawer(self, one: DrawerDay) -> tuple[str, ...]:
        money = map(number, (one.float_, one.taken_in, one.paid_out, one.expected, one.counted))
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
