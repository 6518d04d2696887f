"""The pages' modules import each other one way only, without cycles, and a module that says it is pure is."""

import re
from pathlib import Path

import pytest

from tests.support.modules import IMPORT, MODULES, code_of, imports_of, is_pure, name_of, opening_of, reached_from

pytestmark = pytest.mark.untraced

#: What each folder may import from besides itself.
BELOW = {
    "terminal": {"felt", "racetrack", "wheel", "shared"},
    # One page each, on what the consoles of staff share.
    **{page: {"console", "felt", "shared"} for page in ("dealer", "pit", "cashier", "auditor")},
    # The console of a live table is a dealer's with chips; the notice draws the felt.
    "live_table": {"console", "dealer", "felt", "shared"},
    "notice": {"console", "felt", "shared"},
    # It draws the chips of players.
    "trainer": {"felt", "shared"},
    "lobby": {"wheel", "shared"},
    "board": {"felt", "shared", "wheel"},
    "console": {"felt", "shared"},
    "felt": {"shared"},
    # The chips on the track are those of the felt.
    "racetrack": {"felt", "shared"},
    "wheel": {"shared"},
    "shared": set[str](),
}
#: Everything of a browser that a pure module has no use for. Numbers and plurals have a grammar that is handed in.
WORLD = re.compile(
    r"\b(document|window|globalThis|navigator|location|localStorage|sessionStorage|fetch|WebSocket|Date|performance"
    r"|setTimeout|setInterval|requestAnimationFrame|matchMedia|console)\b(?=[.(\[])|\bMath\.random\b|\bimport\("
)


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_module_says_what_it_is(path: Path) -> None:
    """Every module opens with a sentence that says what it is."""
    assert re.match(r"// [A-Z].*\.", opening_of(path))


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_module_imports_only_from_below(path: Path) -> None:
    """A screen imports the felt, racetrack and wheel, those import what is shared, and nothing imports upwards."""
    folder = name_of(path).split("/")[0]

    assert {name_of(one).split("/")[0] for one in imports_of(path)} <= BELOW[folder] | {folder}
    assert {one for one in imports_of(path) if not one.is_file()} == set()


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_module_imports_in_the_one_way_that_gets_a_version(path: Path) -> None:
    """Every import is one line with a relative address, as only those are given the version of all files."""
    code = code_of(path)

    assert len(IMPORT.findall(code)) == len(re.findall(r'\bfrom "|^import "', code, flags=re.MULTILINE))
    assert all(re.fullmatch(r"\.{1,2}/[\w/.-]+\.js", address) for address in IMPORT.findall(code))
    assert re.search(r'^export default|\bimport\((?!"\./[\w/.-]+\.js"\))', code, flags=re.MULTILINE) is None


@pytest.mark.parametrize("path", [path for path in MODULES if is_pure(path)], ids=name_of)
def test_pure_module_is_pure(path: Path) -> None:
    """A pure module imports pure ones only, and knows no page, no clock, no line and no chance."""
    assert {one for one in imports_of(path) if not is_pure(one)} == set()
    assert WORLD.findall(code_of(path)) == []


def test_no_module_imports_itself_through_another() -> None:
    """The imports of the modules form no cycle."""
    assert [name_of(path) for path in MODULES if any(path in reached_from(one) for one in imports_of(path))] == []
