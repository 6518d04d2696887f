"""Changes: which tables, seats and consoles a batch of entries concerns."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from croupier.house.event import credit, record, round, venue  # noqa: A004 - the casino's word
from croupier.house.event.base import AtTable, AtTerminal, Event
from croupier.house.event.play import BetsChanged, Edit
from croupier.house.name import TableId, TerminalId
from croupier.house.state import House
from croupier.journal.entry import Entry

#: What moves the chips, the credits or the limits of everybody at a table.
MOVES_ALL: Final = (
    round.BetsOpened,
    round.BetsSealed,
    round.RoundSettled,
    round.RoundVoided,
    round.SpinVoided,
    round.TerminalsReset,
    round.ResultCorrected,
    round.OutcomeInvalidated,
)

# Looked up once, as every chip comes past here: to find a member of an enumeration takes 0.1 µs each time.
_RECALL: Final = Edit.RECALL


@dataclass(slots=True)
class Change:
    """What a batch has changed, for whoever is told of it."""

    tables: dict[TableId, None] = field(default_factory=dict)
    #: Terminals of which everything is told anew, and otherwise what their players have done.
    seats: dict[TerminalId, None] = field(default_factory=dict)
    played: dict[TerminalId, list[BetsChanged]] = field(default_factory=dict)
    #: Terminals of which is told whether they are in service: all of a line loss at once, so no more than that.
    served: dict[TerminalId, None] = field(default_factory=dict)
    #: Terminals whose link is gone or back: staff see that, and on their own screens nothing changes.
    linked: dict[TerminalId, None] = field(default_factory=dict)
    #: Events that only few have to do with: staff, printers, sign-ins.
    rest: list[Event] = field(default_factory=list)

    def moved(self, house: House) -> Iterator[TableId]:
        """Name the tables that look different to staff: a terminal's credit stands in its row at each of its games."""
        yield from self.tables
        for terminals in (self.seats, self.played, self.served, self.linked):
            for name in terminals:
                yield from house.terminals[name].games


def changed(house: House, entries: Iterable[Entry]) -> Change:
    """Find what a batch has changed; the house is as it is after it."""
    change = Change()
    played = change.played
    for entry in entries:
        event = entry.event
        # Confirming a recall takes its ghosts away too, which are on other spots than chips.
        if type(event) is not BetsChanged or event.how is _RECALL:
            _note(house, event, change)
            continue
        events = played.get(event.terminal)
        if events is None:
            played[event.terminal] = [event]
        else:
            events.append(event)
    return change


def _note(house: House, event: Event, change: Change) -> None:
    change.rest.append(event)
    if isinstance(event, record.TerminalLost | record.TerminalReturned):
        change.linked[event.terminal] = None
        return
    if not isinstance(event, AtTable):
        change.seats.update(dict.fromkeys(_seats(house, event)))
        return
    change.tables[event.table] = None
    if isinstance(event, record.LineLossCleared):
        change.served.update((house.cases[each].terminal, None) for each in event.cases if each in house.cases)
    elif isinstance(event, MOVES_ALL):
        change.seats.update(dict.fromkeys(house.tables[event.table].terminals))


def _seats(house: House, event: Event) -> Iterable[TerminalId]:
    """Name the terminals on whose screens an event of no table changes something."""
    match event:
        case AtTerminal():
            return (event.terminal,)
        case record.BetsConfirmed() | record.BetsVoided() | record.CaseCleared():
            return (case.terminal,) if (case := house.cases.get(event.case)) else ()
        case credit.TicketVoided():
            return (house.ticket(event.sequence).terminal,)
        case credit.TicketRedeemed() if event.at_terminal:
            return (TerminalId(event.place),)
        case venue.MessageSent():
            return map(TerminalId, event.terminals or house.terminals)
        case _:
            return ()
