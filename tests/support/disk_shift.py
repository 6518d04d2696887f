"""A shift on a simulated disk: run after run, with a trace of what was acknowledged, anchored and committed."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

from croupier.engine.ports import Accepted, BatchOutput, Ports, Request, Response
from croupier.engine.run import Run
from croupier.engine.storage import Storage
from croupier.house import AnyCommand, House
from croupier.house.credit.notes import GrantPlayMoney
from croupier.house.ids import SYSTEM, DeviceId, TableId, TerminalId
from croupier.house.play.betting import PlaceBets
from croupier.house.rounds.closing import CloseBets
from croupier.house.rounds.opening import OpenBets
from croupier.house.rounds.results import BallAtRest
from croupier.house.rounds.spinning import BallLaunched
from croupier.house.settings import TableSettings
from croupier.journal.checkpoints import Checkpoint, MemorySnapshots, Signer
from croupier.journal.entry import Entry, IdempotencyKey, Page
from croupier.journal.keystore import AnchorRecord, MemoryAnchor
from croupier.journal.pages import VerifiedPage, decode_body
from croupier.journal.stores.sqlite import SqliteStore
from croupier.rules.geometry import Pocket
from croupier.rules.money import Cents
from tests.conftest import venue
from tests.support.disk import Disk
from tests.support.engine_driver import HandClock, provisioning, start

JOURNAL: Final = Path("/journal.db")
TABLE: Final = TableId("table 1")
SEAT, OTHER = TerminalId("seat 1"), TerminalId("seat 2")
SEATS: Final = (SEAT, OTHER)
SIGNER: Final = Signer.new()


class Reported(NamedTuple):
    """An acknowledged batch, and the number of disk operations before it."""

    moment: int
    batch: BatchOutput


class Noted(NamedTuple):
    """An update of the anchor, its time, and whether it was made durable then."""

    moment: int
    anchored: AnchorRecord
    synced: bool


class Trace(NamedTuple):
    """All of a shift, for whoever wants to cut it short."""

    disk: Disk
    reported: list[Reported]
    anchored: list[Noted]
    snapshots: list[tuple[int, bytes]]
    epochs: list[tuple[int, int]]
    pages: list[Page]
    checkpoints: list[Checkpoint]
    ended_at: int


class DiskShift:
    """Plays on a disk, and is the outbox, the anchor and the place for snapshots of its own runs."""

    def __init__(self, disk: Disk, store: type[SqliteStore] = SqliteStore, run: type[Run] = Run) -> None:
        self.disk, self._store, self._run = disk, store, run
        self.clock = HandClock(0)
        self.has_room: Callable[[], bool] = lambda: True
        self.reported: list[Reported] = []
        self.requested: list[Request] = []
        self.anchored: list[Noted] = []
        self.snapshots: list[tuple[int, bytes]] = []
        self.epochs: list[tuple[int, int]] = []
        self._memory, self._slot = MemoryAnchor(), MemorySnapshots()
        self._numbers: Counter[DeviceId] = Counter()

    def begin(self) -> Run:
        """Start the system on what the disk has."""
        self.store = self._store(JOURNAL, vfs=self.disk.name)
        storage = Storage(self.store, self, self, SIGNER)
        self._numbers.clear()
        self.run = start(storage, Ports(self.clock, self, has_room=self.has_room), run=self._run)
        self.epochs.append((self.moment, self.run.epoch))
        return self.run

    def crash(self) -> None:
        """Kill the process, and leave the disk to the next."""
        self.disk = self.disk.crash()

    def twin(self) -> "DiskShift":
        """Make another shift on a disk of its own that stands where this one was left, with no run on."""
        other = DiskShift(Disk(self.disk.files), self._store, self._run)
        other.clock.at, other.reported, other.requested = self.clock.at, [*self.reported], [*self.requested]
        other.write(self.read())
        other._slot.saved = self._slot.saved
        return other

    @property
    def moment(self) -> int:
        return len(self.disk.ops)

    @property
    def house(self) -> House:
        return self.run.house

    def publish(self, batch: BatchOutput) -> None:
        self.reported.append(Reported(self.moment, batch))

    def read(self) -> AnchorRecord:
        return self._memory.read()

    def write(self, anchored: AnchorRecord) -> None:
        self._memory.write(anchored)
        self.anchored.append(Noted(self.moment, anchored, synced=False))

    def sync(self) -> None:
        self.anchored[-1] = self.anchored[-1]._replace(synced=True)

    def close(self) -> None:
        """There is nothing to release."""

    def load(self) -> bytes | None:
        return self._slot.load()

    def save(self, kept: bytes) -> None:
        self._slot.save(kept)
        self.snapshots.append((self.moment, kept))

    def ask(self, command: AnyCommand, device: str = SYSTEM) -> Response:
        """Ask under a key of its own, a second after what was asked before; the answer was told first."""
        self.clock.pass_s(1)
        self._numbers[DeviceId(device)] += 1
        requested = Request(
            command, DeviceId(device), key=IdempotencyKey(self.run.epoch, self._numbers[DeviceId(device)])
        )
        self.requested.append(requested)
        return self.again(requested)

    def again(self, requested: Request) -> Response:
        """Ask what was asked before, under the same key."""
        assert self.run.submit(requested) is None
        return self.run.step().responses[-1]

    def must(self, command: AnyCommand, device: str = SYSTEM) -> None:
        answer = self.ask(command, device)
        assert isinstance(answer.outcome, Accepted), answer.outcome

    def found(self, settings: TableSettings | None = None) -> None:
        """Found a house with a table and two seats."""
        granting = (GrantPlayMoney(seat, Cents(100_000)) for seat in SEATS)
        for command in (*provisioning(venue("marina-bay-sands-2020"), TABLE, SEATS, settings), *granting):
            self.must(command)

    def placing(self, seat: TerminalId, spot: str = "17", stake: int = 500) -> PlaceBets:
        round_ = self.house.tables[TABLE].round
        assert round_ is not None
        return PlaceBets(seat, TABLE, round_.number, round_.spin.number, ((spot, stake),))

    def open(self) -> None:
        """Open a round and take a bet from each seat, of which one more is refused."""
        self.must(OpenBets(TABLE))
        for seat in SEATS:
            self.must(self.placing(seat), seat)
        refused = self.ask(self.placing(SEAT, stake=10_000_000), SEAT)
        assert not isinstance(refused.outcome, Accepted)

    def close_bets(self) -> None:
        """Close betting and set the ball going."""
        self.must(CloseBets(TABLE))
        self.must(BallLaunched(TABLE, opposite=True), TABLE)

    def rest(self, pocket: str = "17") -> None:
        """Let the ball come to rest, which settles the round."""
        self.must(BallAtRest(TABLE, Pocket(pocket), revolutions=9, opposite=True), TABLE)

    def round(self, pocket: str = "17") -> None:
        """Play a whole round."""
        self.open()
        self.close_bets()
        self.rest(pocket)

    def trace(self) -> Trace:
        """Put together what the shift left, while its last run is on."""
        pages, checkpoints = list(self.store.pages()), [*self.store.checkpoints()][::-1]
        return Trace(
            self.disk, self.reported, self.anchored, self.snapshots, self.epochs, pages, checkpoints, self.clock.at
        )


def entries_of(pages: Iterable[Page]) -> Iterator[Entry]:
    """Read the entries of pages, whether they are bound to each other or not."""
    for page in pages:
        yield from VerifiedPage(page, decode_body(page)).entries
