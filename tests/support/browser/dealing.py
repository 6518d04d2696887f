"""Dealing: a table as its dealer runs it at the console, step by step, and whoever plays at it."""

from typing import Final

from playwright.sync_api import FloatRect, Locator, expect

from tests.support.browser.harness import BrowserHarness
from tests.support.connections import Client

#: What a seat begins with, and the one chip that it lays.
CREDIT: Final = 100_000
CHIP: Final = 100
#: The words of the steps as the round goes at Adelaide, up to the spin.
TO_CLOSE: Final = ("Open betting", "Finish betting")


class Dealing:
    """A dealer at one table."""

    def __init__(self, harness: BrowserHarness, table: str) -> None:
        self.harness, self.house, self.table = harness, harness.house, table
        self.at = harness.staff("dealer", "dealer", f"#table={table}")
        self.page = self.at.page

    # Who plays.

    def seat(self) -> Client:
        """Seat somebody with some play money, without a screen."""
        return self.house.run(self.house.open.seated(self.table, CREDIT))

    def bets(self, terminal: str) -> None:
        """Have a chip laid on 17, and everybody see it."""
        self.house.lay(terminal, self.table, [("17", CHIP)])
        self.harness.pass_s(1)

    def worth(self, terminal: str) -> int:
        """What a seat has on its meter and on the felt."""
        return self.house.credit(terminal) + sum(self.house.bets(terminal, self.table).values())

    def phase(self) -> str:
        return self.house.phase(self.table)

    # What the dealer does.

    def take(self, *steps: str) -> None:
        """Press the step that is gold, which has to be this one and the only one; and so on with the others."""
        for step in steps:
            gold = self.page.locator(".steps [data-is=next]")
            expect(gold).to_have_count(1)
            expect(gold).to_contain_text(step)
            gold.get_by_role("button").click()
            self.at.settle()
            self.harness.pass_s(1)

    def spin(self) -> None:
        """Open, warn and let the house close, as at Adelaide, and spin the ball."""
        self.take(*TO_CLOSE)
        self.harness.pass_s(5)
        self.take("Spin the ball")

    def land(self, pocket: str) -> None:
        """Have the wheel report a number, and everybody see it."""
        self.harness.land(self.table, pocket)
        self.harness.pass_s(1)

    def mean(self, number: str) -> None:
        """Touch a number of the pad, by its name with its colour."""
        self.page.get_by_role("radio", name=number, exact=True).check()

    def press(self, name: str) -> None:
        """Press a button, and let everybody see what comes of it."""
        self.at.press(name)
        self.harness.pass_s(1)

    # What the dealer sees.

    @property
    def next(self) -> Locator:
        """The step that is next, whoever takes it."""
        return self.page.locator(".steps [aria-current=step]")

    @property
    def call(self) -> Locator:
        return self.at.region("Call")

    @property
    def words(self) -> Locator:
        """What is to be called, or what the table says."""
        return self.call.locator(".words")

    @property
    def lamp(self) -> Locator:
        return self.call.locator(".lamp")

    def is_safe(self) -> bool:
        """Whether the lamp is lit."""
        return self.lamp.get_attribute("data-lit") is not None

    @property
    def dolly(self) -> Locator:
        """The number on which the marker stands."""
        return self.page.locator(".pad [data-dolly]")

    def row(self, terminal: str) -> Locator:
        """A seat as it is shown."""
        return self.page.locator(f'.seats li[data-key="{terminal}"]')

    def place(self, number: str) -> FloatRect:
        """Where a number lies on the pad."""
        box = self.page.locator(f'.pad label:has([value="{number}"])').bounding_box()
        assert box is not None
        return box
