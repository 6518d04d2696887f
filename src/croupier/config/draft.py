"""The draft: what was read of a file put into the shape of a configuration, before its parts are held together."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from croupier.config.keys import EVEN_MONEY, EVEN_MONEY_KINDS
from croupier.config.section import Values
from croupier.config.shape import (
    Approval,
    Config,
    Console,
    DoorLimits,
    Keep,
    Listen,
    Log,
    Member,
    Players,
    TableConfig,
    TerminalConfig,
    Tls,
)
from croupier.house.name import TableId, TerminalId
from croupier.house.settings import Bounds, LimitSettings, TableSettings, TerminalSettings
from croupier.journal.safe import Safe
from croupier.rules.spot import Kind

#: The keys of limits, which the house keeps together.
_LIMITS: Final = ("minimum", "maximum", "total_minimum", "total_maximum", "kinds")


class Draft(NamedTuple):
    """A configuration that may not hold together, with what a proof of it must know."""

    config: Config
    #: The terminals, each with its place in the file.
    terminals: list[tuple[str, TerminalConfig]]
    #: Tables that are there, and whose rulebook could not be read.
    unread: frozenset[TableId]
    #: Whether every table that is there could be read.
    whole: bool


def drafted(values: Values, folder: Path) -> Draft:
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
        safe=values.get("safe", Safe.beside(data).path),
        tables=tuple(_table(entry) for entry in named if "rulebook" in entry),
        terminals=tuple(terminal for _, terminal in terminals),
        listen=_listen(values.get("listen", {})),
        consoles=tuple(Console(**entry) for entry in _with(values, "consoles", "id", "role")),
        staff=tuple(Member(**entry) for entry in _with(values, "staff", "person")),
        approvals=tuple(Approval(**entry) for entry in _with(values, "approvals", "version", "reference")),
        players=Players(**values.get("players", {})),
        limits=DoorLimits(**values.get("limits", {})),
        log=Log(**values.get("log", {})),
        keep=Keep(**values.get("keep", {})),
    )
    unread = frozenset(entry["id"] for entry in named if "rulebook" not in entry)
    return Draft(config, terminals, unread, 0 < len(values.get("tables", [])) == len(config.tables))


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
    settings = {key: value for key, value in entry.items() if key not in (*apart, *_LIMITS)}
    own = {key: entry[key] for key in ("id", "rulebook", "spin_s") if key in entry}
    return TableConfig(**own, settings=TableSettings(limits=_limits(entry), **settings))


def _seats(entry: Values) -> Iterator[TerminalConfig]:
    settings = TerminalSettings(**entry.get("seat", {}))
    for number in range(1, entry.get("seats", 0) + 1):
        yield TerminalConfig(TerminalId(f"{entry['id']}-{number}"), (entry["id"],), settings)


def _terminal(entry: Values) -> TerminalConfig:
    settings = {key: value for key, value in entry.items() if key not in ("id", "tables", *_LIMITS)}
    limits = _limits(entry) if any(entry.get(key, {}) != {} for key in _LIMITS) else None
    return TerminalConfig(entry["id"], entry["tables"], TerminalSettings(limits=limits, **settings))


def _limits(entry: Values) -> LimitSettings:
    spot = Bounds(entry.get("minimum"), entry.get("maximum"))
    total = Bounds(entry.get("total_minimum"), entry.get("total_maximum"))
    kinds: dict[Kind, Bounds] = {}
    # What is said of one kind counts before what is said of all even chances.
    named = sorted(entry.get("kinds", {}).items(), key=lambda each: each[0] != EVEN_MONEY)
    for name, bounds in named:
        for kind in EVEN_MONEY_KINDS if name == EVEN_MONEY else (Kind(name),):
            kinds[kind] = _within(bounds, kinds.get(kind, spot))
    return LimitSettings(spot, tuple((kind, kinds[kind]) for kind in Kind if kind in kinds), total)


def _within(bounds: Bounds, others: Bounds) -> Bounds:
    """A kind keeps the bound of a spot that it has none of its own for."""
    own = {name: value for name, value in msgspec.structs.asdict(bounds).items() if value is not None}
    return msgspec.structs.replace(others, **own)
