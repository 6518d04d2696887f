"""Demo bots at a real server whose clock is moved by hand."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.resources import files
from pathlib import Path
from random import Random
from typing import Final

from croupier.cli.demo_bots import DemoBots
from croupier.client.bots import Bot
from croupier.house import House
from tests.support.connections import TestHouse, open_house, until

#: The demonstration, on any free port.
DEMO: Final = "listen.port = 0\n" + files("croupier.config").joinpath("demo.toml").read_text("utf-8")
#: One table with a few terminals.
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


class BotRun:
    """A server and its bots."""

    def __init__(self, server: TestHouse, demo: DemoBots) -> None:
        self.server, self.demo = server, demo

    @property
    def house(self) -> House:
        return self.server.venue.run.house

    @property
    def bots(self) -> list[Bot]:
        return self.demo.bots

    @property
    def terminals(self) -> list[str]:
        return [str(bot.client.terminal) for bot in self.bots]

    async def pass_s(self, seconds: int) -> None:
        """Let time pass by tenths of a second, and no faster than the bots get their responses."""
        for _ in range(10 * seconds):
            await self.server.pass_s(0.1)
            await until(lambda: not any(bot.client.is_waiting for bot in self.bots))
            await self.server.rest()

    async def all_connected(self) -> None:
        """Let every bot connect."""
        await self.pass_s(3)
        assert all(bot.client.is_connected for bot in self.bots)


@asynccontextmanager
async def bot_run(folder: Path, text: str = SMALL, count: int | None = None, seed: int = 1) -> AsyncIterator[BotRun]:
    """Start a server with demo bots, and stop both cleanly."""
    async with open_house(folder, text) as house:
        demo = DemoBots.start(house.venue, count, Random(seed))  # noqa: S311 - it must be the same every time
        yield BotRun(house, demo)
        demo.cancel()
    await demo.close()
