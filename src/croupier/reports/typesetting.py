"""Blocks, line breaking and barcodes."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from enum import Enum, StrEnum, auto
from typing import Final, assert_never


class TextStyle(StrEnum):
    """How letters look."""

    PLAIN = auto()
    BOLD = auto()
    #: Twice as high and as wide.
    LARGE = auto()
    #: White on black, from edge to edge.
    BANNER = auto()


class Align(StrEnum):
    """The horizontal alignment of a line."""

    LEFT = auto()
    CENTRE = auto()
    RIGHT = auto()


@dataclass(frozen=True, slots=True)
class Text:
    """A text of one or more lines."""

    words: str
    style: TextStyle = TextStyle.PLAIN
    align: Align = Align.CENTRE


@dataclass(frozen=True, slots=True)
class SectionHeading:
    """The line above a part of a report. It is not left alone at the foot of a page."""

    words: str


@dataclass(frozen=True, slots=True)
class LabelledValue:
    """A label on the left and its value on the right."""

    label: str
    value: str
    style: TextStyle = TextStyle.PLAIN


@dataclass(frozen=True, slots=True)
class Grid:
    """Rows under heads: the first column is aligned left, the others right, with the total below a rule."""

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    total: tuple[str, ...]

    def __post_init__(self) -> None:
        assert len(self.heads) > 1
        assert {len(self.heads)} == {len(row) for row in (*self.rows, self.total)}


@dataclass(frozen=True, slots=True)
class Barcode:
    """Digits as a scanner reads them."""

    digits: str


class Separator(Enum):
    """A block without text."""

    RULE = auto()
    GAP = auto()


@dataclass(frozen=True, slots=True)
class Signature:
    """A line for a signature, with the signer's label."""

    label: str


RULE: Final = Separator.RULE
GAP: Final = Separator.GAP

Block = Text | SectionHeading | LabelledValue | Grid | Barcode | Signature | Separator


@dataclass(frozen=True, slots=True)
class Document:
    """A document as blocks, independent of the printer."""

    title: str
    blocks: tuple[Block, ...]
    #: Whether it is printed on the narrow roll; other documents are printed on sheets.
    roll: bool


#: The code page of the thermal printer. The standard fonts of PDF have the same characters.
CODE_PAGE: Final = "cp1252"
GLYPHS: Final = frozenset(filter(str.isprintable, bytes(range(256)).decode(CODE_PAGE, "ignore")))

#: The Unicode names of letters with a diacritic.
_ADORNED: Final = re.compile(r"LATIN (?P<size>CAPITAL|SMALL) LETTER (?P<letter>[A-Z]) WITH .+")


def printable(text: str) -> str:
    """Replace what the printer has no glyph for: no entered text becomes a printer command."""
    return "".join(map(_glyph, unicodedata.normalize("NFC", text)))


def _glyph(character: str) -> str:
    """Drop a diacritic without a glyph; a letter without a glyph becomes a question mark."""
    if character in GLYPHS:
        return character
    if character.isspace():
        return " "
    if unicodedata.combining(character):
        return ""
    adorned = _ADORNED.fullmatch(unicodedata.name(character, ""))
    if adorned is not None:
        return adorned["letter"] if adorned["size"] == "CAPITAL" else adorned["letter"].lower()
    return "".join(part for part in unicodedata.normalize("NFKD", character) if part in GLYPHS) or "?"


@dataclass(frozen=True, slots=True)
class FontMetrics:
    """The measures of a printer: the width of its paper and of a text, and the gap between columns."""

    width: float
    #: The right edge of a value, near enough to its label for the eye to follow.
    reach: float
    gap: float
    measure: Callable[[str, TextStyle], float]


@dataclass(frozen=True, slots=True)
class TextCell:
    """A text and where it begins."""

    text: str
    at: float = 0


@dataclass(frozen=True, slots=True)
class Row:
    """One line of text in one style."""

    cells: tuple[TextCell, ...]
    style: TextStyle
    #: Whether it stays on the page of the next row.
    keep_with_next: bool = False
    #: The heads of its grid, which are repeated on another page.
    heads: "Row | None" = None


Strip = Row | Barcode | Separator


def flow(blocks: Iterable[Block], face: FontMetrics) -> Iterator[Strip]:
    """Break blocks into rows, without dropping a word."""
    for block in blocks:
        match block:
            case Text():
                yield from _lines(block.words, block.style, block.align, face)
            case SectionHeading():
                yield GAP
                yield from (
                    replace(row, keep_with_next=True)
                    for row in _lines(block.words.upper(), TextStyle.BOLD, Align.LEFT, face)
                )
            case LabelledValue():
                yield from _pair(block, face)
            case Grid():
                yield from _grid(block, face)
            case Signature():
                yield from (GAP, GAP, GAP, RULE)
                yield from _lines(block.label, TextStyle.PLAIN, Align.LEFT, face)
            case Barcode() | Separator():
                yield block
            case _:
                assert_never(block)


def wrapped(words: str, look: TextStyle, face: FontMetrics) -> list[str]:
    """Break a text between words, and a word only when it is wider than the paper."""
    lines = [""]
    for word in printable(words).split():
        joined = f"{lines[-1]} {word}".lstrip()
        if face.measure(joined, look) <= face.width:
            lines[-1] = joined
        else:
            lines += _pieces(word, look, face)
    return lines if lines[0] or len(lines) == 1 else lines[1:]


def _pieces(word: str, look: TextStyle, face: FontMetrics) -> list[str]:
    pieces = [""]
    for letter in word:
        if face.measure(pieces[-1] + letter, look) > face.width:
            pieces.append("")
        pieces[-1] += letter
    return pieces


def _lines(words: str, look: TextStyle, align: Align, face: FontMetrics) -> Iterator[Row]:
    for line in wrapped(words, look, face):
        yield Row((TextCell(line, _at(line, look, align, face)),), look)


def _at(line: str, look: TextStyle, align: Align, face: FontMetrics) -> float:
    spare = face.width - face.measure(line, look)
    match align:
        case Align.LEFT:
            return 0
        case Align.CENTRE:
            return spare / 2
        case Align.RIGHT:
            return spare
        case _:
            assert_never(align)


def _pair(pair: LabelledValue, face: FontMetrics) -> Iterator[Row]:
    """Set both on one line if they fit, or else the value below its label."""
    label, value, look = printable(pair.label), printable(pair.value), pair.style
    face = replace(face, width=face.reach)
    if face.measure(label, look) + face.gap + face.measure(value, look) <= face.width:
        yield Row((TextCell(label), TextCell(value, _at(value, look, Align.RIGHT, face))), look)
    else:
        yield from (replace(row, keep_with_next=True) for row in _lines(label, look, Align.LEFT, face))
        yield from _lines(value, look, Align.RIGHT, face)


def _grid(grid: Grid, face: FontMetrics) -> Iterator[Strip]:
    """Set rows in columns if they fit, or else each row as a block of its own."""
    edges = _edges(grid, face)
    if edges is None:
        yield from _parts(grid, face)
        return
    heads = replace(_across(grid.heads, TextStyle.BOLD, edges, face), keep_with_next=True)
    yield heads
    yield RULE
    for row in grid.rows:
        yield replace(_across(row, TextStyle.PLAIN, edges, face), heads=heads)
    yield RULE
    yield replace(_across(grid.total, TextStyle.BOLD, edges, face), heads=heads)


def _edges(grid: Grid, face: FontMetrics) -> list[float] | None:
    """Find the right edge of each column, with the spare width distributed; None when they do not fit."""
    bold, plain = (grid.heads, grid.total), grid.rows
    columns = [
        max(
            *(face.measure(printable(row[column]), TextStyle.BOLD) for row in bold),
            *(face.measure(printable(row[column]), TextStyle.PLAIN) for row in plain),
        )
        for column in range(len(grid.heads))
    ]
    between = len(columns) - 1
    spare = face.width - sum(columns) - face.gap * between
    if spare < 0:
        return None
    # From the right, so that the last column ends at the edge of the paper.
    step = face.gap + spare / between
    return [face.width - sum(columns[column:]) - step * (between + 1 - column) for column in range(1, len(columns) + 1)]


def _across(row: tuple[str, ...], look: TextStyle, edges: list[float], face: FontMetrics) -> Row:
    first, *others = map(printable, row)
    placed = (TextCell(text, edge - face.measure(text, look)) for text, edge in zip(others, edges[1:], strict=True))
    return Row((TextCell(first), *placed), look)


def _parts(grid: Grid, face: FontMetrics) -> Iterator[Strip]:
    rows = [(row, TextStyle.PLAIN) for row in grid.rows]
    for (first, *others), look in (*rows, (grid.total, TextStyle.BOLD)):
        yield RULE
        yield from (replace(row, keep_with_next=True) for row in _lines(first, TextStyle.BOLD, Align.LEFT, face))
        for label, value in zip(grid.heads[1:], others, strict=True):
            yield from _pair(LabelledValue(label, value, look), face) if value else ()


#: The width of a wide bar in narrow bars. Scanners accept 2 to 3; thermal paper bleeds, so 3 is best.
WIDE: Final = 3
#: The quiet zone on either side that scanners require, in narrow bars.
QUIET: Final = 10
#: Two of five bars are wide for each digit.
_PATTERNS: Final = ("nnwwn", "wnnnw", "nwnnw", "wwnnn", "nnwnw", "wnwnn", "nwwnn", "nnnww", "wnnwn", "nwnwn")
_START: Final = "nnnn"
_STOP: Final = "wnn"


def widths(digits: str) -> tuple[int, ...]:
    """Return the widths of bars and spaces alternately, a bar first, in narrow bars."""
    assert digits.isascii()
    assert digits.isdigit()
    assert len(digits) % 2 == 0
    pairs = zip(digits[::2], digits[1::2], strict=True)
    elements = _START + "".join(map("".join, map(_woven, pairs))) + _STOP
    return tuple(WIDE if element == "w" else 1 for element in elements)


def bars(digits: str) -> Iterator[tuple[int, int]]:
    """Return the position and width of each bar, in narrow bars."""
    at = 0
    for place, width in enumerate(widths(digits)):
        if place % 2 == 0:
            yield at, width
        at += width


def _woven(pair: tuple[str, str]) -> Iterator[str]:
    barred, spaced = (_PATTERNS[int(digit)] for digit in pair)
    for bar, space in zip(barred, spaced, strict=True):
        yield bar + space
