"""Save and recall: three patterns of chips on Clearwater's terminals, shown before they are placed."""

import pytest
from playwright.sync_api import Locator

from croupier.house.ids import TerminalId
from tests.support.browser.houses import CLEARWATER, PLAIN, house_of
from tests.support.browser.seat import Seat
from tests.support.browser.shared_house import Opens


def pattern_button(seat: Seat, number: int) -> Locator:
    return seat.dialog.get_by_role("group", name=f"Pattern {number}")


def within(seat: Seat, number: int, name: str) -> None:
    """Press a button of one of the three fields."""
    pattern_button(seat, number).get_by_role("button", name=name, exact=True).click()
    seat.screen.settle()


def saved(seat: Seat) -> dict[str, dict[str, int]]:
    """What is kept in the house's own books, by slot, in credits."""
    found = seat.screen.server.read(lambda house: house.terminals[TerminalId(seat.device)].patterns)
    return {str(number): {str(spot): chips for spot, chips in pattern.items()} for number, pattern in found.items()}


@pytest.mark.clause("clearwater-etg", "19.b")
@pytest.mark.clause("clearwater-etg", "19.c")
def test_pattern_is_saved_overridden_and_kept(opens: Opens) -> None:
    """Chips are saved in a free field at once; a full one asks first, and stays as it is after Cancel."""
    seat = opens(house_of(PLAIN["C"])).seat("C")
    seat.tap("17", "20")
    seat.act("save")
    within(seat, 1, "Save")
    assert saved(seat) == {"1": {"17": 1, "20": 1}}

    seat.close()
    seat.tap("17")
    seat.act("save")
    within(seat, 1, "Save")
    within(seat, 1, "Cancel")
    assert saved(seat) == {"1": {"17": 1, "20": 1}}
    within(seat, 1, "Save")
    within(seat, 1, "Override")
    assert saved(seat) == {"1": {"17": 2, "20": 1}}
    assert "3 credits" in pattern_button(seat, 1).inner_text()
    assert pattern_button(seat, 2).get_by_role("button", name="Recall").is_disabled()


@pytest.mark.clause("clearwater-etg", "19.d")
def test_recall_is_shown_and_only_then_placed(opens: Opens) -> None:
    """A recall lies on the felt as ghosts; Cancel lets it go, and only Confirm stakes it."""
    seat = opens(house_of(PLAIN["C"])).seat("C")
    seat.tap("17", "17/20")
    seat.act("save")
    within(seat, 2, "Save")
    seat.close()
    seat.act("clear")

    seat.act("save")
    within(seat, 2, "Recall")
    assert seat.ghosts() == {"17": 100, "17/20": 100}
    assert seat.stakes() == seat.bets() == {}
    seat.press("Cancel")
    assert seat.ghosts() == seat.stakes() == {}

    seat.act("save")
    within(seat, 2, "Recall")
    seat.press("Confirm")
    assert seat.ghosts() == {}
    assert seat.stakes() == seat.bets() == {"17": 100, "17/20": 100}


@pytest.mark.clause("clearwater-etg", "19.e")
def test_recall_is_reduced_to_the_credits(opens: Opens) -> None:
    """Where the credits do not reach, the ghosts show the reduced chips, the bar says so, and those are placed."""
    harness = opens(house_of(CLEARWATER))
    seat = harness.seat("C", credit=10_000)
    seat.choose(10)
    seat.tap("17", "17", "20", "20", "23", "23")
    seat.act("save")
    within(seat, 3, "Save")
    seat.close()
    harness.spin("C", "5")
    harness.reach("C", "open")
    assert seat.credit() == 4_000

    seat.act("save")
    within(seat, 3, "Recall")
    ghosts = seat.ghosts()
    assert 0 < sum(ghosts.values()) <= 4_000
    assert "Reduced" in seat.page.locator(".recallbar").inner_text()
    seat.press("Confirm")
    assert seat.stakes() == seat.bets() == ghosts
    assert seat.meter("credit") == seat.credit() == 4_000 - sum(ghosts.values())
