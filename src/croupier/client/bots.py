"""Demo bots and their strategies."""

import asyncio
from collections.abc import Callable, Container, Iterable, Iterator
from dataclasses import dataclass
from random import Random
from typing import Final, Protocol

import structlog

from croupier.client.client import FINAL_CODES, AsyncClient
from croupier.client.connection import ConnectionLostError
from croupier.client.session import (
    Accepted,
    CollectRequest,
    Game,
    InsertNoteRequest,
    InsertTicketRequest,
    View,
)
from croupier.house.credit.tickets import ConfirmPrint
from croupier.house.ids import SECOND, Instant, Number, RoundNumber, TableId, TerminalId
from croupier.house.play.betting import ClearBets, DoubleBets, PlaceBets, RepeatBets, UndoBet
from croupier.house.play.patterns import ConfirmRecall, RecallPattern, SavePattern
from croupier.house.state.tables import Phase
from croupier.protocol.inbound import Practice, TerminalCommand
from croupier.protocol.outbound import TableState
from croupier.protocol.terminal import CallVariant, Chips, FeltSpec, Fixture, SpotPlace
from croupier.rules.calls import CallKind
from croupier.rules.geometry import EVEN_MONEY, STRAIGHT, SpotKey, SpotKind
from croupier.rules.money import Cents

#: A bot buys in when its credit covers fewer than so many of the dearest bets, and then for so many.
BUY_IN_BELOW: Final = 4
BUY_IN_FOR: Final = 12
#: How many notes a bot inserts at a time.
NOTES_MAX: Final = 8


BotAction = TerminalCommand | InsertNoteRequest | InsertTicketRequest | CollectRequest | Practice


@dataclass(frozen=True, slots=True)
class BotRound:
    """One spin at one table, as a strategy sees it. Chips and credit are those of the moment at which they are read."""

    view: View
    felt: FeltSpec
    random: Random
    table: TableId
    round: RoundNumber
    spin: int

    @classmethod
    def at(cls, state: TableState, view: View, felt: FeltSpec, random: Random) -> "BotRound":
        return cls(view, felt, random, TableId(state.table), RoundNumber(state.round), state.spin)

    @property
    def key(self) -> tuple[TerminalId, TableId, RoundNumber, int]:
        """The first arguments of every command about chips."""
        return TerminalId(self._fixture.terminal), self.table, self.round, self.spin

    @property
    def chips(self) -> Chips:
        return self._game.chips

    @property
    def available(self) -> int:
        """How much more may be staked: the credit, or what the limit in total leaves."""
        game = self._game
        most = self.view.credit if game.total_most is None else game.total_most - game.staked
        return min(self.view.credit, most)

    def choose(self, kinds: Container[SpotKind], count: int) -> list[SpotPlace]:
        """Choose spots of certain kinds at random."""
        spots = [spot for spot in self.felt.spots if spot.kind in kinds]
        return self.random.sample(spots, min(count, len(spots)))

    # Actions; none where a limit or the credit forbids it.

    def place(self, spots: Iterable[SpotPlace], chips: int = 1) -> Iterator[PlaceBets]:
        """Place chips on spots, as far as the credit and the limits go."""
        available, bets = self.available, list[tuple[str, int]]()
        for spot in spots:
            stake = self._stake(spot.kind, chips)
            if stake and stake <= available and self._fits(spot.key, stake):
                bets.append((spot.key, stake))
                available -= stake
        if bets:
            yield PlaceBets(*self.key, tuple(bets))

    def call(self, variant: CallVariant) -> Iterator[PlaceBets]:
        """Place a call bet at the minimum that each of its pieces takes."""
        kinds = {self._kind(spot) for spot, _ in variant.pieces}
        stake = max(self._stake(kind, 1) for kind in kinds)
        fits = all(self._fits(spot, count * stake) for spot, count in variant.pieces)
        if stake and fits and variant.chips * stake <= self.available:
            yield PlaceBets(*self.key, ((variant.said, stake),))

    def clear(self) -> Iterator[ClearBets]:
        """Take back all chips."""
        if self.chips:
            yield ClearBets(*self.key)

    def double(self) -> Iterator[DoubleBets]:
        """Double every stake."""
        if self.chips and self._game.staked <= self.available and all(self._fits(*each) for each in self.chips.items()):
            yield DoubleBets(*self.key)

    def reach_minimum(self) -> Iterator[PlaceBets]:
        """Add what is missing to the minimum in total on one spot: below it the round would be played without bets."""
        game, unit = self._game, self.view.denomination
        missing = -(-((game.total_least or 0) - game.staked) // unit) * unit
        if missing > 0 and missing <= self.available:
            fitting = (spot for spot in game.chips if self._fits(spot, missing))
            yield from (PlaceBets(*self.key, ((spot, missing),)) for spot in [*fitting][:1])

    def buy_in(self) -> Iterator[BotAction]:
        """Insert a ticket or notes, or take play money, when the credit is low."""
        view, fixture, dearest = self.view, self._fixture, self._dearest
        if view.credit >= BUY_IN_BELOW * dearest:
            return
        if fixture.tickets and view.last_ticket:
            yield InsertTicketRequest(view.last_ticket.pop())
        if fixture.practice or not fixture.notes:
            yield Practice()
            return
        for _ in range(NOTES_MAX):
            if view.credit < BUY_IN_FOR * dearest:
                yield InsertNoteRequest(Cents(max(fixture.notes)))

    # Limits.

    @property
    def _fixture(self) -> Fixture:
        assert self.view.fixture is not None
        return self.view.fixture

    @property
    def _game(self) -> Game:
        return self.view.games[self.table]

    @property
    def _dearest(self) -> int:
        """The minimum of the kind of bet that has the highest."""
        return max((self._stake(kind, 1) for kind in self._game.limits), default=0)

    def _stake(self, kind: SpotKind, chips: int) -> int:
        """Compute the stake of some chips: the smallest chip at or above the minimum, up to the maximum; 0 if none."""
        unit, limits = self.view.denomination, self._game.limits[kind]
        least = limits.least or unit
        tray = sorted(chip * unit for chip in self._fixture.chips)
        chip = next((value for value in tray if value >= least), -(-least // unit) * unit)
        stake = chip * chips if limits.most is None else min(chip * chips, limits.most // unit * unit)
        return stake if stake >= least else 0

    def _fits(self, spot: SpotKey, stake: int) -> bool:
        most = self._game.limits[self._kind(spot)].most
        return most is None or self.chips.get(spot, 0) + stake <= most

    def _kind(self, key: SpotKey) -> SpotKind:
        return next(spot.kind for spot in self.felt.spots if spot.key == key)


TWO_TO_ONE: Final = (SpotKind("dozen"), SpotKind("column"))
INSIDE: Final = (STRAIGHT, *map(SpotKind, ("split", "street", "corner", "six_line")))
#: The pattern that a bot saves.
PATTERN: Final = 1


class Strategy(Protocol):
    """How a bot plays. Each action is requested when it is due, and sees the result of the one before."""

    def actions(self, turn: BotRound) -> Iterator[BotAction]: ...


class Careful:
    """Clears the layout, and places one chip on even money, sometimes another on a dozen or column."""

    def actions(self, turn: BotRound) -> Iterator[BotAction]:
        yield from turn.clear()
        yield from turn.buy_in()
        yield from turn.place(turn.choose(EVEN_MONEY, 1))
        if turn.random.randrange(3) == 0:
            yield from turn.place(turn.choose(TWO_TO_ONE, 1))


class Splashy:
    """Places chips on many spots, then undoes one bet or doubles all of them."""

    def actions(self, turn: BotRound) -> Iterator[BotAction]:
        yield from turn.buy_in()
        for _ in range(turn.random.randint(3, 6)):
            yield from turn.place(turn.choose(INSIDE, 1), chips=turn.random.randint(1, 3))
        if turn.chips and turn.random.randrange(3) == 0:
            yield UndoBet(*turn.key)
        elif turn.random.randrange(3) == 0:
            yield from turn.double()


class Numbers:
    """Chooses three numbers at each table, and repeats them every round."""

    def __init__(self) -> None:
        self._own: dict[TableId, list[SpotPlace]] = {}

    def actions(self, turn: BotRound) -> Iterator[BotAction]:
        yield from turn.buy_in()
        if turn.table in self._own and not turn.chips:
            yield RepeatBets(*turn.key)
        own = self._own.setdefault(turn.table, turn.choose((STRAIGHT,), 3))
        yield from turn.place(spot for spot in own if spot.key not in turn.chips)


class Caller:
    """Places call bets; where none is offered, straight ups on neighbouring numbers of the wheel."""

    def actions(self, turn: BotRound) -> Iterator[BotAction]:
        yield from turn.clear()
        yield from turn.buy_in()
        calls = [call for call in turn.felt.calls if call.kind is not CallKind.MARKER]
        if calls:
            yield from turn.call(turn.random.choice(turn.random.choice(calls).ways))
        else:
            yield from turn.place(_neighbours(turn, 5))


class PatternSaver:
    """Saves a pattern once and recalls it from then on; where none can be saved, places new bets every time."""

    def actions(self, turn: BotRound) -> Iterator[BotAction]:
        yield from turn.clear()
        yield from turn.buy_in()
        if str(PATTERN) in turn.view.patterns:
            yield RecallPattern(*turn.key, PATTERN)
            if turn.view.games[turn.table].ghosts:
                yield ConfirmRecall(*turn.key)
        else:
            yield from turn.place(turn.choose((SpotKind("split"), SpotKind("corner")), 4))
            if turn.chips and turn.felt.patterns:
                yield SavePattern(*turn.key, PATTERN)


class Sleeper:
    """Bets on one spin, and sits three out."""

    OUT: Final = 3

    def __init__(self) -> None:
        self._careful, self._left = Careful(), 0

    def actions(self, turn: BotRound) -> Iterator[BotAction]:
        self._left = self.OUT if self._left == 0 else self._left - 1
        return self._careful.actions(turn) if self._left == self.OUT else turn.clear()


class Casher:
    """Plays five spins, collects its credits on the sixth, and plays on."""

    EVERY: Final = 6

    def __init__(self) -> None:
        self._splashy, self._spins = Splashy(), 0

    def actions(self, turn: BotRound) -> Iterator[BotAction]:
        self._spins += 1
        if self._spins % self.EVERY:
            yield from self._splashy.actions(turn)
        else:
            yield from turn.clear()
            if turn.view.credit:
                yield CollectRequest()


def _neighbours(turn: BotRound, count: int) -> list[SpotPlace]:
    """Choose the straight ups on neighbouring numbers of the wheel."""
    order = [each.pocket for each in turn.felt.wheel]
    first = turn.random.randrange(len(order))
    numbers = {order[(first + step) % len(order)] for step in range(count)}
    return [spot for spot in turn.felt.spots if spot.kind == STRAIGHT and spot.covers[0] in numbers]


#: The strategies of the bots in order; after the last comes the first again.
STRATEGIES: Final[tuple[type[Strategy], ...]] = (
    Caller,
    Sleeper,
    Careful,
    Numbers,
    Splashy,
    Casher,
    Splashy,
    Caller,
    Careful,
    Numbers,
    Casher,
    PatternSaver,
    Splashy,
)


OPEN: Final = (Phase.OPEN, Phase.OPEN_RUNNING, Phase.LAST_CALL)
#: A bot begins to bet, and places a chip, only with so much time left before the close.
BEGIN_LEFT: Final = 6 * SECOND
PLACE_LEFT: Final = 2 * SECOND
TENTH: Final = SECOND // 10
#: The least and the longest delays of a bot, in tenths of a second: before it sits down, before the first action of a
#: spin, and between two actions.
SIT_DOWN: Final = (1, 20)
LOOK: Final = (10, 60)
BETWEEN_ACTIONS: Final = (8, 22)
#: A bot that stands sits down again when so many seats are free.
SEATS_LEFT: Final = 2
#: Between two looks whether a seat is left for it again.
STANDS: Final = (50, 100)
#: After a connection that was lost.
RECONNECT: Final = (20, 60)
_LOG = structlog.get_logger()


class Bot:
    """A simulated player at a terminal."""

    def __init__(
        self,
        name: str,
        client: AsyncClient,
        strategy: Strategy,
        random: Random,
        free_seats: Callable[[], int] = lambda: 1,
    ) -> None:
        self.name, self.client, self.strategy, self._random = name, client, strategy, random
        #: How many seats are free at its table.
        self._free_seats = free_seats
        #: The last spin at each table that the bot has considered, with or without a bet.
        self._seen: dict[TableId, tuple[int, int]] = {}

    async def play(self) -> None:
        """Play until the terminal belongs to another; reconnect when the connection is lost."""
        await self._pause(SIT_DOWN)
        while True:
            try:
                await self.client.connect()
                await self._play_on(await self.client.felt())
            except ConnectionLostError as lost:
                _LOG.debug("bot_connection_lost", bot=self.name, terminal=self.client.terminal, code=lost.code)
                if lost.code in FINAL_CODES:
                    return
            await self._pause(RECONNECT)

    async def _play_on(self, felt: FeltSpec) -> None:
        while True:
            state = await self.client.wait_for(lambda _: self._open_table())
            self._seen[TableId(state.table)] = state.round, state.spin
            await self._pause(LOOK)
            turn = BotRound.at(state, self.client.view, felt, self._random)
            if self._free_seats() == 0:
                await self._stand_up(turn)
                return
            await self._act(turn)

    async def _stand_up(self, turn: BotRound) -> None:
        """Leave the seat to a person: take the chips and the credit, and come back when the seats are not needed."""
        actions: tuple[BotAction, ...] = (*turn.clear(), CollectRequest())
        for action in actions:
            await self._execute(action)
        self.client.abort()
        # Its own seat is one of those that are free.
        while self._free_seats() < SEATS_LEFT:
            await self._pause(STANDS)

    def _open_table(self) -> TableState | None:
        """Find a table with a spin to bet on that the bot has not considered yet."""
        view = self.client.view
        fresh = (state for name, state in view.tables.items() if self._seen.get(name) != (state.round, state.spin))
        return next((state for state in fresh if self._may_bet(state, BEGIN_LEFT)), None)

    def _may_bet(self, state: TableState, left: int) -> bool:
        view = self.client.view
        in_time = state.closes_at is None or state.closes_at - self.client.clock.now() >= left
        return state.phase in OPEN and in_time and not state.closed and view.in_service and not view.held

    async def _act(self, turn: BotRound) -> None:
        """Execute one action after the other, for as long as the spin takes bets."""
        actions, last = self.strategy.actions(turn), False
        while self._is_open(turn):
            action = next(actions, None)
            if action is None and not last:
                actions, last = turn.reach_minimum(), True
            elif action is None:
                return
            else:
                await self._execute(action)
                await self._pause(BETWEEN_ACTIONS)

    def _is_open(self, turn: BotRound) -> bool:
        state = self.client.view.tables[turn.table]
        return (state.round, state.spin) == (turn.round, turn.spin) and self._may_bet(state, PLACE_LEFT)

    async def _execute(self, action: BotAction) -> None:
        """Execute an action; a refusal changes nothing."""
        client = self.client
        if isinstance(action, Practice):
            client.post(action)
        else:
            response = await client.send(action)
            code = "" if isinstance(response, Accepted) else response.code
            _LOG.debug(
                "bot_request", bot=self.name, terminal=self.client.terminal, action=type(action).__name__, code=code
            )
        while client.view.slips:
            await client.send(ConfirmPrint(self.client.terminal, Number(client.view.slips.pop().sequence)))

    async def _pause(self, span: tuple[int, int]) -> None:
        """Wait by the server's clock."""
        over, clock = asyncio.Event(), self.client.clock
        timer = clock.at(Instant(clock.now() + self._random.randint(*span) * TENTH), over.set)
        try:
            await over.wait()
        finally:
            timer.cancel()
