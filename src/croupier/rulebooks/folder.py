"""A rulebook's folder: its files read into one table, and every complaint put back to the file and key it is about."""

import re
import tomllib
from collections.abc import Iterator
from errno import EINVAL
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from croupier.rulebooks.complaint import Complaint, shown

RULEBOOK = "rulebook.toml"
CLAUSES = "clauses.toml"
TESTS = "tests.toml"
WHEELS = "wheels.toml"
LAYOUTS = "layouts.toml"

#: Where the venues that come with Croupier stand, and the wheels and layouts that all may use.
SHELF = files(__package__)

#: Which file a part of the rulebook comes from; the rest comes from rulebook.toml.
_SOURCES = {"wheel": WHEELS, "layout": LAYOUTS, "clauses": CLAUSES}
_PART = re.compile(r"(?P<part>wheel|layout|clauses)(?:\[(?P<place>[0-9]+)\])?\.(?P<rest>.*)", re.DOTALL)
#: Keys of a rulebook that are not for rulebook.toml to set.
_NOT_SET_HERE = ("clauses", "digest")

Tables = dict[str, Any]


class Folder:
    """The files of one rulebook, and what could not be read of them."""

    def __init__(self, folder: Traversable) -> None:
        self._folder = folder
        self.complaints: list[Complaint] = []
        self.tables = self._read(RULEBOOK)
        self._names = {part: self.tables.get(part) for part in ("wheel", "layout")}
        clauses = self._read(CLAUSES)
        for key in _NOT_SET_HERE:
            if key in self.tables:
                self.complaints.append(Complaint(RULEBOOK, "", f"no such key: {key}"))
        for part in self._names:
            self._fetch(part)
        self.tables["clauses"] = list(self._clauses(clauses))

    def place(self, key: str, says: str) -> Complaint:
        """Name the file that a key comes from, and the key as it stands there.

        ``layout`` is the choice made in rulebook.toml; ``layout.`` and ``layout.rows`` are in layouts.toml, under the
        layout's name; ``clauses[3].topic`` is in clauses.toml, under the clause's number.
        """
        found = _PART.fullmatch(key)
        if found is None:
            return Complaint(RULEBOOK, key.rstrip("."), says)
        part, place, rest = found.groups()
        name = str(self.tables["clauses"][int(place)]["clause"] if place else self._names[part])
        if part == "clauses" and rest.startswith("tests"):
            return Complaint(TESTS, name, says)
        return Complaint(_SOURCES[part], f"{name}.{rest}".rstrip("."), says)

    def _read(self, name: str, *, optional: bool = False, folder: Traversable | None = None) -> Tables:
        shelf = folder or self._folder
        try:
            if optional and name not in {entry.name for entry in shelf.iterdir()}:
                return {}
            return tomllib.loads(self._text(shelf.joinpath(name)))
        except OSError as error:
            says = f"cannot be read: {error.strerror}"
        except UnicodeDecodeError as error:
            says = f"is not UTF-8 text: byte {error.start}"
        except (ValueError, RecursionError) as error:  # TOML's own error, a figure or a nesting without end
            says = f"is not TOML: {error}"
        self.complaints.append(Complaint(name, "", says))
        return {}

    @staticmethod
    def _text(file: Traversable) -> str:
        # A pipe or a device could keep us waiting for ever: read plain files alone, and let the rest fail as it will.
        if isinstance(file, Path) and file.exists() and not (file.is_file() or file.is_dir()):
            raise OSError(EINVAL, "not a plain file")
        return file.read_text("utf-8-sig")

    def _fetch(self, part: str) -> None:
        """Put a wheel or a layout in the place of its name: the folder's own first, then those on the shelf."""
        source, name = _SOURCES[part], self._names[part]
        known = {**self._read(source, folder=SHELF), **self._read(source, optional=True)}
        if isinstance(name, str) and name in known:
            self.tables[part] = self._named(source, name, known[name], ("id",))
        elif self.tables:
            found = "missing: one of" if name is None else f"{shown(name)} is none of"
            self.complaints.append(Complaint(RULEBOOK, part, f"{found} {', '.join(known)}"))

    def _named(self, source: str, name: str, table: object, taken: tuple[str, ...]) -> Tables:
        """Give a table the name it goes by, under the first of the keys taken for us, which it may not set itself."""
        if not isinstance(table, dict):
            self.complaints.append(Complaint(source, name, "expected a table"))
            return {}
        set_anyway = [key for key in taken if key in table]
        self.complaints.extend(Complaint(source, name, f"no such key: {key}") for key in set_anyway)
        return {taken[0]: name, **table}

    def _clauses(self, clauses: Tables) -> Iterator[Tables]:
        tests = self._read(TESTS, optional=True)
        for name, table in clauses.items():
            yield {**self._named(CLAUSES, name, table, ("clause", "tests")), "tests": tests.get(name, [])}
        if clauses:
            strangers = (name for name in tests if name not in clauses)
            self.complaints.extend(Complaint(TESTS, name, "is not a clause of this document") for name in strangers)
