"""Two games side by side on one of Clearwater's terminals: copied both ways, by hand and at the close."""

from typing import Final

import pytest

from tests.support.browser.harness import BrowserHarness
from tests.support.browser.houses import CLEARWATER, house_of
from tests.support.browser.seat import Seat
from tests.support.browser.shared_house import Opens

#: Longer than the chips of a copy are shown as ghosts.
GHOSTS_S = 0.5


@pytest.fixture
def harness(opens: Opens) -> BrowserHarness:
    """A house at Clearwater."""
    return opens(house_of(CLEARWATER))


@pytest.fixture
def games(harness: BrowserHarness) -> tuple[Seat, Seat]:
    """Both games of one terminal."""
    first = harness.seat("C")
    return first, Seat(first.screen, "D")


@pytest.mark.clause("clearwater-etg", "12.c")
def test_chips_are_copied_both_ways(games: tuple[Seat, Seat]) -> None:
    """A copy is shown as ghosts before it is placed, lies on the other felt, and does not stack when it is repeated."""
    one, two = games
    one.choose(10)
    one.tap("17", "17/20")
    one.screen.button("Copy Table\u00a0C to Table\u00a0D").click()
    one.screen.settle()
    assert two.ghosts() == {"17": 1_000, "17/20": 1_000}
    assert two.bets() == {}

    one.screen.pass_s(GHOSTS_S)
    one.screen.settle()
    assert two.stakes() == two.bets() == {"17": 1_000, "17/20": 1_000}
    two.tap("5")
    one.screen.button("Copy Table\u00a0D to Table\u00a0C").click()
    one.screen.pass_s(GHOSTS_S)
    one.screen.settle()
    assert one.stakes() == one.bets() == {"17": 1_000, "17/20": 1_000, "5": 1_000}


@pytest.mark.clause("clearwater-etg", "12.b")
def test_chips_are_copied_at_the_close(harness: BrowserHarness, games: tuple[Seat, Seat]) -> None:
    """With auto copy on, what is sealed in one game is laid in the other at that moment."""
    one, two = games
    one.choose(10)
    one.tap("17")
    switch = one.page.get_by_role("switch", name="Table\u00a0C to Table\u00a0D")
    switch.click()
    one.screen.settle()
    assert switch.get_attribute("aria-checked") == "true"

    harness.launch("C")
    harness.reach("C", "running")
    assert two.stakes() == two.bets() == {"17": 1_000}


def test_copy_to_a_closed_game_is_not_offered(harness: BrowserHarness, games: tuple[Seat, Seat]) -> None:
    """While the target takes no bets its arrow is off and says why."""
    one, _ = games
    one.choose(10)
    one.tap("17")
    harness.launch("D")
    harness.reach("D", "running")

    arrow = one.screen.button("Copy Table\u00a0C to Table\u00a0D")
    assert arrow.is_disabled()
    assert "D" in one.page.locator(".copy-controls .why").first.inner_text()


def test_each_game_has_its_own_timer_and_focus(harness: BrowserHarness, games: tuple[Seat, Seat]) -> None:
    """Both games show their own time; what is touched last is what the buttons act on."""
    one, two = games
    assert int(one.seconds()) < int(two.seconds())
    one.choose(10)
    one.tap("17")
    two.tap("20")
    two.act("clear")

    assert one.bets() == {"17": 1_000}
    assert two.bets() == {}
    assert two.game.get_attribute("data-focus") == ""
    assert one.game.get_attribute("data-focus") is None
    assert harness.house.phase("C") == "open"


def test_chip_on_its_way_to_one_game_is_not_dropped_by_the_close_of_the_other(
    harness: BrowserHarness, games: tuple[Seat, Seat]
) -> None:
    """A chip from the tray goes on when bets close elsewhere; a stack that was taken up there stays where it lay."""
    one, two = games
    one.choose(10)
    one.tap("17")
    mouse, (there, down), carried = one.page.mouse, two.places()["5"], one.page.locator(".carried")
    mouse.move(*one.centre('.tray [data-chip="10"]'))
    mouse.down()
    mouse.move(there, down - 40, steps=5)
    harness.launch("C")
    harness.reach("C", "running")
    one.screen.settle()
    assert carried.count() == 1

    mouse.move(there, down, steps=2)
    mouse.up()
    one.screen.settle()
    assert (one.bets(), two.bets()) == ({"17": 1_000}, {"5": 1_000})

    mouse.move(there, down)
    mouse.down()
    mouse.move(there, down - 40, steps=5)
    assert carried.count() == 1
    harness.launch("D")
    harness.reach("D", "running")
    one.screen.settle()
    assert carried.count() == 0
    mouse.up()
    assert two.bets() == {"5": 1_000}


def test_chip_falls_on_no_felt_that_is_not_seen(games: tuple[Seat, Seat]) -> None:
    """A chip is laid where it is seen to fall: not on the game behind, and on none where only the wheel is shown."""
    one, two = games
    tray = '.tray [data-chip="10"]'
    one.act("games")
    one.page.locator('.switcher [data-table="D"]').click()
    one.screen.settle()
    places = two.places()
    for spot in ("3", "17", "red"):
        two.drag(two.centre(tray), places[spot])
    assert (one.bets(), two.bets()) == ({}, dict.fromkeys(("3", "17", "red"), 1_000))

    two.act("view")
    two.screen.settle()
    for across in range(100, 1_200, 100):
        two.drag(two.centre(tray), (float(across), 260.0))
    assert (one.bets(), two.bets()) == ({}, dict.fromkeys(("3", "17", "red"), 1_000))


def test_wheel_of_each_game_fills_the_space_above_its_felt(harness: BrowserHarness, games: tuple[Seat, Seat]) -> None:
    """With two games the running wheel is as high as the space above the felt, with the bets beside it."""
    one, two = games
    one.page.set_viewport_size({"width": 1920, "height": 1080})
    harness.house.lay(one.device, "C", [("17", 1_000), ("17/20", 1_000), ("5", 1_000), ("red", 1_000), ("even", 1_000)])
    harness.launch("C")
    harness.reach("C", "running")

    wheel, felt, game = (
        one.game.locator(name).bounding_box() if name else one.game.bounding_box()
        for name in (".wheelbox", ".cloth", "")
    )
    assert wheel is not None
    assert felt is not None
    assert game is not None
    assert 0.8 * (felt["y"] - game["y"]) < wheel["height"] < felt["y"] - game["y"]
    cards = [card.bounding_box() for card in one.game.locator(".scene li").all() if card.is_visible()]
    shown = [card for card in cards if card and card["y"] < wheel["y"] + wheel["height"]]
    assert len(shown) == 5
    assert all(card["x"] > wheel["x"] + wheel["width"] for card in shown)
    assert one.page.locator(".head").evaluate_all("(heads) => heads.map((head) => head.dataset.table)") == ["C", "D"]
    assert two.game.is_visible()


@pytest.mark.parametrize("lang", ["en", "ar"])
@pytest.mark.parametrize(("width", "height"), [(1280, 800), (853, 1280), (390, 844)])
def test_no_wheel_covers_a_felt(harness: BrowserHarness, lang: str, width: int, height: int) -> None:
    """While both balls run and once they lie, no wheel lies over a felt, on either side of the page."""
    size = {"width": width, "height": height}
    seat = harness.seat("C", lang=lang, viewport=size, reduced_motion="no-preference")
    both = [game for game in (seat, Seat(seat.screen, "D")) if game.game.is_visible()]
    for game in both:
        harness.house.lay(seat.device, game.table, [("17", 1_000), ("red", 1_000)])
    for table in "CD":
        harness.launch(table)
    for table in "CD":
        harness.reach(table, "running")
    _stand_apart(both, width)
    for table in "CD":
        harness.land(table, "17")
    harness.pass_s(2)
    _stand_apart(both, width)


def _stand_apart(games: list[Seat], width: int) -> None:
    """Check that the wheel and the felt of each game are on the page, and not over each other."""
    for game in games:
        wheel, felt = (game.game.locator(f".{name}").bounding_box() for name in ("wheelbox", "cloth"))
        assert wheel is not None
        assert felt is not None
        assert felt["x"] >= 0
        assert felt["x"] + felt["width"] <= width
        assert (
            wheel["x"] >= felt["x"] + felt["width"]
            or felt["x"] >= wheel["x"] + wheel["width"]
            or wheel["y"] >= felt["y"] + felt["height"]
            or felt["y"] >= wheel["y"] + wheel["height"]
        )


#: The parts of the head that lie over another.
CROWDED: Final = """(bar) => {
  const parts = [...bar.querySelectorAll(".timer, .message, .limits-box, .switcher, button, .history")]
    .filter((part) => part.checkVisibility() && !part.parentElement.closest(".switcher"));
  const boxes = parts.map((part) => [part.className, part.getBoundingClientRect()]);
  return boxes.flatMap(([name, one], place) => boxes.slice(place + 1)
    .filter(([, other]) => one.left < other.right - 1 && other.left < one.right - 1)
    .map(([other]) => `${name} and ${other}`));
}"""


@pytest.mark.parametrize("lang", ["en", "ar"])
def test_head_of_a_tablet(harness: BrowserHarness, lang: str) -> None:
    """On a tablet upright no part of the head lies over another while both games take no more bets."""
    seat = harness.seat("C", lang=lang, viewport={"width": 820, "height": 1180})
    harness.launch("C")
    harness.launch("D")
    harness.reach("C", "running")
    harness.reach("D", "running")
    assert seat.page.locator(".headbar .switcher").is_visible()
    assert seat.page.locator(".headbar").evaluate(CROWDED) == []
