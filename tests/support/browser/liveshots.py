"""Pictures of live tables: entry, payment and sheets at the console, and the notice."""

from collections.abc import Callable
from typing import Any, Final

from playwright.sync_api import Page, ViewportSize

from croupier.house.ids import PositionId
from tests.support.browser.harness import BrowserHarness
from tests.support.browser.houses import house_of
from tests.support.browser.live import ADELAIDE, DOUBLE_ZERO, STAFF_OF, TABLET, UPRIGHT, LiveStage
from tests.support.browser.screenshot import Shot

FLOAT: Final = ((1000, 5), (500, 20), (100, 150), (25, 200), (5, 200))
#: The players of the pictures: seat, amount, colour and declared value.
PLAYERS: Final[tuple[tuple[str, int, str | None, int | None], ...]] = (
    ("Seat 1", 300, "blue", None),
    ("Seat 2", 200, "yellow", None),
    ("Seat 3", 500, "pink", 10),
    ("Seat 4", 2500, "violet", 25),
    ("Seat 5", 400, "orange", None),
    ("Seat 6", 250, None, None),
    ("Seat 7", 300, "sky", None),
)
#: What lies on the felt: the place of the player above, the chip, and the bets.
BETS: Final = (
    (0, "blue", ("17/20", 3), ("8", 2), ("26", 2), ("32/35", 1), ("13/14/16/17", 2)),
    (1, "yellow", ("17", 1), ("0", 1), ("5", 2), ("26", 1), ("red", 10), ("19/20/21", 2)),
    (2, "pink", ("14/17", 2), ("23", 2), ("26", 1), ("29/32", 2), ("dozen 2", 5), ("neighbours 0", 5)),
    (3, "violet", ("17", 5), ("11", 3), ("33/36", 4), ("black", 12)),
    (4, "orange", ("16/17/18/19/20/21", 2), ("36", 1), ("26", 2), ("7/8/10/11", 3), ("column 2", 6)),
    (5, "v100", ("17/18", 3), ("odd", 12)),
    (5, "v2500", ("dozen 3", 1)),
    (6, "sky", ("2", 2), ("28/31", 2), ("0/2/3", 1), ("neighbours 25", 10)),
)


def _betting(harness: BrowserHarness, size: ViewportSize = TABLET) -> LiveStage:
    """A busy table while bets are placed."""
    live = LiveStage(harness, "A", size=size)
    live.prepare(*FLOAT)
    seats = [live.player(*each) for each in PLAYERS]
    live.open()
    live.call("open")
    for place, chip, *bets in BETS:
        live.lay(PositionId(seats[place]), chip, *bets)
    live.select("Blue")
    live.page.mouse.move(0, 0)
    live.pass_s(1)
    return live


def _paying(harness: BrowserHarness, size: ViewportSize = TABLET, payments: int = 4) -> LiveStage:
    """The same table, while it is paid."""
    live = _betting(harness, size)
    live.close()
    live.rest("17")
    live.dolly("17")
    for _ in range(payments + 1 if payments >= 0 else 0):
        live.go.click()
        live.pass_s(0.5)
    return live


def _buy_in(harness: BrowserHarness) -> Page:
    live = _betting(harness)
    live.page.get_by_role("button", name="Buy in").click()
    live.at.press("Seat 8")
    live.at.dialog.get_by_role("button", name="Lime").click()
    live.at.press("$25")
    live.at.press("+ $500")
    live.at.press("+ $500")
    return live.page


def _us(harness: BrowserHarness) -> Page:
    live = LiveStage(harness, "U")
    live.prepare((100, 20), (25, 40), (5, 100), (1, 200))
    colours = ("blue", "yellow", "pink", "violet", "orange")
    seats = [live.player(f"Seat {place}", 40, colour) for place, colour in enumerate(colours, 1)]
    live.open()
    live.call("open")
    bets: tuple[tuple[tuple[str, int], ...], ...] = (
        (("17", 4), ("17/20", 2), ("0/00", 2)),
        (("red", 4), ("23", 1)),
        (("1/2/3", 3), ("8/9/11/12", 2)),
        (("0/00/1/2/3", 4), ("dozen 3", 2)),
        (("black", 1), ("28/29/30/31/32/33", 3)),
    )
    for seat, colour, each in zip(seats, colours, bets, strict=True):
        live.lay(seat, colour, *each)
    live.select("Blue")
    live.page.mouse.move(0, 0)
    live.pass_s(1)
    return live.page


def _notice(table: str) -> Callable[[BrowserHarness], Page]:
    def take(harness: BrowserHarness) -> Page:
        screen = harness.screen(f"notice#table={table}", harness.context(viewport={"width": 1920, "height": 1080}))
        screen.page.locator(".marks .chip").first.wait_for()
        screen.settle()
        return screen.page

    return take


def _paper(harness: BrowserHarness) -> Page:
    page = _notice("A")(harness)
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 794, "height": 1123})
    page.evaluate("document.body.style.padding = '45px 53px'")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.wait_for_timeout(200)
    return page


def _of(stage: Callable[..., LiveStage], *more: Any) -> Callable[[BrowserHarness], Page]:  # noqa: ANN401
    return lambda harness: stage(harness, *more).page


_HOUSE: Final = house_of(ADELAIDE, STAFF_OF["A"])
_US_HOUSE: Final = house_of(DOUBLE_ZERO, STAFF_OF["U"])
SHOTS: Final = (
    Shot("live", _HOUSE, _of(_betting)),
    Shot("live-upright", _HOUSE, _of(_betting, UPRIGHT)),
    Shot("live-wide", _HOUSE, _of(_betting, {"width": 1280, "height": 800})),
    Shot("live-us", _US_HOUSE, _us),
    Shot("live-buy-in", _HOUSE, _buy_in),
    Shot("live-collect", _HOUSE, _of(_paying, TABLET, -1)),
    Shot("live-pay", _HOUSE, _of(_paying)),
    Shot("live-pay-upright", _HOUSE, _of(_paying, UPRIGHT)),
    Shot("live-paid", _HOUSE, _of(_paying, TABLET, 11)),
    Shot("notice", _HOUSE, _notice("A")),
    Shot("notice-us", _US_HOUSE, _notice("U")),
    Shot("notice-paper", _HOUSE, _paper),
)
