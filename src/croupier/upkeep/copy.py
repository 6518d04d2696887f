"""Copies: a journal in a file of its own, on the disk for certain, and proven by itself."""

import os
from contextlib import closing
from pathlib import Path

from croupier.journal.page import BEGINNING, Mark
from croupier.journal.proof import of_this_venue, proven
from croupier.journal.signature import Signer
from croupier.journal.sqlite import SqliteStore


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
        for sheet in proven(store, signer.verifier):
            of_this_venue(signer, sheet.page)
            mark = sheet.page.mark
    return mark
