"""Hostile input: devices that are not enrolled, requests that cannot be encoded, and changed tables."""

import os
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import apsw
import pytest
from msgspec.structs import replace

from croupier.engine.ports import Accepted, Request
from croupier.engine.run import recover_state
from croupier.engine.storage import open_storage
from croupier.house import AnyCommand
from croupier.house.floor.incidents import NoteIncident
from croupier.house.ids import DeviceId, PersonId
from croupier.house.rounds.opening import OpenBets
from croupier.journal.checkpoints import Signer
from croupier.journal.disk import JournalCorrupt, JournalFault, write_atomic
from croupier.journal.entry import IdempotencyKey, Page
from croupier.journal.keystore import AnchorFile, AnchorRecord, KeyStore
from croupier.journal.pages import page_after
from croupier.journal.stores.sqlite import SqliteStore
from croupier.rulebooks.schema import read_canonical
from croupier.rules.refusal import Code
from tests.support.engine_driver import code_of
from tests.support.shift import CASHIER, DESK, TABLE, Shift, opening

LONE = "\ud800"


@pytest.mark.parametrize(
    ("command", "device", "person", "number"),
    [
        (OpenBets(TABLE), LONE, "", 1),
        (OpenBets(TABLE), DESK, LONE, 1),
        (NoteIncident("the bar", LONE), DESK, CASHIER, 1),
        (OpenBets(TABLE), DESK, CASHIER, 10**5_000),
    ],
    ids=["device", "person", "words", "key"],
)
@pytest.mark.parametrize("keyed", [True, False])
def test_what_cannot_be_written_stops_nobody(
    command: AnyCommand, device: str, person: str, number: int, *, keyed: bool
) -> None:
    """A command of which something cannot be written down is refused, and the next one is taken."""
    shift = Shift.founded()
    key = IdempotencyKey(shift.run.epoch, number) if keyed else None
    poison = Request(command, DeviceId(device), PersonId(person), key)
    first, second = shift.ask(poison, shift.note())

    assert not isinstance(first, Accepted)
    assert isinstance(second, Accepted)
    assert shift.again().recovered.head == shift.run.writer.head


def test_device_that_does_not_belong_here_leaves_no_trace() -> None:
    """Whoever is not enrolled is refused as often as they ask, and neither the journal nor the memory grows by it."""
    shift = Shift.founded()
    before = shift.run.writer.head
    strangers = [DeviceId(f"stranger {number}") for number in range(50)]
    requested = [
        Request(command, each, key=IdempotencyKey(1, 1))
        for each in strangers
        for command in (OpenBets(TABLE), NoteIncident("", ""))
    ]
    codes = {code_of(outcome) for outcome in shift.ask(*requested)}

    assert codes == {Code.UNKNOWN_DEVICE}
    assert shift.run.writer.head == before
    assert not set(strangers) & {*shift.run.sequencer.idempotency.devices}


TRIGGER = "CREATE TRIGGER swallow BEFORE INSERT ON page BEGIN SELECT RAISE(IGNORE); END"


@pytest.mark.parametrize("writing", [True, False])
@pytest.mark.parametrize(
    "statement",
    [TRIGGER, "DROP TRIGGER next_page", "CREATE TABLE more (it)", "CREATE INDEX quick ON page (head)"],
)
def test_tables_that_somebody_changed_are_not_written_to(tmp_path: Path, statement: str, *, writing: bool) -> None:
    """A journal whose tables are not those that were made is neither written nor read."""
    path = tmp_path / "journal.db"
    SqliteStore(path).close()
    with closing(apsw.Connection(str(path))) as connection:
        connection.execute(statement)

    with pytest.raises(JournalFault, match="the tables of the journal were changed"):
        SqliteStore(path, writing=writing)


def test_file_that_swallows_a_page_is_detected(tmp_path: Path) -> None:
    """A page that the store accepted and did not commit is not acknowledged."""
    with closing(SqliteStore(tmp_path / "journal.db")) as store:
        store._connection.execute(f"DROP TRIGGER next_page; {TRIGGER}").fetchall()  # noqa: SLF001 - as if from outside
        page = Page(1, store.fence(), 1, 1, bytes(32), b"")

        with pytest.raises(JournalFault, match="did not store it"):
            store.append(page)


def test_fence_that_is_gone_is_a_fault(tmp_path: Path) -> None:
    """Without its fence nobody can begin an epoch."""
    path = tmp_path / "journal.db"
    SqliteStore(path).close()
    with closing(apsw.Connection(str(path))) as connection:
        connection.execute("DELETE FROM fence")

    with closing(SqliteStore(path)) as store, pytest.raises(JournalFault, match="the fence has"):
        store.fence()


@pytest.mark.parametrize("column", ["number", "epoch"])
def test_checkpoint_in_another_row_is_found(tmp_path: Path, column: str) -> None:
    """A checkpoint whose row says something else than itself is damage, whoever reads it."""
    data = tmp_path / "data"
    storage = open_storage(data, KeyStore.default_for(data))
    Shift.founded(storage=storage).run.stop()
    with closing(apsw.Connection(str(data / "journal.db"))) as connection:
        connection.execute(f"UPDATE checkpoint SET {column} = {column} + 7")  # noqa: S608 - one of the two above

    with (
        closing(SqliteStore(data / "journal.db", writing=False)) as store,
        pytest.raises(JournalCorrupt, match="not in its place"),
    ):
        list(store.checkpoints())


def test_page_of_somebody_without_the_key_is_found_at_the_start() -> None:
    """A page that is bound as it should be and does not carry the venue's page MAC is refused by the start itself."""
    shift = Shift.founded()
    last = shift.store.stored[-1]
    forged = page_after(last.journal_head, last.epoch, [replace(shift.entries[-1], position=last.last + 1)])
    shift.store.stored.append(forged._replace(mac=Signer.new().mac(forged.mac_message)))

    with pytest.raises(JournalCorrupt, match="was not written with the venue's key"):
        recover_state(shift.storage, read_canonical)


Called = list[str]


@pytest.fixture
def called(monkeypatch: pytest.MonkeyPatch) -> Called:
    """Note every flush and every renaming, in order, and let them happen."""
    calls: Called = []

    def noting(name: str, action: Callable[..., object]) -> Callable[..., object]:
        def noted(*arguments: object, **more: object) -> object:
            calls.append(name)
            return action(*arguments, **more)

        return noted

    monkeypatch.setattr(os, "fsync", noting("flush", os.fsync))
    monkeypatch.setattr(Path, "replace", noting("rename", Path.replace))
    return calls


def test_file_is_flushed_before_it_takes_its_place_and_the_folder_after(tmp_path: Path, called: Called) -> None:
    """A file that is put in its place is on the disk before it is there by name, and the name before that is said."""
    write_atomic(tmp_path / "key", b"content")

    assert called == ["flush", "rename", "flush"]
    assert [path.name for path in tmp_path.iterdir()] == ["key"]


def test_anchor_is_flushed_when_the_journal_is_signed(tmp_path: Path, called: Called) -> None:
    """An anchor is made whole, is flushed with its first note, and again whenever the journal is signed."""
    with AnchorFile(tmp_path / "anchor", Signer.new()) as anchor:
        assert called == ["flush", "rename", "flush"]
        shift = Shift(Shift().storage._replace(anchor=anchor))
        assert called[3:] == ["flush"]
        shift.ask(*opening())
        assert called[4:] == []
        shift.run.writer.sign(shift.clock.now())
        assert called[4:] == ["flush"]
        anchor.write(AnchorRecord())
        assert called[5:] == []
