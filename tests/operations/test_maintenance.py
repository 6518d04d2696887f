"""The maintenance service: backups, exports and checks of an open house delay no bet."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from copy import copy
from itertools import count
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from croupier.config.reader import parse_config
from croupier.engine.commit_loop import JOURNAL_JOBS_MAX
from croupier.engine.journal_reader import JournalReader
from croupier.engine.ports import Request
from croupier.house import House
from croupier.house.floor.incidents import IncidentFacts, IncidentKind, NoteIncident, RaiseAlarm
from croupier.house.ids import SECOND, TableId
from croupier.house.rounds.results import BallAtRest
from croupier.house.state.tables import Phase
from croupier.journal import verify
from croupier.journal.disk import JournalCorrupt
from croupier.journal.keystore import KeyStore
from croupier.journal.stores.sqlite import SqliteStore
from croupier.operations.backup import verify_copy
from croupier.operations.control import (
    AnyRequest,
    BackedUp,
    ChangeDay,
    ChangedFile,
    CopyJournal,
    DayChanged,
    DeviceFound,
    Exported,
    ExportPart,
    FindDevice,
    GetStatus,
    IntegrityFailed,
    IntegrityUnknown,
    JournalCopied,
    LastBackup,
    MakeBackup,
    OperationsFault,
    Reloaded,
    ReloadSettings,
    RequestDeclined,
    SystemStatus,
    ask,
)
from croupier.operations.maintenance import (
    INCIDENTS_SHOWN,
    SCRUB_EVERY,
    VERIFY_EVERY,
    fetch_export,
    fetched_copy,
    keep_copy,
    left_to_do,
)
from croupier.rulebooks.schema import read_canonical
from croupier.rules.geometry import Pocket
from tests.support import server_harness
from tests.support.connections import LONG_S, VENUE, TestHouse, configured, open_house, played, until
from tests.support.live_driver import LiveFloor
from tests.test_app import SECOND_TABLE


async def requested(house: TestHouse, request: AnyRequest) -> object:
    """Ask on the control socket, as the command line does."""
    config = house.venue.config
    answering = asyncio.get_running_loop().run_in_executor(None, ask, KeyStore(config.key_store), request, config.data)
    while not answering.done():
        await house.rest()
        await asyncio.sleep(0.001)
    return await answering


def test_backup_is_made_while_people_bet(tmp_path: Path) -> None:
    """A backup of an open house is proven, and bets go on between its steps."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            player = await house.seated()
            await house.pass_s(6)
            backing_up = asyncio.ensure_future(requested(house, MakeBackup(str(tmp_path / "backups"), 3)))
            reported = await player.answered(player.bet("17", 500, 1))
            made = await backing_up

            assert reported["set"]["games"]["A"]["stakes"] == {"17": 500}
            assert isinstance(made, BackedUp)
            mark = verify_copy(Path(made.path) / "journal.db", house.venue.run.storage.signer)
            assert mark.position == made.position

    played(scenario)


def test_part_is_exported_while_people_bet(tmp_path: Path) -> None:
    """A part of the journal of an open house is exported to its last entry, and can be verified without the house."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            player = await house.seated()
            await house.pass_s(6)
            exporting = asyncio.ensure_future(requested(house, ExportPart()))
            reported = await player.answered(player.bet("17", 500, 1))
            made = await exporting
            again = await requested(house, ExportPart(2, 3))

            assert reported["set"]["games"]["A"]["stakes"] == {"17": 500}
            assert isinstance(made, Exported)
            assert isinstance(again, Exported)
            assert (made.first, again.first <= 2, again.last >= 3) == (1, True, True)
            assert [path.name for path in (tmp_path / "data" / "exported").iterdir()] == [Path(again.path).name]
            fetch_export(again, tmp_path / "data", tmp_path / "part.zip")
            key = (house.venue.config.key_store / "public.pem").read_bytes()
            assert verify.verify(tmp_path / "part.zip", key).startswith(f"Whole: entries {again.first} to {again.last}")
            assert list((tmp_path / "data" / "exported").iterdir()) == []
            assert await requested(house, ExportPart(10**6)) == RequestDeclined(
                "The request failed: the journal has no entry 1000000."
            )

    played(scenario)
    # What no client has fetched is gone with the next start.
    (tmp_path / "data" / "exported" / "left.zip").touch()

    async def again() -> None:
        async with open_house(tmp_path):
            assert not (tmp_path / "data" / "exported").exists()

    played(again)


def test_journal_is_copied_while_people_bet(tmp_path: Path) -> None:
    """A client on the host gets a copy of the journal of an open house, which is gone when it was read."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            player = await house.seated()
            await house.pass_s(6)
            copying = asyncio.ensure_future(requested(house, CopyJournal()))
            reported = await player.answered(player.bet("17", 500, 1))
            made = await copying

            assert reported["set"]["games"]["A"]["stakes"] == {"17": 500}
            assert isinstance(made, JournalCopied)
            with fetched_copy(tmp_path / "data") as store:
                signer = house.venue.run.storage.signer
                head = JournalReader(store, signer.verifier, signer).read_all()
            assert head.position == made.position > 0
            assert not (tmp_path / "data" / "exported").exists()

    played(scenario)


def test_day_is_closed_and_opened_in_the_name_of_a_manager(tmp_path: Path) -> None:
    """All tables close after their rounds, with what is left to do, and open again; a dealer is refused."""

    async def scenario() -> None:
        async with open_house(tmp_path, VENUE + SECOND_TABLE) as house:
            tables = house.venue.run.house.tables
            await house.seated()
            cashier = await house.signed_in("cashier", "cashier", house.codes["cashier"])
            assert await cashier.acked("OpenDrawer", drawer="D1", float_=10_000) == "done"
            await house.pass_s(6)
            assert tables[TableId("A")].phase is not Phase.BETWEEN
            refused = await requested(house, ChangeDay(opens=False, person="dealer", words="Night."))
            assert isinstance(refused, DayChanged)
            assert (refused.tables, set(refused.refused)) == ((), set(tables))

            close = ChangeDay(opens=False, person="manager", words="Night.")
            unannounced = await requested(house, close)
            assert isinstance(unannounced, DayChanged)
            assert all("Authorised Officer must be notified" in words for words in unannounced.refused.values())
            pit = await house.signed_in("manager", "pit", house.codes["manager"])
            for table in tables:
                assert await pit.acked("NotifyOfficer", subject=table, words="Closing time.") == "done"
            await house.pass_s(1)
            closed = await requested(house, close)
            assert isinstance(closed, DayChanged)
            assert (set(closed.tables), "A" in closed.running, closed.refused) == (set(tables), True, {})
            assert any("Drawer D1 of cashier is open" in line for line in closed.left)
            assert any("A-1" in line for line in closed.left)
            assert all(table.closed for table in tables.values())
            assert await requested(house, close) == DayChanged((), (), {}, closed.left)

            opened = await requested(house, ChangeDay(opens=True, person="manager"))
            assert isinstance(opened, DayChanged)
            assert (set(opened.tables), opened.refused, opened.left) == (set(tables), {}, ())
            assert not any(table.closed for table in tables.values())

    played(scenario)


def test_what_is_left_of_a_day() -> None:
    """Open floats and incidents are listed before a day is over; a house with nothing open has nothing left."""
    floor = LiveFloor()
    assert any("The float of table" in line for line in left_to_do(floor.house))
    floor.must(RaiseAlarm(IncidentKind.BUILD_DIFFERS, "system", IncidentFacts("Glass.")))
    assert "Open incidents: 1." in left_to_do(floor.house)
    assert list(left_to_do(House.new(read_canonical))) == []


def test_copy_of_an_empty_journal_has_no_entry(tmp_path: Path) -> None:
    """A journal without entries is copied too."""
    folder, data = tmp_path / "staged", tmp_path / "data"
    folder.mkdir()
    data.mkdir()
    SqliteStore(folder / "journal.db").close()

    assert keep_copy(folder, data) == JournalCopied(0)


def test_one_copy_of_the_journal_is_made_at_a_time(tmp_path: Path) -> None:
    """While a copy of the journal is made for an export, another export and a backup are declined."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            maintenance = house.venue.maintenance
            first = asyncio.ensure_future(maintenance.export(1, None))
            await asyncio.sleep(0)
            with pytest.raises(OperationsFault, match="is being made already"):
                await maintenance.export(1, None)
            with pytest.raises(OperationsFault, match="another backup"):
                await maintenance.backup(tmp_path / "backups", None)
            with pytest.raises(OperationsFault, match="is being made already"):
                await maintenance.copy()
            while not first.done():
                await house.rest()
                await asyncio.sleep(0.001)
            assert (await first).first == 1

    played(scenario)


def test_drawn_number_is_not_exported_before_it_counts(tmp_path: Path) -> None:
    """While a number is drawn that does not count yet an export that has it is declined, and one before it is made."""

    async def scenario() -> None:
        async with server_harness.server_harness(tmp_path, VENUE) as harness:
            dealer = await harness.staff("dealer", "dealer")
            await harness.passes(5 + 30 + 2)
            await harness.does(dealer, "ReferRound", table="A", words="Somebody shouted.")
            assert isinstance(await requested(harness.open, ExportPart()), Exported)
            await harness.wheel(BallAtRest(TableId("A"), Pocket("17"), spin_id=1))
            reported = await requested(harness.open, ExportPart())
            assert isinstance(reported, RequestDeclined)
            assert "does not count yet: try again once round 1 is over" in reported.message
            assert isinstance(await requested(harness.open, ExportPart(1, 3)), Exported)

    played(scenario)


def test_devices_of_the_house_are_known(tmp_path: Path) -> None:
    """The host is told whether the house has a device and what it is there for."""

    async def scenario() -> None:
        config = f'{VENUE}\n[[consoles]]\nid = "pit-1"\nrole = "pit"\n'
        async with open_house(tmp_path, config) as house:
            assert await requested(house, FindDevice("A-1")) == DeviceFound(known=True, kind="terminal")
            assert await requested(house, FindDevice("pit-1")) == DeviceFound(known=True, kind="pit")
            assert await requested(house, FindDevice("A-9")) == DeviceFound(known=False)

    played(scenario)


def test_configuration_is_read_again_while_the_house_is_open(tmp_path: Path) -> None:
    """A table that was added to the file stands and turns once the file is read again; another mode is refused."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            await house.pass_s(1)
            (wheel,) = house.venue.wheels
            maintenance = house.venue.maintenance
            with pytest.raises(OperationsFault, match="not started from a configuration file"):
                await maintenance.reload()
            maintenance.reread = lambda: configured(tmp_path, VENUE + SECOND_TABLE)
            reported = await requested(house, ReloadSettings())

            assert isinstance(reported, Reloaded)
            assert reported.lines[:2] == ("AddTable was done.", "AddTerminal was done.")
            assert house.venue.wheels.random[0] is wheel
            player = await house.seated("B")
            await house.pass_s(40)
            assert house.venue.run.house.tables[TableId("B")].rounds > 1
            assert player.device == "B-1"

            maintenance.reread = lambda: configured(tmp_path, f'mode = "real"\n{VENUE}')
            with pytest.raises(OperationsFault, match="never mix"):
                await maintenance.reload()
            maintenance.reread = lambda: parse_config("venue = 1", where=tmp_path / "bad.toml")
            maintenance.begin_reload()
            await asyncio.gather(*maintenance.under_way)

    played(scenario)


def test_two_reloads_at_once_add_nothing_twice(tmp_path: Path) -> None:
    """Whoever reads the file while it is being read finds all that was new there already."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            maintenance = house.venue.maintenance
            maintenance.reread = lambda: configured(tmp_path, VENUE + SECOND_TABLE)
            first, second = await asyncio.gather(maintenance.reload(), maintenance.reload())

            assert first == Reloaded(("AddTable was done.", "AddTerminal was done."))
            assert second == Reloaded()

    played(scenario)


def test_other_place_for_the_data_counts_from_the_next_start(tmp_path: Path) -> None:
    """A file that names other data is told so while the house is open, and backups are of the data that it has."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            maintenance = house.venue.maintenance
            data = maintenance.config.data
            elsewhere = VENUE.replace('data = "data"', 'data = "elsewhere"')
            maintenance.reread = lambda: configured(tmp_path, elsewhere)
            reported = await maintenance.reload()

            assert "The change of data takes effect at the next start." in reported.lines
            assert maintenance.config.data == data
            assert (await maintenance.backup(tmp_path / "backups", None)).position > 0

    played(scenario)


def test_status_says_what_somebody_should_know(tmp_path: Path) -> None:
    """The status of a source checkout says that its software is unverified."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            reported = await requested(house, GetStatus())

            assert isinstance(reported, SystemStatus)
            assert reported.epoch == house.venue.run.epoch
            assert any("unverified" in line for line in reported.remarks)
            assert reported.backup is None
            player = await house.seated()
            for number in range(INCIDENTS_SHOWN + 2):
                alarm = RaiseAlarm(IncidentKind.BUILD_DIFFERS, f"part {number}", IncidentFacts(f"Glass {number}"))
                house.venue.commit_loop.submit(Request(alarm))
            await house.pass_s(6)
            made = await requested(house, MakeBackup(str(tmp_path / "backups"), 3))
            reported = await requested(house, GetStatus())
            assert isinstance(made, BackedUp)
            assert isinstance(reported, SystemStatus)
            (table,) = reported.tables
            assert (table.table, table.running, table.round, table.blocked) == ("A", True, 1, ())
            assert (reported.connections, reported.mode, reported.now > reported.open_since) == (
                {"terminal": 1},
                "demo",
                True,
            )
            assert reported.incidents[0].endswith(f"Glass {INCIDENTS_SHOWN + 1}.")
            assert (len(reported.incidents), reported.incidents_more) == (INCIDENTS_SHOWN, 2)
            assert reported.backup == LastBackup(made.path, made.made_at, made.position)
            assert set(reported.disk_free) == {"data", "key_store"}
            assert player.device == "A-1"
            house.venue.run.house.tables[TableId("A")].closed = True
            assert house.venue.maintenance.status().tables[0].phase == "open"

    played(scenario)


def test_last_backup_is_known_after_a_restart(tmp_path: Path) -> None:
    """A start knows of the last backup, and of none where the note cannot be read."""

    async def first() -> None:
        async with open_house(tmp_path) as house:
            await requested(house, MakeBackup(str(tmp_path / "backups"), 3))

    async def second() -> None:
        async with open_house(tmp_path) as house:
            known = house.venue.maintenance.status().backup
            assert known is not None
            assert Path(known.path).parent == tmp_path / "backups"
            metrics = house.venue.server.site.respond("/metrics").body.decode()
            name = "croupier_last_backup_timestamp_seconds "
            at = next(line for line in metrics.splitlines() if line.startswith(name))
            assert float(at.split()[1]) * SECOND == known.made_at
            assert f"croupier_epoch {house.venue.run.epoch}.0" in metrics

    async def third() -> None:
        async with open_house(tmp_path) as house:
            assert house.venue.maintenance.status().backup is None

    played(first)
    played(second)
    (tmp_path / "data" / "last-backup.json").write_text("{")
    played(third)


def test_metrics_have_an_address_of_their_own(tmp_path: Path) -> None:
    """Where a port is named for them, the metrics and the health are told there and nothing else is."""

    async def scenario() -> None:
        async with open_house(tmp_path, f"listen.metrics_port = 0\n{VENUE}") as house:
            assert house.venue.server.site.respond("/metrics").status == 404
            answers = [await got(house.venue.metrics_port, path) for path in ("/metrics?x", "/health", "/terminal")]
            assert [each.split(b"\r\n")[0].split()[1] for each in answers] == [b"200", b"200", b"404"]
            assert b"croupier_commit_seconds_bucket" in answers[0]
            assert b"blocked" in answers[1]

    played(scenario)


async def got(port: int, path: str) -> bytes:
    """Fetch something in the plainest way."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
    content = await asyncio.wait_for(reader.read(), LONG_S)
    writer.close()
    return content


def test_software_is_verified_every_day(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Software that changes while the house is open is found within a day, told to staff, and reported as another."""
    found = [
        IntegrityFailed((ChangedFile("changed", "croupier/house/settling.py", "croupier"),)),
        IntegrityUnknown("no record"),
    ]

    async def scenario() -> None:
        async with open_house(tmp_path, VENUE.replace('wheel = "random"\nbetting_s = 30\n', "")) as house:
            monkeypatch.setattr("croupier.operations.maintenance.verify", found.pop)
            run = house.venue.run
            for _ in range(2):
                await house.leap(VERIFY_EVERY / SECOND)
                await asyncio.gather(*house.venue.maintenance.under_way)
            await house.rest()

            assert [each.kind for each in run.house.incidents.all.values()] == [IncidentKind.BUILD_DIFFERS]
            assert run.house.setup.build.endswith("(changed)")

    played(scenario)


async def kept_busy(house: TestHouse, seconds: int) -> None:
    """Have something asked of the house every second, so that it is never quiet."""
    commit_loop = house.venue.commit_loop
    for number in range(seconds):
        commit_loop.submit(Request(NoteIncident("A", f"note {number}")))
        await house.pass_s(1)


def test_journal_is_proven_in_a_house_that_is_never_quiet(tmp_path: Path) -> None:
    """Where something is asked every second the whole journal is proven all the same, a little every ten seconds."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            run = house.venue.run
            await kept_busy(house, 9)
            assert run.scrubber.verified_on == 0
            await kept_busy(house, 10)
            assert run.scrubber.verified_on == run.house.day > 0

    played(scenario)


def test_damage_is_found_in_a_house_that_is_never_quiet(tmp_path: Path) -> None:
    """A page that somebody changes behind the back of a busy house stops it within seconds."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            store = house.venue.run.storage.store
            assert isinstance(store, SqliteStore)
            store._connection.execute("UPDATE page SET head = zeroblob(32) WHERE number = 1")  # noqa: SLF001
            failed, busy = house.venue.commit_loop.failed, asyncio.ensure_future(kept_busy(house, 20))
            await asyncio.wait((failed, busy), return_when=asyncio.FIRST_COMPLETED)
            busy.cancel()
            assert isinstance(failed.exception(), JournalCorrupt)

    played(scenario)


def test_walk_that_must_wait_is_made_the_next_time(tmp_path: Path) -> None:
    """Where too much waits to be done with the journal it is proven ten seconds later, and nobody hears of it."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            maintenance, run = house.venue.maintenance, house.venue.run
            waiting = [asyncio.ensure_future(house.venue.commit_loop.job(int)) for _ in range(JOURNAL_JOBS_MAX)]
            await asyncio.sleep(0)
            house.time.ring_next(house.time.at_us + SCRUB_EVERY)
            await asyncio.gather(*waiting, *maintenance.under_way)
            assert run.scrubber.verified_on == 0
            await kept_busy(house, 11)
            assert run.scrubber.verified_on == run.house.day

    played(scenario)


def test_backup_is_declined_while_too_much_waits(tmp_path: Path) -> None:
    """Where too much waits to be done with the journal a backup is refused, and the house goes on."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            begun, go_on = asyncio.Event(), Event()
            loop, job = asyncio.get_running_loop(), house.venue.commit_loop.job
            first = asyncio.ensure_future(job(lambda: (loop.call_soon_threadsafe(begun.set), go_on.wait(LONG_S))))
            await begun.wait()
            waiting = [first, *(asyncio.ensure_future(job(int)) for _ in range(JOURNAL_JOBS_MAX))]
            try:
                with pytest.raises(OperationsFault, match="too many journal jobs are queued"):
                    await house.venue.maintenance.backup(tmp_path / "backups", None)
            finally:
                go_on.set()
            await asyncio.gather(*waiting)
            assert not (tmp_path / "data" / "backing-up").exists()

    played(scenario)


class Stalling(ThreadPoolExecutor):
    """A backup copy that blocks at its backup directory until the test releases it."""

    def __init__(self) -> None:
        super().__init__(1)
        self.go_on, self.jobs = Event(), count()

    def submit(self, do: Callable[..., Any], /, *args: Any, **more: Any) -> Future[Any]:  # noqa: ANN401 - any work
        if next(self.jobs) == 1:
            super().submit(self.go_on.wait, LONG_S)
        return super().submit(do, *args, **more)


def test_backup_directory_that_stalls_delays_nobody(tmp_path: Path) -> None:
    """While a backup directory stalls the copy waits on the local disk, bets are taken, and no second backup begins."""
    staged, backup_directory = tmp_path / "data" / "backing-up", tmp_path / "backups"

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            maintenance, backup_executor = house.venue.maintenance, Stalling()
            maintenance.backup_executor = backup_executor
            player = await house.seated()
            await house.pass_s(6)
            backing_up = asyncio.ensure_future(maintenance.backup(backup_directory, None))
            await until(lambda: next(copy(backup_executor.jobs)) == 2)
            reported = await player.answered(player.bet("17", 500, 1))
            assert reported["set"]["games"]["A"]["stakes"] == {"17": 500}
            assert (staged / "journal.db").exists()
            assert [path.name for path in backup_directory.iterdir()] == [".croupier-backup.lock"]
            with pytest.raises(OperationsFault, match="another backup is being made"):
                await maintenance.backup(tmp_path / "elsewhere", None)

            backup_executor.go_on.set()
            made = await backing_up
            assert verify_copy(Path(made.path) / "journal.db", house.venue.run.storage.signer).position == made.position
            assert not staged.exists()

    played(scenario)


def test_house_is_closed_though_a_backup_directory_stalls(tmp_path: Path) -> None:
    """A house whose backup waits for its directory is stopped in good order, and leaves neither copy nor backup."""
    staged, backup_directory, backup_executor = tmp_path / "data" / "backing-up", tmp_path / "backups", Stalling()

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            house.venue.maintenance.backup_executor = backup_executor
            backing_up = asyncio.ensure_future(requested(house, MakeBackup(str(backup_directory))))
            await until(lambda: next(copy(backup_executor.jobs)) == 2)
            run = house.venue.run
        with pytest.raises(OperationsFault, match="without a response"):
            await backing_up
        assert run.snapshot_position == run.writer.head.position
        assert not staged.exists()

    played(scenario)
    backup_executor.go_on.set()
    backup_executor.shutdown()
    assert [path.name for path in backup_directory.iterdir()] == [".croupier-backup.lock"]
