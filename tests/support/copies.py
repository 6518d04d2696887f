"""Copies of the venues' folders, changed in one place to see what is said of it."""

import shutil
from importlib.resources import files
from pathlib import Path

from croupier.rulebooks.loader import read_folder
from croupier.rulebooks.schema import Problem
from croupier.rules.rulebook import Rulebook

KINDS = "kinds.toml"
SHIPPED = Path(str(files("croupier.rulebooks")))
RULEBOOK, CLAUSES, WHEELS, LAYOUTS, TESTS = "rulebook.toml", "clauses.toml", "wheels.toml", "layouts.toml", "tests.toml"
ADELAIDE, CLEARWATER = "skycity-adelaide-2003", "clearwater-etg"
MARINA, US = "marina-bay-sands-2020", "us-double-zero"

#: A change to a file: its name, the words to be found in it, and what to put in their place.
Edit = tuple[str, str, str]


def copied(into: Path, rulebook_id: str, *edits: Edit) -> Path:
    """Copy a venue's folder and change it; wheels and layouts are copied beside it where they are to be changed."""
    folder = into / rulebook_id
    shutil.copytree(SHIPPED / rulebook_id, folder)
    for file, old, new in edits:
        path = folder / file
        if not path.exists():
            shutil.copy(SHIPPED / file, path)
        text = path.read_text("utf-8")
        assert old in text
        path.write_text(text.replace(old, new, 1), "utf-8")
    return folder


def complaints(folder: Path) -> tuple[Problem, ...]:
    """Read a folder that must not make a rulebook."""
    answer = read_folder(folder)
    assert not isinstance(answer, Rulebook)
    return answer


def loaded(folder: Path) -> Rulebook:
    """Read a folder that must make a rulebook."""
    rulebook = read_folder(folder)
    assert isinstance(rulebook, Rulebook)
    return rulebook
