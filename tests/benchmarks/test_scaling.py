"""The model of a million terminals on one wheel."""

from benchmarks.scaling import Model, figures, percentile

MEDIAN = "result at a terminal, median ms"


def test_model_counts_processes() -> None:
    """There are gateways for all connections, brokers for all gateways, and houses for the rush before the close."""
    model = Model(terminals=1_000_000, per_gateway=10_000, per_site=30, changes=3, rush_s=5, bet_ms=0.005, load_max=0.5)
    assert (model.gateways, model.sites, model.rush_rate, model.houses) == (100, 4, 300_000, 3)
    small = Model(terminals=1_000)
    assert (small.gateways, small.sites, small.houses) == (1, 1, 1)


def test_frame_takes_what_broker_and_gateway_take() -> None:
    """Without spread, and with terminals served at once, the last frame has waited for all sites and gateways."""
    model = Model(per_site=10, spread=0, frame_ms=0, broker_ms=0.1, site_ms=15, centre_ms=0.5, terminal_ms=40)
    found = figures(model, 1)
    assert round(found["result at the last of a sample, median ms"], 6) == 15 + 0.5 + 40 + 10 * 0.1 + 10 * 0.1
    assert figures(Model(frame_ms=0.1), 2)[MEDIAN] > figures(Model(frame_ms=0.008), 2)[MEDIAN]


def test_barrier_is_the_slowest_house() -> None:
    """Without spread the barrier is two ways and three commits, and the same seed gives the same figures."""
    model = Model(terminals=20_000, spread=0, site_ms=10, commit_ms=2)
    found = figures(model, 5)
    assert round(found["close barrier, p99 ms"], 6) == 26
    assert found == figures(model, 5)
    more = figures(Model(terminals=20_000, spread=0, site_ms=10, commit_ms=2, terminal_ms=80), 5)
    assert more[MEDIAN] > found[MEDIAN]
    assert percentile([3, 1, 2], 0.5) == 2
