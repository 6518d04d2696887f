"""Reported, confirmed and entered results."""

from typing import Final, NamedTuple, Self

from croupier.house import draws
from croupier.house.base import BallState, Decision, Events, RoundStatus
from croupier.house.closing import running
from croupier.house.commands.record import IncidentFacts, IncidentKind
from croupier.house.commands.rounds import (
    AttestResult,
    BallAtRest,
    ConfirmResult,
    DecideReferral,
    EnterResult,
    HoldRound,
    ReferralDecision,
    ReferRound,
    ReleaseHold,
    TroubleCause,
)
from croupier.house.events.live import ChipsSettled, DollyPlaced
from croupier.house.events.record import IncidentRaised
from croupier.house.events.rounds import (
    BallRested,
    BetsClosing,
    CloseReason,
    HoldReleased,
    IgnoredReason,
    ReferralDecided,
    ReportIgnored,
    ResultSource,
    RoundHeld,
    RoundSuspended,
    RoundVoided,
    Trigger,
)
from croupier.house.ids import SECOND, Context, Instant
from croupier.house.irregularities import doubted, incident_raised, irregularity_events, once, sensor_irregularity
from croupier.house.permissions import out_of_turn
from croupier.house.settings import WheelKind
from croupier.house.settlement import declared
from croupier.house.setup import live_clause
from croupier.house.state import Deciders, Evolvers, House
from croupier.house.state.tables import Moment, Round, Sighting, Table
from croupier.rules.geometry import Pocket
from croupier.rules.notation import read_pocket
from croupier.rules.procedure import CloseRule, Irregularity, Reason, Spin, assess_spin, find_irregularity
from croupier.rules.refusal import CitedTopic, ClauseId, Code, Refusal, refuse


def ball_at_rest(house: House, command: BallAtRest, context: Context) -> Decision:
    table = house.tables[command.table]
    round_ = table.round
    if round_ is not None and round_.status is RoundStatus.SETTLED and _contradicted(round_, command):
        return _again(house, table, round_, command, context)
    why = _ignored(table, command)
    if round_ is None or why is not None:
        return _set_aside(house, table, command, why or IgnoredReason.NO_ROUND, context)
    if command.pocket not in table.rulebook.wheel.order:
        clause, facts = table.rulebook.cited_clauses[CitedTopic.FAULT_NUMBERS], IncidentFacts(pocket=command.pocket)
        return (incident_raised(house, IncidentKind.IMPOSSIBLE_POCKET, table.id, clause, facts),)
    if round_.sealed is None:
        return _before_seal(house, table, round_, command, context)
    if round_.ball is BallState.AT_REST:
        return _again(house, table, round_, command, context)
    return _rested(house, table, round_, command, context)


def _ignored(table: Table, command: BallAtRest) -> IgnoredReason | None:
    """Find why a reported number is not a result; None if it may be one.

    A spin is identified by its launch. The wheel's count alone identifies none: it begins again after each power-up.
    """
    round_ = table.round
    # A driver that names no launch may repeat its last number until the next launch.
    launched = round_ is not None and not round_.over and round_.ball is not BallState.IDLE
    if _is_repeated(table, command) and (not launched or table.settings.wheel is WheelKind.RANDOM):
        return IgnoredReason.SPIN_COUNTED
    if round_ is None or round_.over:
        return IgnoredReason.NO_ROUND
    if round_.no_spin:
        return IgnoredReason.NO_SPIN
    if table.loose_ball:
        return IgnoredReason.SPIN_CALLED_OFF
    if round_.ball is BallState.IDLE:
        # A wheel may repeat its last number until the next spin: without a spin it is not a result.
        unseen = command.launch is not None or (dealt(table) and round_.sealed is not None)
        return IgnoredReason.NO_BALL if unseen else None
    return IgnoredReason.ANOTHER_SPIN if _is_of_another_spin(round_, command) else None


def _is_repeated(table: Table, command: BallAtRest) -> bool:
    """Check whether a number carries the wheel's count of the last one, and names no launch."""
    return command.launch is None and command.spin_id is not None and command.spin_id == table.spin_id


def _is_of_another_spin(round_: Round, command: BallAtRest) -> bool:
    return command.launch is not None and round_.launch is not None and command.launch != round_.launch


def _set_aside(house: House, table: Table, command: BallAtRest, why: IgnoredReason, context: Context) -> Events:
    """Ignore a number, and notify staff if a round is running. One that waits for its number then waits for staff."""
    ignored, round_ = ReportIgnored(table.id, command.pocket, why), table.round
    drawn = table.settings.wheel is WheelKind.RANDOM
    if round_ is None or round_.over or why in (IgnoredReason.NO_SPIN, IgnoredReason.SPIN_CALLED_OFF) or drawn:
        # No round has bets on this ball, or its spin was called off.
        return (ignored,)
    if round_.sealed is not None and round_.ball is not BallState.AT_REST:
        return (ignored, *doubted(house, table, TroubleCause.NOT_OF_THIS_SPIN, context, pocket=command.pocket))
    if why is IgnoredReason.SPIN_COUNTED:
        return (ignored,)
    clause, facts = table.rulebook.cited_clauses[CitedTopic.FAULT_NUMBERS], IncidentFacts(pocket=command.pocket)
    return (ignored, *once(house, table, incident_raised(house, IncidentKind.NUMBER_IGNORED, table.id, clause, facts)))


def _contradicted(round_: Round, command: BallAtRest) -> bool:
    """Check whether a wheel reports another number of the settled spin, before or after a correction."""
    return command.pocket not in (round_.pocket, *round_.corrected) and not _is_of_another_spin(round_, command)


def _before_seal(house: House, table: Table, round_: Round, command: BallAtRest, context: Context) -> Decision:
    """A number reported while betting is open cannot count: void the round and raise an alarm."""
    rule = find_irregularity(table.rulebook.irregularities, Reason.RESULT_BEFORE_CLOSE)
    suspended = round_.status is RoundStatus.SUSPENDED
    facts = IncidentFacts(pocket=None if suspended and _is_secret(table, round_) else command.pocket)
    alarm = incident_raised(house, IncidentKind.RESULT_BEFORE_SEAL, table.id, rule.clause, facts)
    if suspended:
        # The person who decides the referral decides this too.
        return _reported(table, round_, command), alarm
    closing = BetsClosing(table.id, round_.number, CloseReason.RESULT_SEEN, rule.clause)
    return closing, irregularity_events(table, rule, context, Trigger.WHEEL), alarm


def _again(house: House, table: Table, round_: Round, command: BallAtRest, context: Context) -> Decision:
    """Accept one result for each spin: ignore a repeat, and raise an incident for a different number.

    While the number awaits the dealer's confirmation, new sightings in a second report are recorded.
    """
    if command.pocket == (round_.pocket or round_.reported):
        if round_.pocket is None and ObservedSpin.of(round_) != ObservedSpin.of(round_, command):
            return _undeclared(house, table, round_, command, context)
        return (ReportIgnored(table.id, command.pocket, IgnoredReason.ALREADY_REPORTED),)
    secret = _is_secret(table, round_)
    facts = IncidentFacts(pocket=command.pocket, expected=round_.pocket or round_.reported)
    clause = table.rulebook.procedure.authority.clause
    facts = IncidentFacts() if secret else facts
    alarm = incident_raised(house, IncidentKind.NUMBER_DIFFERS, table.id, clause, facts)
    raised = once(house, table, alarm)
    # The journal records the number that the incident omits, or that was reported after it.
    ignored = ReportIgnored(table.id, command.pocket, IgnoredReason.ANOTHER_REPORTED)
    return (ignored, *raised) if secret or not raised else raised


def _is_secret(table: Table, round_: Round) -> bool:
    """Check whether a number must stay secret: a random wheel drew it, and it does not count yet."""
    return table.settings.wheel is WheelKind.RANDOM and round_.pocket is None


def _rested(house: House, table: Table, round_: Round, command: BallAtRest, context: Context) -> Decision:
    if table.settings.wheel is WheelKind.RANDOM and table.settings.provable:
        proven = draws.proof(table, command)
        if isinstance(proven, Refusal):
            return sensor_irregularity(house, table, Reason.MALFUNCTION, context)
        counted = _counted(house, table, round_, command, context)
        assert isinstance(counted, tuple)
        # A number that does not count yet stays secret: the report carries the secret until then.
        return counted if isinstance(counted[0], BallRested) else (proven, *counted)
    return _counted(house, table, round_, command, context)


def _counted(house: House, table: Table, round_: Round, command: BallAtRest, context: Context) -> Decision:
    doubt = _doubted(house, table, command, context)
    if doubt:
        # Where a malfunction voids the round, its number is recorded as one that does not count.
        void = any(isinstance(each, RoundVoided) for each in doubt)
        after = sum(isinstance(each, IncidentRaised) for each in doubt)
        return doubt if void else (*doubt, *_undeclared(house, table, round_, command, context, after=after))
    seen = ObservedSpin.of(round_, command)
    waits = round_.status is RoundStatus.SUSPENDED or round_.interrupted or _awaits_word(table, seen)
    if waits or seen.doubtful or seen.judged(table):
        return _undeclared(house, table, round_, command, context)
    source = ResultSource.RANDOM if table.settings.wheel is WheelKind.RANDOM else ResultSource.SENSOR
    return declared(house, table, command.pocket, source, report=command)


def _doubted(house: House, table: Table, command: BallAtRest, context: Context) -> Events:
    """Find a number that no sensor contradicts and that still does not count alone: a short spin, or an old count."""
    if table.settings.wheel is WheelKind.RANDOM:
        return ()
    if command.took_ms is not None and command.took_ms < command.least_ms:
        seconds = command.took_ms // _MILLISECONDS
        return doubted(house, table, TroubleCause.SHORT_SPIN, context, pocket=command.pocket, seconds=seconds)
    if _is_repeated(table, command):
        return doubted(house, table, TroubleCause.COUNT_REPEATED, context, pocket=command.pocket)
    return ()


_MILLISECONDS: Final = 1_000


def _undeclared(  # noqa: PLR0913 - all that a report says, and what was raised before it
    house: House, table: Table, round_: Round, command: BallAtRest, context: Context, *, after: int = 0
) -> Events:
    """Record a report that does not count by itself, with the resulting action of the rules or of staff."""
    seen, rested = ObservedSpin.of(round_, command), _reported(table, round_, command)
    if round_.status is RoundStatus.SUSPENDED:
        return (rested,)
    held_against = seen.judged(table)
    if held_against is not None:
        return rested, irregularity_events(table, held_against, context, Trigger.WHEEL)
    return (rested, *_doubt(house, table, round_, seen, after=after)) if seen.doubtful else (rested,)


def _reported(table: Table, round_: Round, command: BallAtRest) -> BallRested:
    seen = (command.revolutions, command.opposite, command.spin_id, command.secret)
    return BallRested(table.id, round_.number, command.pocket, *seen)


class ObservedSpin(NamedTuple):
    """All sensor sightings of a spin so far."""

    revolutions: frozenset[int]
    opposite: frozenset[bool]
    #: Irregularities that the rules leave to staff: a sensor report alone does not decide them.
    troubles: tuple[Reason, ...]

    @classmethod
    def of(cls, round_: Round, command: BallAtRest | None = None) -> Self:
        """Combine the sightings during the spin and, if given, at rest."""
        rest = () if command is None else (Sighting(Moment.REST, command.opposite, revolutions=command.revolutions),)
        seen = (*round_.sightings, *rest)
        still = (Reason.WHEEL_NOT_TURNING for each in seen if each.turning is False)
        return cls(
            frozenset(each.revolutions for each in seen if each.revolutions is not None),
            frozenset(each.opposite for each in seen if each.opposite is not None),
            tuple(dict.fromkeys((*still, *(each.reason for each in seen if each.reason is not None)))),
        )

    @property
    def contradictions(self) -> tuple[Reason, ...]:
        """Name the irregularities on which the sensors contradict each other."""
        turns = (Reason.TOO_FEW_REVOLUTIONS,) if len(self.revolutions) > 1 else ()
        return (*turns, Reason.SAME_DIRECTION) if len(self.opposite) > 1 else turns

    @property
    def doubtful(self) -> bool:
        """Check whether the dealer must decide: sightings contradict each other, or one was irregular."""
        return bool(self.contradictions or self.troubles)

    @property
    def whole(self) -> bool:
        """Check whether sensors saw both the direction and the revolutions."""
        return bool(self.revolutions and self.opposite)

    def judged(self, table: Table) -> Irregularity | None:
        """Verify the observed part of the spin against the rules; if sightings differ, use the most favourable one."""
        figure = table.rulebook.procedure.revolutions
        least = figure.value if figure else 0
        turns = max(self.revolutions, default=least)
        spin = Spin(opposite=True in self.opposite or not self.opposite, revolutions=turns)
        return assess_spin(spin, table.rulebook.irregularities, revolutions_least=least)


def _doubt(house: House, table: Table, round_: Round, seen: ObservedSpin, *, after: int) -> Events:
    """Notify staff of contradictory sightings; a number that a random wheel drew goes to a referral."""
    incidents = (_contradiction(house, table, seen, after=after),) if seen.contradictions else ()
    if table.settings.wheel is not WheelKind.RANDOM:
        return incidents
    # A drawn number is secret until it counts, so no dealer can confirm it.
    rule = find_irregularity(table.rulebook.irregularities, Reason.NOT_COVERED)
    return RoundSuspended(table.id, round_.number, rule.reason, rule.clause, trigger=Trigger.WHEEL), *incidents


def _contradiction(house: House, table: Table, seen: ObservedSpin, *, after: int) -> IncidentRaised:
    reason = seen.contradictions[0]
    clause = find_irregularity(table.rulebook.irregularities, reason).clause
    facts = IncidentFacts(reasons=seen.contradictions)
    return incident_raised(house, IncidentKind.SIGHTINGS_DIFFER, table.id, clause, facts, after=after)


def _awaits_word(table: Table, seen: ObservedSpin) -> bool:
    """Check whether a dealer must confirm: the table requires it, or an unseen part of the spin must be attested."""
    if table.settings.wheel is WheelKind.RANDOM:
        return False
    return table.settings.confirms or (dealt(table) and not seen.whole)


def dealt(table: Table) -> bool:
    """Check whether a dealer spins the ball: there is no random source and no launcher."""
    return table.settings.wheel is not WheelKind.RANDOM and table.rulebook.procedure.revolutions is not None


def number_visible(table: Table) -> bool:
    """Check whether the ball may lie in a compartment: it was reported there, is overdue, or no sensor would tell."""
    round_ = table.playing
    unseen = round_.prompted or round_.interrupted or table.settings.wheel is WheelKind.KEYPAD
    return round_.ball is BallState.AT_REST or (round_.ball is BallState.SPINNING and unseen)


def confirm_result(house: House, command: ConfirmResult, _context: Context) -> Decision:
    table, round_ = running(house, command)
    clause = table.rulebook.cited_clauses[CitedTopic.RESULT]
    invalid = _invalid(table, round_)
    if invalid is not None:
        return invalid
    if round_.interrupted:
        return refuse(Code.OUT_OF_TURN, clause, "After an interruption two people attest where the ball lay.")
    if round_.reported is None and table.settings.wheel is not WheelKind.KEYPAD:
        return refuse(Code.OUT_OF_TURN, clause, "No number has been reported: enter it.")
    if round_.reported not in (None, command.pocket):
        return _other(table, round_, command)
    pocket = _marked(table, command)
    if isinstance(pocket, Refusal):
        return pocket
    events = declared(house, table, pocket, ResultSource.DEALER)
    # 9(d): terminals do not wait for the dolly, and a table without chips on its layout has no use for it.
    chips = command.dolly is not None and any(isinstance(event, ChipsSettled) for event in events)
    return (*events, DollyPlaced(table.id, round_.number, pocket)) if chips else events


def _marked(table: Table, command: ConfirmResult) -> Pocket | Refusal:
    """Read the confirmed number; the dolly, if it is on the layout, marks the same."""
    if command.dolly not in (None, command.pocket):
        message = f"The dolly marks {command.dolly}, and the number is {command.pocket}."
        clause = live_clause(table.rulebook, CitedTopic.DOLLY)
        return refuse(Code.NUMBERS_DIFFER, clause, message, dolly=command.dolly, entered=command.pocket)
    return read_pocket(table.rulebook, command.pocket)


def _other(table: Table, round_: Round, command: ConfirmResult) -> Refusal:
    """Refuse: the wheel reported another number."""
    clause = table.rulebook.cited_clauses[CitedTopic.RESULT]
    message = f"The wheel reported {round_.reported}: two people attest another number."
    return refuse(Code.NUMBERS_DIFFER, clause, message, reported=round_.reported, entered=command.pocket)


def _invalid(table: Table, round_: Round) -> Refusal | None:
    """A confirmation cannot validate a spin that a sensor saw go wrong: the dealer must call no spin."""
    rule = ObservedSpin.of(round_).judged(table)
    if rule is None:
        return None
    message = f"The wheel saw this of the spin: {rule.reason.value.replace('_', ' ')}. It can only be called off."
    return refuse(Code.OUT_OF_TURN, rule.clause, message, reason=rule.reason.value)


def enter_result(house: House, command: EnterResult, _context: Context) -> Decision:
    table, round_ = running(house, command)
    clause = table.rulebook.cited_clauses[CitedTopic.RESULT]
    if not dealt(table) or round_.reported is not None or round_.interrupted:
        message = "A number is entered by hand only where a dealer spins and none was displayed."
        return refuse(Code.OUT_OF_TURN, clause, message)
    invalid = _invalid(table, round_)
    if invalid is not None:
        return invalid
    if command.again != command.pocket:
        message = f"The number was entered as {command.pocket} and then as {command.again}."
        return refuse(Code.NUMBERS_DIFFER, clause, message, first=command.pocket, again=command.again)
    pocket = read_pocket(table.rulebook, command.pocket)
    return pocket if isinstance(pocket, Refusal) else declared(house, table, pocket, ResultSource.ENTERED)


def attest_result(house: House, command: AttestResult, _context: Context) -> Decision:
    table, round_ = running(house, command)
    clause = table.rulebook.cited_clauses[CitedTopic.INTERRUPTED_OUTCOME]
    attestable = round_.interrupted or (round_.reported is not None and round_.status is RoundStatus.ACTIVE)
    if not attestable or table.settings.wheel is WheelKind.RANDOM:
        return refuse(Code.OUT_OF_TURN, clause, "There is no number here that two people could attest.")
    invalid = _invalid(table, round_)
    if invalid is not None:
        return invalid
    if not command.words.strip():
        return refuse(Code.REASON_NOT_LISTED, clause, "Say how it is known where the ball lay.")
    pocket = read_pocket(table.rulebook, command.pocket)
    return pocket if isinstance(pocket, Refusal) else declared(house, table, pocket, ResultSource.ATTESTED)


def ball_rested(house: House, event: BallRested, context: Context) -> None:
    table = house.tables[event.table]
    round_ = table.playing
    round_.ball = BallState.AT_REST
    round_.reported = event.pocket
    if event.secret is not None and table.draw is not None:
        table.draw.secret = event.secret
    round_.see(Sighting(Moment.REST, event.opposite, revolutions=event.revolutions))
    round_.rested_at = round_.rested_at or context.now
    table.spin_id = table.spin_id if event.spin_id is None else event.spin_id


def report_ignored(house: House, event: ReportIgnored, _context: Context) -> None:
    """Record the report; the ball is no longer loose."""
    house.tables[event.table].loose_ball = False


def refer_round(house: House, command: ReferRound, _context: Context) -> Decision:
    table, round_ = running(house, command)
    rule = find_irregularity(table.rulebook.irregularities, Reason.NOT_COVERED)
    if not command.words.strip():
        return refuse(Code.REASON_NOT_LISTED, rule.clause, "Say what the doubt is.")
    return (
        RoundSuspended(table.id, round_.number, rule.reason, rule.clause, command.words),
        incident_raised(house, IncidentKind.REFERRED, table.id, rule.clause, IncidentFacts(command.words)),
    )


def hold_round(house: House, command: HoldRound, context: Context) -> Decision:
    """Stop the timers of a round at once; the dealer then calls a no spin with its reason, or releases the hold."""
    table, round_ = running(house, command)
    clause = find_irregularity(table.rulebook.irregularities, Reason.NOT_COVERED).clause
    until = Instant(context.now + table.settings.decision_s * SECOND)
    return (RoundHeld(table.id, round_.number, clause, until),)


def round_held(house: House, event: RoundHeld, context: Context) -> None:
    round_ = house.tables[event.table].playing
    round_.status, round_.clause, round_.reason = RoundStatus.SUSPENDED, event.clause, None
    round_.held_at, round_.decide_by = context.now, event.until
    round_.referred_by = context.person


def release_hold(house: House, command: ReleaseHold, context: Context) -> Decision:
    """Continue a held round where it was; a ball that ran over open bets leaves nothing to continue."""
    table, round_ = running(house, command)
    if not round_.is_held:
        return out_of_turn(table, command)
    assert round_.clause is not None
    message = _interrupted(round_) or _no_way_on(table, round_)
    if message:
        return refuse(Code.OUT_OF_TURN, round_.clause, message)
    times = (_later(each, round_, context) for each in (round_.closes_at, round_.launches_at))
    return HoldReleased(table.id, round_.number, *times), *_drawn(house, table, round_)


def _later(at: Instant | None, round_: Round, context: Context) -> Instant | None:
    """Move a timer by the time for which its round was held."""
    assert round_.held_at is not None
    return None if at is None else Instant(at + context.now - round_.held_at)


def hold_released(house: House, event: HoldReleased, _context: Context) -> None:
    round_ = house.tables[event.table].playing
    round_.status, round_.clause = RoundStatus.ACTIVE, None
    round_.decide_by = round_.held_at = round_.referred_by = None
    round_.closes_at, round_.launches_at = event.closes_at, event.launches_at


def decide_referral(house: House, command: DecideReferral, context: Context) -> Decision:
    table, round_ = running(house, command)
    rule = find_irregularity(table.rulebook.irregularities, Reason.NOT_COVERED)
    # A timer that expired during the referral stays expired: staff close betting from here.
    closes_at = round_.closes_at if round_.closes_at is not None and round_.closes_at > context.now else None
    decided = ReferralDecided(
        table.id, round_.number, command.verdict, rule.clause, command.words, command.pocket, closes_at
    )
    if command.verdict is not ReferralDecision.VOID and context.person == round_.referred_by:
        message = "The person who referred the round does not decide alone that it counts."
        return refuse(Code.SAME_PERSON, rule.clause, message)
    refusal = cannot(table, round_, command, rule.clause)
    if refusal is not None:
        return refusal
    if not command.words.strip():
        return refuse(Code.REASON_NOT_LISTED, rule.clause, "Say why it is decided so.")
    if command.verdict is ReferralDecision.VOID:
        return decided, RoundVoided(table.id, round_.number, rule.reason, rule.clause, command.words)
    if command.verdict is ReferralDecision.GO_ON:
        return decided, *_drawn(house, table, round_)
    pocket = read_pocket(table.rulebook, command.pocket or round_.reported or "")
    return pocket if isinstance(pocket, Refusal) else (decided, *declared(house, table, pocket, ResultSource.DECIDED))


def _drawn(house: House, table: Table, round_: Round) -> Events:
    """Declare the number that a random wheel drew during the referral: it draws once per round, unconfirmed."""
    if table.settings.wheel is not WheelKind.RANDOM or round_.reported is None:
        return ()
    return declared(house, table, round_.reported, ResultSource.RANDOM)


def cannot(table: Table, round_: Round, command: DecideReferral, clause: ClauseId) -> Refusal | None:
    """Refuse a decision to continue or settle that is not possible; voiding is always possible."""
    if command.verdict is ReferralDecision.VOID:
        return None
    going_on = command.verdict is ReferralDecision.GO_ON
    message = _interrupted(round_) or (
        _no_way_on(table, round_) if going_on else _no_settlement(table, round_, command)
    )
    return refuse(Code.OUT_OF_TURN, clause, message) if message else None


def _interrupted(round_: Round) -> str:
    return "After an interruption two people attest the number, or it is void." if round_.interrupted else ""


def _no_way_on(table: Table, round_: Round) -> str:
    early = round_.sealed is None and round_.ball is not BallState.IDLE
    before = table.rulebook.procedure.closes.choice is CloseRule.BEFORE_SPIN
    if early and (before or round_.ball is BallState.AT_REST):
        return "The ball has run while bets were open: betting cannot go on."
    if (
        table.settings.wheel is WheelKind.RANDOM
        and round_.reported is not None
        and ObservedSpin.of(round_).judged(table)
    ):
        return "There is no valid spin over sealed bets to settle on."
    return ""


def _no_settlement(table: Table, round_: Round, command: DecideReferral) -> str:
    if (
        round_.sealed is None
        or round_.no_spin
        or round_.ball is BallState.IDLE
        or ObservedSpin.of(round_).judged(table)
    ):
        return "There is no valid spin over sealed bets to settle on."
    if table.settings.wheel is WheelKind.RANDOM and command.pocket is not None:
        # Refuse the right number too: otherwise a request could reveal it before it counts.
        return "The number of a random wheel cannot be entered by a person."
    if round_.reported is not None and command.pocket not in (None, round_.reported):
        return "One person cannot say another number than the wheel: two attest it, or it is void."
    return ""


def referral_decided(house: House, event: ReferralDecided, _context: Context) -> None:
    round_ = house.tables[event.table].playing
    round_.status = RoundStatus.ACTIVE
    round_.decide_by = None
    round_.closes_at = event.closes_at


DECIDERS: Deciders = {
    BallAtRest: ball_at_rest,
    ConfirmResult: confirm_result,
    EnterResult: enter_result,
    AttestResult: attest_result,
    ReferRound: refer_round,
    DecideReferral: decide_referral,
    HoldRound: hold_round,
    ReleaseHold: release_hold,
}


EVOLVERS: Evolvers = {
    BallRested: ball_rested,
    ReportIgnored: report_ignored,
    ReferralDecided: referral_decided,
    RoundHeld: round_held,
    HoldReleased: hold_released,
}
