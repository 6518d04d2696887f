"""Staff and players of a busy house, for screenshots with a game under way."""

from collections.abc import Iterable, Mapping
from typing import Final

from playwright.sync_api import Page

from tests.support.browser.console import Console
from tests.support.browser.harness import BrowserHarness
from tests.support.browser.houses import ADELAIDE, CLEARWATER, TABLES, house_of
from tests.support.connections import Client, secret_of


def _staff(dealer: str, manager: str) -> str:
    """Two dealers, two managers, and everybody else whom a house has."""
    people = {
        "Ines": dealer,
        "Tom": dealer,
        "Ada": manager,
        "Omar": manager,
        "Lena": "Cashier",
        "Noor": "Auditor",
        "Vera": "Cashier, Inspector",
    }
    return "".join(
        f'[[staff]]\nperson = "{person}"\ntitles = {titles.split(", ")}\n' for person, titles in people.items()
    )


def _adelaide(seats: int, more: str = "") -> str:
    return ADELAIDE.replace("seats = 3", f"seats = {seats}\n{more}")


_PEOPLE: Final = _staff("Dealer", "Shift Manager")
#: A table with a dealer, who confirms each number.
DEALT: Final = house_of(
    _adelaide(10, "confirms = true").replace("offline_grace_s = 60", "offline_grace_s = 600"), _PEOPLE
)
#: A table that runs by itself, with somebody to see to what goes wrong.
QUIET: Final = house_of(_adelaide(8), _PEOPLE)
#: The same with a second table, for whoever looks at all of them.
PAIR: Final = house_of(_adelaide(6), _adelaide(2).replace('id = "A"', 'id = "B"'), _PEOPLE)
#: The first table again, with terminals of another venue, whose wins may take a form.
MIXED: Final = house_of(_adelaide(5), CLEARWATER, _PEOPLE)
#: All four venues under one roof.
FLOOR: Final = house_of(
    *(text for table, text in TABLES.items() if table != "A"),
    _adelaide(5),
    _staff("Dealer, Attendant", "Shift Manager, Gaming Shift Manager, Supervisor"),
)
#: What each of some players has on the felt, in cents by spot.
LAYOUTS: Final = (
    {"17": 2_500, "17/20": 1_000, "red": 5_000, "dozen 2": 2_500},
    {"20": 1_000, "8/11": 500, "28/29/30/31/32/33": 1_000},
    {"32/33/35/36": 1_000, "26/29": 500, "black": 10_000},
    {"1/2/3": 500, "0": 500, "column 1": 2_000},
    {"5": 1_000, "14": 1_000, "23": 1_000, "odd": 2_500},
)
Bets = Mapping[str, int]


def seated(harness: BrowserHarness, table: str, begin_with: Iterable[int]) -> list[Client]:
    """Seat players with some play money each, without a screen."""
    return [_sits(harness, table, credit) for credit in begin_with]


def _sits(harness: BrowserHarness, table: str, credit: int) -> Client:
    client = harness.house.run(harness.house.open.seated(table, credit=0))
    if credit:
        harness.house.gift(client.device, credit)
    return client


def lay(harness: BrowserHarness, table: str, layouts: Iterable[tuple[str, Bets]]) -> None:
    """Have some seats lay their chips anew, one after another."""
    for terminal, bets in layouts:
        harness.house.clear(terminal, table)
        for spot, stake in bets.items():
            harness.house.lay(terminal, table, [(spot, stake)])
        harness.pass_s(1)


class Colleague:
    """Somebody of the staff at a console that is not looked at."""

    def __init__(self, harness: BrowserHarness, person: str, connection: str) -> None:
        self._house, self._person = harness.house, person
        self._wire = self._house.run(self._house.open.signed_in(person, connection, self._house.open.codes[person]))

    def does(self, command: str, **more: object) -> None:
        assert self._house.run(self._wire.acked(command, **more)) == "done"
        self._house.rest()

    def signs(self) -> None:
        """Give the secret once more, for what takes a fresh signature."""
        assert self._house.run(self._wire.reply("step_up", secret=secret_of(self._person))) == "stepped_up"


def quiescent(console: Console) -> Page:
    """Take the pointer away from a console, so that nothing is lit by it; give its page."""
    console.page.mouse.move(0, 0)
    console.settle()
    return console.page
