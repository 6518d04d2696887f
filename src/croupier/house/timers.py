"""Timers: which action is due next, and what a tick does, one action at a time and the earliest first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import date
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, assert_never

from croupier.house.credit import player_limits, sessions, tickets
from croupier.house.credit.tickets import TicketsExpired
from croupier.house.declare import (
    EVENTS,
    Command,
    Event,
    Events,
    EventTopic,
    MachineRole,
    Part,
    command,
    decides,
    event,
    evolves,
)
from croupier.house.floor import malfunctions
from croupier.house.floor.incidents import IncidentFacts, IncidentKind, incident_raised
from croupier.house.ids import SECOND, Context, Day, Instant, TableId, TerminalId
from croupier.house.rounds.closing import CloseReason, FinishCalled, forced_close, needs_warning, opens_at, warned_at
from croupier.house.rounds.irregularities import BallOverdue, RoundSuspended, RoundVoided, Trigger, irregularity_events
from croupier.house.rounds.opening import OpenBets, open_bets, opening_objection
from croupier.house.rounds.spinning import LaunchCalled
from croupier.house.state.tables import BallState, BettingState, Round, RoundStatus, Table
from croupier.house.state.timer_heap import Timer, TimerKind, Timers
from croupier.rules.procedure import CloseRule, Reason, find_irregularity
from croupier.rules.refusal import CitedTopic, Code, Refused

if TYPE_CHECKING:
    from croupier.house import House


class TimerDue(NamedTuple):
    """An action due at an instant."""

    at: Instant
    act: Callable[[House, Context], Events]


@command(MachineRole.SYSTEM)
class Tick(Command, frozen=True):
    """Time has passed; with the gaming day and its end, where they are known."""

    day: Day | None = None
    day_ends_at: Instant | None = None


@event("Gaming day {day} began.", EventTopic.ROUND, touches=(Part.EVERY_TABLE,))
class DayBegan(Event, frozen=True):
    """A gaming day began."""

    day: Day
    ends_at: Instant | None


@event("Gaming day {day} ended.", EventTopic.ROUND)
class DayEnded(Event, frozen=True):
    """A gaming day ended; the next begins with the tick that names it."""

    day: Day


@decides(Tick)
def tick(house: House, command: Tick, context: Context) -> Events:
    """Perform the earliest action that is due; the sender repeats ticks while an action is due."""
    if command.day is not None and command.day > house.day:
        if not is_date(command.day):
            message = f"{command.day} is not a date, written as 20261115."
            raise Refused(Code.MALFORMED, None, message, day=command.day)
        began, lapsed = DayBegan(command.day, command.day_ends_at), tickets.expired(house, command.day)
        return (began, TicketsExpired(lapsed)) if lapsed else (began,)
    timer = house.timers.first
    if timer is not None and timer.at <= context.now:
        return _fire(house, timer, context)
    ended = house.day_ends_at is not None and house.day_ends_at <= context.now
    return (DayEnded(house.day),) if ended else ()


def _fire(house: House, timer: Timer, context: Context) -> Events:
    match timer.kind:
        case TimerKind.TABLE:
            first = _first(house, house.tables[TableId(timer.name)])
            assert first is not None
            assert first.at == timer.at
            return first.act(house, context)
        case TimerKind.OFFLINE:
            return malfunctions.lose_line(house, TerminalId(timer.name))
        case TimerKind.SESSION:
            return sessions.idle_ended(house, context, table=TableId(timer.name))
        case TimerKind.PAUSE:
            return player_limits.pause_due(house, TerminalId(timer.name))
        case _:
            assert_never(timer.kind)


def _first(house: House, table: Table) -> TimerDue | None:
    """Find a table's next action; of two at one instant, the one listed first."""
    return min(_dues(house, table), key=lambda each: each.at, default=None)


def _dues(house: House, table: Table) -> Iterator[TimerDue]:
    """List the pending actions of a table."""
    round_ = table.round
    if round_ is None or round_.over:
        yield from _opening(house, table)
    elif round_.status is RoundStatus.SUSPENDED:
        if round_.decide_by is not None:
            yield TimerDue(round_.decide_by, partial(_refer if round_.is_held else _void, table=table))
    elif round_.betting is not BettingState.CLOSED:
        yield from _closing(table, round_)
    elif not round_.spin.prompted:
        yield from _resting(table, round_)


def _opening(house: House, table: Table) -> Iterator[TimerDue]:
    at = opens_at(table)
    if at is not None and opening_objection(house, table, at) is None:
        yield TimerDue(at, partial(_open, table=table))


def _open(house: House, context: Context, *, table: Table) -> Events:
    return open_bets(house, OpenBets(table.id), context)


def _closing(table: Table, round_: Round) -> Iterator[TimerDue]:
    if round_.launches_at is not None and round_.ball is BallState.IDLE:
        yield TimerDue(round_.launches_at, partial(_launch, table=table))
    if round_.closes_at is None:
        return
    if round_.betting is BettingState.OPEN and needs_warning(table):
        yield TimerDue(
            warned_at(table, round_, round_.closes_at), partial(_warn, table=table, closes_at=round_.closes_at)
        )
    else:
        yield TimerDue(round_.closes_at, partial(_close, table=table))


def _launch(_house: House, _context: Context, *, table: Table) -> Events:
    return (LaunchCalled(table.id, table.playing.number),)


def _warn(house: House, context: Context, *, table: Table, closes_at: Instant) -> Events:
    if context.now >= closes_at:
        # If the clock stood still, no time is left for a warning.
        return forced_close(house, table, CloseReason.TIMER, context)
    return (FinishCalled(table.id, table.playing.number, closes_at),)


def _close(house: House, context: Context, *, table: Table) -> Events:
    """The timer forces the close, regardless of sensors and staff; if the rules forbid that, the round is suspended."""
    round_ = table.playing
    closes = table.rulebook.procedure.closes
    if round_.ball is BallState.IDLE and closes.choice is CloseRule.DURING_SPIN:
        return (
            RoundSuspended(table.id, round_.number, Reason.NOT_COVERED, closes.clause, trigger=Trigger.TIMEOUT),
            incident_raised(house, IncidentKind.CANNOT_CLOSE, table.id, closes.clause),
        )
    return forced_close(house, table, CloseReason.TIMER, context)


def _resting(table: Table, round_: Round) -> Iterator[TimerDue]:
    """The ball must rest within a time after its launch, or after the close if no launcher was seen to launch it."""
    has_launcher = table.rulebook.procedure.closes.choice is CloseRule.AFTER_LAUNCH
    if round_.ball is BallState.SPINNING:
        since = round_.spin.launched_at
    else:
        since = round_.closed_at if has_launcher and round_.ball is BallState.IDLE and not round_.no_spin else None
    if since is not None:
        yield TimerDue(Instant(since + table.settings.rest_s * SECOND), partial(_overdue, table=table))


def _overdue(house: House, context: Context, *, table: Table) -> Events:
    round_ = table.playing
    rule = find_irregularity(table.rulebook.irregularities, Reason.BALL_NOT_SEATED)
    facts = IncidentFacts(seconds=table.settings.rest_s)
    incident = incident_raised(house, IncidentKind.BALL_NOT_SEATED, table.id, rule.clause, facts)
    if rule.sensed:
        return (irregularity_events(table, rule, context, Trigger.TIMEOUT), incident)
    return (BallOverdue(table.id, round_.number), incident)


def _void(_house: House, context: Context, *, table: Table) -> Events:
    """Void a round whose suspension expired without a decision."""
    round_ = table.playing
    if round_.spin.interrupted:
        clause = table.rulebook.cited_clauses[CitedTopic.INTERRUPTED_NO_OUTCOME]
        return (RoundVoided(table.id, round_.number, Reason.MALFUNCTION, clause, trigger=Trigger.TIMEOUT),)
    rule = find_irregularity(table.rulebook.irregularities, Reason.SUSPICION)
    return (irregularity_events(table, rule, context, Trigger.TIMEOUT),)


def _refer(house: House, _context: Context, *, table: Table) -> Events:
    """Refer a round whose hold expired: neither a payment nor a void follows from a doubt without a reason."""
    round_ = table.playing
    rule = find_irregularity(table.rulebook.irregularities, Reason.NOT_COVERED)
    facts = IncidentFacts(seconds=table.settings.decision_s)
    return (
        RoundSuspended(table.id, round_.number, rule.reason, rule.clause, trigger=Trigger.TIMEOUT),
        incident_raised(house, IncidentKind.HOLD_EXPIRED, table.id, rule.clause, facts),
    )


def is_date(day: Day) -> bool:
    """Check whether a number is a date of the calendar."""
    try:
        date(day // 10_000, day // 100 % 100, day % 100)
    except (ValueError, OverflowError):
        return False
    return True


@evolves(DayBegan)
def day_began(house: House, event: DayBegan, _context: Context) -> None:
    house.day, house.day_ends_at = event.day, event.ends_at


@evolves(DayEnded)
def day_ended(house: House, _event: DayEnded, _context: Context) -> None:
    house.day_ends_at = None


def due(house: House) -> Instant | None:
    """Return when the next tick is due; the instant may be in the past."""
    first, ends_at = house.timers.first, house.day_ends_at
    if first is None:
        return ends_at
    return first.at if ends_at is None else min(first.at, ends_at)


def is_table_due(house: House, now: Instant) -> bool:
    """Check whether a step of any round is due: no command may be decided before it."""
    instants = (house.timers.due(TimerKind.TABLE, name) for name in house.tables)
    return any(at is not None and at <= now for at in instants)


def timers_of(house: House) -> Timers:
    """Compute all timers from the state."""
    timers = Timers()
    for kind, names in (
        (TimerKind.TABLE, house.tables),
        (TimerKind.SESSION, house.tables),
        (TimerKind.OFFLINE, house.offline),
        (TimerKind.PAUSE, house.terminals),
    ):
        for name in names:
            timers.schedule(kind, name, _due_at(house, kind, name))
    return timers


def _due_at(house: House, kind: TimerKind, name: str) -> Instant | None:
    """Compute when a timer of a table or terminal fires; None when it is not set."""
    match kind:
        case TimerKind.TABLE:
            first = _first(house, house.tables[TableId(name)])
            return None if first is None else first.at
        case TimerKind.OFFLINE:
            return malfunctions.offline_until(house, house.terminals[TerminalId(name)])
        case TimerKind.SESSION:
            return sessions.ends_at(house, TableId(name))
        case TimerKind.PAUSE:
            return player_limits.pause_changes_at(house.terminals[TerminalId(name)])
        case _:
            assert_never(kind)


def rebuild(house: House) -> None:
    """Recompute the timers, for example after a snapshot was read."""
    house.timers = timers_of(house)


def reschedule(house: House, event: Event) -> None:
    """Compute again the timers that an event declares, whose inputs it may have changed.

    The timers of breaks, and of sessions whose money runs out, are set by the functions that begin and end those.
    """
    declaration = EVENTS[type(event)]
    for kind in declaration.reschedules:
        of_all = kind is TimerKind.TABLE and Part.EVERY_TABLE in declaration.touches
        tables: Iterable[TableId] = house.tables if of_all else event.tables_in(house)
        names: Iterable[str] = tables
        if kind is TimerKind.OFFLINE:
            playing = (each for table in tables for each in house.offline if table in house.terminals[each].games)
            names = (*event.terminals_in(house), *playing)
        for name in names:
            house.timers.schedule(kind, name, _due_at(house, kind, name))
