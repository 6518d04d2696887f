"""Simulated clock and disk."""

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from random import Random
from typing import Final, Protocol, TypeVar

from croupier.engine.ports import Timer
from croupier.house.ids import SECOND, Day, Instant
from croupier.journal.checkpoints import Checkpoint
from croupier.journal.disk import JournalFault
from croupier.journal.entry import Page
from croupier.journal.keystore import AnchorRecord
from croupier.journal.stores import FenceMac, without_key
from croupier.journal.stores.memory import MemoryStore

#: 18:00 UTC on 15 November 2026, in microseconds: when a run begins.
BEGIN: Final = 1_794_765_600_000_000


class SimulatedTime:
    """The elapsed time, and the wall clock, which may be set."""

    def __init__(self) -> None:
        self.elapsed = 0
        self._set_by = 0

    def go_by(self, microseconds: int) -> None:
        self.elapsed += microseconds

    def set_wall(self, by: int) -> None:
        """Set the wall clock forward or back, but never to before 1970."""
        self._set_by = max(self._set_by + by, -BEGIN)

    def wall(self) -> Instant:
        return Instant(BEGIN + self.elapsed + self._set_by)


class SimulatedClock:
    """The clock of a start: the wall clock's time then, never before the journal's last entry, plus the time since."""

    def __init__(self, time: SimulatedTime, since: Instant, timers: "Timers") -> None:
        self._time, self._began, self._timers = time, time.elapsed, timers
        self._base = max(time.wall(), since)

    def now(self) -> Instant:
        return Instant(self._base + self._time.elapsed - self._began)

    def wall(self) -> Instant:
        return self._time.wall()

    def at(self, instant: Instant, ring: Callable[[], None]) -> Timer:
        return self._timers.at(self._time.elapsed + max(0, instant - self.now()), ring)


class Timers(Protocol):
    """Calls a function once so much time has elapsed."""

    def at(self, elapsed: int, callback: Callable[[], object]) -> Timer: ...


#: Gaming days end at six in the morning.
DAY_BEGINS: Final = timedelta(hours=6)


def gaming_day(now: Instant) -> tuple[Day, Instant]:
    """Return the gaming day of an instant, and when it ends."""
    today = datetime.fromtimestamp(now // SECOND, UTC) - DAY_BEGINS
    ends = datetime(today.year, today.month, today.day, tzinfo=UTC) + timedelta(days=1) + DAY_BEGINS
    return _written(today), Instant(int(ends.timestamp()) * SECOND)


def day_after(day: Day) -> Day:
    """Return the gaming day after another."""
    return _written(date.fromisoformat(str(day)) + timedelta(days=1))


def _written(day: date) -> Day:
    return Day(int(f"{day:%Y%m%d}"))


Value = TypeVar("Value")


class Killed(Exception):  # noqa: N818 - a simulated event
    """The process was killed in the middle of an operation."""


class DiskFailure(StrEnum):
    """The outcome of a write."""

    DIES_BEFORE = "dies_before"
    DIES_AFTER = "dies_after"
    FAILS_LOST = "fails_lost"
    FAILS_KEPT = "fails_kept"


class Chance:
    """How often faults occur; from one moment on, never."""

    def __init__(self, rng: Random, per_mille: int) -> None:
        self.rng, self.per_mille = rng, per_mille

    def strikes(self, times: int = 1) -> bool:
        """Draw whether a fault occurs now, so many times as often as usual."""
        return self.rng.randrange(1_000) < self.per_mille * times


class FailingStore(MemoryStore):
    """Stores pages and checkpoints as any store does, unless a fault is drawn."""

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
        mishap = self._chance.rng.choice(list(DiskFailure))
        if mishap in (DiskFailure.DIES_AFTER, DiskFailure.FAILS_KEPT):
            write()
        if mishap in (DiskFailure.DIES_BEFORE, DiskFailure.DIES_AFTER):
            raise Killed(mishap)
        raise JournalFault("the disk says that it could not write")


class DiskAnchor:
    """An anchor that may lose in a crash what was written since the last sync."""

    def __init__(self, chance: Chance) -> None:
        self._chance = chance
        self._notes = [AnchorRecord()]

    def read(self) -> AnchorRecord:
        return self._notes[-1]

    def write(self, anchored: AnchorRecord) -> None:
        self._notes.append(anchored)

    def sync(self) -> None:
        self._notes = self._notes[-1:]

    def close(self) -> None:
        """Do nothing: there is no resource to release."""

    def crash(self) -> None:
        """Restore the durable value, or any value written since."""
        left = self._chance.rng.randrange(len(self._notes)) + 1
        self._notes = [self._notes[left - 1]]


class DiskSnapshots:
    """A place for snapshots: a crash may leave an older one, a damaged one or none."""

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
        """Lose the last snapshot, or damage a byte of it."""
        if not self._kept or not self._chance.strikes(15):
            return
        last = bytearray(self._kept.pop())
        if self._chance.rng.randrange(2):
            last[self._chance.rng.randrange(len(last))] ^= 1 << self._chance.rng.randrange(8)
            self._kept.append(bytes(last))
