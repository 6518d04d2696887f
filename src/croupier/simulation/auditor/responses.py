"""Responses: the refusals that the auditor's model expects for a command, and the invariant a wrong response breaks."""

from collections.abc import Mapping
from typing import Final

from croupier.house.base import Command, GameCommand
from croupier.house.commands import setup
from croupier.house.ids import Context
from croupier.rules.refusal import Code, Refusal
from croupier.simulation.auditor import betting
from croupier.simulation.auditor.betting import SERVICE
from croupier.simulation.auditor.model import Model
from croupier.simulation.auditor.money import MONEY, PAPER, ModelAction, Objection
from croupier.simulation.auditor.permissions import barred, not_withdrawn, unsigned, withdraw
from croupier.simulation.invariants import InvariantViolation

#: Refusals that are sent before the house decides: nothing was decided.
NOT_DECIDED: Final = (Code.KEY_STALE, Code.KEY_REUSED, Code.EPOCH_AHEAD, Code.BUSY, Code.DISK_LOW)

#: For each derived command, its expected refusals and its effect.
WORKED_OUT: Final[Mapping[type[Command], tuple[Objection, ModelAction]]] = {
    **MONEY,
    **PAPER,
    **SERVICE,
    **dict.fromkeys(betting.DERIVED, (betting.objections, betting.carry)),
    setup.Withdraw: (not_withdrawn, withdraw),
}

_BREAKS: Final[Mapping[str, tuple[Code, ...]]] = {
    "I2": (Code.CREDIT_SHORT, Code.STAKE_NOT_POSITIVE, Code.NOTHING_TO_COLLECT, Code.WIN_HELD, Code.FORM_MISSING),
    "I5": (
        *(
            Code.TICKET_UNKNOWN,
            Code.TICKET_PAID,
            Code.TICKET_VOID,
            Code.TICKET_EXPIRED,
            Code.TICKET_FROZEN,
            Code.TICKET_ALTERED,
        ),
        *(Code.VALIDATION_STALE, Code.UNKNOWN_RECORD),
    ),
    "I6": (Code.DRAWER_UNKNOWN, Code.DRAWER_CLOSED, Code.DRAWER_SHORT),
    "I9": (Code.WRONG_ROUND, Code.BETS_NOT_OPEN, Code.BETS_CLOSED, Code.ROUND_SUSPENDED),
    "I19": (
        *(Code.NOT_AUTHORISED, Code.UNKNOWN_DEVICE, Code.UNKNOWN_PERSON, Code.SAME_PERSON, Code.SAME_DEVICE),
        Code.PROPOSAL_EXPIRED,
    ),
}
_INVARIANT: Final = {code: invariant for invariant, codes in _BREAKS.items() for code in codes}


def invariant_of(code: Code) -> str:
    """Name the invariant that a missing or wrong refusal breaks; I18, about limits, unless the code has another."""
    return _INVARIANT.get(code, "I18")


def objections(model: Model, command: Command, context: Context) -> tuple[set[Code], bool]:
    """Return the refusals that apply to a command, and whether the set is complete."""
    codes = barred(model, command, context)
    if codes:
        return codes, True
    if isinstance(command, GameCommand):
        return betting.objections(model, command, context), isinstance(command, betting.DERIVED)
    if isinstance(command, setup.Approve):
        return _second(model, command, context)
    if type(command) in WORKED_OUT:
        objection, _ = WORKED_OUT[type(command)]
        return objection(model, command, context), True
    return set(), False


def _second(model: Model, command: setup.Approve, context: Context) -> tuple[set[Code], bool]:
    """A second signature is refused for what refuses the proposed command, and for faults of its own."""
    codes = unsigned(model, command, context)
    proposal = model.staff.proposals.get(command.proposal)
    if proposal is None or codes:
        return codes, proposal is None
    return objections(model, proposal.command, context)


def check(model: Model, command: Command, context: Context, answer: object) -> None:
    """Verify a response: accepted when no refusal applies to the command, otherwise refused with one that does."""
    codes, is_complete = objections(model, command, context)
    if not isinstance(answer, Refusal):
        if codes:
            worst = min(codes, key=list(Code).index)
            raise InvariantViolation(
                invariant_of(worst), f"{command} by {context} was taken in spite of {sorted(codes)}"
            )
    elif (codes or is_complete) and answer.code not in codes:
        words = f"{command} by {context} was refused as {answer.code}, due {sorted(codes) or 'no refusal'}"
        raise InvariantViolation(invariant_of(answer.code), words)
