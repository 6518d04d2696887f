"""The ticket index: closed tickets that have left the state, on disk, so that a cashier can look up when each was paid.

It is derived from the journal, and rebuilt from it when it is damaged or incomplete. It never makes a ticket payable:
each row has a MAC by the venue's key, and a row that fails it, cannot be decoded or is not closed is dropped. An audit
compares every row with the journal.
"""

from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Lock
from typing import Final, NamedTuple

import apsw
import msgspec
import structlog

from croupier.house import House
from croupier.house.credit.tickets import Ticket
from croupier.house.ids import Number
from croupier.journal.checkpoints import Signer
from croupier.journal.disk import JournalFault

TICKETS: Final = "tickets.db"
#: A file of another version, or of another shape, is rebuilt.
_VERSION: Final = 2
_TABLE: Final = f"""
CREATE TABLE IF NOT EXISTS ticket (
    retirement INTEGER PRIMARY KEY, digest TEXT NOT NULL, sequence INTEGER NOT NULL, body BLOB NOT NULL,
    mac BLOB NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS by_digest ON ticket (digest);
CREATE INDEX IF NOT EXISTS by_sequence ON ticket (sequence);
PRAGMA user_version = {_VERSION};
"""
_ROWS: Final = "SELECT retirement, digest, sequence, body, mac FROM ticket"
_DECODER: Final = msgspec.msgpack.Decoder(Ticket)
_PREFIX: Final = b"croupier ticket index 1\n"
_LOG = structlog.get_logger()


class _Row(NamedTuple):
    retirement: int
    digest: str
    sequence: int
    body: bytes
    mac: bytes

    @classmethod
    def of(cls, retirement: int, ticket: Ticket, signer: Signer) -> "_Row":
        row = cls(retirement, ticket.digest, ticket.sequence, msgspec.msgpack.encode(ticket), b"")
        return row._replace(mac=signer.mac(row.message))

    @property
    def message(self) -> bytes:
        """The message of the MAC; the body has the digest and the sequence."""
        return _PREFIX + b"%d " % self.retirement + self.body


class TicketIndex:
    """Closed tickets by the digest of their number and by their sequence; thread-safe."""

    def __init__(self, path: Path, signer: Signer) -> None:
        self._path, self._signer, self._lock = path, signer, Lock()
        #: None until a ticket leaves the state: most houses have no such file for a long time.
        self._connection = _open_or_recreate(path) if path.exists() else None
        #: Whether a write has failed: the index is incomplete from then on, and the next start rebuilds it.
        self._damaged = False

    def add(self, tickets: Iterable[Ticket], last: int) -> None:
        """Store tickets in the order in which they left the state; `last` is the number of the last one."""
        listed = list(tickets)
        rows = [_Row.of(number, each, self._signer) for number, each in enumerate(listed, start=last - len(listed) + 1)]
        if self._damaged:
            return
        try:
            with self._lock:
                self._connection = connection = self._connection or _open_or_recreate(self._path)
                with connection:
                    connection.executemany("INSERT OR REPLACE INTO ticket VALUES (?, ?, ?, ?, ?)", rows)
        except apsw.Error:
            # The journal has the same tickets: a house does not stop for its index.
            self._damaged = True

    def truncate(self, retired: int) -> bool:
        """Delete all tickets but the first so many that left the state; return whether there are as many."""
        if self._connection is None:
            return retired == 0
        try:
            with self._lock, self._connection as connection:
                connection.execute("DELETE FROM ticket WHERE retirement > ?", (retired,))
                count: int = connection.execute("SELECT count(*) FROM ticket").get
        except apsw.Error:
            self._connection.close()
            self._connection = _recreate(self._path)
            return retired == 0
        return count == retired

    def by_digest(self, digest: str) -> Ticket | None:
        """Find a closed ticket by the digest of its number: the last one, if it was transferred and came back."""
        return self._found(f"{_ROWS} WHERE digest = ? ORDER BY retirement DESC LIMIT 1", digest)

    def by_sequence(self, sequence: Number) -> Ticket | None:
        """Find a closed ticket by its sequence."""
        return self._found(f"{_ROWS} WHERE sequence = ?", sequence)

    def _found(self, query: str, value: str | int) -> Ticket | None:
        """Find a ticket; one that a damaged index does not find is refused as unknown."""
        if self._connection is None:
            return None
        try:
            with self._lock:
                while (found := self._connection.execute(query, (value,)).fetchone()) is not None:
                    row = _Row(*found)
                    ticket = _verified(row, self._signer)
                    if ticket is not None:
                        return ticket
                    # The next start misses the row, and rebuilds the index.
                    _LOG.error("ticket_index_damaged", retirement=row.retirement)
                    self._connection.execute("DELETE FROM ticket WHERE retirement = ?", (row.retirement,))
        except apsw.Error:
            pass
        return None

    def repair(self, tickets: Iterable[Ticket], last: int) -> int:
        """Compare tickets with those of the index, and rewrite it where they differ; return how many differed."""
        listed = list(tickets)
        try:
            with self._lock:
                wrong = _differing(self._connection, listed, last, self._signer)
        except apsw.Error:
            return len(listed)
        if wrong:
            _LOG.error("ticket_index_damaged", retirement=wrong[0])
            self.add(listed, last)
        return len(wrong)

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()


class StoredTickets:
    """The ticket index of a data directory, which is only read: for an audit."""

    def __init__(self, path: Path, signer: Signer | None) -> None:
        """Open it; JournalFault when it cannot be read. Without the venue's key no MAC is verified."""
        self._signer = signer
        self._connection: apsw.Connection | None = None
        if path.exists():
            with _as_fault():
                self._connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)

    def check(self, tickets: Iterable[Ticket], last: int) -> None:
        """Compare tickets with those of the index; JournalFault when one differs."""
        with _as_fault():
            wrong = _differing(self._connection, list(tickets), last, self._signer)
        if wrong:
            raise JournalFault(f"row {wrong[0]} of {TICKETS} is not what the journal says: delete it, {_REBUILT}")

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()


_REBUILT: Final = "and the next start rebuilds it"


@contextmanager
def _as_fault() -> Iterator[None]:
    try:
        yield
    except apsw.Error as error:
        raise JournalFault(f"{TICKETS} cannot be read: delete it, {_REBUILT}: {error}") from error


def _verified(row: _Row, signer: Signer | None) -> Ticket | None:
    """Decode a row that the venue has written; None for any other, and for a ticket that is not closed."""
    if signer is not None and not signer.verify_mac(row.mac, row.message):
        return None
    try:
        ticket = _DECODER.decode(row.body)
    except ValueError:
        return None
    return ticket if (ticket.digest, ticket.sequence) == row[1:3] and not ticket.payable else None


def _differing(connection: apsw.Connection | None, listed: list[Ticket], last: int, signer: Signer | None) -> list[int]:
    """List the rows that differ from tickets; the last may be missing, since they are written after the journal."""
    if connection is None:
        return []
    first, query = last - len(listed) + 1, f"{_ROWS} WHERE retirement BETWEEN ? AND ?"
    found = {row[0]: _Row(*row) for row in connection.execute(query, (first, last))}
    end: int = connection.execute("SELECT coalesce(max(retirement), 0) FROM ticket").get
    numbered = enumerate(listed[: max(0, end - first + 1)], start=first)
    return [number for number, ticket in numbered if number not in found or _verified(found[number], signer) != ticket]


def _open_or_recreate(path: Path) -> apsw.Connection:
    """Open an index; one that cannot be read, or of another shape, is recreated, and rebuilt from the journal."""
    try:
        return _open(path)
    except apsw.Error:
        return _recreate(path)


def _recreate(path: Path) -> apsw.Connection:
    for each in (path, path.with_name(f"{path.name}-wal"), path.with_name(f"{path.name}-shm")):
        each.unlink(missing_ok=True)
    return _open(path)


def _open(path: Path) -> apsw.Connection:
    is_new = not path.exists()
    connection = apsw.Connection(str(path))
    try:
        if not is_new and (connection.pragma("user_version") != _VERSION or _shape(connection) != _own_shape()):
            raise apsw.SchemaChangeError("another version or shape")
        connection.pragma("journal_mode", "wal")
        connection.pragma("synchronous", "NORMAL")
        connection.execute(_TABLE)
    except apsw.Error:
        connection.close()
        raise
    return connection


def _shape(connection: apsw.Connection) -> list[tuple[object, ...]]:
    """Return the definitions of a file: tables, indexes, views and triggers."""
    return list(connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name"))


def _own_shape() -> list[tuple[object, ...]]:
    with closing(apsw.Connection(":memory:")) as connection:
        connection.execute(_TABLE)
        return _shape(connection)


def store_retired(tickets: TicketIndex | None, house: House) -> None:
    """Store the tickets that have left the state in the index."""
    if tickets is not None and house.tickets.retired:
        tickets.add(house.tickets.retired.values(), house.tickets.retired_count)
