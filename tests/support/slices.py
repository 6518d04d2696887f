"""Slices in tests: a clock by which so many steps fill a slice, and slices of one step where a clock stands still."""

from itertools import count

import pytest

from croupier.engine import slices
from croupier.engine.slices import SLICE_US, Now


def paced(steps: int) -> Now:
    """Return a clock that goes on whenever it is read, so that a slice has this many steps."""
    return count(step=-(-SLICE_US // steps)).__next__


def single_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every slice have one step: the clock of a test stands still while its house works."""
    monkeypatch.setattr(slices, "SLICE_US", 0)
