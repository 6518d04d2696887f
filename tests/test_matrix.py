"""The clause matrix is true: clauses, code and tests are what they are said to be."""

import csv
import subprocess
import sys
from pathlib import Path

import pytest

from croupier.rules.rulebook import Rulebook

ROOT = Path(__file__).parent.parent
SPECIFICATION = ROOT.parent / "shared" / "spec" / "clauses.csv"
DOCUMENTS = {
    "marina-bay-sands-2020": "001",
    "skycity-adelaide-2003": "002",
    "clearwater-etg": "003",
    "us-double-zero": "004",
}


def test_tests_named_in_the_matrix_are_those_of_the_suite() -> None:
    """Every rulebook's tests.toml lists exactly the tests that are marked with its clauses."""
    done = subprocess.run([sys.executable, "-m", "tests.matrix"], cwd=ROOT, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stdout


def test_code_named_in_the_matrix_exists(rulebook: Rulebook) -> None:
    """Every module that a clause names as its code is there."""
    named = {module for clause in rulebook.clauses for module in clause.code}

    assert {module for module in named if not (ROOT / "src" / "croupier" / module).is_file()} == set()


def test_clause_with_code_is_shown_by_a_test(rulebook: Rulebook) -> None:
    """A clause that names its code names a test that shows it kept."""
    assert [clause.clause for clause in rulebook.clauses if clause.code and not clause.tests] == []


COUNTS = {"marina-bay-sands-2020": 82, "skycity-adelaide-2003": 109, "clearwater-etg": 68, "us-double-zero": 44}


def test_every_clause_is_there(rulebook: Rulebook) -> None:
    """Each document's clauses are all in the matrix, once each."""
    clauses = [clause.clause for clause in rulebook.clauses]

    assert len(clauses) == len(set(clauses)) == COUNTS[rulebook.id]


@pytest.mark.skipif(not SPECIFICATION.exists(), reason="the clause list is not part of the project")
def test_clauses_are_numbered_as_in_the_clause_list(rulebook: Rulebook) -> None:
    """Clauses carry the very names of the clause list, in its order."""
    with SPECIFICATION.open(encoding="utf-8", newline="") as file:
        listed = [row["clause"] for row in csv.DictReader(file) if row["seed"] == DOCUMENTS[rulebook.id]]

    assert [clause.clause for clause in rulebook.clauses] == listed
