"""Guests: clients on real connections to a house, each with a page model and a record of all it was sent."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from croupier.engine.ports import Request
from croupier.house.commands.rounds import BallAtRest, BallLaunched, BallLeftTrack, WheelTrouble
from croupier.house.ids import SECOND, DeviceId, PersonId, TableId
from croupier.house.state import House
from croupier.journal.disk import JournalFault
from croupier.rules.geometry import Pocket
from croupier.server.connection import FLOOR_EVERY
from tests.connections import LONG_S, Client, TestHouse, open_house, secret_of
from tests.offers import unkept
from tests.page import Page, Said

#: What a wheel may say.
Report = BallLaunched | BallLeftTrack | BallAtRest | WheelTrouble


class Guest:
    """A client on a connection."""

    def __init__(self, client: Client, kind: str) -> None:
        self.client, self.kind, self.page = client, kind, Page()
        self.log: list[Said] = []
        self.device = self.key = self.person = ""
        self.number = 0

    def read(self) -> list[Said]:
        """Take in all that has come."""
        return [self._take(frame) for frame in self.client.drain()]

    def _take(self, frame: Said) -> Said:
        self.log.append(frame)
        assert self.page.take(frame), f"a delta was missed before {frame}"
        return frame

    async def hears(self, kind: str, until: Callable[[Said], bool] = lambda _: True) -> Said:
        """Wait for a message of a kind."""
        while True:
            frame = self._take(await asyncio.wait_for(self.client.incoming.get(), LONG_S))
            if frame["t"] == kind and until(frame):
                return frame

    async def enters(self, **hello: object) -> Said:
        """Send hello, and receive all that this connection may see; staff see nothing before sign-in."""
        self.client.say("hello", screen=self.kind, **hello)
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
            self.client.say("sign_in", person=person, secret=secret)
        else:
            self.client.say("new_secret", person=person, code=code, secret=secret)
        await self.hears("snap")

    async def steps_up(self) -> None:
        """Give the secret again, as for all that takes two signatures."""
        self.client.say("step_up", secret=secret_of(self.person))
        await self.hears("stepped_up")

    def says(self, kind: str, **more: object) -> int:
        """Say something under the next key; tell its number."""
        self.number = max(self.number, self.page.last_cmd) + 1
        self.client.say(kind, id=self.number, epoch=self.page.epoch, **more)
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
        self.open, self.guests = house, list[Guest]()
        #: Those whose line was cut.
        self.gone: list[Guest] = []

    @property
    def house(self) -> House:
        return self.open.venue.run.house

    @property
    def everybody(self) -> list[Guest]:
        """All who were ever let in."""
        return [*self.guests, *self.gone]

    async def guest(self, kind: str, **hello: object) -> Guest:
        """Let somebody in."""
        guest = Guest(await self.open.client(), kind)
        self.guests.append(guest)
        await guest.enters(**hello)
        return guest

    async def player(self, table: str, **hello: object) -> Guest:
        """Let a player sit down, with play money."""
        guest = await self.guest("terminal", join="", table=table, **hello)
        guest.client.say("practice")
        await guest.hears("seat")
        return guest

    async def staff(self, kind: str, person: str) -> Guest:
        """Let a member of staff sign in at a console of a kind."""
        guest = await self.guest(kind, join="")
        await guest.signs_in(person, self.open.venue.codes.get(PersonId(person)))
        return guest

    def power_cut(self) -> None:
        """Have the house die where it stands: nothing more is kept, and nobody is told."""
        failed = self.open.venue.commit_loop.failed
        failed.set_exception(JournalFault("the power is gone"))
        assert failed.exception() is not None

    async def returns(self, before: Guest) -> Guest:
        """Reconnect a player to a seat, in another house or over another connection."""
        guest = await self.guest("terminal", device=before.device, key=before.key)
        guest.key, guest.number = before.key, before.number
        return guest

    async def leaves(self, guest: Guest) -> None:
        """Have somebody's line cut."""
        guest.client.transport.disconnect()
        await guest.client.end()
        self.guests.remove(guest)
        self.gone.append(guest)

    async def does(self, guest: Guest, command: str, **more: object) -> None:
        """Have somebody ask for something, which is done."""
        await self.checked(await guest.asks(command, **more))

    async def fails(self, guest: Guest, code: str, command: str, **more: object) -> None:
        """Have somebody ask for something, which is refused."""
        await self.checked(await guest.asks(command, **more), code)

    async def plays(self, guest: Guest, command: str, table: str, **more: object) -> None:
        """Have a player do something with the chips of a game."""
        await self.checked(await guest.plays(command, table, **more))

    async def misplays(self, guest: Guest, code: str, command: str, table: str, **more: object) -> None:
        """Have a player want something with the chips of a game that is refused."""
        await self.checked(await guest.plays(command, table, **more), code)

    async def checked(self, refusal: Said | None, code: str | None = None) -> None:
        """Check that an answer has the expected code, and that every page shows the current state."""
        assert (refusal and refusal["code"]) == code, refusal
        await self.check()

    async def twice(self, first: Guest, second: Guest, command: str, **more: object) -> None:
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

    async def received(self, guest: Guest) -> list[Said]:
        """Take in all that came to somebody, once the house has heard and done what they have asked."""
        await guest.client.ping()
        await self.open.rest()
        await guest.client.ping()
        return guest.read()

    async def settled(self) -> None:
        """Let everything arrive that is on its way, and take it in."""
        await self.open.pass_s(FLOOR_EVERY / SECOND)
        for guest in self.guests:
            guest.read()

    async def check(self) -> None:
        """Compare what every page shows with a new snapshot."""
        await self.settled()
        assert not list(unkept(self.house))
        for guest in self.guests:
            guest.client.say("resync")
        for guest in self.guests:
            before, version = guest.page.shown, guest.page.v
            await guest.client.ping()
            [snap] = guest.read()

            assert snap["t"] == "snap", snap
            assert snap["v"] == version + 1
            assert guest.page.shown == before, guest.device


@asynccontextmanager
async def server_harness(folder: Path, text: str) -> AsyncIterator[ServerHarness]:
    """Open a house and let people in."""
    async with open_house(folder, text) as house:
        yield ServerHarness(house)
