"""The reader: who asks for a document, and whether more than the paper of their own drawer is theirs to read."""

from typing import Final, NamedTuple

from croupier.house.device import DeviceKind
from croupier.house.name import Instant, PersonId
from croupier.house.state import House
from croupier.rules.staff import Duty
from croupier.web.door import Door

#: Whoever has one of these duties reads what others have done.
READ: Final = frozenset({Duty.DECIDE, Duty.MANAGE, Duty.AUDIT, Duty.OFFICIATE, Duty.REVIEW})


class Reader(NamedTuple):
    """Whoever asks; at the desk, and with no duty to read at every other door too, they have their own paper alone."""

    person: PersonId
    own_alone: bool


def reader_at(house: House, door: Door, now: Instant) -> Reader:
    return Reader(door.person, door.kind is DeviceKind.CASHIER or not _reads(house, door.person, now))


def _reads(house: House, name: PersonId, now: Instant) -> bool:
    """Tell whether somebody has a duty to read; whoever has left meanwhile has none."""
    person = house.people.get(name)
    books = {table.rulebook.digest: table.rulebook for table in house.tables.values()}.values()
    wanted = {title for book in books for duty in READ for title in book.staff.titles_for(duty)}
    return person is not None and not wanted.isdisjoint(person.titles_at(now))
