"""A troupe: simulated players in a real house whose clock is moved by hand."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.resources import files
from pathlib import Path
from random import Random
from typing import Final

from croupier.cli.bots import DemoBots
from croupier.client.bots import Bot
from croupier.house.state import House
from tests.connections import TestHouse, open_house, until

#: The demonstration as it comes, on whichever port is free.
DEMO: Final = "listen.port = 0\n" + files("croupier.config").joinpath("demo.toml").read_text("utf-8")
#: One table with a few seats, for those who only come and go.
SMALL: Final = """
venue = "Small house"
data = "data"
listen.port = 0
[[tables]]
id = "A"
rulebook = "marina-bay-sands-2020"
seats = 4
wheel = "random"
betting_s = 25
spin_s = 9
pause_s = 6
minimum = 5
maximum = 500
seat.denominations = [1]
seat.chips = [5, 10]
"""


class Troupe:
    """A house and its players."""

    def __init__(self, open_: TestHouse, director: DemoBots) -> None:
        self.open, self.director = open_, director

    @property
    def house(self) -> House:
        return self.open.venue.run.house

    @property
    def players(self) -> list[Bot]:
        return self.director.players

    @property
    def seats(self) -> list[str]:
        return [str(player.terminal.name) for player in self.players]

    async def pass_s(self, seconds: int) -> None:
        """Let time pass by tenths of a second, as the players take it, and no faster than they are answered."""
        for _ in range(10 * seconds):
            await self.open.pass_s(0.1)
            await until(lambda: not any(player.terminal.is_waiting for player in self.players))
            await self.open.rest()

    async def all_in(self) -> None:
        """Let everybody sit down."""
        await self.pass_s(3)
        assert all(player.terminal.is_up for player in self.players)


@asynccontextmanager
async def troupe(folder: Path, text: str = SMALL, wanted: int | None = None, seed: int = 1) -> AsyncIterator[Troupe]:
    """Open a house with simulated players in it, and end both in good order."""
    async with open_house(folder, text) as house:
        director = DemoBots.engaged(house.venue, wanted, Random(seed))  # noqa: S311 - it must be the same every time
        yield Troupe(house, director)
        director.hush()
    await director.close()
