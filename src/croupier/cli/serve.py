"""The commands serve, demo and init: the log of a server, and its demo bots."""

import asyncio
import dataclasses
import gc
import logging
import os
import resource
import signal
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from errno import EADDRINUSE, errorcode
from functools import partial
from itertools import chain
from logging.handlers import WatchedFileHandler
from pathlib import Path
from random import Random
from typing import Final, NamedTuple, NoReturn, Self

import click
import msgspec
import structlog
import uvloop
from rich.text import Text

from croupier.app import NotOpenedError, Venue, open_venue
from croupier.cli.control import PATH, USUAL
from croupier.cli.group import json_option
from croupier.cli.output import accepted, console, give, refusal_text, refuse
from croupier.client.bots import STRATEGIES, Bot
from croupier.client.client import AsyncClient
from croupier.client.connection import ServerAddress
from croupier.client.session import DeviceKey
from croupier.config.provisioning import configuration_drift, tables_without_sensor
from croupier.config.reader import demo_config, read_config, template
from croupier.config.schema import Config, Log
from croupier.engine.accepting import EVERYWHERE
from croupier.engine.storage import build_id
from croupier.house import House
from croupier.house.ids import DeviceId, DeviceKind, TableId, TerminalId
from croupier.house.settings import Mode
from croupier.journal.disk import JournalFault, write_atomic
from croupier.rules.refusal import Code, Refusal
from croupier.rules.refusal import refuse as refusal_of
from croupier.server.auth.credentials import CredentialError, CredentialStore, DeviceCredential, name_objection
from croupier.server.auth.devices import is_empty, qr_text
from croupier.server.auth.staff import VISITOR
from croupier.words import BlockerText

#: The most lines of one kind in an interval of so many seconds; the rest are counted.
REPEATS_MAX: Final = 100
INTERVAL_S: Final = 60
_SHARED: Final[list[structlog.typing.Processor]] = [
    structlog.stdlib.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
]


def configure_logging(log: Log) -> None:
    """Configure logging: one line for each event of any library, without credentials."""
    handler = _handler(log)
    handler.addFilter(RateLimit())
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=_SHARED,
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.JSONRenderer(),
            ],
        )
    )
    logging.basicConfig(handlers=[handler], level=log.level.value.upper(), force=True)
    structlog.configure(
        processors=[*_SHARED, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )


def _handler(log: Log) -> logging.Handler:
    if log.path is None:
        return logging.StreamHandler()
    log.path.parent.mkdir(parents=True, exist_ok=True)
    return LogFile(log.path, encoding="utf-8")


class _Count(NamedTuple):
    """The lines of one kind in one interval: since when, how many, and how many of them were not written."""

    since: float
    lines: int
    suppressed: int


class RateLimit(logging.Filter):
    """Writes at most so many lines of one kind in an interval, and with the next one the number suppressed."""

    def __init__(self) -> None:
        super().__init__()
        #: By the name of an event, or by the line of code that logs it: the number of both is bounded.
        self._counts: dict[object, _Count] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        key = record.msg["event"] if isinstance(record.msg, dict) else (record.pathname, record.lineno)
        since, lines, suppressed = self._counts.get(key, _Count(record.created, 0, 0))
        if not 0 <= record.created - since < INTERVAL_S:
            since, lines = record.created, 0
        if lines >= REPEATS_MAX:
            self._counts[key] = _Count(since, lines, suppressed + 1)
            return False
        if suppressed:
            if isinstance(record.msg, dict):
                record.msg = {**record.msg, "suppressed": suppressed}
            else:
                record.msg, record.args = f"{record.getMessage()} ({suppressed} lines like this were suppressed)", ()
        self._counts[key] = _Count(since, lines + 1, 0)
        return True


class LogFile(WatchedFileHandler):
    """A file that may be moved away: the next line begins a new one. A line that cannot be written stops nothing."""

    def emit(self, record: logging.LogRecord) -> None:
        try:
            super().emit(record)
        except OSError:
            self.handleError(record)


_LOG = structlog.get_logger()
#: Beside the credential store. It contains no keys.
BOT_LIST_FILE: Final = "bots.json"
Devices = Mapping[DeviceId, DeviceCredential]


def enrol_bots(
    house: House, credentials: CredentialStore, directory: Path, count: int, *, last: str = ""
) -> dict[TerminalId, str]:
    """Enrol terminals for some bots, at most as many as leave one terminal free at every table; return their keys.

    Terminals of the table `last` are chosen when all others have their bots.
    """
    enrolled = credentials.load().devices
    ours = {device: each for device, each in _read(directory / BOT_LIST_FILE).items() if enrolled.get(device) == each}
    terminals = _choose(house, enrolled, ours, count, TableId(last))
    keys = credentials.enrol({DeviceId(terminal): DeviceKind.TERMINAL for terminal in terminals})
    assert isinstance(keys, dict)
    now = credentials.load().devices
    # Those of the bots that are not used this time stay reserved for them.
    try:
        devices = {**ours, **{device: now[device] for device in keys}}
        write_atomic(directory / BOT_LIST_FILE, msgspec.json.encode(devices))
    except OSError as error:
        raise CredentialError(f"The bot list cannot be written: {error.strerror}: {error.filename}.") from error
    return {TerminalId(device): key for device, key in keys.items()}


def _choose(house: House, enrolled: Devices, ours: Devices, count: int, last: TableId) -> list[TerminalId]:
    """Choose the terminals that bots had before, and then free ones."""
    chosen = [terminal for terminal in map(TerminalId, ours) if terminal in house.terminals][:count]
    free = [each for each in house.terminals if DeviceId(each) not in enrolled and name_objection(each) is None]
    while len(chosen) < count:
        used, left = _per_table(house, chosen), _per_table(house, free)
        candidates = [each for each in free if all(left[table] > 1 for table in house.terminals[each].games)]
        if not candidates:
            break
        # At the table with the fewest bots, so that tables fill evenly.
        used[last] += len(house.terminals)
        chosen.append(min(candidates, key=lambda each: max(used[table] for table in house.terminals[each].games)))
        free.remove(chosen[-1])
    return chosen


def _per_table(house: House, terminals: Iterable[TerminalId]) -> Counter[TableId]:
    return Counter(table for terminal in terminals for table in house.terminals[terminal].games)


def _read(path: Path) -> Devices:
    """Read which terminals the bots had; none if the file is missing or damaged."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[DeviceId, DeviceCredential])
    except (FileNotFoundError, ValueError, RecursionError):
        return {}
    except OSError as error:
        raise CredentialError(f"The bot list cannot be read: {error.strerror}: {error.filename}.") from error


#: How many bots play at each table by default.
BOTS_PER_TABLE: Final = 3


def money_objection(config: Config) -> Refusal | None:
    """Refuse demo bots where the money is real."""
    if config.mode is Mode.DEMO:
        return None
    says = "Demo bots play with play money only: this venue is for real money. Open it with `croupier serve`."
    return refusal_of(Code.DEMO_ONLY, None, says, mode=config.mode)


def server_address(venue: Venue) -> ServerAddress:
    listen = venue.config.listen
    return ServerAddress.of(listen.host, venue.port, None if listen.tls is None else listen.tls.certificate)


class DemoBots:
    """The bots of one running server."""

    def __init__(self, venue: Venue, random: Random) -> None:
        assert venue.config.mode is Mode.DEMO
        self._venue, self._random, self._server = venue, random, server_address(venue)
        self.bots: list[Bot] = []
        #: How many were requested.
        self.requested = 0
        self._tasks: set[asyncio.Task[None]] = set()

    @classmethod
    def start(cls, venue: Venue, count: int | None = None, random: Random | None = None) -> Self:
        """Start bots against a running server; none if no terminal can be enrolled for them."""
        demo = cls(venue, random or Random())  # noqa: S311 - it decides no result
        demo.requested, default = count or 0, BOTS_PER_TABLE * len(venue.run.house.tables)
        try:
            keys = enrol_bots(
                venue.run.house,
                venue.verifier.credential_store,
                venue.config.key_store,
                default if count is None else count,
                last=venue.config.visitor_table or "",
            )
        except CredentialError as fault:
            _LOG.error("bots_not_started", words=str(fault))
            keys = {}
        for number, (terminal, key) in enumerate(keys.items()):
            demo.add(number, terminal, key)
        return demo

    def add(self, number: int, terminal: TerminalId, key: str) -> None:
        """Start the next bot."""
        identity = DeviceKey(DeviceKind.TERMINAL, terminal, key)
        client = AsyncClient(self._server, identity, retry_s=(), clock=self._venue.publisher.time)
        random = Random(self._random.getrandbits(64))  # noqa: S311 - it decides no result
        strategy, free_seats = STRATEGIES[number % len(STRATEGIES)](), partial(self._free_seats, terminal)
        bot = Bot(f"Bot {number + 1}", client, strategy, random, free_seats)
        self.bots.append(bot)
        task = asyncio.get_running_loop().create_task(bot.play())
        self._tasks.add(task)
        task.add_done_callback(partial(self._stopped, bot))

    def _free_seats(self, terminal: TerminalId) -> int:
        """Return how many seats are free at the table of a terminal; of two tables, at the one with fewer."""
        house, inside = self._venue.run.house, self._venue.publisher.inside
        free = {each.id for each in house.terminals.values() if not each.closed and is_empty(each)} - set(inside)
        return min(len(free.intersection(house.tables[table].terminals)) for table in house.terminals[terminal].games)

    def summary(self) -> Iterator[str]:
        """Describe which bots play, and why there are fewer than requested."""
        names = ", ".join(f"{bot.name} at {bot.client.terminal}" for bot in self.bots)
        yield f"Demo bots, with play money only: {names or 'none'}."
        if len(self.bots) < self.requested:
            yield f"{len(self.bots)} of {self.requested}: one terminal stays free at every table."

    def cancel(self) -> None:
        """Stop all requests; the connections end when the server closes them."""
        for task in self._tasks:
            task.cancel()

    async def close(self) -> None:
        """Stop all bots, and drop their connections."""
        self.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for bot in self.bots:
            bot.client.abort()

    def _stopped(self, bot: Bot, task: "asyncio.Task[None]") -> None:
        """Log a bot that has stopped; an exception in one does not affect the others."""
        self._tasks.discard(task)
        if task.cancelled():
            return
        bot.client.abort()
        error = task.exception()
        if error is None:
            _LOG.info("bot_stopped", bot=bot.name, terminal=bot.client.terminal)
        else:
            facts = {"bot": bot.name, "terminal": bot.client.terminal}
            _LOG.error("bot_failed", **facts, error=type(error).__name__, words=str(error))


#: Files that a server has open besides its connections.
SPARE_FILES: Final = 256
#: The exit code when the house has stopped because of a fault of its journal or of itself.
FAULT: Final = 70
#: Reads the configuration, at the start and at every reload.
Reads = Callable[[], Config | Refusal]
#: Starts demo bots against a running server.
StartBots = Callable[[Venue], DemoBots]


lan_option = click.option("--lan", is_flag=True, help="Listen on the network too, and show a QR code for phones.")
port_option = click.option("--port", type=click.IntRange(0, 65_535), help="The port, instead of the configured one.")


@click.command("serve")
@click.option("--config", "path", type=PATH, metavar="FILE", help=f"The venue's configuration; ./{USUAL} by default.")
@lan_option
@port_option
@click.option("--standby", is_flag=True, help="Wait until no other server runs this venue, and take over then.")
def serve_command(
    path: Path | None,
    lan: bool,  # noqa: FBT001 - click's flag
    port: int | None,
    standby: bool,  # noqa: FBT001 - click's flag
) -> None:
    """Serve a venue: its pages and its WebSocket connections, until it is stopped.

    With --standby it follows the journal of another server, which must be in PostgreSQL, and takes over from it.
    Without a configuration it serves the demonstration, with its data in ./croupier-demo.
    Exits 0 when it was stopped, also during its start, 2 if it cannot start, 70 after a fault.
    """
    named = path or (USUAL if USUAL.exists() else None)
    serve_until_stopped(lambda: read_venue(named, lan=lan, port=port), standing_by=_say_standby if standby else None)


def _say_standby() -> None:
    console().print("Standing by: another server may run this venue.")


def read_venue(named: Path | None, *, lan: bool, port: int | None) -> Config | Refusal:
    """Read a configuration; by default that of the demonstration."""
    config = demo_config(Path.cwd()) if named is None else read_config(named)
    return _placed(config, lan=lan, port=port)


def serve_until_stopped(
    read: Reads, start_bots: StartBots | None = None, standing_by: Callable[[], object] | None = None
) -> NoReturn:
    """Open a venue, start demo bots if requested, and exit with its code."""
    # A command ends when its pipe is closed; a server continues when a client closes its connection.
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    stopping = Stopping()
    config = accepted(read())
    try:
        configure_logging(config.log)
    except OSError as error:
        refuse(
            refusal_of(Code.SETTING_IMPOSSIBLE, None, f"Cannot write the log to {config.log.path}: {error.strerror}.")
        )
    raise_file_limit(config.limits.connections_max)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        code = runner.run(_serve(config, read, start_bots, stopping, standing_by))
    raise click.exceptions.Exit(code)


def _placed(config: Config | Refusal, *, lan: bool, port: int | None) -> Config | Refusal:
    """Apply the command line's listening address to the configuration."""
    if isinstance(config, Refusal):
        return config
    listen = config.listen
    if port is not None:
        listen = dataclasses.replace(listen, port=port)
    if lan:
        listen = dataclasses.replace(listen, host=EVERYWHERE)
    return dataclasses.replace(config, listen=listen)


def raise_file_limit(most: int) -> None:
    """Raise the limit of open files: each connection is one."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    if most + SPARE_FILES > hard:
        says = f"limits.connections_max is {most}, but this process may open only {hard} files: lower it."
        _LOG.warning("few_files", words=says, before=soft)


class StopRequestedError(Exception):
    """A stop was requested before the house was open."""


class Stopping:
    """Handles stop signals from the beginning of a start, when there is no event loop yet."""

    def __init__(self) -> None:
        self.requested = False
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._note)

    def _note(self, _number: int, _frame: object) -> None:
        self.requested = True

    def check(self) -> None:
        """Abort a start that has written nothing yet."""
        if self.requested:
            raise StopRequestedError


async def _serve(
    config: Config,
    read: Reads,
    start_bots: StartBots | None,
    stopping: Stopping,
    standing_by: Callable[[], object] | None,
) -> int:
    try:
        venue = await open_venue(config, reread=read, check=stopping.check, standing_by=standing_by)
    except StopRequestedError:
        console().print("Stopped during the start: no entry was written.")
        return 0
    except NotOpenedError as error:
        for refusal in error.refusals:
            console(stderr=True).print(refusal_text(refusal))
        return 2
    except (JournalFault, CredentialError) as fault:
        refuse(refusal_of(Code.SETTING_IMPOSSIBLE, None, f"Cannot start: {fault}."))
    except OSError as error:
        where = f"{config.listen.host}:{config.listen.port}"
        # The resolver and TLS have error numbers of their own, with their own messages.
        why = os.strerror(error.errno or 0) if error.errno in errorcode else error.strerror or str(error)
        remedy = " `--port` chooses another port." if error.errno == EADDRINUSE else ""
        refuse(refusal_of(Code.SETTING_IMPOSSIBLE, None, f"Cannot listen on {where}: {why}.{remedy}"))
    stopped = _heed_signals(venue)
    if stopping.requested:
        # A stop was requested after the first entry: shut down cleanly.
        stopped.set()
    # The start itself is no pause of a house that plays.
    venue.watchdog.stop()
    settle_down()
    venue.snapshots.begin()
    bots = None if start_bots is None else start_bots(venue)
    for line in chain(_announcement(venue), bots.summary() if bots else ()):
        console().print(line, soft_wrap=True)
    for each in venue.blockers():
        console(stderr=True).print(BlockerText.of(each).line, soft_wrap=True, style="bold red")
    asyncio.get_running_loop().call_soon(venue.watchdog.begin)
    return await _until_stopped(venue, stopped, bots)


def _heed_signals(venue: Venue) -> asyncio.Event:
    """Handle stop signals by a clean shutdown, installed before the house is announced as open."""
    loop, stopped = asyncio.get_running_loop(), asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stopped.set)
    loop.add_signal_handler(signal.SIGHUP, venue.maintenance.begin_reload)
    return stopped


#: Thresholds of the garbage collector. A full collection pauses the event loop, so it is rare.
_GC_THRESHOLD: Final = (1_000, 10, 1_000)


def settle_down() -> None:
    """Exclude the long-lived objects from garbage collection."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*_GC_THRESHOLD)


async def _until_stopped(venue: Venue, stopped: asyncio.Event, bots: DemoBots | None) -> int:
    waiting = asyncio.ensure_future(stopped.wait())
    await asyncio.wait((waiting, venue.commit_loop.failed), return_when=asyncio.FIRST_COMPLETED)
    waiting.cancel()
    failed = venue.commit_loop.failed
    error = failed.exception() if failed.done() else None
    if error is not None:
        _LOG.critical("house_stopped", fault=type(error).__name__, words=str(error))
        console(stderr=True).print(f"The server stopped: {type(error).__name__}: {error}", style="bold red")
    await _close(venue, bots)
    if error is None:
        console().print(f"Stopped cleanly at entry {venue.run.writer.head.position}.")
    return 0 if error is None else FAULT


async def _close(venue: Venue, bots: DemoBots | None) -> None:
    """Shut down cleanly: demo bots send no more requests, and stop when their connections are closed."""
    if bots is not None:
        bots.cancel()
    await venue.close()
    if bots is not None:
        await bots.close()


def _announcement(venue: Venue) -> Iterator[str | Text]:
    """Print the address, and the one-time codes, which are not shown again."""
    config = venue.config
    address = venue.address
    demo = " (DEMONSTRATION: play money)" if config.mode is Mode.DEMO else ""
    yield f"{config.venue}{demo} is open: {address}"
    yield f"Data in {config.data}, keys in {config.key_store}. Stop with Ctrl-C."
    # A visitor deals without a password, so the code is of no use.
    codes = {person: code for person, code in venue.codes.items() if person != VISITOR or not config.visitor_table}
    if codes and len(venue.codes) < len(config.staff) and not sys.stdout.isatty():
        # After the first start, the output of a service is in a log, which must not contain codes.
        yield from (f"{person} has no password yet: croupier staff code" for person in codes)
    elif codes:
        yield "One-time staff codes, shown only now; each is valid until its owner has chosen a password:"
        wide = max(map(len, codes))
        yield from (f"  {person:<{wide}}  {code}" for person, code in codes.items())
    yield from (f"Note: {line}" for line in configuration_drift(config, venue.run.house))
    yield from (f"Note: {line}" for line in tables_without_sensor(venue.run.house, venue.facts()))
    if link := venue.server.join_link():
        yield f"A phone on this network can join at {link}"
        yield Text.from_ansi(qr_text(link))


@click.command("demo")
@click.option("--config", "path", type=PATH, metavar="FILE", help="The configuration of a venue, for demo money.")
@click.option(
    "--bots", type=click.IntRange(min=0), help="How many demo bots play; by default up to three at each table."
)
@lan_option
@port_option
def demo_command(path: Path | None, bots: int | None, lan: bool, port: int | None) -> None:  # noqa: FBT001 - click's flag
    """Open the demonstration with demo bots at its tables, until it is stopped.

    They play for demo money, and leave a seat free at every table. Without a configuration the data is in
    ./croupier-demo. Exits as `croupier serve` does, and with 2 if the venue is for real money.
    """

    def read() -> Config | Refusal:
        config = read_venue(path, lan=lan, port=port)
        return config if isinstance(config, Refusal) else money_objection(config) or config

    serve_until_stopped(read, lambda venue: DemoBots.start(venue, bots))


@click.command("init")
@click.argument("path", metavar="[PATH]", type=PATH, default=USUAL)
@click.option("--real", is_flag=True, help="Write a file for real money instead of demo money.")
@click.option("--force", is_flag=True, help="Overwrite a file that exists.")
@json_option
def init_command(path: Path, real: bool, force: bool) -> None:  # noqa: FBT001 - click's flags
    """Write a configuration file with every key, its description and its default.

    The default PATH is croupier.toml.
    """
    mode = Mode.REAL if real else Mode.DEMO
    try:
        with path.open("w" if force else "x", encoding="utf-8") as file:
            file.write(template(mode, build_id()))
    except FileExistsError:
        refuse(Refusal(Code.ALREADY_THERE, None, f"{path} exists: --force overwrites it."))
    except OSError as error:
        raise click.BadParameter(f"{path} cannot be written: {error.strerror}", param_hint="'PATH'") from error
    give({"written": str(path), "mode": mode.value}, lambda: f"Wrote {path} for {mode.value} money.")
