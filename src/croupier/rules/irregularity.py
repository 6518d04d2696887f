"""Irregularities: what can go wrong with a spin or an outcome, and what the venue's rules then do."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from croupier.rules.clause import ClauseId


class Reason(StrEnum):
    """What went wrong, the most telling first: where several hold, the first that the venue knows is recorded."""

    BALL_OUT_OF_WHEEL = "ball_out_of_wheel"
    BALL_BROKEN = "ball_broken"
    BALL_NOT_SEATED = "ball_not_seated"
    WHEEL_NOT_TURNING = "wheel_not_turning"
    WHEEL_STOPPED = "wheel_stopped"
    SAME_DIRECTION = "same_direction"
    FOREIGN_OBJECT = "foreign_object"
    INTERFERENCE = "interference"
    BALL_DROPPED = "ball_dropped"
    TOO_FEW_REVOLUTIONS = "too_few_revolutions"
    #: Called by the dealer before the ball has had the chance to prove it wrong.
    TOO_FEW_ANTICIPATED = "too_few_anticipated"
    #: The ball was seen to run, or to rest, while bets could still be placed.
    LAUNCH_BEFORE_CLOSE = "launch_before_close"
    RESULT_BEFORE_CLOSE = "result_before_close"
    SUSPICION = "suspicion"
    MALFUNCTION = "malfunction"
    COMMOTION = "commotion"
    FIRE = "fire"
    RIOT = "riot"
    BRAWL = "brawl"
    ROBBERY = "robbery"
    ACT_OF_GOD = "act_of_god"
    FRAUD_BY_PLAYER = "fraud_by_player"
    FRAUD_BY_DEALER = "fraud_by_dealer"
    NOT_COVERED = "not_covered"


class Effect(StrEnum):
    """What an irregularity does to the round."""

    #: The round is void and every stake goes back.
    VOID_ROUND = "void_round"
    #: The round is void where no outcome is established, and concluded where one is.
    CONCLUDE_OR_VOID = "conclude_or_void"
    #: The spin is void: terminals are reset and their stakes go back, chips on a table stay, and the ball is spun
    #: again in the same round.
    RESET_AND_RESPIN = "reset_and_respin"
    #: The spin is void: chips stay their owners', who may change them, and the ball is spun again.
    KEEP_AND_RESPIN = "keep_and_respin"
    #: The outcome is taken back, before or after payment, and every stake goes back.
    INVALIDATE = "invalidate"
    #: A person decides.
    REFER = "refer"


@dataclass(frozen=True, slots=True)
class Irregularity:
    """One thing that can go wrong: the clause on it, what it does, and who may say so."""

    reason: Reason
    clause: ClauseId
    effect: Effect
    #: Titles that may announce it; empty where the system itself does.
    by: tuple[str, ...] = ()
    #: Whether a sensor's word is enough while the ball runs; otherwise it only prompts those who may announce it.
    sensed: bool = False


@dataclass(frozen=True, slots=True)
class Spin:
    """What was seen of a spin, by sensors or by the dealer."""

    opposite: bool
    revolutions: int
    turning_at_launch: bool = True
    turning_throughout: bool = True
    ball_in_wheel: bool = True
    ball_whole: bool = True
    ball_seated: bool = True
    clear_of_objects: bool = True
    untouched: bool = True


def seen_in(spin: Spin, *, revolutions_least: int) -> Iterator[Reason]:
    """Name all that was wrong with a spin, in the order of Reason."""
    sights = (
        (Reason.BALL_OUT_OF_WHEEL, spin.ball_in_wheel),
        (Reason.BALL_BROKEN, spin.ball_whole),
        (Reason.BALL_NOT_SEATED, spin.ball_seated),
        (Reason.WHEEL_NOT_TURNING, spin.turning_at_launch),
        (Reason.WHEEL_STOPPED, spin.turning_throughout),
        (Reason.SAME_DIRECTION, spin.opposite),
        (Reason.FOREIGN_OBJECT, spin.clear_of_objects),
        (Reason.INTERFERENCE, spin.untouched),
        # Without a single turn the ball was dropped, not spun: the more telling of the two reasons.
        (Reason.BALL_DROPPED, spin.revolutions > 0 or revolutions_least == 0),
        (Reason.TOO_FEW_REVOLUTIONS, spin.revolutions >= revolutions_least),
    )
    return (reason for reason, good in sights if not good)


def find(irregularities: tuple[Irregularity, ...], reason: Reason) -> Irregularity:
    """Find what a venue's rules say of a reason; what they do not name falls under what is not covered."""
    known = {irregularity.reason: irregularity for irregularity in irregularities}
    return known.get(reason) or known[Reason.NOT_COVERED]


def judge(spin: Spin, irregularities: tuple[Irregularity, ...], *, revolutions_least: int) -> Irregularity | None:
    """Find what a venue's rules hold against a spin; what they do not name falls under what is not covered."""
    known = {irregularity.reason: irregularity for irregularity in irregularities}
    seen = tuple(seen_in(spin, revolutions_least=revolutions_least))
    if not seen:
        return None
    return next((known[reason] for reason in seen if reason in known), known[Reason.NOT_COVERED])
