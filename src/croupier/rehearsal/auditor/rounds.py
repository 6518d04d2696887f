"""Rounds: what each event of a round does to the auditor's picture, with the money worked out anew."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from croupier.house.event import round as told
from croupier.house.event.base import AtRound, Event
from croupier.house.event.play import BetsReturned, Return
from croupier.house.name import Instant, RoundNumber
from croupier.house.settings import TableSettings
from croupier.house.stamp import Stamp
from croupier.rehearsal.auditor import mend, settle
from croupier.rehearsal.auditor.bounds import bounds_of
from croupier.rehearsal.auditor.close import seal, stray, unplayed
from croupier.rehearsal.auditor.finding import Finding, agree, never
from croupier.rehearsal.auditor.game import HISTORY_KEPT, Round, Table
from croupier.rehearsal.auditor.model import GoesBack, Model
from croupier.rehearsal.auditor.seat import calls_of, channel_of
from croupier.rules.irregularity import Effect

_SECOND = 1_000_000


def running(model: Model, event: AtRound, invariant: str) -> tuple[Table, Round]:
    """Find the round that an event is about, which must be the one that runs."""
    table = model.tables[event.table]
    round_ = table.round
    if round_ is None or round_.over or round_.number != event.round:
        state = "none runs" if round_ is None else f"round {round_.number} is {round_.status}"
        raise Finding(invariant, f"{event}: {state} at {table.name}")
    return table, round_


def _opened(model: Model, event: told.BetsOpened, stamp: Stamp) -> None:
    table = model.tables[event.table]
    agree("I9", f"{event} while the round at {table.name} is", table.phase, "between")
    agree("I9", f"{event} counts", event.round, table.number + 1)
    if table.new_terms():
        up = any(game.stakes for _, game in model.games(table))
        never("I18", f"chips stay up at {table.name} under other terms", when=up)
    _take_next(model, table)
    agree("I3", f"{event} is under", event.rulebook, table.felt.rulebook.digest)
    agree("I9", f"{event} closes at", event.closes_at, _timer(table.settings, stamp))
    table.round = Round(event.round, table.felt, closes_at=event.closes_at)
    table.rounds[event.round] = table.round
    for _, game in model.games(table):
        game.undo = []


def _take_next(model: Model, table: Table) -> None:
    """Put into force what was changed since the last round opened."""
    if table.next_settings is None and table.next_felt is None:
        return
    other = table.next_felt is not None
    table.felt, table.settings = table.next_felt or table.felt, table.next_settings or table.settings
    table.next_felt = table.next_settings = None
    for seat, game in model.games(table):
        game.bounds = bounds_of(table.felt, seat.settings.limits or table.settings.limits)
        if other:
            rulebook = table.felt.rulebook
            game.previous = {}
            seat.channel, seat.calls = channel_of(rulebook), calls_of(rulebook, seat.settings.profile)


def _timer(settings: TableSettings, stamp: Stamp) -> Instant | None:
    if settings.betting_s is None:
        return None
    return Instant(stamp.now + max(settings.betting_s, settings.betting_least_s) * _SECOND)


def _finish_called(model: Model, event: told.FinishCalled, _stamp: Stamp) -> None:
    _, round_ = running(model, event, "I9")
    round_.betting, round_.closes_at = "last_call", event.closes_at


def _closing(model: Model, event: told.BetsClosing, _stamp: Stamp) -> None:
    table, round_ = running(model, event, "I9")
    round_.betting, round_.closes_at = "closed", None
    if event.why is not told.CloseReason.RESULT_SEEN:
        model.returns.update(unplayed(model, table))


def _returned(model: Model, event: BetsReturned, _stamp: Stamp) -> None:
    table = model.tables[event.table]
    if event.why is Return.NEW_TERMS and table.new_terms() and table.phase == "between":
        model.returns.update(stray(model, table, Return.NEW_TERMS))
    back = GoesBack(event.terminal, event.table, event.why, frozenset(event.spots))
    if back not in model.returns:
        raise Finding("I18", f"{event}: due to go back are {model.returns}")
    model.returns.remove(back)
    seat = model.seats[event.terminal]
    seat.take_back(event.table, event.spots)
    seat.games[event.table].undo = []


def _sealed(model: Model, event: told.BetsSealed, _stamp: Stamp) -> None:
    table, round_ = running(model, event, "I9")
    agree("I9", f"{event} while betting is", (round_.betting, round_.sealed), ("closed", None))
    agree("I18", f"chips that stay at {table.name} and should go back", model.returns, set())
    round_.sealed = seal(model, table)
    round_.sessions = {name: model.seats[name].session for name in round_.sealed}
    staked = sum(sum(stakes.values()) for stakes in round_.sealed.values())
    agree(
        "I3", f"{event} seals", (event.spin, event.terminals, event.staked), (round_.spin, len(round_.sealed), staked)
    )


def _spun(model: Model, event: told.BallSpun, _stamp: Stamp) -> None:
    _, round_ = running(model, event, "I9")
    round_.ball = "spinning"
    round_.closes_at = round_.closes_at if event.closes_at is None else event.closes_at
    _see(round_, event.opposite, None)
    round_.troubled = round_.troubled or event.turning is False


def _fell(model: Model, event: told.BallFell, _stamp: Stamp) -> None:
    _, round_ = running(model, event, "I9")
    _see(round_, None, event.revolutions)


def _troubled(model: Model, event: told.IrregularitySeen, _stamp: Stamp) -> None:
    _, round_ = running(model, event, "I9")
    round_.troubled = True


def _see(round_: Round, opposite: bool | None, revolutions: int | None) -> None:  # noqa: FBT001 - unknown too
    round_.ways |= set() if opposite is None else {opposite}
    round_.turns |= set() if revolutions is None else {revolutions}


def _rested(model: Model, event: told.BallRested, _stamp: Stamp) -> None:
    _, round_ = running(model, event, "I9")
    round_.ball, round_.reported = "at_rest", event.pocket
    _see(round_, event.opposite, event.revolutions)


def _declared(model: Model, event: told.ResultDeclared, _stamp: Stamp) -> None:
    table, round_ = running(model, event, "I10")
    never("I9", f"{event} before the seal", when=round_.sealed is None)
    agree("I10", f"{event} is a second result after", round_.pocket, None)
    never("I23", f"{event} after no spin", when=round_.no_spin)
    never("I17", f"{event} is not on the wheel", when=event.pocket not in round_.felt.rulebook.wheel.order)
    _see(round_, event.opposite, event.revolutions)
    doubtful = round_.troubled or len(round_.ways) > 1 or len(round_.turns) > 1
    never("I10", f"{event} on sensors that saw it go wrong", when=event.source is told.Source.SENSOR and doubtful)
    round_.pocket, round_.ball, round_.status = event.pocket, "at_rest", "active"
    table.history = [(round_.number, event.pocket), *table.history][:HISTORY_KEPT]


def _settled(model: Model, event: told.RoundSettled, _stamp: Stamp) -> None:
    table, round_ = running(model, event, "I10")
    never("I9", f"{event} without a result", when=round_.pocket is None)
    agree("I3", f"{event} counts", (event.staked, event.returned), settle.settle(model, table, round_))


def _voided(model: Model, event: told.RoundVoided, _stamp: Stamp) -> None:
    settle.void(model, *running(model, event, "I23"))


def _spin_voided(model: Model, event: told.SpinVoided, stamp: Stamp) -> None:
    """The spin does not count: chips stay on the felt, and are sealed no more where play goes on with them."""
    table, round_ = running(model, event, "I23")
    settle.no_result(table, round_)
    round_.ball, round_.reported = "idle", None
    table.meters["no_spins"] += 1
    if event.effect is not Effect.KEEP_AND_RESPIN:
        round_.no_spin, round_.betting, round_.closes_at = True, "closed", None
        return
    for seat, game in model.games(table):
        if round_.sealed is not None and seat.name in round_.sealed:
            settle.count_refund(table, seat, game.staked)
        game.undo = []
    _again(round_, event.spin + 1, _timer(table.settings, stamp))


def _again(round_: Round, spin: int, closes_at: Instant | None) -> None:
    agree("I10", f"round {round_.number} goes on with spin", spin, round_.spin + 1)
    round_.spin, round_.betting, round_.sealed, round_.no_spin = spin, "open", None, False
    round_.ways, round_.turns, round_.troubled = set(), set(), False
    round_.closes_at = closes_at


def _reset(model: Model, event: told.TerminalsReset, stamp: Stamp) -> None:
    table, round_ = running(model, event, "I23")
    never("I23", f"{event} without no spin", when=not round_.no_spin)
    settle.refund(model, table, round_)
    agree("I9", f"{event} closes at", event.closes_at, _timer(table.settings, stamp))
    _again(round_, event.spin, event.closes_at)


def _suspended(model: Model, event: told.RoundSuspended, _stamp: Stamp) -> None:
    _, round_ = running(model, event, "I9")
    round_.status = "suspended"


def _decided(model: Model, event: told.ReferralDecided, stamp: Stamp) -> None:
    """A suspended round goes on; a timer that ran out meanwhile has had its say."""
    _, round_ = running(model, event, "I9")
    round_.status = "active"
    if round_.closes_at is not None and round_.closes_at <= stamp.now:
        round_.closes_at = None


def _corrected(model: Model, event: told.ResultCorrected, _stamp: Stamp) -> None:
    table, round_ = _past(model, event)
    agree("I10", f"{event} of a round that is", (round_.status, round_.invalidated), ("settled", False))
    agree("I10", f"{event} replaces", event.was, round_.pocket)
    agree("I3", f"{event} gives back", event.returned, mend.correct(model, table, round_, event.pocket))


def _invalidated(model: Model, event: told.OutcomeInvalidated, _stamp: Stamp) -> None:
    table, round_ = _past(model, event)
    never("I4", f"{event} is void already", when=round_.status == "void" or round_.invalidated)
    round_.invalidated = True
    if round_.status == "settled":
        mend.invalidate(model, table, round_)
    else:
        settle.void(model, table, round_)


def _past(model: Model, event: AtRound) -> tuple[Table, Round]:
    table = model.tables[event.table]
    round_ = table.rounds.get(RoundNumber(event.round))
    if round_ is None:
        raise Finding("I10", f"{event}: there was no such round at {table.name}")
    return table, round_


Follower = Callable[[Model, Any, Stamp], None]

ROUNDS: Final[Mapping[type[Event], Follower]] = {
    told.BetsOpened: _opened,
    told.FinishCalled: _finish_called,
    told.BetsClosing: _closing,
    BetsReturned: _returned,
    told.BetsSealed: _sealed,
    told.BallSpun: _spun,
    told.BallFell: _fell,
    told.IrregularitySeen: _troubled,
    told.BallRested: _rested,
    told.ResultDeclared: _declared,
    told.RoundSettled: _settled,
    told.RoundVoided: _voided,
    told.SpinVoided: _spin_voided,
    told.TerminalsReset: _reset,
    told.RoundSuspended: _suspended,
    told.ReferralDecided: _decided,
    told.ResultCorrected: _corrected,
    told.OutcomeInvalidated: _invalidated,
}
