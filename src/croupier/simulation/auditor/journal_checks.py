"""Journal order and signatories."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from croupier.house.base import Event, RoundEvent, TableEvent, TerminalEvent
from croupier.house.events import credit, play, record, rounds, setup
from croupier.house.events import rounds as round_events
from croupier.house.events.play import BetsChanged, BetsReturned, ReturnReason
from croupier.house.events.rounds import ResultSource
from croupier.house.ids import Context, DeviceId, Instant, Number, PersonId, TableId, TerminalId
from croupier.rulebooks.schema import read_canonical
from croupier.rules.geometry import Pocket
from croupier.rules.procedure import Duty, Effect
from croupier.rules.rulebook import Rulebook
from croupier.simulation.auditor.model import ModelStaff
from croupier.simulation.invariants import InvariantViolation, check_not

_ANY_PIT: Final = (Duty.DEAL, Duty.INSPECT, Duty.CORRECT, Duty.DECIDE, Duty.MANAGE)
#: The duties of which the signing person must have one, by the event of the entry.
_SIGNED: Final[Mapping[type[Event], tuple[Duty, ...]]] = {
    credit.TicketReprinted: (Duty.INSPECT,),
    credit.TicketVoided: (Duty.INSPECT,),
    credit.TicketReleased: (Duty.INSPECT,),
    credit.TicketReportedLost: (Duty.CASH, Duty.INSPECT),
    credit.DrawerOpened: (Duty.CASH,),
    credit.BoughtIn: (Duty.CASH,),
    credit.DrawerCounted: (Duty.CASH,),
    credit.DrawerClosed: (Duty.CASH,),
    credit.TaxFormRecorded: (Duty.CASH, Duty.INSPECT),
    credit.HeldWinReleased: (Duty.CASH, Duty.INSPECT),
    credit.HeldWinPaid: (Duty.CASH,),
    credit.CreditAdjusted: (Duty.CORRECT,),
    credit.PayablePaid: (Duty.CASH, Duty.INSPECT),
    rounds.TerminalsReset: (Duty.DEAL,),
    rounds.ReferralDecided: (Duty.DECIDE,),
    rounds.ResultCorrected: (Duty.CORRECT,),
    rounds.OutcomeInvalidated: (Duty.DECIDE,),
    setup.SettingsChanged: (Duty.MANAGE,),
    setup.RulebookChanged: (Duty.MANAGE,),
    setup.OfficerNotified: (Duty.MANAGE, Duty.OFFICIATE),
    setup.TableClosed: (Duty.MANAGE,),
    setup.TableReopened: (Duty.MANAGE,),
    setup.DeviceReleased: (Duty.MANAGE, Duty.MAINTAIN),
    setup.TerminalClosed: (Duty.INSPECT, Duty.MAINTAIN),
    setup.TerminalReopened: (Duty.INSPECT, Duty.MAINTAIN),
    setup.AccountUnlocked: (Duty.INSPECT, Duty.DECIDE, Duty.MANAGE),
    setup.ActingAppointed: (Duty.MANAGE,),
    setup.VipArranged: (Duty.MANAGE,),
    setup.ArrangementEnded: (Duty.MANAGE,),
    setup.ProposalApproved: _ANY_PIT,
    setup.ProposalWithdrawn: (*_ANY_PIT, Duty.CASH),
    record.BetsConfirmed: (Duty.DEAL,),
    record.CaseCleared: (Duty.INSPECT, Duty.MAINTAIN),
    record.LineLossCleared: (Duty.INSPECT, Duty.MAINTAIN),
    record.IncidentCleared: (Duty.DEAL, Duty.INSPECT),
    record.DisputeDecided: (Duty.DECIDE,),
    record.ReviewRecorded: (Duty.REVIEW,),
}
#: The duties for a result, by its source; results of a sensor and a random source are not signed.
_SAID: Final = {
    ResultSource.DEALER: (Duty.DEAL,),
    ResultSource.ENTERED: (Duty.DEAL,),
    ResultSource.ATTESTED: (Duty.INSPECT, Duty.CORRECT),
    ResultSource.DECIDED: (Duty.DECIDE,),
}
#: Events that always need two signatures, and those that need two when a person requests them.
_TWICE: Final = (
    *(
        credit.TicketReprinted,
        credit.TicketVoided,
        credit.TicketReleased,
        credit.CreditAdjusted,
        rounds.ResultCorrected,
    ),
    *(setup.SettingsChanged, setup.RulebookChanged, setup.DeviceReleased, setup.AccountUnlocked),
    credit.PayablePaid,
)
_TWICE_BY_PEOPLE: Final = (
    *(setup.PersonEnrolled, setup.DeviceEnrolled, setup.TableAdded, setup.TerminalAdded, setup.BuildApproved),
)
#: Events that only the terminal itself may cause.
_OWN: Final = (credit.NoteStacked, credit.TicketPrinted)


class Signatories:
    """The staff as the journal records it, and whether the right people signed."""

    def __init__(self) -> None:
        self._staff = ModelStaff()
        self._rulebooks: dict[str, Rulebook] = {}
        self._tables: dict[TableId, Rulebook] = {}
        self._terminals: dict[TerminalId, TableId] = {}
        self._tickets: dict[Number, TerminalId] = {}
        self._proposed: dict[Number, tuple[PersonId, DeviceId]] = {}
        self._settled: set[tuple[TableId, int]] = set()
        self._approved: tuple[Context, setup.ProposalApproved] | None = None

    def entry(self, context: Context, event: Event) -> None:
        """Verify the signatures of an entry (I19)."""
        duties = self._duties(event)
        if duties:
            holds = any(
                self._staff.holds(context.person, duty, book, context.now)
                for book in self._ledger(event)
                for duty in duties
            )
            check_not("I19", f"{event} is signed {context}, and is for {duties}", when=not holds)
        if isinstance(event, _OWN) or (
            isinstance(event, play.BetsChanged) and event.how is not play.BetChange.AUTO_COPY
        ):
            own = context.device == DeviceId(event.terminal) and not context.person
            check_not("I19", f"{event} is signed {context}", when=not own)
        if self._twice(context, event):
            self._two(context, event)
        self._approved = (context, event) if isinstance(event, setup.ProposalApproved) else None
        self._learn(context, event)

    def on_wheel(self, table: TableId, pocket: Pocket) -> bool:
        return table not in self._tables or pocket in self._tables[table].wheel.order

    def _duties(self, event: Event) -> tuple[Duty, ...]:
        if isinstance(event, rounds.ResultDeclared):
            return _SAID.get(event.source, ())
        if isinstance(event, credit.TicketRedeemed):
            return () if event.at_terminal else (Duty.CASH,)
        if isinstance(event, credit.SessionEnded):
            return (Duty.INSPECT,) if event.reason is credit.SessionEnd.STAFF else ()
        return _SIGNED.get(type(event), ())

    def _ledger(self, event: Event) -> list[Rulebook]:
        """Return the rulebooks by which a person may sign: that of the event's table, or any."""
        if isinstance(event, TableEvent) and event.table in self._tables:
            return [self._tables[event.table]]
        if (
            isinstance(event, credit.TicketVoided | credit.TicketReprinted | credit.TicketReleased)
            and event.sequence in self._tickets
        ):
            return [self._tables[self._terminals[self._tickets[event.sequence]]]]
        if isinstance(event, TerminalEvent) and event.terminal in self._terminals:
            return [self._tables[self._terminals[event.terminal]]]
        return list(self._tables.values())

    def _twice(self, context: Context, event: Event) -> bool:
        if isinstance(event, rounds.OutcomeInvalidated):
            return (event.table, event.round) in self._settled
        attested = isinstance(event, rounds.ResultDeclared) and event.source is ResultSource.ATTESTED
        return attested or isinstance(event, _TWICE) or (bool(context.person) and isinstance(event, _TWICE_BY_PEOPLE))

    def _two(self, context: Context, event: Event) -> None:
        """The entry before names both signatories: different people, on different devices, as recorded."""
        if self._approved is None or self._approved[0] != context:
            raise InvariantViolation("I19", f"{event} has no second signature")
        signed = self._approved[1]
        first = (signed.proposer, signed.proposer_device)
        second = (signed.approver, signed.approver_device)
        alone = signed.proposer == signed.approver or signed.proposer_device == signed.approver_device
        true = second == (context.person, context.device) and self._proposed.get(signed.proposal) == first
        check_not("I19", f"{event} is signed by {first} and {second}", when=alone or not true)

    def _learn(self, context: Context, event: Event) -> None:
        match event:
            case setup.RulebookAdopted():
                self._rulebooks[event.digest] = read_canonical(event.canonical)
            case setup.TableAdded() | rounds.BetsOpened():
                self._tables[event.table] = self._rulebooks[event.rulebook]
            case setup.TerminalAdded():
                self._terminals[event.terminal] = event.tables[0]
            case credit.TicketIssued():
                self._tickets[event.sequence] = event.terminal
            case setup.ProposalMade():
                self._proposed[event.proposal] = (context.person, context.device)
            case rounds.RoundSettled():
                self._settled.add((event.table, event.round))
            case _:
                self._staff.learn(event)


#: In which stages of a spin an event has its place, and to which it leads.
_STAGES: Final[Mapping[type[Event], tuple[tuple[str, ...], str]]] = {
    round_events.BetsOpened: (("new", "settled", "void"), "open"),
    round_events.BetsClosing: (("open",), "closing"),
    round_events.BetsSealed: (("closing",), "sealed"),
    round_events.ResultDeclared: (("sealed",), "declared"),
    round_events.RoundSettled: (("declared",), "settled"),
    round_events.RoundVoided: (("open", "closing", "sealed", "declared", "no spin"), "void"),
    round_events.SpinVoided: (("open", "closing", "sealed", "declared"), "no spin"),
    round_events.TerminalsReset: (("no spin",), "open"),
}
#: After what no number may count or pay any more.
_CALLED_OFF: Final = ("no spin", "void")
_OUTCOMES: Final = (round_events.ResultDeclared, round_events.RoundSettled)


@dataclass(slots=True)
class _Spin:
    """The stage of a table's last round."""

    round: int = 0
    harness: str = "new"
    drawn: bool = False


class Order:
    """Reads a journal entry by entry."""

    def __init__(self) -> None:
        self._position = 0
        self._epoch = 0
        self._now = Instant(0)
        self._spins: dict[TableId, _Spin] = {}
        self._signatories = Signatories()

    def entry(self, position: int, epoch: int, context: Context, event: Event) -> None:
        """Verify one entry against those before it."""
        check_not("I12", f"entry {position} follows {self._position}", when=position != self._position + 1)
        check_not("I12", f"epoch {epoch} follows {self._epoch}", when=epoch < self._epoch)
        check_not("I20", f"{context.now} follows {self._now} at entry {position}", when=context.now < self._now)
        self._position, self._epoch, self._now = position, epoch, context.now
        self._signatories.entry(context, event)
        self._bets(event)
        if isinstance(event, RoundEvent):
            self._step(event)

    def _spin(self, table: TableId) -> _Spin:
        return self._spins.setdefault(table, _Spin())

    def _bets(self, event: Event) -> None:
        """I9: chips move only before the seal; unplayed stakes are returned before the seal or after the round."""
        if isinstance(event, BetsChanged):
            spin = self._spin(event.table)
            wrong = spin.harness != "open" or spin.round != event.round
            check_not("I9", f"{event} while round {spin.round} is {spin.harness}", when=wrong)
        elif isinstance(event, BetsReturned):
            harness = self._spin(event.table).harness
            at_close = event.why not in (ReturnReason.MALFUNCTION, ReturnReason.NEW_TERMS, ReturnReason.OUT_OF_SERVICE)
            wrong = harness != "closing" if at_close else harness in ("sealed", "declared")
            check_not("I9", f"{event} while the round is {harness}", when=wrong)

    def _step(self, event: RoundEvent) -> None:
        spin = self._spin(event.table)
        if isinstance(event, round_events.OutcomeInvalidated):
            if event.round == spin.round and spin.harness != "settled":
                spin.harness = "void"
            return
        if type(event) not in _STAGES:
            return
        before, after = _STAGES[type(event)]
        follows = event.round == spin.round + isinstance(event, round_events.BetsOpened)
        if spin.harness not in before or not follows:
            raise InvariantViolation(_broken(spin, event), f"{event} while round {spin.round} is {spin.harness}")
        self._draw(spin, event)
        spin.round, spin.harness = event.round, after
        if isinstance(event, round_events.SpinVoided) and event.effect is Effect.KEEP_AND_RESPIN:
            spin.harness = "open"

    def _draw(self, spin: _Spin, event: RoundEvent) -> None:
        """I17: a random source draws once for a spin."""
        if isinstance(event, round_events.ResultDeclared):
            drawn = event.source is round_events.ResultSource.RANDOM
            check_not("I17", f"{event} is drawn a second time", when=drawn and spin.drawn)
            check_not(
                "I17", f"{event} is not on the wheel", when=not self._signatories.on_wheel(event.table, event.pocket)
            )
            spin.drawn = spin.drawn or drawn
        elif isinstance(event, round_events.BetsOpened | round_events.SpinVoided):
            spin.drawn = False


def _broken(spin: _Spin, event: RoundEvent) -> str:
    """Name what a step out of its place breaks."""
    if isinstance(event, _OUTCOMES) and spin.harness in _CALLED_OFF:
        return "I23"
    again = isinstance(event, round_events.ResultDeclared) and spin.harness == "declared"
    return "I10" if again or (isinstance(event, _OUTCOMES) and spin.harness == "settled") else "I9"
