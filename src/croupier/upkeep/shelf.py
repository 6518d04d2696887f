"""The shelf: a directory in which backups stand, where one is made at a time and the oldest make room."""

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, NamedTuple

from croupier.house.name import SECOND, Instant
from croupier.journal.file import sync_directory
from croupier.journal.signature import Verifier
from croupier.upkeep.fault import UpkeepFault, translated
from croupier.upkeep.manifest import MANIFEST, Manifest, read_manifest

_PREFIX: Final = "croupier-backup-"
_LOCK: Final = ".croupier-backup.lock"
#: What is no backup yet, or no more.
_UNFINISHED: Final = ".croupier-backup.new"


class Standing(NamedTuple):
    """A backup that stands on a shelf."""

    path: Path
    manifest: Manifest

    @property
    def age(self) -> tuple[int, int, int]:
        """Order backups by what is in them: a clock may be set to anything."""
        return self.manifest.epoch, self.manifest.position, self.manifest.made_at


def stamped(now: Instant) -> str:
    """Write a time as it stands in names."""
    return datetime.fromtimestamp(now // SECOND, UTC).strftime("%Y%m%dT%H%M%SZ")


def standing(shelf: Path, verifier: Verifier) -> list[Standing]:
    """List the venue's backups on a shelf from the oldest to the last; what is not the venue's is left alone."""
    found = []
    for manifest in shelf.glob(f"{_PREFIX}*/{MANIFEST}"):
        with suppress(UpkeepFault):
            found.append(Standing(manifest.parent, read_manifest(manifest.parent, verifier)))
    return sorted(found, key=lambda each: each.age)


class Shelf:
    """A shelf on which a backup of some data is being made. Nobody else makes one there meanwhile."""

    def __init__(self, path: Path, data: Path) -> None:
        self.path = path
        with translated():
            if path.resolve().is_relative_to(data.resolve()):
                raise UpkeepFault("a backup must not lie in the data directory: what takes one would take the other")
            path.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._lock = os.open(path / _LOCK, os.O_RDWR | os.O_CREAT, 0o600)
            try:
                fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                os.close(self._lock)
                raise UpkeepFault(f"another backup is being made in {path}") from error

    def close(self) -> None:
        """Let somebody else make a backup there."""
        os.close(self._lock)

    @contextmanager
    def unfinished(self) -> Iterator[Path]:
        """Make a folder that nobody takes for a backup, and take it away again unless it was put in its place."""
        folder = self.path / _UNFINISHED
        # What is there was left by somebody who was cut short.
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(mode=0o700)
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def place(self, folder: Path, now: Instant) -> Path:
        """Put a folder that is whole in its place, where it is a backup from now on."""
        backup = self.path / f"{_PREFIX}{stamped(now)}"
        sync_directory(folder)
        folder.rename(backup)
        sync_directory(self.path)
        return backup

    def thin_out(self, verifier: Verifier, *, keep: int, but: Path) -> tuple[str, ...]:
        """Remove the oldest backups so that no more than some are left, the given one among them; name those."""
        others = [each.path for each in standing(self.path, verifier) if each.path != but]
        removed = others[: max(0, len(others) - (keep - 1))]
        for path in removed:
            # Under another name first: half a backup is never taken for a whole one.
            shutil.rmtree(path.rename(self.path / _UNFINISHED))
        return tuple(path.name for path in removed)
