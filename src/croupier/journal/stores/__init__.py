"""Stores: the contract of every store of the journal's pages and checkpoints."""

from collections.abc import Callable, Iterator
from typing import Protocol

from croupier.journal.checkpoints import Checkpoint
from croupier.journal.entry import Fence, Page

#: Makes the MAC over an epoch.
FenceMac = Callable[[int], bytes]


def without_key(_: int) -> bytes:
    """Give a fence no MAC, when there is no key."""
    return b""


def next_epoch(fence: Fence, above: int | None) -> int:
    """Return the next epoch: see `Store.fence`."""
    return fence.epoch + 1 if above is None else max(fence.epoch, above + 1)


class Store(Protocol):
    """Stores pages and checkpoints durably. Every failure is a JournalFault."""

    def fence(self, above: int | None = None, mac: FenceMac = without_key) -> int:
        """Begin the next epoch, and fence off the writers of earlier epochs.

        It is the one after the given epoch, the last in which anything was written: an epoch that wrote nothing is
        begun again. Without a given epoch it is the one after the store's own.
        """
        ...

    def fenced(self) -> Fence:
        """Read the fence."""
        ...

    def append(self, page: Page) -> None:
        """Commit the next page atomically; it is durable when this returns.

        Fenced unless the page's epoch is the store's current one and its number is the next.
        """
        ...

    def sign(self, checkpoint: Checkpoint) -> None:
        """Commit the next checkpoint, under the same conditions."""
        ...

    def pages(self, after: int = 0) -> Iterator[Page]:
        """Read the pages after a number, in order, one at a time; pages committed meanwhile are read too."""
        ...

    def page(self, number: int) -> Page | None:
        """Read one page."""
        ...

    def last(self) -> Page | None:
        """Read the last page."""
        ...

    def checkpoints(self) -> Iterator[Checkpoint]:
        """Read the checkpoints from the last to the first."""
        ...

    def next_checkpoint(self, after: int) -> Checkpoint | None:
        """Read the first checkpoint after a number."""
        ...

    def close(self) -> None:
        """Close the store."""
        ...
