"""A house behind two gateways: its process, a gateway's, or both are killed over and over while its terminals play."""

import asyncio
from pathlib import Path
from random import Random
from signal import SIGKILL, SIGTERM, Signals
from time import monotonic
from typing import Final

from croupier.client.connection import ConnectionLostError
from croupier.server.gateways.keys import GatewayKeys, write_key
from tests.support.broker import broker
from tests.support.connections import LONG_S
from tests.support.kill_run import PLAY_S, STARTING, STOPPING, ContinuousPlayer, KillRun, Moment
from tests.support.serving import Ended, Serving, ServingGateway, Starts

GATEWAYS: Final = ("left", "right")
HOUSE: Final = "house"


class GatewayRun(KillRun):
    """One house, two gateways, and terminals that come back to whichever gateway is there."""

    def __init__(self, folder: Path, starts: Starts, chance: Random) -> None:
        super().__init__(folder, starts, chance)
        self._folder, self._chance = folder, chance
        with self._config.open("a", encoding="utf-8") as file:
            file.write(f'\n[gateways]\nbrokers = ["{broker()}"]\n')
        self._running: dict[str, Serving] = {}
        self._ports: dict[str, int] = {}
        self._over = False
        self._epoch = 0

    async def play(self, moments: list[Moment]) -> Ended:
        """Play through all kills, of the house, of a gateway, or of both, and stop in good order."""
        await self._start_house()
        keys = GatewayKeys(self._folder / "data.keys")
        for name in GATEWAYS:
            content = keys.enrol(name, local=True)
            assert isinstance(content, bytes)
            write_key(self._folder / f"{name}.json", content)
            await self._start_gateway(name)
        playing = asyncio.gather(*map(self._keep_playing, self._players))
        await self._all_back(monotonic())
        for moment in moments:
            gateway = self._chance.choice(GATEWAYS)
            names = self._chance.choice(((HOUSE,), (gateway,), (HOUSE, gateway)))
            await self._kill(names, moment)
            self.killed.append(f"{' and '.join(names)}, {moment.name}")
        await asyncio.sleep(PLAY_S)
        self._over = True
        house = self._running[HOUSE]
        house.signal(SIGTERM)
        ended = await asyncio.to_thread(house.ended)
        for name in GATEWAYS:
            stopped = await asyncio.to_thread(self._running[name].stopped)
            assert stopped.code == 0, stopped
        await asyncio.wait_for(playing, LONG_S)
        return ended

    async def _kill(self, names: tuple[str, ...], moment: Moment) -> None:
        """Kill one or two processes at a moment, start them again, and wait until everybody is back."""
        victims = tuple(self._running[name] for name in names)
        if moment.is_it is not None:
            self._victims, self._moment, self._times = victims, moment, moment.times
        else:
            if moment.name == STOPPING:
                _signal(victims, SIGTERM)
            await asyncio.sleep(moment.after_s)
            _signal(victims, SIGKILL)
        for victim in victims:
            ended = await asyncio.to_thread(victim.ended)
            assert ended.code == -SIGKILL or (ended.code == 0 and moment.name == STOPPING), ended
        begin = monotonic()
        for name in names:
            if moment.name == STARTING:
                await self._kill_at_start(name, moment)
            await (self._start_house() if name == HOUSE else self._start_gateway(name))
        await self._all_back(begin)

    async def _kill_at_start(self, name: str, moment: Moment) -> None:
        started = self._process(name)
        await asyncio.sleep(moment.after_s / 4)
        await asyncio.to_thread(started.stopped, SIGKILL)

    def _process(self, name: str) -> Serving:
        if name == HOUSE:
            return self._starts(self._config)
        return self._starts(broker(), self._folder / f"{name}.json", kind=ServingGateway, port=self._ports.get(name, 0))

    async def _start_house(self) -> None:
        self._running[HOUSE] = serving = self._process(HOUSE)
        assert await asyncio.to_thread(serving.opened), serving.ended()
        self._epoch = await asyncio.to_thread(lambda: int(serving.health()["epoch"]))

    async def _start_gateway(self, name: str) -> None:
        self._running[name] = serving = self._process(name)
        assert await asyncio.to_thread(serving.opened), serving.ended()
        self._ports[name] = serving.port

    async def _all_back(self, begin: float) -> None:
        opened = monotonic()
        async with asyncio.timeout(LONG_S):
            while not all(page.is_up and page.is_shown and page.epoch == self._epoch for page in self.pages):  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        self.starts_s.append((opened - begin, monotonic() - begin))

    async def _keep_playing(self, player: ContinuousPlayer) -> None:
        """Play, and come back to either gateway whenever the line is down."""
        while not self._over:
            port = self._ports[self._chance.choice(GATEWAYS)]
            try:
                await player.page.enter(port)
            except ConnectionLostError:
                await asyncio.sleep(0.05)
                continue
            await player.play()


def _signal(victims: tuple[Serving, ...], number: Signals) -> None:
    for victim in victims:
        victim.signal(number)
