"""Export ranges: the smallest range between checkpoints, found without reading all of them."""

import pytest

from croupier.engine.journal_reader import JournalReader
from croupier.house.floor.staff import DeviceEnrolled
from croupier.house.ids import SYSTEM, Context, Day, DeviceId, Instant
from croupier.journal.disk import JournalCorrupt
from croupier.journal.export import export_range
from croupier.journal.stores.memory import MemoryJournal
from tests.support.tampering import CountingVerifier

CONTEXT = Context(Instant(1), SYSTEM)
PAGES, SIGNED_EVERY = 60, 3


def _journal() -> MemoryJournal:
    """Sixty entries, signed after every third, there twice."""
    journal = MemoryJournal()
    for number in range(1, PAGES + 1):
        journal.append([DeviceEnrolled(DeviceId(f"desk {number}"))], Day(20261115), CONTEXT)
        if number % SIGNED_EVERY == 0:
            journal.writer.sign(CONTEXT.now)
            journal.writer.sign(CONTEXT.now)
    return journal


@pytest.mark.parametrize("first", range(1, PAGES + 1))
def test_part_is_the_least_between_signatures(first: int) -> None:
    """Whatever entries are wanted, the part begins after the last signature before them and ends at the next."""
    journal = _journal()
    counted = CountingVerifier(journal.signer.verifier)
    for last in {first, min(first + 4, PAGES), PAGES}:
        counted.requested = 0
        part = export_range(journal.store, counted, first, last)

        assert part is not None
        assert part.first == (first - 1) // SIGNED_EVERY * SIGNED_EVERY + 1
        assert part.last == (last + SIGNED_EVERY - 1) // SIGNED_EVERY * SIGNED_EVERY
        assert (part.before is None) == (part.first == 1)
        assert len(part.checkpoints) == 2 * (part.last - part.first + 1) // SIGNED_EVERY
        # As many as are in it, and some that halving asks for.
        assert counted.requested <= len(part.checkpoints) + 10
        pages = JournalReader.of_range(journal.store, journal.signer.verifier, part)
        assert [each.page.first for each in pages] == list(range(part.first, part.last + 1))


def test_what_is_not_signed_is_in_no_part() -> None:
    """Beyond the last signature there is no part, and none without a signature."""
    journal = _journal()

    assert export_range(journal.store, journal.signer.verifier, PAGES + 1, None) is None
    assert export_range(MemoryJournal().store, journal.signer.verifier, 1, None) is None


def test_missing_signature_is_missed() -> None:
    """Where a checkpoint that halving comes upon is not in its place, the journal is damaged."""
    journal = _journal()
    del journal.store.signed[1:3]
    with pytest.raises(JournalCorrupt, match="is in the place of checkpoint"):
        export_range(journal.store, journal.signer.verifier, 1, None)

    del journal.store.signed[:-1]
    with pytest.raises(JournalCorrupt, match="is missing"):
        export_range(journal.store, journal.signer.verifier, 1, None)
