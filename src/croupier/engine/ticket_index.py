"""The ticket index: closed tickets that have left the state, on disk, so that a cashier can look up when each was paid.

It is derived from the journal, and rebuilt from it when it is damaged or incomplete. It never makes a ticket payable.
"""

from collections.abc import Iterable
from pathlib import Path
from threading import Lock
from typing import Final

import apsw
import msgspec

from croupier.house.ids import Number
from croupier.house.state import House
from croupier.house.state.money import Ticket

TICKETS: Final = "tickets.db"
_TABLE: Final = """
CREATE TABLE IF NOT EXISTS ticket (
    retirement INTEGER PRIMARY KEY, digest TEXT NOT NULL, sequence INTEGER NOT NULL, body BLOB NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS by_digest ON ticket (digest);
CREATE INDEX IF NOT EXISTS by_sequence ON ticket (sequence);
"""
_DECODER: Final = msgspec.msgpack.Decoder(Ticket)


class TicketIndex:
    """Closed tickets by the digest of their number and by their sequence; thread-safe."""

    def __init__(self, path: Path) -> None:
        self._path, self._lock = path, Lock()
        #: None until a ticket leaves the state: most houses have no such file for a long time.
        self._connection = _open_or_recreate(path) if path.exists() else None
        #: Whether a write has failed: the index is incomplete from then on, and the next start rebuilds it.
        self._damaged = False

    def add(self, tickets: Iterable[Ticket], last: int) -> None:
        """Store tickets in the order in which they left the state; `last` is the number of the last one."""
        listed = list(tickets)
        rows = (
            (number, each.digest, each.sequence, msgspec.msgpack.encode(each))
            for number, each in enumerate(listed, start=last - len(listed) + 1)
        )
        if self._damaged:
            return
        try:
            with self._lock:
                self._connection = connection = self._connection or _open_or_recreate(self._path)
                with connection:
                    connection.executemany("INSERT OR REPLACE INTO ticket VALUES (?, ?, ?, ?)", rows)
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
                # Rows are added in order, so the last one has their count.
                last: int | None = connection.execute("SELECT max(retirement) FROM ticket").get
        except apsw.Error:
            self._connection.close()
            self._connection = _recreate(self._path)
            return retired == 0
        return (last or 0) == retired

    def by_digest(self, digest: str) -> Ticket | None:
        """Find a closed ticket by the digest of its number: the last one, if it was transferred and came back."""
        return self._found("SELECT body FROM ticket WHERE digest = ? ORDER BY retirement DESC LIMIT 1", digest)

    def by_sequence(self, sequence: Number) -> Ticket | None:
        """Find a closed ticket by its sequence."""
        return self._found("SELECT body FROM ticket WHERE sequence = ?", sequence)

    def _found(self, query: str, value: str | int) -> Ticket | None:
        if self._connection is None:
            return None
        try:
            with self._lock:
                body = self._connection.execute(query, (value,)).get
        except apsw.Error:
            # A ticket that a damaged index does not find is refused as unknown.
            return None
        return None if body is None else _DECODER.decode(body)

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()


def _open_or_recreate(path: Path) -> apsw.Connection:
    """Open an index; one that cannot be read is recreated, and rebuilt from the journal."""
    try:
        return _open(path)
    except apsw.Error:
        return _recreate(path)


def _recreate(path: Path) -> apsw.Connection:
    for each in (path, path.with_name(f"{path.name}-wal"), path.with_name(f"{path.name}-shm")):
        each.unlink(missing_ok=True)
    return _open(path)


def _open(path: Path) -> apsw.Connection:
    connection = apsw.Connection(str(path))
    try:
        connection.pragma("journal_mode", "wal")
        connection.pragma("synchronous", "NORMAL")
        connection.execute(_TABLE)
    except apsw.Error:
        connection.close()
        raise
    return connection


def store_retired(tickets: TicketIndex | None, house: House) -> None:
    """Store the tickets that have left the state in the index."""
    if tickets is not None and house.retired:
        tickets.add(house.retired.values(), house.tickets_retired)
