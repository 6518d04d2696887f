"""A database that crashes or is replaced by its standby: nothing that was acknowledged is lost."""

from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from random import Random
from threading import Timer
from typing import NoReturn

import pytest

from croupier.engine.audit import audit
from croupier.engine.places import JournalPlace, open_store, settle_place
from croupier.engine.ports import NullOutbox
from croupier.engine.run import start
from croupier.journal.disk import JournalFault, RolledBack
from croupier.journal.entry import JournalHead
from croupier.journal.keystore import KeyStore, newest_record
from croupier.journal.stores.database import connect, prepare
from croupier.journal.stores.postgresql import PostgresStore
from croupier.rulebooks.schema import read_canonical
from tests.journal.test_store_contract import some
from tests.support.campaign import many
from tests.support.database import Server, new_venue, running_server, server_folder
from tests.support.venue_on_disk import Site, VenueOnDisk


@contextmanager
def standby_of(primary: Server) -> Iterator[Server]:
    """A standby of a server, which follows it."""
    with server_folder() as folder:
        standby = Server(folder)
        source = ("-h", str(primary.folder), "-U", "owner")
        standby.run("pg_basebackup", *source, "-R", "-X", "stream", "-c", "fast", "--no-sync")
        standby.configure({"unix_socket_directories": f"'{folder}'", "synchronous_standby_names": "''"})
        standby.start()
        try:
            yield standby
        finally:
            standby.stop("immediate")


def test_promoted_standby_has_every_acknowledged_page() -> None:
    """A synchronous standby that is promoted has all pages that the primary acknowledged; before that it is refused.

    With both hosts in its address a store finds the one that is the primary.
    """
    venue = new_venue()
    with running_server() as primary, ExitStack() as standing:
        prepare(primary.address())
        standby = standing.enter_context(standby_of(primary))
        with connect(primary.address(), "test") as connection:
            connection.execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
            connection.execute("SELECT pg_reload_conf()")
        hosts = f"host={primary.folder},{standby.folder}"
        both = primary.address().replace(f"host={primary.folder}", f"{hosts}&target_session_attrs=read-write")
        with closing(PostgresStore(both, venue)) as store:
            store.fence()
            written = some(200)
            for page in written:
                store.append(page)
            with pytest.raises(JournalFault, match="is a standby of another"):
                PostgresStore(standby.address(), venue)
            primary.stop("immediate")
            with pytest.raises(JournalFault):
                store.append(some(201)[-1])
        standby.run("pg_ctl", "promote", "-w", "-s")
        with closing(PostgresStore(both, venue)) as store:
            assert list(store.pages())[:200] == written
            assert store.fence() == 2
        primary.start()


def on_postgresql(folder: Path, address: str) -> VenueOnDisk:
    """Provision a venue whose journal is in a database."""
    settle_place(Site.in_(folder).data, JournalPlace(address, new_venue()))
    return VenueOnDisk(folder)


@pytest.mark.campaign
def test_nothing_acknowledged_is_lost_when_the_server_crashes(tmp_path: Path) -> None:
    """Stopped at once in the middle of busy rounds, the database has every page that was acknowledged.

    The next start resolves the interrupted round, and the journal is valid to its end.
    """
    random = Random(20_261_117)  # noqa: S311 - it chooses moments
    with running_server() as server:
        prepare(server.address())
        for number in range(many(day=3, night=50)):
            venue = on_postgresql(tmp_path / str(number), server.address())
            acknowledged = crashed(venue, server, random.uniform(0.0, 0.3))
            server.start()
            with closing(open_store(venue.site.data, writing=False)) as store:
                page, last = store.page(acknowledged.page), store.last()
                assert page is not None
                assert page.journal_head == acknowledged
                # At most the one page whose outcome was unknown is there too.
                assert last is not None
                assert last.number - acknowledged.page in (0, 1)
            start(venue.site.data, KeyStore(venue.site.safe), NullOutbox()).stop()
            valid(venue.site)


def valid(site: Site) -> None:
    """Audit a journal with its key store."""
    keys = KeyStore(site.safe)
    with closing(open_store(site.data, writing=False)) as store:
        anchored = newest_record(keys.anchor_records())
        found = audit(store, keys.verifier(), read_canonical, anchored, keys.signer())
        assert found.entries == found.signed_to


def play_on(venue: VenueOnDisk) -> NoReturn:
    """Play until something is raised. The numbers let each terminal win, so that neither runs out of credit."""
    while True:
        venue.play(pocket="17")
        venue.play(pocket="18")


def crashed(venue: VenueOnDisk, server: Server, after_s: float) -> JournalHead:
    """Play until the server crashes, some time from now; return the last head that was acknowledged."""
    stopping = Timer(after_s, server.stop, ("immediate",))
    stopping.start()
    with pytest.raises(JournalFault):
        play_on(venue)
    # The writer's head moves when a page is acknowledged.
    acknowledged = venue.run.writer.head
    stopping.join()
    venue.run.storage.close()
    return acknowledged


def test_standby_without_the_last_pages_is_refused(tmp_path: Path) -> None:
    """An asynchronous standby that lacks the last pages is an older copy: no house starts on it."""
    with running_server() as primary, ExitStack() as standing:
        prepare(primary.address())
        venue = on_postgresql(tmp_path, primary.address())
        venue.play()
        standby = standing.enter_context(standby_of(primary))
        # The standby stops following, and the house goes on.
        with connect(standby.address(), "test") as connection:
            connection.execute("ALTER SYSTEM SET primary_conninfo = ''")
            connection.execute("SELECT pg_reload_conf()")
        with connect(primary.address(), "test") as connection:
            while connection.execute("SELECT FROM pg_stat_replication").fetchall():
                pass
        venue.play()
        venue.stop()
        standby.run("pg_ctl", "promote", "-w", "-s")
        place = venue.site.data / "journal.json"
        place.write_text(place.read_text("utf-8").replace(str(primary.folder), str(standby.folder)), "utf-8")
        with pytest.raises(RolledBack, match="the journal ends before it"):
            start(venue.site.data, KeyStore(venue.site.safe), NullOutbox())
