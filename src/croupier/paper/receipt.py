"""The receipt: what the cashier paid or took, for what, from which drawer."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import assert_never

from croupier.house.name import DrawerId, Instant, Number, PersonId, RoundNumber, TableId, TerminalId
from croupier.paper.amount import figures, number, words
from croupier.paper.block import GAP, RULE, Block, Grid, Layout, Look, Pair, Signature, Text
from croupier.paper.letterhead import Letterhead
from croupier.rules.money import Cents


@dataclass(frozen=True, slots=True)
class TicketPaid:
    """A slip or ticket, known by its last four digits."""

    sequence: Number
    last_four: str
    terminal: TerminalId
    issued_at: Instant


@dataclass(frozen=True, slots=True)
class HandPay:
    """A win that was held for its tax form."""

    hold: Number
    form_number: str
    terminal: TerminalId
    table: TableId
    round: RoundNumber


@dataclass(frozen=True, slots=True)
class BuyIn:
    """Cash that became credit at a terminal."""

    terminal: TerminalId


@dataclass(frozen=True, slots=True)
class Payable:
    """What a correction brought a player whose session had ended: paid by a slip that two people signed."""

    slip: Number
    terminal: TerminalId
    table: TableId
    round: RoundNumber
    #: Whom it was paid to, and who gave the second signature.
    patron: str
    second: PersonId


Subject = TicketPaid | HandPay | BuyIn | Payable


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """Something paid or taken at the desk."""

    head: Letterhead
    subject: Subject
    amount: Cents
    currency: str
    at: Instant
    drawer: DrawerId
    cashier: PersonId
    #: How many notes and coins of each value, where they were counted out.
    notes: tuple[tuple[Cents, int], ...] = ()
    duplicate: int = 0

    def __post_init__(self) -> None:
        assert self.amount > 0
        assert sum(value * count for value, count in self.notes) == (self.amount if self.notes else 0)

    def layout(self) -> Layout:
        titles = {BuyIn: "Buy-in receipt", Payable: "Payment slip"}
        title = titles.get(type(self.subject), "Payment receipt")
        top = self.head.top(title.upper(), self.duplicate)
        return Layout(self.head.titled(title), (*top, *self._value(), *self._facts(), *self._foot()), roll=True)

    def _value(self) -> Iterator[Block]:
        yield Text(figures(self.amount, self.currency), Look.LARGE)
        yield Text(words(self.amount, self.currency))
        yield RULE

    def _facts(self) -> Iterator[Block]:
        yield Pair("Date", self.head.date(self.at))
        yield Pair("Time", self.head.time(self.at))
        yield Pair("Drawer", self.drawer)
        yield Pair("Cashier", self.cashier)
        yield from self._subject()
        if self.notes:
            yield RULE
            yield self._counted_out()

    def _subject(self) -> Iterator[Block]:
        match self.subject:
            case TicketPaid() as paid:
                yield Pair("Slip or ticket", f"{paid.sequence}, ending in {paid.last_four}")
                yield Pair("Issued at terminal", paid.terminal)
                yield Pair("Issued", self.head.moment(paid.issued_at))
            case HandPay() as win:
                yield Pair("Held win", str(win.hold))
                yield Pair("Tax form", win.form_number)
                yield Pair("Terminal", win.terminal)
                yield Pair("Table and round", f"{win.table}, {win.round}")
            case Payable() as payable:
                yield Pair("Slip", str(payable.slip))
                yield Pair("Terminal", payable.terminal)
                yield Pair("Corrected table and round", f"{payable.table}, {payable.round}")
                yield Pair("Paid to", payable.patron)
                yield Pair("Second signature", payable.second)
            case BuyIn() as bought:
                yield Pair("Credited to terminal", bought.terminal)
            case _:
                assert_never(self.subject)

    def _counted_out(self) -> Grid:
        rows = tuple((number(value), str(count), number(value * count)) for value, count in self.notes)
        pieces = sum(count for _, count in self.notes)
        return Grid((f"Each, {self.currency}", "Pieces", "Amount"), rows, ("", str(pieces), number(self.amount)))

    def _foot(self) -> Iterator[Block]:
        if isinstance(self.subject, Payable):
            yield Signature(f"Cashier: {self.cashier}")
            yield Signature(f"Second signature: {self.subject.second}")
        yield Signature("Received")
        yield GAP
        yield from self.head.marks(self.duplicate)
