"""The listener and every GET."""

import asyncio
import logging
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from http import HTTPStatus
from pathlib import Path
from ssl import PROTOCOL_TLS_SERVER, SSLContext, TLSVersion
from types import MappingProxyType
from typing import Final, NamedTuple, Protocol
from urllib.parse import parse_qs, unquote

import msgspec
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
from croupier.server.listener import Capacity, Listener, connections_most, listen
from croupier.server.pages import (
    Assets,
    PageContext,
    document,
    door_page,
    index_page,
    plain_page,
    rules_data,
    rules_html,
    tables_of,
)
from croupier.server.router import Router
from croupier.server.views.felt import felts_of
from croupier.server.views.floor import limits_row
from croupier.server.views.table import Spins, tally

Headers = tuple[tuple[str, str], ...]

#: The longest target that is read at all.
TARGET_MAX: Final = 1_024
#: Scripts, styles and the wire are this house's own; `connect-src` stands for its WebSocket too.
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
#: What has its hash in its address never changes.
FOR_EVER: Final = "public, max-age=31536000, immutable"
HTML: Final = "text/html; charset=utf-8"
JSON: Final = "application/json"
_FELT: Final = re.compile(r"([0-9a-f]{64})\.json")


@dataclass(frozen=True, slots=True)
class HttpResponse:
    """An answer as it goes out."""

    status: int
    headers: Headers
    body: bytes


class Health(msgspec.Struct, frozen=True, kw_only=True):
    """Whether the house is at work, and how far it has come."""

    ok: bool
    mode: str
    epoch: int
    position: int
    connections: int
    #: Why tables cannot play, with the setting or the action that ends it.
    blocked: tuple[Blocker, ...] = ()


class Published(Protocol):
    """What was last published of every table. State that is not committed yet is shown to nobody."""

    @property
    def spins(self) -> Mapping[TableId, Spins]: ...
    @property
    def played_by(self) -> Mapping[TableId, tuple[Rulebook, EffectiveLimits]]: ...


class _Nothing(NamedTuple):
    spins: Mapping[TableId, Spins] = MappingProxyType({})
    played_by: Mapping[TableId, tuple[Rulebook, EffectiveLimits]] = MappingProxyType({})


NOTHING_PUBLISHED: Final[Published] = _Nothing()


class HttpHandler:
    """Everything that is fetched. What it is handed it only reads."""

    def __init__(
        self,
        house: House,
        report: MetricsCollector | None,
        health: Callable[[], Health],
        backup_directory: Iterable[Rulebook] = (),
        published: Published = NOTHING_PUBLISHED,
    ) -> None:
        """Take also the rulebooks as they were loaded: a journal has no commentary on their clauses.

        Without a collector it serves no metrics.
        """
        self.house, self.health, self.published = house, health, published
        self.assets = Assets()
        self._report = report
        self._clauses = {rulebook.digest: rulebook.clauses for rulebook in backup_directory}
        self._pages: dict[str, Callable[[], HttpResponse | None]] = {
            "": self._index,
            "health": self._health,
            "metrics": self._metrics,
            **{connection.value: partial(self._connection, connection) for connection in DeviceKind},
        }
        self._shelves: dict[str, Callable[[str], HttpResponse | None]] = {
            "felt": self._felt,
            "rules": self._rules,
            "history": self._history,
            "statistics": self._statistics,
            "limits": self._limits,
        }

    def answer(self, target: str, has: str = "") -> HttpResponse:
        """Answer a GET: for the target of the request, and what its If-None-Match says it has."""
        asked = read_target(target)
        if asked is None:
            return self.plain(400, "That address cannot be read", "Something in it is not as an address is written.")
        path, query = asked
        response = self._route(path, query)
        if response is None:
            return self.plain(404, "There is nothing here", "This address leads nowhere in this house.", len(path) - 1)
        tag = dict(response.headers).get("ETag")
        return HttpResponse(304, response.headers, b"") if tag is not None and tag == has else response

    def _route(self, path: tuple[str, ...], query: dict[str, str]) -> HttpResponse | None:
        room, rest = path[0], "/".join(path[1:])
        if len(path) == 1:
            page = self._pages.get(room)
            return page() if page else None
        if room == "static":
            return self._static(rest, query.get("v", ""))
        backup_directory = self._shelves.get(room)
        return backup_directory(rest) if backup_directory else None

    def _index(self) -> HttpResponse:
        return _html(200, index_page(self._frame(), tables_of(self.house)))

    def _connection(self, connection: DeviceKind) -> HttpResponse:
        return _html(200, door_page(self._frame(), connection, tables_of(self.house)))

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
        told = self.published.spins.get(TableId(wanted))
        if told is None or name == wanted:
            return None
        spins = [{"round": number, "pocket": pocket, "colour": colour(pocket)} for number, pocket in told]
        return _response(200, JSON, msgspec.json.encode({"table": wanted, "spins": spins}))

    def _statistics(self, name: str) -> HttpResponse | None:
        wanted = TableId(name.removesuffix(".json"))
        told = self.published.spins.get(wanted)
        if told is None or name == wanted:
            return None
        rulebook, _ = self.published.played_by[wanted]
        return _response(200, JSON, msgspec.json.encode(tally(wanted, rulebook, told)))

    def _limits(self, name: str) -> HttpResponse | None:
        wanted = TableId(name.removesuffix(".json"))
        terms = self.published.played_by.get(wanted)
        if terms is None or name == wanted:
            return None
        return _response(200, JSON, msgspec.json.encode(limits_row(*terms)))

    def _health(self) -> HttpResponse:
        health = self.health()
        return _response(200 if health.ok else 503, JSON, msgspec.json.encode(health))

    def _in_use(self) -> Iterator[Rulebook]:
        """Name the rulebooks that tables play by, and then those that were adopted, one may be named twice."""
        yield from (table.rulebook for table in self.house.tables.values())
        yield from self.house.rulebooks.values()

    def _frame(self, depth: int = 0) -> PageContext:
        return PageContext(self.house.venue, self.house.mode is Mode.DEMO, self.assets.version, "../" * depth)

    def plain(self, status: int, heading: str, words: str, depth: int = 0) -> HttpResponse:
        return _html(status, plain_page(self._frame(depth), heading, words))


def metrics_response(report: MetricsCollector) -> HttpResponse:
    """Give the metrics in the text format of Prometheus."""
    return _response(200, EXPOSITION_TYPE, exposition(report))


def read_target(target: str) -> tuple[tuple[str, ...], dict[str, str]] | None:
    """Read the target of a request into its path, part by part, and its query; None where it is no such thing."""
    if not target.startswith("/") or len(target) > TARGET_MAX:
        return None
    path, _, query = target.partition("?")
    try:
        # Parted first and read afterwards: a slash that is written as %2F is part of a name.
        parts = tuple(unquote(part, errors="strict") for part in path[1:].split("/"))
        asked = parse_qs(query, keep_blank_values=True, errors="strict", max_num_fields=16)
    except ValueError:
        return None
    if any("\0" in part for part in parts):
        return None
    return parts, {name: values[0] for name, values in asked.items()}


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


#: Sent under TLS alone: a browser that was here once comes back by TLS for a year, whatever link it follows.
HSTS: Final = ("Strict-Transport-Security", "max-age=31536000")
#: What a newcomer's messages are read into; it grows to a frame's size where it must.
_READ_BYTES: Final = 2 * 1024
#: How many may wait to be let in while the loop is busy: a whole floor comes back at once after a restart.
_BACKLOG: Final = 4_096


class _Calm(logging.LoggerAdapter[logging.Logger]):
    """A log in which those who come, go or send what is no frame are not written down: that would fill a disk."""

    def error(self, msg: object, *args: object, **more: object) -> None:
        """Leave out what picows says of frames. What goes wrong here it says as an exception."""


_LOG: Final = _Calm(logging.getLogger("croupier.wire"))
_LOG.setLevel(logging.WARNING)


@dataclass(slots=True)
class Server:
    """The port and whoever stands behind it."""

    router: Router
    site: HttpHandler
    connections_max: int
    #: The origins of pages that may open the wire: its own are added when the port is known.
    origins: set[str] = field(default_factory=set)
    #: The names by which its own pages are addressed.
    names: frozenset[str] = frozenset()
    #: How long a request may take to arrive.
    request_s: float = REQUEST_S
    _servers: list[asyncio.Server] = field(default_factory=list)
    _secure: bool = False

    async def open(self, host: str, port: int, tls: SSLContext | None = None) -> int:
        """Begin to listen; tell the port."""
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
            # A door answers signs of life itself: it knows when it is behind.
            enable_auto_pong=False,
            max_frame_size=FRAME_BYTES_MAX,
            read_buffer_init_size=_READ_BYTES,
            logger_name=_LOG,
            # It accepts by the listener's own method.
            use_aiofastnet=True,
        )

    async def close(self) -> None:
        """Let nobody in any more, and shut every door."""
        for server in self._servers:
            server.close()
        for connection in tuple(self.router.connections):
            connection.close(refuse(Code.BUSY, None, "The house is being stopped."), WSCloseCode.SERVICE_RESTART)

    def _enter(self, request: WSUpgradeRequest) -> Connection | WSUpgradeResponseWithListener:
        target = request.path.decode("latin-1")
        if target.partition("?")[0] != WEBSOCKET_PATH:
            return self._answered(self.site.answer(target, request.headers.get("If-None-Match", "")))
        if request.headers.get("Upgrade", "").lower() != "websocket":
            return self._answered(self._upgrade_required())
        origins = request.headers.getall("Origin", [])
        if origins and not self._is_ours(origins):
            return self._answered(
                self.site.plain(HTTPStatus.FORBIDDEN, "Not from here", "This page may not open a door.")
            )
        if len(self.router.connections) >= self.connections_max:
            return self._answered(
                self.site.plain(HTTPStatus.SERVICE_UNAVAILABLE, "The house is full", "Try again in a moment.")
            )
        _plain_upgrade(request.headers)
        # A browser always names the origin of its page. A client that names none is none, and has no page to be tricked
        # by: it is let in by a device key alone.
        return Connection(self.router, native=not origins)

    def _upgrade_required(self) -> HttpResponse:
        page = self.site.plain(HTTPStatus.UPGRADE_REQUIRED, "A WebSocket", "Open this address as a WebSocket.")
        return replace(page, headers=(("Upgrade", "websocket"), *page.headers))

    def _answered(self, response: HttpResponse) -> WSUpgradeResponseWithListener:
        secured = (*response.headers, HSTS) if self._secure else response.headers
        return answered(replace(response, headers=secured))

    def _is_ours(self, origins: list[str]) -> bool:
        """Tell whether a request names one origin, and one that may open the wire."""
        return len(origins) == 1 and origins[0] in self.origins


class MetricsServer:
    """Tells the metrics and the health at an address of their own, and nothing else."""

    def __init__(self, site: HttpHandler, report: MetricsCollector) -> None:
        self.site, self._report = site, report
        self._server: asyncio.Server | None = None

    async def open(self, host: str, port: int) -> int:
        """Listen; tell the port."""
        self._server = await ws_create_server(
            self._enter, host, port, websocket_handshake_timeout=REQUEST_S, logger_name=_LOG
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
            return answered(self.site.answer(target))
        return answered(self.site.plain(HTTPStatus.NOT_FOUND, "There is nothing here", "Ask for /metrics or /health."))


def answered(response: HttpResponse) -> WSUpgradeResponseWithListener:
    """Write an answer as picows sends it."""
    answer = WSUpgradeResponse()
    answer.version, answer.status = b"HTTP/1.1", HTTPStatus(response.status)
    answer.headers, answer.body = CIMultiDict(response.headers), response.body
    return WSUpgradeResponseWithListener(answer, None)


def _plain_upgrade(headers: "CIMultiDict[str]") -> None:
    """Leave of Connection what it says of upgrading: Firefox says more in it, and picows takes nothing else."""
    said = {word.strip().lower() for line in headers.getall("Connection", []) for word in line.split(",")}
    if "upgrade" in said:
        headers["Connection"] = "upgrade"
    if not headers.get("Sec-WebSocket-Version", "").isascii():
        # It writes this back where it is not a version that it knows, and cannot write just anything.
        headers["Sec-WebSocket-Version"] = ""


def tls_context(certificate: Path, key: Path) -> SSLContext:
    """Speak TLS 1.3 and nothing older."""
    context = SSLContext(PROTOCOL_TLS_SERVER)
    context.minimum_version = TLSVersion.TLSv1_3
    context.load_cert_chain(certificate, key)
    return context


def origins_of(hosts: Iterable[str], port: int, *, secure: bool) -> set[str]:
    """Name the origins of this server's own pages, as browsers write them."""
    scheme, usual = ("https", 443) if secure else ("http", 80)
    names = [f"[{host}]" if ":" in host else host for host in hosts]
    with_port = {f"{scheme}://{name}:{port}" for name in names}
    return with_port | ({f"{scheme}://{name}" for name in names} if port == usual else set())
