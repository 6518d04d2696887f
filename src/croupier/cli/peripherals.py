"""The commands of money devices: emulate a note acceptor or a printer on a pseudo-terminal."""

import select
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import click
from rich.console import RenderableType

from croupier.cli.group import json_option
from croupier.cli.output import console, exit_refused, give, plain_table
from croupier.devices.emulator import PseudoTerminal
from croupier.devices.escpos import SPOILED, EmulatedPrinter, slip_text
from croupier.devices.id003 import FAULTS, EmulatedAcceptor
from croupier.rules.refusal import Code, Refusal

#: The time between two notes, and how long one wait for the line lasts, in seconds.
NOTE_EVERY_S: Final = 3
WAIT_S: Final = 0.1

_link = click.argument("link", metavar="LINK", type=click.Path(path_type=Path), required=False)
_listed = click.option("--list", "listed", is_flag=True, help="List the faults.")
_seconds = click.option("--seconds", type=click.FloatRange(min=0), help="How long; without end by default.")


@click.group("acceptor")
@json_option
def acceptor_group() -> None:
    """Emulate a note acceptor on a serial line."""


@acceptor_group.command("emulate")
@_link
@click.option(
    "--note", "notes", multiple=True, type=click.IntRange(1, 8), help="A note, by its place among the values."
)
@click.option("--fault", type=click.Choice(sorted(FAULTS)), help="A fault of the first note.")
@_seconds
@_listed
@json_option
def emulate_acceptor(
    link: Path | None,
    notes: tuple[int, ...],
    fault: str | None,
    seconds: float | None,
    listed: bool,  # noqa: FBT001 - click's flag
) -> None:
    """Emulate an acceptor on a pseudo-terminal, to which LINK leads: `driver_address` of the driver id003.

    Each --note is inserted once the acceptor is idle. Ctrl-C ends it.
    """
    if listed:
        _list({name: each.description for name, each in FAULTS.items()})
        return
    acceptor, waiting = EmulatedAcceptor(), list(notes)
    acceptor.fault = fault or ""

    def insert() -> None:
        if waiting and acceptor.insert_note(waiting[0] - 1):
            console().print(f"Note {waiting.pop(0)} inserted.")

    with _plugged(link, "an acceptor") as line:
        _respond(line, acceptor.feed, insert, seconds)
    console().print(f"{len(acceptor.box)} in the box, {len(acceptor.returned)} returned.")


@click.group("printer")
@json_option
def printer_group() -> None:
    """Emulate a ticket printer on a serial line."""


@printer_group.command("emulate")
@_link
@click.option("--fault", type=click.Choice(sorted(SPOILED)), help="A fault of the first slip.")
@_seconds
@_listed
@json_option
def emulate_printer(
    link: Path | None,
    fault: str | None,
    seconds: float | None,
    listed: bool,  # noqa: FBT001 - click's flag
) -> None:
    """Emulate a printer on a pseudo-terminal, to which LINK leads: `driver_address` of the driver escpos.

    The letters of each slip are shown here.
    """
    if listed:
        _list(SPOILED)
        return
    printer = EmulatedPrinter()
    printer.fault = fault or ""
    shown = 0

    def feed(data: bytes) -> bytes:
        nonlocal shown
        response = printer.feed(data)
        for slip in printer.slips[shown:]:
            console().print(slip_text(slip), markup=False, highlight=False)
        shown = len(printer.slips)
        return response

    with _plugged(link, "a printer") as line:
        _respond(line, feed, lambda: None, seconds)
    console().print(f"{len(printer.slips)} slips, {len(printer.spoiled)} spoiled.")


@contextmanager
def _plugged(link: Path | None, named: str) -> Iterator[PseudoTerminal]:
    if link is None:
        raise click.UsageError("Missing argument 'LINK'.")
    line = PseudoTerminal(link)
    try:
        line.plug()
    except OSError as error:
        exit_refused(Refusal(Code.SETTING_IMPOSSIBLE, None, f"Cannot emulate {named} at {link}: {error.strerror}."))
    console().print(f"There is {named} at {link}. Stop with Ctrl-C.")
    try:
        yield line
    finally:
        line.unplug()


def _respond(
    line: PseudoTerminal, feed: Callable[[bytes], bytes], insert: Callable[[], None], seconds: float | None
) -> None:
    """Respond to what comes until the time is over, and insert notes meanwhile."""
    began = inserted = time.monotonic()
    try:
        while seconds is None or time.monotonic() - began < seconds:
            if select.select([line], [], [], WAIT_S)[0] and (response := feed(line.receive())):
                line.send(response)
            if time.monotonic() - inserted >= NOTE_EVERY_S:
                inserted = time.monotonic()
                insert()
    except KeyboardInterrupt:
        console().print("Stopped.")


def _list(faults: dict[str, str]) -> None:
    def table() -> RenderableType:
        rows = plain_table("", "")
        for name, words in faults.items():
            rows.add_row(name, words)
        return rows

    give({"faults": faults}, table)
