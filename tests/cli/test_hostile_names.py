"""Names that become paths: every place is listed here, and none leaves its folder."""

import io
import os
import tarfile
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from typing import Final

import msgspec
import pytest

from croupier.cli.main import run
from croupier.devices.recorder import DIRECTORY, FlightRecorder
from croupier.engine.storage import RESTORING, SWAP_FILE, unfinished_swap
from croupier.house.ids import Instant
from croupier.journal.checkpoints import Signer
from croupier.journal.disk import JournalFault
from croupier.operations.backup import RECORDINGS, Manifest, read_manifest, unpack_recordings, write_manifest
from croupier.operations.control import BackupCorrupt, Exported, OperationsFault
from croupier.operations.maintenance import fetch_export
from croupier.rules.refusal import Code, Refusal
from croupier.rules.texts import NAME_MAX, escaped, is_file_name, is_id, is_name, is_text
from croupier.server.gateways.keys import GatewayKeys
from croupier.transcripts.runner import play_file

#: Names that are no file in a folder.
HOSTILE: Final = (
    *("", ".", "..", "../signing", "a/../../signing", "/etc/passwd", "a/b", ".hidden", "a\0b", "a\nb", "\x1b[2J"),
    *(" a", "a ", "\u202ea", "\udcff", "e\u0301", "x" * (NAME_MAX + 1)),
)
#: A key store, its data directory, and files that no name may reach.
KEPT: Final = ("keys/signing.pem", "keys/gateways/left.json", "data/journal.db", "outside.toml")


@pytest.fixture
def house(tmp_path: Path) -> Path:
    for name in KEPT:
        file = tmp_path / name
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        file.write_text(name)
    return tmp_path


def _contents(house: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in house.rglob("*") if path.is_file()}


def _refuses(*arguments: str) -> str:
    shown, wrong = io.StringIO(), io.StringIO()
    with redirect_stdout(shown), redirect_stderr(wrong):
        assert run(arguments) == 2
    said = shown.getvalue() + wrong.getvalue()
    assert is_text(said.replace("\n", ""))
    return said


def _gateway(house: Path, name: str, verb: str, *more: str) -> None:
    _refuses(
        *("gateway", verb, "--data", str(house / "data"), "--key-store", str(house / "keys"), *more, "--", name),
    )


def _begun(house: Path, name: str) -> None:
    said = _refuses("rulebook", "new", "--to", str(house / "rules"), "--", name)
    assert said.endswith(f"not {escaped(name)}\n")
    assert not (house / "rules").exists()


def _swapped(house: Path, name: str) -> None:
    record = house / "data" / RESTORING / SWAP_FILE
    record.parent.mkdir()
    record.write_bytes(msgspec.json.encode({"backup": "/b", "aside": name}) if name.isprintable() else b"\xff")
    with pytest.raises(JournalFault, match="a restore was interrupted here"):
        unfinished_swap(house / "data")
    record.unlink()


def _fetched(house: Path, name: str) -> None:
    made = Exported(f"{house}/data/exported/{name}", 1, 2, 1)
    with pytest.raises((OperationsFault, OSError, ValueError)):
        fetch_export(made, house / "data", house / "out.zip")
    # The client has made the file that it was asked for, or none.
    (house / "out.zip").unlink(missing_ok=True)


def _listed(house: Path, name: str) -> None:
    signer = Signer.new()
    folder = house / "backup"
    folder.mkdir()
    known = {"journal.db": "0", name.encode("utf-8", "replace").decode(): "0"}
    write_manifest(
        folder, Manifest(made_at=Instant(0), software="", position=1, page=1, epoch=1, head="", files=known), signer
    )
    with pytest.raises(BackupCorrupt, match="lists what is no backup"):
        read_manifest(folder, signer.verifier)
    for each in folder.iterdir():
        each.unlink()


def _unpacked(house: Path, name: str) -> None:
    folder = house / "backup"
    folder.mkdir()
    with tarfile.open(folder / RECORDINGS, "w:gz") as archive:
        for member in (name, f"{DIRECTORY}/{name}"):
            about = tarfile.TarInfo(member)
            about.size = 1
            archive.addfile(about, io.BytesIO(b"x"))
    with suppress(tarfile.TarError, OSError, ValueError):
        unpack_recordings(folder, house / "data")
    (folder / RECORDINGS).unlink()
    # What was put into the folder of recordings belongs there.
    for each in (house / "data" / DIRECTORY, *(house / "data" / DIRECTORY).rglob("*")):
        if each.is_file():
            each.unlink()


def _recorded(house: Path, name: str) -> None:
    # Half of a character is no name of a table: the house refuses it.
    with suppress(UnicodeEncodeError):
        assert FlightRecorder(house / "data", name).path.parent == house / "data" / DIRECTORY


#: Every place where a name that a person, a file or another process gives becomes a path.
PLACES: Final[dict[str, Callable[[Path, str], None]]] = {
    "gateway enrol NAME": lambda house, name: _gateway(house, name, "enrol", "--out", str(house / "new.pem")),
    "gateway enrol NAME, without --out": lambda house, name: _gateway(house, name, "enrol"),
    "gateway release NAME": lambda house, name: _gateway(house, name, "release"),
    "rulebook new ID": _begun,
    "the folder of a replaced journal": _swapped,
    "the file of an export": _fetched,
    "the files of a backup": _listed,
    "the recordings in a backup": _unpacked,
    "the recording of a table or terminal": _recorded,
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("place", PLACES)
def test_hostile_name_reaches_no_other_file(house: Path, place: str, name: str) -> None:
    """A name that is a path, hidden or unreadable changes no file and makes none outside its folder."""
    before = _contents(house)
    PLACES[place](house, name)
    assert _contents(house) == before


def test_released_gateway_name_is_checked(house: Path) -> None:
    """Releasing ../signing deletes no key, and is refused as a name."""
    refusal = GatewayKeys(house / "keys").release("../signing")
    assert isinstance(refusal, Refusal)
    assert refusal.code is Code.MALFORMED
    assert (house / "keys" / "signing.pem").exists()


@pytest.mark.parametrize(
    "name", [*HOSTILE, "../esc", ".hid", '"x', r"\1", r"\q", r"\g<0>", "Mine", "mine_2", "a-", "-a", "a--b", "é", "桌"]
)
def test_id_of_a_rulebook_has_one_form(tmp_path: Path, name: str) -> None:
    """An id that is not small letters and figures joined by hyphens is refused before anything is written."""
    assert not is_id(name)
    _begun(tmp_path, name)


def test_refusal_shows_what_was_typed_escaped(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An option that cannot be used is shown with its control characters as escape sequences."""
    (tmp_path / "\x1b[2Jmine").mkdir()
    assert run(["rulebook", "new", "mine", "--to", str(tmp_path / "\x1b[2Jmine" / "mine")]) == 0
    capsys.readouterr()
    assert run(["rulebook", "new", "mine", "--to", str(tmp_path / "\x1b[2Jmine" / "mine")]) == 2
    said = capsys.readouterr().err
    assert is_text(said.replace("\n", ""))
    assert r"\x1b[2Jmine/mine/mine cannot be written: File exists" in said


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_name_is_no_file_name(name: str) -> None:
    """The one form of file names excludes them all."""
    assert not is_file_name(name)


@pytest.mark.parametrize("name", ["A", "Roulette 1", "Salón", "桌一", "a.b", "x" * NAME_MAX, "left-1"])
def test_ordinary_name_is_a_name_and_a_file_name(name: str) -> None:
    """Names in any script, with spaces, dots and dashes inside, are allowed."""
    assert is_name(name)
    assert is_file_name(name)


def test_round_that_is_no_plain_file_is_refused(tmp_path: Path) -> None:
    """A .round file that is a link to a device or a pipe is refused, instead of read without end."""
    pipe, device = tmp_path / "pipe.round", tmp_path / "device.round"
    os.mkfifo(pipe)
    device.symlink_to("/dev/full")
    for path in (pipe, device):
        played = play_file(path)
        assert isinstance(played, Refusal)
        assert played.message.endswith("It cannot be read: not a plain file.")
