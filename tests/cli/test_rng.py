"""The commands of the random source: draws are collected and tested, and what is wrong is said."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from croupier.cli.main import run
from croupier.cli.rng import WHEELS
from croupier.devices.battery import FAILS_BELOW, TESTS
from croupier.devices.random_source import draw


def test_draws_are_collected_with_their_bytes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The file has one pocket on each line, and the bytes of the source give the same draws again."""
    outcomes, raw = tmp_path / "outcomes", tmp_path / "raw"
    arguments = ["rng", "collect", str(outcomes), "--draws", "20005", "--raw", str(raw), "--wheel", "double-zero"]
    assert run([*arguments, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["draws"] == 20_005

    source = iter(raw.read_bytes())
    again = [draw(WHEELS["double-zero"], lambda _: bytes([next(source)])) for _ in range(20_005)]
    assert outcomes.read_text().split() == again
    assert next(source, None) is None
    assert run(arguments) == 2
    assert run(["rng", "collect", str(tmp_path / "none" / "file")]) == 2
    said = " ".join(capsys.readouterr().err.split())
    assert "exists: choose another file." in said
    assert "No such file or directory" in said


def test_draws_are_collected_into_pipes(tmp_path: Path) -> None:
    """Named pipes and the standard output take draws as they are drawn, and the report goes to the other output."""
    pipe = tmp_path / "raw"
    os.mkfifo(pipe)
    command = [sys.executable, "-m", "croupier", "rng", "collect", "-", "--draws", "2005", "--raw", str(pipe)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        source = iter(pipe.read_bytes())
        outcomes, said = process.communicate(timeout=60)
    assert process.returncode == 0
    again = [draw(WHEELS["single-zero"], lambda _: bytes([next(source)])) for _ in range(2_005)]
    assert outcomes.decode().split() == again
    assert b"Wrote 2005 draws" in said


def test_reader_that_goes_ends_the_collection(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A reader that has enough ends the command as it ends any in a pipeline; a full device is refused with words."""
    pipe = tmp_path / "outcomes"
    os.mkfifo(pipe)
    command = [sys.executable, "-m", "croupier", "rng", "collect", str(pipe), "--draws", "5000000"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        with pipe.open("rb") as reader:
            assert reader.readline().decode().strip() in WHEELS["single-zero"]
        _, said = process.communicate(timeout=60)
    assert (process.returncode, said) == (-signal.SIGPIPE, b"")
    assert run(["rng", "collect", "/dev/full", "--draws", "20000"]) == 2
    assert "Not all draws could be written: No space left on device." in " ".join(capsys.readouterr().err.split())


def test_file_of_draws_is_tested(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Fair draws in a file exit 0, unfair ones 1, and what is no list of draws is refused."""
    file = tmp_path / "draws"
    for drawn, code, says in (
        (bytes(Random(7).choices(range(37), k=20_000)), 0, "All tests passed."),  # noqa: S311 - chance that can be had again
        (bytes(20_000), 1, "9 of 9 tests failed."),
        (bytes(9_999), 2, "9999 draws; 10000 are the least."),
    ):
        file.write_text("\n".join(WHEELS["single-zero"][each] for each in drawn))
        assert run(["rng", "test", str(file)]) == code
        printed = capsys.readouterr()
        assert says in " ".join((printed.out + printed.err).split())
    file.write_text("0\n37\n")
    assert run(["rng", "test", str(file)]) == 2
    assert run(["rng", "test", str(tmp_path / "none")]) == 2
    assert "draw 2 is no pocket" in " ".join(capsys.readouterr().err.split())


def test_new_draws_are_tested(capsys: pytest.CaptureFixture[str]) -> None:
    """Without a file the command draws for itself, and its answer has a probability for every test."""
    code = run(["rng", "test", "--draws", "10000", "--json"])
    report = json.loads(capsys.readouterr().out)

    assert (report["draws"], list(report["tests"])) == (10_000, list(TESTS))
    assert report["passed"] is (code == 0) is all(p >= FAILS_BELOW for p in report["tests"].values())
