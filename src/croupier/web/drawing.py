"""Drawing: a document as a page shows it, as PDF and as bytes for a thermal printer."""

from base64 import b64encode
from typing import Final, assert_never

from croupier.house.answer import refuse
from croupier.paper import pdf, thermal
from croupier.paper.block import Barcode, Block, Grid, Heading, Layout, Mark, Pair, Signature, Text
from croupier.paper.dayreport import DayReport
from croupier.paper.interleaved import bars, widths
from croupier.paper.receipt import Receipt
from croupier.paper.shiftreport import ShiftReport
from croupier.paper.slip import Slip
from croupier.paper.tablereport import TableReport
from croupier.paper.taxform import TaxForm
from croupier.rules.refusal import Code, Refusal
from croupier.web import outgoing, paperdata
from croupier.web.limits import FILE_MOST
from croupier.web.paperdata import Form

#: Everything that is put on paper.
OnPaper = Slip | Receipt | TaxForm | ShiftReport | TableReport | DayReport

#: What a file of each form is called after, and what it says it is.
_FILES: Final = {Form.PDF: ("pdf", "application/pdf"), Form.ESCPOS: ("bin", "application/octet-stream")}
#: Where offices have sheets of their own.
_SHEETS: Final = {"USD": pdf.Sheet.LETTER}


def drawn(paper: OnPaper, form: Form, q: int) -> outgoing.Paper | outgoing.File | Refusal:
    """Draw a document; it takes a while where it is long."""
    layout = paper.layout()
    if form is Form.SCREEN:
        return outgoing.Paper(q=q, title=layout.title, roll=layout.roll, blocks=tuple(map(_block, layout.blocks)))
    sheet = _SHEETS.get(paper.currency, pdf.Sheet.A4)
    content = pdf.printed(layout, sheet) if form is Form.PDF else thermal.printed(layout)
    if len(content) > FILE_MOST:
        says = "This document is too long to be sent as one file: look at it on the screen."
        return refuse(Code.TOO_LONG, None, says, bytes=len(content), most=FILE_MOST)
    suffix, kind = _FILES[form]
    return outgoing.File(q=q, name=f"{_named(layout)}.{suffix}", type=kind, content=b64encode(content).decode())


def _named(layout: Layout) -> str:
    """Name a file after its document, in letters that every system takes."""
    plain = "".join(each if each.isascii() and each.isalnum() else " " for each in layout.title.lower())
    return "-".join(plain.split())


def _block(block: Block) -> paperdata.AnyBlock:
    told: paperdata.AnyBlock
    match block:
        case Text():
            told = paperdata.TextBlock(block.words, block.look, block.align)
        case Heading():
            told = paperdata.HeadingBlock(block.words)
        case Pair():
            told = paperdata.PairBlock(block.label, block.value, block.look)
        case Grid():
            told = paperdata.GridBlock(block.heads, block.rows, block.total)
        case Barcode():
            told = paperdata.BarcodeBlock(block.digits, sum(widths(block.digits)), tuple(bars(block.digits)))
        case Signature():
            told = paperdata.SignatureBlock(block.label)
        case Mark.RULE:
            told = paperdata.RuleBlock()
        case Mark.GAP:
            told = paperdata.GapBlock()
        case _:
            assert_never(block)
    return told
