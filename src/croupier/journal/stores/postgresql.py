"""A store in PostgreSQL: a venue is a stream of pages in a database, fenced by its row; and messages about tickets."""

import os
import socket
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, suppress
from datetime import timedelta
from itertools import starmap
from pathlib import Path
from typing import Any, Final, LiteralString, NamedTuple

import psycopg
from psycopg.types.numeric import Int8

from croupier.journal.checkpoints import Checkpoint
from croupier.journal.claims import (
    CLAIM_MS,
    READ_MAX,
    ClaimMessage,
    ClaimResponse,
    Incoming,
    Outgoing,
    TransferMessage,
)
from croupier.journal.disk import Fenced, JournalFault, StoreLocked
from croupier.journal.entry import Fence, Page
from croupier.journal.stores import FenceMac, next_epoch, without_key
from croupier.journal.stores.database import closed_on_error, connect, open_reader, open_writer, translated
from croupier.journal.stores.sqlite import PageCopy, SqliteCopy, checkpoint_of_row

#: How long a lease lasts after it was renewed.
LEASE_MS: Final = 2_000
#: The class of the advisory locks that the sessions of leaders hold.
_LOCK_CLASS: Final = 0x6372
#: The channel on which a leader announces pages, and that it has stopped.
_CHANNEL: Final = "croupier"
_PAGES_AT_ONCE: Final = 50
_CHECKPOINTS_AT_ONCE: Final = 50

_FIND: Final = "SELECT id FROM croupier.venue WHERE name = %s"
_ADD: Final = "INSERT INTO croupier.venue (name) VALUES (%s) ON CONFLICT (name) DO NOTHING"
_FENCE: Final = "SELECT epoch, mac FROM croupier.venue WHERE id = %s"
#: The statement that writes checks the fence and the number itself, and locks the fence until it is committed. Another
#: that moves the fence waits for that, and after it this one finds no row.
_APPEND: Final = """
WITH fence AS (SELECT id FROM croupier.venue WHERE id = %b AND epoch = %b FOR SHARE)
INSERT INTO croupier.page (venue, number, epoch, first, last, head, body, mac)
SELECT fence.id, %b, %b, %b, %b, %b, %b, %b FROM fence
WHERE %b = 1 + (SELECT coalesce(max(number), 0) FROM croupier.page WHERE venue = fence.id)
"""
_SIGN: Final = """
WITH fence AS (SELECT id FROM croupier.venue WHERE id = %b AND epoch = %b FOR SHARE)
INSERT INTO croupier.checkpoint (venue, number, epoch, body, signature)
SELECT fence.id, %b, %b, %b, %b FROM fence
WHERE %b = 1 + (SELECT coalesce(max(number), 0) FROM croupier.checkpoint WHERE venue = fence.id)
"""
_PAGES: Final = "SELECT number, epoch, first, last, head, body, mac FROM croupier.page WHERE venue = %s"
_CHECKPOINTS: Final = "SELECT number, epoch, body, signature FROM croupier.checkpoint WHERE venue = %s"
#: A lease ends with its time, or with the session of its holder, whose lock ends with it.
_ALIVE: Final = """ends > clock_timestamp() AND EXISTS (
    SELECT FROM pg_locks
    WHERE locktype = 'advisory' AND classid = %(lock_class)s AND objid = lease.venue AND pid = lease.backend
)"""
_LEASE: Final = f"SELECT holder FROM croupier.lease WHERE venue = %(venue)s AND backend != %(backend)s AND {_ALIVE}"  # noqa: S608 - constants
_TAKE: Final = """
INSERT INTO croupier.lease (venue, holder, backend, ends)
VALUES (%(venue)s, %(holder)s, %(backend)s, clock_timestamp() + %(lasts)s * interval '1 ms')
ON CONFLICT (venue) DO UPDATE SET holder = excluded.holder, backend = excluded.backend, ends = excluded.ends
"""
_RENEW: Final = """
UPDATE croupier.lease SET ends = clock_timestamp() + %(lasts)s * interval '1 ms', status = %(status)s
WHERE venue = %(venue)s AND backend = %(backend)s
"""


def this_process() -> str:
    """Name this process for the operators of others."""
    return f"process {os.getpid()} on {socket.gethostname()}"


class PostgresStore:
    """Stores the journal of one venue in a database, synced at every commit.

    A lease in the database says which system writes. It only decides when another may take over: what is written is
    admitted by the fence, in the transaction that writes it.
    """

    def __init__(self, address: str, venue: str, *, writing: bool = True, lease_ms: int = LEASE_MS) -> None:
        self.address, self._venue, self._lease_ms = address, venue, lease_ms
        #: Holds the lease, and is notified of pages. Its commits need no sync: a lost renewal only ends a lease.
        self._session: psycopg.Connection[Any] | None = None
        with ExitStack() as opened:
            self._connection = open_writer(address) if writing else open_reader(address)
            opened.callback(self._connection.close)
            self._id = self._find(writing=writing)
            if writing:
                self._session = self._open_session(address)
            opened.pop_all()

    def _find(self, *, writing: bool) -> int:
        with translated():
            row = self._connection.execute(_FIND, (self._venue,)).fetchone()
            if row is None and writing:
                self._connection.execute(_ADD, (self._venue,))
                row = self._connection.execute(_FIND, (self._venue,)).fetchone()
        if row is None:
            raise JournalFault(f"the database has no venue {self._venue}")
        return int(row[0])

    def _open_session(self, address: str) -> psycopg.Connection[Any]:
        session = connect(address, "lease")
        with closed_on_error(session), translated():
            session.execute("SET synchronous_commit = off")
            # Shared: a paused leader keeps its lock, and must not keep another from taking over.
            session.execute("SELECT pg_advisory_lock_shared(%s::int, %s::int)", (_LOCK_CLASS, self._id))
            session.execute(f"LISTEN {_CHANNEL}")
        return session

    @property
    def _backend(self) -> int:
        return 0 if self._session is None else self._session.info.backend_pid

    def fence(self, above: int | None = None, mac: FenceMac = without_key) -> int:
        with translated(), self._connection.transaction():
            row = self._connection.execute(
                "SELECT epoch, mac FROM croupier.venue WHERE id = %s FOR UPDATE", (self._id,)
            )
            epoch = next_epoch(Fence(*_one(row)), above)
            if (holder := self.holder()) is not None:
                raise StoreLocked(f"the journal of {self._venue} is in use by {holder}")
            self._connection.execute(
                "UPDATE croupier.venue SET epoch = %s, mac = %s WHERE id = %s", (epoch, mac(epoch), self._id)
            )
            self._connection.execute(_TAKE, self._lease())
        return epoch

    def _lease(self) -> dict[str, Any]:
        return {"venue": self._id, "holder": this_process(), "backend": self._backend, "lasts": self._lease_ms}

    def holder(self) -> str | None:
        """Return the other system that has the lease now, if any."""
        with translated():
            named = {"venue": self._id, "backend": self._backend, "lock_class": _LOCK_CLASS}
            row = self._connection.execute(_LEASE, named).fetchone()
        return None if row is None else str(row[0])

    def renew(self, status: str = "{}") -> None:
        """Renew the lease, and announce the pages since; Fenced when another system has taken it."""
        assert self._session is not None
        with translated():
            renewed = self._session.execute(_RENEW, self._lease() | {"status": status}).rowcount
            self._announce(self._session)
        if renewed != 1:
            raise Fenced(f"another system has taken the journal of {self._venue}")

    def _announce(self, session: psycopg.Connection[Any]) -> None:
        session.execute("SELECT pg_notify(%s, %s)", (_CHANNEL, self._venue))

    def wait(self, milliseconds: int) -> None:
        """Wait until pages are announced, or the lease was released, for so long at most."""
        assert self._session is not None
        with translated():
            for _ in self._session.notifies(timeout=timedelta(milliseconds=milliseconds).total_seconds(), stop_after=1):
                pass

    def fenced(self) -> Fence:
        with translated():
            return Fence(*_one(self._connection.execute(_FENCE, (self._id,))))

    def append(self, page: Page) -> None:
        numbers = tuple(map(Int8, page[:4]))
        self._insert(_APPEND, numbers, page[4:])

    def sign(self, checkpoint: Checkpoint) -> None:
        statement = checkpoint.statement()
        self._insert(_SIGN, (Int8(statement.number), Int8(statement.epoch)), (checkpoint.body, checkpoint.signature))

    def _insert(self, statement: LiteralString, numbers: tuple[int, ...], contents: tuple[bytes, ...]) -> None:
        number, epoch = numbers[:2]
        values = (self._id, epoch, *numbers, *contents, number)
        with translated():
            inserted = self._connection.execute(statement, values, prepare=True).rowcount
        if inserted != 1:
            raise Fenced("another writer has begun a new epoch, or written this already")

    def pages(self, after: int = 0) -> Iterator[Page]:
        while pages := self._read_pages("AND number > %s ORDER BY number LIMIT %s", after, _PAGES_AT_ONCE):
            yield from pages
            after = pages[-1].number

    def page(self, number: int) -> Page | None:
        return next(iter(self._read_pages("AND number = %s", number)), None)

    def last(self) -> Page | None:
        return next(iter(self._read_pages("ORDER BY number DESC LIMIT 1")), None)

    def _read_pages(self, which: LiteralString, *values: int) -> list[Page]:
        return list(starmap(Page, self._read(f"{_PAGES} {which}", *values)))

    def _read(self, query: LiteralString, *values: int) -> list[tuple[Any, ...]]:
        with translated(), self._connection.cursor(binary=True) as cursor:
            return cursor.execute(query, (self._id, *values)).fetchall()

    def checkpoints(self) -> Iterator[Checkpoint]:
        # Most readers need the last few of many.
        rows = self._read(f"{_CHECKPOINTS} ORDER BY number DESC LIMIT %s", _CHECKPOINTS_AT_ONCE)
        while rows:
            yield from starmap(checkpoint_of_row, rows)
            which: LiteralString = f"{_CHECKPOINTS} AND number < %s ORDER BY number DESC LIMIT %s"
            rows = self._read(which, rows[-1][0], _CHECKPOINTS_AT_ONCE)

    def next_checkpoint(self, after: int) -> Checkpoint | None:
        rows = self._read(f"{_CHECKPOINTS} AND number > %s ORDER BY number LIMIT 1", after)
        return next(starmap(checkpoint_of_row, rows), None)

    def backup_to(self, path: Path) -> PageCopy:
        """Begin to copy the journal into an SQLite file; pages committed meanwhile are in the copy too."""
        return PageCopy(self, SqliteCopy(path))

    def close(self) -> None:
        """Release the lease, if this has it, and disconnect. A connection that is lost is closed already."""
        if self._session is not None:
            with suppress(psycopg.Error), self._session:
                ended = "UPDATE croupier.lease SET ends = '-infinity' WHERE venue = %s AND backend = %s"
                if self._session.execute(ended, (self._id, self._backend)).rowcount:
                    self._announce(self._session)
        self._connection.close()


class ListedVenue(NamedTuple):
    """A venue of a database: who runs it, how far its journal is, and what its leader says of it."""

    venue: str
    epoch: int
    #: None when no system runs it.
    holder: str | None
    pages: int
    entries: int
    #: As the leader gave it with its last renewal, in JSON.
    status: str


_VENUES: Final = f"""
SELECT
    name, venue.epoch, CASE WHEN {_ALIVE} THEN holder END,
    coalesce(number, 0), coalesce(last, 0), coalesce(status, '{{}}')
FROM croupier.venue LEFT JOIN croupier.lease ON lease.venue = id LEFT JOIN LATERAL (
    SELECT number, last FROM croupier.page WHERE page.venue = id ORDER BY number DESC LIMIT 1
) AS page ON true ORDER BY name
"""  # noqa: S608 - constants


def list_venues(address: str) -> list[ListedVenue]:
    """List the venues of a database."""
    with translated(), open_reader(address) as connection:
        return [ListedVenue(*row) for row in connection.execute(_VENUES, {"lock_class": _LOCK_CLASS})]


def _one(cursor: psycopg.Cursor[Any]) -> tuple[int, bytes]:
    row = cursor.fetchone()
    if row is None:
        raise JournalFault("the row of the venue is missing")
    return int(row[0]), bytes(row[1])


#: The channel on which venues announce messages about tickets.
_TICKETS: Final = "croupier_ticket"

_ASK: Final = """
INSERT INTO croupier.ticket_claim (issuer, claimant, token, body, mac) VALUES (%s, %s, %s, %s, %s)
ON CONFLICT (issuer, claimant, token)
DO UPDATE SET body = excluded.body, mac = excluded.mac, sent_at = clock_timestamp(), response = NULL
"""
#: Rows are locked in one order everywhere, so that venues do not wait for each other in a circle.
_WITHDRAW: Final = """
WITH found AS (
    SELECT issuer, claimant, token FROM croupier.ticket_claim
    WHERE claimant = %s AND token = ANY(%s) ORDER BY token, issuer FOR UPDATE
)
DELETE FROM croupier.ticket_claim AS claim USING found
WHERE (claim.issuer, claim.claimant, claim.token) = (found.issuer, found.claimant, found.token)
"""
_FORGET: Final = "DELETE FROM croupier.ticket_claim WHERE claimant = %s"
_RESPOND: Final = "UPDATE croupier.ticket_claim SET response = %s WHERE issuer = %s AND claimant = %s AND token = %s"
_TRANSFER: Final = """
INSERT INTO croupier.ticket_transfer (issuer, claimant, number, body, mac) VALUES (%s, %s, %s, %s, %s)
ON CONFLICT (claimant, issuer, number) DO NOTHING
"""
_CLAIMS: Final = """
SELECT claimant, token, body, mac FROM croupier.ticket_claim
WHERE issuer = %s AND response IS NULL AND sent_at > clock_timestamp() - %s * interval '1 ms' ORDER BY sent_at LIMIT %s
"""
_RESPONSES: Final = (
    "SELECT issuer, token, response FROM croupier.ticket_claim WHERE claimant = %s AND response IS NOT NULL"
)
_TRANSFERS: Final = """
SELECT issuer, number, body, mac FROM croupier.ticket_transfer
WHERE claimant = %s AND issuer = %s AND number > %s ORDER BY number LIMIT %s
"""


#: A lost claim is a bearer who presents the ticket again.
_NOT_DURABLE: Final = "SET LOCAL synchronous_commit = off"
TicketMessage = ClaimMessage | ClaimResponse | TransferMessage


class PostgresClaims:
    """The messages to and from one venue. Every failure is a JournalFault; what was written may be written again."""

    def __init__(self, address: str, venue: str) -> None:
        """Connect, and forget the claims of an earlier run: no bearer waits for them any more."""
        self._venue = venue
        self._connection = open_writer(address)
        with closed_on_error(self._connection), translated():
            self._connection.execute(_FORGET, (venue,))

    def send_and_receive(self, outgoing: Outgoing, received: Mapping[str, int]) -> Incoming:
        """Write messages, transfers before the responses that promise them, and read those since."""
        connection = self._connection
        with translated():
            for write in (self._respond, self._withdraw, self._claim):
                with connection.transaction(), connection.cursor() as cursor:
                    write(cursor, outgoing)
            claims = connection.execute(_CLAIMS, (self._venue, CLAIM_MS, READ_MAX), prepare=True).fetchall()
            responses = connection.execute(_RESPONSES, (self._venue,), prepare=True).fetchall()
            transfers = [row for venue, last in received.items() for row in self._transfers(venue, last)]
        return Incoming(
            tuple(ClaimMessage(*row) for row in claims),
            tuple(ClaimResponse(*row) for row in responses),
            tuple(TransferMessage(*row) for row in transfers),
        )

    def _respond(self, cursor: psycopg.Cursor[Any], outgoing: Outgoing) -> None:
        """Write transfers and the responses that promise them, durably."""
        here, responses = self._venue, sorted(outgoing.responses, key=lambda each: (each.token, each.venue))
        cursor.executemany(_TRANSFER, [(here, *each) for each in outgoing.transfers])
        cursor.executemany(_RESPOND, [(each.response, here, each.venue, each.token) for each in responses])
        self._announce(cursor, (*outgoing.responses, *outgoing.transfers))

    def _withdraw(self, cursor: psycopg.Cursor[Any], outgoing: Outgoing) -> None:
        if outgoing.withdrawn:
            cursor.execute(_NOT_DURABLE)
            cursor.execute(_WITHDRAW, (self._venue, list(outgoing.withdrawn)))

    def _claim(self, cursor: psycopg.Cursor[Any], outgoing: Outgoing) -> None:
        if outgoing.claims:
            cursor.execute(_NOT_DURABLE)
            claims = sorted(outgoing.claims, key=lambda each: (each.token, each.venue))
            cursor.executemany(_ASK, [(each.venue, self._venue, *each[1:]) for each in claims])
            self._announce(cursor, outgoing.claims)

    def _announce(self, cursor: psycopg.Cursor[Any], messages: Iterable[TicketMessage]) -> None:
        for venue in sorted({each.venue for each in messages}):
            cursor.execute("SELECT pg_notify(%s, %s)", (_TICKETS, venue))

    def _transfers(self, venue: str, last: int) -> list[tuple[Any, ...]]:
        return self._connection.execute(_TRANSFERS, (self._venue, venue, last, READ_MAX), prepare=True).fetchall()

    def close(self) -> None:
        self._connection.close()


class PostgresClaimListener:
    """Waits for messages to one venue."""

    def __init__(self, address: str, venue: str) -> None:
        self._venue = venue
        self._connection = connect(address, "tickets")
        with closed_on_error(self._connection), translated():
            self._connection.execute(f"LISTEN {_TICKETS}")

    def wait(self, milliseconds: int) -> bool:
        """Wait for a message, for so long at most; return whether there is one."""
        timeout = timedelta(milliseconds=milliseconds).total_seconds()
        with translated():
            return any(each.payload == self._venue for each in self._connection.notifies(timeout=timeout, stop_after=1))

    def close(self) -> None:
        self._connection.close()
