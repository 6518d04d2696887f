"""PDF and ESC/POS."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from io import BytesIO
from math import inf
from typing import Final, assert_never

from reportlab.lib.units import mm
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

from croupier.reports.typesetting import (
    CODE_PAGE,
    QUIET,
    RULE,
    Barcode,
    Document,
    FontMetrics,
    Row,
    Separator,
    Strip,
    TextStyle,
    bars,
    flow,
    printable,
    widths,
)

#: The font, and its size relative to plain text. Every PDF viewer has these two fonts.
_FONTS: Final = {
    TextStyle.PLAIN: ("Helvetica", 1),
    TextStyle.BOLD: ("Helvetica-Bold", 1),
    TextStyle.LARGE: ("Helvetica-Bold", 2),
    TextStyle.BANNER: ("Helvetica-Bold", 2),
}
#: The line height and the baseline, in font sizes.
_LEADING: Final = 1.3
_BASELINE: Final = 0.97
#: The right edge of a value.
_REACH: Final = 110 * mm
#: The size of bars, as on the thermal printer, and the gap below.
_NARROW: Final = 0.375 * mm
_BARS: Final = 12 * mm
_BELOW_BARS: Final = 1 * mm


@dataclass(frozen=True, slots=True)
class PaperSize:
    """A paper size and its font size, in points."""

    width: float
    #: None for a roll, which has no fixed length.
    height: float | None
    margin: float
    letters: float

    @property
    def face(self) -> FontMetrics:
        width = self.width - 2 * self.margin
        return FontMetrics(width, min(width, _REACH), self.letters, self._measure)

    def _measure(self, text: str, look: TextStyle) -> float:
        font, times = _FONTS[look]
        return stringWidth(text, font, self.letters * times)

    def height_of(self, strip: Strip) -> float:
        match strip:
            case Row():
                return _LEADING * self.letters * _FONTS[strip.style][1]
            case Barcode():
                return _BARS + _BELOW_BARS
            case Separator():
                return _LEADING * self.letters / 2
            case _:
                assert_never(strip)


#: The thermal printer's roll: 80 mm, of which it prints 72.
ROLL: Final = PaperSize(80 * mm, None, 4 * mm, 8)


class PageSize(Enum):
    """The page sizes of sheets."""

    A4 = PaperSize(210 * mm, 297 * mm, 18 * mm, 9.5)
    LETTER = PaperSize(215.9 * mm, 279.4 * mm, 18 * mm, 9.5)


def render_pdf(layout: Document, sheet: PageSize = PageSize.A4) -> bytes:
    """Render a document as PDF, on the roll or on as many sheets as it needs."""
    stock = ROLL if layout.roll else sheet.value
    pages, title = _paged(tuple(flow(layout.blocks, stock.face)), stock), printable(layout.title)
    file = BytesIO()
    # Without a creation date (SOURCE_DATE_EPOCH would set one), and not compressed, as zlib versions differ.
    canvas = Canvas(file, invariant=1, pageCompression=0, lang="en")
    canvas.setTitle(title)
    canvas.setAuthor("Croupier")
    for place, page in enumerate(pages, 1):
        height = stock.height or 2 * stock.margin + sum(map(stock.height_of, page))
        canvas.setPageSize((stock.width, height))
        pen = _PdfCanvas(canvas, stock, height - stock.margin)
        pen.draw(page)
        if stock.height is not None:
            pen.foot(f"{title}, page {place} of {len(pages)}")
        canvas.showPage()
    canvas.save()
    return file.getvalue()


def _paged(strips: Sequence[Strip], stock: PaperSize) -> list[list[Strip]]:
    """Distribute strips over pages, of which a roll has one. The heads of a grid are repeated on each page."""
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


def _needed(strips: Sequence[Strip], stock: PaperSize) -> Iterator[float]:
    """Return the height that each strip needs: one that stays with the next needs the height of both."""
    needed = 0.0
    heights = []
    for strip in reversed(strips):
        keeps = isinstance(strip, Row) and strip.keep_with_next
        needed = stock.height_of(strip) + (needed if keeps else 0)
        heights.append(needed)
    return reversed(heights)


@dataclass(slots=True)
class _PdfCanvas:
    """Draws strips from the top down."""

    canvas: Canvas
    stock: PaperSize
    top: float

    def draw(self, strips: Sequence[Strip]) -> None:
        for strip in strips:
            match strip:
                case Row():
                    self._row(strip)
                case Barcode():
                    self._barcode(strip.digits)
                case Separator.RULE:
                    self._rule()
                case Separator.GAP:
                    pass
                case _:
                    assert_never(strip)
            self.top -= self.stock.height_of(strip)

    def foot(self, words: str) -> None:
        self.canvas.setFont(_FONTS[TextStyle.PLAIN][0], self.stock.letters)
        self.canvas.drawCentredString(self.stock.width / 2, self.stock.margin / 2, words)

    def _row(self, row: Row) -> None:
        font, times = _FONTS[row.style]
        if row.style is TextStyle.BANNER:
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


#: 72 mm at eight dots to the millimetre: 48 letters of the printer's first font.
DOTS: Final = 576
COLUMNS: Final = 48
#: A narrow bar, and how high bars are, in dots.
NARROW: Final = 3
HEIGHT: Final = 96

_ESC: Final = b"\x1b"
_GS: Final = b"\x1d"
#: As after switching on, whatever was printed before; and code page 16, which is Windows-1252.
_START: Final = _ESC + b"@" + _ESC + b"t\x10"
#: Feed to the knife, and leave one point uncut.
_CUT: Final = _GS + b"VB\x00"
#: Bold, size (twice each way), white on black; and how many columns a letter then takes.
_LOOKS: Final = {
    TextStyle.PLAIN: (_ESC + b"E\x00" + _GS + b"!\x00" + _GS + b"B\x00", 1),
    TextStyle.BOLD: (_ESC + b"E\x01" + _GS + b"!\x00" + _GS + b"B\x00", 1),
    TextStyle.LARGE: (_ESC + b"E\x01" + _GS + b"!\x11" + _GS + b"B\x00", 2),
    TextStyle.BANNER: (_ESC + b"E\x01" + _GS + b"!\x11" + _GS + b"B\x01", 2),
}


def _measure(text: str, look: TextStyle) -> int:
    return len(text) * _LOOKS[look][1]


FACE: Final = FontMetrics(COLUMNS, COLUMNS, 1, _measure)


def render_escpos(layout: Document) -> bytes:
    """Render a document as ESC/POS for the roll, with a cut at the end."""
    return b"".join((_START, *map(_strip, flow(layout.blocks, FACE)), _CUT))


def _strip(strip: Row | Barcode | Separator) -> bytes:
    match strip:
        case Row():
            return _LOOKS[strip.style][0] + _line(strip).encode(CODE_PAGE) + b"\n"
        case Barcode():
            return _raster(strip.digits)
        case Separator.RULE:
            return _LOOKS[TextStyle.PLAIN][0] + b"-" * COLUMNS + b"\n"
        case Separator.GAP:
            return _LOOKS[TextStyle.PLAIN][0] + b"\n"
        case _:
            assert_never(strip)


def _line(row: Row) -> str:
    """Align cells with spaces. A banner is padded to the full width, so that all of it is black."""
    step = _LOOKS[row.style][1]
    line = ""
    for cell in row.cells:
        line = line.ljust(int(cell.at) // step) + cell.text
    return line.ljust(COLUMNS // step) if row.style is TextStyle.BANNER else line


def _raster(digits: str) -> bytes:
    """Draw bars as a bitmap: not all printers know this barcode, and they draw it differently."""
    wide = NARROW * sum(widths(digits))
    left = (DOTS - wide) // 2
    assert left >= NARROW * QUIET
    dots = 0
    for at, width in bars(digits):
        dots |= ((1 << NARROW * width) - 1) << (DOTS - left - NARROW * (at + width))
    size = (DOTS // 8).to_bytes(2, "little") + HEIGHT.to_bytes(2, "little")
    return _GS + b"v0\x00" + size + dots.to_bytes(DOTS // 8) * HEIGHT
