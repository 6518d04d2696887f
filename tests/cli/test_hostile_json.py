"""Input nested without end, or that is no UTF-8, is refused as malformed, wherever somebody else writes it."""

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from croupier.analysis.tables import STATE, ExportConflictError, read_state
from croupier.cli.main import app
from croupier.engine.places import PLACE_FILE, place_of
from croupier.engine.storage import RESTORING, SWAP_FILE, unfinished_swap
from croupier.journal.checkpoints import Signer
from croupier.journal.disk import JournalCorrupt, JournalFault
from croupier.journal.keystore import KeyStore, read_heads
from croupier.operations.control import read_request

DEEP = b'{"x":' * 3_000 + b"1" + b"}" * 3_000
#: A text with a byte that no UTF-8 has, for the fields of everything that is read here.
NO_TEXT = b'{"do":"device","body":"%b","rulebook":"%b","venue":"%b","address":"%b","backup":"%b"}'.replace(
    b"%b", b"\xff"
)
HOSTILE = pytest.mark.parametrize("content", [DEEP, NO_TEXT], ids=["nested too deep", "no UTF-8"])


@HOSTILE
def test_control_request_is_refused(content: bytes) -> None:
    """A request is answered, whatever it is."""
    with pytest.raises(ValueError, match=r"nested too deep|can't decode|unknown field"):
        read_request(content)


@HOSTILE
def test_witness_is_damaged(content: bytes) -> None:
    """A line of a witness is read or reported."""
    with pytest.raises(JournalCorrupt, match="line 1 of the witness"):
        read_heads(content, Signer.new().verifier)


@HOSTILE
@pytest.mark.parametrize("command", [["prove"], ["partner", "pin", "--fingerprint", "ab" * 32]])
def test_file_that_somebody_brings_is_refused(content: bytes, command: list[str], tmp_path: Path) -> None:
    """The record of a draw, or the key of another venue, is refused without a traceback."""
    KeyStore.default_for(tmp_path / "data").provision()
    (tmp_path / "brought.json").write_bytes(content)
    options = ["--data", str(tmp_path / "data")] if command[0] == "partner" else []
    result = CliRunner().invoke(app, [*command, *options, str(tmp_path / "brought.json")])
    assert (result.exit_code, type(result.exception)) == (2, SystemExit)


@HOSTILE
@pytest.mark.parametrize(
    ("file", "read"),
    [
        (PLACE_FILE, place_of),
        (f"{RESTORING}/{SWAP_FILE}", unfinished_swap),
        ("partners.json", lambda folder: KeyStore(folder).partners()),
        (STATE, read_state),
    ],
    ids=["place of a journal", "interrupted restore", "partners", "export"],
)
def test_file_beside_a_journal_is_a_fault(
    content: bytes, file: str, read: Callable[[Path], object], tmp_path: Path
) -> None:
    """A damaged file in the directory of data, keys or an export is named."""
    path = tmp_path / file
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)
    with pytest.raises((JournalFault, ExportConflictError), match=path.name):
        read(tmp_path)
