"""Naming: what a journal's tables and terminals are called in a round, whatever their own names are."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, Final

import msgspec

from croupier.house.command.record import IncidentKind
from croupier.house.event.any import AnyEvent
from croupier.house.event.base import Event
from croupier.house.event.credit import PlayMoneyGranted
from croupier.house.event.play import BetsChanged, BetsReturned, Return
from croupier.house.event.record import IncidentRaised, MalfunctionRaised, TerminalLost, TerminalReturned
from croupier.house.event.round import BetsOpened, DayBegan
from croupier.house.event.venue import HouseRecovered, TableAdded, TerminalAdded
from croupier.house.name import TableId, TerminalId
from croupier.house.stamp import SYSTEM
from croupier.journal.entry import Entry
from croupier.rounds.place import seat_named, table_named

#: Entries by page: what one command gave never goes over a page.
Pages = Iterable[Sequence[Entry]]

#: The fields of events and commands that hold such a name.
_HOLD: Final = {"table", "terminal", "target", "source", "subject", "place"}
_SEAT: Final = re.compile("seat [1-9][0-9]*")


@dataclass(frozen=True, slots=True)
class Plan:
    """The tables and terminals of a venue, in the order in which they were added."""

    tables: list[TableId] = field(default_factory=list)
    terminals: list[TerminalId] = field(default_factory=list)


#: With what a deed of the house's own begins: several of one instant are told apart by it.
_BEGINS: Final = (HouseRecovered, DayBegan, TerminalLost, TerminalReturned, MalfunctionRaised, PlayMoneyGranted)
#: What the system itself tells staff of when it meets with it.
_ALARMS: Final = (
    IncidentKind.KEY_REUSED,
    IncidentKind.CLOCK_JUMPED,
    IncidentKind.SNAPSHOT_IGNORED,
    IncidentKind.SNAPSHOT_FAILED,
    IncidentKind.DISK_LOW,
    IncidentKind.COMMAND_FAILED,
    IncidentKind.HISTORY_LOST,
)


def commands(pages: Pages) -> Iterator[list[Entry]]:
    """Part entries by the commands that they came from; a player's give one event each."""
    for page in pages:
        for _, together in groupby(page, key=lambda each: (each.stamp, each.cause)):
            entries: list[Entry] = []
            for entry in together:
                if entries and _begins(entry.event, entries[-1].event, own=entry.stamp.device == SYSTEM):
                    yield entries
                    entries = []
                entries.append(entry)
            yield entries


def _begins(event: Event, last: Event, *, own: bool) -> bool:
    """Tell whether an event begins another command, though it has the stamp of the one before."""
    if own:
        # Chips that the new terms of a round do not take go back before it is opened.
        opens = isinstance(event, BetsOpened) and not _is_of_opening(last)
        clears = _is_of_opening(event) and not _is_of_opening(last)
        alarm = _is_alarm(event) or _is_alarm(last) or _is_malfunction(event)
        return opens or clears or alarm or isinstance(event, _BEGINS)
    return isinstance(event, BetsChanged) and isinstance(last, BetsChanged)


def _is_of_opening(event: Event) -> bool:
    return isinstance(event, BetsReturned) and event.why is Return.NEW_TERMS


def _is_malfunction(event: Event) -> bool:
    return isinstance(event, IncidentRaised) and event.kind is IncidentKind.MALFUNCTION


def _is_alarm(event: Event) -> bool:
    return isinstance(event, IncidentRaised) and event.kind in _ALARMS


def survey(pages: Pages) -> Plan:
    """Find every table and terminal that a journal knows."""
    plan = Plan()
    for page in pages:
        for entry in page:
            match entry.event:
                case TableAdded(table=table):
                    plan.tables.append(table)
                case TerminalAdded(terminal=terminal):
                    plan.terminals.append(terminal)
    return plan


def naming(plan: Plan, table: TableId) -> Mapping[str, str]:
    """Name one table the first, the others after it, and every terminal a seat; what is named so already keeps it."""
    tables = [table, *(each for each in plan.tables if each != table)]
    names: dict[str, str] = {each: table_named(number) for number, each in enumerate(tables, start=1)}
    if not all(_SEAT.fullmatch(each) for each in plan.terminals):
        names |= {each: seat_named(number) for number, each in enumerate(plan.terminals, start=1)}
    return {name: given for name, given in names.items() if name != given}


class EarlierError(Exception):
    """It is about something that the round does not tell of: from before it, or from elsewhere."""


class Numbers:
    """The numbered things that a round tells of: it counts its own from 1, whatever the journal's numbers are."""

    def __init__(self) -> None:
        self._told: defaultdict[str, dict[int, int]] = defaultdict(dict)

    def tell(self, field: str, number: int) -> None:
        """Count one more of them."""
        self._told[field].setdefault(number, len(self._told[field]) + 1)

    def nth(self, field: str, number: int) -> int:
        """Give the number that a thing has in the round, or raise EarlierError where it has none."""
        if not self.has(field, number):
            raise EarlierError
        return self._told[field][number]

    def has(self, field: str, number: int) -> bool:
        """Tell whether the round has told of a thing."""
        return number in self._told[field]

    def known(self, field: str, number: int) -> int:
        """Give the number that a thing has in the round; the journal's own where it has none."""
        return self._told[field].get(number, number)


def renamed(event: Event, names: Mapping[str, str]) -> Event:
    """Give an event with the names of a round in it."""
    given: Event = msgspec.convert(_walk(msgspec.to_builtins(event), names), AnyEvent) if names else event
    return given


def _walk(value: Any, names: Mapping[str, str]) -> Any:  # noqa: ANN401 - what JSON may hold
    """Change the names in an event and, where it proposes a command, in that."""
    if not isinstance(value, dict):
        return value
    return {
        key: names.get(each, each) if key in _HOLD and isinstance(each, str) else _walk(each, names)
        for key, each in value.items()
    }
