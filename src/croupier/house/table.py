"""A table: its rulebook, its settings, the round that runs and those that ran."""

from collections import deque
from dataclasses import dataclass, field
from enum import StrEnum

from croupier.house.event.round import Source
from croupier.house.felt import Felt, Stakes
from croupier.house.meters import TableMeters
from croupier.house.name import Derived, Fixed, Instant, Number, PersonId, RoundNumber, TableId, TerminalId
from croupier.house.settings import TableSettings
from croupier.house.terms import Terms
from croupier.rules.clause import ClauseId
from croupier.rules.irregularity import Reason
from croupier.rules.pocket import Pocket
from croupier.rules.rulebook import Rulebook


class Betting(StrEnum):
    """Whether bets may be placed."""

    OPEN = "open"
    LAST_CALL = "last_call"
    CLOSED = "closed"


class Ball(StrEnum):
    """What the ball does."""

    IDLE = "idle"
    SPINNING = "spinning"
    AT_REST = "at_rest"


class Status(StrEnum):
    """What becomes of the round."""

    ACTIVE = "active"
    SUSPENDED = "suspended"
    SETTLED = "settled"
    VOID = "void"


class Phase(StrEnum):
    """The three fields of a round as one word, for the table of who may do what when."""

    BETWEEN = "between"
    OPEN = "open"
    OPEN_RUNNING = "open_running"
    LAST_CALL = "last_call"
    CLOSED = "closed"
    RUNNING = "running"
    AT_REST = "at_rest"
    NO_SPIN = "no_spin"
    SUSPENDED = "suspended"


class Moment(StrEnum):
    """When sensors saw something of a spin."""

    LAUNCH = "launch"
    FALL = "fall"
    REST = "rest"
    TROUBLE = "trouble"


@dataclass(frozen=True, slots=True)
class Sighting:
    """What sensors saw of a spin at one moment; None where they did not see it."""

    moment: Moment
    opposite: bool | None = None
    turning: bool | None = None
    revolutions: int | None = None
    #: An irregularity that the wheel reported.
    reason: Reason | None = None

    @property
    def words(self) -> str:
        """Describe the sighting for staff."""
        if self.reason is not None:
            return f"trouble: {self.reason.value.replace('_', ' ')}"
        turns = None if self.revolutions is None else f"{self.revolutions} revolutions"
        parts = [each for each in (turns, _DIRECTIONS[self.opposite], _TURNING[self.turning]) if each]
        return f"{self.moment.value}: {', '.join(parts)}"


_DIRECTIONS = {True: "against the rotor", False: "with the rotor", None: ""}
_TURNING = {True: "rotor turning", False: "rotor not turning", None: ""}


@dataclass(slots=True)
class Round:
    """One round of play."""

    number: RoundNumber
    rulebook: str
    opened_at: Instant
    spin: int = 1
    betting: Betting = Betting.OPEN
    ball: Ball = Ball.IDLE
    status: Status = Status.ACTIVE
    closes_at: Instant | None = None
    launches_at: Instant | None = None
    #: When players were warned that betting is about to close.
    warned_at: Instant | None = None
    closed_at: Instant | None = None
    launched_at: Instant | None = None
    rested_at: Instant | None = None
    #: All that sensors saw of the running spin, in the order in which they reported it.
    sightings: list[Sighting] = field(default_factory=list)
    #: The final layouts, once betting is sealed.
    sealed: dict[TerminalId, Fixed[Stakes]] | None = None
    digest: str = ""
    #: Whose turn it was at each terminal when its bets were sealed.
    sessions: dict[TerminalId, int] = field(default_factory=dict)
    #: A number that awaits the dealer's word.
    reported: Pocket | None = None
    pocket: Pocket | None = None
    source: Source | None = None
    #: What each terminal got back.
    paid: dict[TerminalId, int] = field(default_factory=dict)
    #: A no spin after which terminals await their reset.
    no_spin: bool = False
    #: When a suspended round is void unless somebody has decided.
    decide_by: Instant | None = None
    #: The system was interrupted while the ball may have been running.
    interrupted: bool = False
    #: Who referred it, where somebody did.
    referred_by: PersonId | None = None
    reason: Reason | None = None
    clause: ClauseId | None = None
    #: Numbers that stood before they were corrected.
    corrected: list[Pocket] = field(default_factory=list)
    invalidated: bool = False
    prompted: bool = False

    @property
    def over(self) -> bool:
        return self.status in (Status.SETTLED, Status.VOID)

    def see(self, sighting: Sighting) -> None:
        """Keep a sighting, unless it says nothing of the spin."""
        if sighting != Sighting(sighting.moment):
            self.sightings.append(sighting)

    @property
    def phase(self) -> Phase:
        if self.status is not _ACTIVE:
            return Phase.SUSPENDED if self.status is Status.SUSPENDED else Phase.BETWEEN
        if self.betting is _OPEN:
            return _BETTING if self.ball is _IDLE else Phase.OPEN_RUNNING
        if self.betting is Betting.LAST_CALL:
            return Phase.LAST_CALL
        if self.no_spin:
            return Phase.NO_SPIN
        return _CLOSED_PHASES[self.ball]


# Looked up once, as every bet asks for the phase: to find a member of an enumeration takes 0.1 µs each time.
_ACTIVE, _OPEN, _IDLE, _BETTING = Status.ACTIVE, Betting.OPEN, Ball.IDLE, Phase.OPEN
_CLOSED_PHASES = {Ball.IDLE: Phase.CLOSED, Ball.SPINNING: Phase.RUNNING, Ball.AT_REST: Phase.AT_REST}

#: How many past rounds a table keeps whole, to be corrected or disputed.
ROUNDS_KEPT = 10
HISTORY_KEPT = 100


@dataclass(slots=True)
class Table:
    """One table and its rounds."""

    id: TableId
    rulebook: Rulebook
    felt: Derived[Felt]
    settings: TableSettings
    terms: Derived[Terms]
    round: Round | None = None
    #: The terminals that play here, in the order in which they were added.
    terminals: list[TerminalId] = field(default_factory=list)
    past: deque[Round] = field(default_factory=lambda: deque(maxlen=ROUNDS_KEPT))
    #: Results of valid spins with their rounds, the newest first.
    history: deque[tuple[RoundNumber, Pocket]] = field(default_factory=lambda: deque(maxlen=HISTORY_KEPT))
    #: When the last round was over, or the table was set up or opened again.
    over_at: Instant = Instant(0)
    #: What takes effect from the next round.
    next_settings: TableSettings | None = None
    next_rulebook: str | None = None
    closed: bool = False
    #: The ball of a spin that was called off may still be running: its number is nobody's.
    loose_ball: bool = False
    #: The wheel's own count of the last spin that was reported.
    spin_id: int | None = None
    #: The first case of the last line loss here, and when the last of its terminals went offline.
    line_loss: Number | None = None
    line_lost_at: Instant = Instant(0)
    meters: TableMeters = field(default_factory=TableMeters)

    @property
    def playing(self) -> Round:
        """The round that runs, or ran last; only for what cannot come before the first."""
        assert self.round is not None
        return self.round

    @property
    def phase(self) -> Phase:
        return Phase.BETWEEN if self.round is None else self.round.phase

    @property
    def rounds(self) -> RoundNumber:
        return RoundNumber(0) if self.round is None else self.round.number

    @property
    def numbers(self) -> tuple[Pocket, ...]:
        """The numbers of past spins, the newest first."""
        return tuple(pocket for _, pocket in self.history)

    def find_round(self, number: RoundNumber) -> Round | None:
        """Find a round that is running or kept."""
        if self.round is not None and self.round.number == number:
            return self.round
        return next((past for past in self.past if past.number == number), None)
