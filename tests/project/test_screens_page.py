"""The page on the screens names every file of the pages, and none that does not exist."""

import re
from pathlib import Path

import pytest

from tests.support.modules import name_of
from tests.support.quick import STATIC

pytestmark = pytest.mark.untraced

PAGE = Path(__file__).parents[2] / "docs" / "screens.md"
NAMED = re.findall(r"`([\w/-]+\.(?:js|css|json|svg))`", PAGE.read_text("utf-8"))


def test_page_names_exactly_the_files_there_are() -> None:
    """Every file below `static` is on the page, and every file on the page exists."""
    assert set(NAMED) == {name_of(path) for path in STATIC.rglob("*") if path.is_file()}


def test_page_names_each_module_with_one_purpose() -> None:
    """A module stands in one row with what it shows; a script of a page stands in the table of pages too."""
    rows = re.findall(r"^\| [^|`]+ \| `([\w/]+\.js)` \|$", PAGE.read_text("utf-8"), flags=re.MULTILINE)

    assert sorted(rows) == sorted(set(rows))
    assert set(rows) == {name for name in NAMED if name.endswith(".js")}
