"""The scrubber: the whole journal is verified once a day while the house is open."""

from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from croupier.engine.journal_reader import Scrubber
from croupier.engine.ports import Accepted
from croupier.house.floor.incidents import IncidentKind
from croupier.house.floor.staff import DeviceEnrolled
from croupier.house.ids import SYSTEM, Context, Day, DeviceId, Instant
from croupier.journal.checkpoints import Checkpoint, Signer, SnapshotFile, checkpoint
from croupier.journal.disk import JournalCorrupt
from croupier.journal.pages import MerkleTree
from croupier.journal.stores.memory import MemoryJournal, MemoryStore
from croupier.words import incident_text
from tests.support.shift import Shift
from tests.support.slices import paced
from tests.support.tampering import CountingVerifier

TODAY, TOMORROW = Day(20261115), Day(20261116)
CONTEXT = Context(Instant(1), SYSTEM)


def _journal(pages: int) -> MemoryJournal:
    journal = MemoryJournal()
    for number in range(pages):
        journal.append([DeviceEnrolled(DeviceId(f"desk {number}"))], TODAY, CONTEXT)
    return journal


def _scrubber(journal: MemoryJournal) -> Scrubber:
    return Scrubber(journal.store, journal.signer.verifier)


def test_a_day_s_walk_ends_with_the_last_page_and_begins_again_on_the_next() -> None:
    """A walk takes as long as a slice, is over when all are proven, and is made once a day."""
    scrubber = _scrubber(_journal(5))

    assert [scrubber.scrub(TODAY, paced(2)) for _ in range(4)] == [False, False, True, True]
    assert [scrubber.scrub(TOMORROW, paced(4)) for _ in range(2)] == [False, True]


def test_pages_written_on_the_way_are_walked_too() -> None:
    """What is kept while a walk goes on is proven by the same walk."""
    journal = _journal(2)
    scrubber = _scrubber(journal)
    scrubber.scrub(TODAY, paced(1))
    journal.append([DeviceEnrolled(DeviceId("late desk"))], TODAY, CONTEXT)
    journal.store.stored[2] = journal.store.stored[2]._replace(head=bytes(32))

    with pytest.raises(JournalCorrupt, match="entry 3: page 3"):
        scrubber.scrub(TODAY, paced(10))


def test_no_step_looks_at_all_signatures() -> None:
    """However often a journal was signed, a step holds as many of its signatures as fit in a slice."""
    journal = _journal(0)
    for number in range(60):
        journal.append([DeviceEnrolled(DeviceId(f"desk {number}"))], TODAY, CONTEXT)
        journal.writer.sign(CONTEXT.now)
        journal.writer.sign(CONTEXT.now)
    counted = CountingVerifier(journal.signer.verifier)
    scrubber, most = Scrubber(journal.store, counted), 0
    while not scrubber.scrub(TODAY, paced(2)):
        most, counted.requested = max(most, counted.requested), 0

    assert most == 2


def test_signatures_on_the_way_are_held_too() -> None:
    """A journal that is signed where the walk stands, or further on, is held against that when the walk comes there."""
    journal = _journal(3)
    scrubber = _scrubber(journal)
    assert not scrubber.scrub(TODAY, paced(3))
    journal.writer.sign(CONTEXT.now)
    journal.append([DeviceEnrolled(DeviceId("late desk"))], TODAY, CONTEXT)
    journal.writer.sign(CONTEXT.now)
    journal.writer.sign(CONTEXT.now)

    assert scrubber.scrub(TODAY, paced(100))
    assert scrubber.scrub(TOMORROW, paced(100))


SIGNED: list[tuple[str, Callable[[MemoryStore, Signer], object], str]] = [
    ("by another", lambda store, _: _sign_again(store, 1, Signer.new()), "checkpoint 2 is not the venue's"),
    ("over another journal", lambda store, signer: _sign_again(store, 1, signer, head="00" * 32), "another journal"),
    ("out of place", lambda store, _: store.signed.pop(1), "checkpoint 3 does not follow checkpoint 1"),
    ("too far", lambda store, signer: _sign_again(store, 2, signer, page=9), "ends before checkpoint 3"),
    ("nothing", lambda store, _: store.signed.__setitem__(1, Checkpoint(b"{}", b"")), "checkpoint cannot be read"),
]


def _sign_again(store: MemoryStore, place: int, signer: Signer, **otherwise: str | int) -> None:
    """Put another checkpoint in the place of one."""
    said = replace(store.signed[place].statement(), **otherwise)
    store.signed[place] = checkpoint(signer, said.number, said.journal_head, MerkleTree(), said.at)


@pytest.mark.parametrize(("spoil", "says"), [row[1:] for row in SIGNED], ids=[row[0] for row in SIGNED])
def test_wrong_signature_is_found(spoil: Callable[[MemoryStore, Signer], object], says: str) -> None:
    """A signature that is false, missing or of another journal stops the walk, and the next walk finds it again."""
    journal = _journal(2)
    journal.writer.sign(CONTEXT.now)
    for number in range(2):
        journal.append([DeviceEnrolled(DeviceId(f"more {number}"))], TODAY, CONTEXT)
        journal.writer.sign(CONTEXT.now)
    spoil(journal.store, journal.signer)
    scrubber = _scrubber(journal)

    for _ in range(2):
        with pytest.raises(JournalCorrupt, match=says):
            scrubber.scrub(TODAY, paced(100))


def test_damage_is_named_by_its_position() -> None:
    """A page that was changed behind the house's back stops the walk at the entry that is wrong."""
    journal = _journal(3)
    page = journal.store.stored[1]
    journal.store.stored[1] = page._replace(body=page.body.replace(b"desk 1", b"desk 7"))

    with pytest.raises(JournalCorrupt, match="entry 2"):
        _scrubber(journal).scrub(TODAY, paced(10))


def test_a_quiet_house_walks_its_own_journal() -> None:
    """An idle run verifies its whole journal in time, and detects a changed entry."""
    shift = Shift.founded()
    while not shift.run.scrub():
        pass
    shift.ask(shift.note())
    shift.run.scrubber.verified_on = Day(0)
    shift.store.stored[0] = shift.store.stored[0]._replace(head=bytes(32))

    with pytest.raises(JournalCorrupt, match="page 1 differs from what was written"):
        shift.run.scrub()


def test_a_snapshot_that_cannot_be_kept_stops_nobody(tmp_path: Path) -> None:
    """When no snapshot can be written, staff are notified and the house continues."""
    shift = Shift.founded()
    nowhere = SnapshotFile(tmp_path / "no such folder" / "snapshot")
    shift.run.storage = shift.run.storage._replace(snapshots=nowhere)
    shift.run.take_snapshot()
    (reported,) = [each for each in shift.house.incidents.all.values() if each.kind is IncidentKind.SNAPSHOT_FAILED]

    assert incident_text(reported) == "No snapshot could be written: it cannot be written: No such file or directory."
    assert isinstance(shift.ask(shift.note())[0], Accepted)
