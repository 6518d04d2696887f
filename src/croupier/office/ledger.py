"""The ledger: the journal carried out again beside the house, with what documents ask of the past written down."""

from croupier.house.event.play import BetsChanged
from croupier.house.evolve import evolve
from croupier.house.state import House, Reader
from croupier.journal.entry import Entry
from croupier.office.days import Days
from croupier.office.rounds import Rounds
from croupier.office.tills import Tills
from croupier.office.wins import Wins


class Ledger:
    """A second house that follows the first: it knows what is kept alone, and how it came about."""

    def __init__(self, reader: Reader) -> None:
        self.house = House(reader)
        #: The last entry that was carried out.
        self.position = 0
        self.wins, self.rounds = Wins(), Rounds()
        self.tills = Tills(self.wins)
        self.days = Days(self.wins, self.tills)
        # A win that is held is known before the drawer that pays it moves, and a drawer before the day counts it.
        self._chapters = (self.wins, self.rounds, self.tills, self.days)

    def take(self, entry: Entry) -> bool:
        """Carry the next entry out; there are never enough of them."""
        assert entry.position == self.position + 1
        if type(entry.event) is BetsChanged:
            # Nearly every entry is one of these, and no document tells of it.
            evolve(self.house, entry.event, entry.stamp)
        else:
            for chapter in self._chapters:
                chapter.before(self.house, entry)
            evolve(self.house, entry.event, entry.stamp)
            for chapter in self._chapters:
                chapter.after(self.house, entry)
        self.position = entry.position
        return False
