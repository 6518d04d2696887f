"""Raw connections: HTTP requests and WebSocket frames that may break the protocol."""

import asyncio
import os
import socket
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from ssl import SSLContext
from typing import cast

import msgspec
from benchmarks.frames import CLOSE, MEDIUM, TEXT, frame_head, upgrade_request

from croupier.protocol.inbound import PROTOCOL
from tests.support.connections import LONG_S, Said

Headers = dict[str, str]


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer of HTTP, or what there was of it."""

    status: int
    headers: Headers
    body: bytes = b""


def upgrade(origin: str | None, *more: str, connection: str = "Upgrade") -> list[str]:
    """The lines of an upgrade request, for a test to change."""
    lines = upgrade_request("127.0.0.1", origin, *more).decode("latin-1").rstrip().split("\r\n")
    return [f"Connection: {connection}" if line.startswith("Connection:") else line for line in lines]


def frame(payload: bytes, opcode: int = TEXT, *, fin: bool = True, reserved: int = 0, masked: bool = True) -> bytes:
    """One frame, as it should be or not."""
    first, mask = (fin << 7) | (reserved << 4) | opcode, os.urandom(4) if masked else b""
    body = bytes(byte ^ mask[index % 4] for index, byte in enumerate(payload)) if masked else payload
    return frame_head(first, len(payload), mask) + body


def said(kind: str, **more: object) -> bytes:
    """A message in a frame; a hello states the protocol, unless it is given another."""
    if kind == "hello":
        more = {"protocol": PROTOCOL, **more}
    return frame(msgspec.json.encode({"t": kind, **more}))


@asynccontextmanager
async def raw_line(port: int, *, tls: SSLContext | None = None, window: int | None = None) -> AsyncIterator["RawLine"]:
    """Connect without an upgrade; with a window, that is about all that the other side can send unread."""
    plain = socket.socket()
    if window is not None:
        plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, window)
    plain.setblocking(False)  # noqa: FBT003 - its only argument
    await asyncio.get_running_loop().sock_connect(plain, ("127.0.0.1", port))
    name = None if tls is None else "localhost"
    streams = await asyncio.open_connection(sock=plain, limit=window or 2**16, ssl=tls, server_hostname=name)
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
    """A connection that sends what it is given, well-formed or not, and parses the server's frames."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    def send(self, *data: bytes) -> None:
        self.writer.write(b"".join(data))

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

    async def hear(self) -> tuple[int, bytes]:
        """Read one frame, in time: its opcode and its payload."""
        async with asyncio.timeout(LONG_S):
            data = await self.reader.readexactly(2)
            size = data[1] & 127
            if size >= MEDIUM:
                size = int.from_bytes(await self.reader.readexactly(2 if size == MEDIUM else 8))
            return data[0] & 15, await self.reader.readexactly(size)

    async def reported(self, kind: str) -> Said:
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
