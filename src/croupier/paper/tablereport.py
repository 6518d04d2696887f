"""The table report: the takings of one table on a gaming day, beside what the odds let expect, and its rounds."""

from collections.abc import Iterator
from dataclasses import dataclass

from croupier.house.name import Day, Instant, RoundNumber, TableId
from croupier.paper.amount import figures, number
from croupier.paper.block import Block, Grid, Heading, Layout, Look, Pair, Text
from croupier.paper.letterhead import Letterhead, day_text
from croupier.paper.takings import Takings, percent


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """What the house should have won of these bets by the odds, and between which bounds chance alone keeps it."""

    won: int
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class Played:
    """One round: when it was over, what came, and what became of its stakes."""

    round: RoundNumber
    over_at: Instant
    #: The number, or what came instead of one.
    result: str
    staked: int
    back: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TableReport:
    """A table's day, or as much of it as there has been."""

    head: Letterhead
    table: TableId
    rulebook: str
    currency: str
    day: Day
    made_at: Instant
    takings: Takings
    expected: Expected
    rounds: tuple[Played, ...] = ()
    #: False where not all of them are kept any more: then none is listed.
    listed: bool = True

    def layout(self) -> Layout:
        title = f"Table report {self.table}, {day_text(self.day)}"
        return Layout(
            self.head.titled(title), (*self.head.top("TABLE REPORT"), *self._takings(), *self._rounds()), roll=False
        )

    def _takings(self) -> Iterator[Block]:
        takings = self.takings
        yield Pair("Table", self.table, Look.BOLD)
        yield Pair("Rules", self.rulebook)
        yield Pair("Gaming day", day_text(self.day))
        yield Pair("Report made", self.head.moment(self.made_at))
        yield Heading("Takings")
        yield Pair("Rounds", str(takings.rounds))
        yield Pair("Void rounds", str(takings.voids))
        yield Pair("No spins", str(takings.no_spins))
        yield Pair("Staked", figures(takings.turnover, self.currency))
        yield Pair("Refunded", figures(takings.refunded, self.currency))
        yield Pair("Returned", figures(takings.returned, self.currency))
        yield Pair("Won by the house", figures(takings.won, self.currency), Look.BOLD)
        yield Pair("Hold", percent(takings.hold), Look.BOLD)
        yield Pair("Expected by the odds", figures(self.expected.won, self.currency))
        yield Pair("Within chance from", figures(self.expected.low, self.currency))
        yield Pair("Within chance to", figures(self.expected.high, self.currency))
        yield Pair("The win is", self._verdict())

    def _verdict(self) -> str:
        if self.takings.won < self.expected.low:
            return "below that"
        return "above that" if self.takings.won > self.expected.high else "within that"

    def _rounds(self) -> Iterator[Block]:
        yield Heading("Rounds")
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
        """Say what the takings have and no line does, such as stakes given back in a round that still runs."""
        more, given = self.takings.turnover - staked, self.takings.returned + self.takings.refunded - back
        if more or given:
            yield Text("These rounds do not add up to the takings, which have more than they do:")
            yield Pair("Staked in no round listed", figures(more, self.currency))
            yield Pair("Given back in no round listed", figures(given, self.currency))

    def _round(self, played: Played) -> tuple[str, ...]:
        money = (played.staked, played.back, played.staked - played.back)
        return (str(played.round), self.head.time(played.over_at), played.result, *map(number, money))
