"""The connection of a house or a gateway to the NATS broker between them."""

import asyncio
import re
from collections import Counter, deque
from collections.abc import Callable, Coroutine, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol, cast

import structlog
from nats.aio.client import Client
from nats.errors import Error as BrokerError
from nats.errors import StaleConnectionError
from nats.protocol import command, parser

from croupier.server.gateways.broker_files import PAYLOAD_BYTES_MAX
from croupier.server.gateways.keys import Identity

if TYPE_CHECKING:
    from nats.aio.transport import TcpTransport

#: How much may wait to be sent of one subject: what is further behind is dropped, and its user is told.
OUTBOX_SUBJECT_BYTES_MAX: Final = 32 * 1024 * 1024
#: How much may wait altogether. A connection that is further behind is ended, and everything begins anew with the next.
OUTBOX_BYTES_MAX: Final = 4 * OUTBOX_SUBJECT_BYTES_MAX
#: How much is written at once. What comes after it waits until the broker has read some of it.
WRITE_BYTES_MAX: Final = 256 * 1024
#: How much of one subscription may wait to be handled.
PENDING_BYTES_MAX: Final = 64 * 1024 * 1024
#: How long the broker may take to admit a connection, and how long to wait before the next attempt.
CONNECT_S: Final = 5
RETRY_S: Final = 0.25
#: How long the end of a connection may take.
CLOSE_S: Final = 1
#: How often the broker must answer a ping: it counts as lost when it has missed two, after 1 to 1.5 seconds.
PING_EVERY_S: Final = 0.5
_NO_RESPONDERS_HEADER: Final = b"NATS/1.0 503\r\n\r\n"
_TLS: Final = "tls:"
_LOG = structlog.get_logger()
#: Ends a subscription.
Unsubscribe = Callable[[], Coroutine[object, object, None]]


class BrokerUser(Protocol):
    """What uses a connection to the broker."""

    async def on_connected(self, broker: "Broker") -> None:
        """Subscribe, once the broker has admitted the connection."""

    def on_message(self, subject: str, payload: bytes) -> Iterable[None]:
        """Handle a message, in slices of time for the event loop.

        Messages of one subject come in the order in which they were published, one after the other.
        """

    def on_no_responders(self, subject: str) -> None:
        """Handle that nobody subscribes to what was published with this subject for responses."""

    def on_overrun(self, subject: str) -> None:
        """Handle that messages of a subject were dropped, as too many waited to be handled or to be sent."""

    def on_lost(self) -> None:
        """Handle the end of the connection."""


class Outgoing(NamedTuple):
    """A message that waits to be published."""

    subject: str
    payload: bytes
    reply: str


class _Inbox:
    """The messages of one subscription: each is handled when it comes, or after those before it."""

    def __init__(self, handle: Callable[[bytes], Iterable[None]], fail: Callable[[Exception], None]) -> None:
        self._handle, self._fail = handle, fail
        self._waiting: deque[bytes] = deque()
        self._waiting_bytes = 0
        #: The rest of the first message.
        self._slices: Iterator[None] | None = None

    def add(self, payload: bytes) -> bool:
        """Handle a message; False if it is dropped, as too much waits."""
        if self._waiting and self._waiting_bytes + len(payload) > PENDING_BYTES_MAX:
            return False
        self._waiting.append(payload)
        self._waiting_bytes += len(payload)
        if len(self._waiting) == 1:
            self._handle_first()
        return True

    def _handle_first(self) -> None:
        """Handle the first message for one slice, and what is left in the next iterations of the event loop."""
        if not self._waiting:
            # The subscription has ended.
            return
        slices, self._slices = self._slices, None
        try:
            slices = slices or iter(self._handle(self._waiting[0]))
            for _ in slices:
                self._slices = slices
                break
            else:
                self._waiting_bytes -= len(self._waiting.popleft())
        except Exception as error:  # noqa: BLE001 - the connection ends with it; the library would read no more
            self._fail(error)
            return
        if self._waiting:
            asyncio.get_running_loop().call_soon(self._handle_first)

    def clear(self) -> None:
        """Drop what is left."""
        self._waiting.clear()
        self._slices = None


#: Takes a message: the number of its subscription, its subject, its content, and its headers.
_Receive = Callable[[int, str, bytes, bytes | None], None]


class _Client(Client):
    """The client of the library; but a message is passed on as it is read, and written as it is published.

    The library has a task for each subscription and two for what is published. What any user may publish ends no
    connection here: no headers of a message are read but the broker's own, and no subject for responses, as those of
    others may have any bytes, at which the library stops. It says that a connection has ended before it begins to close
    it, which takes as long as the network is silent.
    """

    def __init__(self, receive: _Receive, over: asyncio.Event) -> None:
        super().__init__()
        self._receive, self._over = receive, over

    async def _close(self, status: int, do_cbs: bool = True) -> None:  # noqa: FBT001, FBT002 - as the library has it
        if not self.is_connecting:
            self._over.set()
        await super()._close(status, do_cbs)

    async def _process_msg(self, sid: int, subject: bytes, _reply: bytes, data: bytes, headers: bytes | None) -> None:
        if sid in self._subs:
            self._receive(sid, subject.decode(), data, headers)

    def write(self, message: "Outgoing") -> bool:
        """Publish a message at once; False if others wait before it, or the broker does not read."""
        writer = cast("TcpTransport", self._transport)._io_writer  # noqa: SLF001 - no other way to learn what waits
        assert writer is not None
        transport = writer.transport
        if self._pending or transport.is_closing() or transport.get_write_buffer_size() > WRITE_BYTES_MAX:
            return False
        transport.write(command.pub_cmd(message.subject, message.reply, message.payload))
        return True


# The broker parts words at spaces and tabs, as it should. The library parts them at line and form feeds too, and took a
# subject for responses with one of them for an error of the broker.
parser.MSG_RE = re.compile(rb"\AMSG[ \t]+([^ \t\r\n]+)[ \t]+([^ \t\r\n]+)[ \t]+(([^ \t\r\n]+)[ \t]+)?(\d+)\r\n")
parser.HMSG_RE = re.compile(
    rb"\AHMSG[ \t]+([^ \t\r\n]+)[ \t]+([^ \t\r\n]+)[ \t]+(([^ \t\r\n]+)[ \t]+)?(\d+)[ \t]+(\d+)\r\n"
)


class Broker:
    """One connection after the other to one of several brokers. What a lost connection had not sent is dropped."""

    def __init__(self, servers: Sequence[str], identity: Identity, *, retry_s: float = RETRY_S) -> None:
        self.servers, self.identity, self.retry_s = tuple(servers), identity, retry_s
        self._client: _Client | None = None
        #: By the numbers of the subscriptions.
        self._inboxes: dict[int, _Inbox] = {}
        self._user: BrokerUser | None = None
        self._outbox: deque[Outgoing] = deque()
        #: How many bytes wait, altogether and of each subject.
        self._waiting_bytes = 0
        self._waiting_of: Counter[str] = Counter()
        self._filled, self._sent = asyncio.Event(), asyncio.Event()
        #: Set when the connection of now is lost, or to be ended; also while it is being made.
        self._over = asyncio.Event()
        self._is_closing = False
        #: Why the library could not connect, and the servers of which that was logged since the last one.
        self._why = ""
        self._unreachable: set[str] = set()
        #: The largest message that is published.
        self.payload_max = PAYLOAD_BYTES_MAX

    @property
    def is_connected(self) -> bool:
        return self._client is not None

    # Connecting.

    async def run(self, user: BrokerUser) -> None:
        """Connect, again and again until it is closed."""
        self._user = user
        at = 0
        while not self._is_closing:
            server = self.servers[at % len(self.servers)]
            at += 1
            try:
                await self._serve(server, user)
            except (OSError, BrokerError, TimeoutError) as error:
                if server not in self._unreachable:
                    self._unreachable.add(server)
                    _LOG.warning("broker_unreachable", server=server, words=self._why or _words(error))
            if not self._is_closing:
                await asyncio.sleep(self.retry_s)

    async def _serve(self, server: str, user: BrokerUser) -> None:
        """Connect to one server, and serve the connection until it is lost."""
        over = asyncio.Event()
        client = _Client(self._receive, over)
        self._over, self._why = over, ""
        sending: asyncio.Future[None] | None = None
        is_made = False
        try:
            is_made = await _before(over, self._connect(client, server))
            if not is_made:
                if self._is_closing:
                    return
                raise BrokerError("it was given up")
            _check(client, server)
            self._client = client
            self._unreachable.clear()
            _LOG.info("broker_connected", server=server)
            sending = asyncio.ensure_future(self._send(client, over))
            await user.on_connected(self)
            await over.wait()
        finally:
            if sending is not None:
                sending.cancel()
            if self._client is client:
                self._client = None
            self._drop_outbox()
            self._drop_inboxes()
            if is_made:
                user.on_lost()
            # Without a timeout it would wait for the broker's last word, also of a broker that is gone.
            with suppress(BrokerError, OSError, TimeoutError):
                await asyncio.wait_for(client.close(), CLOSE_S)

    async def _connect(self, client: Client, server: str) -> None:
        tls = self.identity.tls() if server.startswith(_TLS) else None
        await client.connect(
            [server],
            error_cb=self._on_error,
            name=self.identity.name,
            allow_reconnect=False,
            max_reconnect_attempts=1,
            reconnect_time_wait=0,
            connect_timeout=CONNECT_S,
            # It is only slept, and may be a fraction.
            ping_interval=PING_EVERY_S,  # type: ignore[arg-type]
            tls=tls,
            tls_hostname=None if tls is None else self.identity.broker_name,
            nkeys_seed_str=self.identity.seed,
            skip_subject_validation=True,
        )

    async def _send(self, client: _Client, over: asyncio.Event) -> None:
        """Publish what waits, in its order; the connection is over when it cannot."""
        try:
            while True:
                self._sent.set()
                await self._filled.wait()
                self._filled.clear()
                while self._outbox:
                    message = self._outbox.popleft()
                    self._count(message.subject, -len(message.payload))
                    await client.publish(message.subject, message.payload, message.reply)
        except (BrokerError, OSError) as error:
            _LOG.warning("broker_error", words=_words(error))
        finally:
            over.set()

    async def _on_error(self, error: Exception) -> None:
        if self._client is None:
            self._why = _words(error)
        else:
            _LOG.warning("broker_error", words=_words(error))
        # An error of the broker alone, as a subject that is not permitted, ends nothing.
        if not isinstance(error, BrokerError) or isinstance(error, StaleConnectionError):
            self._over.set()

    async def close(self) -> None:
        """Publish what waits, and end the connection for good."""
        self._is_closing = True
        client = self._client
        if client is not None:
            with suppress(BrokerError, OSError, TimeoutError):
                await asyncio.wait_for(self._sent.wait(), CONNECT_S)
                await client.flush(CONNECT_S)
        self._over.set()

    def drop(self, why: str) -> None:
        """End the connection; another follows."""
        _LOG.warning("broker_dropped", words=why)
        self._over.set()

    # Messages.

    def publish(self, subject: str, payload: bytes, reply: str = "") -> bool:
        """Publish a message after those before it; it is dropped when there is no connection.

        False if it is larger than a broker accepts: then nothing is published.
        """
        if len(payload) > self.payload_max:
            _LOG.error("message_too_large", subject=subject, bytes=len(payload), most=self.payload_max)
            return False
        if self._client is None:
            return True
        message = Outgoing(subject, payload, reply)
        if not self._outbox and self._client.write(message):
            return True
        self._outbox.append(message)
        self._count(subject, len(payload))
        self._sent.clear()
        self._filled.set()
        if self._waiting_bytes > OUTBOX_BYTES_MAX:
            self._drop_outbox()
            self.drop("the broker does not read")
        elif self._waiting_of[subject] > OUTBOX_SUBJECT_BYTES_MAX and self._user is not None:
            self._outbox = deque(each for each in self._outbox if each.subject != subject)
            self._count(subject, -self._waiting_of[subject])
            self._user.on_overrun(subject)
        return True

    def _count(self, subject: str, size: int) -> None:
        """Count bytes that wait to be sent, or no longer."""
        self._waiting_bytes += size
        self._waiting_of[subject] += size
        if not self._waiting_of[subject]:
            del self._waiting_of[subject]

    def _receive(self, number: int, subject: str, payload: bytes, headers: bytes | None) -> None:
        """Pass a message on, unless its subscription has ended with the connection."""
        user, inbox = self._user, self._inboxes.get(number)
        if user is None or inbox is None:
            return
        if headers == _NO_RESPONDERS_HEADER:
            user.on_no_responders(subject)
        elif not inbox.add(payload):
            user.on_overrun(subject)

    def _drop_inboxes(self) -> None:
        for inbox in self._inboxes.values():
            inbox.clear()
        self._inboxes.clear()

    def _drop_outbox(self) -> None:
        self._outbox.clear()
        self._waiting_of.clear()
        self._waiting_bytes = 0

    async def subscribe(self, subject: str) -> Unsubscribe:
        """Receive what is published with a subject, once the broker has noted it; return what ends it.

        A subscription is one of the connection of now: BrokerError if there is none, or if it is lost meanwhile.
        """
        client, user = self._client, self._user
        if client is None or user is None:
            raise BrokerError("there is no connection")

        subscription = await client.subscribe(subject)
        number = subscription._id  # noqa: SLF001 - the library names a subscription by it
        self._inboxes[number] = _Inbox(
            lambda payload: user.on_message(subject, payload), lambda error: self.drop(_words(error))
        )

        async def unsubscribe() -> None:
            # Otherwise it has ended with its connection.
            if self._client is client:
                self._inboxes.pop(number).clear()
                with suppress(BrokerError):
                    await subscription.unsubscribe()

        try:
            await client.flush(CONNECT_S)
        except BrokerError:
            await unsubscribe()
            raise
        if self._client is not client:
            raise BrokerError("the connection is lost")
        return unsubscribe


async def _before(over: asyncio.Event, work: Coroutine[object, object, None]) -> bool:
    """Do work unless an event comes before its end; return whether it is done."""
    working, ending = asyncio.ensure_future(work), asyncio.ensure_future(over.wait())
    try:
        await asyncio.wait((working, ending), return_when=asyncio.FIRST_COMPLETED)
    finally:
        ending.cancel()
        working.cancel()
    with suppress(asyncio.CancelledError):
        await working
    return not over.is_set()


def _check(client: Client, server: str) -> None:
    """Refuse a broker that speaks plain text where TLS is configured, as the library would not, or takes too little."""
    if server.startswith(_TLS) and not client._server_info.get("tls_required"):  # noqa: SLF001 - there is no other way to learn it
        raise BrokerError(f"{server} does not speak TLS")
    if client.max_payload < PAYLOAD_BYTES_MAX:
        raise BrokerError(
            f"{server} accepts messages of {client.max_payload} bytes: its max_payload must be {PAYLOAD_BYTES_MAX}"
        )


def _words(error: Exception) -> str:
    return str(error) or type(error).__name__
