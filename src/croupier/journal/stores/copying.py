"""A copy of a journal into another store, page by page, with the same bytes and the same chain."""

from typing import ClassVar, Final

from croupier.journal.checkpoints import Checkpoint
from croupier.journal.entry import Page
from croupier.journal.stores import Store
from croupier.journal.stores.sqlite import SqliteStore

#: The unit in which the steps of a copy are counted, as SQLite has it.
BLOCK_BYTES: Final = 4_096


class SqliteCopy(SqliteStore):
    """A journal that is being copied: it is synced as a whole when it is complete."""

    SYNCHRONOUS: ClassVar = "OFF"


class PageCopy:
    """A running copy, in steps between two commits; a failed step disturbs no page of the source."""

    def __init__(self, source: Store, target: Store) -> None:
        self._source, self._target = source, target
        self._epoch, self._copied, self._signed = 0, 0, 0
        #: The next checkpoint, once it was read.
        self._next: Checkpoint | None = None

    def step(self, blocks: int) -> bool:
        """Copy so many more blocks, all of them for a negative number; return whether the copy is complete."""
        left = blocks * BLOCK_BYTES
        for page in self._source.pages(self._copied):
            self._copy_page(page)
            left -= len(page.body)
            if blocks >= 0 >= left:
                return False
        self._copy_checkpoints()
        self._copy_fence()
        self.close()
        return True

    def _copy_page(self, page: Page) -> None:
        # A checkpoint is of the epoch of its page, so it comes before the next one.
        self._copy_checkpoints()
        self._begin(page.epoch)
        self._target.append(page)
        self._copied = page.number

    def _copy_checkpoints(self) -> None:
        """Copy the checkpoints over the pages that are copied."""
        while (checkpoint := self._checkpoint()) is not None and checkpoint.statement().page <= self._copied:
            self._target.sign(checkpoint)
            self._signed, self._next = self._signed + 1, None

    def _checkpoint(self) -> Checkpoint | None:
        if self._next is None:
            self._next = self._source.next_checkpoint(self._signed)
        return self._next

    def _begin(self, epoch: int) -> None:
        """Let the target accept pages of an epoch; epochs never decrease."""
        if epoch != self._epoch:
            self._epoch = self._target.fence(epoch - 1)

    def _copy_fence(self) -> None:
        fence = self._source.fenced()
        if fence.epoch:
            self._target.fence(fence.epoch - 1, lambda _: fence.mac)

    def close(self) -> None:
        """Close the copy, complete or not."""
        self._target.close()
