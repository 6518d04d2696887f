"""The lobby: what its cards show of every table, and who may see the code for phones."""

import json
from pathlib import Path
from types import SimpleNamespace

import pytest
import segno
from multidict import CIMultiDict

from croupier.engine.ports import Request
from croupier.house.credit.notes import GrantPlayMoney
from croupier.house.ids import DeviceId, Instant, TableId, TerminalId
from croupier.house.settings import Mode, TableSettings
from croupier.rules.money import Cents
from croupier.server.auth.devices import QUIET_ZONE
from croupier.server.http import JOIN_PATH, HttpRequest, HttpResponse, Server
from croupier.server.lobby import LobbyView, join_picture, wheel_order
from croupier.server.views.felt import felt_data
from croupier.server.views.table import TableViews
from tests.conftest import DOCUMENTS, venue
from tests.support.connections import open_house, played
from tests.support.engine_driver import done, memory_storage, provisioning, start
from tests.support.site import Fetched

TABLE = TableId("A")
SEATS = (TerminalId("A-1"), TerminalId("A-2"))
NOW = Instant(7)


class Room:
    """A table of two seats, and its lobby."""

    def __init__(self, rulebook: str = "marina-bay-sands-2020") -> None:
        self.book = venue(rulebook)
        self.run = start(memory_storage())
        done(self.run, *provisioning(self.book, TABLE, SEATS, TableSettings(warning_s=0)))
        self.connected = set[DeviceId]()
        self.views = TableViews(self.run.house, lambda *_: felt_data(self.book).hash, {})
        self.views.build(TABLE)
        clock = SimpleNamespace(now=lambda: NOW)
        self.view = LobbyView(self.run.house, self.views, self.connected, clock)


@pytest.mark.parametrize(
    ("rulebook", "variant"),
    [
        ("marina-bay-sands-2020", (2, "european", False)),
        ("skycity-adelaide-2003", (1, "european", False)),
        ("clearwater-etg", (2, "american", False)),
        ("us-double-zero", (2, "american", True)),
    ],
)
def test_card_has_the_variant_of_its_table(rulebook: str, variant: tuple[int, str, bool]) -> None:
    """A card has the zeros of the wheel, whose order it has, and whether its seats are for practice."""
    (card,) = Room(rulebook).view.build().tables

    assert (card.zeros, card.order, card.practice) == variant
    assert (card.venue, card.rulebook) == (venue(rulebook).venue, rulebook)


def test_card_counts_the_seats_that_are_free() -> None:
    """A seat is taken while its device is connected, and while there is money on it."""
    room = Room()

    def free() -> tuple[int, int]:
        (card,) = room.view.build().tables
        return card.seats, card.free

    assert free() == (2, 2)
    room.connected.add(DeviceId(SEATS[0]))
    assert free() == (2, 1)
    done(room.run, Request(GrantPlayMoney(SEATS[1], Cents(500))))
    assert free() == (2, 0)


def test_card_has_the_widest_limits() -> None:
    """A card has the lowest minimum and the highest maximum of any bet, as last published."""
    room = Room("us-double-zero")
    lobby = room.view.build()

    assert (lobby.tables[0].least, lobby.tables[0].most) == (100, 400)
    assert (lobby.now_us, lobby.gift) == (NOW, 100_000)


def test_real_money_is_no_gift() -> None:
    """Where money is real the lobby promises none."""
    room = Room()
    room.run.house.setup.mode = Mode.REAL

    assert room.view.build().gift is None


@pytest.mark.parametrize("name", DOCUMENTS)
def test_order_of_a_wheel_does_not_depend_on_where_it_begins(name: str) -> None:
    """A wheel has the same order from wherever its pockets are listed."""
    order = venue(name).wheel.order

    assert {wheel_order((*order[start:], *order[:start])) for start in range(len(order))} == {wheel_order(order)}


def test_site_has_a_lobby() -> None:
    """The first page has its tables and felts, and asks for the lobby."""
    fetched = Fetched()

    assert json.loads(fetched.get("/lobby.json").body) == {"now_us": 0, "gift": None, "tables": []}
    page = fetched.get("/").body.decode()
    data = json.loads(page.split('id="place">')[1].split("</script>")[0])
    assert data["tables"][0]["table"] == "A"
    felt = data["felts"][fetched.book.id]
    assert tuple(felt["wheel"]) == fetched.book.wheel.order
    assert len(felt["cells"]) == len(fetched.book.wheel.order)


def test_code_is_shown_on_the_host_alone(tmp_path: Path) -> None:
    """Whoever sees the code may join: only a screen of the host gets it, and only where phones may join."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:

            def shown(peer: str, link: str, **headers: str) -> dict[str, object]:
                server = Server(house.venue.router, house.venue.server.site, 10, join_link=lambda: link)
                response = server.respond(HttpRequest(JOIN_PATH, "GET", CIMultiDict(headers), peer))
                assert isinstance(response, HttpResponse)
                return dict(json.loads(response.body))

            link = "http://192.0.2.7:8080/terminal#join=secret"
            assert shown("192.0.2.9", link) == {}
            picture = shown("127.0.0.1", link)
            assert "size" in picture
            assert "secret" not in str(picture["path"])
            assert shown("127.0.0.1", "") == {}
            for host in ("localhost:8080", "127.0.0.1:8080", "[::1]:8080"):
                assert shown("127.0.0.1", link, Host=host) == picture
                assert shown("127.0.0.1", link, Host=host, **{"X-Forwarded-For": "192.0.2.9"}) == {}
            for host in ("tables.example", "", "[::1"):
                assert shown("127.0.0.1", link, Host=host) == {}
            assert JOIN_PATH == "/join.json"

    played(scenario)


def test_picture_has_every_dark_module() -> None:
    """The picture is the code of the address, module by module, in its quiet zone."""
    url = "http://192.0.2.7:8080/terminal#join=secret"
    picture = join_picture(url)
    rows = list(segno.make_qr(url, error="m").matrix_iter(border=QUIET_ZONE))
    dark = {(x, y) for y, row in enumerate(rows) for x, is_dark in enumerate(row) if is_dark}

    assert picture.size == len(rows)
    drawn = {tuple(map(int, each.split("h")[0].split())) for each in picture.path.split("M")[1:]}
    assert drawn == dark
