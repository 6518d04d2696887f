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


@dataclass(frozen=True, slots=True)
class Price:
    """One line of the notice: the venue's name for a kind, its odds to one, and the clauses behind it."""

    label: str
    pays: int
    clause: ClauseId
    #: The clause that says where on the layout such a bet stands.
    placement: ClauseId
    #: The clause on such bets with a zero in them, where they have one of their own.
    zero_placement: ClauseId | None = None

    def placed_by(self, numbers: Iterable[Pocket]) -> ClauseId:
        """Name the clause on where a bet on these numbers would stand."""
        with_zero = any(number not in NUMBERS for number in numbers)
        return self.zero_placement if with_zero and self.zero_placement else self.placement

    @property
    def gross(self) -> int:
        """What one unit brings back when it wins: the winnings and the unit itself."""
        return self.pays + 1


@dataclass(frozen=True, slots=True)
class ZeroRule:
    """A clause on what loses when the ball rests in a zero; it may speak of some kinds of bet alone."""

    pocket: Pocket
    clause: ClauseId
    kinds: tuple[SpotKind, ...] = tuple(SpotKind)


@dataclass(frozen=True, slots=True)
class Paytable:
    """The notice as a whole. A kind without a line cannot be bet."""

    clause: ClauseId
    prices: Mapping[SpotKind, Price]
    zeros: tuple[ZeroRule, ...] = ()

    def reason(self, kind: SpotKind, pocket: Pocket, *, won: bool) -> ClauseId:
        """Name the clause behind a bet's result: its price, or for a loss on a zero the zero's own clause."""
        price = self.prices[kind].clause
        if won:
            return price
        return next((zero.clause for zero in self.zeros if zero.pocket == pocket and kind in zero.kinds), price)


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


def spot_edge(spot: Spot, paytable: Paytable, wheel: Wheel) -> Fraction:
    """Give the share of the stake that the house keeps in the long run: 1 - covered x gross / pockets."""
    return 1 - Fraction(len(spot.numbers) * paytable.prices[spot.kind].gross, len(wheel.order))


def pieces_edge(pieces: Mapping[Spot, int], paytable: Paytable, wheel: Wheel) -> Fraction:
    """Give the edge of several bets together: that of each, weighted by the pieces on it."""
    kept = sum((spot_edge(spot, paytable, wheel) * count for spot, count in pieces.items()), Fraction(0))
    return kept * Fraction(1, sum(pieces.values()))


@dataclass(frozen=True, slots=True)
class SettledBet:
    """A bet and what became of it: the gross return, its own stake included, is nothing where it lost."""

    bet: Bet
    returned: Cents
    clause: ClauseId

    @property
    def won(self) -> bool:
        return self.returned > 0


@dataclass(frozen=True, slots=True)
class Settlement:
    """A slip settled: what was staked, what comes back, and each bet's part in it."""

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
        """What the player is up, or down where it is below nothing."""
        return self.returned - self.staked


def gross_return(bet: Bet, paytable: Paytable, pocket: Pocket) -> Cents:
    """Tell what a bet brings back on a pocket: stake times odds and the stake itself, or nothing."""
    if pocket not in bet.spot.covers:
        return Cents(0)
    return Cents(bet.stake * paytable.prices[bet.spot.kind].gross)


def settle_bets(bets: Iterable[Bet], paytable: Paytable, pocket: Pocket) -> Settlement:
    return Settlement(pocket, tuple(_settled(bet, paytable, pocket) for bet in bets))


def _settled(bet: Bet, paytable: Paytable, pocket: Pocket) -> SettledBet:
    returned = gross_return(bet, paytable, pocket)
    return SettledBet(bet, returned, paytable.reason(bet.spot.kind, pocket, won=returned > 0))
