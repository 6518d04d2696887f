"""Stores: the contract of every store of the journal's pages and checkpoints."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Final, Protocol, runtime_checkable

from croupier.journal.checkpoints import Checkpoint, Verifier
from croupier.journal.entry import Fence, Page

#: The longest status of a venue in a database, in bytes: a venue has a few currencies and a few partners.
STATUS_MAX: Final = 64 * 1024
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


class RunningCopy(Protocol):
    """A copy of a journal into an SQLite file, in steps between two commits."""

    def step(self, blocks: int) -> bool:
        """Copy so many more blocks of 4 KiB, all of them for a negative number; return whether it is complete."""
        ...

    def close(self) -> None:
        """Close the copy, complete or not."""
        ...


@runtime_checkable
class DurableStore(Store, Protocol):
    """A store on a disk or in a database, which can be copied while it is written to."""

    def backup_to(self, path: Path) -> RunningCopy:
        """Begin to copy the journal into an SQLite file; pages committed meanwhile are in the copy too."""
        ...


class OwnedStore(DurableStore, Protocol):
    """A store in a database, opened by the owner of its tables, who can remove rows that are not the venue's."""

    def repairing(self) -> AbstractContextManager[object]:
        """Begin a transaction in which no system writes; StoreLocked when one has the lease."""
        ...

    def foreign_checkpoints(self, verifier: Verifier) -> list[int]:
        """List the numbers of checkpoints that are not signed with the venue's key, or not in their place."""
        ...

    def quarantine(self, pages: Iterable[int] | None = None, checkpoints: Iterable[int] | None = None) -> None:
        """Move pages and checkpoints out of the journal, as they are; all of them for None."""
        ...

    def move_fence(self, fence: Fence) -> None:
        """Replace the fence."""
        ...


@runtime_checkable
class LeasedStore(DurableStore, Protocol):
    """A store that several systems can reach: one of them has a lease on it."""

    def holder(self) -> str | None:
        """Return the other system that has the lease now, if any."""
        ...

    def renew(self, status: str = "{}") -> None:
        """Renew the lease with the status of the system in JSON, and announce the pages since.

        Fenced when another system has taken it.
        """
        ...

    def wait(self, milliseconds: int) -> None:
        """Wait until pages are announced, or the lease was released, for so long at most."""
        ...
