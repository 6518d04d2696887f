"""PDF: a document as a slip or as pages; the same facts give the same bytes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from io import BytesIO
from math import inf
from typing import Final, assert_never

from reportlab.lib.units import mm
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

from croupier.paper.block import RULE, Barcode, Layout, Look, Mark
from croupier.paper.flow import Face, Row, Strip, flow
from croupier.paper.glyph import written
from croupier.paper.interleaved import bars, widths

#: The font, and how large beside plain letters. Every reader of PDF has these two.
_FONTS: Final = {
    Look.PLAIN: ("Helvetica", 1),
    Look.BOLD: ("Helvetica-Bold", 1),
    Look.LARGE: ("Helvetica-Bold", 2),
    Look.BANNER: ("Helvetica-Bold", 2),
}
#: A line and where its letters stand in it, in heights of the letters.
_LEADING: Final = 1.3
_BASELINE: Final = 0.97
#: How far a value stands from the left edge.
_REACH: Final = 110 * mm
#: Bars as the thermal printer draws them, and what is clear below.
_NARROW: Final = 0.375 * mm
_BARS: Final = 12 * mm
_BELOW_BARS: Final = 1 * mm


@dataclass(frozen=True, slots=True)
class Stock:
    """What is printed on: its measures, and the height of plain letters there, in points."""

    width: float
    #: None on a roll, which is as long as it needs to be.
    height: float | None
    margin: float
    letters: float

    @property
    def face(self) -> Face:
        width = self.width - 2 * self.margin
        return Face(width, min(width, _REACH), self.letters, self._measure)

    def _measure(self, text: str, look: Look) -> float:
        font, times = _FONTS[look]
        return stringWidth(text, font, self.letters * times)

    def height_of(self, strip: Strip) -> float:
        match strip:
            case Row():
                return _LEADING * self.letters * _FONTS[strip.look][1]
            case Barcode():
                return _BARS + _BELOW_BARS
            case Mark():
                return _LEADING * self.letters / 2
            case _:
                assert_never(strip)


#: The thermal printer's roll: 80 mm, of which it prints 72.
ROLL: Final = Stock(80 * mm, None, 4 * mm, 8)


class Sheet(Enum):
    """The sheets that offices use."""

    A4 = Stock(210 * mm, 297 * mm, 18 * mm, 9.5)
    LETTER = Stock(215.9 * mm, 279.4 * mm, 18 * mm, 9.5)


def printed(layout: Layout, sheet: Sheet = Sheet.A4) -> bytes:
    """Print a document on the roll, or on as many sheets as it needs."""
    stock = ROLL if layout.roll else sheet.value
    pages, title = _paged(tuple(flow(layout.blocks, stock.face)), stock), written(layout.title)
    file = BytesIO()
    # Of no date of its own (SOURCE_DATE_EPOCH would give it one), and not compressed by whichever zlib is here.
    canvas = Canvas(file, invariant=1, pageCompression=0, lang="en")
    canvas.setTitle(title)
    canvas.setAuthor("Croupier")
    for place, page in enumerate(pages, 1):
        height = stock.height or 2 * stock.margin + sum(map(stock.height_of, page))
        canvas.setPageSize((stock.width, height))
        pen = _Pen(canvas, stock, height - stock.margin)
        pen.draw(page)
        if stock.height is not None:
            pen.foot(f"{title}, page {place} of {len(pages)}")
        canvas.showPage()
    canvas.save()
    return file.getvalue()


def _paged(strips: Sequence[Strip], stock: Stock) -> list[list[Strip]]:
    """Share strips out over pages, of which a roll has one. Rows take the heads of their grid along."""
    room = inf if stock.height is None else stock.height - 2 * stock.margin
    pages: list[list[Strip]] = [[]]
    left = room
    for strip, needed in zip(strips, _needed(strips, stock), strict=True):
        if needed > left:
            pages.append([strip.heads, RULE] if isinstance(strip, Row) and strip.heads else [])
            left = room - sum(map(stock.height_of, pages[-1]))
        pages[-1].append(strip)
        left -= stock.height_of(strip)
    return pages


def _needed(strips: Sequence[Strip], stock: Stock) -> Iterator[float]:
    """Tell how much room there must be for each: what stays with the next needs room for both."""
    needed = 0.0
    told = []
    for strip in reversed(strips):
        keeps = isinstance(strip, Row) and strip.keeps
        needed = stock.height_of(strip) + (needed if keeps else 0)
        told.append(needed)
    return reversed(told)


@dataclass(slots=True)
class _Pen:
    """Draws strips from the top down."""

    canvas: Canvas
    stock: Stock
    top: float

    def draw(self, strips: Sequence[Strip]) -> None:
        for strip in strips:
            match strip:
                case Row():
                    self._row(strip)
                case Barcode():
                    self._barcode(strip.digits)
                case Mark.RULE:
                    self._rule()
                case Mark.GAP:
                    pass
                case _:
                    assert_never(strip)
            self.top -= self.stock.height_of(strip)

    def foot(self, words: str) -> None:
        self.canvas.setFont(_FONTS[Look.PLAIN][0], self.stock.letters)
        self.canvas.drawCentredString(self.stock.width / 2, self.stock.margin / 2, words)

    def _row(self, row: Row) -> None:
        font, times = _FONTS[row.look]
        if row.look is Look.BANNER:
            height = self.stock.height_of(row)
            self.canvas.rect(self.stock.margin, self.top - height, self.stock.face.width, height, stroke=0, fill=1)
            self.canvas.setFillGray(1)
        self.canvas.setFont(font, self.stock.letters * times)
        for cell in row.cells:
            baseline = self.top - _BASELINE * self.stock.letters * times
            self.canvas.drawString(self.stock.margin + cell.at, baseline, cell.text)
        self.canvas.setFillGray(0)

    def _barcode(self, digits: str) -> None:
        left = (self.stock.width - _NARROW * sum(widths(digits))) / 2
        for at, width in bars(digits):
            self.canvas.rect(left + _NARROW * at, self.top - _BARS, _NARROW * width, _BARS, stroke=0, fill=1)

    def _rule(self) -> None:
        across = self.top - self.stock.height_of(RULE) / 2
        self.canvas.setLineWidth(0.5)
        self.canvas.line(self.stock.margin, across, self.stock.width - self.stock.margin, across)
