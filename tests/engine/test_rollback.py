"""Rollback: an older copy of the journal is detected, and continued only by two people."""

from collections.abc import Callable
from pathlib import Path

import pytest

from croupier.engine.audit import audit
from croupier.engine.places import JOURNAL
from croupier.engine.ports import Accepted
from croupier.engine.run import RollbackOverride
from croupier.house.credit.notes import InsertNote
from croupier.house.credit.tickets import ReleaseTicket
from croupier.house.floor.incidents import IncidentKind, IncidentRaised
from croupier.house.floor.signatures import Approve
from croupier.house.ids import DeviceId, PersonId
from croupier.house.rounds.recovery import SPARE, HistoryAccepted, HouseRecovered
from croupier.house.verification import ledger_problems
from croupier.journal.disk import JournalFault, OverrideRefused, RolledBack
from croupier.journal.entry import EMPTY_HEAD, IdempotencyKey
from croupier.journal.keystore import AnchorRecord, KeyStore
from croupier.journal.stores import Store
from croupier.journal.stores.memory import MemoryStore
from croupier.journal.stores.sqlite import SqliteStore
from croupier.rulebooks.schema import read_canonical
from croupier.rules.refusal import Code
from tests.support.older import (
    BOTH,
    CASHIER,
    DESK,
    FIRST,
    INSPECTORS,
    OLDER,
    ONE,
    PIT,
    T1,
    TEN,
    TWO,
    WORDS,
    anchored_as,
    copied,
    done,
    in_memory,
    issue,
    opened,
    paying,
    refused,
    requested,
    rolled_back,
    set_up,
    start,
)

STRANGER = PersonId("stranger")


def test_older_copy_is_refused_and_says_what_it_lacks(tmp_path: Path) -> None:
    """A start on a restored copy is refused, and tells how many entries had been written after it."""
    data, anchored = rolled_back(tmp_path)
    storage = opened(data)
    last = storage.store.last()
    assert last is not None
    with pytest.raises(RolledBack, match="the journal ends before it") as refusal:
        start(storage)
    storage.close()

    assert refusal.value.lost == anchored.head.position - last.last > 0


@pytest.mark.parametrize(
    ("people", "words"),
    [
        ((FIRST, FIRST), "Another person must give the second word"),
        ((FIRST, STRANGER), "stranger is not enrolled here"),
        ((INSPECTORS[0], FIRST), "inspector 1 does not manage this house"),
        ((CASHIER, FIRST), "cashier does not manage this house"),
    ],
)
def test_wrong_people_change_nothing(tmp_path: Path, people: tuple[PersonId, PersonId], words: str) -> None:
    """One person twice, a stranger, or one without the duty: the start is refused, and not a byte is different."""
    data, _ = rolled_back(tmp_path)
    anchor = KeyStore.default_for(data).path / "anchor"
    before = (data / JOURNAL).read_bytes(), anchor.read_bytes()
    storage = opened(data)
    with pytest.raises(RolledBack, match=words) as refusal:
        start(storage, RollbackOverride(people, WORDS))
    assert refusal.value.lost > 0
    with pytest.raises(RolledBack, match="the journal ends before it"):
        start(storage)
    storage.close()

    assert ((data / JOURNAL).read_bytes(), anchor.read_bytes()) == before


def test_two_managers_go_on_from_an_older_copy(tmp_path: Path) -> None:
    """Slips of the copy are frozen, lost numbers are not issued again, and two people make a slip payable, once."""
    data, anchored = rolled_back(tmp_path)
    run = start(opened(data), OLDER)
    recovered, accepted, reported = (entry.event for entry in run.recovery.entries)

    assert isinstance(recovered, HouseRecovered)
    assert isinstance(accepted, HistoryAccepted)
    assert (accepted.people, accepted.words, accepted.frozen) == (BOTH, WORDS, (ONE, TWO))
    assert accepted.lost == anchored.head.position - run.recovery.entries[0].position + 1
    assert isinstance(reported, IncidentRaised)
    assert len({entry.epoch for entry in run.recovery.entries}) == 1
    for number in (1, 2):
        assert refused(run, paying(number), DESK, CASHIER) is Code.TICKET_FROZEN
    assert refused(run, paying(3), DESK, CASHIER) is Code.TICKET_UNKNOWN
    assert issue(run) == 2 + accepted.lost + SPARE + 1

    done(run, ReleaseTicket(TWO, "The cashier's list lacks it."), DESK, INSPECTORS[0])
    assert refused(run, Approve(ONE), PIT, INSPECTORS[0]) is Code.SAME_PERSON
    done(run, Approve(ONE), PIT, INSPECTORS[1])
    done(run, paying(2), DESK, CASHIER)
    assert refused(run, paying(2), DESK, CASHIER) is Code.TICKET_PAID
    assert refused(run, paying(1), DESK, CASHIER) is Code.TICKET_FROZEN
    assert list(ledger_problems(run.house)) == []
    run.stop()


def test_epoch_is_above_every_lost_one(tmp_path: Path) -> None:
    """Nobody whose key is of a lost epoch is answered as if nothing had happened."""
    data, anchored = rolled_back(tmp_path)
    run = start(opened(data), OLDER)
    note = InsertNote(T1, "AUD", TEN)

    assert run.epoch == anchored.head.epoch + 1
    for epoch in range(1, run.epoch):
        assert refused(run, note, DeviceId(T1), key=IdempotencyKey(epoch, 99)) is Code.KEY_STALE
    assert isinstance(requested(run, note, DeviceId(T1), key=IdempotencyKey(run.epoch, 1)), Accepted)
    run.stop()


def test_second_start_needs_nobody(tmp_path: Path) -> None:
    """After two people have gone on, the journal is the one last written: it starts by itself, and an audit passes."""
    data, _ = rolled_back(tmp_path)
    start(opened(data), OLDER).storage.close()
    run = start(opened(data))

    assert [type(entry.event) for entry in run.recovery.entries] == [HouseRecovered]
    assert refused(run, paying(1), DESK, CASHIER) is Code.TICKET_FROZEN
    storage = run.storage
    run.take_snapshot()
    assert audit(storage.store, storage.signer.verifier, read_canonical, storage.anchor.read()).epochs == run.epoch
    run.stop()


def test_word_is_not_taken_where_nothing_is_lost(tmp_path: Path) -> None:
    """Two people who want to go on from an older copy are refused where it is none: they may hold the wrong one."""
    storage = opened(tmp_path / "data")
    with pytest.raises(JournalFault, match="nothing is lost"):
        start(storage, OLDER)
    run = start(storage)
    set_up(run)
    run.stop()
    storage = opened(tmp_path / "data")
    with pytest.raises(JournalFault, match="nothing is lost"):
        start(storage, OLDER)
    storage.close()


class Cut:
    """An anchor that is read as it was, and whose next note the power cut short."""

    def __init__(self, anchored: AnchorRecord) -> None:
        self._anchored = anchored

    def read(self) -> AnchorRecord:
        return self._anchored

    def write(self, anchored: AnchorRecord) -> None:
        raise OSError(f"no power to note {anchored.head.position}")

    def sync(self) -> None:
        """It is not reached."""

    def close(self) -> None:
        """There is nothing to release."""


def test_snapshot_of_the_lost_part_is_left_aside() -> None:
    """A snapshot that is newer than the copy is not used, and staff are notified of that too."""
    storage = in_memory()
    copy = copied(storage)
    run = start(storage)
    issue(run)
    run.take_snapshot()
    events = [entry.event for entry in start(copy, OLDER).recovery.entries]

    assert [type(event) for event in events] == [HouseRecovered, HistoryAccepted, IncidentRaised, IncidentRaised]
    kinds = [event.kind for event in events if isinstance(event, IncidentRaised)]
    assert kinds == [IncidentKind.HISTORY_LOST, IncidentKind.SNAPSHOT_IGNORED]


def test_empty_copy_is_refused_whoever_asks() -> None:
    """A journal without an entry knows of nobody who may go on from it, and says so."""
    copy = copied(in_memory(), pages=0, checkpoints=0)
    with pytest.raises(OverrideRefused, match=r"has not been created yet\. By this copy there is nobody who may"):
        start(copy, OLDER)


@pytest.mark.parametrize("starts", [1, 2])
def test_another_journal_is_refused_whoever_asks(starts: int) -> None:
    """A journal that went on otherwise than the anchored one is no older copy, even if it was started more often."""
    storage = in_memory()
    other = anchored_as(copied(storage), storage.anchor.read())
    issue(start(storage))
    for _ in range(starts):
        run = start(other)
    done(run, paying(1), DESK, CASHIER)
    issue(run)
    issue(run)
    with pytest.raises(RolledBack, match="is not the one that had been written") as refusal:
        start(anchored_as(other, storage.anchor.read()), OLDER)
    assert refusal.value.lost == 0


def test_another_going_on_is_refused_whoever_asks() -> None:
    """A copy that people went on from, and then not again, is no older copy of the one that they went on from last."""
    storage = in_memory()
    first, again = (copied(storage, pages=len(list(storage.store.pages())) - 1, checkpoints=0) for _ in range(2))
    with pytest.raises(OSError, match="no power"):
        start(first._replace(anchor=Cut(storage.anchor.read())), OLDER)
    start(again, RollbackOverride(BOTH, "Once more."))
    with pytest.raises(RolledBack, match="is not the one that had been written") as refusal:
        start(first, OLDER)
    assert refusal.value.lost == 0


def test_missing_checkpoint_is_refused_whoever_asks() -> None:
    """Where every page is there and a signature is not, somebody took it away."""
    copy = copied(in_memory(), checkpoints=0)
    with pytest.raises(RolledBack, match="checkpoints had been signed"):
        start(copy, OLDER)


def test_missing_anchor_is_refused_whoever_asks() -> None:
    """Without an anchor nobody knows what is lost, and so nobody goes on."""
    copy = anchored_as(in_memory(), AnchorRecord())
    with pytest.raises(RolledBack, match="there is no anchor"):
        start(copy, OLDER)


@pytest.mark.parametrize("lost", [1, 2, 3])
@pytest.mark.parametrize("cuts", [1, 2])
def test_going_on_may_be_cut_short(lost: int, cuts: int) -> None:
    """Where the power goes after the page was kept and before it was anchored, the same two people go on again."""
    storage = in_memory()
    last = storage.store.last()
    assert last is not None
    copy = copied(storage, pages=last.number - lost)
    assert isinstance(copy.store, MemoryStore)
    copy.store.signed = [each for each in copy.store.signed if each.statement().page <= last.number - lost]
    for _ in range(cuts):
        with pytest.raises(OSError, match="no power"):
            start(copy._replace(anchor=Cut(storage.anchor.read())), OLDER)
    with pytest.raises(RolledBack):
        start(copy)
    run = start(copy, OLDER)

    assert run.house.tickets.skipped > lost + SPARE
    assert all(ticket.frozen for ticket in run.house.tickets.all.values())
    assert HistoryAccepted not in {type(entry.event) for entry in start(copy).recovery.entries}


@pytest.mark.parametrize("make", [lambda _: MemoryStore(), lambda path: SqliteStore(path / JOURNAL)])
def test_fence_goes_above_the_given_epoch(tmp_path: Path, make: Callable[[Path], Store]) -> None:
    """A store's next epoch is above any that it is told of, and never before its own."""
    store = make(tmp_path)
    assert [store.fence(), store.fence(7), store.fence(3), store.fence()] == [1, 8, 8, 9]
    store.close()


def test_note_of_a_later_epoch_is_the_newest(tmp_path: Path) -> None:
    """Of two notes in an anchor's file the one of the later run counts, also where it is of an earlier position."""
    safe = KeyStore(tmp_path / "safe")
    safe.provision()
    lost, after = (
        AnchorRecord(EMPTY_HEAD._replace(position=at, page=1, epoch=epoch)) for at, epoch in ((90, 2), (40, 3))
    )
    with safe.anchor() as anchor:
        anchor.write(lost)
        anchor.write(after)
    with safe.anchor() as anchor:
        assert anchor.read() == after
