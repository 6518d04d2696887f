"""The journal in words: one plain sentence for every event, and nothing in it that not all who read it may know."""

from collections.abc import Mapping
from enum import Enum
from typing import Final

from croupier.house.event import credit, play, record, round, venue  # noqa: A004 - the casino's word
from croupier.house.event.base import Event
from croupier.house.table import Moment, Sighting
from croupier.rules.money import amount_text

#: What every event says. Names of patrons, digests and the numbers of papers are left out.
WORDS: Final[Mapping[type[Event], str]] = {
    play.BetsChanged: "Chips: {how}, so that there lie {stakes}.",
    play.BetsReturned: "Chips went back unplayed from {spots}: {why}.",
    play.AutoCopyRefused: "Nothing was copied from {source} to {target}: {code}.",
    play.PatternSaved: "The chips were saved as pattern {slot}.",
    play.PatternRecalled: "Pattern {slot} is shown.",
    play.RecallCancelled: "The pattern is shown no longer.",
    play.AutoCopySet: "Auto copy to {target} is on: {on}.",
    play.DenominationChosen: "One credit is worth {denomination}.",
    round.DayBegan: "Gaming day {day} began.",
    round.DayEnded: "Gaming day {day} ended.",
    round.BetsOpened: "Betting opened for round {round}.",
    round.FinishCalled: "Players were warned that betting is about to close.",
    round.BetsClosing: "Betting closed: {why}.",
    round.BetsSealed: "Bets were sealed, {staked} in all; terminals with bets: {terminals}.",
    round.LaunchCalled: "The wheel was told to launch the ball.",
    round.BallSpun: "The ball was spun{seen}.",
    round.BallFell: "The ball left the track{seen}.",
    round.IrregularitySeen: "The wheel reported an irregularity of the spin: {reason}.",
    round.BallRested: "The wheel reported {pocket}{seen}.",
    round.BallOverdue: "The ball should have come to rest by now.",
    round.ReportIgnored: "A report of {pocket} was ignored: {why}.",
    round.ResultDeclared: "The number is {pocket} ({source}){seen}.",
    round.RoundSettled: "Round {round} was settled: {staked} were staked, and {returned} came back.",
    round.RoundVoided: "Round {round} is void: {reason}. {words}",
    round.SpinVoided: "The spin does not count: {reason}. {words}",
    round.TerminalsReset: "The terminals were reset: stakes went back, and betting is open again.",
    round.RoundSuspended: "Round {round} is suspended: {reason}. {words}",
    round.RoundInterrupted: "Round {round} was interrupted after the seal.",
    round.ReferralDecided: "The suspended round was decided: {verdict}. {words}",
    round.ResultCorrected: "Round {round} was corrected from {was} to {pocket}: {returned} are due now. {words}",
    round.OutcomeInvalidated: "The outcome of round {round} was taken back: {reason}. {words}",
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
    credit.HoldReleased: "Held win {hold} became credit.",
    credit.HoldPaid: "Held win {hold} was paid by hand from drawer {drawer}.",
    credit.CreditAdjusted: "The credit meter was put right by {amount}. {words}",
    credit.PayablePaid: ("{amount} were paid from drawer {drawer} to the player of session {session} by slip {slip}."),
    venue.HouseFounded: "The house was founded: {venue}, {mode}.",
    venue.HouseRecovered: "The system came back.",
    venue.HistoryAccepted: "The house went on from an older copy: {lost} entries are missing. {words}",
    venue.RulebookAdopted: "A rulebook was adopted: {rulebook}.",
    venue.TableAdded: "Table {table} was added.",
    venue.TerminalAdded: "Terminal {terminal} was added at {tables}.",
    venue.DeviceEnrolled: "Device {device} was enrolled.",
    venue.DeviceReleased: "Device {device} was released.",
    venue.PersonEnrolled: "{person} holds: {titles}.",
    venue.PersonReleased: "{person} was released.",
    venue.AccountUnlocked: "{person} may sign in again after wrong passwords.",
    venue.ActingAppointed: "{person} acts as {title} for a time.",
    venue.SoftwareApproved: "Version {version} was approved: {reference}.",
    venue.SoftwareReported: "Version {version} is running.",
    venue.SettingsChanged: "Other settings hold from the next round. {words}",
    venue.RulebookChanged: "Other rules hold from the next round. {words}",
    venue.OfficerNotified: "An officer was told that {subject} closes. {words}",
    venue.TableClosed: "The table was closed. {words}",
    venue.TableReopened: "The table was opened again.",
    venue.TerminalClosed: "The terminal was taken out of service. {words}",
    venue.TerminalReopened: "The terminal was put back into service.",
    venue.VipArranged: "The player bets straight up only. {words}",
    venue.ArrangementEnded: "The player bets as others do again. {words}",
    venue.MessageSent: "A message was sent to {terminals}: {words}",
    venue.RulesPrinted: "A copy of the rules was handed out.",
    venue.ProposalMade: "A first signature was given: proposal {proposal}.",
    venue.ProposalApproved: "Proposal {proposal} of {proposer} was signed by {approver} too.",
    venue.ProposalWithdrawn: "Proposal {proposal} was taken back.",
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


def in_words(event: Event, *, drawn: bool) -> str:
    """Say what an event tells; where the wheel draws its numbers, not what it drew before that counts."""
    fields = {name: _said(name, getattr(event, name)) for name in event.__struct_fields__}
    if isinstance(event, round.BallSpun | round.BallFell | round.BallRested | round.ResultDeclared):
        fields["seen"] = _seen(event)
    if drawn and isinstance(event, round.BallRested | round.ReportIgnored):
        fields["pocket"] = "a number"
    return WORDS[type(event)].format_map(fields).strip()


def _seen(event: round.BallSpun | round.BallFell | round.BallRested | round.ResultDeclared) -> str:
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
