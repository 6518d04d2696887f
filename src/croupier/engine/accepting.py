"""Listening sockets: how many connections are accepted, at once and altogether, and what happens without files."""

import asyncio
import errno
import os
import resource
import select
import socket
from asyncio import AbstractEventLoop
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from ssl import SSLContext
from typing import Any, Final, NoReturn

import structlog

#: The names of the loopback interface.
LOOPBACK: Final = ("localhost", "127.0.0.1", "::1")
#: Every address of this machine.
EVERYWHERE: Final = "0.0.0.0"  # noqa: S104 - to be compared, and bound where an operator says so


def lan_address() -> str:
    """Find the address of this machine on its network; nothing is sent to find it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            # An address that is reserved for documentation.
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return "127.0.0.1"
        return str(probe.getsockname()[0])


def names_of(host: str) -> set[str]:
    """Name the hosts by which pages may be addressed that are served at an address."""
    return {lan_address() if host == EVERYWHERE else host, *LOOPBACK}


#: How many connections are accepted in one iteration of the event loop; the others wait in the kernel. A count, as
#: accepting takes no time: opening the connections does, in the next iteration.
ACCEPTS_PER_ITERATION: Final = 16
#: How long accepting pauses when the limit of connections or of file descriptors is reached, in seconds.
ACCEPT_PAUSE_S: Final = 0.1
#: How many connections may be open to the port of metrics, and to the control socket. Each has its own limit: what
#: connects to one of them keeps none from another.
METRICS_MAX: Final = 16
CONTROL_MAX: Final = 8
#: File descriptors reserved for those, and for the journal, its anchor, snapshots, backups, the credential store, logs
#: and the libraries. No number of clients takes them.
RESERVED_FILES: Final = METRICS_MAX + CONTROL_MAX + 128
#: How many connections may wait to be accepted while the loop is busy: a whole floor reconnects after a restart.
BACKLOG: Final = 4_096
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
    """An accepted socket that reports when it is closed, or given to a loop that closes it."""

    def __init__(self, accepted: socket.socket, on_close: Callable[[], None]) -> None:
        self._on_close: Callable[[], None] | None = on_close
        super().__init__(accepted.family, accepted.type, accepted.proto, fileno=accepted.detach())

    def close(self) -> None:
        super().close()
        self._closed_now()

    def detach(self) -> int:
        """Give up the descriptor, which uvloop does where it has closed it."""
        descriptor = super().detach()
        self._closed_now()
        return descriptor

    def _closed_now(self) -> None:
        on_close, self._on_close = self._on_close, None
        if on_close is not None:
            on_close()


@dataclass(slots=True)
class Capacity:
    """How many connections may be open, and are, over all listening addresses of one purpose."""

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
        if self._accepted == ACCEPTS_PER_ITERATION:
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
            listener = Listener(capacity, family, kind, protocol)
            listeners.append(listener)
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if listener.family == socket.AF_INET6:
                # The other address family has a socket of its own.
                listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            listener.bind(address)
    except BaseException:
        for each in listeners:
            each.close()
        raise
    return listeners


def listen_at(capacity: Capacity, path: Path, mode: int) -> Listener:
    """Bind a socket in the file system, with a mode, in place of one of an earlier run."""
    path.unlink(missing_ok=True)
    listener = Listener(capacity, socket.AF_UNIX, socket.SOCK_STREAM, 0)
    try:
        listener.bind(str(path))
        # No client can connect before there is a listener, which comes after this.
        path.chmod(mode)
    except OSError:
        listener.close()
        raise
    return listener


class ProtocolServer:
    """Serves the connections of a listener, each by a protocol of asyncio, under TLS where there is a context."""

    def __init__(
        self,
        listener: Listener,
        protocol: Callable[[], asyncio.Protocol],
        tls: SSLContext | None = None,
        handshake_s: float | None = None,
    ) -> None:
        self._listener, self._protocol, self._tls, self._handshake_s = listener, protocol, tls, handshake_s
        self._loop, self._opening = asyncio.get_running_loop(), set[asyncio.Task[Any]]()
        listener.settimeout(0)
        listener.listen(BACKLOG)
        self._loop.add_reader(listener.fileno(), self._accept)

    @property
    def port(self) -> int:
        return int(self._listener.getsockname()[1])

    def close(self) -> None:
        """Stop listening; connections that are open stay."""
        if self._listener.fileno() >= 0:
            self._loop.remove_reader(self._listener.fileno())
            self._listener.close()
        for task in self._opening:
            task.cancel()

    def _accept(self) -> None:
        """Accept until that would block, at most so many in one iteration of the event loop."""
        try:
            while True:
                accepted, _ = self._listener.accept()
                opening = self._loop.connect_accepted_socket(
                    self._protocol, accepted, ssl=self._tls, ssl_handshake_timeout=self._handshake_s
                )
                task = self._loop.create_task(opening)
                self._opening.add(task)
                task.add_done_callback(partial(self._opened, accepted))
        except (BlockingIOError, ConnectionAbortedError):
            # A client that has disconnected before it was accepted is no error.
            return

    def _opened(self, accepted: socket.socket, task: asyncio.Task[Any]) -> None:
        self._opening.discard(task)
        error = None if task.cancelled() else task.exception()
        # A client that shows no certificate of ours, or has left, is no error either.
        assert error is None or isinstance(error, OSError)
        if task.cancelled() or error is not None:
            accepted.close()
