"""Stores: what every place that keeps the journal's pages must do, whatever it is made of."""

from collections.abc import Callable, Iterator
from typing import Protocol

from croupier.journal.checkpoints import Checkpoint
from croupier.journal.entry import Fence, Page

#: Makes the MAC over an epoch.
FenceMac = Callable[[int], bytes]


def without_key(_: int) -> bytes:
    """Leave a fence without a MAC, where nobody has a key."""
    return b""


def next_epoch(fence: Fence, above: int | None) -> int:
    """Tell which epoch comes next: see `Store.fence`."""
    return fence.epoch + 1 if above is None else max(fence.epoch, above + 1)


class Store(Protocol):
    """Keeps pages and checkpoints. What it cannot do is a JournalFault."""

    def fence(self, above: int | None = None, mac: FenceMac = without_key) -> int:
        """Begin the next epoch, and shut out whoever wrote in an earlier one.

        It is the one after the given epoch, the last that anything was written in: an epoch that was begun after that
        and wrote nothing is begun again. Where none is given, it is the one after the store's own.
        """
        ...

    def fenced(self) -> Fence:
        """Read the fence."""
        ...

    def append(self, page: Page) -> None:
        """Keep the next page: whole or not at all, and durable when this returns.

        The page's epoch must be the store's at that moment, and its number the next; otherwise the writer is Fenced.
        """
        ...

    def sign(self, checkpoint: Checkpoint) -> None:
        """Keep the next checkpoint, under the same conditions."""
        ...

    def pages(self, after: int = 0) -> Iterator[Page]:
        """Read the pages after a number, in order; none is held longer than it is looked at."""
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
        """Let go of the store."""
        ...
