"""For each kind of event: audience, topic and sentence."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Final

from croupier.house.base import Event, EventTopic, PlayerEvent, PositionEvent, TableEvent, TerminalEvent
from croupier.house.events import EVENTS, credit, record, rounds, setup
from croupier.house.events.live import ChipsChanged, SealAmended
from croupier.house.events.play import BetChange, BetsChanged
from croupier.house.ids import TableId, TerminalId
from croupier.house.state import House
from croupier.house.state.tables import Moment, Sighting
from croupier.house.wording import case_text, incident_text, seen_text
from croupier.rules.money import amount_text

#: Fields that hold money.
_MONEY: Final = frozenset({"amount", "denomination", "loss", "staked", "returned", "value"})


def event_sentence(event: Event, *, drawn: bool) -> str:
    """Return the sentence of an event; a number that a random wheel has drawn is omitted until it counts."""
    fields = {name: _said(name, getattr(event, name)) for name in event.__struct_fields__}
    if isinstance(event, rounds.BallSpun | rounds.BallFell | rounds.BallRested | rounds.ResultDeclared):
        fields["seen"] = _seen(event)
    elif isinstance(event, record.IncidentRaised):
        fields["text"] = incident_text(event)
    elif isinstance(event, record.MalfunctionRaised):
        fields["text"] = case_text(event)
    elif isinstance(event, BetsChanged | ChipsChanged | SealAmended):
        fields["stakes"] = ", ".join(f"{amount_text(amount)} on {spot}" for spot, amount in event.stakes.items())
    if drawn and isinstance(event, rounds.BallRested | rounds.ReportIgnored):
        fields["pocket"] = "a number"
    return EVENTS[type(event)].sentence.format_map(fields).strip()


def _seen(event: rounds.BallSpun | rounds.BallFell | rounds.BallRested | rounds.ResultDeclared) -> str:
    """Describe what sensors saw of the spin; empty when they saw nothing."""
    seen = {name: getattr(event, name, None) for name in ("opposite", "turning", "revolutions")}
    text = seen_text(Sighting(Moment.REST, **seen))
    return f": {text}" if text else ""


def _said(name: str, value: object) -> str:
    match value:
        case bool():
            return "yes" if value else "no"
        case int() if name in _MONEY:
            return amount_text(value)
        case None:
            return "none"
        case Enum():
            return str(value.value).replace("_", " ")
        case tuple():
            return ", ".join(map(str, value)) or "all"
        case _:
            return str(value)


#: The kinds of entries of each topic; some kinds have more than one topic.
EVENTS_BY_TOPIC: Final[Mapping[EventTopic, frozenset[type[Event]]]] = {
    topic: frozenset(kind for kind, declared in EVENTS.items() if topic in declared.topics) for topic in EventTopic
}


#: Events that change the chips, the credits or the limits of all terminals at a table.
MOVES_ALL: Final = (
    rounds.BetsOpened,
    rounds.BetsSealed,
    rounds.RoundSettled,
    rounds.RoundVoided,
    rounds.SpinVoided,
    rounds.TerminalsReset,
    rounds.TerminalsRefunded,
    rounds.ResultCorrected,
    rounds.OutcomeInvalidated,
)

_RECALL: Final = BetChange.RECALL


@dataclass(slots=True)
class ViewChanges:
    """The changes of a batch, by the views that show them."""

    tables: dict[TableId, None] = field(default_factory=dict)
    #: Live tables whose chips, players or colours have changed, which their consoles alone show.
    live: dict[TableId, None] = field(default_factory=dict)
    #: Terminals that are sent their whole state, and for the others the actions of their players.
    seats: dict[TerminalId, None] = field(default_factory=dict)
    played: dict[TerminalId, list[BetsChanged]] = field(default_factory=dict)
    #: Terminals that are sent only their service status: all of a line loss change at once.
    served: dict[TerminalId, None] = field(default_factory=dict)
    #: Terminals whose link was lost or restored: staff see that, and their own screens do not change.
    linked: dict[TerminalId, None] = field(default_factory=dict)
    #: Events for staff, printers and sign-ins.
    rest: list[Event] = field(default_factory=list)

    def moved(self, house: House) -> Iterator[tuple[TableId, TerminalId]]:
        """Return the seats whose row for staff may change: a terminal's credit is in its row at each of its games."""
        for terminals in (self.seats, self.played, self.served, self.linked):
            for name in terminals:
                for table in house.terminals[name].games:
                    yield table, name


def view_changes(house: House, events: Iterable[Event]) -> ViewChanges:
    """Find the changes of a batch; the house is in the state after it."""
    change = ViewChanges()
    played = change.played
    for event in events:
        # Confirming a recall also removes its ghosts, which are on other spots than chips.
        if type(event) is not BetsChanged:
            _note(house, event, change)
            continue
        terminal = house.positions[event.position].terminal
        if event.how is _RECALL:
            change.rest.append(event)
            change.seats[terminal] = None
            continue
        actions = played.get(terminal)
        if actions is None:
            played[terminal] = [event]
        else:
            actions.append(event)
    return change


def _note(house: House, event: Event, change: ViewChanges) -> None:
    change.rest.append(event)
    if isinstance(event, record.TerminalLost | record.TerminalReturned):
        change.linked[event.terminal] = None
        return
    if not isinstance(event, TableEvent):
        change.seats.update(dict.fromkeys(_seats(house, event)))
        return
    if isinstance(event, PlayerEvent):
        change.live[event.table] = None
        return
    change.tables[event.table] = None
    if isinstance(event, record.LineLossCleared):
        change.served.update((house.cases[each].terminal, None) for each in event.cases if each in house.cases)
    elif isinstance(event, MOVES_ALL):
        change.seats.update(dict.fromkeys(house.tables[event.table].terminals))


def _seats(house: House, event: Event) -> Iterable[TerminalId]:
    """Return the terminals whose screens change by an event that belongs to no table."""
    match event:
        case TerminalEvent() | PositionEvent():
            return (event.terminal if isinstance(event, TerminalEvent) else house.positions[event.position].terminal,)
        case record.BetsConfirmed() | record.BetsVoided() | record.CaseCleared():
            return (case.terminal,) if (case := house.cases.get(event.case)) else ()
        case credit.TicketVoided():
            return (house.ticket(event.sequence).terminal,)
        case credit.TicketRedeemed() if event.at_terminal:
            return (TerminalId(event.place),)
        case setup.MessageSent():
            return map(TerminalId, event.terminals or house.terminals)
        case _:
            return ()
