"""The load client: many connections to one server from one thread over epoll, with prepared frames."""

import json
import os
import select
import socket
import struct
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from time import monotonic, perf_counter
from typing import Any, Final, NamedTuple, Protocol

from benchmarks.frames import CLOSE, FINAL, PING, PONG, TEXT, client_frame, frame_head, server_frames, upgrade_request
from benchmarks.machine import Address, BenchmarkError

#: How many events are taken from the kernel at once.
EVENTS: Final = 4096
#: How many bytes are read from a socket at once.
READ_BYTES: Final = 1 << 16
#: How many connections are opened at one time, unless all are to be opened at once.
AT_ONCE: Final = 64
#: How long to wait for the next event before giving up, in seconds.
TIMEOUT_S: Final = 20.0
#: How often idle connections send a heartbeat, in seconds.
HEARTBEAT_S: Final = 5.0
#: After a silence of so many seconds nothing is taken to be in flight any more.
SILENCE_S: Final = 0.3
#: Commands are numbered from here, so that every id has as many digits and every frame the same length.
FIRST: Final = 10_000_000
DIGITS: Final = 8
_WHOLE_TEXT: Final = FINAL | TEXT
_MEDIUM: Final = 126
_REFUSED: Final = b'"refused"'
#: The messages with which a server turns a client away.
_REJECTIONS: Final = ("bye", "refused")
_HEAD_END: Final = b"\r\n\r\n"
#: Close at once: no state of the connection outlasts it, on either side.
_ABRUPT: Final = struct.pack("ii", 1, 0)


def frame_template(payload: bytes) -> bytes:
    """Build a frame with the id of the command left open, to be filled in with ``frame % id``."""
    # A byte of the length may happen to be a percent sign.
    return frame_head(_WHOLE_TEXT, len(payload % FIRST)).replace(b"%", b"%%") + payload


def read(payload: bytes) -> dict[str, Any]:
    """Decode a message; BenchmarkError for one with which a server turns a client away."""
    message: dict[str, Any] = json.loads(payload)
    if message.get("t") in _REJECTIONS:
        refusal = message["refusal"]
        raise BenchmarkError(f"the server sent {message['t']}: {refusal['code']}: {refusal['says']}")
    return message


class RefusedCommand(NamedTuple):
    """A command that was refused, and the code."""

    id: int
    code: str


class LoadConnection:
    """One connection, from its socket to the last command that was answered."""

    __slots__ = (
        "answered",
        "command",
        "field",
        "index",
        "name",
        "pattern",
        "recv",
        "refused",
        "refused_ids",
        "rest",
        "send",
        "sent",
        "sent_at",
        "socket",
        "upgraded",
    )

    def __init__(self, index: int, name: str, field: str) -> None:
        self.index, self.name = index, name
        #: The field that carries the highest command answered, and how it begins in a frame.
        self.field, self.pattern = field, f'"{field}":'.encode()
        #: The frame of the next command, with its id left open.
        self.command = b""
        #: The last id sent, when it was sent, and the highest id answered.
        self.sent, self.sent_at, self.answered = FIRST, 0, FIRST
        #: The ids refused since they were last read, and all refusals.
        self.refused_ids: list[int] = []
        self.refused: list[RefusedCommand] = []
        self.attach(socket.socket())

    def attach(self, connection: socket.socket) -> None:
        """Take a new socket, from which nothing has been read."""
        connection.setblocking(False)  # noqa: FBT003 - the socket's own signature
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket, self.recv, self.send = connection, connection.recv, connection.send
        self.rest, self.upgraded = b"", False

    def highest_answered(self, data: bytes) -> int:
        """Parse what was received while commands are in flight: the highest id that is answered, or 0."""
        size = len(data)
        if size > 3 and data[0] == _WHOLE_TEXT and not self.rest:  # noqa: PLR2004 - the head of a frame of medium length
            length = data[1]
            if size == (length + 2 if length < _MEDIUM else (data[2] << 8 | data[3]) + 4):
                at = data.rfind(self.pattern)
                if at >= 0 and _REFUSED not in data:
                    at += len(self.pattern)
                    answered = data[at : at + DIGITS]
                    if answered.isdigit():
                        return int(answered)
        return max(map(self._response, self.messages(data)), default=0)

    def messages(self, data: bytes) -> Iterator[bytes]:
        """Yield the whole texts in what was received, keep the rest for later, and answer pings."""
        if not data:
            raise BenchmarkError(f"the server closed the connection of {self.name}")
        data, at = self.rest + data, 0
        found = list(server_frames(data))
        if found:
            at = found[-1][2]
        self.rest = data[at:]
        for first, payload, _ in found:
            if first == _WHOLE_TEXT:
                yield payload
            elif first == FINAL | PING:
                self.send(client_frame(payload, PONG))
            elif first == FINAL | CLOSE:
                reason = payload[2:].decode(errors="replace")
                raise BenchmarkError(f"the server closed the connection of {self.name}: {reason}")

    def _response(self, payload: bytes) -> int:
        message = read(payload)
        for each in message.get("refused", ()):
            self.refused.append(RefusedCommand(each["id"], each["code"]))
            self.refused_ids.append(each["id"])
        answered = message.get(self.field, 0)
        return int(answered)

    def close(self) -> None:
        self.socket.close()


class ClientProtocol(Protocol):
    """How a client speaks to a server: its path, its first message, and when it is admitted."""

    @property
    def path(self) -> str: ...

    @property
    def field(self) -> str:
        """The field of a response that carries the id of the command."""

    @property
    def heartbeat(self) -> bytes:
        """The frame that keeps an idle connection open; empty where none is needed."""

    def name(self, index: int, /) -> str: ...

    def greet(self, connection: LoadConnection, /) -> bool:
        """Send the first message; return whether that admits the client."""

    def received(self, connection: LoadConnection, payload: bytes, /) -> bool:
        """Read one message to a client that is not admitted yet; return whether it is now."""


def _upgrade(address: Address, path: str) -> bytes:
    authority = f"{address.host}:{address.port}"
    return upgrade_request(authority, f"http://{authority}", path=path)


class LoadClient:
    """Connections to one server, or in turn to several gateways of one house."""

    def __init__(self, address: Address, client_protocol: ClientProtocol, others: Sequence[Address] = ()) -> None:
        self.addresses, self.client_protocol = (address, *others), client_protocol
        self.connections: list[LoadConnection] = []
        self.by_fd: dict[int, LoadConnection] = {}
        self.epoll = select.epoll()
        #: When all connections last sent a heartbeat; and how long a silence ends `drain`.
        self.heartbeat_at, self.silence_s = monotonic(), SILENCE_S
        self._requests = [_upgrade(address, client_protocol.path) for address in self.addresses]

    def grow(self, count: int, at_once: int = AT_ONCE) -> None:
        """Open connections until there are so many."""
        protocol = self.client_protocol
        indexes = range(len(self.connections), count)
        new = [LoadConnection(index, protocol.name(index), protocol.field) for index in indexes]
        self.connections += new
        self.connect(new, at_once)

    def connect(self, connections: Iterable[LoadConnection], at_once: int = AT_ONCE) -> None:
        """Connect, and wait until each is admitted, so many of them at one time."""
        waiting = deque(connections)
        in_progress: set[LoadConnection] = set()
        while waiting or in_progress:
            self.send_heartbeats()
            while waiting and len(in_progress) < at_once:
                connection = waiting.popleft()
                in_progress.add(connection)
                self._connect(connection)
            for fd, event in self._poll():
                connection = self.by_fd[fd]
                if event & select.EPOLLOUT and not connection.upgraded:
                    self._request_upgrade(connection)
                elif self._advance(connection) and connection in in_progress:
                    in_progress.remove(connection)

    def _connect(self, connection: LoadConnection) -> None:
        connection.socket.connect_ex(self.addresses[connection.index % len(self.addresses)])
        self.by_fd[connection.socket.fileno()] = connection
        self.epoll.register(connection.socket.fileno(), select.EPOLLOUT)

    def _request_upgrade(self, connection: LoadConnection) -> None:
        error = connection.socket.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
        if error:
            raise BenchmarkError(f"{connection.name} cannot connect: {os.strerror(error)}")
        connection.send(self._requests[connection.index % len(self._requests)])
        self.epoll.modify(connection.socket.fileno(), select.EPOLLIN)

    def _advance(self, connection: LoadConnection) -> bool:
        """Read from a connection; return whether it is admitted now."""
        data = connection.recv(READ_BYTES)
        if connection.upgraded:
            return self._received(connection, data)
        if not data:
            raise BenchmarkError(f"the server closed the connection of {connection.name}")
        head, end, rest = (connection.rest + data).partition(_HEAD_END)
        connection.rest = b"" if end else head
        if not end:
            return False
        if b" 101 " not in head:
            status = head.decode(errors="replace").splitlines()[0]
            raise BenchmarkError(f"{connection.name} is not admitted: {status}")
        connection.upgraded = True
        admitted = self.client_protocol.greet(connection)
        return self._received(connection, rest) if rest else admitted

    def _received(self, connection: LoadConnection, data: bytes) -> bool:
        """Read every message; return whether any of them admits the client."""
        found = [self.client_protocol.received(connection, payload) for payload in connection.messages(data)]
        return any(found)

    def drop(self, connections: Iterable[LoadConnection]) -> None:
        """Drop connections without a close frame."""
        for connection in connections:
            del self.by_fd[connection.socket.fileno()]
            connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _ABRUPT)
            connection.close()
            connection.attach(socket.socket())

    def send_heartbeats(self) -> None:
        """Send a heartbeat on every connection, if it is due."""
        now = monotonic()
        if now < self.heartbeat_at + HEARTBEAT_S:
            return
        self.heartbeat_at = now
        for connection in self.connections:
            if connection.upgraded and self.client_protocol.heartbeat:
                connection.send(self.client_protocol.heartbeat)

    def _poll(self) -> list[tuple[int, int]]:
        events = self.epoll.poll(TIMEOUT_S, EVENTS)
        if not events:
            raise BenchmarkError(f"the server sent nothing for {TIMEOUT_S:.0f} seconds")
        return events

    def messages(self, silence_s: float) -> Iterator[tuple[LoadConnection, bytes]]:
        """Yield every message that is received, until there is none for so long."""
        while events := self.epoll.poll(silence_s, EVENTS):
            for fd, _ in events:
                connection = self.by_fd[fd]
                for payload in connection.messages(connection.recv(READ_BYTES)):
                    yield connection, payload

    def drain(self) -> None:
        """Read everything that is in flight, after a heartbeat where one is due."""
        self.send_heartbeats()
        for _ in self.messages(self.silence_s):
            pass

    def skim(self, seconds: float) -> None:
        """Discard everything that is received within some time, without parsing it."""
        self.send_heartbeats()
        for fd, _ in self.epoll.poll(seconds, EVENTS):
            self.by_fd[fd].recv(READ_BYTES)

    def wait_for_all(self, condition: Callable[[bytes], bool], silence_s: float = TIMEOUT_S) -> float:
        """Wait until every connection has received a certain message; return when the last one did, in seconds."""
        missing = set(self.connections)
        for connection, payload in self.messages(silence_s):
            if condition(payload):
                missing.discard(connection)
                if not missing:
                    return perf_counter()
        count = f"{len(missing)} of {len(self.connections)} connections"
        raise BenchmarkError(f"{count} did not receive the message within {silence_s:.0f} seconds")

    def close(self) -> None:
        self.drop(list(self.by_fd.values()))
        for connection in self.connections:
            connection.close()
        self.epoll.close()
