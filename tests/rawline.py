"""A raw line: HTTP and WebSocket frames by hand, for what no honest browser sends."""

import asyncio
import os
import socket
import struct
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from ssl import SSLContext
from typing import Final, cast

import msgspec

from croupier.protocol.inbound import PROTOCOL
from tests.connections import LONG_S, Said

TEXT, BINARY, CLOSE, PING, PONG, CONTINUATION = 1, 2, 8, 9, 10, 0
KEY: Final = "dGhlIHNhbXBsZSBub25jZQ=="
Headers = dict[str, str]


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer of HTTP, or what there was of it."""

    status: int
    headers: Headers
    body: bytes = b""


def upgrade(origin: str | None, *more: str, connection: str = "Upgrade") -> list[str]:
    """The head of a request that opens the wire."""
    lines = ["GET /wire HTTP/1.1", "Host: 127.0.0.1", "Upgrade: websocket", f"Connection: {connection}"]
    lines += [f"Sec-WebSocket-Key: {KEY}", "Sec-WebSocket-Version: 13", *more]
    return lines if origin is None else [*lines, f"Origin: {origin}"]


def frame(payload: bytes, opcode: int = TEXT, *, fin: bool = True, reserved: int = 0, masked: bool = True) -> bytes:
    """One frame, as it should be or not."""
    first, mask = (fin << 7) | (reserved << 4) | opcode, os.urandom(4)
    if len(payload) < 126:
        head = struct.pack("!BB", first, len(payload) | (masked << 7))
    else:
        head = struct.pack("!BBH", first, 126 | (masked << 7), len(payload))
    if not masked:
        return head + payload
    return head + mask + bytes(byte ^ mask[index % 4] for index, byte in enumerate(payload))


def said(kind: str, **more: object) -> bytes:
    """A message in a frame; a hello states the protocol, unless it is given another."""
    if kind == "hello":
        more = {"protocol": PROTOCOL, **more}
    return frame(msgspec.json.encode({"t": kind, **more}))


@asynccontextmanager
async def raw_line(port: int, *, tls: SSLContext | None = None, window: int | None = None) -> AsyncIterator["RawLine"]:
    """Connect; with a window, that is about all that the other side can send unread."""
    plain = socket.socket()
    if window is not None:
        plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, window)
    plain.setblocking(False)  # noqa: FBT003 - its only argument
    await asyncio.get_running_loop().sock_connect(plain, ("127.0.0.1", port))
    named = None if tls is None else "localhost"
    streams = await asyncio.open_connection(sock=plain, limit=window or 2**16, ssl=tls, server_hostname=named)
    try:
        yield RawLine(*streams)
    finally:
        streams[1].transport.abort()


@asynccontextmanager
async def open_line(port: int, *more: str, window: int | None = None) -> AsyncIterator["RawLine"]:
    """Connect and open the wire."""
    async with raw_line(port, window=window) as line:
        reply = await line.request(upgrade(f"http://127.0.0.1:{port}", *more))
        assert reply.status == 101
        yield line


class RawLine:
    """A connection whose every byte is ours."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    async def request(self, lines: Iterable[str]) -> Reply:
        """Send a head, and read what comes."""
        self.writer.write("\r\n".join([*lines, "", ""]).encode("latin-1"))
        return await self.reply()

    async def reply(self) -> Reply:
        head = await asyncio.wait_for(self.reader.readuntil(b"\r\n\r\n"), LONG_S)
        first, *lines = head.decode("latin-1").strip().split("\r\n")
        headers = dict(line.split(": ", 1) for line in lines)
        status = int(first.split(" ")[1])
        return Reply(status, headers, b"" if status == 101 else await self.rest())

    async def rest(self) -> bytes:
        """Read to the end of the line."""
        return await asyncio.wait_for(self.reader.read(-1), LONG_S)

    def send(self, *frames: bytes) -> None:
        self.writer.write(b"".join(frames))

    async def hear(self) -> tuple[int, bytes]:
        """Read one frame: what it is, and what is in it."""
        first, second = await self._read(2)
        size = second & 127
        if size >= 126:
            (size,) = struct.unpack("!H" if size == 126 else "!Q", await self._read(2 if size == 126 else 8))
        return first & 15, await self._read(size)

    async def _read(self, size: int) -> bytes:
        return await asyncio.wait_for(self.reader.readexactly(size), LONG_S)

    async def told(self, kind: str) -> Said:
        """Read on to a message of a kind."""
        while True:
            opcode, payload = await self.hear()
            assert opcode == TEXT, payload
            message: Said = msgspec.json.decode(payload)
            if message["t"] == kind:
                return message

    async def ended(self) -> int:
        """Read on to the close, and give its code; 1006 where the line ends without one."""
        try:
            while True:
                opcode, payload = await self.hear()
                if opcode == CLOSE:
                    return int.from_bytes(payload[:2])
        except (asyncio.IncompleteReadError, ConnectionError):
            return 1006

    def stop_reading(self) -> None:
        """Take nothing more from the line."""
        cast("asyncio.ReadTransport", self.writer.transport).pause_reading()

    def read_on(self) -> None:
        cast("asyncio.ReadTransport", self.writer.transport).resume_reading()

    def drop(self) -> None:
        """Be gone without a word."""
        self.writer.transport.abort()
