"""Documents for staff, with the print register."""

import asyncio
from base64 import b64encode
from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from typing import Final, assert_never

from croupier.devices.validation import ValidationNumbers
from croupier.engine.commit_loop import CommitLoop, read_through
from croupier.engine.projections import EntryScan
from croupier.house.ids import Day, DeviceKind, DrawerId, Instant, Number, PersonId, TableId, TerminalId
from croupier.house.state import House
from croupier.protocol import outbound, queries
from croupier.protocol.queries import DocumentFormat
from croupier.reports import rendering
from croupier.reports.day_projection import Projections, day_report, table_report
from croupier.reports.drawer_projection import (
    Shift,
    already_out,
    buy_in_receipt,
    payment_slip,
    report,
    slip,
    ticket_receipt,
)
from croupier.reports.slips import Receipt, Slip, TaxForm
from croupier.reports.summaries import DayReport, ShiftReport, TableReport
from croupier.reports.typesetting import (
    Barcode,
    Block,
    Document,
    Grid,
    LabelledValue,
    SectionHeading,
    Separator,
    Signature,
    Text,
    bars,
    widths,
)
from croupier.rules.refusal import Code, Refusal, refuse
from croupier.server.auth.staff import DocumentReader, reader_at
from croupier.server.connection import FILE_MAX, LEDGER_AT_ONCE, Connection

#: Everything that is put on paper.
OnPaper = Slip | Receipt | TaxForm | ShiftReport | TableReport | DayReport

#: What a file of each form is called after, and what it says it is.
_FILES: Final = {
    DocumentFormat.PDF: ("pdf", "application/pdf"),
    DocumentFormat.ESCPOS: ("bin", "application/octet-stream"),
}
#: Where offices have sheets of their own.
_SHEETS: Final = {"USD": rendering.PageSize.LETTER}


def render_document(paper: OnPaper, form: DocumentFormat, q: int) -> outbound.DocumentResult | outbound.File | Refusal:
    """Draw a document; it takes a while where it is long."""
    layout = paper.layout()
    if form is DocumentFormat.SCREEN:
        return outbound.DocumentResult(
            q=q, title=layout.title, roll=layout.roll, blocks=tuple(map(_block, layout.blocks))
        )
    sheet = _SHEETS.get(paper.currency, rendering.PageSize.A4)
    content = rendering.render_pdf(layout, sheet) if form is DocumentFormat.PDF else rendering.render_escpos(layout)
    if len(content) > FILE_MAX:
        says = "This document is too long to be sent as one file: look at it on the screen."
        return refuse(Code.TOO_LONG, None, says, bytes=len(content), most=FILE_MAX)
    suffix, kind = _FILES[form]
    return outbound.File(q=q, name=f"{_named(layout)}.{suffix}", type=kind, content=b64encode(content).decode())


def _named(layout: Document) -> str:
    """Name a file after its document, in letters that every system takes."""
    plain = "".join(each if each.isascii() and each.isalnum() else " " for each in layout.title.lower())
    return "-".join(plain.split())


def _block(block: Block) -> queries.AnyBlock:
    told: queries.AnyBlock
    match block:
        case Text():
            told = queries.TextBlock(block.words, block.style, block.align)
        case SectionHeading():
            told = queries.HeadingBlock(block.words)
        case LabelledValue():
            told = queries.PairBlock(block.label, block.value, block.style)
        case Grid():
            told = queries.GridBlock(block.heads, block.rows, block.total)
        case Barcode():
            told = queries.BarcodeBlock(block.digits, sum(widths(block.digits)), tuple(bars(block.digits)))
        case Signature():
            told = queries.SignatureBlock(block.label)
        case Separator.RULE:
            told = queries.RuleBlock()
        case Separator.GAP:
            told = queries.GapBlock()
        case _:
            assert_never(block)
    return told


class PrintRegister:
    """Counts what has come out as a file, whether or not it was printed: nobody can know that.

    It is kept in memory alone. After a restart a slip whose print nobody has confirmed may come out once more, and a
    receipt that is younger than a minute as well.
    """

    def __init__(self) -> None:
        self._out: Counter[Hashable] = Counter()

    def mark_copies(self, house: House, paper: OnPaper, form: DocumentFormat) -> OnPaper | Refusal:
        """Give paper the mark that it is to bear; a slip comes out once, and once more for each duplicate."""
        match paper:
            case Slip():
                return self._slip(house, paper, form)
            case Receipt():
                return self._copy(paper, (paper.subject, paper.drawer, paper.at), form)
            case TaxForm():
                return self._copy(paper, (paper.hold, paper.recorded_at), form)
            case _:
                return paper

    def _slip(self, house: House, paper: Slip, form: DocumentFormat) -> Slip | Refusal:
        key = (paper.sequence, paper.duplicate)
        out = self._out[key]
        if form is DocumentFormat.SCREEN:
            return replace(paper, copy=out > 0)
        if out:
            return already_out(house, house.tickets[paper.sequence])
        self._out[key] = 1
        return paper

    def _copy(self, paper: Receipt | TaxForm, key: Hashable, form: DocumentFormat) -> OnPaper:
        """Count the copies of what belongs to a moment: who asks late has one, whether or not another came out."""
        copies = max(self._out[key], paper.duplicate)
        if form is not DocumentFormat.SCREEN:
            self._out[key] = copies + 1
        return replace(paper, duplicate=copies)


@dataclass(slots=True)
class DocumentService:
    """Puts documents together: of the present from the house, and of the past from the ledger."""

    commit_loop: CommitLoop
    numbers: ValidationNumbers
    _copies: PrintRegister = field(default_factory=PrintRegister)
    _ledger: Projections | None = None
    _one_at_a_time: asyncio.Lock = field(default_factory=asyncio.Lock)
    #: One document is drawn at a time: several threads that draw leave the house's turns no time.
    _pen: asyncio.Lock = field(default_factory=asyncio.Lock)

    def present(self, connection: Connection, wanted: queries.Present) -> OnPaper | Refusal:
        """Put a document together from the house, where all that is in memory is kept."""
        house, now = self.commit_loop.run.house, self.commit_loop.time.now()
        match wanted:
            case queries.SlipOrTicket():
                return _here(house, connection, wanted) or slip(
                    house, Number(wanted.sequence), wanted.number, self.numbers
                )
            case queries.TicketReceipt():
                sequence, index = Number(wanted.sequence), self.commit_loop.run.storage.tickets
                closed = None if index is None else index.by_sequence(sequence)
                return _own(self._reader(connection), ticket_receipt(house, sequence, now, closed))
            case _:
                assert_never(wanted)

    async def past(self, connection: Connection, wanted: queries.Past) -> OnPaper | Refusal:
        """Put a document together from the ledger, once that is up to date."""
        async with self._one_at_a_time:
            ledger = await self._up_to_date()
            if isinstance(ledger, Refusal):
                return ledger
            reader = self._reader(connection)
            told = _told(ledger, reader, wanted, self.commit_loop.time.now())
            if isinstance(told, DayReport | ShiftReport):
                told = replace(told, journal=self.commit_loop.run.writer.head)
            return _own(reader, told)

    async def render(
        self, connection: Connection, paper: OnPaper, form: DocumentFormat, q: int
    ) -> outbound.OutboundMessage | Refusal | None:
        """Have a document drawn on a thread of its own, after those before it; nobody draws for whoever has left."""
        async with self._pen:
            if not connection.is_open:
                return None
            marked = self._copies.mark_copies(self.commit_loop.run.house, paper, form)
            return marked if isinstance(marked, Refusal) else await asyncio.to_thread(render_document, marked, form, q)

    def _reader(self, connection: Connection) -> DocumentReader:
        return reader_at(self.commit_loop.run.house, connection, self.commit_loop.time.now())

    async def _up_to_date(self) -> Projections | Refusal:
        """Have the ledger read on to the end of the journal, a little between two turns each time.

        How far it has come is not lost where that takes too long; but one that has failed is not gone on with.
        """
        run = self.commit_loop.run
        ledger, self._ledger = self._ledger or Projections(run.house.read_rulebook), None
        reading = EntryScan(
            run.storage.store, ledger.apply, ledger.position + 1, backwards=False, at_once=LEDGER_AT_ONCE
        )
        refusal = await read_through(self.commit_loop, reading.step)
        self._ledger = ledger
        if refusal is not None or ledger.position == reading.head:
            return refusal or ledger
        says = f"The past is being read: {ledger.position} of {reading.head} entries so far. Ask again."
        return refuse(Code.BUSY, None, says, read=ledger.position, entries=reading.head)


def _told(ledger: Projections, reader: DocumentReader, wanted: queries.Past, now: Instant) -> OnPaper | Refusal:
    """Put a document of the past together."""
    told: OnPaper | Refusal
    house = ledger.house
    match wanted:
        case queries.HoldReceipt():
            told = ledger.wins.receipt(house, Number(wanted.hold), now)
        case queries.TaxFormRecord():
            told = ledger.wins.form(house, Number(wanted.hold), now)
        case queries.BuyInReceipt():
            bought = ledger.drawer_shifts.find_buy_in(DrawerId(wanted.drawer), wanted.position)
            told = bought if isinstance(bought, Refusal) else buy_in_receipt(house, *bought, now)
        case queries.PaymentSlip():
            paid = ledger.drawer_shifts.find_payable(TerminalId(wanted.terminal), wanted.session)
            told = paid if isinstance(paid, Refusal) else payment_slip(house, paid, now)
        case queries.ShiftReportRequest():
            shift = ledger.drawer_shifts.find(DrawerId(wanted.drawer), wanted.position)
            told = shift if isinstance(shift, Refusal) else _shift_report(house, shift, reader)
        case queries.TableReportRequest():
            told = table_report(ledger, TableId(wanted.table), Day(wanted.day or house.day), now)
        case queries.DayReportRequest():
            day = Day(wanted.day or house.day)
            told = _too_soon(ledger, reader, day) or day_report(ledger, day, wanted.currency, now)
        case _:
            assert_never(wanted)
    return told


def _shift_report(house: House, shift: Shift, reader: DocumentReader) -> OnPaper | Refusal:
    """Somebody else's drawer is somebody else's, whether it was counted or not."""
    return _not_own(reader, shift.cashier) or report(house, shift, reader.person)


def _too_soon(ledger: Projections, reader: DocumentReader, day: Day) -> Refusal | None:
    """Keep a day's sums from cashiers, and from whoever has a drawer out, until none of its drawers is to be counted.

    A count is blind, and what was paid and taken on a day tells what its drawers should hold.
    """
    found = ledger.days.known.get(day)
    out = tuple(shift for shift in ledger.drawer_shifts.out_after(day) if not shift.closed)
    concerned = reader.own_alone or any(reader.person in shift.handled_by for shift in out)
    if found is None or not concerned or (found.closed_at is not None and not out):
        return None
    says = "A day is told here once it is over and all its drawers are handed in: they are counted blind."
    return refuse(Code.OUT_OF_TURN, None, says, day=day, drawers=tuple(shift.drawer for shift in out))


def _here(house: House, connection: Connection, wanted: queries.SlipOrTicket) -> Refusal | None:
    """Say that a terminal prints its own slips and tickets alone."""
    ticket = house.tickets.get(Number(wanted.sequence))
    if (
        connection.device_kind is not DeviceKind.TERMINAL
        or ticket is None
        or ticket.terminal == TerminalId(connection.device)
    ):
        return None
    return refuse(Code.NOT_AUTHORISED, None, "A terminal prints what it has issued itself.")


def _own(reader: DocumentReader, paper: OnPaper | Refusal) -> OnPaper | Refusal:
    """Keep receipts of other people's drawers from cashiers."""
    return _not_own(reader, paper.cashier) or paper if isinstance(paper, Receipt) else paper


def _not_own(reader: DocumentReader, cashier: PersonId) -> Refusal | None:
    if not reader.own_alone or cashier == reader.person:
        return None
    return refuse(Code.NOT_AUTHORISED, None, "A cashier has the paper of their own drawer alone.")
