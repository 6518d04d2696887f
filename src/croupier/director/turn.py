"""A turn: one spin at one table as a simulated player has it, with what can be done within limits and means."""

from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass
from random import Random
from typing import Final

from croupier.director.deed import Deed, Practise, PutNote, PutTicket
from croupier.director.sight import Layout, Sight
from croupier.house.command.play import ClearBets, DoubleBets, PlaceBets
from croupier.house.name import RoundNumber, TableId, TerminalId
from croupier.rules.money import Cents
from croupier.rules.spot import Kind, SpotKey
from croupier.web.cloth import Cloth, SpotPlace, Way
from croupier.web.outgoing import TableState
from croupier.web.seatdata import Chips, Fixture

#: With less than so many of the dearest bets more money is wanted; and how many it is to be enough for.
SHORT: Final = 4
ENOUGH: Final = 12
#: How many notes are put in at a time.
NOTES_MOST: Final = 8


@dataclass(frozen=True, slots=True)
class Turn:
    """One spin at one table. What it says of chips and credit is true when it is asked."""

    sight: Sight
    felt: Cloth
    chance: Random
    table: TableId
    round: RoundNumber
    spin: int

    @classmethod
    def at(cls, state: TableState, sight: Sight, felt: Cloth, chance: Random) -> "Turn":
        return cls(sight, felt, chance, TableId(state.table), RoundNumber(state.round), state.spin)

    @property
    def game(self) -> tuple[TerminalId, TableId, RoundNumber, int]:
        """What a command about the chips begins with."""
        return TerminalId(self._fixture.terminal), self.table, self.round, self.spin

    @property
    def chips(self) -> Chips:
        return self._layout.chips

    @property
    def room(self) -> int:
        """What may still be staked."""
        layout = self._layout
        most = self.sight.credit if layout.total_most is None else layout.total_most - layout.staked
        return min(self.sight.credit, most)

    def some(self, kinds: Container[Kind], count: int) -> list[SpotPlace]:
        """Choose some spots of certain kinds."""
        spots = [spot for spot in self.felt.spots if spot.kind in kinds]
        return self.chance.sample(spots, min(count, len(spots)))

    # What can be done; nothing, where it would go beyond a limit or the credit.

    def put(self, spots: Iterable[SpotPlace], chips: int = 1) -> Iterator[PlaceBets]:
        """Put chips on spots, as far as they go."""
        room, bets = self.room, list[tuple[str, int]]()
        for spot in spots:
            stake = self._stake(spot.kind, chips)
            if stake and stake <= room and self._takes(spot.key, stake):
                bets.append((spot.key, stake))
                room -= stake
        if bets:
            yield PlaceBets(*self.game, tuple(bets))

    def call(self, way: Way) -> Iterator[PlaceBets]:
        """Make a call with the least that every piece of it takes."""
        kinds = {self._kind(spot) for spot, _ in way.pieces}
        stake = max(self._stake(kind, 1) for kind in kinds)
        fits = all(self._takes(spot, count * stake) for spot, count in way.pieces)
        if stake and fits and way.chips * stake <= self.room:
            yield PlaceBets(*self.game, ((way.said, stake),))

    def clear(self) -> Iterator[ClearBets]:
        """Take back what lies there."""
        if self.chips:
            yield ClearBets(*self.game)

    def double(self) -> Iterator[DoubleBets]:
        """Put as much again on every spot."""
        if self.chips and self._layout.staked <= self.room and all(self._takes(*each) for each in self.chips.items()):
            yield DoubleBets(*self.game)

    def fill_up(self) -> Iterator[PlaceBets]:
        """Add what is missing to the least in all, on a spot that takes it: otherwise nothing of it would be played."""
        layout, unit = self._layout, self.sight.denomination
        missing = -(-((layout.total_least or 0) - layout.staked) // unit) * unit
        if missing > 0 and missing <= self.room:
            takes = (spot for spot in layout.chips if self._takes(spot, missing))
            yield from (PlaceBets(*self.game, ((spot, missing),)) for spot in [*takes][:1])

    def buy_in(self) -> Iterator[Deed]:
        """Put money in where little is left: a ticket, notes, or credits that are worth nothing."""
        sight, fixture, dearest = self.sight, self._fixture, self._dearest
        if sight.credit >= SHORT * dearest:
            return
        if fixture.tickets and sight.hand:
            yield PutTicket(sight.hand.pop())
        if fixture.practice or not fixture.notes:
            yield Practise()
            return
        for _ in range(NOTES_MOST):
            if sight.credit < ENOUGH * dearest:
                yield PutNote(Cents(max(fixture.notes)))

    # Limits and means.

    @property
    def _fixture(self) -> Fixture:
        assert self.sight.fixture is not None
        return self.sight.fixture

    @property
    def _layout(self) -> Layout:
        return self.sight.layouts[self.table]

    @property
    def _dearest(self) -> int:
        """The least on the dearest kind of bet."""
        return max((self._stake(kind, 1) for kind in self._layout.limits), default=0)

    def _stake(self, kind: Kind, chips: int) -> int:
        """Tell what so many chips on a kind of bet come to: chips of the tray that its least takes, up to its most."""
        unit, limits = self.sight.denomination, self._layout.limits[kind]
        least = limits.least or unit
        tray = sorted(chip * unit for chip in self._fixture.chips)
        chip = next((value for value in tray if value >= least), -(-least // unit) * unit)
        stake = chip * chips if limits.most is None else min(chip * chips, limits.most // unit * unit)
        return stake if stake >= least else 0

    def _takes(self, spot: SpotKey, stake: int) -> bool:
        most = self._layout.limits[self._kind(spot)].most
        return most is None or self.chips.get(spot, 0) + stake <= most

    def _kind(self, key: SpotKey) -> Kind:
        return next(spot.kind for spot in self.felt.spots if spot.key == key)
