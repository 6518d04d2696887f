"""A run: how the system starts, recovers, takes snapshots and stops, independently of the machine."""

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from croupier.engine import run as running
from croupier.engine.ports import Accepted
from croupier.engine.storage import open_storage
from croupier.house.floor.incidents import IncidentKind, IncidentRaised
from croupier.house.rounds.irregularities import RoundVoided
from croupier.house.rounds.opening import OpenBets
from croupier.house.rounds.recovery import HouseRecovered
from croupier.house.state.tables import Phase
from croupier.house.verification import state_digest
from croupier.journal.checkpoints import Checkpoint, SnapshotError
from croupier.journal.disk import JournalFault, StoreLocked
from croupier.journal.entry import Page
from croupier.journal.keystore import KeyStore
from tests.support.engine_driver import HandClock, stand
from tests.support.shift import HUNDRED, T1, TABLE, Shift, opening

ROOT = Path(__file__).parents[2]


def interrupted() -> Shift:
    """A shift that goes down with bets on an open layout."""
    shift = Shift.founded()
    shift.ask(shift.note(), OpenBets(TABLE))
    shift.ask(shift.bet("17", 500))
    return shift


def test_first_start_writes_nothing() -> None:
    """Before a house is founded a start has nothing to recover, and a stop nothing to keep."""
    shift = Shift()
    assert not any(shift.run.recovery)
    assert (shift.recovered.replayed, shift.run.epoch, shift.run.due()) == (0, 1, None)

    shift.run.stop()

    assert (shift.store.stored, shift.store.signed, shift.storage.snapshots.load()) == ([], [], None)
    assert shift.again().run.epoch == 2


def test_long_closed_house_is_notified() -> None:
    """A start long after the last entry tells staff, since days and tickets lapse by a clock that may be wrong."""
    shift = interrupted()
    shift.clock.at += running.CLOSED_MAX + 1
    reported = [entry.event for entry in shift.again().run.recovery.entries if isinstance(entry.event, IncidentRaised)]

    assert [(each.kind, each.subject) for each in reported] == [(IncidentKind.CLOCK_JUMPED, "system")]


def test_start_recovers_and_signs() -> None:
    """Before anything else a start says what it found, decides what was running, and has that signed and told."""
    shift = interrupted()
    later = shift.again()

    kinds = [type(entry.event) for entry in later.run.recovery.entries]
    assert kinds[:2] == [HouseRecovered, RoundVoided]
    assert later.outbox.batches == [later.run.recovery]
    assert {entry.epoch for entry in later.run.recovery.entries} == {2}
    assert [each.statement().journal_head for each in later.store.signed] == [later.run.writer.head]
    assert later.house.tables[TABLE].phase is Phase.BETWEEN
    assert later.house.terminals[T1].credit == HUNDRED


def test_recovery_goes_on_from_what_was_kept() -> None:
    """What a start finds is what the run before had in memory when it was cut off."""
    shift = interrupted()
    before = state_digest(shift.house)

    assert state_digest(stand(shift.storage).house) == before


class Fault:
    """Lets one call of a store fail, before it has done its work or after."""

    def __init__(self, work: Callable[..., None], *, kept: bool) -> None:
        self.work, self.kept = work, kept

    def __call__(self, what: Page | Checkpoint) -> None:
        if self.kept:
            self.work(what)
        raise JournalFault("the disk is gone")


@pytest.mark.parametrize("part", ["append", "sign"])
@pytest.mark.parametrize("kept", [True, False], ids=["kept", "lost"])
@pytest.mark.parametrize("times", [1, 3])
def test_recovery_may_be_interrupted_anywhere(
    monkeypatch: pytest.MonkeyPatch, part: str, times: int, *, kept: bool
) -> None:
    """However often a recovery is cut short, before or after any write, the round is void once and all is refunded."""
    shift = interrupted()
    for _ in range(times):
        with monkeypatch.context() as within:
            within.setattr(shift.store, part, Fault(getattr(shift.store, part), kept=kept))
            with pytest.raises(JournalFault, match="the disk is gone"):
                shift.again()

    later = shift.again()

    assert later.house.terminals[T1].credit == HUNDRED
    assert later.house.tables[TABLE].meters.voids == 1
    assert later.recovered.snapshot_rejected == ""
    pages = list(later.store.pages())
    assert sum(page.body.count(b"round_voided.1") for page in pages) == 1
    # An epoch in which nothing was written is begun again.
    assert later.run.epoch == 2 + (0 if (part, kept) == ("append", False) else times)
    assert isinstance(later.ask(OpenBets(TABLE))[0], Accepted)


def test_second_recovery_says_only_what_it_found() -> None:
    """A start after a recovery finds nothing running, and changes nothing but that it says so."""
    first = interrupted().again()
    before = first.house.ledger.balances.copy()

    second = first.again()

    assert [type(entry.event) for entry in second.run.recovery.entries] == [HouseRecovered]
    assert second.house.ledger.balances == before


def test_checkpoints_are_counted_on_from_run_to_run() -> None:
    """Every start and every stop signs, and the count has no gap."""
    shift = interrupted()
    shift.run.stop()
    for _ in range(3):
        shift = shift.again()
        shift.run.stop()

    assert [each.statement().number for each in shift.store.signed] == list(range(1, 8))


def test_books_are_signed_now_and_then() -> None:
    """After so many entries a step ends with a checkpoint that has the digest of the books."""
    shift = Shift.founded()
    shift.run.ports = replace(shift.run.ports, snapshot_every=20)
    for _ in range(60):
        shift.ask(shift.note())

    statements = [each.statement() for each in shift.store.signed]
    assert [each.position for each in statements if each.books] == [20, 40, 60]


def test_no_books_are_signed_where_there_is_no_room() -> None:
    """A disk that is nearly full is left to the journal."""
    shift = Shift(has_room=lambda: False)
    shift.run.ports = replace(shift.run.ports, snapshot_every=5)
    shift.ask(*opening())

    assert not any(each.statement().books for each in shift.store.signed)


def test_snapshot_that_cannot_be_kept_stops_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a snapshot cannot be kept staff are notified, the run goes on, and a start takes longer."""
    shift = Shift.founded()

    def failing(_kept: bytes) -> None:
        raise SnapshotError("it cannot be written: No space left on device")

    with monkeypatch.context() as within:
        within.setattr(shift.storage.snapshots, "save", failing)
        shift.run.take_snapshot()

    reported = shift.entries[-1].event
    assert isinstance(reported, IncidentRaised)
    assert reported.kind is IncidentKind.SNAPSHOT_FAILED
    assert isinstance(shift.ask(shift.note())[0], Accepted)
    assert shift.again().recovered.replayed == len(opening()) + 2


def test_stop_closes_the_store_whatever_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stop that fails at its last signature still closes the store."""
    shift = Shift.founded()
    closed: list[bool] = []
    monkeypatch.setattr(shift.store, "close", lambda: closed.append(True))
    monkeypatch.setattr(shift.store, "sign", Fault(shift.store.sign, kept=False))

    with pytest.raises(JournalFault):
        shift.run.stop()
    assert closed == [True]


def test_system_on_disk(tmp_path: Path) -> None:
    """A venue is set up on disk, cut off with bets on the table, started again, and stopped in good order."""
    data, clock = tmp_path / "data", HandClock()
    storage = open_storage(data, KeyStore.default_for(data))
    shift = Shift(storage, clock)
    shift.ask(*opening())
    shift.ask(shift.note(), OpenBets(TABLE))
    shift.ask(shift.bet("17", 500))
    with pytest.raises(StoreLocked):
        open_storage(data, KeyStore.default_for(data))
    storage.close()

    later = Shift(open_storage(data, KeyStore.default_for(data)), clock)
    assert later.recovered.replayed == shift.run.writer.head.position
    assert later.house.terminals[T1].credit == HUNDRED
    later.run.stop()

    final = Shift(open_storage(data, KeyStore.default_for(data)), clock)
    assert (final.recovered.replayed, final.run.epoch) == (0, 3)
    final.run.stop()


CHILD = """
import hashlib
from croupier.house.verification import state_digest
from croupier.engine.storage import decode_state, encode_state
from croupier.journal.entry import EMPTY_HEAD
from croupier.journal.pages import encode_body
from tests.support.transcript_runs import ROUNDS, entries_of
from tests.engine.test_run import interrupted
shift = interrupted()
later = shift.again()
digest = hashlib.sha256(b"".join(page.body for page in later.store.pages()))
for path in ROUNDS[::12]:
    digest.update(encode_body(EMPTY_HEAD, 1, entries_of(path)))
house, keys = decode_state(encode_state(later.house, later.run.sequencer.idempotency))
assert keys == later.run.sequencer.idempotency.durable()
print(digest.hexdigest(), state_digest(later.house), state_digest(house))
"""


@pytest.mark.untraced
def test_journal_does_not_depend_on_how_python_hashes() -> None:
    """The same run gives the same bytes and the same state whatever the seed of Python's hashes."""
    reported = [
        subprocess.run(
            [sys.executable, "-c", CHILD],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.split()
        for seed in ("0", "1", "4711")
    ]

    assert reported[0] == reported[1] == reported[2]
    digest, live, decoded = reported[0]
    assert live == decoded
    assert len(digest) == 64
