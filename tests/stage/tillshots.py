"""Pictures of the cashier's desk: a slip before it is paid, one that was paid before, and the paper that comes out."""

from typing import Final

from playwright.sync_api import Page

from tests.stage.company import MIXED, Colleague, quiescent, seated
from tests.stage.drawer_shift import Till, issued
from tests.stage.harness import BrowserHarness
from tests.stage.studio import Shot

#: What the slips of this run are worth, in cents.
PAID: Final = (5_000, 123_450, 61_500)
WORTH: Final = 23_750


def _drawer_shift(harness: BrowserHarness, person: str = "Lena") -> Till:
    """A cashier with a drawer, who has paid some slips, in a house where a win waits for its form."""
    harness.reach("C", "open")
    seated(harness, "C", (100_000,))
    harness.house.lay("T1", "C", [("17", 10_000)])
    harness.spin("C", "17")
    drawer_shift = Till(harness, person)
    drawer_shift.take("D1")
    for place, cents in enumerate(PAID, 3):
        drawer_shift.scan(issued(harness, cents, f"A-{place}"))
        drawer_shift.pay()
        harness.pass_s(40)
    return drawer_shift


def _ready(harness: BrowserHarness) -> Page:
    drawer_shift = _drawer_shift(harness)
    number = issued(harness, WORTH)
    harness.pass_s(70)
    drawer_shift.scan(number)
    return quiescent(drawer_shift.at)


def _refused(harness: BrowserHarness) -> Page:
    drawer_shift = _drawer_shift(harness)
    number = issued(harness, WORTH)
    drawer_shift.scan(number)
    drawer_shift.pay()
    harness.pass_s(70)
    drawer_shift.scan(number)
    return quiescent(drawer_shift.at)


def _paper(harness: BrowserHarness) -> Page:
    """A slip that the printer tore, printed again by two people."""
    drawer_shift, ada = _drawer_shift(harness, "Vera"), Colleague(harness, "Ada", "pit")
    number = issued(harness, WORTH)
    drawer_shift.scan(number)
    drawer_shift.at.press("What else can be done…")
    drawer_shift.at.press("Print a duplicate…")
    drawer_shift.at.fill("Why, in plain words", "The printer tore it.")
    drawer_shift.at.press("Sign")
    drawer_shift.at.sign_again()
    ada.signs()
    ada.does("Approve", proposal=harness.house.read(lambda house: max(house.proposals)))
    drawer_shift.scan(number)
    drawer_shift.at.press("What else can be done…")
    drawer_shift.at.press("Show the duplicate")
    return quiescent(drawer_shift.at)


SHOTS: Final = (
    Shot("cashier", MIXED, _ready),
    Shot("cashier-refused", MIXED, _refused),
    Shot("paper", MIXED, _paper),
)
