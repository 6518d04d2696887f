"""The server and every HTTP response."""

import asyncio
import hashlib
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from http import HTTPStatus
from types import MappingProxyType
from typing import Final, NamedTuple, Protocol
from urllib.parse import parse_qs, unquote, urlsplit

import msgspec
from multidict import CIMultiDict
from picows import WSCloseCode, WSUpgradeRequest, WSUpgradeResponse, WSUpgradeResponseWithListener
from prometheus_client.registry import Collector

from croupier.engine.accepting import METRICS_MAX, connections_most
from croupier.engine.metrics import EXPOSITION_TYPE, exposition
from croupier.house import House
from croupier.house.ids import DeviceKind, TableId
from croupier.house.settings import EffectiveLimits, Mode, TableSettings
from croupier.protocol.inbound import WEBSOCKET_PATH
from croupier.rulebooks.loader import load_rulebook, rulebook_ids
from croupier.rules.drills import SEED_MAX, Level, levels_of, make_drill
from croupier.rules.refusal import Code, refuse
from croupier.rules.rulebook import PayoutTable, Rulebook
from croupier.server.assets import NOT_COMPRESSED, TRAINER, Assets, Compressed, compress, own_assets
from croupier.server.auth.devices import is_loopback
from croupier.server.connection import ConnectionHandler, WebSocketConnection
from croupier.server.listener import REQUEST_S, ServerTls, port_of, serve_at
from croupier.server.lobby import JoinPicture, Lobby, join_picture
from croupier.server.pages import (
    PageContext,
    board_page,
    drill_data,
    early_hash,
    index_page,
    manifest,
    plain_page,
    rules_data,
    rules_page,
    screen_page,
    small_felt,
    tables_of,
    trainer_page,
)
from croupier.server.views.felt import felts_of
from croupier.server.views.seat import limits_row
from croupier.server.views.table import Spins, tally
from croupier.words import BlockerText

Headers = tuple[tuple[str, str], ...]

#: The longest request target that is read.
TARGET_MAX: Final = 1_024
NO_STORE: Final = "no-store"
#: A page is stored, and asked for again by its tag each time.
NO_CACHE: Final = "no-cache"
#: A file with its hash in its address never changes.
FOR_EVER: Final = "public, max-age=31536000, immutable"
HTML: Final = "text/html; charset=utf-8"
MANIFEST: Final = "application/manifest+json"
JSON: Final = "application/json"
#: The service worker's address, and its file below `static`.
WORKER: Final = "service-worker.js"
WORKER_FILE: Final = "shared/service_worker.js"
#: The address of the QR code for phones.
JOIN_PATH: Final = "/join.json"
#: A page with this field in its query loads its modules one by one, for debugging.
APART: Final = "modules"
METHODS: Final = ("GET", "HEAD", "OPTIONS")
ALLOWED: Final = ("Allow", ", ".join(METHODS))
NO_HEADERS: Final[Mapping[str, str]] = MappingProxyType({})
_FELT: Final = re.compile(r"([0-9a-f]{64})\.json")
#: A rulebook, a level and a seed.
_DRILL: Final = re.compile(r"([a-z0-9-]{1,100})/([a-z]{1,20})/([0-9]{1,10})\.json")


def content_policy(connections: Iterable[str] = (), script: str = "") -> str:
    """Return the Content-Security-Policy of a page: scripts, styles and connections come from this server only.

    It names other origins that the page may open a WebSocket to, and the hash of a script in the document itself.
    """
    directives = (
        "default-src 'self'",
        f"script-src 'self' {script}" if script else "",
        "img-src 'self' data:",
        # It covers the WebSocket of this server too.
        " ".join(("connect-src 'self'", *connections)),
        "frame-ancestors 'none'",
        "base-uri 'none'",
        "form-action 'none'",
    )
    return "; ".join(filter(None, directives))


def safe_headers(policy: str) -> Headers:
    return (
        ("Content-Security-Policy", policy),
        ("X-Content-Type-Options", "nosniff"),
        ("Referrer-Policy", "no-referrer"),
        ("Cross-Origin-Opener-Policy", "same-origin"),
    )


POLICY: Final = content_policy()
SAFE: Final = safe_headers(POLICY)


@dataclass(frozen=True, slots=True)
class HttpResponse:
    """A response as it is sent."""

    status: int
    headers: Headers
    body: bytes
    compressed: Compressed = NOT_COMPRESSED


class Health(msgspec.Struct, frozen=True, kw_only=True):
    """Whether the house is running, and its last entry."""

    ok: bool
    mode: str
    epoch: int
    position: int
    connections: int
    #: Why tables cannot play, with the setting or the action that resolves it.
    blocked: tuple[BlockerText, ...] = ()


class Published(Protocol):
    """What was last published of every table. State that is not committed yet is never shown."""

    @property
    def spins(self) -> Mapping[TableId, Spins]: ...
    @property
    def played_by(self) -> Mapping[TableId, tuple[Rulebook, TableSettings, EffectiveLimits]]: ...


class PageHandler(ABC):
    """Responds to every request: with the files of the screens, and with the pages of a house."""

    @property
    def assets(self) -> Assets:
        return own_assets()

    @abstractmethod
    def context(self, depth: int = 0) -> PageContext:
        """Return what every page has in common, at so many folders below the root."""

    @abstractmethod
    def page(self, path: tuple[str, ...], query: Mapping[str, str] = NO_HEADERS) -> HttpResponse | None:
        """Return the page at a path; None when there is none."""

    def respond(self, target: str, headers: Mapping[str, str] = NO_HEADERS, method: str = "GET") -> HttpResponse:
        """Respond to a request, whose headers may allow a shorter response."""
        if method == "OPTIONS":
            return HttpResponse(HTTPStatus.NO_CONTENT, (ALLOWED, *SAFE), b"")
        if method not in METHODS:
            page = self.plain(HTTPStatus.METHOD_NOT_ALLOWED, "Method not allowed", "Pages are only read here.")
            return replace(page, headers=(ALLOWED, *page.headers))
        response = _encoded(self._get(target), headers)
        return _without_body(response) if method == "HEAD" else response

    def plain(self, status: int, heading: str, words: str, depth: int = 0) -> HttpResponse:
        return html_response(status, plain_page(self.context(depth), heading, words))

    def _get(self, target: str) -> HttpResponse:
        parsed = read_target(target)
        if parsed is None:
            return self.plain(400, "Bad request", "The address is not a valid URL path.")
        path, query = parsed
        response = self._file(path, query) or self.page(path, query)
        if response is None:
            return self.plain(404, "Not found", "There is no page at this address.", len(path) - 1)
        return response

    def rulebooks(self) -> Iterable[Rulebook]:
        """Return the rulebooks that the trainer has drills for: those that come with Croupier."""
        found = map(load_rulebook, rulebook_ids())
        return (rulebook for rulebook in found if isinstance(rulebook, Rulebook))

    def _file(self, path: tuple[str, ...], query: Mapping[str, str]) -> HttpResponse | None:
        """Return a file of the screens, which is the same at every house."""
        if path == (WORKER,):
            return self._worker()
        if path == (TRAINER,):
            return _screen(trainer_page(self.context()._replace(apart=APART in query), self.rulebooks()))
        match path[0]:
            case "drill":
                return self._drill("/".join(path[1:]))
            case "static":
                return self._static("/".join(path[1:]))
            case "manifest":
                return self._manifest("/".join(path[1:]))
            case _:
                return None

    def _worker(self) -> HttpResponse:
        """Return the service worker. It lies in the root, as it may only serve what lies beside and below it."""
        worker = self.assets.find(WORKER_FILE)
        assert worker is not None
        tag = hashlib.sha256(worker.body).hexdigest()[:16]
        return _response(200, worker.type, worker.body, cache=NO_CACHE, tag=f'"{tag}"')

    def _drill(self, name: str) -> HttpResponse | None:
        """Return the drill of a rulebook, a level and a seed."""
        match = _DRILL.fullmatch(name)
        if match is None or int(match[3]) > SEED_MAX:
            return None
        rulebook = next((each for each in self.rulebooks() if each.id == match[1]), None)
        if rulebook is None or match[2] not in levels_of(rulebook):
            return None
        felt = _drilled(rulebook)
        drill = make_drill(felt, Level(match[2]), int(match[3]))
        return _response(200, JSON, msgspec.json.encode(drill_data(felt, drill)))

    def _static(self, path: str) -> HttpResponse | None:
        version, _, name = path.partition("/")
        asset = self.assets.find(name) if version == self.assets.version else None
        if asset is None:
            return None
        return _response(200, asset.type, asset.body, cache=FOR_EVER, packed=asset.compressed)

    def _manifest(self, name: str) -> HttpResponse | None:
        screens = {f"{kind.value}.json": kind for kind in DeviceKind}
        if name not in screens:
            return None
        return _response(200, MANIFEST, manifest(self.context(1), screens[name]), cache=NO_CACHE)


@dataclass
class HttpHandler(PageHandler):
    """Responds with the pages of this process's own house. It only reads the state that it is given."""

    house: House
    #: Collects the metrics; None where they are served elsewhere.
    report: Collector | None
    health: Callable[[], Health]
    #: The rulebooks as they were loaded: a journal has no commentary on their clauses.
    loaded: Iterable[Rulebook]
    published: Published
    lobby: Callable[[], Lobby]
    #: The origins that pages may connect to besides their own.
    addresses: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self._clauses = {rulebook.digest: rulebook.clauses for rulebook in self.loaded}
        self._pages: dict[str, Callable[[Mapping[str, str]], HttpResponse | None]] = {
            "": self._index,
            "lobby.json": self._lobby,
            "health": self._health,
            "metrics": self._metrics,
            **{kind.value: partial(self._screen_of, kind) for kind in DeviceKind},
        }
        self._folders: dict[str, Callable[[str], HttpResponse | None]] = {
            "felt": self._felt,
            "rules": self._rules,
            "history": self._history,
            "statistics": self._statistics,
            "limits": self._limits,
        }

    def page(self, path: tuple[str, ...], query: Mapping[str, str] = NO_HEADERS) -> HttpResponse | None:
        folder, rest = path[0], "/".join(path[1:])
        if len(path) == 1:
            page = self._pages.get(folder)
            return page(query) if page else None
        file = self._folders.get(folder)
        return file(rest) if file else None

    def paths(self) -> Iterator[str]:
        """List the pages that change only with the tables and their rulebooks, some with a query."""
        yield from ("", f"?{APART}")
        yield from DeviceKind
        yield from (f"{kind}?{APART}" for kind in DeviceKind)
        for rulebook in {each.digest: each for each in self._in_use()}.values():
            yield from (f"rules/{rulebook.id}", f"rules/{rulebook.id}.json")
            yield from (f"felt/{felt.hash}.json" for felt in felts_of(rulebook))

    def table_paths(self, table: TableId) -> Iterator[str]:
        """List the pages that change with what happens at a table."""
        yield from (f"{folder}/{table}.json" for folder in ("history", "statistics", "limits"))

    def house_paths(self) -> Iterator[str]:
        """List the pages that change with what happens at any table or terminal."""
        yield "lobby.json"

    def _index(self, query: Mapping[str, str]) -> HttpResponse:
        frame = self.context()._replace(apart=APART in query)
        felts = {table.rulebook.id: small_felt(table.rulebook) for table in self.house.tables.values()}
        return _screen(index_page(frame, tables_of(self.house), felts))

    def _lobby(self, _query: Mapping[str, str]) -> HttpResponse:
        return _response(200, JSON, msgspec.json.encode(self.lobby()))

    def _screen_of(self, kind: DeviceKind, query: Mapping[str, str]) -> HttpResponse:
        frame = self.context()._replace(apart=APART in query)
        if kind is DeviceKind.BOARD:
            page = board_page(frame, self.house.tables.values(), self._clauses)
        else:
            page = screen_page(frame, kind, tables_of(self.house))
        connections = (f"ws{each.removeprefix('http')}" for each in self.addresses)
        return _screen(page, content_policy(connections, early_hash() if kind is DeviceKind.TERMINAL else ""))

    def _metrics(self, _query: Mapping[str, str]) -> HttpResponse | None:
        return None if self.report is None else metrics_response(self.report)

    def _felt(self, name: str) -> HttpResponse | None:
        match = _FELT.fullmatch(name)
        if match is None:
            return None
        wanted = match[1]
        found = (felt for book in self._in_use() for felt in felts_of(book) if felt.hash == wanted)
        felt = next(found, None)
        return None if felt is None else _response(200, JSON, felt.body, cache=FOR_EVER, packed=compress(felt.body))

    def _rules(self, name: str) -> HttpResponse | None:
        wanted = name.removesuffix(".json")
        rulebook = next((each for each in self._in_use() if each.id == wanted), None)
        if rulebook is None:
            return None
        rules = _rules_of(rulebook, self._clauses.get(rulebook.digest, ()))
        if name != wanted:
            body = msgspec.json.encode(rules)
            return _response(200, JSON, body, packed=compress(body))
        return html_response(200, rules_page(self.context(1), rules))

    def _history(self, name: str) -> HttpResponse | None:
        wanted = name.removesuffix(".json")
        past = self.published.spins.get(TableId(wanted))
        if past is None or name == wanted:
            return None
        rulebook, *_ = self.published.played_by[TableId(wanted)]
        wheel = rulebook.wheel
        spins = [{"round": number, "pocket": pocket, "colour": wheel.colour(pocket)} for number, pocket in past]
        return _response(200, JSON, msgspec.json.encode({"table": wanted, "spins": spins}))

    def _statistics(self, name: str) -> HttpResponse | None:
        wanted = TableId(name.removesuffix(".json"))
        past = self.published.spins.get(wanted)
        if past is None or name == wanted:
            return None
        rulebook, *_ = self.published.played_by[wanted]
        body = msgspec.json.encode(tally(wanted, rulebook, past))
        return _response(200, JSON, body, packed=compress(body))

    def _limits(self, name: str) -> HttpResponse | None:
        wanted = TableId(name.removesuffix(".json"))
        limits = self.published.played_by.get(wanted)
        if limits is None or name == wanted:
            return None
        return _response(200, JSON, msgspec.json.encode(limits_row(*limits)))

    def _health(self, _query: Mapping[str, str]) -> HttpResponse:
        health = self.health()
        return health_response(health, ok=health.ok)

    def rulebooks(self) -> Iterable[Rulebook]:
        """Return also the house's own rulebooks; of two with one id the house's."""
        return {rulebook.id: rulebook for rulebook in (*super().rulebooks(), *self._in_use())}.values()

    def _in_use(self) -> Iterator[Rulebook]:
        """Return the rulebooks of the tables, and then those that were adopted; one may occur twice."""
        yield from (table.rulebook for table in self.house.tables.values())
        yield from self.house.rulebooks.values()

    def context(self, depth: int = 0) -> PageContext:
        return PageContext(
            self.house.setup.venue,
            self.house.setup.mode is Mode.DEMO,
            self.assets.version,
            "../" * depth,
            addresses=self.addresses,
            timezone=self.house.setup.timezone,
        )


def join_response(link: str) -> HttpResponse:
    """Return an address at which phones join as a QR code; an empty one for none."""
    return _response(200, JSON, msgspec.json.encode(join_picture(link) if link else JoinPicture()))


def health_response(health: msgspec.Struct, *, ok: bool) -> HttpResponse:
    """Return the health of a process as JSON."""
    return _response(200 if ok else 503, JSON, msgspec.json.encode(health))


def metrics_response(report: Collector) -> HttpResponse:
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


_rules_of: Final = lru_cache(maxsize=16)(rules_data)


@lru_cache(maxsize=16)
def _drilled(rulebook: Rulebook) -> PayoutTable:
    return PayoutTable(rulebook)


def _screen(page: str, policy: str = POLICY) -> HttpResponse:
    """Return the document of a screen, which is stored and asked for again by its tag."""
    body = page.encode()
    tag = hashlib.sha256(body).hexdigest()[:16]
    return _response(200, HTML, body, cache=NO_CACHE, tag=f'"{tag}"', packed=compress(body), policy=policy)


def html_response(status: int, page: str) -> HttpResponse:
    """Respond with a page that is not stored."""
    return _response(status, HTML, page.encode())


def _response(  # noqa: PLR0913 - each is a part of the response
    status: int,
    type_: str,
    body: bytes,
    *,
    cache: str = NO_STORE,
    tag: str = "",
    packed: Compressed = NOT_COMPRESSED,
    policy: str = POLICY,
) -> HttpResponse:
    headers = (
        ("Content-Type", type_),
        ("Cache-Control", cache),
        *((("ETag", tag),) if tag else ()),
        *safe_headers(policy),
    )
    return HttpResponse(status, headers, body, packed)


def _encoded(response: HttpResponse, headers: Mapping[str, str]) -> HttpResponse:
    """Choose what is sent: nothing to a client that has it already, else the compressed body if it is accepted."""
    tag = dict(response.headers).get("ETag")
    if tag is not None and tag == headers.get("If-None-Match"):
        return HttpResponse(HTTPStatus.NOT_MODIFIED, response.headers, b"")
    if not response.compressed.gzip:
        return response
    accepted = accepted_codings(headers.get("Accept-Encoding", ""))
    varied = (*response.headers, ("Vary", "Accept-Encoding"))
    for coding, body in (("br", response.compressed.brotli), ("gzip", response.compressed.gzip)):
        if coding in accepted:
            return HttpResponse(response.status, (*varied, ("Content-Encoding", coding)), body)
    return replace(response, headers=varied)


def accepted_codings(accepted: str) -> frozenset[str]:
    """Return the codings that an Accept-Encoding header names with a quality that is not zero."""
    named = (tuple(part.strip() for part in each.partition(";")) for each in accepted.lower().split(","))
    return frozenset(coding for coding, _, quality in named if re.fullmatch(r"q\s*=\s*0(\.0*)?", quality) is None)


def _without_body(response: HttpResponse) -> HttpResponse:
    """Return the response to a HEAD: the same headers, with the length of the body that a GET would get."""
    length = (("Content-Length", str(len(response.body))),) if response.body else ()
    return HttpResponse(response.status, (*response.headers, *length), b"")


class HttpRequest(NamedTuple):
    """The head of a request, and the address of its client."""

    target: str
    method: str
    headers: "CIMultiDict[str]"
    peer: str


#: Responds to a request, or accepts it as a WebSocket.
Respond = Callable[[HttpRequest], HttpResponse | WebSocketConnection]
#: Sent under TLS only: a browser that has connected once uses TLS for a year, whatever link it follows.
HSTS: Final = ("Strict-Transport-Security", "max-age=31536000")


@dataclass(slots=True)
class HttpServer:
    """Listens, with at most so many connections open, and responds to every request by one function."""

    respond: Respond
    connections_max: int
    tls: ServerTls | None = None
    #: How long a request may take to arrive.
    request_s: float = REQUEST_S
    #: The port of the last address; 0 before it listens.
    port: int = 0
    _servers: list[asyncio.Server] = field(default_factory=list)

    async def open(self, host: str, port: int) -> int:
        """Begin to listen; return the port."""
        context = None if self.tls is None else self.tls.context
        self._servers += await serve_at(
            host, port, self.connections_max, self._enter, request_s=self.request_s, tls=context
        )
        self.port = port_of(self._servers)
        return self.port

    def close(self) -> None:
        """Stop listening; connections that are open stay."""
        for server in self._servers:
            server.close()

    def _enter(
        self, request: WSUpgradeRequest, method: str, peer: str
    ) -> WebSocketConnection | WSUpgradeResponseWithListener:
        response = self.respond(HttpRequest(request.path.decode("latin-1"), method, request.headers, peer))
        if isinstance(response, WebSocketConnection):
            _plain_upgrade(request.headers)
            return response
        answer = WSUpgradeResponse()
        answer.version, answer.status = b"HTTP/1.1", HTTPStatus(response.status)
        answer.headers, answer.body = CIMultiDict(response.headers), response.body
        if self.tls is not None:
            answer.headers.add(*HSTS)
        return WSUpgradeResponseWithListener(answer, None)


def _no_link() -> str:
    return ""


@dataclass(slots=True)
class Server:
    """Serves the pages, and accepts WebSockets."""

    router: ConnectionHandler
    site: PageHandler
    connections_max: int
    #: The origins of pages that may open a WebSocket: its own origins are added when the port is known.
    origins: set[str] = field(default_factory=set)
    #: The names by which its own pages are addressed.
    names: frozenset[str] = frozenset()
    tls: ServerTls | None = None
    #: The address at which phones join a demonstration, with its code; empty where they may not.
    join_link: Callable[[], str] = _no_link
    request_s: float = REQUEST_S
    http: HttpServer = field(init=False)

    def __post_init__(self) -> None:
        self.http = HttpServer(self.respond, connections_most(self.connections_max), self.tls, self.request_s)

    async def open(self, host: str, port: int) -> int:
        """Begin to listen; return the port."""
        port = await self.http.open(host, port)
        self.origins |= origins_of(self.names, port, secure=self.tls is not None)
        return port

    def close(self) -> None:
        """Stop listening, and close every WebSocket; gateways hold theirs."""
        self.http.close()
        for connection in tuple(self.router.connections):
            if isinstance(connection, WebSocketConnection):
                connection.close(refuse(Code.BUSY, None, "The server is stopping."), WSCloseCode.SERVICE_RESTART)

    def respond(self, request: HttpRequest) -> HttpResponse | WebSocketConnection:
        """Respond with a page, or accept a WebSocket."""
        target, method, headers, peer = request
        if target == JOIN_PATH:
            # Only a screen of the host shows the code: who sees it may join.
            local = is_loopback(peer) and not _is_passed_on(headers, f"//{headers.get('Host', 'localhost')}")
            return join_response(self.join_link() if local else "")
        if method != "GET" or target.partition("?")[0] != WEBSOCKET_PATH:
            return self.site.respond(target, headers, method)
        if headers.get("Upgrade", "").lower() != "websocket":
            page = self.site.plain(HTTPStatus.UPGRADE_REQUIRED, "A WebSocket", "Open this address as a WebSocket.")
            return replace(page, headers=(("Upgrade", "websocket"), *page.headers))
        origins = headers.getall("Origin", [])
        if origins and not (len(origins) == 1 and origins[0] in self.origins):
            return self.site.plain(HTTPStatus.FORBIDDEN, "Forbidden", "A page of this origin may not open a WebSocket.")
        if len(self.router.connections) >= self.connections_max:
            return self.site.plain(HTTPStatus.SERVICE_UNAVAILABLE, "Server full", "Try again in a moment.")
        # A browser always sends the Origin of its page. A client without one is not a browser, and no page can misuse
        # it: a device key alone admits it.
        by_proxy = is_loopback(peer) and _is_passed_on(headers, *origins)
        return WebSocketConnection(self.router, native=not origins, by_proxy=by_proxy)


def _is_passed_on(headers: "CIMultiDict[str]", *addresses: str) -> bool:
    """Return whether a proxy on this host has sent a request: it says so, or a page has an address of another name."""
    return any(name in headers for name in _FORWARDED) or not all(map(_names_this_host, addresses))


def _names_this_host(address: str) -> bool:
    try:
        name = urlsplit(address).hostname or ""
    except ValueError:
        return False
    return name == "localhost" or is_loopback(name)


#: The headers by which a proxy says for whom it asks.
_FORWARDED: Final = ("X-Forwarded-For", "Forwarded")


def metrics_server(site: PageHandler, report: Collector) -> HttpServer:
    """Create the server of the metrics and the health at a separate address, and of nothing else."""

    def respond(request: HttpRequest) -> HttpResponse:
        target = request.target.partition("?")[0]
        if target == "/metrics":
            return metrics_response(report)
        if target == "/health":
            return site.respond(target)
        return site.plain(HTTPStatus.NOT_FOUND, "Not found", "Ask for /metrics or /health.")

    return HttpServer(respond, METRICS_MAX)


def _plain_upgrade(headers: "CIMultiDict[str]") -> None:
    """Reduce the Connection header to its upgrade token: Firefox sends more in it, and picows accepts nothing else."""
    said = {word.strip().lower() for line in headers.getall("Connection", []) for word in line.split(",")}
    if "upgrade" in said:
        headers["Connection"] = "upgrade"
    if not headers.get("Sec-WebSocket-Version", "").isascii():
        # picows echoes an unknown version in its response, and cannot encode arbitrary text.
        headers["Sec-WebSocket-Version"] = ""


def origins_of(hosts: Iterable[str], port: int, *, secure: bool) -> set[str]:
    """Return the origins of this server's own pages, as browsers write them."""
    with_port = {url_of(host, port, secure=secure).rstrip("/") for host in hosts}
    usual = port == (443 if secure else 80)
    return with_port | ({each.removesuffix(f":{port}") for each in with_port} if usual else set())


def url_of(host: str, port: int, *, secure: bool) -> str:
    """Return the address of pages at a host, which may be an address of IPv6."""
    return f"{'https' if secure else 'http'}://{f'[{host}]' if ':' in host else host}:{port}/"
