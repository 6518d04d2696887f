"""The battery of the random source: fair draws pass it, each kind of unfair ones fails, and its commands say so."""

import json
import math
import os
import signal
import subprocess
import sys
from itertools import cycle, islice
from pathlib import Path
from random import Random

import pytest

from croupier.cli.main import run
from croupier.cli.rng import FAILS_BELOW, TESTS, WHEELS, battery, chi_square, draws, occupied, tail
from croupier.devices.random_source import draw
from tests.support.campaign import many

#: What no test may see by chance.
NEVER = 1e-9


def fair(count: int, pockets: int = 37, seed: int = 7) -> bytes:
    return bytes(Random(seed).choices(range(pockets), k=count))  # noqa: S311 - chance that can be had again


def repeating() -> bytes:
    """Each draw is the one before it, one time in ten."""
    random, drawn = Random(7), [0]  # noqa: S311 - chance that can be had again
    for pocket in fair(40_000):
        drawn.append(drawn[-1] if random.random() < 0.1 else pocket)
    return bytes(drawn)


def rising() -> bytes:
    """Every four draws come in rising order."""
    drawn = fair(40_000)
    return bytes(pocket for at in range(0, len(drawn), 4) for pocket in sorted(drawn[at : at + 4]))


def favoured() -> bytes:
    """One pocket in thirty comes in place of another."""
    return bytes(0 if at % 30 == 0 else pocket for at, pocket in enumerate(fair(40_000)))


def counting() -> bytes:
    return bytes(islice(cycle(range(37)), 40_000))


@pytest.mark.parametrize("pockets", [37, 38])
def test_fair_draws_pass(pockets: int) -> None:
    """Draws of a generator that is known to be fair pass every test."""
    results = battery(fair(60_000, pockets), pockets)

    assert [each.name for each in results] == list(TESTS)
    assert all(each.passed for each in results), results


@pytest.mark.parametrize(
    ("drawn", "failing"),
    [
        (favoured(), {"frequency", "gap"}),
        (repeating(), {"serial", "poker", "duplicates", "runs", "interplay correlation"}),
        (rising(), {"permutation", "interplay correlation", "runs"}),
        (counting(), {"serial", "poker", "coupon collector", "gap", "duplicates", "permutation"}),
        (bytes(40_000), set(TESTS)),
    ],
    ids=["favoured", "repeating", "rising", "counting", "stuck"],
)
def test_unfair_draws_fail(drawn: bytes, failing: set[str]) -> None:
    """Each kind of unfair draws fails the tests that are about it, beyond any doubt."""
    failed = {each.name for each in battery(drawn, 37) if each.p < NEVER}

    assert failing <= failed


@pytest.mark.campaign
def test_secure_source_passes() -> None:
    """Draws of the secure source, as a table's wheel makes them, show no bias in any test."""
    drawn = b"".join(draws(many(day=200_000, night=10_000_000), 37))

    assert all(each.p > NEVER for each in battery(drawn, 37))


@pytest.mark.parametrize(
    ("freedom", "value", "p"), [(1, 3.841, 0.05), (2, 5.991, 0.05), (36, 58.619, 0.01), (37, 59.893, 0.01)]
)
def test_tail_is_that_of_the_tables(freedom: int, value: float, p: float) -> None:
    """The tail of chi-square is the one in the printed tables, and 1 where nothing differs."""
    assert tail(value, freedom) == pytest.approx(p, rel=1e-3)
    assert tail(0, freedom) == 1


def test_classes_that_are_too_small_are_merged() -> None:
    """A class that is expected fewer than five times counts with its neighbour; one class says nothing."""
    assert chi_square([50, 47, 3], [0.5, 0.47, 0.03]) == 1
    assert chi_square([3, 1], [0.5, 0.5]) == 0


def test_occupation_is_exact() -> None:
    """The number of different pockets in two draws is as reckoned by hand, and its chances add up."""
    assert occupied(37, 2) == pytest.approx([0, 1 / 37, 36 / 37])
    assert math.fsum(occupied(37, 20)) == pytest.approx(1)


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
        (fair(20_000), 0, "All tests passed."),
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
