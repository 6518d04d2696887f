"""A venue: a house that is open, with everything that runs in it."""

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import structlog

from croupier.access.joining import JoinCode
from croupier.access.premises import Premises, objections
from croupier.access.reception import Issued, Reception
from croupier.access.register import Register
from croupier.access.secret import Hasher
from croupier.assembly.address import LOOPBACK, names_of
from croupier.assembly.floor import facts, furnish, unattended, wheels
from croupier.assembly.notation import round_text
from croupier.assembly.steward import Steward
from croupier.config.calendar import gaming_calendar
from croupier.config.difference import contradiction, differences
from croupier.config.shape import Config, Member
from croupier.devices.validation import Numbers, open_key
from croupier.engine.archive import unfinished_exchange
from croupier.engine.handover import Check, go_on
from croupier.engine.port import Ports
from croupier.engine.run import Run
from croupier.engine.start import equipped
from croupier.house.blocker import Blocker, Facts, blockers
from croupier.house.name import Instant, PersonId, TableId, TerminalId
from croupier.house.settings import Mode
from croupier.house.state import House
from croupier.journal.safe import Safe
from croupier.rules.refusal import Code, Refusal
from croupier.upkeep.answer import Differs, Verdict
from croupier.upkeep.control import Control
from croupier.upkeep.export import clear_exported
from croupier.upkeep.fault import UpkeepFault
from croupier.upkeep.software import verify
from croupier.upkeep.staging import clear_staged
from croupier.web.chores import Chores
from croupier.web.conductor import Conductor
from croupier.web.counter import Counter
from croupier.web.door import Pace
from croupier.web.enquiry import Enquiries
from croupier.web.evidence import Evidence
from croupier.web.feltdata import felt_data
from croupier.web.figures import Figures
from croupier.web.gateway import Gateway
from croupier.web.http import Health, Site
from croupier.web.hub import Hub
from croupier.web.limits import SECRETS_AT_ONCE
from croupier.web.links import Links
from croupier.web.lobby import Lobby
from croupier.web.lookup import LookUps
from croupier.web.paperwork import Paperwork
from croupier.web.registrar import Registrar
from croupier.web.research import Research
from croupier.web.server import MetricsServer, Server, origins_of, tls_context
from croupier.web.signing import Signing
from croupier.web.timekeeper import LoopTimekeeper, Timekeeper

_LOG = structlog.get_logger()
#: Makes the timekeeper of a house that was last at an instant.
Keeps = Callable[[Instant], Timekeeper]


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
    gateway: Gateway
    server: Server
    reception: Reception
    clerk: ThreadPoolExecutor
    steward: Steward
    control: Control
    metrics: MetricsServer
    #: One-time codes of people who had no secret yet: they are told once.
    codes: dict[PersonId, str] = field(default_factory=dict)
    port: int = 0
    #: Where the metrics are told; 0 where they have no port of their own.
    metrics_port: int = 0

    @property
    def conductor(self) -> Conductor:
        return self.gateway.conductor

    @property
    def hub(self) -> Hub:
        return self.gateway.hub

    def facts(self) -> Facts:
        """What the engine and the wheels know of tables that cannot play."""
        return facts(self.run, self.conductor.wheels)

    def blockers(self) -> list[Blocker]:
        """Whatever keeps tables from playing now."""
        return blockers(self.run.house, self.facts())

    async def close(self) -> None:
        """Stop in good order: nobody is let in, what was taken is kept, and a snapshot makes the next start quick."""
        await self.control.close()
        await self.conductor.stop()
        await self.server.close()
        self.metrics.close()
        await self.gateway.chores.stop()
        await self.gateway.registrar.stop()
        self.clerk.shutdown()
        self.gateway.signing.examiners.shutdown()
        self.steward.bench.shutdown()
        # A shelf may stall for ever: what is being written to it is no backup yet, and nobody waits for it.
        self.steward.porter.shutdown(wait=False, cancel_futures=True)
        if self.conductor.failed.done():
            self.run.archive.close()
        else:
            self.run.stop()


async def open_venue(
    config: Config,
    keeps: Keeps = LoopTimekeeper,
    hasher: Hasher | None = None,
    reread: Callable[[], Config | Refusal] | None = None,
    check: Check = go_on,
) -> Venue:
    """Open a house: NotOpenedError or a JournalFault says why it cannot be.

    The check is called until the first entry is written: what it raises stops the start.
    """
    check()
    verdict = verify()
    reception = Reception(Register.within(Safe(config.safe)), hasher or Hasher())
    _inspect(config, reception.register, verdict)
    exchange = unfinished_exchange(config.data)
    hub, run = _start(config, keeps, check)
    if exchange is not None:
        _LOG.warning("restore_completed", backup=exchange.backup)
    try:
        clear_staged(config.data)
        clear_exported(config.data)
        venue = _joined(config, hub, run, reception)
        venue.steward.reread, venue.steward.found = reread, verdict
        await _let_in(venue)
    except BaseException:
        run.archive.close()
        raise
    return venue


def _joined(config: Config, hub: Hub, run: Run, reception: Reception) -> Venue:
    """Furnish a house that has recovered, and join its parts."""
    if refused := furnish(config, run):
        raise NotOpenedError(refused)
    safe, clerk, figures = Safe(config.safe), ThreadPoolExecutor(1, "clerk"), hub.figures
    hub.break_minutes = config.players.break_minutes
    hub.begin(run)
    gateway = _gateway(config, hub, Conductor(run, hub.time, clerk, figures), reception, safe)
    gateway.conductor.wheels = wheels(config, run.house)
    shelf = (table.rulebook for table in config.tables)
    hub.facts = lambda: facts(run, gateway.conductor.wheels)
    site = Site(run.house, figures, lambda: _health(gateway), shelf, hub.placards)
    server = Server(gateway, site, config.limits.doors_most)
    bench, porter = ThreadPoolExecutor(1, "upkeep"), ThreadPoolExecutor(1, "porter")
    metrics = MetricsServer(site)
    steward = Steward(gateway.conductor, gateway.lobby.ask, config, bench, porter)
    site.report.vitals = steward.vitals
    hub.listeners.append(steward.heed)
    control = Control(steward, safe, config.data)
    return Venue(config, run, gateway, server, reception, clerk, steward, control, metrics)


async def _let_in(venue: Venue) -> None:
    """Open the doors, and begin."""
    staff = [member for member in venue.config.staff if member.person not in venue.run.house.released]
    _take_secrets(staff, venue.reception)
    await _listen(venue)
    for line in differences(venue.config, venue.run.house):
        _LOG.warning("file_differs", words=line)
    for line in unattended(venue.run.house, venue.facts()):
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
    venue.gateway.begin()
    venue.steward.begin()
    venue.conductor.begin()


def _inspect(config: Config, register: Register, verdict: Verdict) -> None:
    """Refuse premises on which no house may be opened, and software that is not what was installed."""
    demo = config.mode is Mode.DEMO
    if not demo and config.listen.tls is None and config.listen.host not in LOOPBACK:
        says = "Real money goes over the network under TLS alone: name a certificate, or listen on 127.0.0.1."
        raise NotOpenedError([Refusal(Code.SETTING_IMPOSSIBLE, None, says, {"key": "listen.tls"})])
    found = Premises.found(config.data, config.safe, configured=register.configured(), demo=demo)
    against = objections(found)
    if isinstance(verdict, Differs):
        files = ", ".join(each.file for each in verdict.files)
        against.append(Refusal(Code.SOFTWARE_NOT_APPROVED, None, f"The software is not what was installed: {files}."))
    if against:
        raise NotOpenedError(against)


def _start(config: Config, keeps: Keeps, check: Check) -> tuple[Hub, Run]:
    safe, hubs = Safe(config.safe), list[Hub]()

    def equip(house: House, has_room: Callable[[], bool]) -> Ports:
        against = contradiction(config, house)
        if against is not None:
            raise NotOpenedError([against])
        time = keeps(house.now)
        hubs.append(Hub(time, Figures(), felt_of))
        calendar = gaming_calendar(config.timezone, config.day_begins)
        numbers = Numbers(open_key(safe))
        return Ports(time, hubs[0], calendar, has_room, validates=numbers.validation)

    run = equipped(config.data, safe, equip, check=check)
    return hubs[0], run


def _gateway(config: Config, hub: Hub, conductor: Conductor, reception: Reception, safe: Safe) -> Gateway:
    chores, register = Chores(), reception.register
    examiners, numbers = ThreadPoolExecutor(SECRETS_AT_ONCE, "examiner"), Numbers(open_key(safe))
    signing = Signing(hub, conductor, reception, examiners)
    research = Research(conductor, round_text)
    return Gateway(
        hub.time,
        Pace(config.limits.commands_per_s, config.limits.commands_burst),
        hub,
        conductor,
        Lobby(hub, conductor, register, JoinCode(), chores),
        signing,
        Counter(hub, numbers),
        Links(hub, conductor),
        chores,
        Enquiries(
            hub,
            signing,
            chores,
            LookUps(numbers, conductor.run.archive.tickets),
            research,
            Evidence(research),
            Paperwork(conductor, numbers),
        ),
        Registrar(hub, signing, register),
    )


def felt_of(house: House, table: TableId, terminal: TerminalId | None) -> str:
    """Name the felt that a terminal draws, or where there is none that of its table."""
    profile = None if terminal is None else house.terminals[terminal].profile
    return felt_data(house.tables[table].rulebook, profile).hash


def _take_secrets(staff: Iterable[Member], reception: Reception) -> None:
    """See that whoever has a secret in the configuration of a demonstration can sign in with it."""
    given = {member.person: member.secret for member in staff if member.secret is not None}
    refusal = reception.configure(given)
    if refusal is not None:
        raise NotOpenedError([refusal])


def _issue_codes(staff: Iterable[Member], reception: Reception) -> dict[PersonId, str]:
    """See that everybody else can sign in, with a code that is good once."""
    held = reception.register.held().accounts
    new = [member.person for member in staff if member.person not in held]
    issued = {person: reception.issue_code(person) for person in new}
    return {person: each.code for person, each in issued.items() if isinstance(each, Issued)}


async def _listen(venue: Venue) -> None:
    listen = venue.config.listen
    tls = None if listen.tls is None else tls_context(listen.tls.certificate, listen.tls.key)
    venue.port = await venue.server.open(listen.host, listen.port, tls)
    if listen.metrics_port is not None:
        venue.metrics_port = await venue.metrics.open(listen.metrics_host, listen.metrics_port)
    own = origins_of(names_of(listen.host), venue.port, secure=tls is not None)
    venue.server.origins |= own | set(listen.origins)


async def _answer_host(control: Control) -> None:
    """Open the control socket; a house is none the worse where there cannot be one."""
    try:
        await control.open()
    except UpkeepFault as fault:
        _LOG.error("no_control_socket", words=str(fault))


def _health(gateway: Gateway) -> Health:
    run = gateway.hub.run
    return Health(
        ok=not gateway.conductor.failed.done(),
        mode="" if run.house.mode is None else run.house.mode.value,
        epoch=run.epoch,
        position=run.writer.mark.position,
        doors=len(gateway.doors),
        blocked=tuple(blockers(run.house, gateway.hub.facts())),
    )
