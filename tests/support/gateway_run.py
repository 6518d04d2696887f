"""A house behind two gateways: house, gateways and broker are killed, and one is cut off, while its terminals play."""

import asyncio
from itertools import cycle
from pathlib import Path
from random import Random
from signal import SIGKILL, SIGTERM, Signals
from time import monotonic
from typing import Final
from urllib.error import HTTPError

from croupier.client.connection import ConnectionLostError
from croupier.server.gateways.keys import GatewayKeys, write_key
from tests.support.broker import BrokerProcess
from tests.support.browser.proxy import Proxy
from tests.support.connections import LONG_S
from tests.support.database import new_venue
from tests.support.kill_run import PLAY_S, STARTING, STOPPING, ContinuousPlayer, KillRun, Moment
from tests.support.serving import Ended, Serving, ServingGateway, Starts
from tests.support.wire.client import Page

GATEWAYS: Final = ("left", "right")
HOUSE: Final = "house"
BROKER: Final = "broker"
#: The first gateway cannot reach the broker, though the line stays up.
PARTITION: Final = "partition"
#: What is killed or cut off: the house, a gateway, both at once, the broker, and the line of a gateway.
GATEWAY: Final = "gateway"
VICTIMS: Final = ((HOUSE,), (GATEWAY,), (HOUSE, GATEWAY), (BROKER,), (PARTITION,))
HOSTS: Final = ("one", "two")


class GatewayRun(KillRun):
    """One house, two gateways, and terminals that come back to whichever gateway is there."""

    def __init__(self, folder: Path, starts: Starts, chance: Random) -> None:
        super().__init__(folder, starts, chance)
        self._folder, self._chance = folder, chance
        self.broker = process = BrokerProcess()
        #: Between the first gateway and the broker.
        self._proxy = Proxy(process.port)
        with self._config.open("a", encoding="utf-8") as file:
            file.write(f'\n[gateways]\nbrokers = ["{process.address}"]\n')
        self._running: dict[str, Serving] = {}
        self._ports: dict[str, int] = {}
        self._over = False
        self._epoch = 0

    @property
    def data(self) -> Path:
        """The data directory of the house."""
        return self._folder / "data"

    async def play(self, moments: list[Moment]) -> Ended:
        """Play through all kills, each kind in turn, and stop in good order."""
        await self._proxy.open()
        await self._start_house()
        keys = GatewayKeys(self._folder / "data.keys")
        for name in GATEWAYS:
            content = keys.enrol(name, local=True)
            assert isinstance(content, bytes)
            write_key(self._folder / f"{name}.json", content)
            await self._start_gateway(name)
        playing = asyncio.gather(*map(self._keep_playing, self._players))
        await self._all_play()
        turns = self._chance.sample(VICTIMS, len(VICTIMS))
        for moment, victims in zip(moments, cycle(turns)):
            gateway = self._chance.choice(GATEWAYS)
            names = tuple(gateway if each == GATEWAY else each for each in victims)
            if names == (BROKER,):
                await self._kill_broker(moment)
            elif names == (PARTITION,):
                await self._cut_off(moment)
            else:
                await self._kill(names, moment)
            self.killed.append(f"{' and '.join(names)}, {moment.name}")
        await asyncio.sleep(PLAY_S)
        self._over = True
        await self._stop_standby()
        house = self._running[HOUSE]
        house.signal(SIGTERM)
        ended = await asyncio.to_thread(house.ended)
        for name in GATEWAYS:
            # Then it has passed on all that the house has answered before.
            async with asyncio.timeout(LONG_S):
                while await asyncio.to_thread(_is_linked, self._running[name]):
                    pass
            stopped = await asyncio.to_thread(self._running[name].stopped)
            assert stopped.code == 0, stopped
        await asyncio.wait_for(playing, LONG_S)
        await self._proxy.close()
        self.broker.stop()
        return ended

    async def _kill_broker(self, moment: Moment) -> None:
        """Kill the broker, start it again, and wait until everybody plays again."""
        await asyncio.sleep(moment.after_s)
        await asyncio.to_thread(self.broker.stop)
        await asyncio.gather(self._all_play(), asyncio.to_thread(self.broker.start))

    async def _cut_off(self, moment: Moment) -> None:
        """Let nothing pass between one gateway and the broker, until its clients play at the other."""
        gateway = self._running[GATEWAYS[0]]
        async with asyncio.timeout(LONG_S):
            # It may just have been started.
            while not await asyncio.to_thread(_is_linked, gateway):
                pass
        await asyncio.sleep(moment.after_s)
        await self._proxy.hold_requests()
        await self._proxy.hold_responses()
        await self._all_play()
        async with asyncio.timeout(LONG_S):
            # Perhaps none of the terminals was there.
            while await asyncio.to_thread(_is_linked, gateway):
                pass
        await self._proxy.cut()
        await self._proxy.mend()

    async def _kill(self, names: tuple[str, ...], moment: Moment) -> None:
        """Kill one or two processes at a moment, start them again at once, and wait until everybody plays again."""
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
        if moment.name == STARTING:
            for name in names:
                await self._kill_at_start(name, moment)
        if HOUSE in names:
            self._epoch = 0
        starts = (self._start_house() if name == HOUSE else self._start_gateway(name) for name in names)
        await asyncio.gather(self._all_play(), *starts)

    async def _kill_at_start(self, name: str, moment: Moment) -> None:
        started = self._process(name)
        await asyncio.sleep(moment.after_s / 4)
        await asyncio.to_thread(started.stopped, SIGKILL)

    def _process(self, name: str) -> Serving:
        if name == HOUSE:
            return self._starts(self._config)
        at = self._proxy.port if name == GATEWAYS[0] else self.broker.port
        address, key = f"nats://127.0.0.1:{at}", self._folder / f"{name}.json"
        return self._starts(address, key, kind=ServingGateway, port=self._ports.get(name, 0))

    async def _start_house(self) -> None:
        await self._house_opens(self._process(HOUSE))

    async def _stop_standby(self) -> None:
        """Stop what would continue the house when it stops: nothing here."""

    async def _house_opens(self, serving: Serving) -> None:
        self._running[HOUSE] = serving
        assert await asyncio.to_thread(serving.opened), serving.ended()
        self._epoch = await asyncio.to_thread(lambda: int(serving.health()["epoch"]))
        self.kill_follower_soon(serving.pid)

    async def _start_gateway(self, name: str) -> None:
        self._running[name] = serving = self._process(name)
        assert await asyncio.to_thread(serving.opened), serving.ended()
        self._ports[name] = serving.port

    async def _all_play(self) -> None:
        """Wait until every terminal has the outcome of a command that it has sent since now, from the house of now."""
        begin, opened, sent = monotonic(), 0.0, [len(page.requested) for page in self.pages]
        async with asyncio.timeout(3 * LONG_S):
            while not self._epoch:  # noqa: ASYNC110 - what is waited for says nothing of itself
                await asyncio.sleep(0.01)
            opened = monotonic()
            while not all(map(self._plays, self.pages, sent)):  # noqa: ASYNC110 - what is waited for says nothing of itself
                await asyncio.sleep(0.01)
        self.starts_s.append((opened - begin, monotonic() - begin))

    def _plays(self, page: Page, sent: int) -> bool:
        return page.is_up and page.epoch == self._epoch and next(reversed(page.answers), 0) > sent

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


class TakeoverRun(GatewayRun):
    """Two servers of one house on one database: when the leader is killed the other takes over."""

    def __init__(self, folder: Path, starts: Starts, chance: Random, database: str) -> None:
        super().__init__(folder, starts, chance)
        text = self._config.read_text("utf-8").replace("Killed house", new_venue())
        for host in HOSTS:
            data = f'data = "{host}"\nkey_store = "data.keys"\njournal = "{database}"'
            folder.joinpath(f"{host}.toml").write_text(text.replace('data = "data"', data), "utf-8")
        self._leading, self._standing_by = HOSTS
        self._standby: Serving | None = None

    @property
    def data(self) -> Path:
        """The data directory of the server that led last."""
        return self._folder / self._leading

    async def _start_house(self) -> None:
        """Have the standby take over, or at first a server lead, and start another standby."""
        if self._standby is None:
            await self._house_opens(self._server(self._leading))
        else:
            self._leading, self._standing_by = self._standing_by, self._leading
            await self._house_opens(self._standby)
        self._standby = standby = self._server(self._standing_by)
        assert await asyncio.to_thread(standby.stands_by), standby.ended()

    async def _stop_standby(self) -> None:
        assert self._standby is not None
        stopped = await asyncio.to_thread(self._standby.stopped)
        assert stopped.code == 0, stopped

    def _process(self, name: str) -> Serving:
        return self._server(self._leading) if name == HOUSE else super()._process(name)

    def _server(self, host: str) -> Serving:
        return self._starts(self._folder / f"{host}.toml", "--standby")


def _is_linked(gateway: Serving) -> bool:
    try:
        return bool(gateway.health()["ok"])
    except HTTPError:
        return False


def _signal(victims: tuple[Serving, ...], number: Signals) -> None:
    for victim in victims:
        victim.signal(number)
