"""The notice at a table: what it must show, on a display and on paper."""

import pytest
from playwright.sync_api import Page, expect

from croupier.house.floor.service import NotifyOfficer
from croupier.house.ids import PositionId
from croupier.house.live.arrangements import ArrangeVip
from croupier.house.live.seats_and_colours import LeaveTable, SeatPlayer
from tests.support.browser.harness import BrowserHarness
from tests.support.browser.houses import house_of
from tests.support.browser.live import ADELAIDE, DOUBLE_ZERO, STAFF_OF, LiveStage
from tests.support.browser.looks import misplaced, violations
from tests.support.browser.screen import Screen
from tests.support.browser.shared_house import Opens

pytestmark = pytest.mark.untraced

DISPLAY = {"width": 1920, "height": 1080}


def shown(harness: BrowserHarness, table: str) -> Screen:
    screen = harness.screen(f"notice#table={table}", harness.context(viewport=DISPLAY))
    expect(screen.page.locator(".odds tbody tr").first).to_be_visible()
    screen.settle()
    return screen


def rows(page: Page) -> list[list[str]]:
    return [each.locator("td, th").all_inner_texts() for each in page.locator(".odds tbody tr").all()]


@pytest.mark.clause("skycity-adelaide-2003", "8(b)")
@pytest.mark.clause("skycity-adelaide-2003", "12(k)")
def test_notice_at_adelaide(opens: Opens) -> None:
    """The display shows the 13 bets by their letters with odds and limits, and the rules with their clauses."""
    screen = shown(opens(house_of(ADELAIDE, STAFF_OF["A"])), "A")
    page = screen.page
    lines = rows(page)
    assert lines[0] == ["A", "Straight up", "35 to 1", "$5", "$100"]
    assert lines[-1] == ["H\u2013M", "H Red, I Black, J Odd, K Even, L Low, M High", "1 to 1", "$5", "$1,000"]
    assert page.locator(".marks .chip").all_inner_texts() == list("ABCDEFGHIJKLM")
    expect(page.locator(".keys")).to_contain_text("Multiples of $5")
    expect(page.locator(".keys")).to_contain_text("Not required")
    expect(page.locator(".copy")).to_contain_text("Neighbours on the block: from $25.")
    expect(page.locator("footer")).to_contain_text("Authorised Officer. [12(k)]")
    assert violations(screen) == []
    assert misplaced(screen) == []


#: How far the point before each rule is from the side on which the line begins, in px.
POINTS = """() => [...document.querySelectorAll(".notice .copy li")].map((item) => {
  const style = getComputedStyle(item, "::before");
  return parseFloat(document.dir === "rtl" ? style.right : style.left);
})"""


@pytest.mark.parametrize("lang", ["en", "ar"])
def test_points_stand_where_lines_begin(opens: Opens, lang: str) -> None:
    """Before each rule is its point, on the side on which its language begins to read."""
    page = shown(opens(house_of(ADELAIDE, STAFF_OF["A"])), f"A&lang={lang}").page

    assert set(page.evaluate(POINTS)) == {0}


def test_caption_stands_below_its_felt(opens: Opens) -> None:
    """What the letters mean is written right below the felt that has them."""
    page = shown(opens(house_of(ADELAIDE, STAFF_OF["A"])), "A").page
    [felt, caption] = [page.locator(f".where {place}").bounding_box() for place in (".cloth", "p.caption")]

    assert felt is not None
    assert caption is not None
    assert 0 < caption["y"] - felt["y"] - felt["height"] < 40


@pytest.mark.clause("skycity-adelaide-2003", "12(m)")
def test_notice_is_printed_with_the_rules(opens: Opens) -> None:
    """On paper the notice is black on white, and a copy of the rules follows it if that is wanted."""
    page = shown(opens(house_of(ADELAIDE, STAFF_OF["A"])), "A").page
    page.evaluate("() => { globalThis.print = () => {}; }")
    page.get_by_role("button", name="Print with the rules").click()
    expect(page.locator(".book dt").first).to_be_attached()
    page.emulate_media(media="print")
    expect(page.locator(".book dt").first).to_be_visible()
    expect(page.locator(".book")).to_contain_text("12(m)")
    expect(page.locator(".printing")).to_be_hidden()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.pdf(format="A4").startswith(b"%PDF")


@pytest.mark.clause("skycity-adelaide-2003", "8(a)i")
def test_notice_of_an_arrangement(opens: Opens) -> None:
    """An arrangement with one of two players is a second notice below the first; if it covers all, one row is left."""
    harness = opens(house_of(ADELAIDE, STAFF_OF["A"]))
    live = LiveStage(harness, "A")
    first = live.house.read(lambda house: PositionId(house.positions_added + 1))
    for label in ("Seat 1", "Seat 2"):
        live.ask("dealer", SeatPlayer(live.table, label))
    live.ask("boss", NotifyOfficer(live.table, "The Inspectorate was told."))
    live.pass_s(1)
    live.ask("boss", ArrangeVip(live.table, (first,), "Signed.", markers=True))
    screen = shown(harness, "A")
    page = screen.page
    expect(page.locator(".arranged h2")).to_have_text("VIP arrangement 1")
    expect(page.locator(".arranged p")).to_contain_text("from $25. If it hits, one fifth goes on the number. [8(a)i]")
    assert rows(page)[-1] == ["A", "Straight up", "35 to 1", "$5", "$100"]
    assert len(rows(page)) == 9
    boxes = [page.locator(each).bounding_box() for each in (".arranged", ".copy")]
    assert boxes[0] is not None
    assert boxes[1] is not None
    assert boxes[0]["y"] + boxes[0]["height"] <= boxes[1]["y"]
    assert (violations(screen), misplaced(screen)) == ([], [])
    live.ask("dealer", LeaveTable(live.table, PositionId(first + 1)))
    expect(page.locator(".arranged")).to_have_count(0)
    expect(page.locator(".copy")).to_contain_text("straight up only. [8(a)i]")
    assert rows(page) == [["A", "Straight up", "35 to 1", "$5", "$100"]]
    assert page.locator(".keys > div").count() == 3
    live.ask("dealer", LeaveTable(live.table, first))


def test_notice_at_a_us_table(opens: Opens) -> None:
    """A US table has its own names, one maximum, and no multiples."""
    page = shown(opens(house_of(DOUBLE_ZERO, STAFF_OF["U"])), "U").page
    assert [line[1] for line in rows(page)][4] == "First Five Numbers"
    expect(page.locator(".keys")).to_contain_text("Maximum, each bet")
    expect(page.locator(".keys")).not_to_contain_text("Multiples")
    assert page.locator(".keys > div").count() == 2


def test_notice_on_a_phone(opens: Opens) -> None:
    """On a phone the parts of the notice are below each other, with amounts and names in the language of the page."""
    harness = opens(house_of(ADELAIDE, STAFF_OF["A"]))
    context = harness.context(viewport={"width": 390, "height": 844}, locale="ar-SA")
    screen = harness.screen("notice#table=A&lang=ar", context)
    expect(screen.page.locator(".odds tbody tr").first).to_be_visible()
    screen.settle()
    parts = [screen.page.locator(f".board > {part}").bounding_box() for part in ("header", ".odds", ".where", ".copy")]
    edges = [(box["y"], box["y"] + box["height"], box["width"]) for box in parts if box]
    assert all(edges[place][1] <= edges[place + 1][0] for place in range(3))
    assert {width for *_, width in edges} == {edges[0][2]}
    first = rows(screen.page)[0]
    assert first[1] != "Straight up"
    assert first[3:] == ["\u20665\u00a0AU$\u2069", "\u2066100\u00a0AU$\u2069"]
