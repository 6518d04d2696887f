"""The inspection: the whole journal of a house that is open, audited a little at a time."""

from collections.abc import Iterator
from typing import Final

from croupier.engine.archive import Archive
from croupier.engine.audit import BOOKS_EVERY
from croupier.engine.replay import carry_out
from croupier.house.soundness import unsound
from croupier.house.state import House, Reader
from croupier.journal.chain import Sheet
from croupier.journal.fault import Damaged
from croupier.journal.patrol import Walk, worth
from croupier.journal.proof import of_this_venue

#: How many entries are held and carried out between two turns: some milliseconds' work, besides a page that is longer.
ENTRIES_AT_ONCE: Final = 200


class Inspection:
    """Reads a journal from its first entry, and holds every digest, signature, account and meter against it."""

    def __init__(self, archive: Archive, reader: Reader) -> None:
        self._signer, self._house = archive.signer, House(reader)
        self._looked_at = 0
        self.walk = Walk(archive.store, archive.signer.verifier)
        self._pieces = self._inspected()
        #: What is wrong, where something is: nothing after it was looked at.
        self.fault: Damaged | None = None

    def step(self) -> bool:
        """Go on for some entries; tell whether that was all, or something is wrong."""
        left = ENTRIES_AT_ONCE
        try:
            while left > 0:
                piece = next(self._pieces, 0)
                if piece == 0:
                    return True
                left -= piece
        except Damaged as fault:
            self.fault = fault
            return True
        return False

    def _inspected(self) -> Iterator[int]:
        for piece in self.walk.pieces():
            if piece is not None:
                self._carry_out(piece)
            yield worth(piece)
        self._look()

    def _carry_out(self, sheet: Sheet) -> None:
        of_this_venue(self._signer, sheet.page)
        for entry in sheet.entries:
            carry_out(self._house, entry)
        if sheet.page.last - self._looked_at >= BOOKS_EVERY:
            self._look()

    def _look(self) -> None:
        """Look at the books; where they are not sound, an audit of a copy finds after which entry they were not."""
        wrong = next(unsound(self._house), None)
        if wrong is not None:
            raise Damaged(self._looked_at + 1, f"after it, or one that follows, {wrong}")
        self._looked_at = self.walk.mark.position
