"""The clients of one device: `AsyncClient` on asyncio, and `Client`, which blocks."""

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, Final, Protocol, Self, TypeVar

import uvloop

from croupier.client.connection import ConnectionLostError, ServerAddress, WebSocket
from croupier.client.session import (
    ClientRequest,
    ControlMessage,
    ControlResponse,
    DeviceKey,
    Identity,
    PendingCommand,
    QueryResult,
    Received,
    Response,
    Session,
    View,
)
from croupier.engine.ports import AsyncioClock, LoopClock, Timer
from croupier.house.ids import SECOND, Instant, TerminalId
from croupier.protocol import inbound
from croupier.protocol.outbound import GamesResult, RefusalBody
from croupier.protocol.terminal import FeltSpec, PlayedGame
from croupier.rules.refusal import Code

T = TypeVar("T")
R_co = TypeVar("R_co", covariant=True)

#: How often a heartbeat is sent. The server closes a connection that is silent for 12 seconds.
HEARTBEAT_EVERY: Final = 5 * SECOND
#: How long the server may take to send its first view, in seconds.
WELCOME_S: Final = 10
#: How long to wait before each attempt to reconnect, in seconds.
RETRY_S: Final = (0.1, 0.5, 2.0, 5.0)
#: With these codes the server turns a device away for good: its key is revoked, or another connection has replaced it.
FINAL_CODES: Final = frozenset({Code.UNKNOWN_DEVICE, Code.EVICTED, Code.PROTOCOL_MISMATCH})


class _Pending(Protocol[R_co]):
    @property
    def response(self) -> R_co | None: ...


class AsyncClient:
    """One device. A command without a response is sent again after a reconnect, and executed once.

    A house that is reached at several addresses, as one behind gateways, is given as a sequence of them: a connection
    that is lost or cannot be opened is followed by one to the next address.
    """

    def __init__(
        self,
        server: ServerAddress | Sequence[ServerAddress],
        identity: Identity,
        *,
        retry_s: Sequence[float] = RETRY_S,
        clock: LoopClock | None = None,
        on_message: Callable[[Received], None] | None = None,
    ) -> None:
        self._servers = deque([server] if isinstance(server, ServerAddress) else server)
        self.session = Session(identity)
        self.clock = clock or AsyncioClock(Instant(0))
        self._retry_s, self._on_message = retry_s, on_message
        self._websocket: WebSocket | None = None
        self._changed, self._connecting = asyncio.Event(), asyncio.Lock()
        self._heartbeat: Timer | None = None

    @property
    def server(self) -> ServerAddress:
        """The address of now."""
        return self._servers[0]

    @property
    def view(self) -> View:
        """What the server shows to this device."""
        return self.session.view

    @property
    def identity(self) -> Identity:
        """The device, and once it is enrolled its key and the last id that it used: keep it to connect again."""
        return self.session.identity

    @property
    def terminal(self) -> TerminalId:
        """The name of this terminal, as commands carry it."""
        assert isinstance(self.identity, DeviceKey)
        return TerminalId(self.identity.device)

    @property
    def is_connected(self) -> bool:
        return self._websocket is not None and self._websocket.is_open

    @property
    def is_waiting(self) -> bool:
        """Whether a response of the server is due."""
        return self._connecting.locked() or (self.is_connected and any(self.session.unanswered()))

    # Connections.

    async def __aenter__(self) -> Self:
        await self.connect()
        return self

    async def __aexit__(self, *_: object) -> None:
        self.abort()

    async def connect(self) -> None:
        """Connect, and wait for the first view, or for the welcome if a person must sign in."""
        async with self._connecting:
            if not self.is_connected:
                await self._connect()

    async def _connect(self) -> None:
        """Connect to the first address that answers."""
        for _ in range(len(self._servers) - 1):
            try:
                return await self._open()
            except ConnectionLostError as lost:
                if lost.code in FINAL_CODES:
                    raise
                self._servers.rotate(-1)
        return await self._open()

    async def _open(self) -> None:
        self._websocket = await self.server.connect(self._received, self._closed)
        self.session.connected()
        self._flush()
        try:
            async with asyncio.timeout(WELCOME_S):
                await self._until(lambda: self.session.is_ready or None)
        except TimeoutError as error:
            self.abort()
            raise ConnectionLostError from error
        self._beat()

    async def _reconnect(self) -> None:
        code = self.session.bye.code if self.session.bye is not None else ""
        self._servers.rotate(-1)
        for delay in self._retry_s:
            if code in FINAL_CODES:
                break
            await asyncio.sleep(delay)
            try:
                await self.connect()
            except ConnectionLostError as lost:
                code = lost.code
            else:
                return
        raise ConnectionLostError(code)

    def abort(self) -> None:
        """Drop the connection; `connect` opens another one."""
        if self._websocket is not None:
            self._websocket.abort()

    # Requests.

    async def send(self, request: ClientRequest) -> Response:
        """Send a command, and wait until it is committed or refused."""
        return await self.response(self.submit(request))

    def submit(self, request: ClientRequest) -> PendingCommand:
        """Send a command, and do not wait."""
        pending = self.session.submit(request)
        self._flush()
        return pending

    async def response(self, pending: PendingCommand) -> Response:
        """Wait for the response to a command."""
        return await self._response(pending)

    async def query(self, query: inbound.Query) -> QueryResult | RefusalBody:
        """Send a query, and wait for its result."""
        pending = self.session.query(query)
        self._flush()
        return await self._response(pending)

    async def control(self, message: ControlMessage) -> ControlResponse | RefusalBody:
        """Send a message of a sign-in, or for the last games, and wait for its response. It is not sent again."""
        pending = self.session.send_control(message)
        self._flush()
        return await self._until(lambda: pending.response)

    async def sign_in(self, person: str, password: str) -> ControlResponse | RefusalBody:
        """Sign in at a console, and wait for its first view."""
        result = await self.control(inbound.SignIn(person, password))
        if self.session.signed_in is result:
            await self._until(lambda: self.session.sees or None)
        return result

    async def games(self) -> tuple[PlayedGame, ...]:
        """Fetch the last games of this terminal, the newest first."""
        result = await self.control(inbound.QueryGames())
        assert isinstance(result, GamesResult), result
        return result.games

    def post(self, message: inbound.InboundMessage) -> None:
        """Send a message that has no response, such as `Practice`."""
        self.session.send(message)
        self._flush()

    async def felt(self) -> FeltSpec:
        """Fetch the layout of this terminal: its spots, their names and the calls."""
        assert self.view.fixture is not None
        return await self.server.felt(self.view.fixture.felt)

    async def wait_for(self, condition: Callable[[View], T | None], timeout_s: float | None = None) -> T:
        """Wait until a condition of the view gives something true, and return that; TimeoutError after some seconds."""
        async with asyncio.timeout(timeout_s):
            return await self._retrying(lambda: condition(self.view) or None)

    # Waiting.

    async def _response(self, pending: _Pending[T]) -> T:
        return await self._retrying(lambda: pending.response)

    async def _retrying(self, result: Callable[[], T | None]) -> T:
        while True:
            try:
                return await self._until(result)
            except ConnectionLostError:
                await self._reconnect()

    async def _until(self, result: Callable[[], T | None]) -> T:
        """Wait until there is a result; ConnectionLostError if the connection is lost before that."""
        while (found := result()) is None:
            if not self.is_connected:
                raise ConnectionLostError(self.session.bye.code if self.session.bye is not None else "")
            self._changed.clear()
            await self._changed.wait()
        return found

    # Events of the connection.

    def _flush(self) -> None:
        frames, self.session.outgoing = self.session.outgoing, []
        if self._websocket is not None:
            for frame in frames:
                self._websocket.send(frame)

    def _received(self, frame: bytes) -> None:
        message = self.session.receive(frame)
        self._flush()
        self._changed.set()
        if self._on_message is not None and message is not None:
            self._on_message(message)

    def _closed(self, _code: int) -> None:
        if self._heartbeat is not None:
            self._heartbeat.cancel()
        self._changed.set()

    def _beat(self) -> None:
        self.post(inbound.Ping(0))
        self._heartbeat = self.clock.at(Instant(self.clock.now() + HEARTBEAT_EVERY), self._beat)


class Client:
    """The same for a program without an event loop: each call runs `AsyncClient` on a private loop until it is done.

    Heartbeats are sent during calls only. After more than 12 seconds between two calls the server has closed the
    connection, and the next call opens another one.
    """

    def __init__(
        self,
        server: ServerAddress | Sequence[ServerAddress],
        identity: Identity,
        *,
        retry_s: Sequence[float] = RETRY_S,
        timeout_s: float | None = None,
    ) -> None:
        #: After how many seconds a call raises TimeoutError; `wait_for` has a bound of its own.
        self._timeout_s = timeout_s
        self._runner = asyncio.Runner(loop_factory=uvloop.new_event_loop)
        self._client = AsyncClient(server, identity, retry_s=retry_s)

    @property
    def view(self) -> View:
        return self._client.view

    @property
    def identity(self) -> Identity:
        return self._client.identity

    @property
    def terminal(self) -> TerminalId:
        return self._client.terminal

    def __enter__(self) -> Self:
        self.connect()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def connect(self) -> None:
        self._run(self._client.connect())

    def close(self) -> None:
        """Drop the connection, and end the loop."""
        self._client.abort()
        self._runner.close()

    def send(self, request: ClientRequest) -> Response:
        return self._run(self._client.send(request))

    def submit(self, request: ClientRequest) -> PendingCommand:
        async def submit() -> PendingCommand:
            return self._client.submit(request)

        return self._run(submit())

    def response(self, pending: PendingCommand) -> Response:
        return self._run(self._client.response(pending))

    def query(self, query: inbound.Query) -> QueryResult | RefusalBody:
        return self._run(self._client.query(query))

    def control(self, message: ControlMessage) -> ControlResponse | RefusalBody:
        return self._run(self._client.control(message))

    def sign_in(self, person: str, password: str) -> ControlResponse | RefusalBody:
        return self._run(self._client.sign_in(person, password))

    def post(self, message: inbound.InboundMessage) -> None:
        async def post() -> None:
            self._client.post(message)

        self._run(post())

    def games(self) -> tuple[PlayedGame, ...]:
        return self._run(self._client.games())

    def felt(self) -> FeltSpec:
        return self._run(self._client.felt())

    def wait_for(self, condition: Callable[[View], T | None], timeout_s: float | None = None) -> T:
        return self._runner.run(self._client.wait_for(condition, timeout_s))

    def _run(self, call: Coroutine[Any, Any, T]) -> T:
        return self._runner.run(asyncio.wait_for(call, self._timeout_s))
