"""The journal replayed and checked against its digests."""

from collections.abc import Iterator
from typing import Final

import msgspec

from croupier.engine.projections import apply_entry, gc_paused
from croupier.engine.storage import Storage
from croupier.house.state import House, RulebookReader
from croupier.house.verification import ledger_problems, state_digest
from croupier.journal.checkpoints import Signer, Verifier
from croupier.journal.disk import JournalCorrupt
from croupier.journal.entry import EMPTY_HEAD, Entry, VerifiedPage, verify_chain
from croupier.journal.keystore import AnchorRecord, check_anchor, check_fence
from croupier.journal.scrubber import ScrubPass, check_page_mac, signed, verify_store, worth
from croupier.journal.stores import Store

#: The books are looked at after so many entries at the latest, and at the end.
BOOKS_EVERY: Final = 5_000


class AuditReport(msgspec.Struct, frozen=True):
    """What an audit found: the journal is whole, its books are sound, and this is what it gives."""

    entries: int
    pages: int
    epochs: int
    checkpoints: int
    #: The last entry that stands under a signature.
    signed_to: int
    #: The digest of the chain, and of the state that it gives.
    head: str
    state: str


def audit(
    store: Store,
    verifier: Verifier,
    reader: RulebookReader,
    anchored: AnchorRecord | None = None,
    signer: Signer | None = None,
) -> AuditReport:
    """Read everything; Damaged names the first entry that is wrong.

    Without an anchor an older copy passes, and without the venue's key what stands under no signature may be anybody's.
    """
    if anchored is not None:
        check_anchor(store, anchored)
    check_fence(store, anchored, signer)
    house, last = House(reader), EMPTY_HEAD
    with gc_paused():
        for verified_page in audited_pages(store, verifier, house):
            last = verified_page.page.journal_head
            if signer is not None:
                check_page_mac(signer, verified_page.page)
    said = list(signed(store, verifier, EMPTY_HEAD))
    return AuditReport(
        entries=last.position,
        pages=last.page,
        epochs=last.epoch,
        checkpoints=len(said),
        signed_to=said[0].position if said else 0,
        head=last.digest.hex(),
        state=state_digest(house),
    )


def audited_pages(store: Store, verifier: Verifier, house: House) -> Iterator[VerifiedPage]:
    """Read pages that are proven, carried out on a fresh house, and leave its books sound."""
    looked_at = 0
    verified_page = None
    for verified_page in verify_store(store, verifier):
        for entry in verified_page.entries:
            apply_entry(house, entry)
        if verified_page.page.last - looked_at >= BOOKS_EVERY:
            _look(store, house, looked_at)
            looked_at = verified_page.page.last
        yield verified_page
    if verified_page is not None:
        _look(store, house, looked_at)


def _look(store: Store, house: House, since: int) -> None:
    """Look at the books; where they are not sound, find the entry after which they were not."""
    if any(ledger_problems(house)):
        again = House(house.read_rulebook)
        entries = (
            entry for verified_page in verify_chain(store.pages(), EMPTY_HEAD) for entry in verified_page.entries
        )
        raise next(breach for entry in entries if (breach := _breach(again, entry)) and entry.position > since)


def _breach(house: House, entry: Entry) -> JournalCorrupt | None:
    """Carry an entry out, and say what is wrong after it."""
    apply_entry(house, entry)
    wrong = next(ledger_problems(house), None)
    return None if wrong is None else JournalCorrupt(entry.position, f"after it {wrong}")


#: How many entries are held and carried out between two turns: some milliseconds' work, besides a page that is longer.
ENTRIES_AT_ONCE: Final = 200


class IncrementalAudit:
    """Reads a journal from its first entry, and holds every digest, signature, account and meter against it."""

    def __init__(self, storage: Storage, reader: RulebookReader) -> None:
        self._signer, self._house = storage.signer, House(reader)
        self._looked_at = 0
        self.walk = ScrubPass(storage.store, storage.signer.verifier)
        self._pieces = self._inspected()
        #: What is wrong, where something is: nothing after it was looked at.
        self.fault: JournalCorrupt | None = None

    def step(self) -> bool:
        """Go on for some entries; tell whether that was all, or something is wrong."""
        left = ENTRIES_AT_ONCE
        try:
            while left > 0:
                piece = next(self._pieces, 0)
                if piece == 0:
                    return True
                left -= piece
        except JournalCorrupt as fault:
            self.fault = fault
            return True
        return False

    def _inspected(self) -> Iterator[int]:
        for piece in self.walk.pieces():
            if piece is not None:
                self._carry_out(piece)
            yield worth(piece)
        self._look()

    def _carry_out(self, verified_page: VerifiedPage) -> None:
        check_page_mac(self._signer, verified_page.page)
        for entry in verified_page.entries:
            apply_entry(self._house, entry)
        if verified_page.page.last - self._looked_at >= BOOKS_EVERY:
            self._look()

    def _look(self) -> None:
        """Look at the books; where they are not sound, an audit of a copy finds after which entry they were not."""
        wrong = next(ledger_problems(self._house), None)
        if wrong is not None:
            raise JournalCorrupt(self._looked_at + 1, f"after it, or one that follows, {wrong}")
        self._looked_at = self.walk.mark.position
