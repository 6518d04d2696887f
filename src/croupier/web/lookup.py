"""Looking up: what a slip or ticket is worth and why it may not be paid, told at a desk without paying it."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from croupier.devices.validation import Numbers
from croupier.engine.ticketindex import TicketIndex
from croupier.house.answer import refuse
from croupier.house.command.credit import ReleaseTicket, ReportLost, ReprintTicket, VoidTicket
from croupier.house.desk import Ticket
from croupier.house.name import DeviceId, Instant, TerminalId
from croupier.house.stamp import Stamp
from croupier.house.state import House
from croupier.house.tickets import DECIDERS, desk_clause, find_ticket, undispensed, unknown_ticket, unpayable
from croupier.rules.clause import ClauseId
from croupier.rules.matter import Matter
from croupier.rules.refusal import Code, Refusal
from croupier.web.actions import Offer, actions
from croupier.web.limits import LOCKED_FOR, MISSES_MOST
from croupier.web.querydata import TicketRow
from croupier.web.seatdata import Cited

_LOCKED: Final = refuse(
    Code.TOO_FAST, None, "Too many numbers were wrong: no slip or ticket is looked up, taken or paid here for a minute."
)


@dataclass(slots=True)
class Misses:
    """Numbers in a row that were no ticket's, at one desk or slot."""

    count: int = 0
    locked_until: Instant = Instant(0)


class Missed(NamedTuple):
    """A number that is no ticket's, and whether the desk or slot is locked from now on."""

    refusal: Refusal
    locks: bool = False


@dataclass(slots=True)
class LookUps:
    """Looks tickets up by their numbers, also to take or pay them; where they are guessed at none is for a while."""

    numbers: Numbers
    #: The tickets that have left the state.
    closed: TicketIndex | None = None
    _misses: dict[DeviceId, Misses] = field(default_factory=dict)

    def find(self, house: House, desk: DeviceId, number: str, now: Instant) -> TicketRow | Missed:
        """Find a ticket, or say why there is none; a number that is right counts what was wrong before as forgotten."""
        misses = self._misses.setdefault(desk, Misses())
        if now < misses.locked_until:
            return Missed(_LOCKED)
        digest = self.numbers.read(number)
        ticket = None if isinstance(digest, Refusal) else find_ticket(house, digest) or self._closed(digest)
        if ticket is not None:
            misses.count = 0
            return ticket_row(house, ticket)
        misses.count += 1
        locks = misses.count >= MISSES_MOST
        if locks:
            misses.count, misses.locked_until = 0, Instant(now + LOCKED_FOR)
        return Missed(digest if isinstance(digest, Refusal) else unknown_ticket(_clause(house, desk)), locks)

    def _closed(self, digest: str) -> Ticket | None:
        return None if self.closed is None else self.closed.by_digest(digest)


def _clause(house: House, desk: DeviceId) -> ClauseId:
    """Name the clause on tickets by which a number is no ticket's: the terminal's own, where it is one."""
    terminal = house.terminals.get(TerminalId(desk))
    return desk_clause(house) if terminal is None else house.rulebook_at(terminal).cites[Matter.TICKET]


def ticket_row(house: House, ticket: Ticket) -> TicketRow:
    """Tell what the house has of a ticket: never its number."""
    why_not = unpayable(house, ticket) or undispensed(house, ticket)
    return TicketRow(
        sequence=ticket.sequence,
        form=ticket.form.value,
        amount=ticket.amount,
        currency=house.rulebook_at(house.terminals[ticket.terminal]).currency,
        status="frozen" if ticket.payable and ticket.frozen else ticket.state.value,
        terminal=ticket.terminal,
        issued_at_us=ticket.issued_at,
        day=ticket.day,
        last_four=ticket.last_four,
        duplicates=ticket.duplicates,
        reported_lost=ticket.reported_lost,
        paid_at_us=ticket.paid_at,
        paid_place=ticket.paid_place,
        paid_by=ticket.paid_by,
        why_not=None if why_not is None else Cited(why_not.says, why_not.clause),
        actions=actions(house, _offers(house, ticket)),
    )


def _offers(house: House, ticket: Ticket) -> Iterator[Offer]:
    """Offer what the house would do with a ticket besides paying it, but for what was done already."""
    # Nothing here goes by who asks, or when.
    stamp = Stamp(house.now, DeviceId(""))
    for label, command in (
        ("report_lost", ReportLost(ticket.sequence, "")),
        ("reprint", ReprintTicket(ticket.sequence, "")),
        ("void", VoidTicket(ticket.sequence, "")),
        ("release", ReleaseTicket(ticket.sequence, "")),
    ):
        again = ticket.reported_lost and isinstance(command, ReportLost)
        if not again and not isinstance(DECIDERS[type(command)](house, command, stamp), Refusal):
            yield Offer(label, command, ("words",))
