"""A disk that fails: the process dies before or after a write, or the write says that it failed, kept or not."""

from collections.abc import Callable
from enum import StrEnum
from random import Random
from typing import TypeVar

from croupier.journal.anchor import Anchored
from croupier.journal.checkpoint import Checkpoint
from croupier.journal.fault import JournalFault
from croupier.journal.memory import MemoryStore
from croupier.journal.page import Page
from croupier.journal.store import FenceMac, without_key

Value = TypeVar("Value")


class Killed(Exception):  # noqa: N818 - the house's word
    """The process is gone, in the middle of what it did."""


class Mishap(StrEnum):
    """What becomes of a write."""

    DIES_BEFORE = "dies_before"
    DIES_AFTER = "dies_after"
    FAILS_LOST = "fails_lost"
    FAILS_KEPT = "fails_kept"


class Chance:
    """How often things go wrong; from one moment on, not at all."""

    def __init__(self, rng: Random, per_mille: int) -> None:
        self.rng, self.per_mille = rng, per_mille

    def strikes(self, times: int = 1) -> bool:
        """Draw whether something goes wrong now, so many times as often as usual."""
        return self.rng.randrange(1_000) < self.per_mille * times


class Disk(MemoryStore):
    """Keeps pages and checkpoints as any store does, unless chance has it otherwise."""

    def __init__(self, chance: Chance) -> None:
        super().__init__()
        self._chance = chance

    def fence(self, above: int | None = None, mac: FenceMac = without_key) -> int:
        begin = super().fence
        return self._risk(lambda: begin(above, mac))

    def append(self, page: Page) -> None:
        write = super().append
        self._risk(lambda: write(page))

    def sign(self, checkpoint: Checkpoint) -> None:
        write = super().sign
        self._risk(lambda: write(checkpoint))

    def _risk(self, write: Callable[[], Value]) -> Value:
        if not self._chance.strikes():
            return write()
        mishap = self._chance.rng.choice(list(Mishap))
        if mishap in (Mishap.DIES_AFTER, Mishap.FAILS_KEPT):
            write()
        if mishap in (Mishap.DIES_BEFORE, Mishap.DIES_AFTER):
            raise Killed(mishap)
        raise JournalFault("the disk says that it could not write")


class DiskAnchor:
    """An anchor of which a crash may lose what was noted since it was last made durable."""

    def __init__(self, chance: Chance) -> None:
        self._chance = chance
        self._notes = [Anchored()]

    def read(self) -> Anchored:
        return self._notes[-1]

    def write(self, anchored: Anchored) -> None:
        self._notes.append(anchored)

    def sync(self) -> None:
        self._notes = self._notes[-1:]

    def close(self) -> None:
        """There is nothing to let go of."""

    def crash(self) -> None:
        """Leave any of the notes since the last that is durable."""
        left = self._chance.rng.randrange(len(self._notes)) + 1
        self._notes = [self._notes[left - 1]]


class DiskSnapshots:
    """A place for snapshots of which a crash may leave an older one, a damaged one or none."""

    def __init__(self, chance: Chance) -> None:
        self._chance = chance
        self._kept: list[bytes] = []

    def load(self) -> bytes | None:
        return self._kept[-1] if self._kept else None

    def save(self, kept: bytes) -> None:
        if self._chance.strikes(10):
            raise Killed("while a snapshot was written")
        self._kept.append(kept)

    def crash(self) -> None:
        """Lose the last snapshot, or spoil a byte of it."""
        if not self._kept or not self._chance.strikes(15):
            return
        last = bytearray(self._kept.pop())
        if self._chance.rng.randrange(2):
            last[self._chance.rng.randrange(len(last))] ^= 1 << self._chance.rng.randrange(8)
            self._kept.append(bytes(last))
