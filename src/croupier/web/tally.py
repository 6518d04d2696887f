"""The tally: how often each number has come, and how often it may well have by chance alone."""

from collections import Counter
from collections.abc import Collection, Mapping
from functools import lru_cache
from math import comb
from typing import Final, NamedTuple

import msgspec

from croupier.house.name import TableId
from croupier.rules.pocket import Colour, Pocket, colour
from croupier.rules.rulebook import Rulebook
from croupier.rules.spot import OUTSIDE
from croupier.web.placard import Spins

#: How many numbers are named as those that have come most, and least.
NAMED: Final = 4
#: One in so many times chance alone gives fewer than the band has, and one in so many more: 95 % lie within.
TAIL: Final = 40


class Count(msgspec.Struct, frozen=True, kw_only=True):
    """How often something has come; and between which counts chance alone stays 95 times in 100."""

    count: int
    low: int
    high: int


class GroupCount(Count, frozen=True):
    """The same of several numbers together."""

    #: The name of the bet on them, or green.
    group: str


class Tally(msgspec.Struct, frozen=True, kw_only=True):
    """The numbers of a table's past spins, counted. Past results do not change the odds."""

    table: str
    spins: int
    pockets: dict[Pocket, Count]
    groups: tuple[GroupCount, ...]
    #: Those that have come most, the first the most; of two that came as often the one that came last.
    hot: tuple[Pocket, ...]
    #: Those that have come least, the first the least; of two that came as often the one that is longest away.
    cold: tuple[Pocket, ...]


def tally(table: TableId, rulebook: Rulebook, spins: Spins) -> Tally:
    """Count what has come; numbers from when the table had another wheel are left out."""
    came = [pocket for _, pocket in spins if pocket in rulebook.wheel.order]
    counted, wheel = Counter(came), len(rulebook.pockets)
    bands = {size: band(len(came), size, wheel) for size in {1, *map(len, _groups(rulebook).values())}}
    return Tally(
        table=table,
        spins=len(came),
        pockets={pocket: Count(count=counted[pocket], **bands[1]._asdict()) for pocket in rulebook.pockets},
        groups=tuple(
            GroupCount(group=name, count=sum(counted[each] for each in numbers), **bands[len(numbers)]._asdict())
            for name, numbers in _groups(rulebook).items()
        ),
        hot=tuple(sorted(counted, key=lambda pocket: (-counted[pocket], came.index(pocket)))[:NAMED]),
        cold=_cold(rulebook.pockets, came, counted),
    )


def _cold(pockets: tuple[Pocket, ...], came: list[Pocket], counted: Mapping[Pocket, int]) -> tuple[Pocket, ...]:
    """Name those that have come least; nothing can be said before the first spin."""
    away = {pocket: came.index(pocket) if pocket in counted else len(came) for pocket in pockets}
    ordered = sorted(pockets, key=lambda pocket: (counted.get(pocket, 0), -away[pocket]))
    return tuple(ordered[:NAMED]) if came else ()


#: The bets on several numbers, in the order in which pages show them.
_BETS: Final = (
    *("red", "black", "even", "odd", "low", "high"),
    *(f"dozen {place}" for place in (1, 2, 3)),
    *(f"column {place}" for place in (1, 2, 3)),
)


def _groups(rulebook: Rulebook) -> dict[str, Collection[Pocket]]:
    outside = {str(key): numbers for key, (_, numbers) in OUTSIDE.items()}
    green = [pocket for pocket in rulebook.pockets if colour(pocket) is Colour.GREEN]
    return {**{name: outside[name] for name in _BETS}, "green": green}


class Band(NamedTuple):
    """The least and the most that chance gives in all but few cases."""

    low: int
    high: int


@lru_cache(maxsize=1_024)
def band(spins: int, numbers: int, wheel: int) -> Band:
    """Find the band of a count, exactly: fewer come at most once in forty times, and more at most once in forty."""
    every = wheel**spins
    below, low, high = 0, 0, 0
    for count in range(spins + 1):
        # How many of all the ways in which these spins can fall give this count.
        ways = comb(spins, count) * numbers**count * (wheel - numbers) ** (spins - count)
        if below * TAIL <= every:
            low = count
        if (every - below) * TAIL > every:
            high = count
        below += ways
    return Band(low, high)
