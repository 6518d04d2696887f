"""The clause matrix is true: clauses, code and tests are what they are said to be."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from croupier.rules.rulebook import Rulebook

pytestmark = pytest.mark.untraced

ROOT = Path(__file__).parent.parent


def test_tests_named_in_the_matrix_are_those_of_the_suite() -> None:
    """Every rulebook's tests.toml lists exactly the tests that are marked with its clauses."""
    # All tests are collected for it, which takes long enough without being traced.
    untraced = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_PROCESS")}
    command = [sys.executable, "-m", "tests.matrix"]
    done = subprocess.run(command, cwd=ROOT, env=untraced, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stdout


def test_code_named_in_the_matrix_exists(rulebook: Rulebook) -> None:
    """Every module that a clause names as its code is there."""
    named = {module for clause in rulebook.clauses for module in clause.code}

    assert {module for module in named if not (ROOT / "src" / "croupier" / module).is_file()} == set()


def test_clause_with_code_is_shown_by_a_test(rulebook: Rulebook) -> None:
    """A clause that names its code names a test that shows it kept."""
    assert [clause.clause for clause in rulebook.clauses if clause.code and not clause.tests] == []


#: How many clauses each document has, and a fingerprint of their names as the document gives them, in its order.
CLAUSES = {
    "marina-bay-sands-2020": (82, "37c0b3fa26b261f5"),
    "skycity-adelaide-2003": (109, "99e2865e88794b05"),
    "clearwater-etg": (68, "4bfd73ba904d1063"),
    "us-double-zero": (44, "57277f679a9b974b"),
}


def test_every_clause_is_there_under_its_own_name(rulebook: Rulebook) -> None:
    """Each document's clauses are all in the matrix, numbered byte for byte as the document numbers them."""
    clauses = [clause.clause for clause in rulebook.clauses]
    fingerprint = hashlib.sha256("\n".join(clauses).encode()).hexdigest()

    assert (len(clauses), fingerprint[:16]) == CLAUSES[rulebook.id]
