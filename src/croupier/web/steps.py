"""Steps: a round as its dealer goes through it, by the rulebook and the wheel, with exactly one that is next."""

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from msgspec.structs import replace as with_

from croupier.house.command.base import Command
from croupier.house.command.round import (
    CallNoSpin,
    CloseBets,
    ConfirmResult,
    EnterResult,
    FinishBetting,
    OpenBets,
    ResetTerminals,
    SpinBall,
)
from croupier.house.grant import BETTING
from croupier.house.lifecycle import may_close_idle, needs_warning, opening_objection
from croupier.house.name import SECOND
from croupier.house.result import Sight, dealt
from croupier.house.settings import WheelKind
from croupier.house.state import House
from croupier.house.table import Ball, Betting, Phase, Round, Status, Table
from croupier.house.timetable import next_opening
from croupier.house.venue import coming
from croupier.rules.pocket import Pocket
from croupier.rules.procedure import Closing
from croupier.web.seatdata import Cited
from croupier.web.stepdata import By, StepName, StepRow
from croupier.web.stepwords import announcement, clause_of, name_of


class Asks(NamedTuple):
    """What may be asked for, and which of its fields are to be filled in."""

    command: Command | None = None
    fields: tuple[str, ...] = ()


def steps(house: House, table: Table) -> tuple[StepRow, ...]:
    """Tell the steps of the round that runs or, between two rounds, of the one to come."""
    if table.round is None or table.round.over:
        rulebook, settings = coming(house, table)
        # The table as its next round finds it.
        return tuple(_to_come(house, replace(table, rulebook=rulebook, settings=settings)))
    return tuple(_running(table, table.round))


def safe_to_spin(table: Table) -> bool:
    """Tell whether the ball may be spun over bets that are sealed: what is staked is kept, and nothing can change."""
    round_ = table.round
    return round_ is not None and round_.phase is Phase.CLOSED and round_.sealed is not None


def _to_come(house: House, table: Table) -> Iterator[StepRow]:
    """Tell the steps of a round that has not begun: the first is to open it, once nothing stands against that."""
    objection = opening_objection(house, table, next_opening(table))
    pause_s = table.settings.pause_s
    for each in _order(table, None):
        row = _row(table, each, _by(table, None, each))
        if each is not StepName.OPEN:
            yield row
        elif objection is not None:
            yield with_(row, next=True, waits=Cited(objection.says, objection.clause))
        else:
            due = None if pause_s is None else max(table.over_at + pause_s * SECOND, next_opening(table))
            yield with_(row, next=True, due_us=due, command=OpenBets(table.id))


def _running(table: Table, round_: Round) -> Iterator[StepRow]:
    """Tell the steps: those that were taken, what stands in the way of the others, and then these."""
    rows = [_row(table, each, _by(table, round_, each)) for each in _order(table, round_)]
    left = [row for row in rows if not _taken(table, round_, row.step)]
    yield from (with_(row, at_us=_at(round_, row.step)) for row in rows if row not in left)
    obstacle = _obstacle(table, round_)
    if obstacle is not None:
        yield with_(obstacle, next=True)
        yield from left
        return
    for row in left:
        asks = _asks(table, round_, row.step)
        due = _due(table, round_, row.step)
        yield with_(row, next=row is left[0], due_us=due, command=asks.command, asks=asks.fields)


def _order(table: Table, round_: Round | None) -> Iterator[StepName]:
    yield StepName.OPEN
    close = (*((StepName.WARN,) if needs_warning(table) else ()), StepName.CLOSE)
    yield from (StepName.SPIN, *close) if _spins_first(table, round_) else (*close, StepName.SPIN)
    yield StepName.NUMBER
    reported = round_ is not None and round_.reported is not None
    if table.settings.wheel is WheelKind.SENSOR and (table.settings.confirms or dealt(table) or reported):
        yield StepName.CONFIRM
    yield StepName.SETTLE


def _spins_first(table: Table, round_: Round | None) -> bool:
    """Tell whether the ball runs before betting closes: the rules have it so, or the dealer of this round did."""
    if table.rulebook.procedure.closes.does in (Closing.DURING_SPIN, Closing.AFTER_LAUNCH):
        return True
    if round_ is None or round_.launched_at is None:
        return False
    return round_.betting is not Betting.CLOSED or round_.launched_at < (round_.closed_at or 0)


def _taken(table: Table, round_: Round, step: StepName) -> bool:
    match step:
        case StepName.OPEN:
            return True
        case StepName.WARN:
            return round_.betting is not Betting.OPEN
        case StepName.CLOSE:
            return round_.betting is Betting.CLOSED
        case StepName.SPIN:
            return round_.ball is not Ball.IDLE
        case StepName.NUMBER:
            # What a random wheel has drawn nobody hears of before it counts.
            return round_.reported is not None and table.settings.wheel is not WheelKind.RANDOM
        case _:
            return False


def _at(round_: Round, step: StepName) -> int | None:
    return {
        StepName.OPEN: round_.opened_at,
        StepName.WARN: round_.warned_at,
        StepName.CLOSE: round_.closed_at,
        StepName.SPIN: round_.launched_at,
        StepName.NUMBER: round_.rested_at,
    }[step]


def _by(table: Table, round_: Round | None, step: StepName) -> By:
    """Tell who takes a step at this table."""
    settings, closes = table.settings, table.rulebook.procedure.closes.does
    timed = settings.betting_s is not None if round_ is None else round_.closes_at is not None
    reported = round_ is not None and round_.reported is not None
    dealers = {
        StepName.OPEN: settings.pause_s is None,
        StepName.WARN: not timed,
        StepName.CLOSE: not (timed or needs_warning(table) or closes is Closing.AFTER_LAUNCH),
        StepName.SPIN: dealt(table),
        StepName.NUMBER: settings.wheel is WheelKind.KEYPAD,
        StepName.CONFIRM: settings.confirms or reported,
        StepName.SETTLE: False,
    }
    if dealers[step]:
        return By.DEALER
    return By.WHEEL if step in (StepName.SPIN, StepName.NUMBER) else By.AUTO


def _due(table: Table, round_: Round, step: StepName) -> int | None:
    """Tell when a step comes by itself, where that is known."""
    closes_at = round_.closes_at
    match step:
        case StepName.WARN:
            return None if closes_at is None else max(round_.opened_at, closes_at - table.settings.warning_s * SECOND)
        case StepName.CLOSE:
            return closes_at
        case StepName.SPIN:
            return round_.launches_at
        case _:
            return None


def _asks(table: Table, round_: Round, step: StepName) -> Asks:
    """Tell what the dealer may ask for, as the house would take it now."""
    match step:
        case StepName.WARN:
            return Asks(FinishBetting(table.id))
        case StepName.CLOSE if _may_close(table, round_):
            return Asks(CloseBets(table.id))
        case StepName.SPIN if _may_spin(table, round_):
            return Asks(SpinBall(table.id))
        case StepName.NUMBER if round_.phase is Phase.RUNNING:
            return _names(table, round_)
        case StepName.CONFIRM if round_.reported is not None:
            return Asks(ConfirmResult(table.id, round_.reported, round=round_.number, spin=round_.spin))
        case _:
            return Asks()


def _names(table: Table, round_: Round) -> Asks:
    """Tell how a dealer says the number of a ball that runs: typed, or entered twice where it was not displayed."""
    none, number, spin = Pocket(""), round_.number, round_.spin
    if table.settings.wheel is WheelKind.KEYPAD:
        return Asks(ConfirmResult(table.id, none, round=number, spin=spin), ("pocket",))
    if not dealt(table):
        return Asks()
    return Asks(EnterResult(table.id, none, none, round=number, spin=spin), ("pocket", "again"))


def _may_close(table: Table, round_: Round) -> bool:
    if round_.phase not in BETTING or table.rulebook.procedure.closes.does is Closing.AFTER_LAUNCH:
        return False
    warned = round_.betting is Betting.LAST_CALL or not needs_warning(table)
    return warned and (round_.ball is not Ball.IDLE or may_close_idle(table))


def _may_spin(table: Table, round_: Round) -> bool:
    before = table.rulebook.procedure.closes.does is Closing.BEFORE_SPIN
    return dealt(table) and round_.phase is not Phase.NO_SPIN and (round_.betting is Betting.CLOSED or not before)


def _obstacle(table: Table, round_: Round) -> StepRow | None:
    """Tell what must be done before the round goes on, where something must."""
    if round_.status is Status.SUSPENDED:
        row = _row(table, StepName.DECIDE, By.PIT)
        return with_(row, due_us=round_.decide_by, clause=round_.clause or row.clause)
    if round_.no_spin:
        return with_(_row(table, StepName.RESET, By.DEALER), command=ResetTerminals(table.id))
    if round_.interrupted:
        return _row(table, StepName.ATTEST, By.PIT)
    wrong = Sight.of(round_).judged(table) if round_.ball is not Ball.IDLE else None
    if wrong is None:
        return None
    call = CallNoSpin(table.id, wrong.reason, round=round_.number, spin=round_.spin)
    return with_(_row(table, StepName.NO_SPIN, By.DEALER), command=call, clause=wrong.clause)


def _row(table: Table, step: StepName, by: By) -> StepRow:
    """Put a step as it stands in the rules, before anything is known of it."""
    return StepRow(
        step=step,
        words=name_of(step, by),
        says=announcement(table.rulebook, step),
        clause=clause_of(table.rulebook, step),
        by=by,
        at_us=None,
        due_us=None,
        next=False,
        command=None,
        asks=(),
        waits=None,
    )
