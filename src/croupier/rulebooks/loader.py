"""Finds, reads and validates a rulebook folder."""

import re
import tomllib
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from errno import EINVAL
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from croupier.rulebooks.citations import fill_citations
from croupier.rulebooks.schema import Problem, digest, display_value, structure
from croupier.rulebooks.validation import validate
from croupier.rules.refusal import Code, Refusal
from croupier.rules.rulebook import Rulebook

RULEBOOK = "rulebook.toml"
CLAUSES = "clauses.toml"
TESTS = "tests.toml"
WHEELS = "wheels.toml"
LAYOUTS = "layouts.toml"
KINDS = "kinds.toml"

#: The directory of the bundled venues, and of the wheels, layouts and kinds of bet that all venues may use.
SHIPPED = files(__package__)

#: The source file of each part of the rulebook; the other parts come from rulebook.toml.
_SOURCES = {"wheel": WHEELS, "layout": LAYOUTS, "clauses": CLAUSES, "kinds": KINDS}
_PART = re.compile(r"(?P<part>wheel|layout|clauses|kinds)(?:\[(?P<place>[0-9]+)\])?\.(?P<rest>.*)", re.DOTALL)
#: Keys that rulebook.toml must not set.
_NOT_SET_HERE = ("clauses", "digest", "kinds")

Tables = dict[str, Any]


class RulebookFolder:
    """The files of one rulebook, and the errors of reading them."""

    def __init__(self, folder: Traversable) -> None:
        self._folder = folder
        self.complaints: list[Problem] = []
        self.tables = self._read(RULEBOOK)
        self._names = {part: self.tables.get(part) for part in ("wheel", "layout")}
        clauses = self._read(CLAUSES)
        for key in _NOT_SET_HERE:
            if key in self.tables:
                self.complaints.append(Problem(RULEBOOK, "", f"no such key: {key}"))
        for part in self._names:
            self._fetch(part)
        self.tables["clauses"] = list(self._clauses(clauses))
        kinds = {**self._read(KINDS, folder=SHIPPED), **self._read(KINDS, optional=True)}
        self.tables["kinds"] = [self._named(KINDS, name, table, ("id",)) for name, table in kinds.items()]
        fill_citations(self.tables)

    def place(self, key: str, says: str) -> Problem:
        """Name the source file of a key, and the key's name in that file.

        ``layout`` is the choice made in rulebook.toml; ``layout.`` and ``layout.rows`` are in layouts.toml, under the
        layout's name; ``clauses[3].topic`` is in clauses.toml, under the clause's number.
        """
        found = _PART.fullmatch(key)
        if found is None:
            return Problem(RULEBOOK, key.rstrip("."), says)
        part, place, rest = found.groups()
        name = str(next(iter(self.tables[part][int(place)].values())) if place else self._names[part])
        if part == "clauses" and rest.startswith("tests"):
            return Problem(TESTS, name, says)
        return Problem(_SOURCES[part], f"{name}.{rest}".rstrip("."), says)

    def _read(self, name: str, *, optional: bool = False, folder: Traversable | None = None) -> Tables:
        place = folder or self._folder
        try:
            if optional and name not in {entry.name for entry in place.iterdir()}:
                return {}
            return tomllib.loads(read_plain(place.joinpath(name)).decode("utf-8-sig"), parse_float=Decimal)
        except OSError as error:
            says = f"cannot be read: {error.strerror}"
        except UnicodeDecodeError as error:
            says = f"is not UTF-8 text: byte {error.start}"
        except (ValueError, RecursionError) as error:  # TOML's own error, a figure or a nesting without end
            says = f"is not TOML: {error}"
        self.complaints.append(Problem(name, "", says))
        return {}

    def _fetch(self, part: str) -> None:
        """Replace the name of a wheel or a layout by its table: from this folder, else from the shared files."""
        source, name = _SOURCES[part], self._names[part]
        known = {**self._read(source, folder=SHIPPED), **self._read(source, optional=True)}
        if isinstance(name, str) and name in known:
            self.tables[part] = self._named(source, name, known[name], ("id",))
        elif self.tables:
            found = "missing: one of" if name is None else f"{display_value(name)} is none of"
            self.complaints.append(Problem(RULEBOOK, part, f"{found} {', '.join(known)}"))

    def _named(self, source: str, name: str, table: object, taken: tuple[str, ...]) -> Tables:
        """Add a table's name under the first of the reserved keys, which the table must not set itself."""
        if not isinstance(table, dict):
            self.complaints.append(Problem(source, name, "expected a table"))
            return {}
        set_anyway = [key for key in taken if key in table]
        self.complaints.extend(Problem(source, name, f"no such key: {key}") for key in set_anyway)
        return {taken[0]: name, **table}

    def _clauses(self, clauses: Tables) -> Iterator[Tables]:
        tests = self._read(TESTS, optional=True)
        for name, table in clauses.items():
            yield {**self._named(CLAUSES, name, table, ("clause", "tests")), "tests": tests.get(name, [])}
        if clauses:
            strangers = (name for name in tests if name not in clauses)
            self.complaints.extend(Problem(TESTS, name, "is not a clause of this document") for name in strangers)


def read_plain(file: Traversable) -> bytes:
    """Read a file. A pipe or a device could block for ever, or have no end: it is an OSError as others are."""
    if isinstance(file, Path) and file.exists() and not (file.is_file() or file.is_dir()):
        raise OSError(EINVAL, "not a plain file")
    return file.read_bytes()


@cache
def rulebook_ids() -> tuple[str, ...]:
    """List the bundled venues."""
    return tuple(sorted(entry.name for entry in SHIPPED.iterdir() if entry.joinpath(RULEBOOK).is_file()))


def load_rulebook(reference: str) -> Rulebook | Refusal:
    """Load a rulebook by its id, or by the path of its folder."""
    if reference in rulebook_ids():
        return _load_own(reference)
    folder = _folder(reference)
    if folder is not None:
        return _load(reference, folder)
    known = rulebook_ids()
    says = f"There is no rulebook {reference!r}: give a folder that holds {RULEBOOK}, or one of {', '.join(known)}."
    return Refusal(Code.UNKNOWN_RULEBOOK, None, says, {"rulebook": reference, "known": known})


@cache
def _load_own(name: str) -> Rulebook | Refusal:
    """Load a bundled rulebook, which does not change while the process runs."""
    return _load(name, SHIPPED.joinpath(name))


def _load(reference: str, folder: Traversable) -> Rulebook | Refusal:
    read = read_folder(folder)
    if isinstance(read, Rulebook):
        return read
    says = f"The rulebook in {reference} is not consistent: {len(read)} complaint{'s' if len(read) > 1 else ''}."
    return Refusal(Code.RULEBOOK_INCONSISTENT, None, says, {"rulebook": reference, "complaints": read})


def _folder(reference: str) -> Traversable | None:
    try:
        path = Path(reference)
        return path if reference and path.is_dir() else None
    except (OSError, ValueError):  # a name too long for the system, or with a null in it
        return None


def read_folder(folder: Traversable) -> Rulebook | tuple[Problem, ...]:
    """Read and validate the rulebook in a folder, or list its problems."""
    read = RulebookFolder(folder)
    if read.complaints:
        return tuple(read.complaints)
    rulebook = structure(read.tables)
    if not isinstance(rulebook, Rulebook):
        return tuple(read.place(f"{key}.", says) for key, says in rulebook)
    complaints = tuple(read.place(key, says) for key, says in validate(rulebook))
    return complaints or replace(rulebook, digest=digest(rulebook))
