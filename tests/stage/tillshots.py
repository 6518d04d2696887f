"""Pictures of the cashier's desk: a slip before it is paid, one that was paid before, and the paper that comes out."""

from typing import Final

from playwright.sync_api import Page

from tests.stage.company import MIXED, Colleague, quiescent, seated
from tests.stage.drawer_shift import Till, issued
from tests.stage.evening import Evening
from tests.stage.studio import Shot

#: What the slips of this evening are worth, in cents.
PAID: Final = (5_000, 123_450, 61_500)
WORTH: Final = 23_750


def _drawer_shift(night: Evening, person: str = "Lena") -> Till:
    """A cashier with a drawer, who has paid some slips, in a house where a win waits for its form."""
    night.reach("C", "open")
    seated(night, "C", (100_000,))
    night.house.lay("T1", "C", [("17", 10_000)])
    night.spin("C", "17")
    drawer_shift = Till(night, person)
    drawer_shift.take("D1")
    for place, cents in enumerate(PAID, 3):
        drawer_shift.scan(issued(night, cents, f"A-{place}"))
        drawer_shift.pay()
        night.pass_s(40)
    return drawer_shift


def _ready(night: Evening) -> Page:
    drawer_shift = _drawer_shift(night)
    number = issued(night, WORTH)
    night.pass_s(70)
    drawer_shift.scan(number)
    return quiescent(drawer_shift.at)


def _refused(night: Evening) -> Page:
    drawer_shift = _drawer_shift(night)
    number = issued(night, WORTH)
    drawer_shift.scan(number)
    drawer_shift.pay()
    night.pass_s(70)
    drawer_shift.scan(number)
    return quiescent(drawer_shift.at)


def _paper(night: Evening) -> Page:
    """A slip that the printer tore, printed again by two people."""
    drawer_shift, ada = _drawer_shift(night, "Vera"), Colleague(night, "Ada", "pit")
    number = issued(night, WORTH)
    drawer_shift.scan(number)
    drawer_shift.at.press("What else can be done…")
    drawer_shift.at.press("Print a duplicate…")
    drawer_shift.at.fill("Why, in plain words", "The printer tore it.")
    drawer_shift.at.press("Sign")
    drawer_shift.at.sign_again()
    ada.signs()
    ada.does("Approve", proposal=night.house.read(lambda house: max(house.proposals)))
    drawer_shift.scan(number)
    drawer_shift.at.press("What else can be done…")
    drawer_shift.at.press("Show the duplicate")
    return quiescent(drawer_shift.at)


SHOTS: Final = (
    Shot("cashier", MIXED, _ready),
    Shot("cashier-refused", MIXED, _refused),
    Shot("paper", MIXED, _paper),
)
