"""The anchor: the last head is stored outside the data directory, so that an older copy is detected."""

import hashlib
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from croupier.engine.ports import Accepted
from croupier.engine.storage import open_storage
from croupier.house.ids import Instant
from croupier.house.rounds.opening import OpenBets
from croupier.journal.checkpoints import Signer, checkpoint
from croupier.journal.disk import JournalFault, RolledBack
from croupier.journal.entry import EMPTY_HEAD, JournalHead
from croupier.journal.keystore import SLOT_BYTES, AnchorFile, AnchorRecord, KeyStore, MemoryAnchor, check_anchor
from croupier.journal.pages import MerkleTree
from croupier.journal.stores.memory import MemoryStore
from croupier.journal.writer import Writer
from tests.journal.test_chain import journal
from tests.support.engine_driver import HandClock
from tests.support.shift import CASHIER, DESK, TABLE, Shift, opening, redeeming

SIGNER = Signer.new()
NOTES = [AnchorRecord(JournalHead(n, n, 1, bytes([n]) * 32), n // 2) for n in range(1, 8)]


def read(path: Path) -> AnchorRecord:
    with AnchorFile(path, SIGNER) as anchor:
        return anchor.read()


def written(path: Path, *notes: AnchorRecord) -> bytes:
    """Write notes one after the other, and give the bytes that the file has then."""
    with AnchorFile(path, SIGNER) as anchor:
        anchor.read()
        for note in notes:
            anchor.write(note)
        anchor.sync()
    return path.read_bytes()


def test_anchor_begins_with_nothing(tmp_path: Path) -> None:
    """An anchor that was never written says that nothing was."""
    assert read(tmp_path / "anchor") == AnchorRecord(EMPTY_HEAD, 0)


@pytest.mark.parametrize("count", range(1, len(NOTES) + 1))
def test_last_note_is_read(tmp_path: Path, count: int) -> None:
    """However many notes were written, in one run or in a run each, the last is read."""
    written(tmp_path / "one run", *NOTES[:count])
    for note in NOTES[:count]:
        written(tmp_path / "a run each", note)

    assert read(tmp_path / "one run") == read(tmp_path / "a run each") == NOTES[count - 1]


def test_note_of_a_signature_is_newer_than_the_page_it_signs(tmp_path: Path) -> None:
    """Of two notes at one position the one with more checkpoints, or of the later epoch, is the last."""
    mark = NOTES[0].head
    for count, last in enumerate(
        [
            AnchorRecord(mark, 1),
            AnchorRecord(mark, 2),
            AnchorRecord(JournalHead(0, 0, 2, bytes(32))),
            AnchorRecord(JournalHead(0, 0, 3, bytes(32))),
        ]
    ):
        first = (
            AnchorRecord(JournalHead(0, 0, last.head.epoch - 1, bytes(32)))
            if last.head.position == 0
            else AnchorRecord(mark)
        )
        written(tmp_path / f"anchor {count}", first, last)
        assert read(tmp_path / f"anchor {count}") == last


def test_write_that_is_cut_short_leaves_the_note_before(tmp_path: Path) -> None:
    """Wherever a write stops, the last note or the one before is read, and never anything else."""
    path = tmp_path / "anchor"
    before, after = written(path, *NOTES[:3]), written(path, NOTES[3])
    changed = [at for at in range(len(after)) if at >= len(before) or before[at] != after[at]]
    assert len({at // SLOT_BYTES for at in changed}) == 1

    found = []
    for at in (*changed, len(after)):
        path.write_bytes(after[:at] + before[at:])
        found.append(read(path))

    # Before its first byte is written, and with the last, the file is whole.
    assert found[0] == NOTES[2]
    assert found[1:-1] == [NOTES[2]._replace(torn=True)] * (len(changed) - 1)
    assert found[-1] == NOTES[3]


def test_first_note_that_is_cut_short_stops_nobody(tmp_path: Path) -> None:
    """Where the power goes in the middle of the very first note, the anchor says that nothing was written yet."""
    path = tmp_path / "anchor"
    whole = written(path, NOTES[0])
    for store_with in range(0, SLOT_BYTES, 512):
        path.write_bytes(whole[:store_with] + bytes(SLOT_BYTES - store_with) + whole[SLOT_BYTES:])
        assert read(path) == AnchorRecord(torn=True)


def test_anchor_of_which_half_is_gone_is_not_taken_for_none(tmp_path: Path) -> None:
    """A file with half of one note is no anchor, and no proof that there was none: nobody may go on by it."""
    path = tmp_path / "anchor"
    whole = written(path, NOTES[0])
    path.write_bytes(whole[: SLOT_BYTES // 2])

    with pytest.raises(JournalFault, match="the anchor cannot be read"):
        read(path)


@pytest.mark.parametrize("slot", [0, 1])
@pytest.mark.parametrize("garbage", [b"\x00", b"\xff", b" ", b"7 "], ids=["nought", "high", "blank", "numbers"])
def test_garbage_in_one_slot_leaves_the_other(tmp_path: Path, slot: int, garbage: bytes) -> None:
    """A slot that is overwritten with anything is passed over; the next note goes there, not over the good one."""
    path = tmp_path / "anchor"
    content = bytearray(written(path, *NOTES[:2]))
    content[slot * SLOT_BYTES : (slot + 1) * SLOT_BYTES] = (garbage * SLOT_BYTES)[:SLOT_BYTES]
    path.write_bytes(content)

    good = slice((1 - slot) * SLOT_BYTES, (2 - slot) * SLOT_BYTES)
    assert read(path) == NOTES[1 - slot]._replace(torn=True)
    assert written(path, NOTES[5])[good] == content[good]
    assert read(path) == NOTES[5]


@pytest.mark.parametrize("garbage", [b"\x00" * 2 * SLOT_BYTES, b"x", b"anchor\n" * 99])
def test_garbage_in_both_slots_is_a_fault(tmp_path: Path, garbage: bytes) -> None:
    """An anchor of which nothing can be read is not taken for one that was never written."""
    path = tmp_path / "anchor"
    path.write_bytes(garbage)

    with pytest.raises(JournalFault, match="the anchor cannot be read"):
        read(path)


def test_every_byte_of_a_note_counts(tmp_path: Path) -> None:
    """A note with any byte changed is not read as another one."""
    path = tmp_path / "anchor"
    content = written(path, NOTES[4])
    digits = len(content[:SLOT_BYTES].rstrip())

    for at in range(digits):
        path.write_bytes(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])
        assert read(path) == AnchorRecord(torn=True)


def store_with(pages: int, checkpoints: int = 0) -> MemoryStore:
    """A store with so many pages of the small journal."""
    store, signer = MemoryStore(), Signer.new()
    store.stored = journal()[:pages]
    store.signed = [
        checkpoint(signer, n, store.stored[0].journal_head, MerkleTree(), Instant(n)) for n in range(1, checkpoints + 1)
    ]
    return store


def fenced(epoch: int) -> MemoryStore:
    """An empty store in which so many epochs have begun."""
    store = MemoryStore()
    for before in range(epoch):
        store.fence(before, SIGNER.fence_mac)
    return store


def other(store: MemoryStore) -> MemoryStore:
    """The same journal, but that its second page was written otherwise."""
    store.stored[1] = store.stored[1]._replace(head=bytes(32))
    return store


MARKS = [EMPTY_HEAD, *(page.journal_head for page in journal())]


@pytest.mark.parametrize(
    ("store", "anchored"),
    [
        (lambda: store_with(0), AnchorRecord()),
        (lambda: store_with(0), AnchorRecord(JournalHead(0, 0, 1, bytes(32)))),
        (lambda: store_with(1), AnchorRecord(JournalHead(0, 0, 1, bytes(32)))),
        (lambda: store_with(4), AnchorRecord(MARKS[4])),
        (lambda: store_with(4), AnchorRecord(MARKS[1])),
        (lambda: store_with(4, 2), AnchorRecord(MARKS[3], 2)),
        (lambda: store_with(4, 3), AnchorRecord(MARKS[3], 2)),
        (lambda: store_with(0), AnchorRecord(torn=True)),
        (lambda: fenced(2), AnchorRecord(JournalHead(0, 0, 1, bytes(32)), torn=True)),
        (lambda: store_with(1), AnchorRecord(JournalHead(0, 0, 1, bytes(32)), torn=True)),
        (lambda: store_with(4), AnchorRecord(MARKS[3], torn=True)),
        (lambda: store_with(4, 1), AnchorRecord(MARKS[4], torn=True)),
        (lambda: store_with(1, 2), AnchorRecord(MARKS[1], 2, torn=True)),
    ],
    ids=[
        *("new", "begun", "first page after", "the last", "lags", "signed", "signed after", "torn at first"),
        *("torn at the second start", "torn with the first page", "torn with a page", "torn with a signature"),
        "torn after a stop",
    ],
)
def test_journal_that_is_the_last_or_newer_is_held(store: Callable[[], MemoryStore], anchored: AnchorRecord) -> None:
    """A journal that has come at least as far as its anchor says is the one that was written."""
    check_anchor(store(), anchored)


@pytest.mark.parametrize(
    ("store", "anchored", "position"),
    [
        (lambda: store_with(4), AnchorRecord(), 1),
        (lambda: store_with(3), AnchorRecord(MARKS[4]), 7),
        (lambda: store_with(1), AnchorRecord(MARKS[4]), 3),
        (lambda: store_with(0), AnchorRecord(MARKS[4]), 1),
        (lambda: other(store_with(4)), AnchorRecord(MARKS[2]), 3),
        (lambda: store_with(4), AnchorRecord(MARKS[3]._replace(epoch=9)), 6),
        (lambda: store_with(4), AnchorRecord(MARKS[3]._replace(position=5)), 6),
        (lambda: store_with(4, 1), AnchorRecord(MARKS[3], 2), 6),
        (lambda: store_with(4), AnchorRecord(MARKS[4], torn=True), MARKS[4].position + 1),
        (lambda: store_with(4, 1), AnchorRecord(MARKS[4], 1, torn=True), MARKS[4].position + 1),
        (lambda: fenced(1), AnchorRecord(JournalHead(0, 0, 1, bytes(32)), torn=True), 1),
    ],
    ids=[
        *("no anchor", "a page older", "older", "gone", "replaced", "epoch", "position", "signature gone"),
        *("torn, not ahead", "torn, no more signed", "torn, gone"),
    ],
)
def test_journal_that_is_older_or_another_is_not(
    store: Callable[[], MemoryStore], anchored: AnchorRecord, position: int
) -> None:
    """A journal that ends before its anchor, or has something else there, is refused from the first wrong position."""
    with pytest.raises(RolledBack) as caught:
        check_anchor(store(), anchored)

    assert caught.value.position == position


def test_anchor_is_written_before_the_first_entry() -> None:
    """A journal that was begun has an anchor at once, so that one whose anchor is missing is detected."""
    anchor = MemoryAnchor()
    store = MemoryStore()
    Writer(store, AnchorRecord(), anchor, Signer.new())

    assert anchor.record == AnchorRecord(JournalHead(0, 0, 1, EMPTY_HEAD.digest))
    assert anchor.record != AnchorRecord()


def test_anchor_follows_every_page_and_signature() -> None:
    """After every batch the anchor has the journal's mark, and after a signature its count too."""
    shift = Shift.founded()
    anchor = shift.storage.anchor
    shift.ask(shift.note())
    assert anchor.read() == AnchorRecord(shift.run.writer.head, 0)

    shift.run.take_snapshot()
    assert anchor.read() == AnchorRecord(shift.run.writer.head, 1)
    assert shift.again().storage.anchor.read().checkpoints == 2


def on_disk(data: Path, clock: HandClock) -> Shift:
    return Shift(open_storage(data, KeyStore.default_for(data)), clock)


def test_older_copy_of_the_data_is_not_gone_on_with(tmp_path: Path) -> None:
    """A ticket is redeemed, an older copy of the data directory is put back, and the system does not start on it."""
    data, copy, clock = tmp_path / "data", tmp_path / "copy", HandClock()
    shift = on_disk(data, clock)
    shift.ask(*opening())
    shift.drawer()
    shift.ticket()
    shift.run.stop()
    shutil.copytree(data, copy)

    later = on_disk(data, clock)
    assert isinstance(later.ask(later.keyed(redeeming(1), DESK, CASHIER))[0], Accepted)
    position = later.run.writer.head.position
    later.run.stop()

    shutil.rmtree(data)
    shutil.copytree(copy, data)
    with pytest.raises(RolledBack) as caught:
        on_disk(data, clock)
    assert caught.value.position == position - 1


def test_unreadable_newest_record_demands_a_journal_that_goes_on_after_the_other(tmp_path: Path) -> None:
    """After a kill, damage to the newest record hides no older copy of the data; the journal itself is continued."""
    data, copy, clock = tmp_path / "data", tmp_path / "copy", HandClock()
    anchor = KeyStore.default_for(data).path / "anchor"
    shift = on_disk(data, clock)
    shift.ask(*opening())
    shift.drawer()
    shift.ticket()
    # The process is killed: nothing more is written, and its locks end.
    shutil.copytree(data, copy)
    assert isinstance(shift.ask(shift.keyed(redeeming(1), DESK, CASHIER))[0], Accepted)
    position = shift.run.writer.head.position
    shift.run.storage.close()
    content = bytearray(anchor.read_bytes())
    newest = max(range(2), key=lambda slot: int(content[slot * SLOT_BYTES :].split(b" ", 1)[0]))
    content[newest * SLOT_BYTES : (newest + 1) * SLOT_BYTES] = bytes(SLOT_BYTES)
    anchor.write_bytes(content)

    last = tmp_path / "last"
    data.rename(last)
    shutil.copytree(copy, data)
    storage = open_storage(data, KeyStore.default_for(data))
    with pytest.raises(RolledBack, match="a record of the anchor cannot be read") as caught:
        Shift(storage, clock)
    storage.close()
    assert (caught.value.position, caught.value.lost) == (position, 1)

    shutil.rmtree(data)
    last.rename(data)
    again = on_disk(data, clock)
    assert again.run.writer.head.position > position
    again.run.stop()


@pytest.mark.parametrize("gone", ["anchor", "public.pem", "signing.pem"])
def test_start_without_what_the_safe_holds_is_refused(tmp_path: Path, gone: str) -> None:
    """A journal whose anchor or key is missing from the safe is not gone on with, and no new key is made for it."""
    data = tmp_path / "data"
    shift = on_disk(data, HandClock())
    shift.ask(*opening())
    shift.run.stop()
    safe = KeyStore.default_for(data)
    (safe.path / gone).unlink()

    with pytest.raises(JournalFault, match="there is no anchor" if gone == "anchor" else f"the key store lacks {gone}"):
        on_disk(data, HandClock())
    assert gone == "anchor" or not (safe.path / gone).exists()


def test_data_that_is_gone_is_not_begun_anew(tmp_path: Path) -> None:
    """Where the safe knows of a journal and the data directory is empty, no other journal is begun in its place."""
    data = tmp_path / "data"
    shift = on_disk(data, HandClock())
    shift.ask(*opening())
    shift.run.stop()
    shutil.rmtree(data)

    with pytest.raises(RolledBack) as caught:
        on_disk(data, HandClock())
    assert caught.value.position == 1


def test_journal_of_another_venue_is_not_gone_on_with(tmp_path: Path) -> None:
    """A whole and signed journal of somebody else's, put in the place of ours, is detected."""
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    for data in (ours, theirs):
        shift = on_disk(data, HandClock())
        shift.ask(*opening(), OpenBets(TABLE))
        shift.run.stop()
    shutil.rmtree(ours)
    shutil.copytree(theirs, ours)

    with pytest.raises(JournalFault):
        on_disk(ours, HandClock())


def test_note_with_odd_words_is_none(tmp_path: Path) -> None:
    """Words under a good digest that are not five figures are no note, and the other note counts."""
    path = tmp_path / "anchor"
    content = written(path, *NOTES[:2])
    for words in ("1 2 3", f"1 1 one {bytes(32).hex()} 0", f"1 1 1 {'z' * 64} 0"):
        note = f"{words} {hashlib.sha256(words.encode()).hexdigest()}".ljust(SLOT_BYTES - 1).encode() + b"\n"
        path.write_bytes(content[:SLOT_BYTES] + note)
        assert read(path) == NOTES[0]._replace(torn=True)


def test_anchor_is_closed_once(tmp_path: Path) -> None:
    """Closing an anchor again does nothing to whoever has its place in the meantime."""
    anchor = AnchorFile(tmp_path / "anchor", SIGNER)
    anchor.close()
    with (tmp_path / "other").open("wb") as other:
        anchor.close()
        other.write(b"still open")

    assert (tmp_path / "other").read_bytes() == b"still open"
