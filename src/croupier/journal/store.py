"""Stores: what every place that keeps the journal's pages must do, whatever it is made of."""

from collections.abc import Iterator
from typing import Protocol

from croupier.journal.checkpoint import Checkpoint
from croupier.journal.page import Page


class Store(Protocol):
    """Keeps pages and checkpoints. What it cannot do is a JournalFault."""

    def fence(self, above: int = 0) -> int:
        """Begin a new epoch, above its own last one and the given one, and shut out whoever wrote in an earlier one."""
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
