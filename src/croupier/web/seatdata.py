"""What a terminal is told of itself: what it offers, and what it shows its player besides the tables."""

import msgspec
from msgspec import UNSET, UnsetType

from croupier.house.name import TableId
from croupier.rules.pocket import Pocket
from croupier.rules.spot import Kind, SpotKey

#: Chips on the felt: what lies on each spot, in cents.
Chips = dict[SpotKey, int]


class KindLimits(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """The limits on one kind of bet, as a list; null where there is no bound."""

    kind: Kind
    least: int | None
    most: int | None
    #: What the most brings back, the stake counted in.
    win: int | None


class Neighbours(msgspec.Struct, frozen=True, gc=False):
    """What the next press of the Neighbors button does."""

    #: The number that it goes on from.
    pocket: Pocket
    #: How many on each side the bets reach after it.
    reach: int
    #: What it adds on each spot.
    adds: Chips


class Cited(msgspec.Struct, frozen=True, gc=False):
    """Something in words, with the clause behind it where there is one."""

    says: str
    clause: str | None


class Idle(msgspec.Struct, frozen=True, gc=False):
    """How many valid spins a player has sat out, where the rules have something to say to that."""

    spins: int
    clause: str


class Game(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True):
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
    #: Where there is such a button; null while it has nothing to go on from.
    neighbours: Neighbours | UnsetType | None = UNSET
    idle: Idle | UnsetType | None = UNSET


class Hold(msgspec.Struct, frozen=True, gc=False):
    """A win that awaits its tax form."""

    amount: int
    clause: str


class Session(msgspec.Struct, frozen=True, gc=False):
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
    holds: tuple[Hold, ...] | UnsetType = UNSET
    in_service: bool | UnsetType = UNSET
    #: Why it takes nothing, where it does not.
    out_of_service: Cited | UnsetType | None = UNSET
    #: The last twenty that this terminal was told, of whichever round.
    messages: tuple[str, ...] | UnsetType = UNSET
    session: Session | UnsetType = UNSET
    #: Saved patterns by slot, in credits.
    patterns: dict[str, Chips] | UnsetType = UNSET
    games: dict[TableId, Game] | UnsetType = UNSET


class Fixture(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """What a terminal offers for as long as it stands."""

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
    #: After so many minutes of play the player is reminded of a break; 0 where nobody is.
    break_minutes: int


class Step(msgspec.Struct, frozen=True, gc=False):
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
    steps: tuple[Step, ...]
    sealed: Chips
    #: The number, where one counts.
    pocket: Pocket | None
    staked: int
    returned: int
    #: The credit afterwards.
    credit: int
