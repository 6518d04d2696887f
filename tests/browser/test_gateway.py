"""Screens behind a gateway: a round through it, and a page that goes on there when its own line is cut."""

from collections.abc import Iterator

import pytest

from croupier.server.http import HttpHandler
from tests.browser.test_line import LOST_S, Wired
from tests.support.browser.houses import MARINA, PLAIN, house_of
from tests.support.browser.shared_house import Opens
from tests.support.connections import THROUGH_GATEWAY


@pytest.fixture(autouse=True)
def _behind_a_gateway() -> Iterator[None]:
    token = THROUGH_GATEWAY.set(True)
    yield
    THROUGH_GATEWAY.reset(token)


def test_round_through_a_gateway(opens: Opens) -> None:
    """Bets, an undone bet, the close, the number and the payment on the screen are those of the house's books."""
    harness = opens(house_of(MARINA))
    seat = harness.seat("M")
    board = harness.screen("board")
    seat.tap("17", "17/20", "5", "8")
    assert seat.stakes() == seat.bets() == {"17": 500, "17/20": 500, "5": 500, "8": 500}
    seat.act("undo")
    assert seat.stakes() == seat.bets() == {"17": 500, "17/20": 500, "5": 500}
    before = seat.credit()
    assert seat.meter("credit") == before

    harness.reach("M", "closed")
    seat.tap("20")
    assert seat.stakes() == seat.bets() == {"17": 500, "17/20": 500, "5": 500}
    harness.spin("M", "17")
    assert seat.meter("credit") == seat.credit() == before + 500 * 36 + 500 * 18
    assert seat.history()[0] == "17"
    assert "17" in board.page.inner_text("main")


def test_page_goes_on_at_the_next_address(opens: Opens) -> None:
    """A page that knows a gateway connects there when its own line is cut, and a chip on its way is laid once."""
    harness = opens(house_of(PLAIN["M"]))
    house = harness.house.open
    site = house.venue.server.site
    assert house.gateway is not None
    assert isinstance(site, HttpHandler)
    site.addresses = (f"http://127.0.0.1:{house.gateway.port}",)
    wired = Wired(harness, "M")
    house.gateway.server.origins.add(f"http://127.0.0.1:{wired.line.port}")
    seat = wired.seat
    assert not house.gateway.gateway.connections

    wired.holds(answers=True)
    seat.tap("17")
    harness.house.run(wired.line.responses_wait())
    wired.breaks()
    # Time for one attempt.
    seat.screen.pass_s(LOST_S)
    assert seat.screen.settle()
    assert len(house.gateway.gateway.connections) == 1
    assert seat.stakes() == seat.bets() == {"17": 100}
    seat.tap("20")
    assert seat.stakes() == seat.bets() == {"17": 100, "20": 100}
