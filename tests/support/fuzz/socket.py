"""Fuzzing over real sockets: whole messages, odd frames and odd requests, and what a server may answer to them."""

import asyncio
import socket
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain, repeat
from typing import Final

import msgspec
from benchmarks.frames import server_frames, upgrade_request

from tests.support.connections import LONG_S
from tests.support.fuzz.frames import CLOSE, TEXT, incoming, request, stream, whole, written
from tests.support.fuzz.line import TAGS
from tests.support.fuzz.messages import Fuzzer
from tests.support.fuzz.words import MENUS

#: The request that opens the wire, with its port left open.
_PORT: Final = b"65536"
RIGHT: Final = upgrade_request(f"127.0.0.1:{int(_PORT)}", f"http://127.0.0.1:{int(_PORT)}")
#: What an HTTP answer may be: never that something failed on our side.
_STATUSES: Final = (101, 200, 204, 304, 400, 403, 404, 405, 426, 503)
#: How the server may end a line: never for an error of its own.
_CODES: Final = (1000, 1001, 1002, 1003, 1007, 1008, 1009)
_SCRIPT: Final = b"<script>alert(1)"
_MOST: Final = 2**16
_HEAD_END: Final = b"\r\n\r\n"


class Call(msgspec.Struct):
    """One connection: what is sent over it, bit by bit, and what comes back."""

    #: The request, in which the port is left open.
    opening: bytes
    said: list[bytes]
    #: Whether it is a device's that is known, and says hello first.
    greets: bool = False
    #: After which pieces whoever listens is given time to do so.
    pauses: list[bool] = []
    answer: bytes = b""

    async def make(self, port: int, hello: bytes) -> None:
        """Connect, send everything in pieces, hang up, and read to the end."""
        loop = asyncio.get_running_loop()
        opening = self.opening.replace(_PORT, b"%d" % port)
        pieces = [opening, *([written(hello)] if self.greets else ()), *self.said]
        with socket.socket() as line, suppress(ConnectionError):
            # It may be shut in our face at any time, with something of ours unread.
            line.setblocking(False)  # noqa: FBT003 - its only argument
            async with asyncio.timeout(LONG_S):
                await loop.sock_connect(line, ("127.0.0.1", port))
                for piece, pause in zip(pieces, chain(self.pauses, repeat(True)), strict=False):  # noqa: FBT003 - an object
                    await loop.sock_sendall(line, piece)
                    if pause:
                        await asyncio.sleep(0)
                        self._take(line)
                with suppress(OSError):
                    line.shutdown(socket.SHUT_WR)
                while received := await loop.sock_recv(line, _MOST):
                    self.answer += received

    def _take(self, line: socket.socket) -> None:
        """Take what has come so far: a line that is reset loses what was not read."""
        with suppress(BlockingIOError):
            self.answer += line.recv(_MOST)

    def incoming(self) -> Iterator[bytes]:
        return incoming(b"".join(self.said))

    def oddities(self) -> Iterator[str]:
        """Say what is odd about the answer."""
        head, _, rest = self.answer.partition(_HEAD_END)
        if not head:
            return
        status = int(head.split(b" ", 2)[1])
        if status not in _STATUSES:
            yield f"answered {self.answer[:300]!r} to {self.opening[:300]!r}"
        if status == 101:
            yield from _odd_frames(rest)
        elif _SCRIPT in rest and b"text/plain" not in head:
            yield f"somebody's script is on a page: {self.answer[:300]!r}"


def _odd_frames(answer: bytes) -> Iterator[str]:
    """Read what a server said: whole texts that are messages, and at most one close, for a reason that is not ours."""
    end = 0
    for first, payload, end in server_frames(answer):  # noqa: B007 - the last one's end is looked at afterwards
        opcode = first & 15
        if not first & 128 or first & 112:
            yield f"the server sent a frame that begins with {first:#x}"
        elif opcode == TEXT and msgspec.json.decode(payload)["t"] not in TAGS:
            yield f"no connection is sent {payload!r}"
        elif opcode == CLOSE and int.from_bytes(payload[:2]) not in _CODES:
            yield f"the line was ended with {payload!r}"
    if end != len(answer):
        yield f"the server sent half a frame: {answer[end:][:40]!r}"


def odd_calls(fuzz: Fuzzer, calls: int) -> Iterator[Call]:
    """Make calls of all sorts: with an odd request, of strangers, and of a device that is known."""
    for _ in range(calls):
        chance = fuzz.chance()
        pauses = [fuzz.chance() < 0.5 for _ in range(10)]
        if chance < 0.25:
            yield Call(request(fuzz, RIGHT), [], pauses=pauses)
        else:
            greets = chance > 0.5
            fuzz.menu = MENUS["player on a raw line" if greets else "neighbour"]
            yield Call(RIGHT, stream(fuzz, 8), greets, pauses)


def whole_calls(fuzz: Fuzzer, calls: int, frames: int) -> Iterator[Call]:
    """Make calls with nothing odd about their frames."""
    for _ in range(calls):
        said = [whole(fuzz) for _ in range(frames)]
        yield Call(RIGHT, said, greets=True, pauses=[fuzz.chance() < 0.2 for _ in said])
