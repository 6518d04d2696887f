"""The commands of wheels: emulate one on a pseudo-terminal, and replay a recording."""

import time
from collections.abc import Iterator, Sequence
from itertools import chain, islice, repeat
from pathlib import Path
from typing import Final

import click
import msgspec
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from croupier.cli.group import json_option
from croupier.cli.output import console, give, refuse
from croupier.devices.emulator import FAULTS, PseudoTerminal, Step, games, normal
from croupier.devices.in_rim_reader import InRimReader, Observation, parse_status
from croupier.devices.recorder import Record, read_records
from croupier.engine.ports import RecordMark, seconds
from croupier.house.commands.rounds import BallAtRest
from croupier.house.ids import SECOND, Instant, TableId
from croupier.rules.refusal import Code, Refusal


@click.group("wheel")
@json_option
def wheel_group() -> None:
    """Emulate a wheel on a serial line, and replay what one has sent."""


@wheel_group.command("emulate")
@click.argument("link", metavar="LINK", type=click.Path(path_type=Path), required=False)
@click.option("--games", "count", type=click.IntRange(min=1), help="How many games; without end by default.")
@click.option("--fault", "faults", multiple=True, type=click.Choice(sorted(FAULTS)), help="A fault for the next game.")
@click.option("--list", "listed", is_flag=True, help="List the faults.")
@click.option("--rate", type=click.IntRange(1, 1000), default=1, help="How many times as fast as a real wheel.")
@json_option
def emulate_command(
    link: Path | None,
    count: int | None,
    faults: tuple[str, ...],
    listed: bool,  # noqa: FBT001 - click's flag
    rate: int,
) -> None:
    """Play games of a wheel on a pseudo-terminal, to which LINK leads: `driver_address` of the driver in-rim.

    Each --fault spoils one game; normal games follow. Ctrl-C ends it.
    """
    if listed:
        give({"faults": {name: each.description for name, each in FAULTS.items()}}, _faults)
        return
    if link is None:
        raise click.UsageError("Missing argument 'LINK'.")
    line = PseudoTerminal(link)
    try:
        line.plug()
    except OSError as error:
        refuse(Refusal(Code.SETTING_IMPOSSIBLE, None, f"Cannot emulate a wheel at {link}: {error.strerror}."))
    console().print(f"A wheel is at {link}. Stop with Ctrl-C.")
    try:
        for game, fault in islice(zip(games(), chain(faults, repeat("")), strict=False), count):
            console().print(f"Game {game.spin}: {game.win}{f', {fault}' if fault else ''}")
            _play(line, FAULTS[fault].play(game) if fault else normal(game), rate)
    except KeyboardInterrupt:
        console().print("Stopped.")
    finally:
        line.unplug()


def _play(line: PseudoTerminal, steps: Sequence[Step], rate: int) -> None:
    for step in steps:
        time.sleep(seconds(step.wait) / rate)
        if step.data is None:
            line.unplug()
            line.plug()
        else:
            line.send(step.data)


def _faults() -> RenderableType:
    table = Table(box=None, show_header=False)
    for name, fault in FAULTS.items():
        table.add_row(name, fault.description)
    return table


@wheel_group.command("replay")
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@click.option("--reports", is_flag=True, help="List every report with its time.")
@json_option
def replay_command(file: Path, reports: bool) -> None:  # noqa: FBT001 - click's flag
    """Play a recording through the driver in-rim, and print the numbers and the alarms.

    FILE is a recording of the flight recorder, or the bytes of a wheel as they came, for which half a second passes
    with each telegram.
    """
    try:
        content = file.read_bytes()
    except OSError as error:
        refuse(Refusal(Code.NOTHING_THERE, None, f"{file} cannot be read: {error.strerror}."))
    observations = list(replayed(content))
    found = [observation for observation in observations if observation.report is not None]
    numbers = [each.report.pocket for each in found if isinstance(each.report, BallAtRest)]
    alarms = [msgspec.to_builtins(each.report) for each in found if type(each.report).__name__ == "WheelTrouble"]
    data = {
        "edges": [None if each.state is None else int(each.state) for each in observations],
        "numbers": numbers,
        "alarms": alarms,
        "reports": [{"at": each.at, **msgspec.to_builtins(each.report)} for each in found],
    }
    give(data, lambda: _replayed(found, numbers, len(alarms), reports=reports))


def _replayed(found: list[Observation], numbers: Sequence[str], alarms: int, *, reports: bool) -> RenderableType:
    start = found[0].at if found else 0
    lines = [f"{seconds(each.at - start):9.1f} s  {each.report}" for each in found] if reports else []
    lines += [f"Numbers: {', '.join(numbers) or 'none'}.", f"Alarms: {alarms}."]
    return Group(*map(Text, lines))


_TABLE: Final = TableId("replayed")


def replayed(content: bytes, table: TableId = _TABLE) -> Iterator[Observation]:
    """Parse a recording again, with the times at which its bytes came."""
    records = list(read_records(content.splitlines())) or list(_paced(content))
    reader = InRimReader(table, records[0].at if records else Instant(0))
    for record in records:
        if record.mark is RecordMark.RECEIVED:
            yield from reader.feed(record.at, record.data)
        elif record.data == b"opened":
            reader.cut()


def _paced(content: bytes) -> Iterator[Record]:
    """Give each status of a file without times half a second."""
    at = 0
    for line in content.splitlines(keepends=True):
        at += SECOND // 2 if parse_status(line.strip(b"\r\n")) else 0
        yield Record(Instant(at), Instant(at), RecordMark.RECEIVED, line)
