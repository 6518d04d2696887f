"""A store in SQLite: one file, one writer, one row for each page, synced at every commit; and copies into it."""

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from functools import cache, partial
from itertools import starmap
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ClassVar, Final

import apsw
import msgspec

from croupier.journal.checkpoints import Checkpoint
from croupier.journal.disk import Fenced, JournalCorrupt, JournalFault, StoreLocked
from croupier.journal.entry import Fence, Page
from croupier.journal.stores import FenceMac, Store, next_epoch, without_key

#: Earlier versions can lose committed data when the WAL is reset while another connection reads.
SQLITE_MIN: Final = (3, 51, 3)
#: The unit in which the steps of a copy are counted.
BLOCK_BYTES: Final = 4_096
#: The version of the tables below.
FORMAT: Final = 5

_TABLES: Final = """
CREATE TABLE page (
    number INTEGER PRIMARY KEY CHECK (number > 0),
    epoch INTEGER NOT NULL CHECK (epoch > 0),
    first INTEGER NOT NULL CHECK (first > 0),
    last INTEGER NOT NULL CHECK (last >= first),
    head BLOB NOT NULL CHECK (length(head) = 32),
    body BLOB NOT NULL,
    mac BLOB NOT NULL
) STRICT;
CREATE TABLE checkpoint (
    number INTEGER PRIMARY KEY, epoch INTEGER NOT NULL, body BLOB NOT NULL, signature BLOB NOT NULL
) STRICT;
CREATE TABLE fence (
    only_one INTEGER PRIMARY KEY CHECK (only_one = 1), epoch INTEGER NOT NULL, mac BLOB NOT NULL
) STRICT;
INSERT INTO fence VALUES (1, 0, x'');
"""

#: The statement that writes checks the fence and the number itself, so that nothing can change in between.
_ADMISSION: Final = """
CREATE TRIGGER next_{table} BEFORE INSERT ON {table} BEGIN
    SELECT RAISE(ABORT, 'an earlier epoch') WHERE NEW.epoch != (SELECT epoch FROM fence);
    SELECT RAISE(ABORT, 'not the next') WHERE NEW.number != 1 + (SELECT coalesce(max(number), 0) FROM {table});
END;
"""

_COLUMNS: Final = "SELECT number, epoch, first, last, head, body, mac FROM page"
_CHECKPOINTS: Final = "SELECT number, epoch, body, signature FROM checkpoint"
_NEXT_CHECKPOINT: Final = f"{_CHECKPOINTS} WHERE number > ? ORDER BY number LIMIT 1"
_CHECKPOINTS_PER_QUERY: Final = 50
_APPEND: Final = "INSERT INTO page VALUES (?, ?, ?, ?, ?, ?, ?)"
_SIGN: Final = "INSERT INTO checkpoint VALUES (?, ?, ?, ?)"


def check_sqlite_version(version: str) -> None:
    """Refuse an SQLite that may lose committed data."""
    if tuple(int(part) for part in version.split(".")) < SQLITE_MIN:
        minimum = ".".join(map(str, SQLITE_MIN))
        raise JournalFault(f"SQLite {version} may lose committed data: {minimum} or newer is needed")


class SqliteStore:
    """Stores the journal in one SQLite file, in WAL mode, synced at every commit.

    One process writes at a time: it locks the file. A process that follows it may read meanwhile.
    """

    SYNCHRONOUS: ClassVar = "FULL"
    #: After so many pages the WAL is checkpointed into the file. The batch that triggers it waits for up to 7 ms as
    #: measured; with four times as many pages it was up to 17 ms.
    WAL_PAGES: ClassVar = 250

    def __init__(self, path: Path, *, writing: bool = True, following: bool = False, vfs: str | None = None) -> None:
        check_sqlite_version(apsw.sqlite_lib_version())
        #: Removes the private copy of a read-only journal, and unlocks a journal, when the store is closed.
        self._private_files = ExitStack()
        with _TRANSLATED, ExitStack() as opened:
            opened.enter_context(self._private_files)
            if following:
                self._connection = _open_to_follow(path)
            else:
                self._connection = _open(path, vfs) if writing else _open_to_read(path, self._private_files)
            opened.callback(self._connection.close)
            if writing and vfs is None and not path.name.startswith(":"):
                _lock(path, self._private_files)
            # Without a file of its own for locks, as a VFS of a test, SQLite needs the whole file.
            self._exclusive = not following and (vfs is not None or not writing)
            self._set_up(writing=writing)
            opened.pop_all()

    def _set_up(self, *, writing: bool) -> None:
        pragma = self._connection.pragma
        pragma("locking_mode", "exclusive" if self._exclusive else "normal")
        if writing:
            mode = pragma("journal_mode", "wal")
            if mode != "wal":
                raise JournalFault(f"the disk allows no write-ahead log: SQLite chose {mode}")
        pragma("synchronous", self.SYNCHRONOUS)
        if writing:
            self._checkpoint_wal()
        pragma("trusted_schema", value=False)
        pragma("cell_size_check", value=True)
        found = pragma("user_version")
        if found == 0 and writing:
            _create(self._connection)
        elif found != FORMAT:
            words = f"the journal has format {found}, and this build reads format {FORMAT}"
            older = "it was written by version 0.2 or older, which alone reads it"
            raise JournalFault(f"{words}: {older}" if 0 < found < FORMAT else words)
        # An added trigger could discard what is inserted.
        if _schema(self._connection) != _expected_schema():
            raise JournalFault("the tables of the journal were changed")

    def _checkpoint_wal(self) -> None:
        """Checkpoint the WAL that was left, and checkpoint it regularly from now on."""
        # After a failed sync the WAL may be readable from the page cache and not be on the disk: write it out again.
        self._connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
        # SQLite's automatic checkpoint would ignore a fault and let the WAL grow.
        self._connection.set_wal_hook(partial(_wal_hook, limit=self.WAL_PAGES))

    def fence(self, above: int | None = None, mac: FenceMac = without_key) -> int:
        with _TRANSLATED, self._connection:
            epoch = next_epoch(self.fenced(), above)
            self._connection.execute("UPDATE fence SET epoch = ?, mac = ?", (epoch, mac(epoch)))
        return epoch

    def fenced(self) -> Fence:
        with _TRANSLATED:
            rows = self._connection.execute("SELECT only_one, epoch, mac FROM fence").fetchall()
        if [row[0] for row in rows] != [1]:
            raise JournalFault(f"the fence has {len(rows)} rows, and should have one")
        _, epoch, mac = _typed(rows[0], int, int, bytes)
        return Fence(epoch, mac)

    def append(self, page: Page) -> None:
        self._insert(_APPEND, page)

    def sign(self, checkpoint: Checkpoint) -> None:
        statement = checkpoint.statement()
        self._insert(_SIGN, (statement.number, statement.epoch, checkpoint.body, checkpoint.signature))

    def _insert(self, statement: str, values: tuple[int | bytes, ...]) -> None:
        with _TRANSLATED:
            self._connection.execute(statement, values)
        if self._connection.changes() != 1:
            raise JournalFault("SQLite accepted a row and did not store it")

    def pages(self, after: int = 0) -> Iterator[Page]:
        # One query for each page: a long read would keep the WAL from being reset.
        while (page := self._read("WHERE number > ? ORDER BY number LIMIT 1", after)) is not None:
            yield page
            after = page.number

    def page(self, number: int) -> Page | None:
        return self._read("WHERE number = ?", number)

    def last(self) -> Page | None:
        return self._read("ORDER BY number DESC LIMIT 1")

    def _read(self, which: str, *values: int) -> Page | None:
        with _TRANSLATED:
            row = self._connection.execute(f"{_COLUMNS} {which}", values).fetchone()
        return None if row is None else Page(*_typed(row, int, int, int, int, bytes, bytes, bytes))

    def checkpoints(self) -> Iterator[Checkpoint]:
        # Most readers need the last few of many.
        below: int | None = None
        while rows := self._read_checkpoints(below):
            yield from starmap(checkpoint_of_row, rows)
            below = rows[-1][0]

    def _read_checkpoints(self, below: int | None) -> list[tuple[Any, ...]]:
        """Read the last checkpoints below a number, or the last of all."""
        which, values = ("", ()) if below is None else ("WHERE number < ?", (below,))
        with _TRANSLATED:
            query = f"{_CHECKPOINTS} {which} ORDER BY number DESC LIMIT {_CHECKPOINTS_PER_QUERY}"
            rows = self._connection.execute(query, values).fetchall()
        return [_typed(row, int, int, bytes, bytes) for row in rows]

    def next_checkpoint(self, after: int) -> Checkpoint | None:
        with _TRANSLATED:
            row = self._connection.execute(_NEXT_CHECKPOINT, (after,)).fetchone()
        return None if row is None else checkpoint_of_row(*_typed(row, int, int, bytes, bytes))

    def backup_to(self, path: Path, *, vfs: str | None = None) -> "OnlineBackup":
        """Begin to copy the journal into another file; pages committed meanwhile are in the copy too."""
        return OnlineBackup(self._connection, path, vfs)

    def close(self) -> None:
        with self._private_files, _TRANSLATED:
            self._connection.close()


class OnlineBackup:
    """A running copy. The writer thread makes its steps between two commits; a failed step disturbs no page."""

    def __init__(self, source: apsw.Connection, path: Path, vfs: str | None = None) -> None:
        with _TRANSLATED, ExitStack() as opened:
            self._target = _open(path, vfs)
            opened.callback(self._target.close)
            # An incomplete copy is deleted, so it needs no rollback, and one sync at the end is enough.
            for setting in ("journal_mode", "synchronous"):
                self._target.pragma(setting, "off")
            self._backup = self._target.backup("main", source, "main")
            opened.pop_all()

    def step(self, blocks: int) -> bool:
        """Copy so many more blocks of the file; return whether the copy is complete. It is not synced yet."""
        with _TRANSLATED:
            complete = self._backup.step(blocks)
        if complete:
            self.close()
        return complete

    def close(self) -> None:
        """Close the copy, complete or not."""
        with _TRANSLATED:
            # A failed step has raised its fault already.
            self._backup.close(force=True)
            self._target.close()


class SqliteCopy(SqliteStore):
    """A journal that is being copied: it is synced as a whole when it is complete."""

    SYNCHRONOUS: ClassVar = "OFF"


class PageCopy:
    """A running copy into any store, page by page, with the same bytes and the same chain.

    Its steps are made between two commits; a failed step disturbs no page of the source.
    """

    def __init__(self, source: Store, target: Store) -> None:
        self._source, self._target = source, target
        self._epoch, self._copied, self._signed = 0, 0, 0
        #: The next checkpoint, once it was read.
        self._next: Checkpoint | None = None

    def step(self, blocks: int) -> bool:
        """Copy so many more blocks, all of them for a negative number; return whether the copy is complete."""
        left = blocks * BLOCK_BYTES
        for page in self._source.pages(self._copied):
            self._copy_page(page)
            left -= len(page.body)
            if blocks >= 0 >= left:
                return False
        self._copy_checkpoints()
        fence = self._source.fenced()
        if fence.epoch:
            self._target.fence(fence.epoch - 1, lambda _: fence.mac)
        self.close()
        return True

    def _copy_page(self, page: Page) -> None:
        # A checkpoint is of the epoch of its page, so it comes before the next one.
        self._copy_checkpoints()
        # Epochs never decrease.
        if page.epoch != self._epoch:
            self._epoch = self._target.fence(page.epoch - 1)
        self._target.append(page)
        self._copied = page.number

    def _copy_checkpoints(self) -> None:
        """Copy the checkpoints over the pages that are copied."""
        while (checkpoint := self._checkpoint()) is not None and checkpoint.statement().page <= self._copied:
            self._target.sign(checkpoint)
            self._signed, self._next = self._signed + 1, None

    def _checkpoint(self) -> Checkpoint | None:
        if self._next is None:
            self._next = self._source.next_checkpoint(self._signed)
        return self._next

    def close(self) -> None:
        """Close the copy, complete or not."""
        self._target.close()


def checkpoint_of_row(number: int, epoch: int, body: bytes, signature: bytes) -> Checkpoint:
    """Read a checkpoint, and verify its row against its statement."""
    checkpoint = Checkpoint(body, signature)
    with suppress(msgspec.MsgspecError, UnicodeError):
        statement = checkpoint.statement()
        if (statement.number, statement.epoch) != (number, epoch):
            words = f"checkpoint {statement.number} of epoch {statement.epoch} is not in its place"
            raise JournalCorrupt(statement.position, words)
    return checkpoint


def _wal_hook(connection: apsw.Connection, _name: str, pages: int, *, limit: int) -> int:
    if pages >= limit:
        connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
    return apsw.SQLITE_OK


def _typed(row: tuple[Any, ...], *types: type) -> tuple[Any, ...]:
    """Check the column types of a row: SQLite does so when it is written, and not when it is read."""
    if tuple(map(type, row)) != types:
        raise JournalFault("the journal cannot be read: a row has other column types than were written")
    return row


def _create(connection: apsw.Connection) -> None:
    with connection:
        admissions = (_ADMISSION.format(table=table) for table in ("page", "checkpoint"))
        connection.execute("".join((_TABLES, *admissions))).fetchall()
        connection.pragma("user_version", FORMAT)


def _schema(connection: apsw.Connection) -> list[Any]:
    return connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name").fetchall()


@cache
def _expected_schema() -> list[Any]:
    """Return the schema of a newly created journal."""
    connection = apsw.Connection(":memory:")
    _create(connection)
    return _schema(connection)


def _make_private(path: Path) -> None:
    """Make a journal's files readable by their owner only; SQLite gives the files beside a journal the same mode.

    It uses paths: closing a descriptor of the same file would drop SQLite's locks on it.
    """
    try:
        if not path.exists():
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
        for each in (path, *(path.with_name(path.name + more) for more in ("-wal", "-shm", "-journal"))):
            if each.exists() and each.stat().st_mode & 0o077:
                each.chmod(0o600)
    except OSError as error:
        raise JournalFault(f"the journal cannot be read or written: {error.strerror}: {error.filename}") from error


def _open(path: Path, vfs: str | None = None) -> apsw.Connection:
    # SQLite's special names, such as a database in memory, are not files.
    if vfs is None and not path.name.startswith(":"):
        _make_private(path)
    flags = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE
    return apsw.Connection(str(path), flags=flags, vfs=vfs)


def _lock(path: Path, until: ExitStack) -> None:
    """Lock a journal that is written to, beside SQLite's own locks; StoreLocked when another process writes to it."""
    try:
        # It is closed after SQLite's descriptors: closing one drops SQLite's locks.
        descriptor = os.open(path, os.O_RDONLY)
        until.callback(os.close, descriptor)
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise StoreLocked("the journal is in use by another process") from error
    except OSError as error:
        raise JournalFault(f"the journal cannot be locked: {error.strerror}: {error.filename}") from error


def _open_to_follow(path: Path) -> apsw.Connection:
    """Open a journal that another process is writing, without changing its files."""
    connection = apsw.Connection(f"{path.absolute().as_uri()}?mode=ro", flags=_FOLLOWING)
    connection.set_busy_timeout(BUSY_MS)
    return connection


#: How long a follower waits for the process that writes, in milliseconds.
BUSY_MS: Final = 1_000
_FOLLOWING: Final = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI


def _open_to_read(path: Path, private_files: ExitStack) -> apsw.Connection:
    """Open a journal without changing its files.

    After a crash there is a WAL, and SQLite must be able to lock both files and to write beside them. On read-only
    media it opens a private copy, which the stack removes.
    """
    if not Path(f"{path}-wal").exists():
        # Without a WAL there is no writer, so there is nothing to lock and nothing to wait for.
        uri = f"{path.absolute().as_uri()}?immutable=1"
        return apsw.Connection(uri, flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)
    if not all(os.access(each, os.W_OK, effective_ids=True) for each in (path, path.parent)):
        path = _private_copy(path, private_files)
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
    # Leave the WAL of a crash as it is.
    connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    return connection


def _private_copy(path: Path, private_files: ExitStack) -> Path:
    """Copy a journal and its WAL into a private temporary directory; StoreLocked when a system writes to them."""
    try:
        folder = Path(private_files.enter_context(TemporaryDirectory(prefix="croupier-journal-")))
        with path.open("rb") as journal:
            # A running system has the file locked.
            fcntl.flock(journal, fcntl.LOCK_SH | fcntl.LOCK_NB)
            for each in (path, path.with_name(f"{path.name}-wal")):
                shutil.copyfile(each, folder.joinpath(each.name))
    except BlockingIOError as error:
        raise StoreLocked("the journal is in use by another process") from error
    except OSError as error:
        raise JournalFault(f"the journal cannot be copied to be read: {error.strerror}: {error.filename}") from error
    return folder.joinpath(path.name)


class _Translation:
    """Translates SQLite's errors into faults of the journal. Entering a generator would take longer at every commit."""

    def __enter__(self) -> None: ...

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        match error:
            case None:
                return
            case apsw.BusyError() | apsw.LockedError():
                raise StoreLocked("the journal is in use by another process") from error
            case apsw.ConstraintError():
                raise Fenced(f"another writer has begun a new epoch, or written this already: {error}") from error
            case UnicodeDecodeError():
                words = "the journal cannot be read: a row has other column types than were written"
                raise JournalFault(words) from error
            case apsw.Error():
                words = f"the journal cannot be read or written: {type(error).__name__}: {error}"
                raise JournalFault(words) from error


_TRANSLATED: Final = _Translation()
