"""The listener and every GET."""

import asyncio
import errno
import logging
import os
import re
import resource
import select
import socket
from asyncio import AbstractEventLoop
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from http import HTTPStatus
from pathlib import Path
from ssl import PROTOCOL_TLS_SERVER, SSLContext, TLSVersion
from types import MappingProxyType
from typing import Any, Final, NamedTuple, NoReturn, Protocol
from urllib.parse import parse_qs, unquote

import msgspec
import structlog
from multidict import CIMultiDict
from picows import WSCloseCode, WSUpgradeRequest, WSUpgradeResponse, WSUpgradeResponseWithListener, ws_create_server

from croupier.engine.metrics import EXPOSITION_TYPE, MetricsCollector, exposition
from croupier.house.blockers import Blocker
from croupier.house.ids import DeviceKind, TableId
from croupier.house.settings import EffectiveLimits, Mode
from croupier.house.state import House
from croupier.protocol.inbound import WEBSOCKET_PATH
from croupier.rules.geometry import colour
from croupier.rules.refusal import Clause, Code, refuse
from croupier.rules.rulebook import Rulebook
from croupier.server.connection import FRAME_BYTES_MAX, REQUEST_S, Connection
from croupier.server.pages import (
    Assets,
    PageContext,
    document,
    index_page,
    plain_page,
    rules_data,
    rules_html,
    screen_page,
    tables_of,
)
from croupier.server.router import Router
from croupier.server.views.felt import felts_of
from croupier.server.views.floor import limits_row
from croupier.server.views.table import Spins, tally

#: How many connections are accepted in one iteration of the event loop. The others wait in the kernel, so that many
#: terminals that reconnect at once do not delay the connected ones.
ACCEPTS_AT_ONCE: Final = 16
#: How long accepting pauses when the limit of connections or of file descriptors is reached, in seconds.
ACCEPT_PAUSE_S: Final = 0.1
#: File descriptors reserved for the journal, its anchor, snapshots, backups, logs and the libraries.
RESERVED_FILES: Final = 128
#: The connections that are allowed however few file descriptors the system permits.
CONNECTIONS_MIN: Final = 8
#: Connections beyond the WebSockets that may be open: for pages, and for responses that the server is full.
PAGES: Final = 256
#: The errors of `accept` that are temporary: they pass when another file is closed.
_NO_RESOURCES: Final = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})
_LOG = structlog.get_logger()


def connections_most(websockets_most: int) -> int:
    """Return how many connections may be open at once, by the configuration and the limit of file descriptors."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return max(CONNECTIONS_MIN, min(websockets_most + PAGES, soft - RESERVED_FILES))


class AcceptedSocket(socket.socket):
    """An accepted socket that reports when it is closed."""

    def __init__(self, accepted: socket.socket, on_close: Callable[[], None]) -> None:
        self._on_close: Callable[[], None] | None = on_close
        super().__init__(accepted.family, accepted.type, accepted.proto, fileno=accepted.detach())

    def close(self) -> None:
        on_close, self._on_close = self._on_close, None
        super().close()
        if on_close is not None:
            on_close()


@dataclass(slots=True)
class Capacity:
    """How many connections may be open, and are, over all listening addresses."""

    loop: AbstractEventLoop
    most: int
    #: From `accept`, before any handshake, to the close of the socket.
    open: int = 0
    listeners: "list[Listener]" = field(default_factory=list)

    def release(self) -> None:
        """Remove a connection from the count, and resume accepting if it was paused."""
        self.open -= 1
        for listener in self.listeners:
            listener.resume()


class Listener(socket.socket):
    """A listening socket. Its server calls `accept` while `fileno` is readable, each time until that would block.

    `fileno` is an epoll instance that contains the socket. While the socket is removed from it, it does not wake the
    event loop, and connections wait in its backlog. A readable socket that is not accepted from would make the loop
    spin.
    """

    def __init__(self, capacity: Capacity, family: int, kind: int, protocol: int) -> None:
        super().__init__(family, kind, protocol)
        self._capacity, self._accepted, self._waits = capacity, 0, False
        self._epoll = select.epoll()
        self._epoll.register(super().fileno(), select.EPOLLIN)
        capacity.listeners.append(self)

    def fileno(self) -> int:
        return -1 if self._epoll.closed else self._epoll.fileno()

    def accept(self) -> tuple[socket.socket, Any]:
        """Accept a connection, or raise that it would block: until the next iteration, or until there is room."""
        if self._capacity.open >= self._capacity.most:
            self._pause("connections_full", connections=self._capacity.open)
        if self._accepted == ACCEPTS_AT_ONCE:
            self._block()
        try:
            accepted, address = super().accept()
        except OSError as error:
            if error.errno in _NO_RESOURCES:
                self._pause("accept_failed", words=os.strerror(error.errno or 0), connections=self._capacity.open)
            self._accepted = 0
            raise
        self._accepted += 1
        connection = AcceptedSocket(accepted, self._capacity.release)
        self._capacity.open += 1
        return connection, address

    def _block(self) -> NoReturn:
        self._accepted = 0
        raise BlockingIOError

    def _pause(self, event: str, **facts: object) -> NoReturn:
        """Pause accepting until a connection is closed, or for a moment."""
        if not self._waits:
            self._waits = True
            self._epoll.modify(super().fileno(), 0)
            self._capacity.loop.call_later(ACCEPT_PAUSE_S, self.resume)
            _LOG.warning(event, **facts)
        self._block()

    def resume(self) -> None:
        """Resume accepting, if it was paused."""
        if self._waits and not self._epoll.closed:
            self._waits = False
            self._epoll.modify(super().fileno(), select.EPOLLIN)

    def close(self) -> None:
        super().close()
        self._epoll.close()


async def listen(capacity: Capacity, host: str, port: int) -> list[Listener]:
    """Bind every address of a host, or none of them."""
    infos = await capacity.loop.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    listeners: list[Listener] = []
    try:
        for family, kind, protocol, _, address in dict.fromkeys(infos):
            listeners.append(Listener(capacity, family, kind, protocol))
            _bind(listeners[-1], address)
    except BaseException:
        for each in listeners:
            each.close()
        raise
    return listeners


def _bind(listener: Listener, address: Any) -> None:  # noqa: ANN401 - by its family
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if listener.family == socket.AF_INET6:
        # The other address family has a socket of its own.
        listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
    listener.bind(address)


Headers = tuple[tuple[str, str], ...]

#: The longest request target that is read.
TARGET_MAX: Final = 1_024
#: Scripts, styles and connections come from this server only; `connect-src` covers its WebSocket too.
POLICY: Final = (
    "default-src 'self'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; "
    "form-action 'none'"
)
SAFE: Final[Headers] = (
    ("Content-Security-Policy", POLICY),
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
)
NO_STORE: Final = "no-store"
#: A file with its hash in its address never changes.
FOR_EVER: Final = "public, max-age=31536000, immutable"
HTML: Final = "text/html; charset=utf-8"
JSON: Final = "application/json"
_FELT: Final = re.compile(r"([0-9a-f]{64})\.json")


@dataclass(frozen=True, slots=True)
class HttpResponse:
    """A response as it is sent."""

    status: int
    headers: Headers
    body: bytes


class Health(msgspec.Struct, frozen=True, kw_only=True):
    """Whether the house is running, and its last entry."""

    ok: bool
    mode: str
    epoch: int
    position: int
    connections: int
    #: Why tables cannot play, with the setting or the action that resolves it.
    blocked: tuple[Blocker, ...] = ()


class Published(Protocol):
    """What was last published of every table. State that is not committed yet is never shown."""

    @property
    def spins(self) -> Mapping[TableId, Spins]: ...
    @property
    def played_by(self) -> Mapping[TableId, tuple[Rulebook, EffectiveLimits]]: ...


class _Nothing(NamedTuple):
    spins: Mapping[TableId, Spins] = MappingProxyType({})
    played_by: Mapping[TableId, tuple[Rulebook, EffectiveLimits]] = MappingProxyType({})


NOTHING_PUBLISHED: Final[Published] = _Nothing()


class HttpHandler:
    """Serves every GET. It only reads the state that it is given."""

    def __init__(
        self,
        house: House,
        report: MetricsCollector | None,
        health: Callable[[], Health],
        rulebooks: Iterable[Rulebook] = (),
        published: Published = NOTHING_PUBLISHED,
    ) -> None:
        """Accept also the rulebooks as they were loaded: a journal has no commentary on their clauses.

        Without a collector it serves no metrics.
        """
        self.house, self.health, self.published = house, health, published
        self.assets = Assets()
        self._report = report
        self._clauses = {rulebook.digest: rulebook.clauses for rulebook in rulebooks}
        self._pages: dict[str, Callable[[], HttpResponse | None]] = {
            "": self._index,
            "health": self._health,
            "metrics": self._metrics,
            **{connection.value: partial(self._connection, connection) for connection in DeviceKind},
        }
        self._folders: dict[str, Callable[[str], HttpResponse | None]] = {
            "felt": self._felt,
            "rules": self._rules,
            "history": self._history,
            "statistics": self._statistics,
            "limits": self._limits,
        }

    def respond(self, target: str, has: str = "") -> HttpResponse:
        """Respond to a GET with this target and If-None-Match."""
        parsed = read_target(target)
        if parsed is None:
            return self.plain(400, "Bad request", "The address is not a valid URL path.")
        path, query = parsed
        response = self._route(path, query)
        if response is None:
            return self.plain(404, "Not found", "There is no page at this address.", len(path) - 1)
        tag = dict(response.headers).get("ETag")
        return HttpResponse(304, response.headers, b"") if tag is not None and tag == has else response

    def _route(self, path: tuple[str, ...], query: dict[str, str]) -> HttpResponse | None:
        folder, rest = path[0], "/".join(path[1:])
        if len(path) == 1:
            page = self._pages.get(folder)
            return page() if page else None
        if folder == "static":
            return self._static(rest, query.get("v", ""))
        file = self._folders.get(folder)
        return file(rest) if file else None

    def _index(self) -> HttpResponse:
        return _html(200, index_page(self._frame(), tables_of(self.house)))

    def _connection(self, connection: DeviceKind) -> HttpResponse:
        return _html(200, screen_page(self._frame(), connection, tables_of(self.house)))

    def _metrics(self) -> HttpResponse | None:
        return None if self._report is None else metrics_response(self._report)

    def _static(self, path: str, version: str) -> HttpResponse | None:
        asset = self.assets.find(path)
        if asset is None:
            return None
        cache = FOR_EVER if version == self.assets.version else "no-cache"
        return _response(200, asset.type, asset.body, cache=cache, tag=f'"{self.assets.version}"')

    def _felt(self, name: str) -> HttpResponse | None:
        match = _FELT.fullmatch(name)
        if match is None:
            return None
        wanted = match[1]
        found = (felt for book in self._in_use() for felt in felts_of(book) if felt.hash == wanted)
        felt = next(found, None)
        return None if felt is None else _response(200, JSON, felt.body, cache=FOR_EVER, tag=f'"{wanted}"')

    def _rules(self, name: str) -> HttpResponse | None:
        wanted = name.removesuffix(".json")
        rulebook = next((each for each in self._in_use() if each.id == wanted), None)
        if rulebook is None:
            return None
        clauses = self._clauses.get(rulebook.digest, ())
        if name != wanted:
            return _response(200, JSON, _rules_json(rulebook, clauses))
        return _html(200, document(self._frame(1), rulebook.title, _rules_page(rulebook, clauses)))

    def _history(self, name: str) -> HttpResponse | None:
        wanted = name.removesuffix(".json")
        past = self.published.spins.get(TableId(wanted))
        if past is None or name == wanted:
            return None
        spins = [{"round": number, "pocket": pocket, "colour": colour(pocket)} for number, pocket in past]
        return _response(200, JSON, msgspec.json.encode({"table": wanted, "spins": spins}))

    def _statistics(self, name: str) -> HttpResponse | None:
        wanted = TableId(name.removesuffix(".json"))
        past = self.published.spins.get(wanted)
        if past is None or name == wanted:
            return None
        rulebook, _ = self.published.played_by[wanted]
        return _response(200, JSON, msgspec.json.encode(tally(wanted, rulebook, past)))

    def _limits(self, name: str) -> HttpResponse | None:
        wanted = TableId(name.removesuffix(".json"))
        limits = self.published.played_by.get(wanted)
        if limits is None or name == wanted:
            return None
        return _response(200, JSON, msgspec.json.encode(limits_row(*limits)))

    def _health(self) -> HttpResponse:
        health = self.health()
        return _response(200 if health.ok else 503, JSON, msgspec.json.encode(health))

    def _in_use(self) -> Iterator[Rulebook]:
        """Return the rulebooks of the tables, and then those that were adopted; one may occur twice."""
        yield from (table.rulebook for table in self.house.tables.values())
        yield from self.house.rulebooks.values()

    def _frame(self, depth: int = 0) -> PageContext:
        return PageContext(self.house.venue, self.house.mode is Mode.DEMO, self.assets.version, "../" * depth)

    def plain(self, status: int, heading: str, words: str, depth: int = 0) -> HttpResponse:
        return _html(status, plain_page(self._frame(depth), heading, words))


def metrics_response(report: MetricsCollector) -> HttpResponse:
    """Return the metrics in the text format of Prometheus."""
    return _response(200, EXPOSITION_TYPE, exposition(report))


def read_target(target: str) -> tuple[tuple[str, ...], dict[str, str]] | None:
    """Parse a request target into its path segments and its query; None when it is invalid."""
    if not target.startswith("/") or len(target) > TARGET_MAX:
        return None
    path, _, query = target.partition("?")
    try:
        # Split first and decode afterwards: a slash that is written as %2F is part of a segment.
        parts = tuple(unquote(part, errors="strict") for part in path[1:].split("/"))
        fields = parse_qs(query, keep_blank_values=True, errors="strict", max_num_fields=16)
    except ValueError:
        return None
    if any("\0" in part for part in parts):
        return None
    return parts, {name: values[0] for name, values in fields.items()}


@lru_cache(maxsize=16)
def _rules_json(rulebook: Rulebook, clauses: tuple[Clause, ...]) -> bytes:
    return msgspec.json.encode(rules_data(rulebook, clauses))


@lru_cache(maxsize=16)
def _rules_page(rulebook: Rulebook, clauses: tuple[Clause, ...]) -> str:
    return rules_html(rules_data(rulebook, clauses))


def _html(status: int, page: str) -> HttpResponse:
    return _response(status, HTML, page.encode())


def _response(status: int, type_: str, body: bytes, *, cache: str = NO_STORE, tag: str = "") -> HttpResponse:
    headers = (("Content-Type", type_), ("Cache-Control", cache), *((("ETag", tag),) if tag else ()), *SAFE)
    return HttpResponse(status, headers, body)


#: Sent under TLS only: a browser that has connected once uses TLS for a year, whatever link it follows.
HSTS: Final = ("Strict-Transport-Security", "max-age=31536000")
#: The initial read buffer of a connection; it grows up to the largest frame.
_READ_BYTES: Final = 2 * 1024
#: How many connections may wait to be accepted while the loop is busy: a whole floor reconnects after a restart.
_BACKLOG: Final = 4_096


class _QuietLogger(logging.LoggerAdapter[logging.Logger]):
    """A log without connects, disconnects and invalid frames: those would fill a disk."""

    def error(self, msg: object, *args: object, **more: object) -> None:
        """Drop the errors of picows about frames. It logs a fault of the server as an exception."""


_PICOWS_LOG: Final = _QuietLogger(logging.getLogger("croupier.server"))
_PICOWS_LOG.setLevel(logging.WARNING)


@dataclass(slots=True)
class Server:
    """Listens, serves pages and accepts WebSockets."""

    router: Router
    site: HttpHandler
    connections_max: int
    #: The origins of pages that may open a WebSocket: its own origins are added when the port is known.
    origins: set[str] = field(default_factory=set)
    #: The names by which its own pages are addressed.
    names: frozenset[str] = frozenset()
    #: How long a request may take to arrive.
    request_s: float = REQUEST_S
    _servers: list[asyncio.Server] = field(default_factory=list)
    _secure: bool = False

    async def open(self, host: str, port: int, tls: SSLContext | None = None) -> int:
        """Begin to listen; return the port."""
        self._secure = tls is not None
        capacity = Capacity(asyncio.get_running_loop(), connections_most(self.connections_max))
        for listener in await listen(capacity, host, port):
            self._servers.append(await self._serve(listener, tls))
        port = int(self._servers[0].sockets[0].getsockname()[1])
        self.origins |= origins_of(self.names, port, secure=self._secure)
        return port

    async def _serve(self, listener: Listener, tls: SSLContext | None) -> asyncio.Server:
        timeout = None if tls is None else self.request_s
        return await ws_create_server(
            self._enter,
            sock=listener,
            ssl=tls,
            ssl_handshake_timeout=timeout,
            ssl_shutdown_timeout=timeout,
            backlog=_BACKLOG,
            websocket_handshake_timeout=self.request_s,
            # A connection answers pings itself, except while it is behind.
            enable_auto_pong=False,
            max_frame_size=FRAME_BYTES_MAX,
            read_buffer_init_size=_READ_BYTES,
            logger_name=_PICOWS_LOG,
            # It accepts by the listener's own method.
            use_aiofastnet=True,
        )

    async def close(self) -> None:
        """Stop listening, and close every connection."""
        for server in self._servers:
            server.close()
        for connection in tuple(self.router.connections):
            connection.close(refuse(Code.BUSY, None, "The server is stopping."), WSCloseCode.SERVICE_RESTART)

    def _enter(self, request: WSUpgradeRequest) -> Connection | WSUpgradeResponseWithListener:
        target = request.path.decode("latin-1")
        if target.partition("?")[0] != WEBSOCKET_PATH:
            return self._answered(self.site.respond(target, request.headers.get("If-None-Match", "")))
        if request.headers.get("Upgrade", "").lower() != "websocket":
            return self._answered(self._upgrade_required())
        origins = request.headers.getall("Origin", [])
        if origins and not self._is_ours(origins):
            return self._answered(
                self.site.plain(HTTPStatus.FORBIDDEN, "Forbidden", "A page of this origin may not open a WebSocket.")
            )
        if len(self.router.connections) >= self.connections_max:
            return self._answered(
                self.site.plain(HTTPStatus.SERVICE_UNAVAILABLE, "Server full", "Try again in a moment.")
            )
        _plain_upgrade(request.headers)
        # A browser always sends the Origin of its page. A client without one is not a browser, and no page can misuse
        # it: a device key alone admits it.
        return Connection(self.router, native=not origins)

    def _upgrade_required(self) -> HttpResponse:
        page = self.site.plain(HTTPStatus.UPGRADE_REQUIRED, "A WebSocket", "Open this address as a WebSocket.")
        return replace(page, headers=(("Upgrade", "websocket"), *page.headers))

    def _answered(self, response: HttpResponse) -> WSUpgradeResponseWithListener:
        secured = (*response.headers, HSTS) if self._secure else response.headers
        return answered(replace(response, headers=secured))

    def _is_ours(self, origins: list[str]) -> bool:
        """Return whether a request names one origin, and one that may open a WebSocket."""
        return len(origins) == 1 and origins[0] in self.origins


class MetricsServer:
    """Serves the metrics and the health at a separate address, and nothing else."""

    def __init__(self, site: HttpHandler, report: MetricsCollector) -> None:
        self.site, self._report = site, report
        self._server: asyncio.Server | None = None

    async def open(self, host: str, port: int) -> int:
        """Listen; return the port."""
        self._server = await ws_create_server(
            self._enter, host, port, websocket_handshake_timeout=REQUEST_S, logger_name=_PICOWS_LOG
        )
        return int(self._server.sockets[0].getsockname()[1])

    def close(self) -> None:
        if self._server is not None:
            self._server.close()

    def _enter(self, request: WSUpgradeRequest) -> WSUpgradeResponseWithListener:
        target = request.path.decode("latin-1").partition("?")[0]
        if target == "/metrics":
            return answered(metrics_response(self._report))
        if target == "/health":
            return answered(self.site.respond(target))
        return answered(self.site.plain(HTTPStatus.NOT_FOUND, "Not found", "Ask for /metrics or /health."))


def answered(response: HttpResponse) -> WSUpgradeResponseWithListener:
    """Convert a response for picows."""
    answer = WSUpgradeResponse()
    answer.version, answer.status = b"HTTP/1.1", HTTPStatus(response.status)
    answer.headers, answer.body = CIMultiDict(response.headers), response.body
    return WSUpgradeResponseWithListener(answer, None)


def _plain_upgrade(headers: "CIMultiDict[str]") -> None:
    """Reduce the Connection header to its upgrade token: Firefox sends more in it, and picows accepts nothing else."""
    said = {word.strip().lower() for line in headers.getall("Connection", []) for word in line.split(",")}
    if "upgrade" in said:
        headers["Connection"] = "upgrade"
    if not headers.get("Sec-WebSocket-Version", "").isascii():
        # picows echoes an unknown version in its response, and cannot encode arbitrary text.
        headers["Sec-WebSocket-Version"] = ""


def tls_context(certificate: Path, key: Path) -> SSLContext:
    """Create a TLS context for TLS 1.3 only."""
    context = SSLContext(PROTOCOL_TLS_SERVER)
    context.minimum_version = TLSVersion.TLSv1_3
    context.load_cert_chain(certificate, key)
    return context


def origins_of(hosts: Iterable[str], port: int, *, secure: bool) -> set[str]:
    """Return the origins of this server's own pages, as browsers write them."""
    scheme, usual = ("https", 443) if secure else ("http", 80)
    names = [f"[{host}]" if ":" in host else host for host in hosts]
    with_port = {f"{scheme}://{name}:{port}" for name in names}
    return with_port | ({f"{scheme}://{name}" for name in names} if port == usual else set())
