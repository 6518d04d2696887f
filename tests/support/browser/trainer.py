"""The payout trainer in the browser: somebody practises at it, with a clock that is moved by hand."""

from typing import Final

from playwright.sync_api import Locator

from croupier.rules.drills import Drill, Level, make_drill
from croupier.rules.rulebook import PayoutTable
from tests.conftest import venue
from tests.support.browser.harness import BrowserHarness
from tests.support.browser.screen import screen_in

#: The signs that the page writes.
TIMES, DIVIDED, NOTHING = "\u00d7", "\u00f7", "\u2013"
RULES: Final = "skycity-adelaide-2003"
WIDE: Final = (1024, 768)


def drill(level: Level, seed: int, rulebook: str = RULES) -> Drill:
    """Make the drill that the server makes."""
    return make_drill(PayoutTable(venue(rulebook)), level, seed)


class Trainer:
    """Somebody who practises."""

    def __init__(self, harness: BrowserHarness, address: str, size: tuple[int, int] = WIDE) -> None:
        width, height = size
        context = harness.context(viewport={"width": width, "height": height})
        self.screen = screen_in(context, harness.house)
        harness.screens.append(self.screen)
        self.page = self.screen.page
        self.page.goto(f"{self.screen.url}trainer{address}")
        self.screen.settle()

    def at(self, place: str) -> Locator:
        return self.page.locator(place).locator("visible=true")

    def text(self, place: str) -> str:
        return " ".join(self.at(place).inner_text().split())

    def keys(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)
        self.screen.settle()

    def say(self, *figures: int) -> None:
        """Type an answer at the keyboard, field by field."""
        for figure in figures:
            self.keys(*str(figure), "Enter")

    def score(self) -> list[str]:
        return [" ".join(each.split()) for each in self.at(".score dd").all_inner_texts()]
