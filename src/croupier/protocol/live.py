"""State of a live table for its console, and the notice that stands at a table."""

import msgspec
from msgspec import UNSET, UnsetType

from croupier.house.settings import Recording
from croupier.rules.geometry import SegmentGroup, SpotKey, SpotKind

#: Pieces of each chip on each spot, in the order of placement: a colour ("blue"), or a value chip ("v500").
Layout = dict[SpotKey, dict[str, int]]
#: Pieces of each chip.
ChipPieces = tuple[tuple[str, int], ...]


class ColourRow(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A colour of the table's own chips."""

    colour: str
    #: The player who has it; null while it is in the rack.
    position: int | None
    #: The declared value of a chip, and whether a marker at the table shows it.
    value: int
    marker: bool
    #: The chips with the player or on the layout; null where not every bet is recorded.
    out: int | None
    #: The chips of the set.
    pieces: int


class AdviceRow(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """What the dealer tells a player about a bet outside the limits."""

    #: The code that refuses such a bet where the rules refuse it.
    code: str
    clause: str
    spot: SpotKey
    stake: int
    limit: int


class PlayerRow(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A player with chips."""

    position: int
    #: How staff refer to the player; empty if the owner is not recorded.
    label: str
    #: The colours of the player, in the order of allocation.
    colours: tuple[str, ...]
    #: Whether one more colour is approved.
    second_colour: bool
    #: What lies on the layout and on the block: pieces of each chip on each spot.
    chips: Layout
    #: What waits there for the next spin and is no bet: in prison, or between the two spins of a bet.
    carried: Layout
    #: Bets that lie outside the limits and are recorded as they lie.
    advice: tuple[AdviceRow, ...]
    #: Whether the player was advised of the minimum: such a bet goes back from now on.
    advised: bool
    #: The clause by which no more bets of this player are taken, and the infringements that count towards it.
    barred: str | None
    infringements: int
    #: The partnership of the player, if any.
    group: int | None
    #: Whether the player may use marker buttons where only some players may.
    markers: bool
    #: The number of the player's arrangement, and whether it restricts the player to straight up bets.
    arrangement: int | None
    straight_only: bool
    #: Due to the player, and owed by the player, after a correction.
    payable: int
    owed: int
    #: The clause by which a supervisor decides what is paid, if chips do not make it, and the chips to choose from.
    undecided: str | None
    choices: tuple[ChipPieces, ...]


class FloatRow(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """The float by its slips. The amount that it should have is not sent: it is counted blind."""

    opened: int
    fills: int
    credits: int
    #: The last count; null after a movement.
    counted: int | None


class NoticeMark(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """The notice of the next round, and whether staff have checked that it is shown."""

    digest: str
    checked: bool
    #: The clause that requires it; null where none does.
    clause: str | None


class GapRow(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """Play that is not on record, until rack and tray are counted."""

    since_us: int
    words: str


class InfringementRow(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """What a player must not do, and what follows: it counts, it bars the player, or it is put on record."""

    kind: str
    clause: str
    effect: str


class ConductRules(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """The rules on single players of a live table; a clause is null where the rules have none."""

    infringements: tuple[InfringementRow, ...]
    #: The number of infringements after which a dealer may refuse further bets.
    infringements_most: int
    barring: str | None
    partnership: str | None
    #: Whether only designated players may use marker buttons, and the clause on them.
    designated_only: bool
    markers: str | None
    arrangement: str | None
    #: The clauses on stakes that wait for another spin, and on what comes back of those that cannot.
    carried: str | None
    release: str | None


class LiveState(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True):
    """A live table as its console shows it. A field that a delta leaves out has not changed."""

    recording: Recording | UnsetType = UNSET
    emblem: str | UnsetType = UNSET
    currency: str | UnsetType = UNSET
    #: The value chips of the float, in cents.
    denominations: tuple[int, ...] | UnsetType = UNSET
    #: The lowest value that a player may declare for a chip; null where there is no minimum.
    least: int | UnsetType | None = UNSET
    colours: tuple[ColourRow, ...] | UnsetType = UNSET
    #: By position; in a delta the rows that have changed, and null for a player who has left.
    players: dict[str, PlayerRow | None] | UnsetType = UNSET
    #: Null while the float is closed.
    float: FloatRow | UnsetType | None = UNSET
    notice: NoticeMark | UnsetType = UNSET
    conduct: ConductRules | UnsetType = UNSET
    #: Null while the record is whole.
    gap: GapRow | UnsetType | None = UNSET


class LiveView(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A live table in a snapshot: its version, and its whole state."""

    table: str
    lv: int
    state: LiveState


class WalkLine(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """The chips of one kind in a winning bet: the settled stake, the odds, and what is due."""

    spot: SpotKey
    odds: int | str
    clause: str
    chip: str
    settled: int
    due: int
    #: The pieces of the colour that are due; null if the line is paid in value chips.
    pieces: int | None


class WalkNote(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A remark on one bet: under the minimum, returned, capped or rounded, with the amount before and after."""

    kind: str
    spot: SpotKey
    before: int
    after: int
    clause: str


class WalkMarker(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A marker bet: whether it hits, and the pieces that stay on the number."""

    position: int
    spot: SpotKey
    chip: str
    pieces: int
    stays: int
    hit: bool


class WalkPosition(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """The result of one player: what was sealed, what is collected, what goes back and what stays."""

    position: int
    sealed: Layout
    stays: Layout
    #: What came to the spin from earlier rounds, and what the spin carries on.
    came: Layout
    carried: Layout
    #: What goes back to the player: half of a bet on an even chance, or what is over the maximum or under the minimum.
    returned: Layout
    collected: ChipPieces
    amount: int
    #: The amount that goes back unplayed.
    handed: int
    notes: tuple[WalkNote, ...]


class WalkPayment(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """One payment: to one player in one segment of the layout."""

    segment: str
    position: int
    lines: tuple[WalkLine, ...]
    due: int
    paid: int
    #: The clause by which another amount is paid than is due.
    rounding: str | None
    #: The pieces due by colour, and the chips to hand over: pieces of colours, and value chips.
    pieces: ChipPieces
    colours: ChipPieces
    cash: ChipPieces
    #: The clause by which a supervisor decides what is paid, if chips do not make it, and the chips to choose from.
    undecided: str | None
    choices: tuple[ChipPieces, ...]
    made: bool


class WalkMove(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """Pieces of one chip that are lifted from a spot of the layout, or put back on it."""

    position: int
    spot: SpotKey
    chip: str
    pieces: int


class WalkMoves(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """After a correction: the chips that the true number does not leave on the layout, and those that it does."""

    clause: str
    lifted: tuple[WalkMove, ...]
    restored: tuple[WalkMove, ...]
    #: The chips that no longer wait for the next spin, and those that do now.
    freed: tuple[WalkMove, ...]
    imprisoned: tuple[WalkMove, ...]


class WalkState(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """Collection and payment after a round was settled, in the dealer's order."""

    round: int
    pocket: str
    #: The number that the dolly marks; null until it is placed. Chips are collected and paid while it is the pocket.
    marked: str | None
    #: The clause that has losing bets collected first.
    clause: str
    #: Whether every bet is recorded; otherwise the dealer records winners while paying.
    recorded: bool
    collected: bool
    over: bool
    #: The amount to collect.
    amount: int
    positions: tuple[WalkPosition, ...]
    markers: tuple[WalkMarker, ...]
    payments: tuple[WalkPayment, ...]
    #: Null unless a correction came after the collection, and chips were neither collected nor paid since.
    moves: WalkMoves | None


class OddsRow(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """Bets of equal odds and limits as the notice at a table lists them."""

    #: The letters of the rules, and the kinds with the names that the rules give them.
    letters: tuple[str, ...]
    kinds: tuple[SpotKind, ...]
    labels: tuple[str, ...]
    segment: SegmentGroup
    pays: int | str
    least: int | None
    most: int | None
    clause: str
    #: Where such a bet lies on the layout, one spot for each kind.
    spots: tuple[SpotKey, ...]


class MarkerTerms(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """Bets under a marker button: their name in the notation, and the lowest."""

    call: str
    least: int


class NoticeRule(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A rule of the table that the notice states: the id of its text on the pages, its amount and its clause."""

    rule: str
    amount: int | None
    clause: str


class NoticeArrangement(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A second notice, for the players of an arrangement: its number and clause, and what these players may bet."""

    arrangement: int
    clause: str
    rows: tuple[OddsRow, ...]
    #: Null if they may place no marker bets.
    marker: MarkerTerms | None


class NoticeState(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """The notice at a table: limits, odds, multiples and the lowest marker bet."""

    table: str
    venue: str
    rulebook: str
    currency: str
    #: Identifies what the notice shows; staff check it before a round is opened under it.
    digest: str
    #: The lowest bet on a spot; null where there is no minimum.
    least: int | None
    #: Whether bets in multiples of the minimum are required; null where the rules have no such notice.
    multiples: bool | None
    #: Null where there are no marker bets.
    marker: MarkerTerms | None
    rows: tuple[OddsRow, ...]
    #: Arrangements with some of the players with chips; one with all of them is the notice itself.
    arrangements: tuple[NoticeArrangement, ...]
    rules: tuple[NoticeRule, ...]
    #: The clause on a player's right to consult an officer; null where the rules have no officer.
    advice: str | None
