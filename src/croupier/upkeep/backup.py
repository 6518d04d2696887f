"""Backups: a copy of the journal on a shelf, proven from its own file, signed, and whole or not there."""

import shutil
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from typing import Final, Self

import msgspec

from croupier.engine.archive import JOURNAL
from croupier.house.name import Instant
from croupier.journal.fault import JournalFault
from croupier.journal.file import put
from croupier.journal.signature import Signer
from croupier.upkeep.answer import BackedUp, LastBackup
from croupier.upkeep.copy import make_durable, prove
from croupier.upkeep.fault import Spoilt, UpkeepFault, translated
from croupier.upkeep.manifest import PARTS, Manifest, digest_of, write_manifest
from croupier.upkeep.shelf import Shelf

#: How many backups are kept where nobody says.
KEEP: Final = 14


#: What is known of the last backup, beside the journal.
_LAST: Final = "last-backup.json"


def note_backup(data: Path, made: LastBackup) -> None:
    """Remember the last backup beyond this run. It is for people: nothing depends on it, and it may fail."""
    with suppress(OSError):
        put(data / _LAST, msgspec.json.encode(made))


def last_backup(data: Path) -> LastBackup | None:
    """Tell of the last backup that a running system made; None where none is known."""
    try:
        return msgspec.json.decode((data / _LAST).read_bytes(), type=LastBackup)
    except (OSError, ValueError):
        return None


class Draft:
    """A backup under way on a shelf, which is taken away again unless it was finished."""

    def __init__(self, data: Path, to: Path, now: Instant) -> None:
        self._now = now
        with translated(), ExitStack() as opened:
            self._shelf = opened.enter_context(closing(Shelf(to, data)))
            #: Where the copy is put.
            self.folder = opened.enter_context(self._shelf.unfinished())
            self._opened = opened.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._opened.close()

    def take(self, staged: Path) -> None:
        """Take a copy that was made elsewhere."""
        with translated():
            for path in map(staged.joinpath, PARTS):
                if path.exists():
                    shutil.copyfile(path, self.folder / path.name)

    def finish(self, signer: Signer, software: str, keep: int = KEEP) -> BackedUp:
        """Prove the copy, sign for it and put it in its place; only then do older ones make room."""
        with translated():
            manifest = self._manifest(signer, software)
            write_manifest(self.folder, manifest, signer)
            backup = self._shelf.place(self.folder, self._now)
        removed, crowded = self._thinned_out(signer, keep, backup)
        return BackedUp(
            path=str(backup),
            made_at=manifest.made_at,
            software=manifest.software,
            position=manifest.position,
            epoch=manifest.epoch,
            head=manifest.head,
            removed=removed,
            crowded=crowded,
        )

    def _thinned_out(self, signer: Signer, keep: int, backup: Path) -> tuple[tuple[str, ...], str]:
        """Have older backups make room; where they do not, the new one stands all the same."""
        try:
            with translated():
                return self._shelf.thin_out(signer.verifier, keep=keep, but=backup), ""
        except UpkeepFault as fault:
            return (), f"Older backups could not be removed: {fault}."

    def _manifest(self, signer: Signer, software: str) -> Manifest:
        files = sorted(self.folder.iterdir())
        for path in files:
            make_durable(path)
        try:
            mark = prove(self.folder / JOURNAL, signer)
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
