"""A store in SQLite: one file, one writer, one row for each batch, on the disk before anybody is told."""

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
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
from croupier.journal.stores import FenceMac, next_epoch, without_key

#: Before this, a WAL that is reset while another connection reads can lose what was committed.
SQLITE_MIN: Final = (3, 51, 3)
#: Where in a file SQLite locks what is read or written: part of its file format.
SHARED_BEGINS: Final = 0x40000002
SHARED_BYTES: Final = 510
#: The form of the tables below.
FORM: Final = 2

_TABLES: Final = """
CREATE TABLE page (
    number INTEGER PRIMARY KEY CHECK (number > 0),
    epoch INTEGER NOT NULL CHECK (epoch > 0),
    first INTEGER NOT NULL CHECK (first > 0),
    last INTEGER NOT NULL CHECK (last >= first),
    head BLOB NOT NULL CHECK (length(head) = 32),
    lines BLOB NOT NULL,
    imprint BLOB NOT NULL
) STRICT;
CREATE TABLE checkpoint (
    number INTEGER PRIMARY KEY, epoch INTEGER NOT NULL, body BLOB NOT NULL, signature BLOB NOT NULL
) STRICT;
CREATE TABLE fence (
    only_one INTEGER PRIMARY KEY CHECK (only_one = 1), epoch INTEGER NOT NULL, mac BLOB NOT NULL
) STRICT;
INSERT INTO fence VALUES (1, 0, x'');
"""

#: The fence and the number before are looked at by the very statement that writes, not before it.
_ADMISSION: Final = """
CREATE TRIGGER next_{table} BEFORE INSERT ON {table} BEGIN
    SELECT RAISE(ABORT, 'an earlier epoch') WHERE NEW.epoch != (SELECT epoch FROM fence);
    SELECT RAISE(ABORT, 'not the next') WHERE NEW.number != 1 + (SELECT coalesce(max(number), 0) FROM {table});
END;
"""

_COLUMNS: Final = "SELECT number, epoch, first, last, head, lines, imprint FROM page"
_CHECKPOINTS: Final = "SELECT number, epoch, body, signature FROM checkpoint"
_NEXT_CHECKPOINT: Final = f"{_CHECKPOINTS} WHERE number > ? ORDER BY number LIMIT 1"
_APPEND: Final = "INSERT INTO page VALUES (?, ?, ?, ?, ?, ?, ?)"
_SIGN: Final = "INSERT INTO checkpoint VALUES (?, ?, ?, ?)"


def check_sqlite_version(version: str) -> None:
    """Refuse an SQLite that may lose what it has committed."""
    if tuple(int(part) for part in version.split(".")) < SQLITE_MIN:
        least = ".".join(map(str, SQLITE_MIN))
        raise JournalFault(f"SQLite {version} may lose what it has committed: {least} or newer is needed")


class SqliteStore:
    """Keeps the journal in one SQLite file, in WAL mode, synchronised at every commit, and locked while it is open."""

    SYNCHRONOUS: ClassVar = "FULL"
    #: After so many pages the WAL is emptied into the file and begun anew: whoever's batch that falls to waits for it,
    #: for up to 7 ms where that was measured, and would for up to 17 with four times as many.
    WAL_PAGES: ClassVar = 250

    def __init__(self, path: Path, *, writing: bool = True, vfs: str | None = None) -> None:
        check_sqlite_version(apsw.sqlite_lib_version())
        #: The private copy of a journal that may only be read, until it is closed.
        self._copied = ExitStack()
        with _translated(), ExitStack() as opened:
            opened.enter_context(self._copied)
            self._connection = _open(path, vfs) if writing else _open_to_read(path, self._copied)
            opened.callback(self._connection.close)
            self._set_up(writing=writing)
            opened.pop_all()

    def _set_up(self, *, writing: bool) -> None:
        pragma = self._connection.pragma
        pragma("locking_mode", "exclusive")
        if writing:
            mode = pragma("journal_mode", "wal")
            if mode != "wal":
                raise JournalFault(f"the disk allows no write-ahead log: SQLite chose {mode}")
        pragma("synchronous", self.SYNCHRONOUS)
        if writing:
            self._empty_wal()
        pragma("trusted_schema", value=False)
        pragma("cell_size_check", value=True)
        form = pragma("user_version")
        if form == 0 and writing:
            _create(self._connection)
        elif form != FORM:
            raise JournalFault(f"the journal has form {form}, and this software knows form {FORM}")
        # Whoever adds a trigger can have the file swallow what it is given.
        if _schema(self._connection) != _ours():
            raise JournalFault("somebody has changed the tables that the journal is kept in")

    def _empty_wal(self) -> None:
        """Empty what was left of the WAL, and see to it that it is emptied from now on."""
        # After a sync that failed the WAL may be read well from memory and not be on the disk: it is written out anew.
        self._connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
        # Left to itself, SQLite would pass over a fault while it does so, and let the WAL grow.
        self._connection.set_wal_hook(partial(_emptied, most=self.WAL_PAGES))

    def fence(self, above: int | None = None, mac: FenceMac = without_key) -> int:
        with _translated(), self._connection:
            epoch = next_epoch(self.fenced(), above)
            self._connection.execute("UPDATE fence SET epoch = ?, mac = ?", (epoch, mac(epoch)))
        return epoch

    def fenced(self) -> Fence:
        with _translated():
            rows = self._connection.execute("SELECT only_one, epoch, mac FROM fence").fetchall()
        if [row[0] for row in rows] != [1]:
            raise JournalFault(f"the fence is gone or not alone: it has {len(rows)} rows, and should have one")
        _, epoch, mac = _typed(rows[0], int, int, bytes)
        return Fence(epoch, mac)

    def append(self, page: Page) -> None:
        self._insert(_APPEND, page)

    def sign(self, checkpoint: Checkpoint) -> None:
        said = checkpoint.statement()
        self._insert(_SIGN, (said.number, said.epoch, checkpoint.body, checkpoint.signature))

    def _insert(self, statement: str, values: tuple[int | bytes, ...]) -> None:
        with _translated():
            self._connection.execute(statement, values)
        if self._connection.changes() != 1:
            raise JournalFault("the file took a page and did not keep it")

    def pages(self, after: int = 0) -> Iterator[Page]:
        # One by one, so that no read outlasts a page: a long one would keep the WAL from ever being reset.
        while (page := self._read("WHERE number > ? ORDER BY number LIMIT 1", after)) is not None:
            yield page
            after = page.number

    def page(self, number: int) -> Page | None:
        return self._read("WHERE number = ?", number)

    def last(self) -> Page | None:
        return self._read("ORDER BY number DESC LIMIT 1")

    def _read(self, which: str, *values: int) -> Page | None:
        with _translated():
            row = self._connection.execute(f"{_COLUMNS} {which}", values).fetchone()
        return None if row is None else Page(*_typed(row, int, int, int, int, bytes, bytes, bytes))

    def checkpoints(self) -> Iterator[Checkpoint]:
        with _translated():
            rows = self._connection.execute(f"{_CHECKPOINTS} ORDER BY number DESC").fetchall()
        return starmap(_checkpoint, [_typed(row, int, int, bytes, bytes) for row in rows])

    def next_checkpoint(self, after: int) -> Checkpoint | None:
        with _translated():
            row = self._connection.execute(_NEXT_CHECKPOINT, (after,)).fetchone()
        return None if row is None else _checkpoint(*_typed(row, int, int, bytes, bytes))

    def backup_to(self, path: Path, *, vfs: str | None = None) -> "OnlineBackup":
        """Begin to copy the journal into another file; what is kept meanwhile is in the copy too."""
        return OnlineBackup(self._connection, path, vfs)

    def close(self) -> None:
        with self._copied, _translated():
            self._connection.close()


class OnlineBackup:
    """A copy under way. Whoever keeps pages makes its steps, between two of them; one that fails disturbs no page."""

    def __init__(self, source: apsw.Connection, path: Path, vfs: str | None = None) -> None:
        with _translated(), ExitStack() as opened:
            self._target = _open(path, vfs)
            opened.callback(self._target.close)
            # A copy is whole or it is thrown away, so there is nothing to take back, and one sync at the end is enough.
            for setting in ("journal_mode", "synchronous"):
                self._target.pragma(setting, "off")
            self._backup = self._target.backup("main", source, "main")
            opened.pop_all()

    def step(self, blocks: int) -> bool:
        """Copy so many blocks of the file more; tell whether the copy is whole. It is not synced then."""
        with _translated():
            whole = self._backup.step(blocks)
        if whole:
            self.close()
        return whole

    def close(self) -> None:
        """Let go of the copy, whole or not."""
        with _translated():
            # What went wrong was told by the step in which it did.
            self._backup.close(force=True)
            self._target.close()


def _checkpoint(number: int, epoch: int, body: bytes, signature: bytes) -> Checkpoint:
    """Read a checkpoint, and hold the row that it stands in against what it says."""
    checkpoint = Checkpoint(body, signature)
    with suppress(msgspec.MsgspecError, UnicodeError):
        said = checkpoint.statement()
        if (said.number, said.epoch) != (number, epoch):
            raise JournalCorrupt(said.position, f"checkpoint {said.number} of epoch {said.epoch} is not in its place")
    return checkpoint


def _emptied(connection: apsw.Connection, _name: str, pages: int, *, most: int) -> int:
    if pages >= most:
        connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
    return apsw.SQLITE_OK


def _typed(row: tuple[Any, ...], *types: type) -> tuple[Any, ...]:
    """Hold a row against its form: SQLite does so when it is written, and not when it is read."""
    if tuple(map(type, row)) != types:
        raise JournalFault("the journal cannot be read: a row is not of the form in which it was written")
    return row


def _create(connection: apsw.Connection) -> None:
    with connection:
        admissions = (_ADMISSION.format(table=table) for table in ("page", "checkpoint"))
        connection.execute("".join((_TABLES, *admissions))).fetchall()
        connection.pragma("user_version", FORM)


def _schema(connection: apsw.Connection) -> list[Any]:
    return connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name").fetchall()


@cache
def _ours() -> list[Any]:
    """Tell what the tables of a journal are: those of one that was just made."""
    connection = apsw.Connection(":memory:")
    _create(connection)
    return _schema(connection)


def _make_private(path: Path) -> None:
    """See that a journal's files are for their owner alone; SQLite gives those beside a journal the same mode.

    By their paths: to close a file of one's own would end SQLite's locks on it.
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
    # SQLite's own names, as for a database in memory, are no files.
    if vfs is None and not path.name.startswith(":"):
        _make_private(path)
    flags = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE
    return apsw.Connection(str(path), flags=flags, vfs=vfs)


def _open_to_read(path: Path, copied: ExitStack) -> apsw.Connection:
    """Open a journal and leave its files as they are.

    Where a crash left a WAL, SQLite must be able to lock both files and to write beside them. Where it is not allowed
    to, as on read-only media, a private copy is opened, which the stack removes again.
    """
    if not Path(f"{path}-wal").exists():
        # Nobody writes without a WAL: there is nothing to lock, and nothing to wait for.
        uri = f"{path.absolute().as_uri()}?immutable=1"
        return apsw.Connection(uri, flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)
    if not all(os.access(each, os.W_OK, effective_ids=True) for each in (path, path.parent)):
        path = _private_copy(path, copied)
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
    # What a crash left in the WAL stays there.
    connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    return connection


def _private_copy(path: Path, copied: ExitStack) -> Path:
    """Copy a journal and its WAL into a private temporary directory; InUse where a system writes to them."""
    try:
        folder = Path(copied.enter_context(TemporaryDirectory(prefix="croupier-journal-")))
        with path.open("rb") as journal:
            # A running system has a lock on these bytes of the file for as long as it runs.
            fcntl.lockf(journal, fcntl.LOCK_SH | fcntl.LOCK_NB, SHARED_BYTES, SHARED_BEGINS)
            for each in (path, path.with_name(f"{path.name}-wal")):
                shutil.copyfile(each, folder.joinpath(each.name))
    except BlockingIOError as error:
        raise StoreLocked("the journal is in use by another process") from error
    except OSError as error:
        raise JournalFault(f"the journal cannot be copied to be read: {error.strerror}: {error.filename}") from error
    return folder.joinpath(path.name)


@contextmanager
def _translated() -> Iterator[None]:
    """Say what SQLite says in the journal's own words."""
    try:
        yield
    except (apsw.BusyError, apsw.LockedError) as error:
        raise StoreLocked("the journal is in use by another process") from error
    except apsw.ConstraintError as error:
        raise Fenced(f"another writer has taken the journal, or written this already: {error}") from error
    except apsw.Error as error:
        raise JournalFault(f"the journal cannot be read or written: {type(error).__name__}: {error}") from error
