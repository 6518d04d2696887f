"""Input nested without end is refused as malformed, wherever somebody else writes it."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from croupier.cli.main import app
from croupier.journal.checkpoints import Signer
from croupier.journal.disk import JournalCorrupt
from croupier.journal.keystore import read_heads
from croupier.operations.control import read_request

DEEP = b'{"x":' * 3_000 + b"1" + b"}" * 3_000


def test_control_request_that_is_nested_too_deep_is_refused() -> None:
    """A request is answered, however deep it is."""
    with pytest.raises(ValueError, match="nested too deep"):
        read_request(DEEP)


def test_witness_that_is_nested_too_deep_is_damaged() -> None:
    """A line of a witness is read or reported."""
    with pytest.raises(JournalCorrupt, match="line 1 of the witness"):
        read_heads(DEEP, Signer.new().verifier)


def test_record_of_a_draw_that_is_nested_too_deep_is_refused(tmp_path: Path) -> None:
    """A file that somebody brings is refused without a traceback."""
    (tmp_path / "draw.json").write_bytes(DEEP)
    result = CliRunner().invoke(app, ["prove", str(tmp_path / "draw.json")])
    assert (result.exit_code, type(result.exception)) == (2, SystemExit)
