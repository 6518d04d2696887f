"""The extent of a round: from its opening to the last entry about it, found from the journal's end."""

from croupier.house.event.base import AtRound
from croupier.house.event.record import BetsConfirmed, BetsVoided, CaseCleared, LineLossCleared, MalfunctionRaised
from croupier.house.event.round import BetsOpened
from croupier.house.name import RoundNumber, TableId
from croupier.house.state import House
from croupier.journal.entry import Entry


class Extent:
    """Finds the entries of a round, corrections, cases and disputes among them, from the last back to its opening."""

    def __init__(self, house: House, table: TableId, number: RoundNumber) -> None:
        self._here = (table, number)
        self._disputes = {each.number for each in house.disputes.values() if (each.table, each.round) == self._here}
        self._cases = {each.number for each in house.cases.values() if self._here in each.questioned}
        #: The first and the last entry about it; 0 where none was found yet.
        self.first = self.last = 0
        #: Whether its opening was found.
        self.whole = False

    def take(self, entry: Entry) -> bool:
        if self._is_about_it(entry):
            self.first, self.last = entry.position, self.last or entry.position
            self.whole = isinstance(entry.event, BetsOpened)
        return self.whole

    def _is_about_it(self, entry: Entry) -> bool:
        match entry.event:
            case AtRound(table=table, round=number):
                return (table, number) == self._here
            case MalfunctionRaised() | BetsConfirmed() | BetsVoided() | CaseCleared():
                return entry.event.case in self._cases
            case LineLossCleared(cases=cases):
                return any(case in self._cases for case in cases)
            case event:
                return getattr(event, "dispute", None) in self._disputes
