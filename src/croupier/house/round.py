"""A round up to the spin: opening, the warning, the called close, and the launch of the ball."""

from collections.abc import Iterator

from msgspec import UNSET

from croupier.house import equipment, livetable
from croupier.house.base import BallState, BettingState, Decision, Events, RoundStatus
from croupier.house.chip_bets import begin_chips
from croupier.house.closing import close_events, launch_to_close, next_opening, running, seats, timetable
from croupier.house.commands.record import IncidentKind
from croupier.house.commands.rounds import (
    BallLaunched,
    BallLeftTrack,
    CloseBets,
    FinishBetting,
    OpenBets,
    SignalNoMoreBets,
    SpinBall,
    TroubleCause,
)
from croupier.house.events.play import BetsReturned, ReturnReason
from croupier.house.events.record import IncidentRaised
from croupier.house.events.rounds import (
    BallFell,
    BallSpun,
    BetsOpened,
    CloseReason,
    FinishCalled,
    LaunchCalled,
    NoMoreBetsSignalled,
    RoundSuspended,
    Trigger,
)
from croupier.house.ids import SECOND, Context, Instant, RoundNumber
from croupier.house.irregularities import doubted, incident_raised, sensor_irregularity
from croupier.house.permissions import round_clause
from croupier.house.settings import Mode
from croupier.house.setup import apply_pending_settings, pending_settings
from croupier.house.stakes import begin_anew
from croupier.house.state import Deciders, Evolvers, House, Incident
from croupier.house.state.tables import Moment, Round, Sighting, Table
from croupier.rules.procedure import CloseRule, Effect, Reason, WarningKind, find_irregularity
from croupier.rules.refusal import CitedTopic, Code, Refusal, refuse


def open_bets(house: House, command: OpenBets, context: Context) -> Decision:
    table = house.tables[command.table]
    refusal = opening_objection(house, table, context.now)
    if refusal is not None:
        return refusal
    rulebook, settings = pending_settings(house, table)
    number = RoundNumber(table.rounds + 1)
    closes_at, launches_at = timetable(rulebook, settings, context.now)
    return (*_new_terms(house, table), BetsOpened(table.id, number, rulebook.digest, closes_at, launches_at))


def opening_objection(house: House, table: Table, now: Instant) -> Refusal | None:
    """Refuse to open a round on this table now."""
    return next(opening_objections(house, table, now), None)


def opening_objections(house: House, table: Table, now: Instant) -> Iterator[Refusal]:
    """List every reason why a round may not open on this table now, by precedence."""
    rulebook, _ = pending_settings(house, table)
    approval_required = house.mode is Mode.REAL or house.approved_builds
    if rulebook.approval is not None and approval_required and house.build not in house.approved_builds:
        message = f"Software version not approved: {house.build or 'unknown'}."
        yield refuse(Code.SOFTWARE_NOT_APPROVED, rulebook.approval, message, version=house.build)
    known = house.day or house.mode is Mode.REAL
    if rulebook.effective is not None and known and house.day < int(rulebook.effective.strftime("%Y%m%d")):
        message = f"These rules are in force from {rulebook.effective.isoformat()}."
        yield refuse(Code.NOT_IN_FORCE, rulebook.clause, message)
    if table.closed:
        yield refuse(Code.TABLE_CLOSED, rulebook.cited_clauses[CitedTopic.CLOSING_DOWN], "The table is closed.")
    yield from equipment.opening_objections(house, table)
    yield from livetable.opening_objections(house, table)
    fault = _uncleared(house, table)
    if fault is not None:
        message = "Staff have not cleared the malfunction of this game yet."
        yield refuse(Code.OUT_OF_TURN, fault.clause, message, incident=fault.number)
    if now < next_opening(table):
        yield refuse(
            Code.TOO_SOON, rulebook.cited_clauses[CitedTopic.ROUND], "The last round began too short a time ago."
        )


#: Faults of the game itself.
_FAULTS = (
    IncidentKind.MALFUNCTION,
    IncidentKind.WHEEL_TROUBLE,
    IncidentKind.WHEEL_SILENT,
    IncidentKind.BALL_NOT_SEATED,
    IncidentKind.RESULT_BEFORE_SEAL,
)


def _uncleared(house: House, table: Table) -> Incident | None:
    """25: if a malfunction voids all plays, no round opens until staff clear the malfunction (Clearwater)."""
    if find_irregularity(table.rulebook.irregularities, Reason.MALFUNCTION).effect is not Effect.VOID_ROUND:
        return None
    for each in house.incidents.values():
        if each.subject == table.id and each.kind in _FAULTS and each.cleared_by is None:
            return each
    return None


def _new_terms(house: House, table: Table) -> Events:
    """Return winning stakes that stayed up if other limits or rules apply from this round."""
    rulebook, settings = pending_settings(house, table)
    if rulebook.digest == table.rulebook.digest and settings.limits == table.settings.limits:
        return ()
    clause = table.rulebook.cited_clauses[CitedTopic.SETTINGS]
    return tuple(
        BetsReturned(seat.game.id, table.rounds, ReturnReason.NEW_TERMS, clause, tuple(seat.game.bets))
        for seat in seats(house, table)
    )


def finish_betting(house: House, command: FinishBetting, context: Context) -> Decision:
    table, round_ = running(house, command)
    warning = table.rulebook.procedure.warning
    if warning.choice is not WarningKind.MESSAGE:
        return refuse(Code.OUT_OF_TURN, warning.clause, "There is no such warning at this venue.")
    if table.live is not None and not table.terminals:
        return refuse(Code.OUT_OF_TURN, warning.clause, "The warning is for terminals, and none is attached.")
    return (FinishCalled(table.id, round_.number, _warned_until(table, round_, context)),)


def _warned_until(table: Table, round_: Round, context: Context) -> Instant:
    """Compute when a warning ends: after its duration, not before the minimum betting time, never after the timer."""
    settings = table.settings
    at = max(context.now + settings.warning_s * SECOND, round_.opened_at + settings.betting_min_s * SECOND)
    return Instant(at if round_.closes_at is None else min(at, round_.closes_at))


def close_bets(house: House, command: CloseBets, context: Context) -> Decision:
    table, round_ = running(house, command)
    closes = table.rulebook.procedure.closes
    if round_.ball is BallState.IDLE and not may_close_idle(table):
        message = "Betting closes only while the ball is running."
        return refuse(Code.CLOSE_BEFORE_SPIN, closes.clause, message)
    if context.now < round_.opened_at + table.settings.betting_min_s * SECOND:
        message = f"Betting stays open for at least {table.settings.betting_min_s} seconds."
        return refuse(Code.TOO_SOON, closes.clause, message)
    return _called(house, table, CloseReason.CALLED, context)


def _called(house: House, table: Table, why: CloseReason, context: Context) -> Events:
    """Close betting on a call, or begin the warning that players get before it."""
    round_ = table.playing
    over = round_.closes_at is not None and context.now >= round_.closes_at
    if round_.betting is BettingState.OPEN and needs_warning(table) and not over:
        return (FinishCalled(table.id, round_.number, _warned_until(table, round_, context)),)
    return close_events(house, table, why, table.rulebook.procedure.closes.clause, context)


def signal_no_more_bets(house: House, command: SignalNoMoreBets, context: Context) -> Decision:
    """Record the wheel's own announcement of no more bets; where the venue says so, it closes betting as a call does.

    Recordings show it 2 to 5 seconds after the launch, long before the ball leaves the track, so it forces no close.
    """
    table = house.tables[command.table]
    round_ = table.round
    if round_ is None or round_.over or round_.no_spin or round_.ball is not BallState.SPINNING or table.loose_ball:
        return ()
    signalled = NoMoreBetsSignalled(table.id, round_.number)
    closes = (
        command.closes
        and round_.status is RoundStatus.ACTIVE
        and round_.betting is BettingState.OPEN
        and context.now >= round_.opened_at + table.settings.betting_min_s * SECOND
    )
    return (signalled, *(_called(house, table, CloseReason.WHEEL_SIGNAL, context) if closes else ()))


def may_close_idle(table: Table) -> bool:
    """Check whether betting may close before the ball is spun."""
    return table.rulebook.procedure.closes.choice in (CloseRule.BEFORE_SPIN, CloseRule.BEFORE_OR_DURING_SPIN)


def needs_warning(table: Table) -> bool:
    """7(h)ii: if terminals are attached, players are warned before betting closes (Adelaide)."""
    warns = table.rulebook.procedure.warning.choice is WarningKind.MESSAGE
    return warns and bool(table.terminals) and table.settings.warning_s > 0


def spin_ball(house: House, command: SpinBall, context: Context) -> Decision:
    table, round_ = running(house, command)
    closes = table.rulebook.procedure.closes
    if closes.choice is CloseRule.BEFORE_SPIN and round_.betting is not BettingState.CLOSED:
        return refuse(Code.SPIN_BEFORE_CLOSE, closes.clause, "Bets are still open: close them before the spin.")
    if round_.ball is not BallState.IDLE:
        return refuse(Code.OUT_OF_TURN, round_clause(table, command), "The ball is running already.")
    return (_spun(table, round_, BallLaunched(table.id), context),)


def _spun(table: Table, round_: Round, seen: BallLaunched, context: Context) -> BallSpun:
    ahead = launch_to_close(table.rulebook, table.settings)
    launch = UNSET if seen.launch is None else seen.launch
    if ahead is None or round_.betting is BettingState.CLOSED:
        return BallSpun(table.id, round_.number, seen.opposite, None, seen.turning, launch)
    # 16.a: some seconds after the launch, and never later than the timer.
    by_launch = Instant(context.now + ahead)
    closes_at = by_launch if round_.closes_at is None else min(round_.closes_at, by_launch)
    return BallSpun(table.id, round_.number, seen.opposite, closes_at, seen.turning, launch)


def ball_launched(house: House, command: BallLaunched, context: Context) -> Decision:
    table = house.tables[command.table]
    round_ = table.round
    if round_ is None or round_.over or round_.no_spin:
        return ()
    if _is_another(round_, command):
        # The spin of this round ended without a number, and that of another ball is not its number.
        return doubted(house, table, TroubleCause.LAUNCHED_AGAIN, context)
    if not _news(round_, command):
        return ()
    spun = _spun(table, round_, command, context)
    if round_.status is RoundStatus.SUSPENDED:
        return (spun,)
    if command.turning is False or command.opposite is False:
        reason = Reason.WHEEL_NOT_TURNING if command.turning is False else Reason.SAME_DIRECTION
        return (spun, *sensor_irregularity(house, table, reason, context))
    early = (
        table.rulebook.procedure.closes.choice is CloseRule.BEFORE_SPIN and round_.betting is not BettingState.CLOSED
    )
    return (*_frozen(house, table, round_, context), spun) if early else (spun,)


def _is_another(round_: Round, launch: BallLaunched) -> bool:
    """Check whether a launch begins another spin while that of the round has no number yet."""
    named = launch.launch is not None and round_.launch is not None
    return named and round_.ball is BallState.SPINNING and launch.launch != round_.launch


def _news(round_: Round, launch: BallLaunched) -> bool:
    """Check whether a launch is new: the ball was idle, only the dealer reported it, or this is a new sighting."""
    if round_.ball is not BallState.SPINNING:
        return round_.ball is BallState.IDLE
    launches = [each for each in round_.sightings if each.moment is Moment.LAUNCH]
    if all(each.opposite is None for each in launches) and (launch.launch is None or launch.launch != round_.launch):
        return True
    return any(
        value is not None and all(getattr(each, name) != value for each in launches)
        for name, value in (("opposite", launch.opposite), ("turning", launch.turning))
    )


def _frozen(house: House, table: Table, round_: Round, context: Context) -> Events:
    """3.7: the ball runs while betting is open: freeze bets, notify the pit, and void unless staff decide in time."""
    early = find_irregularity(table.rulebook.irregularities, Reason.LAUNCH_BEFORE_CLOSE)
    until = Instant(context.now + table.settings.decision_s * SECOND)
    suspended = RoundSuspended(table.id, round_.number, early.reason, early.clause, until=until, trigger=Trigger.WHEEL)
    return (
        *close_events(house, table, CloseReason.LAUNCH_SEEN, early.clause, context),
        suspended,
        incident_raised(house, IncidentKind.LAUNCH_BEFORE_CLOSE, table.id, early.clause),
    )


def ball_left_track(house: House, command: BallLeftTrack, context: Context) -> Decision:
    table = house.tables[command.table]
    round_ = table.round
    # The ball of a spin that was called off may still run: its later reports and its number are ignored.
    if round_ is None or round_.over or round_.no_spin or table.loose_ball:
        return ()
    fell = BallFell(table.id, round_.number, command.revolutions)
    if round_.status is RoundStatus.SUSPENDED:
        return (fell,)
    events = (
        forced_close(house, table, CloseReason.BALL_LEFT_TRACK, context)
        if round_.betting is not BettingState.CLOSED
        else ()
    )
    least = table.rulebook.procedure.revolutions
    if least is not None and command.revolutions is not None and command.revolutions < least.value:
        reason = Reason.TOO_FEW_REVOLUTIONS if command.revolutions else Reason.BALL_DROPPED
        return (*events, fell, *sensor_irregularity(house, table, reason, context, after=incidents_in(events)))
    return (*events, fell)


def forced_close(house: House, table: Table, why: CloseReason, context: Context) -> Events:
    """Close at once, regardless of any call, and notify staff."""
    round_ = table.playing
    procedure = table.rulebook.procedure
    events = close_events(house, table, why, procedure.closes.clause, context)
    unwarned = needs_warning(table) and round_.betting is BettingState.OPEN
    if unwarned:
        return (*events, incident_raised(house, IncidentKind.NO_WARNING, table.id, procedure.warning.clause))
    if why is CloseReason.BALL_LEFT_TRACK:
        return (*events, incident_raised(house, IncidentKind.FORCED_CLOSE, table.id, procedure.closes.clause))
    return events


def incidents_in(events: Events) -> int:
    return sum(isinstance(event, IncidentRaised) for event in events)


def bets_opened(house: House, event: BetsOpened, context: Context) -> None:
    table = house.tables[event.table]
    apply_pending_settings(house, table)
    if table.round is not None:
        table.past.append(table.round)
        if table.round.chips is not None and table.round.chips.walk is not None:
            # The dealer goes on with the layout as it is.
            table.round.chips.walk.moves = None
    table.round = Round(event.round, event.rulebook, context.now)
    table.round.closes_at, table.round.launches_at = event.closes_at, event.launches_at
    for position in table.positions:
        begin_anew(house.positions[position])
    begin_chips(house, table)


def finish_called(house: House, event: FinishCalled, context: Context) -> None:
    round_ = house.tables[event.table].playing
    round_.betting = BettingState.LAST_CALL
    round_.warned_at = context.now
    round_.closes_at = event.closes_at


def launch_called(house: House, event: LaunchCalled, _context: Context) -> None:
    round_ = house.tables[event.table].playing
    round_.launches_at = None


def ball_spun(house: House, event: BallSpun, context: Context) -> None:
    table = house.tables[event.table]
    round_ = table.playing
    table.loose_ball = False
    round_.ball = BallState.SPINNING
    round_.launched_at = context.now if round_.launched_at is None else round_.launched_at
    round_.launch = round_.launch if event.launch is UNSET else event.launch
    round_.see(Sighting(Moment.LAUNCH, event.opposite, event.turning))
    round_.launches_at = None
    if event.closes_at is not None:
        round_.closes_at = event.closes_at


def no_more_bets_signalled(_house: House, _event: NoMoreBetsSignalled, _context: Context) -> None:
    """Nothing changes: the record shows when the wheel announced it."""


def ball_fell(house: House, event: BallFell, _context: Context) -> None:
    house.tables[event.table].playing.see(Sighting(Moment.FALL, revolutions=event.revolutions))


DECIDERS: Deciders = {
    OpenBets: open_bets,
    FinishBetting: finish_betting,
    CloseBets: close_bets,
    SpinBall: spin_ball,
    BallLaunched: ball_launched,
    SignalNoMoreBets: signal_no_more_bets,
    BallLeftTrack: ball_left_track,
}
EVOLVERS: Evolvers = {
    BetsOpened: bets_opened,
    FinishCalled: finish_called,
    LaunchCalled: launch_called,
    BallSpun: ball_spun,
    NoMoreBetsSignalled: no_more_bets_signalled,
    BallFell: ball_fell,
}
