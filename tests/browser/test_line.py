"""The line: lost before and after the house has heard, come back, taken over by another window, and too late."""

import pytest

from tests.support.browser.harness import BrowserHarness
from tests.support.browser.houses import MARINA, PLAIN, house_of
from tests.support.browser.proxy import Proxy
from tests.support.browser.seat import Seat
from tests.support.browser.shared_house import Opens

#: Longer than a line may be missing before the player is told, and than it takes to try again.
LOST_S = 1
AGAIN_S = 6


class Wired:
    """A seat whose line can be held up and cut."""

    def __init__(self, harness: BrowserHarness, table: str) -> None:
        self.harness, self.line = harness, harness.line()
        self.seat = harness.seat(table, line=self.line)
        self.seat.screen.console.may_be_cut = True

    def holds(self, *, answers: bool) -> None:
        """Hold up what comes from the house, or what goes to it."""
        self.harness.house.run(self.line.hold_responses() if answers else self.line.hold_requests())
        self.seat.screen.is_held = True

    def goes_on(self) -> None:
        self.harness.house.run(self.line.go_on())
        self.seat.screen.is_held = False
        self.seat.screen.settle()

    def breaks(self) -> None:
        self.harness.house.run(self.line.cut())
        self.seat.screen.is_held = False
        self.seat.screen.wait_until_down()

    def comes_back(self) -> None:
        """Mend the line, and let the page try it again."""
        self.harness.house.run(Proxy.mend(self.line))
        self.seat.screen.pass_s(AGAIN_S)
        assert self.seat.screen.settle()


@pytest.fixture
def wired(opens: Opens) -> Wired:
    """A seat at Marina Bay Sands with a long betting time."""
    return Wired(opens(house_of(PLAIN["M"])), "M")


@pytest.mark.clause("marina-bay-sands-2020", "5.14.2")
def test_lost_line_is_reported_and_the_felt_is_locked(wired: Wired) -> None:
    """Without a line the screen says so, and what the rules do with bets; nothing can be touched; then all goes on."""
    seat = wired.seat
    seat.tap("17")
    wired.breaks()
    seat.screen.pass_s(LOST_S)
    seat.screen.settle()

    assert seat.moment() == "lost"
    assert "5.14" in seat.reported()
    seat.tap("20")
    assert seat.stakes() == {"17": 100}
    assert not seat.page.locator('[data-act="clear"]').is_enabled()

    wired.comes_back()
    assert seat.moment() == "open"
    assert seat.stakes() == seat.bets() == {"17": 100}
    seat.tap("20")
    assert seat.stakes() == seat.bets() == {"17": 100, "20": 100}


def _reconnect(wired: Wired) -> None:
    """Cut the connection, check that the felt is empty, restore it, and check that one chip is on 17."""
    seat = wired.seat
    wired.breaks()
    seat.screen.pass_s(LOST_S)
    seat.screen.settle()
    assert seat.stakes() == {}
    wired.comes_back()
    assert seat.stakes() == seat.bets() == {"17": 100}


def test_chip_that_the_house_never_received(wired: Wired) -> None:
    """A chip on its way when the line is cut is not shown as placed; once the line is back it is laid, and once."""
    seat = wired.seat
    wired.holds(answers=False)
    seat.tap("17")
    assert seat.stacks()["17"].way == "guessed"
    assert seat.bets() == {}

    _reconnect(wired)


def test_chip_whose_answer_was_lost(wired: Wired) -> None:
    """A chip that the house has taken and could not say so is there when the line is back, and is laid once."""
    seat = wired.seat
    wired.holds(answers=True)
    seat.tap("17")
    wired.harness.house.run(wired.line.responses_wait())
    assert seat.bets() == {"17": 100}

    _reconnect(wired)
    assert seat.meter("credit") == seat.credit() == 99_900


@pytest.mark.clause("marina-bay-sands-2020", "3.7")
def test_late_touch_is_refused(opens: Opens) -> None:
    """A chip that reaches the house after the close is refused: it is gone from the felt, and the screen says why."""
    harness = opens(house_of(MARINA))
    wired = Wired(harness, "M")
    seat = wired.seat
    harness.pass_s(26)
    wired.holds(answers=False)
    seat.tap("17")
    assert seat.stacks()["17"].way == "guessed"
    harness.house.pass_s(5)
    assert harness.house.phase("M") == "closed"
    wired.goes_on()

    assert seat.stakes() == seat.bets() == {}
    assert seat.meter("credit") == seat.credit() == 100_000
    seat.open("messages")
    assert "Not accepted" in seat.dialog.inner_text()


def test_second_window_takes_over(opens: Opens) -> None:
    """The same terminal in a second window shuts the first, which says so and can take it back."""
    harness = opens(house_of(PLAIN["M"]))
    seat = harness.seat("M")
    seat.tap("17")
    other = harness.screen("terminal", seat.page.context)
    seat.screen.settle()

    assert "another window" in seat.page.locator(".overlay").inner_text()
    assert Seat(other, "M").stakes() == {"17": 100}
    seat.page.get_by_role("button", name="here").click()
    seat.screen.settle()
    other.settle()
    assert seat.stakes() == {"17": 100}
    assert "another window" in other.page.locator(".overlay").inner_text()
