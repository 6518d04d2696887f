"""Health: whether a random source is still one, by how often each pocket comes and how often one follows itself."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby, pairwise
from typing import Final, NamedTuple

from croupier.devices.chance import SECURE, Source, SourceFault, draw
from croupier.house.name import SECOND, Instant
from croupier.rules.pocket import Pocket

#: How many draws an examination looks at; NIST SP 800-90B asks for 1,024 at a start.
DRAWS: Final = 4_096
#: A good source goes past any one of the bounds below once in so many examinations, at most. There are two for each of
#: up to 38 pockets, two for repeats and one for runs: 79 / 10**11 < 10**-9, the odds of a false alarm.
RARE: Final = 10**11
HOUR: Final = 3600 * SECOND


@dataclass(slots=True)
class Watch:
    """Examines a source at the start and every hour; one that has failed is not trusted again in this run."""

    source: Source = SECURE
    #: When it was last examined, or failed; long ago before that.
    at: Instant = Instant(-HOUR)
    #: What is wrong with it; empty while nothing is.
    ailment: str = ""

    @property
    def due(self) -> Instant:
        return Instant(self.at + HOUR)

    def look(self, pockets: Sequence[Pocket], now: Instant) -> None:
        """Examine the source where that is due."""
        if not self.ailment and now >= self.due:
            self.at, self.ailment = now, examine(pockets, self.source)

    def draw(self, pockets: Sequence[Pocket], now: Instant) -> Pocket | None:
        """Draw a pocket; None where the source fails, which is then not trusted again."""
        try:
            return draw(pockets, self.source)
        except SourceFault as fault:
            self.at, self.ailment = now, str(fault)
            return None


def examine(pockets: Sequence[Pocket], source: Source = SECURE) -> str:
    """Say what is wrong with a source, from a fixed number of draws that serve nothing else; empty where nothing is."""
    try:
        drawn = [draw(pockets, source) for _ in range(DRAWS)]
    except SourceFault as fault:
        return str(fault)
    return _repetition(drawn, len(pockets)) or _proportion(drawn, pockets)


def _repetition(drawn: Sequence[Pocket], pockets: int) -> str:
    """SP 800-90B, 4.4.1: no pocket comes too often on end; nor do repeats stay out, as where a source counts up."""
    longest = max(len(list(run)) for _, run in groupby(drawn))
    if longest > run_most(pockets):
        return f"a pocket came {longest} times on end"
    repeats = sum(one == other for one, other in pairwise(drawn))
    least, most = bounds(len(drawn) - 1, pockets)
    return "" if least <= repeats <= most else f"a pocket followed itself {repeats} times in {len(drawn)} draws"


def _proportion(drawn: Sequence[Pocket], pockets: Sequence[Pocket]) -> str:
    """SP 800-90B, 4.4.2, for every pocket and not the first alone: none comes too often, and none too seldom."""
    counts = Counter(drawn)
    least, most = bounds(len(drawn), len(pockets))
    amiss = next((pocket for pocket in pockets if not least <= counts[pocket] <= most), None)
    return "" if amiss is None else f"{amiss} came {counts[amiss]} times in {len(drawn)} draws"


@cache
def run_most(pockets: int) -> int:
    """Tell how many times on end a pocket may come.

    A run of one more begins at a given draw once in pockets ** most times, and at any of them DRAWS times as often, at
    most: 4,096 / 37**10 < 10**-11, so that a run of 10 is the longest.
    """
    most = 1
    while pockets**most < DRAWS * RARE:
        most += 1
    return most


class Bounds(NamedTuple):
    """The least and the most that a count may be."""

    least: int
    most: int


@cache
def bounds(trials: int, pockets: int) -> Bounds:
    """Tell how often one pocket of so many may come: the binomial distribution, cut where either tail is rare.

    Of 4,096 draws from 37 pockets 110.7 are one pocket's on average, give or take 10.4: 49 to 187.
    """
    every = pockets**trials
    least = next(times for times, ways in _cumulated(trials, pockets) if ways * RARE > every)
    most = next(times for times, ways in _cumulated(trials, pockets) if (every - ways) * RARE <= every)
    return Bounds(least, most)


def _cumulated(trials: int, pockets: int) -> Iterator[tuple[int, int]]:
    """Count, exactly, the ways for one pocket to come at most so many times: none, once, twice and so on."""
    times, ways = 0, (pockets - 1) ** trials
    total = ways
    while True:
        yield times, total
        times, ways = times + 1, ways * (trials - times) // ((times + 1) * (pockets - 1))
        total += ways
