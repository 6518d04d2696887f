"""The pit's console: tables, what waits for somebody, and what two people sign, with every screen that it concerns."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

import pytest
from playwright.sync_api import Browser, Locator, expect

from croupier.house.ids import TableId, TerminalId
from tests.support.browser.console import Console
from tests.support.browser.harness import BrowserHarness, browser_harness
from tests.support.browser.houses import MARINA, house_of
from tests.support.browser.looks import misplaced, violations
from tests.support.browser.screen import Screen
from tests.support.campaign import many

#: Rounds that are soon over.
ADELAIDE: Final = """
[[tables]]
id = "A"
rulebook = "skycity-adelaide-2003"
seats = 3
betting_s = 12
warning_s = 2
pause_s = 2
offline_grace_s = 60
minimum = "2.50"
maximum = 500
[tables.seat]
denominations = [1]
chips = [5, 10, 20, 50]
notes = [5, 10, 20, 50, 100]
"""
STAFF: Final = """
[[staff]]
person = "boss"
titles = ["Shift Manager"{more}]
[[staff]]
person = "chief"
titles = ["Shift Manager"]
[[staff]]
person = "inspector"
titles = ["Inspector"]
"""
ONE: Final = house_of(ADELAIDE, STAFF.format(more=""))
BOTH: Final = house_of(ADELAIDE, MARINA, STAFF.format(more=', "Gaming Shift Manager"'))
#: Here the tables may be wider than there is room for them.
SMALL: Final = (1024, 768)
SIZES: Final = ((1280, 800), (1920, 1080), SMALL)[: many(day=2, night=3)]
A: Final = TableId("A")
#: What has the focus, by its words.
FOCUSED: Final = "() => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.innerText ?? ''"


class Pit(NamedTuple):
    """Two managers at two consoles, and the harness that serves them."""

    harness: BrowserHarness
    boss: Console
    chief: Console

    def reported(self) -> None:
        """Let the moment pass after which consoles are told what has changed."""
        self.harness.pass_s(1)

    def play_on(self) -> None:
        """Play a round to its end, and have betting opened for another."""
        self.harness.spin("A", "20")
        self.harness.reach("A", "open")


@pytest.fixture(scope="module")
def pit(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pit]:
    """The house of all tests here but one: A-1 plays, and M-1 is out of order."""
    with browser_harness(browser, tmp_path_factory.mktemp("pit"), BOTH) as harness:
        harness.house.run(harness.house.open.seated("A", credit=0))
        harness.house.gift("A-1", 100_000)
        for _ in range(3):
            harness.reach("A", "open")
            harness.house.lay("A-1", "A", [("17", 1_000)])
            harness.spin("A", "20")
        found = Pit(harness, harness.staff("pit", "boss"), harness.staff("pit", "chief"))
        harness.boss("RaiseMalfunction", terminal="M-1", fault="opinion", words="It hums.")
        harness.reach("A", "open")
        found.reported()
        yield found


def pending_item(console: Console, title: str | re.Pattern[str]) -> Locator:
    """The card of what waits, by its title."""
    cards = console.region("Needs action").get_by_role("listitem")
    return cards.filter(has=console.page.get_by_role("heading", name=title))


def act(console: Console, title: str | re.Pattern[str], action: str) -> None:
    """Press one of the buttons of a card."""
    pending_item(console, title).get_by_role("button", name=action, exact=True).click()
    console.settle()


def card_of(console: Console, table: str) -> Locator:
    """The card of a table."""
    return console.region("Tables").locator(f"[data-table={table}]")


def look_at(console: Console, table: str) -> None:
    """Open a table from its card."""
    card_of(console, table).get_by_role("button").first.click()
    console.settle()


def sign(console: Console, button: str) -> None:
    """Press a button that takes a fresh signature, and give it."""
    console.press(button)
    console.sign_again()


def test_limits_change_by_two_and_from_the_next_round(pit: Pit) -> None:
    """Other limits take two people on two devices, and hold from the next round; one person does not sign twice."""
    harness, boss, chief = pit
    pit.play_on()
    look_at(boss, "A")
    boss.press("Limits and timers…")
    boss.fill("Every spot, most", "300")
    boss.fill("Why they are changed", "A quiet shift.")
    sign(boss, "Sign it")
    boss.leave()
    pit.reported()

    waits = "Other limits and timers awaits a second signature"
    act(boss, waits, "Review and sign…")
    boss.press("Sign it too")
    assert "Another person must give the second signature" in boss.reply()
    boss.leave()
    act(chief, waits, "Review and sign…")
    assert chief.grid("What would change") == [
        {"WHAT": "Every spot", "NOW": "A$2.50 to 500", "FROM THE NEXT ROUND": "A$2.50 to 300"}
    ]
    sign(chief, "Sign it too")
    pit.reported()

    for console in (boss, chief):
        expect(pending_item(console, waits)).to_have_count(0)
        expect(card_of(console, "A")).to_contain_text("A$2.50 to 500next round: A$2.50 to 300")
    assert _most(harness) == 50_000
    pit.play_on()
    pit.reported()
    assert _most(harness) == 30_000
    expect(card_of(chief, "A")).not_to_contain_text("next round")


def _most(harness: BrowserHarness) -> int | None:
    """The most on a spot by the house's own books."""
    return harness.house.read(lambda house: house.tables[A].effective_limits.limits.spot.most)


@pytest.mark.clause("skycity-adelaide-2003", "11(f)")
def test_idle_seat_is_reported_and_sent_a_message(pit: Pit) -> None:
    """After three spins without a bet the pit is told, and what it writes stands on that terminal's screen."""
    harness, boss, _ = pit
    title = re.compile("A-2: no bet for [0-9]+ spins")
    seat = harness.seat("A")
    assert seat.device == "A-2"
    for _ in range(3):
        pit.play_on()
    pit.reported()
    quiet = boss.page.locator(".hushed")
    expect(quiet.locator("summary")).to_contain_text("idle")
    quiet.locator("summary").click()
    quiet.get_by_role("listitem").filter(has_text=title).get_by_role("button", name="Message…").click()
    boss.settle()
    boss.fill("What the player reads", "Will you play on?")
    boss.press("Message")
    seat.settle()

    expect(seat.open("messages")).to_contain_text("Will you play on?")
    harness.screens.remove(seat.screen)
    seat.page.close()


@pytest.mark.clause("skycity-adelaide-2003", "12(h)")
def test_table_is_closed_after_an_officer_was_notified(pit: Pit) -> None:
    """A table is closed once an officer was told of it, everybody reads so, and it is opened again."""
    harness, boss, chief = pit
    look_at(boss, "A")
    boss.press("Close the table…")
    boss.fill("Why it is closed", "The shift ends.")
    boss.press("Close the table")
    assert "An Authorised Officer must be notified" in boss.reply()
    boss.press("Record that an officer was notified…")
    boss.fill("Who was notified, and why it closes", "Officer Grey, by telephone.")
    boss.press("Record it")
    pit.reported()
    boss.press("Close the table")
    chief.settle()
    assert "1 table open" in chief.pills()
    harness.spin("A", "17")
    expect(card_of(chief, "A")).to_contain_text("This table is closed")

    boss.press("Open the table…")
    boss.press("Open the table")
    boss.leave()
    chief.settle()
    assert "2 tables open" in chief.pills()
    harness.reach("A", "open")


def test_malfunction_of_a_terminal_from_card_to_cleared(pit: Pit) -> None:
    """A malfunction is raised at a terminal, its bets are confirmed by the records, and it goes back into service."""
    harness, boss, _ = pit
    pit.play_on()
    harness.house.lay("A-1", "A", [("17", 1_000)])
    harness.reach("A", "closed")
    look_at(boss, "A")
    boss.press("Terminal A-1")
    boss.press("Raise a malfunction…")
    boss.choose("What is wrong", "It is interrupted")
    boss.fill("In plain words", "The screen flickers.")
    boss.press("Raise it")
    boss.leave()
    boss.leave()
    pit.reported()

    title = "A-1: malfunction, interrupted"
    expect(pending_item(boss, title)).to_contain_text("The screen flickers.")
    act(boss, title, "Confirm the bets…")
    boss.press("Confirm the bets")
    pit.reported()
    act(boss, title, "It works again…")
    boss.press("It works again")
    pit.reported()

    expect(pending_item(boss, title)).to_have_count(0)
    assert harness.house.read(lambda house: house.terminals[TerminalId("A-1")].case) is None


def test_key_of_a_device_stays_until_it_is_written_down(pit: Pit) -> None:
    """A key is told once: neither Escape nor a touch beside it closes it, but whoever has it in writing."""
    _, boss, chief = pit
    boss.press("Devices…")
    boss.press("Enrol a device…")
    boss.fill("Its name", "board-9")
    boss.press("Sign it")
    expect(boss.dialog.get_by_label("What it is")).to_be_focused()
    boss.choose("What it is", "A board above a table")
    boss.press("Sign it")
    if boss.page.locator("dialog[data-dialog=step-up]").count():
        boss.sign_again()
    boss.leave()
    pit.reported()
    act(chief, "A new device awaits a second signature", "Review and sign…")
    chief.press("Sign it too")
    if chief.page.locator("dialog[data-dialog=step-up]").count():
        chief.sign_again()
    pit.reported()

    expect(boss.dialog.locator("code.key")).not_to_be_empty()
    boss.key("Escape", "Escape")
    boss.page.mouse.click(5, 5)
    expect(boss.dialog.locator("code.key")).not_to_be_empty()
    boss.press("I have written it down")
    expect(boss.page.locator("dialog[open]")).to_have_count(0)


def test_what_a_role_may_not_do_is_disabled_and_refused(pit: Pit) -> None:
    """What an inspector may not decide is shown as another's, and refused where it is sent all the same."""
    harness, boss, _ = pit
    pit.play_on()
    harness.reach("A", "closed")
    harness.launch("A")
    harness.boss("ReferRound", table="A", words="Somebody shouted.")
    inspector = harness.staff("pit", "inspector")
    pit.reported()

    title = re.compile("^A: round [0-9]+ is suspended")
    theirs = pending_item(inspector, title).get_by_role("button", name=re.compile("^Void and refund"))
    expect(theirs).to_be_disabled()
    expect(theirs).to_contain_text("for Shift Manager")
    client = harness.house.run(harness.house.open.signed_in("inspector", "pit"))
    wanted = {"table": "A", "verdict": "void", "words": "I say so."}
    assert harness.house.run(client.acked("DecideReferral", **wanted)) == "not_authorised"
    look_at(inspector, "A")
    for words in ("Limits and timers…", "Rulebook…", "Add a terminal…", "Close the table…"):
        expect(inspector.dialog.get_by_role("button", name=f"{words} for Shift Manager")).to_be_disabled()
    assert harness.house.run(client.acked("CloseTable", table="A", words="I say so.")) == "not_authorised"
    harness.screens.remove(inspector.screen)
    inspector.page.close()

    act(boss, title, "Void and refund…")
    boss.fill("Why, in plain words", "The ball was touched.")
    boss.press("Void and refund")
    pit.reported()
    expect(pending_item(boss, title)).to_have_count(0)


@pytest.mark.clause("skycity-adelaide-2003", "11(b)ii")
def test_power_cut_while_the_ball_runs(browser: Browser, tmp_path: Path) -> None:
    """After a power cut the pit explains it, and two people attest the missing number that the bets are settled by."""
    with browser_harness(browser, tmp_path, ONE) as before:
        before.house.gift("A-1", 100_000)
        before.reach("A", "open")
        before.house.lay("A-1", "A", [("17", 1_000)])
        before.reach("A", "closed")
        before.launch("A")
        for person in ("boss", "chief"):
            before.house.run(before.house.open.signed_in(person, "pit", before.house.open.codes[person]))

    with browser_harness(browser, tmp_path, ONE) as harness:
        pit = Pit(harness, harness.staff("pit", "boss"), harness.staff("pit", "chief"))
        title = "A: round 1 was interrupted"
        expect(pending_item(pit.boss, title)).to_contain_text(
            "two people attest where the ball lay, or the spin is called off"
        )
        expect(pit.boss.page.get_by_role("list", name="What became of rounds")).to_contain_text("was restarted")
        act(pit.boss, title, "Enter the missing number…")
        pit.boss.choose("The number", "17 black")
        pit.boss.fill("Why, in plain words", "Seen by both of us on the recording.")
        sign(pit.boss, "Sign it")
        pit.reported()
        act(pit.chief, "A number that two people attest awaits a second signature", "Review and sign…")
        expect(pit.chief.dialog).to_contain_text("Seen by both of us on the recording.")
        sign(pit.chief, "Sign it too")
        pit.reported()

        expect(pending_item(pit.boss, title)).to_have_count(0)
        assert harness.house.credit("A-1") == 100_000 - 1_000 + 35_000
        expect(card_of(pit.boss, "A").locator(".tiles li").first).to_have_text("17")


#: The sheets that are opened from the page, by the buttons that lead there.
WAYS: Final[dict[str, tuple[str, ...]]] = {
    "the page": (),
    "a table": ("SkyCity Adelaide A · wheel with sensors",),
    "its menu": ("Menu of table A",),
    "its settings": ("SkyCity Adelaide A · wheel with sensors", "Limits and timers…"),
    "its rulebook": ("SkyCity Adelaide A · wheel with sensors", "Rulebook…"),
    "a terminal": ("SkyCity Adelaide A · wheel with sensors", "Terminal A-1"),
    "staff": ("Staff…",),
    "devices": ("Devices…",),
    "a form": ("Message to all…",),
}
#: What differs enough to be looked at by a program, which takes its time.
TELLING: Final = ("the page", "a table", "its settings", "a terminal", "staff")


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_everything_has_its_place(pit: Pit, size: tuple[int, int]) -> None:
    """On the page and in its sheets nothing is outside, clipped, too small or over another, at every size."""
    pit.boss.page.set_viewport_size({"width": size[0], "height": size[1]})
    assert {name: found for name in WAYS if (found := _seen(pit.boss, name, misplaced))} == {}


def test_everybody_can_use_it(pit: Pit) -> None:
    """The page and its sheets break no rule of WCAG 2.2 AA that a program can find."""
    assert {name: found for name in TELLING if (found := _seen(pit.boss, name, violations))} == {}


def _seen(console: Console, name: str, check: Callable[[Screen], list[str]]) -> list[str]:
    """Open a sheet, have it looked at, and close whatever is open."""
    for button in WAYS[name]:
        console.press(button)
    found = check(console.screen)
    while console.page.locator("dialog[open]").count():
        console.leave()
    return found


def test_keyboard_reaches_everything(pit: Pit) -> None:
    """With the keyboard alone a table is opened and left, and every action of a card is reached."""
    boss, page = pit.boss, pit.boss.page
    page.get_by_role("button", name="Sign out").focus()
    reached = set[str]()
    for _ in range(40):
        page.keyboard.press("Tab")
        reached.add(str(page.evaluate(FOCUSED)))
    assert {"Staff…", "SkyCity Adelaide\nA · wheel with sensors", "Menu of table M", "It works again…"} <= reached

    page.get_by_role("button", name="SkyCity Adelaide A · wheel with sensors").focus()
    boss.key("Enter")
    expect(boss.dialog).to_contain_text("What each number returns")
    boss.key("Escape")
    assert str(page.evaluate(FOCUSED)).startswith("SkyCity Adelaide")


#: Where every card of a table lies, and whether anything but the page scrolls.
PLACES: Final = """() => ({
  cards: [...document.querySelectorAll(".table-card")].map((card) => [".phase", ".tiles", "dl", ".hold", ".standing"]
    .map((part) => card.querySelector(part)?.getBoundingClientRect().top)),
  columns: new Set([...document.querySelectorAll(".table-card")].map((card) => card.getBoundingClientRect().left)).size,
  scrolls: [...document.querySelectorAll(".inside *")].filter((one) =>
    one.scrollHeight > one.clientHeight + 1 && ["auto", "scroll"].includes(getComputedStyle(one).overflowY)).length,
})"""


def test_nothing_moves_while_one_reads(pit: Pit) -> None:
    """Tables are cards in two columns, and no part of a card moves from phase to phase; only the page scrolls."""
    harness, boss, _ = pit
    boss.page.set_viewport_size({"width": 1280, "height": 800})
    pit.play_on()
    pit.reported()
    begins = boss.page.evaluate(PLACES)
    assert (begins["columns"], begins["scrolls"], len(begins["cards"])) == (2, 0, 2)
    expect(card_of(boss, "A").locator(".name b")).to_have_text("SkyCity Adelaide")
    expect(card_of(boss, "A").get_by_role("timer")).to_have_text(re.compile(r"^\d+$"))
    for phase in ("closed", "running"):
        harness.launch("A") if phase == "running" else harness.reach("A", phase)
        pit.reported()
        places = boss.page.evaluate(PLACES)
        # What says how a table stands has one line or two, in the middle of its place.
        assert [card[:4] for card in places["cards"]] == [card[:4] for card in begins["cards"]]
    harness.land("A", "20")


def test_journal_is_in_a_drawer(pit: Pit) -> None:
    """The journal opens over the page, and is read while it is open."""
    _, boss, _ = pit
    expect(boss.page.get_by_role("table", name="Journal")).to_have_count(0)
    boss.press("Journal…")
    pit.reported()

    expect(boss.dialog.get_by_role("table", name="Journal").locator("tbody tr").first).to_be_visible()
    boss.leave()


#: The rows of the journal as they are shown, by the page's own module: their positions, and for how many each stands.
COLLAPSED: Final = """async (rows) => {
  const { src } = document.querySelector('script[type="module"]');
  const { collapsed } = await import(src.replace("pit.js", "console/journal.js"));
  return collapsed(rows).map(({ row, times }) => [row.position, times]);
}"""


def test_link_that_comes_and_goes_is_one_row(pit: Pit) -> None:
    """Of entries about links that follow each other, each terminal has one row: its newest, with their number."""
    kinds = ("TerminalLost A", "TerminalReturned A", "TerminalLost B", "TerminalLost A", "BetsOpened", "TerminalLost A")
    rows = [
        {"position": 9 - place, "kind": kind, "terminal": terminal or None}
        for place, (kind, _, terminal) in enumerate(each.partition(" ") for each in kinds)
    ]
    assert pit.boss.screen.ask(COLLAPSED, rows) == [[9, 3], [7, 1], [5, 1], [4, 1]]


def test_table_that_cannot_play_says_why_and_what_ends_it(browser: Browser, tmp_path: Path) -> None:
    """Software that is not approved stands on the table's line and in the list, until two people enter its approval."""
    text = ONE + '[[approvals]]\nversion = "0.0.1"\nreference = "R-1"\n'
    with browser_harness(browser, tmp_path, text) as harness:
        boss, chief = harness.staff("pit", "boss"), harness.staff("pit", "chief")
        harness.pass_s(1)
        title = "A: cannot play"
        expect(pending_item(boss, title)).to_contain_text("enter the approval here with two signatures")
        expect(pending_item(boss, title).locator('.clause[aria-label*="5.4(a)"]')).to_be_visible()
        expect(card_of(boss, "A")).to_contain_text("of the software is not approved")
        assert violations(boss.screen) == []
        act(boss, title, "Approve this version…")
        boss.fill("The authority's reference", "R-2")
        sign(boss, "Sign it")
        harness.pass_s(1)
        act(chief, re.compile("An approved version"), "Review and sign…")
        sign(chief, "Sign it too")
        harness.pass_s(2)
        expect(pending_item(boss, title)).to_have_count(0)
        expect(card_of(boss, "A")).not_to_contain_text("not approved")
        harness.reach("A", "open")
