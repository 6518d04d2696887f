"""Founding: the commands that bring a house to what its configuration says, at the start and while it runs."""

from collections.abc import Iterator

from croupier.config.shape import Config
from croupier.house.command.any import AnyCommand
from croupier.house.command.venue import (
    AddTable,
    AddTerminal,
    AdoptRulebook,
    ApproveSoftware,
    EnrolDevice,
    EnrolPerson,
    FoundHouse,
    ReportSoftware,
)
from croupier.house.state import House
from croupier.rulebooks.canonical import canonical


def founding(config: Config, house: House, software: str) -> tuple[AnyCommand, ...]:
    """List what the house itself is to be asked, in order, so that it has all that the configuration names.

    Nothing is taken away or changed by a file, but for the titles of the people in it, and nobody is brought back who
    was released: see `differences`.
    """
    return (*_house(config, house), *_software(config, house, software), *_floor(config, house), *_staff(config, house))


def found_house(config: Config) -> FoundHouse:
    """Say how a house is founded by its configuration."""
    return FoundHouse(config.mode, config.venue, config.timezone, config.ticket_days, config.records_kept)


def _house(config: Config, house: House) -> Iterator[AnyCommand]:
    if house.mode is None:
        yield found_house(config)
    rulebooks = {table.rulebook.digest: table.rulebook for table in config.tables}
    for digest, rulebook in rulebooks.items():
        # Also one that no new table plays by: a console can put a table under it only once it is adopted.
        if digest not in house.rulebooks:
            yield AdoptRulebook(canonical(rulebook))


def _software(config: Config, house: House, software: str) -> Iterator[AnyCommand]:
    for approval in config.approvals:
        if house.approved.get(approval.version) != approval.reference:
            yield ApproveSoftware(approval.version, approval.reference)
    if house.running != software:
        yield ReportSoftware(software)


def _floor(config: Config, house: House) -> Iterator[AnyCommand]:
    for table in config.tables:
        if table.id not in house.tables:
            yield AddTable(table.id, table.rulebook.digest, table.settings)
    for terminal in config.terminals:
        if terminal.id not in house.terminals:
            yield AddTerminal(terminal.id, terminal.tables, terminal.settings)
    for console in config.consoles:
        # As with people: what was released comes back by somebody's hand.
        if console.id not in house.devices | house.released_devices:
            yield EnrolDevice(console.id)


def _staff(config: Config, house: House) -> Iterator[AnyCommand]:
    # Whoever was released comes back by somebody's hand at the pit, and not because a file was forgotten.
    for member in (each for each in config.staff if each.person not in house.released):
        enrolled = house.people.get(member.person)
        if enrolled is None or enrolled.titles != member.titles:
            yield EnrolPerson(member.person, member.titles)
