"""An honest player in a fuzzed house, on a real socket: what others do must not touch what this one is told."""

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from croupier.house import decide
from croupier.house.ids import Context, DeviceId, TableId, TerminalId
from croupier.house.play.betting import PlaceBets
from croupier.house.state.tables import Phase
from croupier.rules.refusal import Refusal
from croupier.server.views.seat import seat_state
from tests.support.connections import LONG_S, Client, Said, TestHouse, refused_in
from tests.support.fuzz.watch import Seen

TABLE, SEAT, STAKE = TableId("A"), TerminalId("A-1"), 100


class Honest:
    """A player who bets now and then, and verifies every frame with the record."""

    def __init__(self, house: TestHouse, client: Client) -> None:
        self.house, self.client = house, client
        self.shown: dict[str, Any] = client.snap["seat"]
        self.version: int = client.snap["v"]
        self.tables: dict[str, int] = {state["table"]: version for version, state in client.snap["tables"]}
        self.last_cmd: int = client.snap["last_cmd"]
        self.bets = self.number = 0
        self.refused: set[int] = set()

    def requested(self, seen: Seen) -> bool:
        """Tell whether this player has asked for something."""
        return seen.context.device == DeviceId(SEAT) and isinstance(seen.command, PlaceBets)

    async def bet(self) -> list[str]:
        """Bet where betting is open; say what is odd about the answer."""
        table = self.house.venue.run.house.tables[TABLE]
        if table.phase is not Phase.OPEN:
            return []
        state = self.house.venue.run.house
        command = PlaceBets(SEAT, TABLE, table.rounds, table.playing.spin.number, (("red", STAKE),))
        expected = decide(state, command, Context(self.house.time.now(), DeviceId(SEAT)))
        credit, staked = state.terminals[SEAT].credit, state.terminals[SEAT].games[TABLE].staked
        self.number = self.client.bet("red", STAKE, table.rounds, spin=table.playing.spin.number)
        odd = await self._listen(lambda: self.last_cmd >= self.number)
        after = state.terminals[SEAT]
        moved = (credit - after.credit, after.games[TABLE].staked - staked)
        if moved != ((0, 0) if isinstance(expected, Refusal) else (STAKE, STAKE)):
            odd.append(f"an honest bet of {STAKE} moved {moved}")
        if isinstance(expected, Refusal) != (self.number in self.refused):
            odd.append(f"an honest bet was answered otherwise than with {expected}")
        self.bets += not isinstance(expected, Refusal)
        return odd

    async def _listen(self, until: Callable[[], bool]) -> list[str]:
        """Take what this player is told up to a certain point; say what is odd about it."""
        await self.client.ping()
        odd = [odd for said in self.client.drain() for odd in self._odd(said)]
        while not until():
            odd += self._odd(await asyncio.wait_for(self.client.incoming.get(), LONG_S))
        return odd

    async def oddities(self) -> list[str]:
        """Say what is odd about what this player was told since the last time."""
        return [*await self._listen(lambda: True), *self._differs()]

    async def begin_anew(self) -> list[str]:
        """Ask for everything once more, and go on from there."""
        odd = await self.oddities()
        self.client.say("resync")
        await self.client.admitted()
        self.shown, self.version = self.client.snap["seat"], self.client.snap["v"]
        return odd

    def _odd(self, said: Said) -> Iterator[str]:
        match said["t"]:
            case "table":
                name = said["state"]["table"]
                if said["tv"] <= self.tables[name]:
                    yield f"a table went back: {said}"
                self.tables[name] = said["tv"]
            case "seat":
                if said["v"] != self.version + 1 or refused_in(said).keys() - {self.number}:
                    yield f"after {self.version} an honest player was told {said}"
                self._take(said)
            case _:
                yield f"an honest player was told {said}"

    def _take(self, said: Said) -> None:
        """Put a delta on what is shown."""
        self.version, self.last_cmd = said["v"], said["last_cmd"]
        self.refused |= refused_in(said).keys()
        change = dict(said["set"])
        for table, game in change.pop("games", {}).items():
            shown = self.shown["games"][table]
            for spot, stake in game.pop("stakes", {}).items():
                shown["bets"][spot] = stake
            shown["bets"] = {spot: stake for spot, stake in shown["bets"].items() if stake}
            shown.update(game)
        self.shown.update(change)

    def _differs(self) -> Iterator[str]:
        record = msgspec.json.decode(msgspec.json.encode(seat_state(self.house.venue.run.house, SEAT, limits=True)))
        if record != self.shown:
            yield f"an honest player is shown {self.shown}, and the record has {record}"


async def seated(house: TestHouse, key: str) -> Honest:
    """Sit an honest player down, with some play money."""
    client = await house.client()
    await client.return_(SEAT, key)
    client.say("practice")
    await client.hear("seat", lambda said: said["set"].get("credit") == 100_000)
    client.say("resync")
    await client.admitted()
    return Honest(house, client)
