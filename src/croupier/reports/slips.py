"""Slips, tickets, receipts and tax form records."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, assert_never

from croupier.house.ids import Day, DrawerId, Instant, Number, PersonId, RoundNumber, TableId, TerminalId
from croupier.reports.header import DocumentHeader, day_text, figures, number, words
from croupier.reports.typesetting import (
    GAP,
    RULE,
    Barcode,
    Block,
    Document,
    Grid,
    LabelledValue,
    SectionHeading,
    Signature,
    Text,
    TextStyle,
)
from croupier.rules.money import Cents
from croupier.rules.procedure import CreditOut, Tax, TaxBasis


@dataclass(frozen=True, slots=True)
class TicketPaid:
    """A paid slip or ticket, with the last four digits of its number."""

    sequence: Number
    last_four: str
    terminal: TerminalId
    issued_at: Instant
    #: The venue that issued it, when that is another one.
    venue: str = ""


@dataclass(frozen=True, slots=True)
class HandPay:
    """A win that was held for its tax form."""

    hold: Number
    form_number: str
    terminal: TerminalId
    table: TableId
    round: RoundNumber


@dataclass(frozen=True, slots=True)
class BuyInPaid:
    """Cash that became credit at a terminal."""

    terminal: TerminalId


@dataclass(frozen=True, slots=True)
class Payable:
    """A correction's debt to a player whose session has ended: paid by a slip with two signatures."""

    slip: Number
    terminal: TerminalId
    table: TableId
    round: RoundNumber
    #: The recipient, and the person who gave the second signature.
    patron: str
    second: PersonId


Subject = TicketPaid | HandPay | BuyInPaid | Payable


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """Something paid or taken at the desk."""

    head: DocumentHeader
    subject: Subject
    amount: Cents
    currency: str
    at: Instant
    drawer: DrawerId
    cashier: PersonId
    #: How many notes and coins of each value, when they were counted out.
    notes: tuple[tuple[Cents, int], ...] = ()
    duplicate: int = 0

    def __post_init__(self) -> None:
        assert self.amount > 0
        assert sum(value * count for value, count in self.notes) == (self.amount if self.notes else 0)

    def layout(self) -> Document:
        titles = {BuyInPaid: "Buy-in receipt", Payable: "Payment slip"}
        title = titles.get(type(self.subject), "Payment receipt")
        top = self.head.heading(title.upper(), self.duplicate)
        return Document(self.head.titled(title), (*top, *self._value(), *self._facts(), *self._foot()), roll=True)

    def _value(self) -> Iterator[Block]:
        yield Text(figures(self.amount, self.currency), TextStyle.LARGE)
        yield Text(words(self.amount, self.currency))
        yield RULE

    def _facts(self) -> Iterator[Block]:
        yield LabelledValue("Date", self.head.date(self.at))
        yield LabelledValue("Time", self.head.time(self.at))
        yield LabelledValue("Drawer", self.drawer)
        yield LabelledValue("Cashier", self.cashier)
        yield from self._subject()
        if self.notes:
            yield RULE
            yield self._counted_out()

    def _subject(self) -> Iterator[Block]:
        match self.subject:
            case TicketPaid() as paid:
                yield LabelledValue("Slip or ticket", f"{paid.sequence}, ending in {paid.last_four}")
                if paid.venue:
                    yield LabelledValue("Issued by", paid.venue)
                else:
                    yield LabelledValue("Issued at terminal", paid.terminal)
                yield LabelledValue("Issued", self.head.moment(paid.issued_at))
            case HandPay() as win:
                yield LabelledValue("Held win", str(win.hold))
                yield LabelledValue("Tax form", win.form_number)
                yield LabelledValue("Terminal", win.terminal)
                yield LabelledValue("Table and round", f"{win.table}, {win.round}")
            case Payable() as payable:
                yield LabelledValue("Slip", str(payable.slip))
                yield LabelledValue("Terminal", payable.terminal)
                yield LabelledValue("Corrected table and round", f"{payable.table}, {payable.round}")
                yield LabelledValue("Paid to", payable.patron)
                yield LabelledValue("Second signature", payable.second)
            case BuyInPaid() as bought:
                yield LabelledValue("Credited to terminal", bought.terminal)
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
        yield from self.head.banners(self.duplicate)


DIGITS: Final = 18
COPY: Final = "COPY - ON PAPER ALREADY"
#: Where the groups of the number end. Screens show only the last group.
_GROUPS: Final = (0, 2, 6, 10, 14, DIGITS)
#: The title of each, and where it can be redeemed.
_FORMS: Final = {
    CreditOut.PAYMENT_SLIP: ("Payment slip", "Paid at the cashier to the bearer."),
    CreditOut.TICKET: ("Ticket", "Taken by terminals, and paid at the cashier to the bearer."),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Slip:
    """A slip or ticket with its whole number, for the printer only."""

    head: DocumentHeader
    form: CreditOut
    number: str
    sequence: Number
    amount: Cents
    currency: str
    issued_at: Instant
    terminal: TerminalId
    #: The last gaming day on which it is paid; None when it does not expire.
    last_day: Day | None = None
    #: The notice that the venue's rules require.
    notice: str = ""
    #: How often it was printed before.
    duplicate: int = 0
    #: Whether it was printed already, so that this is only shown.
    copy: bool = False

    def __post_init__(self) -> None:
        assert self.form in _FORMS
        assert len(self.number) == DIGITS
        assert self.amount > 0

    def layout(self) -> Document:
        """Lay it out with the barcode at the leading edge, and the banners above and below the value."""
        title = f"{_FORMS[self.form][0]} {self.sequence}"
        mark = (Text(COPY, TextStyle.BANNER),) if self.copy else ()
        blocks = (*self._leading_edge(), *self._value(), *self._facts(), *self._foot())
        return Document(self.head.titled(title), (*mark, *blocks, *mark), roll=True)

    def _leading_edge(self) -> Iterator[Block]:
        yield Barcode(self.number)
        yield Text(grouped(self.number), TextStyle.BOLD)
        yield GAP

    def _value(self) -> Iterator[Block]:
        yield from self.head.heading(_FORMS[self.form][0].upper(), self.duplicate)
        yield Text(figures(self.amount, self.currency), TextStyle.LARGE)
        yield Text(words(self.amount, self.currency))

    def _facts(self) -> Iterator[Block]:
        yield RULE
        yield LabelledValue("Date", self.head.date(self.issued_at))
        yield LabelledValue("Time", self.head.time(self.issued_at))
        yield LabelledValue("Terminal", self.terminal)
        yield LabelledValue("Sequence", str(self.sequence))
        yield LabelledValue("Validation", grouped(self.number), TextStyle.BOLD)
        if self.last_day is not None:
            yield LabelledValue("Valid through gaming day", day_text(self.last_day))
        yield RULE

    def _foot(self) -> Iterator[Block]:
        yield Text(_FORMS[self.form][1])
        if self.notice:
            yield Text(self.notice)
        yield GAP
        yield from self.head.banners(self.duplicate)


def grouped(number: str) -> str:
    """Format a validation number in groups that can be read aloud."""
    return "-".join(number[begin:end] for begin, end in pairwise(_GROUPS))


_BASES: Final = {
    TaxBasis.NET_OF_WINNING_STAKES: "Net of winning stakes",
    TaxBasis.NET_OF_TOTAL_BET: "Net of the total bet",
    TaxBasis.GROSS: "Gross",
}


@dataclass(frozen=True, slots=True)
class TaxReversal:
    """What was reversed of a win after its tax form was recorded, and when last."""

    at: Instant
    amount: Cents


@dataclass(frozen=True, slots=True, kw_only=True)
class TaxForm:
    """The record of a tax form: the win, the patron and the form's number."""

    head: DocumentHeader
    #: The rulebook's name for the form, its threshold and its clause.
    tax: Tax
    #: The basis that was compared with the threshold: the rulebook's, or the operator's own.
    basis: TaxBasis
    form_number: str
    patron: str
    hold: Number
    terminal: TerminalId
    table: TableId
    round: RoundNumber
    won_at: Instant
    #: All that is paid for the game, and the win counted on every basis, as they were when the form was recorded.
    amount: Cents
    bases: Mapping[TaxBasis, int]
    currency: str
    recorded_at: Instant
    recorded_by: PersonId
    reversal: TaxReversal | None = None
    duplicate: int = 0

    def __post_init__(self) -> None:
        assert self.patron
        assert self.form_number
        assert set(self.bases) == set(TaxBasis)

    def layout(self) -> Document:
        title = f"Record of form {self.tax.form}"
        top = self.head.heading(title.upper(), self.duplicate)
        return Document(self.head.titled(title), (*top, *self._form(), *self._win(), *self._foot()), roll=False)

    def _form(self) -> Iterator[Block]:
        yield LabelledValue(f"Form {self.tax.form}", self.form_number, TextStyle.BOLD)
        yield LabelledValue("Patron", self.patron, TextStyle.BOLD)
        yield LabelledValue("Recorded", self.head.moment(self.recorded_at))
        yield LabelledValue("Recorded by", self.recorded_by)
        yield LabelledValue("Required by clause", self.tax.clause)
        yield LabelledValue("Required from", figures(self.tax.threshold, self.currency))

    def _win(self) -> Iterator[Block]:
        yield SectionHeading("The win")
        yield LabelledValue("Date won", self.head.date(self.won_at))
        yield LabelledValue("Time won", self.head.time(self.won_at))
        yield LabelledValue("Held win", str(self.hold))
        yield LabelledValue("Terminal", self.terminal)
        yield LabelledValue("Table and round", f"{self.table}, {self.round}")
        for basis in TaxBasis:
            counts = basis is self.basis
            label = _BASES[basis] + (", which counts here" if counts else "")
            yield LabelledValue(
                label, figures(self.bases[basis], self.currency), TextStyle.BOLD if counts else TextStyle.PLAIN
            )

    def _foot(self) -> Iterator[Block]:
        yield SectionHeading("To be paid")
        yield Text(figures(self.amount, self.currency), TextStyle.LARGE)
        yield Text(words(self.amount, self.currency))
        if self.reversal is not None:
            yield LabelledValue(
                f"Taken back {self.head.moment(self.reversal.at)}", figures(self.reversal.amount, self.currency)
            )
        yield Signature("Patron")
        yield Signature(f"For the venue: {self.recorded_by}")
        yield GAP
        yield from self.head.banners(self.duplicate)
