"""Figures: what the running system counts for those who watch over it; nothing of one terminal, and no money."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric, SummaryMetricFamily
from prometheus_client.registry import Collector

from croupier.house.blocker import Blocker
from croupier.house.name import SECOND
from croupier.house.state import House


@dataclass(slots=True)
class Figures:
    """Plain counts. Whoever does a thing adds to them; they are read when somebody asks."""

    #: Open now, by the kind of door.
    doors: Counter[str] = field(default_factory=Counter)
    #: Shut since the start, by the code that was said.
    shut: Counter[str] = field(default_factory=Counter)
    commands: int = 0
    #: By code.
    refusals: Counter[str] = field(default_factory=Counter)
    #: Commands that wait for the next turn.
    waiting: int = 0
    frames: int = 0
    batches: int = 0
    entries: int = 0
    entries_most: int = 0
    #: How long the disk has taken, in microseconds.
    keeping: int = 0
    keeping_most: int = 0

    def kept(self, entries: int, took: int) -> None:
        """Count a batch that the journal has kept: its entries, and how long that took."""
        self.batches += 1
        self.entries += entries
        self.entries_most = max(self.entries_most, entries)
        self.keeping += took
        self.keeping_most = max(self.keeping_most, took)


class Report(Collector):
    """Puts the figures into the words of Prometheus when it is asked for them."""

    def __init__(self, figures: Figures, house: House, blocked: Callable[[], Iterable[Blocker]] = tuple) -> None:
        self.figures, self.house, self.blocked = figures, house, blocked

    def collect(self) -> Iterator[Metric]:
        figures = self.figures
        yield _gauge("doors", "Doors open now.", "door", figures.doors)
        yield _counter("doors_shut", "Doors that the house has shut, by what it said.", "code", figures.shut)
        yield CounterMetricFamily(_name("commands"), "Commands answered.", value=figures.commands)
        yield _counter("refusals", "Commands refused.", "code", figures.refusals)
        yield GaugeMetricFamily(_name("waiting"), "Commands that wait for the next turn.", value=figures.waiting)
        yield CounterMetricFamily(_name("frames"), "Frames sent to doors.", value=figures.frames)
        yield SummaryMetricFamily(
            _name("batch_entries"),
            "Entries kept, by the batch.",
            count_value=figures.batches,
            sum_value=figures.entries,
        )
        yield GaugeMetricFamily(_name("batch_entries_most"), "The largest batch.", value=figures.entries_most)
        yield SummaryMetricFamily(
            _name("keeping_seconds"),
            "How long the disk took to keep a batch.",
            count_value=figures.batches,
            sum_value=figures.keeping / SECOND,
        )
        longest = figures.keeping_most / SECOND
        yield GaugeMetricFamily(_name("keeping_seconds_most"), "The longest that the disk took.", value=longest)
        rounds = Counter({str(table.id): int(table.rounds) for table in self.house.tables.values()})
        yield self._blocked()
        yield _counter("rounds", "Rounds begun at each table.", "table", rounds)

    def _blocked(self) -> Metric:
        words = "Reasons why a table cannot play: 1 while it holds."
        family = GaugeMetricFamily(_name("table_blocked"), words, labels=["table", "reason"])
        for each in self.blocked():
            family.add_metric([each.table, each.reason], 1)
        return family


def exposition(report: Report) -> bytes:
    """Write the report as Prometheus reads it."""
    registry = CollectorRegistry()
    registry.register(report)
    return generate_latest(registry)


#: The type that Prometheus expects of what `exposition` writes.
EXPOSITION_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"


def _name(name: str) -> str:
    return f"croupier_{name}"


def _gauge(name: str, words: str, label: str, counts: Counter[str]) -> Metric:
    family = GaugeMetricFamily(_name(name), words, labels=[label])
    return _filled(family, counts)


def _counter(name: str, words: str, label: str, counts: Counter[str]) -> Metric:
    family = CounterMetricFamily(_name(name), words, labels=[label])
    return _filled(family, counts)


def _filled(family: GaugeMetricFamily | CounterMetricFamily, counts: Counter[str]) -> Metric:
    for value, count in sorted(counts.items()):
        family.add_metric([value], count)
    return family
