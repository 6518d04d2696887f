"""A crowd: many lines to one server, connected, kept alive and listened to from one thread over epoll."""

import os
import select
import socket
import struct
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from time import monotonic, perf_counter
from typing import Final, Protocol

from benchmarks.machine import Address, BenchFault
from croupier.client.blocking import MOST, BlockingConnection, masked, upgrade

#: How many events are taken from the kernel at once.
EVENTS: Final = 4096
#: How many lines are being opened at one time, unless all are to come at once.
AT_ONCE: Final = 64
#: How long a crowd waits for the next thing to happen before it gives up, in seconds.
PATIENCE: Final = 20.0
#: How often idle lines give a sign of life, in seconds.
ALIVE_EVERY: Final = 5.0
#: After a silence of so many seconds nothing is taken to be under way any more.
CALM_S: Final = 0.3
_END: Final = b"\r\n\r\n"
#: Close at once: no state of the connection outlasts it, on either side.
_ABRUPT: Final = struct.pack("ii", 1, 0)


class ClientProtocol(Protocol):
    """How one speaks to a server: where its wire is, what a newcomer says, and when they are in."""

    @property
    def path(self) -> str: ...

    @property
    def field(self) -> str:
        """The field of an answer that carries the command's number."""

    @property
    def alive(self) -> bytes:
        """What a line says so that it is not taken for dead; nothing where nobody asks."""

    def name(self, place: int, /) -> str: ...

    def arrive(self, line: BlockingConnection, /) -> bool:
        """Say the first word; tell whether that was all."""

    def told(self, line: BlockingConnection, payload: bytes, /) -> bool:
        """Hear one message to a newcomer; tell whether they are in now."""


class LoadClient:
    """Lines to one server."""

    def __init__(self, address: Address, client_protocol: ClientProtocol) -> None:
        self.address, self.client_protocol = address, client_protocol
        self.lines: list[BlockingConnection] = []
        self.by_fd: dict[int, BlockingConnection] = {}
        self.epoll = select.epoll()
        #: When all lines last gave a sign of life; and how long a silence is taken for calm.
        self.alive_at, self.calm_s = monotonic(), CALM_S
        self._request = upgrade(address.host, address.port, client_protocol.path)

    def grow(self, count: int) -> None:
        """Add lines until there are so many, and bring them in."""
        places = range(len(self.lines), count)
        newcomers = [
            BlockingConnection(place, self.client_protocol.name(place), self.client_protocol.field) for place in places
        ]
        self.lines += newcomers
        self.bring_in(newcomers)

    def bring_in(self, newcomers: Iterable[BlockingConnection], at_once: int = AT_ONCE) -> None:
        """Connect lines and see each through to where it is in, so many of them at one time."""
        waiting = deque(newcomers)
        coming: set[BlockingConnection] = set()
        while waiting or coming:
            self.keep_alive()
            while waiting and len(coming) < at_once:
                line = waiting.popleft()
                coming.add(line)
                self._connect(line)
            for fd, event in self._happened():
                line = self.by_fd[fd]
                if event & select.EPOLLOUT and not line.upgraded:
                    self._request_upgrade(line)
                elif self._advanced(line) and line in coming:
                    coming.remove(line)

    def _connect(self, line: BlockingConnection) -> None:
        line.socket.connect_ex((self.address.host, self.address.port))
        self.by_fd[line.socket.fileno()] = line
        self.epoll.register(line.socket.fileno(), select.EPOLLOUT)

    def _request_upgrade(self, line: BlockingConnection) -> None:
        error = line.socket.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
        if error:
            raise BenchFault(f"{line.name} cannot connect: {os.strerror(error)}")
        line.send(self._request)
        self.epoll.modify(line.socket.fileno(), select.EPOLLIN)

    def _advanced(self, line: BlockingConnection) -> bool:
        """Take what came to a line; tell whether it is in now."""
        data = line.recv(MOST)
        if line.upgraded:
            return self._told(line, data)
        if not data:
            raise BenchFault(f"the server hung up on {line.name}")
        head, end, rest = (line.rest + data).partition(_END)
        line.rest = b"" if end else head
        if not end:
            return False
        if b" 101 " not in head:
            raise BenchFault(f"{line.name} is not let in: {head.decode(errors='replace').splitlines()[0]}")
        line.upgraded = True
        arrived = self.client_protocol.arrive(line)
        return self._told(line, rest) if rest else arrived

    def _told(self, line: BlockingConnection, data: bytes) -> bool:
        """Hear all of what came; tell whether any of it let the line in."""
        told = [self.client_protocol.told(line, payload) for payload in line.messages(data)]
        return any(told)

    def drop(self, lines: Iterable[BlockingConnection]) -> None:
        """Cut lines off without a word."""
        for line in lines:
            del self.by_fd[line.socket.fileno()]
            line.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _ABRUPT)
            line.close()
            line.hold(socket.socket())

    def keep_alive(self) -> None:
        """Give a sign of life on every line, where one is due."""
        now = monotonic()
        if now < self.alive_at + ALIVE_EVERY:
            return
        self.alive_at = now
        for line in self.lines:
            if line.upgraded and self.client_protocol.alive:
                line.send(self.client_protocol.alive)

    def _happened(self, wait: float = PATIENCE) -> list[tuple[int, int]]:
        happened = self.epoll.poll(wait, EVENTS)
        if not happened and wait == PATIENCE:
            raise BenchFault(f"nothing came from the server for {PATIENCE:.0f} seconds")
        return happened

    def say(self, line: BlockingConnection, payload: bytes) -> None:
        line.send(masked(payload))

    def listen(self, wait: float) -> Iterator[tuple[BlockingConnection, bytes]]:
        """Give every message that comes, until none has come for so long."""
        while happened := self.epoll.poll(wait, EVENTS):
            for fd, _ in happened:
                line = self.by_fd[fd]
                for payload in line.messages(line.recv(MOST)):
                    yield line, payload

    def quieten(self) -> None:
        """Let everything pass that is still under way, and be heard once more before a long silence."""
        self.keep_alive()
        for _ in self.listen(self.calm_s):
            pass

    def until_all(self, wanted: Callable[[bytes], bool], wait: float = PATIENCE) -> float:
        """Listen until every line has been told something; give the moment at which the last was, in seconds."""
        missing = set(self.lines)
        for line, payload in self.listen(wait):
            if wanted(payload):
                missing.discard(line)
                if not missing:
                    return perf_counter()
        raise BenchFault(f"{len(missing)} of {len(self.lines)} lines were not told within {wait:.0f} seconds")

    def close(self) -> None:
        self.drop(list(self.by_fd.values()))
        for line in self.lines:
            line.close()
        self.epoll.close()
