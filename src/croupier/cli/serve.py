"""Serving: a venue opened from the command line, until somebody stops it."""

import asyncio
import dataclasses
import gc
import os
import resource
import signal
import sys
from collections.abc import Callable, Iterator
from errno import errorcode
from itertools import chain
from pathlib import Path
from typing import Final, NoReturn

import click
import structlog
import uvloop
from rich.text import Text

from croupier.access.fault import AccessFault
from croupier.access.joining import qr_text
from croupier.assembly import NotOpenedError, Venue, open_venue
from croupier.assembly.address import EVERYWHERE, lan_address
from croupier.assembly.floor import unattended
from croupier.cli.answer import accepted, console, refusal_text, refuse
from croupier.config.demo import demo_config
from croupier.config.difference import differences
from croupier.config.reader import read_config
from croupier.config.shape import Config
from croupier.director import Director
from croupier.house.answer import refuse as refusal_of
from croupier.house.settings import Mode
from croupier.journal.fault import JournalFault
from croupier.rules.refusal import Code, Refusal
from croupier.upkeep.log import keep_log

#: Where a venue's configuration is looked for when none is named.
USUAL: Final = Path("croupier.toml")
#: Files that a house has open besides its doors.
SPARE_FILES: Final = 256
#: The house has stopped because it could not be sure of its journal or of itself.
FAULT: Final = 70
_LOG = structlog.get_logger()
#: Reads the configuration, at the start and whenever it is to be read again.
Reads = Callable[[], Config | Refusal]
#: Has simulated players come to a house that is open.
Engages = Callable[[Venue], Director]


lan_option = click.option(
    "--lan", is_flag=True, help="Listen on the network too, and show a code that a phone can scan."
)
port_option = click.option(
    "--port", type=click.IntRange(0, 65_535), help="The port, in the place of the configured one."
)


@click.command("serve")
@click.option("--config", "path", type=click.Path(path_type=Path), help="The configuration; otherwise ./croupier.toml.")
@lan_option
@port_option
def serve_command(path: Path | None, lan: bool, port: int | None) -> None:  # noqa: FBT001 - click's flag
    """Open a venue, and serve its pages and its wire until it is stopped.

    Without a configuration it is a demonstration, with its data in ./croupier-demo.
    Exits 0 when it was stopped, also during its start, 2 where it cannot be opened, 70 where it stopped itself.
    """
    named = path or (USUAL if USUAL.exists() else None)
    serve_until_stopped(lambda: read_venue(named, lan=lan, port=port))


def read_venue(named: Path | None, *, lan: bool, port: int | None) -> Config | Refusal:
    """Read a configuration, or where none is named that of the demonstration."""
    config = demo_config(Path.cwd()) if named is None else read_config(named)
    return _placed(config, lan=lan, port=port)


def serve_until_stopped(read: Reads, engage: Engages | None = None) -> NoReturn:
    """Open a venue, have simulated players engaged where somebody is to do that, and leave with its exit code."""
    # The command line ends when nobody reads it; a house goes on when a door is shut in its face.
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    stopping = Stopping()
    config = accepted(read())
    try:
        keep_log(config.log)
    except OSError as error:
        refuse(
            refusal_of(Code.SETTING_IMPOSSIBLE, None, f"The log cannot be kept in {config.log.path}: {error.strerror}.")
        )
    _allow_doors(config.limits.doors_most)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        code = runner.run(_serve(config, read, engage, stopping))
    raise click.exceptions.Exit(code)


def _placed(config: Config | Refusal, *, lan: bool, port: int | None) -> Config | Refusal:
    """Say where to listen, by what the command line says on top."""
    if isinstance(config, Refusal):
        return config
    listen = config.listen
    if port is not None:
        listen = dataclasses.replace(listen, port=port)
    if lan:
        listen = dataclasses.replace(listen, host=EVERYWHERE)
    return dataclasses.replace(config, listen=listen)


def _allow_doors(most: int) -> None:
    """See that as many doors can be open as there may be: each is a file to the system."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    if most + SPARE_FILES > hard:
        says = f"{most} doors may be open, and this machine lets a process open {hard} files: lower limits.doors_most."
        _LOG.warning("few_files", words=says, before=soft)


class StopRequestedError(Exception):
    """Somebody has asked for a stop before the house was open."""


class Stopping:
    """Heeds requests to stop from the beginning of a start, when there is no event loop yet."""

    def __init__(self) -> None:
        self.requested = False
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._note)

    def _note(self, _number: int, _frame: object) -> None:
        self.requested = True

    def check(self) -> None:
        """Stop a start that has written nothing yet."""
        if self.requested:
            raise StopRequestedError


async def _serve(config: Config, read: Reads, engage: Engages | None, stopping: Stopping) -> int:
    try:
        venue = await open_venue(config, reread=read, check=stopping.check)
    except StopRequestedError:
        console().print("Stopped before the house was open: no entry was written.")
        return 0
    except NotOpenedError as error:
        for refusal in error.refusals:
            console(stderr=True).print(refusal_text(refusal))
        return 2
    except (JournalFault, AccessFault) as fault:
        refuse(refusal_of(Code.SETTING_IMPOSSIBLE, None, f"The house cannot be opened: {fault}."))
    except OSError as error:
        where = f"{config.listen.host}:{config.listen.port}"
        # A resolver and TLS have numbers of their own, and words that go with them.
        why = os.strerror(error.errno or 0) if error.errno in errorcode else error.strerror or str(error)
        refuse(refusal_of(Code.SETTING_IMPOSSIBLE, None, f"Nobody can be let in at {where}: {why}."))
    stopped = _heed_signals(venue)
    if stopping.requested:
        # Between the first entry and this: what was begun is ended in good order.
        stopped.set()
    _settle_down()
    director = None if engage is None else engage(venue)
    for line in chain(_announcement(venue), director.words() if director else ()):
        console().print(line, soft_wrap=True)
    for each in venue.blockers():
        console(stderr=True).print(each.line, soft_wrap=True, style="bold red")
    return await _until_stopped(venue, stopped, director)


def _heed_signals(venue: Venue) -> asyncio.Event:
    """Stop in good order when it is asked for, from before anybody is told that the house is open."""
    loop, stopped = asyncio.get_running_loop(), asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stopped.set)
    loop.add_signal_handler(signal.SIGHUP, venue.steward.begin_reload)
    return stopped


#: How many containers are made before Python looks for rubbish among the new ones, and how often it does so before it
#: looks further: rarely through everything, which holds all bets up for as long as that takes.
_RUBBISH: Final = (1_000, 10, 1_000)


def _settle_down() -> None:
    """Spare Python looking for rubbish in what stands now: it stands for as long as the house is open."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*_RUBBISH)


async def _until_stopped(venue: Venue, stopped: asyncio.Event, director: Director | None) -> int:
    waiting = asyncio.ensure_future(stopped.wait())
    await asyncio.wait((waiting, venue.conductor.failed), return_when=asyncio.FIRST_COMPLETED)
    waiting.cancel()
    failed = venue.conductor.failed
    error = failed.exception() if failed.done() else None
    if error is not None:
        _LOG.critical("house_stopped", fault=type(error).__name__, words=str(error))
        console(stderr=True).print(f"The house has stopped itself: {type(error).__name__}: {error}", style="bold red")
    await _close(venue, director)
    if error is None:
        console().print(f"Closed in good order at entry {venue.run.writer.mark.position}.")
    return 0 if error is None else FAULT


async def _close(venue: Venue, director: Director | None) -> None:
    """Stop in good order; simulated players ask for nothing from then on, and go when the doors are shut."""
    if director is not None:
        director.hush()
    await venue.close()
    if director is not None:
        await director.close()


def _announcement(venue: Venue) -> Iterator[str | Text]:
    """Say where to go, and what nobody will be told again."""
    config = venue.config
    scheme = "http" if config.listen.tls is None else "https"
    host = lan_address() if config.listen.host == EVERYWHERE else config.listen.host
    address = f"{scheme}://{host}:{venue.port}/"
    demo = " (DEMONSTRATION: play money)" if config.mode is Mode.DEMO else ""
    yield f"{config.venue}{demo} is open: {address}"
    yield f"Data in {config.data}, keys in {config.safe}. Stop with Ctrl-C."
    if venue.codes and len(venue.codes) < len(config.staff) and not sys.stdout.isatty():
        # Beyond the first start, whoever starts a house as a service has its words in a log.
        yield from (f"{person} has no secret yet: croupier staff code" for person in venue.codes)
    elif venue.codes:
        yield "One-time staff codes, told only now; each is good until its owner has chosen a secret:"
        wide = max(map(len, venue.codes))
        yield from (f"  {person:<{wide}}  {code}" for person, code in venue.codes.items())
    yield from (f"Note: {line}" for line in differences(config, venue.run.house))
    yield from (f"Note: {line}" for line in unattended(venue.run.house, venue.facts()))
    if config.listen.host == EVERYWHERE and config.mode is Mode.DEMO:
        link = f"{address}terminal#join={venue.gateway.lobby.join_code.text}"
        yield f"A phone on this network can sit down at {link}"
        yield Text.from_ansi(qr_text(link))
