"""Referrals: a doubt put before whoever decides, during which nothing moves."""

from croupier.house import incident
from croupier.house.answer import Deciders, Decision, Events, Evolvers, refuse
from croupier.house.command.record import IncidentKind
from croupier.house.command.round import DecideReferral, ReferRound, Verdict
from croupier.house.event.round import ReferralDecided, RoundSuspended, RoundVoided, Source
from croupier.house.result import Sight
from croupier.house.settings import WheelKind
from croupier.house.settling import declared
from croupier.house.stamp import Stamp
from croupier.house.state import House
from croupier.house.table import Ball, Round, Status, Table
from croupier.house.timetable import running
from croupier.rules.clause import ClauseId
from croupier.rules.irregularity import Reason, find
from croupier.rules.procedure import Closing
from croupier.rules.refusal import Code, Refusal
from croupier.rules.slip import read_pocket


def refer_round(house: House, command: ReferRound, _stamp: Stamp) -> Decision:
    table, round_ = running(house, command)
    rule = find(table.rulebook.irregularities, Reason.NOT_COVERED)
    if not command.words.strip():
        return refuse(Code.REASON_NOT_LISTED, rule.clause, "Say what the doubt is.")
    return (
        RoundSuspended(table.id, round_.number, rule.reason, rule.clause, command.words),
        incident.raised(house, IncidentKind.REFERRED, table.id, rule.clause, command.words),
    )


def decide_referral(house: House, command: DecideReferral, stamp: Stamp) -> Decision:
    table, round_ = running(house, command)
    rule = find(table.rulebook.irregularities, Reason.NOT_COVERED)
    decided = ReferralDecided(table.id, round_.number, command.verdict, rule.clause, command.words, command.pocket)
    if command.verdict is not Verdict.VOID and stamp.person == round_.referred_by:
        says = "Whoever referred the round does not decide alone that it counts."
        return refuse(Code.SAME_PERSON, rule.clause, says)
    refusal = cannot(table, round_, command, rule.clause)
    if refusal is not None:
        return refusal
    if not command.words.strip():
        return refuse(Code.REASON_NOT_LISTED, rule.clause, "Say why it is decided so.")
    if command.verdict is Verdict.VOID:
        return decided, RoundVoided(table.id, round_.number, rule.reason, rule.clause, command.words)
    if command.verdict is Verdict.GO_ON:
        return decided, *_drawn(house, table, round_)
    pocket = read_pocket(table.rulebook, command.pocket or round_.reported or "")
    return pocket if isinstance(pocket, Refusal) else (decided, *declared(house, table, pocket, Source.DECIDED))


def _drawn(house: House, table: Table, round_: Round) -> Events:
    """Declare what a random wheel drew during the referral: it draws once for a round, and no dealer confirms it."""
    if table.settings.wheel is not WheelKind.RANDOM or round_.reported is None:
        return ()
    return declared(house, table, round_.reported, Source.RANDOM)


def cannot(table: Table, round_: Round, command: DecideReferral, clause: ClauseId) -> Refusal | None:
    """Say why a round can neither go on nor be settled so; it can always be void."""
    if command.verdict is Verdict.VOID:
        return None
    if round_.interrupted:
        says = "After an interruption two people attest the number, or it is void."
    elif command.verdict is Verdict.GO_ON:
        says = _no_way_on(table, round_)
    else:
        says = _no_settlement(table, round_, command)
    return refuse(Code.OUT_OF_TURN, clause, says) if says else None


def _no_way_on(table: Table, round_: Round) -> str:
    early = round_.sealed is None and round_.ball is not Ball.IDLE
    before = table.rulebook.procedure.closes.does is Closing.BEFORE_SPIN
    if early and (before or round_.ball is Ball.AT_REST):
        return "The ball has run while bets were open: betting cannot go on."
    if table.settings.wheel is WheelKind.RANDOM and round_.reported is not None and Sight.of(round_).judged(table):
        return "There is no valid spin over sealed bets to settle on."
    return ""


def _no_settlement(table: Table, round_: Round, command: DecideReferral) -> str:
    if round_.sealed is None or round_.no_spin or round_.ball is Ball.IDLE or Sight.of(round_).judged(table):
        return "There is no valid spin over sealed bets to settle on."
    if table.settings.wheel is WheelKind.RANDOM and command.pocket is not None:
        # Not even the right one: whoever could ask would know it before it counts.
        return "What a random wheel draws is not for anybody to say."
    if round_.reported is not None and command.pocket not in (None, round_.reported):
        return "One person cannot say another number than the wheel: two attest it, or it is void."
    return ""


def referral_decided(house: House, event: ReferralDecided, stamp: Stamp) -> None:
    round_ = house.tables[event.table].playing
    round_.status = Status.ACTIVE
    round_.decide_by = None
    # A timer that ran out meanwhile has had its say: from here somebody closes betting.
    if round_.closes_at is not None and round_.closes_at <= stamp.now:
        round_.closes_at = None


DECIDERS: Deciders = {ReferRound: refer_round, DecideReferral: decide_referral}
EVOLVERS: Evolvers = {ReferralDecided: referral_decided}
