"""The statistical battery: tests of draws, each with the probability that a fair wheel does as unlikely a thing."""

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import islice, permutations
from operator import itemgetter, mul
from typing import Final, NamedTuple

#: A test fails below this: 99 % confidence.
FAILS_BELOW: Final = 0.01


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
    expected = next(islice(occupied(pockets), size - 1, None))
    return chi_square([counts[each] for each in range(len(expected))], expected)


def occupied(pockets: int) -> Iterator[list[float]]:
    """Return the probability of each number of different pockets after one draw, after two, and so on."""
    chances = [1.0, *[0.0] * pockets]
    while True:
        # One more draw comes in one of the pockets that came before, or in a new one.
        chances = [
            chances[each] * each / pockets + (chances[each - 1] * (pockets - each + 1) / pockets if each else 0.0)
            for each in range(pockets + 1)
        ]
        yield chances


def coupon_collector(drawn: bytes, pockets: int) -> float:
    """It takes as many draws until every pocket has come as it should."""
    lengths, seen, since = Counter[int](), set[int](), 0
    for at, pocket in enumerate(drawn, start=1):
        seen.add(pocket)
        if len(seen) == pockets:
            lengths[at - since] += 1
            seen, since = set(), at
    complete = [chances[-1] for chances in islice(occupied(pockets), 12 * pockets)]
    expected = [after - before for before, after in zip([0.0, *complete], complete, strict=False)]
    observed = [lengths[draws] for draws in range(1, len(expected) + 1)]
    beyond = lengths.total() - sum(observed)
    return chi_square([*observed, beyond], [*expected, max(0.0, 1 - complete[-1])])


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
