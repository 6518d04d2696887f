"""The exchange: a journal put in the place of another, which is moved aside and never deleted."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import msgspec
from msgspec.structs import replace

from croupier.engine.archive import EXCHANGE, JOURNAL, RESTORING, SNAPSHOT, Exchange, unfinished_exchange
from croupier.journal.file import put, sync_directory
from croupier.upkeep.copy import make_durable
from croupier.upkeep.fault import translated
from croupier.upkeep.manifest import Manifest, hold

#: A journal and what SQLite may have beside it, in the order in which they are moved. The journal is the last: without
#: its log it would be an older copy, which is found out, and a log beside another journal would spoil that.
_FILES: Final = (SNAPSHOT, f"{JOURNAL}-wal", f"{JOURNAL}-shm", f"{JOURNAL}-journal", JOURNAL)


def journal_files(folder: Path) -> list[Path]:
    """List what there is of a journal in a folder."""
    return [path for path in map(folder.joinpath, _FILES) if path.exists()]


@contextmanager
def staged(backup: Path, manifest: Manifest, data: Path) -> Iterator[Path]:
    """Copy what a backup holds next to where it is to be, on the same disk; what is still there after is taken away."""
    folder = data / RESTORING
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


#: Said where only a copy of a backup was left.
UNCHANGED: Final = "a restore was cut short before it changed anything, or after it was complete."


def begin_exchange(data: Path, exchange: Exchange) -> None:
    """Write down that journals are being exchanged, before the first file is moved."""
    with translated():
        put(data.joinpath(RESTORING, EXCHANGE), msgspec.json.encode(exchange))


def put_back(data: Path, exchange: Exchange) -> None:
    """Put the journal back that was there before an exchange. Cut short, it can be done again."""
    old = None if exchange.aside is None else data / exchange.aside
    if not exchange.back and (old is None or old.joinpath(JOURNAL).exists()):
        # What is in the journal's place is the copy of the backup.
        move(data, data / RESTORING)
    begin_exchange(data, replace(exchange, back=True))
    if old is not None and old.exists():
        move(old, data)
        old.rmdir()


def take_back(data: Path) -> str:
    """Undo an exchange that was cut short; say what was done, nothing where there was none."""
    exchange = unfinished_exchange(data)
    if exchange is None:
        left = data.joinpath(RESTORING).exists()
        shutil.rmtree(data / RESTORING, ignore_errors=True)
        return UNCHANGED if left else ""
    done = exchange.is_done(data)
    if not done:
        put_back(data, exchange)
    shutil.rmtree(data / RESTORING, ignore_errors=True)
    became = "when its journal was in place" if done and not exchange.back else "and what was there was put back first"
    return f"a restore of {exchange.backup} was cut short, {became}."


def move(source: Path, target: Path) -> None:
    """Move a journal from one folder to another."""
    with translated():
        target.mkdir(mode=0o700, exist_ok=True)
        for path in journal_files(source):
            path.rename(target / path.name)
        sync_directory(source)
        sync_directory(target)
