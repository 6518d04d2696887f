"""Start-up, recovered state, recovery, snapshots, stop."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from croupier.engine.ports import BatchOutput, Outbox, Ports, Request, SystemClock
from croupier.engine.projections import JournalReader, Scrubber, apply_entry, gc_paused
from croupier.engine.sequencer import IdempotencyCache, Sequencer
from croupier.engine.storage import (
    RESTORING,
    SWAP_FILE,
    DeserialiseError,
    StateCopy,
    Storage,
    decode_state,
    open_storage,
    schema,
)
from croupier.engine.ticket_index import store_retired
from croupier.house.commands import AnyCommand
from croupier.house.commands.record import IncidentKind, RaiseAlarm
from croupier.house.commands.rounds import Recover
from croupier.house.commands.setup import AcceptHistory
from croupier.house.dispatch import decide
from croupier.house.ids import SECOND, SYSTEM, Context, Instant, PersonId
from croupier.house.recovery import with_people_who_may
from croupier.house.state import House, RulebookReader
from croupier.journal.checkpoints import Snapshot, SnapshotError, decode_snapshot, encode_snapshot
from croupier.journal.disk import Breach, DiskReserve, NoRollback, OverrideRefused, RolledBack
from croupier.journal.entry import EMPTY_HEAD, JournalHead
from croupier.journal.keystore import AnchorRecord, KeyStore, check_anchor, check_fence
from croupier.journal.writer import Writer
from croupier.rulebooks.schema import read_canonical
from croupier.rules.refusal import Refusal


@dataclass(slots=True)
class RecoveredState:
    """A house as it was left, the keys it has answered, and where its journal ends."""

    house: House
    idempotency: IdempotencyCache
    head: JournalHead = EMPTY_HEAD
    #: How many entries were carried out, beyond what a snapshot gave.
    replayed: int = 0
    #: Why a snapshot that is there was left aside.
    snapshot_rejected: str = ""
    #: What two people accept, where the journal is an older copy.
    accept_history: AcceptHistory | None = None


#: Called now and then while a house is read back: what it raises stops the start before anything is written.
Check = Callable[[], None]


class RollbackOverride(NamedTuple):
    """Two people who have the house go on from an older copy of its journal, and why."""

    people: tuple[PersonId, PersonId]
    words: str


def no_check() -> None:
    """Let a start go on: there is nobody who could stop it."""


def recover_state(
    storage: Storage, reader: RulebookReader, older: RollbackOverride | None = None, check: Check = no_check
) -> RecoveredState:
    """Prove and read what was kept; JournalFault where it is not what was written, and then nobody may go on.

    From a journal that is whole and merely ends too early, two people may: whether these two, the house says. The check
    is called for every page that is read.
    """
    lost = _lost(storage, older)
    check_fence(storage.store, storage.anchor.read(), storage.signer)
    with gc_paused():
        recovered = _read(storage, reader, check)
    recovered.accept_history = None if older is None else AcceptHistory(lost, *older)
    return recovered


def _lost(storage: Storage, older: RollbackOverride | None) -> int:
    """Tell how many entries are missing from an older copy that somebody wants to go on from."""
    try:
        check_anchor(storage.store, storage.anchor.read())
    except RolledBack as fault:
        if older is None or not fault.lost:
            raise
        return fault.lost
    last = storage.store.last()
    if older is not None and last is not None and storage.anchor.read().head.position < last.last:
        # The anchor is itself an older copy, and cannot say what came after the journal's end.
        return 1
    if older is not None:
        raise NoRollback("nothing is lost: this is the journal that was last written, and it needs nobody's word")
    return 0


def _read(storage: Storage, reader: RulebookReader, check: Check) -> RecoveredState:
    try:
        return _go_on(storage, _from_snapshot(storage, reader), check)
    except (SnapshotError, DeserialiseError, Breach) as error:
        # A snapshot that nothing can be carried out on is no reason to doubt the journal.
        return _go_on(storage, _from_nothing(storage, reader, str(error)), check)


def _go_on(storage: Storage, recovered: RecoveredState, check: Check) -> RecoveredState:
    """Verify the journal from the last checkpoint before the snapshot, and apply what came after the snapshot."""
    known = recovered.head
    for verified_page in JournalReader.after_checkpoint(storage.store, storage.signer, known):
        check()
        recovered.head = verified_page.page.journal_head
        if verified_page.page.number > known.page:
            for entry in verified_page.entries:
                apply_entry(recovered.house, entry)
                recovered.idempotency.rebuild_from(entry)
            recovered.replayed += len(verified_page.entries)
            store_retired(storage.tickets, recovered.house)
            recovered.house.retired.clear()
    return recovered


def _from_nothing(storage: Storage, reader: RulebookReader, ignored: str = "") -> RecoveredState:
    """Begin before the first entry."""
    if storage.tickets is not None:
        storage.tickets.truncate(0)
    return RecoveredState(House(reader), IdempotencyCache(), snapshot_rejected=ignored)


def _from_snapshot(storage: Storage, reader: RulebookReader) -> RecoveredState:
    """Take what the last snapshot gives, where there is one and it is of this journal."""
    kept = storage.snapshots.load()
    if kept is None:
        return _from_nothing(storage, reader)
    snapshot = decode_snapshot(kept, storage.signer.verifier, schema())
    page = storage.store.page(snapshot.head.page)
    if page is None or page.journal_head != snapshot.head:
        raise SnapshotError("it is of another journal")
    house, keys = decode_state(snapshot.state)
    house.read_rulebook = reader
    if storage.tickets is not None and not storage.tickets.truncate(house.tickets_retired):
        raise SnapshotError("the index of closed tickets is incomplete")
    return RecoveredState(house, keys, snapshot.head)


#: A start carries out at most so many entries, and those of one batch.
SNAPSHOT_EVERY: Final = 50_000
#: A house that was closed for longer than this, by the clock, is told so: days and tickets lapse by it for good.
CLOSED_MAX: Final = 24 * 3600 * SECOND
#: How many entries are proven between two turns: some milliseconds' work, besides a page that is longer.
ENTRIES_PER_STEP: Final = 500


class Run:
    """One run: it has taken the journal from whoever wrote before, and decided every round that was running."""

    def __init__(self, storage: Storage, recovered: RecoveredState, ports: Ports) -> None:
        self.storage, self.recovered, self.ports = storage, recovered, ports
        _vet(recovered, ports.clock.now())
        checkpoints = next((each.statement().number for each in storage.store.checkpoints()), 0)
        self.writer = Writer(storage.store, AnchorRecord(recovered.head, checkpoints), storage.anchor, storage.signer)
        self.sequencer = Sequencer(recovered.house, self.writer, recovered.idempotency, ports, storage.tickets)
        self.snapshot_position = recovered.head.position - recovered.replayed
        self.scrubber = Scrubber(storage.store, storage.signer.verifier)
        #: What the recovery gave: its entries.
        self.recovery = self.sequencer.run_commands(*_recovering(recovered, ports.clock.now()))
        if self.recovery.entries:
            self.writer.sign(ports.clock.now())

    @property
    def house(self) -> House:
        return self.sequencer.house

    @property
    def epoch(self) -> int:
        return self.writer.epoch

    def submit(self, asked: Request) -> Refusal | None:
        return self.sequencer.submit(asked)

    def due(self) -> Instant | None:
        return self.sequencer.due()

    def step(self) -> BatchOutput:
        """Do what is due and take what waits; and once in a while keep what a quick start needs."""
        batch = self.sequencer.step()
        if self.entries_since_snapshot >= SNAPSHOT_EVERY and self.ports.has_room():
            self.take_snapshot()
        return batch

    @property
    def entries_since_snapshot(self) -> int:
        """How many entries a start would have to carry out that no snapshot has."""
        return self.writer.head.position - self.snapshot_position

    def scrub(self) -> bool:
        """Use a moment between two turns to prove some more of the journal; tell whether all was proven today."""
        return self.scrubber.scrub(self.house.day, ENTRIES_PER_STEP)

    def take_snapshot(self) -> None:
        """Sign the journal, and write a snapshot of the state that it gives; without one a start only takes longer."""
        draft = self.draft_snapshot()
        self.sign()
        failed = draft.write()
        if failed is not None:
            self.sequencer.run_commands(failed)

    def sign(self) -> None:
        """Sign the journal as far as it goes, so that a start need not prove what a snapshot gives."""
        self.writer.sign(self.ports.clock.now())

    def draft_snapshot(self) -> "SnapshotDraft":
        """Copy the state between two turns: what remains to be done for a snapshot is done on any thread."""
        assert self.sequencer.consistent
        self.snapshot_position = self.writer.head.position
        with gc_paused():
            state = StateCopy(self.house, self.sequencer.idempotency, self.writer.head.position)
        return SnapshotDraft(state, self.writer.head, self.storage)

    def stop(self) -> None:
        """End the run in good order: what waits unanswered was never taken."""
        try:
            if self.writer.head.position > 0:
                self.take_snapshot()
        finally:
            self.storage.close()


class SnapshotDraft(NamedTuple):
    """A copy of the state, to be encoded, signed and saved as a snapshot."""

    state: StateCopy
    head: JournalHead
    storage: Storage

    def write(self) -> RaiseAlarm | None:
        """Write the snapshot; where that cannot be done, give what the house is to tell its staff."""
        try:
            snapshot = Snapshot(schema(), self.head, self.state.encode())
            self.storage.snapshots.save(encode_snapshot(snapshot, self.storage.signer))
        except (SnapshotError, DeserialiseError) as error:
            return RaiseAlarm(IncidentKind.SNAPSHOT_FAILED, "system", f"No snapshot could be written: {error}.")
        return None


def _vet(recovered: RecoveredState, now: Instant) -> None:
    """Ask the house, before anything is written, whether these two may have it go on from an older copy."""
    accepts = recovered.accept_history
    answer = None if accepts is None else decide(recovered.house, accepts, Context(now, SYSTEM))
    if accepts is not None and isinstance(answer, Refusal):
        refusal = with_people_who_may(recovered.house, accepts, answer, now)
        raise OverrideRefused(recovered.head.position + 1, refusal, accepts.lost)


def _recovering(recovered: RecoveredState, now: Instant) -> tuple[AnyCommand, ...]:
    """Say what the house asks of itself before anybody else: nothing where it was not founded yet."""
    if recovered.house.mode is None:
        return ()
    commands: list[AnyCommand] = [Recover()]
    closed = now - recovered.house.now
    if closed > CLOSED_MAX:
        words = f"The last entry is {closed // CLOSED_MAX} days old by this machine's clock: see that it is right."
        commands.append(RaiseAlarm(IncidentKind.CLOCK_JUMPED, "system", words))
    if recovered.accept_history is not None:
        commands.append(recovered.accept_history)
    if recovered.snapshot_rejected:
        words = f"Snapshot rejected ({recovered.snapshot_rejected}); state rebuilt from the journal."
        commands.append(RaiseAlarm(IncidentKind.SNAPSHOT_IGNORED, "system", words))
    return tuple(commands)


#: Makes the world for a house that was read back, and is told whether the disk has room. What it raises stops the
#: start before anything is written.
PortsFactory = Callable[[House, Callable[[], bool]], Ports]


def start(data: Path, safe: KeyStore, outbox: Outbox, older: RollbackOverride | None = None) -> Run:
    """Start the house by this machine's clock, with nobody at its doors."""
    return start_with_ports(data, safe, lambda house, room: Ports(SystemClock(house.now), outbox, has_room=room), older)


def start_with_ports(
    data: Path, safe: KeyStore, equip: PortsFactory, older: RollbackOverride | None = None, check: Check = no_check
) -> Run:
    """Start the house; JournalFault where its journal is not what was written, and then no entry was added to it."""
    opened = open_journal(data, safe, older, check)
    try:
        return opened.start(equip(opened.house, opened.has_room))
    except BaseException:
        opened.storage.close()
        raise


class OpenedJournal(NamedTuple):
    """A journal that was read and verified, before anything is written to it."""

    data: Path
    storage: Storage
    recovered: RecoveredState
    has_room: Callable[[], bool]

    @property
    def house(self) -> House:
        return self.recovered.house

    def start(self, ports: Ports) -> Run:
        """Begin a run: it takes the journal from the last writer."""
        run = Run(self.storage, self.recovered, ports)
        # A restore that was cut short when its journal was in place is complete with the first start on that.
        self.data.joinpath(RESTORING, SWAP_FILE).unlink(missing_ok=True)
        return run


def open_journal(
    data: Path, safe: KeyStore, older: RollbackOverride | None = None, check: Check = no_check
) -> OpenedJournal:
    """Open, verify and read a journal; JournalFault where it is not what was written."""
    # Before anything is opened: what it gives up on a full disk, the recovery can be written with.
    reserve = DiskReserve(data)
    storage = open_storage(data, safe)
    try:
        recovered = recover_state(storage, read_canonical, older, check)
        check()
    except BaseException:
        storage.close()
        raise
    return OpenedJournal(data, storage, recovered, reserve.has_room)
