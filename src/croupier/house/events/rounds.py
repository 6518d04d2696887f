"""What happened to a round: its steps, its result, its settlement, and what went wrong."""

from enum import StrEnum

from croupier.house.base import Event, EventTopic, RoundEvent, TableEvent, event
from croupier.house.commands.rounds import ReferralDecision
from croupier.house.ids import Day, Instant, PersonId
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
    """A gaming day is over; the next begins when somebody names it."""

    day: Day


@event("Betting opened for round {round}.", EventTopic.ROUND)
class BetsOpened(RoundEvent, frozen=True):
    """Bets may be placed; the table's rulebook and settings of this round are fixed."""

    rulebook: str
    #: When betting closes by itself, and when the ball is to be launched, where that is timed.
    closes_at: Instant | None
    launches_at: Instant | None


@event("Players were warned that betting is about to close.", EventTopic.ROUND)
class FinishCalled(RoundEvent, frozen=True):
    """Players were warned that betting is about to close."""

    closes_at: Instant


class CloseReason(StrEnum):
    """What closed the betting."""

    CALLED = "called"
    TIMER = "timer"
    BALL_LEFT_TRACK = "ball_left_track"
    LAUNCH_SEEN = "launch_seen"
    RESULT_SEEN = "result_seen"


@event("Betting closed: {why}.", EventTopic.ROUND)
class BetsClosing(RoundEvent, frozen=True):
    """From here every place, change and removal is refused."""

    why: CloseReason
    clause: ClauseId


@event("Bets were sealed, {staked} in all; terminals with bets: {terminals}.", EventTopic.ROUND, EventTopic.BETS)
class BetsSealed(RoundEvent, frozen=True):
    """The final layouts: how many terminals play, what they stake, and a digest of every chip."""

    spin: int
    terminals: int
    staked: int
    digest: str


@event("The wheel was told to launch the ball.", EventTopic.ROUND)
class LaunchCalled(RoundEvent, frozen=True):
    """The wheel is told to launch the ball."""


@event("The ball was spun{seen}.", EventTopic.ROUND)
class BallSpun(RoundEvent, frozen=True):
    """The ball is running; by a sensor's word or the dealer's."""

    opposite: bool | None
    #: When betting closes because the ball was launched, where the rules have it so.
    closes_at: Instant | None = None
    #: Whether the rotor was turning, where a sensor saw it.
    turning: bool | None = None


@event("The ball left the track{seen}.", EventTopic.ROUND)
class BallFell(RoundEvent, frozen=True):
    """The ball left the track, after so many revolutions where they were counted."""

    revolutions: int | None


@event("The wheel reported an irregularity of the spin: {reason}.", EventTopic.ROUND)
class IrregularitySeen(RoundEvent, frozen=True):
    """The wheel reported an irregularity of the running spin, on which staff decide."""

    reason: Reason
    clause: ClauseId


@event("The wheel reported {pocket}{seen}.", EventTopic.ROUND)
class BallRested(RoundEvent, frozen=True):
    """The wheel reported a number, which awaits somebody's word or does not count; with what it saw itself."""

    pocket: Pocket
    revolutions: int | None
    opposite: bool | None
    spin_id: int | None = None


@event("The ball should have come to rest by now.", EventTopic.ROUND)
class BallOverdue(RoundEvent, frozen=True):
    """The ball should have come to rest by now, and whoever may call a no spin was told."""


class IgnoredReason(StrEnum):
    """Why a wheel's report does not count."""

    SPIN_COUNTED = "spin_counted"
    NO_ROUND = "no_round"
    NO_SPIN = "no_spin"
    SPIN_CALLED_OFF = "spin_called_off"
    NO_BALL = "no_ball"
    ALREADY_REPORTED = "already_reported"
    ANOTHER_REPORTED = "another_reported"


@event("A report of {pocket} was ignored: {why}.", EventTopic.ROUND, EventTopic.INCIDENT, EventTopic.SIGNIFICANT)
class ReportIgnored(TableEvent, frozen=True):
    """A wheel's report came when it could not count."""

    pocket: Pocket
    why: IgnoredReason


class ResultSource(StrEnum):
    """On whose word a result stands."""

    SENSOR = "sensor"
    DEALER = "dealer"
    RANDOM = "random"
    ENTERED = "entered"
    ATTESTED = "attested"
    DECIDED = "decided"


@event("The number is {pocket} ({source}){seen}.", EventTopic.ROUND)
class ResultDeclared(RoundEvent, frozen=True):
    """The number of the spin; with what the wheel saw of it, where its report was declared at once."""

    pocket: Pocket
    source: ResultSource
    revolutions: int | None = None
    spin_id: int | None = None
    opposite: bool | None = None


@event("Round {round} was settled: {staked} were staked, and {returned} came back.", EventTopic.ROUND)
class RoundSettled(RoundEvent, frozen=True):
    """What all terminals staked and got back, and a digest of every payment and of all stakes that stay up."""

    staked: int
    returned: int
    digest: str


class Trigger(StrEnum):
    """What ended or suspended a spin: beside the reason, which the rules name."""

    STAFF = "staff"
    WHEEL = "wheel"
    #: A time ran out: to bet, to come to rest, or to decide.
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
    """The round is void and every stake goes back."""

    reason: Reason
    clause: ClauseId
    #: What staff wrote.
    words: str = ""
    trigger: Trigger = Trigger.STAFF


@event(
    "The spin does not count: {reason} ({trigger}). {words}",
    EventTopic.ROUND,
    EventTopic.INCIDENT,
    EventTopic.SIGNIFICANT,
)
class SpinVoided(RoundEvent, frozen=True):
    """The spin does not count; the round goes on with another."""

    spin: int
    reason: Reason
    clause: ClauseId
    effect: Effect
    #: What staff wrote.
    words: str = ""
    ball_removed: bool = False
    #: When betting closes again and the ball is to be launched, where stakes stay up for the next spin.
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
    """After a no spin stakes went back, and betting is open for the next spin of the same round."""

    spin: int
    clause: ClauseId
    closes_at: Instant | None
    launches_at: Instant | None


@event(
    "Round {round} is suspended: {reason} ({trigger}). {words}",
    EventTopic.ROUND,
    EventTopic.INCIDENT,
    EventTopic.SIGNIFICANT,
)
class RoundSuspended(RoundEvent, frozen=True):
    """Nothing moves until somebody decides; or until a time, and then the round is void."""

    reason: Reason
    clause: ClauseId
    #: What staff wrote.
    words: str = ""
    until: Instant | None = None
    trigger: Trigger = Trigger.STAFF


@event("Round {round} was interrupted after the seal.", EventTopic.ROUND, EventTopic.INCIDENT, EventTopic.SIGNIFICANT)
class RoundInterrupted(RoundEvent, frozen=True):
    """The system was interrupted after the seal: two people attest where the ball lay, or the spin is called off."""

    clause: ClauseId


@event(
    "The suspended round was decided: {verdict}. {words}", EventTopic.ROUND, EventTopic.INCIDENT, EventTopic.SIGNIFICANT
)
class ReferralDecided(RoundEvent, frozen=True):
    """How a suspended round goes on."""

    verdict: ReferralDecision
    clause: ClauseId
    words: str
    pocket: Pocket | None
    #: When betting closes by itself from here.
    closes_at: Instant | None


@event(
    "Round {round} was corrected from {was} to {pocket}: {returned} are due now. {words}",
    EventTopic.ROUND,
    EventTopic.INCIDENT,
    EventTopic.SIGNIFICANT,
)
class ResultCorrected(RoundEvent, frozen=True):
    """A wrong number was replaced; every terminal's difference was posted."""

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
    """An outcome was taken back; every terminal has what it had before the round."""

    reason: Reason
    clause: ClauseId
    words: str
    suspect: PersonId
