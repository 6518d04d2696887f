"""Connections to a server: its address, and the WebSocket of a client."""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from ssl import VERIFY_X509_PARTIAL_CHAIN, SSLContext, create_default_context
from typing import Final, Self

import msgspec
from picows import WSCloseCode, WSError, WSFrame, WSListener, WSMsgType, WSTransport, ws_connect

from croupier.protocol.inbound import WEBSOCKET_PATH
from croupier.protocol.terminal import FeltSpec


class ConnectionLostError(Exception):
    """There is no connection. The code is that of the refusal with which the server closed it, if it sent one."""

    def __init__(self, code: str = "") -> None:
        self.code = code
        super().__init__(f"The connection is lost: {code or 'no reason given'}.")


class WebSocket(WSListener):
    """One WebSocket: hands on every text, and at the end the close code."""

    transport: WSTransport

    def __init__(self, on_text: Callable[[bytes], None], on_close: Callable[[int], None]) -> None:
        self._on_text, self._on_close = on_text, on_close
        self._code = WSCloseCode.ABNORMAL_CLOSURE.value
        self.is_open = True

    def send(self, payload: bytes, kind: WSMsgType = WSMsgType.TEXT) -> None:
        if self.is_open:
            self.transport.send(kind, payload)

    def abort(self) -> None:
        """Drop the connection without a close frame."""
        if self.is_open:
            self.transport.disconnect(graceful=False)

    def on_ws_connected(self, transport: WSTransport) -> None:
        self.transport = transport

    def on_ws_frame(self, transport: WSTransport, frame: WSFrame) -> None:
        if frame.msg_type == WSMsgType.TEXT:
            self._on_text(frame.get_payload_as_bytes())
        elif frame.msg_type == WSMsgType.CLOSE:
            self._code = frame.get_close_code().value
            transport.disconnect()

    def on_ws_disconnected(self, _transport: WSTransport) -> None:
        self.is_open = False
        self._on_close(self._code)


#: How long a felt may take to be fetched, in seconds.
FETCH_S: Final = 10
#: picows logs every connection at the level of this logger.
_LOG: Final = logging.getLogger("croupier-client-picows")
_LOG.setLevel(logging.WARNING)


@dataclass(slots=True)
class ServerAddress:
    """Where a server listens, and how it is trusted."""

    host: str
    port: int
    tls: SSLContext | None = None
    _felts: dict[str, FeltSpec] = field(default_factory=dict)

    @classmethod
    def of(cls, host: str, port: int, certificate: Path | None = None) -> Self:
        """Address a server by the host that it listens on. If it has a certificate, trust that one alone."""
        reached = "127.0.0.1" if host == "0.0.0.0" else host  # noqa: S104 - compared, never bound
        return cls(reached, port, None if certificate is None else _trusting(certificate))

    @property
    def authority(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def origin(self) -> str:
        """The origin of the server's own pages: a demonstration enrols only those who name it."""
        return f"{'http' if self.tls is None else 'https'}://{self.authority}"

    async def connect(
        self, on_text: Callable[[bytes], None], on_close: Callable[[int], None], origin: str | None = None
    ) -> WebSocket:
        """Open a WebSocket; ConnectionLostError if there is none to be had."""
        try:
            _, websocket = await ws_connect(
                lambda: WebSocket(on_text, on_close),
                f"{'ws' if self.tls is None else 'wss'}://{self.authority}{WEBSOCKET_PATH}",
                ssl_context=self.tls,
                extra_headers={"Origin": origin or self.origin},
                logger_name=_LOG,
            )
        except (OSError, WSError) as error:
            raise ConnectionLostError from error
        if not isinstance(websocket, WebSocket):
            # It was closed before it was handed over.
            raise ConnectionLostError
        return websocket

    async def felt(self, name: str) -> FeltSpec:
        """Fetch a felt by its hash, once."""
        if name not in self._felts:
            self._felts[name] = msgspec.json.decode(await self._fetch(f"/felt/{name}.json"), type=FeltSpec)
        return self._felts[name]

    async def _fetch(self, path: str) -> bytes:
        try:
            async with asyncio.timeout(FETCH_S):
                reader, writer = await asyncio.open_connection(self.host, self.port, ssl=self.tls)
                writer.write(f"GET {path} HTTP/1.1\r\nHost: {self.authority}\r\nConnection: close\r\n\r\n".encode())
                response = await reader.read()
                writer.close()
        except OSError as error:
            raise ConnectionLostError from error
        head, _, body = response.partition(b"\r\n\r\n")
        if b" 200 " not in head.partition(b"\r\n")[0]:
            raise ConnectionLostError
        return body


def _trusting(certificate: Path) -> SSLContext:
    """Trust the server's own certificate and no other, whatever name it is issued to."""
    context = create_default_context(cafile=str(certificate))
    context.verify_flags |= VERIFY_X509_PARTIAL_CHAIN
    context.check_hostname = False
    return context
