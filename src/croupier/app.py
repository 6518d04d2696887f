"""Composition root: chooses the parts of a running venue and joins them."""

import socket
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Final

import structlog

from croupier.config.provisioning import (
    configuration_drift,
    facts,
    fixed_setting_conflict,
    provision,
    tables_without_sensor,
    wheels,
)
from croupier.config.schema import Config, StaffConfig
from croupier.devices.validation import ValidationNumbers, open_key
from croupier.engine.commit_loop import CommitLoop
from croupier.engine.metrics import Metrics
from croupier.engine.ports import AsyncioClock, LoopClock, Ports, gaming_calendar
from croupier.engine.run import Check, Run, go_on, start_with_ports
from croupier.engine.storage import unfinished_exchange
from croupier.house.blockers import Blocker, Facts, blockers
from croupier.house.ids import Instant, PersonId, TableId, TerminalId
from croupier.house.settings import Mode
from croupier.house.state import House
from croupier.journal.keystore import KeyStore
from croupier.operations.backup import clear_staged
from croupier.operations.control import ControlSocket, IntegrityFailed, OperationsFault, Verdict
from croupier.operations.integrity import StartupChecks, startup_problems, verify
from croupier.operations.maintenance import MaintenanceService, clear_exported
from croupier.rules.refusal import Code, Refusal
from croupier.server.auth.credentials import CredentialStore
from croupier.server.auth.devices import DeviceAuthenticator, DeviceEnrolment, JoinCode
from croupier.server.auth.sessions import Argon2Hasher, CredentialVerifier, IssuedCode
from croupier.server.auth.staff import StaffSignIn
from croupier.server.connection import PASSWORD_CHECKS_MAX, BackgroundTasks, RateLimit
from croupier.server.documents import DocumentService
from croupier.server.exports import EvidenceExports
from croupier.server.http import Health, HttpHandler, MetricsServer, Server, origins_of, tls_context
from croupier.server.journal_queries import JournalQueries
from croupier.server.publisher import Publisher
from croupier.server.queries import QueryHandler
from croupier.server.router import Presence, Router
from croupier.server.ticket_desk import TicketDesk, TicketLookup
from croupier.server.views.felt import felt_data
from croupier.transcripts.writer import round_text

#: The names of this machine to itself.
LOOPBACK: Final = ("localhost", "127.0.0.1", "::1")
#: Every address that it has.
EVERYWHERE: Final = "0.0.0.0"  # noqa: S104 - to be compared, and bound where an operator says so


def lan_address() -> str:
    """Find the address by which this machine goes on its network; nothing is sent to find it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        try:
            # An address for documents, which nobody has.
            asking.connect(("192.0.2.1", 9))
        except OSError:
            return "127.0.0.1"
        return str(asking.getsockname()[0])


def names_of(host: str) -> set[str]:
    """Name a machine that listens on an address as the pages it serves may be addressed."""
    return {lan_address() if host == EVERYWHERE else host, *LOOPBACK}


_LOG = structlog.get_logger()
#: Makes the timekeeper of a house that was last at an instant.
Keeps = Callable[[Instant], LoopClock]


class NotOpenedError(Exception):
    """The house cannot be opened as it is configured; nothing was written that would keep it from opening later."""

    def __init__(self, refusals: Iterable[Refusal]) -> None:
        self.refusals = tuple(refusals)
        super().__init__("\n".join(refusal.says for refusal in self.refusals))


@dataclass(slots=True)
class Venue:
    """A house that is open: everything that runs in it."""

    config: Config
    run: Run
    router: Router
    server: Server
    reception: CredentialVerifier
    writer_thread: ThreadPoolExecutor
    maintenance: MaintenanceService
    control: ControlSocket
    metrics: MetricsServer
    #: One-time codes of people who had no secret yet: they are told once.
    codes: dict[PersonId, str] = field(default_factory=dict)
    port: int = 0
    #: Where the metrics are told; 0 where they have no port of their own.
    metrics_port: int = 0

    @property
    def commit_loop(self) -> CommitLoop:
        return self.router.commit_loop

    @property
    def publisher(self) -> Publisher:
        return self.router.publisher

    def facts(self) -> Facts:
        """What the engine and the wheels know of tables that cannot play."""
        return facts(self.run, self.commit_loop.wheels)

    def blockers(self) -> list[Blocker]:
        """Whatever keeps tables from playing now."""
        return blockers(self.run.house, self.facts())

    async def close(self) -> None:
        """Stop in good order: nobody is let in, what was taken is kept, and a snapshot makes the next start quick."""
        await self.control.close()
        await self.commit_loop.stop()
        await self.server.close()
        self.metrics.close()
        await self.router.background_tasks.stop()
        await self.router.device_enrolment.stop()
        self.writer_thread.shutdown()
        self.router.staff_auth.examiners.shutdown()
        self.maintenance.bench.shutdown()
        # A shelf may stall for ever: what is being written to it is no backup yet, and nobody waits for it.
        self.maintenance.connection_handler.shutdown(wait=False, cancel_futures=True)
        if self.commit_loop.failed.done():
            self.run.storage.close()
        else:
            self.run.stop()


async def open_venue(
    config: Config,
    keeps: Keeps = AsyncioClock,
    hasher: Argon2Hasher | None = None,
    reread: Callable[[], Config | Refusal] | None = None,
    check: Check = go_on,
) -> Venue:
    """Open a house: NotOpenedError or a JournalFault says why it cannot be.

    The check is called until the first entry is written: what it raises stops the start.
    """
    check()
    verdict = verify()
    reception = CredentialVerifier(CredentialStore.within(KeyStore(config.safe)), hasher or Argon2Hasher())
    _inspect(config, reception.register, verdict)
    exchange = unfinished_exchange(config.data)
    publisher, run = _start(config, keeps, check)
    if exchange is not None:
        _LOG.warning("restore_completed", backup=exchange.backup)
    try:
        clear_staged(config.data)
        clear_exported(config.data)
        venue = _joined(config, publisher, run, reception)
        venue.maintenance.reread, venue.maintenance.found = reread, verdict
        await _let_in(venue)
    except BaseException:
        run.storage.close()
        raise
    return venue


def _joined(config: Config, publisher: Publisher, run: Run, reception: CredentialVerifier) -> Venue:
    """Furnish a house that has recovered, and join its parts."""
    if refused := provision(config, run):
        raise NotOpenedError(refused)
    safe, writer_thread, figures = KeyStore(config.safe), ThreadPoolExecutor(1, "journal-writer"), publisher.figures
    publisher.break_minutes = config.players.break_minutes
    publisher.begin(run)
    router = _router(config, publisher, CommitLoop(run, publisher.time, writer_thread, figures), reception, safe)
    router.commit_loop.wheels = wheels(config, run.house)
    backup_directory = (table.rulebook for table in config.tables)
    publisher.facts = lambda: facts(run, router.commit_loop.wheels)
    site = HttpHandler(run.house, figures, lambda: _health(router), backup_directory, publisher.table_views)
    server = Server(router, site, config.limits.doors_most)
    bench, connection_handler = ThreadPoolExecutor(1, "operations"), ThreadPoolExecutor(1, "backup")
    metrics = MetricsServer(site)
    maintenance = MaintenanceService(router.commit_loop, router.device_auth.ask, config, bench, connection_handler)
    site.report.vitals = maintenance.vitals
    publisher.listeners.append(maintenance.on_event)
    control = ControlSocket(maintenance, safe, config.data)
    return Venue(config, run, router, server, reception, writer_thread, maintenance, control, metrics)


async def _let_in(venue: Venue) -> None:
    """Open the doors, and begin."""
    staff = [member for member in venue.config.staff if member.person not in venue.run.house.released]
    _take_secrets(staff, venue.reception)
    await _listen(venue)
    for line in configuration_drift(venue.config, venue.run.house):
        _LOG.warning("file_differs", words=line)
    for line in tables_without_sensor(venue.run.house, venue.facts()):
        _LOG.warning("no_sensor", words=line)
    for each in venue.blockers():
        _LOG.warning(
            "table_blocked",
            table=each.table,
            reason=each.reason,
            clause=each.clause,
            words=each.says,
            remedy=each.remedy,
        )
    # Not before the house is found: what is told once is lost where a start comes to nothing after it.
    venue.codes = _issue_codes(staff, venue.reception)
    await _answer_host(venue.control)
    venue.router.begin()
    venue.maintenance.begin()
    venue.commit_loop.begin()


def _inspect(config: Config, register: CredentialStore, verdict: Verdict) -> None:
    """Refuse premises on which no house may be opened, and software that is not what was installed."""
    demo = config.mode is Mode.DEMO
    if not demo and config.listen.tls is None and config.listen.host not in LOOPBACK:
        says = "Real money goes over the network under TLS alone: name a certificate, or listen on 127.0.0.1."
        raise NotOpenedError([Refusal(Code.SETTING_IMPOSSIBLE, None, says, {"key": "listen.tls"})])
    found = StartupChecks.found(config.data, config.safe, configured=register.configured(), demo=demo)
    against = startup_problems(found)
    if isinstance(verdict, IntegrityFailed):
        files = ", ".join(each.file for each in verdict.files)
        against.append(Refusal(Code.SOFTWARE_NOT_APPROVED, None, f"The software is not what was installed: {files}."))
    if against:
        raise NotOpenedError(against)


def _start(config: Config, keeps: Keeps, check: Check) -> tuple[Publisher, Run]:
    safe, hubs = KeyStore(config.safe), list[Publisher]()

    def equip(house: House, has_room: Callable[[], bool]) -> Ports:
        against = fixed_setting_conflict(config, house)
        if against is not None:
            raise NotOpenedError([against])
        time = keeps(house.now)
        hubs.append(Publisher(time, Metrics(), felt_of))
        calendar = gaming_calendar(config.timezone, config.day_begins)
        numbers = ValidationNumbers(open_key(safe))
        return Ports(time, hubs[0], calendar, has_room, validates=numbers.validation)

    run = start_with_ports(config.data, safe, equip, check=check)
    return hubs[0], run


def _router(
    config: Config, publisher: Publisher, commit_loop: CommitLoop, reception: CredentialVerifier, safe: KeyStore
) -> Router:
    background_tasks, register = BackgroundTasks(), reception.register
    examiners, numbers = ThreadPoolExecutor(PASSWORD_CHECKS_MAX, "examiner"), ValidationNumbers(open_key(safe))
    staff_auth = StaffSignIn(publisher, commit_loop, reception, examiners)
    journal_queries = JournalQueries(commit_loop, round_text)
    return Router(
        publisher.time,
        RateLimit(config.limits.commands_per_s, config.limits.commands_burst),
        publisher,
        commit_loop,
        DeviceAuthenticator(publisher, commit_loop, register, JoinCode(), background_tasks),
        staff_auth,
        TicketDesk(publisher, numbers),
        Presence(publisher, commit_loop),
        background_tasks,
        QueryHandler(
            publisher,
            staff_auth,
            background_tasks,
            TicketLookup(numbers, commit_loop.run.storage.tickets),
            journal_queries,
            EvidenceExports(journal_queries),
            DocumentService(commit_loop, numbers),
        ),
        DeviceEnrolment(publisher, staff_auth, register),
    )


def felt_of(house: House, table: TableId, terminal: TerminalId | None) -> str:
    """Name the felt that a terminal draws, or where there is none that of its table."""
    profile = None if terminal is None else house.terminals[terminal].profile
    return felt_data(house.tables[table].rulebook, profile).hash


def _take_secrets(staff: Iterable[StaffConfig], reception: CredentialVerifier) -> None:
    """See that whoever has a secret in the configuration of a demonstration can sign in with it."""
    given = {member.person: member.secret for member in staff if member.secret is not None}
    refusal = reception.configure(given)
    if refusal is not None:
        raise NotOpenedError([refusal])


def _issue_codes(staff: Iterable[StaffConfig], reception: CredentialVerifier) -> dict[PersonId, str]:
    """See that everybody else can sign in, with a code that is good once."""
    held = reception.register.load().accounts
    new = [member.person for member in staff if member.person not in held]
    issued = {person: reception.issue_code(person) for person in new}
    return {person: each.code for person, each in issued.items() if isinstance(each, IssuedCode)}


async def _listen(venue: Venue) -> None:
    listen = venue.config.listen
    tls = None if listen.tls is None else tls_context(listen.tls.certificate, listen.tls.key)
    venue.port = await venue.server.open(listen.host, listen.port, tls)
    if listen.metrics_port is not None:
        venue.metrics_port = await venue.metrics.open(listen.metrics_host, listen.metrics_port)
    own = origins_of(names_of(listen.host), venue.port, secure=tls is not None)
    venue.server.origins |= own | set(listen.origins)


async def _answer_host(control: ControlSocket) -> None:
    """Open the control socket; a house is none the worse where there cannot be one."""
    try:
        await control.open()
    except OperationsFault as fault:
        _LOG.error("no_control_socket", words=str(fault))


def _health(router: Router) -> Health:
    run = router.publisher.run
    return Health(
        ok=not router.commit_loop.failed.done(),
        mode="" if run.house.mode is None else run.house.mode.value,
        epoch=run.epoch,
        position=run.writer.mark.position,
        connections=len(router.connections),
        blocked=tuple(blockers(run.house, router.publisher.facts())),
    )
