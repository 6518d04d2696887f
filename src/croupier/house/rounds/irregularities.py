"""Irregularities of a spin: what the wheel reports, no spin, void rounds and spins, and the reset after them."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, ClassVar, assert_never

from msgspec.structs import replace

from croupier.house.declare import (
    Events,
    EventTopic,
    MachineRole,
    Part,
    RoundEvent,
    SpinCommand,
    TableCommand,
    command,
    decides,
    event,
    evolves,
)
from croupier.house.floor.incidents import IncidentFacts, IncidentKind, TroubleCause, incident_raised, was_raised
from croupier.house.floor.permissions import acts_as, out_of_turn
from croupier.house.ids import Context, Instant
from croupier.house.live.chip_settlement import may_restore, restore_sealed
from croupier.house.play.chip_bets import unseal_chips
from croupier.house.play.stakes import begin_anew, move_to_credit
from croupier.house.rounds.closing import running, timetable
from croupier.house.rounds.settlement import end, release_if_closed
from croupier.house.rounds.theory import count
from croupier.house.settings import WheelKind
from croupier.house.state.tables import (
    ROUND_PHASES,
    BallState,
    BettingState,
    Moment,
    Phase,
    Round,
    RoundStatus,
    Ruling,
    RunningSpin,
    SeatMessage,
    SeatMessageKind,
    Sighting,
    Suspension,
    Table,
)
from croupier.rules.geometry import Pocket
from croupier.rules.procedure import Duty, Effect, Irregularity, Reason, find_irregularity
from croupier.rules.refusal import CitedTopic, ClauseId, Code, Refused

if TYPE_CHECKING:
    from croupier.house import House


class Trigger(StrEnum):
    """What triggered the end or suspension of a spin; the reason, which the rules name, is separate."""

    STAFF = "staff"
    WHEEL = "wheel"
    #: A timer expired: for betting, for the ball, or for a decision.
    TIMEOUT = "timeout"
    #: The system stopped.
    INTERRUPTION = "interruption"


@command(MachineRole.WHEEL)
class WheelTrouble(TableCommand, frozen=True):
    """The wheel reports an irregularity, or its driver that the wheel gives no reports any more."""

    reason: Reason
    #: The wheel gives no reports: a running round is suspended until staff decide.
    silent: bool = False
    #: The cause, with the numbers of a contradiction: the one that the wheel shows, and the one before it.
    cause: TroubleCause | None = None
    pocket: Pocket | None = None
    expected: Pocket | None = None
    #: The launch of the spin that it belongs to, as `BallLaunched` has named it; None if it belongs to no spin.
    launch: int | None = None


@event("The wheel reported an irregularity of the spin: {reason}.", EventTopic.ROUND)
class IrregularitySeen(RoundEvent, frozen=True):
    """The wheel reported an irregularity of the running spin, on which staff decide."""

    reason: Reason
    clause: ClauseId


@event(
    "Round {round} is suspended: {reason} ({trigger}). {words}",
    EventTopic.ROUND,
    EventTopic.INCIDENT,
    EventTopic.SIGNIFICANT,
)
class RoundSuspended(RoundEvent, frozen=True):
    """The round is suspended until staff decide it, or until a time at which it becomes void."""

    reason: Reason
    clause: ClauseId
    #: The explanation that staff entered.
    words: str = ""
    until: Instant | None = None
    trigger: Trigger = Trigger.STAFF


@decides(WheelTrouble)
def wheel_trouble(house: House, command: WheelTrouble, context: Context) -> Events:
    """A spin can fail only until the ball rests; a machine can fail at any time.

    An irregularity that does not end the spin is recorded with it: its number then awaits the dealer's confirmation.
    A wheel that is silent suspends the round until its ball is at rest, unless the rules void it. What belongs to an
    earlier spin is an incident of that spin's round, and does nothing to the running one.
    """
    table = house.tables[command.table]
    round_ = table.round
    kind = IncidentKind.WHEEL_SILENT if command.silent else IncidentKind.WHEEL_TROUBLE
    rule = find_irregularity(table.rulebook.irregularities, command.reason)
    past = None if command.launch is None else round_of(table, command.launch)
    facts = IncidentFacts(
        reasons=(command.reason,),
        cause=command.cause,
        pocket=command.pocket,
        expected=command.expected,
        round=None if past is None or (past is round_ and not past.over) else past.number,
    )
    incident = incident_raised(house, kind, table.id, rule.clause, facts)
    if (
        round_ is None
        or round_.over
        or round_.phase is Phase.NO_SPIN
        or command.launch not in (None, round_.spin.launch)
    ):
        return (incident,)
    machine = rule.reason in (Reason.MALFUNCTION, Reason.NOT_COVERED)
    acts = round_.ball is BallState.SPINNING or machine
    if acts and rule.sensed and round_.phase is not Phase.SUSPENDED:
        return irregularity_events(table, rule, context, Trigger.WHEEL), incident
    if command.silent and round_.phase is not Phase.SUSPENDED and round_.ball is not BallState.AT_REST:
        suspended = RoundSuspended(table.id, round_.number, command.reason, rule.clause, trigger=Trigger.WHEEL)
        return suspended, incident
    # A fault of a ball whose spin was called off does not affect the next spin.
    if round_.ball is BallState.AT_REST or (table.loose_ball and not machine):
        return (incident,)
    return IrregularitySeen(table.id, round_.number, command.reason, rule.clause), incident


def irregularity_events(  # noqa: PLR0913 - all that the end of a spin says
    table: Table,
    irregularity: Irregularity,
    context: Context,
    trigger: Trigger,
    words: str = "",
    *,
    ball_removed: bool = False,
) -> RoundVoided | SpinVoided | RoundSuspended:
    """Compute the effect of an irregularity on the running round."""
    round_ = table.playing
    clause = irregularity.clause
    match irregularity.effect:
        case Effect.RESET_AND_RESPIN | Effect.KEEP_AND_RESPIN:
            keeps = irregularity.effect is Effect.KEEP_AND_RESPIN
            times = timetable(table.rulebook, table.settings, context.now) if keeps else (None, None)
            voided = SpinVoided(
                table.id, round_.number, round_.spin.number, irregularity.reason, clause, irregularity.effect, words
            )
            return replace(voided, ball_removed=ball_removed, closes_at=times[0], launches_at=times[1], trigger=trigger)
        case Effect.REFER:
            return RoundSuspended(table.id, round_.number, irregularity.reason, clause, words, trigger=trigger)
        case Effect.VOID_ROUND | Effect.CONCLUDE_OR_VOID | Effect.INVALIDATE:
            return RoundVoided(table.id, round_.number, irregularity.reason, clause, words, trigger)
        case _:
            assert_never(irregularity.effect)


def round_of(table: Table, launch: int) -> Round | None:
    """Find the round whose spin began with a launch, among those that are stored."""
    rounds = (*reversed(table.past), *((table.round,) if table.round is not None else ()))
    return next((each for each in reversed(rounds) if each.spin.launch == launch), None)


@evolves(IrregularitySeen)
def irregularity_seen(house: House, event: IrregularitySeen, _context: Context) -> None:
    house.tables[event.table].playing.spin.see(Sighting(Moment.TROUBLE, reason=event.reason))


@evolves(RoundSuspended)
def round_suspended(house: House, event: RoundSuspended, context: Context) -> None:
    round_ = house.tables[event.table].playing
    referral = Suspension(event.until, referred_by=context.person or None)
    round_.suspend(referral, Ruling(event.clause, event.reason))


# While chips are being paid, a cause that came before the ball was at rest still counts until the first payment.
@command(Duty.DEAL, when={*ROUND_PHASES, Phase.PAYING} - {Phase.NO_SPIN})
class CallNoSpin(SpinCommand, frozen=True):
    """Call a no spin, with its reason."""

    step: ClassVar[str] = "call no spin"
    reason: Reason
    words: str = ""
    #: Whether the cause arose before the ball came to rest.
    before_rest: bool = True
    ball_removed: bool = False

    def cited_topic(self, _table: Table) -> CitedTopic:
        return CitedTopic.NO_SPIN


@event(
    "Round {round} is void: {reason} ({trigger}). {words}",
    EventTopic.ROUND,
    EventTopic.INCIDENT,
    EventTopic.SIGNIFICANT,
    touches=(Part.TABLE, Part.TERMINALS),
)
class RoundVoided(RoundEvent, frozen=True):
    """The round is void, and every stake was returned."""

    reason: Reason
    clause: ClauseId
    #: The explanation that staff entered.
    words: str = ""
    trigger: Trigger = Trigger.STAFF


@event(
    "The spin does not count: {reason} ({trigger}). {words}",
    EventTopic.ROUND,
    EventTopic.INCIDENT,
    EventTopic.SIGNIFICANT,
    touches=(Part.TABLE, Part.TERMINALS),
)
class SpinVoided(RoundEvent, frozen=True):
    """The spin does not count; the round continues with another spin."""

    spin: int
    reason: Reason
    clause: ClauseId
    effect: Effect
    #: The explanation that staff entered.
    words: str = ""
    ball_removed: bool = False
    #: When betting closes again and the ball is due to be launched, if stakes stay up for the next spin.
    closes_at: Instant | None = None
    launches_at: Instant | None = None
    trigger: Trigger = Trigger.STAFF


#: Irregularities that undo a spin until it is settled, even if they occurred after the ball came to rest.
_AT_ANY_TIME = (Reason.INTERFERENCE, Reason.SUSPICION, Reason.MALFUNCTION, Reason.NOT_COVERED)


@decides(CallNoSpin)
def call_no_spin(house: House, command: CallNoSpin, context: Context) -> Events:
    table, round_ = running(house, command)
    rulebook = table.rulebook
    if round_.status is RoundStatus.SUSPENDED and round_.decide_by is None:
        raise out_of_turn(table, command)
    irregularity = next((each for each in rulebook.irregularities if each.reason is command.reason), None)
    if irregularity is None or irregularity.effect is Effect.INVALIDATE or not irregularity.by:
        callable_ = (each for each in rulebook.irregularities if each.by and each.effect is not Effect.INVALIDATE)
        listed = ", ".join(each.reason.value.replace("_", " ") for each in callable_)
        clause = find_irregularity(rulebook.irregularities, Reason.NOT_COVERED).clause
        message = f"No spin is not called for {command.reason.value.replace('_', ' ')} here; the reasons are {listed}."
        raise Refused(Code.REASON_NOT_LISTED, clause, message, reason=command.reason.value)
    if not acts_as(house, table.rulebook, irregularity.by, context):
        message = f"That is for {' or '.join(irregularity.by)}, or a higher position, to announce."
        raise Refused(Code.NOT_AUTHORISED, irregularity.clause, message, titles=irregularity.by)
    if round_.ball is BallState.AT_REST and not command.before_rest and command.reason not in _AT_ANY_TIME:
        message = "What came about after the ball was at rest does not undo the spin: refer it."
        raise Refused(Code.CAUSE_AFTER_REST, irregularity.clause, message)
    called_off = _called_off(table, irregularity, command, context)
    if round_.is_seen and not command.words.strip():
        # Whoever calls it knows who would win: the journal has what was seen.
        what = "multiples are drawn" if round_.spin.reported is round_.pocket is None else "number is known"
        message = f"The {what}: say in words what was irregular about the spin."
        raise Refused(Code.REASON_NOT_LISTED, irregularity.clause, message)
    return (called_off,)


def _called_off(
    table: Table, irregularity: Irregularity, command: CallNoSpin, context: Context
) -> RoundVoided | SpinVoided | RoundSuspended:
    """Call a spin off. While chips are paid that is possible until the first payment (Irregularities (3))."""
    round_, removed = table.playing, command.ball_removed
    if table.settings.wheel is WheelKind.RANDOM and round_.spin.reported is not None:
        # A random wheel draws once per round: a drawn number is never drawn again.
        return RoundVoided(table.id, round_.number, irregularity.reason, irregularity.clause, command.words)
    end_ = irregularity_events(table, irregularity, context, Trigger.STAFF, command.words, ball_removed=removed)
    if round_.over and not (may_restore(round_) and not round_.layouts and isinstance(end_, SpinVoided)):
        raise out_of_turn(table, command)
    return end_


@evolves(RoundVoided)
def round_voided(house: House, event: RoundVoided, context: Context) -> None:
    table = house.tables[event.table]
    round_ = table.playing
    refund_all(house, table, round_, event.clause)
    unseal_chips(house, table, round_)
    table.loose_ball = round_.ball is BallState.SPINNING
    round_.betting = BettingState.CLOSED
    round_.ruling = Ruling(event.clause, event.reason)
    no_result(table, round_)
    table.meters.voids += 1
    end(table, RoundStatus.VOID, context)
    release_if_closed(house, table, context)


def no_result(table: Table, round_: Round) -> None:
    """Revert a declared, unsettled number to a reported one: it leaves the history."""
    round_.spin.reported = round_.pocket or round_.spin.reported
    if round_.sealed is not None:
        round_.sealed.result = None
    table.history = [(number, shown) for number, shown in table.history if number != round_.number]


def refund_all(house: House, table: Table, round_: Round, clause: ClauseId) -> None:
    """Return every stake with a message to its player, and offer the same bets for one-touch repeat."""
    for game in map(house.positions.__getitem__, table.positions):
        terminal, stakes = house.terminals[game.terminal], game.bets
        staked = move_to_credit(house, terminal, game)
        if round_.sealed is not None:
            terminal.meters.refunded += staked
            table.meters.refunded += staked
        if stakes:
            game.previous = stakes
            terminal.show(SeatMessage(SeatMessageKind.RETURNED, clause, amount=staked, round=round_.number))
        game.won = game.net = 0
        game.stayed = {}
        begin_anew(game)


@evolves(SpinVoided)
def spin_voided(house: House, event: SpinVoided, _context: Context) -> None:
    table = house.tables[event.table]
    round_ = table.playing
    if round_.over:
        _take_back(house, table, round_)
    table.loose_ball = round_.ball is BallState.SPINNING and not event.ball_removed
    round_.ball = BallState.IDLE
    round_.ruling = Ruling(event.clause, event.reason)
    round_.become(RoundStatus.ACTIVE)
    no_result(table, round_)
    round_.spin = RunningSpin(round_.spin.number, sightings=round_.spin.sightings)
    table.meters.no_spins += 1
    if event.effect is Effect.KEEP_AND_RESPIN:
        _unseal(house, table, round_)
        _open_again(round_, event.spin + 1)
        round_.closes_at, round_.launches_at = event.closes_at, event.launches_at
    else:
        round_.no_spin = True
        round_.betting = BettingState.CLOSED
        round_.closes_at = round_.launches_at = None


def _take_back(house: House, table: Table, round_: Round) -> None:
    """Undo the settlement of a round of which nothing was paid: its spin does not count."""
    count(house, table, round_, times=-1)
    table.meters.rounds -= 1
    restore_sealed(house, table, round_)


def _unseal(house: House, table: Table, round_: Round) -> None:
    """Reopen sealed layouts: the chips stay with their owners, who may change them."""
    for position, stakes in round_.layouts.items():
        staked = sum(stakes.values())
        house.terminals[house.positions[position].terminal].meters.refunded += staked
        table.meters.refunded += staked
    for position in table.positions:
        begin_anew(house.positions[position])
    unseal_chips(house, table, round_)


def _open_again(round_: Round, spin: int) -> None:
    round_.spin = RunningSpin(spin)
    round_.betting = BettingState.OPEN
    round_.sealed = round_.warned_at = None
    round_.no_spin = False


@command(Duty.DEAL, when={Phase.NO_SPIN})
class ResetTerminals(TableCommand, frozen=True):
    """After a no spin, return the stakes and continue the same round."""


@event(
    "The terminals were reset: stakes went back, and betting is open again.",
    EventTopic.ROUND,
    EventTopic.INCIDENT,
    EventTopic.SIGNIFICANT,
    touches=(Part.TABLE, Part.TERMINALS),
)
class TerminalsReset(RoundEvent, frozen=True):
    """After a no spin the stakes were returned, and betting is open for the next spin of the same round."""

    spin: int
    clause: ClauseId
    closes_at: Instant | None
    launches_at: Instant | None


@decides(ResetTerminals)
def reset_terminals(house: House, command: ResetTerminals, context: Context) -> Events:
    table, round_ = running(house, command)
    closes_at, launches_at = timetable(table.rulebook, table.settings, context.now)
    clause = table.rulebook.cited_clauses[CitedTopic.RESPIN]
    return (TerminalsReset(table.id, round_.number, round_.spin.number + 1, clause, closes_at, launches_at),)


@evolves(TerminalsReset)
def terminals_reset(house: House, event: TerminalsReset, context: Context) -> None:
    table = house.tables[event.table]
    round_ = table.playing
    refund_all(house, table, round_, event.clause)
    unseal_chips(house, table, round_)
    _open_again(round_, event.spin)
    round_.opened_at = context.now
    round_.closes_at, round_.launches_at = event.closes_at, event.launches_at


@event("The ball should have come to rest by now.", EventTopic.ROUND)
class BallOverdue(RoundEvent, frozen=True):
    """The ball did not come to rest in time; staff who may call a no spin were notified."""


@evolves(BallOverdue)
def ball_overdue(house: House, event: BallOverdue, _context: Context) -> None:
    round_ = house.tables[event.table].playing
    round_.spin.prompted = True


def sensor_irregularity(house: House, table: Table, reason: Reason, context: Context, *, after: int = 0) -> Events:
    """Act on a sensor report, or only notify the staff who may announce it if the rules leave it to them."""
    rule = find_irregularity(table.rulebook.irregularities, reason)
    facts = IncidentFacts(reasons=(reason,))
    incident = incident_raised(house, IncidentKind.WHEEL_TROUBLE, table.id, rule.clause, facts, after=after)
    return (irregularity_events(table, rule, context, Trigger.WHEEL), incident) if rule.sensed else (incident,)


def doubted(  # noqa: PLR0913 - all that its incident says
    house: House,
    table: Table,
    cause: TroubleCause,
    context: Context,
    *,
    pocket: Pocket | None = None,
    seconds: int | None = None,
) -> Events:
    """Act on a malfunction that the house detects in the wheel's reports: the number waits for staff, or is void."""
    round_, reason = table.playing, Reason.MALFUNCTION
    rule = find_irregularity(table.rulebook.irregularities, reason)
    facts = IncidentFacts(reasons=(reason,), cause=cause, pocket=pocket, seconds=seconds)
    incident = incident_raised(house, IncidentKind.WHEEL_TROUBLE, table.id, rule.clause, facts)
    if rule.sensed and round_.status is not RoundStatus.SUSPENDED:
        return irregularity_events(table, rule, context, Trigger.WHEEL), incident
    # A wheel that plays on beside a waiting round repeats its reports: they are recorded, and staff notified, once.
    seen = any(each.reason is reason for each in round_.spin.sightings)
    doubt = () if seen else (IrregularitySeen(table.id, round_.number, reason, rule.clause),)
    return doubt if was_raised(house, table, incident) else (*doubt, incident)
