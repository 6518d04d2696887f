"""Composition root: chooses the parts of a running venue and joins them."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import structlog

from croupier.config.provisioning import (
    VenueWheels,
    configuration_drift,
    facts,
    identity_conflict,
    partner_keys,
    provision,
    tables_without_sensor,
)
from croupier.config.schema import Config, StaffConfig
from croupier.devices.validation import SharedNumbers, ValidationNumbers, open_key, read_shared_key
from croupier.engine.accepting import EVERYWHERE, LOOPBACK, lan_address, names_of
from croupier.engine.commit_loop import CommitLoop, WriterThread
from croupier.engine.metrics import Metrics, MetricsCollector, PauseWatchdog
from croupier.engine.places import settle_place
from croupier.engine.ports import AsyncioClock, BatchFeed, Feed, LoopClock, Ports, gaming_calendar
from croupier.engine.run import Check, OpenedJournal, Run, no_check, open_journal
from croupier.engine.slices import Slicer
from croupier.engine.snapshots import SnapshotProcess
from croupier.engine.storage import build_id, unfinished_swap
from croupier.engine.takeover import LeaseKeeper, Standby
from croupier.house import House
from croupier.house.blockers import Blocker, Facts, PeripheralFault, blockers
from croupier.house.declare import Event
from croupier.house.floor.setup import TerminalAdded
from croupier.house.ids import SECOND, Instant, PersonId, TableId, TerminalId
from croupier.house.rounds.opening import BetsOpened
from croupier.house.settings import Mode
from croupier.journal.keystore import KeyStore
from croupier.journal.stores import LeasedStore
from croupier.operations.backup import clear_staged
from croupier.operations.control import (
    ControlListener,
    ControlSocket,
    GatewayStatus,
    IntegrityFailed,
    OperationsFault,
    StandbySocket,
    StandbyStatus,
    Verdict,
)
from croupier.operations.integrity import StartupChecks, startup_problems, verify
from croupier.operations.maintenance import MaintenanceService, clear_exported
from croupier.operations.restore import clear_restoring
from croupier.reports.rules_copy import Clauses
from croupier.rules.refusal import Code, Refusal
from croupier.server.assets import own_assets
from croupier.server.auth.credentials import CredentialStore
from croupier.server.auth.devices import DeviceAuthenticator, DeviceEnrolment, JoinCode
from croupier.server.auth.sessions import Argon2Hasher, CredentialVerifier, IssuedCode
from croupier.server.auth.staff import PASSWORD_CHECKS_MAX, StaffSignIn
from croupier.server.connection import BackgroundTasks, ConnectedDevices, RateLimit
from croupier.server.documents import DocumentService
from croupier.server.exports import EvidenceExports
from croupier.server.http import Health, HttpHandler, HttpServer, Server, metrics_server, url_of
from croupier.server.journal_queries import JournalQueries
from croupier.server.listener import ServerTls
from croupier.server.lobby import LobbyView
from croupier.server.operator import VenueStatus
from croupier.server.peripherals import Peripherals
from croupier.server.publisher import Publisher, TableFrame
from croupier.server.queries import QueryHandler
from croupier.server.router import Presence, Router
from croupier.server.slot_link import SlotLink
from croupier.server.ticket_desk import TicketDesk, TicketLookup
from croupier.server.ticket_exchange import Links, SharedKeys, TicketExchange
from croupier.server.views.felt import felt_data
from croupier.transcripts.writer import round_text
from croupier.words import BlockerText, blocker_text, remedy_text

if TYPE_CHECKING:
    from croupier.server.gateways.sessions import Gateways, GatewaySession

_LOG = structlog.get_logger()
#: Makes the clock of a house whose journal ends at an instant.
ClockFactory = Callable[[Instant], LoopClock]


class NotOpenedError(Exception):
    """The house cannot be opened as it is configured; nothing was written that would keep it from opening later."""

    def __init__(self, refusals: Iterable[Refusal]) -> None:
        self.refusals = tuple(refusals)
        super().__init__("\n".join(refusal.message for refusal in self.refusals))


@dataclass(frozen=True, slots=True)
class Environment:
    """What the server of a run is given from outside: a real machine's, or a simulated one's."""

    #: Where passwords are hashed.
    password_checks: Executor
    verifier: CredentialVerifier
    numbers: ValidationNumbers
    #: What the engine, the wheels and the given devices report of tables that cannot play.
    facts: Callable[[tuple[PeripheralFault, ...]], Facts]
    pace: RateLimit
    #: None where no ticket of another venue is paid.
    ticket_exchange: TicketExchange | None = None
    break_minutes: int = 0
    #: The text of the rulebooks as they were loaded: a journal has none.
    clauses: Clauses = field(default_factory=dict)
    #: The table that visitors deal in a demonstration; empty for none.
    visitor_table: str = ""


def build_router(
    commit_loop: CommitLoop,
    batches: BatchFeed,
    events: Feed[Event],
    table_frames: Feed[TableFrame],
    given: Environment,
) -> Router:
    """Join devices, publisher and router over a commit loop that publishes its batches to a feed.

    Each part is given those before it. Three feeds close the circle: committed batches go to the publisher, the events
    in them from the publisher to the parts that act on them, and changed faults of devices to the staff feed.
    """
    run, time, store, numbers = commit_loop.run, commit_loop.time, given.verifier.credential_store, given.numbers
    devices, background_tasks, slicer = ConnectedDevices(), BackgroundTasks(), Slicer(time.now)
    look_ups, faults = TicketLookup(numbers, run.storage.tickets, given.ticket_exchange), Feed[None]()
    peripherals = Peripherals(
        *(run.house, time, commit_loop.ask, commit_loop.alarm, commit_loop.submit, devices, numbers, look_ups),
        starts=run.epoch,
        open_link=SlotLink,
        changed=partial(faults.publish, None),
    )
    ticket_desk = TicketDesk(run.house, devices, numbers, peripherals.print_slip)
    publisher = Publisher(
        *(run, time, slicer, commit_loop.figures, devices, ticket_desk, events, table_frames),
        facts=lambda: given.facts(peripherals.faults()),
        felt_of=felt_of,
        break_minutes=given.break_minutes,
    )
    presence = Presence(publisher, commit_loop)
    staff_auth = StaffSignIn(publisher, commit_loop, given.verifier, given.password_checks)
    device_enrolment = DeviceEnrolment(publisher, staff_auth, store)
    journal_queries = JournalQueries(commit_loop, round_text)
    documents = DocumentService(commit_loop, numbers, given.clauses)
    evidence = EvidenceExports(journal_queries)
    queries = QueryHandler(publisher, staff_auth, background_tasks, look_ups, journal_queries, evidence, documents)
    device_auth = DeviceAuthenticator(
        *(publisher, commit_loop, store, JoinCode(), background_tasks, presence.on_connection),
        visitor_table=given.visitor_table,
    )
    batches.subscribe(publisher.publish)
    faults.subscribe(lambda _: publisher.staff_feed.refresh())
    events.subscribe(staff_auth.on_event, ticket_desk.on_event, presence.on_event, device_enrolment.on_event)
    return Router(
        *(
            time,
            slicer,
            given.pace,
            publisher,
            commit_loop,
            device_auth,
            staff_auth,
            ticket_desk,
            peripherals,
            presence,
        ),
        *(background_tasks, queries, device_enrolment),
    )


@dataclass(slots=True)
class Venue:
    """A house that is open: everything that runs in it."""

    config: Config
    run: Run
    router: Router
    server: Server
    metrics: HttpServer
    #: None where none are configured.
    gateways: "Gateways | None"
    verifier: CredentialVerifier
    writer: Executor
    wheels: VenueWheels
    maintenance: MaintenanceService
    control: ControlSocket
    watchdog: PauseWatchdog
    snapshots: SnapshotProcess
    #: None for a journal in the data directory.
    lease: LeaseKeeper | None
    #: None where no ticket of another venue is paid.
    ticket_exchange: TicketExchange | None
    #: One-time codes of people who had no password yet: each is shown once.
    codes: dict[PersonId, str] = field(default_factory=dict)

    @property
    def commit_loop(self) -> CommitLoop:
        return self.router.commit_loop

    @property
    def publisher(self) -> Publisher:
        return self.router.publisher

    @property
    def peripherals(self) -> Peripherals:
        return self.router.peripherals

    @property
    def port(self) -> int:
        return self.server.http.port

    @property
    def metrics_port(self) -> int:
        """The port of the metrics; 0 where they have none of their own."""
        return self.metrics.port

    @property
    def address(self) -> str:
        """The address at which people open the pages."""
        return address_of(self.config, self.port)

    def facts(self) -> Facts:
        """What the engine and the wheels know of tables that cannot play."""
        return self.publisher.facts()

    def blockers(self) -> list[Blocker]:
        """Whatever keeps tables from playing now."""
        return blockers(self.run.house, self.facts())

    async def open(self) -> None:
        """Listen, and begin to commit."""
        staff = [member for member in self.config.staff if member.person not in self.run.house.staff.released]
        refusal = self.verifier.configure(
            {member.person: member.password for member in staff if member.password is not None}
        )
        if refusal is not None:
            raise NotOpenedError([refusal])
        await self._listen()
        self._log_problems()
        # Not before the server listens: a code is shown once, and would be lost with a start that fails.
        self.codes |= _issue_codes(staff, self.verifier)
        await _open_control(self.control)
        self.router.begin()
        self.maintenance.begin()
        self.wheels.open(self.commit_loop, self.config.data)
        self.peripherals.open(self.config.data)
        self.commit_loop.begin()
        self.watchdog.begin()
        if self.lease is not None:
            self.lease.watch(self.commit_loop.fail, partial(_status, self.router))
        if self.ticket_exchange is not None:
            self.ticket_exchange.begin()

    async def _listen(self) -> None:
        listen = self.config.listen
        await self.server.open(listen.host, listen.port)
        if listen.metrics_port is not None:
            await self.metrics.open(listen.metrics_host, listen.metrics_port)
        if self.gateways is not None:
            self.gateways.begin()

    def _log_problems(self) -> None:
        """Log what differs from the configuration and what keeps tables from playing."""
        for line in configuration_drift(self.config, self.run.house):
            _LOG.warning("file_differs", words=line)
        for line in tables_without_sensor(self.run.house, self.facts()):
            _LOG.warning("no_sensor", words=line)
        for each in self.blockers():
            _LOG.warning(
                "table_blocked",
                table=each.table,
                reason=each.reason,
                clause=each.clause,
                words=blocker_text(each),
                remedy=remedy_text(each),
            )

    async def close(self) -> None:
        """Stop in order: accept nothing, commit what was accepted, and write a snapshot for a quick start."""
        self.watchdog.stop()
        if self.ticket_exchange is not None:
            await self.ticket_exchange.close()
        await self.control.close()
        self.wheels.close()
        self.peripherals.close()
        await self.commit_loop.stop()
        self.server.close()
        if self.gateways is not None:
            await self.gateways.close()
        self.metrics.close()
        await self.router.background_tasks.stop()
        await self.router.device_enrolment.stop()
        self.writer.shutdown()
        self.router.staff_auth.password_checks.shutdown()
        self.maintenance.bench.shutdown()
        # A backup directory may stall for ever: what is being written to it is no backup yet.
        self.maintenance.backup_executor.shutdown(wait=False, cancel_futures=True)
        failed = self.commit_loop.failed.done()
        if self.snapshots.begun and not failed:
            self.run.sign_books()
        await self.snapshots.finish()
        if self.lease is not None:
            self.lease.stop()
        if failed:
            self.run.storage.close()
        else:
            # The process has written the last snapshot, unless it could not: then the next start replays.
            self.run.stop(snapshot=not self.snapshots.begun)


class _Started(NamedTuple):
    """A run that has recovered, and the parts that it was started with."""

    run: Run
    time: LoopClock
    batches: BatchFeed
    numbers: ValidationNumbers
    #: None for a journal in the data directory.
    lease: LeaseKeeper | None


async def open_venue(  # noqa: PLR0913, PLR0917 - each has a default
    config: Config,
    keeps: ClockFactory = AsyncioClock,
    hasher: Argon2Hasher | None = None,
    reread: Callable[[], Config | Refusal] | None = None,
    check: Check = no_check,
    standing_by: Callable[[], object] | None = None,
) -> Venue:
    """Open a house: NotOpenedError or a JournalFault says why it cannot be.

    The check is called until the first entry is written: what it raises stops the start. A standby calls `standing_by`
    when it follows the journal, and opens the house once it has taken over.
    """
    check()
    verdict = verify()
    verifier = CredentialVerifier(CredentialStore.within(KeyStore(config.key_store)), hasher or Argon2Hasher())
    _check_start(config, verifier.credential_store, verdict)
    partners = partner_keys(config)
    exchange = unfinished_swap(config.data)
    settle_place(config.data, config.place)
    standby = None if standing_by is None else await _stand_by(config, check, standing_by)
    started = _start(config, keeps, check, standby)
    if exchange is not None:
        _LOG.warning("restore_completed", backup=exchange.backup)
    try:
        clear_staged(config.data)
        clear_exported(config.data)
        clear_restoring(config.data)
        _refuse_if(provision(config, started.run, partners))
        venue = _build(config, started, verifier, reread, verdict)
        await venue.open()
    except BaseException:
        if started.lease is not None:
            started.lease.stop()
        started.run.storage.close()
        raise
    return venue


async def _stand_by(config: Config, check: Check, standing_by: Callable[[], object]) -> OpenedJournal:
    """Follow the journal until this system has taken it over."""
    loop = asyncio.get_running_loop()
    standby = Standby(config.data, KeyStore(config.key_store), check)
    control = StandbySocket(partial(_standby_status, standby), KeyStore(config.key_store), config.data)
    try:
        await _open_control(control)
        # Then a browser need not wait for them once the house is open.
        await loop.run_in_executor(None, own_assets().make_all)
        standing_by()
        while (journal := await loop.run_in_executor(None, standby.step)) is None:
            check()
    except BaseException:
        standby.close()
        raise
    finally:
        await control.close()
    return journal


def _standby_status(standby: Standby) -> StandbyStatus:
    recovered = standby.opened.recovered
    head, day = recovered.head, recovered.house.day
    return StandbyStatus(build_id(), head.position, head.epoch, day, standby.leader, standby.fault)


def _check_start(config: Config, credential_store: CredentialStore, verdict: Verdict) -> None:
    """Refuse a machine on which no house may be opened, and software that is not what was installed."""
    demo = config.mode is Mode.DEMO
    if not demo and config.listen.tls is None and config.listen.host not in LOOPBACK:
        message = "Real money goes over the network under TLS alone: name a certificate, or listen on 127.0.0.1."
        raise NotOpenedError([Refusal(Code.SETTING_IMPOSSIBLE, None, message, {"key": "listen.tls"})])
    found = StartupChecks.found(config.data, config.key_store, configured=credential_store.configured(), demo=demo)
    against = startup_problems(found)
    if isinstance(verdict, IntegrityFailed):
        files = ", ".join(each.file for each in verdict.files)
        against.append(Refusal(Code.SOFTWARE_NOT_APPROVED, None, f"The software is not what was installed: {files}."))
    _refuse_if(against)


def _refuse_if(refusals: Iterable[Refusal]) -> None:
    """Stop the start where there is any refusal."""
    if found := tuple(refusals):
        raise NotOpenedError(found)


def _start(config: Config, keeps: ClockFactory, check: Check, standby: OpenedJournal | None) -> _Started:
    """Read the journal and start a run on it; its batches have no subscribers yet."""
    key_store = KeyStore(config.key_store)
    journal = standby or open_journal(config.data, key_store, check=check)
    try:
        _refuse_if(filter(None, [identity_conflict(config, journal.house)]))
        time, batches, numbers = keeps(journal.house.now), BatchFeed(), ValidationNumbers(open_key(key_store))
        calendar = gaming_calendar(config.timezone, config.day_begins)
        interval = config.limits.commit_interval_ms * (SECOND // 1_000)
        ports = Ports(
            time,
            batches,
            calendar,
            journal.has_room,
            validates=numbers.validation,
            commit_interval=interval,
        )
        run = journal.start(ports)
    except BaseException:
        journal.storage.close()
        raise
    # The lease of a journal that other systems can reach too is renewed.
    store = run.storage.store
    return _Started(run, time, batches, numbers, LeaseKeeper(store) if isinstance(store, LeasedStore) else None)


def _build(
    config: Config,
    started: _Started,
    verifier: CredentialVerifier,
    reread: Callable[[], Config | Refusal] | None,
    verdict: Verdict,
) -> Venue:
    """Build everything that runs beside a run, on this machine's threads and addresses."""
    run, time, listen, own_origins = started.run, started.time, config.listen, config.gateways.addresses
    house, figures = run.house, Metrics()
    events, table_frames = Feed[Event](), Feed[TableFrame]()
    wheels = VenueWheels(house)
    wheels.update(config)
    writer = WriterThread("journal-writer")
    commit_loop = CommitLoop(run, time, writer, wheels, figures)
    snapshots = SnapshotProcess(run, config.data, commit_loop.alarm)
    ticket_exchange = _ticket_exchange(config, commit_loop, started.numbers)
    environment = Environment(
        ThreadPoolExecutor(PASSWORD_CHECKS_MAX, "password-check"),
        verifier,
        started.numbers,
        partial(facts, run, wheels, time, blind_counts=config.blind_counts),
        RateLimit(config.limits.commands_per_s, config.limits.commands_burst),
        ticket_exchange,
        config.players.break_minutes,
        {table.rulebook.digest: table.rulebook.clauses for table in config.tables},
        config.visitor_table or "",
    )
    router = build_router(commit_loop, started.batches, events, table_frames, environment)
    publisher, peripherals = router.publisher, router.peripherals
    peripherals.update(config)
    tls = None if listen.tls is None else ServerTls(listen.tls.certificate, listen.tls.key)
    sessions: dict[str, GatewaySession] = {}
    maintenance = MaintenanceService(
        commit_loop,
        config,
        wheels,
        publisher.facts,
        ThreadPoolExecutor(1, "operations"),
        ThreadPoolExecutor(1, "backup"),
        reread,
        verdict,
        partial(_gateway_status, sessions),
        tuple if tls is None else tls.renew,
        snapshots,
    )

    def attach(event: Event) -> None:
        """Add the devices of a terminal that was added at a reload."""
        if isinstance(event, TerminalAdded | BetsOpened):
            peripherals.update(maintenance.config)

    report = MetricsCollector(figures, house, lambda: blockers(house, publisher.facts()), maintenance.vitals)
    site = HttpHandler(
        house,
        report if listen.metrics_port is None else None,
        partial(_health, router),
        (table.rulebook for table in config.tables),
        publisher.table_views,
        lobby=LobbyView(house, publisher.table_views, publisher.inside, time, router.device_auth.undealt).build,
        addresses=own_origins,
    )
    events.subscribe(maintenance.on_event, wheels.on_event, attach, peripherals.on_event)
    origins = (*listen.origins, *own_origins)
    gateways = _gateways(config, router, site, origins, sessions)
    if gateways is not None:
        events.subscribe(gateways.pages.on_event)
        table_frames.subscribe(gateways.cast)
    server = Server(
        router,
        site,
        config.limits.connections_max,
        set(origins),
        frozenset(names_of(listen.host)),
        tls,
        lambda: _join_link(config, server.http.port, router.device_auth.join_code),
    )
    return Venue(
        config,
        run,
        router,
        server,
        metrics_server(site, report),
        gateways,
        verifier,
        writer,
        wheels,
        maintenance,
        ControlSocket(maintenance, KeyStore(config.key_store), config.data),
        PauseWatchdog(figures),
        snapshots,
        started.lease,
        ticket_exchange,
    )


def address_of(config: Config, port: int) -> str:
    """Return the address at which people open the pages of a venue."""
    host = lan_address() if config.listen.host == EVERYWHERE else config.listen.host
    return url_of(host, port, secure=config.listen.tls is not None)


def _join_link(config: Config, port: int, code: JoinCode) -> str:
    """Return the address at which phones join; empty unless it is a demonstration on a network."""
    joins = config.listen.host == EVERYWHERE and config.mode is Mode.DEMO
    return f"{address_of(config, port)}terminal#join={code.text}" if joins else ""


def _ticket_exchange(config: Config, commit_loop: CommitLoop, numbers: ValidationNumbers) -> TicketExchange | None:
    """Join the venue with those of the same operator, if it pays their tickets."""
    shared, run = config.shared_tickets, commit_loop.run
    if config.place is None or shared.key is None or not shared.venues:
        return None
    keys = SharedKeys(run.storage.signer, SharedNumbers(read_shared_key(shared.key)))
    links = Links.of(config.place)
    return TicketExchange(run.house, commit_loop.ask, numbers, keys, links, shared.venues, run.storage.tickets)


def _gateways(
    config: Config, router: Router, site: HttpHandler, origins: tuple[str, ...], sessions: "dict[str, GatewaySession]"
) -> "Gateways | None":
    """Join the gateways of a house that has a broker."""
    brokers = config.gateways.brokers
    if not brokers:
        return None
    from croupier.server.gateways.broker import Broker  # noqa: PLC0415 - the client is an optional extra
    from croupier.server.gateways.keys import GatewayKeys  # noqa: PLC0415 - the client is an optional extra
    from croupier.server.gateways.sessions import Gateways  # noqa: PLC0415 - the client is an optional extra

    keys = GatewayKeys(config.key_store)
    return Gateways(
        *(router, router.time, site, keys, Broker(brokers, keys.house()), build_id()),
        *(router.publisher.run.epoch, config.limits.connections_max, origins, sessions),
    )


def _gateway_status(sessions: "dict[str, GatewaySession]") -> tuple[GatewayStatus, ...]:
    return tuple(GatewayStatus(each.name, each.since, each.connection_count) for each in sessions.values())


def felt_of(house: House, table: TableId, terminal: TerminalId | None) -> str:
    """Name the felt of a terminal's page, or that of a table where no terminal is named."""
    profile = None if terminal is None else house.terminals[terminal].profile
    at = house.tables[table]
    return felt_data(at.rulebook, profile, at.settings.dozen_labels).hash


def _issue_codes(staff: Iterable[StaffConfig], verifier: CredentialVerifier) -> dict[PersonId, str]:
    """Issue a one-time code to each person without a password."""
    accounts = verifier.credential_store.load().accounts
    new = [member.person for member in staff if member.person not in accounts]
    issued = {person: verifier.issue_code(person) for person in new}
    return {person: each.code for person, each in issued.items() if isinstance(each, IssuedCode)}


async def _open_control(control: ControlListener) -> None:
    """Open the control socket; a house works without one."""
    try:
        await control.open()
    except OperationsFault as fault:
        _LOG.error("no_control_socket", words=str(fault))


def _status(router: Router) -> str:
    house, health = router.publisher.run.house, _health(router)
    turnover, refunded, won = Counter[str](), Counter[str](), Counter[str]()
    for table in house.tables.values():
        turnover[table.rulebook.currency] += table.meters.turnover
        refunded[table.rulebook.currency] += table.meters.refunded
        won[table.rulebook.currency] += table.meters.won
    waiting = sum(each.cleared_by is None for each in house.incidents.all.values())
    status = VenueStatus(
        mode=health.mode,
        day=house.day,
        connections=health.connections,
        blocked=len(health.blocked),
        incidents=waiting,
        turnover=turnover,
        refunded=refunded,
        won=won,
        sent={name: each.sent for name, each in house.venue_accounts.items()},
        received={name: each.received for name, each in house.venue_accounts.items()},
        currency=next(iter(turnover), ""),
    )
    return msgspec.json.encode(status).decode()


def _health(router: Router) -> Health:
    run = router.publisher.run
    return Health(
        ok=not router.commit_loop.failed.done(),
        mode="" if run.house.setup.mode is None else run.house.setup.mode.value,
        epoch=run.epoch,
        position=run.writer.head.position,
        connections=len(router.connections),
        blocked=tuple(map(BlockerText.of, blockers(run.house, router.publisher.facts()))),
    )
