"""Screenshots: one picture of a screen, in a house that was played to a given state."""

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

from playwright.sync_api import Browser, Page, ViewportSize

from tests.support.browser.harness import BrowserHarness, browser_harness
from tests.support.browser.palette import small_png
from tests.support.browser.picture import pixels_of

#: Waits until everything that comes to an end soon has done so: the wheel turns for ever.
_STILL: Final = """() => Promise.allSettled(document.getAnimations()
  .filter(({ effect }) => effect.getComputedTiming().endTime < 5000).map(({ finished }) => finished))"""
#: Numbers of past spins, the oldest first.
PAST: Final = (8, 30, 11, 0, 26, 32, 19, 4, 36, 13, 27, 5, 22, 14, 36, 17, 20, 23, 32, 0, 5, 33, 14, 1)


class Shot(NamedTuple):
    """One picture: the house in which it is taken, and what happens there until a page is as it should be."""

    name: str
    house: str
    plays: Callable[[BrowserHarness], Page]


#: A tablet upright, and a phone.
TABLET: Final = ViewportSize(width=820, height=1180)
PHONE: Final = ViewportSize(width=390, height=844)


def resized(plays: Callable[[BrowserHarness], Page], size: ViewportSize) -> Callable[[BrowserHarness], Page]:
    """Play as before, and show the page on another screen in the end."""

    def played(harness: BrowserHarness) -> Page:
        page = plays(harness)
        page.set_viewport_size(size)
        return page

    return played


def take(browser: Browser, shot: Shot, folder: Path) -> Path:
    """Play a house to its moment and take the picture; give its file."""
    text = shot.house.replace("Test house", "Croupier")
    with TemporaryDirectory() as house, browser_harness(browser, Path(house), text) as harness:
        page = shot.plays(harness)
        page.evaluate(_STILL)
        picture = page.screenshot(animations="allow")
    path = folder / f"{shot.name}.png"
    path.write_bytes(small_png(pixels_of(browser, picture)))
    return path
