"""People and devices: enrolled, released, unlocked, and appointed to act in a position."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from croupier.house.declare import (
    Command,
    Event,
    Events,
    EventTopic,
    MachineRole,
    Part,
    command,
    decides,
    event,
    evolves,
)
from croupier.house.floor.permissions import blocked_objection, no_terminal
from croupier.house.floor.settings import name_objections
from croupier.house.floor.texts import name_form_objection
from croupier.house.ids import SYSTEM, Context, DeviceId, DeviceKind, Instant, PersonId, TableId, TerminalId
from croupier.house.state.tables import Terminal
from croupier.rules.money import amount_text
from croupier.rules.procedure import Duty
from croupier.rules.refusal import CitedTopic, ClauseId, Code, Refused, first_of, raise_if

if TYPE_CHECKING:
    from croupier.house import House


@dataclass(frozen=True, slots=True)
class ActingAppointment:
    """A position held for a limited time."""

    title: str
    begins_at: Instant
    ends_at: Instant


@dataclass(slots=True)
class Person:
    """A member of staff."""

    id: PersonId
    titles: tuple[str, ...]
    acting: list[ActingAppointment] = field(default_factory=list)

    def titles_at(self, now: Instant) -> Iterator[str]:
        """List the titles held now, the permanent one first."""
        yield from self.titles
        yield from (post.title for post in self.acting if post.begins_at <= now < post.ends_at)


@dataclass(slots=True)
class Staff:
    """The people and devices of the house."""

    people: dict[PersonId, Person] = field(default_factory=dict)
    #: People who were released and not enrolled since: a configuration that still names them does not restore them.
    released: set[PersonId] = field(default_factory=set)
    devices: set[DeviceId] = field(default_factory=set)
    #: Devices that were released and not enrolled since: as with people, no configuration restores them.
    released_devices: set[DeviceId] = field(default_factory=set)


@command(MachineRole.SYSTEM, Duty.MANAGE, Duty.MAINTAIN, signatures=2)
class EnrolDevice(Command, frozen=True, omit_defaults=True):
    """Enrol a console or a desk, or a terminal again that was released."""

    device: DeviceId
    #: The kind of screen, where the device gets a key with this command.
    kind: DeviceKind | None = None


@event("Device {device} was enrolled.", EventTopic.STAFF, EventTopic.SIGNIFICANT)
class DeviceEnrolled(Event, frozen=True, omit_defaults=True):
    """A console or desk was enrolled, or a released terminal was enrolled again."""

    device: DeviceId
    #: The kind of screen, if the device gets a key with this event.
    kind: DeviceKind | None = None


@decides(EnrolDevice)
def enrol_device(house: House, command: EnrolDevice, _context: Context) -> Events:
    """Enrol a new name; a terminal is added at a table, and can be enrolled here only after it was released."""
    terminal = TerminalId(command.device)
    if command.kind is not DeviceKind.TERMINAL or command.device in house.staff.devices:
        raise_if(first_of(name_objections(house, command.device)))
    elif terminal not in house.terminals:
        raise no_terminal(house, terminal)
    return (DeviceEnrolled(command.device, command.kind),)


@evolves(DeviceEnrolled)
def device_enrolled(house: House, event: DeviceEnrolled, _context: Context) -> None:
    house.staff.devices.add(event.device)
    house.staff.released_devices.discard(event.device)


@command(Duty.MANAGE, Duty.MAINTAIN, signatures=2)
class ReleaseDevice(Command, frozen=True):
    """Release a console, a desk or a terminal: its key is revoked."""

    device: DeviceId


@event("Device {device} was released.", EventTopic.STAFF, EventTopic.SIGNIFICANT)
class DeviceReleased(Event, frozen=True):
    """A device was released; a released terminal stays in the house, out of service."""

    device: DeviceId


@decides(ReleaseDevice)
def release_device(house: House, command: ReleaseDevice, _context: Context) -> Events:
    """Release a device; a terminal must be closed and hold no money or open item."""
    if command.device not in house.staff.devices or TableId(command.device) in house.tables:
        message = f"No device {command.device} is enrolled here."
        raise Refused(Code.UNKNOWN_RECORD, None, message, device=command.device)
    terminal = house.terminals.get(TerminalId(command.device))
    if terminal is not None:
        _require_unused(house, terminal)
    return (DeviceReleased(command.device),)


def _require_unused(house: House, terminal: Terminal) -> None:
    """Refuse to release a terminal that still has open items."""
    rulebook, on_it = house.rulebook_at(terminal), terminal.credit + terminal.in_play + terminal.held_total
    raise_if(blocked_objection(house, terminal))
    if on_it:
        message = f"Terminal {terminal.id} has {amount_text(on_it)} {rulebook.currency} on it: that is paid out first."
        money = {"credit": terminal.credit, "in_play": terminal.in_play, "held": terminal.held_total}
        raise Refused(Code.OUT_OF_TURN, rulebook.cited_clauses[CitedTopic.CREDIT_OUT], message, **money)
    if not terminal.closed:
        # 12(h) at Adelaide: nothing is shut down past the notice that closing it takes.
        clause = rulebook.cited_clauses[CitedTopic.CLOSING_DOWN]
        raise Refused(Code.OUT_OF_TURN, clause, f"Terminal {terminal.id} is closed first.")


@evolves(DeviceReleased)
def device_released(house: House, event: DeviceReleased, _context: Context) -> None:
    house.staff.devices.discard(event.device)
    house.staff.released_devices.add(event.device)
    terminal = house.terminals.get(TerminalId(event.device))
    if terminal is not None:
        # A released terminal is not offline: it has no link.
        terminal.lost_at = None
        house.offline.discard(terminal.id)


@command(MachineRole.SYSTEM, Duty.MANAGE, signatures=2)
class EnrolPerson(Command, frozen=True):
    """Add a member of staff, or change the titles that one holds."""

    person: PersonId
    titles: tuple[str, ...]


@event("{person} holds: {titles}.", EventTopic.STAFF, EventTopic.SIGNIFICANT, touches=(Part.EVERY_TABLE,))
class PersonEnrolled(Event, frozen=True):
    """A person was enrolled, or given other titles."""

    person: PersonId
    titles: tuple[str, ...]


@decides(EnrolPerson)
def enrol_person(house: House, command: EnrolPerson, _context: Context) -> Events:
    if unknown := [title for title in command.titles if title not in titles_known(house)]:
        raise _unknown_title(house, unknown[0])
    if command.person == PersonId(SYSTEM):
        message = f"The house itself goes by the name {command.person}."
        raise Refused(Code.ALREADY_THERE, None, message, name=command.person)
    raise_if(name_form_objection(command.person))
    return (PersonEnrolled(command.person, command.titles),)


def titles_known(house: House) -> dict[str, ClauseId]:
    """List every title in the adopted rulebooks, with the rulebook's clause on its staff."""
    return {
        title: rulebook.staff.clause
        for rulebook in house.rulebooks.values()
        for title in (*rulebook.staff.order, *rulebook.staff.others)
    }


def _unknown_title(house: House, title: str) -> Refused:
    message = f"No rulebook in use here knows the title {title}."
    return Refused(Code.UNKNOWN_RECORD, _clause(house), message, title=title, known=tuple(titles_known(house)))


def _clause(house: House, title: str | None = None) -> ClauseId | None:
    known = titles_known(house)
    return known[title] if title in known else next(iter(known.values()), None)


@evolves(PersonEnrolled)
def person_enrolled(house: House, event: PersonEnrolled, _context: Context) -> None:
    person = house.staff.people.setdefault(event.person, Person(event.person, event.titles))
    person.titles = event.titles
    house.staff.released.discard(event.person)


@command(MachineRole.SYSTEM, Duty.MANAGE)
class ReleasePerson(Command, frozen=True):
    """End a person's titles."""

    person: PersonId


@event("{person} was released.", EventTopic.STAFF, EventTopic.SIGNIFICANT, touches=(Part.EVERY_TABLE,))
class PersonReleased(Event, frozen=True):
    """A person lost all titles."""

    person: PersonId


@decides(ReleasePerson)
def release_person(house: House, command: ReleasePerson, _context: Context) -> Events:
    _require_person(house, command.person)
    return (PersonReleased(command.person),)


def _require_person(house: House, person: PersonId) -> None:
    if person not in house.staff.people:
        raise Refused(Code.UNKNOWN_PERSON, None, f"{person} is not enrolled here.", person=person)


@evolves(PersonReleased)
def person_released(house: House, event: PersonReleased, _context: Context) -> None:
    """Remove a person, drop the proposals they signed, and record the release."""
    del house.staff.people[event.person]
    house.staff.released.add(event.person)
    house.proposals.all = {number: each for number, each in house.proposals.all.items() if each.person != event.person}


@command(Duty.INSPECT, Duty.DECIDE, Duty.MANAGE, signatures=2)
class UnlockAccount(Command, frozen=True):
    """Unlock a person's account on every device, after too many wrong passwords."""

    person: PersonId


@event("{person} may sign in again after wrong passwords.", EventTopic.STAFF, EventTopic.SIGNIFICANT)
class AccountUnlocked(Event, frozen=True):
    """Two people unlocked a person's account after too many wrong passwords."""

    person: PersonId


@decides(UnlockAccount)
def unlock_account(house: House, command: UnlockAccount, context: Context) -> Events:
    """Let two colleagues unlock a person's account; sign-in state is outside the house."""
    _require_person(house, command.person)
    if command.person == context.person:
        raise Refused(Code.SAME_PERSON, None, "Two colleagues unlock an account, and never its owner.")
    return (AccountUnlocked(command.person),)


@evolves(AccountUnlocked)
def account_unlocked(_house: House, _event: AccountUnlocked, _context: Context) -> None:
    """Change nothing: wrong passwords are counted in the credential store, outside the house."""


# One who could appoint alone would make the second signer of anything.
@command(Duty.MANAGE, signatures=2)
class AppointActing(Command, frozen=True):
    """Appoint a person to act in a position for a time."""

    person: PersonId
    title: str
    begins_at: Instant
    ends_at: Instant


@event("{person} acts as {title} for a time.", EventTopic.STAFF, EventTopic.SIGNIFICANT)
class ActingAppointed(Event, frozen=True):
    """A person was appointed to act in a position for a time."""

    person: PersonId
    title: str
    begins_at: Instant
    ends_at: Instant


@decides(AppointActing)
def appoint_acting(house: House, command: AppointActing, context: Context) -> Events:
    _require_person(house, command.person)
    if command.person == context.person:
        raise Refused(Code.SAME_PERSON, _clause(house, command.title), "Nobody appoints themselves.")
    if command.title not in titles_known(house):
        raise _unknown_title(house, command.title)
    if command.ends_at <= command.begins_at:
        message = "An acting appointment ends after it begins."
        raise Refused(Code.SETTING_IMPOSSIBLE, _clause(house, command.title), message)
    return (ActingAppointed(command.person, command.title, command.begins_at, command.ends_at),)


@evolves(ActingAppointed)
def acting_appointed(house: House, event: ActingAppointed, context: Context) -> None:
    person = house.staff.people[event.person]
    current = [post for post in person.acting if context.now < post.ends_at]
    person.acting = [*current, ActingAppointment(event.title, event.begins_at, event.ends_at)]
