"""The cloth: a felt as a page is given it, to draw it, to name its bets and to find what was touched."""

import msgspec

from croupier.rules.callbet import CallKind
from croupier.rules.pocket import Colour, Pocket
from croupier.rules.spot import Kind, SpotKey
from croupier.web.core import Core, Place

#: From and to, in quarter cells.
Span = tuple[int, int]


class Part(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """Something that a felt is made of."""


class WheelPocket(Part, frozen=True):
    """A pocket of the wheel."""

    pocket: Pocket
    colour: Colour


class PrintedCell(Part, frozen=True):
    """The printed cell of a number."""

    pocket: Pocket
    colour: Colour
    along: Span
    across: Span


class PrintedBox(Part, frozen=True):
    """A printed box outside the numbers."""

    bet: SpotKey
    label: str
    along: Span
    across: Span


class SpotPlace(Part, frozen=True):
    """A spot: what it covers, its name with its odds, where its chip lies and what of the felt is its own."""

    key: SpotKey
    kind: Kind
    covers: tuple[Pocket, ...]
    label: str
    anchor: Place
    #: From and to along the table, from and to across it: the nearest core is the one that is meant.
    core: Core


class KindLine(Part, frozen=True):
    """A kind of bet as the notice lists it."""

    kind: Kind
    #: With its odds.
    label: str
    name: str
    pays: int


class AliasPlace(Part, frozen=True):
    """A second place for a spot that has one already."""

    name: str
    label: str
    spot: SpotKey
    along: Span
    across: Span
    anchor: Place
    core: Core


class Way(Part, frozen=True, omit_defaults=True):
    """One way to say a call, with how many chips go where."""

    said: str
    #: The number or digit that it is said of.
    of: str
    chips: int
    pieces: tuple[tuple[SpotKey, int], ...]
    #: How many neighbours on each side, where the call has any.
    reach: int | None = None


class OfferedCall(Part, frozen=True):
    """A call that can be made here, in every way it can be said."""

    name: str
    label: str
    kind: CallKind
    #: What is said after its name: nothing, a digit or a number.
    takes: str
    ways: tuple[Way, ...]


class Sector(Part, frozen=True):
    """An unbroken part of the wheel that a call covers; a call may cover several."""

    call: str
    #: Where its first pocket stands in the order of the wheel, counted from 0.
    first: int
    #: In the order of the wheel.
    pockets: tuple[Pocket, ...]


class LineLost(Part, frozen=True):
    """What a player whose terminal has lost its line is told of the bets on it."""

    says: str
    clause: str


class ListedReason(Part, frozen=True):
    """A reason that the rules list, and the titles of those who may call it."""

    reason: str
    clause: str
    by: tuple[str, ...]


class Cloth(Part, frozen=True):
    """A felt. Everything is in quarter cells: along the table from the zero line, across it from the dozens' line."""

    rulebook: str
    venue: str
    currency: str
    profile: str | None
    wheel: tuple[WheelPocket, ...]
    cells: tuple[PrintedCell, ...]
    boxes: tuple[PrintedBox, ...]
    spots: tuple[SpotPlace, ...]
    kinds: tuple[KindLine, ...]
    aliases: tuple[AliasPlace, ...]
    calls: tuple[OfferedCall, ...]
    sectors: tuple[Sector, ...]
    neighbours_button: bool
    #: How many patterns a player may save.
    patterns: int
    #: The words that the rules fix, by their moment.
    messages: dict[str, tuple[str, ...]]
    line_lost: LineLost
    #: For which a spin can be called off, and for which an outcome can be taken back.
    no_spin: tuple[ListedReason, ...]
    take_back: tuple[ListedReason, ...]
    #: Whether a terminal takes tickets in.
    tickets: bool
    #: What collecting gives, in the venue's word.
    slip: str
