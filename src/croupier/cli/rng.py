"""The commands of the random source: collect draws for a test laboratory, and test draws with a statistical battery."""

import math
import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import islice, permutations
from operator import itemgetter, mul
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

import click
from rich.console import Group, RenderableType
from rich.progress import Progress, TaskID
from rich.text import Text

from croupier.cli.group import json_option
from croupier.cli.output import console, give, plain_table, refuse
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
#: A test fails below this: 99 % confidence.
FAILS_BELOW: Final = 0.01
#: The exit code when a test fails.
FAILED: Final = 1
#: Draws between two updates of the progress bar.
CHUNK: Final = 10_000


class Result(NamedTuple):
    """The result of one test: the probability that a fair wheel does as unlikely a thing."""

    name: str
    p: float

    @property
    def passed(self) -> bool:
        return self.p >= FAILS_BELOW


#: A test of draws, each a byte from 0 to below the number of pockets.
Test = Callable[[bytes, int], float]


def frequency(drawn: bytes, pockets: int) -> float:
    """Every pocket comes equally often."""
    counts = Counter(drawn)
    return chi_square([counts[each] for each in range(pockets)], [1 / pockets] * pockets)


def serial(drawn: bytes, pockets: int) -> float:
    """Every pair of pockets comes equally often, in pairs that do not overlap."""
    counts = Counter(zip(drawn[::2], drawn[1::2], strict=False))
    pairs = [counts[one, other] for one in range(pockets) for other in range(pockets)]
    return chi_square(pairs, [1 / pockets**2] * pockets**2)


def gap(drawn: bytes, pockets: int) -> float:
    """The number of draws between two of the first pocket is geometrically distributed."""
    gaps = Counter(map(len, drawn.split(b"\x00")[1:-1]))
    p, longest = 1 / pockets, 10 * pockets
    observed = [gaps[length] for length in range(longest)]
    expected = [p * (1 - p) ** length for length in range(longest)]
    beyond = sum(count for length, count in gaps.items() if length >= longest)
    return chi_square([*observed, beyond], [*expected, (1 - p) ** longest])


def poker(drawn: bytes, pockets: int) -> float:
    """Hands of five have as many different pockets as they should."""
    return _distinct(drawn, pockets, 5)


def duplicates(drawn: bytes, pockets: int) -> float:
    """Groups of twenty have as many duplicates as they should."""
    return _distinct(drawn, pockets, 20)


def _distinct(drawn: bytes, pockets: int, size: int) -> float:
    counts = Counter(len(set(drawn[at : at + size])) for at in range(0, len(drawn) - size + 1, size))
    expected = occupied(pockets, size)
    return chi_square([counts[each] for each in range(len(expected))], expected)


def occupied(pockets: int, draws: int) -> list[float]:
    """Return the probability of each number of different pockets in so many draws."""
    chances = [1.0, *[0.0] * min(pockets, draws)]
    for _ in range(draws):
        chances = [
            chances[each] * each / pockets + (chances[each - 1] * (pockets - each + 1) / pockets if each else 0.0)
            for each in range(len(chances))
        ]
    return chances


def coupon_collector(drawn: bytes, pockets: int) -> float:
    """It takes as many draws until every pocket has come as it should."""
    lengths, seen, since = Counter[int](), set[int](), 0
    for at, pocket in enumerate(drawn, start=1):
        seen.add(pocket)
        if len(seen) == pockets:
            lengths[at - since] += 1
            seen, since = set(), at
    complete = list(islice(_collected(pockets), 12 * pockets))
    expected = [after - before for before, after in zip([0.0, *complete], complete, strict=False)]
    observed = [lengths[draws] for draws in range(1, len(expected) + 1)]
    beyond = lengths.total() - sum(observed)
    return chi_square([*observed, beyond], [*expected, max(0.0, 1 - complete[-1])])


def _collected(pockets: int) -> Iterator[float]:
    """Return the probability that every pocket has come after one draw, after two, and so on."""
    chances = [1.0, *[0.0] * pockets]
    while True:
        chances = [
            chances[each] * each / pockets + (chances[each - 1] * (pockets - each + 1) / pockets if each else 0.0)
            for each in range(pockets + 1)
        ]
        yield chances[-1]


def runs(drawn: bytes, pockets: int) -> float:
    """Low and high pockets alternate as often as they should (Wald and Wolfowitz)."""
    high = drawn.translate(bytes(each >= pockets // 2 for each in range(256)))
    ones, both = high.count(1), len(high)
    zeros, changes = both - ones, high.count(b"\x00\x01") + high.count(b"\x01\x00")
    mean = 2 * ones * zeros / both
    variance = mean * (mean - 1) / (both - 1)
    return math.erfc(abs(changes - mean) / math.sqrt(2 * variance)) if variance > 0 else 0.0


def permutation(drawn: bytes, _pockets: int) -> float:
    """Four draws that differ come in each of their 24 orders equally often."""
    groups = (drawn[at : at + 4] for at in range(0, len(drawn) - 3, 4))
    orders = Counter(_order(group) for group in groups if len(set(group)) == 4)  # noqa: PLR2004 - all of them
    return chi_square([orders[each] for each in permutations(range(4))], [1 / 24] * 24)


def _order(group: bytes) -> tuple[int, ...]:
    return tuple(place for place, _ in sorted(enumerate(group), key=itemgetter(1)))


#: The distances at which draws are correlated.
LAGS: Final = range(1, 9)


def interplay(drawn: bytes, pockets: int) -> float:
    """Draws at distances of 1 to 8 are not correlated."""
    mean, variance = (pockets - 1) / 2, (pockets**2 - 1) / 12
    total = 0.0
    for lag in LAGS:
        first, second = drawn[:-lag], drawn[lag:]
        product = sum(map(mul, first, second)) - mean * (sum(first) + sum(second)) + len(first) * mean**2
        total += product**2 / (variance**2 * len(first))
    return tail(total, len(LAGS))


TESTS: Final[dict[str, Test]] = {
    "frequency": frequency,
    "serial": serial,
    "gap": gap,
    "poker": poker,
    "coupon collector": coupon_collector,
    "runs": runs,
    "permutation": permutation,
    "interplay correlation": interplay,
    "duplicates": duplicates,
}
#: Classes with a lower expectation are merged with the next one.
EXPECTED_MIN: Final = 5


def chi_square(observed: Sequence[int], chances: Sequence[float]) -> float:
    """Return how likely counts at least as far from their expectation are; 0 when there are too few to tell."""
    trials = sum(observed)
    classes, count, expected = list[tuple[int, float]](), 0, 0.0
    for each, chance in zip(observed, chances, strict=True):
        count, expected = count + each, expected + chance * trials
        if expected >= EXPECTED_MIN:
            classes.append((count, expected))
            count, expected = 0, 0.0
    if len(classes) < 2:  # noqa: PLR2004 - one class has no freedom
        return 0.0
    last = classes.pop()
    classes.append((last[0] + count, last[1] + expected))
    return tail(sum((each - mean) ** 2 / mean for each, mean in classes), len(classes) - 1)


def tail(value: float, freedom: int) -> float:
    """Return the upper tail of the chi-square distribution, in closed form."""
    if value <= 0:
        return 1.0
    half = value / 2
    # Terms of half ** k / k!, from k = 1/2 where the degrees of freedom are odd, which leave the error function's tail.
    pairs, odd = divmod(freedom, 2)
    places = [odd / 2 + step for step in range(pairs)]
    terms = (math.exp(-half + k * math.log(half) - math.lgamma(k + 1)) for k in places)
    return odd * math.erfc(math.sqrt(half)) + sum(terms)


def battery(drawn: bytes, pockets: int, done: Callable[[str], None] = lambda _: None) -> list[Result]:
    """Run every test."""
    results = []
    for name, test in TESTS.items():
        results.append(Result(name, test(drawn, pockets)))
        done(name)
    return results


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
        refuse(Refusal(Code.COMMAND_FAILED, None, f"Not all draws could be written: {error.strerror}."))
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
        refuse(Refusal(Code.ALREADY_THERE, None, f"{file} exists: choose another file."))
    except OSError as error:
        refuse(Refusal(Code.SETTING_IMPOSSIBLE, None, f"{file} cannot be written: {error.strerror}."))


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
        refuse(Refusal(Code.NOTHING_THERE, None, f"{file} cannot be read: {error.strerror}."))
    wrong = next((number for number, line in enumerate(lines, start=1) if line not in places), None)
    if wrong is not None:
        refuse(Refusal(Code.MALFORMED, None, f"{file}: draw {wrong} is no pocket of this wheel."))
    if len(lines) < DRAWS_MIN:
        refuse(Refusal(Code.MALFORMED, None, f"{file} has {len(lines)} draws; {DRAWS_MIN} are the least."))
    return bytes(map(places.__getitem__, lines))


def _report(results: list[Result], count: int, wheel: str) -> RenderableType:
    table = plain_table("Test", "p", "At 99 %", right=["p"])
    for each in results:
        table.add_row(each.name, f"{each.p:.4f}", "passed" if each.passed else "FAILED")
    failed = sum(not each.passed for each in results)
    words = "All tests passed." if not failed else f"{failed} of {len(results)} tests failed."
    return Group(Text(f"{count} draws of a {wheel} wheel."), table, Text(words))
