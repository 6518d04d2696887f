"""Suspended rounds: held by the dealer while a no spin is considered, or referred to the person who decides them."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from croupier.house.declare import (
    Events,
    EventTopic,
    RoundEvent,
    SpinCommand,
    TableCommand,
    command,
    decides,
    event,
    evolves,
)
from croupier.house.floor.incidents import IncidentFacts, IncidentKind, incident_raised
from croupier.house.floor.permissions import out_of_turn
from croupier.house.ids import SECOND, Context, Instant
from croupier.house.rounds.closing import running
from croupier.house.rounds.irregularities import RoundSuspended, RoundVoided
from croupier.house.rounds.multipliers import awaits_multiples
from croupier.house.rounds.results import ObservedSpin
from croupier.house.rounds.settlement import declared
from croupier.house.settings import WheelKind
from croupier.house.state.tables import (
    ROUND_PHASES,
    BallState,
    Phase,
    ResultSource,
    Round,
    RoundStatus,
    Ruling,
    Suspension,
    Table,
)
from croupier.rules.geometry import Pocket
from croupier.rules.notation import read_pocket
from croupier.rules.procedure import CloseRule, Duty, Reason, find_irregularity
from croupier.rules.refusal import ClauseId, Code, Refusal, Refused, raise_if, refuse

if TYPE_CHECKING:
    from croupier.house import House


class ReferralDecision(StrEnum):
    """How a referred round continues."""

    VOID = "void"
    SETTLE = "settle"
    GO_ON = "go_on"


@command(Duty.DEAL, when=ROUND_PHASES - {Phase.NO_SPIN, Phase.SUSPENDED})
class HoldRound(SpinCommand, frozen=True):
    """Hold a round while a no spin is considered: its timers stop, and nothing is closed, declared or paid."""


@event("Round {round} was held: a no spin is being considered.", EventTopic.ROUND, EventTopic.INCIDENT)
class RoundHeld(RoundEvent, frozen=True):
    """The round is held while staff consider a no spin; without a decision by this time it is referred."""

    clause: ClauseId
    until: Instant


@decides(HoldRound)
def hold_round(house: House, command: HoldRound, context: Context) -> Events:
    """Stop the timers of a round at once; the dealer then calls a no spin with its reason, or releases the hold."""
    table, round_ = running(house, command)
    clause = find_irregularity(table.rulebook.irregularities, Reason.NOT_COVERED).clause
    until = Instant(context.now + table.settings.decision_s * SECOND)
    return (RoundHeld(table.id, round_.number, clause, until),)


@evolves(RoundHeld)
def round_held(house: House, event: RoundHeld, context: Context) -> None:
    round_ = house.tables[event.table].playing
    round_.suspend(Suspension(event.until, context.now, context.person), Ruling(event.clause))


@command(Duty.DEAL, when={Phase.SUSPENDED})
class ReleaseHold(SpinCommand, frozen=True):
    """Continue a round that was held, because the spin was in order."""


@event("Round {round} continues after the hold.", EventTopic.ROUND, EventTopic.INCIDENT)
class HoldReleased(RoundEvent, frozen=True):
    """The round continues after a hold; its timers are later by the time that it was held."""

    closes_at: Instant | None
    launches_at: Instant | None


@decides(ReleaseHold)
def release_hold(house: House, command: ReleaseHold, context: Context) -> Events:
    """Continue a held round where it was; a ball that ran over open bets leaves nothing to continue."""
    table, round_ = running(house, command)
    held_at = None if round_.suspension is None else round_.suspension.held_at
    if held_at is None:
        raise out_of_turn(table, command)
    message = _interrupted(round_) or _no_way_on(table, round_)
    if message:
        raise Refused(Code.OUT_OF_TURN, round_.clause, message)
    # The timers are later by the time for which the round was held.
    held = context.now - held_at
    times = (None if each is None else Instant(each + held) for each in (round_.closes_at, round_.launches_at))
    return HoldReleased(table.id, round_.number, *times), *_drawn(house, table, round_)


def _drawn(house: House, table: Table, round_: Round) -> Events:
    """Declare the number that a random wheel drew during the referral: it draws once per round, unconfirmed."""
    if table.settings.wheel is not WheelKind.RANDOM or round_.spin.reported is None:
        return ()
    return declared(house, table, round_.spin.reported, ResultSource.RANDOM)


def _interrupted(round_: Round) -> str:
    return "After an interruption two people attest the number, or it is void." if round_.spin.interrupted else ""


def _no_way_on(table: Table, round_: Round) -> str:
    if round_.ball is not BallState.IDLE and awaits_multiples(table):
        return "The ball has run before the multiples were drawn: the spin cannot count."
    early = round_.sealed is None and round_.ball is not BallState.IDLE
    before = table.rulebook.procedure.closes.choice is CloseRule.BEFORE_SPIN
    if early and (before or round_.ball is BallState.AT_REST):
        return "The ball has run while bets were open: betting cannot go on."
    if (
        table.settings.wheel is WheelKind.RANDOM
        and round_.spin.reported is not None
        and ObservedSpin.of(round_).judged(table)
    ):
        return "There is no valid spin over sealed bets to settle on."
    return ""


@evolves(HoldReleased)
def hold_released(house: House, event: HoldReleased, _context: Context) -> None:
    round_ = house.tables[event.table].playing
    round_.become(RoundStatus.ACTIVE)
    round_.ruling = None
    round_.closes_at, round_.launches_at = event.closes_at, event.launches_at


@command(Duty.DEAL, when=ROUND_PHASES - {Phase.SUSPENDED})
class ReferRound(TableCommand, frozen=True):
    """Refer a doubt: the round is suspended until it is decided."""

    words: str


@decides(ReferRound)
def refer_round(house: House, command: ReferRound, _context: Context) -> Events:
    table, round_ = running(house, command)
    rule = find_irregularity(table.rulebook.irregularities, Reason.NOT_COVERED)
    if not command.words.strip():
        raise Refused(Code.REASON_NOT_LISTED, rule.clause, "Say what the doubt is.")
    return (
        RoundSuspended(table.id, round_.number, rule.reason, rule.clause, command.words),
        incident_raised(house, IncidentKind.REFERRED, table.id, rule.clause, IncidentFacts(command.words)),
    )


@command(Duty.DECIDE, when={Phase.SUSPENDED})
class DecideReferral(SpinCommand, frozen=True):
    """Decide a referred round: void it, settle it on a number, or continue it."""

    verdict: ReferralDecision
    words: str
    pocket: Pocket | None = None


@event(
    "The suspended round was decided: {verdict}. {words}", EventTopic.ROUND, EventTopic.INCIDENT, EventTopic.SIGNIFICANT
)
class ReferralDecided(RoundEvent, frozen=True):
    """Staff decided how a suspended round continues."""

    verdict: ReferralDecision
    clause: ClauseId
    words: str
    pocket: Pocket | None
    #: When betting closes by timer after the decision.
    closes_at: Instant | None


@decides(DecideReferral)
def decide_referral(house: House, command: DecideReferral, context: Context) -> Events:
    table, round_ = running(house, command)
    rule = find_irregularity(table.rulebook.irregularities, Reason.NOT_COVERED)
    # A timer that expired during the referral stays expired: staff close betting from here.
    closes_at = round_.closes_at if round_.closes_at is not None and round_.closes_at > context.now else None
    decided = ReferralDecided(
        table.id, round_.number, command.verdict, rule.clause, command.words, command.pocket, closes_at
    )
    if (
        command.verdict is not ReferralDecision.VOID
        and round_.suspension
        and context.person == round_.suspension.referred_by
    ):
        message = "The person who referred the round does not decide alone that it counts."
        raise Refused(Code.SAME_PERSON, rule.clause, message)
    raise_if(decision_objection(table, round_, command, rule.clause))
    if not command.words.strip():
        raise Refused(Code.REASON_NOT_LISTED, rule.clause, "Say why it is decided so.")
    if command.verdict is ReferralDecision.VOID:
        return decided, RoundVoided(table.id, round_.number, rule.reason, rule.clause, command.words)
    if command.verdict is ReferralDecision.GO_ON:
        return decided, *_drawn(house, table, round_)
    pocket = read_pocket(table.rulebook, command.pocket or round_.spin.reported or "")
    return decided, *declared(house, table, pocket, ResultSource.DECIDED)


def decision_objection(table: Table, round_: Round, command: DecideReferral, clause: ClauseId) -> Refusal | None:
    """Refuse a decision to continue or settle that is not possible; voiding is always possible."""
    if command.verdict is ReferralDecision.VOID:
        return None
    going_on = command.verdict is ReferralDecision.GO_ON
    message = _interrupted(round_) or (
        _no_way_on(table, round_) if going_on else _no_settlement(table, round_, command)
    )
    return refuse(Code.OUT_OF_TURN, clause, message) if message else None


def _no_settlement(table: Table, round_: Round, command: DecideReferral) -> str:
    if (
        round_.sealed is None
        or round_.no_spin
        or round_.ball is BallState.IDLE
        or ObservedSpin.of(round_).judged(table)
        or awaits_multiples(table)
    ):
        return "There is no valid spin over sealed bets to settle on."
    if table.settings.wheel is WheelKind.RANDOM and command.pocket is not None:
        # Refuse the right number too: otherwise a request could reveal it before it counts.
        return "The number of a random wheel cannot be entered by a person."
    if round_.spin.reported is not None and command.pocket not in (None, round_.spin.reported):
        return "One person cannot say another number than the wheel: two attest it, or it is void."
    return ""


@evolves(ReferralDecided)
def referral_decided(house: House, event: ReferralDecided, _context: Context) -> None:
    round_ = house.tables[event.table].playing
    round_.become(RoundStatus.ACTIVE)
    round_.closes_at = event.closes_at
