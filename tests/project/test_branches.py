"""The report of what tests run of the sources: enough passes, and too little fails."""

import json
from pathlib import Path

import pytest

from tests.support.branches import report

MODULE = "src/croupier/rules/money.py"
LINES = 100


def measured(folder: Path, *, ran: int, missed: int, branches: int = 0, module: str = MODULE) -> Path:
    """A folder with what a process ran of a module."""
    lines = list(range(1, ran + 1)), list(range(ran + 1, ran + missed + 1))
    found = {
        "executed_lines": lines[0],
        "missing_lines": lines[1],
        "executed_branches": [],
        "missing_branches": [[1, line] for line in range(2, 2 + branches)],
    }
    (folder / f"{ran}.json").write_text(json.dumps({"files": {module: found}}), "utf-8")
    return folder


@pytest.mark.parametrize(
    ("ran", "missed", "branches", "passes"),
    [(LINES, 0, 0, True), (99, 1, 0, True), (98, 2, 0, False), (LINES, 0, 1, True), (LINES, 0, 2, False)],
)
def test_too_few_lines_and_branches_fail(tmp_path: Path, ran: int, missed: int, branches: int, *, passes: bool) -> None:
    """Of a hundred lines one may be missed, and not two; a branch counts as a line does."""
    assert report(measured(tmp_path, ran=ran, missed=missed, branches=branches), ["rules/"], []) is passes


def test_processes_are_counted_together(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What one process missed and another ran is no miss; what both missed is listed by its line."""
    measured(measured(tmp_path, ran=40, missed=60), ran=98, missed=2)

    assert not report(tmp_path, ["rules/"], [])
    assert capsys.readouterr().out.splitlines()[0] == f"{MODULE}: 99, 100"


def test_other_parts_and_what_is_left_out_do_not_count(tmp_path: Path) -> None:
    """Modules of other packages, and those that could not be reached here, are not asked for."""
    measured(tmp_path, ran=1, missed=99)
    measured(tmp_path, ran=LINES, missed=0, module="src/croupier/house/ids.py")

    assert report(tmp_path, ["house/"], [])
    assert report(tmp_path, ["house/", "rules/"], [MODULE])
    assert not report(tmp_path, ["house/", "rules/"], [])


def test_nothing_measured_fails(tmp_path: Path) -> None:
    """Without any figures the coverage is not enough."""
    assert not report(tmp_path, ["rules/"], [])
