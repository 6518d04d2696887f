"""Campaigns: how much of a large space is walked, by day in the suite and by night in scripts/night."""

import os


def many(*, day: int, night: int) -> int:
    """Choose how many cases to walk: a sample by day, far more by night."""
    return night if os.environ.get("CROUPIER_NIGHT") else day


def portions(*, day: int, night: int, size: int) -> list[range]:
    """Divide the cases into portions, each a test of its own: a test that takes longer than the time limit fails."""
    count = many(day=day, night=night)
    return [range(first, min(first + size, count)) for first in range(0, count, size)]
