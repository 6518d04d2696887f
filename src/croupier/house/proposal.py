"""Proposals: what takes two signatures, by two people on two devices within two minutes."""

from collections.abc import Iterator

import msgspec

from croupier.house import authority
from croupier.house.answer import Decider, Deciders, Decision, Evolvers, refuse
from croupier.house.command.any import Dual
from croupier.house.command.base import Command
from croupier.house.command.record import VoidBets
from croupier.house.command.round import AttestResult, InvalidateOutcome
from croupier.house.command.venue import Approve, Withdraw
from croupier.house.docket import Case, Proposal
from croupier.house.event.venue import ProposalApproved, ProposalMade, ProposalWithdrawn
from croupier.house.name import SECOND, Instant, Number
from croupier.house.stamp import Stamp
from croupier.house.state import House
from croupier.house.table import Status
from croupier.rules.refusal import Code, Refusal, first_of

#: How long the second signature may take.
GOOD_FOR_S = 120


def needs_second(house: House, command: Command) -> bool:
    """Tell whether a command waits for a second signature; what is not paid or settled yet is taken back by one."""
    if isinstance(command, InvalidateOutcome):
        found = house.tables[command.table].find_round(command.round)
        return found is not None and found.status is Status.SETTLED
    if isinstance(command, VoidBets):
        case = house.cases.get(command.case)
        return case is not None and (case.suspense > 0 or _number_known(case))
    return isinstance(command, Dual)


def _number_known(case: Case) -> bool:
    """Tell whether a number of a round in question has been seen: from then on nobody voids its bets alone."""
    return any(round_.pocket or round_.reported for round_ in case.rounds)


def propose(house: House, command: Command, stamp: Stamp) -> Decision:
    assert isinstance(command, Dual)
    expires_at = Instant(stamp.now + GOOD_FOR_S * SECOND)
    if isinstance(command, AttestResult):
        # What was attested of one spin must not be signed for another.
        playing = house.tables[command.table].playing
        command = msgspec.structs.replace(command, round=playing.number, spin=playing.spin)
    return (ProposalMade(Number(house.proposed + 1), command, expires_at),)


def approve(house: House, command: Approve, stamp: Stamp, decide_inner: Decider) -> Decision:
    """Add the second signature and do what was proposed, or say why not; a refusal leaves the proposal standing."""
    proposal = house.proposals.get(command.proposal)
    if proposal is None:
        return _unknown(command.proposal)
    objection = first_of(_objections(house, proposal, stamp))
    if objection is not None:
        return objection
    done = decide_inner(house, proposal.command, stamp)
    if isinstance(done, Refusal):
        return done
    signed = ProposalApproved(proposal.number, proposal.person, proposal.device, stamp.person, stamp.device)
    return (signed, *done)


def _objections(house: House, proposal: Proposal, stamp: Stamp) -> Iterator[Refusal]:
    clause = next((book.staff.clause for book in authority.rulebooks_of(house, proposal.command)), None)
    # The second signature takes the same right as the first: whoever may not ask for it may not approve it.
    if (not_allowed := authority.objection(house, proposal.command, stamp)) is not None:
        yield not_allowed
    first = Stamp(stamp.now, proposal.device, proposal.person)
    if (lost := authority.objection(house, proposal.command, first)) is not None:
        # Whoever has lost the right since has not signed.
        yield lost
    if stamp.person == proposal.person:
        yield refuse(Code.SAME_PERSON, clause, "Another person must give the second signature.")
    if stamp.device == proposal.device:
        yield refuse(Code.SAME_DEVICE, clause, "The second signature must be given on another device.")
    if stamp.now >= proposal.expires_at:
        says = f"The proposal was good for {GOOD_FOR_S} seconds: it must be made anew."
        yield refuse(Code.PROPOSAL_EXPIRED, clause, says, expires_at=proposal.expires_at)


def withdraw(house: House, command: Withdraw, stamp: Stamp) -> Decision:
    proposal = house.proposals.get(command.proposal)
    if proposal is None:
        return _unknown(command.proposal)
    if stamp.person != proposal.person:
        says = f"{proposal.person} made the proposal, and nobody else can take it back."
        return refuse(Code.NOT_AUTHORISED, None, says, person=proposal.person)
    return (ProposalWithdrawn(command.proposal),)


def _unknown(number: Number) -> Refusal:
    return refuse(Code.UNKNOWN_RECORD, None, f"There is no proposal {number} to be signed.", proposal=number)


def proposal_made(house: House, event: ProposalMade, stamp: Stamp) -> None:
    proposal = Proposal(event.proposal, event.command, stamp.person, stamp.device, event.expires_at)
    live = {number: each for number, each in house.proposals.items() if each.expires_at > stamp.now}
    house.proposals = {**live, event.proposal: proposal}
    house.proposed += 1


def proposal_approved(house: House, event: ProposalApproved, _stamp: Stamp) -> None:
    del house.proposals[event.proposal]


def proposal_withdrawn(house: House, event: ProposalWithdrawn, _stamp: Stamp) -> None:
    del house.proposals[event.proposal]


#: Approving is bound where all commands are decided: it decides one of them.
DECIDERS: Deciders = {Withdraw: withdraw}
EVOLVERS: Evolvers = {
    ProposalMade: proposal_made,
    ProposalApproved: proposal_approved,
    ProposalWithdrawn: proposal_withdrawn,
}
