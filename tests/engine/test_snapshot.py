"""Snapshots: they only shorten a start, and one that cannot be trusted is rejected."""

import hashlib
from pathlib import Path

import msgspec
import pytest

from croupier.engine.storage import Storage, encode_state, schema
from croupier.house.floor.incidents import IncidentKind, IncidentRaised
from croupier.house.rounds.closing import CloseBets
from croupier.house.rounds.opening import OpenBets
from croupier.house.verification import state_digest
from croupier.journal.checkpoints import (
    SNAPSHOT_PREFIX,
    MemorySnapshots,
    Signer,
    Snapshot,
    SnapshotError,
    SnapshotFile,
    decode_snapshot,
    encode_snapshot,
)
from croupier.journal.disk import JournalCorrupt
from croupier.journal.entry import EMPTY_HEAD, JournalHead
from croupier.journal.keystore import AnchorRecord
from croupier.rules.refusal import Code
from tests.engine.test_state import FOREIGN
from tests.support.engine_driver import code_of, memory_storage, stand
from tests.support.shift import T1, T2, TABLE, Shift


def played() -> Shift:
    """A shift with credits, a sealed round, refusals and a ticket."""
    shift = Shift.founded()
    shift.drawer()
    shift.ticket()
    shift.ask(shift.note(T1), shift.note(T2), OpenBets(TABLE))
    shift.ask(shift.bet("17", 500), shift.bet("red", 10**9), shift.bet("0/1/2/3", 700, T2))
    shift.ask(CloseBets(TABLE))
    return shift


def with_snapshot() -> tuple[Shift, Snapshot]:
    """A shift of which a snapshot was taken, and the snapshot."""
    shift = played()
    shift.run.take_snapshot()
    return shift, decode_snapshot(kept_by(shift), shift.storage.signer.verifier, schema())


def kept_by(shift: Shift) -> bytes:
    kept = shift.storage.snapshots.load()
    assert kept is not None
    return kept


def until(shift: Shift, pages: int) -> Storage:
    """An archive as a shift's was after so many pages."""
    storage, kept = memory_storage()._replace(signer=shift.storage.signer), shift.store.stored[:pages]
    assert hasattr(storage.store, "stored")
    storage.store.stored = kept
    storage.store.fence(kept[-1].epoch - 1, storage.signer.fence_mac)
    storage.anchor.write(AnchorRecord(kept[-1].journal_head))
    return storage


def test_start_is_the_same_from_every_snapshot() -> None:
    """From whichever batch a snapshot was taken, a start finds the state and the keys that reading everything gives."""
    shift = played()
    straight = stand(shift.storage)
    assert straight.replayed == straight.head.position > 10

    for page in shift.store.stored:
        early = stand(until(shift, page.number))
        state = encode_state(early.house, early.idempotency)
        shift.storage.snapshots.save(
            encode_snapshot(Snapshot(schema(), page.journal_head, state), shift.storage.signer.sign_snapshot)
        )

        recovered = stand(shift.storage)

        assert (recovered.head, recovered.snapshot_rejected) == (straight.head, "")
        assert recovered.replayed == straight.head.position - page.last
        assert state_digest(recovered.house) == state_digest(straight.house)
        assert (
            recovered.idempotency.durable()
            == straight.idempotency.durable()
            == shift.run.sequencer.idempotency.durable()
        )


def test_stop_leaves_nothing_to_read() -> None:
    """After a stop in good order a start carries nothing out, and finds the same house and the same keys."""
    shift = played()
    shift.run.stop()
    recovered = stand(shift.storage)

    assert (recovered.replayed, recovered.snapshot_rejected) == (0, "")
    assert state_digest(recovered.house) == state_digest(shift.house)
    assert recovered.idempotency == shift.run.sequencer.idempotency.durable()


def left_aside(shift: Shift, kept: bytes) -> str:
    """Put something in the snapshot's place and start: all is read, and staff are notified. Give the reason."""
    shift.storage.snapshots.save(kept)
    later = shift.again()

    assert later.recovered.replayed == shift.run.writer.head.position
    raised = [entry.event for entry in later.run.recovery.entries if isinstance(entry.event, IncidentRaised)]
    assert raised[-1].kind is IncidentKind.SNAPSHOT_IGNORED
    assert later.recovered.snapshot_rejected in raised[-1].facts.text
    return later.recovered.snapshot_rejected


def test_state_is_read_whatever_a_snapshot_is() -> None:
    """The state that a start finds beside a snapshot it cannot use is the one that was there before."""
    shift, _ = with_snapshot()
    shift.storage.snapshots.save(b"garbage")

    assert state_digest(stand(shift.storage).house) == state_digest(shift.house)


def test_damaged_snapshot_is_left_aside() -> None:
    """A snapshot with any byte changed, or cut short anywhere, is not the venue's."""
    shift, _ = with_snapshot()
    kept, verifier = kept_by(shift), shift.storage.signer.verifier
    for place in range(0, len(kept), 97):
        for damaged in (kept[:place] + bytes([kept[place] ^ 1]) + kept[place + 1 :], kept[:place]):
            with pytest.raises(SnapshotError, match="signature"):
                decode_snapshot(damaged, verifier, schema())

    assert "signature" in left_aside(shift, kept[:-1])


def test_snapshot_of_another_venue_is_left_aside() -> None:
    """A snapshot that another venue signed is left aside."""
    shift, snapshot = with_snapshot()

    assert "signature" in left_aside(shift, encode_snapshot(snapshot, Signer.new().sign_snapshot))


def test_snapshot_of_another_schema_is_left_aside() -> None:
    """A snapshot of a state with other fields than this version knows is left aside."""
    shift, snapshot = with_snapshot()
    kept = encode_snapshot(msgspec.structs.replace(snapshot, schema="0" * 64), shift.storage.signer.sign_snapshot)

    assert "its schema is 00000000" in left_aside(shift, kept)


def test_snapshot_outlives_the_build_that_wrote_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """A version of the software with other code and the same state reads the snapshot, and replays nothing."""
    shift, _ = with_snapshot()
    monkeypatch.setattr("croupier.engine.storage.build_id", lambda: "9.9 another")

    later = shift.again()

    assert (later.recovered.replayed, later.recovered.snapshot_rejected) == (0, "")


@pytest.mark.parametrize(
    "mark",
    [EMPTY_HEAD, JournalHead(3, 1, 1, bytes(32)), JournalHead(999, 999, 1, bytes(32))],
    ids=["the beginning", "another head", "beyond the end"],
)
def test_snapshot_of_another_journal_is_left_aside(mark: JournalHead) -> None:
    """A snapshot that stands at a mark which this journal does not have is left aside."""
    shift, snapshot = with_snapshot()
    kept = encode_snapshot(msgspec.structs.replace(snapshot, head=mark), shift.storage.signer.sign_snapshot)

    assert left_aside(shift, kept) == "it is of another journal"


def test_snapshot_of_another_form_is_left_aside() -> None:
    """What the venue has signed as a snapshot, and is of a form that this version does not know, is left aside."""
    shift, _ = with_snapshot()
    body = msgspec.msgpack.encode({"schema": schema(), "bonus": 7})
    signature = shift.storage.signer.sign(SNAPSHOT_PREFIX + hashlib.sha256(body).digest())

    assert "another format" in left_aside(shift, signature + body)


@pytest.mark.parametrize("state", FOREIGN.values(), ids=FOREIGN)
def test_signed_snapshot_of_foreign_things_is_left_aside(state: bytes) -> None:
    """Even under the venue's own signature a snapshot that names foreign things is left aside."""
    shift, snapshot = with_snapshot()
    kept = encode_snapshot(msgspec.structs.replace(snapshot, state=state), shift.storage.signer.sign_snapshot)

    assert "the state cannot be read" in left_aside(shift, kept)


def test_next_stop_puts_a_good_snapshot_in_its_place() -> None:
    """After a start that left a snapshot aside, the next stop keeps one that is good, and the alarm is not repeated."""
    shift, _ = with_snapshot()
    shift.storage.snapshots.save(b"garbage")
    later = shift.again()
    later.run.stop()

    final = later.again()
    assert (final.recovered.replayed, final.recovered.snapshot_rejected) == (0, "")
    kinds = [incident.kind for incident in final.house.incidents.all.values()]
    assert kinds.count(IncidentKind.SNAPSHOT_IGNORED) == 1


def test_snapshot_of_an_unfounded_house_alarms_nobody() -> None:
    """Where there is no house yet, there is nobody to be told of a snapshot that cannot be used."""
    storage = memory_storage()
    storage.snapshots.save(b"garbage")
    shift = Shift(storage)

    assert "signature" in shift.recovered.snapshot_rejected
    assert not any(shift.run.recovery)


def test_snapshot_vouches_for_no_more_than_a_signature_does() -> None:
    """Pages behind the last checkpoint before a snapshot are proven, also where the snapshot has taken them in."""
    shift, snapshot = with_snapshot()
    shift.store.signed.clear()
    shift.storage.anchor.write(AnchorRecord(snapshot.head))
    assert stand(shift.storage).replayed == 0

    first = shift.store.stored[0]
    shift.store.stored[0] = first._replace(body=first.body.replace(b"T2", b"T9"))
    with pytest.raises(JournalCorrupt):
        stand(shift.storage)


def test_snapshot_in_a_file(tmp_path: Path) -> None:
    """A snapshot in a file is there whole once it was saved, and there is none before; no other file is left."""
    slot = SnapshotFile(tmp_path / "snapshot")
    assert slot.load() is None

    for kept in (b"first", b"second, longer"):
        slot.save(kept)
        assert slot.load() == kept
    assert [path.name for path in tmp_path.iterdir()] == ["snapshot"]


def test_snapshot_that_the_disk_does_not_take_is_said_to_be(tmp_path: Path) -> None:
    """Where a snapshot cannot be written that is said in its own words, and the one before stays as it was."""
    slot = SnapshotFile(tmp_path / "snapshot")
    slot.save(b"first")
    (tmp_path / "snapshot.new").mkdir()

    with pytest.raises(SnapshotError, match="it cannot be written"):
        slot.save(b"second")
    assert slot.load() == b"first"


def test_snapshot_that_the_disk_does_not_give_is_left_aside(tmp_path: Path) -> None:
    """A file that is there and cannot be read is a snapshot to leave aside, not a reason not to start."""
    (tmp_path / "snapshot").mkdir()
    slot = SnapshotFile(tmp_path / "snapshot")
    with pytest.raises(SnapshotError, match="it cannot be read"):
        slot.load()

    recovered = stand(played().storage._replace(snapshots=slot))
    assert recovered.snapshot_rejected.startswith("it cannot be read")
    assert recovered.replayed == recovered.head.position


def test_refused_commands_are_in_no_snapshot() -> None:
    """A snapshot keeps what the journal has: a refused key is stale after a start, from a snapshot too."""
    shift = Shift.founded()
    bet = shift.bet()
    assert code_of(shift.ask(bet)[0]) is Code.BETS_NOT_OPEN
    shift.run.stop()

    assert code_of(shift.again().ask(bet)[0]) is Code.KEY_STALE
    assert isinstance(shift.storage.snapshots, MemorySnapshots)
