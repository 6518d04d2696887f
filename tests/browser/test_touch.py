"""Fingers: the lens above them, chips dragged with them, and every way to change one's mind."""

import pytest

from tests.support.browser.finger import Finger
from tests.support.browser.seat import Seat
from tests.support.browser.shared_house import Plain

#: So far above the finger the chip floats that it carries.
LIFT_PX = 44


@pytest.fixture
def seat(plain_phone: Plain) -> Seat:
    """A seat at a phone."""
    return plain_phone("C")


def test_touch_shows_the_lens_and_lays_on_release(seat: Seat) -> None:
    """Under a finger the felt is shown larger and the bet by its name; it is laid when the finger is lifted."""
    finger, places, lens = Finger(seat.screen), seat.places(), seat.game.locator(".lens")

    finger.down(places["17/18/20/21"])
    seat.screen.settle()
    assert lens.is_visible()
    assert "Corner 17 / 18 / 20 / 21" in seat.game.inner_text()
    assert seat.bets() == {}

    finger.move(places["17/20"])
    finger.up()
    assert not lens.is_visible()
    assert seat.bets() == seat.stakes() == {"17/20": 100}


def test_finger_that_slides_off_lays_nothing(seat: Seat) -> None:
    """A finger that leaves the cloth before it is lifted lays nothing."""
    finger, places = Finger(seat.screen), seat.places()

    finger.drag(places["17"], (places["17"][0], 2))
    finger.up()

    assert seat.bets() == {}


def test_second_finger_cancels(seat: Seat) -> None:
    """A second finger on the cloth makes the first lay nothing."""
    first, places = Finger(seat.screen), seat.places()

    first.down(places["17"])
    first.both(places["17"], places["5"])
    first.up()

    assert seat.bets() == {}


def test_chip_is_dragged_from_the_tray_by_a_finger(seat: Seat) -> None:
    """A chip from the tray floats above the finger, and falls where the chip is, not where the finger is."""
    finger = Finger(seat.screen)
    across, down = seat.places()["17/18/20/21"]

    finger.drag(seat.centre('.tray [data-chip="4"]'), (across, down + LIFT_PX))
    finger.up()

    assert seat.bets() == seat.stakes() == {"17/18/20/21": 400}


def test_stack_is_moved_by_a_finger(seat: Seat) -> None:
    """A stack that a finger holds for a moment comes along with it, and lies where it is released."""
    seat.tap("17")
    places, finger = seat.places(), Finger(seat.screen)

    finger.drag(places["17"], (places["23"][0], places["23"][1] + LIFT_PX), held_s=0.5)
    finger.up()

    assert seat.bets() == seat.stakes() == {"23": 100}
