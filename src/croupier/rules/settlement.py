"""Settlement: what each bet brings back when the ball has come to rest, and the clause that says so."""

from collections.abc import Iterable
from dataclasses import dataclass

from croupier.rules.bet import Bet, staked
from croupier.rules.clause import ClauseId
from croupier.rules.money import Cents
from croupier.rules.paytable import Paytable
from croupier.rules.pocket import Pocket


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
