"""Documents for staff, with the print register."""

import asyncio
from base64 import b64encode
from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from typing import Final, assert_never

from croupier.devices.validation import ValidationNumbers
from croupier.engine.commit_loop import CommitLoop, read_through
from croupier.engine.journal_reader import EntryScan
from croupier.house import House
from croupier.house.ids import Day, DeviceKind, DrawerId, Instant, Number, PersonId, TableId, TerminalId
from croupier.protocol import outbound, queries
from croupier.protocol.queries import DocumentFormat
from croupier.reports import rendering
from croupier.reports.day_projection import Projections, day_report, table_report
from croupier.reports.drawer_projection import (
    already_out,
    buy_in_receipt,
    payment_slip,
    report,
    slip,
    ticket_receipt,
)
from croupier.reports.evidence import EvidencePack, evidence_pack
from croupier.reports.rules_copy import Clauses, RulesCopy, rules_copy
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
from croupier.rules.refusal import Code, Refused
from croupier.server.auth.staff import DocumentReader, reader_at
from croupier.server.connection import Connection
from croupier.server.exports import FILE_MAX

#: Every printed document.
AnyDocument = Slip | Receipt | TaxForm | ShiftReport | TableReport | DayReport | EvidencePack | RulesCopy

#: The file name's suffix and the content type of each format.
_FILES: Final = {
    DocumentFormat.PDF: ("pdf", "application/pdf"),
    DocumentFormat.ESCPOS: ("bin", "application/octet-stream"),
}
#: The page size by currency, A4 unless given.
_PAGE_SIZES: Final = {"USD": rendering.PageSize.LETTER}


def render_document(document: AnyDocument, form: DocumentFormat, q: int) -> outbound.DocumentResult | outbound.File:
    """Render a document; a long one takes a while."""
    layout = document.layout()
    if form is DocumentFormat.SCREEN:
        return outbound.DocumentResult(
            q=q, title=layout.title, roll=layout.roll, blocks=tuple(map(_block, layout.blocks))
        )
    size = _PAGE_SIZES.get(document.currency, rendering.PageSize.A4)
    content = rendering.render_pdf(layout, size) if form is DocumentFormat.PDF else rendering.render_escpos(layout)
    if len(content) > FILE_MAX:
        message = "This document is too long to be sent as one file: look at it on the screen."
        raise Refused(Code.TOO_LONG, None, message, bytes=len(content), most=FILE_MAX)
    suffix, kind = _FILES[form]
    return outbound.File(q=q, name=f"{_named(layout)}.{suffix}", type=kind, content=b64encode(content).decode())


def _named(layout: Document) -> str:
    """Name a file after its document, in ASCII letters and digits."""
    plain = "".join(each if each.isascii() and each.isalnum() else " " for each in layout.title.lower())
    return "-".join(plain.split())


def _block(block: Block) -> queries.AnyBlock:
    result: queries.AnyBlock
    match block:
        case Text():
            result = queries.TextBlock(block.words, block.style, block.align)
        case SectionHeading():
            result = queries.HeadingBlock(block.words)
        case LabelledValue():
            result = queries.PairBlock(block.label, block.value, block.style)
        case Grid():
            result = queries.GridBlock(block.heads, block.rows, block.total)
        case Barcode():
            result = queries.BarcodeBlock(block.digits, sum(widths(block.digits)), tuple(bars(block.digits)))
        case Signature():
            result = queries.SignatureBlock(block.label)
        case Separator.RULE:
            result = queries.RuleBlock()
        case Separator.GAP:
            result = queries.GapBlock()
        case _:
            assert_never(block)
    return result


class PrintRegister:
    """Counts the documents that were sent as files, printed or not: the server cannot know that.

    It is in memory only. After a restart, a slip whose print is not confirmed may be sent once more, and so may a
    receipt that is younger than a minute.
    """

    def __init__(self) -> None:
        self._out: Counter[Hashable] = Counter()

    def mark_copies(self, house: House, document: AnyDocument, form: DocumentFormat) -> AnyDocument:
        """Mark a document as a copy or duplicate; a slip is sent once, and once more for each duplicate."""
        match document:
            case Slip():
                return self._slip(house, document, form)
            case Receipt():
                return self._copy(document, (document.subject, document.drawer, document.at), form)
            case TaxForm():
                return self._copy(document, (document.hold, document.recorded_at), form)
            case _:
                return document

    def _slip(self, house: House, document: Slip, form: DocumentFormat) -> Slip:
        key = (document.sequence, document.duplicate)
        out = self._out[key]
        if form is DocumentFormat.SCREEN:
            return replace(document, copy=out > 0)
        if out:
            raise already_out(house, house.tickets.all[document.sequence])
        self._out[key] = 1
        return document

    def _copy(self, document: Receipt | TaxForm, key: Hashable, form: DocumentFormat) -> AnyDocument:
        """Count the copies of a receipt: a late request gets a copy, whether or not the original was sent."""
        copies = max(self._out[key], document.duplicate)
        if form is not DocumentFormat.SCREEN:
            self._out[key] = copies + 1
        return replace(document, duplicate=copies)


@dataclass(slots=True)
class DocumentService:
    """Builds documents: about the present from the house, and about the past from the projections."""

    commit_loop: CommitLoop
    numbers: ValidationNumbers
    #: The text of the rules, for copies in print.
    clauses: Clauses
    _copies: PrintRegister = field(default_factory=PrintRegister)
    _projections: Projections | None = None
    _one_at_a_time: asyncio.Lock = field(default_factory=asyncio.Lock)
    #: One document is rendered at a time: several rendering threads would delay the house's batches.
    _rendering: asyncio.Lock = field(default_factory=asyncio.Lock)

    def present(self, connection: Connection, wanted: queries.Present) -> AnyDocument:
        """Build a document from the house's committed state."""
        house, now = self.commit_loop.run.house, self.commit_loop.time.now()
        match wanted:
            case queries.SlipOrTicket():
                _require_issued_here(house, connection, wanted)
                return slip(house, Number(wanted.sequence), wanted.number, self.numbers)
            case queries.TicketReceipt():
                sequence, index = Number(wanted.sequence), self.commit_loop.run.storage.tickets
                closed = None if index is None else index.by_sequence(sequence)
                receipt = ticket_receipt(house, sequence, now, closed)
                _require_own(self._reader(connection), receipt.cashier)
                return receipt
            case queries.DisputeEvidence():
                return evidence_pack(house, Number(wanted.dispute), now, self.commit_loop.run.writer.head)
            case queries.RulesCopyRequest():
                return rules_copy(house, TableId(wanted.table), now, self.clauses)
            case _:
                assert_never(wanted)

    async def past(self, connection: Connection, wanted: queries.Past) -> AnyDocument:
        """Build a document from the projections, once they are up to date."""
        async with self._one_at_a_time:
            projections, reader = await self._up_to_date(), self._reader(connection)
            document = _build(projections, reader, wanted, self.commit_loop.time.now())
            match document:
                case DayReport() | ShiftReport():
                    return replace(document, journal=self.commit_loop.run.writer.head)
                case Receipt():
                    _require_own(reader, document.cashier)
            return document

    async def render(
        self, connection: Connection, document: AnyDocument, form: DocumentFormat, q: int
    ) -> outbound.OutboundMessage | None:
        """Render a document on a thread of its own, one at a time; nothing is rendered for a closed connection."""
        async with self._rendering:
            if not connection.is_open:
                return None
            marked = self._copies.mark_copies(self.commit_loop.run.house, document, form)
            return await asyncio.to_thread(render_document, marked, form, q)

    def _reader(self, connection: Connection) -> DocumentReader:
        return reader_at(self.commit_loop.run.house, connection, self.commit_loop.time.now())

    async def _up_to_date(self) -> Projections:
        """Read on to the end of the journal, in slices of time between two batches.

        When that takes too long, the next request continues where this one stopped. Projections that have failed are
        dropped.
        """
        run = self.commit_loop.run
        projections, self._projections = self._projections or Projections(run.house.read_rulebook), None
        scan = EntryScan(
            run.storage.store,
            projections.apply,
            run.ports.clock.now,
            projections.position + 1,
            backwards=False,
        )
        try:
            await read_through(self.commit_loop, scan.step)
        except Refused:
            # It has not begun: they are as they were.
            self._projections = projections
            raise
        self._projections = projections
        if projections.position != scan.head:
            message = f"The past is being read: {projections.position} of {scan.head} entries so far. Ask again."
            raise Refused(Code.BUSY, None, message, read=projections.position, entries=scan.head)
        return projections


def _build(projections: Projections, reader: DocumentReader, wanted: queries.Past, now: Instant) -> AnyDocument:
    """Build a document from the projections; a cashier only sees their own shifts."""
    document: AnyDocument
    house = projections.house
    match wanted:
        case queries.HoldReceipt():
            document = projections.wins.receipt(house, Number(wanted.hold), now)
        case queries.TaxFormRecord():
            document = projections.wins.form(house, Number(wanted.hold), now)
        case queries.BuyInReceipt():
            bought = projections.drawer_shifts.find_buy_in(DrawerId(wanted.drawer), wanted.position)
            document = buy_in_receipt(house, *bought, now)
        case queries.PaymentSlip():
            paid = projections.drawer_shifts.find_payable(TerminalId(wanted.terminal), wanted.session)
            document = payment_slip(house, paid, now)
        case queries.ShiftReportRequest():
            shift = projections.drawer_shifts.find(DrawerId(wanted.drawer), wanted.position)
            _require_own(reader, shift.cashier)
            document = report(house, shift, reader.person)
        case queries.TableReportRequest():
            document = table_report(projections, TableId(wanted.table), Day(wanted.day or house.day), now)
        case queries.DayReportRequest():
            day = Day(wanted.day or house.day)
            _require_counted(projections, reader, day)
            document = day_report(projections, day, wanted.currency, now)
        case _:
            assert_never(wanted)
    return document


def _require_counted(projections: Projections, reader: DocumentReader, day: Day) -> None:
    """Refuse a day's totals to cashiers, and to people with an open drawer, until all its drawers are counted.

    A count is blind, and a day's payments would reveal what its drawers should hold.
    """
    found = projections.days.known.get(day)
    out = tuple(shift for shift in projections.drawer_shifts.out_after(day) if not shift.closed)
    concerned = reader.own_alone or any(reader.person in shift.handled_by for shift in out)
    if found is None or not concerned or (found.closed_at is not None and not out):
        return
    message = "The report of a day is shown once it is over and all its drawers are handed in: they are counted blind."
    raise Refused(Code.OUT_OF_TURN, None, message, day=day, drawers=tuple(shift.drawer for shift in out))


def _require_issued_here(house: House, connection: Connection, wanted: queries.SlipOrTicket) -> None:
    """Refuse a terminal the slips and tickets of other terminals."""
    ticket = house.tickets.all.get(Number(wanted.sequence))
    at_terminal = connection.device_kind is DeviceKind.TERMINAL
    if at_terminal and ticket is not None and ticket.terminal != TerminalId(connection.device):
        raise Refused(Code.NOT_AUTHORISED, None, "A terminal prints what it has issued itself.")


def _require_own(reader: DocumentReader, cashier: PersonId) -> None:
    """Refuse a cashier the receipts and shifts of other people's drawers."""
    if reader.own_alone and cashier != reader.person:
        raise Refused(Code.NOT_AUTHORISED, None, "A cashier may only see the documents of their own drawer.")
