"""Simulated clock, disk, network and clients."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from random import Random
from typing import Final, NamedTuple, TypeVar

from croupier.engine.ports import Request, Response
from croupier.house.commands import AnyCommand
from croupier.house.ids import SECOND, Day, DeviceId, Instant, PersonId
from croupier.journal.checkpoints import Checkpoint
from croupier.journal.disk import JournalFault
from croupier.journal.entry import IdempotencyKey, Page
from croupier.journal.keystore import AnchorRecord
from croupier.journal.stores import FenceMac, without_key
from croupier.journal.stores.memory import MemoryStore
from croupier.rules.refusal import Code, Refusal

#: Six o'clock in the evening of 15 November 2026, in microseconds.
EVENING: Final = 1_794_765_600_000_000


class SimulatedTime:
    """The time that has truly gone by, and what the wall clock says, whoever has set it."""

    def __init__(self) -> None:
        self.elapsed = 0
        self._set_by = 0

    def go_by(self, microseconds: int) -> None:
        self.elapsed += microseconds

    def set_wall(self, by: int) -> None:
        """Set the wall clock forward or back; never to before there were clocks."""
        self._set_by = max(self._set_by + by, -EVENING)

    def wall(self) -> Instant:
        return Instant(EVENING + self.elapsed + self._set_by)


class SimulatedClock:
    """The clock of one start: the wall's time then, but not before what stands in the journal, and on from there."""

    def __init__(self, time: SimulatedTime, since: Instant) -> None:
        self._time, self._began = time, time.elapsed
        self._base = max(time.wall(), since)

    def now(self) -> Instant:
        return Instant(self._base + self._time.elapsed - self._began)

    def wall(self) -> Instant:
        return self._time.wall()


#: Gaming days end at six in the morning.
DAY_BEGINS: Final = timedelta(hours=6)


def gaming_day(now: Instant) -> tuple[Day, Instant]:
    """Name the gaming day of an instant, and when it ends."""
    today = datetime.fromtimestamp(now // SECOND, UTC) - DAY_BEGINS
    ends = datetime(today.year, today.month, today.day, tzinfo=UTC) + timedelta(days=1) + DAY_BEGINS
    return _written(today), Instant(int(ends.timestamp()) * SECOND)


def day_after(day: Day) -> Day:
    """Name the gaming day after another."""
    return _written(date.fromisoformat(str(day)) + timedelta(days=1))


def _written(day: date) -> Day:
    return Day(int(f"{day:%Y%m%d}"))


#: How many of a hundred letters are lost, are doubled, and take long.
LOST, DOUBLED, LATE = 4, 6, 6
#: How long a letter takes where all is well, and at most where it is not: longer than a round.
USUAL_US: Final = 50_000
LATE_US: Final = 40 * SECOND


class Reply(NamedTuple):
    """An answer on its way, with the epoch of whoever gave it."""

    answer: Response
    epoch: int


Letter = Request | Reply


class Network:
    """Everything that is on its way between devices and the house."""

    def __init__(self, rng: Random, time: SimulatedTime) -> None:
        self._rng, self._time = rng, time
        self._under_way: list[tuple[int, int, Letter]] = []
        self._sent = 0
        self.quiescent = False

    def send(self, letter: Letter) -> None:
        copies = 1
        if not self.quiescent:
            luck = self._rng.randrange(100)
            copies = 0 if luck < LOST else 2 if luck < LOST + DOUBLED else 1
        for _ in range(copies):
            self._sent += 1
            self._under_way.append((self._time.elapsed + self._takes(), self._sent, letter))

    def arrived(self) -> list[Letter]:
        """Take out what has arrived by now, in the order in which it did."""
        here = sorted(each for each in self._under_way if each[0] <= self._time.elapsed)
        self._under_way = [each for each in self._under_way if each[0] > self._time.elapsed]
        return [letter for _, _, letter in here]

    def _takes(self) -> int:
        if self.quiescent:
            return 1
        most = LATE_US if self._rng.randrange(100) < LATE else USUAL_US
        return self._rng.randrange(1, most)


#: When a client asks again, and how many answers it awaits at once.
PATIENCE_US: Final = 2 * SECOND
WAITING_MAX: Final = 2
#: How far it goes on before the oldest answer is there: the house remembers more of a device.
AHEAD_MAX: Final = 8


@dataclass(slots=True)
class Waiting:
    """What was asked, when last, and as which of all that the device has asked."""

    asked: Request
    sent_at: int
    turn: int


class Client:
    """One device on the network."""

    def __init__(self, device: DeviceId, network: Network, time: SimulatedTime) -> None:
        self.device = device
        self.waiting: dict[IdempotencyKey, Waiting] = {}
        self._network, self._time = network, time
        self._epoch = self._number = self._turn = 0

    def ask(self, command: AnyCommand, person: PersonId) -> Request | None:
        """Ask for something, and give what is sent; nothing where too much is still unanswered."""
        oldest = next(iter(self.waiting.values()), None)
        if len(self.waiting) >= WAITING_MAX or (oldest is not None and self._turn - oldest.turn >= AHEAD_MAX):
            return None
        self._number += 1
        self._turn += 1
        key = IdempotencyKey(self._epoch, self._number)
        asked = Request(command, self.device, person, key)
        self.waiting[key] = Waiting(asked, self._time.elapsed, self._turn)
        self._network.send(asked)
        return asked

    def ask_again(self) -> None:
        """Ask again for what has gone unanswered for too long, under the key it had."""
        for waiting in self.waiting.values():
            if self._time.elapsed - waiting.sent_at >= PATIENCE_US:
                waiting.sent_at = self._time.elapsed
                self._network.send(waiting.asked)

    def hear(self, reply: Reply) -> None:
        """Take the first answer to what was asked here; one to somebody else's words under the same key is none."""
        self.meet(reply.epoch)
        asked, outcome = reply.answer.request, reply.answer.outcome
        if isinstance(outcome, Refusal) and outcome.code in (Code.BUSY, Code.EPOCH_AHEAD):
            return
        assert asked.key is not None
        waiting = self.waiting.get(asked.key)
        if waiting is not None and waiting.asked == asked:
            del self.waiting[asked.key]

    def meet(self, epoch: int) -> None:
        """Learn of a start: from now on keys are of its epoch, and count from one again."""
        if epoch > self._epoch:
            self._epoch, self._number = epoch, 0


Value = TypeVar("Value")


class Killed(Exception):  # noqa: N818 - the house's word
    """The process is gone, in the middle of what it did."""


class DiskFailure(StrEnum):
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


class FailingStore(MemoryStore):
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
        mishap = self._chance.rng.choice(list(DiskFailure))
        if mishap in (DiskFailure.DIES_AFTER, DiskFailure.FAILS_KEPT):
            write()
        if mishap in (DiskFailure.DIES_BEFORE, DiskFailure.DIES_AFTER):
            raise Killed(mishap)
        raise JournalFault("the disk says that it could not write")


class DiskAnchor:
    """An anchor of which a crash may lose what was noted since it was last made durable."""

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
