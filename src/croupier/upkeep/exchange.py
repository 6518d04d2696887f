"""The exchange: a journal put in the place of another, which is moved aside and never deleted."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from croupier.engine.archive import JOURNAL, SNAPSHOT
from croupier.journal.file import sync_directory
from croupier.upkeep.copy import make_durable
from croupier.upkeep.fault import translated
from croupier.upkeep.manifest import Manifest, hold

_STAGED: Final = "restoring"
#: A journal and what SQLite may have beside it, in the order in which they are moved. The journal is the last: without
#: its log it would be an older copy, which is found out, and a log beside another journal would spoil that.
_FILES: Final = (SNAPSHOT, f"{JOURNAL}-wal", f"{JOURNAL}-shm", f"{JOURNAL}-journal", JOURNAL)


def journal_files(folder: Path) -> list[Path]:
    """List what there is of a journal in a folder."""
    return [path for path in map(folder.joinpath, _FILES) if path.exists()]


@contextmanager
def staged(backup: Path, manifest: Manifest, data: Path) -> Iterator[Path]:
    """Copy what a backup holds next to where it is to be, on the same disk; what is still there after is taken away."""
    folder = data / _STAGED
    with translated():
        data.mkdir(mode=0o700, parents=True, exist_ok=True)
        # What is there was left by a restore that was cut short: it is only a copy.
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(mode=0o700)
    try:
        with translated():
            for name in manifest.files:
                shutil.copyfile(backup / name, folder / name)
                make_durable(folder / name)
        hold(folder, manifest)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def move(source: Path, target: Path) -> None:
    """Move a journal from one folder to another."""
    with translated():
        target.mkdir(mode=0o700, exist_ok=True)
        for path in journal_files(source):
            path.rename(target / path.name)
        sync_directory(source)
        sync_directory(target)
