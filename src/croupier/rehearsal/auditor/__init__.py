"""The auditor: a second opinion on every answer and every balance, worked out from the commands alone.

What a player, a cashier or an attendant asks for is worked out whole: whether it is taken or refused and for what, and
what it does to every credit, stake, ticket, drawer, meter and account. Of the steps of a round the auditor takes the
kind of what happened as told (betting closed, a spin was void), and works out anew what that does to money.
"""

from collections.abc import Mapping
from typing import Final

from croupier.house.command import play, record, venue
from croupier.house.command.any import AnyCommand
from croupier.house.command.base import Command
from croupier.house.event import credit, round  # noqa: A004 - the casino's word
from croupier.house.event.base import Event
from croupier.house.event.play import BetsChanged, Edit
from croupier.house.stamp import Stamp
from croupier.house.state import House
from croupier.rehearsal.auditor import bets, mirror
from croupier.rehearsal.auditor.answer import NOT_ASKED, WORKED_OUT, check
from croupier.rehearsal.auditor.deed import match
from croupier.rehearsal.auditor.finding import Finding, agree, never
from croupier.rehearsal.auditor.model import Model
from croupier.rehearsal.auditor.money import MONEY
from croupier.rehearsal.auditor.order import Order
from croupier.rehearsal.auditor.paper import PAPER
from croupier.rehearsal.auditor.result import named
from croupier.rehearsal.auditor.rounds import ROUNDS, Follower
from croupier.rehearsal.auditor.service import SEATS
from croupier.rehearsal.auditor.setup import VENUE
from croupier.rehearsal.auditor.signature import approve, propose, takes_two
from croupier.rules.refusal import Refusal

__all__ = ["NOT_DERIVED", "Auditor", "Finding"]

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

_FOLLOWED: Final[Mapping[type[Event], Follower]] = {**VENUE, **ROUNDS, **SEATS, BetsChanged: bets.follow}
#: Events that only the command they belong to may lead to.
_OWN: Final = frozenset(
    {
        *(credit.NoteStacked, credit.PlayMoneyGranted, credit.TicketIssued, credit.TicketPrinted),
        *(credit.TicketReprinted, credit.TicketVoided, credit.TicketReportedLost, credit.TicketRedeemed),
        *(credit.TicketReleased, credit.BoughtIn),
        *(credit.DrawerOpened, credit.DrawerCounted, credit.DrawerClosed, credit.TaxFormRecorded),
        *(credit.HoldReleased, credit.HoldPaid, credit.CreditAdjusted, credit.PayablePaid),
    }
)
#: What a difference in players' money falls under, by what was last heard of; the terminal's own balance otherwise.
_ABOUT: Final[Mapping[type[Event], str]] = {
    round.RoundSettled: "I3",
    round.ResultCorrected: "I10",
    round.RoundVoided: "I4",
    round.TerminalsReset: "I4",
    round.OutcomeInvalidated: "I4",
    credit.TicketRedeemed: "I5",
}


class Auditor:
    """Hears every command with its answer, and holds the house and its journal against what they should be."""

    def __init__(self) -> None:
        self._model = Model()
        self._order = Order()
        self._about = "I2"

    def hear(self, command: AnyCommand, stamp: Stamp, answer: tuple[Event, ...] | Refusal) -> None:
        """Hold an answer against what it should be, and take it into the picture."""
        if isinstance(answer, Refusal) and answer.code in NOT_ASKED:
            return
        check(self._model, command, stamp, answer)
        if not isinstance(answer, Refusal):
            self._about = next((_ABOUT[type(event)] for event in answer if type(event) in _ABOUT), "I2")
            self._take(command, stamp, answer)

    def compare(self, house: House) -> None:
        """Hold the state of a house against the picture."""
        mirror.compare(self._model, house, self._about)

    def entry(self, position: int, epoch: int, stamp: Stamp, event: Event) -> None:
        """Hold an entry of the journal against all that stands before it."""
        self._order.entry(position, epoch, stamp, event)

    def _take(self, command: Command, stamp: Stamp, events: tuple[Event, ...]) -> None:
        model = self._model
        if isinstance(command, venue.Approve):
            proposed = approve(model, command, stamp, events)
            self._carry(proposed, stamp, events[1:])
        elif takes_two(model, command, stamp):
            propose(model, command, stamp, events)
        else:
            self._carry(command, stamp, events)
        for seat in model.seats.values():
            never("I2", f"credit of {seat.name} is {seat.credit} after {command}", when=seat.credit < 0)
            seat.watch(stamp.now)
        agree("I18", f"chips that should go back after {command}", model.returns, set())
        agree("I5", f"tickets that should lapse after {command}", model.lapsing, set())

    def _carry(self, command: Command, stamp: Stamp, events: tuple[Event, ...]) -> None:
        """Carry a command out: by its own effect where that is worked out, else by what the house tells."""
        model, kind = self._model, type(command)
        if kind in WORKED_OUT:
            _, deed = WORKED_OUT[kind]
            invariant = "I5" if kind in PAPER else "I6" if kind in MONEY else "I2"
            match(invariant, events, deed(model, command, stamp))
            return
        for event in events:
            never("I8", f"{event} was not asked for by {command}", when=_stray(command, event))
            named(model, command, event)
            follow = _FOLLOWED.get(type(event))
            if follow is not None:
                follow(model, event, stamp)


def _stray(command: Command, event: Event) -> bool:
    """Tell whether an event has no place in the answer to a command."""
    if isinstance(event, BetsChanged):
        return event.how is not Edit.AUTO_COPY and not isinstance(command, NOT_DERIVED)
    return type(event) in _OWN
