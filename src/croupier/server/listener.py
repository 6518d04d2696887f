"""The listener: accepts connections, reads the method of each request, and hands it to picows."""

import asyncio
import errno
import logging
import os
import resource
import select
import socket
from asyncio import AbstractEventLoop
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from ssl import SSLContext
from time import monotonic
from typing import Any, Final, NoReturn, cast

import aiofastnet
import structlog
from picows import WSAutoPingStrategy, WSListener, WSUpgradeRequest, WSUpgradeResponseWithListener
from picows.picows import WSProtocol  # type: ignore[attr-defined] # its stub leaves the protocol out

from croupier.server.connection import FRAME_BYTES_MAX

#: How many connections are read from before the clock is read; and then how long in one iteration of the event loop, in
#: seconds, and how many at most. What other connections have sent waits in the kernel.
READS_AT_ONCE: Final = 32
READ_S: Final = 0.003
READY_MAX: Final = 512
#: How many connections are accepted in one iteration of the event loop. The others wait in the kernel, so that many
#: terminals that reconnect at once do not delay the connected ones.
ACCEPTS_AT_ONCE: Final = 16
#: How long accepting pauses when the limit of connections or of file descriptors is reached, in seconds.
ACCEPT_PAUSE_S: Final = 0.1
#: File descriptors reserved for the journal, its anchor, snapshots, backups, logs and the libraries.
RESERVED_FILES: Final = 128
#: The connections that are allowed however few file descriptors the system permits.
CONNECTIONS_MIN: Final = 8
#: Connections beyond the WebSockets that may be open: for pages, and for responses that the server is full.
PAGES: Final = 256
#: The errors of `accept` that are temporary: they pass when another file is closed.
_NO_RESOURCES: Final = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})
_LOG = structlog.get_logger()


def connections_most(websockets_most: int) -> int:
    """Return how many connections may be open at once, by the configuration and the limit of file descriptors."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return max(CONNECTIONS_MIN, min(websockets_most + PAGES, soft - RESERVED_FILES))


class AcceptedSocket(socket.socket):
    """An accepted socket that reports when it is closed."""

    def __init__(self, accepted: socket.socket, on_close: Callable[[], None]) -> None:
        self._on_close: Callable[[], None] | None = on_close
        super().__init__(accepted.family, accepted.type, accepted.proto, fileno=accepted.detach())

    def close(self) -> None:
        on_close, self._on_close = self._on_close, None
        super().close()
        if on_close is not None:
            on_close()


@dataclass(slots=True)
class Capacity:
    """How many connections may be open, and are, over all listening addresses."""

    loop: AbstractEventLoop
    most: int
    #: From `accept`, before any handshake, to the close of the socket.
    open: int = 0
    listeners: "list[Listener]" = field(default_factory=list)

    def release(self) -> None:
        """Remove a connection from the count, and resume accepting if it was paused."""
        self.open -= 1
        for listener in self.listeners:
            listener.resume()


class Listener(socket.socket):
    """A listening socket. Its server calls `accept` while `fileno` is readable, each time until that would block.

    `fileno` is an epoll instance that contains the socket. While the socket is removed from it, it does not wake the
    event loop, and connections wait in its backlog. A readable socket that is not accepted from would make the loop
    spin.
    """

    def __init__(self, capacity: Capacity, family: int, kind: int, protocol: int) -> None:
        super().__init__(family, kind, protocol)
        self._capacity, self._accepted, self._waits = capacity, 0, False
        self._epoll = select.epoll()
        self._epoll.register(super().fileno(), select.EPOLLIN)
        capacity.listeners.append(self)

    def fileno(self) -> int:
        return -1 if self._epoll.closed else self._epoll.fileno()

    def accept(self) -> tuple[socket.socket, Any]:
        """Accept a connection, or raise that it would block: until the next iteration, or until there is room."""
        if self._capacity.open >= self._capacity.most:
            self._pause("connections_full", connections=self._capacity.open)
        if self._accepted == ACCEPTS_AT_ONCE:
            self._block()
        try:
            accepted, address = super().accept()
        except OSError as error:
            if error.errno in _NO_RESOURCES:
                self._pause("accept_failed", words=os.strerror(error.errno or 0), connections=self._capacity.open)
            self._accepted = 0
            raise
        self._accepted += 1
        connection = AcceptedSocket(accepted, self._capacity.release)
        self._capacity.open += 1
        return connection, address

    def _block(self) -> NoReturn:
        self._accepted = 0
        raise BlockingIOError

    def _pause(self, event: str, **facts: object) -> NoReturn:
        """Pause accepting until a connection is closed, or for a moment."""
        if not self._waits:
            self._waits = True
            self._epoll.modify(super().fileno(), 0)
            self._capacity.loop.call_later(ACCEPT_PAUSE_S, self.resume)
            _LOG.warning(event, **facts)
        self._block()

    def resume(self) -> None:
        """Resume accepting, if it was paused."""
        if self._waits and not self._epoll.closed:
            self._waits = False
            self._epoll.modify(super().fileno(), select.EPOLLIN)

    def close(self) -> None:
        super().close()
        self._epoll.close()


async def listen(capacity: Capacity, host: str, port: int) -> list[Listener]:
    """Bind every address of a host, or none of them."""
    infos = await capacity.loop.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    listeners: list[Listener] = []
    try:
        for family, kind, protocol, _, address in dict.fromkeys(infos):
            listeners.append(Listener(capacity, family, kind, protocol))
            _bind(listeners[-1], address)
    except BaseException:
        for each in listeners:
            each.close()
        raise
    return listeners


def _bind(listener: Listener, address: Any) -> None:  # noqa: ANN401 - by its family
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if listener.family == socket.AF_INET6:
        # The other address family has a socket of its own.
        listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
    listener.bind(address)


class BoundedReads:
    """The event loop as transports use it, with a bound on what is read in one iteration.

    An event loop reads from every connection that has sent anything before it does anything else. Here the
    connections are in an epoll instance, and take turns; the event loop has that instance alone.
    """

    def __init__(self, loop: AbstractEventLoop) -> None:
        self._loop, self._epoll = loop, select.epoll()
        self._readers: dict[int, Callable[[], object]] = {}
        #: Those that were ready and not read from: it is their turn.
        self._left: list[tuple[int, int]] = []

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever else a transport asks of its loop
        return getattr(self._loop, name)

    def add_reader(self, fd: int, callback: Callable[..., object], *args: object) -> None:
        """Call a function whenever there is something to read."""
        if not self._readers:
            self._loop.add_reader(self._epoll.fileno(), self._read_some)
        self._readers[fd] = partial(callback, *args) if args else callback
        # A transport that is closed as soon as it is connected begins to read all the same: its descriptor may be in
        # use again before it is removed.
        with suppress(FileExistsError):
            self._epoll.register(fd, select.EPOLLIN)

    def remove_reader(self, fd: int) -> bool:
        """Call it no more; return whether there was any."""
        known = self._readers.pop(fd, None) is not None
        if known:
            # A closed descriptor is removed by the kernel.
            with suppress(OSError):
                self._epoll.unregister(fd)
        if known and not self._readers:
            self._loop.remove_reader(self._epoll.fileno())
        return known

    def _read_some(self) -> None:
        """Read from some connections, and from the others in the next iterations of the event loop."""
        readers, end = self._readers, 0.0
        ready, self._left = self._left or self._epoll.poll(0, READY_MAX), []
        for first in range(0, len(ready), READS_AT_ONCE):
            if first > 0:
                now = monotonic()
                end = end or now + READ_S
                if now >= end:
                    self._left = ready[first:]
                    return
            for fd, _ in ready[first : first + READS_AT_ONCE]:
                reader = readers.get(fd)
                if reader is not None:
                    try:
                        reader()
                    except Exception as error:  # noqa: BLE001 - as an event loop does
                        self._loop.call_exception_handler({"message": "A reader failed.", "exception": error})


#: The initial read buffer of a connection; it grows up to the largest frame.
_READ_BYTES: Final = 2 * 1024
#: How many connections may wait to be accepted while the loop is busy: a whole floor reconnects after a restart.
_BACKLOG: Final = 4_096


class _QuietLogger(logging.LoggerAdapter[logging.Logger]):
    """A log without connects, disconnects and invalid frames: those would fill a disk."""

    def error(self, msg: object, *args: object, **more: object) -> None:
        """Drop the errors of picows about frames. It logs a fault of the server as an exception."""


PICOWS_LOG: Final = _QuietLogger(logging.getLogger("croupier-picows"))
PICOWS_LOG.setLevel(logging.WARNING)


#: Decides on a request by its head, its method and the address of its client.
Enter = Callable[[WSUpgradeRequest, str, str], WSListener | WSUpgradeResponseWithListener]


class RequestMethod(asyncio.BufferedProtocol):
    """Reads the method of a request, and hands the request to picows as a GET, which is the only one that it reads.

    It is in place until the first space. Then picows takes the connection over, so that no frame passes through here.
    """

    def __init__(self, enter: Enter, request_s: float) -> None:
        self._buffer, self._size, self._method = bytearray(_METHOD_MAX + 1), 0, "GET"
        self._protocol = _picows(lambda request: enter(request, self._method, self._peer()), request_s)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._protocol.connection_made(transport)

    def _peer(self) -> str:
        # A client that has disconnected already has no address.
        return str((self._transport.get_extra_info("peername") or ("",))[0])

    def connection_lost(self, exc: Exception | None) -> None:
        self._protocol.connection_lost(exc)

    def get_buffer(self, sizehint: int) -> memoryview:  # noqa: ARG002 - as asyncio calls it
        return memoryview(self._buffer)[self._size :]

    def buffer_updated(self, nbytes: int) -> None:
        self._size += nbytes
        received = bytes(self._buffer[: self._size])
        method, space, rest = received.partition(b" ")
        if not space and self._size < len(self._buffer):
            return
        if method in _METHODS:
            self._method = method.decode()
            received = b"GET " + rest
        self._transport.set_protocol(self._protocol)
        view = self._protocol.get_buffer(-1)
        view[: len(received)] = received
        self._protocol.buffer_updated(len(received))


#: The methods that a request may name. Those that are not supported get a response of their own.
_METHODS: Final = frozenset((b"HEAD", b"OPTIONS", b"POST", b"PUT", b"PATCH", b"DELETE"))
_METHOD_MAX: Final = max(map(len, _METHODS))


def _picows(enter: Callable[[WSUpgradeRequest], Any], request_s: float) -> Any:  # noqa: ANN401 - it has no type
    """Create the protocol of one connection, as `ws_create_server` does for a server of GETs alone."""
    return WSProtocol(
        None,
        None,
        False,  # noqa: FBT003 - it takes no keywords: this is the server's side
        enter,
        PICOWS_LOG,
        True,  # noqa: FBT003 - disconnect on an exception
        request_s,
        False,  # noqa: FBT003 - a connection pings and answers pings itself, except while it is behind
        10,
        10,
        WSAutoPingStrategy.PING_WHEN_IDLE,
        False,  # noqa: FBT003
        FRAME_BYTES_MAX,
        None,
        _READ_BYTES,
    )


async def serve(
    listener: Listener, reads: BoundedReads, enter: Enter, request_s: float, tls: SSLContext | None
) -> asyncio.Server:
    """Serve the connections of a listener; each request must arrive in `request_s`, and so must a TLS handshake."""
    timeout = None if tls is None else request_s
    # It accepts by the listener's own method.
    return await aiofastnet.create_server(
        cast("AbstractEventLoop", reads),
        lambda: RequestMethod(enter, request_s),
        sock=listener,
        ssl=tls,
        ssl_handshake_timeout=timeout,
        ssl_shutdown_timeout=timeout,
        backlog=_BACKLOG,
    )
