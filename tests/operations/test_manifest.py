"""Manifests: a backup's manifest is signed by the venue, and every later change is detected."""

import hashlib
from pathlib import Path

import msgspec
import pytest

from croupier.journal.checkpoints import Signer
from croupier.operations.backup import read_manifest, verify_manifest
from croupier.operations.control import BackupCorrupt, OperationsFault
from croupier.operations.restore import proven_backup
from tests.support.maintenance import backed_up
from tests.support.venue_on_disk import VenueOnDisk


@pytest.fixture
def venue(tmp_path: Path) -> VenueOnDisk:
    """A venue that is open."""
    return VenueOnDisk(tmp_path)


@pytest.fixture
def backup_directory(tmp_path: Path) -> Path:
    return tmp_path / "backups"


@pytest.mark.parametrize("name", ["journal.db", "snapshot", "manifest.json", "manifest.sig"])
def test_backup_that_was_changed_is_detected(venue: VenueOnDisk, backup_directory: Path, name: str) -> None:
    """One byte of any file of a backup, or a file that is gone, and it is not what was made."""
    venue.run.take_snapshot()
    signer, backup = venue.run.storage.signer, Path(backed_up(venue, backup_directory).path)
    venue.stop()
    content = (backup / name).read_bytes()
    middle = len(content) // 2
    (backup / name).write_bytes(content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :])
    with pytest.raises(BackupCorrupt):
        proven_backup(backup, signer)

    (backup / name).unlink()
    with pytest.raises(OperationsFault):
        proven_backup(backup, signer)


def test_backup_of_another_venue_is_detected(venue: VenueOnDisk, backup_directory: Path) -> None:
    """A manifest that another key has signed is nothing to go by."""
    backup = Path(backed_up(venue, backup_directory).path)
    venue.stop()
    with pytest.raises(BackupCorrupt, match="not signed with the venue's key"):
        read_manifest(backup, Signer.new().verifier)


def resigned(backup: Path, signer: Signer, **changed: object) -> None:
    """Change what a manifest says, with the venue's own key."""
    said = msgspec.json.decode((backup / "manifest.json").read_bytes()) | changed
    body = msgspec.json.encode(said)
    (backup / "manifest.json").write_bytes(body)
    (backup / "manifest.sig").write_text(signer.sign(b"croupier backup 1\n" + body).hex())


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"form": "croupier backup 2"}, "cannot be read"),
        ({"owner": "somebody"}, "cannot be read"),
        ({"files": {"snapshot": ""}}, "lists what is no backup"),
        ({"files": {"journal.db": "", "../signing.pem": ""}}, "lists what is no backup"),
        ({"position": 1}, "does not end where its manifest says"),
    ],
)
def test_manifest_that_says_something_else_is_refused(
    venue: VenueOnDisk, backup_directory: Path, changed: dict[str, object], words: str
) -> None:
    """A manifest of another form, or about other files or another journal, is refused, whoever signed it."""
    signer, backup = venue.run.storage.signer, Path(backed_up(venue, backup_directory).path)
    venue.stop()
    resigned(backup, signer, **changed)

    with pytest.raises(BackupCorrupt, match=words):
        proven_backup(backup, signer)


def test_manifest_holds_the_files_digests(venue: VenueOnDisk, backup_directory: Path) -> None:
    """The digests are of the files as they are, in plain JSON that anybody can read."""
    backup = Path(backed_up(venue, backup_directory).path)
    manifest = read_manifest(backup, venue.run.storage.signer.verifier)
    venue.stop()

    assert manifest.files == {"journal.db": hashlib.sha256((backup / "journal.db").read_bytes()).hexdigest()}
    assert b'"form": "croupier backup 1"' in (backup / "manifest.json").read_bytes()
    verify_manifest(backup, manifest)
