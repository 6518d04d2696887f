"""Refusals in every view: shown where the player pressed, with their clause, and never an error of the page."""

import pytest

from tests.support.browser.harness import DESK, PHONE, BrowserHarness
from tests.support.browser.houses import ADELAIDE, house_of
from tests.support.browser.seat import Seat
from tests.support.browser.shared_house import Opens


def seat_in(opens: Opens, view: str, *, phone: bool) -> tuple[BrowserHarness, Seat]:
    """Seat a player who uses one view with the largest chip, where the maximum of a number is 500."""
    harness = opens(house_of(ADELAIDE))
    seat = harness.seat("A", viewport=PHONE if phone else DESK)
    seat.choose(200)
    seat.show(view)
    return harness, seat


def press(seat: Seat, view: str) -> None:
    """Press 17 in this view."""
    if view == "table":
        seat.tap("17")
    else:
        seat.touch_pocket("17")


@pytest.mark.clause("skycity-adelaide-2003", "7(h)v")
@pytest.mark.parametrize(("view", "phone"), [("table", False), ("wheel", False), ("table", True), ("racetrack", True)])
def test_refusal_is_shown_in_every_view(opens: Opens, view: str, phone: bool) -> None:  # noqa: FBT001 - a row
    """A chip over the maximum is refused with its clause, whichever view it was placed in."""
    _, seat = seat_in(opens, view, phone=phone)
    for _ in range(6):
        press(seat, view)

    assert seat.bets() == {"17": 50_000}
    assert "7(h)v" in seat.bubble()


@pytest.mark.parametrize("view", ["table", "wheel"])
def test_refusal_ends_automatic_repetition(opens: Opens, view: str) -> None:
    """Once something was refused, the last bets are not repeated by themselves any more."""
    harness, seat = seat_in(opens, "table", phone=False)
    seat.tap("17")
    harness.spin("A", "20")
    seat.page.locator("button.menu").click()
    seat.page.get_by_role("button", name="Repeat automatically").click()
    seat.page.get_by_role("button", name="5 rounds", exact=True).click()
    harness.reach("A", "open")
    seat.settle()
    assert seat.bets() == {"17": 10_000}
    seat.show(view)
    for _ in range(6):
        press(seat, view)
    assert "7(h)v" in seat.bubble()
    harness.spin("A", "20")
    harness.reach("A", "open")

    assert seat.bets() == {}
