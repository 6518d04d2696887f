"""Offers: whether the house would do all that it tells staff they may ask for now."""

import sys
from collections.abc import Iterator
from itertools import product

import msgspec

from croupier.house import AnyCommand, House, decide
from croupier.house.credit.tickets import Collect, Validation
from croupier.house.declare import TableCommand
from croupier.house.ids import Context, DeviceId, Instant, PersonId
from croupier.protocol.staff import AvailableAction, PendingItem, StepRow
from croupier.rules.geometry import Pocket
from croupier.rules.procedure import Effect
from croupier.server.views.actions import first_needs
from croupier.server.views.table import steps


def pending_items(house: House) -> list[PendingItem]:
    """List all pending items of a house."""
    return list(first_needs(house, sys.maxsize)[0])


def unkept(house: House) -> Iterator[str]:
    """Name what is offered and would be refused whoever asks; and tables that have not exactly one step to take."""
    for table in house.tables.values():
        rows = steps(house, table)
        if sum(row.next for row in rows) != 1:
            yield f"{table.id} has not one step that is next"
        yield from (f"{row.step} of {table.id}" for row in rows if row.command is not None and not taken(house, row))
    for need in pending_items(house):
        yield from (f"{each.label} of {need.kind} {need.number}" for each in need.actions if not taken(house, each))


def taken(house: House, offer: StepRow | AvailableAction) -> bool:
    """Tell whether the house would do what is offered, for somebody who may ask for it at some device."""
    titles = set(offer.titles) if isinstance(offer, AvailableAction) else None
    known = ((name, set(person.titles)) for name, person in house.staff.people.items())
    people = [name for name, held in known if titles is None or held & titles]
    command, devices = filled(house, offer), sorted(house.staff.devices)[:3]
    return any(_done(house, command, person, device) for person, device in product(people, devices))


def _done(house: House, command: AnyCommand, person: PersonId, device: DeviceId) -> bool:
    # A moment later, so that nobody is too quick.
    context = Context(Instant(house.now + 1), device, person)
    return isinstance(decide(house, command, context), tuple)


def filled(house: House, offer: StepRow | AvailableAction) -> AnyCommand:
    """Give what is offered with everything filled in that it asks for."""
    command = offer.command
    if isinstance(command, dict):
        assert command["t"] == "collect_for"
        return Collect(command["terminal"], Validation(house.tickets.next_number, "a new digest", "1234"))
    assert isinstance(command, msgspec.Struct)
    says: dict[str, object] = dict.fromkeys(offer.asks, "as it must be")
    if isinstance(command, TableCommand):
        says |= _at_table(house, command, offer.asks)
    return msgspec.structs.replace(command, **says)  # type: ignore[return-value]


def _at_table(house: House, command: TableCommand, asks: tuple[str, ...]) -> dict[str, object]:
    table = house.tables[command.table]
    shown = None if table.round is None else table.round.pocket
    pocket = next(each for each in table.rulebook.pockets if each not in (shown, Pocket("0")))
    known = [each for each in table.rulebook.irregularities if each.by and each.effect is not Effect.INVALIDATE]
    says = {"pocket": pocket, "again": pocket, "reason": known[0].reason if known else None}
    return {name: says[name] for name in asks if name in says}
