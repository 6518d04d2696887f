"""The link protocol: the messages of a gateway and of the house, their frames, flow control and heartbeat."""

import asyncio
from abc import abstractmethod
from pathlib import Path
from typing import Annotated, Final, NamedTuple, cast

import msgspec
import structlog

from croupier.engine.ports import LoopClock, Timer
from croupier.house.ids import SECOND, Instant
from croupier.journal.entry import REQUEST_DIGEST_BYTES, IdempotencyKey
from croupier.protocol.inbound import Incoming, PartialMessage, TerminalCommand
from croupier.rules.refusal import Code
from croupier.server.assets import Compressed
from croupier.server.connection import BetsRow

#: The version of the link protocol. Both sides also name their build: the messages are those of one build.
LINK_VERSION: Final = 3
#: The largest frame of a gateway, and of the house: a file of evidence goes down in one message.
UP_BYTES_MAX: Final = 4 * 1024 * 1024
DOWN_BYTES_MAX: Final = 16 * 1024 * 1024
#: How many commands one message has at most: a frame with the largest ones is smaller than UP_BYTES_MAX.
COMMANDS_MAX: Final = 500
#: How much may wait to be sent on a link. A peer that is further behind is dropped, and begins anew with a new link.
LINK_BUFFER_BYTES_MAX: Final = 32 * 1024 * 1024
#: How often either side gives a sign of life.
BEAT_EVERY: Final = 2 * SECOND
#: A peer that was silent for so many beats is dropped: after 8 to 10 seconds.
MISSED_BEATS_MAX: Final = 5
#: How long a peer may take to introduce itself.
HANDSHAKE_S: Final = 5
_LENGTH_BYTES: Final = 4
_UNIX: Final = "unix:"
_PORT_MAX: Final = 65_535
_LOG = structlog.get_logger()


class LinkAddress(NamedTuple):
    """Where a house listens for gateways: a socket in the file system, or a host and a port."""

    path: Path | None = None
    host: str = ""
    port: int = 0

    @classmethod
    def read(cls, text: str) -> "LinkAddress | None":
        """Read unix:PATH or HOST:PORT; None when it is neither."""
        if text.startswith(_UNIX):
            return cls(Path(text.removeprefix(_UNIX))) if text != _UNIX else None
        host, _, port = text.rpartition(":")
        fits = bool(host) and port.isascii() and port.isdecimal() and int(port) <= _PORT_MAX
        return cls(None, host.strip("[]"), int(port)) if fits else None


class UpMessage(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True, gc=False):
    """A message of a gateway. A connection is named by a number that the gateway does not use again on this link."""


class LinkHello(UpMessage, frozen=True, tag="hello"):
    """The first message of a gateway."""

    version: int
    build: str


class Opened(UpMessage, frozen=True, tag="open"):
    """A client has connected, from an address; or it is connected since before this link."""

    connection: int
    peer: str
    #: Whether its request had no Origin header.
    native: bool
    #: Whether it has had deltas over an earlier link.
    held: bool


class PlayerCommand(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True, gc=False):
    """A command of a player, which a terminal has sent within its rate."""

    connection: int
    key: IdempotencyKey
    #: The digest of the request, which the gateway has computed.
    digest: Annotated[bytes, msgspec.Meta(min_length=REQUEST_DIGEST_BYTES, max_length=REQUEST_DIGEST_BYTES)]
    #: Every number in it is bounded by its type.
    command: TerminalCommand


class Played(UpMessage, frozen=True, tag="play"):
    """Terminals have sent commands of their players, in this order. Nearly every frame is one such message."""

    commands: list[PlayerCommand]


class Received(UpMessage, frozen=True, tag="say"):
    """A client has sent another message, within its rate.

    It is JSON, as the client has sent it: a number in it may be of any size, until the house refuses it.
    """

    connection: int
    json: bytes

    @classmethod
    def of(cls, connection: int, message: Incoming) -> "Received":
        return cls(connection, _ENCODE_JSON(message))

    @property
    def message(self) -> Incoming:
        """The message, validated again; msgspec.DecodeError where it is invalid."""
        message: Incoming = _DECODE_MESSAGE(self.json)
        return message


class ReceivedInvalid(UpMessage, frozen=True, tag="bad"):
    """A client has sent an invalid message: what can be read of it, as JSON, and why it is invalid."""

    connection: int
    json: bytes
    words: str

    @classmethod
    def of(cls, connection: int, sketch: PartialMessage, words: str) -> "ReceivedInvalid":
        return cls(connection, _ENCODE_JSON(sketch), words)

    @property
    def sketch(self) -> PartialMessage:
        return _DECODE_SKETCH(self.json)


class ReceivedTooFast(UpMessage, frozen=True, tag="fast"):
    """A client has sent a message beyond its rate; as JSON, and empty for a ping of its WebSocket."""

    connection: int
    json: bytes

    @classmethod
    def of(cls, connection: int, message: Incoming | None) -> "ReceivedTooFast":
        return cls(connection, b"" if message is None else _ENCODE_JSON(message))

    @property
    def message(self) -> Incoming | None:
        return _DECODE_MESSAGE(self.json) if self.json else None


_ENCODE_JSON: Final = msgspec.json.Encoder().encode
_DECODE_MESSAGE: Final = msgspec.json.Decoder(Incoming).decode
_DECODE_SKETCH: Final = msgspec.json.Decoder(PartialMessage).decode


class Paused(UpMessage, frozen=True, tag="pause"):
    """A client does not read what it is sent."""

    connection: int


class Resumed(UpMessage, frozen=True, tag="resume"):
    """A client reads again; and whether messages were dropped."""

    connection: int
    missed: bool


class Ended(UpMessage, frozen=True, tag="end"):
    """A connection has ended; with the code of the refusal, if the gateway closed it."""

    connection: int
    code: Code | None


class Beat(UpMessage, frozen=True, tag="beat"):
    """A sign of life. Its number comes back."""

    number: int


Up = LinkHello | Opened | Played | Received | ReceivedInvalid | ReceivedTooFast | Paused | Resumed | Ended | Beat


class DownMessage(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True, gc=False):
    """A message of the house."""


class LinkWelcome(DownMessage, frozen=True, tag="welcome"):
    """The gateway is admitted: what it is to enforce, and the house's time."""

    now_us: Instant
    #: The run of the house: it rises with every start.
    epoch: int
    commands_per_s: int
    commands_burst: int
    connections_max: int
    #: The origins of pages that may open a WebSocket, besides the gateway's own.
    origins: tuple[str, ...]
    venue: str
    demo: bool


class LinkRefused(DownMessage, frozen=True, tag="refused"):
    """The gateway is not admitted."""

    words: str


class Send(DownMessage, frozen=True, tag="send"):
    """Send one frame to some connections."""

    connections: list[int]
    frame: bytes


class SendBets(DownMessage, frozen=True, tag="bets"):
    """Send terminals the outcome of their players' commands, each its own row."""

    connections: list[int]
    rows: list[BetsRow]


class Close(DownMessage, frozen=True, tag="close"):
    """Close a connection with a code, after the frames before this message; abort it when there is no code."""

    connection: int
    code: int


class PagePublished(DownMessage, frozen=True, tag="page"):
    """A page as it is now, by its path, and a query where it depends on one."""

    path: str
    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    compressed: Compressed


class BeatReturned(DownMessage, frozen=True, tag="beat"):
    """The answer to a sign of life, with the house's time."""

    number: int
    now_us: Instant


Down = LinkWelcome | LinkRefused | Send | SendBets | Close | PagePublished | BeatReturned

ENCODE: Final = msgspec.msgpack.Encoder().encode
DECODE_UP: Final = msgspec.msgpack.Decoder(list[Up]).decode
DECODE_DOWN: Final = msgspec.msgpack.Decoder(list[Down]).decode


class LinkEnd(asyncio.Protocol):
    """One end of a link: collects messages, and sends those of one iteration of the event loop as one frame.

    A frame is the length of its payload in 4 bytes, and an array of messages.
    """

    def __init__(self, time: LoopClock, sends_max: int, receives_max: int) -> None:
        self.time, self._sends_max, self._receives_max = time, sends_max, receives_max
        self._transport: asyncio.Transport | None = None
        self._queue: list[msgspec.Struct] = []
        #: The beginning of a frame, and how many bytes are needed to go on.
        self._data, self._needed = bytearray(), 0
        self._missed = 0
        self._timer: Timer | None = None
        #: Whether messages can be sent.
        self.is_open = False

    # What each side does.

    @abstractmethod
    def begin(self) -> None:
        """Begin, once the connection is authenticated."""

    @abstractmethod
    def receive(self, payload: memoryview) -> None:
        """Handle the payload of one frame."""

    @abstractmethod
    def beat(self) -> None:
        """Give a sign of life."""

    @abstractmethod
    def ended(self) -> None:
        """Handle the end of the link."""

    # Sending.

    def post(self, message: msgspec.Struct) -> None:
        """Send a message, in one frame with the others of this iteration of the event loop."""
        if not self._queue:
            asyncio.get_running_loop().call_soon(self.flush)
        self._queue.append(message)

    def flush(self) -> None:
        """Send all messages that were posted."""
        queue, self._queue = self._queue, []
        if self.is_open and queue:
            self._write(queue)

    def _write(self, messages: list[msgspec.Struct]) -> None:
        payload = ENCODE(messages)
        if len(payload) > self._sends_max and len(messages) > 1:
            half = len(messages) // 2
            self._write(messages[:half])
            self._write(messages[half:])
            return
        assert self._transport is not None
        self._transport.write(len(payload).to_bytes(_LENGTH_BYTES, "big") + payload)
        if self._transport.get_write_buffer_size() > LINK_BUFFER_BYTES_MAX:
            self.drop("slow")

    def drop(self, why: str) -> None:
        """End the link at once."""
        if self.is_open:
            assert self._transport is not None
            self.is_open = False
            _LOG.warning("link_dropped", why=why)
            self._transport.abort()

    def close(self) -> None:
        """End the link once all that was posted is sent."""
        self.flush()
        if self.is_open:
            assert self._transport is not None
            self.is_open = False
            self._transport.close()

    # Receiving.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # A TLS transport of uvloop is one without deriving from it.
        self._transport, self.is_open = cast("asyncio.Transport", transport), True
        self._schedule_beat()
        self.begin()

    def data_received(self, data: bytes) -> None:
        if self._data:
            self._data += data
            if len(self._data) < self._needed:
                return
            data, self._data = bytes(self._data), bytearray()
        rest = data[self._read_frames(memoryview(data)) :]
        if self.is_open and rest:
            self._data += rest
            self._needed = _LENGTH_BYTES + (int.from_bytes(rest[:_LENGTH_BYTES]) if len(rest) >= _LENGTH_BYTES else 0)
            if self._needed > _LENGTH_BYTES + self._receives_max:
                self.drop("frame too large")

    def _read_frames(self, data: memoryview) -> int:
        """Handle every whole frame; return where the rest begins."""
        at = 0
        while self.is_open and len(data) >= at + _LENGTH_BYTES:
            begin = at + _LENGTH_BYTES
            end = begin + int.from_bytes(data[at:begin])
            if end > len(data):
                break
            self._missed = 0
            try:
                self.receive(data[begin:end])
            except (msgspec.DecodeError, RecursionError) as error:
                # The peer is of another build, or no peer.
                self.drop(f"invalid frame: {error}")
            at = end
        return at

    def connection_lost(self, _error: Exception | None) -> None:
        self.is_open = False
        assert self._timer is not None
        self._timer.cancel()
        self.ended()

    # Heartbeat.

    def _schedule_beat(self) -> None:
        self._timer = self.time.at(Instant(self.time.now() + BEAT_EVERY), self._on_beat)

    def _on_beat(self) -> None:
        self._missed += 1
        if self._missed > MISSED_BEATS_MAX:
            self.drop("silent")
        else:
            self._schedule_beat()
            self.beat()
