"""Dialogs: statistics, rules, messages, settings, session and break agree with the house."""

import pytest

from croupier import rulebook
from tests.support.browser.houses import ADELAIDE, BOOKS, MARINA, house_of
from tests.support.browser.shared_house import Opens, Plain


def test_statistics_count_what_came(opens: Opens) -> None:
    """The statistics count every spin beside what a fair wheel brings; no number is hot after three, and odds stay."""
    harness = opens(house_of(MARINA))
    seat = harness.seat("M")
    for pocket in ("17", "17", "0"):
        harness.reach("M", "open")
        harness.spin("M", pocket)
    dialog = seat.open("statistics")

    said = dialog.inner_text()
    assert "3 spins counted" in said
    assert "Past results do not change the odds." in said
    assert dialog.locator(".heat").count() == 0
    shares = seat.page.locator(".halves").first
    assert shares.evaluate("(bar) => [bar.style.getPropertyValue('--first'), bar.innerText.split('\\n').length]") == [
        "0%",
        2,
    ]
    assert "Black\n2 · 67 %" in said
    assert "Expected 0 to 3" in said


@pytest.mark.parametrize("table", BOOKS)
def test_rules_of_the_venue_are_at_hand(plain: Plain, table: str) -> None:
    """The rules sheet has the odds of every kind of bet and every clause of the venue, and finds one by its number."""
    seat = plain(table)
    dialog = seat.open("rules")
    book = rulebook(BOOKS[table])

    said = dialog.inner_text()
    assert f"{len(book.clauses)} clauses" in said
    for price in book.paytable.prices.values():
        assert f"{price.pays} to 1" in said
    seat.close()


@pytest.mark.parametrize("table", BOOKS)
def test_help_has_a_picture_and_the_price_of_every_bet(plain: Plain, table: str) -> None:
    """Help draws every kind of bet of the venue with its chip, the numbers it covers and its price."""
    seat = plain(table)
    dialog = seat.open("help")
    prices = rulebook(BOOKS[table]).paytable.prices.values()
    cards = dialog.locator(".help-cards").first.locator(".help-card")

    assert cards.locator("em").all_inner_texts() == [f"{price.pays} to 1" for price in prices]
    assert cards.locator(".chip").count() == len(prices)
    covers = [card.locator(".covered").count() for card in cards.all()]
    assert (covers[0], covers[-1]) == (1, 18)
    seat.close()


def test_bet_of_a_picture_is_shown_on_the_table(opens: Opens) -> None:
    """A press on a picture of help closes it and shows the bet on the felt, without placing it."""
    seat = opens(house_of(MARINA)).seat("M")
    seat.open("help").locator(".help-card").first.click()
    seat.screen.settle()

    assert len(seat.ghosts()) == 1
    assert seat.bets() == {}


def test_refusals_are_in_the_message_log(opens: Opens) -> None:
    """What was refused can be read again later, with its clause."""
    seat = opens(house_of(ADELAIDE)).seat("A")
    seat.tap("red")
    assert seat.bets() == {}
    dialog = seat.open("messages")

    assert "Not accepted" in dialog.inner_text()
    assert "7(h)v" in str(dialog.locator(".info").first.get_attribute("aria-label"))


def test_another_language_is_chosen(opens: Opens) -> None:
    """In another language everything is said anew; the chips stay, and what the rules fix stays as they fix it."""
    seat = opens(house_of(MARINA)).seat("M")
    seat.tap("17")
    seat.open("settings").get_by_text("العربية", exact=True).click()
    seat.page.wait_for_function("() => document.documentElement.lang === 'ar'")
    seat.settle()

    assert seat.page.evaluate("document.documentElement.dir") == "rtl"
    assert seat.stakes() == seat.bets() == {"17": 500}
    assert seat.message() == "Place your bets, please"
    seat.close()
    seat.open("settings").get_by_text("Français", exact=True).click()
    seat.page.wait_for_function("() => document.documentElement.lang === 'fr'")
    seat.settle()
    assert seat.page.evaluate("document.documentElement.dir") == "ltr"


def test_sound_is_off_until_it_is_wanted(plain: Plain) -> None:
    """Nothing sounds before somebody has switched it on."""
    seat = plain("M")
    dialog = seat.open("settings")

    assert not dialog.get_by_role("switch", name="Sound").is_checked()
    seat.close()


def test_session_shows_time_and_net_result(opens: Opens) -> None:
    """How long somebody has played, what was put in and what came of it are always at hand."""
    harness = opens(house_of(MARINA))
    seat = harness.seat("M")
    seat.tap("17")
    harness.spin("M", "0")
    harness.pass_s(60)

    line = seat.page.locator(".sessionline").inner_text()
    assert "1 min" in line
    assert "$5" in line
    dialog = seat.open("session")
    assert "$1,000" in dialog.inner_text()


def test_break_is_offered_between_rounds(opens: Opens) -> None:
    """Where the operator wants it, a player is reminded of a break, and never while bets are taken."""
    harness = opens(house_of(MARINA).replace("data =", "players.break_minutes = 1\ndata ="))
    seat = harness.seat("M")
    reminder = seat.page.locator("dialog[data-dialog=break]")
    harness.spin("M", "0")
    harness.reach("M", "open")
    harness.pass_s(28)
    assert reminder.count() == 0

    harness.reach("M", "closed")
    harness.pass_s(2)
    assert reminder.is_visible()
    seat.press("Go on")
    assert reminder.count() == 0


def test_menu_has_three_groups_that_fit(plain: Plain) -> None:
    """The menu shows everything in three groups, without scrolling at 800 px."""
    seat = plain("M")
    seat.page.locator("button.menu:visible").click()
    seat.page.locator("dialog[data-dialog=menu]").wait_for()
    assert seat.dialog.get_by_role("heading", level=3).all_text_contents() == ["Play", "Yours", "The table"]
    assert seat.dialog.locator(".body").evaluate("(body) => body.scrollHeight <= body.clientHeight")
    assert seat.dialog.locator("[data-opens]").count() >= 14
    seat.close()
