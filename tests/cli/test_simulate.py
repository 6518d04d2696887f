"""The commands `simulate` and `bench`: an exported run can be inspected as a journal, and what is refused."""

import json
from itertools import count
from pathlib import Path

import pytest

from croupier.cli import bench
from croupier.cli.main import run
from croupier.journal.keystore import KeyStore
from croupier.simulation.invariants import INVARIANTS
from croupier.simulation.run import SimulationRun
from tests.conftest import Ask
from tests.support.sabotage import keep_what_is_fenced, pay_one_more, spoil_a_page

pytestmark = pytest.mark.untraced

#: A run with crashes at one table.
SEED = "2"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A place that is not there yet."""
    return tmp_path / "data"


def test_run_is_kept_as_a_data_directory(data: Path, ask: Ask) -> None:
    """A kept run is a journal like any other: whole, anchored, and the one that was played."""
    code, reported = ask("simulate", "--seed", SEED, "--crash", "--export", data)
    found = ask("audit", "--data", data)[1]

    assert (code, reported["holds"], reported["exported"]) == (0, True, str(data))
    assert (found["whole"], found["head"], found["entries"]) == (True, reported["head"], reported["entries"])
    assert (found["anchored_to"], found["remarks"]) == (reported["entries"], [])
    assert found["checkpoints"] > 1
    assert found["epochs"] > 1
    assert {path.name for path in KeyStore.default_for(data).path.iterdir()} == {
        "anchor",
        "lock",
        "public.pem",
        "signing.pem",
    }


@pytest.mark.parametrize("seed", range(6, 9))
def test_run_with_crashes_has_one(seed: int, ask: Ask, capsys: pytest.CaptureFixture[str]) -> None:
    """Where crashes are simulated the machine crashes at least once, and the answer says so; otherwise it does not."""
    assert ask("simulate", "--seed", seed, "--crash")[1]["crashes"] > 0
    run(["simulate", "--seed", str(seed), "--crash"])
    assert "After each the system restarted from its journal." in capsys.readouterr().out
    run(["simulate", "--seed", str(seed)])
    assert "Crashes:" not in capsys.readouterr().out


def test_kept_run_is_exported_replayed_and_recovered(
    data: Path, ask: Ask, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """All commands about a journal work on a kept run, and a round of it is written as it is, however narrow."""
    run(["simulate", "--seed", SEED, "--crash", "--export", str(data)])
    assert capsys.readouterr().out.splitlines()[-1] == f"Exported to {data}."
    monkeypatch.setenv("COLUMNS", "40")
    rounds = ((number, ask("replay", "--data", data, "--round", number)[1]) for number in count(1))
    number, replayed = next(each for each in rounds if "\npays " in each[1]["text"])
    run(["replay", "--data", str(data), "--round", str(number)])
    written = capsys.readouterr().out
    exported = ask("export", "--data", data, "--out", data.parent / "part.zip")
    recovered = ask("recover", "--data", data)

    assert written.rstrip("\n") == replayed["text"].rstrip("\n")
    assert replayed["holds"]
    assert exported[0] == recovered[0] == 0
    assert [table["table"] for table in recovered[1]["tables"]] == ["table 1"]
    assert ask("audit", "--data", data)[1]["unsigned"] == 0


def test_run_that_is_not_kept_leaves_nothing(tmp_path: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nobody asks for it nothing is written."""
    monkeypatch.chdir(tmp_path)

    assert ask("simulate", "--seed", 1)[1]["exported"] is None
    assert list(tmp_path.iterdir()) == []


def test_failing_run_is_kept(data: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that fails is kept as it was at that step, with what is wrong in it."""
    spoil_a_page(monkeypatch)
    code, reported = ask("simulate", "--seed", 0, "--export", data)
    found = ask("audit", "--data", data)

    assert (code, reported["invariant"], reported["meaning"]) == (1, "I13", INVARIANTS["I13"])
    assert reported["exported"] == str(data)
    assert (found[0], found[1]["whole"]) == (1, False)
    assert f"entry {found[1]['position']}" in reported["words"]


def test_failing_run_says_where_it_is_kept(
    data: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command prints the broken invariant, its meaning, and the path of the run."""
    monkeypatch.setenv("COLUMNS", "300")
    pay_one_more(monkeypatch)

    assert run(["simulate", "--seed", "3", "--export", str(data)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert "invariant: I3" in lines
    assert f"meaning: {INVARIANTS['I3']}" in lines
    assert lines[-1] == f"exported: {data}"


def test_fault_has_a_meaning_too(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the house cannot go on at all the fault is named, and that is said of it."""

    def broken(_: SimulationRun) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(SimulationRun, "perform", broken)
    code, reported = ask("simulate", "--seed", 1)

    assert (code, reported["invariant"]) == (1, "ZeroDivisionError")
    assert reported["meaning"] == "The system stopped with an exception."


@pytest.mark.parametrize("there", ["data", "data.keys"])
def test_place_that_is_taken_is_refused(tmp_path: Path, ask: Ask, there: str) -> None:
    """Nothing is kept over what is there already, be it the data or the safe, and nothing is played."""
    (tmp_path / there).mkdir()
    code, reported = ask("simulate", "--seed", 1, "--export", tmp_path / "data")

    assert (code, reported["refusal"]["code"]) == (2, "malformed")
    assert reported["refusal"]["says"].endswith(f"{tmp_path / there} exists already.")
    assert [path.name for path in tmp_path.rglob("*")] == [there]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--seed", "1", "--seeds", "2"), "--seed runs one seed and --seeds several: give one of the two."),
        (("--export", "somewhere"), "--export writes one run: name its seed with --seed."),
        (("--seeds", "3", "--export", "somewhere"), "--export writes one run: name its seed with --seed."),
    ],
)
def test_what_cannot_be_together_is_refused(arguments: tuple[str, ...], says: str, ask: Ask) -> None:
    """Options that contradict each other are refused, and none is passed over in silence."""
    code, reported = ask("simulate", *arguments)

    assert (code, reported["refusal"]["says"]) == (2, says)


def test_place_that_cannot_be_written_is_refused(tmp_path: Path, ask: Ask) -> None:
    """Where a run holds and there is no place for it, that is refused."""
    (tmp_path / "file").touch()
    code, reported = ask("simulate", "--seed", 1, "--export", tmp_path / "file" / "data")

    assert code == 2
    assert reported["refusal"]["says"].endswith("file/data: Not a directory.")


def test_run_that_no_store_takes_is_reported_all_the_same(
    data: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the journal broke its own order the failure is told, and that it could not be kept."""
    monkeypatch.setenv("COLUMNS", "300")
    keep_what_is_fenced(monkeypatch)
    for seed in range(25):
        run(["simulate", "--seed", str(seed), "--crash", "--export", str(data / str(seed)), "--json"])
        said = capsys.readouterr()
        reported = json.loads(said.out)
        if reported.get("invariant") == "I12":
            break

    assert (reported["invariant"], reported["exported"]) == ("I12", None)
    assert said.err.startswith(
        f"The run cannot be exported whole to {data / str(reported['seed'])}: another writer has "
    )


def test_bench_runs_the_benchmarks_of_the_checkout(capfd: pytest.CaptureFixture[str]) -> None:
    """`croupier bench` passes its options to the benchmarks beside this package, and ends with their exit code."""
    assert run(["bench", "--help"]) == 0
    assert "python -m benchmarks" in capfd.readouterr().out
    assert run(["bench", "--rounds", "0"]) == 2
    assert "--rounds" in capfd.readouterr().err


def test_bench_needs_a_checkout(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """An installed package has no benchmarks, and says so."""
    monkeypatch.setattr(bench, "CHECKOUT", tmp_path)
    assert run(["bench"]) == 2
    assert "in a checkout of the project" in capsys.readouterr().err
