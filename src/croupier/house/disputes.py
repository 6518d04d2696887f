"""Disputes: the frozen record of a round, the house's decision, its review, and the advice to the complainant."""

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace

from croupier.house.base import Decision
from croupier.house.commands.record import (
    AdviseComplainant,
    CloseDispute,
    DecideDispute,
    DisputeBasis,
    OpenDispute,
    RecordReview,
    RequestReview,
)
from croupier.house.events.record import (
    ComplainantAdvised,
    DisputeClosed,
    DisputeDecided,
    DisputeOpened,
    ReviewRecorded,
    ReviewRequested,
)
from croupier.house.ids import Context, Number, PositionId
from croupier.house.permissions import no_terminal
from croupier.house.state import Deciders, Dispute, DisputeState, Evolvers, House
from croupier.house.state.tables import Round, Table
from croupier.rules.procedure import Duty
from croupier.rules.refusal import CitedTopic, ClauseId, Code, Refusal, first_of, refuse
from croupier.rules.rulebook import Rulebook


def open_dispute(house: House, command: OpenDispute, _context: Context) -> Decision:
    if command.terminal is not None and command.terminal not in house.terminals:
        return no_terminal(house, command.terminal)
    table = house.tables[command.table]
    found = table.find_round(command.round)
    rulebook = table.rulebook if found is None else house.rulebooks[found.rulebook]
    from_rules = command.basis is DisputeBasis.FROM_RULES
    clause = rulebook.cited_clauses[CitedTopic.DISPUTE_FROM_RULES if from_rules else CitedTopic.DISPUTE]
    player = _player(table, found, command.position)
    opened = DisputeOpened(
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
        player or "",
    )
    return first_of(_objections(table, rulebook, command, clause, player)) or (opened,)


def _objections(
    table: Table, rulebook: Rulebook, command: OpenDispute, clause: ClauseId, player: str | None
) -> Iterator[Refusal]:
    if command.terminal is not None and command.position is not None:
        yield refuse(Code.MALFORMED, None, "Name a terminal or a player with chips, not both.")
    if not 1 <= command.round <= table.rounds:
        message = f"Table {command.table} has played no round {command.round}."
        yield refuse(Code.UNKNOWN_RECORD, clause, message, round=command.round)
    if player is None:
        message = f"No player with chips at table {table.id} has position {command.position} in round {command.round}."
        yield refuse(Code.UNKNOWN_RECORD, clause, message, position=command.position)
    if command.basis is DisputeBasis.FROM_RULES and not command.rule:
        yield refuse(Code.REASON_NOT_LISTED, clause, "Name the rule that the dispute arises from.")
    if rulebook.memorandum is not None and not command.memorandum.strip():
        message = "Name the version of the memorandum on disputes that is in force."
        yield refuse(Code.REASON_NOT_LISTED, rulebook.memorandum, message)


def _player(table: Table, found: Round | None, position: PositionId | None) -> str | None:
    """Return how staff refer to the disputed player; None if no such player is at the table or in the round."""
    if position is None:
        return ""
    known = {} if table.live is None else {**table.live.left, **table.live.players}
    if position in known:
        return known[position].label
    # The player has left since.
    sealed = {} if found is None or found.chips is None else found.chips.sealed
    return f"position {position}" if position in sealed else None


def decide_dispute(house: House, command: DecideDispute, _context: Context) -> Decision:
    dispute = _find(house, command.dispute)
    if isinstance(dispute, Refusal):
        return dispute
    return _out_of_turn(dispute, DisputeState.OPEN) or (DisputeDecided(dispute.opened.dispute, command.decision),)


def request_review(house: House, command: RequestReview, _context: Context) -> Decision:
    dispute = _find(house, command.dispute)
    if isinstance(dispute, Refusal):
        return dispute
    if Duty.REVIEW not in _rulebook(house, dispute).staff.duties:
        return refuse(Code.NOT_AUTHORISED, dispute.opened.clause, "Nobody reviews the house's decisions at this venue.")
    return _out_of_turn(dispute, DisputeState.FINAL) or (ReviewRequested(dispute.opened.dispute, command.by_house),)


def record_review(house: House, command: RecordReview, _context: Context) -> Decision:
    dispute = _find(house, command.dispute)
    if isinstance(dispute, Refusal):
        return dispute
    # 12(j): a decision on the rules is subject to review even without a request; 12(i) requires a request.
    unasked = (DisputeState.FINAL,) if dispute.opened.basis is DisputeBasis.FROM_RULES else ()
    objection = _out_of_turn(dispute, DisputeState.UNDER_REVIEW, *unasked)
    return objection or (ReviewRecorded(dispute.opened.dispute, command.outcome),)


def advise_complainant(house: House, command: AdviseComplainant, _context: Context) -> Decision:
    dispute = _find(house, command.dispute)
    if isinstance(dispute, Refusal):
        return dispute
    clause = _rulebook(house, dispute).cited_clauses[CitedTopic.ADVICE]
    if dispute.advised_at is not None:
        return refuse(Code.ALREADY_THERE, clause, f"{dispute.advised_by} has advised the complainant already.")
    return (ComplainantAdvised(dispute.opened.dispute, clause),)


def close_dispute(house: House, command: CloseDispute, _context: Context) -> Decision:
    dispute = _find(house, command.dispute)
    if isinstance(dispute, Refusal):
        return dispute
    objection = _out_of_turn(dispute, DisputeState.FINAL, DisputeState.REVIEWED)
    if objection is None and not command.resolved:
        objection = _not_advised(house, dispute)
    return objection or (DisputeClosed(dispute.opened.dispute, command.resolved),)


def _not_advised(house: House, dispute: Dispute) -> Refusal | None:
    """12(k): a complainant without a resolution is advised where else to complain, at venues that name such a body."""
    rulebook = _rulebook(house, dispute)
    if dispute.advised_at is not None or Duty.OFFICIATE not in rulebook.staff.duties:
        return None
    message = "The complainant must first be informed of the right to consult an Authorised Officer."
    return refuse(Code.NOT_ADVISED, rulebook.cited_clauses[CitedTopic.ADVICE], message, dispute=dispute.opened.dispute)


def _find(house: House, number: Number) -> Dispute | Refusal:
    message = f"There is no dispute {number}."
    return house.disputes.get(number) or refuse(Code.UNKNOWN_RECORD, None, message, dispute=number)


def _out_of_turn(dispute: Dispute, *states: DisputeState) -> Refusal | None:
    if dispute.state in states:
        return None
    message = f"Dispute {dispute.opened.dispute} is {dispute.state.value.replace('_', ' ')}: that is not its next step."
    return refuse(Code.OUT_OF_TURN, dispute.opened.clause, message, state=dispute.state.value)


def _rulebook(house: House, dispute: Dispute) -> Rulebook:
    """The rulebook that the round was played by, even if the table has since changed."""
    evidence = dispute.evidence
    return house.tables[dispute.opened.table].rulebook if evidence is None else house.rulebooks[evidence.rulebook]


def dispute_opened(house: House, event: DisputeOpened, context: Context) -> None:
    found = house.tables[event.table].find_round(event.round)
    house.disputes[event.dispute] = Dispute(
        event, None if found is None else _frozen(found), context.now, opened_by=context.person
    )


def _frozen(found: Round) -> Round:
    """Copy a round's record, so that later changes to the round do not affect it."""
    sealed = None if found.sealed is None else {position: dict(stakes) for position, stakes in found.sealed.items()}
    sightings, corrected, chips = list(found.sightings), list(found.corrected), deepcopy(found.chips)
    return replace(found, sealed=sealed, paid=dict(found.paid), corrected=corrected, sightings=sightings, chips=chips)


def dispute_decided(house: House, event: DisputeDecided, context: Context) -> None:
    dispute = house.disputes[event.dispute]
    dispute.state, dispute.decision = DisputeState.FINAL, event.decision
    dispute.decided_at, dispute.decided_by = context.now, context.person


def complainant_advised(house: House, event: ComplainantAdvised, context: Context) -> None:
    dispute = house.disputes[event.dispute]
    dispute.advised_at, dispute.advised_by = context.now, context.person


def review_requested(house: House, event: ReviewRequested, context: Context) -> None:
    dispute = house.disputes[event.dispute]
    dispute.state, dispute.review_by_house = DisputeState.UNDER_REVIEW, event.by_house
    dispute.review_at, dispute.review_by = context.now, context.person


def review_recorded(house: House, event: ReviewRecorded, context: Context) -> None:
    dispute = house.disputes[event.dispute]
    dispute.state, dispute.outcome = DisputeState.REVIEWED, event.outcome
    dispute.reviewed_at, dispute.reviewed_by = context.now, context.person


def dispute_closed(house: House, event: DisputeClosed, context: Context) -> None:
    dispute = house.disputes[event.dispute]
    dispute.state, dispute.resolved = DisputeState.CLOSED, event.resolved
    dispute.closed_at, dispute.closed_by = context.now, context.person


DECIDERS: Deciders = {
    OpenDispute: open_dispute,
    DecideDispute: decide_dispute,
    RequestReview: request_review,
    RecordReview: record_review,
    AdviseComplainant: advise_complainant,
    CloseDispute: close_dispute,
}
EVOLVERS: Evolvers = {
    DisputeOpened: dispute_opened,
    DisputeDecided: dispute_decided,
    ComplainantAdvised: complainant_advised,
    ReviewRequested: review_requested,
    ReviewRecorded: review_recorded,
    DisputeClosed: dispute_closed,
}
