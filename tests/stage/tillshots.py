"""Pictures of the cashier's desk: a slip before it is paid, one that was paid before, and the paper that comes out."""

from typing import Final

from playwright.sync_api import Page

from tests.stage.company import MIXED, Colleague, calm, seated
from tests.stage.evening import Evening
from tests.stage.studio import Shot
from tests.stage.till import Till, issued

#: What the slips of this evening are worth, in cents.
PAID: Final = (5_000, 123_450, 61_500)
WORTH: Final = 23_750


def _till(night: Evening, person: str = "Lena") -> Till:
    """A cashier with a drawer, who has paid some slips, in a house where a win waits for its form."""
    night.reach("C", "open")
    seated(night, "C", (100_000,))
    night.house.lay("T1", "C", [("17", 10_000)])
    night.spin("C", "17")
    till = Till(night, person)
    till.take("D1")
    for place, cents in enumerate(PAID, 3):
        till.scan(issued(night, cents, f"A-{place}"))
        till.pay()
        night.pass_s(40)
    return till


def _ready(night: Evening) -> Page:
    till = _till(night)
    number = issued(night, WORTH)
    night.pass_s(70)
    till.scan(number)
    return calm(till.at)


def _refused(night: Evening) -> Page:
    till = _till(night)
    number = issued(night, WORTH)
    till.scan(number)
    till.pay()
    night.pass_s(70)
    till.scan(number)
    return calm(till.at)


def _paper(night: Evening) -> Page:
    """A slip that the printer tore, printed again by two people."""
    till, ada = _till(night, "Vera"), Colleague(night, "Ada", "pit")
    number = issued(night, WORTH)
    till.scan(number)
    till.at.press("What else can be done…")
    till.at.press("Print a duplicate…")
    till.at.fill("Why, in plain words", "The printer tore it.")
    till.at.press("Sign")
    till.at.sign_again()
    ada.signs()
    ada.does("Approve", proposal=night.house.read(lambda house: max(house.proposals)))
    till.scan(number)
    till.at.press("What else can be done…")
    till.at.press("Show the duplicate")
    return calm(till.at)


SHOTS: Final = (
    Shot("cashier", MIXED, _ready),
    Shot("cashier-refused", MIXED, _refused),
    Shot("paper", MIXED, _paper),
)
