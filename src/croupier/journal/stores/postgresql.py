"""A store in PostgreSQL: a venue is a stream of pages in a database, fenced by its row; and messages about tickets."""

import os
import secrets
import socket
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from datetime import timedelta
from itertools import starmap
from pathlib import Path
from typing import Any, Final, LiteralString, NamedTuple

import psycopg
from psycopg.types.numeric import Int8

from croupier.journal.checkpoints import Checkpoint, Verifier
from croupier.journal.claims import (
    CLAIM_MS,
    READ_MAX,
    Genuine,
    Incoming,
    MessageKind,
    Outgoing,
    TicketMessage,
    recipients,
)
from croupier.journal.disk import Fenced, JournalCorrupt, JournalFault, StoreLocked
from croupier.journal.entry import Fence, Page
from croupier.journal.stores import STATUS_MAX, FenceMac, next_epoch, without_key
from croupier.journal.stores.database import (
    closed_on_error,
    connect,
    open_follower,
    open_reader,
    open_writer,
    translated,
    use_schema,
)
from croupier.journal.stores.sqlite import PageCopy, SqliteCopy, checkpoint_of_row

#: How long a lease lasts after it was renewed.
LEASE_MS: Final = 2_000
#: The channel on which a leader announces pages, and that it has stopped.
_CHANNEL: Final = "croupier"
_PAGES_PER_QUERY: Final = 50
_CHECKPOINTS_PER_QUERY: Final = 50

# Names have no schema: the role of a venue, and one that only reads, have views.
_FIND: Final = "SELECT id FROM venue WHERE name = %s"
_ADD: Final = "INSERT INTO venue (name) VALUES (%s) ON CONFLICT (name) DO NOTHING"
_FENCE: Final = "SELECT epoch, mac FROM venue WHERE id = %s"
#: The statement that writes checks the fence and the number itself, and locks the fence until it is committed. Another
#: that moves the fence waits for that, and after it this one finds no row.
_APPEND: Final = """
WITH fence AS (SELECT id FROM venue WHERE id = %b AND epoch = %b FOR SHARE)
INSERT INTO page (venue, number, epoch, first, last, head, body, mac)
SELECT fence.id, %b, %b, %b, %b, %b, %b, %b FROM fence
WHERE %b = 1 + (SELECT coalesce(max(number), 0) FROM page WHERE venue = fence.id)
"""
_SIGN: Final = """
WITH fence AS (SELECT id FROM venue WHERE id = %b AND epoch = %b FOR SHARE)
INSERT INTO checkpoint (venue, number, epoch, body, signature)
SELECT fence.id, %b, %b, %b, %b FROM fence
WHERE %b = 1 + (SELECT coalesce(max(number), 0) FROM checkpoint WHERE venue = fence.id)
"""
_PAGES: Final = "SELECT number, epoch, first, last, head, body, mac FROM page WHERE venue = %s"
_CHECKPOINTS: Final = "SELECT number, epoch, body, signature FROM checkpoint WHERE venue = %s"
#: A lease ends with its time, or with the session of its holder. A session has a name of its own; another that takes
#: the same name only keeps a lease until its time ends.
_ALIVE: Final = """ends > clock_timestamp() AND EXISTS (
    SELECT FROM pg_stat_activity WHERE application_name = lease.session
)"""
_LEASE: Final = f"SELECT holder FROM lease WHERE venue = %(venue)s AND session != %(session)s AND {_ALIVE}"  # noqa: S608 - constants
_TAKE: Final = """
INSERT INTO lease (venue, holder, session, ends)
VALUES (%(venue)s, %(holder)s, %(session)s, clock_timestamp() + %(lasts)s * interval '1 ms')
ON CONFLICT (venue) DO UPDATE SET holder = excluded.holder, session = excluded.session, ends = excluded.ends
"""
_RENEW: Final = """
UPDATE lease SET ends = clock_timestamp() + %(lasts)s * interval '1 ms', status = %(status)s
WHERE venue = %(venue)s AND session = %(session)s
"""


def this_process() -> str:
    """Name this process for the operators of others."""
    return f"process {os.getpid()} on {socket.gethostname()}"


class PostgresStore:
    """Stores the journal of one venue in a database, synced at every commit.

    A lease in the database says which system writes. It only decides when another may take over: what is written is
    admitted by the fence, in the transaction that writes it.
    """

    def __init__(
        self, address: str, venue: str, *, writing: bool = True, following: bool = False, lease_ms: int = LEASE_MS
    ) -> None:
        self.address, self._venue, self._lease_ms = address, venue, lease_ms
        #: Holds the lease, and is notified of pages. Its commits need no sync: a lost renewal only ends a lease.
        self._session: psycopg.Connection[Any] | None = None
        with ExitStack() as opened:
            self._connection = (open_follower if following else open_writer if writing else open_reader)(address)
            opened.callback(self._connection.close)
            self._id = self._find(writing=writing)
            #: The name of the session that holds the lease.
            self._name = f"lease {secrets.token_hex(8)}"
            if writing:
                self._session = self._open_session(address)
                self._name = self._session.info.get_parameters()["application_name"]
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
        session = connect(address, self._name)
        with closed_on_error(session), translated():
            use_schema(session)
            session.execute("SET synchronous_commit = off")
            session.execute(f"LISTEN {_CHANNEL}")
        return session

    def fence(self, above: int | None = None, mac: FenceMac = without_key) -> int:
        with translated(), self._connection.transaction():
            row = self._connection.execute("SELECT epoch, mac FROM venue WHERE id = %s FOR UPDATE", (self._id,))
            epoch = next_epoch(Fence(*_one(row)), above)
            if (holder := self.holder()) is not None:
                raise StoreLocked(f"the journal of {self._venue} is in use by {holder}")
            self._connection.execute(
                "UPDATE venue SET epoch = %s, mac = %s WHERE id = %s", (epoch, mac(epoch), self._id)
            )
            self._connection.execute(_TAKE, self._lease())
        return epoch

    def _lease(self) -> dict[str, Any]:
        return {"venue": self._id, "holder": this_process(), "session": self._name, "lasts": self._lease_ms}

    def holder(self) -> str | None:
        """Return the other system that has the lease now, if any."""
        with translated():
            row = self._connection.execute(_LEASE, {"venue": self._id, "session": self._name}).fetchone()
        return None if row is None else str(row[0])

    def renew(self, status: str = "{}") -> None:
        """Renew the lease, and announce the pages since; Fenced when another system has taken it."""
        assert self._session is not None
        # The table takes no longer one, and a house does not stop for it.
        status = status if len(status.encode()) <= STATUS_MAX else "{}"
        with translated():
            renewed = self._session.execute(_RENEW, self._lease() | {"status": status}).rowcount
            self._announce(self._session)
        if renewed != 1:
            raise Fenced(f"another system has taken the journal of {self._venue}")

    def _announce(self, session: psycopg.Connection[Any]) -> None:
        _notify(session, _CHANNEL, self._venue)

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
        while pages := self._read_pages("AND number > %s ORDER BY number LIMIT %s", after, _PAGES_PER_QUERY):
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
        rows = self._read(f"{_CHECKPOINTS} ORDER BY number DESC LIMIT %s", _CHECKPOINTS_PER_QUERY)
        while rows:
            yield from starmap(checkpoint_of_row, rows)
            which: LiteralString = f"{_CHECKPOINTS} AND number < %s ORDER BY number DESC LIMIT %s"
            rows = self._read(which, rows[-1][0], _CHECKPOINTS_PER_QUERY)

    def next_checkpoint(self, after: int) -> Checkpoint | None:
        rows = self._read(f"{_CHECKPOINTS} AND number > %s ORDER BY number LIMIT 1", after)
        return next(starmap(checkpoint_of_row, rows), None)

    def backup_to(self, path: Path) -> PageCopy:
        """Begin to copy the journal into an SQLite file; pages committed meanwhile are in the copy too."""
        return PageCopy(self, SqliteCopy(path))

    @contextmanager
    def repairing(self) -> Iterator[None]:
        """Begin a transaction of the owner in which no system writes; StoreLocked when one has the lease."""
        with translated(), self._connection.transaction():
            self._connection.execute("SELECT FROM venue WHERE id = %s FOR UPDATE", (self._id,))
            if (holder := self.holder()) is not None:
                raise StoreLocked(f"the journal of {self._venue} is in use by {holder}")
            yield

    def foreign_checkpoints(self, verifier: Verifier) -> list[int]:
        """List the numbers of checkpoints that are not signed with the venue's key, or not in their place."""
        rows = self._read(f"{_CHECKPOINTS} ORDER BY number")
        return [row[0] for row in rows if not _is_genuine(row, verifier)]

    def quarantine(self, pages: Iterable[int] | None = None, checkpoints: Iterable[int] | None = None) -> None:
        """Move pages and checkpoints out of the journal, as they are; all of them for None."""
        with translated():
            for table, numbers in (("page", pages), ("checkpoint", checkpoints)):
                named = {"venue": self._id, "numbers": None if numbers is None else list(numbers), "source": table}
                self._connection.execute(_QUARANTINE.format(table=table), named)

    def move_fence(self, fence: Fence) -> None:
        """Replace the fence."""
        with translated():
            moved = "UPDATE venue SET epoch = %s, mac = %s WHERE id = %s"
            self._connection.execute(moved, (fence.epoch, fence.mac, self._id))

    def close(self) -> None:
        """Release the lease, if this has it, and disconnect. A connection that is lost is closed already."""
        if self._session is not None:
            with suppress(psycopg.Error), self._session:
                ended = "UPDATE lease SET ends = '-infinity' WHERE venue = %s AND session = %s"
                if self._session.execute(ended, (self._id, self._name)).rowcount:
                    self._announce(self._session)
        self._connection.close()


def _notify(connection: psycopg.Connection[Any], channel: str, venue: str) -> None:
    """Announce something, after its commit: those who wait look again after a while anyway.

    All databases of a server share the queue of announcements, which any role can fill.
    """
    with suppress(psycopg.Error):
        connection.execute("SELECT pg_notify(%s, %s)", (channel, venue))


#: What the owner removes stays readable.
_QUARANTINE: Final = """
WITH removed AS (
    DELETE FROM croupier.{table} WHERE venue = %(venue)s
    AND (%(numbers)s::bigint[] IS NULL OR number = ANY(%(numbers)s)) RETURNING *
)
INSERT INTO croupier.quarantine (venue, source, content) SELECT venue, %(source)s, to_jsonb(removed) FROM removed
"""


def _is_genuine(row: tuple[Any, ...], verifier: Verifier) -> bool:
    """Return whether the row of a checkpoint is the venue's, and in its place."""
    try:
        return checkpoint_of_row(*row).verify(verifier)
    except JournalCorrupt:
        return False


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
    coalesce(number, 0), coalesce(last, 0), left(coalesce(status, '{{}}'), {STATUS_MAX + 1})
FROM venue LEFT JOIN lease ON lease.venue = id LEFT JOIN LATERAL (
    SELECT number, last FROM page WHERE page.venue = id ORDER BY number DESC LIMIT 1
) AS page ON true ORDER BY name
"""  # noqa: S608 - constants


def list_venues(address: str) -> list[ListedVenue]:
    """List the venues of a database."""
    with translated(), open_reader(address) as connection:
        return [ListedVenue(*row) for row in connection.execute(_VENUES)]


def _one(cursor: psycopg.Cursor[Any]) -> tuple[int, bytes]:
    row = cursor.fetchone()
    if row is None:
        raise JournalFault("the row of the venue is missing")
    return int(row[0]), bytes(row[1])


#: The channel on which venues announce messages about tickets.
_TICKETS: Final = "croupier_ticket"
#: No bearer waits for a claim or a response that is older.
_FORGOTTEN_MS: Final = 12 * CLAIM_MS

#: A message that is there already is the same one: the signature is a part of its key.
_SEND: Final = """
INSERT INTO ticket_message (kind, sender, recipient, number, body, signature) VALUES (%s, %s, %s, %s, %s, %s)
ON CONFLICT (recipient, kind, sender, number, signature) DO NOTHING
"""
#: Deletes claims and responses of a venue: those with the numbers given and older than a time, or all for null.
_WITHDRAW: Final = "SELECT withdraw(%s, %s, %s, %s::bigint * interval '1 ms')"
_COLUMNS: Final = "message.kind, message.sender, message.recipient, message.number, message.body, message.signature"
#: The claims that are not answered yet.
_CLAIMS: Final = f"""
SELECT {_COLUMNS} FROM ticket_message AS message
WHERE recipient = %s AND kind = 'claim' AND sender = %s
AND sent_at > clock_timestamp() - %s * interval '1 ms' AND NOT EXISTS (
    SELECT FROM ticket_message AS response
    WHERE response.recipient = message.sender AND response.kind = 'response' AND response.sender = message.recipient
    AND response.number = message.number
) ORDER BY sent_at LIMIT %s
"""  # noqa: S608 - constants
_RESPONSES: Final = f"""
SELECT {_COLUMNS} FROM ticket_message AS message
WHERE recipient = %s AND kind = 'response' AND sender = %s AND number = ANY(%s) LIMIT %s
"""  # noqa: S608 - constants
_TRANSFERS: Final = f"""
SELECT {_COLUMNS} FROM ticket_message AS message
WHERE recipient = %s AND kind = 'transfer' AND sender = %s AND (number, signature) > (%s, %s)
ORDER BY number, signature LIMIT %s
"""  # noqa: S608 - constants
_POTS: Final = f"""
SELECT {_COLUMNS} FROM ticket_message AS message
WHERE recipient = %s AND kind = 'pot' AND sender = %s ORDER BY sent_at DESC LIMIT %s
"""  # noqa: S608 - constants
_STORED: Final = f"""
SELECT {_COLUMNS} FROM ticket_message AS message
WHERE recipient = %s AND kind = 'transfer' AND sender = %s AND number = ANY(%s) LIMIT %s
"""  # noqa: S608 - constants
#: How often transfers are read for one that is genuine, at once.
_READS_MAX: Final = 8


#: A lost claim is a bearer who presents the ticket again.
_NOT_DURABLE: Final = "SET LOCAL synchronous_commit = off"


class PostgresClaims:
    """The messages to and from one venue. Every failure is a JournalFault; what was written may be written again.

    A row has one writer, its sender, and is never changed.
    """

    def __init__(self, address: str, venue: str) -> None:
        """Connect, and forget the claims and responses of an earlier run: no bearer waits for them any more.

        What it has said about pots is said again.
        """
        self._venue = venue
        #: The last of many transfers of a venue that were not genuine, by number and signature: the next are after it.
        self._passed: dict[str, tuple[int, bytes]] = {}
        self._connection = open_writer(address)
        with closed_on_error(self._connection), translated():
            again = [MessageKind.CLAIM, MessageKind.RESPONSE, MessageKind.POT]
            self._connection.execute(_WITHDRAW, (venue, again, None, None))

    def send_and_receive(self, outgoing: Outgoing, received: Mapping[str, int], genuine: Genuine) -> Incoming:
        """Write messages, transfers before the responses that promise them, and read those of the venues given."""
        connection = self._connection
        transfers = outgoing.of(MessageKind.TRANSFER)
        with translated():
            for write in (self._respond, self._claim, self._say_pots):
                with connection.transaction(), connection.cursor() as cursor:
                    write(cursor, outgoing)
            for venue in recipients(outgoing.messages):
                _notify(connection, _TICKETS, venue)
            read: list[TicketMessage] = []
            for venue, last in received.items():
                read += self._transfers(venue, last, genuine)
                read += self._messages(_RESPONSES, venue, list(outgoing.awaited), READ_MAX)
                read += self._messages(_CLAIMS, venue, CLAIM_MS, READ_MAX)
                read += self._messages(_POTS, venue, READ_MAX)
            stored = [each for venue in recipients(transfers) for each in self._stored(venue, transfers)]
        messages = tuple(filter(genuine, read))
        foreign = frozenset((each.sender, each.kind) for each in set(read) - set(messages))
        return Incoming(messages, foreign, tuple(stored))

    def _transfers(self, venue: str, last: int, genuine: Genuine) -> list[TicketMessage]:
        """Read the next transfers; if there are only others, the next call continues after those that were read."""
        after, read = max(self._passed.pop(venue, (0, b"")), (last + 1, b"")), []
        for _ in range(_READS_MAX):
            read = self._messages(_TRANSFERS, venue, *after, READ_MAX)
            if len(read) < READ_MAX or any(map(genuine, read)):
                return read
            after = (read[-1].number, read[-1].signature)
        self._passed[venue] = after
        return read

    def _stored(self, venue: str, transfers: list[TicketMessage]) -> list[TicketMessage]:
        """Read what is under the numbers of transfers to a venue: one more than there are, if any is foreign."""
        numbers = [each.number for each in transfers if each.recipient == venue]
        rows = self._connection.execute(_STORED, (venue, self._venue, numbers, len(numbers) + 1))
        return [_message(row) for row in rows]

    def _respond(self, cursor: psycopg.Cursor[Any], outgoing: Outgoing) -> None:
        """Write transfers and the responses that promise them, durably."""
        messages = [*outgoing.of(MessageKind.TRANSFER), *outgoing.of(MessageKind.RESPONSE)]
        if messages:
            cursor.execute(_WITHDRAW, (self._venue, [MessageKind.RESPONSE], None, _FORGOTTEN_MS))
            cursor.executemany(_SEND, messages)

    def _claim(self, cursor: psycopg.Cursor[Any], outgoing: Outgoing) -> None:
        claims = outgoing.of(MessageKind.CLAIM)
        if claims or outgoing.withdrawn:
            cursor.execute(_NOT_DURABLE)
            cursor.execute(_WITHDRAW, (self._venue, [MessageKind.CLAIM], list(outgoing.withdrawn), None))
            cursor.executemany(_SEND, claims)

    def _say_pots(self, cursor: psycopg.Cursor[Any], outgoing: Outgoing) -> None:
        """Replace what was said about pots: a lost message is written again by the next start."""
        pots = outgoing.of(MessageKind.POT)
        if pots:
            cursor.execute(_NOT_DURABLE)
            cursor.execute(_WITHDRAW, (self._venue, [MessageKind.POT], None, None))
            cursor.executemany(_SEND, pots)

    def _messages(self, query: LiteralString, *values: Any) -> list[TicketMessage]:  # noqa: ANN401 - any column
        rows = self._connection.execute(query, (self._venue, *values), prepare=True)
        return [_message(row) for row in rows]

    def close(self) -> None:
        self._connection.close()


def _message(row: tuple[Any, ...]) -> TicketMessage:
    return TicketMessage(MessageKind(row[0]), *row[1:])


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
