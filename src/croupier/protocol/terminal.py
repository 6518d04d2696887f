"""What a terminal is sent: its state and its felt."""

import msgspec
from msgspec import UNSET, UnsetType

from croupier.house.ids import TableId
from croupier.rules.calls import CallKind
from croupier.rules.geometry import Colour, Pocket, SpotKey, SpotKind

#: From and to along the table, and from and to across it, in quarter cells.
Core = tuple[float, float, float, float]


#: Along the table and across it, in quarter cells.
Place = tuple[float, float]


#: From and to, in quarter cells.
Span = tuple[int, int]


class FeltPart(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """Something that a felt is made of."""


class WheelPocket(FeltPart, frozen=True):
    """A pocket of the wheel."""

    pocket: Pocket
    colour: Colour


class PrintedCell(FeltPart, frozen=True):
    """The printed cell of a number."""

    pocket: Pocket
    colour: Colour
    along: Span
    across: Span


class PrintedBox(FeltPart, frozen=True):
    """A printed box outside the numbers."""

    bet: SpotKey
    label: str
    along: Span
    across: Span


class SpotPlace(FeltPart, frozen=True):
    """A spot: what it covers, its name with its odds, where its chip lies and what of the felt is its own."""

    key: SpotKey
    kind: SpotKind
    covers: tuple[Pocket, ...]
    label: str
    anchor: Place
    #: From and to along the table, from and to across it: the nearest core is the one that is meant.
    core: Core


class KindRow(FeltPart, frozen=True):
    """A kind of bet as the notice lists it."""

    kind: SpotKind
    #: With its odds.
    label: str
    name: str
    pays: int


class AliasPlace(FeltPart, frozen=True):
    """A second place for a spot that has one already."""

    name: str
    label: str
    spot: SpotKey
    along: Span
    across: Span
    anchor: Place
    core: Core


class CallVariant(FeltPart, frozen=True, omit_defaults=True):
    """One way to say a call, with how many chips go where."""

    said: str
    #: The number or digit that it is said of.
    of: str
    chips: int
    pieces: tuple[tuple[SpotKey, int], ...]
    #: How many neighbours on each side, where the call has any.
    reach: int | None = None


class OfferedCall(FeltPart, frozen=True):
    """A call that can be made here, in every way it can be said."""

    name: str
    label: str
    kind: CallKind
    #: What is said after its name: nothing, a digit or a number.
    takes: str
    ways: tuple[CallVariant, ...]


class Sector(FeltPart, frozen=True):
    """An unbroken part of the wheel that a call covers; a call may cover several."""

    call: str
    #: The place of its first pocket in the order of the wheel, counted from 0.
    first: int
    #: In the order of the wheel.
    pockets: tuple[Pocket, ...]


class ConnectionLostNotice(FeltPart, frozen=True):
    """What a terminal shows about its bets after it has lost the connection."""

    says: str
    clause: str


class ListedReason(FeltPart, frozen=True):
    """A reason that the rules list, and the titles of those who may call it."""

    reason: str
    clause: str
    by: tuple[str, ...]


class FeltSpec(FeltPart, frozen=True):
    """A felt. Everything is in quarter cells: along the table from the zero line, across it from the dozens' line."""

    rulebook: str
    venue: str
    currency: str
    profile: str | None
    wheel: tuple[WheelPocket, ...]
    cells: tuple[PrintedCell, ...]
    boxes: tuple[PrintedBox, ...]
    spots: tuple[SpotPlace, ...]
    kinds: tuple[KindRow, ...]
    aliases: tuple[AliasPlace, ...]
    calls: tuple[OfferedCall, ...]
    sectors: tuple[Sector, ...]
    neighbours_button: bool
    #: How many patterns a player may save.
    patterns: int
    #: The announcements that the rules prescribe, by their moment.
    messages: dict[str, tuple[str, ...]]
    line_lost: ConnectionLostNotice
    #: For which a spin can be called off, and for which an outcome can be taken back.
    no_spin: tuple[ListedReason, ...]
    take_back: tuple[ListedReason, ...]
    #: Whether a terminal takes tickets in.
    tickets: bool
    #: What collecting pays out, by the venue's term.
    slip: str


#: Chips on the felt: what lies on each spot, in cents.
Chips = dict[SpotKey, int]


class KindLimits(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """The limits on one kind of bet, as a list; null where there is no bound."""

    kind: SpotKind
    least: int | None
    most: int | None
    #: What the most brings back, the stake counted in.
    win: int | None


class Neighbours(msgspec.Struct, frozen=True, gc=False):
    """What the next press of the Neighbors button does."""

    #: The number that it starts from.
    pocket: Pocket
    #: How many on each side the bets reach after it.
    reach: int
    #: What it adds on each spot.
    adds: Chips


class Cited(msgspec.Struct, frozen=True, gc=False):
    """A text, with its clause where there is one."""

    says: str
    clause: str | None


class Idle(msgspec.Struct, frozen=True, gc=False):
    """How many valid spins a player has sat out, where the rules have something to say to that."""

    spins: int
    clause: str


class GameView(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True):
    """One game of a terminal. In a delta what is missing has not changed."""

    #: All chips, or only those that were touched: nothing is left where a spot has 0.
    bets: Chips | UnsetType = UNSET
    stakes: Chips | UnsetType = UNSET
    staked: int | UnsetType = UNSET
    won: int | UnsetType = UNSET
    #: Spots under their minimum.
    red: tuple[str, ...] | UnsetType = UNSET
    ghosts: Chips | UnsetType = UNSET
    warning: str | UnsetType = UNSET
    auto_copy_to: str | UnsetType | None = UNSET
    #: The round for which these chips are sealed: what lies there is what is settled.
    sealed: int | UnsetType | None = UNSET
    spot_least: int | UnsetType | None = UNSET
    spot_most: int | UnsetType | None = UNSET
    total_least: int | UnsetType | None = UNSET
    total_most: int | UnsetType | None = UNSET
    #: In a snapshot alone: where limits change, another snapshot follows.
    limits: tuple[KindLimits, ...] | UnsetType = UNSET
    #: Where there is such a button; null while it has no number to start from.
    neighbours: Neighbours | UnsetType | None = UNSET
    idle: Idle | UnsetType | None = UNSET


class HeldWinView(msgspec.Struct, frozen=True, gc=False):
    """A win that awaits its tax form."""

    amount: int
    clause: str


class SessionView(msgspec.Struct, frozen=True, gc=False):
    """How long a player has played, and with what result, since the credits were last collected."""

    #: When money first came in, by the house's time; null before that.
    since_us: int | None
    put_in: int
    taken_out: int
    #: Won or, below nothing, lost; stakes in play are neither.
    net: int
    games: int


class SeatState(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True):
    """What a terminal shows its player besides the tables."""

    credit: int | UnsetType = UNSET
    denomination: int | UnsetType = UNSET
    held: int | UnsetType = UNSET
    holds: tuple[HeldWinView, ...] | UnsetType = UNSET
    in_service: bool | UnsetType = UNSET
    #: Why it takes nothing, where it does not.
    out_of_service: Cited | UnsetType | None = UNSET
    #: The last twenty messages sent to this terminal.
    messages: tuple[str, ...] | UnsetType = UNSET
    session: SessionView | UnsetType = UNSET
    #: Saved patterns by slot, in credits.
    patterns: dict[str, Chips] | UnsetType = UNSET
    games: dict[TableId, GameView] | UnsetType = UNSET


class Fixture(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """What a terminal offers, fixed while it is connected."""

    terminal: str
    currency: str
    #: Which felt it draws, to be fetched once.
    felt: str
    #: Play for nothing at a table that takes chips only.
    practice: bool
    denominations: tuple[int, ...]
    chips: tuple[int, ...]
    notes: tuple[int, ...]
    #: Whether it takes tickets in.
    tickets: bool
    #: The tables of its games, in their order.
    table_ids: tuple[TableId, ...]
    #: After so many minutes of play the player is reminded of a break; 0 for never.
    break_minutes: int


class RecallStep(msgspec.Struct, frozen=True, gc=False):
    """One change of the chips: when, how, and what then lay on the spots that were touched."""

    at_us: int
    how: str
    stakes: Chips


class PlayedGame(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A game that was played here, as it is shown again step by step."""

    table: TableId
    round: int
    #: What lay there when the round began, and in the end.
    at_start: Chips
    steps: tuple[RecallStep, ...]
    sealed: Chips
    #: The number, where one counts.
    pocket: Pocket | None
    staked: int
    returned: int
    #: The credit afterwards.
    credit: int
