"""Power loss: a shift cut short at any moment, with any part of what was not synced yet, and what is there then."""

from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from itertools import islice
from random import Random
from typing import Final

from croupier.engine.audit import audit
from croupier.engine.ports import Accepted, Ports, Response
from croupier.engine.run import Run
from croupier.engine.storage import Storage
from croupier.house.verification import state_digest
from croupier.journal.checkpoints import MemorySnapshots
from croupier.journal.disk import JournalFault
from croupier.journal.entry import Page
from croupier.journal.keystore import AnchorRecord, MemoryAnchor
from croupier.journal.stores import Store
from croupier.journal.stores.sqlite import SqliteStore
from croupier.rulebooks.schema import read_canonical
from croupier.rules.refusal import Code, Refusal
from tests.support.disk import SECTOR, Disk, Files, Kind, Op, apply
from tests.support.disk_shift import JOURNAL, SIGNER, Reported, Trace, entries_of
from tests.support.engine_driver import HandClock, NullOutbox, start

#: A directory is changed in order, and what a sync finds changed in it is kept with it.
_DIRECTORY: Final = (Kind.CREATE, Kind.DELETE)
#: How many of the last answers are asked for again.
REQUESTED_AGAIN: Final = 3


class Loss(StrEnum):
    """What is left of what was written and not synced."""

    NOTHING_LEFT = "nothing_left"
    ALL_LEFT = "all_left"
    SOME_WRITES = "some_writes"
    #: Writes are torn, and arrive in any order.
    SOME_SECTORS = "some_sectors"


def image(ops: Sequence[Op], cut: int, loss: Loss, chance: Random) -> Files:
    """Build what a disk holds when the power goes after so many operations."""
    files: Files = {}
    pending: list[Op] = []
    for op in islice(ops, cut):
        if op.kind is Kind.SYNC:
            pending = _synced(files, pending, op.file)
        elif op.kind is Kind.SPOILT:
            pending = [each for each in pending if each.file != op.file or each.kind in _DIRECTORY]
        else:
            pending.append(op)
    for op in _left(pending, loss, chance):
        apply(files, op)
    return files


def _synced(files: Files, pending: list[Op], file: str) -> list[Op]:
    """Make durable what a sync covers, and give what it leaves."""
    left: list[Op] = []
    for op in pending:
        if op.file == file or op.kind in _DIRECTORY:
            apply(files, op)
            if op.kind is Kind.DELETE:
                left = [each for each in left if each.file != op.file]
        else:
            left.append(op)
    return left


def _left(pending: list[Op], loss: Loss, chance: Random) -> Iterator[Op]:
    if loss is Loss.NOTHING_LEFT:
        return
    if loss is Loss.ALL_LEFT:
        yield from pending
        return
    changes = sum(op.kind in _DIRECTORY for op in pending)
    listed = chance.randint(0, changes)
    for op in pending:
        if op.kind in _DIRECTORY:
            if listed > 0:
                yield op
            listed -= 1
        elif loss is Loss.SOME_SECTORS and op.kind is Kind.WRITE:
            yield from (piece for piece in sectors(op) if chance.random() < 1 / 2)
        elif chance.random() < 1 / 2:
            yield op


def sectors(op: Op) -> Iterator[Op]:
    """Cut a write where the disk's sectors end."""
    at, end = op.offset, op.offset + len(op.data)
    while at < end:
        until = min(end, (at // SECTOR + 1) * SECTOR)
        yield op._replace(offset=at, data=op.data[at - op.offset : until - op.offset])
        at = until


def wrong(trace: Trace, cut: int, loss: Loss, chance: Random) -> str | None:
    """Cut a shift short, start again on what is left, and say what is wrong then; None where nothing is."""
    disk = Disk(image(trace.disk.ops, cut, loss, chance))
    try:
        store = SqliteStore(JOURNAL, vfs=disk.name)
        reported = acknowledged(trace, cut)
        complaint = missing(store, reported) or _overtaken(trace, reported) or _torn(store, trace)
        complaint = complaint or _after(trace, cut, store, chance)
        store.close()
    except JournalFault as fault:
        return f"no start was possible: {fault}"
    return complaint


def acknowledged(trace: Trace, cut: int) -> list[Reported]:
    """Find what had been told when the power went; what was told at that very moment counts."""
    return [reported for reported in trace.reported if reported.moment <= cut]


def missing(store: Store, reported: Iterable[Reported]) -> str | None:
    """Compare everything that was acknowledged with what is durable."""
    kept = list(entries_of(store.pages()))
    for each in reported:
        for entry in each.batch.entries:
            if kept[entry.position - 1 : entry.position] != [entry]:
                return f"entry {entry.position} had been acknowledged, and is not there as it was"
    return None


def _overtaken(trace: Trace, reported: list[Reported]) -> str | None:
    """Find what was told by a writer after another had taken the journal."""
    for begun, epoch in trace.epochs:
        for moment, batch in reported:
            if moment > begun and any(entry.epoch < epoch for entry in batch.entries):
                return f"entry {batch.entries[0].position} was told after epoch {epoch} had begun"
    return None


def _torn(store: Store, trace: Trace) -> str | None:
    pages = list(store.pages())
    if pages != trace.pages[: len(pages)]:
        return "a batch is there in part, or another one"
    checkpoints = [*store.checkpoints()][::-1]
    return None if checkpoints == trace.checkpoints[: len(checkpoints)] else "a checkpoint is not as it was signed"


def _after(trace: Trace, cut: int, store: Store, chance: Random) -> str | None:
    """Start again, ask again, and audit."""
    anchor = MemoryAnchor()
    anchor.write(_anchored(trace, cut, chance))
    slot = MemorySnapshots()
    slot.saved = next((kept for moment, kept in reversed(trace.snapshots) if moment <= cut), None)
    storage = Storage(store, anchor, slot, SIGNER)
    last = store.last()
    run = start(storage, Ports(HandClock(trace.ended_at), NullOutbox()))
    if run.epoch <= max((epoch for moment, epoch in trace.epochs if moment <= cut), default=0):
        return f"epoch {run.epoch} begins twice"
    complaint = next(_broken_words(run, trace, cut, last), None)
    findings = audit(store, SIGNER.verifier, read_canonical, anchor.read())
    return complaint or (None if findings.state == state_digest(run.house) else "the state does not follow")


def _anchored(trace: Trace, cut: int, chance: Random) -> AnchorRecord:
    """Choose what the anchor may hold: anything from what was last made durable to what was last noted."""
    noted = [each for each in trace.anchored if each.moment <= cut]
    durable = max((at for at, each in enumerate(noted) if each.synced and each.moment < cut), default=0)
    return chance.choice(noted[durable:]).anchored if noted else AnchorRecord()


def _broken_words(run: Run, trace: Trace, cut: int, last: Page | None) -> Iterator[str]:
    """Ask again, by its key, what was answered last and what was under way."""
    reported = acknowledged(trace, cut)
    answers = [answer for each in reported for answer in each.batch.responses]
    under_way = [answer for each in trace.reported[len(reported) :][:1] for answer in each.batch.responses]
    ended = last.last if last else 0
    for answer in (*answers[-REQUESTED_AGAIN:], *under_way):
        assert run.submit(answer.request) is None
        again = run.step().responses[-1]
        if not _true(answer, again, ended):
            yield f"{answer.request} was answered {answer.outcome}, and then {again.outcome}"


def _true(before: Response, again: Response, ended: int) -> bool:
    """What was kept is said again; of anything else, that it was not done."""
    if isinstance(before.outcome, Accepted) and before.outcome.last <= ended:
        return again == before
    return isinstance(again.outcome, Refusal) and again.outcome.code is Code.KEY_STALE
