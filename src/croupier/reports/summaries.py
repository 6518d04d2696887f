"""Day, table and shift reports."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Final

from croupier.house.ids import Day, DrawerId, Instant, Number, PersonId, RoundNumber, TableId, TerminalId
from croupier.house.settings import Mode
from croupier.journal.entry import JournalHead
from croupier.reports.header import DocumentHeader, day_text, figures, journal_head_lines, number
from croupier.reports.typesetting import (
    Block,
    Document,
    Grid,
    LabelledValue,
    SectionHeading,
    Signature,
    Text,
    TextStyle,
)


class Kind(StrEnum):
    """The kinds of cash movement of a drawer."""

    TICKET = "Slips and tickets paid"
    HAND_PAY = "Wins paid by hand"
    BUY_IN = "Buy-ins taken"
    PAYABLE = "Payables of ended sessions paid"
    CHIPS_CASHED = "Chips cashed"
    CHIPS_SOLD = "Chips sold"
    FILL = "Fills from the vault"
    DROP = "Drops to the vault"


#: The kinds that take cash of players into a drawer, those between it and the vault, and all that bring cash into it.
TAKEN_IN: Final = (Kind.BUY_IN, Kind.CHIPS_SOLD)
VAULT: Final = (Kind.FILL, Kind.DROP)
_INTO: Final = (*TAKEN_IN, Kind.FILL)


@dataclass(frozen=True, slots=True)
class Movement:
    """Cash that went out of a drawer or into it."""

    at: Instant
    kind: Kind
    what: str
    amount: int

    @property
    def change(self) -> int:
        return self.amount if self.kind in _INTO else -self.amount


@dataclass(frozen=True, slots=True, kw_only=True)
class ShiftReport:
    """A drawer that was counted: the expected amount is printed only after the count."""

    head: DocumentHeader
    drawer: DrawerId
    cashier: PersonId
    currency: str
    day: Day
    opened_at: Instant
    counted_at: Instant
    float_: int
    movements: tuple[Movement, ...]
    expected: int
    counted: int
    #: The journal head when the report was made.
    journal: JournalHead | None = None

    def __post_init__(self) -> None:
        assert self.expected == self.float_ + sum(moved.change for moved in self.movements)

    def layout(self) -> Document:
        title = f"Shift report {self.drawer}, {day_text(self.day)}"
        top = self.head.heading("SHIFT REPORT")
        return Document(
            self.head.titled(title),
            (*top, *self._drawer(), *self._cash(), *self._movements(), *self._foot()),
            roll=False,
        )

    def _drawer(self) -> Iterator[Block]:
        yield LabelledValue("Drawer", self.drawer, TextStyle.BOLD)
        yield LabelledValue("Cashier", self.cashier, TextStyle.BOLD)
        yield LabelledValue("Gaming day", day_text(self.day))
        yield LabelledValue("Opened", self.head.moment(self.opened_at))
        yield LabelledValue("Counted", self.head.moment(self.counted_at))

    def _cash(self) -> Iterator[Block]:
        yield SectionHeading("Cash")
        yield LabelledValue("Opening float", figures(self.float_, self.currency))
        for kind in Kind:
            changes = [moved.change for moved in self.movements if moved.kind is kind]
            yield LabelledValue(f"{kind.value} ({len(changes)})", figures(sum(changes), self.currency))
        yield LabelledValue("Expected", figures(self.expected, self.currency))
        yield LabelledValue("Counted", figures(self.counted, self.currency))
        yield LabelledValue("Difference", over_or_short(self.counted - self.expected, self.currency), TextStyle.BOLD)

    def _movements(self) -> Iterator[Block]:
        if self.movements:
            yield SectionHeading("Every movement")
            rows = tuple((self.head.time(moved.at), moved.what, number(moved.change)) for moved in self.movements)
            total = ("Total", "", number(sum(moved.change for moved in self.movements)))
            yield Grid(("Time", "What", self.currency), rows, total)

    def _foot(self) -> Iterator[Block]:
        yield from journal_head_lines(self.journal)
        yield Signature(f"Cashier: {self.cashier}")
        yield Signature("Counted with")


def over_or_short(cents: int, currency: str) -> str:
    """Format by how much a count is over or short in words, so that no sign can be overlooked."""
    if cents == 0:
        return "none"
    return f"{figures(abs(cents), currency)} {'over' if cents > 0 else 'short'}"


@dataclass(frozen=True, slots=True, kw_only=True)
class TableTotals:
    """A table's totals over a time; amounts in cents."""

    rounds: int = 0
    voids: int = 0
    no_spins: int = 0
    turnover: int = 0
    returned: int = 0
    refunded: int = 0

    @property
    def won(self) -> int:
        """What the house has won, as the table's meters count it."""
        return self.turnover - self.returned - self.refunded

    @property
    def hold(self) -> Fraction | None:
        """The house's win as a share of the stakes at risk; refunded stakes were not at risk."""
        risked = self.turnover - self.refunded
        return Fraction(self.won, risked) if risked else None


def sum_totals(takings: Iterable[TableTotals]) -> TableTotals:
    """Add up the totals of several tables."""
    each = tuple(takings)
    return TableTotals(
        rounds=sum(one.rounds for one in each),
        voids=sum(one.voids for one in each),
        no_spins=sum(one.no_spins for one in each),
        turnover=sum(one.turnover for one in each),
        returned=sum(one.returned for one in each),
        refunded=sum(one.refunded for one in each),
    )


def percent(share: Fraction | None) -> str:
    """Format a share as a percentage with two decimals; a dash when there is none."""
    if share is None:
        return "-"
    hundredths = round(abs(share) * 10_000)
    return f"{'-' if share < 0 and hundredths else ''}{hundredths // 100}.{hundredths % 100:02} %"


@dataclass(frozen=True, slots=True)
class CountedAmount:
    """A number of items, and their total."""

    count: int = 0
    amount: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Cashflow:
    """Money that came in and went out other than by play, and what is outstanding.

    Slips and tickets add up: those outstanding before plus those issued and received from other venues were paid,
    accepted by a terminal, voided, transferred to other venues, have expired, or are outstanding.
    """

    notes_in: CountedAmount = CountedAmount()
    tickets_in: CountedAmount = CountedAmount()
    buy_ins: CountedAmount = CountedAmount()
    granted: CountedAmount = CountedAmount()
    adjusted: CountedAmount = CountedAmount()
    #: When the day began.
    tickets_before: CountedAmount = CountedAmount()
    tickets_issued: CountedAmount = CountedAmount()
    dispensed: CountedAmount = CountedAmount()
    tickets_paid: CountedAmount = CountedAmount()
    tickets_voided: CountedAmount = CountedAmount()
    tickets_lapsed: CountedAmount = CountedAmount()
    tickets_received: CountedAmount = CountedAmount()
    tickets_transferred: CountedAmount = CountedAmount()
    hand_pays: CountedAmount = CountedAmount()
    released: CountedAmount = CountedAmount()
    payables_paid: CountedAmount = CountedAmount()
    #: At the end of the day.
    tickets_out: CountedAmount = CountedAmount()
    held: CountedAmount = CountedAmount()
    payables: CountedAmount = CountedAmount()
    receivables: CountedAmount = CountedAmount()


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawerDay:
    """A drawer that was handed in on this day."""

    drawer: DrawerId
    cashier: PersonId
    float_: int
    filled: int
    dropped: int
    taken_in: int
    paid_out: int
    expected: int
    counted: int

    def __post_init__(self) -> None:
        assert self.expected == self.float_ + self.filled - self.dropped + self.taken_in - self.paid_out


@dataclass(frozen=True, slots=True, kw_only=True)
class Unclaimed:
    """A slip or ticket that expired; only the last digits of its number are known."""

    sequence: Number
    last_four: str
    terminal: TerminalId
    day: Day
    amount: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DayReport:
    """A gaming day, or as much of it as there has been, in one currency."""

    head: DocumentHeader
    currency: str
    day: Day
    made_at: Instant
    #: None until it is over.
    closed_at: Instant | None
    tables: tuple[tuple[TableId, TableTotals], ...]
    flow: Cashflow
    drawers: tuple[DrawerDay, ...] = ()
    #: Drawers that were open at the end of the day, and their cashiers: a count is blind, so no amount is shown.
    still_out: tuple[tuple[DrawerId, PersonId], ...] = ()
    unclaimed: tuple[Unclaimed, ...] = ()
    #: The journal head when the report was made.
    journal: JournalHead | None = None

    def layout(self) -> Document:
        title = f"Day report {day_text(self.day)}"
        parts = (self._day(), self._tables(), self._flow(), self._drawers(), self._unclaimed())
        blocks = (*(block for part in parts for block in part), *journal_head_lines(self.journal))
        return Document(
            self.head.titled(title), (*self.head.heading("DAY REPORT"), *blocks, Signature("Shift manager")), roll=False
        )

    def _day(self) -> Iterator[Block]:
        takings = sum_totals(takings for _, takings in self.tables)
        yield LabelledValue("Gaming day", day_text(self.day), TextStyle.BOLD)
        if self.closed_at is None:
            yield LabelledValue("Not closed yet; report made", self.head.moment(self.made_at))
        else:
            yield LabelledValue("Closed", self.head.moment(self.closed_at))
        yield LabelledValue("Won by the house", figures(takings.won, self.currency), TextStyle.BOLD)
        yield LabelledValue("Hold", percent(takings.hold), TextStyle.BOLD)

    def _tables(self) -> Iterator[Block]:
        yield SectionHeading("Tables")
        total = sum_totals(takings for _, takings in self.tables)
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
                ("Received from other venues", flow.tickets_received),
                ("Paid at the desk", flow.tickets_paid),
                ("Taken by terminals", flow.tickets_in),
                ("Void, and back at their terminals", flow.tickets_voided),
                ("Transferred to other venues", flow.tickets_transferred),
                ("Lapsed", flow.tickets_lapsed),
                ("Not redeemed yet", flow.tickets_out),
            ),
        )
        yield Text("The first three together come to what the other six come to.")
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

    def _tallies(self, heading: str, tallies: tuple[tuple[str, CountedAmount], ...]) -> Iterator[Block]:
        yield SectionHeading(heading)
        for label, tally in tallies:
            yield LabelledValue(f"{label} ({tally.count})", figures(tally.amount, self.currency))

    def _drawers(self) -> Iterator[Block]:
        yield SectionHeading("Drawers")
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
            filled=sum(one.filled for one in self.drawers),
            dropped=sum(one.dropped for one in self.drawers),
            taken_in=sum(one.taken_in for one in self.drawers),
            paid_out=sum(one.paid_out for one in self.drawers),
            expected=sum(one.expected for one in self.drawers),
            counted=sum(one.counted for one in self.drawers),
        )
        cash = ("Float", "Fills", "Drops", "Taken in", "Paid out", "Expected", "Counted")
        heads = ("Drawer", "Cashier", *cash, "Difference")
        return Grid(heads, tuple(map(self._drawer, self.drawers)), self._drawer(total))

    def _drawer(self, one: DrawerDay) -> tuple[str, ...]:
        vault, play = (one.float_, one.filled, one.dropped), (one.taken_in, one.paid_out)
        money = map(number, (*vault, *play, one.expected, one.counted))
        return (one.drawer, one.cashier, *money, over_or_short(one.counted - one.expected, self.currency))

    def _unclaimed(self) -> Iterator[Block]:
        yield SectionHeading("Unclaimed slips and tickets")
        if not self.unclaimed:
            yield Text("None has lapsed.")
            return
        rows = tuple(
            (str(one.sequence), one.last_four, one.terminal, day_text(one.day), number(one.amount))
            for one in self.unclaimed
        )
        total = (f"Total ({len(rows)})", "", "", "", number(sum(one.amount for one in self.unclaimed)))
        yield Grid(("Sequence", "Ends in", "Terminal", "Gaming day", self.currency), rows, total)


def _takings(takings: TableTotals) -> tuple[str, ...]:
    counts = (takings.rounds, takings.voids, takings.no_spins)
    money = (takings.turnover, takings.refunded, takings.returned, takings.won)
    return (*map(str, counts), *map(number, money), percent(takings.hold))


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """The expected win of these bets by the odds, and the bounds within which it stays by chance."""

    won: int
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class TableReportRound:
    """One round: when it was over, its result, and its stakes."""

    round: RoundNumber
    over_at: Instant
    #: The number, or "void".
    result: str
    staked: int
    back: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TableReport:
    """A table's day, or as much of it as there has been."""

    head: DocumentHeader
    table: TableId
    rulebook: str
    currency: str
    day: Day
    made_at: Instant
    totals: TableTotals
    expected: Expected
    rounds: tuple[TableReportRound, ...] = ()
    #: False when the projection does not have all of them any more: then none is listed.
    listed: bool = True

    def layout(self) -> Document:
        title = f"Table report {self.table}, {day_text(self.day)}"
        return Document(
            self.head.titled(title), (*self.head.heading("TABLE REPORT"), *self._takings(), *self._rounds()), roll=False
        )

    def _takings(self) -> Iterator[Block]:
        takings = self.totals
        yield LabelledValue("Table", self.table, TextStyle.BOLD)
        yield LabelledValue("Rules", self.rulebook)
        yield LabelledValue("Gaming day", day_text(self.day))
        yield LabelledValue("Report made", self.head.moment(self.made_at))
        yield SectionHeading("Takings")
        yield LabelledValue("Rounds", str(takings.rounds))
        yield LabelledValue("Void rounds", str(takings.voids))
        yield LabelledValue("No spins", str(takings.no_spins))
        yield LabelledValue("Staked", figures(takings.turnover, self.currency))
        yield LabelledValue("Refunded", figures(takings.refunded, self.currency))
        yield LabelledValue("Returned", figures(takings.returned, self.currency))
        yield LabelledValue("Won by the house", figures(takings.won, self.currency), TextStyle.BOLD)
        yield LabelledValue("Hold", percent(takings.hold), TextStyle.BOLD)
        yield LabelledValue("Expected by the odds", figures(self.expected.won, self.currency))
        yield LabelledValue("Within chance from", figures(self.expected.low, self.currency))
        yield LabelledValue("Within chance to", figures(self.expected.high, self.currency))
        yield LabelledValue("The win is", self._verdict())

    def _verdict(self) -> str:
        if self.totals.won < self.expected.low:
            return "below that"
        return "above that" if self.totals.won > self.expected.high else "within that"

    def _rounds(self) -> Iterator[Block]:
        yield SectionHeading("Rounds")
        if not self.listed:
            yield Text("The rounds are not listed: there were too many to keep them all. The takings have every one.")
            return
        staked, back = sum(one.staked for one in self.rounds), sum(one.back for one in self.rounds)
        if self.rounds:
            rows = tuple(map(self._round, self.rounds))
            total = ("Total", "", "", number(staked), number(back), number(staked - back))
            yield Grid(("Round", "Over", "Result", "Staked", "Given back", "Won"), rows, total)
        else:
            yield Text("None was over.")
        yield from self._missing(staked, back)

    def _missing(self, staked: int, back: int) -> Iterator[Block]:
        """Print the totals that no listed round contains, such as refunds in a running round."""
        more, given = self.totals.turnover - staked, self.totals.returned + self.totals.refunded - back
        if more or given:
            yield Text("These rounds do not add up to the takings, which have more than they do:")
            yield LabelledValue("Staked in no round listed", figures(more, self.currency))
            yield LabelledValue("Given back in no round listed", figures(given, self.currency))

    def _round(self, played: TableReportRound) -> tuple[str, ...]:
        money = (played.staked, played.back, played.staked - played.back)
        return (str(played.round), self.head.time(played.over_at), played.result, *map(number, money))
