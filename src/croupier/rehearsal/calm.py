"""The calm after the faults: everybody is answered, and every round comes to its end within a bounded time."""

from collections.abc import Callable
from typing import Final

from croupier.house.command import round  # noqa: A004 - the casino's word
from croupier.house.name import RoundNumber, TableId
from croupier.rehearsal.auditor.finding import never
from croupier.rehearsal.cast import dealer, wheel
from croupier.rehearsal.stage import WORDS, Stage
from croupier.rules.staff import Duty

#: How many steps of one second everybody's last answer may take, a round at a dealer's hands, and one that is referred.
ANSWERED_WITHIN: Final = 70
ENDED_WITHIN: Final = 25
DECIDED_WITHIN: Final = 12


def bring_to_an_end(stage: Stage, go_on: Callable[[], None]) -> None:
    """Wait for the last answers, and then for the last rounds."""
    for _ in range(ANSWERED_WITHIN):
        if not _waiting(stage):
            break
        go_on()
    never("I24", f"{_waiting(stage)} were never answered", when=bool(_waiting(stage)))
    running = {table.id: table.rounds for table in stage.house.tables.values()}
    _until_over(stage, running, ENDED_WITHIN, _play_on, go_on)
    _until_over(stage, running, DECIDED_WITHIN, _refer, go_on)
    left = _open(stage, running)
    never("I24", f"rounds did not end: {left}", when=bool(left))


def _waiting(stage: Stage) -> list[object]:
    return [waiting.asked for client in stage.clients.values() for waiting in client.waiting.values()]


def _open(stage: Stage, running: dict[TableId, RoundNumber]) -> list[object]:
    """Name the rounds that ran when calm came and run still."""
    tables = (stage.house.tables[name] for name in running)
    return [
        (each.id, each.round)
        for each in tables
        if each.round and not each.round.over and each.rounds == running[each.id]
    ]


def _until_over(
    stage: Stage,
    running: dict[TableId, RoundNumber],
    most: int,
    deed: Callable[[Stage], None],
    go_on: Callable[[], None],
) -> None:
    for _ in range(most):
        if not _open(stage, running):
            return
        deed(stage)
        go_on()


def _play_on(stage: Stage) -> None:
    """Have dealer and wheel do what comes next."""
    dealer.turn(stage)
    wheel.turn(stage)


def _refer(stage: Stage) -> None:
    """Where a round has stuck, those who may put it before whoever decides, who calls it void."""
    for table in stage.house.tables.values():
        stage.by(Duty.DEAL, round.ReferRound(table.id, WORDS))
        stage.by(Duty.DECIDE, round.DecideReferral(table.id, round.Verdict.VOID, WORDS))
