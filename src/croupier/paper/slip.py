"""The slip: credits on paper, as a payment slip for the cashier or as a ticket for terminals too."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from croupier.house.name import Day, Instant, Number, TerminalId
from croupier.paper.amount import figures, words
from croupier.paper.block import GAP, RULE, Barcode, Block, Layout, Look, Pair, Text
from croupier.paper.letterhead import Letterhead, day_text
from croupier.rules.money import Cents
from croupier.rules.procedure import CreditOut

DIGITS: Final = 18
COPY: Final = "COPY - ON PAPER ALREADY"
#: Where the groups of the number end. The last is what screens show of it.
_GROUPS: Final = (0, 2, 6, 10, 14, DIGITS)
#: What each is called, and where it is good.
_FORMS: Final = {
    CreditOut.PAYMENT_SLIP: ("Payment slip", "Paid at the cashier to whoever brings it."),
    CreditOut.TICKET: ("Ticket", "Taken by terminals, and paid at the cashier to whoever brings it."),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Slip:
    """A slip or ticket with its whole number: for the printer alone."""

    head: Letterhead
    form: CreditOut
    number: str
    sequence: Number
    amount: Cents
    currency: str
    issued_at: Instant
    terminal: TerminalId
    #: The last gaming day on which it is paid, where it lapses.
    last_day: Day | None = None
    #: What the venue's rules have printed on it.
    notice: str = ""
    #: How often it was printed before.
    duplicate: int = 0
    #: Whether this very paper has come out already, so that this is for looking at.
    copy: bool = False

    def __post_init__(self) -> None:
        assert self.form in _FORMS
        assert len(self.number) == DIGITS
        assert self.amount > 0

    def layout(self) -> Layout:
        """Lay it out with the barcode at the edge that comes first, and the marks above and below the value."""
        title = f"{_FORMS[self.form][0]} {self.sequence}"
        mark = (Text(COPY, Look.BANNER),) if self.copy else ()
        blocks = (*self._leading_edge(), *self._value(), *self._facts(), *self._foot())
        return Layout(self.head.titled(title), (*mark, *blocks, *mark), roll=True)

    def _leading_edge(self) -> Iterator[Block]:
        yield Barcode(self.number)
        yield Text(grouped(self.number), Look.BOLD)
        yield GAP

    def _value(self) -> Iterator[Block]:
        yield from self.head.top(_FORMS[self.form][0].upper(), self.duplicate)
        yield Text(figures(self.amount, self.currency), Look.LARGE)
        yield Text(words(self.amount, self.currency))

    def _facts(self) -> Iterator[Block]:
        yield RULE
        yield Pair("Date", self.head.date(self.issued_at))
        yield Pair("Time", self.head.time(self.issued_at))
        yield Pair("Terminal", self.terminal)
        yield Pair("Sequence", str(self.sequence))
        yield Pair("Validation", grouped(self.number), Look.BOLD)
        if self.last_day is not None:
            yield Pair("Valid through gaming day", day_text(self.last_day))
        yield RULE

    def _foot(self) -> Iterator[Block]:
        yield Text(_FORMS[self.form][1])
        if self.notice:
            yield Text(self.notice)
        yield GAP
        yield from self.head.marks(self.duplicate)


def grouped(number: str) -> str:
    """Write a validation number in groups that can be read aloud."""
    return "-".join(number[begin:end] for begin, end in pairwise(_GROUPS))
