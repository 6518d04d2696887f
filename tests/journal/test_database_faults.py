"""A database that is partitioned from the house, full, without its replica, or with another clock."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotYetError
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from signal import SIGCONT, SIGSTOP

import pytest

from croupier.engine.ports import NullOutbox
from croupier.engine.run import start
from croupier.journal.disk import Fenced, JournalFault, StoreLocked
from croupier.journal.keystore import KeyStore
from croupier.journal.stores.database import connect, prepare
from croupier.journal.stores.postgresql import PostgresStore
from tests.journal.test_database_failover import on_postgresql, play_on, standby_of, valid
from tests.journal.test_store_contract import some
from tests.support.connections import LONG_S
from tests.support.database import Server, new_venue, running_server, server_folder

#: How long something that must not happen is waited for, in seconds.
MOMENT_S = 1.0


def _sessions(server: Server) -> list[int]:
    """The processes of all sessions but that of this question."""
    with connect(server.address(), "test") as connection:
        found = "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid != pg_backend_pid()"
        return [int(pid) for (pid,) in connection.execute(found)]


@contextmanager
def _cut_off(processes: list[int]) -> Iterator[None]:
    """Let sessions hang, so that what they are sent is neither done nor answered, as on a line that is cut."""
    for pid in processes:
        os.kill(pid, SIGSTOP)
    try:
        yield
    finally:
        for pid in processes:
            os.kill(pid, SIGCONT)


def test_leader_that_is_cut_off_writes_nothing_after_another_has_taken_over() -> None:
    """A page that is sent before the line is cut and arrives after the takeover is rejected by the fence."""
    venue, pages = new_venue(), some(3)
    with running_server() as server, ThreadPoolExecutor(1) as threads:
        prepare(server.address())
        with closing(PostgresStore(server.address(), venue, lease_ms=300)) as leader:
            leader.fence()
            leader.append(pages[0])
            with _cut_off(_sessions(server)):
                sent = threads.submit(leader.append, pages[1])
                with pytest.raises(NotYetError):
                    sent.result(MOMENT_S)
                with closing(PostgresStore(server.address(), venue)) as other:
                    assert other.fence() == 2
                    assert list(other.pages()) == [pages[0]]
            with pytest.raises(Fenced):
                sent.result(LONG_S)
            with pytest.raises(Fenced):
                leader.renew()
        with closing(PostgresStore(server.address(), venue, writing=False)) as store:
            assert list(store.pages()) == [pages[0]]


def test_page_is_acknowledged_once_the_synchronous_replica_has_it() -> None:
    """While the replica is away a page waits and is not acknowledged; when it is back, the page is, once."""
    venue, pages = new_venue(), some(3)
    with running_server() as primary, ThreadPoolExecutor(1) as threads, ExitStack() as standing:
        prepare(primary.address())
        standby = standing.enter_context(standby_of(primary))
        with connect(primary.address(), "test") as connection:
            connection.execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
            connection.execute("SELECT pg_reload_conf()")
        with closing(PostgresStore(primary.address(), venue)) as store:
            store.fence()
            store.append(pages[0])
            standby.stop()
            waiting = threads.submit(store.append, pages[1])
            with pytest.raises(NotYetError):
                waiting.result(MOMENT_S)
            standby.start()
            waiting.result(LONG_S)
            store.append(pages[2])
            assert list(store.pages()) == pages


@pytest.mark.parametrize("hours", [1, -1])
def test_clock_of_the_database_that_jumps_lets_no_two_write(hours: int) -> None:
    """Whether its clock goes forward, which ends a lease, or back, one system writes, and a dead one is replaced."""
    venue, pages = new_venue(), some(3)
    with running_server() as server:
        prepare(server.address())
        with closing(PostgresStore(server.address(), venue)) as leader:
            leader.fence()
            leader.append(pages[0])
            with connect(server.address(), "test") as connection:
                # To the lease, a clock that jumps forward is an end that lies so far back.
                connection.execute("UPDATE croupier.lease SET ends = ends - %s * interval '1 hour'", (hours,))
            if hours < 0:
                with closing(PostgresStore(server.address(), venue)) as other, pytest.raises(StoreLocked):
                    other.fence()
                leader.append(pages[1])
        # The session of the leader has ended, or its lease had.
        with closing(PostgresStore(server.address(), venue)) as other:
            assert other.fence() == 2
            with pytest.raises(Fenced):
                other.append(pages[2])


def test_leader_whose_lease_ends_by_the_clock_is_fenced() -> None:
    """After a jump forward another may take over at once: then the old leader, which is alive, writes no more."""
    venue, pages = new_venue(), some(2)
    with running_server() as server:
        prepare(server.address())
        with (
            closing(PostgresStore(server.address(), venue)) as leader,
            closing(PostgresStore(server.address(), venue)) as other,
        ):
            leader.fence()
            leader.append(pages[0])
            with connect(server.address(), "test") as connection:
                connection.execute("UPDATE croupier.lease SET ends = ends - interval '1 hour'")
            assert other.fence() == 2
            with pytest.raises(Fenced):
                leader.append(pages[1])


@contextmanager
def _small_disk(folder: Path, size: str) -> Iterator[None]:
    """Mount a small disk in a directory; skip the test where this user may not."""
    owner = folder.stat()
    options = f"size={size},uid={owner.st_uid},gid={owner.st_gid},mode=700"
    mount, umount = shutil.which("mount"), shutil.which("umount")
    if mount is None or umount is None:
        pytest.skip("mount is not installed")
    command = [mount, "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
    mounted = subprocess.run(command, check=False, capture_output=True)
    if mounted.returncode != 0:
        pytest.skip("no disk can be mounted here")
    try:
        yield
    finally:
        subprocess.run([umount, "--lazy", str(folder)], check=True)


@pytest.mark.campaign
def test_full_disk_of_the_database_loses_nothing(tmp_path: Path) -> None:
    """When the database has no room the house stops; with room again it goes on from the last acknowledged page."""
    with server_folder() as folder, _small_disk(folder, "160m"):
        server = Server.create(folder)
        server.configure({"max_wal_size": "32MB", "min_wal_size": "32MB", "wal_recycle": "off"})
        server.start()
        try:
            prepare(server.address())
            venue = on_postgresql(tmp_path, server.address())
            free = os.statvfs(folder).f_bavail * os.statvfs(folder).f_frsize
            (folder / "filler").write_bytes(bytes(max(0, free - 64 * 1024)))
            with pytest.raises(JournalFault):
                play_on(venue)
            acknowledged = venue.run.writer.head
            venue.run.storage.close()
            (folder / "filler").unlink()
            # The server may have stopped by itself.
            with suppress(AssertionError):
                server.stop("immediate")
            server.start()
            run = start(venue.site.data, KeyStore(venue.site.safe), NullOutbox())
            page = run.storage.store.page(acknowledged.page)
            assert page is not None
            assert page.journal_head == acknowledged
            run.stop()
            valid(venue.site)
        finally:
            server.stop("immediate")
