"""The maintenance service of a running server: backups, exports, verification, reload, status and witness."""

import asyncio
import os
import shutil
import urllib.request
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from concurrent.futures import Executor
from contextlib import asynccontextmanager, closing, contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice, takewhile
from pathlib import Path
from typing import IO, Final, TypeVar
from urllib.parse import unquote, urlsplit

import structlog

from croupier.config.provisioning import (
    AT_START,
    VenueWheels,
    configuration_drift,
    identity_conflict,
    needs_restart,
    provisioning_commands,
    tables_without_sensor,
)
from croupier.config.schema import Config
from croupier.engine.commit_loop import CommitLoop
from croupier.engine.journal_reader import JournalReader, export
from croupier.engine.metrics import Vitals
from croupier.engine.places import JOURNAL
from croupier.engine.ports import Outcome, Request
from croupier.engine.redaction import note_report, require_declared
from croupier.engine.snapshots import SnapshotProcess
from croupier.engine.storage import build_id
from croupier.house import AnyCommand, House
from croupier.house.blockers import Facts, table_blockers, terminal_blockers
from croupier.house.declare import Event
from croupier.house.floor.incidents import Incident, IncidentFacts, IncidentKind, RaiseAlarm
from croupier.house.floor.service import CloseTable, ReopenTable
from croupier.house.floor.setup import ReportBuild, TableAdded
from croupier.house.ids import SECOND, Day, DeviceId, DeviceKind, Instant, PersonId, TableId
from croupier.house.rounds.opening import BetsOpened
from croupier.house.settings import Mode
from croupier.house.state.tables import Phase, Table
from croupier.journal.checkpoints import Signer, Verifier
from croupier.journal.disk import JournalFault, free_bytes
from croupier.journal.entry import Entry
from croupier.journal.export import ExportRange, export_range
from croupier.journal.keystore import encode_heads
from croupier.journal.stores import DurableStore, Store
from croupier.journal.stores.sqlite import SqliteStore
from croupier.operations.backup import BackupDirectory, BackupJob, StagedCopy, clear_staged, last_backup, note_backup
from croupier.operations.control import (
    BackedUp,
    DayChanged,
    DeviceFound,
    Exported,
    GatewayStatus,
    IntegrityFailed,
    IntegrityUnknown,
    JournalCopied,
    LastBackup,
    OperationsFault,
    Reloaded,
    SystemStatus,
    TableStatus,
    Verdict,
    os_errors_as_faults,
)
from croupier.operations.integrity import verify
from croupier.rules.refusal import Refusal, Refused, or_raise, raise_if
from croupier.rules.texts import is_file_name
from croupier.words import BlockerText, incident_text

#: Where a running system leaves an export in its data directory: it may be confined to that, and its client is not.
_EXPORTED: Final = "exported"


def clear_exported(data: Path) -> None:
    """Remove exports that no client has fetched."""
    shutil.rmtree(data / _EXPORTED, ignore_errors=True)


def find_part(
    folder: Path, verifier: Verifier, first: int, last: int | None, see: Callable[[Entry], object]
) -> ExportRange:
    """Find the part of a copied journal that contains some entries, verify it, and show its entries but the bets."""
    with copied(folder) as store:
        part = export_range(store, verifier, first, last)
        if part is None:
            raise OperationsFault(f"the journal has no entry {max(first, last or first)}")
        for page in JournalReader.of_range(store, verifier, part):
            for entry in page.entries_without_bets():
                see(entry)
        return part


def export_copy(folder: Path, data: Path, signer: Signer, part: ExportRange) -> Exported:
    """Export a part of a copied journal to a file in the data directory, for the client to fetch."""
    out = data / _EXPORTED / f"journal-{part.first}-{part.last}.zip"
    with copied(folder) as store, os_errors_as_faults():
        clear_exported(data)
        out.parent.mkdir(mode=0o700)
        write_export(store, signer, part, out)
    return Exported(str(out), part.first, part.last, len(part.checkpoints))


def keep_copy(folder: Path, data: Path) -> JournalCopied:
    """Move a copied journal to where a client reads it; it is on the same disk."""
    with os_errors_as_faults():
        clear_exported(data)
        data.joinpath(_EXPORTED).mkdir(mode=0o700)
        folder.joinpath(JOURNAL).rename(data / _EXPORTED / JOURNAL)
    with copied(data / _EXPORTED) as store:
        last = store.last()
        return JournalCopied(0 if last is None else last.last)


@contextmanager
def fetched_copy(data: Path) -> Iterator[SqliteStore]:
    """Open the copy of its journal that a running server has made; it is removed in the end."""
    try:
        with copied(data / _EXPORTED) as store:
            yield store
    finally:
        clear_exported(data)


def fetch_export(made: Exported, data: Path, out: Path) -> None:
    """Move an export from the data directory of a running system to its destination; OSError when it cannot be there.

    Only the name is the system's: no response has another file read and removed.
    """
    name = Path(made.path).name
    if not is_file_name(name):
        raise OperationsFault("the running server names no file of an export")
    source = data / _EXPORTED / name
    try:
        with source.open("rb") as content, _whole(out) as file:
            shutil.copyfileobj(content, file)
    finally:
        source.unlink(missing_ok=True)


def write_export(store: Store, signer: Signer, part: ExportRange, out: Path) -> None:
    """Write a bundle atomically, and never over another file; OSError when it cannot be written."""
    with _whole(out) as file:
        export(store, signer, part, file)


@contextmanager
def _whole(out: Path) -> Iterator[IO[bytes]]:
    with out.open("xb") as file:
        try:
            yield file
        except BaseException:
            out.unlink()
            raise


@contextmanager
def copied(folder: Path) -> Iterator[SqliteStore]:
    """Open a copied journal; a fault of the copy does not stop the house."""
    try:
        with closing(SqliteStore(folder / JOURNAL, writing=False)) as store:
            yield store
    except JournalFault as fault:
        raise OperationsFault(f"the copy of the journal is not what was written: {fault}") from fault


#: How long an address may take to respond.
PATIENCE_S: Final = 10
_TYPE: Final = "application/x-ndjson"


def send(witness: str, lines: bytes) -> None:
    """Send heads to a witness, and return when it has stored them; OperationsFault if not."""
    where = urlsplit(witness)
    if where.scheme == "file":
        _append(unquote(where.path), lines)
    else:
        _post(witness, lines)


def _append(path: str, lines: bytes) -> None:
    with os_errors_as_faults():
        descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            if os.write(descriptor, lines) != len(lines):
                raise OperationsFault(f"{path} took only a part of the heads")
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _post(address: str, lines: bytes) -> None:
    request = urllib.request.Request(address, lines, {"Content-Type": _TYPE}, method="POST")  # noqa: S310 - configured
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE_S):  # noqa: S310 - as above
            pass
    # An invalid response of a proxy is a ValueError; every network fault is an OSError.
    except (OSError, ValueError) as error:
        raise OperationsFault(f"{address} did not take the heads: {error}") from error


#: The interval between verifications of the installed software.
VERIFY_EVERY: Final = 24 * 3600 * SECOND
#: The interval between steps of the scrubber when the server is never idle: some four million entries a day.
SCRUB_EVERY: Final = 10 * SECOND
#: The number of incidents that a status lists.
INCIDENTS_SHOWN: Final = 20
#: The longest pause between two attempts to reach a witness.
WITNESS_PAUSE_MAX: Final = 600 * SECOND
#: The most heads that are sent at once: each covers all before it.
HEADS_MAX: Final = 1_000
_LOG = structlog.get_logger()
Value = TypeVar("Value")


@dataclass(slots=True)
class MaintenanceService:
    """Backs up, exports, verifies and reloads, between batches of the commit loop."""

    commit_loop: CommitLoop
    config: Config
    wheels: VenueWheels
    #: The reasons of the engine and the devices why tables cannot play.
    facts: Callable[[], Facts]
    #: The thread for slow work that does not touch the journal.
    bench: Executor
    #: The thread for backup directories, which may be slow or stall.
    backup_executor: Executor
    #: Reads the configuration again; None where it came from no file.
    reread: Callable[[], Config | Refusal] | None
    #: The last verdict on the software.
    found: Verdict
    #: The gateways that are linked now.
    gateways: Callable[[], tuple[GatewayStatus, ...]]
    #: Reads the certificate of TLS again, and says what was done.
    certificate: Callable[[], tuple[str, ...]]
    #: The process that makes the snapshots.
    snapshots: SnapshotProcess
    last_backup: LastBackup | None = None
    open_since: Instant = Instant(0)
    #: Tasks in progress.
    under_way: set["asyncio.Task[object]"] = field(default_factory=set)
    #: The last checkpoint that a witness has, the day for which one was signed, and when one is next sent.
    witnessed: int = 0
    _witnessed_day: Day = Day(0)
    _witness_at: Instant = Instant(0)
    _witness_pause: int = 0
    _reloading: asyncio.Lock = field(default_factory=asyncio.Lock)
    _backing_up: asyncio.Lock = field(default_factory=asyncio.Lock)

    def begin(self) -> None:
        """Schedule the daily verification of the software, and the scrubber of the journal.

        With real money, software that cannot be verified raises an incident.
        """
        self.open_since, self.last_backup = self.commit_loop.time.now(), last_backup(self.config.data)
        if isinstance(self.found, IntegrityUnknown) and self.config.mode is Mode.REAL:
            alarm = RaiseAlarm(IncidentKind.BUILD_DIFFERS, "system", IncidentFacts(self.found.why))
            self.commit_loop.submit(Request(alarm))
        # Checkpoints before this start are covered by the one that the start has signed.
        self.witnessed = max(0, self.commit_loop.run.writer.checkpoints - 1)
        self._witnessed_day = self.commit_loop.run.house.day
        self._next_look()
        self._next_walk()

    def on_event(self, event: Event) -> None:
        """Add a wheel driver to a table that now needs one."""
        if isinstance(event, TableAdded | BetsOpened):
            self.wheels.update(self.config)

    async def backup(self, to: Path, keep: int | None) -> BackedUp:
        """Copy the journal in steps between batches, and write the copy to a backup directory."""
        if self._backing_up.locked():
            raise OperationsFault("another backup is being made")
        async with self._backing_up:
            # A directory that cannot be used is reported before anything is copied.
            await self._in_backup_thread(lambda: BackupDirectory(to, self.config.data).close())
            write = partial(self._write_backup, to, self.commit_loop.time.now(), keep or self.config.keep.backups)
            async with self._staged() as folder:
                made = await self._in_backup_thread(partial(write, folder))
            self.last_backup = LastBackup(made.path, made.made_at, made.position)
            note = partial(note_backup, self.config.data, self.last_backup)
            await asyncio.get_running_loop().run_in_executor(self.bench, note)
            return made

    async def export(self, first: int, last: int | None) -> Exported:
        """Export a part of the journal from a copy of it; unsigned entries are signed first."""
        if self._backing_up.locked():
            raise OperationsFault("a copy of the journal is being made already: try again")
        async with self._backing_up:
            run, reports = self.commit_loop.run, dict[TableId, Instant]()
            await self._between(partial(run.writer.sign, self.commit_loop.time.now()))
            async with self._staged() as folder:
                verifier = run.storage.signer.verifier
                see = partial(note_report, reports)
                part = await self._in_backup_thread(partial(find_part, folder, verifier, first, last, see))
                # A drawn number is not disclosed before it counts, on the host either.
                try:
                    require_declared(run.house, reports)
                except Refused as refused:
                    raise OperationsFault(refused.refusal.message.rstrip(".")) from None
                return await self._in_backup_thread(
                    partial(export_copy, folder, self.config.data, run.storage.signer, part)
                )

    async def copy(self) -> JournalCopied:
        """Copy the journal in steps between batches, for a client that reads it on the host."""
        if self._backing_up.locked():
            raise OperationsFault("a copy of the journal is being made already: try again")
        async with self._backing_up, self._staged() as folder:
            return await self._in_backup_thread(partial(keep_copy, folder, self.config.data))

    async def change_day(self, person: str, words: str, *, opens: bool) -> DayChanged:
        """Open all tables that are closed, or close all others after their rounds, in the name of a person."""
        house, refused, done = self.commit_loop.run.house, dict[str, str](), list[TableId]()
        for table in [each.id for each in house.tables.values() if each.closed is opens]:
            command = ReopenTable(table) if opens else CloseTable(table, words)
            outcome = await self.commit_loop.ask(Request(command, person=PersonId(person)))
            if isinstance(outcome, Refusal):
                refused[table] = outcome.message
            else:
                done.append(table)
        running = tuple(name for name in done if house.tables[name].phase is not Phase.BETWEEN)
        return DayChanged(tuple(done), running, refused, () if opens else tuple(left_to_do(house)))

    def device(self, device: str) -> DeviceFound:
        """Return whether the house has a device, and its purpose."""
        house, configured = self.commit_loop.run.house, dict(self.config.devices())
        if device in house.terminals:
            return DeviceFound(known=True, kind=DeviceKind.TERMINAL)
        return DeviceFound(device in house.staff.devices, configured.get(DeviceId(device), ""))

    @asynccontextmanager
    async def _staged(self) -> AsyncIterator[Path]:
        """Provide a copy of the journal on its own disk within a block."""
        store = self.commit_loop.run.storage.store
        assert isinstance(store, DurableStore)
        staging = StagedCopy(self.config.data)
        try:
            await self._between(partial(staging.begin, store))
            whole = False
            while not whole:
                whole = bool(await self._between(staging.step))
            yield staging.folder
        finally:
            with suppress(OperationsFault, JournalFault):
                # On the thread of its steps: one may still be running.
                await asyncio.shield(self._between(staging.close))
            # Removing a large file takes some time, which must not delay a batch.
            await asyncio.shield(asyncio.get_running_loop().run_in_executor(self.bench, clear_staged, staging.data))

    def _write_backup(self, to: Path, now: Instant, keep: int, folder: Path) -> BackedUp:
        with BackupJob(self.config.data, to, now) as draft:
            draft.take(folder)
            return draft.finish(self.commit_loop.run.storage.signer, build_id(), keep)

    async def _in_backup_thread(self, do: Callable[[], Value]) -> Value:
        """Run an operation on a slow disk or address in its own thread."""
        return await asyncio.get_running_loop().run_in_executor(self.backup_executor, do)

    async def _between(self, do: Callable[[], object]) -> object:
        try:
            return await self.commit_loop.job(do)
        except asyncio.QueueFull:
            raise OperationsFault("too many journal jobs are queued: try again") from None

    async def verify(self) -> Verdict:
        """Verify the software against its record; a difference raises an incident, and the build is not approved."""
        self.found = await asyncio.get_running_loop().run_in_executor(self.bench, verify)
        if isinstance(self.found, IntegrityFailed):
            facts = IncidentFacts(files=tuple(each.file for each in self.found.files[:3]))
            _LOG.error("software_differs", files=len(self.found.files))
            self.commit_loop.submit(Request(RaiseAlarm(IncidentKind.BUILD_DIFFERS, "system", facts)))
            self.commit_loop.submit(Request(ReportBuild(f"{build_id()} (changed)")))
        return self.found

    async def reload(self) -> Reloaded:
        """Reload the configuration, and add to the house what is new in it."""
        # One at a time: two would add the same items twice.
        async with self._reloading:
            reloaded = await self._read_again()
        _LOG.info("reloaded", lines=reloaded.lines)
        return reloaded

    async def _read_again(self) -> Reloaded:
        config = None if self.reread is None else self.reread()
        if config is None:
            raise OperationsFault("this server was not started from a configuration file")
        house = self.commit_loop.run.house
        try:
            config = or_raise(config)
            raise_if(identity_conflict(config, house))
        except Refused as refused:
            complaints = refused.refusal.facts.get("complaints", ())
            assert isinstance(complaints, tuple)
            raise OperationsFault(" ".join([refused.refusal.message, *map(str, complaints)])) from None
        later = needs_restart(self.config, config)
        self.config = replace(config, **{name: getattr(self.config, name) for name in AT_START})
        answers = [
            (each, await self.commit_loop.ask(Request(each)))
            for each in provisioning_commands(config, house, build_id())
        ]
        done = tuple(_outcome_line(command, outcome) for command, outcome in answers)
        return Reloaded((*done, *self.certificate(), *later, *configuration_drift(config, house)))

    def begin_reload(self) -> None:
        """Reload the configuration in the background, and log the result."""
        self._begin(self._reload())

    def _begin(self, work: Coroutine[object, object, object]) -> None:
        task: asyncio.Task[object] = asyncio.get_running_loop().create_task(work)
        self.under_way.add(task)
        task.add_done_callback(self.under_way.discard)

    async def _reload(self) -> None:
        try:
            await self.reload()
        except OperationsFault as fault:
            _LOG.error("not_reloaded", words=str(fault))

    def status(self) -> SystemStatus:
        """Return the state of the house, for the person on call."""
        run, vitals = self.commit_loop.run, self.vitals()
        known = self.facts()
        unverified = (
            (f"The software is unverified: {self.found.why}.",) if isinstance(self.found, IntegrityUnknown) else ()
        )
        waiting = [each for each in reversed(run.house.incidents.all.values()) if each.cleared_by is None]
        fault = self.snapshots.fault
        return SystemStatus(
            build_id(),
            run.epoch,
            vitals.position,
            run.house.day,
            (
                *unverified,
                *([f"No snapshots are made, and the next start takes longer: {fault}."] if fault else []),
                *tables_without_sensor(run.house, known),
            ),
            mode="" if run.house.setup.mode is None else run.house.setup.mode.value,
            now=self.commit_loop.time.now(),
            open_since=self.open_since,
            tables=tuple(_table_status(run.house, table, known) for table in run.house.tables.values()),
            connections={kind: count for kind, count in self.commit_loop.figures.connections.items() if count},
            gateways=self.gateways(),
            incidents=tuple(_incident_line(each) for each in waiting[:INCIDENTS_SHOWN]),
            incidents_more=max(0, len(waiting) - INCIDENTS_SHOWN),
            backup=self.last_backup,
            signed=vitals.signed_to,
            snapshot=vitals.snapshot,
            proven_on=Day(run.scrubber.verified_on),
            disk_free=dict(vitals.disk_free),
        )

    def vitals(self) -> Vitals:
        """Return the metrics of the build, the journal, the disk and the backups."""
        run, config = self.commit_loop.run, self.config
        places = {"data": config.data, "key_store": config.key_store}
        return Vitals(
            build_id(),
            run.epoch,
            run.writer.head.position,
            run.writer.signed_to,
            run.snapshot_position,
            {name: free_bytes(path) for name, path in places.items()},
            None if self.last_backup is None else self.last_backup.made_at,
            self.snapshots.is_up,
            self.snapshots.starts,
        )

    def _next_look(self) -> None:
        self.commit_loop.time.at(Instant(self.commit_loop.time.now() + VERIFY_EVERY), self._look)

    def _look(self) -> None:
        self._begin(self.verify())
        self._next_look()

    def _next_walk(self) -> None:
        self.commit_loop.time.at(Instant(self.commit_loop.time.now() + SCRUB_EVERY), self._walk)

    def _walk(self) -> None:
        run = self.commit_loop.run
        if run.scrubber.verified_on < run.house.day:
            self._begin(self._scrubber())
        if self.config.witness is not None and self.commit_loop.time.now() >= self._witness_at:
            self._begin(self._witness(self.config.witness))
        self._next_walk()

    async def _witness(self, witness: str) -> None:
        """Send the witness the checkpoints since the last one sent; at the end of a gaming day sign one first."""
        run, now = self.commit_loop.run, self.commit_loop.time.now()
        # One at a time: the result of this one determines when the next is sent.
        self._witness_at = Instant(now + VERIFY_EVERY)
        try:
            if run.house.day != self._witnessed_day:
                await self._between(partial(run.writer.sign, now))
                self._witnessed_day = run.house.day
            signed = run.writer.checkpoints
            if signed > self.witnessed:
                lines = await self._between(partial(self._signed_since, self.witnessed))
                assert isinstance(lines, bytes)
                await self._in_backup_thread(partial(send, witness, lines))
                self.witnessed = signed
            self._witness_pause = 0
        except (OperationsFault, JournalFault) as fault:
            self._witness_pause = min(max(SCRUB_EVERY, 2 * self._witness_pause), WITNESS_PAUSE_MAX)
            _LOG.error("not_witnessed", words=str(fault), retry_s=self._witness_pause // SECOND)
        self._witness_at = Instant(self.commit_loop.time.now() + self._witness_pause)

    def _signed_since(self, number: int) -> bytes:
        """Encode the checkpoints after one: the last HEADS_MAX of them."""
        newest = takewhile(
            lambda each: each.statement().number > number, self.commit_loop.run.storage.store.checkpoints()
        )
        return encode_heads(reversed(list(islice(newest, HEADS_MAX))))

    async def _scrubber(self) -> None:
        """Verify the next pages of the journal, also if the server is never idle."""
        # A full queue is retried at the next interval. A journal fault has stopped the server by then.
        with suppress(OperationsFault, JournalFault):
            await self._between(self.commit_loop.run.scrub)


def _table_status(house: House, table: Table, known: Facts) -> TableStatus:
    running = table.round is not None and not table.round.over
    return TableStatus(
        table.id,
        table.rulebook.id,
        "closed" if table.closed and not running else table.phase.value,
        table.rounds,
        running,
        len(table.terminals),
        tuple(map(BlockerText.of, (*table_blockers(house, table, known), *terminal_blockers(house, table)))),
    )


def _incident_line(incident: Incident) -> str:
    cited = "" if incident.clause is None else f" ({incident.clause})"
    kind = incident.kind.value.replace("_", " ")
    return f"Incident {incident.number}, {kind}, {incident.subject}: {incident_text(incident)}{cited}"


def left_to_do(house: House) -> Iterator[str]:
    """List what staff must still do before a gaming day is over, a line each."""
    for drawer in house.drawers.values():
        yield f"Drawer {drawer.id} of {drawer.cashier} is open: hand it in and count it."
    for table in house.tables.values():
        if table.live is not None and table.live.float_ is not None:
            yield f"The float of table {table.id} is open: two people count and close it."
    credited = [each.id for each in house.terminals.values() if each.credit or each.in_play]
    if credited:
        yield f"Terminals with credit or bets: {', '.join(credited)}. Their players collect, or staff do."
    waiting = sum(each.cleared_by is None for each in house.incidents.all.values())
    if waiting:
        yield f"Open incidents: {waiting}."


def _outcome_line(command: AnyCommand, outcome: Outcome) -> str:
    """Return the outcome of a command, in a line."""
    name = type(command).__name__
    return f"{name} was refused: {outcome.message}" if isinstance(outcome, Refusal) else f"{name} was done."
