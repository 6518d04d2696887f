"""Seating: in a demonstration, a device is found or put up for whoever comes without one."""

from collections.abc import Awaitable, Callable, Container, Iterator, Mapping
from dataclasses import dataclass
from itertools import count

from croupier.access.record import Device
from croupier.access.register import Register
from croupier.engine.asked import Asked, Outcome
from croupier.house.answer import refuse
from croupier.house.command.venue import AddTerminal, EnrolDevice
from croupier.house.device import DeviceKind
from croupier.house.name import DeviceId, TableId, TerminalId
from croupier.house.state import House
from croupier.house.terminal import Terminal
from croupier.rules.refusal import Code, Refusal
from croupier.web.hub import Hub
from croupier.web.incoming import Hello
from croupier.web.limits import CONSOLES_MOST, SEATS_MOST


def is_empty(terminal: Terminal) -> bool:
    """Tell whether nobody has left anything on a terminal."""
    return not (terminal.credit or terminal.in_play or terminal.held)


@dataclass(slots=True)
class Seating:
    """Finds places. It is asked for one at a time: what it has found is free until whoever it is for has its key."""

    hub: Hub
    register: Register
    #: Asks the house for something on its own account.
    ask: Callable[[Asked], Awaitable[Outcome]]

    @property
    def house(self) -> House:
        return self.hub.run.house

    async def place(self, message: Hello, inside: Container[DeviceId]) -> DeviceId | Refusal:
        """Find a device of its own for a newcomer: a seat that is free, or one more of its kind."""
        held = self.register.held().devices
        if message.door is not DeviceKind.TERMINAL:
            return await self._console(message.door, held)
        seats = self._one_asked_for(message, held) if message.device else self._free(message.table, held, inside)
        free = next(seats, None)
        return await self._add_seat(message) if free is None else DeviceId(free)

    def _one_asked_for(self, message: Hello, held: Container[DeviceId]) -> Iterator[TerminalId]:
        seats = self._seats_at(message.table)
        return (each.id for each in seats if each.id == message.device and DeviceId(each.id) not in held)

    def _free(self, table: str, held: Container[DeviceId], inside: Container[DeviceId]) -> Iterator[TerminalId]:
        """Name the seats in service that nobody has a claim to: without a key yet, or left empty."""
        seats = [each for each in self._seats_at(table) if not each.closed and each.case is None]
        yield from (each.id for each in seats if DeviceId(each.id) not in held)
        for each in seats:
            if DeviceId(each.id) not in inside and is_empty(each):
                yield each.id

    def _seats_at(self, table: str) -> list[Terminal]:
        tables = [self.house.tables[TableId(table)]] if table in self.house.tables else self.house.tables.values()
        seats = [self.house.terminals[name] for each in tables for name in each.terminals]
        return [each for each in seats if DeviceId(each.id) in self.house.devices]

    async def _add_seat(self, message: Hello) -> DeviceId | Refusal:
        """Put one more seat at a table, like those that stand there."""
        table = self.house.tables.get(TableId(message.table))
        if message.device or table is None or not table.terminals or len(table.terminals) >= SEATS_MOST:
            return refuse(Code.BUSY, None, "No seat is free at that table.")
        like = self.house.terminals[table.terminals[-1]]
        names = (DeviceId(f"{table.id}-{number}") for number in count(1))
        taken = {*self.house.devices, *self.house.terminals}
        name = next(each for each in names if each not in taken)
        games = (table.id, *(each for each in like.games if each != table.id))
        return await self._added(AddTerminal(TerminalId(name), games, like.settings), name)

    async def _console(self, kind: DeviceKind, held: Mapping[DeviceId, Device]) -> DeviceId | Refusal:
        """Find a console that stands in the house without a key, or put one up."""
        if sum(each.kind is not DeviceKind.TERMINAL for each in held.values()) >= CONSOLES_MOST:
            return refuse(Code.BUSY, None, "There are enough consoles here: release one first.")
        house = self.house
        names = (DeviceId(f"{kind}-{number}") for number in count(1))
        name = next(each for each in names if not any(each in taken for taken in (held, house.terminals, house.tables)))
        return name if name in house.devices else await self._added(EnrolDevice(name), name)

    async def _added(self, command: AddTerminal | EnrolDevice, name: DeviceId) -> DeviceId | Refusal:
        """Have the house add a device; one that somebody else was quicker to add is theirs."""
        outcome = await self.ask(Asked(command))
        return outcome if isinstance(outcome, Refusal) else name
