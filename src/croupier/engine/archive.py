"""The archive: everything that outlasts a run of the system, and what vouches for it."""

from contextlib import ExitStack, closing
from pathlib import Path
from typing import Final, NamedTuple

from croupier.journal.anchor import Anchor, Anchored
from croupier.journal.fault import JournalFault, RolledBack
from croupier.journal.file import sync_directory
from croupier.journal.safe import Safe, SafeLock
from croupier.journal.signature import Signer
from croupier.journal.snapshot import SnapshotFile, Snapshots
from croupier.journal.sqlite import SqliteStore
from croupier.journal.store import Store

JOURNAL: Final = "journal.db"
SNAPSHOT: Final = "snapshot"


class Archive(NamedTuple):
    """A journal with its anchor and its last snapshot, and the key that signs for them."""

    store: Store
    anchor: Anchor
    snapshots: Snapshots
    signer: Signer
    #: The lock on the safe, where there is one.
    lock: SafeLock | None = None

    def close(self) -> None:
        """Let go of what is open."""
        self.store.close()
        self.anchor.close()
        if self.lock is not None:
            self.lock.close()


def open_archive(data: Path, safe: Safe) -> Archive:
    """Open a data directory and its safe for a run, and make both where there is nothing yet."""
    if safe.path.resolve().is_relative_to(data.resolve()):
        raise JournalFault("the safe must not lie in the data directory: whoever copies one would copy the other")
    journal = data.joinpath(JOURNAL)
    try:
        data.mkdir(mode=0o700, parents=True, exist_ok=True)
        sync_directory(data.parent)
        begun = journal.exists() and journal.stat().st_size > 0
    except OSError as error:
        raise JournalFault(f"{error.filename} cannot be used: {error.strerror}") from error
    if not begun:
        safe.furnish()
    with ExitStack() as opened:
        lock = opened.enter_context(closing(safe.lock(data)))
        signer, anchor = safe.signer(), opened.enter_context(safe.anchor())
        _must_be_new(anchor.read(), begun=begun)
        store = SqliteStore(journal)
        opened.pop_all()
    return Archive(store, anchor, SnapshotFile(data.joinpath(SNAPSHOT)), signer, lock)


def _must_be_new(anchored: Anchored, *, begun: bool) -> None:
    """Refuse to begin a journal in the place of one that is gone."""
    lost = anchored.mark.position
    if lost and not begun:
        raise RolledBack(1, f"the journal is gone or empty, and entry {lost} had been written", lost)
