"""Bets, paytables, exposure, house edge and settlement."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Final

from croupier.rules.geometry import Pocket, Spot, SpotKind, Wheel, in_order, is_zero
from croupier.rules.money import Cents
from croupier.rules.refusal import ClauseId


@dataclass(frozen=True, slots=True)
class Bet:
    """A stake on a spot."""

    spot: Spot
    stake: Cents
    #: The call that this bet is a piece of, as the notation prints it; empty for a bet placed on its own.
    call: str = ""
    #: Part of one total under a marker button: the marker bet's minimum applies, not the spot's.
    under_marker: bool = False


def staked(bets: Iterable[Bet]) -> Cents:
    return Cents(sum(bet.stake for bet in bets))


def stacks(bets: Iterable[Bet]) -> dict[Spot, Cents]:
    """Add up the stakes by spot: for the limits, all stakes on one spot are one bet."""
    piles: defaultdict[Spot, int] = defaultdict(int)
    for bet in bets:
        piles[bet.spot] += bet.stake
    return {spot: Cents(stake) for spot, stake in piles.items()}


#: Odds to one, exactly: a fraction only where they are not a whole number.
Odds = int | Fraction


def odds_data(odds: Odds) -> int | str:
    """Return odds to one as data: a number, or a fraction such as 6/5."""
    return odds if isinstance(odds, int) else str(odds)


@dataclass(frozen=True, slots=True)
class Step:
    """The part of a stake above an amount is paid at other odds."""

    over: Cents
    pays: Odds

    @property
    def odds(self) -> int | str:
        return odds_data(self.pays)


@dataclass(frozen=True, slots=True)
class Price:
    """One line of the notice: the venue's name for a kind, its odds to one, and its clauses."""

    label: str
    pays: Odds
    clause: ClauseId
    #: The clause that defines the position of such a bet on the layout.
    placement: ClauseId
    #: The clause on such bets that cover a zero, if they have their own.
    zero_placement: ClauseId | None = None
    #: The letter of the kind in the document's legend, if it has one.
    letter: str | None = None
    #: The odds on the parts of a stake above some amounts, in increasing order.
    steps: tuple[Step, ...] = ()
    #: The most that a bet wins, if the price is capped.
    win_most: Cents | None = None

    def placed_by(self, numbers: Iterable[Pocket]) -> ClauseId:
        """Name the clause that defines the position of a bet on these numbers."""
        with_zero = any(map(is_zero, numbers))
        return self.zero_placement if with_zero and self.zero_placement else self.placement

    @property
    def gross(self) -> Odds:
        """The return of one winning unit by the odds: the winnings and the unit itself."""
        return self.pays + 1

    @property
    def odds(self) -> int | str:
        return odds_data(self.pays)

    @property
    def is_plain(self) -> bool:
        """Whether a win is a whole number of times the stake, however high the stake is."""
        return isinstance(self.pays, int) and not self.steps and self.win_most is None

    def won(self, stake: int) -> int:
        """Compute the winnings of a stake, in whole cents: a part of a cent is not paid."""
        if self.is_plain:
            return stake * int(self.pays)
        total, above = Fraction(0), stake
        for step in reversed(self.steps):
            part = max(0, above - step.over)
            total += part * Fraction(step.pays)
            above -= part
        won = int(total + above * Fraction(self.pays))
        return won if self.win_most is None else min(won, self.win_most)


class ZeroEffect(StrEnum):
    """What becomes of a bet that a zero does not win for."""

    LOSE = "lose"
    #: Half of the stake is returned.
    LA_PARTAGE = "la_partage"
    #: The same, by the name that it has at American tables.
    SURRENDER = "surrender"


HALVES: Final = (ZeroEffect.LA_PARTAGE, ZeroEffect.SURRENDER)


@dataclass(frozen=True, slots=True)
class ZeroRule:
    """A clause on the bets that a zero does not win for: all of them, or some kinds, and what becomes of them."""

    pocket: Pocket
    clause: ClauseId
    #: None named means all.
    kinds: tuple[SpotKind, ...] = ()
    does: ZeroEffect = ZeroEffect.LOSE

    def covers(self, kind: SpotKind, pocket: Pocket) -> bool:
        return pocket == self.pocket and (not self.kinds or kind in self.kinds)


@dataclass(frozen=True, slots=True)
class Paytable:
    """The whole notice. A kind without a line cannot be bet."""

    clause: ClauseId
    prices: Mapping[SpotKind, Price]
    zeros: tuple[ZeroRule, ...] = ()

    def returned(self, spot: Spot, stake: int, pocket: Pocket) -> Cents:
        """Compute the return of a stake on a pocket: its winnings and the stake, half of it on some zeros, or nothing.

        Half of an odd number of cents is rounded down.
        """
        if pocket in spot.covers:
            return Cents(stake + self.prices[spot.kind].won(stake))
        return Cents(stake // 2 if self.halves(spot, pocket) else 0)

    def zero_rule(self, kind: SpotKind, pocket: Pocket) -> ZeroRule | None:
        """Find the rule on bets of a kind that lose on a pocket, if it is a zero that has one."""
        return next((zero for zero in self.zeros if zero.covers(kind, pocket)), None)

    def halves(self, spot: Spot, pocket: Pocket) -> bool:
        """Check whether half of a stake is returned on a pocket."""
        rule = self.zero_rule(spot.kind, pocket)
        return rule is not None and rule.does in HALVES and pocket not in spot.covers

    def reason(self, kind: SpotKind, pocket: Pocket, *, won: bool) -> ClauseId:
        """Name the clause of a bet's result: its price, or for a loss on a zero the zero's own clause."""
        rule = None if won else self.zero_rule(kind, pocket)
        return self.prices[kind].clause if rule is None else rule.clause


@dataclass(frozen=True, slots=True)
class Exposure:
    """The gross return on every pocket of the wheel, and the total stake."""

    staked: Cents
    returns: Mapping[Pocket, Cents]

    @property
    def best(self) -> Cents:
        """The maximum return to the player: the house's worst case."""
        return max(self.returns.values())

    @property
    def worst(self) -> Cents:
        return min(self.returns.values())

    def where(self, returned: Cents) -> tuple[Pocket, ...]:
        """List the pockets with exactly this return."""
        return tuple(pocket for pocket, gross in self.returns.items() if gross == returned)


def exposure_of(bets: Iterable[Bet], paytable: Paytable, wheel: Wheel) -> Exposure:
    bets = tuple(bets)
    returns = dict.fromkeys(in_order(wheel.order), 0)
    for spot, stake in stacks(bets).items():
        for pocket in returns:
            returns[pocket] += paytable.returned(spot, stake, pocket)
    return Exposure(staked(bets), {pocket: Cents(gross) for pocket, gross in returns.items()})


def spot_edge(spot: Spot, paytable: Paytable, wheel: Wheel) -> Fraction:
    """Compute the house's long-run share of the stake: 1 - covered x gross / pockets, less what zeros give back."""
    back = len(spot.numbers) * Fraction(paytable.prices[spot.kind].gross)
    back += Fraction(sum(paytable.halves(spot, pocket) for pocket in wheel.zeros), 2)
    return 1 - back * Fraction(1, len(wheel.order))


def pieces_edge(pieces: Mapping[Spot, int], paytable: Paytable, wheel: Wheel) -> Fraction:
    """Compute the edge of several bets together: the mean of their edges, weighted by pieces."""
    kept = sum((spot_edge(spot, paytable, wheel) * count for spot, count in pieces.items()), Fraction(0))
    return kept * Fraction(1, sum(pieces.values()))


@dataclass(frozen=True, slots=True)
class SettledBet:
    """A bet and its result: the gross return includes the stake, and is zero for a loss."""

    bet: Bet
    returned: Cents
    clause: ClauseId

    #: Whether the number is one of the bet's; without a win a part of the stake may come back.
    won: bool


@dataclass(frozen=True, slots=True)
class Settlement:
    """A settled slip: the total stake, the total return, and the result of each bet."""

    pocket: Pocket
    bets: tuple[SettledBet, ...]

    @property
    def staked(self) -> Cents:
        return staked(settled.bet for settled in self.bets)

    @property
    def returned(self) -> Cents:
        return Cents(sum(settled.returned for settled in self.bets))

    @property
    def net(self) -> int:
        """The player's net win; negative for a loss."""
        return self.returned - self.staked


def settle_bets(bets: Iterable[Bet], paytable: Paytable, pocket: Pocket) -> Settlement:
    return Settlement(pocket, tuple(_settled(bet, paytable, pocket) for bet in bets))


def _settled(bet: Bet, paytable: Paytable, pocket: Pocket) -> SettledBet:
    returned = paytable.returned(bet.spot, bet.stake, pocket)
    won = pocket in bet.spot.covers
    return SettledBet(bet, returned, paytable.reason(bet.spot.kind, pocket, won=won), won)
