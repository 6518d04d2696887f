"""The commands of wheels: what an emulated one sends, and what a recording says."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from croupier.cli.main import run
from croupier.devices.emulator import FAULTS, normal
from croupier.devices.recorder import Record
from croupier.engine.ports import RecordMark
from croupier.house.ids import Instant
from tests.devices.test_in_rim import EXPECTED, FIRST


def test_list_names_every_fault(capsys: pytest.CaptureFixture[str]) -> None:
    """The list has every fault of the emulator with its description."""
    assert run(["wheel", "emulate", "--list"]) == 0
    listed = capsys.readouterr().out
    assert all(f"{name} " in listed and fault.description in listed for name, fault in FAULTS.items())


def test_emulated_games_are_played(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """So many games are played with their faults, and the line is gone afterwards."""
    link = tmp_path / "wheel"
    faults = ["--fault", "unplugged"]
    assert run(["wheel", "emulate", str(link), "--games", "2", *faults, "--rate", "1000"]) == 0
    # A long path wraps the first line.
    *first, second, third = capsys.readouterr().out.splitlines()
    assert "Stop with Ctrl-C." in " ".join(" ".join(first).split())
    assert second.startswith("Game 1: ")
    assert second.endswith(", unplugged")
    assert third.startswith("Game 2: ")
    assert not link.is_symlink()


def test_ball_is_launched_by_hand(tmp_path: Path) -> None:
    """The wheel is idle until a line is entered; a number in it is where the ball rests, and its end ends all."""
    command = [sys.executable, "-P", "-m", "croupier", "wheel", "emulate", "wheel", "--by-hand", "--rate", "100"]
    with subprocess.Popen(command, cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as wheel:
        assert wheel.stdin is not None
        assert wheel.stdout is not None
        assert "A wheel is at wheel." in wheel.stdout.readline()
        assert "Enter launches the ball" in wheel.stdout.readline()
        line = os.open(tmp_path / "wheel", os.O_RDONLY | os.O_NOCTTY)
        idle = os.read(line, 4096)
        wheel.stdin.write("17\n")
        wheel.stdin.flush()
        sent = b""
        while b"*X;5;001;17" not in sent:
            sent += os.read(line, 4096)
        said, _ = wheel.communicate("\n", timeout=30)
        os.close(line)

    first, second = said.splitlines()
    assert first == "Game 1: 17"
    assert re.fullmatch(r"Game 2: \d+", second)
    assert set(re.findall(rb"\*X;(\d);", idle)) == {b"2"}
    assert b"*X;3;001;" in sent
    assert not (tmp_path / "wheel").is_symlink()


def test_emulator_without_a_place_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A link that is missing, or cannot be made, is refused in words."""
    assert run(["wheel", "emulate"]) == 2
    assert run(["wheel", "emulate", str(tmp_path / "none" / "wheel")]) == 2
    assert "No such file or directory" in " ".join(capsys.readouterr().err.split())


def test_recording_is_replayed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A recording with times and a file without them give the numbers, and --reports every report."""
    plain, timed = tmp_path / "plain.log", tmp_path / "timed.log"
    steps, at, records = (
        [*FIRST.lines(2, 1), *normal(FIRST)],
        0,
        [Record(Instant(0), Instant(0), RecordMark.NOTE, b"opened")],
    )
    for step in steps:
        at += step.wait
        records.append(Record(Instant(at), Instant(at), RecordMark.RECEIVED, step.data or b""))
    plain.write_bytes(b"".join(step.data or b"" for step in steps))
    timed.write_bytes(b"".join(record.line() for record in records))
    for file in (plain, timed):
        assert run(["wheel", "replay", str(file), "--json"]) == 0
        found = json.loads(capsys.readouterr().out)
        assert (found["numbers"], found["alarms"], found["edges"]) == (["17"], [], [2, 3, 4, 5])
        assert len(found["reports"]) == len(EXPECTED["noise"])
    assert run(["wheel", "replay", str(timed), "--reports"]) == 0
    listed = capsys.readouterr().out.splitlines()
    assert [line.rstrip().split("  ")[-1].strip() for line in listed[1:4]] == [
        "the ball is launched",
        "no more bets",
        "the number 17, spin 7",
    ]
    assert listed[-3:] == ["Games: 1 launched, 1 with a number.", "Numbers: 17.", "Alarms: 0."]


def test_empty_recording_has_no_numbers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file without telegrams gives none, and a file that is not there is refused."""
    tmp_path.joinpath("empty").touch()
    assert run(["wheel", "replay", str(tmp_path / "empty")]) == 0
    assert "Numbers: none." in capsys.readouterr().out
    assert run(["wheel", "replay", str(tmp_path / "none")]) == 2
