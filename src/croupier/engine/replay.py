"""Replay: entries that were kept, carried out again."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

from croupier.house.evolve import evolve
from croupier.house.state import House
from croupier.journal.entry import Entry
from croupier.journal.fault import Breach, Damaged


def carry_out(house: House, entry: Entry) -> None:
    """Carry an entry out as it was the first time; Damaged where the house cannot do that."""
    if entry.stamp.now < house.now:
        raise Damaged(entry.position, "it is stamped earlier than the one before")
    try:
        evolve(house, entry.event, entry.stamp)
    except Exception as error:
        # Whatever it was: an entry that cannot be carried out as it was is not what was written, or we are wrong.
        raise Breach(entry.position, f"it cannot be carried out: {type(error).__name__}: {error}") from error


@contextmanager
def uncollected() -> Iterator[None]:
    """Read at full speed: what reading makes stays or goes by itself, and looking for cycles in it costs a third."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()
