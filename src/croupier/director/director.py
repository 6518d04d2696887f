"""The director of a demonstration: engages simulated players, hears of those who fail, and sends all home."""

import asyncio
from collections.abc import Iterator
from functools import partial
from random import Random
from typing import Final, Self

import structlog

from croupier.access.fault import AccessFault
from croupier.assembly import Venue
from croupier.config.shape import Config
from croupier.director.entrance import Entrance
from croupier.director.player import Player
from croupier.director.roster import seated
from croupier.director.temperament import CAST
from croupier.director.terminal import Terminal
from croupier.house.answer import refuse
from croupier.house.name import TerminalId
from croupier.house.settings import Mode
from croupier.rules.refusal import Code, Refusal

#: How many players come to each table where nobody says how many.
LIVELY: Final = 3
_LOG = structlog.get_logger()


def money_objection(config: Config) -> Refusal | None:
    """Object to simulated players where the money is real."""
    if config.mode is Mode.DEMO:
        return None
    says = "Simulated players play for play money alone: this venue is for real money, and `croupier serve` opens it."
    return refuse(Code.DEMO_ONLY, None, says, mode=config.mode)


class Director:
    """The players of one house that is open."""

    def __init__(self, venue: Venue, chance: Random) -> None:
        assert venue.config.mode is Mode.DEMO
        self._venue, self._chance, self._entrance = venue, chance, Entrance.of(venue)
        self.players: list[Player] = []
        #: How many somebody has asked for.
        self.asked_for = 0
        self._tasks: set[asyncio.Task[None]] = set()

    @classmethod
    def engaged(cls, venue: Venue, wanted: int | None = None, chance: Random | None = None) -> Self:
        """Have players come to a house that is open; none, where no seat can be given to anybody."""
        director = cls(venue, chance or Random())  # noqa: S311 - no number of a wheel comes of it
        director.asked_for, lively = wanted or 0, LIVELY * len(venue.run.house.tables)
        try:
            keys = seated(
                venue.run.house, venue.reception.register, venue.config.safe, lively if wanted is None else wanted
            )
        except AccessFault as fault:
            _LOG.error("no_players", words=str(fault))
            keys = {}
        for number, (seat, key) in enumerate(keys.items()):
            director.seat(number, seat, key)
        return director

    def seat(self, number: int, seat: TerminalId, key: str) -> None:
        """Have the next player come to a seat."""
        terminal = Terminal(seat, key, self._entrance, self._venue.hub.time)
        chance = Random(self._chance.getrandbits(64))  # noqa: S311 - no number of a wheel comes of it
        player = Player(f"Player {number + 1}", terminal, CAST[number % len(CAST)](), chance)
        self.players.append(player)
        task = asyncio.get_running_loop().create_task(player.play())
        self._tasks.add(task)
        task.add_done_callback(partial(self._gone, player))

    def words(self) -> Iterator[str]:
        """Say who is there, and where more were asked for, why they are not."""
        names = ", ".join(f"{player.name} at {player.terminal.name}" for player in self.players)
        yield f"Simulated players, for play money alone: {names or 'none'}."
        if len(self.players) < self.asked_for:
            yield f"That is {len(self.players)} of {self.asked_for}: a seat is left free at every table."

    def hush(self) -> None:
        """Have nobody ask for anything any more; their lines end with the house's doors."""
        for task in self._tasks:
            task.cancel()

    async def close(self) -> None:
        """Send everybody home."""
        self.hush()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for player in self.players:
            player.terminal.hang_up()

    def _gone(self, player: Player, task: "asyncio.Task[None]") -> None:
        """Hear that a player has stopped; one who fails takes nobody along."""
        self._tasks.discard(task)
        if task.cancelled():
            return
        player.terminal.hang_up()
        error = task.exception()
        if error is None:
            _LOG.info("player_left", player=player.name, terminal=player.terminal.name)
        else:
            facts = {"player": player.name, "terminal": player.terminal.name}
            _LOG.error("player_failed", **facts, error=type(error).__name__, words=str(error))
