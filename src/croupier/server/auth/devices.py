"""Device authentication, enrolment and demo seats."""

import asyncio
import hmac
import io
import secrets
from collections import deque
from collections.abc import Awaitable, Callable, Container, Coroutine, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from ipaddress import IPv4Address, ip_address, ip_network
from itertools import count
from typing import Final

import segno
import structlog

from croupier.engine.commit_loop import CommitLoop
from croupier.engine.ports import Outcome, Request
from croupier.house import House
from croupier.house.declare import Event
from croupier.house.floor.permissions import holds_title, rulebooks_in_use, titles_for
from croupier.house.floor.setup import AddTerminal, TerminalAdded
from croupier.house.floor.signatures import ProposalApproved
from croupier.house.floor.staff import AccountUnlocked, DeviceEnrolled, DeviceReleased, EnrolDevice
from croupier.house.ids import SECOND, DeviceId, DeviceKind, Instant, PersonId, TableId, TerminalId
from croupier.house.settings import Mode
from croupier.house.state.tables import Terminal
from croupier.protocol import outbound
from croupier.protocol.inbound import PROTOCOL, Hello
from croupier.protocol.outbound import Enrolled, Welcome
from croupier.rules.refusal import (
    Code,
    Refusal,
    Refused,
    or_raise,
    raise_if,
    refuse,
)
from croupier.server.auth.credentials import (
    CredentialError,
    Credentials,
    CredentialStore,
    DeviceCredential,
    PasswordOrigin,
    key_digest,
)
from croupier.server.auth.sessions import UNREADABLE
from croupier.server.auth.staff import VISITOR, StaffSignIn
from croupier.server.connection import BackgroundTasks, Connection
from croupier.server.publisher import Publisher
from croupier.server.views.floor import DUTIES

#: How often one address may try to join a demonstration over the network in a minute, how many seats it may have, and
#: of how many addresses that is remembered. One address is a whole /64 network where it is IPv6.
JOINS_PER_MINUTE: Final = 10
JOINED_MAX: Final = 8
JOIN_ADDRESSES_MAX: Final = 4_096
#: Up to how many seats at a table a demonstration adds more by itself.
SEATS_MAX: Final = 40
#: How many consoles and displays a demonstration enrols by itself.
CONSOLES_MAX: Final = 100

_CODE_BYTES: Final = 16
_MINUTE: Final = 60 * SECOND
#: The clear margin that readers are promised, in modules.
QUIET_ZONE: Final = 4


class JoinCode:
    """A code of this run: it is not stored, so it ends with the run, and the next one has another."""

    def __init__(self) -> None:
        self.text = secrets.token_urlsafe(_CODE_BYTES)

    def admits(self, shown: str) -> bool:
        """Compare in constant time."""
        return hmac.compare_digest(self.text.encode(), shown.encode("utf-8", "surrogatepass"))


class JoinLimits:
    """How often each source address has tried to join within a minute, and which seats it was assigned in this run."""

    def __init__(self, *, per_minute: int, seats: int, addresses: int) -> None:
        self._per_minute, self._seats, self._addresses = per_minute, seats, addresses
        #: When each address tried last, the oldest attempt first.
        self._tries: dict[str, deque[Instant]] = {}
        self._given: dict[DeviceId, str] = {}

    def try_once(self, peer: str, now: Instant) -> Refusal | None:
        """Count an attempt; refuse it when there were too many within a minute."""
        source = source_of(peer)
        tries = self._tries.pop(source, None) or deque(maxlen=self._per_minute)
        self._tries[source] = tries
        if len(self._tries) > self._addresses:
            del self._tries[next(iter(self._tries))]
        if len(tries) == self._per_minute and now < tries[0] + _MINUTE:
            message = f"An address joins at most {self._per_minute} times a minute: try again later."
            return Refusal(Code.TOO_FAST, None, message, {"per_minute": self._per_minute})
        tries.append(now)
        return None

    def full(self, peer: str, taken: Callable[[DeviceId], bool]) -> Refusal | None:
        """Refuse another seat to an address that has reached its limit, counting the seats still taken."""
        source = source_of(peer)
        seats = sum(given == source and taken(device) for device, given in self._given.items())
        if seats < self._seats:
            return None
        message = f"An address has at most {self._seats} seats: leave one first."
        return Refusal(Code.BUSY, None, message, {"seats": self._seats})

    def give(self, device: DeviceId, peer: str) -> None:
        """Record the address that a seat was assigned to, replacing any other."""
        self._given[device] = source_of(peer)


def source_of(peer: str) -> str:
    """Return the source of an address: itself, or its /64 network for IPv6, as each host has a whole one."""
    try:
        address = ip_address(peer.partition("%")[0])
    except ValueError:
        return peer
    if isinstance(address, IPv4Address):
        return str(address)
    mapped = address.ipv4_mapped
    return str(mapped) if mapped is not None else str(ip_network((address, 64), strict=False))


def qr_text(url: str) -> str:
    """Render an address as a QR code for a terminal with light text on dark, two rows of modules in a line."""
    text = io.StringIO()
    # Medium redundancy: a screen is photographed at an angle, and is neither torn nor stained.
    segno.make_qr(url, error="m").terminal(text, border=QUIET_ZONE, compact=True)
    return text.getvalue()


def is_empty(terminal: Terminal) -> bool:
    """Return whether a terminal has no money on it."""
    return not (terminal.credit or terminal.in_play or terminal.held_total)


@dataclass(slots=True)
class DemoSeats:
    """Finds free seats and consoles, one at a time: a seat or console is free until its device has a key."""

    publisher: Publisher
    credential_store: CredentialStore
    #: Submits a request of the server itself.
    ask: Callable[[Request], Awaitable[Outcome]]

    @property
    def house(self) -> House:
        return self.publisher.run.house

    async def place(self, message: Hello, inside: Container[DeviceId]) -> DeviceId:
        """Find a device for a new client: a free seat, or another of its kind."""
        enrolled = self.credential_store.load().devices
        if message.screen is not DeviceKind.TERMINAL:
            return await self._console(message.screen, enrolled)
        seats = self._named(message, enrolled) if message.device else self._free(message.table, enrolled, inside)
        free = next(seats, None)
        return await self._add_seat(message) if free is None else DeviceId(free)

    def _named(self, message: Hello, enrolled: Container[DeviceId]) -> Iterator[TerminalId]:
        seats = self._seats_at(message.table)
        return (each.id for each in seats if each.id == message.device and DeviceId(each.id) not in enrolled)

    def _free(self, table: str, enrolled: Container[DeviceId], inside: Container[DeviceId]) -> Iterator[TerminalId]:
        """Return the seats in service that are free: without a key yet, or disconnected and empty."""
        seats = [each for each in self._seats_at(table) if not each.closed and each.case is None]
        yield from (each.id for each in seats if DeviceId(each.id) not in enrolled)
        for each in seats:
            if DeviceId(each.id) not in inside and is_empty(each):
                yield each.id

    def _seats_at(self, table: str) -> list[Terminal]:
        tables = [self.house.tables[TableId(table)]] if table in self.house.tables else self.house.tables.values()
        seats = [self.house.terminals[name] for each in tables for name in each.terminals]
        return [each for each in seats if DeviceId(each.id) in self.house.staff.devices]

    async def _add_seat(self, message: Hello) -> DeviceId:
        """Add a seat to a table, like the existing ones."""
        table = self.house.tables.get(TableId(message.table))
        if message.device or table is None or not table.terminals or len(table.terminals) >= SEATS_MAX:
            raise Refused(Code.BUSY, None, "No seat is free at that table.")
        like = self.house.terminals[table.terminals[-1]]
        names = (DeviceId(f"{table.id}-{number}") for number in count(1))
        taken = {*self.house.staff.devices, *self.house.terminals}
        name = next(each for each in names if each not in taken)
        games = (table.id, *(each for each in like.games if each != table.id))
        return await self._added(AddTerminal(TerminalId(name), games, like.settings), name)

    async def _console(self, kind: DeviceKind, enrolled: Mapping[DeviceId, DeviceCredential]) -> DeviceId:
        """Find a console of the house without a key, or add one."""
        if sum(each.kind is not DeviceKind.TERMINAL for each in enrolled.values()) >= CONSOLES_MAX:
            raise Refused(Code.BUSY, None, "There are enough consoles here: release one first.")
        house = self.house
        names = (DeviceId(f"{kind}-{number}") for number in count(1))
        name = next(
            each for each in names if not any(each in taken for taken in (enrolled, house.terminals, house.tables))
        )
        return name if name in house.staff.devices else await self._added(EnrolDevice(name), name)

    async def _added(self, command: AddTerminal | EnrolDevice, name: DeviceId) -> DeviceId:
        """Submit a command that adds a device; refused when another request was faster."""
        or_raise(await self.ask(Request(command)))
        return name


#: Devices at which no person signs in.
UNATTENDED: Final = frozenset({DeviceKind.TERMINAL, DeviceKind.BOARD, DeviceKind.NOTICE})
#: One response for an unknown device, a wrong key and a screen of another kind.
NOT_KNOWN: Final = Refusal(Code.UNKNOWN_DEVICE, None, "This device is not enrolled here, or its key is another's.")
_EVICTED: Final = refuse(Code.EVICTED, None, "This device is open in another window, which goes on.")
_LOG = structlog.get_logger()


def incompatible(protocol: int) -> Refusal:
    """Refuse a client of another protocol version, and name both."""
    stated = f"version {protocol}" if protocol else "no version"
    message = (
        f"The client states {stated} of the protocol, and the server speaks version {PROTOCOL}: update the client."
    )
    return refuse(Code.PROTOCOL_MISMATCH, None, message, client=protocol, server=PROTOCOL)


def is_loopback(peer: str) -> bool:
    """Return whether an address is a loopback address: IPv4, IPv6 or IPv4-mapped."""
    try:
        address = ip_address(peer.partition("%")[0])
    except ValueError:
        return False
    mapped = None if isinstance(address, IPv4Address) else address.ipv4_mapped
    return (mapped or address).is_loopback


def _join_limits() -> JoinLimits:
    return JoinLimits(per_minute=JOINS_PER_MINUTE, seats=JOINED_MAX, addresses=JOIN_ADDRESSES_MAX)


@dataclass(slots=True)
class DeviceAuthenticator:
    """Authenticates the device of every connection."""

    publisher: Publisher
    commit_loop: CommitLoop
    credential_store: CredentialStore
    join_code: JoinCode
    background_tasks: BackgroundTasks
    #: Called with every connection that was admitted.
    entered: Callable[[Connection], None]
    #: Returns whether an address is of the host itself.
    is_host: Callable[[str], bool] = is_loopback
    join_limits: JoinLimits = field(default_factory=_join_limits)
    #: The table that visitors deal in a demonstration; empty for none.
    visitor_table: str = ""
    _placing: asyncio.Lock = field(default_factory=asyncio.Lock)
    _seating: DemoSeats = field(init=False)

    def __post_init__(self) -> None:
        self._seating = DemoSeats(self.publisher, self.credential_store, self.commit_loop.ask)

    @property
    def house(self) -> House:
        return self.publisher.run.house

    def hello(self, connection: Connection, message: Hello) -> None:
        """Admit a device, or refuse it."""
        if connection.greeted:
            connection.close(refuse(Code.OUT_OF_TURN, None, "This connection has sent hello already."))
        elif message.protocol != PROTOCOL:
            connection.close(incompatible(message.protocol))
        elif connection.native and not message.key:
            connection.close(NOT_KNOWN)
        elif message.join is not None and not message.key:
            connection.greeted = self.background_tasks.begin(connection, self._join(connection, message))
        else:
            connection.greeted = True
            self._recognise(connection, message)

    def _recognise(self, connection: Connection, message: Hello) -> None:
        try:
            enrolled = self._enrolled(message)
        except CredentialError as fault:
            _LOG.error("credential_store_unreadable", words=str(fault))
            connection.close(UNREADABLE)
            return
        if enrolled is None:
            # The seat of a demonstration may have gone to another person: its last slip is for its former key.
            for slip in self.publisher.ticket_desk.claim(message.device, key_digest(message.key)):
                connection.send(slip)
            connection.close(NOT_KNOWN)
        else:
            self._welcome(connection, DeviceId(message.device), enrolled, message.table)

    def _enrolled(self, message: Hello) -> DeviceCredential | None:
        """Return the credential of a device with a valid key that is enrolled as that kind."""
        device = DeviceId(message.device)
        enrolled = self.credential_store.load().devices.get(device)
        proven = self.credential_store.verify_device_key(device, message.key)
        house, terminal = self.house, TerminalId(device) in self.house.terminals
        known = device in house.staff.devices and TableId(device) not in house.tables
        fits = terminal is (message.screen is DeviceKind.TERMINAL)
        return (
            enrolled if enrolled is not None and enrolled.kind is message.screen and proven and known and fits else None
        )

    def _welcome(self, connection: Connection, device: DeviceId, enrolled: DeviceCredential, table: str) -> None:
        """Admit a connection, and replace an older one of the same device."""
        house, kind = self.house, enrolled.kind
        older = self.publisher.inside.get(device)
        self.publisher.inside[device] = connection
        self.publisher.figures.connections[kind] += 1
        connection.device_kind, connection.device, connection.enrolled = kind, device, enrolled
        staff = kind not in UNATTENDED
        self._bind(kind, device, table)
        visit = self._visit(connection)
        connection.send(
            Welcome(
                protocol=PROTOCOL,
                epoch=self.publisher.run.epoch,
                device=device,
                venue=house.setup.venue,
                mode="" if house.setup.mode is None else house.setup.mode.value,
                now_us=self.publisher.time.now(),
                staff=staff,
                visit=visit,
                enter_as=self._enter_as(connection),
            )
        )
        if not staff:
            self.publisher.subscribe(connection, self._tables(kind, device, table))
        if older is not None:
            # Only now, so that the house does not record the terminal as lost.
            older.close(_EVICTED)
        self.entered(connection)

    def leave(self, connection: Connection) -> None:
        """Remove an admitted device from the count."""
        if connection.device_kind is not None:
            self.publisher.figures.connections[connection.device_kind] -= 1
        if self.publisher.inside.get(connection.device) is connection:
            del self.publisher.inside[connection.device]

    def disconnect_released(self, credentials: Credentials) -> list[DeviceId]:
        """Close the connections of devices that have no key or another key by now; return them."""
        strangers = [
            connection
            for device, connection in self.publisher.inside.items()
            if credentials.devices.get(device) != connection.enrolled
        ]
        for connection in strangers:
            connection.close(NOT_KNOWN)
        return [connection.device for connection in strangers]

    def _bind(self, kind: DeviceKind, device: DeviceId, table: str) -> None:
        """Bind the console of a live table to the table that it names, or else to the first; none if it is not live."""
        self.publisher.devices.bound.pop(device, None)
        if kind is DeviceKind.LIVE_TABLE:
            live = [each.id for each in self.house.tables.values() if each.live is not None]
            wanted = [each for each in live if table in ("", each)]
            self.publisher.devices.bound.update((device, each) for each in wanted[:1])

    def _visit(self, connection: Connection) -> str:
        """Return the table that a visitor may deal at a dealer's console on the host of a demonstration."""
        visits, table = self.publisher.devices.visits, self.visitor_table
        visits.pop(connection.device, None)
        local = self.is_host(connection.peer) and self.house.setup.mode is Mode.DEMO
        if not local or connection.device_kind is not DeviceKind.DEALER or table not in self.house.tables:
            return ""
        visits[connection.device] = TableId(table)
        return table

    def undealt(self, table: TableId) -> bool:
        """Return whether visitors deal a table, and no dealer is signed in at a console."""
        consoles = self.publisher.consoles.values()
        dealt = any(each.device_kind is DeviceKind.DEALER and each.person for each in consoles)
        return table == self.visitor_table and not dealt

    def _enter_as(self, connection: Connection) -> tuple[PersonId, ...]:
        """Return the people as whom a visitor may enter a console on the host: those who have chosen no password."""
        visits, kind, house = self.publisher.devices.entered_as, connection.device_kind, self.house
        visits.pop(connection.device, None)
        local = self.is_host(connection.peer) and house.setup.mode is Mode.DEMO
        if not local or not self.visitor_table or kind is None or kind in UNATTENDED:
            return ()
        titles, now = titles_for(rulebooks_in_use(house), DUTIES[kind]), self.publisher.time.now()
        accounts = self.credential_store.load().accounts
        people = tuple(
            person
            for person, account in accounts.items()
            if account.origin is PasswordOrigin.CODE and person != VISITOR and holds_title(house, person, titles, now)
        )
        visits[connection.device] = people
        return people

    def _tables(self, kind: DeviceKind, device: DeviceId, table: str) -> Iterable[TableId]:
        """Return the tables that a connection shows: a terminal's own, the one it names, or all."""
        if kind is DeviceKind.TERMINAL:
            return tuple(self.house.terminals[TerminalId(device)].games)
        return (TableId(table),) if table in self.house.tables else tuple(self.house.tables)

    # Demonstrations.

    async def _join(self, connection: Connection, message: Hello) -> None:
        """Enrol a device without a key, in a demonstration: any device on the host, a terminal by the join code."""
        peer = connection.peer
        local = self.is_host(peer)
        try:
            if self.house.setup.mode is not Mode.DEMO:
                raise Refused.by(NOT_KNOWN)
            if not local:
                self._require_join(peer, message)
            # One after the other: no two connections get the same seat.
            async with self._placing:
                if not local:
                    raise_if(self.join_limits.full(peer, self._is_taken))
                device = await self._seating.place(message, self.publisher.inside)
                if not local:
                    self.join_limits.give(device, peer)
                if connection.is_open:
                    await self._enrol(connection, device, message)
        except Refused as refused:
            connection.close(refused.refusal)

    def _require_join(self, peer: str, message: Hello) -> None:
        """Refuse a client that joins over the network too often, without the code, or as anything but a terminal."""
        raise_if(self.join_limits.try_once(peer, self.publisher.time.now()))
        if not self.join_code.admits(message.join or "") or message.screen is not DeviceKind.TERMINAL:
            raise Refused.by(NOT_KNOWN)

    def _is_taken(self, device: DeviceId) -> bool:
        """Return whether a seat is connected, or has money on it."""
        terminal = self.house.terminals.get(TerminalId(device))
        return terminal is not None and (device in self.publisher.inside or not is_empty(terminal))

    async def _enrol(self, connection: Connection, device: DeviceId, message: Hello) -> None:
        """Give a device its key; on another thread, as the credential store is locked and written to the disk."""
        if (former := self.credential_store.load().devices.get(device)) is not None:
            self.publisher.ticket_desk.reassign(device, former.digest)
        keys = or_raise(await asyncio.to_thread(self.credential_store.enrol, {device: message.screen}))
        if not connection.is_open:
            raise Refused.by(NOT_KNOWN)
        ((device, key),) = keys.items()
        connection.send(Enrolled(device=device, key=key))
        self._welcome(connection, device, self.credential_store.load().devices[device], message.table)


_UNWRITTEN = refuse(Code.COMMAND_FAILED, None, "The device is enrolled without a key: release it, and enrol it again.")
_ENROLMENT_LOG = structlog.get_logger()


@dataclass(slots=True)
class DeviceEnrolment:
    """Applies committed enrolments to the credential store: the journal has the signatures, and never a key.

    A key is sent once, to the person who proposed the device if they are still signed in there, and otherwise to the
    person who approved it. When neither is signed in it is not sent, and the device must be enrolled again.
    """

    publisher: Publisher
    staff_auth: StaffSignIn
    credential_store: CredentialStore
    #: The two signatures of the event that follows.
    _signed: ProposalApproved | None = None
    #: In the order of the journal, one at a time: the file is locked and written on another thread.
    _order: asyncio.Lock = field(default_factory=asyncio.Lock)
    _under_way: set["asyncio.Task[None]"] = field(default_factory=set)

    def begin(self) -> None:
        """Remove the keys of devices that were released before the credential store could be written."""
        try:
            for device in self.publisher.run.house.staff.released_devices & set(self.credential_store.load().devices):
                self.credential_store.release_device(device)
        except CredentialError as fault:
            _ENROLMENT_LOG.error("credential_store_unwritable", device="", words=str(fault))

    def on_event(self, event: Event) -> None:
        signed, self._signed = self._signed, None
        match event:
            case ProposalApproved():
                self._signed = event
            case DeviceReleased():
                self._disconnect(event.device)
                self._begin(self._release(event.device))
            case AccountUnlocked():
                self._begin(self._unlock(event.person))
            case TerminalAdded() if signed is not None:
                self._begin(self._enrol(DeviceId(event.terminal), DeviceKind.TERMINAL, signed))
            case DeviceEnrolled(kind=DeviceKind() as kind) if signed is not None:
                self._begin(self._enrol(event.device, kind, signed))

    async def stop(self) -> None:
        """Wait for writes in progress."""
        await asyncio.gather(*self._under_way)

    def _begin(self, work: Coroutine[object, object, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)

    def _disconnect(self, device: DeviceId) -> None:
        """End the session and the connection of a device at once, even if the credential store cannot be written."""
        self.staff_auth.revoke_device(device)
        connection = self.publisher.inside.get(device)
        if connection is not None:
            connection.close(NOT_KNOWN)

    async def _release(self, device: DeviceId) -> None:
        """Remove its key; the house has released it, so that a failed write of the credential store does no harm."""
        async with self._order:
            try:
                await asyncio.to_thread(self.credential_store.release_device, device)
            except CredentialError as fault:
                self._distrust(device, fault)

    async def _unlock(self, person: PersonId) -> None:
        """Clear the wrong passwords of a person whom two colleagues unlocked; without any, nothing changes."""
        async with self._order:
            try:
                await asyncio.to_thread(self.credential_store.unlock, person)
            except CredentialError as fault:
                _ENROLMENT_LOG.error("credential_store_unwritable", device="", words=str(fault))

    def _distrust(self, device: DeviceId, fault: CredentialError) -> None:
        """Refuse every key of a device that the credential store still has: it may be an older one."""
        self.credential_store.refuse_device(device)
        _ENROLMENT_LOG.error("credential_store_unwritable", device=device, words=str(fault))

    async def _enrol(self, device: DeviceId, kind: DeviceKind, signed: ProposalApproved) -> None:
        async with self._order:
            answer = await self._given(device, kind)
        connection = self._console_of(signed)
        if connection is not None:
            connection.send(answer)

    async def _given(self, device: DeviceId, kind: DeviceKind) -> outbound.EnrolledDevice | outbound.Refused:
        """Give a device its key, or return why it has none."""
        try:
            keys = or_raise(await asyncio.to_thread(self.credential_store.enrol, {device: kind}))
        except CredentialError as fault:
            self._distrust(device, fault)
            return outbound.Refused(refusal=outbound.refusal_body(_UNWRITTEN))
        except Refused as refused:
            return outbound.Refused(refusal=outbound.refusal_body(refused.refusal))
        return outbound.EnrolledDevice(device=device, kind=kind, key=keys[device])

    def _console_of(self, signed: ProposalApproved) -> Connection | None:
        """Find the console to which a key is sent: of the proposer first, and of no other person.

        A connection that is behind would not get it.
        """
        places = ((signed.proposer_device, signed.proposer), (signed.approver_device, signed.approver))
        connections = ((self.publisher.consoles.get(device), person) for device, person in places)
        return next(
            (
                connection
                for connection, person in connections
                if connection is not None and _receives(connection, person)
            ),
            None,
        )


def _receives(connection: Connection, person: PersonId) -> bool:
    return connection.person == person and connection.behind_since is None
