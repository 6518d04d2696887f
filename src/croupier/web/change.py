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
from croupier.rules.spot import SpotKey

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


@dataclass(slots=True)
class Change:
    """What a batch has changed, for whoever is told of it."""

    tables: dict[TableId, None] = field(default_factory=dict)
    #: Terminals of which everything is told anew, and otherwise the spots that were touched at each game.
    seats: dict[TerminalId, None] = field(default_factory=dict)
    spots: dict[TerminalId, dict[TableId, dict[SpotKey, None]]] = field(default_factory=dict)
    #: Events that only few have to do with: staff, printers, sign-ins.
    rest: list[Event] = field(default_factory=list)

    def moved(self, house: House) -> Iterator[TableId]:
        """Name the tables that look different to staff: a terminal's credit stands in its row at each of its games."""
        yield from self.tables
        for terminals in (self.seats, self.spots):
            for name in terminals:
                yield from house.terminals[name].games


def changed(house: House, entries: Iterable[Entry]) -> Change:
    """Find what a batch has changed; the house is as it is after it."""
    change = Change()
    spots = change.spots
    for entry in entries:
        event = entry.event
        # Confirming a recall takes its ghosts away too, which are on other spots than chips.
        if type(event) is not BetsChanged or event.how is Edit.RECALL:
            _note(house, event, change)
            continue
        games = spots.get(event.terminal)
        if games is None:
            games = spots[event.terminal] = {}
        at = games.get(event.table)
        if at is None:
            at = games[event.table] = {}
        for spot, _ in event.stakes:
            at[spot] = None
    return change


def _note(house: House, event: Event, change: Change) -> None:
    change.rest.append(event)
    if not isinstance(event, AtTable):
        change.seats.update(dict.fromkeys(_seats(house, event)))
        return
    change.tables[event.table] = None
    if isinstance(event, MOVES_ALL):
        change.seats.update(dict.fromkeys(house.tables[event.table].terminals))


def _seats(house: House, event: Event) -> Iterable[TerminalId]:
    """Name the terminals on whose screens an event of no table changes something."""
    match event:
        case AtTerminal():
            return (event.terminal,)
        case record.BetsConfirmed() | record.BetsVoided() | record.CaseCleared():
            return (house.cases[event.case].terminal,)
        case credit.TicketVoided():
            return (house.tickets[event.sequence].terminal,)
        case credit.TicketRedeemed() if event.at_terminal:
            return (TerminalId(event.place),)
        case venue.MessageSent():
            return map(TerminalId, event.terminals or house.terminals)
        case _:
            return ()
