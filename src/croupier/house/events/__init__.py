"""All events: the union derived from the declarations."""

from typing import TYPE_CHECKING

from croupier.house.base import EVENTS, Event, union
from croupier.house.events import credit, live, liveplayers, play, record, rounds, setup

__all__ = ["EVENTS", "AnyEvent", "credit", "live", "liveplayers", "play", "record", "rounds", "setup"]

if TYPE_CHECKING:
    AnyEvent = Event
else:
    AnyEvent = union(EVENTS)
