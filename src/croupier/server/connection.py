"""Connections of devices: what the parts of the server know of each, its WebSocket, its tasks and its bounds."""

import asyncio
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Final, Protocol

import msgspec
import structlog
from picows import WSCloseCode, WSFrame, WSListener, WSMsgType, WSTransport

from croupier.engine.ports import LoopClock
from croupier.engine.slices import Slicer
from croupier.house.ids import SECOND, DeviceId, DeviceKind, Instant, PersonId, TableId
from croupier.protocol import inbound, outbound
from croupier.protocol.inbound import Incoming, PartialMessage
from croupier.rules.geometry import SpotKey
from croupier.rules.refusal import Code, Refusal, Refused, refuse
from croupier.server.auth.credentials import DeviceCredential
from croupier.server.auth.sessions import SessionToken

#: How much may wait to be sent on one connection. Beyond that it is behind, and gets a snapshot once it reads again.
SEND_BUFFER_BYTES_MAX: Final = 64 * 1024
#: How long a connection may stay behind before it is closed.
SLOW_READER_MAX_US: Final = 10 * SECOND
#: How long an open connection may take to send `hello`.
HELLO_WAIT_MAX_US: Final = 10 * SECOND
#: How often connections are swept.
SWEEP_INTERVAL_US: Final = 6 * SECOND
#: A connection that was silent in so many sweeps in a row is closed: after 12 to 18 seconds.
MISSED_HEARTBEATS_MAX: Final = 3
#: How many messages beyond its rate a connection may send before it is closed: within the second of paused reading.
EXCESS_MESSAGES_MAX: Final = 200
#: How many invalid messages a connection may send before it is closed.
INVALID_FRAMES_MAX: Final = 20
#: How many connections may have a background task: a sign-in, or a device that enrols itself.
BACKGROUND_TASKS_MAX: Final = 64


_TEXT: Final = WSMsgType.TEXT


class RateLimit(msgspec.Struct, frozen=True):
    """How many messages a connection may send a second on the average, and how many at once."""

    per_s: int
    at_once: int


#: Sent with every message beyond the rate of its connection.
TOO_FAST = refuse(Code.TOO_FAST, None, "Too many messages: nothing was done, go on in a moment.")
NO_HELLO = refuse(Code.OUT_OF_TURN, None, "Send hello first.")
_SILENT = refuse(Code.SILENT, None, "No message was received for too long.")
_UNREAD = refuse(Code.TOO_FAST, None, "The client does not read what it is sent.")


class BetsRow(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True, gc=False):
    """The delta of a terminal after one command of its player changed some stakes, as the house computes it.

    The process that has the WebSocket formats it: the house, or a gateway.
    """

    v: int
    last_cmd: int
    credit: int
    table: TableId
    spots: tuple[SpotKey, ...]
    #: As many as there are spots, in their order.
    amounts: tuple[int, ...]
    staked: int
    #: Further fields of the game, encoded: each with a comma before it.
    more: bytes = b""

    def encode(self) -> bytes:
        """Encode it as a client receives it: a `SeatUpdate` with these fields and no other."""
        spots, amounts = self.spots, self.amounts
        if len(spots) == 1:
            stakes = b"{%b:%d}" % (_NAMES[spots[0]], amounts[0])
        else:
            stakes = outbound.encode(dict(zip(spots, amounts, strict=True)))
        return _BETS % (self.v, self.last_cmd, self.credit, _NAMES[self.table], stakes, self.staked, self.more)


class _EncodedNames(dict[str, bytes]):
    """The names of tables and spots as JSON strings: there are few, and each is in very many deltas."""

    def __missing__(self, name: str) -> bytes:
        self[name] = encoded = outbound.encode(name)
        return encoded


_NAMES: Final = _EncodedNames()
_BETS: Final = b'{"t":"seat","v":%d,"last_cmd":%d,"set":{"credit":%d,"games":{%b:{"stakes":%b,"staked":%d%b}}}}'


class Connection(Protocol):
    """The connection of one device, whether its WebSocket is this process's own or a gateway's."""

    #: The kind of its device: None until it is authenticated.
    device_kind: DeviceKind | None
    #: The credential of its device when it was authenticated.
    enrolled: DeviceCredential | None
    #: Whether its request had no Origin header: then the client is not a browser.
    native: bool
    #: Whether it is open. Code that has awaited anything checks this first.
    is_open: bool
    #: Whether it has sent `hello`; the response may take a while.
    greeted: bool
    device: DeviceId
    person: PersonId
    token: SessionToken
    #: How many deltas it was sent, and the last command of its device that was acknowledged.
    version: int
    last_cmd: int
    #: Since when its client does not read what it is sent.
    behind_since: Instant | None
    #: How many sweeps there were since its last frame; once it is closed, since then.
    silent: int
    opened_at: Instant

    @property
    def peer(self) -> str:
        """The address of the peer; empty once the transport has ended."""

    def send(self, message: msgspec.Struct) -> None: ...
    def send_frame(self, frame: bytes) -> None:
        """Send an encoded message, unless this connection is behind: then it gets a snapshot once it reads again."""

    def send_bets(self, row: BetsRow) -> None:
        """Send a terminal the outcome of a command of its player, unless it is behind."""

    def join(self, topic: str) -> bool:
        """Receive what is published for a topic, if another process sends it; return whether one does."""

    def leave(self) -> None:
        """Receive nothing more that is published for topics."""

    def close(self, refusal: Refusal, code: WSCloseCode = WSCloseCode.POLICY_VIOLATION) -> None:
        """Send the reason, and close."""

    def abort(self) -> None:
        """Abort the transport of a closed connection whose peer does not read the last message."""

    def pause_writing(self) -> None:
        """Note that the client does not read what it is sent."""

    def resume_writing(self) -> None:
        """Resume sending; with a snapshot, if messages were dropped meanwhile."""


class ConnectionHandler(Protocol):
    """Handles the messages of connections, and their opening, catching up, closing and end."""

    time: LoopClock
    pace: RateLimit
    connections: dict[Connection, None]

    def opened(self, connection: Connection) -> None: ...
    def received(self, connection: Connection, message: Incoming) -> None: ...
    def received_invalid(self, connection: Connection, sketch: PartialMessage, refusal: Refusal) -> None: ...
    def too_fast(self, connection: Connection, message: Incoming | None, refusal: Refusal) -> None: ...
    def not_writable(self, connection: Connection) -> None:
        """Handle a connection whose client does not read what it is sent."""

    def writable_again(self, connection: Connection, *, missed: bool) -> None:
        """Handle a connection whose client reads again; and whether messages were dropped meanwhile."""

    def disconnected(self, connection: Connection, refusal: Refusal | None) -> None:
        """Handle a connection that is closed, with the reason if the server closed it: no message follows."""

    def closed(self, connection: Connection) -> None:
        """Handle the end of its transport."""


class WebSocketConnection(WSListener):
    """One connection with its WebSocket, from its handshake to its end."""

    # Without slots an attribute access on a listener takes three times as long.
    __slots__ = (
        *(
            "transport",
            "device_kind",
            "enrolled",
            "is_open",
            "greeted",
            "device",
            "person",
            "token",
            "version",
            "last_cmd",
        ),
        *("behind_since", "silent", "opened_at", "native", "_by_proxy"),
        *("_connection_handler", "_left", "_filled_at", "_excess", "_nonsense", "_unread", "_missed"),
    )
    transport: WSTransport
    device_kind: DeviceKind | None
    enrolled: DeviceCredential | None

    def __init__(self, connection_handler: ConnectionHandler, *, native: bool = False, by_proxy: bool = False) -> None:
        self.native, self._by_proxy = native, by_proxy
        self._connection_handler, self.device_kind, self.enrolled = connection_handler, None, None
        self.is_open = True
        self.greeted = False
        self.device = DeviceId("")
        self.person = PersonId("")
        self.token = SessionToken("", self.device)
        self.version = 0
        self.last_cmd = 0
        self.behind_since: Instant | None = None
        self.silent = 0
        self.opened_at = connection_handler.time.now()
        self._left, self._filled_at, self._excess, self._nonsense = (
            connection_handler.pace.at_once,
            self.opened_at,
            0,
            0,
        )
        self._unread = self._missed = False

    @property
    def peer(self) -> str:
        peer = self.transport.underlying_transport.get_extra_info("peername")
        # A proxy on this host is no client on it.
        return f"{peer[0]}{' by a proxy' * self._by_proxy}" if peer else ""

    def send(self, message: msgspec.Struct) -> None:
        self.send_frame(outbound.encode(message))

    def send_frame(self, frame: bytes) -> None:
        if self.behind_since is not None:
            self._missed = True
        elif self.is_open:
            self.transport.send(_TEXT, frame)

    def send_bets(self, row: BetsRow) -> None:
        if self.behind_since is not None:
            self._missed = True
        elif self.is_open:
            self.transport.send(_TEXT, row.encode())

    def join(self, _topic: str) -> bool:
        return False

    def leave(self) -> None: ...

    def close(self, refusal: Refusal, code: WSCloseCode = WSCloseCode.POLICY_VIOLATION) -> None:
        if self.is_open:
            self.send(outbound.Bye(refusal=outbound.refusal_body(refusal)))
            self.end(code, refusal)

    def abort(self) -> None:
        self.transport.disconnect(graceful=False)

    def end(self, code: WSCloseCode, refusal: Refusal | None = None) -> None:
        """Close with a code; the reason is for the handler."""
        self.is_open, self.silent = False, 0
        self.transport.send_close(code)
        self.transport.disconnect(graceful=self.behind_since is None)
        self._connection_handler.disconnected(self, refusal)

    def on_ws_connected(self, transport: WSTransport) -> None:
        self.transport = transport
        transport.underlying_transport.set_write_buffer_limits(high=SEND_BUFFER_BYTES_MAX)
        self._connection_handler.opened(self)

    def on_ws_disconnected(self, _transport: WSTransport) -> None:
        if self.is_open:
            self.is_open = False
            self._connection_handler.disconnected(self, None)
        self._connection_handler.closed(self)

    # Receiving.

    def on_ws_frame(self, transport: WSTransport, frame: WSFrame) -> None:
        if not self.is_open or transport.is_close_frame_sent:
            # The parser may have closed the connection by itself and still pass frames on: ignore them.
            return
        self.silent = 0
        if frame.msg_type is not _TEXT or not frame.fin or frame.rsv1 or frame.rsv2 or frame.rsv3:
            self._odd(frame)
            return
        try:
            message = inbound.decode(frame.get_payload_as_bytes())
        except UnicodeDecodeError:
            self.end(WSCloseCode.INVALID_TEXT)
        except (msgspec.DecodeError, RecursionError) as error:
            self._no_message(frame, error)
        else:
            self._left -= 1
            if self._left >= 0 or self._in_pace():
                self._connection_handler.received(self, message)
            else:
                self._press(message)

    def _odd(self, frame: WSFrame) -> None:
        """Close it on anything but a complete text frame; a close and a ping are answered."""
        if frame.rsv1 or frame.rsv2 or frame.rsv3:
            self.end(WSCloseCode.PROTOCOL_ERROR)
        elif frame.msg_type == WSMsgType.CLOSE:
            self.end(WSCloseCode.OK)
        elif frame.msg_type in (WSMsgType.PING, WSMsgType.PONG):
            self._sign_of_life(frame)
        else:
            self.end(WSCloseCode.UNSUPPORTED_DATA)

    def _sign_of_life(self, frame: WSFrame) -> None:
        """Answer a ping, which counts towards the rate limit: a peer that does not read must not pile up pongs."""
        self._left -= 1
        if self._left < 0 and not self._in_pace():
            self._press(None)
        elif frame.msg_type == WSMsgType.PING and self.behind_since is None:
            self.transport.send_pong(frame.get_payload_as_bytes())

    def _no_message(self, frame: WSFrame, error: Exception) -> None:
        self._nonsense += 1
        refusal = refuse(Code.MALFORMED, None, f"Invalid message: {error}.")
        if self._nonsense > INVALID_FRAMES_MAX:
            self.close(refusal)
        else:
            self._connection_handler.received_invalid(
                self, inbound.partial_decode(frame.get_payload_as_bytes()), refusal
            )

    # Rate limit.

    def _in_pace(self) -> bool:
        """Refill the token bucket for the time since the last call; return whether one more message is allowed."""
        now, pace = self._connection_handler.time.now(), self._connection_handler.pace
        earned = (now - self._filled_at) * pace.per_s // SECOND
        if earned > 0:
            self._filled_at = now
            self._left = min(self._left + earned, pace.at_once - 1)
        return self._left >= 0

    def _press(self, message: Incoming | None) -> None:
        """Refuse a message beyond the rate, and pause reading for a second."""
        self._left = -1
        self._excess += 1
        if self._excess > EXCESS_MESSAGES_MAX:
            self.close(TOO_FAST)
            return
        self._connection_handler.too_fast(self, message, TOO_FAST)
        if not self._unread:
            self._unread = True
            self.transport.underlying_transport.pause_reading()
            self._connection_handler.time.at(Instant(self._connection_handler.time.now() + SECOND), self._read_on)

    def _read_on(self) -> None:
        self._unread, self._excess = False, 0
        if self.is_open:
            self.transport.underlying_transport.resume_reading()

    # Back pressure.

    def pause_writing(self) -> None:
        self.behind_since, self._missed = self._connection_handler.time.now(), False
        self._connection_handler.not_writable(self)

    def resume_writing(self) -> None:
        self.behind_since = None
        if self.is_open:
            self._connection_handler.writable_again(self, missed=self._missed)


class ConnectionSweep:
    """Sweeps connections, in slices of the event loop."""

    def __init__(self, connections: dict[Connection, None], time: LoopClock, slicer: Slicer) -> None:
        self._connections, self._time, self._slicer = connections, time, slicer

    def run(self) -> None:
        """Sweep all connections that are there now."""
        for connection in tuple(self._connections):
            self._slicer.run(partial(self._sweep, connection))

    def _sweep(self, connection: Connection) -> None:
        """Close a connection that has sent no `hello`, is silent or does not read; abort one that stays closed."""
        if connection not in self._connections:
            # It has ended since.
            return
        connection.silent += 1
        if not connection.is_open:
            if connection.silent > 1:
                connection.abort()
        elif connection.device_kind is None and self._time.now() - connection.opened_at > HELLO_WAIT_MAX_US:
            connection.close(NO_HELLO)
        elif connection.silent >= MISSED_HEARTBEATS_MAX:
            connection.close(_SILENT, WSCloseCode.GOING_AWAY)
        elif connection.behind_since is not None and self._time.now() - connection.behind_since > SLOW_READER_MAX_US:
            connection.close(_UNREAD)


@dataclass(slots=True)
class ConnectedDevices:
    """The connections of admitted devices, by device."""

    #: Terminals that are subscribed; a terminal and its device have the same name.
    seats: dict[str, Connection] = field(default_factory=dict)
    #: Consoles and boards that are subscribed.
    consoles: dict[DeviceId, Connection] = field(default_factory=dict)
    #: Every admitted device, whether a person is signed in there or not.
    inside: dict[DeviceId, Connection] = field(default_factory=dict)
    #: The table of each console of a live table, and of a visitor's console: it shows and serves no other.
    bound: dict[DeviceId, TableId] = field(default_factory=dict)
    #: The table that a visitor may deal at a dealer's console of a demonstration, without a password.
    visits: dict[DeviceId, TableId] = field(default_factory=dict)
    #: The people as whom a visitor may sign in at a console of a demonstration, without a password.
    entered_as: dict[DeviceId, tuple[PersonId, ...]] = field(default_factory=dict)


_LOG = structlog.get_logger()


@contextmanager
def refusing(connection: Connection, q: int = 0) -> Iterator[None]:
    """Send a refusal if one is raised: of a query, by its number."""
    try:
        yield
    except Refused as refused:
        send_refusal(connection, refused.refusal, q)


def send_refusal(connection: Connection, refusal: Refusal, q: int = 0) -> None:
    connection.send(outbound.Refused(refusal=outbound.refusal_body(refusal), q=q))


class BackgroundTasks:
    """Background tasks of connections, one for each; one that fails closes its connection and no other.

    A task continues when its connection is closed: a failed sign-in is recorded, whether the client waits or not.
    """

    def __init__(self) -> None:
        self._under_way: dict[Connection, asyncio.Task[None]] = {}

    def begin(self, connection: Connection, work: Coroutine[object, object, None], q: int = 0) -> bool:
        """Begin a task, unless this connection has one, or too many others have; return whether it has begun."""
        before = self._under_way.get(connection)
        # A client that has its response may send the next request before the loop has noted that the task is done.
        if (before is not None and not before.done()) or len(self._under_way) >= BACKGROUND_TASKS_MAX:
            work.close()
            busy = refuse(Code.BUSY, None, "Too much is waiting: nothing was done, try again in a moment.")
            send_refusal(connection, busy, q)
            return False
        task = asyncio.get_running_loop().create_task(work)
        self._under_way[connection] = task
        task.add_done_callback(lambda task: self._done(connection, task))
        return True

    def _done(self, connection: Connection, task: "asyncio.Task[None]") -> None:
        if self._under_way.get(connection) is task:
            del self._under_way[connection]
        error = None if task.cancelled() else task.exception()
        if error is not None:
            _LOG.error("chore_failed", device=connection.device, error=type(error).__name__, words=str(error))
            connection.close(refuse(Code.COMMAND_FAILED, None, "The house could not work this out: nothing was done."))

    async def stop(self) -> None:
        """Cancel the tasks in progress."""
        tasks = tuple(self._under_way.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
