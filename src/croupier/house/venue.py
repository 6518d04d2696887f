"""The venue: how a house is founded, and how its rulebooks, tables and terminals are set up and changed."""

from croupier.house.answer import Deciders, Decision, Evolvers, refuse
from croupier.house.authority import no_terminal
from croupier.house.chips import take_back
from croupier.house.command.venue import (
    AddTable,
    AddTerminal,
    AdoptRulebook,
    ApproveSoftware,
    ChangeRulebook,
    ChangeSettings,
    FoundHouse,
    PrintRules,
    ReportSoftware,
    SendMessage,
)
from croupier.house.event.venue import (
    HouseFounded,
    MessageSent,
    RulebookAdopted,
    RulebookChanged,
    RulesPrinted,
    SettingsChanged,
    SoftwareApproved,
    SoftwareReported,
    TableAdded,
    TerminalAdded,
)
from croupier.house.felt import Felt
from croupier.house.name import DeviceId, TableId, TerminalId
from croupier.house.settings import Mode, TableSettings, TerminalSettings
from croupier.house.stamp import Stamp
from croupier.house.state import House
from croupier.house.table import Table
from croupier.house.terminal import Game, Terminal
from croupier.house.terms import Terms, terms_for
from croupier.house.vetting import model_objections, name_objections, settings_objections, terminal_objections
from croupier.rules.matter import Matter
from croupier.rules.offer import find_profile
from croupier.rules.procedure import Channel, ChannelName, Profile
from croupier.rules.refusal import Code, Refusal, first_of
from croupier.rules.rulebook import Rulebook


def found_house(house: House, command: FoundHouse, _stamp: Stamp) -> Decision:
    if house.mode is not None:
        return refuse(Code.ALREADY_THERE, None, f"The house was founded already, as {house.venue}.")
    if command.ticket_days is not None and command.ticket_days < 1:
        says = "A ticket is good for one gaming day at least."
        return refuse(Code.SETTING_IMPOSSIBLE, None, says, ticket_days=command.ticket_days)
    if command.records_kept < 1:
        says = "One closed record of each kind stays in the state at least."
        return refuse(Code.SETTING_IMPOSSIBLE, None, says, records_kept=command.records_kept)
    founded = HouseFounded(command.mode, command.venue, command.timezone, command.ticket_days, command.records_kept)
    return (founded,)


def adopt_rulebook(house: House, command: AdoptRulebook, _stamp: Stamp) -> Decision:
    try:
        rulebook = house.read_rulebook(command.canonical)
    except ValueError as error:
        return refuse(Code.RULEBOOK_INCONSISTENT, None, f"That text is not a rulebook: {error}.")
    if rulebook.digest in house.rulebooks:
        says = f"{rulebook.title} of {rulebook.venue} is in use already."
        return refuse(Code.ALREADY_THERE, None, says, digest=rulebook.digest)
    other = next((book for book in house.rulebooks.values() if book.currency != rulebook.currency), None)
    if other is not None and house.mode is Mode.REAL:
        # Cents of two currencies cannot stand in one set of books.
        says = f"This house counts in {other.currency}, and {rulebook.venue} in {rulebook.currency}."
        return refuse(Code.SETTING_IMPOSSIBLE, None, says, currency=rulebook.currency)
    return (RulebookAdopted(rulebook.id, rulebook.digest, command.canonical),)


def add_table(house: House, command: AddTable, _stamp: Stamp) -> Decision:
    rulebook = house.rulebooks.get(command.rulebook)
    if rulebook is None:
        return _unknown_rulebook(command.rulebook)
    objections = (*name_objections(house, command.table), *settings_objections(rulebook, command.settings))
    return first_of(objections) or (TableAdded(command.table, command.rulebook, command.settings),)


def _unknown_rulebook(digest: str) -> Refusal:
    says = "No rulebook with that digest has been adopted here."
    return refuse(Code.UNKNOWN_RULEBOOK, None, says, digest=digest)


def add_terminal(house: House, command: AddTerminal, _stamp: Stamp) -> Decision:
    objections = [*name_objections(house, command.terminal)]
    strangers = [table for table in command.tables if table not in house.tables]
    objections += [refuse(Code.UNKNOWN_TABLE, None, f"There is no table {name}.", table=name) for name in strangers]
    tables = [house.tables[table] for table in command.tables if table in house.tables]
    if tables:
        objections += terminal_objections(house, tables, command.settings)
    else:
        objections.append(refuse(Code.SETTING_IMPOSSIBLE, None, "A terminal stands at a table."))
    return first_of(objections) or (TerminalAdded(command.terminal, command.tables, command.settings),)


def approve_software(house: House, command: ApproveSoftware, _stamp: Stamp) -> Decision:
    if house.approved.get(command.version) == command.reference:
        return refuse(Code.ALREADY_THERE, None, f"Version {command.version} is approved already.")
    return (SoftwareApproved(command.version, command.reference),)


def report_software(_house: House, command: ReportSoftware, _stamp: Stamp) -> Decision:
    return (SoftwareReported(command.version),)


def change_settings(house: House, command: ChangeSettings, _stamp: Stamp) -> Decision:
    rulebook, _ = coming(house, house.tables[command.table])
    objection = first_of(settings_objections(rulebook, command.settings))
    return objection or (SettingsChanged(command.table, command.settings, command.words),)


def change_rulebook(house: House, command: ChangeRulebook, _stamp: Stamp) -> Decision:
    rulebook, table = house.rulebooks.get(command.rulebook), house.tables[command.table]
    if rulebook is None:
        return _unknown_rulebook(command.rulebook)
    objections = [
        objection
        for terminal in map(house.terminals.__getitem__, table.terminals)
        for objection in model_objections(house, rulebook, terminal.settings.profile)
    ]
    if coming(house, table)[0].digest == command.rulebook:
        objections.append(refuse(Code.ALREADY_THERE, None, "The table is under that rulebook already."))
    clause = table.rulebook.cites[Matter.SETTINGS]
    if rulebook.currency != table.rulebook.currency:
        says = f"The credits here are {table.rulebook.currency}, and that rulebook's are {rulebook.currency}."
        objections.append(refuse(Code.SETTING_IMPOSSIBLE, clause, says))
    shared = [name for name in table.terminals if len(house.terminals[name].games) > 1]
    if shared:
        says = f"Terminal {shared[0]} also plays at another table, and all its games are played by one rulebook."
        objections.append(refuse(Code.SETTING_IMPOSSIBLE, clause, says, terminal=shared[0]))
    return first_of(objections) or (RulebookChanged(command.table, command.rulebook, command.words),)


def coming(house: House, table: Table) -> tuple[Rulebook, TableSettings]:
    """Tell by which rules and settings a table's next round is played."""
    rulebook = table.rulebook if table.next_rulebook is None else house.rulebooks[table.next_rulebook]
    return rulebook, table.next_settings or table.settings


def take_next(house: House, table: Table) -> None:
    """Put into force, as a round opens, what was changed since the last one did."""
    if table.next_rulebook is None and table.next_settings is None:
        return
    old = table.rulebook.digest
    rulebook, table.settings = coming(house, table)
    table.next_rulebook, table.next_settings = None, None
    table.rulebook, table.felt = rulebook, house.felts[rulebook.digest]
    table.terms = terms_for(rulebook, channel_of(rulebook), table.settings.limits)
    for terminal in map(house.terminals.__getitem__, table.terminals):
        if rulebook.digest != old:
            _change_layout(house, terminal, table)
        terminal.games[table.id].terms = _terms(terminal.settings, table)


def _change_layout(house: House, terminal: Terminal, table: Table) -> None:
    """Clear what was laid, kept or shown on the old layout, which the new one may have no spots for."""
    game = terminal.games[table.id]
    take_back(house, terminal, game)
    game.previous = {}
    terminal.patterns, terminal.ghost = {}, None
    terminal.channel, terminal.profile = channel_of(table.rulebook), _profile(table.rulebook, terminal.settings)


def channel_of(rulebook: Rulebook) -> Channel:
    """Choose the way terminals bet: their own, or the table's in a demonstration of one that has no terminals."""
    return rulebook.channels.get(ChannelName.TERMINAL) or rulebook.channels[ChannelName.TABLE]


def _profile(rulebook: Rulebook, settings: TerminalSettings) -> Profile | None:
    """Find a terminal's model; one that names none where bets are also laid by hand is the usual terminal (6(n))."""
    profile = find_profile(rulebook, settings.profile)
    assert not isinstance(profile, Refusal)
    if profile is None and ChannelName.TABLE in rulebook.channels:
        return next((each for each in rulebook.profiles if each.channel is ChannelName.TERMINAL), None)
    return profile


def _terms(settings: TerminalSettings, table: Table) -> Terms:
    if settings.limits is None:
        return table.terms
    return terms_for(table.rulebook, channel_of(table.rulebook), settings.limits)


def send_message(house: House, command: SendMessage, _stamp: Stamp) -> Decision:
    unknown = next((name for name in command.terminals if TerminalId(name) not in house.terminals), None)
    return no_terminal(house, unknown) if unknown is not None else (MessageSent(command.terminals, command.words),)


def house_founded(house: House, event: HouseFounded, _stamp: Stamp) -> None:
    house.mode, house.venue = event.mode, event.venue
    house.timezone, house.ticket_days = event.timezone, event.ticket_days
    house.records_kept = event.records_kept


def rulebook_adopted(house: House, event: RulebookAdopted, _stamp: Stamp) -> None:
    rulebook = house.read_rulebook(event.canonical)
    house.rulebooks[event.digest] = rulebook
    house.felts[event.digest] = Felt(rulebook)


def table_added(house: House, event: TableAdded, stamp: Stamp) -> None:
    rulebook = house.rulebooks[event.rulebook]
    terms = terms_for(rulebook, channel_of(rulebook), event.settings.limits)
    felt = house.felts[event.rulebook]
    house.tables[event.table] = Table(event.table, rulebook, felt, event.settings, terms, over_at=stamp.now)
    house.devices.add(DeviceId(event.table))


def terminal_added(house: House, event: TerminalAdded, _stamp: Stamp) -> None:
    settings, rulebook = event.settings, house.tables[event.tables[0]].rulebook
    games: dict[TableId, Game] = {}
    for table in map(house.tables.__getitem__, event.tables):
        games[table.id] = Game(table.id, _terms(settings, table))
        table.terminals.append(event.terminal)
    channel, profile = channel_of(rulebook), _profile(rulebook, settings)
    terminal = Terminal(event.terminal, settings, channel, profile, games, settings.denominations[0])
    house.terminals[event.terminal] = terminal
    house.devices.add(DeviceId(event.terminal))


def restore(house: House) -> None:
    """Work out again what follows from the rest of the state: the rulebooks' look-ups, limits and indexes."""
    house.felts = {digest: Felt(rulebook) for digest, rulebook in house.rulebooks.items()}
    for table in house.tables.values():
        table.felt = house.felts[table.rulebook.digest]
        table.terms = terms_for(table.rulebook, channel_of(table.rulebook), table.settings.limits)
    for terminal in house.terminals.values():
        rulebook = house.rulebook_at(terminal)
        terminal.channel, terminal.profile = channel_of(rulebook), _profile(rulebook, terminal.settings)
        for game in terminal.games.values():
            game.terms = _terms(terminal.settings, house.tables[game.table])
    house.ticket_digests = {ticket.digest: sequence for sequence, ticket in house.tickets.items()}
    house.open_cases = {number: case for number, case in house.cases.items() if not case.cleared}


def software_approved(house: House, event: SoftwareApproved, _stamp: Stamp) -> None:
    house.approved[event.version] = event.reference


def software_reported(house: House, event: SoftwareReported, _stamp: Stamp) -> None:
    house.running = event.version


def settings_changed(house: House, event: SettingsChanged, _stamp: Stamp) -> None:
    house.tables[event.table].next_settings = event.settings


def rulebook_changed(house: House, event: RulebookChanged, _stamp: Stamp) -> None:
    house.tables[event.table].next_rulebook = event.rulebook


def message_sent(house: House, event: MessageSent, _stamp: Stamp) -> None:
    for name in map(TerminalId, event.terminals or house.terminals):
        house.terminals[name].messages.append(event.words)


def print_rules(house: House, command: PrintRules, _stamp: Stamp) -> Decision:
    return (RulesPrinted(command.table, house.tables[command.table].rulebook.digest, command.sold),)


def rules_printed(house: House, _event: RulesPrinted, _stamp: Stamp) -> None:
    house.copies += 1


DECIDERS: Deciders = {
    PrintRules: print_rules,
    FoundHouse: found_house,
    AdoptRulebook: adopt_rulebook,
    AddTable: add_table,
    AddTerminal: add_terminal,
    ApproveSoftware: approve_software,
    ReportSoftware: report_software,
    ChangeSettings: change_settings,
    ChangeRulebook: change_rulebook,
    SendMessage: send_message,
}
EVOLVERS: Evolvers = {
    RulesPrinted: rules_printed,
    HouseFounded: house_founded,
    RulebookAdopted: rulebook_adopted,
    TableAdded: table_added,
    TerminalAdded: terminal_added,
    SoftwareApproved: software_approved,
    SoftwareReported: software_reported,
    SettingsChanged: settings_changed,
    RulebookChanged: rulebook_changed,
    MessageSent: message_sent,
}
