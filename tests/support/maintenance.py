"""Backups of an open venue, and stub maintenance services behind a control socket."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack, asynccontextmanager, closing, contextmanager
from pathlib import Path
from typing import Self

import uvloop

from croupier.house.ids import SECOND, Day, Instant, TableId
from croupier.journal.keystore import KeyStore
from croupier.journal.stores.sqlite import SqliteStore
from croupier.operations.backup import BLOCKS_PER_STEP, KEEP, BackupJob, JournalCopy
from croupier.operations.control import (
    BackedUp,
    ControlSocket,
    DayChanged,
    DeviceFound,
    Exported,
    IntegrityVerified,
    JournalCopied,
    LastBackup,
    Reloaded,
    SystemStatus,
    TableStatus,
    Verdict,
)
from croupier.words import BlockerText
from tests.support.venue_on_disk import CLOCK_START, SOFTWARE, VenueOnDisk

MADE = BackedUp("/backups/one", Instant(5), "0.1", 7, 2, "ab", ("two",))
HOUR = 3600 * SECOND
STATUS = SystemStatus(
    "0.1 ab",
    3,
    70,
    Day(20261115),
    ("The software is unverified: there is no record.",),
    mode="real",
    now=Instant(100 * HOUR),
    open_since=Instant(50 * HOUR),
    tables=(
        TableStatus("A", "us-double-zero", "open_running", 12, running=True, terminals=8),
        TableStatus(
            "B",
            "skycity-adelaide-2003",
            "between",
            0,
            running=False,
            terminals=0,
            blocked=(BlockerText(TableId("B"), "no_terminals", None, "It has no terminals.", "Set seats of table B."),),
        ),
    ),
    connections={"terminal": 8, "pit": 1},
    incidents=("Incident 4, ball not seated, A: The ball has not come to rest. (10(d))",),
    incidents_more=2,
    backup=LastBackup("/backups/one", Instant(99 * HOUR), 60),
    signed=64,
    snapshot=50,
    proven_on=Day(20261114),
    disk_free={"data": 5 * 2**30, "key_store": 700 * 2**20},
)
VERIFIED, RELOADED = IntegrityVerified(25, 2_349), Reloaded(("Nothing has changed.",))
COPIED = JournalCopied(9)
DAY = DayChanged(("A", "B"), ("B",), {"C": "Not now."}, ("Open incidents: 1.",))
EXPORTED = Exported("/data/exported/journal-2-9.zip", 2, 9, 3)
DEVICES = {
    "T1": DeviceFound(known=True, kind="terminal"),
    "pit-1": DeviceFound(known=True, kind="pit"),
    "added-at-the-pit": DeviceFound(known=True),
}
SHIPPED = "/backups"


class Begun:
    """A backup under way, copied to its backup directory step by step."""

    def __init__(self, venue: VenueOnDisk, backup_directory: Path, at: int = 0) -> None:
        """Begin a backup, so many seconds after the clock starts."""
        store, self._signer = venue.run.storage.store, venue.run.storage.signer
        assert isinstance(store, SqliteStore)
        with ExitStack() as opened:
            self._draft = opened.enter_context(
                BackupJob(venue.site.data, backup_directory, Instant(CLOCK_START + at * SECOND))
            )
            self._copying = opened.enter_context(closing(JournalCopy(store, venue.site.data, self._draft.folder)))
            self._opened = opened.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._opened.close()

    def step(self, blocks: int = BLOCKS_PER_STEP) -> bool:
        return self._copying.step(blocks)

    def finish(self, keep: int = KEEP) -> BackedUp:
        return self._draft.finish(self._signer, SOFTWARE, keep)


def backed_up(venue: VenueOnDisk, backup_directory: Path, at: int = 0, keep: int = KEEP) -> BackedUp:
    with Begun(venue, backup_directory, at) as draft:
        while not draft.step():
            pass
        return draft.finish(keep)


def names(backup_directory: Path) -> list[str]:
    """Name the backups in a backup directory."""
    return sorted(path.name for path in backup_directory.iterdir() if not path.name.startswith("."))


class StubMaintenance:
    """A maintenance service with fixed answers, which may be set to take long or to fail."""

    def __init__(self) -> None:
        self.requested: list[tuple[Path, int | None]] = []
        self.requested_parts: list[tuple[int, int | None]] = []
        self.requested_days: list[tuple[str, str, bool]] = []
        self.verdict: Verdict = VERIFIED
        self.reloaded = RELOADED
        self.fault: Exception | None = None
        self.begun, self.may_end = asyncio.Event(), asyncio.Event()
        self.may_end.set()

    async def backup(self, to: Path, keep: int | None) -> BackedUp:
        self.requested.append((to, keep))
        self.begun.set()
        await self.may_end.wait()
        if self.fault is not None:
            raise self.fault
        return MADE

    async def verify(self) -> Verdict:
        return self.verdict

    async def reload(self) -> Reloaded:
        if self.fault is not None:
            raise self.fault
        return self.reloaded

    def status(self) -> SystemStatus:
        return STATUS

    async def export(self, first: int, last: int | None) -> Exported:
        self.requested_parts.append((first, last))
        if self.fault is not None:
            raise self.fault
        return EXPORTED

    async def copy(self) -> JournalCopied:
        return COPIED

    async def change_day(self, person: str, words: str, *, opens: bool) -> DayChanged:
        self.requested_days.append((person, words, opens))
        return DAY

    def device(self, device: str) -> DeviceFound:
        return DEVICES.get(device, DeviceFound(known=False))


def data_of(safe: KeyStore) -> Path:
    """Name the data that goes with a safe here."""
    return safe.path.with_name("data")


@asynccontextmanager
async def opened(maintenance: StubMaintenance, safe: KeyStore, patience_s: float = 60) -> AsyncIterator[ControlSocket]:
    control = ControlSocket(maintenance, safe, data_of(safe), patience_s=patience_s)
    await control.open()
    try:
        yield control
    finally:
        await control.close()


class BackingUpMaintenance(StubMaintenance):
    """A maintenance service of an open venue, which makes real backups while rounds are played."""

    def __init__(self, venue: VenueOnDisk) -> None:
        super().__init__()
        self._venue = venue

    async def backup(self, to: Path, keep: int | None) -> BackedUp:
        with Begun(self._venue, to) as draft:
            while not draft.step(5):
                self._venue.play()
            return draft.finish(keep or KEEP)


@contextmanager
def running(safe: KeyStore, maintenance: Callable[[], StubMaintenance]) -> Iterator[None]:
    """Have a system answer, on a thread of its own."""
    ready, over = threading.Event(), threading.Event()

    async def life() -> None:
        async with opened(maintenance(), safe):
            ready.set()
            await asyncio.to_thread(over.wait)

    def live() -> None:
        # The loop that a venue runs on.
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(life())

    thread = threading.Thread(target=live)
    thread.start()
    assert ready.wait(20)
    try:
        yield
    finally:
        over.set()
        thread.join()
