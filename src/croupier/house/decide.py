"""Deciding: a command against the state, answered with events or a refusal. It changes nothing."""

from typing import Final, get_args

from croupier.house import (
    adjustment,
    arrangement,
    authority,
    betting,
    buyin,
    cashier,
    closure,
    copying,
    correction,
    dispute,
    enrolment,
    history,
    incident,
    lifecycle,
    link,
    malfunction,
    mishap,
    notes,
    pattern,
    proposal,
    recovery,
    referral,
    result,
    session,
    staffing,
    tax,
    tickets,
    timer,
    venue,
)
from croupier.house.answer import Deciders, Decision
from croupier.house.command.any import AnyCommand, Dual
from croupier.house.command.base import Command
from croupier.house.command.venue import Approve
from croupier.house.stamp import Stamp
from croupier.house.state import House


def decide(house: House, command: AnyCommand, stamp: Stamp) -> Decision:
    """Answer a command: who asks and when, whether a second signature is needed, and then the thing itself."""
    refusal = authority.objection(house, command, stamp)
    if refusal is not None:
        return refusal
    if stamp.person and type(command) in _DUAL and proposal.needs_second(house, command):
        answer = _decide(house, command, stamp)
        return proposal.propose(house, command, stamp) if isinstance(answer, tuple) else answer
    return DECIDERS[type(command)](house, command, stamp)


#: Looked up by type: every command comes past here.
_DUAL: Final = frozenset(get_args(Dual))


def _decide(house: House, command: Command, stamp: Stamp) -> Decision:
    return DECIDERS[type(command)](house, command, stamp)


def _approve(house: House, command: Approve, stamp: Stamp) -> Decision:
    return proposal.approve(house, command, stamp, _decide)


DECIDERS: Final[Deciders] = {
    **betting.DECIDERS,
    **pattern.DECIDERS,
    **copying.DECIDERS,
    **lifecycle.DECIDERS,
    **result.DECIDERS,
    **mishap.DECIDERS,
    **referral.DECIDERS,
    **correction.DECIDERS,
    **recovery.DECIDERS,
    **history.DECIDERS,
    **timer.DECIDERS,
    **notes.DECIDERS,
    **session.DECIDERS,
    **tickets.DECIDERS,
    **cashier.DECIDERS,
    **buyin.DECIDERS,
    **tax.DECIDERS,
    **adjustment.DECIDERS,
    **arrangement.DECIDERS,
    **venue.DECIDERS,
    **enrolment.DECIDERS,
    **staffing.DECIDERS,
    **closure.DECIDERS,
    **proposal.DECIDERS,
    **link.DECIDERS,
    **malfunction.DECIDERS,
    **incident.DECIDERS,
    **dispute.DECIDERS,
    Approve: _approve,
}
