"""Verification of installed files against their record, and the start-up checks."""

import base64
import csv
import hashlib
import os
import re
import stat
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import Distribution, distributions
from pathlib import Path
from typing import Final, NamedTuple, Self

import croupier
from croupier.config.fields import DRIVERS
from croupier.house.ids import PersonId
from croupier.operations.control import ChangedFile, IntegrityFailed, IntegrityUnknown, IntegrityVerified, Verdict
from croupier.rules.refusal import Code, Refusal

#: The owner of the machine can write every file on it in any case.
_ROOT: Final = 0
_OTHERS_WRITE: Final = stat.S_IWGRP | stat.S_IWOTH
_OTHERS_AT_ALL: Final = stat.S_IRWXG | stat.S_IRWXO


@dataclass(frozen=True, slots=True)
class DirectoryMode:
    """A directory as it was found."""

    path: Path
    owner: int
    mode: int

    @classmethod
    def at(cls, path: Path) -> Self | None:
        """Inspect a directory; None when it does not exist yet: it will be created for its owner only."""
        try:
            found = path.stat()
        except FileNotFoundError:
            return None
        return cls(path, found.st_uid, stat.S_IMODE(found.st_mode))


@dataclass(frozen=True, slots=True, kw_only=True)
class StartupChecks:
    """The findings of the start-up checks."""

    data: DirectoryMode | None
    key_store: DirectoryMode | None
    #: The people whose password is in a configuration file.
    configured: tuple[PersonId, ...] = ()
    demo: bool = False
    user: int
    optimize: int = 0

    @classmethod
    def found(cls, data: Path, key_store: Path, *, configured: tuple[PersonId, ...], demo: bool) -> Self:
        """Inspect the machine and this process."""
        return cls(
            data=DirectoryMode.at(data),
            key_store=DirectoryMode.at(key_store),
            configured=configured,
            demo=demo,
            user=os.geteuid(),
            optimize=sys.flags.optimize,
        )


def startup_problems(premises: StartupChecks) -> list[Refusal]:
    """List everything that prevents a start."""
    return [
        *_process_objections(premises),
        *directory_problems(premises.data, premises.user),
        *key_store_problems(premises.key_store, premises.user),
    ]


def directory_problems(directory: DirectoryMode | None, user: int) -> Iterator[Refusal]:
    """Check that only the owner can change what is in a directory."""
    return _directory_objections(directory, user, shut=_OTHERS_WRITE)


def key_store_problems(key_store: DirectoryMode | None, user: int) -> Iterator[Refusal]:
    """Check that only the owner can read the key store."""
    return _directory_objections(key_store, user, shut=_OTHERS_AT_ALL)


def _process_objections(premises: StartupChecks) -> Iterator[Refusal]:
    if premises.optimize:
        message = "Python runs with -O, which disables assertions: start it without."
        yield Refusal(Code.SETTING_IMPOSSIBLE, None, message, {"optimize": premises.optimize})
    if premises.configured and not premises.demo:
        people = ", ".join(premises.configured)
        message = f"A password in the configuration is allowed in demo mode only: issue a one-time code to {people}."
        yield Refusal(Code.DEFAULT_CREDENTIALS, None, message, {"people": premises.configured})


def _directory_objections(directory: DirectoryMode | None, user: int, *, shut: int) -> Iterator[Refusal]:
    if directory is None:
        return
    facts = {"file": str(directory.path), "mode": f"{directory.mode:o}"}
    if directory.owner not in (user, _ROOT):
        yield Refusal(
            Code.SETTING_IMPOSSIBLE, None, f"{directory.path} belongs to another user of this machine.", facts
        )
    if directory.mode & shut:
        rights = "read or change" if shut == _OTHERS_AT_ALL else "change"
        message = f"Other users of this machine can {rights} what is in {directory.path}: give it mode 700."
        yield Refusal(Code.SETTING_IMPOSSIBLE, None, message, facts)


RECORD: Final = "RECORD"
#: The digests that a record may have; weaker ones do not count.
_DIGESTS: Final = ("sha256", "sha384", "sha512")
#: Files that Python creates by itself, and files that no record can list the digest of.
_CACHE: Final = "__pycache__"
_UNDIGESTED: Final = (RECORD, "RECORD.jws", "RECORD.p7s")
_NAME: Final = re.compile(r"[A-Za-z0-9._-]+")


class RecordedFile(NamedTuple):
    """A file as it was recorded: its name, where it is, and its digest as it is written there."""

    name: str
    path: Path
    digest: str


def name_of(requirement: str) -> str:
    """Find the distribution that a requirement names, by normalised name."""
    found = _NAME.match(requirement)
    assert found is not None
    return re.sub(r"[-_.]+", "-", found.group()).lower()


def recorded(distribution: Distribution) -> list[RecordedFile] | None:
    """Read the record of a distribution; None when it has none."""
    text = distribution.read_text(RECORD)
    if text is None:
        return None
    rows = csv.reader(text.splitlines())
    return [RecordedFile(name, Path(str(distribution.locate_file(name))), digest) for name, digest, _ in rows]


def package_digest(package: str) -> str:
    """Compute the SHA-256 of an installed package: of the name and the SHA-256 of each of its files as they are now.

    It is empty when the package has no record of its files.
    """
    found = _find(package, sys.path)
    lines = None if found is None else recorded(found)
    if lines is None:
        return ""
    whole = hashlib.sha256()
    for line in sorted(lines):
        if line.path.name not in _UNDIGESTED and not _of_python(line.path):
            content = hashlib.sha256(line.path.read_bytes()).hexdigest() if line.path.is_file() else "missing"
            whole.update(f"{line.name} {content}\n".encode())
    return whole.hexdigest()


def changed_files(lines: list[RecordedFile], distribution: str) -> Iterator[ChangedFile]:
    """Verify every file against its record."""
    for line in lines:
        if _of_python(line.path):
            continue
        if not line.path.is_file():
            yield ChangedFile("missing", line.name, distribution)
        elif line.path.name not in _UNDIGESTED and not _same(line):
            yield ChangedFile("changed", line.name, distribution)


def _of_python(path: Path) -> bool:
    return path.parent.name == _CACHE and path.suffix == ".pyc"


def _same(line: RecordedFile) -> bool:
    kind, _, digest = line.digest.partition("=")
    if kind not in _DIGESTS:
        return False
    with line.path.open("rb") as file:
        found = hashlib.file_digest(file, kind).digest()
    return base64.urlsafe_b64encode(found).rstrip(b"=").decode() == digest


def unrecorded_files(lines: list[RecordedFile], known: set[Path], distribution: str) -> Iterator[ChangedFile]:
    """Return the files in the folders of a distribution that no record lists."""
    for package in sorted(_packages(lines)):
        for path in sorted(package.rglob("*")):
            # A link to a folder is not a file, but Python can import from it.
            if (path.is_file() or path.is_symlink()) and not _of_python(path) and path not in known:
                yield ChangedFile("added", path.relative_to(package.parent).as_posix(), distribution)


def _packages(lines: list[RecordedFile]) -> set[Path]:
    """Find the folders of a distribution: those beside its metadata folder."""
    within = [line for line in lines if "/" in line.name and not line.name.startswith(("../", "/"))]
    folders = {line.path.parents[line.name.count("/") - 1] for line in within}
    return {folder for folder in folders if not folder.name.endswith(".dist-info")}


_OURS: Final = "croupier"
#: In the conditions of a requirement: it applies only when an extra is requested.
_EXTRA: Final = re.compile(r"\bextra\b")

Records = dict[str, list[RecordedFile]]


def verify(
    package: Path = Path(croupier.__file__).parent,
    path: Sequence[str] | None = None,
    optimised: int = sys.flags.optimize,
) -> Verdict:
    """Verify the software in a folder and its dependencies along a path; by default the running software."""
    if optimised:
        return IntegrityUnknown("Python runs with -O, which removes assertions, so this is not what was tested")
    where = list(sys.path if path is None else path)
    ours = _find(_OURS, where)
    lines = None if ours is None else recorded(ours)
    if ours is None or lines is None:
        return IntegrityUnknown("it is not installed, so there is no record to verify it against")
    if package / "__init__.py" not in [line.path for line in lines]:
        return IntegrityUnknown(
            f"it runs from {package}, which is not what is installed: a source checkout has no record"
        )
    return _verdict(_standing_on(ours, where))


def _drivers(path: list[str]) -> list[Distribution]:
    """Find the distributions that have drivers of devices: they run in the server like its own files."""
    return [each for each in distributions(path=path) if any(point.group in DRIVERS for point in each.entry_points)]


def _verdict(installed: dict[str, Distribution | None]) -> Verdict:
    """Verify distributions against their records; None is a required one that is missing."""
    records: Records = {}
    differences = [ChangedFile("missing", RECORD, name) for name, found in installed.items() if found is None]
    for name, found in installed.items():
        lines = None if found is None else recorded(found)
        if lines is not None:
            records[name] = lines
    differences += _differences(records)
    if differences:
        return IntegrityFailed(tuple(differences))
    if without := sorted(set(installed) - set(records)):
        return IntegrityUnknown(f"there is no record of {', '.join(without)}")
    return IntegrityVerified(len(records), sum(bool(line.digest) for lines in records.values() for line in lines))


def _differences(records: Records) -> Iterator[ChangedFile]:
    known = {line.path for lines in records.values() for line in lines}
    for name, lines in records.items():
        yield from changed_files(lines, name)
        yield from unrecorded_files(lines, known, name)


def _find(name: str, path: list[str]) -> Distribution | None:
    return next(iter(distributions(name=name, path=path)), None)


def _standing_on(ours: Distribution, path: list[str]) -> dict[str, Distribution | None]:
    """Find the software, the installed drivers and all that they require; None for a requirement that is missing."""
    found: dict[str, Distribution | None] = {_OURS: ours}
    for driver in _drivers(path):
        found.setdefault(name_of(driver.name), driver)
    waiting = [each for each in found.values() if each is not None]
    while waiting:
        for requirement in waiting.pop().requires or ():
            name, (_, _, condition) = name_of(requirement), requirement.partition(";")
            if name in found or _EXTRA.search(condition):
                continue
            other = _find(name, path)
            if other is not None:
                waiting.append(other)
            # A missing one with a condition is assumed to be for another platform: otherwise nothing would run.
            if other is not None or not condition:
                found[name] = other
    return found
