"""Faults, atomic writes and reserved disk space."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

from croupier.rules.refusal import Refusal


class JournalFault(Exception):  # noqa: N818 - the house's word
    """The journal cannot be read or written; whether the last batch was kept is unknown until it is read again."""


class StoreLocked(JournalFault):
    """Another process has the journal open."""


class KeyStoreLocked(StoreLocked):
    """Another process runs a house on the same safe."""


class Fenced(JournalFault):
    """A later writer has taken over: this one may write no more."""


class NoRollback(JournalFault):
    """Somebody's word is given for going on from an older copy, and this is the journal that was last written."""


class JournalCorrupt(JournalFault):
    """What is stored is not what was written, from this position on."""

    def __init__(self, position: int, words: str) -> None:
        super().__init__(f"entry {position}: {words}")
        self.position = position
        self.words = words


class UnknownEntryType(JournalCorrupt):
    """An entry is whole, and of a kind or version that this software does not know."""


class Breach(JournalCorrupt):
    """An entry is what was written, and the house cannot carry it out as it did."""


class RolledBack(JournalCorrupt):
    """The journal is an older copy, or another one, than the one that was last written."""

    def __init__(self, position: int, words: str, lost: int = 0) -> None:
        super().__init__(position, words)
        #: How many entries an older copy is known to lack, one at least; none where the journal is another one.
        self.lost = lost


class OverrideRefused(RolledBack):
    """Two people gave their word for going on from an older copy, and the house does not take it from them."""

    def __init__(self, position: int, refusal: Refusal, lost: int) -> None:
        words = f"the journal ends before it, and may not be gone on from: {refusal.says.removesuffix('.')}"
        super().__init__(position, words, lost)
        self.refusal = refusal


def write_atomic(path: Path, content: bytes) -> None:
    """Put a file in its place, for its owner alone; whatever goes wrong, what was there before is there still."""
    fresh = path.with_name(f"{path.name}.new")
    fresh.unlink(missing_ok=True)
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(descriptor)
    fresh.replace(path)
    sync_directory(path.parent)


def sync_directory(path: Path) -> None:
    """Make what a directory lists durable."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


_RESERVE: Final = "reserve"
#: In what the system counts what a file takes up.
_BLOCK: Final = 512
#: Below this no new bets are taken; what is under way then fits many times over.
LOW_BYTES: Final = 64 * 1024 * 1024
#: What is given up at a start that finds less.
RESERVE_BYTES: Final = 16 * 1024 * 1024


def free_bytes(directory: Path) -> int:
    """Tell how much more can be written where a directory lies."""
    there = os.statvfs(directory)
    return there.f_bavail * there.f_frsize


class DiskReserve:
    """Keeps room back in a file, and gives it up at a start that finds too little: a recovery can then be written."""

    def __init__(
        self,
        directory: Path,
        *,
        low_bytes: int = LOW_BYTES,
        reserve_bytes: int = RESERVE_BYTES,
        free: Callable[[Path], int] = free_bytes,
    ) -> None:
        """Look at the disk, before anything else is opened in the directory."""
        self._directory, self._low, self._size, self._free = directory, low_bytes, reserve_bytes, free
        self._file = directory.joinpath(_RESERVE)
        try:
            directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            if free(directory) < low_bytes:
                self._file.unlink(missing_ok=True)
            self._held = self._is_whole()
        except OSError as error:
            raise JournalFault(f"{error.filename} cannot be used: {error.strerror}") from error

    def has_room(self) -> bool:
        """Tell whether there is room for more than what is under way: the reserve, and low water beyond it."""
        free = self._free(self._directory)
        if not self._held and free >= self._low + self._size:
            self._held = self._keep_back()
        return self._held and free >= self._low

    def _is_whole(self) -> bool:
        """Tell whether the reserve is there with all its blocks: a cut while it was filled leaves less."""
        return self._file.exists() and self._file.stat().st_blocks * _BLOCK >= self._size

    def _keep_back(self) -> bool:
        """Fill the reserve with real blocks; tell whether they were there to be had."""
        try:
            with self._file.open("wb") as file:
                os.posix_fallocate(file.fileno(), 0, self._size)
        except OSError:
            self._file.unlink(missing_ok=True)
            return False
        return True
