"""The threat model: every test that it names is there, and the way out of picows names every module that uses it."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[2]
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
    "Gateway that was taken over",
    "Broker that was taken over",
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


def test_broker_is_a_trust_boundary_of_its_own() -> None:
    """House and gateways meet at a broker: no boundary is drawn between the two without it."""
    boundaries = MODEL.partition("## Trust boundaries\n")[2].partition("\n## ")[0]
    assert "gateway → broker ← house" in boundaries
    assert "gateway → house (" not in boundaries


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


CLEAN: Final = '{"dependencies": [{"name": "picows", "version": "1", "vulns": []}]}'
SKIPPED: Final = '{"dependencies": [{"name": "picows", "skip_reason": "not found"}]}'
VULNERABLE: Final = (
    '{"dependencies": [{"name": "picows", "version": "1", "vulns": [{"id": "X-1", "fix_versions": ["2"]}]}]}'
)
TRACKER: Final = "echo no name >&2; exit 1"


@pytest.mark.parametrize(
    ("report", "debsecan", "code", "words"),
    [
        (CLEAN, "true", 0, "No known vulnerability."),
        (SKIPPED, "true", 3, "picows was not checked: not found"),
        (SKIPPED, "true", 3, "Not checked: requirements.lock"),
        ("", "true", 3, "Not checked: requirements.lock"),
        (CLEAN, TRACKER, 3, "Not checked: Debian's security tracker"),
        (VULNERABLE, TRACKER, 1, "picows 1: X-1, fixed in 2"),
        (VULNERABLE, "true", 1, "Vulnerable: requirements.lock"),
        (CLEAN, "echo openssl", 1, "Vulnerable: openssl"),
    ],
)
def test_audit_of_a_release_says_what_was_not_checked(
    tmp_path: Path, report: str, debsecan: str, code: int, words: str
) -> None:
    """Where no service of advisories answers, the script says so and exits with 3: only what was checked is clean."""
    for name in ("audit", "environment.sh"):
        tmp_path.joinpath("scripts").mkdir(exist_ok=True)
        shutil.copy(ROOT / "scripts" / name, tmp_path / "scripts" / name)
    tmp_path.joinpath("requirements.lock").touch()
    audits = f"case $* in *pip_audit*) echo No known vulnerabilities found >&2; printf %s '{report}' ;; "
    programs = {
        tmp_path / ".venv-audit" / "bin" / "pip-audit": "true",
        tmp_path / ".venv-audit" / "bin" / "python": f'{audits}*) exec {sys.executable} "$@" ;; esac',
        tmp_path / "bin" / "debsecan": debsecan,
    }
    for path, text in programs.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o700)
    environment = {**os.environ, "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}"}
    done = subprocess.run(
        [tmp_path / "scripts" / "audit"], env=environment, capture_output=True, text=True, check=False
    )
    assert (done.returncode, words in done.stdout) == (code, True), done.stdout + done.stderr
    # What was not asked about is not called clean.
    assert ("No known" in done.stdout + done.stderr) == (code == 0)


def test_audit_of_a_release_reads_every_lock_file() -> None:
    """The script before a release asks about all that is locked, and about Debian's packages."""
    script = (ROOT / "scripts" / "audit").read_text("utf-8")
    assert "for lock in requirements*.lock" in script
    assert "pip_audit" in script
    assert "debsecan" in script
