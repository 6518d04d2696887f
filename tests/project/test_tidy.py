"""The house is tidy: small modules, true docstrings, no float near money."""

import ast
import re
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from tests.support.architecture import PAGE, written

pytestmark = pytest.mark.untraced

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "croupier"
MODULES = sorted(PACKAGE.rglob("*.py"))
SOURCES = [*MODULES, *sorted((ROOT / "tests").rglob("*.py")), *sorted((ROOT / "benchmarks").rglob("*.py"))]
LINES_MAX = 1_000
#: Rooms where money is counted: no float, and no division that makes one.
COUNTING_ROOMS = ("rules", "rulebooks", "house", "journal", "engine")
#: Of those, the modules that hand seconds to the operating system and to Prometheus: time, not money.
SECONDS = ("engine/accepting.py", "engine/metrics.py", "engine/ports.py", "engine/snapshots.py", "engine/takeover.py")


def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def _first_line(path: Path) -> str:
    docstring = ast.get_docstring(ast.parse(path.read_text("utf-8")))
    return docstring.splitlines()[0] if docstring else ""


@pytest.mark.parametrize("path", SOURCES, ids=_name)
def test_module_is_short(path: Path) -> None:
    """No module is longer than a thousand lines."""
    assert len(path.read_text("utf-8").splitlines()) <= LINES_MAX


def test_architecture_page_names_every_package_and_module() -> None:
    """The tree on the architecture page has every package by its docstring, with all its modules."""
    assert written() == PAGE.read_text("utf-8"), "run python -m tests.support.architecture --write"


@pytest.mark.parametrize("path", MODULES, ids=_name)
def test_module_says_what_it_is(path: Path) -> None:
    """A module begins with a line that says what it is."""
    assert _first_line(path).endswith((".", ")."))


#: What the pure packages may import besides themselves and the packages below them; import-linter checks the rest.
_RULES_ALLOWED = {
    "__future__",
    "collections",
    "copy.copy",
    "dataclasses",
    "datetime.date",
    "enum",
    "fractions",
    "functools",
    "hashlib",
    "itertools",
    "math.gcd",
    "re",
    "types",
    "typing",
    "unicodedata.normalize",
}
ALLOWED = {"rules": _RULES_ALLOWED, "house": {*_RULES_ALLOWED, "abc", "copy.deepcopy", "heapq", "math", "msgspec"}}


def _imports(tree: ast.AST) -> set[str]:
    found = set()
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                found |= {alias.name for alias in names}
            case ast.ImportFrom(module=str(module), names=names):
                found |= {f"{module}.{alias.name}" for alias in names}
    return {name for name in found if not name.startswith("croupier.")}


@pytest.mark.parametrize("path", [path for path in MODULES if path.relative_to(PACKAGE).parts[0] in ALLOWED], ids=_name)
def test_pure_module_imports_only_what_it_may(path: Path) -> None:
    """A module of rules or house imports what its package is allowed, and nothing else of the world."""
    name = path.relative_to(PACKAGE)
    allowed = ALLOWED[name.parts[0]]
    imported = _imports(ast.parse(path.read_text("utf-8")))

    assert {one for one in imported if not any(f"{one}.".startswith(f"{may}.") for may in allowed)} == set()


@pytest.mark.parametrize("path", MODULES, ids=_name)
def test_module_imports_no_private_name(path: Path) -> None:
    """A module imports from others what they offer: no name that begins with an underscore."""
    names = [
        alias.name
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("croupier")
        for alias in node.names
    ]

    assert [name for name in names if name.startswith("_")] == []


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
    "path",
    [
        path
        for path in MODULES
        if path.relative_to(PACKAGE).parts[0] in COUNTING_ROOMS and path.relative_to(PACKAGE).as_posix() not in SECONDS
    ],
    ids=_name,
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
        for path in sorted((ROOT / "tests").rglob("test_*.py"))
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
        if not (ast.get_docstring(node) or "").endswith(".")
    ]

    assert silent == []


LOCKS = tuple(f"requirements{kind}.lock" for kind in ("", "-extras", "-build", "-test"))


def test_locks_name_no_address() -> None:
    """The lock files hold names, versions and hashes, and no address to fetch from."""
    for lock in LOCKS:
        text = (ROOT / lock).read_text("utf-8")

        assert "://" not in text
        assert "--hash=sha256:" in text


def _locked(lock: str) -> set[str]:
    return {name for name, _ in _pinned(lock)}


def _pinned(lock: str) -> list[tuple[str, str]]:
    """List each name that the lock file pins, with its extras."""
    return re.findall(r"^([a-z0-9-]+)(?:\[([a-z,]+)\])?==", (ROOT / lock).read_text("utf-8"), flags=re.MULTILINE)


def test_locks_pin_extras() -> None:
    """A requirement with an extra is pinned with it: otherwise pip takes the newest release, which has no hash here."""
    pins = dict(_pinned("requirements-test.lock"))
    for name in pins:
        for text in _requires(name):
            wanted = Requirement(text)
            if wanted.extras and (wanted.marker is None or wanted.marker.evaluate({"extra": ""})):
                assert wanted.extras <= set(pins[wanted.name].split(",")), f"{name} requires {text}"
    assert pins["python-socks"] == "asyncio"


def _requires(name: str) -> list[str]:
    try:
        return metadata.requires(name) or []
    except metadata.PackageNotFoundError:  # for another platform
        return []


def test_production_lock_has_no_build_tools() -> None:
    """A venue installs nothing that builds or tests the software; the scripts have their build tools locked apart."""
    tools = _locked("requirements-build.lock")

    assert {"editables", "hatchling"} <= tools
    assert not tools & _locked("requirements-extras.lock")
    assert not {"numpy", "pytest", "mypy", "ruff", "setuptools", "wheel"} & _locked("requirements-extras.lock")
    assert _locked("requirements.lock") < _locked("requirements-extras.lock") < _locked("requirements-test.lock")
    assert "psycopg" in _locked("requirements-extras.lock")
