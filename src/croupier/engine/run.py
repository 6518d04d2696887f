"""Start-up, recovered state, recovery, snapshots, stop."""

from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

from croupier.engine.follower import Follower, RecoveredState, load_snapshot
from croupier.engine.journal_reader import JournalReader, Scrubber
from croupier.engine.ports import BatchOutput, Outbox, Ports, Request, SystemClock
from croupier.engine.replay import gc_paused
from croupier.engine.sequencer import IdempotencyCache, Sequencer
from croupier.engine.storage import RESTORING, SWAP_FILE, Storage, open_storage
from croupier.house import AnyCommand, House, RulebookReader, decide
from croupier.house.floor.incidents import IncidentFacts, IncidentKind, RaiseAlarm
from croupier.house.ids import SECOND, SYSTEM, Context, Instant, PersonId
from croupier.house.rounds.recovery import AcceptHistory, Recover, with_people_who_may
from croupier.house.verification import books_digest
from croupier.journal.checkpoints import SnapshotError
from croupier.journal.disk import Breach, DiskReserve, NoRollback, OverrideRefused, RolledBack
from croupier.journal.keystore import AnchorRecord, KeyStore, check_anchor, check_fence
from croupier.journal.writer import Writer
from croupier.rulebooks.schema import read_canonical
from croupier.rules.refusal import Refusal

#: Called for every page of a recovery: what it raises stops the start before anything is written.
Check = Callable[[], None]


class RollbackOverride(NamedTuple):
    """Two people who continue from an older copy of the journal, and their reason."""

    people: tuple[PersonId, PersonId]
    words: str


def no_check() -> None:
    """Let a start continue."""


def recover_state(
    storage: Storage, reader: RulebookReader, older: RollbackOverride | None = None, check: Check = no_check
) -> RecoveredState:
    """Verify the journal and rebuild the state from it; JournalFault when it differs from what was written.

    From an older copy that is intact, two people may continue; whether these two may, the house decides. The check is
    called for every page.
    """
    lost = _lost(storage, older)
    check_fence(storage.store, storage.anchor.read(), storage.signer)
    with gc_paused():
        recovered = _recover(storage, reader, check)
    recovered.accept_history = None if older is None else AcceptHistory(lost, *older)
    return recovered


def _lost(storage: Storage, older: RollbackOverride | None) -> int:
    """Return how many entries an older copy lacks; RolledBack unless two people accept that."""
    try:
        check_anchor(storage.store, storage.anchor.read())
    except RolledBack as fault:
        if older is None or not fault.lost:
            raise
        return fault.lost
    last = storage.store.last()
    if older is not None and last is not None and storage.anchor.read().head.position < last.last:
        # The anchor is itself an older copy, and does not record what came after the journal's end.
        return 1
    if older is not None:
        raise NoRollback("nothing is lost: this is the journal that was last written, and it needs no override")
    return 0


def _recover(storage: Storage, reader: RulebookReader, check: Check) -> RecoveredState:
    try:
        return _replay(storage, _from_snapshot(storage, reader), check)
    except (SnapshotError, Breach) as error:
        # An entry that cannot be applied to a snapshot may well apply without it.
        return _replay(storage, _from_nothing(storage, reader, str(error)), check)


def _replay(storage: Storage, recovered: RecoveredState, check: Check) -> RecoveredState:
    """Verify the journal from the last checkpoint before the snapshot, and apply what came after the snapshot."""
    store, signer = storage.store, storage.signer
    reader = JournalReader.after_checkpoint(store, signer.verifier, recovered.head, signer)
    apply_pages(storage, recovered, reader, check)
    recovered.idempotency = recovered.idempotency.durable()
    return recovered


def apply_pages(storage: Storage, recovered: RecoveredState, reader: JournalReader, check: Check = no_check) -> None:
    """Read to the end of the journal, and apply the pages that the state does not have yet."""
    for verified_page in reader:
        check()
        recovered.apply(verified_page, storage.tickets)


def _from_nothing(storage: Storage, reader: RulebookReader, rejected: str = "") -> RecoveredState:
    """Begin with an empty house."""
    if storage.tickets is not None:
        storage.tickets.truncate(0)
    return RecoveredState(House.new(reader), IdempotencyCache(), snapshot_rejected=rejected)


def _from_snapshot(storage: Storage, reader: RulebookReader) -> RecoveredState:
    """Begin with the last snapshot; SnapshotError when it is not of this journal."""
    recovered = load_snapshot(storage.snapshots, storage.store, storage.signer.verifier, reader)
    if recovered is None:
        return _from_nothing(storage, reader)
    if storage.tickets is not None and not storage.tickets.truncate(recovered.house.tickets.retired_count):
        raise SnapshotError("the index of closed tickets is incomplete")
    return recovered


#: A start after a longer time raises an alarm: by a wrong clock, days and tickets would expire for good.
CLOSED_MAX: Final = 24 * 3600 * SECOND


class Run:
    """One run of the house: it has begun an epoch, and resolved every interrupted round."""

    def __init__(self, storage: Storage, recovered: RecoveredState, ports: Ports) -> None:
        self.storage, self.recovered, self.ports = storage, recovered, ports
        _check_override(recovered, ports.clock.now())
        checkpoints = next((each.statement().number for each in storage.store.checkpoints()), 0)
        self.writer = Writer(storage.store, AnchorRecord(recovered.head, checkpoints), storage.anchor, storage.signer)
        self.sequencer = Sequencer(recovered.house, self.writer, recovered.idempotency, ports, storage.tickets)
        #: The last entry in a snapshot, and the last at which the digest of the books was signed.
        self.snapshot_position = self.books_signed_to = recovered.head.position - recovered.replayed
        self.scrubber = Scrubber(storage.store, storage.signer.verifier)
        #: The entries and responses of the recovery.
        self.recovery = self.sequencer.run_commands(*_recovering(recovered, ports.clock.now()))
        if self.recovery.entries:
            self.writer.sign(ports.clock.now())

    @property
    def house(self) -> House:
        return self.sequencer.house

    @property
    def epoch(self) -> int:
        return self.writer.epoch

    def submit(self, request: Request) -> Refusal | None:
        return self.sequencer.submit(request)

    def due(self) -> Instant | None:
        return self.sequencer.due()

    def step(self) -> BatchOutput:
        """Run one batch, and sign a checkpoint for a snapshot when one is due."""
        output = self.sequencer.step()
        if self.is_checkpoint_due():
            self.sign_books()
        return output

    def is_checkpoint_due(self) -> bool:
        """Return whether so many entries were committed that a snapshot should be made."""
        unproven = self.writer.head.position - self.books_signed_to
        return unproven >= self.ports.snapshot_every and self.ports.has_room()

    def sign_books(self, digest: str = "") -> None:
        """Sign a checkpoint with the digest of the books: the process that follows the journal makes a snapshot there.

        No batch may begin between the digest and its checkpoint.
        """
        self.writer.sign(self.ports.clock.now(), digest or self.digest_books())

    def digest_books(self) -> str:
        """Digest the books between two batches."""
        assert self.sequencer.consistent
        self.books_signed_to = self.writer.head.position
        return books_digest(self.house)

    def scrub(self) -> bool:
        """Verify some more of the journal while the house is idle; return whether all of it was verified today."""
        return self.scrubber.scrub(self.house.day, self.ports.clock.now)

    def take_snapshot(self) -> None:
        """Write a snapshot in this process, which serves nothing: without one a start only takes longer."""
        if self.books_signed_to < self.writer.head.position:
            self.sign_books()
        storage = self.storage
        verifier, reader = storage.signer.verifier, self.house.read_rulebook
        try:
            with gc_paused():
                follower = Follower.of_journal(storage.store, storage.snapshots, verifier, reader)
                follower.follow(storage.signer.sign_snapshot)
        except SnapshotError as error:
            facts = IncidentFacts(str(error))
            self.sequencer.run_commands(RaiseAlarm(IncidentKind.SNAPSHOT_FAILED, "system", facts))
        else:
            self.snapshot_position = follower.saved

    def stop(self, *, snapshot: bool = True) -> None:
        """End the run: queued commands are dropped without a response."""
        try:
            if snapshot and self.writer.head.position > 0:
                self.take_snapshot()
        finally:
            self.storage.close()


def _check_override(recovered: RecoveredState, now: Instant) -> None:
    """Let the house decide, before anything is written, whether these two people may continue from an older copy."""
    command = recovered.accept_history
    decision = None if command is None else decide(recovered.house, command, Context(now, SYSTEM))
    if command is not None and isinstance(decision, Refusal):
        refusal = with_people_who_may(recovered.house, command, decision, now)
        raise OverrideRefused(recovered.head.position + 1, refusal, command.lost)


def _recovering(recovered: RecoveredState, now: Instant) -> tuple[AnyCommand, ...]:
    """Return the house's own commands at a start: none before it is provisioned."""
    if recovered.house.setup.mode is None:
        return ()
    commands: list[AnyCommand] = [Recover()]
    closed = now - recovered.house.now
    if closed > CLOSED_MAX:
        commands.append(RaiseAlarm(IncidentKind.CLOCK_JUMPED, "system", IncidentFacts(seconds=closed // SECOND)))
    if recovered.accept_history is not None:
        commands.append(recovered.accept_history)
    if recovered.snapshot_rejected:
        facts = IncidentFacts(recovered.snapshot_rejected)
        commands.append(RaiseAlarm(IncidentKind.SNAPSHOT_IGNORED, "system", facts))
    return tuple(commands)


#: Makes the ports for a recovered house, from the check for disk space. What it raises stops the start before anything
#: is written.
PortsFactory = Callable[[House, Callable[[], bool]], Ports]


def start(data: Path, key_store: KeyStore, outbox: Outbox, older: RollbackOverride | None = None) -> Run:
    """Start the house with this machine's clock, without a server."""
    return start_with_ports(
        data, key_store, lambda house, room: Ports(SystemClock(house.now), outbox, has_room=room), older
    )


def start_with_ports(
    data: Path, key_store: KeyStore, equip: PortsFactory, older: RollbackOverride | None = None, check: Check = no_check
) -> Run:
    """Start the house; JournalFault, with nothing added to the journal, when it differs from what was written."""
    opened = open_journal(data, key_store, older, check)
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
        # The first start on a restored journal completes a restore that was interrupted.
        self.data.joinpath(RESTORING, SWAP_FILE).unlink(missing_ok=True)
        return run


def open_journal(
    data: Path, key_store: KeyStore, older: RollbackOverride | None = None, check: Check = no_check
) -> OpenedJournal:
    """Open, verify and read a journal; JournalFault when it differs from what was written."""
    # Before anything is opened: on a full disk the released space serves to write the recovery.
    reserve = DiskReserve(data)
    storage = open_storage(data, key_store)
    try:
        recovered = recover_state(storage, read_canonical, older, check)
        check()
    except BaseException:
        storage.close()
        raise
    return OpenedJournal(data, storage, recovered, reserve.has_room)
