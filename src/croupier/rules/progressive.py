"""Progressive bets: a bet that wins a pot, to which a share of every stake on it goes."""

from dataclasses import dataclass
from fractions import Fraction

from croupier.rules.geometry import SpotKind
from croupier.rules.money import Cents
from croupier.rules.refusal import ClauseId


@dataclass(frozen=True, slots=True)
class PotAtStake:
    """The pot that a round plays for, as it stood when the bets were sealed, and all stakes that share it."""

    #: What is won of it: no more than the amount at which it must be won.
    amount: int
    #: What it had.
    whole: int
    staked: int
    #: How often a pot had been won before.
    wins: int
    #: The pot must be won in this round.
    due: bool

    @property
    def pays(self) -> Fraction:
        """The odds to one: each bet wins its share of the pot."""
        return Fraction(self.amount, self.staked)


@dataclass(frozen=True, slots=True)
class Progressive:
    """The clause on a pot, the bet that wins it, what goes to it, where it begins, and when it must be won."""

    clause: ClauseId
    #: The kind of bet that wins the pot; it has one box on the layout.
    kind: SpotKind
    #: The shares of each stake that go to the pot, and to the reserve from which the next pot begins.
    contributes: int | Fraction
    reserves: int | Fraction
    #: With how much a pot begins.
    seed: Cents
    #: A pot that has reached this amount is won at the next spin, whatever its number is.
    must_hit_by: Cents
    #: The least stake of the bet, for which its return is stated.
    stake: Cents

    def contributed(self, stake: int) -> tuple[int, int]:
        """Compute what a stake adds to the pot and to the reserve, in whole cents."""
        return int(stake * Fraction(self.contributes)), int(stake * Fraction(self.reserves))

    def played_for(self, pot: int, staked: int, wins: int = 0) -> PotAtStake:
        """Fix what bets of these stakes together play for."""
        return PotAtStake(min(pot, self.must_hit_by), pot, staked, wins, pot >= self.must_hit_by)


def long_run_return(rules: Progressive, covered: int, pockets: int) -> Fraction:
    """Compute the share of its stakes that comes back, exactly, if one bet of the least stake is made at every spin.

    After a win the pot is the seed and one contribution. In each further round it grows by one, until it is won by the
    number or has reached the amount at which it must be won. With q the probability that it is not won, a pot lives for
    1 + q + ... + q^n rounds on average, where n is the number of rounds after which it is due.
    """
    stake, (grows, _) = rules.stake, rules.contributed(rules.stake)
    first = min(rules.seed + grows, rules.must_hit_by)
    missed, wins, inverse = Fraction(pockets - covered, pockets), Fraction(covered, pockets), Fraction(pockets, covered)
    due = -(-(rules.must_hit_by - first) // grows)
    survived = missed**due
    # Won by the number in round k < due with the pot first + k * grows, or else in round `due` with the whole.
    # The sum of k * q^k for k < n is (q - n q^n + (n - 1) q^(n+1)) / (1 - q)^2.
    counted = (missed - due * survived + (due - 1) * survived * missed) * inverse**2
    won = first * (1 - survived) + wins * grows * counted + survived * rules.must_hit_by
    rounds = (1 - survived) * inverse + survived
    return (won + stake) * Fraction(1, stake) * Fraction(rounds.denominator, rounds.numerator)
