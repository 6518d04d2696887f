"""How screens are laid out: at any size, in any language, in any dialog nothing is outside, clipped or too small."""

from collections.abc import Iterator
from typing import Final

import pytest
from playwright.sync_api import Browser

from tests.support.browser.harness import BrowserHarness, browser_harness
from tests.support.browser.houses import EVERY
from tests.support.browser.looks import misplaced, violations
from tests.support.browser.seat import DIALOGS, Seat
from tests.support.campaign import many

SIZES: Final = ((1280, 800), (1920, 1080), (1024, 768), (390, 844), (844, 390))
TWO: Final = ((390, 844), (1280, 800))
#: The other languages, each at one size by day and at both by night.
ABROAD: Final = (("ar", TWO[1]), ("xx", TWO[0]), ("ar", TWO[0]), ("xx", TWO[1]))[: many(day=2, night=4)]
VENUES: Final = "MACU"
TABS: Final = ("table", "racetrack", "wheel", "stats")
#: Spots that every venue has, at the edges of the cloth and in its middle.
SPOTS: Final = ("0", "17", "34/35/36", "1/2/3", "17/20", "red", "column 3", "dozen 1")
#: Sheets that every venue has.
COMMON: Final = DIALOGS[2:]


@pytest.fixture(scope="module")
def harness(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrowserHarness]:
    """A house with all venues, shared by all tests of this module: none changes what is on a screen for long."""
    with browser_harness(browser, tmp_path_factory.mktemp("layout"), EVERY) as one:
        yield one


class Gallery:
    """One seat for each venue and language, opened when it is first looked at."""

    def __init__(self, harness: BrowserHarness) -> None:
        self.harness = harness
        self._seats: dict[tuple[str, str], Seat] = {}

    def seat(self, table: str, lang: str, size: tuple[int, int]) -> Seat:
        """A seat with some chips on its felt, at a size."""
        seat = self._seats.get((table, lang)) or self._open(table, lang)
        seat.page.set_viewport_size({"width": size[0], "height": size[1]})
        seat.settle()
        return seat

    def _open(self, table: str, lang: str) -> Seat:
        self.harness.reach(table, "open")
        seat = self._seats[table, lang] = self.harness.seat(table, lang=lang)
        seat.page.locator(".tray [data-chip]").nth(1).click()
        seat.tap(*SPOTS)
        return seat


@pytest.fixture(scope="module")
def gallery(harness: BrowserHarness) -> Gallery:
    """Every screen that was looked at before."""
    return Gallery(harness)


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("table", VENUES)
def test_table_view(gallery: Gallery, table: str, size: tuple[int, int]) -> None:
    """The felt with its chips and everything around it has its place at every size."""
    assert misplaced(gallery.seat(table, "en", size).screen) == []


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("table", VENUES)
def test_wheel_view(gallery: Gallery, table: str, size: tuple[int, int]) -> None:
    """So have the numbers as they lie on the wheel, or the tabs of a small screen."""
    seat = gallery.seat(table, "en", size)
    with seat.other_views() as views:
        assert {view: found for view in views if (found := misplaced(seat.screen))} == {}


@pytest.mark.parametrize("size", TWO, ids=str)
@pytest.mark.parametrize("lang", ["ar", "xx"])
@pytest.mark.parametrize("table", ["M", "C"])
def test_other_languages(gallery: Gallery, table: str, lang: str, size: tuple[int, int]) -> None:
    """From right to left, and with words that are half as long again, all has its place too."""
    seat = gallery.seat(table, lang, size)
    assert misplaced(seat.screen) == []
    with seat.other_views() as views:
        assert {view: found for view in views if (found := misplaced(seat.screen))} == {}


@pytest.mark.parametrize(("lang", "size"), ABROAD, ids=str)
@pytest.mark.parametrize("dialog", DIALOGS)
def test_dialogs(gallery: Gallery, dialog: str, lang: str, size: tuple[int, int]) -> None:
    """Every dialog fits, from right to left and with words longer than any language's."""
    seat = gallery.seat("C", lang, size)
    seat.open(dialog)
    try:
        assert misplaced(seat.screen) == []
    finally:
        seat.close()


@pytest.mark.parametrize("table", VENUES)
def test_everybody_can_use_the_table(gallery: Gallery, table: str) -> None:
    """No rule of WCAG 2.2 AA that a program can check is broken, in any view of any venue."""
    seat = gallery.seat(table, "en", (1280, 800))
    assert violations(seat.screen) == []
    with seat.other_views() as views:
        assert {view: found for view in views if (found := violations(seat.screen))} == {}


@pytest.mark.parametrize("lang", ["en", "ar"])
def test_everybody_can_use_a_phone(gallery: Gallery, lang: str) -> None:
    """Nor is one on a phone, in any tab."""
    seat = gallery.seat("C", lang, (390, 844))
    with seat.other_views() as views:
        assert {view: found for view in views if (found := violations(seat.screen))} == {}


@pytest.mark.parametrize("dialog", DIALOGS)
def test_everybody_can_use_the_dialogs(gallery: Gallery, dialog: str) -> None:
    """Nor is one in any dialog."""
    seat = gallery.seat("C", "en", (1280, 800))
    seat.open(dialog)
    try:
        assert violations(seat.screen) == []
    finally:
        seat.close()
