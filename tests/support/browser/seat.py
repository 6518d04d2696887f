"""A seat: the player terminal on a screen, in the words of somebody who plays at it."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from typing import Final, NamedTuple

from playwright.sync_api import Locator

from tests.support.browser.screen import Place, Screen

_STACKS: Final = """(stacks) => stacks.filter((stack) => stack.checkVisibility())
  .map(({ dataset: { spot, way, live }, textContent }) => [spot, textContent, way, live !== undefined])"""
_PLACES: Final = """(options) => options.map((el) => {
  const { left, top, width, height } = el.getBoundingClientRect();
  return [el.dataset.spot, left + width / 2, top + height / 2];
})"""
#: Presses something without a way there: what a pointer can reach is looked at elsewhere.
_PRESS: Final = "(el) => el.click()"
#: What a small screen shows, one at a time.
TABS: Final = ("table", "racetrack", "wheel", "stats")
#: What the menu opens; not every venue has the first two.
DIALOGS: Final = (
    "specials",
    "patterns",
    "help",
    "limits",
    "statistics",
    "recall",
    "money",
    "session",
    "own",
    "attendant",
    "messages",
    "rules",
    "settings",
)
#: How chips look that are not in play.
_PASSING: Final = frozenset({"ghost", "lost", "paid"})


class Stack(NamedTuple):
    """Chips on a spot as they are drawn: their sum in cents, how they look, and whether they stay for the next spin."""

    cents: int
    way: str
    live: bool


class Seat:
    """One game of a terminal, as it is seen and touched."""

    def __init__(self, screen: Screen, table: str) -> None:
        self.screen, self.page, self.table = screen, screen.page, table
        self.device = screen.device

    # What is seen.

    @property
    def game(self) -> Locator:
        return self.page.locator(f'.game[data-table="{self.table}"]')

    @property
    def head(self) -> Locator:
        return self.page.locator(f'.head[data-table="{self.table}"]')

    @property
    def felt(self) -> Locator:
        return self.game.locator(".felt")

    def stacks(self) -> dict[str, Stack]:
        """Every stack that is drawn; a ghost that stands beside one of them is left out."""
        return {stack: drawn for stack, drawn in self._drawn() if drawn.way not in ("ghost", "paid")}

    def stakes(self) -> dict[str, int]:
        """Stacks that are in play, in cents."""
        return {spot: stack.cents for spot, stack in self._drawn() if stack.way not in _PASSING}

    def ghosts(self) -> dict[str, int]:
        return {spot: stack.cents for spot, stack in self._drawn() if stack.way == "ghost"}

    def _drawn(self) -> list[tuple[str, Stack]]:
        found: list[tuple[str, str, str, bool]] = self.felt.locator(".cloth .stack[data-spot]").evaluate_all(_STACKS)
        return [(spot, Stack(cents_on_chip(words), way, live)) for spot, words, way, live in found]

    def bets(self) -> dict[str, int]:
        """What lies there by the house's own books."""
        return self.screen.server.bets(self.device, self.table)

    def credit(self) -> int:
        """What is on the meter by the house's own books."""
        return self.screen.server.credit(self.device)

    def meter(self, name: str) -> int:
        """What a meter shows, in cents."""
        return cents(self.page.locator(f"[data-meter={name}] dd").inner_text())

    def dolly(self) -> str:
        """On which number the marker of the last result stands."""
        box = self.felt.locator(".dolly").bounding_box()
        assert box is not None
        at = complex(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        numbers = {spot: complex(*place) for spot, place in self.places().items() if spot.isdigit()}
        return min(numbers, key=lambda pocket: abs(numbers[pocket] - at))

    def wheel(self) -> str:
        """What the picture of the wheel says of itself."""
        return self.game.locator(".wheel").first.get_attribute("aria-label") or ""

    def history(self) -> list[str]:
        """Past numbers, the newest first, as far as there is room for them."""
        return self.head.locator(".history li:visible").all_inner_texts()

    def message(self) -> str:
        return self.head.locator(".message b").inner_text()

    def moment(self) -> str:
        """Which state the message tells of."""
        return self.head.locator(".message").get_attribute("data-moment") or ""

    def seconds(self) -> str:
        return self.head.get_by_role("timer").inner_text()

    def reported(self) -> str:
        """What has to be told now, above everything."""
        line = self.page.locator(".notice-line")
        clauses = [sign.get_attribute("aria-label") or "" for sign in line.locator(".info").all()]
        return " ".join([line.inner_text(), *clauses])

    def bubble(self) -> str:
        """Why what was just touched was refused, and by which clause."""
        return self.game.locator(".bubble:visible").inner_text()

    # What is touched.

    def places(self) -> dict[str, Place]:
        """Where the anchor of every spot is, by the accessibility tree."""
        found: list[tuple[str, float, float]] = self.felt.locator("[role=option]").evaluate_all(_PLACES)
        return {spot: (across, down) for spot, across, down in found}

    def tap(self, *spots: str) -> None:
        """Click some spots, one after another, and wait for what comes of it."""
        places = self.places()
        for spot in spots:
            self.screen.click(places[spot])
        self.screen.settle()

    def centre(self, selector: str) -> Place:
        """Where the middle of something is."""
        return self._middle(self.page.locator(selector))

    def _middle(self, thing: Locator) -> Place:
        box = thing.bounding_box()
        assert box is not None, thing
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def drag(self, start: Place, end: Place) -> None:
        """Go from one place to another with the mouse held down."""
        mouse = self.page.mouse
        mouse.move(*start)
        mouse.down()
        mouse.move(*end, steps=5)
        mouse.up()
        self.screen.settle()

    def choose(self, chip: int | str) -> None:
        """Choose a chip of the tray by its credits, or the eraser."""
        self.page.locator(f'.tray [data-chip="{chip}"]').click()

    def touch_pocket(self, pocket: str) -> None:
        """Touch a number of the racetrack."""
        boxes = self.game.locator(f'.track [data-pocket="{pocket}"]:visible')
        self.screen.click(self._middle(boxes.first))
        self.screen.settle()

    def special(self, call: str, of: str) -> Locator:
        """The button of a special bet in its sheet; a call that takes a number or a digit has one for each."""
        dialog = self.page.locator("dialog[data-dialog=specials]")
        if not of:
            return dialog.locator("button.row", has_text=call)
        return dialog.get_by_role("group", name=call).get_by_role("button", name=f"{call} {of},")

    def settle(self) -> None:
        self.screen.settle()

    @contextmanager
    def other_views(self) -> Iterator[Iterator[str]]:
        """Show every other view that there is at this size, one after another, and then the first again."""
        yield self._views()
        self.show("table")

    def _views(self) -> Iterator[str]:
        small = self.page.locator(".tabs").is_visible()
        for view in TABS if small else ("wheel",):
            self.show(view)
            yield view

    def show(self, view: str) -> None:
        """Show a view: the table or the wheel, or a tab of a small screen."""
        if self.page.locator(".tabs").is_visible():
            self.page.locator(f'.tabs [data-tab="{view}"]').click()
        elif self.page.locator(".screen").get_attribute("data-view") != view:
            one, view_button = self.page.locator('[data-act="games"]'), self.page.locator('[data-act="view"]')
            if one.is_visible():
                one.click()
                self.settle()
            view_button.click()
        self.settle()

    def press(self, name: str | re.Pattern[str]) -> None:
        self.screen.press(name)

    def act(self, action: str) -> None:
        """Press one of the buttons below the felt by what it does."""
        self.page.locator(f'.actions [data-act="{action}"]').click()
        self.screen.settle()

    def open(self, dialog: str) -> Locator:
        """Open a sheet from the menu, in whatever language that is."""
        self.page.locator("button.menu:visible, .actions [data-act=more]:visible").first.evaluate(_PRESS)
        self.page.locator(f'dialog[data-dialog=menu] [data-opens="{dialog}"]').evaluate(_PRESS)
        self.screen.settle()
        return self.dialog

    @property
    def dialog(self) -> Locator:
        """The sheet that is open, on top of all others."""
        return self.page.locator("dialog[open]").last

    def close(self) -> None:
        self.dialog.locator("button.out").evaluate(_PRESS)
        self.screen.settle()


def cents(shown: str) -> int:
    """Read an amount as it is shown: A$1,234.50 is 123450."""
    found = re.search(r"-?[\d,]+(?:\.\d\d)?", shown)
    assert found, shown
    units, _, rest = found[0].replace(",", "").partition(".")
    return int(units) * 100 + int(rest or 0)


def cents_on_chip(shown: str) -> int:
    """Read what is written on a chip, short as it is: 1.5k is 150000."""
    units = {"k": 100_000, "m": 100_000_000}.get(shown[-1], 100)
    return round(Decimal(shown.rstrip("km")) * units)
