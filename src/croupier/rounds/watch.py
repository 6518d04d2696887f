"""A watched floor: what is notable about every answer of the house, noted in the words in which a round expects it."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from croupier.house.answer import Decision
from croupier.house.command.any import AnyCommand
from croupier.house.event.base import Event
from croupier.house.event.play import AutoCopyRefused, BetsChanged, BetsReturned, Edit
from croupier.house.event.record import BetsConfirmed, BetsVoided, IncidentRaised, MalfunctionRaised
from croupier.house.event.round import (
    OutcomeInvalidated,
    ReportIgnored,
    ResultCorrected,
    RoundSettled,
    RoundSuspended,
    RoundVoided,
    SpinVoided,
)
from croupier.house.event.venue import ProposalMade
from croupier.house.felt import Stakes
from croupier.house.name import DeviceId, PersonId, TableId, TerminalId
from croupier.house.stamp import SYSTEM
from croupier.house.state import House
from croupier.rounds.floor import Floor
from croupier.rounds.place import Place, seat_text
from croupier.rules.money import amount_text
from croupier.rules.refusal import Refusal
from croupier.rules.spot import SpotKey
from croupier.rules.transcript import Expectation


class RefusedError(Exception):
    """The house refused what it must do to set up a floor: the settings cannot be."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.says)
        self.refusal = refusal


class Glance(NamedTuple):
    """What must be known of a house before it answers, to say afterwards what was notable about the answer."""

    laid: dict[Place, Stakes]
    owned: dict[TerminalId, int]
    held: int


def glance(house: House) -> Glance:
    """Look at a house before it answers."""
    laid = {
        (terminal.id, table): dict(game.bets)
        for terminal in house.terminals.values()
        for table, game in terminal.games.items()
    }
    return Glance(laid, _owned(house), house.held)


def _owned(house: House) -> dict[TerminalId, int]:
    return {name: terminal.credit + terminal.held for name, terminal in house.terminals.items()}


#: What a terminal at one of its tables is called.
Named = Callable[[TerminalId, TableId], str]


def notable(house: House, events: Iterable[Event], before: Glance, named: Named = seat_text) -> Iterator[Expectation]:
    """Say what is notable about events that a house has just carried out."""
    for event in events:
        yield from _said(event, before.laid, named)
    for terminal in house.terminals.values():
        for hold in terminal.holds.values():
            tax = house.tables[hold.table].rulebook.tax
            if hold.number > before.held and tax is not None:
                seat = named(terminal.id, hold.table)
                yield Expectation("held", f"{seat} {amount_text(hold.amount)} {tax.clause}")


def payments(house: House, events: Iterable[Event], before: Glance) -> dict[Place, int]:
    """Say what a settlement added: of a whole round, or of one terminal whose bets were confirmed later."""
    owned, paid = _owned(house), {}
    for event in events:
        match event:
            case RoundSettled():
                for name in house.tables[event.table].terminals:
                    paid[name, event.table] = owned[name] - before.owned[name]
            case BetsConfirmed():
                case = house.cases[event.case]
                for table, _ in case.questioned:
                    paid[case.terminal, table] = owned[case.terminal] - before.owned[case.terminal]
    return paid


class WatchedFloor(Floor):
    """A floor that notes what follows from each thing that is asked, the clock's ticks included."""

    def __init__(self, *arguments: Any, **options: Any) -> None:  # noqa: ANN401 - a floor's own, passed on
        self.notable: list[Expectation] = []
        #: What the last settlement of each game added to the meter, or to what is held.
        self.paid: dict[Place, int] = {}
        super().__init__(*arguments, **options)

    def ask(self, command: AnyCommand, device: DeviceId = SYSTEM, person: PersonId | str = "") -> Decision:
        before = glance(self.house)
        answer = super().ask(command, device, person)
        if isinstance(answer, Refusal):
            self.notable.append(Expectation("refused", f"{answer.code.value} {answer.clause or '-'}"))
            return answer
        self.notable.extend(notable(self.house, answer, before))
        self.paid |= payments(self.house, answer, before)
        return answer

    def must(self, command: AnyCommand, device: DeviceId = SYSTEM, person: PersonId | str = "") -> tuple[Event, ...]:
        answer = self.ask(command, device, person)
        if isinstance(answer, Refusal):
            raise RefusedError(answer)
        return answer

    def take_notable(self) -> tuple[Expectation, ...]:
        """Hand over what was noted since the last time."""
        taken, self.notable = tuple(self.notable), []
        return taken


def _said(event: Event, laid: dict[Place, Stakes], named: Named) -> Iterator[Expectation]:
    match event:
        case RoundVoided():
            yield Expectation("void", event.clause)
        case SpinVoided():
            yield Expectation("no-spin", event.clause)
        case RoundSuspended():
            yield Expectation("suspended", event.clause)
        case OutcomeInvalidated():
            yield Expectation("invalidated", event.clause)
        case ResultCorrected():
            yield Expectation("corrected", f"{event.was} to {event.pocket} {event.clause}")
        case IncidentRaised():
            yield Expectation("incident", f"{event.kind.value.replace('_', '-')} {event.clause or '-'}")
        case ProposalMade():
            yield Expectation("proposed", str(event.proposal))
        case ReportIgnored():
            yield Expectation("ignored", event.pocket)
        case MalfunctionRaised() | BetsConfirmed() | BetsVoided():
            yield Expectation(_CASES[type(event)], f"{event.case} {event.clause}")
        case _:
            yield from _chips_said(event, laid, named)


_CASES = {MalfunctionRaised: "case", BetsConfirmed: "confirmed", BetsVoided: "voided"}


def _chips_said(event: Event, laid: dict[Place, Stakes], named: Named) -> Iterator[Expectation]:
    match event:
        case BetsReturned():
            seat, lay = named(event.terminal, event.table), laid[event.terminal, event.table]
            back = sum(lay[spot] for spot in event.spots)
            yield Expectation("returned", f"{seat} {amount_text(back)} {event.clause}")
        case BetsChanged(how=Edit.AUTO_COPY):
            cost = _cost(event.stakes, laid[event.terminal, event.table])
            yield Expectation("copied", f"{named(event.terminal, event.table)} {amount_text(cost)}")
        case AutoCopyRefused():
            seat = named(event.terminal, event.target)
            yield Expectation("not copied", f"{seat} {event.code} {event.clause or '-'}")


def _cost(stakes: Iterable[tuple[SpotKey, int]], before: Stakes) -> int:
    return sum(after - before.get(spot, 0) for spot, after in stakes)
