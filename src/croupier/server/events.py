"""For each kind of event: audience, topic and sentence."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Final

from croupier.house import House
from croupier.house.declare import EVENTS, Event, EventTopic, Part
from croupier.house.floor.incidents import IncidentRaised
from croupier.house.floor.malfunctions import MalfunctionRaised
from croupier.house.ids import TableId, TerminalId
from croupier.house.live.payment_walk import SealAmended
from croupier.house.play.betting import BetsChanged
from croupier.house.play.chip_bets import ChipsChanged
from croupier.house.rounds.multipliers import MultiplesDrawn
from croupier.house.rounds.results import BallRested, ReportIgnored
from croupier.house.rounds.settlement import ResultDeclared
from croupier.house.rounds.spinning import BallFell, BallSpun
from croupier.house.state.tables import BetChange, Moment, Sighting
from croupier.rules.money import amount_text
from croupier.rules.multipliers import multiples_text
from croupier.words import case_text, incident_text, seen_text

#: Fields that hold money.
_MONEY: Final = frozenset(
    {"amount", "carried", "contributed", "denomination", "due", "loss", "paid", "pot", "returned", "staked", "value"}
)


def event_sentence(event: Event, *, drawn: bool) -> str:
    """Return the sentence of an event; a number that a random wheel has drawn is omitted until it counts."""
    fields = {name: _said(name, getattr(event, name)) for name in event.__struct_fields__}
    if isinstance(event, BallSpun | BallFell | BallRested | ResultDeclared):
        fields["seen"] = _seen(event)
    elif isinstance(event, IncidentRaised):
        fields["text"] = incident_text(event)
    elif isinstance(event, MalfunctionRaised):
        fields["text"] = case_text(event)
    elif isinstance(event, BetsChanged | ChipsChanged | SealAmended):
        fields["stakes"] = ", ".join(f"{amount_text(amount)} on {spot}" for spot, amount in event.stakes.items())
    elif isinstance(event, MultiplesDrawn):
        fields["multiples"] = multiples_text(event.multiples)
    if drawn and isinstance(event, BallRested | ReportIgnored):
        fields["pocket"] = "a number"
    return EVENTS[type(event)].sentence.format_map(fields).strip()


def _seen(event: BallSpun | BallFell | BallRested | ResultDeclared) -> str:
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
    touches = EVENTS[type(event)].touches
    if Part.TABLE in touches:
        change.tables.update(dict.fromkeys(event.tables_in(house)))
    if Part.CHIPS in touches:
        change.live.update(dict.fromkeys(event.tables_in(house)))
    if Part.TERMINALS in touches:
        for table in event.tables_in(house):
            change.seats.update(dict.fromkeys(house.tables[table].terminals))
    if Part.TERMINAL in touches:
        change.seats.update(dict.fromkeys(event.terminals_in(house)))
    if Part.SERVICE in touches:
        change.served.update(dict.fromkeys(event.terminals_in(house)))
    if Part.LINK in touches:
        change.linked.update(dict.fromkeys(event.terminals_in(house)))
