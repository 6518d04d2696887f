"""The model of a million terminals on one wheel."""

from benchmarks.scaling import Model, figures, percentile


def test_model_counts_processes() -> None:
    """There are gateways for all connections, and houses for the rush before the close."""
    model = Model(terminals=1_000_000, per_gateway=10_000, changes=3, rush_s=5, house_rate=20_000)
    assert (model.gateways, model.rush_rate, model.houses) == (100, 300_000, 15)
    assert Model(terminals=1_000).houses == 1


def test_gateways_beyond_the_links_of_a_house_are_in_a_tree() -> None:
    """A house reaches as many gateways as it has links; each level of relays multiplies that, and adds a delay."""
    few, many, more = (Model(per_gateway=each, links_max=10) for each in (10_000, 1_000, 100))
    assert [model.relay_levels for model in (few, many, more)] == [0, 1, 2]
    flat, tree = (figures(Model(per_gateway=1_000, links_max=each, spread=0), 5) for each in (1_000, 25))
    least = 0.5
    assert tree["result at a terminal, median ms"] - flat["result at a terminal, median ms"] > least


def test_barrier_is_the_slowest_house() -> None:
    """Without spread the barrier is two ways and three commits, and the same seed gives the same figures."""
    model = Model(terminals=20_000, spread=0, site_ms=10, commit_ms=2)
    found = figures(model, 5)
    assert round(found["close barrier, p99 ms"], 6) == 26
    assert found == figures(model, 5)
    more = figures(Model(terminals=20_000, spread=0, site_ms=10, commit_ms=2, terminal_ms=80), 5)
    assert more["result at a terminal, median ms"] > found["result at a terminal, median ms"]
    assert percentile([3, 1, 2], 0.5) == 2
