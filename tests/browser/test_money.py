"""Money at the terminal: notes, tickets, credits or currency, and all of it collected to a slip."""

import re

from tests.support.browser.houses import ADELAIDE, CLEARWATER, house_of
from tests.support.browser.shared_house import Opens


def test_notes_go_in_and_a_slip_comes_out(opens: Opens) -> None:
    """Notes of the simulated acceptor are credits; collected, they are a slip, and the meter is empty."""
    seat = opens(house_of(ADELAIDE)).seat("A", credit=0)
    seat.open("money")
    seat.press("Insert a note of $50")
    seat.press("Insert a note of $20")
    assert seat.credit() == 7_000
    seat.close()
    assert seat.meter("credit") == 7_000

    seat.act("collect")
    assert "$70" in seat.dialog.inner_text()
    seat.dialog.locator(".foot .main").click()
    seat.screen.settle()
    slip = seat.dialog.inner_text()
    assert "Payment slip" in slip
    assert "$70" in slip
    assert seat.meter("credit") == seat.credit() == 0
    seat.press("I have taken it")
    assert seat.page.locator("dialog[open]").count() == 0


def test_ticket_goes_in_again(opens: Opens) -> None:
    """A ticket that came out of a terminal at Clearwater can be put in again, once."""
    seat = opens(house_of(CLEARWATER)).seat("C")
    seat.act("collect")
    seat.dialog.locator(".foot .main").click()
    seat.screen.settle()
    number = re.sub(r"\D", "", seat.dialog.locator(".paper dd").first.inner_text())
    seat.press("I have taken it")

    seat.open("money")
    for expected in (100_000, 100_000):
        seat.dialog.locator("input[name=number]").fill(number)
        seat.dialog.locator("form.ticket button").click()
        seat.screen.settle()
        assert seat.credit() == expected
    assert "already paid" in seat.dialog.inner_text()


def test_amounts_in_credits_and_another_denomination(opens: Opens) -> None:
    """Amounts are shown in credits or in money as the player likes, and a chip is worth what one credit is."""
    seat = opens(house_of(CLEARWATER)).seat("C")
    seat.open("settings").get_by_text("Credits", exact=True).click()
    seat.close()
    assert seat.page.locator("[data-meter=credit] dd").inner_text().startswith("1,000")

    seat.open("settings").get_by_text("$5", exact=True).click()
    seat.screen.settle()
    seat.close()
    assert seat.page.locator("[data-meter=credit] dd").inner_text().startswith("200")
    seat.choose(1)
    seat.tap("17")
    assert seat.bets() == {"17": 500}


def test_amounts_that_are_written_already_are_written_anew(opens: Opens) -> None:
    """Chips that lie there, their names and the limits over them go with the units, as everything else does."""
    seat = opens(house_of(CLEARWATER)).seat("C")
    seat.open("settings").get_by_text("$5", exact=True).click()
    seat.screen.settle()
    seat.close()
    seat.choose(1)
    seat.tap("17")
    seat.act("limits")
    seat.screen.settle()
    chip = seat.felt.locator(".stack[data-spot='17'] b")
    name = seat.felt.locator("[role=option][data-spot='17']")
    tag = seat.felt.locator(".tag text").first
    money = (chip.inner_text(), name.get_attribute("aria-label") or "", tag.text_content())
    assert (money[0], "$5" in money[1]) == ("5", True)

    seat.open("settings").get_by_text("Credits", exact=True).click()
    seat.close()
    assert chip.inner_text() == "1"
    assert "$" not in (name.get_attribute("aria-label") or "$")
    assert tag.text_content() != money[2]


def test_last_games_are_shown_again(opens: Opens) -> None:
    """The last games are replayed step by step, marked as a replay, with their number and what they brought."""
    harness = opens(house_of(ADELAIDE))
    seat = harness.seat("A")
    seat.choose(10)
    seat.tap("17", "5")
    harness.spin("A", "17")
    dialog = seat.open("recall")

    assert "REPLAY" in dialog.inner_text()
    assert "Winning number\n17" in dialog.inner_text()
    step = dialog.get_by_role("button", name="One step forward")
    while step.is_enabled():
        step.click()
    assert "The number is 17" in dialog.inner_text()
    assert "Staked\n$10\nReturned\n$180\nNet\n+$170" in dialog.inner_text()
