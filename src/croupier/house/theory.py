"""Theory: what a table should have won by the odds, and how far chance alone may take it from that."""

from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from math import isqrt
from typing import Final, NamedTuple

from croupier.house.felt import Stakes
from croupier.house.meters import TableMeters
from croupier.house.state import House
from croupier.house.table import Round, Table
from croupier.rules.spot import SpotKey

#: 1.96 standard deviations on either side hold 95 in 100, once many rounds were played; squared.
WIDE: Final = Fraction(196, 100) ** 2


class Theory(NamedTuple):
    """What was played and won in settled rounds, what was to be expected of it, and between which bounds."""

    played: int
    won: int
    expected: int
    low: int
    high: int


def theory(table: Table) -> Theory:
    """Hold what a table has won against the odds since it was set up."""
    return reckoned(table.meters, unsettled(table.round))


def reckoned(meters: TableMeters, sealed: int = 0) -> Theory:
    """Hold what meters have counted against the odds, but for what is sealed and not settled.

    Mean and variance are exact over the very bets that were settled.
    """
    brings = sum((Fraction(brought, pockets) for pockets, brought in meters.brings.items()), Fraction(0))
    variance = sum((Fraction(spread, pockets**2) for pockets, spread in meters.spreads.items()), Fraction(0))
    # Where outcomes of an earlier day were taken back, more may have been taken off than was played.
    expected, reach = meters.played - round(brings), isqrt(max(0, int(variance * WIDE)))
    return Theory(meters.played, meters.won - sealed, expected, expected - reach, expected + reach)


def count(house: House, table: Table, round_: Round, *, times: int = 1) -> None:
    """Count a settled round, or take it out again where its outcome does not count.

    The bets of a round win and lose together, so its spread is reckoned over all of them: with R brought back on a
    pocket, n times the sum of R squared less the square of the sum of R is the variance times n squared.
    """
    assert round_.sealed is not None
    felt, meters = house.felts[round_.rulebook], table.meters
    stakes = together(round_.sealed.values())
    returns, pockets = felt.returns(stakes), felt.pockets
    total = sum(returns)
    meters.played += times * sum(stakes.values())
    meters.brings[pockets] += times * total
    meters.spreads[pockets] += times * (pockets * sum(each * each for each in returns) - total * total)


def together(layouts: Iterable[Stakes]) -> Stakes:
    """Lay several players' chips on one felt."""
    stakes = Counter[SpotKey]()
    for each in layouts:
        stakes.update(each)
    return stakes


def unsettled(round_: Round | None) -> int:
    """Tell what is sealed and not settled: the meters count it as staked already."""
    if round_ is None or round_.over or round_.sealed is None:
        return 0
    return sum(sum(stakes.values()) for stakes in round_.sealed.values())
