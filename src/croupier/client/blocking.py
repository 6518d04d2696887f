"""Blocking client and WebSocket frames."""

import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any, Final, NamedTuple

from benchmarks.machine import Address, BenchFault

from croupier.protocol.inbound import PROTOCOL

TEXT: Final = 0x81  # a whole text frame
CLOSE: Final = 0x88
PING: Final = 0x89
PONG: Final = 0x8A
_MASKED: Final = 0x80
#: A mask of zeros is a mask: the payload under it is the payload.
_MASK: Final = bytes(4)
_SHORT_MAX: Final = 125
_MEDIUM: Final = 126
_MEDIUM_MAX: Final = 0xFFFF
_LONG: Final = 127

#: Commands are numbered from here, so that every number has as many digits and every frame one length.
FIRST: Final = 10_000_000
DIGITS: Final = 8


def masked(payload: bytes, kind: int = TEXT) -> bytes:
    """Write a frame as a client sends it."""
    return _head(kind, len(payload)) + payload


def blank(payload: bytes) -> bytes:
    """Write a frame with the command's number left open, to be filled in with ``frame % number``."""
    # A byte of the length may happen to be a percent sign.
    return _head(TEXT, len(payload % FIRST)).replace(b"%", b"%%") + payload


def unmasked(payload: bytes, kind: int = TEXT) -> bytes:
    """Write a frame as a server sends it."""
    return _head(kind, len(payload), masked=False) + payload


def _head(kind: int, size: int, *, masked: bool = True) -> bytes:
    bit, mask = (_MASKED, _MASK) if masked else (0, b"")
    if size <= _SHORT_MAX:
        return bytes((kind, bit | size)) + mask
    if size <= _MEDIUM_MAX:
        return bytes((kind, bit | _MEDIUM)) + size.to_bytes(2, "big") + mask
    return bytes((kind, bit | _LONG)) + size.to_bytes(8, "big") + mask


def frames(data: bytes) -> Iterator[tuple[int, bytes, int]]:
    """Take a server's bytes apart: each whole frame's kind and payload, and where the next begins."""
    at = 0
    while (bounds := _bounds(data, at)) is not None:
        begin, end = bounds
        yield data[at], data[begin:end], end
        at = end


def _bounds(data: bytes, at: int) -> tuple[int, int] | None:
    """Tell where the payload of the frame lies that begins here, or None where it has not come whole."""
    if len(data) < at + 2:
        return None
    size, begin = data[at + 1], at + 2
    if size >= _MEDIUM:
        width = 2 if size == _MEDIUM else 8
        size, begin = int.from_bytes(data[begin : begin + width], "big"), begin + width
    return (begin, begin + size) if len(data) >= begin + size else None


def upgrade(host: str, port: int, path: str) -> bytes:
    """Write the request that begins a WebSocket, as a page of the house itself sends it."""
    lines = (
        f"GET {path} HTTP/1.1",
        f"Host: {host}:{port}",
        f"Origin: http://{host}:{port}",
        "Upgrade: websocket",
        "Connection: Upgrade",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    )
    return "\r\n".join((*lines, "", "")).encode()


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


class BlockingConnection:
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


CONSOLE: Final = "desk"
PERSON: Final = "dealer"
SECRET: Final = "no more bets"  # noqa: S105 - of a house that is gone when it has been measured
TABLE: Final = "A"
WIRE: Final = "/wire"
#: How long a desk waits for an answer, in seconds.
PATIENCE_S: Final = 30


class DealerClient:
    """A member of staff at a console, and what they have been told."""

    def __init__(self, kind: str = "dealer", console: str = CONSOLE, person: str = PERSON) -> None:
        self._kind, self._console, self._person = kind, console, person
        self._line = BlockingConnection(0, person, "id")
        self._line.socket.settimeout(PATIENCE_S)
        self._numbers, self.epoch, self.round = count(1), 0, 0
        self._waiting: list[bytes] = []

    def sign_in(self, address: Address, key: str) -> None:
        """Come in at the console, and sign."""
        self._line.socket.connect(address)
        self._line.send(upgrade(address.host, address.port, WIRE))
        self._waiting += self._after_head()
        self._say(t="hello", connection=self._kind, protocol=PROTOCOL, device=self._console, key=key)
        self._until("welcome")
        self._say(t="sign_in", person=self._person, secret=SECRET)
        self._learn(self._until("snap"))

    def _after_head(self) -> list[bytes]:
        data = b""
        while b"\r\n\r\n" not in data:
            data += self._line.recv(MOST)
        rest = data.partition(b"\r\n\r\n")[2]
        return list(self._line.messages(rest)) if rest else []

    def _learn(self, snap: dict[str, Any]) -> None:
        self.epoch, self._numbers = snap["epoch"], count(snap["last_cmd"] + 1)
        self.round = next(state["round"] for _, state in snap["tables"] if state["table"] == TABLE)

    def ask(self, kind: str, **fields: object) -> None:
        """Ask for a step of the round, and wait until it is done."""
        self.await_answer(self.post(kind, **fields))

    def post(self, kind: str, **fields: object) -> int:
        """Ask for a step of the round; its answer is waited for by the number that is given back."""
        number = next(self._numbers)
        self._say(t="ask", id=number, epoch=self.epoch, command={"type": kind, "table": TABLE, **fields})
        return number

    def await_answer(self, number: int) -> None:
        answer = self._until("ack")
        if answer["id"] != number or "refusal" in answer:
            raise BenchFault(f"the dealer was refused: {json.dumps(answer)}")

    def open_bets(self) -> int:
        """Begin a round; give its number."""
        self.ask("OpenBets")
        self.round += 1
        return self.round

    def attend(self) -> None:
        """Read all that the console is told, give signs of life, and do nothing else."""
        self._line.socket.settimeout(1)
        while True:
            try:
                for _ in self._line.messages(self._line.recv(MOST)):
                    pass
            except TimeoutError:
                self._say(t="ping", c=0)

    def _say(self, **message: object) -> None:
        self._line.send(masked(json.dumps(message).encode()))

    def _until(self, kind: str) -> dict[str, Any]:
        """Read on until a message of a kind has come."""
        while True:
            while self._waiting:
                message = read(self._waiting.pop(0))
                if message["t"] == kind:
                    return message
            self._waiting += self._line.messages(self._line.recv(MOST))

    def close(self) -> None:
        self._line.close()


@contextmanager
def seated(address: Address, key: str) -> Iterator[DealerClient]:
    """Seat a dealer for a while: nobody waits at a desk while a crowd is loaded."""
    desk = DealerClient()
    try:
        desk.sign_in(address, key)
        yield desk
    except TimeoutError as error:
        raise BenchFault(f"the dealer was not answered within {PATIENCE_S} seconds") from error
    finally:
        desk.close()
