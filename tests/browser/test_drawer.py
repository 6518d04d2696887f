"""The drawer at a cashier's console: cash that is taken for credits, the blind count, and the reports of a day."""

import re
from typing import Final

import pytest

from tests.browser.test_pit import act
from tests.support.browser.cashier_console import FLOAT, CashierConsole, issued
from tests.support.browser.houses import MANAGERS, MARINA, PLAIN, house_of
from tests.support.browser.shared_house import Opens

CASHIER: Final = """
[[staff]]
person = "cashier"
titles = ["Cashier"]
"""
#: A house with two currencies, whose gaming day ends soon after a test has begun.
TWO: Final = 'day_begins = "18:01"\n' + house_of(PLAIN["A"], PLAIN["C"], CASHIER, MANAGERS)
TIMES: Final = "\N{MULTIPLICATION SIGN}"


def test_drawer_is_counted_blind(opens: Opens) -> None:
    """A drawer is paid from, counted and handed in; only the shift report tells what is missing, past a reload too."""
    harness = opens(TWO)
    desk = CashierConsole(harness, "cashier")
    desk.take("D2")
    assert desk.drawer.locator(".name").inner_text() == "D2 · AUD"
    counted = (FLOAT - 5_000) // 100 - 1
    desk.scan(issued(harness, 5_000))
    desk.pay()
    assert desk.drawer.locator(".name").inner_text() == "D2 · AUD"
    assert "Paid at" in desk.ticket.inner_text()
    assert not desk.at.button("Hand in…").is_enabled()
    desk.at.press("Count…")
    desk.at.fill(f"100 {TIMES}", str(counted // 100))
    desk.at.fill(f"1 {TIMES}", str(counted % 100))
    desk.at.fill("Coins and all else", "0.50")
    assert desk.at.dialog.locator("output").inner_text() == f"A${counted:,}.50"
    desk.at.press("This is the count")
    desk.wait()
    assert "Counted" in desk.drawer.inner_text()
    assert "Scan a slip" in desk.ticket.inner_text()

    desk.at.press("Hand in…")
    desk.at.press(f"Hand in A${counted:,}.50")
    desk.at.sign_again()
    desk.wait()
    what = f"Hand-in of drawer D2 with A${counted:,}.50"
    assert what in desk.at.page.inner_text("main")
    assert "Counted" in desk.drawer.inner_text()
    boss = harness.staff("pit", "boss")
    act(boss, f"{what} awaits a second signature", "Review and sign…")
    assert f"A${counted:,}.50" in boss.dialog.inner_text()
    boss.press("Sign it too")
    boss.sign_again()
    desk.wait()
    assert "D2 is handed in" in desk.drawer.inner_text()
    desk.at.page.reload()
    desk.at.settle()
    desk.at.press("Shift report")
    report = desk.at.dialog.inner_text()
    assert "AUD 0.50 short" in report
    desk.at.leave()


@pytest.mark.clause("marina-bay-sands-2020", "1.1.1")
def test_credits_are_sold_where_the_rules_have_it(opens: Opens) -> None:
    """At Marina Bay Sands cash becomes credits at the desk, each time with a receipt; a refusal is said in words."""
    harness = opens(house_of(MARINA, PLAIN["A"], CASHIER))
    seat = harness.seat("M", credit=0)
    desk = CashierConsole(harness, "cashier")
    desk.take("D1", currency="SGD")
    desk.at.press("Buy-in…")
    desk.at.fill("Terminal", seat.device)
    desk.at.fill("Cash taken", "0.50")
    desk.at.press("Take the cash")
    assert "[1.1.1]" in desk.at.reply()
    desk.at.fill("Cash taken", "250")
    desk.at.press("Take the cash")
    desk.wait()
    buys_in(desk, seat.device, "30")

    assert seat.meter("credit") == seat.credit() == 28_000
    assert "taken in SGD 280" in desk.drawer.inner_text().replace("\xa0", " ")
    assert [receipt_of(desk, place) for place in (0, 1)] == ["SGD 30.00", "SGD 250.00"]


def buys_in(desk: CashierConsole, terminal: str, amount: str) -> None:
    desk.at.press("Buy-in…")
    desk.at.fill("Terminal", terminal)
    desk.at.fill("Cash taken", amount)
    desk.at.press("Take the cash")
    desk.wait()


def receipt_of(desk: CashierConsole, place: int) -> str:
    """The amount on the receipt of what went through the drawer, the newest first."""
    desk.drawer.get_by_role("button", name="Receipt").nth(place).click()
    desk.at.settle()
    amount = desk.at.dialog.locator(".paper [data-look=large]").last.inner_text()
    desk.at.leave()
    return amount


def test_slip_of_another_currency_is_not_offered(opens: Opens) -> None:
    """A drawer has the currency it was taken with: a slip in another is paid from a drawer of that currency, or not."""
    harness = opens(TWO)
    desk = CashierConsole(harness, "cashier")
    desk.take("D1", currency="USD")
    desk.scan(issued(harness, 5_000))
    pay = desk.payout.locator(".pay")
    assert "pays in USD, and this is in AUD" in desk.payout.inner_text()
    assert pay.count() == 0
    desk.at.key("F9")
    assert desk.payout.locator(".reply").count() == 0

    desk.at.press("Take a drawer with AUD…")
    assert desk.at.dialog.get_by_label("Currency").input_value() == "AUD"
    desk.at.fill("Drawer", "D2")
    desk.at.fill("Opening float", "500")
    desk.at.press("Take it")
    desk.wait()
    assert "from D2" in pay.inner_text()
    desk.pay()
    assert "A$50" in desk.payout.locator(".handout").inner_text()


def test_day_that_is_over_is_reported(opens: Opens) -> None:
    """The desk has the report of a day that is over, in the currency that was chosen; no other day has one."""
    harness = opens(TWO)
    desk = CashierConsole(harness, "cashier")
    harness.pass_s(70)
    assert "USD" in day_report(desk, "USD", "2026-11-14")
    assert "AUD" in day_report(desk, "AUD", "2026-11-14")
    assert "not on record" in day_report(desk, "AUD", "2026-11-10")


def test_times_are_those_of_the_venue(opens: Opens) -> None:
    """Wherever the browser is, a screen writes the time of the venue, as its paper does."""
    harness = opens('timezone = "Australia/Adelaide"\n' + house_of(PLAIN["A"], CASHIER))
    desk = CashierConsole(harness, "cashier", timezone_id="America/New_York")
    desk.take("D1")
    desk.scan(issued(harness, 5_000))
    desk.pay()
    desk.at.press("Receipt")
    on_paper = re.search(r"\d{4}-\d\d-(\d\d) (\d\d:\d\d)", desk.at.dialog.inner_text())
    assert on_paper is not None
    day, time = on_paper.groups()
    desk.at.leave()
    assert f"Paid at {time}" in desk.ticket.inner_text()
    desk.at.press("Report")
    assert desk.at.dialog.locator("input[type=date]").input_value() == f"2026-11-{int(day) - 1}"


def day_report(desk: CashierConsole, currency: str, day: str) -> str:
    """Ask for the report of a day, and read it, or why there is none."""
    desk.at.press("Report")
    desk.at.choose("Currency", currency)
    desk.at.fill("Gaming day that is over", day)
    desk.at.press("Show the report")
    desk.at.settle()
    reported = desk.at.dialog.inner_text()
    desk.at.leave()
    desk.at.leave()
    return reported
