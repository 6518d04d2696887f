"""Backups: a copy of the journal while the house is open, proven from its own file, signed, and whole or not there."""

import shutil
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Final, Self

from croupier.engine.archive import JOURNAL, SNAPSHOT
from croupier.house.name import Instant
from croupier.journal.fault import JournalFault
from croupier.journal.signature import Signer
from croupier.journal.sqlite import SqliteStore
from croupier.upkeep.answer import BackedUp
from croupier.upkeep.copy import make_durable, prove
from croupier.upkeep.fault import Spoilt, UpkeepFault, translated
from croupier.upkeep.manifest import Manifest, digest_of, write_manifest
from croupier.upkeep.shelf import Shelf

#: How much is copied between two pages of the journal: a mebibyte, in a millisecond or two.
BLOCKS_PER_STEP: Final = 256
#: All of it at once, where nobody waits.
ALL_BLOCKS: Final = -1
#: How many backups are kept where nobody says.
KEEP: Final = 14


class Draft:
    """A backup under way, which is taken away again unless it was finished.

    It is begun, stepped through and closed by whoever keeps the journal, between two pages; it may be finished on
    another thread meanwhile, as by then it has nothing to do with the journal any more.
    """

    def __init__(self, store: SqliteStore, data: Path, to: Path, now: Instant) -> None:
        if to.resolve().is_relative_to(data.resolve()):
            raise UpkeepFault("a backup must not lie in the data directory: what takes one would take the other")
        self._now = now
        with translated(), ExitStack() as opened:
            self._shelf = opened.enter_context(Shelf(to))
            self._folder = opened.enter_context(self._shelf.unfinished())
            if data.joinpath(SNAPSHOT).exists():
                # Before the journal is copied, which then has the entry that this is a snapshot of.
                shutil.copyfile(data / SNAPSHOT, self._folder / SNAPSHOT)
            with _of_the_copy():
                self._copy = opened.enter_context(closing(store.backup_to(self._folder / JOURNAL)))
            self._opened = opened.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of it."""
        self._opened.close()

    def step(self, blocks: int = BLOCKS_PER_STEP) -> bool:
        """Copy some more; tell whether all was copied."""
        with _of_the_copy():
            return self._copy.step(blocks)

    def finish(self, signer: Signer, software: str, keep: int = KEEP) -> BackedUp:
        """Prove the copy, sign for it and put it in its place; only then do older ones make room."""
        with translated():
            manifest = self._manifest(signer, software)
            write_manifest(self._folder, manifest, signer)
            backup = self._shelf.place(self._folder, self._now)
            removed = self._shelf.thin_out(signer.verifier, keep=keep, but=backup)
        return BackedUp(
            path=str(backup),
            made_at=manifest.made_at,
            software=manifest.software,
            position=manifest.position,
            epoch=manifest.epoch,
            head=manifest.head,
            removed=removed,
        )

    def _manifest(self, signer: Signer, software: str) -> Manifest:
        files = sorted(self._folder.iterdir())
        for path in files:
            make_durable(path)
        try:
            mark = prove(self._folder / JOURNAL, signer)
        except JournalFault as fault:
            raise Spoilt(f"the copy is not what was kept: {fault}") from fault
        return Manifest(
            made_at=self._now,
            software=software,
            position=mark.position,
            page=mark.page,
            epoch=mark.epoch,
            head=mark.head.hex(),
            files={path.name: digest_of(path) for path in files},
        )


@contextmanager
def _of_the_copy() -> Iterator[None]:
    """Take a fault for the copy's: the journal itself is none the worse for it, and the house goes on."""
    try:
        yield
    except JournalFault as fault:
        raise UpkeepFault(f"the copy cannot be made: {fault}") from fault
