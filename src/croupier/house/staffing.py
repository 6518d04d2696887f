"""Staffing: who holds which titles here, for good or for a time."""

from croupier.house.answer import Deciders, Decision, Evolvers, refuse
from croupier.house.command.venue import AppointActing, EnrolPerson, ReleasePerson, UnlockAccount
from croupier.house.docket import Acting, Person
from croupier.house.event.venue import AccountUnlocked, ActingAppointed, PersonEnrolled, PersonReleased
from croupier.house.name import PersonId
from croupier.house.stamp import Stamp
from croupier.house.state import House
from croupier.rules.clause import ClauseId
from croupier.rules.refusal import Code, Refusal


def enrol_person(house: House, command: EnrolPerson, _stamp: Stamp) -> Decision:
    if unknown := [title for title in command.titles if title not in titles_known(house)]:
        return _unknown_title(house, unknown[0])
    if not command.person.strip():
        return refuse(Code.SETTING_IMPOSSIBLE, None, "A person needs a name to sign with.")
    return (PersonEnrolled(command.person, command.titles),)


def release_person(house: House, command: ReleasePerson, _stamp: Stamp) -> Decision:
    if command.person not in house.people:
        return _unknown_person(command.person)
    return (PersonReleased(command.person),)


def unlock_account(house: House, command: UnlockAccount, stamp: Stamp) -> Decision:
    """Let two colleagues unlock a person; who has signed in knows that, and not the house."""
    if command.person not in house.people:
        return _unknown_person(command.person)
    if command.person == stamp.person:
        return refuse(Code.SAME_PERSON, None, "Two colleagues unlock an account, and never its owner.")
    return (AccountUnlocked(command.person),)


def account_unlocked(_house: House, _event: AccountUnlocked, _stamp: Stamp) -> None:
    """Change nothing: wrong passwords are counted in the credential store, outside the house."""


def appoint_acting(house: House, command: AppointActing, stamp: Stamp) -> Decision:
    if command.person not in house.people:
        return _unknown_person(command.person)
    if command.person == stamp.person:
        return refuse(Code.SAME_PERSON, _clause(house, command.title), "Nobody appoints themselves.")
    if command.title not in titles_known(house):
        return _unknown_title(house, command.title)
    if command.ends_at <= command.begins_at:
        says = "An acting appointment ends after it begins."
        return refuse(Code.SETTING_IMPOSSIBLE, _clause(house, command.title), says)
    return (ActingAppointed(command.person, command.title, command.begins_at, command.ends_at),)


def titles_known(house: House) -> dict[str, ClauseId]:
    """Name every title that an adopted rulebook knows, with that rulebook's clause on its staff."""
    return {
        title: rulebook.staff.clause
        for rulebook in house.rulebooks.values()
        for title in (*rulebook.staff.order, *rulebook.staff.others)
    }


def _clause(house: House, title: str | None = None) -> ClauseId | None:
    known = titles_known(house)
    return known[title] if title in known else next(iter(known.values()), None)


def _unknown_title(house: House, title: str) -> Refusal:
    says = f"No rulebook in use here knows the title {title}."
    return refuse(Code.UNKNOWN_RECORD, _clause(house), says, title=title, known=tuple(titles_known(house)))


def _unknown_person(person: PersonId) -> Refusal:
    return refuse(Code.UNKNOWN_PERSON, None, f"{person} is not enrolled here.", person=person)


def person_enrolled(house: House, event: PersonEnrolled, _stamp: Stamp) -> None:
    person = house.people.setdefault(event.person, Person(event.person, event.titles))
    person.titles = event.titles
    house.released.discard(event.person)


def person_released(house: House, event: PersonReleased, _stamp: Stamp) -> None:
    """Strike out a leaver, whose first signatures count no more either, and remember that they left."""
    del house.people[event.person]
    house.released.add(event.person)
    house.proposals = {number: each for number, each in house.proposals.items() if each.person != event.person}


def acting_appointed(house: House, event: ActingAppointed, stamp: Stamp) -> None:
    person = house.people[event.person]
    current = [post for post in person.acting if stamp.now < post.ends_at]
    person.acting = [*current, Acting(event.title, event.begins_at, event.ends_at)]


DECIDERS: Deciders = {
    EnrolPerson: enrol_person,
    ReleasePerson: release_person,
    UnlockAccount: unlock_account,
    AppointActing: appoint_acting,
}
EVOLVERS: Evolvers = {
    PersonEnrolled: person_enrolled,
    PersonReleased: person_released,
    AccountUnlocked: account_unlocked,
    ActingAppointed: acting_appointed,
}
