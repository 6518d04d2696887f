"""A live table: its players with chips, its colours, its float and drop box, and the chips of a round."""

from __future__ import annotations

from dataclasses import dataclass, field

import msgspec

from croupier.house.ids import Instant, Number, PositionId, RoundNumber
from croupier.house.settings import LimitSettings, LiveSettings
from croupier.rules.geometry import Pocket, SpotKey
from croupier.rules.refusal import ClauseId, Code

#: Pieces of each chip on each spot, in the order in which they were placed: "17/20", "blue", 3.
Layout = dict[SpotKey, dict[str, int]]
#: For each spot, the entries by which its stake came about: the turn at the table and the amount, the first first.
Entered = dict[SpotKey, list[tuple[int, int]]]


@dataclass(slots=True)
class ChipFunding:
    """A player who bets with chips. The stakes are in the betting position of the same number."""

    #: How staff refer to the player; empty if the owner is not recorded.
    label: str = ""
    #: The colours of the player, in the order of allocation.
    colours: list[str] = field(default_factory=list)
    #: One more colour may be allocated.
    second_colour_approved: bool = False
    #: What lies on the layout and on the block; its value, spot by spot, is the stakes of the position.
    pieces: Layout = field(default_factory=dict)
    #: In which turns it was placed.
    entered: Entered = field(default_factory=dict)
    #: What lies on the layout for the next spin and is no bet: in prison, or between the two spins of a bet. Its value,
    #: spot by spot, is what the position carries.
    carried: Layout = field(default_factory=dict)
    #: For each change that can be undone, the pieces on the changed spots before it.
    undo: list[Layout] = field(default_factory=list)
    #: The player has placed a bet: from then on no arrangement is made.
    played: bool = False
    #: Own limits by arrangement, which replace the table's.
    limits: LimitSettings | None = None
    #: Where markers are for designated players: whether this is one.
    markers_allowed: bool = False
    #: The partnership of the player, if any.
    group: Number | None = None
    #: When the player was advised of the minimum.
    advised_at: Instant | None = None
    #: The infringements that count, and the clause under which bets are refused, with the time from which they are.
    infringements: int = 0
    barred: ClauseId | None = None
    barred_at: Instant = Instant(0)
    #: Due by a correction of a round whose payments had ended, and the player's debt by a correction.
    payable: int = 0
    owed: int = 0
    #: The round whose correction left it, when, and the colours that the player had in it.
    corrected: RoundNumber | None = None
    corrected_at: Instant = Instant(0)
    corrected_in: tuple[str, ...] = ()

    def on_layout(self, chip: str) -> int:
        """Count the pieces of a chip on the layout, with those that are carried."""
        return sum(each.get(chip, 0) for layout in (self.pieces, self.carried) for each in layout.values())


@dataclass(slots=True)
class Colour:
    """The chips of one colour of a table's set. They have a value only while a player has the colour."""

    pieces_in_set: int
    position: PositionId | None = None
    value: int = 0
    #: The pieces with the player or on the layout; None if not every bet is recorded.
    out: int | None = 0
    #: The value of the pieces in the player's hands by the records, without those on the layout.
    booked: int = 0


@dataclass(slots=True)
class Float:
    """The value chips in a table's tray."""

    opened: int = 0
    fills: int = 0
    credits: int = 0
    #: The amount by the recorded movements.
    booked: int = 0
    #: The last blind count; None after a movement.
    counted: int | None = None


@dataclass(slots=True)
class ChipMeters:
    """The counters of play with chips at a table, in cents; those of terminals are apart."""

    turnover: int = 0
    #: Winnings and stakes that stay or go back.
    returned: int = 0
    #: Sealed stakes of spins that did not count.
    refunded: int = 0
    #: What the games with chips have won.
    won: int = 0
    collected: int = 0
    paid_value: int = 0
    paid_colour: int = 0
    #: What rounding has added to payments.
    rounding: int = 0
    #: Stakes of settled rounds that are carried to the next spin: neither won nor lost yet.
    carried: int = 0


class SealedPosition(msgspec.Struct, frozen=True, gc=False):
    """The chips of one player when betting closed, the limits that apply to them, and how staff refer to the player."""

    pieces: Layout
    limits: LimitSettings
    label: str = ""
    colours: tuple[str, ...] = ()
    #: What earlier rounds carried to this spin.
    carried: Layout = {}


@dataclass(slots=True)
class WalkItem:
    """One payment of a round: to one position in one segment, made once."""

    segment: str
    position: PositionId
    amount: int
    made: bool = False


class ChipMoves(msgspec.Struct, frozen=True, gc=False):
    """The chips that the dealer lifts from the layout, and those that go back on it, after a correction."""

    lifted: tuple[ChipMove, ...]
    restored: tuple[ChipMove, ...]
    #: The chips that are no longer carried to the next spin, and those that are now.
    freed: tuple[ChipMove, ...] = ()
    imprisoned: tuple[ChipMove, ...] = ()


@dataclass(slots=True)
class Walk:
    """The dealer's collection and payment after a round was settled."""

    #: The number that the chips were settled on; None once no number counts.
    pocket: Pocket | None
    #: The number that the dolly marks on the layout, once it is placed.
    marked: Pocket | None = None
    #: Nothing that lost lies on the layout; and whether the dealer collected it, or there was nothing.
    collected: bool = False
    swept: bool = False
    items: list[WalkItem] = field(default_factory=list)
    #: What was paid more than was due, or less, because the chips at hand do not make it: by segment and position.
    rounded: dict[str, dict[PositionId, int]] = field(default_factory=dict)
    #: A correction has changed what is due after chips were collected or paid.
    corrected: bool = False
    #: After such a correction, what moves on the layout, until the dealer has collected or paid.
    moves: ChipMoves | None = None
    #: At a table that does not record all bets, paying ends when the dealer says so.
    finished: bool = True

    @property
    def over(self) -> bool:
        return self.collected and self.finished and all(item.made for item in self.items)


@dataclass(slots=True)
class RoundChips:
    """The chips of a round: what was sealed, what the table paid with, and the payments."""

    #: Empty at a table that does not record all bets, until the dealer records winners.
    sealed: dict[PositionId, SealedPosition]
    #: The value of each colour that is with a player.
    values: dict[str, int]
    settings: LiveSettings
    #: The pieces of each colour at the dealer when the round was settled.
    rack: dict[str, int] = field(default_factory=dict)
    #: The entries of each player when betting closed, and the partnership of each who had one when it was settled.
    entered: dict[PositionId, Entered] = field(default_factory=dict)
    partners: dict[PositionId, Number] = field(default_factory=dict)
    #: None until the round is settled.
    walk: Walk | None = None


@dataclass(frozen=True, slots=True)
class Gap:
    """A stretch of play with chips that is not on record, until rack and tray are counted."""

    since: Instant
    words: str


@dataclass(slots=True)
class LiveTable:
    """What a table has for players with chips."""

    players: dict[PositionId, ChipFunding] = field(default_factory=dict)
    #: The number of partnerships so far, and of changes of chips on the layout.
    groups_made: int = 0
    turns: int = 0
    #: Players who left, and whose payable or debt by a correction is open.
    left: dict[PositionId, ChipFunding] = field(default_factory=dict)
    colours: dict[str, Colour] = field(default_factory=dict)
    #: None while it is closed.
    float_: Float | None = None
    #: The cash in the drop box.
    drop: int = 0
    #: The digest of the notice that staff have checked.
    notice: str = ""
    #: Play that is not on record, until it is closed by a count.
    gap: Gap | None = None
    #: What counts have added to the house's win: differences at a table that does not record every bet.
    counted_win: int = 0
    meters: ChipMeters = field(default_factory=ChipMeters)


class Advice(msgspec.Struct, frozen=True, gc=False):
    """What the dealer tells a player about a bet that lies outside the limits and is recorded as it lies."""

    #: The code that refuses such a bet where the rules refuse it: under the minimum, over the maximum, or over the
    #: maximum of partners.
    code: Code
    clause: ClauseId
    spot: SpotKey
    stake: int
    limit: int


class ChipMove(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """Pieces of one chip that are lifted from a spot, or put back on it."""

    position: PositionId
    spot: SpotKey
    chip: str
    count: int


#: Pieces of each chip: a colour ("blue"), or a value chip ("v500").
ChipPieces = tuple[tuple[str, int], ...]
#: Pieces of one chip on each spot of the layout or of the block ("17/20", "neighbours 17").
ChipBets = tuple[tuple[str, int], ...]
#: The pieces of each chip on a spot: the spot, the chip, and how many.
SpotPieces = tuple[tuple[SpotKey, str, int], ...]
