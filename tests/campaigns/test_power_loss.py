"""Power loss: whatever a disk makes of unsynced writes, what was told is there, and what was not is whole or absent."""

from collections.abc import Iterator
from functools import cache
from itertools import count, islice, product, takewhile
from random import Random
from typing import NamedTuple

import apsw
import pytest

from croupier.engine.ports import Batch, BatchOutput
from croupier.engine.run import Run
from croupier.engine.sequencer import Sequencer
from croupier.house.settings import TableSettings
from croupier.journal.disk import Fenced, JournalFault
from croupier.journal.keystore import AnchorRecord
from croupier.journal.stores.sqlite import SqliteStore
from croupier.journal.writer import Writer
from tests.support.campaign import many
from tests.support.disk import Disk, Kind, Op, apply, no_trouble
from tests.support.disk_shift import JOURNAL, SIGNER, DiskShift, Trace
from tests.support.powerloss import Loss, image, sectors, wrong

WAL = f"{JOURNAL}-wal"


class Brisk(SqliteStore):
    """A store that empties its write-ahead log after a few pages, so that a shift sees it begun anew."""

    WAL_PAGES = 12


def a_shift(store: type[SqliteStore] = Brisk, run: type[Run] = Run) -> Trace:
    """Three runs: one that ends in good order, one killed with a round open, and one that goes on from there."""
    shift = DiskShift(Disk(), store, run)
    shift.begin()
    shift.found()
    shift.round()
    shift.run.stop()
    shift.begin()
    shift.open()
    shift.crash()
    shift.begin()
    shift.round("0")
    shift.run.take_snapshot()
    shift.open()
    shift.close_bets()
    return shift.trace()


class Cut(NamedTuple):
    """Where a shift is cut short, and what is then left."""

    at: int
    loss: Loss
    seed: int


def cuts(ops: int) -> Iterator[Cut]:
    """Cut everywhere, with every kind of loss; and then anywhere, for as long as anybody asks."""
    everywhere = product(range(ops + 1), Loss)
    yield from (Cut(at, loss, seed) for seed, (at, loss) in enumerate(everywhere))
    for seed in count(4 * (ops + 1)):
        chance = _chance(seed)
        yield Cut(chance.randint(0, ops), chance.choice([*Loss]), seed)


def _chance(seed: int) -> Random:
    return Random(seed)  # noqa: S311 - chance that can be had again


def complaints(trace: Trace, cut_at: Iterator[Cut]) -> Iterator[tuple[Cut, str]]:
    """Cut a shift short in many ways, and say which of them leave something wrong, and what."""
    for cut in cut_at:
        complaint = wrong(trace, cut.at, cut.loss, _chance(cut.seed))
        if complaint is not None:
            yield cut, complaint


@cache
def usual() -> Trace:
    return a_shift()


def test_shift_sees_all_that_a_disk_sees() -> None:
    """The shift that is cut short has three epochs, snapshots, and a write-ahead log begun anew while a run is on."""
    trace = usual()
    begun = [op for op in trace.disk.ops if (op.kind, op.file, op.offset) == (Kind.WRITE, WAL, 0)]
    created = [op for op in trace.disk.ops if (op.kind, op.file) == (Kind.CREATE, WAL)]

    assert [epoch for _, epoch in trace.epochs] == [1, 2, 3]
    assert len(trace.snapshots) == 2
    assert len(begun) > len(created) + 1
    assert {op.kind for op in trace.disk.ops} == {*Kind} - {Kind.SPOILT}


@pytest.mark.campaign
def test_power_loss_loses_nothing_that_was_acknowledged() -> None:
    """Wherever the power goes, whatever is left: what was told is there, the rest whole or absent, and play goes on."""
    trace = usual()
    images = islice(cuts(len(trace.disk.ops)), many(day=500, night=100_000))

    assert list(complaints(trace, images)) == []


class Lax(Brisk):
    """A store that does not sync at every commit."""

    SYNCHRONOUS = "NORMAL"


def test_store_that_does_not_sync_is_detected() -> None:
    """The same cuts find that a store which leaves syncing for later loses what was told."""
    trace = a_shift(Lax)
    found = next(complaints(trace, cuts(len(trace.disk.ops))))

    assert "had been acknowledged" in found[1]


class NotifiesFirst(Sequencer):
    """A sequencer that tells before it keeps."""

    def _commit(self, turn: Batch) -> BatchOutput:
        batch = self.publish(turn)
        self.commit(turn)
        return batch


class HastyRun(Run):
    """A run that tells before it keeps."""

    def __init__(self, *args: object) -> None:
        super().__init__(*args)  # type: ignore[arg-type] # what a run takes
        self.sequencer = NotifiesFirst(self.house, self.writer, self.sequencer.idempotency, self.ports)


def test_run_that_acknowledges_before_commit_is_detected() -> None:
    """The same cuts find that a run which tells before it keeps has told what is not there."""
    trace = a_shift(run=HastyRun)
    found = next(complaints(trace, cuts(len(trace.disk.ops))))

    assert "had been acknowledged" in found[1]


class Careless(Brisk):
    """A store that looks at no fence when it writes."""

    def _set_up(self, *, writing: bool) -> None:
        super()._set_up(writing=writing)
        self._connection.config(apsw.SQLITE_DBCONFIG_ENABLE_TRIGGER, 0)


def overtaken(store: type[SqliteStore]) -> DiskShift:
    """A shift whose writer was held up just as another took the journal, and now goes on."""
    shift = DiskShift(Disk(), store)
    shift.begin()
    shift.found()
    shift.open()
    page = shift.store.last()
    assert page is not None
    other = Writer(shift.store, AnchorRecord(page.journal_head, 0), shift, SIGNER)
    shift.epochs.append((shift.moment, other.epoch))
    return shift


def test_writer_that_was_overtaken_is_shut_out() -> None:
    """A writer that another has overtaken keeps nothing and tells nothing, though it never learnt of it."""
    shift = overtaken(Brisk)
    reported, pages = len(shift.reported), len(list(shift.store.pages()))

    with pytest.raises(Fenced):
        shift.close_bets()
    assert (len(shift.reported), len(list(shift.store.pages()))) == (reported, pages)


def test_store_that_ignores_the_fence_is_detected() -> None:
    """The same check finds that a store without a fence has let a writer tell that was overtaken."""
    shift = overtaken(Careless)
    shift.close_bets()
    trace = shift.trace()
    found = wrong(trace, len(trace.disk.ops), Loss.NOTHING_LEFT, _chance(0))

    assert found is not None
    assert "was told after epoch 2 had begun" in found


def _played_on(number: int) -> tuple[Trace, int] | None:
    """Play until the n-th sync fails, start again, and play on from that moment; None where there are fewer."""
    shift = DiskShift(Disk())
    shift.begin()
    # An interrupted round is void at once, so that the next can be played.
    shift.found(TableSettings(attest_s=0))
    syncs = count(1)
    shift.disk.trouble = lambda op: apsw.IOError() if op.kind is Kind.SYNC and next(syncs) == number else None
    try:
        shift.round()
    except JournalFault:
        shift.crash()
        shift.begin()
        begun = shift.moment
        shift.again(shift.requested[-1])
        shift.round()
        return shift.trace(), begun
    shift.disk.trouble = no_trouble
    return None


@pytest.mark.untraced
def test_power_loss_after_a_sync_that_failed_takes_nothing() -> None:
    """A start after a failed sync trusts nothing that only memory holds: what is told then outlasts the power."""
    failed = list(takewhile(lambda played: played is not None, map(_played_on, count(1))))

    assert len(failed) == 6
    for trace, begun in filter(None, failed):
        images = (Cut(at, Loss.NOTHING_LEFT, at) for at in range(begun, len(trace.disk.ops) + 1))
        assert list(complaints(trace, images)) == []


WRITTEN = Op(Kind.WRITE, "file", 500, b"x" * 1_000)


def test_write_is_cut_at_sectors() -> None:
    """A torn write is cut where sectors end, and its pieces together are the write."""
    pieces = list(sectors(WRITTEN))

    assert [(each.offset, len(each.data)) for each in pieces] == [(500, 12), (512, 512), (1024, 476)]
    assert b"".join(each.data for each in pieces) == WRITTEN.data


@pytest.mark.parametrize(
    ("ops", "loss", "left"),
    [
        ([], Loss.NOTHING_LEFT, {}),
        ([WRITTEN], Loss.NOTHING_LEFT, {}),
        ([WRITTEN], Loss.ALL_LEFT, {"file": 1_500}),
        ([WRITTEN, Op(Kind.SYNC, "file")], Loss.NOTHING_LEFT, {"file": 1_500}),
        ([WRITTEN, Op(Kind.SYNC, "other")], Loss.NOTHING_LEFT, {"file": 0}),
        ([WRITTEN, Op(Kind.SPOILT, "file"), Op(Kind.SYNC, "file")], Loss.ALL_LEFT, {"file": 0}),
        ([WRITTEN, Op(Kind.SYNC, "file"), Op(Kind.TRUNCATE, "file", 9)], Loss.NOTHING_LEFT, {"file": 1_500}),
        ([WRITTEN, Op(Kind.SYNC, "file"), Op(Kind.TRUNCATE, "file", 9)], Loss.ALL_LEFT, {"file": 9}),
        ([WRITTEN, Op(Kind.SYNC, "file"), Op(Kind.DELETE, "file")], Loss.NOTHING_LEFT, {"file": 1_500}),
        ([WRITTEN, Op(Kind.SYNC, "file"), Op(Kind.DELETE, "file")], Loss.ALL_LEFT, {}),
        ([WRITTEN, Op(Kind.DELETE, "file"), Op(Kind.SYNC, "other")], Loss.ALL_LEFT, {}),
    ],
)
def test_image_holds_what_a_disk_would(ops: list[Op], loss: Loss, left: dict[str, int]) -> None:
    """What was synced is there; what was not is there as the loss has it; a sync keeps the directory with it."""
    ops = [Op(Kind.CREATE, "file"), *ops]
    files = image(ops, len(ops), loss, _chance(0))

    assert {name: len(content) for name, content in files.items()} == left


def test_image_of_everything_is_the_disk() -> None:
    """With nothing lost, the image is the disk as the process saw it."""
    trace = usual()
    files: dict[str, bytearray] = {}
    for op in trace.disk.ops:
        apply(files, op)

    assert image(trace.disk.ops, len(trace.disk.ops), Loss.ALL_LEFT, _chance(0)) == files == trace.disk.files
