"""The felt as the house uses it: what every spot pays and covers, looked up once per rulebook."""

import hashlib

from croupier.rules.pocket import Pocket
from croupier.rules.rulebook import Rulebook
from croupier.rules.spot import Kind, Spot, SpotKey

#: What lies on each spot.
Stakes = dict[SpotKey, int]


class Felt:
    """A rulebook's spots with their gross multiples and the pockets they cover, as plain look-ups."""

    def __init__(self, rulebook: Rulebook) -> None:
        self.rulebook = rulebook
        prices = rulebook.paytable.prices
        #: By whatever text may name one.
        self.spots: dict[str, Spot] = dict(rulebook.spots.items())
        self.gross: dict[SpotKey, int] = {key: prices[spot.kind].gross for key, spot in rulebook.spots.items()}
        place = {pocket: index for index, pocket in enumerate(rulebook.pockets)}
        self.covers: dict[SpotKey, tuple[int, ...]] = {
            key: tuple(place[pocket] for pocket in spot.numbers) for key, spot in rulebook.spots.items()
        }
        #: The pockets that can be bet on straight up.
        self.straights: dict[SpotKey, Pocket] = {
            key: spot.numbers[0] for key, spot in rulebook.spots.items() if spot.kind is Kind.STRAIGHT
        }
        #: For each pocket, the spots that win on it with what a unit brings back.
        self.winners: dict[Pocket, dict[SpotKey, int]] = {
            pocket: {key: self.gross[key] for key, spot in rulebook.spots.items() if pocket in spot.covers}
            for pocket in rulebook.pockets
        }
        self.pockets = len(place)
        #: What a terminal that draws this felt must report.
        self.digest = hashlib.sha256("\n".join(sorted(self.spots)).encode()).hexdigest()

    def best(self, stakes: Stakes) -> int:
        """Tell what these stakes bring back on the pocket that is best for them."""
        return max(self.returns(stakes))

    def returns(self, stakes: Stakes) -> list[int]:
        """Tell what these stakes bring back on every pocket, in printed order."""
        returns = [0] * self.pockets
        for spot, stake in stakes.items():
            back = stake * self.gross[spot]
            for place in self.covers[spot]:
                returns[place] += back
        return returns

    def returned(self, stakes: Stakes, pocket: Pocket) -> int:
        """Tell what these stakes bring back on a pocket, winning stakes included."""
        winners = self.winners[pocket]
        return sum(stake * winners[spot] for spot, stake in stakes.items() if spot in winners)

    def winning(self, stakes: Stakes, pocket: Pocket) -> Stakes:
        """Pick the stakes that win on a pocket."""
        winners = self.winners[pocket]
        return {spot: stake for spot, stake in stakes.items() if spot in winners}
