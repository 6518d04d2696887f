"""The auditor: an independent model that verifies every response and balance from the commands alone.

The auditor derives the whole effect of commands of players, cashiers and attendants: whether each is accepted or
refused and with which code, and how it changes every credit, stake, ticket, drawer, meter and account. For the steps of
a round it takes the kind of each event from the house (betting closed, a spin was void), and derives the effect on
money again.
"""

from collections.abc import Mapping
from typing import Final

from croupier.house import AnyCommand, House
from croupier.house.credit.drawers import (
    BoughtIn,
    DrawerClosed,
    DrawerCounted,
    DrawerDropped,
    DrawerFilled,
    DrawerOpened,
    PayablePaid,
)
from croupier.house.credit.held_wins import HeldWinPaid, HeldWinReleased, TaxFormRecorded
from croupier.house.credit.notes import NoteEscrowed, NoteReturned, NoteStacked, PlayMoneyGranted
from croupier.house.credit.sessions import CreditAdjusted
from croupier.house.credit.tickets import (
    TicketIssued,
    TicketPrinted,
    TicketRedeemed,
    TicketReleased,
    TicketReportedLost,
    TicketReprinted,
    TicketVoided,
)
from croupier.house.credit.transfers import TicketReceived, TicketTransferred
from croupier.house.declare import Command, Event
from croupier.house.floor.disputes import OpenDispute
from croupier.house.floor.signatures import Approve
from croupier.house.ids import Context
from croupier.house.play.betting import BetsChanged, PressNeighbours
from croupier.house.play.copying import CopyBets, SetAutoCopy
from croupier.house.play.patterns import CancelRecall, ConfirmRecall, RecallPattern, SavePattern
from croupier.house.rounds.corrections import OutcomeInvalidated, ResultCorrected
from croupier.house.rounds.irregularities import RoundVoided, TerminalsReset
from croupier.house.rounds.settlement import CarriedReleased, RoundSettled
from croupier.house.rounds.shared_pots import PotReported, PotShared, PotStated
from croupier.house.state.tables import BetChange
from croupier.rules.refusal import Refusal
from croupier.simulation.auditor import betting, chips, live, liveplayers, money, permissions, pots, round_checks
from croupier.simulation.auditor.checks import NOT_DECIDED, check, compare, named
from croupier.simulation.auditor.model import Model
from croupier.simulation.auditor.permissions import (
    Order,
    approve,
    propose,
    takes_two,
)
from croupier.simulation.auditor.registry import DERIVED, FOLLOWERS
from croupier.simulation.invariants import check_equal, check_not, match

__all__ = ["NOT_DERIVED", "Auditor"]

#: Commands whose chips are taken from the house's events, and checked against betting period, credits and limits.
NOT_DERIVED: Final = (
    PressNeighbours,
    SavePattern,
    RecallPattern,
    ConfirmRecall,
    CancelRecall,
    CopyBets,
    SetAutoCopy,
    OpenDispute,
)

#: Every subject. Importing it registers what it derives from commands, and how it follows events.
SUBJECTS: Final = (betting, chips, live, liveplayers, money, permissions, pots, round_checks)
#: Events that only the command they belong to may lead to.
_OWN: Final = frozenset(
    {
        *(NoteEscrowed, NoteReturned, NoteStacked, PlayMoneyGranted),
        *(TicketIssued, TicketPrinted),
        *(TicketReprinted, TicketVoided, TicketReportedLost, TicketRedeemed),
        *(TicketReleased, TicketTransferred, TicketReceived, BoughtIn),
        *(DrawerFilled, DrawerDropped),
        *(PotShared, PotReported, PotStated),
        *(DrawerOpened, DrawerCounted, DrawerClosed, TaxFormRecorded),
        *(HeldWinReleased, HeldWinPaid, CreditAdjusted, PayablePaid),
    }
)
#: The invariant that a difference in players' money breaks, by the last event; I2, the terminal's balance, otherwise.
_ABOUT: Final[Mapping[type[Event], str]] = {
    RoundSettled: "I3",
    CarriedReleased: "I3",
    ResultCorrected: "I10",
    RoundVoided: "I4",
    TerminalsReset: "I4",
    OutcomeInvalidated: "I4",
    TicketRedeemed: "I5",
    TicketTransferred: "I5",
    TicketReceived: "I5",
}


class Auditor:
    """Receives every command with its response, and verifies the house and its journal against its own model."""

    def __init__(self) -> None:
        self._model = Model()
        self._order = Order()
        self._about = "I2"

    def on_decision(self, command: AnyCommand, context: Context, answer: tuple[Event, ...] | Refusal) -> None:
        """Verify a response against the model, and apply it to the model."""
        if isinstance(answer, Refusal) and answer.code in NOT_DECIDED:
            return
        check(self._model, command, context, answer)
        if not isinstance(answer, Refusal):
            self._about = next((_ABOUT[type(event)] for event in answer if type(event) in _ABOUT), "I2")
            self._take(command, context, answer)

    def compare(self, house: House) -> None:
        """Verify the state of a house against the model."""
        compare(self._model, house, self._about)

    def entry(self, position: int, epoch: int, context: Context, event: Event) -> None:
        """Verify a journal entry against all entries before it."""
        self._order.entry(position, epoch, context, event)

    def _take(self, command: Command, context: Context, events: tuple[Event, ...]) -> None:
        model = self._model
        if isinstance(command, Approve):
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
        """Apply a command to the model: by its derived effect if there is one, otherwise by the house's events."""
        model, derived = self._model, DERIVED.get(type(command))
        if derived is not None:
            match(derived.invariant, events, derived.action(model, command, context))
            return
        for event in events:
            if isinstance(event, BetsChanged):
                stray = event.how is not BetChange.AUTO_COPY and not isinstance(command, NOT_DERIVED)
            else:
                stray = type(event) in _OWN
            check_not("I8", f"{event} was not asked for by {command}", when=stray)
            named(model, command, event)
            follow = FOLLOWERS.get(type(event))
            if follow is not None:
                follow(model, event, context)
