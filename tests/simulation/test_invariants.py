"""The invariants of the simulation: what the code names, what the page lists, and what tests violate agree."""

import re
from pathlib import Path

import pytest

from croupier.engine.sequencer import Sequencer
from croupier.house.ids import Instant
from croupier.simulation import invariants
from croupier.simulation.invariants import INVARIANTS
from croupier.simulation.run import SimulationFailure, simulate

TESTS = Path(__file__).parents[1]
ROOT = TESTS.parent
SIMULATION = ROOT / "src" / "croupier" / "simulation"
PAGE = ROOT / "docs" / "simulation.md"


def _named(path: Path) -> set[str]:
    """Collect the invariants that a module names."""
    return set(re.findall(r'"(I\d+|guard|recovery)"', path.read_text("utf-8")))


def _rows(first: str) -> list[tuple[str, str]]:
    """Read those rows of the page's tables that begin with a certain thing."""
    return re.findall(rf"^\| `({first})` \| (.+) \|$", PAGE.read_text("utf-8"), flags=re.MULTILINE)


def test_page_lists_every_invariant_in_the_same_words() -> None:
    """The page on simulation says of every invariant, in order, what the command line says of it."""
    assert _rows(r"I\d+|guard|recovery") == list(INVARIANTS.items())


def test_page_says_which_module_holds_what() -> None:
    """The page on simulation names every module that reports a violation, with all the names that it uses."""
    modules = [path for path in sorted(SIMULATION.rglob("*.py")) if path != Path(invariants.__file__)]
    held = {path.relative_to(SIMULATION).as_posix(): _named(path) for path in modules}

    assert {module: set(names.split(", ")) for module, names in _rows(r"\S+\.py")} == {
        module: names for module, names in held.items() if names
    }


def test_every_invariant_is_held_and_no_other_is_named() -> None:
    """Every invariant that has a meaning is held by a module, and none is named that has no meaning."""
    assert {name for _, names in _rows(r"\S+\.py") for name in names.split(", ")} == set(INVARIANTS)


def test_every_invariant_is_broken_on_purpose() -> None:
    """For each invariant there is a test in which it is broken and found."""
    sources = [TESTS / "support" / "sabotage.py", *(TESTS / "simulation").glob("test_auditor*.py"), Path(__file__)]

    assert set().union(*map(_named, sources)) >= set(INVARIANTS)


def test_state_that_no_entry_gives_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A house that changes its state without an entry is detected, even where nobody is shown it."""
    look = Sequencer._check_environment  # noqa: SLF001 - any moment would do

    def forgetful(self: Sequencer, now: Instant) -> None:
        look(self, now)
        self.house.setup.copies += 1

    monkeypatch.setattr(Sequencer, "_check_environment", forgetful)
    with pytest.raises(SimulationFailure) as failed:
        simulate(1, crash=False)

    assert failed.value.invariant == "I14"
