"""A console: a page of staff on a screen, in the words of whoever is signed in at it."""

import re
from typing import Final

from playwright.sync_api import Locator, expect

from tests.support.browser.screen import Screen
from tests.support.connections import secret_of

#: What a grid says, row by row, each cell under its heading.
_ROWS: Final = """(table) => {
  const heads = [...table.tHead.rows[0].cells].map((cell) => cell.innerText.trim());
  return [...table.tBodies[0].rows].map((row) =>
    Object.fromEntries([...row.cells].map((cell, place) => [heads[place], cell.innerText.trim()])));
}"""


class Console:
    """One person at one device; two people are two devices, as each has a browser of its own."""

    def __init__(self, screen: Screen, person: str) -> None:
        self.screen, self.page, self.person = screen, screen.page, person

    @property
    def device(self) -> str:
        return self.screen.device

    # Coming and going.

    def sign_in(self, code: str | None = None) -> None:
        """Sign in with the secret, or with a code that is good once and a secret chosen with it."""
        self.fill("Name", self.person)
        self.fill("Password, or the code you were given", code or secret_of(self.person))
        self.page.get_by_role("button", name="Sign in").click()
        if code is not None:
            self.fill("New password", secret_of(self.person))
            self.fill("The same again", secret_of(self.person))
            self.page.get_by_role("button", name="Set password").click()
        expect(self.inside).to_be_visible()
        self.settle()

    def sign_out(self) -> None:
        self.page.get_by_role("button", name="Sign out").click()
        expect(self.page.get_by_role("heading", name="Sign in")).to_be_visible()

    def sign_again(self) -> None:
        """Give the secret once more, for what takes a fresh signature."""
        dialog = self.page.locator("dialog[data-dialog=step-up]")
        dialog.get_by_label("Password").fill(secret_of(self.person))
        dialog.get_by_role("button", name="Sign", exact=True).click()
        expect(dialog).to_have_count(0)
        self.settle()

    # What is seen.

    @property
    def inside(self) -> Locator:
        """All that only somebody who is signed in sees."""
        return self.page.locator(".inside")

    @property
    def dialog(self) -> Locator:
        """The sheet that is open, on top of all others."""
        return self.page.locator("dialog[open]").last

    @property
    def front(self) -> Locator:
        """What can be touched now: the sheet on top, or else the page."""
        open_ = self.page.locator("dialog[open]")
        return open_.last if open_.count() else self.page.locator("main.app")

    def title(self) -> str:
        return self.page.get_by_role("heading", level=1).inner_text()

    def pills(self) -> list[str]:
        """How things stand, as the head says it."""
        return self.page.locator(".console-header .pill").all_inner_texts()

    def region(self, name: str | re.Pattern[str]) -> Locator:
        """A part of the page by its label."""
        return self.inside.get_by_role("region", name=name)

    def grid(self, label: str) -> list[dict[str, str]]:
        """What a grid says, row by row, each cell by its heading."""
        table = self.front.get_by_role("table", name=label)
        expect(table).to_be_visible()
        rows: list[dict[str, str]] = table.evaluate(_ROWS)
        return rows

    def row(self, label: str, words: str | re.Pattern[str]) -> Locator:
        """The row of a grid that has some words in it."""
        return self.front.get_by_role("table", name=label).get_by_role("row").filter(has_text=words)

    def refusals(self) -> list[str]:
        """What was refused at this console, the newest first."""
        return [_cited(item) for item in self.page.locator(".refusals li").all()]

    def reply(self) -> str:
        """Why what was asked for in a sheet was refused; it is waited for."""
        said = self.dialog.locator(".reply")
        expect(said).to_be_visible()
        return _cited(said)

    # What is done.

    def button(self, name: str | re.Pattern[str]) -> Locator:
        """A button of what can be touched now; a string is its whole name."""
        return self.front.get_by_role("button", name=name, exact=True)

    def press(self, name: str | re.Pattern[str]) -> None:
        """Press a button, and wait for what comes of it."""
        self.button(name).click()
        self.settle()

    def tab(self, name: str | re.Pattern[str]) -> None:
        """Choose one of several views."""
        self.front.get_by_role("tab", name=name).click()
        self.settle()

    def fill(self, label: str, value: str) -> None:
        """Type something into the field of a label."""
        self.front.get_by_label(label).fill(value)

    def choose(self, label: str, option: str | re.Pattern[str]) -> None:
        """Choose from a list by the words of the choice."""
        listed = self.front.get_by_role("combobox", name=label)
        words = listed.locator("option").filter(has_text=option).first.inner_text()
        listed.select_option(label=words)

    def tick(self, label: str) -> None:
        self.front.get_by_label(label).check()

    def key(self, *keys: str) -> None:
        """Press some keys, one after another, and wait for what comes of it."""
        for key in keys:
            self.page.keyboard.press(key)
        self.settle()

    def leave(self) -> None:
        """Close the sheet on top."""
        self.dialog.locator("button.out").click()
        self.settle()

    def settle(self) -> None:
        """Wait until all is told and drawn; also what the house has to read its past for first."""
        self.screen.settle()


def _cited(line: Locator) -> str:
    """A text with the clause that stands behind its sign."""
    sign = line.locator(".clause-info:not([hidden]) .info")
    label = sign.get_attribute("aria-label") if sign.count() else None
    words = line.inner_text().strip()
    return f"{words} [{label.removeprefix('Rule: clause ')}]" if label else words
