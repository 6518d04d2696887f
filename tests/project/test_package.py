"""The package: built, installed elsewhere and started as its user would."""

import json
import os
import re
import signal
import subprocess
import sys
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest

from croupier.rulebooks.loader import is_own, rulebook_ids

pytestmark = pytest.mark.untraced

ROOT = Path(__file__).parents[2]
RULEBOOKS = ROOT / "src" / "croupier" / "rulebooks"


def output(*command: str | Path, **environment: str) -> str:
    """Run a command that must succeed and give what it printed."""
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=ROOT, env={**os.environ, **environment}
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project built into a wheel."""
    folder = tmp_path_factory.mktemp("dist")
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel", "--quiet", "--no-deps")
    output(*pip, "--no-build-isolation", "--wheel-dir", folder, ROOT)
    return next(folder.glob("croupier-*.whl"))


def test_wheel_holds_the_rulebooks(wheel: Path) -> None:
    """The wheel carries every rulebook with its clauses, tests and rounds, and runs on any platform."""
    names = zipfile.ZipFile(wheel).namelist()

    assert wheel.name.endswith("-py3-none-any.whl")
    # The font of the pages is made with the wheel.
    assert len([name for name in names if name.startswith("croupier/server/manrope-")]) == 1
    assert {name.split("/")[0] for name in names} == {"croupier", f"{wheel.name.split('-py3')[0]}.dist-info"}
    for rulebook in rulebook_ids():
        held = [name for name in names if name.startswith(f"croupier/rulebooks/{rulebook}/")]
        extends = "extends" in tomllib.loads((RULEBOOKS / rulebook / "rulebook.toml").read_text("utf-8"))
        # One that extends another has its clauses too.
        assert {Path(name).name for name in held} >= {"rulebook.toml"} | (set() if extends else {"clauses.toml"})
        assert is_own(rulebook) or f"croupier/rulebooks/{rulebook}/tests.toml" in held
        assert any(name.endswith(".round") for name in held)


def test_source_distribution_is_whole(tmp_path: Path) -> None:
    """The source distribution carries what its scripts read: the locks, the types' configuration, and its papers."""
    output(sys.executable, "-m", "hatchling", "build", "--target", "sdist", "--directory", tmp_path)
    listed = output("tar", "--list", "--file", next(tmp_path.glob("croupier-*.tar.gz")))
    names = {name.partition("/")[2] for name in listed.splitlines()}

    assert names >= {
        "deno.json", "requirements.lock", "requirements-extras.lock", "requirements-build.lock",
        "requirements-test.lock",
        "scripts/environment.sh", "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "LICENSE",
        "pyproject.toml", ".ci/run",
    }  # fmt: skip


def test_wheel_says_where_it_runs(wheel: Path) -> None:
    """The metadata names the system and the Pythons that it is made for, and that it is typed."""
    storage = zipfile.ZipFile(wheel)
    metadata = next(name for name in storage.namelist() if name.endswith(".dist-info/METADATA"))
    classifiers = set(re.findall(r"^Classifier: (.+)$", storage.read(metadata).decode(), flags=re.MULTILINE))

    assert "croupier/py.typed" in storage.namelist()
    assert classifiers >= {
        "Operating System :: POSIX :: Linux",
        "Typing :: Typed",
        *(f"Programming Language :: Python :: 3.{minor}" for minor in (11, 12, 13)),
    }


def test_wheel_runs_where_it_is_installed(wheel: Path, tmp_path: Path) -> None:
    """Installed in an environment of its own, away from the source, the command answers."""
    venv.create(tmp_path, with_pip=False, symlinks=True)
    python = tmp_path / "bin" / "python"
    site = Path(output(python, "-c", "import site; print(site.getsitepackages()[0])").strip())
    zipfile.ZipFile(wheel).extractall(site)
    # What it depends on is taken from the environment that tests it; the project itself is not.
    dependencies = next(path for path in sys.path if path.endswith("site-packages"))
    answer = output(
        python, "-P", "-m", "croupier", "settle", "us-double-zero", "--result", "17", "4 on 17", "--json",
        PYTHONPATH=dependencies,
    )  # fmt: skip
    where = output(python, "-P", "-c", "import croupier; print(croupier.__file__)", PYTHONPATH=dependencies)

    assert json.loads(answer)["returned"] == 14_400
    assert where.startswith(str(site))


def test_command_is_installed() -> None:
    """The command croupier is there beside Python, and tells its version."""
    assert output(Path(sys.executable).parent / "croupier", "--version").startswith("croupier, version ")


def test_full_disk_is_reported() -> None:
    """An answer that cannot be written ends with a word about it, and not with success."""
    for command in ("clauses --json", "rulebooks --json", "rulebooks"):
        with Path("/dev/full").open("w") as full:
            done = subprocess.run(
                [sys.executable, "-m", "croupier", *command.split()],
                stdout=full,
                stderr=subprocess.PIPE,
                text=True,
                check=False,
            )
        assert (done.returncode, done.stderr) == (1, "Cannot write the output: No space left on device.\n")


def test_plain_terminal_is_answered() -> None:
    """A terminal that knows no letters beyond ASCII is answered all the same."""
    assert "161 spots" in output(sys.executable, "-m", "croupier", "felt", "us-double-zero", PYTHONIOENCODING="ascii")


def test_reader_may_stop_reading() -> None:
    """A program that reads us and stops ends us as it ends others: by the signal, without a word."""
    for buffering in ("", "1"):
        reader, writer = os.pipe()
        os.close(reader)
        done = subprocess.run(
            [sys.executable, "-m", "croupier", "clauses", "--json"],
            stdout=writer, stderr=subprocess.PIPE, check=False, env={**os.environ, "PYTHONUNBUFFERED": buffering},
        )  # fmt: skip
        os.close(writer)
        assert (done.returncode, done.stderr) == (-signal.SIGPIPE, b"")
