"""The lobby: lets devices in by their keys, and in a demonstration enrols those that come without one."""

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from ipaddress import IPv4Address, ip_address
from typing import Final

import structlog

from croupier.access.fault import AccessFault
from croupier.access.joining import JoinCode, JoinLimits
from croupier.access.record import Device, Held
from croupier.access.register import Register
from croupier.access.verdict import UNREADABLE
from croupier.engine.asked import Asked, Outcome
from croupier.house.answer import refuse
from croupier.house.device import DeviceKind
from croupier.house.name import DeviceId, TableId, TerminalId
from croupier.house.settings import Mode
from croupier.house.state import House
from croupier.rules.refusal import Code, Refusal
from croupier.web.chores import Chores
from croupier.web.conductor import Conductor
from croupier.web.door import Door
from croupier.web.hub import Hub
from croupier.web.incoming import PROTOCOL, Hello
from croupier.web.limits import JOIN_ADDRESSES_MOST, JOINED_MOST, JOINS_PER_MINUTE
from croupier.web.outgoing import Enrolled, Welcome
from croupier.web.seating import Seating, is_empty

#: One answer for a device that nobody knows, a key that is wrong and a page that is another device's.
NOT_KNOWN: Final = Refusal(Code.UNKNOWN_DEVICE, None, "This device is not enrolled here, or its key is another's.")
_EVICTED: Final = refuse(Code.EVICTED, None, "This device is open in another window, which goes on.")
_LOG = structlog.get_logger()


def incompatible(protocol: int) -> Refusal:
    """Refuse a client of another protocol version, and name both."""
    stated = f"version {protocol}" if protocol else "no version"
    says = f"The client states {stated} of the protocol, and the server speaks version {PROTOCOL}: update the client."
    return refuse(Code.PROTOCOL_MISMATCH, None, says, client=protocol, server=PROTOCOL)


def is_loopback(peer: str) -> bool:
    """Tell whether an address is one that a machine has for itself alone, in either family and in the one's guise."""
    try:
        address = ip_address(peer.partition("%")[0])
    except ValueError:
        return False
    mapped = None if isinstance(address, IPv4Address) else address.ipv4_mapped
    return (mapped or address).is_loopback


def _join_limits() -> JoinLimits:
    return JoinLimits(per_minute=JOINS_PER_MINUTE, seats=JOINED_MOST, addresses=JOIN_ADDRESSES_MOST)


@dataclass(slots=True)
class Lobby:
    """Where every door has to say who it is."""

    hub: Hub
    conductor: Conductor
    register: Register
    join_code: JoinCode
    chores: Chores
    #: Tells of an address whether whoever comes from there sits at the machine itself.
    is_host: Callable[[str], bool] = is_loopback
    #: Hears of every door that was let in.
    entered: Callable[[Door], None] = lambda _: None
    join_limits: JoinLimits = field(default_factory=_join_limits)
    _placing: asyncio.Lock = field(default_factory=asyncio.Lock)
    _seating: Seating = field(init=False)

    def __post_init__(self) -> None:
        self._seating = Seating(self.hub, self.register, self.ask)

    @property
    def house(self) -> House:
        return self.hub.run.house

    def hello(self, door: Door, message: Hello) -> None:
        """Let a device in, or turn it away."""
        if door.greeted:
            door.shut(refuse(Code.OUT_OF_TURN, None, "This door has said hello already."))
        elif message.protocol != PROTOCOL:
            door.shut(incompatible(message.protocol))
        elif door.native and not message.key:
            door.shut(NOT_KNOWN)
        elif message.join is not None and not message.key:
            door.greeted = self.chores.begin(door, self._join(door, message))
        else:
            door.greeted = True
            self._recognise(door, message)

    def _recognise(self, door: Door, message: Hello) -> None:
        try:
            enrolled = self._enrolled(message)
        except AccessFault as fault:
            _LOG.error("register_unreadable", words=str(fault))
            door.shut(UNREADABLE)
            return
        if enrolled is None:
            door.shut(NOT_KNOWN)
        else:
            self._welcome(door, DeviceId(message.device), enrolled, message.table)

    def _enrolled(self, message: Hello) -> Device | None:
        """Find what is held of a device that proves itself, and that the house knows as what it comes as."""
        device = DeviceId(message.device)
        held = self.register.held().devices.get(device)
        proven = self.register.knows(device, message.key)
        house, terminal = self.house, TerminalId(device) in self.house.terminals
        stands = device in house.devices and TableId(device) not in house.tables
        fits = terminal is (message.door is DeviceKind.TERMINAL)
        return held if held is not None and held.kind is message.door and proven and stands and fits else None

    def _welcome(self, door: Door, device: DeviceId, enrolled: Device, table: str) -> None:
        """Open a door, in the place of an older one of the same device."""
        house, kind = self.house, enrolled.kind
        older = self.hub.inside.get(device)
        self.hub.inside[device] = door
        self.hub.figures.doors[kind] += 1
        door.kind, door.device, door.enrolled = kind, device, enrolled
        staff = kind not in (DeviceKind.TERMINAL, DeviceKind.BOARD)
        door.send(
            Welcome(
                protocol=PROTOCOL,
                epoch=self.hub.run.epoch,
                device=device,
                venue=house.venue,
                mode="" if house.mode is None else house.mode.value,
                now_us=self.hub.time.now(),
                staff=staff,
            )
        )
        if not staff:
            self.hub.admit(door, self._tables(kind, device, table))
        if older is not None:
            # Only now, so that the house does not take the terminal for lost.
            older.shut(_EVICTED)
        self.entered(door)

    def leave(self, door: Door) -> None:
        """Let a device go that was let in."""
        if door.kind is not None:
            self.hub.figures.doors[door.kind] -= 1
        if self.hub.inside.get(door.device) is door:
            del self.hub.inside[door.device]

    def turn_out(self, held: Held) -> list[DeviceId]:
        """Shut the doors of devices that have another key by now, or none; name them."""
        strangers = [door for device, door in self.hub.inside.items() if held.devices.get(device) != door.enrolled]
        for door in strangers:
            door.shut(NOT_KNOWN)
        return [door.device for door in strangers]

    def _tables(self, kind: DeviceKind, device: DeviceId, table: str) -> Iterable[TableId]:
        """Name the tables that a door shows: a terminal's own, the one it asks for, or all."""
        if kind is DeviceKind.TERMINAL:
            return tuple(self.house.terminals[TerminalId(device)].games)
        return (TableId(table),) if table in self.house.tables else tuple(self.house.tables)

    # Demonstrations.

    async def _join(self, door: Door, message: Hello) -> None:
        """Enrol a device that comes without a key, in a demonstration: any on the host, a terminal by the join code."""
        peer = door.peer
        local = self.is_host(peer)
        refusal = NOT_KNOWN if self.house.mode is not Mode.DEMO else None if local else self._objection(peer, message)
        if refusal is not None:
            door.shut(refusal)
            return
        # One after the other: nobody is given what somebody else is just being given.
        async with self._placing:
            full = None if local else self.join_limits.full(peer, self._is_taken)
            device = full or await self._seating.place(message, self.hub.inside)
            if not local and not isinstance(device, Refusal):
                self.join_limits.give(device, peer)
            if door.is_open:
                await self._enrol(door, device, message)

    def _objection(self, peer: str, message: Hello) -> Refusal | None:
        """Refuse who joins over the network too often, without the code, or as anything but a terminal."""
        if (refusal := self.join_limits.try_once(peer, self.hub.time.now())) is not None:
            return refusal
        fits = self.join_code.admits(message.join or "") and message.door is DeviceKind.TERMINAL
        return None if fits else NOT_KNOWN

    def _is_taken(self, device: DeviceId) -> bool:
        """Tell whether somebody is at a seat, or has left something on it."""
        terminal = self.house.terminals.get(TerminalId(device))
        return terminal is not None and (device in self.hub.inside or not is_empty(terminal))

    async def _enrol(self, door: Door, device: DeviceId | Refusal, message: Hello) -> None:
        """Give a device its key; on another thread, as the register is locked for that and written to the disk."""
        if isinstance(device, Refusal):
            door.shut(device)
            return
        keys = await asyncio.to_thread(self.register.enrol, {device: message.door})
        if isinstance(keys, Refusal) or not door.is_open:
            door.shut(keys if isinstance(keys, Refusal) else NOT_KNOWN)
            return
        ((device, key),) = keys.items()
        door.send(Enrolled(device=device, key=key))
        self._welcome(door, device, self.register.held().devices[device], message.table)

    async def ask(self, asked: Asked) -> Outcome:
        """Ask the house for something on its own account, and wait until the answer is kept."""
        return self.conductor.submit(asked) or await self.hub.outcome(asked)
