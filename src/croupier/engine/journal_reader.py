"""The one reader of the journal.

Recovery, audit, scrubber, backups, exports, queries, documents and transcripts all read through `JournalReader`. It
verifies each page before a consumer sees it, and reads the whole journal or a slice of time at a time.

Three readers stand apart on purpose: `journal/verify.py`, which runs without this package; the check of the anchor,
which compares stored bytes before anything is decoded; and the simulation's checker, which is a second implementation.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import IO, Final

from croupier.engine.slices import Now, sliced
from croupier.house.ids import Day
from croupier.journal.checkpoints import (
    Checkpoint,
    Signer,
    Statement,
    Verifier,
    check_page_mac,
    last_checkpoint,
    read_statement,
    verify_checkpoint,
)
from croupier.journal.disk import JournalCorrupt
from croupier.journal.entry import EMPTY_HEAD, Entry, JournalHead, Page
from croupier.journal.export import ExportRange, entry_proof, export_range, page_line, write_bundle
from croupier.journal.pages import MerkleTree, VerifiedPage, verify_page
from croupier.journal.stores import Store

#: How many pages one query reads at most.
PAGES_MAX: Final = 20_000

#: Consumes a page; a true result means that it needs no more.
Consumer = Callable[[VerifiedPage], object]


@dataclass(slots=True)
class JournalReader:
    """Reads the journal page by page, and verifies each page before a consumer sees it.

    Every page is verified against the hash chain. With a verifier every checkpoint on the way is verified too, and
    with a signer the MAC of every page. JournalCorrupt names the first entry that is wrong. Pages and checkpoints that
    are committed between two steps are read as well.
    """

    store: Store
    verifier: Verifier | None = None
    signer: Signer | None = None
    #: How far it has read: the head after the last page, and the number of checkpoints up to there.
    head: JournalHead = EMPTY_HEAD
    checkpoints: int = 0
    #: Whether another process writes the journal meanwhile.
    live: bool = False
    #: The last checkpoint that it has verified.
    statement: Statement | None = None
    #: The last entry that it reads, with the rest of that page; None for the end of the journal.
    last: int | None = None
    #: The last entry under a checkpoint that it has verified.
    signed_to: int = 0
    #: The pages since the last checkpoint.
    _tree: MerkleTree = field(default_factory=MerkleTree)
    #: The next checkpoint, once it was read; and whether the store had none after it in this step.
    _checkpoint: Checkpoint | None = None
    _no_checkpoint: bool = False
    _pieces: Iterator[VerifiedPage | None] = field(init=False)

    def __post_init__(self) -> None:
        self._pieces = self._forwards()

    @classmethod
    def after_checkpoint(
        cls, store: Store, verifier: Verifier, before: JournalHead, signer: Signer | None = None
    ) -> "JournalReader":
        """Begin after the last checkpoint at or before a head; at the first entry when there is none."""
        signed = last_checkpoint(store.checkpoints(), verifier, before)
        if signed is None:
            return cls(store, verifier, signer)
        return cls(store, verifier, signer, signed.journal_head, signed.number)

    @classmethod
    def of_range(cls, store: Store, verifier: Verifier, part: ExportRange) -> "JournalReader":
        """Read the pages of an export range, with the checkpoints in it."""
        number = 0 if part.before is None else part.before.statement().number
        return cls(store, verifier, head=part.since, checkpoints=number, last=part.last)

    @classmethod
    def at(cls, store: Store, position: int | None, *, backwards: bool) -> "JournalReader":
        """Begin with the page that holds an entry; None for the first entry, or backwards for the last.

        The page is found by binary search. Nothing before it is read, so only the chain is verified.
        """
        newest = store.last()
        reader = cls(store)
        if newest is not None:
            page = _page_of(store, newest, (newest.last if backwards else 1) if position is None else position)
            before = store.page(page.number - 1)
            reader.head = EMPTY_HEAD if before is None else before.journal_head
            if backwards:
                reader._pieces = reader._backwards(page)
        return reader

    def follow(self) -> Iterator[VerifiedPage]:
        """Read on to the end of a journal that another process is writing."""
        self.live, self._pieces = True, self._forwards()
        return iter(self)

    def __iter__(self) -> Iterator[VerifiedPage]:
        return (piece for piece in self._pieces if piece is not None)

    def read_all(self) -> JournalHead:
        """Read and verify to the end, for the verification alone."""
        for _ in self:
            pass
        return self.head

    def step(self, consume: Consumer, now: Now) -> bool:
        """Read and consume pages for one slice of time; return whether that was all, or enough."""
        # Nothing is committed during a step: one look for further checkpoints is enough.
        self._no_checkpoint = False
        for _ in sliced(self._consumed(consume), now):
            return False
        return True

    def _consumed(self, consume: Consumer) -> Iterator[None]:
        for piece in self._pieces:
            if piece is not None and consume(piece):
                return
            yield

    def _forwards(self) -> Iterator[VerifiedPage | None]:
        """Verify page after page, and each checkpoint in its place, for which there is None."""
        for page in self.store.pages(self.head.page):
            # The page before may have been signed since it was read.
            yield from self._verify_checkpoints()
            verified_page = self._verify(page, self.head)
            self.head = page.journal_head
            self._tree.add(page.head)
            yield from self._verify_checkpoints()
            yield verified_page
            if self.last is not None and page.last >= self.last:
                return
        yield from self._verify_checkpoints()
        if self._checkpoint is not None and not self.live:
            raise JournalCorrupt(self.head.position + 1, f"the journal ends before checkpoint {self.checkpoints + 1}")

    def _backwards(self, page: Page) -> Iterator[VerifiedPage]:
        """Verify page after page, each against the head of the one before it."""
        found: Page | None = page
        while found is not None:
            before = self.store.page(found.number - 1)
            self.head = EMPTY_HEAD if before is None else before.journal_head
            yield self._verify(found, self.head)
            found = before

    def _verify(self, page: Page, since: JournalHead) -> VerifiedPage:
        verified_page = verify_page(page, since)
        if self.signer is not None:
            check_page_mac(self.signer, page)
        return verified_page

    def _verify_checkpoints(self) -> Iterator[None]:
        """Verify the checkpoints whose page was reached."""
        if self.verifier is None:
            return
        while (checkpoint := self._next_checkpoint()) is not None:
            if read_statement(checkpoint, self.head).page > self.head.page:
                return
            self._verify_checkpoint(checkpoint, self.verifier)
            yield None

    def _next_checkpoint(self) -> Checkpoint | None:
        """Read the next checkpoint from the store; JournalCorrupt when it is not the one that should be next."""
        if self._checkpoint is None and (self.live or not self._no_checkpoint):
            self._checkpoint = self.store.next_checkpoint(self.checkpoints)
            self._no_checkpoint = self._checkpoint is None
            if self._checkpoint is not None:
                number = read_statement(self._checkpoint, self.head).number
                if number != self.checkpoints + 1:
                    words = f"checkpoint {number} does not follow checkpoint {self.checkpoints}"
                    raise JournalCorrupt(max(1, self.signed_to), words)
        return self._checkpoint

    def _verify_checkpoint(self, checkpoint: Checkpoint, verifier: Verifier) -> None:
        statement = verify_checkpoint(checkpoint, verifier, self.head)
        if statement.journal_head != self.head:
            raise JournalCorrupt(statement.position, f"checkpoint {statement.number} was signed over another journal")
        if (statement.pages, statement.root) != (self._tree.size, self._tree.root.hex()):
            raise JournalCorrupt(statement.position, f"checkpoint {statement.number} was signed over other pages")
        self.checkpoints, self.signed_to, self._checkpoint = statement.number, statement.position, None
        self.statement = statement
        self._tree = MerkleTree()


def _page_of(store: Store, newest: Page, position: int) -> Page:
    """Find the page that holds an entry, by binary search; the last page for an entry beyond it."""
    low, high = 1, newest.number
    while low < high:
        middle = (low + high) // 2
        page = store.page(middle)
        assert page is not None
        low, high = (low, middle) if page.last >= position else (middle + 1, high)
    found = store.page(low)
    assert found is not None
    return found


#: Consumes an entry, and returns whether it needs no more.
EntryConsumer = Callable[[Entry], bool]


@dataclass(slots=True)
class EntryScan:
    """Feeds entries from a position on to a consumer, in slices of time, until that needs no more."""

    store: Store
    consume: EntryConsumer
    now: Now
    #: The first entry that it reads; None for the first entry of all, or backwards for the last.
    start: int | None = None
    backwards: bool = True
    #: Whether the consumer sees changes of bets: nearly every entry is one, and leaving them out is faster.
    bets: bool = True
    #: The first and last position that it has read, and whether there is nothing beyond.
    first: int = 0
    last: int = 0
    ended: bool = False
    #: The last position that is committed.
    head: int = 0
    _reader: JournalReader | None = None
    _pages: int = 0
    _enough: bool = False

    def step(self) -> bool:
        """Read some more pages; return whether it is done: enough was found, the journal ends, or it gives up."""
        newest = self.store.last()
        self.head = 0 if newest is None else newest.last
        if self._reader is None:
            self._reader = JournalReader.at(self.store, self.start, backwards=self.backwards)
        done = self._reader.step(self._consume, self.now)
        self.ended = done and not self._enough and self._pages < PAGES_MAX
        return done

    def _consume(self, verified_page: VerifiedPage) -> bool:
        self._pages += 1
        first, last = self._bounds(verified_page.page)
        entries = verified_page.entries if self.bets else verified_page.entries_without_bets()
        for entry in reversed(entries) if self.backwards else entries:
            if first <= entry.position <= last and self.consume(entry):
                self._enough = True
                first, last = (entry.position, last) if self.backwards else (first, entry.position)
                break
        if first <= last:
            self.first, self.last = min(self.first or first, first), max(self.last, last)
        return self._enough or self._pages >= PAGES_MAX

    def _bounds(self, page: Page) -> tuple[int, int]:
        """Leave out the entries of the first page that lie beyond the start."""
        start = self.start
        if start is None:
            return page.first, page.last
        return (page.first, min(page.last, start)) if self.backwards else (max(page.first, start), page.last)


class Scrubber:
    """Verifies the journal from its first page to its last once a day, in slices of time while the house is idle."""

    def __init__(self, store: Store, verifier: Verifier) -> None:
        self._store, self._verifier = store, verifier
        self._reader = JournalReader(store, verifier)
        #: The last day on which the whole journal was verified.
        self.verified_on = Day(0)

    def scrub(self, day: Day, now: Now) -> bool:
        """Verify more entries for one slice of time; return whether the whole journal was verified on this day."""
        if self.verified_on >= day:
            return True
        done = True
        try:
            done = self._reader.step(_ignore, now)
        finally:
            # After the last page, and after a fault, it begins with the first page again.
            if done:
                self._reader = JournalReader(self._store, self._verifier)
        if done:
            self.verified_on = day
        return done


def _ignore(_: VerifiedPage) -> None:
    """Consume a page for its verification alone."""


def export(store: Store, signer: Signer, part: ExportRange, out: IO[bytes]) -> None:
    """Write a range of the journal as a signed bundle; JournalCorrupt when it differs from what was written."""
    pages = JournalReader.of_range(store, signer.verifier, part)
    write_bundle(signer, part, (page_line(each.page) for each in pages), out, {})


def prove_entry(store: Store, verifier: Verifier, position: int) -> bytes | None:
    """Prove one entry by its page and a short path to a checkpoint; None when no checkpoint covers it yet."""
    part = export_range(store, verifier, position, position)
    if part is None:
        return None
    pages = [each.page for each in JournalReader.of_range(store, verifier, part)]
    return entry_proof(part, pages, position)
