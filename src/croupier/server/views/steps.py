"""The dealer's steps of a round."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final, NamedTuple

from msgspec.structs import replace as with_

from croupier.house.base import BETTING_PHASES, BallState, BettingState, Command, Phase, RoundStatus
from croupier.house.closing import next_opening
from croupier.house.commands.rounds import (
    CallNoSpin,
    CloseBets,
    ConfirmResult,
    EnterResult,
    FinishBetting,
    OpenBets,
    ResetTerminals,
    SpinBall,
)
from croupier.house.ids import SECOND
from croupier.house.results import ObservedSpin, dealt
from croupier.house.round import may_close_idle, needs_warning, opening_objection
from croupier.house.settings import WheelKind
from croupier.house.setup import pending_settings
from croupier.house.state import House
from croupier.house.state.tables import Round, Table
from croupier.protocol.staff import StepActor, StepName, StepRow
from croupier.protocol.terminal import Cited
from croupier.rules.geometry import Pocket
from croupier.rules.procedure import CloseRule, MessageKind
from croupier.rules.refusal import CitedTopic, ClauseId
from croupier.rules.rulebook import Rulebook


def name_of(step: StepName, by: StepActor) -> str:
    """Say what a step is, by whoever takes it."""
    return _WHEEL_WORDS.get(step, _WORDS[step]) if by is StepActor.WHEEL else _WORDS[step]


_WORDS: Final = {
    StepName.OPEN: "Open betting",
    StepName.WARN: "Warn that betting closes",
    StepName.CLOSE: "Close betting",
    StepName.SPIN: "Spin the ball",
    StepName.NUMBER: "Name the number",
    StepName.CONFIRM: "Confirm the number",
    StepName.SETTLE: "Pay out",
    StepName.NO_SPIN: "Call no spin",
    StepName.RESET: "Reset the terminals",
    StepName.ATTEST: "Two people attest the number",
    StepName.DECIDE: "The round is decided",
}
_WHEEL_WORDS: Final = {StepName.SPIN: "The wheel launches the ball", StepName.NUMBER: "The wheel reports the number"}

#: For which occasion the rules may have words, the dealer's own call first.
_OCCASIONS: Final = {
    StepName.OPEN: (MessageKind.OPEN,),
    StepName.WARN: (MessageKind.FINISH_BETTING,),
    StepName.CLOSE: (MessageKind.CLOSED_CALL, MessageKind.CLOSED),
    StepName.NO_SPIN: (MessageKind.NO_SPIN,),
    StepName.RESET: (MessageKind.NO_SPIN,),
}


def announcement(rulebook: Rulebook, step: StepName) -> str:
    """Give the words that the rules fix for a step."""
    texts = (rulebook.messages[each].texts[0] for each in _OCCASIONS.get(step, ()) if each in rulebook.messages)
    return next(texts, "")


def clause_of(rulebook: Rulebook, step: StepName) -> ClauseId:
    """Name the clause behind a step."""
    procedure, cites = rulebook.procedure, rulebook.cites
    match step:
        case StepName.WARN:
            return procedure.warning.clause
        case StepName.CLOSE:
            return procedure.closes.clause
        case StepName.SPIN:
            turns = procedure.revolutions or procedure.launch_to_close
            return procedure.closes.clause if turns is None else turns.clause
        case StepName.NUMBER:
            return procedure.authority.clause
        case _:
            return cites[_MATTERS[step]]


_MATTERS: Final = {
    StepName.OPEN: CitedTopic.BETS_NOT_OPEN,
    StepName.CONFIRM: CitedTopic.RESULT,
    StepName.SETTLE: CitedTopic.ROUND,
    StepName.NO_SPIN: CitedTopic.NO_SPIN,
    StepName.RESET: CitedTopic.RESPIN,
    StepName.ATTEST: CitedTopic.INTERRUPTED_OUTCOME,
    StepName.DECIDE: CitedTopic.ROUND,
}


class CommandForm(NamedTuple):
    """What may be asked for, and which of its fields are to be filled in."""

    command: Command | None = None
    fields: tuple[str, ...] = ()


def steps(house: House, table: Table) -> tuple[StepRow, ...]:
    """Tell the steps of the round that runs or, between two rounds, of the one to come."""
    if table.round is None or table.round.over:
        rulebook, settings = pending_settings(house, table)
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
            yield with_(row, next=True, waits=Cited(objection.message, objection.clause))
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
    if table.rulebook.procedure.closes.does in (CloseRule.DURING_SPIN, CloseRule.AFTER_LAUNCH):
        return True
    if round_ is None or round_.launched_at is None:
        return False
    return round_.betting is not BettingState.CLOSED or round_.launched_at < (round_.closed_at or 0)


def _taken(table: Table, round_: Round, step: StepName) -> bool:
    match step:
        case StepName.OPEN:
            return True
        case StepName.WARN:
            return round_.betting is not BettingState.OPEN
        case StepName.CLOSE:
            return round_.betting is BettingState.CLOSED
        case StepName.SPIN:
            return round_.ball is not BallState.IDLE
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


def _by(table: Table, round_: Round | None, step: StepName) -> StepActor:
    """Tell who takes a step at this table."""
    settings, closes = table.settings, table.rulebook.procedure.closes.does
    timed = settings.betting_s is not None if round_ is None else round_.closes_at is not None
    reported = round_ is not None and round_.reported is not None
    dealers = {
        StepName.OPEN: settings.pause_s is None,
        StepName.WARN: not timed,
        StepName.CLOSE: not (timed or needs_warning(table) or closes is CloseRule.AFTER_LAUNCH),
        StepName.SPIN: dealt(table),
        StepName.NUMBER: settings.wheel is WheelKind.KEYPAD,
        StepName.CONFIRM: settings.confirms or reported,
        StepName.SETTLE: False,
    }
    if dealers[step]:
        return StepActor.DEALER
    return StepActor.WHEEL if step in (StepName.SPIN, StepName.NUMBER) else StepActor.AUTO


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


def _asks(table: Table, round_: Round, step: StepName) -> CommandForm:
    """Tell what the dealer may ask for, as the house would take it now."""
    match step:
        case StepName.WARN:
            return CommandForm(FinishBetting(table.id))
        case StepName.CLOSE if _may_close(table, round_):
            return CommandForm(CloseBets(table.id))
        case StepName.SPIN if _may_spin(table, round_):
            return CommandForm(SpinBall(table.id))
        case StepName.NUMBER if round_.phase is Phase.RUNNING:
            return _names(table, round_)
        case StepName.CONFIRM if round_.reported is not None:
            return CommandForm(ConfirmResult(table.id, round_.reported, round=round_.number, spin=round_.spin))
        case _:
            return CommandForm()


def _names(table: Table, round_: Round) -> CommandForm:
    """Tell how a dealer says the number of a ball that runs: typed, or entered twice where it was not displayed."""
    none, number, spin = Pocket(""), round_.number, round_.spin
    if table.settings.wheel is WheelKind.KEYPAD:
        return CommandForm(ConfirmResult(table.id, none, round=number, spin=spin), ("pocket",))
    if not dealt(table):
        return CommandForm()
    return CommandForm(EnterResult(table.id, none, none, round=number, spin=spin), ("pocket", "again"))


def _may_close(table: Table, round_: Round) -> bool:
    if round_.phase not in BETTING_PHASES or table.rulebook.procedure.closes.does is CloseRule.AFTER_LAUNCH:
        return False
    warned = round_.betting is BettingState.LAST_CALL or not needs_warning(table)
    return warned and (round_.ball is not BallState.IDLE or may_close_idle(table))


def _may_spin(table: Table, round_: Round) -> bool:
    before = table.rulebook.procedure.closes.does is CloseRule.BEFORE_SPIN
    return dealt(table) and round_.phase is not Phase.NO_SPIN and (round_.betting is BettingState.CLOSED or not before)


def _obstacle(table: Table, round_: Round) -> StepRow | None:
    """Tell what must be done before the round goes on, where something must."""
    if round_.status is RoundStatus.SUSPENDED:
        row = _row(table, StepName.DECIDE, StepActor.PIT)
        return with_(row, due_us=round_.decide_by, clause=round_.clause or row.clause)
    if round_.no_spin:
        return with_(_row(table, StepName.RESET, StepActor.DEALER), command=ResetTerminals(table.id))
    if round_.interrupted:
        return _row(table, StepName.ATTEST, StepActor.PIT)
    wrong = ObservedSpin.of(round_).judged(table) if round_.ball is not BallState.IDLE else None
    if wrong is None:
        return None
    call = CallNoSpin(table.id, wrong.reason, round=round_.number, spin=round_.spin)
    return with_(_row(table, StepName.NO_SPIN, StepActor.DEALER), command=call, clause=wrong.clause)


def _row(table: Table, step: StepName, by: StepActor) -> StepRow:
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
