"""Accounts: what somebody did, told from the events that came of it, in the words of a round's deeds."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from croupier.house.base import Command, Event
from croupier.house.commands import credit as credits_
from croupier.house.commands import record as records
from croupier.house.commands import rounds
from croupier.house.commands.setup import ChangeSettings
from croupier.house.events import credit, play, record, setup
from croupier.house.events import rounds as course
from croupier.house.state.tables import Round
from croupier.rules.money import Cents, amount_text
from croupier.rules.notation import NotationBet, print_slip
from croupier.rules.procedure import Reason
from croupier.rules.rulebook import Rulebook, Stakes
from croupier.transcripts.actions import read_action
from croupier.transcripts.actors import ActorRole, read_actor
from croupier.transcripts.format import ParseExpectationError
from croupier.transcripts.preamble import RecordBeforeTranscriptError, RecordNumbers
from croupier.transcripts.runner import DEEDS
from croupier.transcripts.settings import date_text, limit_settings

#: A deed as it is written, or several that together do the same.
Deeds = tuple[str, ...]


class WriteContext(NamedTuple):
    """What must be known of the moment before, to tell what was done."""

    #: The chips of the seat that acts.
    laid: Stakes
    round: Round | None
    numbers: RecordNumbers
    #: Whether the ball of a spin that was called off in this round may still be running.
    loose: bool
    #: Who acts, and what the round has told of so far: open drawers with whose they are, and by seat what was closed,
    #: whose session has begun, and to whom something is payable.
    actor: str
    open: set[tuple[str, str]]

    def nth(self, field: str, number: int) -> int:
        return self.numbers.nth(field, number)

    def must_be_open(self, what: str, whose: str) -> None:
        """Raise EarlierError where something was not opened, or closed, in this round."""
        if (what, whose) not in self.open:
            raise RecordBeforeTranscriptError


#: Why a wheel's report is ignored, in the house's words, where that leans on what was before.
COUNTED: Final = "its spin was counted already"
CALLED_OFF: Final = "its spin was called off"

Tell = Callable[[Any, WriteContext], Deeds | str]


def actions_of_events(events: Sequence[Event], part: ActorRole, moment: WriteContext) -> Deeds | None:
    """Tell what was done, in one deed or several; None where a round has no words for it."""
    if part is ActorRole.WHEEL:
        found = _by_wheel(events, moment)
        return None if found is None else (found,)
    pairs = ((event, tell) for kind, tell in _TELLERS[part].items() for event in events if isinstance(event, kind))
    try:
        actions = next((actions for event, tell in pairs if (actions := tell(event, moment))), ())
    except RecordBeforeTranscriptError:
        return None
    return (actions,) if isinstance(actions, str) else actions or None


def readable(actor: str, action: str, rulebook: Rulebook) -> bool:
    """Tell whether a round can be read in which somebody does this."""
    try:
        read_action(action, DEEDS[read_actor(actor, rulebook).part], rulebook)
    except ParseExpectationError:
        return False
    return action == tidy(action)


def tidy(words: str) -> str:
    """Fit words into a field: single spaces, and no sign that begins a comment."""
    return " ".join(words.replace("#", " ").split()) or "no words"


def _spelt(word: str) -> str:
    return word.replace("_", " ")


# The wheel


def _by_wheel(events: Sequence[Event], moment: WriteContext) -> str | None:
    for event in events:
        match event:
            case course.BallSpun():
                return _launch(event, events)
            case course.BallFell():
                return f"ball leaves the track{_turns(event.revolutions)}"
            case course.ReportIgnored():
                return event.pocket if _ignored_again(event, moment) else None
            case course.ResultDeclared():
                return _declared_at_rest(event, moment.round)
            case course.BallRested():
                return _rested(event)
    return _reported(events)


def _launch(spun: course.BallSpun, events: Sequence[Event]) -> str:
    if _reported(events) == f"trouble {_spelt(Reason.WHEEL_NOT_TURNING.value)}":
        return "launches the ball, wheel still"
    return "launches the ball with the wheel" if spun.opposite is False else "launches the ball"


def _ignored_again(event: course.ReportIgnored, moment: WriteContext) -> bool:
    """Tell whether a number would be ignored in a round by itself, which knows no ball and no count of before."""
    if event.why == COUNTED:
        return False
    return event.why != CALLED_OFF or moment.loose


def _turns(revolutions: int | None) -> str:
    return "" if revolutions is None else f" after {revolutions} revolutions"


def _declared_at_rest(declared: course.ResultDeclared, round_: Round | None) -> str:
    """Write a number that counted at once; a plain one, where that says nothing against an earlier sighting."""
    counted = round_ is not None and any(each.revolutions is not None for each in round_.sightings)
    return declared.pocket if declared.revolutions is None and not counted else _rested(declared)


def _rested(rested: course.BallRested | course.ResultDeclared) -> str:
    """Write a number with what the wheel saw of the spin when it reported it."""
    ways = _WAYS if rested.revolutions is None else _WAYS_COUNTED
    return f"{rested.pocket}{_turns(rested.revolutions)}{ways[rested.opposite]}"


_WAYS: Final = {True: " against the wheel", False: " with the wheel", None: " unseen"}
_WAYS_COUNTED: Final = {True: "", False: " with the wheel", None: ", direction unseen"}


_NUMBER: Final = re.compile(r"The wheel report(?:s|ed) (?P<deed>[0-9]{1,2})\b")
_TROUBLE: Final = re.compile(r"The wheel reports: (?P<deed>[a-z ]+)\.")


def _reported(events: Iterable[Event]) -> str | None:
    """Find what the wheel told in the words that were put on record about it."""
    words = " ".join(getattr(event, "words", "") for event in events)
    number, trouble = _NUMBER.search(words), _TROUBLE.search(words)
    told_trouble = f"trouble {trouble['deed']}" if trouble else None
    return number["deed"] if number else told_trouble


# Seats


def _chips(event: play.BetsChanged, moment: WriteContext) -> Deeds | str:
    stakes, laid = dict(event.stakes), moment.laid
    match event.how:
        case play.BetChange.UNDO | play.BetChange.CLEAR | play.BetChange.DOUBLE:
            return event.how.value
        case play.BetChange.NEIGHBOURS:
            return "neighbors"
        case play.BetChange.CHANGE:
            return tuple(f"changes {spot} to {amount_text(amount)}" for spot, amount in event.stakes)
        case play.BetChange.REMOVE:
            return tuple(f"removes {spot}" for spot in stakes)
        case play.BetChange.MOVE:
            away = next(spot for spot, amount in event.stakes if amount < laid.get(spot, 0))
            return f"moves {away} to {next(spot for spot in stakes if spot != away)}"
    # Whatever else adds chips is told by the chips: what it leans on may lie before this round, or at another table.
    return slip_of((spot, amount - laid.get(spot, 0)) for spot, amount in event.stakes)


def slip_of(stakes: Iterable[tuple[Any, int]]) -> str:
    """Write chips as a slip."""
    return print_slip(NotationBet(Cents(amount), spot) for spot, amount in stakes)


_BY_SEAT: Final[Mapping[type[Event], Tell]] = {
    play.BetsChanged: _chips,
    credit.NoteStacked: lambda event, _: f"inserts note {amount_text(event.value)}",
    credit.TicketIssued: lambda event, _: f"collects as {_spelt(event.form.value)}",
    credit.TicketPrinted: lambda event, at: f"prints slip {at.nth('sequence', event.sequence)}",
    credit.TicketRedeemed: lambda event, at: f"inserts ticket {at.nth('sequence', event.sequence)}",
    play.DenominationChosen: lambda event, _: f"denomination {amount_text(event.denomination)}",
    play.PatternSaved: lambda event, at: f"overrides pattern {event.slot}" if at.laid else (),
}

# Staff


def _no_spin(event: course.SpinVoided | course.RoundVoided, _: WriteContext) -> str:
    removed = isinstance(event, course.SpinVoided) and event.ball_removed
    return f"no spin {_spelt(event.reason.value)}{', ball removed' if removed else ''}"


def _decided(event: course.ReferralDecided, _: WriteContext) -> str:
    on = "" if event.pocket is None else f" {event.pocket}"
    return f"decides {_spelt(event.verdict.value)}{on} {tidy(event.words)}"


def _suspended(event: course.RoundSuspended, _: WriteContext) -> str:
    doubt = event.reason is Reason.NOT_COVERED
    return f"refers {tidy(event.words)}" if doubt else f"no spin {_spelt(event.reason.value)}"


def _closing(event: course.BetsClosing, _: WriteContext) -> Deeds | str:
    return "no more bets" if event.why is course.CloseReason.CALLED else ()


def _declared(event: course.ResultDeclared, _: WriteContext) -> Deeds | str:
    if event.source is course.ResultSource.ENTERED:
        return f"enters {event.pocket} and {event.pocket}"
    return f"confirms {event.pocket}" if event.source is course.ResultSource.DEALER else ()


def _malfunction(event: record.MalfunctionRaised, _: WriteContext) -> str:
    return f"malfunction {event.terminal} {_spelt(event.fault.value)} {tidy(event.words)}"


def _incident(event: record.IncidentRaised, _: WriteContext) -> Deeds | str:
    if event.kind is records.IncidentKind.MALFUNCTION:
        return f"malfunction {tidy(event.words)}"
    return f"notes {tidy(event.words)}" if event.kind is records.IncidentKind.NOTED else ()


def _invalidated(said: rounds.InvalidateOutcome | course.OutcomeInvalidated, at: WriteContext) -> str:
    reason = f"{_spelt(said.reason.value)} {said.suspect}".strip()
    return f"invalidates round {at.nth('round', said.round)} {reason}"


def _limits(command: ChangeSettings, _: WriteContext) -> Deeds | str:
    settings = ", ".join(map(str, limit_settings(command.settings.limits)))
    return f"limits {settings}" if settings else ()


def _pays_payable(command: credits_.PayPayable, at: WriteContext) -> str:
    at.must_be_open("payable", command.terminal)
    form = f" form {command.form_number}" if command.form_number.isdecimal() else ""
    return _at_drawer(command.drawer, f"pays payable of {command.terminal}{form}", at)


def _session_ended(event: credit.SessionEnded, at: WriteContext) -> str:
    at.must_be_open("session", event.terminal)
    return f"ends session of {event.terminal}"


#: A first signature is told by what it is put under.
_UNDER: Final[Mapping[type[Command], Tell]] = {
    rounds.AttestResult: lambda command, _: f"attests {command.pocket}",
    rounds.CorrectResult: lambda command, at: f"corrects round {at.nth('round', command.round)} to {command.pocket}",
    rounds.InvalidateOutcome: _invalidated,
    records.VoidBets: lambda command, at: f"voids bets of case {at.nth('case', command.case)}",
    credits_.AdjustCredit: lambda command, _: f"adjusts {command.terminal} by {amount_text(command.amount)}",
    credits_.PayPayable: _pays_payable,
    credits_.VoidTicket: lambda command, at: f"voids slip {at.nth('sequence', command.sequence)}",
    credits_.ReprintTicket: lambda command, at: f"reprints slip {at.nth('sequence', command.sequence)}",
    ChangeSettings: _limits,
}


def _proposed(event: setup.ProposalMade, at: WriteContext) -> Deeds | str:
    tell = _UNDER.get(type(event.command))
    return () if tell is None else tell(event.command, at)


def _disputed(event: record.DisputeOpened, at: WriteContext) -> Deeds | str:
    about = f"disputes round {at.nth('round', event.round)}"
    if event.terminal is None:
        return f"{about} under {event.rule} {tidy(event.words)}"
    memorandum = f"by memorandum {event.memorandum} " if event.memorandum else ""
    return f"{about} {event.terminal} {memorandum}{tidy(event.words)}"


def _numbered(words: str, field: str) -> Tell:
    """A deed about a numbered thing: the dash stands for the number."""
    return lambda event, at: words.replace("-", str(at.nth(field, getattr(event, field))))


def _plain(words: str) -> Tell:
    return lambda _event, _at: words


def _at_drawer(drawer: str, action: str, at: WriteContext) -> str:
    """A deed at a drawer, which in a round is one's own, and was opened in it."""
    at.must_be_open(drawer, at.actor)
    return action


def _reopened(event: setup.TerminalReopened, at: WriteContext) -> str:
    at.must_be_open("closed", event.terminal)
    return f"reopens {event.terminal}"


#: In this order: what was done is told by the first of these that is among the events.
_BY_STAFF: Final[Mapping[type[Event], Tell]] = {
    setup.ProposalMade: _proposed,
    setup.ProposalApproved: _numbered("approves -", "proposal"),
    setup.ProposalWithdrawn: _numbered("withdraws -", "proposal"),
    course.ReferralDecided: _decided,
    record.IncidentRaised: _incident,
    course.BetsOpened: _plain("opens bets"),
    course.FinishCalled: _plain("finish betting"),
    course.BetsClosing: _closing,
    course.BallSpun: _plain("spins"),
    course.ResultDeclared: _declared,
    course.SpinVoided: _no_spin,
    course.TerminalsReset: _plain("resets"),
    course.OutcomeInvalidated: _invalidated,
    record.MalfunctionRaised: _malfunction,
    course.RoundSuspended: _suspended,
    course.RoundVoided: _no_spin,
    record.BetsConfirmed: _numbered("confirms bets of case -", "case"),
    record.CaseCleared: _numbered("clears case -", "case"),
    record.LineLossCleared: _numbered("clears line loss -", "case"),
    record.IncidentCleared: _numbered("clears incident -", "incident"),
    setup.OfficerNotified: lambda event, _: f"notifies officer of {event.subject.replace('table 1', 'table')}",
    setup.TableClosed: _plain("closes table"),
    setup.TableReopened: _plain("reopens table"),
    setup.TerminalClosed: lambda event, _: f"closes {event.terminal}",
    setup.TerminalReopened: _reopened,
    credit.SessionEnded: _session_ended,
    credit.TicketReportedLost: _numbered("lost slip -", "sequence"),
    credit.TicketRedeemed: lambda event, at: _at_drawer(
        event.place, f"pays slip {at.nth('sequence', event.sequence)}", at
    ),
    credit.DrawerOpened: lambda event, _: f"opens drawer {amount_text(event.float_)}",
    credit.BoughtIn: lambda event, at: _at_drawer(
        event.drawer, f"takes {amount_text(event.amount)} for {event.terminal}", at
    ),
    credit.DrawerCounted: lambda event, at: _at_drawer(event.drawer, f"counts drawer {amount_text(event.counted)}", at),
    credit.DrawerClosed: lambda event, at: _at_drawer(event.drawer, "closes drawer", at),
    credit.TaxFormRecorded: lambda event, at: (
        f"records form {event.form_number} for {tidy(event.patron)} hold {at.nth('hold', event.hold)}"
    ),
    credit.HeldWinReleased: _numbered("releases hold -", "hold"),
    credit.HeldWinPaid: lambda event, at: _at_drawer(event.drawer, f"pays hold {at.nth('hold', event.hold)}", at),
    record.DisputeOpened: _disputed,
    record.DisputeDecided: lambda event, at: (
        f"decides dispute {at.nth('dispute', event.dispute)} {tidy(event.decision)}"
    ),
    record.ComplainantAdvised: _numbered("advises dispute -", "dispute"),
    record.ReviewRequested: lambda event, at: (
        f"requests review {at.nth('dispute', event.dispute)}{' for the house' if event.by_house else ''}"
    ),
    record.ReviewRecorded: lambda event, at: f"records review {at.nth('dispute', event.dispute)} {tidy(event.outcome)}",
    record.DisputeClosed: lambda event, at: (
        f"closes dispute {at.nth('dispute', event.dispute)} {'resolved' if event.resolved else 'unresolved'}"
    ),
}

# The system

_BY_SYSTEM: Final[Mapping[type[Event], Tell]] = {
    setup.HouseRecovered: _plain("recovers"),
    record.IncidentRaised: _incident,
    course.BetsOpened: _plain("opens bets"),
    course.FinishCalled: _plain("no more bets"),
    course.BetsClosing: _closing,
    course.DayBegan: lambda event, _: f"begins day {date_text(event.day)}",
    setup.BuildReported: lambda event, _: f"software {event.version}",
    setup.BuildApproved: lambda event, _: f"approves software {event.version}",
    record.MalfunctionRaised: _malfunction,
}

_TELLERS: Final[Mapping[ActorRole, Mapping[type[Event], Tell]]] = {
    ActorRole.SEAT: _BY_SEAT,
    ActorRole.STAFF: _BY_STAFF,
    ActorRole.SYSTEM: _BY_SYSTEM,
}
