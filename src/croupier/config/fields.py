"""Field types, sections and problems."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, time
from decimal import Decimal
from difflib import get_close_matches
from enum import StrEnum
from pathlib import Path
from typing import Any, Final, NamedTuple
from zoneinfo import available_timezones

from croupier.house.settings import LimitBounds
from croupier.rulebooks.loader import load_rulebook, rulebook_ids
from croupier.rulebooks.schema import Problem, SchemaError, display_value
from croupier.rules.money import Cents, cents_of
from croupier.rules.refusal import Code, Refusal
from croupier.rules.rulebook import Rulebook


class Problems:
    """What is wrong with one file."""

    def __init__(self, file: Path) -> None:
        self._file = str(file)
        self._made: dict[Problem, Code] = {}

    def add(self, key: str, says: str, code: Code = Code.SETTING_IMPOSSIBLE) -> None:
        """Note a complaint, once: seats that are alike are wrong alike."""
        self._made.setdefault(Problem(self._file, key, says), code)

    def cite(self, key: str, refusal: Refusal) -> None:
        """Note what the house would refuse, in its own words."""
        self.add(key, refusal.says if refusal.clause is None else f"{refusal.says} [{refusal.clause}]")

    def refusal(self) -> Refusal | None:
        """Refuse the file with everything that is wrong, under the first of the codes; None where all is well."""
        if not self._made:
            return None
        count = f"{len(self._made)} complaint{'s' if len(self._made) > 1 else ''}"
        facts = {"file": self._file, "complaints": tuple(self._made)}
        code = min(self._made.values(), key=list(Code).index)
        return Refusal(code, None, f"The configuration in {self._file} cannot be used: {count}.", facts)


def closest_name(name: str, known: Iterable[str]) -> str:
    """Suggest the known name that is nearest to one that is not; nothing where none is near."""
    plain = {each.lower(): each for each in known}
    near = get_close_matches(name.lower(), plain, n=1)
    return f"; did you mean {plain[near[0]]}?" if near else ""


#: The longest name that fits a screen.
NAME_MAX: Final = 40
#: More seconds, days, games or doors than anybody means.
WHOLE_MAX: Final = 999_999

#: Reads a value beside the folder that the file stands in, or raises MisfitError with what is the matter.
Read = Callable[[object, Path], object]


class FieldType(NamedTuple):
    """What a key takes."""

    words: str
    read: Read


def expected(words: str, value: object) -> SchemaError:
    return SchemaError(f"expected {words}, found {_named(value)}")


def _named(value: object) -> str:
    """Show a value as it is written in the file."""
    match value:
        case bool():
            return str(value).lower()
        case Decimal() | date() | time():
            return str(value)
        case _:
            return display_value(value)


def _text(value: object, _folder: Path) -> str:
    if not isinstance(value, str):
        raise expected("text", value)
    if not value.strip():
        raise SchemaError("must not be empty")
    return value


def _name(value: object, folder: Path) -> str:
    text = _text(value, folder)
    if not text.isprintable() or text != text.strip() or len(text) > NAME_MAX:
        raise expected(NAME.words, value)
    return text


def _secret(value: object, _folder: Path) -> str:
    if not (isinstance(value, str) and value):
        # A secret that was mistyped is a secret still: it is not shown.
        raise SchemaError("expected text that is not empty")
    return value


def _yes(value: object, _folder: Path) -> bool:
    if not isinstance(value, bool):
        raise expected("true or false", value)
    return value


def _amount(value: object, _folder: Path) -> Cents:
    # Text, a whole number or a decimal as it was written: never a float.
    written = str(value) if type(value) in (str, int, Decimal) else ""
    cents = cents_of(written)
    if cents is None:
        raise expected(AMOUNT.words, value)
    return cents


def _bounds(value: object, folder: Path) -> LimitBounds:
    if not isinstance(value, dict) or not value or value.keys() - {"minimum", "maximum"}:
        raise expected(BOUNDS.words, value)
    amounts = {key: _amount(amount, folder) for key, amount in value.items()}
    return LimitBounds(amounts.get("minimum"), amounts.get("maximum"))


def _time(value: object, _folder: Path) -> time:
    if not (isinstance(value, str) and re.fullmatch("[0-2][0-9]:[0-5][0-9]", value) and value < "24"):
        raise expected(TIME.words, value)
    return time.fromisoformat(value)


def _zone(value: object, folder: Path) -> str:
    name = _text(value, folder)
    # A small machine may have no table of timezones: UTC needs none.
    known = {"UTC", *available_timezones()}
    if name not in known:
        raise SchemaError(f"{name!r} is no timezone that this machine knows{closest_name(name, known)}")
    return name


def _origin(value: object, folder: Path) -> str:
    text = _text(value, folder)
    if not re.fullmatch(r"https?://[a-z0-9.-]+(:[0-9]{1,5})?|https?://\[[0-9a-f:]+\](:[0-9]{1,5})?", text):
        raise expected(ORIGIN.words, value)
    return text


def _witness(value: object, folder: Path) -> str:
    text = _text(value, folder)
    # Printable ASCII: an address is sent as it stands here.
    if not re.fullmatch(r"file:///[!-~]+|https://[a-z0-9.-]+(:[0-9]{1,5})?(/[!-~]*)?", text):
        raise expected(WITNESS.words, value)
    return text


def _path(value: object, folder: Path) -> Path:
    text = _text(value, folder)
    if not text.isprintable():
        raise expected("a path", value)
    path = folder / text
    try:
        path.stat()
    except FileNotFoundError:
        return path  # it will be made
    except OSError as error:  # links that lead in a circle, a name that is too long, a folder that is shut
        raise SchemaError(f"{path} cannot be used: {error.strerror}") from None
    return path


def _file(value: object, folder: Path) -> Path:
    path = _path(value, folder)
    try:
        with path.open("rb"):
            return path
    except OSError as error:
        raise SchemaError(f"{path} cannot be read: {error.strerror}") from None


def _rulebook(value: object, folder: Path) -> Rulebook:
    """Load a rulebook that comes with Croupier, or one in a folder beside the file."""
    name, known = _text(value, folder), rulebook_ids()
    book = load_rulebook(name if name in known else str(folder / name))
    if isinstance(book, Rulebook):
        return book
    if book.code is Code.UNKNOWN_RULEBOOK:
        raise SchemaError(f"there is neither a rulebook {name!r} nor such a folder{closest_name(name, known)}")
    raise SchemaError(_inconsistent(book))


def _inconsistent(refusal: Refusal) -> str:
    complaints = refusal.facts["complaints"]
    assert isinstance(complaints, tuple)
    return f"is not consistent: {'; '.join(map(str, complaints))}"


def whole(unit: str = "", *, least: int = 0, most: int = WHOLE_MAX) -> FieldType:
    """A whole number within bounds, such as one of seconds."""
    words = f"a whole number of {unit}" if unit else "a whole number"
    if most < WHOLE_MAX:
        words += f", {least} to {most}"
    elif least > 0:
        words += f", {least} or more"

    def read(value: object, _folder: Path) -> int:
        if type(value) is not int or value < least:
            raise expected(words, value)
        if value > most:
            raise SchemaError(f"is {value}, and may be {most} at most")
        return value

    return FieldType(words, read)


def one_of(words: type[StrEnum], *, but: StrEnum | None = None) -> FieldType:
    """One of a few words, and not one of them where it has its own place in the file."""
    known = [word for word in words if word is not but]
    wanted = f"one of {', '.join(known)}"

    def read(value: object, _folder: Path) -> StrEnum:
        if not (isinstance(value, str) and value in known):
            near = closest_name(value, known) if isinstance(value, str) else ""
            raise SchemaError(f"{expected(wanted, value)}{near}")
        return words(value)

    return FieldType(wanted, read)


def list_of(form: FieldType, words: str) -> FieldType:
    """Several values of one form."""
    wanted = f"a list of {words}"

    def read(value: object, folder: Path) -> tuple[object, ...]:
        if not isinstance(value, list):
            raise expected(wanted, value)
        return tuple(form.read(each, folder) for each in value)

    return FieldType(wanted, read)


TEXT: Final = FieldType("text", _text)
NAME: Final = FieldType(f"a name of at most {NAME_MAX} characters", _name)
SECRET: Final = FieldType("text", _secret)
YES: Final = FieldType("true or false", _yes)
AMOUNT: Final = FieldType('an amount such as 5 or "0.50"', _amount)
BOUNDS: Final = FieldType('amounts such as { minimum = 5, maximum = "500" }', _bounds)
TIME: Final = FieldType('a time of day such as "06:00"', _time)
ZONE: Final = FieldType("the name of a timezone such as Australia/Adelaide", _zone)
ORIGIN: Final = FieldType("an origin such as https://tables.example", _origin)
WITNESS: Final = FieldType(
    "an address such as file:///mnt/witness/heads.jsonl or https://witness.example/heads", _witness
)
PATH: Final = FieldType("a path, relative to the configuration", _path)
FILE: Final = FieldType("the path of a file, relative to the configuration", _file)
RULEBOOK: Final = FieldType("the id of a rulebook, or the path of its folder, relative to the configuration", _rulebook)


#: What was read of a section, by key: what is missing or wrong is not in it.
Values = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Field:
    """One key."""

    name: str
    form: FieldType
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
    keys: tuple[Field, ...]
    parts: tuple["Section", ...] = ()
    #: Whether there may be several, each with a name of its own under the first key.
    many: bool = False
    #: Whether a file must have one.
    required: bool = False

    @property
    def known(self) -> tuple[str, ...]:
        return (*(key.name for key in self.keys), *(part.name for part in self.parts))


@dataclass(frozen=True, slots=True)
class SectionReader:
    """A file that is being read: the folder it stands in, and what is wrong with it so far."""

    folder: Path
    complaints: Problems

    def read(self, section: Section, found: object, place: str = "") -> Values:
        """Read what was found of a section, whatever else of it is wrong."""
        if not isinstance(found, dict):
            self.complaints.add(place, str(expected("a table", found)))
            return {}
        for name in (each for each in found if each not in section.known):
            self.complaints.add(_under(place, name), f"no such key{closest_name(name, section.known)}")
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
            except SchemaError as error:
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
