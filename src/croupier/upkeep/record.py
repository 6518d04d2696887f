"""Records: the files of an installed distribution as they were when it was installed, held against what is there."""

import base64
import csv
import hashlib
import re
from collections.abc import Iterator
from importlib.metadata import Distribution
from pathlib import Path
from typing import Final, NamedTuple

from croupier.upkeep.answer import Difference

RECORD: Final = "RECORD"
#: The digests that a record may have; weaker ones are none.
_DIGESTS: Final = ("sha256", "sha384", "sha512")
#: What Python makes by itself, and what no record can list the digest of.
_CACHE: Final = "__pycache__"
_UNDIGESTED: Final = (RECORD, "RECORD.jws", "RECORD.p7s")
_NAME: Final = re.compile(r"[A-Za-z0-9._-]+")


class Line(NamedTuple):
    """A file as it was recorded: its name, where it is, and its digest as it is written there."""

    name: str
    path: Path
    digest: str


def name_of(requirement: str) -> str:
    """Find the distribution that a requirement names, in the one way in which names are compared."""
    found = _NAME.match(requirement)
    assert found is not None
    return re.sub(r"[-_.]+", "-", found.group()).lower()


def recorded(distribution: Distribution) -> list[Line] | None:
    """Read the record of a distribution; None where it has none."""
    text = distribution.read_text(RECORD)
    if text is None:
        return None
    rows = csv.reader(text.splitlines())
    return [Line(name, Path(str(distribution.locate_file(name))), digest) for name, digest, _ in rows]


def held(lines: list[Line], distribution: str) -> Iterator[Difference]:
    """Hold every file against its record."""
    for line in lines:
        if _of_python(line.path):
            continue
        if not line.path.is_file():
            yield Difference("missing", line.name, distribution)
        elif line.path.name not in _UNDIGESTED and not _same(line):
            yield Difference("changed", line.name, distribution)


def _of_python(path: Path) -> bool:
    return path.parent.name == _CACHE and path.suffix == ".pyc"


def _same(line: Line) -> bool:
    kind, _, digest = line.digest.partition("=")
    if kind not in _DIGESTS:
        return False
    with line.path.open("rb") as file:
        found = hashlib.file_digest(file, kind).digest()
    return base64.urlsafe_b64encode(found).rstrip(b"=").decode() == digest


def added(lines: list[Line], known: set[Path], distribution: str) -> Iterator[Difference]:
    """Name the files that lie among those of a distribution and that no record lists."""
    for package in sorted(_packages(lines)):
        for path in sorted(package.rglob("*")):
            # A link to a folder is no file, and can be imported from all the same.
            if (path.is_file() or path.is_symlink()) and not _of_python(path) and path not in known:
                yield Difference("added", path.relative_to(package.parent).as_posix(), distribution)


def _packages(lines: list[Line]) -> set[Path]:
    """Find the folders that are a distribution's own: those beside the one that describes it."""
    within = [line for line in lines if "/" in line.name and not line.name.startswith(("../", "/"))]
    folders = {line.path.parents[line.name.count("/") - 1] for line in within}
    return {folder for folder in folders if not folder.name.endswith(".dist-info")}
