"""A run: from one start of the system to its stop, with recovery first and a snapshot now and then."""

from typing import Final, NamedTuple

from croupier.engine.archive import Archive
from croupier.engine.asked import Asked, Batch
from croupier.engine.handover import Handover
from croupier.engine.port import Ports
from croupier.engine.replay import uncollected
from croupier.engine.sequencer import Sequencer
from croupier.engine.state import StateCopy, StateError, schema
from croupier.house.command.any import AnyCommand
from croupier.house.command.record import IncidentKind, RaiseAlarm
from croupier.house.command.round import Recover
from croupier.house.decide import decide
from croupier.house.history import with_those_who_may
from croupier.house.name import SECOND, Instant
from croupier.house.stamp import SYSTEM, Stamp
from croupier.house.state import House
from croupier.journal.anchor import Anchored
from croupier.journal.fault import WordRefused
from croupier.journal.page import Mark
from croupier.journal.patrol import Patrol
from croupier.journal.snapshot import Snapshot, SnapshotError, seal
from croupier.journal.writer import Writer
from croupier.rules.refusal import Refusal

#: A start carries out at most so many entries, and those of one batch.
SNAPSHOT_EVERY: Final = 50_000
#: A house that was closed for longer than this, by the clock, is told so: days and tickets lapse by it for good.
CLOSED_MOST: Final = 24 * 3600 * SECOND
#: How many entries are proven between two turns: some milliseconds' work, besides a page that is longer.
ENTRIES_PER_WALK: Final = 500


class Run:
    """One run: it has taken the journal from whoever wrote before, and decided every round that was running."""

    def __init__(self, archive: Archive, handover: Handover, ports: Ports) -> None:
        self.archive, self.handover, self.ports = archive, handover, ports
        _vet(handover, ports.clock.now())
        checkpoints = next((each.statement().number for each in archive.store.checkpoints()), 0)
        self.writer = Writer(archive.store, Anchored(handover.mark, checkpoints), archive.anchor, archive.signer)
        self.sequencer = Sequencer(handover.house, self.writer, handover.keys, ports, archive.tickets)
        self.snapshot_at = handover.mark.position - handover.replayed
        self.patrol = Patrol(archive.store, archive.signer.verifier)
        #: What the recovery gave: its entries.
        self.recovery = self.sequencer.begin(*_recovering(handover, ports.clock.now()))
        if self.recovery.entries:
            self.writer.sign(ports.clock.now())

    @property
    def house(self) -> House:
        return self.sequencer.house

    @property
    def epoch(self) -> int:
        return self.writer.epoch

    def submit(self, asked: Asked) -> Refusal | None:
        return self.sequencer.submit(asked)

    def due(self) -> Instant | None:
        return self.sequencer.due()

    def step(self) -> Batch:
        """Do what is due and take what waits; and once in a while keep what a quick start needs."""
        batch = self.sequencer.step()
        if self.unsaved >= SNAPSHOT_EVERY and self.ports.has_room():
            self.take_snapshot()
        return batch

    @property
    def unsaved(self) -> int:
        """How many entries a start would have to carry out that no snapshot has."""
        return self.writer.mark.position - self.snapshot_at

    def idle(self) -> bool:
        """Use a moment between two turns to prove some more of the journal; tell whether all was proven today."""
        return self.patrol.walk(self.house.day, ENTRIES_PER_WALK)

    def take_snapshot(self) -> None:
        """Sign the journal, and write a snapshot of the state that it gives; without one a start only takes longer."""
        draft = self.draft_snapshot()
        self.sign()
        failed = draft.write()
        if failed is not None:
            self.sequencer.begin(failed)

    def sign(self) -> None:
        """Sign the journal as far as it goes, so that a start need not prove what a snapshot gives."""
        self.writer.sign(self.ports.clock.now())

    def draft_snapshot(self) -> "SnapshotDraft":
        """Copy the state between two turns: what remains to be done for a snapshot is done on any thread."""
        assert self.sequencer.whole
        self.snapshot_at = self.writer.mark.position
        with uncollected():
            state = StateCopy(self.house, self.sequencer.keys, self.writer.mark.position)
        return SnapshotDraft(state, self.writer.mark, self.archive)

    def stop(self) -> None:
        """End the run in good order: what waits unanswered was never taken."""
        try:
            if self.writer.mark.position > 0:
                self.take_snapshot()
        finally:
            self.archive.close()


class SnapshotDraft(NamedTuple):
    """A copy of the state, to be encoded, signed and saved as a snapshot."""

    state: StateCopy
    mark: Mark
    archive: Archive

    def write(self) -> RaiseAlarm | None:
        """Write the snapshot; where that cannot be done, give what the house is to tell its staff."""
        try:
            snapshot = Snapshot(schema(), self.mark, self.state.encode())
            self.archive.snapshots.save(seal(snapshot, self.archive.signer))
        except (SnapshotError, StateError) as error:
            return RaiseAlarm(IncidentKind.SNAPSHOT_FAILED, "system", f"No snapshot could be written: {error}.")
        return None


def _vet(handover: Handover, now: Instant) -> None:
    """Ask the house, before anything is written, whether these two may have it go on from an older copy."""
    accepts = handover.accepts
    answer = None if accepts is None else decide(handover.house, accepts, Stamp(now, SYSTEM))
    if accepts is not None and isinstance(answer, Refusal):
        refusal = with_those_who_may(handover.house, accepts, answer, now)
        raise WordRefused(handover.mark.position + 1, refusal, accepts.lost)


def _recovering(handover: Handover, now: Instant) -> tuple[AnyCommand, ...]:
    """Say what the house asks of itself before anybody else: nothing where it was not founded yet."""
    if handover.house.mode is None:
        return ()
    commands: list[AnyCommand] = [Recover()]
    closed = now - handover.house.now
    if closed > CLOSED_MOST:
        words = f"The last entry is {closed // CLOSED_MOST} days old by this machine's clock: see that it is right."
        commands.append(RaiseAlarm(IncidentKind.CLOCK_JUMPED, "system", words))
    if handover.accepts is not None:
        commands.append(handover.accepts)
    if handover.ignored:
        words = f"Snapshot rejected ({handover.ignored}); state rebuilt from the journal."
        commands.append(RaiseAlarm(IncidentKind.SNAPSHOT_IGNORED, "system", words))
    return tuple(commands)
