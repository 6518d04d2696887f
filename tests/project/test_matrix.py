"""The clause matrix is true: clauses, code and tests are what they are said to be."""

import hashlib
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

import croupier.house
from croupier.house.settings import TableSettings, WheelKind
from croupier.house.state.tables import Phase
from croupier.rulebooks.loader import load_rulebook
from croupier.rules.procedure import ChannelName
from croupier.rules.refusal import Topic
from croupier.rules.rulebook import Rulebook
from croupier.transcripts.runner import TranscriptResult, run_round
from tests.conftest import DOCUMENTS
from tests.support.house_driver import with_bets
from tests.support.modules import MODULES, reached_from

pytestmark = pytest.mark.untraced

ROOT = Path(__file__).parents[2]


def test_tests_named_in_the_matrix_are_those_of_the_suite() -> None:
    """Every rulebook's tests.toml lists exactly the tests that are marked with its clauses."""
    # All tests are collected for it, which takes long enough without being traced.
    untraced = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_PROCESS")}
    command = [sys.executable, "-m", "tests.support.matrix"]
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


PACKAGE = Path(croupier.house.__file__).parent.parent


def _imported_by_the_house() -> set[Path]:
    """Find the modules that the running house imports, in a process that imports nothing else."""
    files = "(getattr(each, '__file__', None) for each in sys.modules.values())"
    script = f"import sys, croupier.house; print(*filter(None, {files}), sep=chr(10))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return {Path(line) for line in done.stdout.splitlines()}


def _run_by_a_payment(rulebook: Rulebook) -> set[Path]:
    """Find the modules whose functions the house calls from the report of a number to its payment."""
    play = with_bets(rulebook.id, TableSettings(wheel=WheelKind.RANDOM), T1="4 on 17")
    play.close_and_spin()
    called = _called(lambda: play.rest("17", None, opposite=None))
    assert play.table.phase is Phase.BETWEEN
    if ChannelName.TABLE in rulebook.channels:
        called |= _called(lambda: _chips_paid(rulebook))
    return called


def _called(act: Callable[[], object]) -> set[Path]:
    """Find the modules whose functions an act calls."""
    called: set[str] = set()
    sys.setprofile(lambda frame, _event, _argument: called.add(frame.f_code.co_filename))
    try:
        act()
    finally:
        sys.setprofile(None)
    return set(map(Path, called))


def _chips_paid(rulebook: Rulebook) -> None:
    """Play a round with chips, in which 4 on 17 are paid."""
    played = run_round(CHIPS.format(rulebook.id))
    assert isinstance(played, TranscriptResult)
    assert played.holds, played.differences


CHIPS = """\
rulebook  {}
table     recording full  float 500
player 1  chips 5

20:00:00  dealer   opens bets
20:00:05  player 1  4 x 1 on 17
20:00:10  dealer   spins
20:00:20  dealer   no more bets
20:00:30  wheel    17
20:00:40  dealer   confirms 17 dolly 17
20:00:50  dealer   pays all
paid      player 1  140
"""


def test_code_of_a_payout_is_what_the_house_pays_by(rulebook: Rulebook) -> None:
    """The code of a payout clause is imported by the running house, and some of it runs when the house pays."""
    imported, ran = _imported_by_the_house(), _run_by_a_payment(rulebook)
    for clause in rulebook.clauses:
        if clause.topic is Topic.PAYOUT and clause.code:
            named = {PACKAGE / module for module in clause.code}
            assert named <= imported, clause
            assert named & ran, clause
            assert PACKAGE / "rules" / "settlement.py" not in named


def _run_by_the_venue() -> set[Path]:
    """Find the modules of a running venue: those that its composition root and its drivers import."""
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["entry-points"].values()
    drivers = {target.partition(":")[0] for group in groups for target in group.values()}
    files = "(getattr(each, '__file__', None) for each in sys.modules.values())"
    script = f"import sys, {', '.join(['croupier.app', *sorted(drivers)])}; print(*filter(None, {files}), sep=chr(10))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return {Path(line) for line in done.stdout.splitlines()}


def test_code_named_in_the_matrix_is_run() -> None:
    """A module that a clause names is imported by a running venue, and a script by one of its pages."""
    venue_runs = _run_by_the_venue()
    pages = [path for path in MODULES if path.parent.name == path.stem]
    later = [
        (path.parent / name) for path in MODULES for name in re.findall(r'\bimport\("([^"]+)"\)', path.read_text())
    ]
    assert len(pages) > 5
    roots = (*pages, *later)
    run = venue_runs | {each for root in roots for each in reached_from(root)}
    assert PACKAGE / "cli" / "payout.py" not in run
    rulebooks = [book for name in DOCUMENTS if isinstance(book := load_rulebook(name), Rulebook)]
    named = {(PACKAGE / module).resolve() for book in rulebooks for clause in book.clauses for module in clause.code}
    assert len(named) > 40
    assert named - {path.resolve() for path in run} == set()


def test_clauses_await_devices_alone() -> None:
    """A clause that is not wholly implemented awaits a device: a wheel head, a printer, an acceptor or a display."""
    rulebooks = [book for name in DOCUMENTS if isinstance(book := load_rulebook(name), Rulebook)]
    clauses = [clause for book in rulebooks for clause in book.clauses]
    assert len(clauses) == 303
    assert [each.clause for each in clauses if each.awaits and not each.awaits.startswith("devices: ")] == []
    assert [each.clause for each in clauses if each.no_code and not each.no_code.startswith("physical: ")] == []
    assert [each.clause for each in clauses if not (each.code or each.no_code)] == []


def test_nothing_awaits_what_is_there(rulebook: Rulebook) -> None:
    """No clause awaits a console that staff have: the dealer's pages are part of the package."""
    assert (PACKAGE / "server" / "static" / "dealer").is_dir()
    assert [clause.clause for clause in rulebook.clauses if "dealer console" in clause.awaits] == []
