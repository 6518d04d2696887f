"""A disk that blocks: batches wait for it until it is released, or fail on it."""

import asyncio
from threading import Event

from croupier.journal.disk import JournalFault
from croupier.journal.entry import Page
from tests.connections import LONG_S, TestHouse


class BlockedDisk:
    """In the place of a house's own disk, which it still has behind it."""

    def __init__(self, house: TestHouse) -> None:
        store = house.venue.run.storage.store
        self._append = store.append
        self._begun, self._free, self._lost = Event(), Event(), False
        store.append = self._wait  # type: ignore[method-assign]

    def _wait(self, page: Page) -> None:
        """Commit a page on the writer thread, once the disk is released."""
        self._begun.set()
        assert self._free.wait(LONG_S)
        if self._lost:
            raise JournalFault("the disk is gone")
        self._append(page)

    async def begun(self) -> None:
        """Wait until a batch waits for the disk."""
        assert await asyncio.to_thread(self._begun.wait, LONG_S)

    def release(self) -> None:
        """Have what waits kept, and what comes after it."""
        self._free.set()

    def lose(self) -> None:
        """Have what waits lost."""
        self._lost = True
        self._free.set()
