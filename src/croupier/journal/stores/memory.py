"""A store in memory: for tests, transcripts, simulations and benchmarks."""

from collections.abc import Iterable, Iterator

from croupier.house import House, evolve
from croupier.house.declare import Event
from croupier.house.ids import Context, Day
from croupier.journal.checkpoints import Checkpoint, Signer
from croupier.journal.disk import Fenced
from croupier.journal.entry import EMPTY_HEAD, Entry, Fence, Page
from croupier.journal.keystore import AnchorRecord, MemoryAnchor
from croupier.journal.pages import verify_chain
from croupier.journal.stores import FenceMac, next_epoch, without_key
from croupier.journal.writer import PendingEntry, Writer


class MemoryStore:
    """Pages and checkpoints in lists."""

    def __init__(self) -> None:
        self.fence_row = Fence()
        self.stored: list[Page] = []
        self.signed: list[Checkpoint] = []

    @property
    def epoch(self) -> int:
        return self.fence_row.epoch

    def fence(self, above: int | None = None, mac: FenceMac = without_key) -> int:
        epoch = next_epoch(self.fence_row, above)
        self.fence_row = Fence(epoch, mac(epoch))
        return epoch

    def fenced(self) -> Fence:
        return self.fence_row

    def append(self, page: Page) -> None:
        self._admit(page.epoch, page.number, after=len(self.stored))
        self.stored.append(page)

    def sign(self, checkpoint: Checkpoint) -> None:
        statement = checkpoint.statement()
        self._admit(statement.epoch, statement.number, after=len(self.signed))
        self.signed.append(checkpoint)

    def _admit(self, epoch: int, number: int, *, after: int) -> None:
        if epoch != self.epoch:
            raise Fenced(f"epoch {epoch} is over: another writer has taken the journal")
        if number != after + 1:
            raise Fenced(f"number {number} exists already, or is not the next")

    def pages(self, after: int = 0) -> Iterator[Page]:
        # One by one, as a store on a disk does: pages committed meanwhile are read too.
        while (page := self.page(after + 1)) is not None:
            yield page
            after += 1

    def page(self, number: int) -> Page | None:
        return self.stored[number - 1] if 1 <= number <= len(self.stored) else None

    def last(self) -> Page | None:
        return self.stored[-1] if self.stored else None

    def checkpoints(self) -> Iterator[Checkpoint]:
        return reversed(self.signed)

    def next_checkpoint(self, after: int) -> Checkpoint | None:
        return self.signed[after] if after < len(self.signed) else None

    def close(self) -> None:
        """Do nothing: there is no file."""


class MemoryJournal:
    """A journal for a house without an engine: the events of each command are one page."""

    def __init__(self) -> None:
        self.store = MemoryStore()
        self.signer = Signer.new()
        self.writer = Writer(self.store, AnchorRecord(), MemoryAnchor(), self.signer)

    @property
    def head(self) -> bytes:
        return self.writer.head.digest

    @property
    def position(self) -> int:
        return self.writer.head.position

    def append(self, events: Iterable[Event], day: Day, context: Context) -> None:
        self.writer.write([PendingEntry(day, context, "", None, event) for event in events], context.now)

    def entries(self) -> Iterator[Entry]:
        for verified_page in verify_chain(self.store.pages(), EMPTY_HEAD):
            yield from verified_page.entries

    def replay(self, house: House) -> House:
        """Apply every entry, as it was encoded, to a new house."""
        for entry in self.entries():
            evolve(house, entry.event, entry.context)
        return house
