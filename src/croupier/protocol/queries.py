"""Query results and documents."""

from enum import StrEnum
from typing import Annotated

import msgspec

from croupier.protocol.staff import AvailableAction
from croupier.protocol.terminal import Cited
from croupier.reports.typesetting import Align, TextStyle
from croupier.rules.geometry import Pocket, SpotKey


class Tagged(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False, omit_defaults=True, tag_field="type"):
    """One of several kinds."""


_Name = Annotated[str, msgspec.Meta(min_length=1, max_length=64)]
_Whole = Annotated[int, msgspec.Meta(ge=1, le=2**53 - 1)]
_Day = Annotated[int, msgspec.Meta(ge=1, le=99_991_231)]


class DocumentFormat(StrEnum):
    """The format of a document."""

    #: Its blocks, for a page to draw.
    SCREEN = "screen"
    PDF = "pdf"
    #: Bytes for a thermal printer.
    ESCPOS = "escpos"


class SlipOrTicket(Tagged, frozen=True, tag="slip"):
    """A slip or ticket, by its number."""

    sequence: _Whole
    number: Annotated[str, msgspec.Meta(max_length=32)]


class TicketReceipt(Tagged, frozen=True, tag="ticket_receipt"):
    """The receipt for a slip or ticket that was paid at the desk."""

    sequence: _Whole


class HoldReceipt(Tagged, frozen=True, tag="hold_receipt"):
    """The receipt for a held win that was paid by hand."""

    hold: _Whole


class BuyInReceipt(Tagged, frozen=True, tag="buy_in_receipt"):
    """The receipt of a buy-in: the last of a drawer, or that of an entry of the journal."""

    drawer: _Name
    position: _Whole | None = None


class PaymentSlip(Tagged, frozen=True, tag="payment_slip"):
    """The slip by which an ended session was paid what a correction brought it; the last, where there were several."""

    terminal: _Name
    session: Annotated[int, msgspec.Meta(ge=0, le=2**53 - 1)]


class TaxFormRecord(Tagged, frozen=True, tag="tax_form"):
    """The record of the tax form of a held win."""

    hold: _Whole


class ShiftReportRequest(Tagged, frozen=True, tag="shift_report"):
    """A drawer from its float to its count: in its last shift, or the one that an entry of the journal began."""

    drawer: _Name
    position: _Whole | None = None


class TableReportRequest(Tagged, frozen=True, tag="table_report"):
    """A table on a gaming day, with its rounds; on this one, where none is named."""

    table: _Name
    day: _Day | None = None


class DayReportRequest(Tagged, frozen=True, tag="day_report"):
    """A gaming day; this one, where none is named. The currency is named where there are several."""

    day: _Day | None = None
    currency: _Name | None = None


class DisputeEvidence(Tagged, frozen=True, tag="dispute_evidence"):
    """A dispute with the record of its round, for print."""

    dispute: _Whole


class RulesCopyRequest(Tagged, frozen=True, tag="rules_copy"):
    """The rules of a table with its notice, for a player."""

    table: _Name


#: Documents from the state of the house, and documents from the journal alone.
Present = SlipOrTicket | TicketReceipt | DisputeEvidence | RulesCopyRequest
Past = (
    HoldReceipt
    | BuyInReceipt
    | PaymentSlip
    | TaxFormRecord
    | ShiftReportRequest
    | TableReportRequest
    | DayReportRequest
)
Document = Present | Past


class TextBlock(Tagged, frozen=True, tag="text"):
    """Text, on as many lines as it needs."""

    words: str
    look: TextStyle
    align: Align


class HeadingBlock(Tagged, frozen=True, tag="heading"):
    """The line above a part of a report."""

    words: str


class PairBlock(Tagged, frozen=True, tag="pair"):
    """A label on the left and its value on the right."""

    label: str
    value: str
    look: TextStyle


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
    """A horizontal rule."""


class GapBlock(Tagged, frozen=True, tag="gap"):
    """Half a blank line."""


AnyBlock = TextBlock | HeadingBlock | PairBlock | GridBlock | BarcodeBlock | SignatureBlock | RuleBlock | GapBlock


class TerminalMoneyRow(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """The money of a player at one terminal."""

    credit: int
    #: Chips on this table.
    up: int
    held: int
    #: Owed to the house after corrections; negative if the house owes it.
    owed: int


class TerminalPreviewRow(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """One seat before and after a previewed correction."""

    terminal: str
    staked: int
    paid: int
    due: int
    before: TerminalMoneyRow
    after: TerminalMoneyRow
    #: Whether that player has collected since.
    gone: bool


class ChipMoneyRow(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """The money of a player with chips at a table."""

    #: Payments that are open, chips on the layout, and what the player owes the house after corrections.
    unpaid: int
    up: int
    owed: int


class ChipPreviewRow(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """One player with chips before and after a previewed correction."""

    position: int
    label: str
    staked: int
    #: Payments, and stakes that stay or went back.
    paid: int
    due: int
    before: ChipMoneyRow
    after: ChipMoneyRow
    #: Whether that player has left the table.
    gone: bool


class SignedAction(msgspec.Struct, frozen=True, gc=False):
    """The person who took an action, and when."""

    person: str
    at_us: int


class FrozenPayment(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A payment in chips when a round was disputed: its segment of the layout, and whether it was made."""

    segment: str
    amount: int
    made: bool


class FrozenRound(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A round as it was when it was disputed."""

    rulebook: str
    opened_at_us: int
    status: str
    pocket: Pocket | None
    #: Numbers before their corrections.
    corrected: tuple[Pocket, ...]
    reason: str
    clause: str | None
    #: The number of seats with sealed bets, their stakes, and their returns at that time.
    seats: int
    staked: int
    returned: int
    #: The disputed seat: its sealed chips, and its return.
    stakes: dict[SpotKey, int]
    paid: int | None
    #: At a live table: the players with sealed chips; null where the round had none.
    players: int | None
    #: The disputed player with chips: the sealed pieces, and the payments.
    pieces: dict[SpotKey, dict[str, int]]
    payments: tuple[FrozenPayment, ...]
    #: The digest of the seal, as in the journal, and a digest of the whole frozen record.
    sealed: str
    digest: str


class DisputeRow(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A dispute with its whole record."""

    dispute: int
    table: str
    round: int
    terminal: str | None
    #: The player with chips that it is about, and how staff refer to the player.
    position: int | None
    player: str
    basis: str
    #: The clause on disputes, and the rule in question.
    clause: str
    rule: str | None
    words: str
    memorandum: str
    state: str
    opened: SignedAction
    #: None where only the journal still has the round whole.
    evidence: FrozenRound | None
    decision: str
    decided: SignedAction | None
    advised: SignedAction | None
    #: Who recorded the request for a review, and whether the house requested it.
    review: SignedAction | None
    review_by_house: bool
    outcome: str
    reviewed: SignedAction | None
    resolved: bool | None
    closed: SignedAction | None
    #: The available actions, with the titles that may take them.
    actions: tuple[AvailableAction, ...]


class ReplayStep(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """One step of a round."""

    position: int
    at_us: int
    kind: str
    words: str
    clause: str | None
    person: str
    device: str
    terminal: str | None
    #: The stake on each changed spot after the step; empty if no chips were moved.
    stakes: dict[SpotKey, int]
    pocket: Pocket | None


class ReplaySeat(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """One seat of a round: its sealed chips, and their return."""

    terminal: str
    at_start: dict[SpotKey, int]
    sealed: dict[SpotKey, int]
    staked: int
    returned: int | None
    #: The winning spots, with the return of each.
    winners: dict[SpotKey, int]


class JournalRow(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """An entry of the journal as a sentence."""

    position: int
    at_us: int
    day: int
    kind: str
    words: str
    clause: str | None
    person: str
    device: str
    table: str | None
    terminal: str | None
    #: The round that it concerns, if it names one.
    round: int | None


class TicketRow(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A slip or ticket, as the house has it."""

    sequence: int
    form: str
    amount: int
    currency: str
    #: One of issued, printed, redeemed, void, expired and transferred; or frozen, where that prevents the payment.
    status: str
    #: Empty when another venue issued it.
    terminal: str
    #: The other venue that issued it; empty when this one did.
    venue: str
    issued_at_us: int
    day: int
    last_four: str
    duplicates: int
    reported_lost: bool
    paid_at_us: int | None
    paid_place: str
    paid_by: str
    #: Why it is not paid, where it is not.
    why_not: Cited | None
    #: The available actions besides paying it.
    actions: tuple[AvailableAction, ...]


class AuditLine(msgspec.Struct, frozen=True, gc=False):
    """One line of a self-audit: what it counts, by its code, and the amount."""

    line: str
    amount: int


class PersonRow(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A member of staff."""

    person: str
    titles: tuple[str, ...]
    #: Acting titles, each with its end.
    acting: tuple[tuple[str, int], ...]
    #: The consoles at which this person is signed in now.
    devices: tuple[str, ...]
