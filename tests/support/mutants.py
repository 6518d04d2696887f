"""Mutation check: change one expression of the source at a time and see whether a test fails.

    python -m tests.support.mutants --sample 300 --report now.json
    python -m tests.support.mutants --before before.json

With a report from before, the same mutants are tested. It is an error when one that was killed then survives now.

The tests run against a copy of src in a temporary directory. One traced run finds the tests that reach each line, and
only those run. A mutant is put in place of the live code in a fork of one process that has collected all tests. That
would miss what was computed while the modules were imported, so a mutant on a line that runs then is written into the
copy, which a fork without the project imports anew. One process runs at a time.
"""

import argparse
import contextlib
import gc
import importlib.util
import json
import os
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import zip_longest
from pathlib import Path
from types import CodeType, FunctionType

import coverage
import pytest

from tests.support.mutations import KILLED, Mutant, Report, all_mutants, applied, found_again, lost, row_of, sample

PACKAGES = ("rules", "house")
#: Campaigns and properties are long, and what they find depends on chance.
MARKS = "not (campaign or property)"
#: How many test files run together: a few quick ones first, since most mutants fall to them.
STAGES = (3, 12, 1_000)
#: How many times longer than before a test takes that hangs.
HANGS = 10
#: How long the tests that run without a mutant may take.
CONTROL_SECONDS = 600

SURVIVED, LIMIT, UNREACHED, ERROR = "survived", "time limit", "unreached", "error"

# --- The tests that reach a line


class Recorder:
    """A pytest plugin that records which test reaches which line, and how long each test takes."""

    def __init__(self, tracer: coverage.Coverage) -> None:
        """Begin with nothing recorded."""
        self.tracer = tracer
        self.seconds: dict[str, float] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self.tracer.switch_context(item.nodeid)
        began = time.perf_counter()
        result = yield
        self.seconds[item.nodeid] = time.perf_counter() - began
        return result

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            sys.__stderr__ and print(f"Fails without a mutant: {report.nodeid}", file=sys.__stderr__)
            self.seconds.pop(report.nodeid, None)


class Verdict:
    """A pytest plugin that reports the first test that fails or hangs, and ends the process there."""

    def __init__(self, seconds: dict[str, float], verdict: Path, hang: int) -> None:
        """Take the tests with their usual durations, the file for the verdict, and after how long a test hangs."""
        self.seconds = seconds
        self.verdict = verdict
        self.hang = hang

    def end(self, killer: str) -> None:
        """Write down what killed the mutant, and leave at once."""
        self.verdict.write_text(killer, "utf-8")
        os._exit(0)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        signal.signal(signal.SIGALRM, lambda *_: self.end(f"{item.nodeid} (hangs)"))
        signal.alarm(int(max(self.hang, HANGS * self.seconds[item.nodeid])))
        result = yield
        signal.alarm(0)
        return result

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.end(report.nodeid)


class Selection(Verdict):
    """The same for chosen tests in a chosen order, and for tests that can no longer be imported."""

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.end(f"{report.nodeid} (import)")

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        order = {test: place for place, test in enumerate(self.seconds)}
        items[:] = sorted((item for item in items if item.nodeid in order), key=lambda item: order[item.nodeid])


class Forks(Verdict):
    """The same in a fork for each of many mutants, once all tests are collected."""

    #: What to do when the tests are collected.
    try_all: Callable[["Forks"], None]
    items: dict[str, pytest.Item]

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        self.items = {item.nodeid: item for item in session.items}
        self.try_all(self)
        return True

    def work(self, file: Path, source: str, tests: dict[str, float]) -> None:
        """In a fork: put a mutated module in place, and run tests until one fails."""
        replace_code(file, source)
        items = [self.items[test] for test in varied(tests)]
        for item, after in zip_longest(items, items[1:]):
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=after)
        self.end("")


def varied(tests: dict[str, float]) -> list[str]:
    """Tests in an order that finds a failure early: the two quickest of each file, then the others file by file."""
    by_file: dict[str, list[str]] = defaultdict(list)
    for test in tests:
        by_file[_file(test)].append(test)
    first = [test for group in by_file.values() for test in group[:2]]
    return [*first, *(test for group in by_file.values() for test in group[2:])]


def replace_code(file: Path, source: str) -> None:
    """Give every live function of a module the code that it has in another source text of the same lines."""
    waiting = [compile(source, str(file), "exec", dont_inherit=True)]
    codes: dict[tuple[str, int], CodeType] = {}
    while waiting:
        code = waiting.pop()
        codes[code.co_qualname, code.co_firstlineno] = code
        waiting += [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    for function in gc.get_objects():
        if type(function) is FunctionType and function.__code__.co_filename == str(file):
            old = function.__code__
            function.__code__ = codes[old.co_qualname, old.co_firstlineno]


class Workplace:
    """A copy of src in a temporary directory, and child processes that test it."""

    def __init__(self, root: Path, directory: Path, hang: int) -> None:
        """Copy the sources of a tree."""
        self.root = root
        self.hang = hang
        self.directory = directory
        self.src = directory / "src"
        shutil.copytree(root / "src", self.src, ignore=shutil.ignore_patterns("__pycache__"))

    def run(self, work: Callable[[], None], seconds: float) -> bool:
        """Do some work in a child process, and tell whether it ended in time."""
        sys.stdout.flush()
        child = os.fork()
        if child == 0:
            try:
                os.setsid()
                work()
            except BaseException:  # noqa: BLE001  It goes to the log, and the child must not come back from here.
                traceback.print_exc()
                sys.stderr.flush()
            finally:
                os._exit(1)
        ended = _waited(child, seconds)
        # The tests of a killed mutant may have left processes behind, which are in the child's group.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)
        if not ended:
            os.waitpid(child, 0)
        return ended

    def enter(self) -> None:
        """Make this process one that imports the copy, whatever is installed."""
        os.chdir(self.root)
        log = os.open(self.directory / "log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(log, 1)
        os.dup2(log, 2)
        here = {"", str(Path(__file__).parents[1]), str(Path(__file__).parents[2])}
        sys.path[:] = [str(self.src), *(entry for entry in sys.path if entry not in here)]
        for name in [name for name in sys.modules if name.partition(".")[0] in {"tests", "croupier"}]:
            del sys.modules[name]
        os.environ["PYTHONPATH"] = str(self.src)
        os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = str(self.directory / "hypothesis")
        spec = importlib.util.find_spec("croupier")
        assert spec is not None
        assert Path(str(spec.origin)).is_relative_to(self.src)

    def trace(self, packages: Sequence[str], arguments: Sequence[str]) -> None:
        """Run all tests once, and record what they reach."""

        def work() -> None:
            self.enter()
            tracer = coverage.Coverage(
                data_file=str(self.directory / "coverage"),
                config_file=False,
                include=[f"{self.src}/croupier/{name}/*" for name in packages],
            )
            recorder = Recorder(tracer)
            tracer.start()
            pytest.main([*QUIET, "-m", MARKS, *arguments], plugins=[recorder])
            tracer.stop()
            tracer.save()
            libraries = [name for name in sys.modules if name.partition(".")[0] not in OWN]
            record = {"seconds": recorder.seconds, "libraries": libraries}
            (self.directory / "tests.json").write_text(json.dumps(record), "utf-8")

        self.run(work, seconds=3_600)

    def fork_all(self, reach: "Reach", arguments: Sequence[str], try_all: Callable[[Forks], None]) -> None:
        """Collect all tests in a child process, and try mutants in forks of it."""

        def work() -> None:
            self.enter()
            forks = Forks(reach.seconds, self.directory / "verdict", self.hang)
            forks.try_all = try_all
            pytest.main([*QUIET, "-m", MARKS, *arguments], plugins=[forks])

        self.run(work, seconds=24 * 3_600)

    def forked(self, forks: Forks, mutant: Mutant, tests: dict[str, float], seconds: float) -> tuple[str, str]:
        """Test a mutant in a fork of the process that has collected the tests."""
        file = self.src / mutant.module
        source = applied(file.read_text("utf-8"), mutant)
        return self.judged(partial(forks.work, file, source, tests), seconds)

    def judged(self, work: Callable[[], None], seconds: float) -> tuple[str, str]:
        verdict = self.directory / "verdict"
        verdict.unlink(missing_ok=True)
        if not self.run(work, seconds):
            return LIMIT, ""
        if not verdict.exists():
            return ERROR, (self.directory / "log").read_text("utf-8")
        killer = verdict.read_text("utf-8")
        return (KILLED, killer) if killer else (SURVIVED, "")

    def tried(self, mutant: Mutant, tests: dict[str, float], seconds: float) -> tuple[str, str]:
        """Test a mutant: what became of it, and what killed it."""
        place = self.src / mutant.module
        source = place.read_text("utf-8")
        place.write_text(applied(source, mutant), "utf-8")
        # A stale cache of the module would hide the mutant: it has the same age, and often the same size.
        for cached in (place.parent / "__pycache__").glob(f"{place.stem}.*.pyc"):
            cached.unlink()
        sys.dont_write_bytecode = True
        os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
        try:
            return self.tested(tests, seconds)
        finally:
            place.write_text(source, "utf-8")

    def tested(self, tests: dict[str, float], seconds: float) -> tuple[str, str]:
        """Test the copy as it is, in processes that import it anew."""
        deadline = time.monotonic() + seconds
        for files in stages(tests):
            chosen = {test: tests[test] for file in files for test in tests if _file(test) == file}
            result, killer = self.judged(partial(self._run_tests, files, chosen), deadline - time.monotonic())
            if result != SURVIVED:
                return result, killer
        return SURVIVED, ""

    def _run_tests(self, files: Sequence[str], chosen: dict[str, float]) -> None:
        self.enter()
        selection = Selection(chosen, self.directory / "verdict", self.hang)
        code = pytest.main([*QUIET, *files], plugins=[selection])
        passed = code in {pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED}
        selection.end("" if passed else f"pytest ended with {code}")


#: Options of every run. The plugins left out would measure or spread what is measured and run here.
QUIET = (
    *("-q", "--no-header", "-p", "no:cacheprovider", "-p", "no:cov", "-p", "no:xdist", "--ignore=tests/browser"),
    # The libraries are loaded already, hypothesis among them.
    *("-W", "ignore::pytest.PytestAssertRewriteWarning"),
)
#: What a child must load itself: the project, and plugins that pytest loads in its own way.
OWN = frozenset(
    {"tests", "croupier", "benchmarks", "__main__", "conftest", "_hypothesis_pytestplugin", "pytest_cov", "xdist"}
)


def _waited(child: int, seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if os.waitpid(child, os.WNOHANG)[0]:
            return True
        time.sleep(0.02)
    return False


def _file(test: str) -> str:
    return test.partition("::")[0]


def stages(tests: dict[str, float]) -> Iterator[list[str]]:
    """Test files in the order in which they run: those whose tests are quick first."""
    by_file: dict[str, list[float]] = defaultdict(list)
    for test, seconds in tests.items():
        by_file[_file(test)].append(seconds)
    files = sorted(by_file, key=lambda file: sum(by_file[file]) / len(by_file[file]))
    for size in STAGES:
        if files[:size]:
            yield files[:size]
        files = files[size:]


class Reach:
    """Which tests reach which lines, as recorded in the traced run."""

    def __init__(self, directory: Path) -> None:
        """Read the record."""
        record = json.loads((directory / "tests.json").read_text("utf-8"))
        self.seconds: dict[str, float] = record["seconds"]
        self.libraries: list[str] = record["libraries"]
        self.data = coverage.CoverageData(basename=str(directory / "coverage"))
        self.data.read()

    def tests(self, path: Path, lines: Iterable[int]) -> dict[str, float]:
        """Tests that reach any of the lines, with the seconds that each takes, quick ones first."""
        reached = self._contexts(path, lines)
        return {
            test: self.seconds[test] for test in sorted(reached & self.seconds.keys(), key=self.seconds.__getitem__)
        }

    def imported(self, path: Path, lines: Iterable[int]) -> bool:
        """Tell whether any of the lines runs before the first test."""
        return "" in self._contexts(path, lines)

    def _contexts(self, path: Path, lines: Iterable[int]) -> set[str]:
        by_line = self.data.contexts_by_lineno(str(path))
        return {test for line in lines for test in by_line.get(line, ())}


def load(libraries: Iterable[str]) -> None:
    """Import libraries once here, so that no child needs to."""
    for name in libraries:
        with contextlib.suppress(Exception):
            importlib.import_module(name)


class Check:
    """A check of many mutants: those drawn, or those of a report from before."""

    def __init__(self, options: argparse.Namespace, directory: Path) -> None:
        """Draw the mutants."""
        self.options = options
        self.deadline = time.monotonic() + options.minutes * 60
        self.root = options.root.resolve()
        everything = all_mutants(self.root, options.packages)
        gone: list[str] = []
        if options.before:
            self.again, gone = found_again(json.loads(options.before.read_text("utf-8")), everything)
        else:
            drawn = sample(self.root, everything, options.sample, options.seed)
            self.again = [(mutant.description, mutant) for mutant in drawn]
        self.report: Report = {"drawn": len(self.again), "gone": gone, "mutants": []}
        self.out = os.fdopen(os.dup(1), "w")
        self.say(f"{len(everything)} mutants in {', '.join(options.packages)}; {len(self.again)} to test")
        self.path = options.report or directory / "report.json"
        self.workplace = Workplace(self.root, directory, options.hang)

    def say(self, line: str) -> None:
        """Print a line, from whichever process."""
        print(line, file=self.out, flush=True)

    def run(self) -> Report:
        """Trace the tests once, then test every mutant."""
        began = time.monotonic()
        self.workplace.trace(self.options.packages, self.options.tests)
        reach = Reach(self.workplace.directory)
        self.say(f"{len(reach.seconds)} tests traced in {time.monotonic() - began:.0f} s")
        jobs = [(name, mutant, *self.reaching(reach, mutant)) for name, mutant in self.again]
        some = dict(list(reach.seconds.items())[::20])
        self.written()

        def in_forks(forks: Forks) -> None:
            file = next(self.workplace.src.rglob("*.py"))
            self.control(
                self.workplace.judged(partial(forks.work, file, file.read_text("utf-8"), some), CONTROL_SECONDS)
            )
            for name, mutant, tests, imported in jobs:
                if not imported:
                    self.tried(name, mutant, tests, partial(self.workplace.forked, forks))

        self.workplace.fork_all(reach, self.options.tests, in_forks)
        self.report = json.loads(self.path.read_text("utf-8"))
        done = {row["before"] for row in self.report["mutants"] if row["result"] != ERROR}
        self.report["mutants"] = [row for row in self.report["mutants"] if row["result"] != ERROR]
        load(reach.libraries)
        self.control(self.workplace.tested(some, CONTROL_SECONDS))
        for name, mutant, tests, _ in jobs:
            if name not in done:
                self.tried(name, mutant, tests, self.workplace.tried)
        self.report["seconds"] = round(time.monotonic() - began)
        self.written()
        return self.report

    def reaching(self, reach: Reach, mutant: Mutant) -> tuple[dict[str, float], bool]:
        """Find the tests that reach a mutant, and whether it runs on import. Then any test may use what it computed."""
        file, lines = self.workplace.src / mutant.module, range(mutant.lines[0], mutant.lines[1] + 1)
        tests, imported = reach.tests(file, lines), reach.imported(file, lines)
        return (reach.seconds if imported and not tests else tests), imported

    def control(self, result: tuple[str, str]) -> None:
        """Stop when tests do not pass without a mutant: no mutant's result would mean anything."""
        if result[0] != SURVIVED:
            self.say(f"Without a mutant: {' '.join(result)}")
            os._exit(1)

    def tried(self, name: str, mutant: Mutant, tests: dict[str, float], how: Callable[..., tuple[str, str]]) -> None:
        """Test one mutant and write the result down, while there is time."""
        began = time.monotonic()
        if began > self.deadline:
            return
        result, killer = how(mutant, tests, self.options.limit) if tests else (UNREACHED, "")
        took = round(time.monotonic() - began, 1)
        self.report["mutants"].append(row_of(mutant, name, result, killer, tests=len(tests), seconds=took))
        self.written()
        self.say(f"{len(self.report['mutants']):4} {result:10} {took:5.1f} s  {mutant.description}")

    def written(self) -> None:
        """Write the report, whole or not at all."""
        fresh = self.path.with_suffix(".new")
        fresh.write_text(json.dumps(self.report, indent=1), "utf-8")
        fresh.replace(self.path)


def parser() -> argparse.ArgumentParser:
    """The options of the command."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--root", type=Path, default=Path(__file__).parents[2], help="the tree, with src and tests")
    options.add_argument("--packages", nargs="+", default=list(PACKAGES), help="packages of src/croupier")
    options.add_argument("--tests", nargs="+", default=["tests"], help="arguments to pytest: the tests that may run")
    options.add_argument("--sample", type=int, default=300, help="how many mutants to draw")
    options.add_argument("--seed", type=int, default=1, help="of the draw")
    options.add_argument("--minutes", type=float, default=60, help="begin no mutant after so long")
    options.add_argument("--limit", type=float, default=60, help="seconds for one mutant")
    options.add_argument(
        "--hang", type=int, default=10, help="seconds after which a test hangs, if it was quick before"
    )
    options.add_argument("--report", type=Path, help="write the results there")
    options.add_argument("--before", type=Path, help="take the mutants of this report, and compare with it")
    return options


def main(arguments: Sequence[str]) -> int:
    """Check, print what was found, and exit with 1 where a mutant survives that was killed before."""
    options = parser().parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="mutants-") as directory:
        report = Check(options, Path(directory)).run()
    counts = Counter(row["result"] for row in report["mutants"])
    print(", ".join(f"{number} {result}" for result, number in counts.most_common()), f"of {report['drawn']} drawn")
    for description in report["gone"]:
        print("not in this tree:", description)
    missed = lost(json.loads(options.before.read_text("utf-8")), report) if options.before else []
    for description in missed:
        print("killed before, not now:", description)
    return 1 if missed or counts[ERROR] else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
