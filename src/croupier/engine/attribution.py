"""Attribution: under which rulebook an event stands."""

from croupier.house.event.base import AtTable, AtTerminal, Event
from croupier.house.event.play import BetsChanged
from croupier.house.state import House


def rulebook_of(house: House, event: Event) -> str:
    """Name the rulebook of the table or terminal that an event concerns, by its digest; none for the whole house."""
    if isinstance(event, BetsChanged | AtTable):
        return house.tables[event.table].rulebook.digest
    return house.rulebook_at(house.terminals[event.terminal]).digest if isinstance(event, AtTerminal) else ""
