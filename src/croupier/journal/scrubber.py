"""Chain and signatures verified, whole or a little at a time."""

from collections.abc import Iterable, Iterator
from typing import Final

from croupier.house.ids import Day
from croupier.journal.checkpoints import Checkpoint, Signer, Statement, Verifier
from croupier.journal.disk import JournalCorrupt
from croupier.journal.entry import EMPTY_HEAD, JournalHead, Page, VerifiedPage, verify_chain
from croupier.journal.stores import Store


def verify_store(store: Store, verifier: Verifier, since: JournalHead = EMPTY_HEAD) -> Iterator[VerifiedPage]:
    """Read on from a mark, and hold every checkpoint on the way against the chain."""
    waiting = [said for said in signed(store, verifier, since) if said.position > since.position]
    yield from verify_pages(store.pages(since.page), since, waiting)


def verify_pages(pages: Iterable[Page], since: JournalHead, waiting: list[Statement]) -> Iterator[VerifiedPage]:
    """Read pages that go on from a mark, and hold what these checkpoints say, the last first, against the chain."""
    last = since
    for verified_page in verify_chain(pages, since):
        last = verified_page.page.journal_head
        while waiting and waiting[-1].page <= last.page:
            said = waiting.pop()
            if said.mark != last:
                raise JournalCorrupt(said.position, f"checkpoint {said.number} was signed over another journal")
        yield verified_page
    if waiting:
        raise JournalCorrupt(last.position + 1, f"the journal ends before checkpoint {waiting[-1].number}")


def check_page_mac(signer: Signer, page: Page) -> None:
    """Hold a page against its imprint: Damaged where somebody without the venue's key has written it."""
    if not signer.verify_page_mac(page.mac, page.with_mac):
        raise JournalCorrupt(page.first, f"page {page.number} was not written by whoever holds the venue's key")


def last_signed(store: Store, verifier: Verifier, before: JournalHead) -> JournalHead:
    """Find the last place at or before a mark that a checkpoint vouches for, or the beginning."""
    said = list(signed(store, verifier, before))
    return said[-1].mark if said and said[-1].position <= before.position else EMPTY_HEAD


def matches_checkpoint(checkpoint: Checkpoint, since: JournalHead) -> Statement:
    """Read what a checkpoint says; Damaged where it is nothing."""
    try:
        return checkpoint.statement()
    except ValueError as error:
        raise JournalCorrupt(since.position + 1, f"a checkpoint cannot be read: {error}") from error


def verify_checkpoint(checkpoint: Checkpoint, verifier: Verifier, since: JournalHead) -> Statement:
    """Read what a checkpoint says, and hold it against the venue's signature."""
    said = matches_checkpoint(checkpoint, since)
    if not checkpoint.verify(verifier):
        raise JournalCorrupt(said.position, f"the signature of checkpoint {said.number} is not the venue's")
    return said


def signed(store: Store, verifier: Verifier, since: JournalHead) -> Iterator[Statement]:
    """Read the checkpoints from the last back to the one at or before a mark; Damaged where one is missing or false."""
    after: Statement | None = None
    for each in store.checkpoints():
        said = verify_checkpoint(each, verifier, since)
        if after is not None and (said.number + 1, said.position <= after.position) != (after.number, True):
            raise JournalCorrupt(said.position, f"checkpoint {after.number} does not follow checkpoint {said.number}")
        yield said
        if said.position <= since.position and since != EMPTY_HEAD:
            return
        after = said
    if after is not None and after.number != 1:
        raise JournalCorrupt(1, f"the checkpoints before number {after.number} are missing")


#: A signature takes as long to hold as so many entries.
ENTRIES_PER_SIGNATURE: Final = 10


class ScrubPass:
    """Goes through the journal once, from its first page to its last, and proves every piece; or it is Damaged."""

    def __init__(self, store: Store, verifier: Verifier) -> None:
        self._store, self._verifier = store, verifier
        #: How far it has come, and how many checkpoints were held on the way.
        self.mark, self.met = EMPTY_HEAD, 0
        #: The checkpoint that comes next, where there is one yet.
        self._ahead: Checkpoint | None = None

    def pieces(self) -> Iterator[VerifiedPage | None]:
        """Prove page after page, and each checkpoint in its place, for which there is None."""
        for verified_page in verify_chain(self._store.pages(), self.mark):
            # At the page before somebody may have signed since it was proven.
            yield from self._meet()
            self.mark = verified_page.page.journal_head
            yield from self._meet()
            yield verified_page
        yield from self._meet()
        if self._ahead is not None:
            raise JournalCorrupt(self.mark.position + 1, f"the journal ends before checkpoint {self.met + 1}")

    def _meet(self) -> Iterator[None]:
        """Hold the checkpoints whose place has come."""
        self._ahead = self._ahead or self._store.next_checkpoint(self.met)
        while self._ahead is not None and matches_checkpoint(self._ahead, self.mark).page <= self.mark.page:
            self._hold(self._ahead)
            self.met += 1
            self._ahead = self._store.next_checkpoint(self.met)
            yield None

    def _hold(self, checkpoint: Checkpoint) -> None:
        """Hold the next checkpoint against the chain; Damaged where it is another than it should be."""
        said = verify_checkpoint(checkpoint, self._verifier, self.mark)
        if said.number != self.met + 1:
            raise JournalCorrupt(said.position, f"checkpoint {said.number} does not follow checkpoint {self.met}")
        if said.mark != self.mark:
            raise JournalCorrupt(said.position, f"checkpoint {said.number} was signed over another journal")


def worth(piece: VerifiedPage | None) -> int:
    """Tell how many entries a piece is worth."""
    return ENTRIES_PER_SIGNATURE if piece is None else len(piece.entries)


class Scrubber:
    """Walks the journal from its first page to its last, once a day; Damaged stops the house."""

    def __init__(self, store: Store, verifier: Verifier) -> None:
        self._store, self._verifier = store, verifier
        self._pieces = ScrubPass(store, verifier).pieces()
        #: The last day on which the whole journal was found whole.
        self.walked = Day(0)

    def scrub(self, day: Day, entries: int) -> bool:
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
                self._pieces = ScrubPass(self._store, self._verifier).pieces()
        return piece
