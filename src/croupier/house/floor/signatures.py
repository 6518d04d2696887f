"""Two signatures: a command that is proposed by one person and approved by another on another device."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Final

from croupier.house.declare import (
    COMMANDS,
    Command,
    Decision,
    Event,
    EventTopic,
    command,
    decide_permitted,
    decides,
    event,
    evolves,
    union,
)
from croupier.house.floor.permissions import require_permitted, rulebooks_of
from croupier.house.ids import SECOND, Context, DeviceId, Instant, Number, PersonId
from croupier.rules.procedure import Duty
from croupier.rules.refusal import Code, Refusal, Refused, first_of, raise_if, refuse

if TYPE_CHECKING:
    from croupier.house import House


#: Commands that two different people on two devices must sign. The package imports this subject last.
DUAL_CONTROL: Final = frozenset(kind for kind, declared in COMMANDS.items() if declared.signatures == 2)  # noqa: PLR2004

if TYPE_CHECKING:
    DualControlCommand = Command
else:
    DualControlCommand = union(kind for kind in COMMANDS if kind in DUAL_CONTROL)


@dataclass(frozen=True, slots=True)
class Proposal:
    """A first signature that waits for the second."""

    number: Number
    command: DualControlCommand
    person: PersonId
    device: DeviceId
    expires_at: Instant


@dataclass(slots=True)
class Proposals:
    """The proposals that wait, and the number that were made: completed proposals are dropped."""

    all: dict[Number, Proposal] = field(default_factory=dict)
    made: int = 0


@command(Duty.DEAL, Duty.INSPECT, Duty.CORRECT, Duty.DECIDE, Duty.MANAGE)
class Approve(Command, frozen=True):
    """Add the second signature to a proposal."""

    proposal: Number


@event("Proposal {proposal} of {proposer} was signed by {approver} too.", EventTopic.STAFF, EventTopic.SIGNIFICANT)
class ProposalApproved(Event, frozen=True):
    """The second signature was given, by another person on another device."""

    proposal: Number
    proposer: PersonId
    proposer_device: DeviceId
    approver: PersonId
    approver_device: DeviceId


#: The time limit for the second signature.
GOOD_FOR_S = 120


@decides(Approve)
def approve(house: House, command: Approve, context: Context) -> Decision:
    """Add the second signature and decide the proposed command; on a refusal the proposal stays open."""
    proposal = _find(house, command)
    first = Context(context.now, proposal.device, proposal.person)
    refusals: list[Refusal] = []
    for check in (
        # The second signature requires the same permission as the first, whose signer may have lost it since.
        partial(require_permitted, house, proposal.command, context),
        partial(require_permitted, house, proposal.command, first),
        partial(proposal.command.require_signers, house, first, context),
    ):
        try:
            check()
        except Refused as refused:
            refusals.append(refused.refusal)
    clause = next((book.staff.clause for book in rulebooks_of(house, proposal.command)), None)
    if context.person == proposal.person:
        refusals.append(refuse(Code.SAME_PERSON, clause, "Another person must give the second signature."))
    if context.device == proposal.device:
        refusals.append(refuse(Code.SAME_DEVICE, clause, "The second signature must be given on another device."))
    if context.now >= proposal.expires_at:
        message = f"The proposal was good for {GOOD_FOR_S} seconds: it must be made anew."
        refusals.append(refuse(Code.PROPOSAL_EXPIRED, clause, message, expires_at=proposal.expires_at))
    raise_if(first_of(refusals))
    done = decide_permitted(house, proposal.command, context)
    if isinstance(done, Refusal):
        return done
    signed = ProposalApproved(proposal.number, proposal.person, proposal.device, context.person, context.device)
    return (signed, *done)


def _find(house: House, command: Approve | Withdraw) -> Proposal:
    proposal = house.proposals.all.get(command.proposal)
    if proposal is None:
        message = f"There is no proposal {command.proposal} to be signed."
        raise Refused(Code.UNKNOWN_RECORD, None, message, proposal=command.proposal)
    return proposal


@evolves(ProposalApproved)
def proposal_approved(house: House, event: ProposalApproved, _context: Context) -> None:
    del house.proposals.all[event.proposal]


@command(Duty.DEAL, Duty.INSPECT, Duty.CASH, Duty.CORRECT, Duty.DECIDE, Duty.MANAGE)
class Withdraw(Command, frozen=True):
    """Withdraw a proposal."""

    proposal: Number


@event("Proposal {proposal} was withdrawn.", EventTopic.STAFF)
class ProposalWithdrawn(Event, frozen=True):
    """A proposal was withdrawn."""

    proposal: Number


@decides(Withdraw)
def withdraw(house: House, command: Withdraw, context: Context) -> Decision:
    proposal = _find(house, command)
    if context.person != proposal.person:
        message = f"{proposal.person} made the proposal, and nobody else can take it back."
        raise Refused(Code.NOT_AUTHORISED, None, message, person=proposal.person)
    return (ProposalWithdrawn(command.proposal),)


@evolves(ProposalWithdrawn)
def proposal_withdrawn(house: House, event: ProposalWithdrawn, _context: Context) -> None:
    del house.proposals.all[event.proposal]


@event("A first signature was given: proposal {proposal}.", EventTopic.STAFF)
class ProposalMade(Event, frozen=True):
    """The first of two signatures was given: the proposed command, and when the proposal expires."""

    proposal: Number
    command: DualControlCommand
    expires_at: Instant


@evolves(ProposalMade)
def proposal_made(house: House, event: ProposalMade, context: Context) -> None:
    proposal = Proposal(event.proposal, event.command, context.person, context.device, event.expires_at)
    live = {number: each for number, each in house.proposals.all.items() if each.expires_at > context.now}
    house.proposals.all = {**live, event.proposal: proposal}
    house.proposals.made += 1


#: A drawer and a float are counted blind: whether they hold enough is checked with the second signature only. Otherwise
#: one person could find their contents by proposing and withdrawing.
BLIND: Final = (Code.DRAWER_SHORT, Code.FLOAT_SHORT)


def needs_second_signature(house: House, command: Command) -> bool:
    """Check whether a command requires a second signature here."""
    return type(command) in DUAL_CONTROL and not command.one_signature_suffices(house)


def propose(house: House, command: Command, context: Context) -> Decision:
    """Record the first signature of a command that would be accepted now."""
    answer = decide_permitted(house, command, context)
    if isinstance(answer, Refusal) and answer.code not in BLIND:
        return answer
    command.require_signers(house, context)
    expires_at = Instant(context.now + GOOD_FOR_S * SECOND)
    return (ProposalMade(Number(house.proposals.made + 1), command.as_proposed(house), expires_at),)
