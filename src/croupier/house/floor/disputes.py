"""Disputes: the frozen record of a round, the house's decision, its review, and the advice to the complainant."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from croupier.house.declare import (
    Command,
    Event,
    Events,
    EventTopic,
    RoundEvent,
    TableCommand,
    command,
    decides,
    event,
    evolves,
)
from croupier.house.floor.permissions import no_terminal
from croupier.house.ids import Context, Instant, Number, PersonId, PositionId, RoundNumber, TerminalId
from croupier.house.state.tables import Round, Table
from croupier.rules.procedure import Duty
from croupier.rules.refusal import CitedTopic, ClauseId, Code, Refused
from croupier.rules.rulebook import Rulebook

if TYPE_CHECKING:
    from croupier.house import House


class DisputeState(StrEnum):
    """The state of a dispute."""

    OPEN = "open"
    FINAL = "final"
    UNDER_REVIEW = "under_review"
    REVIEWED = "reviewed"
    CLOSED = "closed"


class DisputeBasis(StrEnum):
    """What a dispute is based on."""

    NOT_COVERED = "not_covered"
    FROM_RULES = "from_rules"


@dataclass(slots=True)
class Dispute:
    """A disputed round, with its record as it was when the dispute was opened."""

    #: The number, the round, the complaint and the clause behind it, as they were journaled.
    opened: DisputeOpened
    #: The round when the dispute was opened; None if only the journal still has all of it.
    evidence: Round | None
    opened_at: Instant
    state: DisputeState = DisputeState.OPEN
    opened_by: PersonId = PersonId("")
    decision: str = ""
    decided_at: Instant | None = None
    decided_by: PersonId = PersonId("")
    advised_at: Instant | None = None
    advised_by: PersonId = PersonId("")
    #: The person who recorded the request for a review, and whether the house requested it.
    review_at: Instant | None = None
    review_by: PersonId = PersonId("")
    review_by_house: bool = False
    outcome: str = ""
    reviewed_at: Instant | None = None
    reviewed_by: PersonId = PersonId("")
    resolved: bool | None = None
    closed_at: Instant | None = None
    closed_by: PersonId = PersonId("")


class DisputeCommand(Command, frozen=True):
    """A command about one dispute; the rules of its table apply."""

    dispute: Number

    def table_in(self, house: House) -> Table | None:
        dispute = house.disputes.get(self.dispute)
        return None if dispute is None else house.tables[dispute.opened.table]


class DisputeEvent(Event, frozen=True):
    """An event of one dispute."""

    dispute: Number


# Opening.


@command(Duty.DEAL, Duty.INSPECT, Duty.DECIDE)
class OpenDispute(TableCommand, frozen=True):
    """A patron disputes a round: its record is frozen. The dealer to whom it is said may open the dispute."""

    round: RoundNumber
    terminal: TerminalId | None
    basis: DisputeBasis
    words: str
    #: The rule in question, where the dispute arises from one.
    rule: ClauseId | None = None
    #: The version of the memorandum on disputes that is in force, where the venue has one.
    memorandum: str = ""
    #: The player with chips whose bets are disputed, instead of a terminal.
    position: PositionId | None = None


@event("Dispute {dispute} about round {round} was opened. {words}", EventTopic.INCIDENT, EventTopic.SIGNIFICANT)
class DisputeOpened(RoundEvent, frozen=True):
    """A dispute about a round was opened, and the record of the round was frozen."""

    dispute: Number
    terminal: TerminalId | None
    basis: DisputeBasis
    clause: ClauseId
    words: str
    rule: ClauseId | None
    memorandum: str
    #: The player with chips whose bets are disputed, and how staff referred to the player.
    position: PositionId | None = None
    player: str = ""


@decides(OpenDispute)
def open_dispute(house: House, command: OpenDispute, _context: Context) -> Events:
    if command.terminal is not None and command.terminal not in house.terminals:
        raise no_terminal(house, command.terminal)
    table = house.tables[command.table]
    found = table.find_round(command.round)
    rulebook = table.rulebook if found is None else house.rulebooks[found.rulebook]
    from_rules = command.basis is DisputeBasis.FROM_RULES
    clause = rulebook.cited_clauses[CitedTopic.DISPUTE_FROM_RULES if from_rules else CitedTopic.DISPUTE]
    if command.terminal is not None and command.position is not None:
        raise Refused(Code.MALFORMED, None, "Name a terminal or a player with chips, not both.")
    if not 1 <= command.round <= table.rounds:
        message = f"Table {command.table} has played no round {command.round}."
        raise Refused(Code.UNKNOWN_RECORD, clause, message, round=command.round)
    player = _player(table, found, command, clause)
    if from_rules and not command.rule:
        raise Refused(Code.REASON_NOT_LISTED, clause, "Name the rule that the dispute arises from.")
    if rulebook.memorandum is not None and not command.memorandum.strip():
        message = "Name the version of the memorandum on disputes that is in force."
        raise Refused(Code.REASON_NOT_LISTED, rulebook.memorandum, message)
    return (
        DisputeOpened(
            command.table,
            command.round,
            Number(len(house.disputes) + 1),
            command.terminal,
            command.basis,
            clause,
            command.words,
            command.rule,
            command.memorandum,
            command.position,
            player,
        ),
    )


def _player(table: Table, found: Round | None, command: OpenDispute, clause: ClauseId) -> str:
    """Return how staff refer to the disputed player with chips, who may have left since; "" if none is named."""
    position = command.position
    if position is None:
        return ""
    known = {} if table.live is None else {**table.live.left, **table.live.players}
    if position in known:
        return known[position].label
    if found is not None and found.chips is not None and position in found.chips.sealed:
        return f"position {position}"
    message = f"No player with chips at table {table.id} has position {position} in round {command.round}."
    raise Refused(Code.UNKNOWN_RECORD, clause, message, position=position)


@evolves(DisputeOpened)
def dispute_opened(house: House, event: DisputeOpened, context: Context) -> None:
    found = house.tables[event.table].find_round(event.round)
    evidence = None if found is None else found.copy()
    house.disputes[event.dispute] = Dispute(event, evidence, context.now, opened_by=context.person)


# The decision.


@command(Duty.DECIDE)
class DecideDispute(DisputeCommand, frozen=True):
    """The house decides a dispute."""

    decision: str


@event("Dispute {dispute} was decided: {decision}", EventTopic.INCIDENT, EventTopic.SIGNIFICANT)
class DisputeDecided(DisputeEvent, frozen=True):
    """The house decided a dispute."""

    decision: str


@decides(DecideDispute)
def decide_dispute(house: House, command: DecideDispute, _context: Context) -> Events:
    _find(house, command, DisputeState.OPEN)
    return (DisputeDecided(command.dispute, command.decision),)


@evolves(DisputeDecided)
def dispute_decided(house: House, event: DisputeDecided, context: Context) -> None:
    dispute = house.disputes[event.dispute]
    dispute.state, dispute.decision = DisputeState.FINAL, event.decision
    dispute.decided_at, dispute.decided_by = context.now, context.person


# Its review.


@command(Duty.INSPECT, Duty.DECIDE)
class RequestReview(DisputeCommand, frozen=True):
    """The player or the house requests a review."""

    by_house: bool


@event("A review of dispute {dispute} was requested.", EventTopic.INCIDENT)
class ReviewRequested(DisputeEvent, frozen=True):
    """A review of the decision was requested."""

    by_house: bool


@decides(RequestReview)
def request_review(house: House, command: RequestReview, _context: Context) -> Events:
    dispute = _find(house, command)
    if Duty.REVIEW not in _rulebook(house, dispute).staff.duties:
        raise Refused(Code.NOT_AUTHORISED, dispute.opened.clause, "Nobody reviews the house's decisions at this venue.")
    _find(house, command, DisputeState.FINAL)
    return (ReviewRequested(command.dispute, command.by_house),)


@evolves(ReviewRequested)
def review_requested(house: House, event: ReviewRequested, context: Context) -> None:
    dispute = house.disputes[event.dispute]
    dispute.state, dispute.review_by_house = DisputeState.UNDER_REVIEW, event.by_house
    dispute.review_at, dispute.review_by = context.now, context.person


@command(Duty.REVIEW)
class RecordReview(DisputeCommand, frozen=True):
    """Record the outcome of a review."""

    outcome: str


@event("The review of dispute {dispute}: {outcome}", EventTopic.INCIDENT, EventTopic.SIGNIFICANT)
class ReviewRecorded(DisputeEvent, frozen=True):
    """The outcome of a review was recorded."""

    outcome: str


@decides(RecordReview)
def record_review(house: House, command: RecordReview, _context: Context) -> Events:
    dispute = _find(house, command)
    # 12(j): a decision on the rules is subject to review even without a request; 12(i) requires a request.
    unasked = (DisputeState.FINAL,) if dispute.opened.basis is DisputeBasis.FROM_RULES else ()
    _find(house, command, DisputeState.UNDER_REVIEW, *unasked)
    return (ReviewRecorded(command.dispute, command.outcome),)


@evolves(ReviewRecorded)
def review_recorded(house: House, event: ReviewRecorded, context: Context) -> None:
    dispute = house.disputes[event.dispute]
    dispute.state, dispute.outcome = DisputeState.REVIEWED, event.outcome
    dispute.reviewed_at, dispute.reviewed_by = context.now, context.person


# The advice, and the end.


@command(Duty.INSPECT, Duty.DECIDE, Duty.OFFICIATE)
class AdviseComplainant(DisputeCommand, frozen=True):
    """Record that the complainant was advised of the right to consult an Authorised Officer."""


@event("The complainant of dispute {dispute} was advised.", EventTopic.INCIDENT)
class ComplainantAdvised(DisputeEvent, frozen=True):
    """The complainant was advised of the right to consult an Authorised Officer."""

    clause: ClauseId


@decides(AdviseComplainant)
def advise_complainant(house: House, command: AdviseComplainant, _context: Context) -> Events:
    dispute = _find(house, command)
    clause = _rulebook(house, dispute).cited_clauses[CitedTopic.ADVICE]
    if dispute.advised_at is not None:
        raise Refused(Code.ALREADY_THERE, clause, f"{dispute.advised_by} has advised the complainant already.")
    return (ComplainantAdvised(command.dispute, clause),)


@evolves(ComplainantAdvised)
def complainant_advised(house: House, event: ComplainantAdvised, context: Context) -> None:
    dispute = house.disputes[event.dispute]
    dispute.advised_at, dispute.advised_by = context.now, context.person


@command(Duty.DECIDE)
class CloseDispute(DisputeCommand, frozen=True):
    """Close a dispute, resolved or not."""

    resolved: bool


@event("Dispute {dispute} was closed.", EventTopic.INCIDENT, EventTopic.SIGNIFICANT)
class DisputeClosed(DisputeEvent, frozen=True):
    """A dispute was closed."""

    resolved: bool


@decides(CloseDispute)
def close_dispute(house: House, command: CloseDispute, _context: Context) -> Events:
    dispute = _find(house, command, DisputeState.FINAL, DisputeState.REVIEWED)
    rulebook = _rulebook(house, dispute)
    # 12(k): without a resolution the complainant is told where else to complain, at venues that name such a body.
    if not command.resolved and dispute.advised_at is None and Duty.OFFICIATE in rulebook.staff.duties:
        message = "The complainant must first be informed of the right to consult an Authorised Officer."
        raise Refused(Code.NOT_ADVISED, rulebook.cited_clauses[CitedTopic.ADVICE], message, dispute=command.dispute)
    return (DisputeClosed(command.dispute, command.resolved),)


@evolves(DisputeClosed)
def dispute_closed(house: House, event: DisputeClosed, context: Context) -> None:
    dispute = house.disputes[event.dispute]
    dispute.state, dispute.resolved = DisputeState.CLOSED, event.resolved
    dispute.closed_at, dispute.closed_by = context.now, context.person


def _find(house: House, command: DisputeCommand, *states: DisputeState) -> Dispute:
    """Find a dispute in one of these states, or in any if none is named."""
    dispute = house.disputes.get(command.dispute)
    if dispute is None:
        raise Refused(Code.UNKNOWN_RECORD, None, f"There is no dispute {command.dispute}.", dispute=command.dispute)
    if states and dispute.state not in states:
        message = f"Dispute {command.dispute} is {dispute.state.value.replace('_', ' ')}: that is not its next step."
        raise Refused(Code.OUT_OF_TURN, dispute.opened.clause, message, state=dispute.state.value)
    return dispute


def _rulebook(house: House, dispute: Dispute) -> Rulebook:
    """The rulebook that the round was played by, even if the table has since changed."""
    evidence = dispute.evidence
    return house.tables[dispute.opened.table].rulebook if evidence is None else house.rulebooks[evidence.rulebook]
