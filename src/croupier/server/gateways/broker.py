"""The connection of a house or a gateway to the NATS broker between them."""

import asyncio
import re
from collections import Counter, deque
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from typing import Final, NamedTuple, Protocol

import structlog
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.errors import Error as BrokerError
from nats.errors import SlowConsumerError, StaleConnectionError
from nats.protocol import parser

from croupier.server.gateways.broker_files import PAYLOAD_BYTES_MAX
from croupier.server.gateways.keys import Identity

#: How much may wait to be sent of one subject: what is further behind is dropped, and its user is told.
OUTBOX_SUBJECT_BYTES_MAX: Final = 32 * 1024 * 1024
#: How much may wait altogether. A connection that is further behind is ended, and everything begins anew with the next.
OUTBOX_BYTES_MAX: Final = 4 * OUTBOX_SUBJECT_BYTES_MAX
#: How much of one subscription may wait to be handled.
PENDING_BYTES_MAX: Final = 64 * 1024 * 1024
#: How long the broker may take to admit a connection, and how long to wait before the next attempt.
CONNECT_S: Final = 5
RETRY_S: Final = 0.25
#: How long the end of a connection may take.
CLOSE_S: Final = 1
#: How often the broker must answer a ping: it counts as lost when it has missed two, after 1 to 1.5 seconds.
PING_EVERY_S: Final = 0.5
_NO_RESPONDERS: Final = "503"
_NO_RESPONDERS_HEADER: Final = b"NATS/1.0 503\r\n\r\n"
_TLS: Final = "tls:"
_LOG = structlog.get_logger()
#: Ends a subscription.
Unsubscribe = Callable[[], Coroutine[object, object, None]]


class BrokerUser(Protocol):
    """What uses a connection to the broker."""

    async def on_connected(self, broker: "Broker") -> None:
        """Subscribe, once the broker has admitted the connection."""

    async def on_message(self, subject: str, payload: bytes) -> None:
        """Handle a message. Messages of one subject come in the order in which they were published, one by one."""

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


class _Client(Client):
    """The client of the library, where what any user may publish ends no connection.

    It reads no headers of a message but the broker's own, and no subject for responses: those of others may have any
    bytes, at which the library stops. It says that a connection has ended before it begins to close it, which takes as
    long as the network is silent.
    """

    def __init__(self, over: asyncio.Event) -> None:
        super().__init__()
        self._over = over

    async def _close(self, status: int, do_cbs: bool = True) -> None:  # noqa: FBT001, FBT002 - as the library has it
        if not self.is_connecting:
            self._over.set()
        await super()._close(status, do_cbs)

    async def _process_headers(self, headers: bytes | None) -> dict[str, str] | None:
        return {"Status": _NO_RESPONDERS} if headers == _NO_RESPONDERS_HEADER else None

    def _build_message(
        self, sid: int, subject: bytes, _reply: bytes, data: bytes, headers: dict[str, str] | None
    ) -> Msg:
        return Msg(_client=self, _sid=sid, subject=subject.decode(), data=data, headers=headers)


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
        self._client: Client | None = None
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
        client = _Client(over)
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

    async def _send(self, client: Client, over: asyncio.Event) -> None:
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
        if isinstance(error, SlowConsumerError):
            if self._user is not None:
                self._user.on_overrun(error.subject)
            return
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
        self._outbox.append(Outgoing(subject, payload, reply))
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

        async def receive(message: Msg) -> None:
            if message.headers is not None and message.headers.get("Status") == _NO_RESPONDERS:
                user.on_no_responders(message.subject)
            else:
                await user.on_message(message.subject, message.data)

        subscription = await client.subscribe(subject, cb=receive, pending_bytes_limit=PENDING_BYTES_MAX)

        async def unsubscribe() -> None:
            # Otherwise it has ended with its connection.
            if self._client is client:
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
