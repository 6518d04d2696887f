"""A terminal: asks under keys, one wish at a time, gives signs of life, and comes back after a lost line."""

import asyncio
from collections.abc import Callable
from typing import Final

from croupier.director.deed import Asking, Wish, worded
from croupier.director.entrance import Entrance
from croupier.director.line import Line, LineLostError, Told
from croupier.director.sight import Sight
from croupier.house.device import DeviceKind
from croupier.house.name import SECOND, Instant, TerminalId
from croupier.web import incoming, outgoing
from croupier.web.cloth import Cloth
from croupier.web.timekeeper import Alarm, Timekeeper

#: How often a sign of life is given, as pages do.
ALIVE_EVERY: Final = 5 * SECOND
#: How long a house may take to say what there is to see.
WELCOME_S: Final = 10


class Terminal:
    """One device with its key, over all of its lines. Numbers only rise, and a wish is done once."""

    def __init__(self, name: TerminalId, key: str, entrance: Entrance, time: Timekeeper) -> None:
        self.name, self.sight = name, Sight()
        #: What is under way, and the code of its refusal once it is answered; nothing where it was done.
        self.pending: Asking | None = None
        self._answer = ""
        self._key, self._entrance, self.time = key, entrance, time
        self._line: Line | None = None
        self._number = 0
        #: Why the door was shut, where that was said; and whether this line has had its snapshot.
        self._bye, self._sees, self._entering = "", False, False
        self._news = asyncio.Event()
        self._alive: Alarm | None = None

    @property
    def is_up(self) -> bool:
        return self._line is not None and self._line.is_up

    @property
    def is_waiting(self) -> bool:
        """Whether it is the house's turn to say something."""
        return self._entering or (self.is_up and self.pending is not None)

    async def enter(self) -> Cloth:
        """Come in with the key, see what there is, and ask again for what was not answered; give the seat's felt."""
        self._entering = True
        try:
            return await self._enter()
        finally:
            self._entering = False

    async def _enter(self) -> Cloth:
        self._bye, self._sees = "", False
        self._line = await self._entrance.connect(lambda: Line(self._hear, self._ended))
        self.say(incoming.Hello(door=DeviceKind.TERMINAL, protocol=incoming.PROTOCOL, device=self.name, key=self._key))
        try:
            async with asyncio.timeout(WELCOME_S):
                await self.until(lambda: self._sees)
        except TimeoutError as error:
            self.hang_up()
            raise LineLostError from error
        self._give_sign()
        if self.pending is not None:
            self.say(self.pending)
            await self.until(lambda: self.pending is None)
        assert self.sight.fixture is not None
        return await self._entrance.felt(self.sight.fixture.felt)

    async def ask(self, wish: Wish) -> str:
        """Ask for something and wait for the answer: the code of a refusal, or nothing where it was done."""
        assert self.pending is None
        self._number += 1
        self.pending = worded(wish, self._number, self.sight.epoch)
        self.say(self.pending)
        await self.until(lambda: self.pending is None)
        return self._answer

    def say(self, message: incoming.Incoming) -> None:
        assert self._line is not None
        self._line.say(message)

    async def until(self, is_so: Callable[[], bool]) -> None:
        """Listen until something is so; LineLostError where the line is down before that."""
        while not is_so():
            if not self.is_up:
                raise LineLostError(self._bye)
            self._news.clear()
            await self._news.wait()

    def hang_up(self) -> None:
        if self._line is not None:
            self._line.hang_up()

    # What is heard.

    def _hear(self, told: Told) -> None:
        match told:
            case outgoing.Snap():
                self.sight.snap(told)
                self._sees = True
                self._number = max(self._number, told.last_cmd)
                self._answered(told.last_cmd, {})
            # What comes on a new line before its snapshot is in the snapshot too.
            case outgoing.Seat() if self._sees:
                self._heed(told)
            case outgoing.Table() if self._sees:
                self.sight.table(told.tv, told.state)
            case outgoing.Slip():
                self.sight.printed(told)
            case outgoing.Bye():
                self._bye = told.refusal.code
            case _:
                return
        self._news.set()

    def _heed(self, told: outgoing.Seat) -> None:
        if not self.sight.delta(told):
            self.say(incoming.Resync())
        self._answered(told.last_cmd, {each.id: each.code for each in told.refused})

    def _answered(self, last: int, refused: "dict[int | None, str]") -> None:
        if self.pending is not None and (self.pending.id <= last or self.pending.id in refused):
            self._answer = refused.get(self.pending.id, "")
            self.pending = None

    # Signs of life.

    def _give_sign(self) -> None:
        self.say(incoming.Ping(0))
        self._alive = self.time.at(Instant(self.time.now() + ALIVE_EVERY), self._give_sign)

    def _ended(self) -> None:
        if self._alive is not None:
            self._alive.cancel()
        self._news.set()
