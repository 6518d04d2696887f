"""Backups: directory, manifest, verified copy."""

import fcntl
import hashlib
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Literal, NamedTuple, Self

import msgspec

from croupier.engine.projections import JournalReader
from croupier.engine.storage import JOURNAL, SNAPSHOT
from croupier.house.ids import SECOND, Instant
from croupier.journal.checkpoints import Signer, Verifier
from croupier.journal.disk import LOW_BYTES, JournalFault, free_bytes, sync_directory, write_atomic
from croupier.journal.entry import JournalHead
from croupier.journal.keystore import check_fence
from croupier.journal.stores.sqlite import SqliteStore
from croupier.operations.control import BackedUp, BackupCorrupt, LastBackup, OperationsFault, os_errors_as_faults

#: A journal and what SQLite may have beside it, in the order in which they are moved. The journal is the last: without
#: its log it would be an older copy, which is detected, and a log beside another journal would corrupt that.
_FILES: Final = (SNAPSHOT, f"{JOURNAL}-wal", f"{JOURNAL}-shm", f"{JOURNAL}-journal", JOURNAL)


def journal_files(folder: Path) -> list[Path]:
    """List what there is of a journal in a folder."""
    return [path for path in map(folder.joinpath, _FILES) if path.exists()]


#: How much is copied between two pages of the journal: a mebibyte, in a millisecond or two.
BLOCKS_PER_STEP: Final = 256
#: All of it at once, where nobody waits.
ALL_BLOCKS: Final = -1


class JournalCopy:
    """A copy of a journal and its last snapshot under way, in a folder.

    It is begun, stepped through and closed by whoever keeps the journal, between two pages.
    """

    def __init__(self, store: SqliteStore, data: Path, folder: Path) -> None:
        with os_errors_as_faults(), _of_the_copy():
            if data.joinpath(SNAPSHOT).exists():
                # Before the journal is copied, which then has the entry that this is a snapshot of.
                shutil.copyfile(data / SNAPSHOT, folder / SNAPSHOT)
            self._copy = store.backup_to(folder / JOURNAL)

    def step(self, blocks: int = BLOCKS_PER_STEP) -> bool:
        """Copy some more; tell whether all was copied."""
        with _of_the_copy():
            return self._copy.step(blocks)

    def close(self) -> None:
        """Release the journal."""
        self._copy.close()


@contextmanager
def _of_the_copy() -> Iterator[None]:
    """Take a fault for the copy's: the journal itself is none the worse for it, and the house goes on."""
    try:
        yield
    except JournalFault as fault:
        raise OperationsFault(f"the copy cannot be made: {fault}") from fault


def make_durable(path: Path) -> None:
    """Have a file on the disk, for its owner alone, and no longer in memory: who reads it then reads the disk."""
    descriptor = os.open(path, os.O_RDWR)
    try:
        os.fchmod(descriptor, 0o600)
        os.fsync(descriptor)
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
    finally:
        os.close(descriptor)


def verify_copy(journal: Path, signer: Signer) -> JournalHead:
    """Verify every digest, signature and MAC of a journal, and return its head; JournalCorrupt names what is wrong."""
    with closing(SqliteStore(journal, writing=False)) as store:
        check_fence(store, None, signer)
        return JournalReader(store, signer.verifier, signer).read_all()


MANIFEST: Final = "manifest.json"
_SIGNATURE: Final = "manifest.sig"
#: All that a backup may hold. There is no place in it for anything of the safe.
PARTS: Final = (JOURNAL, SNAPSHOT)
_FORM: Final = "croupier backup 1"
#: What is signed begins with what it is, so that no signature serves for anything else.
_MANIFEST_PREFIX: Final = f"{_FORM}\n".encode()


class Manifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a backup holds: a journal up to one place in it, made when, by which software."""

    form: Literal["croupier backup 1"] = _FORM
    made_at: Instant
    software: str
    position: int
    page: int
    epoch: int
    head: str
    #: The SHA-256 of each file, in hexadecimal.
    files: dict[str, str]

    @property
    def mark(self) -> JournalHead:
        return JournalHead(self.position, self.page, self.epoch, bytes.fromhex(self.head))


def digest_of(path: Path) -> str:
    with os_errors_as_faults(), path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_manifest(folder: Path, manifest: Manifest, signer: Signer) -> None:
    body = msgspec.json.format(msgspec.json.encode(manifest), indent=1)
    with os_errors_as_faults():
        write_atomic(folder / MANIFEST, body)
        write_atomic(folder / _SIGNATURE, signer.sign(_MANIFEST_PREFIX + body).hex().encode() + b"\n")


def read_manifest(folder: Path, verifier: Verifier) -> Manifest:
    """Read what a backup says of itself; Spoilt where that is not the venue's word."""
    with os_errors_as_faults():
        body, signature = folder.joinpath(MANIFEST).read_bytes(), folder.joinpath(_SIGNATURE).read_bytes()
    try:
        if not verifier.accepts(bytes.fromhex(signature.decode()), _MANIFEST_PREFIX + body):
            raise BackupCorrupt(f"the manifest of {folder} is not signed with the venue's key")
        manifest = msgspec.json.decode(body, type=Manifest)
    except ValueError as error:
        raise BackupCorrupt(f"the manifest of {folder} cannot be read: {error}") from error
    if JOURNAL not in manifest.files or not set(manifest.files) <= set(PARTS):
        raise BackupCorrupt(f"the manifest of {folder} lists what is no backup")
    return manifest


def verify_manifest(folder: Path, manifest: Manifest) -> None:
    """Hold the files of a backup, or a copy of them, against their digests."""
    for name, digest in manifest.files.items():
        if not folder.joinpath(name).is_file():
            raise BackupCorrupt(f"{name} is missing from {folder}")
        if digest_of(folder / name) != digest:
            raise BackupCorrupt(f"{name} in {folder} is not what was backed up")


_BACKUP_PREFIX: Final = "croupier-backup-"
_LOCK: Final = ".croupier-backup.lock"
#: What is no backup yet, or no more.
_UNFINISHED: Final = ".croupier-backup.new"


class StoredBackup(NamedTuple):
    """A backup in a backup directory."""

    path: Path
    manifest: Manifest

    @property
    def age(self) -> tuple[int, int, int]:
        """Order backups by what is in them: a clock may be set to anything."""
        return self.manifest.epoch, self.manifest.position, self.manifest.made_at


def stamped(now: Instant) -> str:
    """Write a time as it stands in names."""
    return datetime.fromtimestamp(now // SECOND, UTC).strftime("%Y%m%dT%H%M%SZ")


def stored_backups(backup_directory: Path, verifier: Verifier) -> list[StoredBackup]:
    """List the venue's backups in a directory from the oldest to the last; other files are ignored."""
    found = []
    for manifest in backup_directory.glob(f"{_BACKUP_PREFIX}*/{MANIFEST}"):
        with suppress(OperationsFault):
            found.append(StoredBackup(manifest.parent, read_manifest(manifest.parent, verifier)))
    return sorted(found, key=lambda each: each.age)


class BackupDirectory:
    """A backup directory, locked while a backup is made."""

    def __init__(self, path: Path, data: Path) -> None:
        self.path = path
        with os_errors_as_faults():
            if path.resolve().is_relative_to(data.resolve()):
                raise OperationsFault("a backup must not be in the data directory: one failure would destroy both")
            path.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._lock = os.open(path / _LOCK, os.O_RDWR | os.O_CREAT, 0o600)
            try:
                fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                os.close(self._lock)
                raise OperationsFault(f"another backup is being made in {path}") from error

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
        backup = self.path / f"{_BACKUP_PREFIX}{stamped(now)}"
        sync_directory(folder)
        folder.rename(backup)
        sync_directory(self.path)
        return backup

    def prune(self, verifier: Verifier, *, keep: int, but: Path) -> tuple[str, ...]:
        """Remove the oldest backups so that no more than some are left, the given one among them; name those."""
        others = [each.path for each in stored_backups(self.path, verifier) if each.path != but]
        removed = others[: max(0, len(others) - (keep - 1))]
        for path in removed:
            # Under another name first: half a backup is never taken for a whole one.
            shutil.rmtree(path.rename(self.path / _UNFINISHED))
        return tuple(path.name for path in removed)


#: How many backups are kept where nobody says.
KEEP: Final = 14


#: What is known of the last backup, beside the journal.
_LAST: Final = "last-backup.json"


def note_backup(data: Path, made: LastBackup) -> None:
    """Remember the last backup beyond this run. It is for people: nothing depends on it, and it may fail."""
    with suppress(OSError):
        write_atomic(data / _LAST, msgspec.json.encode(made))


def last_backup(data: Path) -> LastBackup | None:
    """Tell of the last backup that a running system made; None where none is known."""
    try:
        return msgspec.json.decode((data / _LAST).read_bytes(), type=LastBackup)
    except (OSError, ValueError):
        return None


class BackupJob:
    """A backup in progress, which is removed unless it was finished."""

    def __init__(self, data: Path, to: Path, now: Instant) -> None:
        self._now = now
        with os_errors_as_faults(), ExitStack() as opened:
            self._backup_directory = opened.enter_context(closing(BackupDirectory(to, data)))
            #: Where the copy is put.
            self.folder = opened.enter_context(self._backup_directory.unfinished())
            self._opened = opened.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._opened.close()

    def take(self, staged: Path) -> None:
        """Take a copy that was made elsewhere."""
        with os_errors_as_faults():
            for path in map(staged.joinpath, PARTS):
                if path.exists():
                    shutil.copyfile(path, self.folder / path.name)

    def finish(self, signer: Signer, software: str, keep: int = KEEP) -> BackedUp:
        """Prove the copy, sign for it and put it in its place; only then do older ones make room."""
        with os_errors_as_faults():
            manifest = self._manifest(signer, software)
            write_manifest(self.folder, manifest, signer)
            backup = self._backup_directory.place(self.folder, self._now)
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
            with os_errors_as_faults():
                return self._backup_directory.prune(signer.verifier, keep=keep, but=backup), ""
        except OperationsFault as fault:
            return (), f"Older backups could not be removed: {fault}."

    def _manifest(self, signer: Signer, software: str) -> Manifest:
        files = sorted(self.folder.iterdir())
        for path in files:
            make_durable(path)
        try:
            mark = verify_copy(self.folder / JOURNAL, signer)
        except JournalFault as fault:
            raise BackupCorrupt(f"the copy differs from the journal: {fault}") from fault
        return Manifest(
            made_at=self._now,
            software=software,
            position=mark.position,
            page=mark.page,
            epoch=mark.epoch,
            head=mark.digest.hex(),
            files={path.name: digest_of(path) for path in files},
        )


_STAGED: Final = "backing-up"


def clear_staged(data: Path) -> None:
    """Take away what is staged in a data directory: a system that was cut short leaves it, and it is only a copy."""
    shutil.rmtree(data / _STAGED, ignore_errors=True)


class StagedCopy:
    """A copy in the data directory, by the one system that runs there; it never takes the last room.

    It is begun, stepped through and closed by whoever keeps the journal, between two pages.
    """

    def __init__(self, data: Path, free: Callable[[Path], int] = free_bytes) -> None:
        self.data, self.folder, self._free = data, data / _STAGED, free
        self._opened = ExitStack()

    def begin(self, store: SqliteStore) -> None:
        """Begin the copy, where there is room for it."""
        with os_errors_as_faults():
            self._needs_room(sum(path.stat().st_size for path in journal_files(self.data)))
            clear_staged(self.data)
            self.folder.mkdir(mode=0o700)
            self._copying = self._opened.enter_context(closing(JournalCopy(store, self.data, self.folder)))

    def step(self, blocks: int = BLOCKS_PER_STEP) -> bool:
        """Copy some more, while there is room; tell whether all was copied."""
        with os_errors_as_faults():
            self._needs_room(0)
        return self._copying.step(blocks)

    def close(self) -> None:
        """Release the journal, if the copy was begun; the copied files stay until they are removed."""
        self._opened.close()

    def _needs_room(self, size: int) -> None:
        """Leave as much room as below which no bets are taken."""
        free = self._free(self.data)
        if free < size + LOW_BYTES:
            words = f"a copy of the journal is made beside it first, and {self.data} has {free} bytes left"
            raise OperationsFault(f"{words}, of which {size + LOW_BYTES} are needed")
