"""The patrol: the whole chain proven again every gaming day, a little at a time, while the house is open."""

from collections.abc import Iterator
from typing import Final

from croupier.house.name import Day
from croupier.journal.chain import follow
from croupier.journal.checkpoint import Checkpoint
from croupier.journal.fault import Damaged
from croupier.journal.page import BEGINNING, Mark
from croupier.journal.proof import stated, vouched
from croupier.journal.signature import Verifier
from croupier.journal.store import Store

#: A signature takes as long to hold as so many entries.
ENTRIES_PER_SIGNATURE: Final = 10


class Patrol:
    """Walks the journal from its first page to its last, once a day; Damaged stops the house."""

    def __init__(self, store: Store, verifier: Verifier) -> None:
        self._store, self._verifier = store, verifier
        #: How many checkpoints were held on this walk, and the one that comes next, where there is one yet.
        self._met = 0
        self._ahead: Checkpoint | None = None
        self._pieces = self._from_the_first()
        #: The last day on which the whole journal was found whole.
        self.walked = Day(0)

    def walk(self, day: Day, entries: int) -> bool:
        """Prove so many entries more, and those of their last page; tell whether all have been proven on this day."""
        while self.walked < day and entries > 0:
            piece = self._step()
            if piece is None:
                self.walked = day
            else:
                entries -= piece
        return self.walked >= day

    def _step(self) -> int | None:
        """Prove one piece more; after the last, or one that is wrong, begin with the first again."""
        piece = None
        try:
            piece = next(self._pieces, None)
        finally:
            if piece is None:
                self._pieces = self._from_the_first()
        return piece

    def _from_the_first(self) -> Iterator[int]:
        """Prove page after page, and each checkpoint in its place; tell of every piece how many entries it is worth."""
        mark, self._met, self._ahead = BEGINNING, 0, None
        for sheet in follow(self._store.pages(), mark):
            # At the page before somebody may have signed since it was proven.
            yield from self._meet(mark)
            mark = sheet.page.mark
            yield from self._meet(mark)
            yield len(sheet.entries)
        yield from self._meet(mark)
        if self._ahead is not None:
            raise Damaged(mark.position + 1, f"the journal ends before checkpoint {self._met + 1}")

    def _meet(self, mark: Mark) -> Iterator[int]:
        """Hold the checkpoints whose place has come."""
        self._ahead = self._ahead or self._store.next_checkpoint(self._met)
        while self._ahead is not None and stated(self._ahead, mark).page <= mark.page:
            self._hold(self._ahead, mark)
            self._met += 1
            self._ahead = self._store.next_checkpoint(self._met)
            yield ENTRIES_PER_SIGNATURE

    def _hold(self, checkpoint: Checkpoint, mark: Mark) -> None:
        """Hold the next checkpoint against the chain; Damaged where it is another than it should be."""
        said = vouched(checkpoint, self._verifier, mark)
        if said.number != self._met + 1:
            raise Damaged(said.position, f"checkpoint {said.number} does not follow checkpoint {self._met}")
        if said.mark != mark:
            raise Damaged(said.position, f"checkpoint {said.number} was signed over another journal")
