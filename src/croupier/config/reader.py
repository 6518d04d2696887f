"""Reads and validates a configuration file, and writes a template of one."""

import inspect
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import MISSING, dataclass, fields, is_dataclass, replace
from decimal import Decimal
from functools import cache
from importlib.resources import files
from pathlib import Path
from textwrap import wrap
from typing import Any, Final, NamedTuple, Self, get_args, get_origin, get_type_hints

import msgspec

from croupier.config.fields import (
    Excluded,
    FieldFlag,
    Key,
    Problems,
    Section,
    SectionReader,
    Values,
    ValueType,
    bare,
    closest_name,
    value_type,
)
from croupier.config.provisioning import create_house
from croupier.config.schema import Config, Limits, TableConfig, TerminalConfig
from croupier.house import AnyCommand, House, apply
from croupier.house.floor.settings import settings_objections, terminal_objections
from croupier.house.floor.setup import AddTable, AdoptRulebook
from croupier.house.floor.staff import EnrolDevice, titles_known
from croupier.house.ids import SYSTEM, Context, DeviceId, Instant, TableId, TerminalId
from croupier.house.settings import LimitSettings, Mode, Setting, TableSettings, WheelKind
from croupier.journal.keystore import KeyStore
from croupier.rulebooks.schema import canonical, read_canonical
from croupier.rules.refusal import Code, Refusal


class _Field(NamedTuple):
    """A field of a declaring class, with its annotation taken apart."""

    name: str
    hint: Any
    metadata: tuple[Any, ...]
    default: Any

    @classmethod
    def of(cls, name: str, hint: Any, default: Any) -> Self:  # noqa: ANN401 - as it was declared
        metadata = getattr(hint, "__metadata__", ())
        return cls(name, bare(get_args(hint)[0] if metadata else hint), metadata, default)

    def annotation(self, kind: type[Any]) -> Any:  # noqa: ANN401 - any kind of annotation
        return next((each for each in self.metadata if isinstance(each, kind)), None)

    @property
    def entry(self) -> Any:  # noqa: ANN401 - a dataclass, or None
        """The class of each entry, where the field is an array of sections."""
        each = get_args(self.hint)[0] if get_origin(self.hint) is tuple else None
        return each if isinstance(each, type) and is_dataclass(each) else None

    @property
    def flat(self) -> bool:
        return FieldFlag.FLAT in self.metadata or self.hint is LimitSettings

    @property
    def declares(self) -> Any:  # noqa: ANN401 - a class, of a dataclass or of a struct
        """The class that declares the keys of the field."""
        return Limits if self.hint is LimitSettings else self.hint


@cache
def _fields(cls: Any) -> tuple[_Field, ...]:  # noqa: ANN401 - a dataclass or a struct
    declared = fields(cls) if is_dataclass(cls) else msgspec.structs.fields(cls)
    defaults = {each.name: _default(each) for each in declared}
    hints = get_type_hints(cls, include_extras=True)
    return tuple(_Field.of(name, hint, defaults[name]) for name, hint in hints.items())


def _default(each: Any) -> Any:  # noqa: ANN401 - a field of a dataclass or of a struct
    if each.default_factory not in (MISSING, msgspec.NODEFAULT):
        return each.default_factory()
    return MISSING if each.default is msgspec.NODEFAULT else each.default


@cache
def section_of(
    cls: Any,  # noqa: ANN401 - a dataclass or a struct
    name: str = "",
    *,
    many: bool = False,
    excluded: Excluded = Excluded(()),  # noqa: B008 - a constant
    required: bool = False,
) -> Section:
    """Derive a section of the file from the class that declares its keys."""
    keys, parts = list[Key](), list[Section]()
    for each in _fields(cls):
        if each.name in excluded.names:
            continue
        if (setting := each.annotation(Setting)) is not None:
            values = each.annotation(Excluded) or Excluded(())
            declared = each.annotation(ValueType) or value_type(each.hint, setting, values.names)
            keys.append(Key(each.name, declared, setting, each.default))
        elif each.flat:
            flat = section_of(each.declares)
            keys += flat.keys
            parts += flat.parts
        elif (section := each.annotation(Section)) is not None:
            parts.append(section)
        elif each.entry is not None:
            parts.append(section_of(each.entry, each.name, many=True, required=FieldFlag.REQUIRED in each.metadata))
        else:
            parts.append(section_of(each.hint, each.name, excluded=each.annotation(Excluded) or Excluded(())))
    words = excluded.description or " ".join((inspect.getdoc(cls) or "").split())
    return Section(name, words, tuple(keys), tuple(parts), many, required)


#: The whole file.
CONFIG: Final = section_of(Config, required=True)


def build(cls: Any, values: Values) -> Any:  # noqa: ANN401 - an instance of the class
    """Build an instance of a declaring class from its valid values; None where a required one is missing."""
    found = {}
    for each in _fields(cls):
        if each.flat:
            own = {key: values[key] for key in section_of(each.declares).known if values.get(key, {}) != {}}
            value = build(each.declares, own) if own else None
            found[each.name] = value.settings() if isinstance(value, Limits) else value
        elif each.name in values:
            found[each.name] = _value(each, values[each.name])
        elif each.default is MISSING:
            return None
    return cls(**{name: value for name, value in found.items() if value is not None})


def _value(each: _Field, value: Any) -> Any:  # noqa: ANN401 - as the field is declared
    if each.entry is not None:
        return tuple(built for entry in value if (built := build(each.entry, entry)) is not None)
    if each.annotation(Setting) is None and each.annotation(Section) is None:
        return build(each.hint, value)
    return value


class ParsedConfig(NamedTuple):
    """A configuration that may be inconsistent, with what its validation needs."""

    config: Config
    #: The terminals, each with its place in the file.
    terminals: list[tuple[str, TerminalConfig]]
    #: Tables whose rulebook could not be read.
    unread: frozenset[TableId]
    #: Whether every table could be read.
    whole: bool


def parse_values(values: Values, folder: Path) -> ParsedConfig:
    """Build a configuration from the valid values. Missing and invalid ones are problems already, and left out here."""
    values.setdefault("venue", "")
    data = values.setdefault("data", folder / next(each.default for each in CONFIG.keys if each.name == "data"))
    values.setdefault("key_store", KeyStore.default_for(data).path)
    named = [entry for entry in values.get("tables", []) if "id" in entry]
    config: Config = build(Config, values)
    terminals = [(f"tables[{table.id}].seats", seat) for table in config.tables for seat in _seats(table)]
    terminals += [(f"terminals[{terminal.id}]", terminal) for terminal in config.terminals]
    unread = frozenset(entry["id"] for entry in named if "rulebook" not in entry)
    whole = 0 < len(values.get("tables", [])) == len(config.tables)
    config = replace(config, terminals=tuple(terminal for _, terminal in terminals))
    return ParsedConfig(config, terminals, unread, whole)


def _seats(table: TableConfig) -> Iterator[TerminalConfig]:
    for number in range(1, table.seats + 1):
        terminal = TerminalId(f"{table.id}-{number}")
        yield TerminalConfig(terminal, (table.id,), table.seat, table.acceptor, table.printer, table.sas)


_CONTEXT = Context(Instant(0), SYSTEM)


class ProvisioningCheck:
    """Applies one file to a temporary house: its refusals become problems, in the house's own words."""

    def __init__(self, parsed: ParsedConfig, problems: Problems) -> None:
        self._parsed, self._config, self._problems = parsed, parsed.config, problems
        self._house = House.new(read_canonical)
        #: Whether a rulebook could not be read or adopted: it may define any title.
        self._incomplete = not parsed.whole

    def run(self) -> None:
        config = self._config
        refused = self._objection(create_house(config))
        assert refused is None
        for table in config.tables:
            self._table(table)
        for place, terminal in self._parsed.terminals:
            self._terminal(place, terminal)
        for console in config.consoles:
            self._name(f"consoles[{console.id}]", console.id)
        self._titles()
        self._shared_tickets()

    def _shared_tickets(self) -> None:
        config, shared = self._config, self._config.shared_tickets
        if shared.venues and shared.key is None:
            self._problems.add("shared_tickets.key", "Name the key that the venues share.")
        if shared.venues and config.journal is None:
            self._problems.add("shared_tickets.venues", "Venues share tickets through a journal in PostgreSQL.")
        if config.venue in shared.venues:
            self._problems.add("shared_tickets.venues", "This venue is not another one.")
        if shared.pots and shared.keeper not in (config.venue, *shared.venues):
            self._problems.add(
                "shared_tickets.keeper", "Name the venue that keeps the pots: this one, or one of venues."
            )

    def _objection(self, command: AnyCommand) -> Refusal | None:
        decision = apply(self._house, command, _CONTEXT)
        return decision if isinstance(decision, Refusal) else None

    def _table(self, table: TableConfig) -> None:
        place, rulebook = f"tables[{table.id}]", table.rulebook
        objections = tuple(settings_objections(rulebook, table.settings))
        for objection in objections:
            self._problems.cite(_key(place, objection), objection)
        adopt = AdoptRulebook(canonical(rulebook))
        refused = self._objection(adopt) if rulebook.digest not in self._house.rulebooks else None
        if refused is not None:
            self._incomplete = True
            self._problems.cite(f"{place}.rulebook", refused)
            return
        # Settings with problems were reported above.
        settings = TableSettings() if objections else table.settings
        if (taken := self._objection(AddTable(table.id, rulebook.digest, settings))) is not None:
            self._problems.cite(_key(place, taken), taken)

    def _terminal(self, place: str, terminal: TerminalConfig) -> None:
        tables = self._house.tables
        self._name(place, terminal.id)
        known = {*tables, *self._parsed.unread, *(table.id for table in self._config.tables)}
        for unknown in (table for table in terminal.tables if table not in known):
            says = f"there is no table {unknown}{closest_name(unknown, known)}"
            self._problems.add(f"{place}.tables", says)
        if not terminal.tables:
            self._problems.add(f"{place}.tables", "at least one table is required")
        own = [tables[table] for table in terminal.tables if table in tables]
        for objection in terminal_objections(self._house, own, terminal.settings) if own else ():
            self._problems.cite(_key(place, objection), objection)

    def _name(self, key: str, name: str) -> None:
        """Reserve a name, which must be unique among devices."""
        objection = self._objection(EnrolDevice(DeviceId(name)))
        if objection is not None:
            self._problems.cite(key, objection)

    def _titles(self) -> None:
        known = titles_known(self._house)
        for member in () if self._incomplete else self._config.staff:
            for title in (each for each in member.titles if each not in known):
                says = f"no rulebook in use defines the title {title}{closest_name(title, known)}"
                self._problems.add(f"staff[{member.person}].titles", says)


#: The keys of the file for the house's limits; those of a kind of bet are under kinds.
_LIMIT_KEYS: Final[dict[object, str]] = {
    ("spot", "least"): "minimum",
    ("spot", "most"): "maximum",
    ("total", "least"): "total_minimum",
    ("total", "most"): "total_maximum",
}


def _key(place: str, objection: Refusal) -> str:
    """Name the key that a refusal of the house is about, if it names a setting."""
    setting, bound = objection.facts.get("setting"), objection.facts.get("bound")
    if setting is None:
        return place
    return f"{place}.{setting if bound is None else _LIMIT_KEYS.get((setting, bound), 'kinds')}"


def validate(parsed: ParsedConfig, problems: Problems) -> None:
    """Find everything that is inconsistent."""
    ProvisioningCheck(parsed, problems).run()
    _directories(parsed.config, problems)
    _passwords(parsed.config, problems)
    _duplicates("staff", (member.person for member in parsed.config.staff), problems)
    _duplicates("approvals", (approval.version for approval in parsed.config.approvals), problems)
    for table in parsed.config.tables:
        _wheel(table, parsed.config.mode, problems)
        _float(table, parsed.config.mode, problems)


def _directories(config: Config, problems: Problems) -> None:
    data, keys = config.data.resolve(), config.key_store.resolve()
    if data.is_relative_to(keys) or keys.is_relative_to(data):
        says = f"{keys} and the data directory {data} must not contain each other"
        problems.add("key_store", says)


def _passwords(config: Config, problems: Problems) -> None:
    """Refuse passwords in a file for real money: other people know them too."""
    for member in config.staff if config.mode is not Mode.DEMO else ():
        if member.password is not None:
            says = "a password is allowed in demo mode only: with real money each person chooses their own"
            problems.add(f"staff[{member.person}].password", says, Code.DEFAULT_CREDENTIALS)


def _duplicates(name: str, entries: Iterable[str], problems: Problems) -> None:
    for entry, count in Counter(entries).items():
        if count > 1:
            problems.add(f"{name}[{entry}]", f"appears {count} times")


def _wheel(table: TableConfig, mode: Mode, problems: Problems) -> None:
    """Check that a driver is for a wheel with sensors and for this money, and that a random ball rests in time."""
    rest_s = table.settings.rest_s
    if table.driver is not None and table.settings.wheel is not WheelKind.SENSOR:
        says = f'goes with wheel = "{WheelKind.SENSOR}" only, and the wheel here is {table.settings.wheel}'
        problems.add(f"tables[{table.id}].driver", says)
    if mode is Mode.REAL and getattr(table.driver, "demo_only", False):
        problems.add(f"tables[{table.id}].driver", "is for demo money only: it plays games without a wheel")
    if table.settings.wheel is WheelKind.RANDOM and table.spin_s >= rest_s:
        says = f"must be less than rest_s, {rest_s}: from then on the ball counts as not seated"
        problems.add(f"tables[{table.id}].spin_s", says)


def _float(table: TableConfig, mode: Mode, problems: Problems) -> None:
    """Check that a float that opens by itself is that of a live table, and for demo money."""
    if table.float_pieces and (mode is Mode.REAL or table.settings.live is None):
        problems.add(f"tables[{table.id}].float_pieces", "is for a live table with demo money only")


def read_config(path: Path) -> Config | Refusal:
    """Read a configuration from its file."""
    try:
        text = path.read_text("utf-8-sig")
    except OSError as error:
        return _unreadable(path, f"cannot be read: {error.strerror}")
    except UnicodeDecodeError as error:
        return _unreadable(path, f"is not UTF-8 text: byte {error.start}")
    return parse_config(text, where=path)


def parse_config(text: str, *, where: Path) -> Config | Refusal:
    """Read a configuration from its text, with paths relative to the file that is named."""
    try:
        # A decimal is read exactly: money is never a float.
        tables = tomllib.loads(text, parse_float=Decimal)
    except ArithmeticError:
        return _unreadable(where, "has a number that is out of range")
    except (ValueError, RecursionError) as error:  # syntax, a number too long, nesting too deep
        return _unreadable(where, f"is not TOML: {error}")
    problems, folder = Problems(where), where.absolute().parent
    parsed = parse_values(SectionReader(folder, problems).read(CONFIG, tables), folder)
    validate(parsed, problems)
    return problems.refusal() or parsed.config


def _unreadable(where: Path, says: str) -> Refusal:
    problems = Problems(where)
    problems.add("", says, Code.MALFORMED)
    refusal = problems.refusal()
    assert refusal is not None
    return refusal


_DEMO = "demo.toml"


def demo_config(folder: Path) -> Config:
    """Read the demo configuration, with its data in a directory."""
    text = files(__package__).joinpath(_DEMO).read_text("utf-8")
    config = parse_config(text, where=folder / _DEMO)
    assert isinstance(config, Config)
    return config


_WIDTH: Final = 100

_HEAD: Final = (
    "One venue of Croupier. Every key is in this file. A key behind a # has its default, or an example if there is no "
    "default: remove the # to set it."
)

#: The values that a template sets, by section: in demo mode rounds run by themselves, at a few seats.
_CHOSEN: Final = {
    Mode.DEMO: {"tables": {"seats": "8", "wheel": '"random"', "betting_s": "25", "pause_s": "6"}},
    Mode.REAL: {"": {"mode": '"real"'}},
}

#: Keys that a file for real money must not have.
_DEMO_ONLY: Final = ("password",)


def template(mode: Mode, build: str) -> str:
    """Write a configuration to begin with. The running build is the example of an approved one."""
    lines = (*_prose(_HEAD), *_TemplateWriter(mode, build).section(CONFIG, live=True))
    return "\n".join(lines) + "\n"


@dataclass(frozen=True, slots=True)
class _TemplateWriter:
    mode: Mode
    build: str

    def section(self, section: Section, parent: str = "", *, live: bool) -> Iterator[str]:
        """Write a section and its parts; behind a # if it is not live, or needs a value that is not chosen."""
        live = live and (section.required or not any(key.required for key in section.keys))
        name = f"{parent}.{section.name}" if parent else section.name
        if section.name:
            yield from ("", "", *_prose(section.description))
            yield _line(f"[[{name}]]" if section.many else f"[{name}]", live=live)
        yield from self._keys(section, live=live)
        for part in section.parts:
            yield from self.section(part, name, live=live)

    def _keys(self, section: Section, *, live: bool) -> Iterator[str]:
        """Write the keys of a section; the same comment on several keys is written once."""
        last: list[str] = []
        for key in section.keys:
            if self.mode is Mode.DEMO or key.name not in _DEMO_ONLY:
                comment = [*_prose(key.setting.description), *_prose(_type_and_default(key))]
                yield from () if comment == last else ("", *comment)
                yield self._key(section, key, live=live)
                last = comment

    def _key(self, section: Section, key: Key, *, live: bool) -> str:
        chosen = _CHOSEN[self.mode].get(section.name, {})
        written = f'"{self.build}"' if key.name == "version" else chosen.get(key.name, key.written)
        return _line(f"{key.name} = {written}", live=live and (key.required or key.name in chosen))


def _type_and_default(key: Key) -> str:
    label = "Default" if key.without == key.written else "Without it"
    return f"Takes {key.type.words}. {'Required.' if key.required else f'{label}: {key.without}.'}"


def _line(text: str, *, live: bool) -> str:
    return text if live else f"#{text}"


def _prose(text: str) -> list[str]:
    return [f"# {line}" for line in wrap(text, _WIDTH - 2)]
