"""The roles of a database that venues share: what each of them cannot do to the rows and sessions of another."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, suppress
from typing import Final, NamedTuple

import psycopg
import pytest
from psycopg import sql

from croupier.journal.claims import MessageKind, Outgoing, TicketMessage
from croupier.journal.disk import JournalFault
from croupier.journal.stores import STATUS_MAX
from croupier.journal.stores import database as database_module
from croupier.journal.stores.database import (
    CONNECTIONS_MAX,
    ROLE_MAX,
    Connection,
    connect,
    harden,
    is_hardened,
    prepare,
    role_of,
    use_schema,
)
from croupier.journal.stores.postgresql import PostgresClaims, PostgresStore, list_venues
from tests.conftest import Ask
from tests.journal.test_store_contract import filled, signed, some
from tests.support.database import Server, new_venue, running_server


class Shared(NamedTuple):
    """A database with two venues, each with a page, a checkpoint, a lease and messages; and two roles of no venue."""

    address: str
    victim: str
    rival: str
    reader: str
    stranger: str
    store: PostgresStore

    def as_role(self, role: str) -> str:
        return self.address.replace("owner@", f"{role}@")

    def rows(self) -> list[object]:
        """All that the tables have, as the owner sees them."""
        with connect(self.address, "test") as connection:
            return [sorted(map(str, connection.execute(f"TABLE croupier.{each}"))) for each in TABLES]


ROLES: Final = ("rival", "reader", "stranger")


@pytest.fixture(scope="module")
def shared(database: str) -> Iterator[Shared]:
    """The venues, prepared by the owner and written by their own roles."""
    victim, rival, reader, stranger = (new_venue() for _ in range(4))
    roles = {name: role_of(name) for name in (victim, rival)}
    name = role_of(new_venue())
    with connect(database, "test") as connection, ExitStack() as opened:
        connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        address = database.replace("/postgres?", f"/{name}?")
        prepare(address, roles, [role_of(reader)])
        connection.execute(sql.SQL("CREATE ROLE {} LOGIN").format(sql.Identifier(role_of(stranger))))
        given = [role_of(each) for each in (victim, rival, reader, stranger)]
        names = Shared(address, given[0], given[1], given[2], given[3], None)  # type: ignore[arg-type]
        stores = []
        for each, other in ((victim, rival), (rival, victim)):
            stores.append(PostgresStore(names.as_role(roles[each]), each, lease_ms=3_600_000))
            opened.callback(stores[-1].close)
            filled(stores[-1], 2)
            stores[-1].sign(signed(1))
            claims = opened.enter_context(closing(PostgresClaims(names.as_role(roles[each]), each)))
            kinds = tuple(MessageKind)
            claims.send_and_receive(
                Outgoing(tuple(TicketMessage(kind, each, other, 1, "", b"s") for kind in kinds)), {}, bool
            )
        yield names._replace(store=stores[0])
        opened.close()
        connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))
        for role in (*roles.values(), role_of(reader), role_of(stranger)):
            connection.execute(sql.SQL("DROP ROLE {}").format(sql.Identifier(role)))


#: A refusal by an error; no row that matches, since the policies hide it; and what a role that reads may do.
DENIED, NOTHING, READS = "denied", "nothing", "reads"
#: The errors of a refusal: no right, or a value that is too long.
REFUSALS: Final = (psycopg.errors.InsufficientPrivilege, psycopg.errors.CheckViolation)
PAGE: Final = "INSERT INTO croupier.page SELECT {victim}, 3, 1, 5, 6, decode(repeat('00', 32), 'hex'), '', ''"
LEASE: Final = "INSERT INTO croupier.lease (venue, holder, ends) VALUES ({victim}, 'x', 'infinity')"
MESSAGE: Final = "INSERT INTO croupier.ticket_message (recipient, kind, sender, number, body, signature) VALUES"
WITHDRAW: Final = "SELECT croupier_function.withdraw("
#: Each statement, and its outcome for the role of another venue, for a role that reads, and for a role without rights.
HOSTILE: Final[dict[str, tuple[str, str, str]]] = {
    # Pages and checkpoints of another venue.
    PAGE: (DENIED, DENIED, DENIED),
    PAGE.replace("3,", "1 + max(number),") + " FROM croupier.page": (DENIED, DENIED, DENIED),
    PAGE.replace("{victim}", "{victim} + 1000000"): (DENIED, DENIED, DENIED),
    f"{PAGE} ON CONFLICT DO NOTHING": (DENIED, DENIED, DENIED),
    f"{PAGE} ON CONFLICT (venue, number) DO UPDATE SET body = 'x'": (DENIED, DENIED, DENIED),
    "UPDATE croupier.page SET body = '' WHERE venue = {victim}": (DENIED, DENIED, DENIED),
    "UPDATE croupier.page SET venue = {victim}": (DENIED, DENIED, DENIED),
    "DELETE FROM croupier.page WHERE venue = {victim}": (DENIED, DENIED, DENIED),
    "DELETE FROM croupier.page": (DENIED, DENIED, DENIED),
    "TRUNCATE croupier.page": (DENIED, DENIED, DENIED),
    "SELECT body FROM croupier.page WHERE venue = {victim}": (DENIED, DENIED, DENIED),
    "SELECT body FROM croupier.page WHERE venue = {victim} FOR UPDATE": (DENIED, DENIED, DENIED),
    "INSERT INTO croupier.checkpoint VALUES ({victim}, 2, 1, '', '')": (DENIED, DENIED, DENIED),
    "UPDATE croupier.checkpoint SET signature = ''": (DENIED, DENIED, DENIED),
    "DELETE FROM croupier.checkpoint": (DENIED, DENIED, DENIED),
    "TRUNCATE croupier.checkpoint": (DENIED, DENIED, DENIED),
    "SELECT body FROM croupier.checkpoint WHERE venue = {victim}": (DENIED, DENIED, DENIED),
    # The fence and the lease of another venue.
    "UPDATE croupier.venue SET epoch = 99 WHERE id = {victim}": (DENIED, DENIED, DENIED),
    "UPDATE croupier.venue SET mac = '' WHERE id = {victim}": (DENIED, DENIED, DENIED),
    "UPDATE croupier.venue SET name = 'x' WHERE id = {victim}": (DENIED, DENIED, DENIED),
    "UPDATE croupier.venue SET role = current_user WHERE id = {victim}": (DENIED, DENIED, DENIED),
    "UPDATE croupier.venue SET role = NULL": (DENIED, DENIED, DENIED),
    "SELECT FROM croupier.venue WHERE id = {victim} FOR UPDATE": (DENIED, DENIED, DENIED),
    "SELECT FROM croupier.venue WHERE id = {victim} FOR SHARE": (DENIED, DENIED, DENIED),
    "INSERT INTO croupier.venue (name) VALUES ('x')": (DENIED, DENIED, DENIED),
    "INSERT INTO croupier.venue (name, role) VALUES ('x', current_user)": (DENIED, DENIED, DENIED),
    "DELETE FROM croupier.venue": (DENIED, DENIED, DENIED),
    "TRUNCATE croupier.venue": (DENIED, DENIED, DENIED),
    LEASE: (DENIED, DENIED, DENIED),
    f"{LEASE} ON CONFLICT (venue) DO UPDATE SET ends = 'infinity'": (DENIED, DENIED, DENIED),
    "UPDATE croupier.lease SET ends = '-infinity' WHERE venue = {victim}": (DENIED, DENIED, DENIED),
    "UPDATE croupier.lease SET session = '', status = '?' WHERE venue = {victim}": (DENIED, DENIED, DENIED),
    "UPDATE croupier.lease SET venue = {victim} + 1000000": (DENIED, DENIED, DENIED),
    "DELETE FROM croupier.lease": (DENIED, DENIED, DENIED),
    "TRUNCATE croupier.lease": (DENIED, DENIED, DENIED),
    # Messages in the name of another venue.
    f"{MESSAGE} ('r', 'transfer', '{{name}}', 1, '', '')": (DENIED, DENIED, DENIED),
    f"{MESSAGE} ('r', 'claim', '{{name}}', 2, '', '')": (DENIED, DENIED, DENIED),
    f"{MESSAGE} ('r', 'pot', '{{name}}', 2, '', '')": (DENIED, DENIED, DENIED),
    f"{MESSAGE} ('r', 'response', '{{name}}', 3, '', '') ON CONFLICT DO NOTHING": (DENIED, DENIED, DENIED),
    "INSERT INTO croupier.ticket_message (recipient, kind, sender, number, body, signature, sent_at)"
    " SELECT 'r', 'claim', name, 9, '', '', 'infinity' FROM croupier.venue": (DENIED, DENIED, DENIED),
    "UPDATE croupier.ticket_message SET body = ''": (DENIED, DENIED, DENIED),
    "UPDATE croupier.ticket_message SET sender = '{name}'": (DENIED, DENIED, DENIED),
    "DELETE FROM croupier.ticket_message WHERE sender = '{name}'": (DENIED, DENIED, DENIED),
    "DELETE FROM croupier.ticket_message WHERE kind = 'transfer'": (DENIED, DENIED, DENIED),
    f"{WITHDRAW} name, '{{{{claim,response}}}}', NULL, NULL) FROM (VALUES ('{{name}}')) AS x (name)": (
        NOTHING,
        DENIED,
        DENIED,
    ),
    f"{WITHDRAW} name, '{{{{transfer}}}}', NULL, NULL) FROM (VALUES ('{{name}}')) AS x (name)": (
        NOTHING,
        DENIED,
        DENIED,
    ),
    "TRUNCATE croupier.ticket_message": (DENIED, DENIED, DENIED),
    # The tables of the owner.
    "INSERT INTO croupier.reader VALUES (current_user)": (DENIED, DENIED, DENIED),
    "DELETE FROM croupier.reader": (DENIED, DENIED, DENIED),
    "INSERT INTO croupier.format VALUES (99)": (DENIED, DENIED, DENIED),
    "DELETE FROM croupier.format": (DENIED, DENIED, DENIED),
    "SELECT * FROM croupier.quarantine": (DENIED, DENIED, DENIED),
    "INSERT INTO croupier.quarantine VALUES ({victim}, now(), 'x', '1')": (DENIED, DENIED, DENIED),
    # Definitions and locks.
    "LOCK TABLE croupier.page IN ACCESS EXCLUSIVE MODE": (DENIED, DENIED, DENIED),
    "LOCK TABLE croupier.venue IN SHARE MODE": (DENIED, DENIED, DENIED),
    "LOCK TABLE croupier.format IN EXCLUSIVE MODE": (DENIED, DENIED, DENIED),
    "ALTER TABLE croupier.page DISABLE ROW LEVEL SECURITY": (DENIED, DENIED, DENIED),
    "ALTER TABLE croupier.page ADD COLUMN more text": (DENIED, DENIED, DENIED),
    "DROP POLICY own ON croupier.page": (DENIED, DENIED, DENIED),
    "CREATE POLICY more ON croupier.page USING (true)": (DENIED, DENIED, DENIED),
    "DROP TABLE croupier.page": (DENIED, DENIED, DENIED),
    "DROP SCHEMA croupier CASCADE": (DENIED, DENIED, DENIED),
    "CREATE RULE more AS ON INSERT TO croupier.page DO INSTEAD NOTHING": (DENIED, DENIED, DENIED),
    "CREATE TRIGGER more BEFORE INSERT ON croupier.page EXECUTE FUNCTION suppress_redundant_updates_trigger()": (
        DENIED,
        DENIED,
        DENIED,
    ),
    "CREATE FUNCTION croupier.more() RETURNS int LANGUAGE sql AS 'SELECT 1'": (DENIED, DENIED, DENIED),
    "CREATE TABLE croupier.more (id int)": (DENIED, DENIED, DENIED),
    "CREATE TABLE public.more (id int)": (DENIED, DENIED, DENIED),
    "CREATE TEMPORARY TABLE page (id int)": (DENIED, DENIED, DENIED),
    "CREATE SCHEMA more": (DENIED, DENIED, DENIED),
    "CREATE EXTENSION dblink SCHEMA croupier": (DENIED, DENIED, DENIED),
    # The views of readers.
    "SELECT body FROM croupier_read.page WHERE venue = {victim}": (DENIED, READS, DENIED),
    "SELECT body FROM croupier_read.checkpoint WHERE venue = {victim}": (DENIED, READS, DENIED),
    "SELECT body FROM croupier_read.page FOR SHARE": (DENIED, DENIED, DENIED),
    "INSERT INTO croupier_read.format VALUES (99)": (DENIED, DENIED, DENIED),
    "UPDATE croupier_read.venue SET epoch = 99": (DENIED, DENIED, DENIED),
    "UPDATE croupier_read.lease SET ends = '-infinity'": (DENIED, DENIED, DENIED),
    "DELETE FROM croupier_read.page": (DENIED, DENIED, DENIED),
    "LOCK TABLE croupier_read.page IN ACCESS EXCLUSIVE MODE": (DENIED, DENIED, DENIED),
    "LOCK TABLE croupier_read.lease IN SHARE MODE": (DENIED, DENIED, DENIED),
    "CREATE RULE more AS ON INSERT TO croupier_read.page DO INSTEAD NOTHING": (DENIED, DENIED, DENIED),
    "CREATE OR REPLACE VIEW croupier_read.page AS SELECT 1": (DENIED, DENIED, DENIED),
    "CREATE VIEW croupier_read.more AS SELECT 1": (DENIED, DENIED, DENIED),
    # The views of a venue, by others.
    "SELECT body FROM {views}.page": (DENIED, DENIED, DENIED),
    "SELECT FROM {views}.venue FOR SHARE": (DENIED, DENIED, DENIED),
    "UPDATE {views}.venue SET epoch = 99": (DENIED, DENIED, DENIED),
    "UPDATE {views}.lease SET ends = '-infinity'": (DENIED, DENIED, DENIED),
    "LOCK TABLE {views}.page IN ACCESS SHARE MODE": (DENIED, DENIED, DENIED),
    "CREATE RULE more AS ON INSERT TO {views}.page DO INSTEAD NOTHING": (DENIED, DENIED, DENIED),
    "CREATE TRIGGER more INSTEAD OF INSERT ON {views}.page FOR EACH ROW"
    " EXECUTE FUNCTION suppress_redundant_updates_trigger()": (DENIED, DENIED, DENIED),
    "DROP SCHEMA {views} CASCADE": (DENIED, DENIED, DENIED),
    # Rows of another venue, by one's own views.
    PAGE.replace("croupier.", "{own}."): (DENIED, DENIED, DENIED),
    "SELECT body FROM {own}.page WHERE venue = {victim}": (NOTHING, DENIED, DENIED),
    # A condition that fails on a row would tell of it, if it saw one.
    "SELECT FROM {own}.page WHERE 1 / (venue - {victim}) = 2": (NOTHING, DENIED, DENIED),
    "UPDATE {own}.venue SET epoch = 99 WHERE id = {victim}": (NOTHING, DENIED, DENIED),
    "UPDATE {own}.venue SET name = '{name}'": (DENIED, DENIED, DENIED),
    "SELECT role FROM {own}.venue WHERE role <> session_user": (NOTHING, DENIED, DENIED),
    'SET ROLE "{owner}"': (DENIED, DENIED, DENIED),
    "UPDATE {own}.lease SET ends = '-infinity' WHERE venue = {victim}": (NOTHING, DENIED, DENIED),
    "INSERT INTO {own}.lease (venue, holder, ends) VALUES ({victim}, 'x', 'infinity') ON CONFLICT (venue)"
    " DO UPDATE SET ends = 'infinity'": (DENIED, DENIED, DENIED),
    "INSERT INTO {own}.checkpoint VALUES ({victim}, 2, 1, '', '')": (DENIED, DENIED, DENIED),
    "DELETE FROM {own}.ticket_message": (DENIED, DENIED, DENIED),
    MESSAGE.replace("croupier.", "{own}.") + " ('r', 'claim', '{name}', 2, '', '')": (DENIED, DENIED, DENIED),
    "UPDATE {own}.lease SET status = repeat('x', 65537)": (DENIED, DENIED, DENIED),
    # Other roles and sessions.
    "SET ROLE {role}": (DENIED, DENIED, DENIED),
    "SET SESSION AUTHORIZATION {role}": (DENIED, DENIED, DENIED),
    "GRANT {role} TO CURRENT_USER": (DENIED, DENIED, DENIED),
    "ALTER ROLE {role} NOLOGIN": (DENIED, DENIED, DENIED),
    "ALTER ROLE {role} PASSWORD 'x'": (DENIED, DENIED, DENIED),
    "ALTER ROLE CURRENT_USER BYPASSRLS": (DENIED, DENIED, DENIED),
    "CREATE ROLE more": (DENIED, DENIED, DENIED),
    "SELECT pg_terminate_backend({pid})": (DENIED, DENIED, DENIED),
    "SELECT pg_cancel_backend({pid})": (DENIED, DENIED, DENIED),
    "SET row_security = off; SELECT * FROM croupier.page": (DENIED, DENIED, DENIED),
    "SET session_replication_role = 'replica'": (DENIED, DENIED, DENIED),
    # The server.
    "ALTER SYSTEM SET fsync = off": (DENIED, DENIED, DENIED),
    "COPY croupier.format TO PROGRAM 'cat'": (DENIED, DENIED, DENIED),
    "SELECT pg_read_file('postgresql.conf')": (DENIED, DENIED, DENIED),
    "SELECT pg_reload_conf()": (DENIED, DENIED, DENIED),
    "SELECT lo_import('postgresql.conf')": (DENIED, DENIED, DENIED),
}


def owner_of_views(connection: Connection) -> str:
    """The role that owns the views of the venues."""
    query = "SELECT DISTINCT nspowner::regrole FROM pg_namespace WHERE nspname ~ '^croupier_[0-9]+$'"
    ((owner,),) = connection.execute(query).fetchall()
    return str(owner).strip('"')


def test_list_is_long_enough() -> None:
    """At least sixty hostile statements are tried by every role."""
    assert len(HOSTILE) >= 60


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("statement", HOSTILE)
def test_hostile_statement_is_refused(shared: Shared, statement: str, role: str) -> None:
    """Each statement of the list is refused to each role, or finds no row, and changes nothing of any venue."""
    with connect(shared.address, "test") as connection:
        query = "SELECT id, name FROM croupier.venue WHERE role = %s"
        (found,) = connection.execute(query, (shared.victim,)).fetchall()
        query = "SELECT pid FROM pg_stat_activity WHERE usename = %s LIMIT 1"
        (session,) = connection.execute(query, (shared.victim,)).fetchall()
        query = "SELECT id FROM croupier.venue WHERE role = %s"
        (own,) = connection.execute(query, (shared.rival,)).fetchall()
        owner = owner_of_views(connection)
    schemas = {"owner": owner, "views": f"croupier_{found[0]}", "own": f"croupier_{own[0]}"}
    text = statement.format(victim=found[0], name=found[1], role=shared.victim, pid=session[0], **schemas)
    expected, before = HOSTILE[statement][ROLES.index(role)], shared.rows()
    with connect(shared.as_role(getattr(shared, role)), "test") as connection:
        if expected is DENIED:
            begin = "BEGIN; " if text.startswith("LOCK") else ""
            with pytest.raises(REFUSALS):
                connection.execute(begin + text)
        else:
            assert (connection.execute(text).rowcount > 0) == (expected is READS)
    assert shared.rows() == before
    shared.store.renew()


TABLES: Final = ("venue", "page", "checkpoint", "lease", "ticket_message", "reader", "format", "quarantine")
#: These wait for no statement of a house, nor does one wait for them.
HARMLESS: Final = ("ACCESS SHARE", "ROW SHARE", "ROW EXCLUSIVE")
STRONG: Final = ("SHARE UPDATE EXCLUSIVE", "SHARE", "SHARE ROW EXCLUSIVE", "EXCLUSIVE", "ACCESS EXCLUSIVE")


@pytest.mark.parametrize("role", ["victim", *ROLES])
@pytest.mark.parametrize("table", TABLES)
def test_no_role_takes_a_lock_that_stops_a_house(shared: Shared, table: str, role: str) -> None:
    """Of the eight locks on a table each role is refused the five strong ones; a house writes beside the others."""
    with connect(shared.as_role(getattr(shared, role)), "test") as connection:
        for mode in STRONG:
            with pytest.raises(psycopg.errors.InsufficientPrivilege), connection.transaction():
                connection.execute(f"LOCK TABLE croupier.{table} IN {mode} MODE")
        for mode in HARMLESS:
            with suppress(psycopg.errors.InsufficientPrivilege), connection.transaction():
                connection.execute(f"LOCK TABLE croupier.{table} IN {mode} MODE")
                shared.store.renew()


@pytest.mark.parametrize("table", ["venue", "page", "checkpoint", "lease", "ticket_message", "format"])
def test_lock_on_a_view_of_a_venue_stops_no_house(shared: Shared, table: str) -> None:
    """A lock on a view is one on its table: a venue is refused the strong ones on its own views."""
    with connect(shared.as_role(shared.rival), "test") as connection:
        schema = use_schema(connection)
        for mode in STRONG:
            lock = sql.SQL("LOCK TABLE {}.{} IN {} MODE").format(schema, sql.Identifier(table), sql.SQL(mode))
            with pytest.raises(psycopg.errors.InsufficientPrivilege), connection.transaction():
                connection.execute(lock)


DEFINITIONS: Final = (
    "CREATE RULE more AS ON INSERT TO {schema}.{table} DO INSTEAD NOTHING",
    "CREATE TRIGGER more BEFORE INSERT ON {schema}.{table} EXECUTE FUNCTION suppress_redundant_updates_trigger()",
)


@pytest.mark.parametrize("definition", DEFINITIONS)
@pytest.mark.parametrize("table", ["page", "venue"])
@pytest.mark.parametrize("schema", ["croupier", "croupier_read", "croupier_{victim}", "croupier_{rival}"])
@pytest.mark.parametrize("role", ROLES)
def test_definition_that_waits_stops_no_house(
    shared: Shared, role: str, schema: str, table: str, definition: str
) -> None:
    """A role that reads in one session, and defines a rule or a trigger in another that waits, stops no house."""
    address = shared.as_role(getattr(shared, role))
    with connect(shared.address, "test") as connection:
        ids: dict[str, int] = dict(connection.execute("SELECT role, id FROM croupier.venue").fetchall())
    schema = schema.format(victim=ids[shared.victim], rival=ids[shared.rival])
    rule = definition.format(schema=schema, table=table)
    insert = PAGE.replace("{victim}, 3", "id, 9").replace("croupier.", "") + " FROM venue"
    with connect(address, "test") as one, connect(address, "test") as two, ThreadPoolExecutor(1) as thread:
        one.execute("BEGIN")
        with suppress(psycopg.errors.InsufficientPrivilege), one.transaction():
            one.execute(f"SELECT FROM {schema}.{table} LIMIT 1")
        defined = thread.submit(two.execute, rule)
        with connect(shared.address, "test") as owner, connect(shared.as_role(shared.victim), "test") as house:
            waits = "SELECT count(*) FROM pg_locks WHERE pid = %s AND NOT granted"
            while not defined.done() and owner.execute(waits, (two.info.backend_pid,)).fetchone() == (0,):
                pass
            use_schema(house)
            house.execute("SET lock_timeout = 500; BEGIN")
            assert house.execute(insert).rowcount == 1
            house.execute("ROLLBACK")
        one.execute("ROLLBACK")
        # A view has no such trigger, whoever defines it.
        with pytest.raises((psycopg.errors.InsufficientPrivilege, psycopg.errors.WrongObjectType)):
            defined.result()


def test_definition_on_a_catalog_stops_no_house_that_runs(shared: Shared) -> None:
    """A role that makes new sessions wait for a catalog stops no house that runs."""
    rule = "CREATE RULE more AS ON INSERT TO pg_database DO INSTEAD NOTHING"
    with ExitStack() as opened:
        one, two = (opened.enter_context(connect(shared.as_role(shared.rival), "test")) for _ in range(2))
        owner, thread = (
            opened.enter_context(connect(shared.address, "test")),
            opened.enter_context(ThreadPoolExecutor(1)),
        )
        one.execute("BEGIN; SELECT FROM pg_database")
        defined = thread.submit(two.execute, rule)
        waits = "SELECT count(*) FROM pg_locks WHERE pid = %s AND NOT granted"
        while owner.execute(waits, (two.info.backend_pid,)).fetchone() == (0,):
            assert not defined.done()
        shared.store.renew()
        one.execute("ROLLBACK")
        with pytest.raises(psycopg.errors.InsufficientPrivilege, match="system catalog"):
            defined.result()


class Hardened(NamedTuple):
    """A server of its own that is hardened, with one venue, a reader, and an owner that is no superuser."""

    server: Server
    house: PostgresStore

    def address(self, user: str) -> str:
        return self.server.address(user=user, database="journals")


#: Roles that may connect to the hardened database, and what they must not reach.
ADMITTED: Final = ("rival", "analyst")
EXHAUSTING: Final = (
    "SELECT pg_advisory_lock(x) FROM generate_series(1, 9) x",
    "SELECT pg_try_advisory_xact_lock_shared(1, 2)",
    "SELECT lo_from_bytea(0, '')",
    "SELECT pg_logical_emit_message(false, '', '')",
    "CREATE RULE more AS ON INSERT TO pg_database DO INSTEAD NOTHING",
    "CREATE TEMPORARY TABLE more ()",
    "CREATE SCHEMA more",
)


@pytest.fixture(scope="module")
def hardened() -> Iterator[Hardened]:
    with running_server() as server:
        with connect(server.address(), "test") as superuser:
            superuser.execute("CREATE ROLE operator LOGIN CREATEROLE; CREATE ROLE stranger LOGIN")
            superuser.execute("CREATE DATABASE journals OWNER operator")
        address = server.address(database="journals")
        prepare(server.address(user="operator", database="journals"), {"one": "house", "two": "rival"}, ["analyst"])
        assert not is_hardened(address)
        assert harden(address) == ("journals", "postgres", "template1")
        assert harden(address) == ()
        role = server.address(user="house", database="journals")
        with closing(PostgresStore(role, "one", lease_ms=3_600_000)) as house:
            filled(house, 2)
            yield Hardened(server, house)


@pytest.mark.parametrize("statement", EXHAUSTING)
@pytest.mark.parametrize("role", ADMITTED)
def test_hardened_server_keeps_what_sessions_share(hardened: Hardened, role: str, statement: str) -> None:
    """A role that may connect takes no locks without end, writes no objects and defines nothing; the house goes on."""
    with connect(hardened.address(role), "test") as connection:
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute(statement)
        assert connection.execute("SELECT count(*) FROM pg_locks WHERE NOT granted").fetchone() == (0,)
    hardened.house.renew()


@pytest.mark.parametrize("database", ["journals", "postgres", "template1"])
def test_hardened_server_admits_no_other_role(hardened: Hardened, database: str) -> None:
    """A role that was not named to the preparation connects to no database of the server."""
    with pytest.raises(JournalFault, match="CONNECT privilege"):
        connect(hardened.server.address(user="stranger", database=database), "test").close()
    assert is_hardened(hardened.address("house"))


def test_hardened_database_is_prepared_again(hardened: Hardened) -> None:
    """The owner, who is no superuser, adds a venue to a hardened database, and its house writes."""
    prepare(hardened.address("operator"), {"three": "third"})
    with closing(PostgresStore(hardened.address("third"), "three")) as store:
        filled(store, 2)
    with pytest.raises(JournalFault, match="InsufficientPrivilege"):
        harden(hardened.address("operator"))


def test_command_hardens_a_server(hardened: Hardened, ask: Ask) -> None:
    """The command of a superuser reports the databases that it closed; that of another role is refused."""
    with connect(hardened.address("owner"), "test") as superuser:
        superuser.execute("CREATE DATABASE more")
    assert ask("database", "harden", hardened.address("owner")) == (0, {"closed": ["more"]})
    code, refused = ask("database", "harden", hardened.address("house"))
    assert (code, refused["refusal"]["code"]) == (2, "command_failed")
    assert ask("database", "prepare", hardened.address("operator"))[1]["hardened"] is True


def test_owner_is_no_superuser(database: str) -> None:
    """A role that owns a database and may create roles prepares it, twice; its venues write, and its readers read."""
    operator, venue, reader = role_of(new_venue()), new_venue(), role_of(new_venue())
    names = {"name": sql.Identifier(operator)}
    with connect(database, "test") as connection:
        for statement in ("CREATE ROLE {name} LOGIN CREATEROLE", "CREATE DATABASE {name} OWNER {name}"):
            connection.execute(sql.SQL(statement).format(**names))
        address = database.replace("/postgres?", f"/{operator}?")
        for _ in range(2):
            prepare(address.replace("owner@", f"{operator}@"), {venue: role_of(venue)}, [reader])
        with closing(PostgresStore(address.replace("owner@", f"{role_of(venue)}@"), venue)) as store:
            filled(store, 2)
        assert [each.pages for each in list_venues(address.replace("owner@", f"{reader}@"))] == [2]
        # The database stays: PostgreSQL drops none while a session reads nothing, such as that of a store that listens.


def test_owner_of_another_database_has_no_rights(shared: Shared, database: str) -> None:
    """Who owns the views in one database of a server has no rights in another, also not those of an older version."""
    name, venue = role_of(new_venue()), new_venue()
    with connect(database, "test") as connection, connect(shared.address, "test") as owner:
        connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        address = database.replace("/postgres?", f"/{name}?")
        prepare(address, {venue: role_of(venue)})
        with connect(address, "test") as other:
            views = owner_of_views(other)
        grant = "GRANT USAGE ON SCHEMA croupier TO {0}; GRANT SELECT ON croupier.page TO {0}"
        owner.execute(sql.SQL(grant).format(sql.Identifier(views)))
        prepare(shared.address)
        query = (
            "SELECT has_schema_privilege(%s, 'croupier', 'USAGE'), has_table_privilege(%s, 'croupier.page', 'SELECT')"
        )
        assert owner.execute(query, (views, views)).fetchone() == (False, False)
        assert owner_of_views(owner) != views


def test_preparation_withdraws_earlier_rights(shared: Shared) -> None:
    """A preparation that names no role withdraws what an earlier version has granted to roles that are listed."""
    with connect(shared.address, "test") as connection:
        for role in (shared.rival, shared.reader):
            grant = "GRANT UPDATE, DELETE, TRUNCATE ON ALL TABLES IN SCHEMA croupier TO {}"
            connection.execute(sql.SQL(grant).format(sql.Identifier(role)))
        prepare(shared.address)
        query = "SELECT has_table_privilege(%s, 'croupier.lease', 'UPDATE, DELETE, TRUNCATE')"
        for role in (shared.rival, shared.reader):
            assert connection.execute(query, (role,)).fetchone() == (False,)


def test_role_before_reaches_nothing(shared: Shared) -> None:
    """A venue that is given another role is not reached by the one before."""
    venue, before, after = new_venue(), role_of(new_venue()), role_of(new_venue())
    for role in (before, after):
        prepare(shared.address, {venue: role})
    with pytest.raises(JournalFault, match="permission denied"):
        PostgresStore(shared.as_role(before), venue)
    with closing(PostgresStore(shared.as_role(after), venue)) as store:
        filled(store, 1)
    with connect(shared.address, "test") as connection:
        connection.execute("DELETE FROM croupier.venue WHERE role = %s", (after,))
        for each in (before, after):
            connection.execute(sql.SQL("DROP OWNED BY {0}; DROP ROLE {0}").format(sql.Identifier(each)))


def test_role_has_a_limit_of_connections(shared: Shared) -> None:
    """No role takes all connections of the server; an owner who has set another limit keeps it."""
    query = "SELECT rolconnlimit FROM pg_roles WHERE rolname = %s"
    with connect(shared.address, "test") as connection:
        for role in (shared.victim, shared.rival, shared.reader):
            assert connection.execute(query, (role,)).fetchone() == (CONNECTIONS_MAX,)
        connection.execute(sql.SQL("ALTER ROLE {} CONNECTION LIMIT 7").format(sql.Identifier(shared.reader)))
        prepare(shared.address)
        assert connection.execute(query, (shared.reader,)).fetchone() == (7,)
    with ExitStack() as opened:
        for _ in range(7):
            opened.enter_context(connect(shared.as_role(shared.reader), "greedy"))
        with pytest.raises(JournalFault, match="too many connections for role"):
            connect(shared.as_role(shared.reader), "greedy")


def test_status_has_a_limit(shared: Shared) -> None:
    """A house that has too much to say of itself says nothing, and goes on; the table takes no longer status."""
    shared.store.renew(f'"{"é" * STATUS_MAX}"')
    assert "{}" in [each.status for each in list_venues(shared.as_role(shared.reader))]
    shared.store.renew()


def test_venue_writes_after_all_that(shared: Shared) -> None:
    """After hostile statements the venue appends its next page, and reads the whole journal."""
    page = some(3)[-1]
    shared.store.append(page)
    assert list(shared.store.pages()) == some(3)


def test_venues_see_themselves_alone(shared: Shared) -> None:
    """A house lists its own venue alone; a reader lists all of them, and a role without rights none."""
    assert len(list_venues(shared.as_role(shared.victim))) == 1
    assert [each.holder is not None for each in list_venues(shared.as_role(shared.reader))] == [True, True]
    with pytest.raises(JournalFault, match="permission denied"):
        list_venues(shared.as_role(shared.stranger))
    with pytest.raises(JournalFault, match="permission denied"):
        PostgresStore(shared.as_role(shared.rival), "another venue")


def test_locks_of_a_reader_block_no_start(shared: Shared, monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader that holds every lock it can get delays no house; one that prepares tables learns who holds them."""
    monkeypatch.setattr(database_module, "LOCK_S", 1)
    with connect(shared.as_role(shared.reader), "nosy") as connection, connection.transaction():
        connection.execute("SELECT pg_advisory_lock(x, y) FROM generate_series(0, 9) x, generate_series(0, 9) y")
        connection.execute("SELECT pg_advisory_lock(%s), pg_advisory_lock(%s, 1)", (0x63726F75, 0x6372))
        connection.execute(
            "LOCK TABLE croupier_read.venue, croupier_read.page, croupier_read.lease IN ACCESS SHARE MODE"
        )
        with closing(PostgresStore(shared.as_role(shared.rival), _name(shared))) as store:
            assert store.last() == some(2)[-1]
        assert prepare(shared.address) == len(database_module.MIGRATIONS)
        monkeypatch.setattr(database_module, "MIGRATIONS", (*database_module.MIGRATIONS, "DROP TABLE croupier.page"))
        with pytest.raises(
            JournalFault, match=rf"holds a lock: .* held by {shared.reader} \(process \d+, croupier nosy"
        ):
            prepare(shared.address)


def _name(shared: Shared) -> str:
    (found,) = list_venues(shared.as_role(shared.rival))
    return found.venue


def test_two_prepare_at_once(shared: Shared) -> None:
    """Two owners who prepare a database at once both succeed: one waits for the other."""
    with ThreadPoolExecutor(2) as both:
        done = [both.submit(prepare, shared.address) for _ in range(2)]
    assert [each.result() for each in done] == [len(database_module.MIGRATIONS)] * 2


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("ALTER ROLE {} SUPERUSER", "is a superuser"),
        ("ALTER ROLE {} BYPASSRLS", "bypasses row-level security"),
        ("ALTER ROLE {} CREATEROLE", "can create roles"),
        ("GRANT owner TO {}", "is a member of the owner"),
        ("GRANT {views} TO {}", "is a member of the owner of the views"),
        ("ALTER ROLE {} REPLICATION", "can replicate the server"),
        ("GRANT pg_signal_backend TO {}", "has rights of the server"),
        ("GRANT pg_read_all_data TO {}", "has rights of the server"),
        ("GRANT pg_execute_server_program TO {}", "has rights of the server"),
        ("GRANT {reader} TO {}", "is a member of a role that reads all venues"),
        ("GRANT {victim} TO {}", "is a member of the role of another venue"),
    ],
)
def test_role_that_policies_do_not_bind_is_refused(shared: Shared, change: str, words: str) -> None:
    """A role that could reach the rows or sessions of other venues becomes neither a venue's nor a reader's."""
    role = role_of(new_venue())
    with connect(shared.address, "test") as connection:
        given = {"victim": shared.victim, "reader": shared.reader, "views": owner_of_views(connection)}
        names = {key: sql.Identifier(name) for key, name in given.items()}
        connection.execute(sql.SQL("CREATE ROLE {}").format(sql.Identifier(role)))
        connection.execute(sql.SQL(change).format(sql.Identifier(role), **names))
        for venues, readers in (({"x": role}, []), ({}, [role])):
            with pytest.raises(JournalFault, match=f"the role {role} {words}: name another"):
                prepare(shared.address, venues, readers)
        connection.execute(sql.SQL("DROP ROLE {}").format(sql.Identifier(role)))


def test_role_that_was_dropped_keeps_no_other_from_being_prepared(shared: Shared) -> None:
    """A reader and a venue whose roles were dropped do not stop a preparation that names another role."""
    venue, other, dropped = new_venue(), role_of(new_venue()), [role_of(new_venue()) for _ in range(2)]
    prepare(shared.address, {venue: dropped[0]}, dropped[1:])
    with connect(shared.address, "test") as connection:
        for role in dropped:
            connection.execute(sql.SQL("DROP OWNED BY {0}; DROP ROLE {0}").format(sql.Identifier(role)))
        assert prepare(shared.address, {venue: other}) == len(database_module.MIGRATIONS)
        connection.execute("DELETE FROM croupier.venue WHERE role = %s", (other,))
        connection.execute("DELETE FROM croupier.reader WHERE role = %s", (dropped[1],))
        connection.execute(sql.SQL("DROP OWNED BY {0}; DROP ROLE {0}").format(sql.Identifier(other)))


def test_role_has_one_venue(shared: Shared) -> None:
    """The role of a venue is given to no other venue, and to no reader."""
    for venues, readers in (({"x": shared.victim}, []), ({}, [shared.victim])):
        with pytest.raises(JournalFault, match="each venue has a role of its own"):
            prepare(shared.address, venues, readers)


def test_command_makes_the_roles(shared: Shared, ask: Ask) -> None:
    """The command creates the role of a venue, under a name that is given or chosen; a second run changes nothing."""
    venue, role = new_venue(), role_of(new_venue())
    for named, expected in ((venue, role_of(venue)), (f"{venue}={role}", role), (f"{venue}={role}", role)):
        code, answer = ask("database", "prepare", shared.address, "--venue", named)
        assert (code, answer["roles"]) == (0, {venue: expected})
    with closing(PostgresStore(shared.as_role(role), venue)) as store:
        filled(store, 1)
    assert len(role_of("é" * 100)) == ROLE_MAX
    with connect(shared.address, "test") as connection:
        connection.execute("UPDATE croupier.venue SET role = NULL WHERE role = %s", (role,))
        for each in (role, role_of(venue)):
            connection.execute(sql.SQL("DROP OWNED BY {0}; DROP ROLE {0}").format(sql.Identifier(each)))


def test_tables_without_their_policies_are_refused(shared: Shared) -> None:
    """A house does not write to tables on which row-level security was switched off."""
    with connect(shared.address, "test") as connection:
        connection.execute("ALTER TABLE croupier.lease DISABLE ROW LEVEL SECURITY")
        with pytest.raises(JournalFault, match="row-level security is switched off"):
            PostgresStore(shared.as_role(shared.rival), "x")
        connection.execute("ALTER TABLE croupier.lease ENABLE ROW LEVEL SECURITY")


def test_announcement_that_fails_stops_no_house(shared: Shared) -> None:
    """Any role can fill the queue of announcements of the server: a house goes on without them, and so do tickets."""
    message = TicketMessage(MessageKind.TRANSFER, _name(shared), "x", 2, "", b"s")
    announces = "EXECUTE ON FUNCTION pg_notify(text, text)"
    with connect(shared.address, "test") as connection:
        connection.execute(f"REVOKE {announces} FROM PUBLIC")
        try:
            shared.store.renew()
            with closing(PostgresClaims(shared.as_role(shared.rival), message.sender)) as claims:
                assert claims.send_and_receive(Outgoing((message,)), {}, bool).stored == (message,)
        finally:
            connection.execute(f"GRANT {announces} TO PUBLIC")
