"""Requests of a listener: their method is read, and each is handed to picows; what is read at once is bounded."""

import asyncio
import logging
import select
from asyncio import AbstractEventLoop
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from ssl import PROTOCOL_TLS_SERVER, SSLContext, TLSVersion
from time import monotonic_ns
from typing import Any, Final, cast

import aiofastnet
from picows import WSAutoPingStrategy, WSListener, WSUpgradeRequest, WSUpgradeResponseWithListener
from picows.picows import WSProtocol  # type: ignore[attr-defined] # its stub leaves the protocol out

from croupier.engine.accepting import BACKLOG, Capacity, Listener, listen
from croupier.engine.slices import SMALL_STEPS, sliced

#: The largest frame that is taken, in bytes.
FRAME_BYTES_MAX: Final = 4 * 1024
#: How long a request may take to arrive, in seconds, and a handshake of TLS before it.
REQUEST_S: Final = 5

#: How many connections are found ready at a time.
READY_MAX: Final = 512


def _now() -> int:
    """Return the monotonic time in microseconds."""
    return monotonic_ns() // 1_000


class BoundedReads:
    """The event loop as transports use it, with a bound on what is read in one iteration.

    An event loop reads from every connection that has sent anything before it does anything else. Here the
    connections are in an epoll instance, and take turns; the event loop has that instance alone. What is not read in a
    slice waits in the kernel.
    """

    def __init__(self, loop: AbstractEventLoop) -> None:
        self._loop, self._epoll = loop, select.epoll()
        self._readers: dict[int, Callable[[], object]] = {}
        #: Reads from the rest of those that were ready, in slices.
        self._slices: Iterator[None] | None = None

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
        slices, self._slices = self._slices or sliced(self._reads(), _now), None
        for _ in slices:
            self._slices = slices
            return

    def _reads(self) -> Iterator[None]:
        ready, readers = self._epoll.poll(0, READY_MAX), self._readers
        for first in range(0, len(ready), SMALL_STEPS):
            if first:
                yield
            for fd, _ in ready[first : first + SMALL_STEPS]:
                reader = readers.get(fd)
                if reader is not None:
                    try:
                        reader()
                    except Exception as error:  # noqa: BLE001 - as an event loop does
                        self._loop.call_exception_handler({"message": "A reader failed.", "exception": error})


#: The initial read buffer of a connection; it grows up to the largest frame.
_READ_BYTES: Final = 2 * 1024


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


async def serve_at(  # noqa: PLR0913 - what a server is given
    host: str, port: int, most: int, enter: Enter, *, request_s: float = REQUEST_S, tls: SSLContext | None = None
) -> list[asyncio.Server]:
    """Serve requests at every address of a host, with at most so many connections open."""
    loop = asyncio.get_running_loop()
    capacity, reads = Capacity(loop, most), BoundedReads(loop)
    return [await _serve(each, reads, enter, request_s, tls) for each in await listen(capacity, host, port)]


def port_of(servers: list[asyncio.Server]) -> int:
    return int(servers[0].sockets[0].getsockname()[1])


def tls_context(certificate: Path, key: Path) -> SSLContext:
    """Create a TLS context for TLS 1.3 only."""
    context = SSLContext(PROTOCOL_TLS_SERVER)
    context.minimum_version = TLSVersion.TLSv1_3
    context.load_cert_chain(certificate, key)
    return context


class ServerTls:
    """The TLS of a server, whose certificate can be renewed while it listens."""

    def __init__(self, certificate: Path, key: Path) -> None:
        self._certificate, self._key = certificate, key
        self.context = tls_context(certificate, key)
        self._used = certificate.read_bytes()

    def renew(self) -> tuple[str, ...]:
        """Use the certificate as its file is now for new connections; return what was done, if it is another."""
        try:
            content = self._certificate.read_bytes()
            if content == self._used:
                return ()
            # A pair that does not fit is refused here, before it spoils the context in use.
            tls_context(self._certificate, self._key)
            self.context.load_cert_chain(self._certificate, self._key)
        except OSError as error:
            words = error.strerror or str(error)
            return (f"The certificate in {self._certificate} cannot be used, and the one before stays: {words}.",)
        self._used = content
        return (f"The certificate in {self._certificate} was renewed: new connections use it.",)


async def _serve(
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
        backlog=BACKLOG,
    )
