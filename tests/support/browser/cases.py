"""Cases: a house in which some rounds were played, and what whoever looks into one of them sees and does."""

import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final, TypeVar

import pytest
from playwright.sync_api import expect

from croupier.house.ids import PositionId, RoundNumber, TableId
from croupier.house.state.tables import Round
from tests.support.browser.console import Console
from tests.support.browser.harness import BrowserHarness
from tests.support.browser.houses import ADELAIDE, MANAGERS, house_of
from tests.support.browser.seat import cents_on_chip

Value = TypeVar("Value")

_STAFF: Final = f"""{MANAGERS}[[staff]]
person = "reviewer"
titles = ["Manager Government Casino Inspectorate", "Inspector"]
"""
HOUSE: Final = house_of(ADELAIDE, _STAFF)
#: What two players have on the felt in every round, in cents by spot.
BETS: Final = {"A-1": {"17": 1_000, "red": 500}, "A-2": {"20": 2_000, "17/20": 1_000, "dozen 2": 500}}
CREDIT: Final = 100_000
#: The most keys that it may take from one end of a sheet to the other.
KEYS_MAX: Final = 30
_CELLS: Final = """(rows) => Object.fromEntries(rows.map((row) => [row.dataset.seat,
  [...row.querySelectorAll("td")].map((cell) => cell.innerText)]))"""
_CHIPS: Final = """(stacks) => Object.fromEntries(stacks.filter((one) => one.checkVisibility())
  .map(({ dataset: { spot }, textContent }) => [spot, textContent]))"""


#: Where the ball falls in each round that is played: what is done to one of them leaves the others alone.
LOOKED_AT, TAKEN_BACK, CORRECTED = 1, 2, 3
POCKETS: Final = {LOOKED_AT: "17", TAKEN_BACK: "0", CORRECTED: "17"}


class Pit:
    """A house in which some rounds were played, and whoever sees to what went wrong, each at a console."""

    def __init__(self, harness: BrowserHarness) -> None:
        self.harness = harness
        self._consoles: dict[tuple[str, int], Console] = {}

    def at(self, person: str, device: int = 1, *, closed: bool = True) -> Console:
        """Somebody at a console of the pit, where nothing is open unless that is wanted."""
        console = self._consoles.get((person, device))
        if console is None:
            console = self._consoles[person, device] = self.harness.staff("pit", person, accept_downloads=True)
        self.harness.pass_s(1)
        while closed and console.page.locator("dialog[open]").count():
            console.leave()
        return console

    def opened(self, action: str, number: int, person: str = "boss") -> Console:
        """Have somebody open what can be done about a round."""
        console = self.at(person)
        console.page.locator(".floor button.name").first.click()
        console.press(f"{action}: round {number}")
        return console

    def do(self, console: Console, name: str, label: str = "", words: str = "") -> None:
        """Press something, say what is asked for, and wait until everybody has been told."""
        console.press(name)
        if label:
            console.fill(label, words)
        if console.dialog.get_attribute("data-dialog") == "dispute-action":
            console.press(name)
        self.harness.pass_s(1)

    def credits(self) -> dict[str, int]:
        return {terminal: self.harness.house.credit(terminal) for terminal in BETS}

    def by_seat(self, values: Mapping[PositionId, Value]) -> dict[str, Value]:
        """What a record has for each position, by its terminal."""
        terminals = self.harness.house.read(lambda house: {each: house.positions[each].terminal for each in values})
        return {terminals[each]: value for each, value in values.items()}

    def round(self, number: int) -> Round:
        """A round by the house's own record."""
        found = self.harness.house.read(lambda house: house.tables[TableId("A")].find_round(RoundNumber(number)))
        assert found is not None
        return found


def begin(harness: BrowserHarness) -> None:
    """Seat two players with some credit, and play all rounds, before anybody looks on."""
    for terminal in BETS:
        client = harness.house.run(harness.house.open.seated("A", credit=0))
        assert client.device == terminal
        harness.house.gift(terminal, CREDIT)
    for pocket in POCKETS.values():
        _play(harness, pocket)


def _play(harness: BrowserHarness, pocket: str) -> None:
    """Play a round of two players, whose chips are all laid anew."""
    harness.reach("A", "open")
    for terminal, bets in BETS.items():
        harness.house.clear(terminal, "A")
        for spot, stake in bets.items():
            harness.house.lay(terminal, "A", [(spot, stake)])
    harness.spin("A", pocket)
    harness.reach("A", "between")


def pick(console: Console, pocket: str) -> None:
    """Touch a number on the pad."""
    console.dialog.get_by_role("radio", name=re.compile(rf"^{pocket} ")).check(force=True)
    console.settle()
    expect(console.dialog.locator(".swap")).to_contain_text(pocket)


def sign(console: Console, name: str) -> None:
    """Press what takes a signature, and give the secret once more where the last time was long ago."""
    console.press(name)
    if console.page.locator("dialog[data-dialog=step-up]").count():
        console.sign_again()


def preview(console: Console) -> dict[str, list[str]]:
    """What the table of every seat's money says, by seat."""
    rows = console.dialog.locator(".before-after tbody tr")
    expect(rows.first).to_be_visible()
    found: dict[str, list[str]] = rows.evaluate_all(_CELLS)
    return found


def chips(console: Console) -> dict[str, int]:
    """The chips on the felt of a replay, in cents by spot."""
    found: dict[str, str] = console.dialog.locator(".cloth .stack[data-spot]").evaluate_all(_CHIPS)
    return {spot: cents_on_chip(words) for spot, words in found.items()}


def moment(console: Console) -> str:
    return console.dialog.locator(".moment strong").inner_text()


def go(console: Console, words: str) -> None:
    """Go to the step that says something."""
    console.dialog.locator(".replay-steps button").filter(has_text=words).first.click()
    console.settle()


def saved(console: Console, name: str, folder: Path) -> Path:
    with console.page.expect_download() as download:
        console.button(name).click()
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    return path


def ran(*command: str) -> int:
    return subprocess.run((sys.executable, *command), check=False, capture_output=True, timeout=60).returncode


def tab_to(console: Console, place: str) -> None:
    """Go on with the keyboard until something in the sheet has the focus."""
    for _ in range(KEYS_MAX):
        console.page.keyboard.press("Tab")
        if console.dialog.locator(f"{place}:focus").count():
            return
    pytest.fail(f"no key leads to {place}")
