"""The follower and the snapshot process: the journal gives the books that the house signed, and so the snapshots."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Callable, Coroutine
from contextlib import closing
from functools import partial
from pathlib import Path
from random import Random
from signal import SIGKILL

import pytest

from croupier.engine import snapshots
from croupier.engine.audit import audit
from croupier.engine.follower import Follower, StateDiffersError, load_snapshot
from croupier.engine.places import JournalPlace, follow_store, settle_place
from croupier.engine.run import Run
from croupier.engine.snapshots import SnapshotProcess
from croupier.engine.storage import open_storage
from croupier.house.floor.incidents import IncidentKind, RaiseAlarm
from croupier.house.ids import Number
from croupier.house.state.ledger import LedgerAccount
from croupier.house.verification import books_digest, state_digest
from croupier.journal.disk import JournalCorrupt
from croupier.journal.keystore import KeyStore
from croupier.rulebooks.schema import read_canonical
from tests.support.campaign import portions
from tests.support.connections import LONG_S
from tests.support.database import new_venue
from tests.support.engine_driver import stand
from tests.support.shift import T1, T2, TABLE, Shift
from tests.support.venue_on_disk import Site, VenueOnDisk


def following(shift: Shift) -> Follower:
    """A follower of a shift's journal, with the public key alone."""
    storage = shift.storage
    return Follower.of_journal(storage.store, storage.snapshots, storage.signer.verifier, read_canonical)


def test_follower_snapshots_each_checkpoint_with_books() -> None:
    """A follower writes a snapshot where the books were signed, while the house goes on."""
    shift = Shift.founded()
    shift.ask(shift.note())
    follower = following(shift)
    for _ in range(3):
        shift.run.sign_books()
        at = shift.run.writer.head.position
        shift.ask(shift.note(), shift.note(T2))
        follower.follow(shift.storage.signer.sign_snapshot)
        assert follower.saved == at
        recovered = stand(shift.storage)
        assert recovered.head.position - recovered.replayed == at
        assert state_digest(recovered.house) == state_digest(shift.house)
        assert recovered.idempotency == shift.run.sequencer.idempotency.durable()


def test_follower_reads_a_checkpoint_that_comes_late() -> None:
    """A checkpoint that is signed after its page was read is still compared, before the next page is applied."""
    shift = Shift.founded()
    follower = following(shift)
    follower.follow(shift.storage.signer.sign_snapshot)
    assert follower.saved == 0
    shift.run.sign_books()
    follower.follow(shift.storage.signer.sign_snapshot)
    assert follower.saved == shift.run.writer.head.position


def test_follower_with_a_bad_snapshot_begins_anew() -> None:
    """A snapshot that was tampered with is not begun with, and a good one takes its place."""
    shift = Shift.founded()
    shift.run.take_snapshot()
    kept = shift.storage.snapshots.load()
    assert kept is not None
    shift.storage.snapshots.save(kept[:-1] + bytes([kept[-1] ^ 1]))
    shift.ask(shift.note())
    shift.run.take_snapshot()
    assert stand(shift.storage).replayed == 0


def _credit(shift: Shift) -> None:
    shift.house.terminals[T1].credit += 1


def _ledger(shift: Shift) -> None:
    shift.house.ledger.post(1, source=LedgerAccount.VAULT, target=LedgerAccount.CREDIT)


def _meter(shift: Shift) -> None:
    shift.house.terminals[T2].meters.turnover += 1


def _ticket(shift: Shift) -> None:
    shift.house.tickets.all[Number(1)].amount += 1


def _history(shift: Shift) -> None:
    shift.house.tables[TABLE].meters.voids += 1


@pytest.mark.parametrize("sabotage", [_credit, _ledger, _meter, _ticket, _history])
def test_books_that_differ_are_found_and_give_no_snapshot(sabotage: Callable[[Shift], None]) -> None:
    """Where the running house has other money than its journal gives, the follower says so and writes no snapshot."""
    shift = Shift.founded()
    shift.drawer()
    shift.ticket()
    sabotage(shift)
    shift.run.sign_books()

    with pytest.raises(StateDiffersError, match="the books that the journal gives"):
        following(shift).follow(shift.storage.signer.sign_snapshot)
    assert shift.storage.snapshots.load() is None
    with pytest.raises(JournalCorrupt, match="the books that the journal gives"):
        audit(shift.store, shift.storage.signer.verifier, read_canonical)


def test_books_do_not_depend_on_the_way_to_them() -> None:
    """The books of a house that was read back from a snapshot, and of one that was not, have one digest."""
    shift = Shift.founded()
    shift.ask(shift.note())
    shift.run.take_snapshot()
    digest = books_digest(shift.house)
    assert books_digest(stand(shift.storage).house) == digest
    shift.ask(shift.note())
    assert books_digest(shift.house) != digest


def test_follower_does_not_pass_a_forged_page() -> None:
    """A page that is not that of the signed chain ends the follower."""
    shift = Shift.founded()
    shift.ask(shift.note())
    shift.run.sign_books()
    page = shift.store.stored[-1]
    shift.store.stored[-1] = page._replace(body=page.body[:-1] + bytes([page.body[-1] ^ 1]))

    with pytest.raises(JournalCorrupt):
        following(shift).follow(shift.storage.signer.sign_snapshot)


@pytest.fixture(params=["sqlite", "postgresql"])
def venue(request: pytest.FixtureRequest, tmp_path: Path) -> VenueOnDisk:
    """A venue on disk, with its journal in a file or in a database."""
    if request.param == "postgresql":
        database: str = request.getfixturevalue("database")
        settle_place(Site.in_(tmp_path).data, JournalPlace(database, new_venue()))
    return VenueOnDisk(tmp_path)


async def until(is_so: Callable[[], object]) -> None:
    """Wait for what another process does."""
    async with asyncio.timeout(LONG_S):
        while not is_so():  # noqa: ASYNC110 - another process says nothing of itself
            await asyncio.sleep(0.01)


def is_saved(run: Run, position: int) -> bool:
    return run.snapshot_position == position


def has_begun(process: SnapshotProcess, starts: int) -> bool:
    return process.process is not None and process.starts == starts


def watched(run: Run, data: Path) -> tuple[SnapshotProcess, list[RaiseAlarm]]:
    """The snapshot process of a run, and the alarms that it raises."""
    alarms: list[RaiseAlarm] = []
    return SnapshotProcess(run, data, alarms.append), alarms


def test_process_follows_a_running_house(venue: VenueOnDisk) -> None:
    """Beside a house that plays, the process writes a snapshot at each signed head, and the last when asked to end."""

    async def scenario() -> None:
        process, alarms = watched(venue.run, venue.site.data)
        process.begin()
        for _ in range(2):
            venue.play()
            venue.run.sign_books()
            at = venue.run.writer.head.position
            venue.play()
            await until(partial(is_saved, venue.run, at))
        assert process.is_up
        venue.run.sign_books()
        await process.finish()
        assert (process.process, process.starts, alarms) == (None, 1, [])

    asyncio.run(scenario())
    head = venue.run.writer.head
    venue.run.stop(snapshot=False)
    run = venue.begin()
    assert (run.recovered.head, run.recovered.replayed, run.recovered.snapshot_rejected) == (head, 0, "")
    venue.run.storage.close()


def test_process_that_dies_is_told_and_started_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that is killed is told to staff once and started again with pauses that grow, until it works again."""
    monkeypatch.setattr(snapshots, "PAUSE_MIN_S", 0.01)
    venue = VenueOnDisk(tmp_path)

    async def scenario() -> None:
        process, alarms = watched(venue.run, venue.site.data)
        process.begin()
        for starts in (1, 2):
            await until(partial(has_begun, process, starts))
            assert process.process is not None
            os.kill(process.process.pid, SIGKILL)
            await until(lambda: process.process is None)
        assert "the snapshot process has ended with -9" in process.fault
        assert [each.kind for each in alarms] == [IncidentKind.SNAPSHOT_FAILED]
        assert not process.is_up
        venue.run.sign_books()
        await until(lambda: venue.run.snapshot_position == venue.run.writer.head.position)
        assert (process.is_up, process.starts) == (True, 3)
        await process.finish()

    asyncio.run(scenario())
    venue.run.stop(snapshot=False)


def test_process_that_cannot_run_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no process can be started the house goes on and staff are told."""
    monkeypatch.setattr(sys, "executable", str(tmp_path / "no-python"))
    venue = VenueOnDisk(tmp_path)

    async def scenario() -> None:
        process, alarms = watched(venue.run, venue.site.data)
        process.begin()
        await until(lambda: alarms)
        assert process.fault == "the snapshot process cannot run: No such file or directory"
        await process.finish()

    asyncio.run(scenario())
    venue.play()
    venue.run.stop(snapshot=False)
    assert venue.begin().recovered.replayed > 0
    venue.run.storage.close()


def test_process_imports_nothing_of_the_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who can write to the home of the account, where the data may be, runs nothing beside the key store."""
    home = tmp_path / "home"
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    packages = home / ".local" / "lib" / version / "site-packages"
    packages.mkdir(parents=True)
    trace = home / "ran"
    packages.joinpath("usercustomize.py").write_text(f"open({str(trace)!r}, 'w').close()\n", "utf-8")
    # The Python of a system has modules of the home; that of an environment has none.
    python = str(Path(sys.base_prefix) / "bin" / version)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, sys.path)))
    subprocess.run([python, "-c", ""], check=True)
    assert trace.exists()
    trace.unlink()
    monkeypatch.setattr(sys, "executable", python)
    venue = VenueOnDisk(tmp_path)

    async def scenario() -> None:
        process, _ = watched(venue.run, venue.site.data)
        process.begin()
        venue.run.sign_books()
        await until(lambda: process.is_up)
        await process.finish()

    asyncio.run(scenario())
    assert not trace.exists()
    venue.run.stop(snapshot=False)


#: Forbids a system call to a program and what it starts, as a service manager does, and runs it.
FORBIDDING = """#!{python}
import ctypes, os, struct, sys
# Load the number of the call; return EPERM for that one, and allow every other.
code = [(0x20, 0, 0, 0), (0x15, 0, 1, {number}), (0x06, 0, 0, 0x00050001), (0x06, 0, 0, 0x7FFF0000)]
filters = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *each) for each in code))
program = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(code), ctypes.addressof(filters)))
libc = ctypes.CDLL(None, use_errno=True)
assert libc.prctl(38, 1, 0, 0, 0) == 0 and libc.prctl(22, 2, program, 0, 0) == 0, os.strerror(ctypes.get_errno())
os.execv({python!r}, [{python!r}, *sys.argv[1:]])
"""
SETPRIORITY = {"x86_64": 141, "aarch64": 140}


def test_process_works_where_its_priority_is_fixed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Under a service that forbids to change priorities the process makes snapshots all the same."""
    number = SETPRIORITY.get(os.uname().machine) or pytest.skip("the number of the call is not known here")
    python = tmp_path / "python"
    python.write_text(FORBIDDING.format(python=sys.executable, number=number), "utf-8")
    python.chmod(0o700)
    changed = subprocess.run([python, "-c", "import os; os.nice(1)"], capture_output=True, text=True, check=False)
    assert "PermissionError" in changed.stderr
    monkeypatch.setattr(sys, "executable", str(python))
    venue = VenueOnDisk(tmp_path)

    async def scenario() -> None:
        process, alarms = watched(venue.run, venue.site.data)
        process.begin()
        venue.run.sign_books()
        await until(lambda: process.is_up or alarms)
        await process.finish()
        assert alarms == []

    asyncio.run(scenario())
    assert venue.site.snapshot.exists()
    venue.run.stop(snapshot=False)


def test_process_reports_books_that_differ(tmp_path: Path) -> None:
    """Books that differ raise an incident of their own, and the process is not started again."""
    venue = VenueOnDisk(tmp_path)

    async def scenario() -> None:
        process, alarms = watched(venue.run, venue.site.data)
        process.begin()
        venue.run.house.ledger.post(1, source=LedgerAccount.VAULT, target=LedgerAccount.CREDIT)
        venue.run.sign_books()
        await until(lambda: alarms)
        assert [each.kind for each in alarms] == [IncidentKind.BOOKS_DIFFER]
        await process.finish()
        assert (process.starts, process.is_up) == (1, False)

    asyncio.run(scenario())
    assert not venue.site.snapshot.exists()
    venue.run.stop(snapshot=False)


def test_snapshot_that_the_process_cannot_write_is_told(tmp_path: Path) -> None:
    """Where the disk takes no snapshot staff are told, and the next one is tried."""
    venue = VenueOnDisk(tmp_path)
    blocked = venue.site.data / "snapshot.new"
    blocked.mkdir()

    async def scenario() -> None:
        process, alarms = watched(venue.run, venue.site.data)
        process.begin()
        venue.run.sign_books()
        await until(lambda: alarms)
        assert "it cannot be written" in process.fault
        blocked.rmdir()
        venue.play()
        venue.run.sign_books()
        await until(lambda: process.is_up)
        await process.finish()

    asyncio.run(scenario())
    assert venue.site.snapshot.exists()
    venue.run.stop(snapshot=False)


def test_process_ends_with_the_server(tmp_path: Path) -> None:
    """When the server's end of the pipe is closed the process ends by itself."""
    venue = VenueOnDisk(tmp_path)

    async def scenario() -> int:
        process = await asyncio.create_subprocess_exec(*command(venue), stdin=asyncio.subprocess.PIPE)
        assert process.stdin is not None
        process.stdin.close()
        return await asyncio.wait_for(process.wait(), LONG_S)

    assert run_in_loop(scenario()) == 0
    venue.run.stop(snapshot=False)


def command(venue: VenueOnDisk) -> tuple[str, ...]:
    """The command of the process, as the server starts it."""
    key = venue.run.storage.signer.verifier.text
    return (sys.executable, "-m", snapshots.__name__, str(venue.site.data), key)


def run_in_loop(scenario: Coroutine[object, object, int]) -> int:
    return asyncio.run(scenario)


def test_journal_that_is_written_may_be_followed_and_not_written_twice(tmp_path: Path) -> None:
    """Beside the process that writes another may read; a second one that would write is refused."""
    venue = VenueOnDisk(tmp_path)
    with closing(follow_store(venue.site.data)) as store:
        for _ in range(2):
            venue.play()
            last = store.last()
            assert last is not None
            assert last.journal_head == venue.run.writer.head
    child = f"""
from pathlib import Path
from croupier.journal.stores.sqlite import SqliteStore
try:
    SqliteStore(Path({str(venue.site.journal)!r}))
except Exception as error:
    print(type(error).__name__)
"""

    async def scenario() -> bytes:
        process = await asyncio.create_subprocess_exec(sys.executable, "-c", child, stdout=asyncio.subprocess.PIPE)
        return (await process.communicate())[0]

    assert asyncio.run(scenario()) == b"StoreLocked\n"
    venue.run.stop(snapshot=False)
    open_storage(venue.site.data, KeyStore(venue.site.safe)).close()


@pytest.mark.campaign
@pytest.mark.parametrize("seeds", portions(day=3, night=300, size=10), ids=str)
def test_killed_process_leaves_no_torn_snapshot(seeds: range, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However the process is killed while it reads or writes, the snapshot is a whole one, or there is none."""
    monkeypatch.setattr(snapshots, "PAUSE_MIN_S", 0.01)
    venue, chance = VenueOnDisk(tmp_path), Random(seeds.start)  # noqa: S311 - repeatable
    storage = venue.run.storage

    async def scenario() -> None:
        for _ in seeds:
            process, _ = watched(venue.run, venue.site.data)
            process.begin()
            await until(partial(has_begun, process, 1))
            venue.play()
            venue.run.sign_books()
            # The process takes about half a second to begin, and a moment to write.
            await asyncio.sleep(chance.uniform(0.2, 1.2))
            if process.process is not None:
                os.kill(process.process.pid, SIGKILL)
            found = load_snapshot(storage.snapshots, storage.store, storage.signer.verifier, read_canonical)
            assert found is None or found.head.position <= venue.run.writer.head.position
            await process.finish()

    asyncio.run(scenario())
    digest = state_digest(venue.run.house)
    venue.run.storage.close()
    with closing(open_storage(venue.site.data, KeyStore(venue.site.safe))) as reopened:
        recovered = stand(reopened)
    assert (state_digest(recovered.house), recovered.snapshot_rejected) == (digest, "")
