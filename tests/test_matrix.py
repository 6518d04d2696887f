"""The clause matrix is true: clauses, code and tests are what they are said to be."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

import croupier.house.dispatch
from croupier.house.base import Phase
from croupier.house.settings import TableSettings, WheelKind
from croupier.rules.refusal import Topic
from croupier.rules.rulebook import Rulebook
from tests.house_driver import with_bets

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
    state_digest = hashlib.sha256("\n".join(clauses).encode()).hexdigest()

    assert (len(clauses), state_digest[:16]) == CLAUSES[rulebook.id]


PACKAGE = Path(croupier.house.dispatch.__file__).parent.parent


def _imported_by_the_house() -> set[Path]:
    """Find the modules that the running house imports, in a process that imports nothing else."""
    files = "(getattr(each, '__file__', None) for each in sys.modules.values())"
    script = f"import sys, croupier.house.dispatch; print(*filter(None, {files}), sep=chr(10))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return {Path(line) for line in done.stdout.splitlines()}


def _run_by_a_payment(rulebook: Rulebook) -> set[Path]:
    """Find the modules whose functions the house calls from the report of a number to its payment."""
    play = with_bets(rulebook.id, TableSettings(wheel=WheelKind.RANDOM), T1="4 on 17")
    play.close_and_spin()
    called: set[str] = set()
    sys.setprofile(lambda frame, _event, _argument: called.add(frame.f_code.co_filename))
    try:
        play.rest("17", None, opposite=None)
    finally:
        sys.setprofile(None)
    assert play.table.phase is Phase.BETWEEN
    return set(map(Path, called))


def test_code_of_a_payout_is_what_the_house_pays_by(rulebook: Rulebook) -> None:
    """The code of a payout clause is imported by the running house, and some of it runs when the house pays."""
    imported, ran = _imported_by_the_house(), _run_by_a_payment(rulebook)
    for clause in rulebook.clauses:
        if clause.topic is Topic.PAYOUT and clause.code:
            named = {PACKAGE / module for module in clause.code}
            assert named <= imported, clause
            assert named & ran, clause
            assert PACKAGE / "rules" / "settlement.py" not in named


def test_nothing_awaits_what_is_there(rulebook: Rulebook) -> None:
    """No clause awaits a console that staff have: the dealer's pages are part of the package."""
    assert (PACKAGE / "server" / "static" / "dealer").is_dir()
    assert [clause.clause for clause in rulebook.clauses if "dealer console" in clause.awaits] == []
