"""Odds: the house edge of every spot and call, as exact fractions."""

from collections.abc import Mapping
from fractions import Fraction

from croupier.rules.paytable import Paytable
from croupier.rules.spot import Spot
from croupier.rules.wheel import Wheel


def spot_edge(spot: Spot, paytable: Paytable, wheel: Wheel) -> Fraction:
    """Give the share of the stake that the house keeps in the long run: 1 - covered x gross / pockets."""
    return 1 - Fraction(len(spot.numbers) * paytable.prices[spot.kind].gross, len(wheel.order))


def pieces_edge(pieces: Mapping[Spot, int], paytable: Paytable, wheel: Wheel) -> Fraction:
    """Give the edge of several bets together: that of each, weighted by the pieces on it."""
    kept = sum((spot_edge(spot, paytable, wheel) * count for spot, count in pieces.items()), Fraction(0))
    return kept * Fraction(1, sum(pieces.values()))
