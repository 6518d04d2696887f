"""The drawer at a cashier's console: cash that is taken for credits, the blind count, and the reports of a day."""

from typing import Final

import pytest

from tests.stage.houses import MARINA, PLAIN, house_of
from tests.stage.parlour import Opens
from tests.stage.till import FLOAT, Till, issued

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
    night = opens(TWO)
    till = Till(night, "cashier")
    till.take("D2")
    assert till.drawer.locator(".name").inner_text() == "D2"
    counted = (FLOAT - 5_000) // 100 - 1
    till.scan(issued(night, 5_000))
    till.pay()
    assert till.drawer.locator(".name").inner_text() == "D2 · AUD"
    assert not till.at.button("Hand in").is_enabled()
    till.at.press("Count…")
    till.at.fill(f"100 {TIMES}", str(counted // 100))
    till.at.fill(f"1 {TIMES}", str(counted % 100))
    till.at.fill("Coins and all else", "0.50")
    assert till.at.sheet.locator("output").inner_text() == f"A${counted:,}.50"
    till.at.press("This is the count")
    till.wait()
    assert "Counted" in till.drawer.inner_text()

    till.at.press("Hand in")
    till.wait()
    assert "D2 is handed in" in till.drawer.inner_text()
    till.at.page.reload()
    till.at.settle()
    till.at.press("Shift report")
    report = till.at.sheet.inner_text()
    assert "AUD 0.50 short" in report
    till.at.leave()


@pytest.mark.clause("marina-bay-sands-2020", "1.1.1")
def test_credits_are_sold_where_the_rules_have_it(opens: Opens) -> None:
    """At Marina Bay Sands cash becomes credits at the desk, each time with a receipt; a refusal is said in words."""
    night = opens(house_of(MARINA, PLAIN["A"], CASHIER))
    seat = night.seat("M", credit=0)
    till = Till(night, "cashier")
    till.take("D1")
    till.at.press("Buy-in…")
    till.at.fill("Terminal", seat.device)
    till.at.fill("Cash taken", "0.50")
    till.at.press("Take the cash")
    assert "[1.1.1]" in till.at.reply()
    till.at.fill("Cash taken", "250")
    till.at.press("Take the cash")
    till.wait()
    buys_in(till, seat.device, "30")

    assert seat.meter("credit") == seat.credit() == 28_000
    assert "taken in SGD 280" in till.drawer.inner_text().replace("\xa0", " ")
    assert [receipt_of(till, place) for place in (0, 1)] == ["SGD 30.00", "SGD 250.00"]


def buys_in(till: Till, terminal: str, amount: str) -> None:
    till.at.press("Buy-in…")
    till.at.fill("Terminal", terminal)
    till.at.fill("Cash taken", amount)
    till.at.press("Take the cash")
    till.wait()


def receipt_of(till: Till, place: int) -> str:
    """The amount on the receipt of what went through the drawer, the newest first."""
    till.drawer.get_by_role("button", name="Receipt").nth(place).click()
    till.at.settle()
    amount = till.at.sheet.locator(".paper [data-look=large]").last.inner_text()
    till.at.leave()
    return amount


def test_day_that_is_over_is_reported(opens: Opens) -> None:
    """The desk has the report of a day that is over, in the currency that was chosen; no other day has one."""
    night = opens(TWO)
    till = Till(night, "cashier")
    night.pass_s(70)
    assert "USD" in day_report(till, "USD", "2026-11-14")
    assert "AUD" in day_report(till, "AUD", "2026-11-14")
    assert "not on record" in day_report(till, "AUD", "2026-11-10")


def day_report(till: Till, currency: str, day: str) -> str:
    """Ask for the report of a day, and read it, or why there is none."""
    till.at.press("Day close report…")
    till.at.choose("Currency", currency)
    till.at.fill("Gaming day that is over", day)
    till.at.press("Show the report")
    till.at.settle()
    told = till.at.sheet.inner_text()
    till.at.leave()
    till.at.leave()
    return told
