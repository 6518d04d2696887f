"""Exports of a venue in operation: tables from a running server, and from a backup that is older than the journal."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from threading import Event

import pyarrow.parquet as pq
import pytest

from croupier.operations.backup import MANIFEST
from tests.conftest import Ask
from tests.support.serving import Serving, processes

pytestmark = pytest.mark.untraced

#: Rounds of a second each, with a wheel of its own.
VENUE = """
venue = "Running"
data = "data"
listen.port = 0

[[tables]]
id = "A"
rulebook = "clearwater-etg"
seats = 1
wheel = "random"
betting_s = 1
spin_s = 1
pause_s = 0
rest_s = 5
"""


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("venue") / "croupier.toml"
    path.write_text(VENUE, "utf-8")
    return path


@pytest.fixture(scope="module")
def serving(config: Path) -> Iterator[Serving]:
    """The house that plays, for all tests; the last one stops it."""
    with processes() as start:
        serving = start(config)
        assert serving.opened()
        grown(serving, 20)
        yield serving


def grown(serving: Serving, position: int) -> int:
    """Wait until the journal has gone on after an entry; return where it is."""
    while (found := serving.health()["position"]) <= position:
        # Its rounds take seconds: to ask without a pause would only slow them down.
        Event().wait(0.05)
    return int(found)


def test_tables_are_exported_from_a_running_server(serving: Serving, config: Path, tmp_path: Path, ask: Ask) -> None:
    """The command exports while the house plays, again what has come since, and leaves no copy behind."""
    out = tmp_path / "tables"
    code, first = ask("export", "--config", config, "--parquet", out)
    assert (code, first["first"]) == (0, 1), first
    ends = grown(serving, first["last"])
    code, second = ask("export", "--config", config, "--parquet", out)
    assert (code, second["first"]) == (0, first["last"] + 1), second

    assert second["last"] >= ends
    assert serving.health()["ok"]
    assert not (config.parent / "data" / "exported").exists()
    found = [pq.read_table(path) for path in sorted(out.glob("rounds/*/entries-*.parquet"))]
    assert sum(len(table) for table in found) == first["rows"]["rounds"] + second["rows"]["rounds"] > 0


def test_backup_of_a_running_venue_is_read(serving: Serving, config: Path, tmp_path: Path, ask: Ask) -> None:
    """A backup that is older than the journal is exported and audited with the key store, while the house plays on."""
    code, made = ask("backup", "--config", config, "--to", tmp_path / "backups")
    assert code == 0, made
    grown(serving, made["position"])
    backup = made["path"]
    code, tables = ask("export", "--data", backup, "--config", config, "--parquet", tmp_path / "tables")
    assert (code, tables["last"]) == (0, made["position"]), tables
    # Nothing of this journal is signed yet: the backup itself was asked, and not the server.
    code, part = ask("export", "--data", backup, "--config", config, "--out", tmp_path / "part.zip")
    assert (code, part["refusal"]["facts"]) == (2, {"signed_to": 0}), part
    code, audited = ask("audit", "--data", backup, "--config", config)
    assert (code, audited["entries"], audited["anchored_to"]) == (0, made["position"], None), audited


def test_backup_that_differs_from_its_manifest_is_damaged(
    serving: Serving, config: Path, tmp_path: Path, ask: Ask
) -> None:
    """A backup with the journal of another one, or with a manifest that the venue has not signed, is not exported."""
    paths = []
    for name in ("first", "second"):
        code, made = ask("backup", "--config", config, "--to", tmp_path / name)
        assert code == 0, made
        paths.append(Path(made["path"]))
        grown(serving, made["position"])
    older, newer = paths
    shutil.copy(older / "journal.db", newer)
    code, refused = ask("export", "--data", newer, "--config", config, "--parquet", tmp_path / "tables")
    assert (code, "the manifest of the backup names entry" in str(refused)) == (1, True), refused
    older.joinpath(MANIFEST).write_text("{}", "utf-8")
    code, refused = ask("export", "--data", older, "--config", config, "--parquet", tmp_path / "tables")
    assert (code, "is not signed with the venue's key" in str(refused)) == (1, True), refused


def test_journal_of_a_stopped_server_is_read_itself(serving: Serving, config: Path, tmp_path: Path, ask: Ask) -> None:
    """Without a server the command reads the journal, and compares it with the anchor."""
    assert serving.stopped().code == 0
    code, made = ask("export", "--config", config, "--parquet", tmp_path / "tables")

    assert (code, made["first"]) == (0, 1), made
