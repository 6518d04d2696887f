"""Reads, validates and writes a configuration file."""

import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from importlib.resources import files
from pathlib import Path
from textwrap import wrap
from typing import Final, NamedTuple

import msgspec

from croupier.config.fields import Field, Problems, Section, SectionReader, Values, closest_name
from croupier.config.provisioning import found_house
from croupier.config.schema import (
    CONFIG,
    EVEN_MONEY,
    EVEN_MONEY_KINDS,
    Approval,
    Config,
    ConnectionLimits,
    ConsoleConfig,
    Listen,
    Log,
    Players,
    RetentionConfig,
    StaffConfig,
    TableConfig,
    TerminalConfig,
    Tls,
)
from croupier.house.commands import AnyCommand
from croupier.house.commands.setup import AddTable, AdoptRulebook, EnrolDevice
from croupier.house.dispatch import apply
from croupier.house.ids import SYSTEM, Context, DeviceId, Instant, TableId, TerminalId
from croupier.house.settings import LimitBounds, LimitSettings, Mode, TableSettings, TerminalSettings, WheelKind
from croupier.house.setup import settings_objections, terminal_objections
from croupier.house.staff import titles_known
from croupier.house.state import House
from croupier.journal.keystore import KeyStore
from croupier.rulebooks.schema import canonical, read_canonical
from croupier.rules.geometry import SpotKind
from croupier.rules.refusal import Code, Refusal

#: The keys of limits, which the house keeps together.
_DRAFT_LIMITS: Final = ("minimum", "maximum", "total_minimum", "total_maximum", "kinds")


class ParsedConfig(NamedTuple):
    """A configuration that may not hold together, with what a proof of it must know."""

    config: Config
    #: The terminals, each with its place in the file.
    terminals: list[tuple[str, TerminalConfig]]
    #: Tables that are there, and whose rulebook could not be read.
    unread: frozenset[TableId]
    #: Whether every table that is there could be read.
    whole: bool


def parse_values(values: Values, folder: Path) -> ParsedConfig:
    """Put together what was read; what is missing or wrong has been complained of, and is left out here."""
    named = _with(values, "tables", "id")
    terminals = [(f"tables[{entry['id']}].seats", seat) for entry in named for seat in _seats(entry)]
    terminals += [
        (f"terminals[{entry['id']}]", _terminal(entry)) for entry in _with(values, "terminals", "id", "tables")
    ]
    data = values.get("data", folder / "data")
    config = Config(
        **{key: value for key, value in values.items() if key in _PLAIN},
        venue=values.get("venue", ""),
        data=data,
        safe=values.get("safe", KeyStore.default_for(data).path),
        tables=tuple(_table(entry) for entry in named if "rulebook" in entry),
        terminals=tuple(terminal for _, terminal in terminals),
        listen=_listen(values.get("listen", {})),
        consoles=tuple(ConsoleConfig(**entry) for entry in _with(values, "consoles", "id", "role")),
        staff=tuple(StaffConfig(**entry) for entry in _with(values, "staff", "person")),
        approvals=tuple(Approval(**entry) for entry in _with(values, "approvals", "version", "reference")),
        players=Players(**values.get("players", {})),
        limits=ConnectionLimits(**values.get("limits", {})),
        log=Log(**values.get("log", {})),
        keep=RetentionConfig(**values.get("keep", {})),
    )
    unread = frozenset(entry["id"] for entry in named if "rulebook" not in entry)
    return ParsedConfig(config, terminals, unread, 0 < len(values.get("tables", [])) == len(config.tables))


#: Keys whose values stand in the configuration as they are.
_PLAIN: Final = ("mode", "timezone", "day_begins", "ticket_days", "records_kept", "witness")


def _with(values: Values, name: str, *keys: str) -> list[Values]:
    """Those entries that have these keys."""
    return [entry for entry in values.get(name, []) if entry.keys() >= set(keys)]


def _listen(values: Values) -> Listen:
    tls = values.get("tls", {})
    both = tls.keys() >= {"certificate", "key"}
    return Listen(**{**values, "tls": Tls(**tls) if both else None})


def _table(entry: Values) -> TableConfig:
    apart = ("id", "rulebook", "seats", "seat", "spin_s")
    settings = {key: value for key, value in entry.items() if key not in (*apart, *_DRAFT_LIMITS)}
    own = {key: entry[key] for key in ("id", "rulebook", "spin_s") if key in entry}
    return TableConfig(**own, settings=TableSettings(limits=_limits(entry), **settings))


def _seats(entry: Values) -> Iterator[TerminalConfig]:
    settings = TerminalSettings(**entry.get("seat", {}))
    for number in range(1, entry.get("seats", 0) + 1):
        yield TerminalConfig(TerminalId(f"{entry['id']}-{number}"), (entry["id"],), settings)


def _terminal(entry: Values) -> TerminalConfig:
    settings = {key: value for key, value in entry.items() if key not in ("id", "tables", *_DRAFT_LIMITS)}
    limits = _limits(entry) if any(entry.get(key, {}) != {} for key in _DRAFT_LIMITS) else None
    return TerminalConfig(entry["id"], entry["tables"], TerminalSettings(limits=limits, **settings))


def _limits(entry: Values) -> LimitSettings:
    spot = LimitBounds(entry.get("minimum"), entry.get("maximum"))
    total = LimitBounds(entry.get("total_minimum"), entry.get("total_maximum"))
    kinds: dict[SpotKind, LimitBounds] = {}
    # What is said of one kind counts before what is said of all even chances.
    named = sorted(entry.get("kinds", {}).items(), key=lambda each: each[0] != EVEN_MONEY)
    for name, bounds in named:
        for kind in EVEN_MONEY_KINDS if name == EVEN_MONEY else (SpotKind(name),):
            kinds[kind] = _within(bounds, kinds.get(kind, spot))
    return LimitSettings(spot, tuple((kind, kinds[kind]) for kind in SpotKind if kind in kinds), total)


def _within(bounds: LimitBounds, others: LimitBounds) -> LimitBounds:
    """A kind keeps the bound of a spot that it has none of its own for."""
    own = {name: value for name, value in msgspec.structs.asdict(bounds).items() if value is not None}
    return msgspec.structs.replace(others, **own)


_STAMP = Context(Instant(0), SYSTEM)


class ProvisioningCheck:
    """A trial of one file: what the house would refuse of it is complained of in the house's own words."""

    def __init__(self, draft: ParsedConfig, complaints: Problems) -> None:
        self._draft, self._config, self._complaints = draft, draft.config, complaints
        self._house = House(read_canonical)
        #: Whether there is a rulebook that could not be taken: it may know any title.
        self._unsure = not draft.whole

    def hold(self) -> None:
        config = self._config
        refused = self._objection(found_house(config))
        assert refused is None
        for table in config.tables:
            self._table(table)
        for place, terminal in self._draft.terminals:
            self._terminal(place, terminal)
        for console in config.consoles:
            self._name(f"consoles[{console.id}]", console.id)
        self._titles()

    def _objection(self, command: AnyCommand) -> Refusal | None:
        decision = apply(self._house, command, _STAMP)
        return decision if isinstance(decision, Refusal) else None

    def _table(self, table: TableConfig) -> None:
        place, rulebook = f"tables[{table.id}]", table.rulebook
        for objection in settings_objections(rulebook, table.settings):
            self._complaints.cite(_key(place, objection), objection)
        adopts = AdoptRulebook(canonical(rulebook))
        refused = self._objection(adopts) if rulebook.digest not in self._house.rulebooks else None
        if refused is not None:
            self._unsure = True
            self._complaints.cite(f"{place}.rulebook", refused)
        # Its settings were looked at above: here it only takes its place and its name.
        elif (taken := self._objection(AddTable(table.id, rulebook.digest, TableSettings()))) is not None:
            self._complaints.cite(place, taken)

    def _terminal(self, place: str, terminal: TerminalConfig) -> None:
        there = self._house.tables
        self._name(place, terminal.id)
        known = {*there, *self._draft.unread, *(table.id for table in self._config.tables)}
        for stranger in (table for table in terminal.tables if table not in known):
            says = f"there is no table {stranger}{closest_name(stranger, known)}"
            self._complaints.add(f"{place}.tables", says)
        if not terminal.tables:
            self._complaints.add(f"{place}.tables", "a terminal stands at a table")
        tables = [there[table] for table in terminal.tables if table in there]
        for objection in terminal_objections(self._house, tables, terminal.settings) if tables else ():
            self._complaints.cite(_key(place, objection), objection)

    def _name(self, key: str, name: str) -> None:
        """Take a name, which nothing else here may go by."""
        objection = self._objection(EnrolDevice(DeviceId(name)))
        if objection is not None:
            self._complaints.cite(key, objection)

    def _titles(self) -> None:
        known = titles_known(self._house)
        for member in () if self._unsure else self._config.staff:
            for title in (each for each in member.titles if each not in known):
                says = f"no rulebook in use here knows the title {title}{closest_name(title, known)}"
                self._complaints.add(f"staff[{member.person}].titles", says)


#: The keys under which the file has the limits that the house keeps together; those of a kind stand under its kinds.
_PROVISIONING_LIMITS: Final[dict[object, str]] = {
    ("spot", "least"): "minimum",
    ("spot", "most"): "maximum",
    ("total", "least"): "total_minimum",
    ("total", "most"): "total_maximum",
}


def _key(place: str, objection: Refusal) -> str:
    """Name the key that the house objects to, where it says which setting it is."""
    setting, bound = objection.facts.get("setting"), objection.facts.get("bound")
    if setting is None:
        return place
    return f"{place}.{setting if bound is None else _PROVISIONING_LIMITS.get((setting, bound), 'kinds')}"


def validate(draft: ParsedConfig, complaints: Problems) -> None:
    """Complain of everything that does not hold together."""
    ProvisioningCheck(draft, complaints).hold()
    _directories(draft.config, complaints)
    _secrets(draft.config, complaints)
    _twice("staff", (member.person for member in draft.config.staff), complaints)
    _twice("approvals", (approval.version for approval in draft.config.approvals), complaints)
    for table in draft.config.tables:
        _wheel(table, complaints)


def _directories(config: Config, complaints: Problems) -> None:
    data, safe = config.data.resolve(), config.safe.resolve()
    if data.is_relative_to(safe) or safe.is_relative_to(data):
        says = f"{safe} and the data in {data} lie one in the other: whoever takes one would have both"
        complaints.add("safe", says)


def _secrets(config: Config, complaints: Problems) -> None:
    """With real money, a secret that stands in a file is one that others know too."""
    for member in config.staff if config.mode is not Mode.DEMO else ():
        if member.secret is not None:
            says = "a secret that stands in a file is for demonstrations: with real money each person chooses their own"
            complaints.add(f"staff[{member.person}].secret", says, Code.DEFAULT_CREDENTIALS)


def _twice(name: str, entries: Iterable[str], complaints: Problems) -> None:
    for entry, count in Counter(entries).items():
        if count > 1:
            complaints.add(f"{name}[{entry}]", f"is there {count} times")


def _wheel(table: TableConfig, complaints: Problems) -> None:
    """Hold a random wheel's time against the table's patience with the ball; a real wheel keeps its own time."""
    rest_s = table.settings.rest_s
    if table.settings.wheel is WheelKind.RANDOM and table.spin_s >= rest_s:
        says = f"the ball would count as not seated, {rest_s} s after the launch, before it has come to rest"
        complaints.add(f"tables[{table.id}].spin_s", says)


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
    """Read a configuration from its text, as if it stood in the file that is named."""
    try:
        # A decimal is taken as it was written: money is never a float.
        tables = tomllib.loads(text, parse_float=Decimal)
    except ArithmeticError:
        return _unreadable(where, "has a figure that is beyond what can be counted")
    except (ValueError, RecursionError) as error:  # TOML's own error, a figure or a nesting without end
        return _unreadable(where, f"is not TOML: {error}")
    complaints, folder = Problems(where), where.absolute().parent
    draft = parse_values(SectionReader(folder, complaints).read(CONFIG, tables), folder)
    validate(draft, complaints)
    return complaints.refusal() or draft.config


def _unreadable(where: Path, says: str) -> Refusal:
    complaints = Problems(where)
    complaints.add("", says, Code.MALFORMED)
    refusal = complaints.refusal()
    assert refusal is not None
    return refusal


_DEMO = "demo.toml"


def demo_config(folder: Path) -> Config:
    """Set up the demonstration, with its data in a folder."""
    text = files(__package__).joinpath(_DEMO).read_text("utf-8")
    config = parse_config(text, where=folder / _DEMO)
    assert isinstance(config, Config)
    return config


_WIDTH: Final = 100

_HEAD: Final = (
    "One venue of Croupier. Every key that there is stands here. A key behind a # has its default, or an example "
    "where there is none: take the # away to set it."
)

#: What is set from the start, by section: a demonstration plays by itself, at a few seats.
_CHOSEN: Final = {
    Mode.DEMO: {"tables": {"seats": "8", "wheel": '"random"', "betting_s": "25", "pause_s": "6"}},
    Mode.REAL: {"": {"mode": '"real"'}},
}

#: What has no place in the file of a house with real money.
_DEMO_ONLY: Final = ("secret",)


def template(mode: Mode, software: str) -> str:
    """Write a configuration to begin with, which the software that is running may be approved in."""
    lines = (*_prose(_HEAD), *_TemplateWriter(mode, software).section(CONFIG, live=True))
    return "\n".join(lines) + "\n"


@dataclass(frozen=True, slots=True)
class _TemplateWriter:
    mode: Mode
    software: str

    def section(self, section: Section, parent: str = "", *, live: bool) -> Iterator[str]:
        """Write a section and its parts; behind a # where it is not live, or could not stand without a choice."""
        live = live and (section.required or not any(key.required for key in section.keys))
        name = f"{parent}.{section.name}" if parent else section.name
        if section.name:
            yield from ("", "", *_prose(section.means))
            yield _line(f"[[{name}]]" if section.many else f"[{name}]", live=live)
        yield from self._keys(section, live=live)
        for part in section.parts:
            yield from self.section(part, name, live=live)

    def _keys(self, section: Section, *, live: bool) -> Iterator[str]:
        """Write the keys of a section; what is to be said of several is said once."""
        said: list[str] = []
        for key in section.keys:
            if self.mode is Mode.DEMO or key.name not in _DEMO_ONLY:
                told = [*_prose(key.means), *_prose(_takes(key))]
                yield from () if told == said else ("", *told)
                yield self._key(section, key, live=live)
                said = told

    def _key(self, section: Section, key: Field, *, live: bool) -> str:
        chosen = _CHOSEN[self.mode].get(section.name, {})
        written = f'"{self.software}"' if key.name == "version" else chosen.get(key.name, key.written)
        return _line(f"{key.name} = {written}", live=live and (key.required or key.name in chosen))


def _takes(key: Field) -> str:
    without = "Default" if key.default == key.written else "Without it"
    return f"Takes {key.form.words}. {'Required.' if key.required else f'{without}: {key.default}.'}"


def _line(text: str, *, live: bool) -> str:
    return text if live else f"#{text}"


def _prose(text: str) -> list[str]:
    return [f"# {line}" for line in wrap(text, _WIDTH - 2)]
