"""The auditor: a second opinion on every answer and every balance, worked out from the commands alone.

What a player, a cashier or an attendant asks for is worked out whole: whether it is taken or refused and for what, and
what it does to every credit, stake, ticket, drawer, meter and account. Of the steps of a round the auditor takes the
kind of what happened as told (betting closed, a spin was void), and works out anew what that does to money.
"""

from collections.abc import Mapping
from typing import Final

from croupier.house.base import Command, Event
from croupier.house.commands import AnyCommand, play, record, setup
from croupier.house.events import credit, rounds
from croupier.house.events.play import BetChange, BetsChanged
from croupier.house.ids import Context
from croupier.house.state import House
from croupier.rules.refusal import Refusal
from croupier.simulation.auditor import betting, comparison
from croupier.simulation.auditor.betting import SEATS
from croupier.simulation.auditor.comparison import named
from croupier.simulation.auditor.journal_checks import Order
from croupier.simulation.auditor.model import Model
from croupier.simulation.auditor.money import MONEY, PAPER
from croupier.simulation.auditor.permissions import approve, propose, takes_two
from croupier.simulation.auditor.responses import NOT_ASKED, WORKED_OUT, check
from croupier.simulation.auditor.round_checks import ROUNDS, VENUE, Follower
from croupier.simulation.invariants import check_equal, check_not, match

__all__ = ["NOT_DERIVED", "Auditor"]

#: Commands whose chips are taken as the house tells them, within the betting period, the credits and the limits.
NOT_DERIVED: Final = (
    play.PressNeighbours,
    play.SavePattern,
    play.RecallPattern,
    play.ConfirmRecall,
    play.CancelRecall,
    play.CopyBets,
    play.SetAutoCopy,
    record.OpenDispute,
)

_FOLLOWED: Final[Mapping[type[Event], Follower]] = {**VENUE, **ROUNDS, **SEATS, BetsChanged: betting.follow}
#: Events that only the command they belong to may lead to.
_OWN: Final = frozenset(
    {
        *(credit.NoteStacked, credit.PlayMoneyGranted, credit.TicketIssued, credit.TicketPrinted),
        *(credit.TicketReprinted, credit.TicketVoided, credit.TicketReportedLost, credit.TicketRedeemed),
        *(credit.TicketReleased, credit.BoughtIn),
        *(credit.DrawerOpened, credit.DrawerCounted, credit.DrawerClosed, credit.TaxFormRecorded),
        *(credit.HeldWinReleased, credit.HeldWinPaid, credit.CreditAdjusted, credit.PayablePaid),
    }
)
#: What a difference in players' money falls under, by what was last heard of; the terminal's own balance otherwise.
_ABOUT: Final[Mapping[type[Event], str]] = {
    rounds.RoundSettled: "I3",
    rounds.ResultCorrected: "I10",
    rounds.RoundVoided: "I4",
    rounds.TerminalsReset: "I4",
    rounds.OutcomeInvalidated: "I4",
    credit.TicketRedeemed: "I5",
}


class Auditor:
    """Hears every command with its answer, and holds the house and its journal against what they should be."""

    def __init__(self) -> None:
        self._model = Model()
        self._order = Order()
        self._about = "I2"

    def hear(self, command: AnyCommand, context: Context, answer: tuple[Event, ...] | Refusal) -> None:
        """Hold an answer against what it should be, and take it into the picture."""
        if isinstance(answer, Refusal) and answer.code in NOT_ASKED:
            return
        check(self._model, command, context, answer)
        if not isinstance(answer, Refusal):
            self._about = next((_ABOUT[type(event)] for event in answer if type(event) in _ABOUT), "I2")
            self._take(command, context, answer)

    def compare(self, house: House) -> None:
        """Hold the state of a house against the picture."""
        comparison.compare(self._model, house, self._about)

    def entry(self, position: int, epoch: int, context: Context, event: Event) -> None:
        """Hold an entry of the journal against all that stands before it."""
        self._order.entry(position, epoch, context, event)

    def _take(self, command: Command, context: Context, events: tuple[Event, ...]) -> None:
        model = self._model
        if isinstance(command, setup.Approve):
            proposed = approve(model, command, context, events)
            self._carry(proposed, context, events[1:])
        elif takes_two(model, command, context):
            propose(model, command, context, events)
        else:
            self._carry(command, context, events)
        for seat in model.seats.values():
            check_not("I2", f"credit of {seat.name} is {seat.credit} after {command}", when=seat.credit < 0)
            seat.watch(context.now)
        check_equal("I18", f"chips that should go back after {command}", model.returns, set())
        check_equal("I3", f"wins that should be held after {command}", model.holding, set())
        check_equal("I3", f"held wins that should be revised after {command}", model.revising, set())
        check_equal("I5", f"tickets that should lapse after {command}", model.lapsing, set())

    def _carry(self, command: Command, context: Context, events: tuple[Event, ...]) -> None:
        """Carry a command out: by its own effect where that is worked out, else by what the house tells."""
        model, kind = self._model, type(command)
        if kind in WORKED_OUT:
            _, action = WORKED_OUT[kind]
            invariant = "I5" if kind in PAPER else "I6" if kind in MONEY else "I2"
            match(invariant, events, action(model, command, context))
            return
        for event in events:
            check_not("I8", f"{event} was not asked for by {command}", when=_stray(command, event))
            named(model, command, event)
            follow = _FOLLOWED.get(type(event))
            if follow is not None:
                follow(model, event, context)


def _stray(command: Command, event: Event) -> bool:
    """Tell whether an event has no place in the answer to a command."""
    if isinstance(event, BetsChanged):
        return event.how is not BetChange.AUTO_COPY and not isinstance(command, NOT_DERIVED)
    return type(event) in _OWN
