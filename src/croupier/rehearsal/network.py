"""A network that loses, doubles, delays and reorders what is sent, either way."""

from random import Random
from typing import Final, NamedTuple

from croupier.engine.asked import Answer, Asked
from croupier.house.name import SECOND
from croupier.rehearsal.clock import Time

#: How many of a hundred letters are lost, are doubled, and take long.
LOST, DOUBLED, LATE = 4, 6, 6
#: How long a letter takes where all is well, and at most where it is not: longer than a round.
USUAL_US: Final = 50_000
LATE_US: Final = 40 * SECOND


class Reply(NamedTuple):
    """An answer on its way, with the epoch of whoever gave it."""

    answer: Answer
    epoch: int


Letter = Asked | Reply


class Network:
    """Everything that is on its way between devices and the house."""

    def __init__(self, rng: Random, time: Time) -> None:
        self._rng, self._time = rng, time
        self._under_way: list[tuple[int, int, Letter]] = []
        self._sent = 0
        self.calm = False

    def send(self, letter: Letter) -> None:
        copies = 1
        if not self.calm:
            luck = self._rng.randrange(100)
            copies = 0 if luck < LOST else 2 if luck < LOST + DOUBLED else 1
        for _ in range(copies):
            self._sent += 1
            self._under_way.append((self._time.elapsed + self._takes(), self._sent, letter))

    def arrived(self) -> list[Letter]:
        """Take out what has arrived by now, in the order in which it did."""
        here = sorted(each for each in self._under_way if each[0] <= self._time.elapsed)
        self._under_way = [each for each in self._under_way if each[0] > self._time.elapsed]
        return [letter for _, _, letter in here]

    def _takes(self) -> int:
        if self.calm:
            return 1
        most = LATE_US if self._rng.randrange(100) < LATE else USUAL_US
        return self._rng.randrange(1, most)
