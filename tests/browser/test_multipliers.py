"""Multipliers on the screens: what was drawn is shown before the ball rests, and paid as drawn."""

from typing import Any, Final

import pytest
from playwright.sync_api import expect

from croupier.house.ids import TableId
from tests.support.browser.harness import PHONE, BrowserHarness
from tests.support.browser.houses import MARINA, house_of
from tests.support.browser.shared_house import Opens

GAME: Final = MARINA.replace("marina-bay-sands-2020", "generic-multiplier").replace(
    "[tables.seat]", 'wheel = "random"\nprovable = true\nspin_s = 8\n[tables.seat]'
)
STAFF: Final = """
[[staff]]
person = "boss"
titles = ["Shift Manager"]
"""


def drawn_at(harness: BrowserHarness) -> dict[str, int]:
    """Let time pass until the multiples are drawn, and say what they are."""
    table = harness.house.open.venue.run.house.tables[TableId("M")]
    harness.reach("M", "closed")
    for _ in range(10):
        if table.playing.multiples:
            break
        harness.pass_s(1)
    return {str(pocket): pays for pocket, pays in table.playing.multiples.items()}


@pytest.mark.parametrize("phone", [False, True])
def test_drawn_numbers_are_on_the_felt_before_the_ball_rests(opens: Opens, *, phone: bool) -> None:
    """The felt marks each drawn number with its multiple, the board lists them, and the next round has none."""
    harness = opens(house_of(GAME))
    options: dict[str, Any] = {"viewport": PHONE, "has_touch": True} if phone else {}
    seat = harness.seat("M", credit=1_000_000, **options)
    board = harness.screen("board#table=M")
    harness.house.lay(seat.device, "M", [(str(number), 500) for number in range(37)])
    drawn = drawn_at(harness)
    assert len(drawn) >= 3
    marks = seat.felt.locator(".multiple text")
    expect(marks).to_have_count(len(drawn))
    assert sorted(each[1:] for each in marks.all_text_contents()) == sorted(str(pays) for pays in drawn.values())
    listed = board.page.locator(".drawn-numbers li")
    expect(listed).to_have_count(len(drawn))
    assert sorted(listed.locator(".tile").all_inner_texts()) == sorted(drawn)
    harness.reach("M", "between")
    pocket = harness.house.open.venue.run.house.tables[TableId("M")].numbers[0]
    label = seat.felt.locator(".stack:has(.paid-label) b")
    expect(label).to_have_count(1)
    assert str(5 * drawn.get(pocket, 27)) in (label.text_content() or "").replace(",", "")
    harness.reach("M", "open")
    expect(marks).to_have_count(0)


def test_page_proves_number_and_multiples(opens: Opens) -> None:
    """The page verifies by itself that number and multiples follow from the secret and its own share."""
    harness = opens(house_of(GAME, STAFF))
    seat = harness.seat("M")
    seat.page.locator("button.menu").click()
    seat.page.get_by_role("button", name="Provable draws", exact=True).click()
    dialog = seat.page.locator("dialog[data-dialog=proof]")
    dialog.get_by_role("button", name="Add my share to every draw").click()
    harness.pass_s(1)
    assert drawn_at(harness)
    record = dialog.locator(".proofs li").first
    for _ in range(20):
        harness.pass_s(2)
        if record.count():
            break
    expect(record).to_contain_text("Proven")


def test_price_of_a_straight_up_says_what_may_be_drawn(opens: Opens) -> None:
    """Help shows the price of a straight up with the lowest and the highest multiple."""
    harness = opens(house_of(GAME))
    seat = harness.seat("M")
    seat.page.locator("button.menu").click()
    seat.page.get_by_role("button", name="Help: the bets", exact=True).click()
    assert "27 to 1, drawn 60 to 500 to 1" in seat.page.locator(".help-cards").first.inner_text()
