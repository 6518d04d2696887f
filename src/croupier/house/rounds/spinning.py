"""The spin: the dealer's launch, and the launches and signals that the wheel reports."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import UNSET, UnsetType

from croupier.house.declare import (
    Events,
    EventTopic,
    MachineRole,
    RoundEvent,
    TableCommand,
    command,
    decides,
    event,
    evolves,
)
from croupier.house.floor.incidents import IncidentKind, IncidentRaised, TroubleCause, incident_raised
from croupier.house.floor.permissions import round_clause
from croupier.house.ids import SECOND, Context, Instant
from croupier.house.rounds.closing import CloseReason, call_close, close_events, forced_close, launch_to_close, running
from croupier.house.rounds.irregularities import RoundSuspended, Trigger, doubted, sensor_irregularity
from croupier.house.rounds.multipliers import awaits_multiples, require_multiples
from croupier.house.state.tables import (
    BETTING_PHASES,
    BallState,
    BettingState,
    Moment,
    Phase,
    Round,
    RoundStatus,
    Sighting,
    Table,
)
from croupier.rules.procedure import CloseRule, Duty, Reason, find_irregularity
from croupier.rules.refusal import Code, Refused

if TYPE_CHECKING:
    from croupier.house import House


@command(Duty.DEAL, when={*BETTING_PHASES, Phase.CLOSED} - {Phase.OPEN_RUNNING})
class SpinBall(TableCommand, frozen=True):
    """The dealer spins the ball, where no sensor reports it."""


@event("The ball was spun{seen}.", EventTopic.ROUND)
class BallSpun(RoundEvent, frozen=True):
    """The ball was launched, as reported by a sensor or by the dealer."""

    opposite: bool | None
    #: When betting closes, if the rules close it at a time after the launch.
    closes_at: Instant | None = None
    #: Whether the rotor was turning; None if no sensor reports it.
    turning: bool | None = None
    #: The launch, as the driver has named it, if it has.
    launch: int | UnsetType = UNSET


@decides(SpinBall)
def spin_ball(house: House, command: SpinBall, context: Context) -> Events:
    table, round_ = running(house, command)
    closes = table.rulebook.procedure.closes
    if closes.choice is CloseRule.BEFORE_SPIN and round_.betting is not BettingState.CLOSED:
        raise Refused(Code.SPIN_BEFORE_CLOSE, closes.clause, "Bets are still open: close them before the spin.")
    if round_.ball is not BallState.IDLE:
        raise Refused(Code.OUT_OF_TURN, round_clause(table, command), "The ball is running already.")
    require_multiples(table)
    return (_ball_spun(table, round_, BallLaunched(table.id), context),)


def _ball_spun(table: Table, round_: Round, seen: BallLaunched, context: Context) -> BallSpun:
    ahead = launch_to_close(table.rulebook, table.settings)
    launch = UNSET if seen.launch is None else seen.launch
    if ahead is None or round_.betting is BettingState.CLOSED:
        return BallSpun(table.id, round_.number, seen.opposite, None, seen.turning, launch)
    # 16.a: some seconds after the launch, and never later than the timer.
    by_launch = Instant(context.now + ahead)
    closes_at = by_launch if round_.closes_at is None else min(round_.closes_at, by_launch)
    return BallSpun(table.id, round_.number, seen.opposite, closes_at, seen.turning, launch)


@evolves(BallSpun)
def ball_spun(house: House, event: BallSpun, context: Context) -> None:
    table = house.tables[event.table]
    round_ = table.playing
    spin = round_.spin
    table.loose_ball = False
    round_.ball = BallState.SPINNING
    spin.launched_at = context.now if spin.launched_at is None else spin.launched_at
    spin.launch = spin.launch if event.launch is UNSET else event.launch
    spin.see(Sighting(Moment.LAUNCH, event.opposite, event.turning))
    round_.launches_at = None
    if event.closes_at is not None:
        round_.closes_at = event.closes_at


@command(MachineRole.WHEEL)
class BallLaunched(TableCommand, frozen=True):
    """The wheel reports the launch of the ball. What its sensors cannot see is None."""

    opposite: bool | None = None
    turning: bool | None = None
    #: When the driver saw the launch, by its own clock: it identifies the spin. None if the driver does not say.
    launch: int | None = None


@decides(BallLaunched)
def ball_launched(house: House, command: BallLaunched, context: Context) -> Events:
    table = house.tables[command.table]
    round_ = table.round
    if round_ is None or round_.over or round_.no_spin:
        return ()
    if _is_another(round_, command):
        # The spin of this round ended without a number, and that of another ball is not its number.
        return doubted(house, table, TroubleCause.LAUNCHED_AGAIN, context)
    if not _is_new(round_, command):
        return ()
    spun = _ball_spun(table, round_, command, context)
    if round_.status is RoundStatus.SUSPENDED:
        return (spun,)
    if command.turning is False or command.opposite is False:
        reason = Reason.WHEEL_NOT_TURNING if command.turning is False else Reason.SAME_DIRECTION
        return (spun, *sensor_irregularity(house, table, reason, context))
    early = (
        table.rulebook.procedure.closes.choice is CloseRule.BEFORE_SPIN and round_.betting is not BettingState.CLOSED
    )
    return (*_launched_early(house, table, round_, context), spun) if early or awaits_multiples(table) else (spun,)


def _is_another(round_: Round, launch: BallLaunched) -> bool:
    """Check whether a launch begins another spin while that of the round has no number yet."""
    named = launch.launch is not None and round_.spin.launch is not None
    return named and round_.ball is BallState.SPINNING and launch.launch != round_.spin.launch


def _is_new(round_: Round, launch: BallLaunched) -> bool:
    """Check whether a launch is new: the ball was idle, only the dealer reported it, or this is a new sighting."""
    if round_.ball is not BallState.SPINNING:
        return round_.ball is BallState.IDLE
    launches = [each for each in round_.spin.sightings if each.moment is Moment.LAUNCH]
    if all(each.opposite is None for each in launches) and (
        launch.launch is None or launch.launch != round_.spin.launch
    ):
        return True
    return any(
        value is not None and all(getattr(each, name) != value for each in launches)
        for name, value in (("opposite", launch.opposite), ("turning", launch.turning))
    )


def _launched_early(house: House, table: Table, round_: Round, context: Context) -> Events:
    """3.7: the ball runs while betting is open: freeze bets, notify the pit, and void unless staff decide in time.

    So does a ball that runs before the multiples are drawn.
    """
    early = find_irregularity(table.rulebook.irregularities, Reason.LAUNCH_BEFORE_CLOSE)
    until = Instant(context.now + table.settings.decision_s * SECOND)
    suspended = RoundSuspended(table.id, round_.number, early.reason, early.clause, until=until, trigger=Trigger.WHEEL)
    closing = round_.betting is not BettingState.CLOSED
    return (
        *(close_events(house, table, CloseReason.LAUNCH_SEEN, early.clause, context) if closing else ()),
        suspended,
        incident_raised(house, IncidentKind.LAUNCH_BEFORE_CLOSE, table.id, early.clause),
    )


@command(MachineRole.WHEEL)
class SignalNoMoreBets(TableCommand, frozen=True):
    """The wheel itself announces no more bets: that is recorded, or closes betting as a call does."""

    #: Whether the venue has chosen that it closes betting.
    closes: bool = False


@event("The wheel announced no more bets.", EventTopic.ROUND)
class NoMoreBetsSignalled(RoundEvent, frozen=True):
    """The wheel itself announced no more bets."""


@decides(SignalNoMoreBets)
def signal_no_more_bets(house: House, command: SignalNoMoreBets, context: Context) -> Events:
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
    return (signalled, *(call_close(house, table, CloseReason.WHEEL_SIGNAL, context) if closes else ()))


@evolves(NoMoreBetsSignalled)
def no_more_bets_signalled(_house: House, _event: NoMoreBetsSignalled, _context: Context) -> None:
    """Nothing changes: the record shows when the wheel announced it."""


@command(MachineRole.WHEEL)
class BallLeftTrack(TableCommand, frozen=True):
    """The wheel reports that the ball left the track."""

    revolutions: int | None = None


@event("The ball left the track{seen}.", EventTopic.ROUND)
class BallFell(RoundEvent, frozen=True):
    """The ball left the track; with the revolutions, if a sensor counted them."""

    revolutions: int | None


@decides(BallLeftTrack)
def ball_left_track(house: House, command: BallLeftTrack, context: Context) -> Events:
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


def incidents_in(events: Events) -> int:
    return sum(isinstance(event, IncidentRaised) for event in events)


@evolves(BallFell)
def ball_fell(house: House, event: BallFell, _context: Context) -> None:
    house.tables[event.table].playing.spin.see(Sighting(Moment.FALL, revolutions=event.revolutions))


@event("The wheel was instructed to launch the ball.", EventTopic.ROUND)
class LaunchCalled(RoundEvent, frozen=True):
    """The wheel was instructed to launch the ball."""


@evolves(LaunchCalled)
def launch_called(house: House, event: LaunchCalled, _context: Context) -> None:
    round_ = house.tables[event.table].playing
    round_.launches_at = None
