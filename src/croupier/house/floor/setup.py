"""Rulebooks, tables and terminals set up, changed and validated."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from croupier.house.declare import (
    Command,
    Event,
    Events,
    EventTopic,
    MachineRole,
    Part,
    TableCommand,
    TableEvent,
    TerminalCommand,
    TerminalEvent,
    command,
    decides,
    event,
    evolves,
)
from croupier.house.floor.settings import (
    channel_of,
    chip_set_objections,
    find_rulebook,
    limits_at,
    name_objections,
    profile_of,
    set_limits,
    settings_objections,
    terminal_objections,
)
from croupier.house.ids import Context, DeviceId, PositionId, TableId
from croupier.house.rounds.progressive import open_pot
from croupier.house.settings import RECORDS_KEPT, Mode, TableSettings, TerminalSettings, effective_limits
from croupier.house.state.live import Colour, LiveTable
from croupier.house.state.tables import Position, Table, Terminal
from croupier.rules.procedure import Duty
from croupier.rules.refusal import Code, Refused, first_of, raise_if, refuse
from croupier.rules.rulebook import PayoutTable

if TYPE_CHECKING:
    from croupier.house import House


@dataclass(slots=True)
class Setup:
    """What the house was created with, and its software."""

    #: None until it is created.
    mode: Mode | None = None
    venue: str = ""
    timezone: str = ""
    ticket_days: int | None = None
    #: The number of closed tickets, cases and incidents in the state: older ones are found through the journal.
    records_kept: int = RECORDS_KEPT
    #: Approved versions of the game system, and the running version.
    approved_builds: dict[str, str] = field(default_factory=dict)
    build: str = ""
    #: The number of copies of the rules that were handed out.
    copies: int = 0


@command(MachineRole.SYSTEM)
class CreateHouse(Command, frozen=True):
    """Create the house: its mode never changes after this."""

    creates_house: ClassVar[bool] = True
    mode: Mode
    venue: str
    #: An IANA name such as Australia/Adelaide, by which the engine works out gaming days.
    timezone: str
    #: How many gaming days a slip or ticket can be redeemed; None where it never lapses.
    ticket_days: int | None = None
    #: How many closed tickets, cases and incidents stay in the state: older ones are found through the journal.
    records_kept: int = RECORDS_KEPT


@event("The house was created: {venue}, {mode}.", EventTopic.STAFF, EventTopic.SIGNIFICANT)
class HouseCreated(Event, frozen=True):
    """The house was created; this is the first entry of its journal."""

    mode: Mode
    venue: str
    timezone: str
    ticket_days: int | None
    records_kept: int = RECORDS_KEPT


@decides(CreateHouse)
def found_house(house: House, command: CreateHouse, _context: Context) -> Events:
    if house.setup.mode is not None:
        raise Refused(Code.ALREADY_THERE, None, f"The house was founded already, as {house.setup.venue}.")
    if command.ticket_days is not None and command.ticket_days < 1:
        message = "A ticket is good for one gaming day at least."
        raise Refused(Code.SETTING_IMPOSSIBLE, None, message, ticket_days=command.ticket_days)
    if command.records_kept < 1:
        message = "One closed record of each kind stays in the state at least."
        raise Refused(Code.SETTING_IMPOSSIBLE, None, message, records_kept=command.records_kept)
    founded = HouseCreated(command.mode, command.venue, command.timezone, command.ticket_days, command.records_kept)
    return (founded,)


@evolves(HouseCreated)
def house_founded(house: House, event: HouseCreated, _context: Context) -> None:
    house.setup.mode, house.setup.venue = event.mode, event.venue
    house.setup.timezone, house.setup.ticket_days = event.timezone, event.ticket_days
    house.setup.records_kept = event.records_kept


@command(MachineRole.SYSTEM)
class AdoptRulebook(Command, frozen=True):
    """Take a rulebook into use, in its canonical text."""

    canonical: str


@event("A rulebook was adopted: {rulebook}.", EventTopic.STAFF, EventTopic.SIGNIFICANT, touches=(Part.TERMS,))
class RulebookAdopted(Event, frozen=True):
    """A rulebook was adopted; its canonical text is recorded so that old rounds replay under their own rules."""

    rulebook: str
    digest: str
    canonical: str


@decides(AdoptRulebook)
def adopt_rulebook(house: House, command: AdoptRulebook, _context: Context) -> Events:
    try:
        rulebook = house.read_rulebook(command.canonical)
    except ValueError as error:
        raise Refused(Code.RULEBOOK_INCONSISTENT, None, f"That text is not a rulebook: {error}.") from error
    if rulebook.digest in house.rulebooks:
        message = f"{rulebook.title} of {rulebook.venue} is in use already."
        raise Refused(Code.ALREADY_THERE, None, message, digest=rulebook.digest)
    other = next((book for book in house.rulebooks.values() if book.currency != rulebook.currency), None)
    if other is not None and house.setup.mode is Mode.REAL:
        # One ledger cannot hold cents of two currencies.
        message = f"This house counts in {other.currency}, and {rulebook.venue} in {rulebook.currency}."
        raise Refused(Code.SETTING_IMPOSSIBLE, None, message, currency=rulebook.currency)
    return (RulebookAdopted(rulebook.id, rulebook.digest, command.canonical),)


@evolves(RulebookAdopted)
def rulebook_adopted(house: House, event: RulebookAdopted, _context: Context) -> None:
    rulebook = house.read_rulebook(event.canonical)
    house.rulebook_texts[event.digest] = event.canonical
    house.rulebooks[event.digest] = rulebook
    house.payout_tables[event.digest] = PayoutTable(rulebook)
    open_pot(house, rulebook)


@command(MachineRole.SYSTEM, Duty.MANAGE, signatures=2)
class AddTable(TableCommand, frozen=True):
    """Add a table that plays by an adopted rulebook."""

    adds: ClassVar[bool] = True
    rulebook: str
    settings: TableSettings


@event("Table {table} was added.", EventTopic.STAFF, EventTopic.SIGNIFICANT, touches=(Part.TABLE, Part.TERMS))
class TableAdded(TableEvent, frozen=True):
    """A table was added."""

    rulebook: str
    settings: TableSettings


@decides(AddTable)
def add_table(house: House, command: AddTable, _context: Context) -> Events:
    rulebook = find_rulebook(house, command.rulebook)
    live = chip_set_objections(house, rulebook, command.settings.live)
    objections = (*name_objections(house, command.table), *settings_objections(rulebook, command.settings), *live)
    raise_if(first_of(objections))
    return (TableAdded(command.table, command.rulebook, command.settings),)


@evolves(TableAdded)
def table_added(house: House, event: TableAdded, context: Context) -> None:
    rulebook = house.rulebooks[event.rulebook]
    terms = effective_limits(rulebook, channel_of(rulebook), event.settings.limits)
    felt = house.payout_tables[event.rulebook]
    table = Table(event.table, event.rulebook, event.settings, over_at=context.now)
    table.rulebook, table.payouts, table.effective_limits = rulebook, felt, terms
    live = event.settings.live
    if live is not None:
        table.live = LiveTable(colours={name: Colour(live.pieces) for name in live.colours})
    house.tables[event.table] = table
    house.staff.devices.add(DeviceId(event.table))


@command(MachineRole.SYSTEM, Duty.MANAGE, Duty.MAINTAIN, signatures=2)
class AddTerminal(TerminalCommand, frozen=True):
    """Add a terminal at one table, or at two where the rules have two games to a terminal."""

    adds: ClassVar[bool] = True
    tables: tuple[TableId, ...]
    settings: TerminalSettings


@event(
    "Terminal {terminal} was added at {tables}.",
    EventTopic.STAFF,
    EventTopic.SIGNIFICANT,
    touches=(Part.TABLE, Part.TERMINAL),
)
class TerminalAdded(TerminalEvent, frozen=True):
    """A terminal was added."""

    tables: tuple[TableId, ...]
    #: Its betting position at each of these tables.
    positions: tuple[PositionId, ...]
    settings: TerminalSettings

    def tables_in(self, _house: House) -> Iterable[TableId]:
        return self.tables


@decides(AddTerminal)
def add_terminal(house: House, command: AddTerminal, _context: Context) -> Events:
    objections = [*name_objections(house, command.terminal)]
    strangers = [table for table in command.tables if table not in house.tables]
    objections += [refuse(Code.UNKNOWN_TABLE, None, f"There is no table {name}.", table=name) for name in strangers]
    tables = [house.tables[table] for table in command.tables if table in house.tables]
    if tables:
        objections += terminal_objections(house, tables, command.settings)
    else:
        objections.append(refuse(Code.SETTING_IMPOSSIBLE, None, "A terminal stands at a table."))
    first = house.positions_added + 1
    positions = tuple(map(PositionId, range(first, first + len(command.tables))))
    raise_if(first_of(objections))
    return (TerminalAdded(command.terminal, command.tables, positions, command.settings),)


@evolves(TerminalAdded)
def terminal_added(house: House, event: TerminalAdded, _context: Context) -> None:
    settings, rulebook = event.settings, house.tables[event.tables[0]].rulebook
    terminal = house.terminals[event.terminal] = Terminal(event.terminal, settings, settings.denominations[0])
    terminal.channel, terminal.profile = channel_of(rulebook), profile_of(rulebook, settings)
    for number, name in zip(event.positions, event.tables, strict=True):
        table = house.tables[name]
        position = house.positions[number] = Position(number, event.terminal, name)
        position.effective_limits = limits_at(settings, table)
        position.join(terminal, table)
        table.terminals.append(event.terminal)
        table.positions.append(number)
    house.positions_added = event.positions[-1]
    house.staff.devices.add(DeviceId(event.terminal))


@command(MachineRole.SYSTEM, Duty.MANAGE, signatures=2)
class ApproveBuild(Command, frozen=True):
    """Record an approved version of the game system."""

    version: str
    reference: str


@event(
    "Version {version} was approved: {reference}.",
    EventTopic.STAFF,
    EventTopic.SIGNIFICANT,
    touches=(Part.EVERY_TABLE,),
)
class BuildApproved(Event, frozen=True):
    """A version of the game system was approved."""

    version: str
    reference: str


@decides(ApproveBuild)
def approve_software(house: House, command: ApproveBuild, _context: Context) -> Events:
    if house.setup.approved_builds.get(command.version) == command.reference:
        raise Refused(Code.ALREADY_THERE, None, f"Version {command.version} is approved already.")
    return (BuildApproved(command.version, command.reference),)


@evolves(BuildApproved)
def software_approved(house: House, event: BuildApproved, _context: Context) -> None:
    house.setup.approved_builds[event.version] = event.reference


@command(MachineRole.SYSTEM)
class ReportBuild(Command, frozen=True):
    """Report the running version."""

    version: str


@event("Version {version} is running.", EventTopic.STAFF, EventTopic.SIGNIFICANT, touches=(Part.EVERY_TABLE,))
class BuildReported(Event, frozen=True):
    """The running version was reported."""

    version: str


@decides(ReportBuild)
def report_software(_house: House, command: ReportBuild, _context: Context) -> Events:
    return (BuildReported(command.version),)


@evolves(BuildReported)
def software_reported(house: House, event: BuildReported, _context: Context) -> None:
    house.setup.build = event.version


@command(Duty.CASH, Duty.INSPECT)
class PrintRules(TableCommand, frozen=True):
    """Print a copy of the rules of a table for a patron."""

    sold: bool = False


@event("A copy of the rules was handed out.", EventTopic.STAFF)
class RulesPrinted(TableEvent, frozen=True):
    """A copy of the rules was handed out."""

    rulebook: str
    sold: bool


@decides(PrintRules)
def print_rules(house: House, command: PrintRules, _context: Context) -> Events:
    return (RulesPrinted(command.table, house.tables[command.table].rulebook.digest, command.sold),)


@evolves(RulesPrinted)
def rules_printed(house: House, _event: RulesPrinted, _context: Context) -> None:
    house.setup.copies += 1


def restore(house: House) -> None:
    """Recompute what is derived from the rest of the state: rulebooks, their lookup tables, limits and joins."""
    house.rulebooks = {digest: house.read_rulebook(text) for digest, text in house.rulebook_texts.items()}
    house.payout_tables = {digest: PayoutTable(rulebook) for digest, rulebook in house.rulebooks.items()}
    for table in house.tables.values():
        table.rulebook, table.payouts = house.rulebooks[table.plays_by], house.payout_tables[table.plays_by]
        table.effective_limits = effective_limits(table.rulebook, channel_of(table.rulebook), table.settings.limits)
    for game in house.positions.values():
        if game.terminal:
            game.join(house.terminals[game.terminal], house.tables[game.table])
    for terminal in house.terminals.values():
        rulebook = house.rulebook_at(terminal)
        terminal.channel, terminal.profile = channel_of(rulebook), profile_of(rulebook, terminal.settings)
    for game in house.positions.values():
        set_limits(house, game)
    for case in house.cases.all.values():
        # A case and its table have one record of a round for as long as the table has it.
        listed = zip(case.questioned, case.rounds, strict=True)
        found = ((house.tables[table].find_round(number), kept) for (table, number), kept in listed)
        case.rounds = tuple(kept if round_ is None else round_ for round_, kept in found)
