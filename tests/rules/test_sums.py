"""What chips can pay, compared with a trial of every number of pieces."""

from itertools import product

import pytest

from croupier.rules.sums import OwnPieces, sums_of

#: Beyond the amounts that are asked for, by more than the largest chip.
FAR = 60


def made(denominations: tuple[int, ...], own: OwnPieces) -> dict[int, tuple[int, ...]]:
    """Find the amounts that some chips make, each with the own pieces it needs, as few as possible of the first."""
    cash = {sum(numbers) for numbers in product(*(range(0, FAR + 1, value) for value in denominations))}
    found: dict[int, tuple[int, ...]] = {}
    for numbers in product(*(range(pieces + 1) for _, pieces in own)):
        worth = sum(number * value for number, (value, _) in zip(numbers, own, strict=True))
        for amount in cash:
            found.setdefault(amount + worth, numbers)
    return found


@pytest.mark.parametrize("denominations", [(1,), (5,), (3, 5), (4, 6), (10, 14), (6, 10, 15)])
@pytest.mark.parametrize("own", [(), ((2, 1),), ((7, 9),), ((7, 2), (4, 3))])
def test_sums_are_what_some_pieces_make(denominations: tuple[int, ...], own: OwnPieces) -> None:
    """Each amount is one that chips make or is not, and its neighbours are the next that they make."""
    sums, all_ = sums_of(denominations), made(denominations, own)
    for amount in range(31):
        assert sums.has(amount, own) == (amount in all_)
        assert sums.at_most(amount, own) == max(each for each in all_ if each <= amount)
        assert sums.at_least(amount, own) == min(each for each in all_ if each >= amount)
        assert sums.pieces(amount, own) == all_.get(amount, (0,) * len(own))
        if sums.has(amount):
            assert sum(value * count for value, count in sums.chips(amount)) == amount
