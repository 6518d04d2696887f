"""The patrol: the whole chain proven again every gaming day, a little at a time, while the house is open."""

from collections.abc import Iterator
from typing import Final

from croupier.house.name import Day
from croupier.journal.chain import Sheet, follow
from croupier.journal.checkpoint import Checkpoint
from croupier.journal.fault import Damaged
from croupier.journal.page import BEGINNING
from croupier.journal.proof import stated, vouched
from croupier.journal.signature import Verifier
from croupier.journal.store import Store

#: A signature takes as long to hold as so many entries.
ENTRIES_PER_SIGNATURE: Final = 10


class Walk:
    """Goes through the journal once, from its first page to its last, and proves every piece; or it is Damaged."""

    def __init__(self, store: Store, verifier: Verifier) -> None:
        self._store, self._verifier = store, verifier
        #: How far it has come, and how many checkpoints were held on the way.
        self.mark, self.met = BEGINNING, 0
        #: The checkpoint that comes next, where there is one yet.
        self._ahead: Checkpoint | None = None

    def pieces(self) -> Iterator[Sheet | None]:
        """Prove page after page, and each checkpoint in its place, for which there is None."""
        for sheet in follow(self._store.pages(), self.mark):
            # At the page before somebody may have signed since it was proven.
            yield from self._meet()
            self.mark = sheet.page.mark
            yield from self._meet()
            yield sheet
        yield from self._meet()
        if self._ahead is not None:
            raise Damaged(self.mark.position + 1, f"the journal ends before checkpoint {self.met + 1}")

    def _meet(self) -> Iterator[None]:
        """Hold the checkpoints whose place has come."""
        self._ahead = self._ahead or self._store.next_checkpoint(self.met)
        while self._ahead is not None and stated(self._ahead, self.mark).page <= self.mark.page:
            self._hold(self._ahead)
            self.met += 1
            self._ahead = self._store.next_checkpoint(self.met)
            yield None

    def _hold(self, checkpoint: Checkpoint) -> None:
        """Hold the next checkpoint against the chain; Damaged where it is another than it should be."""
        said = vouched(checkpoint, self._verifier, self.mark)
        if said.number != self.met + 1:
            raise Damaged(said.position, f"checkpoint {said.number} does not follow checkpoint {self.met}")
        if said.mark != self.mark:
            raise Damaged(said.position, f"checkpoint {said.number} was signed over another journal")


def worth(piece: Sheet | None) -> int:
    """Tell how many entries a piece is worth."""
    return ENTRIES_PER_SIGNATURE if piece is None else len(piece.entries)


class Patrol:
    """Walks the journal from its first page to its last, once a day; Damaged stops the house."""

    def __init__(self, store: Store, verifier: Verifier) -> None:
        self._store, self._verifier = store, verifier
        self._pieces = Walk(store, verifier).pieces()
        #: The last day on which the whole journal was found whole.
        self.walked = Day(0)

    def walk(self, day: Day, entries: int) -> bool:
        """Prove so many entries more, and those of their last page; tell whether all have been proven on this day."""
        while self.walked < day and entries > 0:
            piece = self._step()
            if piece == 0:
                self.walked = day
            entries -= piece
        return self.walked >= day

    def _step(self) -> int:
        """Prove one piece more; after the last, or one that is wrong, begin with the first again."""
        piece = 0
        try:
            piece = next(map(worth, self._pieces), 0)
        finally:
            if piece == 0:
                self._pieces = Walk(self._store, self._verifier).pieces()
        return piece
