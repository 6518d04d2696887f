"""Exposure: what a set of bets would bring back on every pocket, the best and the worst of it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from croupier.rules.bet import Bet, stacks, staked
from croupier.rules.money import Cents
from croupier.rules.paytable import Paytable
from croupier.rules.pocket import Pocket, in_order
from croupier.rules.wheel import Wheel


@dataclass(frozen=True, slots=True)
class Exposure:
    """The gross return on every pocket of the wheel, beside what was staked."""

    staked: Cents
    returns: Mapping[Pocket, Cents]

    @property
    def best(self) -> Cents:
        """The most that the player can get back: the house's worst case."""
        return max(self.returns.values())

    @property
    def worst(self) -> Cents:
        return min(self.returns.values())

    def where(self, returned: Cents) -> tuple[Pocket, ...]:
        """Name the pockets that bring back exactly this."""
        return tuple(pocket for pocket, gross in self.returns.items() if gross == returned)


def exposure_of(bets: Iterable[Bet], paytable: Paytable, wheel: Wheel) -> Exposure:
    bets = tuple(bets)
    returns = dict.fromkeys(in_order(wheel.order), 0)
    for spot, stake in stacks(bets).items():
        gross = stake * paytable.prices[spot.kind].gross
        for pocket in spot.numbers:
            returns[pocket] += gross
    return Exposure(staked(bets), {pocket: Cents(gross) for pocket, gross in returns.items()})
