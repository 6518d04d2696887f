"""The reserve: room on the disk kept back, so that what is under way can be finished when the disk fills up."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

from croupier.journal.fault import JournalFault

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


class Reserve:
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
