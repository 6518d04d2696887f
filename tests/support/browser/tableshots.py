"""Pictures of a table: the dealer's console, and the display on the wall."""

from collections.abc import Sequence
from itertools import cycle
from typing import Final

from playwright.sync_api import Page, ViewportSize

from tests.support.browser.actors import DEALT, LAYOUTS, Colleague, lay, quiescent, seated
from tests.support.browser.console import Console
from tests.support.browser.harness import BrowserHarness
from tests.support.browser.houses import CLEARWATER, house_of
from tests.support.browser.screenshot import PAST, PHONE, TABLET, Shot, resized
from tests.support.connections import Client

#: What the players of a dealer's table begin with.
CREDITS: Final = (438_600, 194_000, 1_205_000, 221_000, 161_500, 333_000, 127_500, 96_000)
#: For so many spins each of these players, by place, has sat out.
IDLE: Final = {5: 1, 6: 3}
#: Who loses the line in the end.
LOST: Final = 4
SPINS: Final = 14
WALL: Final = ViewportSize(width=1920, height=1080)


def _dealt(harness: BrowserHarness) -> tuple[Console, Client]:
    """A dealer's table with past numbers and seats that play, sit out or are free; and one of those who play."""
    tom = Colleague(harness, "Tom", "dealer")
    players = seated(harness, "A", CREDITS)
    for left, pocket in zip(range(SPINS, 0, -1), PAST, strict=False):
        _lay(harness, players, left)
        harness.spin("A", str(pocket))
        tom.does("ConfirmResult", table="A", pocket=str(pocket))
    dealer = harness.staff("dealer", "Ines", "#table=A")
    _lay(harness, players, 0)
    return dealer, players[LOST]


def _lay(harness: BrowserHarness, players: Sequence[Client], left: int) -> None:
    """Have everybody bet who does so, this many spins before the last."""
    harness.reach("A", "open")
    for place, (player, bets) in enumerate(zip(players, cycle(LAYOUTS), strict=False)):
        lay(harness, "A", [(player.device, bets if left > IDLE.get(place, -1) else {})])


def _dealer(harness: BrowserHarness) -> Page:
    dealer, lost = _dealt(harness)
    lost.mute = True
    harness.house.run(harness.house.cut_off(lost.device))
    harness.spin("A", "17")
    harness.pass_s(1)
    return quiescent(dealer)


def _calling(harness: BrowserHarness) -> Page:
    dealer, lost = _dealt(harness)
    lost.mute = True
    harness.house.run(harness.house.cut_off(lost.device))
    harness.pass_s(1)
    return quiescent(dealer)


def _no_spin(harness: BrowserHarness) -> Page:
    dealer, _ = _dealt(harness)
    harness.reach("A", "closed")
    harness.launch("A")
    harness.pass_s(4)
    dealer.press("No spin…")
    dealer.tick("The ball left the wheel")
    dealer.fill("What happened", "It jumped over the rim after the second turn.")
    return quiescent(dealer)


def _board(harness: BrowserHarness) -> Page:
    for pocket in (*PAST[:-1], "00", "29"):
        harness.reach("C", "open")
        harness.spin("C", str(pocket))
    board = harness.screen("board#table=C", harness.context(viewport=WALL))
    harness.reach("C", "open")
    harness.spin("C", "17")
    harness.pass_s(5)
    return board.page


SHOTS: Final = (
    Shot("dealer", DEALT, _dealer),
    Shot("dealer-no-spin", DEALT, _no_spin),
    Shot("dealer-tablet", DEALT, resized(_dealer, TABLET)),
    Shot("dealer-phone", DEALT, resized(_calling, PHONE)),
    Shot("dealer-phone-number", DEALT, resized(_dealer, PHONE)),
    Shot("board", house_of(CLEARWATER), _board),
)
