"""Connections to a server: WebSocket frames without I/O, the WebSocket of a client, and a raw one for any bytes."""

import asyncio
import logging
import socket
from collections.abc import Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from ssl import VERIFY_X509_PARTIAL_CHAIN, SSLContext, create_default_context
from typing import TYPE_CHECKING, Final, Self

import msgspec
from picows import WSCloseCode, WSError, WSFrame, WSListener, WSMsgType, WSTransport, ws_connect

from croupier.protocol.inbound import WEBSOCKET_PATH
from croupier.protocol.terminal import FeltSpec

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

# Frames, by RFC 6455.

CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG = 0, 1, 2, 8, 9, 10
FINAL: Final = 0x80
_MASKED: Final = 0x80
#: A mask of zeros is a mask: it leaves the payload as it is.
ZERO_MASK: Final = bytes(4)
_SHORT_MAX: Final = 125
_MEDIUM: Final = 126
_MEDIUM_MAX: Final = 0xFFFF
_LONG: Final = 127
_KEY: Final = "dGhlIHNhbXBsZSBub25jZQ=="


def client_frame(payload: bytes, opcode: int = TEXT) -> bytes:
    """Build a frame as a client sends it."""
    return frame_head(FINAL | opcode, len(payload)) + payload


def server_frame(payload: bytes, opcode: int = TEXT) -> bytes:
    """Build a frame as a server sends it."""
    return frame_head(FINAL | opcode, len(payload), mask=b"") + payload


def frame_head(first: int, size: int, mask: bytes = ZERO_MASK) -> bytes:
    """Build the head of a frame: its first byte, the length of its payload, and its mask, empty at a server."""
    bit = _MASKED if mask else 0
    if size <= _SHORT_MAX:
        return bytes((first, bit | size)) + mask
    if size <= _MEDIUM_MAX:
        return bytes((first, bit | _MEDIUM)) + size.to_bytes(2, "big") + mask
    return bytes((first, bit | _LONG)) + size.to_bytes(8, "big") + mask


def server_frames(data: bytes) -> Iterator[tuple[int, bytes, int]]:
    """Parse the bytes of a server: the first byte and the payload of each whole frame, and where the next begins."""
    at = 0
    while (bounds := _payload_bounds(data, at)) is not None:
        begin, end = bounds
        yield data[at], data[begin:end], end
        at = end


def _payload_bounds(data: bytes, at: int) -> tuple[int, int] | None:
    """Locate the payload of the frame that begins here; None until all of it has arrived."""
    if len(data) < at + 2:
        return None
    size, begin = data[at + 1], at + 2
    if size >= _MEDIUM:
        width = 2 if size == _MEDIUM else 8
        size, begin = int.from_bytes(data[begin : begin + width], "big"), begin + width
    return (begin, begin + size) if len(data) >= begin + size else None


def upgrade_request(authority: str, origin: str | None, *headers: str, path: str = WEBSOCKET_PATH) -> bytes:
    """Build the HTTP request that begins a WebSocket."""
    lines = (
        f"GET {path} HTTP/1.1",
        f"Host: {authority}",
        *([] if origin is None else [f"Origin: {origin}"]),
        "Upgrade: websocket",
        "Connection: Upgrade",
        "Sec-WebSocket-Version: 13",
        f"Sec-WebSocket-Key: {_KEY}",
        *headers,
    )
    return "\r\n".join((*lines, "", "")).encode("latin-1")


# The WebSocket of a client.


class ConnectionLostError(Exception):
    """There is no connection. The code is that of the refusal with which the server closed it, if it sent one."""

    def __init__(self, code: str = "") -> None:
        self.code = code
        super().__init__(f"The connection is lost: {code or 'no reason given'}.")


class WebSocket(WSListener):
    """One WebSocket: hands on every text, and at the end the close code."""

    transport: WSTransport

    def __init__(self, on_text: Callable[[bytes], None], on_close: Callable[[int], None]) -> None:
        self._on_text, self._on_close = on_text, on_close
        self._code = WSCloseCode.ABNORMAL_CLOSURE.value
        self.is_open = True

    def send(self, payload: bytes, kind: WSMsgType = WSMsgType.TEXT) -> None:
        if self.is_open:
            self.transport.send(kind, payload)

    def abort(self) -> None:
        """Drop the connection without a close frame."""
        if self.is_open:
            self.transport.disconnect(graceful=False)

    def on_ws_connected(self, transport: WSTransport) -> None:
        self.transport = transport

    def on_ws_frame(self, transport: WSTransport, frame: WSFrame) -> None:
        if frame.msg_type == WSMsgType.TEXT:
            self._on_text(frame.get_payload_as_bytes())
        elif frame.msg_type == WSMsgType.CLOSE:
            self._code = frame.get_close_code().value
            transport.disconnect()

    def on_ws_disconnected(self, _transport: WSTransport) -> None:
        self.is_open = False
        self._on_close(self._code)


#: How long a felt may take to be fetched, in seconds.
FETCH_S: Final = 10
#: picows logs every connection at the level of this logger.
_LOG: Final = logging.getLogger("croupier-client-picows")
_LOG.setLevel(logging.WARNING)


@dataclass(slots=True)
class ServerAddress:
    """Where a server listens, and how it is trusted."""

    host: str
    port: int
    tls: SSLContext | None = None
    _felts: dict[str, FeltSpec] = field(default_factory=dict)

    @classmethod
    def of(cls, host: str, port: int, certificate: Path | None = None) -> Self:
        """Address a server by the host that it listens on. If it has a certificate, trust that one alone."""
        reached = "127.0.0.1" if host == "0.0.0.0" else host  # noqa: S104 - compared, never bound
        return cls(reached, port, None if certificate is None else _trusting(certificate))

    @property
    def authority(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def origin(self) -> str:
        """The origin of the server's own pages: a demonstration enrols only those who name it."""
        return f"{'http' if self.tls is None else 'https'}://{self.authority}"

    async def connect(
        self, on_text: Callable[[bytes], None], on_close: Callable[[int], None], origin: str | None = None
    ) -> WebSocket:
        """Open a WebSocket; ConnectionLostError if there is none to be had."""
        try:
            _, websocket = await ws_connect(
                lambda: WebSocket(on_text, on_close),
                f"{'ws' if self.tls is None else 'wss'}://{self.authority}{WEBSOCKET_PATH}",
                ssl_context=self.tls,
                extra_headers={"Origin": origin or self.origin},
                logger_name=_LOG,
            )
        except (OSError, WSError) as error:
            raise ConnectionLostError from error
        if not isinstance(websocket, WebSocket):
            # It was closed before it was handed over.
            raise ConnectionLostError
        return websocket

    async def felt(self, name: str) -> FeltSpec:
        """Fetch a felt by its hash, once."""
        if name not in self._felts:
            self._felts[name] = msgspec.json.decode(await self._fetch(f"/felt/{name}.json"), type=FeltSpec)
        return self._felts[name]

    async def _fetch(self, path: str) -> bytes:
        try:
            async with asyncio.timeout(FETCH_S):
                reader, writer = await asyncio.open_connection(self.host, self.port, ssl=self.tls)
                writer.write(f"GET {path} HTTP/1.1\r\nHost: {self.authority}\r\nConnection: close\r\n\r\n".encode())
                response = await reader.read()
                writer.close()
        except OSError as error:
            raise ConnectionLostError from error
        head, _, body = response.partition(b"\r\n\r\n")
        if b" 200 " not in head.partition(b"\r\n")[0]:
            raise ConnectionLostError
        return body


def _trusting(certificate: Path) -> SSLContext:
    """Trust the server's own certificate and no other, whatever name it is issued to."""
    context = create_default_context(cafile=str(certificate))
    context.verify_flags |= VERIFY_X509_PARTIAL_CHAIN
    context.check_hostname = False
    return context


# A connection for bytes of any kind.


@asynccontextmanager
async def raw_connection(
    host: str, port: int, *, tls: SSLContext | None = None, window: int | None = None
) -> "AsyncIterator[RawConnection]":
    """Connect without an upgrade. With a window, the server can send about as many bytes that are not read."""
    plain = socket.socket()
    if window is not None:
        plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, window)
    plain.setblocking(False)  # noqa: FBT003 - its only argument
    await asyncio.get_running_loop().sock_connect(plain, (host, port))
    name = None if tls is None else "localhost"
    streams = await asyncio.open_connection(sock=plain, limit=window or 2**16, ssl=tls, server_hostname=name)
    try:
        yield RawConnection(*streams)
    finally:
        streams[1].transport.abort()


class RawConnection:
    """A connection that sends what it is given, well-formed or not, and parses the server's frames."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    def send(self, *data: bytes) -> None:
        self.writer.write(b"".join(data))

    async def receive(self) -> tuple[int, bytes]:
        """Read one frame: its opcode and its payload."""
        data = await self.reader.readexactly(2)
        size = data[1] & 127
        if size >= _MEDIUM:
            size = int.from_bytes(await self.reader.readexactly(2 if size == _MEDIUM else 8))
        return data[0] & 15, await self.reader.readexactly(size)
