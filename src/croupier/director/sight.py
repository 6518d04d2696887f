"""Sight: what a simulated player sees of the seat and its tables, as the wire has told it."""

from dataclasses import dataclass, field
from typing import TypeVar

from msgspec import UnsetType

from croupier.house.name import TableId
from croupier.house.tickets import DISPENSED
from croupier.rules.procedure import CreditOut
from croupier.rules.spot import Kind
from croupier.web.outgoing import Seat, Slip, Snap, TableState
from croupier.web.seatdata import Chips, Fixture, Game, KindLimits, SeatState

T = TypeVar("T")


@dataclass(slots=True)
class Layout:
    """One game of the seat: its chips and its limits."""

    chips: Chips = field(default_factory=dict)
    ghosts: Chips = field(default_factory=dict)
    staked: int = 0
    total_least: int | None = None
    total_most: int | None = None
    limits: dict[Kind, KindLimits] = field(default_factory=dict)

    def take(self, told: Game) -> None:
        """Lay what was told over what was there: what is missing has not changed."""
        lying = {**_given(told.bets, self.chips), **_given(told.stakes, {})}
        self.chips = {spot: stake for spot, stake in lying.items() if stake}
        self.ghosts = _given(told.ghosts, self.ghosts)
        self.staked = _given(told.staked, self.staked)
        self.total_least = _given(told.total_least, self.total_least)
        self.total_most = _given(told.total_most, self.total_most)
        if not isinstance(told.limits, UnsetType):
            self.limits = {each.kind: each for each in told.limits}


@dataclass(slots=True)
class Sight:
    """A seat and its tables."""

    #: The snapshot's first; before it nothing that comes means anything.
    fixture: Fixture | None = None
    epoch: int = 0
    version: int = 0
    credit: int = 0
    denomination: int = 1
    held: int = 0
    in_service: bool = False
    patterns: dict[str, Chips] = field(default_factory=dict)
    tables: dict[TableId, TableState] = field(default_factory=dict)
    layouts: dict[TableId, Layout] = field(default_factory=dict)
    #: Slips and tickets whose print awaits a word, and the last in the player's hand.
    printing: list[Slip] = field(default_factory=list)
    hand: list[str] = field(default_factory=list)
    _versions: dict[TableId, int] = field(default_factory=dict)

    def snap(self, told: Snap) -> None:
        """Begin with all that there is."""
        assert told.fixture is not None
        assert told.seat is not None
        self.fixture, self.epoch, self.version = told.fixture, told.epoch, told.v
        self._versions, self.tables, self.layouts = {}, {}, {}
        for version, state in told.tables:
            self.table(version, state)
        self._take(told.seat)

    def delta(self, told: Seat) -> bool:
        """Go on with what has changed; tell whether nothing was missed."""
        follows = told.v == self.version + 1
        if follows:
            self.version = told.v
            self._take(told.set)
        return follows

    def table(self, version: int, state: TableState) -> None:
        """See a table as it is now, unless it was seen newer."""
        name = TableId(state.table)
        if version > self._versions.get(name, 0):
            self._versions[name], self.tables[name] = version, state

    def printed(self, slip: Slip) -> None:
        """Hold a slip or ticket that came out of the printer; chips and coins are there at once, and no paper."""
        if CreditOut(slip.form) not in DISPENSED:
            self.printing.append(slip)
            self.hand = [slip.number]

    def _take(self, told: SeatState) -> None:
        self.credit = _given(told.credit, self.credit)
        self.denomination = _given(told.denomination, self.denomination)
        self.held = _given(told.held, self.held)
        self.in_service = _given(told.in_service, self.in_service)
        self.patterns = _given(told.patterns, self.patterns)
        for table, game in _given(told.games, {}).items():
            self.layouts.setdefault(table, Layout()).take(game)


def _given(told: T | UnsetType, before: T) -> T:
    return before if isinstance(told, UnsetType) else told
