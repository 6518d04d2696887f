"""Replay: the entries of the journal applied to a house, and the projections that follow it."""

import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from croupier.house import House, evolve, evolve_bets
from croupier.house.ids import Context, Instant
from croupier.house.play.betting import BetsChanged
from croupier.journal.disk import Breach, JournalCorrupt
from croupier.journal.entry import Entry
from croupier.journal.pages import BetRow, VerifiedPage


def apply_entry(house: House, entry: Entry) -> None:
    """Apply an entry to the house; JournalCorrupt when its time goes back, Breach when the house cannot apply it."""
    if entry.context.now < house.now:
        raise _stamped_earlier(entry.position)
    try:
        evolve(house, entry.event, entry.context)
    except Exception as error:
        raise _breach(entry.position, error) from error


def apply_page(house: House, verified_page: VerifiedPage) -> None:
    """Apply all entries of a page from its rows, without building them; it raises what `apply_entry` raises."""
    body, position = verified_page.body, verified_page.page.first
    time, origins, hows = body.time, body.origins, [play.how for play in body.plays]
    try:
        for row in body.rows:
            # Calling Instant would take as long as a good part of applying a bet.
            now: Instant = time + row.after  # type: ignore[assignment]
            if now < house.now:
                break
            if type(row) is BetRow:
                evolve_bets(house, row, hows[row.play], now)
            else:
                evolve(house, row.event, Context(now, row.device, origins[row.origin].person))
            position += 1
        else:
            return
    except Exception as error:
        raise _breach(position, error) from error
    raise _stamped_earlier(position)


def _stamped_earlier(position: int) -> JournalCorrupt:
    return JournalCorrupt(position, "it is stamped earlier than the one before")


def _breach(position: int, error: Exception) -> Breach:
    """Whatever was raised: either the entry differs from what was written, or the replay is wrong."""
    return Breach(position, f"it cannot be applied: {type(error).__name__}: {error}")


class Projection:
    """A view of the past that is built entry by entry. It does not see BetsChanged, which no document needs."""

    def before_entry(self, house: House, entry: Entry) -> None:
        """Record what an entry is about to change, when that cannot be read afterwards."""

    def after_entry(self, house: House, entry: Entry) -> None:
        """Record what an entry has changed."""


class Replay:
    """A house rebuilt from the journal entry by entry, with the projections that follow it."""

    def __init__(self, house: House, projections: Sequence[Projection] = ()) -> None:
        self.house, self._projections = house, projections
        #: The last entry that was applied.
        self.position = 0

    def apply(self, entry: Entry) -> bool:
        """Apply the next entry; a replay never has enough."""
        assert entry.position == self.position + 1
        if type(entry.event) is BetsChanged:
            # Nearly every entry is one of these.
            apply_entry(self.house, entry)
        else:
            for projection in self._projections:
                projection.before_entry(self.house, entry)
            apply_entry(self.house, entry)
            for projection in self._projections:
                projection.after_entry(self.house, entry)
        self.position = entry.position
        return False


@contextmanager
def gc_paused() -> Iterator[None]:
    """Disable the garbage collector: a replay allocates no cycles, and collecting costs a third of its time."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()
