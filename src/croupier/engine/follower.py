"""The follower of a journal: applies what another process commits, proves its books, and makes the snapshots."""

from collections.abc import Callable
from dataclasses import dataclass

from croupier.engine.journal_reader import JournalReader
from croupier.engine.replay import apply_page
from croupier.engine.sequencer import IdempotencyCache
from croupier.engine.storage import DeserialiseError, decode_state, encode_state, schema
from croupier.engine.ticket_index import TicketIndex, store_retired
from croupier.house import House, RulebookReader
from croupier.house.rounds.recovery import AcceptHistory
from croupier.house.verification import books_digest
from croupier.journal.checkpoints import (
    SignSnapshot,
    Snapshot,
    SnapshotError,
    Snapshots,
    Verifier,
    decode_snapshot,
    encode_snapshot,
)
from croupier.journal.disk import JournalCorrupt
from croupier.journal.entry import EMPTY_HEAD, JournalHead
from croupier.journal.pages import VerifiedPage
from croupier.journal.stores import Store


@dataclass(slots=True)
class RecoveredState:
    """The state at the end of the journal: the house, the idempotency cache, and the journal head."""

    house: House
    idempotency: IdempotencyCache
    head: JournalHead = EMPTY_HEAD
    #: How many entries were applied after the snapshot.
    replayed: int = 0
    #: Why a snapshot was rejected; empty when none was.
    snapshot_rejected: str = ""
    #: The command of two people who continue from an older copy.
    accept_history: AcceptHistory | None = None

    def apply(self, verified_page: VerifiedPage, tickets: TicketIndex | None) -> None:
        """Apply a page, unless the state has it already."""
        known, self.head = self.head, verified_page.page.journal_head
        if verified_page.page.number <= known.page:
            self.head = known
            return
        apply_page(self.house, verified_page)
        self.idempotency.rebuild_from(verified_page)
        self.replayed += len(verified_page.body.rows)
        store_retired(tickets, self.house)
        self.house.tickets.retired.clear()


def load_snapshot(
    snapshots: Snapshots, store: Store, verifier: Verifier, reader: RulebookReader
) -> RecoveredState | None:
    """Read the last snapshot; None when there is none, SnapshotError when it is not of this journal."""
    stored = snapshots.load()
    if stored is None:
        return None
    snapshot = decode_snapshot(stored, verifier, schema())
    page = store.page(snapshot.head.page)
    if page is None or page.journal_head != snapshot.head:
        raise SnapshotError("it is of another journal")
    try:
        house, idempotency = decode_state(snapshot.state, reader)
    except DeserialiseError as error:
        raise SnapshotError(str(error)) from error
    return RecoveredState(house, idempotency, snapshot.head)


class StateDiffersError(JournalCorrupt):
    """The journal gives other books than those that the house had when it signed a checkpoint."""


class Follower:
    """Follows a journal page by page, and writes a snapshot at each checkpoint that has the digest of the books.

    The books that the journal gives must be those that the running house had there: every snapshot proves a replay.
    """

    def __init__(self, store: Store, snapshots: Snapshots, recovered: RecoveredState, reader: JournalReader) -> None:
        """Continue from a state; the reader has read no page that the state does not have."""
        self.store, self.recovered = store, recovered
        self._snapshots, self._reader = snapshots, reader
        #: The last entry whose books were compared, and the last in a snapshot.
        self.compared = self.saved = recovered.head.position

    @classmethod
    def of_journal(cls, store: Store, snapshots: Snapshots, verifier: Verifier, reader: RulebookReader) -> "Follower":
        """Begin with the last snapshot that can be used. With the public key alone, only signed pages count."""
        try:
            recovered = load_snapshot(snapshots, store, verifier, reader)
        except SnapshotError:
            recovered = None
        recovered = recovered or RecoveredState(House.new(reader), IdempotencyCache())
        pages = JournalReader.after_checkpoint(store, verifier, recovered.head)
        return cls(store, snapshots, recovered, pages)

    def follow(self, sign: SignSnapshot, check: Callable[[], object] = lambda: None) -> None:
        """Apply the pages since the last look, and write the snapshots that are due.

        StateDiffersError when the books differ, SnapshotError when a snapshot cannot be written. The check is called
        for every page.
        """
        for verified_page in self._reader.follow():
            check()
            # The checkpoint of a page may be written after it, and is before the next.
            self._prove(sign)
            self.recovered.apply(verified_page, None)
        self._prove(sign)

    def _prove(self, sign: SignSnapshot) -> None:
        """Compare the books with those of a checkpoint at this page, and write a snapshot."""
        head, statement = self.recovered.head, self._reader.statement
        if statement is None or not statement.books or statement.journal_head != head or head.position <= self.compared:
            return
        self.compared = head.position
        if books_digest(self.recovered.house) != statement.books:
            raise StateDiffersError(head.position, "the books that the journal gives are not those of the house")
        write_snapshot(self._snapshots, self.recovered, sign)
        self.saved, self.recovered.replayed = head.position, 0


def write_snapshot(snapshots: Snapshots, recovered: RecoveredState, sign: SignSnapshot) -> None:
    """Write a snapshot of a state; SnapshotError when it cannot be written."""
    try:
        state = encode_state(recovered.house, recovered.idempotency.durable())
    except DeserialiseError as error:
        raise SnapshotError(str(error)) from error
    snapshots.save(encode_snapshot(Snapshot(schema(), recovered.head, state), sign))
