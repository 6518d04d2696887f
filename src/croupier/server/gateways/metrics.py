"""The metrics of a gateway, and their conversion for Prometheus."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from croupier.engine.metrics import BATCH_BOUNDS, Histogram, build_info, counter_family, gauge_family, metric_name
from croupier.house.ids import SECOND

#: In microseconds.
ROUND_TRIP_BOUNDS: Final = tuple(ms * 1_000 for ms in (1, 2, 5, 10, 20, 50, 100, 250, 1_000, 5_000))


@dataclass(slots=True)
class GatewayMetrics:
    """Plain counters, read when they are scraped."""

    #: Connections closed since the start, by close code.
    closed: Counter[str] = field(default_factory=Counter)
    #: Commands of players that were passed on to the house, and how many of them in one batch.
    commands: int = 0
    batch_commands: Histogram = field(default_factory=lambda: Histogram(BATCH_BOUNDS))
    #: From a command of a player to its outcome, when it is accepted; in microseconds.
    round_trip: Histogram = field(default_factory=lambda: Histogram(ROUND_TRIP_BOUNDS))
    #: Messages beyond the rate of their connection, and invalid messages.
    rate_limited: int = 0
    invalid: int = 0
    #: How often the house has admitted this gateway, and how often a session with it was lost.
    sessions: int = 0
    sessions_lost: int = 0


class GatewayGauges(NamedTuple):
    """What a gateway has now."""

    linked: bool
    #: Open connections, by the kind of device.
    connections: Counter[str]


class GatewayCollector(Collector):
    """Collects the metrics when Prometheus scrapes them."""

    def __init__(self, metrics: GatewayMetrics, gauges: Callable[[], GatewayGauges], build: str) -> None:
        self._metrics, self._gauges, self._build = metrics, gauges, build

    def collect(self) -> Iterator[Metric]:
        metrics, gauges = self._metrics, self._gauges()
        yield gauge_family(
            "gateway_connections", "WebSocket connections open now, by the kind of device.", "kind", gauges.connections
        )
        yield counter_family(
            "gateway_connections_closed", "Connections that the gateway closed, by reason.", "code", metrics.closed
        )
        yield _counted("gateway_commands", "Commands of players passed on to the house.", metrics.commands)
        yield metrics.batch_commands.family("gateway_batch_commands", "Commands in one batch.")
        yield metrics.round_trip.family(
            "gateway_round_trip_seconds", "From a command of a player to its outcome.", SECOND
        )
        yield _counted("gateway_rate_limited", "Messages beyond the rate of their connection.", metrics.rate_limited)
        yield _counted("gateway_invalid_messages", "Invalid messages of clients.", metrics.invalid)
        yield GaugeMetricFamily(metric_name("gateway_linked"), "1 while the house is there.", value=gauges.linked)
        yield _counted("gateway_sessions", "How often the house has admitted this gateway.", metrics.sessions)
        yield _counted("gateway_sessions_lost", "How often a session with the house was lost.", metrics.sessions_lost)
        yield build_info(self._build)


def _counted(name: str, words: str, count: int) -> Metric:
    return CounterMetricFamily(metric_name(name), words, value=count)
