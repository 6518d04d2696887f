"""Results: the number that a command names, which is the only one that may be declared for it."""

from croupier.house.command import round as asked
from croupier.house.command.base import Command
from croupier.house.event.base import Event
from croupier.house.event.round import ResultCorrected, ResultDeclared
from croupier.rehearsal.auditor.finding import agree
from croupier.rehearsal.auditor.model import Model


def named(model: Model, command: Command, event: Event) -> None:
    """Hold a declared or corrected number against the one that was reported, confirmed, entered or decided."""
    if not isinstance(event, ResultDeclared | ResultCorrected):
        return
    pocket = getattr(command, "pocket", None)
    if isinstance(command, asked.DecideReferral) and (pocket is None or command.verdict is asked.Verdict.GO_ON):
        round_ = model.tables[event.table].round
        pocket = None if round_ is None else round_.reported
    agree("I10", f"the number declared for {command}", event.pocket, pocket)
