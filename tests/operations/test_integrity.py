"""The software verified: what was installed, byte by byte, and nothing besides."""

import base64
import hashlib
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from croupier.cli.main import run
from croupier.engine.storage import build_id
from croupier.operations.control import ChangedFile, IntegrityFailed, IntegrityUnknown, IntegrityVerified, Verdict
from croupier.operations.integrity import package_digest, verify
from tests.conftest import Ask

ROOT = Path(__file__).parents[2]


class Place:
    """A folder into which distributions are installed by hand, as an installer does it."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def install(self, name: str, files: Mapping[str, str], requires: tuple[str, ...] = ()) -> None:
        about = f"{name.replace('-', '_')}-1.0.dist-info"
        metadata = "\n".join(
            ("Metadata-Version: 2.1", f"Name: {name}", "Version: 1.0", *map(_required_name, requires), "")
        )
        contents = {**files, f"{about}/METADATA": metadata}
        lines = [f"{each},{_digest(text.encode())},{len(text)}" for each, text in contents.items()]
        contents[f"{about}/RECORD"] = "\n".join(
            (*lines, f"{about}/RECORD,,", f"{name}/__pycache__/a.cpython-311.pyc,,")
        )
        for each, text in contents.items():
            self.write(each, text)

    def write(self, name: str, text: str = "") -> None:
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def verdict(self) -> Verdict:
        return verify(self.path / "croupier", [str(self.path)])


def _required_name(requirement: str) -> str:
    return f"Requires-Dist: {requirement}"


def _digest(content: bytes, kind: str = "sha256") -> str:
    digest = base64.urlsafe_b64encode(hashlib.new(kind, content).digest()).rstrip(b"=").decode()
    return f"{kind}={digest}"


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """A small software that needs one thing, which needs another."""
    place = Place(tmp_path / "site")
    place.install(
        "croupier", {"croupier/__init__.py": "", "croupier/deep/wheel.py": "pockets = 38"}, ("Ivory.Ball>=1",)
    )
    place.install("ivory-ball", {"ivory/__init__.py": "", "alone.py": ""}, ("felt; python_version > '3'",))
    place.install("felt", {"felt/__init__.py": "green = True"})
    return place


# what is held


def test_what_was_installed_is_verified(place: Place) -> None:
    """All files of all that is needed, however far down, are held against their records and counted."""
    assert place.verdict() == IntegrityVerified(distributions=3, files=8)


@pytest.mark.parametrize(
    ("file", "distribution"),
    [
        ("croupier/deep/wheel.py", "croupier"),
        ("croupier-1.0.dist-info/METADATA", "croupier"),
        ("alone.py", "ivory-ball"),
        ("felt/__init__.py", "felt"),
    ],
)
def test_file_that_was_changed_is_named(place: Place, file: str, distribution: str) -> None:
    """A file with another byte is named, and so is one that is gone."""
    with place.path.joinpath(file).open("a") as opened:
        opened.write("\n")
    assert place.verdict() == IntegrityFailed((ChangedFile("changed", file, distribution),))

    if not file.endswith("METADATA"):
        place.path.joinpath(file).unlink()
        assert place.verdict() == IntegrityFailed((ChangedFile("missing", file, distribution),))


def test_drivers_of_other_packages_are_verified(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package with a driver counts as the software does: a changed file of it, or of what it needs, is named."""
    points = "[croupier.wheels]\npipe = pipewheel:PipeWheel\n"
    about = "pipewheel-1.0.dist-info/entry_points.txt"
    place.install("pipewheel", {"pipewheel.py": "", about: points}, ("gears",))
    place.install("gears", {"gears/__init__.py": ""})
    place.install("other", {"other.py": "", "other-1.0.dist-info/entry_points.txt": "[console_scripts]\no = other:o\n"})
    assert place.verdict() == IntegrityVerified(distributions=5, files=13)
    monkeypatch.syspath_prepend(str(place.path))
    installed = package_digest("pipewheel")
    assert len(installed) == 64
    place.path.joinpath("pipewheel.py").write_text("changed = True")
    assert place.verdict() == IntegrityFailed((ChangedFile("changed", "pipewheel.py", "pipewheel"),))
    changed = package_digest("pipewheel")
    place.path.joinpath("pipewheel.py").unlink()
    assert len({installed, changed, package_digest("pipewheel")}) == 3
    place.path.joinpath("pipewheel-1.0.dist-info", "RECORD").unlink()
    place.path.joinpath("pipewheel.py").write_text("")
    assert isinstance(place.verdict(), IntegrityUnknown)
    assert (package_digest("pipewheel"), package_digest("no-package")) == ("", "")


@pytest.mark.parametrize(
    ("file", "distribution"),
    [
        ("croupier/more.py", "croupier"),
        ("croupier/deep/more.toml", "croupier"),
        ("croupier/deep/wheel.pyc", "croupier"),
        ("croupier/__pycache__/wheel.py", "croupier"),
        ("felt/deep/er/more.py", "felt"),
    ],
)
def test_file_that_was_added_is_named(place: Place, file: str, distribution: str) -> None:
    """A file that no record lists is named: among them code that Python would run without its source."""
    place.write(file)

    assert place.verdict() == IntegrityFailed((ChangedFile("added", file, distribution),))


def test_link_that_was_added_is_named(place: Place, tmp_path: Path) -> None:
    """A folder that is linked into the software is named: code could be imported from it."""
    (tmp_path / "elsewhere").mkdir()
    (place.path / "croupier" / "more").symlink_to(tmp_path / "elsewhere")

    assert place.verdict() == IntegrityFailed((ChangedFile("added", "croupier/more", "croupier"),))


@pytest.mark.parametrize("file", ["croupier/__pycache__/wheel.cpython-311.pyc", "stranger.py", "stranger/__init__.py"])
def test_what_python_makes_and_what_is_not_needed_is_passed_over(place: Place, file: str) -> None:
    """What Python keeps for itself, and what lies beside the software, is no part of it."""
    place.write(file)

    assert isinstance(place.verdict(), IntegrityVerified)


@pytest.mark.parametrize("digest", ["", "md5", "sha1", "sha256="])
def test_record_without_a_good_digest_is_none(place: Place, digest: str) -> None:
    """A file whose digest was taken out of the record, or is a weak one, counts as changed."""
    record = place.path / "croupier-1.0.dist-info" / "RECORD"
    content = (place.path / "croupier" / "deep" / "wheel.py").read_bytes()
    other = _digest(content, digest) if digest in ("md5", "sha1") else digest
    record.write_text(record.read_text().replace(_digest(content), other))

    assert place.verdict() == IntegrityFailed((ChangedFile("changed", "croupier/deep/wheel.py", "croupier"),))


@pytest.mark.parametrize("kind", ["sha384", "sha512"])
def test_stronger_digests_are_read(place: Place, kind: str) -> None:
    """A record may have longer digests."""
    record = place.path / "croupier-1.0.dist-info" / "RECORD"
    content = (place.path / "croupier" / "deep" / "wheel.py").read_bytes()
    record.write_text(record.read_text().replace(_digest(content), _digest(content, kind)))

    assert isinstance(place.verdict(), IntegrityVerified)


# what is needed


@pytest.mark.parametrize(
    ("requirement", "missed"),
    [
        ("dice", True),
        ("dice>=1", True),
        ("dice[loaded]<2", True),
        ("dice; sys_platform == 'win32'", False),
        ("dice ; extra == 'games'", False),
        ("dice; extra=='games'", False),
    ],
)
def test_what_is_needed_and_not_there_is_named(place: Place, requirement: str, *, missed: bool) -> None:
    """What is needed must be there; what is needed elsewhere, or by those who ask for more, need not."""
    place.install("croupier", {"croupier/__init__.py": "", "croupier/deep/wheel.py": ""}, ("felt", requirement))

    missing = IntegrityFailed((ChangedFile("missing", "RECORD", "dice"),))
    assert place.verdict() == (missing if missed else IntegrityVerified(distributions=2, files=5))


def test_those_who_need_each_other_are_held_once(place: Place) -> None:
    """Two that need each other are both held, and once."""
    place.install("felt", {"felt/__init__.py": ""}, ("croupier", "ivory_ball", "felt"))

    assert place.verdict() == IntegrityVerified(distributions=3, files=8)


# where there is no record to verify it with


def test_source_checkout_is_unverified(ask: Ask, capsys: pytest.CaptureFixture[str]) -> None:
    """Where the software runs from its sources there is no record: that is said, and it is no failure."""
    code, answer = ask("verify")

    assert (code, answer["verdict"], answer["software"]) == (3, "unverified", build_id())
    assert "a source checkout has no record" in answer["why"]
    assert run(["verify"]) == 3
    assert capsys.readouterr().out.startswith("Unverified: it runs from ")


def test_software_that_is_not_installed_is_unverified(tmp_path: Path) -> None:
    """Where nothing is installed, or the record is gone, there is no record to verify it with."""
    place = Place(tmp_path)
    assert place.verdict() == IntegrityUnknown("it is not installed, so there is no record to verify it against")
    place.install("croupier", {"croupier/__init__.py": ""})
    (tmp_path / "croupier-1.0.dist-info" / "RECORD").unlink()
    assert isinstance(place.verdict(), IntegrityUnknown)


def test_installation_elsewhere_vouches_for_nothing(place: Place, tmp_path: Path) -> None:
    """A record of other files than those that run is no record of them."""
    found = verify(tmp_path / "croupier", [str(place.path)])

    assert isinstance(found, IntegrityUnknown)
    assert f"it runs from {tmp_path / 'croupier'}, which is not what is installed" in found.why


def test_what_has_no_record_is_named(place: Place) -> None:
    """Where one thing of all that is needed has no record, that is said; a file that differs is said first."""
    (place.path / "felt-1.0.dist-info" / "RECORD").unlink()
    assert place.verdict() == IntegrityUnknown("there is no record of felt")
    place.write("croupier/deep/wheel.py", "pockets = 37")
    assert place.verdict() == IntegrityFailed((ChangedFile("changed", "croupier/deep/wheel.py", "croupier"),))


def test_python_that_asserts_nothing_is_unverified(place: Place) -> None:
    """Under -O what the software asserts is left out: that is not the software that was tested."""
    found = verify(place.path / "croupier", [str(place.path)], optimised=1)

    assert isinstance(found, IntegrityUnknown)
    assert found.why.startswith("Python runs with -O, which removes assertions")


# the real thing


@pytest.mark.untraced
def test_wheel_is_verified_where_it_is_installed(tmp_path: Path) -> None:
    """Built, installed and run from there, the software is verified; with one byte flipped it names the file."""
    build = "import sys; from hatchling.build import build_wheel; print(build_wheel(sys.argv[1]))"
    _output(sys.executable, "-c", build, str(tmp_path))
    (wheel,) = tmp_path.glob("croupier-*.whl")
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--no-deps", "--no-index")
    _output(
        *pip, "--no-compile", "--no-warn-script-location", "--ignore-installed", "--prefix", str(tmp_path), str(wheel)
    )
    site = tmp_path / "lib" / f"python3.{sys.version_info.minor}" / "site-packages"
    found = verify(site / "croupier", [str(site), *sys.path])

    assert isinstance(found, IntegrityVerified)
    assert found.distributions > 10
    money = site / "croupier" / "rules" / "money.py"
    content = money.read_bytes()
    money.write_bytes(bytes([content[0] ^ 1]) + content[1:])
    found = verify(site / "croupier", [str(site), *sys.path])
    assert found == IntegrityFailed((ChangedFile("changed", "croupier/rules/money.py", "croupier"),))


def _output(*command: str) -> str:
    # What builds and installs is others' code, which nobody measures here.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("COV")}
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout
