"""Copies: a journal in a file of its own, on the disk for certain, and proven by itself."""

import os
import shutil
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

from croupier.engine.archive import JOURNAL, SNAPSHOT
from croupier.journal.anchor import check_fence
from croupier.journal.fault import JournalFault
from croupier.journal.page import BEGINNING, Mark
from croupier.journal.proof import of_this_venue, proven
from croupier.journal.signature import Signer
from croupier.journal.sqlite import SqliteStore
from croupier.upkeep.fault import UpkeepFault, translated

#: How much is copied between two pages of the journal: a mebibyte, in a millisecond or two.
BLOCKS_PER_STEP: Final = 256
#: All of it at once, where nobody waits.
ALL_BLOCKS: Final = -1


class Copying:
    """A copy of a journal and its last snapshot under way, in a folder.

    It is begun, stepped through and closed by whoever keeps the journal, between two pages.
    """

    def __init__(self, store: SqliteStore, data: Path, folder: Path) -> None:
        with translated(), _of_the_copy():
            if data.joinpath(SNAPSHOT).exists():
                # Before the journal is copied, which then has the entry that this is a snapshot of.
                shutil.copyfile(data / SNAPSHOT, folder / SNAPSHOT)
            self._copy = store.backup_to(folder / JOURNAL)

    def step(self, blocks: int = BLOCKS_PER_STEP) -> bool:
        """Copy some more; tell whether all was copied."""
        with _of_the_copy():
            return self._copy.step(blocks)

    def close(self) -> None:
        """Let go of the journal."""
        self._copy.close()


@contextmanager
def _of_the_copy() -> Iterator[None]:
    """Take a fault for the copy's: the journal itself is none the worse for it, and the house goes on."""
    try:
        yield
    except JournalFault as fault:
        raise UpkeepFault(f"the copy cannot be made: {fault}") from fault


def make_durable(path: Path) -> None:
    """Have a file on the disk, for its owner alone, and no longer in memory: who reads it then reads the disk."""
    descriptor = os.open(path, os.O_RDWR)
    try:
        os.fchmod(descriptor, 0o600)
        os.fsync(descriptor)
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
    finally:
        os.close(descriptor)


def prove(journal: Path, signer: Signer) -> Mark:
    """Hold every digest, signature and imprint of a journal, and tell where it ends; Damaged names what is wrong."""
    mark = BEGINNING
    with closing(SqliteStore(journal, writing=False)) as store:
        check_fence(store, None, signer)
        for sheet in proven(store, signer.verifier):
            of_this_venue(signer, sheet.page)
            mark = sheet.page.mark
    return mark
