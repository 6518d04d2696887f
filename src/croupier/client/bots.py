"""Demo bots and their strategies."""

import asyncio
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass
from random import Random
from typing import Final, Protocol

import structlog

from croupier.client.session import (
    ClientState,
    CollectRequest,
    ConnectionLostError,
    Deed,
    DropConnection,
    GameBets,
    InsertNoteRequest,
    InsertTicketRequest,
    Practise,
    TerminalClient,
)
from croupier.house.base import Phase
from croupier.house.commands.credit import ConfirmPrint
from croupier.house.commands.play import (
    ClearBets,
    ConfirmRecall,
    DoubleBets,
    PlaceBets,
    RecallPattern,
    RepeatBets,
    SavePattern,
    UndoBet,
)
from croupier.house.ids import SECOND, Instant, Number, RoundNumber, TableId, TerminalId
from croupier.protocol.inbound import Practice
from croupier.protocol.outbound import TableState
from croupier.protocol.terminal import CallVariant, Chips, FeltSpec, Fixture, SpotPlace
from croupier.rules.calls import CallKind
from croupier.rules.geometry import SpotKey, SpotKind
from croupier.rules.money import Cents
from croupier.rules.refusal import Code

#: With less than so many of the dearest bets more money is wanted; and how many it is to be enough for.
SHORT: Final = 4
ENOUGH: Final = 12
#: How many notes are put in at a time.
NOTES_MAX: Final = 8


@dataclass(frozen=True, slots=True)
class BotRound:
    """One spin at one table. What it says of chips and credit is true when it is asked."""

    client_state: ClientState
    felt: FeltSpec
    chance: Random
    table: TableId
    round: RoundNumber
    spin: int

    @classmethod
    def at(cls, state: TableState, client_state: ClientState, felt: FeltSpec, chance: Random) -> "BotRound":
        return cls(client_state, felt, chance, TableId(state.table), RoundNumber(state.round), state.spin)

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
        most = self.client_state.credit if layout.total_most is None else layout.total_most - layout.staked
        return min(self.client_state.credit, most)

    def some(self, kinds: Container[SpotKind], count: int) -> list[SpotPlace]:
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

    def call(self, way: CallVariant) -> Iterator[PlaceBets]:
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
        layout, unit = self._layout, self.client_state.denomination
        missing = -(-((layout.total_least or 0) - layout.staked) // unit) * unit
        if missing > 0 and missing <= self.room:
            takes = (spot for spot in layout.chips if self._takes(spot, missing))
            yield from (PlaceBets(*self.game, ((spot, missing),)) for spot in [*takes][:1])

    def buy_in(self) -> Iterator[Deed]:
        """Put money in where little is left: a ticket, notes, or credits that are worth nothing."""
        client_state, fixture, dearest = self.client_state, self._fixture, self._dearest
        if client_state.credit >= SHORT * dearest:
            return
        if fixture.tickets and client_state.hand:
            yield InsertTicketRequest(client_state.hand.pop())
        if fixture.practice or not fixture.notes:
            yield Practise()
            return
        for _ in range(NOTES_MAX):
            if client_state.credit < ENOUGH * dearest:
                yield InsertNoteRequest(Cents(max(fixture.notes)))

    # Limits and means.

    @property
    def _fixture(self) -> Fixture:
        assert self.client_state.fixture is not None
        return self.client_state.fixture

    @property
    def _layout(self) -> GameBets:
        return self.client_state.layouts[self.table]

    @property
    def _dearest(self) -> int:
        """The least on the dearest kind of bet."""
        return max((self._stake(kind, 1) for kind in self._layout.limits), default=0)

    def _stake(self, kind: SpotKind, chips: int) -> int:
        """Tell what so many chips on a kind of bet come to: chips of the tray that its least takes, up to its most."""
        unit, limits = self.client_state.denomination, self._layout.limits[kind]
        least = limits.least or unit
        tray = sorted(chip * unit for chip in self._fixture.chips)
        chip = next((value for value in tray if value >= least), -(-least // unit) * unit)
        stake = chip * chips if limits.most is None else min(chip * chips, limits.most // unit * unit)
        return stake if stake >= least else 0

    def _takes(self, spot: SpotKey, stake: int) -> bool:
        most = self._layout.limits[self._kind(spot)].most
        return most is None or self.chips.get(spot, 0) + stake <= most

    def _kind(self, key: SpotKey) -> SpotKind:
        return next(spot.kind for spot in self.felt.spots if spot.key == key)


EVEN_MONEY: Final = (SpotKind.RED, SpotKind.BLACK, SpotKind.ODD, SpotKind.EVEN, SpotKind.LOW, SpotKind.HIGH)
TWO_TO_ONE: Final = (SpotKind.DOZEN, SpotKind.COLUMN)
INSIDE: Final = (SpotKind.STRAIGHT, SpotKind.SPLIT, SpotKind.STREET, SpotKind.CORNER, SpotKind.SIX_LINE)
#: The place in which a pattern is saved.
SLOT: Final = 1


class Strategy(Protocol):
    """How somebody plays. Each deed is asked for when its time has come, and sees what came of the one before."""

    def actions(self, turn: BotRound) -> Iterator[Deed]: ...


class Careful:
    """Lets nothing lie, and puts one chip on an even chance, at times another on a dozen."""

    def actions(self, turn: BotRound) -> Iterator[Deed]:
        yield from turn.clear()
        yield from turn.buy_in()
        yield from turn.put(turn.some(EVEN_MONEY, 1))
        if turn.chance.randrange(3) == 0:
            yield from turn.put(turn.some(TWO_TO_ONE, 1))


class Splashy:
    """Puts chips here and there, takes one back or doubles them all."""

    def actions(self, turn: BotRound) -> Iterator[Deed]:
        yield from turn.buy_in()
        for _ in range(turn.chance.randint(3, 6)):
            yield from turn.put(turn.some(INSIDE, 1), chips=turn.chance.randint(1, 3))
        if turn.chips and turn.chance.randrange(3) == 0:
            yield UndoBet(*turn.game)
        elif turn.chance.randrange(3) == 0:
            yield from turn.double()


class Numbers:
    """Has a few numbers, and plays them round after round."""

    def __init__(self) -> None:
        self._own: list[SpotPlace] = []

    def actions(self, turn: BotRound) -> Iterator[Deed]:
        yield from turn.buy_in()
        if self._own and not turn.chips:
            yield RepeatBets(*turn.game)
        self._own = self._own or turn.some((SpotKind.STRAIGHT,), 3)
        yield from turn.put(spot for spot in self._own if spot.key not in turn.chips)


class Caller:
    """Makes calls; where none is offered, puts chips on numbers that lie together in the wheel."""

    def actions(self, turn: BotRound) -> Iterator[Deed]:
        yield from turn.clear()
        yield from turn.buy_in()
        calls = [call for call in turn.felt.calls if call.kind is not CallKind.MARKER]
        if calls:
            yield from turn.call(turn.chance.choice(turn.chance.choice(calls).ways))
        else:
            yield from turn.put(_together(turn, 5))


class PatternSaver:
    """Saves a pattern once and recalls it from then on; where none can be saved, lays another every time."""

    def actions(self, turn: BotRound) -> Iterator[Deed]:
        yield from turn.clear()
        yield from turn.buy_in()
        if str(SLOT) in turn.client_state.patterns:
            yield RecallPattern(*turn.game, SLOT)
            if turn.client_state.layouts[turn.table].ghosts:
                yield ConfirmRecall(*turn.game)
        else:
            yield from turn.put(turn.some((SpotKind.SPLIT, SpotKind.CORNER), 4))
            if turn.chips and turn.felt.patterns:
                yield SavePattern(*turn.game, SLOT)


class Sleeper:
    """Bets once, and then sits three spins out."""

    OUT: Final = 3

    def __init__(self) -> None:
        self._careful, self._left = Careful(), 0

    def actions(self, turn: BotRound) -> Iterator[Deed]:
        self._left = self.OUT if self._left == 0 else self._left - 1
        return self._careful.actions(turn) if self._left == self.OUT else turn.clear()


class Wanderer:
    """Plays with care, and loses the line now and then."""

    EVERY: Final = 3

    def __init__(self) -> None:
        self._careful, self._turns = Careful(), 0

    def actions(self, turn: BotRound) -> Iterator[Deed]:
        self._turns += 1
        yield from self._careful.actions(turn)
        if self._turns % self.EVERY == 0:
            yield DropConnection()


class Collector:
    """Plays some rounds, collects and sits out, and comes back with the next."""

    EVERY: Final = 6

    def __init__(self) -> None:
        self._splashy, self._turns = Splashy(), 0

    def actions(self, turn: BotRound) -> Iterator[Deed]:
        self._turns += 1
        if self._turns % self.EVERY:
            yield from self._splashy.actions(turn)
        else:
            yield from turn.clear()
            if turn.client_state.credit:
                yield CollectRequest()


def _together(turn: BotRound, count: int) -> list[SpotPlace]:
    """Choose the straight ups on numbers that are neighbours in the wheel."""
    order = [each.pocket for each in turn.felt.wheel]
    first = turn.chance.randrange(len(order))
    numbers = {order[(first + step) % len(order)] for step in range(count)}
    return [spot for spot in turn.felt.spots if spot.kind is SpotKind.STRAIGHT and spot.covers[0] in numbers]


#: Who comes, in their order; from the last one on again from the first.
STRATEGIES: Final[tuple[type[Strategy], ...]] = (
    Caller,
    Sleeper,
    Careful,
    PatternSaver,
    Splashy,
    Numbers,
    Wanderer,
    Collector,
    Careful,
    Collector,
)


OPEN: Final = (Phase.OPEN, Phase.OPEN_RUNNING, Phase.LAST_CALL)
#: With these a house says that the seat is somebody else's now, or nobody's.
FOR_GOOD: Final = (Code.UNKNOWN_DEVICE, Code.EVICTED)
#: A turn is begun, and a chip is moved, while there is so much time left; nobody's hand is quicker.
BEGIN_LEFT: Final = 6 * SECOND
HAND_LEFT: Final = 2 * SECOND
#: Nobody takes time more exactly.
TENTH: Final = SECOND // 10
#: How long people take, in tenths of them, from and to: to sit down, to look at the felt, from one chip to the next.
SITTING: Final = (1, 20)
LOOKING: Final = (10, 60)
MOVING: Final = (8, 22)
#: Less than a terminal may usually be dark before that counts as a malfunction.
AWAY: Final = (20, 40)
#: From a line that was lost to the next.
RETURNING: Final = (20, 60)
_LOG = structlog.get_logger()


class Bot:
    """Somebody at a terminal who is not there."""

    def __init__(self, name: str, terminal: TerminalClient, strategy: Strategy, chance: Random) -> None:
        self.name, self.terminal, self.strategy, self._chance = name, terminal, strategy, chance
        self._time = terminal.time
        #: The last spin at each table that was looked at, whether it was bet on or not.
        self._seen: dict[TableId, tuple[int, int]] = {}

    async def play(self) -> None:
        """Play until the seat is somebody else's; come back where the line is lost."""
        await self._pause(SITTING)
        while True:
            try:
                await self._play_on(await self.terminal.enter())
            except ConnectionLostError as lost:
                _LOG.debug("player_lost_line", player=self.name, terminal=self.terminal.name, code=lost.code)
                if lost.code in FOR_GOOD:
                    return
            await self._pause(RETURNING)

    async def _play_on(self, felt: FeltSpec) -> None:
        while True:
            await self.terminal.until(lambda: self._opened() is not None)
            state = self._opened()
            assert state is not None
            self._seen[TableId(state.table)] = state.round, state.spin
            await self._pause(LOOKING)
            await self._take(BotRound.at(state, self.terminal.client_state, felt, self._chance))

    def _opened(self) -> TableState | None:
        """Find a table at which a spin may be bet on that was not looked at yet."""
        client_state = self.terminal.client_state
        fresh = (
            state for name, state in client_state.tables.items() if self._seen.get(name) != (state.round, state.spin)
        )
        return next((state for state in fresh if self._may_bet(state, BEGIN_LEFT)), None)

    def _may_bet(self, state: TableState, left: int) -> bool:
        client_state = self.terminal.client_state
        in_time = state.closes_at is None or state.closes_at - self._time.now() >= left
        return (
            state.phase in OPEN and in_time and not state.closed and client_state.in_service and not client_state.held
        )

    async def _take(self, turn: BotRound) -> None:
        """Do one thing after the other, for as long as the spin can be bet on."""
        actions, filled = self.strategy.actions(turn), False
        while self._is_on(turn):
            action = next(actions, None)
            if action is None and not filled:
                actions, filled = turn.fill_up(), True
            elif action is None:
                return
            else:
                await self._do(action)
                await self._pause(MOVING)

    def _is_on(self, turn: BotRound) -> bool:
        state = self.terminal.client_state.tables[turn.table]
        return (state.round, state.spin) == (turn.round, turn.spin) and self._may_bet(state, HAND_LEFT)

    async def _do(self, action: Deed) -> None:
        """Do something; a refusal is taken as it is."""
        terminal = self.terminal
        if isinstance(action, DropConnection):
            terminal.hang_up()
            await self._pause(AWAY)
            await terminal.enter()
        elif isinstance(action, Practise):
            terminal.say(Practice())
        else:
            code = await terminal.ask(action)
            _LOG.debug(
                "player_asked", player=self.name, terminal=terminal.name, action=type(action).__name__, code=code
            )
        while terminal.client_state.printing:
            await terminal.ask(ConfirmPrint(terminal.name, Number(terminal.client_state.printing.pop().sequence)))

    async def _pause(self, span: tuple[int, int]) -> None:
        """Let some time pass by the house's clock."""
        over = asyncio.Event()
        alarm = self._time.at(Instant(self._time.now() + self._chance.randint(*span) * TENTH), over.set)
        try:
            await over.wait()
        finally:
            alarm.cancel()
