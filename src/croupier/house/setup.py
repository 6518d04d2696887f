"""Rulebooks, tables and terminals set up, changed and validated."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, get_args, get_type_hints

from msgspec.structs import replace

from croupier.house.base import Decision
from croupier.house.commands.setup import (
    AddTable,
    AddTerminal,
    AdoptRulebook,
    ApproveBuild,
    ChangeRulebook,
    ChangeSettings,
    CreateHouse,
    PrintRules,
    ReportBuild,
    SendMessage,
)
from croupier.house.events.setup import (
    BuildApproved,
    BuildReported,
    HouseCreated,
    MessageSent,
    RulebookAdopted,
    RulebookChanged,
    RulesPrinted,
    SettingsChanged,
    TableAdded,
    TerminalAdded,
)
from croupier.house.ids import SYSTEM, Context, DeviceId, PositionId, TableId, TerminalId
from croupier.house.permissions import no_terminal
from croupier.house.settings import (
    AMOUNT_MAX,
    DozenLabels,
    EffectiveLimits,
    LimitSettings,
    LiveSettings,
    Mode,
    Setting,
    TableSettings,
    TerminalSettings,
    WheelKind,
    effective_limits,
    limit_problems,
)
from croupier.house.stakes import move_to_credit
from croupier.house.state import Deciders, Evolvers, House
from croupier.house.state.live import Colour, LiveTable
from croupier.house.state.tables import Position, SeatMessage, SeatMessageKind, Table, Terminal
from croupier.house.texts import name_form_objection
from croupier.rules.geometry import Pocket, SpotKind
from croupier.rules.money import amount_text
from croupier.rules.procedure import Channel, ChannelName, MessageKind, Profile
from croupier.rules.refusal import CitedTopic, ClauseId, Code, Refusal, first_of, refuse
from croupier.rules.rulebook import PayoutTable, Rulebook, find_profile
from croupier.rules.sums import STEPS_MAX, steps_of


def name_objections(house: House, name: str) -> Iterator[Refusal]:
    """Refuse a name that is taken: terminals and table wheels are devices too, so all names share one namespace."""
    # A released terminal keeps its name: tickets and past rounds refer to it.
    if DeviceId(name) in house.devices or TerminalId(name) in house.terminals or name == SYSTEM:
        yield refuse(Code.ALREADY_THERE, None, f"Something here goes by the name {name} already.", name=name)
    if (objection := name_form_objection(name)) is not None:
        yield objection


def _bounds() -> Iterator[tuple[str, tuple[int, int]]]:
    for name, hint in get_type_hints(TableSettings, include_extras=True).items():
        declared = next((each for each in get_args(hint)[1:] if isinstance(each, Setting)), None)
        if declared is not None and declared.unit:
            yield name, (declared.minimum, declared.maximum)


#: The bounds of each integer in a table's settings: a value outside them is a typing error that would stop play.
SETTING_BOUNDS: Final = dict(_bounds())


def settings_objections(rulebook: Rulebook, settings: TableSettings) -> Iterator[Refusal]:
    clause = rulebook.cited_clauses[CitedTopic.SETTINGS]
    for name, (least, most) in SETTING_BOUNDS.items():
        figure = getattr(settings, name)
        if figure is not None and not least <= figure <= most:
            message = f"{name} is {figure}, and must be {least} to {most}."
            yield refuse(Code.SETTING_IMPOSSIBLE, clause, message, setting=name, figure=figure)
    yield from _limit_objections(rulebook, settings.limits)
    yield from _display_objections(rulebook, settings)
    yield from live_objections(rulebook, settings)


def _display_objections(rulebook: Rulebook, settings: TableSettings) -> Iterator[Refusal]:
    """Refuse words and labels that the rules do not permit."""
    opening, text = rulebook.messages.get(MessageKind.OPEN), settings.open_text
    if text is not None and (opening is None or text not in opening.texts):
        clause = rulebook.cited_clauses[CitedTopic.SETTINGS] if opening is None else opening.clause
        permitted = " or ".join(f'"{each}"' for each in opening.texts) if opening else "none"
        message = f'"{text}" does not open betting under these rules. They permit: {permitted}.'
        yield refuse(Code.SETTING_IMPOSSIBLE, clause, message, setting="open_text")
    if settings.dozen_labels is DozenLabels.RANGE and rulebook.terminal.dozen_ranges is None:
        clause, message = rulebook.paytable.prices[SpotKind.DOZEN].clause, "The rules name the dozens 1st 12 to 3rd 12."
        yield refuse(Code.SETTING_IMPOSSIBLE, clause, message, setting="dozen_labels")


def live_clause(rulebook: Rulebook, topic: CitedTopic) -> ClauseId:
    """Name the clause on a topic of play with chips; the clause on terminals if the rules have no such play."""
    channel = rulebook.channels.get(ChannelName.TABLE)
    if channel is None:
        return rulebook.cited_clauses[CitedTopic.TERMINAL]
    return channel.cites.get(topic) or rulebook.cited_clauses[topic]


def live_objections(rulebook: Rulebook, settings: TableSettings) -> Iterator[Refusal]:
    """Refuse a live table that the rules do not have, or whose chips could be mistaken for others."""
    live = settings.live
    if live is None:
        return
    if ChannelName.TABLE not in rulebook.channels:
        message = f"{rulebook.venue} is played on terminals: a table takes no chips."
        yield refuse(Code.CHIPS_NOT_TAKEN, live_clause(rulebook, CitedTopic.STAND_ALONE), message, setting="live")
        return
    sets, result = live_clause(rulebook, CitedTopic.CHIP_SETS), rulebook.cited_clauses[CitedTopic.RESULT]
    if settings.wheel is WheelKind.RANDOM:
        message = 'wheel is "random", and at a live table a dealer spins the ball: choose "sensor" or "keypad".'
        yield refuse(Code.SETTING_IMPOSSIBLE, result, message, setting="wheel")
    if not settings.confirms:
        message = "confirms is false, and at a live table the dealer confirms each number: set it to true."
        yield refuse(Code.SETTING_IMPOSSIBLE, result, message, setting="confirms")
    if alike := sorted({*live.colours} & {*live.value_colours}):
        message = f"{alike[0]} is the colour of a value chip: a player's chips must differ from it."
        yield refuse(Code.COLOUR_LIKE_VALUE_CHIP, sets, message, setting="live.colours", colour=alike[0])
    if not live.emblem.strip():
        message = "The emblem is empty: it tells a set of chips from those of other tables."
        yield refuse(Code.SETTING_IMPOSSIBLE, sets, message, setting="live.emblem")
    if not live.colours:
        message = "The list is empty: a set of chips has at least one colour."
        yield refuse(Code.SETTING_IMPOSSIBLE, sets, message, setting="live.colours")
    if twice := [colour for colour, count in Counter(live.colours).items() if count > 1]:
        message = f"{twice[0]} is listed twice: a set of chips has each colour once."
        yield refuse(Code.SETTING_IMPOSSIBLE, sets, message, setting="live.colours", colour=twice[0])
    yield from _button_objections(rulebook, live)
    yield from _value_objections(rulebook, live)


def _value_objections(rulebook: Rulebook, live: LiveSettings) -> Iterator[Refusal]:
    """Refuse value chips that no float can have: none at all, one value twice, or a value that is no amount."""
    clause = live_clause(rulebook, CitedTopic.FLOAT)
    if not live.denominations:
        message = "The list is empty: a float has value chips of at least one value."
        yield refuse(Code.SETTING_IMPOSSIBLE, clause, message, setting="live.denominations")
    for name, values in (("denominations", live.denominations), ("circulating", live.circulating)):
        for value, count in Counter(values).items():
            shown = amount_text(value)
            if not 1 <= value <= AMOUNT_MAX:
                message = f"A value chip of {shown} cannot be: it has a value of 0.01 to {amount_text(AMOUNT_MAX)}."
                yield refuse(Code.SETTING_IMPOSSIBLE, clause, message, setting=f"live.{name}", value=value)
            if count > 1:
                message = f"{shown} is listed twice: each value is there once."
                yield refuse(Code.SETTING_IMPOSSIBLE, clause, message, setting=f"live.{name}", value=value)
    if live.denominations and min(live.denominations) >= 1 and steps_of(live.denominations) > STEPS_MAX:
        message = "The values of the float's chips have no common step: its sums cannot be computed."
        yield refuse(Code.SETTING_IMPOSSIBLE, clause, message, setting="live.denominations")


def _button_objections(rulebook: Rulebook, live: LiveSettings) -> Iterator[Refusal]:
    """5.2(a): a marker button shows a number and on its rim its neighbours on the wheel (Adelaide)."""
    clause = rulebook.channels[ChannelName.TABLE].marker_buttons or rulebook.calls_clause
    rims = marker_rims(rulebook)
    for button in live.marker_buttons:
        number, _, rim = button.partition(":")
        right = rims.get(Pocket(number.strip()), ())
        if not right or sorted(rim.split()) != sorted(right):
            shows = f"{', '.join(right)} on its rim" if right else "no marker button here"
            message = f"The button {button} is wrong: {number.strip()} has {shows}."
            yield refuse(Code.MARKER_BUTTON_WRONG, clause, message, setting="live.marker_buttons", button=button)


def marker_rims(rulebook: Rulebook) -> dict[Pocket, tuple[Pocket, ...]]:
    """Return the numbers on the rim of each marker button, in the order of the wheel."""
    return {
        block.number: tuple(each for each in block.numbers if each != block.number)
        for block in rulebook.blocks.values()
    }


def _set_objections(house: House, rulebook: Rulebook, live: LiveSettings | None) -> Iterator[Refusal]:
    """6(c): chips without a value differ from those of other tables by their emblem (Adelaide)."""
    for table in house.tables.values():
        other = table.settings.live
        if live is not None and other is not None and live.emblem == other.emblem:
            message = f"The set with the emblem {live.emblem} is in use at table {table.id}."
            yield refuse(
                Code.SET_IN_USE,
                live_clause(rulebook, CitedTopic.CHIP_SETS),
                message,
                setting="live.emblem",
                table=table.id,
            )


def _fixed_objections(table: Table, settings: TableSettings) -> Iterator[Refusal]:
    """Refuse another kind of table, set of chips or recording: chips may be with players."""
    if _fixed(table.settings.live) != _fixed(settings.live):
        message = "The kind of a table, its set of chips and its recording are fixed when it is added."
        yield refuse(
            Code.SETTING_IMPOSSIBLE, live_clause(table.rulebook, CitedTopic.CHIP_SETS), message, setting="live"
        )


def _fixed(live: LiveSettings | None) -> object:
    return None if live is None else (live.recording, live.emblem, live.colours, live.pieces)


def terminal_objections(house: House, tables: Sequence[Table], settings: TerminalSettings) -> Iterator[Refusal]:
    rulebook = tables[0].rulebook
    yield from model_objections(house, rulebook, settings.profile)
    games = rulebook.terminal.games
    most, clause = (games.value, games.clause) if games else (1, rulebook.cited_clauses[CitedTopic.TERMINAL])
    names = {table.id for table in tables}
    if not len(tables) == len(names) <= most:
        message = f"A terminal plays at most {most} different tables here."
        yield refuse(Code.SETTING_IMPOSSIBLE, clause, message, tables=len(tables), most=most)
    if any(table.rulebook.digest != rulebook.digest for table in tables):
        yield refuse(Code.SETTING_IMPOSSIBLE, clause, "All games of a terminal are played by one rulebook.")
    if any(table.next_rulebook is not None for table in tables):
        message = "The rules of that table change with its next round: add the terminal after that."
        yield refuse(Code.SETTING_IMPOSSIBLE, rulebook.cited_clauses[CitedTopic.SETTINGS], message)
    for misfit in _tray_misfits(settings):
        yield refuse(Code.SETTING_IMPOSSIBLE, rulebook.cited_clauses[CitedTopic.SETTINGS], misfit)
    if settings.limits is not None:
        yield from _limit_objections(rulebook, settings.limits)


def model_objections(house: House, rulebook: Rulebook, wanted: str | None) -> Iterator[Refusal]:
    profile = find_profile(rulebook, wanted)
    if isinstance(profile, Refusal):
        yield profile
    elif profile is not None and profile.channel is not ChannelName.TERMINAL:
        yield refuse(Code.UNKNOWN_PROFILE, profile.clause, f"{profile.label} is not a terminal.", profile=profile.id)
    if ChannelName.TERMINAL not in rulebook.channels and house.mode is not Mode.DEMO:
        message = f"{rulebook.venue} is played with chips: terminals are for demonstration alone."
        yield refuse(Code.DEMO_ONLY, rulebook.cited_clauses[CitedTopic.TERMINAL], message)


def _limit_objections(rulebook: Rulebook, limits: LimitSettings) -> Iterator[Refusal]:
    for on, bound, words in limit_problems(limits):
        yield refuse(
            Code.SETTING_IMPOSSIBLE, rulebook.cited_clauses[CitedTopic.SETTINGS], words, setting=on, bound=bound
        )


def _tray_misfits(settings: TerminalSettings) -> Iterator[str]:
    values = (*settings.denominations, *settings.chips, *settings.notes)
    if not settings.denominations:
        yield "A credit must be worth something."
    if any(value < 1 for value in values):
        yield "Every denomination, chip and note must be above nothing."
    if any(value > AMOUNT_MAX for value in values):
        yield f"No denomination, chip or note may be above {AMOUNT_MAX} cents or credits."


def found_house(house: House, command: CreateHouse, _context: Context) -> Decision:
    if house.mode is not None:
        return refuse(Code.ALREADY_THERE, None, f"The house was founded already, as {house.venue}.")
    if command.ticket_days is not None and command.ticket_days < 1:
        message = "A ticket is good for one gaming day at least."
        return refuse(Code.SETTING_IMPOSSIBLE, None, message, ticket_days=command.ticket_days)
    if command.records_kept < 1:
        message = "One closed record of each kind stays in the state at least."
        return refuse(Code.SETTING_IMPOSSIBLE, None, message, records_kept=command.records_kept)
    founded = HouseCreated(command.mode, command.venue, command.timezone, command.ticket_days, command.records_kept)
    return (founded,)


def adopt_rulebook(house: House, command: AdoptRulebook, _context: Context) -> Decision:
    try:
        rulebook = house.read_rulebook(command.canonical)
    except ValueError as error:
        return refuse(Code.RULEBOOK_INCONSISTENT, None, f"That text is not a rulebook: {error}.")
    if rulebook.digest in house.rulebooks:
        message = f"{rulebook.title} of {rulebook.venue} is in use already."
        return refuse(Code.ALREADY_THERE, None, message, digest=rulebook.digest)
    other = next((book for book in house.rulebooks.values() if book.currency != rulebook.currency), None)
    if other is not None and house.mode is Mode.REAL:
        # One ledger cannot hold cents of two currencies.
        message = f"This house counts in {other.currency}, and {rulebook.venue} in {rulebook.currency}."
        return refuse(Code.SETTING_IMPOSSIBLE, None, message, currency=rulebook.currency)
    return (RulebookAdopted(rulebook.id, rulebook.digest, command.canonical),)


def add_table(house: House, command: AddTable, _context: Context) -> Decision:
    rulebook = house.rulebooks.get(command.rulebook)
    if rulebook is None:
        return _unknown_rulebook(command.rulebook)
    live = _set_objections(house, rulebook, command.settings.live)
    objections = (*name_objections(house, command.table), *settings_objections(rulebook, command.settings), *live)
    return first_of(objections) or (TableAdded(command.table, command.rulebook, command.settings),)


def _unknown_rulebook(digest: str) -> Refusal:
    message = "No rulebook with that digest has been adopted here."
    return refuse(Code.UNKNOWN_RULEBOOK, None, message, digest=digest)


def add_terminal(house: House, command: AddTerminal, _context: Context) -> Decision:
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
    return first_of(objections) or (TerminalAdded(command.terminal, command.tables, positions, command.settings),)


def approve_software(house: House, command: ApproveBuild, _context: Context) -> Decision:
    if house.approved_builds.get(command.version) == command.reference:
        return refuse(Code.ALREADY_THERE, None, f"Version {command.version} is approved already.")
    return (BuildApproved(command.version, command.reference),)


def report_software(_house: House, command: ReportBuild, _context: Context) -> Decision:
    return (BuildReported(command.version),)


def change_settings(house: House, command: ChangeSettings, _context: Context) -> Decision:
    table = house.tables[command.table]
    rulebook, _ = pending_settings(house, table)
    objection = first_of(
        (*settings_objections(rulebook, command.settings), *_fixed_objections(table, command.settings))
    )
    return objection or (SettingsChanged(command.table, command.settings, command.words),)


def change_rulebook(house: House, command: ChangeRulebook, _context: Context) -> Decision:
    rulebook, table = house.rulebooks.get(command.rulebook), house.tables[command.table]
    if rulebook is None:
        return _unknown_rulebook(command.rulebook)
    objections = [
        objection
        for terminal in map(house.terminals.__getitem__, table.terminals)
        for objection in model_objections(house, rulebook, terminal.settings.profile)
    ]
    if pending_settings(house, table)[0].digest == command.rulebook:
        objections.append(refuse(Code.ALREADY_THERE, None, "The table is under that rulebook already."))
    clause = table.rulebook.cited_clauses[CitedTopic.SETTINGS]
    if rulebook.currency != table.rulebook.currency:
        message = f"The credits here are {table.rulebook.currency}, and that rulebook's are {rulebook.currency}."
        objections.append(refuse(Code.SETTING_IMPOSSIBLE, clause, message))
    shared = [name for name in table.terminals if len(house.terminals[name].games) > 1]
    if shared:
        message = f"Terminal {shared[0]} also plays at another table, and all its games are played by one rulebook."
        objections.append(refuse(Code.SETTING_IMPOSSIBLE, clause, message, terminal=shared[0]))
    return first_of(objections) or (RulebookChanged(command.table, command.rulebook, command.words),)


def pending_settings(house: House, table: Table) -> tuple[Rulebook, TableSettings]:
    """Return the rulebook and settings of a table's next round."""
    rulebook = table.rulebook if table.next_rulebook is None else house.rulebooks[table.next_rulebook]
    return rulebook, table.next_settings or table.settings


def apply_pending_settings(house: House, table: Table) -> None:
    """Apply, as a round opens, the changes made since the last round opened."""
    if table.next_rulebook is None and table.next_settings is None:
        return
    old = table.rulebook.digest
    rulebook, table.settings = pending_settings(house, table)
    table.next_rulebook, table.next_settings = None, None
    table.rulebook, table.payouts = rulebook, house.payout_tables[rulebook.digest]
    table.effective_limits = effective_limits(rulebook, channel_of(rulebook), table.settings.limits)
    for terminal in map(house.terminals.__getitem__, table.terminals):
        if rulebook.digest != old:
            _change_layout(house, terminal, table)
        set_limits(house, terminal.games[table.id])
    _limit_chips(house, table)


def _limit_chips(house: House, table: Table) -> None:
    """Set the limits of players with chips: the table's, or their own by arrangement."""
    if table.live is not None:
        for position, player in table.live.players.items():
            house.positions[position].effective_limits = chip_limits(table, player.limits)


def set_limits(house: House, game: Position) -> None:
    """Set the limits of a position: by arrangement, of the terminal, or the table's."""
    table = house.tables[game.table]
    arranged = None if game.arrangement is None else table.arrangements[game.arrangement].limits
    if game.terminal:
        settings = house.terminals[game.terminal].settings
        own = settings if arranged is None else replace(settings, limits=arranged)
        game.effective_limits = _effective_limits(own, table)
    else:
        assert table.live is not None
        table.live.players[game.id].limits = arranged
        game.effective_limits = chip_limits(table, arranged)


def leave_arrangement(house: House, game: Position) -> None:
    """End an arrangement for one player, who leaves or with whom it is ended; the last one ends it."""
    if game.arrangement is None:
        return
    arrangements = house.tables[game.table].arrangements
    arrangements[game.arrangement].positions.remove(game.id)
    if not arrangements[game.arrangement].positions:
        del arrangements[game.arrangement]
    game.arrangement, game.straight_only = None, False
    set_limits(house, game)


def chip_limits(table: Table, own: LimitSettings | None = None) -> EffectiveLimits:
    """Compute the limits of bets with chips at a table."""
    return effective_limits(table.rulebook, table.rulebook.channels[ChannelName.TABLE], own or table.settings.limits)


def _change_layout(house: House, terminal: Terminal, table: Table) -> None:
    """Clear the bets, patterns and ghost of the old layout: the new layout may lack their spots."""
    game = terminal.games[table.id]
    move_to_credit(house, terminal, game)
    game.previous = {}
    terminal.patterns, terminal.ghost = {}, None
    terminal.channel, terminal.profile = channel_of(table.rulebook), _profile(table.rulebook, terminal.settings)


def channel_of(rulebook: Rulebook) -> Channel:
    """Choose the channel of terminals: their own, or the table's in a demonstration of rules without terminals."""
    return rulebook.channels.get(ChannelName.TERMINAL) or rulebook.channels[ChannelName.TABLE]


def _profile(rulebook: Rulebook, settings: TerminalSettings) -> Profile | None:
    """Find a terminal's model; if it names none and bets are also placed by hand, the usual terminal (6(n))."""
    profile = find_profile(rulebook, settings.profile)
    assert not isinstance(profile, Refusal)
    if profile is None and ChannelName.TABLE in rulebook.channels:
        return next((each for each in rulebook.profiles if each.channel is ChannelName.TERMINAL), None)
    return profile


def _effective_limits(settings: TerminalSettings, table: Table) -> EffectiveLimits:
    if settings.limits is None:
        return table.effective_limits
    return effective_limits(table.rulebook, channel_of(table.rulebook), settings.limits)


def send_message(house: House, command: SendMessage, _context: Context) -> Decision:
    unknown = next((name for name in command.terminals if TerminalId(name) not in house.terminals), None)
    return no_terminal(house, unknown) if unknown is not None else (MessageSent(command.terminals, command.words),)


def house_founded(house: House, event: HouseCreated, _context: Context) -> None:
    house.mode, house.venue = event.mode, event.venue
    house.timezone, house.ticket_days = event.timezone, event.ticket_days
    house.records_kept = event.records_kept


def rulebook_adopted(house: House, event: RulebookAdopted, _context: Context) -> None:
    rulebook = house.read_rulebook(event.canonical)
    house.rulebooks[event.digest] = rulebook
    house.payout_tables[event.digest] = PayoutTable(rulebook)


def table_added(house: House, event: TableAdded, context: Context) -> None:
    rulebook = house.rulebooks[event.rulebook]
    terms = effective_limits(rulebook, channel_of(rulebook), event.settings.limits)
    felt = house.payout_tables[event.rulebook]
    table = Table(event.table, rulebook, felt, event.settings, terms, over_at=context.now)
    live = event.settings.live
    if live is not None:
        table.live = LiveTable(colours={name: Colour(live.pieces) for name in live.colours})
    house.tables[event.table] = table
    house.devices.add(DeviceId(event.table))


def terminal_added(house: House, event: TerminalAdded, _context: Context) -> None:
    settings, rulebook = event.settings, house.tables[event.tables[0]].rulebook
    games: dict[TableId, Position] = {}
    for number, name in zip(event.positions, event.tables, strict=True):
        table = house.tables[name]
        position = Position(number, event.terminal, name, _effective_limits(settings, table))
        games[name] = house.positions[number] = position
        table.terminals.append(event.terminal)
        table.positions.append(number)
    house.positions_added = event.positions[-1]
    channel, profile = channel_of(rulebook), _profile(rulebook, settings)
    terminal = Terminal(event.terminal, settings, channel, profile, games, settings.denominations[0])
    house.terminals[event.terminal] = terminal
    for position in games.values():
        position.join(terminal, house.tables[position.table])
    house.devices.add(DeviceId(event.terminal))


def restore(house: House) -> None:
    """Recompute the derived state: the rulebooks' lookup tables, limits and indexes."""
    house.payout_tables = {digest: PayoutTable(rulebook) for digest, rulebook in house.rulebooks.items()}
    for table in house.tables.values():
        table.payouts = house.payout_tables[table.rulebook.digest]
        table.effective_limits = effective_limits(table.rulebook, channel_of(table.rulebook), table.settings.limits)
    for terminal in house.terminals.values():
        rulebook = house.rulebook_at(terminal)
        terminal.channel, terminal.profile = channel_of(rulebook), _profile(rulebook, terminal.settings)
    for game in house.positions.values():
        set_limits(house, game)
        game.best = max(game.returns, default=0)
        if game.terminal:
            game.join(house.terminals[game.terminal], house.tables[game.table])
    house.ticket_digests = {ticket.digest: sequence for sequence, ticket in house.tickets.items()}
    house.open_cases = {number: case for number, case in house.cases.items() if not case.cleared}


def software_approved(house: House, event: BuildApproved, _context: Context) -> None:
    house.approved_builds[event.version] = event.reference


def software_reported(house: House, event: BuildReported, _context: Context) -> None:
    house.build = event.version


def settings_changed(house: House, event: SettingsChanged, _context: Context) -> None:
    house.tables[event.table].next_settings = event.settings


def rulebook_changed(house: House, event: RulebookChanged, _context: Context) -> None:
    house.tables[event.table].next_rulebook = event.rulebook


def message_sent(house: House, event: MessageSent, _context: Context) -> None:
    for name in map(TerminalId, event.terminals or house.terminals):
        house.terminals[name].messages.append(SeatMessage(SeatMessageKind.TEXT, text=event.words))


def print_rules(house: House, command: PrintRules, _context: Context) -> Decision:
    return (RulesPrinted(command.table, house.tables[command.table].rulebook.digest, command.sold),)


def rules_printed(house: House, _event: RulesPrinted, _context: Context) -> None:
    house.copies += 1


DECIDERS: Deciders = {
    PrintRules: print_rules,
    CreateHouse: found_house,
    AdoptRulebook: adopt_rulebook,
    AddTable: add_table,
    AddTerminal: add_terminal,
    ApproveBuild: approve_software,
    ReportBuild: report_software,
    ChangeSettings: change_settings,
    ChangeRulebook: change_rulebook,
    SendMessage: send_message,
}
EVOLVERS: Evolvers = {
    RulesPrinted: rules_printed,
    HouseCreated: house_founded,
    RulebookAdopted: rulebook_adopted,
    TableAdded: table_added,
    TerminalAdded: terminal_added,
    BuildApproved: software_approved,
    BuildReported: software_reported,
    SettingsChanged: settings_changed,
    RulebookChanged: rulebook_changed,
    MessageSent: message_sent,
}
