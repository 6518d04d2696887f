"""The archive: everything that outlasts a run of the system, and what vouches for it."""

from contextlib import ExitStack, closing
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from croupier.engine.ticketindex import TICKETS, TicketIndex
from croupier.journal.anchor import Anchor, Anchored
from croupier.journal.fault import JournalFault, RolledBack
from croupier.journal.file import sync_directory
from croupier.journal.safe import Safe, SafeLock
from croupier.journal.signature import Signer
from croupier.journal.snapshot import SnapshotFile, Snapshots
from croupier.journal.sqlite import SqliteStore
from croupier.journal.store import Store

JOURNAL: Final = "journal.db"
SNAPSHOT: Final = "snapshot"
#: Where a restore puts its copy of a backup, and where it writes down that it exchanges journals.
RESTORING: Final = "restoring"
EXCHANGE: Final = "exchange.json"


class Archive(NamedTuple):
    """A journal with its anchor and its last snapshot, and the key that signs for them."""

    store: Store
    anchor: Anchor
    snapshots: Snapshots
    signer: Signer
    #: The lock on the safe, where there is one.
    lock: SafeLock | None = None
    #: Tickets that have left the state; None where nobody looks them up.
    tickets: TicketIndex | None = None

    def close(self) -> None:
        """Let go of what is open."""
        self.store.close()
        self.anchor.close()
        if self.tickets is not None:
            self.tickets.close()
        if self.lock is not None:
            self.lock.close()


class Exchange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A restore that exchanges journals in a data directory, as it is written down until that is done."""

    #: The backup that is restored.
    backup: str
    #: The folder in the data directory for the journal that was there, where there was one.
    aside: str | None
    #: Whether that journal is being put back.
    back: bool = False

    def is_done(self, data: Path) -> bool:
        """Tell whether no file is left to be moved. The journal itself is the last file to be moved."""
        old = self.aside is not None and data.joinpath(self.aside, JOURNAL).exists()
        if self.back:
            return not old
        return data.joinpath(JOURNAL).exists() and (old or self.aside is None)

    def says(self, data: Path) -> str:
        """Say what was cut short, and how to go on."""
        again = f"`croupier restore {self.backup} --data {data}{'' if self.aside is None else ' --replace'}`"
        if self.is_done(data):
            return f"a restore of {self.backup} was cut short when its journal was in place: this start completes it"
        return f"a restore of {self.backup} was cut short, and nothing is lost: run {again} again"


def unfinished_exchange(data: Path) -> Exchange | None:
    """Read which restore was cut short here, if any; JournalFault where that cannot be read."""
    path = data.joinpath(RESTORING, EXCHANGE)
    try:
        return msgspec.json.decode(path.read_bytes(), type=Exchange)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise JournalFault(f"{error.filename} cannot be used: {error.strerror}") from error
    except msgspec.DecodeError as error:
        raise JournalFault(f"{path} cannot be read, and a restore was cut short here: {error}") from error


def open_archive(data: Path, safe: Safe) -> Archive:
    """Open a data directory and its safe for a run, and make both where there is nothing yet."""
    if safe.path.resolve().is_relative_to(data.resolve()):
        raise JournalFault("the safe must not lie in the data directory: whoever copies one would copy the other")
    exchange = unfinished_exchange(data)
    if exchange is not None and not exchange.is_done(data):
        raise JournalFault(exchange.says(data))
    journal = data.joinpath(JOURNAL)
    try:
        data.mkdir(mode=0o700, parents=True, exist_ok=True)
        sync_directory(data.parent)
        begun = journal.exists() and journal.stat().st_size > 0
    except OSError as error:
        raise JournalFault(f"{error.filename} cannot be used: {error.strerror}") from error
    if not begun:
        safe.furnish()
    with ExitStack() as opened:
        lock = opened.enter_context(closing(safe.lock(data)))
        signer, anchor = safe.signer(), opened.enter_context(safe.anchor())
        _must_be_new(anchor.read(), begun=begun)
        store = opened.enter_context(closing(SqliteStore(journal)))
        tickets = TicketIndex(data.joinpath(TICKETS))
        opened.pop_all()
    return Archive(store, anchor, SnapshotFile(data.joinpath(SNAPSHOT)), signer, lock, tickets)


def _must_be_new(anchored: Anchored, *, begun: bool) -> None:
    """Refuse to begin a journal in the place of one that is gone."""
    lost = anchored.mark.position
    if lost and not begun:
        raise RolledBack(1, f"the journal is gone or empty, and entry {lost} had been written", lost)
