"""Backups: made while the house is open, proven, signed, whole or not there, and never with anything of the safe."""

import errno
import re
import shutil
from contextlib import closing
from pathlib import Path

import pytest

from croupier.devices.recorder import DIRECTORY
from croupier.house.ids import SECOND, Instant
from croupier.journal.disk import LOW_BYTES, JournalFault
from croupier.journal.keystore import KeyStore
from croupier.journal.stores.sqlite import SqliteStore
from croupier.operations.backup import BackupDirectory, BackupJob, StagedCopy, clear_staged, stored_backups
from croupier.operations.control import BackupCorrupt, OperationsFault
from croupier.operations.restore import proven_backup
from tests.journal.test_store_contract import some
from tests.support.disk import Disk
from tests.support.maintenance import Begun, backed_up, names
from tests.support.tampering import damage_file
from tests.support.venue_on_disk import CLOCK_START, SOFTWARE, VenueOnDisk


@pytest.fixture
def venue(tmp_path: Path) -> VenueOnDisk:
    """A venue that is open, after three rounds."""
    venue = VenueOnDisk(tmp_path)
    venue.play(3)
    return venue


@pytest.fixture
def backup_directory(tmp_path: Path) -> Path:
    return tmp_path / "backups"


# making one


def test_backup_is_made_while_the_house_is_open(venue: VenueOnDisk, backup_directory: Path) -> None:
    """Rounds are played between the steps, and all that was kept before the last step is in the backup."""
    with Begun(venue, backup_directory) as draft:
        steps = 1
        while not draft.step(2):
            venue.play()
            steps += 1
        mark = venue.run.writer.head
        venue.play()
        made = draft.finish()

    assert steps > 3
    assert (made.position, made.epoch, made.head) == (mark.position, mark.epoch, mark.digest.hex())
    assert venue.run.writer.head.position > mark.position
    backup = proven_backup(Path(made.path), venue.run.storage.signer)
    assert backup.manifest.journal_head == mark
    assert (backup.manifest.made_at, backup.manifest.software) == (CLOCK_START, SOFTWARE)
    venue.stop()


def test_backup_holds_the_journal_and_nothing_of_the_safe(venue: VenueOnDisk, backup_directory: Path) -> None:
    """In a backup are the journal, the last snapshot, and what vouches for them; no key is, and it is the owner's."""
    venue.run.take_snapshot()
    backup = Path(backed_up(venue, backup_directory).path)
    secrets = [path.read_bytes().splitlines()[1] for path in venue.site.safe.glob("*.pem")]

    assert backup.name == "croupier-backup-20251115T180000Z"
    assert sorted(path.name for path in backup.iterdir()) == ["journal.db", "manifest.json", "manifest.sig", "snapshot"]
    assert [path.stat().st_mode & 0o077 for path in (backup, *backup.iterdir())] == [0] * 5
    assert len(secrets) == 2
    assert not any(secret in path.read_bytes() for secret in secrets for path in backup.iterdir())
    venue.stop()


def test_snapshot_that_is_taken_meanwhile_is_left_out(venue: VenueOnDisk, backup_directory: Path) -> None:
    """A backup never has a snapshot of an entry that is not in its journal."""
    with Begun(venue, backup_directory) as draft:
        assert not draft.step(1)
        venue.run.take_snapshot()
        while not draft.step():
            pass
        backup = Path(draft.finish().path)

    assert venue.site.snapshot.exists()
    assert not (backup / "snapshot").exists()
    venue.stop()


def test_unfinished_backup_is_none(venue: VenueOnDisk, backup_directory: Path) -> None:
    """What is cut short leaves nothing that could be taken for a backup, and stands in nobody's way."""
    with Begun(venue, backup_directory) as draft:
        draft.step(1)
        (left,) = [path for path in backup_directory.iterdir() if path.is_dir()]
        shutil.copytree(left, backup_directory.parent / "left")
    assert [path.name for path in backup_directory.iterdir()] == [".croupier-backup.lock"]
    # As it is where the power went.
    shutil.move(backup_directory.parent / "left", left)

    assert stored_backups(backup_directory, venue.run.storage.signer.verifier) == []
    assert names(backup_directory) == []
    backed_up(venue, backup_directory)
    assert len(names(backup_directory)) == 1
    assert not left.exists()
    venue.stop()


def test_backup_of_half_a_copy_is_refused(venue: VenueOnDisk, backup_directory: Path) -> None:
    """What was not copied to the end does not hold, and no backup is made of it."""
    with Begun(venue, backup_directory) as draft:
        draft.step(1)
        with pytest.raises(BackupCorrupt, match="the copy differs from the journal"):
            draft.finish()
    assert names(backup_directory) == []
    venue.stop()


def test_one_backup_is_made_at_a_time(venue: VenueOnDisk, backup_directory: Path) -> None:
    """A backup directory takes one backup at a time, and the next one afterwards."""
    with Begun(venue, backup_directory), pytest.raises(OperationsFault, match="another backup is being made"):
        Begun(venue, backup_directory)
    backed_up(venue, backup_directory)
    venue.stop()


def test_backup_directory_must_lie_apart(venue: VenueOnDisk, tmp_path: Path) -> None:
    """A backup in the data directory would be lost with it, and one in a file cannot be; neither is begun."""
    (tmp_path / "file").touch()
    with pytest.raises(OperationsFault, match="must not be in the data directory"):
        Begun(venue, venue.site.data / "backups")
    with pytest.raises(OperationsFault, match="file cannot be used: File exists"):
        Begun(venue, tmp_path / "file")
    venue.play()
    venue.stop()


@pytest.mark.parametrize("mode", [0o770, 0o707, 0o1777])
def test_backup_directory_that_others_can_write_is_refused(
    venue: VenueOnDisk, backup_directory: Path, mode: int
) -> None:
    """No backup is begun where another user of the machine could put links in place of its files."""
    backup_directory.mkdir()
    backup_directory.chmod(mode)
    with pytest.raises(OperationsFault, match=r"can change what is in .*: give it mode 700$"):
        Begun(venue, backup_directory)
    assert list(backup_directory.iterdir()) == []
    backup_directory.chmod(0o755)
    backed_up(venue, backup_directory)
    venue.stop()


def _complete(job: BackupJob, staged: Path, venue: VenueOnDisk) -> None:
    job.take(staged)
    job.finish(venue.run.storage.signer, SOFTWARE)


@pytest.mark.parametrize("name", ["journal.db", "snapshot", "recordings.tar.gz"])
def test_link_in_place_of_a_file_of_a_backup_is_not_followed(
    venue: VenueOnDisk, backup_directory: Path, tmp_path: Path, name: str
) -> None:
    """A link in the unfinished backup ends it, and the file that the link names stays as it is."""
    key = tmp_path / "key"
    key.write_bytes(b"a key")
    key.chmod(0o644)
    staged = tmp_path / "staged"
    staged.mkdir()
    for each in ("journal.db", "snapshot"):
        (staged / each).write_bytes(b"a copy")
    recordings = venue.site.data / DIRECTORY
    recordings.mkdir(exist_ok=True)
    (recordings / "wheel.log").write_text("a telegram")

    with BackupJob(venue.site.data, backup_directory, Instant(CLOCK_START)) as job:
        (job.folder / name).symlink_to(key)
        with pytest.raises(OperationsFault, match="cannot be used: File exists"):
            _complete(job, staged, venue)
    assert (key.read_bytes(), key.stat().st_mode & 0o777) == (b"a key", 0o644)
    venue.stop()


def test_backup_is_not_put_over_another(venue: VenueOnDisk, backup_directory: Path) -> None:
    """A second backup in the same second is not made, and the first stands."""
    made = backed_up(venue, backup_directory)
    with pytest.raises(OperationsFault, match="cannot be used: Directory not empty"):
        backed_up(venue, backup_directory)
    proven_backup(Path(made.path), venue.run.storage.signer)
    venue.stop()


def test_house_that_stops_ends_its_backup(venue: VenueOnDisk, backup_directory: Path) -> None:
    """A journal that is closed in the middle of a backup ends it, and no more than it."""
    with Begun(venue, backup_directory) as draft:
        draft.step(1)
        venue.stop()
        with pytest.raises(OperationsFault, match="the copy cannot be made"):
            draft.step(1)
    assert names(backup_directory) == []
    venue.begin().stop()


# on the journal's own disk first


def test_copy_is_staged_only_where_there_is_room(venue: VenueOnDisk) -> None:
    """A copy is not begun where it would leave no room for bets, and is given up where the room goes meanwhile."""
    size, free = sum(path.stat().st_size for path in venue.site.data.glob("journal.db*")), 0
    store = venue.run.storage.store
    assert isinstance(store, SqliteStore)
    staging = StagedCopy(venue.site.data, lambda _: free)
    free = size + LOW_BYTES - 1
    with pytest.raises(OperationsFault, match=f"has {free} bytes left, of which {free + 1} are needed"):
        staging.begin(store)
    staging.close()
    assert not staging.folder.exists()

    free += 1
    staging.begin(store)
    assert not staging.step(1)
    free = LOW_BYTES - 1
    with pytest.raises(OperationsFault, match="bytes left"):
        staging.step(1)
    staging.close()
    venue.play()
    venue.stop()


def test_staged_copy_is_moved_to_the_backup_directory(venue: VenueOnDisk, backup_directory: Path) -> None:
    """What was staged, with the snapshot where there is one, is verified in the backup directory, and only there."""
    store, data = venue.run.storage.store, venue.site.data
    assert isinstance(store, SqliteStore)
    for number in range(2):
        staging = StagedCopy(data)
        staging.begin(store)
        while not staging.step():
            venue.play()
        staging.close()
        with BackupJob(data, backup_directory, Instant(CLOCK_START + number * SECOND)) as draft:
            draft.take(staging.folder)
            made = draft.finish(venue.run.storage.signer, SOFTWARE)
        clear_staged(data)
        backup = proven_backup(Path(made.path), venue.run.storage.signer)
        assert backup.manifest.position == venue.run.writer.head.position
        assert (backup.path / "snapshot").exists() is bool(number)
        venue.run.take_snapshot()
    venue.stop()


def test_staged_copy_that_is_gone_is_no_backup(venue: VenueOnDisk, backup_directory: Path) -> None:
    """A staged copy that is removed before it reaches the backup directory leaves no backup."""
    with BackupJob(venue.site.data, backup_directory, Instant(CLOCK_START)) as draft:
        draft.take(venue.site.data / "backing-up")
        with pytest.raises(BackupCorrupt, match="the copy differs from the journal"):
            draft.finish(venue.run.storage.signer, SOFTWARE)
    assert names(backup_directory) == []
    venue.stop()


@pytest.mark.parametrize("below", ["", "backups", "deep/backups"])
def test_backup_into_a_key_store_is_refused(venue: VenueOnDisk, tmp_path: Path, below: str) -> None:
    """A backup never lies in a key store, of this venue or of another: a copy of one would contain the other."""
    other = KeyStore(tmp_path / "other keys")
    other.provision()
    for store in (KeyStore(venue.site.safe), other):
        before = sorted(store.path.rglob("*"))
        with pytest.raises(OperationsFault, match="must not be in a key store"):
            BackupJob(venue.site.data, store.path / below, Instant(CLOCK_START))
        assert sorted(store.path.rglob("*")) == before
    venue.stop()


# a disk that fails


def test_copy_that_fails_disturbs_no_page(tmp_path: Path) -> None:
    """Where the copy's disk is full the pages of the journal are kept all the same, and a step tells."""
    disk = Disk()
    disk.room = 0
    with closing(SqliteStore(tmp_path / "journal.db")) as store:
        store.fence()
        written = some(9)
        store.append(written[0])
        with closing(store.backup_to(Path("copy.db"), vfs=disk.name)) as copy:
            assert not copy.step(1)
            for page in written[1:]:
                store.append(page)
            with pytest.raises(JournalFault, match="FullError"):
                copy.step(1_000)

        assert list(store.pages()) == written


def test_backup_directory_that_goes_away_ends_the_backup(venue: VenueOnDisk, backup_directory: Path) -> None:
    """Where the backup directory is removed there is no backup, and the house goes on."""
    with Begun(venue, backup_directory) as draft:
        shutil.rmtree(backup_directory)
        with pytest.raises(OperationsFault, match="No such file or directory"):
            draft.finish()
    venue.play()
    venue.stop()


def test_backup_that_cannot_be_begun_leaves_nothing(venue: VenueOnDisk, backup_directory: Path) -> None:
    """What cannot be read ends a backup at its beginning, and the backup directory is free for the next."""
    venue.site.snapshot.mkdir()
    with pytest.raises(OperationsFault, match="snapshot cannot be used: Is a directory"):
        Begun(venue, backup_directory)
    assert [path.name for path in backup_directory.iterdir()] == [".croupier-backup.lock"]
    venue.site.snapshot.rmdir()
    backed_up(venue, backup_directory)
    venue.stop()


# keeping some


def test_oldest_make_room_for_the_new(venue: VenueOnDisk, backup_directory: Path) -> None:
    """So many backups are kept; the oldest go once the new one is in its place, and are named."""
    first, second, third = (backed_up(venue, backup_directory, at, keep=2) for at in range(3))

    assert (first.removed, second.removed, third.removed) == ((), (), ("croupier-backup-20251115T180000Z",))
    assert names(backup_directory) == ["croupier-backup-20251115T180001Z", "croupier-backup-20251115T180002Z"]
    assert backed_up(venue, backup_directory, 3, keep=1).removed == tuple(
        Path(each.path).name for each in (second, third)
    )
    venue.stop()


def test_backup_stands_though_older_ones_could_not_be_removed(
    venue: VenueOnDisk, backup_directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A backup directory from which nothing can be removed gets the new backup; the report says why others stay."""

    def stuck(backup_directory: BackupDirectory, *_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", str(backup_directory.path))

    old = backed_up(venue, backup_directory)
    monkeypatch.setattr(BackupDirectory, "prune", stuck)
    new = backed_up(venue, backup_directory, 1, keep=1)

    assert new.removed == ()
    assert re.fullmatch(r"Older backups could not be removed: .* cannot be used: Permission denied\.", new.crowded)
    assert Path(new.path).name in names(backup_directory)
    assert old.crowded == ""
    venue.stop()


def test_age_is_read_from_the_backup(venue: VenueOnDisk, backup_directory: Path) -> None:
    """Where the clock was set back, the backup that has more is the later one all the same."""
    backed_up(venue, backup_directory, 100)
    venue.play()
    backed_up(venue, backup_directory, 0)
    backups = stored_backups(backup_directory, venue.run.storage.signer.verifier)

    assert [each.manifest.made_at - CLOCK_START for each in backups] == [100 * SECOND, 0]
    venue.stop()


def test_what_is_not_ours_is_left_alone(venue: VenueOnDisk, backup_directory: Path, tmp_path: Path) -> None:
    """A backup of another venue, a spoilt one and other folders are neither counted nor removed."""
    other = VenueOnDisk(tmp_path / "other")
    theirs = backed_up(other, backup_directory, 1)
    other.stop()
    spoilt = Path(backed_up(venue, backup_directory, 2).path)
    (spoilt / "manifest.sig").write_bytes(b"none")
    (backup_directory / "croupier-backup-of-old").mkdir()
    (backup_directory / "croupier-backup-notes").write_text("ours")
    before = set(names(backup_directory))
    ours = backed_up(venue, backup_directory, 3, keep=1)

    assert ours.removed == ()
    assert set(names(backup_directory)) == before | {Path(ours.path).name}
    assert Path(theirs.path).name in before
    venue.stop()


def test_nothing_is_removed_for_a_backup_that_does_not_hold(venue: VenueOnDisk, backup_directory: Path) -> None:
    """Where the new copy is not what was kept, the old backup stays, however many may be kept."""
    old = backed_up(venue, backup_directory)
    with Begun(venue, backup_directory, 1) as draft:
        while not draft.step():
            pass
        copy = backup_directory / ".croupier-backup.new" / "journal.db"
        page = venue.run.storage.store.page(3)
        assert page is not None
        damage_file(copy, page)
        with pytest.raises(BackupCorrupt, match=f"the copy differs from the journal: entry {page.first}: page 3"):
            draft.finish(keep=1)

    assert names(backup_directory) == [Path(old.path).name]
    venue.stop()
