"""The operations commands: what they do alone, and what they request of a running system."""

import os
from pathlib import Path

import pytest

from croupier.cli.control import day_group
from croupier.cli.main import app, run
from croupier.cli.operations import staff_group
from croupier.house.ids import Day
from croupier.journal.keystore import KeyStore
from croupier.operations.control import ChangedFile, IntegrityFailed, OperationsFault, Reloaded, SystemStatus
from croupier.operations.restore import proven_backup
from tests.cli.test_journal import files_of
from tests.conftest import Ask
from tests.support.maintenance import BackingUpMaintenance, StubMaintenance, names, running
from tests.support.venue_on_disk import CLOCK_START, Site, VenueOnDisk


@pytest.fixture
def backup_directory(tmp_path: Path) -> Path:
    return tmp_path / "backups"


@pytest.fixture
def key_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> KeyStore:
    """A safe, in the folder in which its data is called data."""
    monkeypatch.chdir(tmp_path)
    key_store = KeyStore(tmp_path / "safe")
    key_store.provision()
    return key_store


# where no system runs


def test_backup_command_leaves_the_journal_as_it_is(site: Site, backup_directory: Path, ask: Ask) -> None:
    """Where no system runs the command copies what a crash left, and changes neither the data nor the safe."""
    before = [files_of(each) for each in site]
    code, answer = ask("backup", "--data", site.data, "--to", backup_directory)

    assert (code, answer["position"], answer["epoch"], answer["removed"]) == (0, 68, 2, [])
    assert [files_of(each) for each in site] == before
    assert proven_backup(Path(answer["path"]), KeyStore(site.safe).signer()).manifest.position == 68


def test_backup_command_says_what_it_did(
    site: Site, backup_directory: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The command prints the backup's position, its path, and the backups that it replaced."""
    old = backup_directory / "croupier-backup-20200101T000000Z"
    assert run(["backup", "--data", str(site.data), "--to", str(backup_directory), "--keep", "1"]) == 0
    (first,) = names(backup_directory)
    assert capsys.readouterr().out == f"Backed up to entry 68, epoch 2, in {backup_directory / first}.\n"
    (backup_directory / first).rename(old)
    assert run(["backup", "--data", str(site.data), "--to", str(backup_directory), "--keep", "1"]) == 0

    assert capsys.readouterr().out.splitlines()[1:] == [f"Removed {old.name}."]


def test_backup_command_refuses_a_journal_in_use(tmp_path: Path, backup_directory: Path, ask: Ask) -> None:
    """A system that runs and does not answer keeps its journal to itself."""
    venue = VenueOnDisk(tmp_path)
    code, answer = ask("backup", "--data", venue.site.data, "--to", backup_directory)

    assert (code, answer["refusal"]["code"]) == (2, "busy")
    assert not backup_directory.exists()
    venue.stop()


def test_backup_command_needs_the_key(site: Site, backup_directory: Path, ask: Ask) -> None:
    """Without the signing key nobody can sign for a backup."""
    (site.safe / "signing.pem").unlink()
    code, answer = ask("backup", "--data", site.data, "--to", backup_directory)

    assert (code, answer["refusal"]["code"]) == (2, "nothing_there")
    assert not backup_directory.exists()


def test_backup_command_refuses_an_older_copy(site: Site, backup_directory: Path, ask: Ask) -> None:
    """A journal that is not the one last written is no journal to back up."""
    site.wal.unlink()
    code, answer = ask("backup", "--data", site.data, "--to", backup_directory)

    assert (code, answer["whole"], answer["position"]) == (1, False, 43)
    assert not backup_directory.exists()


def test_backup_command_says_why_it_cannot(site: Site, ask: Ask, capsys: pytest.CaptureFixture[str]) -> None:
    """The reason against a backup is printed in plain words."""
    code, answer = ask("backup", "--data", site.data, "--to", site.data)

    assert (code, answer["refusal"]["code"]) == (2, "command_failed")
    assert run(["backup", "--data", str(site.data), "--to", os.devnull]) == 2
    assert capsys.readouterr().err == "Refused. Cannot do it: /dev/null cannot be used: File exists.\n"


# where one does


def test_backup_command_asks_the_running_system(tmp_path: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a system runs it makes the backup itself, while rounds are played, also where the path is not whole."""
    monkeypatch.chdir(tmp_path)
    venue = VenueOnDisk(tmp_path)
    with running(KeyStore(venue.site.safe), lambda: BackingUpMaintenance(venue)):
        code, answer = ask("backup", "--data", venue.site.data, "--to", "backups")

    assert (code, answer["made_at"], answer["removed"]) == (0, CLOCK_START, [])
    assert answer["path"] == str(tmp_path / "backups" / "croupier-backup-20251115T180000Z")
    assert answer["position"] == venue.run.writer.head.position
    venue.stop()


def test_backup_command_reports_why_the_system_did_not(tmp_path: Path, ask: Ask) -> None:
    """What the running system declines is a refusal, in its words."""
    venue = VenueOnDisk(tmp_path)
    with running(KeyStore(venue.site.safe), lambda: BackingUpMaintenance(venue)):
        code, answer = ask("backup", "--data", venue.site.data, "--to", venue.site.data)

    assert (code, answer["refusal"]["code"]) == (2, "command_failed")
    assert answer["refusal"]["says"].startswith("The request failed: a backup must not be in the data directory")
    venue.stop()


def test_restore_command_leaves_a_running_system_alone(tmp_path: Path, ask: Ask) -> None:
    """Nothing is restored with the safe of a system that runs, not into another directory either."""
    venue = VenueOnDisk(tmp_path)
    with running(KeyStore(venue.site.safe), lambda: BackingUpMaintenance(venue)):
        backup = ask("backup", "--data", venue.site.data, "--to", tmp_path / "backups")[1]["path"]
        code, answer = ask("restore", backup, "--data", tmp_path / "other", "--key-store", venue.site.safe)

    assert (code, answer["refusal"]["code"]) == (2, "busy")
    assert not (tmp_path / "other").exists()
    venue.stop()


def test_verify_command_asks_the_running_system(
    key_store: KeyStore, ask: Ask, capsys: pytest.CaptureFixture[str]
) -> None:
    """With --data the system that runs there verifies itself; where none runs there is nobody to ask."""
    with running(key_store, StubMaintenance):
        code, answer = ask("verify", "--data", "data", "--key-store", key_store.path)
        assert (code, answer["verdict"], answer["files"], answer["software"]) == (0, "verified", 2_349, None)
        run(["verify", "--data", "data", "--key-store", str(key_store.path)])
        assert capsys.readouterr().out == "Verified: 2349 files of 25 distributions are as they were installed.\n"
    code, answer = ask("verify", "--data", "data", "--key-store", key_store.path)
    assert (code, answer["refusal"]["code"]) == (2, "nothing_there")


def test_verify_command_names_what_differs(key_store: KeyStore, ask: Ask, capsys: pytest.CaptureFixture[str]) -> None:
    """Every file that differs has a line, with how it does and whose it is."""

    def doubtful() -> StubMaintenance:
        writer_thread = StubMaintenance()
        writer_thread.verdict = IntegrityFailed(
            (ChangedFile("changed", "croupier/a.py", "croupier"), ChangedFile("added", "b.py", "felt"))
        )
        return writer_thread

    with running(key_store, doubtful):
        code, answer = ask("verify", "--data", "data", "--key-store", key_store.path)
        assert (code, answer["verdict"], answer["files"][1]["how"]) == (1, "differs", "added")
        assert run(["verify", "--data", "data", "--key-store", str(key_store.path)]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "Differs from what was installed:",
        "changed  croupier/a.py  (croupier)",
        "added    b.py  (felt)",
    ]


def test_status_command_reports_the_state_of_the_system(
    key_store: KeyStore, ask: Ask, capsys: pytest.CaptureFixture[str]
) -> None:
    """The status lists the build, the epoch, the last entry, the day, and what needs attention."""
    with running(key_store, StubMaintenance):
        code, answer = ask("status", "--data", "data", "--key-store", key_store.path)
        assert (code, answer["epoch"], answer["position"], answer["day"]) == (0, 3, 70, 20261115)
        assert run(["status", "--data", "data", "--key-store", str(key_store.path)]) == 0

    assert answer["remarks"] == ["The software is unverified: there is no record."]
    assert answer["tables"][1]["blocked"][0]["remedy"] == "Set seats of table B."
    assert (answer["connections"], answer["backup"]["position"]) == ({"terminal": 8, "pit": 1}, 60)
    assert capsys.readouterr().out.splitlines() == [
        "Open for 2 d 2 h, real money, gaming day 20261115.",
        "software 0.1 ab",
        "Table A (us-double-zero): round 12, open running; rounds 12, terminals 8.",
        "Table B (skycity-adelaide-2003): between; rounds 0, terminals 0.",
        "  Table B cannot play: It has no terminals. Set seats of table B.",
        "Connections: 1 pit, 8 terminal.",
        "Journal: epoch 3, entry 70, signed to 64, verified to its end on 20261114. Snapshot at entry 50.",
        "Last backup: 1 h ago, to entry 60, in /backups/one.",
        "Disk free: 5.0 GiB (data), 700.0 MiB (key store).",
        "Open incidents: 3.",
        "  Incident 4, ball not seated, A: The ball has not come to rest. (10(d))",
        "  and 2 more.",
        "Note: The software is unverified: there is no record.",
    ]


def test_status_of_a_house_of_which_little_is_known(key_store: KeyStore, capsys: pytest.CaptureFixture[str]) -> None:
    """A house that has only begun has no backup, no connection and nothing that waits."""

    class Beginning(StubMaintenance):
        def status(self) -> SystemStatus:
            return SystemStatus("0.1", 1, 6, Day(0))

    with running(key_store, Beginning):
        assert run(["status", "--data", "data", "--key-store", str(key_store.path)]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "Open for less than a minute, unknown money, gaming day 0.",
        "software 0.1",
        "Connections: none.",
        "Journal: epoch 1, entry 6, signed to 0, not verified to its end yet. Snapshot at entry 0.",
        "Last backup: none.",
        "Disk free: unknown.",
        "Open incidents: none.",
    ]


@pytest.mark.parametrize(
    "command",
    [["status"], ["reload"], ["verify"], ["backup", "--to", "x"]],
)
def test_system_with_other_data_answers_nobody(key_store: KeyStore, ask: Ask, command: list[str]) -> None:
    """A command about other data is refused by the server that uses its safe, and says whose data that has."""
    with running(key_store, StubMaintenance):
        code, answer = ask(*command, "--data", "other", "--key-store", key_store.path)

    here = Path.cwd()
    assert (code, answer["refusal"]["code"]) == (2, "command_failed")
    assert answer["refusal"]["says"].endswith(f" has its data in {here / 'data'}, not in {here / 'other'}.")


def test_reload_command_reports_what_came_of_it(
    key_store: KeyStore, ask: Ask, capsys: pytest.CaptureFixture[str]
) -> None:
    """The system reloads its configuration, and the command prints each change, or that there is none."""

    def settled() -> StubMaintenance:
        writer_thread = StubMaintenance()
        writer_thread.reloaded = Reloaded()
        return writer_thread

    with running(key_store, StubMaintenance):
        assert ask("reload", "--data", "data", "--key-store", key_store.path) == (
            0,
            {"lines": ["Nothing has changed."]},
        )
        assert run(["reload", "--data", "data", "--key-store", str(key_store.path)]) == 0
    with running(key_store, settled):
        assert run(["reload", "--data", "data", "--key-store", str(key_store.path)]) == 0

    assert capsys.readouterr().out == "Nothing has changed.\nNothing was added.\n"


@pytest.mark.parametrize("command", ["status", "reload"])
def test_nobody_answers_for_a_system_that_does_not_run(key_store: KeyStore, ask: Ask, command: str) -> None:
    """Where no system runs there is nobody to ask, and that is a refusal."""
    code, answer = ask(command, "--data", "data", "--key-store", key_store.path)

    assert (code, answer["refusal"]["code"]) == (2, "nothing_there")


def test_reload_command_reports_why_the_file_cannot_be_used(key_store: KeyStore, ask: Ask) -> None:
    """What the running system declines is a refusal, in its words."""

    def strict() -> StubMaintenance:
        writer_thread = StubMaintenance()
        writer_thread.fault = OperationsFault("tables: missing")
        return writer_thread

    with running(key_store, strict):
        code, answer = ask("reload", "--data", "data", "--key-store", key_store.path)

    assert (code, answer["refusal"]["code"]) == (2, "command_failed")
    assert answer["refusal"]["says"] == "The request failed: tables: missing."


def test_day_is_opened_and_closed_by_command(key_store: KeyStore, ask: Ask, capsys: pytest.CaptureFixture[str]) -> None:
    """The command passes person and words on, prints each table and what is left, and exits 2 after a refusal."""
    stub = StubMaintenance()
    place = ("--data", "data", "--key-store", str(key_store.path))
    with running(key_store, lambda: stub):
        code, answer = ask("day", "open", *place, "--by", "anna")
        assert (code, answer["tables"], answer["refused"]) == (2, ["A", "B"], {"C": "Not now."})
        assert run(["day", "close", *place, "--by", "anna", "--because", "Night."]) == 2
        assert stub.requested_days == [("anna", "", True), ("anna", "Night.", False)]
    assert capsys.readouterr().out.splitlines() == [
        "Table A is closed.",
        "Table B closes after its round.",
        "Table C was refused: Not now.",
        "Open incidents: 1.",
    ]


def test_command_says_that_no_system_can_be_reached(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Where the safe lies too deep for a socket that is said, and what needs no running system is done."""
    venue = VenueOnDisk(tmp_path / ("deep" * 30))
    venue.stop()
    assert run(["backup", "--data", str(venue.site.data), "--to", str(tmp_path / "backups")]) == 0

    said = " ".join(capsys.readouterr().err.split())
    assert said.startswith("Note: no running server was asked.")


AT_A_HOUSE = [
    ["status"], ["reload"], ["backup", "--to", "backups"], ["audit"], ["export", "--out", "part.zip"],
    ["replay", "--round", "1"], ["recover"], ["restore", "backups"], ["verify"],
    ["staff", "list"], ["staff", "code", "anna"], ["staff", "unlock", "anna"], ["staff", "release", "anna"],
    ["staff", "enrol-device", "A-1"], ["staff", "enrol-devices", "A-1"], ["staff", "release-device", "A-1"],
    ["day", "open", "--by", "anna"], ["day", "close", "--by", "anna", "--because", "Night."],
    ["migrate", "--to-sqlite"], ["prove", "--round", "1"],
]  # fmt: skip


@pytest.mark.parametrize("command", AT_A_HOUSE, ids=" ".join)
def test_configuration_says_where_the_house_is(
    command: list[str], tmp_path: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each command about a house finds its data and its safe by --config, and refuses a file that cannot be used."""
    monkeypatch.chdir(tmp_path)
    tables = '[[tables]]\nid = "A"\nrulebook = "us-double-zero"\nseats = 1\n'
    text = f'venue = "V"\ndata = "there/data"\nkey_store = "keys"\n{tables}'
    (tmp_path / "croupier.toml").write_text(text, "utf-8")
    said = str(ask(*command, "--config", "croupier.toml")[1])
    assert str(tmp_path / "keys") in said or str(tmp_path / "there" / "data") in said
    (tmp_path / "croupier.toml").write_text("tables = 1", "utf-8")
    code, answer = ask(*command, "--config", "croupier.toml")
    assert (code, "croupier.toml" in str(answer)) == (2, True)


@pytest.mark.parametrize("command", [each for each in AT_A_HOUSE if each != ["verify"]], ids=" ".join)
def test_house_must_be_named(command: list[str], tmp_path: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where neither data nor configuration is named, and there is no usual one, the command says so."""
    monkeypatch.chdir(tmp_path)
    code, answer = ask(*command)
    assert (code, answer["refusal"]["code"]) == (2, "malformed")
    assert "by its configuration, '--config'" in answer["refusal"]["says"]


def test_usual_configuration_needs_no_name(tmp_path: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    """A command takes ./croupier.toml, as the server does, unless a data directory is named."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "croupier.toml").write_text(
        'venue = "V"\ndata = "there"\n[[tables]]\nid = "A"\nrulebook = "us-double-zero"\n', "utf-8"
    )
    assert str(tmp_path / "there") in ask("audit")[1]["refusal"]["says"]
    assert "in other" in ask("audit", "--data", "other")[1]["refusal"]["says"]


def test_every_command_about_a_house_takes_the_configuration() -> None:
    """Whatever command takes --key-store takes --config too."""
    groups = (*staff_group.commands.values(), *day_group.commands.values())
    commands = [*map(app.load, app.lazy), *groups]
    taking = {command.name: {each.name for each in command.params} for command in commands}
    assert {name for name, found in taking.items() if "key_store" in found} == {
        name for name, found in taking.items() if {"config", "data", "key_store"} <= found
    }
    assert sum("key_store" in found for found in taking.values()) == len(AT_A_HOUSE)
