"""Dealers: the steps of a round as each venue has them, steps out of turn, no spin, wrong numbers and their mending."""

from typing import Final

from croupier.house.command import round  # noqa: A004 - the casino's word
from croupier.house.command.record import ClearIncident
from croupier.house.name import PersonId
from croupier.house.settings import WheelKind
from croupier.house.table import Ball, Phase, Table
from croupier.rehearsal.cast.wheel import RUNS_WHILE_OPEN
from croupier.rehearsal.stage import WORDS, Menu, Stage
from croupier.rules.irregularity import Reason
from croupier.rules.staff import Duty

#: What is called off most often.
COMMON: Final = (Reason.FOREIGN_OBJECT, Reason.TOO_FEW_REVOLUTIONS, Reason.SUSPICION, Reason.MALFUNCTION)


def turn(stage: Stage) -> None:
    """Do what comes next at a table that runs as it should."""
    table = stage.table()
    match table.phase:
        case Phase.BETWEEN:
            open_bets(stage, table)
        case Phase.OPEN | Phase.OPEN_RUNNING if not stage.chance(30):
            pass
        case Phase.OPEN if table.rulebook.procedure.closes.does in RUNS_WHILE_OPEN:
            stage.by(Duty.DEAL, round.SpinBall(table.id))
        case Phase.OPEN | Phase.OPEN_RUNNING:
            stage.by(Duty.DEAL, stage.one_of(round.CloseBets(table.id), round.FinishBetting(table.id)))
        case Phase.CLOSED:
            stage.by(Duty.DEAL, round.SpinBall(table.id))
        case Phase.RUNNING | Phase.AT_REST:
            name_number(stage, table)
        case Phase.NO_SPIN:
            stage.by(Duty.DEAL, round.ResetTerminals(table.id))
        case Phase.SUSPENDED:
            decide(stage, table)
        case _:
            # The warning runs, and the clock closes.
            pass


def open_bets(stage: Stage, table: Table) -> None:
    """See to what was reported since, and open the next round."""
    for incident in stage.house.incidents.values():
        if incident.subject == table.id and incident.cleared_by is None:
            stage.by(Duty.DEAL, ClearIncident(incident.number))
            return
    stage.by(Duty.DEAL, round.OpenBets(table.id))


def name_number(stage: Stage, table: Table) -> None:
    """Confirm what the wheel reported, or enter what it did not; now and then a wrong number."""
    playing = table.playing
    if playing.interrupted:
        stage.by(Duty.INSPECT, round.AttestResult(table.id, playing.reported or stage.pocket(), WORDS))
    elif playing.reported is not None:
        pocket = stage.pocket() if stage.chance(10) else playing.reported
        stage.by(Duty.DEAL, round.ConfirmResult(table.id, pocket, round=playing.number, spin=playing.spin))
    elif table.settings.wheel is WheelKind.KEYPAD and playing.ball is Ball.SPINNING:
        pocket = stage.pocket()
        again = stage.pocket() if stage.chance(10) else pocket
        confirmed = round.ConfirmResult(table.id, pocket)
        stage.by(Duty.DEAL, stage.one_of(round.EnterResult(table.id, pocket, again), confirmed))


def decide(stage: Stage, table: Table) -> None:
    playing, verdict = table.playing, stage.any(list(round.Verdict))
    if playing.interrupted and stage.chance(50):
        stage.by(Duty.INSPECT, round.AttestResult(table.id, playing.reported or stage.pocket(), WORDS))
    pocket = stage.any((None, playing.reported, stage.pocket()))
    stage.by(Duty.DECIDE, round.DecideReferral(table.id, verdict, WORDS, pocket, round=playing.number))


def out_of_turn(stage: Stage) -> None:
    """Do any step, whatever the round does."""
    table = stage.table().id
    pocket = stage.pocket()
    step = stage.one_of(
        *(kind(table) for kind in (round.OpenBets, round.FinishBetting, round.CloseBets, round.SpinBall)),
        round.ResetTerminals(table),
        round.ConfirmResult(table, pocket),
        round.EnterResult(table, pocket, pocket),
        round.ReferRound(table, WORDS),
    )
    stage.by(Duty.DEAL, step)


def call_no_spin(stage: Stage) -> None:
    table = stage.table()
    reason = stage.any(COMMON if stage.chance(80) else list(Reason))
    called = round.CallNoSpin(
        table.id, reason, WORDS, before_rest=stage.chance(80), ball_removed=stage.chance(50), round=table.rounds
    )
    stage.by(stage.any((Duty.DEAL, Duty.DECIDE)), called)


def mend(stage: Stage) -> None:
    """Put a number that was settled right, or take an outcome back; somebody else must sign too."""
    table = stage.table()
    played = stage.past_round(table)
    if played is None:
        return
    if stage.chance(75):
        stage.by(Duty.CORRECT, round.CorrectResult(table.id, played.number, stage.pocket(), WORDS))
    else:
        reason, suspect = stage.any((Reason.FIRE, Reason.FRAUD_BY_PLAYER)), PersonId("somebody")
        stage.by(Duty.DECIDE, round.InvalidateOutcome(table.id, played.number, reason, WORDS, suspect))


MENU: Final[Menu] = {turn: 80, out_of_turn: 3, call_no_spin: 2, mend: 5}
