"""Pictures of a table: the dealer's console, and the display on the wall."""

from collections.abc import Sequence
from itertools import cycle
from typing import Final

from playwright.sync_api import Page, ViewportSize

from tests.connections import Client
from tests.stage.company import DEALT, LAYOUTS, Colleague, lay, quiescent, seated
from tests.stage.console import Console
from tests.stage.evening import Evening
from tests.stage.houses import CLEARWATER, house_of
from tests.stage.studio import PAST, Shot

#: What the players of a dealer's table begin with.
CREDITS: Final = (438_600, 194_000, 1_205_000, 221_000, 161_500, 333_000, 127_500, 96_000)
#: For so many spins each of these players, by place, has sat out.
IDLE: Final = {5: 1, 6: 3}
#: Who loses the line in the end.
LOST: Final = 4
SPINS: Final = 14
WALL: Final = ViewportSize(width=1920, height=1080)


def _dealt(night: Evening) -> tuple[Console, Client]:
    """A dealer's table with past numbers and seats that play, sit out or are free; and one of those who play."""
    tom = Colleague(night, "Tom", "dealer")
    players = seated(night, "A", CREDITS)
    for left, pocket in zip(range(SPINS, 0, -1), PAST, strict=False):
        _lay(night, players, left)
        night.spin("A", str(pocket))
        tom.does("ConfirmResult", table="A", pocket=str(pocket))
    dealer = night.staff("dealer", "Ines", "#table=A")
    _lay(night, players, 0)
    return dealer, players[LOST]


def _lay(night: Evening, players: Sequence[Client], left: int) -> None:
    """Have everybody bet who does so, this many spins before the last."""
    night.reach("A", "open")
    for place, (player, bets) in enumerate(zip(players, cycle(LAYOUTS), strict=False)):
        lay(night, "A", [(player.device, bets if left > IDLE.get(place, -1) else {})])


def _dealer(night: Evening) -> Page:
    dealer, lost = _dealt(night)
    lost.mute = True
    night.house.run(night.house.cut_off(lost.device))
    night.spin("A", "17")
    night.pass_s(1)
    return quiescent(dealer)


def _no_spin(night: Evening) -> Page:
    dealer, _ = _dealt(night)
    night.reach("A", "closed")
    night.launch("A")
    night.pass_s(4)
    dealer.press("No spin…")
    dealer.tick("The ball left the wheel")
    dealer.fill("What happened", "It jumped over the rim after the second turn.")
    return quiescent(dealer)


def _board(night: Evening) -> Page:
    for pocket in (*PAST[:-1], "00", "29"):
        night.reach("C", "open")
        night.spin("C", str(pocket))
    board = night.screen("board#table=C", night.context(viewport=WALL))
    night.reach("C", "open")
    night.spin("C", "17")
    night.pass_s(5)
    return board.page


SHOTS: Final = (
    Shot("dealer", DEALT, _dealer),
    Shot("dealer-no-spin", DEALT, _no_spin),
    Shot("board", house_of(CLEARWATER), _board),
)
