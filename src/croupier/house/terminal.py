"""A terminal: its credit meter, the chips of its games, its patterns and what it recalls."""

from collections import deque
from dataclasses import dataclass, field

import msgspec

from croupier.house.event.play import Edit
from croupier.house.felt import Stakes
from croupier.house.meters import TerminalMeters
from croupier.house.name import Derived, Instant, Number, RoundNumber, TableId, TerminalId
from croupier.house.settings import TerminalSettings
from croupier.house.terms import Terms
from croupier.rules.pocket import Pocket
from croupier.rules.procedure import Channel, Profile
from croupier.rules.spot import SpotKey

#: Regulators ask for the latest game and nine before it, with up to fifty steps each.
GAMES_RECALLED = 10
STEPS_RECALLED = 50


# These three and the records of games outlive their command in great numbers, so the garbage collector does not
# traverse them: it took up to 0.1 s at a time. As arrays they are in the house's fingerprint what tuples are.


class Step(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One change of the chips: when, how, and what then lay on the spots that were touched."""

    at: Instant
    how: Edit
    stakes: tuple[tuple[SpotKey, int], ...]


class Spread(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Where the Neighbors button stands: the number, the chip, and how often it was pressed."""

    pocket: Pocket
    chip: int
    presses: int = 0


class Undo(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What taking a command back brings back: the stakes it touched, what had been copied, and the button."""

    before: tuple[tuple[SpotKey, int], ...]
    auto_copied: Stakes
    spread: Spread | None


@dataclass(slots=True)
class Game:
    """A terminal's part in one table's rounds."""

    table: TableId
    terms: Derived[Terms]
    bets: Stakes = field(default_factory=dict)
    staked: int = 0
    #: What these stakes would bring back on each pocket, kept where the rules have a risk check.
    returns: list[int] = field(default_factory=list)
    #: What stood before each command that changed the chips: the last can be taken back. This list and the next are
    #: emptied and never replaced, so that the collector of garbage has seen them once and passes them by.
    undo: list[Undo] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    #: What lay there when this round began.
    at_start: Stakes = field(default_factory=dict)
    #: Winning stakes of the last round that stayed up, until they are sealed in another.
    stayed: Stakes = field(default_factory=dict)
    #: The bets of the last round, for repeating.
    previous: Stakes = field(default_factory=dict)
    spread: Spread | None = None
    auto_copy_to: TableId | None = None
    #: How much of each stake came by auto copy, and is not copied on.
    auto_copied: Stakes = field(default_factory=dict)
    #: Credits won in the last spin, winning stakes left out.
    won: int = 0
    idle_spins: int = 0


@dataclass(frozen=True, slots=True)
class Ghost:
    """A recalled pattern that is shown and not placed."""

    table: TableId
    slot: int
    stakes: tuple[tuple[SpotKey, int], ...]


@dataclass(slots=True)
class Hold:
    """A win that awaits its tax form, with every basis on which it might be counted."""

    number: Number
    table: TableId
    round: RoundNumber
    amount: int
    bases: dict[str, int]
    patron: str = ""
    form_number: str = ""


class Cause(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The last correction that changed what a session owes or is owed."""

    table: TableId
    round: RoundNumber
    at: Instant


class GameRecord(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One game as a terminal recalls it: enough to show it again step by step."""

    table: TableId
    round: RoundNumber
    at_start: Stakes
    steps: tuple[Step, ...]
    sealed: Stakes
    pocket: Pocket | None
    staked: int
    returned: int
    credit: int


@dataclass(slots=True)
class Terminal:
    """One terminal and all that is on it."""

    id: TerminalId
    settings: TerminalSettings
    channel: Derived[Channel]
    profile: Derived[Profile | None]
    games: dict[TableId, Game]
    denomination: int
    credit: int = 0
    #: The number of the player's session, from 0; and what each session owes the house after a correction (a
    #: receivable), below nothing where the house owes it (a payable), with the correction behind it.
    session: int = 0
    debts: dict[int, int] = field(default_factory=dict)
    causes: dict[int, Cause] = field(default_factory=dict)
    patterns: dict[int, dict[SpotKey, int]] = field(default_factory=dict)
    ghost: Ghost | None = None
    holds: dict[Number, Hold] = field(default_factory=dict)
    #: When the link went, while it is gone.
    lost_at: Instant | None = None
    #: The open case that blocks it.
    case: Number | None = None
    closed: bool = False
    #: When this player's first money came in, and what the meters had counted in and out before that.
    session_since: Instant | None = None
    session_in: int = 0
    session_out: int = 0
    #: How many games were played in this session; and by what the player has agreed to.
    session_games: int = 0
    straight_only: bool = False
    messages: deque[str] = field(default_factory=lambda: deque(maxlen=20))
    recall: deque[GameRecord] = field(default_factory=lambda: deque(maxlen=GAMES_RECALLED))
    meters: TerminalMeters = field(default_factory=TerminalMeters)

    @property
    def owes(self) -> int:
        """What players of this terminal owe the house, less what it owes them."""
        return sum(self.debts.values())

    @property
    def receivable(self) -> int:
        """What sessions of this terminal owe the house after corrections."""
        return sum(debt for debt in self.debts.values() if debt > 0)

    @property
    def payable(self) -> int:
        """What the house owes to ended sessions of this terminal after corrections."""
        return -sum(debt for debt in self.debts.values() if debt < 0)

    @property
    def held(self) -> int:
        return sum(hold.amount for hold in self.holds.values())

    @property
    def in_play(self) -> int:
        return sum(game.staked for game in self.games.values())
