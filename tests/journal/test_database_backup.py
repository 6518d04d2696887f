"""The database's own backups: a base backup and an archive of the WAL, restored to a point in time."""

from contextlib import closing
from pathlib import Path

from croupier.engine.audit import audit
from croupier.engine.places import JournalPlace, open_place, open_store, settle_place
from croupier.journal.keystore import KeyStore
from croupier.journal.stores.database import connect, prepare
from croupier.rulebooks.schema import read_canonical
from tests.support.database import Server, new_venue, running_server, server_folder
from tests.support.venue_on_disk import Site, VenueOnDisk


def test_base_backup_and_archive_are_restored_to_a_point_in_time(tmp_path: Path) -> None:
    """A base backup with the archived WAL is restored to a named point, and the chain shows a true prefix."""
    with running_server() as server, server_folder() as folder:
        archive = server.folder / "archive"
        server.run("pg_ctl", "stop", "-w", "-s")
        server.program("mkdir", str(archive))
        server.configure({"archive_mode": "on", "archive_command": f"'cp %p {archive}/%f'"})
        server.start()
        prepare(server.address())
        place = JournalPlace(server.address(), new_venue())
        settle_place(Site.in_(tmp_path).data, place)
        venue = VenueOnDisk(tmp_path)
        copy = Server(folder)
        copy.run("pg_basebackup", "-h", str(server.folder), "-U", "owner", "-X", "none", "-c", "fast", "--no-sync")
        copy.program("pg_verifybackup", "--no-parse-wal", str(copy.data))
        venue.play(3)
        head = venue.run.writer.head
        with connect(server.address(), "test") as connection:
            connection.execute("SELECT pg_create_restore_point('dinner')")
            venue.play(2)
            venue.stop()
            connection.execute("SELECT pg_switch_wal()")
            archived = "SELECT last_archived_wal >= pg_walfile_name(pg_current_wal_lsn() - 1) FROM pg_stat_archiver"
            while connection.execute(archived).fetchone() != (True,):
                pass
        restored = restore(copy, server, archive)
        keys = KeyStore(venue.site.safe)
        with closing(open_place(JournalPlace(restored, place.venue), writing=False)) as store:
            found = audit(store, keys.verifier(), read_canonical, None, keys.signer())
            assert (found.entries, found.head) == (head.position, head.digest.hex())
        with closing(open_store(venue.site.data, writing=False)) as store:
            page = store.page(head.page)
            assert page is not None
            assert page.journal_head == head
        copy.stop()


def restore(copy: Server, server: Server, archive: Path) -> str:
    """Let a base backup replay the archive up to the named point, and give its address."""
    copy.configure(
        {
            "unix_socket_directories": f"'{copy.folder}'",
            "archive_mode": "off",
            "restore_command": f"'cp {archive}/%f %p'",
            "recovery_target_name": "'dinner'",
            "recovery_target_action": "'promote'",
        }
    )
    copy.program("touch", str(copy.data / "recovery.signal"))
    copy.start()
    return server.address().replace(str(server.folder), str(copy.folder))
