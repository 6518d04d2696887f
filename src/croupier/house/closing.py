"""The close: timetable, seal, returns and copies."""

import hashlib
from collections.abc import Iterator, Mapping
from typing import Final

import msgspec

from croupier.house.base import BETTING_PHASES, BettingState, Decision, Event, Events, TableCommand
from croupier.house.betting import changed
from croupier.house.chip_bets import chips_left, returns_at_close, seal_chips
from croupier.house.commands.play import ChooseDenomination, CopyBets, SetAutoCopy
from croupier.house.events.play import (
    AutoCopyRefused,
    AutoCopySet,
    BetChange,
    BetsReturned,
    DenominationChosen,
    ReturnReason,
)
from croupier.house.events.rounds import BetsClosing, BetsSealed, CloseReason
from croupier.house.ids import SECOND, Context, Instant, PositionId, TableId
from croupier.house.permissions import bets_objection
from croupier.house.settings import TableSettings
from croupier.house.stakes import below_minimum_spots, change_to, objection, seat_of, warned
from croupier.house.state import Deciders, Evolvers, House
from croupier.house.state.tables import GameAtTerminal, Position, Round, SeatMessage, SeatMessageKind, Table, Terminal
from croupier.rules.money import amount_text
from croupier.rules.procedure import TerminalLoss
from croupier.rules.refusal import CitedTopic, ClauseId, Code, Refusal, refuse
from croupier.rules.rulebook import Rulebook, Stakes


def copy_bets(house: House, command: CopyBets, _context: Context) -> Decision:
    seat = seat_of(house, command)
    source = _other(seat.terminal, command.source, seat.table)
    if source is not None:
        return source
    stakes = larger(seat.terminal.games[command.source].bets, seat.game.bets)
    if not stakes:
        return ()
    change = change_to(stakes)
    refusal = objection(seat, change, clause=seat.table.rulebook.terminal.copies)
    return refusal or changed(seat, BetChange.COPY, change)


def larger(source: Stakes, target: Stakes) -> Stakes:
    """Select the source stakes that exceed the stake on the same spot of the target (12.b)."""
    return {spot: stake for spot, stake in source.items() if stake > target.get(spot, 0)}


def _other(terminal: Terminal, table: TableId, here: Table) -> Refusal | None:
    if table in terminal.games and table != here.id:
        return None
    games = here.rulebook.terminal.games
    clause = games.clause if games else here.rulebook.cited_clauses[CitedTopic.TERMINAL]
    return refuse(Code.UNKNOWN_TABLE, clause, f"This terminal has no other game at {table}.", table=table)


def auto_copies(house: House, sealed: Mapping[PositionId, Stakes], context: Context) -> Iterator[Event]:
    """12.b: at a game's close, copy its sealed stakes to the other game if that is open and the player chose so."""
    for position, stakes in sealed.items():
        game = house.positions[position]
        terminal = house.terminals[game.terminal]
        target = None if game.auto_copy_to is None else house.tables[game.auto_copy_to]
        if target is not None and target.phase in BETTING_PHASES and not _timed_out(target, context):
            own = {spot: stake - game.auto_copied.get(spot, 0) for spot, stake in stakes.items()}
            # The stakes that the close returned are on the meter again when the copy is paid for.
            coming = game.staked - sum(stakes.values())
            yield from _auto_copy(house, terminal.games[target.id].seat, own, game, coming)


def _timed_out(table: Table, context: Context) -> bool:
    closes_at = table.playing.closes_at
    return closes_at is not None and context.now > closes_at


def _auto_copy(house: House, seat: GameAtTerminal, own: Stakes, source: Position, coming: int) -> Iterator[Event]:
    terminal, game, target = seat.terminal, seat.game, seat.table
    stakes = larger(own, game.bets)
    if not stakes:
        return
    clause = target.rulebook.terminal.copies
    change = change_to(stakes)
    refusal = bets_objection(house, terminal, target.rulebook) or objection(seat, change, clause=clause, coming=coming)
    if refusal is not None:
        yield AutoCopyRefused(terminal.id, source.table, target.id, refusal.code, refusal.clause)
    else:
        yield from changed(seat, BetChange.AUTO_COPY, change)


def set_auto_copy(house: House, command: SetAutoCopy, _context: Context) -> Decision:
    terminal = house.terminals[command.terminal]
    if command.table not in terminal.games:
        return _other(terminal, command.table, house.tables[next(iter(terminal.games))]) or ()
    refusal = _other(terminal, command.target, house.tables[command.table])
    return refusal or (AutoCopySet(command.terminal, command.table, command.target, command.on),)


def choose_denomination(house: House, command: ChooseDenomination, _context: Context) -> Decision:
    terminal = house.terminals[command.terminal]
    clause = house.tables[next(iter(terminal.games))].rulebook.cited_clauses[CitedTopic.CREDIT]
    if command.denomination not in terminal.settings.denominations:
        offered = ", ".join(amount_text(each) for each in terminal.settings.denominations)
        return refuse(Code.SETTING_IMPOSSIBLE, clause, f"One credit can be {offered} here.")
    if terminal.in_play:
        return refuse(
            Code.OUT_OF_TURN,
            clause,
            "The value of a credit cannot change while chips are in play.",
            why="denomination",
        )
    return (DenominationChosen(command.terminal, command.denomination),)


def auto_copy_set(house: House, event: AutoCopySet, _context: Context) -> None:
    house.terminals[event.terminal].games[event.table].auto_copy_to = event.target if event.on else None


def auto_copy_refused(house: House, event: AutoCopyRefused, _context: Context) -> None:
    house.terminals[event.terminal].messages.append(SeatMessage(SeatMessageKind.NOT_COPIED, event.clause))


def denomination_chosen(house: House, event: DenominationChosen, _context: Context) -> None:
    terminal = house.terminals[event.terminal]
    terminal.denomination = event.denomination
    terminal.ghost = None
    for game in terminal.games.values():
        # Stakes in the old denomination may not be whole credits in the new one.
        game.previous, game.spread = {}, None
        game.undo.clear()


DECIDERS: Deciders = {
    CopyBets: copy_bets,
    SetAutoCopy: set_auto_copy,
    ChooseDenomination: choose_denomination,
}


def close_events(house: House, table: Table, why: CloseReason, clause: ClauseId, context: Context) -> Events:
    """Close and seal in one batch: after the first of these events every change is refused."""
    round_ = table.playing
    returns = tuple(event for seat in seats(house, table) for event in _goes_back(seat, round_))
    sealed = _left(house, table, returns)
    chip_returns = tuple(returns_at_close(house, table))
    layouts = {**sealed, **chips_left(house, table, chip_returns)}
    staked = sum(sum(stakes.values()) for stakes in layouts.values())
    seal = BetsSealed(table.id, round_.number, round_.spin, len(layouts), staked, layouts_digest(layouts))
    closing = BetsClosing(table.id, round_.number, why, clause)
    # 12.b: auto copy uses the stakes that the source seals.
    return (closing, *returns, *chip_returns, seal, *auto_copies(house, sealed, context))


def seats(house: House, table: Table) -> Iterator[GameAtTerminal]:
    """Iterate over the positions with chips on this table."""
    for game in map(house.positions.__getitem__, table.positions):
        if game.bets:
            yield game.seat


def _goes_back(seat: GameAtTerminal, round_: Round) -> Iterator[BetsReturned]:
    """List the chips that are not played, in the order of the rules; each step applies to the remaining chips."""
    terminal, game, table = seat.terminal, seat.game, seat.table
    rulebook, limits = table.rulebook, game.effective_limits.limits
    reds = below_minimum_spots(seat)
    here = (game.id, round_.number)
    loss = rulebook.procedure.terminal_loss
    if terminal.lost_at is not None and loss.choice is TerminalLoss.RELEASE_AT_CLOSE:
        yield BetsReturned(*here, ReturnReason.OFFLINE_AT_CLOSE, loss.clause, tuple(game.bets))
        return
    if rulebook.risk is not None and warned(seat, reds):
        clause = rulebook.risk.warning_clause
        yield BetsReturned(*here, ReturnReason.TOO_LITTLE_RISK, clause, tuple(game.bets))
        return
    if reds:
        yield BetsReturned(*here, ReturnReason.UNDER_MINIMUM, limits.under_clause, reds)
    left = game.staked - sum(game.bets[spot] for spot in reds)
    if 0 < left < (limits.total.least or 0):
        clause = limits.total_under_clause or limits.under_clause
        rest = tuple(spot for spot in game.bets if spot not in reds)
        yield BetsReturned(*here, ReturnReason.UNDER_TOTAL, clause, rest)


def _left(house: House, table: Table, returns: tuple[BetsReturned, ...]) -> dict[PositionId, Stakes]:
    """Compute the stakes on every layout after these returns."""
    gone: dict[PositionId, set[str]] = {}
    for event in returns:
        gone.setdefault(event.position, set()).update(event.spots)
    left = {}
    for seat in seats(house, table):
        away = gone.get(seat.game.id)
        bets = seat.game.bets
        stakes = bets if away is None else {spot: stake for spot, stake in bets.items() if spot not in away}
        if stakes:
            left[seat.game.id] = stakes
    return left


def layouts_digest(sealed: Mapping[PositionId, Stakes]) -> str:
    """Digest the layouts of all positions, independent of the order in which chips were placed."""
    listed = [(position, sealed[position]) for position in sorted(sealed)]
    return hashlib.sha256(_SORTED.encode(listed)).hexdigest()


#: Sorts the spots of a layout, in a third of the time that Python takes.
_SORTED: Final = msgspec.json.Encoder(order="deterministic")


def bets_closing(house: House, event: BetsClosing, context: Context) -> None:
    round_ = house.tables[event.table].playing
    round_.betting = BettingState.CLOSED
    round_.closed_at = context.now
    round_.closes_at = round_.launches_at = None


def bets_sealed(house: House, event: BetsSealed, _context: Context) -> None:
    table = house.tables[event.table]
    round_ = table.playing
    round_.sealed = {seat.game.id: seat.game.bets for seat in seats(house, table)}
    round_.digest = event.digest
    round_.sessions = {seat.game.id: seat.terminal.session for seat in seats(house, table)}
    assert layouts_digest({**round_.sealed, **chips_left(house, table, ())}) == event.digest
    round_.chips = seal_chips(house, table)
    for game in map(house.positions.__getitem__, table.positions):
        terminal = house.terminals[game.terminal]
        terminal.meters.turnover += game.staked
        table.meters.turnover += game.staked
        game.stayed = {}
        if terminal.ghost is not None and terminal.ghost.table == table.id:
            terminal.ghost = None


def running(house: House, command: TableCommand) -> tuple[Table, Round]:
    """Find the running round of a command's table; only for commands that require one."""
    table = house.tables[command.table]
    return table, table.playing


def next_opening(table: Table) -> Instant:
    """Compute when the next round may begin, from the maximum number of games per hour."""
    most, round_ = table.settings.games_per_hour_max, table.round
    if most is None or round_ is None:
        return Instant(0)
    return Instant(round_.opened_at + -(-3600 * SECOND // most))


def timetable(rulebook: Rulebook, settings: TableSettings, now: Instant) -> tuple[Instant | None, Instant | None]:
    """Compute when betting closes by itself, and when the ball must be launched before that."""
    if settings.betting_s is None:
        return None, None
    closes_at = Instant(now + max(settings.betting_s, settings.betting_min_s) * SECOND)
    ahead = launch_to_close(rulebook, settings)
    return closes_at, None if ahead is None else Instant(max(now, closes_at - ahead))


def launch_to_close(rulebook: Rulebook, settings: TableSettings) -> int | None:
    """Return the time from launch to close in microseconds, if the rules close betting that way."""
    figure = rulebook.procedure.launch_to_close
    if figure is None:
        return None
    return (settings.launch_to_close_s or figure.value) * SECOND


EVOLVERS: Evolvers = {
    AutoCopySet: auto_copy_set,
    AutoCopyRefused: auto_copy_refused,
    DenominationChosen: denomination_chosen,
    BetsClosing: bets_closing,
    BetsSealed: bets_sealed,
}
