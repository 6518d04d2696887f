"""The commands of the random source: collect draws for a test laboratory, and test draws with a statistical battery."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, Final

import click
from rich.console import Group, RenderableType
from rich.progress import Progress, TaskID
from rich.text import Text

from croupier.cli.group import json_option
from croupier.cli.output import console, exit_refused, give, plain_table
from croupier.devices.battery import TESTS, Result, battery
from croupier.devices.random_source import SECURE, Source, draw
from croupier.rules.geometry import COMMON_POCKETS, Pocket, in_order
from croupier.rules.refusal import Code, Refusal

#: The pockets of each wheel, by name.
WHEELS: Final = {
    "single-zero": tuple(each for each in COMMON_POCKETS if each != "00"),
    "double-zero": COMMON_POCKETS,
    "triple-zero": in_order((*COMMON_POCKETS, Pocket("000"))),
}
#: Regulators require at least so many spins of a wheel.
DRAWS_MIN: Final = 10_000
#: The exit code when a test fails.
FAILED: Final = 1
#: Draws between two updates of the progress bar.
CHUNK: Final = 10_000


def draws(count: int, pockets: int, source: Source = SECURE) -> Iterator[bytes]:
    """Draw pockets as a table's wheel does, in chunks."""
    for at in range(0, count, CHUNK):
        yield bytes(draw(range(pockets), source) for _ in range(min(CHUNK, count - at)))


@click.group("rng")
@json_option
def rng_group() -> None:
    """Collect draws of the random wheel for a test laboratory, and test them."""


wheel_option = click.option(
    "--wheel", type=click.Choice(list(WHEELS)), default="single-zero", help="The wheel; single-zero by default."
)


@rng_group.command("collect")
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path, allow_dash=True))
@click.option("--draws", "count", type=click.IntRange(min=1), default=1_000_000, help="How many; a million by default.")
@click.option("--raw", type=click.Path(path_type=Path), help="A file for the bytes of the source that the draws used.")
@wheel_option
@json_option
def collect_command(file: Path, count: int, raw: Path | None, wheel: str) -> None:
    """Draw as a random wheel does, and write the pockets to FILE, one on each line.

    The bytes in --raw are those of the draws in order, with the ones that were rejected. Either may be a named pipe,
    and FILE may be - for the standard output, so that another program reads them as they are drawn.
    """
    pockets = WHEELS[wheel]
    names = [f"{pocket}\n".encode() for pocket in pockets]
    try:
        with _created(file) as outcomes, _created(raw) as used, _progress() as progress:
            task = progress.add_task("draws", total=count)
            for chunk in draws(count, len(pockets), lambda size: _write_through(SECURE(size), used)):
                outcomes.write(b"".join(map(names.__getitem__, chunk)))
                progress.advance(task, len(chunk))
    except OSError as error:
        exit_refused(Refusal(Code.COMMAND_FAILED, None, f"Not all draws could be written: {error.strerror}."))
    said = f"Wrote {count} draws of a {wheel} wheel to {file}."
    if str(file) == STDOUT:
        console(stderr=True).print(said)
        return
    report = {"draws": count, "wheel": wheel, "outcomes": str(file), "raw": None if raw is None else str(raw)}
    give(report, lambda: said)


#: The standard output, as a file is named.
STDOUT: Final = "-"


def _created(file: Path | None) -> BinaryIO:
    """Create a file, or open a pipe or device that is there; without one, what is written is dropped."""
    try:
        if file is not None and str(file) == STDOUT:
            return os.fdopen(os.dup(1), "wb")
        if file is None or (file.exists() and not file.is_file()):
            return (file or Path("/dev/null")).open("wb")
        return file.open("xb")
    except FileExistsError:
        exit_refused(Refusal(Code.ALREADY_THERE, None, f"{file} exists: choose another file."))
    except OSError as error:
        exit_refused(Refusal(Code.SETTING_IMPOSSIBLE, None, f"{file} cannot be written: {error.strerror}."))


def _write_through(data: bytes, file: BinaryIO) -> bytes:
    file.write(data)
    return data


def _progress() -> Progress:
    return Progress(console=console(stderr=True), transient=True)


@rng_group.command("test")
@click.argument("file", metavar="[FILE]", type=click.Path(path_type=Path), required=False)
@click.option("--draws", "count", type=click.IntRange(min=DRAWS_MIN), default=1_000_000, help="How many, without FILE.")
@wheel_option
@json_option
def test_command(file: Path | None, count: int, wheel: str) -> None:
    """Test draws at 99 % confidence: those in FILE, one pocket on each line, or new ones.

    Exits 1 if a test fails. Each test fails once in a hundred times by chance: test other draws before you conclude.
    """
    pockets = WHEELS[wheel]
    with _progress() as progress:
        if file is None:
            task = progress.add_task("draws", total=count)
            drawn = b"".join(_counted(progress, task, chunk) for chunk in draws(count, len(pockets)))
        else:
            drawn = _read(file, pockets)
        testing = progress.add_task("tests", total=len(TESTS))
        results = battery(drawn, len(pockets), lambda _: progress.advance(testing))
    passed = all(each.passed for each in results)
    report = {"draws": len(drawn), "wheel": wheel, "passed": passed, "tests": {each.name: each.p for each in results}}
    give(report, lambda: _report(results, len(drawn), wheel))
    raise click.exceptions.Exit(0 if passed else FAILED)


def _counted(progress: Progress, task: TaskID, chunk: bytes) -> bytes:
    progress.advance(task, len(chunk))
    return chunk


def _read(file: Path, pockets: Sequence[str]) -> bytes:
    places = {pocket.encode(): place for place, pocket in enumerate(pockets)}
    try:
        lines = file.read_bytes().split()
    except OSError as error:
        exit_refused(Refusal(Code.NOTHING_THERE, None, f"{file} cannot be read: {error.strerror}."))
    wrong = next((number for number, line in enumerate(lines, start=1) if line not in places), None)
    if wrong is not None:
        exit_refused(Refusal(Code.MALFORMED, None, f"{file}: draw {wrong} is no pocket of this wheel."))
    if len(lines) < DRAWS_MIN:
        exit_refused(Refusal(Code.MALFORMED, None, f"{file} has {len(lines)} draws; {DRAWS_MIN} are the least."))
    return bytes(map(places.__getitem__, lines))


def _report(results: list[Result], count: int, wheel: str) -> RenderableType:
    table = plain_table("Test", "p", "At 99 %", right=["p"])
    for each in results:
        table.add_row(each.name, f"{each.p:.4f}", "passed" if each.passed else "FAILED")
    failed = sum(not each.passed for each in results)
    words = "All tests passed." if not failed else f"{failed} of {len(results)} tests failed."
    return Group(Text(f"{count} draws of a {wheel} wheel."), table, Text(words))
