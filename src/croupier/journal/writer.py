"""The writer: builds pages, commits them durably and signs checkpoints."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from croupier.house.declare import Event
from croupier.house.ids import Context, Day, Instant
from croupier.journal.checkpoints import Signer, checkpoint
from croupier.journal.disk import JournalFault
from croupier.journal.entry import Cause, Entry, JournalHead, Page
from croupier.journal.keystore import Anchor, AnchorRecord
from croupier.journal.pages import MerkleTree, PageDraft, draft_of, merkle_tree, page_after
from croupier.journal.stores import Store

#: A running system signs a checkpoint after so many entries at the latest.
CHECKPOINT_EVERY: Final = 10_000


class PendingEntry(NamedTuple):
    """An entry without its position and epoch."""

    day: Day
    context: Context
    rulebook: str
    cause: Cause | None
    event: Event


class Writer:
    """The one writer of a store, in one epoch."""

    def __init__(self, store: Store, end: AnchorRecord, anchor: Anchor, signer: Signer) -> None:
        """Begin a new epoch after the end of the store, and fence off the writer before."""
        self._store, self._anchor, self._signer = store, anchor, signer
        self.head, self.checkpoints = end.head, end.checkpoints
        self.signed_to = self.head.position
        #: The pages after the last checkpoint.
        self._tree = unsigned_pages(store)
        # An older copy lacks the latest epochs, which the anchor knows.
        self.epoch = store.fence(max(anchor.read().head.epoch, self.head.epoch), signer.fence_mac)
        self._failed = False
        if self.head.position == 0:
            # From now on a missing anchor is detected.
            anchor.write(AnchorRecord(JournalHead(0, 0, self.epoch, self.head.digest)))
            anchor.sync()

    def write(self, drafts: Sequence[PendingEntry], now: Instant) -> list[Entry]:
        """Commit entries as the next page; no entries make no page."""
        if not drafts:
            return []
        first = self.head.position + 1
        entries = [Entry(position, self.epoch, *draft) for position, draft in enumerate(drafts, start=first)]
        self.commit(self.build_page(draft_of(first, self.epoch, entries)), now)
        return entries

    def draft_page(self) -> PageDraft:
        """Begin the next page."""
        return PageDraft(self.head.position + 1, self.epoch)

    def build_page(self, draft: PageDraft) -> Page:
        """Build the next page from its draft; it is not committed yet."""
        page = page_after(self.head, self.epoch, draft)
        assert (draft.epoch, draft.first) == (page.epoch, page.first)
        return page._replace(mac=self._signer.mac(page.mac_message))

    def commit(self, page: Page, now: Instant) -> None:
        """Commit a page durably. Any exception poisons the writer: only a new start can tell what was committed."""
        self._begin_write()
        self._store.append(page)
        self.head = page.journal_head
        self._tree.add(page.head)
        self._anchor.write(AnchorRecord(self.head, self.checkpoints))
        self._failed = False
        if self.head.position - self.signed_to >= CHECKPOINT_EVERY:
            self.sign(now)

    def sign(self, now: Instant, books: str = "") -> None:
        """Sign a checkpoint over the journal up to its head, with the digest of the house's books there."""
        self._begin_write()
        self.checkpoints += 1
        self._store.sign(checkpoint(self._signer, self.checkpoints, self.head, self._tree, now, books=books))
        self._tree = MerkleTree()
        self.signed_to = self.head.position
        self._anchor.write(AnchorRecord(self.head, self.checkpoints))
        self._anchor.sync()
        self._failed = False

    def _begin_write(self) -> None:
        """Begin to write: the writer has failed until all is written."""
        if self._failed:
            raise JournalFault("this writer has failed before and cannot write any more")
        self._failed = True


def unsigned_pages(store: Store) -> MerkleTree:
    """Build the tree over the pages after the last checkpoint."""
    last = next(store.checkpoints(), None)
    return merkle_tree(page.head for page in store.pages(0 if last is None else last.statement().page))
