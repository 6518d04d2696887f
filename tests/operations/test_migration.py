"""A journal is moved between SQLite and PostgreSQL, and a venue runs, is audited and backed up in either."""

from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from croupier.cli.main import run
from croupier.engine.places import (
    JOURNAL,
    PLACE_FILE,
    JournalPlace,
    holds_journal,
    open_place,
    open_store,
    place_of,
    record_place,
    settle_place,
)
from croupier.engine.ports import NullOutbox
from croupier.engine.run import start
from croupier.engine.storage import open_storage
from croupier.journal.disk import JournalFault, KeyStoreLocked, RolledBack, StoreLocked
from croupier.journal.keystore import KeyStore
from croupier.journal.stores.database import connect
from croupier.operations.control import OperationsFault
from croupier.operations.restore import MIGRATED, migrate
from tests.conftest import Ask
from tests.support.database import new_venue
from tests.support.venue_on_disk import Site


@pytest.fixture
def place(database: str) -> JournalPlace:
    """A venue that the database does not have yet."""
    return JournalPlace(database, new_venue())


def test_journal_goes_to_postgresql_and_back(site: Site, place: JournalPlace, ask: Ask) -> None:
    """A journal that went to PostgreSQL and back has an equal head, audit and state each time."""
    _, before = ask("audit", "--data", site.data)
    code, moved = ask("migrate", "--data", site.data, "--to", place.address, "--venue", place.venue)
    assert (code, moved["head"], moved["entries"]) == (0, before["head"], before["entries"])
    _, there = ask("audit", "--data", site.data)
    code, moved = ask("migrate", "--data", site.data, "--to-sqlite")
    assert (code, moved["head"]) == (0, before["head"])
    _, back = ask("audit", "--data", site.data)

    assert there == before
    assert back == before
    assert site.data.joinpath(JOURNAL + MIGRATED).exists()
    assert place_of(site.data) is None


def test_house_goes_on_in_postgresql(site: Site, place: JournalPlace, ask: Ask) -> None:
    """A house whose journal was moved recovers its round there, and its journal is valid and exported as before."""
    migrate(site.data, KeyStore(site.safe), place)
    code, recovered = ask("recover", "--data", site.data)
    assert (code, len(recovered["tables"])) == (0, 1)
    code, found = ask("audit", "--data", site.data)
    assert (code, found["unsigned"], found["remarks"]) == (0, 0, [])
    code, exported = ask("export", "--data", site.data, "--out", site.data.parent / "part.zip")
    assert (code, exported["last"]) == (0, found["entries"])


def test_journal_in_postgresql_is_backed_up(site: Site, place: JournalPlace, ask: Ask, tmp_path: Path) -> None:
    """A backup of a journal in PostgreSQL is one in SQLite, which is restored into another directory."""
    migrate(site.data, KeyStore(site.safe), place)
    code, made = ask("backup", "--data", site.data, "--to", tmp_path / "backups")
    assert (code, made["removed"]) == (0, [])
    code, drilled = ask("restore", tmp_path / "backups", "--data", site.data, "--drill")
    assert code == 0, drilled
    code, refused = ask("restore", tmp_path / "backups", "--data", site.data)
    assert (code, refused["refusal"]["code"]) == (2, "already_there")
    options = ("--data", tmp_path / "other", "--key-store", site.safe)
    code, restored = ask("restore", tmp_path / "backups", *options)
    assert (code, restored["lost"]) == (0, 0)


def test_moved_journal_is_not_continued_where_it_was(site: Site, place: JournalPlace) -> None:
    """Once a house has gone on in PostgreSQL, its old file in SQLite is an older copy, and refused."""
    migrate(site.data, KeyStore(site.safe), place)
    start(site.data, KeyStore(site.safe), NullOutbox()).stop()
    site.data.joinpath(PLACE_FILE).unlink()
    site.data.joinpath(JOURNAL + MIGRATED).rename(site.data / JOURNAL)

    with pytest.raises(RolledBack):
        start(site.data, KeyStore(site.safe), NullOutbox())


def test_journal_that_is_lost_in_the_database_is_detected(site: Site, place: JournalPlace) -> None:
    """A venue whose rows are gone, or whose last page is, is not begun anew: the anchor knows better."""
    migrate(site.data, KeyStore(site.safe), place)
    with connect(place.address, "test") as connection:
        delete = "DELETE FROM croupier.page USING croupier.venue WHERE venue = id AND name = %s AND number > %s"
        connection.execute(delete, (place.venue, 3))
        with pytest.raises(RolledBack, match="the journal ends before it"):
            start(site.data, KeyStore(site.safe), NullOutbox())
        connection.execute(delete, (place.venue, 0))
    with pytest.raises(RolledBack, match="the journal is missing or empty"):
        start(site.data, KeyStore(site.safe), NullOutbox())


def test_second_house_on_the_same_venue_is_refused(site: Site, place: JournalPlace, tmp_path: Path) -> None:
    """A second house with a data directory of its own finds the journal in use, and one on the same directory that."""
    migrate(site.data, KeyStore(site.safe), place)
    running = start(site.data, KeyStore(site.safe), NullOutbox())
    other = tmp_path / "other"
    settle_place(other, place)

    with pytest.raises(StoreLocked, match="in use by process"):
        start(other, KeyStore(site.safe), NullOutbox())
    with pytest.raises(KeyStoreLocked, match=r"the data directory .* serves one house at a time"):
        start(site.data, KeyStore(site.safe), NullOutbox())
    with pytest.raises(KeyStoreLocked):
        migrate(site.data, KeyStore(site.safe), None)
    running.stop()
    start(other, KeyStore(site.safe), NullOutbox()).stop()


def test_migration_to_where_a_journal_is_is_refused(site: Site, place: JournalPlace) -> None:
    """A journal is moved neither to where it is nor over another."""
    with pytest.raises(OperationsFault, match="is there already"):
        migrate(site.data, KeyStore(site.safe), None)
    with closing(open_place(place)) as other, closing(open_store(site.data, writing=False)) as journal:
        first = journal.page(1)
        assert first is not None
        other.fence()
        other.append(first)
    with pytest.raises(OperationsFault, match="has a journal already"):
        migrate(site.data, KeyStore(site.safe), place)
    free = JournalPlace(place.address, new_venue())
    migrate(site.data, KeyStore(site.safe), free)
    site.data.joinpath(JOURNAL).touch()
    with pytest.raises(OperationsFault, match=r"journal\.db exists"):
        migrate(site.data, KeyStore(site.safe), None)


def test_journal_moves_between_databases(site: Site, place: JournalPlace) -> None:
    """A journal is moved from one database to another as from SQLite."""
    migrate(site.data, KeyStore(site.safe), place)
    site.data.joinpath(JOURNAL + MIGRATED).unlink()
    after = JournalPlace(place.address, new_venue())
    head = migrate(site.data, KeyStore(site.safe), after)

    assert place_of(site.data) == after
    with closing(open_store(site.data, writing=False)) as journal:
        last = journal.last()
        assert last is not None
        assert last.journal_head == head


def test_empty_journal_is_moved(place: JournalPlace, tmp_path: Path) -> None:
    """A journal without entries is moved as that, and the house begins there."""
    site = Site.in_(tmp_path)
    open_storage(site.data, KeyStore(site.safe)).close()
    assert migrate(site.data, KeyStore(site.safe), place).position == 0
    start(site.data, KeyStore(site.safe), NullOutbox()).stop()


def test_directory_keeps_its_place(site: Site, place: JournalPlace, tmp_path: Path) -> None:
    """A directory with a journal is not used for another that the configuration names; a new one records it."""
    settle_place(site.data, None)
    with pytest.raises(JournalFault, match="croupier migrate"):
        settle_place(site.data, place)
    new = tmp_path / "new"
    assert not holds_journal(new)
    settle_place(new, place)
    assert (place_of(new), holds_journal(new)) == (place, True)
    with pytest.raises(JournalFault, match="and the configuration names"):
        settle_place(new, None)
    with pytest.raises(JournalFault, match="and the configuration names"):
        settle_place(new, JournalPlace(place.address, "another"))


def test_place_that_cannot_be_read_is_a_fault(place: JournalPlace, tmp_path: Path) -> None:
    """A damaged record of the place, or one that cannot be read or written, is a fault: no journal is begun."""
    record_place(tmp_path, place)
    tmp_path.joinpath(PLACE_FILE).write_bytes(msgspec.json.encode({"address": place.address}))
    with pytest.raises(JournalFault, match="does not name a journal"):
        place_of(tmp_path)
    tmp_path.joinpath(PLACE_FILE).unlink()
    tmp_path.joinpath(PLACE_FILE).mkdir()
    with pytest.raises(JournalFault, match="cannot be read: Is a directory"):
        place_of(tmp_path)
    tmp_path.joinpath("file").touch()
    with pytest.raises(JournalFault, match="cannot be used: Not a directory"):
        settle_place(tmp_path / "file" / "data", place)


def test_driver_that_is_not_installed_is_named(place: JournalPlace, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the optional driver a journal in PostgreSQL names the extra that it needs."""
    monkeypatch.setitem(__import__("sys").modules, "croupier.journal.stores.postgresql", None)
    with pytest.raises(JournalFault, match=r"pip install 'croupier\[postgresql\]'"):
        open_place(place)


@pytest.mark.parametrize(
    "options", [(), ("--to", "postgresql://x/y"), ("--venue", "v"), ("--to", "a", "--venue", "v", "--to-sqlite")]
)
def test_destination_is_named_once(site: Site, options: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    """The command needs one destination, a database with a venue or SQLite."""
    assert run(["migrate", "--data", str(site.data), *options]) == 2
    assert "Name '--to' with '--venue', or '--to-sqlite'." in capsys.readouterr().err


def test_command_prepares_a_database(database: str, ask: Ask) -> None:
    """The command reports the version of the tables before and after, and what keeps it from preparing them."""
    assert ask("database", "prepare", database) == (0, {"before": 8, "version": 8, "roles": {}, "hardened": False})
    code, refused = ask("database", "prepare", "postgresql://nobody@/none?host=/nowhere")
    assert (code, refused["refusal"]["code"]) == (2, "command_failed")


def test_running_journal_is_not_moved(site: Site, place: JournalPlace, ask: Ask) -> None:
    """A journal that a server uses is not moved."""
    running = start(site.data, KeyStore(site.safe), NullOutbox())
    code, refused = ask("migrate", "--data", site.data, "--to", place.address, "--venue", place.venue)
    running.stop()

    assert (code, refused["refusal"]["code"]) == (2, "busy")


#: What a hostile writer with too many rights, or one of a time without policies, may have done to a venue.
ATTACKS = {
    "a page at the end": "INSERT INTO croupier.page SELECT id, 1 + (SELECT max(number) FROM croupier.page"
    " WHERE venue = id), 9, 9000, 9001, decode(repeat('00', 32), 'hex'), '', '' FROM croupier.venue"
    " WHERE name = %(name)s",
    "a page far away": "INSERT INTO croupier.page SELECT id, 9223372036854775807, 1, 1, 1,"
    " decode(repeat('00', 32), 'hex'), '', '' FROM croupier.venue WHERE name = %(name)s",
    "a checkpoint": "INSERT INTO croupier.checkpoint SELECT id, 1 + (SELECT max(number) FROM croupier.checkpoint"
    " WHERE venue = id), 1, '{}', '' FROM croupier.venue WHERE name = %(name)s",
    "a checkpoint out of its place": "INSERT INTO croupier.checkpoint SELECT venue, 1 + max(number) OVER (),"
    " checkpoint.epoch, body, signature FROM croupier.checkpoint JOIN croupier.venue ON venue = id"
    " WHERE name = %(name)s ORDER BY number LIMIT 1",
    "the fence": "UPDATE croupier.venue SET epoch = 99, mac = '' WHERE name = %(name)s",
    "the fence, backwards": "UPDATE croupier.venue SET epoch = 0, mac = '' WHERE name = %(name)s",
}


@pytest.mark.parametrize("attack", ATTACKS)
def test_owner_repairs_a_venue(site: Site, place: JournalPlace, ask: Ask, attack: str) -> None:
    """A venue that foreign rows have stopped starts again after the owner's repair, with the same head."""
    head = migrate(site.data, KeyStore(site.safe), place)
    with connect(place.address, "test") as connection:
        connection.execute(ATTACKS[attack], {"name": place.venue})
    with pytest.raises(JournalFault):
        start(site.data, KeyStore(site.safe), NullOutbox())
    code, repaired = ask("database", "repair", "--data", site.data, "--owner", place.address)
    assert (code, repaired["head"], repaired["entries"]) == (0, head.digest.hex(), head.position)
    removed = (len(repaired["pages"]), len(repaired["checkpoints"]), repaired["fence"])
    assert removed == ("page" in attack, "checkpoint" in attack, "fence" in attack)
    with connect(place.address, "test") as connection:
        query = "SELECT count(*) FROM croupier.quarantine JOIN croupier.venue ON venue = id WHERE name = %s"
        assert connection.execute(query, (place.venue,)).fetchone() == (sum(removed[:2]),)
    assert ask("database", "repair", "--data", site.data, "--owner", place.address)[1]["pages"] == []
    start(site.data, KeyStore(site.safe), NullOutbox()).stop()
    assert ask("audit", "--data", site.data)[0] == 0


def test_repair_keeps_a_journal_that_it_cannot_make_whole(site: Site, place: JournalPlace, ask: Ask) -> None:
    """A page of the venue that was changed is not removed: the repair changes nothing, and names what is missing."""
    migrate(site.data, KeyStore(site.safe), place)
    change = "UPDATE croupier.page SET mac = '' FROM croupier.venue WHERE venue = id AND name = %s AND number = 3"
    with connect(place.address, "test") as connection:
        connection.execute(change, (place.venue,))
    code, damaged = ask("database", "repair", "--data", site.data, "--owner", place.address)
    assert (code, damaged["whole"]) == (1, False)
    with closing(open_place(place, writing=False)) as store:
        assert store.page(3) is not None


def test_repair_needs_a_stopped_venue_in_a_database(site: Site, place: JournalPlace, ask: Ask, tmp_path: Path) -> None:
    """A journal in SQLite has no foreign rows; one that a server writes is not repaired."""
    code, refused = ask("database", "repair", "--data", site.data, "--owner", place.address)
    assert (code, refused["refusal"]["code"]) == (2, "command_failed")
    migrate(site.data, KeyStore(site.safe), place)
    other = tmp_path / "other"
    settle_place(other, place)
    running = start(other, KeyStore(site.safe), NullOutbox())
    code, refused = ask("database", "repair", "--data", site.data, "--owner", place.address)
    running.stop()
    assert (code, refused["refusal"]["code"]) == (2, "busy")


def test_damaged_journal_is_replaced(site: Site, place: JournalPlace, ask: Ask, tmp_path: Path) -> None:
    """A journal that is damaged in the database is replaced by a backup, and what was there is in the quarantine."""
    migrate(site.data, KeyStore(site.safe), place)
    start(site.data, KeyStore(site.safe), NullOutbox()).stop()
    assert ask("backup", "--data", site.data, "--to", tmp_path / "backups")[0] == 0
    with connect(place.address, "test") as connection:
        change = "UPDATE croupier.page SET body = '' FROM croupier.venue WHERE venue = id AND number = 3 AND name = %s"
        connection.execute(change, (place.venue,))
        connection.execute("UPDATE croupier.venue SET epoch = 99 WHERE name = %s", (place.venue,))
    restored = ("--data", tmp_path / "restored", "--key-store", site.safe)
    assert ask("restore", tmp_path / "backups", *restored)[0] == 0
    to = ("--key-store", site.safe, "--to", place.address, "--venue", place.venue)
    code, refused = ask("migrate", "--data", tmp_path / "restored", *to)
    assert (code, refused["refusal"]["code"]) == (2, "command_failed")
    assert ask("migrate", "--data", tmp_path / "restored", *to, "--replace", place.address)[0] == 0
    assert ask("audit", "--data", tmp_path / "restored", "--key-store", site.safe)[0] == 0
    start(tmp_path / "restored", KeyStore(site.safe), NullOutbox()).stop()
    assert ask("migrate", "--data", site.data, "--to-sqlite", "--replace", place.address)[0] == 2
