"""Documents over the wire: how each is asked for, and what it is made of on a screen."""

from enum import StrEnum
from typing import Annotated

import msgspec

from croupier.paper.block import Align, Look
from croupier.web.tagged import Tagged

_Name = Annotated[str, msgspec.Meta(min_length=1, max_length=64)]
_Whole = Annotated[int, msgspec.Meta(ge=1, le=2**53 - 1)]
_Day = Annotated[int, msgspec.Meta(ge=1, le=99_991_231)]


class Form(StrEnum):
    """What a document is wanted as."""

    #: Its blocks, for a page to draw.
    SCREEN = "screen"
    PDF = "pdf"
    #: Bytes for a thermal printer.
    ESCPOS = "escpos"


class SlipOrTicket(Tagged, frozen=True, tag="slip"):
    """A slip or ticket, for whoever holds its number."""

    sequence: _Whole
    number: Annotated[str, msgspec.Meta(max_length=32)]


class TicketReceipt(Tagged, frozen=True, tag="ticket_receipt"):
    """The receipt for a slip or ticket that was paid at the desk."""

    sequence: _Whole


class HoldReceipt(Tagged, frozen=True, tag="hold_receipt"):
    """The receipt for a held win that was paid by hand."""

    hold: _Whole


class BuyInReceipt(Tagged, frozen=True, tag="buy_in_receipt"):
    """The receipt for credits that were sold: the last of a drawer, or the one that an entry of the journal tells."""

    drawer: _Name
    position: _Whole | None = None


class PaymentSlip(Tagged, frozen=True, tag="payment_slip"):
    """The slip by which an ended session was paid what a correction brought it; the last, where there were several."""

    terminal: _Name
    session: Annotated[int, msgspec.Meta(ge=0, le=2**53 - 1)]


class TaxFormRecord(Tagged, frozen=True, tag="tax_form"):
    """The record of the form that a held win took."""

    hold: _Whole


class ShiftReport(Tagged, frozen=True, tag="shift_report"):
    """A drawer from its float to its count: in its last shift, or the one that an entry of the journal began."""

    drawer: _Name
    position: _Whole | None = None


class TableReport(Tagged, frozen=True, tag="table_report"):
    """A table on a gaming day, with its rounds; on this one, where none is named."""

    table: _Name
    day: _Day | None = None


class DayReport(Tagged, frozen=True, tag="day_report"):
    """A gaming day; this one, where none is named. The currency is named where there are several."""

    day: _Day | None = None
    currency: _Name | None = None


#: What the house's state tells, and what only the journal does.
Present = SlipOrTicket | TicketReceipt
Past = HoldReceipt | BuyInReceipt | PaymentSlip | TaxFormRecord | ShiftReport | TableReport | DayReport
Document = Present | Past


class TextBlock(Tagged, frozen=True, tag="text"):
    """A line, or as many as the words need."""

    words: str
    look: Look
    align: Align


class HeadingBlock(Tagged, frozen=True, tag="heading"):
    """The line above a part of a report."""

    words: str


class PairBlock(Tagged, frozen=True, tag="pair"):
    """A label on the left and its value on the right."""

    label: str
    value: str
    look: Look


class GridBlock(Tagged, frozen=True, tag="grid"):
    """Rows under heads, the first column on the left and the others on the right, and the total below a rule."""

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    total: tuple[str, ...]


class BarcodeBlock(Tagged, frozen=True, tag="barcode"):
    """Digits as bars: where each begins and how wide it is, of so many parts in all."""

    digits: str
    width: int
    bars: tuple[tuple[int, int], ...]


class SignatureBlock(Tagged, frozen=True, tag="signature"):
    """A line to sign on, and who does."""

    label: str


class RuleBlock(Tagged, frozen=True, tag="rule"):
    """A line across."""


class GapBlock(Tagged, frozen=True, tag="gap"):
    """Half a line of nothing."""


AnyBlock = TextBlock | HeadingBlock | PairBlock | GridBlock | BarcodeBlock | SignatureBlock | RuleBlock | GapBlock
