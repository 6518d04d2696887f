"""The flow: blocks broken into rows that fit their paper, however wide its letters are."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import assert_never

from croupier.paper.block import (
    GAP,
    RULE,
    Align,
    Barcode,
    Block,
    Grid,
    Heading,
    Look,
    Mark,
    Pair,
    Signature,
    Text,
)
from croupier.paper.glyph import written


@dataclass(frozen=True, slots=True)
class Face:
    """What a printer sets: how wide its paper is, how wide a text is there, and what keeps columns apart."""

    width: float
    #: How far a value stands from the left edge: not so far from its label that the eye loses the line.
    reach: float
    gap: float
    measure: Callable[[str, Look], float]


@dataclass(frozen=True, slots=True)
class Cell:
    """A text and where it begins."""

    text: str
    at: float = 0


@dataclass(frozen=True, slots=True)
class Row:
    """One line of letters of one look."""

    cells: tuple[Cell, ...]
    look: Look
    #: Whether it is to stay with the next row.
    keeps: bool = False
    #: The heads that it stands under, which go with it to another page.
    heads: "Row | None" = None


Strip = Row | Barcode | Mark


def flow(blocks: Iterable[Block], face: Face) -> Iterator[Strip]:
    """Break blocks into rows; no word is left away."""
    for block in blocks:
        match block:
            case Text():
                yield from _text(block, face)
            case Heading():
                yield GAP
                yield from (
                    replace(row, keeps=True) for row in _lines(block.words.upper(), Look.BOLD, Align.LEFT, face)
                )
            case Pair():
                yield from _pair(block, face)
            case Grid():
                yield from _grid(block, face)
            case Signature():
                yield from (GAP, GAP, GAP, RULE)
                yield from _lines(block.label, Look.PLAIN, Align.LEFT, face)
            case Barcode() | Mark():
                yield block
            case _:
                assert_never(block)


def wrapped(words: str, look: Look, face: Face) -> list[str]:
    """Break a text between words, and a word only where it is wider than the paper."""
    lines = [""]
    for word in written(words).split():
        joined = f"{lines[-1]} {word}".lstrip()
        if face.measure(joined, look) <= face.width:
            lines[-1] = joined
        else:
            lines += _pieces(word, look, face)
    return lines if lines[0] or len(lines) == 1 else lines[1:]


def _pieces(word: str, look: Look, face: Face) -> list[str]:
    pieces = [""]
    for letter in word:
        if face.measure(pieces[-1] + letter, look) > face.width:
            pieces.append("")
        pieces[-1] += letter
    return pieces


def _text(text: Text, face: Face) -> Iterator[Row]:
    return _lines(text.words, text.look, text.align, face)


def _lines(words: str, look: Look, align: Align, face: Face) -> Iterator[Row]:
    for line in wrapped(words, look, face):
        yield Row((Cell(line, _at(line, look, align, face)),), look)


def _at(line: str, look: Look, align: Align, face: Face) -> float:
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


def _pair(pair: Pair, face: Face) -> Iterator[Row]:
    """Set both on one line, or else the value below its label."""
    label, value, look = written(pair.label), written(pair.value), pair.look
    face = replace(face, width=face.reach)
    if face.measure(label, look) + face.gap + face.measure(value, look) <= face.width:
        yield Row((Cell(label), Cell(value, _at(value, look, Align.RIGHT, face))), look)
    else:
        yield from (replace(row, keeps=True) for row in _lines(label, look, Align.LEFT, face))
        yield from _lines(value, look, Align.RIGHT, face)


def _grid(grid: Grid, face: Face) -> Iterator[Strip]:
    """Set rows in columns where all fit beside each other, or else each row as a part of its own."""
    edges = _edges(grid, face)
    if edges is None:
        yield from _parts(grid, face)
        return
    heads = replace(_across(grid.heads, Look.BOLD, edges, face), keeps=True)
    yield heads
    yield RULE
    for row in grid.rows:
        yield replace(_across(row, Look.PLAIN, edges, face), heads=heads)
    yield RULE
    yield replace(_across(grid.total, Look.BOLD, edges, face), heads=heads)


def _edges(grid: Grid, face: Face) -> list[float] | None:
    """Find the right edge of each column, with the room to spare shared out; None where there is not enough."""
    bold, plain = (grid.heads, grid.total), grid.rows
    columns = [
        max(
            *(face.measure(written(row[column]), Look.BOLD) for row in bold),
            *(face.measure(written(row[column]), Look.PLAIN) for row in plain),
        )
        for column in range(len(grid.heads))
    ]
    between = len(columns) - 1
    spare = face.width - sum(columns) - face.gap * between
    if spare < 0:
        return None
    # From the right, so that the last column ends where the paper does.
    step = face.gap + spare / between
    return [face.width - sum(columns[column:]) - step * (between + 1 - column) for column in range(1, len(columns) + 1)]


def _across(row: tuple[str, ...], look: Look, edges: list[float], face: Face) -> Row:
    first, *others = map(written, row)
    placed = (Cell(text, edge - face.measure(text, look)) for text, edge in zip(others, edges[1:], strict=True))
    return Row((Cell(first), *placed), look)


def _parts(grid: Grid, face: Face) -> Iterator[Strip]:
    rows = [(row, Look.PLAIN) for row in grid.rows]
    for (first, *others), look in (*rows, (grid.total, Look.BOLD)):
        yield RULE
        yield from (replace(row, keeps=True) for row in _lines(first, Look.BOLD, Align.LEFT, face))
        for label, value in zip(grid.heads[1:], others, strict=True):
            yield from _pair(Pair(label, value, look), face) if value else ()
