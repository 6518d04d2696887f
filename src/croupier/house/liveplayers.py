"""Players with chips: marker buttons, arrangements, infringements and adjustments."""

from collections.abc import Iterator
from typing import Final

from croupier.house.base import Decision
from croupier.house.commands.liveplayers import (
    AdjustChips,
    AdmitPlayer,
    ArrangeVip,
    BarPlayer,
    DesignateMarkers,
    EndArrangement,
    NoteInfringement,
)
from croupier.house.events.liveplayers import (
    ArrangementEnded,
    ChipsAdjusted,
    InfringementNoted,
    MarkersDesignated,
    PlayerAdmitted,
    PlayerBarred,
    VipArranged,
)
from croupier.house.ids import Context, Instant, Number
from croupier.house.livetable import live_of, move_float, not_payable, open_float, player_at, short_float
from croupier.house.permissions import has_duty
from croupier.house.settings import LimitSettings, limit_problems
from croupier.house.setup import leave_arrangement, set_limits
from croupier.house.state import Deciders, Evolvers, House
from croupier.house.state.live import ChipFunding
from croupier.house.state.money import LedgerAccount
from croupier.house.state.tables import Arrangement, Position, Table
from croupier.house.tickets import is_spent
from croupier.rules.calls import CallBet, CallKind
from croupier.rules.procedure import Channel, ChannelName, Duty, InfringementEffect, InfringementKind
from croupier.rules.refusal import CitedTopic, ClauseId, Code, Refusal, first_of, refuse
from croupier.rules.rulebook import Rulebook


def _channel(table: Table) -> Channel:
    return table.rulebook.channels[ChannelName.TABLE]


def barred_objection(player: ChipFunding) -> Refusal | None:
    """Refuse bets of a player who was barred (12(d), 12(l) at Adelaide)."""
    if player.barred is None:
        return None
    return refuse(Code.PLAYER_BARRED, player.barred, "Bets of this player are refused until an inspector admits them.")


# Marker buttons


def marker_call(rulebook: Rulebook) -> CallBet | None:
    """Find the marker bet of a venue, if it has one."""
    return next((call for call in rulebook.calls if call.kind is CallKind.MARKER), None)


def designate_markers(house: House, command: DesignateMarkers, _context: Context) -> Decision:
    """12(a): marker buttons may be limited to designated players (Adelaide)."""
    found = player_at(house, command)
    if isinstance(found, Refusal):
        return found
    table, _, player = found
    call = marker_call(table.rulebook)
    if call is None:
        return refuse(Code.CALL_NOT_OFFERED, table.rulebook.calls_clause, "These rules have no marker buttons.")
    if player.markers_allowed is command.on:
        clause = call.minimum.clause if call.minimum else call.clause
        message = f"The player at position {command.position} {'may' if command.on else 'may not'} use them already."
        return refuse(Code.ALREADY_THERE, clause, message)
    return (MarkersDesignated(table.id, command.position, command.on),)


def markers_designated(house: House, event: MarkersDesignated, _context: Context) -> None:
    live_of(house, event.table).players[event.position].markers_allowed = event.on


# Arrangements


def arrange_vip(house: House, command: ArrangeVip, context: Context) -> Decision:
    """8(a): an arrangement is made in writing, before the players' first bet, after notice (Adelaide)."""
    table = house.tables[command.table]
    clause = table.rulebook.arrangement
    if clause is None:
        return refuse(Code.SETTING_IMPOSSIBLE, None, "These rules have no arrangements with single players.")
    objection = first_of(_arrangement_objections(house, command, clause, context.now))
    arranged = VipArranged(
        table.id,
        Number(table.arrangements_made + 1),
        command.positions,
        command.words,
        command.straight_only,
        command.limits,
        command.markers,
    )
    return objection or (arranged,)


def _arrangement_objections(house: House, command: ArrangeVip, clause: ClauseId, now: Instant) -> Iterator[Refusal]:
    if len({*command.positions}) < max(1, len(command.positions)):
        yield refuse(Code.MALFORMED, None, "Name each player of the arrangement once.")
    for position in command.positions:
        game = house.positions.get(position)
        if game is None or game.table != command.table:
            message = f"No player at table {command.table} has position {position}."
            yield refuse(Code.UNKNOWN_RECORD, clause, message, position=position)
        else:
            yield from _player_objections(house, game, clause, now)
    if not command.words.strip():
        yield refuse(Code.REASON_NOT_LISTED, clause, "Say who signed the arrangement, and when.")
    for on, bound, words in limit_problems(command.limits or LimitSettings()):
        yield refuse(Code.SETTING_IMPOSSIBLE, clause, words, setting=on, bound=bound)


def _player_objections(house: House, game: Position, clause: ClauseId, now: Instant) -> Iterator[Refusal]:
    if game.arrangement is not None:
        yield refuse(Code.ALREADY_THERE, clause, f"The player has arrangement {game.arrangement} already.")
    if _has_played(house, game):
        message = "An arrangement is made before play, not during it."
        if game.terminal and is_spent(house.terminals[game.terminal]):
            message += " If another player sits here now, end the session of the last one first."
        yield refuse(Code.OUT_OF_TURN, clause, message)
    notified_at = house.notified.get(_subject(game))
    if notified_at is None or notified_at >= now:
        message = "The Government Inspectorate must be notified of an arrangement first."
        yield refuse(Code.NOT_NOTIFIED, clause, message, subject=_subject(game))


def _has_played(house: House, game: Position) -> bool:
    if not game.terminal:
        return live_of(house, game.table).players[game.id].played
    terminal = house.terminals[game.terminal]
    return bool(terminal.session_games or terminal.in_play)


def _subject(game: Position) -> str:
    """Name the subject of the notice: the terminal, or the table of a player with chips."""
    return game.terminal or game.table


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


def end_arrangement(house: House, command: EndArrangement, _context: Context) -> Decision:
    """End an arrangement; it is made outside play and ends outside play."""
    table = house.tables[command.table]
    clause = table.rulebook.arrangement
    arrangement = table.arrangements.get(command.arrangement)
    if arrangement is None:
        return refuse(Code.NOTHING_THERE, clause, f"There is no arrangement {command.arrangement} at table {table.id}.")
    if any(house.positions[position].bets for position in arrangement.positions):
        return refuse(Code.OUT_OF_TURN, clause, "Chips are in play: an arrangement does not end during a game.")
    if not command.words.strip():
        return refuse(Code.REASON_NOT_LISTED, clause, "Say why the arrangement ends.")
    return (ArrangementEnded(table.id, command.arrangement, command.words),)


def arrangement_ended(house: House, event: ArrangementEnded, _context: Context) -> None:
    for position in tuple(house.tables[event.table].arrangements[event.arrangement].positions):
        leave_arrangement(house, house.positions[position])


# Infringements


_INFRINGEMENT_WORDS: Final = {
    InfringementKind.TOUCHED_OUTSIDE: "players who touch an outside bet before it is settled",
    InfringementKind.TOUCHED: "players who touch a bet before all are settled",
    InfringementKind.DEVICE: "devices that predict or affect the outcome",
    InfringementKind.SIDE_BET: "side bets",
}


def note_infringement(house: House, command: NoteInfringement, _context: Context) -> Decision:
    """Note an infringement; its effect is chosen by the rulebook."""
    found = player_at(house, command)
    if isinstance(found, Refusal):
        return found
    table, _, player = found
    listed = _channel(table).infringements.get(command.kind)
    if listed is None:
        message = f"These rules have no clause on {_INFRINGEMENT_WORDS[command.kind]}."
        return refuse(Code.REASON_NOT_LISTED, None, message, kind=command.kind.value)
    counts = listed.choice is InfringementEffect.COUNT
    count = player.infringements + counts
    noted = InfringementNoted(table.id, command.position, command.kind, listed.clause, count)
    if listed.choice is InfringementEffect.BAR and player.barred is None:
        words = command.kind.value.replace("_", " ").capitalize() + "."
        return noted, PlayerBarred(table.id, command.position, listed.clause, words)
    return (noted,)


def infringement_noted(house: House, event: InfringementNoted, _context: Context) -> None:
    live_of(house, event.table).players[event.position].infringements = event.count


def bar_player(house: House, command: BarPlayer, context: Context) -> Decision:
    """12(d): after repeated infringements the dealer may refuse bets; an inspector may at any time (Adelaide)."""
    found = player_at(house, command)
    if isinstance(found, Refusal):
        return found
    table, _, player = found
    clause = _channel(table).barring
    if clause is None:
        message = "These rules do not let staff refuse all bets of a player."
        return refuse(Code.SETTING_IMPOSSIBLE, None, message)
    return first_of(_bar_objections(house, command, context, player, clause)) or (
        PlayerBarred(table.id, command.position, clause, command.words.strip()),
    )


def _bar_objections(
    house: House, command: BarPlayer, context: Context, player: ChipFunding, clause: ClauseId
) -> Iterator[Refusal]:
    live = house.tables[command.table].settings.live
    assert live is not None
    most = live.infringements_most
    if player.infringements < most and not has_duty(house, command, Duty.INSPECT, context):
        message = f"A dealer refuses bets after {most} infringements, and there were {player.infringements}."
        yield refuse(Code.NOT_AUTHORISED, clause, message, infringements=player.infringements, most=most)
    if player.barred is not None:
        yield refuse(Code.ALREADY_THERE, player.barred, "Bets of this player are refused already.")
    if not command.words.strip():
        yield refuse(Code.REASON_NOT_LISTED, clause, "Say why the bets of this player are refused.")


def player_barred(house: House, event: PlayerBarred, context: Context) -> None:
    player = live_of(house, event.table).players[event.position]
    player.barred, player.barred_at = event.clause, context.now


def admit_player(house: House, command: AdmitPlayer, _context: Context) -> Decision:
    found = player_at(house, command)
    if isinstance(found, Refusal):
        return found
    table, _, player = found
    if player.barred is None:
        return refuse(Code.NOTHING_THERE, _channel(table).barring, "Bets of this player are not refused.")
    return (PlayerAdmitted(table.id, command.position),)


def player_admitted(house: House, event: PlayerAdmitted, _context: Context) -> None:
    player = live_of(house, event.table).players[event.position]
    player.barred, player.infringements = None, 0


# Adjustments


def adjust_chips(house: House, command: AdjustChips, _context: Context) -> Decision:
    """Pay or take back value chips: a bet that was found after the confirmation, or a decided dispute."""
    found = player_at(house, command)
    if isinstance(found, Refusal):
        return found
    table, live, _ = found
    float_ = open_float(table, live)
    if isinstance(float_, Refusal):
        return float_
    clause = table.rulebook.cited_clauses[CitedTopic.DISPUTE]
    if command.amount == 0:
        return refuse(Code.MALFORMED, None, "The adjustment must not be zero.")
    if not command.words.strip():
        return refuse(Code.REASON_NOT_LISTED, clause, "An adjustment needs its reason in words.")
    adjusted = ChipsAdjusted(table.id, command.position, command.amount, clause, command.words.strip())
    return not_payable(table, abs(command.amount), clause) or short_float(table, command.amount) or (adjusted,)


def chips_adjusted(house: House, event: ChipsAdjusted, _context: Context) -> None:
    live = live_of(house, event.table)
    move_float(live, -event.amount)
    house.ledger.post(event.amount, source=LedgerAccount.ADJUSTMENTS, target=LedgerAccount.FLOATS)


DECIDERS: Deciders = {
    ArrangeVip: arrange_vip,
    EndArrangement: end_arrangement,
    DesignateMarkers: designate_markers,
    NoteInfringement: note_infringement,
    BarPlayer: bar_player,
    AdmitPlayer: admit_player,
    AdjustChips: adjust_chips,
}
EVOLVERS: Evolvers = {
    VipArranged: vip_arranged,
    ArrangementEnded: arrangement_ended,
    MarkersDesignated: markers_designated,
    InfringementNoted: infringement_noted,
    PlayerBarred: player_barred,
    PlayerAdmitted: player_admitted,
    ChipsAdjusted: chips_adjusted,
}
