"""Restores: a backup put in its place and started from, or refused with all as it was, and no entry lost unsaid."""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import closing
from errno import EIO
from itertools import count
from pathlib import Path
from signal import SIGKILL
from typing import Any, NamedTuple

import pytest

from croupier.cli.main import run
from croupier.engine.places import JOURNAL
from croupier.engine.run import RollbackOverride, start
from croupier.engine.storage import open_storage
from croupier.house.ids import Instant
from croupier.journal.disk import JournalFault, StoreLocked
from croupier.journal.keystore import AnchorRecord, KeyStore
from croupier.journal.stores.sqlite import SqliteStore
from croupier.operations.backup import BackupJob, JournalCopy
from croupier.operations.control import OperationsFault
from croupier.operations.restore import Restored, RestoreRequest, restore, restore_drill
from croupier.rules.refusal import Code, Refusal
from tests.cli.test_journal import files_of
from tests.conftest import Ask
from tests.support.engine_driver import NullOutbox
from tests.support.maintenance import backed_up
from tests.support.venue_on_disk import CLOCK_START, DEALER, MANAGERS, SOFTWARE, Site, VenueOnDisk

NOW = Instant(CLOCK_START)
#: With which entries the two backups end.
EARLY, LAST = 32, 53


class Scene(NamedTuple):
    """A venue that was stopped, with two backups in a directory: one from before its last rounds, and one after."""

    site: Site
    backup_directory: Path
    early: Path
    last: Path

    def order(self, backup: Path, **more: object) -> RestoreRequest:
        return RestoreRequest(backup, self.site.data, KeyStore(self.site.safe))._replace(**more)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Such a scene; to be copied, not used."""
    folder = tmp_path_factory.mktemp("built")
    venue = VenueOnDisk(folder)
    venue.play(2)
    backed_up(venue, folder / "backups", 1)
    venue.play(2)
    venue.stop()
    venue.begin()
    backed_up(venue, folder / "backups", 2)
    venue.kill()
    return folder


@pytest.fixture
def scene(built: Path, tmp_path: Path) -> Scene:
    folder = shutil.copytree(built, tmp_path / "scene")
    early, last = sorted((folder / "backups").glob("croupier-*"))
    return Scene(Site.in_(folder), folder / "backups", early, last)


def everything(scene: Scene) -> list[dict[str, tuple[str, int]]]:
    """All that a restore might change, with the times at which it was last changed."""
    return [files_of(folder) for folder in (*scene.site, scene.early, scene.last)]


def lose(scene: Scene) -> None:
    """Lose the data directory."""
    shutil.rmtree(scene.site.data)


# where nothing is lost


def test_backup_takes_the_place_of_what_was_lost(scene: Scene, ask: Ask) -> None:
    """The last backup gives back all that was kept: the house starts from it, and its journal is whole."""
    lose(scene)
    code, answer = ask("restore", scene.last, "--data", scene.site.data)

    assert (code, answer["backup"], answer["aside"], answer["lost"]) == (0, str(scene.last), None, 0)
    assert (answer["epoch"], answer["entries"], answer["remarks"]) == (3, LAST, [])
    # The snapshot from the stop came along.
    assert answer["replayed"] == 1
    assert sorted(path.name for path in scene.site.data.iterdir()) == ["journal.db", "snapshot"]
    code, answer = ask("audit", "--data", scene.site.data)
    assert (code, answer["whole"], answer["epochs"]) == (0, True, 3)


def test_last_backup_in_a_backup_directory_is_taken(scene: Scene, capsys: pytest.CaptureFixture[str]) -> None:
    """A backup directory stands for the last backup in it, and the output names that backup."""
    lose(scene)
    assert (
        run(
            [
                "restore",
                str(scene.backup_directory),
                "--data",
                str(scene.site.data),
                "--key-store",
                str(scene.site.safe),
            ]
        )
        == 0
    )

    assert capsys.readouterr().out.splitlines()[:3] == [
        f"Restored {scene.last}, which ends with entry {LAST}.",
        f"Epoch 3. The journal had {LAST} entries, and 1 were replayed.",
        f"The snapshot at entry {LAST - 1} held the earlier state.",
    ]


def test_house_goes_on_from_a_backup(scene: Scene) -> None:
    """After a restore the next start of the system is one like any other."""
    lose(scene)
    assert isinstance(restore(scene.order(scene.last), NOW), Restored)

    again = start(scene.site.data, KeyStore(scene.site.safe), NullOutbox())
    assert again.epoch == 4
    again.stop()


def recorded(data: Path, name: str, text: bytes = b"1 1 = round 1\n") -> Path:
    path = data / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(text)
    return path


@pytest.fixture
def with_recordings(tmp_path: Path) -> Scene:
    """A venue with recordings of a wheel and an acceptor, which are in its backup."""
    venue = VenueOnDisk(tmp_path)
    recorded(venue.site.data, "wheels/A.log")
    recorded(venue.site.data, "wheels/A.1.log", b"0 0 = round 0\n" * 10_000)
    recorded(venue.site.data, "devices/A-1.acceptor.log")
    backup = Path(backed_up(venue, tmp_path / "backups", 1).path)
    venue.kill()
    return Scene(venue.site, tmp_path / "backups", backup, backup)


def test_recordings_of_devices_are_restored(with_recordings: Scene, capsys: pytest.CaptureFixture[str]) -> None:
    """A backup has the recordings of devices, compressed, and a restore puts them where they were."""
    scene = with_recordings
    packed = scene.last / "recordings.tar.gz"
    assert packed.stat().st_size < 10_000
    before = {path: path.read_bytes() for path in sorted(scene.site.data.glob("*/*.log"))}
    lose(scene)
    where = ["--data", str(scene.site.data), "--key-store", str(scene.site.safe)]
    assert run(["restore", str(scene.last), *where]) == 0

    assert {path: path.read_bytes() for path in sorted(scene.site.data.glob("*/*.log"))} == before
    assert len(before) == 3
    assert "Recordings of devices were restored: wheels, devices." in capsys.readouterr().out


def test_later_recordings_are_kept(with_recordings: Scene, ask: Ask) -> None:
    """A directory that has recordings is left as it is, and one that has none is restored."""
    scene = with_recordings
    lose(scene)
    scene.site.data.mkdir()
    later = recorded(scene.site.data, "wheels/B.log", b"9 9 = round 9\n")
    code, answer = ask("restore", scene.last, "--data", scene.site.data)

    assert (code, answer["recordings"]) == (0, ["devices"])
    assert [path.name for path in scene.site.data.joinpath("wheels").iterdir()] == [later.name]


def test_recordings_that_cannot_be_written_are_reported(with_recordings: Scene, ask: Ask) -> None:
    """A restore whose recordings have no room is complete, and says that they are missing."""
    scene = with_recordings
    lose(scene)
    scene.site.data.mkdir()
    scene.site.data.joinpath("wheels").write_text("a file is in the way")
    code, answer = ask("restore", scene.last, "--data", scene.site.data)

    assert (code, answer["recordings"]) == (0, [])
    assert answer["remarks"][-1].startswith("the recordings of devices were not restored: ")


# a journal that is there


def test_journal_that_is_there_is_not_replaced_unasked(scene: Scene, ask: Ask) -> None:
    """Where there is a journal, or its log alone, nothing is put in its place unless somebody says so."""
    before = everything(scene)
    code, answer = ask("restore", scene.last, "--data", scene.site.data)

    assert (code, answer["refusal"]["code"]) == (2, "already_there")
    assert everything(scene) == before
    scene.site.journal.unlink()
    assert ask("restore", scene.last, "--data", scene.site.data)[0] == 2


def test_journal_that_is_replaced_is_moved_aside(scene: Scene, capsys: pytest.CaptureFixture[str]) -> None:
    """With --replace the journal that was there is moved aside with all that goes with it, byte by byte the same."""
    scene.site.journal.write_bytes(b"ruined")
    before = files_of(scene.site.data)
    assert run(["restore", str(scene.last), "--data", str(scene.site.data), "--replace"]) == 0

    (aside,) = scene.site.data.glob("replaced-*")
    assert f"The previous journal is in {aside}." in capsys.readouterr().out
    assert {"journal.db", "journal.db-wal", "snapshot"} <= set(before)
    assert files_of(aside) == {name: before[name] for name in files_of(aside)}
    assert set(files_of(aside)) == {"journal.db", "journal.db-wal", "journal.db-shm", "snapshot"}


def test_what_a_restore_left_that_was_cut_short_is_no_hindrance(scene: Scene) -> None:
    """A copy that was left half made is made anew."""
    lose(scene)
    (scene.site.data / "restoring" / "deeper").mkdir(parents=True)

    assert isinstance(restore(scene.order(scene.last), NOW), Restored)
    assert not (scene.site.data / "restoring").exists()


def test_journal_in_use_is_not_replaced(scene: Scene, ask: Ask) -> None:
    """A journal on which a system runs is left to it."""
    venue = VenueOnDisk(scene.backup_directory.parent / "open")
    backup = backed_up(venue, scene.backup_directory.parent / "other")
    code, answer = ask("restore", backup.path, "--data", venue.site.data, "--replace")

    assert (code, answer["refusal"]["code"]) == (2, "busy")
    venue.play()
    venue.stop()


# entries that would be lost


def test_rollback_is_refused(scene: Scene, ask: Ask) -> None:
    """A backup that lacks entries of which the safe knows is not restored on one person's word, and says how many."""
    before = everything(scene)
    code, answer = ask("restore", scene.early, "--data", scene.site.data, "--replace")

    assert (code, answer["refusal"]["code"]) == (2, "not_authorised")
    assert answer["refusal"]["facts"] == {"position": EARLY, "lost": LAST - EARLY}
    assert f"the key store records {LAST - EARLY} or more after it" in answer["refusal"]["says"]
    assert everything(scene) == before


def word_of(*people: str) -> list[str]:
    return [word for person in people for word in ("--by", person)] + ["--because", "the disk broke"]


@pytest.mark.parametrize(
    ("people", "why"),
    [
        ((DEALER, MANAGERS[0]), "not_authorised"),
        ((MANAGERS[0], "nobody"), "unknown_person"),
        ((MANAGERS[0], MANAGERS[0]), "same_person"),
    ],
    ids=["one may not", "one is unknown", "one twice"],
)
@pytest.mark.parametrize("there", [True, False])
def test_rollback_on_the_word_of_others_is_undone(
    scene: Scene, ask: Ask, people: tuple[str, str], why: str, *, there: bool
) -> None:
    """Where these two may not, who may is said, the journal is there again, and the key store records nothing new."""
    if not there:
        lose(scene)
        scene.site.data.mkdir()
    before = everything(scene)
    code, answer = ask("restore", scene.early, "--data", scene.site.data, "--replace", *word_of(*people))

    assert (code, answer["refusal"]["code"], answer["refusal"]["facts"]["may"]) == (2, why, [*MANAGERS])
    assert answer["refusal"]["says"].endswith("By this copy these may, two together: manager 1, manager 2.")
    assert [{name: digest for name, (digest, _) in each.items()} for each in everything(scene)] == [
        {name: digest for name, (digest, _) in each.items()} for each in before
    ]


def test_rollback_on_the_word_of_two(scene: Scene, ask: Ask) -> None:
    """Two who manage the house may go on without the entries: that stands in the journal, which is whole."""
    code, answer = ask("restore", scene.early, "--data", scene.site.data, "--replace", *word_of(*MANAGERS))

    assert (code, answer["lost"], answer["entries"], answer["epoch"]) == (0, LAST - EARLY, EARLY, 3)
    code, answer = ask("audit", "--data", scene.site.data)
    assert (code, answer["whole"], answer["remarks"]) == (0, True, [])
    assert b"the disk broke" in scene.site.journal.read_bytes()


def test_backup_of_a_history_that_was_given_up_is_refused(scene: Scene, ask: Ask) -> None:
    """Once two people went on from an older copy, a backup of what they dropped is of another journal."""
    order = ["--data", scene.site.data, "--replace", *word_of(*MANAGERS)]
    assert ask("restore", scene.early, *order)[0] == 0
    code, answer = ask("restore", scene.last, *order)

    assert (code, answer["whole"]) == (1, False)
    assert "is not the one that had been written" in answer["says"]


def test_words_where_nothing_is_lost_are_refused(scene: Scene, ask: Ask) -> None:
    """Nobody gives their word for nothing: it would stand in the journal."""
    lose(scene)
    code, answer = ask("restore", scene.last, "--data", scene.site.data, *word_of(*MANAGERS))

    assert (code, answer["refusal"]["code"]) == (2, "already_there")
    assert not scene.site.data.exists()


@pytest.mark.parametrize(
    "words",
    [["--by", "one"], ["--because", "x"], word_of("one"), word_of("one", "two", "three"), ["--by", "a", "--by", "b"]],
)
def test_half_a_word_is_none(scene: Scene, ask: Ask, words: list[str]) -> None:
    """It takes two people and a reason, no fewer and no more."""
    code, answer = ask("restore", scene.early, "--data", scene.site.data, "--replace", *words)

    assert (code, answer["refusal"]["code"]) == (2, "malformed")
    assert "Two people and a reason are required" in answer["refusal"]["says"]


def test_exchange_stands_once_the_safe_knows_of_it(scene: Scene) -> None:
    """A start that fails after the safe was told of its entries is not undone: what was there is the older one now."""

    class Moving(KeyStore):
        """A safe whose anchor is another each time it is read."""

        read: Iterator[int] = iter(range(9))

        def anchor_records(self) -> list[AnchorRecord | None]:
            return [*super().anchor_records(), *[None] * next(self.read)]

    order = scene.order(scene.early, replace=True, older=RollbackOverride((DEALER, DEALER), "no"))
    assert isinstance(restore(order._replace(key_store=Moving(scene.site.safe)), NOW), Refusal)

    assert [path.name for path in scene.site.data.glob("replaced-*")] == ["replaced-20251115T180000Z"]
    assert scene.site.journal.read_bytes() == (scene.early / "journal.db").read_bytes()


# restores that were cut short

#: What a restore asks of the disk, apart from what SQLite does: before each of them it may be killed.
STEPS = ((os, "rename"), (os, "replace"), (os, "unlink"), (os, "mkdir"), (os, "rmdir"), (shutil, "copyfile"))


def killed_at(step: int, order: RestoreRequest) -> bool:
    """Restore in a process of its own, which is killed before a step; tell whether it came to that."""
    child = os.fork()
    if child == 0:
        taken = count(1)

        def fatal(work: Callable[..., object]) -> Callable[..., object]:
            def worked(*arguments: Any, **more: Any) -> object:  # noqa: ANN401 - as the step takes
                if next(taken) == step:
                    os.kill(os.getpid(), SIGKILL)
                return work(*arguments, **more)

            return worked

        for module, name in STEPS:
            setattr(module, name, fatal(getattr(module, name)))
        try:
            restore(order, NOW)
        finally:
            os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status)


def pages_in(journal: Path) -> int:
    with closing(SqliteStore(journal, writing=False)) as store:
        return sum(1 for _ in store.pages())


@pytest.mark.parametrize("lost", [False, True], ids=["replaced", "lost"])
def test_restore_that_is_killed_can_be_done_again(scene: Scene, tmp_path: Path, ask: Ask, *, lost: bool) -> None:
    """Killed before any of its steps, a restore says so at the next start, and is done again without any loss."""
    said, left = set[str](), set[str]()
    whole = pages_in(scene.site.journal)
    for step in count(1):
        folder = shutil.copytree(scene.site.data.parent, tmp_path / "again")
        site = Site.in_(folder)
        order = RestoreRequest(folder / "backups" / scene.last.name, site.data, KeyStore(site.safe), replace=True)
        if lost:
            shutil.rmtree(site.data)
        if not killed_at(step, order):
            break
        audited, answer = ask("audit", "--data", site.data)
        says = answer.get("refusal", {}).get("says", "")
        if cut := "was interrupted, and nothing is lost: run `croupier restore" in says:
            with pytest.raises(JournalFault, match="was interrupted, and nothing is lost"):
                open_storage(site.data, KeyStore(site.safe))
        said.add("cut short" if cut else "no journal" if "no journal" in says else "whole" if audited == 0 else says)

        again = restore(order, NOW)
        if isinstance(again, Refusal):
            # Its start had written an entry, which the backup does not have: the restore is complete.
            assert (again.code, audited) == (Code.NOT_AUTHORISED, 0), step
            start(site.data, KeyStore(site.safe), NullOutbox()).stop()
        else:
            assert "put back first" in again.taken_back if cut else "put back first" not in again.taken_back, step
        left.add(again.taken_back.rpartition(", ")[2] if isinstance(again, Restored) else "")
        assert ask("audit", "--data", site.data)[0] == 0
        assert not (site.data / "restoring").exists()
        if not lost:
            # The journal that was there is somewhere, with its last page, or in the journal that goes on from it.
            journals = [site.journal, *site.data.glob("replaced-*/journal.db")]
            assert max(map(pages_in, journals)) >= whole, step
        shutil.rmtree(folder)

    assert said == ({"cut short", "no journal", "whole"} if lost else {"cut short", "whole"})
    assert step > 10
    assert left >= {"", "and what was there was put back first.", "or after it was complete."}


def test_restore_that_is_killed_while_it_takes_back_can_be_done_again(scene: Scene, tmp_path: Path) -> None:
    """Killed in the middle, and killed again at any step of the next try, a restore still loses nothing."""
    names = ("journal.db", "journal.db-wal")
    whole = [(scene.site.data / name).read_bytes() for name in names]
    order = scene.order(scene.last, replace=True)
    step = next(step for step in count(1) if killed_at(step, order) and not scene.site.journal.exists())
    assert step > 1
    for again in count(1):
        folder = shutil.copytree(scene.site.data.parent, tmp_path / "again")
        site = Site.in_(folder)
        second = RestoreRequest(folder / "backups" / scene.last.name, site.data, KeyStore(site.safe), replace=True)
        if not killed_at(again, second):
            break
        restore(second, NOW)
        asides = [[aside / name for name in names] for aside in site.data.glob("replaced-*")]
        assert whole in [[path.read_bytes() for path in paths if path.exists()] for paths in asides], again
        shutil.rmtree(folder)

    assert again > step


def test_note_of_a_restore_that_cannot_be_read_is_a_fault(scene: Scene, ask: Ask) -> None:
    """Where nothing tells how far a restore had come, nothing is started, audited or restored."""
    (scene.site.data / "restoring").mkdir()
    (scene.site.data / "restoring" / "journal-swap.json").write_bytes(b"{")

    code, answer = ask("audit", "--data", scene.site.data)
    assert (code, "a restore was interrupted here" in answer["refusal"]["says"]) == (2, True)
    with pytest.raises(JournalFault, match="a restore was interrupted here"):
        open_storage(scene.site.data, KeyStore(scene.site.safe))
    (scene.site.data / "restoring" / "journal-swap.json").unlink()
    (scene.site.data / "restoring" / "journal-swap.json").mkdir()
    with pytest.raises(JournalFault, match="cannot be used: Is a directory"):
        open_storage(scene.site.data, KeyStore(scene.site.safe))


def test_disk_that_fails_within_an_exchange_leaves_what_was_there(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where a file cannot be moved, those that were moved are put back, and all is as it was."""
    before, rename, moved = files_of(scene.site.data), Path.rename, count(1)

    def failing(source: Path, target: Path) -> Path:
        if next(moved) == 2:
            raise OSError(EIO, "Input/output error", str(source))
        return rename(source, target)

    monkeypatch.setattr(Path, "rename", failing)
    with pytest.raises(OperationsFault, match="Input/output error"):
        restore(scene.order(scene.last, replace=True), NOW)

    assert files_of(scene.site.data) == before


# backups that are none


def test_spoilt_backup_is_reported(scene: Scene, ask: Ask, capsys: pytest.CaptureFixture[str]) -> None:
    """A changed backup is reported as damaged, and nothing is changed."""
    (scene.last / "snapshot").write_bytes(b"another")
    before = everything(scene)
    code, answer = ask("restore", scene.last, "--data", scene.site.data, "--replace")

    assert (code, answer["whole"], answer["position"]) == (1, False, None)
    assert run(["restore", str(scene.last), "--data", str(scene.site.data), "--replace"]) == 1
    assert capsys.readouterr().out.startswith("Damaged: snapshot in")
    assert everything(scene) == before


def test_missing_backup_is_refused(scene: Scene, ask: Ask) -> None:
    """Where there is no backup there is nothing to restore."""
    code, answer = ask("restore", scene.backup_directory.parent, "--data", scene.site.data)

    assert (code, answer["refusal"]["code"]) == (2, "command_failed")
    assert "there is no backup of this venue in" in answer["refusal"]["says"]


def test_backup_without_its_safe_is_refused(scene: Scene, ask: Ask) -> None:
    """Without the venue's key nothing can be proven and no house be started; nothing is made."""
    code, answer = ask("restore", scene.last, "--data", scene.backup_directory.parent / "elsewhere")

    assert (code, answer["refusal"]["code"]) == (2, "nothing_there")
    assert not (scene.backup_directory.parent / "elsewhere").exists()


def test_backup_without_an_anchor_is_refused(scene: Scene) -> None:
    """Where the anchor is gone nothing tells whether the backup is the last, and nobody's word helps."""
    scene.site.anchor.unlink()
    lose(scene)
    with pytest.raises(JournalFault, match="there is no anchor"):
        restore(scene.order(scene.last), NOW)


def test_anchor_older_than_the_backup_takes_two_people(scene: Scene, ask: Ask) -> None:
    """With a safe from before the backup nothing tells what came after: two people answer for it."""
    venue = VenueOnDisk(scene.backup_directory.parent / "open")
    vault = shutil.copytree(venue.site.safe, scene.backup_directory.parent / "vault")
    venue.play()
    backup = backed_up(venue, scene.backup_directory.parent / "other").path
    venue.stop()
    where = ("restore", backup, "--data", scene.backup_directory.parent / "anew", "--key-store", vault)
    code, answer = ask(*where)
    assert (code, answer["refusal"]["code"]) == (2, "not_authorised")

    code, answer = ask(*where, *word_of(*MANAGERS))

    assert code == 0
    assert answer["remarks"] == ["the anchor is older than the backup, so entries after the backup cannot be excluded."]


# drills


@pytest.mark.parametrize("backup", ["early", "last"])
def test_drill_changes_nothing(scene: Scene, ask: Ask, backup: str) -> None:
    """A drill starts the house on a copy of any backup, whatever the safe knows of, and leaves no trace."""
    before = everything(scene)
    code, answer = ask("restore", getattr(scene, backup), "--data", scene.site.data, "--drill")

    assert (code, answer["drill"], answer["aside"]) == (0, True, None)
    assert answer["recorded"] > 0
    assert [path.name for path in scene.site.data.iterdir() if path.is_dir()] == []
    assert everything(scene) == before


def test_drill_leaves_no_folder(scene: Scene, capsys: pytest.CaptureFixture[str]) -> None:
    """A folder that was not there before a drill is not there after it."""
    elsewhere = scene.backup_directory.parent / "elsewhere"
    words = [
        "restore",
        str(scene.backup_directory),
        "--data",
        str(elsewhere),
        "--key-store",
        str(scene.site.safe),
        "--drill",
    ]
    assert run(words) == 0

    assert (
        capsys.readouterr().out.splitlines()[0] == f"The server starts from {scene.last}, which ends with entry {LAST}."
    )
    assert not elsewhere.exists()


def test_drill_of_a_backup_of_nothing(tmp_path: Path) -> None:
    """A house that was never founded can be backed up, and started from that."""
    site = Site.in_(tmp_path)
    with closing(open_storage(site.data, KeyStore(site.safe))) as storage:
        assert isinstance(storage.store, SqliteStore)
        with BackupJob(site.data, tmp_path / "backups", NOW) as draft:
            with closing(JournalCopy(storage.store, site.data, draft.folder)) as copying:
                assert copying.step()
            backup = Path(draft.finish(storage.signer, SOFTWARE).path)

    assert not restore_drill(RestoreRequest(backup, tmp_path / "drill", KeyStore(site.safe))).run.recovery.entries


def test_refusal_is_a_value(scene: Scene) -> None:
    """Whoever restores from code is answered with a refusal, and not with an exception."""
    assert isinstance(restore(scene.order(scene.last), NOW), Refusal)


def test_journal_of_a_house_with_another_safe_is_left_to_it(scene: Scene) -> None:
    """A journal that is open is not replaced, though the house on it has its keys elsewhere."""
    with closing(SqliteStore(scene.site.data / JOURNAL)) as store:
        store.fence()
        with pytest.raises(StoreLocked):
            restore(scene.order(scene.last, replace=True), NOW)
