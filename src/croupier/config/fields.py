"""Value types, keys, sections and problems of a configuration file."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import MISSING, dataclass
from datetime import date, time
from decimal import Decimal
from difflib import get_close_matches
from enum import StrEnum
from importlib.metadata import entry_points
from pathlib import Path
from types import UnionType
from typing import Any, Final, NamedTuple, Union, get_args, get_origin
from zoneinfo import available_timezones

from croupier.house.settings import LimitBounds, Setting
from croupier.rulebooks.loader import load_rulebook, rulebook_ids
from croupier.rulebooks.schema import Problem, SchemaError, display_value
from croupier.rules.money import Cents, amount_text, cents_of
from croupier.rules.refusal import Code, Refusal
from croupier.rules.rulebook import Rulebook
from croupier.rules.texts import is_name, is_text


class Problems:
    """The problems of one file."""

    def __init__(self, file: Path) -> None:
        self._file = str(file)
        self._found: dict[Problem, Code] = {}

    def add(self, key: str, says: str, code: Code = Code.SETTING_IMPOSSIBLE) -> None:
        """Add a problem once: the seats of a table all have the same problem."""
        self._found.setdefault(Problem(self._file, key, says), code)

    def cite(self, key: str, refusal: Refusal) -> None:
        """Add a refusal of the house, in its own words."""
        self.add(key, refusal.message if refusal.clause is None else f"{refusal.message} [{refusal.clause}]")

    def refusal(self) -> Refusal | None:
        """Refuse the file with all its problems, under the first of their codes; None if there are none."""
        if not self._found:
            return None
        count = f"{len(self._found)} problem{'s' if len(self._found) > 1 else ''}"
        facts = {"file": self._file, "complaints": tuple(self._found)}
        code = min(self._found.values(), key=list(Code).index)
        return Refusal(code, None, f"The configuration in {self._file} cannot be used: {count}.", facts)


def closest_name(name: str, known: Iterable[str]) -> str:
    """Suggest the known name that is closest to an unknown one; empty if none is close."""
    plain = {each.lower(): each for each in known}
    near = get_close_matches(name.lower(), plain, n=1)
    return f"; did you mean {plain[near[0]]}?" if near else ""


#: The longest name that fits a screen.
NAME_MAX: Final = 40

#: Reads a value, with the directory of the file, or raises SchemaError.
Read = Callable[[object, Path], object]


def toml_text(value: object) -> str:
    """Write a value as TOML."""
    match value:
        case bool():
            return str(value).lower()
        case time():
            return f'"{value:%H:%M}"'
        case str() | Path():
            return f'"{value}"'
        case _:
            return str(value)


class ValueType(NamedTuple):
    """The type of a key's value."""

    words: str
    plural: str
    read: Read
    write: Callable[[Any], str] = toml_text


def expected(words: str, value: object) -> SchemaError:
    return SchemaError(f"expected {words}, found {_display(value)}")


def _display(value: object) -> str:
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
    if not is_text(value):
        raise SchemaError("must have no control characters, on one line")
    return value


def _name(value: object, folder: Path) -> str:
    text = _text(value, folder)
    if not is_name(text) or len(text) > NAME_MAX:
        raise expected(NAME.words, value)
    return text


def _password(value: object, _folder: Path) -> str:
    if not (isinstance(value, str) and value):
        # A mistyped password is still a password: it is not shown.
        raise SchemaError("expected text that is not empty")
    return value


def _bool(value: object, _folder: Path) -> bool:
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


def _amount_toml(cents: int) -> str:
    return amount_text(cents) if cents % 100 == 0 else f'"{amount_text(cents)}"'


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
    # A small machine may have no timezone database: UTC needs none.
    known = {"UTC", *available_timezones()}
    if name not in known:
        raise SchemaError(f"{name!r} is not a timezone that this machine has{closest_name(name, known)}")
    return name


_HOST: Final = r"([a-z0-9.-]+|\[[0-9a-f:]+\])"


def _origin(value: object, folder: Path) -> str:
    text = _text(value, folder)
    if not re.fullmatch(r"https?://[a-z0-9.-]+(:[0-9]{1,5})?|https?://\[[0-9a-f:]+\](:[0-9]{1,5})?", text):
        raise expected(ORIGIN.words, value)
    return text


def _broker(value: object, folder: Path) -> str:
    text = _text(value, folder)
    # Plain text goes to a broker on the same machine alone.
    if not re.fullmatch(rf"tls://{_HOST}:[0-9]{{1,5}}|nats://(localhost|127\.0\.0\.1|\[::1\]):[0-9]{{1,5}}", text):
        raise expected(BROKER.words, value)
    return text


def _witness(value: object, folder: Path) -> str:
    text = _text(value, folder)
    # Printable ASCII: an address is sent as it is written here.
    if not re.fullmatch(r"file:///[!-~]+|https://[a-z0-9.-]+(:[0-9]{1,5})?(/[!-~]*)?", text):
        raise expected(WITNESS.words, value)
    return text


def _journal(value: object, folder: Path) -> str:
    text = _text(value, folder)
    if not re.fullmatch(r"postgresql://[^/?#\s]*/[^/?#\s]+(\?[!-~]*)?", text):
        raise expected(JOURNAL.words, value)
    # It is also recorded in the data directory.
    if re.search(r"//[^@/]*:[^@/]*@|[?&](password|sslpassword)=", text):
        raise SchemaError("must have no password: use a password file (PGPASSFILE), a certificate or peer sign-in")
    return text


def _path(value: object, folder: Path) -> Path:
    text = _text(value, folder)
    if not text.isprintable():
        raise expected("a path", value)
    path = folder / text
    try:
        path.stat()
    except FileNotFoundError:
        return path  # it will be created
    except OSError as error:  # a cycle of links, a name that is too long, a directory without permission
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
    """Load a rulebook that comes with Croupier, or one in a directory relative to the file."""
    name, known = _text(value, folder), rulebook_ids()
    book = load_rulebook(name if name in known else str(folder / name))
    if isinstance(book, Rulebook):
        return book
    if book.code is Code.UNKNOWN_RULEBOOK:
        raise SchemaError(f"there is no rulebook and no directory {name!r}{closest_name(name, known)}")
    problems = book.facts["complaints"]
    assert isinstance(problems, tuple)
    raise SchemaError(f"is not consistent: {'; '.join(map(str, problems))}")


#: The entry point groups of drivers. Those of wheels are called with the id of a table and an address, those of
#: acceptors and printers with the id of a terminal instead, and those of acceptors with the values of notes besides.
WHEEL_DRIVERS, ACCEPTOR_DRIVERS, PRINTER_DRIVERS = "croupier.wheels", "croupier.acceptors", "croupier.printers"
DRIVERS: Final = {WHEEL_DRIVERS: "wheel", ACCEPTOR_DRIVERS: "acceptor", PRINTER_DRIVERS: "printer"}


class InstalledDriver(NamedTuple):
    """A driver that is installed, and its package."""

    name: str
    package: str
    version: str


def installed_drivers(group: str = WHEEL_DRIVERS) -> list[InstalledDriver]:
    """List the installed drivers of a group by name."""
    found = ((each.name, each.dist) for each in entry_points(group=group))
    return sorted(InstalledDriver(name, package.name, package.version) for name, package in found if package)


def driver_of(group: str) -> ValueType:
    """The name of an installed driver of a group."""
    kind = DRIVERS[group]

    def read(value: object, folder: Path) -> object:
        name, known = _text(value, folder), entry_points(group=group)
        if name not in known.names:
            raise SchemaError(f"no {kind} driver {name!r} is installed{closest_name(name, known.names)}")
        try:
            return known[name].load()
        except (ImportError, AttributeError) as error:
            raise SchemaError(f"the {kind} driver {name!r} cannot be loaded: {error}") from None

    return ValueType(f"the name of an installed {kind} driver", f"names of {kind} drivers", read)


def whole(setting: Setting) -> ValueType:
    """A whole number within the bounds of its declaration."""
    unit = f" of {setting.unit}" if setting.unit else ""
    words = f"a whole number{unit}, {setting.minimum} to {setting.maximum}"

    def read(value: object, _folder: Path) -> int:
        if type(value) is not int or not setting.minimum <= value <= setting.maximum:
            raise expected(words, value)
        return value

    return ValueType(words, f"whole numbers{unit}", read)


def one_of(words: type[StrEnum], excluded: Iterable[str] = ()) -> ValueType:
    """One of the values of an enumeration."""
    known = [word for word in words if word not in excluded]
    wanted = f"one of {', '.join(known)}"

    def read(value: object, _folder: Path) -> StrEnum:
        if not (isinstance(value, str) and value in known):
            near = closest_name(value, known) if isinstance(value, str) else ""
            raise SchemaError(f"{expected(wanted, value)}{near}")
        return words(value)

    return ValueType(wanted, wanted, read)


def list_of(each: ValueType) -> ValueType:
    """Several values of one type."""
    wanted = f"a list of {each.plural}"

    def read(value: object, folder: Path) -> tuple[object, ...]:
        if not isinstance(value, list):
            raise expected(wanted, value)
        return tuple(each.read(item, folder) for item in value)

    return ValueType(wanted, wanted, read, lambda values: f"[{', '.join(map(each.write, values))}]")


TEXT: Final = ValueType("text", "texts", _text)
NAME: Final = ValueType(f"a name of at most {NAME_MAX} characters", f"names of at most {NAME_MAX} characters", _name)
PASSWORD: Final = ValueType("text", "texts", _password)
BOOL: Final = ValueType("true or false", "true or false", _bool)
AMOUNT: Final = ValueType('an amount such as 5 or "0.50"', 'amounts such as [5, "0.50"]', _amount, _amount_toml)
BOUNDS: Final = ValueType('amounts such as { minimum = 5, maximum = "500" }', "amounts", _bounds)
TIME: Final = ValueType('a time of day such as "06:00"', "times of day", _time)
ZONE: Final = ValueType("the name of a timezone such as Australia/Adelaide", "names of timezones", _zone)
ORIGIN: Final = ValueType("an origin such as https://tables.example", "origins such as https://tables.example", _origin)
BROKER: Final = ValueType(
    "an address such as tls://broker.example:4222, or nats://127.0.0.1:4222 on this machine", "addresses", _broker
)
WITNESS: Final = ValueType(
    "an address such as file:///mnt/witness/heads.jsonl or https://witness.example/heads", "addresses", _witness
)
JOURNAL: Final = ValueType("an address such as postgresql://house@db.example/croupier", "addresses", _journal)
PATH: Final = ValueType("a path, relative to the configuration", "paths", _path)
FILE: Final = ValueType("the path of a file, relative to the configuration", "paths of files", _file)
RULEBOOK: Final = ValueType(
    "the id of a rulebook, or the path of its directory, relative to the configuration", "rulebooks", _rulebook
)

_PLAIN_TYPES: Final[dict[object, ValueType]] = {
    str: TEXT, bool: BOOL, time: TIME, Path: PATH, Rulebook: RULEBOOK, LimitBounds: BOUNDS, Cents: AMOUNT
}  # fmt: skip


def value_type(hint: Any, setting: Setting, excluded: Iterable[str] = ()) -> ValueType:  # noqa: ANN401 - any type
    """Find the value type of a field from its annotation."""
    hint = bare(hint)
    if get_origin(hint) is tuple:
        return list_of(value_type(get_args(hint)[0], setting))
    if hint is int:
        return whole(setting)
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return one_of(hint, excluded)
    # An id is a name.
    return NAME if getattr(hint, "__supertype__", None) is str else _PLAIN_TYPES[hint]


def bare(hint: Any) -> Any:  # noqa: ANN401 - any type
    """Drop the None of an optional type."""
    return get_args(hint)[0] if get_origin(hint) in (UnionType, Union) else hint


#: The values of a section by key, as far as they are valid.
Values = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Key:
    """One key of a section, derived from the declaration of its field."""

    name: str
    type: ValueType
    setting: Setting
    #: MISSING if there is none.
    default: Any

    @property
    def required(self) -> bool:
        return self.default is MISSING and not self.setting.unset

    @property
    def written(self) -> str:
        """The default, or an example if there is none, as TOML."""
        return self.setting.example or self.type.write(self.default)

    @property
    def without(self) -> str:
        """What applies without the key: as TOML, or in words."""
        return self.setting.unset or self.written


@dataclass(frozen=True, slots=True)
class Section:
    """A table of the file, or an array of tables."""

    name: str
    description: str
    keys: tuple[Key, ...]
    parts: tuple["Section", ...] = ()
    #: Whether it is an array of tables, each named by its first key.
    many: bool = False
    #: Whether a file must have one.
    required: bool = False
    #: The type of a key of any other name, if there may be others.
    others: ValueType | None = None

    @property
    def known(self) -> tuple[str, ...]:
        return (*(key.name for key in self.keys), *(part.name for part in self.parts))


class FieldFlag(StrEnum):
    """A flag in the annotation of a field."""

    #: The keys of this field's class stand in the section of the field itself.
    FLAT = "flat"
    #: At least one is required.
    REQUIRED = "required"


class Excluded(NamedTuple):
    """Names of fields, or values, that this use of a class leaves out, and its own description."""

    names: tuple[str, ...]
    description: str = ""


@dataclass(frozen=True, slots=True)
class SectionReader:
    """Reads the sections of one file, and collects its problems."""

    folder: Path
    problems: Problems

    def read(self, section: Section, found: object, place: str = "") -> Values:
        """Read all valid values of a section."""
        if not isinstance(found, dict):
            self.problems.add(place, str(expected("a table", found)))
            return {}
        for name in (each for each in found if section.others is None and each not in section.known):
            self.problems.add(_under(place, name), f"unknown key{closest_name(name, section.known)}")
        return dict(self._values(section, found, place))

    def _values(self, section: Section, found: Mapping[str, object], place: str) -> Iterator[tuple[str, Any]]:
        for key in section.keys:
            where = _under(place, key.name)
            if key.name not in found:
                if key.required:
                    self.problems.add(where, f"required: {key.type.words}")
                continue
            try:
                yield key.name, key.type.read(found[key.name], self.folder)
            except SchemaError as error:
                self.problems.add(where, str(error))
        for name in (each for each in found if section.others is not None and each not in section.known):
            assert section.others is not None
            try:
                yield name, section.others.read(found[name], self.folder)
            except SchemaError as error:
                self.problems.add(_under(place, name), str(error))
        for part in section.parts:
            yield from self._part(part, found, _under(place, part.name))

    def _part(self, part: Section, found: Mapping[str, object], place: str) -> Iterator[tuple[str, Any]]:
        if part.required and found.get(part.name, []) == []:
            self.problems.add(place, f"required: at least one section [[{part.name}]]")
        elif part.name in found:
            read = self._entries if part.many else self.read
            yield part.name, read(part, found[part.name], place)

    def _entries(self, part: Section, found: object, place: str) -> list[Values]:
        if not isinstance(found, list):
            self.problems.add(place, str(expected(f"sections [[{part.name}]]", found)))
            return []
        return [self.read(part, entry, _placed(part, place, entry, at)) for at, entry in enumerate(found, start=1)]


def _under(place: str, name: str) -> str:
    plain = name if name.isprintable() else repr(name)
    return f"{place}.{plain}" if place else plain


def _placed(part: Section, place: str, entry: object, at: int) -> str:
    """Name an entry by its first key, or by its index if it has none."""
    name = entry.get(part.keys[0].name) if isinstance(entry, dict) else None
    return f"{place}[{name}]" if isinstance(name, str) and name.isprintable() else f"{place}[#{at}]"
