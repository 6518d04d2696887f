"""Blocks: what a document consists of, before anybody knows how wide its paper and its letters are."""

from dataclasses import dataclass
from enum import Enum, StrEnum, auto
from typing import Final


class Look(StrEnum):
    """How letters look."""

    PLAIN = auto()
    BOLD = auto()
    #: Twice as high and as wide.
    LARGE = auto()
    #: White on black, from edge to edge: a mark that nobody overlooks.
    BANNER = auto()


class Align(StrEnum):
    """Where a line stands between the edges."""

    LEFT = auto()
    CENTRE = auto()
    RIGHT = auto()


@dataclass(frozen=True, slots=True)
class Text:
    """A line, or as many as the words need."""

    words: str
    look: Look = Look.PLAIN
    align: Align = Align.CENTRE


@dataclass(frozen=True, slots=True)
class Heading:
    """The line above a part of a report. It is not left alone at the foot of a page."""

    words: str


@dataclass(frozen=True, slots=True)
class Pair:
    """A label on the left and its value on the right."""

    label: str
    value: str
    look: Look = Look.PLAIN


@dataclass(frozen=True, slots=True)
class Grid:
    """Rows under heads: the first column stands on the left, the others on the right, and the total below a rule."""

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


class Mark(Enum):
    """What has no words."""

    RULE = auto()
    GAP = auto()


@dataclass(frozen=True, slots=True)
class Signature:
    """A line to sign on, and who does."""

    label: str


RULE: Final = Mark.RULE
GAP: Final = Mark.GAP

Block = Text | Heading | Pair | Grid | Barcode | Signature | Mark


@dataclass(frozen=True, slots=True)
class Layout:
    """A document laid out, for whichever printer."""

    title: str
    blocks: tuple[Block, ...]
    #: Whether it is handed over the counter, on the narrow roll; what is filed goes on sheets where there are any.
    roll: bool
