"""The console of a live table: players, chips by touch, calls, the number, and the payment in the dealer's order."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from croupier.house.events.live import LateBetReturned
from croupier.house.ids import PositionId
from tests.stage.harness import BrowserHarness, browser_harness
from tests.stage.houses import house_of
from tests.stage.live import ADELAIDE, DOUBLE_ZERO, STAFF_OF, TABLET, UPRIGHT, LiveStage
from tests.stage.looks import misplaced, violations
from tests.stage.shared_house import Opens

pytestmark = pytest.mark.untraced

FLOAT = ((1000, 5), (500, 20), (100, 100), (25, 100), (5, 100), (1, 100))
US_FLOAT = ((100, 20), (25, 40), (5, 100), (1, 200))
ADELAIDE_HOUSE = house_of(ADELAIDE, STAFF_OF["A"])
US_HOUSE = house_of(DOUBLE_ZERO, STAFF_OF["U"])
SIZES = ((1024, 768), (768, 1024), (1280, 800))


def adelaide(harness: BrowserHarness) -> tuple[LiveStage, dict[str, PositionId]]:
    """Five players with mixed chips at Adelaide, and the dealer at the console."""
    live = LiveStage(harness, "A")
    live.prepare(*FLOAT)
    players = {
        "blue": live.player("Seat 1", 300, "blue"),
        "pink": live.player("Seat 3", 500, "pink", 10),
        "violet": live.player("Seat 4", 2500, "violet", 25),
        "value": live.player("Seat 6", 250),
        "sky": live.player("Seat 7", 300, "sky"),
    }
    live.open()
    return live, players


@pytest.mark.clause("skycity-adelaide-2003", "9(e)")
@pytest.mark.clause("skycity-adelaide-2003", "12(e) second")
@pytest.mark.clause("skycity-adelaide-2003", "12(f)")
@pytest.mark.clause("skycity-adelaide-2003", "6(j)")
def test_round_at_adelaide(opens: Opens) -> None:
    """Five players bet by touch: one over the maximum, one under the minimum twice, one under a marker that hits."""
    live, players = adelaide(opens(ADELAIDE_HOUSE))
    live.call("open")
    live.select("Blue")
    live.touch("17/20", "17/20", "17/20", "8")
    live.select("Violet")
    live.touch(*["17"] * 5)
    live.select("Value")
    live.chip("$1")
    live.touch("17/18", "17/18", "17/18")
    assert (live.pieces("17/20"), live.pieces("17"), live.pieces("17/18")) == (
        {"blue": "3"},
        {"violet": "5"},
        {"$1": "3"},
    )
    expect(live.advice).to_have_count(2)
    expect(live.advice.first).to_contain_text("Over the maximum: settled up to $100")
    expect(live.advice.last).to_contain_text("Under the minimum: counts once")
    live.select("Sky")
    live.marker("25", 10)
    live.lay(players["pink"], "pink", ("dozen 2", 5), ("23", 2))
    live.close()
    live.rest("17")
    live.dolly("17")
    live.says("17 black, collect")
    expect(live.walk).to_contain_text("Sky hits: 2 of 10 to 17, collect 8")
    assert live.pay_all() == ["$100", "$255", "$3,500", "$51", "$350"]
    live.says("17 black, all paid")
    assert live.out("blue") == 300 // 5 + 3 * 17 - 1
    assert live.figures()["Violet"][:2] == ["$0", "$3,500"]

    # The player was told: a second bet under the minimum goes back at the close.
    live.go.click()
    live.pass_s(1)
    live.select("Value")
    live.chip("$1")
    live.touch("1", "1")
    expect(live.advice.filter(has_text="Under the minimum again")).to_have_count(2)
    live.close()
    assert live.lies(players["value"]) == {}
    assert "17/20" in live.lies(players["blue"])


@pytest.mark.clause("skycity-adelaide-2003", "10(e)")
@pytest.mark.clause("skycity-adelaide-2003", "6(i)")
def test_late_bet_and_no_spin(opens: Opens) -> None:
    """A late bet goes back while the spin stands; after a no spin the chips lie where they lay, and can be changed."""
    live, players = adelaide(opens(ADELAIDE_HOUSE))
    live.call("open")
    live.select("Blue")
    live.touch("8", "8")
    live.close()
    live.touch("20")
    assert live.lies(players["blue"]) == {"8": {"blue": 2}}
    live.at.press("Late bet: touch where it lies")
    live.touch("20")
    live.pass_s(1)
    [late] = [event for event in live.events if isinstance(event, LateBetReturned)]
    assert (late.position, late.bets, late.clause) == (players["blue"], (("20", 1),), "6(i)")
    assert live.lies(players["blue"]) == {"8": {"blue": 2}}
    live.at.press("No spin…")
    live.at.tick("The ball left the wheel")
    live.at.press("Call no spin")
    live.pass_s(1)
    live.call("reset")
    live.touch("9")
    assert live.lies(players["blue"]) == {"8": {"blue": 2}, "9": {"blue": 1}}
    live.at.press("Undo")
    live.pass_s(1)
    assert live.pieces("9") == {}


@pytest.mark.clause("us-double-zero", "Placement 5")
@pytest.mark.clause("us-double-zero", "Irregularities (4)")
def test_round_at_a_us_table(opens: Opens) -> None:
    """At a US table a fifth chip on a spot is refused, a late bet goes back, and every player is paid in colour."""
    harness = opens(US_HOUSE)
    live = LiveStage(harness, "U", size=UPRIGHT)
    live.prepare(*US_FLOAT)
    colours = ("blue", "yellow", "pink", "violet", "orange")
    players = {colour: live.player(f"Seat {place}", 40, colour) for place, colour in enumerate(colours, 1)}
    live.open()
    live.call("open")
    live.select("Blue")
    live.touch("17", "17", "17", "17")
    # Touches of one frame are one request: the fifth comes by itself.
    live.touch("17")
    live.pass_s(1)
    assert live.at.refusals() == ["Straight up 17: $5 is over the maximum of $4. [Placement 5]"]
    live.at.press("Dismiss")
    assert live.pieces("17") == {"blue": "4"}
    live.lay(players["yellow"], "yellow", ("red", 4))
    live.lay(players["pink"], "pink", ("17/20", 2))
    live.lay(players["violet"], "violet", ("0/00", 2), ("courtesy-line", 2))
    live.lay(players["orange"], "orange", ("black", 1))
    live.call("spin")
    live.call("close")
    live.select("Yellow")
    live.at.press("Late bet: touch where it lies")
    live.touch("20")
    assert live.lies(players["yellow"]) == {"red": {"yellow": 4}}
    live.rest("17")
    live.dolly("17")
    assert live.pay_all() == ["$1", "$140", "$34"]
    assert live.out("blue") == 40 + 140


@pytest.mark.clause("skycity-adelaide-2003", "7(a)")
@pytest.mark.clause("skycity-adelaide-2003", "9(f)")
def test_mixed_table(opens: Opens) -> None:
    """Two terminals at the wheel of a live table are paid at once, while the dealer still pays the chips."""
    harness = opens(ADELAIDE_HOUSE)
    live, _ = adelaide(harness)
    seats = [harness.house.run(harness.house.open.seated("A", 100_000)) for _ in range(2)]
    live.call("open")
    live.select("Blue")
    live.touch("17")
    for seat, spot in zip(seats, ("17", "18"), strict=True):
        harness.house.lay(seat.device, "A", [(spot, 1_000)])
    live.close()
    live.rest("17")
    live.dolly("17")
    assert harness.house.phase("A") == "paying"
    assert [live.worth(seat.device) for seat in seats] == [100_000 + 35_000, 100_000 - 1_000]
    # No frame that a terminal received has a chip position or a label.
    received = [frame for seat in seats for frame in seat.drain()]
    assert received
    assert not any(word in str(frame) for frame in received for word in ("Seat 1", "blue", "walk"))
    assert live.pay_all() == ["$175"]


def test_players_buy_in_and_leave(opens: Opens) -> None:
    """A seat buys a colour at a value of its own, with a marker, and hands all of it back in the end."""
    harness = opens(ADELAIDE_HOUSE)
    live = LiveStage(harness, "A")
    live.prepare(*FLOAT)
    live.open()
    live.page.get_by_role("button", name="Buy in").click()
    live.at.press("Seat 2")
    live.at.dialog.get_by_role("button", name="Lime").click()
    live.at.press("$25")
    live.at.press("+ $500")
    expect(live.at.dialog).to_contain_text("$500 ÷ $25 = 20")
    expect(live.at.dialog).to_contain_text("Put the $25 marker on Lime")
    live.at.press("Hand out 20 pieces, $500")
    live.pass_s(1)
    tile = live.page.get_by_role("radio", name="Lime")
    expect(tile).to_contain_text("Out 20")
    expect(tile).to_contain_text("$25")
    tile.click()
    live.at.press("Chips")
    live.at.dialog.get_by_role("tab", name="Redeem").click()
    live.at.press("All 20")
    live.at.press("Redeem: pay $500")
    live.pass_s(1)
    expect(tile).to_contain_text("Out 0")


@pytest.fixture(scope="module")
def watched(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveStage]:
    """A console with chips on the felt that is only looked at."""
    with browser_harness(browser, tmp_path_factory.mktemp("live"), ADELAIDE_HOUSE) as harness:
        live, players = adelaide(harness)
        live.call("open")
        live.lay(players["violet"], "violet", ("17", 5), ("black", 12))
        live.lay(players["value"], "v100", ("17/18", 3))
        live.lay(players["sky"], "sky", ("2", 2), ("neighbours 25", 10))
        live.select("Blue")
        live.pass_s(1)
        yield live


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_layout(watched: LiveStage, size: tuple[int, int]) -> None:
    """At every size everything of the console has its place."""
    watched.page.set_viewport_size({"width": size[0], "height": size[1]})
    watched.at.settle()
    assert misplaced(watched.at.screen) == []


@pytest.mark.parametrize("opens_", ["", "Chips", "Menu", "Limits"])
def test_everybody_can_use_it(watched: LiveStage, opens_: str) -> None:
    """No rule of WCAG 2.2 AA that a program can check is broken, on the page or in its sheets."""
    watched.page.set_viewport_size(TABLET)
    if opens_:
        watched.page.locator(".live-header").get_by_role("button", name=opens_).click()
    try:
        assert violations(watched.at.screen) == []
    finally:
        if opens_:
            watched.at.leave()


def test_payment_is_accessible(opens: Opens) -> None:
    """While bets are collected and paid, everything has its place at both tablets, and no rule of WCAG is broken."""
    live, _ = adelaide(opens(ADELAIDE_HOUSE))
    live.call("open")
    live.select("Blue")
    live.touch("17", "17/20", "1")
    live.close()
    live.rest("17")
    live.dolly("17")
    for _ in range(3):
        for size in SIZES[:2]:
            live.page.set_viewport_size({"width": size[0], "height": size[1]})
            live.at.settle()
            assert misplaced(live.at.screen) == []
        assert violations(live.at.screen) == []
        live.go.click()
        live.pass_s(1)
