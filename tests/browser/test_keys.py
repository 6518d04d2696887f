"""A whole round without a pointer, and what a screen reader is told of it."""

import pytest

from tests.support.browser.houses import MARINA, house_of
from tests.support.browser.seat import Seat
from tests.support.browser.shared_house import Opens

#: More stops than there are before anything on a screen.
STOPS_MAX = 60
_AT = """() => {
  const option = document.activeElement.getAttribute("aria-activedescendant");
  return document.getElementById(option)?.getAttribute("aria-label");
}"""
_HAS_FOCUS = "(selector) => document.activeElement?.matches(selector) ?? false"


def go_to(seat: Seat, selector: str) -> None:
    """Press Tab until something has the focus."""
    for _ in range(STOPS_MAX):
        if seat.page.evaluate(_HAS_FOCUS, selector):
            return
        seat.page.keyboard.press("Tab")
    raise AssertionError(f"{selector} is never reached")


def press(seat: Seat, *keys: str) -> None:
    for key in keys:
        seat.page.keyboard.press(key)
    seat.screen.settle()


def test_round_with_keys_alone(opens: Opens) -> None:
    """With keys alone chips are chosen, laid, taken off and doubled; the number is told; all is collected."""
    harness = opens(house_of(MARINA))
    seat = harness.seat("M")

    go_to(seat, ".tray [role=radio]")
    press(seat, "ArrowRight")
    go_to(seat, ".felt [role=listbox]")
    press(seat, "1", "7", "Enter")
    assert seat.bets() == {"17": 1_000}
    press(seat, "ArrowRight", "Enter")
    assert len(seat.bets()) == 2
    assert "Split" in active(seat)
    press(seat, "Delete")
    assert seat.bets() == {"17": 1_000}
    go_to(seat, '[data-act="double"]')
    press(seat, "Enter")
    assert seat.bets() == {"17": 2_000}

    harness.spin("M", "17")
    assert "17" in seat.page.locator("[data-live=phase]").inner_text()
    assert seat.meter("win") == 70_000
    go_to(seat, '[data-act="collect"]')
    press(seat, "Enter")
    go_to(seat, "dialog[data-dialog=collect] .foot .main")
    press(seat, "Enter")
    assert seat.credit() == 0
    assert "1,700" in seat.dialog.inner_text()


@pytest.mark.parametrize("place", [".felt [role=listbox]", ".track-list"])
def test_key_that_is_held_down_lays_one_chip(opens: Opens, place: str) -> None:
    """A chip is laid when its key goes down, and no other while it stays there; an arrow goes on."""
    seat = opens(house_of(MARINA)).seat("M")
    go_to(seat, place)
    press(seat, "1", "7")
    for _ in range(5):
        seat.page.keyboard.down("Enter")
    seat.page.keyboard.up("Enter")
    seat.screen.settle()
    assert seat.bets()["17"] == 500

    at = active(seat)
    for _ in range(2):
        seat.page.keyboard.down("ArrowRight")
    assert active(seat) not in (at, "")


def active(seat: Seat) -> str:
    """The name of the spot at which the keys are."""
    return str(seat.page.evaluate(_AT))


def test_bets_are_listed_for_whoever_cannot_see_them(opens: Opens) -> None:
    """Every stack is a row of a table, with its amount and a button that takes it off."""
    seat = opens(house_of(MARINA)).seat("M")
    seat.tap("17", "17/20")
    rows = seat.page.get_by_role("region", name="Your bets").locator("tbody tr")
    assert rows.count() == 2
    assert "Straight" in rows.first.inner_text()

    rows.first.get_by_role("button").focus()
    press(seat, "Enter")
    assert seat.bets() == {"17/20": 500}


def test_refusal_is_reported_at_once(opens: Opens) -> None:
    """What is refused is said to whoever listens, with its clause."""
    seat = opens(house_of(MARINA)).seat("M", credit=0)
    seat.tap("17")

    assert seat.page.locator("[data-live=refusal]").inner_text() != ""
    assert seat.bets() == seat.stakes() == {}
