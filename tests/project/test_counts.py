"""What scripts/counts counts, on a small tree made up for it."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.untraced

SCRIPT = Path(__file__).parents[2] / "scripts" / "counts"

VOCABULARY = """
| Instead of | Write | Counted |
|---|---|---|
| gizmo | device | everywhere |
| whirr | spin | identifiers |
| box | drawer | names |
| pile | stack | modules |
| comes to … rest | stops | everywhere |

| Word | File | Reason |
|---|---|---|
| gizmo | src/croupier/low/*.py | a brand name |
"""

#: Six lines that two modules repeat, with an import between them in the second.
REPEATED = "first = 1\nsecond = 2\nthird = 3\nfourth = 4\nfifth = 5\nsixth = 6\n"

TREE = {
    "pyproject.toml": "[project.scripts]\ntoy = 'croupier.high.start:main'\n",
    "CHANGELOG.md": "The gizmo was here.\n",
    "README.md": "A gizmo that comes to a sudden rest. The box is full and the pile whirrs.\n",
    "docs/vocabulary.md": VOCABULARY,
    "src/croupier/__init__.py": "",
    "src/croupier/high/__init__.py": "",
    "src/croupier/high/start.py": "from croupier.high import part\nfrom ..low.one import one\n\ndef main():\n    ...\n",
    "src/croupier/high/part.py": "import croupier.low.one\nimport croupier.low.pile\n" + REPEATED,
    "src/croupier/low/__init__.py": "",
    "src/croupier/low/one.py": "def one():\n    pass  # gizmo\n",
    "src/croupier/low/pile.py": "class Box:\n    def turn(self, whirr_at):\n        pass\n" + REPEATED,
    "src/croupier/server/static/page.js": 'import { draw } from "./draw.js";\nconst gizmoOf = () => 1;\n',
    "src/croupier/server/static/draw.js": "export function draw() {}\n",
    "tests/test_toy.py": "def test_one():\n    box = 'boxes'\n",
}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A small tree."""
    for name, text in TREE.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    return tmp_path


def _run(tree: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(SCRIPT), "--root", str(tree), *options]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture
def counts(tree: Path) -> Any:  # noqa: ANN401  It is JSON.
    """The counts of the small tree."""
    return json.loads(_run(tree, "--json").stdout)


def test_modules_are_measured(counts: Any) -> None:  # noqa: ANN401
    """Modules, lines, functions, the median and the largest module are those of the tree."""
    assert counts["python"] == {
        "modules": 7,
        "packages": 3,
        "lines": 24,
        "functions": 3,
        "median": 2,
        "largest": {"module": "low/pile.py", "lines": 9},
    }
    assert counts["es"]["modules"] == 2
    assert counts["es"]["functions"] == 2
    assert counts["tests"] == {"files": 1, "lines": 2, "per_source_line": 0.07}


def test_imports_between_packages_are_counted(counts: Any) -> None:  # noqa: ANN401
    """An import of another package's module is one edge, absolute or relative; those inside a package are none."""
    assert counts["packages"]["high"]["imports"] == {"low": 3}
    assert counts["packages"]["low"]["imports"] == {}


def test_modules_with_one_importer_are_named(counts: Any) -> None:  # noqa: ANN401
    """A module with one importer is named with it; one with two, or that a command starts, is not."""
    assert counts["one_importer"] == {
        "high/part.py": {"importer": "croupier.high.start", "accepted": None},
        "low/pile.py": {"importer": "croupier.high.part", "accepted": None},
    }
    assert counts["one_importer_es"] == {"draw.js": "page.js"}


def test_repeated_block_is_named_with_both_places(counts: Any) -> None:  # noqa: ANN401
    """Six equal lines in two modules are two blocks, and the largest is named with both places."""
    assert counts["repeated"]["src"] == {
        "blocks": 2,
        "lines": 12,
        "largest": {"lines": 6, "places": ["src/croupier/high/part.py:3", "src/croupier/low/pile.py:4"]},
    }
    assert counts["repeated"]["tests"] == {"blocks": 0, "lines": 0, "largest": None}


def test_words_are_counted_where_their_row_says(counts: Any) -> None:  # noqa: ANN401
    """A word counts in the form that its row names, not in the changelog, and not where it stays."""
    assert counts["words"]["source"] == {
        "gizmo": ["src/croupier/server/static/page.js:2"],
        "pile": ["src/croupier/low/pile.py:1"],
        "box": ["src/croupier/low/pile.py:1"],
        "whirr": ["src/croupier/low/pile.py:2"],
    }
    assert counts["words"]["docs"] == {"gizmo": ["README.md:1"], "comes to … rest": ["README.md:1"]}
    assert counts["words"]["tests"] == {}


def test_check_fails_on_what_is_left(tree: Path) -> None:
    """The check names each module with one importer and each word, and passes when none is left."""
    found = _run(tree, "--check")

    assert found.returncode == 1
    assert len(found.stdout.splitlines()) == 2 + 6
    (tree / "docs" / "vocabulary.md").write_text("", "utf-8")
    (tree / "src/croupier/high/start.py").write_text("import croupier.low.pile\nimport croupier.low.one\n", "utf-8")
    (tree / "src/croupier/high/other.py").write_text("import croupier.high.part\n", "utf-8")
    (tree / "src/croupier/low/__init__.py").write_text("import croupier.high.part, croupier.high.other\n", "utf-8")
    (tree / "src/croupier/__init__.py").write_text("import croupier.high.other\n", "utf-8")
    assert _run(tree, "--check").returncode == 0


def test_check_of_one_kind_names_nothing_else(tree: Path) -> None:
    """Imports and words can be checked apart."""
    imports, words = _run(tree, "--check", "imports"), _run(tree, "--check", "words")

    assert (imports.returncode, len(imports.stdout.splitlines())) == (1, 2)
    assert (words.returncode, len(words.stdout.splitlines())) == (1, 6)


def test_command_that_is_loaded_by_name_is_an_entry_point(tree: Path) -> None:
    """A module that the command line loads by name is started from outside, so one importer beside is no fault."""
    (tree / "src/croupier/cli").mkdir()
    (tree / "src/croupier/cli/main.py").write_text('_COMMANDS = {\n    "toys": "toys:list_toys",\n}\n', "utf-8")
    (tree / "src/croupier/cli/toys.py").write_text("", "utf-8")
    (tree / "src/croupier/low/one.py").write_text("import croupier.cli.toys\n", "utf-8")

    assert "cli/toys.py" not in _run(tree, "--check", "imports").stdout
    (tree / "src/croupier/cli/main.py").write_text("", "utf-8")
    assert "cli/toys.py" in _run(tree, "--check", "imports").stdout


def test_subject_of_the_house_is_registered(tree: Path) -> None:
    """A module that only the package of the house imports is a subject; for any other importer it is a fault."""
    (tree / "src/croupier/house").mkdir()
    (tree / "src/croupier/house/__init__.py").write_text("import croupier.house.toys\n", "utf-8")
    (tree / "src/croupier/house/toys.py").write_text("", "utf-8")

    assert "house/toys.py" not in _run(tree, "--check", "imports").stdout
    (tree / "src/croupier/house/__init__.py").rename(tree / "src/croupier/house/joins.py")
    assert "house/toys.py" in _run(tree, "--check", "imports").stdout


def test_modules_of_the_project_with_one_importer_are_accepted() -> None:
    """Each module of this project with one importer is accepted for a reason, and at most ten are."""
    done = _run(SCRIPT.parent.parent, "--check", "imports")

    assert (done.returncode, done.stdout) == (0, "Nothing found.\n")


def test_project_itself_uses_no_discouraged_word() -> None:
    """No discouraged word is left in the sources, the scripts, the docs and the commands' help of this project."""
    done = _run(SCRIPT.parent.parent)
    left = dict(re.findall(r"^    (\w+): (\d+)$", done.stdout, flags=re.MULTILINE))

    assert (done.returncode, done.stderr) == (0, "")
    assert left == {"tests": left["tests"], **dict.fromkeys(("source", "benchmarks", "scripts", "docs", "output"), "0")}
