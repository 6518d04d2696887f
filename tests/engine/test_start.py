"""The start on a data directory, and the faults of one that was changed, emptied or cannot be read."""

from contextlib import closing
from itertools import count
from pathlib import Path

import pytest

from croupier.engine.ports import Ports
from croupier.engine.run import start, start_with_ports
from croupier.engine.storage import open_storage
from croupier.journal.disk import DiskReserve, JournalFault, RolledBack, StoreLocked
from croupier.journal.keystore import KeyStore
from croupier.journal.stores.sqlite import SqliteStore
from tests.conftest import Ask
from tests.support.engine_driver import HandClock, NullOutbox
from tests.support.tampering import Scene, damage_page, scene
from tests.support.venue_on_disk import MANAGERS, Site


@pytest.fixture(scope="module")
def shared_scene(tmp_path_factory: pytest.TempPathFactory) -> Scene:
    """A venue's files at four moments: to be copied, not used."""
    return scene(tmp_path_factory.mktemp("scene"))


@pytest.fixture
def site(shared_scene: Scene, tmp_path: Path) -> Site:
    """The venue as it was stopped last."""
    return shared_scene.stopped.copied(tmp_path / "site")


def contents(site: Site) -> dict[str, bytes]:
    """Read every file but the lock, which says who has had the safe last."""
    files = (*site.data.iterdir(), *site.safe.iterdir())
    return {path.name: path.read_bytes() for path in files if path.name != "lock"}


def test_start_goes_on_from_where_the_last_run_stopped(site: Site) -> None:
    """A house that was stopped in good order starts with nothing to carry out, in the next epoch."""
    before = start(site.data, KeyStore(site.safe), NullOutbox())
    before.stop()
    run_ = start(site.data, KeyStore(site.safe), NullOutbox())

    assert (run_.recovered.replayed, run_.epoch) == (0, before.epoch + 1)
    assert run_.recovered.head == before.writer.head
    run_.stop()


@pytest.mark.parametrize("calls", [1, 2, 3])
def test_start_that_is_stopped_has_written_nothing(shared_scene: Scene, tmp_path: Path, calls: int) -> None:
    """A start that is stopped while it reads, or after that, leaves everything as it was, and the next one starts."""
    site = shared_scene.killed.copied(tmp_path / "site")
    (site.data / "snapshot").unlink()
    with closing(SqliteStore(site.journal, writing=False)) as store:
        pages = list(store.pages())
    counted = count(1)

    def check() -> None:
        if next(counted) == {1: 1, 2: len(pages), 3: len(pages) + 1}[calls]:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        start_with_ports(
            site.data, KeyStore(site.safe), lambda house, _: Ports(HandClock(house.now), NullOutbox()), check=check
        )

    with closing(SqliteStore(site.journal, writing=False)) as store:
        assert (list(store.pages()), store.fenced().epoch) == (pages, pages[-1].epoch)
    start(site.data, KeyStore(site.safe), NullOutbox()).stop()


def test_start_makes_a_house_where_there_is_none(tmp_path: Path) -> None:
    """In a directory that is not there yet a start makes the journal and its safe beside it, and founds nothing."""
    run_ = start(tmp_path / "new", KeyStore.default_for(tmp_path / "new"), NullOutbox())

    assert (run_.epoch, run_.house.setup.mode, len(run_.recovery.entries)) == (1, None, 0)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["new", "new.keys"]
    run_.stop()


def test_second_start_is_refused_and_releases_the_lock(site: Site) -> None:
    """While a house runs another start on its data is refused; once it has stopped, one is not."""
    run_ = start(site.data, KeyStore(site.safe), NullOutbox())
    with pytest.raises(StoreLocked):
        start(site.data, KeyStore(site.safe), NullOutbox())
    run_.stop()

    start(site.data, KeyStore(site.safe), NullOutbox()).stop()


def test_start_that_is_refused_releases_everything(shared_scene: Scene, site: Site) -> None:
    """After a start that was refused, the journal can be opened again."""
    site.journal.write_bytes(shared_scene.early.journal.read_bytes())
    for _ in range(2):
        with pytest.raises(RolledBack):
            start(site.data, KeyStore(site.safe), NullOutbox())


@pytest.mark.parametrize("emptied", [True, False], ids=["emptied", "gone"])
def test_journal_that_is_gone_is_not_begun_anew(site: Site, ask: Ask, *, emptied: bool) -> None:
    """Where the journal is empty or gone and its anchor knows entries, nothing is started and nothing is made."""
    site.journal.unlink()
    if emptied:
        site.journal.touch()
    before = contents(site)

    with pytest.raises(RolledBack, match="the journal is missing or empty"):
        open_storage(site.data, KeyStore(site.safe))
    assert contents(site) == before
    assert ask("recover", "--data", site.data)[0] == 2
    assert contents(site) == before


@pytest.mark.parametrize("moment", ["killed", "stopped"])
def test_recover_proves_what_is_before_the_snapshot_too(
    shared_scene: Scene, tmp_path: Path, ask: Ask, moment: str
) -> None:
    """An early entry that was changed is named by recover, which then starts nothing and writes nothing."""
    site: Site = getattr(shared_scene, moment).copied(tmp_path / moment)
    first = damage_page(site, 3)
    before = contents(site)

    code, answer = ask("recover", "--data", site.data)
    assert (code, answer["position"]) == (1, first)
    assert contents(site) == before


def test_nothing_is_offered_for_acceptance_unless_lost(site: Site, ask: Ask) -> None:
    """Where nothing is lost, the word of two people is not needed, and that is a refusal and no damage."""
    code, answer = ask("recover", "--data", site.data, "--accept-older", *MANAGERS, "to be safe")

    assert (code, answer["refusal"]["code"]) == (2, "already_there")
    assert answer["refusal"]["says"].startswith("Nothing is lost")


def _read_only(site: Site) -> None:
    for path in site.data.iterdir():
        path.chmod(0o400)
    site.data.chmod(0o500)


def test_journal_that_may_only_be_read_is_audited(site: Site, ask: Ask) -> None:
    """Evidence that nobody may write to can be audited."""
    _read_only(site)

    assert ask("audit", "--data", site.data)[0] == 0


def test_anchor_that_is_no_file_is_refused(site: Site, ask: Ask) -> None:
    """An anchor that cannot be opened is said to be that, by every command."""
    site.anchor.unlink()
    site.anchor.mkdir()

    for command in ("audit", "recover"):
        code, answer = ask(command, "--data", site.data)
        assert code in (1, 2)
        assert "anchor" in str(answer)


def test_data_directory_that_cannot_be_made_is_reported(tmp_path: Path) -> None:
    """Where a file stands in the way of the data directory, that is said and nothing else happens."""
    (tmp_path / "data").write_text("a file")

    with pytest.raises(JournalFault, match="cannot be used"):
        open_storage(tmp_path / "data", KeyStore.default_for(tmp_path / "data"))
    with pytest.raises(JournalFault, match="cannot be used"):
        DiskReserve(tmp_path / "data")


def test_export_leaves_other_files_alone(site: Site, tmp_path: Path, ask: Ask) -> None:
    """Whatever stands beside an export is still there after it, and after one that failed."""
    mine = tmp_path / "all.zip.new"
    mine.write_text("mine")
    assert ask("export", "--data", site.data, "--out", tmp_path / "all.zip")[0] == 0
    assert ask("export", "--data", site.data, "--out", tmp_path / "all.zip")[0] == 2
    assert ask("export", "--data", site.data, "--out", tmp_path / "all.zip" / "more.zip")[0] == 2

    assert mine.read_text() == "mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["all.zip", "all.zip.new", "site"]


def test_export_needs_the_venues_key(site: Site, tmp_path: Path, ask: Ask) -> None:
    """Whoever has only the public key can audit, and cannot hand out what the venue must sign."""
    (site.safe / "signing.pem").unlink()
    code, answer = ask("export", "--data", site.data, "--out", tmp_path / "all.zip")

    assert (code, "no signing key" in answer["refusal"]["says"]) == (2, True)
    assert ask("audit", "--data", site.data)[0] == 0
