"""The database of journals in PostgreSQL: its address, the demands on its server, its tables and its roles."""

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final, LiteralString

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from croupier.journal.disk import Fenced, JournalFault

#: Earlier versions are not tested.
SERVER_MIN: Final = 140_000
#: A server that is gone is noticed within some seconds, also when its host lost power.
_PATIENCE: Final = {
    "connect_timeout": "5",
    "keepalives_idle": "5",
    "keepalives_interval": "2",
    "keepalives_count": "3",
    "tcp_user_timeout": "10000",
}
#: Without each of these a server may lose or damage what it has committed.
_DEMANDS: Final = {
    "fsync": ("on",),
    "full_page_writes": ("on",),
    "data_checksums": ("on",),
    "synchronous_commit": ("on", "remote_apply"),
}
_SESSION: Final = "SET default_transaction_isolation = 'read committed'"
_SNAPSHOT: Final = "SET default_transaction_isolation = 'repeatable read'; SET default_transaction_read_only = on"

#: What an operator can do about an error.
_EXPLAINED: Final[Mapping[tuple[type[psycopg.Error], ...], str]] = {
    (
        psycopg.errors.UndefinedTable,
        psycopg.errors.InvalidSchemaName,
    ): "the database has no journals: run `croupier database prepare`",
    (psycopg.errors.InsufficientPrivilege,): "the role may not do this: name it to `croupier database prepare --house`",
    (psycopg.errors.DiskFull,): "the disk of the database is full: free space on its host",
    (psycopg.errors.ReadOnlySqlTransaction,): "the database accepts no writes: it is a standby, or was made read-only",
    (psycopg.errors.TooManyConnections,): "the database has no connection left: raise its max_connections",
    (
        psycopg.errors.AdminShutdown,
        psycopg.errors.CrashShutdown,
        psycopg.errors.CannotConnectNow,
    ): "the database is stopping or starting",
}

Connection = psycopg.Connection[tuple[Any, ...]]

#: Each step brings the tables from the version before to its own; they are applied in order and never changed.
MIGRATIONS: Final[tuple[LiteralString, ...]] = (
    """
CREATE TABLE croupier.venue (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL UNIQUE,
    -- The fence: the last epoch that a system has begun, and its MAC.
    epoch bigint NOT NULL DEFAULT 0,
    mac bytea NOT NULL DEFAULT ''
);
-- Pages and checkpoints name a venue without a foreign key: the statement that inserts them has locked its row already.
CREATE TABLE croupier.page (
    venue integer NOT NULL,
    number bigint NOT NULL CHECK (number > 0),
    epoch bigint NOT NULL CHECK (epoch > 0),
    first bigint NOT NULL CHECK (first > 0),
    last bigint NOT NULL CHECK (last >= first),
    head bytea NOT NULL CHECK (octet_length(head) = 32),
    body bytea NOT NULL,
    mac bytea NOT NULL,
    PRIMARY KEY (venue, number)
);
-- A body has digests and amounts, which compress badly, and the writer waits for it.
ALTER TABLE croupier.page ALTER COLUMN body SET STORAGE EXTERNAL;
CREATE TABLE croupier.checkpoint (
    venue integer NOT NULL,
    number bigint NOT NULL,
    epoch bigint NOT NULL,
    body bytea NOT NULL,
    signature bytea NOT NULL,
    PRIMARY KEY (venue, number)
);
-- Who writes now. It decides when another system may take over, and never what may be written: the fence does.
CREATE TABLE croupier.lease (
    venue integer PRIMARY KEY,
    holder text NOT NULL,
    backend integer NOT NULL,
    ends timestamptz NOT NULL
);
""",
    # What the leader says of itself with each renewal, as JSON, for the operator of many venues.
    "ALTER TABLE croupier.lease ADD COLUMN status text NOT NULL DEFAULT '{}'",
    # Messages between venues about tickets. They only carry: what was transferred and received, the journals say.
    """
CREATE TABLE croupier.ticket_claim (
    issuer text NOT NULL,
    claimant text NOT NULL,
    token text NOT NULL,
    body text NOT NULL,
    mac bytea NOT NULL,
    sent_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- Null until the issuer has responded.
    response text,
    PRIMARY KEY (issuer, claimant, token)
);
CREATE INDEX ticket_claim_open ON croupier.ticket_claim (issuer, sent_at) WHERE response IS NULL;
CREATE INDEX ticket_claim_done ON croupier.ticket_claim (claimant) WHERE response IS NOT NULL;
CREATE TABLE croupier.ticket_transfer (
    issuer text NOT NULL,
    claimant text NOT NULL,
    number bigint NOT NULL CHECK (number > 0),
    body text NOT NULL,
    mac bytea NOT NULL,
    PRIMARY KEY (claimant, issuer, number)
);
""",
)
_FORMAT: Final = """
CREATE SCHEMA IF NOT EXISTS croupier;
CREATE TABLE IF NOT EXISTS croupier.format (version integer NOT NULL);
"""
#: What the role of a house may do: add pages and checkpoints, move the fence and the lease of a venue, and exchange
#: messages about tickets.
_WRITER: Final[tuple[LiteralString, ...]] = (
    "GRANT USAGE ON SCHEMA croupier TO {role}",
    "GRANT SELECT ON ALL TABLES IN SCHEMA croupier TO {role}",
    "GRANT INSERT ON croupier.page, croupier.checkpoint TO {role}",
    "GRANT INSERT (name), UPDATE (epoch, mac) ON croupier.venue TO {role}",
    "GRANT INSERT, UPDATE ON croupier.lease TO {role}",
    "GRANT INSERT, UPDATE, DELETE ON croupier.ticket_claim TO {role}",
    "GRANT INSERT ON croupier.ticket_transfer TO {role}",
)
_READER: Final[tuple[LiteralString, ...]] = (
    "GRANT USAGE ON SCHEMA croupier TO {role}",
    "GRANT SELECT ON ALL TABLES IN SCHEMA croupier TO {role}",
)
#: Two who prepare a database at once wait for each other by this number.
_PREPARING: Final = 0x63726F75


@contextmanager
def translated() -> Iterator[None]:
    """Translate the errors of PostgreSQL and of the connection into faults of the journal."""
    try:
        yield
    except psycopg.errors.UniqueViolation as error:
        raise Fenced("another writer has written this already") from error
    except psycopg.Error as error:
        details = " ".join(str(error).split())
        raise JournalFault(f"{_explained(error)}: {type(error).__name__}: {details}") from error


def _explained(error: psycopg.Error) -> str:
    """Say what failed, and what an operator can do about it."""
    found = next((words for kinds, words in _EXPLAINED.items() if isinstance(error, kinds)), None)
    if found is None and isinstance(error, psycopg.OperationalError) and error.sqlstate is None:
        # The server has sent nothing: the error is that of the connection.
        return "the database cannot be reached, or the connection to it was lost"
    return found or "the database cannot be read or written"


def connect(address: str, purpose: str) -> Connection:
    """Connect to a database; every statement is a transaction of its own. JournalFault when that fails."""
    name = f"croupier {purpose} {os.getpid()}"
    with translated():
        given = conninfo_to_dict(address)
        more = {key: value for key, value in _PATIENCE.items() if key not in given}
        return psycopg.connect(make_conninfo(address, application_name=name, **more), autocommit=True)


def open_writer(address: str) -> Connection:
    """Connect to write, to a server that loses nothing that it has committed."""
    connection = connect(address, "writer")
    with closed_on_error(connection), translated():
        check_server(connection)
        check_tables(connection)
        connection.execute(_SESSION)
    return connection


def open_reader(address: str) -> Connection:
    """Connect to read one consistent state; a standby server will do."""
    connection = connect(address, "reader")
    with closed_on_error(connection), translated():
        check_tables(connection)
        connection.execute(_SNAPSHOT)
        connection.autocommit = False
    return connection


@contextmanager
def closed_on_error(connection: Connection) -> Iterator[None]:
    """Close a connection when what follows fails."""
    try:
        yield
    except BaseException:
        connection.close()
        raise


def check_server(connection: Connection) -> None:
    """Refuse a server that may lose what it has committed, or that is a standby of another."""
    check_version(connection.info.server_version)
    check_settings((name, _value(connection, "SELECT current_setting(%s)", name)) for name in _DEMANDS)
    if _value(connection, "SELECT pg_is_in_recovery()"):
        raise JournalFault("this PostgreSQL is a standby of another: the house writes to the primary alone")


def check_version(version: int) -> None:
    """Refuse a version of PostgreSQL that is too old."""
    if version < SERVER_MIN:
        raise JournalFault(f"PostgreSQL {version // 10_000} is too old: {SERVER_MIN // 10_000} or newer is needed")


def check_settings(found: Iterable[tuple[str, Any]]) -> None:
    """Refuse settings with which committed data may be lost or damaged unnoticed."""
    for name, value in found:
        if value not in _DEMANDS[name]:
            raise JournalFault(f"PostgreSQL runs with {name} = {value}: {' or '.join(_DEMANDS[name])} is needed")


def check_tables(connection: Connection) -> None:
    """Refuse tables of another version, and tables with a trigger or a rule, which could change what is inserted."""
    found = _value(connection, "SELECT max(version) FROM croupier.format")
    if found != len(MIGRATIONS):
        words = f"the tables of the database have version {found or 0}, and this build needs version {len(MIGRATIONS)}"
        raise JournalFault(f"{words}: run `croupier database prepare` of the newer build")
    added = _value(
        connection,
        "SELECT (SELECT count(*) FROM pg_trigger WHERE NOT tgisinternal AND tgrelid IN (SELECT oid FROM pg_class"
        " WHERE relnamespace = 'croupier'::regnamespace)) + (SELECT count(*) FROM pg_rules"
        " WHERE schemaname = 'croupier')",
    )
    if added:
        raise JournalFault("the tables of the database were changed: they have triggers or rules")


def prepare(address: str, writers: Iterable[str] = (), readers: Iterable[str] = ()) -> int:
    """Create the tables or bring them up to date, and grant roles their rights; return the version before.

    It needs the rights of the owner, which a house does not have.
    """
    with translated(), connect(address, "preparation") as connection, connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (_PREPARING,))
        connection.execute(_FORMAT)
        before = _value(connection, "SELECT max(version) FROM croupier.format") or 0
        for number, statements in enumerate(MIGRATIONS[before:], start=before + 1):
            connection.execute(statements)
            connection.execute("INSERT INTO croupier.format VALUES (%s)", (number,))
        for role in writers:
            _permit(connection, _WRITER, role)
        for role in readers:
            _permit(connection, _READER, role)
    return int(before)


def _permit(connection: Connection, statements: Iterable[LiteralString], role: str) -> None:
    for statement in statements:
        connection.execute(sql.SQL(statement).format(role=sql.Identifier(role)))


def _value(connection: Connection, query: LiteralString, *values: Any) -> Any:  # noqa: ANN401 - any column
    row = connection.execute(query, values).fetchone()
    return None if row is None else row[0]
