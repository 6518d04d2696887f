"""The statistical battery: fair draws pass it, and each kind of unfair ones fails."""

import math
from itertools import cycle, islice
from random import Random

import pytest

from croupier.cli.rng import draws
from croupier.devices.battery import TESTS, battery, chi_square, occupied, tail
from tests.support.campaign import many

#: What no test may see by chance.
NEVER = 1e-9


def fair(count: int, pockets: int = 37, seed: int = 7) -> bytes:
    return bytes(Random(seed).choices(range(pockets), k=count))  # noqa: S311 - chance that can be had again


def repeating() -> bytes:
    """Each draw is the one before it, one time in ten."""
    random, drawn = Random(7), [0]  # noqa: S311 - chance that can be had again
    for pocket in fair(40_000):
        drawn.append(drawn[-1] if random.random() < 0.1 else pocket)
    return bytes(drawn)


def rising() -> bytes:
    """Every four draws come in rising order."""
    drawn = fair(40_000)
    return bytes(pocket for at in range(0, len(drawn), 4) for pocket in sorted(drawn[at : at + 4]))


def favoured() -> bytes:
    """One pocket in thirty comes in place of another."""
    return bytes(0 if at % 30 == 0 else pocket for at, pocket in enumerate(fair(40_000)))


def counting() -> bytes:
    return bytes(islice(cycle(range(37)), 40_000))


@pytest.mark.parametrize("pockets", [37, 38])
def test_fair_draws_pass(pockets: int) -> None:
    """Draws of a generator that is known to be fair pass every test."""
    results = battery(fair(60_000, pockets), pockets)

    assert [each.name for each in results] == list(TESTS)
    assert all(each.passed for each in results), results


@pytest.mark.parametrize(
    ("drawn", "failing"),
    [
        (favoured(), {"frequency", "gap"}),
        (repeating(), {"serial", "poker", "duplicates", "runs", "interplay correlation"}),
        (rising(), {"permutation", "interplay correlation", "runs"}),
        (counting(), {"serial", "poker", "coupon collector", "gap", "duplicates", "permutation"}),
        (bytes(40_000), set(TESTS)),
    ],
    ids=["favoured", "repeating", "rising", "counting", "stuck"],
)
def test_unfair_draws_fail(drawn: bytes, failing: set[str]) -> None:
    """Each kind of unfair draws fails the tests that are about it, beyond any doubt."""
    failed = {each.name for each in battery(drawn, 37) if each.p < NEVER}

    assert failing <= failed


@pytest.mark.campaign
def test_secure_source_passes() -> None:
    """Draws of the secure source, as a table's wheel makes them, show no bias in any test."""
    drawn = b"".join(draws(many(day=200_000, night=10_000_000), 37))

    assert all(each.p > NEVER for each in battery(drawn, 37))


@pytest.mark.parametrize(
    ("freedom", "value", "p"), [(1, 3.841, 0.05), (2, 5.991, 0.05), (36, 58.619, 0.01), (37, 59.893, 0.01)]
)
def test_tail_is_that_of_the_tables(freedom: int, value: float, p: float) -> None:
    """The tail of chi-square is the one in the printed tables, and 1 where nothing differs."""
    assert tail(value, freedom) == pytest.approx(p, rel=1e-3)
    assert tail(0, freedom) == 1


def test_classes_that_are_too_small_are_merged() -> None:
    """A class that is expected fewer than five times counts with its neighbour; one class says nothing."""
    assert chi_square([50, 47, 3], [0.5, 0.47, 0.03]) == 1
    assert chi_square([3, 1], [0.5, 0.5]) == 0


def test_occupation_is_exact() -> None:
    """The number of different pockets in two draws is as reckoned by hand, and its chances add up."""
    after = list(islice(occupied(37), 20))

    assert after[1] == pytest.approx([0, 1 / 37, 36 / 37, *[0] * 35])
    assert math.fsum(after[19]) == pytest.approx(1)
