"""After a start: what must have become of rounds that were running, by simple rules of its own."""

from croupier.house.event.venue import HouseRecovered
from croupier.house.settings import WheelKind
from croupier.house.state import House
from croupier.house.table import Table
from croupier.journal.entry import Entry
from croupier.rehearsal.auditor.finding import never
from croupier.rules.irregularity import Reason

#: What a start breaks that does not decide what it found.
RECOVERY = "recovery"


def recovered(house: House, first: Entry) -> None:
    """Hold the first page of a start against what every start must do, before anything else."""
    said = isinstance(first.event, HouseRecovered)
    never(RECOVERY, f"entry {first.position} is the first of a start and says {first.event}", when=not said)
    for table in house.tables.values():
        wrong = _undecided(table)
        never(RECOVERY, f"after a start {table.id} has a round that {wrong}", when=bool(wrong))


def _undecided(table: Table) -> str:
    """Say what should have been void: bets that were open, and a number that a random wheel may have drawn."""
    round_ = table.round
    knows = any(each.reason is Reason.MALFUNCTION for each in table.rulebook.irregularities)
    if round_ is None or round_.over or round_.no_spin:
        return ""
    if round_.sealed is None:
        return "takes bets as if nothing had been" if knows else ""
    drawn = table.settings.wheel is WheelKind.RANDOM and round_.reported is None
    return "may have been drawn for already" if drawn else ""
