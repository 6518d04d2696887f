"""Launchers: no file of the project that starts Python lets it import modules of the current directory."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from benchmarks.machine import BenchmarkError, Cores, running

from tests.project.test_scripts import Machine

pytestmark = pytest.mark.untraced

ROOT = Path(__file__).parents[2]
#: Modules that a start of Croupier imports, or that Python itself imports at its start.
TAKEN = (
    "click",
    "croupier",
    "sitecustomize",
    "usercustomize",
    "uvloop",
    "json",
    "pip",
    "venv",
    "ensurepip",
    "benchmarks",
)
#: A module of somebody else leaves a trace, and is then in the way.
HOSTILE = "import pathlib\npathlib.Path(__file__).with_name('ran').touch()\nraise SystemExit(99)\n"


class HostileDirectory:
    """A directory of somebody else, with modules and a plug-in under the names that Croupier looks for."""

    def __init__(self, folder: Path) -> None:
        self.path = folder
        folder.mkdir()
        for name in TAKEN:
            folder.joinpath(f"{name}.py").write_text(HOSTILE, "utf-8")
        plugin = folder / "hostile-1.dist-info"
        plugin.mkdir()
        plugin.joinpath("METADATA").write_text("Metadata-Version: 2.1\nName: hostile\nVersion: 1\n", "utf-8")
        plugin.joinpath("entry_points.txt").write_text("[croupier.wheels]\nhostile = click:main\n", "utf-8")

    @property
    def has_run(self) -> bool:
        return self.path.joinpath("ran").exists()

    def run(self, *command: str | Path, **environment: str) -> "subprocess.CompletedProcess[str]":
        """Run a command in it."""
        done = {**os.environ, **environment}
        return subprocess.run(
            command, cwd=self.path, env=done, capture_output=True, text=True, check=False, timeout=120
        )


@pytest.fixture
def hostile(tmp_path: Path) -> HostileDirectory:
    return HostileDirectory(tmp_path / "hostile")


def test_directory_would_be_imported_from(hostile: HostileDirectory) -> None:
    """Without the option, Python runs the modules of the directory: what the other tests show is not vacuous."""
    done = hostile.run(sys.executable, "-m", "croupier", "--version")

    assert done.returncode == 99
    assert hostile.has_run


def test_package_launcher_ignores_the_directory(hostile: HostileDirectory, tmp_path: Path) -> None:
    """The launcher of the Debian package runs Croupier, whatever modules are in the current directory."""
    reader = shutil.which("dpkg-deb")
    if reader is None:
        pytest.skip("dpkg-deb is not installed")
    script = [str(ROOT / "scripts" / "deb"), "--bare", str(tmp_path)]
    built = subprocess.run(
        script, capture_output=True, text=True, check=True, env={**os.environ, "PYTHON": sys.executable}
    )
    subprocess.run([reader, "--raw-extract", built.stdout.strip(), tmp_path / "root"], check=True)
    installed = tmp_path / "root" / "opt" / "croupier"
    text = installed.joinpath("bin", "croupier").read_text("utf-8")
    launcher = tmp_path / "launcher"
    launcher.write_text(
        text.replace("/opt/croupier/lib", str(installed / "lib")).replace("/usr/bin/python3", sys.executable), "utf-8"
    )
    # Also with a search path that names the current directory, as an empty part of it does.
    for searched in ({}, {"PYTHONPATH": ":"}):
        done = hostile.run("/bin/sh", launcher, "--version", **searched)

        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.startswith("croupier, version ")
        assert not hostile.has_run


def test_run_script_ignores_the_directory(hostile: HostileDirectory, tmp_path: Path) -> None:
    """scripts/run runs a command in the current directory, and imports nothing from it."""
    folder = tmp_path / "machine"
    folder.mkdir()
    machine = Machine(folder)
    machine.hold(f'exec {sys.executable} "$@"')
    done = hostile.run("bash", machine.project / "scripts" / "run", "init", "here.toml")

    assert (done.returncode, done.stderr) == (0, "")
    assert hostile.path.joinpath("here.toml").exists()
    assert not hostile.has_run


def test_environment_is_made_from_the_standard_library(hostile: HostileDirectory, tmp_path: Path) -> None:
    """The scripts look for Python and make their environment without a module of the project's directory."""
    folder = tmp_path / "machine"
    folder.mkdir()
    machine = Machine(folder)
    for file in hostile.path.glob("*.py"):
        shutil.copy(file, machine.project)
    # Nothing is installed: that would need the package index.
    machine.add("python3.11", f'case "$*" in *"-m venv"*) exit 7 ;; *) exec {sys.executable} "$@" ;; esac')
    code, _ = machine.run("run", "--version")

    assert code == 7
    assert not machine.project.joinpath("ran").exists()


def test_installed_command_ignores_the_directory(hostile: HostileDirectory) -> None:
    """The command that pip installs, which the units run, imports nothing from the current directory."""
    done = hostile.run(Path(sys.executable).parent / "croupier", "--version")

    assert done.stdout.startswith("croupier, version ")
    assert not hostile.has_run


def test_bench_command_ignores_the_directory(hostile: HostileDirectory) -> None:
    """`croupier bench` starts the benchmarks of the checkout, not those of the current directory."""
    done = hostile.run(Path(sys.executable).parent / "croupier", "bench", "--help")

    assert done.returncode == 0
    assert "Usage: python -m benchmarks" in done.stdout
    assert not hostile.has_run


def test_server_of_a_benchmark_ignores_its_directory(hostile: HostileDirectory, tmp_path: Path) -> None:
    """A server that a benchmark starts in a directory imports nothing from it."""
    output = tmp_path / "output"
    with (
        pytest.raises(BenchmarkError, match="did not start"),
        running("croupier", "--version", output=output, cores=Cores.here(), folder=hostile.path),
    ):
        pass

    assert output.read_text("utf-8").startswith("croupier, version ")
    assert not hostile.has_run


def test_exported_verifier_ignores_what_lies_beside_it(hostile: HostileDirectory) -> None:
    """The verifier of a bundle, started as its README says, imports nothing that was put beside it."""
    verifier = shutil.copy(ROOT / "src" / "croupier" / "journal" / "verify.py", hostile.path)
    text = (ROOT / "src" / "croupier" / "journal" / "export.py").read_text("utf-8")
    found = re.search(r"^    python (.*)verify\.py", text, flags=re.MULTILINE)
    assert found is not None
    done = hostile.run(sys.executable, *found[1].split(), verifier, "--help")

    assert done.returncode == 0
    assert not hostile.has_run


#: A program that is Python, with the options before what it runs: a module or a text.
_STARTED = re.compile(r"(?:python3?(?:\.\d+)?|\$python|\$name|\"?\$1)\"? ((?:-[A-Za-z]+ )*?)-[mc] ")


@pytest.mark.parametrize(
    "path",
    [
        *sorted(path for path in ROOT.joinpath("scripts").iterdir() if path.is_file() and path.name != "counts"),
        ROOT / ".ci" / "run",
        ROOT / "deploy" / "Containerfile",
        ROOT / "docs" / "operating.md",
    ],
    ids=lambda path: path.name,
)
def test_every_start_of_python_is_isolated(path: Path) -> None:
    """Each script, the container and the page on operating start a module or a text with -I or -P."""
    lines = [line for line in path.read_text("utf-8").splitlines() if not line.lstrip().startswith("#")]
    starts = [(line, found[1].split()) for line in lines for found in _STARTED.finditer(line)]

    assert [line for line, options in starts if not {"-I", "-P"} & set(options)] == []


#: A start of Python by Croupier itself, with its first option.
_STARTS_PYTHON = re.compile(r"""sys\.executable,\s*["']([^"']*)["']""")


def test_croupier_starts_python_isolated() -> None:
    """Each process that Croupier starts by itself, such as that of the snapshots, has -P or -I too."""
    sources = {path: path.read_text("utf-8") for path in ROOT.joinpath("src").rglob("*.py")}
    starts = [(path.name, option) for path, text in sources.items() for option in _STARTS_PYTHON.findall(text)]

    assert ("snapshots.py", "-P") in starts
    assert [start for start in starts if start[1] not in ("-I", "-P")] == []


_UNITS = [
    unit
    for unit in sorted(ROOT.glob("deploy/systemd/*.service"))
    if re.search(r"^ExecStart=\S*/croupier ", unit.read_text("utf-8"), re.MULTILINE)
]


@pytest.mark.parametrize("unit", _UNITS, ids=lambda unit: unit.name)
def test_units_set_the_safe_path(unit: Path) -> None:
    """Each unit that runs Croupier keeps Python from importing modules beside its script."""
    assert "Environment=PYTHONSAFEPATH=1\n" in unit.read_text("utf-8")
