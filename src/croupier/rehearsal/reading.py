"""The reading: the journal as it grows on the disk, read along from outside and carried out on a house of its own."""

import hashlib
from collections.abc import Iterator
from typing import NamedTuple

from croupier.engine.replay import carry_out
from croupier.house.event.venue import HouseRecovered
from croupier.house.fingerprint import fingerprint
from croupier.house.name import DeviceId
from croupier.house.state import House
from croupier.house.views import terminal_view
from croupier.journal.entry import Cause, Entry, Key, decode
from croupier.journal.memory import MemoryStore
from croupier.journal.page import Page
from croupier.rehearsal.auditor.finding import agree, never
from croupier.rehearsal.recovered import recovered
from croupier.rulebooks.canonical import read_canonical

DIGEST_CHARS = 64
#: Who asked, and under which key.
Asking = tuple[DeviceId, Key]


class Trace(NamedTuple):
    """What one key has left in the journal: the digest of what was asked, and the first and last entry."""

    asked: str
    first: int
    last: int


class Reading:
    """Reads each page once, and holds it against the one before."""

    def __init__(self, store: MemoryStore) -> None:
        self._store = store
        self._pages = self._epoch = self.position = 0
        self._head = bytes(32)
        self.traces: dict[Asking, Trace] = {}
        #: What replaying the journal gives.
        self.house = House(read_canonical)

    def go_on(self) -> Iterator[Entry]:
        """Read what was added since the last time."""
        for page in self._store.kept[self._pages :]:
            agree("I12", "the number of a page", page.number, self._pages + 1)
            never("I12", f"page {page.number} of epoch {page.epoch} after {self._epoch}", when=page.epoch < self._epoch)
            begins = self._pages > 0 and page.epoch > self._epoch
            self._pages, self._epoch = page.number, page.epoch
            entries = list(self._entries(page))
            starts = isinstance(entries[0].event, HouseRecovered)
            never("I12", f"a second start in epoch {page.epoch}", when=starts and not begins)
            if begins:
                recovered(self.house, entries[0])
            yield from entries

    def _entries(self, page: Page) -> Iterator[Entry]:
        for line in page.lines.splitlines():
            body = line[DIGEST_CHARS + 1 :]
            self._head = hashlib.sha256(self._head + body).digest()
            self.position += 1
            agree("I13", f"the digest of entry {self.position}", line[:DIGEST_CHARS].decode(), self._head.hex())
            entry = decode(body)
            agree("I12", "the place of an entry", (entry.position, entry.epoch), (self.position, page.epoch))
            if entry.cause is not None:
                self._trace(entry, entry.cause)
            carry_out(self.house, entry)
            yield entry
        agree("I13", f"the end of page {page.number}", (page.last, page.head), (self.position, self._head))

    def _trace(self, entry: Entry, cause: Cause) -> None:
        """One key leaves one trace: entries that follow upon each other, from one question."""
        here = (entry.stamp.device, cause.key)
        before = self.traces.get(here, Trace(cause.asked, entry.position, entry.position - 1))
        agree(
            "I11", f"what entry {entry.position} of {here} goes on from", (cause.asked, entry.position - 1), before[::2]
        )
        self.traces[here] = Trace(cause.asked, before.first, entry.position)

    def hold(self, live: House) -> None:
        """Hold what every terminal is shown against what the journal gives."""
        for name, terminal in live.terminals.items():
            for table in terminal.games:
                told = terminal_view(live, name, table, live.now)
                agree("I22", f"what {name} shows", told, terminal_view(self.house, name, table, live.now))

    def hold_whole(self, live: House) -> None:
        """Hold the whole state against what the journal gives."""
        agree("I14", f"the state after entry {self.position}", fingerprint(live), fingerprint(self.house))
