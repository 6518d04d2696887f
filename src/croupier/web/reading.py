"""Reading: the journal read page by page on the clerk's thread, a little at a time, from either end."""

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from croupier.house.answer import refuse
from croupier.journal.chain import follow
from croupier.journal.entry import Entry
from croupier.journal.page import BEGINNING, Page
from croupier.journal.store import Store
from croupier.rules.refusal import Code, Refusal
from croupier.web.conductor import Conductor
from croupier.web.limits import ENTRIES_AT_ONCE, PAGES_AT_ONCE, PAGES_MOST

#: Takes an entry in, and tells whether that is enough.
Taker = Callable[[Entry], bool]

_BUSY: Final = refuse(Code.BUSY, None, "Too much waits to be read: try again in a moment.")


async def read_through(conductor: Conductor, step: Callable[[], object]) -> Refusal | None:
    """Read until a step says that it is enough, a little between two turns each time."""
    try:
        while not await conductor.errand(step):
            pass
    except asyncio.QueueFull:
        return _BUSY
    return None


@dataclass(slots=True)
class Reading:
    """Goes through the journal from a position on; every page is held against the chain as it is read."""

    store: Store
    take: Taker
    #: The first entry that is looked at; None for the last there is, or the first.
    start: int | None = None
    backwards: bool = True
    #: How many entries are read at a time; what is left of the last page is read with them.
    at_once: int = ENTRIES_AT_ONCE
    #: The positions between which it has looked so far, and whether there is nothing beyond.
    first: int = 0
    last: int = 0
    ended: bool = False
    #: The last position that is kept.
    head: int = 0
    #: The page that is being read; 0 before the first.
    page: int = 0
    _read: int = -1

    def step(self) -> bool:
        """Read some pages more; tell whether it is done: enough was found, or there is no more, or that was plenty."""
        newest = self.store.last()
        if newest is None:
            self.ended = True
            return True
        self.head = newest.last
        if self._read < 0:
            self.page, self._read = self._begin(newest), 0
        left = self.at_once
        for _ in range(PAGES_AT_ONCE):
            page = self.store.page(self.page)
            self.ended = page is None
            if page is None or self._look(page):
                return True
            self.page += -1 if self.backwards else 1
            self._read += 1
            left -= page.last - page.first + 1
            if left <= 0:
                break
        return self._read >= PAGES_MOST

    def _begin(self, newest: Page) -> int:
        """Find the page to begin with: the one that has the position, found by halving."""
        wanted = (newest.last if self.backwards else 1) if self.start is None else self.start
        low, high = 1, newest.number
        while low < high:
            middle = (low + high) // 2
            page = self.store.page(middle)
            assert page is not None
            low, high = (low, middle) if page.last >= wanted else (middle + 1, high)
        return low

    def _look(self, page: Page) -> bool:
        for entry in self._entries(page):
            self.first = min(self.first or entry.position, entry.position)
            self.last = max(self.last, entry.position)
            if self.take(entry):
                return True
        return False

    def _entries(self, page: Page) -> Iterator[Entry]:
        before = self.store.page(page.number - 1)
        (sheet,) = follow((page,), BEGINNING if before is None else before.mark)
        start = self.start
        if start is None:
            wanted = sheet.entries
        elif self.backwards:
            wanted = [each for each in sheet.entries if each.position <= start]
        else:
            wanted = [each for each in sheet.entries if each.position >= start]
        return reversed(wanted) if self.backwards else iter(wanted)
