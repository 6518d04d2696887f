"""Slices: long work keeps the event loop for one budget of time, and goes on in later iterations."""

import asyncio
from collections.abc import Iterator
from functools import partial

import pytest

from croupier.engine.slices import SLICE_US, Slicer, sliced
from tests.support.connections import played


class Steps:
    """A clock, and work that takes a quarter of a budget for each step."""

    def __init__(self) -> None:
        self.at = 0
        self.done: list[int] = []

    def now(self) -> int:
        return self.at

    def step(self, number: int) -> None:
        self.at += SLICE_US // 4
        self.done.append(number)

    def work(self, steps: int) -> Iterator[None]:
        for number in range(steps):
            self.step(number)
            yield


def test_work_pauses_when_its_budget_is_used() -> None:
    """Ten steps of a quarter of the budget are three parts: of four, four and two steps."""
    steps = Steps()
    parts = [len(steps.done) for _ in sliced(steps.work(10), steps.now)]
    assert (parts, len(steps.done)) == ([4, 8], 10)


def test_each_part_has_a_whole_budget() -> None:
    """Time that passes between two parts counts for neither."""
    steps, parts = Steps(), list[int]()
    for _ in sliced(steps.work(9), steps.now):
        parts.append(len(steps.done))
        steps.at += 10 * SLICE_US
    assert parts == [4, 8]


def test_calls_share_the_budget_of_an_iteration() -> None:
    """Of seven calls four run in an iteration of the event loop, in their order, and new ones after those waiting."""

    async def scenario() -> None:
        steps = Steps()
        slicer = Slicer(steps.now)
        for number in range(6):
            slicer.run(partial(steps.step, number))
        assert steps.done == [0, 1, 2, 3]
        slicer.run(partial(steps.step, 6))
        assert steps.done == [0, 1, 2, 3]
        await asyncio.sleep(0)
        assert steps.done == list(range(7))
        await asyncio.sleep(0)
        slicer.run(partial(steps.step, 7))
        assert steps.done == list(range(8))

    played(scenario)


def test_call_that_passes_itself_on_lets_others_run() -> None:
    """Long work takes turns with what came after it, and a call inside a call runs after it."""

    async def scenario() -> None:
        steps = Steps()
        slicer = Slicer(steps.now)

        def long(left: int) -> None:
            if left > 1:
                slicer.run(partial(long, left - 1))
            steps.step(left)

        slicer.run(partial(long, 5))
        assert steps.done == [5, 4, 3, 2]
        slicer.run(partial(steps.step, 0))
        await asyncio.sleep(0)
        assert steps.done == [5, 4, 3, 2, 1, 0]

    played(scenario)


def test_call_that_fails_keeps_no_other_from_running() -> None:
    """An exception reaches the caller, and the calls that wait run in the next iteration."""

    async def scenario() -> None:
        steps = Steps()
        slicer = Slicer(steps.now)

        def fail() -> None:
            slicer.run(partial(steps.step, 1))
            raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            slicer.run(fail)
        assert steps.done == []
        await asyncio.sleep(0)
        assert steps.done == [1]

    played(scenario)
