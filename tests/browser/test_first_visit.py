"""The first visit: from the lobby to a settled bet in a few touches, and what a seat without credit offers."""

from typing import Any

import pytest
from playwright.sync_api import expect

from tests.support.browser.harness import PHONE, BrowserHarness
from tests.support.browser.houses import ADELAIDE, CLEARWATER, DOUBLE_ZERO, EVERY, MARINA, TABLES, house_of
from tests.support.browser.live import ADELAIDE as LIVE
from tests.support.browser.screen import Screen, screen_in
from tests.support.browser.seat import Seat
from tests.support.browser.shared_house import Opens

TOUCH: dict[str, Any] = {"viewport": PHONE, "has_touch": True}
#: What gives the live table terminals besides.
SEAT = """[tables.seat]
denominations = [1]
chips = [5, 10]
notes = [10, 50]
"""
#: The most touches from the lobby to a bet.
TOUCHES_MAX = 2


def lobby(harness: BrowserHarness, **options: Any) -> Screen:  # noqa: ANN401 - as the browser takes
    """Open the lobby. It has no connection to wait for."""
    screen = screen_in(harness.context(**options), harness.house)
    screen.page.goto(screen.url)
    expect(screen.page.locator(".card").first).to_be_visible()
    return screen


@pytest.mark.parametrize("phone", [False, True])
@pytest.mark.parametrize("table", TABLES)
def test_first_bet_takes_few_touches(opens: Opens, table: str, *, phone: bool) -> None:
    """On a screen and on a phone, two touches lead from the lobby to a settled bet: a seat and a number."""
    harness = opens(house_of(TABLES[table]))
    harness.reach(table, "open")
    screen = lobby(harness, **(TOUCH if phone else {}))
    harness.screens.append(screen)
    touches = 1
    screen.page.locator(f'a.sit[href$="table={table}"]').click()
    screen.page.wait_for_function("() => window.stage?.is_in")
    screen.settle()
    seat = Seat(screen, table)
    assert seat.credit() == 100_000
    seat.tap("17")
    touches += 1
    (stake,) = seat.bets().values()
    harness.spin(table, "17")

    assert touches <= TOUCHES_MAX
    assert seat.credit() >= 100_000 + 34 * stake


def test_refusals_offer_their_remedy(opens: Opens) -> None:
    """Without credit a bet offers to insert money, and below the minimum to place the minimum."""
    seat = opens(house_of(MARINA)).seat("M", credit=0)
    bubble = seat.felt.locator(".bubble")
    assert "no credit" in seat.page.locator(".notice-line").inner_text()
    seat.tap("17")
    assert "You need $5" in bubble.inner_text()
    bubble.get_by_role("button", name="Insert money").click()
    seat.settle()
    assert seat.credit() == 100_000

    seat.tap("red")
    assert "Outside bets start at $25" in bubble.inner_text()
    bubble.get_by_role("button", name="Place $25").click()
    seat.settle()
    assert seat.bets() == {"red": 2_500}
    seat.tap("red")
    assert seat.bets() == {"red": 3_000}


def test_chip_that_meets_the_minimum_is_chosen(opens: Opens) -> None:
    """The smallest chip that meets the minima of a table is chosen, and all chips of a tray differ in colour."""
    harness = opens(house_of(CLEARWATER, DOUBLE_ZERO))
    for table, chip in (("C", "10"), ("U", "1")):
        seat = harness.seat(table)
        chosen = seat.page.locator(".tray [aria-checked=true]")
        faces = seat.page.locator(".tray image").evaluate_all("(all) => all.map((one) => one.getAttribute('href'))")

        assert chosen.get_attribute("data-chip") == chip
        assert len(set(faces)) == len(faces)


def test_lobby_shows_tables_in_words(opens: Opens) -> None:
    """A card has venue, variant and limits in words and currency; a closed table is to be watched only."""
    harness = opens(EVERY)
    harness.boss("CloseTable", table="M", words="For tonight.")
    page = lobby(harness).page
    cards = {card.locator("h2").inner_text(): card for card in page.locator(".card").all()}

    clearwater = ["Clearwater Casino · Table\u00a0C", "Clearwater Casino · Table\u00a0D"]
    assert list(cards) == ["Marina Bay Sands", "SkyCity Adelaide", *clearwater, "US double-zero table"]
    adelaide = cards["SkyCity Adelaide"].inner_text()
    assert "Single zero" in adelaide
    assert "A$2.50 \N{EN DASH} A$2,500" in adelaide
    assert "3 free" in adelaide
    assert "Table closed" in cards["Marina Bay Sands"].inner_text()
    assert cards["Marina Bay Sands"].locator("a.sit").inner_text() == "Watch"


#: The tables of one venue: one that has its name, one that does not, and one that is played with chips alone.
OF_ONE_VENUE = (
    ADELAIDE.replace('id = "A"', 'id = "adelaide"').replace("seats = 3", "seats = 1"),
    ADELAIDE.replace('id = "A"', 'id = "adelaide-terrace"'),
    LIVE.replace('id = "A"', 'id = "adelaide-live"').replace("seats = 2\n", "").replace(SEAT, ""),
)


def test_lobby_names_the_tables_of_one_venue(opens: Opens) -> None:
    """Tables of one venue differ by words, never by an id; one without terminals, or without a free one, is watched."""
    harness = opens(house_of(*OF_ONE_VENUE))
    sitting = lobby(harness)
    sitting.page.locator('a.sit[href$="table=adelaide"]').click()
    sitting.page.wait_for_function("() => window.stage?.is_in")
    page = lobby(harness).page
    expect(page.locator(".card").first).to_contain_text("full")

    assert [
        (card.locator("h2").inner_text(), card.locator("a.sit").inner_text()) for card in page.locator(".card").all()
    ] == [
        ("SkyCity Adelaide", "Watch"),
        ("SkyCity Adelaide · Terrace", "Sit here"),
        ("SkyCity Adelaide · Live table", "Watch"),
    ]
    assert "Seats" not in page.locator(".card").last.inner_text()
    sitting.page.goto(sitting.url)
    expect(sitting.page.locator("a.sit").first).to_have_text("Sit here")


def test_seat_opens_with_the_play_money_that_the_lobby_promises(opens: Opens) -> None:
    """Somebody who sits down from the lobby of a demonstration has $1,000, once: a reload adds nothing."""
    harness = opens(house_of(MARINA))
    page = lobby(harness).page
    page.locator("a.sit").click()
    page.wait_for_function("() => window.stage?.is_in")
    device = page.evaluate("() => JSON.parse(localStorage.getItem('croupier:terminal')).device")
    harness.pass_s(1)
    assert harness.house.credit(device) == 100_000
    page.reload()
    page.wait_for_function("() => window.stage?.is_in")
    harness.pass_s(1)
    assert harness.house.credit(device) == 100_000


def test_lobby_speaks_the_language_of_the_browser(opens: Opens) -> None:
    """The lobby begins in the language of the browser, and another may be chosen on its bar."""
    page = lobby(opens(house_of(ADELAIDE)), locale="fr-FR").page

    expect(page.locator("a.sit")).to_contain_text("asseoir ici")
    page.locator(".language select").select_option("ar")
    expect(page.locator("html")).to_have_attribute("dir", "rtl")


def test_player_changes_the_table(opens: Opens) -> None:
    """From a terminal another table is chosen; the seat that was left keeps its credit, and is found again."""
    harness = opens(house_of(ADELAIDE, MARINA))
    seat = harness.seat("A")
    first = seat.screen.device
    for table in ("M", "A"):
        seat.page.locator("button.menu").click()
        seat.page.get_by_role("button", name="Change table").click()
        seat.page.locator("dialog[data-dialog=tables] .rows button").click()
        seat.page.wait_for_function("(table) => location.hash === `#table=${table}` && window.stage?.is_in", arg=table)
        seat.settle()
    assert seat.screen.device == first
    assert seat.credit() == 100_000


def test_statistics_move_nothing(opens: Opens) -> None:
    """On an upright tablet the felt stays where it is when the statistics of the table come."""
    harness = opens(house_of(MARINA))
    harness.spin("M", "17")
    seat = harness.seat("M", viewport={"width": 820, "height": 1180})
    before = seat.felt.bounding_box()
    card = seat.page.locator(".statscard")
    assert "%" not in card.inner_text()
    seat.screen.pass_s(2)
    expect(card.get_by_text("Black 100")).to_be_visible()
    assert seat.felt.bounding_box() == before


def test_practice_seat_says_what_is_missing(opens: Opens) -> None:
    """On an upright tablet the line that offers money to a practice seat is read in one line, or two."""
    harness = opens(house_of(DOUBLE_ZERO))
    seat = harness.seat("U", credit=0, viewport={"width": 820, "height": 1180})
    line = seat.page.locator(".notice-line").bounding_box()
    assert line is not None
    assert line["width"] > 250
    assert line["height"] < 48
