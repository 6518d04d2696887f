"""For each kind of event: audience, topic and sentence."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Final

from croupier.house.base import Event, TableEvent, TerminalEvent
from croupier.house.events import credit, play, record, rounds, setup
from croupier.house.events.play import BetChange, BetsChanged
from croupier.house.ids import TableId, TerminalId
from croupier.house.state import House
from croupier.house.state.tables import Moment, Sighting
from croupier.journal.entry import Entry
from croupier.protocol.queries import EventTopic
from croupier.rules.money import amount_text

#: What every event says. Names of patrons, digests and the numbers of papers are left out.
EVENT_SENTENCES: Final[Mapping[type[Event], str]] = {
    play.BetsChanged: "Chips: {how}, so that there lie {stakes}.",
    play.BetsReturned: "Chips went back unplayed from {spots}: {why}.",
    play.AutoCopyRefused: "Nothing was copied from {source} to {target}: {code}.",
    play.PatternSaved: "The chips were saved as pattern {slot}.",
    play.PatternRecalled: "Pattern {slot} is shown.",
    play.RecallCancelled: "The pattern is shown no longer.",
    play.AutoCopySet: "Auto copy to {target} is on: {on}.",
    play.DenominationChosen: "One credit is worth {denomination}.",
    rounds.DayBegan: "Gaming day {day} began.",
    rounds.DayEnded: "Gaming day {day} ended.",
    rounds.BetsOpened: "Betting opened for round {round}.",
    rounds.FinishCalled: "Players were warned that betting is about to close.",
    rounds.BetsClosing: "Betting closed: {why}.",
    rounds.BetsSealed: "Bets were sealed, {staked} in all; terminals with bets: {terminals}.",
    rounds.LaunchCalled: "The wheel was told to launch the ball.",
    rounds.BallSpun: "The ball was spun{seen}.",
    rounds.BallFell: "The ball left the track{seen}.",
    rounds.IrregularitySeen: "The wheel reported an irregularity of the spin: {reason}.",
    rounds.BallRested: "The wheel reported {pocket}{seen}.",
    rounds.BallOverdue: "The ball should have come to rest by now.",
    rounds.ReportIgnored: "A report of {pocket} was ignored: {why}.",
    rounds.ResultDeclared: "The number is {pocket} ({source}){seen}.",
    rounds.RoundSettled: "Round {round} was settled: {staked} were staked, and {returned} came back.",
    rounds.RoundVoided: "Round {round} is void: {reason}. {words}",
    rounds.SpinVoided: "The spin does not count: {reason}. {words}",
    rounds.TerminalsReset: "The terminals were reset: stakes went back, and betting is open again.",
    rounds.RoundSuspended: "Round {round} is suspended: {reason}. {words}",
    rounds.RoundInterrupted: "Round {round} was interrupted after the seal.",
    rounds.ReferralDecided: "The suspended round was decided: {verdict}. {words}",
    rounds.ResultCorrected: "Round {round} was corrected from {was} to {pocket}: {returned} are due now. {words}",
    rounds.OutcomeInvalidated: "The outcome of round {round} was taken back: {reason}. {words}",
    credit.NoteStacked: "A note of {value} was taken in.",
    credit.PlayMoneyGranted: "Play money was granted: {amount}.",
    credit.BoughtIn: "{amount} were bought in at drawer {drawer}.",
    credit.TicketIssued: "{amount} were collected as {form} {sequence}.",
    credit.SessionEnded: "Session {session} ended with nothing left: {reason}.",
    credit.TicketPrinted: "Paper {sequence} came out.",
    credit.TicketReprinted: "Paper {sequence} was printed again as a duplicate. {words}",
    credit.TicketVoided: "Paper {sequence} is void: its value went back. {words}",
    credit.TicketReleased: "Paper {sequence} can be paid again. {words}",
    credit.TicketReportedLost: "Paper {sequence} was reported lost. {words}",
    credit.TicketRedeemed: "Paper {sequence} was paid at {place}.",
    credit.TicketsExpired: "Papers lapsed: {sequences}.",
    credit.DrawerOpened: "Drawer {drawer} was taken out.",
    credit.DrawerCounted: "Drawer {drawer} was counted.",
    credit.DrawerClosed: "Drawer {drawer} was handed in.",
    credit.TaxFormRecorded: "The form of held win {hold} was recorded.",
    credit.HeldWinReleased: "Held win {hold} became credit.",
    credit.HeldWinPaid: "Held win {hold} was paid by hand from drawer {drawer}.",
    credit.CreditAdjusted: "The credit meter was put right by {amount}. {words}",
    credit.PayablePaid: ("{amount} were paid from drawer {drawer} to the player of session {session} by slip {slip}."),
    setup.HouseCreated: "The house was founded: {venue}, {mode}.",
    setup.HouseRecovered: "The system came back.",
    setup.HistoryAccepted: "The house went on from an older copy: {lost} entries are missing. {words}",
    setup.RulebookAdopted: "A rulebook was adopted: {rulebook}.",
    setup.TableAdded: "Table {table} was added.",
    setup.TerminalAdded: "Terminal {terminal} was added at {tables}.",
    setup.DeviceEnrolled: "Device {device} was enrolled.",
    setup.DeviceReleased: "Device {device} was released.",
    setup.PersonEnrolled: "{person} holds: {titles}.",
    setup.PersonReleased: "{person} was released.",
    setup.AccountUnlocked: "{person} may sign in again after wrong passwords.",
    setup.ActingAppointed: "{person} acts as {title} for a time.",
    setup.BuildApproved: "Version {version} was approved: {reference}.",
    setup.BuildReported: "Version {version} is running.",
    setup.SettingsChanged: "Other settings hold from the next round. {words}",
    setup.RulebookChanged: "Other rules hold from the next round. {words}",
    setup.OfficerNotified: "An officer was told that {subject} closes. {words}",
    setup.TableClosed: "The table was closed. {words}",
    setup.TableReopened: "The table was opened again.",
    setup.TerminalClosed: "The terminal was taken out of service. {words}",
    setup.TerminalReopened: "The terminal was put back into service.",
    setup.VipArranged: "The player bets straight up only. {words}",
    setup.ArrangementEnded: "The player bets as others do again. {words}",
    setup.MessageSent: "A message was sent to {terminals}: {words}",
    setup.RulesPrinted: "A copy of the rules was handed out.",
    setup.ProposalMade: "A first signature was given: proposal {proposal}.",
    setup.ProposalApproved: "Proposal {proposal} of {proposer} was signed by {approver} too.",
    setup.ProposalWithdrawn: "Proposal {proposal} was taken back.",
    record.TerminalLost: "The link to the terminal is gone.",
    record.TerminalReturned: "The link to the terminal is back.",
    record.MalfunctionRaised: "Case {case} was opened: {fault}. {words}",
    record.BetsConfirmed: "The bets of case {case} were confirmed.",
    record.BetsVoided: "The bets of case {case} are void. {words}",
    record.CaseCleared: "Case {case} was cleared.",
    record.LineLossCleared: "The cases of line loss {case} were cleared: {cases}.",
    record.IncidentRaised: "Incident {incident} about {subject}: {kind}. {words}",
    record.IncidentCleared: "Incident {incident} was seen to.",
    record.DisputeOpened: "Dispute {dispute} about round {round} was opened. {words}",
    record.DisputeDecided: "Dispute {dispute} was decided: {decision}",
    record.ComplainantAdvised: "The complainant of dispute {dispute} was advised.",
    record.ReviewRequested: "A review of dispute {dispute} was asked for.",
    record.ReviewRecorded: "The review of dispute {dispute}: {outcome}",
    record.DisputeClosed: "Dispute {dispute} was closed.",
}
#: Fields that hold money.
_MONEY: Final = frozenset({"amount", "denomination", "staked", "returned", "value"})


def event_sentence(event: Event, *, drawn: bool) -> str:
    """Say what an event tells; where the wheel draws its numbers, not what it drew before that counts."""
    fields = {name: _said(name, getattr(event, name)) for name in event.__struct_fields__}
    if isinstance(event, rounds.BallSpun | rounds.BallFell | rounds.BallRested | rounds.ResultDeclared):
        fields["seen"] = _seen(event)
    if drawn and isinstance(event, rounds.BallRested | rounds.ReportIgnored):
        fields["pocket"] = "a number"
    return EVENT_SENTENCES[type(event)].format_map(fields).strip()


def _seen(event: rounds.BallSpun | rounds.BallFell | rounds.BallRested | rounds.ResultDeclared) -> str:
    """Say what sensors saw of the spin; nothing where they saw nothing."""
    seen = {name: getattr(event, name, None) for name in ("opposite", "turning", "revolutions")}
    words = Sighting(Moment.REST, **seen).words.partition(": ")[2]
    return f": {words}" if words else ""


def _said(name: str, value: object) -> str:
    match value:
        case bool():
            return "yes" if value else "no"
        case int() if name in _MONEY:
            return amount_text(value)
        case Enum():
            return str(value.value).replace("_", " ")
        case tuple():
            return ", ".join(_stack(each) if name == "stakes" else str(each) for each in value) or "all"
        case _:
            return str(value)


def _stack(stack: tuple[str, int]) -> str:
    return f"{amount_text(stack[1])} on {stack[0]}"


def _all_of(*modules: object) -> frozenset[type[Event]]:
    names = {getattr(module, "__name__") for module in modules}  # noqa: B009 - modules have no type with a name
    return frozenset(kind for kind in EVENT_SENTENCES if kind.__module__ in names)


#: What went wrong with a round, and what was done about it.
_MISHAPS: Final[frozenset[type[Event]]] = frozenset(
    {
        rounds.ReportIgnored,
        rounds.RoundVoided,
        rounds.SpinVoided,
        rounds.TerminalsReset,
        rounds.RoundSuspended,
        rounds.RoundInterrupted,
        rounds.ReferralDecided,
        rounds.ResultCorrected,
        rounds.OutcomeInvalidated,
    }
)
#: What a regulator asks for first: faults, what was overridden or corrected, and what was changed in the system itself.
_SIGNIFICANT: Final[frozenset[type[Event]]] = _MISHAPS | {
    credit.TicketReprinted,
    credit.TicketVoided,
    credit.TicketReleased,
    credit.TicketReportedLost,
    credit.DrawerClosed,
    credit.TaxFormRecorded,
    credit.HeldWinReleased,
    credit.HeldWinPaid,
    credit.CreditAdjusted,
    credit.PayablePaid,
    setup.HouseCreated,
    setup.HouseRecovered,
    setup.HistoryAccepted,
    setup.RulebookAdopted,
    setup.RulebookChanged,
    setup.SettingsChanged,
    setup.TableAdded,
    setup.TerminalAdded,
    setup.DeviceEnrolled,
    setup.DeviceReleased,
    setup.PersonEnrolled,
    setup.PersonReleased,
    setup.AccountUnlocked,
    setup.ActingAppointed,
    setup.BuildApproved,
    setup.BuildReported,
    setup.OfficerNotified,
    setup.TableClosed,
    setup.TableReopened,
    setup.TerminalClosed,
    setup.TerminalReopened,
    setup.ProposalApproved,
    record.TerminalLost,
    record.MalfunctionRaised,
    record.BetsConfirmed,
    record.BetsVoided,
    record.IncidentRaised,
    record.DisputeOpened,
    record.DisputeDecided,
    record.ReviewRecorded,
    record.DisputeClosed,
}
#: Which kinds of entries belong to what; some belong to more than one.
KINDS: Final[Mapping[EventTopic, frozenset[type[Event]]]] = {
    EventTopic.MONEY: _all_of(credit),
    EventTopic.ROUND: _all_of(rounds),
    EventTopic.BETS: _all_of(play) | {rounds.BetsSealed, record.BetsConfirmed, record.BetsVoided},
    EventTopic.STAFF: _all_of(setup),
    EventTopic.INCIDENT: _all_of(record) | _MISHAPS | {setup.HouseRecovered, setup.HistoryAccepted},
    EventTopic.SIGNIFICANT: _SIGNIFICANT,
}


#: What moves the chips, the credits or the limits of everybody at a table.
MOVES_ALL: Final = (
    rounds.BetsOpened,
    rounds.BetsSealed,
    rounds.RoundSettled,
    rounds.RoundVoided,
    rounds.SpinVoided,
    rounds.TerminalsReset,
    rounds.ResultCorrected,
    rounds.OutcomeInvalidated,
)

# Looked up once, as every chip comes past here: to find a member of an enumeration takes 0.1 µs each time.
_RECALL: Final = BetChange.RECALL


@dataclass(slots=True)
class ViewChanges:
    """What a batch has changed, for whoever is told of it."""

    tables: dict[TableId, None] = field(default_factory=dict)
    #: Terminals of which everything is told anew, and otherwise what their players have done.
    seats: dict[TerminalId, None] = field(default_factory=dict)
    played: dict[TerminalId, list[BetsChanged]] = field(default_factory=dict)
    #: Terminals of which is told whether they are in service: all of a line loss at once, so no more than that.
    served: dict[TerminalId, None] = field(default_factory=dict)
    #: Terminals whose link is gone or back: staff see that, and on their own screens nothing changes.
    linked: dict[TerminalId, None] = field(default_factory=dict)
    #: Events that only few have to do with: staff, printers, sign-ins.
    rest: list[Event] = field(default_factory=list)

    def moved(self, house: House) -> Iterator[TableId]:
        """Name the tables that look different to staff: a terminal's credit stands in its row at each of its games."""
        yield from self.tables
        for terminals in (self.seats, self.played, self.served, self.linked):
            for name in terminals:
                yield from house.terminals[name].games


def view_changes(house: House, entries: Iterable[Entry]) -> ViewChanges:
    """Find what a batch has changed; the house is as it is after it."""
    change = ViewChanges()
    played = change.played
    for entry in entries:
        event = entry.event
        # Confirming a recall takes its ghosts away too, which are on other spots than chips.
        if type(event) is not BetsChanged or event.how is _RECALL:
            _note(house, event, change)
            continue
        events = played.get(event.terminal)
        if events is None:
            played[event.terminal] = [event]
        else:
            events.append(event)
    return change


def _note(house: House, event: Event, change: ViewChanges) -> None:
    change.rest.append(event)
    if isinstance(event, record.TerminalLost | record.TerminalReturned):
        change.linked[event.terminal] = None
        return
    if not isinstance(event, TableEvent):
        change.seats.update(dict.fromkeys(_seats(house, event)))
        return
    change.tables[event.table] = None
    if isinstance(event, record.LineLossCleared):
        change.served.update((house.cases[each].terminal, None) for each in event.cases if each in house.cases)
    elif isinstance(event, MOVES_ALL):
        change.seats.update(dict.fromkeys(house.tables[event.table].terminals))


def _seats(house: House, event: Event) -> Iterable[TerminalId]:
    """Name the terminals on whose screens an event of no table changes something."""
    match event:
        case TerminalEvent():
            return (event.terminal,)
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
