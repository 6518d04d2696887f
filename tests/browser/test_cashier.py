"""The cashier's console: slips and tickets paid once, hand pays with their form, and drawers that are counted blind."""

import re
from collections.abc import Iterator
from functools import partial
from typing import Final

import pytest
from playwright.sync_api import Browser, expect

from tests.support.browser.cashier_console import CashierConsole, collected, issued, number_of, paid_out
from tests.support.browser.console import Console
from tests.support.browser.harness import BrowserHarness, browser_harness
from tests.support.browser.houses import PLAIN, house_of
from tests.support.browser.looks import misplaced, violations
from tests.support.browser.shared_house import Opens
from tests.support.campaign import many
from tests.support.connections import secret_of

SIZES: Final = ((1280, 800), (1920, 1080), (1024, 768))[: many(day=2, night=3)]
CASHIER: Final = """
[[staff]]
person = "cashier"
titles = ["Cashier"]
"""
#: One more who only pays, one who may also sign for paper, and whoever signs second.
OTHERS: Final = """
[[staff]]
person = "colleague"
titles = ["Cashier"]
[[staff]]
person = "chief"
titles = ["Cashier", "Inspector", "Attendant"]
[[staff]]
person = "boss"
titles = ["Shift Manager"]
"""
HOUSE: Final = house_of(PLAIN["A"], PLAIN["C"], CASHIER, OTHERS)
#: A gaming day ends soon after a test has begun, and what is not paid by then has lapsed.
LAPSING: Final = 'ticket_days = 1\nday_begins = "18:01"\n' + house_of(PLAIN["A"], CASHIER)
TIMES: Final = "\N{MULTIPLICATION SIGN}"


@pytest.fixture(scope="module")
def harness(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrowserHarness]:
    """A house with two currencies, shared by the tests: each has paper and drawers of its own."""
    with browser_harness(browser, tmp_path_factory.mktemp("cashier"), HOUSE) as one:
        yield one


@pytest.fixture(scope="module")
def desk(harness: BrowserHarness) -> CashierConsole:
    """The cashier, with a drawer of Australian dollars."""
    desk = CashierConsole(harness, "cashier")
    desk.take("D1")
    return desk


@pytest.fixture(scope="module")
def other(harness: BrowserHarness) -> CashierConsole:
    """A colleague at the next desk."""
    desk = CashierConsole(harness, "colleague")
    desk.take("D2")
    return desk


@pytest.fixture(scope="module")
def chief(harness: BrowserHarness) -> CashierConsole:
    """Somebody who pays US dollars, and may sign for paper."""
    desk = CashierConsole(harness, "chief")
    desk.take("US", currency="USD")
    return desk


@pytest.mark.clause("skycity-adelaide-2003", "7(e)")
def test_slip_is_paid_once(harness: BrowserHarness, desk: CashierConsole) -> None:
    """A slip from a terminal is shown, paid in notes and words, and the second time refused with the first's facts."""
    before = paid_out(harness, "D1")
    number = collected(harness.seat("A", credit=23_750))
    desk.scan(number)
    assert "Payment slip" in desk.ticket.inner_text()
    assert desk.ticket.locator(".amount").inner_text() == "A$237.50"
    assert "To be paid" in desk.ticket.inner_text()
    assert "A-1" in desk.ticket.inner_text()

    desk.pay()
    handed = desk.payout.inner_text()
    assert "A$237.50" in handed
    assert "Two hundred and thirty-seven Australian dollars and fifty cents" in handed
    assert re.findall(rf"(\d) {TIMES}\s+A\$(\d+)", handed) == [("2", "100"), ("1", "20"), ("1", "10"), ("1", "5")]
    assert re.search(r"Coins\s+A\$2\.50", handed)
    assert paid_out(harness, "D1") - before == 23_750

    desk.scan(number)
    again = desk.ticket.inner_text()
    assert not desk.at.button("More actions…").is_visible()
    assert "Already paid" in again
    expect(desk.ticket.get_by_role("button", name="Rule: clause 7(e)")).to_be_visible()
    assert re.search(r"Paid\s+15 Nov 2026, \d\d:\d\d:\d\d\s+Paid from\s+D1\s+Paid by\s+cashier", again)
    assert desk.payout.get_by_role("button").locator("visible=true").count() == 0
    desk.pay()
    assert paid_out(harness, "D1") - before == 23_750


def test_payout_has_the_notes_that_the_drawer_has(harness: BrowserHarness, desk: CashierConsole) -> None:
    """Once the cashier says that a value has run out, payouts are made of the others, until it is back."""
    notes = rf"(\d+) {TIMES}\s+A\$(\d+)"
    desk.scan(issued(harness, 23_500))
    desk.pay()
    assert re.findall(notes, desk.payout.inner_text()) == [("2", "100"), ("1", "20"), ("1", "10"), ("1", "5")]

    desk.at.press("No more notes of A$100")
    assert re.findall(notes, desk.payout.inner_text()) == [("4", "50"), ("1", "20"), ("1", "10"), ("1", "5")]
    desk.at.press("Handed over")
    desk.scan(issued(harness, 10_250))
    desk.pay()
    assert re.findall(notes, desk.payout.inner_text()) == [("2", "50")]
    assert re.search(r"Coins\s+A\$2\.50", desk.payout.inner_text())

    desk.at.press("A$100 notes are back")
    assert re.findall(notes, desk.payout.inner_text()) == [("1", "100")]
    desk.at.press("Handed over")


def test_what_was_handed_over_is_not_requested_again(harness: BrowserHarness, desk: CashierConsole) -> None:
    """Once something is handed over, refused or begun anew, nobody is told to hand the last over any more."""
    over = desk.payout.locator(".handout")
    for begins in (
        partial(desk.at.press, "Handed over"),
        partial(refused_drawer, desk),
        partial(signs_in_again, desk),
        partial(desk.scan, "12"),
    ):
        desk.scan(issued(harness, 7_100))
        desk.pay()
        assert re.match(r"HAND OVER: PAID AT \d\d:\d\d:\d\d\s+A\$71", over.inner_text())
        begins()
        assert not over.is_visible()


def refused_drawer(desk: CashierConsole) -> None:
    """Ask for a drawer that is out already, and leave it at that."""
    desk.at.press("Take another…")
    desk.at.fill("Drawer", "D1")
    if desk.at.dialog.get_by_label("Currency").count():
        desk.at.choose("Currency", "AUD")
    desk.at.fill("Opening float", "1")
    desk.at.press("Take it")
    assert desk.at.reply()
    desk.at.leave()


def signs_in_again(desk: CashierConsole) -> None:
    desk.at.page.keyboard.type("123")
    desk.at.sign_out()
    desk.at.sign_in()
    assert desk.at.page.get_by_label("Number of a slip or ticket").input_value() == ""


def test_receipt_is_shown(harness: BrowserHarness, desk: CashierConsole) -> None:
    """What was paid has a receipt, at once and later from the list of this visit."""
    desk.scan(issued(harness, 5_000))
    desk.pay()
    desk.payout.get_by_role("button", name="Receipt").click()
    desk.at.settle()
    assert "PAYMENT RECEIPT" in desk.at.dialog.inner_text()
    assert "AUD 50.00" in desk.at.dialog.inner_text()
    desk.at.leave()

    desk.drawer.get_by_role("button", name="Receipt").first.click()
    desk.at.settle()
    assert "AUD 50.00" in desk.at.dialog.inner_text()
    desk.at.leave()


@pytest.mark.parametrize(("spoilt", "says"), [("short", "Misread"), ("digit", "Misread"), ("never issued", "Unknown")])
def test_number_that_is_no_slip(harness: BrowserHarness, desk: CashierConsole, spoilt: str, says: str) -> None:
    """A number that was misread, or that the house never issued, is told from a slip in plain words."""
    good = number_of(harness, 900_000)
    number = {"short": good[:17], "digit": f"{good[:3]}{(int(good[3]) + 1) % 10}{good[4:]}", "never issued": good}[
        spoilt
    ]
    desk.scan(number)

    assert desk.ticket.locator(".amount").inner_text() == says
    assert len(desk.ticket.locator(".why").inner_text()) > len("Misread.")
    assert desk.payout.get_by_role("button").locator("visible=true").count() == 0
    desk.scan(issued(harness, 100))
    assert "To be paid" in desk.ticket.inner_text()


def test_guessing_is_stopped(harness: BrowserHarness, other: CashierConsole) -> None:
    """Somebody who tries numbers out is told nothing for a while, and staff are notified of it."""
    desk = other
    for guess in range(6):
        desk.scan(f"{guess:018}")

    assert desk.ticket.locator(".amount").inner_text() == "Locked"
    assert "Too many numbers were wrong" in desk.ticket.inner_text()
    kinds = harness.house.read(lambda house: [each.kind.value for each in house.incidents.all.values()])
    assert "tickets_guessed" in kinds
    harness.house.pass_s(61)


def test_slip_that_has_lapsed(opens: Opens) -> None:
    """A slip that nobody brought in time is refused, and the console says after how many gaming days."""
    harness = opens(LAPSING)
    desk = CashierConsole(harness, "cashier")
    desk.take("D1")
    number = issued(harness, 4_200, "A-1")
    desk.scan(number)
    assert "To be paid" in desk.ticket.inner_text()
    harness.pass_s(70)
    desk.pay()
    assert "It was not redeemed within 1 gaming days" in desk.payout.locator(".reply").inner_text()

    assert "Expired" in desk.ticket.inner_text()
    assert "A$42" in desk.ticket.inner_text()
    assert paid_out(harness, "D1") == 0


@pytest.mark.clause("clearwater-etg", "22")
def test_held_win_from_terminal_to_cashier(harness: BrowserHarness, chief: CashierConsole) -> None:
    """A win that takes a W-2G is held at its terminal; the form is recorded and printed, and it is paid by hand."""
    desk, seat = chief, harness.seat("C")
    harness.house.lay(seat.device, "C", [("17", 10_000)])
    harness.spin("C", "17")
    desk.wait()
    row = desk.at.row("Held wins", seat.device)
    assert "W2-G required [22]" in row.inner_text()
    assert "paid to your credit or by hand" in seat.dialog.inner_text()
    credit = seat.credit()

    desk.at.press("Record W2-G…")
    assert "$3,500" in desk.at.dialog.inner_text()
    desk.at.fill("The patron's name", "Ada Byron")
    desk.at.fill("Number of the form", "W-1001")
    desk.at.press("Record it")
    desk.wait()
    assert "RECORD OF FORM W2-G" in desk.at.dialog.inner_text()
    assert "Ada Byron" in desk.at.dialog.inner_text()
    desk.at.leave()
    row.get_by_role("button", name="Pay $3,600").click()
    desk.wait()

    assert "Three thousand six hundred US dollars" in desk.payout.inner_text()
    assert desk.at.region("Hand pays").get_by_text("No win waits").is_visible()
    assert (paid_out(harness, "US"), seat.credit()) == (360_000, credit)


def test_scan_always_lands(harness: BrowserHarness, desk: CashierConsole) -> None:
    """Whatever was pressed, opened and closed before, a scanned number lands in its field."""
    number = issued(harness, 700)
    at = desk.at
    for actions in (
        (partial(at.press, "Look up"),),
        (partial(at.press, "Count…"), at.leave),
        (partial(at.press, "Buy-in…"), partial(at.key, "Escape")),
        (at.page.locator("h1").click,),
        (partial(at.key, "Tab", "Tab"),),
        (at.button("Count…").focus,),
        (partial(at.page.keyboard.type, "123"), at.button("Count…").click, at.leave),
    ):
        for action in actions:
            action()
        desk.scan(number)
        assert "A$7" in desk.ticket.inner_text()
        assert desk.focused() == "number"
        desk.scan(number_of(harness, 1))


def test_two_cashiers_and_one_slip(harness: BrowserHarness, desk: CashierConsole, other: CashierConsole) -> None:
    """Two who have the same number before them cannot both pay it: the second is told by whom it was."""
    number = issued(harness, 6_000)
    for one in (desk, other):
        one.scan(number)
        assert "To be paid" in one.ticket.inner_text()
    before = paid_out(harness, "D1")
    for one in (desk, other):
        one.at.page.keyboard.press("F9")
    desk.wait()
    other.wait()

    paid = {"cashier": paid_out(harness, "D1") - before, "colleague": paid_out(harness, "D2")}
    assert sorted(paid.values()) == [0, 6_000]
    loser, drawer = (other, "D1") if paid["cashier"] else (desk, "D2")
    assert f"already paid, at {drawer}" in loser.payout.locator(".reply").inner_text()
    assert "Already paid" in loser.ticket.inner_text()
    assert not loser.payout.get_by_text("Hand over").is_visible()


def test_paper_that_was_altered(harness: BrowserHarness, desk: CashierConsole) -> None:
    """Where the paper names another amount than the record, nothing is paid and a supervisor is called."""
    desk.scan(issued(harness, 1_100))
    desk.at.press("The paper says something else…")
    desk.at.fill("Amount on the paper", "1100")
    desk.at.press("Compare and pay")
    assert "please call a supervisor" in desk.at.reply()
    desk.at.leave()
    assert "To be paid" in desk.ticket.inner_text()


def test_duplicate_takes_two_people(harness: BrowserHarness, desk: CashierConsole, chief: CashierConsole) -> None:
    """A cashier alone cannot have a slip printed again; with a second person a duplicate is out, and says so."""
    number = issued(harness, 8_000)
    desk.scan(number)
    desk.at.press("More actions…")
    assert not desk.at.button("Print a duplicate…").is_enabled()
    assert "Two people sign, each as Inspector" in desk.at.dialog.inner_text()
    desk.at.leave()

    chief.scan(number)
    chief.at.press("More actions…")
    chief.at.press("Print a duplicate…")
    chief.at.fill("Why, in plain words", "The printer tore it.")
    chief.at.press("Sign")
    chief.at.sign_again()
    assert "Another person signs it" in chief.payout.inner_text()
    chief.wait()
    assert "A ticket printed again" in chief.at.region("Waiting for a second signature").inner_text()
    harness.house.run(countersigned(harness))
    chief.scan(number)
    assert "A duplicate is out" in chief.ticket.inner_text()
    chief.at.press("More actions…")
    chief.at.press("Show the duplicate")
    assert "DUPLICATE" in chief.at.dialog.inner_text()
    chief.at.leave()
    chief.at.leave()


async def countersigned(harness: BrowserHarness) -> None:
    """Have the shift manager sign what waits for a second signature, at the pit."""
    house = harness.house.open
    boss = await house.signed_in("boss", "pit", house.codes["boss"])
    boss.say("step_up", secret=secret_of("boss"))
    await boss.hear("stepped_up")
    assert await boss.acked("Approve", proposal=max(house.venue.run.house.proposals.all)) == "done"
    await house.rest()


def test_lost_slip_is_noted(harness: BrowserHarness, desk: CashierConsole) -> None:
    """A slip that was reported lost says so, and whoever brings it is still paid."""
    desk.scan(issued(harness, 900))
    desk.at.press("More actions…")
    desk.at.press("Report it lost…")
    desk.at.fill("Why, in plain words", "It blew away.")
    desk.at.press("Report it lost")

    assert "Reported lost" in desk.ticket.inner_text()
    desk.pay()
    assert re.search(r"Paid at \d\d:\d\d:\d\d", desk.ticket.inner_text())


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_everything_has_its_place(harness: BrowserHarness, desk: CashierConsole, size: tuple[int, int]) -> None:
    """Nothing is outside, clipped, too small or unusable, with a slip, a payment, a refusal and every sheet."""
    desk.at.page.set_viewport_size({"width": size[0], "height": size[1]})
    desk.scan(issued(harness, 123_455))
    found = looked_at(desk.at)
    for dialog in ("Count…", "Buy-in…", "Report", "More actions…"):
        desk.at.press(dialog)
        found += looked_at(desk.at)
        desk.at.leave()
    desk.pay()
    found += looked_at(desk.at)
    desk.scan("12")
    found += looked_at(desk.at)
    desk.at.page.set_viewport_size({"width": 1280, "height": 800})

    assert found == []


def looked_at(at: Console) -> list[str]:
    at.settle()
    return misplaced(at.screen) + violations(at.screen)


def test_keyboard_reaches_everything(harness: BrowserHarness, desk: CashierConsole) -> None:
    """Every control that is shown can be come to with the tabulator, and pressed."""
    desk.scan(issued(harness, 2_000))
    shown = set(desk.at.inside.locator("button:enabled:visible, input:visible").all_inner_texts())
    reached = set()
    for _ in range(30):
        desk.at.page.keyboard.press("Tab")
        reached.add(str(desk.at.screen.ask("() => document.activeElement.innerText ?? ''")))

    assert shown - reached == set()


def test_nobody_sees_what_another_had_in_hand(harness: BrowserHarness, desk: CashierConsole) -> None:
    """Whoever signs in after somebody else finds neither a number nor a drawer nor what was paid."""
    desk.scan(issued(harness, 2_100))
    assert "A$21" in desk.ticket.inner_text()
    desk.at.sign_out()
    desk.at.person = "colleague"
    desk.at.sign_in()

    assert "A$" not in desk.ticket.inner_text()
    assert "D1" not in desk.drawer.inner_text()
    assert desk.drawer.get_by_role("list").count() == 0
