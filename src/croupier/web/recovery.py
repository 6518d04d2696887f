"""Recovery told: what a start found at each table and did about it, for its screens."""

from croupier.engine.run import Run
from croupier.house.event.base import AtRound, Event
from croupier.house.event.round import BetsSealed
from croupier.house.explanation import explained
from croupier.house.name import TableId
from croupier.web.change import MOVES_ALL
from croupier.web.outgoing import Notice


def notices(run: Run) -> dict[TableId, Notice]:
    """Say of every table with a round that was running what the start has done; nothing of those it left alone."""
    told = explained(tuple(entry.event for entry in run.recovery.entries))
    return {
        table: Notice(each.round, "recovered", each.clause, f"The system was restarted: {each.done}.")
        for table, each in told.items()
        if each.acted
    }


def outdates(event: Event, table: TableId, notice: Notice) -> bool:
    """Tell whether a table has gone on from where a start left it: with that round, or to the close of the next."""
    if not isinstance(event, AtRound) or not isinstance(event, MOVES_ALL) or event.table != table:
        return False
    return event.round == notice.round or (event.round > notice.round and isinstance(event, BetsSealed))
