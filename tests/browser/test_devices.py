"""Devices that do not work, on the consoles of the dealer and the pit, until staff clear what is locked."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import Browser, Locator, expect

from croupier.devices.emulator import PseudoTerminal
from croupier.devices.escpos import EmulatedPrinter
from croupier.devices.id003 import POLL_EVERY, EmulatedAcceptor, Status
from croupier.house.floor.incidents import IncidentKind
from croupier.house.ids import SECOND, TableId
from croupier.house.rounds.irregularities import WheelTrouble
from croupier.rules.procedure import Reason
from tests.support.browser.console import Console
from tests.support.browser.harness import DESK, PHONE, BrowserHarness, browser_harness
from tests.support.browser.houses import house_of
from tests.support.browser.looks import misplaced, violations
from tests.support.money_devices import Fitted, responds

#: One seat with an acceptor, at a table that a dealer runs.
TABLE: Final = """
[[tables]]
id = "A"
rulebook = "skycity-adelaide-2003"
seats = 1
confirms = true
warning_s = 5
minimum = 1
maximum = 100
[tables.seat]
notes = [10, 20, 50]
[tables.acceptor]
driver = "id003"
driver_address = "{folder}/{{terminal}}-acceptor"
values = [5, 10, 20, 50]
"""
STAFF: Final = """
[[staff]]
person = "dealer"
titles = ["Dealer"]
[[staff]]
person = "boss"
titles = ["Shift Manager"]
"""
#: The code of a note of 20, the third of the four values.
TWENTY: Final = 2
JAMMED: Final = "The note acceptor of A-1 is locked: a note is jammed in the acceptor."


class Floor:
    """A dealer and a manager at their consoles, and a seat whose acceptor is emulated."""

    def __init__(self, harness: BrowserHarness, acceptor: EmulatedAcceptor) -> None:
        self.harness = harness
        self.fit = Fitted(harness.house.open, acceptor, EmulatedPrinter())
        self.dealer = harness.staff("dealer", "dealer", "#table=A")
        self.boss = harness.staff("pit", "boss")

    def poll_until(self, is_so: Callable[[], bool]) -> None:
        """Have the acceptor polled until something is so, and every console see what comes of it."""
        for _ in range(60):
            if is_so():
                break
            self._poll()
        else:
            raise AssertionError(self.fit.acceptor.status, self.fit.driver.fault, self.fit.incidents())
        # Devices are looked at every second, and consoles are sent what has changed after that.
        for _ in range(15):
            self._poll()
        self.harness.settle()

    def _poll(self) -> None:
        self.harness.house.run(self.fit.poll())
        for screen in self.harness.screens:
            screen.pass_s(POLL_EVERY / SECOND)

    @property
    def works(self) -> bool:
        return self.fit.acceptor.status is Status.IDLE and self.fit.driver.fault == ""

    @property
    def notices(self) -> Locator:
        """What waits for others, at the dealer's console."""
        return self.dealer.page.get_by_role("list", name="What waits for others").get_by_role("listitem")

    def card(self, title: str) -> Locator:
        """What needs action at the pit, by its title."""
        cards = self.boss.region("Needs action").get_by_role("listitem")
        return cards.filter(has=self.boss.page.get_by_role("heading", name=title, exact=True))


@contextmanager
def floor_with(browser: Browser, folder: Path, acceptor: EmulatedAcceptor) -> Iterator[Floor]:
    """Open the house with its acceptor connected, and close it in good order."""
    text, line = house_of(TABLE.format(folder=folder), STAFF), PseudoTerminal(folder / "A-1-acceptor")
    line.plug()
    with browser_harness(browser, folder, text) as harness:
        # An acceptor takes no note while its terminal is not there.
        harness.house.run(harness.house.open.seated("A", credit=0))
        harness.house.run(_connected(line, acceptor))
        yield Floor(harness, acceptor)
        harness.house.run(_disconnected(line))


async def _connected(line: PseudoTerminal, acceptor: EmulatedAcceptor) -> None:
    responds(line, acceptor)


async def _disconnected(line: PseudoTerminal) -> None:
    asyncio.get_running_loop().remove_reader(line.fileno())
    line.unplug()


def seen_whole(console: Console) -> list[str]:
    """Find what lies wrongly or breaks a rule of WCAG on a desk and on a phone."""
    found = violations(console.screen)
    for size in (PHONE, DESK):
        console.page.set_viewport_size(size)
        console.settle()
        found += [f"{size['width']}: {each}" for each in misplaced(console.screen)]
    return found


@pytest.mark.clause("skycity-adelaide-2003", "7(d)i")
@pytest.mark.clause("skycity-adelaide-2003", "11(b)")
def test_device_that_is_locked_until_the_pit_clears_it(browser: Browser, tmp_path: Path) -> None:
    """Both consoles name a full box, a silent wheel and a jam; the lock-up outlasts a restart until it is cleared."""
    acceptor = EmulatedAcceptor()
    with floor_with(browser, tmp_path, acceptor) as floor:
        floor.poll_until(lambda: floor.works)
        expect(floor.notices).to_have_count(0)
        acceptor.status = Status.FULL
        floor.poll_until(lambda: floor.fit.driver.fault != "")
        expect(floor.notices).to_have_text(["A-1: the note acceptor does not work, its box is full"])
        expect(floor.card("A-1: note acceptor does not work")).to_contain_text("its box is full")
        acceptor.status = Status.IDLE
        floor.poll_until(lambda: floor.works)
        expect(floor.notices).to_have_count(0)
        expect(floor.card("A-1: note acceptor does not work")).to_have_count(0)

        floor.harness.house.wheel(WheelTrouble(TableId("A"), Reason.MALFUNCTION, silent=True))
        acceptor.fault = "jam"
        acceptor.insert_note(TWENTY)
        floor.poll_until(lambda: IncidentKind.ACCEPTOR_LOCKED in floor.fit.incidents())
        expect(floor.notices).to_have_count(2)
        expect(floor.notices.filter(has_text=JAMMED)).to_have_count(1)
        expect(floor.notices.filter(has_text="The wheel gives no reports.")).to_have_count(1)
        expect(floor.card("A-1: note acceptor locked")).to_contain_text(JAMMED)
        expect(floor.card("A: wheel silent")).to_contain_text("The wheel gives no reports.")
        expect(floor.boss.region("Devices of terminals").get_by_role("listitem")).to_have_count(2)
        assert {each.person: found for each in (floor.dealer, floor.boss) if (found := seen_whole(each))} == {}

    acceptor.clear()
    with floor_with(browser, tmp_path, acceptor) as floor:
        floor.poll_until(lambda: floor.works)
        expect(floor.notices.filter(has_text=JAMMED)).to_have_count(1)
        expect(floor.card("A-1: note acceptor does not work")).to_have_count(0)
        floor.boss.page.set_viewport_size(PHONE)
        floor.card("A-1: note acceptor locked").get_by_role("button", name="Seen to").click()
        floor.boss.settle()
        floor.poll_until(lambda: IncidentKind.ACCEPTOR_LOCKED not in floor.fit.incidents())
        expect(floor.card("A-1: note acceptor locked")).to_have_count(0)
        expect(floor.notices.filter(has_text=JAMMED)).to_have_count(0)
