"""Texts for incidents, cases, sightings, messages to seats and recoveries; no decision reads them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final, NamedTuple

from msgspec import structs

from croupier.house.declare import Events, RoundEvent
from croupier.house.floor.incidents import Incident, IncidentFacts, IncidentKind, IncidentRaised, TroubleCause
from croupier.house.floor.malfunctions import MalfunctionRaised
from croupier.house.ids import SECOND, Instant, RoundNumber, TableId
from croupier.house.rounds.irregularities import RoundSuspended, RoundVoided, SpinVoided
from croupier.house.rounds.recovery import (
    HouseRecovered,
    RecoveredRound,
    RecoveryStatus,
    RoundInterrupted,
    TerminalsRefunded,
)
from croupier.house.rounds.settlement import RoundSettled
from croupier.house.state.records import MalfunctionCase, MalfunctionEvidence, MalfunctionSign
from croupier.house.state.tables import SeatMessage, SeatMessageKind, Sighting
from croupier.rules.money import amount_text
from croupier.rules.procedure import Reason
from croupier.rules.refusal import ClauseId


def incident_text(incident: Incident | IncidentRaised) -> str:
    """Describe an incident in a sentence."""
    worded = _INCIDENTS[incident.kind]
    return worded if isinstance(worded, str) else worded(incident.subject, incident.facts)


def reason_text(reason: Reason) -> str:
    return reason.value.replace("_", " ")


def _wheel_trouble(_subject: str, facts: IncidentFacts) -> str:
    reasons = ", ".join(map(reason_text, facts.reasons))
    cause = "" if facts.cause is None else f" {_CAUSES[facts.cause].format(facts=facts)}"
    return f"The wheel reports: {reasons}.{cause}{'' if facts.round is None else f' It concerns round {facts.round}.'}"


_CAUSES: Final[Mapping[TroubleCause, str]] = {
    TroubleCause.NO_TELEGRAM: "It sends nothing.",
    TroubleCause.NO_BALL: "It sees no ball.",
    TroubleCause.BALL_NOT_IN_TRACK: "The ball is not in the track.",
    TroubleCause.MACHINE: "A sensor or a motor is faulty.",
    TroubleCause.LAUNCH_FAILED: "The launch failed.",
    TroubleCause.ROTOR_STOPPED: "The rotor stands still.",
    TroubleCause.CLOSED: "It closed down during the game.",
    TroubleCause.OUT_OF_ORDER: "Its states came out of order, and the spin has no number.",
    TroubleCause.STATE_LEFT_OUT: "It stated a number without its state no more bets.",
    TroubleCause.NUMBERS_DIFFER: "It stated {facts.expected} and then {facts.pocket} for one spin.",
    TroubleCause.NUMBER_CHANGED: "It reported {facts.expected}, and shows {facts.pocket} now.",
    TroubleCause.COUNT_CHANGED: "Its count of spins changed during the spin.",
    TroubleCause.COUNT_REPEATED: "Its number {facts.pocket} has the count of the spin before.",
    TroubleCause.LAUNCHED_AGAIN: "It launched the ball again before the spin had a number.",
    TroubleCause.NOT_OF_THIS_SPIN: "It reported {facts.pocket}, which is not of the round's spin: it was ignored.",
    TroubleCause.SHORT_SPIN: "It reported {facts.pocket} only {facts.seconds} seconds after the launch.",
}


def _number_differs(_subject: str, facts: IncidentFacts) -> str:
    known = facts.pocket is not None
    return f"The wheel reports {f'{facts.pocket} after {facts.expected}' if known else 'another number than before'}."


def _sightings_differ(_subject: str, facts: IncidentFacts) -> str:
    about = " and ".join(_CONTRADICTED[each] for each in facts.reasons)
    return f"The wheel's sensors contradict each other about {about}."


_CONTRADICTED: Final = {Reason.SAME_DIRECTION: "the ball's direction", Reason.TOO_FEW_REVOLUTIONS: "its revolutions"}


def _clock_jumped(_subject: str, facts: IncidentFacts) -> str:
    if facts.before is None:
        days = (facts.seconds or 0) // _DAY
        return f"The last entry is {days} days old by this machine's clock: check the clock."
    return f"The wall clock is {facts.seconds} s ahead of the house's; it was {facts.before} s."


_DAY: Final = 24 * 3_600


def _history_lost(_subject: str, facts: IncidentFacts) -> str:
    people = " and ".join(facts.people)
    copy = f"an older copy of the journal, which lacks {facts.lost} entries or more"
    return f"{people} went on from {copy}: {facts.text}"


def _build_differs(_subject: str, facts: IncidentFacts) -> str:
    if facts.files:
        return f"The software is not what was installed: {', '.join(facts.files)}."
    return f"The software cannot be verified: {facts.text}."


def _tickets_guessed(subject: str, facts: IncidentFacts) -> str:
    signed_in = f", where {' and '.join(facts.people)} is signed in" if facts.people else ""
    return f"Numbers of tickets are tried out at {subject}{signed_in}."


def _text(_subject: str, facts: IncidentFacts) -> str:
    return facts.text


_INCIDENTS: Final[Mapping[IncidentKind, str | Callable[[str, IncidentFacts], str]]] = {
    IncidentKind.RESULT_BEFORE_SEAL: lambda _, facts: (
        f"The wheel reported {facts.pocket or 'a number'} before bets were sealed."
    ),
    IncidentKind.LAUNCH_BEFORE_CLOSE: "The ball was launched while bets were open.",
    IncidentKind.NO_WARNING: "Betting closed without the warning.",
    IncidentKind.FORCED_CLOSE: "The ball left the track while bets were open.",
    IncidentKind.CANNOT_CLOSE: "Betting time is over and the ball is not running.",
    IncidentKind.WHEEL_SILENT: "The wheel gives no reports.",
    IncidentKind.WHEEL_TROUBLE: _wheel_trouble,
    IncidentKind.NUMBER_IGNORED: lambda _, facts: (
        f"The wheel reported {facts.pocket}, which is not of the round's spin: the number was ignored."
    ),
    IncidentKind.IMPOSSIBLE_POCKET: lambda _, facts: f"The wheel reports {facts.pocket}, which is not on it.",
    IncidentKind.NUMBER_DIFFERS: _number_differs,
    IncidentKind.SIGHTINGS_DIFFER: _sightings_differ,
    IncidentKind.BALL_NOT_SEATED: lambda _, facts: f"No number {facts.seconds} seconds after the launch.",
    IncidentKind.DISPLAY_DIFFERS: lambda _, facts: (
        f"The display shows {facts.pocket}, and {facts.expected} was declared."
    ),
    IncidentKind.REFERRED: _text,
    IncidentKind.HOLD_EXPIRED: lambda _, facts: f"A hold of {facts.seconds} seconds expired without a decision.",
    IncidentKind.INTERRUPTED: lambda _, facts: facts.text or "The system was interrupted.",
    IncidentKind.MALFUNCTION: _text,
    IncidentKind.NOTED: _text,
    IncidentKind.KEY_REUSED: "One idempotency key was used for two different commands: the second was refused.",
    IncidentKind.CLOCK_JUMPED: _clock_jumped,
    IncidentKind.SNAPSHOT_IGNORED: lambda _, facts: (
        f"Snapshot rejected ({facts.text}); state rebuilt from the journal."
    ),
    IncidentKind.SNAPSHOT_FAILED: lambda _, facts: f"No snapshot could be written: {facts.text}.",
    IncidentKind.DISK_LOW: "The disk is nearly full: no new bets are taken, and what is under way is settled.",
    IncidentKind.COMMAND_FAILED: lambda _, facts: f"{facts.command} could not be decided: {facts.error}.",
    IncidentKind.HISTORY_LOST: _history_lost,
    IncidentKind.ACCOUNT_LOCKED: lambda subject, facts: (
        f"Wrong passwords of {subject} at {facts.device}: that name is refused there for a while."
    ),
    IncidentKind.BUILD_DIFFERS: _build_differs,
    IncidentKind.ACCEPTOR_LOCKED: lambda subject, facts: f"The note acceptor of {subject} is locked: {facts.text}.",
    IncidentKind.PRINTER_LOCKED: lambda subject, facts: f"The printer of {subject} is locked: {facts.text}.",
    IncidentKind.NOTE_UNRESOLVED: lambda subject, facts: (
        f"A note of {facts.text} in escrow at {subject} disappeared unseen: look for it in the box."
    ),
    IncidentKind.DRAWER_DIFFERS: lambda subject, facts: (
        f"Drawer {subject} was handed in by {facts.people[0]} with a difference of {facts.text}."
    ),
    IncidentKind.TICKETS_GUESSED: _tickets_guessed,
    IncidentKind.TICKET_MESSAGES: lambda subject, facts: f"Tickets shared with {subject}: {facts.text}.",
    IncidentKind.SIGN_INS_GUESSED: lambda subject, _: (
        f"Many wrong passwords at {subject}: nobody signs in there for a while."
    ),
}


def case_text(case: MalfunctionCase | MalfunctionRaised) -> str:
    """Describe a malfunction: by the staff's text, or by the fault that the house detected."""
    return case.words if case.evidence is None else _SIGNS[case.evidence.sign](case.evidence)


def _credit_differs(found: MalfunctionEvidence) -> str:
    return f"It shows {amount_text(found.shown or 0)}, and {amount_text(found.credit or 0)} is on the meter."


_SIGNS: Final[Mapping[MalfunctionSign, Callable[[MalfunctionEvidence], str]]] = {
    MalfunctionSign.LINK_LOST: lambda _: "The link has been gone for too long.",
    MalfunctionSign.CREDIT_DIFFERS: _credit_differs,
    MalfunctionSign.NUMBER_IMPOSSIBLE: lambda found: f"It shows the number {found.number}, which is not on the wheel.",
    MalfunctionSign.NUMBER_STALE: lambda found: f"It shows the number {found.number}, which is not the last result.",
    MalfunctionSign.LAYOUT_DIFFERS: lambda _: "It draws another layout.",
}


def message_text(message: SeatMessage) -> str:
    """Format a message as the seat's screen shows it."""
    amounts = {
        "amount": message.amount,
        "paid_before": message.paid_before,
        "credit_before": message.credit_before,
        "credit_after": message.credit_after,
    }
    facts = structs.asdict(message) | {name: amount_text(cents) for name, cents in amounts.items()}
    return _SEAT_MESSAGES[message.kind].format_map(facts).strip()


_CHANGED: Final = "Your bets: {paid_before} → {amount}. Credit: {credit_before} → {credit_after} [{clause}]."
_SEAT_MESSAGES: Final = {
    SeatMessageKind.TEXT: "{text}",
    SeatMessageKind.RETURNED: "{amount} went back to the meter [{clause}].",
    SeatMessageKind.SETTLED: "Round {round} was settled on {pocket}: {amount} came back [{clause}].",
    SeatMessageKind.NOT_COPIED: "Nothing was copied to the other game [{clause}].",
    SeatMessageKind.ANSWERED: "An attendant is on the way. {text}",
    SeatMessageKind.CORRECTED: "Round {round} was corrected by the house: {was} → {pocket}. " + _CHANGED,
    SeatMessageKind.INVALIDATED: "Round {round} does not count: stakes are returned. " + _CHANGED,
}


def seen_text(sighting: Sighting) -> str:
    """Describe a sensor sighting of the ball and the rotor."""
    turns = None if sighting.revolutions is None else f"{sighting.revolutions} revolutions"
    parts: Iterable[str | None] = (turns, _DIRECTIONS[sighting.opposite], _TURNING[sighting.turning])
    return ", ".join(each for each in parts if each)


_DIRECTIONS: Final = {True: "against the rotor", False: "with the rotor", None: ""}
_TURNING: Final = {True: "rotor turning", False: "rotor not turning", None: ""}
_NO_ROUND: Final = "No round had begun at any table: nothing was done."


class RecoveryReport(NamedTuple):
    """What a recovery found and did at one table, and by which clause."""

    round: RoundNumber
    found: str
    done: str
    #: The last action, if any was taken: void, settled, spin_void, refunded, or suspended.
    action: str
    clause: ClauseId | None


def explain(events: Events, rulebooks: Mapping[TableId, str]) -> tuple[str, ...]:
    """Explain the response to one recovery: a block of lines for each table that has had a round."""
    blocks = tuple(_block(table, report, rulebooks[table]) for table, report in recovery_reports(events).items())
    return blocks or (_NO_ROUND,)


def recovery_reports(events: Events) -> dict[TableId, RecoveryReport]:
    """Explain the response to one recovery, table by table; a house that was not provisioned yet had none."""
    recovered = next((each for each in events if isinstance(each, HouseRecovered)), None)
    return {each.table: _explained(each, events) for each in (recovered.found if recovered else ())}


def _explained(found: RecoveredRound, events: Events) -> RecoveryReport:
    acted = [
        each for each in events if isinstance(each, RoundEvent) and type(each) in _ACTIONS and each.table == found.table
    ]
    actions = "; ".join(map(_action, acted))
    state = f"{_FOUND[found.state]} (phase {found.phase.value})"
    last = _ACTIONS[type(acted[-1])] if acted else ""
    return RecoveryReport(found.round, state, actions or _LEFT[found.state], last, found.clause)


def explain_briefly(events: Events, rulebooks: Mapping[TableId, str]) -> tuple[str, ...]:
    """Explain the response to one recovery in a line for each table: the round, the action, and the clause."""
    reports = recovery_reports(events).items()
    lines = tuple(
        f"{_head(each, report, rulebooks[each])}: {report.done} [{report.clause or 'none'}]" for each, report in reports
    )
    return lines or (_NO_ROUND,)


def _head(table: TableId, report: RecoveryReport, rulebook: str) -> str:
    return f"{table}, round {report.round}, under {rulebook}"


def _block(table: TableId, report: RecoveryReport, rulebook: str) -> str:
    return "\n".join(
        (
            _head(table, report, rulebook),
            f"  found   {report.found}",
            f"  done    {report.done}",
            f"  clause  {report.clause or 'none'}",
        )
    )


def _action(event: RoundEvent) -> str:
    """Describe the action on a round, by the only events with which a recovery acts."""
    match event:
        case RoundVoided():
            return "the round is void, and every stake went back"
        case RoundSettled():
            return f"settled by the record: {amount_text(event.staked)} staked, {amount_text(event.returned)} came back"
        case SpinVoided():
            return "the spin does not count, and the round goes on with another"
        case TerminalsRefunded():
            return "every stake at a terminal went back, chips stay on the layout, and betting goes on"
        case RoundInterrupted():
            return "bets stand, two people may attest where the ball lay, and staff are notified"
    assert isinstance(event, RoundSuspended)
    assert event.until is not None
    return f"it waits for them until {_clock(event.until)}, and is void then"


_ACTIONS: Final[Mapping[type[RoundEvent], str]] = {
    RoundVoided: "void",
    RoundSettled: "settled",
    SpinVoided: "spin_void",
    TerminalsRefunded: "refunded",
    RoundInterrupted: "suspended",
    RoundSuspended: "suspended",
}


def _clock(at: Instant) -> str:
    """Format an instant as the time of day in UTC."""
    minutes, seconds = divmod(at // SECOND, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours % 24:02d}:{minutes:02d}:{seconds:02d} UTC"


_FOUND: Final[Mapping[RecoveryStatus, str]] = {
    RecoveryStatus.OPEN: "bets were not sealed yet",
    RecoveryStatus.SEALED: "bets were sealed, and no number was on record",
    RecoveryStatus.REPORTED: "the wheel had reported a number, which awaits somebody's word",
    RecoveryStatus.RESULT: "a result was on record, and not settled",
    RecoveryStatus.SETTLED: "the round was settled",
    RecoveryStatus.NO_SPIN: "the spin had been called off",
    RecoveryStatus.SUSPENDED: "the round was suspended until somebody decides",
    RecoveryStatus.INTERRUPTED: "the system had stopped in it before, and two people were to attest where the ball lay",
    RecoveryStatus.VOID: "the round was void",
}
_LEFT: Final[Mapping[RecoveryStatus, str]] = {
    RecoveryStatus.OPEN: "nothing: no ball was running, and betting goes on",
    RecoveryStatus.REPORTED: "nothing: it is settled once somebody gives the word",
    RecoveryStatus.SETTLED: "nothing: no money moves, and screens show it again",
    RecoveryStatus.NO_SPIN: "nothing: the number of that spin does not count",
    RecoveryStatus.SUSPENDED: "nothing: the decision is still open",
    RecoveryStatus.INTERRUPTED: "nothing more: it still waits",
    RecoveryStatus.VOID: "nothing: every stake had gone back",
}
