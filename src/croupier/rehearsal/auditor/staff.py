"""Staff: who is enrolled with which titles on which devices, and what waits for a second signature."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from croupier.house.command.base import Command
from croupier.house.event import venue
from croupier.house.event.base import Event
from croupier.house.name import DeviceId, Instant, Number, PersonId
from croupier.rules.rulebook import Rulebook
from croupier.rules.staff import Duty


@dataclass(slots=True)
class Person:
    """A member of staff: titles for good, and titles from one instant to another."""

    titles: tuple[str, ...]
    acting: list[tuple[str, Instant, Instant]] = field(default_factory=list)

    def titles_at(self, now: Instant) -> Iterator[str]:
        yield from self.titles
        yield from (title for title, begins, ends in self.acting if begins <= now < ends)


@dataclass(frozen=True, slots=True)
class Proposal:
    """A first signature."""

    command: Command
    person: PersonId
    device: DeviceId
    expires_at: Instant


@dataclass(slots=True)
class Staff:
    """Everybody and every device."""

    devices: set[DeviceId] = field(default_factory=set)
    people: dict[PersonId, Person] = field(default_factory=dict)
    proposals: dict[Number, Proposal] = field(default_factory=dict)
    proposed: int = 0

    def learn(self, event: Event) -> None:
        """Take in who comes, who goes, and who acts for whom; a leaver's first signatures count no more either."""
        match event:
            case venue.PersonEnrolled():
                self.people.setdefault(event.person, Person(())).titles = event.titles
            case venue.PersonReleased():
                del self.people[event.person]
                self.proposals = {
                    number: each for number, each in self.proposals.items() if each.person != event.person
                }
            case venue.ActingAppointed():
                self.people[event.person].acting.append((event.title, event.begins_at, event.ends_at))

    def holds(self, person: PersonId, duty: Duty, rulebook: Rulebook, now: Instant) -> bool:
        """Tell whether somebody has a duty: by the title it falls to, or by one above that in the order."""
        ruling = rulebook.staff.duties.get(duty)
        if ruling is None or person not in self.people:
            return False
        order, wanted = rulebook.staff.order, ruling.does
        above = order[order.index(wanted) :] if wanted in order else (wanted,)
        return any(title in above for title in self.people[person].titles_at(now))
