"""Pictures of the pit: all tables of a house with what waits for somebody, and one table looked at closely."""

from collections.abc import Iterator
from typing import Final

from playwright.sync_api import Page

from tests.stage.company import FLOOR, LAYOUTS, Bets, Colleague, lay, quiescent, seated
from tests.stage.console import Console
from tests.stage.evening import Evening
from tests.stage.studio import PAST, Shot

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


def _floor(night: Evening) -> Console:
    """All tables after some rounds, each in another phase, and several things that wait for somebody."""
    omar = Colleague(night, "Omar", "pit")
    for table, begin_with in CREDITS.items():
        seated(night, table, begin_with)
    for place in range(ROUNDS):
        _round(night, PAST[place:])
    omar.signs()
    omar.does("CorrectResult", table="A", round=ROUNDS, pocket="29", words="The dealer misread the pocket.")
    omar.does("RaiseMalfunction", terminal="M-2", fault="interrupted", words="The screen flickers.")
    ada = night.staff("pit", "Ada")
    night.reach("C", "open")
    lay(night, "C", [("T1", {"17": 10_000})])
    night.spin("C", "17")
    night.pass_s(2)
    return ada


def _layouts(table: str) -> Iterator[tuple[str, Bets]]:
    """What the players of a table lay: less where less is allowed."""
    for terminal, bets in zip(PLAYING[table], LARGE if table in "CD" else LAYOUTS, strict=False):
        yield terminal, {spot: min(stake, SMALL) if table == "U" else stake for spot, stake in bets.items()}


def _round(night: Evening, pockets: tuple[int, ...]) -> None:
    """Play a round at every table."""
    for table in PLAYING:
        night.reach(table, "open")
        lay(night, table, _layouts(table))
    for table in LAUNCHED_FIRST:
        night.launch(table)
    for table in ("M", "A"):
        night.reach(table, "closed")
        night.launch(table)
    for table, pocket in zip(PLAYING, pockets, strict=False):
        night.reach(table, "running")
        night.land(table, str(pocket))


def _pit(night: Evening) -> Page:
    ada = _floor(night)
    for table in PLAYING:
        lay(night, table, _layouts(table))
    for table in LAUNCHED_FIRST:
        night.launch(table)
    night.reach("C", "running")
    night.land("C", "8")
    night.pass_s(1)
    return quiescent(ada)


def _table(night: Evening) -> Page:
    ada = _floor(night)
    lay(night, "M", _layouts("M"))
    ada.press("M wheel with sensors")
    return quiescent(ada)


SHOTS: Final = (Shot("pit", FLOOR, _pit), Shot("pit-table", FLOOR, _table))
