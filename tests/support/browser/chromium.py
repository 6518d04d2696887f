"""Chromium: the browser that this machine has, found by name and started without a window."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import pytest
from playwright.sync_api import Browser, sync_playwright

#: The headless shell is Chromium without its windows: a page takes less than half the CPU to open.
BROWSERS: Final = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "microsoft-edge",
)
FLAGS: Final = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--lang=en-US",
    # Text is as wide as in a window: the headless shell rounds the advances of glyphs otherwise.
    "--font-render-hinting=none",
)
MISSING: Final = "no browser is here: apt-get install chromium-headless-shell"


def find_browser() -> str | None:
    """The browser that is named, or the first that is there."""
    named = os.environ.get("CROUPIER_BROWSER")
    return named or next((found for name in BROWSERS if (found := shutil.which(name))), None)


def browser_or_skip() -> str:
    """The browser of this machine; a test without one is left out, or fails where one is required."""
    found = find_browser()
    if found is None:
        assert not os.environ.get("CROUPIER_REQUIRE_BROWSER"), MISSING
        pytest.skip(MISSING)
    return found


@contextmanager
def chromium(path: str, *flags: str) -> Iterator[Browser]:
    """Start a browser, and end it with everything that it opened."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=[*FLAGS, *flags])
        yield browser
        browser.close()
