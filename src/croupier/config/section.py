"""Sections: the keys that stand together in the configuration, each with what it takes and what it means."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from croupier.config.complaints import Complaints, nearest
from croupier.config.form import Form, expected
from croupier.rulebooks.shape import MisfitError

#: What was read of a section, by key: what is missing or wrong is not in it.
Values = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Key:
    """One key."""

    name: str
    form: Form
    means: str
    #: A value as it is written in the file: the one that holds without the key, or else an example.
    written: str
    #: What holds without the key, in words, where that is not the value that is written here.
    without: str = ""

    @property
    def required(self) -> bool:
        return self.without == REQUIRED

    @property
    def default(self) -> str:
        """What holds without the key, in words or as it would be written."""
        return self.without or self.written


#: Said in the place of a default where there is none.
REQUIRED = "required"


@dataclass(frozen=True, slots=True)
class Section:
    """A table of the file, or a list of tables."""

    name: str
    means: str
    keys: tuple[Key, ...]
    parts: tuple["Section", ...] = ()
    #: Whether there may be several, each with a name of its own under the first key.
    many: bool = False
    #: Whether a file must have one.
    required: bool = False

    @property
    def known(self) -> tuple[str, ...]:
        return (*(key.name for key in self.keys), *(part.name for part in self.parts))


@dataclass(frozen=True, slots=True)
class Reading:
    """A file that is being read: the folder it stands in, and what is wrong with it so far."""

    folder: Path
    complaints: Complaints

    def read(self, section: Section, found: object, place: str = "") -> Values:
        """Read what was found of a section, whatever else of it is wrong."""
        if not isinstance(found, dict):
            self.complaints.add(place, str(expected("a table", found)))
            return {}
        for name in (each for each in found if each not in section.known):
            self.complaints.add(_under(place, name), f"no such key{nearest(name, section.known)}")
        return dict(self._values(section, found, place))

    def _values(self, section: Section, found: Mapping[str, object], place: str) -> Iterator[tuple[str, Any]]:
        for key in section.keys:
            where = _under(place, key.name)
            if key.name not in found:
                if key.required:
                    self.complaints.add(where, f"missing: {key.form.words}")
                continue
            try:
                yield key.name, key.form.read(found[key.name], self.folder)
            except MisfitError as error:
                self.complaints.add(where, str(error))
        for part in section.parts:
            yield from self._part(part, found, _under(place, part.name))

    def _part(self, part: Section, found: Mapping[str, object], place: str) -> Iterator[tuple[str, Any]]:
        if part.required and found.get(part.name, []) == []:
            self.complaints.add(place, "missing: there must be one at least")
        elif part.name in found:
            read = self._entries if part.many else self.read
            yield part.name, read(part, found[part.name], place)

    def _entries(self, part: Section, found: object, place: str) -> list[Values]:
        if not isinstance(found, list):
            self.complaints.add(place, str(expected(f"a list of tables, each under [[{part.name}]]", found)))
            return []
        return [self.read(part, entry, _placed(part, place, entry, at)) for at, entry in enumerate(found, start=1)]


def _under(place: str, name: str) -> str:
    plain = name if name.isprintable() else repr(name)
    return f"{place}.{plain}" if place else plain


def _placed(part: Section, place: str, entry: object, at: int) -> str:
    """Name an entry by its own name where it has one, and by its place in the list where not."""
    name = entry.get(part.keys[0].name) if isinstance(entry, dict) else None
    return f"{place}[{name}]" if isinstance(name, str) and name.isprintable() else f"{place}[#{at}]"
