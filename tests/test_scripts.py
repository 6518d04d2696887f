"""The scripts: they make their environment from Python alone, or say what is missing and how to get it."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
#: What the scripts may count on: a shell and the system's basic programs.
BASICS = ("bash", "cat", "cksum", "dirname", "rm", "env")


class Machine:
    """A small machine: a folder of programs that is the whole PATH, and a copy of the project's scripts."""

    FILES = ("requirements.lock", "requirements-test.lock", "pyproject.toml")

    def __init__(self, folder: Path) -> None:
        self.programs = folder / "programs"
        self.project = folder / "project"
        self.programs.mkdir()
        shutil.copytree(ROOT / "scripts", self.project / "scripts")
        for name in self.FILES:
            shutil.copy(ROOT / name, self.project)
        for name in BASICS:
            found = shutil.which(name)
            assert found
            (self.programs / name).symlink_to(found)

    def add(self, name: str, script: str) -> None:
        """Put a program on the machine."""
        program = self.programs / name
        program.write_text(f"#!/bin/bash\n{script}\n")
        program.chmod(0o755)

    def run(self, script: str) -> tuple[int, str]:
        done = subprocess.run(
            [self.programs / "bash", self.project / "scripts" / script],
            env={"PATH": str(self.programs), "LANG": "C"},
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, done.stderr


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


#: A Python as Debian splits it: new enough, without the package that makes environments until apt-get brings it.
#: Making one is where these tests end.
BARE_PYTHON = f"""\
case "$*" in
  *ensurepip*) [ -e "${{0%/*}}/has-venv" ] ;;
  "-m venv"*) echo "making an environment" >&2; exit 7 ;;
  *) exec {sys.executable} "$@" ;;
esac"""


@pytest.mark.parametrize("script", ["run", "test", "night"])
def test_machine_without_python_is_told(machine: Machine, script: str) -> None:
    """Without a Python the scripts exit 3 and name the command that gets one."""
    code, said = machine.run(script)

    assert code == 3
    assert "Croupier needs Python 3.11 or newer" in said
    assert "sudo apt-get install python3" in said


def test_old_python_is_not_enough(machine: Machine) -> None:
    """A Python older than 3.11 is as good as none."""
    machine.add("python3", 'case "$*" in *version_info*) exit 1 ;; esac')

    assert machine.run("run")[0] == 3


def test_user_who_may_not_install_is_told(machine: Machine) -> None:
    """Where venv is missing and the user is not root, the scripts exit 3 with the command for somebody who may."""
    machine.add("python3.11", BARE_PYTHON)
    machine.add("id", "echo 1000")
    machine.add("apt-get", "exit 99")
    code, said = machine.run("run")

    assert code == 3
    assert "may not install it" in said
    assert "sudo apt-get install python3.11-venv" in said
    assert not (machine.project / ".venv").exists()


@pytest.mark.parametrize("root", [True, False], ids=["root", "sudo"])
def test_user_who_may_install_is_served(machine: Machine, *, root: bool) -> None:
    """Root, or whoever may become root without being asked, gets venv installed and goes on."""
    machine.add("python3.11", BARE_PYTHON)
    machine.add("id", f"echo {0 if root else 1000}")
    if not root:
        machine.add("sudo", 'shift; [ "$1" = true ] || "$@"')
    machine.add("apt-get", f'case "$*" in *python3.11-venv*) : > "{machine.programs}/has-venv" ;; esac')
    code, said = machine.run("run")

    assert code == 7
    assert "Installing python3.11-venv" in said
    assert said.endswith("making an environment\n")


def test_nothing_is_done_twice(machine: Machine) -> None:
    """Where the environment already holds what the lock lists, nothing is installed again."""
    binaries = machine.project / ".venv" / "bin"
    binaries.mkdir(parents=True)
    (binaries / "python").symlink_to(sys.executable)
    machine.add("croupier", 'echo "asked for $*" >&2')
    shutil.copy(machine.programs / "croupier", binaries)
    files = b"".join((machine.project / name).read_bytes() for name in Machine.FILES)
    state = subprocess.run([machine.programs / "cksum"], input=files, capture_output=True, check=True).stdout
    (machine.project / ".venv" / "holds-requirements.lock").write_bytes(state.strip())

    assert machine.run("run") == (0, "asked for play\n")
