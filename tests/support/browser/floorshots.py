"""Pictures of the pit: all tables of a house with what waits for somebody, and one table looked at closely."""

from collections.abc import Iterator
from typing import Final

from playwright.sync_api import Page

from tests.support.browser.actors import FLOOR, LAYOUTS, Bets, Colleague, lay, quiescent, seated
from tests.support.browser.console import Console
from tests.support.browser.harness import BrowserHarness
from tests.support.browser.screenshot import PAST, PHONE, TABLET, Shot, resized

#: What the players at each table begin with.
CREDITS: Final = {
    "M": (250_000, 120_000),
    "A": (438_600, 94_000, 1_205_000, 221_000, 61_500),
    "C": (980_000, 475_000),
    "U": (9_000, 4_000, 6_500),
}
#: The seats that play at each table; A-5 sits out.
PLAYING: Final = {
    "M": ("M-1", "M-2"),
    "A": ("A-1", "A-2", "A-3", "A-4"),
    "C": ("T1", "T2"),
    "D": ("T2",),
    "U": ("U-1", "U-2", "U-3"),
}
#: Where the ball is launched before betting closes.
LAUNCHED_FIRST: Final = ("C", "D", "U")
#: The most on one spot of the US table, in cents.
SMALL: Final = 400
#: What lies at Clearwater, where little comes back of it.
LARGE: Final = ({"red": 50_000, "column 1": 5_000, "28/29/30/31/32/33": 5_000}, {"red": 30_000, "9": 2_000})
ROUNDS: Final = 6


def _floor(harness: BrowserHarness) -> Console:
    """All tables after some rounds, each in another phase, and several things that wait for somebody."""
    omar = Colleague(harness, "Omar", "pit")
    for table, begin_with in CREDITS.items():
        seated(harness, table, begin_with)
    for place in range(ROUNDS):
        _round(harness, PAST[place:])
    omar.signs()
    omar.does("CorrectResult", table="A", round=ROUNDS, pocket="29", words="The dealer misread the pocket.")
    omar.does("RaiseMalfunction", terminal="M-2", fault="interrupted", words="The screen flickers.")
    ada = harness.staff("pit", "Ada")
    harness.reach("C", "open")
    lay(harness, "C", [("T1", {"17": 10_000})])
    harness.spin("C", "17")
    harness.pass_s(2)
    return ada


def _layouts(table: str) -> Iterator[tuple[str, Bets]]:
    """What the players of a table lay: less where less is allowed."""
    for terminal, bets in zip(PLAYING[table], LARGE if table in "CD" else LAYOUTS, strict=False):
        yield terminal, {spot: min(stake, SMALL) if table == "U" else stake for spot, stake in bets.items()}


def _round(harness: BrowserHarness, pockets: tuple[int, ...]) -> None:
    """Play a round at every table."""
    for table in PLAYING:
        harness.reach(table, "open")
        lay(harness, table, _layouts(table))
    for table in LAUNCHED_FIRST:
        harness.launch(table)
    for table in ("M", "A"):
        harness.reach(table, "closed")
        harness.launch(table)
    for table, pocket in zip(PLAYING, pockets, strict=False):
        harness.reach(table, "running")
        harness.land(table, str(pocket))


def _pit(harness: BrowserHarness) -> Page:
    ada = _floor(harness)
    for table in PLAYING:
        lay(harness, table, _layouts(table))
    for table in LAUNCHED_FIRST:
        harness.launch(table)
    harness.reach("C", "running")
    harness.land("C", "8")
    harness.pass_s(1)
    return quiescent(ada)


def _table(harness: BrowserHarness) -> Page:
    ada = _floor(harness)
    lay(harness, "M", _layouts("M"))
    ada.press("Marina Bay Sands M · wheel with sensors")
    return quiescent(ada)


SHOTS: Final = (
    Shot("pit", FLOOR, _pit),
    Shot("pit-table", FLOOR, _table),
    Shot("pit-tablet", FLOOR, resized(_pit, TABLET)),
    Shot("pit-phone", FLOOR, resized(_pit, PHONE)),
)
