"""Harness of a server in a test: clients on real connections, each with a page model and a record of its frames."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from croupier.engine.ports import Request
from croupier.house import House
from croupier.house.ids import SECOND, DeviceId, PersonId, TableId
from croupier.house.rounds.irregularities import WheelTrouble
from croupier.house.rounds.results import BallAtRest
from croupier.house.rounds.spinning import BallLaunched, BallLeftTrack
from croupier.journal.disk import JournalFault
from croupier.rules.geometry import Pocket
from croupier.server.views.floor import FLOOR_EVERY
from tests.support.connections import LONG_S, Client, TestHouse, open_house, secret_of
from tests.support.offers import unkept
from tests.support.page import Page, Said

#: What a wheel may say.
Report = BallLaunched | BallLeftTrack | BallAtRest | WheelTrouble


class PageClient:
    """A client with a page model: it holds what a page would show, and the record of all frames."""

    def __init__(self, connection: Client, kind: str) -> None:
        self.connection, self.kind, self.page = connection, kind, Page()
        self.log: list[Said] = []
        self.device = self.key = self.person = ""
        self.number = 0

    def read(self) -> list[Said]:
        """Take in all that has come."""
        return [self._take(frame) for frame in self.connection.drain()]

    def _take(self, frame: Said) -> Said:
        self.log.append(frame)
        assert self.page.take(frame), f"a delta was missed before {frame}"
        return frame

    async def hears(self, kind: str, until: Callable[[Said], bool] = lambda _: True) -> Said:
        """Wait for a message of a kind."""
        while True:
            frame = self._take(await asyncio.wait_for(self.connection.incoming.get(), LONG_S))
            if frame["t"] == kind and until(frame):
                return frame

    async def enters(self, **hello: object) -> Said:
        """Send hello, and receive all that this connection may see; staff see nothing before sign-in."""
        self.connection.say("hello", screen=self.kind, **hello)
        if "join" in hello:
            enrolled = await self.hears("enrolled")
            self.device, self.key = enrolled["device"], enrolled["key"]
        welcome = await self.hears("welcome")
        self.device = welcome["device"]
        return welcome if welcome["staff"] else await self.hears("snap")

    async def signs_in(self, person: str, code: str | None) -> None:
        """Sign in with a code that is good once, or with the secret that was chosen for it before."""
        self.person, secret = person, secret_of(person)
        if code is None:
            self.connection.say("sign_in", person=person, secret=secret)
        else:
            self.connection.say("new_secret", person=person, code=code, secret=secret)
        await self.hears("snap")

    async def steps_up(self) -> None:
        """Give the secret again, as for all that takes two signatures."""
        self.connection.say("step_up", secret=secret_of(self.person))
        await self.hears("stepped_up")

    def says(self, kind: str, **more: object) -> int:
        """Say something under the next key; tell its number."""
        self.number = max(self.number, self.page.last_cmd) + 1
        self.connection.say(kind, id=self.number, epoch=self.page.epoch, **more)
        return self.number

    async def asks(self, command: str, **more: object) -> Said | None:
        """Ask for something in the house's words; give the refusal, where it is one."""
        return await self.response(self.says("ask", command={"type": command, **more}))

    async def plays(self, command: str, table: str, **more: object) -> Said | None:
        """Ask for something about the chips of one game, in the round and spin that it shows."""
        state = self.page.state(table)
        at = {"terminal": self.device, "table": table, "round": state["round"], "spin": state["spin"]}
        return await self.asks(command, **at, **more)

    async def response(self, number: int) -> Said | None:
        """Wait for the answer to a command: a delta that names it as the last, or an ack."""
        if self.kind == "terminal":
            while not self.page.is_answered(number):
                await self.hears("seat")
        else:
            await self.hears("ack", lambda said: said["id"] == number)
        return self.page.refused.get(number)


class ServerHarness:
    """A house and all who are in it; after every action each page shows what a new snapshot would."""

    def __init__(self, house: TestHouse) -> None:
        self.open, self.clients = house, list[PageClient]()
        #: Those whose line was cut.
        self.gone: list[PageClient] = []

    @property
    def house(self) -> House:
        return self.open.venue.run.house

    @property
    def everybody(self) -> list[PageClient]:
        """All who were ever let in."""
        return [*self.clients, *self.gone]

    async def connect(self, kind: str, **hello: object) -> PageClient:
        """Let somebody in."""
        client = PageClient(await self.open.client(), kind)
        self.clients.append(client)
        await client.enters(**hello)
        return client

    async def player(self, table: str, **hello: object) -> PageClient:
        """Let a player sit down, with play money."""
        client = await self.connect("terminal", join="", table=table, **hello)
        client.connection.say("practice")
        await client.hears("seat")
        return client

    async def staff(self, kind: str, person: str) -> PageClient:
        """Let a member of staff sign in at a console of a kind."""
        client = await self.connect(kind, join="")
        await client.signs_in(person, self.open.venue.codes.get(PersonId(person)))
        return client

    def power_cut(self) -> None:
        """Simulate a power cut: nothing more is committed or sent."""
        failed = self.open.venue.commit_loop.failed
        failed.set_exception(JournalFault("the power is gone"))
        assert failed.exception() is not None

    async def returns(self, before: PageClient) -> PageClient:
        """Reconnect a player to a seat, in another house or over another connection, until it is no longer offline."""
        client = await self.connect("terminal", device=before.device, key=before.key)
        client.key, client.number = before.key, before.number
        # The loss of the last connection may be committed after this one is admitted: the return then follows it.
        await self.open.rest()
        return client

    async def leaves(self, client: PageClient) -> None:
        """Have somebody's line cut."""
        client.connection.transport.disconnect()
        await client.connection.end()
        self.clients.remove(client)
        self.gone.append(client)

    async def does(self, client: PageClient, command: str, **more: object) -> None:
        """Have somebody ask for something, which is done."""
        await self.checked(await client.asks(command, **more))

    async def fails(self, client: PageClient, code: str, command: str, **more: object) -> None:
        """Have somebody ask for something, which is refused."""
        await self.checked(await client.asks(command, **more), code)

    async def plays(self, client: PageClient, command: str, table: str, **more: object) -> None:
        """Have a player do something with the chips of a game."""
        await self.checked(await client.plays(command, table, **more))

    async def misplays(self, client: PageClient, code: str, command: str, table: str, **more: object) -> None:
        """Have a player want something with the chips of a game that is refused."""
        await self.checked(await client.plays(command, table, **more), code)

    async def checked(self, refusal: Said | None, code: str | None = None) -> None:
        """Check that an answer has the expected code, and that every page shows the current state."""
        assert (refusal and refusal["code"]) == code, refusal
        await self.check()

    async def twice(self, first: PageClient, second: PageClient, command: str, **more: object) -> None:
        """Have two people sign something."""
        await first.steps_up()
        await second.steps_up()
        await self.does(first, command, **more)
        assert second.page.floor is not None
        await self.does(second, "Approve", proposal=second.page.floor["proposals"][-1]["proposal"])

    async def wheel(self, *reports: Report) -> None:
        """Have a table's wheel report something."""
        for report in reports:
            assert self.open.venue.commit_loop.submit(Request(report, DeviceId(report.table))) is None
        await self.open.rest()
        await self.check()

    async def spin(self, table: str, pocket: str) -> None:
        """Have the ball launched and come to rest, seen by sensors all the way."""
        await self.wheel(BallLaunched(TableId(table), opposite=True, turning=True))
        await self.wheel(BallAtRest(TableId(table), Pocket(pocket), revolutions=9, opposite=True))

    async def passes(self, seconds: float) -> None:
        await self.open.pass_s(seconds)
        await self.check()

    async def received(self, client: PageClient) -> list[Said]:
        """Take in all that came to somebody, once the house has heard and done what they have asked."""
        await client.connection.ping()
        await self.open.rest()
        await client.connection.ping()
        return client.read()

    async def settled(self) -> None:
        """Let everything arrive that is on its way, and take it in."""
        await self.open.pass_s(FLOOR_EVERY / SECOND)
        for client in self.clients:
            client.read()

    async def check(self) -> None:
        """Compare what every page shows with a new snapshot."""
        await self.settled()
        assert not list(unkept(self.house))
        for client in self.clients:
            client.connection.say("resync")
        for client in self.clients:
            before, version = client.page.shown, client.page.v
            await client.connection.ping()
            [snap] = client.read()

            assert snap["t"] == "snap", snap
            assert snap["v"] == version + 1
            assert client.page.shown == before, client.device


@asynccontextmanager
async def server_harness(folder: Path, text: str) -> AsyncIterator[ServerHarness]:
    """Open a house and let people in."""
    async with open_house(folder, text) as house:
        yield ServerHarness(house)
