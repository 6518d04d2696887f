"""What the tests on the stage share: one browser for all of them, and a house of its own for each."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.support.browser.chromium import browser_or_skip, chromium
from tests.support.browser.harness import browser_harness
from tests.support.browser.houses import PLAIN, house_of
from tests.support.browser.shared_house import Opens, Plain, SharedHouse


# Not for the session: the browser's driver keeps a loop running on this thread, which other tests need for their own.
@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """The browser of all tests on the stage."""
    with chromium(browser_or_skip()) as browser:
        yield browser


@pytest.fixture
def opens(browser: Browser, tmp_path: Path) -> Iterator[Opens]:
    """Open a house for this test alone; nothing may be left on a page's console in the end."""
    with ExitStack() as stack:
        yield lambda text: stack.enter_context(browser_harness(browser, tmp_path, text))


@pytest.fixture(scope="package")
def shared_house(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SharedHouse]:
    """The house of all tests that leave nothing behind but chips."""
    with browser_harness(browser, tmp_path_factory.mktemp("parlour"), house_of(*PLAIN.values())) as harness:
        yield SharedHouse(harness)


@pytest.fixture
def plain(shared_house: SharedHouse) -> Iterator[Plain]:
    """A seat at a plain table of a venue; nothing may be left on a page's console in the end."""
    yield shared_house.seat
    complaints = shared_house.complaints()
    assert complaints == [], "\n".join(complaints)


@pytest.fixture
def plain_phone(shared_house: SharedHouse) -> Iterator[Plain]:
    """The same on a phone."""
    yield lambda table: shared_house.seat(table, phone=True)
    complaints = shared_house.complaints()
    assert complaints == [], "\n".join(complaints)
