"""The thermal printer: a document as ESC/POS bytes, for paper 576 dots wide."""

from typing import Final, assert_never

from croupier.paper.block import Barcode, Layout, Look, Mark
from croupier.paper.flow import Face, Row, flow
from croupier.paper.glyph import CODE_PAGE
from croupier.paper.interleaved import QUIET, bars, widths

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
    Look.PLAIN: (_ESC + b"E\x00" + _GS + b"!\x00" + _GS + b"B\x00", 1),
    Look.BOLD: (_ESC + b"E\x01" + _GS + b"!\x00" + _GS + b"B\x00", 1),
    Look.LARGE: (_ESC + b"E\x01" + _GS + b"!\x11" + _GS + b"B\x00", 2),
    Look.BANNER: (_ESC + b"E\x01" + _GS + b"!\x11" + _GS + b"B\x01", 2),
}


def _measure(text: str, look: Look) -> int:
    return len(text) * _LOOKS[look][1]


FACE: Final = Face(COLUMNS, COLUMNS, 1, _measure)


def printed(layout: Layout) -> bytes:
    """Print a document on the roll and cut it off."""
    return b"".join((_START, *map(_strip, flow(layout.blocks, FACE)), _CUT))


def _strip(strip: Row | Barcode | Mark) -> bytes:
    match strip:
        case Row():
            return _LOOKS[strip.look][0] + _line(strip).encode(CODE_PAGE) + b"\n"
        case Barcode():
            return _raster(strip.digits)
        case Mark.RULE:
            return _LOOKS[Look.PLAIN][0] + b"-" * COLUMNS + b"\n"
        case Mark.GAP:
            return _LOOKS[Look.PLAIN][0] + b"\n"
        case _:
            assert_never(strip)


def _line(row: Row) -> str:
    """Set cells with spaces. A banner is filled up, as it is black where it has spaces too."""
    step = _LOOKS[row.look][1]
    line = ""
    for cell in row.cells:
        line = line.ljust(int(cell.at) // step) + cell.text
    return line.ljust(COLUMNS // step) if row.look is Look.BANNER else line


def _raster(digits: str) -> bytes:
    """Draw bars dot by dot: printers differ in how they draw them, and not all know this code."""
    wide = NARROW * sum(widths(digits))
    left = (DOTS - wide) // 2
    assert left >= NARROW * QUIET
    dots = 0
    for at, width in bars(digits):
        dots |= ((1 << NARROW * width) - 1) << (DOTS - left - NARROW * (at + width))
    size = (DOTS // 8).to_bytes(2, "little") + HEIGHT.to_bytes(2, "little")
    return _GS + b"v0\x00" + size + dots.to_bytes(DOTS // 8) * HEIGHT
