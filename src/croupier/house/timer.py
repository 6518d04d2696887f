"""The clock: what is due next, and what a tick then does, one thing at a time and the earliest first."""

from collections.abc import Callable, Iterator
from datetime import date
from functools import partial
from typing import NamedTuple

from croupier.house import incident, malfunction, tickets
from croupier.house.answer import Deciders, Decision, Events, Evolvers, refuse
from croupier.house.command.record import Fault, IncidentKind
from croupier.house.command.round import OpenBets, Tick
from croupier.house.event.credit import TicketsExpired
from croupier.house.event.round import (
    BallOverdue,
    CloseReason,
    DayBegan,
    DayEnded,
    FinishCalled,
    LaunchCalled,
    RoundSuspended,
    RoundVoided,
)
from croupier.house.lifecycle import forced_close, needs_warning, open_bets, opening_objection
from croupier.house.mishap import consequence
from croupier.house.name import SECOND, Day, Instant, TerminalId
from croupier.house.stamp import Stamp
from croupier.house.state import House
from croupier.house.table import Ball, Betting, Round, Status, Table
from croupier.house.timetable import next_opening
from croupier.rules.irregularity import Reason, find
from croupier.rules.matter import Matter
from croupier.rules.procedure import Closing
from croupier.rules.refusal import Code, Refusal


class Due(NamedTuple):
    """Something that is to happen at an instant."""

    at: Instant
    act: Callable[[House, Stamp], Events]


def due(house: House) -> Instant | None:
    """Tell when the next tick matters; it may be past already."""
    instants = [each.at for each in _dues(house)]
    if house.day_ends_at is not None:
        instants.append(house.day_ends_at)
    return min(instants, default=None)


def _dues(house: House) -> Iterator[Due]:
    """List what is to come; of what falls on one instant, what closes betting comes before what is raised then."""
    for table in house.tables.values():
        round_ = table.round
        if round_ is None or round_.over:
            yield from _opening(house, table)
        elif round_.status is Status.SUSPENDED:
            if round_.decide_by is not None:
                yield Due(round_.decide_by, partial(_void, table=table))
        elif round_.betting is not Betting.CLOSED:
            yield from _closing(table, round_)
        elif not round_.prompted:
            yield from _resting(table, round_)
    for terminal, at in malfunction.patience(house):
        yield Due(at, partial(_dark, terminal=terminal))


def _opening(house: House, table: Table) -> Iterator[Due]:
    if table.settings.pause_s is None:
        return
    at = Instant(max(table.over_at + table.settings.pause_s * SECOND, next_opening(table)))
    if opening_objection(house, table, at) is None:
        yield Due(at, partial(_open, table=table))


def _closing(table: Table, round_: Round) -> Iterator[Due]:
    if round_.launches_at is not None and round_.ball is Ball.IDLE:
        yield Due(round_.launches_at, partial(_launch, table=table))
    if round_.closes_at is None:
        return
    if round_.betting is Betting.OPEN and needs_warning(table):
        at = Instant(max(round_.opened_at, round_.closes_at - table.settings.warning_s * SECOND))
        yield Due(at, partial(_warn, table=table))
    else:
        yield Due(round_.closes_at, partial(_close, table=table))


def _resting(table: Table, round_: Round) -> Iterator[Due]:
    """The ball must rest some time after its launch, or after the close where no machine was seen to launch it."""
    machine = table.rulebook.procedure.closes.does is Closing.AFTER_LAUNCH
    if round_.ball is Ball.SPINNING:
        since = round_.launched_at
    else:
        since = round_.closed_at if machine and round_.ball is Ball.IDLE and not round_.no_spin else None
    if since is not None:
        yield Due(Instant(since + table.settings.rest_s * SECOND), partial(_overdue, table=table))


def tick(house: House, command: Tick, stamp: Stamp) -> Decision:
    """Do the earliest thing that is due; whoever sends ticks goes on while something is."""
    if command.day is not None and command.day > house.day:
        return _new_day(house, command) if is_date(command.day) else _no_date(command.day)
    first = min((each for each in _dues(house) if each.at <= stamp.now), key=lambda each: each.at, default=None)
    if first is not None:
        return first.act(house, stamp)
    ended = house.day_ends_at is not None and house.day_ends_at <= stamp.now
    return (DayEnded(house.day),) if ended else ()


def is_date(day: Day) -> bool:
    """Tell whether a number is a day of the calendar."""
    try:
        date(day // 10_000, day // 100 % 100, day % 100)
    except (ValueError, OverflowError):
        return False
    return True


def _no_date(day: Day) -> Refusal:
    return refuse(Code.MALFORMED, None, f"{day} is not a date, written as 20261115.", day=day)


def _new_day(house: House, command: Tick) -> Events:
    assert command.day is not None
    began = DayBegan(command.day, command.day_ends_at)
    lapsed = tickets.expired(house, command.day)
    return (began, TicketsExpired(lapsed)) if lapsed else (began,)


def _open(house: House, stamp: Stamp, *, table: Table) -> Events:
    events = open_bets(house, OpenBets(table.id), stamp)
    assert isinstance(events, tuple)
    return events


def _dark(house: House, stamp: Stamp, *, terminal: TerminalId) -> Events:
    words = "The link has been gone for too long."
    return malfunction.raise_events(house, terminal, Fault.INTERRUPTED, words, stamp)


def _launch(_house: House, _stamp: Stamp, *, table: Table) -> Events:
    return (LaunchCalled(table.id, table.playing.number),)


def _warn(house: House, stamp: Stamp, *, table: Table) -> Events:
    round_ = table.playing
    assert round_.closes_at is not None
    if stamp.now >= round_.closes_at:
        # A clock that stood still leaves no time to warn anybody.
        return forced_close(house, table, CloseReason.TIMER, stamp)
    return (FinishCalled(table.id, round_.number, round_.closes_at),)


def _close(house: House, stamp: Stamp, *, table: Table) -> Events:
    """The close is forced by the timer, whatever a sensor or a person does; where it may not be, the table stops."""
    round_ = table.playing
    closes = table.rulebook.procedure.closes
    if round_.ball is Ball.IDLE and closes.does is Closing.DURING_SPIN:
        words = "Betting time is over and the ball is not running."
        return (
            RoundSuspended(table.id, round_.number, Reason.NOT_COVERED, closes.clause, words),
            incident.raised(house, IncidentKind.CANNOT_CLOSE, table.id, closes.clause, words),
        )
    return forced_close(house, table, CloseReason.TIMER, stamp)


def _overdue(house: House, _stamp: Stamp, *, table: Table) -> Events:
    round_ = table.playing
    rule = find(table.rulebook.irregularities, Reason.BALL_NOT_SEATED)
    words = f"No number {table.settings.rest_s} seconds after the launch."
    told = incident.raised(house, IncidentKind.BALL_NOT_SEATED, table.id, rule.clause, words)
    if rule.sensed:
        return (consequence(table, rule, words), told)
    return (BallOverdue(table.id, round_.number), told)


def _void(_house: House, _stamp: Stamp, *, table: Table) -> Events:
    """Nobody decided in time: what was suspended for a time is void."""
    round_ = table.playing
    words = "Nobody decided in time."
    if round_.interrupted:
        clause = table.rulebook.cites[Matter.INTERRUPTED_NO_OUTCOME]
        return (RoundVoided(table.id, round_.number, Reason.MALFUNCTION, clause, words),)
    return (consequence(table, find(table.rulebook.irregularities, Reason.SUSPICION), words),)


def day_began(house: House, event: DayBegan, _stamp: Stamp) -> None:
    house.day, house.day_ends_at = event.day, event.ends_at


def day_ended(house: House, _event: DayEnded, _stamp: Stamp) -> None:
    house.day_ends_at = None


DECIDERS: Deciders = {Tick: tick}
EVOLVERS: Evolvers = {DayBegan: day_began, DayEnded: day_ended}
