"""The house is tidy: small modules, true docstrings, no float near money."""

import ast
import re
from pathlib import Path

import pytest

pytestmark = pytest.mark.untraced

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "croupier"
MODULES = sorted(PACKAGE.rglob("*.py"))
SOURCES = [*MODULES, *sorted((ROOT / "tests").rglob("*.py")), *sorted((ROOT / "benchmarks").rglob("*.py"))]
LINES_MOST = 700
#: Rooms where money is counted: no float, and no division that makes one.
COUNTING_ROOMS = ("rules", "rulebooks", "house", "journal", "engine")


def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def _first_line(path: Path) -> str:
    docstring = ast.get_docstring(ast.parse(path.read_text("utf-8")))
    return docstring.splitlines()[0] if docstring else ""


@pytest.mark.parametrize("path", SOURCES, ids=_name)
def test_module_is_short(path: Path) -> None:
    """No module is longer than seven hundred lines."""
    assert len(path.read_text("utf-8").splitlines()) <= LINES_MOST


def test_architecture_page_names_every_module_by_its_docstring() -> None:
    """The architecture page has one line for each module, and it is the first line of the module's docstring."""
    page = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    told = dict(re.findall(r"^- `(\S+\.py)`: (.+)$", page, flags=re.MULTILINE))

    assert told == {path.relative_to(PACKAGE).as_posix(): _first_line(path) for path in MODULES}


#: What each room may import besides itself and the rooms below it. A module of its own has its own line.
ALLOWED = {
    "rules": {
        "collections",
        "dataclasses",
        "datetime.date",
        "enum",
        "fractions",
        "functools",
        "itertools",
        "re",
        "types",
        "typing",
    },
    "rules/kernel.py": {"numpy"},
    "house": {"collections", "dataclasses", "enum", "functools", "heapq", "itertools", "math", "msgspec", "typing"},
    "house/authority.py": {"re"},
    "house/seal.py": {"hashlib"},
    "house/blocker.py": {"types"},
    "house/event/base.py": {"re"},
    "house/felt.py": {"hashlib"},
    "house/fingerprint.py": {"hashlib", "types"},
    "house/settling.py": {"hashlib"},
    "house/theory.py": {"fractions"},
    "house/tickets.py": {"datetime.date"},
    "house/timer.py": {"datetime.date"},
    "journal": {"binascii", "collections", "contextlib", "hashlib", "itertools", "msgspec", "typing"},
    "journal/anchor.py": {"os", "pathlib"},
    "journal/file.py": {"os", "pathlib"},
    "journal/reserve.py": {"os", "pathlib"},
    "journal/safe.py": {"fcntl", "os", "pathlib"},
    "journal/signature.py": {"cryptography", "hmac"},
    "journal/snapshot.py": {"pathlib"},
    "journal/sqlite.py": {"apsw", "fcntl", "functools", "os", "pathlib", "shutil", "tempfile"},
    "engine": {"collections", "dataclasses", "hashlib", "msgspec", "typing"},
    "engine/clock.py": {"time"},
    "engine/replay.py": {"contextlib", "gc"},
    "journal/export.py": {"importlib.resources", "zipfile"},
    "engine/state.py": {"enum", "functools", "itertools", "operator", "time.sleep", "types"},
    "engine/archive.py": {"contextlib", "pathlib"},
    "engine/ticketindex.py": {"apsw", "pathlib", "threading"},
    "engine/software.py": {"croupier", "functools", "importlib.metadata", "pathlib"},
    "engine/start.py": {"pathlib"},
    # It goes out with every export, to run where nothing of ours is.
    "journal/verify.py": {"argparse", "cryptography", "json", "pathlib", "sys", "zipfile", "zlib"},
    "rehearsal": {
        "collections",
        "dataclasses",
        "enum",
        "functools",
        "hashlib",
        "itertools",
        "msgspec",
        "random",
        "typing",
    },
    "rehearsal/auditor/paper.py": {"datetime.date"},
    "rehearsal/cast/pit.py": {"datetime"},
    "rehearsal/clock.py": {"datetime"},
    "rehearsal/keepsake.py": {"contextlib", "pathlib"},
    "rounds": {"collections", "dataclasses", "enum", "functools", "hashlib", "itertools", "msgspec", "re", "typing"},
    "rounds/deed.py": {"difflib"},
    "rounds/setting.py": {"datetime.date"},
    "rounds/shelf.py": {"importlib.resources", "pathlib"},
    "rulebooks": {"collections", "dataclasses", "re", "typing"},
    "rulebooks/folder.py": {"errno", "importlib.resources", "pathlib", "tomllib"},
    "rulebooks/loader.py": {"functools", "importlib.resources", "pathlib"},
    "rulebooks/complaint.py": {"datetime.datetime"},
    "rulebooks/felt.py": {"itertools"},
    "rulebooks/proof.py": {"itertools"},
    "rulebooks/shape.py": {"cattrs", "datetime.date", "enum", "types"},
    "rulebooks/canonical.py": {"datetime.date", "functools", "hashlib", "json"},
    "access": {"collections", "dataclasses", "enum", "functools", "hashlib", "hmac", "msgspec", "secrets", "typing"},
    "access/joining.py": {"io", "ipaddress", "segno"},
    "access/premises.py": {"os", "pathlib", "stat", "sys"},
    "access/reception.py": {"unicodedata"},
    "access/record.py": {"unicodedata"},
    "access/register.py": {"contextlib", "fcntl", "os", "pathlib"},
    "access/secret.py": {"argon2", "unicodedata"},
    "config": {"collections", "dataclasses", "enum", "msgspec", "pathlib", "typing"},
    "config/calendar.py": {"datetime", "zoneinfo"},
    "config/complaints.py": {"difflib"},
    "config/demo.py": {"importlib.resources"},
    "config/form.py": {"datetime", "decimal", "re", "zoneinfo"},
    "config/reader.py": {"decimal", "tomllib"},
    "config/shape.py": {"datetime.time"},
    "config/template.py": {"textwrap"},
    "devices": {"collections", "dataclasses", "enum", "typing"},
    # The source of chance knows nothing of the world: no clock, no house.
    "devices/chance.py": {"secrets"},
    "devices/check.py": {"hmac", "itertools"},
    "devices/health.py": {"functools", "itertools"},
    "devices/validation.py": {"hmac", "secrets"},
    "office": {"collections", "dataclasses", "enum", "typing"},
    "office/counter.py": {"datetime"},
    "paper": {"collections", "dataclasses", "enum", "typing"},
    "paper/glyph.py": {"re", "unicodedata"},
    "paper/letterhead.py": {"datetime", "zoneinfo"},
    "paper/pdf.py": {"io", "math", "reportlab"},
    "paper/slip.py": {"itertools"},
    "paper/takings.py": {"fractions"},
    "server": set(),
    "upkeep": {"collections", "contextlib", "dataclasses", "enum", "hashlib", "msgspec", "pathlib", "typing"},
    "upkeep/backup.py": {"shutil"},
    "upkeep/client.py": {"socket"},
    "upkeep/control.py": {"asyncio", "socket"},
    "upkeep/copy.py": {"os", "shutil"},
    "upkeep/exchange.py": {"shutil"},
    "upkeep/export.py": {"shutil"},
    "upkeep/log.py": {"datetime", "logging", "re", "structlog"},
    "upkeep/record.py": {"base64", "csv", "importlib.metadata", "re"},
    "upkeep/request.py": {"json", "os"},
    "upkeep/shelf.py": {"datetime", "fcntl", "os", "shutil"},
    "upkeep/software.py": {"croupier", "importlib.metadata", "re", "sys"},
    "upkeep/staging.py": {"shutil"},
    "upkeep/witness.py": {"os", "urllib"},
    "web": {"asyncio", "collections", "dataclasses", "enum", "functools", "itertools", "msgspec", "typing"},
    "web/hub.py": {"picows", "structlog", "traceback"},
    "web/incoming.py": {"json"},
    "web/conductor.py": {"concurrent.futures"},
    "web/door.py": {"picows"},
    "web/chores.py": {"structlog"},
    "web/gateway.py": {"picows", "structlog"},
    "web/needs.py": {"heapq"},
    "web/listener.py": {"errno", "os", "resource", "select", "socket", "structlog"},
    "web/lobby.py": {"ipaddress", "structlog"},
    "web/server.py": {"http", "logging", "multidict", "pathlib", "picows", "ssl"},
    "web/registrar.py": {"structlog"},
    "web/signing.py": {"concurrent.futures", "structlog"},
    "web/assets.py": {"hashlib", "importlib.resources", "re"},
    "web/drawing.py": {"base64"},
    "web/evidence.py": {"base64", "io"},
    "web/disputepage.py": {"hashlib"},
    "web/feltdata.py": {"hashlib"},
    "web/lean.py": {"re"},
    "web/figures.py": {"bisect", "prometheus_client", "types"},
    "web/http.py": {"re", "types", "urllib.parse"},
    "web/pages.py": {"html", "urllib.parse"},
    "web/tally.py": {"math"},
    "web/ruletext.py": {"fractions", "html"},
    "assembly": {"asyncio", "collections", "concurrent.futures", "dataclasses", "functools", "structlog", "typing"},
    "assembly/address.py": {"socket"},
    "assembly/steward.py": {"contextlib", "itertools", "pathlib"},
    "director": {"collections", "dataclasses", "msgspec", "random", "typing"},
    "director/director.py": {"asyncio", "functools", "structlog"},
    "director/entrance.py": {"asyncio", "logging", "pathlib", "picows", "ssl"},
    "director/line.py": {"picows"},
    "director/player.py": {"asyncio", "structlog"},
    "director/roster.py": {"pathlib"},
    "director/terminal.py": {"asyncio"},
    "bench": {"collections", "contextlib", "dataclasses", "functools", "itertools", "pathlib", "time", "typing"},
    "bench/bare.py": {"argparse", "base64", "hashlib", "os", "select", "socket"},
    "bench/closed.py": {"array"},
    "bench/crowd.py": {"os", "select", "socket", "struct"},
    "bench/desk.py": {"json", "socket"},
    "bench/echo.py": {"asyncio", "picows", "uvloop"},
    "bench/line.py": {"json", "socket"},
    "bench/machine.py": {"importlib.metadata", "os", "platform", "re", "resource"},
    "bench/offered.py": {"array"},
    "bench/process.py": {"os", "re", "subprocess", "sys"},
    "bench/rivals.py": {"sqlite3", "subprocess", "sys"},
    "bench/run.py": {"concurrent.futures", "gc", "multiprocessing.get_context"},
    "bench/scene.py": {"shutil", "tempfile"},
    "bench/spread.py": {"statistics"},
    "bench/venue.py": {"json"},
    "bench/watch.py": {"os"},
    "cli": {"click", "collections", "dataclasses", "itertools", "json", "pathlib", "rich", "typing"},
    "cli/bench.py": {"contextlib", "sys", "tempfile"},
    "cli/evidence.py": {"msgspec"},
    "cli/journal.py": {"contextlib"},
    "cli/serve.py": {"asyncio", "errno", "gc", "os", "resource", "signal", "sys", "structlog", "uvloop"},
    "cli/app.py": {"io", "os", "signal", "sys"},
    "cli/felt.py": {"html"},
    "cli/report.py": {"difflib"},
    "cli/place.py": {"functools"},
    "cli/play.py": {"contextlib", "readline", "sys", "time"},
    "cli/staff.py": {"contextlib", "os"},
    "cli/running.py": {"contextlib", "msgspec"},
    "cli/upkeep.py": {"contextlib"},
}


def _imports(tree: ast.AST) -> set[str]:
    found = set()
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                found |= {alias.name for alias in names}
            case ast.ImportFrom(module=str(module), names=names):
                found |= {f"{module}.{alias.name}" for alias in names}
    return {name for name in found if not name.startswith("croupier.")}


@pytest.mark.parametrize("path", [path for path in MODULES if path.parent != PACKAGE], ids=_name)
def test_module_imports_only_what_its_room_may(path: Path) -> None:
    """A module imports what its room is allowed, and nothing else of the world."""
    name = path.relative_to(PACKAGE)
    allowed = ALLOWED[name.parts[0]] | ALLOWED.get(name.as_posix(), set())
    imported = _imports(ast.parse(path.read_text("utf-8")))

    assert {one for one in imported if not any(f"{one}.".startswith(f"{may}.") for may in allowed)} == set()


def test_kernel_takes_no_chances() -> None:
    """The kernel uses numpy for sums, not for chance."""
    assert "random" not in (PACKAGE / "rules" / "kernel.py").read_text("utf-8")


def _floats(tree: ast.AST) -> list[str]:
    found = []
    for node in ast.walk(tree):
        match node:
            case (
                ast.Constant(value=float())
                | ast.Name(id="float")
                | ast.BinOp(op=ast.Div())
                | ast.AugAssign(op=ast.Div())
            ):
                found.append(f"line {node.lineno}: {ast.unparse(node)}")
    return found


@pytest.mark.parametrize(
    "path", [path for path in MODULES if path.relative_to(PACKAGE).parts[0] in COUNTING_ROOMS], ids=_name
)
def test_no_float_near_money(path: Path) -> None:
    """Where money is counted there is no float: no literal, no name, no true division."""
    assert _floats(ast.parse(path.read_text("utf-8"))) == []


@pytest.mark.parametrize("text", ["1.5", "float('3')", "stake / 5", "stake /= 5"])
def test_float_is_found(text: str) -> None:
    """The search for floats finds a literal, the name and either kind of division."""
    assert _floats(ast.parse(f"stake = 10\n{text}")) != []


def test_every_test_says_what_is_true() -> None:
    """Every test has a docstring of one sentence."""
    silent = [
        f"{_name(path)}::{node.name}"
        for path in sorted((ROOT / "tests").glob("test_*.py"))
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
        if not (ast.get_docstring(node) or "").endswith(".")
    ]

    assert silent == []


def test_locks_name_no_address() -> None:
    """The lock files hold names, versions and hashes, and no address to fetch from."""
    for lock in ("requirements.lock", "requirements-build.lock", "requirements-test.lock"):
        text = (ROOT / lock).read_text("utf-8")

        assert "://" not in text
        assert "--hash=sha256:" in text


def _locked(lock: str) -> set[str]:
    return set(re.findall(r"^([a-z0-9-]+)==", (ROOT / lock).read_text("utf-8"), flags=re.MULTILINE))


def test_production_lock_has_no_build_tools() -> None:
    """A venue installs nothing that builds or tests the software; the scripts have their build tools locked apart."""
    tools = _locked("requirements-build.lock")

    assert {"editables", "hatchling"} <= tools
    assert not tools & _locked("requirements.lock")
    assert not {"pytest", "mypy", "ruff", "setuptools", "wheel"} & _locked("requirements.lock")
    assert _locked("requirements.lock") < _locked("requirements-test.lock")
