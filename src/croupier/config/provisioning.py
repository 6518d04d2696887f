"""Commands that bring a house to its configuration."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

import msgspec

from croupier.config.schema import Config, TableConfig, TerminalConfig
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


def provisioning_commands(config: Config, house: House, software: str) -> tuple[AnyCommand, ...]:
    """List what the house itself is to be asked, in order, so that it has all that the configuration names.

    Nothing is taken away or changed by a file, but for the titles of the people in it, and nobody is brought back who
    was released: see `differences`.
    """
    return (*_house(config, house), *_software(config, house, software), *_floor(config, house), *_staff(config, house))


def found_house(config: Config) -> CreateHouse:
    """Say how a house is founded by its configuration."""
    return CreateHouse(config.mode, config.venue, config.timezone, config.ticket_days, config.records_kept)


def _house(config: Config, house: House) -> Iterator[AnyCommand]:
    if house.mode is None:
        yield found_house(config)
    rulebooks = {table.rulebook.digest: table.rulebook for table in config.tables}
    for digest, rulebook in rulebooks.items():
        # Also one that no new table plays by: a console can put a table under it only once it is adopted.
        if digest not in house.rulebooks:
            yield AdoptRulebook(canonical(rulebook))


def _software(config: Config, house: House, software: str) -> Iterator[AnyCommand]:
    for approval in config.approvals:
        if house.approved_builds.get(approval.version) != approval.reference:
            yield ApproveBuild(approval.version, approval.reference)
    if house.build != software:
        yield ReportBuild(software)


def _floor(config: Config, house: House) -> Iterator[AnyCommand]:
    for table in config.tables:
        if table.id not in house.tables:
            yield AddTable(table.id, table.rulebook.digest, table.settings)
    for terminal in config.terminals:
        if terminal.id not in house.terminals:
            yield AddTerminal(terminal.id, terminal.tables, terminal.settings)
    for console in config.consoles:
        # As with people: what was released comes back by somebody's hand.
        if console.id not in house.devices | house.released_devices:
            yield EnrolDevice(console.id)


def _staff(config: Config, house: House) -> Iterator[AnyCommand]:
    # Whoever was released comes back by somebody's hand at the pit, and not because a file was forgotten.
    for member in (each for each in config.staff if each.person not in house.released):
        enrolled = house.people.get(member.person)
        if enrolled is None or enrolled.titles != member.titles:
            yield EnrolPerson(member.person, member.titles)


#: A ball at a table that no file names runs for so long.
SPIN_S: Final = 9


def provision(config: Config, run: Run) -> list[Refusal]:
    """Bring a house that nobody is let into yet to what the configuration says; tell what it refused."""
    answers: list[Response] = []
    for command in provisioning_commands(config, run.house, build_id()):
        run.submit(Request(command))
        if run.sequencer.waiting >= BATCH_MAX:
            answers += run.step().answers
    while run.sequencer.waiting:
        answers += run.step().answers
    return [answer.outcome for answer in answers if isinstance(answer.outcome, Refusal)]


def wheels(config: Config, house: House, standing: Iterable[WheelDriver] = ()) -> tuple[WheelDriver, ...]:
    """Put a wheel that a random source turns at every table that has one; those that stand there go on, and sensors."""
    known = {wheel.table: wheel for wheel in standing}
    sensors = {table: wheel for table, wheel in known.items() if not isinstance(wheel, RandomWheel)}
    spins = {table.id: table.spin_s for table in config.tables}
    random = (table.id for table in house.tables.values() if table.settings.wheel is WheelKind.RANDOM)
    drawn = {table: known.get(table) or RandomWheel(table, spins.get(table, SPIN_S)) for table in random}
    return tuple((sensors | drawn).values())


@dataclass(slots=True)
class VenueWheels:
    """The wheel drivers of a venue: those of a random source, and the sensors that were attached."""

    house: House
    drivers: tuple[WheelDriver, ...] = ()

    def __iter__(self) -> Iterator[WheelDriver]:
        return iter(self.drivers)

    def attach(self, driver: WheelDriver) -> None:
        self.drivers = (*self.drivers, driver)

    def update(self, config: Config) -> None:
        """Add a driver for each table that has a random wheel by now."""
        self.drivers = wheels(config, self.house, self.drivers)


def facts(run: Run, standing: Iterable[WheelDriver]) -> Facts:
    """Gather what the engine and the wheels know of tables that cannot play."""
    wheels = tuple(standing)
    attended = {wheel.table for wheel in wheels}
    sensors = (table.id for table in run.house.tables.values() if table.settings.wheel is WheelKind.SENSOR)
    ailing = {each.table: each.watch.ailment for each in wheels if isinstance(each, RandomWheel) and each.watch.ailment}
    return Facts(not run.sequencer.has_room, frozenset(sensors) - attended, ailing)


def tables_without_sensor(house: House, found: Facts) -> Iterator[str]:
    """Say at which tables a dealer enters every number since no sensor reports it."""
    blocked = {each.table for each in blockers(house, found) if each.reason == "no_sensor"}
    for table in sorted(found.no_sensor - blocked):
        yield f"Table {table} has no sensor at its wheel, so its dealer enters every number."


_AT_THE_PIT = "at the pit console, with two signatures"


def fixed_setting_conflict(config: Config, house: House) -> Refusal | None:
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


def configuration_drift(config: Config, house: House) -> tuple[str, ...]:
    """Say what the file says otherwise than the journal and a file does not change, each with where it is changed."""
    if house.mode is None:
        return ()
    return (*_tickets(config, house), *_tables(config, house), *_terminals(config, house), *_people(config, house))


#: What is read at a start alone.
AT_START = ("data", "safe", "listen", "limits", "log")


def needs_restart(before: Config, config: Config) -> tuple[str, ...]:
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
    rulebook, settings = pending_settings(house, table)
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
