"""The archive: everything that outlasts a run of the system, and what vouches for it."""

from pathlib import Path
from typing import Final, NamedTuple

from croupier.journal.anchor import Anchor
from croupier.journal.fault import JournalFault
from croupier.journal.safe import Safe
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

    def close(self) -> None:
        """Let go of what is open."""
        self.store.close()
        self.anchor.close()


def open_archive(data: Path, safe: Safe) -> Archive:
    """Open a data directory and its safe for a run, and make both where there is nothing yet."""
    resolved = data.resolve()
    if safe.path.resolve().is_relative_to(resolved):
        raise JournalFault("the safe must not lie in the data directory: whoever copies one would copy the other")
    data.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not data.joinpath(JOURNAL).exists():
        safe.furnish()
    signer = safe.signer()
    return Archive(SqliteStore(data.joinpath(JOURNAL)), safe.anchor(), SnapshotFile(data.joinpath(SNAPSHOT)), signer)
