"""History: going on from an older copy of the journal, on the word of two people, with what may be paid frozen."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from croupier.house import authority, incident
from croupier.house.answer import Deciders, Decision, Evolvers, refuse
from croupier.house.command.record import IncidentKind
from croupier.house.command.venue import AcceptHistory
from croupier.house.event.venue import HistoryAccepted
from croupier.house.name import Instant
from croupier.house.stamp import SYSTEM, Stamp
from croupier.house.state import House
from croupier.rules.refusal import Code, Refusal, first_of
from croupier.rules.staff import Duty

#: What tells how much is lost may itself have lost its last notes with the power: by fewer tickets than this.
SPARE: Final = 20_000


def accept_history(house: House, command: AcceptHistory, stamp: Stamp) -> Decision:
    """Freeze every ticket that is payable by the copy: the lost part may have paid it."""
    objection = first_of(_objections(house, command, stamp))
    if objection is not None:
        return objection
    frozen = tuple(ticket.sequence for ticket in house.tickets.values() if ticket.payable)
    one, other = command.people
    words = (
        f"{one} and {other} went on from an older copy of the journal, which lacks {command.lost} entries or more: "
        f"{command.words}"
    )
    return (
        HistoryAccepted(command.lost, command.people, command.words, frozen),
        incident.raised(house, IncidentKind.HISTORY_LOST, "system", None, words),
    )


def _objections(house: House, command: AcceptHistory, stamp: Stamp) -> Iterator[Refusal]:
    if command.lost < 1:
        yield refuse(Code.MALFORMED, None, "Nothing is lost: there is nothing to accept.", lost=command.lost)
    clause = next((book.staff.clause for book in authority.rulebooks_of(house, command)), None)
    for person in command.people:
        if person not in house.people:
            yield refuse(Code.UNKNOWN_PERSON, None, f"{person} is not enrolled here.", person=person)
        elif not authority.has_duty(house, command, Duty.MANAGE, Stamp(stamp.now, stamp.device, person)):
            says = f"{person} does not manage this house, and it takes two who do."
            yield refuse(Code.NOT_AUTHORISED, clause, says, person=person)
    if len(set(command.people)) == 1:
        yield refuse(Code.SAME_PERSON, clause, "Another person must give the second word.")


def with_those_who_may(house: House, command: AcceptHistory, refusal: Refusal, now: Instant) -> Refusal:
    """Add to a refusal who may give their word for going on from an older copy, by the copy itself."""
    may = tuple(
        person for person in house.people if authority.has_duty(house, command, Duty.MANAGE, Stamp(now, SYSTEM, person))
    )
    who = f"these may, two together: {', '.join(may)}" if may else "there is nobody who may"
    return replace(refusal, says=f"{refusal.says} By this copy {who}.", facts={**refusal.facts, "may": may})


def history_accepted(house: House, event: HistoryAccepted, _stamp: Stamp) -> None:
    """Freeze what was named, and never issue again a number that may be on paper: an entry issues one at most."""
    for ticket in map(house.tickets.__getitem__, event.frozen):
        ticket.frozen = True
    house.tickets_skipped += event.lost + SPARE


DECIDERS: Deciders = {AcceptHistory: accept_history}
EVOLVERS: Evolvers = {HistoryAccepted: history_accepted}
