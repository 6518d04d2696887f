"""Takeover: a standby follows the journal of the system that writes it, and continues when its lease has ended."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from threading import Event, Thread
from time import sleep
from typing import Final

import structlog

from croupier.engine.follower import write_snapshot
from croupier.engine.journal_reader import JournalReader
from croupier.engine.places import open_store
from croupier.engine.ports import SNAPSHOT_EVERY
from croupier.engine.run import OpenedJournal, apply_pages, open_journal
from croupier.journal.checkpoints import SnapshotError
from croupier.journal.disk import JournalCorrupt, JournalFault, RolledBack, StoreLocked
from croupier.journal.keystore import KeyStore, check_anchor, check_fence
from croupier.journal.stores import LeasedStore

#: How often the system that writes renews its lease.
RENEW_EVERY_MS: Final = 500
#: How long an event loop may take no step before its lease is no longer renewed.
STALL_MAX_MS: Final = 5_000
#: How often a standby looks for pages and for the end of the lease, if nothing is announced meanwhile.
POLL_MS: Final = 200
_LOG = structlog.get_logger()


class LeaseKeeper:
    """Renews the lease of a running system on a thread of its own, while its event loop takes steps.

    A system that cannot renew its lease stops. Whether it still may write, the fence decides.
    """

    def __init__(self, store: LeasedStore) -> None:
        """Begin to renew: the event loop may be busy with the start for a while."""
        self._store, self._stopped = store, Event()
        #: How many renewals were made since the event loop last took a step.
        self._since_step = 0
        self._loop: asyncio.AbstractEventLoop | None = None
        #: The fault that ended the lease, and what is called with it on the event loop.
        self.fault: JournalFault | None = None
        self._lost: Callable[[JournalFault], object] = no_lost
        #: What the system says of itself, which is read on the event loop.
        self._describe: Callable[[], str] = no_status
        self._status = no_status()
        self._thread = Thread(target=self._run, name="lease", daemon=True)
        self._thread.start()

    def watch(self, lost: Callable[[JournalFault], object], describe: Callable[[], str]) -> None:
        """Watch the running event loop from now on, and call a function on it when the lease is lost."""
        self._lost, self._describe, self._loop = lost, describe, asyncio.get_running_loop()
        self._step()

    def _step(self) -> None:
        """Note that the event loop works."""
        assert self._loop is not None
        self._since_step = 0
        if self.fault is not None:
            self._lost(self.fault)
        elif not self._stopped.is_set():
            self._status = self._describe()
            self._loop.call_later(RENEW_EVERY_MS * 1e-3, self._step)

    def stop(self) -> None:
        """Renew no more; the store releases the lease when it is closed."""
        self._stopped.set()
        self._thread.join()

    def _run(self) -> None:
        while self.fault is None and not self._stopped.wait(RENEW_EVERY_MS * 1e-3):
            self._since_step += 1
            # Another system may take over from one that hangs.
            if self._since_step * RENEW_EVERY_MS <= STALL_MAX_MS:
                self.renew()

    def renew(self) -> None:
        """Renew the lease; a fault is passed on by the next step of the event loop."""
        try:
            self._store.renew(self._status)
        except JournalFault as fault:
            self.fault = fault


def no_status() -> str:
    """Say nothing: the system is starting."""
    return "{}"


def no_lost(_: JournalFault) -> None:
    """Do nothing: the start that is under way meets with the same fault."""


class Standby:
    """The state of a house that another system runs, page by page behind it."""

    def __init__(self, data: Path, key_store: KeyStore, check: Callable[[], None]) -> None:
        """Read and verify the journal, which another system may be writing."""
        self._check = check
        self.opened = open_journal(data, key_store, check=check)
        if not isinstance(self.opened.storage.store, LeasedStore):
            self.opened.storage.close()
            raise JournalFault("a standby needs a journal in PostgreSQL: name one with `journal`")
        #: Whether this system has the lease now, and the other system that had it at the last look.
        self.is_leader, self.leader = False, ""
        #: Why the database cannot be reached; empty while it can.
        self.fault = ""

    @property
    def _store(self) -> LeasedStore:
        store = self.opened.storage.store
        assert isinstance(store, LeasedStore)
        return store

    def step(self) -> OpenedJournal | None:
        """Wait for pages, apply them, and take over when the lease has ended; return the journal once it is taken.

        A lost connection is opened again. JournalCorrupt when the journal is not what was written.
        """
        try:
            self._store.wait(POLL_MS)
            self.follow()
            taken, self.fault = self.take(), ""
        except JournalCorrupt:
            raise
        except JournalFault as fault:
            self.fault = str(fault)
            _LOG.warning("standby_disconnected", words=self.fault)
            self._reconnect()
            return None
        return self.opened if taken else None

    def follow(self) -> None:
        """Verify and apply the pages since the last look."""
        storage, recovered = self.opened.storage, self.opened.recovered
        self._must_have(recovered.head.page)
        # Each page is authenticated by its MAC, so that checkpoints need not be verified once more.
        apply_pages(storage, recovered, JournalReader(storage.store, signer=storage.signer, head=recovered.head))
        if recovered.replayed >= SNAPSHOT_EVERY:
            self._take_snapshot()

    def _must_have(self, number: int) -> None:
        """Refuse a database that lacks a page that was read already: it is an older copy."""
        head, page = self.opened.recovered.head, self._store.page(number)
        if number and (page is None or page.journal_head != head):
            words = "the database does not have it any more: it is an older copy, or another journal"
            raise RolledBack(head.position, words, lost=1)

    def _take_snapshot(self) -> None:
        """Write a snapshot, so that its own start is short. The books are compared at a checkpoint after it."""
        recovered, storage = self.opened.recovered, self.opened.storage
        try:
            write_snapshot(storage.snapshots, recovered, storage.signer.sign_snapshot)
        except SnapshotError as error:
            _LOG.error("snapshot_failed", words=str(error))
        recovered.replayed = 0

    def take(self) -> bool:
        """Begin the next epoch if no other system has the lease, and apply the last pages of the one before."""
        storage, recovered = self.opened.storage, self.opened.recovered
        self.leader = self._store.holder() or ""
        if self.leader:
            return False
        anchored = storage.anchor.read()
        check_fence(storage.store, anchored, storage.signer)
        try:
            storage.store.fence(max(anchored.head.epoch, recovered.head.epoch), storage.signer.fence_mac)
        except StoreLocked:
            # Another standby was quicker.
            return False
        # From here on no other process can append: the journal is complete.
        self.follow()
        check_anchor(storage.store, storage.anchor.read())
        recovered.idempotency = recovered.idempotency.durable()
        self.is_leader = True
        return True

    def _reconnect(self) -> None:
        """Open the database again, once; the next step tries again."""
        self._store.close()
        try:
            store = open_store(self.opened.data)
        except JournalFault as fault:
            _LOG.warning("database_unreachable", words=str(fault))
            sleep(POLL_MS * 1e-3)
            return
        self.opened = self.opened._replace(storage=self.opened.storage._replace(store=store))

    def close(self) -> None:
        """Stop following."""
        self.opened.storage.close()
