"""A house that many tests share, whose seats are cleared before each test."""

from collections.abc import Callable
from typing import Any

from tests.support.browser.harness import PHONE, BrowserHarness
from tests.support.browser.seat import Seat

#: Opens a house by its configuration.
Opens = Callable[[str], BrowserHarness]
#: Gives a seat at a plain table of a venue.
Plain = Callable[[str], Seat]


class SharedHouse:
    """A house with a plain table of every venue, at which nothing happens but what a test does."""

    def __init__(self, harness: BrowserHarness) -> None:
        self._night = harness
        self._seats: dict[tuple[str, bool], Seat] = {}

    def seat(self, table: str, *, phone: bool = False) -> Seat:
        """A seat with an empty felt, its first chip chosen; the same one for all tests that want one like it."""
        options: dict[str, Any] = {"viewport": PHONE, "has_touch": True} if phone else {}
        seat = self._seats.get((table, phone)) or self._night.seat(table, **options)
        self._seats[table, phone] = seat
        self._night.house.clear(seat.device, table)
        seat.page.locator(".tray [data-chip]").first.click()
        seat.page.mouse.move(0, 0)
        seat.settle()
        assert (seat.stacks(), seat.ghosts(), seat.credit()) == ({}, {}, 100_000)
        return seat

    def complaints(self) -> list[str]:
        """Take what pages have complained of since it was last asked."""
        found = [each for screen in self._night.screens for each in screen.console.complaints]
        for screen in self._night.screens:
            screen.console.complaints.clear()
        return found
