"""The tree on the architecture page: one row for each package, with its modules, written from the sources."""

import ast
import sys
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
PACKAGE: Final = ROOT / "src" / "croupier"
PAGE: Final = ROOT / "docs" / "architecture.md"
_BEGIN: Final = "| Package | What it is | Modules |\n|---|---|---|\n"


def table() -> str:
    """Build the rows: a package, the first line of its docstring, and the names of its modules."""
    folders = sorted(path.parent for path in PACKAGE.glob("*/__init__.py"))
    rows = [(folder.name, folder / "__init__.py", _modules(folder)) for folder in folders]
    rows.append(("app", PACKAGE / "app.py", []))
    return _BEGIN + "".join(
        f"| `{name}` | {_first_line(path)} | {' · '.join(modules)} |\n" for name, path, modules in sorted(rows)
    )


def written() -> str:
    """Give the page with the table as it has to be."""
    page = PAGE.read_text("utf-8")
    begin = page.index(_BEGIN)
    end = page.index("\n\n", begin) + 1
    return page[:begin] + table() + page[end:]


def _modules(folder: Path) -> list[str]:
    paths = sorted(path for path in folder.rglob("*.py") if path.name != "__init__.py")
    return [path.relative_to(folder).with_suffix("").as_posix() for path in paths]


def _first_line(path: Path) -> str:
    docstring = ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""
    return docstring.partition("\n")[0]


def main() -> int:
    """Write the page anew with --write; otherwise say whether it is current."""
    text = written()
    if "--write" in sys.argv[1:]:
        PAGE.write_text(text, "utf-8")
    return 0 if PAGE.read_text("utf-8") == text else 1


if __name__ == "__main__":
    sys.exit(main())
