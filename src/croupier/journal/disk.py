"""Faults, atomic writes and reserved disk space."""

import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Final

from croupier.rules.refusal import Refusal


class JournalFault(Exception):  # noqa: N818 - a fault is the project's word for a failure of the world
    """The journal cannot be read or written; whether the last batch was committed is unknown until the next start."""


class StoreLocked(JournalFault):
    """Another process has the journal open."""


class KeyStoreLocked(StoreLocked):
    """Another process runs a house with the same key store."""


class Fenced(JournalFault):
    """A later writer has begun a new epoch: this one may not write any more."""


class NoRollback(JournalFault):
    """A rollback override was given, and the journal is the one that was last written."""


class JournalCorrupt(JournalFault):
    """The journal differs from what was written, from this position on."""

    def __init__(self, position: int, words: str) -> None:
        super().__init__(f"entry {position}: {words}")
        self.position = position
        self.words = words


class UnknownEntryType(JournalCorrupt):
    """An entry is intact, and its type or version is unknown to this build."""


class Breach(JournalCorrupt):
    """An entry is what was written, and the house cannot apply it."""


class RolledBack(JournalCorrupt):
    """The journal is an older copy of the one that was last written, or another journal."""

    def __init__(self, position: int, words: str, lost: int = 0) -> None:
        super().__init__(position, words)
        #: How many entries an older copy lacks, at least one; 0 when it is another journal.
        self.lost = lost


class OverrideRefused(RolledBack):
    """Two people asked to continue from an older copy, and the house refuses."""

    def __init__(self, position: int, refusal: Refusal, lost: int) -> None:
        words = f"the journal ends before it, and may not be continued: {refusal.message.removesuffix('.')}"
        super().__init__(position, words, lost)
        self.refusal = refusal


def write_atomic(path: Path, content: bytes) -> None:
    """Replace a file atomically and durably, readable by its owner only."""
    fresh = path.with_name(f"{path.name}.new")
    fresh.unlink(missing_ok=True)
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(descriptor)
    fresh.replace(path)
    sync_directory(path.parent)


def read_secret(path: Path) -> bytes:
    """Read a file with a secret key; JournalFault when other users of this machine can use it, or it has only zeros."""
    with path.open("rb") as file:
        mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
        content = file.read()
    if mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise JournalFault(f"other users of this machine can read or change {path}: give it mode 600")
    if not any(content):
        raise JournalFault(f"{path} is not a key: it is empty, or has only zeros")
    return content


def sync_directory(path: Path) -> None:
    """Sync a directory, so that renames in it are durable."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


#: Nobody but the owner may change a key, and no user outside its group may read it.
_LOOSE: Final = 0o037


def key_problem(path: Path) -> str:
    """Return why a file must not be used as a private key: other users can read or change it. Empty if it may be."""
    mode = path.stat().st_mode & 0o777
    return f"other users of this machine can read or change {path}: give it mode 600" if mode & _LOOSE else ""


_RESERVE: Final = "reserve"
#: The unit of st_blocks.
_BLOCK: Final = 512
#: With less free space no new bets are accepted; running rounds need far less to finish.
LOW_BYTES: Final = 64 * 1024 * 1024
#: The reserved space, which a start with less than LOW_BYTES releases.
RESERVE_BYTES: Final = 16 * 1024 * 1024


def free_bytes(directory: Path) -> int:
    """Return the free space on the disk of a directory."""
    there = os.statvfs(directory)
    return there.f_bavail * there.f_frsize


class DiskReserve:
    """Reserves disk space in a file. A start that finds too little free space releases it, to write its recovery."""

    def __init__(
        self,
        directory: Path,
        *,
        low_bytes: int = LOW_BYTES,
        reserve_bytes: int = RESERVE_BYTES,
        free: Callable[[Path], int] = free_bytes,
    ) -> None:
        """Check the free space, before anything else is opened in the directory."""
        self._directory, self._low, self._size, self._free = directory, low_bytes, reserve_bytes, free
        self._file = directory.joinpath(_RESERVE)
        try:
            directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            if free(directory) < low_bytes:
                self._file.unlink(missing_ok=True)
            self._reserved = self._is_complete()
        except OSError as error:
            raise JournalFault(f"{error.filename} cannot be used: {error.strerror}") from error

    def has_room(self) -> bool:
        """Return whether new bets can be accepted: the reserve is complete, and LOW_BYTES are free beyond it."""
        free = self._free(self._directory)
        if not self._reserved and free >= self._low + self._size:
            self._reserved = self._reserve()
        return self._reserved and free >= self._low

    def _is_complete(self) -> bool:
        """Return whether the reserve has all its blocks: a power cut while it is allocated leaves fewer."""
        return self._file.exists() and self._file.stat().st_blocks * _BLOCK >= self._size

    def _reserve(self) -> bool:
        """Allocate the blocks of the reserve; return whether there were enough."""
        try:
            with self._file.open("wb") as file:
                os.posix_fallocate(file.fileno(), 0, self._size)
        except OSError:
            self._file.unlink(missing_ok=True)
            return False
        return True
