"""The auditor's page: the journal proved and handed out, meters that add up, the clauses, and what happened."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import Browser, expect

from tests.conftest import venue
from tests.support.browser.cases import BETS, HOUSE, KEYS_MAX, begin, ran, saved
from tests.support.browser.console import Console
from tests.support.browser.harness import BrowserHarness, browser_harness
from tests.support.browser.looks import misplaced, violations

SIZES: Final = ((820, 1180), (1280, 800), (1920, 1080))
RULEBOOK: Final = "skycity-adelaide-2003"
_AUDITOR: Final = """
[[staff]]
person = "auditor"
titles = ["Auditor"]
"""


@pytest.fixture(scope="module")
def harness(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrowserHarness]:
    """A house in which some rounds were played."""
    with browser_harness(browser, tmp_path_factory.mktemp("audited"), HOUSE + _AUDITOR) as harness:
        begin(harness)
        yield harness


@pytest.fixture(scope="module")
def signed_in(harness: BrowserHarness) -> Console:
    """The auditor at a page that is shared by all tests of this module."""
    return harness.staff("auditor", "auditor", accept_downloads=True)


@pytest.fixture
def auditor(signed_in: Console) -> Console:
    """The auditor, where no sheet is open."""
    while signed_in.page.locator("dialog[open]").count():
        signed_in.leave()
    return signed_in


def test_journal_is_verified_while_the_house_is_open(auditor: Console, harness: BrowserHarness) -> None:
    """Whoever has the journal verified is told that it is sound, and how many entries that are."""
    auditor.press("Verify the journal")

    answer = auditor.page.locator("[data-answer=journal]")
    expect(answer.locator(".verdict")).to_have_text("Sound")
    answer.get_by_text("Details").click()
    reported = answer.locator(".facts").inner_text().split("\n")
    assert re.fullmatch(r"\d\d:\d\d:\d\d", reported[reported.index("Read at") + 1])
    entries = int(reported[reported.index("Entries") + 1].replace(",", ""))
    assert 0 < entries <= harness.house.open.venue.run.writer.head.position


def test_export_is_verified_without_us(auditor: Console, tmp_path: Path) -> None:
    """The export that the page saves is found sound by the script that lies in it."""
    path = saved(auditor, "Download an export", tmp_path)

    assert ran("-m", "croupier.journal.verify", str(path)) == 0


def test_meters_of_every_terminal_add_up(auditor: Console, harness: BrowserHarness) -> None:
    """All meters are read, and what the page says of them is what the house has counted."""
    counted = harness.house.read(lambda house: {str(one.id): str(one.meters.games) for one in house.terminals.values()})
    auditor.press("Read all meters")
    says = re.compile(rf"{len(counted)} read at \d\d:\d\d:\d\d; all add up\.")
    expect(auditor.page.locator("[data-answer=meters] .detail")).to_have_text(says)

    assert {row["TERMINAL"]: row["GAMES"] for row in auditor.grid("Meters of terminals")} == counted
    assert set(counted) > set(BETS)
    auditor.press("A-1")
    expect(auditor.dialog).to_contain_text("It adds up.")
    expect(auditor.dialog).to_contain_text("Read at")


def test_clauses_are_listed_with_what_is_done_about_them(auditor: Console) -> None:
    """The matrix has every clause of the rulebook, and can be searched."""
    auditor.press("SkyCity Adelaide")
    assert len(auditor.grid("Clauses")) == len(venue(RULEBOOK).clauses)

    auditor.fill("Clause, words or test", "11(e)")
    assert "11(e)" in {row["CLAUSE"] for row in auditor.grid("Clauses")}
    auditor.fill("Clause, words or test", "no clause says this")
    expect(auditor.dialog).to_contain_text("No clause has these words.")


def test_day_report_is_shown(auditor: Console) -> None:
    """The report of the gaming day names the table, and is offered for printing."""
    auditor.press("Day report")

    expect(auditor.dialog.locator(".paper")).to_contain_text("Gaming day")
    expect(auditor.button("Print as PDF")).to_be_enabled()


def test_what_is_significant_comes_first(auditor: Console) -> None:
    """The journal begins with what an auditor looks for, and shows everything when that is asked for."""
    chosen = auditor.page.get_by_label("About")
    assert chosen.input_value() == "significant"
    expect(auditor.row("Journal", "Chips:")).to_have_count(0)

    auditor.choose("About", "bets")
    expect(auditor.row("Journal", "Chips:").first).to_be_visible()


#: The four questions, the parts of the page from the top, and how wide the words of the journal are.
LAID_OUT = """() => ({
  answers: [...document.querySelectorAll(".answers h2")].map((head) => head.innerText.toUpperCase()),
  order: [...document.querySelectorAll(".inside > *")].sort((one, other) =>
    one.getBoundingClientRect().top - other.getBoundingClientRect().top).map((part) => part.classList[0]),
  words: document.querySelector(".journal .what")?.getBoundingClientRect().width ?? 0,
  scrolls: [...document.querySelectorAll(".inside *")].filter((one) =>
    one.scrollHeight > one.clientHeight + 1 && ["auto", "scroll"].includes(getComputedStyle(one).overflowY)).length,
})"""


def test_answers_come_first(auditor: Console) -> None:
    """Four answers stand first, also on a tablet: there the journal has room for its words, and the page scrolls."""
    auditor.choose("About", "everything")
    for width, height in SIZES:
        auditor.page.set_viewport_size({"width": width, "height": height})
        auditor.settle()
        found = auditor.page.evaluate(LAID_OUT)
        assert found["answers"] == [
            *("IS THE JOURNAL SOUND?", "DO THE METERS ADD UP?"),
            *("TABLES OUTSIDE CHANCE", "OPEN DISPUTES"),
        ]
        assert (found["order"][0], found["scrolls"]) == ("answers", 0)
        assert found["words"] > 250
    auditor.choose("About", "what is significant")


def test_hold_is_shown_beside_chance(auditor: Console, harness: BrowserHarness) -> None:
    """Each table with a settled round has its hold on the chart, and tables outside chance are counted."""
    chart = auditor.page.get_by_role("list", name="Hold beside chance")
    expect(chart.get_by_role("listitem")).to_have_count(harness.house.read(lambda house: len(house.tables)))
    expect(chart).to_contain_text("SkyCity Adelaide")
    expect(chart).to_contain_text("odds 2.7 %")
    outside = chart.get_by_role("listitem").filter(has_not_text="within chance").count()
    answer = auditor.page.locator("[data-answer=chance] .verdict")
    expect(answer).to_have_text("None" if outside == 0 else re.compile(f"^{outside} table"))


@pytest.mark.parametrize("size", SIZES, ids="{0[0]}x{0[1]}".format)
def test_page_can_be_read_and_reached(auditor: Console, size: tuple[int, int]) -> None:
    """At each size nothing lies wrongly, no rule of WCAG is broken, and the keyboard reaches the last field."""
    auditor.page.set_viewport_size({"width": size[0], "height": size[1]})
    auditor.settle()

    assert misplaced(auditor.screen) == []
    assert violations(auditor.screen) == []
    auditor.page.get_by_role("button", name="Menu").focus()
    for _ in range(KEYS_MAX):
        auditor.page.keyboard.press("Tab")
        if auditor.page.locator("input[name=person]:focus").count():
            return
    pytest.fail("no key leads to the last field")
