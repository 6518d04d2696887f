"""Provisioning of a house from its configuration, and configuration drift."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, get_type_hints

import msgspec

from croupier.config.schema import Applied, Config, TableConfig, TerminalConfig
from croupier.devices.random_wheel import RandomWheel
from croupier.engine.ports import Request, Response, WheelDriver
from croupier.engine.run import Run
from croupier.engine.sequencer import BATCH_MAX
from croupier.engine.storage import build_id
from croupier.house.blockers import Facts, blockers
from croupier.house.commands import AnyCommand
from croupier.house.commands.setup import (
    AddTable,
    AddTerminal,
    AdoptRulebook,
    ApproveBuild,
    CreateHouse,
    EnrolDevice,
    EnrolPerson,
    ReportBuild,
)
from croupier.house.ids import DeviceId
from croupier.house.settings import Mode, WheelKind
from croupier.house.setup import pending_settings
from croupier.house.state import House
from croupier.house.state.tables import Table, Terminal
from croupier.rulebooks.schema import canonical
from croupier.rules.refusal import Code, Refusal
from croupier.rules.rulebook import Rulebook


def provisioning_commands(config: Config, house: House, build: str) -> tuple[AnyCommand, ...]:
    """List the commands that add to the house what the configuration names, in order.

    A file removes and changes nothing, except the titles of its staff, and does not enrol people again who were
    released: see `configuration_drift`.
    """
    return (*_house(config, house), *_build(config, house, build), *_floor(config, house), *_staff(config, house))


def create_house(config: Config) -> CreateHouse:
    """Build the command that creates the house."""
    return CreateHouse(config.mode, config.venue, config.timezone, config.ticket_days, config.records_kept)


def _house(config: Config, house: House) -> Iterator[AnyCommand]:
    if house.mode is None:
        yield create_house(config)
    rulebooks = {table.rulebook.digest: table.rulebook for table in config.tables}
    for digest, rulebook in rulebooks.items():
        # Also one that no new table uses: the pit console can change a table to it only after it is adopted.
        if digest not in house.rulebooks:
            yield AdoptRulebook(canonical(rulebook))


def _build(config: Config, house: House, build: str) -> Iterator[AnyCommand]:
    for approval in config.approvals:
        if house.approved_builds.get(approval.version) != approval.reference:
            yield ApproveBuild(approval.version, approval.reference)
    if house.build != build:
        yield ReportBuild(build)


def _floor(config: Config, house: House) -> Iterator[AnyCommand]:
    for table in config.tables:
        if table.id not in house.tables:
            yield AddTable(table.id, table.rulebook.digest, table.settings)
    for terminal in config.terminals:
        if terminal.id not in house.terminals:
            yield AddTerminal(terminal.id, terminal.tables, terminal.settings)
    for console in config.consoles:
        # As with people: a released device is enrolled again at the pit console only.
        if console.id not in house.devices | house.released_devices:
            yield EnrolDevice(console.id)


def _staff(config: Config, house: House) -> Iterator[AnyCommand]:
    # A released person is enrolled again at the pit console, and not by a file that was not updated.
    for member in (each for each in config.staff if each.person not in house.released):
        enrolled = house.people.get(member.person)
        if enrolled is None or enrolled.titles != member.titles:
            yield EnrolPerson(member.person, member.titles)


#: The spin time of a table that is not in the file.
SPIN_S: Final = 9


def provision(config: Config, run: Run) -> list[Refusal]:
    """Apply the configuration to a house that accepts no connections yet; return its refusals."""
    responses: list[Response] = []
    for command in provisioning_commands(config, run.house, build_id()):
        run.submit(Request(command))
        if run.sequencer.queued >= BATCH_MAX:
            responses += run.step().responses
    while run.sequencer.queued:
        responses += run.step().responses
    return [response.outcome for response in responses if isinstance(response.outcome, Refusal)]


def wheels(config: Config, house: House, present: Iterable[WheelDriver] = ()) -> tuple[WheelDriver, ...]:
    """List the wheels: random ones, and the drivers that the configuration names. Wheels that are present stay."""
    known = {wheel.table: wheel for wheel in present}
    sensors = {table: wheel for table, wheel in known.items() if not isinstance(wheel, RandomWheel)}
    for table in config.tables:
        kind = house.tables[table.id].settings.wheel if table.id in house.tables else None
        if table.driver is not None and table.id not in sensors and kind is WheelKind.SENSOR:
            sensors[table.id] = table.driver(table.id, table.driver_address)
    spins = {table.id: table.spin_s for table in config.tables}
    random = (table.id for table in house.tables.values() if table.settings.wheel is WheelKind.RANDOM)
    kept = {table: wheel for table, wheel in known.items() if table not in sensors}
    drawn = {table: kept.get(table) or RandomWheel(table, spins.get(table, SPIN_S)) for table in random}
    return tuple((sensors | drawn).values())


@dataclass(slots=True)
class VenueWheels:
    """The wheel drivers of a venue: random wheels, those of the configuration, and those that were attached."""

    house: House
    drivers: tuple[WheelDriver, ...] = ()

    def __iter__(self) -> Iterator[WheelDriver]:
        return iter(self.drivers)

    def attach(self, driver: WheelDriver) -> None:
        self.drivers = (*self.drivers, driver)

    def update(self, config: Config) -> None:
        """Add a driver for each table that has a random wheel, or a driver in the configuration, by now."""
        self.drivers = wheels(config, self.house, self.drivers)


def facts(run: Run, present: Iterable[WheelDriver]) -> Facts:
    """Collect what the engine and the wheels report about tables that cannot play."""
    wheels = tuple(present)
    attended = {wheel.table for wheel in wheels}
    sensors = (table.id for table in run.house.tables.values() if table.settings.wheel is WheelKind.SENSOR)
    faults = {each.table: each.watch.ailment for each in wheels if isinstance(each, RandomWheel) and each.watch.ailment}
    return Facts(not run.sequencer.has_room, frozenset(sensors) - attended, faults)


def tables_without_sensor(house: House, found: Facts) -> Iterator[str]:
    """Name the tables without a sensor, at which a dealer enters every number."""
    blocked = {each.table for each in blockers(house, found) if each.reason == "no_sensor"}
    for table in sorted(found.no_sensor - blocked):
        yield f"Table {table} has no sensor at its wheel, so its dealer enters every number."


_AT_THE_PIT = "change it at the pit console, with two signatures"


def _applied(when: Applied) -> tuple[str, ...]:
    """List the fields of a configuration that are declared to take effect then."""
    hints = get_type_hints(Config, include_extras=True)
    return tuple(name for name, hint in hints.items() if when in getattr(hint, "__metadata__", ()))


IDENTITY: Final = _applied(Applied.IDENTITY)
AT_CREATION: Final = _applied(Applied.CREATION)
AT_START: Final = _applied(Applied.START)


def identity_conflict(config: Config, house: House) -> Refusal | None:
    """Refuse to run a journal on the configuration of another venue."""
    if house.mode is None:
        return None
    pairs = {name: (str(getattr(house, name)), str(getattr(config, name))) for name in IDENTITY}
    other = {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}
    if not other:
        return None
    # What was won in demo money must never be paid in real money.
    why = ["Demo and real money never mix."] if "mode" in other else []
    words = [_FIXED.format(name=name, journal=journal, file=file) for name, (journal, file) in other.items()]
    return Refusal(Code.SETTING_IMPOSSIBLE, None, " ".join(why + words), other)


_FIXED = "The {name} is fixed in the journal's first entry as {journal!r}; the file says {file!r}."


def configuration_drift(config: Config, house: House) -> tuple[str, ...]:
    """List the differences between file and journal that a file does not change, each with where it is changed."""
    if house.mode is None:
        return ()
    return (*_creation(config, house), *_tables(config, house), *_terminals(config, house), *_people(config, house))


def needs_restart(before: Config, config: Config) -> tuple[str, ...]:
    """List the changes of a reloaded configuration that take effect at the next start."""
    others = (name for name in AT_START if getattr(before, name) != getattr(config, name))
    return tuple(f"The change of {name} takes effect at the next start." for name in others)


def _creation(config: Config, house: House) -> Iterator[str]:
    for name in AT_CREATION:
        journal, file = (getattr(each, name) for each in (house, config))
        if journal != file:
            pair = f"is {journal or 'not set'} in the journal's first entry and {file or 'not set'} in the file"
            yield f"{name} {pair}: it cannot be changed."


def _tables(config: Config, house: House) -> Iterator[str]:
    for wanted in config.tables:
        if wanted.id in house.tables:
            yield from _table(wanted, house.tables[wanted.id], house)
    for other in _others(house.tables, (table.id for table in config.tables)):
        remedy = "close it at the pit console, or add it to the file"
        yield f"Table {other} is in the journal but not in the file: {remedy}."


def _table(wanted: TableConfig, table: Table, house: House) -> Iterator[str]:
    rulebook, settings = pending_settings(house, table)
    if rulebook.digest != wanted.rulebook.digest:
        file = _version(wanted.rulebook)
        yield f"Table {table.id} plays by {_version(rulebook)}, but the file says {file}: {_AT_THE_PIT}."
    if other := _fields(settings, wanted.settings):
        yield f"Table {table.id} differs from the file in {_joined(other)}: {_AT_THE_PIT}."


def _version(rulebook: Rulebook) -> str:
    return f"{rulebook.id} {rulebook.digest[:8]}"


def _terminals(config: Config, house: House) -> Iterator[str]:
    for wanted in config.terminals:
        if wanted.id in house.terminals:
            yield from _terminal(wanted, house.terminals[wanted.id])
    if house.mode is Mode.DEMO:
        # In demo mode a seat is added for each new player.
        return
    for other in _others(house.terminals, (terminal.id for terminal in config.terminals)):
        remedy = "close it at the pit console, or add it to the file"
        yield f"Terminal {other} is in the journal but not in the file: {remedy}."


def _terminal(wanted: TerminalConfig, terminal: Terminal) -> Iterator[str]:
    other = ["tables"] if tuple(terminal.games) != wanted.tables else []
    if other := [*other, *_fields(terminal.settings, wanted.settings)]:
        remedy = "close it at the pit console, and add another under a new id"
        yield f"Terminal {terminal.id} differs from the file in {_joined(other)}: {remedy}."


def _people(config: Config, house: House) -> Iterator[str]:
    named = (*(each.id for each in config.consoles), *(DeviceId(each.id) for each in config.terminals))
    remedy = "at the pit console, or {} from the file"
    for device in (each for each in named if each in house.released_devices):
        yield f"{device} was released but is still in the file: enrol it {remedy.format('remove it')}."
    for leaver in (member.person for member in config.staff if member.person in house.released):
        yield f"{leaver} was released but is still in the file: enrol them {remedy.format('remove them')}."
    for other in _others(house.people, (member.person for member in config.staff)):
        yield f"{other} is enrolled but not in the file: release them at the pit console, or add them to the file."


def _fields(one: msgspec.Struct, other: msgspec.Struct) -> list[str]:
    return [name for name in one.__struct_fields__ if getattr(one, name) != getattr(other, name)]


def _others(present: Iterable[str], named: Iterable[str]) -> Iterator[str]:
    known = set(named)
    return (each for each in present if each not in known)


def _joined(names: list[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last
