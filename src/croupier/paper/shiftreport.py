"""The shift report: one cashier's drawer, from its float over every payment to the blind count and the difference."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from croupier.house.name import Day, DrawerId, Instant, PersonId
from croupier.journal.page import Mark
from croupier.paper.amount import figures, number
from croupier.paper.block import Block, Grid, Heading, Layout, Look, Pair, Signature
from croupier.paper.letterhead import Letterhead, day_text, journal_head


class Kind(StrEnum):
    """What moves the cash of a drawer."""

    TICKET = "Slips and tickets paid"
    HAND_PAY = "Wins paid by hand"
    BUY_IN = "Buy-ins taken"
    PAYABLE = "Payables of ended sessions paid"


@dataclass(frozen=True, slots=True)
class Movement:
    """Cash that went out of a drawer or into it."""

    at: Instant
    kind: Kind
    what: str
    amount: int

    @property
    def change(self) -> int:
        return self.amount if self.kind is Kind.BUY_IN else -self.amount


@dataclass(frozen=True, slots=True, kw_only=True)
class ShiftReport:
    """A drawer that was counted: what the books expect is on no paper before."""

    head: Letterhead
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
    #: How far the journal had come when the report was made.
    journal: Mark | None = None

    def __post_init__(self) -> None:
        assert self.expected == self.float_ + sum(moved.change for moved in self.movements)

    def layout(self) -> Layout:
        title = f"Shift report {self.drawer}, {day_text(self.day)}"
        top = self.head.top("SHIFT REPORT")
        return Layout(
            self.head.titled(title),
            (*top, *self._drawer(), *self._cash(), *self._movements(), *self._foot()),
            roll=False,
        )

    def _drawer(self) -> Iterator[Block]:
        yield Pair("Drawer", self.drawer, Look.BOLD)
        yield Pair("Cashier", self.cashier, Look.BOLD)
        yield Pair("Gaming day", day_text(self.day))
        yield Pair("Opened", self.head.moment(self.opened_at))
        yield Pair("Counted", self.head.moment(self.counted_at))

    def _cash(self) -> Iterator[Block]:
        yield Heading("Cash")
        yield Pair("Opening float", figures(self.float_, self.currency))
        for kind in Kind:
            changes = [moved.change for moved in self.movements if moved.kind is kind]
            yield Pair(f"{kind.value} ({len(changes)})", figures(sum(changes), self.currency))
        yield Pair("Expected", figures(self.expected, self.currency))
        yield Pair("Counted", figures(self.counted, self.currency))
        yield Pair("Difference", difference(self.counted - self.expected, self.currency), Look.BOLD)

    def _movements(self) -> Iterator[Block]:
        if self.movements:
            yield Heading("Every payment")
            rows = tuple((self.head.time(moved.at), moved.what, number(moved.change)) for moved in self.movements)
            total = ("Total", "", number(sum(moved.change for moved in self.movements)))
            yield Grid(("Time", "What", self.currency), rows, total)

    def _foot(self) -> Iterator[Block]:
        yield from journal_head(self.journal)
        yield Signature(f"Cashier: {self.cashier}")
        yield Signature("Counted with")


def difference(cents: int, currency: str) -> str:
    """Say what a count found missing or too much, so that no sign can be overlooked."""
    if cents == 0:
        return "none"
    return f"{figures(abs(cents), currency)} {'over' if cents > 0 else 'short'}"
