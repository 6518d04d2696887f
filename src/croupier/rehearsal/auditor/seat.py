"""A seat: one terminal with its credits, the chips of its games, the wins it holds and its meters."""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field

from croupier.house.name import Instant, Number, RoundNumber, TableId, TerminalId
from croupier.house.settings import TerminalSettings
from croupier.rehearsal.auditor.bounds import Bounds
from croupier.rehearsal.auditor.felt import Stakes
from croupier.rules.procedure import Channel, ChannelName
from croupier.rules.rulebook import Rulebook
from croupier.rules.spot import SpotKey


@dataclass(slots=True)
class Game:
    """The chips of one seat at one table."""

    bounds: Bounds
    stakes: Stakes = field(default_factory=dict)
    #: What lay on the touched spots before each command of this betting period.
    undo: list[Stakes] = field(default_factory=list)
    #: Winning stakes left up by the last round, until they are sealed in another.
    stayed: Stakes = field(default_factory=dict)
    #: The bets of the last round.
    previous: Stakes = field(default_factory=dict)

    @property
    def staked(self) -> int:
        return sum(self.stakes.values())


@dataclass(slots=True)
class Hold:
    """A win that awaits its form."""

    table: TableId
    round: RoundNumber
    amount: int
    form: bool = False


@dataclass(slots=True)
class Seat:
    """One terminal."""

    name: TerminalId
    settings: TerminalSettings
    channel: Channel
    #: The calls on its buttons; None where it offers all that the venue has.
    calls: Collection[str] | None
    games: dict[TableId, Game]
    #: What one credit is worth.
    unit: int
    credit: int = 0
    #: The number of the player's session, and what each session owes; below nothing the house owes it.
    session: int = 0
    debts: Counter[int] = field(default_factory=Counter)
    #: What had come in when the last session ended, and since when this one has had nothing left.
    put_in_before: int = 0
    spent_at: Instant | None = None
    holds: dict[Number, Hold] = field(default_factory=dict)
    dark: bool = False
    case: Number | None = None
    closed: bool = False
    straight_only: bool = False
    #: By the names of the house's meters; notes by their value.
    meters: Counter[str] = field(default_factory=Counter)
    notes: Counter[int] = field(default_factory=Counter)

    @property
    def in_play(self) -> int:
        return sum(game.staked for game in self.games.values())

    @property
    def held(self) -> int:
        return sum(hold.amount for hold in self.holds.values())

    @property
    def owes(self) -> int:
        return sum(self.debts.values())

    @property
    def receivable(self) -> int:
        return sum(max(0, debt) for debt in self.debts.values())

    @property
    def payable(self) -> int:
        return self.receivable - self.owes

    @property
    def playing(self) -> bool:
        """Whether money has come in since the last session ended."""
        return self._put_in > self.put_in_before

    @property
    def spent(self) -> bool:
        return not (self.credit or self.in_play or self.holds) and self.case is None

    @property
    def _put_in(self) -> int:
        names = ("bought_in", "tickets_in", "tickets_back", "adjusted_in", "granted")
        return sum(value * count for value, count in self.notes.items()) + sum(self.meters[each] for each in names)

    def watch(self, now: Instant) -> None:
        """Note since when a session has had nothing left."""
        if not (self.playing and self.spent):
            self.spent_at = None
        elif self.spent_at is None:
            self.spent_at = now

    def leave(self) -> None:
        """End the session: nothing that was kept for this player is the next one's."""
        self.session += 1
        self.straight_only = False
        self.put_in_before, self.spent_at = self._put_in, None
        for game in self.games.values():
            game.previous, game.stayed, game.undo = {}, {}, []

    def lay(self, table: TableId, stakes: Stakes) -> Stakes:
        """Make what lies on each of these spots a given amount, for credit; tell what lay there before."""
        on = self.games[table].stakes
        before = {spot: on.get(spot, 0) for spot in stakes}
        for spot, stake in stakes.items():
            self.credit -= stake - before[spot]
            on[spot] = stake
            if stake == 0:
                del on[spot]
        return before

    def take_back(self, table: TableId, spots: Collection[SpotKey]) -> int:
        """Give what lies on some spots back as credit; tell how much that was."""
        before = self.lay(table, dict.fromkeys(spots, 0))
        return sum(before.values())


def channel_of(rulebook: Rulebook) -> Channel:
    """Choose how terminals bet here: in their own way, or as at the table in a demonstration."""
    channels = rulebook.channels
    return channels[ChannelName.TERMINAL if ChannelName.TERMINAL in channels else ChannelName.TABLE]


def calls_of(rulebook: Rulebook, model: str | None) -> Collection[str] | None:
    """Name the calls of a terminal's model; where bets are also laid by hand, the usual model is the terminal's own."""
    for profile in rulebook.profiles:
        if profile.id == model:
            return tuple(profile.calls)
        by_hand = ChannelName.TABLE in rulebook.channels
        if model is None and by_hand and profile.channel is ChannelName.TERMINAL:
            return tuple(profile.calls)
    return None
