"""Events of a round: its steps, result, settlement and irregularities."""

from enum import StrEnum

from msgspec import UNSET, UnsetType

from croupier.house.base import Event, EventTopic, RoundEvent, TableEvent, event
from croupier.house.commands.rounds import ReferralDecision
from croupier.house.ids import Day, Instant, PersonId, PositionId
from croupier.rules.geometry import Pocket
from croupier.rules.procedure import Effect, Reason
from croupier.rules.refusal import ClauseId


@event("Gaming day {day} began.", EventTopic.ROUND)
class DayBegan(Event, frozen=True):
    """A gaming day began."""

    day: Day
    ends_at: Instant | None


@event("Gaming day {day} ended.", EventTopic.ROUND)
class DayEnded(Event, frozen=True):
    """A gaming day ended; the next begins with the tick that names it."""

    day: Day


@event("Betting opened for round {round}.", EventTopic.ROUND)
class BetsOpened(RoundEvent, frozen=True):
    """Bets may be placed; the table's rulebook and settings of this round are fixed."""

    rulebook: str
    #: When betting closes by timer, and when the ball is due to be launched; None without a timer.
    closes_at: Instant | None
    launches_at: Instant | None


@event("Players were warned that betting is about to close.", EventTopic.ROUND)
class FinishCalled(RoundEvent, frozen=True):
    """Players were warned that betting is about to close."""

    closes_at: Instant


class CloseReason(StrEnum):
    """Why betting closed."""

    CALLED = "called"
    TIMER = "timer"
    BALL_LEFT_TRACK = "ball_left_track"
    WHEEL_SIGNAL = "wheel_signal"
    LAUNCH_SEEN = "launch_seen"
    RESULT_SEEN = "result_seen"


@event("Betting closed: {why}.", EventTopic.ROUND)
class BetsClosing(RoundEvent, frozen=True):
    """Betting closed: every later change of bets is refused."""

    why: CloseReason
    clause: ClauseId


@event("Bets were sealed, {staked} in all; positions with bets: {positions}.", EventTopic.ROUND, EventTopic.BETS)
class BetsSealed(RoundEvent, frozen=True):
    """Bets were sealed: the number of positions with bets, the total stake, and a digest of all stakes."""

    spin: int
    positions: int
    staked: int
    digest: str


@event("The wheel was instructed to launch the ball.", EventTopic.ROUND)
class LaunchCalled(RoundEvent, frozen=True):
    """The wheel was instructed to launch the ball."""


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


@event("The wheel announced no more bets.", EventTopic.ROUND)
class NoMoreBetsSignalled(RoundEvent, frozen=True):
    """The wheel itself announced no more bets."""


@event("The ball left the track{seen}.", EventTopic.ROUND)
class BallFell(RoundEvent, frozen=True):
    """The ball left the track; with the revolutions, if a sensor counted them."""

    revolutions: int | None


@event("The wheel reported an irregularity of the spin: {reason}.", EventTopic.ROUND)
class IrregularitySeen(RoundEvent, frozen=True):
    """The wheel reported an irregularity of the running spin, on which staff decide."""

    reason: Reason
    clause: ClauseId


@event("The wheel reported {pocket}{seen}.", EventTopic.ROUND)
class BallRested(RoundEvent, frozen=True):
    """The wheel reported a number that awaits confirmation or does not count; with its sensor data."""

    pocket: Pocket
    revolutions: int | None
    opposite: bool | None
    spin_id: int | None = None
    #: The secret of a draw that can be proven; it stays as secret as the number.
    secret: str | None = None


@event("The ball should have come to rest by now.", EventTopic.ROUND)
class BallOverdue(RoundEvent, frozen=True):
    """The ball did not come to rest in time; staff who may call a no spin were notified."""


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


@event("A report of {pocket} was ignored: {why}.", EventTopic.ROUND, EventTopic.INCIDENT, EventTopic.SIGNIFICANT)
class ReportIgnored(TableEvent, frozen=True):
    """A report of the wheel arrived when it could not count, and was ignored."""

    pocket: Pocket
    why: IgnoredReason


class ResultSource(StrEnum):
    """The source of a result."""

    SENSOR = "sensor"
    DEALER = "dealer"
    RANDOM = "random"
    ENTERED = "entered"
    ATTESTED = "attested"
    DECIDED = "decided"


@event("The number is {pocket} ({source}){seen}.", EventTopic.ROUND)
class ResultDeclared(RoundEvent, frozen=True):
    """The number of the spin was declared; with the wheel's sensor data, if its report was declared at once."""

    pocket: Pocket
    source: ResultSource
    revolutions: int | None = None
    spin_id: int | None = None
    opposite: bool | None = None


@event("The wheel committed to the secret of the draw.", EventTopic.ROUND)
class DrawCommitted(RoundEvent, frozen=True):
    """A random wheel committed to the secret of a spin's draw."""

    spin: int
    commitment: str


@event("Position {position} committed to a share of the draw.", EventTopic.ROUND)
class ShareCommitted(RoundEvent, frozen=True):
    """A player committed to a share of the draw; the last commitment before the seal counts."""

    position: PositionId
    commitment: str


@event("Position {position} revealed its share of the draw.", EventTopic.ROUND)
class ShareRevealed(RoundEvent, frozen=True):
    """A player revealed a share of the draw."""

    position: PositionId
    share: str


@event("The draw of {pocket} is proven.", EventTopic.ROUND)
class DrawProven(RoundEvent, frozen=True):
    """The secret of a draw was revealed: it is the committed one, and the pocket follows from it and the shares."""

    pocket: Pocket
    secret: str


@event(
    "The draw was abandoned: shares were not revealed in time.",
    EventTopic.ROUND,
    EventTopic.INCIDENT,
    EventTopic.SIGNIFICANT,
)
class DrawAbandoned(RoundEvent, frozen=True):
    """A draw was abandoned: these positions did not reveal their shares, and add none until they leave."""

    positions: tuple[PositionId, ...]


@event("Round {round} was settled: {staked} were staked, and {returned} came back.", EventTopic.ROUND)
class RoundSettled(RoundEvent, frozen=True):
    """The round was settled: total stake, total return, and a digest of all payments and remaining stakes."""

    staked: int
    returned: int
    digest: str


class Trigger(StrEnum):
    """What triggered the end or suspension of a spin; the reason, which the rules name, is separate."""

    STAFF = "staff"
    WHEEL = "wheel"
    #: A timer expired: for betting, for the ball, or for a decision.
    TIMEOUT = "timeout"
    #: The system stopped.
    INTERRUPTION = "interruption"


@event(
    "Round {round} is void: {reason} ({trigger}). {words}",
    EventTopic.ROUND,
    EventTopic.INCIDENT,
    EventTopic.SIGNIFICANT,
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


@event(
    "The terminals were reset: stakes went back, and betting is open again.",
    EventTopic.ROUND,
    EventTopic.INCIDENT,
    EventTopic.SIGNIFICANT,
)
class TerminalsReset(RoundEvent, frozen=True):
    """After a no spin the stakes were returned, and betting is open for the next spin of the same round."""

    spin: int
    clause: ClauseId
    closes_at: Instant | None
    launches_at: Instant | None


@event(
    "The terminals got their stakes back: {reason} ({trigger}). The round goes on for chips. {words}",
    EventTopic.ROUND,
    EventTopic.INCIDENT,
    EventTopic.SIGNIFICANT,
)
class TerminalsRefunded(RoundEvent, frozen=True):
    """The stakes of terminals were returned at a table with chips, whose bets stand."""

    reason: Reason
    clause: ClauseId
    #: The explanation that staff entered.
    words: str = ""
    trigger: Trigger = Trigger.STAFF


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


@event("Round {round} was held: a no spin is being considered.", EventTopic.ROUND, EventTopic.INCIDENT)
class RoundHeld(RoundEvent, frozen=True):
    """The round is held while staff consider a no spin; without a decision by this time it is referred."""

    clause: ClauseId
    until: Instant


@event("Round {round} continues after the hold.", EventTopic.ROUND, EventTopic.INCIDENT)
class HoldReleased(RoundEvent, frozen=True):
    """The round continues after a hold; its timers are later by the time that it was held."""

    closes_at: Instant | None
    launches_at: Instant | None


@event("Round {round} was interrupted after the seal.", EventTopic.ROUND, EventTopic.INCIDENT, EventTopic.SIGNIFICANT)
class RoundInterrupted(RoundEvent, frozen=True):
    """The system stopped after the seal: two people attest where the ball lay, or the spin is voided."""

    clause: ClauseId


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


@event(
    "Round {round} was corrected from {was} to {pocket}: {returned} are due now. {words}",
    EventTopic.ROUND,
    EventTopic.INCIDENT,
    EventTopic.SIGNIFICANT,
)
class ResultCorrected(RoundEvent, frozen=True):
    """A wrong number was replaced, and the difference was posted to every position."""

    was: Pocket
    pocket: Pocket
    clause: ClauseId
    words: str
    returned: int
    digest: str


@event(
    "The outcome of round {round} was taken back: {reason}. {words}",
    EventTopic.ROUND,
    EventTopic.INCIDENT,
    EventTopic.SIGNIFICANT,
)
class OutcomeInvalidated(RoundEvent, frozen=True):
    """An outcome was invalidated: every terminal has the balance from before the round."""

    reason: Reason
    clause: ClauseId
    words: str
    suspect: PersonId
    evidence: str = ""
