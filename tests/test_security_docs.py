"""The threat model: every test that it names is there, and the way out of picows names every module that uses it."""

import re
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
MODEL: Final = (ROOT / "docs" / "security.md").read_text("utf-8")
EXIT: Final = (ROOT / "docs" / "decisions" / "0014-exit-from-picows.md").read_text("utf-8")
ACTORS: Final = (
    "Player",
    "Cashier",
    "Dealer",
    "Manager",
    "IT",
    "Owner of the database",
    "Another venue",
    "Thief of a disk",
)


def test_every_test_that_shows_a_control_is_there() -> None:
    """A control whose test was renamed or removed is found."""
    named = set(re.findall(r"`(tests/[\w/]+\.py)`", MODEL + EXIT))
    assert len(named) > 30
    assert {name for name in named if not (ROOT / name).is_file()} == set()


def test_every_actor_has_a_section_and_what_is_not_defended() -> None:
    """Each actor of the model has rows, and the model says where it ends."""
    sections = {found[1]: found[2] for found in re.finditer(r"(?ms)^### ([^\n]+)\n(.*?)(?=^##)", MODEL)}
    for actor in ACTORS:
        assert [text for name, text in sections.items() if name.startswith(actor) and "|" in text], actor
    assert MODEL.count("not defended") >= 7


def test_policy_refers_to_the_model() -> None:
    """Who reports a vulnerability finds the model."""
    assert "docs/security.md" in (ROOT / "SECURITY.md").read_text("utf-8")
    assert "security.md" in (ROOT / "docs" / "README.md").read_text("utf-8")


def test_way_out_names_every_module_that_imports_the_libraries() -> None:
    """A module that begins to import picows or aiofastnet is found."""
    source = ROOT / "src" / "croupier"
    for library in ("picows", "aiofastnet"):
        pattern = re.compile(rf"^(?:from|import) {library}\b", re.MULTILINE)
        found = {
            path.relative_to(source).as_posix() for path in source.rglob("*.py") if pattern.search(path.read_text())
        }
        missing = {
            each for each in found if f"`{each}`" not in EXIT and f"`{Path(each).parent.as_posix()}`" not in EXIT
        }
        assert missing == set(), library


def test_audit_of_a_release_reads_every_lock_file() -> None:
    """The script before a release asks about all that is locked, and about Debian's packages."""
    script = (ROOT / "scripts" / "audit").read_text("utf-8")
    assert "for lock in requirements*.lock" in script
    assert "pip_audit" in script
    assert "debsecan" in script
