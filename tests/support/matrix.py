"""The clause matrix's tests: which tests are marked with which clause, gathered from the suite itself.

``python -m tests.support.matrix`` says how each rulebook's tests.toml differs from the suite; ``--write`` writes them.
"""

import json
import sys
from collections import defaultdict
from pathlib import Path

import pytest

from croupier.rulebooks.loader import TESTS, load_rulebook, rulebook_ids
from croupier.rules.refusal import Clause
from croupier.rules.rulebook import Rulebook
from tests.conftest import DOCUMENTS

SHIPPED = Path(__file__).parents[2] / "src" / "croupier" / "rulebooks"

Marked = dict[tuple[str, str], set[str]]


class Gatherer:
    """A pytest plugin that notes every clause mark of the tests it is shown."""

    def __init__(self) -> None:
        self.marked: Marked = defaultdict(set)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        for item in session.items:
            for mark in item.iter_markers("clause"):
                rulebook, clause = mark.args
                self.marked[rulebook, clause].add(item.nodeid.partition("[")[0])


def gather() -> Marked:
    gatherer = Gatherer()
    # The venues that the tests share are imported above, before pytest would rewrite their assertions.
    options = ("-W", "ignore::pytest.PytestAssertRewriteWarning")
    code = pytest.main(["--collect-only", "--quiet", "--quiet", "--no-header", *options], plugins=[gatherer])
    assert code == pytest.ExitCode.OK
    return gatherer.marked


def clauses(name: str) -> tuple[Clause, ...]:
    rulebook = load_rulebook(name)
    assert isinstance(rulebook, Rulebook)
    return rulebook.clauses


def strangers(marked: Marked) -> list[str]:
    """Marks that name no clause of any rulebook."""
    known = {(name, clause.clause) for name in rulebook_ids() for clause in clauses(name)}
    return [f"{rulebook} has no clause {clause}" for rulebook, clause in marked if (rulebook, clause) not in known]


def page(rulebook: str, marked: Marked) -> str:
    """A rulebook's tests.toml, in the order of its clauses."""
    lines = ["# Which tests show that a clause is kept. Written by `python -m tests.support.matrix --write`.", ""]
    for clause in clauses(rulebook):
        tests = sorted(marked.get((rulebook, clause.clause), ()))
        if tests:
            listed = "".join(f"  {json.dumps(test)},\n" for test in tests)
            lines.append(f"{json.dumps(clause.clause, ensure_ascii=False)} = [\n{listed}]")
    return "\n".join(lines) + "\n"


def main() -> int:
    marked = gather()
    wrong = strangers(marked)
    for name in DOCUMENTS:
        file, wanted = SHIPPED / name / TESTS, page(name, marked)
        if "--write" in sys.argv:
            file.write_text(wanted, "utf-8")
        elif not file.exists() or file.read_text("utf-8") != wanted:
            wrong.append(f"{name}/{TESTS} is out of date: python -m tests.support.matrix --write")
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
