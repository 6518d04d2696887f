"""Provisioning of a house from its configuration, and configuration drift."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Final, get_type_hints

import msgspec

from croupier.config.schema import Applied, Config, TableConfig, TerminalConfig, WheelSignal
from croupier.devices.guard import closed, fault_of, made, opened
from croupier.devices.random_wheel import RandomWheel, has_draws
from croupier.devices.recorder import FlightRecorder, TablePort, WheelTerms
from croupier.engine.commit_loop import CommitLoop
from croupier.engine.ports import LoopClock, RecordMark, Request, Response, WheelDriver
from croupier.engine.run import Run
from croupier.engine.sequencer import BATCH_MAX
from croupier.engine.storage import build_id
from croupier.house import AnyCommand, House
from croupier.house.blockers import Facts, PeripheralFault, blockers
from croupier.house.credit.transfers import PinVenue, account_with
from croupier.house.declare import Event
from croupier.house.floor.settings import pending_settings
from croupier.house.floor.setup import AddTable, AddTerminal, AdoptRulebook, ApproveBuild, CreateHouse, ReportBuild
from croupier.house.floor.staff import EnrolDevice, EnrolPerson
from croupier.house.ids import DeviceId, TableId
from croupier.house.live.floats import OpenFloat
from croupier.house.live.notice import settings_digest
from croupier.house.live.seats_and_colours import AcknowledgeNotice
from croupier.house.rounds.irregularities import WheelTrouble
from croupier.house.rounds.opening import BetsOpened
from croupier.house.rounds.shared_pots import SharePot
from croupier.house.settings import Mode, WheelKind
from croupier.house.state.tables import Table, Terminal
from croupier.journal.disk import JournalFault
from croupier.journal.keystore import KeyStore
from croupier.rulebooks.schema import canonical
from croupier.rules.procedure import Reason
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
    if house.setup.mode is None:
        yield create_house(config)
    rulebooks = {table.rulebook.digest: table.rulebook for table in config.tables}
    for digest, rulebook in rulebooks.items():
        # Also one that no new table uses: the pit console can change a table to it only after it is adopted.
        if digest not in house.rulebooks:
            yield AdoptRulebook(canonical(rulebook))


def _build(config: Config, house: House, build: str) -> Iterator[AnyCommand]:
    for approval in config.approvals:
        if house.setup.approved_builds.get(approval.version) != approval.reference:
            yield ApproveBuild(approval.version, approval.reference)
    if house.setup.build != build:
        yield ReportBuild(build)


def _floor(config: Config, house: House) -> Iterator[AnyCommand]:
    for table in config.tables:
        if table.id not in house.tables:
            yield AddTable(table.id, table.rulebook.digest, table.settings)
            yield from _demo_float(table)
    for terminal in config.terminals:
        if terminal.id not in house.terminals:
            yield AddTerminal(terminal.id, terminal.tables, terminal.settings)
    for console in config.consoles:
        # As with people: a released device is enrolled again at the pit console only.
        if console.id not in house.staff.devices | house.staff.released_devices:
            yield EnrolDevice(console.id)


def _demo_float(table: TableConfig) -> Iterator[AnyCommand]:
    """Make a live table of a demonstration ready to play: with real money, two people open its float."""
    live, pieces = table.settings.live, table.float_pieces
    if pieces:
        assert live is not None
        yield OpenFloat(table.id, tuple((value, pieces) for value in live.denominations), "demonstration")
        yield AcknowledgeNotice(table.id, settings_digest(table.rulebook, table.settings))


def _staff(config: Config, house: House) -> Iterator[AnyCommand]:
    # A released person is enrolled again at the pit console, and not by a file that was not updated.
    for member in (each for each in config.staff if each.person not in house.staff.released):
        enrolled = house.staff.people.get(member.person)
        if enrolled is None or enrolled.titles != member.titles:
            yield EnrolPerson(member.person, member.titles)


def partner_keys(config: Config) -> dict[str, str]:
    """Find the pinned keys of the venues with which this one shares tickets; JournalFault when one is missing."""
    pinned = KeyStore(config.key_store).partners()
    for venue in config.shared_tickets.venues:
        if venue not in pinned:
            raise JournalFault(f"the key of {venue} is not pinned: run `croupier partner pin`")
    return {venue: pinned[venue] for venue in config.shared_tickets.venues}


def _shared_pots(config: Config, house: House) -> Iterator[AnyCommand]:
    """Share the pots of the configuration that are not shared yet with this keeper."""
    keeper = config.shared_tickets.keeper or config.venue
    for rulebook in config.shared_tickets.pots:
        pot = house.pots.get(rulebook)
        if pot is None or pot.share is None or pot.share.keeper != keeper:
            yield SharePot(rulebook, keeper)


#: The spin time of a table that is not in the file.
SPIN_S: Final = 9


def provision(config: Config, run: Run, partners: Mapping[str, str] | None = None) -> list[Refusal]:
    """Apply the configuration, and the keys of other venues, to a house that accepts no connections yet.

    Return its refusals.
    """
    responses: list[Response] = []
    pins = [
        PinVenue(venue, key) for venue, key in (partners or {}).items() if account_with(run.house, venue).key != key
    ]
    shared = list(_shared_pots(config, run.house))
    for command in (*provisioning_commands(config, run.house, build_id()), *pins, *shared):
        run.submit(Request(command))
        if run.sequencer.queued >= BATCH_MAX:
            responses += run.step().responses
    while run.sequencer.queued:
        responses += run.step().responses
    return [response.outcome for response in responses if isinstance(response.outcome, Refusal)]


@dataclass(slots=True)
class VenueWheels:
    """The wheels of a venue: random ones, which the commit loop asks between two batches, and drivers, which push."""

    house: House
    random: tuple[RandomWheel, ...] = ()
    drivers: dict[TableId, WheelDriver] = field(default_factory=dict)
    #: The ports of the drivers that are open.
    ports: dict[TableId, TablePort] = field(default_factory=dict)
    #: What the configuration has chosen for the wheels of tables.
    terms: dict[TableId, WheelTerms] = field(default_factory=dict)
    #: From launch to rest of each random wheel, in seconds, where the configuration says it.
    spins: dict[TableId, int] = field(default_factory=dict)
    #: Makes the port of a table; None until the wheels are opened.
    _port: Callable[[TableId], TablePort] | None = None

    def __iter__(self) -> Iterator[RandomWheel]:
        return iter(self.random)

    def open(self, commit_loop: CommitLoop, data: Path) -> None:
        """Open every driver, and from now on each one that is attached."""
        self._port = lambda table: TablePort(table, commit_loop.time, commit_loop.submit, FlightRecorder(data, table))
        for table in self.drivers:
            self._open(table)

    def close(self) -> None:
        """Close every driver that is open."""
        self._port = None
        for table in tuple(self.ports):
            self._detach(table)

    def attach(self, driver: WheelDriver) -> None:
        self.drivers[driver.table] = driver
        self._open(driver.table)

    def update(self, config: Config) -> None:
        """Add a wheel for each table that has draws of the house, or a driver in the configuration, by now."""
        kinds = {table.id: table.settings.wheel for table in self.house.tables.values()}
        for table in [each for each in self.ports if kinds[each] is WheelKind.RANDOM]:
            self._detach(table)
        self.terms = {
            each.id: WheelTerms(each.spin_min_s, each.wheel_signal is WheelSignal.CLOSE) for each in config.tables
        }
        for table, port in self.ports.items():
            port.terms = self.terms.get(table, WheelTerms())
        for each in config.tables:
            if each.driver is not None and each.id not in self.drivers and kinds.get(each.id) is WheelKind.SENSOR:
                self.attach(made(partial(each.driver, each.id, each.driver_address), each.id))
        present = {wheel.table: wheel for wheel in self.random}
        self.spins = {table.id: table.spin_s for table in config.tables}
        self.random = ()
        for name in self.house.tables:
            if self._lacks_draws(name):
                self._draw_for(name, present.get(name))

    def _lacks_draws(self, table: TableId) -> bool:
        return has_draws(self.house.tables[table]) and all(each.table != table for each in self.random)

    def _draw_for(self, table: TableId, present: RandomWheel | None = None) -> None:
        """Add the draws of a table: with the state that they have, if they were there before."""
        self.random = (*self.random, present or RandomWheel(table, self.spins.get(table, SPIN_S)))

    def on_event(self, event: Event) -> None:
        """Note each round in the recording; suspend a round that opens while the wheel gives no reports.

        A table may have taken other rules, by which multiples are drawn.
        """
        if isinstance(event, BetsOpened) and self._lacks_draws(event.table):
            self._draw_for(event.table)
        if isinstance(event, BetsOpened) and event.table in self.ports:
            port, driver = self.ports[event.table], self.drivers[event.table]
            port.record(RecordMark.NOTE, b"round %d" % event.round)
            if fault_of(driver):
                port.report(WheelTrouble(event.table, Reason.MALFUNCTION, silent=True))

    def _open(self, table: TableId) -> None:
        if self._port is not None:
            self.ports[table] = port = self._port(table)
            port.terms = self.terms.get(table, WheelTerms())
            self.drivers[table] = opened(self.drivers[table], table, port)

    def _detach(self, table: TableId) -> None:
        closed(self.drivers.pop(table))
        self.ports.pop(table).close()


def facts(
    run: Run, wheels: VenueWheels, time: LoopClock, devices: tuple[PeripheralFault, ...], *, blind_counts: bool = True
) -> Facts:
    """Collect what the engine, the wheels and other devices report about tables that cannot play."""
    sensors = (table.id for table in run.house.tables.values() if table.settings.wheel is WheelKind.SENSOR)
    unhealthy = {each.table: each.watch.ailment for each in wheels.random if each.watch.ailment}
    faults = {table: fault for table, driver in wheels.drivers.items() if (fault := fault_of(driver))}
    no_sensor = frozenset(sensors) - wheels.drivers.keys()
    return Facts(not run.sequencer.has_room, no_sensor, unhealthy, faults, devices, blind_counts, time.now())


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
    if house.setup.mode is None:
        return None
    pairs = {name: (str(getattr(house.setup, name)), str(getattr(config, name))) for name in IDENTITY}
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
    if house.setup.mode is None:
        return ()
    return (*_creation(config, house), *_tables(config, house), *_terminals(config, house), *_people(config, house))


def needs_restart(before: Config, config: Config) -> tuple[str, ...]:
    """List the changes of a reloaded configuration that take effect at the next start."""
    others = (name for name in AT_START if getattr(before, name) != getattr(config, name))
    return tuple(f"The change of {name} takes effect at the next start." for name in others)


def _creation(config: Config, house: House) -> Iterator[str]:
    for name in AT_CREATION:
        journal, file = (getattr(each, name) for each in (house.setup, config))
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
    if house.setup.mode is Mode.DEMO:
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
    for device in (each for each in named if each in house.staff.released_devices):
        yield f"{device} was released but is still in the file: enrol it {remedy.format('remove it')}."
    for leaver in (member.person for member in config.staff if member.person in house.staff.released):
        yield f"{leaver} was released but is still in the file: enrol them {remedy.format('remove them')}."
    for other in _others(house.staff.people, (member.person for member in config.staff)):
        yield f"{other} is enrolled but not in the file: release them at the pit console, or add them to the file."


def _fields(one: msgspec.Struct, other: msgspec.Struct) -> list[str]:
    return [name for name in one.__struct_fields__ if getattr(one, name) != getattr(other, name)]


def _others(present: Iterable[str], named: Iterable[str]) -> Iterator[str]:
    known = set(named)
    return (each for each in present if each not in known)


def _joined(names: list[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last
