"""Slips that are lost and found, and bets that repeat themselves."""

import pytest
from playwright.sync_api import expect

from tests.support.browser.houses import CLEARWATER, MARINA, house_of
from tests.support.browser.shared_house import Opens


def test_slip_is_found_after_the_page_was_closed(opens: Opens) -> None:
    """A slip has its barcode, is under My slips with its state after a reload, goes in once, and is paid then."""
    seat = opens(house_of(CLEARWATER)).seat("C")
    seat.act("collect")
    seat.dialog.locator(".foot .main").click()
    seat.screen.settle()
    assert seat.dialog.locator(".paper .barcode").is_visible()
    seat.press("I have taken it")
    assert seat.credit() == 0
    seat.screen.go("terminal#table=C&lang=en")
    seat.page.reload()
    seat.page.wait_for_function("() => window.stage?.is_in")
    seat.settle()

    seat.page.locator("button.menu").click()
    seat.page.get_by_role("button", name="My slips").click()
    slips = seat.page.locator("dialog[data-dialog=slips] .slips li")
    slips.first.wait_for()
    assert "$1,000" in slips.first.inner_text()
    expect(slips.first.locator(".state")).to_have_text("Yours")
    slips.first.get_by_role("button", name="Put in here").click()
    seat.settle()
    assert seat.credit() == 100_000
    expect(slips.first.locator(".state")).to_contain_text("Paid")
    expect(slips.first.get_by_role("button", name="Put in here")).to_be_hidden()
    slips.first.get_by_role("button", name="Remove").click()
    assert slips.count() == 0


@pytest.mark.parametrize("browser_zone", ["America/New_York", "Pacific/Auckland"])
def test_slip_has_the_time_of_the_venue(opens: Opens, browser_zone: str) -> None:
    """Wherever the browser is, a slip has the time of the venue, and as many days left as there are at the venue."""
    zone = 'timezone = "Australia/Adelaide"\nticket_days = 30\n'
    seat = opens(zone + house_of(CLEARWATER)).seat("C", timezone_id=browser_zone)
    seat.act("collect")
    seat.dialog.locator(".foot .main").click()
    seat.screen.settle()
    assert "Nov 16, 2026, 4:30:" in seat.dialog.locator(".paper").inner_text()
    seat.press("I have taken it")

    seat.page.locator("button.menu").click()
    seat.page.get_by_role("button", name="My slips").click()
    slip = seat.page.locator("dialog[data-dialog=slips] .slips li").first
    expect(slip).to_contain_text("Nov 16 04:30")
    # It was issued before 06:00, on the gaming day of the 15th, the first of 30: the last is December 14.
    expect(slip.locator(".state")).to_have_text("Yours, 28 days left")


def test_repeats_count_the_rounds_that_follow(opens: Opens) -> None:
    """Asked for while chips lie in the current round, five repeats begin with the next one and count down by one."""
    harness = opens(house_of(MARINA))
    seat = harness.seat("M")
    seat.tap("17")
    seat.page.locator("button.menu").click()
    seat.page.get_by_role("button", name="Repeat automatically").click()
    seat.page.get_by_role("button", name="5 rounds", exact=True).click()
    seat.settle()
    repeat = seat.page.locator("[data-act=repeat]")
    for left in (5, 4, 3):
        assert f"({left})" in repeat.inner_text()
        harness.spin("M", "20")
        harness.reach("M", "open")
        seat.settle()
        assert seat.bets() == {"17": 500}


def test_last_bets_repeat_themselves_until_they_are_stopped(opens: Opens) -> None:
    """The last bets are placed when the next rounds open; Repeat stops them, and tells how many rounds are left."""
    harness = opens(house_of(MARINA))
    seat = harness.seat("M")
    seat.tap("17")
    harness.spin("M", "20")
    seat.page.locator("button.menu").click()
    seat.page.get_by_role("button", name="Repeat automatically").click()
    seat.page.get_by_role("button", name="5 rounds", exact=True).click()
    harness.reach("M", "open")
    seat.settle()
    assert seat.bets() == {"17": 500}
    repeat = seat.page.locator("[data-act=repeat]")
    assert "Stop (" in repeat.inner_text()
    repeat.click()
    seat.settle()
    assert repeat.inner_text() == "Repeat"
    harness.spin("M", "20")
    harness.reach("M", "open")
    assert seat.bets() == {}
