"""A keepsake: the journal of a rehearsed evening as a data directory on the disk, with its safe beside it."""

from contextlib import closing
from itertools import groupby
from pathlib import Path

from croupier.engine.archive import Archive, open_archive
from croupier.journal.safe import Safe
from croupier.journal.signature import Signer
from croupier.journal.store import Store


def taken(data: Path) -> Path | None:
    """Name what is there already where a keepsake is to be."""
    return next((path for path in (data, Safe.beside(data).path) if path.exists()), None)


def keep(archive: Archive, data: Path) -> None:
    """Write down all that is in an evening's store, right or wrong, with its anchor and under its own key.

    Its snapshot is not kept: it is of no version that was ever released.
    """
    safe = Safe.beside(data)
    safe.furnish(archive.signer)
    with closing(open_archive(data, safe)) as kept:
        _copy(archive.store, kept.store, archive.signer)
        kept.anchor.write(archive.anchor.read())
        kept.anchor.sync()


def _copy(source: Store, target: Store, signer: Signer) -> None:
    """Copy pages and checkpoints epoch by epoch: a store takes them in no other order."""
    signed = list(source.checkpoints())[::-1]
    for epoch, pages in groupby(source.pages(), lambda page: page.epoch):
        target.fence(epoch - 1, signer.fence_mac)
        for page in pages:
            target.append(page)
        for each in signed:
            if each.statement().epoch == epoch:
                target.sign(each)
