"""The pages' modules as they are written: what each says of itself, what it imports, and its code without comments."""

import re
from pathlib import Path
from typing import Final

from tests.support.quick import STATIC

MODULES: Final = sorted(STATIC.rglob("*.js"))
#: The one way in which a module imports another.
IMPORT: Final = re.compile(r'^(?:import|export)\b[^;"]*?\bfrom "([^"]+)";$', re.MULTILINE)
_COMMENT: Final = re.compile(r"/\*.*?\*/|^\s*//[^\n]*|\s//\s[^\n]*", re.DOTALL | re.MULTILINE)


def name_of(path: Path) -> str:
    """The path of a module below `static`."""
    return path.resolve().relative_to(STATIC.resolve()).as_posix()


def code_of(path: Path) -> str:
    """A module without its comments."""
    return _COMMENT.sub("", path.read_text("utf-8"))


def opening_of(path: Path) -> str:
    """The comment that a module opens with."""
    lines = path.read_text("utf-8").splitlines()
    return " ".join(lines[: next(place for place, line in enumerate(lines) if not line.startswith("//"))])


def is_pure(path: Path) -> bool:
    """Tell whether a module says that it is pure."""
    return re.search(r"\bPure\b", opening_of(path)) is not None


def imports_of(path: Path) -> set[Path]:
    """The modules that one imports."""
    return {(path.parent / relative).resolve() for relative in IMPORT.findall(code_of(path))}


def reached_from(path: Path) -> set[Path]:
    """A module, all that it imports, and all that those import."""
    found, waiting = set[Path](), {path.resolve()}
    while waiting:
        each = waiting.pop()
        found.add(each)
        waiting |= imports_of(each) - found
    return found
