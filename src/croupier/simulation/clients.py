"""The network, and the clients of terminals and consoles, which speak the wire protocol over simulated connections."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from random import Random
from typing import Any, Final, NamedTuple, Protocol, cast

import msgspec
from picows import WSCloseCode, WSFrame, WSMsgType, WSTransport

from croupier.client.session import View
from croupier.house import AnyCommand, House
from croupier.house.credit.drawers import RedeemTicket
from croupier.house.credit.notes import InsertNote
from croupier.house.credit.tickets import Collect, InsertTicket, find_ticket
from croupier.house.ids import SECOND, DeviceId, DeviceKind, Number, PersonId
from croupier.house.settings import Mode
from croupier.journal.entry import IdempotencyKey
from croupier.protocol import inbound, outbound
from croupier.protocol.inbound import KeyedMessage
from croupier.rules.refusal import Code
from croupier.server.connection import WebSocketConnection
from croupier.simulation.invariants import check_not
from croupier.simulation.process import Process
from croupier.simulation.world import SimulatedTime

#: How many of a hundred messages to the server break their connection, arrive twice, and take long.
BREAKS, DOUBLED, LATE = 1, 6, 6
#: How long a message usually takes, and at most on a bad network: longer than a round.
USUAL_US: Final = 50_000
LATE_US: Final = 40 * SECOND
Delivery = Callable[[], None]


class Network:
    """The messages in transit between devices and the server."""

    def __init__(self, rng: Random, time: SimulatedTime) -> None:
        self._rng, self._time = rng, time
        self._under_way: list[tuple[int, int, Delivery]] = []
        self._sent = count()
        self.quiescent = False

    def send(self, deliver: Delivery, after: int = 0) -> int:
        """Deliver a message after a delay, and not before an instant; return when."""
        arrives = max(after, self._time.elapsed + self._delay())
        self._under_way.append((arrives, next(self._sent), deliver))
        return arrives

    def deliver(self) -> None:
        """Deliver the messages that have arrived by now, in their order of arrival."""
        here = sorted(each for each in self._under_way if each[0] <= self._time.elapsed)
        self._under_way = [each for each in self._under_way if each[0] > self._time.elapsed]
        for _, _, deliver in here:
            deliver()

    def happens(self, percent: int) -> bool:
        return not self.quiescent and self._rng.randrange(100) < percent

    def _delay(self) -> int:
        if self.quiescent:
            return 1
        most = LATE_US if self._rng.randrange(100) < LATE else USUAL_US
        return self._rng.randrange(1, most)


@dataclass(frozen=True, slots=True)
class TextFrame:
    """A whole text frame, as the server's connection reads one."""

    payload: bytes
    msg_type: WSMsgType = WSMsgType.TEXT
    fin: bool = True
    rsv1: bool = False
    rsv2: bool = False
    rsv3: bool = False

    def get_payload_as_bytes(self) -> bytes:
        return self.payload


class Link:
    """One connection between a client and a process. It is the transport that the server's connection writes to.

    Either direction is ordered. Messages in transit are lost when the connection breaks.
    """

    def __init__(self, client: "Client", process: Process) -> None:
        self.client, self.process = client, process
        self.is_open, self.is_close_frame_sent = True, False
        #: From the welcome message; 0 before it.
        self.epoch = 0
        #: Whether commands may be sent: a terminal has its snapshot, a console has a signed-in person.
        self.ready = False
        self._inward = self._outward = self._unreceived = 0
        self.underlying_transport = self
        with process.loop.running():
            self.connection = WebSocketConnection(process.router, native=True)
            self.connection.on_ws_connected(self._transport)

    @property
    def is_current(self) -> bool:
        """Whether the client has received all messages that were sent to it, and no commit is in progress."""
        received = self.is_open and not self.is_close_frame_sent and not self._unreceived
        return received and self.ready and self.process.run.sequencer.consistent

    @property
    def _transport(self) -> WSTransport:
        return cast("WSTransport", self)

    # The client's side.

    def say(self, message: inbound.InboundMessage) -> None:
        """Send a message to the server."""
        network, frame = self.client.network, msgspec.json.encode(message)
        if network.happens(BREAKS):
            self.drop()
        for _ in range(2 if network.happens(DOUBLED) else 1):
            self._inward = network.send(lambda: self._arrive(frame), self._inward)

    def _arrive(self, frame: bytes) -> None:
        if self.is_open and self.process.alive:
            with self.process.loop.running():
                self.connection.on_ws_frame(self._transport, cast("WSFrame", TextFrame(frame)))

    def drop(self) -> None:
        """Break the connection."""
        if self.is_open:
            self.is_open = False
            if self.process.alive:
                with self.process.loop.running():
                    self.connection.on_ws_disconnected(self._transport)

    # The transport methods that the server calls.

    def send(self, _kind: WSMsgType, frame: bytes) -> None:
        self.client.on_sent(frame)
        self._unreceived += 1
        self._outward = self.client.network.send(lambda: self._receive(frame), self._outward)

    def _receive(self, frame: bytes) -> None:
        self._unreceived -= 1
        if self.is_open:
            self.client.receive(self, frame)

    def send_close(self, _code: WSCloseCode) -> None:
        self.is_close_frame_sent = True

    def disconnect(self, *, graceful: bool = True) -> None:
        """Close it once all sent messages have arrived, or at once."""
        if graceful:
            self._outward = self.client.network.send(self.drop, self._outward)
        else:
            self.process.loop.call_soon(self.drop)

    def get_extra_info(self, _name: str) -> tuple[str, int]:
        return "192.0.2.1", 1

    def set_write_buffer_limits(self, high: int) -> None:
        """Do nothing: there is no buffer."""

    def pause_reading(self) -> None:
        """Do nothing: the server refuses messages over the rate limit, and reads them all the same."""

    def resume_reading(self) -> None:
        """Do nothing: reading was not paused."""


class AnswerCheck(Protocol):
    """Verifies the response that a client has received against the one that the house has published."""

    def __call__(self, device: DeviceId, key: IdempotencyKey, code: str) -> None: ...


#: When a client sends a request again, and how many responses it awaits at once.
RETRY_US: Final = 2 * SECOND
WAITING_MAX: Final = 2
#: How often it sends a heartbeat, and its password again.
PING_US: Final = 4 * SECOND
STEP_UP_US: Final = 60 * SECOND
#: How often it tries to connect or to sign in.
CONNECT_US: Final = 3 * SECOND
#: Refusals that say nothing about the outcome of the request.
NO_ANSWER: Final = (Code.EPOCH_AHEAD, Code.KEY_REUSED, Code.STEP_UP_NEEDED, Code.SIGNED_OUT)
#: Codes of the server's own faults.
FAULTS: Final = (Code.VIEW_FAILED, Code.COMMAND_FAILED)
_DECODER: Final = msgspec.json.Decoder()
_TERMINAL: Final = msgspec.json.Decoder(outbound.ViewSnapshot | outbound.SeatUpdate | outbound.TableUpdate)
_FOLLOWED: Final = frozenset(
    each.__struct_config__.tag for each in (outbound.ViewSnapshot, outbound.SeatUpdate, outbound.TableUpdate)
)
_BEFORE_TAG: Final = len('{"t":"')
_TAG: Final = {
    each: str(each.__struct_config__.tag)
    for each in (outbound.Welcome, outbound.Ack, outbound.SignedIn, outbound.SignedOut, outbound.Bye, outbound.Refused)
}


@dataclass(slots=True)
class Waiting:
    """A request without a response yet, and when it was last sent."""

    message: KeyedMessage
    sent_at: int

    @property
    def key(self) -> IdempotencyKey:
        return IdempotencyKey(self.message.epoch, self.message.id)


class Identity(NamedTuple):
    """A device, the person who signs in there, and the device key."""

    device: DeviceId
    kind: DeviceKind
    #: Empty at a terminal.
    person: PersonId
    key: str


class Client:
    """One terminal or console, over all of its connections. Its request numbers only rise."""

    def __init__(self, identity: "Identity", network: Network, time: SimulatedTime, check: AnswerCheck) -> None:
        self.device, self.kind, self.person, self._key = identity
        self.network, self._time, self._check = network, time, check
        self.link: Link | None = None
        #: A connection to a process that was replaced and still runs.
        self.stale_link: Link | None = None
        self.waiting: dict[int, Waiting] = {}
        #: The numbers under which a different request was sent too: it may have been decided in place of the first.
        self.altered: set[int] = set()
        self.state = View()
        self._number = 0
        self._pinged_at = self._stepped_at = self._tried_at = -CONNECT_US

    @property
    def is_terminal(self) -> bool:
        return self.kind is DeviceKind.TERMINAL

    # Sending.

    def connect(self, process: Process) -> None:
        """Connect to a process, and replace any other connection."""
        self.link = link = Link(self, process)
        self._tried_at = self._time.elapsed
        link.say(inbound.Hello(screen=self.kind, protocol=inbound.PROTOCOL, device=self.device, key=self._key))

    def keep_up(self, process: Process) -> None:
        """Connect or sign in if necessary, send heartbeats, and resend requests without a response."""
        link, now = self.link, self._time.elapsed
        if link is None or not (link.is_open and link.process.alive):
            if now - self._tried_at >= CONNECT_US:
                self.connect(process)
            return
        if link.epoch and now - self._pinged_at >= PING_US:
            self._pinged_at = now
            link.say(inbound.Ping(0))
        if link.epoch and not link.ready and self.person and now - self._tried_at >= CONNECT_US:
            self._sign_in(link)
        if link.ready and self.person and now - self._stepped_at >= STEP_UP_US:
            self._stepped_at = now
            link.say(inbound.StepUp(password_of(self.person)))
        if link.ready:
            for waiting in self.waiting.values():
                if self._time.elapsed - waiting.sent_at >= RETRY_US:
                    waiting.sent_at = self._time.elapsed
                    link.say(waiting.message)

    def _sign_in(self, link: Link) -> None:
        self._tried_at = self._time.elapsed
        link.say(inbound.SignIn(self.person, password_of(self.person)))

    def ask(self, message: Callable[[int, int], KeyedMessage]) -> KeyedMessage | None:
        """Send a request under the next key; None when the device is offline, or too many requests are unanswered."""
        if self.link is None or not self.link.ready or len(self.waiting) >= WAITING_MAX:
            return None
        self._number += 1
        made = message(self._number, self.link.epoch)
        self.link.say(made)
        self.waiting[made.id] = Waiting(made, self._time.elapsed)
        return made

    def send_copy(self, message: KeyedMessage, *, to_stale: bool = False) -> None:
        """Send a message without waiting for its response."""
        link = self.stale_link if to_stale else self.link
        if link is not None and link.is_open and link.ready:
            link.say(message)

    # Receiving.

    def on_sent(self, frame: bytes) -> None:
        """Inspect a message of the server before it is in transit."""
        if tag_of(frame) == _TAG[outbound.Bye]:
            code = _DECODER.decode(frame)["refusal"]["code"]
            check_not("guard", f"{self.device} was disconnected as {code}", when=code in FAULTS)

    def receive(self, link: Link, frame: bytes) -> None:
        tag = tag_of(frame)
        if tag == _TAG[outbound.Welcome]:
            link.epoch = _DECODER.decode(frame)["epoch"]
            if self.person:
                self._sign_in(link)
        elif tag == _TAG[outbound.SignedIn]:
            self._stepped_at = -STEP_UP_US
            self._admitted(link)
        elif tag == _TAG[outbound.SignedOut]:
            link.ready = False
        elif tag == _TAG[outbound.Refused] and self.person and not link.ready:
            # A person who may not sign in any more waits for no response.
            self.waiting.clear()
        elif tag == _TAG[outbound.Ack]:
            ack = _DECODER.decode(frame)
            self._answered(ack["id"], (ack.get("refusal") or {}).get("code", ""))
        elif self.is_terminal and tag in _FOLLOWED and link is self.link:
            self._follow(link, _TERMINAL.decode(frame))

    def _admitted(self, link: Link) -> None:
        """Resend requests that got no response on the connection before."""
        link.ready = True
        for waiting in self.waiting.values():
            waiting.sent_at = self._time.elapsed
            link.say(waiting.message)

    def _follow(self, link: Link, message: outbound.ViewSnapshot | outbound.SeatUpdate | outbound.TableUpdate) -> None:
        match message:
            case outbound.ViewSnapshot():
                self.state.apply_snapshot(message)
                self._admitted(link)
                # The snapshot shows the outcome of these requests: their own response may never arrive.
                answered = [
                    number
                    for number, each in self.waiting.items()
                    if each.message.epoch != message.epoch or number <= message.last_cmd
                ]
                for number in answered:
                    del self.waiting[number]
            # An update on a new connection before its snapshot is part of the snapshot.
            case outbound.SeatUpdate() if link.ready:
                follows = self.state.apply_delta(message)
                check_not("I22", f"{self.device} was sent {message.v} after {self.state.version}", when=not follows)
                for refusal in message.refused:
                    if refusal.id is not None:
                        self._answered(refusal.id, refusal.code)
                for number in [each for each in self.waiting if each <= message.last_cmd]:
                    self._answered(number, "")
            case outbound.TableUpdate() if link.ready:
                self.state.apply_table(message.tv, message.state)

    def _answered(self, number: int, code: str) -> None:
        """Record the first response to a request; the code is empty when it was accepted."""
        waiting = self.waiting.get(number)
        if code == Code.KEY_REUSED and number in self.altered:
            self.waiting.pop(number, None)
        elif waiting is not None and code not in NO_ANSWER:
            del self.waiting[number]
            self._check(self.device, waiting.key, code)


def tag_of(frame: bytes) -> str:
    """Read the tag of a message, which is its first field."""
    return frame[_BEFORE_TAG : frame.index(b'"', _BEFORE_TAG)].decode()


def password_of(person: PersonId) -> str:
    return f"the password of {person}"


#: Builds a message with a number and an epoch.
Message = Callable[[int, int], KeyedMessage]


def message_of(command: AnyCommand, house: House, number_of: Callable[[Number], str]) -> Message | None:
    """Build the message by which a device sends a command; None when a driver submits it without a connection."""
    match command:
        case InsertNote():
            demo = house.setup.mode is Mode.DEMO
            return (lambda number, epoch: inbound.Note(number, epoch, command.value)) if demo else None
        case Collect():
            return inbound.CashOut if command.form is None else None
        case InsertTicket() | RedeemTicket():
            ticket = find_ticket(house, command.digest)
            return None if ticket is None else _with_ticket(command, number_of(ticket.sequence))
    try:
        msgspec.json.encode(command)
    except (OverflowError, ValueError):
        return None
    return lambda number, epoch: inbound.SendCommand(number, epoch, cast("Any", command))


def _with_ticket(command: InsertTicket | RedeemTicket, printed: str) -> Message:
    if isinstance(command, InsertTicket):
        return lambda number, epoch: inbound.TicketIn(number, epoch, printed)
    return lambda number, epoch: inbound.Redeem(number, epoch, command.drawer, printed, command.amount_on_paper)


def altered(message: KeyedMessage, command: AnyCommand) -> KeyedMessage:
    """Build a different request under the key of a message."""
    return inbound.SendCommand(message.id, message.epoch, cast("Any", command))
