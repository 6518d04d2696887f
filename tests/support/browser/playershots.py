"""Pictures of the player's terminal: every view, with chips on the felt and spins behind it."""

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from playwright.sync_api import Page

from tests.support.browser.finger import Finger
from tests.support.browser.harness import DESK, PHONE, BrowserHarness
from tests.support.browser.houses import EVERY, TABLES, house_of
from tests.support.browser.screen import screen_in
from tests.support.browser.screenshot import PAST, Shot, resized
from tests.support.browser.screenshot import PHONE as PHONE_SIZE
from tests.support.browser.seat import Seat

#: A player's idea of a good layout, in credits.
CHIPS: Final = {
    "17": 25, "20": 10, "17/20": 10, "26/29": 5, "8/11": 5, "32/33/35/36": 10, "1/2/3": 5, "28/29/30/31/32/33": 10,
    "red": 50, "dozen 2": 25, "column 1": 25,
}  # fmt: skip


class Scene(NamedTuple):
    """One picture: where it is taken, and what is done before."""

    name: str
    table: str
    plays: Callable[[BrowserHarness, Seat], None] = lambda _night, _seat: None
    phone: bool = False
    lang: str = "en"
    credit: int = 438_600


def _lay(harness: BrowserHarness, seat: Seat, table: str = "", scale: int = 100) -> None:
    """Lay chips as somebody would who has played for a while."""
    harness.house.lay(seat.device, table or seat.table, [(spot, chips * scale) for spot, chips in CHIPS.items()])
    harness.settle()


def _small(harness: BrowserHarness, seat: Seat) -> None:
    """Lay the same where a spot takes four at most."""
    harness.house.lay(seat.device, seat.table, [(spot, min(4, 1 + chips // 10) * 100) for spot, chips in CHIPS.items()])
    harness.settle()


def _table(harness: BrowserHarness, seat: Seat) -> None:
    (_small if seat.table == "U" else _lay)(harness, seat)
    harness.pass_s(9)


def _wheel_view(harness: BrowserHarness, seat: Seat) -> None:
    _table(harness, seat)
    seat.act("view")


def _two(harness: BrowserHarness, seat: Seat) -> None:
    _lay(harness, seat, scale=20)
    _lay(harness, seat, "D")
    harness.pass_s(9)


def _one(harness: BrowserHarness, seat: Seat) -> None:
    seat.act("games")
    _lay(harness, seat, scale=20)
    harness.pass_s(9)


def _limits(harness: BrowserHarness, seat: Seat) -> None:
    seat.act("games")
    seat.act("limits")
    harness.pass_s(9)


def _saved(harness: BrowserHarness, seat: Seat) -> None:
    seat.act("games")
    _lay(harness, seat, scale=20)
    seat.act("save")
    for slot in (1, 2):
        seat.dialog.get_by_role("group", name=f"Pattern {slot}").get_by_role("button", name="Save").click()
        seat.settle()


def _ghosts(harness: BrowserHarness, seat: Seat) -> None:
    _saved(harness, seat)
    seat.close()
    seat.act("clear")
    seat.act("save")
    seat.dialog.get_by_role("group", name="Pattern 1").get_by_role("button", name="Recall").click()
    harness.pass_s(9)


def _specials(harness: BrowserHarness, seat: Seat) -> None:
    _one(harness, seat)
    seat.act("special")
    seat.special("Black Splits", "").hover()
    harness.settle()


def _dialog(name: str) -> Callable[[BrowserHarness, Seat], None]:
    def opening(harness: BrowserHarness, seat: Seat) -> None:
        _table(harness, seat)
        seat.open(name)

    return opening


def _replay(harness: BrowserHarness, seat: Seat) -> None:
    for pocket in ("20", "5", "17"):
        harness.reach(seat.table, "open")
        _lay(harness, seat)
        harness.spin(seat.table, pocket)
    dialog = seat.open("recall")
    dialog.get_by_role("button", name="One step forward").click()
    harness.settle()


def _spinning(harness: BrowserHarness, seat: Seat) -> None:
    _table(harness, seat)
    harness.reach(seat.table, "closed")
    harness.launch(seat.table)


def _result(harness: BrowserHarness, seat: Seat) -> None:
    _spinning(harness, seat)
    harness.land(seat.table, "17")
    # The ball takes a moment to lie, and then there is a moment before the next round.
    harness.pass_s(4.5)


def _lost(harness: BrowserHarness, seat: Seat) -> None:
    _table(harness, seat)
    seat.page.context.set_offline(True)
    harness.house.run(harness.house.cut_off(seat.device))
    seat.screen.console.may_be_cut = True
    seat.screen.wait_until_down()
    seat.screen.pass_s(1)
    seat.settle()


def _hold(harness: BrowserHarness, seat: Seat) -> None:
    seat.act("games")
    harness.house.lay(seat.device, "C", [("17", 10_000), ("17/20", 5_000)])
    harness.spin("C", "17")
    harness.pass_s(4)


def _tab(tab: str) -> Callable[[BrowserHarness, Seat], None]:
    def choosing(harness: BrowserHarness, seat: Seat) -> None:
        _table(harness, seat)
        seat.page.locator(f'[data-tab="{tab}"]').click()
        harness.settle()
        # The wheel is painted once it has a size.
        if tab == "wheel":
            seat.page.locator(".game .wheel canvas").first.wait_for()

    return choosing


def _lens(harness: BrowserHarness, seat: Seat) -> None:
    _table(harness, seat)
    Finger(seat.screen).down(seat.places()["17/18/20/21"])
    harness.settle()


def _past(harness: BrowserHarness, table: str) -> None:
    """Have something happen before: spins of a venue's tables, and in the last of them a bet of whoever sits here."""
    tables = ("C", "D") if table == "C" else (table,)
    seat = "T1" if table == "C" else f"{table}-1"
    for place, pocket in enumerate(PAST, 1):
        for each in tables:
            harness.reach(each, "open")
        if place == len(PAST):
            harness.house.gift(seat, 500)
            harness.house.lay(seat, table, [("17" if table != "M" else "5/6", 500 if table != "U" else 400)])
        harness.spin(table, str(pocket), *tables[1:])


SCENES: Final = (
    Scene("table-marina", "M", _table),
    Scene("table-adelaide", "A", _table),
    Scene("table-clearwater", "C", _one),
    Scene("table-us", "U", _table, credit=10_000),
    Scene("wheel-view", "M", _wheel_view),
    Scene("two-games", "C", _two),
    Scene("limits", "C", _limits),
    Scene("recall-ghosts", "C", _ghosts),
    Scene("save-recall", "C", _saved),
    Scene("specials", "C", _specials),
    Scene("statistics", "M", _dialog("statistics")),
    Scene("help", "C", _dialog("help")),
    Scene("phone-help", "C", _dialog("help"), phone=True),
    Scene("rules", "M", _dialog("rules")),
    Scene("last-ten-games", "M", _replay),
    Scene("spinning", "M", _spinning),
    Scene("result", "M", _result),
    Scene("disconnected", "M", _lost),
    Scene("hold", "C", _hold),
    Scene("arabic", "M", _table, lang="ar"),
    Scene("phone-table", "U", _table, phone=True, credit=10_000),
    Scene("phone-racetrack", "M", _tab("racetrack"), phone=True),
    Scene("phone-wheel", "M", _tab("wheel"), phone=True),
    Scene("phone-statistics", "M", _tab("stats"), phone=True),
    Scene("phone-lens", "M", _lens, phone=True),
    Scene("phone-arabic", "A", _table, phone=True, lang="ar"),
)


def _shot(scene: Scene) -> Shot:
    def plays(harness: BrowserHarness) -> Page:
        _past(harness, scene.table)
        options: dict[str, Any] = {"viewport": PHONE if scene.phone else DESK, "has_touch": scene.phone}
        seat = harness.seat(
            scene.table, credit=scene.credit, lang=scene.lang, reduced_motion="no-preference", **options
        )
        scene.plays(harness, seat)
        return seat.page

    return Shot(scene.name, house_of(TABLES[scene.table]), plays)


#: Whether the wheel of the lobby is painted: its middle is not transparent.
_PAINTED: Final = """() => [...document.querySelectorAll("canvas")].some((canvas) =>
  canvas.getContext("2d").getImageData(canvas.width / 2, canvas.height / 2, 1, 1).data[3] > 0)"""


def _lobby(harness: BrowserHarness) -> Page:
    """Open the lobby of a venue with a round open at its tables, and some numbers behind them."""
    _past(harness, "C")
    for table in ("C", "D"):
        harness.reach(table, "open")
    harness.pass_s(5)
    screen = screen_in(harness.context(viewport=DESK, reduced_motion="no-preference"), harness.house)
    screen.page.goto(screen.url)
    screen.page.locator(".card").first.wait_for()
    screen.page.wait_for_function(_PAINTED)
    return screen.page


SHOTS: Final = (
    Shot("lobby", EVERY, _lobby),
    Shot("phone-lobby", EVERY, resized(_lobby, PHONE_SIZE)),
    *(_shot(scene) for scene in SCENES),
)
