"""Changes: which tables, seats and consoles a batch of entries concerns."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from croupier.house.event import credit, record, round, venue  # noqa: A004 - the casino's word
from croupier.house.event.base import AtTable, AtTerminal, Event
from croupier.house.event.play import BetsChanged
from croupier.house.name import TableId, TerminalId
from croupier.house.state import House
from croupier.journal.entry import Entry
from croupier.rules.spot import SpotKey

#: What moves the chips or the credits of everybody at a table.
_MOVES_CHIPS = (
    round.BetsOpened,
    round.BetsSealed,
    round.RoundSettled,
    round.RoundVoided,
    round.SpinVoided,
    round.TerminalsReset,
    round.ReferralDecided,
    round.ResultCorrected,
    round.OutcomeInvalidated,
)
_OF_CASE = (record.BetsConfirmed, record.BetsVoided, record.CaseCleared)
_OF_TICKET = (credit.TicketVoided, credit.TicketRedeemed)


@dataclass(slots=True)
class Change:
    """What a batch has changed, for whoever is told of it."""

    tables: dict[TableId, None] = field(default_factory=dict)
    #: Terminals of which everything is told anew, and otherwise the spots that were touched at each game.
    seats: dict[TerminalId, None] = field(default_factory=dict)
    spots: dict[TerminalId, dict[TableId, dict[SpotKey, None]]] = field(default_factory=dict)
    #: Events that only few have to do with: staff, printers, sign-ins.
    rest: list[Event] = field(default_factory=list)


def changed(house: House, entries: Iterable[Entry]) -> Change:
    """Find what a batch has changed; the house is as it is after it."""
    change = Change()
    spots = change.spots
    for entry in entries:
        event = entry.event
        if type(event) is not BetsChanged:
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
    if isinstance(event, AtTable):
        change.tables[event.table] = None
        if isinstance(event, _MOVES_CHIPS):
            change.seats.update(dict.fromkeys(house.tables[event.table].terminals))
    elif isinstance(event, AtTerminal):
        change.seats[event.terminal] = None
    elif isinstance(event, _OF_CASE):
        change.seats[house.cases[event.case].terminal] = None
    elif isinstance(event, _OF_TICKET):
        change.seats[house.tickets[event.sequence].terminal] = None
        if isinstance(event, credit.TicketRedeemed) and event.at_terminal:
            change.seats[TerminalId(event.place)] = None
    elif isinstance(event, venue.MessageSent):
        change.seats.update(dict.fromkeys(map(TerminalId, event.terminals or house.terminals)))
