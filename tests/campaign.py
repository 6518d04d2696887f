"""Campaigns: how much of a large space is walked, by day in the suite and by night in scripts/night."""

import os


def many(*, day: int, night: int) -> int:
    """Choose how many cases to walk: a sample by day, far more by night."""
    return night if os.environ.get("CROUPIER_NIGHT") else day
