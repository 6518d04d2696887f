"""The mutation check itself, on a toy tree."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.mutations import Mutant, Report, all_mutants, applied, found_again, lost, mutants_of, row_of

pytestmark = pytest.mark.untraced

ROOT = Path(__file__).parents[2]

SOURCE = '''"""A toy."""


def doubled(number):
    return number * 2


TABLE = tuple(doubled(number) for number in range(3))


def most(one, other):
    """Which is more."""
    if one > other:
        return one
    return other


def wait(count):
    while count > 0:
        count -= 1
    return True


def unused(number: int = 1) -> tuple[int, ...]:
    return (number, not number and f"{number + 1}")
'''

TESTS = """
from croupier.toy.sums import TABLE, most, wait


def test_table():
    assert TABLE == (0, 2, 4)


def test_most():
    assert most(1, 2) == 2
    assert most(2, 1) == 2


def test_wait():
    assert wait(3)
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A project of one module and its tests."""
    for name, text in {
        "src/croupier/__init__.py": "",
        "src/croupier/toy/__init__.py": "",
        "src/croupier/toy/sums.py": SOURCE,
        "tests/__init__.py": "",
        "tests/test_sums.py": TESTS,
        "pyproject.toml": "[tool.pytest.ini_options]\naddopts = ['--import-mode=importlib']\npythonpath = ['.']\n",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    return tmp_path


def _check(tree: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [
        sys.executable,
        "-m",
        "tests.support.mutants",
        "--root",
        str(tree),
        "--packages",
        "toy",
        "--hang",
        "2",
        *options,
    ]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)


def _report(drawn: list[Mutant]) -> Report:
    rows = [row_of(mutant, mutant.description, "killed", "a test") for mutant in drawn]
    return {"mutants": json.loads(json.dumps(rows))}


def test_mutants_of_a_function() -> None:
    """Each kind of change is found once, and nothing in annotations, defaults and f-strings is changed."""
    found = [mutant.description for mutant in mutants_of(SOURCE, "toy.py")]

    assert found == [
        "doubled | return None | return number * 2 | 0",
        "doubled | operator | number * 2 | 0",
        "doubled | constant + 1 | 2 | 0",
        "doubled | constant - 1 | 2 | 0",
        "most | guard removed | if one > other: return one | 0",
        "most | boundary | one > other | 0",
        "most | return None | return one | 0",
        "most | return None | return other | 0",
        "wait | boundary | count > 0 | 0",
        "wait | constant + 1 | 0 | 0",
        "wait | constant - 1 | 0 | 0",
        "wait | statement removed | count -= 1 | 0",
        "wait | constant + 1 | 1 | 0",
        "wait | constant - 1 | 1 | 0",
        "wait | return None | return True | 0",
        "unused | return () | return (number, not number and f'{number + 1}') | 0",
        "unused | and/or | not number and f'{number + 1}' | 0",
        "unused | not removed | not number | 0",
    ]


def test_mutant_changes_its_own_place_alone() -> None:
    """A mutant changes nothing but its own lines, and keeps their number."""
    for mutant in mutants_of(SOURCE, "toy.py"):
        before, after = SOURCE.splitlines(), applied(SOURCE, mutant).splitlines()

        first, last = mutant.lines[0], mutant.lines[1] + (mutant.kind == "guard removed")
        assert len(after) == len(before)
        assert after[: first - 1] + after[last:] == before[: first - 1] + before[last:]
        assert after != before


def test_mutants_are_tested(tree: Path) -> None:
    """A mutant that a test notices is killed, also on import and by hanging; equal code survives; the rest is named."""
    done = _check(tree, "--report", str(tree / "report.json"))

    assert done.returncode == 0, done.stderr
    report = json.loads((tree / "report.json").read_text("utf-8"))
    result = {row["description"]: row["result"] for row in report["mutants"]}
    by_function = {name: {value for key, value in result.items() if key.startswith(name)} for name in ("doubled", "un")}
    assert by_function == {"doubled": {"killed"}, "un": {"unreached"}}
    assert result["most | boundary | one > other | 0"] == "survived"
    assert result["most | guard removed | if one > other: return one | 0"] == "killed"
    killer = {row["description"]: row["killer"] for row in report["mutants"]}
    assert killer["wait | statement removed | count -= 1 | 0"] == "tests/test_sums.py::test_wait (hangs)"
    assert len(result) == 18
    assert (tree / "src/croupier/toy/sums.py").read_text("utf-8") == SOURCE


def test_mutants_are_found_again_in_another_module(tree: Path) -> None:
    """A function may move, get other names inside, or another name; what is no longer there is named."""
    report = _report(all_mutants(tree, ["toy"]))
    moved = (
        SOURCE.replace("most", "larger").replace("one", "left").replace("count", "number").replace("* 2", "+ number")
    )
    (tree / "src/croupier/toy/sums.py").rename(tree / "src/croupier/toy/other.py").write_text(moved, "utf-8")

    found, gone = found_again(report, all_mutants(tree, ["toy"]))

    assert len(found) + len(gone) == len(report["mutants"])
    assert ("most | boundary | one > other | 0", "larger | boundary | left > other | 0") in [
        (before, mutant.description) for before, mutant in found
    ]
    assert {description.partition(" | ")[0] for description in gone} == {"doubled"}
    assert len(gone) == 4


def test_mutant_killed_before_must_be_killed_now(tree: Path) -> None:
    """The check of the same mutants fails when a test was lost, and names what it killed."""
    before = tree / "before.json"
    before.write_text(
        json.dumps(_report([mutant for mutant in all_mutants(tree, ["toy"]) if mutant.function == "most"]))
    )

    done = _check(tree, "--before", str(before), "--report", str(tree / "after.json"))

    assert done.returncode == 1
    after = json.loads((tree / "after.json").read_text("utf-8"))
    assert lost(json.loads(before.read_text("utf-8")), after) == ["most | boundary | one > other | 0"]
    assert "killed before, not now: most | boundary | one > other | 0" in done.stdout
