"""Staging: a copy of the journal on its own disk, so that a shelf that stalls holds up nobody who keeps the journal."""

import shutil
from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Final

from croupier.journal.reserve import LOW_BYTES, free_bytes
from croupier.journal.sqlite import SqliteStore
from croupier.upkeep.copy import BLOCKS_PER_STEP, Copying
from croupier.upkeep.exchange import journal_files
from croupier.upkeep.fault import UpkeepFault, translated

_STAGED: Final = "backing-up"


def clear_staged(data: Path) -> None:
    """Take away what is staged in a data directory: a system that was cut short leaves it, and it is only a copy."""
    shutil.rmtree(data / _STAGED, ignore_errors=True)


class Staging:
    """A copy in the data directory, by the one system that runs there; it never takes the last room.

    It is begun, stepped through and closed by whoever keeps the journal, between two pages.
    """

    def __init__(self, data: Path, free: Callable[[Path], int] = free_bytes) -> None:
        self.data, self.folder, self._free = data, data / _STAGED, free
        self._opened = ExitStack()

    def begin(self, store: SqliteStore) -> None:
        """Begin the copy, where there is room for it."""
        with translated():
            self._needs_room(sum(path.stat().st_size for path in journal_files(self.data)))
            clear_staged(self.data)
            self.folder.mkdir(mode=0o700)
            self._copying = self._opened.enter_context(closing(Copying(store, self.data, self.folder)))

    def step(self, blocks: int = BLOCKS_PER_STEP) -> bool:
        """Copy some more, while there is room; tell whether all was copied."""
        with translated():
            self._needs_room(0)
        return self._copying.step(blocks)

    def close(self) -> None:
        """Let go of the journal, if the copy was begun; what was copied stays until it is taken away."""
        self._opened.close()

    def _needs_room(self, size: int) -> None:
        """Leave as much room as below which no bets are taken."""
        free = self._free(self.data)
        if free < size + LOW_BYTES:
            words = f"a copy of the journal is made beside it first, and {self.data} has {free} bytes left"
            raise UpkeepFault(f"{words}, of which {size + LOW_BYTES} are needed")
