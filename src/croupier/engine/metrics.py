"""Metrics of the running system, in Prometheus format; they contain no money and nothing about one terminal."""

import asyncio
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import accumulate
from types import MappingProxyType
from typing import Final, NamedTuple

from prometheus_client import CollectorRegistry, ProcessCollector, generate_latest
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    InfoMetricFamily,
    Metric,
)
from prometheus_client.registry import Collector

from croupier.house import House
from croupier.house.blockers import Blocker
from croupier.house.ids import SECOND

#: The upper bounds of the histograms: commit times in microseconds, and entries of a batch.
COMMIT_BOUNDS: Final = tuple(
    tenths_of_ms * 100 for tenths_of_ms in (5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 50_000)
)
#: The upper bounds of pauses of the event loop, in microseconds.
PAUSE_BOUNDS: Final = tuple(ms * 1_000 for ms in (1, 2, 5, 10, 20, 50, 100, 250, 1_000, 5_000))
BATCH_BOUNDS: Final = (1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000)


class Histogram:
    """Counts of values by upper bounds. Observing one takes a binary search and two additions."""

    __slots__ = ("bounds", "counts", "total")

    def __init__(self, bounds: tuple[int, ...]) -> None:
        self.bounds, self.counts, self.total = bounds, [0] * (len(bounds) + 1), 0

    def observe(self, value: int) -> None:
        self.counts[bisect_left(self.bounds, value)] += 1
        self.total += value

    def family(self, name: str, words: str, unit: int = 1) -> Metric:
        """Convert it for Prometheus, with its values divided by the unit."""
        bounds = (*(str(float(bound / unit)) for bound in self.bounds), "+Inf")
        buckets = list(zip(bounds, accumulate(self.counts), strict=True))
        return HistogramMetricFamily(metric_name(name), words, buckets=buckets, sum_value=self.total / unit)


@dataclass(slots=True)
class Metrics:
    """Plain counters, read when they are scraped."""

    #: Open connections, by the kind of device.
    connections: Counter[str] = field(default_factory=Counter)
    #: Connections closed since the start, by close code.
    closed: Counter[str] = field(default_factory=Counter)
    commands: int = 0
    #: By code.
    refusals: Counter[str] = field(default_factory=Counter)
    #: Commands that wait for the next batch.
    queued: int = 0
    frames: int = 0
    batch_entries: Histogram = field(default_factory=lambda: Histogram(BATCH_BOUNDS))
    #: How long each commit took, in microseconds.
    commit: Histogram = field(default_factory=lambda: Histogram(COMMIT_BOUNDS))

    #: How late the event loop ran the timer of its watchdog, in microseconds.
    pauses: Histogram = field(default_factory=lambda: Histogram(PAUSE_BOUNDS))
    #: The longest of these pauses since the start.
    longest_pause: int = 0

    def paused(self, late: int) -> None:
        """Count one measurement of the watchdog."""
        self.pauses.observe(late)
        self.longest_pause = max(self.longest_pause, late)

    def committed(self, entries: int, took: int) -> None:
        """Count a committed batch: its entries, and how long the commit took."""
        self.batch_entries.observe(entries)
        self.commit.observe(took)


class PauseWatchdog:
    """Measures how long the event loop is busy with one thing: how late it runs a timer."""

    #: The interval of the timer, in microseconds. A pause is measured with an error of at most this.
    EVERY: Final = SECOND // 200

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics
        self._timer: asyncio.TimerHandle | None = None

    def begin(self) -> None:
        """Measure on the running event loop, until it is stopped."""
        loop = asyncio.get_running_loop()
        due = loop.time() + self.EVERY / SECOND

        def ring() -> None:
            self._metrics.paused(max(0, round((loop.time() - due) * SECOND)))
            self.begin()

        self._timer = loop.call_at(due, ring)

    def stop(self) -> None:
        """Measure no more."""
        if self._timer is not None:
            self._timer.cancel()


class Vitals(NamedTuple):
    """Gauges of the build, the journal, the disk and the backups."""

    #: The version and the digest of the code.
    build: str = ""
    epoch: int = 0
    #: The last committed entry, the last signed entry, and the last entry in a snapshot.
    position: int = 0
    signed_to: int = 0
    snapshot: int = 0
    #: Free bytes, by what the disk stores.
    disk_free: Mapping[str, int] = MappingProxyType({})
    #: When the last backup was made, in microseconds since 1970; None when none is known.
    backup_at: int | None = None
    #: Whether the process that makes snapshots works, and how often it was started.
    snapshot_process: bool = False
    snapshot_process_starts: int = 0


class MetricsCollector(Collector):
    """Collects the metrics when Prometheus scrapes them."""

    def __init__(
        self,
        metrics: Metrics,
        house: House,
        blocked: Callable[[], Iterable[Blocker]] = tuple,
        vitals: Callable[[], Vitals] = Vitals,
    ) -> None:
        self.metrics, self.house, self.blocked, self.vitals = metrics, house, blocked, vitals

    def collect(self) -> Iterator[Metric]:
        metrics = self.metrics
        yield gauge_family(
            "connections", "WebSocket connections open now, by the kind of device.", "kind", metrics.connections
        )
        yield counter_family(
            "connections_closed", "Connections that the server closed, by reason.", "code", metrics.closed
        )
        yield CounterMetricFamily(metric_name("commands"), "Commands answered.", value=metrics.commands)
        yield counter_family("refusals", "Commands refused.", "code", metrics.refusals)
        yield GaugeMetricFamily(metric_name("commands_queued"), "Commands that wait for a batch.", value=metrics.queued)
        yield CounterMetricFamily(metric_name("frames_sent"), "WebSocket frames sent.", value=metrics.frames)
        yield metrics.batch_entries.family("batch_entries", "Journal entries committed in one batch.")
        yield metrics.commit.family("commit_seconds", "How long it took to commit a batch to the disk.", SECOND)
        yield metrics.pauses.family("loop_pause_seconds", "How late the event loop ran a timer.", SECOND)
        longest = metrics.longest_pause / SECOND
        yield GaugeMetricFamily(
            metric_name("loop_pause_longest_seconds"), "The longest pause since the start.", value=longest
        )
        rounds = Counter({str(table.id): int(table.rounds) for table in self.house.tables.values()})
        yield counter_family("rounds", "Rounds begun at each table.", "table", rounds)
        open_incidents = sum(each.cleared_by is None for each in self.house.incidents.all.values())
        yield GaugeMetricFamily(
            metric_name("incidents_open"), "Incidents that wait for somebody.", value=open_incidents
        )
        yield from self._blocked()
        yield from self._machine(self.vitals())

    def _machine(self, vitals: Vitals) -> Iterator[Metric]:
        yield build_info(vitals.build)
        yield GaugeMetricFamily(
            metric_name("epoch"), "How often this journal was opened to be written.", value=vitals.epoch
        )
        yield GaugeMetricFamily(metric_name("journal_position"), "The last entry committed.", value=vitals.position)
        yield GaugeMetricFamily(
            metric_name("journal_signed_position"), "The last entry signed.", value=vitals.signed_to
        )
        yield GaugeMetricFamily(
            metric_name("snapshot_position"), "The last entry in a snapshot.", value=vitals.snapshot
        )
        yield GaugeMetricFamily(
            metric_name("snapshot_process_up"),
            "1 while the process works that makes snapshots.",
            value=vitals.snapshot_process,
        )
        yield CounterMetricFamily(
            metric_name("snapshot_process_starts"),
            "How often the process was started that makes snapshots.",
            value=vitals.snapshot_process_starts,
        )
        yield gauge_family("disk_free_bytes", "Free space on the disk.", "of", Counter(vitals.disk_free))
        if vitals.backup_at is not None:
            at = vitals.backup_at / SECOND
            yield GaugeMetricFamily(
                metric_name("last_backup_timestamp_seconds"), "When the last backup was made.", value=at
            )

    def _blocked(self) -> Iterator[Metric]:
        found, labels = tuple(self.blocked()), ["table", "reason"]
        words = "Reasons why a table cannot play: 1 while it holds."
        tables = GaugeMetricFamily(metric_name("table_blocked"), words, labels=labels)
        for each in found:
            if not each.terminal:
                tables.add_metric([each.table, each.reason], 1)
        yield tables
        words = "Terminals of a table that cannot play, by reason."
        terminals = GaugeMetricFamily(metric_name("terminals_blocked"), words, labels=labels)
        for (table, reason), count in Counter((each.table, each.reason) for each in found if each.terminal).items():
            terminals.add_metric([table, reason], count)
        yield terminals


def build_info(build: str) -> Metric:
    """Return the version and the digest of the code."""
    version, _, digest = build.partition(" ")
    family = InfoMetricFamily(metric_name("build"), "The software that is running.")
    family.add_metric([], {"version": version, "digest": digest})
    return family


def exposition(report: Collector) -> bytes:
    """Encode the metrics in Prometheus's text format."""
    registry = CollectorRegistry()
    registry.register(report)
    ProcessCollector(registry=registry)
    return generate_latest(registry)


#: The content type of that format.
EXPOSITION_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"


def metric_name(name: str) -> str:
    """Return the full name of a metric."""
    return f"croupier_{name}"


def gauge_family(name: str, words: str, label: str, counts: Counter[str]) -> Metric:
    """Return a gauge with a value for each label."""
    family = GaugeMetricFamily(metric_name(name), words, labels=[label])
    return _filled(family, counts)


def counter_family(name: str, words: str, label: str, counts: Counter[str]) -> Metric:
    """Return a counter with a value for each label."""
    family = CounterMetricFamily(metric_name(name), words, labels=[label])
    return _filled(family, counts)


def _filled(family: GaugeMetricFamily | CounterMetricFamily, counts: Counter[str]) -> Metric:
    for value, count in sorted(counts.items()):
        family.add_metric([value], count)
    return family
