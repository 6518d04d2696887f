"""Restores: a backup put in the place of a journal that is lost, and the house started on it to see that it can be."""

from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from croupier.engine.archive import JOURNAL, SNAPSHOT, Archive, Exchange
from croupier.engine.clock import SystemClock
from croupier.engine.handover import Override, read_back
from croupier.engine.port import Nobody, Ports
from croupier.engine.run import Run
from croupier.engine.start import start
from croupier.house.name import Instant
from croupier.journal.anchor import Anchored, MemoryAnchor, check_anchor, newest_of
from croupier.journal.fault import InUse, JournalFault, RolledBack, WordRefused
from croupier.journal.safe import Safe
from croupier.journal.signature import Signer, Verifier
from croupier.journal.snapshot import SnapshotFile
from croupier.journal.sqlite import SqliteStore
from croupier.rulebooks.canonical import read_canonical
from croupier.rules.refusal import Code, Refusal
from croupier.upkeep.copy import prove
from croupier.upkeep.exchange import begin_exchange, journal_files, move, put_back, staged, take_back
from croupier.upkeep.fault import Spoilt, UpkeepFault
from croupier.upkeep.manifest import MANIFEST, Manifest, hold, read_manifest
from croupier.upkeep.shelf import Standing, stamped, standing


class Order(NamedTuple):
    """What is to be restored, and where."""

    #: A backup, or a shelf of them: then the last.
    backup: Path
    data: Path
    safe: Safe
    #: Whether a journal that is there may be moved aside.
    replace: bool = False
    #: Two people on whose word entries may be lost.
    older: Override | None = None


class Restored(NamedTuple):
    """A backup that the house was started on, and stopped again."""

    backup: Standing
    run: Run
    #: Where the journal is now that was there before.
    aside: Path | None
    #: How far the journal had come by the safe.
    anchored: Anchored
    #: What was done about a restore before this one that was cut short.
    taken_back: str = ""


def restore(order: Order, now: Instant) -> Restored | Refusal:
    """Put a backup in its place and start the house on it; refused or raised, all is as it was before.

    A restore that was cut short is taken back first.
    """
    order.safe.lock(order.data).close()
    taken_back = take_back(order.data)
    backup = proven_backup(order.backup, order.safe.signer())
    anchored = newest_of(order.safe.anchored())
    # An anchor from before the backup cannot say what came after it: something is taken to be lost.
    unknown = anchored.mark.position < backup.manifest.position
    objection = _objection(order, backup.manifest, _lost(backup, anchored) or int(unknown))
    if objection is not None:
        return objection
    _must_be_free(order.data)
    aside = _unused(order.data, f"replaced-{stamped(now)}") if journal_files(order.data) else None
    with staged(backup.path, backup.manifest, order.data) as folder:
        try:
            return Restored(backup, _exchanged(order, folder, aside, backup), aside, anchored, taken_back)
        except WordRefused as fault:
            return fault.refusal


def _unused(folder: Path, name: str) -> Path:
    """Name a folder that is not there yet: what was moved aside is never overwritten."""
    names = (name, *(f"{name}-{number}" for number in range(2, 100)))
    return next(path for path in map(folder.joinpath, names) if not path.exists())


def drill(order: Order) -> Restored:
    """Start the house on a copy of a backup, which is taken away again; nothing in the data or the safe is changed."""
    signer, anchored = order.safe.signer(), newest_of(order.safe.anchored())
    backup = proven_backup(order.backup, signer)
    made_for_it = not order.data.exists()
    with staged(backup.path, backup.manifest, order.data) as folder:
        run = _tried(folder, signer)
    if made_for_it:
        order.data.rmdir()
    return Restored(backup, run, None, anchored)


def proven_backup(path: Path, signer: Signer) -> Standing:
    """Prove a backup, or the last on a shelf, to its last entry; Spoilt or Damaged where it is not what was made."""
    backup = _chosen(path, signer.verifier)
    hold(*backup)
    if prove(backup.path / JOURNAL, signer) != backup.manifest.mark:
        raise Spoilt(f"the journal in {backup.path} does not end where its manifest says")
    return backup


def _chosen(path: Path, verifier: Verifier) -> Standing:
    if path.joinpath(MANIFEST).exists():
        return Standing(path, read_manifest(path, verifier))
    backups = standing(path, verifier)
    if not backups:
        raise UpkeepFault(f"there is no backup of this venue in {path}")
    return backups[-1]


def _lost(backup: Standing, anchored: Anchored) -> int:
    """Tell how many entries the safe knows of that came after a backup; RolledBack where it is of another journal."""
    with closing(SqliteStore(backup.path / JOURNAL, writing=False)) as store:
        try:
            check_anchor(store, anchored)
        except RolledBack as fault:
            if not fault.lost:
                raise
            return fault.lost
    return 0


def _objection(order: Order, manifest: Manifest, lost: int) -> Refusal | None:
    if journal_files(order.data) and not order.replace:
        says = f"There is a journal in {order.data} already: --replace moves it aside."
        return Refusal(Code.ALREADY_THERE, None, says, {"file": str(order.data)})
    if lost and order.older is None:
        says = (
            f"This backup ends with entry {manifest.position}, and the safe knows of {lost} or more after it. "
            "Two who manage the house may let them be lost: --by PERSON --by PERSON --because WORDS."
        )
        return Refusal(Code.NOT_AUTHORISED, None, says, {"position": manifest.position, "lost": lost})
    if order.older is not None and not lost:
        says = "Nothing is lost with this backup, and it needs nobody's word."
        return Refusal(Code.ALREADY_THERE, None, says, {"position": manifest.position})
    return None


def _must_be_free(data: Path) -> None:
    """Leave a journal to the system that runs on it: InUse."""
    try:
        SqliteStore(data / JOURNAL, writing=False).close()
    except JournalFault as fault:
        # What cannot be read is there to be replaced.
        if isinstance(fault, InUse):
            raise


def _exchanged(order: Order, folder: Path, aside: Path | None, backup: Standing) -> Run:
    """Exchange the journals and start on the one that was staged; where nothing came of it, exchange them back."""
    exchange = Exchange(str(backup.path.absolute()), None if aside is None else aside.name)
    begin_exchange(order.data, exchange)
    before = order.safe.anchored()
    try:
        if aside is not None:
            move(order.data, aside)
        move(folder, order.data)
        run = start(order.data, order.safe, Nobody(), order.older)
    except BaseException:
        # Once the safe knows of an entry that the start wrote, the other journal is the older one.
        if order.safe.anchored() == before:
            put_back(order.data, exchange)
        raise
    run.stop()
    return run


def _tried(folder: Path, signer: Signer) -> Run:
    """Start on a journal with an anchor that is forgotten after, as if it had been the last one written."""
    store, anchor = SqliteStore(folder / JOURNAL), MemoryAnchor()
    last = store.last()
    if last is not None:
        anchor.write(Anchored(last.mark, sum(1 for _ in store.checkpoints())))
    archive = Archive(store, anchor, SnapshotFile(folder / SNAPSHOT), signer)
    with closing(archive):
        handover = read_back(archive, read_canonical)
        run = Run(archive, handover, Ports(SystemClock(handover.house.now), Nobody()))
        run.stop()
    return run
