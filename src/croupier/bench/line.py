"""A line: one socket of the load client, what was asked over it last, and what has come back."""

import json
import socket
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from croupier.bench.fault import BenchFault
from croupier.bench.frames import CLOSE, DIGITS, FIRST, PING, PONG, TEXT, frames, masked

#: As much as is taken from a socket at once.
MOST: Final = 1 << 16
_SHORT: Final = 126
_REFUSED: Final = b'"refused"'
#: What a server says when it will not go on.
_ENDS: Final = ("bye", "refused")


class No(NamedTuple):
    """A command that was refused, and the code."""

    id: int
    code: str


class Line:
    """One connection, from its socket to the last command that was answered."""

    __slots__ = (
        "answered",
        "ask",
        "asked",
        "asked_at",
        "field",
        "key",
        "name",
        "place",
        "recv",
        "refused",
        "rest",
        "send",
        "socket",
        "turned_down",
        "upgraded",
    )

    def __init__(self, place: int, name: str, field: str) -> None:
        self.place, self.name = place, name
        #: The field that carries the highest command answered, and how it stands in a frame.
        self.field, self.key = field, f'"{field}":'.encode()
        #: The next command's frame, with its number left open.
        self.ask = b""
        self.asked, self.asked_at, self.answered = FIRST, 0, FIRST
        #: What was refused since somebody last looked, and in all.
        self.turned_down: list[int] = []
        self.refused: list[No] = []
        self.hold(socket.socket())

    def hold(self, connection: socket.socket) -> None:
        """Take a new socket, with nothing read from it yet."""
        connection.setblocking(False)  # noqa: FBT003 - the socket's own signature
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket, self.recv, self.send = connection, connection.recv, connection.send
        self.rest, self.upgraded = b"", False

    def heard(self, data: bytes) -> int:
        """Read what came while commands are under way: the highest that is answered now, or nothing."""
        size = len(data)
        if size > 3 and data[0] == TEXT and not self.rest:  # noqa: PLR2004 - the head of a frame of middle length
            length = data[1]
            if size == (length + 2 if length < _SHORT else (data[2] << 8 | data[3]) + 4):
                at = data.rfind(self.key)
                if at >= 0 and _REFUSED not in data:
                    at += len(self.key)
                    answered = data[at : at + DIGITS]
                    if answered.isdigit():
                        return int(answered)
        return max(map(self._told, self.messages(data)), default=0)

    def messages(self, data: bytes) -> Iterator[bytes]:
        """Give the whole texts in what came, keep the rest for later, and answer signs of life."""
        if not data:
            raise BenchFault(f"the server hung up on {self.name}")
        data, at = self.rest + data, 0
        found = list(frames(data))
        if found:
            at = found[-1][2]
        self.rest = data[at:]
        for kind, payload, _ in found:
            if kind == TEXT:
                yield payload
            elif kind == PING:
                self.send(masked(payload, PONG))
            elif kind == CLOSE:
                raise BenchFault(f"the server closed the line of {self.name}: {payload[2:].decode(errors='replace')}")

    def _told(self, payload: bytes) -> int:
        message = read(payload)
        refused = message.get("refused", ())
        for each in refused:
            self.refused.append(No(each["id"], each["code"]))
            self.turned_down.append(each["id"])
        answered = message.get(self.field, 0)
        return int(answered)

    def close(self) -> None:
        self.socket.close()


def read(payload: bytes) -> dict[str, Any]:
    """Read a message; one with which a server turns somebody away is a fault here."""
    message: dict[str, Any] = json.loads(payload)
    if message.get("t") in _ENDS:
        refusal = message["refusal"]
        raise BenchFault(f"the server says {message['t']}: {refusal['code']}: {refusal['says']}")
    return message
