"""The audit in steps: the journal of a running house is verified a little at a time."""

from collections.abc import Callable

import pytest

from croupier.engine import audit as engine
from croupier.engine.audit import JournalAudit
from croupier.house.state.ledger import LedgerAccount
from croupier.house.verification import ledger_problems
from croupier.journal.checkpoints import Checkpoint, Signer
from croupier.journal.stores.memory import MemoryStore
from tests.support.shift import Shift
from tests.support.slices import paced


def _house(notes: int = 8) -> Shift:
    """A house with some entries, of which not all stand under a signature."""
    shift = Shift.founded()
    for _ in range(notes):
        shift.ask(shift.note())
    shift.run.writer.sign(shift.run.ports.clock.now())
    shift.ask(shift.note())
    return shift


def _audit(shift: Shift) -> JournalAudit:
    storage = shift.run.storage
    return JournalAudit(storage.store, storage.signer.verifier, shift.house.read_rulebook, storage.signer)


def _inspected(shift: Shift) -> tuple[JournalAudit, int]:
    """Inspect everything; tell also in how many steps."""
    inspection, steps = _audit(shift), 1
    while not inspection.step(paced(2)):
        steps += 1
    return inspection, steps


@pytest.mark.parametrize("books_every", [1, 5_000])
def test_sound_journal_is_read_to_its_end(monkeypatch: pytest.MonkeyPatch, books_every: int) -> None:
    """However often the books are looked at, all entries, pages and signatures are gone through, in small steps."""
    monkeypatch.setattr(engine, "LEDGER_CHECK_EVERY", books_every)
    shift = _house()
    inspection, steps = _inspected(shift)

    assert inspection.fault is None
    assert inspection.reader.head == shift.run.writer.head
    assert inspection.reader.checkpoints == shift.run.writer.checkpoints
    assert steps > 3


def _edited(store: MemoryStore) -> None:
    store.stored[2] = store.stored[2]._replace(head=bytes(32))


def _by_another(store: MemoryStore) -> None:
    page = store.stored[-1]
    store.stored[-1] = page._replace(mac=Signer.new().mac(page.mac_message))


def _unsigned(store: MemoryStore) -> None:
    store.signed[0] = Checkpoint(store.signed[0].body, bytes(64))


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (_edited, "page 3 differs from what was written"),
        (_by_another, "was not written with the venue's key"),
        (_unsigned, "the signature of checkpoint 1 is not the venue's"),
    ],
)
def test_damage_is_found(spoil: Callable[[MemoryStore], None], says: str) -> None:
    """A page that was changed or that somebody else wrote, and a signature that is not the venue's, are named."""
    shift = _house()
    spoil(shift.store)
    inspection, _ = _inspected(shift)

    assert inspection.fault is not None
    assert says in inspection.fault.words


def test_unsound_books_are_found() -> None:
    """Where what the entries give does not balance, it is said what does not."""
    shift = _house()
    inspection = _audit(shift)
    ledger = inspection.house
    ledger.ledger.balances[LedgerAccount.CREDIT] += 1
    assert any(ledger_problems(ledger))
    while not inspection.step(paced(2)):
        pass

    assert inspection.fault is not None
    assert inspection.fault.words == "after it, or one that follows, the accounts together are not nil"
