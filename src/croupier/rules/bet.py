"""Bets: a stake on a spot, and the call it came with where it came with one."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from croupier.rules.money import Cents
from croupier.rules.spot import Spot


@dataclass(frozen=True, slots=True)
class Bet:
    """A stake on a spot."""

    spot: Spot
    stake: Cents
    #: The call this bet is a piece of, as the notation prints it; empty for a bet placed on its own.
    call: str = ""
    #: Part of one total under a marker button: its minimum is the marker bet's, not the spot's.
    under_marker: bool = False


def staked(bets: Iterable[Bet]) -> Cents:
    return Cents(sum(bet.stake for bet in bets))


def stacks(bets: Iterable[Bet]) -> dict[Spot, Cents]:
    """Pile up the stakes by spot: however it got there, all that lies on one spot is one bet to the limits."""
    piles: defaultdict[Spot, int] = defaultdict(int)
    for bet in bets:
        piles[bet.spot] += bet.stake
    return {spot: Cents(stake) for spot, stake in piles.items()}
