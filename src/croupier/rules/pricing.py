"""Bets, paytables, exposure, house edge and settlement."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import Enum, StrEnum
from fractions import Fraction
from typing import Final, NamedTuple

from croupier.rules.geometry import STRAIGHT, Pocket, Spot, SpotKind, Wheel, in_order, is_zero
from croupier.rules.money import Cents
from croupier.rules.multipliers import NO_MULTIPLES, Multiples, Multipliers
from croupier.rules.progressive import PotAtStake, Progressive, long_run_return
from croupier.rules.refusal import CitedChoice, ClauseId


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
    return int(odds) if odds.denominator == 1 else str(odds)


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
    #: Whether the bet wins only if its numbers win in two spins in a row: after the first its stake is carried.
    twice: bool = False

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
        """Whether a win is a whole number of times the stake, however high the stake is, and paid after one spin."""
        return self.is_whole and not self.twice

    @property
    def is_whole(self) -> bool:
        return isinstance(self.pays, int) and not self.steps and self.win_most is None

    def won(self, stake: int) -> int:
        """Compute the winnings of a stake, in whole cents: a part of a cent is not paid."""
        if self.is_whole:
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
    #: The stake is in prison for the next spin: it comes back without winnings if the bet wins, and is lost otherwise.
    EN_PRISON = "en_prison"
    #: The same, and another zero leaves it in prison, as often as it comes.
    EN_PRISON_REPEATED = "en_prison_repeated"
    #: The same, and another zero returns half of it.
    EN_PRISON_HALF = "en_prison_half"
    #: The same, and another zero frees it.
    EN_PRISON_FREE = "en_prison_free"


class Fate(Enum):
    """What a zero does with a stake that it does not win for."""

    LOST = "lost"
    HALF = "half"
    WHOLE = "whole"
    CARRIED = "carried"


#: Of a stake that was placed for the spin of the zero, and of one that was carried to it.
FATES: Final[Mapping[ZeroEffect, tuple[Fate, Fate]]] = {
    ZeroEffect.LOSE: (Fate.LOST, Fate.LOST),
    ZeroEffect.LA_PARTAGE: (Fate.HALF, Fate.HALF),
    ZeroEffect.SURRENDER: (Fate.HALF, Fate.HALF),
    ZeroEffect.EN_PRISON: (Fate.CARRIED, Fate.LOST),
    ZeroEffect.EN_PRISON_REPEATED: (Fate.CARRIED, Fate.CARRIED),
    ZeroEffect.EN_PRISON_HALF: (Fate.CARRIED, Fate.HALF),
    ZeroEffect.EN_PRISON_FREE: (Fate.CARRIED, Fate.WHOLE),
}
HALVES: Final = tuple(effect for effect, (fate, _) in FATES.items() if fate is Fate.HALF)
PRISONS: Final = tuple(effect for effect, (fate, _) in FATES.items() if fate is Fate.CARRIED)


class Release(StrEnum):
    """What is returned of a carried stake that cannot wait for its spin."""

    HALF = "half"
    WHOLE = "whole"


@dataclass(frozen=True, slots=True)
class CarriedRules:
    """What becomes of stakes that outlive their round: in prison, or of a bet on two spins in a row."""

    clause: ClauseId
    #: When the table closes, or plays by other rules from its next round.
    release: CitedChoice[Release]


class Outcome(NamedTuple):
    """What a spin does with a stake: what is returned of it, winnings included, and what is carried to the next."""

    returned: int
    carried: int = 0


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
    #: Only where stakes outlive their round.
    carried: CarriedRules | None = None
    #: The numbers that are drawn before the spin, if there are such, and pay more straight up.
    multipliers: Multipliers | None = None
    #: The pot that one kind of bet wins, if there is one.
    progressive: Progressive | None = None

    def price(self, spot: Spot, multiples: Multiples = NO_MULTIPLES) -> Price:
        """Return the price of a spot: that of its kind or, straight up on a drawn number, with the drawn multiple."""
        price = self.prices[spot.kind]
        drawn = multiples.get(spot.numbers[0]) if spot.kind == STRAIGHT else None
        if drawn is None:
            return price
        assert self.multipliers is not None
        return replace(price, pays=drawn, clause=self.multipliers.clause)

    def outcome(
        self, spot: Spot, stake: int, pocket: Pocket, multiples: Multiples = NO_MULTIPLES, *, carried: bool = False
    ) -> Outcome:
        """Compute what a pocket does with a stake that was placed for this spin, or was carried to it.

        Half of an odd number of cents is rounded down.
        """
        price = self.price(spot, multiples)
        if pocket in spot.covers:
            if price.twice and not carried:
                return Outcome(0, stake)
            # A stake in prison is freed, and wins nothing.
            return Outcome(stake + (0 if carried and not price.twice else price.won(stake)))
        rule = self.zero_rule(spot.kind, pocket)
        fate = Fate.LOST if rule is None else FATES[rule.does][carried]
        if fate is Fate.CARRIED:
            return Outcome(0, stake)
        return Outcome({Fate.LOST: 0, Fate.HALF: stake // 2}.get(fate, stake))

    def highest_price(self, kind: SpotKind) -> Price:
        """Return the best price that a bet of a kind may have: straight up, that of the highest multiple."""
        drawn = self.multipliers if kind == STRAIGHT else None
        return self.prices[kind] if drawn is None else replace(self.prices[kind], pays=drawn.most)

    def mean_gross(self, spot: Spot, wheel: Wheel) -> Fraction:
        """Compute what one winning unit returns on average, over all multiples that may be drawn."""
        gross, drawn = Fraction(self.prices[spot.kind].gross), self.multipliers
        if drawn is None or spot.kind != STRAIGHT:
            return gross
        # Each number of the wheel is drawn equally often.
        share = drawn.mean_numbers * Fraction(1, len(wheel.order))
        return gross * (1 - share) + (drawn.mean_pays + 1) * share

    def zero_rule(self, kind: SpotKind, pocket: Pocket) -> ZeroRule | None:
        """Find the rule on bets of a kind that lose on a pocket, if it is a zero that has one."""
        return next((zero for zero in self.zeros if zero.covers(kind, pocket)), None)

    def halves(self, spot: Spot, pocket: Pocket) -> bool:
        """Check whether half of a stake is returned on a pocket."""
        rule = self.zero_rule(spot.kind, pocket)
        return rule is not None and rule.does in HALVES and pocket not in spot.covers

    def released(self, stake: int) -> int:
        """Compute what is returned of a carried stake that cannot wait for its spin."""
        return stake if self.carried is None or self.carried.release.choice is Release.WHOLE else stake // 2

    def reason(self, spot: Spot, pocket: Pocket, multiples: Multiples = NO_MULTIPLES) -> ClauseId:
        """Name the clause of a bet's result: its price, or for a loss on a zero the zero's own clause."""
        if pocket in spot.covers:
            return self.price(spot, multiples).clause
        rule = self.zero_rule(spot.kind, pocket)
        return self.prices[spot.kind].clause if rule is None else rule.clause


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


def highest_multiples(paytable: Paytable, wheel: Wheel) -> Multiples:
    """Return the highest multiple for every number: the worst case on each pocket before the draw."""
    drawn = paytable.multipliers
    return NO_MULTIPLES if drawn is None else dict.fromkeys(wheel.order, drawn.most)


def highest_pot(paytable: Paytable, bets: Iterable[Bet]) -> PotAtStake | None:
    """Return the highest pot that bets can play for, which is won on every number; None without a bet on one."""
    rules = paytable.progressive
    staked = sum(bet.stake for bet in bets if rules is not None and bet.spot.kind == rules.kind)
    return rules.played_for(rules.must_hit_by, staked) if rules is not None and staked else None


def exposure_of(
    bets: Iterable[Bet],
    paytable: Paytable,
    wheel: Wheel,
    multiples: Multiples = NO_MULTIPLES,
    pot: PotAtStake | None = None,
) -> Exposure:
    bets, rules = tuple(bets), paytable.progressive
    returns = dict.fromkeys(in_order(wheel.order), 0)
    for spot, stake in stacks(bets).items():
        plays_for = pot if rules is not None and rules.kind == spot.kind else None
        for pocket in returns:
            if plays_for is not None:
                returns[pocket] += stake + int(stake * plays_for.pays) if plays_for.due or pocket in spot.covers else 0
                continue
            # A bet on two spins in a row counts with what it returns if the next spin wins too.
            won = pocket in spot.covers
            returns[pocket] += (
                stake + paytable.price(spot, multiples).won(stake)
                if won
                else paytable.outcome(spot, stake, pocket).returned
            )
    return Exposure(staked(bets), {pocket: Cents(gross) for pocket, gross in returns.items()})


def spot_edge(spot: Spot, paytable: Paytable, wheel: Wheel) -> Fraction:
    """Compute the house's long-run share of a stake: 1 - the mean of what it returns, in this spin or later.

    Over all pockets a placed unit returns `back` at once and leaves `carried` for the next spin, where a carried unit
    returns `carried_back` and leaves `again`. A carried unit is worth w = (carried_back + again * w) / pockets, which
    is w = carried_back / (pockets - again), and a placed one (back + carried * w) / pockets.
    """
    price, covered, pockets = paytable.prices[spot.kind], len(spot.numbers), len(wheel.order)
    if paytable.progressive is not None and paytable.progressive.kind == spot.kind:
        return 1 - long_run_return(paytable.progressive, covered, pockets)
    # The zeros that the bet does not cover take it, return half of it, or have it carried. Of two units half is whole.
    zeros = [zero for zero in wheel.zeros if zero not in spot.covers]
    at_once = [paytable.outcome(spot, 2, zero, carried=False) for zero in zeros]
    later = [paytable.outcome(spot, 2, zero, carried=True) for zero in zeros]
    back = Fraction(sum(each.returned for each in at_once), 2)
    carried = Fraction(sum(each.carried for each in at_once), 2)
    carried_back = Fraction(sum(each.returned for each in later), 2)
    again = Fraction(sum(each.carried for each in later), 2)
    wins = covered * paytable.mean_gross(spot, wheel)
    if price.twice:
        # A win is carried, and pays if the next spin wins too.
        carried, carried_back = carried + covered, carried_back + wins
    else:
        # A win pays at once, and gives a carried stake back without winnings.
        back, carried_back = back + wins, carried_back + covered
    worth = carried_back * Fraction(1, pockets - again)
    return 1 - (back + carried * worth) * Fraction(1, pockets)


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
    #: The odds of the bet in this spin: by the draw and the pot, where there are such.
    pays: Odds
    #: What is carried to the next spin.
    carried: int = 0


@dataclass(frozen=True, slots=True)
class Settlement:
    """A settled slip: the total stake, the total return, and the result of each bet."""

    pocket: Pocket
    bets: tuple[SettledBet, ...]
    multiples: Multiples
    #: What the bets on the pot of the rulebook win, if that is said.
    pot: PotAtStake | None = None

    @property
    def staked(self) -> Cents:
        return staked(settled.bet for settled in self.bets)

    @property
    def returned(self) -> Cents:
        return Cents(sum(settled.returned for settled in self.bets))

    @property
    def carried(self) -> int:
        return sum(settled.carried for settled in self.bets)

    @property
    def net(self) -> int:
        """The player's net win; negative for a loss. What is carried is neither won nor lost yet."""
        return self.returned + self.carried - self.staked


def settle_bets(
    bets: Iterable[Bet],
    paytable: Paytable,
    pocket: Pocket,
    multiples: Multiples = NO_MULTIPLES,
    pot: PotAtStake | None = None,
) -> Settlement:
    """Settle bets on a pocket, by the drawn multiples and the pot that is played for, where there are such."""
    return Settlement(pocket, tuple(_settled(bet, paytable, pocket, multiples, pot) for bet in bets), multiples, pot)


def _settled(bet: Bet, paytable: Paytable, pocket: Pocket, multiples: Multiples, pot: PotAtStake | None) -> SettledBet:
    outcome = paytable.outcome(bet.spot, bet.stake, pocket, multiples)
    clause, won = paytable.reason(bet.spot, pocket, multiples), pocket in bet.spot.covers
    rules = paytable.progressive
    if pot is None or rules is None or bet.spot.kind != rules.kind:
        pays = paytable.price(bet.spot, multiples).pays
        return SettledBet(bet, Cents(outcome.returned), clause, won, pays, outcome.carried)
    returned = bet.stake + int(bet.stake * pot.pays) if won or pot.due else 0
    return SettledBet(bet, Cents(returned), rules.clause, won or pot.due, pot.pays)
