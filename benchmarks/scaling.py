"""Simulate one wheel with a million terminals: the close barrier, the fan-out of the result and the rate of bets.

    python -m benchmarks scaling

It is a model, and no measurement: docs/scaling.md has its assumptions. The same seed gives the same figures.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from random import Random


@dataclass(frozen=True, slots=True)
class Model:
    """The assumptions. Times are in milliseconds."""

    terminals: int = 1_000_000
    #: Connections that one gateway holds, and links that one house or relay has. If a house has more gateways, they are
    #: in a tree: the house has links to relays, which pass its frames on to gateways or to further relays.
    per_gateway: int = 10_000
    links_max: int = 25
    #: Changes of bets of one terminal in a round, of which half come in the last seconds before the close.
    changes: float = 3.0
    betting_s: float = 25.0
    rush_s: float = 5.0
    #: Durable bets a second of one house behind gateways.
    house_rate: int = 20_000
    #: A commit in the journal, and the time of a gateway for one frame to one terminal.
    commit_ms: float = 3.0
    frame_ms: float = 0.008
    #: The time of a relay for one frame on one link.
    link_ms: float = 0.02
    #: Median delays and their spread: within the data centre, between sites, and to a terminal over the internet.
    centre_ms: float = 0.5
    site_ms: float = 15.0
    terminal_ms: float = 40.0
    spread: float = 0.5

    @property
    def gateways(self) -> int:
        return math.ceil(self.terminals / self.per_gateway)

    @property
    def rush_rate(self) -> float:
        """Bets a second in the last seconds."""
        return self.terminals * self.changes * 0.5 / self.rush_s

    @property
    def houses(self) -> int:
        """Houses by player shard: enough for the rush."""
        return math.ceil(self.rush_rate / self.house_rate)

    @property
    def relay_levels(self) -> int:
        """The levels of relays between a house and its gateways."""
        levels, reached, wanted = 0, self.links_max, math.ceil(self.gateways / self.houses)
        while reached < wanted:
            levels, reached = levels + 1, reached * self.links_max
        return levels


class Round:
    """One simulated round."""

    def __init__(self, model: Model, random: Random) -> None:
        self.model, self._random = model, random

    def _delay(self, median_ms: float) -> float:
        return self._random.lognormvariate(math.log(median_ms), self.model.spread)

    def close_barrier(self) -> float:
        """From the owner's call until every house has sealed and the owner has committed the seal."""
        return max(self._sealed() for _ in range(self.model.houses)) + self._delay(self.model.commit_ms)

    def _sealed(self) -> float:
        """A house gets the call, commits the batch that is under way and its own seal, and reports."""
        network = self._delay(self.model.site_ms) + self._delay(self.model.site_ms)
        return network + self._delay(self.model.commit_ms) + self._delay(self.model.commit_ms)

    def fan_out(self, gateways: int) -> Iterator[float]:
        """From the committed result until terminals have it: a sample of the terminals of some gateways."""
        for _ in range(gateways):
            until_gateway = self._delay(self.model.site_ms) + self._delay(self.model.centre_ms)
            for _ in range(self.model.relay_levels):
                passed_on = self._random.random() * self.model.links_max * self.model.link_ms
                until_gateway += passed_on + self._delay(self.model.centre_ms)
            for _ in range(20):
                sent = self._random.random() * self.model.per_gateway * self.model.frame_ms
                yield until_gateway + sent + self._delay(self.model.terminal_ms)


def percentile(values: Iterable[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def figures(model: Model, rounds: int, seed: int = 22) -> dict[str, float]:
    """Simulate rounds, and give the figures by name."""
    random = Random(seed)  # noqa: S311 - to be had again
    played = [Round(model, random) for _ in range(rounds)]
    barriers = [each.close_barrier() for each in played]
    fans = [list(each.fan_out(model.gateways)) for each in played]
    return {
        "gateways": model.gateways,
        "houses by player shard": model.houses,
        "levels of relays below a house": model.relay_levels,
        "bets/s, mean": model.terminals * model.changes / model.betting_s,
        "bets/s, rush": model.rush_rate,
        "close barrier, median ms": percentile(barriers, 0.5),
        "close barrier, p99 ms": percentile(barriers, 0.99),
        "result at a terminal, median ms": percentile((each for fan in fans for each in fan), 0.5),
        "result at a terminal, p99 ms": percentile((each for fan in fans for each in fan), 0.99),
        "result at the last of a sample, median ms": percentile((max(fan) for fan in fans), 0.5),
    }


def main() -> None:
    models = [Model(terminals=terminals) for terminals in (10_000, 100_000, 1_000_000)]
    for model in (*models, Model(per_gateway=1_000)):
        print(f"{model.terminals} terminals, {model.per_gateway} at a gateway")
        for name, value in figures(model, 200).items():
            print(f"  {name:<45}{value:12,.0f}")


if __name__ == "__main__":
    main()
