"""Recall: the last games of a terminal, as they are shown again step by step."""

from collections.abc import Iterable, Sequence

from croupier.house.felt import Stakes
from croupier.house.name import TerminalId
from croupier.house.state import House
from croupier.house.terminal import GameRecord, Step
from croupier.web import seatdata
from croupier.web.limits import RECALL_MOST
from croupier.web.outgoing import Games


def recall(house: House, name: TerminalId) -> Games:
    """Tell the last games of a terminal, the newest first."""
    return Games(games=tuple(map(_game, reversed(house.terminals[name].recall))))


def _game(record: GameRecord) -> seatdata.PlayedGame:
    early = _folded(record.steps)
    return seatdata.PlayedGame(
        table=record.table,
        round=record.round,
        at_start=_fold(record.at_start, record.steps[:early]),
        steps=tuple(seatdata.Step(step.at, step.how, dict(step.stakes)) for step in record.steps[early:]),
        sealed=record.sealed,
        pocket=record.pocket,
        staked=record.staked,
        returned=record.returned,
        credit=record.credit,
    )


def _folded(steps: Sequence[Step]) -> int:
    """Tell how many of the first steps are not shown one by one, where there is more to them all than is sent."""
    early, stakes = len(steps), 0
    while early and stakes + len(steps[early - 1].stakes) <= RECALL_MOST:
        early -= 1
        stakes += len(steps[early].stakes)
    return early


def _fold(layout: Stakes, steps: Iterable[Step]) -> Stakes:
    """Tell what lies on a layout after some steps."""
    after = dict(layout)
    for step in steps:
        after.update(step.stakes)
    return {spot: stake for spot, stake in after.items() if stake}
