"""Signatories: that every privileged entry was signed by somebody with the duty, and twice where it takes two."""

from collections.abc import Mapping
from typing import Final

from croupier.house.event import credit, play, record, round, venue  # noqa: A004 - the casino's word
from croupier.house.event.base import AtTable, AtTerminal, Event
from croupier.house.event.round import Source
from croupier.house.name import DeviceId, Number, PersonId, TableId, TerminalId
from croupier.house.stamp import Stamp
from croupier.rehearsal.auditor.finding import Finding, never
from croupier.rehearsal.auditor.staff import Staff
from croupier.rulebooks.canonical import read_canonical
from croupier.rules.pocket import Pocket
from croupier.rules.rulebook import Rulebook
from croupier.rules.staff import Duty

_ANY_PIT: Final = (Duty.DEAL, Duty.INSPECT, Duty.CORRECT, Duty.DECIDE, Duty.MANAGE)
#: Whose word an entry needs: a person with one of these duties.
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
    credit.HoldReleased: (Duty.CASH, Duty.INSPECT),
    credit.HoldPaid: (Duty.CASH,),
    credit.CreditAdjusted: (Duty.CORRECT,),
    credit.PayablePaid: (Duty.CASH, Duty.INSPECT),
    round.TerminalsReset: (Duty.DEAL,),
    round.ReferralDecided: (Duty.DECIDE,),
    round.ResultCorrected: (Duty.CORRECT,),
    round.OutcomeInvalidated: (Duty.DECIDE,),
    venue.SettingsChanged: (Duty.MANAGE,),
    venue.RulebookChanged: (Duty.MANAGE,),
    venue.OfficerNotified: (Duty.MANAGE, Duty.OFFICIATE),
    venue.TableClosed: (Duty.MANAGE,),
    venue.TableReopened: (Duty.MANAGE,),
    venue.DeviceReleased: (Duty.MANAGE, Duty.MAINTAIN),
    venue.TerminalClosed: (Duty.INSPECT, Duty.MAINTAIN),
    venue.TerminalReopened: (Duty.INSPECT, Duty.MAINTAIN),
    venue.AccountUnlocked: (Duty.INSPECT, Duty.DECIDE, Duty.MANAGE),
    venue.ActingAppointed: (Duty.MANAGE,),
    venue.VipArranged: (Duty.MANAGE,),
    venue.ArrangementEnded: (Duty.MANAGE,),
    venue.ProposalApproved: _ANY_PIT,
    venue.ProposalWithdrawn: (*_ANY_PIT, Duty.CASH),
    record.BetsConfirmed: (Duty.DEAL,),
    record.CaseCleared: (Duty.INSPECT, Duty.MAINTAIN),
    record.LineLossCleared: (Duty.INSPECT, Duty.MAINTAIN),
    record.IncidentCleared: (Duty.DEAL, Duty.INSPECT),
    record.DisputeDecided: (Duty.DECIDE,),
    record.ReviewRecorded: (Duty.REVIEW,),
}
#: On whose word a result stands; a sensor and a random source speak for themselves.
_SAID: Final = {
    Source.DEALER: (Duty.DEAL,),
    Source.ENTERED: (Duty.DEAL,),
    Source.ATTESTED: (Duty.INSPECT, Duty.CORRECT),
    Source.DECIDED: (Duty.DECIDE,),
}
#: What takes two signatures always, and what does where a person asks for it.
_TWICE: Final = (
    *(credit.TicketReprinted, credit.TicketVoided, credit.TicketReleased, credit.CreditAdjusted, round.ResultCorrected),
    *(venue.SettingsChanged, venue.RulebookChanged, venue.DeviceReleased, venue.AccountUnlocked),
    credit.PayablePaid,
)
_TWICE_BY_PEOPLE: Final = (
    *(venue.PersonEnrolled, venue.DeviceEnrolled, venue.TableAdded, venue.TerminalAdded, venue.SoftwareApproved),
)
#: What a terminal does for itself, and nobody for it.
_OWN: Final = (credit.NoteStacked, credit.TicketPrinted)


class Signatories:
    """Who is who, as far as the journal has told, and whether the right people signed."""

    def __init__(self) -> None:
        self._staff = Staff()
        self._rulebooks: dict[str, Rulebook] = {}
        self._tables: dict[TableId, Rulebook] = {}
        self._terminals: dict[TerminalId, TableId] = {}
        self._tickets: dict[Number, TerminalId] = {}
        self._proposed: dict[Number, tuple[PersonId, DeviceId]] = {}
        self._settled: set[tuple[TableId, int]] = set()
        self._approved: tuple[Stamp, venue.ProposalApproved] | None = None

    def entry(self, stamp: Stamp, event: Event) -> None:
        """Hold an entry's signatures against what it needs (I19)."""
        duties = self._duties(event)
        if duties:
            holds = any(
                self._staff.holds(stamp.person, duty, book, stamp.now) for book in self._books(event) for duty in duties
            )
            never("I19", f"{event} is signed {stamp}, and is for {duties}", when=not holds)
        if isinstance(event, _OWN) or (isinstance(event, play.BetsChanged) and event.how is not play.Edit.AUTO_COPY):
            own = stamp.device == DeviceId(event.terminal) and not stamp.person
            never("I19", f"{event} is signed {stamp}", when=not own)
        if self._twice(stamp, event):
            self._two(stamp, event)
        self._approved = (stamp, event) if isinstance(event, venue.ProposalApproved) else None
        self._learn(stamp, event)

    def on_wheel(self, table: TableId, pocket: Pocket) -> bool:
        return table not in self._tables or pocket in self._tables[table].wheel.order

    def _duties(self, event: Event) -> tuple[Duty, ...]:
        if isinstance(event, round.ResultDeclared):
            return _SAID.get(event.source, ())
        if isinstance(event, credit.TicketRedeemed):
            return () if event.at_terminal else (Duty.CASH,)
        if isinstance(event, credit.SessionEnded):
            return (Duty.INSPECT,) if event.reason is credit.SessionEnd.STAFF else ()
        return _SIGNED.get(type(event), ())

    def _books(self, event: Event) -> list[Rulebook]:
        """Name the rulebooks by which somebody may sign: that of the event's place, or any."""
        if isinstance(event, AtTable) and event.table in self._tables:
            return [self._tables[event.table]]
        if (
            isinstance(event, credit.TicketVoided | credit.TicketReprinted | credit.TicketReleased)
            and event.sequence in self._tickets
        ):
            return [self._tables[self._terminals[self._tickets[event.sequence]]]]
        if isinstance(event, AtTerminal) and event.terminal in self._terminals:
            return [self._tables[self._terminals[event.terminal]]]
        return list(self._tables.values())

    def _twice(self, stamp: Stamp, event: Event) -> bool:
        if isinstance(event, round.OutcomeInvalidated):
            return (event.table, event.round) in self._settled
        attested = isinstance(event, round.ResultDeclared) and event.source is Source.ATTESTED
        return attested or isinstance(event, _TWICE) or (bool(stamp.person) and isinstance(event, _TWICE_BY_PEOPLE))

    def _two(self, stamp: Stamp, event: Event) -> None:
        """The entry before says who gave the two signatures: different people, on different devices, as recorded."""
        if self._approved is None or self._approved[0] != stamp:
            raise Finding("I19", f"{event} has no second signature")
        signed = self._approved[1]
        first = (signed.proposer, signed.proposer_device)
        second = (signed.approver, signed.approver_device)
        alone = signed.proposer == signed.approver or signed.proposer_device == signed.approver_device
        true = second == (stamp.person, stamp.device) and self._proposed.get(signed.proposal) == first
        never("I19", f"{event} is signed by {first} and {second}", when=alone or not true)

    def _learn(self, stamp: Stamp, event: Event) -> None:
        match event:
            case venue.RulebookAdopted():
                self._rulebooks[event.digest] = read_canonical(event.canonical)
            case venue.TableAdded() | round.BetsOpened():
                self._tables[event.table] = self._rulebooks[event.rulebook]
            case venue.TerminalAdded():
                self._terminals[event.terminal] = event.tables[0]
            case credit.TicketIssued():
                self._tickets[event.sequence] = event.terminal
            case venue.ProposalMade():
                self._proposed[event.proposal] = (stamp.person, stamp.device)
            case round.RoundSettled():
                self._settled.add((event.table, event.round))
            case _:
                self._staff.learn(event)
