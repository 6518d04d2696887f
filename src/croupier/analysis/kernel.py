"""The settlement kernel: settles many bets against one pocket at once, in arrays of whole cents."""

import numpy as np
import numpy.typing as npt

from croupier.rules.geometry import Pocket
from croupier.rules.rulebook import PayoutTable, Rulebook

Cents64 = npt.NDArray[np.int64]
#: Spots and owners as indices; a felt has fewer than 256 spots, so a byte each is enough for spots.
Indices = npt.NDArray[np.uint8] | npt.NDArray[np.int64]

_MOST = np.iinfo(np.int64).max


class Kernel:
    """A rulebook's gross multiples, pocket by spot, ready to be looked up for arrays of bets."""

    def __init__(self, rulebook: Rulebook) -> None:
        spots = tuple(rulebook.spots.values())
        self.index = {spot.key: place for place, spot in enumerate(spots)}
        prices = rulebook.paytable.prices
        assert PayoutTable(rulebook).is_plain, "bulk settlement takes whole odds only"
        self._multiples: dict[Pocket, Cents64] = {
            pocket: np.array([int(prices[spot.kind].gross) if pocket in spot.covers else 0 for spot in spots], np.int64)
            for pocket in rulebook.pockets
        }
        self._gross_most = max(int(price.gross) for price in prices.values())

    def returns(self, spots: Indices, stakes: Cents64, pocket: Pocket) -> Cents64:
        """Give each bet's gross return: stake times odds and the stake itself, or nothing."""
        self._must_fit(stakes)
        returned = self._multiples[pocket].take(spots)
        returned *= stakes
        return returned

    def total(self, spots: Indices, stakes: Cents64, pocket: Pocket) -> int:
        """Give the gross return of all bets together."""
        self._must_fit(stakes)
        return int(self._multiples[pocket].take(spots) @ stakes)

    def totals(self, spots: Indices, stakes: Cents64, pocket: Pocket, *, owners: Indices, count: int) -> Cents64:
        """Give each owner's gross return, owners being numbered from 0."""
        sums = np.zeros(count, np.int64)
        np.add.at(sums, owners, self.returns(spots, stakes, pocket))
        return sums

    def _must_fit(self, stakes: Cents64) -> None:
        """Whole cents are exact only while 64 bits hold them: refuse stakes that could overflow the sum."""
        most = int(stakes.max(initial=0))
        assert int(stakes.min(initial=0)) >= 0
        assert most * self._gross_most * max(1, len(stakes)) <= _MOST
