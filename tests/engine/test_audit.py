"""The audit: everything is verified, and the first entry that is wrong is named."""

import gc
from collections import deque

import pytest
from msgspec.structs import replace

from croupier.engine import audit as auditing
from croupier.engine.audit import audit
from croupier.engine.journal_reader import JournalReader
from croupier.engine.replay import apply_entry, gc_paused
from croupier.house import AnyEvent, House
from croupier.house.credit.notes import NoteStacked
from croupier.house.credit.tickets import TicketRedeemed
from croupier.house.ids import Context, DeviceId, Instant, Number, PositionId, RoundNumber, TerminalId
from croupier.house.play.betting import BetsChanged
from croupier.house.rounds.closing import CloseBets
from croupier.house.rounds.opening import OpenBets
from croupier.house.rounds.results import BallAtRest
from croupier.house.rounds.settlement import RoundSettled
from croupier.house.rounds.spinning import BallLaunched
from croupier.house.state.ledger import LedgerAccount
from croupier.house.state.tables import BetChange
from croupier.house.verification import state_digest
from croupier.journal.checkpoints import checkpoint
from croupier.journal.disk import JournalCorrupt, RolledBack
from croupier.journal.entry import Entry
from croupier.journal.keystore import AnchorRecord
from croupier.journal.pages import page_after
from croupier.journal.writer import unsigned_pages
from croupier.rulebooks.schema import read_canonical
from croupier.rules.geometry import Pocket, SpotKey
from croupier.rules.money import Cents
from tests.support.engine_driver import memory_storage
from tests.support.shift import CASHIER, DESK, DRAWER, T1, TABLE, Shift, redeeming


def nearly_settled_shift() -> Shift:
    """A shift with a ticket that was paid and a round that is settled but for its last entry."""
    shift = Shift.founded()
    shift.drawer()
    shift.ticket()
    shift.ask(shift.keyed(redeeming(1), DESK, CASHIER), shift.note(), OpenBets(TABLE))
    shift.ask(shift.bet("17", 500))
    shift.ask(CloseBets(TABLE))
    return shift


def settle(shift: Shift) -> None:
    wheel = DeviceId(TABLE)
    shift.ask(
        shift.keyed(BallLaunched(TABLE, opposite=True), wheel),
        shift.keyed(BallAtRest(TABLE, Pocket("17"), 9, opposite=True), wheel),
    )


def findings(shift: Shift) -> auditing.AuditReport:
    return audit(shift.store, shift.storage.signer.verifier, read_canonical, shift.storage.anchor.read())


def forge(shift: Shift, event: AnyEvent, at: int | None = None) -> int:
    """Go on with the journal as its writer would, with an event that never happened, and sign it with the real key."""
    mark, now = shift.run.writer.head, shift.clock.now() if at is None else Instant(at)
    entry = Entry(mark.position + 1, mark.epoch, shift.house.day, Context(now, DESK, CASHIER), "", None, event)
    page = page_after(mark, mark.epoch, [entry])
    number = len(shift.store.signed) + 1
    tree = unsigned_pages(shift.store)
    tree.add(page.head)
    shift.store.stored.append(page)
    shift.store.signed.append(checkpoint(shift.storage.signer, number, page.journal_head, tree, now))
    shift.storage.anchor.write(AnchorRecord(page.journal_head, number))
    shift.run.writer.head = page.journal_head
    return entry.position


def damage(shift: Shift) -> JournalCorrupt:
    with pytest.raises(JournalCorrupt) as caught:
        findings(shift)
    return caught.value


def test_audit_says_what_there_is() -> None:
    """An audit counts entries, pages, epochs and checkpoints, and gives the digests of the chain and of the state."""
    shift = nearly_settled_shift()
    settle(shift)
    later = shift.again()
    later.ask(later.note())
    mark = later.run.writer.head

    found = findings(later)

    assert found == auditing.AuditReport(
        entries=mark.position,
        pages=len(shift.store.stored),
        epochs=2,
        checkpoints=1,
        signed_to=mark.position - 1,
        head=mark.digest.hex(),
        state=state_digest(later.house),
    )


def test_audit_of_nothing_finds_nothing() -> None:
    """A journal without entries is whole, and nothing is signed in it."""
    storage = memory_storage()
    found = audit(storage.store, storage.signer.verifier, read_canonical)

    assert (found.entries, found.pages, found.epochs, found.checkpoints, found.signed_to) == (0, 0, 0, 0, 0)


def test_audit_holds_the_anchor_where_there_is_one() -> None:
    """An older copy passes on its own, and does not pass beside its anchor."""
    shift = nearly_settled_shift()
    last = shift.store.stored.pop()
    verifier = shift.storage.signer.verifier

    assert audit(shift.store, verifier, read_canonical).entries == last.first - 1
    with pytest.raises(RolledBack) as caught:
        findings(shift)
    assert caught.value.position == last.first


@pytest.mark.parametrize("every", [1, 4, 1_000])
@pytest.mark.parametrize("more", [0, 5])
def test_lie_that_the_books_show_is_named(monkeypatch: pytest.MonkeyPatch, every: int, more: int) -> None:
    """A forged entry, bound and signed as it should be, is named where the books are wrong after it, not later."""
    monkeypatch.setattr(auditing, "LEDGER_CHECK_EVERY", every)
    shift = nearly_settled_shift()
    position = forge(shift, TicketRedeemed(Number(1), DRAWER, at_terminal=False))
    for _ in range(more):
        forge(shift, NoteStacked(T1, Cents(500)))

    found = damage(shift)

    assert found.position == position
    assert f"the account {LedgerAccount.TICKETS} has -10000" in found.words


def test_settlement_that_says_another_return_is_named() -> None:
    """A settlement that gives another total than its payments makes the table's meters lie, and is named."""
    shift = nearly_settled_shift()
    settle(shift)
    before, last = shift.store.stored[-2:]
    *entries, settled = (entry for entry in shift.entries if entry.position >= last.first)
    assert isinstance(settled.event, RoundSettled)
    lie = replace(settled, event=replace(settled.event, returned=settled.event.returned + 1))
    shift.store.stored[-1] = page_after(before.journal_head, last.epoch, [*entries, lie])
    shift.storage.anchor.write(AnchorRecord(shift.store.stored[-1].journal_head))

    assert damage(shift).position == last.last
    assert f"the account {LedgerAccount.HOUSE} has" in damage(shift).words


def fault_of_entries(shift: Shift) -> tuple[int, str]:
    """Apply the journal entry by entry, and return the first entry that is wrong."""
    house = House.new(read_canonical)
    entries = (entry for verified_page in JournalReader(shift.store) for entry in verified_page.entries)
    with pytest.raises(JournalCorrupt) as caught:
        deque((apply_entry(house, entry) for entry in entries), maxlen=0)  # type: ignore[func-returns-value]
    return caught.value.position, caught.value.words


@pytest.mark.parametrize(
    "event",
    [
        NoteStacked(TerminalId("T9"), Cents(500)),
        TicketRedeemed(Number(9), DRAWER, at_terminal=False),
        RoundSettled(TABLE, 1, 500, 18_000, "no digest"),  # type: ignore[arg-type]
        BetsChanged(PositionId(99), RoundNumber(1), BetChange.PLACE, (SpotKey("17"),), (500,)),
    ],
)
def test_entry_that_cannot_be_carried_out_is_named(event: AnyEvent) -> None:
    """An entry of a terminal, ticket, payment or position that there is not is no entry of this house."""
    shift = nearly_settled_shift()
    position = forge(shift, event)

    found = damage(shift)

    assert found.position == position
    assert found.words.startswith("it cannot be applied: ")
    assert fault_of_entries(shift) == (position, found.words)
    with pytest.raises(JournalCorrupt):
        shift.again()


def test_time_that_goes_back_is_named() -> None:
    """An entry that is stamped earlier than the one before is not of this house."""
    shift = nearly_settled_shift()
    position = forge(shift, NoteStacked(T1, Cents(500)), at=shift.clock.now() - 1)

    assert damage(shift).position == position
    assert "stamped earlier" in damage(shift).words
    assert fault_of_entries(shift) == (position, damage(shift).words)


def test_breach_of_the_chain_is_named() -> None:
    """A byte that was changed anywhere is named by its entry, whatever stands signed after it."""
    shift = nearly_settled_shift()
    page = shift.store.stored[1]
    shift.store.stored[1] = page._replace(body=page.body.replace(b"cashier", b"Cashier"))

    assert damage(shift).position == page.first


@pytest.mark.parametrize("collecting", [True, False])
def test_reading_leaves_the_collector_as_it_was(monkeypatch: pytest.MonkeyPatch, *, collecting: bool) -> None:
    """While a journal is read nothing looks for cycles; afterwards that is on or off as before, damage or not."""
    looks = [collecting]
    monkeypatch.setattr(gc, "isenabled", lambda: looks[-1])
    monkeypatch.setattr(gc, "enable", lambda: looks.append(True))
    monkeypatch.setattr(gc, "disable", lambda: looks.append(False))

    with gc_paused():
        assert not gc.isenabled()
    assert gc.isenabled() is collecting
    with pytest.raises(JournalCorrupt), gc_paused():
        raise JournalCorrupt(1, "for a test")
    assert gc.isenabled() is collecting
