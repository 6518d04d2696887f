"""Differences: where a configuration and the journal do not agree, and where that is put right instead."""

from collections.abc import Iterable, Iterator

import msgspec

from croupier.config.shape import Config, TableConfig, TerminalConfig
from croupier.house.name import DeviceId
from croupier.house.settings import Mode
from croupier.house.state import House
from croupier.house.table import Table
from croupier.house.terminal import Terminal
from croupier.house.venue import coming
from croupier.rules.refusal import Code, Refusal
from croupier.rules.rulebook import Rulebook

_AT_THE_PIT = "at the pit console, with two signatures"


def contradiction(config: Config, house: House) -> Refusal | None:
    """Say why a house must not be run on this configuration: it is not the house that the configuration is of."""
    if house.mode is None:
        return None
    pairs = {
        "mode": (house.mode.value, config.mode.value),
        "venue": (house.venue, config.venue),
        "timezone": (house.timezone, config.timezone),
    }
    other = {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}
    if not other:
        return None
    # What was founded in play money must never be paid out in real money.
    why = ["Demo and real money never mix."] if "mode" in other else []
    told = [_FIXED.format(name=name, journal=journal, file=file) for name, (journal, file) in other.items()]
    return Refusal(Code.SETTING_IMPOSSIBLE, None, " ".join(why + told), other)


_FIXED = "The {name} is fixed in the journal's first entry, as {journal!r}, and the file says {file!r}."


def differences(config: Config, house: House) -> tuple[str, ...]:
    """Say what the file says otherwise than the journal and a file does not change, each with where it is changed."""
    if house.mode is None:
        return ()
    return (*_tickets(config, house), *_tables(config, house), *_terminals(config, house), *_people(config, house))


#: What is read at a start alone.
AT_START = ("data", "safe", "listen", "limits", "log")


def postponed(before: Config, config: Config) -> tuple[str, ...]:
    """Say what a configuration that is read again says otherwise, and what counts from the next start."""
    others = (name for name in AT_START if getattr(before, name) != getattr(config, name))
    return tuple(f"What the file says of {name} counts from the next start." for name in others)


def _tickets(config: Config, house: House) -> Iterator[str]:
    if config.ticket_days != house.ticket_days:
        journal, file = (f"for {days or 'any number of'} days" for days in (house.ticket_days, config.ticket_days))
        yield f"Tickets are good {journal} by the journal's first entry, and not {file}: that cannot be changed."
    if config.records_kept != house.records_kept:
        kept = f"{house.records_kept} closed records by the journal's first entry, and not {config.records_kept}"
        yield f"The house keeps {kept}: that cannot be changed."


def _tables(config: Config, house: House) -> Iterator[str]:
    for wanted in config.tables:
        if wanted.id in house.tables:
            yield from _table(wanted, house.tables[wanted.id], house)
    for stranger in _others(house.tables, (table.id for table in config.tables)):
        yield f"Table {stranger} is in the house and not in the file: close it at the pit console, or name it."


def _table(wanted: TableConfig, table: Table, house: House) -> Iterator[str]:
    rulebook, settings = coming(house, table)
    if rulebook.digest != wanted.rulebook.digest:
        yield (
            f"Table {table.id} plays by {_version(rulebook)}, and not by {_version(wanted.rulebook)} as the file says: "
            f"that is changed {_AT_THE_PIT}."
        )
    if other := _fields(settings, wanted.settings):
        yield f"Table {table.id} has {_joined(other)} other than the file says: that is changed {_AT_THE_PIT}."


def _version(rulebook: Rulebook) -> str:
    return f"{rulebook.id} {rulebook.digest[:8]}"


def _terminals(config: Config, house: House) -> Iterator[str]:
    for wanted in config.terminals:
        if wanted.id in house.terminals:
            yield from _terminal(wanted, house.terminals[wanted.id])
    if house.mode is Mode.DEMO:
        # A demonstration adds a seat for whoever comes.
        return
    for stranger in _others(house.terminals, (terminal.id for terminal in config.terminals)):
        yield f"Terminal {stranger} is in the house and not in the file: close it at the pit console, or name it."


def _terminal(wanted: TerminalConfig, terminal: Terminal) -> Iterator[str]:
    other = ["tables"] if tuple(terminal.games) != wanted.tables else []
    if other := [*other, *_fields(terminal.settings, wanted.settings)]:
        yield (
            f"Terminal {terminal.id} has {_joined(other)} other than the file says: close it at the pit console, "
            "and give the new one another id."
        )


def _people(config: Config, house: House) -> Iterator[str]:
    named = (*(each.id for each in config.consoles), *(DeviceId(each.id) for each in config.terminals))
    for device in (each for each in named if each in house.released_devices):
        yield f"{device} was released and is in the file still: enrol it at the pit console, or take it out."
    for leaver in (member.person for member in config.staff if member.person in house.released):
        yield f"{leaver} was released and is in the file still: enrol them at the pit console, or take them out."
    for stranger in _others(house.people, (member.person for member in config.staff)):
        yield f"{stranger} is enrolled and not in the file: release them at the pit console, or name them."


def _fields(one: msgspec.Struct, other: msgspec.Struct) -> list[str]:
    return [name for name in one.__struct_fields__ if getattr(one, name) != getattr(other, name)]


def _others(there: Iterable[str], named: Iterable[str]) -> Iterator[str]:
    known = set(named)
    return (each for each in there if each not in known)


def _joined(names: list[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last
