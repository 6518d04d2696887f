"""Kill run: a server process killed repeatedly at different moments while its terminals play."""

import asyncio
import os
from collections.abc import Callable
from pathlib import Path
from random import Random
from signal import SIGKILL, SIGTERM
from time import monotonic
from typing import Final, NamedTuple

from tests.support.connections import LONG_S
from tests.support.serving import Ended, Serving, Starts
from tests.support.wire.client import OPEN, Page, Said

#: Spots that every layout has, of all prices.
SPOTS: Final = ("0", "7", "17", "32", "17/20", "1/2/3", "25/26/28/29", "31/32/33/34/35/36", "dozen 2", "red", "even")
STAKES: Final = (100, 200, 400)
NOTES: Final = (500, 1_000, 2_000)
#: As many are under way at once as a house remembers the answers of, and a few less.
BURST_MAX: Final = 10
#: With less than this on the meter more play money is asked for.
LITTLE: Final = 20_000
#: One table for each rulebook and a second at Clearwater, with timers as short as they may be.
HOUSE: Final = """
venue = "Killed house"
data = "data"
log.path = "log"
limits = { commands_per_s = 1_000, commands_burst = 1_000 }

[[tables]]
id = "M"
rulebook = "marina-bay-sands-2020"
seats = 3
wheel = "random"
betting_s = 1
spin_s = 1
pause_s = 1
minimum = 1
maximum = 100

[[tables]]
id = "A"
rulebook = "skycity-adelaide-2003"
seats = 3
wheel = "random"
betting_s = 2
warning_s = 1
spin_s = 1
pause_s = 1
offline_grace_s = 900
minimum = 1
maximum = 100

[[tables]]
id = "C"
rulebook = "clearwater-etg"
wheel = "random"
betting_s = 2
launch_to_close_s = 1
spin_s = 2
pause_s = 1
minimum = 2
maximum = 100

[[tables]]
id = "D"
rulebook = "clearwater-etg"
wheel = "random"
betting_s = 3
launch_to_close_s = 1
spin_s = 2
pause_s = 1
minimum = 1
maximum = 100

[[tables]]
id = "U"
rulebook = "us-double-zero"
seats = 3
wheel = "random"
betting_s = {us_betting_s}
spin_s = 1
pause_s = 1

[[terminals]]
id = "C-1"
tables = ["C", "D"]
[[terminals]]
id = "C-2"
tables = ["C", "D"]
[[terminals]]
id = "C-3"
tables = ["D", "C"]
"""
SEATS: Final = (
    *((f"{table}-{number}", (table,)) for table in "MAU" for number in (1, 2, 3)),
    *((f"C-{number}", tables) for number, tables in enumerate((("C", "D"), ("C", "D"), ("D", "C")), 1)),
)
#: From one opening to the next, about; and how long there is play before a stop.
ROUND_S: Final = 5
PLAY_S: Final = 0.5
STARTING: Final = "starting"
STOPPING: Final = "stopping"


class Moment(NamedTuple):
    """When to kill: upon the so-manieth sight of something, or after some time."""

    name: str
    after_s: float = 0
    is_it: Callable[[Said], bool] | None = None
    times: int = 1


def moments(chance: Random, kills: int) -> list[Moment]:
    """Plan when to kill: in the steps of a round, amid a burst, while it starts or stops, and at any time."""
    chosen = [
        Moment("any", after_s=chance.uniform(0, ROUND_S)),
        Moment("any", after_s=chance.uniform(0, ROUND_S)),
        Moment(STARTING, after_s=chance.uniform(0, 2)),
        Moment(STOPPING, after_s=chance.uniform(0, 0.05)),
        Moment("warned", is_it=_is_phase("last_call")),
        Moment("closed", is_it=_is_phase("closed")),
        Moment("running", is_it=_is_phase(chance.choice(("running", "open_running")))),
        Moment("result", is_it=_is_result),
        Moment("asked", is_it=_is("ask"), times=chance.randint(1, 800)),
        Moment("told", is_it=_is("seat"), times=chance.randint(1, 400)),
    ]
    chance.shuffle(chosen)
    return [chosen[number % len(chosen)] for number in range(kills)]


def _is(kind: str) -> Callable[[Said], bool]:
    return lambda said: said["t"] == kind


def _is_phase(phase: str) -> Callable[[Said], bool]:
    return lambda said: said["t"] == "table" and said["state"]["phase"] == phase


def _is_result(said: Said) -> bool:
    return said["t"] == "table" and said["state"].get("pocket") is not None


class KillRun:
    """One house, its terminals, and everything that they received until it was stopped in good order."""

    def __init__(self, folder: Path, starts: Starts, chance: Random) -> None:
        self._starts = starts
        self._config = folder / "croupier.toml"
        self._config.write_text(HOUSE.replace("{us_betting_s}", str(chance.choice((2, 6)))), "utf-8")
        self.pages = [Page(device, tables, self._witness) for device, tables in SEATS]
        self._players = [ContinuousPlayer(page, Random(chance.random())) for page in self.pages]  # noqa: S311 - to be had again
        self._chance = chance
        #: At what it was killed, and how many snapshot processes were killed beside it.
        self.killed: list[str] = []
        self.followers_killed = 0
        #: How long each start took: until it was open, and until everybody was back.
        self.starts_s: list[tuple[float, float]] = []
        #: Whom to kill, at what, and how often that is still to be seen before.
        self._victims: tuple[Serving, ...] = ()
        self._moment = Moment("")
        self._times = 0

    async def play(self, moments: list[Moment]) -> Ended:
        """Play through all kills, and stop in good order."""
        for moment in moments:
            ended = await (self._kill_starting(moment) if moment.name == STARTING else self._kill_playing(moment))
            self.killed.append(moment.name)
            assert ended.code == -SIGKILL or (ended.code == 0 and moment.name == STOPPING), ended
        serving, playing = await self._open()
        await asyncio.sleep(PLAY_S)
        serving.signal(SIGTERM)
        return await _ended(serving, playing)

    async def _kill_starting(self, moment: Moment) -> Ended:
        serving = self._starts(self._config)
        await asyncio.sleep(moment.after_s)
        return await asyncio.to_thread(serving.stopped, SIGKILL)

    async def _kill_playing(self, moment: Moment) -> Ended:
        serving, playing = await self._open()
        if moment.is_it is not None:
            self._victims, self._moment, self._times = (serving,), moment, moment.times
            return await _ended(serving, playing)
        if moment.name == STOPPING:
            await asyncio.sleep(PLAY_S)
            serving.signal(SIGTERM)
        await asyncio.sleep(moment.after_s)
        serving.signal(SIGKILL)
        return await _ended(serving, playing)

    async def _open(self) -> "tuple[Serving, asyncio.Future[list[None]]]":
        """Start the process, have everybody come back at once, and begin to play."""
        begin = monotonic()
        serving = self._starts(self._config)
        assert await asyncio.to_thread(serving.opened), serving.ended()
        opened = monotonic()
        await asyncio.gather(*(page.enter(serving.port) for page in self.pages))
        self.starts_s.append((opened - begin, monotonic() - begin))
        self.kill_follower_soon(serving.pid)
        return serving, asyncio.gather(*(player.play() for player in self._players))

    def kill_follower_soon(self, server: int) -> None:
        """Kill the snapshot process of a server, at random in the time in which there is play."""
        asyncio.get_running_loop().call_later(self._chance.uniform(0, PLAY_S), self._kill_follower, server)

    def _kill_follower(self, server: int) -> None:
        """Kill the snapshot process of a server, if it runs; the server starts another."""
        for children in Path(f"/proc/{server}/task").glob("*/children"):
            for pid in map(int, children.read_text("ascii").split()):
                self.followers_killed += 1
                os.kill(pid, SIGKILL)

    def _witness(self, _page: Page, said: Said) -> None:
        """Kill at the very message that was waited for."""
        if not self._victims or self._moment.is_it is None or not self._moment.is_it(said):
            return
        self._times -= 1
        if self._times == 0:
            for victim in self._victims:
                victim.signal(SIGKILL)
            self._victims = ()


class ContinuousPlayer:
    """A player at a terminal who sends commands without a pause until the connection is down; some are refused."""

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


async def _ended(serving: Serving, playing: "asyncio.Future[list[None]]") -> Ended:
    """Wait until the process is gone, and everybody has heard the last of it."""
    await asyncio.wait_for(playing, LONG_S)
    return await asyncio.to_thread(serving.ended)
