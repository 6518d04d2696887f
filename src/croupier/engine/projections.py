"""The one reader of the journal."""

import gc
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from croupier.house.commands.record import IncidentKind
from croupier.house.dispatch import evolve
from croupier.house.events.record import IncidentRaised
from croupier.house.events.rounds import BallRested, ReportIgnored
from croupier.house.ids import Instant, TableId
from croupier.house.settings import WheelKind
from croupier.house.state import House
from croupier.house.state.tables import Round
from croupier.journal.disk import Breach, JournalCorrupt
from croupier.journal.entry import EMPTY_HEAD, Entry, Page, verify_chain
from croupier.journal.stores import Store
from croupier.rules.refusal import Code, Refusal, refuse

#: How many of its pages are read between two turns, or entries where those are more, and how many pages for one answer.
PAGES_AT_ONCE: Final = 100


ENTRIES_AT_ONCE: Final = 4_000


PAGES_MAX: Final = 20_000


def apply_entry(house: House, entry: Entry) -> None:
    """Carry an entry out as it was the first time; Damaged where the house cannot do that."""
    if entry.context.now < house.now:
        raise JournalCorrupt(entry.position, "it is stamped earlier than the one before")
    try:
        evolve(house, entry.event, entry.context)
    except Exception as error:
        # Whatever it was: an entry that cannot be carried out as it was is not what was written, or we are wrong.
        raise Breach(entry.position, f"it cannot be carried out: {type(error).__name__}: {error}") from error


@contextmanager
def gc_paused() -> Iterator[None]:
    """Read at full speed: what reading makes stays or goes by itself, and looking for cycles in it costs a third."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


class Projection:
    """Looks at the house before and after each entry is carried out; chips that are moved it is not shown."""

    def before_entry(self, house: House, entry: Entry) -> None:
        """Note what an entry is about to change, where it cannot be told afterwards."""

    def after_entry(self, house: House, entry: Entry) -> None:
        """Note what an entry has changed."""


#: What is raised about a number that a wheel reports: its words may name it.
_OF_NUMBERS: Final = (IncidentKind.NUMBER_DIFFERS, IncidentKind.RESULT_BEFORE_SEAL)
#: When each wheel last reported, as far as was read.
Reports = Mapping[TableId, Instant]


def is_redacted(house: House, table: TableId) -> Round | None:
    """Find the round of a table whose number is drawn and does not count yet."""
    settings, round_ = house.tables[table].settings, house.tables[table].round
    if settings.wheel is not WheelKind.RANDOM or round_ is None or round_.over:
        return None
    return round_ if round_.reported is not None and round_.pocket is None else None


def reported(entry: Entry) -> dict[TableId, Instant]:
    """Tell whose number an entry names, and when; nothing where it names none that was only reported."""
    match entry.event:
        case BallRested(table=table) | ReportIgnored(table=table):
            return {table: entry.context.now}
        case IncidentRaised(kind=kind, subject=subject) if kind in _OF_NUMBERS:
            return {TableId(subject): entry.context.now}
        case _:
            return {}


def redaction_refusal(house: House, reports: Reports) -> Refusal | None:
    """Say that something cannot be handed out, since a number is in it that was drawn and does not count yet."""
    for table, at in sorted(reports.items()):
        round_ = is_redacted(house, table)
        if round_ is not None and at >= (round_.rested_at or 0):
            return not_counting(table, round_)
    return None


def not_counting(table: TableId, round_: Round) -> Refusal:
    """Say that a number is drawn that does not count yet."""
    number = round_.number
    says = f"At {table} a number is drawn that does not count yet: try again once round {number} is over."
    return refuse(Code.OUT_OF_TURN, None, says, table=table, round=number)


#: Takes an entry in, and tells whether that is enough.
Taker = Callable[[Entry], bool]


@dataclass(slots=True)
class JournalReader:
    """Goes through the journal from a position on; every page is held against the chain as it is read."""

    store: Store
    take: Taker
    #: The first entry that is looked at; None for the last there is, or the first.
    start: int | None = None
    backwards: bool = True
    #: How many entries are read at a time; what is left of the last page is read with them.
    at_once: int = ENTRIES_AT_ONCE
    #: The positions between which it has looked so far, and whether there is nothing beyond.
    first: int = 0
    last: int = 0
    ended: bool = False
    #: The last position that is kept.
    head: int = 0
    #: The page that is being read; 0 before the first.
    page: int = 0
    _read: int = -1

    def step(self) -> bool:
        """Read some pages more; tell whether it is done: enough was found, or there is no more, or that was plenty."""
        newest = self.store.last()
        if newest is None:
            self.ended = True
            return True
        self.head = newest.last
        if self._read < 0:
            self.page, self._read = self._begin(newest), 0
        left = self.at_once
        for _ in range(PAGES_AT_ONCE):
            page = self.store.page(self.page)
            self.ended = page is None
            if page is None or self._look(page):
                return True
            self.page += -1 if self.backwards else 1
            self._read += 1
            left -= page.last - page.first + 1
            if left <= 0:
                break
        return self._read >= PAGES_MAX

    def _begin(self, newest: Page) -> int:
        """Find the page to begin with: the one that has the position, found by halving."""
        wanted = (newest.last if self.backwards else 1) if self.start is None else self.start
        low, high = 1, newest.number
        while low < high:
            middle = (low + high) // 2
            page = self.store.page(middle)
            assert page is not None
            low, high = (low, middle) if page.last >= wanted else (middle + 1, high)
        return low

    def _look(self, page: Page) -> bool:
        for entry in self._entries(page):
            self.first = min(self.first or entry.position, entry.position)
            self.last = max(self.last, entry.position)
            if self.take(entry):
                return True
        return False

    def _entries(self, page: Page) -> Iterator[Entry]:
        before = self.store.page(page.number - 1)
        (verified_page,) = verify_chain((page,), EMPTY_HEAD if before is None else before.journal_head)
        start = self.start
        if start is None:
            wanted = verified_page.entries
        elif self.backwards:
            wanted = [each for each in verified_page.entries if each.position <= start]
        else:
            wanted = [each for each in verified_page.entries if each.position >= start]
        return reversed(wanted) if self.backwards else iter(wanted)
