"""Commands that run a round: the dealer's steps, the wheel's reports, ticks, and irregularities."""

from enum import StrEnum

from croupier.house.base import (
    BETTING_PHASES,
    ROUND_PHASES,
    SEALED_PHASES,
    Command,
    GameCommand,
    MachineRole,
    Phase,
    SpinCommand,
    TableCommand,
    command,
)
from croupier.house.ids import Day, Instant, PersonId, RoundNumber
from croupier.rules.geometry import Pocket
from croupier.rules.procedure import Duty, Reason


@command(MachineRole.SYSTEM)
class Tick(Command, frozen=True):
    """Time has passed; with the gaming day and its end, where they are known."""

    day: Day | None = None
    day_ends_at: Instant | None = None


@command(MachineRole.SYSTEM)
class Recover(Command, frozen=True):
    """The system has restarted: decide every interrupted round by its rulebook."""


@command(MachineRole.SYSTEM, Duty.DEAL, when={Phase.BETWEEN, Phase.PAYING})
class OpenBets(TableCommand, frozen=True):
    """Begin a round: bets may be placed."""


@command(MachineRole.SYSTEM, Duty.DEAL, when={Phase.OPEN, Phase.OPEN_RUNNING})
class FinishBetting(TableCommand, frozen=True):
    """Warn that betting is about to close."""


@command(MachineRole.SYSTEM, Duty.DEAL, when=BETTING_PHASES)
class CloseBets(TableCommand, frozen=True):
    """Close betting: no more bets. Where players must be warned first, this starts the warning."""


@command(Duty.DEAL, when={*BETTING_PHASES, Phase.CLOSED} - {Phase.OPEN_RUNNING})
class SpinBall(TableCommand, frozen=True):
    """The dealer spins the ball, where no sensor reports it."""


@command(MachineRole.WHEEL)
class BallLaunched(TableCommand, frozen=True):
    """The wheel reports the launch of the ball. What its sensors cannot see is None."""

    opposite: bool | None = None
    turning: bool | None = None
    #: When the driver saw the launch, by its own clock: it identifies the spin. None if the driver does not say.
    launch: int | None = None


@command(MachineRole.WHEEL)
class SignalNoMoreBets(TableCommand, frozen=True):
    """The wheel itself announces no more bets: that is recorded, or closes betting as a call does."""

    #: Whether the venue has chosen that it closes betting.
    closes: bool = False


@command(MachineRole.WHEEL)
class BallLeftTrack(TableCommand, frozen=True):
    """The wheel reports that the ball left the track."""

    revolutions: int | None = None


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


class TroubleCause(StrEnum):
    """What a wheel or its driver observed behind an irregularity; pages put it in words."""

    NO_TELEGRAM = "no_telegram"
    NO_BALL = "no_ball"
    BALL_NOT_IN_TRACK = "ball_not_in_track"
    MACHINE = "machine"
    LAUNCH_FAILED = "launch_failed"
    ROTOR_STOPPED = "rotor_stopped"
    CLOSED = "closed"
    OUT_OF_ORDER = "out_of_order"
    STATE_LEFT_OUT = "state_left_out"
    NUMBERS_DIFFER = "numbers_differ"
    NUMBER_CHANGED = "number_changed"
    COUNT_CHANGED = "count_changed"
    #: Found by the house.
    COUNT_REPEATED = "count_repeated"
    LAUNCHED_AGAIN = "launched_again"
    NOT_OF_THIS_SPIN = "not_of_this_spin"
    SHORT_SPIN = "short_spin"


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


@command(MachineRole.WHEEL, when=BETTING_PHASES)
class CommitDraw(TableCommand, frozen=True):
    """A random wheel commits to the secret of the next draw, before the bets that it decides are sealed."""

    commitment: str


@command(MachineRole.WHEEL, when={Phase.RUNNING})
class AbandonDraw(TableCommand, frozen=True):
    """A random wheel reports that a share was not revealed in time: the spin cannot be drawn."""


@command(MachineRole.TERMINAL, when=BETTING_PHASES)
class CommitShare(GameCommand, frozen=True):
    """A player commits to a share of the next draw, where draws can be proven."""

    commitment: str


@command(MachineRole.TERMINAL, when={Phase.CLOSED, Phase.RUNNING})
class RevealShare(GameCommand, frozen=True):
    """A player reveals the share that the terminal has committed to, after the seal."""

    share: str


@command(Duty.DEAL, when={Phase.RUNNING, Phase.AT_REST})
class ConfirmResult(SpinCommand, frozen=True):
    """The dealer confirms the number and that the spin was valid."""

    pocket: Pocket
    #: The number that the dolly marks, at a table with chips.
    dolly: Pocket | None = None


@command(Duty.DEAL, when={Phase.RUNNING, Phase.AT_REST})
class EnterResult(SpinCommand, frozen=True):
    """Enter a number by hand, twice, that was not displayed."""

    pocket: Pocket
    again: Pocket


# While chips are being paid, a cause that came before the ball was at rest still counts until the first payment.
@command(Duty.DEAL, when={*ROUND_PHASES, Phase.PAYING} - {Phase.NO_SPIN})
class CallNoSpin(SpinCommand, frozen=True):
    """Call a no spin, with its reason."""

    reason: Reason
    words: str = ""
    #: Whether the cause arose before the ball came to rest.
    before_rest: bool = True
    ball_removed: bool = False


@command(Duty.DEAL, when=ROUND_PHASES - {Phase.NO_SPIN, Phase.SUSPENDED})
class HoldRound(SpinCommand, frozen=True):
    """Hold a round while a no spin is considered: its timers stop, and nothing is closed, declared or paid."""


@command(Duty.DEAL, when={Phase.SUSPENDED})
class ReleaseHold(SpinCommand, frozen=True):
    """Continue a round that was held, because the spin was in order."""


@command(Duty.DEAL, when={Phase.NO_SPIN})
class ResetTerminals(TableCommand, frozen=True):
    """After a no spin, return the stakes and continue the same round."""


@command(Duty.DEAL, when=ROUND_PHASES - {Phase.SUSPENDED})
class ReferRound(TableCommand, frozen=True):
    """Refer a doubt: the round is suspended until it is decided."""

    words: str


class ReferralDecision(StrEnum):
    """How a referred round continues."""

    VOID = "void"
    SETTLE = "settle"
    GO_ON = "go_on"


@command(Duty.DECIDE, when={Phase.SUSPENDED})
class DecideReferral(SpinCommand, frozen=True):
    """Decide a referred round: void it, settle it on a number, or continue it."""

    verdict: ReferralDecision
    words: str
    pocket: Pocket | None = None


@command(Duty.INSPECT, Duty.CORRECT, when={*SEALED_PHASES, Phase.SUSPENDED}, signatures=2)
class AttestResult(SpinCommand, frozen=True):
    """Two people attest where the ball lay, before an interruption or against the wheel's report."""

    pocket: Pocket
    words: str


@command(Duty.CORRECT, signatures=2)
class CorrectResult(TableCommand, frozen=True):
    """Correct a settled round: replace its number and settle it again."""

    round: RoundNumber
    pocket: Pocket
    words: str


@command(Duty.DECIDE, signatures=2)
class InvalidateOutcome(TableCommand, frozen=True):
    """Invalidate an outcome for a reason that the rules list."""

    round: RoundNumber
    reason: Reason
    words: str
    #: Who is accused, where the reason is a fraud.
    suspect: PersonId = PersonId("")
    #: The reference of a recording or document that is kept as evidence.
    evidence: str = ""
