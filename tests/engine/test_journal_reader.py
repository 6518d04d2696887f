"""Entry scans: the journal is read from any position in either direction, in bounded steps."""

from typing import Final

import pytest
from msgspec.structs import replace

from croupier.engine.journal_reader import PAGES_MAX, EntryScan
from croupier.house.declare import EVENTS, Event
from croupier.house.floor.incidents import IncidentFacts, IncidentKind, IncidentRaised
from croupier.house.floor.staff import DeviceEnrolled
from croupier.house.ids import SYSTEM, Context, Day, DeviceId, Instant, TableId
from croupier.house.rounds.results import BallRested
from croupier.house.rounds.settlement import ResultDeclared
from croupier.journal.entry import Entry
from croupier.journal.stores.memory import MemoryJournal, MemoryStore
from croupier.server.events import event_sentence
from tests.server.test_views import entry
from tests.support.slices import paced

PAGES: Final = 250
#: How many pages are read in a slice.
SLICE: Final = 100


@pytest.fixture(scope="module")
def journal() -> MemoryJournal:
    """A journal of so many pages with two entries each."""
    journal = MemoryJournal()
    for page in range(PAGES):
        events = (DeviceEnrolled(DeviceId(f"{page} a")), DeviceEnrolled(DeviceId(f"{page} b")))
        journal.append(events, Day(20261115), Context(Instant(page), SYSTEM))
    return journal


def read(journal: MemoryJournal, most: int, start: int | None, *, backwards: bool) -> tuple[list[int], EntryScan, int]:
    """Read so many entries; tell their positions, and in how many steps."""
    found: list[int] = []

    def take(each: Entry) -> bool:
        found.append(each.position)
        return len(found) >= most

    reading, steps = EntryScan(journal.store, take, paced(SLICE), start, backwards), 1
    while not reading.step():
        steps += 1
    return found, reading, steps


@pytest.mark.parametrize(
    ("start", "backwards", "wanted"),
    [
        (None, True, [500, 499, 498]),
        (None, False, [1, 2, 3]),
        (7, True, [7, 6, 5]),
        (8, True, [8, 7, 6]),
        (7, False, [7, 8, 9]),
        (8, False, [8, 9, 10]),
        (2, True, [2, 1]),
        (499, False, [499, 500]),
        (0, True, []),
        (501, False, []),
        (600, True, [500, 499, 498]),
    ],
)
def test_journal_is_read_from_any_position(
    journal: MemoryJournal, start: int | None, wanted: list[int], *, backwards: bool
) -> None:
    """Three entries are found from any position in either direction, and fewer only at an end."""
    found, reading, steps = read(journal, 3, start, backwards=backwards)

    assert found == wanted
    assert reading.ended is (len(wanted) < 3)
    assert (reading.first, reading.last) == ((min(wanted), max(wanted)) if wanted else (0, 0))
    assert (reading.head, steps) == (500, 1)


@pytest.mark.parametrize("backwards", [True, False])
def test_whole_journal_takes_several_steps(journal: MemoryJournal, *, backwards: bool) -> None:
    """No step reads longer than a slice, and all together read everything once."""
    found, reading, steps = read(journal, 10_000, None, backwards=backwards)

    assert sorted(found) == list(range(1, 501))
    assert found == sorted(found, reverse=backwards)
    assert steps == PAGES // SLICE + 1
    assert reading.ended


def test_search_ends_after_so_many_pages(journal: MemoryJournal, monkeypatch: pytest.MonkeyPatch) -> None:
    """A search that finds nothing gives up in time, and says that there is more."""
    assert PAGES_MAX > PAGES
    monkeypatch.setattr("croupier.engine.journal_reader.PAGES_MAX", SLICE)
    found, reading, steps = read(journal, 10_000, None, backwards=True)

    assert (len(found), steps, reading.ended) == (2 * SLICE, 1, False)


def test_empty_journal_has_nothing() -> None:
    """Where nothing was ever written there is nothing to read."""
    reading = EntryScan(MemoryStore(), lambda _: True, paced(SLICE))

    assert reading.step()
    assert (reading.ended, reading.head) == (True, 0)


@pytest.mark.parametrize("kind", EVENTS, ids=lambda kind: kind.__name__)
def test_words_can_be_filled_in(kind: type[Event]) -> None:
    """Whatever an event says goes into its sentence."""
    event: Event = entry(kind, spots=("17", "20"), amount=500, value=500, words="", multiples={}).event
    if isinstance(event, IncidentRaised):
        event = replace(event, kind=IncidentKind.DISK_LOW, facts=IncidentFacts())
    said = event_sentence(event, drawn=False)

    assert said.endswith((".", ":", "none"))
    assert "{" not in said


def test_words_name_amounts_and_chips() -> None:
    """Chips are told with their amounts, booleans as yes and no, and lists that are empty as all."""
    kinds = {kind.__name__: kind for kind in EVENTS}
    assert event_sentence(entry(kinds["BetsChanged"]).event, drawn=False) == (
        "Chips: place, so that there lie 5 on 17, 0 on 20."
    )
    assert (
        event_sentence(entry(kinds["AutoCopySet"], target="B", on=True).event, drawn=False)
        == "Auto copy to B is on: yes."
    )
    sent = entry(kinds["MessageSent"], words="Good luck.").event
    assert event_sentence(sent, drawn=False) == "A message was sent to all: Good luck."


def test_drawn_number_is_left_out() -> None:
    """What a random wheel drew is not told with its report, and is with the result."""
    table = TableId("A")
    rested = entry(BallRested, table=table, pocket="29").event
    declared = entry(ResultDeclared, table=table, pocket="29").event

    assert "29" not in event_sentence(rested, drawn=True)
    assert "29" in event_sentence(rested, drawn=False)
    assert "29" in event_sentence(declared, drawn=True)
