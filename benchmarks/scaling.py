"""Simulate a million terminals behind gateways: the rate of bets, the close barrier and the fan-out of the result.

    python -m benchmarks scaling

It is a model, and no measurement. What one house, one broker and one gateway take is measured (`Model` names by which
benchmark); networks and players are assumed. The same seed gives the same figures.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from random import Random


@dataclass(frozen=True, slots=True)
class Model:
    """What is measured and what is assumed. Times are in milliseconds."""

    terminals: int = 1_000_000
    per_gateway: int = 10_000
    #: Gateways at the broker of one site; the house's broker has a connection for each site.
    per_site: int = 25
    # Measured: processor time, which is the time of the last when one core does nothing else.
    #: Of a house, for a bet behind gateways in batches of 100 (`benchmarks.gateway`).
    bet_ms: float = 0.0075
    #: Of a broker, for a frame to one connection (`benchmarks.fanout`).
    broker_ms: float = 0.013
    #: Of a gateway, for a frame to one terminal (`benchmarks.fanout`).
    frame_ms: float = 0.008
    #: A commit in the journal (`benchmarks`).
    commit_ms: float = 3.0
    # Assumed.
    #: How much of its core a house may use in the rush.
    load_max: float = 0.5
    #: Changes of bets of one terminal in a round, of which half come in the last seconds before the close.
    changes: float = 3.0
    betting_s: float = 25.0
    rush_s: float = 5.0
    #: Median delays and their spread: within the data centre, between sites, and to a terminal over the internet.
    centre_ms: float = 0.5
    site_ms: float = 15.0
    terminal_ms: float = 40.0
    spread: float = 0.5

    @property
    def gateways(self) -> int:
        return math.ceil(self.terminals / self.per_gateway)

    @property
    def sites(self) -> int:
        return math.ceil(self.gateways / self.per_site)

    @property
    def rush_rate(self) -> float:
        """Bets a second in the last seconds."""
        return self.terminals * self.changes * 0.5 / self.rush_s

    @property
    def houses(self) -> int:
        """Houses by player shard: enough for the rush."""
        return math.ceil(self.rush_rate * self.bet_ms / 1_000 / self.load_max)


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

    def fan_out(self) -> Iterator[float]:
        """From the committed result until terminals have it: a sample of the terminals of each gateway."""
        model = self.model
        for site in range(model.sites):
            # The house's broker serves one site after the other, the site's broker one gateway after the other.
            at_site = self._delay(model.site_ms) + (site + 1) * model.broker_ms
            for gateway in range(min(model.per_site, model.gateways - site * model.per_site)):
                at_gateway = at_site + self._delay(model.centre_ms) + (gateway + 1) * model.broker_ms
                for _ in range(20):
                    sent = self._random.random() * min(model.per_gateway, model.terminals) * model.frame_ms
                    yield at_gateway + sent + self._delay(model.terminal_ms)


def percentile(values: Iterable[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def figures(model: Model, rounds: int, seed: int = 22) -> dict[str, float]:
    """Simulate rounds, and give the figures by name."""
    random = Random(seed)  # noqa: S311 - to be had again
    played = [Round(model, random) for _ in range(rounds)]
    barriers = [each.close_barrier() for each in played]
    fans = [list(each.fan_out()) for each in played]
    return {
        "gateways": model.gateways,
        "sites": model.sites,
        "houses by player shard": model.houses,
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
