"""The dealer's console: whole rounds at every venue, no spin, numbers that differ, keys, seats, and a power cut."""

from collections.abc import Iterator
from pathlib import Path
from signal import SIGKILL
from typing import Final

import pytest
from playwright.sync_api import Browser, Page, expect

from croupier.house.ids import TableId
from croupier.house.rounds.spinning import BallLaunched
from tests.support.browser.console import Console
from tests.support.browser.dealing import CHIP, CREDIT, Dealing
from tests.support.browser.harness import DESK, BrowserHarness, browser_harness
from tests.support.browser.houses import EVERY
from tests.support.browser.looks import misplaced, violations
from tests.support.browser.screen import Console as Complaints
from tests.support.browser.shared_house import Opens
from tests.support.campaign import many
from tests.support.connections import secret_of
from tests.support.serving import processes
from tests.support.wire.houses import ADELAIDE, CLEARWATER, DOUBLE_ZERO, MARINA

#: What is long enough for a process to start, and for a page to notice that it is gone.
PATIENCE_MS: Final = 20_000
SIZES: Final = ((1280, 800), (1920, 1080), (1024, 768))[: many(day=2, night=3)]


@pytest.mark.clause("skycity-adelaide-2003", "7(h)ii")
@pytest.mark.clause("skycity-adelaide-2003", "9(c)")
def test_round_at_adelaide(opens: Opens) -> None:
    """At Adelaide the dealer warns, the house closes, the ball is spun over sealed bets, and its number confirmed."""
    harness = opens(ADELAIDE)
    dealing = Dealing(harness, "A")
    seat = dealing.seat().device
    dealing.take("Open betting")
    dealing.bets(seat)
    # Nothing is due before the dealer chooses.
    expect(dealing.call).to_contain_text("When you are ready")
    expect(dealing.words).to_have_text("Finish Betting")
    dealing.take("Finish betting")
    expect(dealing.words).to_have_text("NO MORE BETS")
    expect(dealing.page.get_by_role("timer")).to_contain_text("4")
    expect(dealing.next).to_contain_text("By itself in 4 s")
    assert not dealing.is_safe()
    harness.pass_s(5)
    expect(dealing.lamp).to_have_text("Safe to spin")
    assert dealing.is_safe()
    dealing.take("Spin the ball")
    assert not dealing.is_safe()
    dealing.land("17")
    expect(dealing.page.get_by_role("radio", name="17 black")).to_be_checked()
    dealing.press("Confirm 17")

    expect(dealing.dolly).to_have_text("17")
    expect(dealing.page.get_by_role("list", name="Past numbers").get_by_role("listitem")).to_have_text(["17"])
    assert dealing.worth(seat) == CREDIT + 35 * CHIP


@pytest.mark.clause("marina-bay-sands-2020", "3.7")
def test_round_at_marina_bay(opens: Opens) -> None:
    """At Marina Bay the dealer closes betting before the spin, in the words of the rules; 00 lies beyond 0."""
    dealing = Dealing(opens(MARINA), "M")
    seat = dealing.seat().device
    expect(dealing.words).to_have_text("Place your bets, please")
    dealing.take("Open betting")
    dealing.bets(seat)
    expect(dealing.words).to_have_text("No more bets")
    expect(dealing.lamp).to_have_text("Not safe to spin")
    dealing.take("Close betting")
    assert dealing.is_safe()
    dealing.take("Spin the ball")
    dealing.land("00")
    double, zero, one = map(dealing.place, ("00", "0", "1"))
    assert double["x"] < zero["x"] < one["x"]
    assert double["height"] == zero["height"]
    dealing.press("Confirm 00")

    assert dealing.worth(seat) == CREDIT - CHIP


@pytest.mark.clause("us-double-zero", "Rotation (2)")
def test_round_at_a_us_table(opens: Opens) -> None:
    """At a US table the ball is spun before betting closes; without a sensor the number is entered, and twice."""
    dealing = Dealing(opens(DOUBLE_ZERO), "U")
    seat = dealing.seat().device
    dealing.take("Open betting")
    dealing.bets(seat)
    expect(dealing.lamp).to_be_hidden()
    dealing.take("Spin the ball")
    expect(dealing.words).to_have_text("No More Bets")
    dealing.take("Close betting")
    dealing.mean("17 black")
    dealing.press("Enter 17")
    dealing.mean("20 black")
    dealing.press("Confirm 20")
    assert dealing.at.refusals() == ["The two numbers differ. [Rotation (3)]"]
    dealing.press("Dismiss")
    for does in ("Enter", "Confirm"):
        dealing.mean("17 black")
        dealing.press(f"{does} 17")

    expect(dealing.dolly).to_have_text("17")
    assert dealing.worth(seat) == CREDIT + 35 * CHIP


@pytest.mark.clause("clearwater-etg", "16.a")
def test_round_at_clearwater(opens: Opens) -> None:
    """At Clearwater the wheel runs by itself: its steps are shown with their time, and nobody is asked for a word."""
    harness = opens(CLEARWATER)
    dealing = Dealing(harness, "C")
    seat = dealing.seat().device
    dealing.take("Open betting")
    harness.house.lay(seat, "C", [("17", 2 * CHIP)])
    expect(dealing.next).to_contain_text("The wheel launches the ball")
    harness.launch("C")
    harness.pass_s(1)
    expect(dealing.next).to_contain_text("Close betting")
    expect(dealing.next).to_contain_text("By itself in")
    harness.reach("C", "running")
    dealing.land("17")

    expect(dealing.page.locator(".steps [data-is=next]")).to_contain_text("Open betting")
    expect(dealing.dolly).to_have_text("17")
    assert dealing.worth(seat) == CREDIT + 2 * 35 * CHIP


def test_table_is_chosen_and_remembered(opens: Opens) -> None:
    """Where the address names no table one of the house's is chosen, and is the one of the next time too."""
    dealer = opens(CLEARWATER).staff("dealer", "dealer")
    assert dealer.title() == "Clearwater Casino · Table\u00a0C"
    dealer.press("Clearwater Casino · Table\u00a0D Between rounds")
    assert dealer.title() == "Clearwater Casino · Table\u00a0D"
    dealer.page.reload()
    expect(dealer.page.get_by_role("heading", level=1)).to_have_text("Clearwater Casino · Table\u00a0D")


def test_call_is_due_when_it_says_so(opens: Opens) -> None:
    """The console says to call now when a call is due: not while betting may go on, nor before its time."""
    harness = opens(ADELAIDE)
    dealing = Dealing(harness, "A")
    expect(dealing.call).to_contain_text("The table says")
    dealing.take("Open betting")
    expect(dealing.call).to_contain_text("When you are ready")
    dealing.take("Finish betting")
    expect(dealing.call).to_contain_text("Next call in 4 s")
    harness.pass_s(1)
    expect(dealing.call).to_contain_text("Call now")
    expect(dealing.call.locator(".words")).to_have_text("NO MORE BETS", ignore_case=True)
    harness.pass_s(4)
    expect(dealing.call).to_contain_text("The table says")


@pytest.mark.clause("skycity-adelaide-2003", "10(a)")
@pytest.mark.clause("skycity-adelaide-2003", "10(e)")
def test_no_spin_and_spin_again(opens: Opens) -> None:
    """A spin that is called off by the venue's own reason gives stakes back, and the round goes on with another."""
    harness = opens(ADELAIDE)
    dealing = Dealing(harness, "A")
    seat, dialog = dealing.seat().device, dealing.at.dialog
    expect(dealing.at.button("No spin…")).to_be_disabled()
    dealing.take("Open betting")
    dealing.bets(seat)
    dealing.take("Finish betting")
    harness.pass_s(5)
    dealing.take("Spin the ball")
    dealing.press("No spin…")
    expect(dialog.get_by_role("radio")).to_have_count(7)
    expect(dialog).to_contain_text("Only for Shift Manager")
    dealing.at.tick("The ball left the wheel")
    dealing.at.fill("What happened", "It jumped.")
    dealing.press("Call no spin")
    assert violations(dealing.at.screen) == []
    expect(dealing.call).to_contain_text("This spin does not count.")
    dealing.take("Reset the terminals")
    assert (harness.house.credit(seat), harness.house.bets(seat, "A")) == (CREDIT, {})
    assert "Round 1, spin 2" in dealing.at.pills()

    # What a sensor sees go wrong is for the dealer to call, and is chosen already.
    dealing.take("Finish betting")
    harness.pass_s(5)
    harness.house.wheel(BallLaunched(TableId("A"), opposite=False, turning=True))
    harness.pass_s(1)
    dealing.take("Call no spin")
    expect(dialog.get_by_label("Ball and wheel turned the same way")).to_be_checked()
    dealing.press("Call no spin")
    expect(dealing.call).to_contain_text("This spin does not count.")
    dealing.take("Reset the terminals")
    assert "Round 1, spin 3" in dealing.at.pills()


@pytest.mark.clause("skycity-adelaide-2003", "10(a)")
def test_no_spin_holds_the_round_and_is_taken_back(opens: Opens) -> None:
    """While the reason is picked no number counts; after the hold the round goes on with it."""
    harness = opens(ADELAIDE)
    dealing = Dealing(harness, "A")
    dealing.spin()
    dealing.at.button("No spin…").click()
    harness.pass_s(1)
    expect(dealing.at.dialog).to_contain_text("Round 1 is held")
    assert dealing.phase() == "suspended"
    assert misplaced(dealing.at.screen) + violations(dealing.at.screen) == []
    dealing.land("17")
    dealing.press("Called by mistake: go on")
    harness.pass_s(1)
    dealing.press("Confirm 17")
    expect(dealing.dolly).to_have_text("17")


@pytest.mark.clause("skycity-adelaide-2003", "11(e)")
def test_number_that_differs_from_the_sensor(opens: Opens) -> None:
    """Where the dealer sees another number than the sensor, nothing is confirmed, and the pit is told which two."""
    harness = opens(ADELAIDE)
    dealing = Dealing(harness, "A")
    dealing.spin()
    dealing.land("17")
    dealing.mean("20 black")
    expect(dealing.page.locator("[data-differs]")).to_contain_text("two people of the pit")
    expect(dealing.page.locator(".word .say")).to_be_hidden()
    assert [found for size in SIZES if (found := misplaced_at(dealing.at, size))] == []
    dealing.press("Have it attested")
    dealing.press("Call")
    reported = "The sensor reads 17; the ball lies in 20."
    expect(dealing.page.get_by_role("list", name="What waits for others")).to_contain_text(reported)
    assert harness.house.read(lambda house: [each.facts.text for each in house.incidents.all.values()]) == [reported]
    dealing.press("Back to 17")
    expect(dealing.at.button("Confirm 17")).to_be_enabled()


def test_supervisor_is_called(opens: Opens) -> None:
    """A round that is held for the supervisor waits for the pit, and a table that is closed says why it waits."""
    harness = opens(MARINA)
    dealing = Dealing(harness, "M")
    dealing.take("Open betting")
    dealing.press("Supervisor")
    dealing.at.tick("A payment is in doubt")
    dealing.at.tick("Hold the round until it is decided")
    dealing.press("Call")
    assert dealing.phase() == "suspended"
    expect(dealing.next).to_contain_text("The round is decided")
    expect(dealing.next).to_contain_text("By the pit")
    harness.boss("DecideReferral", table="M", verdict="void", words="Begin again.")
    harness.boss("CloseTable", table="M", words="For tonight.")
    harness.pass_s(1)

    expect(dealing.page.locator(".steps [data-is=waits]")).to_contain_text("closed")
    expect(dealing.call).to_contain_text("The round is void")


def test_keys_alone(opens: Opens) -> None:
    """A whole round is dealt by keys: digits take the step that is next, or are a number while one is asked for."""
    harness = opens(DOUBLE_ZERO)
    dealing = Dealing(harness, "U")
    dealer, words = dealing.at, dealing.page.get_by_label("In your words")
    for key, phase in (("3", "between"), ("1", "open"), ("3", "open"), ("2", "open_running"), ("3", "running")):
        dealer.key(key)
        harness.pass_s(1)
        assert dealing.phase() == phase
    dealer.key("s")
    words.press_sequentially("1 n s")
    expect(words).to_have_value("1 n s")
    dealer.key("Escape")
    dealer.key("3", "7")
    expect(dealing.page.get_by_role("radio", name="7 red", exact=True)).to_be_checked()
    dealer.key("Escape", "0", "0", "Enter", "0", "0")
    expect(dealer.button("Confirm 00")).to_be_visible()
    dealer.key("Enter")
    harness.pass_s(1)
    expect(dealing.dolly).to_have_text("00")

    dealer.press("Keys on")
    dealer.key("1", "n", "s")
    assert dealing.phase() == "between"
    expect(dealing.page.locator("dialog[open]")).to_have_count(0)


@pytest.mark.clause("skycity-adelaide-2003", "11(f)")
def test_seat_that_is_idle(opens: Opens) -> None:
    """A seat that has sat out three valid spins is marked, and one that nobody has paid into is free."""
    dealing = Dealing(opens(ADELAIDE), "A")
    idle = dealing.seat().device
    for _ in range(3):
        dealing.spin()
        dealing.land("17")
        dealing.press("Confirm 17")

    expect(dealing.row(idle)).to_contain_text("No bet for 3 spins")
    expect(dealing.row(idle)).to_contain_text("A$1,000")
    expect(dealing.page.locator(".seats li", has_text="Free")).to_have_count(2)


def test_seats_below_a_minimum_and_without_a_line(opens: Opens) -> None:
    """A seat under the minimum is marked, and one without a line with the time since it was lost, as it passes."""
    harness = opens(CLEARWATER)
    dealing = Dealing(harness, "C")
    dealing.take("Open betting")
    low, dark = dealing.seat(), dealing.seat()
    dealing.bets(low.device)
    expect(dealing.row(low.device)).to_contain_text("Below minimum")
    dark.mute = True
    harness.house.run(harness.house.cut_off(dark.device))
    harness.pass_s(12)

    expect(dealing.row(dark.device)).to_contain_text("No link for 12 s")
    expect(dealing.at.region("Seats").first).to_contain_text("No link for 12 s")


@pytest.mark.clause("skycity-adelaide-2003", "11(b)i")
def test_power_cut_in_a_round(browser: Browser, tmp_path: Path) -> None:
    """After kill -9 in the middle of a round the console comes back by itself, and says what was done and why."""
    with browser_harness(browser, tmp_path, ADELAIDE) as harness:
        harness.staff("dealer", "dealer")
    config = tmp_path / "croupier.toml"
    config.write_text(ADELAIDE, "utf-8")
    with processes() as starts, browser.new_context(viewport=DESK, reduced_motion="reduce") as context:
        serving = starts(config)
        assert serving.opened()
        page = context.new_page()
        complaints = Complaints(page)
        page.goto(f"http://127.0.0.1:{serving.port}/dealer")
        signs_in(page)
        page.get_by_role("button", name="Open betting").click()
        expect(page.locator(".steps [data-is=next]")).to_contain_text("Finish betting")

        complaints.may_be_cut = True
        assert serving.stopped(SIGKILL).code == -SIGKILL
        expect(page.locator(".notices .line")).to_contain_text("Connection lost", timeout=PATIENCE_MS)
        expect(page.locator(".steps [data-step=warn]")).to_be_disabled()
        assert starts(config, port=serving.port).opened()
        expect(page.get_by_role("heading", name="Sign in")).to_be_visible(timeout=PATIENCE_MS)
        signs_in(page)
        expect(page.locator(".call .notice")).to_contain_text("The system was restarted", timeout=PATIENCE_MS)
        expect(page.locator('.call .notice .clause[aria-label*="11(b)i"]')).to_be_visible()
        assert complaints.complaints == []


def signs_in(page: Page) -> None:
    page.get_by_label("Name").fill("dealer")
    page.get_by_label("Password, or the code you were given").fill(secret_of("dealer"))
    page.get_by_role("button", name="Sign in").click()
    expect(page.locator(".inside")).to_be_visible(timeout=PATIENCE_MS)


@pytest.fixture(scope="module")
def watched(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Console]:
    """A console in a house with all venues, at which any table can be chosen, and which is only looked at."""
    with browser_harness(browser, tmp_path_factory.mktemp("dealer"), EVERY) as harness:
        yield looking(harness)


def looking(harness: BrowserHarness) -> Console:
    dealer = harness.staff("dealer", "dealer")
    harness.reach("A", "closed")
    return dealer


def misplaced_at(dealer: Console, size: tuple[int, int]) -> list[str]:
    """Tell what lies wrongly on the page at a size."""
    dealer.page.set_viewport_size({"width": size[0], "height": size[1]})
    dealer.settle()
    return misplaced(dealer.screen)


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("table", "MACU")
def test_layout(watched: Console, table: str, size: tuple[int, int]) -> None:
    """At every size everything of every venue's console has its place."""
    watched.page.locator(f'.chooser [data-key="{table}"]').click()
    assert misplaced_at(watched, size) == []


@pytest.mark.parametrize("key", ["", "s", "n"])
def test_everybody_can_use_it(watched: Console, key: str) -> None:
    """No rule of WCAG 2.2 AA that a program can check is broken, on the page or in its sheets."""
    watched.page.set_viewport_size(DESK)
    watched.page.locator('.chooser [data-key="A"]').click()
    watched.key(*key)
    try:
        assert violations(watched.screen) == []
        assert misplaced(watched.screen) == []
    finally:
        if key:
            watched.leave()
