"""The scripts: they make their environment from Python alone, or say what is missing and how to get it."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
#: What the scripts may count on: a shell and the system's basic programs.
BASICS = ("bash", "cat", "cksum", "dirname", "rm", "env")


class Machine:
    """A small machine: a folder of programs that is the whole PATH, and a copy of the project's scripts."""

    FILES = ("requirements.lock", "requirements-build.lock", "requirements-test.lock", "pyproject.toml")

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

    def run(self, script: str, *arguments: str) -> tuple[int, str]:
        done = subprocess.run(
            [self.programs / "bash", self.project / "scripts" / script, *arguments],
            env={"PATH": str(self.programs), "LANG": "C"},
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, done.stderr

    def hold(self, python: str) -> None:
        """Put an environment into the project that holds all it should, its Python being a script."""
        binaries = self.project / ".venv" / "bin"
        binaries.mkdir(parents=True)
        self.add("python-of-venv", python)
        shutil.copy(self.programs / "python-of-venv", binaries / "python")
        files = b"".join((self.project / name).read_bytes() for name in self.FILES)
        state = subprocess.run([self.programs / "cksum"], input=files, capture_output=True, check=True).stdout.decode()
        (self.project / ".venv" / "holds-requirements.lock").write_text(f"{state.strip()} {self.project}")


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


#: A Python as Debian splits it: new enough, without the package that makes environments until apt-get brings it.
#: Making one is where these tests end.
BARE_PYTHON = f"""\
case "$*" in
  *ensurepip*) [ -e "${{0%/*}}/has-venv" ] ;;
  "-I -m venv"*) echo "making an environment" >&2; exit 7 ;;
  *) exec {sys.executable} "$@" ;;
esac"""


@pytest.mark.parametrize("script", ["run", "test", "night"])
def test_machine_without_python_gets_a_message(machine: Machine, script: str) -> None:
    """Without a Python the scripts exit 3 and name the command that gets one."""
    code, said = machine.run(script)

    assert code == 3
    assert "Croupier needs Python 3.11 or newer" in said
    assert "sudo apt-get install python3" in said


def test_old_python_is_not_enough(machine: Machine) -> None:
    """A Python older than 3.11 is as good as none."""
    machine.add("python3", 'case "$*" in *version_info*) exit 1 ;; esac')

    assert machine.run("run")[0] == 3


def test_user_who_may_not_install_gets_a_message(machine: Machine) -> None:
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


def test_locks_of_the_package_manager_are_waited_for(machine: Machine) -> None:
    """A lock of dpkg is waited for by apt-get itself, and one of the package lists by trying again."""
    machine.add("python3.11", BARE_PYTHON)
    machine.add("id", "echo 0")
    machine.add("sleep", f'echo "$1" >>"{machine.programs}/slept"')
    machine.add(
        "apt-get",
        f"""\
cd "{machine.programs}"
echo "$*" >>asked
case "$*" in
  *Lock::Timeout=300*" update")
    [ -e slept ] || {{ echo "E: Could not get lock /var/lib/apt/lists/lock" >&2; exit 100; }}
    : >updated ;;
  *Lock::Timeout=300*" install "*) [ -e updated ] || exit 100; : >has-venv ;;
esac""",
    )
    code, _ = machine.run("run")

    requested = (machine.programs / "asked").read_text().splitlines()
    assert code == 7
    assert [line.split()[3] for line in requested] == ["install", "update", "update", "install"]
    assert all("-o DPkg::Lock::Timeout=300" in line for line in requested)


def test_update_that_fails_otherwise_is_not_tried_again(machine: Machine) -> None:
    """Where the package lists cannot be fetched at all, the scripts say at once what is missing."""
    machine.add("python3.11", BARE_PYTHON)
    machine.add("id", "echo 0")
    machine.add("sleep", "exit 1")
    machine.add("apt-get", f'echo "$*" >>"{machine.programs}/asked"; echo "E: no network" >&2; exit 100')
    code, said = machine.run("run")

    assert code == 3
    assert "By hand: apt-get install python3.11-venv" in said
    assert len((machine.programs / "asked").read_text().splitlines()) == 2


TELLING_PYTHON = '[ "$2" = -c ] || echo "asked for $*, in $PWD" >&2'


def test_nothing_is_done_twice(machine: Machine) -> None:
    """Where the environment already holds what the lock lists, nothing is installed again, and we stay where we are."""
    machine.hold(TELLING_PYTHON)

    assert machine.run("run") == (0, f"asked for -P -m croupier demo, in {Path.cwd()}\n")


def test_own_venue_is_opened_without_simulated_players(
    machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where there is a configuration, the venue that it describes is opened as it is; what is asked for is run."""
    machine.hold(TELLING_PYTHON)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "croupier.toml").touch()

    assert machine.run("run") == (0, f"asked for -P -m croupier serve, in {tmp_path}\n")
    assert machine.run("run", "odds", "--json") == (0, f"asked for -P -m croupier odds --json, in {tmp_path}\n")


def test_copied_environment_is_made_to_fit(machine: Machine) -> None:
    """An environment that was copied along with the project is installed into anew: it still points elsewhere."""
    machine.hold(TELLING_PYTHON)
    machine.project.rename(machine.project.with_name("copy"))
    machine.project = machine.project.with_name("copy")
    code, said = machine.run("run")

    assert code == 0
    assert "pip install" in said


def test_environment_half_made_is_made_anew(machine: Machine) -> None:
    """An environment without pip, as an interruption leaves it, is thrown away and made again."""
    machine.hold("exit 1")
    machine.add("python3.11", BARE_PYTHON)
    (machine.programs / "has-venv").touch()
    code, said = machine.run("run")

    assert (code, said) == (7, "Making the environment in .venv …\nmaking an environment\n")
    assert not (machine.project / ".venv").exists()


def test_index_out_of_reach_is_reported(machine: Machine) -> None:
    """Where pip cannot install, the scripts say so plainly and exit 3."""
    machine.hold('[ "$2" = -c ] || exit 1')
    (machine.project / ".venv" / "holds-requirements.lock").unlink()
    code, said = machine.run("run")

    assert code == 3
    assert "Is the package index within reach?" in said
