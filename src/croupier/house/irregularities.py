"""No spin, void rounds, re-spins, incidents."""

from typing import assert_never

from msgspec.structs import replace

from croupier.house.base import BallState, BettingState, Decision, Events, Phase, RoundStatus
from croupier.house.chip_bets import unseal_chips
from croupier.house.chip_settlement import may_restore, restore_sealed
from croupier.house.closing import running, timetable
from croupier.house.commands.record import (
    ClearIncident,
    IncidentFacts,
    IncidentKind,
    NoteIncident,
    RaiseAlarm,
    ReportBoard,
)
from croupier.house.commands.rounds import CallNoSpin, ResetTerminals, TroubleCause, WheelTrouble
from croupier.house.events.record import IncidentCleared, IncidentRaised
from croupier.house.events.rounds import (
    BallOverdue,
    IrregularitySeen,
    RoundSuspended,
    RoundVoided,
    SpinVoided,
    TerminalsReset,
    Trigger,
)
from croupier.house.ids import Context, Number
from croupier.house.permissions import acts_as, out_of_turn
from croupier.house.settings import WheelKind
from croupier.house.settlement import count, end
from croupier.house.stakes import begin_anew, move_to_credit
from croupier.house.state import Deciders, Evolvers, House, Incident, retire_incidents
from croupier.house.state.tables import Moment, Round, Sighting, Table
from croupier.rules.geometry import Pocket
from croupier.rules.procedure import Effect, Irregularity, Reason, find_irregularity
from croupier.rules.refusal import CitedTopic, ClauseId, Code, refuse


def incident_raised(  # noqa: PLR0913 - all that an incident says
    house: House,
    kind: IncidentKind,
    subject: str,
    clause: ClauseId | None,
    facts: IncidentFacts = IncidentFacts(),  # noqa: B008 - it is frozen
    *,
    after: int = 0,
) -> IncidentRaised:
    """Raise an incident for staff; `after` counts the earlier incidents of the same batch."""
    return IncidentRaised(Number(house.incidents_raised + 1 + after), kind, subject, clause, facts)


def note_incident(house: House, command: NoteIncident, _context: Context) -> Decision:
    return (incident_raised(house, IncidentKind.NOTED, command.subject, None, IncidentFacts(command.words)),)


def raise_alarm(house: House, command: RaiseAlarm, _context: Context) -> Decision:
    """Notify staff of a system fault, for which no venue has a rule."""
    return (incident_raised(house, command.kind, command.subject, None, command.facts),)


def clear_incident(house: House, command: ClearIncident, _context: Context) -> Decision:
    number = command.incident
    incident = house.incidents.get(number)
    if incident is None:
        return refuse(Code.UNKNOWN_RECORD, None, f"There is no incident {number}.", incident=number)
    if incident.cleared_by is not None:
        message = f"{incident.cleared_by} has seen to incident {number} already."
        return refuse(Code.ALREADY_THERE, incident.clause, message, incident=number)
    return (IncidentCleared(number),)


def report_board(house: House, command: ReportBoard, _context: Context) -> Decision:
    """Verify a secondary display against the declared result, which it can never change (4 at Clearwater)."""
    table = house.tables[command.table]
    declared = next((pocket for number, pocket in table.history if command.round in (None, number)), None)
    # A round that has left the history is not compared any more.
    if declared in (None, Pocket(command.number)):
        return ()
    facts = IncidentFacts(pocket=Pocket(command.number), expected=declared)
    known = (table.id, IncidentKind.DISPLAY_DIFFERS, facts, None)
    if any((each.subject, each.kind, each.facts, each.cleared_by) == known for each in house.incidents.values()):
        # Several displays of a table, or one that repeats itself, are one incident.
        return ()
    clause = table.rulebook.procedure.authority.clause
    return (incident_raised(house, IncidentKind.DISPLAY_DIFFERS, table.id, clause, facts),)


def keep_incident(house: House, event: IncidentRaised, context: Context) -> None:
    incident = Incident(event.incident, event.kind, event.subject, event.clause, event.facts, context.now)
    house.incidents[event.incident] = incident
    house.incidents_raised += 1
    retire_incidents(house)


def incident_cleared(house: House, event: IncidentCleared, context: Context) -> None:
    house.incidents[event.incident].cleared_by = context.person
    house.closed_incidents.append(event.incident)


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
    here, clause = (table.id, round_.number), irregularity.clause
    match irregularity.effect:
        case Effect.RESET_AND_RESPIN | Effect.KEEP_AND_RESPIN:
            keeps = irregularity.effect is Effect.KEEP_AND_RESPIN
            times = timetable(table.rulebook, table.settings, context.now) if keeps else (None, None)
            voided = SpinVoided(*here, round_.spin, irregularity.reason, clause, irregularity.effect, words)
            return replace(voided, ball_removed=ball_removed, closes_at=times[0], launches_at=times[1], trigger=trigger)
        case Effect.REFER:
            return RoundSuspended(*here, irregularity.reason, clause, words, trigger=trigger)
        case Effect.VOID_ROUND | Effect.CONCLUDE_OR_VOID | Effect.INVALIDATE:
            return RoundVoided(*here, irregularity.reason, clause, words, trigger)
        case _:
            assert_never(irregularity.effect)


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
    seen = any(each.reason is reason for each in round_.sightings)
    doubt = () if seen else (IrregularitySeen(table.id, round_.number, reason, rule.clause),)
    return doubt if _is_known(house, table, incident) else (*doubt, incident)


def once(house: House, table: Table, incident: IncidentRaised) -> Events:
    """Raise an incident unless one of its kind, about the same, was raised in this round."""
    return () if _is_known(house, table, incident) else (incident,)


def _is_known(house: House, table: Table, incident: IncidentRaised) -> bool:
    since = table.playing.opened_at
    return any(_about(each) == _about(incident) for each in house.incidents.values() if each.at >= since)


def _about(incident: Incident | IncidentRaised) -> tuple[object, ...]:
    return incident.kind, incident.subject, incident.facts.cause, incident.facts.expected


def wheel_trouble(house: House, command: WheelTrouble, context: Context) -> Decision:
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
    if round_ is None or round_.over or round_.phase is Phase.NO_SPIN or command.launch not in (None, round_.launch):
        return (incident,)
    machine = rule.reason in (Reason.MALFUNCTION, Reason.NOT_COVERED)
    acts = round_.ball is BallState.SPINNING or machine
    if acts and rule.sensed and round_.phase is not Phase.SUSPENDED:
        return irregularity_events(table, rule, context, Trigger.WHEEL), incident
    if command.silent and round_.phase is not Phase.SUSPENDED and round_.ball is not BallState.AT_REST:
        here = (table.id, round_.number)
        return RoundSuspended(*here, command.reason, rule.clause, trigger=Trigger.WHEEL), incident
    # A fault of a ball whose spin was called off does not affect the next spin.
    if round_.ball is BallState.AT_REST or (table.loose_ball and not machine):
        return (incident,)
    return IrregularitySeen(table.id, round_.number, command.reason, rule.clause), incident


def round_of(table: Table, launch: int) -> Round | None:
    """Find the round whose spin began with a launch, among those that are stored."""
    rounds = (*reversed(table.past), *((table.round,) if table.round is not None else ()))
    return next((each for each in reversed(rounds) if each.launch == launch), None)


def call_no_spin(house: House, command: CallNoSpin, context: Context) -> Decision:
    table, round_ = running(house, command)
    rulebook = table.rulebook
    if round_.status is RoundStatus.SUSPENDED and round_.decide_by is None:
        return out_of_turn(table, command)
    irregularity = next((each for each in rulebook.irregularities if each.reason is command.reason), None)
    if irregularity is None or irregularity.effect is Effect.INVALIDATE or not irregularity.by:
        callable_ = (each for each in rulebook.irregularities if each.by and each.effect is not Effect.INVALIDATE)
        listed = ", ".join(each.reason.value.replace("_", " ") for each in callable_)
        clause = find_irregularity(rulebook.irregularities, Reason.NOT_COVERED).clause
        message = f"No spin is not called for {command.reason.value.replace('_', ' ')} here; the reasons are {listed}."
        return refuse(Code.REASON_NOT_LISTED, clause, message, reason=command.reason.value)
    if not acts_as(house, table.rulebook, irregularity.by, context):
        message = f"That is for {' or '.join(irregularity.by)}, or a higher position, to announce."
        return refuse(Code.NOT_AUTHORISED, irregularity.clause, message, titles=irregularity.by)
    if round_.ball is BallState.AT_REST and not command.before_rest and command.reason not in _AT_ANY_TIME:
        message = "What came about after the ball was at rest does not undo the spin: refer it."
        return refuse(Code.CAUSE_AFTER_REST, irregularity.clause, message)
    if table.settings.wheel is WheelKind.RANDOM and round_.reported is not None:
        # A random wheel draws once per round: a drawn number is never drawn again.
        here = (table.id, round_.number)
        return (RoundVoided(*here, irregularity.reason, irregularity.clause, command.words),)
    return _called_off(table, irregularity, command, context)


def _called_off(table: Table, irregularity: Irregularity, command: CallNoSpin, context: Context) -> Decision:
    """Call a spin off. While chips are paid that is possible until the first payment (Irregularities (3))."""
    round_, removed = table.playing, command.ball_removed
    end_ = irregularity_events(table, irregularity, context, Trigger.STAFF, command.words, ball_removed=removed)
    if round_.over and not (may_restore(round_) and not round_.sealed and isinstance(end_, SpinVoided)):
        return out_of_turn(table, command)
    return (end_,)


def reset_terminals(house: House, command: ResetTerminals, context: Context) -> Decision:
    table, round_ = running(house, command)
    closes_at, launches_at = timetable(table.rulebook, table.settings, context.now)
    clause = table.rulebook.cited_clauses[CitedTopic.RESPIN]
    return (TerminalsReset(table.id, round_.number, round_.spin + 1, clause, closes_at, launches_at),)


def round_voided(house: House, event: RoundVoided, context: Context) -> None:
    table = house.tables[event.table]
    round_ = table.playing
    refund_all(house, table, round_)
    unseal_chips(house, table, round_)
    table.loose_ball = round_.ball is BallState.SPINNING
    round_.betting = BettingState.CLOSED
    round_.reason, round_.clause = event.reason, event.clause
    no_result(table, round_)
    table.meters.voids += 1
    end(table, RoundStatus.VOID, context)


def no_result(table: Table, round_: Round) -> None:
    """Revert a declared, unsettled number to a reported one: it leaves the history."""
    round_.reported, round_.pocket = round_.pocket or round_.reported, None
    round_.number_at = None
    kept = [(number, shown) for number, shown in table.history if number != round_.number]
    table.history.clear()
    table.history.extend(kept)


def refund_all(house: House, table: Table, round_: Round) -> None:
    """Return every stake, and offer the same bets for one-touch repeat."""
    for game in map(house.positions.__getitem__, table.positions):
        terminal, stakes = house.terminals[game.terminal], game.bets
        staked = move_to_credit(house, terminal, game)
        if round_.sealed is not None:
            terminal.meters.refunded += staked
            table.meters.refunded += staked
        if stakes:
            game.previous = stakes
        game.won = 0
        game.stayed = {}
        begin_anew(game)


def spin_voided(house: House, event: SpinVoided, _context: Context) -> None:
    table = house.tables[event.table]
    round_ = table.playing
    if round_.over:
        _take_back(house, table, round_)
    table.loose_ball = round_.ball is BallState.SPINNING and not event.ball_removed
    round_.ball = BallState.IDLE
    round_.reason, round_.clause = event.reason, event.clause
    round_.status, round_.decide_by = RoundStatus.ACTIVE, None
    no_result(table, round_)
    round_.reported = round_.launched_at = round_.rested_at = round_.launch = None
    round_.prompted = round_.interrupted = False
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
    round_.paid = {}


def _unseal(house: House, table: Table, round_: Round) -> None:
    """Reopen sealed layouts: the chips stay with their owners, who may change them."""
    for position, stakes in (round_.sealed or {}).items():
        staked = sum(stakes.values())
        house.terminals[house.positions[position].terminal].meters.refunded += staked
        table.meters.refunded += staked
    for position in table.positions:
        begin_anew(house.positions[position])
    unseal_chips(house, table, round_)


def _open_again(round_: Round, spin: int) -> None:
    round_.spin = spin
    round_.betting = BettingState.OPEN
    round_.sealed = round_.warned_at = None
    round_.sightings = []
    round_.no_spin = False


def terminals_reset(house: House, event: TerminalsReset, context: Context) -> None:
    table = house.tables[event.table]
    round_ = table.playing
    refund_all(house, table, round_)
    unseal_chips(house, table, round_)
    _open_again(round_, event.spin)
    round_.opened_at = context.now
    round_.closes_at, round_.launches_at = event.closes_at, event.launches_at


def round_suspended(house: House, event: RoundSuspended, context: Context) -> None:
    round_ = house.tables[event.table].playing
    round_.status = RoundStatus.SUSPENDED
    round_.referred_by = context.person or None
    round_.reason, round_.clause = event.reason, event.clause
    round_.decide_by, round_.held_at = event.until, None


def irregularity_seen(house: House, event: IrregularitySeen, _context: Context) -> None:
    house.tables[event.table].playing.see(Sighting(Moment.TROUBLE, reason=event.reason))


def ball_overdue(house: House, event: BallOverdue, _context: Context) -> None:
    round_ = house.tables[event.table].playing
    round_.prompted = True


#: Irregularities that undo a spin until it is settled, even if they occurred after the ball came to rest.
_AT_ANY_TIME = (Reason.INTERFERENCE, Reason.SUSPICION, Reason.MALFUNCTION, Reason.NOT_COVERED)


DECIDERS: Deciders = {
    NoteIncident: note_incident,
    RaiseAlarm: raise_alarm,
    ClearIncident: clear_incident,
    ReportBoard: report_board,
    WheelTrouble: wheel_trouble,
    CallNoSpin: call_no_spin,
    ResetTerminals: reset_terminals,
}


EVOLVERS: Evolvers = {
    IncidentRaised: keep_incident,
    IncidentCleared: incident_cleared,
    RoundVoided: round_voided,
    SpinVoided: spin_voided,
    TerminalsReset: terminals_reset,
    RoundSuspended: round_suspended,
    IrregularitySeen: irregularity_seen,
    BallOverdue: ball_overdue,
}
