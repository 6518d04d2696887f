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
    (psycopg.errors.InsufficientPrivilege,): "the role may not do this: name it to `croupier database prepare`",
    (psycopg.errors.LockNotAvailable,): "another session of the database holds a lock",
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
    # A venue has a role of its own, and the policies admit a role to the rows of its venue alone. A role that only
    # reads is listed in `reader`. Messages about tickets have one writer each, and are authentic by its signature: a
    # row under the number of another message cannot displace it, since the signature is a part of the key. A lease
    # names its session instead of a lock that any role could take.
    """
ALTER TABLE croupier.venue ADD COLUMN role name UNIQUE;
CREATE TABLE croupier.reader (role name PRIMARY KEY);
ALTER TABLE croupier.lease DROP COLUMN backend, ADD COLUMN session text NOT NULL DEFAULT '';
DROP TABLE croupier.ticket_claim, croupier.ticket_transfer;
CREATE TABLE croupier.ticket_message (
    recipient text NOT NULL,
    kind text NOT NULL CHECK (kind IN ('claim', 'response', 'transfer')),
    sender text NOT NULL,
    number bigint NOT NULL CHECK (number > 0),
    body text NOT NULL CHECK (octet_length(body) <= 16384),
    signature bytea NOT NULL CHECK (octet_length(signature) <= 64),
    sent_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (recipient, kind, sender, number, signature)
);
CREATE INDEX ticket_message_sent ON croupier.ticket_message (sender, kind, sent_at) WHERE kind <> 'transfer';
-- Rows that the owner has found to be foreign, as they were.
CREATE TABLE croupier.quarantine (
    venue integer NOT NULL,
    found_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    source text NOT NULL,
    content jsonb NOT NULL
);

ALTER TABLE croupier.venue ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON croupier.venue USING (role = current_user);
CREATE POLICY readers ON croupier.venue FOR SELECT
    USING (EXISTS (SELECT FROM croupier.reader WHERE reader.role = current_user));
ALTER TABLE croupier.page ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON croupier.page USING (venue = (SELECT id FROM croupier.venue WHERE role = current_user));
CREATE POLICY readers ON croupier.page FOR SELECT
    USING (EXISTS (SELECT FROM croupier.reader WHERE role = current_user));
ALTER TABLE croupier.checkpoint ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON croupier.checkpoint USING (venue = (SELECT id FROM croupier.venue WHERE role = current_user));
CREATE POLICY readers ON croupier.checkpoint FOR SELECT
    USING (EXISTS (SELECT FROM croupier.reader WHERE role = current_user));
ALTER TABLE croupier.lease ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON croupier.lease USING (venue = (SELECT id FROM croupier.venue WHERE role = current_user));
CREATE POLICY readers ON croupier.lease FOR SELECT
    USING (EXISTS (SELECT FROM croupier.reader WHERE role = current_user));
ALTER TABLE croupier.ticket_message ENABLE ROW LEVEL SECURITY;
CREATE POLICY sent ON croupier.ticket_message FOR INSERT
    WITH CHECK (sender = (SELECT name FROM croupier.venue WHERE role = current_user));
CREATE POLICY withdrawn ON croupier.ticket_message FOR DELETE
    USING (kind <> 'transfer' AND sender = (SELECT name FROM croupier.venue WHERE role = current_user));
CREATE POLICY own ON croupier.ticket_message FOR SELECT USING (
    sender = (SELECT name FROM croupier.venue WHERE role = current_user)
    OR recipient = (SELECT name FROM croupier.venue WHERE role = current_user)
);
CREATE POLICY readers ON croupier.ticket_message FOR SELECT
    USING (EXISTS (SELECT FROM croupier.reader WHERE role = current_user));
""",
    # A right to update or delete a whole table admits to every lock on it. Such rights are withdrawn from all roles; a
    # venue deletes its claims and responses by a function of the owner. The owner may call it for every venue.
    """
DROP POLICY withdrawn ON croupier.ticket_message;
CREATE FUNCTION croupier.withdraw(venue text, kinds text[], numbers bigint[], age interval) RETURNS SETOF bigint
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    DELETE FROM croupier.ticket_message WHERE sender = withdraw.venue AND kind <> 'transfer' AND kind = ANY(kinds)
    AND (numbers IS NULL OR number = ANY(numbers)) AND (age IS NULL OR sent_at < clock_timestamp() - age)
    AND (
        EXISTS (SELECT FROM croupier.venue WHERE name = withdraw.venue AND role = session_user)
        OR pg_has_role(session_user, current_user, 'USAGE')
    ) RETURNING number
$$;
REVOKE ALL ON FUNCTION croupier.withdraw FROM PUBLIC;
DO $$
DECLARE granted regrole;
BEGIN
    FOR granted IN SELECT DISTINCT grantee::regrole FROM pg_class, aclexplode(relacl)
        WHERE relnamespace = 'croupier'::regnamespace AND grantee NOT IN (0, relowner)
    LOOP
        EXECUTE format('REVOKE UPDATE, DELETE, TRUNCATE ON ALL TABLES IN SCHEMA croupier FROM %s', granted);
    END LOOP;
END $$;
""",
    # A statement that defines something on a table waits for its lock before rights are checked, and all others wait
    # behind it. A role that only reads therefore reaches no table: it has views, in a schema of their own.
    """
CREATE SCHEMA croupier_read;
CREATE VIEW croupier_read.format AS SELECT * FROM croupier.format;
CREATE VIEW croupier_read.venue AS SELECT * FROM croupier.venue;
CREATE VIEW croupier_read.page AS SELECT * FROM croupier.page;
CREATE VIEW croupier_read.checkpoint AS SELECT * FROM croupier.checkpoint;
CREATE VIEW croupier_read.lease AS SELECT * FROM croupier.lease;
CREATE VIEW croupier_read.ticket_message AS SELECT * FROM croupier.ticket_message;
DROP POLICY readers ON croupier.venue;
DROP POLICY readers ON croupier.page;
DROP POLICY readers ON croupier.checkpoint;
DROP POLICY readers ON croupier.lease;
DROP POLICY readers ON croupier.ticket_message;
""",
    # The same holds for the role of a venue: it has views, in a schema that no other role reaches. A role without
    # sign-in owns them, which the policies bind: they admit a session to the rows of its venue alone.
    """
ALTER POLICY own ON croupier.venue USING (role = session_user);
ALTER POLICY own ON croupier.page USING (venue = (SELECT id FROM croupier.venue WHERE role = session_user));
ALTER POLICY own ON croupier.checkpoint USING (venue = (SELECT id FROM croupier.venue WHERE role = session_user));
ALTER POLICY own ON croupier.lease USING (venue = (SELECT id FROM croupier.venue WHERE role = session_user));
ALTER POLICY own ON croupier.ticket_message USING (
    sender = (SELECT name FROM croupier.venue WHERE role = session_user)
    OR recipient = (SELECT name FROM croupier.venue WHERE role = session_user)
);
ALTER POLICY sent ON croupier.ticket_message
    WITH CHECK (sender = (SELECT name FROM croupier.venue WHERE role = session_user));
CREATE SCHEMA croupier_function;
ALTER FUNCTION croupier.withdraw SET SCHEMA croupier_function;
UPDATE croupier.lease SET holder = left(holder, 256), session = left(session, 64),
    status = CASE WHEN octet_length(status) <= 65536 THEN status ELSE '{}' END;
ALTER TABLE croupier.lease ADD CHECK (octet_length(status) <= 65536), ADD CHECK (length(holder) <= 256),
    ADD CHECK (length(session) <= 64);
DO $$
DECLARE granted regrole;
BEGIN
    FOR granted IN SELECT DISTINCT grantee::regrole FROM pg_class, aclexplode(relacl)
        WHERE relnamespace = 'croupier'::regnamespace AND grantee NOT IN (0, relowner)
    LOOP
        EXECUTE format('REVOKE ALL ON ALL TABLES IN SCHEMA croupier FROM %s', granted);
        EXECUTE format('REVOKE ALL ON SCHEMA croupier FROM %s', granted);
    END LOOP;
END $$;
""",
    # Venues also say to each other what they add to pots that they share.
    """
ALTER TABLE croupier.ticket_message DROP CONSTRAINT ticket_message_kind_check,
    ADD CONSTRAINT ticket_message_kind_check CHECK (kind IN ('claim', 'response', 'transfer', 'pot'));
""",
)
_FORMAT: Final = """
CREATE SCHEMA IF NOT EXISTS croupier;
CREATE TABLE IF NOT EXISTS croupier.format (version integer NOT NULL);
"""
#: An earlier preparation may have granted rights to tables, to roles that are not named any more.
_REVOKE: Final = """
DO $$
DECLARE granted regrole;
BEGIN
    FOR granted IN SELECT DISTINCT grantee::regrole FROM pg_class, aclexplode(relacl)
        WHERE relnamespace = 'croupier'::regnamespace AND grantee NOT IN (0, relowner)
    LOOP
        EXECUTE format('REVOKE ALL ON ALL TABLES IN SCHEMA croupier FROM %s', granted);
        EXECUTE format('REVOKE ALL ON SCHEMA croupier FROM %s', granted);
    END LOOP;
END $$
"""
#: And more than its own to a role. Once the server is hardened, only roles with this right connect.
_WITHOUT: Final[tuple[LiteralString, ...]] = (
    "GRANT CONNECT ON DATABASE {database} TO {role}",
    "REVOKE ALL ON SCHEMA croupier, croupier_read, croupier_function FROM {role}",
    "REVOKE ALL ON ALL TABLES IN SCHEMA croupier, croupier_read FROM {role}",
    "REVOKE ALL ON ALL FUNCTIONS IN SCHEMA croupier_function FROM {role}",
)
#: What a role that only reads may do, with the rows of all venues.
_READER: Final[tuple[LiteralString, ...]] = (
    *_WITHOUT,
    "GRANT USAGE ON SCHEMA croupier_read TO {role}",
    "GRANT SELECT ON ALL TABLES IN SCHEMA croupier_read TO {role}",
)
#: The owner of the views of venues, in this database alone: whoever owns another database of the server has no right to
#: it. No role of a venue has such a name.
_VIEWS: Final = "SELECT 'croupier-views-' || oid FROM pg_database WHERE datname = current_database()"
#: Its rights are those of every venue. A right to update names columns: one for a table admits to every lock.
_OWNER_OF_VIEWS: Final[tuple[LiteralString, ...]] = (
    # Its views are created under its name.
    "GRANT {role} TO CURRENT_USER",
    "GRANT USAGE ON SCHEMA croupier TO {role}",
    "GRANT SELECT ON croupier.format, croupier.venue TO {role}",
    "GRANT SELECT ON croupier.page, croupier.checkpoint, croupier.lease, croupier.ticket_message TO {role}",
    "GRANT INSERT ON croupier.page, croupier.checkpoint TO {role}",
    "GRANT UPDATE (epoch, mac) ON croupier.venue TO {role}",
    "GRANT INSERT, UPDATE (holder, session, ends, status) ON croupier.lease TO {role}",
    "GRANT INSERT (recipient, kind, sender, number, body, signature) ON croupier.ticket_message TO {role}",
)
#: What the role of a venue may do, with its own rows: read, add pages and checkpoints, move the fence and the lease,
#: and send and withdraw messages about tickets. The views are created anew, and no role before it has rights to them.
_WRITER: Final[tuple[LiteralString, ...]] = (
    *_WITHOUT,
    "GRANT USAGE ON SCHEMA croupier_function TO {role}",
    "GRANT EXECUTE ON FUNCTION croupier_function.withdraw TO {role}",
    "DROP SCHEMA IF EXISTS {schema} CASCADE",
    "CREATE SCHEMA {schema} AUTHORIZATION {views}",
    "SET LOCAL ROLE {views}",
    "CREATE VIEW {schema}.format AS SELECT * FROM croupier.format",
    "CREATE VIEW {schema}.venue AS SELECT * FROM croupier.venue",
    "CREATE VIEW {schema}.page AS SELECT * FROM croupier.page",
    "CREATE VIEW {schema}.checkpoint AS SELECT * FROM croupier.checkpoint",
    "CREATE VIEW {schema}.lease AS SELECT * FROM croupier.lease",
    "CREATE VIEW {schema}.ticket_message AS SELECT * FROM croupier.ticket_message",
    "GRANT USAGE ON SCHEMA {schema} TO {role}",
    "GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO {role}",
    "GRANT INSERT ON {schema}.page, {schema}.checkpoint TO {role}",
    "GRANT UPDATE (epoch, mac) ON {schema}.venue TO {role}",
    "GRANT INSERT, UPDATE (holder, session, ends, status) ON {schema}.lease TO {role}",
    "GRANT INSERT (recipient, kind, sender, number, body, signature) ON {schema}.ticket_message TO {role}",
    "RESET ROLE",
)
#: How many sessions a role may have: those of a leader and two standbys that share tickets, and of some commands.
#: An owner who has set another limit keeps it.
CONNECTIONS_MAX: Final = 20
_LIMIT: Final[LiteralString] = f"ALTER ROLE {{role}} CONNECTION LIMIT {CONNECTIONS_MAX}"
#: What the roles of other databases of the server may do here by default.
_PUBLIC: Final[tuple[LiteralString, ...]] = (
    "REVOKE ALL ON SCHEMA public FROM PUBLIC",
    "REVOKE TEMPORARY ON DATABASE {database} FROM PUBLIC",
)
#: A role with one of these is not bound by the policies, or may become one that is not.
_UNBOUND: Final = """
SELECT CASE
    WHEN rolsuper THEN 'is a superuser'
    WHEN rolbypassrls THEN 'bypasses row-level security'
    WHEN rolcreaterole THEN 'can create roles'
    WHEN rolreplication THEN 'can replicate the server'
    WHEN pg_has_role(pg_roles.oid, current_user, 'MEMBER') THEN 'is a member of the owner'
    WHEN pg_has_role(pg_roles.oid, %(views)s, 'MEMBER') THEN 'is a member of the owner of the views'
    WHEN EXISTS (
        SELECT FROM pg_roles AS server
        WHERE starts_with(server.rolname, 'pg_') AND pg_has_role(pg_roles.oid, server.oid, 'MEMBER')
    ) THEN 'has rights of the server'
    WHEN EXISTS (
        SELECT FROM croupier.reader JOIN pg_roles AS other ON other.rolname = reader.role
        WHERE other.oid <> pg_roles.oid AND pg_has_role(pg_roles.oid, other.oid, 'MEMBER')
    ) THEN 'is a member of a role that reads all venues'
    WHEN EXISTS (
        SELECT FROM croupier.venue JOIN pg_roles AS other ON other.rolname = venue.role
        WHERE other.oid <> pg_roles.oid AND pg_has_role(pg_roles.oid, other.oid, 'MEMBER')
    ) THEN 'is a member of the role of another venue'
END FROM pg_roles WHERE rolname = %(role)s
"""
#: Who holds a lock on the tables.
_HOLDERS: Final = """
SELECT DISTINCT format('%s (process %s, %s)', usename, pid, application_name)
FROM pg_locks JOIN pg_stat_activity USING (pid) JOIN pg_class ON pg_class.oid = relation
WHERE relnamespace = 'croupier'::regnamespace AND granted AND pid <> pg_backend_pid()
"""
#: How long a session waits for a lock that another has.
LOCK_S: Final = 5


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
    """Connect to a database; every statement is a transaction of its own, and no lock is waited for without end.

    JournalFault when that fails.
    """
    name = f"croupier {purpose} {os.getpid()}"
    with translated():
        given = conninfo_to_dict(address)
        more = {key: value for key, value in _PATIENCE.items() if key not in given}
        connection = psycopg.connect(make_conninfo(address, application_name=name, **more), autocommit=True)
        with closed_on_error(connection):
            connection.execute(sql.SQL("SET lock_timeout = {}").format(sql.Literal(LOCK_S * 1_000)))
        return connection


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


def open_follower(address: str) -> Connection:
    """Connect to read what another system writes meanwhile."""
    connection = connect(address, "follower")
    with closed_on_error(connection), translated():
        check_tables(connection)
        connection.execute("SET default_transaction_read_only = on")
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
    """Refuse tables of another version, and tables that were changed; let names mean the tables, or a reader's views.

    A trigger or a rule could change what is inserted; without row-level security venues are not separated.
    """
    schema = use_schema(connection)
    row = connection.execute(sql.SQL("SELECT max(version) FROM {}.format").format(schema)).fetchone()
    found = None if row is None else row[0]
    if found != len(MIGRATIONS):
        words = f"the tables of the database have version {found or 0}, and this build needs version {len(MIGRATIONS)}"
        raise JournalFault(f"{words}: run `croupier database prepare` of the newer build")
    added = _value(
        connection,
        "SELECT (SELECT count(*) FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid JOIN pg_namespace"
        " ON pg_namespace.oid = relnamespace WHERE NOT tgisinternal AND nspname IN ('croupier', current_schema))"
        " + (SELECT count(*) FROM pg_rules WHERE schemaname IN ('croupier', current_schema))",
    )
    if added:
        raise JournalFault("the tables of the database were changed: they have triggers or rules")
    secured = _value(
        connection,
        "SELECT count(*) FROM pg_class WHERE relnamespace = 'croupier'::regnamespace AND relrowsecurity",
    )
    if secured != _SECURED:
        raise JournalFault("the tables of the database were changed: row-level security is switched off")


#: The schema of a connection: the tables for the owner, its views for a venue and for a role that only reads.
_SCHEMA: Final = """
SELECT nspname FROM pg_namespace WHERE nspname ~ '^croupier(_[0-9]+|_read)?$' AND has_schema_privilege(oid, 'USAGE')
ORDER BY nspname COLLATE "C" LIMIT 1
"""


def use_schema(connection: Connection) -> sql.Identifier:
    """Let names mean the tables, or the views of the role under the same names; return their schema."""
    schema = sql.Identifier(_value(connection, _SCHEMA) or "croupier")
    connection.execute(sql.SQL("SET search_path = {}, croupier_function").format(schema))
    return schema


#: How many tables have policies.
_SECURED: Final = 5


def prepare(address: str, venues: Mapping[str, str] | None = None, readers: Iterable[str] = ()) -> int:
    """Create the tables or bring them up to date, and the roles of venues and readers; return the version before.

    It needs the rights of the owner, which a house does not have, and the right to create roles that do not exist yet.
    `venues` has the role of each venue by its name.
    """
    try:
        with translated(), connect(address, "preparation") as connection, connection.transaction():
            connection.execute(_FORMAT)
            # Two who prepare a database at once wait for each other; a role that only reads cannot take this lock.
            connection.execute("LOCK TABLE croupier.format IN EXCLUSIVE MODE")
            before = _value(connection, "SELECT max(version) FROM croupier.format") or 0
            for number, statements in enumerate(MIGRATIONS[before:], start=before + 1):
                connection.execute(statements)
                connection.execute("INSERT INTO croupier.format VALUES (%s)", (number,))
            _execute(connection, _PUBLIC, database=connection.info.dbname)
            connection.execute(_REVOKE)
            views = str(_value(connection, _VIEWS))
            if not _value(connection, "SELECT count(*) FROM pg_roles WHERE rolname = %s", views):
                _execute(connection, ("CREATE ROLE {role} NOLOGIN",), role=views)
            _execute(connection, _OWNER_OF_VIEWS, role=views)
            for venue, role in (venues or {}).items():
                _make_role(connection, role, views)
                connection.execute("DELETE FROM croupier.reader WHERE role = %s", (role,))
                _assign(connection, venue, role)
            for role in readers:
                _make_role(connection, role, views)
                _must_be_free(connection, role)
                connection.execute("INSERT INTO croupier.reader VALUES (%s) ON CONFLICT DO NOTHING", (role,))
            # Also those that an earlier preparation has named: their rights may be of another version.
            for role, limit, venue in connection.execute(_ROLES).fetchall():
                rights = _READER if venue is None else _WRITER
                database = connection.info.dbname
                _execute(connection, rights, role=role, schema=f"croupier_{venue}", views=views, database=database)
                if limit == _NO_LIMIT:
                    _execute(connection, (_LIMIT,), role=role)
    except JournalFault as fault:
        if isinstance(fault.__cause__, psycopg.errors.LockNotAvailable):
            raise JournalFault(f"{fault}: held by {_lock_holders(address)}") from fault
        raise
    return int(before)


#: The functions by which a session uses up what all sessions of a server share: memory for locks, disk, and log.
_SHARED_RESOURCES: Final[LiteralString] = """
SELECT oid::regprocedure FROM pg_proc WHERE pronamespace = 'pg_catalog'::regnamespace
    AND proname ~ '^(pg_(try_)?advisory_(xact_)?lock|lo_|pg_logical_emit_message)'
"""
#: Definitions wait for strong locks before their right is checked, also on catalogs: refuse them before any lock.
_HARDEN: Final[tuple[LiteralString, ...]] = (
    f"""
DO $$
DECLARE withdrawn regprocedure;
BEGIN
    FOR withdrawn IN {_SHARED_RESOURCES} LOOP
        EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', withdrawn);
    END LOOP;
END $$
""",
    """
CREATE OR REPLACE FUNCTION croupier.refuse_definition() RETURNS event_trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT pg_has_role(session_user, (SELECT nspowner FROM pg_namespace WHERE nspname = 'croupier'), 'USAGE') THEN
        RAISE insufficient_privilege USING MESSAGE = 'permission denied: only the owner defines anything here';
    END IF;
END $$
""",
    "DROP EVENT TRIGGER IF EXISTS croupier_definitions",
    "CREATE EVENT TRIGGER croupier_definitions ON ddl_command_start EXECUTE FUNCTION croupier.refuse_definition()",
)
#: The databases to which every role of the server may connect.
_ADMITTING: Final = """
SELECT datname FROM pg_database WHERE datallowconn AND has_database_privilege('public', oid, 'CONNECT') ORDER BY datname
"""
_OPEN_FUNCTIONS: Final[LiteralString] = f"{_SHARED_RESOURCES} AND has_function_privilege('public', oid, 'EXECUTE')"
_TRIGGER: Final = "SELECT evtname FROM pg_event_trigger WHERE evtname = 'croupier_definitions' AND evtenabled = 'O'"


def harden(address: str) -> tuple[str, ...]:
    """Keep other roles of the server from what its sessions share; return the databases that are closed to them.

    It needs the rights of a superuser, on a server that has journals alone: only owners, and roles that are named to
    `prepare`, connect to a database after it.
    """
    with translated(), connect(address, "hardening") as connection, connection.transaction():
        admitting = tuple(row[0] for row in connection.execute(_ADMITTING).fetchall())
        for database in admitting:
            _execute(connection, ("REVOKE CONNECT, TEMPORARY ON DATABASE {database} FROM PUBLIC",), database=database)
        for statement in _HARDEN:
            connection.execute(statement)
    return admitting


def is_hardened(address: str) -> bool:
    """Check whether the server keeps its roles from what all its sessions share."""
    with translated(), connect(address, "hardening") as connection:
        is_open = _value(connection, _ADMITTING) or _value(connection, _OPEN_FUNCTIONS)
        return not is_open and _value(connection, _TRIGGER) is not None


def _make_role(connection: Connection, role: str, views: str) -> None:
    """Create a role that may sign in, if there is none; refuse one that the policies do not bind."""
    if not _value(connection, "SELECT count(*) FROM pg_roles WHERE rolname = %s", role):
        _execute(connection, ("CREATE ROLE {role} LOGIN",), role=role)
    (unbound,) = connection.execute(_UNBOUND, {"role": role, "views": views}).fetchone() or (None,)
    if unbound:
        raise JournalFault(f"the role {role} {unbound}: name another")


#: The roles of readers and venues that exist, each with its limit of connections, and its venue.
_ROLES: Final = """
SELECT role, rolconnlimit, NULL FROM croupier.reader JOIN pg_roles ON rolname = role
UNION ALL SELECT role, rolconnlimit, id FROM croupier.venue JOIN pg_roles ON rolname = role
"""
_NO_LIMIT: Final = -1


def _assign(connection: Connection, venue: str, role: str) -> None:
    """Give a venue its role, and add the venue if there is none of that name."""
    _must_be_free(connection, role, venue)
    connection.execute(
        "INSERT INTO croupier.venue (name, role) VALUES (%s, %s) ON CONFLICT (name) DO UPDATE SET role = excluded.role",
        (venue, role),
    )


def _must_be_free(connection: Connection, role: str, venue: str = "") -> None:
    """Refuse a role that another venue has."""
    taken = _value(connection, "SELECT name FROM croupier.venue WHERE role = %s AND name <> %s", role, venue)
    if taken:
        raise JournalFault(f"the role {role} is that of {taken}: each venue has a role of its own")


def _lock_holders(address: str) -> str:
    with translated(), connect(address, "preparation") as connection:
        return ", ".join(row[0] for row in connection.execute(_HOLDERS)) or "a session that has ended"


def role_of(venue: str) -> str:
    """Choose the role of a venue from its name."""
    letters = "".join(each if each.isascii() and each.isalnum() else "_" for each in venue.lower())
    return f"croupier_{letters}"[:ROLE_MAX]


#: The longest name of a role, in bytes.
ROLE_MAX: Final = 63


def _execute(connection: Connection, statements: Iterable[LiteralString], **names: str) -> None:
    identifiers = {key: sql.Identifier(name) for key, name in names.items()}
    for statement in statements:
        connection.execute(sql.SQL(statement).format(**identifiers))


def _value(connection: Connection, query: LiteralString, *values: Any) -> Any:  # noqa: ANN401 - any column
    row = connection.execute(query, values).fetchone()
    return None if row is None else row[0]
