"""Patrons: players who bet, take back, put in notes and collect without a pause, for as long as the line is up."""

import asyncio
from random import Random
from typing import Final

from tests.wireclient import OPEN, Page

#: Spots that every layout has, of all prices.
SPOTS: Final = ("0", "7", "17", "32", "17/20", "1/2/3", "25/26/28/29", "31/32/33/34/35/36", "dozen 2", "red", "even")
STAKES: Final = (100, 200, 400)
NOTES: Final = (500, 1_000, 2_000)
#: As many are under way at once as a house remembers the answers of, and a few less.
BURST_MAX: Final = 10
#: With less than this on the meter more play money is asked for.
LITTLE: Final = 20_000


class Patron:
    """Somebody at a terminal who never sits still. What is asked for is refused now and then, as it should be."""

    def __init__(self, page: Page, chance: Random) -> None:
        self.page, self._chance = page, chance
        self._confirmed = 0

    async def play(self) -> None:
        """Play until the line is down."""
        page, chance = self.page, self._chance
        await page.quiet()
        while page.is_up:
            if page.credit < LITTLE:
                page.say(t="practice")
            for _ in range(chance.randint(1, BURST_MAX) if self._open else 1):
                self._act()
            await page.quiet()
            # Somebody looks at the felt for a moment.
            await asyncio.sleep(chance.uniform(0.005, 0.08))
        await page.down()

    @property
    def _open(self) -> list[str]:
        """The games whose betting is open, as far as the page was told."""
        return [name for name in self.page.names if self.page.tables[name]["phase"] in OPEN]

    def _act(self) -> None:
        page, chance = self.page, self._chance
        if self._confirmed < len(page.slips):
            self._confirmed += 1
            page.ask("ConfirmPrint", sequence=page.slips[self._confirmed - 1]["sequence"])
        elif chance.random() < 0.01:
            page.wish("cash_out")
        elif chance.random() < 0.03:
            page.wish("note", value=chance.choice(NOTES))
        else:
            self._bet()

    def _bet(self) -> None:
        """Do something with the chips of a game: nearly always of one that is open."""
        page, chance = self.page, self._chance
        name = chance.choice(self._open or page.names)
        state, lying = page.tables[name], list(page.chips[name])
        game = {"table": name, "round": state["round"], "spin": state["spin"]}
        match chance.randint(1, 12):
            case 1:
                page.ask("ClearBets", **game)
            case 2:
                page.ask("UndoBet", **game)
            case 3:
                page.ask("RepeatBets", **game)
            case 4 | 5 if lying:
                page.ask("RemoveBets", **game, spots=[chance.choice(lying)])
            case 6 if lying:
                page.ask("MoveBet", **game, source=chance.choice(lying), target=chance.choice(SPOTS))
            case _:
                bets = [[chance.choice(SPOTS), chance.choice(STAKES)] for _ in range(chance.randint(1, 3))]
                page.ask("PlaceBets", **game, bets=bets)
