"""Settings and rulebooks of tables and terminals: what is refused, and when a change takes effect."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final, get_args, get_type_hints

from msgspec.structs import replace

from croupier.house.declare import (
    Events,
    EventTopic,
    Part,
    TableCommand,
    TableEvent,
    command,
    decides,
    event,
    evolves,
)
from croupier.house.floor.texts import name_form_objection
from croupier.house.ids import SYSTEM, Context, DeviceId, TerminalId
from croupier.house.play.stakes import move_to_credit
from croupier.house.settings import (
    AMOUNT_MAX,
    DozenLabels,
    EffectiveLimits,
    LimitSettings,
    LiveSettings,
    Mode,
    Recording,
    Setting,
    TableSettings,
    TerminalSettings,
    WheelKind,
    effective_limits,
    limit_problems,
)
from croupier.house.state.tables import Position, Table, Terminal
from croupier.house.state.timer_heap import TimerKind
from croupier.rules.geometry import Pocket, SegmentGroup
from croupier.rules.money import amount_text
from croupier.rules.procedure import Channel, ChannelName, Duty, MessageKind, Profile
from croupier.rules.refusal import CitedTopic, ClauseId, Code, Refusal, Refused, first_of, raise_if, refuse
from croupier.rules.rulebook import Rulebook, find_profile
from croupier.rules.sums import STEPS_MAX, steps_of

if TYPE_CHECKING:
    from croupier.house import House


@command(Duty.MANAGE, signatures=2)
class ChangeSettings(TableCommand, frozen=True):
    """Change a table's limits and timers, from the next round."""

    settings: TableSettings
    words: str


@event(
    "Other settings apply from the next round. {words}",
    EventTopic.STAFF,
    EventTopic.SIGNIFICANT,
    touches=(Part.TABLE, Part.TERMS),
    reschedules=(TimerKind.SESSION, TimerKind.OFFLINE),
)
class SettingsChanged(TableEvent, frozen=True):
    """A table's settings were changed, from the next round."""

    settings: TableSettings
    words: str


@decides(ChangeSettings)
def change_settings(house: House, command: ChangeSettings, _context: Context) -> Events:
    table = house.tables[command.table]
    rulebook, _ = pending_settings(house, table)
    raise_if(first_of((*settings_objections(rulebook, command.settings), *_fixed_objections(table, command.settings))))
    return (SettingsChanged(command.table, command.settings, command.words),)


def _bounds() -> Iterator[tuple[str, tuple[int, int]]]:
    for name, hint in get_type_hints(TableSettings, include_extras=True).items():
        declared = next((each for each in get_args(hint) if isinstance(each, Setting)), None)
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
        names, prices = rulebook.kind_names, rulebook.prices
        dozens = (prices[kind].clause for kind in prices if names[kind].segment is SegmentGroup.DOZENS)
        clause = next(dozens, rulebook.paytable.clause)
        message = "The rules name the dozens 1st 12 to 3rd 12."
        yield refuse(Code.SETTING_IMPOSSIBLE, clause, message, setting="dozen_labels")


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
    carried = rulebook.paytable.carried
    if carried is not None and live.recording is not Recording.FULL:
        message = 'recording is "supervised", and stakes that wait for another spin are on record: set it to "full".'
        yield refuse(Code.SETTING_IMPOSSIBLE, carried.clause, message, setting="live.recording")
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


def live_clause(rulebook: Rulebook, topic: CitedTopic) -> ClauseId:
    """Name the clause on a topic of play with chips; the clause on terminals if the rules have no such play."""
    channel = rulebook.channels.get(ChannelName.TABLE)
    if channel is None:
        return rulebook.cited_clauses[CitedTopic.TERMINAL]
    return channel.cites.get(topic) or rulebook.cited_clauses[topic]


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


def _limit_objections(rulebook: Rulebook, limits: LimitSettings) -> Iterator[Refusal]:
    for kind in (each for each, _ in limits.kinds if each not in rulebook.kind_names):
        message = f"There is no kind of bet '{kind}' here; there is {', '.join(rulebook.kind_names)}."
        yield refuse(Code.SETTING_IMPOSSIBLE, rulebook.cited_clauses[CitedTopic.SETTINGS], message, setting="kinds")
    for on, bound, words in limit_problems(limits):
        yield refuse(
            Code.SETTING_IMPOSSIBLE, rulebook.cited_clauses[CitedTopic.SETTINGS], words, setting=on, bound=bound
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


def pending_settings(house: House, table: Table) -> tuple[Rulebook, TableSettings]:
    """Return the rulebook and settings of a table's next round."""
    rulebook = table.rulebook if table.next_rulebook is None else house.rulebooks[table.next_rulebook]
    return rulebook, table.next_settings or table.settings


@evolves(SettingsChanged)
def settings_changed(house: House, event: SettingsChanged, _context: Context) -> None:
    house.tables[event.table].next_settings = event.settings


@command(Duty.MANAGE, signatures=2)
class ChangeRulebook(TableCommand, frozen=True):
    """Change the rulebook of a table to another adopted one, from the next round."""

    rulebook: str
    words: str


@event(
    "Other rules apply from the next round. {words}",
    EventTopic.STAFF,
    EventTopic.SIGNIFICANT,
    touches=(Part.TABLE, Part.TERMS),
    reschedules=(TimerKind.SESSION, TimerKind.OFFLINE),
)
class RulebookChanged(TableEvent, frozen=True):
    """A table's rulebook was changed, from the next round."""

    rulebook: str
    words: str


@decides(ChangeRulebook)
def change_rulebook(house: House, command: ChangeRulebook, _context: Context) -> Events:
    rulebook, table = find_rulebook(house, command.rulebook), house.tables[command.table]
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
    raise_if(first_of(objections))
    return (RulebookChanged(command.table, command.rulebook, command.words),)


def model_objections(house: House, rulebook: Rulebook, wanted: str | None) -> Iterator[Refusal]:
    try:
        profile = find_profile(rulebook, wanted)
    except Refused as refused:
        yield refused.refusal
        profile = None
    if profile is not None and profile.channel is not ChannelName.TERMINAL:
        yield refuse(Code.UNKNOWN_PROFILE, profile.clause, f"{profile.label} is not a terminal.", profile=profile.id)
    if ChannelName.TERMINAL not in rulebook.channels and house.setup.mode is not Mode.DEMO:
        message = f"{rulebook.venue} is played with chips: terminals are for demonstration alone."
        yield refuse(Code.DEMO_ONLY, rulebook.cited_clauses[CitedTopic.TERMINAL], message)


def find_rulebook(house: House, digest: str) -> Rulebook:
    rulebook = house.rulebooks.get(digest)
    if rulebook is None:
        message = "No rulebook with that digest has been adopted here."
        raise Refused(Code.UNKNOWN_RULEBOOK, None, message, digest=digest)
    return rulebook


@evolves(RulebookChanged)
def rulebook_changed(house: House, event: RulebookChanged, _context: Context) -> None:
    house.tables[event.table].next_rulebook = event.rulebook


def name_objections(house: House, name: str) -> Iterator[Refusal]:
    """Refuse a name that is taken: terminals and table wheels are devices too, so all names share one namespace."""
    # A released terminal keeps its name: tickets and past rounds refer to it.
    if DeviceId(name) in house.staff.devices or TerminalId(name) in house.terminals or name == SYSTEM:
        yield refuse(Code.ALREADY_THERE, None, f"Something here goes by the name {name} already.", name=name)
    if (objection := name_form_objection(name)) is not None:
        yield objection


def chip_set_objections(house: House, rulebook: Rulebook, live: LiveSettings | None) -> Iterator[Refusal]:
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


def _tray_misfits(settings: TerminalSettings) -> Iterator[str]:
    values = (*settings.denominations, *settings.chips, *settings.notes)
    if not settings.denominations:
        yield "A credit must be worth something."
    if any(value < 1 for value in values):
        yield "Every denomination, chip and note must be above nothing."
    if any(value > AMOUNT_MAX for value in values):
        yield f"No denomination, chip or note may be above {AMOUNT_MAX} cents or credits."


def apply_pending_settings(house: House, table: Table) -> None:
    """Apply, as a round opens, the changes made since the last round opened."""
    if table.next_rulebook is None and table.next_settings is None:
        return
    old = table.rulebook.digest
    rulebook, table.settings = pending_settings(house, table)
    table.next_rulebook, table.next_settings = None, None
    table.plays_by = rulebook.digest
    table.rulebook, table.payouts = rulebook, house.payout_tables[rulebook.digest]
    table.effective_limits = effective_limits(rulebook, channel_of(rulebook), table.settings.limits)
    for terminal in map(house.terminals.__getitem__, table.terminals):
        if rulebook.digest != old:
            _change_layout(house, terminal, table)
        set_limits(house, terminal.games[table.id])
    # Players with chips have the table's limits, or their own by arrangement.
    if table.live is not None:
        for position, player in table.live.players.items():
            house.positions[position].effective_limits = chip_limits(table, player.limits)


def chip_limits(table: Table, own: LimitSettings | None = None) -> EffectiveLimits:
    """Compute the limits of bets with chips at a table."""
    return effective_limits(table.rulebook, table.rulebook.channels[ChannelName.TABLE], own or table.settings.limits)


def set_limits(house: House, game: Position) -> None:
    """Set the limits of a position: by arrangement, of the terminal, or the table's."""
    table = house.tables[game.table]
    arranged = None if game.arrangement is None else table.arrangements[game.arrangement].limits
    if game.terminal:
        settings = house.terminals[game.terminal].settings
        own = settings if arranged is None else replace(settings, limits=arranged)
        game.effective_limits = limits_at(own, table)
    else:
        assert table.live is not None
        table.live.players[game.id].limits = arranged
        game.effective_limits = chip_limits(table, arranged)


def limits_at(settings: TerminalSettings, table: Table) -> EffectiveLimits:
    if settings.limits is None:
        return table.effective_limits
    return effective_limits(table.rulebook, channel_of(table.rulebook), settings.limits)


def channel_of(rulebook: Rulebook) -> Channel:
    """Choose the channel of terminals: their own, or the table's in a demonstration of rules without terminals."""
    return rulebook.channels.get(ChannelName.TERMINAL) or rulebook.channels[ChannelName.TABLE]


def _change_layout(house: House, terminal: Terminal, table: Table) -> None:
    """Clear the bets, patterns and ghost of the old layout: the new layout may lack their spots."""
    game = terminal.games[table.id]
    move_to_credit(house, terminal, game)
    game.previous = {}
    terminal.patterns, terminal.ghost = {}, None
    terminal.channel, terminal.profile = channel_of(table.rulebook), profile_of(table.rulebook, terminal.settings)


def profile_of(rulebook: Rulebook, settings: TerminalSettings) -> Profile | None:
    """Find a terminal's model; if it names none and bets are also placed by hand, the usual terminal (6(n))."""
    profile = find_profile(rulebook, settings.profile)
    if profile is None and ChannelName.TABLE in rulebook.channels:
        return next((each for each in rulebook.profiles if each.channel is ChannelName.TERMINAL), None)
    return profile


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
