"""Retention: the oldest closed tickets, cases and incidents leave the state; the journal still has them.

A slip or ticket that has left the state cannot be paid: payment looks only in the state.
"""

from collections import deque
from typing import Final

from croupier.house.ids import Number
from croupier.house.state import House
from croupier.house.state.money import TicketState

#: The most records dropped by one event, which bounds its duration. Each event adds one, so two are enough.
RETIRED_AT_ONCE: Final = 2


def retire_tickets(house: House) -> None:
    """Drop the oldest paid, void or expired tickets beyond the retention limit."""
    for sequence in _oldest(house.closed_tickets, house.records_kept):
        ticket = house.tickets[sequence]
        if not ticket.payable:
            del house.tickets[sequence], house.ticket_digests[ticket.digest]
            house.retired[sequence] = ticket
            house.tickets_retired += 1
            house.unclaimed_retired += ticket.amount if ticket.state is TicketState.EXPIRED else 0


def retire_cases(house: House) -> None:
    """Drop the oldest cleared cases beyond the retention limit."""
    for number in _oldest(house.closed_cases, house.records_kept):
        del house.cases[number]


def retire_incidents(house: House) -> None:
    """Drop the oldest cleared incidents beyond the retention limit."""
    for number in _oldest(house.closed_incidents, house.records_kept):
        del house.incidents[number]


def _oldest(closed: deque[Number], kept: int) -> list[Number]:
    return [closed.popleft() for _ in range(min(RETIRED_AT_ONCE, max(0, len(closed) - kept)))]
