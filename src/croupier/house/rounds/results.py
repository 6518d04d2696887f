"""Reported, confirmed and entered results."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Final, NamedTuple, Self

from msgspec.structs import replace

from croupier.house.declare import (
    Events,
    EventTopic,
    MachineRole,
    RoundEvent,
    SpinCommand,
    TableCommand,
    TableEvent,
    command,
    decides,
    event,
    evolves,
)
from croupier.house.floor.incidents import (
    IncidentFacts,
    IncidentKind,
    IncidentRaised,
    TroubleCause,
    incident_raised,
    once,
)
from croupier.house.floor.permissions import out_of_turn
from croupier.house.floor.settings import live_clause
from croupier.house.ids import SECOND, Context, Instant
from croupier.house.live.chip_settlement import ChipsSettled
from croupier.house.live.payment_walk import DollyPlaced
from croupier.house.rounds import draws
from croupier.house.rounds.closing import BetsClosing, CloseReason, running
from croupier.house.rounds.irregularities import (
    RoundSuspended,
    RoundVoided,
    Trigger,
    doubted,
    irregularity_events,
    sensor_irregularity,
)
from croupier.house.rounds.multipliers import awaits_multiples
from croupier.house.rounds.settlement import declared
from croupier.house.settings import WheelKind
from croupier.house.state.tables import (
    ROUND_PHASES,
    SEALED_PHASES,
    BallState,
    Moment,
    Phase,
    ResultSource,
    Round,
    RoundStatus,
    Ruling,
    Sighting,
    Suspension,
    Table,
)
from croupier.rules.geometry import Pocket
from croupier.rules.notation import read_pocket
from croupier.rules.procedure import CloseRule, Duty, Irregularity, Reason, Spin, assess_spin, find_irregularity
from croupier.rules.refusal import CitedTopic, ClauseId, Code, Refusal, Refused, raise_if, refuse

if TYPE_CHECKING:
    from croupier.house import House


class ReferralDecision(StrEnum):
    """How a referred round continues."""

    VOID = "void"
    SETTLE = "settle"
    GO_ON = "go_on"


class IgnoredReason(StrEnum):
    """Why a wheel's report does not count."""

    SPIN_COUNTED = "spin_counted"
    NO_ROUND = "no_round"
    NO_SPIN = "no_spin"
    SPIN_CALLED_OFF = "spin_called_off"
    NO_BALL = "no_ball"
    ANOTHER_SPIN = "another_spin"
    ALREADY_REPORTED = "already_reported"
    ANOTHER_REPORTED = "another_reported"


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
        seen = (*round_.spin.sightings, *rest)
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


@command(MachineRole.WHEEL)
class BallAtRest(TableCommand, frozen=True):
    """The wheel reports the pocket in which the ball came to rest, and what its sensors saw of the spin."""

    pocket: Pocket
    revolutions: int | None = None
    opposite: bool | None = None
    #: The wheel's own count of spins, where it has one. It may begin again, so it does not identify the spin alone.
    spin_id: int | None = None
    #: The secret of a draw that can be proven.
    secret: str | None = None
    #: The launch of this spin, as `BallLaunched` has named it.
    launch: int | None = None
    #: The time from launch to rest in milliseconds, and the least that the venue accepts of this wheel.
    took_ms: int | None = None
    least_ms: int = 15_000


@event("The wheel reported {pocket}{seen}.", EventTopic.ROUND)
class BallRested(RoundEvent, frozen=True):
    """The wheel reported a number that awaits confirmation or does not count; with its sensor data."""

    pocket: Pocket
    revolutions: int | None
    opposite: bool | None
    spin_id: int | None = None
    #: The secret of a draw that can be proven; it stays as secret as the number.
    secret: str | None = None


@event("A report of {pocket} was ignored: {why}.", EventTopic.ROUND, EventTopic.INCIDENT, EventTopic.SIGNIFICANT)
class ReportIgnored(TableEvent, frozen=True):
    """A report of the wheel arrived when it could not count, and was ignored."""

    pocket: Pocket
    why: IgnoredReason


@decides(BallAtRest)
def ball_at_rest(house: House, command: BallAtRest, context: Context) -> Events:
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
        sealed = dealt(table) and round_.sealed is not None
        unseen = command.launch is not None or sealed or awaits_multiples(table)
        return IgnoredReason.NO_BALL if unseen else None
    return IgnoredReason.ANOTHER_SPIN if _is_of_another_spin(round_, command) else None


def _is_repeated(table: Table, command: BallAtRest) -> bool:
    """Check whether a number carries the wheel's count of the last one, and names no launch."""
    return command.launch is None and command.spin_id is not None and command.spin_id == table.spin_id


def _is_of_another_spin(round_: Round, command: BallAtRest) -> bool:
    return command.launch is not None and round_.spin.launch is not None and command.launch != round_.spin.launch


def dealt(table: Table) -> bool:
    """Check whether a dealer spins the ball: there is no random source and no launcher."""
    return table.settings.wheel is not WheelKind.RANDOM and table.rulebook.procedure.revolutions is not None


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


def _before_seal(house: House, table: Table, round_: Round, command: BallAtRest, context: Context) -> Events:
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


def _is_secret(table: Table, round_: Round) -> bool:
    """Check whether a number must stay secret: a random wheel drew it, and it does not count yet."""
    return table.settings.wheel is WheelKind.RANDOM and round_.pocket is None


def _reported(table: Table, round_: Round, command: BallAtRest) -> BallRested:
    seen = (command.revolutions, command.opposite, command.spin_id, command.secret)
    return BallRested(table.id, round_.number, command.pocket, *seen)


def _again(house: House, table: Table, round_: Round, command: BallAtRest, context: Context) -> Events:
    """Accept one result for each spin: ignore a repeat, and raise an incident for a different number.

    While the number awaits the dealer's confirmation, new sightings in a second report are recorded.
    """
    if command.pocket == (round_.pocket or round_.spin.reported):
        if round_.pocket is None and ObservedSpin.of(round_) != ObservedSpin.of(round_, command):
            return _undeclared(house, table, round_, command, context)
        return (ReportIgnored(table.id, command.pocket, IgnoredReason.ALREADY_REPORTED),)
    secret = _is_secret(table, round_)
    facts = IncidentFacts(pocket=command.pocket, expected=round_.pocket or round_.spin.reported)
    clause = table.rulebook.procedure.authority.clause
    facts = IncidentFacts() if secret else facts
    alarm = incident_raised(house, IncidentKind.NUMBER_DIFFERS, table.id, clause, facts)
    raised = once(house, table, alarm)
    # The journal records the number that the incident omits, or that was reported after it.
    ignored = ReportIgnored(table.id, command.pocket, IgnoredReason.ANOTHER_REPORTED)
    return (ignored, *raised) if secret or not raised else raised


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


def _doubt(house: House, table: Table, round_: Round, seen: ObservedSpin, *, after: int) -> Events:
    """Notify staff of contradictory sightings; a number that a random wheel drew goes to a referral."""
    incidents: Events = ()
    if seen.contradictions:
        clause = find_irregularity(table.rulebook.irregularities, seen.contradictions[0]).clause
        facts, kind = IncidentFacts(reasons=seen.contradictions), IncidentKind.SIGHTINGS_DIFFER
        incidents = (incident_raised(house, kind, table.id, clause, facts, after=after),)
    if table.settings.wheel is not WheelKind.RANDOM:
        return incidents
    # A drawn number is secret until it counts, so no dealer can confirm it.
    rule = find_irregularity(table.rulebook.irregularities, Reason.NOT_COVERED)
    return RoundSuspended(table.id, round_.number, rule.reason, rule.clause, trigger=Trigger.WHEEL), *incidents


def _rested(house: House, table: Table, round_: Round, command: BallAtRest, context: Context) -> Events:
    if table.settings.wheel is WheelKind.RANDOM and table.settings.provable:
        proven = draws.proof(table, command)
        if proven is None:
            return sensor_irregularity(house, table, Reason.MALFUNCTION, context)
        counted = _counted(house, table, round_, command, context)
        # A number that does not count yet stays secret: the report carries the secret until then.
        return counted if isinstance(counted[0], BallRested) else (proven, *counted)
    return _counted(house, table, round_, command, context)


def _counted(house: House, table: Table, round_: Round, command: BallAtRest, context: Context) -> Events:
    doubt = _doubted(house, table, command, context)
    if doubt:
        # Where a malfunction voids the round, its number is recorded as one that does not count.
        void = any(isinstance(each, RoundVoided) for each in doubt)
        after = sum(isinstance(each, IncidentRaised) for each in doubt)
        return doubt if void else (*doubt, *_undeclared(house, table, round_, command, context, after=after))
    seen = ObservedSpin.of(round_, command)
    waits = round_.status is RoundStatus.SUSPENDED or round_.spin.interrupted or _awaits_word(table, seen)
    if waits or seen.doubtful or seen.judged(table):
        return _undeclared(house, table, round_, command, context)
    source = ResultSource.RANDOM if table.settings.wheel is WheelKind.RANDOM else ResultSource.SENSOR
    return declared(house, table, command.pocket, source, report=command)


_MILLISECONDS: Final = 1_000


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


def _awaits_word(table: Table, seen: ObservedSpin) -> bool:
    """Check whether a dealer must confirm: the table requires it, or an unseen part of the spin must be attested."""
    if table.settings.wheel is WheelKind.RANDOM:
        return False
    return table.settings.confirms or (dealt(table) and not seen.whole)


@evolves(BallRested)
def ball_rested(house: House, event: BallRested, context: Context) -> None:
    table = house.tables[event.table]
    round_ = table.playing
    round_.ball = BallState.AT_REST
    round_.spin.reported = event.pocket
    if event.secret is not None and table.draw is not None:
        table.draw.secret = event.secret
    round_.spin.see(Sighting(Moment.REST, event.opposite, revolutions=event.revolutions))
    round_.spin.rested_at = round_.spin.rested_at or context.now
    table.spin_id = table.spin_id if event.spin_id is None else event.spin_id


@evolves(ReportIgnored)
def report_ignored(house: House, event: ReportIgnored, _context: Context) -> None:
    """Record the report; the ball is no longer loose."""
    house.tables[event.table].loose_ball = False


@command(Duty.DEAL, when={Phase.RUNNING, Phase.AT_REST})
class ConfirmResult(SpinCommand, frozen=True):
    """The dealer confirms the number and that the spin was valid."""

    pocket: Pocket
    #: The number that the dolly marks, at a table with chips.
    dolly: Pocket | None = None


@decides(ConfirmResult)
def confirm_result(house: House, command: ConfirmResult, _context: Context) -> Events:
    table, round_ = running(house, command)
    clause = table.rulebook.cited_clauses[CitedTopic.RESULT]
    _require_valid_spin(table, round_)
    if round_.spin.interrupted:
        raise Refused(Code.OUT_OF_TURN, clause, "After an interruption two people attest where the ball lay.")
    if round_.spin.reported is None and table.settings.wheel is not WheelKind.KEYPAD:
        raise Refused(Code.OUT_OF_TURN, clause, "No number has been reported: enter it.")
    if round_.spin.reported not in (None, command.pocket):
        message = f"The wheel reported {round_.spin.reported}: two people attest another number."
        raise Refused(Code.NUMBERS_DIFFER, clause, message, reported=round_.spin.reported, entered=command.pocket)
    if command.dolly not in (None, command.pocket):
        message = f"The dolly marks {command.dolly}, and the number is {command.pocket}."
        clause = live_clause(table.rulebook, CitedTopic.DOLLY)
        raise Refused(Code.NUMBERS_DIFFER, clause, message, dolly=command.dolly, entered=command.pocket)
    pocket = read_pocket(table.rulebook, command.pocket)
    events = declared(house, table, pocket, ResultSource.DEALER)
    # 9(d): terminals do not wait for the dolly, and a table without chips on its layout has no use for it.
    chips = command.dolly is not None and any(isinstance(event, ChipsSettled) for event in events)
    return (*events, DollyPlaced(table.id, round_.number, pocket)) if chips else events


def _require_valid_spin(table: Table, round_: Round) -> None:
    """A confirmation cannot validate a spin that a sensor saw go wrong: the dealer must call no spin."""
    rule = ObservedSpin.of(round_).judged(table)
    if rule is not None:
        message = f"The wheel saw this of the spin: {rule.reason.value.replace('_', ' ')}. It can only be called off."
        raise Refused(Code.OUT_OF_TURN, rule.clause, message, reason=rule.reason.value)


@command(Duty.DEAL, when={Phase.RUNNING, Phase.AT_REST})
class EnterResult(SpinCommand, frozen=True):
    """Enter a number by hand, twice, that was not displayed."""

    pocket: Pocket
    again: Pocket


@decides(EnterResult)
def enter_result(house: House, command: EnterResult, _context: Context) -> Events:
    table, round_ = running(house, command)
    clause = table.rulebook.cited_clauses[CitedTopic.RESULT]
    if not dealt(table) or round_.spin.reported is not None or round_.spin.interrupted:
        message = "A number is entered by hand only where a dealer spins and none was displayed."
        raise Refused(Code.OUT_OF_TURN, clause, message)
    _require_valid_spin(table, round_)
    if command.again != command.pocket:
        message = f"The number was entered as {command.pocket} and then as {command.again}."
        raise Refused(Code.NUMBERS_DIFFER, clause, message, first=command.pocket, again=command.again)
    pocket = read_pocket(table.rulebook, command.pocket)
    return declared(house, table, pocket, ResultSource.ENTERED)


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
    raise_if(cannot(table, round_, command, rule.clause))
    if not command.words.strip():
        raise Refused(Code.REASON_NOT_LISTED, rule.clause, "Say why it is decided so.")
    if command.verdict is ReferralDecision.VOID:
        return decided, RoundVoided(table.id, round_.number, rule.reason, rule.clause, command.words)
    if command.verdict is ReferralDecision.GO_ON:
        return decided, *_drawn(house, table, round_)
    pocket = read_pocket(table.rulebook, command.pocket or round_.spin.reported or "")
    return decided, *declared(house, table, pocket, ResultSource.DECIDED)


def cannot(table: Table, round_: Round, command: DecideReferral, clause: ClauseId) -> Refusal | None:
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


@command(Duty.INSPECT, Duty.CORRECT, when={*SEALED_PHASES, Phase.SUSPENDED}, signatures=2)
class AttestResult(SpinCommand, frozen=True):
    """Two people attest where the ball lay, before an interruption or against the wheel's report."""

    pocket: Pocket
    words: str

    def as_proposed(self, house: House) -> AttestResult:
        """What is attested for one spin must not be signed for another."""
        playing = house.tables[self.table].playing
        return replace(self, round=playing.number, spin=playing.spin.number)


@decides(AttestResult)
def attest_result(house: House, command: AttestResult, _context: Context) -> Events:
    table, round_ = running(house, command)
    clause = table.rulebook.cited_clauses[CitedTopic.INTERRUPTED_OUTCOME]
    attestable = round_.spin.interrupted or (round_.spin.reported is not None and round_.status is RoundStatus.ACTIVE)
    if not attestable or table.settings.wheel is WheelKind.RANDOM:
        raise Refused(Code.OUT_OF_TURN, clause, "There is no number here that two people could attest.")
    _require_valid_spin(table, round_)
    if not command.words.strip():
        raise Refused(Code.REASON_NOT_LISTED, clause, "Say how it is known where the ball lay.")
    pocket = read_pocket(table.rulebook, command.pocket)
    return declared(house, table, pocket, ResultSource.ATTESTED)
