"""The listener: accepts a few connections at a time and no more than may be open, and waits while files run out."""

import errno
import os
import resource
import select
import socket
from asyncio import AbstractEventLoop
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, NoReturn

import structlog

#: How many connections are accepted in one iteration of the event loop. The others wait in the kernel, so that a whole
#: floor that comes back at once does not hold up those that are there.
ACCEPTS_AT_ONCE: Final = 16
#: How long nothing is accepted where no more connections may be open, or the system has no file for one, in seconds.
ACCEPT_PAUSE_S: Final = 0.1
#: Files that are kept free of connections: for the journal, its anchor, snapshots, backups, logs and the libraries.
RESERVED_FILES: Final = 128
#: The connections for which there is room however few files the system allows.
CONNECTIONS_MIN: Final = 8
#: Connections beyond the WebSockets that may be open: for pages, and for those that are told that the house is full.
PAGES: Final = 256
#: The errors of `accept` that pass when something else is closed.
_NO_RESOURCES: Final = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})
_LOG = structlog.get_logger()


def connections_most(websockets_most: int) -> int:
    """Tell how many connections may be open at once, by the configuration and by the files that the system allows."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return max(CONNECTIONS_MIN, min(websockets_most + PAGES, soft - RESERVED_FILES))


class Connection(socket.socket):
    """An accepted connection that tells when it is closed."""

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
    """How many connections may be open, and are, over all addresses that are listened on."""

    loop: AbstractEventLoop
    most: int
    #: From `accept`, before any handshake, to the close of the socket.
    open: int = 0
    listeners: "list[Listener]" = field(default_factory=list)

    def release(self) -> None:
        """Count a connection out, and accept another one where some had to wait for that."""
        self.open -= 1
        for listener in self.listeners:
            listener.resume()


class Listener(socket.socket):
    """A listening socket. Its server calls `accept` while `fileno` is readable, each time until that would block.

    `fileno` is an epoll instance with the socket in it: taken out, the socket does not wake the event loop, and
    connections wait in its backlog. A socket that is readable and not accepted from would have the loop spin.
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
        """Accept a connection, or say that it would block: until the next iteration, or until there is room."""
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
        connection = Connection(accepted, self._capacity.release)
        self._capacity.open += 1
        return connection, address

    def _block(self) -> NoReturn:
        self._accepted = 0
        raise BlockingIOError

    def _pause(self, event: str, **facts: object) -> NoReturn:
        """Accept nothing until a connection is closed, or for a moment."""
        if not self._waits:
            self._waits = True
            self._epoll.modify(super().fileno(), 0)
            self._capacity.loop.call_later(ACCEPT_PAUSE_S, self.resume)
            _LOG.warning(event, **facts)
        self._block()

    def resume(self) -> None:
        """Accept again, where that was paused."""
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
        # The other family has a socket of its own.
        listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
    listener.bind(address)
