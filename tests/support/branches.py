"""Branch coverage: `pytest -n 2 -p tests.support.branches`, then `python -m tests.support.branches FOLDER`.

Slipcover changes the bytecode of the modules that are imported, and takes its own out again once it has run: the tests
take little longer than without. With a tracer they took four times as long.
"""

import ast
import json
import os
import re
import sys
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

import slipcover

#: The folder that each worker writes what it ran to; without it nothing is measured.
FOLDER: Final = "CROUPIER_COVERAGE"
#: Set in the processes that run tests. The one that gives them out runs none, and would change the same modules.
_WORKER: Final = "PYTEST_XDIST_WORKER"
#: The packages that are measured.
PACKAGES: Final = (
    "analysis",
    "client",
    "config",
    "devices",
    "engine",
    "house",
    "journal",
    "operations",
    "protocol",
    "reports",
    "rulebooks",
    "rules",
    "server",
    "transcripts",
)
_ROOT: Final = Path(__file__).parents[2]
_SOURCES: Final = _ROOT / "src" / "croupier"
_APP: Final = _SOURCES / "app.py"
#: The least share of lines and branches that tests run, in percent.
LEAST: Final = 99
#: A part of a match that no value reaches, which mypy proves.
_UNREACHED: Final = re.compile(r"assert_never\(")

_measured: slipcover.Slipcover | None = None
if os.environ.get(FOLDER) and os.environ.get(_WORKER):
    _folders: Final = [_SOURCES / package for package in PACKAGES]
    _measured = slipcover.Slipcover(branch=True, source=list(map(str, _folders)), exclude_also=[r"^\s*\.\.\.$"])
    slipcover.ImportManager(_measured, slipcover.FileMatcher(sources=[*_folders, _APP])).__enter__()


def pytest_sessionfinish() -> None:
    """Write what this process ran."""
    if _measured is not None:
        found = _measured.get_coverage()
        (Path(os.environ[FOLDER]) / f"{uuid4()}.json").write_text(json.dumps(found), "utf-8")


def _unreached(source: str) -> set[int]:
    """Return the lines of a source that are there for mypy: a call of `assert_never`, and the pattern before it."""
    lines = {number for number, line in enumerate(source.splitlines(), start=1) if _UNREACHED.search(line)}
    cases = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.match_case))
    return lines | {case.pattern.lineno for case in cases if case.body[0].lineno in lines}


def _ran_and_missed(name: str, found: Iterable[dict[str, Any]]) -> tuple[int, list[str]]:
    """Count the lines and branches of a module that ran in any process, and list the others."""
    ran: set[tuple[int, ...]] = set()
    known: set[tuple[int, ...]] = set()
    for each in found:
        done = {(line,) for line in each["executed_lines"]} | set(map(tuple, each["executed_branches"]))
        ran |= done
        known |= done | {(line,) for line in each["missing_lines"]} | set(map(tuple, each["missing_branches"]))
    unreached = _unreached((_ROOT / name).read_text("utf-8"))
    missed = sorted(each for each in known - ran if not unreached.intersection(each))
    return len(ran), ["-".join(map(str, each)) for each in missed]


def report(folder: Path, parts: Iterable[str], without: Iterable[str]) -> bool:
    """Print what no test ran of these parts of the sources; return whether the tests run enough of them."""
    modules: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for path in folder.glob("*.json"):
        for name, found in json.loads(path.read_text("utf-8"))["files"].items():
            modules[str((_ROOT / name).relative_to(_ROOT))].append(found)
    wanted = tuple(f"src/croupier/{part}" for part in parts)
    counted = {name: found for name, found in modules.items() if name.startswith(wanted) and name not in without}
    ran = missing = 0
    for name, found in sorted(counted.items()):
        done, missed = _ran_and_missed(name, found)
        ran, missing = ran + done, missing + len(missed)
        if missed:
            print(f"{name}: {', '.join(missed)}")
    share = 100 * ran / max(1, ran + missing)
    print(f"{len(counted)} modules: {ran} of {ran + missing} lines and branches, {share:.2f} %")
    return share >= LEAST


def main() -> None:
    """`python -m tests.support.branches FOLDER [MODULE…]`; these modules are left out."""
    folder, *without = sys.argv[1:]
    parts = [*(f"{package}/" for package in PACKAGES), _APP.name]
    sys.exit(0 if report(Path(folder), parts, without) else 1)


if __name__ == "__main__":
    main()
