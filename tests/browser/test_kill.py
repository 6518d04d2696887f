"""The process of the house is killed in the middle of a round: the screen finds its way back, and explains."""

from pathlib import Path
from signal import SIGKILL

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support.browser.harness import DESK
from tests.support.browser.houses import house_of
from tests.support.browser.screen import Console
from tests.support.serving import processes

TABLE = """
[[tables]]
id = "A"
rulebook = "skycity-adelaide-2003"
seats = 1
wheel = "random"
betting_s = 600
pause_s = 1
minimum = 1
[tables.seat]
denominations = [1]
chips = [1, 5]
"""
PATIENCE_MS = 20_000


@pytest.mark.clause("skycity-adelaide-2003", "11(b)i")
def test_kill_in_the_middle_of_a_round(browser: Browser, tmp_path: Path) -> None:
    """After kill -9 the bets of the open round are back on the credit meter, and the screen says by which clause."""
    config = tmp_path / "croupier.toml"
    config.write_text(house_of(TABLE), "utf-8")
    with processes() as starts, browser.new_context(viewport=DESK, reduced_motion="reduce") as context:
        serving = starts(config)
        assert serving.opened()
        page = context.new_page()
        console, credit, message = Console(page), page.locator("[data-meter=credit] dd"), page.locator(".message")
        page.goto(f"http://127.0.0.1:{serving.port}/terminal")
        _bets(page)
        expect(credit).to_have_text("$999", timeout=PATIENCE_MS)

        console.may_be_cut = True
        assert serving.stopped(SIGKILL).code == -SIGKILL
        expect(message).to_have_attribute("data-moment", "lost", timeout=PATIENCE_MS)
        again = starts(config, port=serving.port)
        assert again.opened()

        expect(page.locator('.notice-line .info[aria-label*="11(b)i"]')).to_be_visible(timeout=PATIENCE_MS)
        expect(credit).to_have_text("$1,000", timeout=PATIENCE_MS)
        expect(page.locator(".cloth .stack")).to_have_count(0, timeout=PATIENCE_MS)
        assert console.complaints == []


def _bets(page: Page) -> None:
    """Insert money, and lay a chip on a number."""
    page.locator('[data-act="collect"]').click()
    expect(page.locator(".message")).to_have_attribute("data-moment", "open", timeout=PATIENCE_MS)
    box = page.locator('.felt [role=option][data-spot="17"]').bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
