"""Backups: directory, manifest, verified copy."""

import fcntl
import hashlib
import os
import shutil
import tarfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Literal, NamedTuple, Self

import msgspec

from croupier.devices.recorder import DIRECTORY, PERIPHERALS
from croupier.engine.journal_reader import JournalReader
from croupier.engine.places import JOURNAL
from croupier.engine.storage import SNAPSHOT
from croupier.house.ids import SECOND, Instant
from croupier.journal.checkpoints import Signer, Verifier
from croupier.journal.disk import LOW_BYTES, JournalFault, free_bytes, sync_directory, write_atomic
from croupier.journal.entry import JournalHead
from croupier.journal.keystore import KeyStore, check_fence
from croupier.journal.stores import DurableStore
from croupier.journal.stores.sqlite import SqliteStore
from croupier.operations.control import BackedUp, BackupCorrupt, LastBackup, OperationsFault, os_errors_as_faults
from croupier.operations.integrity import DirectoryMode, directory_problems

#: A journal and what SQLite may have beside it, in the order in which they are moved. The journal is the last: without
#: its log it would be an older copy, which is detected, and a log beside another journal would corrupt that.
_FILES: Final = (SNAPSHOT, f"{JOURNAL}-wal", f"{JOURNAL}-shm", f"{JOURNAL}-journal", JOURNAL)


def journal_files(folder: Path) -> list[Path]:
    """Return the files of a journal in a folder."""
    return [path for path in map(folder.joinpath, _FILES) if path.exists()]


#: How much is copied between two pages of the journal: a mebibyte, in a millisecond or two.
BLOCKS_PER_STEP: Final = 256
#: All blocks at once, when no batch waits.
ALL_BLOCKS: Final = -1


class JournalCopy:
    """A copy of a journal and its last snapshot in progress, in a folder.

    The owner of the journal begins, steps and closes it, between two pages.
    """

    def __init__(self, store: DurableStore, data: Path, folder: Path) -> None:
        with os_errors_as_faults(), _of_the_copy():
            if data.joinpath(SNAPSHOT).exists():
                # Before the journal is copied, which then has the entry that this is a snapshot of.
                _copy_new(data / SNAPSHOT, folder / SNAPSHOT)
            self._copy = store.backup_to(folder / JOURNAL)

    def step(self, blocks: int = BLOCKS_PER_STEP) -> bool:
        """Copy the next blocks; return whether the copy is complete."""
        with _of_the_copy():
            return self._copy.step(blocks)

    def close(self) -> None:
        """Release the journal."""
        self._copy.close()


def _copy_new(source: Path, target: Path) -> None:
    """Copy a file to a new one; a link that is put in its place is an error, and what it names stays as it is."""
    with source.open("rb") as old, target.open("xb") as new:
        shutil.copyfileobj(old, new)


@contextmanager
def _of_the_copy() -> Iterator[None]:
    """Translate a fault into a fault of the copy: the journal itself is undamaged, and the server continues."""
    try:
        yield
    except JournalFault as fault:
        raise OperationsFault(f"the copy cannot be made: {fault}") from fault


def make_durable(path: Path) -> None:
    """Sync a file to disk, readable by its owner only, and drop it from the page cache: readers then read the disk."""
    descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW)
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


#: The recordings of devices in a backup, and their directories in the data directory.
RECORDINGS: Final = "recordings.tar.gz"
RECORDED: Final = (DIRECTORY, PERIPHERALS)


def pack_recordings(data: Path, folder: Path) -> None:
    """Copy the recordings of devices into one compressed file, if there are any.

    They are written to meanwhile: a last line that is cut is skipped by readers, and a file that is gone is left out.
    """
    found = [path for name in RECORDED for path in sorted(data.joinpath(name).glob("*.log"))]
    if not found:
        return
    with tarfile.open(folder / RECORDINGS, "x:gz", compresslevel=1) as archive:
        for path in found:
            with suppress(FileNotFoundError), path.open("rb") as file:
                archive.addfile(archive.gettarinfo(arcname=str(path.relative_to(data)), fileobj=file), file)


def unpack_recordings(folder: Path, data: Path) -> tuple[str, ...]:
    """Put the recordings of a backup into the data directory; return the directories that were restored.

    A directory that has recordings stays as it is: they are later than those of the backup.
    """
    if not folder.joinpath(RECORDINGS).exists():
        return ()
    missing = tuple(name for name in RECORDED if not any(data.joinpath(name).glob("*.log")))
    with tarfile.open(folder / RECORDINGS) as archive:
        members = [each for each in archive.getmembers() if each.name.partition("/")[0] in missing]
        archive.extractall(data, members, filter="data")
    return tuple(name for name in missing if any(each.name.startswith(f"{name}/") for each in members))


MANIFEST: Final = "manifest.json"
_SIGNATURE: Final = "manifest.sig"
#: All files that a backup may hold. Nothing of the key store is among them.
PARTS: Final = (JOURNAL, SNAPSHOT, RECORDINGS)
_FORM: Final = "croupier backup 1"
#: Signed bytes begin with their type, so that a signature is not valid for anything else.
_MANIFEST_PREFIX: Final = f"{_FORM}\n".encode()


class Manifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The contents of a backup: the last entry of its journal, when it was made, and the build that made it."""

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
    def journal_head(self) -> JournalHead:
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
    """Read the manifest of a backup; BackupCorrupt when the venue has not signed it."""
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


def is_backup(folder: Path) -> bool:
    """Check whether a folder is a backup."""
    return folder.joinpath(MANIFEST).is_file()


def verify_manifest(folder: Path, manifest: Manifest) -> None:
    """Verify the files of a backup, or a copy of them, against their digests."""
    for name, digest in manifest.files.items():
        if not folder.joinpath(name).is_file():
            raise BackupCorrupt(f"{name} is missing from {folder}")
        if digest_of(folder / name) != digest:
            raise BackupCorrupt(f"{name} in {folder} is not what was backed up")


_BACKUP_PREFIX: Final = "croupier-backup-"
_LOCK: Final = ".croupier-backup.lock"
#: The name of an unfinished backup, or of one that is being removed.
_UNFINISHED: Final = ".croupier-backup.new"


class StoredBackup(NamedTuple):
    """A backup in a backup directory."""

    path: Path
    manifest: Manifest

    @property
    def age(self) -> tuple[int, int, int]:
        """Order backups by their contents: a clock may be set to any time."""
        return self.manifest.epoch, self.manifest.position, self.manifest.made_at


def stamped(now: Instant) -> str:
    """Format a time for file names."""
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
            if any(KeyStore(each).holds_key for each in (path.resolve(), *path.resolve().parents)):
                raise OperationsFault("a backup must not be in a key store: a copy of one would contain the other")
            path.mkdir(mode=0o700, parents=True, exist_ok=True)
            for problem in directory_problems(DirectoryMode.at(path), os.geteuid()):
                # Another user could put a link in place of a file that is written here.
                raise OperationsFault(problem.message.removesuffix("."))
            self._lock = os.open(path / _LOCK, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
            try:
                fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                os.close(self._lock)
                raise OperationsFault(f"another backup is being made in {path}") from error

    def close(self) -> None:
        """Unlock the directory."""
        os.close(self._lock)

    @contextmanager
    def unfinished(self) -> Iterator[Path]:
        """Create a folder whose name is not that of a backup, and remove it again unless it was moved into place."""
        folder = self.path / _UNFINISHED
        # An interrupted backup has left this.
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(mode=0o700)
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def place(self, folder: Path, now: Instant) -> Path:
        """Move a complete folder into place, where it is a backup from now on."""
        backup = self.path / f"{_BACKUP_PREFIX}{stamped(now)}"
        sync_directory(folder)
        folder.rename(backup)
        sync_directory(self.path)
        return backup

    def prune(self, verifier: Verifier, *, keep: int, but: Path) -> tuple[str, ...]:
        """Remove the oldest backups, never `but`, so that at most `keep` are left; return the names removed."""
        others = [each.path for each in stored_backups(self.path, verifier) if each.path != but]
        removed = others[: max(0, len(others) - (keep - 1))]
        for path in removed:
            # Rename it first: a partly removed backup must not look complete.
            shutil.rmtree(path.rename(self.path / _UNFINISHED))
        return tuple(path.name for path in removed)


#: How many backups are retained by default.
KEEP: Final = 14


#: The record of the last backup, beside the journal.
_LAST: Final = "last-backup.json"


def note_backup(data: Path, made: LastBackup) -> None:
    """Record the last backup for later runs. It is informative only: nothing depends on it, and writing it may fail."""
    with suppress(OSError):
        write_atomic(data / _LAST, msgspec.json.encode(made))


def last_backup(data: Path) -> LastBackup | None:
    """Return the last backup that a running system made; None when none is recorded."""
    try:
        return msgspec.json.decode((data / _LAST).read_bytes(), type=LastBackup)
    except (OSError, ValueError):
        return None


class BackupJob:
    """A backup in progress, which is removed unless it was finished."""

    def __init__(self, data: Path, to: Path, now: Instant) -> None:
        self._data, self._now = data, now
        with os_errors_as_faults(), ExitStack() as opened:
            self._backup_directory = opened.enter_context(closing(BackupDirectory(to, data)))
            #: The folder of the copy.
            self.folder = opened.enter_context(self._backup_directory.unfinished())
            self._opened = opened.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._opened.close()

    def take(self, staged: Path) -> None:
        """Add a copy that was made elsewhere."""
        with os_errors_as_faults():
            for path in map(staged.joinpath, PARTS):
                if path.exists():
                    _copy_new(path, self.folder / path.name)

    def finish(self, signer: Signer, software: str, keep: int = KEEP) -> BackedUp:
        """Add recordings, verify the copy, sign its manifest and move it into place; only then remove older backups."""
        with os_errors_as_faults():
            pack_recordings(self._data, self.folder)
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
        """Remove older backups; when that fails, the new one is still valid."""
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
    """Remove staged copies from a data directory: an interrupted system leaves them."""
    shutil.rmtree(data / _STAGED, ignore_errors=True)


class StagedCopy:
    """A copy in the data directory, made by the one system that runs there; it never uses the reserved disk space.

    The owner of the journal begins, steps and closes it, between two pages.
    """

    def __init__(self, data: Path, free: Callable[[Path], int] = free_bytes) -> None:
        self.data, self.folder, self._free = data, data / _STAGED, free
        self._opened = ExitStack()

    def begin(self, store: DurableStore) -> None:
        """Begin the copy, if there is room for it."""
        with os_errors_as_faults():
            self._needs_room(sum(path.stat().st_size for path in journal_files(self.data)))
            clear_staged(self.data)
            self.folder.mkdir(mode=0o700)
            self._copying = self._opened.enter_context(closing(JournalCopy(store, self.data, self.folder)))

    def step(self, blocks: int = BLOCKS_PER_STEP) -> bool:
        """Copy the next blocks, while there is room; return whether the copy is complete."""
        with os_errors_as_faults():
            self._needs_room(0)
        return self._copying.step(blocks)

    def close(self) -> None:
        """Release the journal, if the copy was begun; the copied files stay until they are removed."""
        self._opened.close()

    def _needs_room(self, size: int) -> None:
        """Check that the disk space below which no bets are taken stays free."""
        free = self._free(self.data)
        if free < size + LOW_BYTES:
            words = f"a copy of the journal is made beside it first, and {self.data} has {free} bytes left"
            raise OperationsFault(f"{words}, of which {size + LOW_BYTES} are needed")
