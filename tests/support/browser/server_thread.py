"""The real server in a thread of its own, on a clock that a test moves, with calls that run on its event loop."""

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from contextvars import copy_context
from math import inf
from pathlib import Path
from typing import Any, TypeVar

import uvloop

from croupier.engine.ports import Request
from croupier.house import House
from croupier.house.credit.notes import GrantPlayMoney
from croupier.house.ids import SECOND, DeviceId, RoundNumber, TableId, TerminalId
from croupier.house.play.betting import ClearBets, PlaceBets
from croupier.house.rounds.results import BallAtRest
from croupier.house.rounds.spinning import BallLaunched
from croupier.house.timers import due
from croupier.rules.geometry import Pocket
from croupier.rules.money import Cents
from croupier.rules.procedure import CloseRule
from tests.support.connections import LONG_S, TestHouse, open_house
from tests.support.server_harness import Report

T = TypeVar("T")


class ServerThread:
    """A house that is open in another thread."""

    def __init__(self, house: TestHouse, loop: asyncio.AbstractEventLoop) -> None:
        self.open, self._loop = house, loop

    def run(self, doing: Coroutine[Any, Any, T]) -> T:
        """Do something on the house's own thread, and wait for what comes of it."""
        return asyncio.run_coroutine_threadsafe(doing, self._loop).result(LONG_S)

    def read(self, look: Callable[[House], T]) -> T:
        """Look something up in the house's own state, between two of its turns."""

        async def looks() -> T:
            return look(self.open.venue.run.house)

        return self.run(looks())

    @property
    def url(self) -> str:
        return f"{self.open.origin}/"

    @property
    def now_us(self) -> int:
        return self.open.time.at_us

    def rest(self) -> None:
        """Wait until the house has done all that it can do now."""
        self.run(self.open.rest())

    def pass_s(self, seconds: float) -> None:
        self.run(self.open.pass_s(seconds))

    def credit(self, terminal: str) -> int:
        return self.read(lambda house: house.terminals[TerminalId(terminal)].credit)

    def bets(self, terminal: str, table: str) -> dict[str, int]:
        """What lies on a felt by the house's own books, in cents by spot."""
        return self.read(lambda house: _lying(house, TerminalId(terminal), TableId(table)))

    def phase(self, table: str) -> str:
        return self.read(lambda house: house.tables[TableId(table)].phase.value)

    def idle_s(self) -> float:
        """How long nothing is due in the house."""
        at = self.read(due)
        return inf if at is None else (at - self.now_us) / SECOND

    def launches_first(self, table: str) -> bool:
        """Whether betting goes on after the ball is launched."""
        closes = self.read(lambda house: house.tables[TableId(table)].rulebook.procedure.closes.choice)
        return closes in (CloseRule.AFTER_LAUNCH, CloseRule.DURING_SPIN)

    def wheel(self, *reports: Report) -> None:
        """Have a table's wheel report something."""
        self.do(*(Request(report, DeviceId(report.table)) for report in reports))

    def launch(self, table: str) -> None:
        """Have the ball set going, as it should be."""
        self.wheel(BallLaunched(TableId(table), opposite=True, turning=True))

    def land(self, table: str, pocket: str) -> None:
        """Have the ball come to rest in a pocket of the test's choice."""
        self.wheel(BallAtRest(TableId(table), Pocket(pocket), revolutions=9, opposite=True))

    def gift(self, terminal: str, cents: int) -> None:
        """Put play money on a terminal, as a demonstration does."""
        self.do(Request(GrantPlayMoney(TerminalId(terminal), Cents(cents))))

    def lay(self, terminal: str, table: str, bets: Iterable[tuple[str, int]]) -> None:
        """Lay chips on a felt, without a touch."""
        self.do(
            Request(
                PlaceBets(*self._at(terminal, table), tuple((spot, Cents(stake)) for spot, stake in bets)),
                DeviceId(terminal),
            )
        )

    def clear(self, terminal: str, table: str) -> None:
        """Take all chips off a felt, without a touch."""
        self.do(Request(ClearBets(*self._at(terminal, table)), DeviceId(terminal)))

    async def cut_off(self, terminal: str) -> None:
        """Let the line of a terminal go dead, without a word, unless its page has given it up by itself."""
        connection = self.open.venue.publisher.seats.get(terminal)
        if connection is not None:
            connection.abort()

    def _at(self, terminal: str, table: str) -> tuple[TerminalId, TableId, RoundNumber, int]:
        at = self.read(lambda house: house.tables[TableId(table)].round)
        assert at is not None
        return TerminalId(terminal), TableId(table), at.number, at.spin.number

    def do(self, *requested: Request) -> None:
        """Have some things done that nobody here may refuse."""

        async def doing() -> None:
            for each in requested:
                assert self.open.venue.commit_loop.submit(each) is None
            await self.open.rest()

        self.run(doing())


def _lying(house: House, terminal: TerminalId, table: TableId) -> dict[str, int]:
    return {str(spot): stake for spot, stake in house.terminals[terminal].games[table].bets.items()}


@contextmanager
def server_thread(folder: Path, text: str) -> Iterator[ServerThread]:
    """Open a house on a thread of its own, and stop it in good order."""
    opened: Future[ServerThread] = Future()
    leave = threading.Event()
    # Whether its clients connect through a gateway is in the context.
    thread = threading.Thread(target=copy_context().run, args=(_keep, folder, text, opened, leave), name="house")
    thread.start()
    try:
        yield opened.result(LONG_S)
    finally:
        leave.set()
        thread.join(LONG_S)
        assert not thread.is_alive(), "the server does not stop"


def _keep(folder: Path, text: str, opened: "Future[ServerThread]", leave: threading.Event) -> None:
    async def keeping() -> None:
        async with open_house(folder, text) as house:
            opened.set_result(ServerThread(house, asyncio.get_running_loop()))
            await asyncio.to_thread(leave.wait)

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        try:
            runner.run(keeping())
        except BaseException as fault:
            if opened.done():
                raise
            opened.set_exception(fault)
