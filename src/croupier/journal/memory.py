"""A journal in memory: for tests, for example rounds, and for measuring."""

from collections.abc import Iterable, Iterator

from croupier.house.event.base import Event
from croupier.house.evolve import evolve
from croupier.house.name import Day
from croupier.house.stamp import Stamp
from croupier.house.state import House
from croupier.journal.entry import BEGINNING, Entry, bound, decode, encode


class MemoryJournal:
    """Entries as bytes, with the digest that binds them all."""

    def __init__(self) -> None:
        self.bodies: list[bytes] = []
        self.head = BEGINNING

    def append(self, events: Iterable[Event], day: Day, stamp: Stamp) -> None:
        for event in events:
            body = encode(len(self.bodies) + 1, day, stamp, event)
            self.bodies.append(body)
            self.head = bound(self.head, body)

    def entries(self) -> Iterator[Entry]:
        return (decode(body) for body in self.bodies)

    def replay(self, house: House) -> House:
        """Carry every entry out on a fresh house, as its bytes say."""
        for entry in self.entries():
            evolve(house, entry.event, entry.stamp)
        return house
