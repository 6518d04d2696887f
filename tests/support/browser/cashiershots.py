"""Pictures of the cashier's desk: a slip before it is paid, one that was paid before, and the paper that comes out."""

from typing import Final

from playwright.sync_api import Page

from tests.support.browser.actors import MIXED, Colleague, quiescent, seated
from tests.support.browser.cashier_console import CashierConsole, issued
from tests.support.browser.harness import BrowserHarness
from tests.support.browser.screenshot import Shot

#: What the slips of this run are worth, in cents.
PAID: Final = (5_000, 123_450, 61_500)
WORTH: Final = 23_750


def _desk(harness: BrowserHarness, person: str = "Lena") -> CashierConsole:
    """A cashier with a drawer, who has paid some slips, in a house where a win waits for its form."""
    harness.reach("C", "open")
    seated(harness, "C", (100_000,))
    harness.house.lay("T1", "C", [("17", 10_000)])
    harness.spin("C", "17")
    desk = CashierConsole(harness, person)
    desk.take("D1")
    for place, cents in enumerate(PAID, 3):
        desk.scan(issued(harness, cents, f"A-{place}"))
        desk.pay()
        harness.pass_s(40)
    return desk


def _ready(harness: BrowserHarness) -> Page:
    desk = _desk(harness)
    number = issued(harness, WORTH)
    harness.pass_s(70)
    desk.scan(number)
    return quiescent(desk.at)


def _refused(harness: BrowserHarness) -> Page:
    desk = _desk(harness)
    number = issued(harness, WORTH)
    desk.scan(number)
    desk.pay()
    harness.pass_s(70)
    desk.scan(number)
    return quiescent(desk.at)


def _paper(harness: BrowserHarness) -> Page:
    """A slip that the printer tore, printed again by two people."""
    desk, ada = _desk(harness, "Vera"), Colleague(harness, "Ada", "pit")
    number = issued(harness, WORTH)
    desk.scan(number)
    desk.at.press("More actions…")
    desk.at.press("Print a duplicate…")
    desk.at.fill("Why, in plain words", "The printer tore it.")
    desk.at.press("Sign")
    desk.at.sign_again()
    ada.signs()
    ada.does("Approve", proposal=harness.house.read(lambda house: max(house.proposals.all)))
    desk.scan(number)
    desk.at.press("More actions…")
    desk.at.press("Show the duplicate")
    return quiescent(desk.at)


SHOTS: Final = (
    Shot("cashier", MIXED, _ready),
    Shot("cashier-refused", MIXED, _refused),
    Shot("paper", MIXED, _paper),
)
