"""State and felt of a terminal, as they are sent to it."""

from collections.abc import Mapping

import msgspec
from msgspec import UNSET, UnsetType

from croupier.house.ids import TableId
from croupier.house.state.tables import CallReason, PauseReason, SeatMessageKind
from croupier.rules.calls import CallKind
from croupier.rules.geometry import Colour, Pocket, SegmentGroup, SpotKey, SpotKind
from croupier.rules.procedure import TerminalLoss
from croupier.rules.refusal import Refusal

#: From and to along the table, and from and to across it, in quarter cells.
Core = tuple[float, float, float, float]


#: Along the table and across it, in quarter cells.
Place = tuple[float, float]


#: From and to, in quarter cells.
Span = tuple[int, int]


class FeltPart(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A part of a felt."""


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
    """A spot: its pockets, its name with its odds, the position of its chip, and its hit region."""

    key: SpotKey
    kind: SpotKind
    covers: tuple[Pocket, ...]
    label: str
    #: Its name by language, where the texts of the pages have none for its kind.
    names: Mapping[str, str]
    anchor: Place
    #: The hit region: from and to along the table, from and to across it. A press selects the nearest one.
    core: Core


class KindRow(FeltPart, frozen=True):
    """A kind of bet as the notice lists it."""

    kind: SpotKind
    #: With its odds.
    label: str
    name: str
    #: Its name and one sentence of help, by language, where the texts of the pages have none for it.
    names: Mapping[str, str]
    help: str
    helps: Mapping[str, str]
    #: Odds to one: a number, or a fraction such as 6/5.
    pays: int | str
    #: The parts of a stake above some amounts that are paid at other odds, and the most that a bet wins.
    steps: tuple[tuple[int, int | str], ...]
    win_most: int | None
    #: With which bets it is paid: those on half of the numbers, on a dozen, on a column, or around the numbers.
    segment: SegmentGroup
    #: Its letter in the legend of the rules; empty where they have none.
    letter: str


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
    """The notice about its bets that a terminal shows after it has lost the connection."""

    choice: TerminalLoss
    says: str
    clause: str


class ListedReason(FeltPart, frozen=True):
    """A reason that the rules list, and the titles of those who may call it."""

    reason: str
    clause: str
    by: tuple[str, ...]


class MultipliersRow(FeltPart, frozen=True):
    """What is drawn between the close and the spin: each with its weight."""

    clause: str
    #: How many numbers are drawn.
    counts: tuple[tuple[int, int], ...]
    #: What a straight up on a drawn number pays to one.
    multiples: tuple[tuple[int, int], ...]


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
    #: For each zero that has such a rule, the spots of which half of the stake is returned on it.
    halved: dict[Pocket, tuple[SpotKey, ...]]
    #: The numbers that are drawn before the spin, where the rules have such.
    multipliers: MultipliersRow | None
    aliases: tuple[AliasPlace, ...]
    calls: tuple[OfferedCall, ...]
    sectors: tuple[Sector, ...]
    neighbours_button: bool
    #: How many patterns a player may save.
    patterns: int
    #: The announcements that the rules prescribe, by their moment.
    messages: dict[str, tuple[str, ...]]
    line_lost: ConnectionLostNotice
    #: The reasons for a no spin, and the reasons for invalidating an outcome.
    no_spin: tuple[ListedReason, ...]
    take_back: tuple[ListedReason, ...]
    #: Whether a terminal takes tickets in.
    tickets: bool
    #: What collecting issues, in the venue's term.
    slip: str


#: Chips on the felt: the stake on each spot, in cents.
Chips = dict[SpotKey, int]


class KindLimits(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """The limits on one kind of bet, as a list; null where there is no bound."""

    kind: SpotKind
    least: int | None
    most: int | None
    #: The return of the maximum stake, stake included.
    win: int | None


class Neighbours(msgspec.Struct, frozen=True, gc=False):
    """The effect of the next press of the Neighbors button."""

    #: The number that it starts from.
    pocket: Pocket
    #: How many on each side the bets reach after it.
    reach: int
    #: The stake that it adds on each spot.
    adds: Chips


class Cited(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """A reason: its text and code, with its clause where there is one, and its facts."""

    says: str
    clause: str | None
    code: str
    facts: Mapping[str, object] = {}


def cited(refusal: Refusal) -> Cited:
    """Convert a refusal to the reason why something is not possible."""
    return Cited(refusal.message, refusal.clause, refusal.code.value, refusal.facts)


class Idle(msgspec.Struct, frozen=True, gc=False):
    """The number of valid spins without a bet, if the rules limit it."""

    spins: int
    clause: str


class GameView(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True):
    """One game of a terminal. A field that a delta leaves out has not changed."""

    #: All chips, or in a delta those that changed: 0 where a spot is empty now.
    bets: Chips | UnsetType = UNSET
    stakes: Chips | UnsetType = UNSET
    staked: int | UnsetType = UNSET
    won: int | UnsetType = UNSET
    #: What the last spin returned beyond all that was staked on it; 0 if it was less.
    net: int | UnsetType = UNSET
    #: Spots under their minimum.
    red: tuple[str, ...] | UnsetType = UNSET
    ghosts: Chips | UnsetType = UNSET
    warning: str | UnsetType = UNSET
    auto_copy_to: str | UnsetType | None = UNSET
    #: The round for which these chips are sealed: exactly these are settled.
    sealed: int | UnsetType | None = UNSET
    spot_least: int | UnsetType | None = UNSET
    spot_most: int | UnsetType | None = UNSET
    total_least: int | UnsetType | None = UNSET
    total_most: int | UnsetType | None = UNSET
    #: In a snapshot alone: where limits change, another snapshot follows.
    limits: tuple[KindLimits, ...] | UnsetType = UNSET
    #: Where there is such a button; null while it has no number to start from.
    neighbours: Neighbours | UnsetType | None = UNSET
    #: Whether there are bets of the last round to repeat.
    repeats: bool | UnsetType = UNSET
    idle: Idle | UnsetType | None = UNSET


class HeldWinView(msgspec.Struct, frozen=True, gc=False):
    """A win that awaits its tax form."""

    amount: int
    clause: str


class SessionView(msgspec.Struct, frozen=True, gc=False):
    """How long a player has played, and with what result, since the credits were last collected."""

    #: When the first money was inserted, in house time; null before that.
    since_us: int | None
    put_in: int
    taken_out: int
    #: The result of the session, negative for a loss; stakes in play do not count.
    net: int
    games: int


class CallView(msgspec.Struct, frozen=True, gc=False):
    """A player's call for an attendant that is not answered."""

    reason: CallReason
    since_us: int


class PauseView(msgspec.Struct, frozen=True, gc=False):
    """Why a player does not bet now, and until when; null if that lasts until the session ends."""

    why: PauseReason
    until_us: int | None


class OwnLimitsView(msgspec.Struct, frozen=True, gc=False):
    """The limits that a player has set for this session: the most to lose, and minutes; null for none."""

    loss: int | None
    minutes: int | None


class MessageView(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True):
    """A message to a terminal: its kind and its facts, and its text in English."""

    kind: SeatMessageKind
    says: str
    clause: str | None = None
    #: The money that went back or was returned; after a correction, by the number that counts now.
    amount: int = 0
    #: The round that was settled while the terminal was offline, or that was corrected, and its number.
    round: int | None = None
    pocket: Pocket | None = None
    #: A correction: the number before it, the return by that number, and the credit before and after.
    was: Pocket | None = None
    paid_before: int = 0
    credit_before: int = 0
    credit_after: int = 0


class SeatState(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True):
    """The state of a terminal besides its tables."""

    credit: int | UnsetType = UNSET
    denomination: int | UnsetType = UNSET
    held: int | UnsetType = UNSET
    holds: tuple[HeldWinView, ...] | UnsetType = UNSET
    in_service: bool | UnsetType = UNSET
    #: Why it accepts no bets and no money, if so.
    out_of_service: Cited | UnsetType | None = UNSET
    #: The last twenty messages sent to this terminal.
    messages: tuple[MessageView, ...] | UnsetType = UNSET
    session: SessionView | UnsetType = UNSET
    own_limits: OwnLimitsView | UnsetType = UNSET
    pause: PauseView | UnsetType | None = UNSET
    call: CallView | UnsetType | None = UNSET
    #: Saved patterns by slot, in credits.
    patterns: dict[str, Chips] | UnsetType = UNSET
    games: dict[TableId, GameView] | UnsetType = UNSET


class Fixture(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """The fixed properties of a terminal for one connection."""

    terminal: str
    currency: str
    #: Which felt it draws, to be fetched once.
    felt: str
    #: Whether play is for demonstration only, at a table that accepts chips only.
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
    """One change of the chips: its time, its kind, and the new stakes on the changed spots."""

    at_us: int
    how: str
    stakes: Chips


class PlayedGame(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A game that was played at this terminal, for replay step by step."""

    table: TableId
    round: int
    #: The chips at the start of the round, and at its end.
    at_start: Chips
    steps: tuple[RecallStep, ...]
    sealed: Chips
    #: The number, where one counts.
    pocket: Pocket | None
    staked: int
    returned: int
    #: The credit afterwards.
    credit: int
