"""The server: one port, on which a GET fetches a page and the wire opens a door to those whose origin is allowed."""

import asyncio
import logging
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from pathlib import Path
from ssl import PROTOCOL_TLS_SERVER, SSLContext, TLSVersion
from typing import Final

from multidict import CIMultiDict
from picows import WSCloseCode, WSUpgradeRequest, WSUpgradeResponse, WSUpgradeResponseWithListener, ws_create_server

from croupier.house.answer import refuse
from croupier.rules.refusal import Code
from croupier.web.door import Door
from croupier.web.gateway import Gateway
from croupier.web.http import Response, Site
from croupier.web.limits import FRAME_MOST, REQUEST_S
from croupier.web.listener import Capacity, Listener, connections_most, listen

WIRE: Final = "/wire"
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

    gateway: Gateway
    site: Site
    doors_most: int
    #: The pages that may open the wire.
    origins: set[str] = field(default_factory=set)
    #: How long a request may take to arrive.
    request_s: float = REQUEST_S
    _servers: list[asyncio.Server] = field(default_factory=list)
    _secure: bool = False

    async def open(self, host: str, port: int, tls: SSLContext | None = None) -> int:
        """Begin to listen; tell the port."""
        self._secure = tls is not None
        capacity = Capacity(asyncio.get_running_loop(), connections_most(self.doors_most))
        for listener in await listen(capacity, host, port):
            self._servers.append(await self._serve(listener, tls))
        return int(self._servers[0].sockets[0].getsockname()[1])

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
            max_frame_size=FRAME_MOST,
            read_buffer_init_size=_READ_BYTES,
            logger_name=_LOG,
            # It accepts by the listener's own method.
            use_aiofastnet=True,
        )

    async def close(self) -> None:
        """Let nobody in any more, and shut every door."""
        for server in self._servers:
            server.close()
        for door in tuple(self.gateway.doors):
            door.shut(refuse(Code.BUSY, None, "The house is being stopped."), WSCloseCode.SERVICE_RESTART)

    def _enter(self, request: WSUpgradeRequest) -> Door | WSUpgradeResponseWithListener:
        target = request.path.decode("latin-1")
        if target.partition("?")[0] != WIRE:
            return self._answered(self.site.answer(target, request.headers.get("If-None-Match", "")))
        if request.headers.get("Upgrade", "").lower() != "websocket":
            return self._answered(self._upgrade_required())
        origins = request.headers.getall("Origin", [])
        if origins and not self._is_ours(origins):
            return self._answered(
                self.site.plain(HTTPStatus.FORBIDDEN, "Not from here", "This page may not open a door.")
            )
        if len(self.gateway.doors) >= self.doors_most:
            return self._answered(
                self.site.plain(HTTPStatus.SERVICE_UNAVAILABLE, "The house is full", "Try again in a moment.")
            )
        _plain_upgrade(request.headers)
        # A browser always names the origin of its page. A client that names none is none, and has no page to be tricked
        # by: it is let in by a device key alone.
        return Door(self.gateway, native=not origins)

    def _upgrade_required(self) -> Response:
        page = self.site.plain(HTTPStatus.UPGRADE_REQUIRED, "A WebSocket", "Open this address as a WebSocket.")
        return replace(page, headers=(("Upgrade", "websocket"), *page.headers))

    def _answered(self, response: Response) -> WSUpgradeResponseWithListener:
        secured = (*response.headers, HSTS) if self._secure else response.headers
        return answered(replace(response, headers=secured))

    def _is_ours(self, origins: list[str]) -> bool:
        """Tell whether a request names one origin, and one that may open the wire."""
        return len(origins) == 1 and origins[0] in self.origins


class MetricsServer:
    """Tells the metrics and the health at an address of their own, and nothing else."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self._server: asyncio.Server | None = None

    async def open(self, host: str, port: int) -> int:
        """Listen; tell the port."""
        self._server = await ws_create_server(
            self._enter, host, port, websocket_handshake_timeout=REQUEST_S, logger_name=_LOG
        )
        self.site.metrics_apart = True
        return int(self._server.sockets[0].getsockname()[1])

    def close(self) -> None:
        if self._server is not None:
            self._server.close()

    def _enter(self, request: WSUpgradeRequest) -> WSUpgradeResponseWithListener:
        target = request.path.decode("latin-1").partition("?")[0]
        if target == "/metrics":
            return answered(self.site.metrics())
        if target == "/health":
            return answered(self.site.answer(target))
        return answered(self.site.plain(HTTPStatus.NOT_FOUND, "There is nothing here", "Ask for /metrics or /health."))


def answered(response: Response) -> WSUpgradeResponseWithListener:
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
