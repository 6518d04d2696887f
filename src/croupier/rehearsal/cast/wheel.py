"""Wheels: what sensors and random sources report, in time, early, twice, or of numbers that they do not have."""

from typing import Final

from croupier.house.command.round import BallAtRest, BallLaunched, BallLeftTrack, WheelTrouble
from croupier.house.name import RoundNumber
from croupier.house.settings import WheelKind
from croupier.house.table import Phase, Table
from croupier.rehearsal.stage import Menu, Stage
from croupier.rules.irregularity import Reason
from croupier.rules.pocket import Pocket
from croupier.rules.procedure import Closing

#: What a sensor may see of the turns and of the direction: mostly a spin that holds.
TURNS: Final = (*(9,) * 20, None, 2, 0)
SIGHTS: Final = (*(True,) * 20, None, False)
#: Where betting goes on while the ball runs.
RUNS_WHILE_OPEN: Final = (Closing.AFTER_LAUNCH, Closing.DURING_SPIN)


def turn(stage: Stage) -> None:
    """Report what comes next at a table that runs as it should."""
    table = stage.table()
    if table.settings.wheel is WheelKind.RANDOM:
        draw(stage, table)
    elif table.settings.wheel is WheelKind.SENSOR:
        report(stage, table)


def report(stage: Stage, table: Table) -> None:
    open_ = table.phase is Phase.OPEN and table.rulebook.procedure.closes.does in RUNS_WHILE_OPEN
    if (open_ and stage.chance(20)) or table.phase is Phase.CLOSED:
        launch = BallLaunched(table.id, stage.any(SIGHTS), turning=not stage.chance(3))
        stage.ask(table.id, launch)
    elif table.phase is Phase.RUNNING:
        turns = stage.any(TURNS)
        stage.ask(table.id, stage.one_of(BallLeftTrack(table.id, turns), rest(stage, table, stage.pocket())))


def rest(stage: Stage, table: Table, pocket: Pocket) -> BallAtRest:
    spin_id = stage.any((None, table.rounds, table.spin_id))
    return BallAtRest(table.id, pocket, stage.any(TURNS), stage.any(SIGHTS), spin_id)


def draw(stage: Stage, table: Table) -> None:
    """Draw once for a round whose bets are sealed; asked again, say again what was drawn."""
    if table.phase is Phase.CLOSED and table.rulebook.procedure.closes.does in RUNS_WHILE_OPEN:
        stage.ask(table.id, BallLaunched(table.id))
    elif table.phase in (Phase.CLOSED, Phase.RUNNING):
        pocket = stage.drawn.setdefault((table.id, RoundNumber(table.rounds)), stage.pocket())
        stage.ask(table.id, BallAtRest(table.id, pocket))
    elif table.phase is Phase.OPEN:
        report(stage, table)


def report_out_of_turn(stage: Stage) -> None:
    """Report a launch or a number whatever the round does, perhaps one that is not on the wheel."""
    table = stage.table()
    frame = stage.one_of(
        BallLaunched(table.id, stage.any(SIGHTS), stage.any(SIGHTS)),
        BallLeftTrack(table.id, stage.any(TURNS)),
        rest(stage, table, stage.any((stage.pocket(), Pocket("37"), Pocket("00"), *table.numbers[:1]))),
    )
    stage.ask(table.id, frame)


def report_trouble(stage: Stage) -> None:
    table = stage.table()
    stage.ask(table.id, WheelTrouble(table.id, stage.any(list(Reason))))


MENU: Final[Menu] = {turn: 40, report_out_of_turn: 3, report_trouble: 1}
