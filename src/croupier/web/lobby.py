"""The lobby: lets devices in by their keys, and in a demonstration enrols those that come without one."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import count

from croupier.access.joining import JoinCode
from croupier.access.record import DeviceKind
from croupier.access.register import Register
from croupier.engine.asked import Asked, Outcome
from croupier.house.answer import refuse
from croupier.house.command.venue import AddTerminal, EnrolDevice
from croupier.house.name import DeviceId, TableId, TerminalId
from croupier.house.settings import Mode
from croupier.house.state import House
from croupier.house.terminal import Terminal
from croupier.rules.refusal import Code, Refusal
from croupier.web.chores import Chores
from croupier.web.conductor import Conductor
from croupier.web.door import Door
from croupier.web.hub import Hub
from croupier.web.incoming import Hello
from croupier.web.limits import CONSOLES_MOST, SEATS_MOST
from croupier.web.outgoing import Enrolled, Welcome

#: One answer for a device that nobody knows, a key that is wrong and a page that is another device's.
NOT_KNOWN = Refusal(Code.UNKNOWN_DEVICE, None, "This device is not enrolled here, or its key is another's.")


@dataclass(slots=True)
class Lobby:
    """Where every door has to say who it is."""

    hub: Hub
    conductor: Conductor
    register: Register
    join_code: JoinCode
    chores: Chores

    @property
    def house(self) -> House:
        return self.hub.run.house

    def hello(self, door: Door, message: Hello) -> None:
        """Let a device in, or turn it away."""
        if door.kind is not None:
            door.shut(refuse(Code.OUT_OF_TURN, None, "This door has said hello already."))
        elif message.join is not None and not message.key:
            door.kind = message.door
            self.chores.begin(door, self._join(door, message))
        elif self._is_known(message):
            self._welcome(door, message.door, DeviceId(message.device), message.table)
        else:
            door.shut(NOT_KNOWN)

    def _is_known(self, message: Hello) -> bool:
        device = DeviceId(message.device)
        held = self.register.held().devices.get(device)
        known = held is not None and held.kind is message.door and self.register.knows(device, message.key)
        return known and device in self.house.devices

    def _welcome(self, door: Door, kind: DeviceKind, device: DeviceId, table: str) -> None:
        """Open a door, in the place of an older one of the same device."""
        house = self.house
        older = self.hub.seats.get(TerminalId(device)) or self.hub.consoles.get(device)
        door.kind, door.device = kind, device
        staff = kind not in (DeviceKind.TERMINAL, DeviceKind.BOARD)
        door.send(
            Welcome(
                epoch=self.hub.run.epoch,
                device=device,
                venue=house.venue,
                mode="" if house.mode is None else house.mode.value,
                now_us=self.hub.time.now(),
                staff=staff,
            )
        )
        if older is not None:
            self.hub.leave(older)
            older.shut(refuse(Code.EVICTED, None, "This device is open in another window, which goes on."))
        if not staff:
            self.hub.admit(door, self._tables(kind, device, table))

    def _tables(self, kind: DeviceKind, device: DeviceId, table: str) -> Iterable[TableId]:
        """Name the tables that a door shows: a terminal's own, the one it asks for, or all."""
        if kind is DeviceKind.TERMINAL:
            return tuple(self.house.terminals[TerminalId(device)].games)
        return (TableId(table),) if table in self.house.tables else tuple(self.house.tables)

    async def _join(self, door: Door, message: Hello) -> None:
        """Enrol a device that comes without a key: in a demonstration, on the host or with the code of the day."""
        may = self.house.mode is Mode.DEMO and (door.on_host or self.join_code.admits(message.join or ""))
        device = await self._place(message) if may else NOT_KNOWN
        keys = device if isinstance(device, Refusal) else self.register.enrol({device: message.door})
        if isinstance(keys, Refusal):
            door.shut(keys)
            return
        ((device, key),) = keys.items()
        door.send(Enrolled(device=device, key=key))
        self._welcome(door, message.door, device, message.table)

    async def _place(self, message: Hello) -> DeviceId | Refusal:
        """Find a device of its own for a newcomer: a seat that is free, or one more of its kind."""
        if message.door is DeviceKind.TERMINAL:
            free = next(self._free_seats(message), None)
            return DeviceId(free) if free is not None else await self._add_seat(message)
        held = self.register.held().devices
        name = next(each for number in count(1) if (each := DeviceId(f"{message.door}-{number}")) not in held)
        if len(held) >= CONSOLES_MOST + len(self.house.terminals):
            return refuse(Code.BUSY, None, "There are enough consoles here: release one first.")
        return await self._added(EnrolDevice(name), name) if name not in self.house.devices else name

    def _free_seats(self, message: Hello) -> Iterator[TerminalId]:
        """Name the seats that nobody has a claim to: the one asked for first, and those that were left with nothing."""
        held = self.register.held().devices
        fresh = [each for each in self._seats_at(message.table) if DeviceId(each.id) not in held]
        yield from (each.id for each in fresh if each.id == message.device)
        yield from (each.id for each in fresh if not message.device)
        for each in self._seats_at(message.table):
            if not message.device and each.id not in self.hub.seats and not each.credit and not each.in_play:
                yield each.id

    def _seats_at(self, table: str) -> list[Terminal]:
        tables = [self.house.tables[TableId(table)]] if table in self.house.tables else self.house.tables.values()
        return [self.house.terminals[name] for each in tables for name in each.terminals]

    async def _add_seat(self, message: Hello) -> DeviceId | Refusal:
        """Put one more seat at a table, like those that stand there."""
        table = self.house.tables.get(TableId(message.table))
        if message.device or table is None or not table.terminals or len(table.terminals) >= SEATS_MOST:
            return refuse(Code.BUSY, None, "No seat is free at that table.")
        like = self.house.terminals[table.terminals[-1]]
        names = (TerminalId(f"{table.id}-{number}") for number in count(1))
        name = next(each for each in names if each not in self.house.terminals)
        return await self._added(AddTerminal(name, tuple(like.games), like.settings), DeviceId(name))

    async def _added(self, command: AddTerminal | EnrolDevice, name: DeviceId) -> DeviceId | Refusal:
        """Have the house add a device; one that somebody else was quicker to add is theirs."""
        outcome = await self.ask(Asked(command))
        return outcome if isinstance(outcome, Refusal) else name

    async def ask(self, asked: Asked) -> Outcome:
        """Ask the house for something on its own account, and wait until the answer is kept."""
        return self.conductor.submit(asked) or await self.hub.outcome(asked)
