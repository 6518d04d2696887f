"""The drawer at a cashier's console: cash that is taken for credits, the blind count, and the reports of a day."""

from typing import Final

import pytest

from tests.stage.drawer_shift import FLOAT, Till, issued
from tests.stage.houses import MARINA, PLAIN, house_of
from tests.stage.parlour import Opens

CASHIER: Final = """
[[staff]]
person = "cashier"
titles = ["Cashier"]
"""
#: A house with two currencies, whose gaming day ends soon after a test has begun.
TWO: Final = 'day_begins = "18:01"\n' + house_of(PLAIN["A"], PLAIN["C"], CASHIER)
TIMES: Final = "\N{MULTIPLICATION SIGN}"


def test_drawer_is_counted_blind(opens: Opens) -> None:
    """A drawer is paid from, counted and handed in; only the shift report tells what is missing, past a reload too."""
    harness = opens(TWO)
    drawer_shift = Till(harness, "cashier")
    drawer_shift.take("D2")
    assert drawer_shift.drawer.locator(".name").inner_text() == "D2"
    counted = (FLOAT - 5_000) // 100 - 1
    drawer_shift.scan(issued(harness, 5_000))
    drawer_shift.pay()
    assert drawer_shift.drawer.locator(".name").inner_text() == "D2 · AUD"
    assert not drawer_shift.at.button("Hand in").is_enabled()
    drawer_shift.at.press("Count…")
    drawer_shift.at.fill(f"100 {TIMES}", str(counted // 100))
    drawer_shift.at.fill(f"1 {TIMES}", str(counted % 100))
    drawer_shift.at.fill("Coins and all else", "0.50")
    assert drawer_shift.at.sheet.locator("output").inner_text() == f"A${counted:,}.50"
    drawer_shift.at.press("This is the count")
    drawer_shift.wait()
    assert "Counted" in drawer_shift.drawer.inner_text()

    drawer_shift.at.press("Hand in")
    drawer_shift.wait()
    assert "D2 is handed in" in drawer_shift.drawer.inner_text()
    drawer_shift.at.page.reload()
    drawer_shift.at.settle()
    drawer_shift.at.press("Shift report")
    report = drawer_shift.at.sheet.inner_text()
    assert "AUD 0.50 short" in report
    drawer_shift.at.leave()


@pytest.mark.clause("marina-bay-sands-2020", "1.1.1")
def test_credits_are_sold_where_the_rules_have_it(opens: Opens) -> None:
    """At Marina Bay Sands cash becomes credits at the desk, each time with a receipt; a refusal is said in words."""
    harness = opens(house_of(MARINA, PLAIN["A"], CASHIER))
    seat = harness.seat("M", credit=0)
    drawer_shift = Till(harness, "cashier")
    drawer_shift.take("D1")
    drawer_shift.at.press("Buy-in…")
    drawer_shift.at.fill("Terminal", seat.device)
    drawer_shift.at.fill("Cash taken", "0.50")
    drawer_shift.at.press("Take the cash")
    assert "[1.1.1]" in drawer_shift.at.reply()
    drawer_shift.at.fill("Cash taken", "250")
    drawer_shift.at.press("Take the cash")
    drawer_shift.wait()
    buys_in(drawer_shift, seat.device, "30")

    assert seat.meter("credit") == seat.credit() == 28_000
    assert "taken in SGD 280" in drawer_shift.drawer.inner_text().replace("\xa0", " ")
    assert [receipt_of(drawer_shift, place) for place in (0, 1)] == ["SGD 30.00", "SGD 250.00"]


def buys_in(drawer_shift: Till, terminal: str, amount: str) -> None:
    drawer_shift.at.press("Buy-in…")
    drawer_shift.at.fill("Terminal", terminal)
    drawer_shift.at.fill("Cash taken", amount)
    drawer_shift.at.press("Take the cash")
    drawer_shift.wait()


def receipt_of(drawer_shift: Till, place: int) -> str:
    """The amount on the receipt of what went through the drawer, the newest first."""
    drawer_shift.drawer.get_by_role("button", name="Receipt").nth(place).click()
    drawer_shift.at.settle()
    amount = drawer_shift.at.sheet.locator(".paper [data-look=large]").last.inner_text()
    drawer_shift.at.leave()
    return amount


def test_day_that_is_over_is_reported(opens: Opens) -> None:
    """The desk has the report of a day that is over, in the currency that was chosen; no other day has one."""
    harness = opens(TWO)
    drawer_shift = Till(harness, "cashier")
    harness.pass_s(70)
    assert "USD" in day_report(drawer_shift, "USD", "2026-11-14")
    assert "AUD" in day_report(drawer_shift, "AUD", "2026-11-14")
    assert "not on record" in day_report(drawer_shift, "AUD", "2026-11-10")


def day_report(drawer_shift: Till, currency: str, day: str) -> str:
    """Ask for the report of a day, and read it, or why there is none."""
    drawer_shift.at.press("Day close report…")
    drawer_shift.at.choose("Currency", currency)
    drawer_shift.at.fill("Gaming day that is over", day)
    drawer_shift.at.press("Show the report")
    drawer_shift.at.settle()
    told = drawer_shift.at.sheet.inner_text()
    drawer_shift.at.leave()
    drawer_shift.at.leave()
    return told
