"""Signed-in consoles on a phone, a tablet and a desk, and in six languages: nothing overflows, and all can use them."""

from collections.abc import Iterator
from typing import Final

import pytest
from playwright.sync_api import Browser, expect

from tests.support.browser.console import Console
from tests.support.browser.harness import BrowserHarness, browser_harness
from tests.support.browser.looks import violations
from tests.support.wire.houses import ADELAIDE

WIDTHS: Final = ((390, 844), (820, 1180), (1280, 800))
STAFF: Final = (("dealer", "dealer"), ("pit", "boss"), ("cashier", "cashier"), ("auditor", "auditor"))
#: The title of a note, by language.
LANGUAGES: Final = {
    "es": "A: nota",
    "fr": "A\u00a0: note",
    "ms": "A: catatan",
    "zh-Hans": "A：备注",  # noqa: RUF001 - as Chinese is set
    "ar": "ملاحظة",
    "en": "A: note",
}


#: The parts of a page that lie over the part before them.
OVERLAPS: Final = """() => {
  const parts = [...document.querySelectorAll(".inside > *")].map((part) => [part, part.getBoundingClientRect()]);
  const seen = parts.filter(([, box]) => box.width > 0 && box.height > 0);
  const over = ([, one], [, other]) =>
    one.left < other.right - 1 && other.left < one.right - 1 &&
    one.top < other.bottom - 1 && other.top < one.bottom - 1;
  const spills = (part) => part.scrollHeight > part.clientHeight + 4 && getComputedStyle(part).overflowY === "visible";
  const longer = seen.filter(([part]) => spills(part));
  return [...seen.filter((one, place) => seen.slice(0, place).some((other) => over(one, other))), ...longer]
    .map(([part]) => part.className);
}"""

#: The parts of a page that are too narrow for a line of text.
NARROW: Final = """() => [...document.querySelectorAll(".inside > *")]
  .filter((part) => part.checkVisibility() && part.clientWidth > 1 && part.clientWidth < 150)
  .map((part) => part.className)"""


#: The texts of a card that lie over each other, or outside their card.
COLLISIONS: Final = """(place) => [...document.querySelectorAll(place)].flatMap((card) => {
  const edge = card.getBoundingClientRect();
  const texts = [...card.querySelectorAll("*")].filter((el) => el.checkVisibility() && !el.closest("svg") &&
    [...el.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim()));
  const boxes = texts.map((el) => {
    const range = document.createRange();
    range.selectNodeContents(el);
    return [el.textContent, range.getBoundingClientRect(), el];
  });
  const over = (one, other) => one.left < other.right - 2 && other.left < one.right - 2 &&
    one.top < other.bottom - 4 && other.top < one.bottom - 4;
  return boxes.flatMap(([text, box, el], at) => [
    ...(box.left < edge.left - 1 || box.right > edge.right + 1 ? [`${text} is outside`] : []),
    ...boxes.slice(0, at).filter(([, other, node]) => !node.contains(el) && over(box, other))
      .map(([below]) => `${text} over ${below}`),
  ]);
})"""


@pytest.fixture(scope="module")
def harness(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrowserHarness]:
    """One house with every console."""
    with browser_harness(browser, tmp_path_factory.mktemp("widths"), ADELAIDE) as one:
        yield one


@pytest.fixture(scope="module")
def consoles(harness: BrowserHarness) -> dict[str, Console]:
    """Everybody signed in, with something pending at the pit."""
    found = {page: harness.staff(page, person) for page, person in STAFF}
    harness.boss("NoteIncident", subject="A", words="A glass fell.")
    harness.pass_s(1)
    return found


@pytest.mark.parametrize("page", [page for page, _ in STAFF])
@pytest.mark.parametrize("size", WIDTHS, ids=str)
def test_console_at_every_width(consoles: dict[str, Console], page: str, size: tuple[int, int]) -> None:
    """A page is not wider than its screen, no part is too narrow to read, and no rule of WCAG 2.2 AA is broken."""
    console = consoles[page]
    console.page.set_viewport_size({"width": size[0], "height": size[1]})
    console.settle()

    assert console.page.evaluate("() => document.documentElement.scrollWidth - innerWidth") <= 0
    assert console.page.evaluate(OVERLAPS) == []
    assert console.page.evaluate(NARROW) == []
    assert violations(console.screen) == []


def test_language_changes_in_the_middle_of_a_round(harness: BrowserHarness, consoles: dict[str, Console]) -> None:
    """The pit changes its language while bets are open: the person stays signed in, and items are translated."""
    consoles["dealer"].page.locator(".steps [data-step=open]").click()
    harness.reach("A", "open")
    console = consoles["pit"]
    console.page.set_viewport_size({"width": 1280, "height": 800})
    for lang, words in LANGUAGES.items():
        console.page.locator(".console-header .menu").click()
        with console.page.expect_navigation():
            console.page.locator(f"dialog bdi[lang={lang}]").click()
        expect(console.inside).to_be_visible()
        harness.pass_s(1)
        expect(console.page.locator(".need h4").filter(has_text=words)).to_have_count(1)
        expect(console.page.locator(".need .says").filter(has_text="A glass fell.")).to_have_count(1)
        assert violations(console.screen) == []


def test_figures_of_a_card_have_their_room(harness: BrowserHarness, consoles: dict[str, Console]) -> None:
    """In Spanish, whose words are long, no figure of a table or seat lies over another or outside its card."""
    seat = harness.seat("A")
    seat.tap("dozen 1")
    harness.pass_s(2)
    for page, place in (("pit", ".table-card"), ("dealer", ".seats li")):
        console = consoles[page]
        for width, height in WIDTHS:
            console.page.set_viewport_size({"width": width, "height": height})
            console.page.evaluate("() => { location.hash = 'lang=es'; location.reload(); }")
            expect(console.inside).to_be_visible()
            harness.pass_s(1)
            assert console.page.evaluate(COLLISIONS, place) == []
