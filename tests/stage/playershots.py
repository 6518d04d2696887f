"""Pictures of the player's terminal: every view, with chips on the felt and spins behind it."""

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from playwright.sync_api import Page

from tests.stage.evening import DESK, PHONE, Evening
from tests.stage.finger import Finger
from tests.stage.houses import TABLES, house_of
from tests.stage.seat import Seat
from tests.stage.studio import PAST, Shot

#: A player's idea of a good layout, in credits.
CHIPS: Final = {
    "17": 25, "20": 10, "17/20": 10, "26/29": 5, "8/11": 5, "32/33/35/36": 10, "1/2/3": 5, "28/29/30/31/32/33": 10,
    "red": 50, "dozen 2": 25, "column 1": 25,
}  # fmt: skip


class Scene(NamedTuple):
    """One picture: where it is taken, and what is done before."""

    name: str
    table: str
    plays: Callable[[Evening, Seat], None] = lambda _night, _seat: None
    phone: bool = False
    lang: str = "en"
    credit: int = 438_600


def _lay(night: Evening, seat: Seat, table: str = "", scale: int = 100) -> None:
    """Lay chips as somebody would who has played for a while."""
    night.house.lay(seat.device, table or seat.table, [(spot, chips * scale) for spot, chips in CHIPS.items()])
    night.settle()


def _small(night: Evening, seat: Seat) -> None:
    """Lay the same where a spot takes four at most."""
    night.house.lay(seat.device, seat.table, [(spot, min(4, 1 + chips // 10) * 100) for spot, chips in CHIPS.items()])
    night.settle()


def _table(night: Evening, seat: Seat) -> None:
    (_small if seat.table == "U" else _lay)(night, seat)
    night.pass_s(9)


def _wheel_view(night: Evening, seat: Seat) -> None:
    _table(night, seat)
    seat.act("view")


def _two(night: Evening, seat: Seat) -> None:
    _lay(night, seat, scale=20)
    _lay(night, seat, "D")
    night.pass_s(9)


def _one(night: Evening, seat: Seat) -> None:
    seat.act("games")
    _lay(night, seat, scale=20)
    night.pass_s(9)


def _limits(night: Evening, seat: Seat) -> None:
    seat.act("games")
    seat.act("limits")
    night.pass_s(9)


def _saved(night: Evening, seat: Seat) -> None:
    seat.act("games")
    _lay(night, seat, scale=20)
    seat.act("save")
    for slot in (1, 2):
        seat.sheet.get_by_role("group", name=f"Pattern {slot}").get_by_role("button", name="Save").click()
        seat.settle()


def _ghosts(night: Evening, seat: Seat) -> None:
    _saved(night, seat)
    seat.close()
    seat.act("clear")
    seat.act("save")
    seat.sheet.get_by_role("group", name="Pattern 1").get_by_role("button", name="Recall").click()
    night.pass_s(9)


def _specials(night: Evening, seat: Seat) -> None:
    _one(night, seat)
    seat.act("special")
    seat.special("Black Splits", "").hover()
    night.settle()


def _sheet(name: str) -> Callable[[Evening, Seat], None]:
    def opening(night: Evening, seat: Seat) -> None:
        _table(night, seat)
        seat.open(name)

    return opening


def _replay(night: Evening, seat: Seat) -> None:
    for pocket in ("20", "5", "17"):
        night.reach(seat.table, "open")
        _lay(night, seat)
        night.spin(seat.table, pocket)
    sheet = seat.open("recall")
    sheet.get_by_role("button", name="One step forward").click()
    night.settle()


def _spinning(night: Evening, seat: Seat) -> None:
    _table(night, seat)
    night.reach(seat.table, "closed")
    night.launch(seat.table)


def _result(night: Evening, seat: Seat) -> None:
    _spinning(night, seat)
    night.land(seat.table, "17")
    # The ball takes a moment to lie, and then there is a moment before the next round.
    night.pass_s(4.5)


def _lost(night: Evening, seat: Seat) -> None:
    _table(night, seat)
    seat.page.context.set_offline(True)
    night.house.run(night.house.cut_off(seat.device))
    seat.screen.console.may_be_cut = True
    seat.screen.wait_until_down()
    seat.screen.pass_s(1)
    seat.settle()


def _hold(night: Evening, seat: Seat) -> None:
    seat.act("games")
    night.house.lay(seat.device, "C", [("17", 10_000), ("17/20", 5_000)])
    night.spin("C", "17")
    night.pass_s(4)


def _tab(tab: str) -> Callable[[Evening, Seat], None]:
    def choosing(night: Evening, seat: Seat) -> None:
        _table(night, seat)
        seat.page.locator(f'[data-tab="{tab}"]').click()
        night.settle()

    return choosing


def _lens(night: Evening, seat: Seat) -> None:
    _table(night, seat)
    Finger(seat.screen).down(seat.places()["17/18/20/21"])
    night.settle()


def _past(night: Evening, table: str) -> None:
    """Have something happen before: spins of a venue's tables, and in the last of them a bet of whoever sits here."""
    tables = ("C", "D") if table == "C" else (table,)
    seat = "T1" if table == "C" else f"{table}-1"
    for place, pocket in enumerate(PAST, 1):
        for each in tables:
            night.reach(each, "open")
        if place == len(PAST):
            night.house.gift(seat, 500)
            night.house.lay(seat, table, [("17" if table != "M" else "5/6", 500 if table != "U" else 400)])
        night.spin(table, str(pocket), *tables[1:])


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
    Scene("statistics", "M", _sheet("statistics")),
    Scene("rules", "M", _sheet("rules")),
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
    def plays(night: Evening) -> Page:
        _past(night, scene.table)
        options: dict[str, Any] = {"viewport": PHONE if scene.phone else DESK, "has_touch": scene.phone}
        seat = night.seat(scene.table, credit=scene.credit, lang=scene.lang, reduced_motion="no-preference", **options)
        scene.plays(night, seat)
        return seat.page

    return Shot(scene.name, house_of(TABLES[scene.table]), plays)


SHOTS: Final = tuple(_shot(scene) for scene in SCENES)
