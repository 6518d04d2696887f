"""The model of a million terminals on one wheel."""

from benchmarks.scaling import Model, figures, percentile


def test_model_counts_processes() -> None:
    """There are gateways for all connections, and houses for the rush before the close."""
    model = Model(terminals=1_000_000, per_gateway=10_000, changes=3, rush_s=5, house_rate=20_000)
    assert (model.gateways, model.rush_rate, model.houses) == (100, 300_000, 15)
    assert Model(terminals=1_000).houses == 1


def test_barrier_is_the_slowest_house() -> None:
    """Without spread the barrier is two ways and three commits, and the same seed gives the same figures."""
    model = Model(terminals=20_000, spread=0, site_ms=10, commit_ms=2)
    found = figures(model, 5)
    assert round(found["close barrier, p99 ms"], 6) == 26
    assert found == figures(model, 5)
    more = figures(Model(terminals=20_000, spread=0, site_ms=10, commit_ms=2, terminal_ms=80), 5)
    assert more["result at a terminal, median ms"] > found["result at a terminal, median ms"]
    assert percentile([3, 1, 2], 0.5) == 2
