"""Audit: replays the journal and verifies it against its digests."""

from collections.abc import Callable, Iterable
from typing import Final

import msgspec

from croupier.engine.journal_reader import JournalReader
from croupier.engine.replay import apply_entry, apply_page, gc_paused
from croupier.engine.slices import Now
from croupier.house import House, RulebookReader
from croupier.house.credit.tickets import Ticket
from croupier.house.credit.transfers import TicketReceived, VenuePinned
from croupier.house.declare import Event
from croupier.house.rounds.shared_pots import PotReported, PotStated
from croupier.house.state.ledger import PotReport
from croupier.house.verification import books_digest, ledger_problems, state_digest
from croupier.journal.checkpoints import Signer, Verifier
from croupier.journal.claims import MessageKind, PotBody, TicketMessage, TransferBody
from croupier.journal.disk import JournalCorrupt, JournalFault
from croupier.journal.entry import Entry
from croupier.journal.keystore import AnchorRecord, check_anchor, check_fence
from croupier.journal.pages import EventRow, VerifiedPage
from croupier.journal.stores import Store

#: The ledger is checked after so many entries at the latest, and at the end.
LEDGER_CHECK_EVERY: Final = 5_000


#: Compares tickets that have left the state with the index of tickets, by the number of the last one.
CompareTickets = Callable[[Iterable[Ticket], int], object]


def no_index(_tickets: Iterable[Ticket], _last: int) -> None:
    """Compare nothing: there is no index."""


#: The events that `TransferAudit` verifies.
_OF_TRANSFERS: Final = (TicketReceived, VenuePinned, PotReported, PotStated)


class AuditReport(msgspec.Struct, frozen=True):
    """The result of an audit: the journal is complete, its ledger balances, and replaying it gives this state."""

    entries: int
    pages: int
    epochs: int
    checkpoints: int
    #: The last entry under a signature.
    signed_to: int
    #: The digest of the chain, and of the replayed state.
    head: str
    state: str


class LedgerUnbalanced(JournalCorrupt):
    """The ledger does not balance after this entry or one that follows."""


class JournalAudit:
    """Reads a journal from its first entry, and verifies every digest, signature, account and meter."""

    def __init__(
        self,
        store: Store,
        verifier: Verifier,
        read_rulebook: RulebookReader,
        signer: Signer | None = None,
        compare: CompareTickets = no_index,
    ) -> None:
        """Begin an audit; tickets that leave the state are passed to `compare`, for the index of tickets."""
        self.reader, self.house = JournalReader(store, verifier, signer), House.new(read_rulebook)
        self._checked_to = 0
        self._transfers, self._compare = TransferAudit(), compare
        #: The fault that `step` has found. Nothing after it was read.
        self.fault: JournalCorrupt | None = None

    def run(self) -> None:
        """Read to the end; JournalCorrupt names the first entry that is wrong."""
        for verified_page in self.reader:
            self._apply(verified_page)
        self._check_ledger()

    def step(self, now: Now) -> bool:
        """Read more entries for one slice of time; return whether those were the last, or a fault was found."""
        try:
            done = self.reader.step(self._apply, now)
            if done:
                self._check_ledger()
        except JournalCorrupt as fault:
            self.fault, done = fault, True
        return done

    def _apply(self, verified_page: VerifiedPage) -> None:
        apply_page(self.house, verified_page)
        if self.house.tickets.retired:
            self._compare(self.house.tickets.retired.values(), self.house.tickets.retired_count)
            self.house.tickets.retired.clear()
        for position, row in enumerate(verified_page.body.rows, start=verified_page.page.first):
            if type(row) is EventRow and type(row.event) in _OF_TRANSFERS:
                self._transfers.check(position, row.event, self.house.setup.venue)
        # The checkpoint of a page is verified before it.
        signed = self.reader.statement
        at_books = signed is not None and signed.books and signed.page == verified_page.page.number
        if signed is not None and at_books and books_digest(self.house) != signed.books:
            raise JournalCorrupt(signed.position, "the books that the journal gives are not those of the house")
        if verified_page.page.last - self._checked_to >= LEDGER_CHECK_EVERY:
            self._check_ledger()

    def _check_ledger(self) -> None:
        problem = next(ledger_problems(self.house), None)
        if problem is not None:
            raise LedgerUnbalanced(self._checked_to + 1, f"after it, or one that follows, {problem}")
        self._checked_to = self.reader.head.position


class TransferAudit:
    """Verifies that every ticket of another venue was received once, and all it says of pots, as it has signed it.

    The holder of a payer's key cannot record a ticket that no other venue has transferred to it.
    """

    def __init__(self) -> None:
        #: The pinned key of each venue, and the last transfer that was received from it.
        self._keys: dict[str, str] = {}
        self._last: dict[str, int] = {}
        #: The last report of each venue on each shared pot.
        self._reports: dict[tuple[str, str], PotReport] = {}

    def check(self, position: int, event: Event, here: str) -> None:
        """Verify the event of an entry; JournalCorrupt when it has a ticket that was not transferred."""
        if isinstance(event, VenuePinned):
            self._keys[event.venue] = event.key
        elif isinstance(event, PotReported | PotStated):
            problem = self._problem_of_pot(event, here)
            if problem is not None:
                raise JournalCorrupt(position, f"what {event.venue} says of the pot of {event.rulebook} {problem}")
        else:
            assert isinstance(event, TicketReceived)
            problem = self._problem(event, here)
            if problem is not None:
                raise JournalCorrupt(position, f"transfer {event.transfer} from {event.venue} {problem}")
            self._last[event.venue] = event.transfer

    def _problem_of_pot(self, event: PotReported | PotStated, here: str) -> str | None:
        """Verify what was taken over about a shared pot: it is signed, and its amounts are those that were signed."""
        try:
            key = Verifier.of_text(self._keys.get(event.venue, ""))
            signature = bytes.fromhex(event.signature)
            body = msgspec.json.decode(event.body, type=PotBody)
        except (ValueError, JournalFault):
            return "cannot be read, or no key of that venue is pinned"
        if isinstance(event, PotStated):
            number, agrees = event.statement.number, body.statement == event.statement
        else:
            last = self._reports.get((event.venue, event.rulebook), PotReport())
            number, agrees = event.report.number, body.reports[-1:] == (event.report,)
            grown, reserved = event.report.grown - last.grown, event.report.reserved - last.reserved
            if (event.contributed, event.paid) != (grown + reserved, event.report.paid - last.paid):
                return "is not what it adds to the report before"
            if not event.previous == last.number < number:
                return "was applied before, or out of order"
            self._reports[event.venue, event.rulebook] = event.report
        if not TicketMessage(MessageKind.POT, event.venue, here, number, event.body, signature).is_signed_by(key):
            return "is not signed with the pinned key of that venue"
        return None if agrees else "differs from what that venue has signed"

    def _problem(self, event: TicketReceived, here: str) -> str | None:
        try:
            key = Verifier.of_text(self._keys.get(event.venue, ""))
            signature = bytes.fromhex(event.signature)
            body = msgspec.json.decode(event.body, type=TransferBody)
        except (ValueError, JournalFault):
            return "cannot be read, or no key of that venue is pinned"
        message = TicketMessage(MessageKind.TRANSFER, event.venue, here, event.transfer, event.body, signature)
        if not message.is_signed_by(key):
            return "is not signed with the pinned key of that venue"
        said = (body.last_four, body.form, body.amount, body.currency, body.issued_at)
        recorded = (event.last_four, event.form, event.amount, event.currency, event.issued_at)
        if said != recorded or event.token not in ("", body.token):
            return "differs from what that venue has signed"
        if not body.previous <= self._last.get(event.venue, 0) < event.transfer:
            return "was received before, or out of order"
        return None


def audit(  # noqa: PLR0913, PLR0917 - each has a default but the first three
    store: Store,
    verifier: Verifier,
    read_rulebook: RulebookReader,
    anchored: AnchorRecord | None = None,
    signer: Signer | None = None,
    compare: CompareTickets = no_index,
) -> AuditReport:
    """Audit a whole journal; JournalCorrupt names the first entry that is wrong.

    Without an anchor an older copy of the journal passes. Without the venue's key, entries that are not signed yet
    could have been written by any process.
    """
    if anchored is not None:
        check_anchor(store, anchored)
    check_fence(store, anchored, signer)
    whole = JournalAudit(store, verifier, read_rulebook, signer, compare)
    with gc_paused():
        try:
            whole.run()
        except LedgerUnbalanced as fault:
            raise _first_unbalanced(store, read_rulebook, fault) from fault
    reader = whole.reader
    return AuditReport(
        entries=reader.head.position,
        pages=reader.head.page,
        epochs=reader.head.epoch,
        checkpoints=reader.checkpoints,
        signed_to=reader.signed_to,
        head=reader.head.digest.hex(),
        state=state_digest(whole.house),
    )


def _first_unbalanced(store: Store, read_rulebook: RulebookReader, fault: LedgerUnbalanced) -> JournalCorrupt:
    """Replay again with a check after each entry, to name the first entry after which the ledger does not balance."""
    house = House.new(read_rulebook)
    entries = (entry for verified_page in JournalReader(store) for entry in verified_page.entries)
    faults = (_ledger_fault(house, entry) for entry in entries)
    return next(each for each in faults if each is not None and each.position >= fault.position)


def _ledger_fault(house: House, entry: Entry) -> JournalCorrupt | None:
    """Apply an entry, and check the ledger after it."""
    apply_entry(house, entry)
    problem = next(ledger_problems(house), None)
    return None if problem is None else JournalCorrupt(entry.position, f"after it {problem}")
