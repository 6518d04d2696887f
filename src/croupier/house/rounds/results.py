"""The number of a spin: reported by the wheel, confirmed, entered or attested by people, and shown on boards."""

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
from croupier.house.floor.settings import live_clause
from croupier.house.ids import Context, RoundNumber
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
from croupier.house.settings import SPIN_MIN_S, WheelKind
from croupier.house.state.tables import (
    SEALED_PHASES,
    BallState,
    Moment,
    Phase,
    ResultSource,
    Round,
    RoundStatus,
    Sighting,
    Table,
)
from croupier.rules.geometry import Pocket
from croupier.rules.notation import read_pocket
from croupier.rules.procedure import Duty, Irregularity, Reason, Spin, assess_spin, find_irregularity
from croupier.rules.refusal import CitedTopic, Code, Refused

if TYPE_CHECKING:
    from croupier.house import House


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
    least_ms: int = SPIN_MIN_S * 1_000


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
        return _second_report(house, table, round_, command, context)
    why = _ignored(table, command)
    if round_ is None or why is not None:
        return _set_aside(house, table, command, why or IgnoredReason.NO_ROUND, context)
    if command.pocket not in table.rulebook.wheel.order:
        clause, facts = table.rulebook.cited_clauses[CitedTopic.FAULT_NUMBERS], IncidentFacts(pocket=command.pocket)
        return (incident_raised(house, IncidentKind.IMPOSSIBLE_POCKET, table.id, clause, facts),)
    if round_.sealed is None:
        return _before_seal(house, table, round_, command, context)
    if round_.ball is BallState.AT_REST:
        return _second_report(house, table, round_, command, context)
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
    """Check whether a dealer spins the ball: there is no random source and no launcher.

    Where the dealer enters every number, nothing else can launch the ball. A wheel with sensors launches it itself
    where the rules count no revolutions.
    """
    wheel = table.settings.wheel
    return wheel is WheelKind.KEYPAD or (wheel is WheelKind.SENSOR and table.rulebook.procedure.revolutions is not None)


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


def _second_report(house: House, table: Table, round_: Round, command: BallAtRest, context: Context) -> Events:
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


@command(MachineRole.SYSTEM)
class ReportBoard(TableCommand, frozen=True):
    """A secondary display reports the number it shows, and of which round; by default of the last one."""

    number: str
    round: RoundNumber | None = None


@decides(ReportBoard)
def report_board(house: House, command: ReportBoard, _context: Context) -> Events:
    """Verify a secondary display against the declared result, which it can never change (4 at Clearwater)."""
    table = house.tables[command.table]
    declared = next((pocket for number, pocket in table.history if command.round in (None, number)), None)
    # A round that has left the history is not compared any more.
    if declared in (None, Pocket(command.number)):
        return ()
    facts = IncidentFacts(pocket=Pocket(command.number), expected=declared)
    known = (table.id, IncidentKind.DISPLAY_DIFFERS, facts, None)
    if any((each.subject, each.kind, each.facts, each.cleared_by) == known for each in house.incidents.all.values()):
        # Several displays of a table, or one that repeats itself, are one incident.
        return ()
    clause = table.rulebook.procedure.authority.clause
    return (incident_raised(house, IncidentKind.DISPLAY_DIFFERS, table.id, clause, facts),)
