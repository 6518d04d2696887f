"""A store in SQLite: one file, one writer, one row for each batch, on the disk before anybody is told."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import starmap
from pathlib import Path
from typing import Any, ClassVar, Final

import apsw

from croupier.journal.checkpoint import Checkpoint
from croupier.journal.fault import Fenced, InUse, JournalFault
from croupier.journal.page import Page

#: Before this, a WAL that is reset while another connection reads can lose what was committed.
SQLITE_LEAST: Final = (3, 51, 3)
#: The form of the tables below.
FORM: Final = 1

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
CREATE TABLE fence (only_one INTEGER PRIMARY KEY CHECK (only_one = 1), epoch INTEGER NOT NULL) STRICT;
INSERT INTO fence VALUES (1, 0);
"""

#: The fence and the number before are looked at by the very statement that writes, not before it.
_ADMISSION: Final = """
CREATE TRIGGER next_{table} BEFORE INSERT ON {table} BEGIN
    SELECT RAISE(ABORT, 'an earlier epoch') WHERE NEW.epoch != (SELECT epoch FROM fence);
    SELECT RAISE(ABORT, 'not the next') WHERE NEW.number != 1 + (SELECT coalesce(max(number), 0) FROM {table});
END;
"""

_COLUMNS: Final = "SELECT number, epoch, first, last, head, lines, imprint FROM page"
_APPEND: Final = "INSERT INTO page VALUES (?, ?, ?, ?, ?, ?, ?)"
_SIGN: Final = "INSERT INTO checkpoint VALUES (?, ?, ?, ?)"


def gate(version: str) -> None:
    """Refuse an SQLite that may lose what it has committed."""
    if tuple(int(part) for part in version.split(".")) < SQLITE_LEAST:
        least = ".".join(map(str, SQLITE_LEAST))
        raise JournalFault(f"SQLite {version} may lose what it has committed: {least} or newer is needed")


class SqliteStore:
    """Keeps the journal in one SQLite file, in WAL mode, synchronised at every commit, and locked while it is open."""

    SYNCHRONOUS: ClassVar = "FULL"
    #: After so many pages the WAL is emptied into the file and begun anew.
    WAL_PAGES: ClassVar = 1_000

    def __init__(self, path: Path, *, writing: bool = True, vfs: str | None = None) -> None:
        gate(apsw.sqlite_lib_version())
        flags = apsw.SQLITE_OPEN_READWRITE | (apsw.SQLITE_OPEN_CREATE if writing else 0)
        # Reading leaves the files as they are: what a crash left in the WAL stays there.
        keeps_wal = not writing and Path(f"{path}-wal").exists()
        with _translated(), ExitStack() as opened:
            self._connection = apsw.Connection(str(path), flags=flags, vfs=vfs)
            opened.callback(self._connection.close)
            self._connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, keeps_wal)
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
            self._create()
        elif form != FORM:
            raise JournalFault(f"the journal has form {form}, and this software knows form {FORM}")

    def _empty_wal(self) -> None:
        """Empty what was left of the WAL, and see to it that it is emptied from now on."""
        # After a sync that failed the WAL may be read well from memory and not be on the disk: it is written out anew.
        self._connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
        # Left to itself, SQLite would pass over a fault while it does so, and let the WAL grow.
        self._connection.set_wal_hook(partial(_emptied, most=self.WAL_PAGES))

    def _create(self) -> None:
        with self._connection:
            admissions = (_ADMISSION.format(table=table) for table in ("page", "checkpoint"))
            self._connection.execute("".join((_TABLES, *admissions))).fetchall()
            self._connection.pragma("user_version", FORM)

    def fence(self, above: int = 0) -> int:
        with _translated(), self._connection:
            epoch = self._connection.execute("UPDATE fence SET epoch = max(epoch, ?) + 1 RETURNING epoch", (above,)).get
        assert isinstance(epoch, int)
        return epoch

    def append(self, page: Page) -> None:
        self._insert(_APPEND, page)

    def sign(self, checkpoint: Checkpoint) -> None:
        said = checkpoint.statement()
        self._insert(_SIGN, (said.number, said.epoch, checkpoint.body, checkpoint.signature))

    def _insert(self, statement: str, values: tuple[int | bytes, ...]) -> None:
        with _translated():
            self._connection.execute(statement, values)

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
            rows = self._connection.execute("SELECT body, signature FROM checkpoint ORDER BY number DESC").fetchall()
        return starmap(Checkpoint, [_typed(row, bytes, bytes) for row in rows])

    def close(self) -> None:
        with _translated():
            self._connection.close()


def _emptied(connection: apsw.Connection, _name: str, pages: int, *, most: int) -> int:
    if pages >= most:
        connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
    return apsw.SQLITE_OK


def _typed(row: tuple[Any, ...], *types: type) -> tuple[Any, ...]:
    """Hold a row against its form: SQLite does so when it is written, and not when it is read."""
    if tuple(map(type, row)) != types:
        raise JournalFault("the journal cannot be read: a row is not of the form in which it was written")
    return row


@contextmanager
def _translated() -> Iterator[None]:
    """Say what SQLite says in the journal's own words."""
    try:
        yield
    except (apsw.BusyError, apsw.LockedError) as error:
        raise InUse("the journal is in use by another process") from error
    except apsw.ConstraintError as error:
        raise Fenced(f"another writer has taken the journal, or written this already: {error}") from error
    except apsw.Error as error:
        raise JournalFault(f"the journal cannot be read or written: {type(error).__name__}: {error}") from error
