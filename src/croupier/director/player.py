"""A simulated player: sits at a terminal, waits for bets to open, and plays at a human pace until told to stop."""

import asyncio
from random import Random
from typing import Final

import structlog

from croupier.director.deed import Deed, LoseLine, Practise
from croupier.director.line import LineLostError
from croupier.director.temperament import Temperament
from croupier.director.terminal import Terminal
from croupier.director.turn import Turn
from croupier.house.command.credit import ConfirmPrint
from croupier.house.name import SECOND, Instant, Number, TableId
from croupier.house.table import Phase
from croupier.rules.refusal import Code
from croupier.web.cloth import Cloth
from croupier.web.incoming import Practice
from croupier.web.outgoing import TableState

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


class Player:
    """Somebody at a terminal who is not there."""

    def __init__(self, name: str, terminal: Terminal, temperament: Temperament, chance: Random) -> None:
        self.name, self.terminal, self.temperament, self._chance = name, terminal, temperament, chance
        self._time = terminal.time
        #: The last spin at each table that was looked at, whether it was bet on or not.
        self._seen: dict[TableId, tuple[int, int]] = {}

    async def play(self) -> None:
        """Play until the seat is somebody else's; come back where the line is lost."""
        await self._pause(SITTING)
        while True:
            try:
                await self._play_on(await self.terminal.enter())
            except LineLostError as lost:
                _LOG.debug("player_lost_line", player=self.name, terminal=self.terminal.name, code=lost.code)
                if lost.code in FOR_GOOD:
                    return
            await self._pause(RETURNING)

    async def _play_on(self, felt: Cloth) -> None:
        while True:
            await self.terminal.until(lambda: self._opened() is not None)
            state = self._opened()
            assert state is not None
            self._seen[TableId(state.table)] = state.round, state.spin
            await self._pause(LOOKING)
            await self._take(Turn.at(state, self.terminal.sight, felt, self._chance))

    def _opened(self) -> TableState | None:
        """Find a table at which a spin may be bet on that was not looked at yet."""
        sight = self.terminal.sight
        fresh = (state for name, state in sight.tables.items() if self._seen.get(name) != (state.round, state.spin))
        return next((state for state in fresh if self._may_bet(state, BEGIN_LEFT)), None)

    def _may_bet(self, state: TableState, left: int) -> bool:
        sight = self.terminal.sight
        in_time = state.closes_at is None or state.closes_at - self._time.now() >= left
        return state.phase in OPEN and in_time and not state.closed and sight.in_service and not sight.held

    async def _take(self, turn: Turn) -> None:
        """Do one thing after the other, for as long as the spin can be bet on."""
        deeds, filled = self.temperament.deeds(turn), False
        while self._is_on(turn):
            deed = next(deeds, None)
            if deed is None and not filled:
                deeds, filled = turn.fill_up(), True
            elif deed is None:
                return
            else:
                await self._do(deed)
                await self._pause(MOVING)

    def _is_on(self, turn: Turn) -> bool:
        state = self.terminal.sight.tables[turn.table]
        return (state.round, state.spin) == (turn.round, turn.spin) and self._may_bet(state, HAND_LEFT)

    async def _do(self, deed: Deed) -> None:
        """Do something; a refusal is taken as it is."""
        terminal = self.terminal
        if isinstance(deed, LoseLine):
            terminal.hang_up()
            await self._pause(AWAY)
            await terminal.enter()
        elif isinstance(deed, Practise):
            terminal.say(Practice())
        else:
            code = await terminal.ask(deed)
            _LOG.debug("player_asked", player=self.name, terminal=terminal.name, deed=type(deed).__name__, code=code)
        while terminal.sight.printing:
            await terminal.ask(ConfirmPrint(terminal.name, Number(terminal.sight.printing.pop().sequence)))

    async def _pause(self, span: tuple[int, int]) -> None:
        """Let some time pass by the house's clock."""
        over = asyncio.Event()
        alarm = self._time.at(Instant(self._time.now() + self._chance.randint(*span) * TENTH), over.set)
        try:
            await over.wait()
        finally:
            alarm.cancel()
