"""A payable from the pit to the cashier: a session ended, a number corrected, and the win paid with two signatures."""

import re
from collections.abc import Iterator
from typing import Final

import pytest
from playwright.sync_api import Browser

from croupier.engine.ports import Request
from croupier.house.floor.signatures import Approve
from croupier.house.ids import DeviceId, DrawerId, Number, PersonId, RoundNumber, TableId, TerminalId
from croupier.house.rounds.corrections import CorrectResult
from croupier.rules.geometry import Pocket
from tests.browser.test_pit import ADELAIDE, act, card_of
from tests.support.browser.cashier_console import CashierConsole, paid_out
from tests.support.browser.console import Console
from tests.support.browser.harness import BrowserHarness, browser_harness
from tests.support.browser.houses import MANAGERS, house_of
from tests.support.browser.looks import misplaced, violations

STAFF: Final = f"""{MANAGERS}[[staff]]
person = "cashier"
titles = ["Cashier"]
"""
A: Final = TableId("A")
TIMES: Final = "\N{MULTIPLICATION SIGN}"


@pytest.fixture(scope="module")
def harness(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrowserHarness]:
    """A-1 has staked its 10 on 17, and lost them on 20."""
    with browser_harness(browser, tmp_path_factory.mktemp("payables"), house_of(ADELAIDE, STAFF)) as one:
        one.house.run(one.house.open.seated("A", credit=0))
        one.house.gift("A-1", 1_000)
        one.reach("A", "open")
        one.house.lay("A-1", "A", [("17", 1_000)])
        one.spin("A", "20")
        one.pass_s(1)
        yield one


def session(harness: BrowserHarness) -> int:
    return harness.house.read(lambda house: house.terminals[TerminalId("A-1")].session)


def corrected(harness: BrowserHarness, boss: Console, chief: Console) -> None:
    """Two managers put 17 in the place of 20."""
    command = CorrectResult(A, RoundNumber(1), Pocket("17"), "The ball lay in 17.")
    first, second = (DeviceId(boss.device), PersonId("boss")), (DeviceId(chief.device), PersonId("chief"))
    harness.house.do(Request(command, *first))
    harness.house.do(Request(Approve(Number(1)), *second))


@pytest.mark.clause("skycity-adelaide-2003", "11(e)")
def test_payable_goes_from_the_pit_to_the_cashier(harness: BrowserHarness) -> None:
    """The pit ends a session, a correction brings it 360, and the cashier pays them once the pit has signed too."""
    boss, chief, desk = harness.staff("pit", "boss"), harness.staff("pit", "chief"), CashierConsole(harness, "cashier")
    desk.take("D1")
    card_of(boss, "A").get_by_role("button").first.click()
    boss.settle()
    boss.press("Terminal A-1")
    assert "Session not ended" in boss.dialog.inner_text()
    boss.press("End the session…")
    boss.press("End the session")
    assert session(harness) == 1
    boss.leave()
    boss.leave()

    harness.house.gift("A-1", 5_000)
    corrected(harness, boss, chief)
    desk.wait()
    for console in (boss, desk.at):
        (row,) = console.grid("Receivables and payables")
        assert (row["TERMINAL"], row["SESSION"], row["OWED TO THE PLAYER"]) == ("A-1", "0, ended", "A$360")
        assert misplaced(console.screen) + violations(console.screen) == []

    desk.at.press("Pay A$360…")
    desk.at.fill("The player's name, as identified", "A. Patron")
    desk.at.press("Sign")
    desk.at.sign_again()
    desk.wait()
    assert paid_out(harness, "D1") == 0
    waiting = desk.at.region("Waiting for a second signature").inner_text()
    assert "A payment to the player of an ended session, signed by cashier" in waiting

    act(boss, "A payment to the player of an ended session awaits a second signature", "Review and sign…")
    assert "A. Patron" in boss.dialog.inner_text()
    boss.press("Sign it too")
    boss.sign_again()
    desk.wait()
    assert paid_out(harness, "D1") == 36_000
    assert harness.house.credit("A-1") == 5_000
    assert "A$360" in desk.payout.locator(".handout").inner_text()
    assert not desk.at.region("Corrections to settle").is_visible()

    desk.payout.get_by_role("button", name="Receipt").click()
    desk.at.settle()
    slip = desk.at.dialog.inner_text()
    assert "PAYMENT SLIP" in slip
    assert re.search(r"Paid to\s+A\. Patron", slip)
    assert re.search(r"Second signature\s+boss", slip)
    desk.at.leave()
    fills_the_drawer(harness, desk, boss)


def fills_the_drawer(harness: BrowserHarness, desk: CashierConsole, boss: Console) -> None:
    """The cashier counts a fill and signs it, and the pit signs the same amount; both gave their passwords just now."""
    desk.at.press("Fill…")
    desk.at.fill(f"100 {TIMES}", "20")
    assert misplaced(desk.at.screen) + violations(desk.at.screen) == []
    desk.at.press("Sign A$2,000")
    desk.wait()
    assert "waits" in desk.at.dialog.inner_text()
    assert misplaced(desk.at.screen) + violations(desk.at.screen) == []

    act(boss, "Fill of A$2,000 for D1 awaits a second signature", "Review and sign…")
    assert "A$2,000" in boss.dialog.inner_text()
    boss.press("Sign it too")
    desk.wait()
    assert "D1 was filled with A$2,000." in desk.payout.inner_text()
    assert harness.house.read(lambda house: house.drawers[DrawerId("D1")].filled) == 200_000
