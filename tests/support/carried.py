"""Variants of the French table whose stakes outlive their round, and a model of what becomes of them."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from croupier.rulebooks.schema import canonical, read_canonical
from croupier.rules.pricing import CarriedRules, Release, ZeroEffect
from croupier.rules.procedure import Effect, Irregularity, Reason
from croupier.rules.refusal import CitedChoice, ClauseId
from croupier.rules.rulebook import Rulebook
from tests.conftest import venue

CLAUSE = ClauseId("1")


def french(
    effect: ZeroEffect, *, twice: Iterable[str] = (), pays: int = 3, release: Release = Release.HALF
) -> Rulebook:
    """Change what zero does with even chances at the French table, and let some kinds win in two spins only."""
    book = venue("generic-european-partage")
    kinds = tuple(twice)
    zeros = tuple(
        replace(zero, does=effect, kinds=tuple(kind for kind in zero.kinds if kind not in kinds))
        if zero.kinds
        else zero
        for zero in book.paytable.zeros
    )
    prices = {
        kind: replace(price, twice=True, pays=pays) if kind in kinds else price for kind, price in book.prices.items()
    }
    paytable = replace(
        book.paytable, zeros=zeros, prices=prices, carried=CarriedRules(CLAUSE, CitedChoice(release, CLAUSE))
    )
    fire = Irregularity(Reason.FIRE, CLAUSE, Effect.INVALIDATE)
    changed = replace(book, paytable=paytable, irregularities=(*book.irregularities, fire), digest="")
    return read_canonical(canonical(changed))


#: The numbers that a bet wins on, as this model knows them.
RED = {"1", "3", "5", "7", "9", "12", "14", "16", "18", "19", "21", "23", "25", "27", "30", "32", "34", "36"}
NUMBERS = {str(number) for number in range(1, 37)}
COVERS = {
    "red": RED,
    "black": NUMBERS - RED,
    "odd": {number for number in NUMBERS if int(number) % 2},
    "dozen 1": {str(number) for number in range(1, 13)},
}
ODDS = {"red": 1, "black": 1, "odd": 1, "dozen 1": 2}


@dataclass
class Purse:
    """One player: what every spin so far has done, played again from the beginning whenever it is asked."""

    effect: str
    twice: frozenset[str]
    pays: int = 3
    #: Of each round: the bets, and the number, None where none counts.
    rounds: list[tuple[dict[str, int], str | None]] = field(default_factory=list)

    def play(self) -> tuple[int, dict[str, int]]:
        """Return what the player has won or lost, and what is in prison or between two spins, by spot."""
        won, waiting = 0, dict[str, int]()
        for bets, number in self.rounds:
            if number is None:
                continue
            after = dict[str, int]()
            for spot, stake in waiting.items():
                back, stays = self._later(spot, stake, number)
                won += back
                if stays:
                    after[spot] = after.get(spot, 0) + stays
            for spot, stake in bets.items():
                back, stays = self._first(spot, stake, number)
                won += back - stake
                if stays:
                    after[spot] = after.get(spot, 0) + stays
            waiting = after
        return won, waiting

    def _first(self, spot: str, stake: int, number: str) -> tuple[int, int]:
        if number in COVERS[spot]:
            return (0, stake) if spot in self.twice else (stake + stake * ODDS[spot], 0)
        if number == "0" and spot in ("red", "black", "odd") and spot not in self.twice:
            if self.effect == "la_partage":
                return stake // 2, 0
            return (0, stake) if self.effect.startswith("en_prison") else (0, 0)
        return 0, 0

    def _later(self, spot: str, stake: int, number: str) -> tuple[int, int]:
        if spot in self.twice:
            return (stake * (1 + self.pays) if number in COVERS[spot] else 0), 0
        if number in COVERS[spot]:
            return stake, 0
        if number != "0":
            return 0, 0
        return {
            "en_prison": (0, 0),
            "en_prison_repeated": (0, stake),
            "en_prison_half": (stake // 2, 0),
            "en_prison_free": (stake, 0),
        }[self.effect]
