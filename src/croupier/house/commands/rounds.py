"""What runs a round: the dealer's steps, the wheel's reports, the clock, and what goes wrong."""

from enum import StrEnum

from croupier.house.base import (
    BETTING_PHASES,
    ROUND_PHASES,
    SEALED_PHASES,
    Command,
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
    """Time has passed; with the gaming day where it is known, and when that ends."""

    day: Day | None = None
    day_ends_at: Instant | None = None


@command(MachineRole.SYSTEM)
class Recover(Command, frozen=True):
    """The system has come back: decide every round that was running by the rulebook."""


@command(MachineRole.SYSTEM, Duty.DEAL, when={Phase.BETWEEN})
class OpenBets(TableCommand, frozen=True):
    """Begin a round: bets may be placed."""


@command(MachineRole.SYSTEM, Duty.DEAL, when={Phase.OPEN, Phase.OPEN_RUNNING})
class FinishBetting(TableCommand, frozen=True):
    """Warn that betting is about to close."""


@command(MachineRole.SYSTEM, Duty.DEAL, when=BETTING_PHASES)
class CloseBets(TableCommand, frozen=True):
    """Close betting: no more bets. Where players are to be warned first, this begins the warning."""


@command(Duty.DEAL, when={*BETTING_PHASES, Phase.CLOSED} - {Phase.OPEN_RUNNING})
class SpinBall(TableCommand, frozen=True):
    """The dealer spins the ball, where no sensor says so."""


@command(MachineRole.WHEEL)
class BallLaunched(TableCommand, frozen=True):
    """The wheel saw the ball set going. What it could not see is None."""

    opposite: bool | None = None
    turning: bool | None = None


@command(MachineRole.WHEEL)
class BallLeftTrack(TableCommand, frozen=True):
    """The wheel saw the ball leave the track."""

    revolutions: int | None = None


@command(MachineRole.WHEEL)
class BallAtRest(TableCommand, frozen=True):
    """The wheel reports the pocket in which the ball came to rest, and what it saw of the spin."""

    pocket: Pocket
    revolutions: int | None = None
    opposite: bool | None = None
    #: The wheel's own count of its spins, where it has one: a spin counts once.
    spin_id: int | None = None


@command(MachineRole.WHEEL)
class WheelTrouble(TableCommand, frozen=True):
    """The wheel saw something go wrong."""

    reason: Reason


@command(Duty.DEAL, when={Phase.RUNNING, Phase.AT_REST})
class ConfirmResult(SpinCommand, frozen=True):
    """The dealer confirms the number, and that the spin was a valid one."""

    pocket: Pocket


@command(Duty.DEAL, when={Phase.RUNNING, Phase.AT_REST})
class EnterResult(SpinCommand, frozen=True):
    """A number that was not displayed is entered by hand, twice."""

    pocket: Pocket
    again: Pocket


@command(Duty.DEAL, when=ROUND_PHASES - {Phase.NO_SPIN})
class CallNoSpin(SpinCommand, frozen=True):
    """Somebody announces that the spin does not count, and why."""

    reason: Reason
    words: str = ""
    #: Whether the cause arose before the ball came to rest.
    before_rest: bool = True
    ball_removed: bool = False


@command(Duty.DEAL, when={Phase.NO_SPIN})
class ResetTerminals(TableCommand, frozen=True):
    """After a no spin, give stakes back and let play go on in the same round."""


@command(Duty.DEAL, when=ROUND_PHASES - {Phase.SUSPENDED})
class ReferRound(TableCommand, frozen=True):
    """Put a doubt before whoever decides; nothing moves until then."""

    words: str


class ReferralDecision(StrEnum):
    """How a referred round goes on."""

    VOID = "void"
    SETTLE = "settle"
    GO_ON = "go_on"


@command(Duty.DECIDE, when={Phase.SUSPENDED})
class DecideReferral(SpinCommand, frozen=True):
    """Decide a referred round: void it, settle it on a number, or let it go on."""

    verdict: ReferralDecision
    words: str
    pocket: Pocket | None = None


@command(Duty.INSPECT, Duty.CORRECT, when={*SEALED_PHASES, Phase.SUSPENDED}, signatures=2)
class AttestResult(SpinCommand, frozen=True):
    """Two people attest where the ball lay: before an interruption, or where the wheel reported another number."""

    pocket: Pocket
    words: str


@command(Duty.CORRECT, signatures=2)
class CorrectResult(TableCommand, frozen=True):
    """Put the true number in the place of a wrong one that was settled."""

    round: RoundNumber
    pocket: Pocket
    words: str


@command(Duty.DECIDE, signatures=2)
class InvalidateOutcome(TableCommand, frozen=True):
    """Take an outcome back for a reason that the rules list."""

    round: RoundNumber
    reason: Reason
    words: str
    #: Who is accused, where the reason is a fraud.
    suspect: PersonId = PersonId("")
