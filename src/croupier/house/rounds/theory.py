"""The theoretical win: the handle of a table beside what the odds say that it brings, and within which bounds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from fractions import Fraction
from math import isqrt
from typing import TYPE_CHECKING, Final, NamedTuple

from croupier.house.ids import PositionId
from croupier.house.state.ledger import TableMeters
from croupier.house.state.tables import Round, Table
from croupier.rules.geometry import Pocket, SpotKey
from croupier.rules.rulebook import PayoutTable, Stakes

if TYPE_CHECKING:
    from croupier.house import House


class TheoreticalWin(NamedTuple):
    """The handle and the win in settled rounds, the expected win, and its bounds."""

    played: int
    won: int
    expected: int
    low: int
    high: int


#: 1.96 standard deviations on either side contain 95% of the results over many rounds; squared.
WIDE: Final = Fraction(196, 100) ** 2


def theory(table: Table) -> TheoreticalWin:
    """Compare a table's win with the odds since it was set up."""
    return expected_and_variance(table.meters, unsettled(table.round))


def expected_and_variance(meters: TableMeters, sealed: int = 0) -> TheoreticalWin:
    """Compare the meters with the odds, excluding stakes that are sealed and not settled.

    Mean and variance are exact for the bets that were settled.
    """
    brings = sum((Fraction(brought, pockets) for pockets, brought in meters.brings.items()), Fraction(0))
    variance = sum((Fraction(spread, pockets**2) for pockets, spread in meters.spreads.items()), Fraction(0))
    # If outcomes of an earlier day were invalidated, the deductions may exceed the handle.
    expected, reach = meters.played - round(brings), isqrt(max(0, int(variance * WIDE)))
    return TheoreticalWin(meters.played, meters.won - sealed, expected, expected - reach, expected + reach)


def unsettled(round_: Round | None) -> int:
    """Return the stakes that are sealed and not settled: the meters already count them as staked."""
    if round_ is None or round_.over:
        return 0
    return sum(sum(stakes.values()) for stakes in round_.layouts.values())


def count(house: House, table: Table, round_: Round, *, times: int = 1) -> None:
    """Count a settled round, or subtract it if its outcome does not count.

    The bets of a round win and lose together, so the variance is computed over all of them: with R returned on a
    pocket, n times the sum of R squared less the square of the sum of R is the variance times n squared.
    """
    felt, meters = house.felt_of(round_), table.meters
    stakes, pockets = combined_stakes(round_.layouts.values()), felt.pockets
    if felt.carries:
        carried = {} if round_.result is None else round_.result.carried
        returns = [_change(felt, round_.layouts, carried, pocket) for pocket in felt.rulebook.pockets]
    elif felt.is_plain:
        returns = felt.returns(stakes)
    else:
        returns = [sum(column) for column in zip(*map(felt.returns, round_.layouts.values()), strict=True)] or [
            0
        ] * pockets
    total = sum(returns)
    meters.played += times * sum(stakes.values())
    spread = pockets * sum(each * each for each in returns) - total * total
    meters.brings[pockets] = meters.brings.get(pockets, 0) + times * total
    meters.spreads[pockets] = meters.spreads.get(pockets, 0) + times * spread


def _change(
    felt: PayoutTable, layouts: Mapping[PositionId, Stakes], came: Mapping[PositionId, Stakes], pocket: Pocket
) -> int:
    """Compute what a pocket returns and carries on, less what was carried to it: a carried stake is worth itself."""
    total = 0
    for position, stakes in layouts.items():
        carried = came.get(position, {})
        returned, carried_on = felt.carry(stakes, carried, pocket)
        total += felt.returned(stakes, pocket) + returned + sum(carried_on.values()) - sum(carried.values())
    return total


def combined_stakes(layouts: Iterable[Stakes]) -> Stakes:
    """Add several players' stakes on one felt."""
    # A Counter takes longer, and this is a fifth of a settlement.
    stakes: defaultdict[SpotKey, int] = defaultdict(int)
    for each in layouts:
        for spot, stake in each.items():
            stakes[spot] += stake
    return dict(stakes)
