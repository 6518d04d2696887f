"""Signatures: what takes two people on two devices, from the first signature to the second."""

from collections.abc import Sequence
from typing import Final

from croupier.house.command import credit, record, round, venue  # noqa: A004 - the casino's word
from croupier.house.command.base import Command
from croupier.house.event.base import Event
from croupier.house.event.venue import ProposalApproved, ProposalMade, ProposalWithdrawn
from croupier.house.name import Instant, Number
from croupier.house.stamp import Stamp
from croupier.rehearsal.auditor.deed import Told, match
from croupier.rehearsal.auditor.finding import agree
from croupier.rehearsal.auditor.model import Model
from croupier.rehearsal.auditor.rights import barred
from croupier.rehearsal.auditor.staff import Proposal
from croupier.rules.refusal import Code

#: The second signature is good for two minutes.
_GOOD_FOR: Final = 120_000_000
#: What is to be signed by two, written out from the rules and the list of what moves money or changes the house.
_DUAL: Final = (
    credit.AdjustCredit,
    credit.PayPayable,
    credit.ReleaseTicket,
    credit.ReprintTicket,
    credit.VoidTicket,
    record.VoidBets,
    round.AttestResult,
    round.CorrectResult,
    round.InvalidateOutcome,
    venue.AddTable,
    venue.AddTerminal,
    venue.ApproveSoftware,
    venue.ChangeRulebook,
    venue.ChangeSettings,
    venue.EnrolDevice,
    venue.EnrolPerson,
    venue.ReleaseDevice,
    venue.UnlockAccount,
)


def takes_two(model: Model, command: Command, stamp: Stamp) -> bool:
    """Tell whether what a person asks for waits for another; what is not paid or settled yet is taken back by one."""
    if not stamp.person or not isinstance(command, _DUAL):
        return False
    if isinstance(command, round.InvalidateOutcome):
        played = model.tables[command.table].rounds.get(command.round)
        return played is not None and played.status == "settled"
    if isinstance(command, record.VoidBets):
        case = model.cases.get(command.case)
        rounds = [] if case is None else [model.tables[name].rounds[number] for name, number in case.questioned]
        return case is not None and (case.suspense.total() > 0 or any(each.pocket or each.reported for each in rounds))
    return True


def propose(model: Model, command: Command, stamp: Stamp, events: Sequence[Event]) -> None:
    """A first signature must be told as such, and do nothing else."""
    number = Number(model.staff.proposed + 1)
    expires_at = Instant(stamp.now + _GOOD_FOR)
    match("I19", events, [Told(ProposalMade, {"proposal": number, "expires_at": expires_at})])
    made = events[0]
    assert isinstance(made, ProposalMade)
    agree("I19", f"{made} proposes a", type(made.command), type(command))
    staff = model.staff
    staff.proposed += 1
    # With every new proposal those that have run out are forgotten.
    staff.proposals = {each: live for each, live in staff.proposals.items() if live.expires_at > stamp.now}
    staff.proposals[number] = Proposal(made.command, stamp.person, stamp.device, expires_at)


def unsigned(model: Model, command: venue.Approve, stamp: Stamp) -> set[Code]:
    """Say why a second signature does not count, whatever it is for."""
    proposal = model.staff.proposals.get(command.proposal)
    if proposal is None:
        return {Code.UNKNOWN_RECORD}
    first = Stamp(stamp.now, proposal.device, proposal.person)
    codes = barred(model, proposal.command, stamp) | barred(model, proposal.command, first)
    codes |= {Code.SAME_PERSON} if stamp.person == proposal.person else set()
    codes |= {Code.SAME_DEVICE} if stamp.device == proposal.device else set()
    return codes | ({Code.PROPOSAL_EXPIRED} if stamp.now >= proposal.expires_at else set())


def approve(model: Model, command: venue.Approve, stamp: Stamp, events: Sequence[Event]) -> Command:
    """Two signatures: both are told first, and what follows is the proposed command's own."""
    proposal = model.staff.proposals.pop(command.proposal)
    first = {"proposer": proposal.person, "proposer_device": proposal.device}
    second = {"approver": stamp.person, "approver_device": stamp.device}
    match("I19", events[:1], [Told(ProposalApproved, {"proposal": command.proposal, **first, **second})])
    return proposal.command


def not_withdrawn(model: Model, command: venue.Withdraw, stamp: Stamp) -> set[Code]:
    proposal = model.staff.proposals.get(command.proposal)
    if proposal is None:
        return {Code.UNKNOWN_RECORD}
    return set() if stamp.person == proposal.person else {Code.NOT_AUTHORISED}


def withdraw(model: Model, command: venue.Withdraw, _stamp: Stamp) -> list[Told]:
    del model.staff.proposals[command.proposal]
    return [Told(ProposalWithdrawn, {"proposal": command.proposal})]
