"""Golden journals: what every released version has written is read, proven and carried out by this one."""

from pathlib import Path

import pytest

from croupier.engine.audit import audit
from croupier.journal.checkpoints import Verifier
from croupier.journal.entry import EMPTY_HEAD
from croupier.journal.pages import page_after, verify_chain
from croupier.rulebooks.schema import read_canonical
from tests.support.golden import FOLDER, VERSION, GoldenJournal, read_golden
from tests.support.transcript_runs import ROUNDS

FILES = sorted(FOLDER.glob("*.json"))
CASES = [(path, journal) for path in FILES for journal in read_golden(path).journals]


@pytest.mark.parametrize(("path", "journal"), CASES, ids=[f"{path.stem}: {journal.name}" for path, journal in CASES])
def test_golden_journal_is_read_as_it_was(path: Path, journal: GoldenJournal) -> None:
    """A journal of a released version is whole and signed, its books are sound, and it gives the state it gave."""
    verifier = Verifier.read(read_golden(path).public_key.encode())

    found = audit(journal.store, verifier, read_canonical)

    assert (found.head, found.state) == (journal.head, journal.state)
    assert found.signed_to == found.entries
    assert found.checkpoints == len(journal.checkpoints) > 0


def test_version_at_hand_has_golden_journals() -> None:
    """No version is released without journals of its own, which it writes byte for byte as it reads them."""
    golden = read_golden(FOLDER / f"{VERSION}.json")
    assert golden.version == VERSION
    # That of the engine, and one for each venue with transcripts.
    assert len(golden.journals) == 1 + len({path.parent for path in ROUNDS})

    for journal in golden.journals:
        since = EMPTY_HEAD
        for page in verify_chain(journal.store.pages(), EMPTY_HEAD):
            written = page_after(since, page.page.epoch, page.entries)
            assert written._replace(mac=page.page.mac) == page.page
            since = page.page.journal_head
