"""Evolving: an event carried out on the state. It refuses nothing, and is the only place that changes anything."""

from typing import Final

from croupier.house import (
    adjustment,
    arrangement,
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
    seal,
    session,
    settling,
    staffing,
    tax,
    tickets,
    timer,
    venue,
)
from croupier.house.answer import Evolvers
from croupier.house.event.base import Event
from croupier.house.stamp import Stamp
from croupier.house.state import House
from croupier.house.timer import RESCHEDULES


def evolve(house: House, event: Event, stamp: Stamp) -> None:
    """Carry an event out."""
    kind = type(event)
    EVOLVERS[kind](house, event, stamp)
    reschedule = RESCHEDULES.get(kind)
    if reschedule is not None:
        reschedule(house, event)
    if stamp.now > house.now:  # noqa: PLR1730 - every event comes past here, and max takes three times as long
        house.now = stamp.now


EVOLVERS: Final[Evolvers] = {
    **betting.EVOLVERS,
    **pattern.EVOLVERS,
    **copying.EVOLVERS,
    **seal.EVOLVERS,
    **lifecycle.EVOLVERS,
    **result.EVOLVERS,
    **settling.EVOLVERS,
    **mishap.EVOLVERS,
    **referral.EVOLVERS,
    **correction.EVOLVERS,
    **recovery.EVOLVERS,
    **history.EVOLVERS,
    **timer.EVOLVERS,
    **notes.EVOLVERS,
    **session.EVOLVERS,
    **tickets.EVOLVERS,
    **cashier.EVOLVERS,
    **buyin.EVOLVERS,
    **tax.EVOLVERS,
    **adjustment.EVOLVERS,
    **arrangement.EVOLVERS,
    **venue.EVOLVERS,
    **enrolment.EVOLVERS,
    **staffing.EVOLVERS,
    **closure.EVOLVERS,
    **proposal.EVOLVERS,
    **link.EVOLVERS,
    **malfunction.EVOLVERS,
    **incident.EVOLVERS,
    **dispute.EVOLVERS,
}
