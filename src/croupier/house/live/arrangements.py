"""Players with chips: marker buttons, arrangements, infringements and adjustments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from croupier.house.credit.sessions import is_spent
from croupier.house.declare import (
    Events,
    EventTopic,
    Part,
    PlayerCommand,
    PlayerEvent,
    TableCommand,
    TableEvent,
    command,
    decides,
    event,
    evolves,
)
from croupier.house.floor.permissions import has_duty
from croupier.house.floor.settings import leave_arrangement, set_limits
from croupier.house.ids import Context, Number, PositionId
from croupier.house.live.seats_and_colours import (
    find_float,
    live_of,
    live_settings,
    move_float,
    player_at,
    require_in_float,
    require_payable,
)
from croupier.house.settings import LimitSettings, limit_problems
from croupier.house.state.ledger import LedgerAccount
from croupier.house.state.live import ChipFunding
from croupier.house.state.tables import Arrangement, Position, Table
from croupier.rules.calls import CallBet, CallKind
from croupier.rules.procedure import Channel, ChannelName, Duty, InfringementEffect, InfringementKind
from croupier.rules.refusal import CitedTopic, ClauseId, Code, Refused
from croupier.rules.rulebook import Rulebook

if TYPE_CHECKING:
    from croupier.house import House


# Marker buttons.


@command(Duty.INSPECT)
class DesignateMarkers(PlayerCommand, frozen=True):
    """Permit a player to use marker buttons at a table that permits them to some players only, or withdraw that."""

    on: bool


@event("The player at position {position} may use marker buttons: {on}.", EventTopic.STAFF)
class MarkersDesignated(PlayerEvent, frozen=True):
    """A player may use marker buttons where only some players may, or no longer."""

    on: bool


@decides(DesignateMarkers)
def designate_markers(house: House, command: DesignateMarkers, _context: Context) -> Events:
    """12(a): marker buttons may be limited to designated players (Adelaide)."""
    table, _, player = player_at(house, command)
    call = marker_call(table.rulebook)
    if call is None:
        raise Refused(Code.CALL_NOT_OFFERED, table.rulebook.calls_clause, "These rules have no marker buttons.")
    if player.markers_allowed is command.on:
        clause = call.minimum.clause if call.minimum else call.clause
        message = f"The player at position {command.position} {'may' if command.on else 'may not'} use them already."
        raise Refused(Code.ALREADY_THERE, clause, message)
    return (MarkersDesignated(table.id, command.position, command.on),)


def marker_call(rulebook: Rulebook) -> CallBet | None:
    """Find the marker bet of a venue, if it has one."""
    return next((call for call in rulebook.calls if call.kind is CallKind.MARKER), None)


@evolves(MarkersDesignated)
def markers_designated(house: House, event: MarkersDesignated, _context: Context) -> None:
    live_of(house, event.table).players[event.position].markers_allowed = event.on


# Arrangements.


@command(Duty.MANAGE)
class ArrangeVip(TableCommand, frozen=True):
    """Record a written arrangement with players, at terminals or with chips, before their first bet."""

    positions: tuple[PositionId, ...]
    #: Who signed it, and when.
    words: str
    straight_only: bool = True
    #: Limits of their own, if any.
    limits: LimitSettings | None = None
    #: Players who bet straight up only may place marker bets too.
    markers: bool = False


@event(
    "Arrangement {arrangement} was made with players. {words}",
    EventTopic.STAFF,
    EventTopic.SIGNIFICANT,
    touches=(Part.TABLE, Part.TERMINALS),
)
class VipArranged(TableEvent, frozen=True):
    """A written arrangement with players: straight up bets only, limits of their own, or both."""

    arrangement: Number
    positions: tuple[PositionId, ...]
    words: str
    straight_only: bool
    limits: LimitSettings | None
    markers: bool


@decides(ArrangeVip)
def arrange_vip(house: House, command: ArrangeVip, context: Context) -> Events:
    """8(a): an arrangement is made in writing, before the players' first bet, after notice (Adelaide)."""
    table = house.tables[command.table]
    clause = table.rulebook.arrangement
    if clause is None:
        raise Refused(Code.SETTING_IMPOSSIBLE, None, "These rules have no arrangements with single players.")
    positions = command.positions
    if len({*positions}) < max(1, len(positions)):
        raise Refused(Code.MALFORMED, None, "Name each player of the arrangement once.")
    games = [_find_game(house, command, position, clause) for position in positions]
    arranged = next((game.arrangement for game in games if game.arrangement is not None), None)
    if arranged is not None:
        raise Refused(Code.ALREADY_THERE, clause, f"The player has arrangement {arranged} already.")
    for on, bound, words in limit_problems(command.limits or LimitSettings()):
        raise Refused(Code.SETTING_IMPOSSIBLE, clause, words, setting=on, bound=bound)
    for game in games:
        if _has_played(house, game):
            message = "An arrangement is made before play, not during it."
            if game.terminal and is_spent(house.terminals[game.terminal]):
                message += " If another player sits here now, end the session of the last one first."
            raise Refused(Code.OUT_OF_TURN, clause, message)
    if not command.words.strip():
        raise Refused(Code.REASON_NOT_LISTED, clause, "Say who signed the arrangement, and when.")
    subjects = map(_subject, games)
    unknown = next((each for each in subjects if house.notified.get(each, context.now) >= context.now), None)
    if unknown is not None:
        message = "The Government Inspectorate must be notified of an arrangement first."
        raise Refused(Code.NOT_NOTIFIED, clause, message, subject=unknown)
    number = Number(table.arrangements_made + 1)
    terms = (command.words, command.straight_only, command.limits, command.markers)
    return (VipArranged(table.id, number, positions, *terms),)


def _find_game(house: House, command: ArrangeVip, position: PositionId, clause: ClauseId) -> Position:
    game = house.positions.get(position)
    if game is None or game.table != command.table:
        message = f"No player at table {command.table} has position {position}."
        raise Refused(Code.UNKNOWN_RECORD, clause, message, position=position)
    return game


def _has_played(house: House, game: Position) -> bool:
    if not game.terminal:
        return live_of(house, game.table).players[game.id].played
    terminal = house.terminals[game.terminal]
    return bool(terminal.session_games or terminal.in_play)


def _subject(game: Position) -> str:
    """Name the subject of the notice: the terminal, or the table of a player with chips."""
    return game.terminal or game.table


@evolves(VipArranged)
def vip_arranged(house: House, event: VipArranged, _context: Context) -> None:
    table = house.tables[event.table]
    table.arrangements_made = event.arrangement
    table.arrangements[event.arrangement] = Arrangement(
        list(event.positions), event.straight_only, event.limits, event.markers, event.words
    )
    for game in map(house.positions.__getitem__, event.positions):
        game.arrangement, game.straight_only = event.arrangement, event.straight_only
        game.previous = {}
        game.undo.clear()
        set_limits(house, game)
        # One notice covers one arrangement.
        house.notified.pop(_subject(game), None)


@command(Duty.MANAGE)
class EndArrangement(TableCommand, frozen=True):
    """End a written arrangement with players."""

    arrangement: Number
    words: str


@event(
    "Arrangement {arrangement} ended. {words}",
    EventTopic.STAFF,
    EventTopic.SIGNIFICANT,
    touches=(Part.TABLE, Part.TERMINALS),
)
class ArrangementEnded(TableEvent, frozen=True):
    """An arrangement with players ended."""

    arrangement: Number
    words: str


@decides(EndArrangement)
def end_arrangement(house: House, command: EndArrangement, _context: Context) -> Events:
    """End an arrangement; it is made outside play and ends outside play."""
    table = house.tables[command.table]
    clause = table.rulebook.arrangement
    arrangement = table.arrangements.get(command.arrangement)
    if arrangement is None:
        raise Refused(Code.NOTHING_THERE, clause, f"There is no arrangement {command.arrangement} at table {table.id}.")
    if any(house.positions[position].bets for position in arrangement.positions):
        raise Refused(Code.OUT_OF_TURN, clause, "Chips are in play: an arrangement does not end during a game.")
    if not command.words.strip():
        raise Refused(Code.REASON_NOT_LISTED, clause, "Say why the arrangement ends.")
    return (ArrangementEnded(table.id, command.arrangement, command.words),)


@evolves(ArrangementEnded)
def arrangement_ended(house: House, event: ArrangementEnded, _context: Context) -> None:
    for position in tuple(house.tables[event.table].arrangements[event.arrangement].positions):
        leave_arrangement(house, house.positions[position])


# Infringements.


@command(Duty.DEAL)
class NoteInfringement(PlayerCommand, frozen=True):
    """Note that a player has done what the rules forbid."""

    kind: InfringementKind


@event(
    "Infringement of the player at position {position}: {kind} ({clause}).",
    EventTopic.STAFF,
    EventTopic.INCIDENT,
    EventTopic.SIGNIFICANT,
)
class InfringementNoted(PlayerEvent, frozen=True):
    """A player has done what the rules forbid; with the number of infringements that count."""

    kind: InfringementKind
    clause: ClauseId
    count: int


@event(
    "Bets of the player at position {position} are refused ({clause}). {words}",
    EventTopic.STAFF,
    EventTopic.SIGNIFICANT,
)
class PlayerBarred(PlayerEvent, frozen=True):
    """Further bets of a player are refused."""

    clause: ClauseId
    words: str


_INFRINGEMENT_WORDS: Final = {
    InfringementKind.TOUCHED_OUTSIDE: "players who touch an outside bet before it is settled",
    InfringementKind.TOUCHED: "players who touch a bet before all are settled",
    InfringementKind.DEVICE: "devices that predict or affect the outcome",
    InfringementKind.SIDE_BET: "side bets",
}


@decides(NoteInfringement)
def note_infringement(house: House, command: NoteInfringement, _context: Context) -> Events:
    """Note an infringement; its effect is chosen by the rulebook."""
    table, _, player = player_at(house, command)
    listed = _channel(table).infringements.get(command.kind)
    if listed is None:
        message = f"These rules have no clause on {_INFRINGEMENT_WORDS[command.kind]}."
        raise Refused(Code.REASON_NOT_LISTED, None, message, kind=command.kind.value)
    counts = listed.choice is InfringementEffect.COUNT
    count = player.infringements + counts
    noted = InfringementNoted(table.id, command.position, command.kind, listed.clause, count)
    if listed.choice is InfringementEffect.BAR and player.barred is None:
        words = command.kind.value.replace("_", " ").capitalize() + "."
        return noted, PlayerBarred(table.id, command.position, listed.clause, words)
    return (noted,)


def _channel(table: Table) -> Channel:
    return table.rulebook.channels[ChannelName.TABLE]


@evolves(InfringementNoted)
def infringement_noted(house: House, event: InfringementNoted, _context: Context) -> None:
    live_of(house, event.table).players[event.position].infringements = event.count


@evolves(PlayerBarred)
def player_barred(house: House, event: PlayerBarred, context: Context) -> None:
    player = live_of(house, event.table).players[event.position]
    player.barred, player.barred_at = event.clause, context.now


@command(Duty.DEAL, Duty.INSPECT)
class BarPlayer(PlayerCommand, frozen=True):
    """Refuse further bets of a player; a dealer may after repeated infringements."""

    words: str


@decides(BarPlayer)
def bar_player(house: House, command: BarPlayer, context: Context) -> Events:
    """12(d): after repeated infringements the dealer may refuse bets; an inspector may at any time (Adelaide)."""
    table, _, player = player_at(house, command)
    clause = _channel(table).barring
    if clause is None:
        message = "These rules do not let staff refuse all bets of a player."
        raise Refused(Code.SETTING_IMPOSSIBLE, None, message)
    most = live_settings(table).infringements_most
    if player.infringements < most and not has_duty(house, command, Duty.INSPECT, context):
        message = f"A dealer refuses bets after {most} infringements, and there were {player.infringements}."
        raise Refused(Code.NOT_AUTHORISED, clause, message, infringements=player.infringements, most=most)
    if player.barred is not None:
        raise Refused(Code.ALREADY_THERE, player.barred, "Bets of this player are refused already.")
    if not command.words.strip():
        raise Refused(Code.REASON_NOT_LISTED, clause, "Say why the bets of this player are refused.")
    return (PlayerBarred(table.id, command.position, clause, command.words.strip()),)


@command(Duty.INSPECT)
class AdmitPlayer(PlayerCommand, frozen=True):
    """Take bets of a player again."""


@event("Bets of the player at position {position} are taken again.", EventTopic.STAFF, EventTopic.SIGNIFICANT)
class PlayerAdmitted(PlayerEvent, frozen=True):
    """Bets of a player are taken again, and the infringements start from zero."""


@decides(AdmitPlayer)
def admit_player(house: House, command: AdmitPlayer, _context: Context) -> Events:
    table, _, player = player_at(house, command)
    if player.barred is None:
        raise Refused(Code.NOTHING_THERE, _channel(table).barring, "Bets of this player are not refused.")
    return (PlayerAdmitted(table.id, command.position),)


@evolves(PlayerAdmitted)
def player_admitted(house: House, event: PlayerAdmitted, _context: Context) -> None:
    player = live_of(house, event.table).players[event.position]
    player.barred, player.infringements = None, 0


# Adjustments.


@command(Duty.CORRECT, signatures=2)
class AdjustChips(PlayerCommand, frozen=True):
    """Pay value chips from the float to a player after a dispute, or take them back."""

    amount: int
    words: str


@event("Chips for {amount} adjusted at position {position}. {words}", EventTopic.MONEY, EventTopic.SIGNIFICANT)
class ChipsAdjusted(PlayerEvent, frozen=True):
    """Value chips were paid from the float to a player, or taken back if the amount is negative."""

    amount: int
    clause: ClauseId
    words: str


@decides(AdjustChips)
def adjust_chips(house: House, command: AdjustChips, _context: Context) -> Events:
    """Pay or take back value chips: a bet that was found after the confirmation, or a decided dispute."""
    table, _, _ = player_at(house, command)
    find_float(table)
    clause = table.rulebook.cited_clauses[CitedTopic.DISPUTE]
    if command.amount == 0:
        raise Refused(Code.MALFORMED, None, "The adjustment must not be zero.")
    if not command.words.strip():
        raise Refused(Code.REASON_NOT_LISTED, clause, "An adjustment needs its reason in words.")
    require_payable(table, abs(command.amount), clause)
    require_in_float(table, command.amount)
    return (ChipsAdjusted(table.id, command.position, command.amount, clause, command.words.strip()),)


@evolves(ChipsAdjusted)
def chips_adjusted(house: House, event: ChipsAdjusted, _context: Context) -> None:
    live = live_of(house, event.table)
    move_float(live, -event.amount)
    house.ledger.post(event.amount, source=LedgerAccount.ADJUSTMENTS, target=LedgerAccount.FLOATS)


def require_admitted(player: ChipFunding) -> None:
    """Refuse bets of a player who was barred (12(d), 12(l) at Adelaide)."""
    if player.barred is not None:
        message = "Bets of this player are refused until an inspector admits them."
        raise Refused(Code.PLAYER_BARRED, player.barred, message)
