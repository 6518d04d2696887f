"""The commands of money devices: an emulated acceptor and printer, and their faults."""

from pathlib import Path

import pytest

from croupier.cli.main import run
from croupier.devices import escpos, id003

FAULTS = {
    "acceptor": {name: each.description for name, each in id003.FAULTS.items()},
    "printer": escpos.SPOILED,
}


@pytest.mark.parametrize("device", FAULTS)
def test_list_names_every_fault(device: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The list has every fault of the emulator with its description."""
    assert run([device, "emulate", "--list"]) == 0
    listed = capsys.readouterr().out
    assert all(name in listed and words in listed for name, words in FAULTS[device].items())


@pytest.mark.parametrize("device", FAULTS)
def test_device_is_there_while_it_is_emulated(device: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An emulated device ends after its time, says what it has, and leaves no link; without a place it is refused."""
    assert run([device, "emulate", str(tmp_path / device), "--seconds", "0.1"]) == 0
    assert ("0 in the box" if device == "acceptor" else "0 slips") in " ".join(capsys.readouterr().out.split())
    assert not (tmp_path / device).is_symlink()
    assert run([device, "emulate"]) == 2
    assert run([device, "emulate", str(tmp_path / "none" / device)]) == 2
    assert "No such file or directory" in " ".join(capsys.readouterr().err.split())
