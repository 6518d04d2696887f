"""Restore, journal swap, and migration between SQLite and PostgreSQL."""

import shutil
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final, NamedTuple

import msgspec
from msgspec.structs import replace

from croupier.engine.journal_reader import JournalReader
from croupier.engine.places import (
    JOURNAL,
    PLACE_FILE,
    JournalPlace,
    open_owned,
    open_place,
    open_store,
    place_of,
    record_place,
)
from croupier.engine.ports import NullOutbox, Ports, SystemClock
from croupier.engine.run import RollbackOverride, Run, recover_state, start
from croupier.engine.storage import RESTORING, SNAPSHOT, SWAP_FILE, JournalSwap, Storage, unfinished_swap
from croupier.house.ids import Instant
from croupier.journal.checkpoints import Signer, SnapshotFile, Verifier
from croupier.journal.disk import (
    JournalCorrupt,
    JournalFault,
    OverrideRefused,
    RolledBack,
    StoreLocked,
    sync_directory,
    write_atomic,
)
from croupier.journal.entry import Fence, JournalHead
from croupier.journal.keystore import (
    AnchorRecord,
    KeyStore,
    MemoryAnchor,
    check_anchor,
    check_fence,
    lock_data,
    newest_record,
)
from croupier.journal.stores import OwnedStore, Store
from croupier.journal.stores.sqlite import PageCopy, SqliteCopy, SqliteStore
from croupier.operations.backup import (
    ALL_BLOCKS,
    MANIFEST,
    Manifest,
    StoredBackup,
    journal_files,
    make_durable,
    read_manifest,
    stamped,
    stored_backups,
    unpack_recordings,
    verify_copy,
    verify_manifest,
)
from croupier.operations.control import BackupCorrupt, OperationsFault, os_errors_as_faults
from croupier.rulebooks.schema import read_canonical
from croupier.rules.refusal import Code, Refusal


@contextmanager
def staged_files(backup: Path, manifest: Manifest, data: Path) -> Iterator[Path]:
    """Copy the files of a backup next to their destination, on the same disk; remove the copies that are left over."""
    folder = data / RESTORING
    with os_errors_as_faults():
        data.mkdir(mode=0o700, parents=True, exist_ok=True)
        # An interrupted restore has left this: it is only a copy.
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(mode=0o700)
    try:
        with os_errors_as_faults():
            for name in manifest.files:
                shutil.copyfile(backup / name, folder / name)
                make_durable(folder / name)
        verify_manifest(folder, manifest)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def clear_restoring(data: Path) -> None:
    """Remove what an interrupted restore has left beside a journal that was started: it is only a copy."""
    shutil.rmtree(data / RESTORING, ignore_errors=True)


#: The message when only a copy of a backup was left.
UNCHANGED: Final = "a restore was interrupted before it changed anything, or after it was complete."


def begin_swap(data: Path, exchange: JournalSwap) -> None:
    """Record that journals are being swapped, before the first file is moved."""
    with os_errors_as_faults():
        write_atomic(data.joinpath(RESTORING, SWAP_FILE), msgspec.json.encode(exchange))


def put_back(data: Path, exchange: JournalSwap) -> None:
    """Restore the journal from before a swap. If interrupted, it can be repeated."""
    old = None if exchange.aside is None else data / exchange.aside
    if not exchange.back and (old is None or old.joinpath(JOURNAL).exists()):
        # The file in the journal's place is the copy of the backup.
        move(data, data / RESTORING)
    begin_swap(data, replace(exchange, back=True))
    if old is not None and old.exists():
        move(old, data)
        old.rmdir()


def take_back(data: Path) -> str:
    """Undo an interrupted journal swap; return what was done, empty if there was none."""
    exchange = unfinished_swap(data)
    if exchange is None:
        left = data.joinpath(RESTORING).exists()
        shutil.rmtree(data / RESTORING, ignore_errors=True)
        return UNCHANGED if left else ""
    done = exchange.is_done(data)
    if not done:
        put_back(data, exchange)
    shutil.rmtree(data / RESTORING, ignore_errors=True)
    became = "when its journal was in place" if done and not exchange.back else "and what was there was put back first"
    return f"a restore of {exchange.backup} was interrupted, {became}."


def move(source: Path, target: Path) -> None:
    """Move a journal from one folder to another."""
    with os_errors_as_faults():
        target.mkdir(mode=0o700, exist_ok=True)
        for path in journal_files(source):
            path.rename(target / path.name)
        sync_directory(source)
        sync_directory(target)


class RestoreRequest(NamedTuple):
    """The backup to restore, and its destination."""

    #: A backup, or a directory of backups: then the last one.
    backup: Path
    data: Path
    key_store: KeyStore
    #: Whether an existing journal may be moved aside.
    replace: bool = False
    #: The two people who accept that entries may be lost.
    older: RollbackOverride | None = None


class Restored(NamedTuple):
    """A backup on which the house was started, and stopped again."""

    backup: StoredBackup
    run: Run
    #: Where the previous journal is now.
    aside: Path | None
    #: The journal head by the key store's anchor.
    anchored: AnchorRecord
    #: What was done about an earlier restore that was interrupted.
    taken_back: str = ""
    #: The directories of recordings that were restored, or why they were not.
    recordings: tuple[str, ...] = ()
    recordings_fault: str = ""


def restore(order: RestoreRequest, now: Instant) -> Restored | Refusal:
    """Put a backup into place and start the house on it; after a refusal or an exception nothing is changed.

    An interrupted restore is undone first.
    """
    order.key_store.lock(order.data).close()
    taken_back = take_back(order.data)
    backup = proven_backup(order.backup, order.key_store.signer())
    anchored = newest_record(order.key_store.anchor_records())
    # An anchor from before the backup cannot say what came after it: entries are assumed to be lost.
    unknown = anchored.head.position < backup.manifest.position
    objection = _objection(order, backup.manifest, _lost(backup, anchored) or int(unknown))
    if objection is not None:
        return objection
    _must_be_free(order.data)
    aside = _unused(order.data, f"replaced-{stamped(now)}") if journal_files(order.data) else None
    with staged_files(backup.path, backup.manifest, order.data) as folder:
        try:
            run = _exchanged(order, folder, aside, backup)
        except OverrideRefused as fault:
            return fault.refusal
        restored = Restored(backup, run, aside, anchored, taken_back)
        try:
            return restored._replace(recordings=unpack_recordings(folder, order.data))
        except OSError as error:
            # The journal is in place: the recordings are still in the backup.
            return restored._replace(recordings_fault=str(error))


def _unused(folder: Path, name: str) -> Path:
    """Return a folder that does not exist yet: a journal that was moved aside is never overwritten."""
    names = (name, *(f"{name}-{number}" for number in range(2, 100)))
    return next(path for path in map(folder.joinpath, names) if not path.exists())


def restore_drill(order: RestoreRequest) -> Restored:
    """Start the house on a copy of a backup, and remove the copy; data directory and key store do not change."""
    signer, anchored = order.key_store.signer(), newest_record(order.key_store.anchor_records())
    backup = proven_backup(order.backup, signer)
    made_for_it = not order.data.exists()
    with staged_files(backup.path, backup.manifest, order.data) as folder:
        run = _tried(folder, signer)
    if made_for_it:
        order.data.rmdir()
    return Restored(backup, run, None, anchored)


def proven_backup(path: Path, signer: Signer) -> StoredBackup:
    """Verify a backup, or the last in a directory; BackupCorrupt or JournalCorrupt if it is damaged."""
    backup = _chosen(path, signer.verifier)
    verify_manifest(*backup)
    if verify_copy(backup.path / JOURNAL, signer) != backup.manifest.journal_head:
        raise BackupCorrupt(f"the journal in {backup.path} does not end where its manifest says")
    return backup


def _chosen(path: Path, verifier: Verifier) -> StoredBackup:
    if path.joinpath(MANIFEST).exists():
        return StoredBackup(path, read_manifest(path, verifier))
    backups = stored_backups(path, verifier)
    if not backups:
        raise OperationsFault(f"there is no backup of this venue in {path}")
    return backups[-1]


def _lost(backup: StoredBackup, anchored: AnchorRecord) -> int:
    """Return how many entries the key store records after a backup; RolledBack when it is of another journal."""
    with closing(SqliteStore(backup.path / JOURNAL, writing=False)) as store:
        try:
            check_anchor(store, anchored)
        except RolledBack as fault:
            if not fault.lost:
                raise
            return fault.lost
    return 0


def _objection(order: RestoreRequest, manifest: Manifest, lost: int) -> Refusal | None:
    if (place := place_of(order.data)) is not None:
        message = f"The journal of {order.data} is {place}: restore into another directory, and migrate it from there."
        return Refusal(Code.ALREADY_THERE, None, message, {"file": str(order.data)})
    if journal_files(order.data) and not order.replace:
        message = f"There is a journal in {order.data}: --replace moves it aside."
        return Refusal(Code.ALREADY_THERE, None, message, {"file": str(order.data)})
    if lost and order.older is None:
        message = (
            f"This backup ends with entry {manifest.position}, and the key store records {lost} or more after it. "
            "Two managers may accept the loss: --by PERSON --by PERSON --because WORDS."
        )
        return Refusal(Code.NOT_AUTHORISED, None, message, {"position": manifest.position, "lost": lost})
    if order.older is not None and not lost:
        message = "No entry is lost with this backup: --by and --because are not needed."
        return Refusal(Code.ALREADY_THERE, None, message, {"position": manifest.position})
    return None


def _must_be_free(data: Path) -> None:
    """Raise StoreLocked when a system runs on the journal."""
    try:
        SqliteStore(data / JOURNAL, writing=False).close()
    except JournalFault as fault:
        # A journal that cannot be read is to be replaced.
        if isinstance(fault, StoreLocked):
            raise


def _exchanged(order: RestoreRequest, folder: Path, aside: Path | None, backup: StoredBackup) -> Run:
    """Swap the journals and start on the staged one; if the start fails before it has written, swap them back."""
    exchange = JournalSwap(str(backup.path.absolute()), None if aside is None else aside.name)
    begin_swap(order.data, exchange)
    before = order.key_store.anchor_records()
    try:
        if aside is not None:
            move(order.data, aside)
        move(folder, order.data)
        run = start(order.data, order.key_store, NullOutbox(), order.older)
    except BaseException:
        # Once the anchor records an entry that the start wrote, the other journal is the older one.
        if order.key_store.anchor_records() == before:
            put_back(order.data, exchange)
        raise
    run.stop()
    return run


def _tried(folder: Path, signer: Signer) -> Run:
    """Start on a journal with a temporary anchor, as if it had been the last one written."""
    store, anchor = SqliteStore(folder / JOURNAL), MemoryAnchor()
    last = store.last()
    if last is not None:
        anchor.write(AnchorRecord(last.journal_head, sum(1 for _ in store.checkpoints())))
    storage = Storage(store, anchor, SnapshotFile(folder / SNAPSHOT), signer)
    with closing(storage):
        recovered = recover_state(storage, read_canonical)
        run = Run(storage, recovered, Ports(SystemClock(recovered.house.now), NullOutbox()))
        run.stop()
    return run


#: What the name of a replaced journal in SQLite ends with.
MIGRATED: Final = ".migrated"


def migrate(data: Path, key_store: KeyStore, to: JournalPlace | None, owner: str | None = None) -> JournalHead:
    """Copy the journal of a data directory to another place, verify the copy, and make it the directory's journal.

    None is the data directory itself. The source stays as it is: a journal in SQLite is renamed, and one in a database
    keeps its pages. JournalFault or OperationsFault when something differs; then the directory has its old journal.
    With the address of the database's owner, pages that the venue has there already are moved to the quarantine.
    """
    here = place_of(data)
    if here == to:
        raise OperationsFault(f"the journal of {data} is there already")
    signer = key_store.signer()
    with closing(key_store.lock(data) if here is None else lock_data(data)), closing(open_store(data)) as source:
        # Nothing is written, and the fence keeps others from writing meanwhile.
        check_anchor(source, newest_record(key_store.anchor_records()))
        check_fence(source, None, signer)
        _fence_off(source, signer)
        if owner is not None:
            assert to is not None
            # Nothing is removed for a journal that is damaged itself.
            JournalReader(source, signer.verifier, signer).read_all()
            _clear(JournalPlace(owner, to.venue))
        head = _copied(source, data, to)
    found = _verified(data, to, signer)
    assert found == head
    _switch(data, to)
    return head


def _clear(place: JournalPlace) -> None:
    """Move all that a venue has in a database to the quarantine."""
    with closing(open_owned(place)) as store, store.repairing():
        store.quarantine()
        store.move_fence(Fence())


class RepairReport(msgspec.Struct, frozen=True):
    """What a repair has moved to the quarantine, and the journal that is left."""

    pages: tuple[int, ...]
    checkpoints: tuple[int, ...]
    #: Whether the fence was not the venue's.
    fence: bool
    entries: int
    head: str


def repair(data: Path, key_store: KeyStore, owner: str) -> RepairReport:
    """Move the rows that the venue has not written out of its journal in a database, with the rights of the owner.

    A row is the venue's if its key made the MAC of the page, or signed the checkpoint. Nothing is changed unless the
    chain of what is left is whole, and ends where the anchor says; otherwise a JournalFault says what is missing.
    """
    place = place_of(data)
    if place is None:
        raise OperationsFault(f"the journal of {data} is not in a database")
    signer, anchored = key_store.signer(), newest_record(key_store.anchor_records())
    with closing(lock_data(data)), closing(open_owned(JournalPlace(owner, place.venue))) as store, store.repairing():
        pages = tuple(each.number for each in store.pages() if not signer.verify_mac(each.mac, each.mac_message))
        checkpoints = tuple(store.foreign_checkpoints(signer.verifier))
        store.quarantine(pages, checkpoints)
        moved = _repaired_fence(store, anchored, signer)
        head = JournalReader(store, signer.verifier, signer).read_all()
        check_anchor(store, anchored)
        check_fence(store, anchored, signer)
    return RepairReport(pages, checkpoints, moved, head.position, head.digest.hex())


def _repaired_fence(store: OwnedStore, anchored: AnchorRecord, signer: Signer) -> bool:
    """Replace a fence that the venue has not written; return whether it was one."""
    try:
        check_fence(store, anchored, signer)
    except JournalCorrupt:
        last = store.last()
        # One ahead: a writer of the last epoch that is still there is fenced off.
        epoch = max(last.epoch if last else 0, anchored.head.epoch) + 1
        store.move_fence(Fence(epoch, signer.fence_mac(epoch)))
        return True
    return False


def _fence_off(source: Store, signer: Signer) -> None:
    """Begin an epoch, so that no other system writes; StoreLocked when one has the lease."""
    last = source.last()
    source.fence(last.epoch if last else 0, signer.fence_mac)


def _copied(source: Store, data: Path, to: JournalPlace | None) -> JournalHead:
    if to is None and data.joinpath(JOURNAL).exists():
        raise OperationsFault(f"{data / JOURNAL} exists")
    target: Store = SqliteCopy(data / JOURNAL) if to is None else open_place(to)
    with closing(PageCopy(source, target)) as copying:
        if target.last() is not None:
            raise OperationsFault(f"{to} has a journal already")
        copying.step(ALL_BLOCKS)
    return JournalReader(source).read_all()


def _verified(data: Path, to: JournalPlace | None, signer: Signer) -> JournalHead:
    """Verify every digest, signature and MAC of the copy, and return its head."""
    if to is None:
        with os_errors_as_faults():
            make_durable(data / JOURNAL)
        return verify_copy(data / JOURNAL, signer)
    with closing(open_place(to, writing=False)) as copy:
        check_fence(copy, None, signer)
        return JournalReader(copy, signer.verifier, signer).read_all()


def _switch(data: Path, to: JournalPlace | None) -> None:
    with os_errors_as_faults():
        if to is None:
            data.joinpath(PLACE_FILE).unlink()
        else:
            record_place(data, to)
            if data.joinpath(JOURNAL).exists():
                data.joinpath(JOURNAL).rename(data.joinpath(JOURNAL + MIGRATED))
        sync_directory(data)
