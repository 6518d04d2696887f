"""Deeds of the pit: what a wheel reports, what the system does by itself, and what staff do about a round."""

from typing import Final

from croupier.house.command.record import RaiseMalfunction, RaiseSystemMalfunction, ReportBoard
from croupier.house.command.round import (
    AttestResult,
    BallAtRest,
    BallLaunched,
    BallLeftTrack,
    CallNoSpin,
    CloseBets,
    ConfirmResult,
    CorrectResult,
    DecideReferral,
    EnterResult,
    FinishBetting,
    InvalidateOutcome,
    OpenBets,
    Recover,
    ReferRound,
    ResetTerminals,
    SpinBall,
    Tick,
    Verdict,
    WheelTrouble,
)
from croupier.house.command.venue import ApproveSoftware, ReportSoftware
from croupier.rounds.cast import Scene
from croupier.rounds.deed import Deeds
from croupier.rounds.place import seat_named
from croupier.rules.pocket import Pocket


def _valid(at: Scene, pocket: Pocket) -> BallAtRest:
    """A valid spin against the rotor, with the revolutions that were counted before or those that the rules ask for."""
    figure, round_ = at.here.rulebook.procedure.revolutions, at.here.round
    least = 0 if figure is None else figure.figure
    counted = [each.revolutions for each in round_.sightings if each.revolutions is not None] if round_ else []
    turns = next((each for each in counted if each >= least), least or None)
    return BallAtRest(at.table, pocket, turns, opposite=True)


WHEEL: Final[Deeds] = {
    "launches the ball": lambda at: BallLaunched(at.table, opposite=True, turning=True),
    "launches the ball with the wheel": lambda at: BallLaunched(at.table, opposite=False, turning=True),
    "launches the ball, wheel still": lambda at: BallLaunched(at.table, turning=False),
    "POCKET": _valid,
    "POCKET after TIMES revolutions": lambda at, pocket, turns: BallAtRest(at.table, pocket, turns, opposite=True),
    "POCKET after TIMES revolutions with the wheel": lambda at, pocket, turns: BallAtRest(
        at.table, pocket, turns, opposite=False
    ),
    "POCKET after TIMES revolutions, direction unseen": lambda at, pocket, turns: BallAtRest(at.table, pocket, turns),
    "POCKET with the wheel": lambda at, pocket: BallAtRest(at.table, pocket, opposite=False),
    "POCKET against the wheel": lambda at, pocket: BallAtRest(at.table, pocket, opposite=True),
    "POCKET unseen": lambda at, pocket: BallAtRest(at.table, pocket),
    "ball leaves the track": lambda at: BallLeftTrack(at.table),
    "ball leaves the track after TIMES revolutions": lambda at, turns: BallLeftTrack(at.table, turns),
    "trouble REASON": lambda at, reason: WheelTrouble(at.table, reason),
}

_MALFUNCTION: Final[Deeds] = {
    "malfunction seat N FAULT": lambda at, seat, fault: RaiseMalfunction(seat_named(seat), fault, at.words),
    "malfunction seat N FAULT WORDS": lambda _, seat, fault, words: RaiseMalfunction(seat_named(seat), fault, words),
    "malfunction": lambda at: RaiseSystemMalfunction(at.table, at.words),
    "malfunction DOUBT": lambda at, words: RaiseSystemMalfunction(at.table, words),
}

SYSTEM: Final[Deeds] = {
    "opens bets": lambda at: OpenBets(at.table),
    "no more bets": lambda at: CloseBets(at.table),
    "waits": lambda _: None,
    "recovers": lambda _: Recover(),
    "software WORD": lambda _, version: ReportSoftware(version),
    "approves software WORD": lambda at, version: ApproveSoftware(version, at.words),
    "begins day DATE": lambda _, day: Tick(day),
    "board shows POCKET": lambda at, number: ReportBoard(at.table, number),
    **_MALFUNCTION,
}


def _decides(at: Scene, verdict: Verdict, words: str, pocket: Pocket | None = None) -> DecideReferral:
    return DecideReferral(at.table, verdict, words, pocket)


STAFF: Final[Deeds] = {
    "opens bets": lambda at: OpenBets(at.table),
    "finish betting": lambda at: FinishBetting(at.table),
    "no more bets": lambda at: CloseBets(at.table),
    "spins": lambda at: SpinBall(at.table),
    "confirms POCKET": lambda at, pocket: ConfirmResult(at.table, pocket),
    "enters POCKET and POCKET": lambda at, pocket, again: EnterResult(at.table, pocket, again),
    "no spin REASON": lambda at, reason: CallNoSpin(at.table, reason, at.words),
    "no spin REASON, ball removed": lambda at, reason: CallNoSpin(at.table, reason, at.words, ball_removed=True),
    "no spin REASON after rest": lambda at, reason: CallNoSpin(at.table, reason, at.words, before_rest=False),
    "resets": lambda at: ResetTerminals(at.table),
    "refers WORDS": lambda at, words: ReferRound(at.table, words),
    "decides void WORDS": lambda at, words: _decides(at, Verdict.VOID, words),
    "decides settle POCKET WORDS": lambda at, pocket, words: _decides(at, Verdict.SETTLE, words, pocket),
    "decides go on WORDS": lambda at, words: _decides(at, Verdict.GO_ON, words),
    "attests POCKET": lambda at, pocket: AttestResult(at.table, pocket, at.words),
    "corrects round N to POCKET": lambda at, number, pocket: CorrectResult(at.table, number, pocket, at.words),
    "invalidates round N REASON": lambda at, number, reason: InvalidateOutcome(at.table, number, reason, at.words),
    "invalidates round N REASON WORDS": lambda at, number, reason, suspect: InvalidateOutcome(
        at.table, number, reason, at.words, suspect
    ),
    **_MALFUNCTION,
}
