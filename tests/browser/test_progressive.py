"""A pot on the screens: what it is worth, what it pays, and that it must be won."""

from typing import Final

from playwright.sync_api import expect

from tests.support.browser.houses import house_of
from tests.support.browser.shared_house import Opens

GAME: Final = """
[[tables]]
id = "P"
rulebook = "generic-progressive"
seats = 2
betting_s = 30
pause_s = 6
minimum = 1
maximum = 100
[tables.seat]
denominations = [1]
chips = [5, 100]
notes = [10, 50]
"""


def test_pot_is_on_the_felt_and_its_win_among_the_wins(opens: Opens) -> None:
    """The felt shows the pot in its box, grows it after a round, and what it pays is listed, also where it is due."""
    harness = opens(house_of(GAME))
    seat = harness.seat("P", credit=100_000)
    shown = seat.felt.locator(".multiple text")
    expect(shown).to_have_text(["€50"])
    seat.choose(100)
    seat.tap("pot")
    harness.spin("P", "1")
    expect(shown).to_have_text(["€100"])
    harness.reach("P", "open")
    seat.tap("pot")
    harness.spin("P", "2")
    # It has 150, and is won on the next number.
    expect(shown).to_have_text(["€150"])
    harness.reach("P", "open")
    seat.choose(5)
    seat.tap("pot")
    harness.spin("P", "3")
    expect(seat.page.locator(".banner")).to_contain_text("€150")
    assert seat.credit() == 100_000 - 20_000 + 15_000
