"""Closing betting: the warning, the close, the chips that go back, and the seal."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Final

import msgspec

from croupier.house.declare import (
    Events,
    EventTopic,
    MachineRole,
    Part,
    RoundEvent,
    TableCommand,
    command,
    decides,
    event,
    evolves,
)
from croupier.house.floor.incidents import IncidentKind, incident_raised
from croupier.house.ids import SECOND, Context, Instant, PositionId
from croupier.house.play.betting import BetsReturned, ReturnReason
from croupier.house.play.chip_bets import chips_left, returns_at_close, seal_chips
from croupier.house.play.copying import auto_copies
from croupier.house.play.stakes import below_minimum_spots, warned
from croupier.house.rounds.progressive import pot_sealed
from croupier.house.settings import TableSettings, WheelKind
from croupier.house.state.tables import (
    BETTING_PHASES,
    BallState,
    BettingState,
    GameAtTerminal,
    Phase,
    Round,
    Sealed,
    Table,
)
from croupier.rules.procedure import CloseRule, Duty, TerminalLoss, WarningKind
from croupier.rules.refusal import ClauseId, Code, Refused
from croupier.rules.rulebook import Rulebook, Stakes

if TYPE_CHECKING:
    from croupier.house import House


class CloseReason(StrEnum):
    """Why betting closed."""

    CALLED = "called"
    TIMER = "timer"
    BALL_LEFT_TRACK = "ball_left_track"
    WHEEL_SIGNAL = "wheel_signal"
    LAUNCH_SEEN = "launch_seen"
    RESULT_SEEN = "result_seen"


@command(MachineRole.SYSTEM, Duty.DEAL, when={Phase.OPEN, Phase.OPEN_RUNNING})
class FinishBetting(TableCommand, frozen=True):
    """Warn that betting is about to close."""


@event("Players were warned that betting is about to close.", EventTopic.ROUND)
class FinishCalled(RoundEvent, frozen=True):
    """Players were warned that betting is about to close."""

    closes_at: Instant


@decides(FinishBetting)
def finish_betting(house: House, command: FinishBetting, context: Context) -> Events:
    table, round_ = running(house, command)
    warning = table.rulebook.procedure.warning
    if warning.choice is not WarningKind.MESSAGE:
        raise Refused(Code.OUT_OF_TURN, warning.clause, "There is no such warning at this venue.")
    if table.live is not None and not table.terminals:
        raise Refused(Code.OUT_OF_TURN, warning.clause, "The warning is for terminals, and none is attached.")
    return (FinishCalled(table.id, round_.number, _warned_until(table, round_, context)),)


def _warned_until(table: Table, round_: Round, context: Context) -> Instant:
    """Compute when a warning ends: after its duration, not before the minimum betting time, never after the timer."""
    settings = table.settings
    at = max(context.now + settings.warning_s * SECOND, round_.opened_at + settings.betting_min_s * SECOND)
    return Instant(at if round_.closes_at is None else min(at, round_.closes_at))


def running(house: House, command: TableCommand) -> tuple[Table, Round]:
    """Find the running round of a command's table; only for commands that require one."""
    table = house.tables[command.table]
    return table, table.playing


@evolves(FinishCalled)
def finish_called(house: House, event: FinishCalled, context: Context) -> None:
    round_ = house.tables[event.table].playing
    round_.betting = BettingState.LAST_CALL
    round_.warned_at = context.now
    round_.closes_at = event.closes_at


@command(MachineRole.SYSTEM, Duty.DEAL, when=BETTING_PHASES)
class CloseBets(TableCommand, frozen=True):
    """Close betting: no more bets. Where players must be warned first, this starts the warning."""


@decides(CloseBets)
def close_bets(house: House, command: CloseBets, context: Context) -> Events:
    table, round_ = running(house, command)
    closes = table.rulebook.procedure.closes
    if round_.ball is BallState.IDLE and not may_close_idle(table):
        message = "Betting closes only while the ball is running."
        raise Refused(Code.CLOSE_BEFORE_SPIN, closes.clause, message)
    if context.now < round_.opened_at + table.settings.betting_min_s * SECOND:
        message = f"Betting stays open for at least {table.settings.betting_min_s} seconds."
        raise Refused(Code.TOO_SOON, closes.clause, message)
    return call_close(house, table, CloseReason.CALLED, context)


def call_close(house: House, table: Table, why: CloseReason, context: Context) -> Events:
    """Close betting on a call, or begin the warning that players get before it."""
    round_ = table.playing
    over = round_.closes_at is not None and context.now >= round_.closes_at
    if round_.betting is BettingState.OPEN and needs_warning(table) and not over:
        return (FinishCalled(table.id, round_.number, _warned_until(table, round_, context)),)
    return close_events(house, table, why, table.rulebook.procedure.closes.clause, context)


def needs_warning(table: Table) -> bool:
    """7(h)ii: if terminals are attached, players are warned before betting closes (Adelaide)."""
    warns = table.rulebook.procedure.warning.choice is WarningKind.MESSAGE
    return warns and bool(table.terminals) and table.settings.warning_s > 0


def close_events(house: House, table: Table, why: CloseReason, clause: ClauseId, context: Context) -> Events:
    """Close and seal in one batch: after the first of these events every change is refused."""
    round_ = table.playing
    returns = tuple(event for seat in seats(house, table) for event in _unplayed(seat, round_))
    sealed = _stakes_left(house, table, returns)
    chip_returns = tuple(returns_at_close(house, table))
    layouts = {**sealed, **chips_left(house, table, chip_returns)}
    staked = sum(sum(stakes.values()) for stakes in layouts.values())
    seal = BetsSealed(table.id, round_.number, round_.spin.number, len(layouts), staked, layouts_digest(layouts))
    closing = BetsClosing(table.id, round_.number, why, clause)
    # 12.b: auto copy uses the stakes that the source seals.
    pot = pot_sealed(house, table, sealed)
    return (closing, *returns, *chip_returns, seal, *pot, *auto_copies(house, sealed, context))


def seats(house: House, table: Table) -> Iterator[GameAtTerminal]:
    """Iterate over the positions with chips on this table."""
    for game in map(house.positions.__getitem__, table.positions):
        if game.bets:
            yield game.seat


def _unplayed(seat: GameAtTerminal, round_: Round) -> Iterator[BetsReturned]:
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


def _stakes_left(house: House, table: Table, returns: tuple[BetsReturned, ...]) -> dict[PositionId, Stakes]:
    """Compute the stakes on every layout after these returns."""
    gone: dict[PositionId, set[str]] = {}
    for each in returns:
        gone.setdefault(each.position, set()).update(each.spots)
    left = {}
    for seat in seats(house, table):
        away = gone.get(seat.game.id)
        bets = seat.game.bets
        stakes = bets if away is None else {spot: stake for spot, stake in bets.items() if spot not in away}
        if stakes:
            left[seat.game.id] = stakes
    return with_carried(house, table, left)


def with_carried(house: House, table: Table, layouts: dict[PositionId, Stakes]) -> dict[PositionId, Stakes]:
    """Add the positions whose only stakes in this spin are carried to it: their layouts are empty."""
    if table.payouts.carries:
        for name in table.positions:
            if house.positions[name].carried:
                layouts.setdefault(name, {})
    return layouts


#: Sorts the spots of a layout, in a third of the time that Python takes.
_SORTED: Final = msgspec.json.Encoder(order="deterministic")


def layouts_digest(sealed: Mapping[PositionId, Stakes]) -> str:
    """Digest the layouts of all positions, independent of the order in which chips were placed."""
    listed = [(position, sealed[position]) for position in sorted(sealed)]
    return hashlib.sha256(_SORTED.encode(listed)).hexdigest()


def may_close_idle(table: Table) -> bool:
    """Check whether betting may close before the ball is spun."""
    return table.rulebook.procedure.closes.choice in (CloseRule.BEFORE_SPIN, CloseRule.BEFORE_OR_DURING_SPIN)


@event("Betting closed: {why}.", EventTopic.ROUND)
class BetsClosing(RoundEvent, frozen=True):
    """Betting closed: every later change of bets is refused."""

    why: CloseReason
    clause: ClauseId


@evolves(BetsClosing)
def bets_closing(house: House, event: BetsClosing, context: Context) -> None:
    round_ = house.tables[event.table].playing
    round_.betting = BettingState.CLOSED
    round_.closed_at = context.now
    round_.closes_at = round_.launches_at = None


@event(
    "Bets were sealed, {staked} in all; positions with bets: {positions}.",
    EventTopic.ROUND,
    EventTopic.BETS,
    touches=(Part.TABLE, Part.TERMINALS),
)
class BetsSealed(RoundEvent, frozen=True):
    """Bets were sealed: the number of positions with bets, the total stake, and a digest of all stakes."""

    spin: int
    positions: int
    staked: int
    digest: str


@evolves(BetsSealed)
def bets_sealed(house: House, event: BetsSealed, _context: Context) -> None:
    table = house.tables[event.table]
    layouts = with_carried(house, table, {seat.game.id: seat.game.bets for seat in seats(house, table)})
    assert layouts_digest({**layouts, **chips_left(house, table, ())}) == event.digest
    sessions = {name: house.terminals[house.positions[name].terminal].session for name in layouts}
    table.playing.sealed = Sealed(layouts, event.digest, sessions, seal_chips(house, table))
    for game in map(house.positions.__getitem__, table.positions):
        terminal = house.terminals[game.terminal]
        terminal.meters.turnover += game.staked
        table.meters.turnover += game.staked
        game.stayed = {}
        if terminal.ghost is not None and terminal.ghost.table == table.id:
            terminal.ghost = None


def next_opening(table: Table) -> Instant:
    """Compute when the next round may begin, from the maximum number of games per hour."""
    most, round_ = table.settings.games_per_hour_max, table.round
    if most is None or round_ is None:
        return Instant(0)
    return Instant(round_.opened_at + -(-3600 * SECOND // most))


def opens_at(table: Table) -> Instant | None:
    """Compute when the next round opens by itself: after the pause, and no earlier than its maximum rate allows."""
    pause_s = table.settings.pause_s
    return None if pause_s is None else Instant(max(table.over_at + pause_s * SECOND, next_opening(table)))


def warned_at(table: Table, round_: Round, closes_at: Instant) -> Instant:
    """Compute when players are warned of a close by the timer."""
    return Instant(max(round_.opened_at, closes_at - table.settings.warning_s * SECOND))


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


def number_visible(table: Table) -> bool:
    """Check whether the ball may lie in a compartment: it was reported there, is overdue, or no sensor would tell."""
    round_ = table.playing
    unseen = round_.spin.prompted or round_.spin.interrupted or table.settings.wheel is WheelKind.KEYPAD
    return round_.ball is BallState.AT_REST or (round_.ball is BallState.SPINNING and unseen)


def forced_close(house: House, table: Table, why: CloseReason, context: Context) -> Events:
    """Close at once, regardless of any call, and notify staff."""
    round_ = table.playing
    procedure = table.rulebook.procedure
    events = close_events(house, table, why, procedure.closes.clause, context)
    unwarned = needs_warning(table) and round_.betting is BettingState.OPEN
    if unwarned:
        return (*events, incident_raised(house, IncidentKind.NO_WARNING, table.id, procedure.warning.clause))
    if why is CloseReason.BALL_LEFT_TRACK:
        return (*events, incident_raised(house, IncidentKind.FORCED_CLOSE, table.id, procedure.closes.clause))
    return events
