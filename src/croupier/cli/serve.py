"""The commands serve, demo and init."""

import asyncio
import dataclasses
import gc
import os
import resource
import signal
import sys
from collections.abc import Callable, Iterator
from errno import EADDRINUSE, errorcode
from itertools import chain
from pathlib import Path
from typing import Final, NoReturn

import click
import structlog
import uvloop
from rich.text import Text

from croupier.app import NotOpenedError, Venue, open_venue
from croupier.cli.control import PATH, USUAL
from croupier.cli.demo_bots import DemoBots, money_objection
from croupier.cli.group import json_option
from croupier.cli.logs import configure_logging
from croupier.cli.output import accepted, console, exit_refused, give, refusal_text
from croupier.config.provisioning import configuration_drift, tables_without_sensor
from croupier.config.reader import demo_config, read_config, template
from croupier.config.schema import Config
from croupier.engine.accepting import EVERYWHERE
from croupier.engine.storage import build_id
from croupier.house.settings import Mode
from croupier.journal.disk import JournalFault
from croupier.rules.refusal import Code, Refusal, refuse
from croupier.server.auth.credentials import CredentialError
from croupier.server.auth.devices import qr_text
from croupier.server.auth.staff import VISITOR
from croupier.words import BlockerText

_LOG = structlog.get_logger()
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
    return _with_listen(config, lan=lan, port=port)


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
        exit_refused(
            refuse(Code.SETTING_IMPOSSIBLE, None, f"Cannot write the log to {config.log.path}: {error.strerror}.")
        )
    raise_file_limit(config.limits.connections_max)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        code = runner.run(_serve(config, read, start_bots, stopping, standing_by))
    raise click.exceptions.Exit(code)


def _with_listen(config: Config | Refusal, *, lan: bool, port: int | None) -> Config | Refusal:
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
        exit_refused(refuse(Code.SETTING_IMPOSSIBLE, None, f"Cannot start: {fault}."))
    except OSError as error:
        where = f"{config.listen.host}:{config.listen.port}"
        # The resolver and TLS have error numbers of their own, with their own messages.
        why = os.strerror(error.errno or 0) if error.errno in errorcode else error.strerror or str(error)
        remedy = " `--port` chooses another port." if error.errno == EADDRINUSE else ""
        exit_refused(refuse(Code.SETTING_IMPOSSIBLE, None, f"Cannot listen on {where}: {why}.{remedy}"))
    stopped = _handle_signals(venue)
    if stopping.requested:
        # A stop was requested after the first entry: shut down cleanly.
        stopped.set()
    # The start itself is no pause of a house that plays.
    venue.watchdog.stop()
    freeze_garbage_collection()
    venue.snapshots.begin()
    bots = None if start_bots is None else start_bots(venue)
    for line in chain(_announcement(venue), bots.summary() if bots else ()):
        console().print(line, soft_wrap=True)
    for each in venue.blockers():
        console(stderr=True).print(BlockerText.of(each).line, soft_wrap=True, style="bold red")
    asyncio.get_running_loop().call_soon(venue.watchdog.begin)
    return await _until_stopped(venue, stopped, bots)


def _handle_signals(venue: Venue) -> asyncio.Event:
    """Handle stop signals by a clean shutdown, installed before the house is announced as open."""
    loop, stopped = asyncio.get_running_loop(), asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stopped.set)
    loop.add_signal_handler(signal.SIGHUP, venue.maintenance.begin_reload)
    return stopped


#: Thresholds of the garbage collector. A full collection pauses the event loop, so it is rare.
_GC_THRESHOLD: Final = (1_000, 10, 1_000)


def freeze_garbage_collection() -> None:
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
        exit_refused(Refusal(Code.ALREADY_THERE, None, f"{path} exists: --force overwrites it."))
    except OSError as error:
        raise click.BadParameter(f"{path} cannot be written: {error.strerror}", param_hint="'PATH'") from error
    give({"written": str(path), "mode": mode.value}, lambda: f"Wrote {path} for {mode.value} money.")
