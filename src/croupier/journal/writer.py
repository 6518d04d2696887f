"""The writer: takes what was decided, binds it to what stands, and has it kept before anybody is told."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final, NamedTuple

from croupier.house.base import Event
from croupier.house.ids import Context, Day, Instant
from croupier.journal.checkpoints import Signer, checkpoint
from croupier.journal.disk import JournalFault
from croupier.journal.entry import Cause, Entry, JournalHead, Page, page_after
from croupier.journal.keystore import Anchor, AnchorRecord
from croupier.journal.stores import Store

#: At most so many entries stand under no signature while the system runs.
CHECKPOINT_EVERY: Final = 10_000


class PendingEntry(NamedTuple):
    """An entry before it has its place."""

    day: Day
    context: Context
    rulebook: str
    cause: Cause | None
    event: Event


class Writer:
    """The one writer of a store, in one epoch."""

    def __init__(self, store: Store, standing: AnchorRecord, anchor: Anchor, signer: Signer) -> None:
        """Go on from what stands in the store; whoever wrote before is shut out."""
        self._store, self._anchor, self._signer = store, anchor, signer
        self.head, self.checkpoints = standing
        self.signed_to = self.head.position
        # An older copy does not know of all epochs that there have been.
        self.epoch = store.fence(max(anchor.read().head.epoch, self.head.epoch), signer.fence_mac)
        self._failed = False
        if self.head.position == 0:
            # From now on an anchor that is missing is missed.
            anchor.write(AnchorRecord(JournalHead(0, 0, self.epoch, self.head.digest)))
            anchor.sync()

    def write(self, drafts: Sequence[PendingEntry], now: Instant) -> list[Entry]:
        """Have drafts kept as the next page; none makes none."""
        if not drafts:
            return []
        first = self.head.position + 1
        entries = [Entry(position, self.epoch, *draft) for position, draft in enumerate(drafts, start=first)]
        self.commit(self.build_page(entries), now)
        return entries

    def build_page(self, entries: Sequence[Entry]) -> Page:
        """Bind entries that have their places, after what stands: the next page, which is not kept yet."""
        page = page_after(self.head, self.epoch, entries)
        assert entries[0].position == page.first
        assert entries[-1].position == page.last
        return page._replace(mac=self._signer.mac(page.mac_message))

    def commit(self, page: Page, now: Instant) -> None:
        """Have a page kept. Whatever goes wrong, this writer writes no more: only reading tells what was kept."""
        with self._last_word():
            self._store.append(page)
            self.head = page.journal_head
            self._anchor.write(AnchorRecord(self.head, self.checkpoints))
        if self.head.position - self.signed_to >= CHECKPOINT_EVERY:
            self.sign(now)

    def sign(self, now: Instant) -> None:
        """Put the venue's signature under the journal as it stands."""
        with self._last_word():
            self.checkpoints += 1
            self._store.sign(checkpoint(self._signer, self.checkpoints, self.head, now))
            self.signed_to = self.head.position
            self._anchor.write(AnchorRecord(self.head, self.checkpoints))
            self._anchor.sync()

    @contextmanager
    def _last_word(self) -> Iterator[None]:
        """Take anything that is raised for the last that this writer did."""
        if self._failed:
            raise JournalFault("this writer has failed before and writes no more")
        self._failed = True
        yield
        self._failed = False
