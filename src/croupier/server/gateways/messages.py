"""The messages of a gateway and of the house, and the batches in which they are published."""

from typing import Annotated, Final

import msgspec

from croupier.house.ids import SECOND, Instant
from croupier.journal.entry import REQUEST_DIGEST_BYTES, IdempotencyKey
from croupier.protocol.inbound import Incoming, PartialMessage, TerminalCommand
from croupier.rules.refusal import Code
from croupier.server.assets import Compressed
from croupier.server.connection import BetsRow

#: The version of these messages. Both sides also name their build: the messages are those of one build.
VERSION: Final = 4
#: How many commands one message has at most: a batch with the largest ones is smaller than what a broker accepts.
COMMANDS_MAX: Final = 500
#: How many messages one batch of a gateway has at most: the house decodes it at once, and takes it in slices of time.
MESSAGES_MAX: Final = 5_000
#: How often either side gives a sign of life.
BEAT_EVERY: Final = 2 * SECOND
#: A session that was silent for so many beats is over: after 8 to 10 seconds.
MISSED_BEATS_MAX: Final = 5
#: The topic of the pages, to which every gateway subscribes.
PAGES: Final = "pages"


class UpMessage(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True, gc=False):
    """A message of a gateway. A connection is named by a number that the gateway does not use again."""


class Hello(UpMessage, frozen=True, tag="hello"):
    """The first message of a session."""

    version: int
    build: str


class Opened(UpMessage, frozen=True, tag="open"):
    """A client has connected, from an address; or it is connected since before this session."""

    connection: int
    peer: Annotated[str, msgspec.Meta(max_length=100)]
    #: Whether its request had no Origin header.
    native: bool
    #: Whether it has had deltas in an earlier session.
    held: bool


class RelayedCommand(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True, gc=False):
    """A command of a player, which a terminal has sent within its rate."""

    connection: int
    key: IdempotencyKey
    #: The digest of the request, which the gateway has computed.
    digest: Annotated[bytes, msgspec.Meta(min_length=REQUEST_DIGEST_BYTES, max_length=REQUEST_DIGEST_BYTES)]
    #: Every number in it is bounded by its type.
    command: TerminalCommand


class Played(UpMessage, frozen=True, tag="play"):
    """Terminals have sent commands of their players, in this order. Nearly every batch is one such message."""

    commands: Annotated[list[RelayedCommand], msgspec.Meta(max_length=COMMANDS_MAX)]


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


class Listening(UpMessage, frozen=True, tag="topic"):
    """The gateway receives from now on what is published for a topic: it may have missed the last frame."""

    topic: int


class Beat(UpMessage, frozen=True, tag="beat"):
    """A sign of life. Its number comes back."""

    number: int


class Goodbye(UpMessage, frozen=True, tag="bye"):
    """The gateway stops."""


Up = (
    Hello
    | Opened
    | Played
    | Received
    | ReceivedInvalid
    | ReceivedTooFast
    | Paused
    | Resumed
    | Ended
    | Listening
    | Beat
    | Goodbye
)


class UpBatch(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True, gc=False):
    """What a gateway publishes: messages of one iteration of its event loop."""

    #: The gateway chooses it at random. A session begins with its first batch, and ends with the first that is lost.
    session: int
    #: Of its batches in this session, from 1.
    number: int
    messages: Annotated[list[Up], msgspec.Meta(max_length=MESSAGES_MAX)]


class DownMessage(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True, gc=False):
    """A message of the house."""


class Welcome(DownMessage, frozen=True, tag="welcome"):
    """The gateway is admitted: what it is to enforce, and the house's time."""

    now_us: Instant
    commands_per_s: int
    commands_burst: int
    connections_max: int
    #: The origins of pages that may open a WebSocket, besides the gateway's own.
    origins: tuple[str, ...]
    venue: str
    demo: bool


class SessionRefused(DownMessage, frozen=True, tag="refused"):
    """The gateway is not admitted."""

    words: str


class SessionEnded(DownMessage, frozen=True, tag="over"):
    """The session is over: a batch of it was lost, or the house has not heard of it for too long."""


class Send(DownMessage, frozen=True, tag="send"):
    """Send one frame to some connections."""

    connections: list[int]
    frame: bytes


class SendSnapshot(DownMessage, frozen=True, tag="snap"):
    """Send a connection all that it may see, with what was published for topics before."""

    connection: int
    frame: bytes


class SendLast(DownMessage, frozen=True, tag="last"):
    """Send the last frame of a topic to the connections that may have missed it; with its order."""

    topic: int
    order: int
    frame: bytes


class SendBets(DownMessage, frozen=True, tag="bets"):
    """Send terminals the outcome of their players' commands, each its own row."""

    connections: list[int]
    rows: list[BetsRow]


class Close(DownMessage, frozen=True, tag="close"):
    """Close a connection with a code, after the frames before this message; abort it when there is no code."""

    connection: int
    code: int


class Join(DownMessage, frozen=True, tag="join"):
    """Send a connection every frame that is published for a topic from now on."""

    topic: int
    connection: int


class Leave(DownMessage, frozen=True, tag="leave"):
    """Send a connection no more frames of any topic."""

    connection: int


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


Down = (
    Welcome
    | SessionRefused
    | SessionEnded
    | Send
    | SendSnapshot
    | SendLast
    | SendBets
    | Close
    | Join
    | Leave
    | PagePublished
    | BeatReturned
)


class DownBatch(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True, gc=False):
    """What the house publishes for one gateway: messages of one iteration of its event loop."""

    #: The run of the house: it rises with every start. What comes of an earlier run is ignored.
    epoch: int
    #: Of all that this run has published: the order in which a gateway handles what it receives.
    order: int
    session: int
    #: Of the batches in this session, from 1.
    number: int
    messages: list[Down]


class Cast(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True, gc=False):
    """What the house publishes for a topic, once for all gateways: a frame, or a page."""

    epoch: int
    order: int
    topic: int
    frame: bytes | PagePublished


class Beacon(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True, gc=False):
    """By which the house says that it is there, to gateways that have no session with it; or that it stops."""

    epoch: int
    is_open: bool


ENCODE: Final = msgspec.msgpack.Encoder().encode
DECODE_UP: Final = msgspec.msgpack.Decoder(UpBatch).decode
DECODE_DOWN: Final = msgspec.msgpack.Decoder(DownBatch).decode
DECODE_CAST: Final = msgspec.msgpack.Decoder(Cast).decode
DECODE_BEACON: Final = msgspec.msgpack.Decoder(Beacon).decode
