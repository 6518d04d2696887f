"""Browser harness: a house and every screen before it, all at the same time of a clock that is moved by hand."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest
from playwright.sync_api import Browser, BrowserContext, ViewportSize

from croupier.house.ids import SECOND
from tests.support.browser.console import Console
from tests.support.browser.proxy import Proxy
from tests.support.browser.screen import Screen, screen_in
from tests.support.browser.seat import Seat
from tests.support.browser.server_thread import ServerThread, server_thread

if TYPE_CHECKING:
    from tests.support.connections import Client

#: The most that passes at once: less than a page waits for a sign of life.
STEP_S: Final = 2
#: The most that a table may take from one phase to the next.
PATIENCE_S: Final = 120
DESK: Final = ViewportSize(width=1280, height=800)
PHONE: Final = ViewportSize(width=390, height=844)


class BrowserHarness:
    """What happens in one test."""

    def __init__(self, browser: Browser, house: ServerThread) -> None:
        self._browser, self.house = browser, house
        self._contexts: list[BrowserContext] = []
        self._lines: list[Proxy] = []
        self.screens: list[Screen] = []
        #: The pit console, once somebody has signed in there.
        self._boss: Client | None = None
        #: People who have exchanged their one-time code for a secret.
        self._known: set[str] = set()

    def context(self, **options: Any) -> BrowserContext:  # noqa: ANN401 - as the browser takes
        """Open a browser of its own, that remembers nothing of the others."""
        wanted = {
            "viewport": DESK,
            "reduced_motion": "reduce",
            "locale": "en-US",
            "service_workers": "block",
            **options,
        }
        self._contexts.append(self._browser.new_context(**wanted))
        return self._contexts[-1]

    def screen(self, address: str, context: BrowserContext | None = None, line: Proxy | None = None) -> Screen:
        """Open a page of the house, through a line of its own where one is given."""
        url = None if line is None else f"http://127.0.0.1:{line.port}/"
        screen = screen_in(context or self.context(), self.house, url)
        self.screens.append(screen)
        screen.go(address)
        return screen

    def seat(
        self,
        table: str,
        *,
        credit: int = 100_000,
        line: Proxy | None = None,
        lang: str = "en",
        **options: Any,  # noqa: ANN401 - as the browser takes
    ) -> Seat:
        """Seat somebody at a table, with play money, once betting is open."""
        self.reach(table, "open")
        screen = self.screen(f"terminal#table={table}&lang={lang}", self.context(**options), line)
        if credit:
            self.house.gift(screen.device, credit)
        screen.settle()
        return Seat(screen, table)

    def staff(
        self,
        connection: str,
        person: str,
        address: str = "",
        **options: Any,  # noqa: ANN401 - as the browser takes
    ) -> Console:
        """Have somebody open a console on a device of its own and sign in, by what else the address says."""
        console = Console(self.screen(f"{connection}{address}", self.context(**options)), person)
        console.sign_in(self._code(person))
        return console

    def _code(self, person: str) -> str | None:
        """Give the one-time code of somebody who has no secret yet."""
        code = None if person in self._known else self.house.open.codes.get(person)
        self._known.add(person)
        return code

    def line(self) -> Proxy:
        """Lay a line to the house that can be cut."""
        line = Proxy(self.house.open.venue.port)
        self.house.run(line.open())
        self.house.open.venue.server.origins.add(f"http://127.0.0.1:{line.port}")
        self._lines.append(line)
        return line

    def boss(self, command: str, **more: object) -> None:
        """Have the manager on duty do something at the pit console."""
        self.house.run(self._as_boss(command, **more))

    async def _as_boss(self, command: str, **more: object) -> None:
        self._boss = self._boss or await self.house.open.signed_in("boss", "pit", self._code("boss"))
        assert await self._boss.acked(command, **more) == "done"
        await self.house.open.rest()

    def pass_s(self, seconds: float) -> None:
        """Let time pass for everybody, and wait until every screen shows what is so by then."""
        left = seconds
        while left > 0:
            self._step(min(STEP_S, left))
            left -= STEP_S
        self.settle()

    def _step(self, seconds: float) -> None:
        """Go on by a moment: the house first, and then every screen."""
        self.house.pass_s(seconds)
        for screen in self.screens:
            screen.pass_s(seconds)

    def reach(self, table: str, phase: str) -> None:
        """Let time pass until a table has come to a phase."""
        end_us = self.house.now_us + PATIENCE_S * SECOND
        while self.house.now_us < end_us:
            if self.house.phase(table) == phase:
                return self.settle()
            # In whole seconds, and in fewer steps where nothing happens meanwhile.
            self._step(STEP_S if self.house.idle_s() >= STEP_S else 1)
        pytest.fail(f"table {table} is {self.house.phase(table)}, and does not come to {phase}")

    def spin(self, table: str, pocket: str, *others: str) -> None:
        """Close betting as the venue does, and have the ball fall into a pocket; at other tables of the venue too."""
        first = self.house.launches_first(table)
        for each in (table, *others):
            if not first:
                self.reach(each, "closed")
            self.launch(each)
        for each in (table, *others):
            self.reach(each, "running")
            self.land(each, pocket)

    def settle(self) -> None:
        """Wait until every screen shows what is so."""
        for screen in self.screens:
            screen.settle()

    def land(self, table: str, pocket: str) -> None:
        """Have the ball come to rest, and everybody see it."""
        self.house.land(table, pocket)
        self.settle()

    def launch(self, table: str) -> None:
        self.house.launch(table)
        self.settle()

    def leave(self) -> None:
        """Shut every page; none of them may have complained."""
        complaints = [each for screen in self.screens for each in screen.console.complaints]
        for screen in self.screens:
            screen.end()
        for context in self._contexts:
            context.close()
        for line in self._lines:
            self.house.run(line.close())
        assert complaints == [], "\n".join(complaints)


@contextmanager
def browser_harness(browser: Browser, folder: Path, text: str) -> Iterator[BrowserHarness]:
    """Open a house, and let a test happen in it."""
    with server_thread(folder, text) as house:
        one = BrowserHarness(browser, house)
        try:
            yield one
        finally:
            one.leave()
