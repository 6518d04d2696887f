"""The store in PostgreSQL: its lease, its roles and its demands on the server, besides the contract of every store."""

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
from psycopg import sql

from croupier.house.ids import Instant
from croupier.journal.checkpoints import checkpoint
from croupier.journal.disk import Fenced, JournalFault, StoreLocked
from croupier.journal.entry import EMPTY_HEAD, Fence, Page
from croupier.journal.pages import MerkleTree
from croupier.journal.stores.database import (
    MIGRATIONS,
    check_settings,
    check_version,
    connect,
    prepare,
    translated,
)
from croupier.journal.stores.postgresql import PostgresStore, this_process
from croupier.journal.stores.sqlite import PageCopy, SqliteCopy, SqliteStore
from tests.journal.test_store_contract import SIGNER, filled, signed, some
from tests.support.database import new_venue

#: Opens a store of one venue, with a lease of so many milliseconds.
Opener = Callable[..., PostgresStore]


@pytest.fixture
def opener(database: str) -> Iterator[Opener]:
    """What opens the stores of one venue, which are closed after the test."""
    venue, stores = new_venue(), list[PostgresStore]()

    def opened(**options: int) -> PostgresStore:
        stores.append(PostgresStore(database, venue, **options))  # type: ignore[arg-type]
        return stores[-1]

    yield opened
    for store in stores:
        store.close()


@pytest.fixture
def empty_database(database: str) -> Iterator[str]:
    """The address of a database of its own, without tables."""
    name = new_venue().replace(" ", "_").replace("-", "_")
    with connect(database, "test") as connection:
        connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        yield database.replace("/postgres?", f"/{name}?")
        connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


@pytest.fixture
def role(database: str) -> Iterator[str]:
    """A role without rights."""
    name = new_venue().replace(" ", "_").replace("-", "_")
    with connect(database, "test") as connection:
        connection.execute(sql.SQL("CREATE ROLE {} LOGIN").format(sql.Identifier(name)))
        yield name
        connection.execute("UPDATE croupier.venue SET role = NULL WHERE role = %s", (name,))
        connection.execute(sql.SQL("DROP OWNED BY {0}").format(sql.Identifier(name)))
        connection.execute(sql.SQL("DROP ROLE {0}").format(sql.Identifier(name)))


def as_role(database: str, role: str) -> str:
    return database.replace("owner@", f"{role}@")


def test_stale_appends_are_all_fenced(opener: Opener) -> None:
    """Of 10,000 appends by a writer whose journal was taken, none is accepted, and the new writer's all are."""
    stale, leader = opener(lease_ms=0), opener()
    written = filled(stale, 1)
    assert leader.fence() == 2
    late = some(1, 1, written[-1].journal_head)[0]
    new = some(10, 2, written[-1].journal_head)
    for attempt in range(10_000):
        if attempt % 1_000 == 0:
            leader.append(new[attempt // 1_000])
        with pytest.raises(Fenced):
            stale.append(late._replace(number=2 + attempt % 12))

    assert list(leader.pages()) == [*written, *new]


def test_append_in_flight_is_before_the_fence_or_fenced(opener: Opener) -> None:
    """An append that races with a new epoch is either read by the one who began it, or is fenced and nowhere."""
    old, new = opener(lease_ms=0), opener(lease_ms=0)
    epoch = old.fence()
    for _ in range(40):
        last = old.last()
        page = some(1, epoch, EMPTY_HEAD if last is None else last.journal_head)[0]
        with ThreadPoolExecutor(1) as other:
            racing = other.submit(old.append, page)
            epoch = new.fence()
            seen = new.last()
        assert (racing.exception() is None) == (seen == page)
        assert new.last() == seen
        old, new = new, old


def test_page_that_another_transaction_writes_is_fenced(opener: Opener, database: str) -> None:
    """A page whose number another transaction takes while it is written is fenced when that one is committed."""
    store = opener()
    store.fence()
    page = some(1)[0]
    with ThreadPoolExecutor(1) as other, connect(database, "test") as connection:
        with connection.transaction():
            connection.execute(
                "INSERT INTO croupier.page SELECT max(id), 1, 1, 1, 2, %s, '', '' FROM croupier.venue", (bytes(32),)
            )
            racing = other.submit(store.append, page)
            waiting = "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
            while not connection.execute(waiting).fetchall():
                pass
        with pytest.raises(Fenced, match="has written this already"):
            racing.result()


def test_second_writer_finds_the_journal_in_use(opener: Opener) -> None:
    """While a system has the lease no other begins an epoch, and is told which system that is."""
    leader, other = opener(), opener()
    leader.fence()

    assert other.holder() == this_process()
    assert leader.holder() is None
    with pytest.raises(StoreLocked, match=f"in use by process {os.getpid()} on "):
        other.fence()
    assert leader.fenced().epoch == 1


def test_lease_ends_with_its_store(opener: Opener) -> None:
    """A system that stops releases its lease, and the next begins an epoch at once."""
    leader, other = opener(lease_ms=3_600_000), opener()
    leader.fence()
    leader.close()
    leader.close()

    assert other.holder() is None
    assert other.fence() == 2


def test_lease_ends_with_its_session(opener: Opener, database: str) -> None:
    """A system whose session is gone has no lease any more, however long it would have lasted."""
    leader, other = opener(lease_ms=3_600_000), opener()
    leader.fence()
    with connect(database, "test") as connection:
        found = connection.execute(
            "SELECT pg_terminate_backend(pid, 10000) FROM croupier.lease"
            " JOIN pg_stat_activity ON application_name = session"
            " WHERE holder = %s AND ends > now() + interval '1 hour' - interval '1 minute'",
            (this_process(),),
        ).fetchall()

    assert (True,) in found
    assert other.holder() is None
    with pytest.raises(JournalFault):
        leader.renew()


def test_lease_lasts_while_it_is_renewed(opener: Opener) -> None:
    """A lease that has ended is renewed unless another system has taken the journal; then that is said."""
    leader, other = opener(lease_ms=0), opener()
    leader.fence()
    leader.renew()
    assert other.fence() == 2

    with pytest.raises(Fenced, match="another system has taken the journal"):
        leader.renew()


def test_renewal_is_announced(opener: Opener) -> None:
    """A system that waits is woken by a renewal and by a stop, long before its time is over."""
    leader, other = opener(), opener()
    leader.fence()
    leader.renew()
    other.wait(100_000)
    leader.close()
    other.wait(100_000)
    other.wait(0)

    assert other.holder() is None


def test_lost_connection_is_a_fault_of_the_journal(opener: Opener, database: str) -> None:
    """A connection that is lost is a fault: nothing is retried, and only the next start knows what was committed."""
    leader = opener()
    written = filled(leader, 2)
    with connect(database, "test") as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE pid != pg_backend_pid()"
        )

    for use in (lambda: leader.append(some(3)[-1]), leader.last, leader.renew, leader.fence, leader.holder):
        with pytest.raises(JournalFault, match=r"the database (is stopping|cannot be reached, or the connection)"):
            use()
    leader.close()
    assert list(opener().pages()) == written


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ("53100", "the disk of the database is full: free space on its host: DiskFull"),
        ("25006", "the database accepts no writes: it is a standby, or was made read-only"),
        ("53300", "the database has no connection left: raise its max_connections"),
        ("57P03", "the database is stopping or starting"),
        ("42501", "the role may not do this: name it to `croupier database prepare`"),
        ("58030", "the database cannot be read or written: IoError"),
    ],
)
def test_fault_says_what_an_operator_can_do(database: str, state: str, words: str) -> None:
    """An error of the server is a fault of the journal, with what failed and what an operator can do."""
    with (
        connect(database, "test") as connection,
        pytest.raises(JournalFault, match=words) as raised,
        translated(),
    ):
        connection.execute(f"DO $$ BEGIN RAISE EXCEPTION 'as the server says' USING ERRCODE = '{state}'; END $$")
    assert "as the server says" in str(raised.value)


def test_readers_see_one_state(opener: Opener) -> None:
    """A reader reads the state of its first query, also when pages are committed meanwhile, and writes nothing."""
    leader = opener()
    written = filled(leader, 2)
    reader = opener(writing=False)
    assert reader.last() == written[-1]
    leader.append(some(3)[-1])

    assert list(reader.pages()) == written
    assert opener(writing=False).last() == some(3)[-1]
    with pytest.raises(JournalFault, match="read-only transaction"):
        reader.append(some(3)[-1])


def test_reader_needs_a_venue(database: str) -> None:
    """A venue that the database does not have cannot be read, and is not added by that."""
    with pytest.raises(JournalFault, match="the database has no venue nowhere"):
        PostgresStore(database, "nowhere", writing=False)


def test_venue_whose_row_is_gone_is_a_fault(opener: Opener, database: str) -> None:
    """A venue whose row was deleted has no fence, and is written to no more."""
    store = opener()
    store.fence()
    with connect(database, "test") as connection:
        connection.execute("DELETE FROM croupier.venue WHERE id = (SELECT max(id) FROM croupier.venue)")

    with pytest.raises(JournalFault, match="the row of the venue is missing"):
        store.fenced()
    with pytest.raises(Fenced):
        store.append(some(1)[0])


def test_venues_have_journals_of_their_own(database: str) -> None:
    """Two venues in one database have their own numbers, epochs and leases."""
    with (
        closing(PostgresStore(database, new_venue())) as one,
        closing(PostgresStore(database, new_venue())) as other,
    ):
        written = filled(one, 3)
        assert other.last() is None
        assert filled(other, 2) == written[:2]
        assert list(one.pages()) == written


@pytest.mark.parametrize("table", ["page", "checkpoint"])
@pytest.mark.parametrize(
    "change", ["UPDATE croupier.{} SET epoch = 9", "DELETE FROM croupier.{}", "TRUNCATE croupier.{}"]
)
def test_role_of_a_house_changes_nothing_that_is_written(database: str, role: str, table: str, change: str) -> None:
    """The role of a house appends, signs, fences and leases, and can neither change nor delete a page or checkpoint."""
    venue = new_venue()
    prepare(database, {venue: role})
    with closing(PostgresStore(as_role(database, role), venue)) as store:
        filled(store, 1)
        store.sign(signed(1))
        store.renew()
    with connect(as_role(database, role), "test") as connection, pytest.raises(psycopg.errors.InsufficientPrivilege):
        connection.execute(sql.SQL(change).format(sql.Identifier(table)))


def test_role_of_a_reader_writes_nothing(opener: Opener, database: str, role: str) -> None:
    """The role of a reader reads, and cannot begin an epoch or add a venue; a role without rights reads nothing."""
    filled(opener(), 1)
    with pytest.raises(JournalFault, match="permission denied"):
        PostgresStore(as_role(database, role), "nowhere", writing=False)
    prepare(database, readers=[role])
    with connect(as_role(database, role), "test") as connection:
        assert connection.execute("SELECT count(*) > 0 FROM croupier_read.page").fetchone() == (True,)
    with pytest.raises(JournalFault, match="permission denied"):
        PostgresStore(as_role(database, role), new_venue())


def test_server_that_may_lose_commits_is_refused(database: str, role: str) -> None:
    """A session whose commits are not synced is refused before anything is written."""
    prepare(database, {new_venue(): role})
    with connect(database, "test") as connection:
        connection.execute(sql.SQL("ALTER ROLE {} SET synchronous_commit = off").format(sql.Identifier(role)))
    with pytest.raises(JournalFault, match="runs with synchronous_commit = off: on or remote_apply is needed"):
        PostgresStore(as_role(database, role), new_venue())


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("fsync", "off"),
        ("full_page_writes", "off"),
        ("data_checksums", "off"),
        ("synchronous_commit", "local"),
        ("synchronous_commit", "remote_write"),
    ],
)
def test_dangerous_setting_is_refused(setting: str, value: str) -> None:
    """Each setting with which committed data may be lost or damaged unnoticed is refused by its name."""
    with pytest.raises(JournalFault, match=f"runs with {setting} = {value}: on"):
        check_settings([(setting, value)])


def test_old_server_is_refused() -> None:
    """A version of PostgreSQL that nothing was tested on is refused."""
    with pytest.raises(JournalFault, match="PostgreSQL 13 is too old: 14 or newer is needed"):
        check_version(130_012)


def test_database_is_prepared_once(empty_database: str) -> None:
    """A database without tables is refused, is prepared by its owner, and a second preparation changes nothing."""
    with pytest.raises(JournalFault, match="run `croupier database prepare`"):
        PostgresStore(empty_database, "venue")
    assert prepare(empty_database) == 0
    assert prepare(empty_database) == len(MIGRATIONS)
    with closing(PostgresStore(empty_database, "venue")) as store:
        assert store.last() is None


def test_tables_of_another_version_are_refused(empty_database: str) -> None:
    """Tables that a newer build has changed are not used."""
    prepare(empty_database)
    with connect(empty_database, "test") as connection:
        connection.execute("INSERT INTO croupier.format VALUES (99)")
    with pytest.raises(JournalFault, match="have version 99, and this build needs version"):
        PostgresStore(empty_database, "venue")


@pytest.mark.parametrize(
    "addition",
    [
        "CREATE RULE nothing AS ON INSERT TO croupier.page DO INSTEAD NOTHING",
        "CREATE TRIGGER nothing BEFORE INSERT ON croupier.page EXECUTE FUNCTION suppress_redundant_updates_trigger()",
    ],
)
def test_changed_tables_are_refused(empty_database: str, addition: str) -> None:
    """Tables with a rule or a trigger, which could discard what is inserted, are refused."""
    prepare(empty_database)
    with connect(empty_database, "test") as connection:
        connection.execute(addition)
    with pytest.raises(JournalFault, match="they have triggers or rules"):
        PostgresStore(empty_database, "venue")


def test_server_that_is_not_there_is_a_fault() -> None:
    """A server that does not answer is a fault of the journal."""
    with pytest.raises(JournalFault, match="cannot be reached, or the connection to it was lost: OperationalError"):
        PostgresStore("postgresql://nobody@/none?host=/nowhere", "venue")


def many_epochs(store: PostgresStore | SqliteStore) -> list[Page]:
    """Write pages in three epochs, with checkpoints between and after them, and begin a fourth."""
    head, written = EMPTY_HEAD, list[Page]()
    for epoch in range(1, 4):
        store.fence(epoch - 1, SIGNER.fence_mac)
        for page in some(3, epoch, head):
            store.append(page)
            written.append(page)
        head = written[-1].journal_head
        store.sign(checkpoint(SIGNER, epoch, head, MerkleTree(), Instant(epoch)))
    store.fence(3, SIGNER.fence_mac)
    return written


def contents(store: PostgresStore | SqliteStore) -> tuple[list[Page], list[object], Fence]:
    return list(store.pages()), list(store.checkpoints()), store.fenced()


@pytest.mark.parametrize("blocks", [-1, 0, 1])
def test_copy_has_the_same_bytes(opener: Opener, tmp_path: Path, blocks: int) -> None:
    """A copy into SQLite, and from there into PostgreSQL, has the same pages, checkpoints and fence, in any steps."""
    store = opener()
    many_epochs(store)
    copying, steps = store.backup_to(tmp_path / "copy.db"), 1
    while not copying.step(blocks):
        steps += 1
    copying.close()

    assert (steps == 1) == (blocks != 0)
    with closing(SqliteStore(tmp_path / "copy.db", writing=False)) as copy:
        assert contents(copy) == contents(store)
        back = PageCopy(copy, PostgresStore(store.address, new_venue()))
        assert back.step(-1)


def test_copy_of_nothing_is_empty(opener: Opener, tmp_path: Path) -> None:
    """A journal in which no epoch has begun is copied as that."""
    assert opener().backup_to(tmp_path / "copy.db").step(-1)
    with closing(SqliteStore(tmp_path / "copy.db")) as copy:
        assert contents(copy) == ([], [], Fence())


def test_copy_is_synced_as_a_whole(tmp_path: Path) -> None:
    """A journal that is being copied syncs no single page."""
    with closing(SqliteCopy(tmp_path / "copy.db")) as copy:
        assert copy._connection.pragma("synchronous") == 0  # noqa: SLF001 - its setting shows nowhere else
