"""Bets, paytables, exposure, house edge and settlement."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from croupier.rules.geometry import NUMBERS, Pocket, Spot, SpotKind, Wheel, in_order
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


@dataclass(frozen=True, slots=True)
class Price:
    """One line of the notice: the venue's name for a kind, its odds to one, and its clauses."""

    label: str
    pays: int
    clause: ClauseId
    #: The clause that defines the position of such a bet on the layout.
    placement: ClauseId
    #: The clause on such bets that cover a zero, if they have their own.
    zero_placement: ClauseId | None = None
    #: The letter of the kind in the document's legend, if it has one.
    letter: str | None = None

    def placed_by(self, numbers: Iterable[Pocket]) -> ClauseId:
        """Name the clause that defines the position of a bet on these numbers."""
        with_zero = any(number not in NUMBERS for number in numbers)
        return self.zero_placement if with_zero and self.zero_placement else self.placement

    @property
    def gross(self) -> int:
        """The return of one winning unit: the winnings and the unit itself."""
        return self.pays + 1


@dataclass(frozen=True, slots=True)
class ZeroRule:
    """A clause on the bets that lose when the ball rests in a zero; it may apply to some kinds of bet only."""

    pocket: Pocket
    clause: ClauseId
    kinds: tuple[SpotKind, ...] = tuple(SpotKind)


@dataclass(frozen=True, slots=True)
class Paytable:
    """The whole notice. A kind without a line cannot be bet."""

    clause: ClauseId
    prices: Mapping[SpotKind, Price]
    zeros: tuple[ZeroRule, ...] = ()

    def returned(self, spot: Spot, stake: int, pocket: Pocket) -> Cents:
        """Compute the return of a stake on a pocket: stake times odds plus the stake, or zero."""
        return Cents(stake * self.prices[spot.kind].gross if pocket in spot.covers else 0)

    def reason(self, kind: SpotKind, pocket: Pocket, *, won: bool) -> ClauseId:
        """Name the clause of a bet's result: its price, or for a loss on a zero the zero's own clause."""
        price = self.prices[kind].clause
        if won:
            return price
        return next((zero.clause for zero in self.zeros if zero.pocket == pocket and kind in zero.kinds), price)


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
        gross = stake * paytable.prices[spot.kind].gross
        for pocket in spot.numbers:
            returns[pocket] += gross
    return Exposure(staked(bets), {pocket: Cents(gross) for pocket, gross in returns.items()})


def spot_edge(spot: Spot, paytable: Paytable, wheel: Wheel) -> Fraction:
    """Compute the house's long-run share of the stake: 1 - covered x gross / pockets."""
    return 1 - Fraction(len(spot.numbers) * paytable.prices[spot.kind].gross, len(wheel.order))


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

    @property
    def won(self) -> bool:
        return self.returned > 0


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
    return SettledBet(bet, returned, paytable.reason(bet.spot.kind, pocket, won=returned > 0))
