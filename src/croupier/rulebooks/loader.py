"""Finds, reads and validates a rulebook folder."""

import re
import tomllib
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from errno import EFBIG, EINVAL
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from croupier.rulebooks.citations import fill_citations
from croupier.rulebooks.schema import Found, Problem, below, digest, display_value, structure
from croupier.rulebooks.validation import validate
from croupier.rules.refusal import Code, Refusal
from croupier.rules.rulebook import Rulebook
from croupier.rules.texts import is_text

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

#: The key that names the rulebook from which this one takes what it leaves out.
EXTENDS = "extends"

Tables = dict[str, Any]


def merged(base: Tables, own: Tables) -> Tables:
    """Merge tables key by key; a list or a value of the second replaces that of the first, and false removes one."""
    inner = {key: merged(base[key], own[key]) for key in own if _are_tables(base.get(key), own[key])}
    # False takes away what the first has: a price that is not offered, a part that there is not.
    gone = {key for key in own if own[key] is False and _are_tables(base.get(key))}
    return {key: value for key, value in {**base, **own, **inner}.items() if key not in gone}


def _are_tables(*values: object) -> bool:
    return all(isinstance(value, dict) for value in values)


class RulebookFolder:
    """The files of one rulebook, and the errors of reading them."""

    def __init__(self, folder: Traversable) -> None:
        self._folder = folder
        self.complaints: list[Problem] = []
        own = self._read(RULEBOOK)
        self._base = self._find_base(own)
        self.tables = self._extend(RULEBOOK, own)
        self._names = {part: self.tables.get(part) for part in ("wheel", "layout")}
        clauses = self._extend(CLAUSES, self._read(CLAUSES, optional=self._base is not None))
        for key in _NOT_SET_HERE:
            if key in self.tables:
                self.complaints.append(Problem(RULEBOOK, "", f"no such key: {key}"))
        for part in self._names:
            self._fetch(part)
        self.tables["clauses"] = list(self._clauses(clauses))
        kinds = self._known(KINDS)
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

    def _find_base(self, own: Tables) -> Traversable | None:
        """Find the rulebook that this one extends, if it names one: what it leaves out is taken from there."""
        name = own.pop(EXTENDS, None)
        if name is None:
            return None
        if name not in rulebook_ids():
            says = f"{display_value(name)} is none of {', '.join(rulebook_ids())}"
            self.complaints.append(Problem(RULEBOOK, EXTENDS, says))
            return None
        base = SHIPPED.joinpath(name)
        if EXTENDS in self._read(RULEBOOK, folder=base):
            self.complaints.append(Problem(RULEBOOK, EXTENDS, f"'{name}' extends another rulebook itself"))
        return base

    def _extend(self, name: str, own: Tables) -> Tables:
        """Add to the tables of one file what they leave out."""
        return own if self._base is None else merged(self._read(name, optional=True, folder=self._base), own)

    def _known(self, name: str) -> Tables:
        """Read the shared entries of a file, and the rulebook's own, which replace them."""
        return {**self._read(name, folder=SHIPPED), **self._extend(name, self._read(name, optional=True))}

    def _read(self, name: str, *, optional: bool = False, folder: Traversable | None = None) -> Tables:
        place = folder or self._folder
        try:
            if optional and name not in {entry.name for entry in place.iterdir()}:
                return {}
            tables = tomllib.loads(read_plain(place.joinpath(name)).decode("utf-8-sig"), parse_float=Decimal)
            _require_shallow(tables)
        except OSError as error:
            says = f"cannot be read: {error.strerror}"
        except UnicodeDecodeError as error:
            says = f"is not UTF-8 text: byte {error.start}"
        except (ValueError, RecursionError) as error:  # TOML's own error, a figure or a nesting without end
            says = f"is not TOML: {error}"
        else:
            return tables
        self.complaints.append(Problem(name, "", says))
        return {}

    def _fetch(self, part: str) -> None:
        """Replace the name of a wheel or a layout by its table: from this folder, else from the shared files."""
        source, name = _SOURCES[part], self._names[part]
        known = self._known(source)
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


#: How deep values may be nested: a key of many parts nests without that the parser notices.
NESTING_MAX = 20


def _require_shallow(value: object, left: int = NESTING_MAX) -> None:
    """Refuse a value that is nested deeper than any rulebook, by a ValueError."""
    if not left:
        raise ValueError(f"it is nested more than {NESTING_MAX} deep")
    for each in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        _require_shallow(each, left - 1)


def _unseen(value: object, key: str) -> Found:
    """List the texts that pages, papers and terminals would show as something else, and names that are such texts."""
    match value:
        case str() if not is_text(value):
            yield key, "has a control character, a line break, or a mark that hides or reverses text"
        case dict():
            for name, each in value.items():
                at = below(key, name)
                yield from _unseen(name, at)
                yield from _unseen(each, at)
        case list():
            for place, each in enumerate(value):
                yield from _unseen(each, below(key, place))


#: Far more than any file of rules or rounds has.
SIZE_MAX = 4_000_000


def read_plain(file: Traversable) -> bytes:
    """Read a file. A pipe or a device could block for ever, or have no end: it is an OSError, as is a file too long."""
    if isinstance(file, Path) and file.exists() and not (file.is_file() or file.is_dir()):
        raise OSError(EINVAL, "not a plain file")
    with file.open("rb") as opened:
        read = opened.read(SIZE_MAX + 1)
    if len(read) > SIZE_MAX:
        raise OSError(EFBIG, f"larger than {SIZE_MAX // 1_000_000} MB")
    return read


@cache
def rulebook_ids() -> tuple[str, ...]:
    """List the bundled rulebooks, those of the documents first."""
    names = (entry.name for entry in SHIPPED.iterdir() if entry.joinpath(RULEBOOK).is_file())
    return tuple(sorted(names, key=lambda name: (is_own(name), name)))


def is_own(name: str) -> bool:
    """Check whether a bundled rulebook is one of our own, and not that of a document."""
    return name.startswith("generic-")


def load_rulebook(reference: str) -> Rulebook | Refusal:
    """Load a rulebook by its id, or by the path of its folder."""
    if reference in rulebook_ids():
        return _load_own(reference)
    folder = _folder(reference)
    if folder is not None:
        return _load(reference, folder)
    known = rulebook_ids()
    message = f"There is no rulebook {reference!r}: give a folder that holds {RULEBOOK}, or one of {', '.join(known)}."
    return Refusal(Code.UNKNOWN_RULEBOOK, None, message, {"rulebook": reference, "known": known})


@cache
def _load_own(name: str) -> Rulebook | Refusal:
    """Load a bundled rulebook, which does not change while the process runs."""
    return _load(name, SHIPPED.joinpath(name))


def _load(reference: str, folder: Traversable) -> Rulebook | Refusal:
    read = read_folder(folder)
    if isinstance(read, Rulebook):
        return read
    message = f"The rulebook in {reference} is not consistent: {len(read)} complaint{'s' if len(read) > 1 else ''}."
    return Refusal(Code.RULEBOOK_INCONSISTENT, None, message, {"rulebook": reference, "complaints": read})


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
    if found := tuple(_unseen(read.tables, "")):
        return tuple(read.place(key, says) for key, says in found)
    rulebook = structure(read.tables)
    if not isinstance(rulebook, Rulebook):
        return tuple(read.place(f"{key}.", says) for key, says in rulebook)
    complaints = tuple(read.place(key, says) for key, says in validate(rulebook))
    return complaints or replace(rulebook, digest=digest(rulebook))
