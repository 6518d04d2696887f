"""Chance: every pocket has the same share of it, nothing but the secure source makes it, and a bad source is found."""

import ast
import math
import os
import re
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import count, pairwise
from pathlib import Path
from random import Random

import pytest

from croupier.devices import random_source
from croupier.devices.random_source import SECURE, TRIES_MAX, WORDS, Source, SourceFault, draw
from croupier.devices.random_wheel import DRAWS, HOUR, RARE, SourceMonitor, bounds, examine, run_most
from croupier.house.ids import Instant
from croupier.rules.geometry import COMMON_POCKETS, Pocket

DOUBLE = COMMON_POCKETS
SINGLE, TRIPLE = tuple(pocket for pocket in DOUBLE if pocket != "00"), (Pocket("000"), *DOUBLE)
KINDS = {"single zero": SINGLE, "double zero": DOUBLE, "triple zero": TRIPLE}
WHEELS = pytest.mark.parametrize("wheel", KINDS.values(), ids=KINDS)
#: What no test may see by chance: at this many runs a day, not in a million years.
NEVER = 1e-9


def saying(*words: int) -> Source:
    """A source that gives these words, and then fails."""
    left = iter(words)

    def source(_size: int) -> bytes:
        for word in left:
            return bytes([word])
        raise OSError("no more words")

    return source


def place(pockets: int, word: int) -> int | None:
    """Return the pocket of a random word; None when the word is rejected and another is drawn."""
    try:
        return draw(range(pockets), saying(word))
    except SourceFault:
        return None


@pytest.mark.parametrize("pockets", [*range(1, 41), 127, 128, 129, 255, 256])
def test_every_word_has_its_place(pockets: int) -> None:
    """Of all words there are, each pocket has exactly as many as any other, and less than half are turned down."""
    shares = Counter(place(pockets, word) for word in range(WORDS))

    assert shares.pop(None, 0) == WORDS % pockets < WORDS / 2
    assert shares == dict.fromkeys(range(pockets), WORDS // pockets)


@WHEELS
def test_wheel_has_six_words_for_each_pocket(wheel: Sequence[Pocket]) -> None:
    """On each wheel the words below six times its pockets count, each pocket has six, and the rest are drawn anew."""
    fair = 6 * len(wheel)

    assert Counter(draw(wheel, saying(word)) for word in range(fair)) == dict.fromkeys(wheel, 6)
    assert {draw(wheel, saying(word, WORDS - 1, 17)) for word in range(fair, WORDS)} == {wheel[17]}


def test_source_without_a_usable_word_is_a_fault() -> None:
    """A source that gives only words that are turned down is detected, after no more than so many."""
    requested = []

    def high(size: int) -> bytes:
        requested.append(size)
        return b"\xff" * size

    with pytest.raises(SourceFault, match="128 words of 222 or more"):
        draw(SINGLE, high)
    assert requested == [1] * TRIES_MAX


def _broken(_size: int) -> bytes:
    raise OSError("no entropy")


def _empty(_size: int) -> bytes:
    return b""


@pytest.mark.parametrize("source", [_broken, _empty])
def test_source_without_words_is_a_fault(source: Source) -> None:
    """A source that fails, or gives no word, is a fault of chance, and no pocket comes of it."""
    with pytest.raises(SourceFault, match="gives no word"):
        draw(SINGLE, source)


def test_chance_imports_the_source_and_nothing_else() -> None:
    """The module that draws knows the secure source and names for types: no clock, no house, no bet."""
    path = Path(random_source.__file__)
    tree = ast.parse(path.read_text("utf-8"))
    imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    imported |= {str(node.module) for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    called = {node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}

    assert imported == {"secrets", "collections.abc", "typing"}
    assert called == {"TypeVar", "SourceFault", "_word", "len", "range", "source"}


def test_devices_know_no_other_chance() -> None:
    """No device imports a random source that can be predicted, except the simulated wheel, for demo money only."""
    devices = Path(random_source.__file__).parent
    texts = [path.read_text("utf-8") for path in devices.glob("*.py") if path.name != "simulated_wheel.py"]

    assert [text for text in texts if "import random" in text or "from random" in text or "uuid" in text] == []


def test_copied_process_draws_otherwise() -> None:
    """A copy of the running process goes on with other numbers: there is no state to be copied."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writer, " ".join(draw(SINGLE) for _ in range(40)).encode())
        os._exit(0)
    os.waitpid(child, 0)
    theirs = os.read(reader, 1_000).decode().split()
    os.close(reader)
    os.close(writer)

    assert len(theirs) == 40
    assert theirs != [draw(SINGLE) for _ in range(40)]


@pytest.fixture(scope="module", params=[SINGLE, DOUBLE, TRIPLE], ids=[*KINDS])
def drawn(request: pytest.FixtureRequest) -> tuple[Sequence[Pocket], list[Pocket]]:
    """Twenty thousand real draws from a wheel."""
    wheel: Sequence[Pocket] = request.param
    return wheel, [draw(wheel) for _ in range(20_000)]


def test_pockets_come_equally_often(drawn: tuple[Sequence[Pocket], list[Pocket]]) -> None:
    """The pockets of real draws pass the chi-square test."""
    wheel, numbers = drawn
    counts = Counter(numbers)

    assert NEVER < chi_square_p([counts[pocket] for pocket in wheel]) < 1 - NEVER


def test_pockets_follow_each_other_equally_often(drawn: tuple[Sequence[Pocket], list[Pocket]]) -> None:
    """The steps around the wheel from draw to draw pass the chi-square test: a number says nothing of the next."""
    wheel, numbers = drawn
    steps = Counter((wheel.index(after) - wheel.index(before)) % len(wheel) for before, after in pairwise(numbers))

    assert NEVER < chi_square_p([steps[step] for step in range(len(wheel))]) < 1 - NEVER


def test_runs_are_as_long_as_chance_has_them(drawn: tuple[Sequence[Pocket], list[Pocket]]) -> None:
    """The runs of low and of high pockets are as many as in a fair sequence."""
    wheel, numbers = drawn

    assert runs_p([wheel.index(pocket) < len(wheel) // 2 for pocket in numbers]) > NEVER


def chi_square_p(counts: Sequence[float]) -> float:
    """Tell how likely counts at least as uneven as these are: the tail of chi-square, in closed form."""
    expected = sum(counts) / len(counts)
    half = sum((each - expected) ** 2 for each in counts) / expected / 2
    # Terms of half ** k / k!, from k = 1/2 where the degrees of freedom are odd, which leave the error function's tail.
    pairs, odd = divmod(len(counts) - 1, 2)
    places = [odd / 2 + step for step in range(pairs)]
    terms = (math.exp(-half + k * math.log(half) - math.lgamma(k + 1)) for k in places)
    return odd * math.erfc(math.sqrt(half)) + sum(terms)


def runs_p(sequence: Sequence[bool]) -> float:
    """Tell how likely so few or so many runs are (Wald and Wolfowitz)."""
    ones, zeros = sequence.count(True), sequence.count(False)
    runs = 1 + sum(one != other for one, other in pairwise(sequence))
    both = ones + zeros
    mean = 1 + 2 * ones * zeros / both
    variance = (mean - 1) * (mean - 2) / (both - 1)
    return math.erfc(abs(runs - mean) / math.sqrt(2 * variance))


@pytest.mark.parametrize(
    ("freedom", "value", "p"),
    [
        (1, 3.841, 0.05),
        (2, 5.991, 0.05),
        (36, 50.998, 0.05),
        (36, 58.619, 0.01),
        (37, 52.192, 0.05),
        (37, 59.893, 0.01),
    ],
)
def test_tail_of_chi_square_is_that_of_the_tables(freedom: int, value: float, p: float) -> None:
    """The tail that the tests here reckon with is the one in the printed tables."""
    # Two counts that are off the mean by opposite amounts make all of the statistic.
    mean = 10_000.0
    off = math.sqrt(value * mean / 2)

    assert chi_square_p([mean + off, mean - off, *[mean] * (freedom - 1)]) == pytest.approx(p, rel=1e-3)


def test_bad_sequences_fail_the_statistics() -> None:
    """A sequence that alternates, one in two blocks and one that favours a pocket fail: to pass says something."""
    assert runs_p([True, False] * 1_000) < NEVER
    assert runs_p([True] * 1_000 + [False] * 1_000) < NEVER
    assert chi_square_p([10, 90]) < NEVER


@WHEELS
def test_secure_source_is_healthy(wheel: Sequence[Pocket]) -> None:
    """The system's source passes its examination."""
    assert examine(wheel) == ""


def _stuck(size: int) -> bytes:
    return bytes([6] * size)


def _high(size: int) -> bytes:
    return b"\xff" * size


def _counting() -> Source:
    words = count()
    return lambda _size: bytes([next(words) % 222])


def _sticky() -> Source:
    """A source that repeats itself twice as often as it should."""
    last, dice = [b"\0"], seeded()

    def source(size: int) -> bytes:
        last[0] = last[0] if dice(1)[0] < 8 else dice(size)
        return last[0]

    return source


def _without(pocket: int) -> Source:
    dice = seeded()

    def source(size: int) -> bytes:
        word = dice(size)
        return word if word[0] % 37 != pocket else source(size)

    return source


def _favouring(pocket: int) -> Source:
    """A source that gives one pocket twice its share."""
    dice = seeded()

    def source(size: int) -> bytes:
        word = dice(size)
        return bytes([pocket]) if word[0] >= 222 and word[0] < 228 else word

    return source


def _jammed() -> Source:
    """A source that goes well for a while, and then gives one word for a while."""
    dice, words = seeded(), count()
    return lambda size: bytes([17]) if 2_000 < next(words) < 2_012 else dice(size)


def seeded() -> Source:
    dice = Random(1)  # noqa: S311 - chance that can be had again
    return dice.randbytes


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (_stuck, "a pocket came 4096 times on end"),
        (_high, "the source gave 128 words of 222 or more"),
        (_broken, "the source gives no word: no entropy"),
        (_jammed(), "a pocket came 11 times on end"),
        (_counting(), "a pocket followed itself 0 times in 4096 draws"),
        (_sticky(), "a pocket followed itself 2[0-9]{2} times in 4096 draws"),
        (_without(17), "17 came 0 times in 4096 draws"),
        (_favouring(5), "5 came 2[0-9]{2} times in 4096 draws"),
        (seeded(), ""),
    ],
    ids=["stuck", "stuck high", "broken", "jammed", "counting", "sticky", "one missing", "lopsided", "good"],
)
def test_bad_source_fails(source: Source, words: str) -> None:
    """A source that is stuck, jams, counts up, repeats itself, leaves a pocket out or favours one is detected."""
    assert re.fullmatch(words, examine(SINGLE, source))


@pytest.mark.parametrize("pockets", [37, 38])
def test_odds_of_a_false_alarm(pockets: int) -> None:
    """By exact reckoning a good source fails an examination less than once in a thousand million times."""
    alarm = (
        pockets * outside(DRAWS, pockets) + outside(DRAWS - 1, pockets) + Fraction(DRAWS, pockets ** run_most(pockets))
    )

    assert alarm < Fraction(1, 10**9)
    assert outside(DRAWS, pockets, closer=1) > Fraction(1, RARE)


def outside(trials: int, pockets: int, closer: int = 0) -> Fraction:
    """Tell how likely one pocket's count is outside the bounds, or outside bounds that lie closer together."""
    least, most = bounds(trials, pockets)
    inside = range(least + closer, most + 1 - closer)
    ways = sum(math.comb(trials, times) * (pockets - 1) ** (trials - times) for times in inside)
    return 1 - Fraction(ways, pockets**trials)


def test_longest_run_that_is_let_pass() -> None:
    """Ten on end are let pass and eleven are not, as the odds of eleven in one examination are under the bound."""
    assert run_most(37) == run_most(38) == 10
    assert Fraction(DRAWS, 37**10) < Fraction(1, RARE) < Fraction(DRAWS, 37**9)


def drawing(places: Sequence[int], wheel: Sequence[Pocket]) -> str:
    """Examine a source whose draws are these places of a wheel."""
    assert len(places) == DRAWS
    return examine(wheel, saying(*places))


def doubled(repeats: int, pockets: int, draws: int = DRAWS) -> list[int]:
    """Draw all pockets in turn, with so many of them twice on end: each comes equally often, and none thrice on end."""
    turns = [place % pockets for place in range(draws - repeats)]
    step = len(turns) // repeats
    chosen = {place * step for place in range(repeats)}
    return [pocket for place, pocket in enumerate(turns) for pocket in [pocket] * (2 if place in chosen else 1)]


@WHEELS
def test_bounds_of_repeats_are_let_pass(wheel: Sequence[Pocket]) -> None:
    """The least and the most repeats are let pass, and one less or one more is not."""
    least, most = bounds(DRAWS - 1, len(wheel))
    found = {each: drawing(doubled(each, len(wheel)), wheel) for each in (least - 1, least, most, most + 1)}

    assert [found[least], found[most]] == ["", ""]
    for wrong in (least - 1, most + 1):
        assert found[wrong] == f"a pocket followed itself {wrong} times in {DRAWS} draws"


def counting(times: int, pockets: int) -> list[int]:
    """Draw one pocket so many times, spread over all draws, and the others equally often, with the usual repeats."""
    others = [1 + each for each in doubled(110, pockets - 1, DRAWS - times)]
    for place in range(times):
        others.insert(place * (DRAWS // times), 0)
    return others


@WHEELS
def test_bounds_of_a_count_are_let_pass(wheel: Sequence[Pocket]) -> None:
    """A pocket may come the least and the most times, and not once less or once more."""
    least, most = bounds(DRAWS, len(wheel))
    found = {each: drawing(counting(each, len(wheel)), wheel) for each in (least - 1, least, most, most + 1)}

    assert [found[least], found[most]] == ["", ""]
    for wrong in (least - 1, most + 1):
        assert found[wrong] == f"{wheel[0]} came {wrong} times in {DRAWS} draws"


@WHEELS
def test_bound_of_a_run_is_let_pass(wheel: Sequence[Pocket]) -> None:
    """A run of ten is let pass, and one of eleven is not."""
    usual = doubled(110, len(wheel))
    found = []
    for length in (run_most(len(wheel)), run_most(len(wheel)) + 1):
        places = usual.copy()
        places[1000 : 1000 + length] = [places[1000]] * length
        # What follows must not make the run longer.
        places[1000 + length] = (places[1000] + 5) % len(wheel)
        places[999] = (places[1000] + 9) % len(wheel)
        found.append(drawing(places, wheel))

    assert found == ["", "a pocket came 11 times on end"]


def test_last_try_of_a_draw_counts() -> None:
    """A word that counts after all but one of the tries is drawn."""
    assert draw(SINGLE, saying(*[255] * (TRIES_MAX - 1), 17)) == SINGLE[17]


class Counted:
    """The secure source, with a count of its calls."""

    def __init__(self) -> None:
        self.times = 0

    def __call__(self, size: int) -> bytes:
        self.times += 1
        return SECURE(size)


def test_watch_examines_at_the_start_and_every_hour() -> None:
    """A source is examined when it is first looked at and again after every hour, and not in between."""
    source = Counted()
    watch, now = SourceMonitor(source), Instant(10**15)
    assert watch.due <= now
    watch.look(SINGLE, now)
    at_start = source.times
    watch.look(SINGLE, Instant(now + HOUR - 1))

    assert DRAWS <= at_start == source.times
    assert watch.due == now + HOUR
    watch.look(SINGLE, watch.due)
    assert source.times >= at_start + DRAWS
    assert watch.ailment == ""


def test_source_that_failed_is_not_looked_at_again() -> None:
    """What failed once is not trusted again, whatever it would give."""
    watch = SourceMonitor(saying(*[255] * TRIES_MAX, 17))
    watch.look(SINGLE, Instant(5))
    watch.look(SINGLE, Instant(5 + HOUR))

    assert watch.ailment == "the source gave 128 words of 222 or more"
    assert watch.at == 5


def test_draw_that_fails_is_an_ailment() -> None:
    """A source that fails at a draw gives no pocket, and is not trusted again."""
    watch = SourceMonitor(_broken)

    assert watch.draw(SINGLE, Instant(7)) is None
    assert (watch.at, watch.ailment) == (7, "the source gives no word: no entropy")
    assert SourceMonitor(saying(17)).draw(SINGLE, Instant(7)) == SINGLE[17]
