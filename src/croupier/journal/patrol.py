"""The patrol: the whole chain proven again every gaming day, a few pages at a time, while the house is open."""

from croupier.house.name import Day
from croupier.journal.chain import Sheet
from croupier.journal.proof import proven
from croupier.journal.signature import Verifier
from croupier.journal.store import Store


class Patrol:
    """Walks the journal from its first page to its last, once a day; Damaged stops the house."""

    def __init__(self, store: Store, verifier: Verifier) -> None:
        self._store, self._verifier = store, verifier
        self._sheets = proven(store, verifier)
        #: The last day on which the whole journal was found whole.
        self.walked = Day(0)

    def walk(self, day: Day, pages: int) -> bool:
        """Prove so many pages more; tell whether all have been proven on this day."""
        for _ in range(pages if self.walked < day else 0):
            if self._step() is None:
                self.walked = day
                break
        return self.walked >= day

    def _step(self) -> Sheet | None:
        """Prove one page more; after the last, or one that is wrong, begin with the first again."""
        sheet = None
        try:
            sheet = next(self._sheets, None)
        finally:
            if sheet is None:
                self._sheets = proven(self._store, self._verifier)
        return sheet
