"""Mishaps: what a sensor sees go wrong, no spin, void rounds, resets and re-spins."""

from typing import assert_never

from croupier.house import incident
from croupier.house.answer import Deciders, Decision, Events, Evolvers, refuse
from croupier.house.authority import acts_as, out_of_turn
from croupier.house.chips import begin_anew, take_back
from croupier.house.command.record import IncidentKind
from croupier.house.command.round import CallNoSpin, ResetTerminals, WheelTrouble
from croupier.house.event.record import IncidentRaised
from croupier.house.event.round import (
    BallOverdue,
    IrregularitySeen,
    RoundSuspended,
    RoundVoided,
    SpinVoided,
    TerminalsReset,
)
from croupier.house.settings import WheelKind
from croupier.house.settling import end
from croupier.house.stamp import Stamp
from croupier.house.state import House
from croupier.house.table import Ball, Betting, Moment, Phase, Round, Sighting, Status, Table
from croupier.house.timetable import running, timetable
from croupier.rules.irregularity import Effect, Irregularity, Reason, find
from croupier.rules.matter import Matter
from croupier.rules.refusal import Code


def consequence(
    table: Table, irregularity: Irregularity, words: str = "", *, ball_removed: bool = False
) -> RoundVoided | SpinVoided | RoundSuspended:
    """Tell what an irregularity does to the round that runs."""
    round_ = table.playing
    here, clause = (table.id, round_.number), irregularity.clause
    match irregularity.effect:
        case Effect.RESET_AND_RESPIN | Effect.KEEP_AND_RESPIN:
            return SpinVoided(*here, round_.spin, irregularity.reason, clause, irregularity.effect, words, ball_removed)
        case Effect.REFER:
            return RoundSuspended(*here, irregularity.reason, clause, words)
        case Effect.VOID_ROUND | Effect.CONCLUDE_OR_VOID | Effect.INVALIDATE:
            return RoundVoided(*here, irregularity.reason, clause, words)
        case _:
            assert_never(irregularity.effect)


def trouble(house: House, table: Table, reason: Reason, *, after: int = 0) -> Events:
    """Act on what a sensor saw, or only tell those who may announce it where the rules leave it to them."""
    rule, told = _told(house, table, reason, after)
    return (consequence(table, rule, told.words), told) if rule.sensed else (told,)


def _told(house: House, table: Table, reason: Reason, after: int = 0) -> tuple[Irregularity, IncidentRaised]:
    rule = find(table.rulebook.irregularities, reason)
    words = f"The wheel reports: {reason.value.replace('_', ' ')}."
    return rule, incident.raised(house, IncidentKind.WHEEL_TROUBLE, table.id, rule.clause, words, after=after)


def wheel_trouble(house: House, command: WheelTrouble, _stamp: Stamp) -> Decision:
    """A spin can go wrong only until the ball rests; a machine that fails does so at any time.

    What does not end the spin by itself is kept with it: its number then awaits the dealer's word.
    """
    table = house.tables[command.table]
    round_ = table.round
    rule, told = _told(house, table, command.reason)
    if round_ is None or round_.over or round_.phase is Phase.NO_SPIN:
        return (told,)
    machine = rule.reason in (Reason.MALFUNCTION, Reason.NOT_COVERED)
    acts = round_.ball is Ball.SPINNING or machine
    if acts and rule.sensed and round_.phase is not Phase.SUSPENDED:
        return consequence(table, rule, told.words), told
    # What goes wrong with a ball whose spin was called off is no part of the next.
    if round_.ball is Ball.AT_REST or (table.loose_ball and not machine):
        return (told,)
    return IrregularitySeen(table.id, round_.number, command.reason, rule.clause), told


def call_no_spin(house: House, command: CallNoSpin, stamp: Stamp) -> Decision:
    table, round_ = running(house, command)
    rulebook = table.rulebook
    if round_.status is Status.SUSPENDED and round_.decide_by is None:
        return out_of_turn(table, command)
    irregularity = next((each for each in rulebook.irregularities if each.reason is command.reason), None)
    if irregularity is None or irregularity.effect is Effect.INVALIDATE or not irregularity.by:
        callable_ = (each for each in rulebook.irregularities if each.by and each.effect is not Effect.INVALIDATE)
        listed = ", ".join(each.reason.value.replace("_", " ") for each in callable_)
        clause = find(rulebook.irregularities, Reason.NOT_COVERED).clause
        says = f"No spin is not called for {command.reason.value.replace('_', ' ')} here; the reasons are {listed}."
        return refuse(Code.REASON_NOT_LISTED, clause, says, reason=command.reason.value)
    if not acts_as(house, table.rulebook, irregularity.by, stamp):
        says = f"That is for {' or '.join(irregularity.by)}, or a higher position, to announce."
        return refuse(Code.NOT_AUTHORISED, irregularity.clause, says, titles=irregularity.by)
    if round_.ball is Ball.AT_REST and not command.before_rest and command.reason not in _AT_ANY_TIME:
        says = "What came about after the ball was at rest does not undo the spin: refer it."
        return refuse(Code.CAUSE_AFTER_REST, irregularity.clause, says)
    if table.settings.wheel is WheelKind.RANDOM and round_.reported is not None:
        # A random wheel draws once for a round: what it has drawn is not drawn again.
        here = (table.id, round_.number)
        return (RoundVoided(*here, irregularity.reason, irregularity.clause, command.words),)
    return (consequence(table, irregularity, command.words, ball_removed=command.ball_removed),)


def reset_terminals(house: House, command: ResetTerminals, stamp: Stamp) -> Decision:
    table, round_ = running(house, command)
    closes_at, launches_at = timetable(table.rulebook, table.settings, stamp.now)
    clause = table.rulebook.cites[Matter.RESPIN]
    return (TerminalsReset(table.id, round_.number, round_.spin + 1, clause, closes_at, launches_at),)


def round_voided(house: House, event: RoundVoided, stamp: Stamp) -> None:
    table = house.tables[event.table]
    round_ = table.playing
    refund_all(house, table, round_)
    table.loose_ball = round_.ball is Ball.SPINNING
    round_.betting = Betting.CLOSED
    round_.reason, round_.clause = event.reason, event.clause
    no_result(table, round_)
    table.meters.voids += 1
    end(table, Status.VOID, stamp)


def no_result(table: Table, round_: Round) -> None:
    """A number that was declared and not settled is one that was only reported: it is in no history."""
    round_.reported, round_.pocket = round_.pocket or round_.reported, None
    kept = [(number, shown) for number, shown in table.history if number != round_.number]
    table.history.clear()
    table.history.extend(kept)


def refund_all(house: House, table: Table, round_: Round) -> None:
    """Give every stake back, and offer the same bets again in one touch."""
    for terminal_id in table.terminals:
        terminal = house.terminals[terminal_id]
        game = terminal.games[table.id]
        stakes = game.bets
        staked = take_back(house, terminal, game)
        if round_.sealed is not None:
            terminal.meters.refunded += staked
            table.meters.refunded += staked
        if stakes:
            game.previous = stakes
        game.won = 0
        game.stayed = {}
        begin_anew(game)


def spin_voided(house: House, event: SpinVoided, stamp: Stamp) -> None:
    table = house.tables[event.table]
    round_ = table.playing
    table.loose_ball = round_.ball is Ball.SPINNING and not event.ball_removed
    round_.ball = Ball.IDLE
    round_.reason, round_.clause = event.reason, event.clause
    no_result(table, round_)
    round_.reported = round_.launched_at = round_.rested_at = None
    round_.prompted = round_.interrupted = False
    table.meters.no_spins += 1
    if event.effect is Effect.KEEP_AND_RESPIN:
        _unseal(house, table, round_)
        _open_again(round_, event.spin + 1)
        round_.closes_at, round_.launches_at = timetable(table.rulebook, table.settings, stamp.now)
    else:
        round_.no_spin = True
        round_.betting = Betting.CLOSED
        round_.closes_at = round_.launches_at = None


def _unseal(house: House, table: Table, round_: Round) -> None:
    """The chips stay their owners', who may change them: what was sealed is so no longer."""
    for terminal_id, stakes in (round_.sealed or {}).items():
        staked = sum(stakes.values())
        house.terminals[terminal_id].meters.refunded += staked
        table.meters.refunded += staked
    for terminal_id in table.terminals:
        begin_anew(house.terminals[terminal_id].games[table.id])


def _open_again(round_: Round, spin: int) -> None:
    round_.spin = spin
    round_.betting = Betting.OPEN
    round_.sealed = round_.warned_at = None
    round_.sightings = []
    round_.no_spin = False


def terminals_reset(house: House, event: TerminalsReset, stamp: Stamp) -> None:
    table = house.tables[event.table]
    round_ = table.playing
    refund_all(house, table, round_)
    _open_again(round_, event.spin)
    round_.opened_at = stamp.now
    round_.closes_at, round_.launches_at = event.closes_at, event.launches_at


def round_suspended(house: House, event: RoundSuspended, stamp: Stamp) -> None:
    round_ = house.tables[event.table].playing
    round_.status = Status.SUSPENDED
    round_.referred_by = stamp.person or None
    round_.reason, round_.clause = event.reason, event.clause
    round_.decide_by = event.until


def irregularity_seen(house: House, event: IrregularitySeen, _stamp: Stamp) -> None:
    house.tables[event.table].playing.see(Sighting(Moment.TROUBLE, reason=event.reason))


def ball_overdue(house: House, event: BallOverdue, _stamp: Stamp) -> None:
    round_ = house.tables[event.table].playing
    round_.prompted = True


#: What undoes a spin until it is settled, also where it came about when the ball was at rest.
_AT_ANY_TIME = (Reason.INTERFERENCE, Reason.SUSPICION, Reason.MALFUNCTION, Reason.NOT_COVERED)

DECIDERS: Deciders = {WheelTrouble: wheel_trouble, CallNoSpin: call_no_spin, ResetTerminals: reset_terminals}
EVOLVERS: Evolvers = {
    RoundVoided: round_voided,
    SpinVoided: spin_voided,
    TerminalsReset: terminals_reset,
    RoundSuspended: round_suspended,
    IrregularitySeen: irregularity_seen,
    BallOverdue: ball_overdue,
}
