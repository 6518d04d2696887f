"""A page of the journal: its entries in plain words, picked out by table, terminal, person, kind and matter."""

from collections.abc import Iterator

from croupier.house.event.base import Event
from croupier.house.event.record import BetsConfirmed, BetsVoided, CaseCleared, LineLossCleared
from croupier.house.name import TableId
from croupier.house.settings import WheelKind
from croupier.house.state import House
from croupier.journal.entry import Entry
from croupier.web import incoming, outgoing
from croupier.web.about import KINDS
from croupier.web.journalwords import WORDS, in_words
from croupier.web.limits import ROWS_MOST
from croupier.web.querydata import JournalRow
from croupier.web.reading import Reading


class Picking:
    """Collects the entries that are asked for, until there are enough of them."""

    def __init__(self, wanted: incoming.Journal) -> None:
        self._wanted, self.found = wanted, list[Entry]()
        self._kinds = frozenset(WORDS) if wanted.about is None else KINDS[wanted.about]

    def take(self, entry: Entry) -> bool:
        if self._is_wanted(entry):
            self.found.append(entry)
        return len(self.found) >= ROWS_MOST

    def _is_wanted(self, entry: Entry) -> bool:
        wanted, event = self._wanted, entry.event
        return type(event) in self._kinds and all(
            asked is None or asked == told
            for asked, told in (
                (wanted.table, getattr(event, "table", None)),
                (wanted.terminal, getattr(event, "terminal", None)),
                (wanted.person, entry.stamp.person),
                (wanted.kind, type(event).__name__),
            )
        )


def page_of(house: House, message: incoming.Journal, reading: Reading, found: list[Entry]) -> outgoing.Journal:
    """Put what was found as it is told, the newest first."""
    rows = [row(house, entry) for entry in found]
    return outgoing.Journal(
        q=message.q,
        rows=tuple(rows if reading.backwards else reversed(rows)),
        first=reading.first,
        last=reading.last,
        more=not reading.ended,
        head=reading.head,
    )


def row(house: House, entry: Entry) -> JournalRow:
    event, stamp = entry.event, entry.stamp
    return JournalRow(
        position=entry.position,
        at_us=stamp.now,
        day=entry.day,
        kind=type(event).__name__,
        words=words_of(house, event),
        clause=getattr(event, "clause", None),
        person=stamp.person,
        device=stamp.device,
        table=getattr(event, "table", None),
        terminal=next(_terminals(house, event), None),
        round=getattr(event, "round", None),
    )


def words_of(house: House, event: Event) -> str:
    """Say what an event tells, as far as it may be told by now."""
    table = house.tables.get(TableId(getattr(event, "table", "")))
    return in_words(event, drawn=table is not None and table.settings.wheel is WheelKind.RANDOM)


def _terminals(house: House, event: Event) -> Iterator[str]:
    """Name the terminals that an event is about: its own, or those of its cases."""
    own = getattr(event, "terminal", None)
    if own is not None:
        yield own
    elif isinstance(event, LineLossCleared):
        yield from (house.cases[each].terminal for each in event.cases if each in house.cases)
    elif isinstance(event, BetsConfirmed | BetsVoided | CaseCleared) and event.case in house.cases:
        yield house.cases[event.case].terminal
